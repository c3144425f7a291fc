//! Comments that are annotations. The lexer drops comments, so they are looked for in the text.

use crate::program::{Comment, Span};

/// The word that an annotation begins with.
const MARK: &str = "overrun:";

/// The annotations among a file's comments, in order.
pub(super) fn annotations(text: &str) -> Vec<Comment> {
    if !text.contains(MARK) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at).copied() {
        let rest = &bytes[at..];
        at = match byte {
            b'/' if rest.starts_with(b"//") => {
                let end = line_end(bytes, at);
                found.extend(annotation(text, at, end));
                end
            }
            b'/' if rest.starts_with(b"/*") => {
                let end = block_end(bytes, at);
                found.extend(annotation(text, at, end));
                end
            }
            b'"' => quoted_end(bytes, at + 1),
            b'r' if !follows_word(bytes, at) => raw_end(bytes, at + 1),
            b'\'' => character_end(text, at),
            _ => at + 1,
        };
    }
    found
}

fn follows_word(bytes: &[u8], at: usize) -> bool {
    // `br"..."` and `cr"..."` are texts, `car"..."` cannot be.
    let before = at.checked_sub(1).and_then(|before| bytes.get(before));
    before.is_some_and(|b| (b.is_ascii_alphanumeric() || *b == b'_') && !matches!(b, b'b' | b'c'))
}

fn line_end(bytes: &[u8], from: usize) -> usize {
    let end = bytes[from..]
        .iter()
        .position(|b| matches!(b, b'\n' | b'\r'));
    end.map_or(bytes.len(), |end| from + end)
}

/// Block comments stand in one another.
fn block_end(bytes: &[u8], from: usize) -> usize {
    let mut depth = 0_usize;
    let mut at = from;
    while at < bytes.len() {
        if bytes[at..].starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if bytes[at..].starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    at
}

fn quoted_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// `r"..."`, `r#"..."#`; a name that begins so is skipped letter by letter.
fn raw_end(bytes: &[u8], from: usize) -> usize {
    let hashes = bytes[from..].iter().take_while(|b| **b == b'#').count();
    if bytes.get(from + hashes) != Some(&b'"') {
        return from;
    }
    let mut at = from + hashes + 1;
    while at < bytes.len() {
        let closing = &bytes[at + 1..];
        if bytes[at] == b'"' && closing.iter().take_while(|b| **b == b'#').count() >= hashes {
            return at + 1 + hashes;
        }
        at += 1;
    }
    at
}

/// A character, or the mark of a lifetime.
fn character_end(text: &str, from: usize) -> usize {
    let rest = text.get(from + 1..).unwrap_or_default();
    let mut characters = rest.char_indices();
    match (characters.next(), characters.next()) {
        (Some((_, '\\')), _) => {
            // `'\''`, `'\u{1F600}'`
            let inside = rest.get(2..).unwrap_or_default();
            inside
                .find('\'')
                .map_or(from + 1, |end| from + 1 + 2 + end + 1)
        }
        (Some(_), Some((at, '\''))) => from + 1 + at + 1,
        _ => from + 1,
    }
}

fn annotation(text: &str, start: usize, end: usize) -> Option<Comment> {
    let content = text.get(start..end)?;
    let content = match content.strip_prefix("/*") {
        Some(block) => block.strip_suffix("*/").unwrap_or(block),
        None => content.strip_prefix("//")?,
    };
    let marks = |c: char| matches!(c, '*' | '/' | '!') || c.is_whitespace();
    let words = content.trim_start_matches(marks).strip_prefix(MARK)?;
    let before = text.get(..start)?;
    let line = before.rsplit(['\n', '\r']).next().unwrap_or_default();
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Some(Comment {
        span: Span::new(offset(start), offset(end)),
        text: words.trim().to_string(),
        own_line: line.trim().is_empty(),
    })
}
