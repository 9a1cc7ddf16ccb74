//! Finds the axes of a small box around points or triangles.
//!
//! The eigenvectors of the covariance are three candidates; about each of them, and about the axes of the frame, the
//! least rectangle around the shadow of the points gives the other two axes. The box of least volume is kept.
//!
//! Reference: S. Gottschalk, M. C. Lin, D. Manocha, OBBTree, 1996, 4 (covariance of the surface); G. Toussaint, Solving
//! Geometric Problems with the Rotating Calipers, 1983 (the least rectangle has a side on an edge of the hull);
//! G. Golub, C. Van Loan, Matrix Computations, 8.5 (Jacobi).
//! Differs: the shadows' rectangles repair what the covariance gets wrong for boxes and other symmetric bodies.

use crate::Obb;
use crate::volume::BoundingVolume;
use alloc::vec::Vec;
use carom_math::ops::sqrt;
use carom_math::scaling;
use glam::{DMat3, DVec2, DVec3, Vec3};

/// Sums over points or over a surface.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Moments {
    /// Number of points, or twice the area.
    weight: f64,
    /// First moments about the reference.
    first: DVec3,
    /// Second moments about the reference: xx, yy, zz, and yz, zx, xy.
    squares: DVec3,
    products: DVec3,
}

impl Moments {
    fn add(&mut self, p: DVec3, weight: f64) {
        self.weight += weight;
        self.first += p * weight;
        self.squares += p * p * weight;
        self.products += DVec3::new(p.y * p.z, p.z * p.x, p.x * p.y) * weight;
    }

    /// Eigenvectors of the covariance; the frame's axes where there is none.
    fn axes(&self) -> DMat3 {
        if !(0.0 < self.weight) {
            return DMat3::IDENTITY;
        }
        let mean = self.first / self.weight;
        let s = self.squares / self.weight - mean * mean;
        let p = self.products / self.weight - DVec3::new(mean.y * mean.z, mean.z * mean.x, mean.x * mean.y);
        let covariance =
            DMat3::from_cols(DVec3::new(s.x, p.z, p.y), DVec3::new(p.z, s.y, p.x), DVec3::new(p.y, p.x, s.z));
        if covariance.is_finite() { eigenvectors(covariance) } else { DMat3::IDENTITY }
    }
}

/// A frame in which squares are harmless: a point of the data, and a power of two.
fn reference(points: &[Vec3]) -> (DVec3, f64) {
    let Some(first) = points.first() else { return (DVec3::ZERO, 1.0) };
    let first = first.as_dvec3();
    let size = points.iter().fold(0.0_f64, |s, p| s.max((p.as_dvec3() - first).abs().max_element()));
    (first, scaling::scale_of(size))
}

/// Sums over points.
pub(crate) fn point_moments(points: &[Vec3]) -> DMat3 {
    let (origin, scale) = reference(points);
    let mut moments = Moments::default();
    for p in points {
        moments.add((p.as_dvec3() - origin) * scale, 1.0);
    }
    moments.axes()
}

/// Sums over triangles: a triangle has the second moments of its corners and its centroid, weighted 1, 1, 1 and 9, times
/// a twelfth of its area.
pub(crate) fn surface_moments(triangles: &[[Vec3; 3]]) -> DMat3 {
    let (origin, scale) = reference(triangles.as_flattened());
    let mut moments = Moments::default();
    for triangle in triangles {
        let [a, b, c] = triangle.map(|p| (p.as_dvec3() - origin) * scale);
        let area = sqrt((b - a).cross(c - a).length_squared());
        for corner in [a, b, c] {
            moments.add(corner, area / 12.0);
        }
        moments.add((a + b + c) / 3.0, area * 0.75);
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

/// Orthonormal eigenvectors of a symmetric matrix, by plane rotations; eight sweeps are more than enough for three rows.
fn eigenvectors(mut m: DMat3) -> DMat3 {
    let mut axes = DMat3::IDENTITY;
    for _ in 0..8 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let off = m.col(p)[q];
            if off == 0.0 {
                continue;
            }
            let theta = (m.col(q)[q] - m.col(p)[p]) / (2.0 * off);
            let sign = if theta < 0.0 { -1.0 } else { 1.0 };
            let t = sign / (theta.abs() + sqrt(theta * theta + 1.0));
            let c = 1.0 / sqrt(t * t + 1.0);
            let s = t * c;
            let mut turn = DMat3::IDENTITY;
            turn.col_mut(p)[p] = c;
            turn.col_mut(q)[q] = c;
            turn.col_mut(p)[q] = -s;
            turn.col_mut(q)[p] = s;
            m = turn.transpose() * m * turn;
            axes *= turn;
        }
    }
    let length = |v: DVec3| v / sqrt(v.length_squared());
    let x = length(axes.x_axis);
    let y = length(axes.y_axis - x * x.dot(axes.y_axis));
    let all = DMat3::from_cols(x, y, x.cross(y));
    if all.is_finite() { all } else { DMat3::IDENTITY }
}
