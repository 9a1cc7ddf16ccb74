//! Queries of the whole world: rays, overlaps, and the nearest body.
//!
//! The broad phase finds the candidates, and their shapes decide. If two answers are equal, the
//! body with the smaller number counts, so the answer does not depend on the broad phase.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.4 (rays), 25.3.

use crate::bodies::body_bounds::boxed;
use crate::{BodyId, ColliderId, World};
use alloc::vec::Vec;
use carom_broad::{BroadPhase, SpatialIndex};
use carom_geom::{PointProjection, RayHit};
use carom_math::{Interval, Pose, Ray, Vec3};
use carom_query::{Shape, intersects, project_point, ray_cast, ray_cast_all};
use core::ops::ControlFlow;

/// A hit of a ray on a body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct BodyHit {
    /// The body.
    pub body: BodyId,
    /// Its collider that is hit.
    pub collider: ColliderId,
    /// The hit, in the world frame.
    pub hit: RayHit,
}

/// The point of a body nearest to a given point.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct NearBody {
    /// The body.
    pub body: BodyId,
    /// Its collider that is nearest.
    pub collider: ColliderId,
    /// The point and its distance, in the world frame.
    pub projection: PointProjection,
}

impl<B: BroadPhase + SpatialIndex> World<B> {
    /// Returns the first hit of the ray on a body for which `wanted` is true.
    ///
    /// Shapes count as surfaces: a ray from inside hits the far side. A ray with a NaN or an
    /// infinity hits nothing.
    pub fn ray_cast(
        &self,
        ray: &Ray,
        interval: Interval,
        wanted: &dyn Fn(BodyId) -> bool,
    ) -> Option<BodyHit> {
        let mut best: Option<BodyHit> = None;
        self.broad_phase().visit_ray(ray, interval, &mut |candidate| {
            let end = best.map_or(interval.max, |b| b.hit.t);
            let Some((body, shape, pose)) = self.bodies.solid_at(candidate.index).filter(|s| wanted(s.0))
            else {
                return ControlFlow::Continue(end);
            };
            if let Some(hit) = ray_cast(shape, pose, ray, Interval::new(interval.min, end))
                && best.is_none_or(|b| hit.t < b.hit.t || hit.t == b.hit.t && body < b.body)
            {
                best = Some(BodyHit { body, collider: self.bodies.collider_at(body, hit.part), hit });
            }
            ControlFlow::Continue(best.map_or(interval.max, |b| b.hit.t))
        });
        best
    }

    /// Makes `out` all hits of the ray, sorted by the parameter, then by the body.
    pub fn ray_cast_all(&self, ray: &Ray, interval: Interval, out: &mut Vec<BodyHit>) {
        out.clear();
        let mut hits = Vec::new();
        self.broad_phase().visit_ray(ray, interval, &mut |candidate| {
            if let Some((body, shape, pose)) = self.bodies.solid_at(candidate.index) {
                hits.clear();
                ray_cast_all(shape, pose, ray, interval, &mut hits);
                let collider = |hit: &RayHit| self.bodies.collider_at(body, hit.part);
                out.extend(hits.iter().map(|&hit| BodyHit { body, collider: collider(&hit), hit }));
            }
            ControlFlow::Continue(interval.max)
        });
        out.sort_by(|a, b| a.hit.t.total_cmp(&b.hit.t).then(a.body.cmp(&b.body)));
    }

    /// Makes `out` the bodies that touch the shape at the pose, sorted.
    pub fn overlapping(&self, shape: &Shape, pose: &Pose, out: &mut Vec<BodyId>) {
        out.clear();
        if !pose.is_finite() {
            return;
        }
        self.broad_phase().visit_box(&boxed(shape, pose, 0.0), &mut |index| {
            if let Some((body, other, at)) = self.bodies.solid_at(index)
                && intersects(shape, pose, other, at)
            {
                out.push(body);
            }
            ControlFlow::Continue(())
        });
        out.sort_unstable();
    }

    /// Returns the body nearest to the point, at most `max_distance` away. Inside a body the
    /// distance is negative. A point that is not finite is near no body.
    pub fn nearest(
        &self,
        point: Vec3,
        max_distance: f32,
        wanted: &dyn Fn(BodyId) -> bool,
    ) -> Option<NearBody> {
        let mut best: Option<NearBody> = None;
        let limit = |best: Option<NearBody>| best.map_or(max_distance, |b| b.projection.distance.max(0.0));
        self.broad_phase().visit_near(point, max_distance, &mut |candidate| {
            let found = self
                .bodies
                .solid_at(candidate.index)
                .filter(|solid| wanted(solid.0))
                .and_then(|(body, shape, pose)| Some((body, project_point(shape, pose, point)?)));
            if let Some((body, projection)) = found {
                let distance = projection.distance;
                let is_better = best.is_none_or(|b| {
                    distance < b.projection.distance || distance == b.projection.distance && body < b.body
                });
                if distance <= max_distance && is_better {
                    let collider = self.bodies.collider_at(body, projection.part);
                    best = Some(NearBody { body, collider, projection });
                }
            }
            ControlFlow::Continue(limit(best))
        });
        best
    }
}
