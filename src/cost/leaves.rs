//! Terms without children: timers, attempts, waits that are believed or unknown.

use super::curve::Curve;
use super::ends::Silent;
use super::evaluator::Context;
use super::profile::{End, Profile, caused};
use super::term::{Call, Outcome, Site, Wait};
use super::time::Time;
use super::work::{Flight, PerDependency, Total};

/// A timer.
pub(super) fn sleep(site: Site, wait: Wait, context: &Context) -> Profile {
    let mut end = End::start(context.now);
    end.earliest += wait.least;
    end.latest += wait.greatest;
    let mut greatest = wait.greatest;
    if context.mode.zero && greatest.is_unbounded() {
        greatest = if wait.least.is_unbounded() {
            Time::ZERO
        } else {
            wait.least
        };
        end.earliest = context.now.earliest + wait.least.min(greatest);
        end.latest = context.now.latest + greatest;
    }
    end.causes = caused(site, greatest);
    Profile {
        ends: vec![(Outcome::OK, end)],
        ..Profile::default()
    }
}

/// Any of `outcomes` within `limit`.
pub(super) fn wait(site: Site, outcomes: &[Outcome], limit: Time, context: &Context) -> Profile {
    let limit = if context.mode.zero && limit.is_unbounded() {
        Time::ZERO
    } else {
        limit
    };
    let mut profile = Profile::default();
    for outcome in outcomes {
        let mut end = End::start(context.now);
        end.latest += limit;
        end.causes = caused(site, limit);
        profile.add(*outcome, end);
    }
    profile
}

pub(super) fn respond(context: &Context) -> Profile {
    let mut profile = Profile::at_once(Outcome::OK, context.now);
    for (_, end) in &mut profile.ends {
        end.response.sent = Some(context.now.latest);
        end.response.silent = Silent::Never;
    }
    profile
}

/// One attempt.
pub(super) fn attempt(call: &Call, context: &Context) -> Profile {
    let mut profile = Profile::default();
    for (outcome, interval) in &call.outcomes {
        let mut interval = *interval;
        if context.mode.zero && interval.latest.is_unbounded() {
            if interval.earliest.is_unbounded() {
                interval.earliest = Time::ZERO;
            }
            interval.latest = interval.earliest;
        }
        let mut end = End::start(context.now);
        end.earliest += interval.earliest;
        end.latest += interval.latest;
        end.causes = caused(call.site, interval.latest);
        if let Some(dependency) = call.dependency {
            let count = u64::from(call.attempts);
            let starts = Curve::at(context.now.earliest, count);
            let occupancy = interval.latest;
            let flight = Flight {
                starts,
                peak: 1,
                occupancy,
                bodies: count == 0,
            };
            end.attached.end = Some(end.latest);
            end.attached.far = Some(context.now.latest + call.far_limit);
            end.attached.far_limit = call.far_limit;
            end.attached.flights = PerDependency::one(dependency, flight);
            let total = Total {
                load: count,
                occupancy,
                peak: 1,
            };
            end.totals = PerDependency::one(dependency, total);
        }
        profile.add(*outcome, end);
    }
    profile
}
