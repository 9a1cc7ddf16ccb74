//! Time spent by this thread, so that other work on the machine counts less.

use rustix::time::{ClockId, clock_gettime};

/// Nanoseconds of CPU time of the calling thread, from an arbitrary start.
pub fn thread_ns() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}
