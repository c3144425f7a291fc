//! What a function may do that its caller can see, as far as its text tells.
//!
//! Soundness before reach: whatever is not plainly harmless counts as doing something. What a call
//! is given is taken for data (who asks has looked); what a function takes from outside of itself
//! is a [`Need`], which whoever knows the values of those variables has to meet.

use std::collections::BTreeSet;

use super::locals::Locals;
use super::parts::{Part, each_part, each_part_of, each_part_of_pattern, path};
use super::{
    Does, Expr, ExprKind, FunctionId, Module, Name, Pattern, PatternKind, Property, Span, Stmt,
    StmtKind, UnaryOp,
};

/// Bytes of stack left at which a new piece is taken, and its size: expressions nest deeply.
pub(super) const STACK_LEFT: usize = 128 * 1024;
pub(super) const STACK_PIECE: usize = 1024 * 1024;

/// Something that a function takes from outside of itself.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// This variable, or this member of it, must hold data.
    Data(Name, Vec<Name>),
    /// A call of this variable, or of a member of it, must do nothing.
    Call(Callee),
}

/// What is called.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Callee {
    /// The variable that it is reached by.
    pub root: Name,
    /// The members from there on.
    pub members: Vec<Name>,
    /// Whether it is given nothing but data and functions that are written in place.
    pub given_data: bool,
    /// Whether what it gives is taken for data.
    pub as_data: bool,
}

/// What a function may do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Doing {
    /// What it does itself; what is not understood may wait.
    pub does: Does,
    /// What it gives is data.
    pub gives_data: bool,
    /// What must hold for that to be all.
    pub needs: BTreeSet<Need>,
}

impl Doing {
    /// What a function of a module does when it is called with data. `writes`: whether a method of
    /// this name changes its receiver.
    pub fn of(module: &Module, function: FunctionId, writes: &dyn Fn(&str) -> bool) -> Doing {
        let mut locals = Locals::default();
        locals.function(module, function, true);
        locals.settle(module);
        let mut walk = Walk {
            module,
            writes,
            locals: &locals,
            found: Doing {
                gives_data: true,
                ..Doing::default()
            },
            caught: 0,
            inside: 0,
            calls: BTreeSet::new(),
            data: BTreeSet::new(),
        };
        walk.function(function);
        walk.found
    }
}

struct Walk<'m> {
    module: &'m Module,
    writes: &'m dyn Fn(&str) -> bool,
    locals: &'m Locals<'m>,
    found: Doing,
    /// Blocks around whose errors are caught.
    caught: u32,
    /// Functions around, the outermost left out.
    inside: u32,
    /// Calls that were looked at, and whether for what they give.
    calls: BTreeSet<(Span, bool)>,
    /// Variables of which it is known what they need to hold data.
    data: BTreeSet<Name>,
}

impl<'m> Walk<'m> {
    fn may_wait(&mut self) {
        self.found.does = Does::MayWait;
    }

    fn changes(&mut self) {
        self.found.does = self.found.does.max(Does::Changes);
    }

    fn function(&mut self, id: FunctionId) {
        let function = self.module.function(id);
        if function.is_async || function.is_generator || !function.awaits.is_empty() {
            self.may_wait();
        }
        for param in &function.params {
            if param.field {
                self.may_wait();
            }
            self.pattern(&param.pattern);
        }
        self.statements(&function.body);
    }

    fn inner_function(&mut self, id: FunctionId) {
        let caught = std::mem::take(&mut self.caught);
        self.inside += 1;
        self.function(id);
        self.inside -= 1;
        self.caught = caught;
    }

    fn statements(&mut self, body: &'m [Stmt]) {
        for statement in body {
            if self.found.does == Does::MayWait {
                return;
            }
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &'m Stmt) {
        stacker::maybe_grow(STACK_LEFT, STACK_PIECE, || self.statement_here(statement));
    }

    fn statement_here(&mut self, statement: &'m Stmt) {
        match &statement.kind {
            StmtKind::Throw(_) if self.caught == 0 => self.changes(),
            StmtKind::Class { .. } => self.may_wait(),
            StmtKind::ForOf {
                asynchronous: true, ..
            } => self.may_wait(),
            StmtKind::Return(Some(value)) if self.inside == 0 => {
                let data = self.takes_for_data(value);
                self.found.gives_data &= data;
            }
            StmtKind::Try {
                body,
                handler: Some(handler),
                finally,
            } => {
                self.caught += 1;
                self.statements(body);
                self.caught -= 1;
                self.statements(&handler.body);
                finally.iter().for_each(|body| self.statements(body));
                return;
            }
            _ => {}
        }
        each_part(&statement.kind, &mut |part| self.part(part));
    }

    fn part(&mut self, part: Part<'m>) {
        match part {
            Part::Statement(statement) => self.statement(statement),
            Part::Expr(e) | Part::Item(e) => self.expr(e),
            Part::Pattern(pattern) => self.pattern(pattern),
            Part::Function(id) => self.inner_function(id),
            Part::Unknown => self.may_wait(),
        }
    }

    fn pattern(&mut self, pattern: &'m Pattern) {
        each_part_of_pattern(pattern, &mut |part| self.part(part));
    }

    fn expr(&mut self, e: &'m Expr) {
        stacker::maybe_grow(STACK_LEFT, STACK_PIECE, || self.expr_here(e));
    }

    fn expr_here(&mut self, e: &'m Expr) {
        if self.found.does == Does::MayWait {
            return;
        }
        match &e.kind {
            ExprKind::Await(_)
            | ExprKind::Yield { .. }
            | ExprKind::Import(_)
            | ExprKind::Super
            | ExprKind::Class(_)
            | ExprKind::Gap { .. }
            | ExprKind::Render { .. }
            | ExprKind::Tagged { .. } => return self.may_wait(),
            ExprKind::Unary {
                op: UnaryOp::Delete,
                ..
            } => self.changes(),
            ExprKind::Call { callee, args, .. } => {
                let given: Vec<&Expr> = args.iter().map(|arg| &arg.value).collect();
                self.call(callee, &given, false);
            }
            ExprKind::New { callee, args } => {
                let given: Vec<&Expr> = args.iter().map(|arg| &arg.value).collect();
                self.construct(callee, &given);
            }
            ExprKind::Assign { target, .. } | ExprKind::Update { target, .. } => {
                self.written(target);
            }
            _ => {}
        }
        each_part_of(&e.kind, &mut |part| self.part(part));
    }

    /// What is assigned to must have been made by the function itself.
    fn written(&mut self, target: &Pattern) {
        let own = match &target.kind {
            PatternKind::Name(name) => self.locals.declares(name),
            PatternKind::Place(place) => match &place.kind {
                ExprKind::Member { object, .. } | ExprKind::Index { object, .. } => {
                    self.is_fresh(object)
                }
                _ => false,
            },
            PatternKind::Ignore => true,
            _ => false,
        };
        if !own {
            self.changes();
        }
    }

    fn is_fresh(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Name(name) => self
                .locals
                .found
                .get(name)
                .is_some_and(|local| local.fresh && local.declared == 1),
            _ => false,
        }
    }

    fn call(&mut self, callee: &'m Expr, args: &[&'m Expr], as_data: bool) {
        if !self.calls.insert((callee.span, as_data)) {
            return;
        }
        let given_data = args
            .iter()
            .all(|arg| matches!(arg.kind, ExprKind::Function(_)) || self.takes_for_data(arg));
        let reached = path(callee).filter(|(root, _)| !self.locals.declares(root));
        if let Some((root, members)) = reached {
            self.found.needs.insert(Need::Call(Callee {
                root,
                members,
                given_data,
                as_data,
            }));
            return;
        }
        let harmless = given_data
            && match &callee.kind {
                ExprKind::Name(name) => self
                    .locals
                    .found
                    .get(name)
                    .is_some_and(|local| local.own_function && local.declared == 1),
                // A method of data is the runtime's own.
                ExprKind::Member { object, name, .. } => {
                    if (self.writes)(name) && !self.is_fresh(object) {
                        self.changes();
                    }
                    self.takes_for_data(object)
                }
                _ => false,
            };
        if !harmless {
            self.may_wait();
        }
    }

    fn construct(&mut self, callee: &'m Expr, args: &[&'m Expr]) {
        if !self.calls.insert((callee.span, true)) {
            return;
        }
        if !self.construction(callee, args) {
            self.may_wait();
        }
    }

    fn construction(&mut self, callee: &'m Expr, args: &[&'m Expr]) -> bool {
        let given_data = args.iter().all(|arg| self.takes_for_data(arg));
        let reached = path(callee).filter(|(root, _)| !self.locals.declares(root));
        let Some((root, members)) = reached else {
            return false;
        };
        self.found.needs.insert(Need::Call(Callee {
            root,
            members,
            given_data,
            as_data: true,
        }));
        given_data
    }

    /// Whether an expression gives data; notes what that needs from outside.
    fn takes_for_data(&mut self, e: &'m Expr) -> bool {
        if !self.locals.is_data(self.module, e) {
            return false;
        }
        let mut open = vec![e];
        while let Some(e) = open.pop() {
            if let Some((root, members)) = path(e)
                && !self.locals.declares(&root)
            {
                self.found.needs.insert(Need::Data(root, members));
                continue;
            }
            match &e.kind {
                ExprKind::Name(name) => match self.locals.found.get(name) {
                    Some(local) if self.data.insert(name.clone()) => {
                        open.extend(local.values.iter().copied());
                    }
                    _ => {}
                },
                ExprKind::Array(items) => open.extend(items.iter().map(|item| &item.value)),
                ExprKind::Object(fields) => {
                    open.extend(fields.iter().filter_map(|field| match field {
                        Property::Field { value, .. } | Property::Spread(value) => Some(value),
                        Property::Getter { .. } | Property::Setter { .. } => None,
                    }))
                }
                ExprKind::Member { object, .. } | ExprKind::Index { object, .. } => {
                    open.push(object);
                }
                ExprKind::Call { callee, args, .. } => {
                    let args: Vec<&Expr> = args.iter().map(|arg| &arg.value).collect();
                    self.call(callee, &args, true);
                }
                ExprKind::New { callee, args } => {
                    let args: Vec<&Expr> = args.iter().map(|arg| &arg.value).collect();
                    self.construct(callee, &args);
                }
                ExprKind::Logical { left, right, .. } => open.extend([&**left, &**right]),
                ExprKind::Conditional { then, other, .. } => open.extend([&**then, &**other]),
                ExprKind::Assign { value, .. } => open.push(value),
                ExprKind::Sequence(parts) => open.extend(parts.last()),
                _ => {}
            }
        }
        true
    }
}
