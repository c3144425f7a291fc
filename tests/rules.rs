//! The embedded rule packs: each parses, and keeps to what a pack must keep to.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use overrun::rules::{Library, PackError, Statuses, Step, check};

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
        let stem = Path::new(path).file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let package = pack.package.trim_start_matches('@');
        let last = package.rsplit('/').next().unwrap_or_default();
        let whole = package.replace('/', "-");
        assert!(stem == last || stem == whole, "{path} holds the pack of `{}`", pack.package);
        assert!(path.starts_with(&format!("{ecosystem}/")), "{path}");
    }
}

#[test]
fn every_pack_on_disk_is_embedded() {
    let library = embedded();
    let known: BTreeSet<&str> = library.packs().map(|(path, _)| path).collect();
    for file in std::fs::read_dir("rules/npm").unwrap() {
        let name = format!("npm/{}", file.unwrap().file_name().to_string_lossy());
        assert!(known.contains(name.as_str()), "{name} is not in the binary: build.rs must watch it");
    }
}

/// A place in a published package: a file name with a line, or the documentation or measurement
/// that says it where a package has no line for it (frameworks' conventions, standards).
fn names_a_source(text: &str) -> bool {
    let files = [".js", ".ts", ".mjs", ".cjs", ".tsx", ".mts", ".md", ".json"];
    files.iter().any(|end| text.contains(end))
        || ["ECMAScript", "standard", "documentation", "High Resolution", "Web IDL", "Web Crypt", "API", "V8", "Node 20"]
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
    let behaviour = "[[behaviour]]\nname = \"b\"\nevidence = \"index.js:1\"\n";
    for (text, says) in [
        ("package = ", "npm/x.toml:1: "),
        ("package = \"x\"", "summary"),
        ("package = \"x\"\nsummary = \"x\"\ncolour = 1\n", "npm/x.toml:3: unknown field `colour`"),
        (
            &format!("{head}{behaviour}[[behaviour.do]]\nstep = \"sleep\"\nwait = {{ default = \"5\" }}\n"),
            "the units are",
        ),
        (
            &format!("{head}{behaviour}[[behaviour.do]]\nstep = \"retry\"\nmax = {{ default = 3 }}\nstatuses = [\"5xx\"]\ndo = []\n"),
            "`5xx` is no status",
        ),
        (
            &format!("{head}{behaviour}[[behaviour.do]]\nstep = \"retry\"\nmax = {{ default = 3 }}\nretry-after = \"obeyed\"\ndo = []\n"),
            "`obeyed` is not one of",
        ),
        (&format!("{head}{behaviour}do = [{{ step = \"run\", behaviour = \"c\" }}]\n"), "`x` has no behaviour `c`"),
        (&format!("{head}{behaviour}do = [{{ step = \"run\", behaviour = \"y#c\" }}]\n"), "there is no pack of `y`"),
        (&format!("{head}{behaviour}versions = \">=2.0.0, <3.0.0\"\ndo = []\n{behaviour}versions = \">=3.0.1\"\ndo = []\n"), "nothing for version 3.0.0"),
        (&format!("{head}{behaviour}do = []\n{behaviour}do = []\n"), "never used"),
        (&format!("{head}no-wait = [{{ name = \"b\", evidence = \"e\" }}, {{ name = \"a\", evidence = \"e\" }}]\n"), "not sorted"),
    ] {
        let found = errors_of(text).join("\n");
        assert!(found.contains(says), "for\n{text}\nexpected `{says}`, found\n{found}");
    }
}

#[test]
fn a_pack_nested_without_end_is_refused_or_read() {
    let mut text = "package = \"x\"\nsummary = \"x\"\n[[behaviour]]\nname = \"b\"\nevidence = \"e.js\"\ndo = ".to_string();
    text.push_str(&"[{ step = \"catch\", do = ".repeat(50_000));
    text.push_str("[]");
    text.push_str(&" }]".repeat(50_000));
    assert!(!errors_of(&text).is_empty());
}

#[test]
fn a_project_s_own_folder_replaces_a_pack() {
    let mut library = embedded();
    let own = [("npm/axios.toml".to_string(), "package = \"axios\"\nsummary = \"ours\"\n".to_string())];
    assert_eq!(library.add_folder(&own), Ok(()));
    assert_eq!(library.get("npm", "axios").map(|pack| pack.summary.as_str()), Some("ours"));
    let stray = [("axios.toml".to_string(), String::new())];
    let errors = library.add_folder(&stray).unwrap_err();
    assert!(errors[0].to_string().contains("npm/NAME.toml"), "{errors:?}");
}

#[test]
fn reads_are_retried_by_postgrest_from_2_102_0_on() {
    let library = embedded();
    let pack = library.get("npm", "@supabase/postgrest-js").unwrap();
    for (version, retried) in [("2.101.1", false), ("2.102.0", true), ("2.104.0", true), ("2.119.1", true)] {
        let version = semver::Version::parse(version).unwrap();
        let named = pack.behaviours.iter().filter(|behaviour| behaviour.name == "query");
        let holding = overrun::rules::holding(named, |entry| entry.versions.as_ref(), Some(&version));
        let [behaviour] = holding[..] else { panic!("{version}: {} entries", holding.len()) };
        let Some(Step::Catch(catch)) = behaviour.steps.first() else { panic!("{version}: no catch") };
        let retry = catch.steps.iter().find_map(|step| match step {
            Step::Retry(retry) => Some(retry),
            _ => None,
        });
        assert_eq!(retry.is_some(), retried, "{version}");
        if let Some(retry) = retry {
            let expected: Vec<_> = [503, 520].map(|status| Statuses { first: status, last: status }).into();
            assert_eq!(retry.statuses, expected, "{version}");
            assert_eq!(retry.methods, ["GET", "HEAD", "OPTIONS"], "{version}");
            assert_eq!(retry.except_codes, ["ABORT_ERR"], "{version}");
        }
    }
}
