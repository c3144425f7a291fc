//! Running a chain of handlers.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::given::Rest;
use super::sent::Sent;
use crate::cost::{Handle, Term, TermId};
use crate::evaluate::block::{Exit, ExitKind, Flow};
use crate::evaluate::interp::Interp;
use crate::evaluate::value::{At, FunctionRef, FutureId, FutureState, ModuleId, Native, Value};
use crate::rules::Given;

/// What is known of the route that is being evaluated.
#[derive(Clone, Debug, Default)]
pub struct Routing {
    /// What the last handler of the chain is given.
    pub(super) given: Vec<Given>,
    /// What those before it are given.
    pub(super) middleware_given: Vec<Given>,
    /// The response that is written to, and what ends it.
    pub(super) written: Sent,
    /// Functions whose ends are outcomes of their own, besides the outermost.
    pub(super) labelled: BTreeSet<FunctionRef>,
    /// What answers errors.
    pub(super) fallbacks: Vec<Value>,
    /// The file that declares the route.
    pub(super) own: Option<ModuleId>,
    /// Whether it has made a stream, whose source runs after the head of the answer.
    pub(in crate::evaluate) streams: bool,
    /// Functions of that file that were entered, and whether from another file.
    pub(super) entered: Vec<(FunctionRef, bool)>,
    /// What the rest of the chain gave: where an answer is written and not returned, the route
    /// lasts until all of it has ended.
    pub(super) pending: Vec<Value>,
    /// Components that were described and what they are given, by the place.
    pub(in crate::evaluate) described: BTreeMap<At, Vec<(Value, Value)>>,
    /// Places whose description was placed in a page.
    pub(in crate::evaluate) placed: BTreeSet<At>,
    /// What answers an error that was handed on: it begins after the handler that failed.
    pub(super) answers: Vec<Value>,
    /// How often a part of the chain has begun.
    pub(super) begun: u64,
}

impl Routing {
    /// Functions whose ends are outcomes of their own.
    pub fn labels(&self) -> &BTreeSet<FunctionRef> {
        &self.labelled
    }

    /// The file that declares the route.
    pub fn own_module(&self) -> Option<ModuleId> {
        self.own
    }

    /// Grows with all that a call leaves to the route beside what the route waits for.
    pub fn left(&self) -> u64 {
        let described: usize = self.described.values().map(Vec::len).sum();
        self.begun + u64::from(self.streams) + (described + self.placed.len()) as u64
    }

    /// How many handlers were started that the route waits for.
    pub fn pending_len(&self) -> usize {
        self.pending.len() + self.answers.len() + self.written.later.len()
    }
}

impl Interp<'_> {
    /// Whether each place where a function ends is an outcome of its own: that is so for a
    /// handler. Notes which functions of the route's file are entered.
    pub fn ends_here(&mut self, function: FunctionRef) -> bool {
        let outermost = self
            .frames
            .last()
            .is_some_and(|frame| frame.ends && frame.function.is_none());
        if self.routing.own == Some(function.module) {
            let inside = self.frames.iter().any(|frame| {
                frame
                    .function
                    .is_some_and(|around| around.module == function.module)
            });
            self.routing.entered.push((function, !inside));
        }
        let again = self
            .frames
            .iter()
            .any(|frame| frame.function == Some(function));
        outermost || (!again && self.routing.labelled.contains(&function))
    }

    /// Runs the rest of a chain of handlers from `index` on; gives its future.
    pub fn run_chain(
        &mut self,
        chain: &Rc<Vec<Value>>,
        index: usize,
        given: &Rc<Vec<Value>>,
        args: Vec<Value>,
        at: At,
    ) -> Value {
        let writes = self.writes_answers();
        if writes
            && args
                .first()
                .is_some_and(|first| !first.alternatives().iter().any(Value::is_absent))
        {
            // An error handed on: the rest of the chain does not run.
            return self.hand_on_error(chain, given, at);
        }
        self.routing.begun += 1;
        let Some(handler) = chain.get(index).cloned() else {
            return self.ready(Value::Undefined);
        };
        let given = self.handed_on(given, args.first());
        let last = index + 1 == chain.len();
        let kinds = if last {
            self.routing.given.clone()
        } else {
            self.routing.middleware_given.clone()
        };
        let rest = Rest {
            chain,
            index,
            given: &given,
        };
        let mut arguments = match kinds.as_slice() {
            [Given::Extracted] => self.extracted(&handler, &rest, at),
            [Given::ExtractedTogether] => self.extracted_together(&handler, &rest, at),
            _ => self.arguments(&kinds, &rest),
        };
        if kinds.last() == Some(&Given::Arguments) {
            arguments.pop();
            arguments.extend(self.called_with_data(&handler));
        }
        let goes_on = !last && !self.takes_next(&handler, &kinds);
        let before = self.futures.len();
        let first = self.block().items.len();
        let begun = self.routing.begun;
        let mut result = self.call(&handler, &Value::Undefined, arguments, at);
        // What is not known is taken to call the rest, wherever it found how.
        let hidden = !last && begun == self.routing.begun && is_hidden(&handler);
        if goes_on || hidden {
            result = self.then_the_rest(result, &rest, at);
        } else if writes && !matches!(result, Value::Future(_) | Value::Promise(_)) {
            // It has returned, and the answer is written by what it left running.
            self.flush();
            self.pend_since(before, first);
        }
        let future = match result {
            Value::Future(_)
            | Value::Promise(_)
            | Value::Unknown(_)
            | Value::Rule(_)
            | Value::Choice(_) => result,
            other => self.ready(other),
        };
        if writes {
            self.routing.pending.push(future.clone());
        }
        future
    }

    /// Runs handlers; where they throw, one of the functions that answer errors runs.
    pub(super) fn answering_errors(
        &mut self,
        given: &Rc<Vec<Value>>,
        at: At,
        run: impl FnOnce(&mut Self),
    ) {
        self.open();
        run(self);
        self.flush();
        let mut flow = self.close();
        let (thrown, others) = flow
            .exits
            .into_iter()
            .partition::<Vec<Exit>, _>(|exit| exit.kind == ExitKind::Throw);
        flow.exits = others;
        let fallbacks = self.routing.fallbacks.clone();
        if fallbacks.is_empty() || thrown.is_empty() {
            flow.exits.extend(thrown);
            self.append(flow);
            return;
        }
        self.open();
        let answer = self.answer_of(&fallbacks, given, at);
        self.append(answer);
        self.await_pending(at);
        let answer = self.close();
        let arms = thrown
            .iter()
            .map(|exit| (exit.outcome, answer.term))
            .collect();
        flow.term = self.then(flow.term, arms);
        flow.exits.extend(answer.exits);
        flow.dead &= answer.dead;
        self.append(flow);
    }

    fn answer_of(&mut self, fallbacks: &[Value], given: &Rc<Vec<Value>>, at: At) -> Flow {
        let chain = Rc::new(Vec::new());
        let rest = Rest {
            chain: &chain,
            index: 0,
            given,
        };
        let mut kinds = vec![Given::Error];
        kinds.extend(self.routing.given.clone());
        self.open();
        self.branch(fallbacks.to_vec(), |interp, fallback| {
            let arguments = interp.arguments(&kinds, &rest);
            let before = interp.futures.len();
            let first = interp.block().items.len();
            let made = interp.call(&fallback, &Value::Undefined, arguments, at);
            interp.await_value(made, at);
            if interp.writes_answers() {
                interp.flush();
                interp.pend_since(before, first);
            }
            Value::Undefined
        });
        self.flush();
        self.close()
    }

    /// What answers errors runs, once.
    fn hand_on_error(&mut self, chain: &Rc<Vec<Value>>, given: &Rc<Vec<Value>>, at: At) -> Value {
        let fallbacks = self.routing.fallbacks.clone();
        if chain.is_empty() || fallbacks.is_empty() {
            return self.ready(Value::Undefined);
        }
        let before = self.routing.pending.len();
        let older = std::mem::take(&mut self.fresh);
        self.open();
        let answer = self.answer_of(&fallbacks, given, at);
        self.append(answer);
        for left_running in self.routing.pending.split_off(before) {
            self.await_value(left_running, at);
        }
        self.flush();
        let flow = self.close();
        self.fresh = older;
        self.arrive(flow.late);
        // Nobody answers what fails in here.
        let nothing = self.terms.nothing();
        let arms = flow
            .exits
            .iter()
            .map(|exit| (exit.outcome, nothing))
            .collect();
        let term = self.then(flow.term, arms);
        let future = self.new_future(term, Value::Undefined, Vec::new(), false);
        self.routing.answers.push(future.clone());
        future
    }

    /// Whether handlers write their answer to something they are given.
    pub(in crate::evaluate) fn writes_answers(&self) -> bool {
        self.routing.given.contains(&Given::Response)
    }

    /// Futures that the items of the block from `first` on have started, those inside other
    /// futures left out: nobody has waited for them.
    fn pend_since(&mut self, before: usize, first: usize) {
        let items: Vec<TermId> = self.block().items.get(first..).unwrap_or_default().to_vec();
        let started = self.started_by(items);
        for index in before..self.futures.len() {
            if let FutureState::Started(handle) = self.futures[index].state
                && started.contains(&handle)
            {
                let id = FutureId(u32::try_from(index).unwrap_or(u32::MAX));
                if !self.is_late_answer(id) {
                    self.routing.pending.push(Value::Future(id));
                }
            }
        }
    }

    fn started_by(&self, mut open: Vec<TermId>) -> BTreeSet<Handle> {
        let mut started = BTreeSet::new();
        let mut seen = rustc_hash::FxHashSet::default();
        while let Some(id) = open.pop() {
            match self.terms.get(id) {
                Term::Start { handle, .. } => {
                    started.insert(*handle);
                }
                other if seen.insert(id) => other.each_child(|child| open.push(child)),
                _ => {}
            }
        }
        started
    }

    /// Whether a middleware is given the rest of the chain; where it is not, that runs after it.
    fn takes_next(&mut self, handler: &Value, kinds: &[Given]) -> bool {
        if matches!(kinds, [Given::Extracted | Given::ExtractedTogether]) {
            return self.takes_rest(handler);
        }
        let Some(position) = kinds
            .iter()
            .position(|kind| matches!(kind, Given::Next | Given::ContextWithNext))
        else {
            return false;
        };
        match handler {
            Value::Function(closure) => {
                let reference = closure.function;
                let module = &self.modules[reference.module.0 as usize].module;
                let function = module.function(reference.function);
                function.params.len() > position || function.params.iter().any(|param| param.rest)
            }
            Value::Choice(values) => values.iter().all(|value| self.takes_next(value, kinds)),
            Value::Native(native) => !matches!(**native, Native::Opaque),
            _ => true,
        }
    }

    fn then_the_rest(&mut self, result: Value, rest: &Rest<'_>, at: At) -> Value {
        let fresh = std::mem::take(&mut self.fresh);
        let (mine, others): (Vec<FutureId>, Vec<FutureId>) = fresh
            .into_iter()
            .partition(|id| matches!(result, Value::Future(own) if own == *id));
        self.fresh = mine;
        self.open();
        self.await_value(result, at);
        let next = self.run_chain(rest.chain, rest.index + 1, rest.given, Vec::new(), at);
        let value = self.await_value(next, at);
        self.flush();
        let flow = self.close();
        self.fresh = others;
        self.arrive(flow.late);
        let throws = flow
            .exits
            .into_iter()
            .map(|exit| (exit.outcome, exit.value))
            .collect();
        self.new_future(flow.term, value, throws, flow.dead)
    }

    /// Waits for what the chain left running, where the answer is written by it.
    pub(super) fn await_pending(&mut self, at: At) {
        self.flush();
        // The outermost first: the last one to be waited for, the handler, says where it ended. What
        // answers an error says nothing of that.
        while let Some(value) = self.next_pending() {
            let running = match &value {
                Value::Future(id) => {
                    let data = &self.futures[id.0 as usize];
                    let idle = matches!(self.terms.get(data.term), Term::Nothing);
                    data.state != FutureState::Done && !idle
                }
                Value::Promise(_) => true,
                _ => false,
            };
            if running {
                self.await_value(value, at);
            }
        }
        self.await_answers(at);
    }

    fn next_pending(&mut self) -> Option<Value> {
        let routing = &mut self.routing;
        routing.answers.pop().or_else(|| routing.pending.pop())
    }
}

/// Whether a handler is code of which nothing is known.
fn is_hidden(handler: &Value) -> bool {
    let hidden = |value: &Value| match value {
        Value::Unknown(_) | Value::Imported(_) | Value::Opaque | Value::Rule(_) => true,
        Value::Native(native) => matches!(**native, Native::Wrapping(_)),
        _ => false,
    };
    handler.alternatives().iter().all(hidden)
}
