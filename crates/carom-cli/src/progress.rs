//! Progress bars on standard error, only on a terminal, and only for work that takes more than half
//! a second.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::{Duration, Instant};

/// A progress bar that appears when the work takes long.
pub(crate) struct Progress {
    bar: ProgressBar,
    start: Instant,
    is_shown: bool,
}

/// The time after which a bar appears.
const PATIENCE: Duration = Duration::from_millis(500);

impl Progress {
    /// Returns a bar for `n` steps.
    pub(crate) fn new(what: &'static str, n: u64) -> Progress {
        let bar = ProgressBar::with_draw_target(Some(n), ProgressDrawTarget::hidden()).with_message(what);
        if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}") {
            bar.set_style(style);
        }
        Progress { bar, start: Instant::now(), is_shown: false }
    }

    /// Counts one step as done.
    pub(crate) fn step(&mut self) {
        self.bar.inc(1);
        if !self.is_shown && PATIENCE < self.start.elapsed() {
            self.is_shown = true;
            // A target that is not a terminal draws nothing.
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
