//! How deep a text can make the parser recurse, estimated from the text alone.
//!
//! The parser and the lowering are recursive: a text of 100,000 open parentheses needs as many
//! frames. Before a file is parsed, an upper bound of its levels is computed; a file above
//! [`MAX_LEVELS`] is refused, any other gets a stack that is large enough.

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
const BASE: usize = 512 * 1024;

/// The largest stack that any text gets, in bytes.
pub(crate) const LARGEST_STACK: usize = BASE + MAX_LEVELS * LEVEL;

/// The stack in bytes that a text needs, or `None` where it is nested too deeply.
pub(super) fn stack_for(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let tokens = if bytes.len() <= MAX_LEVELS / 2 {
        bytes.len()
    } else {
        count_tokens(bytes)
    };
    // Each token is at most one level, so that most texts need no scan.
    let levels = if tokens <= MAX_LEVELS {
        tokens
    } else {
        Scan::new(bytes).levels()
    };
    (levels <= MAX_LEVELS).then(|| BASE + levels * LEVEL)
}

/// How many tokens there are at most: words begin one, and each mark is one. Counted in small
/// blocks without branches, which a compiler turns into vector instructions.
fn count_tokens(bytes: &[u8]) -> usize {
    const BLOCK: usize = 128;
    let Some(behind) = bytes.get(1..) else {
        return 0;
    };
    let blocks = behind.chunks(BLOCK).zip(bytes.chunks(BLOCK));
    let count = |(block, before): (&[u8], &[u8])| {
        let pairs = block.iter().zip(before);
        let starts = pairs.map(|(byte, before)| u8::from(begins_token(*byte, *before)));
        usize::from(starts.sum::<u8>())
    };
    1 + blocks.map(count).sum::<usize>()
}

fn begins_token(byte: u8, before: u8) -> bool {
    (byte > b' ') & !(is_word(byte) & is_word(before))
}

fn is_word(byte: u8) -> bool {
    let letter = (byte | 0x20).wrapping_sub(b'a') < 26;
    let digit = byte.wrapping_sub(b'0') < 10;
    letter | digit | (byte == b'_') | (byte == b'$') | (byte >= 0x80)
}

/// A bracket that is open, or the file itself.
#[derive(Default)]
struct Frame {
    /// The byte that closes it; 0 for the file.
    closer: u8,
    /// Levels of the expression or statement in progress; a `;` or `,` ends them.
    current: usize,
    /// Levels that only the closing bracket ends: `else`, `using` and markup.
    lasting: usize,
    /// Behind it stands a statement, as behind `if (..)`.
    controls: bool,
}

/// One pass over the text.
struct Scan<'b> {
    bytes: &'b [u8],
    at: usize,
    open: Vec<Frame>,
    /// Levels of all open frames together.
    levels: usize,
    most: usize,
    /// Whether what comes next begins an operand, so that a slash begins a regular expression.
    operand_next: bool,
    /// Whether the last token is `if`, `for`, `while` or `with`.
    controls: bool,
}

/// Words behind which an operand or a type goes on.
const PREFIXES: [&[u8]; 24] = [
    b"return",
    b"typeof",
    b"case",
    b"in",
    b"of",
    b"delete",
    b"void",
    b"throw",
    b"new",
    b"await",
    b"yield",
    b"else",
    b"do",
    b"instanceof",
    b"keyof",
    b"unique",
    b"readonly",
    b"infer",
    b"asserts",
    b"is",
    b"extends",
    b"as",
    b"satisfies",
    b"async",
];

/// Words that can go on with what stands in the line before.
const INFIXES: [&[u8]; 9] = [
    b"in",
    b"of",
    b"instanceof",
    b"as",
    b"satisfies",
    b"is",
    b"extends",
    b"else",
    b"while",
];

impl<'b> Scan<'b> {
    fn new(bytes: &'b [u8]) -> Scan<'b> {
        let open = vec![Frame::default()];
        Scan {
            bytes,
            at: 0,
            open,
            levels: 0,
            most: 0,
            operand_next: true,
            controls: false,
        }
    }

    /// The most levels that are open at once.
    fn levels(mut self) -> usize {
        while let Some(byte) = self.bytes.get(self.at).copied() {
            self.step(byte);
            if self.most > MAX_LEVELS {
                break;
            }
        }
        self.most
    }

    fn step(&mut self, byte: u8) {
        match byte {
            b'"' | b'\'' => {
                self.skip_text(byte);
                self.operand_next = false;
            }
            b'`' => self.template_mark(),
            b'/' if self.peek(1) == Some(b'/') => self.skip_to_line_end(),
            b'/' if self.peek(1) == Some(b'*') => self.skip_block_comment(),
            b'/' if self.operand_next => self.skip_regular_expression(),
            b'(' | b'[' | b'{' => {
                // A call or an index is one level around what it stands behind.
                if byte != b'{' {
                    self.deepen(false);
                }
                self.push(match byte {
                    b'(' => b')',
                    b'[' => b']',
                    _ => b'}',
                });
                self.at += 1;
                self.operand_next = true;
            }
            b')' | b']' | b'}' => self.close(byte),
            b';' | b',' => {
                self.controls = false;
                self.end_statement();
                self.at += 1;
                self.operand_next = true;
            }
            b'\n' => {
                self.at += 1;
                self.line_begins();
            }
            byte if byte.is_ascii_whitespace() => self.at += 1,
            byte if is_word(byte) => self.word(),
            b'<' => {
                self.deepen(true);
                self.at += 1;
                self.operand_next = true;
            }
            _ => {
                self.deepen(false);
                self.at += 1;
                self.operand_next = true;
            }
        }
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    fn push(&mut self, closer: u8) {
        let controls = std::mem::take(&mut self.controls);
        self.open.push(Frame {
            closer,
            current: 0,
            lasting: 0,
            controls,
        });
        self.levels += 1;
        self.most = self.most.max(self.levels);
    }

    /// A closing bracket ends the nearest frame of its kind; one that fits nothing is ignored,
    /// so that stray brackets in a text that is not code cannot hide levels.
    fn close(&mut self, closer: u8) {
        self.at += 1;
        self.operand_next = false;
        if let Some(frame) = self.open.last().filter(|frame| frame.closer == closer) {
            self.operand_next = frame.controls;
            self.pop();
        }
        if closer == b'}' && self.open.last().is_some_and(|frame| frame.closer == b'`') {
            self.skip_template();
        }
    }

    fn pop(&mut self) {
        if let Some(frame) = self.open.pop() {
            self.levels -= 1 + frame.current + frame.lasting;
        }
    }

    fn deepen(&mut self, lasting: bool) {
        if let Some(frame) = self.open.last_mut() {
            let counter = if lasting {
                &mut frame.lasting
            } else {
                &mut frame.current
            };
            *counter += 1;
            self.levels += 1;
            self.most = self.most.max(self.levels);
        }
    }

    fn end_statement(&mut self) {
        if let Some(frame) = self.open.last_mut() {
            self.levels -= frame.current;
            frame.current = 0;
        }
    }

    fn word(&mut self) {
        let start = self.at;
        while self.peek(0).is_some_and(is_word) {
            self.at += 1;
        }
        let word = &self.bytes[start..self.at];
        self.operand_next = PREFIXES.contains(&word);
        self.controls = matches!(word, b"if" | b"for" | b"while" | b"with");
        // What follows `using` in a block is lowered inside of it.
        self.deepen(matches!(word, b"else" | b"using"));
    }

    /// A line that begins with a word where no operand is missing begins a statement, semicolon
    /// or not; and some words begin one anywhere.
    fn line_begins(&mut self) {
        while self
            .peek(0)
            .is_some_and(|byte| byte == b' ' || byte == b'\t')
        {
            self.at += 1;
        }
        let rest = &self.bytes[self.at..];
        let length = rest
            .iter()
            .position(|byte| !is_word(*byte))
            .unwrap_or(rest.len());
        let word = &rest[..length];
        let statement: [&[u8]; 4] = [b"export", b"const", b"var", b"return"];
        let operand_missing = self.operand_next || INFIXES.contains(&word);
        if statement.contains(&word) || (!word.is_empty() && !operand_missing) {
            self.end_statement();
        }
    }

    fn skip_to_line_end(&mut self) {
        while self.peek(0).is_some_and(|byte| byte != b'\n') {
            self.at += 1;
        }
    }

    fn skip_block_comment(&mut self) {
        self.at += 2;
        while self.at < self.bytes.len() && !self.bytes[self.at..].starts_with(b"*/") {
            self.at += 1;
        }
        self.at = (self.at + 2).min(self.bytes.len());
    }

    /// A quoted text ends at its line at the latest. What follows a quote that nothing closes
    /// (an apostrophe in markup) is read as code.
    fn skip_text(&mut self, quote: u8) {
        let start = self.at + 1;
        let mut at = start;
        while let Some(byte) = self.bytes.get(at).copied() {
            match byte {
                b'\\' => at += 2,
                b'\n' => break,
                byte if byte == quote => {
                    self.at = at + 1;
                    return;
                }
                // Markup cannot be told from a text here: it always counts.
                b'<' => {
                    self.deepen(true);
                    at += 1;
                }
                _ => at += 1,
            }
        }
        self.at = start;
    }

    /// A regular expression ends at its line at the latest, else it was a division.
    fn skip_regular_expression(&mut self) {
        let start = self.at + 1;
        let mut at = start;
        let mut in_class = false;
        while let Some(byte) = self.bytes.get(at).copied() {
            match byte {
                b'\\' => at += 1,
                b'\n' => break,
                b'[' => in_class = true,
                b']' => in_class = false,
                b'/' if !in_class => {
                    self.at = at + 1;
                    self.operand_next = false;
                    return;
                }
                _ => {}
            }
            at += 1;
        }
        self.deepen(false);
        self.at = start;
    }

    /// A backtick opens a template text, or closes the one around.
    fn template_mark(&mut self) {
        self.deepen(false);
        self.push(b'`');
        self.at += 1;
        self.skip_template();
    }

    /// Reads template text up to its end or to the next `${`.
    fn skip_template(&mut self) {
        while let Some(byte) = self.peek(0) {
            match byte {
                b'\\' => self.at += 2,
                b'`' => {
                    self.at += 1;
                    self.pop();
                    self.operand_next = false;
                    return;
                }
                b'$' if self.peek(1) == Some(b'{') => {
                    self.push(b'}');
                    self.at += 2;
                    self.operand_next = true;
                    return;
                }
                _ => self.at += 1,
            }
        }
    }
}
