//! Rules for the tree of files: the files at the top, the files that every crate has, and
//! forbidden names.

use super::Complaint;
use crate::Error;
use crate::metadata::Package;
use std::path::Path;

/// The files and folders at the top besides dot-files. Build output and [`FOREIGN`] folders are
/// ignored.
const TOP: [&str; 9] = [
    "Cargo.toml",
    "Cargo.lock",
    "crates",
    "benches",
    "bevy_carom",
    "python",
    "xtask",
    "README.md",
    "LICENSE",
];
/// Folders that do not belong to the repository.
const FOREIGN: [&str; 3] = ["target", "shared", ".git"];
/// Beginnings of names of files that programs write at the top. `.gitignore` has them too.
const PRODUCED: [&str; 2] = ["callgrind.out", "carom-demo-"];
/// Names without information about the content.
const EMPTY_NAMES: [&str; 7] = ["util", "utils", "common", "misc", "helper", "helpers", "stuff"];

/// Returns every file below `root`, sorted, as paths with `/`, without build output.
pub(super) fn files(root: &Path) -> Result<Vec<String>, Error> {
    let mut found = Vec::new();
    let mut open = vec![String::new()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(root.join(&folder))? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_produced = folder.is_empty() && PRODUCED.iter().any(|start| name.starts_with(start));
            if is_produced || FOREIGN.contains(&name.as_str()) {
                continue;
            }
            let path = if folder.is_empty() { name } else { format!("{folder}/{name}") };
            let kind = entry.file_type()?;
            if kind.is_dir() {
                open.push(path);
            } else if kind.is_file() {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Checks names and presence.
pub(super) fn check(files: &[String], root: &Path, packages: &[Package]) -> Result<Vec<Complaint>, Error> {
    let mut found = Vec::new();
    let mut complain = |path: &str, rule, text: &str| {
        found.push(Complaint { path: path.to_string(), line: 0, rule, text: text.to_string() });
    };

    let mut last = "";
    for path in files {
        let top = path.split('/').next().unwrap_or_default();
        // Files are sorted, so that each name at the top comes once in a row.
        if top != last && !TOP.contains(&top) && !top.starts_with('.') {
            complain(top, "top", "does not belong at the top level");
        }
        last = top;
        let name = path.rsplit('/').next().unwrap_or_default();
        let stem = name.split('.').next().unwrap_or_default();
        let parts = path.split('/').chain([stem]);
        if let Some(part) = parts.into_iter().find(|part| EMPTY_NAMES.contains(part)) {
            complain(path, "name", &format!("{part:?} says nothing; name it after what it does"));
        }
    }

    for package in packages {
        let folder = package.folder.strip_prefix(root).unwrap_or(&package.folder);
        let folder = folder.to_string_lossy().replace('\\', "/");
        if !folder.starts_with("crates/") {
            continue;
        }
        if folder != format!("crates/{}", package.name) {
            complain(&folder, "name", &format!("the folder of {} is not called so", package.name));
        }
        let readme = format!("{folder}/README.md");
        if !files.contains(&readme) {
            complain(&readme, "readme", "is missing");
        }
        let library = format!("{folder}/src/lib.rs");
        if !package.is_library() {
            continue;
        }
        if !files.contains(&library) {
            complain(&library, "doctest", "is missing");
        } else if !has_doctest(&std::fs::read_to_string(root.join(&library))?) {
            complain(&library, "doctest", "shows no example that runs as a doctest in its head");
        }
        if package.has_feature("libm") {
            let text = std::fs::read_to_string(root.join(&library)).unwrap_or_default();
            if !text.contains("#![no_std]") && !text.contains("#![cfg_attr(not(feature = \"std\"), no_std)]")
            {
                complain(&library, "no_std", "has the feature libm but is not no_std without std");
            }
        }
    }
    Ok(found)
}

/// Whether the head of the file has a compiled code block, or includes a text that has one.
fn has_doctest(text: &str) -> bool {
    text.lines().any(|line| {
        line.strip_prefix("//! ```").is_some_and(|rest| {
            rest.is_empty() || rest.starts_with("rust") || rest.starts_with("should_panic")
        })
    }) || text.contains("#![doc = include_str!(")
}
