//! Smooths internal edges: contacts with edges inside a floor of many pieces get the normal of the
//! floor.
//!
//! All contacts of a dynamic body with fixed and kinematic bodies are smoothed together. Contacts
//! between dynamic bodies are not smoothed, nor are those that a hook disabled in the last step:
//! what a body passes is no surface. A body is skipped if all of its contacts are old, because
//! they were smoothed when they were found. Bodies are processed in the order of their numbers, on
//! one thread.
//!
//! Reference: [`carom_query::smooth_internal_edges`].

use crate::contacts::pair_state::PairState;
use crate::contacts::scene::Scene;
use alloc::vec::Vec;
use carom_geom::Manifold;
use carom_query::{Neighbour, smooth_internal_edges};
use carom_response::BodyKind;

/// The largest height of a piece above the floor that does not count as a step, as a fraction of
/// the slop.
pub(crate) const MAX_STEP_RATIO: f32 = 0.25;

/// A dynamic body in contact with a body that contacts do not move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resting {
    pub(crate) body: u32,
    /// The number of the state of their pair.
    pub(crate) state: u32,
    /// Whether its contacts were found in this detection, not copied from the last one.
    pub(crate) is_found_anew: bool,
}

/// Smooths the contacts of the bodies in `resting`. Returns how many manifolds became empty and
/// were removed. Pair states refer to their manifolds before and after.
pub(crate) fn smooth(
    scene: &Scene<'_>,
    states: &mut [PairState],
    found: &mut [Manifold],
    mut resting: Vec<Resting>,
) -> usize {
    resting.sort_unstable_by_key(|rest| (rest.body, rest.state));
    let mut has_gone = false;
    let mut neighbours: Vec<Neighbour<'_>> = Vec::new();
    for group in resting.chunk_by(|x, y| x.body == y.body) {
        let body = group[0].body as usize;
        let Some(shape) = scene.solids.whole(body) else { continue };
        let of_group = || group.iter().map(|rest| rest.state as usize);
        let first = &states[group[0].state as usize];
        if !group.iter().any(|rest| rest.is_found_anew)
            || !of_group().any(|state| differ(found, &states[state], first))
        {
            continue;
        }
        neighbours.clear();
        let mut prediction = 0.0_f32;
        for state in of_group() {
            let state = &states[state];
            let (a, b) = (state.a.index as usize, state.b.index as usize);
            let other = if a == body { b } else { a };
            let Some(shape) = scene.solids.whole(other) else { continue };
            neighbours.push(Neighbour::new(shape, &scene.bodies[other].pose, other == a, state.range()));
            prediction = prediction.max(scene.reach(a, b));
        }
        let pose = &scene.bodies[body].pose;
        if smooth_internal_edges(shape, pose, &neighbours, found, prediction, MAX_STEP_RATIO * scene.slop)
            == 0
        {
            continue;
        }
        for state in of_group() {
            let state = &mut states[state];
            let manifolds = &found[state.range()];
            has_gone |= manifolds.iter().any(Manifold::is_empty);
            state.is_touching = manifolds.iter().any(|manifold| scene.touches(manifold));
        }
    }
    if !has_gone {
        return 0;
    }
    let mut n_gone = 0;
    for state in states {
        let own = &mut found[state.range()];
        let mut n = 0;
        for k in 0..own.len() {
            if !own[k].is_empty() {
                own.swap(n, k);
                n += 1;
            }
        }
        n_gone += own.len() - n;
        state.n = n as u32;
    }
    n_gone
}

/// Returns the dynamic body of a pair state, if contacts do not move the other body.
pub(crate) fn resting_body(scene: &Scene<'_>, state: &PairState) -> Option<u32> {
    let (a, b) = (state.a.index, state.b.index);
    if state.n == 0 || state.is_sensor || state.is_deferred || state.is_disabled {
        return None;
    }
    let is_dynamic = |body: u32| scene.bodies[body as usize].kind == BodyKind::Dynamic;
    body_on_surface([a, b], is_dynamic).filter(|&body| !scene.bodies[body as usize].is_sleeping)
}

/// Returns the dynamic body of a pair, if contacts do not move the other one.
pub(crate) fn body_on_surface([a, b]: [u32; 2], is_dynamic: impl Fn(u32) -> bool) -> Option<u32> {
    match [is_dynamic(a), is_dynamic(b)] {
        [true, false] => Some(a),
        [false, true] => Some(b),
        _ => None,
    }
}

/// Whether a manifold of `state` has another normal than the first one of `first`, both seen
/// from A.
fn differ(found: &[Manifold], state: &PairState, first: &PairState) -> bool {
    let normal = found[first.range()].first().map(Manifold::normal);
    let is_turned = |manifold: &Manifold| {
        normal.is_some_and(|normal| !(manifold.normal() - normal).abs().max_element().le(&0.0))
    };
    found[state.range()].iter().any(is_turned)
}
