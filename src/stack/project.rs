//! The settings of the project as a whole.

use super::document::Node;
use super::error::{Problem, StackError};
use super::origin::Sourced;
use super::reader::{Context, Reader};
use super::scalar::{SpannedText, TextError, TimeRule};
use super::schema::{DEFAULTS, DEPLOYMENT, PLATFORM, PROJECT, RUNTIME};
use crate::cost::Time;
use crate::rules::platform::Platform;

/// What the environment is allowed to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Adversary {
    /// No byte until each limit.
    #[default]
    Silent,
    /// A byte now and then, so that limits between bytes never fire.
    Trickle,
    /// Also what a client obeys, such as a long `Retry-After`.
    Hostile,
}

impl Adversary {
    /// Every one with the word that people write.
    pub const ALL: [(&'static str, Adversary); 3] = [
        ("silent", Adversary::Silent),
        ("trickle", Adversary::Trickle),
        ("hostile", Adversary::Hostile),
    ];
}

/// `[project]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Project {
    /// Globs of the files that belong to it; `None`: everything that is not ignored.
    pub include: Option<Sourced<Vec<Sourced<String>>>>,
    /// Globs of the files that do not.
    pub exclude: Option<Sourced<Vec<Sourced<String>>>>,
    /// The environment where the command line names none; default `production`.
    pub environment: Sourced<String>,
    /// The environment files that are read, weakest first.
    pub env_files: Vec<Sourced<String>>,
    /// Folders of rule packs of the project's own, from the stack file's folder; a later one wins.
    pub rules: Vec<Sourced<String>>,
    /// What the environment may do.
    pub adversary: Sourced<Adversary>,
    /// The slack that every limit must keep.
    pub margin: Sourced<Time>,
    /// Time of a route's own that is not spent waiting.
    pub overhead: Sourced<Time>,
    /// Attempts that one call may become.
    pub max_attempts: Sourced<u32>,
}

impl Default for Project {
    fn default() -> Project {
        Project {
            include: None,
            exclude: None,
            environment: Sourced::default_of("production".to_string()),
            env_files: Vec::new(),
            rules: Vec::new(),
            adversary: Sourced::default_of(Adversary::Silent),
            margin: Sourced::default_of(Time::ZERO),
            overhead: Sourced::default_of(Time::ZERO),
            max_attempts: Sourced::default_of(3),
        }
    }
}

/// `[defaults]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Defaults {
    /// The layers of every route, outermost first.
    pub within: Option<Sourced<Vec<Sourced<String>>>>,
}

/// Which platform the stack file names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlatformUse {
    /// `none`: what platform files say does not hold.
    None,
    /// A platform of the rules.
    Named(String),
}

/// `[platform]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlatformSettings {
    /// The platform; `None`: by detection.
    pub uses: Option<Sourced<PlatformUse>>,
    /// The plan, as the platform names it.
    pub plan: Option<Sourced<String>>,
    /// Whether the mode `fluid` is on.
    pub fluid: Option<Sourced<bool>>,
}

/// `[runtime]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Runtime {
    /// The version of Node, whole or in part.
    pub node: Option<Sourced<PartialVersion>>,
}

/// `[deployment]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Deployment {
    /// Instances at once, at most.
    pub instances: Option<Sourced<u32>>,
}

/// A version of which the last parts may be missing: `20`, `20.20`, `20.20.2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartialVersion {
    /// The first number.
    pub major: u64,
    /// The second, if it is given.
    pub minor: Option<u64>,
    /// The third, if it is given.
    pub patch: Option<u64>,
}

impl PartialVersion {
    /// Reads one to three numbers, with or without a `v` before them.
    ///
    /// # Errors
    ///
    /// Anything else.
    pub fn parse(text: &str) -> Result<PartialVersion, TextError> {
        let numbers = text.trim().trim_start_matches('v').split('.');
        let numbers: Vec<Option<u64>> = numbers.map(|n| n.parse().ok()).collect();
        match numbers[..] {
            [Some(major)] => Ok(PartialVersion {
                major,
                minor: None,
                patch: None,
            }),
            [Some(major), minor @ Some(_)] => Ok(PartialVersion {
                major,
                minor,
                patch: None,
            }),
            [Some(major), minor @ Some(_), patch @ Some(_)] => Ok(PartialVersion {
                major,
                minor,
                patch,
            }),
            _ => {
                let error = TextError::new("not a version", 0..text.len());
                Err(error.help("write one to three numbers, such as \"20.20.2\""))
            }
        }
    }

    /// Whether a version begins with these numbers.
    pub fn matches(&self, version: &semver::Version) -> bool {
        self.major == version.major
            && self.minor.is_none_or(|minor| minor == version.minor)
            && self.patch.is_none_or(|patch| patch == version.patch)
    }
}

impl std::fmt::Display for PartialVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.major)?;
        for part in [self.minor, self.patch].into_iter().flatten() {
            write!(f, ".{part}")?;
        }
        Ok(())
    }
}

/// Reads `[project]`.
pub(super) fn read_project(root: &Reader<'_>) -> Project {
    let default = Project::default();
    let Some(table) = root.table("project", &PROJECT) else {
        return default;
    };
    let globs = |key| {
        let texts = table.texts(key)?;
        check_globs(&table, key);
        Some(texts)
    };
    Project {
        include: globs("include"),
        exclude: globs("exclude"),
        environment: table.text("environment").unwrap_or(default.environment),
        env_files: table
            .texts("env-files")
            .map(|files| files.value)
            .unwrap_or_default(),
        rules: table
            .texts("rules")
            .map(|folders| folders.value)
            .unwrap_or_default(),
        adversary: table
            .word("adversary", &Adversary::ALL)
            .unwrap_or(default.adversary),
        margin: table
            .time("margin", TimeRule::Amount)
            .unwrap_or(default.margin),
        overhead: table
            .time("overhead", TimeRule::Amount)
            .unwrap_or(default.overhead),
        max_attempts: table
            .count("max-attempts", 1)
            .unwrap_or(default.max_attempts),
    }
}

/// Reports globs that do not parse.
fn check_globs(table: &Reader<'_>, key: &'static str) {
    for item in table.items(key).unwrap_or_default() {
        if let super::document::Value::Text(text) = &item.value
            && let Err(error) = globset::Glob::new(text)
        {
            let spanned = SpannedText {
                text,
                span: &item.span,
            };
            let error = TextError::new(error.kind().to_string(), 0..text.len());
            table.context.report(spanned.refused("glob", error));
        }
    }
}

/// Reads `[defaults]`.
pub(super) fn read_defaults(root: &Reader<'_>, layers: &[&str]) -> Defaults {
    let table = root.table("defaults", &DEFAULTS);
    Defaults {
        within: table.and_then(|table| read_within(&table, layers)),
    }
}

/// Reads a list of layers; names that are none are reported.
pub(super) fn read_within(
    table: &Reader<'_>,
    layers: &[&str],
) -> Option<Sourced<Vec<Sourced<String>>>> {
    let names = table.texts("within")?;
    for item in table.items("within").unwrap_or_default() {
        if let super::document::Value::Text(name) = &item.value
            && !layers.contains(&name.as_str())
        {
            table
                .context
                .unknown_name(&item.span, "layer", name, layers.iter().copied());
        }
    }
    Some(names)
}

/// Reads `[platform]`.
pub(super) fn read_platform(root: &Reader<'_>) -> PlatformSettings {
    let Some(table) = root.table("platform", &PLATFORM) else {
        return PlatformSettings::default();
    };
    let uses = read_platform_use(&table);
    let named = match uses.as_ref().map(|uses| &uses.value) {
        Some(PlatformUse::Named(name)) => Some(name.as_str()),
        _ => None,
    };
    let plan = read_plan(&table, named);
    PlatformSettings {
        uses,
        plan,
        fluid: table.boolean("fluid"),
    }
}

fn read_platform_use(table: &Reader<'_>) -> Option<Sourced<PlatformUse>> {
    let text = table.text("use")?;
    let platforms = table.context.platforms;
    if text.value != "none" && platforms.get(&text.value).is_none() {
        let known = platforms
            .iter()
            .map(|p| p.platform.as_str())
            .chain(["none"]);
        let known: Vec<&str> = known.collect();
        let span = &table.node("use")?.span;
        table
            .context
            .unknown_name(span, "platform", &text.value, known.iter().copied());
        return None;
    }
    Some(text.map(|name| {
        if name == "none" {
            PlatformUse::None
        } else {
            PlatformUse::Named(name)
        }
    }))
}

/// A plan of the named platform, or of any where none is named.
fn read_plan(table: &Reader<'_>, platform: Option<&str>) -> Option<Sourced<String>> {
    let plan = table.text("plan")?;
    let named = |p: &&Platform| platform.is_none_or(|name| p.platform == name);
    let platforms = table.context.platforms.iter().filter(named);
    let plans: Vec<&str> = platforms
        .flat_map(|p| p.plans.iter().map(String::as_str))
        .collect();
    if plans.contains(&plan.value.as_str()) {
        return Some(plan);
    }
    let node = table.node("plan")?;
    match (platform, plans.is_empty()) {
        (Some(name), true) => no_plans(table.context, node, name),
        _ => table
            .context
            .unknown_name(&node.span, "plan", &plan.value, plans.iter().copied()),
    }
    None
}

fn no_plans(context: &Context<'_>, node: &Node, platform: &str) {
    let problem = Problem::Conflict(format!("the limits of {platform} do not depend on a plan"));
    context
        .report(StackError::at(&node.span, problem, "no plans are known").help("leave `plan` out"));
}

/// Reads `[runtime]`.
pub(super) fn read_runtime(root: &Reader<'_>) -> Runtime {
    let table = root.table("runtime", &RUNTIME);
    Runtime {
        node: table.and_then(|table| table.parsed("node", "version", PartialVersion::parse)),
    }
}

/// Reads `[deployment]`.
pub(super) fn read_deployment(root: &Reader<'_>) -> Deployment {
    let table = root.table("deployment", &DEPLOYMENT);
    Deployment {
        instances: table.and_then(|table| table.count("instances", 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_may_be_partial() {
        let text = |text| {
            PartialVersion::parse(text)
                .map(|v| v.to_string())
                .map_err(|e| e.reason)
        };
        assert_eq!(text("20"), Ok("20".into()));
        assert_eq!(text("v20.20.2"), Ok("20.20.2".into()));
        for bad in [
            "",
            "lts/*",
            "20.",
            "20.x",
            "1.2.3.4",
            ">=18",
            "99999999999999999999",
        ] {
            assert_eq!(text(bad), Err("not a version".into()), "{bad}");
        }
        let twenty = PartialVersion {
            major: 20,
            minor: Some(20),
            patch: None,
        };
        assert!(twenty.matches(&semver::Version::new(20, 20, 2)));
        assert!(!twenty.matches(&semver::Version::new(20, 19, 2)));
    }
}
