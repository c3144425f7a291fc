//! The limit that a project's platform puts on a route, found without anybody writing it down.
//!
//! Strongest first: what the route's source exports, the first entry of the functions file that
//! matches, the default of the plan; never above the plan's maximum. A runtime with a limit of its
//! own replaces all of that.

use std::collections::BTreeSet;

use super::Stack;
use super::layer::{Layer, rule_layer};
use super::origin::{Origin, Sourced};
use super::project::{PlatformSettings, PlatformUse};
use super::vercel::{FunctionsFile, MaxDuration};
use crate::cost::Time;
use crate::rules::platform::{Platform, Platforms};

/// What is known of the project as a whole.
#[derive(Clone, Debug, Default)]
pub struct PlatformFacts {
    /// The files that are there, of those that [`marker_files`] names.
    pub files: BTreeSet<String>,
    /// The functions files that were read, the nearest to the root first.
    pub functions: Vec<FunctionsFile>,
    /// Whether any source exports a longest run.
    pub exported_duration: bool,
}

/// What is known of one route.
#[derive(Clone, Debug, Default)]
pub struct RouteSource<'a> {
    /// Its file.
    pub path: &'a str,
    /// The longest run that it exports.
    pub max_duration: Option<Sourced<MaxDuration>>,
    /// The runtime that it exports.
    pub runtime: Option<Sourced<String>>,
}

/// The layer that was found, and what is odd about it.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundLayer {
    /// The layer, under the name `platform`.
    pub layer: Layer,
    /// What was asked for and is above the plan's maximum.
    pub clamped: Option<Sourced<Time>>,
    /// A longest run that is written and has no effect, since the runtime has its own limit.
    pub ineffective: Option<Origin>,
    /// A longest run that is written and is no whole number of seconds.
    pub invalid: Option<Origin>,
}

/// Which platform a project runs on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Detected {
    /// Nothing says so, or the stack file says that it is none.
    None,
    /// One.
    One(String),
    /// Several: only the stack file can decide.
    Several(Vec<String>),
}

/// The files that say where a project runs, for every platform.
pub fn marker_files(platforms: &Platforms) -> BTreeSet<String> {
    let files = |platform: &Platform| {
        let detect = &platform.detect;
        detect
            .files
            .iter()
            .chain(&detect.functions)
            .cloned()
            .collect::<Vec<_>>()
    };
    platforms.iter().flat_map(files).collect()
}

/// Which platform a project runs on: the stack file's, else the one whose files are there, else the
/// one whose setting a source exports.
pub fn detect(
    settings: &PlatformSettings,
    facts: &PlatformFacts,
    platforms: &Platforms,
) -> Detected {
    match settings.uses.as_ref().map(|uses| &uses.value) {
        Some(PlatformUse::None) => return Detected::None,
        Some(PlatformUse::Named(name)) => return Detected::One(name.clone()),
        None => {}
    }
    let has_file = |platform: &&Platform| {
        let named = |file: &str| {
            let suffix = format!("/{file}");
            facts
                .files
                .iter()
                .any(|there| there == file || there.ends_with(&suffix))
        };
        platform.detect.files.iter().any(|file| named(file))
    };
    let names =
        |found: Vec<&Platform>| found.iter().map(|p| p.platform.clone()).collect::<Vec<_>>();
    let mut found = names(platforms.iter().filter(has_file).collect());
    if found.is_empty() && facts.exported_duration {
        found = names(
            platforms
                .iter()
                .filter(|p| p.detect.exported_duration)
                .collect(),
        );
    }
    match found.len() {
        0 => Detected::None,
        1 => Detected::One(found.remove(0)),
        _ => Detected::Several(found),
    }
}

/// The limit that the platform puts on a route. `None` where no platform is known, where the stack
/// file says `use = "none"`, and where the platform has no limit for such a route.
pub fn platform_layer(
    stack: &Stack,
    facts: &PlatformFacts,
    platforms: &Platforms,
    route: &RouteSource<'_>,
) -> Option<FoundLayer> {
    if stack
        .platform
        .uses
        .as_ref()
        .is_some_and(|uses| uses.value == PlatformUse::None)
    {
        return None;
    }
    if let Some(found) = limit_by_path(&stack.platform, facts, platforms, route) {
        return Some(found);
    }
    let Detected::One(name) = detect(&stack.platform, facts, platforms) else {
        return None;
    };
    let platform = platforms.get(&name)?;
    let reads_functions = platform.detect.functions.is_some();
    let file = reads_functions
        .then(|| functions_of(facts, route.path))
        .flatten();
    let entry = file.and_then(|file| file.entry(route.path));
    let settings = settings_with(&stack.platform, file);
    let runtime = route
        .runtime
        .as_ref()
        .or(entry.and_then(|entry| entry.runtime.as_ref()));
    let by_runtime = runtime.and_then(|runtime| platform.detect.runtimes.get(&runtime.value));
    let limit = by_runtime.or(platform.detect.limit.as_ref())?;
    let rule = platform.limits.get(limit)?;
    let exported = route.max_duration.clone();
    let in_file = entry.and_then(|entry| entry.max_duration.clone());
    let found = named_layer(platforms, &name, limit, &settings)?;
    if !rule.settable {
        let written = exported.or(in_file);
        return Some(FoundLayer {
            ineffective: written.map(|w| w.origin),
            ..found
        });
    }
    let written = exported
        .filter(|_| platform.detect.exported_duration)
        .or(in_file);
    let plan = plan_of(&settings, platform);
    let maximum = rule.value(plan, fluid_of(&settings, platform))?.maximum;
    Some(with_written(found, written, maximum, &name, limit))
}

/// A limit that a platform puts on files in certain folders, whatever else the project runs on.
fn limit_by_path(
    settings: &PlatformSettings,
    facts: &PlatformFacts,
    platforms: &Platforms,
    route: &RouteSource<'_>,
) -> Option<FoundLayer> {
    let detected = detect(settings, facts, platforms);
    let applies = |platform: &&Platform| {
        platform.detect.files.is_empty() || detected == Detected::One(platform.platform.clone())
    };
    let limit = |platform: &Platform| {
        let limit = platform.detect.paths.of(route.path)?;
        Some((platform.platform.clone(), limit.to_string()))
    };
    let (name, limit) = platforms.iter().filter(applies).find_map(limit)?;
    named_layer(platforms, &name, &limit, settings)
}

fn named_layer(
    platforms: &Platforms,
    platform: &str,
    limit: &str,
    settings: &PlatformSettings,
) -> Option<FoundLayer> {
    let layer = rule_layer(platforms, &format!("{platform}/{limit}"), settings)?;
    let layer = Layer {
        name: "platform".to_string(),
        ..layer
    };
    Some(FoundLayer {
        layer,
        clamped: None,
        ineffective: None,
        invalid: None,
    })
}

/// The functions file nearest above a source.
fn functions_of<'f>(facts: &'f PlatformFacts, path: &str) -> Option<&'f FunctionsFile> {
    let above = |file: &&FunctionsFile| {
        let folder = super::files::folder(&file.path);
        folder.is_empty()
            || path
                .strip_prefix(folder)
                .is_some_and(|rest| rest.starts_with('/'))
    };
    facts
        .functions
        .iter()
        .filter(above)
        .max_by_key(|file| file.path.len())
}

/// The stack file's settings; the mode may also be in the functions file.
fn settings_with(settings: &PlatformSettings, file: Option<&FunctionsFile>) -> PlatformSettings {
    let fluid = settings
        .fluid
        .clone()
        .or_else(|| file.and_then(|file| file.fluid.clone()));
    PlatformSettings {
        fluid,
        ..settings.clone()
    }
}

fn plan_of<'s>(settings: &'s PlatformSettings, platform: &Platform) -> Option<&'s str> {
    let plan = settings.plan.as_ref().map(|plan| plan.value.as_str());
    plan.filter(|plan| platform.plans.iter().any(|known| known == plan))
}

fn fluid_of(settings: &PlatformSettings, platform: &Platform) -> Option<bool> {
    settings
        .fluid
        .as_ref()
        .map(|fluid| fluid.value)
        .or(platform.fluid)
}

/// Puts what the project wrote over the plan's default, up to the plan's maximum.
fn with_written(
    found: FoundLayer,
    written: Option<Sourced<MaxDuration>>,
    maximum: Time,
    platform: &str,
    limit: &str,
) -> FoundLayer {
    let Some(written) = written else { return found };
    let at = |found: FoundLayer, limit: Sourced<Time>| {
        let layer = Layer {
            limit,
            plan_unknown: false,
            ..found.layer
        };
        FoundLayer { layer, ..found }
    };
    let from_rules = || Origin::Platform {
        limit: format!("{platform}/{limit}"),
    };
    match written.value {
        MaxDuration::Invalid => FoundLayer {
            invalid: Some(written.origin),
            ..found
        },
        MaxDuration::Greatest => at(found, Sourced::new(maximum, from_rules())),
        MaxDuration::Seconds(seconds) => {
            let asked = Time::from_secs(u64::from(seconds));
            if asked <= maximum {
                return at(found, Sourced::new(asked, written.origin));
            }
            let clamped = Some(Sourced::new(asked, written.origin));
            FoundLayer {
                clamped,
                ..at(found, Sourced::new(maximum, from_rules()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::platform::Measures;
    use crate::stack::source::SourceText;

    fn platforms() -> Platforms {
        Platforms::embedded().unwrap_or_else(|error| panic!("{error}"))
    }

    fn stack(uses: Option<PlatformUse>, plan: Option<&str>, fluid: Option<bool>) -> Stack {
        let platform = PlatformSettings {
            uses: uses.map(Sourced::default_of),
            plan: plan.map(|plan| Sourced::default_of(plan.to_string())),
            fluid: fluid.map(Sourced::default_of),
        };
        Stack {
            platform,
            ..Stack::default()
        }
    }

    fn facts(text: &str) -> PlatformFacts {
        let file = FunctionsFile::parse(&SourceText::file("vercel.json", text));
        PlatformFacts {
            files: BTreeSet::from(["vercel.json".to_string()]),
            functions: vec![file.unwrap_or_else(|error| panic!("{error}"))],
            exported_duration: false,
        }
    }

    fn route<'a>(path: &'a str, seconds: Option<u32>, runtime: Option<&str>) -> RouteSource<'a> {
        let at = || Origin::at(path, 3);
        RouteSource {
            path,
            max_duration: seconds.map(|s| Sourced::new(MaxDuration::Seconds(s), at())),
            runtime: runtime.map(|runtime| Sourced::new(runtime.to_string(), at())),
        }
    }

    /// The limit in seconds, and its origin.
    fn limit(found: Option<FoundLayer>) -> Option<(u64, String)> {
        let limit = found?.layer.limit;
        Some((
            limit.value.as_nanos()? / 1_000_000_000,
            limit.origin.to_string(),
        ))
    }

    fn some(seconds: u64, origin: &str) -> Option<(u64, String)> {
        Some((seconds, origin.to_string()))
    }

    #[test]
    fn source_then_first_entry_then_plan() {
        let platforms = platforms();
        let facts = facts(
            "{\"functions\": {\n\"app/a/*\": {\"memory\": 512},\n\"app/b/*\": {\"maxDuration\": 30},\n\
             \"app/**/*\": {\"maxDuration\": 60}}}",
        );
        let pro = stack(None, Some("pro"), None);
        let of = |path, seconds| {
            limit(platform_layer(
                &pro,
                &facts,
                &platforms,
                &route(path, seconds, None),
            ))
        };
        assert_eq!(of("app/b/route.ts", Some(15)), some(15, "app/b/route.ts:3"));
        assert_eq!(of("app/b/route.ts", None), some(30, "vercel.json:3"));
        assert_eq!(
            of("app/a/route.ts", None),
            some(300, "platform:vercel/node"),
            "memory alone hides"
        );
        assert_eq!(of("app/c/route.ts", None), some(60, "vercel.json:4"));
        assert_eq!(of("pages/x.ts", None), some(300, "platform:vercel/node"));
    }

    #[test]
    fn never_above_the_maximum_of_the_plan() {
        let platforms = platforms();
        let of = |plan, fluid, seconds| {
            let stack = stack(None, plan, fluid);
            let found = platform_layer(
                &stack,
                &facts("{}"),
                &platforms,
                &route("a.ts", Some(seconds), None),
            );
            let clamped = found
                .as_ref()
                .and_then(|f| f.clamped.clone())
                .and_then(|c| c.value.as_nanos());
            (
                limit(found).map(|(seconds, _)| seconds),
                clamped.map(|n| n / 1_000_000_000),
            )
        };
        assert_eq!(of(Some("hobby"), None, 400), (Some(300), Some(400)));
        assert_eq!(of(Some("pro"), None, 400), (Some(400), None));
        assert_eq!(of(Some("pro"), None, 900), (Some(800), Some(900)));
        assert_eq!(of(Some("hobby"), Some(false), 61), (Some(60), Some(61)));
        assert_eq!(of(Some("enterprise"), Some(false), 900), (Some(900), None));
        assert_eq!(
            of(None, None, 800),
            (Some(800), None),
            "unknown plan: the greatest maximum"
        );
    }

    #[test]
    fn the_mode_may_be_in_the_functions_file_and_the_stack_file_is_stronger() {
        let platforms = platforms();
        let facts = facts("{\"fluid\": false}");
        let of = |fluid| {
            let stack = stack(None, Some("hobby"), fluid);
            limit(platform_layer(
                &stack,
                &facts,
                &platforms,
                &route("a.ts", None, None),
            ))
        };
        assert_eq!(of(None), some(10, "platform:vercel/node"));
        assert_eq!(of(Some(true)), some(300, "platform:vercel/node"));
    }

    #[test]
    fn the_edge_has_its_own_limit_and_a_written_duration_has_no_effect() {
        let platforms = platforms();
        let pro = stack(Some(PlatformUse::Named("vercel".into())), Some("pro"), None);
        let route = route("app/x/route.ts", Some(60), Some("edge"));
        let found = platform_layer(&pro, &PlatformFacts::default(), &platforms, &route);
        let found = found.unwrap_or_else(|| panic!("no layer"));
        assert_eq!(found.layer.measures, Measures::FirstByte);
        assert_eq!(
            found.layer.stream.as_ref().map(|s| s.value),
            Some(Time::from_secs(300))
        );
        assert_eq!(
            found.ineffective.as_ref().map(Origin::to_string),
            Some("app/x/route.ts:3".into())
        );
        assert_eq!(limit(Some(found)), some(25, "platform:vercel/edge"));
    }

    #[test]
    fn without_a_sign_of_a_platform_there_is_no_limit() {
        let platforms = platforms();
        let stack_of = |uses| stack(uses, None, None);
        let written = route("a.ts", Some(15), None);
        let none = PlatformFacts::default();
        let of = |uses, facts: &PlatformFacts| {
            limit(platform_layer(&stack_of(uses), facts, &platforms, &written))
        };
        assert_eq!(of(None, &none), None);
        let exported = PlatformFacts {
            exported_duration: true,
            ..PlatformFacts::default()
        };
        assert_eq!(of(None, &exported), some(15, "a.ts:3"));
        assert_eq!(of(Some(PlatformUse::None), &exported), None);
        assert_eq!(of(Some(PlatformUse::None), &facts("{}")), None);
        let two = BTreeSet::from(["vercel.json".to_string(), "netlify.toml".to_string()]);
        let two = PlatformFacts {
            files: two,
            ..PlatformFacts::default()
        };
        assert_eq!(
            of(None, &two),
            None,
            "two platforms: the stack file decides"
        );
        let netlify = Some(PlatformUse::Named("netlify".into()));
        assert_eq!(
            of(netlify, &two),
            some(60, "platform:netlify/function"),
            "not settable by a source"
        );
    }

    #[test]
    fn a_folder_may_decide() {
        let platforms = platforms();
        let of = |path| {
            let stack = stack(None, None, None);
            limit(platform_layer(
                &stack,
                &facts("{}"),
                &platforms,
                &route(path, None, None),
            ))
        };
        assert_eq!(
            of("supabase/functions/x/index.ts"),
            some(150, "platform:supabase/edge-function")
        );
        assert_eq!(of("app/x/route.ts"), some(300, "platform:vercel/node"));
    }

    #[test]
    fn an_invalid_duration_is_named_and_the_default_holds() {
        let platforms = platforms();
        let facts = facts("{\"functions\": {\"a.ts\": {\"maxDuration\": \"10s\"}}}");
        let pro = stack(None, Some("pro"), None);
        let found = platform_layer(&pro, &facts, &platforms, &route("a.ts", None, None));
        assert_eq!(
            found
                .as_ref()
                .and_then(|f| f.invalid.clone())
                .map(|o| o.to_string()),
            Some("vercel.json:1".into())
        );
        assert_eq!(limit(found), some(300, "platform:vercel/node"));
    }
}
