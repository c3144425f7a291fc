//! Rule packs are embedded: a file that is added below `rules/` must build the crate again.

use std::path::Path;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    watch(Path::new("rules"));
}

/// Names a folder, what is in it, and the folders below: a change of a folder's own time does
/// not show on every file system when a file in it is edited.
fn watch(folder: &Path) {
    println!("cargo:rerun-if-changed={}", folder.display());
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            watch(&path);
        } else {
            println!("cargo:rerun-if-changed={}", path.display());
        }
    }
}
