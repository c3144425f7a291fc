//! Evaluating the modules on which routers are filled.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::router::{RouterData, RouterKind};
use crate::evaluate::interp::{Interp, STEPS};
use crate::evaluate::project::Target;
use crate::evaluate::scope::Scope;
use crate::evaluate::value::{At, FunctionRef, ModuleId, Value};
use crate::program::{FunctionId, Name, StmtKind, bound_names};

impl<'p> Interp<'p> {
    /// Runs the statements and forces the variables of every file that may give routes and that
    /// imports a package with routers, or such a file.
    pub(super) fn touch_routers(&mut self) {
        let files = self.router_files();
        let mut modules = Vec::new();
        for path in &files {
            let module = self.load(path);
            modules.push(module);
            self.steps = STEPS;
            self.touch(module);
            self.force_all(module);
        }
        for module in &modules {
            self.steps = STEPS;
            self.run_registrations(*module);
        }
        if !modules.is_empty() {
            self.run_programs(&modules);
            self.marked_alone();
        }
    }

    fn router_files(&self) -> Vec<String> {
        let project = self.project;
        let packages: BTreeSet<&str> = project
            .library
            .in_ecosystems()
            .filter(|(_, _, pack)| !pack.routers.is_empty())
            .flat_map(|(_, _, pack)| {
                std::iter::once(pack.package.as_str())
                    .chain(pack.aliases.iter().map(String::as_str))
            })
            .collect();
        let mut importers: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut open = Vec::new();
        for source in &project.sources {
            let module = project.world.module(&source.path);
            let re_exports = module
                .exports
                .iter()
                .filter_map(|export| match &export.kind {
                    crate::program::ExportKind::From { source, .. }
                    | crate::program::ExportKind::All { source } => Some(source),
                    _ => None,
                });
            let sources: BTreeSet<&Name> = module
                .imports
                .iter()
                .map(|import| &import.source)
                .chain(re_exports)
                .collect();
            let takes_router = module.functions.iter().any(|function| {
                let written = function.params.first().and_then(|param| param.ty.as_ref());
                written
                    .and_then(|written| written.path.last())
                    .is_some_and(|name| self.rule_of_type(name).is_some())
            });
            if takes_router {
                open.push(source.path.clone());
            }
            for imported in sources {
                match project.world.resolve(&source.path, imported) {
                    Target::Package { name, .. } if packages.contains(name.as_str()) => {
                        open.push(source.path.clone())
                    }
                    Target::File(path) => {
                        importers.entry(path).or_default().push(source.path.clone())
                    }
                    _ => {}
                }
            }
        }
        let mut files: BTreeSet<String> = BTreeSet::new();
        while let Some(path) = open.pop() {
            if files.insert(path.clone()) {
                open.extend(importers.get(&path).into_iter().flatten().cloned());
            }
        }
        let serving = |path: &String| {
            project
                .sources
                .iter()
                .any(|source| source.routes && source.path == *path)
        };
        files.into_iter().filter(serving).collect()
    }

    fn force_all(&mut self, module: ModuleId) {
        let entry = &self.modules[module.0 as usize];
        let (loaded, scope) = (entry.module.clone(), entry.scope.clone());
        for statement in &loaded.body {
            if let StmtKind::Let { pattern, .. } = &statement.kind {
                for name in bound_names(pattern) {
                    if let Some(cell) = scope.own(name) {
                        self.read(cell);
                    }
                }
            }
        }
    }

    /// Calls the functions that register on a router they are given and that nobody in the
    /// project has called: a framework loads their files by itself.
    fn run_registrations(&mut self, module: ModuleId) {
        let loaded = self.modules[module.0 as usize].module.clone();
        for (index, function) in loaded.functions.iter().enumerate() {
            let id = FunctionId(u32::try_from(index).unwrap_or(u32::MAX));
            let reference = FunctionRef {
                module,
                function: id,
            };
            let Some(written) = function.params.first().and_then(|param| param.ty.as_ref()) else {
                continue;
            };
            let Some(last) = written.path.last() else {
                continue;
            };
            let Some((package, rule)) = self.rule_of_type(last) else {
                continue;
            };
            if self.entered.contains(&reference) || self.scope_of(reference).is_none() {
                continue;
            }
            let at = At {
                module,
                span: function.span,
            };
            let data = RouterData {
                package,
                rule,
                kind: RouterKind::Router,
                at,
                prefix: Name::default(),
                verbs: Vec::new(),
                target: None,
                entries: super::entries::Entries::default(),
            };
            let router = self.keep_router(data);
            let value = self.value_of_function(reference);
            self.in_module(module, |interp| {
                let args = vec![Value::Router(router), Value::Opaque, Value::Opaque];
                let made = interp.call(&value, &Value::Undefined, args, at);
                interp.await_value(made, at);
            });
        }
    }

    fn rule_of_type(&self, name: &str) -> Option<(Name, Name)> {
        let mut packs = self.project.library.in_ecosystems();
        packs.find_map(|(_, _, pack)| {
            let rule = pack
                .routers
                .iter()
                .find(|rule| rule.name == name && rule.procedures.is_none())?;
            Some((pack.package.as_str().into(), rule.name.as_str().into()))
        })
    }

    /// The scope of a function that stands in no other function.
    fn scope_of(&self, reference: FunctionRef) -> Option<Rc<Scope>> {
        let entry = &self.modules[reference.module.0 as usize];
        let own = entry.module.function(reference.function).span;
        let nested = entry
            .module
            .functions
            .iter()
            .any(|other| other.span != own && other.span.contains(own));
        (!nested).then(|| entry.scope.clone())
    }

    /// A function of a file as a value: that of the variable that holds it, else with what the
    /// file itself declares.
    pub(super) fn value_of_function(&mut self, reference: FunctionRef) -> Value {
        let entry = &self.modules[reference.module.0 as usize];
        let (loaded, scope) = (entry.module.clone(), entry.scope.clone());
        let name = loaded.function(reference.function).name.clone();
        let held = name
            .and_then(|name| scope.own(&name))
            .map(|cell| self.read(cell));
        match held {
            Some(Value::Function(closure)) if closure.function == reference => {
                Value::Function(closure)
            }
            _ => self.closure(reference, &scope, None),
        }
    }
}
