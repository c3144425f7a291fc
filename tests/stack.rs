//! The stack: whole files in, with what a user sees when one is wrong.
//!
//! `tests/stack/bad/NAME` holds files and the expected message. `options.txt` there gives options
//! of the command line, one a line. `OVERRUN_BLESS=1` writes the messages anew.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use overrun::rules::platform::Platforms;
use overrun::stack::{Files, Stack, StackErrors, StackOptions};

/// Lints that the fixtures may name; the real list is handed in by the program.
const LINTS: [&str; 4] = [
    "budget-exceeded",
    "hidden-retry",
    "thin-slack",
    "unbounded-wait",
];

#[path = "stack/lockfiles.rs"]
mod lockfiles;
#[path = "stack/whole.rs"]
mod whole;

type InMemory = BTreeMap<String, Vec<u8>>;

fn fixtures() -> PathBuf {
    // Beside this file, from wherever the tests run.
    let beside = Path::new(file!()).with_extension("");
    if beside.is_dir() {
        beside
    } else {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stack")
    }
}

fn platforms() -> Platforms {
    Platforms::embedded().unwrap_or_else(|error| panic!("{error}"))
}

fn folder_files(folder: &Path, prefix: &str, into: &mut InMemory) {
    let entries =
        fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for entry in entries.map(|entry| entry.unwrap_or_else(|error| panic!("{error}"))) {
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            folder_files(&entry.path(), &format!("{name}/"), into);
        } else {
            let bytes = fs::read(entry.path()).unwrap_or_else(|error| panic!("{name}: {error}"));
            into.insert(name, bytes);
        }
    }
}

#[derive(Default)]
struct Options {
    stack: Option<String>,
    environment: Option<String>,
    env_files: Vec<String>,
    set: Vec<String>,
}

fn options(files: &InMemory) -> Options {
    let mut options = Options {
        stack: Some("overrun.toml".into()),
        ..Options::default()
    };
    let text = files
        .get("options.txt")
        .map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    for line in text.unwrap_or_default().lines() {
        match line.split_once(' ') {
            Some(("--stack", value)) => options.stack = Some(value.into()),
            Some(("--env", value)) => options.environment = Some(value.into()),
            Some(("--env-file", value)) => options.env_files.push(value.into()),
            Some(("--set", value)) => options.set.push(value.into()),
            _ => panic!("{line} is no option"),
        }
    }
    options
}

fn load_with(files: &dyn Files, options: &Options) -> Result<Stack, StackErrors> {
    let platforms = platforms();
    let options = StackOptions {
        stack: options.stack.as_deref(),
        environment: options.environment.as_deref(),
        env_files: &options.env_files,
        set: &options.set,
        lints: &LINTS,
        platforms: &platforms,
    };
    Stack::load(&options, files)
}

fn load(text: &str) -> Result<Stack, StackErrors> {
    let files = InMemory::from([("overrun.toml".to_string(), text.as_bytes().to_vec())]);
    load_with(&files, &options(&files))
}

fn loaded(text: &str) -> Stack {
    load(text).unwrap_or_else(|errors| panic!("{}", rendered(&errors)))
}

fn rendered(errors: &StackErrors) -> String {
    let theme = miette::GraphicalTheme::unicode_nocolor();
    let handler = miette::GraphicalReportHandler::new_themed(theme)
        .with_width(100)
        .without_cause_chain();
    let mut text = String::new();
    handler
        .render_report(&mut text, errors)
        .unwrap_or_else(|error| panic!("{error}"));
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n").trim_start_matches('\n').to_string() + "\n"
}

#[test]
fn every_wrong_stack_has_its_message() {
    let folder = fixtures().join("bad");
    let bless = std::env::var_os("OVERRUN_BLESS").is_some();
    let mut names: Vec<PathBuf> = fs::read_dir(&folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    names.sort();
    assert!(
        names.len() >= 20,
        "the fixtures of {} are gone",
        folder.display()
    );
    let mut different = Vec::new();
    for case in names {
        let mut files = InMemory::new();
        folder_files(&case, "", &mut files);
        let message = match load_with(&files, &options(&files)) {
            Ok(_) => "no error\n".to_string(),
            Err(errors) => rendered(&errors),
        };
        assert_ne!(message, "no error\n", "{} is not wrong", case.display());
        if bless {
            fs::write(case.join("expected.txt"), &message)
                .unwrap_or_else(|error| panic!("{error}"));
        } else if files.get("expected.txt").map(Vec::as_slice) != Some(message.as_bytes()) {
            different.push(format!("{}\n{message}", case.display()));
        }
    }
    assert!(
        different.is_empty(),
        "messages differ:\n{}",
        different.join("\n")
    );
}
