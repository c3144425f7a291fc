//! What one awaited operation of a library does, as nested steps.

use serde::Deserialize;

use super::{Count, Duration, Factor, RetryAfter, Statuses, ThrownKind, When, notation, setting};
use crate::cost::{GateKind, Time};

/// One operation, for some versions.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Behaviour {
    /// Its name; several entries of one name hold for different versions.
    pub name: String,
    /// The versions for which it holds; absent: all.
    pub versions: Option<semver::VersionReq>,
    /// Whether what it gives is inside of a success, and what it throws a failure in its place, in
    /// languages whose failures are values.
    #[serde(default)]
    pub fallible: bool,
    /// What the operation is called in sums; absent: the label of the call, else the name.
    pub label: Option<String>,
    /// What happens, one after the other.
    #[serde(rename = "do")]
    pub steps: Vec<Step>,
    /// Where in the package this stands.
    pub evidence: String,
    /// How it was measured; absent: only read.
    pub measured: Option<String>,
}

/// One step of a behaviour.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "step", deny_unknown_fields, rename_all = "kebab-case")]
pub enum Step {
    /// One attempt of a remote call, up to the response head.
    Attempt(Box<Attempt>),
    /// One attempt made by the fetch function that the options hold at `via`, else by the
    /// runtime's own (`function` of package `global`).
    Fetch(Box<Fetch>),
    /// The body of the response of the last attempt.
    Body(Body),
    /// A retry policy around steps.
    Retry(Box<Retry>),
    /// A limit around steps.
    Deadline(Deadline),
    /// Runs at most once in `lifetime` per client.
    Once(Once),
    /// A connection of the client's pool around steps.
    Hold(Hold),
    /// Another behaviour, here.
    Run(Run),
    /// Calls the function that the options hold, and awaits it; a future there is awaited.
    Callback(Callback),
    /// What a patched client's own operation does.
    Inner,
    /// A wait of its own.
    Sleep(Sleep),
    /// A wait that the rule knows of and has no bound for: it is listed as not modelled.
    Unmodelled(UnmodelledStep),
    /// Thrown errors of the steps become a value `{ error }`.
    Catch(Catch),
    /// A response whose status is one of these becomes a thrown error.
    Refuse(Refuse),
    /// What the operation gives; the last one counts.
    Result(ResultRule),
}

/// One attempt of a remote call.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Attempt {
    /// Limits by phase, one after the other; a phase without a limit makes it unbounded.
    #[serde(default)]
    pub phases: Vec<Phase>,
    /// A limit over the phases together.
    pub total: Option<Duration>,
    /// Whether `total` goes on until the body has been read (default: it ends with the head).
    #[serde(default)]
    pub covers_body: bool,
    /// A limit that the response keeps for the reading of its body, whose clock starts anew there:
    /// what it limits is said by `kept` of the body's step.
    pub body_limit: Option<Duration>,
    /// Option paths of a signal that ends it.
    #[serde(default)]
    pub signal: Vec<String>,
    /// Statuses that are thrown (the others are values); `refuse` does it after the body.
    #[serde(default)]
    pub throws: Vec<Statuses>,
    /// Name and code of the error of `throws`.
    #[serde(default)]
    pub status_error: ErrorName,
    /// The method, where the library decides it; absent: option `method`, else `GET`.
    pub method: Option<String>,
    /// Whether a repeat of it does nothing twice: the library or the far side sees to it.
    #[serde(default)]
    pub idempotent: bool,
    /// Option paths that hold the address: the first that is written names the host, the path.
    #[serde(default)]
    pub url: Vec<String>,
    /// Option paths that hold what a relative address is put behind.
    #[serde(default)]
    pub base_url: Vec<String>,
    /// Name and code of the error of its own limit.
    #[serde(default)]
    pub timeout_error: ErrorName,
    /// Name and code of the error of a failed connection.
    #[serde(default)]
    pub network_error: ErrorName,
    /// The type of its value.
    pub result: Option<String>,
    /// Whether it can give a status at all (a database driver cannot).
    #[serde(default = "yes")]
    pub statuses: bool,
    /// The far side's own limit on the work, where an option sets it.
    pub far: Option<Duration>,
}

/// A phase of an attempt.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Phase {
    /// Which.
    pub phase: PhaseKind,
    /// Its limit.
    pub limit: Duration,
    /// Whether a single byte starts it again (no bound under `trickle`).
    #[serde(default)]
    pub idle: bool,
    /// Whether no option can set it: it is Node's own, and on another runtime (edge, a browser)
    /// there is none.
    #[serde(default)]
    pub runtime: bool,
}

/// The phases of an attempt, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PhaseKind {
    /// Waiting for a connection of the pool.
    Pool,
    /// Opening a connection.
    Connect,
    /// Until the first byte of the answer.
    Headers,
    /// Between two bytes of the body.
    Body,
}

/// Name and code of a thrown error; absent: not known (`""`: known to be none).
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ErrorName {
    /// Its `name`.
    pub name: Option<String>,
    /// Its `code`.
    pub code: Option<String>,
}

/// One attempt by a fetch function.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Fetch {
    /// Option paths of a fetch function of the user's; the first that is written is called, as
    /// `f(url, { method, headers, body, signal })`; none: the runtime's own, with the same.
    #[serde(default, deserialize_with = "setting::one_or_more")]
    pub via: Vec<String>,
    /// What runs first. `timeout` is armed before it and does not cut it: a fetch that starts
    /// after that clock has run out fails at once.
    #[serde(default)]
    pub before: Vec<Step>,
    /// Option paths of signals that end it.
    #[serde(default)]
    pub signal: Vec<String>,
    /// A timer that is cleared when the head has come. It reaches a fetch function of the user's
    /// as the `signal` of its second argument.
    pub timeout: Option<Duration>,
    /// Whether the timer stays armed until the body has been read (default: cleared at the head).
    #[serde(default)]
    pub covers_body: bool,
    /// Name and code of the error of that timer.
    #[serde(default)]
    pub timeout_error: ErrorName,
    /// The method, where the behaviour itself decides it (a refresh is a POST).
    pub method: Option<String>,
    /// The path on the host, for labels.
    pub path: Option<String>,
    /// Whether a repeat of it does nothing twice: the library or the far side sees to it.
    #[serde(default)]
    pub idempotent: bool,
}

/// The body of a response.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Body {
    /// The limit between two bytes, where the library has one; absent: that of the runtime.
    pub idle: Option<Duration>,
    /// A limit on the whole body.
    pub total: Option<Duration>,
    /// What the `body-limit` of the attempt limits here, besides.
    pub kept: Option<Kept>,
    /// Name and code of the error when it stalls or breaks off; absent: that of the runtime.
    pub error: Option<ErrorName>,
    /// As that of a phase: `idle` is Node's own.
    #[serde(default)]
    pub runtime: bool,
    /// Only where all of these hold.
    #[serde(default)]
    pub when: Vec<When>,
}

/// What the limit that a response keeps for its body limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kept {
    /// The whole of it.
    Total,
    /// The time between two bytes.
    Idle,
}

/// A retry policy.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Retry {
    /// How often.
    pub max: Count,
    /// Thrown errors that are tried again, by kind.
    #[serde(default)]
    pub thrown: Vec<ThrownKind>,
    /// Error names that are not.
    #[serde(default)]
    pub except_names: Vec<String>,
    /// Error codes that are not.
    #[serde(default)]
    pub except_codes: Vec<String>,
    /// Whether an error that came of the operation's own signal (of its `signal` options) is
    /// not tried again, whatever its name.
    #[serde(default)]
    pub except_own_signal: bool,
    /// Statuses that are tried again, as values or as the status of a thrown error: `503`, `500-599`.
    #[serde(default)]
    pub statuses: Vec<Statuses>,
    /// Methods that are tried again; empty: all.
    #[serde(default)]
    pub methods: Vec<String>,
    /// Kinds of thrown error that are tried again whatever the method.
    #[serde(default)]
    pub thrown_any_method: Vec<ThrownKind>,
    /// A predicate of the user's: a retry that it forbids is not made.
    pub predicate: Option<String>,
    /// Whether the predicate decides alone, and the other conditions are not looked at.
    #[serde(default)]
    pub predicate_replaces: bool,
    /// One limit for all attempts together.
    pub budget: Option<SharedBudget>,
    /// The waits.
    pub backoff: Option<BackoffRule>,
    /// A budget looked at between attempts.
    pub gate: Option<GateRule>,
    /// What `Retry-After` does.
    #[serde(default)]
    pub retry_after: RetryAfter,
    /// Statuses with which `Retry-After` is looked at; empty: `statuses`.
    #[serde(default)]
    pub retry_after_statuses: Vec<Statuses>,
    /// Tests of which any switches it off.
    #[serde(default)]
    pub off: Vec<When>,
    /// Whether an abort of the operation's own signal wakes the sleep (default: it does not);
    /// the next attempt then fails at once.
    #[serde(default)]
    pub wakes: bool,
    /// Whether the body of a response that is tried again is read to its end before the wait; an
    /// error of that reading is not tried again.
    #[serde(default)]
    pub drains: bool,
    /// What is tried.
    #[serde(rename = "do")]
    pub steps: Vec<Step>,
}

/// A limit that all attempts share: a further attempt gets what is left of it after the wait, and
/// where nothing is left there is none. It cuts the head of an attempt; a body keeps its own limit.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SharedBudget {
    /// The limit.
    pub limit: Duration,
    /// Only where all of these hold.
    #[serde(default)]
    pub when: Vec<When>,
}

/// Waits between attempts.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct BackoffRule {
    /// The first wait.
    pub base: Duration,
    /// `constant`, `linear` (by `base`), `exponential` (by `factor`), `power` (of `factor`).
    #[serde(default)]
    pub series: SeriesRule,
    /// The factor.
    pub factor: Option<Factor>,
    /// The greatest wait.
    pub cap: Option<Duration>,
    /// Least and greatest jitter factor of the nominal wait.
    pub jitter: Option<(f64, f64)>,
    /// Jitter only where all of these hold.
    #[serde(default)]
    pub jitter_when: Vec<When>,
    /// Added to each wait, least and greatest, in milliseconds.
    pub plus_ms: Option<(u64, u64)>,
    /// Whether the cap is taken after the jitter (default: before).
    #[serde(default)]
    pub cap_after_jitter: bool,
    /// A function of the user's that gives the wait in milliseconds, called with the number of
    /// the retry from `from`.
    pub function: Option<DelayFunction>,
}

/// A delay function of the user's.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct DelayFunction {
    /// The option path.
    pub option: String,
    /// The number that the first retry is called with.
    pub from: u64,
    /// Functions of packs that the option may hold, with the waits that they mean.
    #[serde(default)]
    pub known: Vec<KnownDelay>,
}

/// A delay function that a package exports.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct KnownDelay {
    /// Its path in this package.
    pub path: String,
    /// The waits.
    pub backoff: BackoffRule,
}

/// The series of a backoff.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SeriesRule {
    /// The same each time.
    Constant,
    /// `base * (i + 1)`.
    Linear,
    /// `base * factor^i`.
    #[default]
    Exponential,
    /// `base * (i + 1)^factor`.
    Power,
}

/// A budget between attempts.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct GateRule {
    /// `before-sleep`, `before-sleep-counted`, `after-sleep`, `attempt-clock`, `sleeps-only`.
    #[serde(deserialize_with = "notation::gate_kind")]
    pub kind: GateKind,
    /// The budget.
    pub budget: Duration,
    /// Whether the wait is cut to what is left of it, so that the last attempt starts at its end
    /// (`before-sleep` only).
    #[serde(default)]
    pub cuts_wait: bool,
}

/// A limit around steps.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Deadline {
    /// The limit.
    pub limit: Duration,
    /// Whether what runs is stopped (else left running).
    #[serde(default)]
    pub cancels: bool,
    /// Name and code of its error.
    #[serde(default)]
    pub error: ErrorName,
    /// What runs under it.
    #[serde(rename = "do")]
    pub steps: Vec<Step>,
}

/// Steps that run at most once a lifetime.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Once {
    /// How long the result is kept, a failure too; `none`: for the client's life.
    #[serde(deserialize_with = "notation::limit")]
    pub lifetime: Time,
    /// What runs.
    #[serde(rename = "do")]
    pub steps: Vec<Step>,
}

/// A connection of a pool.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Hold {
    /// The pool's size.
    pub size: Count,
    /// Whether it is a limiter inside the process and no pool of connections: only the request's
    /// own branches queue, and that there is no limit on the wait is nobody's mistake.
    #[serde(default)]
    pub limiter: bool,
    /// How long a call waits for a connection.
    pub acquire: Duration,
    /// Name and code of the error of that wait.
    #[serde(default)]
    pub error: ErrorName,
    /// Whether the connection that the options say is held already is used instead.
    #[serde(default)]
    pub unless: Vec<When>,
    /// What runs while it is held.
    #[serde(rename = "do")]
    pub steps: Vec<Step>,
}

/// Another behaviour.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Run {
    /// Its name (`package#name` of another pack, in the version that this package brings along).
    pub behaviour: String,
    /// Only where this holds.
    #[serde(default)]
    pub when: Vec<When>,
}

/// A call of a function of the user's.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Callback {
    /// The option path that holds it.
    pub option: String,
    /// Only where this holds.
    #[serde(default)]
    pub when: Vec<When>,
    /// The type of a value that it is given first (a transaction, a context); absent: data.
    pub given: Option<String>,
    /// Whether its failures are part of its value, and do not end the operation.
    #[serde(default)]
    pub failures_as_values: bool,
}

/// A wait of its own.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Sleep {
    /// How long.
    pub wait: Duration,
}

/// A wait without a bound of the rule's.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct UnmodelledStep {
    /// Why, and what to write instead.
    pub reason: String,
    /// Only where all of these hold (or are not known not to).
    #[serde(default)]
    pub when: Vec<When>,
}

/// Thrown errors become a value.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Catch {
    /// Not where this holds (`.throwOnError()`).
    #[serde(default)]
    pub unless: Vec<When>,
    /// Name and code of the error value, where they are not those of what was thrown. Errors of a
    /// `refuse` step keep theirs.
    #[serde(default)]
    pub thrown_as: ErrorName,
    /// What is guarded.
    #[serde(rename = "do")]
    pub steps: Vec<Step>,
}

/// Statuses that become thrown errors.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Refuse {
    /// Which.
    pub statuses: Vec<Statuses>,
    /// Name and code of the error; its status is the response's.
    #[serde(default)]
    pub error: ErrorName,
    /// An option that holds a function of the user's from a status to whether it is accepted; where
    /// it is written it decides instead of `statuses`.
    pub accepts: Option<String>,
    /// Only where all of these hold.
    #[serde(default)]
    pub when: Vec<When>,
}

/// What an operation gives.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ResultRule {
    /// A value of this type, with the options of the client.
    #[serde(rename = "type")]
    pub type_name: Option<String>,
    /// An object whose fields are data, each possibly absent (`data`); of a dotted path
    /// (`data.user`) the parent is always there.
    #[serde(default)]
    pub fields: Vec<String>,
    /// The field of it that holds the error of a `catch`: absent after success, and where it is
    /// there the `fields` are absent.
    pub error: Option<String>,
    /// What the options hold at this path.
    pub option: Option<String>,
    /// The value of the last callback or attempt.
    #[serde(default)]
    pub inner: bool,
    /// Only where all of these hold.
    #[serde(default)]
    pub when: Vec<When>,
}

const fn yes() -> bool {
    true
}
