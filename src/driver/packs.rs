//! Rule packs: those that are embedded, and a folder of them.

use std::path::Path;

use super::DriverError;
use crate::rules::platform::Platforms;
use crate::rules::{self, Library};
use crate::stack::Sourced;

/// What was found in a folder of packs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckedRules {
    /// Packs and platform files that were read.
    pub packs: usize,
    /// What is wrong with them, one line each.
    pub wrong: Vec<String>,
}

/// The packs and platforms that are part of the program.
///
/// # Errors
/// None, unless the program was built wrong.
pub fn rules() -> Result<(Library, Platforms), DriverError> {
    Ok((Library::embedded()?, Platforms::embedded()?))
}

/// Adds the packs of the folders that a stack file names, below `base`.
///
/// # Errors
/// A folder that cannot be read, or all that is wrong with its packs.
pub(super) fn add_own(
    library: &mut Library,
    folders: &[Sourced<String>],
    base: &Path,
) -> Result<(), DriverError> {
    for folder in folders {
        let wrong = match pack_files(&base.join(&folder.value)) {
            Ok(files) => add_files(library, &files),
            Err(DriverError::Folder { reason, .. }) => vec![reason],
            Err(error) => return Err(error),
        };
        if !wrong.is_empty() {
            return Err(DriverError::OwnPacks {
                folder: folder.value.clone(),
                place: folder.origin.to_string(),
                wrong,
            });
        }
    }
    Ok(())
}

/// What is wrong with the packs of a folder, each with its file.
fn add_files(library: &mut Library, files: &[(String, String)]) -> Vec<String> {
    let (platforms, packs): (Vec<_>, Vec<_>) = files
        .iter()
        .cloned()
        .partition(|(path, _)| path.starts_with("platforms/"));
    let unused = "platforms of a project's own are not read: write the limit as a layer";
    let mut wrong: Vec<String> = platforms
        .iter()
        .map(|(path, _)| format!("{path}: {unused}"))
        .collect();
    if packs.is_empty() && platforms.is_empty() {
        wrong.push("there is no pack in it: `npm/NAME.toml` is one".to_string());
    }
    match library.add_folder(&packs) {
        Err(errors) => wrong.extend(errors.iter().map(ToString::to_string)),
        Ok(()) => {
            let own = |path: &str| packs.iter().any(|(own, _)| own == path);
            let found = rules::check(library).into_iter();
            wrong.extend(
                found
                    .filter(|error| own(&error.path))
                    .map(|error| error.to_string()),
            );
        }
    }
    wrong.sort();
    wrong.dedup();
    wrong
}

/// Checks a folder of packs in the order of `rules/`: `npm/NAME.toml`, `platforms/NAME.toml`.
/// A folder that holds packs itself counts as the ecosystem of its name. Names that its packs
/// refer to may also be those of embedded ones.
///
/// # Errors
/// The folder cannot be read.
pub fn check_rules(folder: &Path) -> Result<CheckedRules, DriverError> {
    let files = pack_files(folder)?;
    let mut checked = CheckedRules {
        packs: files.len(),
        wrong: Vec::new(),
    };
    let mut library = Library::embedded()?;
    let (platforms, packs): (Vec<_>, Vec<_>) = files
        .into_iter()
        .partition(|(path, _)| path.starts_with("platforms/"));
    let mut known = Platforms::embedded()?;
    for (path, text) in &platforms {
        let name = path.trim_start_matches("platforms/");
        checked.wrong.extend(
            known
                .add(name, text)
                .err()
                .map(|error| format!("platforms/{error}")),
        );
    }
    if let Err(errors) = library.add_folder(&packs) {
        checked.wrong.extend(errors.iter().map(ToString::to_string));
    }
    let own = |path: &str| packs.iter().any(|(own, _)| own == path);
    let found = rules::check(&library)
        .into_iter()
        .filter(|error| own(&error.path));
    checked.wrong.extend(found.map(|error| error.to_string()));
    checked.wrong.sort();
    checked.wrong.dedup();
    Ok(checked)
}

/// The TOML files of a folder and of the folders in it, by path from the folder (or, where it
/// holds packs itself, from the one that it lies in), with their texts.
fn pack_files(folder: &Path) -> Result<Vec<(String, String)>, DriverError> {
    let failed = |reason: String| DriverError::Folder {
        path: folder.to_path_buf(),
        reason,
    };
    let real = folder
        .canonicalize()
        .map_err(|error| failed(error.to_string()))?;
    let name = real
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let mut files = Vec::new();
    for entry in walkdir::WalkDir::new(&real)
        .max_depth(2)
        .sort_by_file_name()
    {
        let entry = entry.map_err(|error| failed(error.to_string()))?;
        let is_pack = entry.file_type().is_file()
            && entry.path().extension().is_some_and(|end| end == "toml");
        let Ok(below) = entry.path().strip_prefix(&real) else {
            continue;
        };
        if !is_pack {
            continue;
        }
        let below = below.to_string_lossy().replace('\\', "/");
        let path = if below.contains('/') {
            below
        } else {
            format!("{name}/{below}")
        };
        let text = std::fs::read_to_string(entry.path())
            .map_err(|error| failed(format!("{path}: {error}")))?;
        files.push((path, text));
    }
    Ok(files)
}
