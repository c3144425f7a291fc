//! Evaluating the handlers of a route to a term.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::carried::{Outcomes, carry};
use super::chain::Routing;
use super::found::{Found, Handler};
use super::sent::Sent;
use crate::cost::{Outcome, ParMode, Term, TermId};
use crate::evaluate::facts::End;
use crate::evaluate::interp::{Frame, Interp, OutcomeKey, STEPS};
use crate::evaluate::value::{At, FunctionRef, Native, Value};
use crate::program::Span;

/// What came of the handlers of a route.
#[derive(Clone, Debug)]
pub(super) struct Evaluated {
    /// What they do with time.
    pub term: TermId,
    /// Where they end, sorted by place.
    pub ends: Vec<End>,
    /// The function that is the handler, where one was found.
    pub function: Option<FunctionRef>,
    /// Wrappers of packages that are not known.
    pub inside: Vec<String>,
    /// Whether the answer is a stream.
    pub streams: bool,
}

impl Interp<'_> {
    /// Evaluates a route. What it writes is undone: every request begins with the same state.
    pub(super) fn evaluate(&mut self, found: &Found) -> Evaluated {
        let mut parts: Vec<Evaluated> = found
            .handlers
            .iter()
            .map(|handler| self.evaluate_handler(handler, found.at))
            .collect();
        if parts.len() == 1 {
            return parts.remove(0);
        }
        let others = parts.split_off(parts.len().min(1));
        let Some(mut own) = parts.pop() else {
            let term = self.terms.nothing();
            return Evaluated {
                term,
                ends: Vec::new(),
                function: None,
                inside: Vec::new(),
                streams: false,
            };
        };
        let beside: Vec<TermId> = others.iter().map(|part| self.without_ends(part)).collect();
        own.term = self.beside(own.term, beside);
        own.inside
            .extend(others.iter().flat_map(|part| part.inside.clone()));
        own.streams |= others.iter().any(|part| part.streams);
        own
    }

    /// A handler while others run: however it ends, that is the end once they have ended too.
    fn beside(&mut self, own: TermId, others: Vec<TermId>) -> TermId {
        let others: Vec<TermId> = others
            .into_iter()
            .filter(|term| self.waits(*term))
            .collect();
        let body = match others.as_slice() {
            [] => return own,
            [one] => *one,
            _ => self.terms.add(Term::Par {
                branches: others,
                limit: None,
                mode: ParMode::WaitAll,
            }),
        };
        let handle = self.new_handle();
        let handler = self.terms.add(Term::Join(handle));
        let start = self.terms.add(Term::Start { handle, body });
        let own = self.terms.add(Term::Finally { body: own, handler });
        self.sequence(&[start, own])
    }

    /// What a part waits for: where it ends is no end of the route.
    fn without_ends(&mut self, part: &Evaluated) -> TermId {
        let nothing = self.terms.nothing();
        let arms: Vec<(Outcome, TermId)> =
            part.ends.iter().map(|end| (end.outcome, nothing)).collect();
        self.terms.then(part.term, arms)
    }

    fn evaluate_handler(&mut self, handler: &Handler, at: At) -> Evaluated {
        let last = handler.chain.last();
        let direct = last.and_then(|value| self.directly(value, at));
        let function = match direct {
            Some(function) => Some(function),
            None => self.wrapped(handler, at),
        };
        let labelled = function
            .into_iter()
            .chain(self.functions_of(handler))
            .collect();
        let term = self.run_handlers(handler, labelled, at);
        let function =
            function.or_else(|| last.and_then(|value| self.declared_function(value, at)));
        let ends = self.ends_in(term);
        Evaluated {
            term,
            ends,
            function,
            inside: inside(handler),
            streams: self.routing.streams,
        }
    }

    /// The function that a value is, where it is written at the route itself or declared by a
    /// file, and not made by a wrapper.
    fn directly(&self, value: &Value, at: At) -> Option<FunctionRef> {
        let Value::Function(closure) = value else {
            return None;
        };
        let reference = closure.function;
        let entry = &self.modules[reference.module.0 as usize];
        let span = entry.module.function(reference.function).span;
        let here = reference.module == at.module && at.span.contains(span);
        let declared = Rc::ptr_eq(&closure.scope.function_scope(), &entry.scope);
        (here || declared).then_some(reference)
    }

    /// The function of a value that nothing else is known of.
    fn declared_function(&self, value: &Value, at: At) -> Option<FunctionRef> {
        match value {
            Value::Function(closure) if closure.function.module == at.module => {
                Some(closure.function)
            }
            Value::Native(native) => match &**native {
                Native::Bound { function, .. } => self.declared_function(function, at),
                _ => None,
            },
            _ => None,
        }
    }

    fn functions_of(&self, handler: &Handler) -> Vec<FunctionRef> {
        let functions = handler.chain.iter().filter_map(|value| match value {
            Value::Function(closure) => Some(closure.function),
            _ => None,
        });
        functions.collect()
    }

    /// The function of the route's file that wrappers of other files call as the handler: of
    /// those that stand in the declaration the largest that waits, else of those that are
    /// entered from another file.
    fn wrapped(&mut self, handler: &Handler, at: At) -> Option<FunctionRef> {
        // A call that is remembered enters nothing.
        let known = self.memo.set_aside();
        self.run_handlers(handler, BTreeSet::new(), at);
        self.memo.bring_back(known);
        let entered = std::mem::take(&mut self.routing.entered);
        let module = self.modules[at.module.0 as usize].module.clone();
        let span = |function: &FunctionRef| module.function(function.function).span;
        let all: BTreeSet<FunctionRef> = entered.iter().map(|(function, _)| *function).collect();
        let written: Vec<FunctionRef> = all
            .iter()
            .copied()
            .filter(|function| at.span.contains(span(function)))
            .collect();
        let outer = |function: &FunctionRef| {
            !written
                .iter()
                .any(|other| other != function && span(other).contains(span(function)))
        };
        let mut candidates: Vec<FunctionRef> = written.iter().copied().filter(outer).collect();
        if candidates.is_empty() {
            candidates = entered
                .iter()
                .filter(|(_, outside)| *outside)
                .map(|(function, _)| *function)
                .collect();
        }
        candidates.into_iter().max_by_key(|function| {
            let body = module.function(function.function);
            let waits = body.is_async || !body.awaits.is_empty();
            let span = body.span;
            (waits, span.end - span.start, std::cmp::Reverse(span.start))
        })
    }

    /// Runs a chain of handlers once, in a frame whose calls are those of a framework.
    fn run_handlers(
        &mut self,
        handler: &Handler,
        labelled: BTreeSet<FunctionRef>,
        at: At,
    ) -> TermId {
        self.steps = STEPS;
        self.memo.next_run();
        self.routing = Routing {
            given: handler.given.clone(),
            middleware_given: handler.middleware_given.clone(),
            written: Sent::by(handler.answers.clone()),
            labelled,
            fallbacks: handler.fallbacks.clone(),
            own: Some(at.module),
            streams: false,
            entered: Vec::new(),
            pending: Vec::new(),
            answers: Vec::new(),
            begun: 0,
            described: BTreeMap::new(),
            placed: BTreeSet::new(),
        };
        let mark = self.mark();
        let term = self.in_request(at, |interp| {
            let given = interp.given_values(handler, at);
            let chain = Rc::new(handler.chain.clone());
            interp.answering_errors(&given, at, |interp| {
                let result = interp.run_chain(&chain, 0, &given, Vec::new(), at);
                let result = interp.await_value(result, at);
                // The handler has ended, as far as places go.
                interp.frame_mut().ends = false;
                if interp.holds_description(&result) {
                    interp.render(&result, at);
                }
                interp.await_pending(at);
                interp.render_what_was_lost(at);
                interp.frame_mut().ends = true;
            });
        });
        let taken = STEPS - self.steps;
        self.taken = (self.taken.0 + taken, self.taken.1.max(taken));
        self.store.undo(mark);
        let Interp {
            terms, outcomes, ..
        } = self;
        carry(terms, term, &mut Remembered { outcomes })
    }

    /// Evaluates as a framework that has just received a request.
    pub(in crate::evaluate) fn in_request(
        &mut self,
        at: At,
        run: impl FnOnce(&mut Self),
    ) -> TermId {
        let fresh = std::mem::take(&mut self.fresh);
        let scope = self.modules[at.module.0 as usize].scope.clone();
        self.open();
        self.frames.push(Frame {
            began: self.steps,
            function: None,
            module: at.module,
            captured: scope.clone(),
            scope,
            this: Value::Undefined,
            home: None,
            args: Vec::new(),
            recursive: false,
            guarded: 0,
            control: None,
            ends: true,
            is_async: true,
            began_with: (self.blocks.len(), self.signals.len()),
            runs_on: None,
            yields: None,
            renders: false,
        });
        run(self);
        self.flush();
        self.frames.pop();
        let flow = self.close();
        self.fresh = fresh;
        flow.term
    }

    /// Every place where a handler may end, as far as one can see without evaluating the term.
    fn ends_in(&self, term: TermId) -> Vec<End> {
        let mut found = BTreeMap::new();
        let mut seen = rustc_hash::FxHashSet::default();
        let mut open = vec![term];
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            let term = self.terms.get(id);
            if let Term::Raise(outcome) = term
                && let Some(OutcomeKey::End(at)) = self.outcomes.get_index(outcome.0 as usize)
            {
                let place = self.place(*at);
                found.insert((place, *outcome), ());
            }
            term.each_child(|child| open.push(child));
        }
        found
            .into_keys()
            .map(|(place, outcome)| End { outcome, place })
            .collect()
    }

    /// The part of a place that stands on its first line.
    pub(super) fn first_line(&self, at: At) -> At {
        let module = &self.modules[at.module.0 as usize].module;
        let line = module
            .line_starts
            .partition_point(|start| *start <= at.span.start);
        let next = module
            .line_starts
            .get(line)
            .map_or(at.span.end, |start| start.saturating_sub(1));
        let end = at.span.end.min(next.max(at.span.start));
        At {
            module: at.module,
            span: Span::new(at.span.start, end),
        }
    }
}

/// Wrappers of packages without a rule around a handler.
fn inside(handler: &Handler) -> Vec<String> {
    let mut found = BTreeSet::new();
    for value in handler.chain.iter().flat_map(|value| value.alternatives()) {
        if let Value::Unknown(unknown) = value
            && !unknown.carries.is_empty()
        {
            let name = if unknown.callee.is_empty() {
                unknown.package.as_ref().map(ToString::to_string)
            } else {
                Some(unknown.callee.to_string())
            };
            found.extend(name);
        }
    }
    found.into_iter().collect()
}

/// The outcomes of the interpreter.
struct Remembered<'a> {
    outcomes: &'a mut indexmap::IndexSet<OutcomeKey, rustc_hash::FxBuildHasher>,
}

impl Outcomes for Remembered<'_> {
    fn is_end(&self, outcome: Outcome) -> bool {
        matches!(
            self.outcomes.get_index(outcome.0 as usize),
            Some(OutcomeKey::End(_))
        )
    }

    fn is_jump(&self, outcome: Outcome) -> bool {
        match self.outcomes.get_index(outcome.0 as usize) {
            Some(OutcomeKey::Reserved(_)) => outcome != Outcome::OK,
            Some(OutcomeKey::End(_) | OutcomeKey::Jump(..)) => true,
            _ => false,
        }
    }

    fn after(&mut self, outcome: Outcome, end: Outcome) -> Outcome {
        let name = format!("{} after {}", outcome.0, end.0);
        let (index, _) = self
            .outcomes
            .insert_full(OutcomeKey::Jump(name.into(), false));
        Outcome(u32::try_from(index).unwrap_or(u32::MAX))
    }
}
