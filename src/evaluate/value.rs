//! Abstract values.
//!
//! A value is cheap to clone. What can change (objects, lists, variables, clients) lives in
//! the [`Store`](super::store::Store) behind a [`CellId`], so that branches can be undone and
//! joined.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::facts::ClientId;
use super::scope::Scope;
use super::status::Statuses;
use crate::cost::{Clock, Outcome, TermId};
use crate::program::{Class, FunctionId, Name, Span, TypeId};
use crate::stack::Origin;

/// A cell of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellId(pub u32);

/// A loaded module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModuleId(pub u32);

/// A future, by its index in the interpreter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FutureId(pub u32);

/// A place in a loaded module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct At {
    /// The module.
    pub module: ModuleId,
    /// The span in it.
    pub span: Span,
}

impl At {
    /// Before every other place.
    pub const FIRST: At = At {
        module: ModuleId(0),
        span: Span::new(0, 0),
    };
}

/// A function of a loaded module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FunctionRef {
    /// The module.
    pub module: ModuleId,
    /// The function in it.
    pub function: FunctionId,
}

/// A type of a loaded module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeRef {
    /// The module.
    pub module: ModuleId,
    /// The type in it.
    pub item: TypeId,
}

/// A value that is one of several forms of its type; it never changes.
#[derive(Clone, Debug, PartialEq)]
pub struct FormValue {
    /// Which form.
    pub form: Form,
    /// What is in it, by name; parts that have none are called `0`, `1` and so on.
    pub fields: Vec<(Name, Value)>,
}

/// A form of a type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// A result that is there.
    Success,
    /// A failure in place of a result.
    Failure,
    /// A value that could be absent and is not.
    Present,
    /// One that the project declares.
    Of(TypeRef, Name),
}

/// The parameters whose values decided a value: an index into the interpreter's decisions, and
/// whether the parameter chose it by a test or key.
pub type Tags = Option<Rc<BTreeSet<(u32, bool)>>>;

/// The tags of both.
pub fn join_tags(a: &Tags, b: &Tags) -> Tags {
    match (a, b) {
        (None, other) | (other, None) => other.clone(),
        (Some(a), Some(b)) if Rc::ptr_eq(a, b) => Some(a.clone()),
        (Some(a), Some(b)) => Some(Rc::new(a.union(b).copied().collect())),
    }
}

/// The same tags, as those of a value that was chosen by a test on them.
pub fn choosing(tags: &Tags) -> Tags {
    tags.as_ref()
        .map(|tags| Rc::new(tags.iter().map(|(index, _)| (*index, true)).collect()))
}

/// A number.
#[derive(Clone, Debug, PartialEq)]
pub struct Num {
    /// Its value, or the greatest it can be.
    pub value: f64,
    /// Whether it is known exactly (else only from above).
    pub exact: bool,
    /// Where it was written.
    pub origin: Option<Rc<Origin>>,
    /// What decided it.
    pub tags: Tags,
}

/// A text.
#[derive(Clone, Debug, PartialEq)]
pub struct Txt {
    /// The text, or its beginning.
    pub text: Name,
    /// Whether only its beginning is known.
    pub open: bool,
    /// The greatest number of its characters, where that is known and the text is not.
    pub longest: Option<u64>,
    /// Where it was set, where that is an environment file.
    pub origin: Option<Rc<Origin>>,
    /// What decided it.
    pub tags: Tags,
}

/// Why a value is not known.
#[derive(Clone, Debug, PartialEq)]
pub struct Unknown {
    /// The package it came from.
    pub package: Option<Name>,
    /// What it is, as written (`prisma.user.findMany`).
    pub callee: Name,
    /// Why nothing is known.
    pub reason: Name,
    /// Functions that were given to what made it.
    pub carries: Vec<Value>,
    /// Whether it is what a call gave (awaiting it waits for that call).
    pub called: bool,
}

/// A variable of the environment that has no value.
#[derive(Clone, Debug, PartialEq)]
pub struct Unset {
    /// Its name.
    pub name: Name,
}

/// A function with what it captured.
#[derive(Clone, Debug)]
pub struct Closure {
    /// Which.
    pub function: FunctionRef,
    /// What it captured.
    pub scope: Rc<Scope>,
    /// Its receiver, where it is that of the function around it.
    pub this: Option<Value>,
    /// The class whose parent `super` means.
    pub home: Option<Rc<ClassValue>>,
    /// Properties that were set on it.
    pub fields: CellId,
}

/// A class with what it captured.
#[derive(Clone, Debug)]
pub struct ClassValue {
    /// Where it stands.
    pub at: At,
    /// Its members.
    pub class: Rc<Class>,
    /// What it captured.
    pub scope: Rc<Scope>,
    /// What it inherits from.
    pub parent: Option<Value>,
    /// Its static members: an object.
    pub statics: CellId,
    /// Its methods that were asked for: all instances share one.
    pub methods: std::cell::RefCell<Vec<(FunctionId, Value)>>,
}

/// An export of a package (`package` `global`: of the runtime), or a member of one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Imported {
    /// The package.
    pub package: Name,
    /// The module as imported (`next/headers`).
    pub module: Name,
    /// The member path from the module on.
    pub path: Vec<Name>,
}

/// A value of a type that a rule pack describes.
#[derive(Clone, Debug)]
pub struct RuleValue {
    /// The package of the pack.
    pub package: Name,
    /// The type's name in the pack.
    pub type_name: Name,
    /// Options: those of the client cell (if any) lie under these.
    pub options: Vec<(Name, Value)>,
    /// The client it belongs to.
    pub client: Option<ClientId>,
    /// The member path from the client on, for labels.
    pub path: Name,
    /// The label that a call gave.
    pub label: Option<Name>,
}

/// A thrown or caught error.
#[derive(Clone, Debug)]
pub struct ErrorValue {
    /// The outcome that it is thrown as.
    pub class: ErrorClass,
    /// An instance of the project's own class, where it is one.
    pub object: Option<CellId>,
    /// Its cause, where known.
    pub cause: Option<Value>,
}

/// What is known of an error without looking inside it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ErrorClass {
    /// What kind of failure.
    pub kind: ErrorKind,
    /// Its name.
    pub name: Known,
    /// Its code.
    pub code: Known,
    /// Its status, where it has one.
    pub status: Option<u16>,
    /// The clock whose firing it is.
    pub clock: Option<Clock>,
}

/// The kinds of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ErrorKind {
    /// A limit fired.
    Timeout,
    /// Somebody cancelled.
    Abort,
    /// The connection failed.
    Network,
    /// Anything else.
    Other,
}

/// A text property that is known, known to be absent, or neither.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Known {
    /// This text.
    Is(Name),
    /// There is none.
    Absent,
    /// Not known: matches a test and does not.
    Unknown,
}

/// A signal: the clocks that fire it, each with the error that it raises.
#[derive(Clone, Debug, Default)]
pub struct SignalValue {
    /// Clocks and the outcome and error each raises.
    pub clocks: Vec<(Clock, ErrorClass)>,
}

/// The head of a response.
#[derive(Clone, Debug)]
pub struct ResponseValue {
    /// The clocks that still hold for its body.
    pub clocks: Vec<(Clock, ErrorClass)>,
    /// The cell that holds which statuses it can have.
    pub status: CellId,
    /// The package and type of the rule that describes it.
    pub package: Name,
    /// Its type there.
    pub type_name: Name,
    /// The call that made it.
    pub call: Option<crate::cost::Site>,
    /// A limit on the reading of its body, from then on.
    pub body: Option<super::facts::Figure>,
}

/// A truth value that depends on the status of a response.
#[derive(Clone, Debug)]
pub struct Predicate {
    /// The cell that holds the statuses.
    pub status: CellId,
    /// True for these.
    pub holds: Statuses,
}

/// A reading of the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reading(pub u32);

/// Functions of the interpreter itself.
#[derive(Clone, Debug)]
pub enum Native {
    /// Settles a promise cell: resolve or reject.
    Settle { cell: CellId, ok: bool },
    /// A function with its receiver and first arguments fixed.
    Bound {
        function: Value,
        this: Value,
        args: Vec<Value>,
    },
    /// A method of a value, read without calling it.
    Method { receiver: Value, name: Name },
    /// Aborts a controller.
    Abort { controller: CellId },
    /// The rest of a chain of handlers.
    Next {
        chain: Rc<Vec<Value>>,
        index: usize,
        given: Rc<Vec<Value>>,
    },
    /// A function whose calls another one takes: with the function and a list of its arguments.
    Trapped {
        trap: Value,
        target: Value,
        handler: Value,
    },
    /// A function that takes a callback for an error or a value, as one that gives a future.
    Promisified(Value),
    /// That callback: it settles a promise.
    Callback { promise: CellId },
    /// A handler that calls the rest of its chain and does nothing else.
    GoOn,
    /// Gives this value.
    Constant(Value),
    /// Gives data, whatever it is called with; functions it is given are run once.
    Opaque,
    /// Makes a value of a form of its arguments.
    Form(Form),
    /// Makes a value of a type of its arguments.
    Record(TypeRef),
    /// Calls a function, its failures as values.
    Valued(Value),
    /// A layer of the project around the rest of a chain.
    Wrapping(Rc<super::routes::Wrapping>),
}

/// An abstract value.
#[derive(Clone, Debug)]
pub enum Value {
    /// Nothing.
    Undefined,
    /// The absent value.
    Null,
    /// A truth value.
    Bool(bool, Tags),
    /// A truth value that depends on a status.
    Predicate(Rc<Predicate>),
    /// A number.
    Number(Num),
    /// A text.
    Text(Txt),
    /// The status of a response, as a number.
    Status(CellId),
    /// Data: rows, bodies, the request. Awaiting it waits for nothing.
    Opaque,
    /// Not known.
    Unknown(Rc<Unknown>),
    /// An object or an instance.
    Object(CellId),
    /// A list.
    List(CellId),
    /// A map or set: a list-like cell whose items are opaque entries.
    Function(Rc<Closure>),
    /// A function of the interpreter.
    Native(Rc<Native>),
    /// A class.
    Class(Rc<ClassValue>),
    /// A module as an object.
    Namespace(ModuleId),
    /// Something of a package.
    Imported(Rc<Imported>),
    /// A value of a type that a rule describes.
    Rule(Rc<RuleValue>),
    /// A future.
    Future(FutureId),
    /// A promise settled by hand.
    Promise(CellId),
    /// A controller.
    Controller(CellId),
    /// A signal.
    Signal(Rc<SignalValue>),
    /// A timer.
    Timer(CellId),
    /// The head of a response.
    Response(Rc<ResponseValue>),
    /// An error.
    Error(Rc<ErrorValue>),
    /// The object of environment values.
    Environment,
    /// An environment value that is not set.
    Unset(Rc<Unset>),
    /// A reading of the clock plus milliseconds.
    Instant { reading: Reading, plus: f64 },
    /// `now - reading + plus` milliseconds, `now` being a later reading.
    Elapsed { since: Reading, plus: f64 },
    /// `reading + plus - now`: what is left of a budget of `plus`.
    Remaining { since: Reading, budget: f64 },
    /// A truth value: whether less than `budget` milliseconds have passed since a reading
    /// (`less`), or not.
    Within {
        since: Reading,
        budget: f64,
        less: bool,
    },
    /// A router of a framework.
    Router(CellId),
    /// One of several forms of a type, with what is in it.
    Form(Rc<FormValue>),
    /// A type that the project declares.
    Type(TypeRef),
    /// One of several.
    Choice(Rc<Vec<Value>>),
}

/// A future.
#[derive(Clone, Debug)]
pub struct FutureData {
    /// What runs, from its creation on; ends as `OK` with `value`, or with one of `throws`.
    pub term: TermId,
    /// Its value.
    pub value: Value,
    /// The errors that it can end with.
    pub throws: Vec<(Outcome, Value)>,
    /// Whether it cannot succeed.
    pub dead: bool,
    /// How far it is.
    pub state: FutureState,
    /// What will have been written when it succeeds.
    pub writes: Rc<[super::unfinished::PutOff]>,
}

/// How far a future is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FutureState {
    /// Made, and nothing has waited since: its start has not been written yet.
    Fresh,
    /// Started under this handle.
    Started(crate::cost::Handle),
    /// Its end was waited for where it was made.
    Done,
    /// It does nothing before it is awaited, and all of it then.
    Lazy,
}

impl Value {
    /// A number that was written nowhere.
    pub fn number(value: f64) -> Value {
        Value::Number(Num {
            value,
            exact: true,
            origin: None,
            tags: None,
        })
    }

    /// A text.
    pub fn text(text: impl Into<Name>) -> Value {
        Value::Text(Txt {
            text: text.into(),
            open: false,
            origin: None,
            tags: None,
            longest: None,
        })
    }

    /// A truth value.
    pub fn bool(value: bool) -> Value {
        Value::Bool(value, None)
    }

    /// A value that is not known.
    pub fn unknown(package: Option<Name>, callee: impl Into<Name>, reason: &str) -> Value {
        Value::Unknown(Rc::new(Unknown {
            package,
            callee: callee.into(),
            reason: reason.into(),
            carries: Vec::new(),
            called: false,
        }))
    }

    /// The alternatives: itself, or the members of a choice.
    pub fn alternatives(&self) -> &[Value] {
        match self {
            Value::Choice(values) => values,
            other => std::slice::from_ref(other),
        }
    }

    /// Whether it may be any value at all, an absent one too: data, what a package gives that
    /// waits for nothing, and what is exported by a package that is not read.
    pub fn may_be_any(&self) -> bool {
        match self {
            Value::Opaque | Value::Unknown(_) => true,
            Value::Native(native) => matches!(**native, Native::Opaque),
            Value::Imported(imported) => !imported.path.is_empty() || imported.package == "global",
            _ => false,
        }
    }

    /// Whether it is one of the two absent values.
    pub fn is_absent(&self) -> bool {
        matches!(self, Value::Undefined | Value::Null)
    }

    /// Whether it can be called, and a join must not drop it.
    pub fn is_live(&self) -> bool {
        matches!(
            self,
            Value::Function(_)
                | Value::Native(_)
                | Value::Class(_)
                | Value::Imported(_)
                | Value::Rule(_)
                | Value::Future(_)
                | Value::Promise(_)
                | Value::Controller(_)
                | Value::Signal(_)
                | Value::Router(_)
                | Value::Object(_)
                | Value::List(_)
                | Value::Unknown(_)
                | Value::Form(_)
                | Value::Type(_)
        )
    }

    /// The text, where it is one that is known.
    pub fn as_text(&self) -> Option<&Name> {
        match self {
            Value::Text(text) if !text.open => Some(&text.text),
            _ => None,
        }
    }

    /// What decided it.
    pub fn tags(&self) -> Tags {
        match self {
            Value::Bool(_, tags) => tags.clone(),
            Value::Number(number) => number.tags.clone(),
            Value::Text(text) => text.tags.clone(),
            Value::Choice(values) => values
                .iter()
                .fold(None, |tags, value| join_tags(&tags, &value.tags())),
            _ => None,
        }
    }

    /// The same value, decided by these parameters too.
    pub fn with_tags(self, tags: &Tags) -> Value {
        if tags.is_none() {
            return self;
        }
        match self {
            Value::Bool(value, own) => Value::Bool(value, join_tags(&own, tags)),
            Value::Number(mut number) => {
                number.tags = join_tags(&number.tags, tags);
                Value::Number(number)
            }
            Value::Text(mut text) => {
                text.tags = join_tags(&text.tags, tags);
                Value::Text(text)
            }
            Value::Choice(values) => Value::Choice(Rc::new(
                values.iter().map(|v| v.clone().with_tags(tags)).collect(),
            )),
            other => other,
        }
    }

    /// Whether both are the same value, by identity where they have one.
    pub fn same(&self, other: &Value) -> bool {
        use Value::*;
        match (self, other) {
            (Undefined, Undefined)
            | (Null, Null)
            | (Opaque, Opaque)
            | (Environment, Environment) => true,
            (Bool(a, s), Bool(b, t)) => a == b && s == t,
            (Number(a), Number(b)) => {
                a == b || (a.value.is_nan() && b.value.is_nan() && a.tags == b.tags)
            }
            (Text(a), Text(b)) => a == b,
            (Status(a), Status(b)) | (Object(a), Object(b)) | (List(a), List(b)) => a == b,
            (Promise(a), Promise(b)) | (Controller(a), Controller(b)) => a == b,
            (Timer(a), Timer(b)) | (Router(a), Router(b)) => a == b,
            (Function(a), Function(b)) => same_closure(a, b),
            (Class(a), Class(b)) => Rc::ptr_eq(a, b),
            (Native(a), Native(b)) => Rc::ptr_eq(a, b) || same_native(a, b),
            (Namespace(a), Namespace(b)) => a == b,
            (Imported(a), Imported(b)) => a == b,
            (Rule(a), Rule(b)) => Rc::ptr_eq(a, b) || same_rule(a, b),
            (Future(a), Future(b)) => a == b,
            (Signal(a), Signal(b)) => Rc::ptr_eq(a, b) || a.clocks == b.clocks,
            (Response(a), Response(b)) => Rc::ptr_eq(a, b) || a.status == b.status,
            (Error(a), Error(b)) => {
                Rc::ptr_eq(a, b) || (a.class == b.class && a.object == b.object)
            }
            (Unset(a), Unset(b)) => a == b,
            (Unknown(a), Unknown(b)) => a == b,
            (Predicate(a), Predicate(b)) => a.status == b.status && a.holds == b.holds,
            (
                Instant {
                    reading: a,
                    plus: p,
                },
                Instant {
                    reading: b,
                    plus: q,
                },
            ) => a == b && p == q,
            (Elapsed { since: a, plus: p }, Elapsed { since: b, plus: q }) => a == b && p == q,
            (
                Remaining {
                    since: a,
                    budget: p,
                },
                Remaining {
                    since: b,
                    budget: q,
                },
            ) => a == b && p == q,
            (
                Within {
                    since: a,
                    budget: p,
                    less: x,
                },
                Within {
                    since: b,
                    budget: q,
                    less: y,
                },
            ) => a == b && p == q && x == y,
            (Form(a), Form(b)) => Rc::ptr_eq(a, b) || a == b,
            (Type(a), Type(b)) => a == b,
            (Choice(a), Choice(b)) => {
                a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| a.same(b))
            }
            _ => false,
        }
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        self.same(other)
    }
}

fn same_closure(a: &Rc<Closure>, b: &Rc<Closure>) -> bool {
    Rc::ptr_eq(a, b)
        || (a.function == b.function && Rc::ptr_eq(&a.scope, &b.scope) && a.this == b.this)
}

fn same_native(a: &Native, b: &Native) -> bool {
    match (a, b) {
        (Native::Settle { cell: a, ok: x }, Native::Settle { cell: b, ok: y }) => a == b && x == y,
        (Native::Abort { controller: a }, Native::Abort { controller: b }) => a == b,
        (Native::Opaque, Native::Opaque) | (Native::GoOn, Native::GoOn) => true,
        (Native::Form(a), Native::Form(b)) => a == b,
        (Native::Valued(a), Native::Valued(b)) => a.same(b),
        (Native::Wrapping(a), Native::Wrapping(b)) => a == b,
        (Native::Record(a), Native::Record(b)) => a == b,
        (
            Native::Method {
                receiver: a,
                name: x,
            },
            Native::Method {
                receiver: b,
                name: y,
            },
        ) => x == y && a.same(b),
        _ => false,
    }
}

fn same_rule(a: &RuleValue, b: &RuleValue) -> bool {
    a.package == b.package
        && a.type_name == b.type_name
        && a.client == b.client
        && a.path == b.path
        && a.label == b.label
        && a.options == b.options
}

impl ErrorClass {
    /// An error of which nothing is known.
    pub fn other() -> ErrorClass {
        ErrorClass {
            kind: ErrorKind::Other,
            name: Known::Unknown,
            code: Known::Unknown,
            status: None,
            clock: None,
        }
    }

    /// An error of this kind with these names; `None` is absent.
    pub fn named(kind: ErrorKind, name: Option<&str>, code: Option<&str>) -> ErrorClass {
        let known = |text: Option<&str>| text.map_or(Known::Absent, |text| Known::Is(text.into()));
        ErrorClass {
            kind,
            name: known(name),
            code: known(code),
            status: None,
            clock: None,
        }
    }
}

impl Known {
    /// Whether it equals `text`: `None` where that is not known.
    pub fn equals(&self, text: &str) -> Option<bool> {
        match self {
            Known::Is(name) => Some(name == text),
            Known::Absent => Some(false),
            Known::Unknown => None,
        }
    }
}
