//! Stacks that are right: every key, merging, environments, options, routes.

use overrun::cost::Time;
use overrun::stack::{
    Adversary, CallStep, ClientRef, Files, Growth, LayerKind, Level, Measures, Origin, PlatformUse,
    ReadError, RetryAfter, RetryOn, Role, Sourced, Stack,
};

use super::{
    InMemory, Options, fixtures, folder_files, load, load_with, loaded, options, rendered,
};

fn whole(change: impl Fn(&mut Options)) -> Stack {
    let mut files = InMemory::new();
    folder_files(&fixtures().join("whole"), "", &mut files);
    let mut options = options(&files);
    change(&mut options);
    load_with(&files, &options).unwrap_or_else(|errors| panic!("{}", rendered(&errors)))
}

fn shown<T>(value: &Option<Sourced<T>>) -> Option<(&T, String)> {
    value
        .as_ref()
        .map(|value| (&value.value, value.origin.to_string()))
}

#[test]
fn every_section_is_read() {
    let stack = whole(|_| {});
    assert_eq!(stack.project.adversary.value, Adversary::Silent);
    assert_eq!(stack.project.max_attempts.value, 3);
    assert_eq!(
        shown(&stack.platform.uses).map(|u| u.0),
        Some(&PlatformUse::Named("vercel".into()))
    );
    assert_eq!(
        shown(&stack.runtime.node).map(|(v, at)| (v.to_string(), at)),
        Some(("20.20.2".into(), "overrun.toml:23".into()))
    );
    assert_eq!(
        shown(&stack.deployment.instances),
        Some((&20, "overrun.toml:56".into()))
    );
    let page = &stack.clients["page"];
    assert_eq!(shown(&page.every).map(|e| *e.0), Some(Time::from_secs(60)));
    assert_eq!(shown(&page.count).map(|c| *c.0), Some(5000));
    let parameter = &stack.factories["createSupabaseServerClient"].parameter;
    assert_eq!(shown(parameter).map(|p| p.0.as_str()), Some("kind"));
    assert_eq!(
        (stack.allows.len(), stack.allows[0].lint.value.as_str()),
        (1, "unbounded-wait")
    );
    assert_eq!(stack.levels["hidden-retry"].value, Level::Note);
}

#[test]
fn layers_have_their_numbers_from_the_file_or_the_rules() {
    let stack = whole(|_| {});
    let edge = &stack.layers["edge"];
    assert_eq!(
        (edge.kind, edge.measures),
        (LayerKind::Platform, Measures::FirstByte)
    );
    assert_eq!(edge.limit.value, Time::from_secs(25));
    assert_eq!(edge.limit.origin.to_string(), "platform:vercel/edge");
    assert_eq!(
        edge.place.as_ref().map(|p| (p.line, p.column)),
        Some((33, 9))
    );
    let old = &stack.layers["old"];
    assert!(old.limit.value.is_unbounded());
    assert_eq!(
        stack.layers["lb"].limit.origin.to_string(),
        "overrun.toml:38"
    );
}

#[test]
fn a_dependency_with_everything() {
    let stack = whole(|_| {});
    let supabase = &stack.dependencies["supabase"];
    assert_eq!(
        shown(&supabase.uses).map(|u| u.0.to_string()),
        Some("npm:@supabase/supabase-js".into())
    );
    assert_eq!(
        supabase.clients[1].value,
        ClientRef::Host("x.supabase.co".into())
    );
    assert_eq!(
        supabase.attempt.of(None, Some(false)).map(|t| t.value),
        Some(Time::from_secs(10))
    );
    let retry = supabase
        .retry
        .as_ref()
        .map(|retry| &retry.value)
        .unwrap_or_else(|| panic!("no retry"));
    let statuses = [503, 520].map(|n| RetryOn::Status { from: n, to: n });
    assert_eq!(
        shown(&retry.on).map(|on| on.0.clone()),
        Some([&[RetryOn::Network, RetryOn::Timeout][..], &statuses].concat())
    );
    let backoff = retry.backoff.as_ref().map(|b| b.value);
    assert_eq!(
        backoff.map(|b| (b.base, b.growth, b.cap)),
        Some((
            Time::from_secs(1),
            Growth::Factor(2.0),
            Some(Time::from_secs(30))
        ))
    );
    assert_eq!(
        retry.retry_after.as_ref().map(|r| r.value),
        Some(RetryAfter::Uncapped)
    );
    let pool = supabase.pool.as_ref().unwrap_or_else(|| panic!("no pool"));
    assert_eq!(
        shown(&pool.acquire).map(|a| *a.0),
        Some(Time::from_secs(10))
    );
    let counts = [
        &supabase.connections,
        &supabase.reserved,
        &supabase.statements,
    ];
    assert_eq!(
        counts.map(|count| count.as_ref().map(|c| c.value)),
        [Some(200), Some(10), Some(12)]
    );
}

#[test]
fn what_extends_is_stronger_key_by_key() {
    let stack = whole(|_| {});
    assert_eq!(
        stack.project.margin.value,
        Time::ZERO,
        "the file over its base"
    );
    let exclude = stack
        .project
        .exclude
        .unwrap_or_else(|| panic!("no exclude"));
    let globs: Vec<&str> = exclude
        .value
        .iter()
        .map(|glob| glob.value.as_str())
        .collect();
    assert_eq!(globs, ["**/*.test.ts"], "lists are replaced");
    let browser = &stack.layers["browser"];
    assert_eq!(
        (browser.limit.value, browser.measures),
        (Time::from_secs(8), Measures::FirstByte)
    );
    assert_eq!(stack.levels["thin-slack"].value, Level::Off);
    assert_eq!(
        stack.levels["thin-slack"].origin.to_string(),
        "overrun.base.toml:16"
    );
    let paths: Vec<&str> = stack.sources.iter().map(|source| &*source.path).collect();
    assert_eq!(paths, ["overrun.toml", "overrun.base.toml", ".env"]);
}

#[test]
fn an_environment_is_merged_and_set_is_stronger() {
    let limit = |stack: &Stack| {
        (
            stack.layers["lb"].limit.value,
            stack.layers["lb"].limit.origin.to_string(),
        )
    };
    let name = |stack: &Stack| stack.environment.name.value.clone();
    let plain = whole(|_| {});
    assert_eq!(
        (limit(&plain).0, name(&plain)),
        (Time::from_secs(60), "production".into())
    );
    let preview = whole(|o| o.environment = Some("preview".into()));
    assert_eq!(
        limit(&preview),
        (Time::from_secs(90), "overrun.toml:26".into())
    );
    assert_eq!(name(&preview), "preview");
    let chosen_by_set = whole(|o| o.set.push("project.environment=preview".into()));
    assert_eq!(limit(&chosen_by_set).0, Time::from_secs(90));
    let set = whole(|o| {
        o.environment = Some("preview".into());
        o.set = vec![
            "layers.lb.limit=7s".into(),
            "layers.lb.retries = 2".into(),
            "runtime.node=22".into(),
        ];
    });
    assert_eq!(
        limit(&set),
        (Time::from_secs(7), "--set layers.lb.limit=7s".into())
    );
    assert_eq!(set.layers["lb"].retries.value, 2);
    assert_eq!(
        set.runtime.node.map(|node| node.value.to_string()),
        Some("22".into())
    );
    let production = whole(|o| o.environment = Some("production".into()));
    assert_eq!(
        limit(&production).0,
        Time::from_secs(60),
        "the default name needs no table"
    );
}

#[test]
fn environment_files_are_read_in_order() {
    let stack = whole(|o| o.env_files.push(".env.preview".into()));
    let value = |name: &str| {
        stack
            .environment
            .values
            .get(name)
            .map(|v| (v.value.clone(), v.origin.to_string()))
    };
    assert_eq!(
        value("NAME"),
        Some(("b".into(), "environment:.env.preview:2".into()))
    );
    assert_eq!(
        value("SUPABASE_TIMEOUT_MS_READ"),
        Some(("5000".into(), "environment:.env:1".into()))
    );
    assert_eq!(
        value("PATH"),
        None,
        "the process's own environment is not read"
    );
}

#[test]
fn calls_have_places_and_settings() {
    let stack = whole(|_| {});
    let settings = stack.resolve_route("GET /api/auth/me");
    let calls = settings.calls.map(|calls| calls.value).unwrap_or_default();
    let [
        CallStep::One(first),
        CallStep::Parallel(both),
        CallStep::One(last),
    ] = &calls[..]
    else {
        panic!("{calls:?}")
    };
    assert_eq!(first.deadline, Some(Time::from_secs(4)));
    assert_eq!(first.place.to_string(), "overrun.toml:69");
    assert_eq!(
        both.iter()
            .map(|call| call.method.as_deref())
            .collect::<Vec<_>>(),
        [Some("GET"); 2]
    );
    assert_eq!(
        (last.operation.as_deref(), last.method.as_deref()),
        (Some("insert"), Some("POST"))
    );
    assert_eq!(settings.role.map(|role| role.value), Some(Role::Health));
    assert_eq!(
        stack.routes[0].declares().as_deref(),
        Some("GET /api/auth/me")
    );
}

const ROUTES: &str = r#"
version = 1
[defaults]
within = ["browser"]
[layers.browser]
kind = "caller"
limit = "8s"
[layers.lb]
kind = "gateway"
limit = "60s"
[layers.fn]
kind = "platform"
limit = "30s"
[[routes]]
match = "* /api/**"
within = ["browser", "lb"]
deadline = "9s"
rate = "5/s"
[[routes]]
match = "GET /api/users/{id}"
deadline = "4s"
within = ["lb"]
[[routes]]
match = "GET /nowhere"
deadline = "1s"
[[routes]]
match = "GET /stream"
within = ["lb", "fn"]
"#;

#[test]
fn all_entries_that_match_apply_and_later_keys_win() {
    let stack = loaded(ROUTES);
    let settings = stack.resolve_route("GET /api/users/[id]");
    assert_eq!(settings.matched, [0, 1]);
    assert_eq!(
        settings.deadline.as_ref().map(|d| d.value),
        Some(Time::from_secs(4))
    );
    assert_eq!(
        settings.rate.as_ref().map(|r| r.value.per_second),
        Some(5.0)
    );
    let names = |name: &str| {
        let within = stack
            .resolve_route(name)
            .within
            .map(|w| w.value)
            .unwrap_or_default();
        within
            .into_iter()
            .map(|layer| layer.value)
            .collect::<Vec<_>>()
    };
    assert_eq!(names("GET /api/users/[id]"), ["lb"], "lists are replaced");
    assert_eq!(names("POST /api/x"), ["browser", "lb"]);
    assert_eq!(names("GET /page"), ["browser"], "the defaults");
}

#[test]
fn entries_that_match_nothing_are_known() {
    let stack = loaded(ROUTES);
    let names = ["GET /api/users/[id]", "GET /stream"];
    let unmatched: Vec<u32> = stack
        .unmatched_entries(names)
        .iter()
        .map(|entry| entry.place.line)
        .collect();
    assert_eq!(unmatched, [24]);
}

#[test]
fn what_was_found_is_innermost_unless_a_platform_is_listed() {
    let stack = loaded(ROUTES);
    let found = || {
        let fixed = loaded("version = 1\n[layers.platform]\nuse = \"vercel/node\"\n");
        fixed.layers.get("platform").cloned()
    };
    let around = |name: &str, found| {
        let layers = stack.layers_around(&stack.resolve_route(name), found);
        layers
            .into_iter()
            .map(|layer| layer.name)
            .collect::<Vec<_>>()
    };
    assert_eq!(around("GET /api/x", found()), ["browser", "lb", "platform"]);
    assert_eq!(around("GET /api/x", None), ["browser", "lb"]);
    assert_eq!(around("GET /stream", found()), ["lb", "fn"]);
}

#[test]
fn without_a_file_everything_has_its_default() {
    let options = Options {
        set: vec!["project.margin=1s".into()],
        ..Options::default()
    };
    let stack =
        load_with(&InMemory::new(), &options).unwrap_or_else(|e| panic!("{}", rendered(&e)));
    assert_eq!(stack.project.margin.value, Time::from_secs(1));
    assert_eq!(stack.project.overhead.origin, Origin::Default);
    assert_eq!((stack.path, stack.project.max_attempts.value), (None, 3));
}

#[test]
fn a_long_chain_of_extends_ends_in_an_error() {
    let chain = |length: usize| {
        let name = |n: usize| {
            if n == 0 {
                "overrun.toml".to_string()
            } else {
                format!("{n}.toml")
            }
        };
        let text = |n: usize| match n + 1 < length {
            true => format!("version = 1\nextends = \"{}\"\n", name(n + 1)),
            false => "version = 1\n".to_string(),
        };
        (0..length)
            .map(|n| (name(n), text(n).into_bytes()))
            .collect::<InMemory>()
    };
    let load = |length| {
        let files = chain(length);
        load_with(&files, &options(&files))
            .map(|_| ())
            .map_err(|errors| rendered(&errors))
    };
    assert_eq!(load(32), Ok(()));
    let error = load(1_000).err().unwrap_or_default();
    assert!(
        error.contains("`extends` goes through more than 32 files"),
        "{error}"
    );
    assert!(error.contains("[31.toml:2:11]"), "{error}");
}

#[test]
fn a_file_that_cannot_be_read_says_why() {
    struct Locked(InMemory);
    impl Files for Locked {
        fn read(&self, path: &str) -> Option<Result<Vec<u8>, ReadError>> {
            let locked = path == "base.toml";
            if locked {
                Some(Err(ReadError("permission denied".into())))
            } else {
                self.0.read(path)
            }
        }
    }
    let text = b"version = 1\nextends = \"base.toml\"\n".to_vec();
    let files = Locked(InMemory::from([("overrun.toml".to_string(), text)]));
    let options = Options {
        stack: Some("overrun.toml".into()),
        ..Options::default()
    };
    let error = load_with(&files, &options)
        .err()
        .map(|errors| rendered(&errors))
        .unwrap_or_default();
    assert!(
        error.contains("`base.toml` cannot be read: permission denied"),
        "{error}"
    );
    assert!(error.contains("[overrun.toml:2:11]"), "{error}");
}

#[test]
fn line_ends_and_a_byte_order_mark_do_not_matter() {
    let plain = loaded(ROUTES);
    let windows = loaded(&format!("\u{feff}{}", ROUTES.replace('\n', "\r\n")));
    assert_eq!(
        plain.layers["lb"].limit.origin.to_string(),
        windows.layers["lb"].limit.origin.to_string()
    );
    assert_eq!(plain.routes.len(), windows.routes.len());
}

#[test]
fn the_examples_of_this_project_are_right() {
    let examples = fixtures().join("../../examples");
    let mut seen = 0;
    for entry in std::fs::read_dir(&examples).into_iter().flatten().flatten() {
        let Ok(text) = std::fs::read_to_string(entry.path().join("overrun.toml")) else {
            continue;
        };
        seen += 1;
        if let Err(errors) = load(&text) {
            panic!("{}\n{}", entry.path().display(), rendered(&errors));
        }
    }
    assert!(seen >= 1, "no example has a stack");
}

mod anything {
    use proptest::prelude::*;

    use super::*;

    /// Texts that are near to a stack: lines of the whole example in any order, cut anywhere.
    fn near_miss() -> impl Strategy<Value = String> {
        let text = include_str!("whole/overrun.toml");
        let lines: Vec<&'static str> = text.lines().collect();
        let line = proptest::sample::select(lines);
        let cut = (line, 0usize..120, ".{0,4}").prop_map(|(line, at, noise)| {
            let at = (0..=at.min(line.len()))
                .rev()
                .find(|at| line.is_char_boundary(*at))
                .unwrap_or(0);
            format!("{}{noise}{}", &line[..at], &line[at..])
        });
        prop_oneof![
            4 => proptest::collection::vec(cut, 0..20).prop_map(|lines| lines.join("\n")),
            1 => any::<String>(),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2_000) })]

        #[test]
        fn no_text_makes_it_panic_and_every_error_can_be_shown(text in near_miss(), set in ".{0,20}") {
            let files = InMemory::from([("overrun.toml".to_string(), text.into_bytes())]);
            let mut options = options(&files);
            if set.contains('=') {
                options.set.push(set);
            }
            if let Err(errors) = load_with(&files, &options) {
                prop_assert!(!errors.errors.is_empty());
                prop_assert!(!rendered(&errors).is_empty());
            }
        }
    }
}
