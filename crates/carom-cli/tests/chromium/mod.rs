//! The browser that tests open pages in.

use std::path::Path;

/// Files at which Chromium, or a browser of its kind, may lie.
const PROGRAMS: [&str; 3] = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/// Returns the program of the browser; `None`, with a printed line, where none is installed.
pub(crate) fn program() -> Option<&'static str> {
    let found = PROGRAMS.into_iter().find(|path| Path::new(path).exists());
    if found.is_none() {
        println!("skipped: no Chromium is installed");
    }
    found
}
