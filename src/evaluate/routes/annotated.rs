//! Routes that an annotation or the stack file names.

use super::found::{Found, Handler};
use super::paths;
use crate::evaluate::facts::Remark;
use crate::evaluate::figures::place;
use crate::evaluate::interp::{Interp, STEPS};
use crate::evaluate::value::{At, FunctionRef, ModuleId, Value};
use crate::program::{Annotation, FunctionId, Name, Span};
use crate::rules::Given;

/// What an annotation says of a route.
struct Said {
    name: String,
    within: Option<Vec<String>>,
    target: Span,
}

impl Interp<'_> {
    /// Names the routes that an annotation speaks of, and adds those that nothing else found.
    pub(super) fn annotate(&mut self, found: &mut Vec<Found>) {
        let project = self.project;
        for source in &project.sources {
            let module = project.world.module(&source.path);
            let said: Vec<Said> = module
                .annotations
                .iter()
                .filter_map(|attached| match &attached.annotation {
                    Annotation::Route { name, within } => Some(Said {
                        name: name.clone(),
                        within: within
                            .as_ref()
                            .map(|names| names.iter().map(ToString::to_string).collect()),
                        target: attached.target,
                    }),
                    _ => None,
                })
                .collect();
            for one in said {
                self.steps = STEPS;
                let id = self.load(&source.path);
                if !self.rename(found, id, &one) {
                    let app = (source.app.clone(), source.app_root.clone());
                    let route = self.annotated_route(id, one, app);
                    found.extend(route);
                }
            }
        }
    }

    /// Gives a route that was found already the name and layers of its annotation.
    fn rename(&self, found: &mut [Found], module: ModuleId, said: &Said) -> bool {
        let mut hit: Vec<&mut Found> = found
            .iter_mut()
            .filter(|route| {
                let registered = route.at.module == module && said.target.contains(route.at.span);
                registered || self.is_handled_by(route, module, said.target)
            })
            .collect();
        let only = hit.len() == 1;
        for route in &mut hit {
            route.within.clone_from(&said.within);
            if only {
                route.name.clone_from(&said.name);
            }
        }
        !hit.is_empty()
    }

    /// Whether the route's own handler is this function.
    fn is_handled_by(&self, route: &Found, module: ModuleId, span: Span) -> bool {
        let last = route
            .handlers
            .first()
            .and_then(|handler| handler.chain.last());
        match last {
            Some(Value::Function(closure)) if closure.function.module == module => {
                let loaded = &self.modules[module.0 as usize].module;
                loaded.function(closure.function.function).span == span
            }
            _ => false,
        }
    }

    fn annotated_route(
        &mut self,
        module: ModuleId,
        said: Said,
        app: (String, String),
    ) -> Option<Found> {
        let loaded = self.modules[module.0 as usize].module.clone();
        let function = loaded
            .functions
            .iter()
            .position(|function| function.span == said.target)
            .or_else(|| {
                // On a statement: the first function in it.
                let inside = loaded
                    .functions
                    .iter()
                    .enumerate()
                    .filter(|(_, f)| said.target.contains(f.span));
                inside
                    .min_by_key(|(_, f)| f.span.start)
                    .map(|(index, _)| index)
            })?;
        let id = FunctionId(u32::try_from(function).unwrap_or(u32::MAX));
        self.touch(module);
        let reference = FunctionRef {
            module,
            function: id,
        };
        let value = if loaded.failures_are_values {
            self.function_with_own_scope(reference)
        } else {
            self.value_of_function(reference)
        };
        let at = At {
            module,
            span: loaded.functions[function].span,
        };
        Some(self.named_route(said.name, value, at, app, said.within))
    }

    /// The routes whose handler the stack file names.
    pub(super) fn routes_of_stack(&mut self, found: &mut Vec<Found>) {
        let stack = self.project.stack;
        for entry in &stack.routes {
            let Some(handler) = &entry.settings.handler else {
                continue;
            };
            if !entry.pattern.value.is_name() {
                continue;
            }
            let name = entry.pattern.value.name();
            if found.iter().any(|route| route.name == name) {
                continue;
            }
            self.steps = STEPS;
            let reference = &handler.value;
            let source = self
                .project
                .sources
                .iter()
                .find(|source| source.path == reference.path);
            let app = source
                .map(|source| (source.app.clone(), source.app_root.clone()))
                .unwrap_or_default();
            match self.named_in(&reference.path, &reference.name) {
                Some((value, at)) => {
                    let route = self.named_route(name, value, at, app, None);
                    found.push(route);
                }
                None => {
                    self.remarks.insert(Remark {
                        lint: "stack-drift",
                        place: place(&entry.place),
                        message: format!(
                            "`{}:{}` is the handler of `{name}`, and there is no such function",
                            reference.path, reference.name
                        ),
                        help: Some(
                            "name a function of a source file, as in \"src/api/me.ts:getMe\""
                                .to_string(),
                        ),
                    });
                }
            }
        }
    }

    /// What a file declares or exports under a dotted name.
    fn named_in(&mut self, path: &str, name: &str) -> Option<(Value, At)> {
        self.project
            .sources
            .iter()
            .find(|source| source.path == path)?;
        let module = self.load(path);
        self.touch(module);
        let mut parts = name.split('.');
        let first: Name = parts.next()?.into();
        let entry = &self.modules[module.0 as usize];
        let own = super::declaration::declared_in(&entry.module, &first);
        let cell = entry.scope.own(&first);
        let mut value = match cell {
            Some(cell) => self.read(cell),
            None => self.export_if_any(module, &first)?,
        };
        let span = own
            .or_else(|| self.declared_at(module, &first).map(|at| at.span))
            .unwrap_or_default();
        let at = At { module, span };
        for part in parts {
            value = self.member_at(&value, &part.into(), at);
        }
        let callable = value.alternatives().iter().any(|value| {
            matches!(
                value,
                Value::Function(_)
                    | Value::Native(_)
                    | Value::Unknown(_)
                    | Value::Imported(_)
                    | Value::Rule(_)
            )
        });
        callable.then_some((value, at))
    }

    /// A route whose handler is called with a request, or with what its types say.
    fn named_route(
        &self,
        name: String,
        value: Value,
        at: At,
        app: (String, String),
        within: Option<Vec<String>>,
    ) -> Found {
        let (word, path) = name.split_once(' ').unwrap_or(("", &name));
        let health = path.starts_with('/') && paths::is_health(path);
        let method = matches!(
            word,
            "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS"
        )
        .then(|| word.into());
        let path = path.to_string();
        let given = if self.modules[at.module.0 as usize]
            .module
            .failures_are_values
        {
            vec![Given::Extracted]
        } else {
            vec![Given::Request, Given::Context, Given::Context]
        };
        let handler = Handler {
            chain: vec![value],
            given,
            middleware_given: Vec::new(),
            answers: Vec::new(),
            fallbacks: Vec::new(),
            method,
            context_of: None,
            context_data: Vec::new(),
            context_bound: Vec::new(),
        };
        Found {
            name,
            path,
            app: app.0,
            app_root: app.1,
            at,
            handlers: vec![handler],
            role: health.then(|| "health".to_string()),
            within,
            max_duration: None,
            runtime: None,
            matchers: None,
            serves_others: false,
        }
    }
}
