//! The figures of routes, and routes that the stack file declares.

use overrun::cost::{Outcome, Term, Time};
use overrun::evaluate::declared::declare;
use overrun::evaluate::figures::{RouteFigures, figures};
use overrun::evaluate::{Analysis, End};
use overrun::lints::Level;
use overrun::rules::platform::Platforms;
use overrun::stack::found::PlatformFacts;

use crate::program::{Program, at, default, secs, stack};

const DECLARED: &str = r#"
[dependencies.supabase]
attempt = { reads = "5s", writes = "10s", getUser = "5s" }
retry = { max = 3, on = ["network", "timeout", 503, 520], methods = ["GET", "HEAD"], backoff = { base = "1s", factor = 2, cap = "30s", jitter = "none" }, retry-after = "uncapped" }

[[routes]]
match = "GET /api/order-counts"
calls = ["supabase.read"]
[[routes]]
match = "GET /api/auth/me"
calls = ["supabase.getUser deadline=4s", "supabase.read"]
[[routes]]
match = "POST /api/my/orders"
calls = ["supabase.getUser deadline=4s", "supabase.read", "supabase.insert method=POST"]
[[routes]]
match = "POST /api/my/orders/again"
calls = ["supabase.getUser deadline=4s", "supabase.read", "supabase.insert method=POST", "supabase.read"]
[[routes]]
match = "POST /api/order/lookup"
calls = ["supabase.rpc method=POST", "supabase.read times=2 deadline=8s", ["supabase.read", "supabase.read"]]
"#;

fn declared(text: &str) -> Vec<RouteFigures> {
    let stack = stack(text);
    let mut analysis = Analysis::default();
    declare(&mut analysis, &stack);
    figures(
        &analysis,
        &stack,
        &Platforms::default(),
        &PlatformFacts::default(),
    )
}

#[test]
fn declared_routes_have_the_known_figures() {
    let told: Vec<_> = declared(DECLARED)
        .into_iter()
        .map(|f| (f.route, f.worst, f.sum))
        .collect();
    let expected = [
        (
            "GET /api/auth/me",
            31,
            "supabase.getUser 4 s + supabase.read 27 s",
        ),
        (
            "POST /api/my/orders",
            41,
            "supabase.getUser 4 s + supabase.read 27 s + supabase.insert 10 s",
        ),
        (
            "POST /api/my/orders/again",
            68,
            "supabase.getUser 4 s + supabase.read 27 s + supabase.insert 10 s + supabase.read 27 s",
        ),
        ("GET /api/order-counts", 27, "supabase.read 27 s"),
        (
            "POST /api/order/lookup",
            45,
            "supabase.rpc 10 s + supabase.read 8 s + supabase.read 27 s",
        ),
    ];
    let expected: Vec<_> = expected
        .iter()
        .map(|(route, worst, sum)| (route.to_string(), secs(*worst), sum.to_string()))
        .collect();
    assert_eq!(told, expected);
}

#[test]
fn declared_routes_load_and_take_what_they_call() {
    let all = declared(DECLARED);
    let counts = all.iter().find(|f| f.route == "GET /api/order-counts");
    let counts = counts.unwrap_or_else(|| panic!("not declared"));
    assert_eq!(counts.load.get("supabase"), Some(&Some(4)));
    assert_eq!(counts.occupancy.get("supabase"), Some(&secs(20)));
    assert_eq!(counts.peak.get("supabase"), Some(&Some(1)));
    assert_eq!((counts.modelled, counts.unmodelled), (1, 0));
    let lengths: Time = counts.path.iter().map(|step| step.length).sum();
    assert_eq!(lengths, counts.worst);
    let origins: Vec<String> = counts
        .path
        .iter()
        .filter_map(|step| step.origin.as_ref())
        .map(ToString::to_string)
        .collect();
    assert!(
        origins
            .iter()
            .any(|origin| origin.starts_with("overrun.toml:4")),
        "{origins:?}"
    );
    let lookup = all.iter().find(|f| f.route == "POST /api/order/lookup");
    assert_eq!(lookup.and_then(|f| f.peak.get("supabase")), Some(&Some(2)));
}

#[test]
fn a_call_without_a_limit_is_not_modelled_and_one_with_none_is_unbounded() {
    let route = |attempt: &str| {
        let text = format!(
            "[dependencies.db]\n{attempt}\n[[routes]]\nmatch = \"GET /a\"\ncalls = [\"db.read\"]\n"
        );
        declared(&text).remove(0)
    };
    let unknown = route("");
    assert_eq!(
        (unknown.worst, unknown.modelled, unknown.unmodelled),
        (Time::ZERO, 0, 1)
    );
    let unbounded = route("attempt = \"none\"");
    assert_eq!(
        (unbounded.worst, unbounded.known),
        (Time::UNBOUNDED, Time::ZERO)
    );
    assert_eq!(unbounded.sum, "unbounded (db)");
    let far = route("attempt = \"none\"\nserver-limit = \"30s\"");
    assert_eq!(far.worst, secs(30));
}

#[test]
fn a_declared_route_that_the_code_has_too_is_drift() {
    let mut program = Program::new();
    let read = program.read(12, "orders", 5);
    program.route("GET /api/auth/me", 10, read);
    declare(&mut program.analysis, &stack(DECLARED));
    assert_eq!(program.analysis.routes.len(), 5);
    assert_eq!(program.analysis.remarks.len(), 1);
    assert_eq!(program.figures(DECLARED)[0].worst, secs(5));
}

#[test]
fn the_pool_of_a_declared_dependency_counts_twice() {
    let text = "[dependencies.db]\nattempt = \"5s\"\npool = { max = 1, acquire = \"10s\" }\n\
                [[routes]]\nmatch = \"GET /a\"\ncalls = [[\"db.read\", \"db.read\"]]\n";
    let pooled = declared(text).remove(0);
    assert_eq!((pooled.worst, pooled.alone), (secs(15), secs(10)));
}

#[test]
fn a_long_retry_after_counts_where_the_environment_is_hostile() {
    let hostile = format!("[project]\nadversary = \"hostile\"\n{DECLARED}");
    assert!(
        declared(&hostile)
            .iter()
            .all(|figures| figures.worst.is_unbounded())
    );
}

#[test]
fn an_unbounded_sum_names_its_causes() {
    let mut program = Program::new();
    let client = program.client(5);
    let read = program.read(12, "orders", 9);
    let mut terms = vec![read];
    for line in [13, 14] {
        terms.push(
            program.call(line, "query", default(Time::UNBOUNDED), |call| {
                call.client = Some(client)
            }),
        );
    }
    let term = program.then(&terms);
    program.route("GET /a", 10, term);
    let figures = program.figures("").remove(0);
    assert_eq!(figures.sum, "9 s + unbounded (lib, 2 places)");
    assert_eq!((figures.worst, figures.known), (Time::UNBOUNDED, secs(9)));
    assert_eq!(
        figures
            .unbounded
            .iter()
            .map(|cause| (cause.place.line, cause.count))
            .collect::<Vec<_>>(),
        [(5, 2)]
    );
}

#[test]
fn an_unbounded_loop_counts_one_turn_as_known() {
    let mut program = Program::new();
    let read = program.read(13, "orders", 5);
    let term = program.endless(12, None, read);
    program.route("GET /a", 10, term);
    let figures = program.figures("").remove(0);
    assert_eq!((figures.worst, figures.known), (Time::UNBOUNDED, secs(5)));
    assert_eq!(figures.sum, "5 s + unbounded (loop over items)");
    assert_eq!(figures.load.get("db"), Some(&None));
}

#[test]
fn each_end_has_its_own_sum() {
    let mut program = Program::new();
    let (refused, done) = (Outcome(10), Outcome(11));
    let auth = program.read(12, "auth.getUser", 4);
    let profile = program.read(14, "profiles", 5);
    let done_term = program.add(Term::Raise(done));
    let refuse = program.add(Term::Raise(refused));
    let fail = |ok| {
        vec![
            (Outcome::OK, ok),
            (crate::program::TIMEOUT, refuse),
            (crate::program::NETWORK, refuse),
        ]
    };
    let read = program.add(Term::Then {
        body: profile,
        arms: fail(done_term),
    });
    let term = program.add(Term::Then {
        body: auth,
        arms: vec![(Outcome::OK, read), (crate::program::TIMEOUT, refuse)],
    });
    program.route("GET /me", 10, term);
    program.analysis.routes[0].ends = vec![
        End {
            outcome: refused,
            place: at(13),
        },
        End {
            outcome: done,
            place: at(16),
        },
    ];
    let figures = program.figures("").remove(0);
    let ends: Vec<_> = figures
        .ends
        .iter()
        .map(|end| (end.place.line, end.worst, end.sum.as_str()))
        .collect();
    let sum = "auth.getUser 4 s + profiles 5 s";
    assert_eq!(ends, [(13, secs(9), sum), (16, secs(9), sum)]);
}

#[test]
fn the_overhead_is_added_and_shown() {
    let mut program = Program::new();
    let read = program.read(12, "orders", 5);
    program.route("GET /a", 10, read);
    let figures = program
        .figures("[project]\noverhead = \"200ms\"\n")
        .remove(0);
    assert_eq!(
        (figures.worst, figures.first_byte),
        (Time::from_millis(5200), Time::from_millis(5200))
    );
    assert_eq!(figures.sum, "overhead 200 ms + orders 5 s");
    assert_eq!(
        figures
            .path
            .iter()
            .map(|step| step.start)
            .collect::<Vec<_>>(),
        [Time::ZERO, Time::from_millis(200)]
    );
}

#[test]
fn the_rate_is_the_route_s_own_and_that_of_what_polls_it() {
    let mut program = Program::new();
    let read = program.read(12, "orders", 5);
    program.route("GET /a", 10, read);
    let text = "[[routes]]\nmatch = \"GET /a\"\nrate = \"20/s\"\n[clients.page]\npolls = \"GET /a\"\nevery = \"60s\"\ncount = 5000\n";
    let rate = program.figures(text)[0].rate_per_s;
    assert!(
        rate.is_some_and(|rate| (rate - 103.333).abs() < 0.001),
        "{rate:?}"
    );
    assert_eq!(program.figures("")[0].rate_per_s, None);
}

#[test]
fn a_long_sum_puts_equal_steps_together() {
    let mut program = Program::new();
    let (a, b) = (program.read(12, "a", 1), program.read(13, "b", 2));
    let (a, b) = (program.step(12, "a", a), program.step(13, "b", b));
    let turns = |n: usize, program: &mut Program| {
        let terms: Vec<_> = [a, b].into_iter().cycle().take(2 * n).collect();
        program.then(&terms)
    };
    let short = turns(2, &mut program);
    program.route("GET /a", 10, short);
    let long = turns(5, &mut program);
    program.route("GET /b", 30, long);
    let figures = program.figures("");
    assert_eq!(figures[0].sum, "a 1 s + b 2 s + a 1 s + b 2 s");
    assert_eq!(figures[1].sum, "a 5 s + b 10 s");
}

#[test]
fn a_deadline_that_cuts_is_the_step_and_one_that_ties_is_not() {
    let mut program = Program::new();
    let auth = program.read(12, "auth.getUser", 4);
    let auth = program.step(12, "auth.getUser", auth);
    let auth = program.race(5, 4, false, auth);
    let reads: Vec<_> = [13, 14]
        .into_iter()
        .map(|line| {
            let read = program.read(line, "orders", 5);
            let read = program.retry(line, &[1, 2, 4], read, |_| {});
            program.step(line, "orders", read)
        })
        .collect();
    let reads = program.then(&reads);
    let reads = program.race(6, 8, false, reads);
    let last = program.read(15, "reviews", 5);
    let term = program.then(&[auth, reads, last]);
    program.route("GET /a", 10, term);
    let figures = program.figures("").remove(0);
    assert_eq!(figures.sum, "auth.getUser 4 s + deadline 8 s + reviews 5 s");
    assert_eq!((figures.worst, figures.release), (secs(17), secs(58)));
    // The path itself still says what ran.
    assert!(
        figures
            .path
            .iter()
            .any(|step| step.what.starts_with("orders")),
        "{:?}",
        figures.path
    );
    assert_eq!(
        figures.path.iter().map(|step| step.length).sum::<Time>(),
        secs(17)
    );
}

#[test]
fn a_future_that_is_raced_after_its_start_is_cut_too() {
    let mut program = Program::new();
    let read = program.read(12, "orders", 20);
    let read = program.step(12, "orders", read);
    let raced = program.started(read, |program, join| program.race(5, 8, false, join));
    program.route("GET /a", 10, raced);
    let figures = program.figures("").remove(0);
    assert_eq!(
        (figures.worst, figures.sum.as_str()),
        (secs(8), "deadline 8 s")
    );
}

#[test]
fn waits_between_attempts_belong_to_what_is_tried_again() {
    let mut program = Program::new();
    let read = program.read(12, "orders", 5);
    let read = program.step(12, "orders", read);
    let retry = program.retry(11, &[1, 2], read, |_| {});
    let other = program.read(13, "items", 3);
    let term = program.then(&[retry, other]);
    program.route("GET /a", 10, term);
    let figures = program.figures("").remove(0);
    assert_eq!(figures.sum, "orders 18 s + items 3 s");
    let what: Vec<&str> = figures.path.iter().map(|step| step.what.as_str()).collect();
    let expected = [
        "orders, attempt 1",
        "wait before retry is tried again",
        "orders, attempt 2",
        "wait before retry is tried again",
        "orders, attempt 3",
        "items",
    ];
    assert_eq!(what, expected);
}

#[test]
fn the_longest_of_parallel_steps_counts() {
    let mut program = Program::new();
    let branches = vec![
        program.read(12, "thumbnails", 4),
        program.read(13, "reviews", 5),
    ];
    let mode = overrun::cost::ParMode::FirstFailure(overrun::cost::Losers::Abandoned);
    let term = program.add(Term::Par {
        branches,
        limit: None,
        mode,
    });
    program.route("GET /a", 10, term);
    let figures = program.figures("").remove(0);
    assert_eq!(figures.sum, "reviews 5 s");
    assert_eq!(
        (figures.load.get("db"), figures.peak.get("db")),
        (Some(&Some(2)), Some(&Some(2)))
    );
}

#[test]
fn the_end_of_an_unbounded_route_shows_its_own_known_part() {
    let mut program = Program::new();
    let (short, long) = (Outcome(10), Outcome(11));
    let read = program.read(12, "orders", 9);
    let query = program.call(13, "query", default(Time::UNBOUNDED), |_| {});
    let (early, late) = (
        program.add(Term::Raise(short)),
        program.add(Term::Raise(long)),
    );
    let rest = program.add(Term::Then {
        body: query,
        arms: vec![(Outcome::OK, late)],
    });
    let arms = vec![(Outcome::OK, rest), (crate::program::TIMEOUT, early)];
    let term = program.add(Term::Then { body: read, arms });
    program.route("GET /a", 10, term);
    program.analysis.routes[0].ends = vec![
        End {
            outcome: short,
            place: at(12),
        },
        End {
            outcome: long,
            place: at(14),
        },
    ];
    let figures = program.figures("").remove(0);
    let ends: Vec<_> = figures
        .ends
        .iter()
        .map(|end| (end.place.line, end.worst, end.sum.as_str()))
        .collect();
    assert_eq!(
        ends,
        [
            (14, Time::UNBOUNDED, "9 s + unbounded (query)"),
            (12, secs(9), "orders 9 s")
        ]
    );
}

#[test]
fn a_declared_concurrency_queues_on_the_pool() {
    let text = "[dependencies.db]\nattempt = \"5s\"\npool = { max = 2, acquire = \"60s\" }\n\
                [[routes]]\nmatch = \"GET /a\"\ncalls = [\"db.read\"]\nconcurrency = 3\n\
                [[routes]]\nmatch = \"GET /b\"\ncalls = [\"db.read\"]\nconcurrency = 1\n\
                [[routes]]\nmatch = \"GET /c\"\ncalls = []\nconcurrency = 9\n";
    let all = declared(text);
    // Four at once on two connections are two rounds.
    assert_eq!((all[0].alone, all[0].contended), (secs(5), Some(secs(10))));
    assert_eq!(all[2].contended, None, "it takes no connection");
}

#[test]
fn the_platform_s_limit_is_innermost_and_judges() {
    let platforms = Platforms::embedded().unwrap_or_else(|error| panic!("{error}"));
    let of = |runtime: Option<&str>, seconds: Option<u64>| {
        let mut program = Program::new();
        let read = program.read(12, "orders", 30);
        program.route("GET /a", 10, read);
        let route = &mut program.analysis.routes[0];
        route.runtime = runtime.map(|name| (name.to_string(), at(4)));
        route.max_duration = seconds.map(|seconds| crate::program::written(secs(seconds), 5));
        let stack = stack("[platform]\nuse = \"vercel\"\nplan = \"pro\"\nfluid = true\n");
        figures(
            &program.analysis,
            &stack,
            &platforms,
            &PlatformFacts::default(),
        )
        .remove(0)
    };
    let limit = |figures: &RouteFigures| {
        figures
            .judged_by()
            .map(|limit| (limit.layer.clone(), limit.limit))
    };
    let node = of(None, Some(10));
    assert_eq!(limit(&node), Some(("platform".to_string(), secs(10))));
    assert_eq!(node.release, secs(10), "the platform kills");
    let edge = of(Some("edge"), Some(10));
    assert_eq!(limit(&edge), Some(("platform".to_string(), secs(25))));
    assert_eq!(
        edge.platform_remarks.len(),
        1,
        "a longest run has no effect there"
    );
    assert!(of(None, Some(10)).platform_remarks.is_empty());
}

#[test]
fn a_streamed_answer_ends_at_its_first_byte() {
    let mut program = Program::new();
    let read = program.read(12, "orders", 5);
    let head = program.add(Term::Respond);
    let body = program.read(13, "rows", 60);
    let streamed = program.then(&[head, body]);
    let failed = program.add(Term::Raise(crate::program::LATE));
    let arms = vec![
        (Outcome::OK, streamed),
        (crate::program::TIMEOUT, failed),
        (crate::program::NETWORK, failed),
    ];
    let term = program.add(Term::Then { body: read, arms });
    program.route("GET /a", 10, term);
    program.analysis.routes[0].streams = true;
    let figures = program.figures("").remove(0);
    assert_eq!(
        (figures.worst, figures.first_byte, figures.release),
        (secs(5), secs(5), secs(65))
    );
    // A platform that has a limit of its own for an answer that began in time ends it then.
    let body = program.read(13, "rows", 600);
    let streamed = program.then(&[head, body]);
    let arms = vec![
        (Outcome::OK, streamed),
        (crate::program::TIMEOUT, failed),
        (crate::program::NETWORK, failed),
    ];
    program.analysis.routes[0].term = program.add(Term::Then { body: read, arms });
    assert_eq!(program.figures("").remove(0).release, secs(605));
    let edge = "[layers.edge]\nuse = \"vercel/edge\"\n[defaults]\nwithin = [\"edge\"]\n";
    assert_eq!(program.figures(edge).remove(0).release, secs(300));
}

/// The order service told by its stack file alone.
#[test]
fn the_declared_example_is_judged() {
    let text = include_str!("../../examples/declared/overrun.toml").replace("version = 1", "");
    let mut program = Program::default();
    declare(&mut program.analysis, &stack(&text));
    let told: Vec<_> = program
        .figures(&text)
        .into_iter()
        .map(|figures| (figures.route, figures.worst))
        .collect();
    let expected = [
        ("GET /api/auth/me", 31),
        ("POST /api/my/orders", 41),
        ("POST /api/my/orders/unique-violation", 68),
        ("GET /api/order-counts", 27),
        ("POST /api/order/lookup", 45),
    ];
    assert_eq!(
        told,
        expected.map(|(route, worst)| (route.to_string(), secs(worst)))
    );
    let run = program.run(&text);
    let found: Vec<_> = run
        .findings
        .iter()
        .map(|f| (f.place.line, f.lint, f.level, f.routes.len()))
        .collect();
    let expected = [
        (34, "retry-after-uncapped", Level::Note, 5),
        (34, "retry-amplification", Level::Warning, 5),
        (46, "budget-exceeded", Level::Error, 1),
        (52, "budget-exceeded", Level::Error, 1),
        (52, "caller-gives-up-first", Level::Warning, 1),
        (59, "budget-exceeded", Level::Error, 1),
        (59, "caller-gives-up-first", Level::Warning, 1),
        (66, "budget-exceeded", Level::Error, 1),
        (76, "budget-exceeded", Level::Error, 1),
    ];
    assert_eq!(found, expected);
}
