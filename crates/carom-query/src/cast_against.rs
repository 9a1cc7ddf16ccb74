//! A mesh that moving convex shapes are cast against: the triangles near a sweep, and the cast of
//! each.
//!
//! 1. The box around the shape's sweep, in the mesh's frame, selects triangles.
//! 2. Two axes reject most of them: the triangle's normal, and the direction from its nearest
//!    point. Each takes two supports of the shape.
//! 3. The others are searched as convex pairs, up to the earliest proved contact.
//! 4. A triangle that is undecided within its interval is searched once more over the whole time.
//!
//! Reference: X. Zhang, S. Redon, M. Lee, Y. Kim, Continuous Collision Detection for Articulated
//! Models using Taylor Models and Temporal Culling, ACM SIGGRAPH 2007; Akenine-Moller et al.,
//! Real-Time Rendering, 4th ed., 25.11.

use crate::cast_leaving::{ConvexPair, IgnoredPlanes};
use crate::convex;
use crate::impact::{self, CastQuery};
use crate::mesh_shape::MeshShape;
use alloc::vec::Vec;
use carom_bounds::{Aabb, BoundingVolume as _};
use carom_ccd::{Earliest, Slab, Tally, TimeOfImpact, displacement_to_triangle};
use carom_geom::{SupportMap, WideMesh};
use carom_math::scaling::unit;
use core::ops::ControlFlow;
use glam::DVec3;

/// An interval with more triangles than this is halved.
const MAX_TRIANGLES: usize = 12;

/// In radii of the body. A box with a longer side is large because of the motion.
const MAX_SIDE_RADII: f64 = 2.6;

/// A mesh that convex shapes are cast against.
pub(crate) struct Against<'a, M, T> {
    pub(crate) mesh: &'a MeshShape<M>,
    pub(crate) query: CastQuery<'a, T>,
    /// Triangles behind these planes are ignored.
    pub(crate) ignored: IgnoredPlanes,
}

impl<M, T> Clone for Against<'_, M, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M, T> Copy for Against<'_, M, T> {}

impl<'a, M: WideMesh, T: Tally> Against<'a, M, T> {
    pub(crate) fn new(
        mesh: &'a MeshShape<M>,
        query: &CastQuery<'a, T>,
        ignored: IgnoredPlanes,
    ) -> Against<'a, M, T> {
        let query = CastQuery { settings: query.settings.with_distance(false), ..*query };
        Against { mesh, query, ignored }
    }

    /// Returns the distance beyond which triangles are ignored. It is a little above the target, so
    /// that ignored ones are surely apart.
    pub(crate) fn room(&self, b: &dyn SupportMap) -> f64 {
        let target = self.query.target();
        let tolerance = self.query.settings.tolerance.max(0.0) * (b.radius() + b.margin());
        (target + tolerance).max(target * (1.0 + 4.0 * f64::EPSILON))
    }

    /// Returns the box of a moving shape, grown by the room.
    fn swept(&self, slab: &Slab, b: &dyn SupportMap) -> ([DVec3; 2], Aabb) {
        self.query.count_volume();
        let room = DVec3::splat(self.room(b));
        let [min, max] = slab.bounds(b);
        let (min, max) = (min - room, max + room);
        // For NaN the box is infinite.
        let is_box = min.cmple(max).all();
        let aabb = if is_box { Aabb::around(min, max) } else { Aabb::EVERYTHING };
        let everywhere = [DVec3::NEG_INFINITY, DVec3::INFINITY];
        (if is_box { [min, max] } else { everywhere }, self.mesh.in_tree(&aabb))
    }

    /// Whether the sweep of the shape touches a leaf of the mesh's tree.
    pub(crate) fn is_near(&self, slab: &Slab, b: &dyn SupportMap) -> bool {
        let mut found = false;
        let walk = self.mesh.tree().visit_box(&self.swept(slab, b).1, |_| {
            found = true;
            ControlFlow::Break(())
        });
        self.query.count_walk(&walk.counters);
        found
    }

    /// Whether the sweep is much longer than the shape.
    pub(crate) fn is_long(&self, slab: &Slab, b: &dyn SupportMap) -> bool {
        let [min, max] = slab.bounds(b);
        // False for NaN.
        MAX_SIDE_RADII * (b.radius() + b.margin()) < (max - min).max_element()
    }

    /// Collects the triangles near the sweep of the shape. Returns false if there are so many that
    /// the interval should be halved.
    pub(crate) fn near(
        &self,
        slab: &Slab,
        b: &dyn SupportMap,
        can_halve: bool,
        triangles: &mut Vec<u32>,
    ) -> bool {
        triangles.clear();
        let ([min, max], aabb) = self.swept(slab, b);
        let limit = if can_halve && self.is_long(slab, b) { MAX_TRIANGLES } else { usize::MAX };
        let walk = self.mesh.tree().visit_box(&aabb, |found| {
            for &triangle in found.primitives {
                let [x, y, z] = self.mesh.mesh().corners(triangle);
                let (low, high) = (x.min(y).min(z), x.max(y).max(z));
                if low.cmple(max).all() && min.cmple(high).all() {
                    triangles.push(triangle);
                }
            }
            if triangles.len() <= limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        self.query.count_walk(&walk.counters);
        triangles.len() <= limit
    }

    /// Casts against the collected triangles.
    pub(crate) fn search(
        &self,
        slab: &Slab,
        b: &dyn SupportMap,
        part_b: u32,
        [from, to]: [f64; 2],
        triangles: &[u32],
        earliest: &mut Earliest,
    ) {
        let room = self.room(b);
        earliest.add_clear(room);
        let center = b.center();
        let middle = (slab.start().transform_point(center) + slab.end().transform_point(center)) * 0.5;
        for &number in triangles {
            if self.ignored.hides_triangle(&self.mesh.mesh().corners(number)) {
                earliest.add_clear(0.0);
                continue;
            }
            if self.is_beside(slab, b, middle, room, number) {
                continue;
            }
            let until = earliest.until(to);
            if until < from {
                break;
            }
            // Only a search that begins at the start time can detect a contact at the start.
            let settings = &self.query.settings;
            let begin = if settings.stop_at_penetration { from } else { settings.start_time };
            let mut answer = self.triangle(number, b, part_b, [begin, until]);
            if matches!(answer, TimeOfImpact::Undecided(_)) {
                // The ends of the interval may be the cause, so all the time is searched.
                let all = earliest.until(self.query.settings.max_time);
                answer = self.triangle(number, b, part_b, [self.query.settings.start_time, all]);
            }
            earliest.add(answer);
        }
    }

    /// Casts against one triangle as a convex body.
    pub(crate) fn triangle(
        &self,
        number: u32,
        b: &dyn SupportMap,
        part_b: u32,
        times: [f64; 2],
    ) -> TimeOfImpact {
        let triangle = self.mesh.mesh().triangle(number);
        // The tolerance is relative to the body, even if the triangle is small.
        let size = b.radius() + b.margin();
        let smaller = triangle.radius().min(size);
        let mut query = self.query.with_times(times);
        if 0.0 < smaller {
            query.settings.tolerance *= size / smaller;
        }
        let contact = |b_in_a: &_, limit| convex::signed(&triangle, b, b_in_a, limit, None, ());
        let mut answer = ConvexPair { a: Some(&triangle), b, contact }
            .answer(&query, |query| impact::convex(&triangle, b, query));
        if let TimeOfImpact::Hit(impact) = &mut answer {
            (impact.part_a, impact.part_b) = (number, part_b);
        }
        answer
    }

    /// Whether the shape stays farther from the triangle than `room` along one of two axes. The
    /// axes are the triangle's normal, and the direction from its nearest point to the centre of
    /// the shape. The second one helps if the shape passes beside the triangle.
    fn is_beside(&self, slab: &Slab, b: &dyn SupportMap, middle: DVec3, room: f64, triangle: u32) -> bool {
        let corners @ [x, y, z] = self.mesh.mesh().corners(triangle);
        // The rounding of a product with a unit vector.
        let rounding = 8.0 * f64::EPSILON * (x.abs() + y.abs() + z.abs()).element_sum();
        // False for NaN.
        let is_clear = |n: DVec3| {
            let top = corners.iter().fold(f64::NEG_INFINITY, |top, &corner| top.max(n.dot(corner)));
            room + rounding < slab.lowest(b, n) - top
        };
        if let Some(up) = unit((y - x).cross(z - x))
            && is_clear(if up.dot(middle - x) < 0.0 { -up } else { up })
        {
            return true;
        }
        unit(-displacement_to_triangle(middle, &corners)).is_some_and(is_clear)
    }
}
