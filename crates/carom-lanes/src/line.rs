//! Cache lines of two rows of eight floats, and shared access to many lines from several threads.
//!
//! Threads that write different lines in an unknown order cannot divide a slice between them. The
//! memory can be shared safely as atomic words. At worst a row mixes two writes. Nothing is
//! copied, and a processor with AVX moves the words of a row together.
//!
//! Reference: H. Boehm, S. Adve, Foundations of the C++ Concurrency Memory Model, 2008 (shared
//! data must be atomic; relaxed accesses are enough if something else orders the threads).

#[cfg(target_has_atomic = "64")]
use core::sync::atomic::{AtomicU64, Ordering};

/// A cache line of two rows.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct Line {
    /// The row that can be written while the line is shared.
    pub front: [f32; 8],
    /// The row that is only read while the line is shared.
    pub back: [f32; 8],
}

/// A [`Line`] that several threads see.
#[cfg(target_has_atomic = "64")]
#[derive(Debug)]
#[repr(C, align(64))]
pub struct SharedLine {
    front: [AtomicU64; 4],
    /// As in [`Line`].
    pub back: [f32; 8],
}

// Both types have the same layout.
#[cfg(target_has_atomic = "64")]
const _: () = assert!(
    size_of::<Line>() == size_of::<SharedLine>()
        && align_of::<Line>() == align_of::<SharedLine>()
        && core::mem::offset_of!(Line, front) == core::mem::offset_of!(SharedLine, front)
        && core::mem::offset_of!(Line, back) == core::mem::offset_of!(SharedLine, back)
);

#[cfg(target_has_atomic = "64")]
impl SharedLine {
    /// Shares these lines between threads while they are borrowed.
    pub fn of(lines: &mut [Line]) -> &[SharedLine] {
        let n = lines.len();
        // SAFETY: both types have the same layout, as asserted above, and any bits are valid for
        // both. The lines are borrowed exclusively while the result lives. So the front rows are
        // accessed only as atomic words, and the back rows are only read.
        unsafe { core::slice::from_raw_parts(lines.as_mut_ptr().cast::<SharedLine>(), n) }
    }

    /// Returns the front row. Each two floats are from one write. It is the last one, or one of
    /// another thread at the same time.
    #[inline(always)]
    pub fn front(&self) -> [f32; 8] {
        let mut words = [0; 4];
        let mut k = 0;
        while k < 4 {
            words[k] = self.front[k].load(Ordering::Relaxed);
            k += 1;
        }
        // SAFETY: both have the same size, and any bits are valid floats.
        unsafe { core::mem::transmute::<[u64; 4], [f32; 8]>(words) }
    }

    /// Writes the front row.
    #[inline(always)]
    pub fn set_front(&self, row: &[f32; 8]) {
        // SAFETY: both have the same size, and any bits are valid words.
        let words = unsafe { core::mem::transmute::<[f32; 8], [u64; 4]>(*row) };
        let mut k = 0;
        while k < 4 {
            self.front[k].store(words[k], Ordering::Relaxed);
            k += 1;
        }
    }

    /// Returns the address of the words of the front row.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(crate) fn front_address(&self) -> *mut u64 {
        self.front[0].as_ptr()
    }
}
