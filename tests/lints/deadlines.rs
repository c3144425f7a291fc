//! Lints about deadlines and races.

use overrun::cost::Term;

use crate::program::{Program, default, say, secs, written};

fn silent(found: Vec<String>) {
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn a_race_that_leaves_work_behind_is_found() {
    let mut program = Program::new();
    let reads = [
        program.read(12, "orders", 10),
        program.read(13, "order_items", 17),
    ];
    let reads = program.then(&reads);
    let raced = program.race(5, 8, false, reads);
    program.route("POST /lookup", 10, raced);
    let run = program.run("");
    assert_eq!(
        say(&run, "uncancelled-deadline"),
        [
            "5 warning this deadline stops nothing: it answers after 8 s, what lost goes on until 27 s"
        ]
    );
    let finding = run
        .findings
        .iter()
        .find(|finding| finding.lint == "uncancelled-deadline");
    let labels = finding.map(|finding| {
        finding
            .labels
            .iter()
            .map(|label| label.place.line)
            .collect::<Vec<_>>()
    });
    assert_eq!(labels, Some(vec![12, 13]));
    program.allow("uncancelled-deadline", 5, 5);
    silent(program.found("uncancelled-deadline", ""));
}

#[test]
fn a_race_that_ties_with_its_loser_leaves_nothing_behind() {
    let mut program = Program::new();
    let auth = program.read(12, "auth.getUser", 4);
    let raced = program.race(5, 4, false, auth);
    program.route("GET /me", 10, raced);
    let long = program.read(32, "orders", 30);
    let cut = program.deadline(31, 8, long);
    program.route("GET /b", 30, cut);
    silent(program.found("uncancelled-deadline", ""));
}

#[test]
fn work_that_was_started_before_its_race_is_left_behind_too() {
    let mut program = Program::new();
    let reads = program.read(12, "orders", 27);
    let raced = program.started(reads, |program, join| program.race(5, 8, false, join));
    program.route("GET /a", 10, raced);
    let run = program.run("");
    assert_eq!(
        say(&run, "uncancelled-deadline"),
        [
            "5 warning this deadline stops nothing: it answers after 8 s, what lost goes on until 27 s"
        ]
    );
    let finding = run
        .findings
        .iter()
        .find(|finding| finding.lint == "uncancelled-deadline");
    assert_eq!(finding.map(|finding| finding.labels.len()), Some(1));
}

#[test]
fn one_race_with_several_limits_is_one_finding() {
    let mut program = Program::new();
    for (name, line, limit) in [("GET /a", 10, 8), ("GET /b", 30, 6)] {
        let read = program.read(line + 2, "orders", 20);
        let raced = program.race(5, limit, false, read);
        program.route(name, line, raced);
    }
    assert_eq!(
        program.found("uncancelled-deadline", ""),
        [
            "5 warning this deadline stops nothing: it answers after 6 s, what lost goes on until 20 s; it answers after 8 s, what lost goes on until 20 s"
        ]
    );
}

#[test]
fn a_race_against_a_timer_that_resolves_is_found_without_a_route() {
    let mut program = Program::new();
    let site = program.deadline_site(24, 8, false, true);
    program.analysis.races.push(site);
    let rejects = program.deadline_site(44, 8, false, false);
    program.analysis.races.push(rejects);
    let read = program.read(12, "orders", 5);
    program.route("GET /a", 10, read);
    let found = program.found("timeout-as-success", "");
    assert_eq!(
        found,
        ["24 warning after 8 s of silence this race succeeds: its timer resolves"]
    );
    program.analysis.told_apart.insert(site);
    silent(program.found("timeout-as-success", ""));
    program.analysis.told_apart.clear();
    program.allow("timeout-as-success", 24, 24);
    silent(program.found("timeout-as-success", ""));
}

#[test]
fn a_race_that_resolves_lists_the_routes_that_reach_it() {
    let mut program = Program::new();
    let read = program.read(12, "orders", 5);
    let raced = program.race(24, 8, true, read);
    program.route("GET /a", 10, raced);
    let run = program.run("");
    let finding = run
        .findings
        .iter()
        .find(|finding| finding.lint == "timeout-as-success");
    assert_eq!(finding.map(|finding| finding.routes.len()), Some(1));
    if let Term::FirstOf { site, .. } = *program.analysis.terms.get(raced) {
        program.analysis.told_apart.insert(site);
    }
    silent(program.found("timeout-as-success", ""));
}

#[test]
fn a_deadline_cannot_interrupt_what_blocks() {
    let around = |blocking: bool, allow: bool| {
        let mut program = Program::new();
        let mut call = program.read(13, "query", 30);
        if blocking {
            call = program.add(Term::Blocking(call));
        }
        let cut = program.deadline(12, 2, call);
        program.route("GET /a", 10, cut);
        if allow {
            program.allow("deadline-cannot-interrupt", 12, 12);
        }
        program.found("deadline-cannot-interrupt", "")
    };
    let message =
        "12 warning this deadline of 2 s cannot interrupt a call that blocks its thread for 30 s";
    assert_eq!(around(true, false), [message]);
    silent(around(false, false));
    silent(around(true, true));
    let mut program = Program::new();
    let call = program.read(13, "query", 30);
    let blocking = program.add(Term::Blocking(call));
    program.route("GET /a", 10, blocking);
    silent(program.found("deadline-cannot-interrupt", ""));
}

#[test]
fn an_inner_limit_that_can_never_fire_is_inverted() {
    let inside = |inner: u64, outer: u64| {
        let mut program = Program::new();
        let read = program.read(13, "orders", inner);
        let cut = program.deadline(12, outer, read);
        program.route("GET /a", 10, cut);
        program
    };
    let message = "13 warning the limit of 10 s of `orders` can never fire: `deadline` around it stops it after 8 s";
    assert_eq!(inside(10, 8).found("inverted-timeouts", ""), [message]);
    silent(inside(8, 8).found("inverted-timeouts", ""));
    silent(inside(5, 8).found("inverted-timeouts", ""));
    let mut allowed = inside(10, 8);
    allowed.allow("inverted-timeouts", 13, 13);
    silent(allowed.found("inverted-timeouts", ""));
}

#[test]
fn limits_that_do_not_contain_each_other_are_not_compared() {
    // A race does not stop its loser: the inner limit fires later, and ends it.
    let mut program = Program::new();
    let read = program.read(13, "orders", 10);
    let raced = program.race(12, 8, false, read);
    program.route("GET /a", 10, raced);
    // One after the other.
    let first = program.read(33, "orders", 10);
    let first = program.deadline(32, 20, first);
    let second = program.read(34, "orders", 5);
    let second = program.deadline(35, 8, second);
    let both = program.then(&[first, second]);
    program.route("GET /b", 30, both);
    // A default that the project did not write.
    let bare = program.call(53, "GET x.example/", default(secs(310)), |_| {});
    let cut = program.deadline(52, 8, bare);
    program.route("GET /c", 50, cut);
    silent(program.found("inverted-timeouts", ""));
}

#[test]
fn a_limit_that_can_fire_anywhere_is_not_inverted() {
    let mut program = Program::new();
    // One number at line 90, used inside a deadline and outside of it.
    let inside = program.call(13, "orders", written(secs(10), 90), |_| {});
    let cut = program.deadline(12, 8, inside);
    program.route("GET /a", 10, cut);
    assert_eq!(program.found("inverted-timeouts", "").len(), 1);
    let outside = program.call(33, "orders", written(secs(10), 90), |_| {});
    program.route("GET /b", 30, outside);
    silent(program.found("inverted-timeouts", ""));
}

#[test]
fn a_clock_that_was_disarmed_is_not_around_the_body() {
    let clocked = |disarm: bool| {
        let mut program = Program::new();
        let head = program.read(13, "orders", 5);
        let body = program.read(14, "body", 20);
        let site = program.deadline_site(12, 8, true, false);
        let clock = overrun::cost::Clock(1);
        let raises = crate::program::LATE;
        let arm = program.add(Term::Arm {
            site,
            clock,
            limit: secs(8),
        });
        let head = program.add(Term::Within {
            clock,
            raises,
            body: head,
        });
        let off = program.add(Term::Disarm(clock));
        let body = program.add(Term::Within {
            clock,
            raises,
            body,
        });
        let term = if disarm {
            program.then(&[arm, head, off, body])
        } else {
            program.then(&[arm, head, body])
        };
        program.route("GET /a", 10, term);
        program.found("inverted-timeouts", "")
    };
    assert_eq!(clocked(false).len(), 1);
    silent(clocked(true));
}
