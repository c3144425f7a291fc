//! Which methods of a request a file tells apart.

use std::collections::BTreeSet;

use crate::program::{
    BinaryOp, Case, Expr, ExprKind, FunctionId, Key, Module, Name, PatternKind, Property, Stmt,
    StmtKind,
};

/// The status that says that a method is not served.
const NOT_ALLOWED: f64 = 405.0;

/// The methods among `known` that a file compares with the request's, those left out that are
/// compared only to be refused.
pub(super) fn compared(module: &Module, known: &[String]) -> Vec<Name> {
    let mut walk = Walk {
        known,
        served: BTreeSet::new(),
        refused: BTreeSet::new(),
    };
    walk.statements(&module.body);
    for function in &module.functions {
        walk.statements(&function.body);
    }
    let Walk {
        served, refused, ..
    } = walk;
    let order = |name: &Name| known.iter().position(|known| known == name.as_str());
    let mut found: Vec<Name> = served
        .into_iter()
        .filter(|name| !refused.contains(name))
        .collect();
    found.sort_by_key(order);
    found
}

struct Walk<'a> {
    known: &'a [String],
    served: BTreeSet<Name>,
    refused: BTreeSet<Name>,
}

impl Walk<'_> {
    fn method(&self, expr: &Expr) -> Option<Name> {
        match &expr.kind {
            ExprKind::Text(text) if self.known.iter().any(|known| known == text.as_str()) => {
                Some(text.clone())
            }
            _ => None,
        }
    }

    fn statements(&mut self, body: &[Stmt]) {
        body.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &Stmt) {
        match &statement.kind {
            StmtKind::Let {
                init: Some(value), ..
            }
            | StmtKind::Expr(value)
            | StmtKind::Return(Some(value))
            | StmtKind::Throw(value) => self.expr(value),
            StmtKind::If { test, then, other } => self.branch(test, then, other),
            StmtKind::Try {
                body,
                handler,
                finally,
            } => {
                self.statements(body);
                handler
                    .iter()
                    .for_each(|handler| self.statements(&handler.body));
                finally.iter().for_each(|finally| self.statements(finally));
            }
            StmtKind::ForOf {
                iterable: over,
                body,
                ..
            }
            | StmtKind::ForIn {
                object: over, body, ..
            } => {
                self.expr(over);
                self.statements(body);
            }
            StmtKind::For {
                init,
                test,
                update,
                body,
            } => {
                self.statements(init);
                test.iter()
                    .chain(update.as_deref())
                    .for_each(|expr| self.expr(expr));
                self.statements(body);
            }
            StmtKind::While { test, body } | StmtKind::DoWhile { body, test } => {
                self.expr(test);
                self.statements(body);
            }
            StmtKind::Switch { subject, cases } => self.switch(subject, cases),
            StmtKind::Labelled { body, .. } => self.statement(body),
            StmtKind::Block(body) => self.statements(body),
            _ => {}
        }
    }

    fn branch(&mut self, test: &Expr, then: &[Stmt], other: &[Stmt]) {
        // `method === "GET"` before a refusal is no route; `method !== "GET"` before one is.
        if let ExprKind::Binary {
            op: BinaryOp::Equal,
            left,
            right,
        } = &test.kind
            && refuses(then)
            && is_method(left, right)
            && let Some(name) = self.method(left).or_else(|| self.method(right))
        {
            self.refused.insert(name);
        }
        self.expr(test);
        self.statements(then);
        self.statements(other);
    }

    fn switch(&mut self, subject: &Expr, cases: &[Case]) {
        let on_method = names_method(subject);
        for case in cases {
            if let (true, Some(name)) = (
                on_method,
                case.test.as_ref().and_then(|test| self.method(test)),
            ) {
                if refuses(&case.body) {
                    self.refused.insert(name);
                } else {
                    self.served.insert(name);
                }
            }
            self.statements(&case.body);
        }
        self.expr(subject);
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Binary { op, left, right } => {
                if matches!(op, BinaryOp::Equal | BinaryOp::NotEqual)
                    && is_method(left, right)
                    && let Some(name) = self.method(left).or_else(|| self.method(right))
                {
                    self.served.insert(name);
                }
                self.expr(left);
                self.expr(right);
            }
            ExprKind::Logical { left, right, .. } => {
                self.expr(left);
                self.expr(right);
            }
            ExprKind::Conditional { test, then, other } => {
                self.expr(test);
                self.expr(then);
                self.expr(other);
            }
            ExprKind::Call { callee, args, .. } => {
                self.call(callee, args.iter().map(|arg| &arg.value))
            }
            ExprKind::New { args, .. } => args.iter().for_each(|arg| self.expr(&arg.value)),
            ExprKind::Object(properties) => properties
                .iter()
                .for_each(|property| self.property(property)),
            ExprKind::Array(items) => items.iter().for_each(|item| self.expr(&item.value)),
            ExprKind::Render { props, .. } => {
                props.iter().for_each(|property| self.property(property));
            }
            ExprKind::Await(value)
            | ExprKind::Unary { operand: value, .. }
            | ExprKind::Member { object: value, .. }
            | ExprKind::Assign { value, .. } => self.expr(value),
            ExprKind::Sequence(parts) | ExprKind::Opaque(parts) => {
                parts.iter().for_each(|part| self.expr(part));
            }
            ExprKind::Gap { parts, .. } => parts.iter().for_each(|part| self.expr(part)),
            _ => {}
        }
    }

    fn call<'e>(&mut self, callee: &'e Expr, args: impl Iterator<Item = &'e Expr>) {
        let args: Vec<&Expr> = args.collect();
        // `["GET", "POST"].includes(request.method)`
        if let ExprKind::Member { object, .. } = &callee.kind
            && let ExprKind::Array(items) = &object.kind
            && args.iter().any(|arg| names_method(arg))
        {
            let names: Vec<Name> = items
                .iter()
                .filter_map(|item| self.method(&item.value))
                .collect();
            self.served.extend(names);
        }
        self.expr(callee);
        args.into_iter().for_each(|arg| self.expr(arg));
    }

    /// `{ GET: handler }`, from which the handler is taken by the request's method.
    fn property(&mut self, property: &Property) {
        match property {
            Property::Field { key, value } => {
                if let Key::Name(name) = key
                    && self.known.iter().any(|known| known == name.as_str())
                    && !matches!(
                        value.kind,
                        ExprKind::Text(_) | ExprKind::Number(_) | ExprKind::Bool(_)
                    )
                {
                    self.served.insert(name.clone());
                }
                self.expr(value);
            }
            Property::Spread(value) => self.expr(value),
            Property::Getter { .. } | Property::Setter { .. } => {}
        }
    }
}

fn is_method(left: &Expr, right: &Expr) -> bool {
    names_method(left) || names_method(right)
}

/// Whether an expression is the method of a request, as far as its name says.
fn names_method(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Member { name, .. } | ExprKind::Name(name) => name == "method",
        ExprKind::Call { callee, args, .. } if args.is_empty() => match &callee.kind {
            // `request.method.toUpperCase()`
            ExprKind::Member { object, .. } => names_method(object),
            _ => false,
        },
        ExprKind::Logical { left, .. } => names_method(left),
        _ => false,
    }
}

/// Whether statements answer that a method is not served, and do nothing else that waits.
fn refuses(body: &[Stmt]) -> bool {
    let mut look = Look::default();
    body.iter().for_each(|statement| look.statement(statement));
    look.refuses && !look.waits
}

#[derive(Default)]
struct Look {
    refuses: bool,
    waits: bool,
}

impl Look {
    fn statement(&mut self, statement: &Stmt) {
        match &statement.kind {
            StmtKind::Expr(value) | StmtKind::Return(Some(value)) | StmtKind::Throw(value) => {
                self.expr(value)
            }
            StmtKind::Block(body) => body.iter().for_each(|statement| self.statement(statement)),
            StmtKind::Return(None) | StmtKind::Break(_) | StmtKind::Empty => {}
            StmtKind::Let {
                pattern,
                init: Some(value),
                ..
            } if matches!(pattern.kind, PatternKind::Name(_)) => {
                self.expr(value);
            }
            _ => self.waits = true,
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Number(number) => self.refuses |= *number == NOT_ALLOWED,
            ExprKind::Await(_) => self.waits = true,
            ExprKind::Call { callee, args, .. } | ExprKind::New { callee, args } => {
                self.expr(callee);
                args.iter().for_each(|arg| self.expr(&arg.value));
            }
            ExprKind::Member { object, .. } => self.expr(object),
            ExprKind::Object(properties) => {
                for property in properties {
                    if let Property::Field { value, .. } = property {
                        self.expr(value);
                    }
                }
            }
            ExprKind::Array(items) => items.iter().for_each(|item| self.expr(&item.value)),
            ExprKind::Assign { value, .. } => self.expr(value),
            _ => {}
        }
    }
}

/// The functions of a file that begin with a directive.
pub(super) fn with_directive(module: &Module, directive: &str) -> Vec<FunctionId> {
    let functions = module.functions.iter().enumerate();
    let marked =
        functions.filter(|(_, function)| function.directives.iter().any(|own| own == directive));
    marked
        .map(|(index, _)| FunctionId(u32::try_from(index).unwrap_or(u32::MAX)))
        .collect()
}
