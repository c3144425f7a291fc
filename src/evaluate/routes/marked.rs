//! Functions that say by what is written before them which routes they serve.

use std::collections::BTreeSet;

use super::entries::Entries;
use super::paths;
use super::registered::NESTED;
use super::router::{Entry, RouterData, RouterKind};
use crate::evaluate::interp::Interp;
use crate::evaluate::value::{At, CellId, FunctionRef, ModuleId, Value};
use crate::program::{Argument, ExprKind, FunctionId, Marker, Name, Span};
use crate::rules::{Mark, RouterRule};

/// A route that a function says it serves.
struct Said {
    verbs: Vec<Name>,
    path: Name,
    /// What stands around it, as written.
    around: Option<Name>,
}

impl<'p> Interp<'p> {
    /// Registers the routes of the marked functions among some values below a path.
    pub(super) fn mount_marked(
        &mut self,
        cell: CellId,
        data: &RouterData,
        below: &str,
        args: &[Value],
    ) {
        let Some(rule) = self.router_rule(data) else {
            return;
        };
        let mut values = Vec::new();
        for arg in args {
            self.flatten(arg, NESTED, &mut values);
        }
        let functions: Vec<Value> = values
            .iter()
            .flat_map(|value| value.alternatives().to_vec())
            .collect();
        for value in functions {
            let Value::Function(closure) = &value else {
                continue;
            };
            let function = closure.function;
            for said in self.said_by(&data.package.clone(), rule, function, false) {
                self.marked.insert(function);
                self.enter_said(cell, data, below, &said, &value, function);
            }
        }
    }

    fn enter_said(
        &mut self,
        cell: CellId,
        data: &RouterData,
        below: &str,
        said: &Said,
        handler: &Value,
        function: FunctionRef,
    ) {
        let path = paths::joined(&data.prefix, &paths::joined(below, &said.path));
        let around = said.around.iter().map(|name| {
            let package = Some(data.package.clone());
            Value::unknown(package, name.clone(), "named by a text, not followed")
        });
        let span = self.modules[function.module.0 as usize]
            .module
            .function(function.function)
            .span;
        let entry = Entry::Route {
            verbs: said.verbs.clone(),
            path: Some(path.into()),
            handlers: around.chain([handler.clone()]).collect(),
            at: At {
                module: function.module,
                span,
            },
        };
        self.enter(cell, data, entry);
    }

    /// What the markers of a function say; `resolved`: only markers that are known to be the
    /// package's own, or that nothing here declares where the project has the package.
    fn said_by(
        &mut self,
        package: &str,
        rule: &RouterRule,
        function: FunctionRef,
        resolved: bool,
    ) -> Vec<Said> {
        let module = self.modules[function.module.0 as usize].module.clone();
        let span = module.function(function.function).span;
        let own = module.declarations.markers.iter();
        let own: Vec<&Marker> = own
            .filter(|(of, _)| *of == span)
            .map(|(_, marker)| marker)
            .collect();
        let mut said = Vec::new();
        for marker in own {
            let Some(mark) = rule
                .marks
                .iter()
                .find(|mark| marker.path.last().is_some_and(|last| *last == mark.marker))
            else {
                continue;
            };
            if self.is_of_package(function.module, marker, package, resolved) {
                said.extend(said_of(mark, marker));
            }
        }
        said
    }

    /// Whether a marker may be one of a package: one that another package gives is not.
    fn is_of_package(
        &mut self,
        module: ModuleId,
        marker: &Marker,
        package: &str,
        resolved: bool,
    ) -> bool {
        match self.path_in(module, &marker.path) {
            Some(Value::Imported(imported)) if imported.package != "global" => {
                let known = self.pack(&imported);
                known.is_some_and(|pack| pack.package == package)
            }
            _ if resolved => {
                let path = self.modules[module.0 as usize].module.path.clone();
                !self.project.world.versions(&path, package).is_empty()
            }
            _ => true,
        }
    }

    /// Routers for the marked functions that nothing has registered, each at its own path: who
    /// registers them could not be followed.
    pub(super) fn marked_alone(&mut self) {
        let packs = self.project.library.in_ecosystems();
        let rules: Vec<(&'p str, &'p RouterRule)> = packs
            .flat_map(|(_, _, pack)| {
                let alone = pack.routers.iter().filter(|rule| rule.marked_alone);
                alone.map(|rule| (pack.package.as_str(), rule))
            })
            .collect();
        let serving: BTreeSet<&str> = self
            .project
            .sources
            .iter()
            .filter(|source| source.routes)
            .map(|source| source.path.as_str())
            .collect();
        for index in 0..self.modules.len() {
            let loaded = self.modules[index].module.clone();
            if loaded.declarations.markers.is_empty() || !serving.contains(loaded.path.as_str()) {
                continue;
            }
            let module = ModuleId(u32::try_from(index).unwrap_or(u32::MAX));
            for function in marked_functions(&loaded) {
                let reference = FunctionRef { module, function };
                if self.marked.contains(&reference) {
                    continue;
                }
                for (package, rule) in &rules {
                    let said = self.said_by(package, rule, reference, true);
                    if !said.is_empty() {
                        self.serve_alone(package, rule, reference, &said);
                    }
                }
            }
        }
    }

    fn serve_alone(
        &mut self,
        package: &str,
        rule: &RouterRule,
        function: FunctionRef,
        said: &[Said],
    ) {
        let at = At {
            module: function.module,
            span: Span::default(),
        };
        let data = RouterData {
            package: package.into(),
            rule: rule.name.as_str().into(),
            kind: RouterKind::Router,
            at,
            prefix: Name::default(),
            verbs: Vec::new(),
            target: None,
            entries: Entries::default(),
        };
        let cell = self.keep_router(data.clone());
        let handler = self.function_with_own_scope(function);
        for one in said {
            self.enter_said(cell, &data, "", one, &handler, function);
        }
    }
}

/// The functions of a module that have markers, in order of place.
fn marked_functions(module: &crate::program::Module) -> Vec<FunctionId> {
    let marked: BTreeSet<Span> = module
        .declarations
        .markers
        .iter()
        .map(|(span, _)| *span)
        .collect();
    let functions = module.functions.iter().enumerate();
    functions
        .filter(|(_, function)| marked.contains(&function.span))
        .map(|(index, _)| FunctionId(u32::try_from(index).unwrap_or(u32::MAX)))
        .collect()
}

/// What a marker says of a route; `None`: it has no path.
fn said_of(mark: &Mark, marker: &Marker) -> Option<Said> {
    let named = |name: &str| {
        let args = marker.args.iter();
        let name = name.to_string();
        args.filter(move |arg| arg.name.as_ref().is_some_and(|own| *own == name))
    };
    let text = |arg: &Argument| match &arg.value.kind {
        ExprKind::Text(text) => Some(text.clone()),
        _ => None,
    };
    let by_name = mark.path_option.as_deref();
    let path = by_name
        .and_then(|name| named(name).find_map(text))
        .or_else(|| {
            let unnamed = marker.args.iter().filter(|arg| arg.name.is_none());
            unnamed.into_iter().find_map(text)
        })?;
    let path = match path.split_once('?') {
        Some((path, _)) if mark.query => path.into(),
        _ => path,
    };
    let verbs = match (&mark.verb, &mark.verb_option) {
        (Some(verb), _) => vec![verb.as_str().into()],
        (None, option) => {
            let given = option.iter().flat_map(|name| named(name)).filter_map(text);
            let mut verbs: Vec<Name> = given.collect();
            let words = marker.args.iter().filter(|arg| arg.name.is_none());
            verbs.extend(words.filter_map(|arg| match &arg.value.kind {
                ExprKind::Name(name) => Some(name.clone()),
                ExprKind::Member { name, .. } => Some(name.clone()),
                _ => None,
            }));
            verbs
                .iter()
                .map(|verb| verb.to_uppercase().into())
                .collect()
        }
    };
    let around = mark.around.iter().flat_map(|name| named(name));
    Some(Said {
        verbs,
        path,
        around: around.into_iter().find_map(text),
    })
}
