//! `cargo xtask truth WHAT [OPTIONS]`: long runs of carom against exact arithmetic.
//!
//! The work is done by the program `truth` of the package carom-benches, built for speed; each
//! family of questions is one file in `benches/truth/`.

use crate::Error;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

/// Runs the program with these arguments. Returns true if no answer was wrong.
pub(crate) fn run(root: &Path, arguments: impl Iterator<Item = OsString>) -> Result<bool, Error> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .current_dir(root)
        .args(["run", "--quiet", "--release", "-p", "carom-benches", "--bin", "truth", "--"])
        .args(arguments)
        .status()?;
    Ok(status.success())
}
