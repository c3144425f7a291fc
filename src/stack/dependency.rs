//! What a route waits for: a service, a database, an interface of somebody else.

use indexmap::IndexMap;

use super::document::{Node, Value};
use super::origin::{Origin, Sourced};
use super::reader::Reader;
use super::retry::{RetrySettings, read_retry};
use super::scalar::{SpannedText, TextError, TimeRule, parsed_text, text_of, time_of};
use super::schema::{DEPENDENCY, POOL, RETRY};
use super::source::Place;
use crate::cost::Time;

/// A dependency with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Dependency {
    /// Its key.
    pub name: String,
    /// The package whose rules it follows.
    pub uses: Option<Sourced<PackageRef>>,
    /// The package's version where there is no lockfile.
    pub version: Option<Sourced<semver::Version>>,
    /// Which clients in the code this is.
    pub clients: Vec<Sourced<ClientRef>>,
    /// The limit of one attempt, by operation.
    pub attempt: Attempts,
    /// What is tried again.
    pub retry: Option<Sourced<RetrySettings>>,
    /// What the far side ends by itself.
    pub server_limit: Option<Sourced<Time>>,
    /// Its connections.
    pub pool: Option<PoolSettings>,
    /// Connections that the far side accepts in all.
    pub connections: Option<Sourced<u32>>,
    /// Of those, taken by others.
    pub reserved: Option<Sourced<u32>>,
    /// A column or header that makes a repeated write safe.
    pub idempotency_key: Option<Sourced<String>>,
    /// Statements that one call sends, one after the other.
    pub statements: Option<Sourced<u32>>,
    /// The figures of another service of ours.
    pub serves: Option<Sourced<String>>,
    /// Where its name stands.
    pub place: Place,
}

/// A package of an ecosystem: `npm:axios`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PackageRef {
    /// `npm`, `crates` or `pypi`.
    pub ecosystem: String,
    /// The package's name there.
    pub package: String,
}

impl std::fmt::Display for PackageRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.ecosystem, self.package)
    }
}

/// How a client in the code is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientRef {
    /// By the value that holds it: `src/lib/db.ts:client`.
    Value(SourceRef),
    /// By the host that it speaks to: `host:x.example.org`.
    Host(String),
    /// By the variable that its address comes from: `env:DATABASE_URL`.
    Variable(String),
}

/// Something with a name in a source file: `src/api/me.py:get_me`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceRef {
    /// Relative to the project root.
    pub path: String,
    /// The name in it.
    pub name: String,
}

/// The limits of one attempt.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attempts {
    /// Of every operation that has none of its own.
    pub all: Option<Sourced<Time>>,
    /// By an operation's name, `reads` or `writes`.
    pub by_operation: IndexMap<String, Sourced<Time>>,
}

impl Attempts {
    /// The limit of an operation: its own, else that of reads or writes, else that of all.
    /// `reads`: whether the operation reads, where that is known.
    pub fn of(&self, operation: Option<&str>, reads: Option<bool>) -> Option<&Sourced<Time>> {
        let kind = reads.map(|reads| if reads { "reads" } else { "writes" });
        let named = |name: Option<&str>| name.and_then(|name| self.by_operation.get(name));
        named(operation)
            .or_else(|| named(kind))
            .or(self.all.as_ref())
    }
}

/// `pool = { .. }`.
#[derive(Clone, Debug, PartialEq)]
pub struct PoolSettings {
    /// Connections at once.
    pub max: Option<Sourced<u32>>,
    /// How long a request waits for one.
    pub acquire: Option<Sourced<Time>>,
    /// Its name, where several dependencies share it.
    pub name: Option<Sourced<String>>,
    /// Where it stands.
    pub place: Place,
}

const ECOSYSTEMS: [&str; 3] = ["npm", "crates", "pypi"];

/// Reads `npm:@scope/name`.
///
/// # Errors
///
/// Another ecosystem, and a text without one.
pub fn parse_package(text: &str) -> Result<PackageRef, TextError> {
    let Some((ecosystem, package)) = text
        .split_once(':')
        .filter(|(_, package)| !package.is_empty())
    else {
        let error = TextError::new("a package is named with its ecosystem", 0..text.len());
        return Err(error.help(format!("write \"npm:{}\"", text.trim_end_matches(':'))));
    };
    if !ECOSYSTEMS.contains(&ecosystem) {
        let error = TextError::new(
            format!("`{ecosystem}` is not an ecosystem"),
            0..ecosystem.len(),
        );
        return Err(error.meant(ecosystem, ECOSYSTEMS));
    }
    Ok(PackageRef {
        ecosystem: ecosystem.to_string(),
        package: package.to_string(),
    })
}

/// Reads `PATH:NAME`.
///
/// # Errors
///
/// A text without a colon, a path or a name.
pub fn parse_source_ref(text: &str) -> Result<SourceRef, TextError> {
    match text.rsplit_once(':') {
        Some((path, name)) if !path.is_empty() && !name.is_empty() => Ok(SourceRef {
            path: super::files::resolve("", path),
            name: name.to_string(),
        }),
        _ => {
            let error = TextError::new("a file and a name in it are needed", 0..text.len());
            Err(error.help("write \"src/api/me.py:get_me\""))
        }
    }
}

/// Reads `PATH:NAME`, `host:HOST` or `env:VARIABLE`.
///
/// # Errors
///
/// Anything else.
pub fn parse_client(text: &str) -> Result<ClientRef, TextError> {
    match text.split_once(':') {
        Some(("host", host)) if !host.is_empty() => Ok(ClientRef::Host(host.to_ascii_lowercase())),
        Some(("env", name)) if !name.is_empty() => Ok(ClientRef::Variable(name.to_string())),
        _ => parse_source_ref(text).map(ClientRef::Value).map_err(|error| {
            error.help("write \"src/lib/db.ts:client\", \"host:db.example.org\" or \"env:DATABASE_URL\"")
        }),
    }
}

fn parse_version(text: &str) -> Result<semver::Version, TextError> {
    semver::Version::parse(text.trim_start_matches('v')).map_err(|error| {
        TextError::new(error.to_string(), 0..text.len())
            .help("write the whole version, such as \"2.104.0\"")
    })
}

/// Reads `[dependencies]`.
pub(super) fn read_dependencies(root: &Reader<'_>) -> IndexMap<String, Dependency> {
    let tables = root.named_tables("dependencies", &DEPENDENCY);
    tables
        .into_iter()
        .map(|(name, table)| (name.to_string(), read_dependency(name, &table)))
        .collect()
}

fn read_dependency(name: &str, table: &Reader<'_>) -> Dependency {
    let retry = table.table("retry", &RETRY).map(|retry| {
        let origin = table
            .node("retry")
            .map_or(Origin::Default, |node| Origin::from(&node.span));
        Sourced::new(read_retry(&retry), origin)
    });
    Dependency {
        name: name.to_string(),
        uses: table.parsed("use", "package", parse_package),
        version: table.parsed("version", "version", parse_version),
        clients: read_clients(table),
        attempt: read_attempts(table),
        retry,
        server_limit: table.time("server-limit", TimeRule::Limit),
        pool: table.table("pool", &POOL).map(|pool| PoolSettings {
            max: pool.count("max", 1),
            acquire: pool.time("acquire", TimeRule::Limit),
            name: pool.text("name"),
            place: pool.place(),
        }),
        connections: table.count("connections", 1),
        reserved: table.count("reserved", 0),
        idempotency_key: table.text("idempotency-key"),
        statements: table.count("statements", 1),
        serves: table.text("serves"),
        place: table.place(),
    }
}

fn read_clients(table: &Reader<'_>) -> Vec<Sourced<ClientRef>> {
    let one = |node: &Node| {
        let text = text_of(table.context, "clients", node)?;
        parsed_text(table.context, &text, "client", parse_client)
    };
    table
        .items("clients")
        .unwrap_or_default()
        .iter()
        .filter_map(one)
        .collect()
}

/// One time for every operation, or a table by operation.
fn read_attempts(table: &Reader<'_>) -> Attempts {
    let Some(node) = table.node("attempt") else {
        return Attempts::default();
    };
    let Value::Table(operations) = &node.value else {
        return Attempts {
            all: table.time("attempt", TimeRule::Limit),
            ..Attempts::default()
        };
    };
    let time = |(name, entry): (&String, &super::document::Entry)| {
        let time = time_of(table.context, name, &entry.node, TimeRule::Limit)?;
        Some((name.clone(), time))
    };
    Attempts {
        all: None,
        by_operation: operations.entries.iter().filter_map(time).collect(),
    }
}

/// Reads the value of a key as a source reference.
pub(super) fn read_source_ref(table: &Reader<'_>, key: &'static str) -> Option<Sourced<SourceRef>> {
    let text: SpannedText<'_> = table.spanned_text(key)?;
    parsed_text(table.context, &text, "function", parse_source_ref)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_and_clients_have_their_prefixes() {
        let package = parse_package("npm:@supabase/supabase-js").map(|p| (p.ecosystem, p.package));
        assert_eq!(package, Ok(("npm".into(), "@supabase/supabase-js".into())));
        let help = |text| parse_package(text).map_err(|e| e.help.unwrap_or_default());
        assert_eq!(help("axios"), Err("write \"npm:axios\"".into()));
        assert_eq!(help("nmp:axios"), Err("did you mean `npm`?".into()));
        assert_eq!(
            parse_client("host:X.example"),
            Ok(ClientRef::Host("x.example".into()))
        );
        assert_eq!(
            parse_client("env:URL"),
            Ok(ClientRef::Variable("URL".into()))
        );
        let value = SourceRef {
            path: "src/db.ts".into(),
            name: "client".into(),
        };
        assert_eq!(
            parse_client("./src/db.ts:client"),
            Ok(ClientRef::Value(value))
        );
        for bad in ["src/db.ts", ":x", "host:", "x:"] {
            assert!(parse_client(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn an_operation_has_its_own_limit_first() {
        let time = |n| Sourced::default_of(Time::from_secs(n));
        let by_operation = [("reads", 5), ("writes", 10), ("insert", 7)];
        let by_operation = by_operation
            .into_iter()
            .map(|(name, n)| (name.into(), time(n)))
            .collect();
        let attempts = Attempts {
            all: None,
            by_operation,
        };
        let of = |op, reads| attempts.of(op, reads).map(|t| t.value);
        assert_eq!(of(Some("insert"), Some(false)), Some(Time::from_secs(7)));
        assert_eq!(of(Some("select"), Some(true)), Some(Time::from_secs(5)));
        assert_eq!(of(None, Some(false)), Some(Time::from_secs(10)));
        assert_eq!(of(Some("rpc"), None), None);
        let all = Attempts {
            all: Some(time(3)),
            ..attempts.clone()
        };
        assert_eq!(
            all.of(Some("rpc"), None).map(|t| t.value),
            Some(Time::from_secs(3))
        );
    }
}
