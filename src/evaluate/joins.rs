//! Joins and races of futures.

use super::block::Flow;
use super::facts::{DeadlineInfo, Figure, SiteKind};
use super::interp::Interp;
use super::join::join_all;
use super::value::{At, FutureState, Value};
use crate::cost::{FirstMode, Losers, ParMode, Term, TermId};

impl Interp<'_> {
    /// All of a list: `first-failure`, `settled`, `wait-all` or `cancel`.
    pub fn join_list(&mut self, list: &Value, mode: &str, at: At) -> Value {
        let mode = match mode {
            "settled" => ParMode::Settled,
            "wait-all" => ParMode::WaitAll,
            "cancel" => ParMode::FirstFailure(Losers::Cancelled),
            _ => ParMode::FirstFailure(Losers::Abandoned),
        };
        let list = &self.iterated(list);
        let Some((items, rest, bound)) = self.parts_of(list) else {
            return self.join_unknown(list, at);
        };
        if self.failures_are_values() && matches!(mode, ParMode::Settled | ParMode::WaitAll) {
            return self.all_at_once(items, rest, bound, None, at).0;
        }
        let mut branches = Vec::new();
        let mut values = Vec::new();
        let mut exits = Vec::new();
        let mut dead = false;
        let since = self.mark();
        let promises = self.promises_first(&items, at);
        for item in &promises {
            let began = self.mark();
            let (flow, value) = self.branch_of(item, at);
            if mode == ParMode::Settled && !flow.exits.is_empty() {
                // It may have failed before it has written what it writes.
                self.put_off(began);
                self.settled_perhaps(began);
            }
            branches.push(flow.term);
            dead |= flow.dead;
            exits.extend(
                flow.exits
                    .into_iter()
                    .map(|exit| (exit.outcome, exit.value)),
            );
            values.push(value);
        }
        let mut of_rest = None;
        if let Some(rest) = rest {
            let began = self.mark();
            let (flow, value) = self.branch_of(&rest, at);
            // There may be none of them.
            self.put_off(began);
            self.settled_perhaps(began);
            exits.extend(
                flow.exits
                    .iter()
                    .map(|exit| (exit.outcome, exit.value.clone())),
            );
            if self.waits(flow.term) {
                branches.push(flow.term);
            }
            of_rest = Some(value);
        }
        branches.retain(|term| !matches!(self.terms.get(*term), Term::Nothing));
        let term = match branches.as_slice() {
            [] => self.terms.add(Term::Nothing),
            _ => self.terms.add(Term::Par {
                branches,
                limit: None,
                mode,
            }),
        };
        if mode == ParMode::Settled {
            exits.clear();
            dead = false;
        }
        let written = self.put_off(since);
        let values: Vec<Value> = values.into_iter().map(super::failures::result).collect();
        let value = match of_rest.map(super::failures::result) {
            None => self.store.new_list(values),
            Some(rest) => self
                .store
                .new_list_of(join_all(values.into_iter().chain([rest])), bound),
        };
        let future = self.new_future(term, value, exits, dead);
        self.with_writes(&future, written);
        future
    }

    pub(super) fn promises_first(&mut self, items: &[Value], at: At) -> Vec<Value> {
        items
            .iter()
            .map(|item| match item {
                Value::Promise(cell) => self.future_of(*cell, at),
                other => other.clone(),
            })
            .collect()
    }

    pub(super) fn parts_of(
        &mut self,
        list: &Value,
    ) -> Option<(Vec<Value>, Option<Value>, Option<u64>)> {
        match list {
            Value::List(cell) => {
                let list = self.store.list(*cell);
                Some((list.items.clone(), list.rest.clone(), list.bound))
            }
            Value::Choice(values) => {
                let lists: Vec<Value> = values
                    .iter()
                    .filter(|v| matches!(v, Value::List(_)))
                    .cloned()
                    .collect();
                let all: Vec<Value> = lists.iter().map(|list| self.item_of(list)).collect();
                (!all.is_empty()).then(|| (Vec::new(), Some(join_all(all)), None))
            }
            _ => None,
        }
    }

    pub(super) fn join_unknown(&mut self, list: &Value, at: At) -> Value {
        match list {
            Value::Unknown(_) => {
                let (flow, value) = self.branch_of(list, at);
                let throws = flow
                    .exits
                    .into_iter()
                    .map(|exit| (exit.outcome, exit.value))
                    .collect();
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
        let list = &self.iterated(list);
        let Some((mut items, rest, _)) = self.parts_of(list) else {
            return self.join_unknown(list, at);
        };
        if items.is_empty() && rest.is_none() && !ok {
            // A race that nobody takes part in.
            let never = self.never("race", at);
            return self.new_future(never, Value::Undefined, Vec::new(), true);
        }
        items.extend(rest);
        let items = self.promises_first(&items, at);
        let mut flows = Vec::new();
        for item in &items {
            let since = self.mark();
            flows.push(self.branch_of(item, at));
            // Another one may have been the first.
            self.put_off(since);
            self.settled_perhaps(since);
        }
        let mode = if ok {
            FirstMode::FirstOk
        } else {
            FirstMode::First
        };
        self.first_of(flows, mode, at)
    }

    /// A race between terms; one of them that is nothing but a timer makes it a deadline.
    pub fn first_of(&mut self, flows: Vec<(Flow, Value)>, mode: FirstMode, at: At) -> Value {
        let timer = flows.iter().enumerate().find_map(|(index, (flow, _))| {
            let figure = self.timer_of(flow.term)?;
            Some((figure, !flow.dead, index))
        });
        let late = timer.as_ref().map(|(_, _, index)| *index);
        let kind = match timer {
            Some((limit, resolves, _)) if flows.len() > 1 => SiteKind::Deadline(DeadlineInfo {
                limit,
                cancels: false,
                resolves,
                race: true,
            }),
            _ => SiteKind::Step,
        };
        let is_deadline = matches!(kind, SiteKind::Deadline(_));
        let label = self.label_here().unwrap_or_else(|| "race".to_string());
        let site = self.site(at, label, kind);
        if is_deadline {
            self.races.insert(site);
            if let Some(late) = late.filter(|late| !flows[*late].0.dead) {
                let answers: Vec<Value> = flows
                    .iter()
                    .enumerate()
                    .filter(|(index, (flow, _))| *index != late && !flow.dead)
                    .map(|(_, (_, value))| value.clone())
                    .collect();
                self.note_race(site, at, &flows[late].1.clone(), &answers);
            }
        }
        let mut branches: Vec<TermId> = Vec::new();
        let mut values = Vec::new();
        let mut throws = Vec::new();
        let mut dead = true;
        for (flow, value) in flows {
            branches.push(flow.term);
            throws.extend(
                flow.exits
                    .into_iter()
                    .map(|exit| (exit.outcome, exit.value)),
            );
            if !flow.dead {
                values.push(value);
                dead = false;
            }
        }
        let term = match branches.as_slice() {
            [] => self.terms.add(Term::Nothing),
            [one] => *one,
            _ => self.terms.add(Term::FirstOf {
                site,
                branches,
                mode,
                losers: Losers::Abandoned,
            }),
        };
        self.new_future(term, join_all(values), throws, dead)
    }

    /// The timer that a term is nothing but.
    pub(super) fn timer_of(&self, term: TermId) -> Option<Figure> {
        match self.terms.get(term) {
            Term::Sleep { site, .. } => match &self.sites[site.0 as usize].kind {
                SiteKind::Sleep { wait } => Some(wait.clone()),
                _ => None,
            },
            Term::Then { body, arms } => {
                let simple = arms
                    .iter()
                    .all(|(_, arm)| matches!(self.terms.get(*arm), Term::Raise(_) | Term::Nothing));
                if simple { self.timer_of(*body) } else { None }
            }
            Term::Join(handle) => {
                let known = self.begun.get(handle).copied();
                self.timer_of(known.or_else(|| self.started_as(*handle))?)
            }
            Term::FirstOf { branches, .. } if branches.len() == 1 => self.timer_of(branches[0]),
            _ => None,
        }
    }

    /// What was started under a handle.
    fn started_as(&self, handle: crate::cost::Handle) -> Option<TermId> {
        let mut futures = self.futures.iter().rev();
        let started = futures.find(|future| future.state == FutureState::Started(handle));
        started.map(|future| future.term)
    }

    /// The name of the function that is being run, for labels.
    pub fn label_here(&self) -> Option<String> {
        let frame = self.frames.last()?;
        let function = frame.function?;
        let module = &self.modules[function.module.0 as usize].module;
        module
            .function(function.function)
            .name
            .as_ref()
            .map(ToString::to_string)
    }
}
