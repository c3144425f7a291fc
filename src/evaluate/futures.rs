//! Futures: awaiting, joining, racing, and promises settled by hand.

use std::rc::Rc;

use super::block::{ExitKind, Flow};
use super::facts::{DeadlineInfo, Figure, SiteKind, UnmodelledInfo};
use super::interp::Interp;
use super::join::join_all;
use super::store::{After, Content, PromiseData, Settlement};
use super::value::{At, CellId, FutureId, FutureState, Native, Unknown, Value};
use crate::cost::{FirstMode, Losers, Outcome, ParMode, Site, Term, TermId, Wait};
use crate::program::{Expr, Name};

impl Interp<'_> {
    /// An `await` that is written at this place.
    pub fn await_at(&mut self, value: Value, at: At) -> Value {
        if self.dead() {
            return Value::Undefined;
        }
        self.reached.insert((at.module, at.span));
        self.await_value(value, at)
    }

    /// Waits for a value; one that is no future is there at once.
    pub fn await_value(&mut self, value: Value, at: At) -> Value {
        if self.dead() {
            return Value::Undefined;
        }
        match value {
            Value::Choice(values) => self.await_choice(&values, at),
            Value::Future(id) => self.await_future(id, at),
            Value::Promise(cell) => {
                let future = self.future_of(cell, at);
                self.await_value(future, at)
            }
            Value::Unknown(unknown) => self.await_unknown(&unknown, at),
            Value::Rule(rule) => self.await_rule(&rule, at),
            Value::Object(_) => self.await_object(value, at),
            Value::Router(cell) => self.await_router(cell),
            other => other,
        }
    }

    fn await_choice(&mut self, values: &[Value], at: At) -> Value {
        let (waiting, ready): (Vec<Value>, Vec<Value>) = values.iter().cloned().partition(|v| self.is_waiting(v));
        if waiting.is_empty() {
            return join_all(ready);
        }
        let mut alternatives: Vec<Vec<Value>> = waiting.into_iter().map(|value| vec![value]).collect();
        if !ready.is_empty() {
            alternatives.push(ready);
        }
        if alternatives.len() == 1 {
            let one = alternatives.remove(0).remove(0);
            return self.await_value(one, at);
        }
        // What is fresh and waited for here is waited for in its branch, where it was made.
        let chosen: Vec<FutureId> = values.iter().filter_map(future_id).collect();
        let (ours, others): (Vec<FutureId>, Vec<FutureId>) =
            std::mem::take(&mut self.fresh).into_iter().partition(|id| chosen.contains(id));
        self.fresh = others;
        let result = self.branch(alternatives, |interp, mut one| {
            if one.len() == 1 {
                let value = one.remove(0);
                if let Value::Future(id) = value
                    && ours.contains(&id)
                {
                    interp.fresh.push(id);
                }
                interp.await_value(value, at)
            } else {
                join_all(one)
            }
        });
        self.fresh.retain(|id| !ours.contains(id));
        result
    }

    fn is_waiting(&self, value: &Value) -> bool {
        match value {
            Value::Future(id) => self.futures[id.0 as usize].state != FutureState::Done,
            Value::Promise(_) | Value::Unknown(_) | Value::Rule(_) => true,
            Value::Object(cell) => {
                let data = self.store.object(*cell);
                data.class.is_some() || data.fields.contains_key("then")
            }
            _ => false,
        }
    }

    fn await_future(&mut self, id: FutureId, _at: At) -> Value {
        self.memo.awaited = self.memo.awaited.min(id.0);
        let data = self.futures[id.0 as usize].clone();
        match data.state {
            FutureState::Done => return data.value,
            FutureState::Started(handle) => self.emit(Term::Join(handle)),
            FutureState::Fresh => {
                self.fresh.retain(|fresh| *fresh != id);
                self.futures[id.0 as usize].state = FutureState::Done;
                self.push(data.term);
            }
        }
        for (outcome, value) in data.throws {
            let kind = match self.outcomes.get_index(outcome.0 as usize) {
                Some(super::interp::OutcomeKey::End(_)) => ExitKind::Return,
                _ => ExitKind::Throw,
            };
            if !self.dead() {
                self.block().exit(super::block::Exit { outcome, kind, value });
            }
        }
        if data.dead {
            self.block().dead = true;
        }
        data.value
    }

    /// Waits for something that is not known: listed; functions that it was given run once.
    fn await_unknown(&mut self, unknown: &Rc<Unknown>, at: At) -> Value {
        for function in unknown.carries.clone() {
            let made = self.call(&function, &Value::Undefined, vec![Value::Opaque; 3], at);
            self.await_value(made, at);
            if self.dead() {
                // The wrapper may take what its function throws.
                self.block().dead = false;
            }
        }
        let info = UnmodelledInfo {
            package: unknown.package.as_ref().map(ToString::to_string),
            callee: unknown.callee.to_string(),
            reason: unknown.reason.to_string(),
            awaits: 1,
        };
        self.unmodelled(info, at);
        Value::Unknown(Rc::new(Unknown { called: false, carries: Vec::new(), ..Unknown::clone(unknown) }))
    }

    /// An object with a `then` of the project's is waited for by calling it.
    fn await_object(&mut self, value: Value, at: At) -> Value {
        let Value::Object(cell) = value else { return value };
        let data = self.store.object(cell);
        if data.class.is_none() && !data.fields.contains_key("then") {
            return value;
        }
        let then = self.member_at(&value, &"then".into(), at);
        if !super::calls::is_function(&then) {
            return value;
        }
        let promise = self.store.add(Content::Promise(Rc::default()));
        let resolve = Value::Native(Rc::new(Native::Settle { cell: promise, ok: true }));
        let reject = Value::Native(Rc::new(Native::Settle { cell: promise, ok: false }));
        self.call(&then, &value, vec![resolve, reject], at);
        self.await_value(Value::Promise(promise), at)
    }

    /// What an expression in statement position leaves behind: nobody waits for it.
    pub fn discard(&mut self, value: &Value, expr: &Expr) {
        if let Value::Unknown(unknown) = value
            && unknown.called
            && !unknown.carries.is_empty()
        {
            let at = self.here(expr.span);
            for function in unknown.carries.clone() {
                self.detach(&function, at);
            }
        }
    }

    /// Work that nobody awaits: a future, or a function that is called for it.
    pub fn detach(&mut self, value: &Value, at: At) {
        if self.dead() {
            return;
        }
        self.flush_but(value);
        self.open();
        let made = if super::calls::is_function(value) {
            self.call(value, &Value::Undefined, vec![Value::Opaque; 3], at)
        } else {
            value.clone()
        };
        self.await_value(made, at);
        self.flush();
        let flow = self.close();
        self.apply_late(&flow.late, false);
        self.apply_late(&flow.late, true);
        if self.waits(flow.term) {
            let body = self.settle_all(flow.term, &flow.exits);
            self.emit(Term::Detached(body));
        }
    }

    /// Starts what is fresh, but for the future that is looked at now.
    fn flush_but(&mut self, value: &Value) {
        let kept: Vec<FutureId> = value.alternatives().iter().filter_map(future_id).collect();
        let (ours, others): (Vec<FutureId>, Vec<FutureId>) =
            std::mem::take(&mut self.fresh).into_iter().partition(|id| kept.contains(id));
        self.fresh = others;
        self.flush();
        self.fresh = ours;
    }

    /// The term with every way out turned into its end.
    fn settle_all(&mut self, term: TermId, exits: &[super::block::Exit]) -> TermId {
        let nothing = self.terms.add(Term::Nothing);
        let mut arms: Vec<(Outcome, TermId)> = exits.iter().map(|exit| (exit.outcome, nothing)).collect();
        arms.sort_unstable();
        arms.dedup();
        self.then(term, arms)
    }

    /// A future's term at this place, as a branch of a join or race, with its errors.
    fn branch_of(&mut self, value: &Value, at: At) -> (Flow, Value) {
        let ours: Vec<FutureId> = value.alternatives().iter().filter_map(future_id).collect();
        let (mine, others): (Vec<FutureId>, Vec<FutureId>) =
            std::mem::take(&mut self.fresh).into_iter().partition(|id| ours.contains(id));
        self.fresh = mine;
        self.open();
        let result = self.await_value(value.clone(), at);
        self.flush();
        let flow = self.close();
        self.fresh = others;
        (flow, result)
    }

    /// All of a list: `first-failure`, `settled`, `wait-all` or `cancel`.
    pub fn join_list(&mut self, list: &Value, mode: &str, at: At) -> Value {
        let mode = match mode {
            "settled" => ParMode::Settled,
            "wait-all" => ParMode::WaitAll,
            "cancel" => ParMode::FirstFailure(Losers::Cancelled),
            _ => ParMode::FirstFailure(Losers::Abandoned),
        };
        let Some((items, rest, bound)) = self.parts_of(list) else {
            return self.join_unknown(list, at);
        };
        let mut branches = Vec::new();
        let mut values = Vec::new();
        let mut exits = Vec::new();
        let mut dead = false;
        let promises = self.promises_first(&items, at);
        for item in &promises {
            let (flow, value) = self.branch_of(item, at);
            branches.push(flow.term);
            dead |= flow.dead;
            exits.extend(flow.exits.into_iter().map(|exit| (exit.outcome, exit.value)));
            values.push(value);
        }
        let mut of_rest = None;
        if let Some(rest) = rest {
            let (flow, value) = self.branch_of(&rest, at);
            exits.extend(flow.exits.iter().map(|exit| (exit.outcome, exit.value.clone())));
            if self.waits(flow.term) {
                branches.push(flow.term);
            }
            of_rest = Some(value);
        }
        branches.retain(|term| !matches!(self.terms.get(*term), Term::Nothing));
        let term = match branches.as_slice() {
            [] => self.terms.add(Term::Nothing),
            _ => self.terms.add(Term::Par { branches, limit: None, mode }),
        };
        if mode == ParMode::Settled {
            exits.clear();
            dead = false;
        }
        let value = match of_rest {
            None => self.store.new_list(values),
            Some(rest) => self.store.new_list_of(join_all(values.into_iter().chain([rest])), bound),
        };
        self.new_future(term, value, exits, dead)
    }

    fn promises_first(&mut self, items: &[Value], at: At) -> Vec<Value> {
        items
            .iter()
            .map(|item| match item {
                Value::Promise(cell) => self.future_of(*cell, at),
                other => other.clone(),
            })
            .collect()
    }

    fn parts_of(&mut self, list: &Value) -> Option<(Vec<Value>, Option<Value>, Option<u64>)> {
        match list {
            Value::List(cell) => {
                let list = self.store.list(*cell);
                Some((list.items.clone(), list.rest.clone(), list.bound))
            }
            Value::Choice(values) => {
                let lists: Vec<Value> = values.iter().filter(|v| matches!(v, Value::List(_))).cloned().collect();
                let all: Vec<Value> = lists.iter().map(|list| self.item_of(list)).collect();
                (!all.is_empty()).then(|| (Vec::new(), Some(join_all(all)), None))
            }
            _ => None,
        }
    }

    fn join_unknown(&mut self, list: &Value, at: At) -> Value {
        match list {
            Value::Unknown(_) => {
                let (flow, value) = self.branch_of(list, at);
                let throws = flow.exits.into_iter().map(|exit| (exit.outcome, exit.value)).collect();
                self.new_future(flow.term, value, throws, flow.dead)
            }
            _ => {
                let list = self.store.new_list_of(Value::Opaque, None);
                self.ready(list)
            }
        }
    }

    /// The first of a list: `ok`: the first that succeeds.
    pub fn race(&mut self, list: &Value, ok: bool, at: At) -> Value {
        let Some((mut items, rest, _)) = self.parts_of(list) else {
            return self.join_unknown(list, at);
        };
        items.extend(rest);
        let items = self.promises_first(&items, at);
        let mut flows = Vec::new();
        for item in &items {
            flows.push(self.branch_of(item, at));
        }
        let mode = if ok { FirstMode::FirstOk } else { FirstMode::First };
        self.first_of(flows, mode, at)
    }

    /// A race between terms; one of them that is nothing but a timer makes it a deadline.
    pub fn first_of(&mut self, flows: Vec<(Flow, Value)>, mode: FirstMode, at: At) -> Value {
        let timer = flows.iter().find_map(|(flow, _)| self.timer_of(flow.term).map(|figure| (figure, !flow.dead)));
        let kind = match timer {
            Some((limit, resolves)) if flows.len() > 1 => {
                SiteKind::Deadline(DeadlineInfo { limit, cancels: false, resolves, race: true })
            }
            _ => SiteKind::Step,
        };
        let is_deadline = matches!(kind, SiteKind::Deadline(_));
        let label = self.label_here().unwrap_or_else(|| "race".to_string());
        let site = self.site(at, label, kind);
        if is_deadline {
            self.races.insert(site);
        }
        let mut branches: Vec<TermId> = Vec::new();
        let mut values = Vec::new();
        let mut throws = Vec::new();
        let mut dead = true;
        for (flow, value) in flows {
            branches.push(flow.term);
            throws.extend(flow.exits.into_iter().map(|exit| (exit.outcome, exit.value)));
            if !flow.dead {
                values.push(value);
                dead = false;
            }
        }
        let term = match branches.as_slice() {
            [] => self.terms.add(Term::Nothing),
            [one] => *one,
            _ => self.terms.add(Term::FirstOf { site, branches, mode, losers: Losers::Abandoned }),
        };
        self.new_future(term, join_all(values), throws, dead)
    }

    /// The timer that a term is nothing but.
    fn timer_of(&self, term: TermId) -> Option<Figure> {
        match self.terms.get(term) {
            Term::Sleep { site, .. } => match &self.sites[site.0 as usize].kind {
                SiteKind::Sleep { wait } => Some(wait.clone()),
                _ => None,
            },
            Term::Then { body, arms } => {
                let simple = arms.iter().all(|(_, arm)| matches!(self.terms.get(*arm), Term::Raise(_) | Term::Nothing));
                if simple { self.timer_of(*body) } else { None }
            }
            Term::FirstOf { branches, .. } if branches.len() == 1 => self.timer_of(branches[0]),
            _ => None,
        }
    }

    /// The name of the function that is being run, for labels.
    pub fn label_here(&self) -> Option<String> {
        let frame = self.frames.last()?;
        let function = frame.function?;
        let module = &self.modules[function.module.0 as usize].module;
        module.function(function.function).name.as_ref().map(ToString::to_string)
    }

    /// A promise settled by hand: runs its executor.
    pub fn new_promise(&mut self, executor: &Value, at: At) -> Value {
        let cell = self.store.add(Content::Promise(Rc::default()));
        let resolve = Value::Native(Rc::new(Native::Settle { cell, ok: true }));
        let reject = Value::Native(Rc::new(Native::Settle { cell, ok: false }));
        self.flush();
        self.open();
        let outer = self.executor.replace(self.blocks.len());
        self.call(executor, &Value::Undefined, vec![resolve, reject], at);
        self.executor = outer;
        let flow = self.close();
        // What the executor throws rejects the promise.
        let exits = flow.exits.clone();
        let nothing = self.terms.add(Term::Nothing);
        let arms = exits.iter().map(|exit| (exit.outcome, nothing)).collect();
        let term = self.then(flow.term, arms);
        self.append_keeping_fresh(Flow { term, exits: Vec::new(), dead: false, late: flow.late });
        for exit in exits {
            self.settle(cell, false, exit.value, at);
        }
        Value::Promise(cell)
    }

    /// Settles a promise at this place.
    pub fn settle(&mut self, cell: CellId, ok: bool, value: Value, at: At) {
        if let Some(captured) = &mut self.captured {
            captured.push((cell, ok, value));
            return;
        }
        let after = match &self.timer_context {
            Some((site, wait)) => After::Timer { site: *site, wait: *wait },
            None => self.waited_in_executor(),
        };
        self.settle_after(cell, ok, value, after, at);
    }

    /// What the executor has waited for on the way to this place.
    fn waited_in_executor(&mut self) -> After {
        let Some(depth) = self.executor else { return After::Now };
        let items: Vec<TermId> =
            self.blocks.iter().skip(depth.saturating_sub(1)).flat_map(|block| block.items.iter().copied()).collect();
        let term = self.sequence(&items);
        if self.waits(term) { After::Term(term, Vec::new()) } else { After::Now }
    }

    fn settle_after(&mut self, cell: CellId, ok: bool, value: Value, after: After, _at: At) {
        let Content::Promise(data) = self.store.get(cell) else { return };
        let mut data = data.clone();
        Rc::make_mut(&mut data).settles.push(Settlement { after, ok, value });
        self.store.set(cell, Content::Promise(data));
    }

    /// The future that a promise is.
    pub fn future_of(&mut self, cell: CellId, at: At) -> Value {
        let Content::Promise(data) = self.store.get(cell).clone() else { return Value::Undefined };
        if let Some(id) = data.future {
            return Value::Future(id);
        }
        // What is fresh now starts where it was made, not inside the promise.
        let fresh = std::mem::take(&mut self.fresh);
        let flows = self.settlement_flows(&data, at);
        self.fresh = fresh;
        let future = match flows.len() {
            0 => {
                let info = UnmodelledInfo {
                    package: None,
                    callee: "promise".to_string(),
                    reason: "settled by a callback that is not known".to_string(),
                    awaits: 1,
                };
                self.open();
                self.unmodelled(info, at);
                let flow = self.close();
                let throws = flow.exits.into_iter().map(|exit| (exit.outcome, exit.value)).collect();
                self.new_future(flow.term, Value::Opaque, throws, false)
            }
            1 => {
                let (flow, value) = flows.into_iter().next().unwrap_or_else(|| unreachable!("one flow"));
                let throws = flow.exits.into_iter().map(|exit| (exit.outcome, exit.value)).collect();
                self.new_future(flow.term, value, throws, flow.dead)
            }
            _ => self.first_of(flows, FirstMode::First, at),
        };
        if let Value::Future(id) = future {
            let mut data = data;
            Rc::make_mut(&mut data).future = Some(id);
            self.store.set_for_good(cell, Content::Promise(data));
        }
        future
    }

    fn settlement_flows(&mut self, data: &PromiseData, at: At) -> Vec<(Flow, Value)> {
        let mut flows: Vec<(Flow, Value)> = Vec::new();
        let settled_now = data.settles.iter().any(|settle| matches!(settle.after, After::Now));
        for settle in &data.settles {
            self.open();
            match &settle.after {
                After::Now => {}
                After::Timer { site, wait } => self.emit(Term::Sleep { site: *site, wait: *wait }),
                After::Term(term, throws) => {
                    self.push(*term);
                    for (outcome, value) in throws {
                        self.throw_exit(*outcome, value.clone());
                    }
                }
            }
            let value = if settle.ok {
                self.await_value(settle.value.clone(), at)
            } else {
                let statement = crate::program::Stmt { span: at.span, kind: crate::program::StmtKind::Empty };
                self.throw_value(&settle.value.clone(), &statement);
                Value::Undefined
            };
            self.flush();
            let flow = self.close();
            flows.push((flow, value));
        }
        let only_timers = data.settles.iter().all(|settle| matches!(settle.after, After::Timer { .. }));
        if let Some(name) = &data.escaped
            && !settled_now
            && (only_timers || data.settles.is_empty())
        {
            self.open();
            let info = UnmodelledInfo {
                package: None,
                callee: name.to_string(),
                reason: "settled by a callback".to_string(),
                awaits: 1,
            };
            self.unmodelled(info, at);
            flows.push((self.close(), Value::Opaque));
        }
        if settled_now && flows.len() > 1 {
            return self.one_of(flows);
        }
        flows
    }

    /// Settled at once on some path: any of the ways, whichever path ran.
    fn one_of(&mut self, flows: Vec<(Flow, Value)>) -> Vec<(Flow, Value)> {
        let term = self.choice(flows.iter().map(|(flow, _)| flow.term).collect());
        let dead = flows.iter().all(|(flow, _)| flow.dead);
        let exits = flows.iter().flat_map(|(flow, _)| flow.exits.clone()).collect();
        let value = join_all(flows.into_iter().filter(|(flow, _)| !flow.dead).map(|(_, value)| value));
        vec![(Flow { term, exits, dead, late: Vec::new() }, value)]
    }

    /// `then`, `catch` and `finally`.
    pub fn call_future_method(&mut self, receiver: &Value, name: &Name, args: Vec<Value>, at: At) -> Value {
        let receiver = match receiver {
            Value::Promise(cell) => self.future_of(*cell, at),
            other => other.clone(),
        };
        let first = args.first().cloned().unwrap_or(Value::Undefined);
        let (ok, fails, always) = match name.as_str() {
            "then" => (first, args.get(1).cloned().unwrap_or(Value::Undefined), Value::Undefined),
            "catch" => (Value::Undefined, first, Value::Undefined),
            "finally" => (Value::Undefined, Value::Undefined, first),
            _ => {
                self.run_callbacks(&args, at);
                return super::calls::unknown_call(None, name.clone(), "method of a future", Vec::new());
            }
        };
        self.chain(&receiver, &ok, &fails, &always, at)
    }

    /// A future that goes on after another.
    pub fn chain(&mut self, receiver: &Value, ok: &Value, fails: &Value, always: &Value, at: At) -> Value {
        let (first, value) = self.branch_of(receiver, at);
        let mut after = Continued { dead: true, ..Continued::default() };
        if !first.dead {
            self.go_on(&mut after, Outcome::OK, ok, always, value, at);
        }
        for exit in first.exits {
            if super::calls::is_function(fails) || super::calls::is_function(always) {
                self.go_on(&mut after, exit.outcome, fails, always, exit.value, at);
            } else {
                after.throws.push((exit.outcome, exit.value));
            }
        }
        let nothing = self.terms.add(Term::Nothing);
        after.arms.retain(|(outcome, arm)| *outcome != Outcome::OK || *arm != nothing);
        let term = self.then(first.term, after.arms);
        if after.settles.is_empty() {
            return self.new_future(term, join_all(after.values), after.throws, after.dead);
        }
        self.settle_chained(first.term, after.settles, at);
        // The work is accounted for where the promise is awaited.
        self.ready(join_all(after.values))
    }

    fn go_on(&mut self, after: &mut Continued, outcome: Outcome, callback: &Value, always: &Value, value: Value, at: At) {
        let thrown = (outcome != Outcome::OK).then_some(outcome);
        let outer = self.captured.replace(Vec::new());
        let (flow, value) = self.continuation(callback, always, value, at, thrown);
        let captured = std::mem::replace(&mut self.captured, outer).unwrap_or_default();
        for (cell, ok, value) in captured {
            after.settles.push((outcome, cell, ok, value));
        }
        after.arms.push((outcome, flow.term));
        after.throws.extend(flow.exits.into_iter().map(|exit| (exit.outcome, exit.value)));
        if !flow.dead {
            after.values.push(value);
            after.dead = false;
        }
    }

    /// Promises that are settled by the callbacks of a chain: after its future, by each outcome.
    fn settle_chained(&mut self, first: TermId, settles: Vec<(Outcome, CellId, bool, Value)>, at: At) {
        let mut cells: Vec<CellId> = settles.iter().map(|(_, cell, _, _)| *cell).collect();
        cells.sort_unstable();
        cells.dedup();
        for cell in cells {
            let mut arms: Vec<(Outcome, TermId)> = Vec::new();
            let mut throws: Vec<(Outcome, Value)> = Vec::new();
            let mut value = Value::Undefined;
            for (outcome, settled, ok, given) in &settles {
                let arm = if *settled != cell {
                    self.never(at)
                } else if *ok {
                    value = super::join::join(value, given.clone());
                    self.terms.add(Term::Nothing)
                } else {
                    let class = self.class_of(given);
                    let raised = self.error_outcome(&class);
                    throws.push((raised, given.clone()));
                    self.terms.add(Term::Raise(raised))
                };
                match arms.iter_mut().find(|(known, _)| known == outcome) {
                    Some(known) if *settled == cell => known.1 = arm,
                    Some(_) => {}
                    None => arms.push((*outcome, arm)),
                }
            }
            let term = self.then(first, arms);
            self.settle_after(cell, true, value, After::Term(term, throws), at);
        }
    }

    /// A wait that nothing ends.
    fn never(&mut self, at: At) -> TermId {
        let time = crate::cost::Time::UNBOUNDED;
        let figure = Figure { time, origin: self.origin_at(at), decided_by: Vec::new() };
        let site = self.sleep_site(figure, at);
        self.terms.add(Term::Sleep { site, wait: Wait { least: time, greatest: time } })
    }

    /// What runs after one outcome: a callback and what it gives, else the outcome itself.
    fn continuation(&mut self, callback: &Value, always: &Value, value: Value, at: At, thrown: Option<Outcome>) -> (Flow, Value) {
        let fresh = std::mem::take(&mut self.fresh);
        self.open();
        let given = value.clone();
        let mut result = value;
        let called = super::calls::is_function(callback);
        if called {
            let made = self.call(callback, &Value::Undefined, vec![result], at);
            result = self.await_value(made, at);
        }
        if super::calls::is_function(always) {
            let made = self.call(always, &Value::Undefined, Vec::new(), at);
            self.await_value(made, at);
        }
        if let (Some(outcome), false) = (thrown, called) {
            self.leave(outcome, ExitKind::Throw, given);
        }
        self.flush();
        let flow = self.close();
        self.fresh = fresh;
        (flow, result)
    }

    /// The term of a timer.
    pub fn sleep(&mut self, wait: Wait, site: Site) {
        self.emit(Term::Sleep { site, wait });
    }
}

/// What the callbacks of a chain gave.
#[derive(Default)]
struct Continued {
    arms: Vec<(Outcome, TermId)>,
    throws: Vec<(Outcome, Value)>,
    values: Vec<Value>,
    settles: Vec<(Outcome, CellId, bool, Value)>,
    dead: bool,
}

fn future_id(value: &Value) -> Option<FutureId> {
    match value {
        Value::Future(id) => Some(*id),
        _ => None,
    }
}
