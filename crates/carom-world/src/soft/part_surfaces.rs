//! Materials of the contacts of soft things with bodies.
//!
//! - A body of one collider has one surface, unless the parts of the collider have materials. With
//!   the default combine rules and without a belt, the particle solver needs only that surface.
//! - For other bodies it calls a function at each contact. The material is that of the part
//!   nearest to the contact, as for a rigid body. Belts and the vertices of deforming meshes give
//!   it a velocity, and the combine rules of both sides count (tests: `soft_belts::*`).
//! - Hooks are not called for these contacts: [`Hooks`](crate::Hooks) lists the calls that replace
//!   them.
//!
//! Reference: Jolt Physics, `MeshShapeSettings::mMaterials` (a material for each triangle).

use crate::bodies::BodySet;
use crate::bodies::traits::Traits;
use crate::contacts::belts::Belts;
use crate::contacts::surface_velocity::{Sheet, belt_at};
use crate::soft::desc::{DEFAULT_RULES, Rules};
use crate::soft::per_thing::PerThing;
use crate::soft::set::SoftSet;
use carom_math::{Pose, Vec3};
use carom_particles::{ContactMaterial, Surface, SurfaceContact};
use carom_query::{Shape, project_point};
use carom_response::CombineRule;

/// The combine rules of particles; `None` if all things have the default ones.
pub(crate) struct ParticleRules(Option<PerThing<Rules>>);

impl ParticleRules {
    pub(crate) fn of(set: &SoftSet) -> ParticleRules {
        let has_others = set.things().any(|thing| thing.collision.rules != DEFAULT_RULES);
        ParticleRules(has_others.then(|| PerThing::of(set, |thing| thing.collision.rules)))
    }

    fn at(&self, particle: u32) -> Rules {
        self.0.as_ref().and_then(|things| things.at(particle)).copied().unwrap_or(DEFAULT_RULES)
    }
}

/// Returns the surface of a body of one material.
pub(crate) fn surface_of(traits: &Traits) -> Surface {
    Surface::default().with_friction(traits.friction).with_restitution(traits.restitution.min(1.0))
}

impl BodySet {
    /// Returns the material of contacts with a body. `None` for a body of one material that needs
    /// only the default rules.
    pub(crate) fn contact_materials<'a>(
        &'a self,
        body: u32,
        belts: &'a Belts,
        particles: &'a ParticleRules,
        dt: f32,
    ) -> Option<impl Fn(&SurfaceContact) -> ContactMaterial + Sync + 'a> {
        let index = body as usize;
        let traits = &self.traits[index];
        let has_parts = traits.is_composite || traits.has_part_materials;
        let has_belt = belts.of(body).is_some();
        let has_rules =
            [traits.friction_rule, traits.restitution_rule] != DEFAULT_RULES || particles.0.is_some();
        let sheet = self.sheet_of(body, dt);
        let has_any = has_parts || has_belt || has_rules || sheet.is_some();
        let shape = self.solid_shape(index).filter(|_| has_any)?;
        let solids = self.solids([&[], &[]]);
        Some(move |contact: &SurfaceContact| {
            let find_part =
                || project_point(shape, &Pose::IDENTITY, contact.point).map_or(0, |found| found.part);
            let part = if has_parts || sheet.is_some() { find_part() } else { 0 };
            let traits = solids.traits_at(index, part);
            let [friction_rule, restitution_rule] = particles.at(contact.particle);
            let friction = |own: f32| {
                CombineRule::combine([friction_rule, traits.friction_rule], [own, traits.friction])
            };
            let [belt, _] = if has_belt {
                belt_at((&solids, belts), (body, part), &Pose::IDENTITY, contact.point)
            } else {
                [Vec3::ZERO; 2]
            };
            let deformation =
                sheet.as_ref().map_or(Vec3::ZERO, |sheet| sheet.motion_at(part, contact.point)[0]);
            ContactMaterial {
                friction: friction(contact.own.friction),
                static_friction: friction(contact.own.static_friction),
                restitution: CombineRule::combine(
                    [restitution_rule, traits.restitution_rule],
                    [contact.own.restitution, traits.restitution],
                ),
                velocity: belt + deformation,
            }
        })
    }

    /// Returns the mesh of a body if it deforms in this step, in the frame of the body.
    fn sheet_of(&self, body: u32, dt: f32) -> Option<Sheet<'_>> {
        let next = self.deforming.next_of(body)?;
        match &self.shapes[body as usize] {
            Some(Shape::Mesh(now)) => {
                Some(Sheet { meshes: [now, next], pose: Pose::IDENTITY, rate: 1.0 / dt })
            }
            _ => None,
        }
    }
}
