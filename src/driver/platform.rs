//! What a project's files say of the platform that it runs on.

use std::collections::BTreeSet;

use super::disk::Disk;
use super::walk::Walk;
use crate::evaluate::Place;
use crate::evaluate::facts::Remark;
use crate::program::Span;
use crate::rules::platform::Platforms;
use crate::stack::files::folder;
use crate::stack::found::{Detected, PlatformFacts, detect, marker_files};
use crate::stack::vercel::FunctionsFile;
use crate::stack::{SourceText, Stack};

/// The marker and functions files at the root and in the folder of each package, and those of
/// them that cannot be used, with the reason.
pub(super) fn facts(
    disk: &Disk,
    walk: &Walk,
    platforms: &Platforms,
) -> (PlatformFacts, Vec<(String, String)>) {
    let mut folders: BTreeSet<&str> = walk.manifests.iter().map(|path| folder(path)).collect();
    folders.insert("");
    let functions: BTreeSet<&str> = platforms
        .iter()
        .filter_map(|platform| platform.detect.functions.as_deref())
        .collect();
    let mut facts = PlatformFacts::default();
    let mut wrong = Vec::new();
    for folder in folders {
        for name in marker_files(platforms) {
            let path = if folder.is_empty() {
                name.clone()
            } else {
                format!("{folder}/{name}")
            };
            let Some(text) = disk.text(&path) else {
                continue;
            };
            if functions.contains(name.as_str()) {
                match FunctionsFile::parse(&SourceText::file(&path, &text)) {
                    Ok(file) => facts.functions.push(file),
                    Err(error) => wrong.push((path.clone(), error.to_string())),
                }
            }
            facts.files.insert(path);
        }
    }
    (facts, wrong)
}

/// What is said where the files of several platforms are there: none of their limits counts.
pub(super) fn undecided(
    stack: &Stack,
    facts: &PlatformFacts,
    platforms: &Platforms,
) -> Option<Remark> {
    let Detected::Several(names) = detect(&stack.platform, facts, platforms) else {
        return None;
    };
    let marks = |path: &&String| {
        let name = path.rsplit('/').next().unwrap_or(path);
        let several = names.iter().filter_map(|name| platforms.get(name));
        several
            .flat_map(|platform| &platform.detect.files)
            .any(|file| file == name)
    };
    let file = facts.files.iter().find(marks);
    Some(Remark {
        lint: "stack-drift",
        place: Place {
            file: file.map_or_else(|| ".".to_string(), Clone::clone),
            line: 1,
            column: 1,
            span: Span::default(),
        },
        message: format!(
            "there are files of several platforms ({}): the limits of none of them count",
            names.join(", ")
        ),
        help: Some("say which one it is: `use` in `[platform]`, or `\"none\"`".to_string()),
    })
}
