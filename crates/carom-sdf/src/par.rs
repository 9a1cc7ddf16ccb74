//! Blocks of a field on several threads: the same values as on one.

use crate::error::SdfError;
use alloc::vec::Vec;
use rayon::prelude::*;

/// Calls a function for each part with its number. The error is that of the first part that has one.
pub(crate) fn for_each<T: Send>(
    parts: Vec<T>,
    run: impl Fn(u32, T) -> Result<(), SdfError> + Sync,
) -> Result<(), SdfError> {
    let results: Vec<Result<(), SdfError>> =
        parts.into_par_iter().enumerate().map(|(number, part)| run(number as u32, part)).collect();
    results.into_iter().collect()
}
