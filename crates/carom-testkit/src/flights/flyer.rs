//! Bodies of every convex kind and compounds, with random sizes and proportions.

use carom_geom::{Capsule, Cone, ConvexHull, Cuboid, Cylinder, Ellipsoid, Sphere, TaperedCapsule};
use carom_math::{Pose, Quat, Vec3};
use carom_query::{Compound, CompoundPart, ConvexShape, RoundedShape, Shape};
use carom_scenes::Rng;
use glam::DVec3;
use std::sync::Arc;

/// The kinds of bodies.
pub(super) const KINDS: [&str; 14] = [
    "ball",
    "box",
    "rod",
    "plate",
    "needle",
    "disc",
    "cylinder",
    "cone",
    "capsule",
    "hull",
    "tapered",
    "ellipsoid",
    "rounded",
    "compound",
];

/// A shape and its extents.
#[derive(Clone, Debug)]
pub(super) struct Flyer {
    pub(super) shape: Shape,
    /// The distance of the farthest point from the origin of the shape.
    pub(super) radius: f64,
    /// Half of the least thickness.
    pub(super) thin: f64,
}

/// Returns a random number whose logarithm is uniform.
pub(super) fn log_range(rng: &mut Rng, min: f64, max: f64) -> f64 {
    (min.ln() + (max / min).ln() * rng.unit()).exp()
}

/// Returns a random body of this kind.
pub(super) fn flyer(kind: usize, rng: &mut Rng) -> Flyer {
    // One in eight is thinner than the slop of the solver.
    let least = if rng.below(8) == 0 { 1e-3 } else { 6e-3 };
    let thin = log_range(rng, least, 0.25);
    let long = thin * log_range(rng, 3.0, 12.0);
    let about = thin * rng.range(1.0, 2.5);
    let v = |x: f64, y: f64, z: f64| Vec3::new(x as f32, y as f32, z as f32);
    let capsule = |h: f64, r: f64| Shape::Capsule(Capsule::new(h as f32, r as f32).unwrap());
    let cuboid = |half: Vec3| Shape::Cuboid(Cuboid::new(half).unwrap());
    let cylinder = |h: f64, r: f64| Shape::Cylinder(Cylinder::new(h as f32, r as f32).unwrap());
    let (shape, radius, thin) = match KINDS[kind] {
        "ball" => (Shape::Sphere(Sphere::new(thin as f32).unwrap()), thin, thin),
        "box" => {
            let half = DVec3::new(thin, about, thin * rng.range(1.0, 2.5));
            (cuboid(half.as_vec3()), half.length(), thin)
        }
        "rod" => (cuboid(v(long, thin, thin)), DVec3::new(long, thin, thin).length(), thin),
        "plate" => (cuboid(v(long, thin, about + long)), DVec3::new(long, thin, about + long).length(), thin),
        "needle" => (capsule(2.0 * long, thin), 2.0 * long + thin, thin),
        "disc" => (cylinder(thin, long), thin.hypot(long), thin),
        "cylinder" => (cylinder(about, thin), thin.hypot(about), thin),
        // The ball in a cone is smaller than its base.
        "cone" => {
            let (h, r) = (about, about * rng.range(0.5, 2.0));
            let inner = 2.0 * h * r / (r + r.hypot(2.0 * h));
            (Shape::Cone(Cone::new(h as f32, r as f32).unwrap()), r.hypot(h), inner)
        }
        "capsule" => (capsule(about, thin), about + thin, thin),
        "hull" => {
            let scale = DVec3::new(thin, about, about) * 2.0;
            let points: Vec<Vec3> =
                (0..rng.below(24) + 8).map(|_| (rng.direction() * scale).as_vec3()).collect();
            match ConvexHull::from_points(&points) {
                Ok(hull) => {
                    let radius = hull.vertices().iter().map(|v| v.as_dvec3().length()).fold(0.0, f64::max);
                    let inner = hull.inscribed_radius();
                    (Shape::Hull(Arc::new(hull)), radius, inner)
                }
                Err(_) => (cuboid(v(thin, thin, thin)), thin * 3.0_f64.sqrt(), thin),
            }
        }
        "tapered" => {
            let upper = thin * rng.range(1.0, 2.0);
            let taper = TaperedCapsule::new(long as f32, upper as f32, thin as f32).unwrap();
            (Shape::TaperedCapsule(taper), long + upper, thin)
        }
        "ellipsoid" => {
            let radii = DVec3::new(thin, about, long);
            (Shape::Ellipsoid(Ellipsoid::new(radii.as_vec3()).unwrap()), long.max(about), thin)
        }
        "rounded" => {
            let core = ConvexShape::new(cuboid(v(0.5 * thin, about, about))).unwrap();
            let shape = RoundedShape::new(core, (0.5 * thin) as f32).unwrap();
            (
                Shape::Rounded(Arc::new(shape)),
                DVec3::new(0.5 * thin, about, about).length() + 0.5 * thin,
                thin,
            )
        }
        _ => {
            // A chain of parts, each overlapping the one before.
            let mut parts = Vec::new();
            let mut at = DVec3::ZERO;
            for _ in 0..rng.below(3) + 2 {
                let part = match rng.below(3) {
                    0 => Shape::Sphere(Sphere::new(thin as f32).unwrap()),
                    1 => cuboid(v(thin, about, thin)),
                    _ => capsule(about, thin),
                };
                let q = rng.rotation();
                let pose = Pose {
                    rotation: Quat::from_array(q.to_array().map(|x| x as f32)).normalize(),
                    translation: at.as_vec3(),
                };
                parts.push(CompoundPart { shape: part, pose });
                at += rng.direction() * (1.5 * thin);
            }
            let compound = Compound::new(parts).unwrap();
            let aabb =
                compound.parts().iter().map(|p| p.pose.translation.as_dvec3().length()).fold(0.0, f64::max);
            (Shape::Compound(Arc::new(compound)), aabb + 2.0 * about + thin, thin)
        }
    };
    Flyer { shape, radius, thin }
}
