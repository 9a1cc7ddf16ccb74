//! Shapes of all kinds as a world to walk in. Meshes and height fields count as the triangles near
//! the path, half-spaces as planes, and other shapes as convex parts. Each shape may move.
//!
//! Objects are tested one after the other, by their boxes, so use a few dozen at most. Make a
//! level one mesh or compound.
//!
//! A mesh is a two-sided surface. A figure that overlaps triangles is repeatedly pushed out of the
//! deepest one; out of a closed mesh it is pushed to the front. If that fails, many positions
//! around are tested, and the nearest free one is taken.
//!
//! A distance field counts as the surface of its samples, as triangles. It is solid if it has an
//! inside.
//!
//! Reference: K. Fauerby, Improved Collision Detection and Response, 2003 (swept ellipsoids
//! against triangles); Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.4 (rays against the
//! triangle that was hit last). Differs: any convex figure, without scaling space.

use crate::figure::Figure;
use crate::parts::{
    ConvexPart, ConvexWorld, NearbyPart, is_free, nearest_free, sweep_carried, sweep_ignoring,
};
use crate::sweep::{RayHit, RaySweep, Sweep, SweepHit};
use crate::twin::kernel::shape_parts::{is_within, starts_inside, visit_shape};
use alloc::vec::Vec;
use carom_bounds::{Aabb, BoundingVolume as _};
use carom_math::WidePose;
use carom_math::f64::{Interval, Pose, Ray};
use carom_query::f64::{Shape, cast_ray};
use glam::DVec3;

/// An object of the world.
#[derive(Clone, Debug)]
struct Object {
    shape: Shape,
    pose: Pose,
    wide: WidePose,
    aabb: Aabb,
    /// The velocity of the origin of its frame.
    linear: DVec3,
    angular: DVec3,
}

impl Object {
    /// Returns a parameter slightly beyond the approximate hit of a ray on a triangle. `None` if
    /// the shape is no mesh or the ray misses.
    fn ray_triangle(&self, from: DVec3, displacement: DVec3, triangle: u32) -> Option<f64> {
        let Shape::Mesh(mesh) = &self.shape else { return None };
        if mesh.mesh().n_triangles() <= triangle as usize {
            return None;
        }
        let [a, b, c] = mesh.mesh().corners(triangle);
        let (from, displacement) =
            (self.wide.inverse_transform_point(from), self.wide.inverse_transform_vector(displacement));
        let (u, v, w) = (b - a, c - a, from - a);
        let (across, side) = (displacement.cross(v), w.cross(u));
        let scale = 1.0 / u.dot(across);
        let (s, t, far) = (w.dot(across) * scale, displacement.dot(side) * scale, v.dot(side) * scale);
        let is_hit = 0.0 <= s && 0.0 <= t && s + t <= 1.0 && 0.0 <= far;
        // 2^-20 more, for rounding. If nothing is hit up to there, the whole ray is tested.
        is_hit.then_some(far + (1.0 + far) / (1_u64 << 20) as f64)
    }

    fn velocity_at(&self, point: DVec3) -> DVec3 {
        self.linear + self.angular.cross(point - self.pose.translation)
    }
}

/// A world of shapes, each with an index from 0. Use it if a program has no `carom_world::World`:
/// no bodies, and a level of few shapes that are never removed. Otherwise use `CharacterBody` in a
/// `World`, which has a tree over its bodies.
#[derive(Clone, Debug, Default)]
pub struct ShapeWorld {
    objects: Vec<Object>,
    /// Scratch memory of [`Sweep::sweep_carried`].
    passed: Vec<u32>,
}

impl ShapeWorld {
    /// Returns an empty world.
    pub fn new() -> ShapeWorld {
        ShapeWorld::default()
    }

    /// Adds a shape, and returns its index.
    pub fn insert(&mut self, shape: Shape, pose: Pose) -> u32 {
        let aabb = shape.aabb(&pose);
        let wide = pose.wide();
        self.objects.push(Object { shape, pose, wide, aabb, linear: DVec3::ZERO, angular: DVec3::ZERO });
        self.objects.len() as u32 - 1
    }

    /// Sets the pose of a shape, the velocity of its origin in length per second, and its angular
    /// velocity in radians per second. Returns false and changes nothing if there is no such shape
    /// or a number is not finite.
    pub fn set_motion(&mut self, object: u32, pose: Pose, linear: DVec3, angular: DVec3) -> bool {
        if !(pose.is_finite() && linear.is_finite() && angular.is_finite()) {
            return false;
        }
        let Some(object) = self.objects.get_mut(object as usize) else { return false };
        (object.pose, object.wide, object.linear, object.angular) = (pose, pose.wide(), linear, angular);
        object.aabb = object.shape.aabb(&pose);
        true
    }

    /// Returns the pose of a shape; `None` if there is no such shape.
    pub fn pose(&self, object: u32) -> Option<&Pose> {
        self.objects.get(object as usize).map(|object| &object.pose)
    }
}

impl ConvexWorld for ShapeWorld {
    fn visit(&mut self, low: DVec3, high: DVec3, part: &mut dyn FnMut(NearbyPart<'_>)) {
        let aabb = if low.cmple(high).all() { Aabb::around(low, high) } else { Aabb::EVERYTHING };
        for (object, number) in self.objects.iter().zip(0..) {
            if object.aabb.overlaps(&aabb) {
                let mut each = |number_of: u32, pose: &WidePose, found: ConvexPart<'_>| {
                    part(NearbyPart { object: number, number: number_of, pose, part: found, yields: false });
                };
                visit_shape(&object.shape, &object.wide, [low, high], &mut 0, &mut each);
            }
        }
    }

    fn velocity_of(&self, object: u32, _: u32, point: DVec3) -> DVec3 {
        self.objects.get(object as usize).map_or(DVec3::ZERO, |object| object.velocity_at(point))
    }

    fn is_within(&mut self, position: DVec3) -> bool {
        self.objects.iter().any(|object| is_within(&object.shape, &object.wide, position))
    }

    fn passed(&mut self) -> &mut Vec<u32> {
        &mut self.passed
    }
}

impl RaySweep for ShapeWorld {
    fn ray(&mut self, from: DVec3, displacement: DVec3, last: Option<&RayHit>) -> Option<RayHit> {
        let ray = Ray::new(from, displacement);
        let mut best: Option<RayHit> = None;
        let mut until = 1.0;
        // The last object is likely to be hit again, and hides the objects behind it.
        let likely = last.map_or(0, |last| last.object as usize).min(self.objects.len());
        let (before, after) = self.objects.split_at(likely);
        let numbered = after.iter().chain(before).zip((likely..self.objects.len()).chain(0..likely));
        for (object, number) in numbered {
            // If the last triangle is hit again, its distance bounds the search.
            let triangle = last.filter(|last| last.object == number as u32).map(|last| last.part);
            let near = triangle.and_then(|triangle| object.ray_triangle(from, displacement, triangle));
            let cast = |until: f64| cast_ray(&object.shape, &object.pose, &ray, Interval::new(0.0, until));
            let near = near.filter(|near| *near < until).and_then(cast);
            let Some(hit) = near.or_else(|| cast(until)) else { continue };
            let is_first = best.is_none_or(|best| (hit.t, number as u32) < (best.t, best.object));
            if is_first {
                until = hit.t;
                let against = if hit.is_back_face { -hit.normal } else { hit.normal };
                let velocity = object.velocity_at(from + displacement * hit.t);
                let start = || object.wide.inverse_transform_point(from);
                let is_inside = hit.is_back_face && starts_inside(&object.shape, hit.part, start());
                let found = RayHit::new(hit.t, against).starting_inside(is_inside);
                best = Some(found.on(number as u32, hit.part).moving(velocity));
            }
        }
        best
    }

    fn pose_of(&self, object: u32, _: u32) -> Option<WidePose> {
        self.objects.get(object as usize).map(|object| object.wide)
    }
}

impl Sweep for ShapeWorld {
    fn sweep(&mut self, figure: &Figure, from: DVec3, displacement: DVec3, keep: f64) -> Option<SweepHit> {
        sweep_ignoring(self, figure, from, displacement, keep, &[])
    }

    fn sweep_carried(
        &mut self,
        figure: &Figure,
        from: DVec3,
        displacement: DVec3,
        keep: f64,
        carrier: u32,
    ) -> Option<SweepHit> {
        sweep_carried(self, figure, from, displacement, keep, carrier)
    }

    fn is_free(&mut self, figure: &Figure, position: DVec3) -> bool {
        is_free(self, figure, position)
    }

    fn nearest_free(&mut self, figure: &Figure, position: DVec3) -> Option<DVec3> {
        nearest_free(self, figure, position)
    }
}
