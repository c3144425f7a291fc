//! What the evaluator itself knows how to do, under the names that packs give it.

use std::rc::Rc;

use crate::cost::Wait;
use crate::evaluate::facts::Figure;
use crate::evaluate::interp::Interp;
use crate::evaluate::status::Statuses;
use crate::evaluate::timers::Limit;
use crate::evaluate::value::{
    At, ErrorClass, ErrorKind, ErrorValue, Known, Predicate, SignalValue, Value,
};
use crate::program::Name;
use crate::rules::{Effect, Primitive};

use super::operation::error_class;

impl Interp<'_> {
    /// A primitive, called as `path` with these arguments.
    pub(super) fn primitive(
        &mut self,
        primitive: Primitive,
        effect: &Effect,
        path: &Name,
        args: Vec<Value>,
        at: At,
    ) -> Value {
        let mode = effect.mode.as_deref();
        let args = if effect.listed {
            vec![self.store.new_list(args)]
        } else {
            args
        };
        let first = args.first().cloned().unwrap_or(Value::Undefined);
        match primitive {
            Primitive::Timer => {
                let delay = args.get(1).cloned().unwrap_or(Value::Undefined);
                let delay = self.digits_as_number(&delay);
                let delay = self.delay_within(&delay, range_of(mode));
                self.timer(&first, &delay, at)
            }
            Primitive::Interval => {
                let delay = args.get(1).cloned().unwrap_or(Value::Undefined);
                self.interval(&first, &delay, at);
                Value::Opaque
            }
            Primitive::ClearTimer => {
                self.clear_timer(&first);
                Value::Undefined
            }
            Primitive::Sleep => self.sleep_future(&first, mode, at),
            Primitive::NewFuture if mode == Some("parts") => self.promise_in_parts(),
            Primitive::NewFuture => self.new_promise(&first, at),
            Primitive::Resolved => match first {
                Value::Future(_) | Value::Promise(_) | Value::Rule(_) | Value::Unknown(_) => first,
                value => self.ready(value),
            },
            Primitive::Rejected => self.rejected(&first),
            Primitive::Join => self.join_list(&first, mode.unwrap_or("first-failure"), at),
            Primitive::Race => self.race(&first, mode == Some("ok"), at),
            Primitive::Controller => self.controller(error_class(ErrorKind::Abort, &effect.error)),
            Primitive::TimeoutSignal if self.delay_outside(&first, range_of(mode)) => {
                self.throws(effect.refuses.as_deref().unwrap_or_default())
            }
            Primitive::TimeoutSignal => {
                let error = error_class(ErrorKind::Timeout, &effect.error);
                self.timeout_signal(&first, error, at)
            }
            Primitive::AnySignal => self.any_signal(&first),
            Primitive::AbortedSignal => Value::Signal(Rc::new(SignalValue::default())),
            Primitive::Now => Value::Instant {
                reading: self.store.reading(),
                plus: 0.0,
            },
            Primitive::Environment => match (mode, first.as_text()) {
                (Some("argument"), Some(name)) => {
                    let value = self.environment(&name.clone());
                    if self.failures_are_values() {
                        return crate::evaluate::failures::variable(value);
                    }
                    value
                }
                (Some("argument"), None) => {
                    Value::unknown(None, "environment", "limit from a computed variable")
                }
                _ => Value::Environment,
            },
            Primitive::Detach => {
                self.detach(&first, at);
                Value::Undefined
            }
            Primitive::Defer if self.writes_answers() => {
                self.timer(&first, &Value::number(0.0), at)
            }
            Primitive::Defer => {
                self.run_later(&first, at);
                Value::Undefined
            }
            Primitive::Identity if mode == Some("awaited") => self.await_value(first, at),
            Primitive::Identity if mode == Some("second-argument") => {
                args.into_iter().nth(1).unwrap_or(Value::Undefined)
            }
            Primitive::Identity if mode == Some("second-perhaps") => {
                let second = args.into_iter().nth(1).unwrap_or(Value::Undefined);
                crate::evaluate::join::join(second, Value::Null)
            }
            Primitive::Identity if mode == Some("first-function") => args
                .iter()
                .find(|arg| crate::evaluate::calls::is_function(arg))
                .cloned()
                .unwrap_or(first),
            Primitive::Identity => first,
            Primitive::Promisify => match &first {
                // What a package does with a callback is its own matter.
                Value::Imported(imported)
                    if self.primitive_of(imported) != Some(Primitive::Timer) =>
                {
                    first
                }
                Value::Function(_) | Value::Native(_) | Value::Imported(_) => {
                    Value::Native(Rc::new(crate::evaluate::value::Native::Promisified(first)))
                }
                _ => first,
            },
            Primitive::Loader => self.loaded_component(&first),
            Primitive::Opaque => self.opaque(mode, &args, at),
            Primitive::Nothing => Value::Undefined,
            Primitive::Call => {
                let function = args
                    .iter()
                    .rev()
                    .find(|a| crate::evaluate::calls::is_function(a))
                    .cloned();
                let function = function.unwrap_or(Value::Undefined);
                self.call(&function, &Value::Undefined, vec![Value::Opaque; 3], at)
            }
            Primitive::Error => self.new_error(mode, path, &args),
            Primitive::Pure => self.pure_function(mode.unwrap_or_default(), path, &args, at),
            Primitive::Throws | Primitive::Exits => self.throws(path),
            Primitive::Status | Primitive::StatusIn => Value::Opaque,
            Primitive::Fails => {
                let unless = (mode == Some("unless")).then_some(first);
                self.fails(unless, at);
                Value::Undefined
            }
            Primitive::Success
            | Primitive::Failure
            | Primitive::Present
            | Primitive::Absent
            | Primitive::Constant
            | Primitive::Default
            | Primitive::Scale
            | Primitive::List
            | Primitive::Left => self.made(primitive, mode, &args),
            Primitive::Spawn => self.spawned(first, mode == Some("thread"), at),
            Primitive::Buffered => self.buffered(mode, &args, at),
        }
    }

    /// Alternatives that are texts as the numbers that a runtime takes them for.
    fn digits_as_number(&mut self, value: &Value) -> Value {
        let numbers = value.alternatives().iter().map(|one| match one {
            Value::Text(_) => self.as_number(one),
            _ => one.clone(),
        });
        let numbers: Vec<Value> = numbers.collect();
        crate::evaluate::join::join_all(numbers)
    }

    fn throws(&mut self, name: &str) -> Value {
        let class = ErrorClass::named(ErrorKind::Other, Some(name), None);
        let outcome = self.error_outcome(&class);
        let value = Value::Error(Rc::new(ErrorValue {
            class,
            object: None,
            cause: None,
        }));
        self.leave(outcome, crate::evaluate::block::ExitKind::Throw, value);
        Value::Undefined
    }

    fn opaque(&mut self, mode: Option<&str>, args: &[Value], at: At) -> Value {
        if mode == Some("stream") {
            self.routing.streams = true;
            for arg in args {
                self.run_stream_source(arg, at);
            }
            return Value::Opaque;
        }
        self.run_callbacks(args, at);
        Value::Opaque
    }

    /// The source of a stream runs when it is read: after the head of the answer.
    fn run_stream_source(&mut self, source: &Value, at: At) {
        if let Value::Object(cell) = source {
            let fields: Vec<Value> = self.store.object(*cell).fields.values().cloned().collect();
            for field in fields
                .iter()
                .filter(|field| crate::evaluate::calls::is_function(field))
            {
                self.detach(field, at);
            }
        }
    }

    /// A callback that runs later; nobody waits for it.
    fn run_later(&mut self, callback: &Value, at: At) {
        if crate::evaluate::calls::is_function(callback) {
            self.detach(callback, at);
        }
    }

    fn rejected(&mut self, error: &Value) -> Value {
        let class = self.class_of(error);
        let outcome = self.error_outcome(&class);
        let raise = self.terms.add(crate::cost::Term::Raise(outcome));
        self.new_future(
            raise,
            Value::Undefined,
            vec![(outcome, error.clone())],
            true,
        )
    }

    fn sleep_future(&mut self, delay: &Value, mode: Option<&str>, at: At) -> Value {
        let nanos = if mode == Some("s") { 1e9 } else { 1e6 };
        let delay = self.delay_within(delay, range_of(mode));
        match self.limit(&delay, nanos, at) {
            Limit::Known(figure) => self.sleep_for(figure, at),
            Limit::Absent => self.ready(Value::Undefined),
            Limit::Unknown(reason) => {
                crate::evaluate::calls::unknown_call(None, "sleep".into(), &reason, Vec::new())
            }
        }
    }

    fn sleep_for(&mut self, figure: Figure, at: At) -> Value {
        let wait = Wait {
            least: figure.time,
            greatest: figure.time,
        };
        let site = self.sleep_site(figure, at);
        let term = self.terms.add(crate::cost::Term::Sleep { site, wait });
        self.new_future(term, Value::Undefined, Vec::new(), false)
    }

    fn new_error(&mut self, mode: Option<&str>, path: &Name, args: &[Value]) -> Value {
        let own = path.rsplit('.').next().unwrap_or(path);
        let name = if mode == Some("second-argument") {
            match args.get(1) {
                Some(Value::Text(text)) if !text.open => Known::Is(text.text.clone()),
                Some(Value::Undefined) | None => Known::Is("Error".into()),
                _ => Known::Unknown,
            }
        } else {
            Known::Is(own.into())
        };
        let cause = match args.get(1) {
            Some(options @ Value::Object(_)) => Some(self.member_quietly(options, &"cause".into())),
            _ => None,
        };
        let class = ErrorClass {
            kind: ErrorKind::Other,
            name,
            code: Known::Absent,
            status: None,
            clock: None,
        };
        // Its fields can be set: it is an object like an instance of the project's own class.
        let mut fields = indexmap::IndexMap::new();
        fields.insert(
            Name::from("message"),
            args.first().cloned().unwrap_or(Value::Undefined),
        );
        if let Known::Is(name) = &class.name {
            fields.insert(Name::from("name"), Value::text(name.clone()));
        }
        let object = match self.store.new_object(fields) {
            Value::Object(cell) => Some(cell),
            _ => None,
        };
        Value::Error(Rc::new(ErrorValue {
            class,
            object,
            cause,
        }))
    }

    /// A field of a response that is its status, or a test on it.
    pub(super) fn status_field(
        &mut self,
        primitive: Primitive,
        mode: Option<&str>,
        status: crate::evaluate::value::CellId,
    ) -> Value {
        match primitive {
            Primitive::Status => Value::Status(status),
            Primitive::StatusIn => {
                let (first, last) = mode
                    .and_then(|mode| mode.split_once('-'))
                    .unwrap_or(("200", "299"));
                let holds =
                    Statuses::range(first.parse().unwrap_or(200), last.parse().unwrap_or(299));
                Value::Predicate(Rc::new(Predicate { status, holds }))
            }
            _ => Value::Opaque,
        }
    }
}

/// The delays that a runtime knows, of a mode like `1-2147483647`.
fn range_of(mode: Option<&str>) -> Option<(f64, f64)> {
    let (least, greatest) = mode?.split_once('-')?;
    let range: (f64, f64) = (least.parse().ok()?, greatest.parse().ok()?);
    (range.0 <= range.1).then_some(range)
}
