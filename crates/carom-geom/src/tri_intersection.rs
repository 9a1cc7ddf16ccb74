//! The intersection of two triangles: empty, a point, a segment, or a convex polygon.
//!
//! The exact signs of `tri_tri.rs` and `flat.rs` decide the case, and the edges and corners that
//! make its ends. The coordinates of the ends are computed in double-double arithmetic and rounded
//! once.
//!
//! Reference: P. Guigue, O. Devillers, Fast and Robust Triangle-Triangle Overlap Test Using
//! Orientation Predicates, Journal of Graphics Tools 8(1), 2003, section 3 (the ends of the
//! interval).

use crate::flat::{self, Span};
use crate::tri_tri::{self, Crossing, Relation};
use carom_math::double_double::{DoubleDouble, DoubleDoubleVec3};
use carom_math::exact_number::ExactVec3;
use carom_math::predicates::orient2d_along;
use carom_math::scaling::scale_of;
use glam::DVec3;

/// Maximum number of corners of the polygon that two coplanar triangles share.
pub const MAX_SHARED_POINTS: usize = 6;

/// The intersection of two closed triangles. Points are rounded to `f64`; the case and the number
/// of points are exact.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Intersection {
    /// Nothing.
    Empty,
    /// One point.
    Point(DVec3),
    /// A segment. Its ends differ, though they may be equal after rounding.
    Segment([DVec3; 2]),
    /// A convex polygon: the triangles lie in one plane.
    Polygon {
        /// Its corners in order, the first `n_points` of them.
        points: [DVec3; MAX_SHARED_POINTS],
        /// Number of corners: 3 to 6.
        n_points: usize,
    },
}

impl Intersection {
    /// Returns the point, the two ends or the corners of the polygon; empty for an empty
    /// intersection.
    pub fn points(&self) -> &[DVec3] {
        match self {
            Intersection::Empty => &[],
            Intersection::Point(point) => core::slice::from_ref(point),
            Intersection::Segment(ends) => ends,
            Intersection::Polygon { points, n_points } => &points[..*n_points],
        }
    }
}

/// Returns the intersection of two closed triangles; a triangle without area is a segment or a
/// point.
pub fn intersection(a: &[DVec3; 3], b: &[DVec3; 3]) -> Intersection {
    match tri_tri::relation_of_planes(a, b) {
        Relation::Apart => Intersection::Empty,
        Relation::Crossing(crossing) => crossing_intersection(&crossing),
        Relation::Flat => flat_intersection(a, b),
    }
}

/// Returns a common point of two triangles; the first corner of `a` if they do not meet.
pub(crate) fn common_point(a: &[DVec3; 3], b: &[DVec3; 3]) -> DVec3 {
    if let Some(shared) = a.iter().find(|p| b.contains(p)) {
        return *shared;
    }
    match intersection(a, b) {
        Intersection::Empty => a[0],
        Intersection::Point(p) => p,
        Intersection::Segment([p, q]) => p * 0.5 + q * 0.5,
        Intersection::Polygon { points, n_points } => {
            points[..n_points].iter().fold(DVec3::ZERO, |sum, p| sum + *p / n_points as f64)
        }
    }
}

/// Returns the overlap of the two intervals on the common line of both planes.
fn crossing_intersection(crossing: &Crossing) -> Intersection {
    let (b_start_a_end, b_end_a_start) = (crossing.b_start_after_a_end(), crossing.b_end_after_a_start());
    if b_start_a_end > 0.0 || b_end_a_start < 0.0 {
        return Intersection::Empty;
    }
    let Crossing { a, b } = crossing;
    // The points where each triangle's two crossing sides, from its lone corner, meet the other's
    // plane.
    let start = || {
        if crossing.b_start_after_a_start() > 0.0 { on_plane(b[0], b[1], a) } else { on_plane(a[0], a[2], b) }
    };
    let end =
        || if crossing.b_end_after_a_end() > 0.0 { on_plane(a[0], a[1], b) } else { on_plane(b[0], b[2], a) };
    // The intervals share one end, or one interval is a point: the lone corner is on the plane.
    let is_point = b_start_a_end == 0.0
        || b_end_a_start == 0.0
        || tri_tri::is_on_plane(a[0], b)
        || tri_tri::is_on_plane(b[0], a);
    if is_point { Intersection::Point(start()) } else { Intersection::Segment([start(), end()]) }
}

/// Returns the point where the segment from `p` to `q` meets the plane of a triangle. The ends are
/// not both in the plane, and not strictly on one side.
pub(crate) fn on_plane(p: DVec3, q: DVec3, t: &[DVec3; 3]) -> DVec3 {
    let factor = scale_of_axes(t.iter().chain([&p, &q]));
    let difference = |a: DVec3, b: DVec3| DoubleDoubleVec3::difference(a * factor, b * factor);
    // From the corner between the two shorter sides, because their product loses the least.
    let side_sq = [0, 1, 2].map(|i| ((t[(i + 1) % 3] - t[i]) * factor).length_squared());
    let longest = (0..3).fold(0, |best, i| if side_sq[best] < side_sq[i] { i } else { best });
    let [a, b, c] = [2, 0, 1].map(|i| t[(longest + i) % 3]);
    let normal = difference(b, a).cross(difference(c, a));
    let height_p = normal.dot(difference(p, a));
    let height_q = normal.dot(difference(q, a));
    let span = height_p - height_q;
    // If the plane is too inaccurate to separate the ends, exact arithmetic decides.
    let is_lost = !(span.to_f64().abs() > f64::MIN_POSITIVE);
    between(p, q, if is_lost { exact_fraction(p, q, t) } else { height_p / span }.clamp_unit())
}

/// Returns the parameter, from `p` to `q`, at which the plane of a triangle is met; 0 if both lie
/// in it.
#[cold]
fn exact_fraction(p: DVec3, q: DVec3, t: &[DVec3; 3]) -> DoubleDouble {
    let normal = ExactVec3::difference(t[1], t[0]).cross(&ExactVec3::difference(t[2], t[0]));
    let height = normal.dot(&ExactVec3::difference(p, t[0]));
    let span = normal.dot(&ExactVec3::difference(p, q));
    DoubleDouble::from(if span.sign() == 0.0 { 0.0 } else { height.quotient(&span) })
}

/// Returns powers of two that scale the largest coordinate on each axis to length 1. They keep
/// parameters, and keep products of very different axes from underflow.
fn scale_of_axes<'a>(points: impl Iterator<Item = &'a DVec3>) -> DVec3 {
    let largest = points.fold(DVec3::ZERO, |m, p| m.max(p.abs()));
    DVec3::from_array(largest.to_array().map(scale_of))
}

/// Returns the point at this parameter from `p` to `q`; exactly `p` at 0 and `q` at 1.
fn between(p: DVec3, q: DVec3, fraction: DoubleDouble) -> DVec3 {
    let rest = DoubleDouble::from(1.0) - fraction;
    let mix = |p: f64, q: f64| (DoubleDouble::from(p) * rest + DoubleDouble::from(q) * fraction).to_f64();
    // Products of numbers near the end of the range overflow when they are split.
    if p.abs().max(q.abs()).max_element() < 1.0e290 {
        DVec3::new(mix(p.x, q.x), mix(p.y, q.y), mix(p.z, q.z))
    } else {
        p * rest.to_f64() + q * fraction.to_f64()
    }
}

/// The corners of an intersection, each an extreme point of it.
struct Corners {
    points: [DVec3; 2 * MAX_SHARED_POINTS],
    n_points: usize,
}

impl Corners {
    /// Adds a corner of one of the two triangles, which may be a corner of both.
    fn add(&mut self, p: DVec3) {
        if !self.points[..self.n_points].contains(&p) {
            self.add_crossing(p);
        }
    }

    /// Adds a point inside two sides. It is distinct from all corners, even if rounding makes it
    /// equal to one.
    fn add_crossing(&mut self, p: DVec3) {
        if self.n_points < self.points.len() {
            self.points[self.n_points] = p;
            self.n_points += 1;
        }
    }
}

/// Returns the extreme points of the intersection of two closed triangles in one plane; one may be
/// a segment or a point. These are corners of one in the other, and proper crossings of sides.
fn flat_intersection(a: &[DVec3; 3], b: &[DVec3; 3]) -> Intersection {
    use crate::segment_triangle::{point_in_triangle, point_on_segment};
    let mut corners = Corners { points: [DVec3::ZERO; 2 * MAX_SHARED_POINTS], n_points: 0 };
    let (span_a, span_b) = (flat::span(a), flat::span(b));
    let mut axis_of_order = None;
    match (&span_a, &span_b) {
        (Span::Triangle { axis }, Span::Triangle { .. }) => {
            axis_of_order = Some(*axis);
            a.iter().filter(|&&p| point_in_triangle(p, b)).for_each(|p| corners.add(*p));
            b.iter().filter(|&&p| point_in_triangle(p, a)).for_each(|p| corners.add(*p));
            for (i, j) in (0..9).map(|k| (k / 3, k % 3)) {
                let (s, t) = ([a[i], a[(i + 1) % 3]], [b[j], b[(j + 1) % 3]]);
                if let Some(p) = proper_crossing(*axis, &s, &t) {
                    corners.add_crossing(p);
                }
            }
        }
        (Span::Triangle { axis }, Span::Segment(s)) => segment_part(*axis, s, a, &mut corners),
        (Span::Segment(s), Span::Triangle { axis }) => segment_part(*axis, s, b, &mut corners),
        (Span::Segment(s), Span::Segment(t)) => {
            s.iter().filter(|&&p| point_on_segment(p, t)).for_each(|p| corners.add(*p));
            t.iter().filter(|&&p| point_on_segment(p, s)).for_each(|p| corners.add(*p));
            if corners.n_points == 0 && flat::segments_meet(s, t) {
                let axis = (0..3).find(|&axis| orient2d_along(axis, s[0], s[1], t[0]) != 0.0);
                corners.add(axis.and_then(|axis| proper_crossing(axis, s, t)).unwrap_or(s[0]));
            }
        }
    }
    match corners.points[..corners.n_points] {
        [] => Intersection::Empty,
        [p] => Intersection::Point(p),
        [p, q] => Intersection::Segment([p, q]),
        _ => {
            let n_points = corners.n_points.min(MAX_SHARED_POINTS);
            let mut points = [DVec3::ZERO; MAX_SHARED_POINTS];
            points[..n_points].copy_from_slice(&corners.points[..n_points]);
            sort_around(axis_of_order.unwrap_or(0), &mut points[..n_points]);
            Intersection::Polygon { points, n_points }
        }
    }
}

/// Adds the intersection of a segment and a triangle with area.
fn segment_part(axis: usize, s: &[DVec3; 2], t: &[DVec3; 3], corners: &mut Corners) {
    use crate::segment_triangle::{point_in_triangle, point_on_segment, segment_meets_triangle};
    s.iter().filter(|&&p| point_in_triangle(p, t)).for_each(|p| corners.add(*p));
    if tri_tri::is_on_plane(s[0], t) && tri_tri::is_on_plane(s[1], t) {
        t.iter().filter(|&&p| point_on_segment(p, s)).for_each(|p| corners.add(*p));
        for j in 0..3 {
            if let Some(p) = proper_crossing(axis, s, &[t[j], t[(j + 1) % 3]]) {
                corners.add_crossing(p);
            }
        }
    } else if corners.n_points == 0 && segment_meets_triangle(s, t) {
        corners.add(on_plane(s[0], s[1], t));
    }
}

/// Returns the point where two coplanar segments cross inside both, if they do.
fn proper_crossing(axis: usize, s: &[DVec3; 2], t: &[DVec3; 2]) -> Option<DVec3> {
    let side0 = orient2d_along(axis, t[0], t[1], s[0]);
    let side1 = orient2d_along(axis, t[0], t[1], s[1]);
    let crosses = flat::strictly_apart(side0, side1)
        && flat::strictly_apart(
            orient2d_along(axis, s[0], s[1], t[0]),
            orient2d_along(axis, s[0], s[1], t[1]),
        );
    crosses.then(|| {
        let factor = scale_of_axes(s.iter().chain(t));
        let difference = |a: DVec3, b: DVec3| DoubleDoubleVec3::difference(a * factor, b * factor);
        let (v, p, q) = (difference(t[1], t[0]), difference(s[0], t[0]), difference(s[1], t[0]));
        let area = |w: DoubleDoubleVec3| match axis {
            0 => v.y * w.z - v.z * w.y,
            1 => v.z * w.x - v.x * w.z,
            _ => v.x * w.y - v.y * w.x,
        };
        let (height_p, height_q) = (area(p), area(q));
        between(s[0], s[1], (height_p / (height_p - height_q)).clamp_unit())
    })
}

/// Sorts the corners of a convex polygon around their mean, seen along an axis.
fn sort_around(axis: usize, points: &mut [DVec3]) {
    use carom_math::predicates::project;
    let middle = points.iter().fold(DVec3::ZERO, |sum, p| sum + *p / points.len() as f64);
    let spoke = |p: &DVec3| project(axis, *p - middle);
    // Counter-clockwise from the first coordinate's axis: by half-plane, then by the sign of the
    // cross product.
    points.sort_unstable_by(|p, q| {
        let (p, q) = (spoke(p), spoke(q));
        let half = |v: glam::DVec2| v.y < 0.0 || (v.y == 0.0 && v.x < 0.0);
        half(p).cmp(&half(q)).then_with(|| 0.0f64.total_cmp(&p.perp_dot(q)))
    });
}
