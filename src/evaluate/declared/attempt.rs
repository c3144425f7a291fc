//! One attempt of a declared call: its limit, its outcomes, its connection.

use std::collections::BTreeSet;

use crate::cost::{Call, Dependency, Interval, Outcome, Pool, Term, TermId, Time};
use crate::stack::{self, DeclaredCall, Origin, RetryOn, Sourced};

use super::super::facts::{
    CallInfo, Client, ClientId, DependencyInfo, Figure, Place, SiteKind, UnmodelledInfo,
};
use super::super::figures::place;
use super::{Builder, Ending, is_read};

/// Pools of the stack file are numbered from here, apart from those of the code.
const FIRST_POOL: u32 = 1 << 30;

impl Builder<'_> {
    /// The dependency as the client that makes its calls: what is wrong with them is said once,
    /// where the dependency stands.
    pub(super) fn client(&mut self, dependency: &stack::Dependency) -> ClientId {
        let at = place(&dependency.place);
        let known = self
            .analysis
            .clients
            .iter()
            .position(|client| client.place == at);
        let index = known.unwrap_or_else(|| {
            let id = self.dependency(dependency);
            self.analysis.clients.push(Client {
                place: at,
                package: package(dependency),
                version: dependency
                    .version
                    .as_ref()
                    .map(|version| version.value.clone()),
                dependency: id,
                constructor: dependency.name.clone(),
            });
            self.analysis.clients.len() - 1
        });
        ClientId(u32::try_from(index).unwrap_or(u32::MAX))
    }

    fn dependency(&mut self, dependency: &stack::Dependency) -> Dependency {
        let known = self
            .analysis
            .dependencies
            .iter()
            .position(|known| known.name == dependency.name);
        let index = known.unwrap_or_else(|| {
            self.analysis.dependencies.push(DependencyInfo {
                name: dependency.name.clone(),
                idempotency_key: dependency
                    .idempotency_key
                    .as_ref()
                    .map(|key| key.value.clone()),
            });
            self.analysis.dependencies.len() - 1
        });
        Dependency(u32::try_from(index).unwrap_or(u32::MAX))
    }

    pub(super) fn attempt(
        &mut self,
        call: &DeclaredCall,
        dependency: &stack::Dependency,
        at: &Place,
        label: &str,
    ) -> TermId {
        let reads = call.method.as_deref().map(is_read);
        let own = call
            .attempt
            .map(|time| Sourced::new(time, Origin::File(call.place.clone())));
        let limit = own.or_else(|| {
            dependency
                .attempt
                .of(call.operation.as_deref(), reads)
                .cloned()
        });
        let endings = self.possible(dependency);
        let (limit, far) = match (limit, &dependency.server_limit) {
            // The far side ends it first: its answer is in time for the caller's own limit.
            (Some(limit), Some(far)) if far.value < limit.value => (Some(far.clone()), far.value),
            (Some(limit), far) => (
                Some(limit),
                far.as_ref().map_or(Time::UNBOUNDED, |far| far.value),
            ),
            (None, Some(far)) => (Some(far.clone()), far.value),
            (None, None) => (None, Time::UNBOUNDED),
        };
        let Some(limit) = limit else {
            return self.unknown(dependency, &endings, at, label);
        };
        let info = CallInfo {
            client: Some(self.client(dependency)),
            dependency: self.dependency(dependency),
            package: package(dependency),
            method: call.method.clone(),
            write: call
                .method
                .as_deref()
                .is_some_and(|method| !is_read(method)),
            idempotent: false,
            limits: vec![(
                "attempt".to_string(),
                Figure {
                    time: limit.value,
                    origin: limit.origin,
                    decided_by: Vec::new(),
                },
            )],
        };
        let id = info.dependency;
        let site = self.site(at.clone(), label.to_string(), SiteKind::Call(info));
        let outcomes = self.outcomes(&endings, limit.value);
        let term = Term::Call(Call {
            site,
            dependency: Some(id),
            attempts: 1,
            outcomes,
            far_limit: far,
        });
        let body = self.add(term);
        self.held(dependency, body)
    }

    /// When each outcome of an attempt is possible: a timeout at the limit, all else up to it.
    fn outcomes(&mut self, endings: &BTreeSet<Ending>, limit: Time) -> Vec<(Outcome, Interval)> {
        let any = Interval {
            earliest: Time::ZERO,
            latest: limit,
        };
        let mut outcomes = vec![(Outcome::OK, any)];
        for ending in endings {
            let when = if *ending == Ending::Timeout {
                Interval {
                    earliest: limit,
                    latest: limit,
                }
            } else {
                any
            };
            if *ending != Ending::Timeout || !limit.is_unbounded() {
                outcomes.push((self.outcome(ending), when));
            }
        }
        outcomes.sort_unstable();
        outcomes
    }

    /// A call of which no limit is known: nothing is invented for it.
    fn unknown(
        &mut self,
        dependency: &stack::Dependency,
        endings: &BTreeSet<Ending>,
        at: &Place,
        label: &str,
    ) -> TermId {
        let info = UnmodelledInfo {
            package: dependency.uses.as_ref().map(|uses| uses.value.to_string()),
            callee: label.to_string(),
            reason: format!("`{}` has no `attempt` for it", dependency.name),
            awaits: 1,
        };
        let site = self.site(at.clone(), label.to_string(), SiteKind::Unmodelled(info));
        let mut outcomes: Vec<Outcome> =
            endings.iter().map(|ending| self.outcome(ending)).collect();
        outcomes.push(Outcome::OK);
        outcomes.sort_unstable();
        self.add(Term::Unmodelled { site, outcomes })
    }

    /// What an attempt on a dependency can end with: what is thrown, and the statuses of its retry.
    fn possible(&self, dependency: &stack::Dependency) -> BTreeSet<Ending> {
        let mut endings = BTreeSet::from([Ending::Timeout, Ending::Network, Ending::Other]);
        let on = dependency
            .retry
            .as_ref()
            .and_then(|retry| retry.value.on.as_ref());
        for word in on.map(|on| on.value.as_slice()).unwrap_or_default() {
            if let RetryOn::Status { from, to } = word {
                endings.insert(Ending::Status(*from, *to));
            }
        }
        endings
    }

    fn held(&mut self, dependency: &stack::Dependency, body: TermId) -> TermId {
        let Some((pool, max)) = dependency
            .pool
            .as_ref()
            .and_then(|pool| Some((pool, pool.max.as_ref()?)))
        else {
            return body;
        };
        let name = pool
            .name
            .as_ref()
            .map_or(dependency.name.clone(), |name| name.value.clone());
        let figure = |time: &Sourced<Time>| Figure {
            time: time.value,
            origin: time.origin.clone(),
            decided_by: Vec::new(),
        };
        let acquire = pool.acquire.as_ref().map(figure);
        let number = self.pool(&name);
        let time = acquire
            .as_ref()
            .map_or(Time::UNBOUNDED, |figure| figure.time);
        let place = place(&pool.place);
        let site = self.site(
            place,
            name.clone(),
            SiteKind::Pool {
                pool: name,
                client: None,
                acquire,
            },
        );
        let raises = self.outcome(&Ending::Timeout);
        self.add(Term::Hold {
            site,
            pool: number,
            size: max.value,
            acquire: time,
            raises,
            body,
        })
    }

    /// The number of a pool: that of the first dependency whose pool has the name.
    fn pool(&self, name: &str) -> Pool {
        let own = |dependency: &stack::Dependency| {
            let pool = dependency.pool.as_ref()?;
            Some(
                pool.name
                    .as_ref()
                    .map_or(dependency.name.as_str(), |name| name.value.as_str())
                    == name,
            )
        };
        let index = self
            .stack
            .dependencies
            .values()
            .position(|dependency| own(dependency) == Some(true))
            .unwrap_or(0);
        Pool(FIRST_POOL.saturating_add(u32::try_from(index).unwrap_or(0)))
    }
}

/// The package whose rules a dependency follows, else its own name.
fn package(dependency: &stack::Dependency) -> String {
    let uses = dependency.uses.as_ref().map(|uses| uses.value.to_string());
    uses.unwrap_or_else(|| dependency.name.clone())
}
