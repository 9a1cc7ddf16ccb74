//! Errors of segments, triangles and rays: closest points, cuts, parameters.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 5.1.9.

use super::precise::length;
use super::rounding::{direction, size};
use crate::oracle::triangle::triangle_distance as exact_distance;
use crate::random::Random;
use crate::triangle_pairs::{self, Family, Placement};
use carom_geom::{ray_mesh, tri_distance};
use carom_math::double_double::{DoubleDouble, DoubleDoubleVec3};
use carom_math::exact_number::{ExactNumber, ExactVec3};
use glam::DVec3;

/// Returns the largest coordinate difference of the corners from the first one.
fn extent(corners: impl IntoIterator<Item = DVec3>) -> f64 {
    let mut corners = corners.into_iter();
    let Some(first) = corners.next() else { return 0.0 };
    corners.fold(0.0, |m: f64, p| m.max((p - first).abs().max_element()))
}

/// Returns the error of the distance of two triangles. Each may degenerate to a segment or a
/// point.
pub(super) fn triangle_distance(random: &mut Random) -> f64 {
    let (mut a, mut b) = if random.below(2) == 0 {
        let family = Family::ALL[random.below(Family::ALL.len())];
        let [a, b] = triangle_pairs::pair(random, family);
        let placement = [Placement::Plain, Placement::BigOffset][random.below(2)];
        (placement.apply(&a), placement.apply(&b))
    } else {
        let scale = size(random);
        let mut a = [0; 3].map(|_| random.cube_point() * scale);
        let mut b = [0; 3].map(|_| random.cube_point() * scale);
        let little = 10_f64.powf(random.range(-16.0, 0.0));
        match random.below(4) {
            // A sliver, an edge parallel to another, and near it.
            0 => a[2] = a[0] + (a[1] - a[0]) * random.unit() + (a[2] - a[0]) * little,
            1 => b[1] = b[0] + (a[1] - a[0]) * random.range(-2.0, 2.0) + b[1] * little,
            2 => {
                b[0] = a[0] + b[0] * little;
                b[1] = a[1] + b[1] * little;
            }
            _ => {}
        }
        (a, b)
    };
    let (n_a, n_b) = (1 + random.below(3), 1 + random.below(3));
    for (corners, n) in [(&mut a, n_a), (&mut b, n_b)] {
        for k in n..3 {
            corners[k] = corners[n - 1];
        }
    }
    let found = match (n_a, n_b) {
        (3, 3) => tri_distance::closest_points(&a, &b),
        (1, _) => tri_distance::point_triangle(a[0], &b),
        (2, 3) => tri_distance::segment_triangle(&[a[0], a[1]], &b),
        (2, _) => tri_distance::segment_segment(&[a[0], a[1]], &[b[0], b[1]]),
        _ => tri_distance::closest_points(&b, &a),
    };
    let extent = extent(a.into_iter().chain(b));
    if extent == 0.0 { 0.0 } else { (found.distance - exact_distance(&a, &b)).abs() / extent }
}

/// Makes two segments that cross at a distance, in their middles and at a small angle. Returns the
/// sine of the angle, the displacement of the points of plain `f64` from the closest ones, and
/// their scale. The displacement is relative to the scale.
fn crossing(random: &mut Random, least_sine: f64) -> (f64, f64, f64) {
    let scale = size(random);
    let u = direction(random);
    let across = u.any_orthonormal_vector();
    let sine = least_sine * 10_f64.powf(random.range(0.0, 1.5));
    let v = (u + across * sine * random.range(1.01, 2.0)) * 10_f64.powf(random.range(-2.0, 2.0));
    let gap = u.cross(across) * 10_f64.powf(random.range(-6.0, 0.0));
    let (middle_s, middle_t) = (random.range(0.1, 0.9), random.range(0.1, 0.9));
    let s = [-u * middle_s * scale, u * (1.0 - middle_s) * scale];
    let t = [(gap - v * middle_t) * scale, (gap + v * (1.0 - middle_t)) * scale];
    let found = tri_distance::segment_segment(&s, &t);
    let difference = DoubleDoubleVec3::difference;
    let (u, v, r) = (difference(s[1], s[0]), difference(t[1], t[0]), difference(t[0], s[0]));
    let n = u.cross(v);
    let nn = n.dot(n);
    let of = |x: DoubleDouble| (x / nn).clamp_unit();
    let (x, y) = (of(r.cross(v).dot(n)), of(r.cross(u).dot(n)));
    let truth_a = DoubleDoubleVec3::from(s[0]) + u * x;
    let truth_b = DoubleDoubleVec3::from(t[0]) + v * y;
    let (uu, vv) = (u.dot(u).to_f64(), v.dot(v).to_f64());
    let size = (uu + vv + r.dot(r).to_f64()).sqrt();
    let displaced = length(DoubleDoubleVec3::from(found.point_a) - truth_a)
        .max(length(DoubleDoubleVec3::from(found.point_b) - truth_b));
    let sine = (nn.to_f64() / (uu * vv)).sqrt();
    (sine, displaced / size, size)
}

/// Returns the least squared sine at which points are displaced by at most 1e-11 of the extent.
pub(super) fn plain_angle(random: &mut Random) -> f64 {
    let (sine, displaced, _) = crossing(random, carom_math::tol::PLAIN_SINE_SQ.sqrt());
    // rounding: the displacement grows like the inverse of the squared sine.
    displaced * sine * sine / 1e-11
}

/// Returns the least squared distance at which that displacement changes the distance by at most
/// 1e-16 of the extent.
pub(super) fn plain_distance(random: &mut Random) -> f64 {
    let (_, displaced, _) = crossing(random, carom_math::tol::PLAIN_SINE_SQ.sqrt());
    // rounding: half of f64's.
    (displaced * displaced / 2e-16).powi(2)
}

/// Returns the sine of the widest cone between planes that should be one plane, or meet in one
/// line, and leave no room. Each is through three corners of a face of a brush in `f32`. The brush
/// is a hundredth to a five hundredth of the level.
pub(super) fn sliver_of_planes(random: &mut Random) -> f64 {
    let position = random.cube_point();
    let line = super::rounding::direction(random);
    let u = line.any_orthonormal_vector();
    let v = line.cross(u);
    let plane = |random: &mut Random, normal: DVec3| {
        let across = line.cross(normal);
        let mut side = || random.range(0.002, 0.01) * if random.below(2) == 0 { 1.0 } else { -1.0 };
        let from = position + line * side() + across * side();
        let corners = [from, from + line * side(), from + across * side()];
        let [a, b, c] = corners.map(|p| p.as_vec3().as_dvec3());
        let found = (b - a).cross(c - a).normalize();
        if found.dot(normal) < 0.0 { -found } else { found }
    };
    let a = plane(random, u);
    let (angle, weights) = (random.range(0.3, 2.8), [random.range(0.2, 1.0), random.range(0.2, 1.0)]);
    if random.below(2) == 0 {
        // Back to back: the cone is half as wide as the wedge.
        return 0.5 * (a + plane(random, -u)).length();
    }
    let turned = u * angle.cos() + v * angle.sin();
    let b = plane(random, turned);
    let c = plane(random, -(u * weights[0] + turned * weights[1]).normalize());
    let across = (b - a).cross(c - a);
    a.dot(across).abs() / across.length()
}

/// Cuts a triangle by planes across the axes twenty times in turn. Returns how far a new corner is
/// from the triangle.
pub(super) fn cut_corner(random: &mut Random) -> f64 {
    let mut t = [0; 3].map(|_| random.cube_point());
    if random.below(2) == 0 {
        t[2] = t[0] + (t[1] - t[0]) * random.unit() + t[2] * 10_f64.powf(random.range(-8.0, 0.0));
    }
    let largest = t.iter().fold(0.0, |m: f64, p| m.max(p.abs().max_element()));
    let mut polygon = t.to_vec();
    for _ in 0..20 {
        let axis = random.below(3);
        let (low, high) = polygon
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), p| (low.min(p[axis]), high.max(p[axis])));
        let at = low + (high - low) * random.unit();
        let is_kept_below = random.below(2) == 0;
        let height = |p: DVec3| if is_kept_below { p[axis] - at } else { at - p[axis] };
        let mut kept = Vec::new();
        for (i, &p) in polygon.iter().enumerate() {
            let q = polygon[(i + 1) % polygon.len()];
            let (at_p, at_q) = (height(p), height(q));
            if at_p <= 0.0 {
                kept.push(p);
            }
            if at_p * at_q < 0.0 {
                let mut cut = p + (q - p) * (at_p / (at_p - at_q));
                cut[axis] = at;
                kept.push(cut);
            }
        }
        if kept.len() < 3 {
            break;
        }
        polygon = kept;
    }
    let corner = polygon[random.below(polygon.len())];
    tri_distance::point_triangle(corner, &t).distance / largest
}

/// Returns how far a corner that was cut at the side of a prism over a triangle is from that side.
pub(super) fn prism_side(random: &mut Random) -> f64 {
    let t = [0; 3].map(|_| random.cube_point());
    let Some(normal) = carom_math::scaling::unit((t[1] - t[0]).cross(t[2] - t[0])) else { return 0.0 };
    let Some(outward) = carom_math::scaling::unit((t[1] - t[0]).cross(normal)) else { return 0.0 };
    let height = |p: DVec3| outward.dot(p - t[0]);
    let (p, q) = (random.cube_point(), random.cube_point());
    let (at_p, at_q) = (height(p), height(q));
    if !(at_p * at_q < 0.0) {
        return 0.0;
    }
    let cut = p + (q - p) * (at_p / (at_p - at_q));
    let largest = t.iter().chain([&p, &q]).fold(0.0, |m: f64, p| m.max(p.abs().max_element()));
    height(cut).abs() / largest
}

/// Returns the error of the parameter of a line on a triangle that is thin or nearly parallel to
/// the line.
pub(super) fn ray_parameter(random: &mut Random) -> f64 {
    let scale = size(random);
    let mut t = [0; 3].map(|_| random.cube_point());
    let little = 10_f64.powf(random.range(-12.0, 0.0));
    if random.below(2) == 0 {
        t[2] = t[0] + (t[1] - t[0]) * random.unit() + t[2] * little;
    }
    let (x, y) = (random.unit(), random.unit());
    let target = t[0] + ((t[1] - t[0]) + (t[2] - t[1]) * y) * x;
    let along = if random.below(2) == 0 {
        (t[1] - t[0]) * random.range(-1.0, 1.0)
            + (t[2] - t[0]) * random.range(-1.0, 1.0)
            + random.cube_point() * little
    } else {
        random.cube_point()
    };
    let t = t.map(|p| p * scale);
    let origin = (target - along * random.range(0.5, 50.0)) * scale;
    let Some(hit) = ray_mesh::line_touches(origin, along, &t) else { return 0.0 };
    // For the worst slivers, 106 bits are less accurate than the answer.
    let normal = ExactVec3::difference(t[1], t[0]).cross(&ExactVec3::difference(t[2], t[0]));
    let (height, speed) =
        (normal.dot(&ExactVec3::difference(t[0], origin)), normal.dot(&ExactVec3::from(along)));
    let off = (&(&ExactNumber::from(hit.t) * &speed) - &height).quotient(&speed);
    let reach = (t[0] - origin).abs().max_element() / along.abs().max_element();
    // rounding: the unit in the documentation of the constant.
    off.abs() / reach / 1e-15
}
