//! Finds the axes of a small box around points or triangles.
//!
//! The eigenvectors of the covariance are three candidates; about each of them, and about the axes of the frame, the
//! least rectangle around the shadow of the points gives the other two axes. The box of least volume is kept.
//!
//! Reference: S. Gottschalk, M. C. Lin, D. Manocha, OBBTree, 1996, 4 (covariance of the surface);
//! G. Toussaint, Solving
//! Geometric Problems with the Rotating Calipers, 1983 (the least rectangle has a side on an edge of the hull).
//! Differs: the shadows' rectangles repair what the covariance gets wrong for boxes and other symmetric bodies.

use crate::Obb;
use crate::moments::Moments;
use crate::volume::BoundingVolume;
use alloc::vec::Vec;
use carom_math::ops::sqrt;
use carom_math::scaling;
use glam::{DMat3, DVec2, DVec3, Vec3};

/// A frame in which squares are harmless: a point of the data, and a power of two.
fn reference(points: &[Vec3]) -> (DVec3, f64) {
    let Some(first) = points.first() else { return (DVec3::ZERO, 1.0) };
    let first = first.as_dvec3();
    let size = points.iter().fold(0.0_f64, |s, p| s.max((p.as_dvec3() - first).abs().max_element()));
    (first, scaling::scale_of(size))
}

/// The axes of points.
pub(crate) fn point_axes(points: &[Vec3]) -> DMat3 {
    let (origin, scale) = reference(points);
    let mut moments = Moments::default();
    for p in points {
        moments.add_point((p.as_dvec3() - origin) * scale);
    }
    moments.axes()
}

/// The axes of a surface.
pub(crate) fn surface_axes(triangles: &[[Vec3; 3]]) -> DMat3 {
    let (origin, scale) = reference(triangles.as_flattened());
    let mut moments = Moments::default();
    for triangle in triangles {
        let [a, b, c] = triangle.map(|p| (p.as_dvec3() - origin) * scale);
        moments.add_triangle(a, b, c);
    }
    moments.axes()
}

/// The box of least volume among the candidates.
pub(crate) fn fit(points: &[Vec3], principal: &DMat3) -> Obb {
    if points.is_empty() {
        return Obb::EMPTY;
    }
    let mut best = Obb::from_axes(DMat3::IDENTITY, points);
    // Flat and thin bodies have no volume: their boxes are told apart by what follows.
    let key = |b: &Obb| {
        let h = b.half_extents.as_dvec3();
        (h.x * h.y * h.z, h.x * h.y + h.y * h.z + h.z * h.x, h.element_sum())
    };
    let mut consider = |axes: DMat3| {
        let found = Obb::from_axes(axes, points);
        if key(&found) < key(&best) {
            best = found;
        }
    };
    consider(*principal);
    for axis in [principal.x_axis, principal.y_axis, principal.z_axis, DVec3::X, DVec3::Y, DVec3::Z] {
        consider(rectangle_about(axis, points));
    }
    best
}

/// The frame of the least box around points with one side along the unit vector `axis`.
fn rectangle_about(axis: DVec3, points: &[Vec3]) -> DMat3 {
    let (u, v) = axis.any_orthonormal_pair();
    let (origin, scale) = reference(points);
    let mut shadow: Vec<DVec2> = points
        .iter()
        .map(|p| {
            let p = (p.as_dvec3() - origin) * scale;
            DVec2::new(p.dot(u), p.dot(v))
        })
        .collect();
    let hull = convex_polygon(&mut shadow);
    let (mut least, mut along) = ((f64::INFINITY, f64::INFINITY), DVec2::X);
    // A hull of few corners, as a rule: all edges against all corners. At most 64 edges are tried.
    let step = hull.len().div_ceil(64).max(1);
    for i in (0..hull.len()).step_by(step) {
        let edge = hull[(i + 1) % hull.len()] - hull[i];
        let length = sqrt(edge.length_squared());
        if !(0.0 < length) {
            continue;
        }
        let e = edge / length;
        let (mut low, mut high) = (DVec2::INFINITY, DVec2::NEG_INFINITY);
        for p in &hull {
            let q = DVec2::new(p.dot(e), p.dot(e.perp()));
            low = low.min(q);
            high = high.max(q);
        }
        let size = high - low;
        if (size.x * size.y, size.x + size.y) < least {
            (least, along) = ((size.x * size.y, size.x + size.y), e);
        }
    }
    let first = u * along.x + v * along.y;
    DMat3::from_cols(first, axis.cross(first), axis)
}

/// The convex hull of points in the plane, counter-clockwise (A. Andrew's chain).
fn convex_polygon(points: &mut [DVec2]) -> Vec<DVec2> {
    points.sort_unstable_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    let mut hull: Vec<DVec2> = Vec::new();
    for upper in [false, true] {
        let from = hull.len();
        let n = points.len();
        for i in 0..n {
            let p = if upper { points[n - 1 - i] } else { points[i] };
            while from + 2 <= hull.len() {
                let (a, b) = (hull[hull.len() - 2], hull[hull.len() - 1]);
                if 0.0 < (b - a).perp_dot(p - a) {
                    break;
                }
                hull.pop();
            }
            hull.push(p);
        }
        // The last point begins the other chain.
        hull.pop();
    }
    if hull.is_empty() { points.first().copied().into_iter().collect() } else { hull }
}
