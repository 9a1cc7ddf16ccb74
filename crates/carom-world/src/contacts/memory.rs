//! Memory that is kept from step to step.
//!
//! Reference: R. Nystrom, Game Programming Patterns, 2014 (object pools: memory that is used
//! again).

use alloc::vec::Vec;

/// Shrinks memory that is several times as large as its content.
pub(crate) fn trim<T>(memory: &mut Vec<T>) {
    if 1024 + 4 * memory.len() < memory.capacity() {
        memory.shrink_to(2 * memory.len());
    }
}
