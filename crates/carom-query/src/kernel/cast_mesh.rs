//! A moving convex shape against a moving mesh: stretches of time, earliest first, each through the
//! tree, then triangle by triangle.
//!
//! For a stretch the body's box in the mesh's frame says which triangles it may touch. Where those
//! are many, and the box is larger for the way it goes than for the body, the stretch is halved. Of
//! what is left the triangle's normal, and the way from its nearest point, clear most, by two
//! supports of the body each; the others are searched as convex pairs, until the earliest contact
//! that is proved. A triangle that is undecided within its stretch is asked about once more for all
//! the time.
//!
//! Reference: X. Zhang, S. Redon, M. Lee, Y. Kim, Continuous Collision Detection for Articulated
//! Models using Taylor Models and Temporal Culling, ACM SIGGRAPH 2007; Akenine-Moller et al.,
//! Real-Time Rendering, 4th ed., 25.11.

use super::cast_leaving::{ConvexPair, IgnoredPlanes};
use super::{cast_straight, convex as convex_pair, mesh_shape::MeshShape};
use crate::impact::{self, Question};
use crate::workspace::CastMemory;
use alloc::vec::Vec;
use carom_bounds::{Aabb, BoundingVolume as _};
use carom_ccd::{Earliest, Slab, Sweep, Tally, TimeOfImpact, way_to_triangle};
use carom_geom::SupportMap;
use carom_math::scaling::unit;
use core::ops::ControlFlow;
use glam::DVec3;

/// More triangles than this, and a stretch of time is halved.
const MOST_TRIANGLES: usize = 12;

/// A stretch is not halved below this part of all the time: 2^-14.
const SHORTEST: f64 = 1.0 / (1_u64 << 14) as f64;

/// In radii of the body: a box with a longer side is so for the way the body goes.
const LONG: f64 = 2.6;

/// When a moving convex shape first comes within the target distance of a moving mesh.
pub(super) fn convex(
    a: &MeshShape,
    b: &dyn SupportMap,
    asked: &Question<'_, impl Tally>,
    memory: &mut CastMemory,
) -> TimeOfImpact {
    let (start, end) = (asked.settings.start_time, asked.settings.max_time);
    let sweep = Sweep::new(asked.motion_a, asked.motion_b, start, end);
    let leaf = Against::new(a, asked, IgnoredPlanes::of_mesh(a, b, asked));
    if let Some(answer) = cast_straight::convex(leaf, b, &sweep) {
        return answer;
    }
    let mut earliest = Earliest::new();
    let CastMemory { spans, triangles, .. } = memory;
    spans.clear();
    spans.push((start, end));
    while let Some((from, to)) = spans.pop() {
        let until = earliest.until(end);
        // Contact is certain by then.
        if until <= from && start < from {
            break;
        }
        let to = to.min(until);
        let slab = sweep.slab(from, to);
        let can_halve = SHORTEST * (end - start) < to - from;
        if !leaf.near(&slab, b, can_halve, triangles) {
            let middle = 0.5 * (from + to);
            spans.push((middle, to));
            spans.push((from, middle));
            continue;
        }
        leaf.ask(&slab, b, 0, [from, to], triangles, &mut earliest);
    }
    earliest.answer()
}

/// A mesh that convex shapes are cast against.
pub(super) struct Against<'a, T> {
    pub(super) mesh: &'a MeshShape,
    pub(super) asked: Question<'a, T>,
    /// Triangles behind these are no obstacles.
    pub(super) ignored: IgnoredPlanes,
}

impl<T> Clone for Against<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Against<'_, T> {}

impl<'a, T: Tally> Against<'a, T> {
    pub(super) fn new(
        mesh: &'a MeshShape,
        asked: &Question<'a, T>,
        ignored: IgnoredPlanes,
    ) -> Against<'a, T> {
        let asked = Question { settings: asked.settings.with_distance(false), ..*asked };
        Against { mesh, asked, ignored }
    }

    /// What is farther away than this is of no interest: a little above the target, so that what is
    /// left out is surely apart.
    pub(super) fn room(&self, b: &dyn SupportMap) -> f64 {
        let target = self.asked.target();
        let tolerance = self.asked.settings.tolerance.max(0.0) * (b.radius() + b.margin());
        (target + tolerance).max(target * (1.0 + 4.0 * f64::EPSILON))
    }

    /// The box of a moving shape, grown by the room.
    fn swept(&self, slab: &Slab, b: &dyn SupportMap) -> ([DVec3; 2], Aabb) {
        self.asked.count_volume();
        let room = DVec3::splat(self.room(b));
        let [min, max] = slab.bounds(b);
        let (min, max) = (min - room, max + room);
        // Numbers that are none may be anywhere.
        let is_box = min.cmple(max).all();
        let aabb = if is_box { Aabb::around(min, max) } else { Aabb::EVERYTHING };
        let everywhere = [DVec3::NEG_INFINITY, DVec3::INFINITY];
        (if is_box { [min, max] } else { everywhere }, self.mesh.in_tree(&aabb))
    }

    /// Is a leaf of the mesh's tree near the way of the shape?
    pub(super) fn is_near(&self, slab: &Slab, b: &dyn SupportMap) -> bool {
        let mut found = false;
        let walk = self.mesh.tree().visit_box(&self.swept(slab, b).1, |_| {
            found = true;
            ControlFlow::Break(())
        });
        self.asked.count_walk(&walk.counters);
        found
    }

    /// The way is longer than the shape.
    pub(super) fn is_long(&self, slab: &Slab, b: &dyn SupportMap) -> bool {
        let [min, max] = slab.bounds(b);
        // Not so for numbers that are none.
        LONG * (b.radius() + b.margin()) < (max - min).max_element()
    }

    /// Collects the triangles near the way of the shape; false where there are so many that half
    /// the way should be looked at.
    pub(super) fn near(
        &self,
        slab: &Slab,
        b: &dyn SupportMap,
        can_halve: bool,
        triangles: &mut Vec<u32>,
    ) -> bool {
        triangles.clear();
        let ([min, max], aabb) = self.swept(slab, b);
        let limit = if can_halve && self.is_long(slab, b) { MOST_TRIANGLES } else { usize::MAX };
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
        self.asked.count_walk(&walk.counters);
        triangles.len() <= limit
    }

    /// Asks about the collected triangles.
    pub(super) fn ask(
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
            // Whether a contact is that of the start shows only if the search begins there.
            let settings = &self.asked.settings;
            let begin = if settings.stop_at_penetration { from } else { settings.start_time };
            let mut answer = self.triangle(number, b, part_b, [begin, until]);
            if matches!(answer, TimeOfImpact::Undecided(_)) {
                // Perhaps for where the stretch begins and ends.
                let all = earliest.until(self.asked.settings.max_time);
                answer = self.triangle(number, b, part_b, [self.asked.settings.start_time, all]);
            }
            earliest.add(answer);
        }
    }

    /// The triangle with this number as a convex body.
    pub(super) fn triangle(
        &self,
        number: u32,
        b: &dyn SupportMap,
        part_b: u32,
        times: [f64; 2],
    ) -> TimeOfImpact {
        let triangle = self.mesh.mesh().triangle(number);
        // The tolerance is that of the body, however small the triangle.
        let size = b.radius() + b.margin();
        let smaller = triangle.radius().min(size);
        let mut asked = self.asked.with_times(times);
        if 0.0 < smaller {
            asked.settings.tolerance *= size / smaller;
        }
        let contact = |b_in_a: &_, limit| convex_pair::signed(&triangle, b, b_in_a, limit, None, ());
        let mut answer = ConvexPair { a: Some(&triangle), b, contact }
            .answer(&asked, |asked| impact::convex(&triangle, b, asked));
        if let TimeOfImpact::Hit(impact) = &mut answer {
            (impact.part_a, impact.part_b) = (number, part_b);
        }
        answer
    }

    /// The shape stays farther away than the room along the normal of the triangle, or along the
    /// way from its nearest point to the middle of the shape: that one tells where the shape passes
    /// beside the triangle.
    fn is_beside(&self, slab: &Slab, b: &dyn SupportMap, middle: DVec3, room: f64, triangle: u32) -> bool {
        let corners @ [x, y, z] = self.mesh.mesh().corners(triangle);
        // A product with a unit vector.
        let rounding = 8.0 * f64::EPSILON * (x.abs() + y.abs() + z.abs()).element_sum();
        // Not so for NaN.
        let is_clear = |n: DVec3| {
            let top = corners.iter().fold(f64::NEG_INFINITY, |top, &corner| top.max(n.dot(corner)));
            room + rounding < slab.lowest(b, n) - top
        };
        if let Some(up) = unit((y - x).cross(z - x))
            && is_clear(if up.dot(middle - x) < 0.0 { -up } else { up })
        {
            return true;
        }
        unit(-way_to_triangle(middle, &corners)).is_some_and(is_clear)
    }
}
