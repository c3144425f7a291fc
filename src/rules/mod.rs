//! Rule packs: what is known of libraries, runtimes and platforms, as data.
//!
//! A pack is one TOML file under `rules/`. This layer holds its schema, the choice of the
//! entries that hold for a version, and the packs that are embedded in the binary. It does
//! not know how a language looks.

mod behaviour;
mod check;
mod embedded;
mod entry;
mod framework;
mod marked;
mod notation;
mod pack;
pub mod platform;
mod setting;
mod versions;

pub use behaviour::*;
pub use check::check;
pub use embedded::*;
pub use entry::*;
pub use framework::*;
pub use marked::*;
pub use notation::{RetryAfter, Statuses, ThrownKind, parse_duration};
pub use pack::*;
pub use setting::*;
pub use versions::*;
