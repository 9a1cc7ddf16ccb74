//! The point of an ellipsoid closest to a given one.
//!
//! In the first octant, with sorted radii, the closest point is x_i = e_i^2 y_i / (t + e_i^2). Here
//! t is the largest root of sum (e_i y_i / (t + e_i^2))^2 = 1. Divided by the least squared radius,
//! the function is convex and falling near the root. Bisection finds the root to the last bit for
//! any radii.
//!
//! Reference: D. Eberly, Distance from a Point to an Ellipse, an Ellipsoid, or a Hyperellipsoid,
//! 2013, 2.3 and 3.3.
//! Differs: radii may be zero; the ellipsoid is then a disc, a segment, or a point.

use carom_math::ops::sqrt;
use carom_math::scaling::scale_of;
use glam::DVec3;

/// Maximum bisections: enough for every bit of a quotient of lengths and of an `f64`.
const MAX_BISECTIONS: usize = 1200;

/// Beyond this many longest radii only the direction matters, to the last digit.
const MAX_RADII: f64 = (1_u128 << 100) as f64;

/// Returns the closest point, and whether the given point lies in the ellipsoid.
pub(crate) fn closest_on_ellipsoid(p: DVec3, radii: DVec3) -> (DVec3, bool) {
    // Axes in descending order of radii.
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| radii[j].total_cmp(&radii[i]));
    let e = order.map(|axis| radii[axis]);
    // A farther point is moved nearer, so that no quotient overflows.
    let (reach, size) = (MAX_RADII * e[0], p.abs().max_element());
    let p = if 0.0 < reach && reach < size { p * scale_of(size) / scale_of(reach) } else { p };
    let y = order.map(|axis| p[axis].abs());
    let (x, is_inside) = closest_sorted(e, y);
    let mut point = DVec3::ZERO;
    for (axis, x) in order.into_iter().zip(x) {
        point[axis] = if p[axis] < 0.0 { -x } else { x };
    }
    (point, is_inside)
}

fn closest_sorted(e: [f64; 3], y: [f64; 3]) -> ([f64; 3], bool) {
    // Off the plane of a flat ellipsoid: its inside can be closest as well.
    let n = e.iter().filter(|&&e| 0.0 < e).count();
    if n < 3 {
        let in_plane = (0..n).map(|i| (y[i] / e[i]) * (y[i] / e[i])).sum::<f64>() <= 1.0;
        let mut x = [0.0; 3];
        if in_plane {
            x[..n].copy_from_slice(&y[..n]);
        } else if n == 2 {
            [x[0], x[1]] = closest_on_ellipse([e[0], e[1]], [y[0], y[1]]);
        } else if n == 1 {
            x[0] = e[0];
        }
        return (x, in_plane && y[n..].iter().all(|&y| y == 0.0));
    }
    let z = [y[0] / e[0], y[1] / e[1], y[2] / e[2]];
    let excess = z[0] * z[0] + z[1] * z[1] + z[2] * z[2] - 1.0;
    let is_inside = excess <= 0.0;
    if 0.0 < y[2] {
        if excess == 0.0 {
            return (y, true);
        }
        let r = [ratio_sq(e[0], e[2]), ratio_sq(e[1], e[2])];
        let more = [more_sq(e[0], e[2]), more_sq(e[1], e[2])];
        let s = root(r, more, z, excess);
        return ([r[0] * y[0] / (s + more[0]), r[1] * y[1] / (s + more[1]), y[2] / s], is_inside);
    }
    // In the plane of the two longer axes: for points well inside, the closest point is off that
    // plane.
    let long = [0, 1].map(|i| {
        let stretch = (e[i] - e[2]) * (e[i] + e[2]);
        if e[i] * y[i] < stretch { Some(e[i] * y[i] / stretch) } else { (y[i] == 0.0).then_some(0.0) }
    });
    if let [Some(u), Some(v)] = long {
        let rest = 1.0 - u * u - v * v;
        if 0.0 < rest {
            return ([e[0] * u, e[1] * v, e[2] * sqrt(rest)], is_inside);
        }
    }
    let [x0, x1] = closest_on_ellipse([e[0], e[1]], [y[0], y[1]]);
    ([x0, x1, 0.0], is_inside)
}

/// Returns the closest point of an ellipse, in the first quadrant; its longer radius comes first.
fn closest_on_ellipse(e: [f64; 2], y: [f64; 2]) -> [f64; 2] {
    if 0.0 < y[1] {
        let z = [y[0] / e[0], y[1] / e[1]];
        let excess = z[0] * z[0] + z[1] * z[1] - 1.0;
        if excess == 0.0 {
            return y;
        }
        let (r, more) = (ratio_sq(e[0], e[1]), more_sq(e[0], e[1]));
        let s = root([r, 1.0], [more, 0.0], [z[0], 0.0, z[1]], excess);
        return [r * y[0] / (s + more), y[1] / s];
    }
    let stretch = (e[0] - e[1]) * (e[0] + e[1]);
    if e[0] * y[0] < stretch {
        let u = e[0] * y[0] / stretch;
        return [e[0] * u, e[1] * sqrt((1.0 - u * u).max(0.0))];
    }
    [e[0], 0.0]
}

fn ratio_sq(a: f64, b: f64) -> f64 {
    (a / b) * (a / b)
}

/// Returns `ratio_sq` less 1, accurate to the last digits.
fn more_sq(a: f64, b: f64) -> f64 {
    ((a - b) / b) * ((a + b) / b)
}

/// Returns the root in s, above 0, of sum (r_i z_i / (s + r_i - 1))^2 = 1, with r_2 = 1. `more` is
/// r - 1.
///
/// This s is Eberly's s plus 1: near the least axis it is small and must keep its digits.
fn root(r: [f64; 2], more: [f64; 2], z: [f64; 3], excess: f64) -> f64 {
    let n = [r[0] * z[0], r[1] * z[1], z[2]];
    let mut low = z[2];
    let mut high = if excess < 0.0 {
        1.0
    } else {
        let scale = scale_of(n[0].max(n[1]).max(n[2]));
        let [a, b, c] = n.map(|n| n * scale);
        sqrt(a * a + b * b + c * c) / scale
    };
    for _ in 0..MAX_BISECTIONS {
        let s = 0.5 * (low + high);
        if !(low < s && s < high) {
            break;
        }
        let [a, b, c] = [n[0] / (s + more[0]), n[1] / (s + more[1]), n[2] / s];
        let value = a * a + b * b + c * c - 1.0;
        if 0.0 < value {
            low = s;
        } else if value < 0.0 {
            high = s;
        } else {
            return s;
        }
    }
    0.5 * (low + high)
}
