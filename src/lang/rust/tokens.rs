//! What is counted on the tokens before anything is parsed: how deep the parser can recurse, and
//! where awaits are written.

use proc_macro2::{Delimiter, TokenStream, TokenTree, token_stream};

/// More levels than this are refused; written code stays below a hundredth of it.
const MAX_LEVELS: usize = 20_000;

/// Stack that one level takes at most, parser and lowering together, in bytes: measured over
/// the hostile inputs of the tests, doubled. Unoptimised code takes more.
const LEVEL: usize = if cfg!(debug_assertions) {
    24 * 1024
} else {
    8 * 1024
};

/// Stack that everything else takes, in bytes.
const BASE: usize = 1024 * 1024;

/// The largest stack that any text gets, in bytes.
pub(super) const LARGEST_STACK: usize = BASE + MAX_LEVELS * LEVEL;

/// What a file's tokens say.
pub(super) struct Measured {
    /// The stack that it takes to read them, in bytes.
    pub stack: usize,
    /// The offset of each `await` behind a dot, in order.
    pub awaits: Vec<u32>,
}

/// A bracket that is open, or the file itself.
struct Open {
    rest: token_stream::IntoIter,
    /// Levels of what is in progress: each token is at most one.
    current: usize,
    /// The last token was a block, behind which a statement or item can begin.
    after_block: bool,
    /// The last token was a dot.
    after_dot: bool,
}

/// Counts levels and awaits, or `None` where the nesting is too deep.
pub(super) fn measure(tokens: &TokenStream) -> Option<Measured> {
    let mut awaits = Vec::new();
    let mut open = vec![opened(tokens.clone())];
    let mut levels = 0_usize;
    let mut most = 0_usize;
    while let Some(frame) = open.last_mut() {
        let Some(token) = frame.rest.next() else {
            levels = levels.saturating_sub(frame.current + 1);
            open.pop();
            continue;
        };
        let ends = match &token {
            TokenTree::Punct(mark) => matches!(mark.as_char(), ';' | ','),
            _ => false,
        };
        if ends || (frame.after_block && begins_anew(&token)) {
            levels = levels.saturating_sub(frame.current);
            frame.current = 0;
        }
        frame.current += 1;
        levels += 1;
        most = most.max(levels);
        if most > MAX_LEVELS {
            return None;
        }
        let after_dot = std::mem::replace(
            &mut frame.after_dot,
            matches!(&token, TokenTree::Punct(mark) if mark.as_char() == '.'),
        );
        frame.after_block =
            matches!(&token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
        match token {
            TokenTree::Ident(word) if after_dot && word == "await" => {
                awaits.push(super::lowering::span_of(word.span()).start);
            }
            TokenTree::Group(group) => {
                levels += 1;
                open.push(opened(group.stream()));
            }
            _ => {}
        }
    }
    Some(Measured {
        stack: BASE + most * LEVEL,
        awaits,
    })
}

fn opened(tokens: TokenStream) -> Open {
    Open {
        rest: tokens.into_iter(),
        current: 0,
        after_block: false,
        after_dot: false,
    }
}

/// Whether a token behind a block begins a statement or an item, and does not go on with what
/// the block belongs to.
fn begins_anew(token: &TokenTree) -> bool {
    match token {
        TokenTree::Ident(word) => word != "else" && word != "as" && word != "where",
        TokenTree::Punct(mark) => mark.as_char() == '#',
        TokenTree::Literal(_) => true,
        TokenTree::Group(group) => group.delimiter() != Delimiter::Brace,
    }
}
