//! The front end: each fixture of `tests/lang/lower` lowers to the `.txt` beside it
//! (`OVERRUN_BLESS=1` rewrites them; read the difference before you commit it).

#[path = "lang/annotations.rs"]
mod annotations;
#[path = "lang/attributes.rs"]
mod attributes;
#[path = "lang/doing.rs"]
mod doing;
#[path = "lang/dump.rs"]
mod dump;
#[path = "lang/hostile.rs"]
mod hostile;
#[path = "lang/resolution.rs"]
mod resolution;
#[path = "lang/rust.rs"]
mod rust;
#[path = "lang/rust_resolution.rs"]
mod rust_resolution;

use std::path::{Path, PathBuf};

use overrun::lang::lower;
use overrun::program::Module;
use oxc_allocator::Allocator;
use oxc_parser::{Kind, ParseOptions, Parser, config::TokensParserConfig};
use oxc_span::SourceType;

/// Runs a check where deep recursion would overflow the stack.
fn on_a_small_stack(check: impl FnOnce() + Send + 'static) {
    let small = std::thread::Builder::new().stack_size(512 * 1024);
    let run = small.spawn(check).expect("a thread");
    run.join().expect("no panic");
}

fn fixtures() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lang/lower");
    let folder = if folder.exists() {
        folder
    } else {
        repository().join("tests/lang/lower")
    };
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder of fixtures")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension != "txt"))
        .collect();
    files.sort();
    assert!(files.len() >= 10, "fixtures are missing");
    files
}

/// The repository, when the tests are built by a manifest that lies elsewhere.
fn repository() -> PathBuf {
    let file = Path::new(file!());
    file.ancestors()
        .nth(2)
        .unwrap_or(Path::new("."))
        .to_path_buf()
}

fn module_of(path: &Path) -> Module {
    let bytes = std::fs::read(path).expect("a fixture");
    let name = path
        .file_name()
        .and_then(|name| name.to_str())
        .expect("a name");
    lower(name, &bytes)
}

#[test]
fn fixtures_lower_as_expected() {
    let bless = std::env::var_os("OVERRUN_BLESS").is_some();
    let mut differ = Vec::new();
    for path in fixtures() {
        let found = dump::dump(&module_of(&path));
        let expected_path = PathBuf::from(format!("{}.txt", path.display()));
        let expected = std::fs::read_to_string(&expected_path).unwrap_or_default();
        if bless {
            std::fs::write(&expected_path, &found).expect("write the expected file");
        } else if found != expected {
            differ.push(format!(
                "{}:\n{}",
                path.display(),
                difference(&expected, &found)
            ));
        }
    }
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}

/// The first line that differs.
fn difference(expected: &str, found: &str) -> String {
    let mut lines = (1..).zip(expected.lines().map(Some).chain(std::iter::repeat(None)));
    let mut found = found.lines();
    loop {
        let (number, expected) = lines.next().unwrap_or((0, None));
        let found = found.next();
        if expected != found || expected.is_none() {
            return format!("line {number}\n  expected {expected:?}\n  found    {found:?}");
        }
    }
}

/// How many `await` and `yield` tokens a text has, by the parser's own tokens.
pub fn written_waits(name: &str, text: &str) -> usize {
    let allocator = Allocator::default();
    let source_type = SourceType::from_path(name).expect("a known extension");
    let markup = source_type.is_javascript() || source_type.is_jsx();
    let source_type = source_type.with_jsx(markup);
    let options = ParseOptions {
        allow_return_outside_function: true,
        ..ParseOptions::default()
    };
    let parsed = Parser::new(&allocator, text, source_type)
        .with_options(options)
        .with_config(TokensParserConfig)
        .parse();
    let waits = |token: &&oxc_parser::Token| matches!(token.kind(), Kind::Await | Kind::Yield);
    assert!(!parsed.panicked, "{name} does not parse");
    parsed.tokens.iter().filter(waits).count()
}

#[test]
fn no_await_is_lost() {
    let mut total = 0;
    for path in fixtures() {
        let bytes = std::fs::read(&path).expect("a fixture");
        let Ok(text) = std::str::from_utf8(&bytes) else {
            continue;
        };
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .expect("a name");
        if name.starts_with("broken") {
            continue;
        }
        let module = module_of(&path);
        let kept = module
            .functions
            .iter()
            .map(|function| function.awaits.len())
            .sum::<usize>();
        let kept = kept + module.awaits.len();
        let written = written_waits(name, text.trim_start_matches('\u{FEFF}'));
        assert_eq!(kept, written, "{name}: awaits kept and written");
        total += written;
    }
    assert!(total > 40, "the fixtures hold {total} awaits only");
}

#[test]
fn modules_survive_serialisation() {
    for path in fixtures() {
        let module = module_of(&path);
        let text = serde_json::to_string(&module).expect("serialises");
        let back: Module = serde_json::from_str(&text).expect("deserialises");
        assert_eq!(back, module, "{}", path.display());
    }
}
