//! Manifolds of balls, capsules and boxes: the closed forms give what the general search gives for
//! the same shapes.

use carom_geom::{Capsule, Cuboid, Manifold, Sphere};
use carom_math::{Pose, Quat, Vec3};
use carom_query::{ManifoldCache, Shape, UserShape, manifolds};
use carom_testkit::conform::dice::Dice;
use glam::{DQuat, DVec3};
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

fn single_manifold(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Option<Manifold> {
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
            let (fast, slow) = (
                single_manifold(&a, &pose_a, &b, &pose_b),
                single_manifold(&user_a, &pose_a, &user_b, &pose_b),
            );
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
            // If two ways out are equally short, either will do; the normal says which one it is.
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
    // Beside the box's middle, deep enough that the segment itself is in the box, and just
    // touching.
    for y in [0.76, 0.75, 0.7, 0.45] {
        let pose = Pose::new(lying, Vec3::new(0.3, y, 0.4));
        for (a, b, sign) in [(&brick, &rod, 1.0), (&rod, &brick, -1.0)] {
            let (pose_a, pose_b) = if sign > 0.0 { (Pose::IDENTITY, pose) } else { (pose, Pose::IDENTITY) };
            let m = single_manifold(a, &pose_a, b, &pose_b).unwrap();
            assert_eq!(m.contacts().len(), 2, "{y}: {m:?}");
            assert!((m.normal() - Vec3::Y * sign).length() < 1e-6);
            for c in m.contacts() {
                assert!((c.distance - (y - 0.75)).abs() < 1e-6, "{y}: {c:?}");
                assert!(((c.point_a.x - 0.3).abs() - 0.7).abs() < 1e-5, "{y}: {c:?}");
            }
        }
    }
}

/// Centres so near each other that the square of their distance has no digits: the normal was 0.5 %
/// too long.
#[test]
fn balls_that_are_all_but_concentric() {
    use carom_query::f64::{Shape, contact};

    let ball = |radius| Shape::Sphere(carom_geom::f64::Sphere::new(radius).unwrap());
    for offset in [-6.320323505302903e-162, 5e-324, 1e-200, 1e-152, -1e-150, 1e-20] {
        let there = carom_math::f64::Pose::from_translation(DVec3::new(0.0, offset, 0.0));
        let found =
            contact(&ball(1.0), &carom_math::f64::Pose::IDENTITY, &ball(7.0), &there, 0.0).unwrap().contact;
        assert!((found.normal - DVec3::Y * offset.signum()).length() < 1e-15, "{offset:e}: {found:?}");
        assert!((found.distance + 8.0).abs() < 1e-14, "{found:?}");
    }
}

/// A long capsule that leans a little over a box much smaller than itself, or over the edge of one:
/// the normal was that of the face, or had the rounding of the place on the capsule, and the
/// capsule's end, far away, reached beyond it by 2e-7 of 3,000.
#[test]
fn a_capsule_that_leans_over_a_speck() {
    use carom_geom::SupportMap;
    use carom_geom::f64::{Capsule, Cuboid};
    use carom_math::f64::Pose;
    use carom_query::f64::{Shape, contact};

    let at = DVec3::new;
    let cases = [
        (
            Capsule::new(175.61090087890625, 3393.242431640625).unwrap(),
            Cuboid::new(at(0.00017614915850572288, 0.00014003731484990567, 1.9481820323630217e-10)).unwrap(),
            Pose::new(
                DQuat::from_xyzw(-6.83974177186777e-10, -4.167914836968017e-9, 4.154461282709028e-9, 1.0),
                at(8.756727061524822e-10, 2.1225984890354807e-9, -2.732121644672023e-9),
            ),
            false,
        ),
        (
            Capsule::new(1022.3092041015625, 960.6278076171875).unwrap(),
            Cuboid::new(at(1.46030855178833, 1.7744004726409912, 4.520943093666574e-6)).unwrap(),
            Pose::new(
                DQuat::from_xyzw(
                    -1.489658884394131e-7,
                    -8.660976007904236e-8,
                    9.857078951506516e-8,
                    0.9999999999999805,
                ),
                at(-7.435050145457162e-6, -0.0007723970249967009, -0.0018287989980431453),
            ),
            true,
        ),
    ];
    for (rod, brick, there, is_brick_first) in cases {
        let maps: [&dyn SupportMap; 2] = if is_brick_first { [&brick, &rod] } else { [&rod, &brick] };
        let mut shapes = [Shape::Capsule(rod), Shape::Cuboid(brick)];
        if is_brick_first {
            shapes.reverse();
        }
        let found = contact(&shapes[0], &Pose::IDENTITY, &shapes[1], &there, 0.0).unwrap().contact;
        let (normal, pose) = (found.normal, there.wide());
        // How far the two are apart along the normal: minus the depth, where it is the normal of
        // the depth.
        let back = -pose.inverse_transform_vector(normal);
        let top = maps[0].support(normal).point.dot(normal) + maps[0].margin();
        let bottom = pose.transform_point(maps[1].support(back).point).dot(normal) - maps[1].margin();
        let size = maps[0].radius() + maps[1].radius();
        assert!((bottom - top - found.distance).abs() <= 1e-13 * size, "{} {found:?}", bottom - top);
    }
}

/// Shapes and places that are ugly on purpose, in one precision.
macro_rules! ugly {
    ($name:ident, $geom:path, $math:path, $query:path, $real:ty, $rounding:expr) => {
        mod $name {
            use super::{DVec3, Dice};
            use geom::{Capsule, Cuboid, Manifold, Sphere};
            use math::{Pose, Quat, Vec3};
            use query::{ManifoldCache, Shape, contact, manifolds, project_point};
            use $geom as geom;
            use $math as math;
            use $query as query;

            /// A length from nothing over thin to long.
            fn length(dice: &mut Dice) -> $real {
                [0.0, 1e-4, 0.25, 0.5, 1.0, 1e3][dice.below(6)]
            }

            fn shape(kind: usize, [x, y, z]: [$real; 3], scale: $real) -> Shape {
                match kind {
                    0 => Shape::Sphere(Sphere::new(x * scale).unwrap()),
                    1 => Shape::Capsule(Capsule::new(x * scale, y * scale).unwrap()),
                    _ => Shape::Cuboid(Cuboid::new(Vec3::new(x, y, z) * scale).unwrap()),
                }
            }

            /// By quarters and eighths, which make axes parallel, nearly so, or any.
            fn turn(dice: &mut Dice) -> Quat {
                let axis = [Vec3::X, Vec3::Y, Vec3::Z][dice.below(3)];
                let tilt = [0.0, 0.0, 1e-12, 1e-6, 0.01, 0.3][dice.below(6)];
                let eighth = core::f64::consts::FRAC_PI_4 as $real;
                let quarters = Quat::from_axis_angle(axis, eighth * [0, 2, 4, 1][dice.below(4)] as $real);
                quarters * Quat::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), tilt)
            }

            fn wide(v: Vec3) -> DVec3 {
                DVec3::new(v.x.into(), v.y.into(), v.z.into())
            }

            fn single_manifold(
                a: &Shape,
                pose_a: &Pose,
                b: &Shape,
                pose_b: &Pose,
                prediction: $real,
            ) -> Option<Manifold> {
                let mut out = Vec::new();
                manifolds(a, pose_a, b, pose_b, prediction, &mut ManifoldCache::new(), &mut out);
                assert!(out.len() <= 1);
                out.pop()
            }

            #[test]
            fn ugly_pairs_keep_what_a_manifold_promises() {
                let mut dice = Dice::new(5);
                let (mut n_some, mut n_deep, mut n_touching) = (0, 0, 0);
                let rounds = 6000;
                for round in 0..rounds {
                    let kinds = [dice.below(3), dice.below(3)];
                    if kinds == [2, 2] {
                        continue;
                    }
                    let sizes = [0, 1].map(|_| [0, 1, 2].map(|_| length(&mut dice)));
                    let [a, b] = [0, 1].map(|i| shape(kinds[i], sizes[i], 1.0));
                    let pose_a =
                        Pose::new(turn(&mut dice), Vec3::new(0.0, 0.5, -2.0) * dice.below(2) as $real);
                    // Concentric, along an axis of A by what makes faces or ends just touch, or
                    // anywhere.
                    let along = [Vec3::X, Vec3::Y, Vec3::Z][dice.below(3)];
                    let reach = sizes[0][dice.below(3)] + sizes[1][dice.below(3)];
                    let position = match dice.below(4) {
                        0 => Vec3::ZERO,
                        1 => along * reach,
                        2 => along * reach + Vec3::new(0.25, 0.0, 0.5),
                        _ => wide_point(&mut dice),
                    };
                    let own = Pose::new(turn(&mut dice), position);
                    let pose_b = pose_a * own;
                    let prediction = [0.0, 0.25][dice.below(2)];
                    let context = format!("{round}: {a:?} {b:?} {pose_a:?} {pose_b:?} {prediction}");
                    let size: f64 = sizes.iter().flatten().map(|x| f64::from(*x)).sum::<f64>()
                        + wide(pose_a.translation).length()
                        + wide(pose_b.translation).length();
                    let rounding = $rounding * size;
                    let manifold = single_manifold(&a, &pose_a, &b, &pose_b, prediction);
                    let nearest = contact(&a, &pose_a, &b, &pose_b, prediction).map(|c| c.contact);
                    let mirrored = single_manifold(&b, &pose_b, &a, &pose_a, prediction);
                    let deepest = |m: &Option<Manifold>| m.as_ref().map(|m| m.deepest().unwrap().distance);
                    let near = |x: Option<$real>, y: Option<$real>| match (x, y) {
                        (Some(x), Some(y)) => f64::from(x - y).abs() <= rounding,
                        // Just at the limit.
                        (Some(x), None) | (None, Some(x)) => f64::from(x - prediction).abs() <= rounding,
                        (None, None) => true,
                    };
                    let depth = deepest(&manifold);
                    assert!(near(depth, nearest.map(|c| c.distance)), "{depth:?} {nearest:?} {context}");
                    assert!(near(depth, deepest(&mirrored)), "{depth:?} {mirrored:?} {context}");
                    // The same in units that are a power of two as large.
                    let scale: $real = 1048576.0;
                    let [large_a, large_b] = [0, 1].map(|i| shape(kinds[i], sizes[i], scale));
                    let moved = |pose: &Pose| Pose::new(pose.rotation, pose.translation * scale);
                    let large = single_manifold(
                        &large_a,
                        &moved(&pose_a),
                        &large_b,
                        &moved(&pose_b),
                        prediction * scale,
                    );
                    let Some(manifold) = manifold else {
                        assert!(large.is_none(), "{large:?} {context}");
                        continue;
                    };
                    let large = large.unwrap();
                    assert_eq!(manifold.contacts().len(), large.contacts().len(), "{context}");
                    for (c, l) in manifold.contacts().iter().zip(large.contacts()) {
                        assert_eq!((c.distance * scale, c.normal), (l.distance, l.normal), "{context}");
                        // But for coordinates that are too small to be stored.
                        let lost = f64::from(<$real>::MIN_POSITIVE) * f64::from(scale);
                        for (own, large) in [(c.point_a, l.point_a), (c.point_b, l.point_b)] {
                            let off = wide(own * scale) - wide(large);
                            assert!(off.abs().max_element() <= lost, "{c:?} {l:?} {context}");
                        }
                        assert_eq!((c.feature_a, c.feature_b), (l.feature_a, l.feature_b), "{context}");
                    }
                    n_some += 1;
                    n_deep += usize::from(depth.unwrap() < 0.0);
                    n_touching += usize::from(f64::from(depth.unwrap()).abs() <= rounding);
                    assert!((1..=3).contains(&manifold.contacts().len()), "{manifold:?} {context}");
                    for c in manifold.contacts() {
                        assert_eq!(c.normal, manifold.normal(), "{context}");
                        assert!((wide(c.normal).length() - 1.0).abs() <= $rounding, "{c:?} {context}");
                        assert!(c.distance <= prediction, "{c:?} {context}");
                        let along = (wide(c.point_b) - wide(c.point_a)).dot(wide(c.normal));
                        assert!((along - f64::from(c.distance)).abs() <= rounding, "{c:?} {context}");
                        for (shape, pose, point) in [(&a, &pose_a, c.point_a), (&b, &pose_b, c.point_b)] {
                            let off = f64::from(project_point(shape, pose, point).unwrap().distance).abs();
                            assert!(off <= rounding, "{off:e} off: {c:?} {context}");
                        }
                    }
                }
                println!("{n_some} manifolds, {n_deep} deep, {n_touching} touching");
                assert!(rounds / 3 < n_some && rounds / 5 < n_deep && rounds / 50 < n_touching);
            }

            fn wide_point(dice: &mut Dice) -> Vec3 {
                Vec3::new(
                    dice.range(-1.0, 1.0) as $real,
                    dice.range(-1.0, 1.0) as $real,
                    dice.range(-1.0, 1.0) as $real,
                )
            }
        }
    };
}

ugly!(single, carom_geom, carom_math, carom_query, f32, 2e-6);
ugly!(double, carom_geom::f64, carom_math::f64, carom_query::f64, f64, 1e-12);

/// The normal came from the difference of points that rounding had left: up to 1.7e-7 of the size
/// off.
#[test]
fn capsules_whose_axes_all_but_cross_part_across_both() {
    use carom_query::f64 as wide;
    let mut dice = Dice::new(9);
    for exponent in 0..60 {
        let turn = DQuat::from_scaled_axis(dice.point(3.0).as_dvec3());
        let other = turn * DQuat::from_axis_angle(DVec3::X, f64::from(dice.range(0.4, 1.5)));
        let gap = (-f64::from(exponent)).exp2();
        let capsule = wide::Shape::Capsule(carom_geom::f64::Capsule::new(1.0, 0.5).unwrap());
        let across = turn * DVec3::X;
        let pose = |rotation, at| carom_math::f64::Pose::new(rotation, at);
        let at = turn * DVec3::new(gap, 0.3, 0.0) + other * DVec3::new(0.0, 0.2, 0.0);
        let found = wide::contact(&capsule, &pose(turn, DVec3::ZERO), &capsule, &pose(other, at), 0.0);
        if let Some(found) = found.filter(|_| gap < 1.0) {
            let off = found.contact.normal.cross(across).length();
            assert!(off < 1e-11, "a gap of 2^-{exponent}: off by {off}");
            // Below rounding either side is out.
            assert!(exponent > 40 || found.contact.normal.dot(across) > 0.0, "2^-{exponent}: the wrong side");
            assert!(
                (found.contact.distance - (gap - 1.0)).abs() < 1e-14,
                "2^-{exponent}: {:?}",
                found.contact
            );
        } else {
            assert!(exponent == 0);
        }
    }
}

/// Rounding left the normal of capsules in each other, their axes parallel or crossing to rounding,
/// a part along the axes: by it the ends were in each other still.
#[test]
fn the_normal_of_capsules_whose_axes_meet_parts_them() {
    use carom_query::f64 as wide;
    let mut dice = Dice::new(10);
    let tiny = |dice: &mut Dice| f64::from(dice.range(1.0, 2.0)) * (-f64::from(dice.below(56) as u32)).exp2();
    let (mut worst, mut n_near) = (0.0_f64, 0);
    let rounds = if std::env::var_os("CAROM_SLOW").is_some() { 2_000_000 } else { 60_000 };
    for _ in 0..rounds {
        let half = [0; 2].map(|_| f64::from(dice.range(0.1, 2.0)));
        let radius = [0; 2].map(|_| tiny(&mut dice));
        let shapes =
            [0, 1].map(|i| wide::Shape::Capsule(carom_geom::f64::Capsule::new(half[i], radius[i]).unwrap()));
        let turn = DQuat::from_scaled_axis(dice.point(3.0).as_dvec3());
        let other =
            turn * DQuat::from_axis_angle(DVec3::X, if dice.one_in(4) { 0.0 } else { tiny(&mut dice) });
        // Crossing in the middle or elsewhere, and beside each other by much or next to nothing.
        let mut at = DVec3::X * tiny(&mut dice);
        if dice.one_in(2) {
            at += DVec3::Y * f64::from(dice.range(-1.0, 1.0));
        }
        let poses = [(turn, DVec3::ZERO), (other, turn * at)].map(|(r, t)| carom_math::f64::Pose::new(r, t));
        let reach = 10.0 * (half[0] + half[1]);
        let Some(found) = wide::contact(&shapes[0], &poses[0], &shapes[1], &poses[1], reach) else {
            panic!("nothing is so far apart")
        };
        let (normal, distance) = (found.contact.normal, found.contact.distance);
        let extent = |i: usize| half[i] * (poses[i].rotation * DVec3::Y).dot(normal).abs() + radius[i];
        let room = poses[1].translation.dot(normal) - extent(0) - extent(1);
        n_near += usize::from(distance + radius[0] + radius[1] < 1e-9);
        worst = worst.max(distance - room);
        assert!(distance - room < 1e-13, "{distance:e} but {room:e}: {half:?} {radius:?} {poses:?}");
    }
    println!("{worst:e}, {n_near} with axes that meet, all but");
    assert!(rounds / 20 < n_near);
}
