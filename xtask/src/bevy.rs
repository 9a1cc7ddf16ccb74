//! The plugin for bevy: its tests, its example and the program of its README.

use crate::Error;
use crate::step::{End, cargo};
use std::path::Path;

/// The folder of the build, below that of the workspace.
const FOLDER: &str = "target/bevy";
/// The message of cargo for a compiler that is older than bevy needs.
const TOO_OLD: &str = "is not supported by the following package";

/// Checks the plugin. Skipped if bevy cannot be fetched, or the compiler is too old for it.
/// `is_full` checks the lints and the docs, too.
pub(crate) fn check(root: &Path, is_full: bool) -> Result<End, Error> {
    let (package, target) = (root.join("bevy_carom"), root.join(FOLDER).display().to_string());
    let environment = [("CARGO_TARGET_DIR", &target as &str), ("RUSTDOCFLAGS", "-D warnings")];
    if let End::Failed(report) = cargo(&package, "fetch --quiet --locked", &environment)? {
        return Ok(End::Skipped(format!("bevy: {}", report.lines().last().unwrap_or_default().trim())));
    }
    let commands: &[&str] = if is_full {
        &["clippy --quiet --locked --all-targets -- -D warnings", "doc --quiet --locked --no-deps"]
    } else {
        &[]
    };
    for arguments in commands.iter().chain(&["test --locked --no-fail-fast"]) {
        match cargo(&package, arguments, &environment)? {
            End::Failed(report) if report.contains(TOO_OLD) => {
                return Ok(End::Skipped("the compiler is older than bevy needs".to_string()));
            }
            End::Passed(note) if arguments.starts_with("test") => return Ok(End::Passed(note)),
            End::Passed(_) => {}
            other => return Ok(other),
        }
    }
    Err("no tests were run".into())
}
