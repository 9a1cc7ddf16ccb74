//! The callback before each substep, in which the caller changes the motion of bodies: springs,
//! motors, lift.
//!
//! If a force depends on the position of a body and is set before the step, it is constant within
//! the step. If it is set before each substep, it is as accurate as the forces of contacts and
//! joints. Forces are added to the velocities before contacts, so the warm start of contacts does
//! not repeat them.
//!
//! Reference: E. Catto, Solver2D, box2d.org, 2024 (the stages of a step).

use crate::bodies::active::ActiveBodies;
use crate::bodies::body::Body;
use crate::bodies::free::{MotionKind, delta_rotation, motion, set_motion};
use crate::bodies::states::BodyStates;
use crate::step::context::StepContext;
use carom_math::{Mat3, Pose, Real, Vec3, rotation};

/// The motion of a body at the start of a step or substep, and the forces that act on it from then
/// on. All is in the world frame.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct BodyMotion {
    /// Pose of the body frame.
    pub pose: Pose,
    /// The centre of mass.
    pub center: Vec3,
    /// One over the mass; 0 is an infinite mass.
    pub inverse_mass: Real,
    /// Inverse of the inertia tensor about the centre of mass.
    pub inverse_inertia: Mat3,
    /// Velocity of the centre of mass, length per time.
    pub linear_velocity: Vec3,
    /// Angular velocity, in radians per time.
    pub angular_velocity: Vec3,
    /// Force on the centre of mass.
    pub force: Vec3,
    /// Torque about the centre of mass.
    pub torque: Vec3,
    /// Whether forces move the body. If they do not, changes of the motion are ignored.
    pub is_dynamic: bool,
}

impl BodyMotion {
    /// Returns the present motion of a body, without a force.
    pub fn of(body: &Body) -> BodyMotion {
        BodyMotion {
            pose: body.pose,
            center: body.world_center(),
            inverse_mass: body.inverse_mass,
            inverse_inertia: body.world_inverse_inertia(),
            linear_velocity: body.linear_velocity,
            angular_velocity: body.angular_velocity,
            force: Vec3::ZERO,
            torque: Vec3::ZERO,
            is_dynamic: body.is_active(),
        }
    }
}

/// The start of a substep.
#[derive(Debug)]
#[non_exhaustive]
pub struct Substep<'a> {
    /// The index of the substep within the step, from 0.
    pub index: u32,
    /// The number of substeps of the step.
    pub count: u32,
    /// The length of the substep, a time.
    pub dt: Real,
    /// The indices of the bodies that move, ascending.
    pub movers: &'a [u32],
    /// The motions of these bodies. Velocities and forces may be changed. The other numbers are
    /// for reading. A change that is not finite is ignored.
    pub motions: &'a mut [BodyMotion],
}

/// A closure to call before each substep.
pub(crate) type OnSubstep<'a> = Option<&'a mut dyn FnMut(Substep<'_>)>;

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
        let (count, dt, movers) = (context.n_substeps, context.h, active.indices());
        call(Substep { index, count, dt, movers, motions: &mut self.motions });
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
            let d = &state.back;
            let center = mass.center + Vec3::new(d[0], d[1], d[2]);
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
