//! Rays and nearest points of soft things.
//!
//! Cloth and soft bodies are tested as meshes, ropes and particles as balls. If two answers are
//! equal, the lowest thing index counts, then the lowest part index.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 22.6.2 (rays against spheres).

use crate::World;
use crate::soft::id::SoftThing;
use carom_broad::BroadPhase;
use carom_math::{Interval, Pose, Ray, Vec3, ops};
use carom_query::{Shape, cast_ray, project_point};

/// A hit of a ray on a soft thing, or its point nearest to a given point.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SoftHit {
    /// The soft thing.
    pub thing: SoftThing,
    /// The parameter of a ray, in lengths of its direction; for a nearest point the distance, not
    /// negative.
    pub t: f32,
    /// The point, in the world.
    pub point: Vec3,
    /// The index of the triangle of a mesh, of the vertex of a rope, or of a particle in its thing.
    pub part: u32,
}

impl<B: BroadPhase> World<B> {
    /// Returns the first hit of a ray on a soft thing, with a parameter in `interval`. A ray from
    /// inside a particle hits it at the start of the interval. A ray that is not finite hits
    /// nothing.
    pub fn cast_ray_soft(&self, ray: &Ray, interval: Interval) -> Option<SoftHit> {
        let length_sq = ray.direction.length_squared();
        let is_ray = 0.0 < length_sq && length_sq < f32::INFINITY && ray.origin.is_finite();
        let set = self.soft.set.as_deref().filter(|_| is_ray)?;
        let mut best: Option<SoftHit> = None;
        let mut take = |thing: SoftThing, t: f32, part: u32| {
            if best.is_none_or(|best| t < best.t) {
                best = Some(SoftHit { thing, t, point: ray.at(t), part });
            }
        };
        for (id, thing) in set.things_with_ids() {
            if let Some(part) = thing.soft_part()
                && let Some(mesh) = &part.mesh
            {
                let hit = cast_ray(&Shape::Mesh(mesh.clone()), &Pose::IDENTITY, ray, interval);
                hit.into_iter().for_each(|hit| take(id, hit.t, hit.part));
                continue;
            }
            for (part, center) in (0..).zip(&thing.positions) {
                let way = *center - ray.origin;
                let middle = way.dot(ray.direction) / length_sq;
                let aside_sq = (way - ray.direction * middle).length_squared();
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
    /// for a point that is not finite.
    pub fn nearest_soft(&self, point: Vec3, max_distance: f32) -> Option<SoftHit> {
        let set = self.soft.set.as_deref().filter(|_| point.is_finite())?;
        let mut best: Option<SoftHit> = None;
        let mut take = |thing: SoftThing, t: f32, at: Vec3, part: u32| {
            if t <= max_distance && best.is_none_or(|best| t < best.t) {
                best = Some(SoftHit { thing, t, point: at, part });
            }
        };
        for (id, thing) in set.things_with_ids() {
            if let Some(part) = thing.soft_part()
                && let Some(mesh) = &part.mesh
            {
                let found = project_point(&Shape::Mesh(mesh.clone()), &Pose::IDENTITY, point);
                found.into_iter().for_each(|f| take(id, f.distance.max(0.0), f.point, f.part));
                continue;
            }
            for (part, center) in (0..).zip(&thing.positions) {
                let way = point - *center;
                let distance = way.length();
                let on =
                    if distance <= thing.radius { point } else { *center + way * (thing.radius / distance) };
                take(id, (distance - thing.radius).max(0.0), on, part);
            }
        }
        best
    }
}
