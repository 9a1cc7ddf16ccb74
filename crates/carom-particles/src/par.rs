//! Particles on several threads: each one changes independently, so the bits are the same.

use crate::bounce::StepOutcome;
use crate::solver::contact::Contact;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::ops::Range;
use glam::Vec3;
use rayon::prelude::*;

/// The number of particles that a thread takes at a time.
const CHUNK: usize = 4096;

/// The number of slots that a thread takes at a time in passes over neighbours.
const SLOTS: usize = 1024;

/// Whether there are several threads, and enough work for them.
pub(crate) fn pays(n: usize) -> bool {
    2 * CHUNK <= n && 1 < rayon::current_num_threads()
}

/// Calls `step` for chunks of positions, velocities and outcomes, in parallel.
pub(crate) fn advance_all(
    positions: &mut [Vec3],
    velocities: &mut [Vec3],
    outcomes: &mut [StepOutcome],
    step: impl Fn(&mut [Vec3], &mut [Vec3], &mut [StepOutcome]) + Sync,
) {
    let chunks = positions.par_chunks_mut(CHUNK).zip(velocities.par_chunks_mut(CHUNK));
    chunks.zip(outcomes.par_chunks_mut(CHUNK)).for_each(|((positions, velocities), outcomes)| {
        step(positions, velocities, outcomes);
    });
}

/// Fills `out` by chunks, in parallel. `fill` gets the slots of each chunk.
pub(crate) fn for_slots<T: Send>(out: &mut [T], fill: impl Fn(Range<usize>, &mut [T]) + Sync) {
    out.par_chunks_mut(SLOTS).enumerate().for_each(|(chunk, out)| {
        fill(chunk * SLOTS..chunk * SLOTS + out.len(), out);
    });
}

/// Fills `out` by chunks, in parallel. `fill` gets the first slot of each chunk and the contacts of
/// its slots. `starts` has the first contact of each slot.
pub(crate) fn for_contacts<T: Send>(
    starts: &[u32],
    contacts: &mut [Contact],
    out: &mut [T],
    fill: impl Fn(usize, &mut [Contact], &mut [T]) + Sync,
) {
    let mut left = contacts;
    let mut chunks = Vec::with_capacity(out.len().div_ceil(SLOTS));
    for (chunk, out) in out.chunks_mut(SLOTS).enumerate() {
        let first = chunk * SLOTS;
        let n = starts[first + out.len()] - starts[first];
        let (own, rest) = left.split_at_mut(n as usize);
        chunks.push((first, own, out));
        left = rest;
    }
    chunks.into_par_iter().for_each(|(first, contacts, out)| fill(first, contacts, out));
}

/// Returns the results of a function for the integers below `n`, in order.
pub(crate) fn map<T: Send>(n: usize, f: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    (0..n).into_par_iter().map(f).collect()
}

/// Sorts items in parallel. Equal items must be identical.
pub(crate) fn sort_by<T: Send>(items: &mut [T], order: impl Fn(&T, &T) -> Ordering + Sync) {
    items.par_sort_unstable_by(order);
}
