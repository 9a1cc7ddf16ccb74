//! The loops of a step on several threads, with the same bits as on one thread.
//!
//! Contacts of one colour share no moving body. So in any order and on any thread, each body is
//! read and written by one contact only. The colours follow each other in the same order as on one
//! thread. While several threads work, the states are atomic words ([`SharedLine`]).
//!
//! Reference: E. Catto, Simulation Islands and Solver2D, box2d.org, 2023 and 2024 (graph
//! colouring).

mod workers;

use crate::bodies::advance::Advance;
use crate::bodies::body::Body;
use crate::bodies::free::{FreeMotion, MotionKind};
use crate::bodies::load::Forces;
use crate::bodies::mass::MassData;
use crate::bodies::store::{Limits, Moved};
use crate::contacts::contact::{ContactImpulse, Contacts, PairKey};
use crate::contacts::summary::{Summary, Verdict};
use crate::impulses::classes::ColorClasses;
use crate::impulses::group::Group;
use crate::impulses::impulse_list::ManifoldKey;
use crate::impulses::lane_vec::{Lanes, State, States};
use crate::impulses::rows::Manifolds;
use crate::step::chunks;
use alloc::vec::Vec;
use carom_lanes::{SharedLine, Simd};
use carom_math::{Real, Vec3};
use rayon::prelude::*;

pub(crate) use workers::Colors;

/// The number of bodies or manifolds per chunk.
const CHUNK: usize = 512;

/// The number of bodies per chunk in loops with little work per body. With chunks of 512, two
/// threads are slower than one for 3,000 bodies.
const LIGHT_CHUNK: usize = 2048;

/// The number of groups per chunk when groups are loaded.
const CHUNK_GROUPS: usize = 16;

/// The number of groups per chunk in loops with little work per group.
const LIGHT_CHUNK_GROUPS: usize = 256;

impl States for &[SharedLine] {
    #[inline(always)]
    fn n_states(&self) -> usize {
        self.len()
    }
    #[inline(always)]
    fn motion<S: Simd>(&self, simd: S, body: u32) -> S::F32x8 {
        simd.load_shared(&self[body as usize])
    }
    #[inline(always)]
    fn delta(&self, body: u32) -> Lanes {
        self[body as usize].back
    }
    #[inline(always)]
    fn set_motion<S: Simd>(&mut self, simd: S, body: u32, motion: S::F32x8) {
        simd.store_shared(&self[body as usize], motion);
    }
}

/// Runs `work` inside the thread pool, so that the pool is entered once, not for each loop.
pub(crate) fn inside<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    if rayon::current_num_threads() == 1 || rayon::current_thread_index().is_some() {
        return chunks::inside(work);
    }
    rayon::scope(|_| work())
}

/// Returns a chunk size that gives all threads equally many chunks.
fn light_chunk(n: usize) -> usize {
    n.div_ceil((n / LIGHT_CHUNK).max(1).next_multiple_of(rayon::current_num_threads()))
}

/// Whether the work is too small to be shared.
fn is_little(n: usize) -> bool {
    n <= CHUNK || rayon::current_num_threads() == 1
}

/// See [`chunks::both`].
pub(crate) fn both(size: usize, a: impl FnOnce() + Send, b: impl FnOnce() + Send) {
    if is_little(size) {
        return chunks::both(size, a, b);
    }
    rayon::join(a, b);
}

/// See [`chunks::summarize`].
pub(crate) fn summarize(
    contacts: &Contacts<'_>,
    first: usize,
    n_bodies: usize,
    slop: Real,
    out: &mut [Summary],
) -> Verdict {
    if is_little(out.len()) {
        return chunks::summarize(contacts, first, n_bodies, slop, out);
    }
    out.par_chunks_mut(CHUNK)
        .enumerate()
        .map(|(chunk, out)| chunks::summarize(contacts, first + chunk * CHUNK, n_bodies, slop, out))
        .reduce(|| Verdict::GOOD, Verdict::and)
}

/// See [`chunks::classify`].
pub(crate) fn classify(bodies: &[Body], listed: &[u32], out: &mut [MotionKind]) -> bool {
    if is_little(listed.len()) {
        return chunks::classify(bodies, listed, out);
    }
    listed
        .par_chunks(CHUNK)
        .zip(out.par_chunks_mut(CHUNK))
        .map(|(listed, out)| chunks::classify(bodies, listed, out))
        .reduce(|| true, |a, b| a & b)
}

/// See [`chunks::match_cached`].
pub(crate) fn match_cached(
    summaries: &[Summary],
    active: &[u32],
    order: &[(PairKey, u32)],
    matched: &mut [u32],
    left: &mut Vec<u32>,
) {
    // There is little work per contact. With chunks of 512, two threads are slower than one.
    if active.len() <= 2 * LIGHT_CHUNK || rayon::current_num_threads() == 1 {
        return chunks::match_cached(summaries, active, order, matched, left);
    }
    // Contacts with equal keys stay together, because the first of them takes the cached pair.
    let middle = active.len() / 2;
    let key = summaries[active[middle] as usize].key;
    let middle = active.partition_point(|&contact| summaries[contact as usize].key < key);
    if middle == 0 {
        return chunks::match_cached(summaries, active, order, matched, left);
    }
    let (order, order_above) = order.split_at(order.partition_point(|&(old, _)| old < key));
    let (active, above) = active.split_at(middle);
    let (matched, matched_above) = matched.split_at_mut(middle);
    let mut left_above = Vec::new();
    rayon::join(
        || match_cached(summaries, active, order, matched, left),
        || match_cached(summaries, above, order_above, matched_above, &mut left_above),
    );
    left.append(&mut left_above);
}

/// See [`chunks::load_bodies`].
pub(crate) fn load_bodies(
    forces: &Forces<'_>,
    indices: &[u32],
    settles: &[bool],
    (states, masses, free): (&mut [State], &mut [MassData], &mut [FreeMotion]),
) {
    if is_little(indices.len()) {
        return chunks::load_bodies(forces, indices, settles, (states, masses, free));
    }
    let from = indices.par_chunks(CHUNK).zip(settles.par_chunks(CHUNK));
    let to = states.par_chunks_mut(CHUNK).zip(masses.par_chunks_mut(CHUNK)).zip(free.par_chunks_mut(CHUNK));
    from.zip(to).for_each(|((indices, settles), ((states, masses), free))| {
        chunks::load_bodies(forces, indices, settles, (states, masses, free));
    });
}

/// See [`chunks::load_groups`].
pub(crate) fn load_groups(
    from: &Manifolds<'_>,
    colors: &ColorClasses,
    first: usize,
    groups: &mut [Group],
    manifold_keys: &mut [ManifoldKey],
) -> (usize, usize) {
    if groups.len() <= CHUNK_GROUPS || rayon::current_num_threads() == 1 {
        return chunks::load_groups(from, colors, first, groups, manifold_keys);
    }
    let (mut first, mut groups, mut manifold_keys) = (first, groups, manifold_keys);
    let of_members = in_shares(colors, CHUNK_GROUPS, |n| {
        let chunk = (first, take(&mut groups, n), take(&mut manifold_keys, 8 * n));
        first += n;
        chunk
    });
    let counts = of_members.into_par_iter().map(|(first, groups, manifold_keys)| {
        chunks::load_groups(from, colors, first, groups, manifold_keys)
    });
    counts.reduce(|| (0, 0), |a, b| (a.0 + b.0, a.1 + b.1))
}

/// Divides groups into chunks, in their order. `cut` gets the size of the next chunk. The result
/// is ordered by the thread that solves each chunk, because rayon starts each thread with its own
/// part.
fn in_shares<T>(colors: &ColorClasses, per_chunk: usize, mut cut: impl FnMut(usize) -> T) -> Vec<T> {
    let n_members = rayon::current_num_threads();
    let mut shares: Vec<Vec<T>> = (0..n_members).map(|_| Vec::new()).collect();
    for color in 0..colors.n_colors() {
        for (member, share) in shares.iter_mut().enumerate() {
            let mut left = colors.part(color, member, n_members).len();
            while 0 < left {
                let n = left.min(per_chunk);
                share.push(cut(n));
                left -= n;
            }
        }
    }
    shares.into_iter().flatten().collect()
}

/// See [`chunks::store_groups`].
pub(crate) fn store_groups(
    colors: &ColorClasses,
    groups: &[Group],
    cached: &mut [ContactImpulse],
    reports: &mut [ContactImpulse],
) {
    if groups.len() <= LIGHT_CHUNK_GROUPS || rayon::current_num_threads() == 1 {
        return chunks::store_groups(colors, groups, cached, reports);
    }
    let (mut groups, mut cached, mut reports) = (groups, cached, reports);
    let of_members = in_shares(colors, LIGHT_CHUNK_GROUPS, |n| {
        let (own, others) = groups.split_at(n);
        groups = others;
        (own, take(&mut cached, 8 * n), take(&mut reports, 8 * n))
    });
    of_members
        .into_par_iter()
        .for_each(|(groups, cached, reports)| chunks::store_groups(colors, groups, cached, reports));
}

/// See [`chunks::sort_reports`].
pub(crate) fn sort_reports(lanes: &[u32], reports: &[ContactImpulse], impulses: &mut [ContactImpulse]) {
    if lanes.len() <= LIGHT_CHUNK || rayon::current_num_threads() == 1 {
        return chunks::sort_reports(lanes, reports, impulses);
    }
    (lanes.par_chunks(LIGHT_CHUNK).zip(impulses.par_chunks_mut(LIGHT_CHUNK)))
        .for_each(|(lanes, impulses)| chunks::sort_reports(lanes, reports, impulses));
}

/// Splits off the first `n` entries of a list. Returns an empty slice if there are fewer.
pub(crate) fn take<'a, T>(list: &mut &'a mut [T], n: usize) -> &'a mut [T] {
    list.split_off_mut(..n).unwrap_or_default()
}

/// See [`chunks::advance`].
pub(crate) fn advance(
    states: &mut [State],
    free: &mut [FreeMotion],
    mut joint_pushes: &mut [(Vec3, Vec3)],
    advance: Advance,
) {
    if states.len() <= 2 * LIGHT_CHUNK || rayon::current_num_threads() == 1 {
        return chunks::advance(states, free, joint_pushes, advance);
    }
    let chunk = light_chunk(states.len());
    let rows = states.chunks_mut(chunk).zip(free.chunks_mut(chunk));
    let rows = rows.map(|(states, free)| {
        let joint_pushes = take(&mut joint_pushes, states.len());
        (states, free, joint_pushes)
    });
    let chunks: Vec<_> = rows.collect();
    chunks.into_par_iter().for_each(|(states, free, joint_pushes)| {
        chunks::advance(states, free, joint_pushes, advance);
    });
}

/// See [`chunks::write_order`].
pub(crate) fn write_order(
    summaries: &[Summary],
    active: &[u32],
    lanes: &[u32],
    order: &mut [(PairKey, u32)],
) {
    if active.len() <= LIGHT_CHUNK || rayon::current_num_threads() == 1 {
        return chunks::write_order(summaries, active, lanes, order);
    }
    let from = active.par_chunks(LIGHT_CHUNK).zip(lanes.par_chunks(LIGHT_CHUNK));
    from.zip(order.par_chunks_mut(LIGHT_CHUNK))
        .for_each(|((active, lanes), order)| chunks::write_order(summaries, active, lanes, order));
}

/// See [`chunks::store_bodies`].
pub(crate) fn store_bodies(
    limits: &Limits,
    first: u32,
    bodies: &mut [Body],
    moved: &Moved<'_>,
    rest_times: &mut [Real],
) {
    let n = moved.indices.len();
    if is_little(n) {
        return chunks::store_bodies(limits, first, bodies, moved, rest_times);
    }
    // The indices ascend, so the slice of bodies can be split at the first index of the rear half.
    let (front, rear) = moved.split_at(n / 2);
    let (rest_front, rest_rear) = rest_times.split_at_mut(n / 2);
    let first_of_rear = rear.indices[0];
    let (bodies_front, bodies_rear) = bodies.split_at_mut((first_of_rear - first) as usize);
    rayon::join(
        || store_bodies(limits, first, bodies_front, &front, rest_front),
        || store_bodies(limits, first_of_rear, bodies_rear, &rear, rest_rear),
    );
}
