//! Resolution of modules and crates of Rust over a file system in memory.

use std::sync::Arc;

use overrun::lang::resolve::{Resolved, Resolver};

use super::resolution::Memory;

fn resolver(files: &[(&str, &str)]) -> Resolver {
    let files = files
        .iter()
        .map(|(path, text)| (path.to_string(), text.to_string()));
    Resolver::new(Arc::new(Memory(files.collect())))
}

fn file(path: &str) -> Resolved {
    Resolved::File(path.to_string())
}

fn package(name: &str) -> Resolved {
    Resolved::Package {
        name: name.to_string(),
        subpath: String::new(),
    }
}

fn check(files: &[(&str, &str)], cases: &[(&str, &str, Resolved)]) {
    let resolver = resolver(files);
    for (from, specifier, expected) in cases {
        assert_eq!(
            resolver.resolve(from, specifier),
            *expected,
            "{specifier} from {from}"
        );
    }
}

const PLAIN: &str = "[package]\nname = \"my-app\"\n";

#[test]
fn modules_by_where_they_lie() {
    let files = [
        ("p/Cargo.toml", PLAIN),
        ("p/src/main.rs", ""),
        ("p/src/a.rs", ""),
        ("p/src/a/b.rs", ""),
        ("p/src/a/b/c.rs", ""),
        ("p/src/a/inner/d.rs", ""),
        ("p/src/m/mod.rs", ""),
        ("p/src/m/n.rs", ""),
        ("p/src/other/place.rs", ""),
        ("p/src/other/child.rs", ""),
        ("p/src/bin/tool.rs", ""),
        ("p/src/bin/part.rs", ""),
        ("p/src/bin/big/main.rs", ""),
        ("p/src/bin/big/piece.rs", ""),
        ("p/tests/whole.rs", ""),
        ("p/tests/common/mod.rs", ""),
    ];
    check(
        &files,
        &[
            ("p/src/main.rs", "mod:a", file("p/src/a.rs")),
            ("p/src/main.rs", "mod:m", file("p/src/m/mod.rs")),
            ("p/src/main.rs", "mod:gone", Resolved::Missing),
            ("p/src/a.rs", "mod:b", file("p/src/a/b.rs")),
            ("p/src/a.rs", "mod:inner/d", file("p/src/a/inner/d.rs")),
            ("p/src/a/b.rs", "mod:c", file("p/src/a/b/c.rs")),
            ("p/src/m/mod.rs", "mod:n", file("p/src/m/n.rs")),
            (
                "p/src/main.rs",
                "path:other/place.rs",
                file("p/src/other/place.rs"),
            ),
            ("p/src/a.rs", "path:a/b.rs", file("p/src/a/b.rs")),
            ("p/src/a.rs", "inner:inner/d.rs", file("p/src/a/inner/d.rs")),
            // What an attribute placed has its modules beside it.
            (
                "p/src/other/place.rs",
                "mod:child",
                file("p/src/other/child.rs"),
            ),
            ("p/src/bin/tool.rs", "mod:part", file("p/src/bin/part.rs")),
            (
                "p/src/bin/big/main.rs",
                "mod:piece",
                file("p/src/bin/big/piece.rs"),
            ),
            (
                "p/tests/whole.rs",
                "mod:common",
                file("p/tests/common/mod.rs"),
            ),
        ],
    );
}

#[test]
fn the_root_of_the_crate_and_the_module_around() {
    let files = [
        ("p/Cargo.toml", PLAIN),
        ("p/src/lib.rs", "mod a;\npub mod m;"),
        ("p/src/main.rs", "mod only_main; fn main() {}"),
        ("p/src/only_main.rs", ""),
        ("p/src/a.rs", ""),
        ("p/src/a/b.rs", ""),
        ("p/src/m/mod.rs", ""),
        ("p/src/m/n.rs", ""),
        ("p/src/bin/big/main.rs", ""),
        ("p/src/bin/big/piece.rs", ""),
    ];
    check(
        &files,
        &[
            ("p/src/a/b.rs", "crate", file("p/src/lib.rs")),
            ("p/src/only_main.rs", "crate", file("p/src/main.rs")),
            ("p/src/main.rs", "crate", file("p/src/main.rs")),
            (
                "p/src/bin/big/piece.rs",
                "crate",
                file("p/src/bin/big/main.rs"),
            ),
            ("p/src/main.rs", "my_app", file("p/src/lib.rs")),
            ("p/src/bin/big/main.rs", "my_app", file("p/src/lib.rs")),
            ("p/src/a/b.rs", "self", file("p/src/a/b.rs")),
            ("p/src/a/b.rs", "super", file("p/src/a.rs")),
            ("p/src/a/b.rs", "super::super", file("p/src/lib.rs")),
            ("p/src/m/n.rs", "super", file("p/src/m/mod.rs")),
            ("p/src/m/mod.rs", "super", file("p/src/lib.rs")),
            ("p/src/only_main.rs", "super", file("p/src/main.rs")),
            ("p/src/lib.rs", "super", Resolved::Missing),
            ("p/src/a/b.rs", "super::super::super", Resolved::Missing),
        ],
    );
}

#[test]
fn crates_by_the_manifests() {
    let files = [
        (
            "w/Cargo.toml",
            "[workspace]\nmembers = [\"crates/*\"]\n[workspace.dependencies]\n\
             shared = { path = \"crates/shared\" }\nserde = \"1\"\n\
             db = { package = \"my-database\", path = \"crates/db\" }\n\
             [patch.crates-io]\nforked = { path = \"vendor/forked\" }\n",
        ),
        (
            "w/crates/app/Cargo.toml",
            "[package]\nname = \"app\"\n[dependencies]\nshared.workspace = true\n\
             db = { workspace = true }\nserde = { workspace = true, features = [\"derive\"] }\n\
             reqwest = \"0.12\"\nhttp-client = { package = \"hyper\", version = \"1\" }\n\
             forked = \"1\"\nunsaid.workspace = true\nlost = { path = \"../lost\" }\n\
             [target.'cfg(unix)'.dependencies]\nnix = \"1\"\n\
             [dev-dependencies]\ntest-kit = { path = \"../kit\" }\n\
             [features]\ndefault = [\"tls\", \"dep:nix\"]\ntls = [\"roots\"]\nroots = []\nextra = []\n",
        ),
        ("w/crates/app/src/main.rs", ""),
        (
            "w/crates/shared/Cargo.toml",
            "[package]\nname = \"shared\"\n",
        ),
        ("w/crates/shared/src/lib.rs", ""),
        (
            "w/crates/db/Cargo.toml",
            "[package]\nname = \"my-database\"\n[lib]\nname = \"database\"\npath = \"lib/root.rs\"\n",
        ),
        ("w/crates/db/lib/root.rs", ""),
        ("w/crates/db/lib/pool.rs", ""),
        (
            "w/crates/kit/Cargo.toml",
            "[package]\nname = \"test-kit\"\n",
        ),
        ("w/crates/kit/src/lib.rs", ""),
        (
            "w/vendor/forked/Cargo.toml",
            "[package]\nname = \"forked\"\n",
        ),
        ("w/vendor/forked/src/lib.rs", ""),
    ];
    let app = "w/crates/app/src/main.rs";
    check(
        &files,
        &[
            (app, "shared", file("w/crates/shared/src/lib.rs")),
            (app, "db", file("w/crates/db/lib/root.rs")),
            (app, "test_kit", file("w/crates/kit/src/lib.rs")),
            (app, "forked", file("w/vendor/forked/src/lib.rs")),
            (app, "serde", package("serde")),
            (app, "reqwest", package("reqwest")),
            (app, "http_client", package("hyper")),
            (app, "nix", package("nix")),
            // A path that leads nowhere: the package is still what it is called.
            (app, "lost", package("lost")),
            (app, "unsaid", Resolved::Missing),
            (app, "hyper", Resolved::Missing),
            (app, "std", Resolved::Builtin("std".to_string())),
            (app, "core", Resolved::Builtin("std".to_string())),
            (
                "w/crates/db/lib/pool.rs",
                "crate",
                file("w/crates/db/lib/root.rs"),
            ),
            (
                "w/crates/db/lib/pool.rs",
                "super",
                file("w/crates/db/lib/root.rs"),
            ),
            ("elsewhere/x.rs", "tokio", package("tokio")),
        ],
    );
    let resolver = resolver(&files);
    assert_eq!(resolver.default_features(app), ["default", "roots", "tls"]);
    assert_eq!(
        resolver.package_of("w/crates/db/lib/pool.rs"),
        Some(("my-database".to_string(), "w/crates/db".to_string()))
    );
}

#[test]
fn manifests_that_are_none_say_nothing() {
    for text in [
        "",
        "{",
        "[package]\nname = 3",
        "[package]\nname = \"a\"\ndependencies = 1",
    ] {
        let resolver = resolver(&[("p/Cargo.toml", text), ("p/src/lib.rs", "")]);
        let found = resolver.resolve("p/src/lib.rs", "serde");
        assert!(
            matches!(found, Resolved::Package { .. } | Resolved::Missing),
            "{text}: {found:?}"
        );
    }
}
