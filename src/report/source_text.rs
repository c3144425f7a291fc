//! A source whose labels are shown apart where they stand apart.

use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

/// The text of a file. The renderer puts the surroundings of two labels together where the
/// first ones end (their first line and their number of lines) behind the start of the second;
/// the text's own implementation counts the lines before them too, so that labels in the lower
/// half of a long file are always put together.
#[derive(Debug)]
pub struct SourceText(String);

/// Surroundings with so many lines between them are shown together.
const NEAR: usize = 3;

impl SourceText {
    /// A text.
    pub fn new(text: String) -> SourceText {
        SourceText(text)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl SourceCode for SourceText {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let found = self.0.read_span(span, before, after)?;
        let lines = found.data().iter().filter(|byte| **byte == b'\n').count() + NEAR;
        Ok(Box::new(MietteSpanContents::new(
            found.data(),
            *found.span(),
            found.line(),
            found.column(),
            lines,
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_before_the_surroundings_are_not_counted() {
        let text = SourceText::new("line\n".repeat(100));
        let found = text.read_span(&(5 * 50, 4).into(), 1, 1).unwrap();
        assert_eq!((found.line(), found.line_count()), (49, 3 + NEAR));
    }
}
