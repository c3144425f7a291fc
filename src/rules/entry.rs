//! Functions, types and their members.

use serde::Deserialize;

use super::{ErrorName, Literal, When};

/// An exported function or constructor.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct FunctionRule {
    /// The exported name, or a member path of it (`axios.create`); `default` for a default
    /// export; a last part `*` (`Math.*`) for every name that no other entry has. Several may
    /// share an entry.
    pub path: Vec<String>,
    /// The modules that export it, as an import writes them (`next/headers`); empty: every
    /// module of the package.
    #[serde(default)]
    pub module: Vec<String>,
    /// Read as a value (`process.env`), not called.
    #[serde(default)]
    pub field: bool,
    /// The versions for which it holds; absent: all.
    pub versions: Option<semver::VersionReq>,
    /// What a call gives.
    pub gives: Effect,
    /// Where in the package this stands, and whether it was measured.
    pub evidence: String,
}

/// A type and what its members do.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TypeRule {
    /// Its name; unique in the pack, and the name by which a written type is known.
    pub name: String,
    /// The behaviour that runs when a value of it is awaited (a builder that is its own future).
    pub awaits: Option<String>,
    /// The behaviour that runs when a value of it is called.
    pub calls: Option<String>,
    /// How the arguments of such a call become options.
    #[serde(default)]
    pub call_bind: Vec<Bind>,
    /// The behaviour that runs when its items are awaited one by one (`for await`), once over all.
    pub iterates: Option<String>,
    /// Whether a value of it is a client: where a function gives one, a client is constructed,
    /// and what is derived from it by members belongs to that client.
    #[serde(default)]
    pub client: bool,
    /// Option paths that hold the address (or host) that names the client's dependency.
    #[serde(default)]
    pub host: Vec<String>,
    /// Types whose members a value of it has too.
    #[serde(default)]
    pub extends: Vec<String>,
    /// What a value of it is, where only its written type is known of it.
    pub is: Option<Written>,
    /// Members that are not listed: `same` (a field or call of any name gives this type again),
    /// `opaque` (gives data, waits for nothing), `unmodelled` (default: a call is unmodelled).
    #[serde(default)]
    pub others: Others,
    /// What its members do.
    #[serde(default, rename = "member")]
    pub members: Vec<MemberRule>,
}

/// What a value is of which only the written type is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Written {
    /// Data: nothing that can be called or waited for is in it.
    Data,
    /// Likewise a number, whose default is zero.
    Number,
    /// Likewise a truth value, whose default is false.
    Truth,
    /// Likewise a text, whose default is empty.
    Text,
    /// The value of its first type argument, which it holds.
    Held,
    /// The value of its first type argument, or an absent one; the default is absent.
    Maybe,
    /// The value of its first type argument, or a failure.
    Result,
    /// A list of values of its last type argument; the default is empty.
    List,
}

/// What an unlisted member of a type is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Others {
    /// A value of the same type with the same options (a builder step).
    Same,
    /// Data.
    Opaque,
    /// Not known: a call of it is listed.
    #[default]
    Unmodelled,
}

/// A member of a type.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct MemberRule {
    /// Its names; `*` for any that no other entry has.
    pub name: Vec<String>,
    /// The versions for which it holds; absent: all.
    pub versions: Option<semver::VersionReq>,
    /// Read as a field (else called).
    #[serde(default)]
    pub field: bool,
    /// What it gives.
    pub gives: Effect,
    /// Where this stands, where it says more than a name.
    pub evidence: Option<String>,
}

/// What a call (or a field) gives.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Effect {
    /// A value of this type (`package#Type` of another pack), with the options of the receiver
    /// and those that `bind` and `sets` add.
    pub returns: Option<String>,
    /// A future that runs this behaviour, from the call on.
    pub awaits: Option<String>,
    /// Runs this behaviour before it returns, holding its thread.
    pub blocks: Option<String>,
    /// A primitive of the evaluator.
    pub does: Option<Primitive>,
    /// What the primitive is told (a mode, a class of error).
    pub mode: Option<String>,
    /// The error that what the primitive makes raises (a signal that fires).
    #[serde(default)]
    pub error: ErrorName,
    /// The name of the error that is thrown at once for a number outside the range of `mode`.
    pub refuses: Option<String>,
    /// How arguments become options.
    #[serde(default)]
    pub bind: Vec<Bind>,
    /// Options that the call itself sets, over those of the receiver.
    #[serde(default)]
    pub sets: Vec<Set>,
    /// Options that the call sets on the client it is called on, for all that is done with that
    /// client (a sign-in leaves a session in it).
    #[serde(default)]
    pub marks: Vec<Set>,
    /// The argument whose text names the operation (a table, a procedure); absent: the label of
    /// the behaviour, else the member path.
    pub label: Option<usize>,
    /// What the operation is called, where no argument says it (`auth.getUser`); `label` wins
    /// where its argument is a known text.
    pub named: Option<String>,
    /// The method as the wire sees it (`GET`), where the member decides it: option `method`.
    pub method: Option<String>,
    /// The argument whose client gets these layers (`axiosRetry(client, ..)`), by behaviour name.
    pub patches: Option<Patch>,
    /// The argument that is a function: called once and awaited, its result is the result, where
    /// nothing else is returned.
    pub handler: Option<usize>,
    /// The call itself waits for the future that it gives (a macro around an await).
    #[serde(default)]
    pub at_once: bool,
    /// All arguments together are the list that the primitive is told of.
    #[serde(default)]
    pub listed: bool,
    /// What is given is inside of a success, in languages whose failures are values.
    #[serde(default)]
    pub fallible: bool,
}

/// A method that an import of the package adds to values of any type.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ExtensionRule {
    /// Its names.
    pub name: Vec<String>,
    /// What it is a method of.
    pub on: Receiver,
    /// What a call gives; the receiver is the first argument.
    pub gives: Effect,
    /// Where in the package this stands.
    pub evidence: String,
}

/// What is written before a field and says what it is where nothing gives it a value.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct MarkerRule {
    /// Its names (`arg` of `#[arg(..)]`).
    pub path: Vec<String>,
    /// The argument whose text names a function that gives the default; the argument alone: the
    /// default of the field's type.
    pub function: Option<String>,
    /// Arguments that are the default, or its text.
    #[serde(default)]
    pub value: Vec<String>,
    /// Where in the package this stands.
    pub evidence: String,
}

/// What a method that an import adds is a method of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Receiver {
    /// Futures.
    Future,
    /// Results, and values that may be absent.
    Result,
    /// Lists and what gives item after item.
    List,
    /// Functions.
    Function,
    /// Anything.
    Any,
}

/// How one argument becomes options.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Bind {
    /// Which argument, from 0.
    pub argument: usize,
    /// The option path it is put at; absent: its fields are the options.
    pub option: Option<String>,
    /// Only where the argument is an object (`true`) or is none (`false`).
    pub object: Option<bool>,
    /// Whether the argument is a client (or was made by one) to which the call belongs, as if it
    /// were a member of it (`query.execute(pool)`).
    #[serde(default)]
    pub client: bool,
}

/// An option that a call sets.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Set {
    /// The option path.
    pub option: String,
    /// To this literal.
    pub value: Option<Literal>,
    /// To this argument.
    pub argument: Option<usize>,
    /// Only where this holds.
    #[serde(default)]
    pub when: Vec<When>,
}

/// A function that changes a client it is given.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Patch {
    /// The argument that is the client.
    pub argument: usize,
    /// The behaviour that is put around each of its operations; its `inner` step runs them.
    pub behaviour: String,
}

/// What the evaluator itself knows how to do: the words of every language's runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Primitive {
    /// `f(callback, ms)`: a timer that calls back; gives the timer. Unit milliseconds.
    Timer,
    /// `f(callback, ms)`: a timer that calls back again and again.
    Interval,
    /// `f(timer)`: the timer does not fire any more.
    ClearTimer,
    /// `f(ms)`: a future that ends then; `mode = "s"` for seconds.
    Sleep,
    /// `new F((resolve, reject) => ..)`: a future settled by hand; `mode = "parts"`: `f()`, an object
    /// of the `promise`, `resolve` and `reject`.
    NewFuture,
    /// `f(value)`: a future that has that value.
    Resolved,
    /// `f(error)`: a future that fails.
    Rejected,
    /// `f(list)`: all of them; `mode`: `first-failure`, `settled`, `wait-all`, `cancel`.
    Join,
    /// `f(list)`: the first that ends, losers left; `mode = "ok"`: the first that succeeds.
    Race,
    /// A controller with a signal that it can abort.
    Controller,
    /// `f(ms)`: a signal that aborts then.
    TimeoutSignal,
    /// `f(list)`: a signal that aborts with the first of them.
    AnySignal,
    /// A signal that has aborted.
    AbortedSignal,
    /// The clock's reading now, in milliseconds; `mode = "s"` for seconds.
    Now,
    /// The object of environment values; `mode = "argument"`: `f(name)`, one of them;
    /// `mode = "name"`: a variable that holds the environment's name, where no file sets it.
    Environment,
    /// `f(future or function)`: goes on after the response; nobody awaits it.
    Detach,
    /// `f(callback)`: runs it at the next turn, nobody awaits it.
    Defer,
    /// Gives its first argument back; `mode = "second-argument"` the second, `second-perhaps` that
    /// or nothing, `first-function` the first that is a function, `awaited` what the argument's future gives.
    Identity,
    /// `f(function)`: a function that calls it with a callback for an error or a value behind its
    /// arguments (a timer: in front of them), and gives a future that the callback settles.
    Promisify,
    /// Waits for nothing and gives data; `mode = "response"`: a response made here, whose body is
    /// the first argument (`mode = "stream"`: a body written piece by piece).
    Opaque,
    /// Waits for nothing and gives nothing.
    Nothing,
    /// `f(loader)`: a component that a function loads, which gives a future of it or of its module.
    Loader,
    /// Calls its first function argument once, awaits it, gives its result.
    Call,
    /// A class of errors: `new E(message)` gives an error of this name.
    Error,
    /// Pure functions: `mode` names the family, which is one of the language's own namespaces
    /// (`math`, `number`, `text`, `list`, `object`, `collection`, `json`, `date`, `boolean`, `url`),
    /// the member being the path's last part; or `duration-text` (`5s` to milliseconds).
    Pure,
    /// Leaves the function by throwing (`redirect()`, `notFound()`).
    Throws,
    /// Ends the process.
    Exits,
    /// The number of the status of the response that it is read from.
    Status,
    /// Whether the status of the response that it is read from lies in the range `mode`
    /// (`200-299`).
    StatusIn,
    /// A result that is there: `f(value)`. `mode = "perhaps"`: a failure, where the value is not a
    /// number that is known.
    Success,
    /// A failure in place of a result: `f(error)`.
    Failure,
    /// Leaves the function with a failure; `mode = "unless"`: where its first argument is false.
    Fails,
    /// A value that is there and could be absent: `f(value)`. `mode = "perhaps"`: it may be
    /// absent.
    Present,
    /// The absent value.
    Absent,
    /// The number `mode`, or the text that it is.
    Constant,
    /// The default of the type that is asked for.
    Default,
    /// A duration: the arguments, each times its number of milliseconds in `mode`
    /// (`1000 0.000001`), together.
    Scale,
    /// A list of the arguments' items: `mode = "empty"` of none.
    List,
    /// `f(future)`: runs it beside what follows; gives a future of its end, whose value is inside
    /// of a success. `mode = "thread"`: `f(function)`, on a thread of its own.
    Spawn,
    /// `f(instant)`: what is left until then, as a duration.
    Left,
    /// `f(list, limit)`: the futures of a list, at most so many at once, as a list of what they
    /// give; `mode = "each"`: `f(list, limit, function)`, those that a function gives for the items;
    /// `mode = "then"`: `f(list, function)`, one after the other.
    Buffered,
}
