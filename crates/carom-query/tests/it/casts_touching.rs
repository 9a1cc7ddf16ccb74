//! Casts of shapes that touch exactly at the start, with the target distance 0.

use carom_geom::f64 as wide_geom;
use carom_math::{Pose, Vec3};
use carom_query::{ImpactSettings, Motion, Shape, TimeOfImpact, cast};
use glam::{DQuat, DVec3};

/// The eight corners of a box.
fn corners(half: Vec3) -> Vec<Vec3> {
    let side = |i: u32, bit: u32| if i & bit == 0 { -1.0 } else { 1.0 };
    (0..8).map(|i| half * Vec3::new(side(i, 1), side(i, 2), side(i, 4))).collect()
}

fn mesh(half: Vec3) -> Shape {
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = quads.iter().flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]).collect();
    Shape::mesh(corners(half), triangles).unwrap()
}

/// Shapes that reach from -1 to 1 along x, and less far by `side` along y and z where they can.
fn shapes(side: f32) -> Vec<Shape> {
    let half = Vec3::new(1.0, side, side);
    vec![
        Shape::sphere(1.0).unwrap(),
        Shape::capsule(0.5, 1.0).unwrap(),
        Shape::cylinder(side, 1.0).unwrap(),
        Shape::cuboid(half).unwrap(),
        Shape::hull(&corners(half)).unwrap(),
        Shape::ellipsoid(half).unwrap(),
        mesh(half),
        Shape::compound(vec![(Shape::cuboid(half).unwrap(), Pose::IDENTITY)]).unwrap(),
        Shape::compound(vec![(mesh(half), Pose::IDENTITY)]).unwrap(),
    ]
}

fn moving(at: DVec3, velocity: DVec3, spin: DVec3) -> Motion {
    Motion::new(DQuat::IDENTITY, at, DVec3::ZERO, velocity, spin).unwrap()
}

/// They are in contact at the time 0, and this is proved a little later. The answer is the same
/// for both values of `stop_at_penetration`, and with A and B exchanged.
#[test]
fn shapes_that_touch_and_close_are_hits() {
    let still = moving(DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
    let mut n = 0;
    let mut check = |a: &Shape, b: &Shape, motion: &Motion| {
        for stops in [true, false] {
            let settings = ImpactSettings::default().with_stop_at_penetration(stops);
            let answers =
                [cast(a, &still, b, motion, &settings), cast(b, motion, a, &still, &settings).swapped()];
            for answer in answers {
                let hit =
                    answer.hit().unwrap_or_else(|| panic!("{a:?} {b:?} {motion:?} {stops}: {answer:?}"));
                // The tolerance is a ten thousandth of the radius, at a speed of about 1.
                assert!(hit.t_lo == 0.0 && hit.t_hi < 1e-3, "{a:?} {b:?}: {hit:?}");
                assert!(0.99 < hit.normal.x, "{a:?} {b:?}: {hit:?}");
                n += 1;
            }
        }
    };
    for a in shapes(1.0) {
        for b in shapes(0.5) {
            for velocity in [-DVec3::X, DVec3::new(-0.01, 1.0, 0.0), DVec3::new(-0.5, 0.0, 0.5)] {
                check(&a, &b, &moving(DVec3::X * 2.0, velocity, DVec3::ZERO));
            }
        }
    }
    let floor = Shape::half_space(Vec3::X).unwrap();
    for b in shapes(0.5) {
        check(&floor, &b, &moving(DVec3::X, DVec3::new(-0.5, 0.5, 0.0), DVec3::ZERO));
    }
    assert_eq!(n, 4 * (81 * 3 + 9));
}

/// A box that turns on its edge into another one that its side touches.
#[test]
fn a_box_that_turns_into_another_one_is_a_hit() {
    let half = Vec3::new(1.0, 0.5, 0.5);
    let still = moving(DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
    let turning = moving(DVec3::X * 2.0, DVec3::ZERO, DVec3::Z * 0.5);
    for (a, b) in [
        (Shape::cuboid(Vec3::ONE).unwrap(), Shape::cuboid(half).unwrap()),
        (mesh(Vec3::ONE), Shape::cuboid(half).unwrap()),
        (mesh(Vec3::ONE), mesh(half)),
    ] {
        let answer = cast(&a, &still, &b, &turning, &ImpactSettings::default());
        let hit = answer.hit().unwrap_or_else(|| panic!("{} {}: {answer:?}", a.name(), b.name()));
        assert!(hit.t_lo == 0.0 && hit.t_hi < 1e-2, "{hit:?}");
    }
}

/// Touching shapes that slide or separate are no hits. Convex ones are clear if a contact at the
/// start does not count.
#[test]
fn shapes_that_touch_and_slide_are_no_hits() {
    let still = moving(DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
    for a in shapes(1.0) {
        for b in shapes(0.5) {
            for velocity in [DVec3::X, DVec3::Y, DVec3::new(0.5, 1.0, 0.0), DVec3::ZERO] {
                let motion = moving(DVec3::X * 2.0, velocity, DVec3::ZERO);
                for stops in [true, false] {
                    let settings = ImpactSettings::default().with_stop_at_penetration(stops);
                    let answer = cast(&a, &still, &b, &motion, &settings);
                    let names = [a.name(), b.name()];
                    assert!(answer.hit().is_none(), "{names:?} {velocity} {stops}: {answer:?}");
                    let is_clear = matches!(answer, TimeOfImpact::Clear(_));
                    let are_convex = a.is_convex() && b.is_convex();
                    assert!(stops || is_clear || !are_convex, "{names:?} {velocity}: {answer:?}");
                }
            }
        }
    }
}

/// The same in `f64`, and for faces that meet in flight: a point of time that is not the start.
#[test]
fn shapes_of_f64_that_meet_are_hits() {
    use carom_query::f64 as wide;
    let cube = |half: f64| wide::Shape::Cuboid(wide_geom::Cuboid::new(DVec3::splat(half)).unwrap());
    let still = moving(DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
    for distance in [1.5, 2.0, 3.0] {
        let motion = moving(DVec3::X * distance, -DVec3::X, DVec3::ZERO);
        let settings = ImpactSettings::default().with_max_time(2.0);
        let answer = wide::cast(&cube(1.0), &still, &cube(0.5), &motion, &settings);
        let hit = answer.hit().unwrap();
        let truth = distance - 1.5;
        assert!(hit.t_lo <= truth && truth <= hit.t_hi && hit.t_hi - hit.t_lo < 1e-3, "{hit:?}");
    }
}
