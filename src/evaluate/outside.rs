//! Names that no scope declares: those that an import of everything gives, and other modules
//! that are seen from everywhere. And what lies behind a path of names.

use std::rc::Rc;

use super::facts::UnmodelledInfo;
use super::interp::Interp;
use super::modules::Searched;
use super::project::Target;
use super::scope::Scope;
use super::store::Content;
use super::value::{At, FunctionRef, ModuleId, Value};
use crate::program::{Function, Import, Imported, Name, Span, StmtKind};

/// Bytes of stack left at which a long chain of imports takes a new piece, and its size.
const STACK_LEFT: usize = 128 * 1024;
const STACK_PIECE: usize = 1024 * 1024;

impl Interp<'_> {
    /// What a name means that no scope declares, `None` where nothing says so.
    pub(super) fn undeclared(&mut self, name: &Name) -> Option<Value> {
        let module = self.frame().scope.module;
        let loaded = self.modules[module.0 as usize].module.clone();
        let mut searched = Searched::default();
        for import in &loaded.imports {
            if let Imported::All { path, .. } = &import.what
                && let Some(value) = self.of_all(module, &import.source, path, name, &mut searched)
            {
                return Some(value);
            }
        }
        let outer = loaded
            .outer
            .iter()
            .find(|import| import.local.as_ref() == Some(name))?;
        match self.project.world.resolve(&loaded.path, &outer.source) {
            Target::Missing => None,
            _ => Some(self.imported(module, &outer.source, &outer.what)),
        }
    }

    /// What a name means among all those of a module that a path leads to.
    pub(super) fn of_all(
        &mut self,
        module: ModuleId,
        source: &Name,
        path: &[Name],
        name: &Name,
        searched: &mut Searched,
    ) -> Option<Value> {
        let target = self.module_at(module, source, path)?;
        stacker::maybe_grow(STACK_LEFT, STACK_PIECE, || {
            self.export_within(target, name, searched)
        })
    }

    /// The module that a path from another one leads to.
    pub(super) fn module_at(
        &mut self,
        module: ModuleId,
        source: &Name,
        path: &[Name],
    ) -> Option<ModuleId> {
        let from = self.modules[module.0 as usize].module.path.clone();
        let Target::File(file) = self.project.world.resolve(&from, source) else {
            return None;
        };
        let target = self.load(&file);
        match self.inside_of(target, path) {
            Value::Namespace(found) => Some(found),
            _ => None,
        }
    }

    /// What lies behind a path of names that begins in a module.
    pub(super) fn inside_of(&mut self, module: ModuleId, path: &[Name]) -> Value {
        stacker::maybe_grow(STACK_LEFT, STACK_PIECE, || {
            let mut value = Value::Namespace(module);
            for name in path {
                value = match value {
                    Value::Namespace(module) => self.export(module, name),
                    other => {
                        let span = Span::default();
                        self.member_at(&other, name, At { module, span })
                    }
                };
            }
            value
        })
    }

    /// A call of a function whose futures do nothing before they are awaited. Its program is
    /// read, and not run: counting its futures from the call on would be too little.
    pub(super) fn not_run(&mut self, reference: FunctionRef, function: &Function, at: At) -> Value {
        // All that is awaited in it counts as that one place.
        self.entered.insert(reference);
        for span in &function.awaits {
            self.reached.insert((reference.module, *span));
        }
        let callee = function.name.clone().unwrap_or_default();
        let reason = "futures that start when they are awaited are not followed";
        let info = UnmodelledInfo {
            package: None,
            callee: callee.to_string(),
            reason: reason.to_string(),
            awaits: u32::try_from(function.awaits.len())
                .unwrap_or(u32::MAX)
                .max(1),
        };
        self.unmodelled(info, at);
        Value::unknown(None, callee, reason)
    }

    /// Declares what an import or a type among the statements of a block gives.
    pub(super) fn hoist_item(&mut self, kind: &StmtKind, scope: &Rc<Scope>) {
        let (name, value) = match kind {
            StmtKind::Import(Import {
                local: Some(local),
                source,
                what,
                ..
            }) => (local, self.imported(scope.module, source, what)),
            StmtKind::Type { name, .. } => {
                let reason = "a type is not followed to what implements it";
                (name, Value::unknown(None, name.clone(), reason))
            }
            _ => return,
        };
        let cell = self.store.add(Content::Value(value));
        scope.declare(name.clone(), cell);
    }
}
