//! The stack: what the code cannot say of its surroundings, and what platform files and lockfiles
//! say; every value with its origin.
//!
//! This layer does no IO: files come through [`Files`]. It knows no source code; the two settings
//! that a source exports (`maxDuration`, `runtime`) are handed in by whoever read them.

pub mod calls;
pub mod crates;
pub mod cron;
pub mod dependency;
pub mod document;
pub mod environment;
pub mod error;
pub mod files;
pub mod found;
pub mod json;
pub mod layer;
mod load;
pub mod lockfile;
pub mod manifest;
pub mod nearest;
pub mod origin;
pub mod outside;
pub mod pattern;
pub mod project;
pub mod range;
pub mod reader;
pub mod retry;
pub mod route;
pub mod scalar;
pub mod schema;
pub mod source;
pub mod vercel;

use std::sync::Arc;

use indexmap::IndexMap;

pub use calls::{CallStep, DeclaredCall};
pub use dependency::{Attempts, ClientRef, Dependency, PackageRef, PoolSettings, SourceRef};
pub use environment::Environment;
pub use error::{Problem, StackError, StackErrors};
pub use files::{Files, ReadError};
pub use layer::{Layer, LayerKind, Measures};
pub use origin::{Origin, Sourced};
pub use outside::{Allow, Factory, Level, OutsideClient};
pub use pattern::RoutePattern;
pub use project::{
    Adversary, Defaults, Deployment, PartialVersion, PlatformSettings, PlatformUse, Project,
    Runtime,
};
pub use retry::{Backoff, Growth, RetryAfter, RetryOn, RetrySettings};
pub use route::{Rate, Role, RouteEntry, RouteSettings};
pub use source::{Place, SourceKind, SourceText, Span};

use crate::rules::platform::Platforms;
use reader::{Context, Reader};

/// Everything that is known of a project's surroundings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stack {
    /// The path of `overrun.toml`; `None`: there is none.
    pub path: Option<String>,
    /// The texts that it was read from, for diagnostics; the stack file is the first.
    pub sources: Vec<Arc<SourceText>>,
    /// `[project]`.
    pub project: Project,
    /// `[defaults]`.
    pub defaults: Defaults,
    /// `[platform]`.
    pub platform: PlatformSettings,
    /// `[runtime]`.
    pub runtime: Runtime,
    /// `[layers]`, in the order of the file.
    pub layers: IndexMap<String, Layer>,
    /// `[dependencies]`.
    pub dependencies: IndexMap<String, Dependency>,
    /// `[deployment]`.
    pub deployment: Deployment,
    /// `[[routes]]`.
    pub routes: Vec<RouteEntry>,
    /// `[clients]`: programs outside that call by themselves.
    pub clients: IndexMap<String, OutsideClient>,
    /// `[factories]`.
    pub factories: IndexMap<String, Factory>,
    /// `[[allow]]`.
    pub allows: Vec<Allow>,
    /// `[levels]`.
    pub levels: IndexMap<String, Sourced<Level>>,
    /// The environment's name and the values of its files.
    pub environment: Environment,
}

/// What a stack is read from.
#[derive(Clone, Copy)]
pub struct StackOptions<'a> {
    /// The path of `overrun.toml`, as [`Files`] knows it; `None`: there is none.
    pub stack: Option<&'a str>,
    /// `--env`: an environment of the file.
    pub environment: Option<&'a str>,
    /// `--env-file`: read after those of the file.
    pub env_files: &'a [String],
    /// `--set`: `KEY=VALUE` with a dotted key; stronger than the file and its environment.
    pub set: &'a [String],
    /// The names of all lints, for `[levels]` and `[[allow]]`.
    pub lints: &'a [&'a str],
    /// The platforms that a layer may name.
    pub platforms: &'a Platforms,
}

impl Stack {
    /// Reads a stack.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it, each with its place: a file that cannot be read or does
    /// not parse ends the reading, all else is collected.
    pub fn load(options: &StackOptions<'_>, files: &dyn Files) -> Result<Stack, StackErrors> {
        let context = Context::new(options.lints, options.platforms);
        let choice = load::Choice {
            stack: options.stack,
            environment: options.environment,
            set: options.set,
        };
        let loaded = load::load(&choice, files, &context)?;
        let mut stack = read_root(&loaded.root, &loaded.at, &context);
        for (_, table) in &loaded.others {
            // Only for its errors: a slip in an environment shows before it is used.
            read_root(table, &loaded.at, &context);
        }
        stack.path = options.stack.map(|path| files::resolve("", path));
        stack.environment.name = loaded.environment;
        stack.sources = loaded.sources;
        read_environment_files(&mut stack, options, &loaded.root, files, &context);
        let errors = context.into_errors();
        if errors.is_empty() {
            Ok(stack)
        } else {
            Err(StackErrors::new(errors))
        }
    }

    /// What holds for a route: every entry that matches, later ones over earlier ones.
    pub fn resolve_route(&self, name: &str) -> RouteSettings {
        route::resolve(&self.routes, self.defaults.within.as_ref(), name)
    }

    /// The entries that match none of these routes and declare none themselves.
    pub fn unmatched_entries<'r>(
        &self,
        names: impl IntoIterator<Item = &'r str> + Clone,
    ) -> Vec<&RouteEntry> {
        let silent = |entry: &&RouteEntry| {
            entry.declares().is_none()
                && !names
                    .clone()
                    .into_iter()
                    .any(|name| entry.pattern.value.matches(name))
        };
        self.routes.iter().filter(silent).collect()
    }

    /// The layers around a route, outermost first. `found` is what the platform's own files say;
    /// it is the innermost, unless a listed layer is of its kind.
    pub fn layers_around(&self, settings: &RouteSettings, found: Option<Layer>) -> Vec<Layer> {
        let names = settings.within.iter().flat_map(|within| &within.value);
        let mut layers: Vec<Layer> = names
            .filter_map(|name| self.layers.get(&name.value).cloned())
            .collect();
        let listed = layers.iter().any(|layer| layer.kind == LayerKind::Platform);
        layers.extend(found.filter(|_| !listed));
        layers
    }

    /// The text of a file that the stack was read from.
    pub fn source(&self, path: &str) -> Option<&Arc<SourceText>> {
        self.sources.iter().find(|source| &*source.path == path)
    }
}

fn read_root(table: &document::Table, at: &Span, context: &Context<'_>) -> Stack {
    let root = Reader::of_table(context, &schema::ROOT, table, at);
    let platform = project::read_platform(&root);
    let layers = layer::read_layers(&root, &platform);
    // A layer that is wrong in itself still has its name.
    let layer_names = root_names(table, "layers");
    let dependency_names = root_names(table, "dependencies");
    Stack {
        path: None,
        sources: Vec::new(),
        project: project::read_project(&root),
        defaults: project::read_defaults(&root, &layer_names),
        platform,
        runtime: project::read_runtime(&root),
        layers,
        dependencies: dependency::read_dependencies(&root),
        deployment: project::read_deployment(&root),
        routes: route::read_routes(&root, &layer_names, &dependency_names),
        clients: outside::read_outside_clients(&root),
        factories: outside::read_factories(&root),
        allows: outside::read_allows(&root),
        levels: outside::read_levels(&root),
        environment: Environment::default(),
    }
}

fn root_names<'t>(table: &'t document::Table, key: &str) -> Vec<&'t str> {
    let named = table.get(key).and_then(document::Node::as_table);
    named
        .iter()
        .flat_map(|table| table.entries.keys().map(String::as_str))
        .collect()
}

/// Reads the environment files of the stack file, then those of the command line.
fn read_environment_files(
    stack: &mut Stack,
    options: &StackOptions<'_>,
    root: &document::Table,
    files: &dyn Files,
    context: &Context<'_>,
) {
    let named = load::spanned_texts(root, "project", "env-files", context);
    let named = named.into_iter().map(|(path, span)| (path, Some(span)));
    let given = options.env_files.iter().map(|path| (path.as_str(), None));
    for (path, asked) in named.chain(given) {
        match load::read_text(&files::resolve("", path), asked, files) {
            Ok(source) => {
                let read = environment::read_environment(&source, &mut stack.environment.values);
                read.err()
                    .into_iter()
                    .flatten()
                    .for_each(|error| context.report(error));
                stack.sources.push(source);
            }
            Err(error) => context.report(error),
        }
    }
}
