//! Which functions may race, as far as names tell: so that not every function of a project has to
//! be run to find the races.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::evaluate::interp::Interp;
use crate::evaluate::value::{FunctionRef, ModuleId};
use crate::program::{
    FunctionId, Imported, Mention, Module, Name, StmtKind, bound_names, each_mention,
    each_mention_in,
};
use crate::rules::Primitive;

/// A function, or something else of a module that has a name.
struct Item<'m> {
    function: Option<FunctionRef>,
    /// The names by which others mention it.
    known_as: Vec<&'m Name>,
}

/// What mentions what.
#[derive(Default)]
struct Mentioned<'m> {
    items: Vec<Item<'m>>,
    /// The items that mention a name.
    names: FxHashMap<&'m Name, Vec<u32>>,
    /// The items that a function is written in.
    functions: FxHashMap<FunctionRef, Vec<u32>>,
}

impl Interp<'_> {
    /// The functions of the project's files that mention a race, or something that does.
    pub(super) fn racing(&mut self) -> BTreeSet<FunctionRef> {
        let sources = self.project.sources.iter();
        let paths: Vec<String> = sources.map(|source| source.path.clone()).collect();
        let ids: Vec<ModuleId> = paths.iter().map(|path| self.load(path)).collect();
        let modules: Vec<(ModuleId, Arc<Module>)> = ids
            .into_iter()
            .map(|id| (id, self.modules[id.0 as usize].module.clone()))
            .collect();
        let mut mentioned = Mentioned::default();
        for (id, module) in &modules {
            mentioned.add_module(*id, module);
        }
        mentioned.reached_from(self.race_names())
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
}

impl<'m> Mentioned<'m> {
    fn add_module(&mut self, module: ModuleId, loaded: &'m Module) {
        for (index, function) in loaded.functions.iter().enumerate() {
            let reference = FunctionRef {
                module,
                function: FunctionId(u32::try_from(index).unwrap_or(u32::MAX)),
            };
            let known_as = function.name.iter().collect();
            let item = self.item(Some(reference), known_as);
            each_mention(&function.body, &mut |it| self.mention(item, module, it));
        }
        for import in &loaded.imports {
            // Another name for the same thing.
            if let (Some(local), Imported::Named(name)) = (&import.local, &import.what)
                && local != name
            {
                let item = self.item(None, vec![local]);
                self.mention(item, module, Mention::Name(name));
            }
        }
        for statement in &loaded.body {
            if let StmtKind::Let {
                pattern,
                init: Some(init),
                ..
            } = &statement.kind
            {
                let item = self.item(None, bound_names(pattern));
                each_mention_in(init, &mut |it| self.mention(item, module, it));
            }
        }
    }

    fn item(&mut self, function: Option<FunctionRef>, known_as: Vec<&'m Name>) -> u32 {
        self.items.push(Item { function, known_as });
        u32::try_from(self.items.len() - 1).unwrap_or(u32::MAX)
    }

    fn mention(&mut self, item: u32, module: ModuleId, mention: Mention<'m>) {
        let places = match mention {
            Mention::Name(name) => self.names.entry(name).or_default(),
            Mention::Function(function) => {
                let reference = FunctionRef { module, function };
                self.functions.entry(reference).or_default()
            }
            Mention::Index(_) => return,
        };
        if places.last() != Some(&item) {
            places.push(item);
        }
    }

    /// The functions that mention one of the names, or something that does.
    fn reached_from(&self, names: BTreeSet<Name>) -> BTreeSet<FunctionRef> {
        let mut open: Vec<u32> = names
            .iter()
            .filter_map(|name| self.names.get(name))
            .flatten()
            .copied()
            .collect();
        let mut seen = FxHashSet::default();
        let mut found = BTreeSet::new();
        while let Some(index) = open.pop() {
            if !seen.insert(index) {
                continue;
            }
            let item = &self.items[index as usize];
            for name in &item.known_as {
                open.extend(self.names.get(name).into_iter().flatten());
            }
            if let Some(function) = item.function {
                found.insert(function);
                open.extend(self.functions.get(&function).into_iter().flatten());
            }
        }
        found
    }
}
