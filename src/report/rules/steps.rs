//! The steps of a behaviour in words, one line each.

use super::Lines;
use crate::cost::{GateKind, Time};
use crate::rules::{
    Absent, Attempt, BackoffRule, Body, Count, Counts, Duration, Fetch, Hold, Kept, Literal, Retry,
    RetryAfter, SeriesRule, Statuses, Step, Test, When,
};

/// Deeper than any real behaviour; a hostile file must not exhaust the stack.
const DEEPEST: usize = 40;

/// The steps, each with what is inside it below it.
pub(super) fn shown(lines: &mut Lines, depth: usize, steps: &[Step]) {
    if depth > DEEPEST {
        lines.add(depth, "..");
        return;
    }
    for step in steps {
        let (line, inside): (String, &[Step]) = match step {
            Step::Attempt(attempt) => (attempt_words(attempt), &[]),
            Step::Fetch(fetch) => (fetch_words(fetch), &fetch.before),
            Step::Body(body) => (body_words(body), &[]),
            Step::Retry(retry) => (retry_words(retry), &retry.steps),
            Step::Deadline(deadline) => {
                let after = if deadline.cancels {
                    "what runs is stopped"
                } else {
                    "what runs goes on"
                };
                (
                    format!("within {}; then {after}:", duration(&deadline.limit)),
                    &deadline.steps,
                )
            }
            Step::Once(once) => (
                format!(
                    "once, kept for {}:",
                    time(once.lifetime, "the client's life")
                ),
                &once.steps,
            ),
            Step::Hold(hold) => (hold_words(hold), &hold.steps),
            Step::Run(run) => (format!("`{}`{}", run.behaviour, when(&run.when)), &[]),
            Step::Callback(callback) => (
                format!("calls option `{}`{}", callback.option, when(&callback.when)),
                &[],
            ),
            Step::Inner => ("what the client does itself".to_string(), &[]),
            Step::Sleep(sleep) => (format!("waits {}", duration(&sleep.wait)), &[]),
            Step::Unmodelled(wait) => (
                format!("not modelled{}: {}", when(&wait.when), wait.reason),
                &[],
            ),
            Step::Catch(catch) => ("what is thrown becomes a value:".to_string(), &catch.steps),
            Step::Refuse(refuse) => (
                format!(
                    "status {} is thrown{}",
                    statuses(&refuse.statuses),
                    when(&refuse.when)
                ),
                &[],
            ),
            Step::Result(_) => continue,
        };
        lines.add(depth, &line);
        shown(lines, depth + 1, inside);
    }
}

fn attempt_words(attempt: &Attempt) -> String {
    let phases = attempt.phases.iter().map(|phase| {
        let idle = if phase.idle {
            ", begun anew by each byte"
        } else {
            ""
        };
        format!(
            "{} {}{idle}",
            format!("{:?}", phase.phase).to_lowercase(),
            duration(&phase.limit)
        )
    });
    let covers = if attempt.covers_body {
        ", the body included"
    } else {
        ""
    };
    let total = attempt
        .total
        .iter()
        .map(|total| format!("in all {}{covers}", duration(total)));
    let body = attempt
        .body_limit
        .iter()
        .map(|limit| format!("then {} for the body", duration(limit)));
    let limits: Vec<String> = phases.chain(total).chain(body).collect();
    if limits.is_empty() {
        "one attempt, with no limit".to_string()
    } else {
        format!("one attempt: {}", limits.join("; "))
    }
}

fn fetch_words(fetch: &Fetch) -> String {
    let via = if fetch.via.is_empty() {
        String::new()
    } else {
        format!(", by option `{}` if it is set", fetch.via.join("`, `"))
    };
    let limit = fetch.timeout.as_ref().map_or(String::new(), |limit| {
        let covers = if fetch.covers_body {
            "the body included"
        } else {
            "until the head"
        };
        format!(", {} {covers}", duration(limit))
    });
    format!("one fetch{via}{limit}")
}

fn body_words(body: &Body) -> String {
    let idle = body
        .idle
        .iter()
        .map(|limit| format!("between two bytes {}", duration(limit)));
    let total = body
        .total
        .iter()
        .map(|limit| format!("in all {}", duration(limit)));
    let kept = body.kept.iter().map(|kept| match kept {
        Kept::Total => "in all what its attempt keeps for it".to_string(),
        Kept::Idle => "between two bytes what its attempt keeps for it".to_string(),
    });
    let limits: Vec<String> = idle.chain(total).chain(kept).collect();
    let limits = if limits.is_empty() {
        String::new()
    } else {
        format!(": {}", limits.join("; "))
    };
    format!("the body{limits}{}", when(&body.when))
}

fn hold_words(hold: &Hold) -> String {
    format!(
        "holds one of {} connections, waiting {} for it:",
        count(&hold.size),
        duration(&hold.acquire)
    )
}

fn retry_words(retry: &Retry) -> String {
    let mut words = vec![format!("tried again, {}", times(&retry.max))];
    if !retry.thrown.is_empty() {
        let kinds: Vec<String> = retry
            .thrown
            .iter()
            .map(|kind| format!("{kind:?}").to_lowercase())
            .collect();
        words.push(format!("on errors: {}", kinds.join(", ")));
    }
    let except: Vec<&str> = retry
        .except_names
        .iter()
        .chain(&retry.except_codes)
        .map(String::as_str)
        .collect();
    if !except.is_empty() {
        words.push(format!("but not {}", except.join(", ")));
    }
    if !retry.statuses.is_empty() {
        words.push(format!("on status {}", statuses(&retry.statuses)));
    }
    if !retry.methods.is_empty() {
        words.push(format!("only {}", retry.methods.join(", ")));
    }
    words.extend(retry.backoff.as_ref().map(backoff));
    words.extend(
        retry
            .gate
            .as_ref()
            .map(|gate| format!("{} {}", gate_words(gate.kind), duration(&gate.budget))),
    );
    words.push(retry_after(retry.retry_after));
    if !retry.off.is_empty() {
        words.push(format!("off{}", when(&retry.off)));
    }
    format!("{}:", words.join("; "))
}

fn gate_words(kind: GateKind) -> &'static str {
    match kind {
        GateKind::BeforeSleep => "if before the wait less has passed than",
        GateKind::BeforeSleepCounted => "if with the wait less has passed than",
        GateKind::AfterSleep => "if after the wait less has passed than",
        GateKind::AttemptClock => "if at the attempt's beginning less had passed than",
        GateKind::SleepsOnly => "if the waits together are less than",
    }
}

fn retry_after(rule: RetryAfter) -> String {
    match rule {
        RetryAfter::Ignored => "Retry-After is not looked at".to_string(),
        RetryAfter::Uncapped => "Retry-After of any length is obeyed".to_string(),
        RetryAfter::Cap(cap) => format!("Retry-After is obeyed, at most {cap}"),
        RetryAfter::IgnoredAbove(most) => {
            format!("Retry-After is obeyed up to {most}, else ignored")
        }
        RetryAfter::RefusedAbove(most) => {
            format!("Retry-After is obeyed up to {most}, else it gives up")
        }
        RetryAfter::WaitPlus(more) => format!("Retry-After is obeyed up to the wait plus {more}"),
    }
}

fn backoff(rule: &BackoffRule) -> String {
    let base = duration(&rule.base);
    let factor = rule.factor.as_ref().map_or(2.0, |factor| factor.default);
    let mut words = match rule.series {
        SeriesRule::Constant => format!("waits {base}"),
        SeriesRule::Linear => format!("waits {base}, growing by as much"),
        SeriesRule::Exponential => format!("waits {base}, times {factor} each"),
        SeriesRule::Power => format!("waits {base} times the number to the {factor}"),
    };
    if let Some(cap) = &rule.cap {
        words.push_str(&format!(", at most {}", duration(cap)));
    }
    if let Some((least, greatest)) = rule.jitter {
        words.push_str(&format!(", jitter {least} to {greatest}"));
    }
    words
}

fn times(max: &Count) -> String {
    let what = if max.counts == Counts::Attempts {
        "attempts"
    } else {
        "retries"
    };
    format!("{} {what}", count(max))
}

fn count(count: &Count) -> String {
    let number = count
        .default
        .map_or_else(|| "any number of".to_string(), |n| n.to_string());
    format!("{number}{}", option(&count.option))
}

fn duration(duration: &Duration) -> String {
    let absent = match duration.absent {
        Absent::None if !duration.option.is_empty() => ", absent there: no limit",
        _ => "",
    };
    format!(
        "{}{}{absent}",
        time(duration.default, "no limit"),
        option(&duration.option)
    )
}

fn time(time: Time, unbounded: &str) -> String {
    if time.is_unbounded() {
        unbounded.to_string()
    } else {
        time.to_string()
    }
}

/// Which options set a number.
fn option(paths: &[String]) -> String {
    if paths.is_empty() {
        String::new()
    } else {
        format!(" (option `{}`)", paths.join("`, `"))
    }
}

fn statuses(list: &[Statuses]) -> String {
    let words = list.iter().map(|range| {
        if range.first == range.last {
            range.first.to_string()
        } else {
            format!("{}-{}", range.first, range.last)
        }
    });
    words.collect::<Vec<_>>().join(", ")
}

fn when(tests: &[When]) -> String {
    let words = tests.iter().map(|test| {
        let option = test.option.join("` or `");
        let value = test.value.as_ref().map_or_else(String::new, literal);
        match test.is {
            Test::Set => format!("`{option}` is set"),
            Test::Unset => format!("`{option}` is not set"),
            Test::Equals => format!("`{option}` is {value}"),
            Test::Differs => format!("`{option}` is not {value}"),
            Test::Function => format!("`{option}` is a function"),
        }
    });
    let words: Vec<String> = words.collect();
    if words.is_empty() {
        String::new()
    } else {
        format!(", where {}", words.join(" and "))
    }
}

fn literal(literal: &Literal) -> String {
    match literal {
        Literal::Bool(value) => value.to_string(),
        Literal::Number(value) => value.to_string(),
        Literal::Text(value) => format!("\"{value}\""),
    }
}
