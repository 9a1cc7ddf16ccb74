//! `cargo xtask volumes [N]`: N bounding volumes of every kind and fit, each held in exact
//! arithmetic to contain every point that it should. The test of carom-bounds that checks some ten
//! thousand, optimised and for longer.

use crate::Error;
use std::path::Path;
use std::process::Command;

/// Runs the test; true where no point was outside.
pub(crate) fn run(root: &Path, n: u64) -> Result<bool, Error> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .current_dir(root)
        .args(["test", "--quiet", "--release", "-p", "carom-bounds", "--all-features", "--test", "it"])
        .args(["every_volume_holds", "--", "--nocapture"])
        .env("CAROM_VOLUMES", n.to_string())
        .status()?;
    Ok(status.success())
}
