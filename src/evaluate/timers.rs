//! Timers, clocks, controllers and signals.

use std::rc::Rc;

use super::facts::{DeadlineInfo, Figure, SiteKind};
use super::interp::{Interp, TURNS};
use super::store::{Content, ControllerData, TimerData};
use super::value::{At, CellId, ErrorClass, Num, SignalValue, Value};
use crate::cost::{Clock, Site, Term, TermId, Time, Wait};
use crate::program::Name;

/// A duration that a value says.
#[derive(Clone, Debug)]
pub enum Limit {
    /// This long.
    Known(Figure),
    /// No limit was given.
    Absent,
    /// Not known, and why.
    Unknown(String),
}

impl Interp<'_> {
    /// The duration that a value says, in units of `nanos` nanoseconds: of several the greatest.
    pub fn limit(&mut self, value: &Value, nanos: f64, at: At) -> Limit {
        let mut longest: Option<Figure> = None;
        for one in value.alternatives() {
            match self.limit_of(one, nanos, at) {
                Limit::Known(figure) => {
                    let longer = longest
                        .as_ref()
                        .is_none_or(|known| known.time < figure.time);
                    if longer {
                        longest = Some(figure);
                    }
                }
                other => return other,
            }
        }
        longest.map_or(Limit::Absent, Limit::Known)
    }

    fn limit_of(&mut self, value: &Value, nanos: f64, at: At) -> Limit {
        match value {
            Value::Undefined | Value::Null | Value::Bool(false, _) => Limit::Absent,
            Value::Number(number) => {
                let decided_by = self.decisions_of(&number.tags);
                let origin = match &number.origin {
                    Some(origin) => (**origin).clone(),
                    None => self.origin_at(at),
                };
                if number.value.is_nan() {
                    return Limit::Unknown("not a number".to_string());
                }
                let time = Time::from_secs_f64(number.value * nanos / 1e9);
                Limit::Known(Figure {
                    time,
                    origin,
                    decided_by,
                })
            }
            Value::Remaining { budget, .. } => Limit::Known(Figure {
                time: Time::from_secs_f64(budget * nanos / 1e9),
                origin: self.origin_at(at),
                decided_by: Vec::new(),
            }),
            // Until an instant it is no longer than from the reading that it was made of.
            Value::Instant { plus, .. } if self.failures_are_values() => Limit::Known(Figure {
                time: Time::from_secs_f64(plus.max(0.0) * nanos / 1e9),
                origin: self.origin_at(at),
                decided_by: Vec::new(),
            }),
            Value::Unknown(unknown) => Limit::Unknown(unknown.reason.to_string()),
            Value::Unset(unset) => Limit::Unknown(format!("limit from {}", unset.name)),
            _ => Limit::Unknown("a limit that is not known".to_string()),
        }
    }

    /// The decisions behind tags.
    pub fn decisions_of(&self, tags: &super::value::Tags) -> Vec<super::facts::Decision> {
        let Some(tags) = tags else { return Vec::new() };
        let mut found = Vec::new();
        for (index, chooses) in tags.iter() {
            if let Some(decision) = self.decisions.get_index(*index as usize) {
                let mut decision = decision.clone();
                decision.chooses = *chooses;
                found.push(decision);
            }
        }
        found
    }

    /// The origin of something written at a place.
    pub fn origin_at(&self, at: At) -> crate::stack::Origin {
        crate::stack::Origin::from(&self.place(at))
    }

    /// The delay that a timer really has, where the runtime knows only those of a range
    /// (`1-2147483647`): any other is the least of them.
    pub fn delay_within(&self, delay: &Value, range: Option<(f64, f64)>) -> Value {
        let Some((least, greatest)) = range else {
            return delay.clone();
        };
        let real = |value: &Value| match value {
            Value::Number(number)
                if number.exact && !(least..=greatest).contains(&number.value) =>
            {
                Value::Number(Num {
                    value: least,
                    ..number.clone()
                })
            }
            Value::Number(number) => Value::Number(Num {
                value: number.value.clamp(least, greatest),
                ..number.clone()
            }),
            other => other.clone(),
        };
        super::join::join_all(delay.alternatives().iter().map(real))
    }

    /// Whether a delay is outside of what the runtime takes, and certainly so.
    pub fn delay_outside(&self, delay: &Value, range: Option<(f64, f64)>) -> bool {
        let Some((least, greatest)) = range else {
            return false;
        };
        matches!(delay, Value::Number(number) if number.exact && !(least..=greatest).contains(&number.value))
    }

    /// `setTimeout(callback, ms)`.
    pub fn timer(&mut self, callback: &Value, delay: &Value, at: At) -> Value {
        let (limit, known) = self.length(delay, at);
        let exact = matches!(delay, Value::Number(number) if number.exact);
        let wait = Wait {
            least: if exact { limit.time } else { Time::ZERO },
            greatest: limit.time,
        };
        let label = self.label_here().unwrap_or_else(|| "timer".to_string());
        let site = self.site(
            at,
            label,
            SiteKind::Sleep {
                wait: limit.clone(),
            },
        );
        let cell = self.store.add(Content::Timer(Rc::default()));
        self.flush();
        let mark = self.mark();
        self.open();
        self.begin_later(Some(cell));
        let made = self.call(callback, &Value::Undefined, Vec::new(), at);
        self.settles_unless_thrown(&made, mark);
        self.flush();
        let flow = self.close();
        let sleep = self.terms.add(Term::Sleep { site, wait });
        let answers = self.answers_here() && self.writes_answers();
        self.settle_later(Some(sleep), flow.exits.is_empty());
        self.perhaps_written(mark);
        // At an instant that is not known nothing is claimed to fire.
        if known {
            self.fire(cell, &limit, flow.exits.is_empty(), at);
        }
        let body = self.sequence(&[sleep, flow.term]);
        if answers {
            self.open();
            self.await_value(made, at);
            self.flush();
            let made = self.close();
            let body = self.sequence(&[body, made.term]);
            let exits: Vec<_> = flow.exits.into_iter().chain(made.exits).collect();
            let body = self.settle_all(body, &exits);
            let future = self.new_future(body, Value::Undefined, Vec::new(), false);
            self.flush();
            self.answers_with(cell, future);
        } else if self.waits(flow.term) {
            self.emit(Term::Detached(body));
        }
        Value::Timer(cell)
    }

    /// What was written since `mark` happens later or not at all: it may be so, or not.
    pub(super) fn perhaps_written(&mut self, mark: super::store::Mark) {
        for (cell, content) in self.store.before(mark) {
            if matches!(
                content,
                Content::Value(_) | Content::Object(_) | Content::List(_)
            ) && !self.says_sent(cell)
            {
                self.store.weaken(cell, &content);
            }
        }
    }

    /// `setInterval(callback, ms)`: the callback is run for each time while nothing is settled by
    /// it and a number or truth value tells the times apart.
    pub fn interval(&mut self, callback: &Value, delay: &Value, at: At) {
        if !super::calls::is_function(callback) {
            return;
        }
        let (limit, _) = self.length(delay, at);
        let start = self.mark();
        for turn in 1..=TURNS as u64 {
            let mut figure = limit.clone();
            figure.time = figure.time * turn;
            let wait = Wait {
                least: Time::ZERO,
                greatest: figure.time,
            };
            let site = self.sleep_site(figure, at);
            let sleep = self.terms.add(Term::Sleep { site, wait });
            let mark = self.mark();
            self.begin_later(None);
            self.detach_after(Some(sleep), callback, at);
            let told = self.told_here();
            self.settle_later(Some(sleep), true);
            if told || !self.progresses(mark) {
                break;
            }
        }
        self.perhaps_written(start);
    }

    /// Arms the clocks that a timer fires here: those that it fires on some paths only may be.
    fn fire(&mut self, timer: CellId, limit: &Figure, ends: bool, at: At) {
        let Content::Timer(data) = self.store.get(timer).clone() else {
            return;
        };
        for (clock, certain) in &data.clocks {
            if *certain && ends {
                self.arm(*clock, limit.clone(), at);
            } else {
                self.branch(vec![true, false], |interp, fires| {
                    if fires {
                        interp.arm(*clock, limit.clone(), at);
                    }
                    Value::Undefined
                });
            }
        }
    }

    /// How long a timer lasts: the longest of the alternatives; of one that is not known, any
    /// time. An absent one is none.
    fn length(&mut self, delay: &Value, at: At) -> (Figure, bool) {
        let given = delay.alternatives().iter().filter(|one| !one.is_absent());
        let given: Vec<Value> = given.cloned().collect();
        let figure = |time| Figure {
            time,
            origin: self.origin_at(at),
            decided_by: Vec::new(),
        };
        let (none, any) = (figure(Time::ZERO), figure(Time::UNBOUNDED));
        match self.limit(&super::join::join_all(given), 1e6, at) {
            Limit::Known(figure) => (figure, true),
            Limit::Absent => (none, true),
            Limit::Unknown(_) => (any, false),
        }
    }

    /// Arms a clock here.
    pub fn arm(&mut self, clock: Clock, limit: Figure, at: At) -> TermId {
        let label = self.label_here().unwrap_or_else(|| "signal".to_string());
        let time = limit.time;
        self.clock_limits.insert(clock, limit.clone());
        let info = DeadlineInfo {
            limit,
            cancels: true,
            resolves: false,
            race: false,
        };
        let site = self.site(at, label, SiteKind::Deadline(info));
        let arm = self.terms.add(Term::Arm {
            site,
            clock,
            limit: time,
        });
        self.push(arm);
        arm
    }

    /// `clearTimeout(timer)`.
    pub fn clear_timer(&mut self, timer: &Value) {
        for one in timer.alternatives() {
            if let Value::Timer(cell) = one
                && let Content::Timer(data) = self.store.get(*cell).clone()
            {
                for (clock, _) in &data.clocks {
                    self.emit(Term::Disarm(*clock));
                }
                if !matches!(timer, Value::Choice(_)) {
                    let mut data = data;
                    Rc::make_mut(&mut data).cleared = true;
                    self.store.set(*cell, Content::Timer(data));
                }
            }
        }
    }

    /// A controller whose signal nothing has fired; `class` is what it raises.
    pub fn controller(&mut self, mut class: ErrorClass) -> Value {
        let clock = self.clock();
        class.clock = Some(clock);
        Value::Controller(self.store.add(Content::Controller(Rc::new(ControllerData {
            clock,
            class,
        }))))
    }

    /// The signal of a controller.
    pub fn signal_of(&mut self, cell: CellId) -> Value {
        let Content::Controller(data) = self.store.get(cell) else {
            return Value::Opaque;
        };
        Value::Signal(Rc::new(SignalValue {
            clocks: vec![(data.clock, data.class.clone())],
        }))
    }

    /// A method of a controller.
    pub fn call_controller_method(
        &mut self,
        cell: CellId,
        name: &Name,
        args: Vec<Value>,
        at: At,
    ) -> Value {
        if name == "abort" {
            if let Some(reason) = args.first() {
                self.abort_with(cell, reason);
            }
            self.abort(cell, at);
        }
        Value::Undefined
    }

    /// A reason that is given to `abort` is what the signal raises.
    fn abort_with(&mut self, cell: CellId, reason: &Value) {
        if !matches!(reason, Value::Error(_) | Value::Object(_)) {
            return;
        }
        let class = self.class_of(reason);
        if let Content::Controller(data) = self.store.get(cell).clone() {
            let class = ErrorClass {
                clock: Some(data.clock),
                ..class
            };
            let data = ControllerData {
                clock: data.clock,
                class,
            };
            self.store.set(cell, Content::Controller(Rc::new(data)));
        }
    }

    /// Fires the clock of a controller: inside a timer's callback when that fires, else now.
    pub fn abort(&mut self, cell: CellId, at: At) {
        let Content::Controller(data) = self.store.get(cell).clone() else {
            return;
        };
        if let Some(timer) = self.timer_running() {
            let Content::Timer(fires) = self.store.get(timer).clone() else {
                return;
            };
            let mut fires = TimerData::clone(&fires);
            fires.clocks.retain(|(clock, _)| *clock != data.clock);
            fires.clocks.push((data.clock, true));
            self.store.set(timer, Content::Timer(Rc::new(fires)));
        } else {
            let figure = Figure {
                time: Time::ZERO,
                origin: self.origin_at(at),
                decided_by: Vec::new(),
            };
            self.arm(data.clock, figure, at);
        }
    }

    /// Whether the callback of a timer is being run and nothing was seen to fire a signal so far.
    pub(super) fn unfired_in_timer(&self, signal: &SignalValue) -> bool {
        let armed = |(clock, _): &(Clock, ErrorClass)| self.clock_limits.contains_key(clock);
        self.timer_running().is_some() && !signal.clocks.iter().any(armed)
    }

    /// A signal that fires after a duration and raises `class`.
    pub fn timeout_signal(&mut self, delay: &Value, mut class: ErrorClass, at: At) -> Value {
        match self.limit(delay, 1e6, at) {
            Limit::Known(limit) => {
                let clock = self.clock();
                let arm = self.arm(clock, limit, at);
                self.signals.push((clock, arm));
                class.clock = Some(clock);
                Value::Signal(Rc::new(SignalValue {
                    clocks: vec![(clock, class)],
                }))
            }
            Limit::Absent => {
                Value::unknown(None, "signal", "limit from a value that may be absent")
            }
            Limit::Unknown(reason) => Value::unknown(None, "signal", &reason),
        }
    }

    /// A signal that fires with the first of several.
    pub fn any_signal(&mut self, list: &Value) -> Value {
        let items = match list {
            Value::List(cell) => {
                let list = self.store.list(*cell);
                list.items
                    .iter()
                    .cloned()
                    .chain(list.rest.clone())
                    .collect()
            }
            other => vec![self.item_of(other)],
        };
        let mut signal = SignalValue::default();
        for item in items {
            let alternatives = item.alternatives();
            // A signal that is given on some paths only bounds nothing on the others.
            if let [Value::Signal(one)] = alternatives {
                signal.clocks.extend(
                    one.clocks
                        .iter()
                        .filter(|c| !signal.clocks.contains(c))
                        .cloned()
                        .collect::<Vec<_>>(),
                );
            }
        }
        Value::Signal(Rc::new(signal))
    }

    /// The term under the clocks of a signal.
    pub fn within(
        &mut self,
        clocks: &[(Clock, ErrorClass)],
        mut term: crate::cost::TermId,
    ) -> (crate::cost::TermId, Vec<(crate::cost::Outcome, ErrorClass)>) {
        let mut raised = Vec::new();
        for (clock, class) in clocks {
            let outcome = self.error_outcome(class);
            term = self.terms.add(Term::Within {
                clock: *clock,
                raises: outcome,
                body: term,
            });
            raised.push((outcome, class.clone()));
        }
        (term, raised)
    }

    /// The site of a sleep of this length.
    pub fn sleep_site(&mut self, wait: Figure, at: At) -> Site {
        let label = self.label_here().unwrap_or_else(|| "sleep".to_string());
        self.site(at, label, SiteKind::Sleep { wait })
    }
}
