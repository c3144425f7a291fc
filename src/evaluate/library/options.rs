//! Options: what was given to a client, a builder step or a call, by dotted path.

use crate::cost::Time;
use crate::evaluate::facts::{ClientId, Figure};
use crate::evaluate::interp::Interp;
use crate::evaluate::join::{join, join_all};
use crate::evaluate::operators::equals;
use crate::evaluate::store::Content;
use crate::evaluate::timers::Limit;
use crate::evaluate::value::{At, Form, Value};
use crate::program::Name;
use crate::rules::{Absent, Bind, Count, Counts, Duration, Literal, Set, Test, Unit, When, Zero};
use crate::stack::Origin;

/// Options in the order in which they were given; the last one wins. An empty path is an
/// object whose fields are options.
pub type Options = Vec<(Name, Value)>;

impl Interp<'_> {
    /// What is written at a path; `Undefined`: nothing.
    pub fn option(&mut self, options: &Options, client: Option<ClientId>, path: &str) -> Value {
        let own = self.find_option(options, path);
        if !matches!(own, Value::Undefined) || client.is_none() {
            if own
                .alternatives()
                .iter()
                .any(|v| matches!(v, Value::Undefined))
                && client.is_some()
            {
                let below = self.client_option(client, path);
                let present = crate::evaluate::calls::present(&own);
                return if matches!(own, Value::Undefined) {
                    below
                } else {
                    join(present, below)
                };
            }
            return own;
        }
        self.client_option(client, path)
    }

    fn client_option(&mut self, client: Option<ClientId>, path: &str) -> Value {
        let Some(client) = client else {
            return Value::Undefined;
        };
        let cell = self.client_cells[client.0 as usize];
        let Content::Client(options) = self.store.get(cell).clone() else {
            return Value::Undefined;
        };
        self.find_option(&options, path)
    }

    fn find_option(&mut self, options: &[(Name, Value)], path: &str) -> Value {
        for (prefix, value) in options.iter().rev() {
            let found = if prefix == path {
                value.clone()
            } else if prefix.is_empty() {
                self.nested_option(value, path)
            } else {
                match path
                    .strip_prefix(prefix.as_str())
                    .and_then(|rest| rest.strip_prefix('.'))
                {
                    Some(rest) => self.nested_option(value, rest),
                    None => Value::Undefined,
                }
            };
            if !matches!(found, Value::Undefined) {
                return found;
            }
        }
        Value::Undefined
    }

    fn nested_option(&mut self, value: &Value, path: &str) -> Value {
        // What only the evaluator writes is never in an object of the user's.
        if path.starts_with('$') {
            return Value::Undefined;
        }
        let mut value = value.clone();
        for part in path.split('.') {
            value = self.option_field(&value, part);
            if matches!(value, Value::Undefined) {
                break;
            }
        }
        value
    }

    fn option_field(&mut self, value: &Value, name: &str) -> Value {
        let at = self.here(crate::program::Span::default());
        match value {
            Value::Object(_) => self.member_at(value, &Name::from(name), at),
            Value::Choice(values) => {
                let parts: Vec<Value> = values.iter().map(|v| self.option_field(v, name)).collect();
                join_all(parts)
            }
            Value::Rule(rule) => self.find_option(&rule.options, name),
            Value::Opaque | Value::Unknown(_) => Value::Opaque,
            _ => Value::Undefined,
        }
    }

    /// The first of several paths at which something is written.
    pub fn first_option(
        &mut self,
        options: &Options,
        client: Option<ClientId>,
        paths: &[String],
    ) -> Value {
        for path in paths {
            let value = self.option(options, client, path);
            if !value.is_absent() {
                return value;
            }
        }
        Value::Undefined
    }

    /// Whether all tests hold: `None` where that is not known.
    pub fn holds(
        &mut self,
        tests: &[When],
        options: &Options,
        client: Option<ClientId>,
    ) -> Option<bool> {
        let mut known = true;
        for test in tests {
            match self.test(test, options, client) {
                Some(false) => return Some(false),
                Some(true) => {}
                None => known = false,
            }
        }
        known.then_some(true)
    }

    fn test(&mut self, test: &When, options: &Options, client: Option<ClientId>) -> Option<bool> {
        let value = self.first_option(options, client, &test.option);
        // An option object that is not known may hold anything.
        let set = crate::evaluate::operators::absent(&value).map(|absent| !absent);
        let equal = || {
            test.value.as_ref().map_or(Some(false), |literal| {
                equals(&value, &literal_value(literal))
            })
        };
        match test.is {
            Test::Set => set,
            Test::Unset => set.map(|set| !set),
            Test::Equals => equal(),
            Test::Differs => equal().map(|equal| !equal),
            Test::Function => match &value {
                Value::Opaque | Value::Unknown(_) => None,
                Value::Imported(_) => Some(true),
                Value::Rule(rule) => Some(
                    self.type_rule(&rule.package, &rule.type_name)
                        .is_some_and(|(_, t)| t.calls.is_some()),
                ),
                other => Some(crate::evaluate::calls::is_function(other)),
            },
        }
    }

    /// Puts arguments where a rule says they belong.
    pub fn bind_options(&mut self, binds: &[Bind], args: &[Value], options: &mut Options) {
        for bind in binds {
            let Some(value) = args.get(bind.argument) else {
                continue;
            };
            let is_object = value
                .alternatives()
                .iter()
                .any(|v| matches!(v, Value::Object(_) | Value::Rule(_)));
            if bind.object.is_some_and(|wanted| wanted != is_object) || (bind.client && !is_object)
            {
                continue;
            }
            let path = bind.option.as_deref().unwrap_or("");
            let value = &unwrapped(value);
            match value {
                Value::Rule(rule) if path.is_empty() => {
                    options.extend(rule.options.iter().cloned())
                }
                _ => options.push((path.into(), value.clone())),
            }
        }
    }

    /// Sets what a call sets by itself.
    pub fn set_options(
        &mut self,
        sets: &[Set],
        args: &[Value],
        options: &mut Options,
        client: Option<ClientId>,
    ) {
        for set in sets {
            let holds = self.holds(&set.when, options, client);
            if holds == Some(false) {
                continue;
            }
            let value = match (&set.value, set.argument) {
                (Some(literal), _) => literal_value(literal),
                (None, Some(argument)) => args.get(argument).cloned().unwrap_or(Value::Undefined),
                (None, None) => Value::Undefined,
            };
            let value = match holds {
                Some(_) => value,
                None => {
                    let old = self.option(options, client, &set.option);
                    join(old, value)
                }
            };
            options.push((set.option.as_str().into(), value));
        }
    }

    /// The limit that a setting gives: what is written, else the rule's default.
    pub fn setting(
        &mut self,
        setting: &Duration,
        options: &Options,
        client: Option<ClientId>,
        default: &Origin,
        at: At,
    ) -> Limit {
        let value = self.first_option(options, client, &setting.option);
        let nanos = match setting.unit {
            Unit::Ms => 1e6,
            Unit::S => 1e9,
        };
        let by_default = || {
            Limit::Known(Figure {
                time: setting.default,
                origin: default.clone(),
                decided_by: Vec::new(),
            })
        };
        if setting.absent == Absent::None && self.written_absent(options, client, &setting.option) {
            return self.no_limit(at);
        }
        // Infinity and false are ways to write that there is none.
        if matches!(value, Value::Bool(false, _)) {
            return self.no_limit(at);
        }
        match self.limit(&value, nanos, at) {
            Limit::Absent => by_default(),
            Limit::Known(figure) if figure.time == Time::ZERO => match setting.zero {
                Zero::None => Limit::Known(Figure {
                    time: Time::UNBOUNDED,
                    ..figure
                }),
                Zero::AtOnce => Limit::Known(figure),
                Zero::Default => by_default(),
            },
            other => other,
        }
    }

    /// Whether the first of several paths at which anything is written may hold the absent value.
    fn written_absent(
        &mut self,
        options: &Options,
        client: Option<ClientId>,
        paths: &[String],
    ) -> bool {
        let written = paths.iter().find_map(|path| {
            let value = self.option(options, client, path);
            (!matches!(value, Value::Undefined)).then_some(value)
        });
        written.is_some_and(|value| {
            let mut values = value.alternatives().iter();
            values.any(|one| matches!(one, Value::Null))
        })
    }

    fn no_limit(&mut self, at: At) -> Limit {
        Limit::Known(Figure {
            time: Time::UNBOUNDED,
            origin: self.origin_at(at),
            decided_by: Vec::new(),
        })
    }

    /// The count that a setting gives, `None` without end; and whether it was written, and where.
    pub fn count(
        &mut self,
        count: &Count,
        options: &Options,
        client: Option<ClientId>,
        default: &Origin,
    ) -> Result<(Option<u64>, Option<Origin>), String> {
        let value = self.first_option(options, client, &count.option);
        if value.is_absent() {
            return Ok((count.default, None));
        }
        if count
            .off
            .iter()
            .any(|literal| equals(&value, &literal_value(literal)) == Some(true))
        {
            return Ok((Some(0), Some(default.clone())));
        }
        let mut greatest: Option<u64> = Some(0);
        let mut origin = default.clone();
        for one in value.alternatives() {
            match one {
                Value::Undefined | Value::Null => {
                    greatest = greatest.zip(count.default).map(|(a, b)| a.max(b))
                }
                Value::Bool(false, _) => {}
                Value::Number(number) if number.value == f64::INFINITY => greatest = None,
                Value::Number(number) if number.value.is_finite() => {
                    let n = number.value.max(0.0) as u64;
                    let retries = if count.counts == Counts::Attempts {
                        n.saturating_sub(1)
                    } else {
                        n
                    };
                    greatest = greatest.map(|known| known.max(retries));
                    if let Some(written) = &number.origin {
                        origin = (**written).clone();
                    }
                }
                Value::Unset(unset) => return Err(format!("limit from {}", unset.name)),
                Value::Unknown(unknown) => return Err(unknown.reason.to_string()),
                _ => return Err("a number of retries that is not known".to_string()),
            }
        }
        Ok((greatest, Some(origin)))
    }
}

/// What is in a value that could be absent and is not: options are written without that form.
fn unwrapped(value: &Value) -> Value {
    match value {
        Value::Form(form) if form.form == Form::Present => match form.fields.first() {
            Some((_, inside)) => unwrapped(inside),
            None => value.clone(),
        },
        Value::Choice(values) => join_all(values.iter().map(unwrapped)),
        other => other.clone(),
    }
}

/// The value of a literal of a rule.
pub fn literal_value(literal: &Literal) -> Value {
    match literal {
        Literal::Bool(value) => Value::bool(*value),
        Literal::Number(value) => Value::number(*value),
        Literal::Text(text) => Value::text(text.as_str()),
    }
}
