//! The point of a triangle or a parallelogram nearest to the origin, and the part on which it lies.
//! Simple and fast.
//!
//! The result proposes an axis and is an upper bound of a distance. No proof relies on its being
//! the nearest point.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 5.1.5 (point and triangle) and 5.1.9
//! (two segments).

use carom_geom::tri_distance;
use carom_math::ops::sqrt;
use glam::DVec3;

/// A part of a triangle or a parallelogram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NearestFeature {
    Corner(usize),
    /// The side from this corner to the next.
    Side(usize),
    Inside,
}

/// A point of the figure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nearest {
    pub(crate) point: DVec3,
    pub(crate) part: NearestFeature,
    /// For a triangle: the weights of the second and third corner. For the parallelogram of the
    /// edges A and B: the parameters on A and on B, from 0 to 1.
    pub(crate) parameters: [f64; 2],
}

impl Nearest {
    /// Returns the weight of each corner.
    pub(crate) fn weights_of<const N: usize>(&self) -> [f64; N] {
        let [u, v] = self.parameters;
        let all = if N == 3 {
            [1.0 - u - v, u, v, 0.0]
        } else {
            [(1.0 - u) * (1.0 - v), (1.0 - u) * v, u * v, u * (1.0 - v)]
        };
        core::array::from_fn(|i| all[i])
    }
}

/// Returns the vector from a point to the nearest point of a triangle, in plain `f64`. It proposes
/// an axis, and proves no distance.
#[inline]
pub fn displacement_to_triangle(from: DVec3, corners: &[DVec3; 3]) -> DVec3 {
    on_triangle(&corners.map(|corner| corner - from)).point
}

/// Returns the point of the triangle nearest to the origin.
#[inline]
pub(crate) fn on_triangle(w: &[DVec3; 3]) -> Nearest {
    let &[a, b, c] = w;
    let (ab, ac) = (b - a, c - a);
    let corner = |i: usize, parameters| Nearest { point: w[i], part: NearestFeature::Corner(i), parameters };
    let (d1, d2) = (-ab.dot(a), -ac.dot(a));
    if d1 <= 0.0 && d2 <= 0.0 {
        return corner(0, [0.0, 0.0]);
    }
    let (d3, d4) = (-ab.dot(b), -ac.dot(b));
    if 0.0 <= d3 && d4 <= d3 {
        return corner(1, [1.0, 0.0]);
    }
    let (d5, d6) = (-ab.dot(c), -ac.dot(c));
    if 0.0 <= d6 && d5 <= d6 {
        return corner(2, [0.0, 1.0]);
    }
    let vc = d1 * d4 - d3 * d2;
    // A side without length is skipped: the other sides cover its point.
    if vc <= 0.0 && 0.0 <= d1 && d3 <= 0.0 && d3 < d1 {
        let s = d1 / (d1 - d3);
        return Nearest { point: a + ab * s, part: NearestFeature::Side(0), parameters: [s, 0.0] };
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && 0.0 <= d2 && d6 <= 0.0 && d6 < d2 {
        let s = d2 / (d2 - d6);
        return Nearest { point: a + ac * s, part: NearestFeature::Side(2), parameters: [0.0, s] };
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && 0.0 <= d4 - d3 && 0.0 <= d5 - d6 && 0.0 < (d4 - d3) + (d5 - d6) {
        let s = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return Nearest { point: b + (c - b) * s, part: NearestFeature::Side(1), parameters: [1.0 - s, s] };
    }
    let share = 1.0 / (va + vb + vc);
    let (u, v) = (vb * share, vc * share);
    let inside = Nearest { point: a + ab * u + ac * v, part: NearestFeature::Inside, parameters: [u, v] };
    // The error of the weights is the ratio of rounding to the square of the smallest angle.
    let longest_sq = ab.length_squared().max(ac.length_squared());
    if longest_sq * longest_sq < 256.0 * ab.cross(ac).length_squared() {
        return inside;
    }
    thin(w, [u, v])
}

/// Returns the nearest point of a triangle that is too thin for plain `f64`: computed with more
/// digits, or on one of its sides.
#[cold]
fn thin(w: &[DVec3; 3], parameters: [f64; 2]) -> Nearest {
    let found = tri_distance::point_triangle(DVec3::ZERO, w).point_b;
    let [u, v] = parameters.map(|share| if 0.0 < share { share.min(1.0) } else { 0.0 });
    let inside = Nearest { point: found, part: NearestFeature::Inside, parameters: [u, v.min(1.0 - u)] };
    let mut best = (found.length_squared(), inside);
    for i in 0..3 {
        let (from, edge) = (w[i], w[(i + 1) % 3] - w[i]);
        let edge_sq = edge.length_squared();
        let s = if 0.0 < edge_sq { (-from.dot(edge) / edge_sq).clamp(0.0, 1.0) } else { 0.0 };
        let point = from + edge * s;
        let parameters = [[s, 0.0], [1.0 - s, s], [0.0, 1.0 - s]][i];
        if point.length_squared() <= best.0 {
            let part = if s <= 0.0 {
                NearestFeature::Corner(i)
            } else if 1.0 <= s {
                NearestFeature::Corner((i + 1) % 3)
            } else {
                NearestFeature::Side(i)
            };
            best = (point.length_squared(), Nearest { point, part, parameters });
        }
    }
    best.1
}

/// Returns the point nearest to the origin of the parallelogram 00, 01, 11, 10 of the differences
/// of two edges. It is the difference of the nearest points of the edges.
#[inline]
pub(crate) fn on_parallelogram(w: &[DVec3; 4]) -> Nearest {
    // w = r + v f - u e, with r at the first ends, e along A and f along B.
    let (r, e, f) = (w[0], w[0] - w[3], w[1] - w[0]);
    let (ee, ff, ef) = (e.length_squared(), f.length_squared(), e.dot(f));
    let (er, fr) = (e.dot(r), f.dot(r));
    let share = |x: f64, of: f64| if 0.0 < of { (x / of).clamp(0.0, 1.0) } else { 0.0 };
    let determinant = ee * ff - ef * ef;
    // For parallel edges any start on A will do.
    let mut u = if 0.0 < determinant { ((er * ff - fr * ef) / determinant).clamp(0.0, 1.0) } else { 0.0 };
    let v = share(u * ef - fr, ff);
    u = share(v * ef + er, ee);
    let v = share(u * ef - fr, ff);
    let part = match (u <= 0.0, 1.0 <= u, v <= 0.0, 1.0 <= v) {
        (true, _, true, _) => NearestFeature::Corner(0),
        (true, _, _, true) => NearestFeature::Corner(1),
        (_, true, _, true) => NearestFeature::Corner(2),
        (_, true, true, _) => NearestFeature::Corner(3),
        (true, _, _, _) => NearestFeature::Side(0),
        (_, _, _, true) => NearestFeature::Side(1),
        (_, true, _, _) => NearestFeature::Side(2),
        (_, _, true, _) => NearestFeature::Side(3),
        _ => NearestFeature::Inside,
    };
    let point = match part {
        NearestFeature::Corner(i) => w[i],
        // Computed from the end itself, so that equal coordinates of both ends cancel exactly.
        NearestFeature::Side(1) => w[1] - e * u,
        NearestFeature::Side(2) => w[3] + f * v,
        _ => r + f * v - e * u,
    };
    Nearest { point, part, parameters: [u, v] }
}

/// Returns the unit axis from the origin to the nearest point, perpendicular to the edges of the
/// part on which it lies. It separates by the full distance, even if that is little more than
/// rounding. `None` at no distance.
#[inline]
pub(crate) fn level_axis<const N: usize>(w: &[DVec3; N], nearest: &Nearest) -> Option<DVec3> {
    let along = |v: DVec3| {
        let length_sq = v.length_squared();
        (0.0 < length_sq).then(|| v * (1.0 / sqrt(length_sq)))
    };
    let level = match nearest.part {
        NearestFeature::Corner(_) => None,
        NearestFeature::Side(i) => {
            let edge = w[(i + 1) % N] - w[i];
            // The error of the nearest point is rounding of the size. The distance may be hardly
            // larger.
            along(nearest.point - edge * (nearest.point.dot(edge) / edge.length_squared()))
        }
        NearestFeature::Inside => {
            let normal = (w[1] - w[0]).cross(w[N - 1] - w[0]);
            along(if normal.dot(nearest.point) < 0.0 { -normal } else { normal })
        }
    };
    level.or_else(|| along(nearest.point))
}
