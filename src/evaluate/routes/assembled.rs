//! The facts of a run, taken out of the interpreter.

use std::collections::{BTreeMap, BTreeSet};

use crate::cost::Outcome;
use crate::evaluate::facts::{Analysis, FileAllow, FileFacts, Place, SelfCheck};
use crate::evaluate::interp::{Interp, OutcomeKey};
use crate::evaluate::value::{ErrorClass, ErrorKind, Known};
use crate::program::{Annotation, Module, Span};

impl Interp<'_> {
    /// Takes the tables out.
    pub(super) fn assemble(
        mut self,
        races: Vec<crate::cost::Site>,
        self_check: SelfCheck,
    ) -> Analysis {
        let outcomes = self.outcomes.iter().enumerate();
        let outcomes: BTreeMap<Outcome, String> = outcomes
            .filter_map(|(index, key)| Some((Outcome(u32::try_from(index).ok()?), words(key)?)))
            .collect();
        let told_apart = self.told_apart();
        Analysis {
            told_apart,
            terms: std::mem::take(&mut self.terms),
            outcomes,
            sites: std::mem::take(&mut self.sites).into_iter().collect(),
            clients: std::mem::take(&mut self.clients),
            dependencies: std::mem::take(&mut self.dependencies),
            routes: Vec::new(),
            races,
            factory_calls: std::mem::take(&mut self.factory_calls)
                .into_iter()
                .collect(),
            remarks: std::mem::take(&mut self.remarks).into_iter().collect(),
            files: self.files(),
            sources: self.project.sources.len(),
            self_check,
        }
    }

    /// Every file that was read, by path.
    fn files(&self) -> Vec<FileFacts> {
        let sources = self
            .project
            .sources
            .iter()
            .map(|source| source.path.clone());
        let loaded = self.modules.iter().map(|entry| entry.module.path.clone());
        let paths: BTreeSet<String> = sources.chain(loaded).collect();
        paths
            .iter()
            .map(|path| facts_of(&self.project.world.module(path)))
            .collect()
    }
}

fn facts_of(module: &Module) -> FileFacts {
    let place = |span: Span| {
        let (line, column) = module.line_column(span.start);
        Place {
            file: module.path.clone(),
            line,
            column,
            span,
        }
    };
    let allows = module
        .annotations
        .iter()
        .filter_map(|attached| match &attached.annotation {
            Annotation::Allow { lints, reason } => Some(FileAllow {
                lints: lints.iter().map(ToString::to_string).collect(),
                reason: reason.clone(),
                comment: place(attached.comment),
                target: attached.target,
            }),
            _ => None,
        });
    FileFacts {
        path: module.path.clone(),
        gaps: module
            .gaps
            .iter()
            .map(|gap| (place(gap.span), gap.message.clone()))
            .collect(),
        bad_annotations: module
            .bad_annotations
            .iter()
            .map(|bad| (place(bad.comment), bad.message.clone()))
            .collect(),
        allows: allows.collect(),
    }
}

/// What an outcome is called in messages.
fn words(key: &OutcomeKey) -> Option<String> {
    match key {
        OutcomeKey::Reserved(number) => (*number == Outcome::OK.0).then(|| "ok".to_string()),
        OutcomeKey::Error(class) => Some(error_words(class)),
        OutcomeKey::End(_) => Some("end".to_string()),
        OutcomeKey::Status(status) => Some(status.to_string()),
        OutcomeKey::Jump(..) | OutcomeKey::Again(_) | OutcomeKey::First(_) => None,
    }
}

fn error_words(class: &ErrorClass) -> String {
    if let Known::Is(name) = &class.name {
        return name.to_string();
    }
    if let Some(status) = class.status {
        return status.to_string();
    }
    match class.kind {
        ErrorKind::Timeout => "timeout",
        ErrorKind::Abort => "abort",
        ErrorKind::Network => "network error",
        ErrorKind::Other => "error",
    }
    .to_string()
}
