//! What is known of platforms, gateways and servers: their limits, by plan, with evidence.
//!
//! One file a platform, `rules/platforms/NAME.toml`. A layer of a stack names a limit as
//! `NAME/LIMIT` (`vercel/edge`). Detection reads the same files.

pub mod duration;

use std::collections::BTreeMap;

use include_dir::{Dir, include_dir};
use serde::{Deserialize, Deserializer};

use crate::cost::Time;

static PLATFORMS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/rules/platforms");

/// What a layer does when its limit is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LayerKind {
    /// Somebody who waits: stops waiting, the work goes on.
    Caller,
    /// Something in between: answers with an error, the work goes on.
    Gateway,
    /// Runs the code, and ends it.
    Platform,
    /// The server process itself: ends the work.
    Server,
}

impl LayerKind {
    /// Every kind with the word that people write.
    pub const ALL: [(&'static str, LayerKind); 4] = [
        ("caller", LayerKind::Caller),
        ("gateway", LayerKind::Gateway),
        ("platform", LayerKind::Platform),
        ("server", LayerKind::Server),
    ];

    /// Whether the work behind it ends at the limit.
    pub const fn kills(self) -> bool {
        matches!(self, LayerKind::Platform | LayerKind::Server)
    }

    /// Whether the limit acts on the answer, rather than on the patience of somebody.
    pub const fn acts(self) -> bool {
        !matches!(self, LayerKind::Caller)
    }

    /// The word that people write.
    pub const fn word(self) -> &'static str {
        match self {
            LayerKind::Caller => "caller",
            LayerKind::Gateway => "gateway",
            LayerKind::Platform => "platform",
            LayerKind::Server => "server",
        }
    }
}

/// What the clock of a limit measures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measures {
    /// From the request's start to the end of the answer.
    #[default]
    Total,
    /// Until the first byte of the answer.
    FirstByte,
    /// The gap between two bytes; of a handler that buffers its answer, the first byte.
    Idle,
    /// The wait for a place.
    Queue,
}

impl Measures {
    /// Every measure with the word that people write.
    pub const ALL: [(&'static str, Measures); 4] = [
        ("total", Measures::Total),
        ("first-byte", Measures::FirstByte),
        ("idle", Measures::Idle),
        ("queue", Measures::Queue),
    ];

    /// The word that people write.
    pub const fn word(self) -> &'static str {
        match self {
            Measures::Total => "total",
            Measures::FirstByte => "first-byte",
            Measures::Idle => "idle",
            Measures::Queue => "queue",
        }
    }
}

/// How a number is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grade {
    /// The maker's own page.
    Official,
    /// A file of the maker's repository.
    Repository,
    /// A copy of the maker's text.
    Copy,
    /// Somebody else who measured or quotes it.
    ThirdParty,
}

/// Where a number comes from.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Evidence {
    /// The address of the page or file.
    pub source: String,
    /// When it was true: a year, a month or a day.
    pub seen: String,
    /// How it is known.
    pub grade: Grade,
}

/// A platform, gateway or server.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Platform {
    /// The name in a stack; the file's name.
    pub platform: String,
    /// The name in prose.
    pub title: String,
    /// The plans that decide a number, smallest first.
    #[serde(default)]
    pub plans: Vec<String>,
    /// Whether the mode `fluid` is on where nothing says so; absent: it has no such mode.
    pub fluid: Option<bool>,
    /// How a project is recognised.
    #[serde(default)]
    pub detect: Detect,
    /// The limits by name.
    pub limits: BTreeMap<String, Limit>,
}

/// How a project of a platform is recognised, and which limit its routes have.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Detect {
    /// Files at the project's root (or a folder of a workspace) that only such a project has.
    #[serde(default)]
    pub files: Vec<String>,
    /// The file with per-function settings that wins over the default.
    pub functions: Option<String>,
    /// Whether a duration exported by a source file says that the project runs here.
    #[serde(default)]
    pub exported_duration: bool,
    /// The limit of every route; absent: only those of `runtimes` and `paths`.
    pub limit: Option<String>,
    /// The limit by the runtime that a source or the functions file names.
    #[serde(default)]
    pub runtimes: BTreeMap<String, String>,
    /// The limit by a glob of source paths.
    #[serde(default)]
    pub paths: PathLimits,
}

/// Limits by globs of source paths, in the order of the globs.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(try_from = "BTreeMap<String, String>")]
pub struct PathLimits(Vec<(globset::GlobMatcher, String)>);

impl TryFrom<BTreeMap<String, String>> for PathLimits {
    type Error = globset::Error;

    fn try_from(paths: BTreeMap<String, String>) -> Result<PathLimits, globset::Error> {
        let compiled = paths.into_iter().map(|(glob, limit)| {
            let glob = globset::GlobBuilder::new(&glob)
                .literal_separator(true)
                .build()?;
            Ok((glob.compile_matcher(), limit))
        });
        compiled.collect::<Result<_, _>>().map(PathLimits)
    }
}

impl PathLimits {
    /// The limit of a source file; the first glob that matches counts.
    pub fn of(&self, path: &str) -> Option<&str> {
        let found = self.0.iter().find(|(glob, _)| glob.is_match(path));
        found.map(|(_, limit)| limit.as_str())
    }

    /// The names of all limits.
    pub fn limits(&self) -> impl Iterator<Item = &String> {
        self.0.iter().map(|(_, limit)| limit)
    }
}

/// One limit of a platform.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Limit {
    /// What it is, in a few words.
    pub about: String,
    /// What happens at the limit.
    pub kind: LayerKind,
    /// What is measured.
    pub measures: Measures,
    /// Whether the project may set it (in its source or the functions file); else it is fixed.
    #[serde(default)]
    pub settable: bool,
    /// The total limit of an answer that began in time.
    pub stream: Option<StreamLimit>,
    /// What the caller sees.
    pub answer: Option<String>,
    /// What else a reader should know.
    pub note: Option<String>,
    /// The numbers, each with what it holds for.
    pub cases: Vec<Case>,
}

/// The limit of a stream that began in time.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct StreamLimit {
    /// From the request's start to the last byte.
    #[serde(deserialize_with = "duration_text")]
    pub total: Time,
    /// Where it is known from.
    pub evidence: Evidence,
}

/// A number of a limit.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Case {
    /// The plans it holds for; none: every plan.
    #[serde(default)]
    pub plans: Vec<String>,
    /// The mode it holds for; absent: both.
    pub fluid: Option<bool>,
    /// What holds where the project sets nothing.
    #[serde(deserialize_with = "duration_text")]
    pub default: Time,
    /// The greatest value that the project can set; absent: the default, where it is fixed.
    #[serde(default, deserialize_with = "optional_duration_text")]
    pub maximum: Option<Time>,
    /// Where it is known from.
    pub evidence: Evidence,
}

/// The numbers that hold for a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitValue {
    /// What holds where the project sets nothing.
    pub default: Time,
    /// The greatest value that the project can set.
    pub maximum: Time,
    /// No plan was named, and the plans differ: the least default and the greatest maximum.
    pub plan_unknown: bool,
    /// Where the default is known from.
    pub evidence: Evidence,
}

impl Limit {
    /// The numbers for a plan and a mode. `None` where no case holds.
    pub fn value(&self, plan: Option<&str>, fluid: Option<bool>) -> Option<LimitValue> {
        let mode = |case: &&Case| case.fluid.is_none() || fluid.is_none() || case.fluid == fluid;
        let holds = |case: &&Case| {
            let named = plan.is_none_or(|plan| case.plans.iter().any(|p| p == plan));
            mode(case) && (case.plans.is_empty() || named)
        };
        let cases: Vec<&Case> = self.cases.iter().filter(holds).collect();
        let least = cases.iter().min_by_key(|case| case.default)?;
        let maximum = cases.iter().map(|case| case.greatest()).max()?;
        let differ = cases
            .iter()
            .any(|c| c.default != least.default || c.greatest() != maximum);
        Some(LimitValue {
            default: least.default,
            maximum,
            plan_unknown: plan.is_none() && differ,
            evidence: least.evidence.clone(),
        })
    }
}

impl Case {
    /// The greatest value that can be set.
    pub fn greatest(&self) -> Time {
        self.maximum.unwrap_or(self.default)
    }
}

/// A platform file that does not parse or contradicts itself.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {message}")]
pub struct PlatformError {
    /// The file, below `rules/platforms`.
    pub path: String,
    /// What is wrong.
    pub message: String,
}

/// All platforms by name.
#[derive(Clone, Debug, Default)]
pub struct Platforms {
    by_name: BTreeMap<String, Platform>,
}

impl Platforms {
    /// The embedded platforms. An error names the file; a test keeps it from happening.
    ///
    /// # Errors
    ///
    /// The first file that does not parse.
    pub fn embedded() -> Result<Platforms, PlatformError> {
        let mut platforms = Platforms::default();
        let toml = |f: &&include_dir::File<'_>| f.path().extension().is_some_and(|e| e == "toml");
        for file in PLATFORMS.files().filter(toml) {
            let path = file.path().to_string_lossy().replace('\\', "/");
            platforms.add(&path, file.contents_utf8().unwrap_or_default())?;
        }
        Ok(platforms)
    }

    /// Adds a platform's text; a later one of the same name replaces an earlier one.
    ///
    /// # Errors
    ///
    /// A text that does not parse, and a reference to a limit or plan that is not there.
    pub fn add(&mut self, path: &str, text: &str) -> Result<(), PlatformError> {
        let error = |message: String| PlatformError {
            path: path.to_string(),
            message,
        };
        let platform: Platform = toml::from_str(text).map_err(|e| error(e.to_string()))?;
        platform.check().map_err(error)?;
        self.by_name.insert(platform.platform.clone(), platform);
        Ok(())
    }

    /// A platform by its name.
    pub fn get(&self, name: &str) -> Option<&Platform> {
        self.by_name.get(name)
    }

    /// A limit by its full name, `vercel/edge`.
    pub fn limit(&self, name: &str) -> Option<(&Platform, &Limit)> {
        let (platform, limit) = name.split_once('/')?;
        let platform = self.get(platform)?;
        Some((platform, platform.limits.get(limit)?))
    }

    /// All platforms, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = &Platform> {
        self.by_name.values()
    }

    /// The full names of all limits, sorted.
    pub fn limit_names(&self) -> Vec<String> {
        let of = |p: &Platform| -> Vec<String> {
            p.limits
                .keys()
                .map(|limit| format!("{}/{limit}", p.platform))
                .collect()
        };
        self.iter().flat_map(of).collect()
    }
}

impl Platform {
    /// Whether what the file refers to is there, and no default is above its maximum.
    fn check(&self) -> Result<(), String> {
        let detect = &self.detect;
        let named = detect
            .limit
            .iter()
            .chain(detect.runtimes.values())
            .chain(detect.paths.limits());
        for limit in named {
            if !self.limits.contains_key(limit) {
                return Err(format!(
                    "`detect` names the limit `{limit}`, which is not there"
                ));
            }
        }
        for (name, limit) in &self.limits {
            if limit.cases.is_empty() {
                return Err(format!("the limit `{name}` has no case"));
            }
            for case in &limit.cases {
                if case.default > case.greatest() {
                    return Err(format!("a default of `{name}` is above its maximum"));
                }
                if let Some(plan) = case.plans.iter().find(|plan| !self.plans.contains(plan)) {
                    return Err(format!(
                        "`{name}` names the plan `{plan}`, which is not there"
                    ));
                }
            }
        }
        Ok(())
    }
}

/// Reads a duration; `none` is no limit.
fn duration_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Time, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text == "none" {
        return Ok(Time::UNBOUNDED);
    }
    duration::parse_duration(&text).map_err(serde::de::Error::custom)
}

fn optional_duration_text<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Time>, D::Error> {
    duration_text(deserializer).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn embedded() -> Platforms {
        Platforms::embedded().unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn a_file_is_named_like_its_platform_and_every_number_has_a_source() {
        let platforms = embedded();
        let files = PLATFORMS.files().count();
        assert_eq!(platforms.iter().count(), files, "two files of one platform");
        for file in PLATFORMS.files() {
            let stem = file
                .path()
                .file_stem()
                .map(|s| s.to_string_lossy().into_owned());
            let name = stem.unwrap_or_default();
            assert!(
                platforms.get(&name).is_some(),
                "rules/platforms/{name}.toml has another name in it"
            );
        }
        for (platform, limit) in platforms
            .iter()
            .flat_map(|p| p.limits.values().map(move |l| (p, l)))
        {
            let stream = limit.stream.iter().map(|s| &s.evidence);
            for evidence in limit.cases.iter().map(|case| &case.evidence).chain(stream) {
                assert!(
                    evidence.source.starts_with("https://"),
                    "{}: {evidence:?}",
                    platform.platform
                );
                let date = evidence
                    .seen
                    .split('-')
                    .all(|part| part.chars().all(|c| c.is_ascii_digit()));
                assert!(
                    date && evidence.seen.len() >= 4,
                    "{}: {evidence:?}",
                    platform.platform
                );
            }
        }
    }

    #[test]
    fn vercel_by_plan_and_mode() {
        let platforms = embedded();
        let value = |plan, fluid| {
            let (_, limit) = platforms.limit("vercel/node")?;
            limit
                .value(plan, Some(fluid))
                .map(|v| (v.default, v.maximum))
        };
        let seconds = |a, b| Some((Time::from_secs(a), Time::from_secs(b)));
        assert_eq!(value(Some("hobby"), true), seconds(300, 300));
        assert_eq!(value(Some("pro"), true), seconds(300, 800));
        assert_eq!(value(Some("enterprise"), true), seconds(300, 800));
        assert_eq!(value(Some("hobby"), false), seconds(10, 60));
        assert_eq!(value(Some("pro"), false), seconds(15, 300));
        assert_eq!(value(Some("enterprise"), false), seconds(15, 900));
        assert_eq!(
            value(None, false),
            seconds(10, 900),
            "unknown plan: least default, greatest maximum"
        );
        assert_eq!(value(Some("gold"), true), None);
    }

    #[test]
    fn the_edge_limits_the_first_byte_and_the_stream_apart() {
        let platforms = embedded();
        let edge = platforms
            .limit("vercel/edge")
            .map(|(_, limit)| limit.clone());
        let edge = edge.unwrap_or_else(|| panic!("vercel/edge is missing"));
        assert_eq!(
            (edge.kind, edge.measures),
            (LayerKind::Platform, Measures::FirstByte)
        );
        assert_eq!(
            edge.value(None, None).map(|v| v.default),
            Some(Time::from_secs(25))
        );
        assert_eq!(edge.stream.map(|s| s.total), Some(Time::from_secs(300)));
    }

    #[test]
    fn a_file_that_contradicts_itself_is_refused() {
        let text = |default: &str, plan: &str| {
            format!(
                "platform = \"x\"\ntitle = \"X\"\nplans = [\"a\"]\n[limits.f]\nabout = \"f\"\n\
                 kind = \"platform\"\nmeasures = \"total\"\n[[limits.f.cases]]\nplans = [\"{plan}\"]\n\
                 default = \"{default}\"\nmaximum = \"9s\"\n\
                 evidence = {{ source = \"https://x\", seen = \"2026\", grade = \"official\" }}\n"
            )
        };
        let message = |text: String| {
            Platforms::default()
                .add("x.toml", &text)
                .map_err(|e| e.to_string())
        };
        assert_eq!(message(text("9s", "a")), Ok(()));
        let above = Err("x.toml: a default of `f` is above its maximum".to_string());
        assert_eq!(message(text("10s", "a")), above);
        let plan = Err("x.toml: `f` names the plan `b`, which is not there".to_string());
        assert_eq!(message(text("9s", "b")), plan);
        assert!(message(text("9", "a")).is_err_and(|m| m.contains("`9` has no unit")));
    }
}
