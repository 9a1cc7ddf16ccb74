//! Rays and nearest points of soft things.
//!
//! Cloth and soft bodies are tested as meshes, ropes and particles as balls. If two answers are
//! equal, the one with the lower index of its thing is returned, then the one with the lower part.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 22.6.2 (rays against spheres).

use crate::soft::id::SoftThing;
use crate::soft::set::{SoftSet, Thing};
use crate::{Query, QueryFilter, SoftBodyRef};
use carom_broad::{BroadPhase, Mobility};
use carom_math::{Interval, Pose, Ray, Vec3, ops};
use carom_query::{Shape, cast_ray, project_point};

/// A hit of a ray on a soft thing, or its point nearest to a given point.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SoftHit {
    /// The soft thing.
    pub thing: SoftThing,
    /// The parameter of a ray: the distance divided by the length of its direction. For a nearest
    /// point it is the distance, not negative.
    pub t: f32,
    /// The point, in the world.
    pub point: Vec3,
    /// The index of the triangle of a mesh, of the vertex of a rope, or of a particle in its thing.
    pub part: u32,
}

/// Queries of soft things. For the filter of a query they are solid and dynamic, and their own
/// filter counts as that of a collider.
impl<B: BroadPhase> Query<'_, B> {
    /// Returns the first hit of a ray on a soft thing, with a parameter in `range`. The parameter
    /// is the distance divided by the length of the ray's direction. A number `x` as the range
    /// means 0 to `x`. A ray from inside a particle hits it at the start of the range. A ray that
    /// is not finite hits nothing.
    ///
    /// ```
    /// use carom_math::{Ray, Vec3};
    /// use carom_particles::ClothSettings;
    /// use carom_world::{QueryFilter, SoftBodyDesc, SoftThing, World};
    ///
    /// let mut world = World::new();
    /// let sheet = SoftBodyDesc::grid([2.0, 2.0], [4, 4], ClothSettings::default());
    /// let sheet = world.insert_soft_body(sheet.with_position(Vec3::Y * 3.0))?;
    /// let down = Ray::new(Vec3::new(0.1, 9.0, 0.1), Vec3::NEG_Y);
    /// let hit = world.query(&QueryFilter::SOLID).cast_ray_soft(&down, 100.0).unwrap();
    /// assert_eq!((hit.thing, hit.t), (SoftThing::Body(sheet), 6.0));
    /// assert!(world.query(&QueryFilter::FIXED).cast_ray_soft(&down, 100.0).is_none());
    /// # Ok::<(), carom_world::WorldError>(())
    /// ```
    pub fn cast_ray_soft(&self, ray: &Ray, range: impl Into<Interval>) -> Option<SoftHit> {
        let interval = range.into();
        let length_sq = ray.direction.length_squared();
        let is_ray = 0.0 < length_sq && length_sq < f32::INFINITY && ray.origin.is_finite();
        let set = self.soft_things().filter(|_| is_ray)?;
        let mut best: Option<SoftHit> = None;
        let mut take = |thing: SoftThing, t: f32, part: u32| {
            if best.is_none_or(|best| t < best.t) {
                best = Some(SoftHit { thing, t, point: ray.at(t), part });
            }
        };
        for (id, thing) in set.things_with_ids().filter(|(_, thing)| self.finds(thing)) {
            if let Some(part) = thing.soft_part()
                && let Some(mesh) = &part.mesh
            {
                let hit = cast_ray(&Shape::Mesh(mesh.clone()), &Pose::IDENTITY, ray, interval);
                hit.into_iter().for_each(|hit| take(id, hit.t, hit.part));
                continue;
            }
            for (part, center) in (0..).zip(&thing.positions) {
                let offset = *center - ray.origin;
                let middle = offset.dot(ray.direction) / length_sq;
                let aside_sq = (offset - ray.direction * middle).length_squared();
                let half_sq = (thing.radius * thing.radius - aside_sq) / length_sq;
                if 0.0 <= half_sq {
                    let half = ops::sqrt(half_sq);
                    let t = (middle - half).max(interval.min);
                    if t <= middle + half && t <= interval.max {
                        take(id, t, part);
                    }
                }
            }
        }
        best
    }

    /// Returns the point of a soft thing nearest to a point, at most `max_distance` away. `None`
    /// if there is none, or the point is not finite.
    pub fn nearest_soft(&self, point: Vec3, max_distance: f32) -> Option<SoftHit> {
        let set = self.soft_things().filter(|_| point.is_finite())?;
        let mut best: Option<SoftHit> = None;
        let mut take = |thing: SoftThing, t: f32, at: Vec3, part: u32| {
            if t <= max_distance && best.is_none_or(|best| t < best.t) {
                best = Some(SoftHit { thing, t, point: at, part });
            }
        };
        for (id, thing) in set.things_with_ids().filter(|(_, thing)| self.finds(thing)) {
            if let Some(part) = thing.soft_part()
                && let Some(mesh) = &part.mesh
            {
                let found = project_point(&Shape::Mesh(mesh.clone()), &Pose::IDENTITY, point);
                found.into_iter().for_each(|f| take(id, f.distance.max(0.0), f.point, f.part));
                continue;
            }
            for (part, center) in (0..).zip(&thing.positions) {
                let offset = point - *center;
                let distance = offset.length();
                let on = if distance <= thing.radius {
                    point
                } else {
                    *center + offset * (thing.radius / distance)
                };
                take(id, (distance - thing.radius).max(0.0), on, part);
            }
        }
        best
    }

    /// Returns the soft bodies that the query finds, by ascending index.
    pub fn soft_bodies(&self) -> impl Iterator<Item = SoftBodyRef<'_>> {
        let things = self.soft_things().into_iter().flat_map(|set| set.things_with_ids());
        let found = things.filter(|(_, thing)| self.finds(thing));
        found.filter_map(|(id, _)| match id {
            SoftThing::Body(id) => self.world.soft_body(id).ok(),
            SoftThing::Particles(_) => None,
        })
    }

    /// Returns the soft things, if the query finds what is solid and dynamic.
    fn soft_things(&self) -> Option<&SoftSet> {
        let QueryFilter { mobilities, solids, .. } = self.filter;
        let passes = solids && mobilities.contains(&Mobility::Dynamic);
        self.world.soft.set.as_deref().filter(|_| passes)
    }

    /// Whether a soft thing passes the groups of the query.
    fn finds(&self, thing: &Thing) -> bool {
        self.filter.filter.meets(&thing.collision.filter)
    }
}
