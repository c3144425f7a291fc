//! Which functions may race, as far as names tell: so that not every function of a project has to
//! be run to find the races.

use std::collections::BTreeSet;

use crate::evaluate::interp::Interp;
use crate::evaluate::value::{FunctionRef, ModuleId};
use crate::program::{FunctionId, Imported, Mentions, Name, StmtKind};
use crate::rules::Primitive;

/// A function, or something else of a module that has a name, with what it mentions.
struct Mentioning {
    function: Option<FunctionRef>,
    /// The names by which others mention it.
    known_as: Vec<Name>,
    mentions: Mentions,
    module: ModuleId,
}

impl Interp<'_> {
    /// The functions of the project's files that mention a race, or something that does.
    pub(super) fn racing(&mut self) -> BTreeSet<FunctionRef> {
        let mut open = self.mentioning();
        let mut names = self.race_names();
        let mut racing = BTreeSet::new();
        loop {
            let before = open.len();
            open.retain(|item| {
                let inside = |function: &FunctionId| {
                    racing.contains(&FunctionRef {
                        module: item.module,
                        function: *function,
                    })
                };
                let races = item.mentions.names.iter().any(|name| names.contains(name))
                    || item.mentions.functions.iter().any(inside);
                if races {
                    names.extend(item.known_as.iter().cloned());
                    racing.extend(item.function);
                }
                !races
            });
            if open.len() == before {
                return racing;
            }
        }
    }

    /// What rule packs call a race: the last part of its path.
    fn race_names(&self) -> BTreeSet<Name> {
        let packs = self.project.library.packs();
        let races = packs
            .flat_map(|(_, pack)| &pack.functions)
            .filter(|rule| rule.gives.does == Some(Primitive::Race));
        races
            .flat_map(|rule| &rule.path)
            .filter_map(|path| path.rsplit('.').next())
            .map(Name::from)
            .collect()
    }

    fn mentioning(&mut self) -> Vec<Mentioning> {
        let sources = self.project.sources.iter();
        let paths: Vec<String> = sources.map(|source| source.path.clone()).collect();
        let mut found = Vec::new();
        for path in paths {
            let module = self.load(&path);
            self.mentioning_in(module, &mut found);
        }
        found
    }

    fn mentioning_in(&self, module: ModuleId, found: &mut Vec<Mentioning>) {
        let loaded = &self.modules[module.0 as usize].module;
        for (index, function) in loaded.functions.iter().enumerate() {
            let id = FunctionId(u32::try_from(index).unwrap_or(u32::MAX));
            found.push(Mentioning {
                function: Some(FunctionRef {
                    module,
                    function: id,
                }),
                known_as: function.name.iter().cloned().collect(),
                mentions: Mentions::of_statements(&function.body),
                module,
            });
        }
        for import in &loaded.imports {
            // Another name for the same thing.
            if let (Some(local), Imported::Named(name)) = (&import.local, &import.what)
                && local != name
            {
                let mut mentions = Mentions::default();
                mentions.names.insert(name.clone());
                found.push(Mentioning {
                    function: None,
                    known_as: vec![local.clone()],
                    mentions,
                    module,
                });
            }
        }
        for statement in &loaded.body {
            if let StmtKind::Let {
                pattern,
                init: Some(init),
                ..
            } = &statement.kind
            {
                found.push(Mentioning {
                    function: None,
                    known_as: crate::evaluate::modules::names(pattern),
                    mentions: Mentions::of_expression(init),
                    module,
                });
            }
        }
    }
}
