//! A finding as a diagnostic with pieces of source: one file a diagnostic, the steps in
//! other files as related ones.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use indexmap::IndexMap;
use miette::{Diagnostic, LabeledSpan, Severity, SourceCode};

use super::columns::fill;
use super::neutral;
use crate::evaluate::Place;
use crate::lints::{Finding, Label, Level};
use crate::stack::SourceText;

/// The source of a file by its path from the project root; `None` where there is none.
pub type ReadSource<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Columns of source that are shown of a line; generated code has lines without end.
const LONGEST_LINE: usize = 90;

/// Columns of source that a label may reach, what stands before it counted off.
const LABELS_END: usize = 86;

/// A label is never broken into less than this.
const LEAST_LABEL: usize = 14;

/// Columns of a message and of a help text, what stands before them counted off.
const MESSAGE_WIDTH: usize = 94;
const HELP_WIDTH: usize = 90;

/// What is shown of one file.
#[derive(Debug)]
pub struct Snippet {
    code: Option<String>,
    severity: Severity,
    message: String,
    help: Option<String>,
    source: Option<Arc<SourceText>>,
    labels: Vec<LabeledSpan>,
    related: Vec<Snippet>,
}

impl fmt::Display for Snippet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Snippet {}

impl Diagnostic for Snippet {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.code
            .as_ref()
            .map(|code| Box::new(code) as Box<dyn fmt::Display>)
    }

    fn severity(&self) -> Option<Severity> {
        Some(self.severity)
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help
            .as_ref()
            .map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source
            .as_ref()
            .map(|source| &**source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(self.labels.iter().cloned()))
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        if self.related.is_empty() {
            return None;
        }
        Some(Box::new(
            self.related
                .iter()
                .map(|snippet| snippet as &dyn Diagnostic),
        ))
    }
}

impl Snippet {
    /// The diagnostics of this one, a file each, the help below the last.
    pub fn apart(mut self) -> Vec<Snippet> {
        let mut related = std::mem::take(&mut self.related);
        if let Some(last) = related.last_mut() {
            last.help = self.help.take();
        }
        related.insert(0, self);
        related
    }
}

/// Files as they are shown, read once a run.
pub struct Shown<'a> {
    read: ReadSource<'a>,
    files: BTreeMap<String, Option<ShownFile>>,
}

struct ShownFile {
    source: Arc<SourceText>,
    lines: Vec<ShownLine>,
}

/// Where a line stands in the file and in what is shown of it.
struct ShownLine {
    start: usize,
    shown_start: usize,
    /// Bytes that are shown as they are.
    kept: usize,
    /// Bytes of the line without its end, as they are in the file.
    length: usize,
}

impl<'a> Shown<'a> {
    /// Nothing read yet.
    pub fn new(read: ReadSource<'a>) -> Shown<'a> {
        Shown {
            read,
            files: BTreeMap::new(),
        }
    }

    /// The diagnostic of a finding, with `more` below its own help and notes.
    pub fn snippet(&mut self, finding: &Finding, more: &[String]) -> Snippet {
        let mut by_file: IndexMap<&str, Vec<&Label>> = IndexMap::new();
        by_file.insert(&finding.place.file, Vec::new());
        for label in &finding.labels {
            by_file.entry(&label.place.file).or_default().push(label);
        }
        let mut files = by_file.into_iter();
        let own = files.next().map(|(_, labels)| labels).unwrap_or_default();
        let (source, mut labels) = self.labels(&finding.place.file, &own);
        match (&source, self.span(&finding.place)) {
            (Some(source), Some(range)) => {
                let here = finding
                    .here
                    .as_deref()
                    .map(|text| neutral::line(text).into_owned());
                labels.insert(0, LabeledSpan::new_primary_with_span(here, range));
                labels = legible(&source.text, labels);
            }
            _ => labels.clear(),
        }
        let place = labels.is_empty().then(|| at(&finding.place));
        let message = [
            Some(broken(&neutral::line(&finding.message), MESSAGE_WIDTH)),
            place,
        ];
        let related = files
            .map(|(file, labels)| self.related(file, &labels))
            .collect();
        Snippet {
            code: Some(format!("{}[{}]", finding.level, finding.lint)),
            severity: severity(finding.level),
            message: message.into_iter().flatten().collect::<Vec<_>>().join("\n"),
            help: help(finding, more),
            source,
            labels,
            related,
        }
    }

    fn related(&mut self, file: &str, labels: &[&Label]) -> Snippet {
        let (source, mut spans) = self.labels(file, labels);
        if let Some(source) = &source {
            spans = legible(&source.text, spans);
        }
        let message = if spans.is_empty() {
            labels
                .iter()
                .map(|label| format!("{}: {}", at(&label.place), text_of(label)))
                .collect()
        } else {
            vec![format!("in {}", neutral::line(file))]
        };
        Snippet {
            code: None,
            severity: Severity::Advice,
            message: message.join("\n"),
            help: None,
            source,
            labels: spans,
            related: Vec::new(),
        }
    }

    /// The source of a file and its labels; no labels where one has no place in the source.
    fn labels(
        &mut self,
        file: &str,
        labels: &[&Label],
    ) -> (Option<Arc<SourceText>>, Vec<LabeledSpan>) {
        let spans: Option<Vec<LabeledSpan>> = labels
            .iter()
            .map(|label| {
                Some(LabeledSpan::new_with_span(
                    Some(text_of(label)),
                    self.span(&label.place)?,
                ))
            })
            .collect();
        let source = self.file(file).map(|file| file.source.clone());
        (source, spans.unwrap_or_default())
    }

    fn file(&mut self, path: &str) -> Option<&ShownFile> {
        if !self.files.contains_key(path) {
            let shown = (self.read)(path).map(|text| shown(path, &text));
            self.files.insert(path.to_string(), shown);
        }
        self.files.get(path)?.as_ref()
    }

    /// The first line of a place, as bytes of the text that is shown.
    fn span(&mut self, place: &Place) -> Option<std::ops::Range<usize>> {
        let file = self.file(&place.file)?;
        let start = place.span.start as usize;
        let index = file
            .lines
            .partition_point(|line| line.start <= start)
            .checked_sub(1)?;
        let line = file.lines.get(index)?;
        let within = |offset: usize| offset.saturating_sub(line.start).min(line.length);
        let text = &file.source.text;
        let shown = |offset: usize| {
            text.floor_char_boundary(line.shown_start + within(offset).min(line.kept))
        };
        let end = (place.span.end as usize).max(start);
        Some(shown(start)..shown(end))
    }
}

/// The text of a file as it is shown: harmless, and no line longer than can be read.
fn shown(path: &str, text: &str) -> ShownFile {
    let text = neutral::source(text.strip_prefix('\u{FEFF}').unwrap_or(text));
    let mut whole = String::with_capacity(text.len());
    let mut lines = Vec::new();
    let mut start = 0;
    for line in text.split('\n') {
        let cut = line.char_indices().nth(LONGEST_LINE).map(|(at, _)| at);
        let kept = cut.unwrap_or(line.trim_end().len());
        lines.push(ShownLine {
            start,
            shown_start: whole.len(),
            kept,
            length: line.len(),
        });
        whole.push_str(&line[..kept]);
        whole.push_str(if cut.is_some() { "…\n" } else { "\n" });
        start += line.len() + 1;
    }
    let source = SourceText::file(&neutral::line(path), &whole);
    ShownFile { source, lines }
}

/// Labels that can be told apart: those of one place become one, and each text is broken so
/// that it ends before the last column.
fn legible(source: &str, labels: Vec<LabeledSpan>) -> Vec<LabeledSpan> {
    let mut merged: IndexMap<(usize, usize), (bool, Vec<String>)> = IndexMap::new();
    for label in labels {
        let (primary, texts) = merged.entry((label.offset(), label.len())).or_default();
        *primary |= label.primary();
        let text = label.label().map(str::to_string);
        texts.extend(text.filter(|text| !texts.contains(text)));
    }
    let labels = merged
        .into_iter()
        .map(|((offset, length), (primary, texts))| {
            let line = source
                .get(..offset)
                .and_then(|before| before.rsplit('\n').next())
                .unwrap_or_default();
            let middle = line.chars().count() + length / 2;
            let room = LABELS_END.saturating_sub(middle).max(LEAST_LABEL);
            let text = (!texts.is_empty())
                .then(|| fill(&texts.join("\n"), room, "").trim_end().to_string());
            if primary {
                LabeledSpan::new_primary_with_span(text, (offset, length))
            } else {
                LabeledSpan::new_with_span(text, (offset, length))
            }
        });
    labels.collect()
}

fn severity(level: Level) -> Severity {
    match level {
        Level::Error => Severity::Error,
        Level::Warning => Severity::Warning,
        Level::Note => Severity::Advice,
    }
}

fn at(place: &Place) -> String {
    format!(
        "{}:{}:{}",
        neutral::line(&place.file),
        place.line,
        place.column
    )
}

/// What a label says: its text, and time and origin where it has them.
fn text_of(label: &Label) -> String {
    let mut text = neutral::line(&label.text).into_owned();
    if let Some(time) = label.time {
        text.push_str(&format!(": {time}"));
    }
    if let Some(origin) = &label.origin {
        text.push_str(&format!(" ({})", neutral::line(origin)));
    }
    text
}

fn help(finding: &Finding, more: &[String]) -> Option<String> {
    let notes = finding
        .notes
        .iter()
        .map(|note| format!("note: {}", neutral::line(note)));
    let help = finding
        .help
        .iter()
        .map(|help| neutral::line(help).into_owned());
    let lines = help.chain(notes).chain(more.iter().cloned());
    let filled: Vec<String> = lines.map(|line| broken(&line, HELP_WIDTH)).collect();
    (!filled.is_empty()).then(|| filled.join("\n"))
}

/// A line broken between words alone (a name with a hyphen stays whole), its indent kept.
fn broken(line: &str, width: usize) -> String {
    let indent: String = line.chars().take_while(|c| *c == ' ').collect();
    fill(line, width, &indent).trim_end().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Span;

    fn place(file: &str, start: u32, end: u32) -> Place {
        Place {
            file: file.to_string(),
            line: 1,
            column: start + 1,
            span: Span::new(start, end),
        }
    }

    fn label(place: Place, text: &str) -> Label {
        Label {
            place,
            text: text.to_string(),
            time: None,
            origin: None,
        }
    }

    #[test]
    fn spans_stay_inside_what_is_shown() {
        let text = format!("\u{FEFF}a\u{1b}b\r\nlet ä = \"{}\";\nlast", "x".repeat(400));
        let read = |_: &str| Some(text.clone());
        let mut shown = Shown::new(&read);
        let length = u32::try_from(text.len()).unwrap();
        for start in 0..length + 9 {
            for end in [0, start, start + 1, start + 300, u32::MAX] {
                let range = shown.span(&place("a", start, end)).unwrap();
                let source = shown.file("a").unwrap();
                assert!(
                    range.start <= range.end && range.end <= source.source.text.len(),
                    "{range:?}"
                );
                let inside = source.source.text.get(range).unwrap();
                assert!(!inside.contains('\n'), "{inside:?}");
            }
        }
    }

    #[test]
    fn a_file_that_is_not_there_leaves_its_places_in_words() {
        let mut finding = Finding::new(
            "budget-exceeded",
            Level::Error,
            place("a.ts", 0, 1),
            "too long",
        );
        finding.labels = vec![label(place("b.ts", 4, 5), "here")];
        let snippet = Shown::new(&|_| None).snippet(&finding, &[]);
        assert_eq!(snippet.message, "too long\na.ts:1:1");
        assert_eq!(snippet.related[0].message, "b.ts:1:5: here");
    }
}
