//! Modules: loaded on first use, each variable of the module itself forced on demand.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use super::interp::{Frame, Interp};
use super::project::Target;
use super::scope::Scope;
use super::store::Content;
use super::value::{At, CellId, FunctionRef, Imported as ImportedValue, ModuleId, Value};
use crate::program::{
    Annotation, ExportKind, Imported, MODULE_EXPORT, Module, Name, Span, Stmt, StmtKind,
    bound_names,
};

/// Re-exports that a name is followed through, one behind the other.
const REEXPORTS: usize = 256;

/// Bytes of stack left at which a long chain of re-exports takes a new piece, and its size.
const STACK_LEFT: usize = 64 * 1024;
const STACK_PIECE: usize = 1024 * 1024;

/// The modules that a search for a name has looked into, by the name that was looked for there:
/// what one of them does not export, it does not export on a second way to it either.
#[derive(Default)]
pub(super) struct Searched {
    modules: HashSet<(ModuleId, Name)>,
    depth: usize,
}

/// A loaded module.
pub struct ModuleEntry {
    /// What its file says.
    pub module: Arc<Module>,
    /// Its variables.
    pub scope: Rc<Scope>,
    /// Its annotations by what they stand on.
    pub annotations: HashMap<Span, Vec<Annotation>>,
    /// Whether its own statements have been run.
    pub touched: bool,
}

/// A variable that was not forced yet.
#[derive(Clone, Debug)]
pub enum Lazy {
    /// Imported: the index of the import.
    Import(ModuleId, usize),
    /// Declared by this statement of the module.
    Declared(ModuleId, usize),
}

impl Interp<'_> {
    /// The module of a file.
    pub fn load(&mut self, path: &str) -> ModuleId {
        if let Some(id) = self.by_path.get(path) {
            return *id;
        }
        let module = self.project.world.module(path);
        let id = self.enter_module(module);
        self.by_path.insert(path.to_string(), id);
        id
    }

    /// A module of its own, and those inside of it.
    fn enter_module(&mut self, module: Arc<Module>) -> ModuleId {
        let id = ModuleId(u32::try_from(self.modules.len()).unwrap_or(u32::MAX));
        let scope = Scope::module(id);
        let mut annotations: HashMap<Span, Vec<Annotation>> = HashMap::new();
        for attached in &module.annotations {
            annotations
                .entry(attached.target)
                .or_default()
                .push(attached.annotation.clone());
        }
        self.modules.push(ModuleEntry {
            module: module.clone(),
            scope: scope.clone(),
            annotations,
            touched: false,
        });
        stacker::maybe_grow(STACK_LEFT, STACK_PIECE, || {
            self.declare_module(id, &module, &scope);
        });
        id
    }

    fn declare_module(&mut self, id: ModuleId, module: &Arc<Module>, scope: &Rc<Scope>) {
        for (index, import) in module.imports.iter().enumerate() {
            if let Some(local) = &import.local {
                self.declare_lazy(scope, local.clone(), Lazy::Import(id, index));
            }
        }
        for (index, statement) in module.body.iter().enumerate() {
            self.declare_statement(id, index, statement, scope);
        }
        for (name, inner) in &module.inner {
            let id = self.enter_module(inner.clone());
            let cell = self.store.add(Content::Value(Value::Namespace(id)));
            scope.declare(name.clone(), cell);
        }
    }

    fn declare_statement(
        &mut self,
        id: ModuleId,
        index: usize,
        statement: &Stmt,
        scope: &Rc<Scope>,
    ) {
        match &statement.kind {
            StmtKind::Let { pattern, .. } => {
                for name in bound_names(pattern) {
                    self.declare_lazy(scope, name.clone(), Lazy::Declared(id, index));
                }
            }
            StmtKind::Class { name, .. } => {
                self.declare_lazy(scope, name.clone(), Lazy::Declared(id, index))
            }
            StmtKind::Function { name, function } => {
                let function = FunctionRef {
                    module: id,
                    function: *function,
                };
                let value = self.closure(function, scope, None);
                let cell = self.store.add(Content::Value(value));
                scope.declare(name.clone(), cell);
            }
            kind => self.hoist_item(kind, scope),
        }
    }

    fn declare_lazy(&mut self, scope: &Rc<Scope>, name: Name, lazy: Lazy) {
        let cell = self.store.add(Content::Lazy);
        self.lazy.insert(cell, lazy);
        scope.declare(name, cell);
    }

    /// What a variable holds; one of a module is forced.
    pub fn read(&mut self, cell: CellId) -> Value {
        if let Some(lazy) = self.lazy.remove(&cell) {
            let unknown = Value::unknown(None, "", "its own initial value");
            self.store.set_for_good(cell, Content::Value(unknown));
            self.force(cell, lazy);
        }
        match self.store.get(cell) {
            Content::Value(value) => value.clone(),
            _ => Value::Undefined,
        }
    }

    /// What a variable holds, without forcing it.
    pub fn peek(&self, cell: CellId) -> Value {
        match self.store.get(cell) {
            Content::Value(value) => value.clone(),
            _ => Value::Undefined,
        }
    }

    fn force(&mut self, cell: CellId, lazy: Lazy) {
        match lazy {
            Lazy::Import(module, index) => {
                let loaded = self.modules[module.0 as usize].module.clone();
                let import = &loaded.imports[index];
                let value = self.imported(module, &import.source, &import.what);
                self.store.set_for_good(cell, Content::Value(value));
            }
            Lazy::Declared(module, index) => {
                self.touch(module);
                let loaded = self.modules[module.0 as usize].module.clone();
                self.in_module(module, |interp| {
                    interp.declare_now(module, &loaded.body[index])
                });
            }
        }
    }

    /// Runs a declaration of a module: its variables get their values for good.
    fn declare_now(&mut self, module: ModuleId, statement: &Stmt) {
        let scope = self.modules[module.0 as usize].scope.clone();
        match &statement.kind {
            StmtKind::Let { pattern, init, .. } => {
                for name in bound_names(pattern) {
                    if let Some(cell) = scope.own(name)
                        && self.lazy.remove(&cell).is_some()
                    {
                        let unknown = Value::unknown(None, name.clone(), "its own initial value");
                        self.store.set_for_good(cell, Content::Value(unknown));
                    }
                }
                let value = match init {
                    Some(init) => self.eval(init),
                    None => Value::Undefined,
                };
                self.bind(pattern, value, &scope);
            }
            StmtKind::Class { name, class } => {
                let value = self.class(class);
                if let Some(cell) = scope.own(name) {
                    self.store.set_for_good(cell, Content::Value(value));
                }
            }
            _ => {}
        }
    }

    /// Runs the statements of a module that declare nothing, once.
    pub fn touch(&mut self, module: ModuleId) {
        let entry = &mut self.modules[module.0 as usize];
        if std::mem::replace(&mut entry.touched, true) {
            return;
        }
        let loaded = entry.module.clone();
        self.in_module(module, |interp| {
            for statement in &loaded.body {
                let declares = matches!(
                    statement.kind,
                    StmtKind::Let { .. } | StmtKind::Class { .. } | StmtKind::Function { .. }
                );
                if !declares {
                    interp.exec(statement);
                    interp.revive();
                }
            }
        });
    }

    /// A module goes on after a statement that would have thrown.
    fn revive(&mut self) {
        self.block().dead = false;
    }

    /// Evaluates in the frame of a module: what waits there belongs to no route, and what is
    /// written there is not undone with the branch that happened to force it.
    pub fn in_module<T>(&mut self, module: ModuleId, run: impl FnOnce(&mut Self) -> T) -> T {
        let scope = self.modules[module.0 as usize].scope.clone();
        self.apart(module, scope, run)
    }

    /// Evaluates with a frame and block of its own, for good.
    pub fn apart<T>(
        &mut self,
        module: ModuleId,
        scope: Rc<Scope>,
        run: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let fresh = std::mem::take(&mut self.fresh);
        self.store.permanently(true);
        self.open();
        self.frames.push(Frame {
            began: self.steps,
            function: None,
            module,
            captured: scope.clone(),
            scope,
            this: Value::Undefined,
            home: None,
            args: Vec::new(),
            recursive: false,
            guarded: 0,
            control: None,
            ends: false,
            is_async: true,
            began_with: (self.blocks.len(), self.signals.len()),
            runs_on: None,
            yields: None,
            renders: false,
        });
        let result = run(self);
        self.flush();
        self.frames.pop();
        self.blocks.pop();
        self.store.permanently(false);
        self.fresh = fresh;
        result
    }

    /// The value of an import.
    pub fn imported(&mut self, module: ModuleId, source: &Name, what: &Imported) -> Value {
        let from = self.modules[module.0 as usize].module.path.clone();
        match self.project.world.resolve(&from, source) {
            Target::File(path) => {
                let target = self.load(&path);
                self.touch(target);
                match what {
                    Imported::Named(name) => self.export(target, name),
                    Imported::Namespace => Value::Namespace(target),
                    Imported::Path(path) => self.inside_of(target, path),
                    Imported::All { .. } | Imported::Effect => Value::Undefined,
                }
            }
            Target::Package { name, module } => {
                let path = match what {
                    Imported::Named(name) => vec![name.clone()],
                    Imported::Path(path) | Imported::All { path, .. } => path.clone(),
                    Imported::Namespace | Imported::Effect => Vec::new(),
                };
                self.imported_value(ImportedValue {
                    package: name.into(),
                    module: module.into(),
                    path,
                })
            }
            Target::Missing => Value::unknown(None, source.clone(), "module not found"),
        }
    }

    /// What a module exports under a name.
    pub fn export(&mut self, module: ModuleId, name: &Name) -> Value {
        self.export_if_any(module, name)
            .unwrap_or_else(|| Value::unknown(None, name.clone(), "not exported"))
    }

    /// What a module exports under a name, `None` where it does not.
    pub fn export_if_any(&mut self, module: ModuleId, name: &Name) -> Option<Value> {
        self.export_within(module, name, &mut Searched::default())
    }

    pub(super) fn export_within(
        &mut self,
        module: ModuleId,
        name: &Name,
        searched: &mut Searched,
    ) -> Option<Value> {
        if searched.depth >= REEXPORTS || !searched.modules.insert((module, name.clone())) {
            return None;
        }
        searched.depth += 1;
        let found = self.export_from_here(module, name, searched);
        searched.depth -= 1;
        found
    }

    fn export_from_here(
        &mut self,
        module: ModuleId,
        name: &Name,
        searched: &mut Searched,
    ) -> Option<Value> {
        let loaded = self.modules[module.0 as usize].module.clone();
        for export in &loaded.exports {
            match &export.kind {
                ExportKind::Local { exported, local } | ExportKind::Inner { exported, local }
                    if exported == name =>
                {
                    let scope = self.modules[module.0 as usize].scope.clone();
                    return Some(match scope.own(local) {
                        Some(cell) => self.read(cell),
                        None => Value::unknown(None, local.clone(), "not declared"),
                    });
                }
                ExportKind::From {
                    exported,
                    source,
                    what,
                } if exported == name => {
                    return self.export_from(module, source, what, searched);
                }
                _ => {}
            }
        }
        self.export_of_all(module, &loaded, name, searched)
    }

    fn export_of_all(
        &mut self,
        module: ModuleId,
        loaded: &Module,
        name: &Name,
        searched: &mut Searched,
    ) -> Option<Value> {
        for export in &loaded.exports {
            match &export.kind {
                ExportKind::All { source } if name != "default" => {
                    let what = Imported::Named(name.clone());
                    if let Some(value) = self.export_from(module, source, &what, searched) {
                        return Some(value);
                    }
                }
                ExportKind::AllOf { source, path } => {
                    let found = self.of_all(module, source, path, name, searched);
                    if found.is_some() {
                        return found;
                    }
                }
                ExportKind::Module => {
                    let scope = self.modules[module.0 as usize].scope.clone();
                    let cell = scope.own(MODULE_EXPORT)?;
                    let value = self.read(cell);
                    return Some(if name == "default" {
                        value
                    } else {
                        let at = At {
                            module,
                            span: export.span,
                        };
                        self.member_at(&value, name, at)
                    });
                }
                _ => {}
            }
        }
        None
    }

    fn export_from(
        &mut self,
        module: ModuleId,
        source: &Name,
        what: &Imported,
        searched: &mut Searched,
    ) -> Option<Value> {
        let from = self.modules[module.0 as usize].module.path.clone();
        match (self.project.world.resolve(&from, source), what) {
            (Target::File(path), Imported::Named(name)) => {
                let target = self.load(&path);
                self.touch(target);
                self.export_within(target, name, searched)
            }
            (Target::Missing, _) => None,
            _ => Some(self.imported(module, source, what)),
        }
    }

    /// The names that a module exports, in order of their place; those of other modules that it
    /// exports as a whole last.
    pub fn exported_names(&mut self, module: ModuleId) -> Vec<(Name, Span)> {
        self.exported_within(module, &mut HashSet::new())
    }

    fn exported_within(
        &mut self,
        module: ModuleId,
        listed: &mut HashSet<ModuleId>,
    ) -> Vec<(Name, Span)> {
        if !listed.insert(module) {
            return Vec::new();
        }
        let loaded = self.modules[module.0 as usize].module.clone();
        let mut found: Vec<(Name, Span)> = Vec::new();
        for export in &loaded.exports {
            match &export.kind {
                ExportKind::Local { exported, .. } | ExportKind::From { exported, .. } => {
                    found.push((exported.clone(), export.span));
                }
                ExportKind::All { source } => {
                    if let Target::File(path) = self.project.world.resolve(&loaded.path, source) {
                        let target = self.load(&path);
                        let names = stacker::maybe_grow(STACK_LEFT, STACK_PIECE, || {
                            self.exported_within(target, listed)
                        });
                        found.extend(names.into_iter().map(|(name, _)| (name, export.span)));
                    }
                }
                ExportKind::AllOf { source, path } => {
                    if let Some(target) = self.module_at(module, source, path) {
                        let names = stacker::maybe_grow(STACK_LEFT, STACK_PIECE, || {
                            self.exported_within(target, listed)
                        });
                        found.extend(names.into_iter().map(|(name, _)| (name, export.span)));
                    }
                }
                ExportKind::Inner { .. } | ExportKind::Module => {}
            }
        }
        found
    }
}
