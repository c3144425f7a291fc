//! The retry policy of a declared dependency.

use std::collections::BTreeSet;

use crate::cost::{self, Growth, Outcome, Series, Term, TermId, Time, Wait};
use crate::stack::{self, DeclaredCall, RetryAfter, RetryOn, RetrySettings, Sourced};

use super::super::facts::{Place, RetryInfo, SiteKind};
use super::{Builder, Ending};

impl Builder<'_> {
    pub(super) fn retried(
        &mut self,
        call: &DeclaredCall,
        dependency: &stack::Dependency,
        body: TermId,
        at: &Place,
        label: &str,
    ) -> TermId {
        let Some(retry) = &dependency.retry else {
            return body;
        };
        let settings = &retry.value;
        let subject = |methods: &Sourced<Vec<String>>| {
            call.method
                .as_ref()
                .is_some_and(|m| methods.value.contains(m))
        };
        if settings
            .methods
            .as_ref()
            .is_some_and(|methods| !subject(methods))
        {
            return body;
        }
        let repeated = self.repeated(settings);
        let max = settings.max.as_ref().map(|max| u64::from(max.value));
        let backoff = settings
            .backoff
            .as_ref()
            .map(|backoff| growth(&backoff.value));
        let info = RetryInfo {
            client: Some(self.client(dependency)),
            package: None,
            max,
            origin: settings
                .max
                .as_ref()
                .map_or(retry.origin.clone(), |max| max.origin.clone()),
            written: true,
            repeats: repeated.iter().map(Ending::words).collect(),
            retry_after_uncapped: settings
                .retry_after
                .as_ref()
                .is_some_and(|after| after.value == RetryAfter::Uncapped)
                && repeated.iter().any(|ending| !ending.thrown()),
            waits: waits(backoff, max),
            budget: None,
        };
        let site = self.site(at.clone(), label.to_string(), SiteKind::Retry(info));
        let after = self.obeyed(settings);
        let mut on: Vec<(Outcome, Option<Wait>)> = Vec::new();
        for ending in &repeated {
            on.push((self.outcome(ending), after.filter(|_| !ending.thrown())));
        }
        on.sort_unstable();
        let backoff = cost::Backoff {
            listed: Vec::new(),
            growth: backoff,
        };
        self.add(Term::Retry {
            site,
            max,
            on,
            backoff: Box::new(backoff),
            gate: None,
            bodies: vec![body],
        })
    }

    /// What is tried again; without a list, everything that is thrown.
    fn repeated(&self, settings: &RetrySettings) -> BTreeSet<Ending> {
        let thrown = [Ending::Timeout, Ending::Network, Ending::Other];
        let Some(on) = &settings.on else {
            return thrown.into();
        };
        let mut repeated = BTreeSet::new();
        for word in &on.value {
            match word {
                RetryOn::Error => repeated.extend(thrown.clone()),
                RetryOn::Timeout => repeated.extend([Ending::Timeout]),
                RetryOn::Network => repeated.extend([Ending::Network]),
                RetryOn::Other => repeated.extend([Ending::Other]),
                RetryOn::Status { from, to } => repeated.extend([Ending::Status(*from, *to)]),
                // A declared call is not aborted by anything that is declared.
                RetryOn::Abort => {}
            }
        }
        repeated
    }

    /// The wait that a `Retry-After` can ask for, where the environment is hostile.
    fn obeyed(&self, settings: &RetrySettings) -> Option<Wait> {
        if self.stack.project.adversary.value != stack::Adversary::Hostile {
            return None;
        }
        let greatest = match settings.retry_after.as_ref()?.value {
            RetryAfter::Ignored => return None,
            RetryAfter::Uncapped => Time::UNBOUNDED,
            RetryAfter::Capped(cap) => cap,
        };
        Some(Wait {
            least: Time::ZERO,
            greatest,
        })
    }
}

fn thousandths(factor: f64) -> u32 {
    // The cast saturates.
    (factor * 1000.0).round().max(0.0) as u32
}

fn growth(backoff: &stack::Backoff) -> Growth {
    let series = match backoff.growth {
        stack::Growth::Constant => Series::Constant,
        stack::Growth::Factor(factor) => Series::Exponential {
            thousandths: thousandths(factor),
        },
        stack::Growth::Step(step) => Series::Linear { step },
    };
    Growth {
        base: backoff.base,
        series,
        cap: backoff.cap.unwrap_or(Time::UNBOUNDED),
        jitter_least: thousandths(backoff.jitter.0),
        jitter_greatest: thousandths(backoff.jitter.1),
        cap_before_jitter: true,
        plus: Wait {
            least: Time::ZERO,
            greatest: Time::ZERO,
        },
    }
}

/// The greatest waits, in order, as facts list them.
fn waits(growth: Option<Growth>, max: Option<u64>) -> Vec<Time> {
    let Some(growth) = growth else {
        return Vec::new();
    };
    let backoff = cost::Backoff {
        listed: Vec::new(),
        growth: Some(growth),
    };
    (0..max.unwrap_or(16).min(16))
        .map(|index| backoff.wait(index).greatest)
        .collect()
}
