//! Programs that fill their routers from the function that they begin with.

use std::collections::BTreeSet;

use crate::evaluate::interp::{Interp, STEPS};
use crate::evaluate::value::{At, FunctionRef, ModuleId, Value};
use crate::program::{FunctionId, Name, Type};

/// Type arguments inside one another that are looked into.
const LEVELS: usize = 3;

/// A function that makes a router, and what calling it did.
struct Maker {
    function: FunctionRef,
    /// The routers that were made, as a range of all.
    routers: (usize, usize),
    /// What was entered.
    entered: Vec<FunctionRef>,
}

impl Interp<'_> {
    /// Runs the functions that programs begin with, and then those of `modules` that give a
    /// router and that nothing has called.
    pub(super) fn run_programs(&mut self, modules: &[ModuleId]) {
        let sources = &self.project.sources;
        let paths: Vec<String> = sources
            .iter()
            .filter(|source| source.routes)
            .map(|source| source.path.clone())
            .filter(|path| self.project.world.module(path).begins.is_some())
            .collect();
        if paths.is_empty() {
            return;
        }
        for path in paths {
            let module = self.load(&path);
            let begins = self.modules[module.0 as usize].module.begins;
            if let Some(function) = begins {
                self.making_records(|interp| interp.call_alone(FunctionRef { module, function }));
            }
        }
        self.run_makers(modules);
    }

    /// Calls a function with nothing known.
    fn call_alone(&mut self, reference: FunctionRef) {
        self.steps = STEPS;
        let module = reference.module;
        let loaded = self.modules[module.0 as usize].module.clone();
        let function = loaded.function(reference.function);
        let at = At {
            module,
            span: function.span,
        };
        let args = self.routers_or_nothing(reference, at);
        let value = self.function_with_own_scope(reference);
        // Not for good as a module's own statements: what only one branch registers may be so.
        self.routing = super::chain::Routing::default();
        self.in_request(at, |interp| {
            interp.frame_mut().ends = false;
            let made = interp.call(&value, &Value::Undefined, args, at);
            interp.await_value(made, at);
        });
    }

    /// A function that another one of these calls gives a part of what that gives: its own
    /// routers stand nowhere.
    fn run_makers(&mut self, modules: &[ModuleId]) {
        let mut makers: Vec<Maker> = Vec::new();
        for function in self.makers(modules) {
            let before = std::mem::take(&mut self.entered);
            let first = self.routers.len();
            self.call_alone(function);
            let entered = std::mem::replace(&mut self.entered, before);
            self.entered.extend(entered.iter().copied());
            makers.push(Maker {
                function,
                routers: (first, self.routers.len()),
                entered: entered.into_iter().collect(),
            });
        }
        let called: BTreeSet<FunctionRef> = makers
            .iter()
            .flat_map(|maker| {
                let own = maker.function;
                maker
                    .entered
                    .iter()
                    .copied()
                    .filter(move |other| *other != own)
            })
            .collect();
        let mut kept = vec![true; self.routers.len()];
        for maker in makers
            .iter()
            .filter(|maker| called.contains(&maker.function))
        {
            kept[maker.routers.0..maker.routers.1].fill(false);
        }
        let mut kept = kept.into_iter();
        self.routers.retain(|_| kept.next().unwrap_or(true));
    }

    fn makers(&mut self, modules: &[ModuleId]) -> Vec<FunctionRef> {
        let mut found = Vec::new();
        for module in modules {
            let loaded = self.modules[module.0 as usize].module.clone();
            for (index, function) in loaded.functions.iter().enumerate() {
                let reference = FunctionRef {
                    module: *module,
                    function: FunctionId(u32::try_from(index).unwrap_or(u32::MAX)),
                };
                if self.entered.contains(&reference) {
                    continue;
                }
                let returns = function.returns.as_ref();
                let types = function.params.iter().filter_map(|param| param.ty.as_ref());
                if returns.is_some_and(|ty| self.gives_router(*module, ty, LEVELS))
                    || types
                        .into_iter()
                        .any(|ty| self.taken_router(*module, ty).is_some())
                {
                    found.push(reference);
                }
            }
        }
        found
    }

    /// The arguments of a function that nobody calls: a router where its written type says that
    /// somebody gives one, else nothing.
    fn routers_or_nothing(&mut self, reference: FunctionRef, at: At) -> Vec<Value> {
        let module = self.modules[reference.module.0 as usize].module.clone();
        let params = &module.function(reference.function).params;
        let types: Vec<Option<Type>> = params.iter().map(|param| param.ty.clone()).collect();
        types
            .into_iter()
            .map(|ty| {
                let given = ty.and_then(|ty| self.taken_router(reference.module, &ty));
                given.map_or(Value::Undefined, |(package, rule)| {
                    self.new_router(&package, &rule, &[], at)
                })
            })
            .collect()
    }

    /// The package and rule of a router that a parameter of a written type is given.
    fn taken_router(&mut self, module: ModuleId, ty: &Type) -> Option<(Name, Name)> {
        let Value::Imported(imported) = self.path_in(module, &ty.path)? else {
            return None;
        };
        let pack = self.pack(&imported)?;
        let written = imported.path.join(".");
        let rule = pack
            .routers
            .iter()
            .find(|rule| rule.given_as.contains(&written))?;
        Some((pack.package.as_str().into(), rule.name.as_str().into()))
    }

    fn gives_router(&mut self, module: ModuleId, ty: &Type, levels: usize) -> bool {
        if let Some(Value::Imported(imported)) = self.path_in(module, &ty.path) {
            let mut packs = self.project.library.in_ecosystems();
            let is_router = packs.any(|(_, _, pack)| {
                pack.package == imported.package.as_str()
                    && pack.routers.iter().any(|rule| {
                        !rule.part && imported.path.last().is_some_and(|name| *name == rule.name)
                    })
            });
            if is_router {
                return true;
            }
        }
        levels > 0
            && ty
                .args
                .iter()
                .any(|arg| self.gives_router(module, arg, levels - 1))
    }
}
