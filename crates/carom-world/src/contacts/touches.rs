//! The touching pairs of colliders, for bodies with several colliders.
//!
//! A pair state belongs to a pair of bodies. If one of them has several colliders, events are
//! reported for pairs of colliders. This list has the touching pairs of colliders, and its changes
//! since the last detection are the events. Solid colliders touch if one of their manifolds does.
//! Sensors are tested for overlap here, in the order of the pairs, on one thread.
//!
//! Reference: E. Catto, Box2D 3.1, sensor.c, 2025 (overlaps of the last step and of this one).

use crate::bodies::id::{BodyId, ColliderSlot};
use crate::bodies::solids::{Part, Solids};
use crate::contacts::events::{Event, EventKind};
use crate::contacts::pair_state::PairState;
use crate::contacts::rules::check_list;
use alloc::vec::Vec;
use carom_geom::Manifold;
use carom_query::intersects;
use carom_response::{Body, Inconsistency};

/// A pair of colliders that touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Touch {
    pub(crate) a: BodyId,
    pub(crate) b: BodyId,
    pub(crate) slots: [ColliderSlot; 2],
    pub(crate) is_sensor: bool,
}

impl Touch {
    pub(crate) fn event(&self, kind: EventKind) -> Event {
        Event { a: self.a, b: self.b, slots: self.slots, kind, is_sensor: self.is_sensor }
    }
}

/// Whether a pair of colliders is a sensor pair: it is reported, but not pushed apart.
pub(crate) fn is_sensor_pair(state: &PairState, solids: &Solids<'_>, slots: [ColliderSlot; 2]) -> bool {
    let is_one = |id: BodyId, slot| solids.traits_of(id.index as usize, slot).is_sensor;
    state.is_sensor || is_one(state.a, slots[0]) || is_one(state.b, slots[1])
}

/// Appends the pairs of colliders of a pair state that touch. `known` are those of the last
/// detection. Solid ones of a pair that an edit made new stay until the pair is tested.
pub(crate) fn find_touches(
    state: &PairState,
    (manifolds, known): (&[Manifold], &[Touch]),
    solids: &Solids<'_>,
    bodies: &[Body],
    slop: f32,
    out: &mut Vec<Touch>,
) {
    let indices = [state.a, state.b].map(|id| id.index as usize);
    let touch = |slots, is_sensor| Touch { a: state.a, b: state.b, slots, is_sensor };
    let first = out.len();
    for manifold in manifolds {
        if manifold.contacts().iter().any(|contact| contact.distance <= slop) {
            out.push(touch(solids.slots_of(indices, manifold), false));
        }
    }
    let may_sense = |index: usize| state.is_sensor || solids.traits[index].has_sensor;
    if may_sense(indices[0]) || may_sense(indices[1]) {
        let [pose_a, pose_b] = indices.map(|index| &bodies[index].pose);
        for [(slot_a, _), (slot_b, _)] in solids.allowed_pairs(indices[0], indices[1]) {
            let slots = [slot_a, slot_b];
            let shapes = [
                solids.shape(indices[0], Part::Slot(slot_a.index)),
                solids.shape(indices[1], Part::Slot(slot_b.index)),
            ];
            if let [Some(shape_a), Some(shape_b)] = shapes
                && is_sensor_pair(state, solids, slots)
                && shape_a.aabb(pose_a).intersection(&shape_b.aabb(pose_b)).is_some()
                && intersects(shape_a, pose_a, shape_b, pose_b)
            {
                out.push(touch(slots, true));
            }
        }
    }
    if state.is_deferred && state.is_new {
        out.extend(known.iter().filter(|touch| !touch.is_sensor && is_allowed(state, solids, touch)));
    }
    out[first..].sort_unstable();
    let mut kept = first;
    for slot in first..out.len() {
        if kept == first || out[kept - 1] != out[slot] {
            out[kept] = out[slot];
            kept += 1;
        }
    }
    out.truncate(kept);
}

/// Whether colliders that touched are still there, are solid, and may touch.
fn is_allowed(state: &PairState, solids: &Solids<'_>, touch: &Touch) -> bool {
    let pairs = solids.allowed_pairs(state.a.index as usize, state.b.index as usize);
    pairs.iter().any(|[own, other]| [own.0, other.0] == touch.slots)
        && !is_sensor_pair(state, solids, touch.slots)
}

/// Checks that touches are sorted, and belong to pairs of bodies.
pub(crate) fn check(touches: &[Touch], n_bodies: usize) -> Result<(), Inconsistency> {
    let list: Vec<(Touch, ())> = touches.iter().map(|&touch| (touch, ())).collect();
    let is_sound = |k: usize| {
        let Touch { a, b, .. } = touches[k];
        a.index < b.index && (b.index as usize) < n_bodies && a.generation % 2 == 1 && b.generation % 2 == 1
    };
    check_list(&list, is_sound, "colliders that touch")
}
