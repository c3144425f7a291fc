//! Numbers of a rule: where each may be set, in which unit, and what it is otherwise.

use serde::{Deserialize, Deserializer};

use super::notation;
use crate::cost::Time;

/// A duration that an option sets.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Duration {
    /// Option paths that set it, the first that is written wins (`db.timeout`). The options of
    /// the call come before the client's where both have the path.
    #[serde(default)]
    pub option: Vec<String>,
    /// The unit of a bare number there; default milliseconds.
    #[serde(default)]
    pub unit: Unit,
    /// What holds otherwise (`5s`); `none`: no limit ([`Time::UNBOUNDED`]).
    #[serde(deserialize_with = "notation::limit")]
    pub default: Time,
    /// What a written zero means.
    #[serde(default)]
    pub zero: Zero,
    /// What the absent value means where it is written (`timeout(None)`).
    #[serde(default)]
    pub absent: Absent,
    /// Where this very number stands, where the entry's own evidence does not say it.
    pub evidence: Option<String>,
}

/// A count that an option sets.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Count {
    /// Option paths that set it, the first that is written wins.
    #[serde(default)]
    pub option: Vec<String>,
    /// The number otherwise; absent: no limit.
    pub default: Option<u64>,
    /// `attempts`: the number counts the first try too (a retry count of `n - 1`).
    #[serde(default)]
    pub counts: Counts,
    /// Values of the option that switch it off (`false` gives 0).
    #[serde(default)]
    pub off: Vec<Literal>,
}

/// A plain factor that an option sets.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Factor {
    /// Option paths that set it.
    #[serde(default)]
    pub option: Vec<String>,
    /// The number otherwise.
    pub default: f64,
}

/// One name or a list of them.
pub(super) fn one_or_more<'de, D: Deserializer<'de>>(source: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Names {
        One(String),
        More(Vec<String>),
    }
    Ok(match Names::deserialize(source)? {
        Names::One(name) => vec![name],
        Names::More(names) => names,
    })
}

/// What a count counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counts {
    /// Tries beyond the first.
    #[default]
    Retries,
    /// All tries.
    Attempts,
}

/// The unit of a bare number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Milliseconds.
    #[default]
    Ms,
    /// Seconds.
    S,
}

/// What a written zero means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Zero {
    /// No limit.
    None,
    /// At once.
    #[default]
    AtOnce,
    /// As if it were not written.
    Default,
}

/// What the absent value means where it is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Absent {
    /// No limit.
    None,
    /// As if it were not written.
    #[default]
    Default,
}

/// A literal of an option.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Literal {
    /// A truth value.
    Bool(bool),
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
}

/// A test on the options; all tests of a list must hold.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct When {
    /// The option path; of several the first that is written is looked at.
    #[serde(deserialize_with = "one_or_more")]
    pub option: Vec<String>,
    /// What must be true of it.
    pub is: Test,
    /// The literal of `equals` and `differs`.
    pub value: Option<Literal>,
}

/// The tests of a [`When`]. One on a value that is not known is followed both ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Test {
    /// Written, and not the absent value.
    Set,
    /// Not written, or the absent value.
    Unset,
    /// Equal to the literal.
    Equals,
    /// Not equal to the literal (not written: holds).
    Differs,
    /// Written, and a function.
    Function,
}
