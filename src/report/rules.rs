//! `rules list` and `rules show`: what is known of libraries and platforms.

mod platform;
mod steps;

use super::columns::{Align, Columns, fill};
use super::neutral;
use crate::rules::platform::Platforms;
use crate::rules::{Effect, Library, Pack, TypeRule};

/// Columns of the list.
const WIDTH: usize = 100;

/// One line a pack and a platform.
pub fn list(library: &Library, platforms: &Platforms) -> String {
    let mut columns = Columns::new(&[Align::Left, Align::Left, Align::Left]);
    columns.row(["NAME", "NEWEST", "WHAT"]);
    for (path, pack) in library.packs() {
        let newest = pack
            .newest
            .as_ref()
            .map_or_else(|| "-".to_string(), ToString::to_string);
        columns.row([
            name_of(path),
            newest,
            neutral::line(&pack.summary).into_owned(),
        ]);
    }
    for platform in platforms.iter() {
        let limits: Vec<&str> = platform.limits.keys().map(String::as_str).collect();
        let what = format!(
            "{}: {}",
            neutral::line(&platform.title),
            neutral::line(&limits.join(", "))
        );
        columns.row([
            format!("platforms/{}", neutral::line(&platform.platform)),
            "-".to_string(),
            what,
        ]);
    }
    columns.wrap(2, " ", WIDTH.saturating_sub(columns.width_without(2)));
    columns.text()
}

/// Every name that `rules show` takes: as listed, and as a project writes it.
pub fn names(library: &Library, platforms: &Platforms) -> Vec<String> {
    let packs = library.packs().flat_map(|(path, pack)| {
        let packages = std::iter::once(&pack.package).chain(&pack.aliases).cloned();
        packages
            .chain([name_of(path), stem_of(path)])
            .collect::<Vec<_>>()
    });
    let platforms = platforms
        .iter()
        .flat_map(|p| [p.platform.clone(), format!("platforms/{}", p.platform)]);
    let mut names: Vec<String> = packs.chain(platforms).collect();
    names.sort();
    names.dedup();
    names
}

/// Everything that the packs and platforms of a name say; `None` where there is none.
pub fn show(library: &Library, platforms: &Platforms, name: &str) -> Option<String> {
    let mut parts = Vec::new();
    for (path, pack) in library.packs() {
        let packages = || std::iter::once(&pack.package).chain(&pack.aliases);
        if name_of(path) == name
            || stem_of(path) == name
            || packages().any(|package| package == name)
        {
            parts.push(shown(path, pack));
        }
    }
    let platform = name.strip_prefix("platforms/").unwrap_or(name);
    parts.extend(platforms.get(platform).map(platform::shown));
    if parts.is_empty() {
        None
    } else {
        Some(parts.join("\n"))
    }
}

/// `npm/axios` of `npm/axios.toml`.
fn name_of(path: &str) -> String {
    neutral::line(path.strip_suffix(".toml").unwrap_or(path)).into_owned()
}

/// `axios` of `npm/axios.toml`.
fn stem_of(path: &str) -> String {
    let name = name_of(path);
    name.rsplit('/').next().unwrap_or_default().to_string()
}

/// Lines with an indent; what comes from a pack is made harmless.
#[derive(Default)]
struct Lines {
    text: String,
}

impl Lines {
    fn add(&mut self, depth: usize, line: &str) {
        let indent = "  ".repeat(depth);
        for (index, part) in fill(&neutral::line(line), WIDTH - 2, &indent)
            .lines()
            .enumerate()
        {
            self.text.push_str(if index == 0 { "" } else { "  " });
            self.text.push_str(part);
            self.text.push('\n');
        }
    }

    /// `word: text`, where there is a text.
    fn told(&mut self, depth: usize, word: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.add(depth, &format!("{word}: {text}"));
        }
    }
}

fn shown(path: &str, pack: &Pack) -> String {
    let mut lines = Lines::default();
    lines.add(0, &format!("{} ({})", name_of(path), pack.package));
    lines.add(1, &pack.summary);
    let newest = pack.newest.as_ref().map(ToString::to_string);
    lines.told(1, "newest version looked at", newest.as_deref());
    let listed = |names: &[String]| (!names.is_empty()).then(|| names.join(", "));
    lines.told(1, "also", listed(&pack.aliases).as_deref());
    lines.told(1, "brings along", listed(&pack.uses).as_deref());
    for function in &pack.functions {
        lines.add(0, "");
        lines.add(
            0,
            &format!(
                "{}{}: {}",
                function.path.join(", "),
                range(function.versions.as_ref()),
                effect(&function.gives)
            ),
        );
        lines.add(1, &format!("evidence: {}", function.evidence));
    }
    for kind in &pack.types {
        lines.add(0, "");
        shown_type(&mut lines, kind);
    }
    for behaviour in &pack.behaviours {
        lines.add(0, "");
        lines.add(
            0,
            &format!(
                "when it runs `{}`{}:",
                behaviour.name,
                range(behaviour.versions.as_ref())
            ),
        );
        steps::shown(&mut lines, 1, &behaviour.steps);
        lines.add(1, &format!("evidence: {}", behaviour.evidence));
        lines.told(1, "measured", behaviour.measured.as_deref());
    }
    shown_framework(&mut lines, pack);
    lines.text
}

fn shown_type(lines: &mut Lines, kind: &TypeRule) {
    let does = [("awaited", &kind.awaits), ("called", &kind.calls)];
    let does: Vec<String> = does
        .iter()
        .filter_map(|(word, name)| Some(format!("{word}, it runs `{}`", name.as_ref()?)))
        .collect();
    let after = if does.is_empty() {
        String::new()
    } else {
        format!(": {}", does.join("; "))
    };
    lines.add(0, &format!("type {}{after}", kind.name));
    for member in &kind.members {
        let names: Vec<String> = member.name.iter().map(|name| format!(".{name}")).collect();
        let call = if member.field { "" } else { "()" };
        lines.add(
            1,
            &format!(
                "{}{call}{}: {}",
                names.join(", "),
                range(member.versions.as_ref()),
                effect(&member.gives)
            ),
        );
    }
}

fn shown_framework(lines: &mut Lines, pack: &Pack) {
    for router in &pack.routers {
        lines.add(0, "");
        let verbs: Vec<&str> = router
            .verbs
            .iter()
            .map(|verb| verb.method.as_str())
            .collect();
        lines.add(
            0,
            &format!("router {}: routes by {}", router.name, verbs.join(", ")),
        );
        lines.add(1, &format!("evidence: {}", router.evidence));
    }
    for convention in &pack.conventions {
        lines.add(0, "");
        let files = if convention.files.is_empty() {
            "any file"
        } else {
            &convention.files.join(", ")
        };
        let directive = convention
            .directive
            .as_ref()
            .map_or(String::new(), |word| format!(" with \"{word}\""));
        lines.add(
            0,
            &format!("routes by file, {}: {files}{directive}", convention.name),
        );
        lines.add(1, &format!("evidence: {}", convention.evidence));
    }
    for option in &pack.ineffective {
        lines.add(0, "");
        let versions = range(option.versions.as_ref());
        lines.add(
            0,
            &format!(
                "option `{}` of {} is not used{versions}: {}",
                option.option, option.type_name, option.message
            ),
        );
        lines.add(1, &format!("evidence: {}", option.evidence));
    }
    for (words, list) in [
        ("waits for nothing", &pack.no_wait),
        ("calls what it is given", &pack.transparent),
        ("runs in another place", &pack.elsewhere),
    ] {
        for entry in list {
            lines.add(0, &format!("{}: {words} ({})", entry.name, entry.evidence));
        }
    }
}

fn range(versions: Option<&semver::VersionReq>) -> String {
    versions.map_or_else(String::new, |versions| format!(" (versions {versions})"))
}

/// What a call gives, in a few words.
fn effect(effect: &Effect) -> String {
    let mut words = Vec::new();
    words.extend(effect.returns.as_ref().map(|name| format!("gives {name}")));
    words.extend(effect.awaits.as_ref().map(|name| format!("runs `{name}`")));
    words.extend(
        effect
            .blocks
            .as_ref()
            .map(|name| format!("runs `{name}` and holds its thread")),
    );
    words.extend(effect.does.map(|does| format!("{does:?}").to_lowercase()));
    words.extend(
        effect
            .patches
            .as_ref()
            .map(|patch| format!("puts `{}` around a client", patch.behaviour)),
    );
    words.extend(
        effect
            .handler
            .map(|at| format!("calls argument {} once", at.saturating_add(1))),
    );
    words.extend(effect.method.as_ref().map(|method| format!("as {method}")));
    for set in &effect.sets {
        words.push(format!("sets `{}`", set.option));
    }
    words.dedup();
    if words.is_empty() {
        "gives data".to_string()
    } else {
        words.join(", ")
    }
}
