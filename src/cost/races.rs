//! The first of several branches.

use super::branches::{Branch, Counting, clean_up, joined, together};
use super::evaluator::{Context, Evaluator};
use super::limits::{at_once, capped, lost};
use super::profile::{Profile, fires};
use super::term::{FirstMode, Losers, Outcome, TermId};
use super::time::Time;

impl Evaluator<'_> {
    pub fn first_of(
        &mut self,
        branches: &[TermId],
        mode: FirstMode,
        losers: Losers,
        context: &Context,
    ) -> Profile {
        let context = &self.first_context(branches, mode, context);
        let any = self.run_branches(branches, None, Counting::Any, context);
        let mut profile = Profile {
            base: context.state.clone(),
            ..Profile::default()
        };
        let cap = first_cap(&any, mode);
        let all: Vec<_> = any
            .iter()
            .flat_map(|b| b.profile.parts.iter().copied())
            .collect();
        let cap = fires(cap, &all);
        for (at, branch) in any.iter().enumerate() {
            for (outcome, end) in &branch.profile.ends {
                if mode == FirstMode::FirstOk && *outcome != Outcome::OK {
                    continue;
                }
                let Some(mut won) = capped(end, context.now.earliest, cap, context.noise) else {
                    continue;
                };
                let instant = won.latest;
                let noise = branch.context.noise;
                let others = any.iter().enumerate().filter(|&(other, _)| other != at);
                let mut states = Vec::new();
                for (_, other) in others {
                    let Some(hull) = other.profile.hull() else {
                        continue;
                    };
                    let rest = fires(instant, &other.profile.parts);
                    at_once(
                        &mut won,
                        &lost(&hull, losers, context.now.earliest, rest, noise),
                    );
                    if losers == Losers::Cancelled {
                        let cleaned = clean_up(&other.profile, won.earliest, rest, &mut won);
                        won.latest = won.latest.max(cleaned);
                    }
                    states.push(hull.state);
                }
                let states: Vec<_> = states.iter().collect();
                won.state = context.state.then(&won.state).interrupted(&states);
                profile.add(*outcome, won);
            }
        }
        if mode == FirstMode::FirstOk {
            all_failed(&any, context, &mut profile);
        }
        if cap.is_unbounded() {
            let nevers = any.iter().filter_map(|b| b.profile.never.as_ref());
            nevers.for_each(|never| profile.add_never((**never).clone()));
        }
        together(&any, &mut profile);
        for part in &mut profile.parts {
            part.latest = part.latest.min(cap);
        }
        for cleanup in &mut profile.cleanups {
            cleanup.to = cleanup.to.min(cap);
        }
        profile
    }

    /// A race against a timer is a limit: what is unknown in it lasts until then.
    pub fn first_context(
        &mut self,
        branches: &[TermId],
        mode: FirstMode,
        context: &Context,
    ) -> Context {
        let limited = context.limited();
        let waits = |profile: &Profile| {
            let deciding = mode == FirstMode::First
                || profile.never.is_none() && profile.ends.iter().all(|(o, _)| *o == Outcome::OK);
            let worst = profile.worst();
            deciding && worst > context.now.latest && !worst.is_unbounded()
        };
        let bounded = branches
            .iter()
            .any(|branch| waits(&self.eval(*branch, &limited)));
        if bounded { limited } else { context.clone() }
    }
}

/// The instant by which a race is over.
fn first_cap(branches: &[Branch], mode: FirstMode) -> Time {
    let deciding = |branch: &&Branch| {
        mode == FirstMode::First
            || branch.profile.never.is_none()
                && branch
                    .profile
                    .ends
                    .iter()
                    .all(|(outcome, _)| *outcome == Outcome::OK)
    };
    let worst = branches
        .iter()
        .filter(deciding)
        .map(|branch| branch.profile.worst());
    worst.min().unwrap_or(Time::UNBOUNDED)
}

/// Every branch failed: the first branch's outcome, at the end of all.
fn all_failed(branches: &[Branch], context: &Context, profile: &mut Profile) {
    let failed: Vec<Profile> = branches
        .iter()
        .map(|branch| {
            let ends = branch
                .profile
                .ends
                .iter()
                .filter(|(o, _)| *o != Outcome::OK);
            Profile {
                ends: ends.cloned().collect(),
                ..Profile::default()
            }
        })
        .collect();
    if failed.iter().any(|failures| failures.ends.is_empty()) {
        return;
    }
    let Some((first, others)) = failed.split_first() else {
        return;
    };
    for (outcome, end) in &first.ends {
        let joined = joined(end, others.iter().filter_map(Profile::hull), context);
        profile.add(*outcome, joined);
    }
}
