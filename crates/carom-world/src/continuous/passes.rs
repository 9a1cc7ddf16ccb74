//! Reports sensors that a body passed within a step.
//!
//! Detection tests the poses at the start of a step. A body may touch a sensor within the step,
//! and be apart again at its end. So pairs with sensors that travelled far for their thickness are
//! swept along the path to their final poses. A pass within the step is reported as begun and
//! ended. If the two touch at the end, the next detection reports it.
//!
//! Reference: E. Catto, Continuous Collision, Game Developers Conference, 2013 (sensors and fast
//! bodies).

use crate::bodies::girth::Girth;
use crate::bodies::id::ColliderSlot;
use crate::bodies::solids::Part;
use crate::contacts::events::FIRST_SLOTS;
use crate::contacts::pair_state::PairState;
use crate::contacts::touches::{Touch, is_sensor_pair};
use crate::continuous::ContinuousStep;
use crate::continuous::state::Guard;
use crate::{Event, EventKind};
use alloc::vec::Vec;
use carom_broad::BroadPhase;
use carom_math::{Pose, ops};
use carom_query::{ImpactSettings, Motion, cast_with, intersects};
use carom_response::BodyKind;

/// A pair is swept if its relative travel exceeds this fraction of both thicknesses.
const MAX_TRAVEL_RATIO: f32 = 0.25;

impl<B: BroadPhase> ContinuousStep<'_, B> {
    /// After all bodies are at their final poses: reports the sensors that were passed in the step.
    pub(crate) fn report_passes(&mut self) {
        if self.bodies.n_sensors == 0 && !self.contacts.rules.has_pass() {
            return;
        }
        let n_events = self.contacts.events.len();
        let mut guard = core::mem::take(&mut self.continuous.guard);
        for number in 0..self.contacts.active_pairs.len() {
            let state = self.contacts.states[self.contacts.active_pairs[number] as usize];
            let (a, b) = (state.a.index as usize, state.b.index as usize);
            if !state.is_wanted || state.is_deferred {
                continue;
            }
            if self.solids().is_composite(a, b) {
                self.report_collider_passes(&state, &mut guard);
                continue;
            }
            if !state.is_sensor || state.is_touching {
                continue;
            }
            let thickness = self.bodies.girths[a].thickness + self.bodies.girths[b].thickness;
            if self.have_passed([a, b], [Part::Whole; 2], thickness, &mut guard) {
                self.push_pass(&state, FIRST_SLOTS);
            }
        }
        self.continuous.guard = guard;
        if n_events < self.contacts.events.len() {
            // Stable: an end that the detection found precedes the pass.
            self.contacts.events.sort_by_key(Event::colliders);
        }
    }

    fn push_pass(&mut self, state: &PairState, slots: [ColliderSlot; 2]) {
        for kind in [EventKind::Began, EventKind::Ended] {
            let (a, b) = (state.a, state.b);
            self.contacts.events.push(Event { a, b, slots, kind, is_sensor: true });
        }
    }

    /// Reports the passes of two bodies if one of them has several colliders.
    fn report_collider_passes(&mut self, state: &PairState, guard: &mut Guard) {
        let pair = [state.a.index as usize, state.b.index as usize];
        let solids = self.solids();
        let thickness = |body: usize, part: Part| {
            let shape = solids.shape(body, part);
            shape.map_or(0.0, |shape| Girth::of(shape, self.bodies.motions[body].center_of_mass).thickness)
        };
        let mut asked = Vec::new();
        for [own, other] in solids.allowed_pairs(pair[0], pair[1]) {
            let (slots, parts) = ([own.0, other.0], [Part::Slot(own.0.index), Part::Slot(other.0.index)]);
            let touch = Touch { a: state.a, b: state.b, slots, is_sensor: true };
            if is_sensor_pair(state, &solids, slots) && self.contacts.touches.binary_search(&touch).is_err() {
                asked.push((slots, parts, thickness(pair[0], parts[0]) + thickness(pair[1], parts[1])));
            }
        }
        for (slots, parts, thickness) in asked {
            if self.have_passed(pair, parts, thickness, guard) {
                self.push_pass(state, slots);
            }
        }
    }

    /// Whether two shapes touch within the step, but neither at its start nor at its end.
    /// `thickness` is the sum of their thicknesses.
    fn have_passed(&mut self, pair: [usize; 2], parts: [Part; 2], thickness: f32, guard: &mut Guard) -> bool {
        let [a, b] = pair;
        if !(MAX_TRAVEL_RATIO * thickness < guard.travel_of_pair(a, b)) {
            return false;
        }
        let (Some(start_a), Some(start_b)) = (self.bodies.start_of(a), self.bodies.start_of(b)) else {
            return false;
        };
        let (Some(motion_a), Some(motion_b)) = (self.find_motion(a, &start_a), self.find_motion(b, &start_b))
        else {
            return false;
        };
        self.stats.n_swept += 1;
        let solids = self.solids();
        let (Some(shape_a), Some(shape_b)) = (solids.shape(a, parts[0]), solids.shape(b, parts[1])) else {
            return false;
        };
        // A grazing pair is undecided, and does not count as a pass.
        let settings = ImpactSettings::default().with_times(0.0, 1.0).with_target_distance(0.0);
        let met = cast_with(shape_a, &motion_a, shape_b, &motion_b, &settings, &mut guard.memory);
        met.hit().is_some()
            && !intersects(shape_a, &self.bodies.motions[a].pose, shape_b, &self.bodies.motions[b].pose)
    }

    /// Returns the motion of a body from `start` to its present pose, in the time from 0 to 1.
    fn find_motion(&self, index: usize, start: &Pose) -> Option<Motion> {
        let body = &self.bodies.motions[index];
        let wide = |pose: &Pose| (pose.rotation.as_dquat(), pose.translation.as_dvec3());
        if body.kind == BodyKind::Fixed || *start == body.pose {
            return Motion::fixed(wide(start).0, wide(start).1).ok();
        }
        // The short rotation is the actual one, unless it turned by more than half a turn.
        let mut motion =
            Motion::between(wide(start), wide(&body.pose), body.center_of_mass.as_dvec3(), 1.0).ok()?;
        let turn = body.angular_velocity.as_dvec3() * f64::from(self.dt);
        let turned = ops::sqrt(turn.length_squared());
        if core::f64::consts::PI * 0.9 < turned {
            let (rotation, translation) = wide(start);
            let center = body.center_of_mass.as_dvec3();
            motion = Motion::new(rotation, translation, center, motion.linear(), turn).ok()?;
        }
        Some(motion)
    }
}
