//! What an annotation can speak of: statements, functions, properties, items, arguments and
//! chain links of a module, with where each begins.

use super::{
    Class, Expr, ExprKind, FunctionId, Key, MemberItem, MemberKind, Module, Pattern, PatternKind,
    Property, Span, Stmt, StmtKind, TypeKind,
};

/// Something that an annotation can speak of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Thing {
    /// Where it begins; a chain link begins at its own name, not at that of the whole chain.
    pub begin: u32,
    /// All of it.
    pub extent: Span,
    /// What an annotation on it gets: the function where it is one.
    pub target: Span,
    /// The function it stands in.
    pub owner: Option<FunctionId>,
    /// Whether it is a function.
    pub is_function: bool,
}

/// A call.
#[derive(Clone, Copy, Debug)]
pub(super) struct CallSite {
    /// All of it.
    pub span: Span,
    /// The function it stands in.
    pub owner: Option<FunctionId>,
    /// It is the receiver of a later link of the same chain.
    pub inner: bool,
    /// It is awaited at once.
    pub awaited: bool,
}

/// All things and calls of a module.
#[derive(Debug, Default)]
pub(super) struct Things {
    /// What can be spoken of, in no particular order.
    pub things: Vec<Thing>,
    /// The calls.
    pub calls: Vec<CallSite>,
}

/// Walks the whole module once.
pub(super) fn things(module: &Module) -> Things {
    let mut walk = Walk {
        module,
        found: Things::default(),
        owner: None,
    };
    walk.statements(&module.body);
    walk.declarations();
    for (index, function) in module.functions.iter().enumerate() {
        let id = FunctionId(u32::try_from(index).unwrap_or(u32::MAX));
        walk.owner = Some(id);
        walk.thing(function.span.start, function.span, function.span, true);
        for param in &function.params {
            walk.pattern(&param.pattern);
        }
        walk.statements(&function.body);
    }
    walk.found
}

struct Walk<'m> {
    module: &'m Module,
    found: Things,
    owner: Option<FunctionId>,
}

impl Walk<'_> {
    fn thing(&mut self, begin: u32, extent: Span, target: Span, is_function: bool) {
        let owner = self.owner;
        self.found.things.push(Thing {
            begin,
            extent,
            target,
            owner,
            is_function,
        });
    }

    /// Constants of implementations and interfaces.
    fn declarations(&mut self) {
        let module = self.module;
        let declared = &module.declarations;
        let of_types = declared.types.iter().flat_map(|item| match &item.kind {
            TypeKind::Interface { members, .. } => members.as_slice(),
            _ => &[],
        });
        let members = declared.implementations.iter().flat_map(|of| &of.members);
        for member in of_types.chain(members) {
            if let MemberItem::Constant {
                value: Some(value), ..
            } = &member.kind
            {
                self.thing(member.span.start, member.span, member.span, false);
                self.expr(value);
            }
        }
    }

    fn function_span(&self, id: FunctionId) -> Option<Span> {
        self.module
            .functions
            .get(id.0 as usize)
            .map(|function| function.span)
    }

    /// The function that a statement declares or writes into a variable or field.
    fn function_of(&self, statement: &Stmt) -> Option<Span> {
        let value = match &statement.kind {
            StmtKind::Function { function, .. } => return self.function_span(*function),
            StmtKind::Let {
                init: Some(value), ..
            } => value,
            StmtKind::Expr(e) => match &e.kind {
                ExprKind::Assign { value, .. } => value,
                _ => return None,
            },
            _ => return None,
        };
        match value.kind {
            ExprKind::Function(id) => self.function_span(id),
            _ => None,
        }
    }

    fn statements(&mut self, list: &[Stmt]) {
        for statement in list {
            let function = self.function_of(statement);
            let target = function.unwrap_or(statement.span);
            self.thing(
                statement.span.start,
                statement.span,
                target,
                function.is_some(),
            );
            self.statement(&statement.kind);
        }
    }

    fn statement(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::Let { pattern, init, .. } => {
                self.pattern(pattern);
                init.iter().for_each(|init| self.expr(init));
            }
            StmtKind::Class { class, .. } => self.class(class),
            StmtKind::Expr(e) | StmtKind::Return(Some(e)) | StmtKind::Throw(e) => self.expr(e),
            StmtKind::If { test, then, other } => {
                self.expr(test);
                self.statements(then);
                self.statements(other);
            }
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
            StmtKind::Switch { subject, cases } => {
                self.expr(subject);
                for case in cases {
                    case.test.iter().for_each(|test| self.expr(test));
                    self.statements(&case.body);
                }
            }
            StmtKind::Labelled { body, .. } => self.statements(std::slice::from_ref(body)),
            StmtKind::Block(body) => self.statements(body),
            StmtKind::Function { .. }
            | StmtKind::Import(_)
            | StmtKind::Type { .. }
            | StmtKind::Return(None)
            | StmtKind::Break(_)
            | StmtKind::Continue(_)
            | StmtKind::Empty => {}
            kind => self.loops(kind),
        }
    }

    fn loops(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::ForOf {
                pattern,
                iterable: over,
                body,
                ..
            }
            | StmtKind::ForIn {
                pattern,
                object: over,
                body,
                ..
            } => {
                self.pattern(pattern);
                self.expr(over);
                self.statements(body);
            }
            StmtKind::For {
                init,
                test,
                update,
                body,
            } => {
                init.iter().for_each(|init| self.statement(&init.kind));
                test.iter().chain(update).for_each(|e| self.expr(e));
                self.statements(body);
            }
            StmtKind::While { test, body } | StmtKind::DoWhile { body, test } => {
                self.expr(test);
                self.statements(body);
            }
            _ => {}
        }
    }

    fn class(&mut self, class: &Class) {
        class.parent.iter().for_each(|parent| self.expr(parent));
        for member in &class.members {
            self.key(&member.key);
            if let MemberKind::Field(Some(value)) = &member.kind {
                self.item(value);
            }
        }
    }

    /// An argument, property, list item or field.
    fn item(&mut self, value: &Expr) {
        let function = match value.kind {
            ExprKind::Function(id) => self.function_span(id),
            _ => None,
        };
        let target = function.unwrap_or(value.span);
        self.thing(value.span.start, value.span, target, function.is_some());
        self.expr(value);
    }

    fn key(&mut self, key: &Key) {
        if let Key::Computed(e) = key {
            self.expr(e);
        }
    }

    fn pattern(&mut self, pattern: &Pattern) {
        match &pattern.kind {
            PatternKind::Object { fields, rest } => {
                for field in fields {
                    self.key(&field.key);
                    self.pattern(&field.pattern);
                }
                rest.iter().for_each(|rest| self.pattern(rest));
            }
            PatternKind::List { items, rest } => {
                items.iter().flatten().for_each(|item| self.pattern(item));
                rest.iter().for_each(|rest| self.pattern(rest));
            }
            PatternKind::Default { pattern, value } => {
                self.pattern(pattern);
                self.expr(value);
            }
            PatternKind::Place(place) => self.expr(place),
            PatternKind::Name(_) | PatternKind::Ignore => {}
            kind => {
                kind.parts().for_each(|part| self.pattern(part));
                kind.tests().for_each(|test| self.expr(test));
            }
        }
    }

    fn call(&mut self, call: &Expr, inner: bool, awaited: bool) {
        let (callee, args) = match &call.kind {
            ExprKind::Call { callee, args, .. } | ExprKind::New { callee, args } => (callee, args),
            _ => return,
        };
        let owner = self.owner;
        self.found.calls.push(CallSite {
            span: call.span,
            owner,
            inner,
            awaited,
        });
        if let ExprKind::Member { object, name, .. } = &callee.kind {
            let length = u32::try_from(name.len()).unwrap_or(0);
            let begin = callee.span.end.saturating_sub(length);
            self.thing(begin, call.span, call.span, false);
            self.receiver(object);
        } else if let ExprKind::Index { object, index, .. } = &callee.kind {
            self.receiver(object);
            self.expr(index);
        } else {
            self.receiver(callee);
        }
        for arg in args {
            self.item(&arg.value);
        }
    }

    /// What a chain goes on from.
    fn receiver(&mut self, object: &Expr) {
        match &object.kind {
            ExprKind::Call { .. } | ExprKind::New { .. } => self.call(object, true, false),
            ExprKind::Member { object, .. } | ExprKind::Try(object) => self.receiver(object),
            _ => self.expr(object),
        }
    }

    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Call { .. } | ExprKind::New { .. } => self.call(e, false, false),
            ExprKind::Await(inner) if matches!(inner.kind, ExprKind::Call { .. }) => {
                self.call(inner, false, true);
            }
            ExprKind::Await(one)
            | ExprKind::Member { object: one, .. }
            | ExprKind::Unary { operand: one, .. }
            | ExprKind::Import(one)
            | ExprKind::Yield {
                value: Some(one), ..
            } => self.expr(one),
            ExprKind::Index {
                object: left,
                index: right,
                ..
            }
            | ExprKind::Binary { left, right, .. }
            | ExprKind::Logical { left, right, .. } => {
                self.expr(left);
                self.expr(right);
            }
            ExprKind::Conditional { test, then, other } => {
                self.expr(test);
                self.expr(then);
                self.expr(other);
            }
            ExprKind::Assign { target, value, .. } => {
                self.pattern(target);
                self.expr(value);
            }
            ExprKind::Update { target, .. } => self.pattern(target),
            ExprKind::Array(items) => items.iter().for_each(|item| self.item(&item.value)),
            ExprKind::Render { component, props } => {
                self.expr(component);
                props.iter().for_each(|prop| self.property(prop));
            }
            ExprKind::Object(fields) => fields.iter().for_each(|field| self.property(field)),
            ExprKind::Class(class) => self.class(class),
            ExprKind::Tagged { tag, values, .. } => {
                self.expr(tag);
                values.iter().for_each(|value| self.expr(value));
            }
            ExprKind::Template { values: parts, .. }
            | ExprKind::Sequence(parts)
            | ExprKind::Opaque(parts)
            | ExprKind::Gap { parts, .. } => parts.iter().for_each(|part| self.expr(part)),
            kind => self.inside(kind),
        }
    }

    /// Expressions that statements and patterns stand in.
    fn inside(&mut self, kind: &ExprKind) {
        match kind {
            ExprKind::Block { body, value } => {
                self.statements(body);
                value.iter().for_each(|value| self.item(value));
            }
            ExprKind::Match { subject, arms } => {
                self.expr(subject);
                for arm in arms {
                    self.pattern(&arm.pattern);
                    arm.guard.iter().for_each(|guard| self.expr(guard));
                    self.item(&arm.body);
                }
            }
            ExprKind::Select {
                of,
                arms,
                otherwise,
            } => {
                self.expr(of);
                for arm in arms {
                    self.pattern(&arm.pattern);
                    self.item(&arm.future);
                    arm.guard.iter().for_each(|guard| self.expr(guard));
                    self.item(&arm.body);
                }
                otherwise.iter().for_each(|body| self.item(body));
            }
            ExprKind::Try(one) | ExprKind::Cast { value: one, .. } => self.expr(one),
            ExprKind::Range { start, end, .. } => {
                start.iter().chain(end).for_each(|e| self.expr(e));
            }
            ExprKind::Repeat { value, count } => {
                self.item(value);
                self.expr(count);
            }
            ExprKind::Record { of, fields } => {
                self.expr(of);
                fields.iter().for_each(|field| self.property(field));
            }
            _ => {}
        }
    }

    fn property(&mut self, property: &Property) {
        match property {
            Property::Field { key, value } => {
                self.key(key);
                self.item(value);
            }
            Property::Getter { key, .. } => self.key(key),
            Property::Spread(value) => self.item(value),
        }
    }
}
