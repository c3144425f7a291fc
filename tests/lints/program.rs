//! Programs built by hand, as an evaluation would yield them.

use std::collections::BTreeMap;

use overrun::cost::{
    Backoff, Call, Clock, Dependency, FirstMode, Handle, Interval, Losers, Outcome, Pool, Site,
    Term, TermId, Time, Wait,
};
use overrun::evaluate::figures::{RouteFigures, figures};
use overrun::evaluate::{
    Analysis, CallInfo, Client, ClientId, DeadlineInfo, Decision, DependencyInfo, Figure,
    FileAllow, FileFacts, LoopInfo, Place, RetryInfo, Route, SiteInfo, SiteKind,
};
use overrun::lints::{self, Findings, Input, LINTS};
use overrun::program::Span;
use overrun::rules::platform::Platforms;
use overrun::stack::found::PlatformFacts;
use overrun::stack::{Files, Origin, Stack, StackOptions};

/// A limit that fired.
pub const TIMEOUT: Outcome = Outcome(4);
/// A connection that failed.
pub const NETWORK: Outcome = Outcome(5);
/// A deadline of the code that fired.
pub const LATE: Outcome = Outcome(6);

pub fn secs(n: u64) -> Time {
    Time::from_secs(n)
}

/// A line of the one file of the program; 100 bytes long.
pub fn at(line: u32) -> Place {
    Place {
        file: "app.ts".into(),
        line,
        column: 1,
        span: Span::new(line * 100, line * 100 + 10),
    }
}

/// A number that the project wrote at a line.
pub fn written(time: Time, line: u32) -> Figure {
    let place = overrun::stack::Place {
        path: "app.ts".into(),
        line,
        column: 1,
        start: line as usize * 100,
        end: line as usize * 100 + 5,
    };
    Figure {
        time,
        origin: Origin::File(place),
        decided_by: Vec::new(),
    }
}

/// A number of a library.
pub fn default(time: Time) -> Figure {
    let origin = Origin::Rule {
        pack: "npm/lib".into(),
        version: Some("1.0.0".into()),
    };
    Figure {
        time,
        origin,
        decided_by: Vec::new(),
    }
}

#[derive(Default)]
pub struct Program {
    pub analysis: Analysis,
}

impl Program {
    pub fn new() -> Program {
        let mut program = Program::default();
        program.analysis.dependencies.push(DependencyInfo {
            name: "db".into(),
            idempotency_key: None,
        });
        program.analysis.sources = 1;
        let file = FileFacts {
            path: "app.ts".into(),
            ..FileFacts::default()
        };
        program.analysis.files.push(file);
        program
    }

    pub fn add(&mut self, term: Term) -> TermId {
        self.analysis.terms.add(term)
    }

    pub fn site(&mut self, line: u32, label: &str, kind: SiteKind) -> Site {
        self.analysis.sites.push(SiteInfo {
            place: at(line),
            label: label.into(),
            kind,
        });
        Site(self.analysis.sites.len() as u32 - 1)
    }

    pub fn client(&mut self, line: u32) -> ClientId {
        self.analysis.clients.push(Client {
            place: at(line),
            package: "lib".into(),
            version: None,
            dependency: Dependency(0),
            constructor: "createClient".into(),
        });
        ClientId(self.analysis.clients.len() as u32 - 1)
    }

    /// An attempt with one limit; `change` may say more of it.
    pub fn call(
        &mut self,
        line: u32,
        label: &str,
        limit: Figure,
        change: impl FnOnce(&mut CallInfo),
    ) -> TermId {
        let time = limit.time;
        let mut info = CallInfo {
            client: None,
            dependency: Dependency(0),
            package: "lib".into(),
            method: Some("GET".into()),
            write: false,
            idempotent: false,
            limits: vec![("total".into(), limit)],
        };
        change(&mut info);
        let site = self.site(line, label, SiteKind::Call(info));
        let any = Interval {
            earliest: Time::ZERO,
            latest: time,
        };
        let mut outcomes = vec![(Outcome::OK, any)];
        if !time.is_unbounded() {
            outcomes.push((
                TIMEOUT,
                Interval {
                    earliest: time,
                    latest: time,
                },
            ));
        }
        outcomes.push((NETWORK, any));
        self.add(Term::Call(Call {
            site,
            dependency: Some(Dependency(0)),
            attempts: 1,
            outcomes,
            far_limit: Time::UNBOUNDED,
        }))
    }

    /// A read of so many seconds, as the project limits it.
    pub fn read(&mut self, line: u32, label: &str, seconds: u64) -> TermId {
        self.call(line, label, written(secs(seconds), line), |_| {})
    }

    /// A write of so many seconds.
    pub fn write(&mut self, line: u32, label: &str, seconds: u64) -> TermId {
        self.call(line, label, written(secs(seconds), line), |call| {
            call.write = true
        })
    }

    /// One after the other.
    pub fn then(&mut self, terms: &[TermId]) -> TermId {
        let mut rest = self.add(Term::Nothing);
        for term in terms.iter().rev() {
            rest = self.add(Term::Then {
                body: *term,
                arms: vec![(Outcome::OK, rest)],
            });
        }
        rest
    }

    /// A named step.
    pub fn step(&mut self, line: u32, label: &str, body: TermId) -> TermId {
        let site = self.site(line, label, SiteKind::Step);
        self.add(Term::Step { site, body })
    }

    /// Retries on timeouts and broken connections, with waits of so many seconds.
    pub fn retry(
        &mut self,
        line: u32,
        waits: &[u64],
        body: TermId,
        change: impl FnOnce(&mut RetryInfo),
    ) -> TermId {
        let mut info = RetryInfo {
            client: None,
            package: None,
            max: Some(waits.len() as u64),
            origin: Origin::Default,
            written: true,
            repeats: vec!["timeouts".into(), "network errors".into()],
            retry_after_uncapped: false,
            waits: waits.iter().map(|wait| secs(*wait)).collect(),
            budget: None,
        };
        change(&mut info);
        let max = info.max;
        let site = self.site(line, "retry", SiteKind::Retry(info));
        let listed = waits
            .iter()
            .map(|wait| Wait {
                least: secs(*wait),
                greatest: secs(*wait),
            })
            .collect();
        let backoff = Backoff {
            listed,
            growth: None,
        };
        let on = vec![(TIMEOUT, None), (NETWORK, None)];
        self.add(Term::Retry {
            site,
            max,
            on,
            backoff: Box::new(backoff),
            gate: None,
            bodies: vec![body],
        })
    }

    pub fn deadline_site(
        &mut self,
        line: u32,
        seconds: u64,
        cancels: bool,
        resolves: bool,
    ) -> Site {
        let limit = written(secs(seconds), line);
        let info = DeadlineInfo {
            limit,
            cancels,
            resolves,
            race: !cancels,
        };
        self.site(line, "deadline", SiteKind::Deadline(info))
    }

    /// A deadline of so many seconds that cancels.
    pub fn deadline(&mut self, line: u32, seconds: u64, body: TermId) -> TermId {
        let site = self.deadline_site(line, seconds, true, false);
        self.add(Term::Deadline {
            site,
            limit: secs(seconds),
            losers: Losers::Cancelled,
            raises: LATE,
            body,
        })
    }

    /// A race against a timer of so many seconds.
    pub fn race(&mut self, line: u32, seconds: u64, resolves: bool, body: TermId) -> TermId {
        let site = self.deadline_site(line, seconds, false, resolves);
        let timer = self.timer(line, seconds, resolves);
        self.add(Term::FirstOf {
            site,
            branches: vec![body, timer],
            mode: FirstMode::First,
            losers: Losers::Abandoned,
        })
    }

    fn timer(&mut self, line: u32, seconds: u64, resolves: bool) -> TermId {
        let figure = written(secs(seconds), line);
        let site = self.site(line, "timer", SiteKind::Sleep { wait: figure });
        let wait = Wait {
            least: secs(seconds),
            greatest: secs(seconds),
        };
        let sleep = self.add(Term::Sleep { site, wait });
        if resolves {
            return sleep;
        }
        let raise = self.add(Term::Raise(LATE));
        self.add(Term::Then {
            body: sleep,
            arms: vec![(Outcome::OK, raise)],
        })
    }

    pub fn endless(&mut self, line: u32, bound: Option<u64>, body: TermId) -> TermId {
        let info = LoopInfo {
            bound,
            over: "items".into(),
        };
        let site = self.site(line, "loop", SiteKind::Loop(info));
        self.add(Term::Loop {
            site,
            bound,
            gate: None,
            body,
        })
    }

    /// A clock, and what runs under it.
    pub fn under_clock(&mut self, line: u32, seconds: u64, body: TermId) -> TermId {
        let site = self.deadline_site(line, seconds, true, false);
        let clock = Clock(line);
        let arm = self.add(Term::Arm {
            site,
            clock,
            limit: secs(seconds),
        });
        let within = self.add(Term::Within {
            clock,
            raises: LATE,
            body,
        });
        self.then(&[arm, within])
    }

    /// A future that is started before it is awaited under `around`.
    pub fn started(
        &mut self,
        body: TermId,
        around: impl FnOnce(&mut Program, TermId) -> TermId,
    ) -> TermId {
        let handle = Handle(body.0);
        let start = self.add(Term::Start { handle, body });
        let join = self.add(Term::Join(handle));
        let awaited = around(self, join);
        self.then(&[start, awaited])
    }

    pub fn held(&mut self, line: u32, acquire: Option<Figure>, body: TermId) -> TermId {
        let time = acquire
            .as_ref()
            .map_or(Time::UNBOUNDED, |figure| figure.time);
        let kind = SiteKind::Pool {
            pool: "main".into(),
            client: None,
            acquire,
        };
        let site = self.site(line, "main", kind);
        self.add(Term::Hold {
            site,
            pool: Pool(0),
            size: 2,
            acquire: time,
            raises: TIMEOUT,
            body,
        })
    }

    /// A route whose handler is the ten lines from `line`.
    pub fn route(&mut self, name: &str, line: u32, term: TermId) {
        self.analysis.routes.push(Route {
            name: name.into(),
            app: String::new(),
            place: at(line),
            handler: Span::new(line * 100, (line + 10) * 100),
            term,
            ends: Vec::new(),
            role: None,
            within: None,
            max_duration: None,
            runtime: None,
            inside: Vec::new(),
            streams: false,
        });
    }

    /// An `allow` comment on the line before the lines that it covers.
    pub fn allow(&mut self, lint: &str, from: u32, to: u32) {
        self.analysis.files[0].allows.push(FileAllow {
            lints: vec![lint.into()],
            reason: "on purpose".into(),
            comment: at(from - 1),
            target: Span::new(from * 100, to * 100 + 99),
        });
    }

    pub fn figures(&self, stack: &str) -> Vec<RouteFigures> {
        figures(
            &self.analysis,
            &self::stack(stack),
            &Platforms::default(),
            &PlatformFacts::default(),
        )
    }

    pub fn run(&self, stack: &str) -> Findings {
        self.run_with(stack, false)
    }

    pub fn run_with(&self, stack: &str, strict: bool) -> Findings {
        let stack = self::stack(stack);
        let figures = figures(
            &self.analysis,
            &stack,
            &Platforms::default(),
            &PlatformFacts::default(),
        );
        lints::run(Input {
            analysis: &self.analysis,
            stack: &stack,
            figures: &figures,
            strict,
        })
    }

    /// `line level message` of each finding of a lint.
    pub fn found(&self, lint: &str, stack: &str) -> Vec<String> {
        say(&self.run(stack), lint)
    }
}

pub fn say(findings: &Findings, lint: &str) -> Vec<String> {
    let own = findings
        .findings
        .iter()
        .filter(|finding| finding.lint == lint);
    own.map(|finding| {
        format!(
            "{} {} {}",
            finding.place.line, finding.level, finding.message
        )
    })
    .collect()
}

/// A stack file without its version.
pub fn stack(text: &str) -> Stack {
    let mut files: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    files.insert(
        "overrun.toml".into(),
        format!("version = 1\n{text}").into_bytes(),
    );
    let lints: Vec<&str> = LINTS.iter().map(|lint| lint.name).collect();
    let platforms = Platforms::embedded().unwrap_or_else(|error| panic!("{error}"));
    let options = StackOptions {
        stack: Some("overrun.toml"),
        environment: None,
        env_files: &[],
        set: &[],
        lints: &lints,
        platforms: &platforms,
    };
    let files: &dyn Files = &files;
    match Stack::load(&options, files) {
        Ok(stack) => stack,
        Err(errors) => panic!("{errors:?}"),
    }
}

/// A parameter that was left to its default, or was not.
pub fn decision(call: u32, defaulted: bool, chooses: bool) -> Decision {
    Decision {
        function: "createDb".into(),
        at: at(80),
        parameter: "kind".into(),
        call: at(call),
        defaulted,
        chooses,
        value: "\"read\"".into(),
    }
}
