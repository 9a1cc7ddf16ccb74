//! Constraints on several threads. Those of a colour have no particle in common, so the bits are
//! the same.

use super::points::SharedPoint;
use alloc::vec::Vec;
use core::ops::Range;
use glam::{DQuat, DVec3, Vec3};
use rayon::prelude::*;

/// The number of constraints or batches that a thread takes at a time.
const CONSTRAINTS: usize = 32;

/// Positions that threads share during a pass; reused memory.
#[derive(Debug, Default)]
pub(super) struct SharedPoints(Vec<SharedPoint>);

impl Clone for SharedPoints {
    /// Returns an empty buffer, because it is written before it is read.
    fn clone(&self) -> SharedPoints {
        SharedPoints::default()
    }
}

/// Whether there are several threads, and enough constraints for them.
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

/// Calls `change` for each cluster, in parallel, with the range of its members, its rotation and
/// its goals.
pub(super) fn for_clusters(
    ends: &[usize],
    rotations: &mut [DQuat],
    goals: &mut [DVec3],
    change: impl Fn(Range<usize>, &mut DQuat, &mut [DVec3]) + Sync,
) {
    let (mut left, mut start) = (goals, 0);
    let mut clusters = Vec::with_capacity(ends.len());
    for (&end, rotation) in ends.iter().zip(rotations) {
        let (own, rest) = left.split_at_mut(end - start);
        clusters.push((start..end, rotation, own));
        (left, start) = (rest, end);
    }
    clusters.into_par_iter().for_each(|(range, rotation, goals)| change(range, rotation, goals));
}
