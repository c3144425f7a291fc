//! Reads a project and runs the layers over it: the only part that touches files and the
//! process's surroundings.

mod cached;
mod crates;
mod disk;
mod failure;
mod packs;
mod platform;
mod root;
pub mod terminal;
mod versions;
mod walk;
mod world;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub use failure::DriverError;
pub use packs::{CheckedRules, check_rules, rules};
pub use root::{RootError, STACK_FILE};
pub use walk::{BadPattern, Found, Kind, Walk};

use crate::evaluate::figures::{self, RouteFigures};
use crate::evaluate::{self, Analysis, FileFacts, Place};
use crate::lang;
use crate::lints::{self, Findings, LINTS};
use crate::program::Span;
use crate::rules::Library;
use crate::rules::platform::Platforms;
use crate::stack::{Adversary, Origin, Sourced, Stack, StackOptions};
use disk::Disk;

/// What a run is asked to read.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The folder of the project, or one inside of it.
    pub path: PathBuf,
    /// `--stack`.
    pub stack: Option<PathBuf>,
    /// `--env`.
    pub environment: Option<String>,
    /// `--env-file`, seen from the current folder.
    pub env_files: Vec<PathBuf>,
    /// `--adversary`.
    pub adversary: Option<Adversary>,
    /// `--set`.
    pub settings: Vec<String>,
    /// `--strict`.
    pub strict: bool,
}

/// A project that was read, as far as it goes without looking into sources.
#[derive(Debug)]
pub struct Loaded {
    /// Its surroundings.
    pub stack: Stack,
    /// What was read, one sentence each.
    pub told: Vec<String>,
    library: Library,
    platforms: Platforms,
    disk: Disk,
    walk: Walk,
    strict: bool,
    remembers: bool,
}

/// What came of a project.
#[derive(Debug)]
pub struct Analysed {
    /// The program's terms and facts.
    pub analysis: Analysis,
    /// The figures of its routes.
    pub figures: Vec<RouteFigures>,
    /// What lints found.
    pub findings: Findings,
    /// What the run takes for granted, one sentence each.
    pub assumptions: Vec<String>,
}

/// Finds a project, its stack and its files.
///
/// # Errors
/// A named input that cannot be read or is wrong.
pub fn load(request: &Request) -> Result<Loaded, DriverError> {
    let root = root::find(&request.path, request.stack.as_deref())?;
    let disk = Disk::new(&root.folder);
    let (mut library, platforms) = rules()?;
    let stack_path = root
        .stack
        .as_deref()
        .map(|file| named(&disk, file))
        .transpose()?;
    let env_files: Result<Vec<String>, DriverError> = request
        .env_files
        .iter()
        .map(|file| named(&disk, file))
        .collect();
    let names: Vec<&str> = LINTS.iter().map(|lint| lint.name).collect();
    let options = StackOptions {
        stack: stack_path.as_deref(),
        environment: request.environment.as_deref(),
        env_files: &env_files?,
        set: &request.settings,
        lints: &names,
        platforms: &platforms,
    };
    let mut stack = Stack::load(&options, &disk)?;
    if let Some(adversary) = request.adversary {
        let text = format!("--adversary {adversary:?}").to_lowercase();
        stack.project.adversary = Sourced::new(adversary, Origin::CommandLine { text });
    }
    let base = root.stack.as_deref().and_then(Path::parent);
    packs::add_own(
        &mut library,
        &stack.project.rules,
        base.unwrap_or(&root.folder),
    )?;
    let walk = files(&root.folder, &stack)?;
    let told = told(&root.folder, &stack, &walk);
    Ok(Loaded {
        stack,
        told,
        library,
        platforms,
        disk,
        walk,
        strict: request.strict,
        remembers: true,
    })
}

/// A named file as it is seen from the project root.
fn named(disk: &Disk, file: &Path) -> Result<String, DriverError> {
    disk.seen_from_root(file)
        .ok_or_else(|| DriverError::NotUtf8 {
            path: file.to_path_buf(),
        })
}

fn files(root: &Path, stack: &Stack) -> Result<Walk, BadPattern> {
    let texts = |list: &Option<Sourced<Vec<Sourced<String>>>>| -> Vec<String> {
        list.iter()
            .flat_map(|list| &list.value)
            .map(|text| text.value.clone())
            .collect()
    };
    let filter = walk::Filter::new(
        &texts(&stack.project.include),
        &texts(&stack.project.exclude),
    )?;
    let kind = |path: &str| {
        if lang::language_of(path).is_some() {
            Kind::Source
        } else if world::is_manifest(path) {
            Kind::Manifest
        } else {
            Kind::Other
        }
    };
    Ok(walk::walk(root, &filter, &kind))
}

fn told(root: &Path, stack: &Stack, walk: &Walk) -> Vec<String> {
    let mut told = vec![format!("root: {}", root.display())];
    told.push(match &stack.path {
        Some(path) => format!("stack file: {path}"),
        None => format!("no {STACK_FILE} was found"),
    });
    let serving = walk.files.iter().filter(|file| file.routes).count();
    told.push(format!(
        "{} sources, {serving} of them may give routes",
        walk.files.len()
    ));
    told.extend(
        walk.projects_below
            .iter()
            .map(|path| format!("left out, a project of its own: {path}")),
    );
    told.extend(
        walk.unreadable
            .iter()
            .map(|(path, reason)| format!("cannot be read: {path}: {reason}")),
    );
    told
}

impl Loaded {
    /// The same project, evaluated without remembering a call or leaving one out: it takes longer
    /// and must give the same figures.
    #[must_use]
    pub fn without_memory(self) -> Loaded {
        Loaded {
            remembers: false,
            ..self
        }
    }

    /// The text of a file of the project, for snippets.
    pub fn text(&self, path: &str) -> Option<String> {
        self.disk.text(path)
    }
}

/// Evaluates a project.
///
/// # Errors
/// None yet that is not found when it is loaded.
pub fn analyse(loaded: &Loaded) -> Result<Analysed, DriverError> {
    let world = world::DiskWorld::new(&loaded.disk, &loaded.library, &loaded.stack, &loaded.walk);
    let (runtime_name, runtime_version) = world.runtime();
    let project = evaluate::Project {
        sources: world.sources(),
        world: &world,
        library: &loaded.library,
        stack: &loaded.stack,
        environment: loaded.stack.environment.name.value.clone(),
        runtime_name,
        runtime_version,
        remembers: loaded.remembers,
    };
    let mut analysis = evaluate::analyse(&project);
    let (facts, wrong) = platform::facts(&loaded.disk, &loaded.walk, &loaded.platforms);
    let unusable = loaded
        .walk
        .unreadable
        .iter()
        .cloned()
        .chain(world.wrong())
        .chain(wrong)
        .chain(loaded.disk.refused());
    unreadable(&mut analysis, unusable);
    analysis.remarks.extend(platform::undecided(
        &loaded.stack,
        &facts,
        &loaded.platforms,
    ));
    analysis.remarks.sort();
    let figures = figures::figures(&analysis, &loaded.stack, &loaded.platforms, &facts);
    let input = lints::Input {
        analysis: &analysis,
        stack: &loaded.stack,
        figures: &figures,
        strict: loaded.strict,
    };
    let findings = lints::run(input);
    let assumptions = assumptions(&loaded.stack, &figures);
    Ok(Analysed {
        analysis,
        figures,
        findings,
        assumptions,
    })
}

/// Files that are there and were never seen by the evaluator are files that cannot be read; each
/// is told once, with its first reason.
fn unreadable(analysis: &mut Analysis, wrong: impl Iterator<Item = (String, String)>) {
    let with_gaps = analysis.files.iter().filter(|file| !file.gaps.is_empty());
    let mut told: BTreeSet<String> = with_gaps.map(|file| file.path.clone()).collect();
    for (path, reason) in wrong {
        if !told.insert(path.clone()) {
            continue;
        }
        let place = Place {
            file: path.clone(),
            line: 1,
            column: 1,
            span: Span::default(),
        };
        analysis.files.push(FileFacts {
            path,
            gaps: vec![(place, reason)],
            ..FileFacts::default()
        });
    }
    analysis.files.sort_by(|a, b| a.path.cmp(&b.path));
}

impl Analysed {
    /// What the self-check found, one sentence each: awaits that were written in functions that
    /// were entered and were never reached, and handlers that were never entered.
    pub fn told(&self) -> Vec<String> {
        let check = &self.analysis.self_check;
        let silent: Vec<&Place> = check
            .unreached
            .iter()
            .filter(|unreached| !unreached.explained)
            .map(|unreached| &unreached.place)
            .collect();
        let mut told = vec![format!(
            "{} awaits in functions that were entered, {} of them never reached, {} of those without an explanation",
            check.awaits,
            check.unreached.len(),
            silent.len()
        )];
        let at = |place: &Place| format!("{}:{}:{}", place.file, place.line, place.column);
        told.push(format!(
            "{} steps of evaluation, {} of them for the longest route",
            check.steps, check.most_steps
        ));
        told.extend(
            silent
                .into_iter()
                .map(|place| format!("never reached: {}", at(place))),
        );
        told.extend(
            check
                .handlers_not_entered
                .iter()
                .map(|place| format!("never entered: {}", at(place))),
        );
        told
    }
}

/// What holds for every route and is not read from its code.
fn assumptions(stack: &Stack, figures: &[figures::RouteFigures]) -> Vec<String> {
    let environment = &stack.environment.name;
    let mut lines = vec![
        match stack.project.adversary.value {
            Adversary::Silent => {
                "whatever is called answers in time, fails, or sends nothing until a limit ends it"
            }
            Adversary::Trickle => {
                "whatever is called may send a byte just before each limit between two bytes"
            }
            Adversary::Hostile => {
                "whatever is called may do all that the code obeys, a long Retry-After too"
            }
        }
        .to_string(),
    ];
    lines.push(format!(
        "the environment is `{}` ({})",
        environment.value, environment.origin
    ));
    let unknown = stack.layers.values().filter(|layer| layer.plan_unknown);
    lines.extend(unknown.map(|layer| {
        format!(
            "the plan behind layer `{}` is not named: its smallest limit counts",
            layer.name
        )
    }));
    let rules: BTreeSet<&String> = figures
        .iter()
        .filter_map(|route| route.plan_unknown.as_ref())
        .collect();
    lines.extend(rules.into_iter().map(|rule| {
        format!("the plan behind the platform's limit `{rule}` is not named: its smallest default counts")
    }));
    lines
}
