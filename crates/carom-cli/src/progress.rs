//! Progress bars: on standard error, only on a terminal, only for what takes more than half a
//! second.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::{Duration, Instant};

/// A bar that shows itself when the work turns out to be long.
pub(crate) struct Progress {
    bar: ProgressBar,
    start: Instant,
    is_shown: bool,
}

/// Shorter work needs no bar.
const PATIENCE: Duration = Duration::from_millis(500);

impl Progress {
    /// A bar for `n` steps.
    pub(crate) fn new(what: &'static str, n: u64) -> Progress {
        let bar = ProgressBar::with_draw_target(Some(n), ProgressDrawTarget::hidden()).with_message(what);
        if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}") {
            bar.set_style(style);
        }
        Progress { bar, start: Instant::now(), is_shown: false }
    }

    /// One step is done.
    pub(crate) fn step(&mut self) {
        self.bar.inc(1);
        if !self.is_shown && PATIENCE < self.start.elapsed() {
            self.is_shown = true;
            // A target that is no terminal draws nothing.
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
