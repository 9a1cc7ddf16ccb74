//! Tori against any other shape: the distance is that of points on the circle.
//!
//! Reference: J. Hart, Sphere Tracing, The Visual Computer 12(10), 1996, appendix A.

use crate::bytes::Bytes;
use carom_geom::{Capsule, Cuboid, Cylinder, Sphere, Torus, TriMesh};
use carom_math::{Interval, Pose, Ray, Vec3};
use carom_query::{
    ManifoldCache, MeshShape, Outcome, Shape, cast_ray_all, contact, distance, intersects, manifolds,
    project_point,
};
use std::sync::Arc;

/// Points of the circle that are tested.
const N_POINTS: u32 = 240;

fn other(bytes: &mut Bytes<'_>) -> Option<Shape> {
    let size = |bytes: &mut Bytes<'_>| bytes.size() as f32;
    Some(match bytes.below(6) {
        0 => Shape::Sphere(Sphere::new(size(bytes)).ok()?),
        1 => Shape::Capsule(Capsule::new(size(bytes), size(bytes)).ok()?),
        2 => Shape::Cuboid(Cuboid::new(bytes.sizes().as_vec3()).ok()?),
        3 => Shape::Cylinder(Cylinder::new(size(bytes), size(bytes)).ok()?),
        4 => Shape::Torus(Torus::new(size(bytes), size(bytes)).ok()?),
        _ => {
            let points: Vec<Vec3> = (0..4).map(|_| bytes.point_f32()).collect();
            Shape::Mesh(Arc::new(
                MeshShape::new(TriMesh::new(points, vec![[0, 1, 2], [0, 2, 3]]).ok()?).ok()?,
            ))
        }
    })
}

/// Runs the body.
pub fn tori(bytes: &[u8]) {
    let bytes = &mut Bytes::new(bytes);
    while !bytes.is_empty() {
        let (major, minor) = (bytes.size() as f32, bytes.size() as f32);
        let Ok(torus) = Torus::new(major, minor) else { continue };
        let Some(other) = other(bytes) else { continue };
        let mut pose = || Pose::new(bytes.rotation_f32(), bytes.point_f32());
        let (pose, at) = (pose(), pose());
        if pose.is_finite() && at.is_finite() {
            check(torus, &pose, &other, &at, bytes.point_f32());
        }
    }
}

fn check(torus: Torus, pose: &Pose, other: &Shape, at: &Pose, position: Vec3) {
    let ring = Shape::Torus(torus);
    let (major, minor) = (torus.major_radius(), torus.minor_radius());
    let size = major + minor + reach(other);
    let far = size + pose.translation.abs().max_element() + at.translation.abs().max_element();
    // Beyond this, products of lengths and their differences leave the range of the numbers.
    if !(1e-6 < minor && far < 1e6 && far < 1e4 * minor) {
        let _ = contact(&ring, pose, other, at, 0.0);
        return;
    }
    let slack = 4e-6 * far;
    let found = contact(&ring, pose, other, at, f32::MAX).expect("it is somewhere");
    assert!(found.outcome != Outcome::Undecided, "{found:?}");
    // The signed distance of these shapes is also known inside: down to the core or the circle.
    let has_core = matches!(other, Shape::Torus(_) | Shape::Sphere(_) | Shape::Capsule(_));
    let point = Shape::Sphere(Sphere::new(0.0).expect("a point"));
    let least = (0..N_POINTS)
        .map(|k| {
            let (sin, cos) = (core::f64::consts::TAU * f64::from(k) / f64::from(N_POINTS)).sin_cos();
            let on = pose.transform_point(Vec3::new(cos as f32, 0.0, sin as f32) * major);
            match project_point(other, at, on) {
                Some(near) if has_core => near.distance,
                _ => distance(&point, &Pose::from_translation(on), other, at).distance,
            }
        })
        .fold(f32::INFINITY, f32::min)
        - minor;
    let spacing = major * core::f32::consts::PI / N_POINTS as f32;
    let depth = found.contact.distance;
    assert!(depth <= least + slack && least - spacing - slack <= depth, "{depth} {least} {ring:?} {other:?}");
    assert!((found.contact.normal.length() - 1.0).abs() < 1e-4, "{found:?}");
    let swapped = contact(other, at, &ring, pose, f32::MAX).expect("it is somewhere").contact;
    assert!((swapped.distance - depth).abs() <= slack, "{depth} {swapped:?} {ring:?} {other:?}");
    if slack < depth.abs() {
        assert_eq!(intersects(&ring, pose, other, at), depth < 0.0);
    }
    let mut list = Vec::new();
    manifolds(&ring, pose, other, at, 0.1 * minor, &mut ManifoldCache::new(), &mut list);
    for touch in list.iter().flat_map(|manifold| manifold.contacts()) {
        assert!(touch.normal.is_finite() && touch.distance <= 0.1 * minor + slack, "{touch:?}");
    }
    let mut hits = Vec::new();
    cast_ray_all(&ring, pose, &Ray::new(position, pose.translation - position), Interval::BOTH, &mut hits);
    assert!(hits.len().is_multiple_of(2) && hits.len() <= 4, "{hits:?}");
}

/// Returns the distance of the farthest point of a shape from its origin.
fn reach(shape: &Shape) -> f32 {
    let aabb = shape.aabb(&Pose::IDENTITY);
    aabb.min.abs().max(aabb.max.abs()).length()
}
