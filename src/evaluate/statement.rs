//! Statements.

use std::rc::Rc;

use super::block::{Exit, ExitKind, Flow};
use super::interp::{Interp, OutcomeKey};
use super::join::join_all;
use super::scope::Scope;
use super::store::Content;
use super::value::{ErrorClass, ErrorKind, ErrorValue, Known, Value, choosing};
use crate::cost::{Outcome, Term, TermId};
use crate::program::{Case, Expr, Handler, Name, Stmt, StmtKind};

/// Classes of error for which a handler is run one by one.
const CLASSES: usize = 8;

/// Handlers inside one another in which errors are told apart.
pub const HANDLERS: usize = 3;

impl Interp<'_> {
    /// Statements of a block, in a scope of their own.
    pub fn exec_scoped(&mut self, body: &[Stmt]) {
        let outer = self.frame().scope.clone();
        let scope = Scope::inside(&outer, false);
        self.hoist(body, &scope);
        self.frame_mut().scope = scope;
        self.exec_all(body);
        self.frame_mut().scope = outer;
    }

    /// Statements one after the other.
    pub fn exec_all(&mut self, body: &[Stmt]) {
        for statement in body {
            if self.dead() {
                break;
            }
            self.exec(statement);
        }
    }

    /// One statement.
    pub fn exec(&mut self, statement: &Stmt) {
        if !self.step() {
            let expr = Expr {
                span: statement.span,
                kind: crate::program::ExprKind::Undefined,
            };
            self.give_up(&expr, "step limit");
            self.block().dead = true;
            return;
        }
        if self.annotated_statement(statement) {
            return;
        }
        stacker::maybe_grow(256 * 1024, 4 * 1024 * 1024, || self.exec_kind(statement));
    }

    /// A statement, whatever its annotations say.
    pub(super) fn exec_kind(&mut self, statement: &Stmt) {
        match &statement.kind {
            StmtKind::Let {
                pattern,
                init,
                hoisted,
                ty,
                ..
            } => {
                let mut value = init
                    .as_ref()
                    .map_or(Value::Undefined, |init| self.eval(init));
                if let (Value::Opaque, Some(ty), false) = (&value, ty, self.failures_are_values()) {
                    value = self.value_of_type(ty).unwrap_or(Value::Opaque);
                }
                if !self.dead() && self.failures_are_values() {
                    self.let_again(pattern, ty.as_deref(), value);
                } else if !self.dead() {
                    let scope = self.frame().scope.clone();
                    let scope = if *hoisted {
                        scope.function_scope()
                    } else {
                        scope
                    };
                    self.bind(pattern, value, &scope);
                }
            }
            StmtKind::Function { .. }
            | StmtKind::Import(_)
            | StmtKind::Type { .. }
            | StmtKind::Empty => {}
            StmtKind::Class { name, class } => {
                let value = self.class(class);
                let cell = self.store.add(Content::Value(value));
                self.frame().scope.declare(name.clone(), cell);
            }
            StmtKind::Expr(expr) => {
                self.unused = Some(self.here(expr.span));
                let mark = self.mark();
                let value = self.eval(expr);
                self.unused = None;
                self.settles_unless_thrown(&value, mark);
                self.set_in_place(expr, &value);
                self.discard(&value, expr);
            }
            StmtKind::Return(value) => self.exec_return(value.as_ref(), statement),
            StmtKind::Throw(value) => {
                let value = self.eval(value);
                if self.failures_are_values() {
                    self.panics();
                } else {
                    self.throw_value(&value);
                }
            }
            StmtKind::If { test, then, other } => self.exec_if(test, then, other),
            StmtKind::Try {
                body,
                handler,
                finally,
            } => {
                self.exec_try(body, handler.as_ref(), finally.as_deref());
            }
            StmtKind::Switch { subject, cases } => self.exec_switch(subject, cases),
            StmtKind::Break(label) => self.jump(label.clone(), false),
            StmtKind::Continue(label) => self.jump(label.clone(), true),
            StmtKind::Labelled { label, body } => self.exec_labelled(label, body),
            StmtKind::Block(body) => self.exec_scoped(body),
            StmtKind::ForOf { .. }
            | StmtKind::ForIn { .. }
            | StmtKind::For { .. }
            | StmtKind::While { .. }
            | StmtKind::DoWhile { .. } => self.exec_loop(statement, None),
        }
    }

    /// A declaration that may be of a name that is declared already: what was made before goes on
    /// with the variable before.
    fn let_again(
        &mut self,
        pattern: &crate::program::Pattern,
        ty: Option<&crate::program::Type>,
        value: Value,
    ) {
        let value = match ty {
            Some(ty) => self.as_written(value, ty, None),
            None => value,
        };
        let mut scope = self.frame().scope.clone();
        let again = crate::program::bound_names(pattern)
            .iter()
            .any(|name| scope.own(name).is_some());
        if again {
            scope = Scope::inside(&scope, false);
            self.frame_mut().scope = scope.clone();
        }
        self.bind(pattern, value, &scope);
    }

    fn exec_return(&mut self, value: Option<&Expr>, statement: &Stmt) {
        if self.failures_are_values() {
            let at = self.here(statement.span);
            match value {
                Some(value) => {
                    self.go_on_from(value, &mut |interp, value| {
                        interp.leave_with(value, at);
                        Value::Undefined
                    });
                }
                None => self.leave_with(Value::Undefined, at),
            }
            return;
        }
        let value = value.map_or(Value::Undefined, |value| self.eval(value));
        if self.dead() {
            return;
        }
        let at = self.here(value_span(statement));
        let value = if self.frame().is_async {
            self.await_value(value, at)
        } else {
            value
        };
        let value = self.rendered(value, at);
        if self.dead() {
            return;
        }
        let outcome = if self.frame().ends {
            let at = self.here(statement.span);
            self.outcome(OutcomeKey::End(at))
        } else {
            Outcome::RETURN
        };
        self.leave(outcome, ExitKind::Return, value);
    }

    /// Throws a value: one way out for each class of error that it can be.
    pub fn throw_value(&mut self, value: &Value) {
        if self.dead() {
            return;
        }
        let alternatives = value.alternatives().to_vec();
        if let [one] = alternatives.as_slice() {
            self.throw_one(one);
            return;
        }
        self.branch(alternatives, |interp, one| {
            interp.throw_one(&one);
            Value::Undefined
        });
    }

    fn throw_one(&mut self, value: &Value) {
        let class = self.class_of(value);
        let outcome = self.error_outcome(&class);
        let value = match value {
            Value::Error(_) => value.clone(),
            Value::Object(cell) => Value::Error(Rc::new(ErrorValue {
                class,
                object: Some(*cell),
                cause: None,
            })),
            other => Value::Error(Rc::new(ErrorValue {
                class,
                object: None,
                cause: Some(other.clone()),
            })),
        };
        self.leave(outcome, ExitKind::Throw, value);
    }

    /// The class of an error that is thrown: its name and code as its fields say.
    pub fn class_of(&mut self, value: &Value) -> ErrorClass {
        match value {
            Value::Error(error) => match error.object {
                Some(cell) => self.class_of(&Value::Object(cell)),
                None => error.class.clone(),
            },
            Value::Object(_) => {
                let name = self.known_member(value, "name");
                let code = self.known_member(value, "code");
                let status = self.known_status(value);
                ErrorClass {
                    kind: ErrorKind::Other,
                    name,
                    code,
                    status,
                    clock: None,
                }
            }
            Value::Choice(values) => {
                // Several errors that are thrown as one outcome are of one class.
                let classes: Vec<ErrorClass> =
                    values.iter().map(|value| self.class_of(value)).collect();
                match classes.split_first() {
                    Some((first, rest)) if rest.iter().all(|class| class == first) => first.clone(),
                    _ => ErrorClass::other(),
                }
            }
            // One of several forms of the project's own is told apart from the others.
            Value::Form(form) => match &form.form {
                super::value::Form::Of(_, name) => {
                    ErrorClass::named(ErrorKind::Other, Some(name), None)
                }
                _ => ErrorClass::other(),
            },
            _ => ErrorClass::other(),
        }
    }

    fn known_member(&mut self, value: &Value, name: &str) -> Known {
        let at = self.here(crate::program::Span::default());
        match self.member_at(value, &Name::from(name), at) {
            Value::Text(text) if !text.open => Known::Is(text.text),
            Value::Undefined | Value::Null => Known::Absent,
            Value::Number(number) if number.exact => Known::Is(number.value.to_string().into()),
            _ => Known::Unknown,
        }
    }

    fn known_status(&mut self, value: &Value) -> Option<u16> {
        let Value::Object(cell) = value else {
            return None;
        };
        match self.store.object(*cell).fields.get("status") {
            Some(Value::Number(number)) if number.exact && (0.0..640.0).contains(&number.value) => {
                Some(number.value as u16)
            }
            _ => None,
        }
    }

    fn exec_if(&mut self, test: &Expr, then: &[Stmt], other: &[Stmt]) {
        let value = self.condition(test);
        if self.dead() {
            return;
        }
        match self.decide(&value) {
            Some(decided) => {
                self.skip_statements(if decided { other } else { then });
                let before = self.control(&choosing(&value.tags()));
                self.exec_scoped(if decided { then } else { other });
                // Where the other branch would have left, the rest depends on the test too.
                if !leaves(if decided { other } else { then }) {
                    self.frame_mut().control = before;
                }
            }
            None => {
                let budget = super::gates::checked_budget(&value, then, other);
                self.branch(vec![true, false], |interp, holds| {
                    interp.assume(test, &value, holds);
                    if let Some((budget, passes)) = budget
                        && holds == passes
                    {
                        interp.pass_gate(budget);
                    }
                    interp.exec_scoped(if holds { then } else { other });
                    Value::Undefined
                });
            }
        }
    }

    fn exec_try(&mut self, body: &[Stmt], handler: Option<&Handler>, finally: Option<&[Stmt]>) {
        self.flush();
        if let Some(finally) = finally {
            let mark = self.mark();
            let flow = self.sub_block(|interp| interp.exec_handled(body, handler));
            self.exec_finally(flow, finally, mark);
        } else {
            self.exec_handled(body, handler);
        }
    }

    fn sub_block(&mut self, run: impl FnOnce(&mut Self)) -> Flow {
        self.open();
        run(self);
        self.flush();
        self.close()
    }

    fn exec_handled(&mut self, body: &[Stmt], handler: Option<&Handler>) {
        let Some(handler) = handler else {
            self.exec_scoped(body);
            return;
        };
        let mark = self.mark();
        self.frame_mut().guarded += 1;
        let flow = self.sub_block(|interp| interp.exec_scoped(body));
        self.frame_mut().guarded -= 1;
        let (thrown, others): (Vec<Exit>, Vec<Exit>) = flow
            .exits
            .into_iter()
            .partition(|exit| exit.kind == ExitKind::Throw);
        if thrown.is_empty() {
            self.append(Flow {
                exits: others,
                ..flow
            });
            return;
        }
        self.handle(
            flow.term, thrown, others, flow.dead, flow.late, handler, mark,
        );
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "the parts of a flow, taken apart by the caller"
    )]
    fn handle(
        &mut self,
        body: TermId,
        thrown: Vec<Exit>,
        others: Vec<Exit>,
        body_dead: bool,
        late: Vec<super::block::Late>,
        handler: &Handler,
        mark: super::store::Mark,
    ) {
        // The handler may begin with anything that the body has written, or not yet written.
        let after = self.store.written(mark);
        let before = self.store.all_before(mark);
        let start = self.mark();
        for (cell, content) in before {
            self.weaken(cell, &content);
        }
        self.apply_late(&late, true, |_| true);
        let mut flows: Vec<(Vec<Outcome>, Flow)> = Vec::new();
        let mut writes = Vec::new();
        let failed = self.settle_all(body, &thrown);
        for (outcomes, value) in by_class(thrown, self.handlers) {
            let mark = self.mark();
            self.open();
            self.block().preceded = Some(failed);
            self.run_handler(handler, value);
            self.flush();
            let dead = self.dead();
            let mut flow = self.close();
            flow.left_before(start, &self.store);
            let mut written = self.store.undo(mark);
            if dead {
                // It began with what the body may have written, which is not undone yet.
                for (cell, content) in self.store.written(start) {
                    written.entry(cell).or_insert(content);
                }
                flow.left_with(start, written);
                writes.push(None);
            } else {
                writes.push(Some(written));
            }
            flows.push((outcomes, flow));
        }
        // Of the ways to go on: after the handlers from what is joined now, or after the body.
        self.store.merge(&writes);
        let handled_alive = flows.iter().any(|(_, flow)| !flow.dead);
        let handlers = self.store.undo(start);
        let body_writes = (!body_dead).then_some(after);
        self.store
            .merge(&[handled_alive.then_some(handlers), body_writes]);
        let mut arms = Vec::new();
        let mut exits = others;
        let mut dead = body_dead;
        let mut late: Vec<super::block::Late> = late
            .into_iter()
            .filter(|late| !matches!(late, super::block::Late::Held { thrown: true, .. }))
            .collect();
        for (outcomes, flow) in flows {
            arms.extend(outcomes.into_iter().map(|outcome| (outcome, flow.term)));
            exits.extend(flow.exits);
            dead &= flow.dead;
            late.extend(flow.late);
        }
        let term = self.then(body, arms);
        self.append(Flow {
            term,
            exits,
            dead,
            late,
        });
    }

    fn run_handler(&mut self, handler: &Handler, value: Value) {
        let outer = self.frame().scope.clone();
        let scope = Scope::inside(&outer, false);
        self.frame_mut().scope = scope.clone();
        if let Some(pattern) = &handler.pattern {
            self.bind(pattern, value, &scope);
        }
        self.handlers += 1;
        self.exec_scoped(&handler.body);
        self.handlers -= 1;
        self.frame_mut().scope = outer;
    }

    fn exec_finally(&mut self, flow: Flow, finally: &[Stmt], mark: super::store::Mark) {
        let body_dead = flow.dead;
        let start = self.mark();
        if flow.exits.iter().any(|exit| exit.kind == ExitKind::Throw) {
            // It may begin with anything that the body has written, or not yet written.
            for (cell, content) in self.store.all_before(mark) {
                self.weaken(cell, &content);
            }
        }
        self.apply_late(&flow.late, false, |_| true);
        self.apply_late(&flow.late, true, |_| true);
        let ended = self.settle_all(flow.term, &flow.exits);
        let given = self.store.written(start);
        let began = self.mark();
        self.cleaning += 1;
        let mut cleanup = self.sub_block(|interp| {
            interp.block().preceded = Some(ended);
            interp.exec_scoped(finally);
        });
        self.cleaning -= 1;
        cleanup.left_before(start, &self.store);
        // Behind it the body has reached its end: it has written all of that.
        let written = self.store.undo(began);
        if !body_dead {
            self.store.undo(start);
        }
        for (cell, content) in written {
            // A test leaves what it was given, if in another order.
            if !given.get(&cell).is_some_and(|given| given.same(&content)) {
                self.store.set(cell, content);
            }
        }
        if matches!(self.terms.get(cleanup.term), Term::Nothing) && cleanup.exits.is_empty() {
            self.append(flow);
            return;
        }
        let handler_dead = cleanup.dead;
        let term = self.terms.add(Term::Finally {
            body: flow.term,
            handler: cleanup.term,
        });
        let mut exits = flow.exits;
        exits.extend(cleanup.exits);
        let mut late = flow.late;
        late.extend(cleanup.late);
        self.append(Flow {
            term,
            exits,
            dead: body_dead || handler_dead,
            late,
        });
    }

    fn exec_switch(&mut self, subject: &Expr, cases: &[Case]) {
        let value = self.eval(subject);
        let mut possible: Vec<usize> = Vec::new();
        let mut certain = false;
        let mut tags = choosing(&value.tags());
        for (index, case) in cases.iter().enumerate() {
            let Some(test) = &case.test else { continue };
            let test = self.eval(test);
            let equal = self.binary(crate::program::BinaryOp::Equal, &value, &test);
            match self.truth(&equal) {
                Some(true) => {
                    tags = super::value::join_tags(&tags, &choosing(&equal.tags()));
                    possible.push(index);
                    certain = true;
                    break;
                }
                Some(false) => {}
                None => possible.push(index),
            }
        }
        let default = cases.iter().position(|case| case.test.is_none());
        let mut starts: Vec<Option<usize>> = possible.into_iter().map(Some).collect();
        if !certain {
            starts.push(default);
        }
        for (index, case) in cases.iter().enumerate() {
            if !starts.contains(&Some(index)) {
                self.skip_statements(&case.body);
            }
        }
        let before = self.control(&tags);
        if let [start] = starts.as_slice() {
            let start = *start;
            self.run_cases(cases, start);
        } else {
            self.branch(starts, |interp, start| {
                interp.run_cases(cases, start);
                Value::Undefined
            });
        }
        if !cases.iter().any(|case| leaves(&case.body)) {
            self.frame_mut().control = before;
        }
    }

    fn run_cases(&mut self, cases: &[Case], start: Option<usize>) {
        let Some(start) = start else { return };
        self.open();
        let outer = self.frame().scope.clone();
        let scope = Scope::inside(&outer, false);
        for case in cases {
            self.hoist(&case.body, &scope);
        }
        self.frame_mut().scope = scope;
        for case in &cases[start..] {
            self.exec_all(&case.body);
        }
        self.frame_mut().scope = outer;
        self.close_breakable(None);
    }

    /// Ends a block that an unlabelled `break` (or this label's) leaves as if at its end.
    pub fn close_breakable(&mut self, label: Option<&Name>) {
        self.close_breakable_as(label, None);
    }

    /// Likewise, as one step of a sum.
    pub fn close_breakable_as(&mut self, label: Option<&Name>, step: Option<crate::cost::Site>) {
        let flow = self.close();
        let mut arms = Vec::new();
        let mut exits = Vec::new();
        let nothing = self.terms.add(Term::Nothing);
        for exit in flow.exits {
            let ours = matches!(&exit.kind, ExitKind::Break(name) if name.as_ref() == label);
            if ours {
                arms.push((exit.outcome, nothing));
            } else {
                exits.push(exit);
            }
        }
        let left = !arms.is_empty();
        let term = self.then(flow.term, arms);
        let term = match step {
            Some(site) if self.waits(term) => self.terms.add(Term::Step { site, body: term }),
            _ => term,
        };
        let late = if left { flow.late.clone() } else { Vec::new() };
        self.append_keeping_fresh(Flow {
            term,
            exits,
            dead: flow.dead && !left,
            late: flow.late,
        });
        self.apply_late(
            &late,
            false,
            |kind| matches!(kind, ExitKind::Break(name) if name.as_ref() == label),
        );
    }

    fn jump(&mut self, label: Option<Name>, continues: bool) {
        let outcome = match &label {
            None if continues => Outcome::CONTINUE,
            None => Outcome::BREAK,
            Some(label) => self.outcome(OutcomeKey::Jump(label.clone(), continues)),
        };
        let kind = if continues {
            ExitKind::Continue(label)
        } else {
            ExitKind::Break(label)
        };
        self.leave(outcome, kind, Value::Undefined);
    }

    fn exec_labelled(&mut self, label: &Name, body: &Stmt) {
        self.open();
        if is_loop(body) {
            self.exec_loop(body, Some(label));
        } else {
            self.exec(body);
        }
        self.close_breakable(Some(label));
    }
}

/// Whether a statement is a loop.
pub fn is_loop(statement: &Stmt) -> bool {
    matches!(
        statement.kind,
        StmtKind::ForOf { .. }
            | StmtKind::ForIn { .. }
            | StmtKind::For { .. }
            | StmtKind::While { .. }
            | StmtKind::DoWhile { .. }
    )
}

fn value_span(statement: &Stmt) -> crate::program::Span {
    match &statement.kind {
        StmtKind::Return(Some(value)) => value.span,
        _ => statement.span,
    }
}

/// Whether statements leave the function somewhere at their top.
pub(super) fn leaves(body: &[Stmt]) -> bool {
    body.iter().any(|statement| match &statement.kind {
        StmtKind::Return(_) | StmtKind::Throw(_) => true,
        StmtKind::Block(body) => leaves(body),
        _ => false,
    })
}

/// The thrown errors by class; beyond a few the rest is one, with a joined value.
pub(super) fn by_class(thrown: Vec<Exit>, around: usize) -> Vec<(Vec<Outcome>, Value)> {
    // Handlers in handlers would multiply.
    let classes = if around < HANDLERS { CLASSES } else { 1 };
    let mut groups: Vec<(Vec<Outcome>, Value)> = Vec::new();
    for exit in thrown {
        match groups
            .iter_mut()
            .find(|(outcomes, _)| outcomes.contains(&exit.outcome))
        {
            Some((_, value)) => *value = super::join::join(value.clone(), exit.value),
            None => groups.push((vec![exit.outcome], exit.value)),
        }
    }
    if groups.len() > classes {
        let rest = groups.split_off(classes - 1);
        let outcomes = rest
            .iter()
            .flat_map(|(outcomes, _)| outcomes.iter().copied())
            .collect();
        groups.push((outcomes, join_all(rest.into_iter().map(|(_, value)| value))));
    }
    groups
}
