//! The critical path through branches that run at once.

use super::branches::{Branch, Counting};
use super::evaluator::Context;
use super::path::{PathKind, Target, Walk, latest_of, targets};
use super::term::{FirstMode, Outcome, ParMode, TermId};
use super::time::Time;

impl Walk<'_, '_> {
    pub fn par(
        &mut self,
        branches: &[TermId],
        limit: Option<u32>,
        mode: ParMode,
        context: &Context,
        target: Target,
        length: Time,
    ) {
        let counting = match mode {
            ParMode::FirstFailure(_) => Counting::Success,
            _ => Counting::Any,
        };
        let run = self
            .evaluator
            .run_branches(branches, limit, counting, context);
        let latest = context.now.latest + length;
        let counts = |found: Target| match mode {
            // Any end of any branch may be the last.
            ParMode::Settled | ParMode::WaitAll => true,
            ParMode::FirstFailure(_) => found == target,
        };
        // The branch that reaches the instant; where a cap cut it, the first beyond it.
        let mut best: Option<(bool, Time, usize, Target)> = None;
        for (at, branch) in run.iter().enumerate() {
            for (found, end) in targets(&branch.profile).filter(|(found, _)| counts(*found)) {
                let offer = (end.latest >= latest, end.latest, at, found);
                let better = match best {
                    None => true,
                    Some((reaches, time, ..)) if reaches => offer.0 && end.latest < time,
                    Some((_, time, ..)) => offer.0 || end.latest > time,
                };
                if better {
                    best = Some(offer);
                }
            }
        }
        if let Some((.., at, found)) = best {
            self.branch(branches, &run, at, found, context);
        }
    }

    /// A branch, after those that kept its place before it.
    fn branch(
        &mut self,
        branches: &[TermId],
        run: &[Branch],
        at: usize,
        target: Target,
        context: &Context,
    ) {
        let mut chain = vec![(at, target)];
        let mut start = run[at].context.now.latest;
        while start > context.now.latest {
            let reaching = |(before, branch): (usize, &Branch)| {
                let ends = targets(&branch.profile);
                let mut reaches = ends.filter(|(_, end)| end.latest == start);
                reaches.next().map(|(target, _)| (before, target))
            };
            let first = chain.last().map_or(0, |&(at, _)| at);
            let found = run.iter().enumerate().take(first).find_map(reaching);
            let Some(found) = found else { break };
            chain.push(found);
            start = run[found.0].context.now.latest;
        }
        let begun = self.position;
        for (at, target) in chain.into_iter().rev() {
            let branch = &run[at];
            let from = self.path.len();
            let start = begun + branch.context.now.latest.saturating_sub(context.now.latest);
            self.fit(from, start, None, PathKind::Wait);
            self.descend(branches[at], &branch.context, target);
        }
    }

    pub fn first_of(
        &mut self,
        branches: &[TermId],
        mode: FirstMode,
        context: &Context,
        target: Target,
        length: Time,
    ) {
        let context = &self.evaluator.first_context(branches, mode, context);
        let run = self
            .evaluator
            .run_branches(branches, None, Counting::Any, context);
        let latest = context.now.latest + length;
        let all_failed = mode == FirstMode::FirstOk && target != Target::Ends(Outcome::OK);
        let mut best: Option<(Time, usize, Target)> = None;
        for (at, branch) in run.iter().enumerate() {
            for (found, end) in targets(&branch.profile) {
                let counts = found == target || all_failed && found != Target::Ends(Outcome::OK);
                let time = end.latest.min(latest);
                if counts && best.is_none_or(|(known, ..)| time > known) {
                    best = Some((time, at, found));
                }
            }
        }
        let best = best.map(|(_, at, found)| (at, found));
        let fallback = || latest_of(&run.first()?.profile).map(|target| (0, target));
        if let Some((at, found)) = best.or_else(fallback) {
            self.descend(branches[at], &run[at].context, found);
        }
    }
}
