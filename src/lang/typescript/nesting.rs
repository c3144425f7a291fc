//! How deep a text can make the parser recurse, estimated from the text alone.
//!
//! The parser and the lowering are recursive: a text of 100,000 open parentheses needs as many
//! frames. Before a file is parsed, an upper bound of its levels is computed; a file above
//! [`MAX_LEVELS`] is refused, any other gets a stack that is large enough.

/// More levels than this are refused; written code stays below a hundredth of it.
const MAX_LEVELS: usize = 20_000;

/// Stack that one level takes at most, parser and lowering together, in bytes: measured over
/// the hostile inputs of the tests, doubled. Unoptimised code takes more.
const LEVEL: usize = if cfg!(debug_assertions) { 24 * 1024 } else { 4 * 1024 };

/// Stack that everything else takes, in bytes.
const BASE: usize = 512 * 1024;

/// The stack in bytes that a text needs, or `None` where it is nested too deeply.
pub(super) fn stack_for(text: &str) -> Option<usize> {
    let tokens = count_tokens(text.as_bytes());
    let levels = if tokens <= SMALL { tokens } else { Scan::new(text.as_bytes()).levels() };
    (levels <= MAX_LEVELS).then(|| BASE + levels * LEVEL)
}

/// Texts of so few tokens are not scanned: each token is at most one level.
const SMALL: usize = 2_000;

/// How many tokens there are at most: words begin one, and each mark is one.
fn count_tokens(bytes: &[u8]) -> usize {
    let mut count = 0;
    let mut in_word = false;
    for byte in bytes {
        let word = is_word(*byte);
        count += usize::from(!byte.is_ascii_whitespace() && !(word && in_word));
        in_word = word;
    }
    count
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// A bracket that is open, or the file itself.
#[derive(Default)]
struct Frame {
    /// The byte that closes it; 0 for the file.
    closer: u8,
    /// Levels of the expression or statement in progress; a `;` or `,` ends them.
    current: usize,
    /// Levels that only the closing bracket ends: `else` and markup.
    lasting: usize,
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
}

impl<'b> Scan<'b> {
    fn new(bytes: &'b [u8]) -> Scan<'b> {
        let open = vec![Frame::default()];
        Scan { bytes, at: 0, open, levels: 0, most: 0, operand_next: true }
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
        self.open.push(Frame { closer, current: 0, lasting: 0 });
        self.levels += 1;
        self.most = self.most.max(self.levels);
    }

    /// A closing bracket ends the nearest frame of its kind; one that fits nothing is ignored,
    /// so that stray brackets in a text that is not code cannot hide levels.
    fn close(&mut self, closer: u8) {
        self.at += 1;
        self.operand_next = false;
        if self.open.last().is_some_and(|frame| frame.closer == closer) {
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
            let counter = if lasting { &mut frame.lasting } else { &mut frame.current };
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
        self.operand_next = matches!(word, b"return" | b"typeof" | b"case" | b"in" | b"of"
            | b"delete" | b"void" | b"throw" | b"new" | b"await" | b"yield" | b"else" | b"do");
        self.deepen(word == b"else");
    }

    /// Words that can only begin a statement end the one before, semicolon or not.
    fn line_begins(&mut self) {
        while self.peek(0).is_some_and(|byte| byte == b' ' || byte == b'\t') {
            self.at += 1;
        }
        let rest = &self.bytes[self.at..];
        let begins: [&[u8]; 5] = [b"export ", b"const ", b"var ", b"return ", b"import "];
        if begins.iter().any(|word| rest.starts_with(word)) {
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
