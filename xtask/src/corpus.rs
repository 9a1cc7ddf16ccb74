//! `cargo xtask corpus`: runs carom and its Rust peers on all failures of the corpus, which users
//! of other libraries published.

use crate::Error;
use std::path::Path;
use std::process::Command;

/// Writes the table. Returns true if carom is right in all cases.
pub(crate) fn run(root: &Path) -> Result<bool, Error> {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let date = humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string();
    let page = root.join("crates").join("carom-testkit").join("CORPUS.md");
    let status = Command::new(program)
        .current_dir(root)
        .args([
            "run",
            "--quiet",
            "--release",
            "-p",
            "carom-benches",
            "--features",
            "corpus",
            "--bin",
            "corpus",
            "--",
        ])
        .args(["--date", date.get(..10).unwrap_or(&date), "--out"])
        .arg(&page)
        .status()?;
    Ok(status.success())
}
