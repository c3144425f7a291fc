//! Lints about the project as a whole, allows and levels.

use overrun::cost::Term;
use overrun::evaluate::{Remark, SiteKind, UnmodelledInfo};
use overrun::lints::Level;

use crate::program::{Program, at, say, secs};

fn silent(found: Vec<String>) {
    assert_eq!(found, Vec::<String>::new());
}

/// A route with one read.
fn fine() -> Program {
    let mut program = Program::new();
    let read = program.read(12, "orders", 5);
    program.route("GET /a", 10, read);
    program
}

#[test]
fn remarks_are_reported_as_they_are() {
    for (lint, level) in [
        ("ineffective-option", "warning"),
        ("stack-drift", "warning"),
        ("unknown-version", "note"),
    ] {
        let mut program = fine();
        silent(program.found(lint, ""));
        program.analysis.remarks.push(Remark {
            lint,
            place: at(3),
            message: "this says nothing".into(),
            help: Some("remove it".into()),
        });
        assert_eq!(
            program.found(lint, ""),
            [format!("3 {level} this says nothing")]
        );
        program.allow(lint, 3, 3);
        silent(program.found(lint, ""));
    }
}

#[test]
fn an_entry_of_the_stack_that_matches_nothing_is_drift() {
    let entry = |path: &str| format!("[[routes]]\nmatch = \"GET {path}\"\nrate = \"1/s\"\n");
    let run = fine().run(&entry("/b"));
    assert_eq!(
        say(&run, "stack-drift"),
        ["3 warning no route matches `GET /b`"]
    );
    assert_eq!(run.findings[0].place.file, "overrun.toml");
    silent(fine().found("stack-drift", &entry("/a")));
}

#[test]
fn a_client_outside_that_polls_no_route_is_drift() {
    let polls = |path: &str| format!("[clients.page]\npolls = \"GET {path}\"\nevery = \"60s\"\n");
    assert_eq!(
        fine().found("stack-drift", &polls("/b")),
        ["3 warning no route matches `GET /b`, which `page` polls"]
    );
    silent(fine().found("stack-drift", &polls("/a")));
}

#[test]
fn awaits_that_are_not_modelled_are_counted_and_errors_when_strict() {
    let mut program = fine();
    for (line, callee, package) in [
        (32, "sdk.load", Some("sdk")),
        (33, "sdk.load", Some("sdk")),
        (34, "run", None),
    ] {
        let info = UnmodelledInfo {
            package: package.map(String::from),
            callee: callee.into(),
            reason: "no rule".into(),
            awaits: 1,
        };
        let site = program.site(line, callee, SiteKind::Unmodelled(info));
        let term = program.add(Term::Unmodelled {
            site,
            outcomes: vec![overrun::cost::Outcome::OK],
        });
        program.route(&format!("GET /{line}"), line, term);
    }
    let run = program.run("");
    silent(say(&run, "unmodelled-await"));
    assert_eq!(
        run.unmodelled,
        [("sdk".to_string(), 2), ("(unknown)".to_string(), 1)]
    );
    let strict = program.run_with("", true);
    assert_eq!(
        say(&strict, "unmodelled-await"),
        [
            "32 error nothing is known of `sdk.load` of `sdk`, which is awaited at 2 places: no rule",
            "34 error nothing is known of `run`, which is awaited at 1 place: no rule"
        ]
    );
    program.allow("unmodelled-await", 32, 34);
    silent(say(&program.run_with("", true), "unmodelled-await"));
    silent(say(&fine().run_with("", true), "unmodelled-await"));
}

#[test]
fn sources_without_a_route_are_said() {
    let mut program = Program::new();
    program.analysis.sources = 3;
    assert_eq!(
        program.found("no-routes", ""),
        ["1 warning 3 source files were found, and no route"]
    );
    silent(fine().found("no-routes", ""));
    program.analysis.sources = 0;
    silent(program.found("no-routes", ""));
    let off = "[levels]\nno-routes = \"off\"\n";
    program.analysis.sources = 3;
    silent(program.found("no-routes", off));
}

#[test]
fn what_cannot_be_read_and_what_says_nothing_is_found() {
    let mut program = fine();
    program.analysis.files[0]
        .gaps
        .push((at(3), "a `}` is missing".into()));
    program.analysis.files[0]
        .bad_annotations
        .push((at(4), "`dedline` is no annotation".into()));
    assert_eq!(
        program.found("unreadable-source", ""),
        ["3 warning a `}` is missing"]
    );
    assert_eq!(
        program.found("bad-annotation", ""),
        ["4 error `dedline` is no annotation"]
    );
    program.allow("unreadable-source", 3, 3);
    program.allow("bad-annotation", 4, 4);
    let run = program.run("");
    assert_eq!((run.findings.len(), run.allowed.len()), (0, 2));
}

#[test]
fn an_allow_of_a_lint_that_does_not_exist_is_a_bad_annotation() {
    let mut program = fine();
    program.allow("unbounded-wate", 12, 12);
    let run = program.run("");
    assert_eq!(
        say(&run, "bad-annotation"),
        ["11 error `unbounded-wate` is not a lint"]
    );
    assert_eq!(
        run.findings[0].help.as_deref(),
        Some("did you mean `unbounded-wait`?")
    );
}

#[test]
fn an_allow_that_hides_nothing_is_stale() {
    let mut program = fine();
    program.allow("unbounded-wait", 12, 12);
    let message = "11 warning this `allow` hides nothing: there is no `unbounded-wait` here";
    assert_eq!(program.found("stale-allow", ""), [message]);
    silent(program.found("stale-allow", "[levels]\nunbounded-wait = \"off\"\n"));
    let by_stack = "[[allow]]\nlint = \"thin-slack\"\nroute = \"GET /b\"\nreason = \"a test\"\n";
    let run = fine().run(by_stack);
    assert_eq!(
        say(&run, "stale-allow"),
        ["2 warning this `allow` hides nothing: there is no `thin-slack` here"]
    );
}

#[test]
fn levels_replace_a_level_and_turn_lints_off() {
    let run = |level: &str| {
        let mut program = fine();
        program.analysis.files[0]
            .gaps
            .push((at(3), "a `}` is missing".into()));
        program.run(&format!("[levels]\nunreadable-source = \"{level}\"\n"))
    };
    assert_eq!(
        say(&run("error"), "unreadable-source"),
        ["3 error a `}` is missing"]
    );
    assert_eq!(
        (run("note").worst(), run("note").count(Level::Note)),
        (Some(Level::Note), 1)
    );
    assert_eq!((run("off").worst(), run("off").allowed.len()), (None, 0));
}

#[test]
fn findings_are_sorted_and_a_run_without_limits_says_so() {
    let mut program = fine();
    let read = program.read(7, "orders", 60);
    program.route("GET /b", 5, read);
    program.analysis.files[0].gaps = vec![(at(9), "late".into()), (at(3), "early".into())];
    let run = program.run("");
    assert_eq!(
        say(&run, "unreadable-source"),
        ["3 warning early", "9 warning late"]
    );
    assert!(run.no_limits);
    let limited =
        "[layers.lb]\nkind = \"gateway\"\nlimit = \"90s\"\n[defaults]\nwithin = [\"lb\"]\n";
    assert!(!program.run(limited).no_limits);
    assert_eq!(program.figures(limited)[1].worst, secs(60));
}

#[test]
fn a_lease_or_a_period_that_is_shorter_than_the_work_is_found() {
    let program = |allow: bool| {
        let mut program = Program::new();
        let read = program.read(12, "orders", 60);
        program.route("TASK sync", 10, read);
        if allow {
            program.allow("lease-too-short", 10, 10);
        }
        program
    };
    let entry = |keys: &str| format!("[[routes]]\nmatch = \"TASK sync\"\n{keys}\n");
    assert_eq!(
        program(false).found("lease-too-short", &entry("lease = \"30s\"")),
        ["10 warning `TASK sync` can take 60 s, and the lease of its message ends after 30 s"]
    );
    assert_eq!(
        program(false).found("lease-too-short", &entry("every = \"30s\"")),
        ["10 warning `TASK sync` can take 60 s, and is started again every 30 s"]
    );
    silent(program(false).found("lease-too-short", &entry("lease = \"60s\"\nevery = \"1h\"")));
    silent(program(true).found("lease-too-short", &entry("lease = \"30s\"")));
}

#[test]
fn keys_of_the_stack_file_that_nothing_reads_are_said() {
    let layer = "[layers.lb]\nkind = \"gateway\"\nlimit = \"90s\"\n";
    assert_eq!(
        fine().found("ineffective-option", &format!("{layer}retries = 2\n")),
        [
            "5 warning `retries` of the layer `lb` has no effect: what a layer does again by itself is not counted yet"
        ]
    );
    silent(fine().found("ineffective-option", &format!("{layer}retries = 0\n")));
    let serves = "[dependencies.billing]\nserves = \"../billing/overrun.lock\"\n";
    assert_eq!(
        fine().found("ineffective-option", serves),
        [
            "3 warning `serves` of the dependency `billing` has no effect: the figures of another service are not read yet"
        ]
    );
}
