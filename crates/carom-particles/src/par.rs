//! Particles on several threads: each one is moved by itself, so the bits are the same.

use crate::bounce::Fate;
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
