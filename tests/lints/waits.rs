//! Lints about single waits: those that nothing ends, and those that a default ends.

use overrun::cost::Time;
use overrun::evaluate::Figure;

use crate::program::{Program, at, decision, default, say, secs, written};

const PLATFORM: &str =
    "[layers.host]\nkind = \"platform\"\nlimit = \"25s\"\n[defaults]\nwithin = [\"host\"]\n";

fn none() -> Figure {
    default(Time::UNBOUNDED)
}

fn silent(found: Vec<String>) {
    assert_eq!(found, Vec::<String>::new());
}

/// Two routes over a client of line 5 without a limit.
fn endless_client() -> Program {
    let mut program = Program::new();
    let client = program.client(5);
    for (name, line) in [("GET /a", 10), ("GET /b", 30)] {
        let query = program.call(line + 2, "query", none(), |call| call.client = Some(client));
        program.route(name, line, query);
    }
    program
}

#[test]
fn a_client_without_a_limit_is_one_finding_with_its_routes() {
    let run = endless_client().run("");
    assert_eq!(
        say(&run, "unbounded-wait"),
        ["5 error nothing ends a call of this client: 2 calls can wait for ever"]
    );
    let finding = run
        .findings
        .iter()
        .find(|finding| finding.lint == "unbounded-wait");
    let finding = finding.unwrap_or_else(|| panic!("not found"));
    let routes: Vec<&str> = finding
        .routes
        .iter()
        .map(|route| route.name.as_str())
        .collect();
    assert_eq!(routes, ["GET /a", "GET /b"]);
    assert_eq!(
        finding
            .labels
            .iter()
            .map(|label| label.place.line)
            .collect::<Vec<_>>(),
        [12, 32]
    );
}

#[test]
fn a_layer_that_kills_around_every_route_makes_it_a_warning() {
    let found = endless_client().found("unbounded-wait", PLATFORM);
    assert_eq!(
        found,
        ["5 warning nothing ends a call of this client: 2 calls can wait for ever"]
    );
    let one = "[layers.host]\nkind = \"platform\"\nlimit = \"25s\"\n[[routes]]\nmatch = \"GET /a\"\nwithin = [\"host\"]\n";
    assert!(endless_client().found("unbounded-wait", one)[0].starts_with("5 error"));
}

#[test]
fn a_call_inside_a_deadline_is_not_unbounded() {
    let mut program = Program::new();
    let query = program.call(12, "query", none(), |_| {});
    let cut = program.deadline(11, 8, query);
    program.route("GET /a", 10, cut);
    let query = program.call(32, "query", none(), |_| {});
    let raced = program.race(31, 8, false, query);
    program.route("GET /b", 30, raced);
    let query = program.call(52, "query", none(), |_| {});
    let clocked = program.under_clock(51, 8, query);
    program.route("GET /c", 50, clocked);
    let query = program.call(72, "query", none(), |_| {});
    let started = program.started(query, |program, join| program.race(71, 8, false, join));
    program.route("GET /d", 70, started);
    silent(program.found("unbounded-wait", ""));
}

#[test]
fn a_bare_call_and_a_pool_are_found_where_they_stand() {
    let mut program = Program::new();
    let query = program.call(12, "GET x.example/", none(), |_| {});
    program.route("GET /a", 10, query);
    let read = program.read(32, "orders", 5);
    let held = program.held(7, None, read);
    program.route("GET /b", 30, held);
    let read = program.read(52, "orders", 5);
    let held = program.held(8, Some(written(secs(3), 8)), read);
    program.route("GET /c", 50, held);
    assert_eq!(
        program.found("unbounded-wait", ""),
        [
            "7 error nothing ends the wait for a connection of the pool `main`",
            "12 error nothing ends the wait for `GET x.example/`"
        ]
    );
}

#[test]
fn an_allow_on_the_cause_hides_the_whole_and_one_on_a_route_takes_it_out() {
    let mut program = endless_client();
    program.allow("unbounded-wait", 5, 5);
    let run = program.run("");
    silent(say(&run, "unbounded-wait"));
    assert_eq!(run.allowed.len(), 1);
    let mut program = endless_client();
    program.allow("unbounded-wait", 30, 40);
    let run = program.run("");
    let finding = run
        .findings
        .iter()
        .find(|finding| finding.lint == "unbounded-wait");
    assert_eq!(finding.map(|finding| finding.routes.len()), Some(1));
    silent(say(&run, "stale-allow"));
    let mut program = endless_client();
    program.allow("unbounded-wait", 10, 20);
    program.allow("unbounded-wait", 30, 40);
    let run = program.run("");
    silent(say(&run, "unbounded-wait"));
    assert_eq!(run.allowed.len(), 1);
}

#[test]
fn a_loop_without_a_bound_is_found_with_what_a_turn_takes() {
    let looped = |bound: Option<u64>, deadline: bool, allow: bool| {
        let mut program = Program::new();
        let read = program.read(13, "orders", 5);
        let mut term = program.endless(12, bound, read);
        if deadline {
            term = program.deadline(11, 60, term);
        }
        program.route("GET /a", 10, term);
        if allow {
            program.allow("unbounded-loop", 12, 14);
        }
        program.found("unbounded-loop", "")
    };
    let message = "12 warning remote calls in a loop over `items` that nothing bounds: each turn can take 5 s";
    assert_eq!(looped(None, false, false), [message]);
    silent(looped(Some(50), false, false));
    silent(looped(None, true, false));
    silent(looped(None, false, true));
}

#[test]
fn a_loop_that_never_goes_on_or_calls_nothing_is_none() {
    let mut program = Program::new();
    let read = program.read(13, "orders", 5);
    let leave = program.add(overrun::cost::Term::Raise(overrun::cost::Outcome::RETURN));
    let body = program.then(&[read, leave]);
    let once = program.endless(12, None, body);
    program.route("GET /a", 10, once);
    let nothing = program.add(overrun::cost::Term::Nothing);
    let empty = program.endless(32, None, nothing);
    program.route("GET /b", 30, empty);
    silent(program.found("unbounded-loop", ""));
}

#[test]
fn a_retry_without_end_is_an_unbounded_loop() {
    let mut program = Program::new();
    let read = program.read(13, "orders", 5);
    let retry = program.retry(12, &[1], read, |retry| retry.max = None);
    program.route("GET /a", 10, retry);
    let message =
        "12 warning remote calls that are tried again without end: each turn can take 5 s";
    assert_eq!(program.found("unbounded-loop", ""), [message]);
    silent(program.found("unbounded-wait", ""));
}

/// A limit at a line that a parameter decided at a call.
fn chosen(line: u32, seconds: u64, call: u32, defaulted: bool, chooses: bool) -> Figure {
    Figure {
        decided_by: vec![decision(call, defaulted, chooses)],
        ..written(secs(seconds), line)
    }
}

#[test]
fn a_call_that_leaves_the_choice_to_a_default_is_an_error() {
    let with = |other_chooses: bool, stack: &str| {
        let mut program = Program::new();
        let read = program.call(12, "orders", chosen(81, 5, 11, true, true), |_| {});
        program.route("GET /a", 10, read);
        let write = program.call(
            32,
            "orders.insert",
            chosen(82, 10, 31, !other_chooses, true),
            |_| {},
        );
        program.route("POST /a", 30, write);
        program.found("implicit-default", stack)
    };
    let first =
        "11 error `createDb` is called without `kind`, whose default chooses a timeout of 5 s";
    assert_eq!(with(true, ""), [first]);
    silent(with(false, ""));
    let declared = "[factories.createDb]\nparameter = \"kind\"\n";
    assert_eq!(
        with(false, declared).len(),
        2,
        "a declared factory needs no other call that chooses"
    );
    silent(with(false, "[factories.createDb]\nparameter = \"other\"\n"));
}

#[test]
fn a_plain_default_duration_is_one_note_a_function() {
    let mut program = Program::new();
    for line in [10, 30] {
        let read = program.call(
            line + 2,
            "orders",
            chosen(81, 5, line + 1, true, false),
            |_| {},
        );
        program.route(&format!("GET /{line}"), line, read);
    }
    let found = program.found("implicit-default", "");
    assert_eq!(
        found,
        ["80 note 2 calls leave the timeout of `createDb` to the default of `kind` (\"read\")"]
    );
    program.allow("implicit-default", 80, 80);
    silent(program.found("implicit-default", ""));
}

#[test]
fn implicit_default_can_be_allowed_at_the_call() {
    let mut program = Program::new();
    let read = program.call(12, "orders", chosen(81, 5, 11, true, true), |_| {});
    let write = program.call(14, "orders.insert", chosen(82, 10, 13, false, true), |_| {});
    let term = program.then(&[read, write]);
    program.route("GET /a", 10, term);
    assert_eq!(program.found("implicit-default", "").len(), 1);
    program.allow("implicit-default", 11, 11);
    silent(program.found("implicit-default", ""));
}

#[test]
fn a_default_that_decides_is_a_note() {
    let mut program = Program::new();
    let bare = program.call(12, "GET x.example/", default(secs(310)), |_| {});
    program.route("GET /a", 10, bare);
    let client = program.client(5);
    let two = program.call(32, "orders", default(secs(60)), |call| {
        call.client = Some(client)
    });
    program.route("GET /b", 30, two);
    assert_eq!(
        program.found("library-default", ""),
        [
            "5 note a default decides how long a call by `lib` may take: 60 s",
            "12 note a default decides how long `GET x.example/` may take: 310 s"
        ]
    );
    program.allow("library-default", 5, 5);
    assert_eq!(program.found("library-default", "").len(), 1);
}

#[test]
fn a_default_under_a_written_limit_decides_nothing() {
    let mut program = Program::new();
    let bare = program.call(12, "GET x.example/", default(secs(310)), |_| {});
    let cut = program.deadline(11, 8, bare);
    program.route("GET /a", 10, cut);
    let both = program.call(32, "orders", written(secs(5), 32), |call| {
        call.limits.push(("headers".into(), default(secs(300))));
    });
    program.route("GET /b", 30, both);
    silent(program.found("library-default", ""));
    assert_eq!(at(10).line, 10);
}
