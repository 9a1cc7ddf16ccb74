//! `cargo xtask volumes [N]`: tests N bounding volumes of every kind and fit. Exact arithmetic
//! decides whether each contains its points. A test of carom-bounds does the same for about ten
//! thousand; here it is optimised and runs for longer.

use crate::Error;
use std::path::Path;
use std::process::Command;

/// Runs the test. Returns true if no point was outside.
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
