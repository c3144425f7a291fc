//! Which dialect a file is written in.

use std::path::Path;

use oxc_span::SourceType;

/// The dialect that a file's name says. JavaScript files may hold markup; only the extensions
/// that exclude it do.
pub(super) fn dialect(path: &str) -> SourceType {
    let found = SourceType::from_path(Path::new(path)).unwrap_or_default();
    if found.is_javascript() {
        found.with_jsx(true)
    } else {
        found
    }
}
