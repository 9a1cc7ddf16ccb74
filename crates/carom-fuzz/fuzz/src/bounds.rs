//! Bounds of memory and of time for the readers of files.
//!
//! 1. An allocator counts the bytes of this thread.
//! 2. The clock is the CPU time of this thread, so that other work on the machine does not count.
//! 3. Both bounds have a constant part and a part in proportion to the input.

use rustix::time::{ClockId, clock_gettime};

/// Memory for the smallest input, and for each byte of an input.
const FREE_BYTES: u64 = 64 << 20;
const BYTES_PER_BYTE: u64 = 100;

/// Nanoseconds for the smallest input, and for each byte of an input, under the sanitizer.
const FREE_NS: u64 = 50_000_000;
const NS_PER_BYTE: u64 = 2_000;

/// Runs a reader on an input. Panics if the reader takes too much memory or time.
pub(crate) fn check(bytes: &[u8], read: impl FnOnce()) {
    let length = bytes.len() as u64;
    let start = thread_ns();
    let counted = allocation_counter::measure(read);
    let time = thread_ns().saturating_sub(start);
    let max_bytes = FREE_BYTES + BYTES_PER_BYTE * length;
    assert!(counted.bytes_max <= max_bytes, "{} bytes for {length}", counted.bytes_max);
    assert!(time <= FREE_NS + NS_PER_BYTE * length, "{} ms for {length} bytes", time / 1_000_000);
}

/// CPU time of this thread in nanoseconds, from an arbitrary start.
fn thread_ns() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    u64::try_from(time.tv_sec).unwrap_or(0) * 1_000_000_000 + u64::try_from(time.tv_nsec).unwrap_or(0)
}
