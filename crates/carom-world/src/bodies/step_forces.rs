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
        let (of_fields, replaces_gravity) = force_fields.on(body, traits[index].filter.membership, times);
        let gravity = if replaces_gravity { Vec3::ZERO } else { gravity };
        StepForces {
            gravity: gravity * body.gravity_scale,
            force: body.force + once[0] + of_fields[0],
            torque: body.torque + once[1] + of_fields[1],
        }
    }
}

/// Gravity and forces on a body in a step, in the world frame:
/// [`BodyRef::step_forces`](crate::BodyRef::step_forces).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct StepForces {
    /// The acceleration by the gravity of the settings, length per time squared. It is zero if a
    /// force field replaces this gravity.
    pub gravity: Vec3,
    /// The force at the centre of mass, that of force fields included.
    pub force: Vec3,
    /// The torque about the centre of mass.
    pub torque: Vec3,
}
