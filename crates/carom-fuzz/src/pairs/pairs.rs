//! Any two shapes: intersection, distance, contact, manifolds, rays and points agree with each
//! other.

use super::num::geom::{
    Capsule, Cone, ConvexHull, Cuboid, Cylinder, Ellipsoid, HalfSpace, HeightField, Sphere, TaperedCapsule,
    TriMesh,
};
use super::num::query::{
    self, Compound, CompoundPart, ConvexShape, HeightFieldShape, ManifoldCache, MeshShape, RoundedShape,
    Shape, ShapeKind,
};
use super::num::{Interval, Pose, RANGE, ROUNDING, Ray, Real, Vec3, pose, real, vec3, wide};
use crate::bytes::Bytes;
use carom_math::scaling::length;
use carom_math::tol;
use carom_query::Outcome;
use std::sync::Arc;

/// Returns a shape; `None` if its constructor refuses the numbers. Parts of composite shapes are
/// not composite.
fn shape(bytes: &mut Bytes<'_>, is_part: bool) -> Option<Shape> {
    Some(match bytes.below(if is_part { 13 } else { 15 }) {
        0 => Shape::Sphere(Sphere::new(real(bytes.size())).ok()?),
        1 => Shape::Capsule(Capsule::new(real(bytes.size()), real(bytes.size())).ok()?),
        2 => Shape::Cuboid(Cuboid::new(vec3(bytes.sizes())).ok()?),
        3 => Shape::Cylinder(Cylinder::new(real(bytes.size()), real(bytes.size())).ok()?),
        4 => Shape::Cone(Cone::new(real(bytes.size()), real(bytes.size())).ok()?),
        5 => Shape::Ellipsoid(Ellipsoid::new(vec3(bytes.sizes())).ok()?),
        6 => {
            let points: Vec<Vec3> = (0..4 + bytes.below(8)).map(|_| vec3(bytes.point())).collect();
            Shape::Hull(Arc::new(ConvexHull::from_points(&points).ok()?))
        }
        7 => {
            let n = 3 + bytes.below(6);
            let points: Vec<Vec3> = (0..n).map(|_| vec3(bytes.point())).collect();
            let mut corner = || bytes.below(n) as u32;
            let triangles = (0..n).map(|_| [corner(), corner(), corner()]).collect();
            Shape::Mesh(Arc::new(MeshShape::new(TriMesh::new(points, triangles).ok()?).ok()?))
        }
        8 => Shape::TaperedCapsule(
            TaperedCapsule::new(real(bytes.size()), real(bytes.size()), real(bytes.size())).ok()?,
        ),
        9 => {
            let core = ConvexShape::new(shape(bytes, true)?).ok()?;
            Shape::Rounded(Arc::new(RoundedShape::new(core, real(bytes.size())).ok()?))
        }
        10 => {
            let (n_x, n_z) = (2 + bytes.below(3), 2 + bytes.below(3));
            let spacing = [real(bytes.size()), real(bytes.size())];
            let heights = (0..n_x * n_z).map(|_| real(bytes.float())).collect();
            let mut field = HeightField::new([n_x as u32, n_z as u32], spacing, heights).ok()?;
            if bytes.byte().is_multiple_of(4) {
                field = field.with_holes(&[u32::from(bytes.byte() % 4)]).ok()?;
            }
            Shape::HeightField(Arc::new(HeightFieldShape::new(field).ok()?))
        }
        11 => {
            let points = (0..1 + bytes.below(12)).map(|_| vec3(bytes.point())).collect();
            Shape::point_cloud(points, real(bytes.size())).ok()?
        }
        12 => {
            let flags: Vec<bool> = (0..18).map(|_| bytes.byte().is_multiple_of(2)).collect();
            Shape::voxels([3, 2, 3], &flags, vec3(bytes.point()), vec3(bytes.sizes())).ok()?
        }
        13 => Shape::HalfSpace(HalfSpace::new(vec3(bytes.point())).ok()?),
        _ => {
            let parts = (0..1 + bytes.below(3))
                .map(|_| {
                    let pose = pose(bytes.rotation(), bytes.point());
                    Some(CompoundPart { shape: shape(bytes, true)?, pose })
                })
                .collect::<Option<Vec<_>>>()?;
            Shape::Compound(Arc::new(Compound::new(parts).ok()?))
        }
    })
}

/// Whether the shape has parts that may overlap.
fn has_parts(shape: &Shape) -> bool {
    matches!(shape.kind(), ShapeKind::Compound(_) | ShapeKind::Cluster(_))
}

/// Returns the reach of the shape from its origin; 0 for a half-space.
fn reach(shape: &Shape) -> f64 {
    let aabb = shape.aabb(&Pose::IDENTITY);
    if matches!(shape, Shape::HalfSpace(_)) {
        return 0.0;
    }
    f64::from(aabb.min.abs().max(aabb.max.abs()).max_element())
}

fn doubt(outcome: Outcome) -> Option<f64> {
    match outcome {
        Outcome::Exact => Some(0.0),
        Outcome::Within(x) => Some(x),
        _ => None,
    }
}

/// No answer is NaN if the poses are finite, and the answers agree.
pub fn pairs(bytes: &[u8]) {
    let mut bytes = Bytes::new(bytes);
    let (Some(a), Some(b)) = (shape(&mut bytes, false), shape(&mut bytes, false)) else { return };
    let pose_a = pose(bytes.rotation(), bytes.point());
    let pose_b = pose(bytes.rotation(), bytes.point());
    let prediction = real(bytes.size().abs());
    let distance = query::distance(&a, &pose_a, &b, &pose_b);
    let meets = query::intersects(&a, &pose_a, &b, &pose_b);
    let contact = query::contact(&a, &pose_a, &b, &pose_b, prediction);
    let (mut out, mut cache) = (Vec::new(), ManifoldCache::new());
    query::manifolds(&a, &pose_a, &b, &pose_b, prediction, &mut cache, &mut out);
    let is_finite = pose_a.rotation.is_finite()
        && pose_b.rotation.is_finite()
        && pose_a.translation.is_finite()
        && pose_b.translation.is_finite();
    let size = reach(&a) + reach(&b) + wide(pose_a.translation).length() + wide(pose_b.translation).length();
    if is_finite && RANGE.0 < size && size < RANGE.1 {
        let context = || format!("{a:?} {pose_a:?} {b:?} {pose_b:?}");
        let tolerance = ROUNDING * size;
        assert!(!distance.distance.is_nan() && 0.0 <= distance.distance, "{distance:?} {}", context());
        let mirrored = query::distance(&b, &pose_b, &a, &pose_a);
        let mirrored_meets = query::intersects(&b, &pose_b, &a, &pose_a);
        if let (Some(doubt), Some(mirrored_doubt)) = (doubt(distance.outcome), doubt(mirrored.outcome)) {
            let tolerance = tolerance + doubt + mirrored_doubt;
            let (d, m) = (distance.distance as f64, mirrored.distance as f64);
            assert!((d - m).abs() <= tolerance, "{distance:?} {mirrored:?} {}", context());
            // Shapes that touch may meet in one order and be apart by rounding in the other.
            let is_same = meets == mirrored_meets || d.max(m) <= tolerance;
            assert!(is_same, "{distance:?} {mirrored:?} {}", context());
            assert!(!meets || d <= tolerance, "{distance:?} {}", context());
            let between = wide(distance.point_a).distance(wide(distance.point_b));
            assert!((between - d).abs() <= 4.0 * tolerance, "{between} {distance:?} {}", context());
            check_contact(contact, d, prediction, tolerance, &context);
            let is_near = out.iter().any(|manifold| !manifold.is_empty());
            // A corner slightly beside a triangle, relative to its size, counts as over it.
            let beside = if a.is_convex() || b.is_convex() { 0.0 } else { tol::OVER_FACE * size };
            assert!(
                !is_near || d <= f64::from(prediction) + tolerance + beside,
                "{d} {prediction} {out:?} {}",
                context()
            );
        }
        for contact in out.iter().flat_map(|manifold| manifold.contacts()) {
            assert!(contact.point_a.is_finite() && contact.point_b.is_finite(), "{contact:?} {}", context());
            assert!((wide(contact.normal).length() - 1.0).abs() < 1e-3, "{contact:?} {}", context());
        }
    }
    for (shape, pose) in [(&a, &pose_a), (&b, &pose_b)] {
        check_ray_and_point(shape, pose, &mut bytes);
    }
}

fn check_contact(
    contact: Option<query::PairContact>,
    distance: f64,
    prediction: Real,
    tolerance: f64,
    context: &dyn Fn() -> String,
) {
    let Some(found) = contact else {
        assert!(!(distance + tolerance < f64::from(prediction)), "no contact at {distance} {}", context());
        return;
    };
    let Some(more) = doubt(found.outcome) else { return };
    let (contact, tolerance) = (found.contact, tolerance + more);
    let signed = f64::from(contact.distance);
    let is_within = prediction.is_nan() || signed <= f64::from(prediction) + tolerance;
    assert!(is_within, "{prediction} {contact:?} {}", context());
    assert!((signed.max(0.0) - distance).abs() <= tolerance, "{distance} {contact:?} {}", context());
    assert!((wide(contact.normal).length() - 1.0).abs() < 1e-3, "{contact:?} {}", context());
    assert!(contact.point_a.is_finite() && contact.point_b.is_finite(), "{contact:?} {}", context());
}

fn check_ray_and_point(shape: &Shape, pose: &Pose, bytes: &mut Bytes<'_>) {
    let ray = Ray::new(vec3(bytes.point()), vec3(bytes.point()));
    let interval =
        [Interval::FORWARD, Interval::BOTH, Interval::new(real(bytes.float()), real(bytes.float()))];
    let interval = interval[bytes.below(3)];
    let first = query::cast_ray(shape, pose, &ray, interval);
    let mut every = Vec::new();
    query::cast_ray_all(shape, pose, &ray, interval, &mut every);
    let projection = query::project_point(shape, pose, ray.origin);
    let size = reach(shape) + wide(pose.translation).length() + wide(ray.origin).length();
    let is_finite = pose.rotation.is_finite() && pose.translation.is_finite() && ray.origin.is_finite();
    if !(is_finite && RANGE.0 < size && size < RANGE.1) {
        return;
    }
    let context = || format!("{shape:?} {pose:?} {ray:?} {interval:?}");
    let tolerance = ROUNDING * size;
    if let Some(found) = projection {
        assert!(found.point.is_finite() && !found.distance.is_nan(), "{found:?} {}", context());
        let between = wide(found.point).distance(wide(ray.origin));
        assert!(
            (between - f64::from(found.distance).abs()).abs() <= 8.0 * tolerance,
            "{found:?} {}",
            context()
        );
        // The nearest point is its own nearest point.
        let again = query::project_point(shape, pose, found.point).unwrap();
        let is_compound = has_parts(shape);
        assert!(
            is_compound || f64::from(again.distance).abs() <= 8.0 * tolerance,
            "{found:?} {again:?} {}",
            context()
        );
    }
    for hit in every.iter().chain(&first) {
        assert!(interval.contains(hit.t) && !hit.normal.is_nan(), "{hit:?} {}", context());
        let at = wide(ray.origin) + wide(ray.direction) * f64::from(hit.t);
        // The error of a far hit, or one along a long direction, is a rounding of t, or the least
        // number.
        let least = f64::from(Real::from_bits(1));
        let step = length(wide(ray.direction)) * (f64::from(hit.t).abs() * ROUNDING).max(least);
        if at.length() < 1e3 * size
            && let Some(near) = query::project_point(shape, pose, vec3(at))
            && !has_parts(shape)
        {
            let off = f64::from(near.distance).abs();
            assert!(off <= 1e3 * tolerance + 8.0 * step, "{off:e} {hit:?} {near:?} {}", context());
        }
    }
    match (first, every.first()) {
        (Some(first), Some(hit)) => assert_eq!(first.t, hit.t, "{first:?} {every:?} {}", context()),
        (None, None) => {}
        _ => panic!("{first:?} {every:?} {}", context()),
    }
}
