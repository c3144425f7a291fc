//! Where something that is exported is written.

use crate::evaluate::interp::Interp;
use crate::evaluate::project::Target;
use crate::evaluate::value::{At, ModuleId};
use crate::program::{ExportKind, Imported, Module, Name, Span, StmtKind, bound_names};

/// Modules that a name is followed through.
const FOLLOWED: usize = 32;

impl Interp<'_> {
    /// The statement (or function) that declares what a module exports under a name; of a name
    /// that another module declares, there.
    pub(super) fn declared_at(&mut self, module: ModuleId, name: &str) -> Option<At> {
        self.declared_within(module, name, FOLLOWED)
    }

    fn declared_within(&mut self, module: ModuleId, name: &str, limit: usize) -> Option<At> {
        let limit = limit.checked_sub(1)?;
        let loaded = self.modules[module.0 as usize].module.clone();
        for export in &loaded.exports {
            let at = At {
                module,
                span: export.span,
            };
            match &export.kind {
                ExportKind::Local { exported, local } if exported == name => {
                    return Some(self.local_at(module, &loaded, local, limit).unwrap_or(at));
                }
                ExportKind::From {
                    exported,
                    source,
                    what,
                } if exported == name => {
                    return Some(self.elsewhere(module, source, what, limit).unwrap_or(at));
                }
                ExportKind::All { source } if name != "default" => {
                    let what = Imported::Named(name.into());
                    if let Some(found) = self.elsewhere(module, source, &what, limit) {
                        return Some(found);
                    }
                }
                ExportKind::Module => return Some(at),
                _ => {}
            }
        }
        None
    }

    fn elsewhere(
        &mut self,
        module: ModuleId,
        source: &Name,
        what: &Imported,
        limit: usize,
    ) -> Option<At> {
        let Imported::Named(name) = what else {
            return None;
        };
        let from = self.modules[module.0 as usize].module.path.clone();
        let Target::File(path) = self.project.world.resolve(&from, source) else {
            return None;
        };
        let target = self.load(&path);
        self.declared_within(target, name, limit)
    }

    fn local_at(
        &mut self,
        module: ModuleId,
        loaded: &Module,
        local: &Name,
        limit: usize,
    ) -> Option<At> {
        if let Some(import) = loaded
            .imports
            .iter()
            .find(|import| import.local.as_ref() == Some(local))
        {
            let found = self.elsewhere(module, &import.source, &import.what, limit);
            return Some(found.unwrap_or(At {
                module,
                span: import.span,
            }));
        }
        declared_in(loaded, local).map(|span| At { module, span })
    }
}

/// The statement of a file that declares a variable; the function, where it declares one.
pub(super) fn declared_in(loaded: &Module, name: &Name) -> Option<Span> {
    loaded
        .body
        .iter()
        .find_map(|statement| match &statement.kind {
            StmtKind::Let { pattern, .. } if bound_names(pattern).contains(&name) => {
                Some(statement.span)
            }
            StmtKind::Function {
                name: own,
                function,
            } if own == name => Some(loaded.function(*function).span),
            StmtKind::Class { name: own, class } if own == name => Some(class.span),
            _ => None,
        })
}
