//! What an annotation can speak of: statements, functions, properties, items, arguments and
//! chain links of a module, with where each begins.

use super::parts::{Part, each_part, each_part_in, each_part_of_pattern};
use super::{
    Class, Expr, ExprKind, FunctionId, Key, MemberItem, MemberKind, Module, Pattern, Span, Stmt,
    StmtKind, TypeKind,
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
            StmtKind::Class { class, .. } => self.class(class),
            // What a loop begins with is a part of the loop.
            StmtKind::For {
                init,
                test,
                update,
                body,
            } => {
                init.iter().for_each(|init| self.statement(&init.kind));
                test.iter()
                    .chain(update.as_deref())
                    .for_each(|e| self.expr(e));
                self.statements(body);
            }
            kind => each_part(kind, &mut |part| self.part(part)),
        }
    }

    fn part(&mut self, part: Part<'_>) {
        match part {
            Part::Statement(statement) => self.statements(std::slice::from_ref(statement)),
            Part::Expr(e) => self.expr(e),
            Part::Item(e) => self.item(e),
            Part::Pattern(pattern) => self.pattern(pattern),
            Part::Function(_) | Part::Unknown => {}
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
        each_part_of_pattern(pattern, &mut |part| self.part(part));
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
            ExprKind::Member { object, .. } | ExprKind::Try(object) | ExprKind::Lent(object) => {
                self.receiver(object);
            }
            _ => self.expr(object),
        }
    }

    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Call { .. } | ExprKind::New { .. } => self.call(e, false, false),
            ExprKind::Await(inner) if matches!(inner.kind, ExprKind::Call { .. }) => {
                self.call(inner, false, true);
            }
            ExprKind::Class(class) => self.class(class),
            kind => each_part_in(kind, &mut |part| self.part(part)),
        }
    }
}
