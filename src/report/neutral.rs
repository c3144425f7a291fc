//! Names and sources come from code that nobody vouches for: what could steer a terminal,
//! or make a text read differently from what it is, is made visible before it is printed.

use std::borrow::Cow;
use std::fmt::Write;

/// Whether a character acts on a terminal or on the direction of text: controls (C0, delete,
/// C1), separators that break a line, marks that reorder or hide what stands around them.
fn acts(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{00AD}' | '\u{061C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}')
}

/// `text` on one line, each acting character written as `\u{1b}`; the same text where there
/// is none.
pub fn line(text: &str) -> Cow<'_, str> {
    if !text.contains(acts) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '\n' | '\t' => safe.push(' '),
            c if acts(c) => {
                // Writing to a `String` cannot fail.
                let _ = write!(safe, "\\u{{{:x}}}", u32::from(c));
            }
            c => safe.push(c),
        }
    }
    Cow::Owned(safe)
}

/// A source text for a snippet: acting characters are replaced by harmless ones of the same
/// number of bytes, so that spans into the text stay right. Line ends and tabs are kept, a
/// carriage return becomes a space.
pub fn source(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\n' | '\t' => c,
            '\r' => ' ',
            c if acts(c) => match c.len_utf8() {
                1 => '?',
                2 => '\u{00BF}',
                3 => '\u{FFFD}',
                _ => '\u{1F6AB}',
            },
            c => c,
        })
        .collect()
}

/// JSON text in which acting characters inside texts are escaped, so that it can be looked
/// at in a terminal; its meaning is the same. `json` must be serialised JSON: outside texts
/// it holds line feeds and spaces only.
pub fn json(json: &str) -> String {
    let mut safe = String::with_capacity(json.len());
    for c in json.chars() {
        if c != '\n' && acts(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(safe, "\\u{unit:04x}");
            }
        } else {
            safe.push(c);
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str = "GET /\u{1b}[2J\u{9b}31m\u{7}\r\nadmin\u{202e}gpj.exe\u{200b}\u{e0041}";

    #[test]
    fn a_line_holds_nothing_that_acts() {
        let safe = line(HOSTILE);
        assert!(!safe.contains(acts), "{safe:?}");
        assert_eq!(
            safe,
            "GET /\\u{1b}[2J\\u{9b}31m\\u{7}\\u{d} admin\\u{202e}gpj.exe\\u{200b}\\u{e0041}"
        );
        assert!(matches!(
            line("GET /café/日本"),
            Cow::Borrowed("GET /café/日本")
        ));
    }

    #[test]
    fn a_source_keeps_its_offsets() {
        let safe = source(HOSTILE);
        assert_eq!(safe.len(), HOSTILE.len());
        for (offset, c) in HOSTILE.char_indices() {
            assert!(safe.is_char_boundary(offset), "{c:?}");
        }
        assert!(safe.chars().all(|c| c == '\n' || !acts(c)), "{safe:?}");
    }

    #[test]
    fn json_means_the_same() {
        let text = serde_json::to_string_pretty(&[HOSTILE]).unwrap();
        let safe = json(&text);
        assert!(safe.chars().all(|c| c == '\n' || !acts(c)), "{safe:?}");
        let back: Vec<String> = serde_json::from_str(&safe).unwrap();
        assert_eq!(back, [HOSTILE]);
    }
}
