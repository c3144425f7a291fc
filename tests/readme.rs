//! The generated parts of the README: they stand between `<!-- NAME -->` and `<!-- /NAME -->`.
//! With `OVERRUN_BLESS=1` they are rewritten.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use overrun::cli;
use overrun::driver::terminal::Terminal;

const NO_TERMINAL: Terminal = Terminal {
    is_terminal: false,
    colours: false,
    own_width: false,
};

/// The part of the README with this name is `text`.
fn holds(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = fs::read_to_string(&path).unwrap();
    let (begin, end) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
    let from = readme
        .find(&begin)
        .unwrap_or_else(|| panic!("README.md has no {begin}"))
        + begin.len();
    let to = from
        + readme[from..]
            .find(&end)
            .unwrap_or_else(|| panic!("README.md has no {end}"));
    if std::env::var_os("OVERRUN_BLESS").is_some() && readme[from..to] != *text {
        fs::write(&path, format!("{}{text}{}", &readme[..from], &readme[to..])).unwrap();
        return;
    }
    assert_eq!(
        &readme[from..to],
        text,
        "OVERRUN_BLESS=1 cargo test --test readme rewrites it"
    );
}

/// What `check examples/order-service` prints first: one diagnostic with its code.
fn first_diagnostic() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/order-service");
    let words = ["overrun", "check"]
        .iter()
        .map(OsString::from)
        .chain([folder.into()]);
    let output = cli::run(words, NO_TERMINAL);
    assert_eq!(output.code, 1, "{}", output.err);
    let lines: Vec<&str> = output.out.lines().collect();
    let heads = |line: &&str| line.starts_with("error[") || line.starts_with("warning[");
    let from = lines.iter().position(heads).expect("a diagnostic");
    let to = lines[from + 1..]
        .iter()
        .position(heads)
        .map_or(lines.len(), |at| from + 1 + at);
    lines[from..to].join("\n").trim_end().to_string()
}

#[test]
fn the_readme_says_what_the_program_says() {
    holds(
        "diagnostic",
        &format!("```text\n{}\n```\n", first_diagnostic()),
    );
    holds("lints", &overrun::lints::lint_table());
}

#[test]
fn the_two_commands_stand_on_lines_of_their_own() {
    let readme =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let screen: Vec<&str> = readme.lines().take(80).collect();
    assert!(
        screen.iter().any(|line| line.starts_with("cargo run ")),
        "{screen:?}"
    );
    assert!(screen.contains(&"cargo test"), "{screen:?}");
}
