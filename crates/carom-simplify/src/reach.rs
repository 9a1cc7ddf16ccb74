//! The deviation of one surface from another: a proven and tight upper bound of the one-sided
//! Hausdorff distance.
//!
//! - The distance to a triangle is convex, so over a convex polygon it is largest at a corner. So
//!   no point of the polygon is farther from a surface than the polygon's farthest corner is from
//!   any one triangle of the surface.
//! - If this bound is too weak, the polygon is cut along the edges of the nearest triangle, seen
//!   along its normal. Then the parts are bounded.
//! - The part with the worst bound goes first, until no bound is much above the largest distance
//!   measured.
//!
//! Reference: M. Tang, M. Lee, Y. J. Kim, Interactive Hausdorff Distance Computation for General
//! Polygonal Models, ACM TOG 28(3), 2009 (branch and bound over triangles).
//! Differs: polygons are cut where their nearest triangle ends, so that parts of parallel surfaces
//! are settled at once; a solid counts as distance 0.

use crate::polygon::{middle, parts_about};
use crate::surface::{Surface, distance};
use alloc::collections::BinaryHeap;
use alloc::vec;
use alloc::vec::Vec;
use carom_math::ops::sqrt;
use core::cmp::Ordering;
use core::ops::ControlFlow;
use glam::DVec3;

/// The maximum number of parts tested, beyond a few for every triangle. If it is reached, the
/// bound is valid but may be loose.
const MAX_PARTS: usize = 1 << 17;

/// A convex polygon, with an upper bound of the distance of its points from the surface.
struct BoundedPolygon {
    corners: Vec<DVec3>,
    bound: f64,
    /// A serial number. Among equal bounds the oldest part comes first.
    number: usize,
}

impl PartialEq for BoundedPolygon {
    fn eq(&self, other: &BoundedPolygon) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for BoundedPolygon {}

impl PartialOrd for BoundedPolygon {
    fn partial_cmp(&self, other: &BoundedPolygon) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for BoundedPolygon {
    fn cmp(&self, other: &BoundedPolygon) -> Ordering {
        self.bound.total_cmp(&other.bound).then(other.number.cmp(&self.number))
    }
}

/// The accuracy at which the search stops.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Goal {
    /// Whether the surface is closed and points inside it have distance 0.
    pub(crate) is_solid: bool,
    /// A bound of at most this, a length at unit size, is accurate enough.
    pub(crate) enough: f64,
    /// A bound of at most this times the true distance is accurate enough.
    pub(crate) gap: f64,
    /// The search stops once it has found a distance above this, a length at unit size. The bound
    /// that it returns is above this too.
    pub(crate) too_far: f64,
}

/// Returns an upper bound, at unit size, of the distance of the points of triangles from a
/// surface. `pause` is called once in 1024 tests and may cancel the search.
pub(crate) fn reach(
    triangles: &[[DVec3; 3]],
    onto: &Surface,
    goal: Goal,
    pause: &mut dyn FnMut() -> ControlFlow<()>,
) -> ControlFlow<(), f64> {
    let mut farthest = 0.0_f64;
    let mut parts = BinaryHeap::new();
    let mut number = 0;
    let mut settled = 0.0_f64;
    let mut n_tests = 0_u32;
    let mut test = |corners: Vec<DVec3>, farthest: &mut f64, parts: &mut BinaryHeap<BoundedPolygon>| {
        let (bound, least) = bounds(&corners, onto, goal.is_solid, farthest.max(goal.enough));
        *farthest = farthest.max(least);
        if bound <= farthest.max(goal.enough) {
            settled = settled.max(bound);
        } else {
            number += 1;
            parts.push(BoundedPolygon { corners, bound, number });
        }
        n_tests = n_tests.wrapping_add(1);
        if n_tests.is_multiple_of(1024) { pause() } else { ControlFlow::Continue(()) }
    };
    for t in triangles {
        test(t.to_vec(), &mut farthest, &mut parts)?;
    }
    let mut left = MAX_PARTS + 8 * (triangles.len() + onto.triangles().len());
    let mut open = 0.0;
    while let Some(part) = parts.pop() {
        if part.bound <= (farthest * goal.gap).max(goal.enough) || goal.too_far < farthest || left == 0 {
            open = part.bound;
            break;
        }
        let near = onto.nearest(middle(&part.corners)).triangle;
        let Some(cut) = parts_about(&part.corners, onto.triangle(near)) else {
            // A point, or so small that it cannot be cut: its bound is final.
            open = part.bound;
            break;
        };
        for corners in cut {
            left = left.saturating_sub(1);
            test(corners, &mut farthest, &mut parts)?;
        }
    }
    let bound: f64 = settled.max(open);
    // The sum covers the rounding of cuts and of distances, at unit size.
    ControlFlow::Continue(if bound == 0.0 { 0.0 } else { bound + 64.0 * f64::EPSILON })
}

/// Returns an upper and a lower bound on the largest distance of a convex polygon from the
/// surface. The search stops once the upper bound is at most `enough`.
fn bounds(corners: &[DVec3], onto: &Surface, is_solid: bool, enough: f64) -> (f64, f64) {
    let center = middle(corners);
    let near = onto.nearest(center);
    let radius = sqrt(corners.iter().fold(0.0_f64, |m, p| m.max((*p - center).length_squared())));
    let counts = |p: DVec3| !(is_solid && onto.contains(p));
    let center_counts = counts(center);
    if !center_counts && radius < near.distance {
        return (0.0, 0.0);
    }
    let (far, corner) = farthest(corners, onto, near.triangle);
    let mut bound = far.min(near.distance + radius);
    let mut least = if center_counts { near.distance } else { 0.0 };
    if enough < bound {
        // The distance of the farthest corner, and the bound on the polygon by that corner's
        // nearest triangle.
        let at_corner = onto.nearest(corner);
        bound = bound.min(farthest(corners, onto, at_corner.triangle).0);
        if least < at_corner.distance && counts(corner) {
            least = at_corner.distance;
        }
    }
    (bound, least)
}

/// The largest distance of a corner from a triangle, and that corner.
fn farthest(corners: &[DVec3], onto: &Surface, triangle: u32) -> (f64, DVec3) {
    let mut most = (0.0, DVec3::ZERO);
    for &p in corners {
        let distance = onto.distance_to(p, triangle);
        if most.0 <= distance {
            most = (distance, p);
        }
    }
    most
}

/// Whether a convex polygon is proved to lie within `limit` of triangles. The proof cuts the
/// polygon into at most `most_pieces`; false if it needs more. `nearest` returns the triangle
/// nearest to a point. The numbers of the triangles that the proof uses are appended to `used`.
pub(crate) fn is_within<'a>(
    corners: &[DVec3],
    limit: f64,
    most_pieces: usize,
    nearest: &mut dyn FnMut(DVec3) -> Option<(u32, &'a [DVec3; 3])>,
    used: &mut Vec<u32>,
) -> bool {
    let mut pieces = vec![corners.to_vec()];
    let mut n_pieces = 1;
    while let Some(piece) = pieces.pop() {
        let center = middle(&piece);
        let Some((number, near)) = nearest(center) else { return false };
        if limit < distance(center, near) {
            return false;
        }
        if piece.iter().all(|p| distance(*p, near) <= limit) {
            used.push(number);
            continue;
        }
        let Some(parts) = parts_about(&piece, near) else { return false };
        n_pieces += parts.len() - 1;
        if most_pieces < n_pieces {
            return false;
        }
        pieces.extend(parts);
    }
    true
}
