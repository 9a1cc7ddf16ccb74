//! Do two triangles meet: decided exactly, for every pair of triangles with finite corners.
//!
//! Each triangle's corners are told apart by the plane of the other: all strictly on one side means
//! apart. Else each triangle cuts the line common to the planes in an interval, and two
//! orientations of edges against edges order the intervals' ends. First all this in plain `f64`
//! with one bound on every error, from the box around both; where a sign stays in doubt, again with
//! a bound for each sign, and exact arithmetic behind that. Equal corners are looked for only then:
//! a corner on a plane is in doubt. Triangles in one plane, and triangles that are segments or
//! points, go to `flat.rs`.
//!
//! Reference: P. Guigue, O. Devillers, Fast and Robust Triangle-Triangle Overlap Test Using
//! Orientation Predicates, Journal of Graphics Tools 8(1), 2003; S. Pion, A. Meyer, FPG: A Code
//! Generator for Fast and Certified Geometric Predicates, 2008 (one bound from the extent of the
//! input).
//! Differs: certified signs; degenerate triangles are answered as the sets that they are; one rule
//! finds the lone corner instead of their tables.

use crate::flat::{self, Span};
use crate::segment_triangle::segment_meets_triangle;
use carom_math::predicates::{ORIENT3D_ERROR, orient3d, orient3d_filter};
use glam::DVec3;

/// The two closed triangles have a point in common: exact for the coordinates as given.
///
/// Touching counts. A triangle without area is the segment or the point that it is. Coordinates
/// that are not finite give some answer.
#[inline]
pub fn intersects(a: &[DVec3; 3], b: &[DVec3; 3]) -> bool {
    quick(a, b).unwrap_or_else(|| careful(a, b))
}

/// [`intersects`] where comparisons of coordinates and plain `f64` are enough to be sure; `None`
/// where exact arithmetic is needed. For counting how often that happens.
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

/// Boxes, planes and edges in plain `f64`, with one bound on the error of every sign.
#[inline]
fn quick(a: &[DVec3; 3], b: &[DVec3; 3]) -> Option<bool> {
    let (low_a, high_a) = (a[0].min(a[1]).min(a[2]), a[0].max(a[1]).max(a[2]));
    let (low_b, high_b) = (b[0].min(b[1]).min(b[2]), b[0].max(b[1]).max(b[2]));
    if (low_a.cmpgt(high_b) | low_b.cmpgt(high_a)).any() {
        return Some(false);
    }
    let extent = high_a.max(high_b) - low_a.min(low_b);
    // Beyond that a product could overflow.
    if !(extent.max_element() < 1.0e100) {
        return None;
    }
    // A determinant of differences of corners sums six products, none larger than that of the
    // extents of the box around all corners.
    let error = 6.1 * ORIENT3D_ERROR * (extent.x * extent.y * extent.z);
    // And its underflow, counted as the filter of orient3d does.
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

/// On which side of the plane of a triangle three points lie, if all are farther from it than the
/// error.
#[inline]
fn certain_sides(plane: &[DVec3; 3], points: &[DVec3; 3], error: f64) -> Option<[f64; 3]> {
    let a = plane[0];
    let normal = (plane[1] - a).cross(plane[2] - a);
    let sides = points.map(|p| normal.dot(p - a));
    let is_certain = (error < sides[0].abs()) & (error < sides[1].abs()) & (error < sides[2].abs());
    is_certain.then_some(sides)
}

/// [`intersects`] where a sign was in doubt, for triangles whose boxes overlap.
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

/// A corner of one equals a corner of the other.
fn has_shared_corner(a: &[DVec3; 3], b: &[DVec3; 3]) -> bool {
    a.iter().any(|p| b.contains(p))
}

/// How two triangles lie to each other, as far as planes tell.
pub(crate) enum Relation {
    /// The plane of one has the other on one side of it.
    Apart,
    /// Both have an area, and each meets the plane of the other, which is another plane.
    Crossing(Crossing),
    /// They lie in one plane, or one of them at least is a segment or a point.
    Flat,
}

/// Two triangles that cross each other's planes, their corners put in order: the first of each lies
/// alone on the upper closed side of the other's plane, the other two on its lower closed side; not
/// all three on the plane.
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

/// How two triangles lie to each other.
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
    // All on the plane: it is that of both, or B has no plane.
    let Some((i, is_a_up)) = lone_corner(&sides_a) else { return Some(Relation::Flat) };
    let sides_b = plane_sides(a, b, sign)?;
    if is_one_sided(&sides_b) {
        return Some(Relation::Apart);
    }
    // All on the plane though those of A are not on B's: A has no plane.
    let Some((j, is_b_up)) = lone_corner(&sides_b) else { return Some(Relation::Flat) };
    // Turning a triangle over turns its plane's upper side to the other, and its own corners stay
    // where they are.
    Some(Relation::Crossing(Crossing { a: turned(a, i, !is_b_up), b: turned(b, j, !is_a_up) }))
}

/// The corners from number `first` on, in the other order of turning if asked.
fn turned(t: &[DVec3; 3], first: usize, is_turned: bool) -> [DVec3; 3] {
    let (p, q, r) = (t[first], t[(first + 1) % 3], t[(first + 2) % 3]);
    if is_turned { [p, r, q] } else { [p, q, r] }
}

/// The point lies in the plane of the triangle; also when the triangle has no area.
pub(crate) fn is_on_plane(p: DVec3, t: &[DVec3; 3]) -> bool {
    orient3d(t[0], t[1], t[2], p) == 0.0
}

/// All strictly on one side.
fn is_one_sided(sides: &[f64; 3]) -> bool {
    sides.iter().all(|&s| s > 0.0) || sides.iter().all(|&s| s < 0.0)
}

/// The corner that is alone on its closed side of a plane, and whether that is the upper side;
/// `None` if all three lie on the plane. At least one corner of the other two is strictly on their
/// side, or this one is on its.
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

/// On which side of the plane of a triangle three points lie: positive where it appears
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
        // The same sum of products as the filter of orient3d, with its underflow counted the same
        // way.
        let w = w.abs();
        let error = ORIENT3D_ERROR * (size.x * w.x + size.y * w.y + size.z * w.z)
            + 1.0e-300 * (w.x + w.y + w.z + 1.0);
        if error < side.abs() && side.is_finite() { Some(side) } else { sign(a, b, c, p).map(|s| -s) }
    };
    Some([side(points[0])?, side(points[1])?, side(points[2])?])
}

impl Crossing {
    /// The intervals in which the triangles cut the common line overlap.
    ///
    /// Looking along a x b, the cross product of the normals, A cuts it from side (p, r) to side
    /// (p, q), B from (p, q) to (p, r). With both lone corners on top, the sign of the tetrahedron
    /// of two sides is that of the difference of their places on the line.
    fn meets(&self) -> bool {
        self.b_start_after_a_end() <= 0.0 && self.b_end_after_a_start() >= 0.0
    }

    /// [`Crossing::meets`], with signs that may be in doubt.
    #[inline]
    fn meets_with(&self, sign: &impl Sign) -> Option<bool> {
        let Crossing { a, b } = self;
        Some(sign(a[1], b[0], b[1], a[0])? <= 0.0 && sign(a[2], b[0], b[2], a[0])? >= 0.0)
    }

    /// Sign of where B's interval begins, less where A's ends.
    #[inline]
    pub(crate) fn b_start_after_a_end(&self) -> f64 {
        orient3d(self.a[1], self.b[0], self.b[1], self.a[0])
    }

    /// Sign of where B's interval ends, less where A's begins.
    #[inline]
    pub(crate) fn b_end_after_a_start(&self) -> f64 {
        orient3d(self.a[2], self.b[0], self.b[2], self.a[0])
    }

    /// Sign of where B's interval begins, less where A's begins.
    #[inline]
    pub(crate) fn b_start_after_a_start(&self) -> f64 {
        orient3d(self.a[2], self.b[0], self.b[1], self.a[0])
    }

    /// Sign of where B's interval ends, less where A's ends.
    #[inline]
    pub(crate) fn b_end_after_a_end(&self) -> f64 {
        orient3d(self.a[1], self.b[0], self.b[2], self.a[0])
    }
}

/// Two triangles of one plane, or at least one of them a segment or a point, meet.
#[cold]
fn flat_meets(a: &[DVec3; 3], b: &[DVec3; 3]) -> bool {
    match (flat::span(a), flat::span(b)) {
        (Span::Triangle { axis }, Span::Triangle { .. }) => flat::triangles_meet_flat(axis, a, b),
        (Span::Triangle { .. }, Span::Segment(s)) => segment_meets_triangle(&s, a),
        (Span::Segment(s), Span::Triangle { .. }) => segment_meets_triangle(&s, b),
        (Span::Segment(s), Span::Segment(t)) => flat::segments_meet(&s, &t),
    }
}
