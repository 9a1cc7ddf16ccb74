//! What hooks know of pairs, and what they changed in this step.
//!
//! Reference: rapier 0.36, `ContactModificationContext` (a number of the user's own for each pair).

use crate::contacts::rules::check_list;
use alloc::vec::Vec;
use carom_response::Inconsistency;

/// What hooks know of pairs, and what they changed in this step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hooked {
    /// Their memory of pairs, sorted.
    pub(crate) memory: Vec<([u32; 2], u32)>,
    /// The places of records with friction and restitution of their own.
    pub(crate) materials: Vec<(u32, [f32; 2])>,
}

/// Checks that the memory is sorted, and of pairs of living bodies.
pub(crate) fn check_memory(memory: &[([u32; 2], u32)], is_live: &[bool]) -> Result<(), Inconsistency> {
    let is_live = |body: u32| is_live.get(body as usize) == Some(&true);
    let is_sound = |k: usize| {
        let ([a, b], _) = memory[k];
        a < b && is_live(a) && is_live(b)
    };
    check_list(memory, is_sound, "the memory of a hook")
}
