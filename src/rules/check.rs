//! What a pack must keep to beyond its schema: names that resolve, ranges without a hole,
//! evidence. Shared by the tests of the embedded packs and by `rules check`.

use std::collections::{BTreeMap, BTreeSet};

use semver::{Comparator, Op, Version, VersionReq};

use super::{Behaviour, Effect, Library, Pack, PackError, Step, versions};

/// Everything that is wrong with the packs of a library, sorted by file.
pub fn check(library: &Library) -> Vec<PackError> {
    let mut errors = Vec::new();
    for (ecosystem, path, pack) in library.in_ecosystems() {
        let mut check = PackCheck {
            library,
            ecosystem,
            pack,
            found: Vec::new(),
        };
        check.whole();
        let messages: BTreeSet<String> = check.found.into_iter().collect();
        errors.extend(messages.into_iter().map(|message| PackError {
            path: path.to_string(),
            line: None,
            message,
        }));
    }
    errors.sort();
    errors
}

struct PackCheck<'a> {
    library: &'a Library,
    ecosystem: &'a str,
    pack: &'a Pack,
    found: Vec<String>,
}

/// What a name in a pack may refer to.
#[derive(Clone, Copy)]
enum Kind {
    Type,
    Behaviour,
}

impl PackCheck<'_> {
    fn whole(&mut self) {
        if self.pack.summary.trim().is_empty() {
            self.say("`summary` is empty");
        }
        for name in &self.pack.uses {
            if self.library.get(self.ecosystem, name).is_none() {
                self.say(format!("`uses` names `{name}`, and there is no pack of it"));
            }
        }
        self.functions();
        self.types();
        self.behaviours();
        self.frameworks();
        self.flat_lists();
    }

    fn functions(&mut self) {
        let mut ranges: BTreeMap<(&str, &str), Vec<Option<&VersionReq>>> = BTreeMap::new();
        for function in &self.pack.functions {
            let what = format!("function `{}`", function.path.join("`, `"));
            if function.path.is_empty() {
                self.say("a function has no `path`");
            }
            self.evidence(&what, &function.evidence);
            self.effect(&what, &function.gives);
            let modules = if function.module.is_empty() {
                vec![""]
            } else {
                each(&function.module)
            };
            for path in &function.path {
                for module in &modules {
                    ranges
                        .entry((path, module))
                        .or_default()
                        .push(function.versions.as_ref());
                }
            }
        }
        for ((path, _), ranges) in ranges {
            self.twice(&format!("function `{path}`"), &ranges);
        }
    }

    fn types(&mut self) {
        let mut seen = BTreeSet::new();
        for kind in &self.pack.types {
            let what = format!("type `{}`", kind.name);
            if !seen.insert(&kind.name) {
                self.say(format!("{what} is there twice"));
            }
            for name in [&kind.awaits, &kind.calls, &kind.iterates]
                .into_iter()
                .flatten()
            {
                self.resolve(&what, Kind::Behaviour, name);
            }
            for name in &kind.extends {
                self.resolve(&what, Kind::Type, name);
            }
            let mut ranges: BTreeMap<(&str, bool), Vec<Option<&VersionReq>>> = BTreeMap::new();
            for member in &kind.members {
                let what = format!("{what}, member `{}`", member.name.join("`, `"));
                self.effect(&what, &member.gives);
                for name in &member.name {
                    ranges
                        .entry((name, member.field))
                        .or_default()
                        .push(member.versions.as_ref());
                }
            }
            for ((name, _), ranges) in ranges {
                self.twice(&format!("{what}, member `{name}`"), &ranges);
            }
        }
    }

    fn behaviours(&mut self) {
        let mut by_name: BTreeMap<&str, Vec<&Behaviour>> = BTreeMap::new();
        for behaviour in &self.pack.behaviours {
            let what = format!("behaviour `{}`", behaviour.name);
            self.evidence(&what, &behaviour.evidence);
            self.steps(&what, &behaviour.steps, 0);
            by_name.entry(&behaviour.name).or_default().push(behaviour);
        }
        for (name, entries) in by_name {
            let ranges: Vec<_> = entries
                .iter()
                .map(|entry| entry.versions.as_ref())
                .collect();
            self.twice(&format!("behaviour `{name}`"), &ranges);
            if let Some(version) = hole(&ranges) {
                self.say(format!(
                    "behaviour `{name}` says nothing for version {version}"
                ));
            }
        }
    }

    fn frameworks(&mut self) {
        for router in &self.pack.routers {
            self.evidence(&format!("router `{}`", router.name), &router.evidence);
        }
        for convention in &self.pack.conventions {
            let what = format!("convention `{}`", convention.name);
            self.evidence(&what, &convention.evidence);
            if convention.files.is_empty() && convention.directive.is_none() {
                self.say(format!("{what} has neither `files` nor a `directive`"));
            }
        }
        for option in &self.pack.ineffective {
            let what = format!("ineffective option `{}`", option.option);
            self.evidence(&what, &option.evidence);
            self.resolve(&what, Kind::Type, &option.type_name);
        }
    }

    fn flat_lists(&mut self) {
        for (list, entries) in [
            ("no-wait", &self.pack.no_wait),
            ("transparent", &self.pack.transparent),
            ("elsewhere", &self.pack.elsewhere),
        ] {
            let names: Vec<_> = entries.iter().map(|entry| entry.name.as_str()).collect();
            if let Some(pair) = names.windows(2).find(|pair| pair[0] >= pair[1]) {
                self.say(format!(
                    "`{list}` is not sorted, or names it twice: `{}`, `{}`",
                    pair[0], pair[1]
                ));
            }
            for entry in entries {
                if entry.evidence.trim().is_empty() {
                    self.say(format!("`{list}` gives no evidence for `{}`", entry.name));
                }
            }
        }
    }

    fn effect(&mut self, what: &str, effect: &Effect) {
        let says = [&effect.awaits, &effect.blocks];
        for name in says.into_iter().flatten() {
            self.resolve(what, Kind::Behaviour, name);
        }
        if let Some(name) = &effect.returns {
            self.resolve(what, Kind::Type, name);
        }
        if let Some(patch) = &effect.patches {
            self.resolve(what, Kind::Behaviour, &patch.behaviour);
        }
        for set in effect.sets.iter().chain(&effect.marks) {
            if set.value.is_some() == set.argument.is_some() {
                self.say(format!(
                    "{what} sets `{}` to neither or both of `value` and `argument`",
                    set.option
                ));
            }
        }
        let gives = effect.returns.is_some()
            || effect.awaits.is_some()
            || effect.blocks.is_some()
            || effect.does.is_some()
            || effect.patches.is_some()
            || effect.handler.is_some();
        if !gives {
            self.say(format!(
                "{what} gives nothing: one of returns, awaits, blocks, does, patches, handler"
            ));
        }
    }

    /// Steps nest a few levels; the limit keeps a hostile file from exhausting the stack.
    fn steps(&mut self, what: &str, steps: &[Step], depth: usize) {
        if depth > 40 {
            self.say(format!("{what} nests more than 40 steps"));
            return;
        }
        for step in steps {
            match step {
                Step::Fetch(fetch) => self.steps(what, &fetch.before, depth + 1),
                Step::Retry(retry) => self.steps(what, &retry.steps, depth + 1),
                Step::Deadline(deadline) => self.steps(what, &deadline.steps, depth + 1),
                Step::Once(once) => self.steps(what, &once.steps, depth + 1),
                Step::Hold(hold) => self.steps(what, &hold.steps, depth + 1),
                Step::Catch(catch) => self.steps(what, &catch.steps, depth + 1),
                Step::Run(run) => self.resolve(what, Kind::Behaviour, &run.behaviour),
                Step::Callback(callback) => {
                    if let Some(name) = &callback.given {
                        self.resolve(what, Kind::Type, name);
                    }
                }
                Step::Result(result) => {
                    if let Some(name) = &result.type_name {
                        self.resolve(what, Kind::Type, name);
                    }
                }
                Step::Attempt(attempt) => {
                    if let Some(name) = &attempt.result {
                        self.resolve(what, Kind::Type, name);
                    }
                }
                Step::Body(_)
                | Step::Inner
                | Step::Sleep(_)
                | Step::Refuse(_)
                | Step::Unmodelled(_) => {}
            }
        }
    }

    fn resolve(&mut self, what: &str, kind: Kind, name: &str) {
        let (pack, local) = match name.split_once('#') {
            Some((package, local)) => match self.library.get(self.ecosystem, package) {
                Some(pack) => (pack, local),
                None => return self.say(format!("{what}: there is no pack of `{package}`")),
            },
            None => (self.pack, name),
        };
        let (word, known): (_, Vec<&str>) = match kind {
            Kind::Type => (
                "type",
                pack.types.iter().map(|kind| kind.name.as_str()).collect(),
            ),
            Kind::Behaviour => (
                "behaviour",
                pack.behaviours.iter().map(|b| b.name.as_str()).collect(),
            ),
        };
        if !known.contains(&local) {
            self.say(format!(
                "{what}: `{}` has no {word} `{local}`",
                pack.package
            ));
        }
    }

    fn evidence(&mut self, what: &str, text: &str) {
        if text.trim().is_empty() {
            self.say(format!("{what} gives no evidence"));
        }
    }

    /// An entry after one that holds for the same versions would never be used.
    fn twice(&mut self, what: &str, ranges: &[Option<&VersionReq>]) {
        for (index, range) in ranges.iter().enumerate() {
            if ranges[..index]
                .iter()
                .any(|earlier| earlier.is_none() || earlier == range)
            {
                self.say(format!(
                    "{what}: an entry is never used, an earlier one holds for its versions"
                ));
            }
        }
    }

    fn say(&mut self, message: impl Into<String>) {
        self.found.push(message.into());
    }
}

fn each(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}

/// A version from the least that any range names on which no range contains: releases only,
/// and only where ranges change, since between two bounds nothing does.
fn hole(ranges: &[Option<&VersionReq>]) -> Option<Version> {
    if ranges.iter().any(Option::is_none) {
        return None;
    }
    let ranges: Vec<&VersionReq> = ranges.iter().copied().flatten().collect();
    let bounds: BTreeSet<Version> = ranges
        .iter()
        .flat_map(|range| &range.comparators)
        .flat_map(around)
        .collect();
    let open_below = ranges
        .iter()
        .any(|range| range.comparators.iter().all(|bound| bound.op == Op::Less));
    bounds
        .into_iter()
        .filter(|version| open_below || ranges.iter().any(|range| !starts_after(range, version)))
        .find(|version| !ranges.iter().any(|range| versions::matches(range, version)))
}

/// The bound itself and the release after it.
fn around(bound: &Comparator) -> [Version; 2] {
    let version = Version::new(
        bound.major,
        bound.minor.unwrap_or(0),
        bound.patch.unwrap_or(0),
    );
    let after = Version::new(
        version.major,
        version.minor,
        version.patch.saturating_add(1),
    );
    [version, after]
}

/// Whether a version lies before the range begins.
fn starts_after(range: &VersionReq, version: &Version) -> bool {
    range.comparators.iter().any(|bound| {
        let least = Version::new(
            bound.major,
            bound.minor.unwrap_or(0),
            bound.patch.unwrap_or(0),
        );
        matches!(
            bound.op,
            Op::GreaterEq | Op::Greater | Op::Caret | Op::Tilde | Op::Exact
        ) && *version < least
    })
}
