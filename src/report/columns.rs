//! Aligned columns of text.

/// How a column stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Text.
    Left,
    /// Figures.
    Right,
}

/// Lines of cells; a cell with several lines makes several lines.
#[derive(Debug, Default)]
pub struct Columns {
    align: Vec<Align>,
    rows: Vec<Vec<String>>,
}

/// Spaces between two columns.
const GAP: &str = "  ";

impl Columns {
    /// Columns that stand like this.
    pub fn new(align: &[Align]) -> Columns {
        Columns {
            align: align.to_vec(),
            rows: Vec::new(),
        }
    }

    /// Adds a row.
    pub fn row<T: Into<String>>(&mut self, cells: impl IntoIterator<Item = T>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// The width that all columns but `column` take, gaps included.
    pub fn width_without(&self, column: usize) -> usize {
        let gaps = GAP.len() * self.align.len().saturating_sub(1);
        let others = self
            .widths()
            .into_iter()
            .enumerate()
            .filter(|(index, _)| *index != column);
        others.map(|(_, width)| width).sum::<usize>() + gaps
    }

    /// Breaks the cells of `column` before `separator` so that they fit into `width`.
    pub fn wrap(&mut self, column: usize, separator: &str, width: usize) {
        for cell in self.rows.iter_mut().filter_map(|row| row.get_mut(column)) {
            *cell = cell
                .split('\n')
                .map(|line| wrapped(line, separator, width))
                .collect::<Vec<_>>()
                .join("\n");
        }
    }

    fn widths(&self) -> Vec<usize> {
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells
                .flat_map(|cell| cell.split('\n'))
                .map(width_of)
                .max()
                .unwrap_or(0)
        };
        (0..self.align.len()).map(width).collect()
    }

    /// The lines, each with a line end and no space before it.
    pub fn text(&self) -> String {
        let widths = self.widths();
        let mut text = String::new();
        for row in &self.rows {
            let height = row
                .iter()
                .map(|cell| cell.split('\n').count())
                .max()
                .unwrap_or(0);
            for line in 0..height {
                let cells =
                    row.iter()
                        .zip(&self.align)
                        .zip(&widths)
                        .map(|((cell, align), width)| {
                            let part = cell.split('\n').nth(line).unwrap_or_default();
                            let space = " ".repeat(width.saturating_sub(width_of(part)));
                            match align {
                                Align::Left => format!("{part}{space}"),
                                Align::Right => format!("{space}{part}"),
                            }
                        });
                let whole = cells.collect::<Vec<_>>().join(GAP);
                text.push_str(whole.trim_end());
                text.push('\n');
            }
        }
        text
    }
}

fn width_of(text: &str) -> usize {
    text.chars().count()
}

/// `line` broken before `separator`, the parts after the first indented by two.
fn wrapped(line: &str, separator: &str, width: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    for (index, part) in line.split(separator).enumerate() {
        let joined = if index == 0 {
            part.to_string()
        } else {
            format!("{}{part}", separator.trim_start())
        };
        match lines.last_mut() {
            Some(last) if width_of(last) + 1 + width_of(&joined) <= width => {
                last.push(' ');
                last.push_str(&joined);
            }
            Some(_) => lines.push(format!("  {joined}")),
            None => lines.push(joined),
        }
    }
    lines.join("\n")
}

/// `text` broken between words, each line with `indent` before it and a line end after it. A
/// number stays with its unit.
pub fn fill(text: &str, width: usize, indent: &str) -> String {
    let mut filled = String::new();
    for paragraph in text.split('\n') {
        let mut line = String::new();
        for word in words(paragraph) {
            if !line.is_empty() && indent.len() + width_of(&line) + 1 + width_of(&word) > width {
                filled.push_str(&format!("{indent}{line}\n"));
                line.clear();
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(&word);
        }
        filled.push_str(format!("{indent}{line}").trim_end());
        filled.push('\n');
    }
    filled
}

/// The words of a text; `8 s` is one.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let unit = matches!(
            word.trim_end_matches([':', ',', '.', ')']),
            "us" | "ms" | "s" | "min" | "h"
        );
        match words.last_mut() {
            Some(last) if unit && last.ends_with(|c: char| c.is_ascii_digit()) => {
                last.push(' ');
                last.push_str(word);
            }
            _ => words.push(word.to_string()),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aligned_and_broken_where_asked() {
        let mut columns = Columns::new(&[Align::Left, Align::Left, Align::Right]);
        columns.row(["GET /a", "one 1 s + two 2 s + three 3 s", "6 s"]);
        columns.row(["POST /bc", "four 4 s", "44 s"]);
        assert_eq!(columns.width_without(1), 8 + 4 + 4);
        columns.wrap(1, " + ", 20);
        let expected = "GET /a    one 1 s + two 2 s   6 s\n            + three 3 s\nPOST /bc  four 4 s           44 s\n";
        assert_eq!(columns.text(), expected);
    }

    #[test]
    fn words_are_filled_into_lines() {
        assert_eq!(
            fill("one two three four", 10, "  "),
            "  one two\n  three\n  four\n"
        );
        assert_eq!(fill("a\n\nbb", 10, "  "), "  a\n\n  bb\n");
        assert_eq!(fill("it is 8 s: long", 7, ""), "it is\n8 s:\nlong\n");
    }
}
