//! What a project's files say of the platform that it runs on.

use std::collections::BTreeSet;

use super::disk::Disk;
use super::walk::Walk;
use crate::rules::platform::Platforms;
use crate::stack::SourceText;
use crate::stack::files::folder;
use crate::stack::found::{PlatformFacts, marker_files};
use crate::stack::vercel::FunctionsFile;

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
