//! Frameworks as data: files whose exports are routes, and values on which routes are
//! registered; and options that are accepted and not used.

use serde::Deserialize;

use super::{Literal, Mark, Others, When, Wrap};

/// Files whose exports are routes.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Convention {
    /// Unique in the pack.
    pub name: String,
    /// Globs from the project (or package) root; `{src/,}` prefixes are written out.
    pub files: Vec<String>,
    /// The folder whose inside is the path (`app`, `pages`); the last one on the way counts.
    #[serde(default)]
    pub root: Vec<String>,
    /// How a file gives routes.
    pub exports: ExportStyle,
    /// Names of exports that are methods (`GET`, ..), where `exports = "methods"`.
    #[serde(default)]
    pub methods: Vec<String>,
    /// Names of exports, where `exports = "named"`.
    #[serde(default)]
    pub names: Vec<String>,
    /// The runtime where neither an export nor the platform says one (`edge`).
    pub runtime: Option<String>,
    /// The versions for which it holds; absent: all.
    pub versions: Option<semver::VersionReq>,
    /// The word in front of the path where it is no method (`PAGE`, `ACTION`, `MIDDLEWARE`).
    pub word: Option<String>,
    /// The directive that makes a file's (or function's) exports routes (`use server`).
    pub directive: Option<String>,
    /// Prefix of every path (`/api`).
    #[serde(default)]
    pub prefix: String,
    /// File stems that are the folder itself (`route`, `page`, `index`).
    #[serde(default)]
    pub index: Vec<String>,
    /// Other exports whose cost counts before (`generateMetadata`) or beside.
    #[serde(default)]
    pub beside: Vec<String>,
    /// Files of this stem in every folder above run in parallel with it (`layout`).
    #[serde(default)]
    pub above: Vec<String>,
    /// Exported constants that evaluation reads: the platform's limit and runtime.
    #[serde(default)]
    pub limit_export: Option<String>,
    /// Likewise, the runtime.
    #[serde(default)]
    pub runtime_export: Option<String>,
    /// The exported object that holds both (`config`).
    #[serde(default)]
    pub config_export: Option<String>,
    /// The export that holds where a middleware matches (`config.matcher`).
    pub matcher: Option<String>,
    /// What the handler is given, by position.
    #[serde(default)]
    pub given: Vec<Given>,
    /// Methods of the response that it is given which send it to its end.
    #[serde(default)]
    pub answers: Vec<String>,
    /// Role of its routes.
    pub role: Option<String>,
    /// Where this is documented.
    pub evidence: String,
}

/// How a file's exports are routes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExportStyle {
    /// Each export named as a method.
    Methods,
    /// The default export; split by the methods that it compares with.
    DefaultByMethod,
    /// The default export.
    Default,
    /// Every exported function.
    All,
    /// The first export that there is of those that `names` lists (`default` among them).
    Named,
}

/// What a handler is given.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Given {
    /// The request: data; `method` is the route's, `signal` never fires by itself.
    Request,
    /// The response to write to: data whose methods wait for nothing.
    Response,
    /// A context: data, whose fields may be set by middleware.
    Context,
    /// The rest of the chain, as a function.
    Next,
    /// A context whose field `next` is the rest of the chain.
    ContextWithNext,
    /// The error of an error handler.
    Error,
    /// Data for each parameter that it has; one with a default may be absent. Stands last.
    Arguments,
    /// What the written type of each parameter says: the rest of the chain for one of the rule's
    /// `next`, what the project's own implementation of one of its `extract` gives, which runs
    /// before; else a value of the type. Stands alone.
    Extracted,
    /// Likewise, and all of them are taken out at the same time.
    ExtractedTogether,
}

/// A value on which routes are registered by calls.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RouterRule {
    /// Exported functions and classes that make one (`Hono`, `default`, `Router`).
    pub construct: Vec<String>,
    /// Type name, for written types.
    pub name: String,
    /// The option of the constructor, or method, that sets a prefix.
    #[serde(default)]
    pub prefix: Vec<RouterPrefix>,
    /// Methods that register a handler: name and verb.
    #[serde(default)]
    pub verbs: Vec<Verb>,
    /// Methods that put another router below a path.
    #[serde(default)]
    pub mounts: Vec<Mount>,
    /// Methods that add middleware to what is registered after them.
    #[serde(default)]
    pub middleware: Vec<Verb>,
    /// What a handler is given, by position.
    #[serde(default)]
    pub given: Vec<Given>,
    /// Methods of the response that it is given which send it to its end (`end`, `json`).
    #[serde(default)]
    pub answers: Vec<String>,
    /// Fields of a context that are the request's own data (`input`); what its other fields hold
    /// is what middleware and the project put there.
    #[serde(default)]
    pub context_data: Vec<String>,
    /// Fields of a context that hold what the platform binds to the program (`env`: databases,
    /// stores, other services beside texts): waiting for what one of them gives is not modelled.
    #[serde(default)]
    pub context_bound: Vec<String>,
    /// What a middleware is given, by position (default: as a handler).
    #[serde(default)]
    pub middleware_given: Vec<Given>,
    /// Methods that put layers around what was registered before them.
    #[serde(default)]
    pub layers: Vec<LayerMethod>,
    /// Whether the layer that was put first is the outermost (else the last).
    #[serde(default)]
    pub first_outermost: bool,
    /// Whether a layer stands around what is registered after it too.
    #[serde(default)]
    pub layers_cover_all: bool,
    /// How a type of the project is a layer.
    #[serde(default)]
    pub wraps: Vec<Wrap>,
    /// What is written before a function that serves a route by itself.
    #[serde(default)]
    pub marks: Vec<Mark>,
    /// Whether a handler that is marked so serves its route at the mark's own path where nothing
    /// registers it.
    #[serde(default)]
    pub marked_alone: bool,
    /// Written types of a parameter that is a router of this rule which somebody else gives.
    #[serde(default)]
    pub given_as: Vec<String>,
    /// Methods whose argument names a method that the handlers answer (`method`, `guard`).
    #[serde(default)]
    pub methods: Vec<String>,
    /// Whether a value of it is a part that only counts where it is put into a router.
    #[serde(default)]
    pub part: bool,
    /// Functions that make one and register what they are given.
    #[serde(default)]
    pub starts: Vec<Start>,
    /// Written types of a parameter that is the rest of the chain.
    #[serde(default)]
    pub next: Vec<String>,
    /// Interfaces by which a type is taken out of a request, and the function of each that does it.
    #[serde(default)]
    pub extract: Vec<Extract>,
    /// Methods whose handler answers after an error or where nothing matched (`onError`); they
    /// register no route.
    #[serde(default)]
    pub fallbacks: Vec<String>,
    /// What a method is that is not listed here (`listen`, `set`): `same`, the router again, or
    /// `opaque`.
    #[serde(default)]
    pub others: Others,
    /// The word in front of a name where routes have no method (`TRPC`).
    pub word: Option<String>,
    /// For routers made of an object of procedures: how a procedure is built.
    pub procedures: Option<Procedures>,
    /// Where this is documented.
    pub evidence: String,
}

/// A method that puts a layer around what was registered before.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LayerMethod {
    /// The method's name.
    pub method: String,
    /// The exported function that makes the layer of the arguments; absent: the first argument is
    /// the layer.
    pub by: Option<String>,
    /// The first argument is a function, and this of its own arguments is a service: what stands
    /// inside, as a value of the type `inside` of the pack.
    pub next: Option<usize>,
    /// See `next`.
    pub inside: Option<String>,
    /// The argument that is the layer, where that is not the first.
    #[serde(default)]
    pub argument: usize,
}

/// A function that makes a router and registers what it is given.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Start {
    /// The exported function (`routing.get`).
    pub function: String,
    /// The method of the router that it is like (`get`); absent: it registers nothing yet.
    pub method: Option<String>,
    /// The verb of what is registered on it later.
    pub verb: Option<String>,
}

/// An interface by which a type is taken out of a request.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Extract {
    /// Its name.
    pub interface: String,
    /// Its function.
    pub function: String,
}

/// A prefix for what is registered.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RouterPrefix {
    /// The method (`basePath`), giving a router; absent: an option of the constructor.
    pub method: Option<String>,
    /// The option path in the constructor's argument.
    pub option: Option<String>,
    /// The constructor's argument that is it.
    pub argument: Option<usize>,
}

/// A method that registers.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Verb {
    /// The method's name.
    pub method: String,
    /// The verb (`GET`, `ANY`); absent where it stands in the arguments.
    pub verb: Option<String>,
    /// Argument that holds the verb or a list of them.
    pub verb_argument: Option<usize>,
    /// Argument that holds the path; absent: none (all paths).
    pub path: Option<usize>,
    /// Whether the path may be left out (the first argument is then a handler).
    #[serde(default)]
    pub path_optional: bool,
    /// Argument that is an object with `method` and `path`/`url` (and `handler`).
    pub object: Option<RouteObject>,
    /// Whether the handler's options object may stand between path and handler.
    #[serde(default)]
    pub options: bool,
    /// Texts of which the first argument must be one for the call to count (names of hooks that
    /// run before the answer); empty: any.
    #[serde(default)]
    pub first_argument: Vec<String>,
}

/// A route described by an object.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RouteObject {
    /// Which argument.
    pub argument: usize,
    /// Its field with the method.
    pub method: String,
    /// Its field with the path.
    pub path: String,
    /// Its field with the handler; absent: the next argument.
    pub handler: Option<String>,
    /// Its field with middleware.
    pub middleware: Option<String>,
    /// Whether a segment `{id}` of its path is registered as `:id`.
    #[serde(default)]
    pub braces_to_colons: bool,
}

/// A method that mounts a router.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Mount {
    /// The method's name.
    pub method: String,
    /// Argument that holds the path, absent: none.
    pub path: Option<usize>,
    /// Whether the path may be left out.
    #[serde(default)]
    pub path_optional: bool,
    /// Argument that is the router, or a function that is given one.
    pub router: usize,
    /// The option path of the prefix in the argument after it.
    pub prefix_option: Option<String>,
    /// Whether the argument is a function called with a router (a plugin).
    #[serde(default)]
    pub plugin: bool,
    /// Whether what is no router there is a handler of every method.
    #[serde(default)]
    pub handler: bool,
    /// Whether functions there serve the routes that are written before them.
    #[serde(default)]
    pub marked: bool,
    /// The path, where no argument says it.
    pub at: Option<String>,
}

/// Routers made of objects of procedures.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Procedures {
    /// Function (member path of the builder) that makes a router from an object.
    pub router: Vec<String>,
    /// Functions that merge routers.
    #[serde(default)]
    pub merge: Vec<String>,
    /// The member that is a procedure builder.
    pub builder: Vec<String>,
    /// Builder methods that add a middleware.
    pub middleware: Vec<String>,
    /// Builder methods that end it with a handler.
    pub ends: Vec<String>,
}

/// An option that is accepted and not used.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Ineffective {
    /// The type whose options they are.
    #[serde(rename = "type")]
    pub type_name: String,
    /// The option path.
    pub option: String,
    /// Only with this value.
    pub value: Option<Literal>,
    /// Only where this holds.
    #[serde(default)]
    pub when: Vec<When>,
    /// The versions for which it is not used.
    pub versions: Option<semver::VersionReq>,
    /// Why, and what to write instead.
    pub message: String,
    /// Where this was seen.
    pub evidence: String,
}
