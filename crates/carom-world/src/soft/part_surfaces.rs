//! Friction and restitution of bodies for soft things, by the part that they touch.
//!
//! - A body of one collider has one surface, unless the parts of the collider have materials.
//! - On all other bodies, the material of a contact is that of the part nearest to it. So it is the
//!   one that a rigid body would meet there.
//!
//! Friction is mixed by the particle solver: the geometric mean of body and particle.
//!
//! Reference: Jolt Physics, `MeshShapeSettings::mMaterials` (a material for each triangle).

use crate::bodies::BodySet;
use crate::bodies::traits::Traits;
use carom_math::{Pose, Vec3};
use carom_particles::Surface;
use carom_query::project_point;

/// Returns the surface of a body of one material.
pub(crate) fn surface_of(traits: &Traits) -> Surface {
    Surface::default().with_friction(traits.friction).with_restitution(traits.restitution.min(1.0))
}

impl BodySet {
    /// Returns the surface of a body as a function of a point in its frame. `None` for a body of
    /// one material.
    pub(crate) fn part_surfaces(&self, body: u32) -> Option<impl Fn(Vec3) -> Surface + Sync + '_> {
        let index = body as usize;
        let traits = &self.traits[index];
        let shape = self.solid_shape(index).filter(|_| traits.is_composite || traits.has_part_materials)?;
        let solids = self.solids([&[], &[]]);
        Some(move |point| {
            let found = project_point(shape, &Pose::IDENTITY, point);
            surface_of(&solids.traits_at(index, found.map_or(0, |found| found.part)))
        })
    }
}
