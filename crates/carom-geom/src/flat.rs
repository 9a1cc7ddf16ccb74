//! Exact intersection tests of points, segments and triangles in one plane, on one line, or at one
//! point.
//!
//! A projection along a coordinate axis keeps collinearity and sides, unless the axis lies in the
//! plane. Each test therefore runs in two dimensions, along an axis along which the figure is not
//! edge-on. Figures on one line are compared by a coordinate that changes along it. All sets are
//! closed; a segment whose ends are equal is a point.
//!
//! Reference: P. Guigue, O. Devillers, Fast and Robust Triangle-Triangle Overlap Test Using
//! Orientation Predicates, Journal of Graphics Tools 8(1), 2003, section 4 (the coplanar case).
//! Differs: plain tests of edges against edges instead of a decision tree; segments and points as
//! well.

use carom_math::predicates::orient2d_along;
use glam::DVec3;

/// The affine type of a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Span {
    /// It has an area; it is not edge-on along the axis.
    Triangle {
        /// 0, 1 or 2.
        axis: usize,
    },
    /// Its corners lie on one line: the segment between the outermost two, which are equal for a
    /// point.
    Segment([DVec3; 2]),
}

/// Returns the affine type of a triangle, exactly.
pub(crate) fn span(t: &[DVec3; 3]) -> Span {
    // The axis nearest to the normal comes first: it usually decides at once.
    let normal = (t[1] - t[0]).cross(t[2] - t[0]).abs();
    let first = if normal.x >= normal.y && normal.x >= normal.z {
        0
    } else if normal.y >= normal.z {
        1
    } else {
        2
    };
    for axis in [first, (first + 1) % 3, (first + 2) % 3] {
        if orient2d_along(axis, t[0], t[1], t[2]) != 0.0 {
            return Span::Triangle { axis };
        }
    }
    Span::Segment(ends(t))
}

/// Returns the outermost two of points on one line.
pub(crate) fn ends(points: &[DVec3]) -> [DVec3; 2] {
    let mut ends = [points[0]; 2];
    for &p in points {
        // Along a line every coordinate is monotone, so lexicographic order is the order along it.
        if precedes(p, ends[0]) {
            ends[0] = p;
        }
        if precedes(ends[1], p) {
            ends[1] = p;
        }
    }
    ends
}

/// Whether `p` comes before `q` in the order by x, then y, then z.
fn precedes(p: DVec3, q: DVec3) -> bool {
    if p.x != q.x {
        p.x < q.x
    } else if p.y != q.y {
        p.y < q.y
    } else {
        p.z < q.z
    }
}

/// Whether `p`, which is on the line of the segment, lies on the segment.
fn is_between(p: DVec3, s: &[DVec3; 2]) -> bool {
    s[0].min(s[1]).cmple(p).all() && p.cmple(s[0].max(s[1])).all()
}

/// Whether three points lie on one line of space.
fn on_line(a: DVec3, b: DVec3, c: DVec3) -> bool {
    (0..3).all(|axis| orient2d_along(axis, a, b, c) == 0.0)
}

/// Whether the point lies on the closed segment.
pub(crate) fn point_on_segment(p: DVec3, s: &[DVec3; 2]) -> bool {
    is_between(p, s) && on_line(s[0], s[1], p)
}

/// Whether a point in the plane of a triangle lies in the triangle. The triangle must not be
/// edge-on along the axis.
pub(crate) fn point_in_triangle_flat(axis: usize, p: DVec3, t: &[DVec3; 3]) -> bool {
    let sides = [0, 1, 2].map(|i| orient2d_along(axis, t[i], t[(i + 1) % 3], p));
    sides.iter().all(|&s| s >= 0.0) || sides.iter().all(|&s| s <= 0.0)
}

/// Whether two segments of one plane meet. The plane must not be edge-on along the axis.
fn segments_meet_flat(axis: usize, s: &[DVec3; 2], t: &[DVec3; 2]) -> bool {
    let s0 = orient2d_along(axis, t[0], t[1], s[0]);
    let s1 = orient2d_along(axis, t[0], t[1], s[1]);
    let t0 = orient2d_along(axis, s[0], s[1], t[0]);
    let t1 = orient2d_along(axis, s[0], s[1], t[1]);
    if strictly_apart(s0, s1) && strictly_apart(t0, t1) {
        return true;
    }
    // An end of one lies on the other; this also covers collinear segments and points.
    (s0 == 0.0 && is_between(s[0], t))
        || (s1 == 0.0 && is_between(s[1], t))
        || (t0 == 0.0 && is_between(t[0], s))
        || (t1 == 0.0 && is_between(t[1], s))
}

/// Whether the signs are opposite, neither zero.
#[inline]
pub(crate) fn strictly_apart(a: f64, b: f64) -> bool {
    (a < 0.0 && 0.0 < b) || (b < 0.0 && 0.0 < a)
}

/// Whether two closed segments of space meet.
pub(crate) fn segments_meet(s: &[DVec3; 2], t: &[DVec3; 2]) -> bool {
    if (s[0].min(s[1]).cmpgt(t[0].max(t[1])) | t[0].min(t[1]).cmpgt(s[0].max(s[1]))).any() {
        return false;
    }
    if carom_math::predicates::orient3d(s[0], s[1], t[0], t[1]) != 0.0 {
        return false;
    }
    for axis in 0..3 {
        let is_flat = orient2d_along(axis, s[0], s[1], t[0]) != 0.0
            || orient2d_along(axis, s[0], s[1], t[1]) != 0.0
            || orient2d_along(axis, t[0], t[1], s[0]) != 0.0
            || orient2d_along(axis, t[0], t[1], s[1]) != 0.0;
        if is_flat {
            return segments_meet_flat(axis, s, t);
        }
    }
    // All four on one line: they meet because their boxes overlap.
    true
}

/// Whether a closed segment and a triangle with area, both in one plane, meet.
pub(crate) fn segment_meets_triangle_flat(axis: usize, s: &[DVec3; 2], t: &[DVec3; 3]) -> bool {
    // A segment that meets no side lies inside or outside with both ends.
    point_in_triangle_flat(axis, s[0], t)
        || (0..3).any(|i| segments_meet_flat(axis, s, &[t[i], t[(i + 1) % 3]]))
}

/// Whether two triangles with area in one plane meet: no side's line separates them strictly.
pub(crate) fn triangles_meet_flat(axis: usize, s: &[DVec3; 3], t: &[DVec3; 3]) -> bool {
    // At most 20 orientations; edges against edges are four for each of nine pairs.
    !(has_separating_side(axis, s, t) || has_separating_side(axis, t, s))
}

/// Whether the line of a side of `s` has `s` on one side and all of `t` strictly on the other.
fn has_separating_side(axis: usize, s: &[DVec3; 3], t: &[DVec3; 3]) -> bool {
    let inner = orient2d_along(axis, s[0], s[1], s[2]);
    (0..3).any(|i| t.iter().all(|&p| strictly_apart(inner, orient2d_along(axis, s[i], s[(i + 1) % 3], p))))
}
