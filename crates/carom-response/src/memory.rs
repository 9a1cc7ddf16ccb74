//! Memory that is kept from step to step and written over.
//!
//! Reference: R. Nystrom, Game Programming Patterns, 2014 (object pools: memory that is used
//! again).

use alloc::vec::Vec;
#[cfg(feature = "parallel")]
use rayon::prelude::*;

/// Makes a list so long whose content is to be written over. Where it has to grow beyond its memory
/// nothing is copied to the new one.
#[cfg(not(feature = "parallel"))]
pub(crate) fn renew<T: Clone>(list: &mut Vec<T>, n: usize, value: T) {
    give_up(list, n);
    list.resize(n, value);
}

/// Forgets what a list has no room for.
pub(crate) fn give_up<T>(list: &mut Vec<T>, n: usize) {
    if list.capacity() < n {
        // In the old place at first, so that no more than one of the two is there; a little more,
        // for most grow on.
        *list = Vec::new();
        list.reserve_exact(n + n / 4);
    }
}

/// So many bytes of fresh memory are little.
#[cfg(feature = "parallel")]
const FRESH: usize = 1 << 16;

/// Makes a list so long whose content is to be written over: fresh memory is slow when it is
/// written the first time, and then by all.
#[cfg(feature = "parallel")]
pub(crate) fn renew<T: Clone + Send>(list: &mut Vec<T>, n: usize, value: T) {
    if size_of::<T>() * n.saturating_sub(list.len()) <= FRESH {
        give_up(list, n);
        return list.resize(n, value);
    }
    give_up(list, n);
    list.par_extend(rayon::iter::repeat_n(value, n - list.len()));
}
