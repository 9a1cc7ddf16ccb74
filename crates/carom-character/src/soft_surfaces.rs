//! The surfaces of soft bodies in a `carom_world::World`, for sweeps and rays of a
//! [`WorldSweep`](crate::WorldSweep).
//!
//! - Cloth and soft bodies count as their triangles, each as thick as the ball around a vertex. So
//!   a figure keeps as far from them as bodies do.
//! - The object of a hit is the number of the soft body with the highest bit set. No index of a
//!   body is that large.
//! - They have no pose, so their velocity carries a figure.
//! - The filter counts as for `carom_world` queries of soft things: they are solid and dynamic,
//!   and their own filter counts as that of a collider. They yield as dynamic bodies do.
//!
//! Liquids, gas, grains and ropes are passed through. They have no triangles.

use crate::kernel::shape_parts::is_within;
use crate::parts::{ConvexPart, NearbyPart};
use crate::shape_ray::ray_shape;
use crate::sweep::{NO_OBJECT, RayHit};
use alloc::vec::Vec;
use carom_bounds::{Aabb, BoundingVolume as _};
use carom_broad::BroadPhase;
use carom_geom::{SupportMap, SupportPoint};
use carom_math::{WidePose, rounding};
use carom_world::{CombineRule, QueryFilter, SoftBodyId, SoftBodyRef, World};
use core::ops::ControlFlow;
use glam::DVec3;

/// The reach of a ray behind its end, in radii of a soft body. Steeper triangles are found late:
/// those whose normal is at more than 60 degrees to the ray.
const MAX_SLANT: f64 = 2.0;

/// The bit of the objects that are soft bodies.
const SOFT_BIT: u32 = 1 << 31;

/// Returns the soft body that is the object of a hit; `None` for other objects.
pub(crate) fn soft_body_of<B: BroadPhase>(world: &World<B>, object: u32) -> Option<SoftBodyId> {
    let is_soft = object & SOFT_BIT != 0 && object != NO_OBJECT;
    if is_soft { world.soft_body_at(object & !SOFT_BIT) } else { None }
}

/// A triangle with a radius all around.
struct ThickTriangle<'a> {
    core: &'a dyn SupportMap,
    margin: f64,
}

impl SupportMap for ThickTriangle<'_> {
    fn support(&self, direction: DVec3) -> SupportPoint {
        self.core.support(direction)
    }

    fn vertex(&self, number: u32) -> Option<DVec3> {
        self.core.vertex(number)
    }

    fn center(&self) -> DVec3 {
        self.core.center()
    }

    fn radius(&self) -> f64 {
        self.core.radius()
    }

    fn margin(&self) -> f64 {
        self.margin
    }
}

/// The soft bodies of a world that a view selects.
#[derive(Clone, Copy)]
pub(crate) struct SoftSurfaces<'a, B: BroadPhase> {
    pub(crate) world: &'a World<B>,
    pub(crate) filter: QueryFilter<'a>,
    /// Lighter soft bodies are ignored, unless they are pinned or attached.
    pub(crate) min_mass: f64,
}

impl<B: BroadPhase> SoftSurfaces<'_, B> {
    /// Calls `each` with each soft body and its object.
    fn for_each(&self, each: &mut dyn FnMut(u32, SoftBodyRef<'_>)) {
        if self.world.soft_things().next().is_none() {
            return;
        }
        for body in self.world.query(&self.filter).soft_bodies() {
            let is_held = || body.pinned().next().is_some() || body.attached().next().is_some();
            if self.min_mass <= f64::from(body.mass()) || is_held() {
                each(body.id().index() | SOFT_BIT, body);
            }
        }
    }

    /// Returns the frame of all soft bodies.
    fn frame(&self) -> WidePose {
        WidePose { translation: self.world.origin(), ..WidePose::IDENTITY }
    }

    /// Calls `part` for each triangle that may touch the box between two corners. Those of the
    /// object `firm` do not yield; with `None` no triangle does.
    pub(crate) fn visit(
        &self,
        [low, high]: [DVec3; 2],
        firm: Option<u32>,
        part: &mut dyn FnMut(NearbyPart<'_>),
    ) {
        let frame = self.frame();
        self.for_each(&mut |object, body| {
            let (Some(mesh), margin) = (body.mesh(), f64::from(body.radius())) else { return };
            let yields = firm.is_some_and(|firm| firm != object);
            let [low, high] = [low - margin, high + margin].map(|v| (v - frame.translation) * mesh.scale());
            let aabb = if low.cmple(high).all() {
                Aabb { min: rounding::down3(low), max: rounding::up3(high) }
            } else {
                Aabb::EVERYTHING
            };
            let mut near: Vec<u32> = Vec::new();
            mesh.tree().visit_box(&aabb, |leaf| {
                near.extend(leaf.primitives);
                ControlFlow::Continue(())
            });
            // A restored snapshot has another tree, and of equal answers the first one counts.
            near.sort_unstable();
            for number in near {
                let thick = ThickTriangle { core: &mesh.mesh().triangle(number), margin };
                let found = ConvexPart::Convex(&thick, None);
                part(NearbyPart { object, number, pose: &frame, part: found, yields });
            }
        });
    }

    /// Returns the friction of a soft body and its combine rule; `None` for other objects.
    pub(crate) fn friction_of(&self, object: u32) -> Option<(f32, CombineRule)> {
        let id = soft_body_of(self.world, object)?;
        self.world.soft_body(id).ok().map(|body| body.friction())
    }

    /// Returns the first hit of a ray, with the velocity there.
    pub(crate) fn ray(&self, from: DVec3, displacement: DVec3) -> Option<RayHit> {
        let (frame, length) = (self.frame(), displacement.length());
        let mut best: Option<RayHit> = None;
        self.for_each(&mut |object, body| {
            let Some(shape) = body.shape() else { return };
            // The surface is a radius before the triangle, which may lie beyond the end of the ray.
            let radius = f64::from(body.radius());
            let stretch = 1.0 + MAX_SLANT * radius / length.max(f64::MIN_POSITIVE);
            let Some(hit) = ray_shape(&shape, &frame, from, displacement * stretch) else { return };
            let rate = hit.normal.dot(displacement).abs();
            let earlier = if 0.0 < rate { radius / rate } else { 0.0 };
            let t = (hit.t * stretch - earlier).max(0.0);
            if t <= 1.0 && best.is_none_or(|best| t < best.t) {
                let point = self.world.to_local(from + displacement * t);
                let velocity = body.velocity_under(hit.part, point, 0.0).as_dvec3();
                best = Some(RayHit { t, ..hit }.on(object, hit.part).moving(velocity));
            }
        });
        best
    }

    /// Whether a place is within a soft body.
    pub(crate) fn is_within(&self, position: DVec3) -> bool {
        let (frame, mut is_found) = (self.frame(), false);
        self.for_each(&mut |_, body| {
            is_found |= body.shape().is_some_and(|shape| is_within(&shape, &frame, position));
        });
        is_found
    }

    /// Returns the soft body of an object.
    fn body(&self, object: u32) -> Option<SoftBodyRef<'_>> {
        self.world.soft_body(soft_body_of(self.world, object)?).ok()
    }

    /// Returns the velocity at a point of a triangle; `None` for an object that is no soft body.
    pub(crate) fn velocity_of(&self, object: u32, triangle: u32, point: DVec3) -> Option<DVec3> {
        let body = self.body(object)?;
        Some(body.velocity_under(triangle, self.world.to_local(point), 0.0).as_dvec3())
    }
}
