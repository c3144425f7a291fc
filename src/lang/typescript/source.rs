//! From bytes to text, and which dialect a file is written in.

use std::borrow::Cow;
use std::path::Path;

use oxc_span::SourceType;

use crate::program::{FileGap, Span};

/// Files above this size (in bytes) are generated; nothing of them is read.
const MAX_SIZE: usize = 16 * 1024 * 1024;

/// The text of a file without its byte order mark, and what was wrong with it. A byte that is
/// no UTF-8 becomes one `?`, so that offsets stay.
pub(super) fn decode(bytes: &[u8]) -> Result<(Cow<'_, str>, Vec<FileGap>), FileGap> {
    let whole = |message: String| FileGap {
        span: Span::new(0, 0),
        message,
    };
    if bytes.len() > MAX_SIZE {
        let megabytes = bytes.len() / (1024 * 1024);
        return Err(whole(format!(
            "{megabytes} MB, more than 16 MB are not read"
        )));
    }
    if bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]) {
        return Err(whole("UTF-16, only UTF-8 is read".to_string()));
    }
    let bytes = bytes.strip_prefix(&[0xEF, 0xBB, 0xBF]).unwrap_or(bytes);
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Ok((Cow::Borrowed(text), Vec::new()));
    }
    if bytes.contains(&0) {
        return Err(whole("not a text (it has zero bytes)".to_string()));
    }
    let mut text = String::with_capacity(bytes.len());
    let mut first = None;
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            first = first.or(Some(text.len()));
            text.extend(chunk.invalid().iter().map(|_| '?'));
        }
    }
    let start = u32::try_from(first.unwrap_or(0)).unwrap_or(0);
    let span = Span::new(start, start.saturating_add(1));
    let gap = FileGap {
        span,
        message: "not UTF-8 here, the bytes are taken as `?`".to_string(),
    };
    Ok((Cow::Owned(text), vec![gap]))
}

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
