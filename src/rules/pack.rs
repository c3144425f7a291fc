//! A pack as a whole.

use serde::Deserialize;

use super::{
    Behaviour, Convention, ExtensionRule, FunctionRule, Ineffective, MarkerRule, RouterRule,
    TypeRule,
};

/// What is known of one package (or of a runtime's globals).
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Pack {
    /// The package's name as imported; `global` for what needs no import. Of a runtime's own
    /// modules (`timers/promises`, among the aliases) a prefix such as `node:` is left away.
    pub package: String,
    /// One sentence for `rules list`.
    pub summary: String,
    /// Other packages that export the same names.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// A version whose behaviour is taken where the project's is not known to any entry; and
    /// the newest one that was looked at.
    pub newest: Option<semver::Version>,
    /// Packages that this one brings along, whose entries it uses (`postgrest-js`).
    #[serde(default)]
    pub uses: Vec<String>,
    /// Whether the packages of `uses` have this package's own version, where a lockfile does not
    /// say another.
    #[serde(default)]
    pub same_version: bool,
    /// What a client of this package is called in `[dependencies]` reports; default: the package.
    pub dependency: Option<String>,
    /// Exported functions and constructors.
    #[serde(default, rename = "function")]
    pub functions: Vec<FunctionRule>,
    /// Types of values and what their members do.
    #[serde(default, rename = "type")]
    pub types: Vec<TypeRule>,
    /// What one awaited operation does.
    #[serde(default, rename = "behaviour")]
    pub behaviours: Vec<Behaviour>,
    /// Methods that an import of it adds to values of other types.
    #[serde(default, rename = "extension")]
    pub extensions: Vec<ExtensionRule>,
    /// Markers of fields that say their default.
    #[serde(default, rename = "marker")]
    pub markers: Vec<MarkerRule>,
    /// Values on which routes are registered by calls.
    #[serde(default, rename = "router")]
    pub routers: Vec<RouterRule>,
    /// Files whose exports are routes.
    #[serde(default, rename = "convention")]
    pub conventions: Vec<Convention>,
    /// Options that are accepted and not used.
    #[serde(default, rename = "ineffective")]
    pub ineffective: Vec<Ineffective>,
    /// Packages none of whose calls waits for anything outside the process. Functions that they
    /// are given are run, and what an async one gives is part of the call's result.
    #[serde(default)]
    pub no_wait: Vec<FlatEntry>,
    /// Packages (or functions of them) that call the function they are given once, and await it, or
    /// give back a function that does.
    #[serde(default)]
    pub transparent: Vec<FlatEntry>,
    /// Directives of files whose components run in another place than the answer is made
    /// (`use client`): where one is placed, only what it is given is rendered.
    #[serde(default)]
    pub elsewhere: Vec<FlatEntry>,
}

/// One line of a flat list.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct FlatEntry {
    /// The package, or `package#path` for one export of it.
    pub name: String,
    /// Why this is believed.
    pub evidence: String,
}
