//! Constraints on several threads: those of a colour have no particle in common, so the bits are the
//! same.

use super::points::SharedPoint;
use alloc::vec::Vec;
use glam::Vec3;
use rayon::prelude::*;

/// Constraints that a thread takes at a time, in batches or one by one.
const CONSTRAINTS: usize = 32;

/// Positions that threads share during a pass; memory that is kept.
#[derive(Debug, Default)]
pub(super) struct SharedPoints(Vec<SharedPoint>);

impl Clone for SharedPoints {
    /// Without memory, as it is written before it is read.
    fn clone(&self) -> SharedPoints {
        SharedPoints::default()
    }
}

/// There are several threads, and enough constraints for them.
pub(super) fn pays_to_share(n_constraints: usize) -> bool {
    16 * CONSTRAINTS <= n_constraints && 1 < rayon::current_num_threads()
}

/// Solves constraints colour by colour. Those of a colour have no particle in common, so the order
/// in which threads take them changes nothing.
pub(super) fn solve_colours<T: Send>(
    constraints: &mut [T],
    ends: &[usize],
    shared: &mut SharedPoints,
    positions: &mut [Vec3],
    solve: impl Fn(&mut [T], &[SharedPoint]) + Sync,
) {
    let shared = &mut shared.0;
    shared.resize_with(positions.len(), SharedPoint::default);
    shared.iter().zip(&*positions).for_each(|(point, position)| point.store(*position));
    let mut start = 0;
    for &end in ends {
        let of_colour = &mut constraints[start..end];
        if of_colour.len() <= 2 * CONSTRAINTS {
            solve(of_colour, shared);
        } else {
            of_colour.par_chunks_mut(CONSTRAINTS).for_each(|some| solve(some, shared));
        }
        start = end;
    }
    positions.iter_mut().zip(shared).for_each(|(position, point)| *position = point.load());
}
