//! `implicit-default`.

use std::collections::{BTreeMap, BTreeSet};

use crate::cost::{Site, Time};
use crate::evaluate::{Decision, Figure, Place, SiteKind};

use super::context::limit_site;
use super::{Context, Doc, Finding, Label, Level, Lint};

/// The lint.
pub static LINT: Lint = Lint {
    name: "implicit-default",
    level: "error where a parameter chooses among limits and another call does choose, or the factory is declared; \
            note, one a function, for a plain duration",
    per: "call",
    doc: Doc {
        says: "A factory of the project chooses a timeout by a parameter, and this call leaves the choice to the \
               parameter's default, although other calls do choose.",
        hurts: "The default is the timeout that nobody thought about at this place. A write that is given the \
                limit of a read is cut off while it is still being stored.",
        example: "`createClient(kind = \"read\")` gives 5 s for reads and 10 s for writes. A call that forgets the \
                  kind gets 5 s, whatever it does with the client.",
        fix: "Say at each call which limit is meant, and remove the default from the parameter, so that the next \
              call cannot forget it.",
    },
    check,
};

/// One parameter of one function.
#[derive(Default)]
struct Parameter {
    chosen: bool,
    /// Calls that leave it to the default.
    defaulted: BTreeMap<Place, Uses>,
}

#[derive(Default)]
struct Uses {
    routes: BTreeSet<usize>,
    sites: BTreeSet<Site>,
    limits: BTreeSet<Time>,
    value: String,
}

type Key = (Place, String, String, bool);

fn check(context: &Context<'_>) -> Vec<Finding> {
    let mut parameters: BTreeMap<Key, Parameter> = BTreeMap::new();
    for (route, visit) in context.visits() {
        let Some(site) = limit_site(visit.term) else {
            continue;
        };
        for figure in context.limits_at(site) {
            for decision in &figure.decided_by {
                note(&mut parameters, route, site, figure, decision);
            }
        }
    }
    let mut findings: Vec<Finding> = Vec::new();
    for ((at, function, name, chooses), parameter) in &parameters {
        let factory = context
            .stack
            .factories
            .get(function)
            .and_then(|factory| factory.parameter.as_ref());
        let declared = factory.is_some_and(|parameter| parameter.value == *name);
        let annotated = context
            .analysis
            .factory_calls
            .iter()
            .any(|call| call.at == *at && call.parameter == *name);
        if declared || annotated || (*chooses && parameter.chosen) {
            let calls = parameter.defaulted.iter();
            findings
                .extend(calls.map(|(call, uses)| must_choose(context, function, name, call, uses)));
        } else if !chooses && !parameter.defaulted.is_empty() {
            findings.push(plain(context, at, function, name, parameter));
        }
    }
    for call in &context.analysis.factory_calls {
        if !findings.iter().any(|finding| finding.place == call.call) {
            findings.push(declared_factory(call));
        }
    }
    findings
}

/// A call of a factory whose declaration says that the parameter decides a timeout.
fn declared_factory(call: &crate::evaluate::Decision) -> Finding {
    let crate::evaluate::Decision {
        function,
        parameter,
        value,
        ..
    } = call;
    let message = format!(
        "`{function}` is called without `{parameter}`, which is declared to decide a timeout"
    );
    let mut finding = Finding::new(LINT.name, Level::Error, call.call.clone(), message);
    finding.here = Some(format!("`{parameter}` is `{value}` here"));
    finding.help = Some(format!(
        "say which limit is meant: pass `{parameter}`, and remove its default from `{function}`"
    ));
    finding
}

fn note(
    parameters: &mut BTreeMap<Key, Parameter>,
    route: usize,
    site: Site,
    figure: &Figure,
    decision: &Decision,
) {
    let Decision {
        function,
        at,
        parameter,
        chooses,
        ..
    } = decision;
    let known = parameters
        .entry((at.clone(), function.clone(), parameter.clone(), *chooses))
        .or_default();
    if !decision.defaulted {
        known.chosen = true;
        return;
    }
    let uses = known.defaulted.entry(decision.call.clone()).or_default();
    uses.routes.insert(route);
    uses.sites.insert(site);
    uses.limits.insert(figure.time);
    uses.value.clone_from(&decision.value);
}

fn must_choose(
    context: &Context<'_>,
    function: &str,
    name: &str,
    call: &Place,
    uses: &Uses,
) -> Finding {
    let limits: Vec<String> = uses.limits.iter().map(ToString::to_string).collect();
    let limits = super::finding::listed(&limits);
    let message = format!(
        "`{function}` is called without `{name}`, whose default chooses a timeout of {limits}"
    );
    let mut finding = Finding::new(LINT.name, Level::Error, call.clone(), message);
    finding.routes = context.routes(uses.routes.iter().copied());
    finding.here = Some(format!("`{name}` is `{}` here", uses.value));
    finding.labels = uses_of(context, uses);
    finding.help = Some(format!(
        "say which limit is meant: pass `{name}`, and remove its default from `{function}`"
    ));
    finding
}

fn plain(
    context: &Context<'_>,
    at: &Place,
    function: &str,
    name: &str,
    parameter: &Parameter,
) -> Finding {
    let calls = super::finding::counted(
        parameter.defaulted.len() as u64,
        "call leaves",
        "calls leave",
    );
    let value = parameter
        .defaulted
        .values()
        .next()
        .map_or("", |uses| uses.value.as_str());
    let message =
        format!("{calls} the timeout of `{function}` to the default of `{name}` ({value})");
    let mut finding = Finding::new(LINT.name, Level::Note, at.clone(), message);
    finding.routes = context.routes(
        parameter
            .defaulted
            .values()
            .flat_map(|uses| uses.routes.iter().copied()),
    );
    finding.labels = parameter
        .defaulted
        .keys()
        .map(|call| Label {
            place: call.clone(),
            text: format!("without `{name}`"),
            time: None,
            origin: None,
        })
        .collect();
    finding.help = Some(format!("pass `{name}` where another limit is meant"));
    finding
}

/// The calls that got the limit.
fn uses_of(context: &Context<'_>, uses: &Uses) -> Vec<Label> {
    let mut labels: Vec<Label> = Vec::new();
    for site in &uses.sites {
        let info = context.analysis.site(*site);
        let text = format!("`{}` gets this limit", info.label);
        if matches!(info.kind, SiteKind::Call(_))
            && !labels.iter().any(|label| label.place == info.place)
        {
            labels.push(Label {
                place: info.place.clone(),
                text,
                time: None,
                origin: None,
            });
        }
    }
    labels
}
