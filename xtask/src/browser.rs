//! The browser without a window that pages are opened in.

use crate::chromium;
use std::path::Path;
use std::process::Command;

/// Returns a command that starts the browser without a window and without any request to the
/// network, with its profile in a folder; `None` if no browser is installed.
pub(crate) fn without_window(profile: &Path) -> Option<Command> {
    let mut command = Command::new(chromium::program()?);
    command
        .args(["--headless", "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-sync"])
        .args(["--disable-background-networking", "--disable-component-update"])
        .arg(format!("--user-data-dir={}", profile.display()));
    Some(command)
}
