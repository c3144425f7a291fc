//! The cases that the model's text names.

use overrun::cost::{
    Backoff, Bound, Call, Clock, Dependency, FirstMode, Gate, GateKind, Handle, Interval, Losers,
    OnceKey, Outcome, ParMode, PathKind, Pool, PoolView, Settings, Site, Term, TermId, Terms, Time,
    Wait, critical_path, evaluate,
};

const DB: Dependency = Dependency(1);
const TIMEOUT: Outcome = Outcome(4);
const NETWORK: Outcome = Outcome(5);
const LATE: Outcome = Outcome(6);

fn secs(seconds: u64) -> Time {
    Time::from_secs(seconds)
}

fn exactly(time: Time) -> Wait {
    Wait {
        least: time,
        greatest: time,
    }
}

/// Any of `outcomes` up to `limit`, the timeout at the limit only.
fn call(terms: &mut Terms, site: u32, limit: Time, outcomes: &[Outcome]) -> TermId {
    let mut ends: Vec<(Outcome, Interval)> = outcomes
        .iter()
        .map(|outcome| {
            let earliest = if *outcome == TIMEOUT {
                limit
            } else {
                Time::ZERO
            };
            (
                *outcome,
                Interval {
                    earliest,
                    latest: limit,
                },
            )
        })
        .collect();
    ends.sort_unstable();
    terms.add(Term::Call(Call {
        site: Site(site),
        dependency: Some(DB),
        attempts: 1,
        outcomes: ends,
        far_limit: Time::UNBOUNDED,
    }))
}

fn read(terms: &mut Terms, limit: Time) -> TermId {
    call(terms, 1, limit, &[Outcome::OK, TIMEOUT, NETWORK])
}

fn sleep(terms: &mut Terms, time: Time) -> TermId {
    terms.add(Term::Sleep {
        site: Site(2),
        wait: exactly(time),
    })
}

fn retry(
    terms: &mut Terms,
    max: Option<u64>,
    on: &[Outcome],
    waits: &[u64],
    gate: Option<(GateKind, u64)>,
    body: TermId,
) -> TermId {
    terms.add(Term::Retry {
        site: Site(3),
        max,
        on: on.iter().map(|outcome| (*outcome, None)).collect(),
        backoff: Box::new(Backoff {
            listed: waits.iter().map(|s| exactly(secs(*s))).collect(),
            growth: None,
        }),
        gate: gate.map(|(kind, budget)| Gate {
            kind,
            budget: secs(budget),
        }),
        bodies: vec![body],
    })
}

fn deadline(
    terms: &mut Terms,
    limit: u64,
    losers: Losers,
    raises: Outcome,
    body: TermId,
) -> TermId {
    terms.add(Term::Deadline {
        site: Site(4),
        limit: secs(limit),
        losers,
        raises,
        body,
    })
}

fn hold(terms: &mut Terms, size: u32, acquire: Time, body: TermId) -> TermId {
    let (site, pool, raises) = (Site(5), Pool(0), LATE);
    terms.add(Term::Hold {
        site,
        pool,
        size,
        acquire,
        raises,
        body,
    })
}

fn par(terms: &mut Terms, mode: ParMode, branches: &[TermId]) -> TermId {
    terms.add(Term::Par {
        branches: branches.to_vec(),
        limit: None,
        mode,
    })
}

/// The bound, once its paths were found to add up.
fn bound_of(terms: &Terms, id: TermId) -> Bound {
    let settings = Settings::default();
    let faults = crate::paths::faults(terms, id, &settings);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    evaluate(terms, id, &settings)
}

fn latest(bound: &Bound, outcome: Outcome) -> Option<Time> {
    bound.outcomes.get(&outcome).map(|end| end.latest)
}

/// A read that is retried three times after 1, 2 and 4 s.
fn postgrest(terms: &mut Terms) -> TermId {
    let body = read(terms, secs(5));
    retry(terms, Some(3), &[TIMEOUT, NETWORK], &[1, 2, 4], None, body)
}

#[test]
fn a_retried_read_is_27_s() {
    let mut terms = Terms::new();
    let id = postgrest(&mut terms);
    let bound = bound_of(&terms, id);
    assert_eq!(bound.worst, secs(27));
    assert_eq!(bound.load[&DB], Some(4));
    assert_eq!(bound.peak[&DB], Some(1));
    assert_eq!(bound.occupancy[&DB], secs(20));
    let path = critical_path(&terms, id, &Settings::default(), None);
    let lengths: Vec<u64> = path
        .iter()
        .filter_map(|step| step.length.as_nanos())
        .map(|n| n / 1_000_000_000)
        .collect();
    assert_eq!(lengths, [5, 1, 5, 2, 5, 4, 5]);
    assert_eq!(path[4].attempt, Some(2));
    assert_eq!(path[1].kind, PathKind::Wait);
}

#[test]
fn a_status_just_before_the_limit_is_retried_all_the_same() {
    let mut terms = Terms::new();
    let body = read(&mut terms, secs(5));
    let id = retry(&mut terms, Some(3), &[NETWORK], &[1, 2, 4], None, body);
    assert_eq!(bound_of(&terms, id).worst, secs(27));
}

#[test]
fn a_refresh_inside_each_attempt_is_167_s_and_with_a_cooldown_62_s() {
    for (lifetime, expected, load) in [(None, 167, 4 * 8 + 4), (Some(60), 62, 8 + 4)] {
        let mut terms = Terms::new();
        let attempt = read(&mut terms, secs(5));
        let waits = [0, 0, 0, 0, 0, 0, 0];
        let gate = Some((GateKind::BeforeSleepCounted, 30));
        // 200 ms doubled: what matters here is that no attempt starts at 30 s or later.
        let refresh = retry(
            &mut terms,
            Some(7),
            &[TIMEOUT, NETWORK],
            &waits,
            gate,
            attempt,
        );
        let ok = terms.nothing();
        let refresh = terms.then(refresh, [(TIMEOUT, ok), (NETWORK, ok)]);
        let refresh = match lifetime {
            None => refresh,
            Some(lifetime) => terms.add(Term::Once {
                key: OnceKey(0),
                lifetime: secs(lifetime),
                body: refresh,
            }),
        };
        let query = read(&mut terms, secs(5));
        let body = terms.seq([refresh, query]);
        let id = retry(
            &mut terms,
            Some(3),
            &[TIMEOUT, NETWORK],
            &[1, 2, 4],
            None,
            body,
        );
        let bound = bound_of(&terms, id);
        // The last attempt of the refresh starts 1 ns before its gate closes.
        let short = if lifetime.is_none() { 4 } else { 1 };
        assert_eq!(bound.worst + Time::from_nanos(short), secs(expected));
        assert_eq!(bound.load[&DB], Some(load));
    }
}

#[test]
fn a_bare_fetch_of_node_is_310_s_and_with_a_body_610_s() {
    let mut terms = Terms::new();
    let head = call(&mut terms, 1, secs(310), &[Outcome::OK, NETWORK]);
    let gap = Interval {
        earliest: Time::ZERO,
        latest: secs(300),
    };
    let body = terms.add(Term::Call(Call {
        site: Site(9),
        dependency: Some(DB),
        attempts: 0,
        outcomes: vec![(Outcome::OK, gap)],
        far_limit: Time::UNBOUNDED,
    }));
    let whole = terms.seq([head, body]);
    assert_eq!(bound_of(&terms, head).worst, secs(310));
    let bound = bound_of(&terms, whole);
    assert_eq!(bound.worst, secs(610));
    assert_eq!(bound.load[&DB], Some(1));
    assert_eq!(bound.occupancy[&DB], secs(610));
}

#[test]
fn a_tie_falls_either_way() {
    let mut terms = Terms::new();
    let body = read(&mut terms, secs(5));
    let inner = deadline(&mut terms, 5, Losers::Cancelled, LATE, body);
    let bound = bound_of(&terms, inner);
    for outcome in [Outcome::OK, TIMEOUT, NETWORK, LATE] {
        assert_eq!(latest(&bound, outcome), Some(secs(5)));
    }
}

#[test]
fn a_cancelled_deadline_releases_and_an_abandoned_one_does_not() {
    for (losers, release) in [(Losers::Cancelled, 8), (Losers::Abandoned, 27)] {
        let mut terms = Terms::new();
        let body = postgrest(&mut terms);
        let id = deadline(&mut terms, 8, losers, LATE, body);
        let bound = bound_of(&terms, id);
        assert_eq!(bound.worst, secs(8));
        assert_eq!(bound.release, secs(release));
    }
}

#[test]
fn any_waits_for_a_success_and_fails_with_the_last() {
    let mut terms = Terms::new();
    let fails = call(&mut terms, 1, secs(1), &[NETWORK]);
    let slow = read(&mut terms, secs(5));
    let branches = vec![fails, slow];
    let (site, losers) = (Site(0), Losers::Abandoned);
    let mode = FirstMode::FirstOk;
    let id = terms.add(Term::FirstOf {
        site,
        branches,
        mode,
        losers,
    });
    let bound = bound_of(&terms, id);
    assert_eq!(latest(&bound, Outcome::OK), Some(secs(5)));
    assert_eq!(latest(&bound, NETWORK), Some(secs(5)));
}

#[test]
fn a_gate_after_the_sleep_leaves_after_it() {
    let mut terms = Terms::new();
    let body = read(&mut terms, secs(5));
    let gate = Some((GateKind::AfterSleep, 7));
    let id = retry(&mut terms, None, &[TIMEOUT, NETWORK], &[3], gate, body);
    // 5, sleep 3: at 8 the budget of 7 is spent. Or an attempt begins just before 7, lasts
    // 5, and one sleep more: 15.
    let bound = bound_of(&terms, id);
    assert_eq!(bound.worst + Time::from_nanos(1), secs(15));
}

#[test]
fn promise_all_leaves_at_the_first_failure_and_join_all_at_the_end() {
    let first = ParMode::FirstFailure(Losers::Abandoned);
    for (mode, earliest) in [(first, 1), (ParMode::WaitAll, 3)] {
        let mut terms = Terms::new();
        let a = sleep(&mut terms, secs(3));
        let wait = sleep(&mut terms, secs(1));
        let raise = terms.raise(NETWORK);
        let b = terms.seq([wait, raise]);
        let id = par(&mut terms, mode, &[a, b]);
        let bound = bound_of(&terms, id);
        assert_eq!(bound.outcomes[&NETWORK].latest, secs(earliest));
        assert_eq!(latest(&bound, Outcome::OK), None);
    }
}

#[test]
fn a_started_read_and_a_write_take_the_longer_of_the_two() {
    let mut terms = Terms::new();
    let body = read(&mut terms, secs(5));
    let start = terms.add(Term::Start {
        handle: Handle(0),
        body,
    });
    let write = call(&mut terms, 2, secs(8), &[Outcome::OK]);
    let join = terms.add(Term::Join(Handle(0)));
    let again = terms.add(Term::Join(Handle(0)));
    let after = read(&mut terms, secs(1));
    let id = terms.seq([start, write, join, again, after]);
    let bound = bound_of(&terms, id);
    assert_eq!(latest(&bound, Outcome::OK), Some(secs(9)));
    assert_eq!(latest(&bound, TIMEOUT), Some(secs(9)));
    assert_eq!(bound.peak[&DB], Some(2));
    assert_eq!(bound.load[&DB], Some(3));
}

#[test]
fn one_signal_covers_the_head_and_the_body() {
    let mut terms = Terms::new();
    let clock = Clock(0);
    let arm = terms.add(Term::Arm {
        site: Site(7),
        clock,
        limit: secs(5),
    });
    let head = call(&mut terms, 1, secs(310), &[Outcome::OK, NETWORK]);
    let head = terms.add(Term::Within {
        clock,
        raises: TIMEOUT,
        body: head,
    });
    let body = call(&mut terms, 2, secs(300), &[Outcome::OK, NETWORK]);
    let covered = terms.add(Term::Within {
        clock,
        raises: TIMEOUT,
        body,
    });
    let disarm = terms.add(Term::Disarm(clock));
    let uncovered = terms.add(Term::Within {
        clock,
        raises: TIMEOUT,
        body,
    });
    let armed = terms.seq([arm, head, covered]);
    let cleared = terms.seq([arm, head, disarm, uncovered]);
    assert_eq!(bound_of(&terms, armed).worst, secs(5));
    assert_eq!(bound_of(&terms, cleared).worst, secs(305));
}

#[test]
fn two_queries_on_a_pool_of_one() {
    let mut terms = Terms::new();
    let body = call(&mut terms, 1, secs(5), &[Outcome::OK]);
    let query = hold(&mut terms, 1, secs(10), body);
    let id = par(
        &mut terms,
        ParMode::FirstFailure(Losers::Abandoned),
        &[query, query],
    );
    for (pools, worst) in [
        (PoolView::Worst, 15),
        (PoolView::Alone, 10),
        (PoolView::Contended(1), 10),
    ] {
        let settings = Settings {
            pools,
            ..Settings::default()
        };
        let bound = evaluate(&terms, id, &settings);
        assert_eq!(bound.worst, secs(worst), "{pools:?}");
        assert_eq!(bound.occupancy[&DB], secs(10));
        assert!(crate::paths::faults(&terms, id, &settings).is_empty());
    }
    let wide = hold(&mut terms, 2, secs(10), body);
    let id = par(&mut terms, ParMode::Settled, &[wide, wide]);
    let settings = Settings {
        pools: PoolView::Alone,
        ..Settings::default()
    };
    assert_eq!(evaluate(&terms, id, &settings).worst, secs(5));
}

#[test]
fn a_connection_asked_for_while_the_only_one_is_held_never_comes() {
    let mut terms = Terms::new();
    let body = call(&mut terms, 1, secs(5), &[Outcome::OK]);
    let inner = hold(&mut terms, 1, secs(10), body);
    let outer = hold(&mut terms, 1, secs(10), inner);
    let settings = Settings {
        pools: PoolView::Alone,
        ..Settings::default()
    };
    let bound = evaluate(&terms, outer, &settings);
    assert_eq!(bound.worst, secs(10));
    assert_eq!(latest(&bound, Outcome::OK), None);
}

#[test]
fn a_blocking_part_puts_a_deadline_off() {
    let mut terms = Terms::new();
    let wait = sleep(&mut terms, secs(30));
    let body = terms.add(Term::Blocking(wait));
    let id = deadline(&mut terms, 5, Losers::Cancelled, LATE, body);
    let bound = bound_of(&terms, id);
    assert_eq!(latest(&bound, LATE), Some(secs(30)));
    assert_eq!(bound.outcomes[&LATE].earliest, secs(5));
    assert_eq!(bound.stall, secs(30));
}

#[test]
fn billions_of_retries_cost_what_seventy_do() {
    let mut terms = Terms::new();
    let body = read(&mut terms, secs(5));
    let many = u64::from(u32::MAX);
    let id = retry(
        &mut terms,
        Some(many),
        &[TIMEOUT, NETWORK],
        &[1, 2],
        None,
        body,
    );
    let bound = bound_of(&terms, id);
    let expected = secs(5) * (many + 1) + secs(1) + secs(2) * (many - 1);
    assert_eq!(bound.worst, expected);
    assert_eq!(bound.load[&DB], Some(many + 1));
    // Under a deadline the waits decide: 1 s and then every 2 s.
    let limited = deadline(&mut terms, 100, Losers::Cancelled, LATE, id);
    assert_eq!(
        evaluate(&terms, limited, &Settings::default()).load[&DB],
        Some(2 + 49)
    );
    let gate = Some((GateKind::BeforeSleep, 1_000));
    // A timeout comes at 5 s exactly: 0, 6, 12, .. 996, and the gate is closed at 1001.
    let gated = retry(&mut terms, None, &[TIMEOUT], &[1], gate, body);
    let exact = bound_of(&terms, gated);
    assert_eq!((exact.worst, exact.load[&DB]), (secs(1_001), Some(167)));
    // An error may come at any instant: just before 1000, and at once each second.
    let gated = retry(&mut terms, None, &[TIMEOUT, NETWORK], &[1], gate, body);
    let loose = bound_of(&terms, gated);
    assert_eq!(loose.worst + Time::from_nanos(1), secs(1_006));
    assert_eq!(loose.load[&DB], Some(1_001));
}

#[test]
fn nothing_that_ends_it_is_unbounded_and_names_its_place() {
    let mut terms = Terms::new();
    let endless = call(&mut terms, 77, Time::UNBOUNDED, &[Outcome::OK, NETWORK]);
    let known = read(&mut terms, secs(5));
    let limited = deadline(&mut terms, 8, Losers::Cancelled, LATE, endless);
    let id = terms.seq([known, limited, endless]);
    let first = bound_of(&terms, id);
    assert!(first.worst.is_unbounded());
    assert_eq!(first.unbounded, [Site(77)]);
    let settings = Settings {
        unbounded_as_zero: true,
        ..Settings::default()
    };
    let part = evaluate(&terms, id, &settings);
    assert_eq!(part.worst, secs(13));
    assert!(crate::paths::faults(&terms, id, &settings).is_empty());
    let path = critical_path(&terms, id, &Settings::default(), None);
    assert!(path.last().is_some_and(|step| step.length.is_unbounded()));
    let forever = retry(&mut terms, None, &[TIMEOUT, NETWORK], &[1], None, known);
    let second = bound_of(&terms, forever);
    assert_eq!(second.unbounded, [Site(3)]);
    assert_eq!(second.load[&DB], None);
    assert_eq!(evaluate(&terms, forever, &settings).worst, secs(5));
}

#[test]
fn an_unmodelled_wait_is_no_figure_but_lasts_until_a_written_limit() {
    let mut terms = Terms::new();
    let outcomes = vec![Outcome::OK, NETWORK];
    let unknown = terms.add(Term::Unmodelled {
        site: Site(8),
        outcomes,
    });
    assert_eq!(bound_of(&terms, unknown).worst, Time::ZERO);
    let limited = deadline(&mut terms, 8, Losers::Cancelled, LATE, unknown);
    assert_eq!(bound_of(&terms, limited).worst, secs(8));
    let timer = sleep(&mut terms, secs(3));
    let branches = vec![unknown, timer];
    let (site, losers, mode) = (Site(0), Losers::Abandoned, FirstMode::First);
    let race = terms.add(Term::FirstOf {
        site,
        branches,
        mode,
        losers,
    });
    assert_eq!(bound_of(&terms, race).worst, secs(3));
}

#[test]
fn cleanup_after_a_cancellation_counts() {
    let mut terms = Terms::new();
    let body = read(&mut terms, secs(30));
    let handler = call(&mut terms, 2, secs(2), &[Outcome::OK]);
    let guarded = terms.add(Term::Finally { body, handler });
    let id = deadline(&mut terms, 5, Losers::Cancelled, LATE, guarded);
    let cancelled = bound_of(&terms, id);
    assert_eq!(latest(&cancelled, LATE), Some(secs(7)));
    // Two in truth: that the handler runs once only is not followed in the load.
    assert!(cancelled.load[&DB] <= Some(3));
    let shielded = terms.add(Term::Shield(body));
    let id = deadline(&mut terms, 5, Losers::Cancelled, LATE, shielded);
    assert_eq!(bound_of(&terms, id).worst, secs(30));
}

#[test]
fn the_first_byte_is_where_the_head_leaves() {
    let mut terms = Terms::new();
    let before = read(&mut terms, secs(2));
    let respond = terms.add(Term::Respond);
    let after = call(&mut terms, 2, secs(60), &[Outcome::OK]);
    let id = terms.seq([before, respond, after]);
    let bound = bound_of(&terms, id);
    assert_eq!(bound.first_byte, secs(2));
    assert_eq!(bound.worst, secs(62));
}

#[test]
fn a_failure_before_the_head_does_not_wait_for_one_of_the_stream() {
    let mut terms = Terms::new();
    let before = call(&mut terms, 1, secs(5), &[Outcome::OK, NETWORK]);
    let respond = terms.add(Term::Respond);
    let stream = call(&mut terms, 2, secs(60), &[Outcome::OK, NETWORK]);
    let tried = terms.seq([before, respond, stream]);
    let bound = bound_of(&terms, tried);
    assert_eq!(latest(&bound, NETWORK), Some(secs(65)));
    assert_eq!(bound.first_byte, secs(5));
    // What answers the failure sends its head three seconds after it, or not at all.
    let clean = call(&mut terms, 3, secs(3), &[Outcome::OK]);
    let answer = terms.seq([clean, respond]);
    let id = terms.then(tried, [(NETWORK, answer)]);
    let bound = bound_of(&terms, id);
    assert_eq!((bound.first_byte, bound.worst), (secs(8), secs(68)));
    // The same with a stream that nothing ends.
    let endless = call(&mut terms, 2, Time::UNBOUNDED, &[Outcome::OK, NETWORK]);
    let tried = terms.seq([before, respond, endless]);
    let id = terms.then(tried, [(NETWORK, answer)]);
    assert_eq!(bound_of(&terms, id).first_byte, secs(8));
}

#[test]
fn a_hundred_thousand_nested_terms_do_not_overflow() {
    let mut terms = Terms::new();
    let mut chain = terms.nothing();
    let mut nest = call(&mut terms, 1, secs(1), &[Outcome::OK, NETWORK]);
    for depth in 0..100_000u32 {
        let one = call(
            &mut terms,
            depth,
            Time::from_nanos(1),
            &[Outcome::OK, NETWORK],
        );
        chain = terms.then(one, [(Outcome::OK, chain)]);
        let limit = Time::from_nanos(u64::from(depth) + 1);
        let (site, losers, raises) = (Site(depth), Losers::Cancelled, LATE);
        nest = terms.add(Term::Deadline {
            site,
            limit,
            losers,
            raises,
            body: nest,
        });
    }
    let settings = Settings::default();
    assert_eq!(
        evaluate(&terms, chain, &settings).worst,
        Time::from_nanos(100_000)
    );
    assert_eq!(evaluate(&terms, nest, &settings).worst, Time::from_nanos(1));
    let path = critical_path(&terms, chain, &settings, None);
    let told: Time = path.iter().map(|step| step.length).sum();
    assert_eq!(told, Time::from_nanos(100_000));
    assert!(!critical_path(&terms, nest, &settings, None).is_empty());
}

/// A try that arms a clock of its own, as `fetch` does with a signal made for it.
fn timed(terms: &mut Terms, clock: u32, limit: u64) -> TermId {
    let clock = Clock(clock);
    let (site, limit) = (Site(6), secs(limit));
    let arm = terms.add(Term::Arm { site, clock, limit });
    let body = call(terms, 1, Time::UNBOUNDED, &[Outcome::OK, NETWORK]);
    let raises = TIMEOUT;
    let within = terms.add(Term::Within {
        clock,
        raises,
        body,
    });
    terms.seq([arm, within])
}

/// Tries for up to 30 s, with waits that double.
fn refreshed(terms: &mut Terms, one: TermId) -> TermId {
    terms.add(Term::Retry {
        site: Site(3),
        max: None,
        on: vec![(TIMEOUT, None), (NETWORK, None)],
        backoff: Box::new(Backoff {
            listed: (0..20)
                .map(|i| exactly(Time::from_nanos(200_000_000 << i)))
                .collect(),
            growth: None,
        }),
        gate: Some(Gate {
            kind: GateKind::BeforeSleepCounted,
            budget: secs(30),
        }),
        bodies: vec![one],
    })
}

#[test]
fn a_clock_of_an_earlier_attempt_does_not_blur_a_budget() {
    let mut terms = Terms::new();
    let one = timed(&mut terms, 1, 5);
    let refresh = refreshed(&mut terms, one);
    assert_eq!(bound_of(&terms, refresh).load[&DB], Some(8));
    let read = timed(&mut terms, 2, 5);
    let skip = terms.nothing();
    let refresh = terms.choice([refresh, skip]);
    let body = terms.then(
        refresh,
        [Outcome::OK, TIMEOUT, NETWORK].map(|outcome| (outcome, read)),
    );
    let id = retry(
        &mut terms,
        Some(3),
        &[TIMEOUT, NETWORK],
        &[1, 2, 4],
        None,
        body,
    );
    let bound = bound_of(&terms, id);
    assert_eq!(bound.load[&DB], Some(4 * (8 + 1)));
    // A budget of 30 s lets the last start be a nanosecond before its end.
    let early = Time::from_nanos(4);
    assert_eq!(bound.worst + early, secs(4 * (30 + 5 + 5) + 7));
}

#[test]
fn a_clock_armed_on_one_way_only_is_still_read_after_it() {
    let mut terms = Terms::new();
    let (clock, raises) = (Clock(1), LATE);
    let arm = |terms: &mut Terms, limit| {
        let (site, limit) = (Site(6), secs(limit));
        terms.add(Term::Arm { site, clock, limit })
    };
    let outer = arm(&mut terms, 10);
    let again = arm(&mut terms, 20);
    let skip = terms.nothing();
    let perhaps = terms.choice([again, skip]);
    let pause = sleep(&mut terms, secs(1));
    let turn = terms.seq([pause, perhaps]);
    let body = call(&mut terms, 1, Time::UNBOUNDED, &[Outcome::OK]);
    let within = terms.add(Term::Within {
        clock,
        raises,
        body,
    });
    let id = terms.seq([outer, turn, within]);
    let bound = bound_of(&terms, id);
    assert_eq!(bound.outcomes[&LATE].earliest, secs(10));
    assert_eq!(latest(&bound, LATE), Some(secs(21)));
}

#[test]
fn many_turns_on_a_limiter_of_two_wait_for_every_other_pass() {
    let mut terms = Terms::new();
    for bound in [69, 70, 87, 88, 200] {
        let (site, key, per) = (Site(7), OnceKey(0), secs(3));
        let body = terms.add(Term::Pace {
            site,
            key,
            n: 2,
            per,
        });
        let (bound, gate) = (Some(bound), None);
        let id = terms.add(Term::Loop {
            site,
            bound,
            gate,
            body,
        });
        let passes = bound.unwrap_or(0);
        assert!(bound_of(&terms, id).worst >= secs(3 * ((passes - 1) / 2)));
        let after_one = terms.seq([body, id]);
        assert!(bound_of(&terms, after_one).worst >= secs(3 * (passes / 2)));
    }
}
