//! From the files and options to one table: `extends`, environments, `--set`.

use std::sync::Arc;

use super::document::{Entry, Node, Table, Value, parse};
use super::error::{Problem, StackError, StackErrors};
use super::files::{Files, folder, resolve};
use super::origin::{Origin, Sourced};
use super::reader::{Context, Reader};
use super::scalar::{text_of, wrong_type};
use super::schema::{ENVIRONMENT, ROOT};
use super::source::{SourceText, Span};

/// How many files may extend each other in a row.
const MAX_EXTENDS: usize = 32;

/// The version of the format that is understood.
const VERSION: &str = "1";

/// The stack file's tables, merged.
pub(super) struct Loaded {
    /// Without `extends` and `environments`.
    pub root: Table,
    /// The environment's name.
    pub environment: Sourced<String>,
    /// For each environment that was not chosen, the table as it would be.
    pub others: Vec<(String, Table)>,
    /// Where errors of the file as a whole are shown.
    pub at: Span,
    /// Every text that was read, the stack file first.
    pub sources: Vec<Arc<SourceText>>,
}

/// What decides how the files are merged.
pub(super) struct Choice<'a> {
    /// The path of the stack file; `None`: there is none.
    pub stack: Option<&'a str>,
    /// `--env`.
    pub environment: Option<&'a str>,
    /// `--set`.
    pub set: &'a [String],
}

/// Reads the stack file and everything that it extends, and merges them.
pub(super) fn load(
    choice: &Choice<'_>,
    files: &dyn Files,
    context: &Context<'_>,
) -> Result<Loaded, StackErrors> {
    let mut chain = match choice.stack {
        Some(path) => read_chain(path, files)?,
        None => Vec::new(),
    };
    let mut sources: Vec<Arc<SourceText>> =
        chain.iter().map(|(source, _)| source.clone()).collect();
    let main = sources
        .first()
        .cloned()
        .unwrap_or_else(|| SourceText::file("overrun.toml", ""));
    let at = Span::new(&main, 0..0);
    for (_, table) in &chain {
        check_version(table, context);
    }
    let mut root = Table::default();
    while let Some((_, table)) = chain.pop() {
        root.merge(&table);
    }
    if choice.stack.is_some() && root.get("version").is_none() {
        let problem = Problem::MissingKey {
            key: "version",
            table: ROOT.prose,
        };
        context
            .report(StackError::at(&at, problem, "").help("write `version = 1` as the first line"));
    }
    root.entries.shift_remove("extends");
    let mut set = Table::default();
    for option in choice.set {
        let (source, table) = parse_set(option)?;
        sources.push(source);
        set.merge(&table);
    }
    let environments = root.entries.shift_remove("environments");
    let mut merged = root.clone();
    merged.merge(&set);
    let environment = environment_name(choice, &merged);
    let chosen = choose(choice, environments.as_ref(), &environment, context);
    let with = |overlay: Option<&Table>| {
        let mut table = root.clone();
        if let Some(overlay) = overlay {
            table.merge(overlay);
        }
        table.merge(&set);
        table
    };
    let names = environment_tables(environments.as_ref(), context);
    let others = names.iter().filter(|(name, _)| *name != environment.value);
    let others = others
        .map(|(name, table)| (name.clone(), with(Some(table))))
        .collect();
    Ok(Loaded {
        root: with(chosen),
        environment,
        others,
        at,
        sources,
    })
}

/// The stack file, what it extends, what that extends, and so on.
fn read_chain(path: &str, files: &dyn Files) -> Result<Vec<(Arc<SourceText>, Table)>, StackErrors> {
    let mut chain: Vec<(Arc<SourceText>, Table)> = Vec::new();
    let mut next = Some((resolve("", path), None::<Span>));
    while let Some((path, asked)) = next.take() {
        let mut names: Vec<String> = chain
            .iter()
            .map(|(source, _)| source.path.to_string())
            .collect();
        if let (Some(first), Some(span)) = (names.iter().position(|name| *name == path), &asked) {
            let mut circle = names.split_off(first);
            circle.push(path);
            let error = StackError::at(span, Problem::ExtendsCycle { chain: circle }, "leads back");
            return Err(error.help("take one `extends` out").into());
        }
        if let Some(span) = asked.as_ref().filter(|_| chain.len() >= MAX_EXTENDS) {
            let problem = Problem::ExtendsTooDeep { limit: MAX_EXTENDS };
            return Err(StackError::at(span, problem, "one more").into());
        }
        let source = read_text(&path, asked.as_ref(), files)?;
        let table = parse(&source).map_err(StackErrors::new)?;
        next = match table.get("extends") {
            Some(node) => Some((extends_path(node, &path)?, Some(node.span.clone()))),
            None => None,
        };
        chain.push((source, table));
    }
    Ok(chain)
}

fn extends_path(node: &Node, from: &str) -> Result<String, StackError> {
    match &node.value {
        Value::Text(path) if !path.trim().is_empty() => Ok(resolve(folder(from), path)),
        Value::Text(_) => {
            let problem = Problem::MissingFile {
                path: String::new(),
            };
            Err(StackError::at(&node.span, problem, "empty")
                .help("name a file, or leave `extends` out"))
        }
        _ => Err(wrong_type("extends", "the path of one file", node)),
    }
}

/// The text of a file; an error is shown where the file is asked for.
pub(super) fn read_text(
    path: &str,
    asked: Option<&Span>,
    files: &dyn Files,
) -> Result<Arc<SourceText>, StackError> {
    let error = |problem: Problem| match asked {
        Some(span) => StackError::at(span, problem, "asked for here"),
        None => StackError::of_file(problem),
    };
    let path_text = || path.to_string();
    let bytes = match files.read(path) {
        None => {
            let help = "paths are seen from the file that names them";
            let missing = error(Problem::MissingFile { path: path_text() });
            return Err(if asked.is_some() {
                missing.help(help)
            } else {
                missing
            });
        }
        Some(Err(reason)) => {
            return Err(error(Problem::Unreadable {
                path: path_text(),
                reason: reason.to_string(),
            }));
        }
        Some(Ok(bytes)) => bytes,
    };
    match std::str::from_utf8(&bytes) {
        Ok(text) => Ok(SourceText::file(path, text)),
        Err(wrong) => Err(not_utf8(path, &bytes, wrong.valid_up_to())),
    }
}

/// Shows the text as far as it is one.
fn not_utf8(path: &str, bytes: &[u8], offset: usize) -> StackError {
    let valid = String::from_utf8_lossy(&bytes[..offset]);
    let source = SourceText::file(path, &format!("{valid}\u{fffd}"));
    let span = Span::new(
        &source,
        source.text.len() - '\u{fffd}'.len_utf8()..source.text.len(),
    );
    let line = source.line(span.start);
    let problem = Problem::NotUtf8 {
        path: path.to_string(),
        offset,
        line,
    };
    StackError::at(&span, problem, "here the text ends").help("save the file as UTF-8")
}

fn check_version(table: &Table, context: &Context<'_>) {
    let Some(node) = table.get("version") else {
        return;
    };
    match &node.value {
        Value::Integer { digits, radix: 10 } if digits == VERSION => {}
        Value::Integer { .. } => {
            let problem = Problem::UnsupportedVersion {
                found: node.span.text().to_string(),
            };
            let help = format!("this program reads version {VERSION}");
            context.report(StackError::at(&node.span, problem, "not known").help(help));
        }
        _ => context.report(wrong_type("version", "the whole number 1", node)),
    }
}

/// The environment's name: `--env`, else the files' own.
fn environment_name(choice: &Choice<'_>, merged: &Table) -> Sourced<String> {
    if let Some(name) = choice.environment {
        let text = format!("--env {name}");
        return Sourced::new(name.to_string(), Origin::CommandLine { text });
    }
    let node = merged
        .get("project")
        .and_then(Node::as_table)
        .and_then(|p| p.get("environment"));
    match node.map(|node| (&node.value, &node.span)) {
        Some((Value::Text(name), span)) => Sourced::new(name.clone(), Origin::from(span)),
        // Another type is reported where the project is read.
        _ => Sourced::default_of("production".to_string()),
    }
}

/// The table of the chosen environment. A name of `--env` that nothing knows is reported.
fn choose<'t>(
    choice: &Choice<'_>,
    environments: Option<&'t Entry>,
    environment: &Sourced<String>,
    context: &Context<'_>,
) -> Option<&'t Table> {
    let tables = environments.and_then(|entry| entry.node.as_table());
    if let Some(table) = tables.and_then(|tables| tables.get(&environment.value)) {
        return table.as_table();
    }
    let asked = choice.environment?;
    if asked == "production" {
        return None;
    }
    let option = SourceText::command_line("--env", asked);
    let span = Span::new(&option, 0..asked.len());
    let names = tables
        .iter()
        .flat_map(|tables| tables.entries.keys().map(String::as_str));
    let known: Vec<&str> = names.chain(["production"]).collect();
    context.unknown_name(&span, "environment", asked, known.iter().copied());
    None
}

/// All environments; what is none is reported.
fn environment_tables(environments: Option<&Entry>, context: &Context<'_>) -> Vec<(String, Table)> {
    let Some(entry) = environments else {
        return Vec::new();
    };
    let Some(tables) = entry.node.as_table() else {
        context.report(wrong_type("environments", "a table", &entry.node));
        return Vec::new();
    };
    let mut result = Vec::new();
    for (name, entry) in &tables.entries {
        if Reader::of_node(context, &ENVIRONMENT, name, &entry.node, &entry.key).is_some()
            && let Some(table) = entry.node.as_table()
        {
            result.push((name.clone(), known_part(table)));
        }
    }
    result
}

/// An environment without the keys that were reported already.
fn known_part(table: &Table) -> Table {
    let known = |(key, entry): (&String, &Entry)| {
        ENVIRONMENT
            .keys
            .contains(&key.as_str())
            .then(|| (key.clone(), entry.clone()))
    };
    Table {
        entries: table.entries.iter().filter_map(known).collect(),
    }
}

/// Reads `KEY=VALUE`: a dotted key, and a value of TOML or a text without quotes.
fn parse_set(option: &str) -> Result<(Arc<SourceText>, Table), StackErrors> {
    let source = SourceText::command_line("--set", option);
    let whole = Span::new(&source, 0..option.len());
    let refuse = |reason: &str| {
        let problem = Problem::Grammar {
            what: "--set",
            text: option.to_string(),
            reason: reason.into(),
        };
        StackErrors::from(
            StackError::at(&whole, problem, "here").help("write --set layers.lb.limit=90s"),
        )
    };
    let Some(equals) = option.find('=') else {
        return Err(refuse("a key and a value are needed"));
    };
    if option.contains(['\n', '\r']) {
        return Err(refuse("one line is needed"));
    }
    if let Ok(table) = parse(&source) {
        return Ok((source, table));
    }
    // Not a value of TOML: the key alone, with the rest as a text.
    let key = SourceText::command_line("--set", &format!("{}=\"\"", &option[..equals]));
    let mut table = parse(&key).map_err(|_| refuse("the key is not a dotted key"))?;
    let value = option[equals + 1..].trim();
    let start = option.len() - option[equals + 1..].trim_start().len();
    let text = Node {
        value: Value::Text(value.to_string()),
        span: Span::new(&source, start..start + value.len()),
    };
    put_at_the_end(&mut table, &source, text);
    Ok((source, table))
}

/// Replaces the one value of a dotted key, and moves the key's place to the option's own text.
/// The parser refuses keys of more than 80 parts, so this ends.
fn put_at_the_end(table: &mut Table, source: &Arc<SourceText>, value: Node) {
    let mut table = table;
    while let Some((_, entry)) = table.entries.first_mut() {
        entry.key = Span::new(source, entry.key.start..entry.key.end);
        if !matches!(entry.node.value, Value::Table(_)) {
            entry.node = value;
            return;
        }
        let Value::Table(inner) = &mut entry.node.value else {
            return;
        };
        table = inner;
    }
}

/// A list of texts with their places, for files that are named in the stack file.
pub(super) fn spanned_texts<'t>(
    root: &'t Table,
    table: &str,
    key: &str,
    context: &Context<'_>,
) -> Vec<(&'t str, &'t Span)> {
    let node = root
        .get(table)
        .and_then(Node::as_table)
        .and_then(|table| table.get(key));
    let Some(Value::Array(items)) = node.map(|node| &node.value) else {
        return Vec::new();
    };
    let is_text = |node: &&Node| matches!(node.value, Value::Text(_));
    let texts = items
        .iter()
        .filter(is_text)
        .filter_map(|node| text_of(context, key, node));
    texts.map(|text| (text.text, text.span)).collect()
}
