//! The annotations of the timeout budget analyzer `overrun` as attributes.
//!
//! An annotation says what code cannot say: that a function is a route, by when something ends,
//! how often it is tried. It can be written as a comment (`// overrun: route GET /users`) or, in
//! Rust, as an attribute of this crate. The two say the same; the attribute is checked when it is
//! compiled.
//!
//! ```ignore
//! #[overrun::route("GET /users", within = "browser, edge")]
//! #[overrun::deadline("8s")]
//! async fn users(db: Db) -> Vec<User> {
//!     #[overrun::call("billing.read", method = "GET")]
//!     let plans = plans_over_a_queue().await;
//!     ..
//! }
//! ```
//!
//! - An argument is a text, a number, a word, or `key = value`. One text may hold several words:
//!   `#[overrun::retry("max=3 backoff=1s*2..30s")]` is `#[overrun::retry(max = 3, backoff =
//!   "1s*2..30s")]`.
//! - The item is left as it is. Attributes of this crate inside of it are checked and taken out,
//!   so that they can stand on statements and expressions too, as long as the function around has
//!   one of its own; the compiler takes no attribute of a macro there.
//! - What is wrong is a compile error at the arguments, with an example that is right.
//!
//! The analyzer reads the source and not what this crate makes of it: it knows the attributes by
//! the path `overrun::` and by `use overrun::..`. In `Cargo.toml` this crate must keep its name.
//! Of `use overrun::*` the compiler says that `allow` is its own too: write the names, or the path.

mod arguments;
mod item;
mod words;

use proc_macro::TokenStream;
use proc_macro2::{Ident, Span};
use quote::quote;

/// This function is a route of the service: `#[overrun::route("GET /users/{id}")]`, with
/// `within = "browser, edge"` for the layers of `overrun.toml` that it is called through.
#[proc_macro_attribute]
pub fn route(arguments: TokenStream, item: TokenStream) -> TokenStream {
    checked("route", arguments, item)
}

/// Here a remote call is made: `#[overrun::call("db.read", method = "GET", times = 3)]`. It
/// replaces the statement or expression that it stands on.
#[proc_macro_attribute]
pub fn call(arguments: TokenStream, item: TokenStream) -> TokenStream {
    checked("call", arguments, item)
}

/// Everything in it ends by then: `#[overrun::deadline("8s")]`; with `abandons`, what runs is
/// left running.
#[proc_macro_attribute]
pub fn deadline(arguments: TokenStream, item: TokenStream) -> TokenStream {
    checked("deadline", arguments, item)
}

/// It is tried again: `#[overrun::retry(max = 3, backoff = "1s*2..30s", on = "timeout, 503")]`.
#[proc_macro_attribute]
pub fn retry(arguments: TokenStream, item: TokenStream) -> TokenStream {
    checked("retry", arguments, item)
}

/// A loop or a recursive function turns at most so many times: `#[overrun::r#loop(50)]`.
#[proc_macro_attribute]
pub fn r#loop(arguments: TokenStream, item: TokenStream) -> TokenStream {
    checked("loop", arguments, item)
}

/// The timeout of each attempt of a call: `#[overrun::attempt("5s")]`.
#[proc_macro_attribute]
pub fn attempt(arguments: TokenStream, item: TokenStream) -> TokenStream {
    checked("attempt", arguments, item)
}

/// It takes at most this; believed, and listed as an assumption:
/// `#[overrun::assume("2s", reason = "local cache")]`.
#[proc_macro_attribute]
pub fn assume(arguments: TokenStream, item: TokenStream) -> TokenStream {
    checked("assume", arguments, item)
}

/// The default of this parameter decides a timeout: `#[overrun::factory("kind")]`.
#[proc_macro_attribute]
pub fn factory(arguments: TokenStream, item: TokenStream) -> TokenStream {
    checked("factory", arguments, item)
}

/// Not a finding here: `#[overrun::allow("unbounded-wait", reason = "long poll")]`.
#[proc_macro_attribute]
pub fn allow(arguments: TokenStream, item: TokenStream) -> TokenStream {
    checked("allow", arguments, item)
}

/// The item, with a compile error in front of it for each attribute that says nothing.
fn checked(kind: &str, arguments: TokenStream, item: TokenStream) -> TokenStream {
    let item = proc_macro2::TokenStream::from(item);
    let name = Ident::new_raw(kind, Span::call_site());
    let outer = item::check(&name, arguments.into(), item.clone().into_iter());
    let mut errors: Vec<syn::Error> = outer.err().into_iter().collect();
    let item = item::without_inner(item, &mut errors);
    let errors = errors.iter().map(syn::Error::to_compile_error);
    // No repetition inside of `quote`: it writes `#[allow]`, which is a name of this crate.
    let errors = errors.collect::<proc_macro2::TokenStream>();
    quote!(#errors #item).into()
}

/// How an attribute is written that is right.
fn example(kind: &str) -> &'static str {
    match kind {
        "route" => "#[overrun::route(\"GET /api/x\", within = \"browser, edge\")]",
        "call" => "#[overrun::call(\"db.read\", method = \"GET\", times = 3)]",
        "deadline" => "#[overrun::deadline(\"8s\")]",
        "retry" => "#[overrun::retry(max = 3, backoff = \"1s*2..30s\", on = \"timeout, 503\")]",
        "loop" => "#[overrun::r#loop(50)]",
        "attempt" => "#[overrun::attempt(\"5s\")]",
        "assume" => "#[overrun::assume(\"2s\", reason = \"local cache\")]",
        "factory" => "#[overrun::factory(\"kind\")]",
        _ => "#[overrun::allow(\"unbounded-wait\", reason = \"long poll\")]",
    }
}
