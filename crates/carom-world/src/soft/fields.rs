//! Force fields that act on vertices and particles.
//!
//! Reference: Godot 4, `Area3D` (gravity by region, priorities); E. Catto, Box2D 3.1,
//! `b2Shape_ApplyWind`, 2025 (for rigid shapes; here each vertex is a ball in the wind).

use crate::bodies::force_fields::{FieldPoint, FieldTimes, ForceFields};
use crate::soft::per_thing::PerThing;
use crate::soft::set::SoftSet;
use carom_broad::Groups;
use carom_math::Vec3;
use carom_particles::{Acceleration, ParticleMotion};

/// The force fields of a world, for the particles of its soft things.
pub(crate) struct SoftFields<'a> {
    fields: &'a ForceFields,
    /// The gravity of the settings.
    gravity: Vec3,
    groups: PerThing<Groups>,
}

impl<'a> SoftFields<'a> {
    /// `None` if there are no fields.
    pub(crate) fn of(set: &SoftSet, fields: &'a ForceFields, gravity: Vec3) -> Option<SoftFields<'a>> {
        (!fields.is_empty()).then(|| {
            let groups = PerThing::of(set, |thing| thing.collision.filter.groups);
            SoftFields { fields, gravity, groups }
        })
    }

    /// Returns the acceleration of a particle. One that is not finite does not act.
    pub(crate) fn at(&self, motion: &ParticleMotion) -> Acceleration {
        let effect = self.fields.at(&FieldPoint {
            point: motion.position,
            velocity: motion.velocity,
            angular_momentum: Vec3::ZERO,
            groups: self.groups.at(motion.particle).copied().unwrap_or(Groups::empty()),
            times: FieldTimes::of(motion.dt, 1),
        });
        let other = effect.acceleration;
        Acceleration {
            gravity: effect.gravity.unwrap_or(self.gravity),
            other: if other.is_finite() { other } else { Vec3::ZERO },
        }
    }

    /// Returns the strongest acceleration of the particles at their present places.
    pub(crate) fn strongest(&self, set: &SoftSet, dt: f32) -> f32 {
        let of = |id: u32| {
            let (position, velocity) = (set.solver.position(id)?, set.solver.velocity(id)?);
            let found = self.at(&ParticleMotion::new(id, position, velocity, dt));
            Some(found.gravity.length() + found.other.length())
        };
        (0..set.owners.len() as u32).filter_map(of).fold(0.0, f32::max)
    }
}
