//! The functions file of a platform: `vercel.json`. Its limits and defaults are in the rules.

use std::sync::Arc;

use super::document::{Node, Value};
use super::error::{Problem, StackError};
use super::json::parse_json;
use super::origin::{Origin, Sourced};
use super::source::{Place, SourceText};

/// What the file says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FunctionsFile {
    /// Its path.
    pub path: String,
    /// The entries in the order of the file: the first that matches wins as a whole.
    pub functions: Vec<FunctionEntry>,
    /// What a clock starts.
    pub crons: Vec<Cron>,
    /// Whether the mode `fluid` is on.
    pub fluid: Option<Sourced<bool>>,
}

/// An entry of `functions`.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionEntry {
    /// A path or a glob of source files, relative to the file's folder.
    pub glob: String,
    /// The longest run.
    pub max_duration: Option<Sourced<MaxDuration>>,
    /// The runtime.
    pub runtime: Option<Sourced<String>>,
    /// Where the glob stands.
    pub place: Place,
}

/// The longest run that a project asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MaxDuration {
    /// Whole seconds, at least one.
    Seconds(u32),
    /// As much as the plan gives.
    Greatest,
    /// Something that the platform refuses: not whole, not positive, or not a number.
    Invalid,
}

/// An entry of `crons`.
#[derive(Clone, Debug, PartialEq)]
pub struct Cron {
    /// The path that is asked for, by GET.
    pub path: String,
    /// The schedule, in five fields.
    pub schedule: Sourced<String>,
    /// Where it stands.
    pub place: Place,
}

impl FunctionsFile {
    /// Reads the file. Keys that say nothing of time (`regions`, `memory`) are passed over.
    ///
    /// # Errors
    ///
    /// A text that is not JSON, and one that is no table.
    pub fn parse(source: &Arc<SourceText>) -> Result<FunctionsFile, StackError> {
        let root = parse_json(source)?;
        if root.as_table().is_none() {
            let message = "the file is a table".to_string();
            let problem = Problem::Syntax {
                format: "a functions file",
                message,
            };
            return Err(StackError::at(&root.span, problem, "here"));
        }
        let functions = root.get("functions").and_then(Node::as_table);
        let function = |(glob, entry): (&String, &super::document::Entry)| FunctionEntry {
            glob: glob.clone(),
            max_duration: entry.node.get("maxDuration").map(max_duration),
            runtime: entry.node.get("runtime").and_then(sourced_text),
            place: entry.key.place(),
        };
        let entries = functions
            .into_iter()
            .flat_map(|functions| &functions.entries);
        let crons = root
            .get("crons")
            .and_then(Node::as_array)
            .unwrap_or_default();
        Ok(FunctionsFile {
            path: source.path.to_string(),
            functions: entries.map(function).collect(),
            crons: crons.iter().filter_map(cron).collect(),
            fluid: root.get("fluid").and_then(|node| match node.value {
                Value::Boolean(value) => Some(Sourced::new(value, Origin::from(&node.span))),
                _ => None,
            }),
        })
    }

    /// The first entry that is this source file or a glob of it.
    pub fn entry(&self, source_path: &str) -> Option<&FunctionEntry> {
        let folder = super::files::folder(&self.path);
        let below = match folder {
            "" => source_path,
            folder => source_path.strip_prefix(folder)?.strip_prefix('/')?,
        };
        self.functions.iter().find(|entry| entry.matches(below))
    }
}

impl FunctionEntry {
    /// Whether the entry speaks of a file. Its key may be the file's own name, in which brackets
    /// are a parameter and not a class of signs.
    fn matches(&self, path: &str) -> bool {
        let glob = self.glob.trim_start_matches("./").trim_start_matches('/');
        let compiled = globset::GlobBuilder::new(glob)
            .literal_separator(true)
            .build();
        glob == path || compiled.is_ok_and(|glob| glob.compile_matcher().is_match(path))
    }
}

fn sourced_text(node: &Node) -> Option<Sourced<String>> {
    node.as_text()
        .map(|text| Sourced::new(text.to_string(), Origin::from(&node.span)))
}

fn max_duration(node: &Node) -> Sourced<MaxDuration> {
    let value = match &node.value {
        Value::Integer { digits, .. } => match digits.parse::<u32>() {
            Ok(seconds) if seconds > 0 => MaxDuration::Seconds(seconds),
            _ => MaxDuration::Invalid,
        },
        Value::Text(text) if text == "max" => MaxDuration::Greatest,
        _ => MaxDuration::Invalid,
    };
    Sourced::new(value, Origin::from(&node.span))
}

fn cron(node: &Node) -> Option<Cron> {
    Some(Cron {
        path: node.get("path")?.as_text()?.to_string(),
        schedule: sourced_text(node.get("schedule")?)?,
        place: node.span.place(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> FunctionsFile {
        FunctionsFile::parse(&SourceText::file(path, text)).unwrap_or_else(|e| panic!("{e}"))
    }

    #[test]
    fn the_first_entry_that_matches_wins_as_a_whole() {
        let file = file(
            "vercel.json",
            "{\"functions\": {\n\"app/api/a/*\": {\"memory\": 1024},\n\
             \"app/api/**/*\": {\"maxDuration\": 30, \"regions\": [\"x\"]},\n\
             \"app/api/**\": {\"maxDuration\": 60}}}",
        );
        let line = |path: &str| file.entry(path).map(|entry| entry.place.line);
        assert_eq!(line("app/api/a/route.ts"), Some(2));
        assert_eq!(line("app/api/a/b/route.ts"), Some(3));
        assert_eq!(
            line("app/api/route.ts"),
            Some(3),
            "** is also no folder at all"
        );
        assert_eq!(line("pages/api/a.ts"), None);
        let memory_only = file
            .entry("app/api/a/route.ts")
            .and_then(|e| e.max_duration.clone());
        assert_eq!(memory_only, None);
    }

    #[test]
    fn a_key_with_brackets_is_the_file_of_that_name() {
        let file = file(
            "vercel.json",
            "{\"functions\": {\"app/[id]/route.ts\": {\"maxDuration\": 5}}}",
        );
        assert!(file.entry("app/[id]/route.ts").is_some());
    }

    #[test]
    fn a_file_in_a_folder_speaks_of_that_folder() {
        let file = file(
            "apps/web/vercel.json",
            "{\"functions\": {\"api/*\": {\"maxDuration\": 5}}}",
        );
        assert!(file.entry("apps/web/api/x.ts").is_some());
        assert!(file.entry("api/x.ts").is_none());
        assert!(file.entry("apps/webshop/api/x.ts").is_none());
    }

    #[test]
    fn durations_crons_and_the_mode() {
        let file = file(
            "vercel.json",
            "{\"fluid\": false, \"crons\": [{\"path\": \"/api/c\", \"schedule\": \"0 * * * *\"}, 3],\n\
             \"functions\": {\"a\": {\"maxDuration\": \"max\"}, \"b\": {\"maxDuration\": 0},\n\
             \"c\": {\"maxDuration\": 1.5}, \"d\": {\"maxDuration\": 99999999999}, \"e\": 4}}",
        );
        let durations: Vec<_> = file
            .functions
            .iter()
            .map(|entry| entry.max_duration.as_ref().map(|d| d.value))
            .collect();
        let (invalid, greatest) = (Some(MaxDuration::Invalid), Some(MaxDuration::Greatest));
        assert_eq!(durations, [greatest, invalid, invalid, invalid, None]);
        assert_eq!(file.crons.len(), 1);
        assert_eq!(
            file.fluid.map(|f| (f.value, f.origin.to_string())),
            Some((false, "vercel.json:1".into()))
        );
    }

    #[test]
    fn a_broken_file_is_an_error_with_its_place() {
        let error = FunctionsFile::parse(&SourceText::file("vercel.json", "{\n\"functions\": {\n"));
        assert_eq!(
            error
                .err()
                .and_then(|e| e.place())
                .map(|p| p.path.to_string()),
            Some("vercel.json".into())
        );
        assert!(FunctionsFile::parse(&SourceText::file("vercel.json", "[]")).is_err());
    }
}
