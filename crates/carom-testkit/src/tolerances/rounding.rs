//! Rounding errors of points that are placed, cut, printed and stored.
//!
//! Reference: N. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 2002, 3.1 (sums
//! and products).

use super::precise::{off, placed};
use crate::random::Random;
use carom_math::double_double::DoubleDoubleVec3;
use carom_math::{Pose, Quat, WidePose};
use glam::{DMat3, DQuat, DVec3};

/// Returns a random size from 1e-4 to 1e4.
pub(crate) fn size(random: &mut Random) -> f64 {
    10_f64.powf(random.range(-4.0, 4.0))
}

/// Returns random half extents: a box like a cube, a plate, a needle, or any.
pub(crate) fn half_extents(random: &mut Random) -> DVec3 {
    let (size, thin) = (size(random), 10_f64.powf(random.range(-6.0, 0.0)));
    let mut half = DVec3::new(random.range(0.2, 1.0), random.range(0.2, 1.0), random.range(0.2, 1.0));
    let axis = random.below(3);
    match random.below(4) {
        0 => half[axis] *= thin,
        1 => half = half * thin + DVec3::AXES[axis] * half,
        2 => half = DVec3::from_array([0; 3].map(|_| 10_f64.powf(random.range(-4.0, 0.0)))),
        _ => {}
    }
    half * size
}

/// Returns a random rotation: any, about an axis of the frame, nearly the identity, or by right
/// angles.
pub(crate) fn turn(random: &mut Random) -> DQuat {
    let axis = DVec3::AXES[random.below(3)];
    let full = core::f64::consts::TAU;
    match random.below(8) {
        0 => DQuat::from_axis_angle(axis, random.range(0.0, full)),
        1 => DQuat::from_axis_angle(axis, 10_f64.powf(random.range(-16.0, 0.0))),
        2 => DQuat::from_axis_angle(axis, 0.25 * full * random.below(4) as f64),
        3 => {
            let little = random.cube_point() * 10_f64.powf(random.range(-16.0, -1.0));
            DQuat::from_xyzw(little.x, little.y, little.z, 1.0).normalize()
        }
        _ => loop {
            let (v, w) = (random.cube_point(), random.range(-1.0, 1.0));
            let q = DQuat::from_xyzw(v.x, v.y, v.z, w);
            if 0.01 < q.length_squared() && q.length_squared() <= 1.0 {
                return q.normalize();
            }
        },
    }
}

/// Returns a random direction, of length 1 up to rounding.
pub(crate) fn direction(random: &mut Random) -> DVec3 {
    turn(random) * DVec3::new(0.48, 0.6, 0.64)
}

/// Returns the power of two at or below a size, by which GJK divides a pair first.
pub(super) fn power_of_two(size: f64) -> f64 {
    1.0 / carom_math::scaling::scale_of(size)
}

/// Returns a corner of a box, or a point in it.
fn point_of(random: &mut Random, half: DVec3) -> DVec3 {
    let mut p = random.cube_point();
    if random.below(4) != 0 {
        p = p.signum();
    }
    p * half
}

/// Returns two boxes near each other: half extents, B's pose, and the size that GJK scales by.
pub(super) fn near_pair(random: &mut Random) -> (DVec3, DVec3, WidePose, f64) {
    let (half_a, half_b) = (half_extents(random), half_extents(random));
    let reach = half_a.length() + half_b.length();
    let center = direction(random) * reach * random.range(0.0, 1.2);
    let pose = WidePose::from_quat(turn(random), center);
    let size = half_a.length().max(half_b.length()).max(center.abs().max_element());
    (half_a, half_b, pose, size)
}

/// Returns the error of `direction . (a - placed b)`, in units of the size that GJK scales to.
pub(super) fn minkowski_height(random: &mut Random) -> f64 {
    let (half_a, half_b, pose, size) = near_pair(random);
    let (a, b, n) = (point_of(random, half_a), point_of(random, half_b), direction(random));
    let height = n.dot(a - pose.transform_point(b));
    let truth = (DoubleDoubleVec3::from(a) - placed(&pose, b)).dot(n.into());
    off(height, truth) / power_of_two(size)
}

/// Returns the sum of half extents, which is the unit of the tolerances for boxes.
pub(super) fn sum_of_halves(half_a: DVec3, half_b: DVec3) -> f64 {
    (half_a + half_b).element_sum()
}

/// Returns the error of the height of a corner of B above a side of A, summed as in the clipping
/// of boxes.
pub(super) fn corner_height(random: &mut Random) -> f64 {
    let (half_a, half_b, pose, _) = near_pair(random);
    let size = sum_of_halves(half_a, half_b);
    let pose =
        WidePose { translation: pose.translation.clamp(-DVec3::splat(size), DVec3::splat(size)), ..pose };
    let corner = point_of(random, half_b).signum() * half_b;
    let r = &pose.rotation;
    let computed = pose.translation + r.z_axis * corner.z + r.x_axis * corner.x + r.y_axis * corner.y;
    let truth = placed(&pose, corner);
    off(computed.x - half_a.x, truth.x - half_a.x.into()) / size
}

/// Returns the distance of a cut point of an edge from the plane that cut it.
pub(super) fn cut_height(random: &mut Random) -> f64 {
    let (half_a, half_b, pose, _) = near_pair(random);
    let (p, q) =
        (pose.transform_point(point_of(random, half_b)), pose.transform_point(point_of(random, half_b)));
    // The edge may approach or leave a plane through A.
    let h = half_a.x.clamp(p.x.min(q.x), p.x.max(q.x));
    let (height_p, height_q) = (p.x - h, q.x - h);
    if !(height_p * height_q < 0.0) {
        return 0.0;
    }
    let cut = p + (q - p) * (height_p / (height_p - height_q));
    (cut.x - h).abs() / sum_of_halves(half_a, half_b).max(p.abs().max_element()).max(q.abs().max_element())
}

/// Returns the computed thickness of the difference of two plates in one plane, with the same
/// rotation.
pub(super) fn flat_thickness(random: &mut Random) -> f64 {
    let flat = |half: DVec3| DVec3::new(half.x, 0.0, half.z);
    let (half_a, half_b) = (flat(half_extents(random)), flat(half_extents(random)));
    let reach = half_a.length() + half_b.length();
    let q = turn(random);
    // The two poses in the world, and their relative pose: a rotation in the plane.
    let (frame, spin) =
        (WidePose::from_quat(q, DVec3::ZERO), DQuat::from_rotation_y(random.range(-4.0, 4.0)));
    let shift =
        frame.transform_vector(DVec3::new(random.range(-1.0, 1.0), 0.0, random.range(-1.0, 1.0)) * reach);
    let pose = WidePose::from_quat(q * spin, shift).relative_to(&frame);
    let corners = |half: DVec3| {
        [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(x, z)| half * DVec3::new(x, 0.0, z))
    };
    let mut points = Vec::new();
    for a in corners(half_a) {
        points.extend(corners(half_b).map(|b| a - pose.transform_point(b)));
    }
    let size = half_a.length().max(half_b.length()).max(pose.translation.abs().max_element());
    // The plane of a triangle that is not much thinner than all points.
    let start = points[0];
    let normal = points
        .iter()
        .flat_map(|p| points.iter().map(move |q| (*p - start).cross(*q - start)))
        .max_by(|m, n| m.length_squared().total_cmp(&n.length_squared()))
        .unwrap_or_default()
        .normalize_or_zero();
    points.iter().fold(0.0, |m: f64, p| m.max(normal.dot(*p - start).abs())) / power_of_two(size)
}

/// Returns a number as printed with this number of digits after the point.
fn printed(x: f64, digits: i32) -> f64 {
    let unit = 10_f64.powi(digits);
    (x * unit).round() / unit
}

pub(super) fn printed_quaternion(random: &mut Random) -> f64 {
    let q = turn(random).to_array().map(|x| printed(x, 4));
    (DQuat::from_array(q).length() - 1.0).abs()
}

pub(super) fn printed_matrix(random: &mut Random) -> f64 {
    let m = DMat3::from_quat(turn(random)).to_cols_array().map(|x| printed(x, 6));
    let m = DMat3::from_cols_array(&m);
    (m.transpose() * m - DMat3::IDENTITY).to_cols_array().iter().fold(0.0, |most: f64, x| most.max(x.abs()))
}

pub(super) fn printed_axis(random: &mut Random) -> f64 {
    let axis = DVec3::from_array(direction(random).to_array().map(|x| printed(x, 4)));
    (axis.length_squared() - 1.0).abs()
}

/// Returns how far the corners of a turned and moved polygon, rounded to `f32`, are from the plane
/// through their middle with its area normal, in units of the largest coordinate.
pub(super) fn turned_polygon(random: &mut Random) -> f64 {
    let (n, turn) = (3 + random.below(10), turn(random));
    let at = random.cube_point() * 10_f64.powf(random.range(-1.0, 2.0));
    let corners: Vec<DVec3> = (0..n)
        .map(|i| {
            let angle = core::f64::consts::TAU * (i as f64 + random.range(0.0, 0.9)) / n as f64;
            let out = DVec3::new(angle.cos(), angle.sin(), 0.0) * random.range(0.3, 1.0);
            (at + turn * out).as_vec3().as_dvec3()
        })
        .collect();
    let centred = corners.iter().map(|&p| p - corners[0]);
    let area =
        centred.clone().zip(centred.clone().skip(1)).fold(DVec3::ZERO, |area, (p, q)| area + p.cross(q));
    let heights = centred.map(|p| area.normalize().dot(p));
    let low = heights.clone().fold(f64::INFINITY, f64::min);
    let high = heights.fold(f64::NEG_INFINITY, f64::max);
    let largest = corners.iter().fold(0.0_f64, |largest, p| largest.max(p.abs().max_element()));
    0.5 * (high - low) / largest
}

/// Returns the displacement of a point along a normal by rounding to `f32`, in units of the
/// largest coordinate.
pub(super) fn rounded_point(random: &mut Random) -> f64 {
    let (p, n) = (random.cube_point() * size(random), direction(random));
    n.dot(p.as_vec3().as_dvec3() - p).abs() / p.abs().max_element()
}

/// Returns how far the fourth corner of a face is from the plane of the other three, in the unit
/// of the tolerance.
fn off_plane(corners: [DVec3; 8], epsilon: f64) -> f64 {
    let largest = corners.iter().fold(DVec3::ZERO, |m, p| m.max(p.abs())).element_sum();
    let mut most = 0.0_f64;
    for axis in 0..3 {
        let (u, v) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
        for start in [0, 1 << axis] {
            let [a, b, c, d] = [start, start | u, start | v, start | u | v].map(|k| corners[k]);
            // A face too thin for its diagonal to have a plane is skipped.
            let normal = (b - a).cross(c - a);
            let is_thin = normal.length() < 1e-3 * (b - a).length_squared().max((c - a).length_squared());
            if !is_thin {
                most = most.max(normal.normalize().dot(d - a).abs() / (epsilon * largest));
            }
        }
    }
    most
}

/// Returns a box with a pose in the world, near the origin or far from it.
fn box_in_world(random: &mut Random) -> (DVec3, DQuat, DVec3) {
    let half = half_extents(random);
    let away = [0.0, 1.0, 10.0, 1e5][random.below(4)];
    (half, turn(random), random.cube_point() * half.max_element() * away)
}

fn corner_signs(k: usize) -> DVec3 {
    DVec3::from_array([1, 2, 4].map(|bit| if k & bit == 0 { -1.0 } else { 1.0 }))
}

pub(super) fn rounded_box(random: &mut Random) -> f64 {
    let (half, q, center) = box_in_world(random);
    let pose = WidePose::from_quat(q, center);
    let corner = |k| pose.transform_point(half * corner_signs(k)).as_vec3().as_dvec3();
    off_plane(core::array::from_fn(corner), f64::from(f32::EPSILON))
}

pub(super) fn box_turned_in_f32(random: &mut Random) -> f64 {
    let (half, q, center) = box_in_world(random);
    let (half, q, center) = (half.as_vec3(), q.as_quat(), center.as_vec3());
    let pose = Pose::new(Quat::from_array(q.to_array()), center);
    let corner = |k| pose.transform_point(half * corner_signs(k).as_vec3()).as_dvec3();
    off_plane(core::array::from_fn(corner), f64::from(f32::EPSILON))
}
