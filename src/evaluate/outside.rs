//! Names that no scope declares: those that an import of everything gives, and other modules
//! that are seen from everywhere. And what lies behind a path of names.

use std::rc::Rc;

use super::interp::Interp;
use super::modules::Searched;
use super::project::Target;
use super::scope::Scope;
use super::store::Content;
use super::value::{At, ModuleId, TypeRef, Value};
use crate::program::{Import, Imported, Name, Span, StmtKind};

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

    /// Declares what an import or a type among the statements of a block gives.
    pub(super) fn hoist_item(&mut self, kind: &StmtKind, scope: &Rc<Scope>) {
        let (name, value) = match kind {
            StmtKind::Import(import) => {
                let Import { source, what, .. } = &**import;
                let Some(local) = &import.local else {
                    return;
                };
                (local, self.imported(scope.module, source, what))
            }
            StmtKind::Type { name, item } => {
                let (module, item) = (scope.module, *item);
                (name, Value::Type(TypeRef { module, item }))
            }
            _ => return,
        };
        let cell = self.store.add(Content::Value(value));
        scope.declare(name.clone(), cell);
    }
}
