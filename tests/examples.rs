//! Every example prints what stands beside it, byte for byte: `expected.txt` (`check`, 100
//! columns, no colour), `expected.table.txt` (`table`), `expected.json`. With `OVERRUN_BLESS=1`
//! they are rewritten; read the difference before you commit it.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use overrun::cli::{self, Output};
use overrun::driver::terminal::Terminal;

const NO_TERMINAL: Terminal = Terminal {
    is_terminal: false,
    colours: false,
    own_width: false,
};

fn examples() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let entries = fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut found: Vec<PathBuf> = entries
        .filter(|path| path.join("overrun.toml").is_file())
        .collect();
    found.sort();
    found
}

fn run(words: &[&str], folder: &Path) -> Output {
    let words = ["overrun"].iter().chain(words).map(OsString::from);
    let output = cli::run(words.chain([folder.into()]), NO_TERMINAL);
    assert_eq!(output.err, "", "{}", folder.display());
    output
}

/// The first line that differs, to find one's way.
fn difference(expected: &str, found: &str) -> String {
    let lines = expected.lines().zip(found.lines()).enumerate();
    match lines
        .into_iter()
        .find(|(_, (expected, found))| expected != found)
    {
        Some((at, (expected, found))) => format!("line {}:\n- {expected}\n+ {found}", at + 1),
        None => format!(
            "{} lines were expected, there are {}",
            expected.lines().count(),
            found.lines().count()
        ),
    }
}

#[test]
fn what_they_print_is_what_is_expected() {
    let mut wrong = Vec::new();
    let examples = examples();
    assert!(examples.len() >= 4, "the examples were not found");
    for folder in &examples {
        let check = run(&["check"], folder);
        let json = run(&["check", "--format", "json"], folder);
        let table = run(&["table"], folder);
        assert_eq!(check.code, json.code, "{}", folder.display());
        assert_eq!(table.code, 0, "{}", folder.display());
        let value: serde_json::Value = serde_json::from_str(&json.out).unwrap();
        let errors = value["summary"]["errors"].as_u64().unwrap();
        assert_eq!(check.code, u8::from(errors > 0), "{}", folder.display());
        for (name, found) in [
            ("expected.txt", check.out),
            ("expected.table.txt", table.out),
            ("expected.json", json.out),
        ] {
            let file = folder.join(name);
            if std::env::var_os("OVERRUN_BLESS").is_some() {
                fs::write(&file, &found).unwrap();
            }
            let expected = fs::read_to_string(&file).unwrap_or_default();
            if expected != found {
                wrong.push(format!(
                    "{}: {}",
                    file.display(),
                    difference(&expected, &found)
                ));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{}\nOVERRUN_BLESS=1 cargo test --test examples rewrites them",
        wrong.join("\n\n")
    );
}

#[test]
fn human_output_stays_within_100_columns() {
    for folder in examples() {
        let output = run(&["check"], &folder);
        for line in output.out.lines() {
            assert!(line.chars().count() <= 100, "{}: {line}", folder.display());
        }
    }
}

#[test]
fn two_runs_print_the_same() {
    for folder in examples() {
        for words in [
            &["check", "--all"][..],
            &["check", "--format", "json"],
            &["table"],
            &["layers"],
        ] {
            assert_eq!(
                run(words, &folder),
                run(words, &folder),
                "{}",
                folder.display()
            );
        }
    }
}
