//! Blocks of a field on several threads: the same values as on one.

use alloc::vec::Vec;
use rayon::prelude::*;

/// A result for each part, in their order.
pub(crate) fn map<T: Send, U: Send>(parts: Vec<T>, run: impl Fn(u32, T) -> U + Sync) -> Vec<U> {
    parts.into_par_iter().enumerate().map(|(number, part)| run(number as u32, part)).collect()
}
