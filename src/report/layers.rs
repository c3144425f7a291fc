//! `layers`: the outer limits and dependencies that were found, each with its origin.

use std::collections::{BTreeMap, BTreeSet};

use super::Run;
use super::columns::{Align, Columns};
use super::neutral;
use crate::cost::Dependency;
use crate::evaluate::Client;

/// All that was found.
pub fn render(run: &Run<'_>) -> String {
    let mut text = String::from("Layers\n");
    text.push_str(&indented(
        &layers(run),
        "no outer limit is known: name who waits in overrun.toml, [layers.NAME]",
    ));
    text.push_str("\nDependencies\n");
    text.push_str(&indented(&dependencies(run), "nothing remote is called"));
    text.push_str("\nSurroundings\n");
    text.push_str(&indented(&surroundings(run), ""));
    text
}

fn indented(text: &str, otherwise: &str) -> String {
    let text = if text.is_empty() { otherwise } else { text };
    text.lines().map(|line| format!("  {line}\n")).collect()
}

/// One row a limit: those of the stack file, then those that were found around routes.
fn layers(run: &Run<'_>) -> String {
    let mut around: BTreeMap<[String; 5], BTreeSet<usize>> = BTreeMap::new();
    for layer in run.stack.layers.values() {
        let row = [
            layer.name.clone(),
            layer.kind.word().to_string(),
            layer.limit.value.to_string(),
            layer.measures.word().to_string(),
            layer.limit.origin.to_string(),
        ];
        around.entry(row).or_default();
    }
    for figures in run.figures {
        for limit in &figures.limits {
            let row = [
                limit.layer.clone(),
                limit.kind.word().to_string(),
                limit.limit.to_string(),
                limit.measures.word().to_string(),
                limit.origin.to_string(),
            ];
            around.entry(row).or_default().insert(figures.index);
        }
    }
    if around.is_empty() {
        return String::new();
    }
    let left = Align::Left;
    let mut columns = Columns::new(&[left, left, Align::Right, left, left, Align::Right]);
    columns.row(["NAME", "KIND", "LIMIT", "MEASURES", "FROM", "ROUTES"]);
    for (row, routes) in around {
        let cells = row.iter().map(|cell| neutral::line(cell).into_owned());
        columns.row(cells.chain([routes.len().to_string()]));
    }
    columns.text()
}

/// One row a dependency, and under it the places where its clients are constructed.
fn dependencies(run: &Run<'_>) -> String {
    let mut columns = Columns::new(&[Align::Left, Align::Left, Align::Left]);
    for (index, dependency) in run.analysis.dependencies.iter().enumerate() {
        let declared = run.stack.dependencies.get(&dependency.name);
        let from = declared.map_or_else(
            || "read from the code".to_string(),
            |declared| declared.place.to_string(),
        );
        columns.row([
            neutral::line(&dependency.name).into_owned(),
            String::new(),
            neutral::line(&from).into_owned(),
        ]);
        for row in clients(run, index) {
            columns.row(row);
        }
    }
    let known: BTreeSet<&str> = run
        .analysis
        .dependencies
        .iter()
        .map(|known| known.name.as_str())
        .collect();
    for (name, declared) in run
        .stack
        .dependencies
        .iter()
        .filter(|(name, _)| !known.contains(name.as_str()))
    {
        let place = neutral::line(&declared.place.to_string()).into_owned();
        columns.row([
            neutral::line(name).into_owned(),
            "not called by any route".to_string(),
            place,
        ]);
    }
    columns.text()
}

/// The places where clients of a dependency are constructed, each once: a place that is
/// reached with several options gives several clients.
fn clients(run: &Run<'_>, dependency: usize) -> BTreeSet<[String; 3]> {
    let own = |found: Dependency| usize::try_from(found.0).is_ok_and(|found| found == dependency);
    let clients = run
        .analysis
        .clients
        .iter()
        .filter(|client| own(client.dependency));
    let row = |client: &Client| {
        let version = client
            .version
            .as_ref()
            .map_or_else(String::new, |version| format!("@{version}"));
        [
            format!("  {}", neutral::line(&client.constructor)),
            format!("{}{version}", neutral::line(&client.package)),
            format!(
                "{}:{}",
                neutral::line(&client.place.file),
                client.place.line
            ),
        ]
    };
    clients.map(row).collect()
}

fn surroundings(run: &Run<'_>) -> String {
    let mut columns = Columns::new(&[Align::Left, Align::Left, Align::Left]);
    let stack = run.stack;
    let mut row = |what: &str, value: &str, from: String| {
        columns.row([
            what.to_string(),
            neutral::line(value).into_owned(),
            neutral::line(&from).into_owned(),
        ]);
    };
    let name = &stack.environment.name;
    row("environment", &name.value, name.origin.to_string());
    if let Some(plan) = &stack.platform.plan {
        row("plan", &plan.value, plan.origin.to_string());
    }
    if let Some(instances) = &stack.deployment.instances {
        row(
            "instances",
            &instances.value.to_string(),
            instances.origin.to_string(),
        );
    }
    let adversary = &stack.project.adversary;
    let word = crate::stack::Adversary::ALL
        .iter()
        .find(|(_, known)| *known == adversary.value);
    row(
        "adversary",
        word.map_or("", |(word, _)| word),
        adversary.origin.to_string(),
    );
    columns.text()
}
