//! Case A, the order service: its figures and findings before and after the repair, and in the
//! variants between them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn report(project: &Path) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_overrun"))
        .args(["check", "--format", "json", "--fail-on", "never"])
        .arg(project)
        .output()
        .expect("the program runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).expect("the report is JSON")
}

/// `(route, worst case in seconds, load)`.
fn figures(report: &Value) -> Vec<(String, f64, u64)> {
    let routes = report["routes"].as_array().expect("routes");
    let load = |route: &Value| {
        let load = route["load"].as_object().expect("load");
        load.values().filter_map(Value::as_u64).sum()
    };
    routes
        .iter()
        .map(|r| {
            (
                text(&r["route"]),
                r["worst_ms"].as_f64().unwrap_or(f64::NAN) / 1000.0,
                load(r),
            )
        })
        .collect()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_string()
}

/// The latest instant of the end of a route at a line, in seconds.
fn end_at(report: &Value, route: &str, line: u64) -> Option<f64> {
    let routes = report["routes"].as_array()?;
    let route = routes.iter().find(|r| r["route"] == route)?;
    let end = route["ends"]
        .as_array()?
        .iter()
        .find(|end| end["line"] == line)?;
    end["worst_ms"].as_f64().map(|ms| ms / 1000.0)
}

/// Findings above `note`, as `lint level file:line`.
fn findings(report: &Value) -> BTreeSet<String> {
    let all = report["findings"].as_array().expect("findings");
    all.iter()
        .filter(|finding| finding["level"] != "note")
        .map(|f| {
            format!(
                "{} {} {}:{}",
                text(&f["lint"]),
                text(&f["level"]),
                text(&f["file"]),
                f["line"]
            )
        })
        .collect()
}

fn notes(report: &Value, lint: &str) -> usize {
    let all = report["findings"].as_array().expect("findings");
    all.iter().filter(|finding| finding["lint"] == lint).count()
}

fn set(lines: &[&str]) -> BTreeSet<String> {
    lines.iter().map(ToString::to_string).collect()
}

fn expect_figures(report: &Value, expected: &[(&str, f64)]) {
    let found: Vec<(String, f64)> = figures(report)
        .into_iter()
        .map(|(route, worst, _)| (route, worst))
        .collect();
    let expected: Vec<(String, f64)> = expected
        .iter()
        .map(|(r, w)| ((*r).to_string(), *w))
        .collect();
    assert_eq!(found, expected);
}

fn project(path: &str) -> PathBuf {
    Path::new(ROOT).join(path)
}

/// The repaired service with another wrapper around `fetch`.
fn with_wrapper(name: &str, wrapper: &str) -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let source = project("examples/order-service-repaired");
    let _ = std::fs::remove_dir_all(&target);
    for entry in walkdir::WalkDir::new(&source) {
        let entry = entry.expect("the example is readable");
        let to = target.join(
            entry
                .path()
                .strip_prefix(&source)
                .expect("below the example"),
        );
        if entry.file_type().is_dir() {
            std::fs::create_dir_all(to).expect("a folder");
        } else {
            std::fs::copy(entry.path(), to).expect("a copy");
        }
    }
    std::fs::write(target.join("lib/fetch-with-timeout.ts"), wrapper).expect("the wrapper");
    target
}

const RETRIED: [&str; 3] = [
    "lib/supabase.ts:35",
    "lib/supabase.ts:40",
    "lib/supabase.ts:45",
];

fn retried(lint: &str) -> Vec<String> {
    RETRIED
        .iter()
        .map(|place| format!("{lint} warning {place}"))
        .collect()
}

#[test]
fn before_the_repair() {
    let report = report(&project("examples/order-service"));
    expect_figures(
        &report,
        &[
            ("GET /api/auth/me", 31.0),
            ("POST /api/my/orders", 68.0),
            ("GET /api/order-counts", 27.0),
            ("POST /api/order/lookup", 45.0),
        ],
    );
    for line in [32, 34] {
        assert_eq!(end_at(&report, "POST /api/my/orders", line), Some(41.0));
    }
    for line in [39, 40] {
        assert_eq!(end_at(&report, "POST /api/my/orders", line), Some(68.0));
    }
    let loads: Vec<u64> = figures(&report)
        .into_iter()
        .map(|(_, _, load)| load)
        .collect();
    assert_eq!(loads, [5, 10, 4, 17]);
    let mut expected = set(&[
        "budget-exceeded error app/api/auth/me/route.ts:6",
        "budget-exceeded error app/api/my/orders/route.ts:7",
        "budget-exceeded error app/api/order-counts/route.ts:6",
        "budget-exceeded error app/api/order/lookup/route.ts:15",
        "caller-gives-up-first warning app/api/my/orders/route.ts:7",
        "implicit-default error app/api/auth/me/route.ts:10",
        "implicit-default error app/api/my/orders/route.ts:15",
        "implicit-default error app/api/order/lookup/route.ts:28",
        "timeout-as-success warning lib/submit-order.ts:24",
        "uncancelled-deadline warning lib/with-deadline.ts:19",
    ]);
    expected.extend(retried("hidden-retry"));
    expected.extend(retried("retry-amplification"));
    assert_eq!(findings(&report), expected);
    assert_eq!(notes(&report, "retry-after-uncapped"), 3);
}

#[test]
fn after_the_repair() {
    let report = report(&project("examples/order-service-repaired"));
    expect_figures(
        &report,
        &[
            ("GET /api/auth/me", 9.0),
            ("POST /api/my/orders", 24.0),
            ("GET /api/order-counts", 5.0),
            ("POST /api/order/lookup", 23.0),
        ],
    );
    for line in [32, 34] {
        assert_eq!(end_at(&report, "POST /api/my/orders", line), Some(19.0));
    }
    assert_eq!(
        findings(&report),
        set(&["uncancelled-deadline warning lib/with-deadline.ts:19"])
    );
    assert_eq!(notes(&report, "retry-after-uncapped"), 0);
}

#[test]
fn a_reset_that_is_not_mapped_is_still_retried() {
    let report = report(&project("tests/fixtures/order-service-reset-leaks"));
    expect_figures(
        &report,
        &[
            ("GET /api/auth/me", 31.0),
            ("POST /api/my/orders", 68.0),
            ("GET /api/order-counts", 27.0),
            ("POST /api/order/lookup", 45.0),
        ],
    );
    assert_eq!(end_at(&report, "POST /api/my/orders", 32), Some(41.0));
    let mut expected = set(&[
        "budget-exceeded error app/api/auth/me/route.ts:6",
        "budget-exceeded error app/api/my/orders/route.ts:7",
        "budget-exceeded error app/api/order-counts/route.ts:6",
        "budget-exceeded error app/api/order/lookup/route.ts:15",
        "uncancelled-deadline warning lib/with-deadline.ts:19",
    ]);
    expected.extend(retried("hidden-retry"));
    expected.extend(retried("retry-amplification"));
    assert_eq!(findings(&report), expected);
    assert_eq!(notes(&report, "retry-after-uncapped"), 0);
    let all = report["findings"].as_array().expect("findings");
    for finding in all
        .iter()
        .filter(|finding| finding["lint"] == "hidden-retry")
    {
        let message = text(&finding["message"]);
        assert!(
            message.contains("thrown errors") && !message.contains("503"),
            "{message}"
        );
    }
}

/// A peer that answers 503 just before the limit is retried although the timeout itself is not.
#[test]
fn a_status_that_is_not_mapped_is_still_retried() {
    let wrapper = r#"
class Unavailable extends Error {
  readonly code = "ABORT_ERR";
}

export function fetchWithTimeout(limitMs: number): typeof fetch {
  return async (input, init) => {
    const timeout = AbortSignal.timeout(limitMs);
    const signal = init?.signal ? AbortSignal.any([init.signal, timeout]) : timeout;
    try {
      return await fetch(input, { ...init, signal });
    } catch (error) {
      throw new Unavailable("no answer");
    }
  };
}
"#;
    let report = report(&with_wrapper("only-thrown-errors", wrapper));
    let found = figures(&report);
    assert_eq!(found[0], ("GET /api/auth/me".to_string(), 31.0, 5));
    assert_eq!(found[2], ("GET /api/order-counts".to_string(), 27.0, 4));
    assert_eq!(notes(&report, "retry-after-uncapped"), 3);
}

/// A timer that is cleared when the headers come leaves the body to the runtime's 300 s.
#[test]
fn a_timer_that_is_cleared_at_the_headers_does_not_cover_the_body() {
    let wrapper = r#"
export function fetchWithTimeout(limitMs: number): typeof fetch {
  return async (input, init) => {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(new Error("late")), limitMs);
    try {
      return await fetch(input, { ...init, signal: controller.signal });
    } finally {
      clearTimeout(timer);
    }
  };
}
"#;
    let report = report(&with_wrapper("cleared-at-the-headers", wrapper));
    let found = figures(&report);
    // Four attempts of 5 s, a body of 300 s after each, and 7 s of waits.
    assert_eq!(
        found[2],
        ("GET /api/order-counts".to_string(), 4.0 * 305.0 + 7.0, 4)
    );
}

#[test]
fn a_session_that_is_kept_is_renewed_inside_each_attempt() {
    let old = report(&project("tests/fixtures/session-2.104.0"));
    expect_figures(&old, &[("GET /api/profile", 167.0)]);
    let new = report(&project("tests/fixtures/session-2.108.2"));
    expect_figures(&new, &[("GET /api/profile", 62.0)]);
}
