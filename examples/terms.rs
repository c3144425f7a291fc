//! Evaluates terms given as JSON: `cargo run --release --example terms -- FILE`.
//!
//! FILE is a list of terms, or of objects with a `term`; the answer is a list of bounds
//! in the same order, in the same unit of time, `null` for what is unbounded.

use std::collections::BTreeMap;
use std::process::ExitCode;

use overrun::cost::{
    Backoff, Bound, Call, Dependency, FirstMode, Gate, GateKind, Interval, Losers, Outcome,
    ParMode, PoolView, Settings, Site, Term, TermId, Terms, Time, Wait, evaluate,
};
use serde_json::{Map, Value, json};

/// The one place and the one dependency of a term that is given as JSON.
const HERE: Site = Site(0);
const REMOTE: Dependency = Dependency(0);

/// In this format a blocking part delays no other branch.
pub const SETTINGS: Settings = Settings {
    unbounded_as_zero: false,
    pools: PoolView::Alone,
    threads_apart: true,
    coarse: false,
};

/// Deeper terms are refused: the reader descends by recursion.
const MOST_DEPTH: usize = 100;

/// Reads terms, giving each outcome name a number.
#[derive(Default)]
pub struct Reader {
    pub terms: Terms,
    names: Vec<String>,
}

impl Reader {
    /// The outcome of a name.
    pub fn outcome(&mut self, name: &str) -> Outcome {
        match name {
            "ok" => Outcome::OK,
            "break" => Outcome::BREAK,
            "continue" => Outcome::CONTINUE,
            "return" => Outcome::RETURN,
            _ => {
                let at = self
                    .names
                    .iter()
                    .position(|known| known == name)
                    .unwrap_or_else(|| {
                        self.names.push(name.to_owned());
                        self.names.len() - 1
                    });
                Outcome(Outcome::FIRST_FREE + at as u32)
            }
        }
    }

    /// The name of an outcome.
    pub fn name(&self, outcome: Outcome) -> String {
        match outcome {
            Outcome::OK => "ok".to_owned(),
            Outcome::BREAK => "break".to_owned(),
            Outcome::CONTINUE => "continue".to_owned(),
            Outcome::RETURN => "return".to_owned(),
            Outcome(number) => {
                let at = (number - Outcome::FIRST_FREE) as usize;
                self.names.get(at).cloned().unwrap_or_default()
            }
        }
    }

    /// Adds a term.
    ///
    /// # Errors
    ///
    /// Names the first thing that is not of the format.
    pub fn term(&mut self, value: &Value) -> Result<TermId, String> {
        self.read(value, 0)
    }

    fn read(&mut self, value: &Value, depth: usize) -> Result<TermId, String> {
        if depth > MOST_DEPTH {
            return Err(format!("a term is nested more than {MOST_DEPTH} deep"));
        }
        let fields = value
            .as_object()
            .ok_or_else(|| format!("not a term: {value}"))?;
        let kind = text(fields, "t")?;
        let body = |reader: &mut Reader| reader.read(field(fields, "body")?, depth + 1);
        let items = |reader: &mut Reader| -> Result<Vec<TermId>, String> {
            list(fields, "items")?
                .iter()
                .map(|item| reader.read(item, depth + 1))
                .collect()
        };
        match kind {
            "nothing" => Ok(self.terms.nothing()),
            "raise" => {
                let outcome = self.outcome(text(fields, "outcome")?);
                Ok(self.terms.raise(outcome))
            }
            "sleep" => {
                let wait = exactly(number(fields, "for")?);
                Ok(self.terms.add(Term::Sleep { site: HERE, wait }))
            }
            "call" => self.call(fields),
            "blocking" => {
                let body = body(self)?;
                Ok(self.terms.add(Term::Blocking(body)))
            }
            "detached" => {
                let body = body(self)?;
                Ok(self.terms.add(Term::Detached(body)))
            }
            "seq" => {
                let items = items(self)?;
                Ok(self.terms.seq(items))
            }
            "carry" => {
                let items = items(self)?;
                Ok(self.carry(&items))
            }
            "choice" => {
                let items = items(self)?;
                Ok(self.terms.choice(items))
            }
            "map" => self.map(fields, depth),
            "catch" => self.catch(fields, depth),
            "loop" => {
                let body = body(self)?;
                let bound = optional(fields, "times")?;
                let gate = optional(fields, "gate")?.map(|budget| Gate {
                    kind: GateKind::BeforeSleep,
                    budget: Time::from_nanos(budget),
                });
                Ok(self.terms.add(Term::Loop {
                    site: HERE,
                    bound,
                    gate,
                    body,
                }))
            }
            "retry" => self.retry(fields, depth),
            "deadline" => {
                let body = body(self)?;
                let limit = Time::from_nanos(number(fields, "limit")?);
                let losers = losers(fields)?;
                let raises = self.outcome(text(fields, "raises")?);
                Ok(self.terms.add(Term::Deadline {
                    site: HERE,
                    limit,
                    losers,
                    raises,
                    body,
                }))
            }
            "par" => {
                let branches = items(self)?;
                let limit = optional(fields, "limit")?;
                let limit = limit.map(|limit| u32::try_from(limit).unwrap_or(u32::MAX));
                let mode = match text(fields, "mode")? {
                    "settled" => ParMode::Settled,
                    "wait-all" => ParMode::WaitAll,
                    "first-failure" => ParMode::FirstFailure(Losers::Abandoned),
                    mode => return Err(format!("not a mode of par: {mode}")),
                };
                Ok(self.terms.add(Term::Par {
                    branches,
                    limit,
                    mode,
                }))
            }
            "first" => {
                let branches = items(self)?;
                let losers = losers(fields)?;
                let mode = match text(fields, "mode")? {
                    "first" => FirstMode::First,
                    "first-ok" => FirstMode::FirstOk,
                    mode => return Err(format!("not a mode of first: {mode}")),
                };
                Ok(self.terms.add(Term::FirstOf {
                    site: HERE,
                    branches,
                    mode,
                    losers,
                }))
            }
            kind => Err(format!("not a kind of term: {kind}")),
        }
    }

    fn call(&mut self, fields: &Map<String, Value>) -> Result<TermId, String> {
        let given = field(fields, "outcomes")?
            .as_object()
            .ok_or("outcomes are not an object")?;
        let mut outcomes = Vec::new();
        for (name, interval) in given {
            let ends: Option<Vec<u64>> = interval
                .as_array()
                .and_then(|ends| ends.iter().map(Value::as_u64).collect());
            let Some([earliest, latest]) = ends.as_deref() else {
                return Err(format!("not an interval: {interval}"));
            };
            let interval = Interval {
                earliest: Time::from_nanos(*earliest),
                latest: Time::from_nanos(*latest),
            };
            outcomes.push((self.outcome(name), interval));
        }
        outcomes.sort_unstable();
        Ok(self.terms.add(Term::Call(Call {
            site: HERE,
            dependency: Some(REMOTE),
            attempts: 1,
            outcomes,
            far_limit: Time::UNBOUNDED,
        })))
    }

    /// Goes on whatever comes; ends as ok.
    fn carry(&mut self, items: &[TermId]) -> TermId {
        let mut rest = self.terms.nothing();
        for item in items.iter().rev() {
            let arms: Vec<_> = self.outcomes().map(|outcome| (outcome, rest)).collect();
            rest = self.terms.then(*item, arms);
        }
        rest
    }

    /// Every outcome that a term of this file can have so far.
    fn outcomes(&self) -> impl Iterator<Item = Outcome> + use<> {
        (0..Outcome::FIRST_FREE + self.names.len() as u32).map(Outcome)
    }

    fn map(&mut self, fields: &Map<String, Value>, depth: usize) -> Result<TermId, String> {
        let body = self.read(field(fields, "body")?, depth + 1)?;
        let to = field(fields, "to")?
            .as_object()
            .ok_or("to is not an object")?;
        let mut arms = Vec::new();
        for (from, to) in to {
            let to = to.as_str().ok_or_else(|| format!("not an outcome: {to}"))?;
            let (from, to) = (self.outcome(from), self.outcome(to));
            let raise = self.terms.raise(to);
            arms.push((from, raise));
        }
        Ok(self.terms.then(body, arms))
    }

    fn catch(&mut self, fields: &Map<String, Value>, depth: usize) -> Result<TermId, String> {
        let body = self.read(field(fields, "body")?, depth + 1)?;
        let handler = self.read(field(fields, "handler")?, depth + 1)?;
        let on = self.named(fields, "on")?;
        Ok(self
            .terms
            .then(body, on.into_iter().map(|outcome| (outcome, handler))))
    }

    fn named(&mut self, fields: &Map<String, Value>, key: &str) -> Result<Vec<Outcome>, String> {
        let mut outcomes = Vec::new();
        for name in list(fields, key)? {
            let name = name
                .as_str()
                .ok_or_else(|| format!("not an outcome: {name}"))?;
            outcomes.push(self.outcome(name));
        }
        outcomes.sort_unstable();
        Ok(outcomes)
    }

    fn retry(&mut self, fields: &Map<String, Value>, depth: usize) -> Result<TermId, String> {
        let body = self.read(field(fields, "body")?, depth + 1)?;
        let on = self.named(fields, "on")?;
        let mut listed = Vec::new();
        for wait in list(fields, "backoff")? {
            let wait = wait.as_u64().ok_or_else(|| format!("not a wait: {wait}"))?;
            listed.push(exactly(wait));
        }
        let gate = match fields.get("gate") {
            None | Some(Value::Null) => None,
            Some(gate) => Some(read_gate(gate)?),
        };
        Ok(self.terms.add(Term::Retry {
            site: HERE,
            max: optional(fields, "retries")?,
            on: on.into_iter().map(|outcome| (outcome, None)).collect(),
            backoff: Box::new(Backoff {
                listed,
                growth: None,
            }),
            gate,
            bodies: vec![body],
        }))
    }

    /// A bound as JSON.
    pub fn answer(&self, bound: &Bound) -> Value {
        let time = |time: Time| json!(time.as_nanos());
        let outcomes: BTreeMap<String, Value> = bound
            .outcomes
            .iter()
            .map(|(outcome, end)| {
                (
                    self.name(*outcome),
                    json!([time(end.earliest), time(end.latest)]),
                )
            })
            .collect();
        json!({
            "outcomes": outcomes,
            "worst": time(bound.worst),
            "release": time(bound.release),
            "load": bound.load.get(&REMOTE).copied().unwrap_or(Some(0)),
            "peak": bound.peak.get(&REMOTE).copied().unwrap_or(Some(0)),
            "occupancy": time(bound.occupancy.get(&REMOTE).copied().unwrap_or(Time::ZERO)),
        })
    }
}

fn exactly(nanos: u64) -> Wait {
    let time = Time::from_nanos(nanos);
    Wait {
        least: time,
        greatest: time,
    }
}

fn read_gate(value: &Value) -> Result<Gate, String> {
    let fields = value
        .as_object()
        .ok_or_else(|| format!("not a gate: {value}"))?;
    let kind = match text(fields, "kind")? {
        "before-sleep" => GateKind::BeforeSleep,
        "before-sleep-counted" => GateKind::BeforeSleepCounted,
        "after-sleep" => GateKind::AfterSleep,
        "attempt-clock" => GateKind::AttemptClock,
        kind => return Err(format!("not a kind of gate: {kind}")),
    };
    Ok(Gate {
        kind,
        budget: Time::from_nanos(number(fields, "budget")?),
    })
}

fn losers(fields: &Map<String, Value>) -> Result<Losers, String> {
    match text(fields, "losers")? {
        "cancelled" => Ok(Losers::Cancelled),
        "abandoned" => Ok(Losers::Abandoned),
        losers => Err(format!("losers are cancelled or abandoned, not {losers}")),
    }
}

fn field<'v>(fields: &'v Map<String, Value>, key: &str) -> Result<&'v Value, String> {
    fields.get(key).ok_or_else(|| format!("{key} is missing"))
}

fn text<'v>(fields: &'v Map<String, Value>, key: &str) -> Result<&'v str, String> {
    field(fields, key)?
        .as_str()
        .ok_or_else(|| format!("{key} is not a text"))
}

fn list<'v>(fields: &'v Map<String, Value>, key: &str) -> Result<&'v Vec<Value>, String> {
    field(fields, key)?
        .as_array()
        .ok_or_else(|| format!("{key} is not a list"))
}

fn number(fields: &Map<String, Value>, key: &str) -> Result<u64, String> {
    field(fields, key)?
        .as_u64()
        .ok_or_else(|| format!("{key} is not a whole number"))
}

fn optional(fields: &Map<String, Value>, key: &str) -> Result<Option<u64>, String> {
    match fields.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(_) => number(fields, key).map(Some),
    }
}

/// Reads, evaluates and answers all terms of a text.
fn answer_all(text: &str) -> Result<String, String> {
    let entries: Vec<Value> = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let mut answers = Vec::with_capacity(entries.len());
    for (at, entry) in entries.iter().enumerate() {
        let mut reader = Reader::default();
        let term = entry.get("term").unwrap_or(entry);
        let id = reader
            .term(term)
            .map_err(|error| format!("term {at}: {error}"))?;
        let bound = evaluate(&reader.terms, id, &SETTINGS);
        answers.push(reader.answer(&bound).to_string());
    }
    Ok(format!("[\n{}\n]", answers.join(",\n")))
}

#[allow(dead_code)] // unused where a test takes this file in for its reader
fn main() -> ExitCode {
    let Some(file) = std::env::args_os().nth(1) else {
        eprintln!("usage: terms FILE");
        return ExitCode::from(2);
    };
    let read = std::fs::read_to_string(&file).map_err(|error| error.to_string());
    match read.and_then(|text| answer_all(&text)) {
        Ok(answers) => {
            println!("{answers}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{}: {error}", file.display());
            ExitCode::from(2)
        }
    }
}
