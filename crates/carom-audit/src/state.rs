//! Mass, momenta and energies of a body, in `f64`.
//!
//! Reference: H. Goldstein, Classical Mechanics, 3rd ed., 5.3 (kinetic energy and angular momentum of a rigid body).

use carom_math::Pose;
use carom_response::{Body, BodyKind};
use carom_world::BodyId;
use glam::{DMat3, DVec3};

/// A body at one moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct State {
    pub(crate) id: BodyId,
    pub(crate) kind: BodyKind,
    pub(crate) pose: Pose,
    /// 0 for a body that is not dynamic.
    pub(crate) mass: f64,
    pub(crate) center: DVec3,
    pub(crate) velocity: DVec3,
    pub(crate) angular_velocity: DVec3,
    /// About the centre.
    pub(crate) angular_momentum: DVec3,
    pub(crate) kinetic: f64,
    /// Gravity and the force of the caller on it.
    pub(crate) weight: DVec3,
    pub(crate) force: DVec3,
    pub(crate) torque: DVec3,
    pub(crate) is_sleeping: bool,
    /// It sleeps, or was slow at the end of the last step.
    pub(crate) is_slow: bool,
    pub(crate) is_damped: bool,
    pub(crate) is_driven: bool,
}

impl State {
    pub(crate) fn new(id: BodyId, body: &Body, gravity: DVec3) -> State {
        let pose = body.pose.wide();
        let is_dynamic = body.kind == BodyKind::Dynamic && 0.0 < body.inverse_mass;
        let mass = if is_dynamic { 1.0 / f64::from(body.inverse_mass) } else { 0.0 };
        let velocity = body.linear_velocity.as_dvec3();
        let angular_velocity = body.angular_velocity.as_dvec3();
        let inverse = body.inverse_inertia.as_dmat3();
        let inertia =
            if is_dynamic && inverse.determinant() != 0.0 { inverse.inverse() } else { DMat3::ZERO };
        let spin = pose.inverse_transform_vector(angular_velocity);
        let turned = inertia * spin;
        State {
            id,
            kind: body.kind,
            pose: body.pose,
            mass,
            center: pose.transform_point(body.center_of_mass.as_dvec3()),
            velocity,
            angular_velocity,
            angular_momentum: pose.transform_vector(turned),
            kinetic: 0.5 * mass * velocity.length_squared() + 0.5 * spin.dot(turned),
            weight: gravity * (mass * f64::from(body.gravity_scale)),
            force: body.force.as_dvec3(),
            torque: body.torque.as_dvec3(),
            is_sleeping: body.is_sleeping,
            is_slow: body.is_sleeping || 0.0 < body.sleep_time,
            is_damped: body.linear_damping != 0.0 || body.angular_damping != 0.0,
            is_driven: body.is_driven(),
        }
    }

    pub(crate) fn is_dynamic(&self) -> bool {
        0.0 < self.mass
    }

    pub(crate) fn is_finite(&self) -> bool {
        self.center.is_finite()
            && self.velocity.is_finite()
            && self.angular_velocity.is_finite()
            && self.pose.is_finite()
    }
}
