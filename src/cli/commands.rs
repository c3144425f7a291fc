//! One function a command.

use crate::driver::{self, Analysed, Loaded, Request};
use crate::lints::{self, LINTS, Level};
use crate::report::human::{self, Style};
use crate::report::{self, Run};
use crate::stack::nearest::nearest;

use super::arguments::{
    Adversary, Check, CheckFormat, Command, Explain, FailOn, Layers, ProjectOptions, RulesCommand,
    Table, TableFormat,
};
use super::{Failure, Output};

/// Runs a command.
pub(super) fn run(command: &Command, style: Style) -> Result<Output, Failure> {
    match command {
        Command::Check(arguments) => check(arguments, style),
        Command::Table(arguments) => table(arguments),
        Command::Explain(arguments) => explain(arguments),
        Command::Layers(arguments) => layers(arguments),
        Command::Rules(rules) => match &rules.command {
            RulesCommand::List => rules_list(),
            RulesCommand::Show { name } => rules_show(name),
            RulesCommand::Check { folder } => rules_check(folder),
        },
    }
}

fn request(path: &std::path::Path, options: &ProjectOptions, strict: bool) -> Request {
    Request {
        path: path.to_path_buf(),
        stack: options.stack.clone(),
        environment: options.env.clone(),
        env_files: options.env_file.clone(),
        adversary: options.adversary.map(|adversary| match adversary {
            Adversary::Silent => crate::stack::Adversary::Silent,
            Adversary::Trickle => crate::stack::Adversary::Trickle,
            Adversary::Hostile => crate::stack::Adversary::Hostile,
        }),
        settings: options.set.clone(),
        strict,
    }
}

/// What a run as a whole is reported from.
fn reported<'a>(
    loaded: &'a Loaded,
    analysed: &'a Analysed,
    sources: report::ReadSource<'a>,
) -> Run<'a> {
    Run {
        analysis: &analysed.analysis,
        figures: &analysed.figures,
        findings: &analysed.findings,
        stack: &loaded.stack,
        assumptions: &analysed.assumptions,
        sources,
    }
}

/// What was read and what the self-check found, for `--verbose`.
fn told(loaded: &Loaded, analysed: &Analysed, options: &ProjectOptions) -> String {
    if !options.verbose {
        return String::new();
    }
    let lines = loaded.told.iter().cloned().chain(analysed.told());
    lines
        .map(|line| format!("{}\n", report::neutral::line(&line)))
        .collect()
}

fn check(arguments: &Check, style: Style) -> Result<Output, Failure> {
    let loaded = driver::load(&request(
        &arguments.path,
        &arguments.project,
        arguments.strict,
    ))?;
    let analysed = driver::analyse(&loaded)?;
    let sources = |path: &str| loaded.text(path);
    let run = reported(&loaded, &analysed, &sources);
    let mut err = told(&loaded, &analysed, &arguments.project);
    let out = match arguments.format {
        CheckFormat::Human => human::render(&run, style, arguments.all),
        CheckFormat::Json => report::json::render(&run),
        CheckFormat::Plain => {
            if !arguments.project.quiet {
                err.extend(
                    run.closing_lines()
                        .into_iter()
                        .map(|line| format!("{line}\n")),
                );
            }
            report::plain::render(&run)
        }
    };
    let least = match arguments.fail_on {
        FailOn::Error => Some(Level::Error),
        FailOn::Warning => Some(Level::Warning),
        FailOn::Note => Some(Level::Note),
        FailOn::Never => None,
    };
    let fails = least.is_some_and(|least| {
        analysed
            .findings
            .worst()
            .is_some_and(|worst| worst >= least)
    });
    Ok(Output {
        out,
        err,
        code: u8::from(fails),
    })
}

fn table(arguments: &Table) -> Result<Output, Failure> {
    let loaded = driver::load(&request(&arguments.path, &arguments.project, false))?;
    let analysed = driver::analyse(&loaded)?;
    let figures = &analysed.figures;
    let out = match arguments.format {
        TableFormat::Text => report::table::text(figures, arguments.all),
        TableFormat::Markdown => report::table::markdown(figures, arguments.all),
        TableFormat::Csv => report::table::csv(figures),
        TableFormat::Json => report::table::json(figures),
    };
    Ok(Output {
        out,
        err: told(&loaded, &analysed, &arguments.project),
        code: 0,
    })
}

fn explain(arguments: &Explain) -> Result<Output, Failure> {
    if let Some(lint) = lints::lint(&arguments.name) {
        return Ok(Output {
            out: report::explain::lint(lint),
            ..Output::default()
        });
    }
    let loaded = driver::load(&request(&arguments.path, &arguments.project, false))?;
    let analysed = driver::analyse(&loaded)?;
    let sources = |path: &str| loaded.text(path);
    let run = reported(&loaded, &analysed, &sources);
    let names: Vec<&str> = analysed
        .figures
        .iter()
        .map(|route| route.route.as_str())
        .collect();
    let wanted = same_route(&arguments.name, &names);
    let parts: Vec<String> = analysed
        .figures
        .iter()
        .filter(|route| Some(route.route.as_str()) == wanted)
        .map(|route| report::explain::route(&run, route))
        .collect();
    if parts.is_empty() {
        let known = LINTS.iter().map(|lint| lint.name).chain(names);
        return Err(Failure::UnknownName {
            what: "route or lint",
            name: arguments.name.clone(),
            nearest: nearest(&arguments.name, known).map(str::to_string),
            listed_by: "overrun table",
        });
    }
    Ok(Output {
        out: parts.join("\n"),
        err: told(&loaded, &analysed, &arguments.project),
        code: 0,
    })
}

/// The route of a name: as written, else but for case, spaces and a closing `/`.
fn same_route<'a>(name: &str, routes: &[&'a str]) -> Option<&'a str> {
    let folded = |name: &str| {
        let words: Vec<&str> = name.split_whitespace().collect();
        words.join(" ").trim_end_matches('/').to_lowercase()
    };
    let exact = routes.iter().find(|route| **route == name);
    exact
        .or_else(|| routes.iter().find(|route| folded(route) == folded(name)))
        .copied()
}

fn layers(arguments: &Layers) -> Result<Output, Failure> {
    let loaded = driver::load(&request(&arguments.path, &arguments.project, false))?;
    let analysed = driver::analyse(&loaded)?;
    let sources = |path: &str| loaded.text(path);
    let out = report::layers::render(&reported(&loaded, &analysed, &sources));
    Ok(Output {
        out,
        err: told(&loaded, &analysed, &arguments.project),
        code: 0,
    })
}

fn rules_list() -> Result<Output, Failure> {
    let (library, platforms) = driver::rules()?;
    Ok(Output {
        out: report::rules::list(&library, &platforms),
        ..Output::default()
    })
}

fn rules_show(name: &str) -> Result<Output, Failure> {
    let (library, platforms) = driver::rules()?;
    match report::rules::show(&library, &platforms, name) {
        Some(out) => Ok(Output {
            out,
            ..Output::default()
        }),
        None => {
            let names = report::rules::names(&library, &platforms);
            Err(Failure::UnknownName {
                what: "rule pack",
                name: name.to_string(),
                nearest: nearest(name, names.iter().map(String::as_str)).map(str::to_string),
                listed_by: "overrun rules list",
            })
        }
    }
}

fn rules_check(folder: &std::path::Path) -> Result<Output, Failure> {
    let checked = driver::check_rules(folder)?;
    if checked.packs == 0 {
        return Err(Failure::NoPacks {
            folder: folder.to_path_buf(),
        });
    }
    let mut out: String = checked
        .wrong
        .iter()
        .map(|line| format!("{}\n", report::neutral::line(line)))
        .collect();
    let (packs, wrong) = (checked.packs, checked.wrong.len());
    let packs = format!("{packs} {}", if packs == 1 { "pack" } else { "packs" });
    out.push_str(&match wrong {
        0 => format!("{packs}: nothing wrong\n"),
        1 => format!("{packs}: 1 error\n"),
        n => format!("{packs}: {n} errors\n"),
    });
    Ok(Output {
        out,
        err: String::new(),
        code: u8::from(wrong > 0),
    })
}
