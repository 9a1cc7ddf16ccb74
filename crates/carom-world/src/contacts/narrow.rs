//! The narrow phase: finds the contacts of the shapes of active pairs.
//!
//! For each active pair, `update_pair` does one of these:
//!
//! | case | action |
//! |---|---|
//! | the bodies hardly moved | contacts are moved along (`recycling`) |
//! | the pair is not wanted (`is_wanted`) | no contacts |
//! | nothing moved since the last test | contacts are copied |
//! | deferred by a budget, or time is up | contacts are moved along, it stays due (`carry_over`) |
//! | the pair is a sensor pair | tested for overlap only |
//! | otherwise | tested: `carom_query::manifolds`, with the cache of the pair |
//!
//! Manifolds are written to one list, in the order of the pairs.

use crate::bodies::traits::Traits;
use crate::budget::narrow_budget::PAIRS_PER_CLOCK_READ;
use crate::contacts::internal_edges::{self, Resting};
use crate::contacts::pair_state::{NOT_SOLVED, PairState};
use crate::contacts::rules::Rules;
use crate::contacts::scene::Scene;
use crate::contacts::sink::Sink;
use crate::joints::Joints;
use alloc::vec::Vec;
use carom_broad::Pair;
use carom_geom::Manifold;
use carom_query::{ManifoldCache, intersects, manifolds};
use carom_response::{Body, BodyKind, Response};

/// Whether a pair is tested. One of the two has to be dynamic or a sensor. They have to be of
/// different families, and no joint may forbid contacts between them.
pub(crate) fn is_wanted(pair: Pair, traits: &[Traits], bodies: &[Body], joints: &Joints) -> bool {
    let (a, b) = (pair.a as usize, pair.b as usize);
    let has_dynamic = [a, b].iter().any(|&body| bodies[body].kind == BodyKind::Dynamic);
    let is_family = traits[a].family != 0 && traits[a].family == traits[b].family;
    (has_dynamic || traits[a].has_sensor || traits[b].has_sensor)
        && !is_family
        && !joints.separates(pair.a, pair.b)
}

/// Whether a pair is tested and reported, but not pushed apart: one of the two is a sensor, or a
/// rule lets them pass.
pub(crate) fn is_sensor_pair(pair: Pair, traits: &[Traits], rules: &Rules) -> bool {
    traits[pair.a as usize].is_sensor || traits[pair.b as usize].is_sensor || rules.of(pair) == Response::Pass
}

/// Counts of the narrow phase.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) n_tested: usize,
    pub(crate) n_recycled: usize,
    /// Manifolds.
    pub(crate) n_found: usize,
    pub(crate) n_deferred: usize,
    /// The number of pair states in which neither body moves in this step.
    pub(crate) n_still: usize,
    /// Runs of manifolds in `SleepingManifolds` that are no longer used: first index and length.
    pub(crate) left: Vec<(u32, u32)>,
    /// Dynamic bodies in contact with bodies that contacts do not move. Empty if internal edges are
    /// not smoothed.
    pub(crate) resting: Vec<Resting>,
}

/// The active pair states in order, their places, and the caches starting at the place of the first
/// one.
pub(crate) struct Row<'a> {
    pub(crate) states: &'a mut [PairState],
    pub(crate) indices: &'a [u32],
    pub(crate) caches: &'a mut [ManifoldCache],
}

impl<'a> Row<'a> {
    /// Splits off the first `n`, or all if there are fewer.
    #[cfg(feature = "parallel")]
    pub(crate) fn split_at(self, n: usize) -> (Row<'a>, Row<'a>) {
        let n = n.min(self.indices.len());
        let (states, states_behind) = self.states.split_at_mut(n);
        let (indices, places_behind) = self.indices.split_at(n);
        let n_caches = places_behind.first().map_or(self.caches.len(), |next| (next - indices[0]) as usize);
        let (caches, caches_behind) = self.caches.split_at_mut(n_caches);
        let behind = Row { states: states_behind, indices: places_behind, caches: caches_behind };
        (Row { states, indices, caches }, behind)
    }
}

/// Updates all pair states, and writes their manifolds to `out`.
pub(crate) fn update_all(scene: &Scene<'_>, row: Row<'_>, out: &mut Vec<Manifold>) -> Tally {
    let mut tally = Tally::default();
    out.clear();
    update_pairs(scene, (row, 0), 0, out, &mut tally);
    tally
}

/// Updates pair states, and appends their manifolds to `out`. The first pair state has the index
/// `number`, and the first entry of `out` the index `before`, among all active pairs.
pub(crate) fn update_pairs(
    scene: &Scene<'_>,
    (row, number): (Row<'_>, usize),
    before: usize,
    out: &mut impl Sink,
    tally: &mut Tally,
) {
    let Row { states, indices, caches } = row;
    let first_place = indices.first().copied().unwrap_or(0);
    let mut is_over = false;
    for ((number, state), index) in (number as u32..).zip(states).zip(indices) {
        let left = state.is_at_rest.then_some((state.first, state.n));
        let cache = &mut caches[(index - first_place) as usize];
        let n_tested = tally.n_tested;
        update_pair(scene, (state, cache), out, tally, &mut is_over);
        tally.left.extend(left);
        let first = (before + out.len()) as u32 - state.n;
        (state.is_at_rest, state.first, state.first_solved) = (false, first, NOT_SOLVED);
        tally.n_found += state.n as usize;
        tally.n_deferred += usize::from(state.is_deferred);
        tally.n_still += usize::from(scene.is_still(state));
        if scene.smooths_internal_edges {
            let is_found_anew = n_tested < tally.n_tested;
            let rests = internal_edges::resting_body(scene, state);
            tally.resting.extend(rests.map(|body| Resting { body, state: number, is_found_anew }));
        }
    }
}

fn update_pair(
    scene: &Scene<'_>,
    (state, cache): (&mut PairState, &mut ManifoldCache),
    out: &mut impl Sink,
    tally: &mut Tally,
    is_over: &mut bool,
) {
    state.was_touching = state.is_touching;
    let is_skipped = core::mem::take(&mut state.is_skipped);
    // The usual case in a pile at rest. It does not read shapes, because they are large.
    if state.is_wanted
        && scene.has_moved(state)
        && let Some(moved) = &scene.recycles(state)
    {
        scene.recycle(state, moved, out);
        tally.n_recycled += 1;
        return;
    }
    let (a, b) = (state.a.index as usize, state.b.index as usize);
    let (Some(shape_a), Some(shape_b), true) = (&scene.shapes[a], &scene.shapes[b], state.is_wanted) else {
        state.n = 0;
        state.is_touching = false;
        state.is_deferred = false;
        return;
    };
    if !scene.has_moved(state) {
        let known = scene.known(state);
        out.make_room(known.len());
        for manifold in known {
            out.push(manifold);
        }
        return;
    }
    // The clock is read once for many pairs.
    *is_over =
        *is_over || (tally.n_tested.is_multiple_of(PAIRS_PER_CLOCK_READ) && scene.narrow_budget.is_over());
    if is_skipped || *is_over {
        scene.carry_over(state, out);
        return;
    }
    state.is_new = false;
    state.is_deferred = false;
    state.has_lost = false;
    state.drift = scene.first_drift(state);
    tally.n_tested += 1;
    let (pose_a, pose_b) = (&scene.bodies[a].pose, &scene.bodies[b].pose);
    if state.is_sensor {
        // For several colliders, `touches` finds the overlaps.
        state.is_touching = !scene.solids.is_composite(a, b) && intersects(shape_a, pose_a, shape_b, pose_b);
        return;
    }
    if !core::mem::replace(&mut state.has_cache, true) {
        *cache = ManifoldCache::new();
    }
    let reach = scene.reach(a, b);
    if scene.solids.is_composite(a, b) {
        let found = out.find(|out| scene.find_among_colliders(a, b, reach, out));
        state.n = found.len() as u32;
        state.is_touching = found.iter().any(|manifold| scene.touches(manifold));
        return;
    }
    let found = out.find(|out| manifolds(shape_a, pose_a, shape_b, pose_b, reach, cache, out));
    state.n = found.len() as u32;
    state.is_touching = found.iter().any(|manifold| scene.touches(manifold));
}
