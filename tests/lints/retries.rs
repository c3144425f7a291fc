//! Lints about retries.

use overrun::cost::{OnceKey, Outcome, Term};

use crate::program::{Program, say, secs, written};

fn silent(found: Vec<String>) {
    assert_eq!(found, Vec::<String>::new());
}

/// A client of line 5 that repeats a read three times by its library's default.
fn hidden(written: bool, repeats: &[&str], uncapped: bool) -> Program {
    let mut program = Program::new();
    let client = program.client(5);
    for (name, line) in [("GET /a", 10), ("GET /b", 30)] {
        let read = program.call(
            line + 2,
            "orders",
            crate::program::written(secs(5), 6),
            |call| {
                call.client = Some(client);
            },
        );
        let term = program.retry(line + 2, &[1, 2, 4], read, |retry| {
            retry.client = Some(client);
            retry.package = Some("lib".into());
            retry.written = written;
            retry.repeats = repeats.iter().map(ToString::to_string).collect();
            retry.retry_after_uncapped = uncapped;
        });
        program.route(name, line, term);
    }
    program
}

#[test]
fn a_hidden_retry_is_one_finding_a_client_and_lists_what_is_repeated() {
    let mut program = hidden(false, &["503", "thrown errors"], false);
    let run = program.run("");
    assert_eq!(
        say(&run, "hidden-retry"),
        [
            "5 warning `lib` repeats a call up to 3 times by its own default, on 503 and thrown errors"
        ]
    );
    let finding = run
        .findings
        .iter()
        .find(|finding| finding.lint == "hidden-retry");
    assert_eq!(finding.map(|finding| finding.routes.len()), Some(2));
    program.allow("hidden-retry", 5, 5);
    silent(program.found("hidden-retry", ""));
}

#[test]
fn a_retry_that_is_written_or_repeats_nothing_is_not_hidden() {
    silent(hidden(true, &["503"], false).found("hidden-retry", ""));
    silent(hidden(false, &[], false).found("hidden-retry", ""));
    silent(hidden(false, &[], false).found("retry-amplification", ""));
}

#[test]
fn a_retry_that_no_route_reaches_is_no_finding() {
    let mut program = hidden(false, &["503"], false);
    program.analysis.routes.clear();
    silent(program.found("hidden-retry", ""));
}

#[test]
fn a_retry_after_without_a_cap_is_a_note() {
    let mut program = hidden(false, &["503"], true);
    let found = program.found("retry-after-uncapped", "");
    assert_eq!(
        found,
        ["5 note `lib` obeys a `Retry-After` header of any length"]
    );
    silent(hidden(false, &["503"], false).found("retry-after-uncapped", ""));
    program.allow("retry-after-uncapped", 5, 5);
    silent(program.found("retry-after-uncapped", ""));
}

#[test]
fn attempts_of_one_call_are_the_product_of_the_retries_around_it() {
    let found = hidden(true, &["503"], false).found("retry-amplification", "");
    assert_eq!(
        found,
        ["5 warning one call can become 4 attempts; at most 3 are allowed (`max-attempts`)"]
    );
    silent(
        hidden(true, &["503"], false).found("retry-amplification", "[project]\nmax-attempts = 4\n"),
    );
    let mut program = Program::new();
    let read = program.read(13, "orders", 5);
    let inner = program.retry(12, &[1], read, |_| {});
    let outer = program.retry(11, &[1, 2], inner, |_| {});
    program.route("GET /a", 10, outer);
    let message =
        "11 warning one call can become 6 attempts (3 x 2); at most 3 are allowed (`max-attempts`)";
    assert_eq!(program.found("retry-amplification", ""), [message]);
    program.allow("retry-amplification", 11, 11);
    silent(program.found("retry-amplification", ""));
}

#[test]
fn what_is_remembered_is_not_multiplied_by_the_retries_around_it() {
    let amplified = |lifetime| {
        let mut program = Program::new();
        let call = program.read(14, "refresh", 5);
        let body = program.retry(13, &[1, 1, 1, 1], call, |_| {});
        let key = OnceKey(0);
        let refresh = program.add(Term::Once {
            key,
            lifetime: secs(lifetime),
            body,
        });
        let read = program.read(12, "orders", 5);
        let body = program.add(Term::Then {
            body: refresh,
            arms: vec![(Outcome::OK, read)],
        });
        let read = program.retry(11, &[1, 2, 4], body, |_| {});
        program.route("GET /a", 10, read);
        program.found("retry-amplification", "")
    };
    let says = |line: u32, attempts: &str| {
        format!(
            "{line} warning one call can become {attempts} attempts; at most 3 are allowed (`max-attempts`)"
        )
    };
    assert_eq!(amplified(3_600), [says(11, "4"), says(13, "5")]);
    // The load allows for a first run that ends at once and waits that last longest.
    let thrice = format!("{} (3 x 5)", "15 attempts");
    assert_eq!(
        amplified(40),
        [says(11, "15").replace("15 attempts", &thrice)]
    );
    let each = format!("{} (4 x 5)", "20 attempts");
    assert_eq!(amplified(0), [says(11, "20").replace("20 attempts", &each)]);
}

#[test]
fn calls_one_after_another_do_not_add_up() {
    let mut program = Program::new();
    let mut reads = Vec::new();
    for line in [12, 13, 14] {
        let read = program.read(line, "orders", 5);
        reads.push(program.retry(line, &[1, 1], read, |_| {}));
    }
    let term = program.then(&reads);
    program.route("GET /a", 10, term);
    silent(program.found("retry-amplification", ""));
}

#[test]
fn a_write_that_is_repeated_needs_a_key() {
    let repeated = |change: &dyn Fn(&mut overrun::evaluate::CallInfo), waits: &[u64]| {
        let mut program = Program::new();
        let write = program.call(13, "orders.insert", written(secs(5), 13), |call| {
            call.write = true;
            change(call);
        });
        let term = program.retry(12, waits, write, |_| {});
        program.route("POST /a", 10, term);
        program
    };
    let message = "13 warning the write `orders.insert` is repeated on timeouts and network errors, and nothing makes that safe";
    assert_eq!(repeated(&|_| {}, &[1]).found("unsafe-retry", ""), [message]);
    silent(repeated(&|call| call.write = false, &[1]).found("unsafe-retry", ""));
    silent(repeated(&|call| call.idempotent = true, &[1]).found("unsafe-retry", ""));
    silent(repeated(&|_| {}, &[]).found("unsafe-retry", ""));
    let mut keyed = repeated(&|_| {}, &[1]);
    keyed.analysis.dependencies[0].idempotency_key = Some("request_id".into());
    silent(keyed.found("unsafe-retry", ""));
    let mut allowed = repeated(&|_| {}, &[1]);
    allowed.allow("unsafe-retry", 13, 13);
    silent(allowed.found("unsafe-retry", ""));
}

#[test]
fn retries_that_cannot_start_in_time_are_unreachable() {
    let inside = |attempt: u64, limit: u64, allow: bool| {
        let mut program = Program::new();
        let read = program.read(13, "orders", attempt);
        let retry = program.retry(12, &[1, 2], read, |_| {});
        let term = program.deadline(11, limit, retry);
        program.route("GET /a", 10, term);
        if allow {
            program.allow("unreachable-retries", 12, 12);
        }
        program.found("unreachable-retries", "")
    };
    let message = "12 warning no retry of `retry` can start in time: an attempt and its wait can take 11 s, and `deadline` ends it after 8 s";
    assert_eq!(inside(10, 8, false), [message]);
    silent(inside(5, 8, false));
    silent(inside(10, 8, true));
    let layer =
        "[layers.host]\nkind = \"platform\"\nlimit = \"10s\"\n[defaults]\nwithin = [\"host\"]\n";
    let mut program = Program::new();
    let read = program.read(13, "orders", 10);
    let retry = program.retry(12, &[1, 2], read, |_| {});
    program.route("GET /a", 10, retry);
    assert_eq!(program.found("unreachable-retries", layer).len(), 1);
    // Reached somewhere without a limit too: it is not dead there.
    let read = program.read(33, "orders", 10);
    let retry = program.retry(12, &[1, 2], read, |_| {});
    program.route("TASK sync", 30, retry);
    let one = "[layers.host]\nkind = \"platform\"\nlimit = \"10s\"\n[[routes]]\nmatch = \"GET /a\"\nwithin = [\"host\"]\n";
    silent(program.found("unreachable-retries", one));
}

#[test]
fn a_gate_bounds_the_attempts() {
    // Without a maximum, and with a budget of 12 s: attempts start at 0 and at about every
    // second for outcomes that come at once, the last one at 12 s.
    let mut program = Program::new();
    let read = program.read(13, "orders", 5);
    let retry = program.retry(12, &[1], read, |retry| retry.max = None);
    let Term::Retry {
        site,
        on,
        backoff,
        bodies,
        ..
    } = program.analysis.terms.get(retry).clone()
    else {
        panic!("a retry");
    };
    let gate = overrun::cost::Gate {
        kind: overrun::cost::GateKind::BeforeSleep,
        budget: secs(12),
    };
    let gated = program.add(Term::Retry {
        site,
        max: None,
        on,
        backoff,
        gate: Some(gate),
        bodies,
    });
    program.route("GET /a", 10, gated);
    let found = program.found("retry-amplification", "");
    assert_eq!(
        found,
        ["12 warning one call can become 13 attempts; at most 3 are allowed (`max-attempts`)"]
    );
    silent(program.found("unbounded-loop", ""));
}

/// A loop of line 11 with a call in it, of which it makes so many attempts; with a budget of 12 s
/// where they are not counted.
fn by_hand(attempts: Option<u64>) -> Program {
    let mut program = Program::new();
    let read = program.read(13, "orders", 5);
    let again = program.add(Term::Then {
        body: read,
        arms: vec![(Outcome::OK, read)],
    });
    let mut info = None;
    program.retry(12, &[1], read, |retry| {
        retry.max = attempts.map(|attempts| attempts - 1);
        retry.waits.clear();
        info = Some(retry.clone());
    });
    let info = info.expect("a retry");
    let body = match attempts {
        Some(_) => again,
        None => {
            let ends = program.add(Term::Raise(Outcome::RETURN));
            let sleep = program.read(14, "wait", 1);
            let body = program.add(Term::Then {
                body: read,
                arms: vec![
                    (Outcome::OK, ends),
                    (crate::program::TIMEOUT, sleep),
                    (crate::program::NETWORK, sleep),
                ],
            });
            let site = program.site(
                11,
                "while",
                overrun::evaluate::SiteKind::Loop(overrun::evaluate::LoopInfo {
                    bound: None,
                    over: "while".into(),
                }),
            );
            let gate = overrun::cost::Gate {
                kind: overrun::cost::GateKind::AfterSleep,
                budget: secs(12),
            };
            program.add(Term::Loop {
                site,
                bound: None,
                gate: Some(gate),
                body,
            })
        }
    };
    let site = program.site(11, "loop", overrun::evaluate::SiteKind::Attempts(info));
    let step = program.add(Term::Step { site, body });
    program.route("GET /a", 10, step);
    program
}

#[test]
fn attempts_of_a_loop_written_by_hand_are_counted() {
    let message = |attempts| {
        format!(
            "11 warning one call can become {attempts} attempts; at most 3 are allowed (`max-attempts`)"
        )
    };
    assert_eq!(
        by_hand(Some(5)).found("retry-amplification", ""),
        [message("5")]
    );
    silent(by_hand(Some(3)).found("retry-amplification", ""));
    silent(by_hand(Some(1)).found("retry-amplification", ""));
    let mut allowed = by_hand(Some(5));
    allowed.allow("retry-amplification", 11, 11);
    silent(allowed.found("retry-amplification", ""));
    // With a budget, what fails at once is tried again until that is used up: no count is known.
    let budget = by_hand(None).found("retry-amplification", "");
    assert_eq!(budget, [message("any number of")]);
}
