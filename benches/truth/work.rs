//! Work in numbered chunks, which threads take as they become free. The cases are the same for any
//! number of threads.

use crate::Options;
use std::io::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Runs chunks `0..n_chunks` of the work, each with its index and the tally of its thread. Returns
/// the tallies of all threads. Prints the progress to standard error.
pub(crate) fn in_chunks<T: Default + Send>(
    n_chunks: u64,
    options: &Options,
    work: impl Fn(u64, &mut T) + Sync,
) -> Vec<T> {
    let (next, done) = (AtomicU64::new(0), AtomicU64::new(0));
    let (start, mut last_report) = (Instant::now(), Instant::now());
    std::thread::scope(|scope| {
        let run = || {
            let mut tally = T::default();
            loop {
                let chunk = next.fetch_add(1, Ordering::Relaxed);
                if n_chunks <= chunk {
                    return tally;
                }
                work(chunk, &mut tally);
                done.fetch_add(1, Ordering::Relaxed);
            }
        };
        let threads: Vec<_> = (0..options.threads).map(|_| scope.spawn(run)).collect();
        while threads.iter().any(|thread| !thread.is_finished()) {
            std::thread::sleep(Duration::from_millis(20));
            if Duration::from_secs(5) < last_report.elapsed() {
                let part = 100.0 * done.load(Ordering::Relaxed) as f64 / n_chunks as f64;
                eprint!("\r{part:5.1} % after {:.0} s ", start.elapsed().as_secs_f64());
                let _ = std::io::stderr().flush();
                last_report = Instant::now();
            }
        }
        eprint!("\r");
        // A thread that panicked has printed its message.
        threads.into_iter().filter_map(|thread| thread.join().ok()).collect()
    })
}

/// The number of wrong cases that are printed without `--verbose`.
const N_SHOWN: usize = 20;

/// Prints the seeds of wrong cases, and their faults.
pub(crate) fn print_wrong(wrong: &[(u64, String)], options: &Options) {
    let n_shown = if options.is_verbose { wrong.len() } else { N_SHOWN };
    for (seed, what) in wrong.iter().take(n_shown) {
        println!("  --only {seed}: {what}");
    }
    if n_shown < wrong.len() {
        println!("  and {} more: --verbose", wrong.len() - n_shown);
    }
}

/// Prints one case that was run alone. Returns whether it was right.
pub(crate) fn print_replay((wrong, log): &(Option<String>, String)) -> bool {
    print!("{log}");
    println!("{}", wrong.as_deref().unwrap_or("right"));
    wrong.is_none()
}
