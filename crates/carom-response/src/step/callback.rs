//! The call of the callback before a substep: what it reads, and how its changes are applied.
//!
//! Reference: E. Catto, Solver2D, box2d.org, 2024 (the stages of a step).

use crate::bodies::active::ActiveBodies;
use crate::bodies::body::Body;
use crate::bodies::free::{MotionKind, delta_rotation, displacement, motion, set_motion};
use crate::bodies::states::BodyStates;
use crate::step::context::StepContext;
use crate::step::substep::{BodyMotion, Substep};
use carom_math::{Pose, Real, Vec3, rotation};

impl BodyStates {
    /// Calls the callback before a substep with the motions of the active bodies, and applies its
    /// changes.
    pub(crate) fn call_back(
        &mut self,
        context: &StepContext<'_>,
        index: u32,
        bodies: &[Body],
        active: &ActiveBodies,
        call: &mut dyn FnMut(Substep<'_>),
    ) {
        self.read_motions(bodies, active);
        let (count, dt) = (context.n_substeps, context.h);
        call(Substep { index, count, dt, active: active.indices(), motions: &mut self.motions });
        self.write_motions(bodies, active, context.h);
    }

    fn read_motions(&mut self, bodies: &[Body], active: &ActiveBodies) {
        let BodyStates { states, masses, free, motions, .. } = self;
        let rows = active.indices().iter().zip(states).zip(free).zip(masses);
        motions.clear();
        motions.extend(rows.map(|(((&body, state), free), mass)| {
            let body = &bodies[body as usize];
            let (linear_velocity, angular_velocity) = motion(state);
            let turned = rotation::normalize(rotation::mul(delta_rotation(state), body.pose.rotation));
            let center = mass.center + displacement(state);
            BodyMotion {
                pose: Pose::new(turned, center - rotation::rotate(turned, body.center_of_mass)),
                center,
                inverse_mass: mass.inverse_mass,
                inverse_inertia: mass.inertia_matrix(),
                linear_velocity,
                angular_velocity,
                force: Vec3::ZERO,
                torque: Vec3::ZERO,
                is_dynamic: free.kind == MotionKind::Dynamic,
            }
        }));
    }

    /// Applies the changes of the motions at the start of a substep of length `h`.
    fn write_motions(&mut self, bodies: &[Body], active: &ActiveBodies, h: Real) {
        let BodyStates { states, free, motions, .. } = self;
        let rows = active.indices().iter().zip(states).zip(free).zip(motions);
        for (((&body, state), free), new) in rows.filter(|(_, new)| new.is_dynamic) {
            let (v, w) = motion(state);
            let dv = (new.linear_velocity - v) + new.force * (new.inverse_mass * h);
            let dw = (new.angular_velocity - w) + new.inverse_inertia * (new.torque * h);
            let locked = bodies[body as usize].locked_axes;
            let (dv, dw) = (locked.free_translation(dv), locked.free_rotation(dw));
            let is_changed = dv != Vec3::ZERO || dw != Vec3::ZERO;
            if is_changed && (v + dv).is_finite() && (w + dw).is_finite() {
                set_motion(state, v + dv, w + dw);
                free.steer(dv, dw);
            }
        }
    }
}
