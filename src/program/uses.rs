//! What becomes of the value of one expression inside the function that it stands in: which
//! tests look at it, and whether the function gives it on.
//!
//! Variables are followed by name within that function and those written in it; what a value is
//! stored into or handed to is not followed.

use std::collections::BTreeMap;

use super::parts::{Part, each_part};
use super::{
    AssignOp, BinaryOp, Expr, ExprKind, FunctionId, Key, Module, Name, Pattern, PatternKind,
    Property, Span, Stmt, StmtKind, UnaryOp,
};

/// The fields that lead from a value to the part of it that is meant.
pub type Path = Vec<Name>;

/// A test that a value, or a part of it, decides.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Test {
    /// Whether the part is truthy.
    Truth(Path),
    /// Whether the part is absent: `??`, `?.`, or taking something out of it, which throws.
    Presence(Path),
    /// Whether the part equals something else.
    Equal(Path),
    /// Whether the value has a field, or of which kind the part is (`typeof`, `instanceof`).
    Kind(Path),
}

/// What becomes of a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    /// The tests that look at it.
    pub tests: Vec<Test>,
    /// Whether the function that it stands in gives it as it is.
    pub returned: bool,
}

/// The innermost function of a module that a span stands in.
pub fn function_around(module: &Module, span: Span) -> Option<FunctionId> {
    let around = module.functions.iter().enumerate();
    around
        .filter(|(_, function)| function.span.contains(span) && function.span != span)
        .min_by_key(|(_, function)| function.span.end - function.span.start)
        .and_then(|(index, _)| u32::try_from(index).ok().map(FunctionId))
}

/// What becomes of the value of the expression at `span`.
pub fn uses_of(module: &Module, span: Span) -> Uses {
    let function = function_around(module, span);
    let body = function.map_or(&module.body, |id| &module.function(id).body);
    let mut walk = Walk {
        module,
        span,
        function,
        current: function,
        variables: BTreeMap::new(),
        uses: Uses::default(),
    };
    // Twice: a test may stand before the place where a loop writes the variable.
    walk.statements(body);
    walk.uses = Uses::default();
    walk.statements(body);
    walk.uses.tests.sort();
    walk.uses.tests.dedup();
    walk.uses
}

struct Walk<'m> {
    module: &'m Module,
    /// The expression that is followed.
    span: Span,
    /// The function that it stands in.
    function: Option<FunctionId>,
    /// The function that is being walked.
    current: Option<FunctionId>,
    /// The variables that hold the value or a part of it.
    variables: BTreeMap<Name, Path>,
    uses: Uses,
}

impl Walk<'_> {
    fn test(&mut self, test: Test) {
        self.uses.tests.push(test);
    }

    fn statements(&mut self, list: &[Stmt]) {
        list.iter()
            .for_each(|statement| self.statement(&statement.kind));
    }

    fn decides(&mut self, test: &Expr) {
        if let Some(path) = self.expr(test) {
            self.test(Test::Truth(path));
        }
    }

    fn statement(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::Let { pattern, init, .. } => {
                if let Some(path) = init.as_ref().and_then(|init| self.expr(init)) {
                    self.bind(pattern, path);
                }
            }
            StmtKind::Function { function, .. } => self.inside(*function),
            StmtKind::Return(Some(e)) => {
                if self.expr(e).is_some_and(|path| path.is_empty()) && self.current == self.function
                {
                    self.uses.returned = true;
                }
            }
            StmtKind::If { test, then, other } => {
                self.decides(test);
                self.statements(then);
                self.statements(other);
            }
            StmtKind::Switch { subject, cases } => {
                let subject = self.expr(subject);
                for case in cases {
                    case.test.iter().for_each(|test| {
                        self.expr(test);
                    });
                    self.statements(&case.body);
                }
                if let Some(path) = subject {
                    self.test(Test::Equal(path));
                }
            }
            StmtKind::For {
                init,
                test,
                update,
                body,
            } => {
                self.statements(init);
                test.iter().for_each(|test| self.decides(test));
                self.statements(body);
                update.iter().for_each(|update| {
                    self.expr(update);
                });
            }
            StmtKind::While { test, body } | StmtKind::DoWhile { body, test } => {
                self.decides(test);
                self.statements(body);
            }
            kind => each_part(kind, &mut |part| match part {
                Part::Statement(statement) => self.statement(&statement.kind),
                Part::Expr(e) | Part::Item(e) => {
                    self.expr(e);
                }
                Part::Function(_) | Part::Pattern(_) | Part::Unknown => {}
            }),
        }
    }

    /// A function that is written here sees the variables.
    fn inside(&mut self, id: FunctionId) {
        let Some(function) = self.module.functions.get(id.0 as usize) else {
            return;
        };
        let outer = self.current.replace(id);
        self.statements(&function.body);
        self.current = outer;
    }

    /// Takes a value apart; taking something out of what is absent throws.
    fn bind(&mut self, pattern: &Pattern, path: Path) {
        match &pattern.kind {
            PatternKind::Name(name) => {
                self.variables.insert(name.clone(), path);
            }
            PatternKind::Object { fields, .. } => {
                for field in fields {
                    if let Key::Name(name) = &field.key {
                        self.bind(&field.pattern, with(&path, name));
                    }
                }
                self.test(Test::Presence(path));
            }
            PatternKind::List { .. } => self.test(Test::Presence(path)),
            PatternKind::Default { pattern, .. } => {
                self.test(Test::Presence(path.clone()));
                self.bind(pattern, path);
            }
            PatternKind::Place(_) | PatternKind::Ignore => {}
            kind => {
                if let PatternKind::Bind { name, .. } = kind {
                    self.variables.insert(name.clone(), path.clone());
                } else {
                    self.test(Test::Kind(path.clone()));
                }
                kind.tests().for_each(|test| {
                    self.expr(test);
                });
                kind.parts().for_each(|part| self.bind(part, path.clone()));
            }
        }
    }

    /// A match, whose arms may each give the value on.
    fn matched(&mut self, subject: &Expr, arms: &[super::MatchArm]) -> Option<Path> {
        let path = self.expr(subject);
        let mut given = None;
        for arm in arms {
            if let Some(path) = &path {
                self.bind(&arm.pattern, path.clone());
            }
            arm.guard.iter().for_each(|guard| self.decides(guard));
            given = self.expr(&arm.body).or(given);
        }
        given
    }

    /// Walks an expression; gives the part of the value that it is, where it is one.
    fn expr(&mut self, e: &Expr) -> Option<Path> {
        let inner = self.part(e);
        if e.span == self.span && !matches!(e.kind, ExprKind::Function(_)) {
            return Some(Path::new());
        }
        inner
    }

    fn part(&mut self, e: &Expr) -> Option<Path> {
        match &e.kind {
            ExprKind::Name(name) => self.variables.get(name).cloned(),
            ExprKind::Await(inner) => self.expr(inner),
            ExprKind::Member { object, name, .. } => {
                let path = self.expr(object)?;
                let part = with(&path, name);
                self.test(Test::Presence(path));
                Some(part)
            }
            ExprKind::Index { object, index, .. } => {
                let path = self.expr(object);
                self.expr(index);
                self.test(Test::Presence(path?));
                None
            }
            ExprKind::Call { callee, args, .. } => self.call(callee, args),
            ExprKind::Unary { op, operand } => {
                let path = self.expr(operand)?;
                match op {
                    UnaryOp::Not => self.test(Test::Truth(path)),
                    UnaryOp::TypeOf => self.test(Test::Kind(path)),
                    _ => {}
                }
                None
            }
            ExprKind::Binary { op, left, right } => self.compared(*op, left, right),
            ExprKind::Logical { op, left, right } => {
                let left = self.expr(left);
                if let Some(path) = left.clone() {
                    self.test(match op {
                        super::LogicalOp::Coalesce => Test::Presence(path),
                        _ => Test::Truth(path),
                    });
                }
                self.expr(right).or(left)
            }
            ExprKind::Conditional { test, then, other } => {
                self.decides(test);
                let then = self.expr(then);
                self.expr(other).or(then)
            }
            ExprKind::Assign { op, target, value } => {
                let path = self.expr(value)?;
                if *op == AssignOp::Set {
                    self.bind(target, path.clone());
                }
                Some(path)
            }
            ExprKind::Sequence(parts) => {
                let parts: Vec<_> = parts.iter().map(|part| self.expr(part)).collect();
                parts.into_iter().next_back().flatten()
            }
            ExprKind::Function(id) => {
                self.inside(*id);
                None
            }
            ExprKind::Block { body, value } => {
                self.statements(body);
                value.as_ref().and_then(|value| self.expr(value))
            }
            ExprKind::Match { subject, arms } => self.matched(subject, arms),
            ExprKind::Try(inner) => {
                let path = self.expr(inner)?;
                self.test(Test::Presence(path.clone()));
                Some(path)
            }
            ExprKind::Cast { value, .. } => self.expr(value),
            kind => {
                self.others(kind);
                None
            }
        }
    }

    /// Expressions that are never a part of the value.
    fn others(&mut self, kind: &ExprKind) {
        match kind {
            ExprKind::New { callee, args } => {
                self.expr(callee);
                args.iter().for_each(|arg| {
                    self.expr(&arg.value);
                });
            }
            ExprKind::Array(items) => items.iter().for_each(|item| {
                self.expr(&item.value);
            }),
            ExprKind::Select {
                arms, otherwise, ..
            } => {
                for arm in arms {
                    self.expr(&arm.future);
                    arm.guard.iter().for_each(|guard| self.decides(guard));
                    self.expr(&arm.body);
                }
                otherwise.iter().for_each(|body| {
                    self.expr(body);
                });
            }
            ExprKind::Range { start, end, .. } => start.iter().chain(end).for_each(|end| {
                self.expr(end);
            }),
            ExprKind::Repeat { value, count } => [value, count].into_iter().for_each(|part| {
                self.expr(part);
            }),
            ExprKind::Object(fields)
            | ExprKind::Record { fields, .. }
            | ExprKind::Render { props: fields, .. } => {
                fields.iter().for_each(|field| match field {
                    Property::Field { value, .. } | Property::Spread(value) => {
                        self.expr(value);
                    }
                    Property::Getter { .. } | Property::Setter { .. } => {}
                })
            }
            ExprKind::Yield {
                value: Some(one), ..
            }
            | ExprKind::Import(one) => {
                self.expr(one);
            }
            ExprKind::Template { values: parts, .. }
            | ExprKind::Tagged { values: parts, .. }
            | ExprKind::Gap { parts, .. } => parts.iter().for_each(|part| {
                self.expr(part);
            }),
            ExprKind::Opaque(parts) => parts.iter().for_each(|part| {
                self.expr(part);
            }),
            _ => {}
        }
    }

    fn compared(&mut self, op: BinaryOp, left: &Expr, right: &Expr) -> Option<Path> {
        let paths = [self.expr(left), self.expr(right)];
        let kind = match op {
            BinaryOp::Equal | BinaryOp::NotEqual => Test::Equal,
            BinaryOp::In | BinaryOp::InstanceOf => Test::Kind,
            _ => return None,
        };
        for path in paths.into_iter().flatten() {
            self.test(kind(path));
        }
        None
    }

    /// A call: a callback that is chained to the value is given it.
    fn call(&mut self, callee: &Expr, args: &[super::Argument]) -> Option<Path> {
        let receiver = match &callee.kind {
            ExprKind::Member { object, name, .. } => self
                .expr(object)
                .filter(|path| path.is_empty())
                .map(|path| (path, name.as_str())),
            _ => {
                self.expr(callee);
                None
            }
        };
        let callback = match (&receiver, args.first().map(|arg| &arg.value.kind)) {
            (Some((_, "then")), Some(ExprKind::Function(id))) => Some(*id),
            _ => None,
        };
        if let Some(function) = callback.and_then(|id| self.module.functions.get(id.0 as usize))
            && let Some(first) = function.params.first()
        {
            self.bind(&first.pattern, Path::new());
        }
        for arg in args {
            self.expr(&arg.value);
        }
        match receiver {
            Some((path, "catch" | "finally")) => Some(path),
            Some((path, name)) if name != "then" => {
                self.test(Test::Presence(path));
                None
            }
            _ => None,
        }
    }
}

fn with(path: &Path, name: &Name) -> Path {
    let mut path = path.clone();
    path.push(name.clone());
    path
}
