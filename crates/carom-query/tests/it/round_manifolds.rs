//! Manifolds of balls, capsules and boxes: the closed forms give what the general search gives for the same shapes.

use carom_geom::{Capsule, Cuboid, Manifold, Sphere};
use carom_math::{Pose, Quat, Vec3};
use carom_query::{ManifoldCache, Shape, UserShape, manifolds};
use carom_testkit::conform::dice::Dice;
use std::sync::Arc;

/// A shape twice: by its name, and as a support map of which nothing else is known.
fn shape(dice: &mut Dice, kind: usize) -> (Shape, Shape) {
    let (r, h) = (dice.range(0.1, 0.6), if dice.one_in(8) { 0.0 } else { dice.range(0.1, 1.2) });
    match kind {
        0 => {
            let ball = Sphere::new(r).unwrap();
            (Shape::Sphere(ball), Shape::User(Arc::new(ball) as UserShape))
        }
        1 => {
            let rod = Capsule::new(h, r).unwrap();
            (Shape::Capsule(rod), Shape::User(Arc::new(rod) as UserShape))
        }
        _ => {
            let half = Vec3::new(r, dice.range(0.2, 1.0), dice.range(0.2, 1.0));
            let brick = Cuboid::new(half).unwrap();
            (Shape::Cuboid(brick), Shape::User(Arc::new(brick) as UserShape))
        }
    }
}

/// A turn: any, one by quarters, or nearly that.
fn turn(dice: &mut Dice) -> Quat {
    let quarter = core::f32::consts::FRAC_PI_2;
    let axis = [Vec3::X, Vec3::Y, Vec3::Z][dice.below(3)];
    match dice.below(3) {
        0 => Quat::from_scaled_axis(dice.point(3.0)),
        1 => Quat::from_axis_angle(axis, quarter * dice.below(4) as f32),
        _ => {
            let nearly = Quat::from_scaled_axis(dice.point(0.02));
            nearly * Quat::from_axis_angle(axis, quarter * dice.below(4) as f32)
        }
    }
}

fn ask(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Option<Manifold> {
    let mut out = Vec::new();
    manifolds(a, pose_a, b, pose_b, 0.05, &mut ManifoldCache::new(), &mut out);
    assert!(out.len() <= 1);
    out.pop()
}

#[test]
fn the_same_contacts_as_the_general_search() {
    let mut dice = Dice::new(11);
    let rounds = if std::env::var_os("CAROM_SLOW").is_some() { 50_000 } else { 1500 };
    let (mut n_none, mut n_one, mut n_two, mut n_compared) = (0, 0, 0, 0);
    for round in 0..rounds {
        for (i, j) in [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (2, 0), (2, 1)] {
            let ((a, user_a), (b, user_b)) = (shape(&mut dice, i), shape(&mut dice, j));
            let pose_a = Pose::new(turn(&mut dice), dice.point(3.0));
            let reach = if dice.one_in(3) { 0.4 } else { 1.3 };
            let own = Pose::new(turn(&mut dice), dice.point(reach));
            let pose_b = pose_a * own;
            let context = format!("{round}: {a:?} {b:?} {own:?}");
            let (fast, slow) = (ask(&a, &pose_a, &b, &pose_b), ask(&user_a, &pose_a, &user_b, &pose_b));
            let (Some(fast), Some(slow)) = (&fast, &slow) else {
                // At the very limit one of the two may have none.
                let distance =
                    [&fast, &slow].into_iter().flatten().next().map(|m| m.deepest().unwrap().distance);
                assert!(distance.is_none_or(|d| (d - 0.05).abs() < 1e-5), "{fast:?} {slow:?} {context}");
                n_none += 1;
                continue;
            };
            let (depth, other) = (fast.deepest().unwrap().distance, slow.deepest().unwrap().distance);
            assert!((depth - other).abs() < 1e-5, "{depth} {other} {context}");
            match fast.contacts().len() {
                1 => n_one += 1,
                // The ends of a stretch, and the deepest place where it tilts.
                2 | 3 => n_two += 1,
                n => panic!("{n} contacts: {context}"),
            }
            for c in fast.contacts() {
                let along = (c.point_b - c.point_a).dot(c.normal);
                assert!((along - c.distance).abs() < 1e-5, "{c:?} {context}");
            }
            // Where two ways out are as short, either will do; a normal says which was taken.
            if (fast.normal() - slow.normal()).length() < 1e-4
                && fast.contacts().len() == slow.contacts().len()
            {
                n_compared += 1;
                for c in fast.contacts() {
                    let apart = |other: &carom_geom::Contact| (other.point_a - c.point_a).length();
                    let nearest = slow.contacts().iter().map(apart).fold(f32::INFINITY, f32::min);
                    // Flat on each other, any point of the stretch in common is a nearest one.
                    let is_stretch = fast.contacts().len() == 1 && own.rotation.w.abs() != 0.5;
                    assert!(nearest < 2e-3 || is_stretch, "{nearest} {fast:?} {slow:?} {context}");
                }
            }
        }
    }
    println!("{n_none} none, {n_one} one, {n_two} two or three contacts, {n_compared} compared");
    let n = 8 * rounds;
    assert!(n / 10 < n_none && n / 10 < n_one && n / 40 < n_two && n / 3 < n_compared);
}

#[test]
fn a_capsule_at_rest_on_a_box_has_two_contacts() {
    let brick = Shape::Cuboid(Cuboid::new(Vec3::new(2.0, 0.5, 2.0)).unwrap());
    let rod = Shape::Capsule(Capsule::new(0.7, 0.25).unwrap());
    let lying = Quat::from_rotation_z(core::f32::consts::FRAC_PI_2);
    // Beside the box's middle, deep enough that the segment itself is in the box, and just touching.
    for y in [0.76, 0.75, 0.7, 0.45] {
        let pose = Pose::new(lying, Vec3::new(0.3, y, 0.4));
        for (a, b, sign) in [(&brick, &rod, 1.0), (&rod, &brick, -1.0)] {
            let (pose_a, pose_b) = if sign > 0.0 { (Pose::IDENTITY, pose) } else { (pose, Pose::IDENTITY) };
            let m = ask(a, &pose_a, b, &pose_b).unwrap();
            assert_eq!(m.contacts().len(), 2, "{y}: {m:?}");
            assert!((m.normal() - Vec3::Y * sign).length() < 1e-6);
            for c in m.contacts() {
                assert!((c.distance - (y - 0.75)).abs() < 1e-6, "{y}: {c:?}");
                assert!(((c.point_a.x - 0.3).abs() - 0.7).abs() < 1e-5, "{y}: {c:?}");
            }
        }
    }
}

/// Centres so near each other that the square of their distance has no digits: the normal was 0.5 % too long.
#[test]
fn balls_that_are_all_but_concentric() {
    use carom_query::f64::{Shape, contact};
    use glam::DVec3;
    let ball = |radius| Shape::Sphere(carom_geom::f64::Sphere::new(radius).unwrap());
    for offset in [-6.320323505302903e-162, 5e-324, 1e-200, 1e-152, -1e-150, 1e-20] {
        let there = carom_math::f64::Pose::from_translation(DVec3::new(0.0, offset, 0.0));
        let found =
            contact(&ball(1.0), &carom_math::f64::Pose::IDENTITY, &ball(7.0), &there, 0.0).unwrap().contact;
        assert!((found.normal - DVec3::Y * offset.signum()).length() < 1e-15, "{offset:e}: {found:?}");
        assert!((found.distance + 8.0).abs() < 1e-14, "{found:?}");
    }
}
