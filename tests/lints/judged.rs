//! Lints that hold a route against its outer limits.

use overrun::cost::{Losers, Outcome, Term};
use overrun::evaluate::SiteKind;
use overrun::lints::Level;

use crate::program::{LATE, Program, at, default, say, secs};

const LIMITS: &str = r#"
[layers.browser]
kind = "caller"
limit = "8s"
[layers.lb]
kind = "gateway"
limit = "20s"
[layers.host]
kind = "platform"
limit = "25s"
measures = "first-byte"
"#;

fn stack(within: &str) -> String {
    format!("{LIMITS}\n[defaults]\nwithin = [{within}]\n")
}

/// Authentication of 4 s and a read of 27 s: four attempts of 5 s, waits of 1, 2 and 4 s.
fn session() -> Program {
    let mut program = Program::new();
    let auth = program.read(12, "auth.getUser", 4);
    let auth = program.step(12, "auth.getUser", auth);
    let read = program.read(14, "profiles", 5);
    let read = program.retry(14, &[1, 2, 4], read, |_| {});
    let read = program.step(14, "profiles", read);
    let term = program.then(&[auth, read]);
    program.route("GET /api/auth/me", 10, term);
    program
}

#[test]
fn budget_exceeded_names_the_limit_and_the_largest_step() {
    let program = session();
    let run = program.run(&stack("\"host\""));
    let finding = run
        .findings
        .iter()
        .find(|finding| finding.lint == "budget-exceeded");
    let finding = finding.unwrap_or_else(|| panic!("{:?}", run.findings));
    assert_eq!(
        (finding.level, finding.place.clone()),
        (Level::Error, at(10))
    );
    assert_eq!(
        finding.message,
        "`GET /api/auth/me` can take 31 s, but the platform `host` allows 25 s until the first byte"
    );
    assert_eq!(
        finding.here.as_deref(),
        Some("auth.getUser 4 s + profiles 27 s: 6 s too long")
    );
    assert_eq!(
        finding.help.as_deref(),
        Some("bring `profiles` down from 27 s to at most 21 s")
    );
    let labels: Vec<_> = finding
        .labels
        .iter()
        .map(|l| (l.place.line, l.text.as_str(), l.time))
        .collect();
    assert_eq!(
        labels,
        [
            (12, "auth.getUser", Some(secs(4))),
            (14, "profiles, 5 + 1 + 5 + 2 + 5 + 4 + 5 s", Some(secs(27)))
        ]
    );
    assert!(
        finding
            .fold
            .as_ref()
            .is_some_and(|fold| fold.step == "profiles")
    );
}

#[test]
fn budget_exceeded_takes_the_limit_with_the_least_slack() {
    let found = session().found("budget-exceeded", &stack("\"browser\", \"lb\", \"host\""));
    assert_eq!(
        found,
        ["10 error `GET /api/auth/me` can take 31 s, but the gateway `lb` allows 20 s"]
    );
}

#[test]
fn a_caller_is_no_budget_but_of_a_health_route() {
    let mut program = session();
    assert_eq!(
        program.found("budget-exceeded", &stack("\"browser\"")),
        Vec::<String>::new()
    );
    program.analysis.routes[0].role = Some("health".into());
    assert_eq!(
        program
            .found("budget-exceeded", &stack("\"browser\""))
            .len(),
        1
    );
}

#[test]
fn budget_exceeded_only_by_a_default_is_a_warning() {
    let mut program = Program::new();
    let read = program.read(12, "quick", 2);
    let slow = program.call(13, "slow", default(secs(310)), |_| {});
    let term = program.then(&[read, slow]);
    program.route("GET /x", 10, term);
    let found = program.found("budget-exceeded", &stack("\"lb\""));
    assert_eq!(
        found,
        ["10 warning `GET /x` can take 312 s, but the gateway `lb` allows 20 s"]
    );
    // What is left without the default is too long by itself.
    let mut program = Program::new();
    let read = program.read(12, "own", 21);
    let slow = program.call(13, "slow", default(secs(310)), |_| {});
    let term = program.then(&[read, slow]);
    program.route("GET /x", 10, term);
    assert!(program.found("budget-exceeded", &stack("\"lb\""))[0].starts_with("10 error"));
}

#[test]
fn an_unbounded_route_exceeds_only_by_its_known_part() {
    let unbounded = |known: u64| {
        let mut program = Program::new();
        let read = program.read(12, "own", known);
        let wait = program.call(13, "query", default(overrun::cost::Time::UNBOUNDED), |_| {});
        let term = program.then(&[read, wait]);
        program.route("GET /x", 10, term);
        program.found("budget-exceeded", &stack("\"lb\""))
    };
    assert_eq!(unbounded(9), Vec::<String>::new());
    assert_eq!(
        unbounded(21),
        [
            "10 error `GET /x` can take at least 21 s (and is unbounded), but the gateway `lb` allows 20 s"
        ]
    );
}

#[test]
fn budget_exceeded_can_be_allowed_by_comment_and_by_stack() {
    let mut program = session();
    let by_stack = format!(
        "{}\n[[allow]]\nlint = \"budget-exceeded\"\nroute = \"GET /api/**\"\nreason = \"a test\"\n",
        stack("\"host\"")
    );
    let run = program.run(&by_stack);
    assert_eq!(
        (say(&run, "budget-exceeded").len(), run.allowed.len()),
        (0, 1)
    );
    program.allow("budget-exceeded", 10, 20);
    let run = program.run(&stack("\"host\""));
    assert_eq!(
        (say(&run, "budget-exceeded").len(), run.allowed.len()),
        (0, 1)
    );
}

#[test]
fn a_caller_gives_up_before_a_write() {
    let order = |seconds: u64, change: &dyn Fn(&mut overrun::evaluate::CallInfo)| {
        let mut program = Program::new();
        let read = program.read(12, "orders", 5);
        let write = program.call(
            14,
            "orders.insert",
            crate::program::written(secs(seconds), 14),
            |call| {
                call.write = true;
                change(call);
            },
        );
        let term = program.then(&[read, write]);
        program.route("POST /orders", 10, term);
        program
    };
    let found = order(10, &|_| {}).found("caller-gives-up-first", &stack("\"browser\""));
    assert_eq!(
        found,
        [
            "10 warning `POST /orders`: browser stops waiting after 8 s, but the write `orders.insert` may be done only after 15 s, and repeating it is not safe"
        ]
    );
    // In time, with a key, and without a caller: nothing.
    let silent = |program: Program, within: &str| {
        assert_eq!(
            program.found("caller-gives-up-first", &stack(within)),
            Vec::<String>::new()
        );
    };
    silent(order(3, &|_| {}), "\"browser\"");
    silent(order(10, &|call| call.idempotent = true), "\"browser\"");
    silent(order(10, &|call| call.write = false), "\"browser\"");
    silent(order(10, &|_| {}), "\"lb\"");
    let mut keyed = order(10, &|_| {});
    keyed.analysis.dependencies[0].idempotency_key = Some("request_id".into());
    silent(keyed, "\"browser\"");
    let mut allowed = order(10, &|_| {});
    allowed.allow("caller-gives-up-first", 10, 20);
    silent(allowed, "\"browser\"");
}

#[test]
fn a_write_that_is_done_in_time_is_not_what_the_caller_misses() {
    let mut program = Program::new();
    let write = program.write(12, "orders.insert", 3);
    let read = program.read(14, "orders", 9);
    let term = program.then(&[write, read]);
    program.route("POST /orders", 10, term);
    assert_eq!(
        program.found("caller-gives-up-first", &stack("\"browser\"")),
        Vec::<String>::new()
    );
}

#[test]
fn thin_slack_is_less_than_the_margin_or_nothing() {
    let route = |seconds: u64, margin: &str| {
        let mut program = Program::new();
        let read = program.read(12, "orders", seconds);
        program.route("GET /orders", 10, read);
        program.found(
            "thin-slack",
            &format!("{}\n[project]\nmargin = \"{margin}\"\n", stack("\"lb\"")),
        )
    };
    assert_eq!(
        route(20, "0s"),
        ["10 warning `GET /orders` can take 20 s, which leaves nothing of the 20 s that lb allows"]
    );
    assert_eq!(
        route(18, "3s"),
        ["10 warning `GET /orders` can take 18 s, which leaves 2 s of the 20 s that lb allows"]
    );
    assert_eq!(route(17, "3s"), Vec::<String>::new());
    assert_eq!(
        route(21, "3s"),
        Vec::<String>::new(),
        "that is budget-exceeded"
    );
    let mut program = Program::new();
    let read = program.read(12, "orders", 20);
    program.route("GET /orders", 10, read);
    program.allow("thin-slack", 10, 20);
    assert_eq!(
        program.found("thin-slack", &stack("\"lb\"")),
        Vec::<String>::new()
    );
}

#[test]
fn what_is_left_behind_is_capped_by_layers_that_kill() {
    let mut program = Program::new();
    let read = program.read(12, "orders", 30);
    let raced = program.race(13, 8, false, read);
    program.route("GET /orders", 10, raced);
    let release = |within: &str| program.figures(&stack(within))[0].release;
    assert_eq!(release(""), secs(30));
    assert_eq!(
        release("\"lb\""),
        secs(30),
        "a gateway leaves, the work goes on"
    );
    assert_eq!(release("\"host\""), secs(25));
}

#[test]
fn an_outcome_of_a_deadline_counts() {
    // The deadline raises what the handler maps to a second wait.
    let mut program = Program::new();
    let read = program.read(12, "orders", 30);
    let site = program.site(13, "deadline", SiteKind::End);
    let cut = program.add(Term::Deadline {
        site,
        limit: secs(8),
        losers: Losers::Cancelled,
        raises: LATE,
        body: read,
    });
    let again = program.read(14, "fallback", 5);
    let term = program.add(Term::Then {
        body: cut,
        arms: vec![(LATE, again), (Outcome::OK, again)],
    });
    program.route("GET /orders", 10, term);
    assert_eq!(program.figures("")[0].worst, secs(13));
}

#[test]
fn nobody_waits_for_a_detached_write() {
    let mut program = Program::new();
    let read = program.read(12, "orders", 9);
    let write = program.write(13, "log.insert", 10);
    let detached = program.add(Term::Detached(write));
    let term = program.then(&[read, detached]);
    program.route("POST /orders", 10, term);
    assert_eq!(
        program.found("caller-gives-up-first", &stack("\"browser\"")),
        Vec::<String>::new()
    );
}
