//! Comments that are annotations, and the text between tokens.

use oxc_ast::ast;

use super::lowering::from_oxc;
use crate::program::Comment;

/// The word that an annotation begins with.
const MARK: &str = "overrun:";

/// The annotations among a file's comments, in order.
pub(super) fn annotations(comments: &[ast::Comment], text: &str) -> Vec<Comment> {
    comments
        .iter()
        .filter_map(|comment| annotation(comment, text))
        .collect()
}

fn annotation(comment: &ast::Comment, text: &str) -> Option<Comment> {
    let content = comment.content_span();
    let content = text.get(content.start as usize..content.end as usize)?;
    // A documentation comment begins with one more star.
    let content = content.trim_start_matches(|c: char| c == '*' || c == '/' || c.is_whitespace());
    let words = content.strip_prefix(MARK)?;
    let before = text.get(..comment.span.start as usize)?;
    let line = before.rsplit(['\n', '\r']).next().unwrap_or_default();
    Some(Comment {
        span: from_oxc(comment.span),
        text: words.trim().to_string(),
        own_line: line.trim().is_empty(),
    })
}

/// The offset of the next token at or after `offset`: past white space and comments.
pub(super) fn skip_trivia(text: &str, offset: u32) -> u32 {
    let mut rest = text.get(offset as usize..).unwrap_or_default();
    loop {
        rest = rest.trim_start();
        if let Some(line) = rest.strip_prefix("//") {
            rest = line.split_once(['\n', '\r']).map_or("", |(_, rest)| rest);
        } else if let Some(block) = rest.strip_prefix("/*") {
            rest = block.split_once("*/").map_or("", |(_, rest)| rest);
        } else {
            break;
        }
    }
    u32::try_from(text.len() - rest.len()).unwrap_or(u32::MAX)
}
