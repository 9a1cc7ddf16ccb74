//! Exact intersection test of two triangles, for every pair with finite corners.
//!
//! The corners of each triangle are classified against the plane of the other. If all are strictly
//! on one side, the triangles are apart. Otherwise each triangle cuts the common line of both
//! planes in an interval. Two orientations of edges against edges order the ends of the intervals.
//!
//! The first pass is plain `f64`, with one bound on every error, from the box around both. If a
//! sign is in doubt, the second pass has a bound for each sign, and exact arithmetic as a last
//! resort. Equal corners are tested only in the second pass, because a corner on a plane is in
//! doubt. Coplanar and degenerate triangles go to `flat.rs`.
//!
//! Reference: P. Guigue, O. Devillers, Fast and Robust Triangle-Triangle Overlap Test Using
//! Orientation Predicates, Journal of Graphics Tools 8(1), 2003; S. Pion, A. Meyer, FPG: A Code
//! Generator for Fast and Certified Geometric Predicates, 2008 (one bound from the extent of the
//! input).
//! Differs: certified signs; degenerate triangles are treated as the sets that they are. One rule
//! finds the lone corner instead of tables.

use crate::flat::{self, Span};
use crate::segment_triangle::segment_meets_triangle;
use carom_math::predicates::{ORIENT3D_ERROR, orient3d, orient3d_filter};
use glam::DVec3;

/// Whether the two closed triangles have a common point: exact for the given coordinates.
///
/// Touching counts. A triangle without area is a segment or a point. Coordinates that are not
/// finite give an unspecified result.
#[inline]
pub fn intersects(a: &[DVec3; 3], b: &[DVec3; 3]) -> bool {
    quick(a, b).unwrap_or_else(|| careful(a, b))
}

/// [`intersects`] if comparisons and plain `f64` are certain; `None` if exact arithmetic is
/// needed. It is for statistics of how often that happens.
pub fn intersects_filter(a: &[DVec3; 3], b: &[DVec3; 3]) -> Option<bool> {
    quick(a, b).or_else(|| {
        if has_shared_corner(a, b) {
            return Some(true);
        }
        match relation_with(a, b, &orient3d_filter)? {
            Relation::Apart => Some(false),
            Relation::Crossing(crossing) => crossing.meets_with(&orient3d_filter),
            Relation::Flat => None,
        }
    })
}

/// Decides by boxes, planes and edges in plain `f64`, with one bound on the error of every sign.
#[inline]
fn quick(a: &[DVec3; 3], b: &[DVec3; 3]) -> Option<bool> {
    let (low_a, high_a) = (a[0].min(a[1]).min(a[2]), a[0].max(a[1]).max(a[2]));
    let (low_b, high_b) = (b[0].min(b[1]).min(b[2]), b[0].max(b[1]).max(b[2]));
    if (low_a.cmpgt(high_b) | low_b.cmpgt(high_a)).any() {
        return Some(false);
    }
    let extent = high_a.max(high_b) - low_a.min(low_b);
    // Beyond this a product could overflow.
    if !(extent.max_element() < 1.0e100) {
        return None;
    }
    // A determinant of differences sums six products, each at most the product of the extents of
    // the common box.
    let error = 6.1 * ORIENT3D_ERROR * (extent.x * extent.y * extent.z);
    // This bounds underflow, as the filter of orient3d does.
    let error = error + 1.0e-300 * (extent.x + extent.y + extent.z + 1.0);
    let sides_a = certain_sides(b, a, error)?;
    if is_one_sided(&sides_a) {
        return Some(false);
    }
    let sides_b = certain_sides(a, b, error)?;
    if is_one_sided(&sides_b) {
        return Some(false);
    }
    // No side is 0, so each triangle has a lone corner.
    let ((i, is_a_up), (j, is_b_up)) = (lone_corner(&sides_a)?, lone_corner(&sides_b)?);
    let crossing = Crossing { a: turned(a, i, !is_b_up), b: turned(b, j, !is_a_up) };
    crossing.meets_with(&|a: DVec3, b: DVec3, c: DVec3, d: DVec3| {
        let (u, v, w) = (a - d, b - d, c - d);
        let side = u.dot(v.cross(w));
        (error < side.abs()).then_some(side)
    })
}

/// Returns the sides of three points relative to a triangle's plane, if all are farther from it
/// than the error.
#[inline]
fn certain_sides(plane: &[DVec3; 3], points: &[DVec3; 3], error: f64) -> Option<[f64; 3]> {
    let a = plane[0];
    let normal = (plane[1] - a).cross(plane[2] - a);
    let sides = points.map(|p| normal.dot(p - a));
    let is_certain = (error < sides[0].abs()) & (error < sides[1].abs()) & (error < sides[2].abs());
    is_certain.then_some(sides)
}

/// [`intersects`] if a sign was in doubt, for triangles whose boxes overlap.
#[cold]
fn careful(a: &[DVec3; 3], b: &[DVec3; 3]) -> bool {
    if has_shared_corner(a, b) {
        return true;
    }
    match relation_of_planes(a, b) {
        Relation::Apart => false,
        Relation::Crossing(crossing) => crossing.meets(),
        Relation::Flat => flat_meets(a, b),
    }
}

/// Whether a corner of one equals a corner of the other.
fn has_shared_corner(a: &[DVec3; 3], b: &[DVec3; 3]) -> bool {
    a.iter().any(|p| b.contains(p))
}

/// The relation of two triangles to each other's planes.
pub(crate) enum Relation {
    /// The plane of one has the other strictly on one side.
    Apart,
    /// Both have an area, and each meets the other's plane; the planes differ.
    Crossing(Crossing),
    /// They are coplanar, or at least one of them is a segment or a point.
    Flat,
}

/// Two triangles that cross each other's planes, with sorted corners. The first corner of each is
/// alone on the upper closed side of the other's plane. The other two are on the lower closed side.
/// Not all three are on the plane.
pub(crate) struct Crossing {
    pub(crate) a: [DVec3; 3],
    pub(crate) b: [DVec3; 3],
}

/// A sign like that of [`orient3d`], or `None` if it is in doubt.
trait Sign: Fn(DVec3, DVec3, DVec3, DVec3) -> Option<f64> {}
impl<F: Fn(DVec3, DVec3, DVec3, DVec3) -> Option<f64>> Sign for F {}

/// [`orient3d`], never in doubt.
fn certain(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> Option<f64> {
    Some(orient3d(a, b, c, d))
}

/// Returns the relation of two triangles.
pub(crate) fn relation_of_planes(a: &[DVec3; 3], b: &[DVec3; 3]) -> Relation {
    // Never in doubt.
    relation_with(a, b, &certain).unwrap_or(Relation::Flat)
}

/// [`relation_of_planes`], with signs that may be in doubt.
fn relation_with(a: &[DVec3; 3], b: &[DVec3; 3], sign: &impl Sign) -> Option<Relation> {
    let sides_a = plane_sides(b, a, sign)?;
    if is_one_sided(&sides_a) {
        return Some(Relation::Apart);
    }
    // All on the plane: the triangles are coplanar, or B has no plane.
    let Some((i, is_a_up)) = lone_corner(&sides_a) else { return Some(Relation::Flat) };
    let sides_b = plane_sides(a, b, sign)?;
    if is_one_sided(&sides_b) {
        return Some(Relation::Apart);
    }
    // All on the plane, though the corners of A are not on B's: A has no plane.
    let Some((j, is_b_up)) = lone_corner(&sides_b) else { return Some(Relation::Flat) };
    // Flipping a triangle swaps the sides of its plane; its own corners stay.
    Some(Relation::Crossing(Crossing { a: turned(a, i, !is_b_up), b: turned(b, j, !is_a_up) }))
}

/// Returns the corners from number `first` on, in reverse order if `is_turned`.
fn turned(t: &[DVec3; 3], first: usize, is_turned: bool) -> [DVec3; 3] {
    let (p, q, r) = (t[first], t[(first + 1) % 3], t[(first + 2) % 3]);
    if is_turned { [p, r, q] } else { [p, q, r] }
}

/// Whether the point lies in the plane of the triangle; always true for a triangle without area.
pub(crate) fn is_on_plane(p: DVec3, t: &[DVec3; 3]) -> bool {
    orient3d(t[0], t[1], t[2], p) == 0.0
}

/// Whether all are strictly on one side.
fn is_one_sided(sides: &[f64; 3]) -> bool {
    sides.iter().all(|&s| s > 0.0) || sides.iter().all(|&s| s < 0.0)
}

/// Returns the corner that is alone on its closed side of a plane, and whether that is the upper
/// side. `None` if all three lie on the plane. At least one of the other two, or this one, is
/// strictly on its side.
fn lone_corner(sides: &[f64; 3]) -> Option<(usize, bool)> {
    let n_above = sides.iter().filter(|&&s| s > 0.0).count();
    let n_below = sides.iter().filter(|&&s| s < 0.0).count();
    let find = |test: fn(&f64) -> bool| sides.iter().position(test);
    match (n_above, n_below) {
        (1, _) => find(|&s| s > 0.0).map(|i| (i, true)),
        (_, 1) => find(|&s| s < 0.0).map(|i| (i, false)),
        // Two strictly on one side, one on the plane.
        (0, 2) => find(|&s| s == 0.0).map(|i| (i, true)),
        (2, 0) => find(|&s| s == 0.0).map(|i| (i, false)),
        _ => None,
    }
}

/// Returns the sides of three points relative to a triangle's plane: positive where it appears
/// counter-clockwise.
fn plane_sides(plane: &[DVec3; 3], points: &[DVec3; 3], sign: &impl Sign) -> Option<[f64; 3]> {
    let [a, b, c] = *plane;
    let (u, v) = (b - a, c - a);
    let (yz, zy) = (u.y * v.z, u.z * v.y);
    let (zx, xz) = (u.z * v.x, u.x * v.z);
    let (xy, yx) = (u.x * v.y, u.y * v.x);
    let normal = DVec3::new(yz - zy, zx - xz, xy - yx);
    let size = DVec3::new(yz.abs() + zy.abs(), zx.abs() + xz.abs(), xy.abs() + yx.abs());
    let side = |p: DVec3| {
        let w = p - a;
        let side = normal.x * w.x + normal.y * w.y + normal.z * w.z;
        // The same sum of products as the filter of orient3d, with the same bound for underflow.
        let w = w.abs();
        let error = ORIENT3D_ERROR * (size.x * w.x + size.y * w.y + size.z * w.z)
            + 1.0e-300 * (w.x + w.y + w.z + 1.0);
        if error < side.abs() && side.is_finite() { Some(side) } else { sign(a, b, c, p).map(|s| -s) }
    };
    Some([side(points[0])?, side(points[1])?, side(points[2])?])
}

impl Crossing {
    /// Whether the intervals of the triangles on the common line overlap.
    ///
    /// Seen along a x b, the cross product of the normals, A cuts it from side (p, r) to side (p,
    /// q). B cuts it from (p, q) to (p, r). With both lone corners on top, the tetrahedron of two
    /// sides has the sign of their difference on the line.
    fn meets(&self) -> bool {
        self.b_start_after_a_end() <= 0.0 && self.b_end_after_a_start() >= 0.0
    }

    /// [`Crossing::meets`], with signs that may be in doubt.
    #[inline]
    fn meets_with(&self, sign: &impl Sign) -> Option<bool> {
        let Crossing { a, b } = self;
        Some(sign(a[1], b[0], b[1], a[0])? <= 0.0 && sign(a[2], b[0], b[2], a[0])? >= 0.0)
    }

    /// Returns the sign of B's start minus A's end.
    #[inline]
    pub(crate) fn b_start_after_a_end(&self) -> f64 {
        orient3d(self.a[1], self.b[0], self.b[1], self.a[0])
    }

    /// Returns the sign of B's end minus A's start.
    #[inline]
    pub(crate) fn b_end_after_a_start(&self) -> f64 {
        orient3d(self.a[2], self.b[0], self.b[2], self.a[0])
    }

    /// Returns the sign of B's start minus A's start.
    #[inline]
    pub(crate) fn b_start_after_a_start(&self) -> f64 {
        orient3d(self.a[2], self.b[0], self.b[1], self.a[0])
    }

    /// Returns the sign of B's end minus A's end.
    #[inline]
    pub(crate) fn b_end_after_a_end(&self) -> f64 {
        orient3d(self.a[1], self.b[0], self.b[2], self.a[0])
    }
}

/// Whether two coplanar triangles meet; either may be a segment or a point.
#[cold]
fn flat_meets(a: &[DVec3; 3], b: &[DVec3; 3]) -> bool {
    match (flat::span(a), flat::span(b)) {
        (Span::Triangle { axis }, Span::Triangle { .. }) => flat::triangles_meet_flat(axis, a, b),
        (Span::Triangle { .. }, Span::Segment(s)) => segment_meets_triangle(&s, a),
        (Span::Segment(s), Span::Triangle { .. }) => segment_meets_triangle(&s, b),
        (Span::Segment(s), Span::Segment(t)) => flat::segments_meet(&s, &t),
    }
}
