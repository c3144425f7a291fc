//! The variables that a function declares, and which of them can hold nothing but data.

use std::collections::BTreeMap;

use super::doing::{STACK_LEFT, STACK_PIECE};
use super::parts::{Part, bound_names, each_part, each_part_of, each_part_of_pattern, path};
use super::{
    Expr, ExprKind, FunctionId, Module, Name, Pattern, PatternKind, Property, Stmt, StmtKind,
};

/// What is known of a variable that a function declares.
#[derive(Clone, Debug, Default)]
pub(super) struct Local<'m> {
    /// What it may hold.
    pub(super) values: Vec<&'m Expr>,
    /// Declared at the top of the function, once, as a function that is written there.
    pub(super) own_function: bool,
    /// How often it is declared.
    pub(super) declared: u32,
    /// Declared with a list or object that is written there.
    pub(super) fresh: bool,
    /// What it holds is data.
    pub(super) data: bool,
}

/// The variables that a function and those in it declare, by name: one of each name.
#[derive(Debug, Default)]
pub(super) struct Locals<'m> {
    pub(super) found: BTreeMap<Name, Local<'m>>,
}

impl<'m> Locals<'m> {
    /// Adds the variables of a function and of those in it.
    pub(super) fn function(&mut self, module: &'m Module, id: FunctionId, outermost: bool) {
        let function = module.function(id);
        for param in &function.params {
            self.bound(&param.pattern, None);
            self.pattern(module, &param.pattern);
        }
        self.body(module, &function.body, outermost);
    }

    fn declare(&mut self, name: &Name) -> &mut Local<'m> {
        let local = self.found.entry(name.clone()).or_default();
        local.declared += 1;
        local
    }

    /// Declares the names of a pattern; what they hold is part of `value`.
    fn bound(&mut self, pattern: &'m Pattern, value: Option<&'m Expr>) {
        match &pattern.kind {
            PatternKind::Name(name) => self.declare(name).values.extend(value),
            PatternKind::Object { fields, rest } => {
                for field in fields {
                    self.bound(&field.pattern, value);
                }
                rest.iter().for_each(|rest| self.bound(rest, value));
            }
            PatternKind::List { items, rest } => {
                let items = items.iter().flatten();
                items.for_each(|item| self.bound(item, value));
                rest.iter().for_each(|rest| self.bound(rest, value));
            }
            PatternKind::Default {
                pattern,
                value: default,
            } => {
                self.bound(pattern, value);
                for name in bound_names(pattern) {
                    if let Some(local) = self.found.get_mut(name) {
                        local.values.push(default);
                    }
                }
            }
            PatternKind::Place(_) | PatternKind::Ignore => {}
            kind => {
                if let PatternKind::Bind { name, .. } = kind {
                    self.declare(name).values.extend(value);
                }
                kind.parts().for_each(|part| self.bound(part, value));
            }
        }
    }

    fn body(&mut self, module: &'m Module, body: &'m [Stmt], top: bool) {
        for statement in body {
            self.statement(module, statement, top);
        }
    }

    fn statement(&mut self, module: &'m Module, statement: &'m Stmt, top: bool) {
        stacker::maybe_grow(STACK_LEFT, STACK_PIECE, || {
            self.statement_here(module, statement, top);
        });
    }

    fn statement_here(&mut self, module: &'m Module, statement: &'m Stmt, top: bool) {
        match &statement.kind {
            StmtKind::Let { pattern, init, .. } => {
                self.bound(pattern, init.as_ref());
                if let (PatternKind::Name(name), Some(init)) = (&pattern.kind, init)
                    && let Some(local) = self.found.get_mut(name)
                {
                    let literal = matches!(init.kind, ExprKind::Array(_) | ExprKind::Object(_));
                    local.fresh = literal && local.declared == 1;
                    let function = matches!(init.kind, ExprKind::Function(_));
                    local.own_function = function && top && local.declared == 1;
                }
            }
            StmtKind::Function { name, .. } => {
                let local = self.declare(name);
                local.own_function = top && local.declared == 1;
            }
            StmtKind::Class { name, .. } => {
                self.declare(name);
            }
            StmtKind::ForOf {
                pattern,
                declares,
                iterable: over,
                ..
            }
            | StmtKind::ForIn {
                pattern,
                declares,
                object: over,
                ..
            } if *declares => self.bound(pattern, Some(over)),
            StmtKind::Try {
                handler: Some(handler),
                ..
            } => handler
                .pattern
                .iter()
                .for_each(|pattern| self.bound(pattern, None)),
            _ => {}
        }
        each_part(&statement.kind, &mut |part| match part {
            Part::Statement(inner) => self.statement(module, inner, false),
            Part::Expr(e) | Part::Item(e) => self.expr(module, e),
            Part::Pattern(pattern) => self.pattern(module, pattern),
            Part::Function(id) => self.function(module, id, false),
            Part::Unknown => {}
        });
    }

    fn expr(&mut self, module: &'m Module, e: &'m Expr) {
        stacker::maybe_grow(STACK_LEFT, STACK_PIECE, || self.expr_here(module, e));
    }

    fn expr_here(&mut self, module: &'m Module, e: &'m Expr) {
        if let ExprKind::Assign { target, value, .. } = &e.kind {
            for name in bound_names(target) {
                // Of a name that is not declared here, the walk says that it is written.
                if let Some(local) = self.found.get_mut(name) {
                    local.values.push(value);
                    local.own_function = false;
                    local.fresh = false;
                } else {
                    self.found
                        .entry(name.clone())
                        .or_default()
                        .values
                        .push(value);
                }
            }
        }
        each_part_of(&e.kind, &mut |part| match part {
            Part::Expr(e) | Part::Item(e) => self.expr(module, e),
            Part::Pattern(pattern) => self.pattern(module, pattern),
            Part::Function(id) => self.function(module, id, false),
            Part::Statement(_) | Part::Unknown => {}
        });
    }

    fn pattern(&mut self, module: &'m Module, pattern: &'m Pattern) {
        each_part_of_pattern(pattern, &mut |part| match part {
            Part::Expr(e) | Part::Item(e) => self.expr(module, e),
            Part::Pattern(pattern) => self.pattern(module, pattern),
            _ => {}
        });
    }

    /// Takes every variable for data until something that it may hold is none.
    pub(super) fn settle(&mut self, module: &Module) {
        self.found.values_mut().for_each(|local| local.data = true);
        loop {
            let wrong: Vec<Name> = self
                .found
                .iter()
                .filter(|(_, local)| local.data)
                .filter(|(_, local)| !local.values.iter().all(|value| self.is_data(module, value)))
                .map(|(name, _)| name.clone())
                .collect();
            if wrong.is_empty() {
                return;
            }
            for name in wrong {
                if let Some(local) = self.found.get_mut(&name) {
                    local.data = false;
                }
            }
        }
    }

    /// Whether a variable of this name is declared.
    pub(super) fn declares(&self, name: &Name) -> bool {
        self.found.get(name).is_some_and(|local| local.declared > 0)
    }

    /// Whether an expression gives data, if what it needs from outside does.
    pub(super) fn is_data(&self, module: &Module, e: &Expr) -> bool {
        stacker::maybe_grow(STACK_LEFT, STACK_PIECE, || self.is_data_here(module, e))
    }

    fn is_data_here(&self, module: &Module, e: &Expr) -> bool {
        let all = |parts: &[&Expr]| parts.iter().all(|part| self.is_data(module, part));
        match &e.kind {
            ExprKind::Name(name) => self
                .found
                .get(name)
                .is_none_or(|local| local.declared == 0 || (local.data && !local.own_function)),
            ExprKind::Text(_)
            | ExprKind::Number(_)
            | ExprKind::Bool(_)
            | ExprKind::Null
            | ExprKind::Undefined
            | ExprKind::Template { .. }
            | ExprKind::Binary { .. }
            | ExprKind::Unary { .. }
            | ExprKind::Update { .. }
            | ExprKind::Opaque(_) => true,
            ExprKind::Array(items) => items.iter().all(|item| self.is_data(module, &item.value)),
            ExprKind::Object(fields) => fields.iter().all(|field| match field {
                Property::Field { value, .. } | Property::Spread(value) => {
                    self.is_data(module, value)
                }
                Property::Getter { .. } | Property::Setter { .. } => false,
            }),
            ExprKind::Member { object, .. } | ExprKind::Index { object, .. } => all(&[object]),
            ExprKind::Call { callee, .. } => match path(callee) {
                Some((root, _)) if !self.declares(&root) => true,
                _ => match &callee.kind {
                    ExprKind::Member { object, .. } => all(&[object]),
                    _ => false,
                },
            },
            ExprKind::New { callee, .. } => {
                path(callee).is_some_and(|(root, _)| !self.declares(&root))
            }
            ExprKind::Logical { left, right, .. } => all(&[left, right]),
            ExprKind::Conditional { then, other, .. } => all(&[then, other]),
            ExprKind::Assign { value, .. } => all(&[value]),
            ExprKind::Sequence(parts) => {
                parts.last().is_some_and(|last| self.is_data(module, last))
            }
            _ => false,
        }
    }
}
