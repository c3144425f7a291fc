//! From bytes to text, and texts without the part that is broken.

use std::borrow::Cow;

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

/// The top-level item around an offset: from the last line at or before it that begins with a
/// word at its first column to the next such line.
pub(super) fn broken_part(text: &str, offset: usize) -> Span {
    let mut start = 0;
    let mut end = text.len();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let begins = line.starts_with(|c: char| c.is_alphabetic() || c == '@' || c == '_');
        if begins && at <= offset {
            start = at;
        } else if begins {
            end = at;
            break;
        }
        at += line.len();
    }
    let offset = |n| u32::try_from(n).unwrap_or(u32::MAX);
    Span::new(offset(start), offset(end))
}

/// The text with this part replaced by spaces (line ends stay), or `None` if nothing is there.
pub(super) fn blanked(text: &str, part: Span) -> Option<String> {
    let (start, end) = (part.start as usize, part.end as usize);
    let broken = text
        .get(start..end)
        .filter(|broken| !broken.trim().is_empty())?;
    let mut without = String::with_capacity(text.len());
    without.push_str(&text[..start]);
    for byte in broken.bytes() {
        without.push(if byte == b'\n' || byte == b'\r' {
            char::from(byte)
        } else {
            ' '
        });
    }
    without.push_str(&text[end..]);
    Some(without)
}
