//! Progress bars on standard error, only on a terminal, and only for work that takes more than half
//! a second.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rayon::prelude::*;
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
        self.step_by(1);
    }

    /// Counts `n` steps as done.
    pub(crate) fn step_by(&mut self, n: usize) {
        self.bar.inc(n as u64);
        if !self.is_shown && PATIENCE < self.start.elapsed() {
            self.is_shown = true;
            // A target that is not a terminal draws nothing.
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
}

/// Maps items on all threads, with a bar that counts them. The results are in the order of the
/// items, and `done` receives each chunk as soon as it is computed.
pub(crate) fn map_chunks<T: Sync, R: Send>(
    what: &'static str,
    items: &[T],
    map: impl Fn(&T) -> R + Sync,
    mut done: impl FnMut(Vec<R>) -> Result<(), String>,
) -> Result<(), String> {
    let mut progress = Progress::new(what, items.len() as u64);
    for chunk in items.chunks(CHUNK_ITEMS) {
        let results: Vec<R> = chunk.par_iter().map(&map).collect();
        progress.step_by(chunk.len());
        done(results)?;
    }
    Ok(())
}

/// Items between two updates of the bar.
const CHUNK_ITEMS: usize = 256;

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
