//! The callback before each substep, in which the caller changes the motion of bodies: springs,
//! motors, lift.
//!
//! If a force depends on the position of a body and is set before the step, it is constant within
//! the step. If it is set before each substep, it is as accurate as the forces of contacts and
//! joints. Forces are added to the velocities before contacts, so the warm start of contacts does
//! not repeat them.
//!
//! Reference: E. Catto, Solver2D, box2d.org, 2024 (the stages of a step).

use crate::bodies::body::Body;
use carom_math::{Mat3, Pose, Real, Vec3};

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
    /// The indices of the active bodies, ascending: those that are dynamic and awake, or kinematic
    /// with a velocity.
    pub active: &'a [u32],
    /// The motions of these bodies. Velocities and forces may be changed. The other numbers are
    /// for reading. A change that is not finite is ignored.
    pub motions: &'a mut [BodyMotion],
}

/// A closure to call before each substep.
pub(crate) type OnSubstep<'a> = Option<&'a mut dyn FnMut(Substep<'_>)>;
