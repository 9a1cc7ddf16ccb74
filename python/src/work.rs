//! Batches on several threads, without the interpreter's lock, that Ctrl-C stops.
//!
//! A batch is a list of jobs, each with its part of the output. Threads take one job after the
//! other. The calling thread waits, and calls Python's signal handlers in between.
//!
//! Pools are kept by process: the child of a fork has none of its parent's threads, so it makes
//! pools of its own.

use crate::error;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Time between two calls of the signal handlers.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(50);

/// A pool, by the process and the number of threads.
type KeptPool = ((u32, usize), Arc<ThreadPool>);

/// Returns the pool with this number of threads.
pub(crate) fn pool(n_threads: usize) -> PyResult<Arc<ThreadPool>> {
    static POOLS: Mutex<Vec<KeptPool>> = Mutex::new(Vec::new());
    let key = (std::process::id(), n_threads);
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, pool)) = pools.iter().find(|(kept, _)| *kept == key) {
        return Ok(Arc::clone(pool));
    }
    let pool = ThreadPoolBuilder::new().num_threads(n_threads).build();
    let pool = Arc::new(pool.map_err(|e| error::value("threads", e))?);
    pools.push((key, Arc::clone(&pool)));
    Ok(pool)
}

/// Returns the number of threads for an argument `threads`; `None` is one for each core.
pub(crate) fn n_threads(threads: Option<usize>) -> PyResult<usize> {
    match threads {
        Some(0) => Err(error::value("threads", "must be at least 1")),
        Some(n) => Ok(n.min(1024)),
        None => Ok(std::thread::available_parallelism().map_or(1, usize::from)),
    }
}

/// Does all jobs. An error if `threads` is 0, or if a signal handler raised; the jobs that had not
/// begun then are not done.
pub(crate) fn run<J: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    jobs: Vec<J>,
    work: impl Fn(J) + Sync,
) -> PyResult<()> {
    let n_threads = n_threads(threads)?.min(jobs.len());
    let jobs = Mutex::new(jobs.into_iter());
    let is_stopped = AtomicBool::new(false);
    let next = || {
        if is_stopped.load(Ordering::Relaxed) {
            return None;
        }
        jobs.lock().unwrap_or_else(PoisonError::into_inner).next()
    };
    if n_threads <= 1 {
        return py.detach(|| {
            let mut last = Instant::now();
            while let Some(job) = next() {
                work(job);
                if SIGNAL_INTERVAL <= last.elapsed() {
                    Python::attach(|py| py.check_signals())?;
                    last = Instant::now();
                }
            }
            Ok(())
        });
    }
    let pool = pool(n_threads)?;
    py.detach(|| {
        let running = Running { count: Mutex::new(n_threads), changed: Condvar::new() };
        pool.in_place_scope(|scope| {
            for _ in 0..n_threads {
                scope.spawn(|_| {
                    let _end = End(&running);
                    while let Some(job) = next() {
                        work(job);
                    }
                });
            }
            while running.wait() {
                if let Err(raised) = Python::attach(|py| py.check_signals()) {
                    is_stopped.store(true, Ordering::Relaxed);
                    return Err(raised);
                }
            }
            Ok(())
        })
    })
}

/// Calls a function on a pool with this many threads, without the interpreter's lock. The function
/// cannot be stopped.
pub(crate) fn on_pool<R: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    work: impl FnOnce() -> R + Send,
) -> PyResult<R> {
    let pool = pool(n_threads(threads)?)?;
    Ok(py.detach(|| pool.install(work)))
}

/// Returns the size of the jobs for a batch of `n` entries: at most `most`, and several for each
/// thread.
pub(crate) fn job_len(n: usize, most: usize) -> usize {
    (n / 64).clamp(1, most).max(most.min(16))
}

/// The threads that still work.
struct Running {
    count: Mutex<usize>,
    changed: Condvar,
}

impl Running {
    /// Waits for a while, or until no thread works. Whether some still do.
    fn wait(&self) -> bool {
        let count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_timeout_while(count, SIGNAL_INTERVAL, |count| 0 < *count);
        0 < *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

/// The end of one thread's work, also by a panic.
struct End<'a>(&'a Running);

impl Drop for End<'_> {
    fn drop(&mut self) {
        *self.0.count.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.changed.notify_all();
    }
}
