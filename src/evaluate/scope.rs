//! Scopes: which variables are visible where.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::value::{CellId, ModuleId};
use crate::program::Name;

/// Variables by name: generated files declare hundreds of thousands.
type Variables = IndexMap<Name, CellId, FxBuildHasher>;

/// The variables of a block, function or module, inside those around it.
#[derive(Debug)]
pub struct Scope {
    variables: RefCell<Variables>,
    declared: Cell<u32>,
    parent: Option<Rc<Scope>>,
    /// The module it belongs to.
    pub module: ModuleId,
    /// Whether `var` declarations land here.
    pub function: bool,
}

impl Scope {
    /// The outermost scope of a module.
    pub fn module(module: ModuleId) -> Rc<Scope> {
        Rc::new(Scope {
            variables: RefCell::default(),
            declared: Cell::new(0),
            parent: None,
            module,
            function: true,
        })
    }

    /// A scope inside `parent`; `function`: a function's own.
    pub fn inside(parent: &Rc<Scope>, function: bool) -> Rc<Scope> {
        Rc::new(Scope {
            variables: RefCell::default(),
            declared: Cell::new(0),
            parent: Some(parent.clone()),
            module: parent.module,
            function,
        })
    }

    /// Declares a variable here, over one of the same name.
    pub fn declare(&self, name: Name, cell: CellId) {
        self.declared.set(self.declared.get().saturating_add(1));
        self.variables.borrow_mut().insert(name, cell);
    }

    /// The cell of each variable declared right here.
    pub fn each_own(&self, mut found: impl FnMut(CellId)) {
        self.variables
            .borrow()
            .values()
            .for_each(|cell| found(*cell));
    }

    /// The scope around.
    pub fn parent(&self) -> Option<&Rc<Scope>> {
        self.parent.as_ref()
    }

    /// How many declarations there were so far, here and around.
    pub fn all_declared(&self) -> u64 {
        let scopes = std::iter::successors(Some(self), |scope| scope.parent.as_deref());
        scopes.map(|scope| u64::from(scope.declared.get())).sum()
    }

    /// The variable of this name declared right here.
    pub fn own(&self, name: &str) -> Option<CellId> {
        self.variables.borrow().get(name).copied()
    }

    /// The variable of this name, here or around.
    pub fn find(&self, name: &str) -> Option<CellId> {
        let mut scope = self;
        loop {
            if let Some(cell) = scope.own(name) {
                return Some(cell);
            }
            scope = scope.parent.as_deref()?;
        }
    }

    /// All variables of this name from here outwards, and whether each is the module's own.
    pub fn all(&self, name: &str) -> Vec<(CellId, bool)> {
        let scopes = std::iter::successors(Some(self), |scope| scope.parent.as_deref());
        scopes
            .filter_map(|scope| Some((scope.own(name)?, scope.parent.is_none())))
            .collect()
    }

    /// The variables that a function made here captures from the functions around it, those of
    /// the module left out.
    pub fn captured(&self) -> Vec<(Name, CellId)> {
        let mut found = Vec::new();
        let mut scope = self;
        while let Some(parent) = scope.parent.as_deref() {
            let variables = scope.variables.borrow();
            found.extend(variables.iter().map(|(name, cell)| (name.clone(), *cell)));
            scope = parent;
        }
        found
    }

    /// The nearest scope that is a function's or module's own.
    pub fn function_scope(self: &Rc<Scope>) -> Rc<Scope> {
        let mut scope = self;
        while !scope.function {
            match &scope.parent {
                Some(parent) => scope = parent,
                None => break,
            }
        }
        scope.clone()
    }
}
