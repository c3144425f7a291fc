//! The program as it is called: exit codes, where output goes, and input of every kind.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// A project of its own in a folder of its own.
struct Project {
    root: PathBuf,
}

impl Project {
    fn new(name: &str, files: &[(&str, &str)]) -> Project {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join("cli")
            .join(name);
        let _ = fs::remove_dir_all(&root);
        fs::create_dir_all(root.join(".git")).unwrap();
        let project = Project { root };
        for (path, text) in files {
            project.write(path, text);
        }
        project
    }

    fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn run(&self, words: &[&str]) -> Output {
        run_in(&self.root, words)
    }
}

fn run_in(folder: &Path, words: &[&str]) -> Output {
    program(words).current_dir(folder).output().unwrap()
}

fn program(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_overrun"));
    command.args(words);
    command
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// The run was not done, says why on standard error, and nothing on standard output.
fn refused(output: &Output, says: &[&str]) {
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert_eq!(out(output), "");
    for text in says {
        assert!(err(output).contains(text), "{text}: {}", err(output));
    }
}

fn json(output: &Output) -> Value {
    serde_json::from_str(&out(output)).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

const DECLARED: &str = r#"version = 1
[layers.lb]
kind = "gateway"
limit = "LIMIT"
[dependencies.db]
attempt = "5s"
[[routes]]
match = "GET /x"
within = ["lb"]
calls = ["db.read"]
"#;

fn declared(limit: &str) -> String {
    DECLARED.replace("LIMIT", limit)
}

#[test]
fn wrong_usage_exits_2() {
    let project = Project::new("usage", &[]);
    refused(
        &project.run(&["check", "--no-such-option"]),
        &["--no-such-option"],
    );
    refused(&project.run(&["chek"]), &["chek", "check"]);
    refused(
        &project.run(&["check", "--fail-on", "sometimes"]),
        &["sometimes", "never"],
    );
    refused(&project.run(&[]), &["check", "table", "explain"]);
    refused(
        &project.run(&["check", "--quiet", "--verbose"]),
        &["--quiet"],
    );
}

#[test]
fn help_and_version_exit_0() {
    let project = Project::new("help", &[]);
    for words in [&["--help"][..], &["check", "--help"], &["--version"]] {
        let output = project.run(words);
        assert_eq!(output.status.code(), Some(0));
        assert!(!out(&output).is_empty() && err(&output).is_empty());
        assert!(
            out(&output).lines().all(|line| line.chars().count() <= 100),
            "{}",
            out(&output)
        );
    }
}

#[test]
fn a_path_that_is_no_project_exits_2() {
    let project = Project::new("path", &[("a.txt", "x")]);
    refused(&project.run(&["check", "nowhere"]), &["nowhere"]);
    refused(
        &project.run(&["check", "a.txt"]),
        &["a.txt", "not a folder"],
    );
    refused(
        &project.run(&["check", "--stack", "nowhere.toml"]),
        &["nowhere.toml"],
    );
    refused(&project.run(&["check", "--stack", "."]), &["not a file"]);
    refused(
        &project.run(&["check", "--env-file", ".env.nowhere"]),
        &[".env.nowhere"],
    );
    refused(&project.run(&["table", "nowhere"]), &["nowhere"]);
}

#[test]
fn a_wrong_stack_file_exits_2_and_shows_the_line() {
    for (name, text, says) in [
        (
            "unknown-key",
            &b"version = 1\n[project]\nincludes = []\n"[..],
            &["includes", "include", "overrun.toml:3"][..],
        ),
        (
            "bare-number",
            b"version = 1\n[layers.lb]\nkind = \"gateway\"\nlimit = 60\n",
            &["60", "overrun.toml:4"],
        ),
        (
            "cycle",
            b"version = 1\nextends = \"overrun.toml\"\n",
            &["extends", "overrun.toml:2"],
        ),
        (
            "huge",
            b"version = 1\n[project]\nmargin = \"99999999999999999999d\"\n",
            &["margin", "overrun.toml:3"],
        ),
        ("not-utf8", b"version = 1\n# \xff\n", &["UTF-8"]),
        ("not-toml", b"version = [\n", &["overrun.toml"]),
    ] {
        let project = Project::new(&format!("stack-{name}"), &[]);
        project.write("overrun.toml", text);
        for command in ["check", "table", "layers"] {
            refused(&project.run(&[command]), says);
        }
    }
}

#[test]
fn findings_decide_the_exit_code_of_check_alone() {
    let project = Project::new("exit", &[("overrun.toml", &declared("3s"))]);
    assert_eq!(project.run(&["check"]).status.code(), Some(1));
    assert_eq!(
        project.run(&["check", "--fail-on", "never"]).status.code(),
        Some(0)
    );
    for words in [
        &["table"][..],
        &["explain", "GET /x"],
        &["layers"],
        &["rules", "list"],
    ] {
        assert_eq!(project.run(words).status.code(), Some(0), "{words:?}");
    }
    let fits = Project::new("exit-fits", &[("overrun.toml", &declared("30s"))]);
    let output = fits.run(&["check"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(err(&output), "");
}

#[test]
fn a_key_of_the_command_line_is_stronger_than_the_file() {
    let project = Project::new("set", &[("overrun.toml", &declared("3s"))]);
    assert_eq!(
        project
            .run(&["check", "--set", "layers.lb.limit=30s"])
            .status
            .code(),
        Some(0)
    );
    refused(
        &project.run(&["check", "--set", "layers.lb.limt=30s"]),
        &["limt", "limit"],
    );
    refused(
        &project.run(&["check", "--set", "layers.lb.limit=30"]),
        &["30"],
    );
    refused(&project.run(&["check", "--set", "layers"]), &["--set"]);
}

#[test]
fn cargo_drops_its_word() {
    let project = Project::new("cargo", &[("overrun.toml", &declared("3s"))]);
    let cargo = |words: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_cargo-overrun"))
            .args(words)
            .current_dir(&project.root)
            .output()
            .unwrap()
    };
    assert_eq!(cargo(&["overrun", "check"]), project.run(&["check"]));
    assert_eq!(cargo(&["check"]).status.code(), Some(1));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut child = program(&["check", "--format", "json"])
        .arg(root().join("examples/order-service"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(err(&output), "");
}

#[test]
fn the_nearest_stack_file_up_to_the_repository_is_found() {
    let project = Project::new(
        "lookup/outer",
        &[("overrun.toml", &declared("3s")), ("src/deep/a.txt", "")],
    );
    assert_eq!(
        out(&project.run(&["table", "src/deep"])),
        out(&project.run(&["table"]))
    );
    // Another repository inside is not part of it.
    fs::create_dir_all(project.root.join("src/.git")).unwrap();
    assert!(!out(&project.run(&["table", "src/deep"])).contains("GET /x"));
}

#[test]
fn a_stack_file_may_lie_outside() {
    let stack = Project::new("outside/stack", &[("case.toml", &declared("3s"))]);
    let code = Project::new("outside/code", &[("a.txt", "")]);
    let output = code.run(&["check", ".", "--stack", "../stack/case.toml"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(
        out(&output).contains("../stack/case.toml"),
        "{}",
        out(&output)
    );
    drop(stack);
}

#[test]
fn environments_and_environment_files_are_named() {
    let text = format!(
        "{}\n[environments.preview]\nlayers.lb.limit = \"30s\"\n",
        declared("3s")
    );
    let project = Project::new(
        "environment",
        &[
            ("overrun.toml", &text),
            ("a.env", "A=1\n"),
            ("bad.env", "=\n"),
        ],
    );
    assert_eq!(
        project.run(&["check", "--env", "preview"]).status.code(),
        Some(0)
    );
    refused(
        &project.run(&["check", "--env", "previw"]),
        &["previw", "preview"],
    );
    assert_eq!(
        project.run(&["check", "--env-file", "a.env"]).status.code(),
        Some(1)
    );
    refused(
        &project.run(&["check", "--env-file", "bad.env"]),
        &["bad.env"],
    );
}

#[test]
fn explain_knows_routes_and_lints_and_what_was_meant() {
    let project = Project::new("explain", &[("overrun.toml", &declared("3s"))]);
    let route = project.run(&["explain", "GET /x"]);
    for text in [
        "worst case 5 s",
        "2 s too long",
        "overrun.toml:4",
        "overrun.toml:6",
    ] {
        assert!(out(&route).contains(text), "{text}: {}", out(&route));
    }
    assert_eq!(out(&project.run(&["explain", "get /x/"])), out(&route));
    let lint = project.run(&["explain", "hidden-retry"]);
    for text in ["What it says", "Why it hurts", "Example", "How to fix it"] {
        assert!(out(&lint).contains(text), "{text}: {}", out(&lint));
    }
    refused(
        &project.run(&["explain", "GET /y"]),
        &["GET /y", "did you mean `GET /x`?"],
    );
    refused(
        &project.run(&["explain", "hiden-retry"]),
        &["did you mean `hidden-retry`?"],
    );
    refused(&project.run(&["explain", "qqqqqqqq"]), &["overrun table"]);
}

#[test]
fn rules_are_listed_shown_and_checked() {
    let project = Project::new("rules", &[]);
    let list = out(&project.run(&["rules", "list"]));
    assert!(list.lines().count() > 5, "{list}");
    let rows = list.lines().skip(1).filter(|line| !line.starts_with(' '));
    for name in rows.filter_map(|line| line.split_whitespace().next()) {
        let shown = project.run(&["rules", "show", name]);
        assert_eq!(shown.status.code(), Some(0), "{name}: {shown:?}");
        assert!(
            out(&shown).contains("evidence") || out(&shown).contains('('),
            "{name}: {}",
            out(&shown)
        );
    }
    refused(
        &project.run(&["rules", "show", "qqqqqqqq"]),
        &["overrun rules list"],
    );
    let own = root().join("rules");
    let checked = project.run(&["rules", "check", own.to_str().unwrap()]);
    assert_eq!(checked.status.code(), Some(0), "{checked:?}");

    let pack = |text: &str| Project::new("rules-own", &[("packs/npm/x.toml", text)]);
    let good = pack("package = \"x\"\nsummary = \"X\"\n").run(&["rules", "check", "packs"]);
    assert_eq!(
        (good.status.code(), out(&good).as_str()),
        (Some(0), "1 pack: nothing wrong\n")
    );
    let wrong =
        pack("package = \"x\"\nsummary = \"X\"\ncolour = 1\n").run(&["rules", "check", "packs"]);
    assert_eq!(wrong.status.code(), Some(1), "{wrong:?}");
    assert!(
        out(&wrong).contains("npm/x.toml:3") && out(&wrong).contains("colour"),
        "{}",
        out(&wrong)
    );
    refused(&project.run(&["rules", "check", "nowhere"]), &["nowhere"]);
    let empty = Project::new("rules-empty", &[("packs/a.txt", "")]);
    refused(&empty.run(&["rules", "check", "packs"]), &["packs"]);
}

#[test]
fn a_project_may_have_rule_packs_of_its_own() {
    let source = "import { ask } from \"oracle\";\nexport async function GET() { await ask(); }\n";
    let pack = "package = \"oracle\"\nsummary = \"answers at once\"\nno-wait = [{ name = \"oracle\", evidence = \"read\" }]\n";
    let project = Project::new("own-packs", &[("app/api/x/route.ts", source)]);
    let unmodelled =
        || json(&project.run(&["check", "--format", "json"]))["routes"][0]["unmodelled"].clone();
    project.write("overrun.toml", "version = 1\n");
    assert_eq!(unmodelled(), 1);
    project.write(
        "overrun.toml",
        "version = 1\n[project]\nrules = [\"packs\"]\n",
    );
    let missing = project.run(&["check"]);
    refused(&missing, &["packs", "overrun.toml:3"]);
    project.write("packs/npm/oracle.toml", pack);
    assert_eq!(unmodelled(), 0);
    project.write("packs/npm/oracle.toml", format!("{pack}unheard = 1\n"));
    let wrong = project.run(&["check"]);
    refused(&wrong, &["npm/oracle.toml:4", "unheard", "overrun.toml:3"]);
    project.write("packs/npm/oracle.toml", pack);
    project.write("packs/platforms/own.toml", "");
    refused(&project.run(&["check"]), &["platforms/own.toml"]);
}

#[test]
fn colours_are_used_where_they_are_asked_for() {
    let project = Project::new("colours", &[("overrun.toml", &declared("3s"))]);
    assert!(
        !out(&project.run(&["check"])).contains('\u{1b}'),
        "not a terminal"
    );
    assert!(out(&project.run(&["check", "--color", "always"])).contains('\u{1b}'));
    assert!(!out(&project.run(&["check", "--color", "never"])).contains('\u{1b}'));
}

#[test]
fn a_run_without_outer_limits_says_so() {
    let text = declared("3s").replace("within = [\"lb\"]\n", "");
    let project = Project::new("no-limits", &[("overrun.toml", &text)]);
    let output = project.run(&["check"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(
        out(&output)
            .lines()
            .last()
            .is_some_and(|line| line.starts_with("no outer limit is known")),
        "{}",
        out(&output)
    );
}

#[test]
fn plain_is_one_line_a_finding() {
    let project = Project::new("plain", &[("overrun.toml", &declared("3s"))]);
    let output = project.run(&["check", "--format", "plain"]);
    let first = out(&output).lines().next().unwrap_or_default().to_string();
    assert!(
        first.starts_with("overrun.toml:8:") && first.contains(": error[budget-exceeded] "),
        "{first}"
    );
    assert!(err(&output).contains("1 route"), "{}", err(&output));
    assert_eq!(
        err(&project.run(&["check", "--format", "plain", "--quiet"])),
        ""
    );
}

#[test]
fn names_cannot_steer_a_terminal() {
    let hostile = "GET /\\u001b[2J\\u009b31m\\u202Ex|`<b>";
    let text = declared("3s")
        .replace("GET /x", hostile)
        .replace("lb", "\"l\\u001b]0;b\"")
        .replace("[\"\"l", "[\"l")
        .replace("b\"\"]", "b\"]");
    let project = Project::new("hostile-names", &[("overrun.toml", &text)]);
    for words in [
        &["check"][..],
        &["check", "--format", "plain"],
        &["check", "--format", "json"],
        &["table"],
        &["table", "--format", "markdown"],
        &["table", "--format", "csv"],
        &["layers"],
        &["check", "--verbose"],
    ] {
        let output = project.run(words);
        assert_ne!(output.status.code(), Some(2), "{words:?}: {output:?}");
        for text in [out(&output), err(&output)] {
            let acts = |c: char| (c.is_control() && !matches!(c, '\n' | '\r')) || c == '\u{202e}';
            assert!(!text.contains(acts), "{words:?}: {text:?}");
        }
    }
    assert_eq!(
        json(&project.run(&["check", "--format", "json"]))["routes"][0]["route"],
        "GET /\u{1b}[2J\u{9b}31m\u{202e}x|`<b>"
    );
    // An error message holds the hostile text as well.
    let wrong = Project::new(
        "hostile-errors",
        &[(
            "overrun.toml",
            "version = 1\n\"\\u001b[2J\" = 1\n# \u{1b}[31m\n",
        )],
    );
    let output = wrong.run(&["check"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(!err(&output).contains('\u{1b}'), "{:?}", err(&output));
}

/// What `--verbose` says of the sources.
fn sources(output: &Output) -> String {
    err(output)
        .lines()
        .find(|line| line.contains("sources"))
        .unwrap_or_default()
        .to_string()
}

#[test]
fn the_walk_takes_what_is_the_projects_own() {
    let project = Project::new(
        "walk",
        &[
            (
                "overrun.toml",
                "version = 1\n[project]\nexclude = [\"**/*.gen.ts\"]\n",
            ),
            (".gitignore", "built/\n"),
            ("a.ts", "export const a = 1;"),
            ("b.gen.ts", "export const b = 1;"),
            ("built/c.ts", "export const c = 1;"),
            ("node_modules/d/index.js", "module.exports = 1;"),
            (".hidden/e.ts", "export const e = 1;"),
            ("tests/f.test.ts", "export const f = 1;"),
            ("other/overrun.toml", "version = 1\n"),
            ("other/g.ts", "export const g = 1;"),
        ],
    );
    let output = project.run(&["check", "--verbose"]);
    assert_eq!(
        sources(&output),
        "2 sources, 1 of them may give routes",
        "{}",
        err(&output)
    );
    assert!(
        err(&output).contains("left out, a project of its own: other"),
        "{}",
        err(&output)
    );
}

#[cfg(unix)]
#[test]
fn links_in_a_circle_and_names_that_are_no_text() {
    use std::os::unix::ffi::OsStringExt;
    let project = Project::new(
        "links",
        &[
            ("overrun.toml", "version = 1\n"),
            ("a/b.ts", "export const b = 1;"),
        ],
    );
    std::os::unix::fs::symlink("..", project.root.join("a/up")).unwrap();
    std::os::unix::fs::symlink("self.ts", project.root.join("self.ts")).unwrap();
    let name = OsString::from_vec(b"c\xff.ts".to_vec());
    fs::write(project.root.join(name), "export const c = 1;").unwrap();
    let output = project.run(&["check", "--verbose"]);
    assert_ne!(output.status.code(), Some(2), "{output:?}");
    assert!(
        sources(&output).starts_with("1 sources"),
        "{}",
        err(&output)
    );
    assert!(
        out(&output).contains("unreadable-source"),
        "{}",
        out(&output)
    );
}
