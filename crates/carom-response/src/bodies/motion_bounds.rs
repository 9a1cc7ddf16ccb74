//! Bounds of motion within a step: locked translations and largest speeds.
//!
//! 1. The part of a velocity beyond a bound is removed before positions are integrated, and again
//!    at the end of a substep.
//! 2. Contacts use the whole inverse mass. If a contact pushes along a locked axis, the removal
//!    cancels its impulse there, and the following substeps correct the impulse.
//!
//! Reference: E. Catto, Box2D 3.2, `b2MotionLocks` and `b2IntegrateVelocities`, 2025.

use crate::bodies::body::Body;
use crate::bodies::free::{motion, set_motion};
use crate::bodies::locked_axes::LockedAxes;
use crate::impulses::lane_vec::State;
use alloc::vec::Vec;
use carom_math::Real;

/// The bounds of a body whose motion is bounded.
#[derive(Clone, Copy, Debug)]
struct Bounded {
    slot: u32,
    locked: LockedAxes,
    max_linear_speed: Real,
    max_angular_speed: Real,
}

/// The bodies of a step whose motion is bounded.
#[derive(Clone, Debug, Default)]
pub(crate) struct MotionBounds(Vec<Bounded>);

impl MotionBounds {
    /// Lists the bounded bodies. `indices` are those of the bodies, by slot.
    pub(crate) fn find(&mut self, bodies: &[Body], indices: &[u32]) {
        self.0.clear();
        for (slot, &number) in (0..).zip(indices) {
            let body = &bodies[number as usize];
            if body.is_active() && body.is_bounded() {
                let Body { locked_axes: locked, max_linear_speed, max_angular_speed, .. } = *body;
                self.0.push(Bounded { slot, locked, max_linear_speed, max_angular_speed });
            }
        }
    }

    /// Removes the parts beyond the bounds from the velocities.
    pub(crate) fn apply(&self, states: &mut [State]) {
        for bounded in &self.0 {
            let state = &mut states[bounded.slot as usize];
            let (v, w) = motion(state);
            let v = bounded.locked.free_translation(v).clamp_length_max(bounded.max_linear_speed);
            let w = bounded.locked.free_rotation(w).clamp_length_max(bounded.max_angular_speed);
            set_motion(state, v, w);
        }
    }
}
