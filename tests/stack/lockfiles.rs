//! Lockfiles: one small workspace in every format, asked the same questions.
//!
//! The root has supabase-js 2.104.0 with a postgrest-js 2.104.0 of its own (another one, 2.90.0, is
//! installed too), axios 1.21.1, and axios 0.27.2 as `old-axios`; `packages/web` has axios 0.21.4.

use std::fs;

use overrun::stack::SourceText;
use overrun::stack::crates::CrateManifest;
use overrun::stack::lockfile::{Lockfile, LockfileKind};
use overrun::stack::manifest::Manifest;

use super::fixtures;

const WORKSPACES: [(&str, LockfileKind); 8] = [
    ("npm-v3.json", LockfileKind::Npm),
    ("pnpm-v5.yaml", LockfileKind::Pnpm),
    ("pnpm-v6.yaml", LockfileKind::Pnpm),
    ("pnpm-v9.yaml", LockfileKind::Pnpm),
    ("yarn-v1.lock", LockfileKind::Yarn),
    ("yarn-berry.lock", LockfileKind::Yarn),
    ("bun.lock", LockfileKind::Bun),
    ("npm-v1.json", LockfileKind::Npm),
];

fn text(name: &str) -> String {
    let path = fixtures().join("lockfiles").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn lockfile(name: &str, kind: LockfileKind) -> Lockfile {
    Lockfile::parse(kind, &text(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn manifest(text: &str) -> Manifest {
    let source = SourceText::file("package.json", text);
    Manifest::parse(&source).unwrap_or_else(|error| panic!("{error}"))
}

/// A lockfile with what the manifests ask for, which the first `yarn.lock` does not know.
fn workspace(name: &str, kind: LockfileKind) -> Lockfile {
    let mut lockfile = lockfile(name, kind);
    let root = "{\"dependencies\": {\"@supabase/supabase-js\": \"^2.0.0\", \"axios\": \"^1.0.0\",
                 \"old-axios\": \"npm:axios@0.27.2\"}}";
    lockfile.add_manifest("", &manifest(root));
    lockfile.add_manifest(
        "packages/web",
        &manifest("{\"dependencies\": {\"axios\": \"^0.21.0\"}}"),
    );
    lockfile
}

fn versions(lockfile: &Lockfile, importer: &str, package: &str) -> Vec<String> {
    lockfile
        .version_for(importer, package)
        .iter()
        .map(ToString::to_string)
        .collect()
}

#[test]
fn a_folder_gets_what_its_manager_gives_it() {
    for (name, kind) in WORKSPACES {
        let lockfile = workspace(name, kind);
        assert_eq!(versions(&lockfile, "", "axios"), ["1.21.1"], "{name}");
        assert_eq!(
            versions(&lockfile, ".", "@supabase/supabase-js"),
            ["2.104.0"],
            "{name}"
        );
        assert_eq!(
            versions(&lockfile, "packages/api/src", "axios"),
            ["1.21.1"],
            "{name}: from the root"
        );
        if name != "npm-v1.json" {
            assert_eq!(
                versions(&lockfile, "packages/web", "axios"),
                ["0.21.4"],
                "{name}"
            );
            assert_eq!(
                versions(&lockfile, "packages/web/src/lib/", "axios"),
                ["0.21.4"],
                "{name}"
            );
            assert_eq!(
                versions(&lockfile, "packages/webshop", "axios"),
                ["1.21.1"],
                "{name}"
            );
        }
        assert_eq!(versions(&lockfile, "", "lodash"), [""; 0], "{name}");
    }
}

#[test]
fn an_alias_leads_to_the_package() {
    for (name, kind) in WORKSPACES {
        let resolved = workspace(name, kind).resolve("", "old-axios");
        let resolved: Vec<_> = resolved
            .iter()
            .map(|r| (r.package.as_str(), r.version.to_string()))
            .collect();
        assert_eq!(resolved, [("axios", "0.27.2".to_string())], "{name}");
    }
}

#[test]
fn a_package_gets_its_own_version_of_another() {
    for (name, kind) in WORKSPACES {
        let nested =
            workspace(name, kind).nested("@supabase/supabase-js", "@supabase/postgrest-js");
        let nested: Vec<String> = nested.iter().map(ToString::to_string).collect();
        assert_eq!(nested, ["2.104.0"], "{name}");
    }
}

#[test]
fn every_version_where_the_file_does_not_decide() {
    for (name, kind) in WORKSPACES
        .into_iter()
        .filter(|(name, _)| !name.starts_with("npm") && *name != "bun.lock")
    {
        let lockfile = workspace(name, kind);
        assert_eq!(
            versions(&lockfile, "", "@supabase/postgrest-js"),
            ["2.90.0", "2.104.0"],
            "{name}"
        );
        let nested = lockfile.nested("unknown", "@supabase/postgrest-js");
        assert_eq!(nested.len(), 2, "{name}");
    }
    let plain = lockfile("yarn-v1.lock", LockfileKind::Yarn);
    assert_eq!(
        versions(&plain, "", "axios"),
        ["0.21.4", "0.27.2", "1.21.1"],
        "no manifest"
    );
}

#[test]
fn workspace_packages_and_odd_entries() {
    let npm = lockfile("npm-v3.json", LockfileKind::Npm);
    assert_eq!(versions(&npm, "", "web"), ["3.1.0"], "through the link");
    assert_eq!(versions(&npm, "", "from-git"), [""; 0]);
    assert_eq!(versions(&npm, "", "partial"), [""; 0]);
    let second = lockfile("npm-v2.json", LockfileKind::Npm);
    assert_eq!(
        versions(&second, "", "axios"),
        ["1.21.1"],
        "`packages` is the newer table"
    );
    let hand_made = lockfile("npm-hand-made.json", LockfileKind::Npm);
    assert_eq!(versions(&hand_made, "app/api", "axios"), ["1.21.1"]);
    let single = lockfile("pnpm-single.yaml", LockfileKind::Pnpm);
    assert_eq!(versions(&single, "src", "axios"), ["1.21.1"]);
}

#[test]
fn the_fixtures_name_no_address() {
    for entry in fs::read_dir(fixtures().join("lockfiles"))
        .into_iter()
        .flatten()
        .flatten()
    {
        let text = fs::read_to_string(entry.path()).unwrap_or_default();
        assert!(
            !text.contains("://") || text.contains("git+ssh://git@example.org"),
            "{entry:?}"
        );
    }
}

#[test]
fn a_file_is_known_by_its_name() {
    for (name, kind) in LockfileKind::FILE_NAMES {
        assert_eq!(LockfileKind::of_file_name(name), Some(kind));
    }
    assert_eq!(LockfileKind::of_file_name("Cargo.toml"), None);
}

/// A workspace of `app` and `web`: `app` has http-one twice, under two names of its own.
const CRATES: [(&str, LockfileKind); 4] = [
    ("cargo-v1.lock", LockfileKind::Cargo),
    ("cargo-v2.lock", LockfileKind::Cargo),
    ("cargo-v3.lock", LockfileKind::Cargo),
    ("cargo-v4.lock", LockfileKind::Cargo),
];

#[test]
fn crates_are_told_apart_by_who_depends_on_them() {
    for (name, kind) in CRATES {
        let lockfile = lockfile(name, kind);
        for (importer, package, expected) in [
            ("app", "http-one", vec!["0.27.2", "1.21.1"]),
            ("app", "client_kit", vec!["2.104.0"]),
            ("web", "http_one", vec!["0.21.4"]),
            ("web", "rest", vec!["2.90.0"]),
            // Not asked for, and no importer: whatever is there.
            ("app", "rest", vec!["2.90.0", "2.104.0"]),
            ("client-kit", "rest", vec!["2.90.0", "2.104.0"]),
            ("app", "absent", vec![]),
        ] {
            let found = versions(&lockfile, importer, package);
            assert_eq!(found, expected, "{name}: {package} for {importer}");
        }
        let nested = |parent: &str, package: &str| -> Vec<String> {
            let found = lockfile.nested(parent, package);
            found.iter().map(ToString::to_string).collect()
        };
        assert_eq!(nested("client-kit", "rest"), ["2.104.0"], "{name}");
        assert_eq!(nested("rest", "in-git"), ["0.3.0"], "{name}");
        assert_eq!(lockfile.has_importer("web"), Some(true), "{name}");
        assert_eq!(lockfile.has_importer("rest"), Some(false), "{name}");
    }
}

#[test]
fn this_program_gets_what_it_asks_for() {
    let read = |name: &str| {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    let lockfile = Lockfile::parse(LockfileKind::Cargo, &read("Cargo.lock"));
    let lockfile = lockfile.unwrap_or_else(|error| panic!("{error}"));
    let source = SourceText::file("Cargo.toml", &read("Cargo.toml"));
    let manifest = CrateManifest::parse(&source).unwrap_or_else(|error| panic!("{error}"));
    for package in [
        "oxc_parser",
        "proc-macro2",
        "semver",
        "syn",
        "toml",
        "proptest",
    ] {
        let found = lockfile.version_for("cargo-overrun", package);
        let asked = manifest.asked(package, None);
        assert!(
            found.len() == 1 && asked.is_some_and(|asked| asked.matches(&found[0])),
            "{package}: {found:?}"
        );
    }
}

#[test]
fn a_broken_lockfile_of_crates_says_its_line() {
    let package = "version = 4\n\n[[package]]\nname = \"a\"\n";
    for (text, line, says) in [
        (
            "version = 4\n<<<<<<< HEAD\n".to_string(),
            Some(2),
            "not a lockfile",
        ),
        ("version = 9\n".to_string(), Some(1), "version 9"),
        (
            format!("{package}version = \"one\"\n"),
            Some(5),
            "`one` of `a` is no version",
        ),
        (package.to_string(), Some(3), "version"),
        (
            format!("{package}version = \"1.0.0\"\ndependencies = [\n \"b\",\n \"c x\",\n]\n"),
            Some(8),
            "`c x` names no package",
        ),
        ("[metadata]\n".to_string(), None, "no `package`"),
    ] {
        let error = Lockfile::parse(LockfileKind::Cargo, &text)
            .map(|_| ())
            .unwrap_err();
        assert_eq!(error.line, line, "{text:?}: {error}");
        assert!(error.message.contains(says), "{text:?}: {error}");
    }
    let empty = Lockfile::parse(LockfileKind::Cargo, "version = 4\n");
    assert!(empty.is_ok(), "a workspace of nothing: {empty:?}");
}

#[test]
fn the_oldest_lockfile_keeps_its_own_package_apart() {
    let text = "[root]\nname = \"a\"\nversion = \"0.1.0\"\ndependencies = [\"b 1.0.0 (registry+index)\"]\n\
                [[package]]\nname = \"b\"\nversion = \"1.0.0\"\nsource = \"registry+index\"\n\
                [[package]]\nname = \"b\"\nversion = \"2.0.0\"\nsource = \"registry+index\"\n";
    let lockfile = Lockfile::parse(LockfileKind::Cargo, text).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(versions(&lockfile, "a", "b"), ["1.0.0"]);
}

mod anything {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

        #[test]
        fn no_cut_or_noise_makes_it_panic(
            which in 0..WORKSPACES.len() + CRATES.len(), at in 0usize..2_000, drop in 0usize..40, noise in ".{0,6}",
        ) {
            let (name, kind) = [&WORKSPACES[..], &CRATES[..]].concat()[which];
            let text: Vec<char> = text(name).chars().collect();
            let at = at.min(text.len());
            let rest = (at + drop).min(text.len());
            let changed: String = text[..at].iter().copied().chain(noise.chars()).chain(text[rest..].iter().copied()).collect();
            if let Ok(lockfile) = Lockfile::parse(kind, &changed) {
                lockfile.version_for("packages/web", "axios");
                lockfile.version_for("web", "http-one");
                lockfile.nested("@supabase/supabase-js", "@supabase/postgrest-js");
            }
        }
    }
}
