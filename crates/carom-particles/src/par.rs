//! Particles on several threads: each one is moved by itself, or by one constraint at a time, so the
//! bits are the same.

use crate::bounce::Fate;
use crate::constraints::SharedPoint;
use alloc::vec::Vec;
use glam::Vec3;
use rayon::prelude::*;

/// Particles that a thread takes at a time.
const CHUNK: usize = 4096;

/// There are several threads, and enough to do for them.
pub(crate) fn pays(n: usize) -> bool {
    2 * CHUNK <= n && 1 < rayon::current_num_threads()
}

/// Moves all particles by `step`, which takes positions, velocities and fates of some.
pub(crate) fn advance_all(
    positions: &mut [Vec3],
    velocities: &mut [Vec3],
    fates: &mut [Fate],
    step: impl Fn(&mut [Vec3], &mut [Vec3], &mut [Fate]) + Sync,
) {
    let chunks = positions.par_chunks_mut(CHUNK).zip(velocities.par_chunks_mut(CHUNK));
    chunks.zip(fates.par_chunks_mut(CHUNK)).for_each(|((positions, velocities), fates)| {
        step(positions, velocities, fates);
    });
}

/// Constraints that a thread takes at a time, in batches or one by one.
const CONSTRAINTS: usize = 32;

/// Positions that threads share during a pass; memory that is kept.
#[derive(Debug, Default)]
pub(crate) struct SharedPoints(Vec<SharedPoint>);

impl Clone for SharedPoints {
    /// Without memory, as it is written before it is read.
    fn clone(&self) -> SharedPoints {
        SharedPoints::default()
    }
}

/// There are several threads, and enough constraints for them.
pub(crate) fn pays_to_share(n_constraints: usize) -> bool {
    16 * CONSTRAINTS <= n_constraints && 1 < rayon::current_num_threads()
}

/// Solves constraints colour by colour. Those of a colour have no particle in common, so the order
/// in which threads take them changes nothing.
pub(crate) fn solve_colours<T: Send>(
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
