//! Contact events, and the public view of a contact.

use crate::bodies::id::ColliderSlot;
use crate::contacts::pair_state::PairState;
#[cfg(feature = "parallel")]
use crate::par::is_serial;
use crate::{BodyId, ColliderId};
use alloc::vec::Vec;
use carom_geom::Manifold;
use carom_math::Vec3;
use carom_response::ContactImpulse;
#[cfg(feature = "parallel")]
use carom_response::shrink_unused;
use core::cmp::Ordering;
#[cfg(feature = "parallel")]
use rayon::prelude::*;

/// The kind of an event of a pair of bodies.
///
/// Bodies touch if their distance is at most [`carom_response::SolverSettings::slop`]. With this
/// tolerance, contacts of bodies at rest do not begin and end repeatedly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum EventKind {
    /// The bodies touch, and did not touch at the last detection.
    Began,
    /// The bodies touch, and touched at the last detection too.
    Persisted,
    /// The bodies do not touch any more, or one of them was removed.
    Ended,
}

/// An event of a pair of bodies, or of a pair of colliders if a body has several.
///
/// Events are ordered by their bodies, then by their colliders (test:
/// `sensors::passes_are_the_same_on_any_machine`). Two events of the same colliders are in the
/// order in which they happened. If a solid contact becomes that of a sensor or ceases to be one,
/// it ends, and the new contact begins (test: `sensors::r_a_contact_that_flips_*`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Event {
    /// The body with the smaller number.
    pub a: BodyId,
    /// The body with the larger number.
    pub b: BodyId,
    /// Their colliders: [`Event::collider_a`].
    pub(crate) slots: [ColliderSlot; 2],
    /// Whether the contact began, persisted or ended.
    pub kind: EventKind,
    /// Whether the pair is only reported, and not pushed apart. Usually one of the two colliders is
    /// a sensor: see [`World::sensor_of`](crate::World::sensor_of).
    pub is_sensor: bool,
}

impl Event {
    /// Returns the other body of the pair; `None` if `body` is neither of the two.
    pub fn other(&self, body: BodyId) -> Option<BodyId> {
        other_of([self.a, self.b], body)
    }

    /// Returns the other collider of the pair; `None` if `collider` is neither of the two.
    pub fn other_collider(&self, collider: ColliderId) -> Option<ColliderId> {
        other_of([self.collider_a(), self.collider_b()], collider)
    }

    /// Returns its bodies and their colliders, by which events are ordered.
    pub(crate) fn colliders(&self) -> (BodyId, BodyId, [ColliderSlot; 2]) {
        (self.a, self.b, self.slots)
    }

    /// Returns the place among the events of the same colliders. A sensor may be passed within a
    /// step: its contact begins, then it ends. A solid contact never does both in a step. If the
    /// detection found the end of an older contact of the sensor, that precedes the pass instead.
    fn rank(&self) -> u8 {
        match (self.kind, self.is_sensor) {
            (EventKind::Ended, false) => 0,
            (EventKind::Began, true) => 1,
            (EventKind::Persisted, true) => 2,
            (EventKind::Ended, true) => 3,
            (EventKind::Persisted, false) => 4,
            (EventKind::Began, false) => 5,
        }
    }

    /// Returns the collider of A.
    pub fn collider_a(&self) -> ColliderId {
        self.slots[0].on(self.a)
    }

    /// Returns the collider of B.
    pub fn collider_b(&self) -> ColliderId {
        self.slots[1].on(self.b)
    }
}

impl Ord for Event {
    fn cmp(&self, other: &Event) -> Ordering {
        let key = |event: &Event| (event.colliders(), event.rank());
        key(self).cmp(&key(other))
    }
}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Event) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A pair of colliders near each other, with its contacts.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ContactView<'a> {
    /// The body with the smaller number.
    pub a: BodyId,
    /// The body with the larger number.
    pub b: BodyId,
    /// The collider of A.
    pub collider_a: ColliderId,
    /// The collider of B.
    pub collider_b: ColliderId,
    /// Whether they touch, or one of them is fast and hit the other within the step. Otherwise
    /// they are only near each other, within the prediction of the settings. If a budget defers
    /// the test of a pair that was edited, it may touch without manifolds.
    pub is_touching: bool,
    /// Whether one of them is a sensor. There are no manifolds then.
    pub is_sensor: bool,
    /// The manifolds in the world frame, with normals from A to B: one for each pair of convex
    /// parts.
    ///
    /// If a fast body met the other one within the last step, the normals are those of the impact.
    /// Each point is that of the impact, moved back with its body to the start of the step (test:
    /// `impact_directions::the_normal_of_an_impact_is_reported`). If it touched the other one only
    /// in passing, they are the contacts at the start of the step. They were not solved.
    pub manifolds: &'a [Manifold],
    /// The impulses of each manifold in the last step. It is empty if the pair was not solved, as
    /// before the first step or while both bodies sleep. Those have a
    /// [`contact_force`](crate::World::contact_force).
    pub impulses: &'a [ContactImpulse],
}

impl ContactView<'_> {
    /// Returns the other body of the pair; `None` if `body` is neither of the two.
    pub fn other(&self, body: BodyId) -> Option<BodyId> {
        other_of([self.a, self.b], body)
    }
}

/// Two colliders whose normal impulses in the last step were above the lower one of their
/// thresholds.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ImpulseEvent {
    /// The body with the smaller number.
    pub a: BodyId,
    /// The body with the larger number.
    pub b: BodyId,
    /// The collider of A.
    pub collider_a: ColliderId,
    /// The collider of B.
    pub collider_b: ColliderId,
    /// The sum of the normal impulses of all contacts in the step, in mass times speed. Divided by
    /// the time step, it is the mean force.
    pub total: f32,
    /// The largest normal impulse of a contact, mass times speed.
    pub largest: f32,
    /// The point of that contact, in the world frame. If a fast body met the other one within the
    /// step, it is the point on the heavier body. It is moved back with that body to the start of
    /// the step (test: `impact_directions::the_point_of_an_impact_is_reported`).
    pub point: Vec3,
    /// The unit normal of that contact, from A to B, in the world frame.
    pub normal: Vec3,
    /// The largest speed of approach at a contact before the step, length per time. It is 0 if the
    /// bodies did not approach each other.
    pub approach_speed: f32,
}

impl ImpulseEvent {
    /// Returns the other body of the pair; `None` if `body` is neither of the two.
    pub fn other(&self, body: BodyId) -> Option<BodyId> {
        other_of([self.a, self.b], body)
    }
}

/// Returns the one of a pair that is not `one`; `None` if `one` is neither of the two.
fn other_of<T: PartialEq + Copy>([a, b]: [T; 2], one: T) -> Option<T> {
    match one {
        _ if one == a => Some(b),
        _ if one == b => Some(a),
        _ => None,
    }
}

/// A pair of colliders with an impulse threshold, in this step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Approach {
    /// The place of its pair state.
    pub(crate) index: u32,
    /// The colliders of its bodies.
    pub(crate) slots: [ColliderSlot; 2],
    /// Their lower threshold.
    pub(crate) threshold: f32,
    /// The largest approach speed at a contact; 0 if they do not approach.
    pub(crate) speed: f32,
}

/// The colliders of bodies that have one.
pub(crate) const FIRST_SLOTS: [ColliderSlot; 2] = [ColliderSlot::FIRST; 2];

/// Pair states that are scanned at once.
const BLOCK_PAIRS: usize = 64;

/// Returns the event of a pair state, if there is one, and marks it as reported. Call it once in
/// each detection.
pub(crate) fn take(state: &mut PairState) -> Option<Event> {
    // Usually nothing changed, and nothing is written.
    let kind = match (state.was_touching, state.is_touching) {
        (false, true) => EventKind::Began,
        (true, true) => EventKind::Persisted,
        (true, false) => EventKind::Ended,
        (false, false) => return None,
    };
    if kind != EventKind::Persisted {
        state.was_touching = state.is_touching;
    }
    Some(event_of(state, kind))
}

pub(crate) fn event_of(state: &PairState, kind: EventKind) -> Event {
    Event { a: state.a, b: state.b, slots: FIRST_SLOTS, kind, is_sensor: state.is_sensor }
}

/// Whether there is an event.
fn has_event(state: &PairState) -> bool {
    state.was_touching | state.is_touching
}

/// Writes the events of these pair states to `out`, in their order, and returns how many pairs
/// touch.
pub(crate) fn report(states: &mut [PairState], out: &mut Vec<Event>) -> usize {
    out.clear();
    let mut n_touching = 0;
    for states in states.chunks_mut(BLOCK_PAIRS) {
        let (mut last_events, mut n) = ([0_u8; BLOCK_PAIRS], 0);
        // Branchless: always write, advance only if kept.
        for (number, state) in (0..).zip(&*states) {
            last_events[n] = number;
            n += usize::from(has_event(state));
        }
        for &number in &last_events[..n] {
            if let Some(event) = take(&mut states[usize::from(number)]) {
                n_touching += usize::from(event.kind != EventKind::Ended);
                out.push(event);
            }
        }
    }
    n_touching
}

/// Merges sorted events into sorted events, from the end. `others` should be few.
pub(crate) fn merge(events: &mut Vec<Event>, others: &[Event]) {
    let (mut n, mut left) = (events.len(), others.len());
    events.extend_from_slice(others);
    while 0 < n && 0 < left {
        let is_other = events[n - 1] < others[left - 1];
        events[n + left - 1] = if is_other { others[left - 1] } else { events[n - 1] };
        left -= usize::from(is_other);
        n -= usize::from(!is_other);
    }
    // The remaining others precede all events.
    events[..left].copy_from_slice(&others[..left]);
}

/// Like [`report`], on several threads. The first chunk writes to `out`; the others write to lists,
/// which are appended.
/// Tried: counting first, so that each chunk writes to its final position; as slow as one thread.
#[cfg(feature = "parallel")]
pub(crate) fn report_in_chunks(
    states: &mut [PairState],
    out: &mut Vec<Event>,
    parts: &mut Vec<Vec<Event>>,
) -> usize {
    if is_serial(states.len()) {
        return report(states, out);
    }
    let n_threads = rayon::current_num_threads();
    let of_part = states.len().div_ceil(n_threads);
    parts.resize_with(n_threads - 1, Vec::new);
    let lists: Vec<&mut Vec<Event>> = core::iter::once(&mut *out).chain(parts.iter_mut()).collect();
    let states = states.par_chunks_mut(of_part);
    let n_lists = states.len();
    let n_touching = states.zip(lists).map(|(states, out)| report(states, out)).sum();
    for part in &mut parts[..n_lists - 1] {
        shrink_unused(part);
        out.append(part);
    }
    n_touching
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merged_events_are_sorted() {
        let event = |number: u32| {
            let id = |index| BodyId { index, generation: 1 };
            let kind = EventKind::Persisted;
            Event { a: id(number), b: id(number + 1), slots: FIRST_SLOTS, kind, is_sensor: false }
        };
        // Each way to divide six events into the first list, the second, and neither.
        for code in 0..3_u32.pow(6) {
            let of = |list: u32| (0..6).filter(move |&k| code / 3_u32.pow(k) % 3 == list).map(event);
            let (mut events, others) = (of(0).collect::<Vec<_>>(), of(1).collect::<Vec<_>>());
            let mut all: Vec<Event> = of(0).chain(of(1)).collect();
            all.sort_unstable();
            merge(&mut events, &others);
            assert_eq!(events, all);
        }
    }
}
