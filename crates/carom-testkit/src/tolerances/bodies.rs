//! Errors of pairs of boxes compared with 106 bits, of curved pairs compared with a longer search,
//! and of rays by steps compared with rays by roots.
//!
//! Reference: G. van den Bergen, Collision Detection in Interactive 3D Environments, 2003, chapter
//! 4.

use super::precise::Boxes;
use super::rounding::{direction, half_extents, near_pair, power_of_two, size, sum_of_halves, turn};
use crate::random::Random;
use carom_geom::SupportMap;
use carom_geom::f64 as geom;
use carom_gjk::{GjkSettings, wide};
use carom_math::f64::{Interval, Pose, Ray};
use carom_math::{WidePose, scaling::unit, tol};
use carom_query::f64::{ConvexShape, RoundedShape, Shape, cast_ray};
use carom_sat::f64::box_box;
use glam::DVec3;
use std::sync::Arc;

/// Returns two boxes that nearly touch along one of their axes.
fn touching_pair(random: &mut Random) -> (DVec3, DVec3, WidePose, f64) {
    let (half_a, half_b, mut pose, size) = near_pair(random);
    let axes = Boxes::new(half_a, half_b, &pose).axes();
    let axis = axes[random.below(axes.len())];
    let n = axis.to_dvec3().normalize_or_zero();
    let overlap = Boxes::new(half_a, half_b, &pose).overlap(axis);
    let little = 10_f64.powf(random.range(-17.0, -6.0)) * size * random.range(-1.0, 1.0);
    pose.translation += n * (overlap + if random.below(4) == 0 { 0.0 } else { little });
    let size = half_a.length().max(half_b.length()).max(pose.translation.abs().max_element());
    (half_a, half_b, pose, size)
}

fn boxes(half_a: DVec3, half_b: DVec3) -> Option<(geom::Cuboid, geom::Cuboid)> {
    Some((geom::Cuboid::new(half_a).ok()?, geom::Cuboid::new(half_b).ok()?))
}

fn signed_distance(half_a: DVec3, half_b: DVec3, pose: &WidePose) -> f64 {
    let Some((a, b)) = boxes(half_a, half_b) else { return f64::NAN };
    wide::signed_distance(&a, &b, pose, &GjkSettings::default(), None).distance
}

/// Returns for two boxes that nearly touch: their signed distance in 106 bits, the computed one,
/// and an upper bound of the longest vector in their Minkowski difference.
fn distances(random: &mut Random) -> (f64, f64, f64) {
    let (half_a, half_b, pose, _) = touching_pair(random);
    let truth = Boxes::new(half_a, half_b, &pose).signed_distance();
    let reach = half_a.length() + half_b.length() + pose.translation.length();
    (truth, signed_distance(half_a, half_b, &pose), reach)
}

pub(super) fn box_distance(random: &mut Random) -> f64 {
    let (truth, found, reach) = distances(random);
    if truth < 0.0 { 0.0 } else { (found - truth).abs() / reach }
}

/// Returns the error for boxes that nearly touch, if the answer is not that they touch.
pub(super) fn box_distance_near_touching(random: &mut Random) -> f64 {
    let (truth, found, reach) = distances(random);
    // rounding: what the depth search stops at is beyond all digits here.
    let is_near = truth.abs() < 1e-6 * reach && found != 0.0;
    if is_near { (found - truth).abs() / reach } else { 0.0 }
}

/// Returns the gap of a pair that is reported as touching.
pub(super) fn box_touching(random: &mut Random) -> f64 {
    let (truth, found, reach) = distances(random);
    if found == 0.0 { truth / reach } else { 0.0 }
}

/// Returns the error for boxes that overlap. Along one axis both are thinner than
/// [`tol::EPA_THIN`], or up to a thousand times thicker.
pub(super) fn thin_depth(random: &mut Random) -> f64 {
    let (half_a, half_b, _, size) = near_pair(random);
    let thin = |half: DVec3, random: &mut Random| {
        half.with_y(size * tol::EPA_THIN * 10_f64.powf(random.range(-3.0, 3.0)))
    };
    let (half_a, half_b) = (thin(half_a, random), thin(half_b, random));
    let spin = glam::DQuat::from_rotation_y(random.range(-4.0, 4.0));
    let pose = WidePose::from_quat(spin, random.cube_point() * 0.5 * (half_a + half_b));
    let size = half_a.length().max(half_b.length()).max(pose.translation.abs().max_element());
    let truth = Boxes::new(half_a, half_b, &pose).signed_distance();
    (signed_distance(half_a, half_b, &pose) - truth).abs() / power_of_two(size)
}

/// Returns twice the error of the chosen overlap, because two overlaps are compared.
pub(super) fn box_overlap(random: &mut Random) -> f64 {
    let (half_a, half_b, pose, _) = touching_pair(random);
    let Some(found) = box_box::separation(half_a, half_b, &pose) else { return f64::NAN };
    let truth = Boxes::new(half_a, half_b, &pose).overlap(found.normal.into());
    2.0 * (found.distance + truth).abs() / sum_of_halves(half_a, half_b)
}

pub(super) fn box_depth(random: &mut Random) -> f64 {
    let (half_a, half_b, pose, _) = near_pair(random);
    let Some(found) = box_box::separation(half_a, half_b, &pose) else { return f64::NAN };
    let truth = Boxes::new(half_a, half_b, &pose).least_overlap();
    // rounding: of the overlap and of the least.
    (-found.distance - truth) / sum_of_halves(half_a, half_b) - 2e-15
}

/// Returns how much less deep the deepest contact of clipped faces is than the witness, both in
/// `f32`; 0 if the witness is a contact itself.
pub(super) fn clipped_depth(random: &mut Random) -> f64 {
    let (half_a, half_b, pose, _) = near_pair(random);
    let Ok(a) = carom_geom::Cuboid::new(half_a.as_vec3()) else { return f64::NAN };
    let Ok(b) = carom_geom::Cuboid::new(half_b.as_vec3()) else { return f64::NAN };
    let signed = wide::signed_distance(&a, &b, &pose, &GjkSettings::default(), None);
    if 0.0 < signed.distance {
        return 0.0;
    }
    let witness = carom_sat::Witness {
        normal: signed.normal.as_vec3(),
        distance: signed.distance as f32,
        point_a: signed.point_a.as_vec3(),
        point_b: signed.point_b.as_vec3(),
    };
    let manifold = carom_sat::manifold_from_normal(&a, &b, &pose, &witness, 0.0);
    let Some(deepest) = manifold.deepest() else { return 0.0 };
    f64::from(deepest.distance - witness.distance) / (a.radius() + b.radius())
}

/// Does the same in `f64`.
pub(super) fn clipped_depth_f64(random: &mut Random) -> f64 {
    let (half_a, half_b, pose, _) = near_pair(random);
    let Some((a, b)) = boxes(half_a, half_b) else { return f64::NAN };
    let signed = wide::signed_distance(&a, &b, &pose, &GjkSettings::default(), None);
    if 0.0 < signed.distance {
        return 0.0;
    }
    let witness = carom_sat::f64::Witness {
        normal: signed.normal,
        distance: signed.distance,
        point_a: signed.point_a,
        point_b: signed.point_b,
    };
    let manifold = carom_sat::f64::manifold_from_normal(&a, &b, &pose, &witness, 0.0);
    let Some(deepest) = manifold.deepest() else { return 0.0 };
    (deepest.distance - witness.distance) / (a.radius() + b.radius())
}

/// Returns the sine of the angle between the normal of a distance search in `f32` and the
/// direction between the edges that the search found.
pub(super) fn normal_of_edges(random: &mut Random) -> f64 {
    let (half_a, half_b, pose, _) = near_pair(random);
    let Some((a, b)) = boxes(half_a, half_b) else { return f64::NAN };
    let apart = direction(random) * (a.radius() + b.radius()) * random.range(1.0, 1.5);
    let pose = WidePose { translation: apart, ..pose };
    let found = wide::signed_distance(&a, &b, &pose, &GjkSettings::default(), None);
    let Some(displacement) = unit(found.point_b - found.point_a) else { return 0.0 };
    displacement.cross(found.normal.as_vec3().as_dvec3()).length()
}

/// Returns a random curved shape.
fn curved(random: &mut Random) -> Box<dyn SupportMap> {
    let half = half_extents(random);
    let slender = |x: f64, y: f64| (x.max(1e-3 * y), y);
    let (r, h) = slender(half.x, half.y);
    let shape: Option<Box<dyn SupportMap>> = match random.below(3) {
        0 => geom::Cylinder::new(h, r).ok().map(|s| Box::new(s) as _),
        1 => geom::Cone::new(h, r).ok().map(|s| Box::new(s) as _),
        _ => geom::Ellipsoid::new(half.max(DVec3::splat(1e-3 * half.max_element())))
            .ok()
            .map(|s| Box::new(s) as _),
    };
    shape.unwrap_or_else(|| Box::new(geom::Sphere::new(1.0).unwrap()))
}

/// Returns a pose of B for which the pair overlaps, or is apart, by a part of its size.
fn curved_pair(
    random: &mut Random,
    low: f64,
    high: f64,
) -> (Box<dyn SupportMap>, Box<dyn SupportMap>, WidePose) {
    let (a, b) = (curved(random), curved(random));
    let rotation = turn(random);
    let n = direction(random);
    let pose = WidePose::from_quat(rotation, DVec3::ZERO);
    let top = a.support(n).point.dot(n);
    let bottom = pose.transform_point(b.support(pose.inverse_transform_vector(-n)).point).dot(n);
    let least = a.radius().min(b.radius());
    let pose = WidePose { translation: n * (top - bottom + least * random.range(low, high)), ..pose };
    (a, b, pose)
}

/// Returns the relative change of a distance if the search does not stop.
pub(super) fn curved_distance(random: &mut Random) -> f64 {
    let (a, b, pose) = curved_pair(random, 0.01, 2.0);
    let settings = GjkSettings::default();
    let found = wide::signed_distance(&*a, &*b, &pose, &settings, None);
    let on = settings.with_distance_tolerance(0.0).with_max_iterations(1000, 1000);
    let truth = wide::signed_distance(&*a, &*b, &pose, &on, None);
    if found.distance <= 0.0 { 0.0 } else { (found.distance - truth.distance).abs() / found.distance }
}

pub(super) fn curved_depth(random: &mut Random) -> f64 {
    let (a, b, pose) = curved_pair(random, -1.0, -0.01);
    let settings = GjkSettings::default();
    let found = wide::signed_distance(&*a, &*b, &pose, &settings, None);
    let on = settings.with_depth_tolerance(0.0).with_max_iterations(1000, 2000);
    let truth = wide::signed_distance(&*a, &*b, &pose, &on, None);
    // The bounds show whether a search ran out of memory.
    let is_done = found.upper_bound - found.lower_bound <= -2.0 * tol::EPA_DEPTH * found.distance;
    if found.distance < 0.0 && is_done {
        (found.distance - truth.distance).abs() / -found.distance
    } else {
        0.0
    }
}

/// Returns how far from the surface a ray by steps stops: the error along the ray, times the
/// cosine to the normal.
pub(super) fn cast_by_steps(random: &mut Random) -> f64 {
    let (radius, half) = (size(random), size(random));
    let part = random.range(0.1, 0.9);
    let (Ok(core), Ok(whole)) = (geom::Capsule::new(half, radius * part), geom::Capsule::new(half, radius))
    else {
        return f64::NAN;
    };
    let Ok(core) = ConvexShape::new(Shape::Capsule(core)) else { return f64::NAN };
    let Ok(rounded) = RoundedShape::new(core, radius - radius * part) else { return f64::NAN };
    let (reach, here) = (half + radius, Pose::IDENTITY);
    let target = random.cube_point() * reach;
    let along = direction(random);
    let ray = Ray::new(target - along * reach * 10_f64.powf(random.range(0.0, 2.0)), along * size(random));
    let by_steps = cast_ray(&Shape::Rounded(Arc::new(rounded)), &here, &ray, Interval::FORWARD);
    let by_roots = cast_ray(&Shape::Capsule(whole), &here, &ray, Interval::FORWARD);
    match (by_steps, by_roots) {
        (Some(s), Some(r)) => {
            let cosine = -r.normal.dot(along);
            // rounding: of the distance and of the root.
            (s.t - r.t).abs() * ray.direction.length() * cosine / (reach + ray.origin.length()) - 2e-15
        }
        // One of them is a hit that grazes the surface: its largest depth counts.
        (Some(one), None) | (None, Some(one)) => {
            let p = ray.at(one.t);
            let q = DVec3::new(0.0, p.y.clamp(-half, half), 0.0);
            // The least distance of the line from the axis, near the hit.
            let depth = (radius - (p - q).length()).abs();
            depth / (reach + ray.origin.length())
        }
        (None, None) => 0.0,
    }
}
