//! `cargo xtask verify physics [OPTIONS]`: the scoreboard of ordinary scenes, carom beside rapier.
//!
//! The work is done by the program `physics` of the package carom-benches, built for speed with
//! its peers; the rows are those of `carom_scenes::scoreboard`. `--write` writes the page of
//! carom-world again.

use crate::Error;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

/// The page that `--write` writes.
const PAGE: &str = "crates/carom-world/SCOREBOARD.md";

/// Runs the program with these arguments. Returns true if carom passes all rows.
pub(crate) fn run(root: &Path, arguments: impl Iterator<Item = OsString>) -> Result<bool, Error> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    let package = ["run", "--quiet", "--release", "-p", "carom-benches", "--features", "peers"];
    command.current_dir(root).args(package).args(["--bin", "physics", "--"]);
    for argument in arguments {
        let is_write = argument == "--write";
        command.arg(argument);
        if is_write {
            command.arg(PAGE);
        }
    }
    Ok(command.status()?.success())
}
