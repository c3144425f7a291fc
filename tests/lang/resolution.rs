//! Resolution of imports over a file system in memory.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use overrun::lang::resolve::{FileKind, FileSystem, Resolved, Resolver};

/// Files by path.
#[derive(Default)]
pub struct Memory(pub BTreeMap<String, String>);

impl FileSystem for Memory {
    fn kind(&self, path: &str) -> Option<FileKind> {
        if self.0.contains_key(path) {
            return Some(FileKind::File);
        }
        let folder = format!("{}/", path.trim_end_matches('/'));
        self.0
            .keys()
            .any(|file| file.starts_with(&folder))
            .then_some(FileKind::Folder)
    }

    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        let missing = || io::Error::from(io::ErrorKind::NotFound);
        self.0
            .get(path)
            .map(|text| text.as_bytes().to_vec())
            .ok_or_else(missing)
    }

    fn entries(&self, path: &str) -> io::Result<Vec<String>> {
        let folder = format!("{}/", path.trim_end_matches('/'));
        let inside = self.0.keys().filter_map(|file| file.strip_prefix(&folder));
        Ok(inside
            .filter_map(|rest| rest.split('/').next())
            .map(str::to_string)
            .collect())
    }
}

fn resolver(files: &[(&str, &str)]) -> Resolver {
    let files = files
        .iter()
        .map(|(path, text)| (path.to_string(), text.to_string()));
    Resolver::new(Arc::new(Memory(files.collect())))
}

fn file(path: &str) -> Resolved {
    Resolved::File(path.to_string())
}

fn package(name: &str, subpath: &str) -> Resolved {
    Resolved::Package {
        name: name.to_string(),
        subpath: subpath.to_string(),
    }
}

fn check(files: &[(&str, &str)], from: &str, cases: &[(&str, Resolved)]) {
    let resolver = resolver(files);
    for (specifier, expected) in cases {
        assert_eq!(
            resolver.resolve(from, specifier),
            *expected,
            "{specifier} from {from}"
        );
    }
}

#[test]
fn relative_files() {
    let files = [
        ("/p/src/a.ts", ""),
        ("/p/src/b.tsx", ""),
        ("/p/src/b.css", ""),
        ("/p/src/c/index.ts", ""),
        ("/p/src/c.service.ts", ""),
        ("/p/src/d.js", ""),
        ("/p/src/e.mts", ""),
        ("/p/src/only.d.ts", ""),
        ("/p/src/data.json", "{}"),
        ("/p/src/both.ts", ""),
        ("/p/src/both.js", ""),
        ("/p/src/both/index.ts", ""),
        ("/p/top.ts", ""),
        ("/p/pkg/package.json", r#"{"main": "./dist/main.js"}"#),
        ("/p/pkg/src/main.ts", ""),
    ];
    check(
        &files,
        "/p/src/a.ts",
        &[
            ("./b", file("/p/src/b.tsx")),
            ("./b.js", file("/p/src/b.tsx")),
            ("./b.css", file("/p/src/b.css")),
            ("./c", file("/p/src/c/index.ts")),
            ("./c/", file("/p/src/c/index.ts")),
            ("./c.service", file("/p/src/c.service.ts")),
            ("./d", file("/p/src/d.js")),
            ("./d.js", file("/p/src/d.js")),
            ("./e.mjs", file("/p/src/e.mts")),
            ("./only", file("/p/src/only.d.ts")),
            ("./data.json", file("/p/src/data.json")),
            ("./data.json?raw", file("/p/src/data.json")),
            ("./both.js", file("/p/src/both.ts")),
            ("./both", file("/p/src/both.ts")),
            ("../top", file("/p/top.ts")),
            ("..//./top.ts", file("/p/top.ts")),
            ("../pkg", file("/p/pkg/src/main.ts")),
            ("./missing", Resolved::Missing),
            ("../../../../x", Resolved::Missing),
            ("", Resolved::Missing),
        ],
    );
    check(
        &[("src/a.ts", ""), ("src/b.ts", "")],
        "src/a.ts",
        &[("./b", file("src/b.ts"))],
    );
}

#[test]
fn packages_and_builtins() {
    let installed = [
        ("/p/a.ts", ""),
        (
            "/p/node_modules/react/package.json",
            r#"{"name":"react","main":"index.js"}"#,
        ),
        ("/p/node_modules/react/index.js", ""),
    ];
    check(
        &installed,
        "/p/a.ts",
        &[
            ("react", package("react", "")),
            ("react/jsx-runtime", package("react", "jsx-runtime")),
            (
                "@supabase/supabase-js",
                package("@supabase/supabase-js", ""),
            ),
            ("@scope/name/sub/path", package("@scope/name", "sub/path")),
            ("npm:zod@3.1.0/v4", package("zod", "v4")),
            ("npm:@scope/a@1/b", package("@scope/a", "b")),
            (
                "./node_modules/react/index.js",
                package("react", "index.js"),
            ),
            ("lodash.debounce", package("lodash.debounce", "")),
            ("node:fs/promises", Resolved::Builtin("fs/promises".into())),
            ("fs", Resolved::Builtin("fs".into())),
            ("fs/promises", Resolved::Builtin("fs/promises".into())),
            ("zlib", Resolved::Builtin("zlib".into())),
            ("events", Resolved::Builtin("events".into())),
            ("bun:sqlite", Resolved::Builtin("bun:sqlite".into())),
            ("fs-extra", package("fs-extra", "")),
            ("@/lib/x", Resolved::Missing),
            ("~/x", Resolved::Missing),
            ("@scope", Resolved::Missing),
            ("https://esm.sh/x", Resolved::Missing),
        ],
    );
}

#[test]
fn aliases_of_the_nearest_configuration() {
    let files = [
        (
            "/p/tsconfig.json",
            r#"{ "compilerOptions": { "paths": { "@/*": ["./wrong/*"] } } }"#,
        ),
        (
            "/p/base.json",
            r#"{ "compilerOptions": { "baseUrl": "./app", "paths": { "base/*": ["lib/*"] } } }"#,
        ),
        (
            "/p/app/tsconfig.json",
            "// comments\n{ \"extends\": [\"@missing/config/base.json\", \"../base\"], /* and */\n\
             \"compilerOptions\": { \"paths\": { \"@/*\": [\"./src/*\", \"./gen/*\"],\n\
             \"@/special/*\": [\"./special/*\"], \"exact\": [\"./src/exact.ts\"],\n\
             \"#lib/*\": [\"./lib/*\"], \"dep\": [\"../node_modules/dep/x.ts\"], }, } }",
        ),
        ("/p/app/src/a.ts", ""),
        ("/p/app/src/lib/db.ts", ""),
        ("/p/app/gen/client/index.ts", ""),
        ("/p/app/special/x.ts", ""),
        ("/p/app/src/exact.ts", ""),
        ("/p/app/lib/h.ts", ""),
        ("/p/app/components/button.tsx", ""),
        ("/p/node_modules/dep/x.ts", ""),
        ("/p/wrong/lib/db.ts", ""),
    ];
    check(
        &files,
        "/p/app/src/a.ts",
        &[
            ("@/lib/db", file("/p/app/src/lib/db.ts")),
            ("@/client", file("/p/app/gen/client/index.ts")),
            ("@/special/x", file("/p/app/special/x.ts")),
            ("exact", file("/p/app/src/exact.ts")),
            ("#lib/h.js", file("/p/app/lib/h.ts")),
            ("dep", package("dep", "x.ts")),
            ("components/button", file("/p/app/components/button.tsx")),
            ("react", package("react", "")),
            ("@/absent", Resolved::Missing),
        ],
    );
    check(
        &files,
        "/p/other.ts",
        &[("@/lib/db", file("/p/wrong/lib/db.ts"))],
    );
}

#[test]
fn inherited_aliases_and_references() {
    let files = [
        (
            "/p/tsconfig.base.json",
            r#"{ "compilerOptions": { "paths": { "@lib/*": ["libs/*"] } } }"#,
        ),
        (
            "/p/apps/web/tsconfig.json",
            r#"{ "extends": "../../tsconfig.base.json" }"#,
        ),
        ("/p/apps/web/a.ts", ""),
        ("/p/libs/x.ts", ""),
        (
            "/p/vite/tsconfig.json",
            r#"{ "files": [], "references": [{ "path": "./tsconfig.app.json" }] }"#,
        ),
        (
            "/p/vite/tsconfig.app.json",
            r#"{ "compilerOptions": { "paths": { "~/*": ["./src/*"] } } }"#,
        ),
        ("/p/vite/src/a.ts", ""),
        ("/p/vite/src/b.ts", ""),
        (
            "/p/js/jsconfig.json",
            r#"{ "compilerOptions": { "baseUrl": "src" } }"#,
        ),
        ("/p/js/src/a.js", ""),
        ("/p/js/src/b.js", ""),
        ("/p/cycle/tsconfig.json", r#"{ "extends": "./other.json" }"#),
        ("/p/cycle/other.json", r#"{ "extends": "./tsconfig.json" }"#),
        ("/p/cycle/a.ts", ""),
        ("/p/cycle/b.ts", ""),
        ("/p/bad/tsconfig.json", "{ not json"),
        ("/p/bad/a.ts", ""),
        ("/p/bad/b.ts", ""),
    ];
    check(
        &files,
        "/p/apps/web/a.ts",
        &[("@lib/x", file("/p/libs/x.ts"))],
    );
    check(
        &files,
        "/p/vite/src/a.ts",
        &[("~/b", file("/p/vite/src/b.ts"))],
    );
    check(&files, "/p/js/src/a.js", &[("b", file("/p/js/src/b.js"))]);
    check(&files, "/p/cycle/a.ts", &[("./b", file("/p/cycle/b.ts"))]);
    check(&files, "/p/bad/a.ts", &[("./b", file("/p/bad/b.ts"))]);
}

/// The sources of a workspace's packages, whatever a build would make of them.
#[test]
fn workspace_packages() {
    let files = [
        (
            "/m/package.json",
            r#"{ "name": "root", "workspaces": ["apps/*", "packages/**", "!packages/old"] }"#,
        ),
        ("/m/apps/web/package.json", r#"{ "name": "web" }"#),
        ("/m/apps/web/a.ts", ""),
        (
            "/m/packages/db/package.json",
            r#"{ "name": "@m/db", "main": "dist/index.js", "types": "dist/index.d.ts" }"#,
        ),
        ("/m/packages/db/src/index.ts", ""),
        ("/m/packages/db/src/client.ts", ""),
        ("/m/packages/db/dist/index.js", ""),
        (
            "/m/packages/ui/package.json",
            r#"{ "name": "@m/ui", "exports": { ".": { "types": "./dist/index.d.ts", "import": "./dist/index.mjs" },
                 "./button": "./src/button.tsx", "./icons/*": "./dist/icons/*.js", "./lib/*": { "default": "./lib/*.ts" } } }"#,
        ),
        ("/m/packages/ui/src/index.mts", ""),
        ("/m/packages/ui/src/button.tsx", ""),
        ("/m/packages/ui/src/icons/x.tsx", ""),
        ("/m/packages/ui/lib/cn.ts", ""),
        (
            "/m/packages/deep/er/package.json",
            r#"{ "name": "deeper" }"#,
        ),
        ("/m/packages/deep/er/index.ts", ""),
        ("/m/packages/old/package.json", r#"{ "name": "old" }"#),
        ("/m/packages/old/index.ts", ""),
        (
            "/m/packages/built/package.json",
            r#"{ "name": "built", "main": "./dist/main.js" }"#,
        ),
        ("/m/packages/built/dist/main.js", ""),
        (
            "/m/packages/config/package.json",
            r#"{ "name": "@m/config" }"#,
        ),
        (
            "/m/packages/config/base.json",
            r#"{ "compilerOptions": { "paths": { "@/*": ["../../apps/web/*"] } } }"#,
        ),
        (
            "/m/apps/web/tsconfig.json",
            r#"{ "extends": "@m/config/base.json" }"#,
        ),
    ];
    check(
        &files,
        "/m/apps/web/a.ts",
        &[
            ("@m/db", file("/m/packages/db/src/index.ts")),
            ("@m/db/client", file("/m/packages/db/src/client.ts")),
            ("@m/ui", file("/m/packages/ui/src/index.mts")),
            ("@m/ui/button", file("/m/packages/ui/src/button.tsx")),
            ("@m/ui/icons/x", file("/m/packages/ui/src/icons/x.tsx")),
            ("@m/ui/lib/cn", file("/m/packages/ui/lib/cn.ts")),
            ("deeper", file("/m/packages/deep/er/index.ts")),
            ("old", package("old", "")),
            ("built", file("/m/packages/built/dist/main.js")),
            ("@m/db/absent", package("@m/db", "absent")),
            ("@/a", file("/m/apps/web/a.ts")),
        ],
    );
    let pnpm = [
        ("/m/pnpm-workspace.yaml", "packages:\n  - 'libs/*'\n"),
        (
            "/m/libs/a/package.json",
            r##"{ "name": "a", "imports": { "#x": { "node": "./dist/x.js" }, "#y/*": "./src/y/*.ts", "#z": "zod" } }"##,
        ),
        ("/m/libs/a/src/x.ts", ""),
        ("/m/libs/a/src/y/z.ts", ""),
        ("/m/libs/a/src/index.ts", ""),
        ("/m/libs/b/package.json", r#"{ "name": "b" }"#),
        ("/m/libs/b/b.ts", ""),
    ];
    check(
        &pnpm,
        "/m/libs/b/b.ts",
        &[("a", file("/m/libs/a/src/index.ts"))],
    );
    check(
        &pnpm,
        "/m/libs/a/src/x.ts",
        &[
            ("#x", file("/m/libs/a/src/x.ts")),
            ("#y/z", file("/m/libs/a/src/y/z.ts")),
            ("#z", package("zod", "")),
            ("#absent", Resolved::Missing),
            ("a", file("/m/libs/a/src/index.ts")),
        ],
    );
}

#[test]
fn the_package_around_a_file() {
    let files = [
        ("/m/package.json", r#"{ "name": "m" }"#),
        ("/m/src/a.ts", ""),
    ];
    let found = resolver(&files).package_of("/m/src/a.ts");
    assert_eq!(found, Some(("m".to_string(), "/m".to_string())));
}
