//! Time spent by this thread, so that other work on the machine counts less; and time that passes.

use rustix::time::{ClockId, clock_gettime};

/// Nanoseconds of CPU time of the calling thread, from an arbitrary start.
pub fn thread_ns() -> f64 {
    ns(ClockId::ThreadCPUTime)
}

/// Nanoseconds that have passed, from an arbitrary start.
pub(crate) fn wall_ns() -> f64 {
    ns(ClockId::Monotonic)
}

fn ns(clock: ClockId) -> f64 {
    let time = clock_gettime(clock);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}
