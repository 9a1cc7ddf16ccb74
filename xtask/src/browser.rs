//! The browser without a window that pages are opened in.

use std::path::Path;
use std::process::Command;

const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// Returns a command that starts the browser without a window and without any request to the
/// network, with its profile in a folder; `None` if no browser is installed.
pub(crate) fn without_window(profile: &Path) -> Option<Command> {
    let name = NAMES.into_iter().find(|name| Command::new(name).arg("--version").output().is_ok())?;
    let mut command = Command::new(name);
    command
        .args(["--headless", "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-sync"])
        .args(["--disable-background-networking", "--disable-component-update"])
        .arg(format!("--user-data-dir={}", profile.display()));
    Some(command)
}
