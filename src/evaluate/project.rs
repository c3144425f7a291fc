//! What is analysed, as the driver hands it in: nothing here touches files.

use std::sync::Arc;

use semver::Version;

use crate::program::Module;
use crate::rules::Library;
use crate::stack::Origin;

/// A source file of the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Path from the project root, with `/`.
    pub path: String,
    /// The package that it belongs to, where the project has several; else empty.
    pub app: String,
    /// The folder of that package from the project root (empty: the root itself).
    pub app_root: String,
    /// Whether it may give routes (tests, fixtures, scripts and examples do not).
    pub routes: bool,
}

/// Where an import leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A file of the project.
    File(String),
    /// A package, and the module as it is imported.
    Package {
        /// `@scope/name`.
        name: String,
        /// `@scope/name/sub`.
        module: String,
    },
    /// Nothing that exists.
    Missing,
}

/// What the driver knows of the project. All paths are from the project root.
pub trait World {
    /// A file, lowered; one that cannot be read has gaps.
    fn module(&self, path: &str) -> Arc<Module>;
    /// Where an import of a file leads.
    fn resolve(&self, from: &str, specifier: &str) -> Target;
    /// The versions that a package can have when this file imports it; none: not known.
    fn versions(&self, from: &str, package: &str) -> Vec<Version>;
    /// The versions of a package that another brings along.
    fn nested(&self, from: &str, parent: &str, package: &str) -> Vec<Version>;
    /// The value of an environment variable and where it is set.
    fn variable(&self, name: &str) -> Option<(String, Origin)>;
    /// The ecosystem of a file's packages (`npm`).
    fn ecosystem(&self, path: &str) -> &'static str;
}

/// What is analysed.
pub struct Project<'a> {
    /// Source files, sorted by path.
    pub sources: Vec<Source>,
    /// Files, imports, versions, environment.
    pub world: &'a dyn World,
    /// What is known of libraries.
    pub library: &'a Library,
    /// The stack description.
    pub stack: &'a crate::stack::Stack,
    /// The name of the environment (`production`).
    pub environment: String,
    /// The runtime whose own limits the packs know, and its version, where known.
    pub runtime_name: String,
    /// Its version.
    pub runtime_version: Option<String>,
    /// Whether calls are remembered, and left out where they do nothing (`false`: for tests that
    /// compare; it takes longer and gives the same figures).
    pub remembers: bool,
}
