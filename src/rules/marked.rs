//! Handlers that say themselves which routes they serve, and layers that the project makes.

use serde::Deserialize;

/// What is written before a function and says which route it serves.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Mark {
    /// Its name (`get` of `#[get("/x")]`).
    pub marker: String,
    /// The verb; absent: `verb_option` says it, or one of the marker's arguments does by its name.
    pub verb: Option<String>,
    /// The argument that names the verb; several say several.
    pub verb_option: Option<String>,
    /// The argument that is the path, where it has a name; else it is the first text.
    pub path_option: Option<String>,
    /// Arguments that name what stands around the handler: that is not followed.
    #[serde(default)]
    pub around: Vec<String>,
    /// Whether what stands behind a `?` of the path belongs to the query.
    #[serde(default)]
    pub query: bool,
}

/// How a type of the project is a layer: by two interfaces, that of what makes it around a service
/// and that of what it makes.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Wrap {
    /// The interface of the layer; absent: its value serves as it is.
    pub interface: Option<String>,
    /// Its function from the service inside to the one around that.
    pub function: Option<String>,
    /// The interface of what serves.
    pub serves: String,
    /// Its function that answers a request.
    pub by: String,
    /// The position of the service inside among the arguments of `by`, where nothing makes it.
    pub next: Option<usize>,
    /// The type of the pack that the service inside is; its option `next` is the rest of the chain.
    pub inside: String,
}
