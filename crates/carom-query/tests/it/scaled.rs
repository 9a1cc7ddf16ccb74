//! Scaled shapes are met by scaled rays where the shapes are met by the rays.

use crate::zoo::{box_mesh, shapes};
use carom_geom::{ConvexHull, HullSettings, MeshError, ShapeError};
use carom_math::{Interval, Pose, Quat, Ray, Vec3};
use carom_query::{MeshShape, ScaleError, Shape, cast_ray};
use carom_testkit::random::Random;
use std::sync::Arc;

fn vector(random: &mut Random, size: f64) -> Vec3 {
    let mut x = || random.range(-size, size) as f32;
    Vec3::new(x(), x(), x())
}

/// Casts rays at both, the second ray scaled: each hit has the same place on its ray, and the
/// normal divided by the factors. Near edges and along surfaces rounding decides; few rays go
/// there.
fn compare(name: &str, shape: &Shape, scaled: &Shape, scale: Vec3, random: &mut Random) {
    let (mut n_hits, mut n_other) = (0, 0);
    for _ in 0..400 {
        let (origin, aim) = (vector(random, 2.0).normalize() * 3.0, vector(random, 0.4));
        let ray = Ray::new(origin, aim - origin);
        let image = Ray::new(ray.origin * scale, ray.direction * scale);
        let hits = [(shape, ray), (scaled, image)]
            .map(|(shape, ray)| cast_ray(shape, &Pose::IDENTITY, &ray, Interval::FORWARD));
        match hits {
            [None, None] => {}
            [Some(hit), Some(found)] => {
                n_hits += 1;
                let normal = (hit.normal / scale).normalize();
                let is_same = (hit.t - found.t).abs() < 1e-4 && (normal - found.normal).length() < 1e-3;
                n_other += usize::from(!is_same || hit.is_back_face != found.is_back_face);
            }
            _ => n_other += 1,
        }
    }
    assert!(80 < n_hits && n_other <= 8, "{name} by {scale}: {n_other} of {n_hits} hits differ");
}

#[test]
fn every_shape_takes_equal_factors_and_some_take_others() {
    let mut random = Random::new(11);
    let equal =
        ["sphere", "point cloud", "capsule", "tapered capsule", "rounded cone", "rounded hull", "torus"];
    for (name, shape) in shapes() {
        for k in 0..40 {
            let mut factor = || random.range(0.3, 3.0) as f32;
            let [x, y, z] = [factor(), factor(), factor()];
            let scale = [Vec3::splat(x), Vec3::new(x, y, x), Vec3::new(x, y, z)][k % 3];
            let sign = |bit: usize| if k >> bit & 1 == 0 { 1.0 } else { -1.0 };
            let scale = scale * Vec3::new(sign(0), sign(1), sign(2));
            let result = shape.scaled(scale);
            let is_mirrored = match name {
                "cone" | "rounded cone" => scale.y < 0.0,
                "height field" => scale.min_element() < 0.0,
                _ => false,
            };
            let is_unequal = match k % 3 {
                0 => false,
                1 => equal.contains(&name) || name == "compound",
                _ => equal.contains(&name) || matches!(name, "compound" | "cylinder" | "cone"),
            };
            match result {
                Ok(scaled) => {
                    assert!(!is_mirrored && !is_unequal, "{name} by {scale}");
                    compare(name, &shape, &scaled, scale, &mut random);
                }
                Err(ScaleError::Opaque) => assert!(matches!(name, "user" | "field")),
                Err(ScaleError::Mirrored { .. }) => assert!(is_mirrored, "{name} by {scale}"),
                Err(ScaleError::Unequal { .. } | ScaleError::Sheared { .. }) => {
                    assert!(is_unequal, "{name} by {scale}");
                }
                Err(error) => panic!("{name} by {scale}: {error}"),
            }
        }
    }
}

/// A hull and a mesh in a compound take a shear, which follows from a turn and unequal factors.
#[test]
fn turned_parts_of_a_compound_are_sheared_or_refused() {
    let mut random = Random::new(12);
    let turned =
        Pose::new(Quat::from_rotation_y(0.6) * Quat::from_rotation_x(0.4), Vec3::new(0.2, 0.1, -0.1));
    let mesh = Shape::Mesh(Arc::new(MeshShape::new(box_mesh(Vec3::new(0.4, 0.3, 0.5))).unwrap()));
    let corners: Vec<Vec3> = box_mesh(Vec3::new(0.5, 0.2, 0.3)).vertices().to_vec();
    for part in [mesh, Shape::hull(&corners).unwrap()] {
        let whole = Shape::compound(vec![(part, turned)]).unwrap();
        for scale in [Vec3::new(2.0, 0.5, 1.0), Vec3::new(-1.5, 1.0, 0.7), Vec3::splat(-2.0)] {
            compare("compound", &whole, &whole.scaled(scale).unwrap(), scale, &mut random);
        }
    }
    let block = Shape::compound(vec![(Shape::cuboid(Vec3::new(0.5, 0.4, 0.3)).unwrap(), turned)]).unwrap();
    let error = block.scaled(Vec3::new(2.0, 1.0, 1.0)).unwrap_err();
    assert_eq!(error, ScaleError::Sheared { part: 0 });
    for mirror in [Vec3::new(-1.0, 1.0, 1.0), Vec3::new(1.0, -2.0, 1.0).signum() * 2.0] {
        compare("turned box", &block, &block.scaled(mirror).unwrap(), mirror, &mut random);
    }
}

/// Triangles go on to face outwards: six times the volume that they enclose is positive.
#[test]
fn a_mirror_turns_triangles() {
    let shape = MeshShape::new(box_mesh(Vec3::new(0.4, 0.3, 0.5))).unwrap().with_kept_orientation();
    let volume = |shape: &Shape| {
        let Shape::Mesh(mesh) = shape else { panic!("{shape:?}") };
        let corners = (0..mesh.mesh().n_triangles() as u32).map(|k| mesh.mesh().corners(k));
        corners.map(|[a, b, c]| a.dot(b.cross(c))).sum::<f64>() / 6.0
    };
    let shape = Shape::Mesh(Arc::new(shape));
    let own = volume(&shape);
    assert!((own.abs() - 0.48).abs() < 1e-6, "{own}");
    for scale in [Vec3::new(-1.0, 2.0, 1.0), Vec3::new(-1.0, -2.0, 1.0), Vec3::splat(-3.0)] {
        let scaled = volume(&shape.scaled(scale).unwrap());
        let expected = own * f64::from(scale.x * scale.y * scale.z).abs();
        assert!((scaled - expected).abs() < 1e-5, "{scale}: {scaled}, not {expected}");
    }
}

#[test]
fn errors_name_the_cause() {
    let ball = Shape::sphere(0.5).unwrap();
    for bad in [0.0, f32::NAN, f32::INFINITY] {
        assert_eq!(ball.scaled(Vec3::new(1.0, bad, 1.0)).unwrap_err(), ScaleError::BadFactor);
    }
    let long = ball.scaled(Vec3::new(1.0, 2.0, 1.0)).unwrap_err().to_string();
    assert_eq!(long, "a sphere needs equal factors along x, y and z; a hull or a mesh takes any");
    let huge = Shape::cuboid(Vec3::splat(1e30)).unwrap().scaled(Vec3::splat(1e30)).unwrap_err();
    assert!(matches!(huge, ScaleError::Shape(ShapeError::NotFinite { .. })), "{huge:?}");
    let mesh = Shape::mesh(vec![Vec3::X, Vec3::Y, Vec3::Z], vec![[0, 1, 2]]).unwrap();
    let huge = mesh.scaled(Vec3::splat(1e38)).and_then(|mesh| mesh.scaled(Vec3::splat(1e3))).unwrap_err();
    assert_eq!(huge, ScaleError::Mesh(MeshError::NotFinite { vertex: 0 }));
}

/// Each short form makes the shape of the constructor of its type, and refuses what that refuses.
#[test]
fn short_forms_check_their_numbers() {
    for shape in [
        Shape::sphere(-1.0),
        Shape::capsule(1.0, -1.0),
        Shape::cuboid(Vec3::new(1.0, -1.0, 1.0)),
        Shape::cylinder(-1.0, 1.0),
        Shape::cone(-1.0, 1.0),
        Shape::ellipsoid(Vec3::NEG_ONE),
    ] {
        assert!(matches!(shape, Err(ShapeError::Negative { value: -1.0, .. })), "{shape:?}");
    }
    assert!(matches!(Shape::half_space(Vec3::ZERO), Err(ShapeError::NoDirection { .. })));
    let square = vec![Vec3::ZERO, Vec3::X, Vec3::Z, Vec3::X + Vec3::Z];
    assert_eq!(Shape::hull(&square).unwrap_err().to_string(), "all points lie in a plane");
    let error = Shape::mesh(square, vec![[0, 1, 7]]).unwrap_err();
    assert_eq!(error, MeshError::IndexOutOfRange { triangle: 0, index: 7, n_vertices: 4 });
    assert!(Shape::compound(Vec::new()).is_err());
    let Shape::Capsule(capsule) = Shape::capsule(1.0, 0.25).unwrap() else { panic!("another shape") };
    assert_eq!((capsule.half_height(), capsule.radius()), (1.0, 0.25));
    let Shape::Cone(cone) = Shape::cone(1.0, 0.25).unwrap() else { panic!("another shape") };
    assert_eq!((cone.half_height(), cone.radius()), (1.0, 0.25));
}

/// A hull keeps its faces, whatever the settings it was built with, and so its features.
#[test]
fn r_a_scaled_hull_keeps_its_faces() {
    let cube = (0..8).map(|k| Vec3::from([1, 2, 4].map(|bit| if k & bit == 0 { -1.0 } else { 1.0 })));
    let mut roof: Vec<Vec3> = cube.collect();
    roof.push(Vec3::new(0.0, 1.0 + 3e-7, 0.0));
    for tolerance in [0.0, HullSettings::default().coplanar_tolerance] {
        let settings = HullSettings::default().with_coplanar_tolerance(tolerance);
        let hull = ConvexHull::from_points_with(&roof, &settings).unwrap();
        let shape = Shape::Hull(Arc::new(hull.clone()));
        for scale in [Vec3::ONE, Vec3::splat(0.25), Vec3::new(2.0, 4.0, 1.0)] {
            let Shape::Hull(scaled) = shape.scaled(scale).unwrap() else { panic!("a hull") };
            assert!(scaled.half_edges() == hull.half_edges(), "{tolerance} {scale}");
            let Shape::Hull(mirrored) = shape.scaled(scale * Vec3::new(-1.0, 1.0, 1.0)).unwrap() else {
                panic!("a hull")
            };
            assert_eq!((mirrored.n_faces(), mirrored.n_edges()), (hull.n_faces(), hull.n_edges()));
        }
    }
}

/// The rotation of a part is normalised, as in queries: here its length is above 1 by half a
/// percent.
#[test]
fn r_a_sheared_part_is_as_large_as_its_rotation_says() {
    let corners: Vec<Vec3> =
        (0..8).map(|k| Vec3::from([1, 2, 4].map(|bit| if k & bit == 0 { -1.0 } else { 1.0 }))).collect();
    let turn = Quat::from_rotation_z(0.5);
    let at = |rotation: Quat| {
        let part = (Shape::hull(&corners).unwrap(), Pose::from_rotation(rotation));
        Shape::compound(vec![part]).unwrap().scaled(Vec3::new(1.0, 2.0, 1.0)).unwrap().aabb(&Pose::IDENTITY)
    };
    let (exact, longer) = (at(turn), at(turn * 1.005));
    assert!((exact.max - longer.max).length() < 1e-5, "{exact:?} {longer:?}");
}
