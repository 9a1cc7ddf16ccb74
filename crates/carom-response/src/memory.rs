//! Buffers that are reused from step to step and overwritten.
//!
//! Reference: R. Nystrom, Game Programming Patterns, 2014 (object pools: reused memory).

use alloc::vec::Vec;
#[cfg(feature = "parallel")]
use rayon::prelude::*;

/// The least amount of new memory, in bytes, that several threads fill.
#[cfg(feature = "parallel")]
const MIN_PARALLEL_BYTES: usize = 1 << 16;

/// Resizes a list whose contents will be overwritten. If it has to reallocate, it does not copy
/// the old contents. Writing new memory for the first time is slow (page faults), so all threads
/// share it.
pub(crate) fn renew<T: Clone + Send>(list: &mut Vec<T>, n: usize, value: T) {
    #[cfg(feature = "parallel")]
    let is_much = MIN_PARALLEL_BYTES < size_of::<T>() * n.saturating_sub(list.len());
    if list.capacity() < n {
        // The old buffer is freed first, so only one of the two exists at a time. Most lists keep
        // growing, so it gets some extra room.
        *list = Vec::new();
        list.reserve_exact(n + n / 4);
    }
    #[cfg(feature = "parallel")]
    if is_much {
        return list.par_extend(rayon::iter::repeat_n(value, n - list.len()));
    }
    list.resize(n, value);
}

/// Shrinks a list whose capacity is several times its length, because only few steps needed it.
pub fn shrink_unused<T>(list: &mut Vec<T>) {
    if 1024 + 4 * list.len() < list.capacity() {
        list.shrink_to(2 * list.len());
    }
}
