//! Masses of shapes: each as its own, rounded ones by what they are, compounds as sums.

use crate::zoo::{rounded, shapes};
use carom_geom::{Capsule, Cuboid, MassProperties, Sphere};
use carom_math::{Pose, Vec3};
use carom_query::{Compound, CompoundPart, ConvexShape, NotConvex, Shape};
use std::sync::Arc;

fn close(a: &MassProperties, b: &MassProperties) {
    assert!((a.mass - b.mass).abs() <= 1e-6 * a.mass, "{a:?} {b:?}");
    assert!((a.center - b.center).length() <= 1e-6, "{a:?} {b:?}");
    let difference = a.inertia - b.inertia;
    assert!(difference.to_cols_array().iter().all(|x| x.abs() <= 2e-6 * a.mass), "{a:?} {b:?}");
}

#[test]
fn solids_weigh_and_surfaces_do_not() {
    for (name, shape) in shapes() {
        let mass = shape.mass_properties(2.0).mass;
        let is_solid = !["half-space", "user", "height field"].contains(&name);
        assert_eq!(0.0 < mass, is_solid, "{name} {mass}");
        // A convex shape with a mass has more mass with a skin.
        if is_solid && shape.is_convex() {
            assert!(mass < rounded(shape.clone(), 0.1).mass_properties(2.0).mass, "{name}");
            close(&shape.mass_properties(2.0), &rounded(shape, 0.0).mass_properties(2.0));
        }
    }
}

#[test]
fn skins_add_up() {
    let ball = Shape::Sphere(Sphere::new(0.75).unwrap());
    let twice = rounded(rounded(Shape::Sphere(Sphere::new(0.25).unwrap()), 0.25), 0.25);
    close(&ball.mass_properties(3.0), &twice.mass_properties(3.0));
    let capsule = Shape::Capsule(Capsule::new(0.5, 0.25).unwrap());
    let thread = rounded(Shape::Cuboid(Cuboid::new(Vec3::Y * 0.5).unwrap()), 0.25);
    close(&capsule.mass_properties(3.0), &thread.mass_properties(3.0));
    // A quarter on each side of a hull of a box is what it is of the box.
    let half = Vec3::new(0.5, 0.25, 1.0);
    let corner = |i: u32| {
        half * Vec3::new(
            if i & 1 == 0 { 1.0 } else { -1.0 },
            if i & 2 == 0 { 1.0 } else { -1.0 },
            if i & 4 == 0 { 1.0 } else { -1.0 },
        )
    };
    let corners: Vec<Vec3> = (0..8).map(corner).collect();
    let hull = Shape::Hull(Arc::new(carom_geom::ConvexHull::from_points(&corners).unwrap()));
    let cuboid = Shape::Cuboid(Cuboid::new(half).unwrap());
    close(&rounded(cuboid, 0.25).mass_properties(3.0), &rounded(hull, 0.25).mass_properties(3.0));
}

#[test]
fn compounds_are_sums() {
    let ball = Shape::Sphere(Sphere::new(0.5).unwrap());
    let at = |x: f32| CompoundPart { shape: ball.clone(), pose: Pose::from_translation(Vec3::X * x) };
    let pair =
        Shape::Compound(Arc::new(Compound::new(vec![at(-2.0), at(2.0)]).unwrap())).mass_properties(1.0);
    let one = ball.mass_properties(1.0);
    assert!((pair.mass - 2.0 * one.mass).abs() < 1e-6 && pair.center.length() < 1e-6);
    assert!((pair.inertia.y_axis.y - 2.0 * (one.inertia.y_axis.y + 4.0 * one.mass)).abs() < 1e-5);
    // If parts overlap, their mass counts twice.
    let same = Shape::Compound(Arc::new(Compound::new(vec![at(0.0), at(0.0)]).unwrap())).mass_properties(1.0);
    assert!((same.mass - 2.0 * one.mass).abs() < 1e-6);
}

#[test]
fn only_convex_shapes_have_skins() {
    for (_, shape) in shapes() {
        let is_convex = shape.is_convex();
        match ConvexShape::new(shape) {
            Ok(core) => assert!(is_convex && core.shape().is_convex()),
            Err(NotConvex) => assert!(!is_convex),
        }
    }
}
