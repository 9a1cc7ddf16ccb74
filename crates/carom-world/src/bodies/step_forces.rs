//! Gravity and forces on a body in a step.
//!
//! Reference: E. Catto, Box2D 3.1, `b2Body_ApplyForce`, 2025.

use crate::bodies::BodySet;
use crate::bodies::force_fields::FieldTimes;
use carom_math::Vec3;

impl BodySet {
    /// Returns gravity and forces on a body in a step. `gravity` is that of the settings.
    pub(crate) fn step_forces_on(&self, number: u32, gravity: Vec3, times: FieldTimes) -> StepForces {
        let index = number as usize;
        let BodySet { motions, steering, force_fields, traits, .. } = self;
        let body = &motions[index];
        let known = steering.forces.binary_search_by_key(&number, |(body, _)| *body);
        let once = known.map_or([Vec3::ZERO; 2], |slot| steering.forces[slot].1);
        let of_fields = force_fields.effect_on(body, traits[index].filter.membership, times);
        let finite = |v: Vec3| if v.is_finite() { v } else { Vec3::ZERO };
        let pull =
            if 0.0 < body.inverse_mass { of_fields.acceleration / body.inverse_mass } else { Vec3::ZERO };
        StepForces {
            gravity: of_fields.gravity.unwrap_or(gravity) * body.gravity_scale,
            force: body.force + once[0] + finite(pull),
            torque: body.torque + once[1] + finite(of_fields.torque),
        }
    }
}

/// Gravity and forces on a body in a step, in the world frame:
/// [`BodyRef::step_forces`](crate::BodyRef::step_forces).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct StepForces {
    /// The acceleration by gravity, length per time squared. It is the gravity of the settings, or
    /// that of the force field that replaces it: [`ForceKind::Gravity`](crate::ForceKind).
    pub gravity: Vec3,
    /// The force at the centre of mass, mass times length per time squared (newtons). It includes
    /// the other force fields, but no gravity.
    pub force: Vec3,
    /// The torque about the centre of mass, force times length.
    pub torque: Vec3,
}
