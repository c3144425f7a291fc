//! Loops: turn by turn while the test is decided, else as a term of their own.

use std::collections::{BTreeMap, BTreeSet};

use super::block::{Exit, ExitKind, Flow};
use super::facts::{LoopInfo, SiteKind, UnmodelledInfo};
use super::interp::{Interp, TURNS};
use super::join::{join, join_all};
use super::scope::Scope;
use super::store::{Content, ListData};
use super::value::{At, CellId, FutureState, Num, Value};
use crate::cost::{Gate, Outcome, Term, TermId};

use crate::program::{
    Annotation, BinaryOp, Expr, ExprKind, Mentions, Name, Pattern, Stmt, StmtKind,
};

/// Turns of loops in loops that are run one by one; above it, the inner ones are summarised.
const UNROLLED: u64 = 256;

/// A loop, its parts taken apart.
struct Parts<'a> {
    at: At,
    test: Option<&'a Expr>,
    /// The test stands after the body.
    test_last: bool,
    update: Option<&'a Expr>,
    body: &'a [Stmt],
    label: Option<&'a Name>,
    /// What bounds it, in words.
    over: String,
}

/// What a loop runs over while it may change.
struct Live<'a> {
    source: Value,
    iterable: &'a Expr,
}

/// How a turn begins.
enum Turn {
    /// The test holds.
    Goes,
    /// The test does not hold.
    Ends,
    /// Not known.
    Unknown,
}

impl Interp<'_> {
    /// A loop statement.
    pub fn exec_loop(&mut self, statement: &Stmt, label: Option<&Name>) {
        let at = self.here(statement.span);
        let outer = self.frame().scope.clone();
        self.frame_mut().scope = Scope::inside(&outer, false);
        match &statement.kind {
            StmtKind::For {
                init,
                test,
                update,
                body,
            } => {
                self.exec_all(init);
                self.run_loop(&Parts {
                    at,
                    test: test.as_ref(),
                    test_last: false,
                    update: update.as_deref(),
                    body,
                    label,
                    over: "for".to_string(),
                });
            }
            StmtKind::While { test, body } => self.run_loop(&Parts {
                at,
                test: Some(test),
                test_last: false,
                update: None,
                body,
                label,
                over: "while".to_string(),
            }),
            StmtKind::DoWhile { body, test } => self.run_loop(&Parts {
                at,
                test: Some(test),
                test_last: true,
                update: None,
                body,
                label,
                over: "do while".to_string(),
            }),
            StmtKind::ForOf {
                pattern,
                declares,
                iterable,
                body,
                asynchronous,
            } => {
                self.for_of(at, pattern, *declares, iterable, body, *asynchronous, label);
            }
            StmtKind::ForIn {
                pattern,
                declares,
                object,
                body,
            } => {
                let object = self.eval(object);
                let keys = self.keys_of(&object);
                self.each(at, pattern, *declares, &keys, body, label, "keys", None);
            }
            _ => {}
        }
        self.frame_mut().scope = outer;
    }

    /// The fields of an object as a list of texts.
    fn keys_of(&mut self, object: &Value) -> Value {
        match object {
            Value::Object(cell) => {
                let data = self.store.object(*cell);
                let keys = data
                    .fields
                    .keys()
                    .filter(|name| !super::builtins::is_slot(name));
                let keys: Vec<Value> = keys.cloned().map(Value::text).collect();
                if data.rest.is_none() {
                    self.store.new_list(keys)
                } else {
                    self.store.new_list_of(Value::Opaque, None)
                }
            }
            _ => self.store.new_list_of(Value::Opaque, None),
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of the statement")]
    fn for_of(
        &mut self,
        at: At,
        pattern: &Pattern,
        declares: bool,
        iterable: &Expr,
        body: &[Stmt],
        asynchronous: bool,
        label: Option<&Name>,
    ) {
        let mut list = self.eval(iterable);
        if asynchronous {
            self.reached.insert((at.module, at.span));
            self.suspends();
        }
        let over = words_of(iterable);
        if let Some(iterator) = self.own_iterator(&list, asynchronous, at) {
            if let Value::Object(_) = iterator {
                let turns = super::iterators::Turns {
                    at,
                    pattern,
                    declares,
                    body,
                    asynchronous,
                };
                let body = self.steps_of(&iterator, &turns);
                self.run_loop(&Parts {
                    at,
                    test: None,
                    test_last: false,
                    update: None,
                    body: &body,
                    label,
                    over,
                });
                return;
            }
            list = iterator;
        }
        let source = list.clone();
        if asynchronous || matches!(list, Value::Future(_)) {
            list = self.iterate(list, at);
        }
        let list = self.iterated(&list);
        let live = Live { source, iterable };
        self.each(at, pattern, declares, &list, body, label, &over, Some(live));
    }

    /// What a loop runs over, as it is by now.
    fn seen_again(&mut self, live: &Live<'_>) -> Value {
        // The keys, values or entries of something are those that it has when they are reached.
        let view = match &live.iterable.kind {
            ExprKind::Call { callee, args, .. } if args.is_empty() => match &callee.kind {
                ExprKind::Member { name, .. } => {
                    matches!(name.as_str(), "keys" | "values" | "entries")
                }
                _ => false,
            },
            _ => false,
        };
        if !view {
            return self.iterated(&live.source);
        }
        let mark = self.mark();
        self.open();
        let value = self.eval(live.iterable);
        self.close();
        self.store.undo(mark);
        self.iterated(&value)
    }

    /// The items of something that is iterated over asynchronously: it is waited for as a whole.
    pub(super) fn iterate(&mut self, value: Value, at: At) -> Value {
        match &value {
            Value::Rule(rule) => {
                let rule = rule.clone();
                self.iterate_rule(&rule, at)
            }
            Value::List(cell) => {
                let list = self.store.list(*cell);
                let items: Vec<Value> = list
                    .items
                    .iter()
                    .cloned()
                    .chain(list.rest.clone())
                    .collect();
                let known = list.rest.is_none();
                let items: Vec<Value> = items
                    .into_iter()
                    .map(|item| self.await_value(item, at))
                    .collect();
                if known {
                    self.store.new_list(items)
                } else {
                    self.store.new_list_of(join_all(items), list.bound)
                }
            }
            Value::Object(_) => {
                let info = UnmodelledInfo {
                    package: None,
                    callee: "iterator".to_string(),
                    reason: "the iterator of an object is not known".to_string(),
                    awaits: 1,
                };
                self.unmodelled(info, at);
                self.store.new_list_of(Value::Opaque, None)
            }
            _ => self.await_value(value, at),
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of the statement")]
    fn each(
        &mut self,
        at: At,
        pattern: &Pattern,
        declares: bool,
        list: &Value,
        body: &[Stmt],
        label: Option<&Name>,
        over: &str,
        live: Option<Live<'_>>,
    ) {
        if self.dead() {
            return;
        }
        let exact = match list {
            Value::List(cell) => {
                let list = self.store.list(*cell);
                let few = list.items.len() <= TURNS && self.unrolling < UNROLLED;
                (list.rest.is_none() && few).then(|| list.items.clone())
            }
            _ => None,
        };
        let grows = exact.is_some();
        let mut list = list.clone();
        if let Some(items) = exact {
            let mut gone_through = items.clone();
            let mut items = items;
            loop {
                let known = gone_through.len();
                self.each_exact(pattern, declares, items, body, label);
                let (false, Some(live)) = (self.dead(), &live) else {
                    return;
                };
                let now = self.seen_again(live);
                if !self.has_grown(&now, known) {
                    return;
                }
                // What the turns have put into it is gone through too, and puts more into it.
                list = now;
                match self.added(&list, &gone_through) {
                    Some(added) => {
                        gone_through.extend(added.iter().cloned());
                        items = added;
                    }
                    None => break,
                }
            }
        }
        let annotated = self.loop_bound(at);
        let item = self.item_of(&list);
        let before = self.most_items(&list).filter(|_| !grows);
        let bound = |interp: &mut Self| {
            let now = match &live {
                Some(live) if !grows => interp.seen_again(live),
                _ => list.clone(),
            };
            let still = interp.most_items(&now);
            // Where a turn puts something into it the length of before bounds nothing.
            annotated.or(before.filter(|bound| still.is_some_and(|now| now <= *bound)))
        };
        self.summary_bounded(at, bound, None, over, label, |interp| {
            interp.bind_item(pattern, declares, item.clone());
            interp.exec_scoped(body);
        });
    }

    /// The items behind those that a list had; `None`: they are not told apart, or too many.
    fn added(&mut self, list: &Value, known: &[Value]) -> Option<Vec<Value>> {
        let Value::List(cell) = list else {
            return None;
        };
        let list = self.store.list(*cell);
        let same = list.items.iter().zip(known).all(|(a, b)| a.same(b));
        let told_apart = list.rest.is_none() && list.items.len() <= TURNS && same;
        told_apart.then(|| list.items[known.len()..].to_vec())
    }

    /// Whether a list has more items than so many.
    fn has_grown(&self, list: &Value, known: usize) -> bool {
        let Value::List(cell) = list else {
            return false;
        };
        let list = self.store.list(*cell);
        list.items.len() > known || list.rest.is_some()
    }

    fn bind_item(&mut self, pattern: &Pattern, declares: bool, item: Value) {
        if declares {
            let outer = self.frame().scope.clone();
            let scope = Scope::inside(&outer, false);
            self.frame_mut().scope = scope.clone();
            self.bind(pattern, item, &scope);
        } else {
            self.assign(pattern, item);
        }
    }

    fn each_exact(
        &mut self,
        pattern: &Pattern,
        declares: bool,
        items: Vec<Value>,
        body: &[Stmt],
        label: Option<&Name>,
    ) {
        self.open();
        let around = self.unrolling;
        self.unrolling = around.saturating_mul(items.len() as u64);
        let outer = self.frame().scope.clone();
        for item in items {
            if self.dead() {
                break;
            }
            self.open();
            self.bind_item(pattern, declares, item);
            self.exec_scoped(body);
            self.frame_mut().scope = outer.clone();
            self.close_turn(label);
        }
        self.unrolling = around;
        self.close_breakable(None);
    }

    /// Ends a turn: `continue` goes on as if at its end.
    fn close_turn(&mut self, label: Option<&Name>) {
        let flow = self.close();
        let nothing = self.terms.add(Term::Nothing);
        let mut arms = Vec::new();
        let mut exits = Vec::new();
        for exit in flow.exits {
            let ours = matches!(&exit.kind, ExitKind::Continue(name) if name.is_none() || name.as_ref() == label);
            if ours {
                arms.push((exit.outcome, nothing));
            } else {
                exits.push(exit);
            }
        }
        let goes_on = !arms.is_empty();
        let late = if goes_on {
            flow.late.clone()
        } else {
            Vec::new()
        };
        let term = self.then(flow.term, arms);
        self.append_keeping_fresh(Flow {
            term,
            exits,
            dead: flow.dead && !goes_on,
            late: flow.late,
        });
        self.apply_late(&late, false, |kind| {
            matches!(kind, ExitKind::Continue(name) if name.is_none() || name.as_ref() == label)
        });
    }

    fn run_loop(&mut self, parts: &Parts<'_>) {
        let annotated = self.loop_bound(parts.at);
        self.open();
        let mut summarised = annotated.is_some();
        if summarised {
            self.summarise(parts, annotated);
        } else if self.unrolling >= UNROLLED {
            let counted = self.counted(parts);
            self.summarise(parts, counted);
            summarised = true;
        }
        let around = self.unrolling;
        self.unrolling = around.saturating_mul(TURNS as u64);
        for turn in 0..TURNS {
            if summarised || self.dead() {
                break;
            }
            let first = parts.test_last && turn == 0;
            let before_test = self.mark();
            let begin = if first {
                Turn::Goes
            } else {
                self.begin_turn(parts)
            };
            match begin {
                Turn::Ends => break,
                Turn::Goes => {
                    let mark = self.mark();
                    let saved = (self.blocks.last().cloned(), self.fresh.clone());
                    self.begin_gate();
                    self.turn(parts);
                    let checks = self.turn_gates.pop().is_some_and(|gate| gate.checks());
                    if checks {
                        // A turn that looks at the clock is not told apart from the next.
                        self.store.undo(mark);
                        if let (Some(block), Some(last)) = (saved.0, self.blocks.last_mut()) {
                            *last = block;
                        }
                        self.fresh = saved.1;
                        self.summarise(parts, None);
                        summarised = true;
                    } else if !self.dead() && !first && !self.progresses(before_test) {
                        // Nothing that a later turn could tell from this one has changed.
                        self.summarise(parts, None);
                        summarised = true;
                    }
                }
                Turn::Unknown => {
                    self.summarise(parts, None);
                    summarised = true;
                }
            }
            if turn + 1 == TURNS && !summarised && !self.dead() {
                let counted = self.counted(parts);
                if counted != Some(0) {
                    self.summarise(parts, counted);
                }
            }
        }
        self.unrolling = around;
        let step = self.loop_step(parts);
        self.close_breakable_as(None, step);
    }

    /// The step that all turns of a loop are in a sum: named by the function that it stands in.
    fn loop_step(&mut self, parts: &Parts<'_>) -> Option<crate::cost::Site> {
        let own = self.frames.len() > 2;
        let label = self
            .label_here()
            .filter(|_| own)
            .unwrap_or_else(|| format!("{} loop", parts.over));
        let items = self.block().items.clone();
        let place = self.place(parts.at);
        let attempts = self.attempts_of(&items, parts.body, &counters(parts), place);
        let kind = attempts.map_or(SiteKind::Step, SiteKind::Attempts);
        Some(self.site(parts.at, label, kind))
    }

    /// Whether a turn changed a number or a truth value: then the next turn may differ.
    pub(super) fn progresses(&self, mark: super::store::Mark) -> bool {
        let now = self.store.written(mark);
        self.store
            .before(mark)
            .iter()
            .any(|(cell, old)| match (old, now.get(cell)) {
                (Content::Value(old), Some(Content::Value(new))) => {
                    !old.same(new)
                        && matches!(
                            new,
                            Value::Number(Num { exact: true, .. }) | Value::Bool(..)
                        )
                }
                // A number in a record counts as one in a variable does.
                (Content::Object(old), Some(Content::Object(new))) => {
                    old.of.is_some()
                        && new.fields.iter().any(|(name, new)| {
                            let counts = matches!(
                                new,
                                Value::Number(Num { exact: true, .. }) | Value::Bool(..)
                            );
                            counts && old.fields.get(name).is_some_and(|old| !old.same(new))
                        })
                }
                // Items are taken one by one.
                (Content::List(old), Some(Content::List(new))) => {
                    self.failures_are_values()
                        && old.rest.is_none()
                        && new.rest.is_none()
                        && old.items.len() != new.items.len()
                }
                _ => false,
            })
    }

    /// The turns that are left of a loop that counts to a number, by steps that are the same
    /// however a turn goes.
    fn counted(&mut self, parts: &Parts<'_>) -> Option<u64> {
        let ExprKind::Binary { op, left, right } = &parts.test?.kind else {
            return None;
        };
        let ExprKind::Name(name) = &left.kind else {
            return None;
        };
        let update = parts.update.filter(|_| !parts.test_last)?;
        let cell = self.frame().scope.find(name)?;
        let mark = self.mark();
        let scope = self.frame().scope.clone();
        self.open();
        let turns = self.turns_left(*op, cell, right, update, parts.body);
        self.close();
        self.frame_mut().scope = scope;
        self.store.undo(mark);
        turns
    }

    fn turns_left(
        &mut self,
        op: BinaryOp,
        counter: CellId,
        end: &Expr,
        update: &Expr,
        body: &[Stmt],
    ) -> Option<u64> {
        let from = exactly(&self.read(counter))?;
        let until = exactly(&self.eval(end))?;
        self.eval(update);
        let step = exactly(&self.read(counter))? - from;
        // However the body goes, it must leave the counter and its end alone.
        self.store.set(counter, Content::Value(Value::Opaque));
        let version = self.store.version(counter);
        self.exec_scoped(body);
        self.flush();
        let kept = self.store.version(counter) == version;
        self.open();
        let again = exactly(&self.eval(end));
        self.close();
        let same = self.dead() || again == Some(until);
        (kept && same).then(|| turns_between(op, from, until, step))?
    }

    fn begin_turn(&mut self, parts: &Parts<'_>) -> Turn {
        let Some(test) = parts.test else {
            return Turn::Goes;
        };
        let value = self.eval(test);
        if self.dead() {
            return Turn::Ends;
        }
        match self.decide(&value) {
            Some(true) => Turn::Goes,
            Some(false) => Turn::Ends,
            None => Turn::Unknown,
        }
    }

    fn turn(&mut self, parts: &Parts<'_>) {
        self.open();
        self.exec_scoped(parts.body);
        self.close_turn(parts.label);
        if let Some(update) = parts.update
            && !self.dead()
        {
            self.eval(update);
        }
    }

    /// The rest of a loop as one term.
    fn summarise(&mut self, parts: &Parts<'_>, bound: Option<u64>) {
        let gate = self.test_gate(parts);
        let test = parts.test.filter(|_| bound.is_none());
        self.summary(
            parts.at,
            bound,
            gate,
            &parts.over.clone(),
            parts.label,
            |interp| {
                if let (Some(test), false) = (test, parts.test_last) {
                    interp.eval(test);
                }
                interp.open();
                interp.exec_scoped(parts.body);
                interp.close_turn(parts.label);
                if let Some(update) = parts.update
                    && !interp.dead()
                {
                    interp.eval(update);
                }
                if let (Some(test), true) = (test, parts.test_last) {
                    interp.eval(test);
                }
            },
        );
    }

    /// The budget that the loop's own test looks at.
    fn test_gate(&mut self, parts: &Parts<'_>) -> Option<Gate> {
        let test = parts.test?;
        let mark = self.mark();
        self.open();
        let value = self.eval(test);
        self.close();
        self.store.undo(mark);
        super::gates::gate_of(&value)
    }

    /// A loop whose turns are not told apart: what it writes is widened, its body run once.
    pub fn summary(
        &mut self,
        at: At,
        bound: Option<u64>,
        gate: Option<Gate>,
        over: &str,
        label: Option<&Name>,
        body: impl FnMut(&mut Self),
    ) {
        self.summary_bounded(at, |_| bound, gate, over, label, body);
    }

    /// Likewise; the bound is asked for where the state is one of any turn.
    fn summary_bounded(
        &mut self,
        at: At,
        bound: impl FnOnce(&mut Self) -> Option<u64>,
        gate: Option<Gate>,
        over: &str,
        label: Option<&Name>,
        mut body: impl FnMut(&mut Self),
    ) {
        if self.dead() {
            return;
        }
        self.flush();
        let scope = self.frame().scope.clone();
        // A first look at what a turn writes; its terms are thrown away.
        let mark = self.mark();
        let first = self.futures.len();
        let promised = self.promised.len();
        let told = self.told_so_far();
        self.open();
        body(self);
        self.flush();
        self.close();
        self.forget_told(&told);
        self.frame_mut().scope = scope.clone();
        let written = self.store.undo(mark);
        self.forget_promised(promised, mark);
        self.widen(&written);
        let bound = bound(self);
        let earlier = self.of_earlier_turns(first);
        // The turn itself, from a state that holds for each.
        let mark = self.mark();
        self.begin_gate();
        self.open();
        body(self);
        self.flush();
        let flow = self.close();
        for (future, state) in earlier {
            self.futures[future].state = state;
        }
        self.frame_mut().scope = scope;
        let gate = self.end_gate(gate, flow.term);
        let before = self.store.before(mark);
        for (cell, content) in before {
            let now = self.store.get(cell).clone();
            match (&content, &now) {
                (Content::List(old), Content::List(new)) => {
                    let grown = grown(old, new);
                    self.store.set(cell, Content::List(grown));
                }
                _ => self.store.weaken(cell, &content),
            }
        }
        self.append_loop(at, bound, gate, over, label, flow);
    }

    /// The futures from `first` on that a turn before this one has started, with the states to
    /// give them back: where a turn waits for one, it may take as long as it does from its start.
    fn of_earlier_turns(&mut self, first: usize) -> Vec<(usize, FutureState)> {
        let mut earlier = Vec::new();
        for (index, future) in self.futures.iter_mut().enumerate().skip(first) {
            if matches!(future.state, FutureState::Started(_)) {
                earlier.push((index, future.state));
                future.state = FutureState::Lazy;
            }
        }
        earlier
    }

    fn append_loop(
        &mut self,
        at: At,
        bound: Option<u64>,
        gate: Option<Gate>,
        over: &str,
        label: Option<&Name>,
        flow: Flow,
    ) {
        let mut exits: Vec<Exit> = Vec::new();
        let mut labelled = Vec::new();
        for exit in flow.exits {
            match &exit.kind {
                ExitKind::Break(None) | ExitKind::Continue(None) => {}
                ExitKind::Continue(Some(name)) if Some(name) == label => {
                    labelled.push(exit.outcome)
                }
                _ => exits.push(exit),
            }
        }
        let again = self.terms.add(Term::Raise(Outcome::CONTINUE));
        let body = self.then(
            flow.term,
            labelled
                .into_iter()
                .map(|outcome| (outcome, again))
                .collect(),
        );
        // What a turn writes may be so or not already, however it ends.
        self.apply_late(&flow.late, false, |_| false);
        let late = flow.late;
        if !self.waits(body) {
            // Turns that wait for nothing take no time; ways out stay.
            let nothing = self.terms.add(Term::Nothing);
            let arms = vec![(Outcome::BREAK, nothing), (Outcome::CONTINUE, nothing)];
            let once = self.then(body, arms);
            let term = self.choice(vec![once, nothing]);
            self.append(Flow {
                term,
                exits,
                dead: false,
                late,
            });
            return;
        }
        let body = if bound.is_none() && gate.is_none() && !self.lasts_each_turn(body) {
            // What only starts work, or waits for what was started before, takes no time in the
            // end: nothing says that it goes on for ever.
            let end = self.terms.add(Term::Raise(Outcome::BREAK));
            self.choice(vec![body, end])
        } else {
            body
        };
        let info = LoopInfo {
            bound,
            over: over.to_string(),
        };
        let site = self.site(at, over, SiteKind::Loop(info));
        let term = self.terms.add(Term::Loop {
            site,
            bound,
            gate,
            body,
        });
        // A turn that always leaves says nothing of how the loop ends: with no turn at all.
        let term = if flow.dead {
            let nothing = self.terms.nothing();
            self.choice(vec![term, nothing])
        } else {
            term
        };
        self.append(Flow {
            term,
            exits,
            dead: false,
            late,
        });
    }

    /// What a turn writes is not known when the next begins.
    fn widen(&mut self, written: &BTreeMap<CellId, Content>) {
        for (cell, content) in written {
            let before = self.store.get(*cell).clone();
            let widened = match (&before, content) {
                (Content::Value(old), Content::Value(new)) => Content::Value(widened(old, new)),
                (Content::List(old), Content::List(new)) => Content::List(grown(old, new)),
                _ => super::store::join_contents(&before, content),
            };
            self.store.set(*cell, widened);
        }
    }

    /// Runs a body an unknown number of times (at most `bound`): for callbacks over lists.
    pub fn repeat(
        &mut self,
        at: At,
        bound: Option<u64>,
        over: &str,
        mut body: impl FnMut(&mut Self) -> Value,
    ) -> Value {
        let mut value = Value::Undefined;
        let annotated = self.loop_bound(at);
        self.summary(at, annotated.or(bound), None, over, None, |interp| {
            value = body(interp);
        });
        value
    }

    /// The bound that an annotation gives a loop or function.
    pub fn loop_bound(&self, at: At) -> Option<u64> {
        let annotations = self.modules[at.module.0 as usize]
            .annotations
            .get(&at.span)?;
        annotations.iter().find_map(|annotation| match annotation {
            Annotation::Loop { bound } => Some(*bound),
            _ => None,
        })
    }

    /// Whether anything in a term waits or is an attempt: a start counts by what it starts.
    pub fn waits(&self, term: TermId) -> bool {
        self.waits_for(term, true)
    }

    /// Whether a term takes time itself: what it starts runs beside.
    pub(super) fn lasts(&self, term: TermId) -> bool {
        self.waits_for(term, false)
    }

    /// Whether each turn of a loop takes time: what was started outside of it ends once.
    fn lasts_each_turn(&self, body: TermId) -> bool {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut started = rustc_hash::FxHashSet::default();
        let mut joined = Vec::new();
        let mut open = vec![body];
        while let Some(term) = open.pop() {
            if !seen.insert(term) {
                continue;
            }
            let node = self.terms.get(term);
            match node {
                Term::Join(handle) => joined.push(*handle),
                Term::Detached(_) => {}
                Term::Start { handle, .. } => {
                    started.insert(*handle);
                }
                _ => {
                    let mut leaf = true;
                    node.each_child(|child| {
                        leaf = false;
                        open.push(child);
                    });
                    if leaf && self.lasts(term) {
                        return true;
                    }
                }
            }
        }
        joined.iter().any(|handle| started.contains(handle))
    }

    fn waits_for(&self, term: TermId, started: bool) -> bool {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut open = vec![term];
        while let Some(term) = open.pop() {
            if !seen.insert(term) {
                continue;
            }
            match self.terms.get(term) {
                Term::Nothing
                | Term::Raise(_)
                | Term::Respond
                | Term::Arm { .. }
                | Term::Disarm(_) => {}
                Term::Then { body, arms } => {
                    open.push(*body);
                    open.extend(arms.iter().map(|(_, arm)| *arm));
                }
                Term::Finally { body, handler } => open.extend([*body, *handler]),
                Term::Choice(terms) => open.extend(terms),
                Term::Step { body, .. } | Term::Within { body, .. } | Term::Shield(body) => {
                    open.push(*body)
                }
                Term::Start { body, .. } | Term::Detached(body) => {
                    open.extend(started.then_some(*body));
                }
                Term::Loop { body, .. } | Term::Deadline { body, .. } | Term::Once { body, .. } => {
                    open.push(*body)
                }
                Term::Par { branches, .. } | Term::FirstOf { branches, .. } => {
                    open.extend(branches)
                }
                _ => return true,
            }
        }
        false
    }
}

/// A list that a turn may have made longer: of no known length any more.
fn grown(old: &std::rc::Rc<ListData>, new: &std::rc::Rc<ListData>) -> std::rc::Rc<ListData> {
    let same = old.items.len() == new.items.len() && old.rest.is_some() == new.rest.is_some();
    let mut joined = super::store::join_lists(old, new);
    if same
        && new
            .bound
            .is_none_or(|new| old.bound.is_some_and(|old| old < new))
    {
        std::rc::Rc::make_mut(&mut joined).bound = None;
    }
    if !same {
        let data = std::rc::Rc::make_mut(&mut joined);
        let items = std::mem::take(&mut data.items);
        data.rest = Some(join_all(items.into_iter().chain(data.rest.take())));
        data.bound = None;
    }
    joined
}

fn widened(old: &Value, new: &Value) -> Value {
    if old.same(new) {
        return old.clone();
    }
    let joined = join(old.clone(), new.clone());
    let kept = joined.alternatives().iter().map(|value| match value {
        Value::Number(_) => Value::Opaque,
        other => other.clone(),
    });
    join_all(kept)
}

/// What a loop runs over, in words.
pub(super) fn words_of(iterable: &Expr) -> String {
    match &iterable.kind {
        ExprKind::Name(name) | ExprKind::Item(name) => name.to_string(),
        ExprKind::Member { object, name, .. } => format!("{}.{name}", words_of(object)),
        ExprKind::Await(inner) => words_of(inner),
        ExprKind::Call { callee, .. } => format!("{}()", words_of(callee)),
        ExprKind::This => "this".to_string(),
        _ => "items".to_string(),
    }
}

/// The names that a loop counts by: those of its test and of what is done between turns.
fn counters(parts: &Parts<'_>) -> BTreeSet<Name> {
    let places = parts.test.into_iter().chain(parts.update);
    places
        .flat_map(|e| Mentions::of_expression(e).names)
        .collect()
}

/// A number that is known exactly.
fn exactly(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) if number.exact => Some(number.value),
        _ => None,
    }
}

/// How many turns a counter takes from one number to another; `None` where it never arrives.
fn turns_between(op: BinaryOp, from: f64, until: f64, step: f64) -> Option<u64> {
    let way = (until - from) / step;
    let turns = match op {
        BinaryOp::Less | BinaryOp::Greater => way.ceil(),
        BinaryOp::LessOrEqual | BinaryOp::GreaterOrEqual => way.floor() + 1.0,
        _ => return None,
    };
    let rises = matches!(op, BinaryOp::Less | BinaryOp::LessOrEqual);
    let arrives = way.is_finite() && step != 0.0 && (step > 0.0) == rises;
    if !arrives {
        return None;
    }
    // Beyond whole numbers a step of one changes nothing.
    let whole = 2f64.powi(53);
    (until.abs() <= whole && from.abs() <= whole).then_some(turns.max(0.0) as u64)
}
