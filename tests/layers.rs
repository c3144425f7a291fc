//! The layers of the code: a folder of `src` imports only what stands above it, the core
//! does no IO, a language is known to its front end alone, and libraries are data.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};

/// The folders of `src`, the one that knows least first.
const ORDER: &[&str] = &[
    "cost", "rules", "stack", "program", "lang", "evaluate", "lints", "report", "driver", "cli",
    "lsp",
];

/// What a front end may import: the neutral program alone.
const LANG_MAY: &[&str] = &["program", "lang"];

/// Who may touch files, environment and clock.
const DOES_IO: &[&str] = &["driver", "bin", "lsp"];

/// Modules of the standard library that reach outside of the process.
const OUTSIDE: &[&str] = &["fs", "env", "time", "net", "process"];

/// A language's own library, which is part of the language to its front end.
const OWN_LIBRARIES: &[&str] = &["alloc", "core", "std"];

/// Words that only front ends may say.
const LANGUAGES: &[&str] = &["typescript", "javascript", "python", "oxc", "ruff", "syn"];

/// Words that name a package and mean something else in the code as well: units, keys of the
/// stack file, words of messages.
const PLAIN_WORDS: &[&str] = &[
    "backoff", "debug", "fetch", "global", "http", "local", "ms", "next", "node", "process",
    "trace",
];

/// What is wrong with the file `path` (below `src`, with `/`).
fn violations(path: &str, text: &str, packages: &BTreeSet<String>) -> Vec<String> {
    let file = match syn::parse_file(text) {
        Ok(file) => file,
        Err(error) => return vec![format!("{path}: does not parse: {error}")],
    };
    let parts: Vec<&str> = path.trim_end_matches(".rs").split('/').collect();
    let depth = parts.len() - usize::from(parts.last() == Some(&"mod"));
    let mut reader = Reader {
        path,
        folder: parts[0],
        depth,
        packages,
        tests: 0,
        found: Vec::new(),
    };
    reader.visit_file(&file);
    if reader.folder != "lang" {
        let words = text
            .split(|c: char| !c.is_alphanumeric())
            .map(str::to_lowercase);
        for word in words
            .filter(|word| LANGUAGES.contains(&word.as_str()))
            .collect::<BTreeSet<_>>()
        {
            reader.found.push(format!(
                "{path}: says `{word}`, which is for src/lang alone"
            ));
        }
    }
    reader.found
}

struct Reader<'a> {
    path: &'a str,
    folder: &'a str,
    /// How many `super` lead to the root of the crate.
    depth: usize,
    packages: &'a BTreeSet<String>,
    /// How many test modules we are inside of.
    tests: usize,
    found: Vec<String>,
}

impl Reader<'_> {
    fn path_is_used(&mut self, names: &[String]) {
        let ups = names
            .iter()
            .take_while(|name| *name == "super" || *name == "self")
            .filter(|n| *n == "super");
        let ups = ups.count();
        match names.first().map(String::as_str) {
            Some("crate") => self.layer_is_used(names.get(1)),
            Some("super" | "self") if ups >= self.depth && self.depth > 0 => {
                let rest = names
                    .iter()
                    .find(|name| *name != "super" && *name != "self");
                self.layer_is_used(rest);
            }
            Some("std") => {
                let outside = names.get(1).filter(|name| OUTSIDE.contains(&name.as_str()));
                if let Some(name) = outside
                    && self.tests == 0
                    && !DOES_IO.contains(&self.folder)
                {
                    self.found.push(format!("{}: uses std::{name}", self.path));
                }
            }
            _ => {}
        }
    }

    fn layer_is_used(&mut self, used: Option<&String>) {
        let rank = |name: &str| ORDER.iter().position(|layer| *layer == name);
        let Some(own) = rank(self.folder) else { return };
        let Some(used) = used else {
            self.found
                .push(format!("{}: imports the whole crate", self.path));
            return;
        };
        let allowed = match rank(used) {
            None => false,
            Some(_) if self.folder == "lang" => LANG_MAY.contains(&used.as_str()),
            Some(other) => other <= own,
        };
        if !allowed {
            self.found
                .push(format!("{}: {} imports {used}", self.path, self.folder));
        }
    }

    fn tree_is_used(&mut self, tree: &syn::UseTree, before: &[String]) {
        let with = |name: String| [before, &[name]].concat();
        match tree {
            syn::UseTree::Path(path) => {
                self.tree_is_used(&path.tree, &with(path.ident.to_string()))
            }
            syn::UseTree::Name(name) => self.path_is_used(&with(name.ident.to_string())),
            syn::UseTree::Rename(name) => self.path_is_used(&with(name.ident.to_string())),
            syn::UseTree::Glob(_) => self.path_is_used(before),
            syn::UseTree::Group(group) => {
                group
                    .items
                    .iter()
                    .for_each(|item| self.tree_is_used(item, before));
            }
        }
    }

    fn text_is_used(&mut self, value: &str) {
        if self.tests > 0 {
            return;
        }
        let name = value.split_once(':').map_or(value, |(_, name)| name);
        let name = name
            .split(['#', '@'])
            .find(|part| !part.is_empty())
            .unwrap_or(name);
        let scoped = format!("@{name}");
        if self.folder == "lang" && OWN_LIBRARIES.contains(&name) {
            return;
        }
        if self.packages.contains(name) || (value.contains('@') && self.packages.contains(&scoped))
        {
            self.found
                .push(format!("{}: names the package {value:?}", self.path));
        }
    }
}

fn for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute
                .parse_args::<syn::Path>()
                .is_ok_and(|path| path.is_ident("test"))
    })
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.tree_is_used(&item.tree, &[]);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<String> = path
            .segments
            .iter()
            .map(|part| part.ident.to_string())
            .collect();
        if names.len() > 1 {
            self.path_is_used(&names);
        }
        visit::visit_path(self, path);
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        let tests = usize::from(for_tests(&item.attrs));
        self.tests += tests;
        self.depth += 1;
        visit::visit_item_mod(self, item);
        self.depth -= 1;
        self.tests -= tests;
    }

    fn visit_lit_str(&mut self, text: &'ast syn::LitStr) {
        self.text_is_used(&text.value());
    }

    /// The tokens of a macro are not parsed: its texts are looked for by their quotes.
    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        let tokens = call.tokens.to_string();
        for text in tokens.split('"').skip(1).step_by(2) {
            self.text_is_used(text);
        }
    }

    /// Documentation may name what it likes; other attributes say nothing of packages.
    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
}

fn below(folder: &Path, extension: &str, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            below(&path, extension, files);
        } else if path.extension().is_some_and(|found| found == extension) {
            files.push(path);
        }
    }
}

fn packages() -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules");
    let mut files = Vec::new();
    below(&root, "toml", &mut files);
    let mut names = BTreeSet::new();
    for file in files {
        if file
            .parent()
            .is_some_and(|folder| folder.ends_with("platforms"))
        {
            names.extend(
                file.file_stem()
                    .map(|stem| stem.to_string_lossy().into_owned()),
            );
        }
        let text = fs::read_to_string(&file).unwrap();
        let table: toml::Table = text
            .parse()
            .unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        names.extend(
            table
                .get("package")
                .and_then(|name| name.as_str())
                .map(str::to_string),
        );
        // The pack of the runtime is named after it, and its aliases are the runtime's modules.
        if file.file_stem().is_some_and(|stem| stem == "node") {
            continue;
        }
        let aliases = table
            .get("aliases")
            .and_then(|list| list.as_array())
            .into_iter()
            .flatten();
        names.extend(aliases.filter_map(|name| name.as_str()).map(str::to_string));
    }
    names.retain(|name| !PLAIN_WORDS.contains(&name.as_str()));
    names
}

#[test]
fn the_code_keeps_its_layers() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    below(&root, "rs", &mut files);
    assert!(files.len() > 20, "the sources were not found");
    let packages = packages();
    assert!(packages.len() > 3, "the rule packs were not found");
    let mut found = Vec::new();
    for file in &files {
        let path = file
            .strip_prefix(&root)
            .unwrap()
            .to_string_lossy()
            .replace('\\', "/");
        found.extend(violations(
            &path,
            &fs::read_to_string(file).unwrap(),
            &packages,
        ));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn every_kind_of_violation_is_seen() {
    let packages = BTreeSet::from(["axios".to_string(), "@scope/client".to_string()]);
    for (path, text, says) in [
        (
            "cost/time.rs",
            "use crate::stack::Origin;",
            "cost imports stack",
        ),
        (
            "cost/time.rs",
            "use crate::{cost::Time, lints};",
            "cost imports lints",
        ),
        (
            "cost/time.rs",
            "fn f() -> crate::rules::Pack { todo() }",
            "cost imports rules",
        ),
        (
            "cost/time.rs",
            "use super::super::report::X;",
            "cost imports report",
        ),
        (
            "cost/time.rs",
            "mod a { use super::super::super::report::X; }",
            "cost imports report",
        ),
        ("cost/mod.rs", "use super::rules::X;", "cost imports rules"),
        (
            "lang/mod.rs",
            "use crate::rules::Pack;",
            "lang imports rules",
        ),
        (
            "lints/mod.rs",
            "use crate::unlisted::Pack;",
            "lints imports unlisted",
        ),
        (
            "report/human.rs",
            "use std::{fmt, fs::File};",
            "uses std::fs",
        ),
        (
            "report/human.rs",
            "fn f() { std::env::var(\"A\"); }",
            "uses std::env",
        ),
        (
            "evaluate/value.rs",
            "// As in TypeScript.",
            "says `typescript`",
        ),
        ("evaluate/value.rs", "use oxc_span::Span;", "says `oxc`"),
        (
            "evaluate/value.rs",
            "fn f(p: &str) -> bool { p == \"axios\" }",
            "names the package",
        ),
        (
            "evaluate/value.rs",
            "fn f(p: &str) -> bool { p == \"npm:axios@1\" }",
            "names the package",
        ),
        (
            "evaluate/value.rs",
            "fn f(p: &str) -> bool { p == \"@scope/client\" }",
            "names the package",
        ),
        (
            "evaluate/value.rs",
            "fn f(p: &str) -> bool { matches!(p, \"axios\") }",
            "names the package",
        ),
        ("evaluate/value.rs", "fn f(", "does not parse"),
    ] {
        let found = violations(path, text, &packages);
        assert!(
            found.iter().any(|line| line.contains(says)),
            "{path}: {text}: {found:?}"
        );
    }
    for (path, text) in [
        (
            "evaluate/value.rs",
            "use crate::cost::Time; use super::facts::Place; use crate::evaluate::X;",
        ),
        (
            "lang/web/lower.rs",
            "//! TypeScript.\nuse crate::program::Expr; use super::super::Front;",
        ),
        ("driver/walk.rs", "use std::fs; use crate::lints::Finding;"),
        (
            "report/human.rs",
            "#[cfg(test)] mod tests { use super::*; const A: &str = \"axios\"; }",
        ),
        ("report/human.rs", "/// As `axios` does.\nfn f() {}"),
    ] {
        let found = violations(path, text, &packages);
        assert!(found.is_empty(), "{path}: {text}: {found:?}");
    }
}
