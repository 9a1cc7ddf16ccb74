//! Box against box: depth against all fifteen axes by projection, and what a manifold promises.

use carom_geom::Manifold;
use carom_math::{Pose, Quat, Vec3};
use carom_sat::box_box;
use carom_testkit::oracle::sat;
use glam::DVec3;
use proptest::prelude::*;

pub(crate) fn oracle(half_a: Vec3, half_b: Vec3, b_in_a: &Pose) -> (f64, DVec3) {
    let wide = b_in_a.wide();
    let a = sat::box_corners(half_a.as_dvec3(), |p| p);
    let b = sat::box_corners(half_b.as_dvec3(), |p| wide.transform_point(p));
    let own = [DVec3::X, DVec3::Y, DVec3::Z];
    let turned = own.map(|e| wide.transform_vector(e));
    sat::least_overlap(&a, &b, sat::all_axes(&own, &own, &turned, &turned)).unwrap()
}

/// Distance outside the box's surface, negative inside.
pub(crate) fn surface_distance(half: Vec3, p: DVec3) -> f64 {
    let d = p.abs() - half.as_dvec3();
    d.max(DVec3::ZERO).length() + d.max_element().min(0.0)
}

/// Checks the promises of every manifold of boxes.
fn check(half_a: Vec3, half_b: Vec3, b_in_a: &Pose, prediction: f32) -> Option<Manifold> {
    let size = f64::from((half_a + half_b).length()) + b_in_a.translation.as_dvec3().length();
    let rounding = 4e-7 * size;
    let (overlap, _) = oracle(half_a, half_b, b_in_a);
    let found = box_box::separation(half_a, half_b, &b_in_a.wide()).unwrap();
    // Rounded down to `f32`, so it stays a lower bound.
    let rounded = -1.2e-7 * overlap.abs() - 1e-12 * size..=1e-12 * size;
    assert!(rounded.contains(&(f64::from(found.distance) + overlap)), "{found:?} {overlap}");
    let manifold = box_box::manifold(half_a, half_b, b_in_a, prediction);
    if overlap < -f64::from(prediction) - 1e-12 * size {
        assert!(manifold.is_none());
        return None;
    }
    let Some(manifold) = manifold else {
        // Between the largest gap on an axis and the true distance.
        assert!(overlap < 1e-12 * size, "no manifold at overlap {overlap}");
        return None;
    };
    assert!((1..=4).contains(&manifold.contacts().len()));
    assert!((manifold.normal().length() - 1.0).abs() < 1e-6);
    let deepest = f64::from(manifold.deepest().unwrap().distance);
    if 0.0 < overlap {
        assert!((deepest + overlap).abs() <= rounding, "deepest {deepest} of {overlap}: {manifold:?}");
    } else {
        assert!(-overlap - rounding <= deepest);
    }
    for contact in manifold.contacts() {
        assert!(contact.distance <= prediction);
        let (a, b) = (contact.point_a.as_dvec3(), contact.point_b.as_dvec3());
        let outside_a = surface_distance(half_a, a);
        let outside_b = surface_distance(half_b, b_in_a.wide().inverse_transform_point(b));
        assert!(outside_a.abs() <= rounding, "A {outside_a} {contact:?}");
        assert!(outside_b.abs() <= rounding, "B {outside_b} {contact:?}");
        let along = (b - a).dot(contact.normal.as_dvec3());
        assert!(
            (along - f64::from(contact.distance)).abs() <= rounding,
            "along {along} {contact:?} {half_a} {half_b} {b_in_a:?}"
        );
        // Edges that are all of a flat face, nearly parallel, touch along a stretch, whose ends may
        // lie a little beside each other.
        let is_flat = |half: Vec3| half.min_element() == 0.0;
        let slack = if is_flat(half_a) && is_flat(half_b) { 0.02 * size } else { 3.0 * rounding };
        let across = ((b - a) - contact.normal.as_dvec3() * along).length();
        assert!(across <= slack, "across {across} {contact:?}");
    }
    let swapped = box_box::separation(half_b, half_a, &b_in_a.wide().inverse()).unwrap();
    assert!((swapped.distance - found.distance).abs() <= 2.4e-7 * found.distance.abs() + 1e-12 * size as f32);
    Some(manifold)
}

pub(crate) fn half() -> impl Strategy<Value = Vec3> {
    let side =
        prop_oneof![4 => 0.1f32..2.0, 1 => Just(0.5), 1 => Just(0.0), 1 => 1e-4f32..1e-3, 1 => 10.0f32..1e4];
    [side.clone(), side.clone(), side].prop_map(Vec3::from)
}

pub(crate) fn turn() -> impl Strategy<Value = Quat> {
    let free = [-1.0f32..1.0, -1.0..1.0, -1.0..1.0, 0.01..1.0]
        .prop_map(|[x, y, z, w]| Quat::from_xyzw(x, y, z, w).normalize());
    let small = [-1e-4f32..1e-4, -1e-4..1e-4, -1e-4..1e-4]
        .prop_map(|[x, y, z]| Quat::from_xyzw(x, y, z, 1.0).normalize());
    let axis = (0u32..24).prop_map(|k| {
        let quarter = std::f32::consts::FRAC_PI_2;
        Quat::from_rotation_y(quarter * (k % 4) as f32) * Quat::from_rotation_x(quarter * (k / 4 % 4) as f32)
    });
    let eighth = (0u32..8).prop_map(|k| Quat::from_rotation_y(std::f32::consts::FRAC_PI_4 * k as f32));
    prop_oneof![4 => free, 2 => small, 1 => Just(Quat::IDENTITY), 1 => axis, 1 => eighth]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn agrees_with_fifteen_axes(
        half_a in half(), half_b in half(), rotation in turn(),
        toward in [-1.0f32..1.0, -1.0..1.0, -1.0..1.0], reach in 0.0f32..1.3, prediction in prop_oneof![Just(0.0f32), 0.0f32..0.2],
    ) {
        let translation = Vec3::from(toward) * (half_a + half_b) * reach;
        check(half_a, half_b, &Pose::new(rotation, translation), prediction);
    }

    #[test]
    fn scales_to_the_bit(
        half_a in half(), half_b in half(), rotation in turn(),
        toward in [-1.0f32..1.0, -1.0..1.0, -1.0..1.0], exponent in -20i32..20,
    ) {
        let translation = Vec3::from(toward) * (half_a + half_b);
        let scale = 2f32.powi(exponent);
        let one = box_box::manifold(half_a, half_b, &Pose::new(rotation, translation), 0.125);
        let other = box_box::manifold(half_a * scale, half_b * scale, &Pose::new(rotation, translation * scale), 0.125 * scale);
        prop_assert_eq!(one.is_some(), other.is_some());
        if let (Some(one), Some(other)) = (one, other) {
            prop_assert_eq!(one.normal(), other.normal());
            prop_assert_eq!(one.contacts().len(), other.contacts().len());
            for (p, q) in one.contacts().iter().zip(other.contacts()) {
                // Numbers below the normal range have fewer bits.
                let same = |p: Vec3, q: Vec3| (p * scale).cmpeq(q) | q.abs().cmplt(Vec3::splat(1e-30));
                prop_assert!(same(p.point_a, q.point_a).all() && same(p.point_b, q.point_b).all());
                prop_assert_eq!(p.distance * scale, q.distance);
                prop_assert_eq!((p.feature_a, p.feature_b), (q.feature_a, q.feature_b));
            }
        }
    }
}

/// Boxes stacked face to face in a turned frame: the sign is that of the gap.
#[test]
fn signs_of_touching_boxes() {
    let half = Vec3::splat(0.5);
    for k in 0..500 {
        let angle = k as f32 * 0.7;
        let turn = Quat::from_rotation_y(angle);
        for gap in [0.0, 1e-6, -1e-6, 1e-3, -1e-3] {
            let pose = Pose::new(turn, Vec3::new(0.1, 1.0 + gap, -0.2));
            let manifold = check(half, half, &pose, 0.01).unwrap();
            assert_eq!(manifold.normal(), Vec3::Y);
            assert_eq!(manifold.contacts().len(), 4, "turn {angle} gap {gap}");
            assert!((manifold.deepest().unwrap().distance - (pose.translation.y - 1.0)).abs() < 1e-9);
            let exact = box_box::manifold(half, half, &pose, 0.0);
            assert_eq!(exact.is_some(), pose.translation.y <= 1.0);
        }
    }
}

#[test]
fn face_on_face_gives_four_contacts_edge_on_edge_one() {
    let half = Vec3::splat(0.5);
    let aligned = check(half, half, &Pose::from_translation(Vec3::new(0.0, 0.99, 0.0)), 0.0).unwrap();
    assert_eq!(aligned.contacts().len(), 4);
    let quarter = std::f32::consts::FRAC_PI_4;
    // B stands on an edge along x, A's edge along z is turned up.
    let turn = Quat::from_rotation_z(quarter).conjugate() * (Quat::from_rotation_x(quarter));
    let up = Quat::from_rotation_z(quarter).conjugate() * Vec3::new(0.0, 1.40, 0.0);
    let crossing = check(half, half, &Pose::new(turn, up), 0.0).unwrap();
    assert_eq!(crossing.contacts().len(), 1);
    let corner = Quat::from_rotation_arc(Vec3::ONE.normalize(), Vec3::NEG_Y);
    let standing = check(half, half, &Pose::new(corner, Vec3::new(0.1, 0.5 + 0.86, 0.1)), 0.0).unwrap();
    assert_eq!(standing.contacts().len(), 1);
    let on_edge = Pose::new(Quat::from_rotation_x(quarter), Vec3::new(0.0, 1.2, 0.0));
    assert_eq!(check(half, half, &on_edge, 0.0).unwrap().contacts().len(), 2);
}

#[test]
fn identical_and_degenerate_boxes() {
    let shapes = [
        Vec3::splat(0.5),
        Vec3::new(1.0, 0.0, 1.0),
        Vec3::new(1.0, 0.0, 0.0),
        Vec3::ZERO,
        Vec3::new(1e-4, 1e4, 1e-4),
        Vec3::new(1e4, 1e-4, 1e4),
    ];
    for a in shapes {
        for b in shapes {
            check(a, b, &Pose::IDENTITY, 0.0);
            check(a, b, &Pose::from_translation(Vec3::new(0.0, a.y + b.y, 0.0)), 0.0);
            check(a, b, &Pose::from_rotation(Quat::from_rotation_x(0.3)), 0.0);
        }
    }
}

#[test]
fn numbers_that_are_none_give_nothing() {
    let half = Vec3::splat(0.5);
    for bad in [f32::NAN, f32::INFINITY] {
        assert!(
            box_box::manifold(half, half, &Pose::from_translation(Vec3::new(bad, 0.0, 0.0)), 0.1).is_none()
        );
        assert!(box_box::manifold(Vec3::new(bad, 1.0, 1.0), half, &Pose::IDENTITY, 0.1).is_none());
        let turn = Quat::from_xyzw(bad, 0.0, 0.0, 1.0);
        assert!(box_box::manifold(half, half, &Pose::from_rotation(turn), 0.1).is_none());
    }
    assert!(
        box_box::manifold(half, half, &Pose::from_rotation(Quat::from_xyzw(0.0, 0.0, 0.0, 0.0)), 0.1)
            .is_none()
    );
}

/// A box that trembles on a slab keeps its feature ids, whichever face is the reference.
#[test]
fn ids_last_under_small_motion() {
    let (slab, half) = (Vec3::new(3.0, 0.5, 3.0), Vec3::splat(0.5));
    let ids = |pose: &Pose| -> Vec<_> {
        let manifold = check(slab, half, pose, 0.02).unwrap();
        manifold.contacts().iter().map(|c| (c.feature_a, c.feature_b)).collect()
    };
    let rest = Pose::new(Quat::from_rotation_y(0.4), Vec3::new(0.3, 0.998, 0.1));
    let first = ids(&rest);
    assert_eq!(first.len(), 4);
    for k in 0..200 {
        let shake = |m: f32| ((k as f32) * m).sin() * 1e-3;
        let turn = Quat::from_rotation_x(shake(1.3)) * Quat::from_rotation_z(shake(2.1)) * rest.rotation;
        let pose = Pose::new(turn, rest.translation + Vec3::new(shake(0.7), shake(3.1) * 0.5, shake(1.9)));
        assert_eq!(ids(&pose), first, "shake {k}");
    }
}

/// Two bodies side by side diagonally, apart by less than the prediction: the contact has the true
/// distance.
#[test]
fn r1_corner_to_corner_within_the_prediction() {
    let half = Vec3::splat(0.5);
    let pose = Pose::from_translation(Vec3::new(1.03, 1.04, 0.0));
    let manifold = check(half, half, &pose, 0.1).unwrap();
    assert!((manifold.deepest().unwrap().distance - 0.05).abs() < 1e-6);
    assert!((manifold.normal() - Vec3::new(0.6, 0.8, 0.0)).length() < 1e-5);
    assert!(box_box::manifold(half, half, &pose, 0.045).is_none());
}

/// A point less far from a thread than has a square touches it.
#[cfg(feature = "f64")]
#[test]
fn apart_by_the_least_number() {
    let pose =
        carom_math::f64::Pose { rotation: glam::DQuat::IDENTITY, translation: DVec3::new(5.0, 5e-324, 0.0) };
    let thread = DVec3::new(7.0, 0.0, 0.0);
    let manifold = carom_sat::f64::box_box::manifold(thread, DVec3::ZERO, &pose, 7.0).unwrap();
    assert!(manifold.normal().is_finite() && manifold.deepest().unwrap().distance <= 5e-324);
}

/// A turn too small for the square of its sine: edges that are parallel for all that matters.
#[cfg(feature = "f64")]
#[test]
fn edges_parallel_but_for_underflow() {
    let turn = glam::DQuat::from_xyzw(0.0, 0.0, 3.596891662310794e-162, 1.0);
    let translation = DVec3::new(-118.8125, 7.193783324621588e-162, 9619907837539.182);
    let pose = carom_math::f64::Pose { rotation: turn, translation };
    let found = carom_sat::f64::box_box::separation(DVec3::ZERO, DVec3::ZERO, &pose.wide()).unwrap();
    assert_eq!(found.distance, translation.z);
}

/// A splinter that a box forty million times as long as wide has swallowed: the contact is as deep
/// as the way out.
#[cfg(feature = "f64")]
#[test]
fn a_splinter_in_a_long_box() {
    let turn = glam::DQuat::from_xyzw(
        0.22549019607843138,
        0.3431372549019608,
        0.9117647058823529,
        0.00980392156862745,
    );
    let pose = carom_math::f64::Pose { rotation: turn, translation: DVec3::new(-2.0, 0.0, 0.0) };
    let splinter = DVec3::new(1.0539886935401985e-23, 1.401298464324817e-45, 0.0);
    let long = DVec3::new(7.0, 268435456.0, 2.0);
    let found = carom_sat::f64::box_box::manifold(splinter, long, &pose, 2.0).unwrap();
    assert!((found.deepest().unwrap().distance + 1.1641676425933838).abs() < 1e-6, "{found:?}");
}

/// Edges that are all but parallel, one a little beside the other: a contact was nearer than they
/// are by half the square of the angle.
#[cfg(feature = "f64")]
#[test]
fn a_thread_beside_the_edge_of_a_plate() {
    let turn = glam::DQuat::from_xyzw(
        -0.7070511135686924,
        0.7070511135686924,
        -0.011223033548709403,
        -0.0056115167743547014,
    );
    let pose = carom_math::f64::Pose { rotation: turn, translation: DVec3::new(0.0, 0.0, -1.0) };
    let (plate, thread) = (DVec3::new(0.0, 2.0, 0.5), DVec3::new(29.3203125, 0.0, 0.0));
    let found = carom_sat::f64::box_box::manifold(plate, thread, &pose, 1.0).unwrap();
    let nearest = found.contacts().iter().fold(f64::INFINITY, |least, c| least.min(c.distance));
    assert!((nearest - 0.45224679068044765).abs() < 1e-12, "{found:?}");
}

/// A box that leans on the edge of another holds on to more than the crossing of the two edges.
#[test]
fn crossing_edges_of_boxes_that_face_each_other() {
    let half = Vec3::splat(0.5);
    let mut n_crossing = 0;
    for (k, turn) in (0..24).flat_map(|k| [0.3, 0.7, 1.1].map(|turn| (k, turn))) {
        let tilt = 0.15 + 0.015 * k as f32;
        let rotation =
            Quat::from_rotation_x(tilt) * Quat::from_rotation_y(turn) * Quat::from_rotation_z(tilt);
        for x in [-0.4, -0.2, 0.0, 0.2, 0.4] {
            let mut pose = Pose::new(rotation, Vec3::new(x, 2.0, 0.6));
            // Down until it touches, and a little farther.
            while oracle(half, half, &pose).0 < 0.004 {
                pose.translation.y -= 0.002;
            }
            let found = box_box::separation(half, half, &pose.wide()).unwrap();
            let facing = |rotation: Quat| (rotation.inverse() * found.normal).abs().max_element();
            if found.axis < 6 || facing(Quat::IDENTITY).min(facing(rotation)) < 0.81 {
                continue;
            }
            n_crossing += 1;
            let manifold = check(half, half, &pose, 1.0).unwrap();
            assert!(3 <= manifold.contacts().len(), "{tilt} {turn} {x}: {manifold:?}");
        }
    }
    assert!(10 < n_crossing, "only {n_crossing} edges cross");
}
