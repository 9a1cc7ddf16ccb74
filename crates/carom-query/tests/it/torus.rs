//! Tori against closed forms and against dense samples of their circles.

use carom_geom::TriMesh;
use carom_math::{Pose, Quat, Vec3};
use carom_query::{
    ImpactSettings, ManifoldCache, MeshShape, Outcome, Shape, TimeOfImpact, cast, contact, distance,
    intersects, manifolds, motion_of, project_point,
};
use carom_testkit::random::Random;
use std::sync::Arc;

const MAJOR: f32 = 0.4;
const MINOR: f32 = 0.15;

fn ring() -> Shape {
    Shape::torus(MAJOR, MINOR).unwrap()
}

fn random_pose(random: &mut Random, reach: f32) -> Pose {
    let turn = Quat::from_scaled_axis(random.cube_point().as_vec3() * 3.0);
    Pose::new(turn, random.cube_point().as_vec3() * reach)
}

/// Points of the circle in the world.
fn circle(pose: &Pose, n: u32) -> impl Iterator<Item = Vec3> {
    let pose = *pose;
    (0..n).map(move |k| {
        let (sin, cos) = (core::f64::consts::TAU * f64::from(k) / f64::from(n)).sin_cos();
        pose.transform_point(Vec3::new(cos as f32, 0.0, sin as f32) * MAJOR)
    })
}

#[test]
fn a_ball_is_as_far_as_its_centre() {
    let mut random = Random::new(1);
    for round in 0..400 {
        let (pose, position) = (random_pose(&mut random, 1.0), random.cube_point().as_vec3());
        let at = Pose::from_translation(position);
        for (radius, ball) in [0.0, 0.1, 0.7].map(|r| (r, Shape::sphere(r).unwrap())) {
            let expected = project_point(&ring(), &pose, position).unwrap().distance - radius;
            let found = contact(&ring(), &pose, &ball, &at, 1e9).unwrap().contact;
            assert!((found.distance - expected).abs() < 1e-6, "{round}: {found:?} {expected}");
            assert_eq!(intersects(&ring(), &pose, &ball, &at), found.distance <= 0.0);
            let swapped = contact(&ball, &at, &ring(), &pose, 1e9).unwrap().contact;
            assert!(
                (swapped.distance - expected).abs() < 1e-6 && (swapped.normal + found.normal).length() < 1e-3
            );
        }
    }
}

/// A box, a mesh and another torus are as near as the nearest point of the circle.
#[test]
fn other_shapes_are_as_far_as_the_circle() {
    let mut random = Random::new(2);
    let cube = Shape::cuboid(Vec3::new(0.3, 0.2, 0.1)).unwrap();
    let corners =
        [Vec3::new(0.5, 0.0, 0.1), Vec3::new(-0.4, 0.3, 0.0), Vec3::new(0.0, -0.2, 0.5), Vec3::ONE * -0.3];
    let mesh = TriMesh::new(corners.to_vec(), vec![[0, 1, 2], [0, 1, 3]]).unwrap();
    let mesh = Shape::Mesh(Arc::new(MeshShape::new(mesh).unwrap()));
    let others = [cube, mesh, Shape::torus(0.6, 0.05).unwrap(), Shape::cylinder(0.2, 0.3).unwrap()];
    let point = Shape::sphere(0.0).unwrap();
    let (mut n_apart, mut n_deep) = (0, 0);
    for other in &others {
        for round in 0..60 {
            let (pose, at) =
                (random_pose(&mut random, 0.2), random_pose(&mut random, 0.2 + 0.02 * round as f32));
            // The distance of a torus goes on inside.
            let is_torus = matches!(other, Shape::Torus(_));
            let from = |position: Vec3| match project_point(other, &at, position) {
                Some(on) if is_torus => on.distance,
                _ => distance(&point, &Pose::from_translation(position), other, &at).distance,
            };
            let least = circle(&pose, 4000).map(from).fold(f32::INFINITY, f32::min);
            let found = contact(&ring(), &pose, other, &at, 1e9).unwrap();
            let depth = found.contact.distance;
            let what = format!("{} round {round}: {found:?} {least}", other.name());
            assert!(found.outcome != Outcome::Undecided, "{what}");
            // Samples of the circle are up to 3e-4 apart.
            assert!(depth <= least - MINOR + 1e-6 && least - MINOR - 3.2e-4 < depth, "{what}");
            if 0.0 < depth {
                n_apart += 1;
                let on_ring = project_point(&ring(), &pose, found.contact.point_a).unwrap().distance;
                let on_other = project_point(other, &at, found.contact.point_b).unwrap().distance;
                assert!(on_ring.abs() < 1e-5 && on_other.abs() < 1e-5, "{what}");
            } else {
                n_deep += 1;
                assert!((found.contact.normal.length() - 1.0).abs() < 1e-5, "{what}");
            }
        }
    }
    assert!(60 < n_apart && 20 < n_deep, "{n_apart} {n_deep}");
}

#[test]
fn the_hole_is_free() {
    let upright = Pose::IDENTITY;
    let pin = Shape::cylinder(2.0, MAJOR - MINOR - 0.01).unwrap();
    assert!(!intersects(&ring(), &upright, &pin, &upright));
    let gap = distance(&ring(), &upright, &pin, &upright).distance;
    assert!((gap - 0.01).abs() < 1e-5, "{gap}");
    // Two links of a chain.
    let turned = Pose::new(Quat::from_rotation_x(1.5), Vec3::X * MAJOR);
    assert!(!intersects(&ring(), &upright, &ring(), &turned));
    let gap = distance(&ring(), &upright, &ring(), &turned).distance;
    assert!((gap - (MAJOR - 2.0 * MINOR)).abs() < 5e-3, "{gap}");
}

/// Wherever the circle is equally near everywhere, the search ends all the same.
#[test]
fn coaxial_shapes_are_answered() {
    let disc = Shape::cylinder(0.1, 0.7).unwrap();
    for (height, expected) in [(0.5, 0.5 - 0.1 - MINOR), (0.2, 0.2 - 0.1 - MINOR), (0.05, -MINOR)] {
        let at = Pose::from_translation(Vec3::Y * height);
        let found = contact(&ring(), &Pose::IDENTITY, &disc, &at, 1e9).unwrap().contact;
        assert!((found.distance - expected).abs() < 1e-5, "{height}: {found:?}");
    }
    let wide = Shape::torus(1.0, 0.1).unwrap();
    let found = contact(&ring(), &Pose::IDENTITY, &wide, &Pose::IDENTITY, 1e9).unwrap().contact;
    assert!((found.distance - (0.6 - 0.1 - MINOR)).abs() < 1e-5, "{found:?}");
    let same = contact(&ring(), &Pose::IDENTITY, &ring(), &Pose::IDENTITY, 1e9).unwrap().contact;
    assert!((same.distance + 2.0 * MINOR).abs() < 1e-5 && same.normal.is_finite(), "{same:?}");
}

#[test]
fn it_lies_on_a_floor_on_several_points() {
    let floor = Shape::half_space(Vec3::Y).unwrap();
    let slab = Shape::cuboid(Vec3::new(2.0, 0.5, 2.0)).unwrap();
    for (ground, at) in [(&floor, Pose::IDENTITY), (&slab, Pose::from_translation(Vec3::Y * -0.5))] {
        let mut list = Vec::new();
        let lying = Pose::from_translation(Vec3::Y * (MINOR - 1e-3));
        manifolds(ground, &at, &ring(), &lying, 0.01, &mut ManifoldCache::new(), &mut list);
        let contacts: Vec<_> = list.iter().flat_map(|manifold| manifold.contacts()).collect();
        assert!(3 <= contacts.len(), "{}: {list:?}", ground.name());
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for touch in &contacts {
            assert!((touch.distance + 1e-3).abs() < 2e-4 && 0.999 < touch.normal.y, "{touch:?}");
            (low, high) = (low.min(touch.point_b), high.max(touch.point_b));
        }
        // They are all around, so that it does not tilt.
        assert!(
            low.max_element() < 0.0 || (low.x < -0.2 && low.z < -0.2 && 0.2 < high.x && 0.2 < high.z),
            "{list:?}"
        );
    }
}

/// A ring falls over a peg, and on its top if it is a little aside.
#[test]
fn a_ring_falls_over_a_peg() {
    let peg = Shape::cylinder(1.0, 0.2).unwrap();
    let still = motion_of(&Pose::IDENTITY, Vec3::ZERO, Vec3::ZERO, Vec3::ZERO).unwrap();
    let falls = |x: f32| {
        let start = Pose::from_translation(Vec3::new(x, 3.0, 0.0));
        let motion = motion_of(&start, Vec3::ZERO, Vec3::Y * -2.5, Vec3::Y).unwrap();
        cast(&ring(), &motion, &peg, &still, &ImpactSettings::default())
    };
    assert!(matches!(falls(0.0), TimeOfImpact::Clear(_)), "{:?}", falls(0.0));
    // The circle passes over the rim of the peg: the ball of its tube meets the top.
    let TimeOfImpact::Hit(hit) = falls(0.4) else { panic!("{:?}", falls(0.4)) };
    let expected = (3.0 - 1.0 - f64::from(MINOR)) / 2.5;
    assert!((hit.t_lo - expected).abs() < 1e-3 && (hit.t_hi - expected).abs() < 1e-3, "{hit:?} {expected}");
}
