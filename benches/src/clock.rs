//! Clocks: CPU time of the calling thread, which other programs on the machine disturb less, and
//! wall-clock time.

use criterion::measurement::{Measurement, ValueFormatter, WallTime};
use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// The clock of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clock {
    /// CPU time of the calling thread.
    Thread,
    /// Wall-clock time, for work on several threads.
    Wall,
}

impl Clock {
    /// Returns the nanoseconds since an arbitrary start.
    pub(crate) fn ns(self) -> f64 {
        let time = clock_gettime(match self {
            Clock::Thread => ClockId::ThreadCPUTime,
            Clock::Wall => ClockId::Monotonic,
        });
        time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
    }
}

/// Returns the nanoseconds of CPU time of the calling thread, since an arbitrary start.
pub fn thread_ns() -> f64 {
    Clock::Thread.ns()
}

/// CPU time of the calling thread, as a measurement of criterion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ThreadTime;

impl Measurement for ThreadTime {
    type Intermediate = f64;
    type Value = Duration;

    fn start(&self) -> f64 {
        thread_ns()
    }

    fn end(&self, start: f64) -> Duration {
        duration(thread_ns() - start)
    }

    fn add(&self, a: &Duration, b: &Duration) -> Duration {
        *a + *b
    }

    fn zero(&self) -> Duration {
        Duration::ZERO
    }

    fn to_f64(&self, value: &Duration) -> f64 {
        value.as_nanos() as f64
    }

    fn formatter(&self) -> &dyn ValueFormatter {
        WallTime.formatter()
    }
}

/// Returns a duration of this number of nanoseconds, at least one, because criterion divides by
/// it.
pub(crate) fn duration(ns: f64) -> Duration {
    Duration::from_nanos(ns.max(1.0) as u64)
}
