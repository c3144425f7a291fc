//! The embedded rule packs: each parses, and keeps to what a pack must keep to.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use overrun::cost::{GateKind, Time};
use overrun::rules::{Library, PackError, RetryAfter, Statuses, Step, check};

fn embedded() -> Library {
    Library::embedded().unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_pack_parses_and_its_names_resolve() {
    let errors = check(&embedded());
    let lines: Vec<String> = errors.iter().map(PackError::to_string).collect();
    assert!(lines.is_empty(), "{}", lines.join("\n"));
}

#[test]
fn a_file_is_named_like_its_package() {
    for (ecosystem, path, pack) in embedded().in_ecosystems() {
        let stem = Path::new(path)
            .file_stem()
            .and_then(|stem| stem.to_str())
            .unwrap_or_default();
        let package = pack.package.trim_start_matches('@');
        let last = package.rsplit('/').next().unwrap_or_default();
        let whole = package.replace('/', "-");
        assert!(
            stem == last || stem == whole,
            "{path} holds the pack of `{}`",
            pack.package
        );
        assert!(path.starts_with(&format!("{ecosystem}/")), "{path}");
    }
}

#[test]
fn every_pack_on_disk_is_embedded() {
    let library = embedded();
    let known: BTreeSet<&str> = library.packs().map(|(path, _)| path).collect();
    for folder in std::fs::read_dir("rules").unwrap() {
        let folder = folder.unwrap().path();
        let ecosystem = folder.file_name().unwrap().to_string_lossy().into_owned();
        if ecosystem == "platforms" {
            continue;
        }
        for file in std::fs::read_dir(&folder).unwrap() {
            let name = format!(
                "{ecosystem}/{}",
                file.unwrap().file_name().to_string_lossy()
            );
            assert!(
                known.contains(name.as_str()),
                "{name} is not in the binary: build.rs must watch it"
            );
        }
    }
}

#[test]
fn a_folder_is_an_ecosystem_and_its_packs_hold_in_it_alone() {
    let mut library = embedded();
    let ecosystems: BTreeSet<&str> = library.in_ecosystems().map(|(name, ..)| name).collect();
    assert_eq!(ecosystems, BTreeSet::from(["crates", "npm"]));
    assert!(library.no_wait("crates", "httpdate").is_some());
    assert!(library.no_wait("npm", "httpdate").is_none());
    assert!(library.no_wait("crates", "zod").is_none());
    let own = [(
        "crates/axios.toml".to_string(),
        "package = \"axios\"\nsummary = \"ours\"\n".to_string(),
    )];
    assert_eq!(library.add_folder(&own), Ok(()));
    let summary = |ecosystem: &str| library.get(ecosystem, "axios").map(|pack| &*pack.summary);
    assert_eq!(summary("crates"), Some("ours"));
    assert!(summary("npm").is_some_and(|summary| summary != "ours"));
}

#[test]
fn packs_of_every_ecosystem_are_listed_and_shown() {
    let library = embedded();
    let platforms = overrun::rules::platform::Platforms::embedded().unwrap();
    let list = overrun::report::rules::list(&library, &platforms);
    for name in ["crates/local ", "npm/local ", "platforms/vercel "] {
        let listed = list.lines().any(|line| line.starts_with(name));
        assert!(listed, "{name} in\n{list}");
    }
    let shown = overrun::report::rules::show(&library, &platforms, "crates/local");
    let shown = shown.unwrap_or_default();
    assert!(
        shown.starts_with("crates/local (local)") && shown.contains("httpdate"),
        "{shown}"
    );
    assert!(!shown.contains("npm/"), "{shown}");
}

/// A place in a published package: a file name with a line, or the documentation or measurement
/// that says it where a package has no line for it (frameworks' conventions, standards).
fn names_a_source(text: &str) -> bool {
    let files = [
        ".js", ".ts", ".mjs", ".cjs", ".tsx", ".mts", ".md", ".json", ".rs",
    ];
    files.iter().any(|end| text.contains(end))
        || [
            "ECMAScript",
            "standard",
            "documentation",
            "High Resolution",
            "Web IDL",
            "Web Crypt",
            "API",
            "V8",
            "Node 20",
        ]
        .iter()
        .any(|word| text.contains(word))
}

#[test]
fn every_number_says_where_it_stands() {
    let library = embedded();
    let mut missing = Vec::new();
    for (path, pack) in library.packs() {
        for function in &pack.functions {
            if !names_a_source(&function.evidence) {
                missing.push(format!("{path}: function {:?}", function.path));
            }
        }
        for behaviour in &pack.behaviours {
            if !names_a_source(&behaviour.evidence) {
                missing.push(format!("{path}: behaviour {}", behaviour.name));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn no_package_is_described_twice() {
    let library = embedded();
    let mut seen: BTreeMap<(String, String), String> = BTreeMap::new();
    for (ecosystem, path, pack) in library.in_ecosystems() {
        for name in std::iter::once(&pack.package).chain(&pack.aliases) {
            let key = (ecosystem.to_string(), name.clone());
            if let Some(earlier) = seen.insert(key, path.to_string()) {
                panic!("`{name}` is in {earlier} and in {path}");
            }
        }
    }
}

fn errors_of(text: &str) -> Vec<String> {
    let mut library = Library::default();
    match library.add("npm", "npm/x.toml", text) {
        Err(error) => vec![error.to_string()],
        Ok(()) => check(&library).iter().map(PackError::to_string).collect(),
    }
}

#[test]
fn wrong_packs_are_refused_with_their_line() {
    let head = "package = \"x\"\nsummary = \"x\"\n";
    let entry = "[[behaviour]]\nname = \"b\"\nevidence = \"index.js:1\"\n";
    for (text, says) in [
        ("package = ", "npm/x.toml:1: "),
        ("package = \"x\"", "summary"),
        (
            "package = \"x\"\nsummary = \"x\"\ncolour = 1\n",
            "npm/x.toml:3: unknown field `colour`",
        ),
        (
            &format!(
                "{head}{entry}[[behaviour.do]]\nstep = \"sleep\"\nwait = {{ default = \"5\" }}\n"
            ),
            "the units are",
        ),
        (
            &format!(
                "{head}{entry}[[behaviour.do]]\nstep = \"retry\"\nmax = {{ default = 3 }}\nstatuses = [\"5xx\"]\ndo = []\n"
            ),
            "`5xx` is no status",
        ),
        (
            &format!(
                "{head}{entry}[[behaviour.do]]\nstep = \"retry\"\nmax = {{ default = 3 }}\nretry-after = \"obeyed\"\ndo = []\n"
            ),
            "`obeyed` is not one of",
        ),
        (
            &format!("{head}{entry}do = [{{ step = \"run\", behaviour = \"c\" }}]\n"),
            "`x` has no behaviour `c`",
        ),
        (
            &format!("{head}{entry}do = [{{ step = \"run\", behaviour = \"y#c\" }}]\n"),
            "there is no pack of `y`",
        ),
        (
            &format!(
                "{head}{entry}versions = \">=2.0.0, <3.0.0\"\ndo = []\n{entry}versions = \">=3.0.1\"\ndo = []\n"
            ),
            "nothing for version 3.0.0",
        ),
        (
            &format!("{head}{entry}do = []\n{entry}do = []\n"),
            "never used",
        ),
        (
            &format!(
                "{head}no-wait = [{{ name = \"b\", evidence = \"e\" }}, {{ name = \"a\", evidence = \"e\" }}]\n"
            ),
            "not sorted",
        ),
    ] {
        let found = errors_of(text).join("\n");
        assert!(
            found.contains(says),
            "for\n{text}\nexpected `{says}`, found\n{found}"
        );
    }
}

#[test]
fn a_pack_nested_without_end_is_refused_or_read() {
    let mut text =
        "package = \"x\"\nsummary = \"x\"\n[[behaviour]]\nname = \"b\"\nevidence = \"e.js\"\ndo = "
            .to_string();
    text.push_str(&"[{ step = \"catch\", do = ".repeat(50_000));
    text.push_str("[]");
    text.push_str(&" }]".repeat(50_000));
    assert!(!errors_of(&text).is_empty());
}

#[test]
fn a_project_s_own_folder_replaces_a_pack() {
    let mut library = embedded();
    let own = [(
        "npm/axios.toml".to_string(),
        "package = \"axios\"\nsummary = \"ours\"\n".to_string(),
    )];
    assert_eq!(library.add_folder(&own), Ok(()));
    assert_eq!(
        library
            .get("npm", "axios")
            .map(|pack| pack.summary.as_str()),
        Some("ours")
    );
    let stray = [("axios.toml".to_string(), String::new())];
    let errors = library.add_folder(&stray).unwrap_err();
    assert!(
        errors[0].to_string().contains("npm/NAME.toml"),
        "{errors:?}"
    );
}

#[test]
fn reads_are_retried_by_postgrest_from_2_102_0_on() {
    let library = embedded();
    for (version, retried) in [
        ("2.101.1", false),
        ("2.102.0", true),
        ("2.104.0", true),
        ("2.119.1", true),
    ] {
        let query = behaviour(&library, "@supabase/postgrest-js", "query", version);
        let retry = retry_in(&query.steps);
        assert_eq!(retry.is_some(), retried, "{version}");
        if let Some((retry, _)) = retry {
            let expected: Vec<_> = [503, 520]
                .map(|status| Statuses {
                    first: status,
                    last: status,
                })
                .into();
            assert_eq!(retry.statuses, expected, "{version}");
            assert_eq!(retry.methods, ["GET", "HEAD", "OPTIONS"], "{version}");
            assert_eq!(retry.except_codes, ["ABORT_ERR"], "{version}");
        }
    }
}

/// The behaviour of a pack that holds for a version.
fn behaviour<'a>(
    library: &'a Library,
    package: &str,
    name: &str,
    version: &str,
) -> &'a overrun::rules::Behaviour {
    let version = semver::Version::parse(version).unwrap();
    let pack = library.get("npm", package).unwrap();
    let named = pack
        .behaviours
        .iter()
        .filter(|behaviour| behaviour.name == name);
    let holding = overrun::rules::holding(named, |entry| entry.versions.as_ref(), Some(&version));
    let [behaviour] = holding[..] else {
        panic!("{package} {name} {version}: {} entries", holding.len())
    };
    behaviour
}

/// The first retry in steps, however deep, and whether it runs once a lifetime.
fn retry_in(steps: &[Step]) -> Option<(&overrun::rules::Retry, Option<Time>)> {
    steps.iter().find_map(|step| match step {
        Step::Retry(retry) => Some((&**retry, None)),
        Step::Catch(catch) => retry_in(&catch.steps),
        Step::Once(once) => retry_in(&once.steps).map(|(retry, _)| (retry, Some(once.lifetime))),
        _ => None,
    })
}

#[test]
fn a_session_is_renewed_for_30_s_and_a_failure_is_kept_from_2_108_2_on() {
    let library = embedded();
    for (version, kept, retried, left) in [
        ("2.101.1", None, vec![502, 503, 504], vec![500, 520, 530]),
        (
            "2.104.0",
            None,
            vec![502, 504, 520, 524, 530],
            vec![500, 525],
        ),
        ("2.108.1", None, vec![502, 520], vec![500, 525]),
        (
            "2.108.2",
            Some(Time::from_secs(60)),
            vec![500, 504, 520, 525, 530],
            vec![429, 505],
        ),
        (
            "2.119.1",
            Some(Time::from_secs(60)),
            vec![500, 530],
            vec![429, 531],
        ),
    ] {
        let refresh = behaviour(&library, "@supabase/auth-js", "refresh", version);
        let (retry, lifetime) = retry_in(&refresh.steps).unwrap();
        assert_eq!(lifetime, kept, "{version}");
        let contains = |status: &u16| retry.statuses.iter().any(|range| range.contains(*status));
        assert!(retried.iter().all(contains), "{version}: {retried:?}");
        assert!(!left.iter().any(contains), "{version}: {left:?}");
        let gate = retry.gate.as_ref().unwrap();
        assert_eq!(
            (gate.kind, gate.budget.default),
            (GateKind::BeforeSleepCounted, Time::from_secs(30))
        );
        assert_eq!(
            retry.backoff.as_ref().map(|waits| waits.base.default),
            Some(Time::from_millis(200))
        );
        assert_eq!(retry.max.default, None, "{version}: the loop has no count");
    }
}

#[test]
fn what_openai_does_with_retry_after_depends_on_its_version() {
    let library = embedded();
    let minute = RetryAfter::IgnoredAbove(Time::from_secs(60));
    for (version, name, expected) in [
        ("4.104.0", "request", minute),
        ("6.25.0", "request", minute),
        ("6.26.0", "request", RetryAfter::Uncapped),
        ("7.4.0", "request", RetryAfter::Uncapped),
        ("7.5.0", "whole", minute),
        ("7.59.0", "whole-woken", minute),
    ] {
        let entry = behaviour(&library, "openai", name, version);
        let (retry, _) = retry_in(&entry.steps).unwrap();
        assert_eq!(retry.retry_after, expected, "{version}");
        assert_eq!(retry.max.default, Some(2), "{version}");
    }
}

#[test]
fn the_limits_of_node_s_fetch_are_its_own() {
    let library = embedded();
    let fetch = behaviour(&library, "global", "fetch", "20.20.2");
    let Some(Step::Attempt(attempt)) = fetch.steps.first() else {
        panic!("no attempt")
    };
    let limits: Vec<_> = attempt
        .phases
        .iter()
        .map(|phase| (phase.limit.default, phase.runtime))
        .collect();
    assert_eq!(
        limits,
        [(Time::from_secs(10), true), (Time::from_secs(300), true)]
    );
    let body = behaviour(&library, "global", "body", "20.20.2");
    let Some(Step::Body(body)) = body.steps.first() else {
        panic!("no body")
    };
    assert_eq!(
        body.idle.as_ref().map(|idle| idle.default),
        Some(Time::from_secs(300))
    );
}

#[test]
fn what_waits_for_nothing_is_found_by_name() {
    let library = embedded();
    for name in [
        "zod",
        "pino",
        "fs/promises",
        "react",
        "@opentelemetry/api",
        "cheerio#load",
    ] {
        assert!(library.no_wait("npm", name).is_some(), "{name}");
    }
    for name in ["cheerio", "jose", "p-limit", "lru-cache", "axios", "http"] {
        assert!(library.no_wait("npm", name).is_none(), "{name}");
    }
    assert!(
        library
            .transparent("npm", "express-async-handler")
            .is_some()
    );
}
