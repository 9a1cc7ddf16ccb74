//! Every cell of the matrix: each pair of shapes, each question, and what the answers owe each
//! other.

use crate::zoo::shapes;
use carom_math::{Pose, Quat, Vec3, tol};
use carom_query::{
    ManifoldCache, Outcome, Shape, Workspace, clearance_violations, contact, distance, distance_cached,
    intersects, manifolds, nearer_than, project_point,
};
use carom_testkit::random::Random;

fn random_pose(random: &mut Random, reach: f64) -> Pose {
    let mut unit = || random.range(-1.0, 1.0) as f32;
    let q = Quat::from_xyzw(unit(), unit(), unit(), unit());
    let rotation = if q.length() < 0.1 { Quat::IDENTITY } else { q.normalize() };
    Pose::new(rotation, Vec3::new(unit(), unit(), unit()) * reach as f32)
}

/// The point lies on the shape, to rounding; on a field, as near as two samples tell, and on what
/// is against a field, as near as its support map tells.
fn is_on(shape: &Shape, pose: &Pose, point: Vec3, other: &Shape) -> bool {
    let slack = match (shape, other) {
        (Shape::Field(field), _) => 2.0 * field.error_bound() as f32 + slack_of(shape),
        (_, Shape::Field(_)) => 5e-3,
        _ => 2e-5,
    };
    project_point(shape, pose, point).unwrap().distance.abs() < slack
}

/// A length: two ways to ask a field may differ by twice as much as a search leaves open.
fn slack_of(shape: &Shape) -> f32 {
    if let Shape::Field(field) = shape { (2.0 * tol::FIELD_SEARCH * field.resolution()) as f32 } else { 0.0 }
}

fn check_pair(a: (&str, &Shape), b: (&str, &Shape), random: &mut Random) -> (u32, u32) {
    let slack = match (a.1, b.1) {
        // Whose searches may end before they are done.
        (Shape::Field(a), Shape::Field(b)) => 2.0 * (a.error_bound() + b.error_bound()) as f32,
        (Shape::Torus(_), Shape::Field(b)) | (Shape::Field(b), Shape::Torus(_)) => {
            4.0 * b.error_bound() as f32
        }
        _ => slack_of(a.1) + slack_of(b.1),
    };
    let (mut n_apart, mut n_together) = (0, 0);
    for round in 0..40 {
        let pose_a = random_pose(random, 1.0);
        let mut pose_b = random_pose(random, 1.0);
        pose_b.translation = pose_a.translation + pose_b.translation * (0.3 + 0.045 * round as f32);
        let what = format!("{} against {}, {pose_a:?}, {pose_b:?}", a.0, b.0);
        let d = distance(a.1, &pose_a, b.1, &pose_b);
        let meets = intersects(a.1, &pose_a, b.1, &pose_b);
        assert!(d.outcome != Outcome::Undecided, "{what}");
        let is_close = d.distance <= slack && 0.0 < slack;
        assert!(is_close || meets == (d.distance == 0.0), "sign: {what}: {d:?}");
        // Swapped: the same answer, mirrored.
        let back = distance(b.1, &pose_b, a.1, &pose_a);
        assert!((back.distance - d.distance).abs() <= 2e-6 + slack, "swap: {what}: {d:?} {back:?}");
        assert!(is_close || meets == intersects(b.1, &pose_b, a.1, &pose_a), "swap: {what}");
        let near = contact(a.1, &pose_a, b.1, &pose_b, 0.05);
        let mut list = Vec::new();
        manifolds(a.1, &pose_a, b.1, &pose_b, 0.05, &mut ManifoldCache::new(), &mut list);
        if meets || d.distance == 0.0 {
            n_together += 1;
            let near = near.unwrap_or_else(|| panic!("no contact: {what}"));
            assert!(near.contact.distance <= 1e-6 + slack, "{what}: {near:?}");
        } else {
            n_apart += 1;
            assert!(
                is_on(a.1, &pose_a, d.point_a, b.1) && is_on(b.1, &pose_b, d.point_b, a.1),
                "points: {what}: {d:?}"
            );
            assert!((d.point_a.distance(d.point_b) - d.distance).abs() < 1e-5, "{what}: {d:?}");
            assert!((d.normal.length() - 1.0).abs() < 1e-4, "{what}: {d:?}");
            let is_at_limit = (d.distance - 0.05).abs() <= slack && 0.0 < slack;
            assert!(
                is_at_limit || near.is_some() == (d.distance <= 0.05),
                "prediction: {what}: {d:?} {near:?}"
            );
            if let Some(near) = near {
                assert!((near.contact.distance - d.distance).abs() < 2e-6 + slack, "{what}: {d:?} {near:?}");
            }
        }
        for c in list.iter().flat_map(|m| m.contacts()) {
            assert!(c.distance <= 0.05 + 1e-5 && c.normal.is_finite(), "{what}: {c:?}");
            let along = (c.point_b - c.point_a).dot(c.normal);
            assert!((along - c.distance).abs() < 1e-4 * (1.0 + along.abs()), "{what}: {c:?}");
        }
        let both_flat = a.0 == "half-space" && b.0 == "half-space";
        if !both_flat && near.is_some_and(|near| near.contact.distance < 0.04) {
            assert!(!list.is_empty(), "no manifold: {what}: {near:?}");
        }
    }
    (n_apart, n_together)
}

/// A body that was never turned saves the products with its rotation. One that is turned by the
/// other quaternion of no turn does not.
#[test]
fn what_is_not_turned_gives_the_same_numbers_sooner() {
    let shapes = shapes();
    let mut random = Random::new(8);
    let mut n_near = 0;
    for a in &shapes {
        for b in &shapes {
            for round in 0..10 {
                let pose_a = Pose::from_translation(random_pose(&mut random, 1.0).translation);
                let turned = Pose::new(Quat::from_xyzw(0.0, 0.0, 0.0, -1.0), pose_a.translation);
                let mut pose_b = random_pose(&mut random, 1.0);
                pose_b.translation = pose_a.translation + pose_b.translation * (0.3 + 0.15 * round as f32);
                let query = |pose_a: &Pose| {
                    let mut list = Vec::new();
                    manifolds(&a.1, pose_a, &b.1, &pose_b, 0.05, &mut ManifoldCache::new(), &mut list);
                    let near = contact(&a.1, pose_a, &b.1, &pose_b, 0.05);
                    (distance(&a.1, pose_a, &b.1, &pose_b), near, list)
                };
                let own = query(&pose_a);
                assert_eq!(own, query(&turned), "{} against {}, {pose_a:?}, {pose_b:?}", a.0, b.0);
                n_near += usize::from(!own.2.is_empty());
            }
        }
    }
    assert!(shapes.len() * shapes.len() < n_near, "{n_near}");
}

#[test]
fn every_pair_answers_every_question() {
    let shapes = shapes();
    let mut random = Random::new(7);
    for a in &shapes {
        for b in &shapes {
            let (n_apart, n_together) = check_pair((a.0, &a.1), (b.0, &b.1), &mut random);
            // The mix is fair, but for half-spaces, which hardly ever miss each other.
            assert!(3 <= n_together, "{} {}: {n_together} together", a.0, b.0);
            assert!(
                3 <= n_apart || (a.0 == "half-space" && b.0 == "half-space"),
                "{} {}: {n_apart} apart",
                a.0,
                b.0
            );
        }
    }
}

/// The depth of two convex bodies separates them: moved by it, and a little more, they are apart.
#[test]
fn moving_by_the_depth_separates() {
    let shapes = shapes();
    let mut random = Random::new(8);
    let convex: Vec<_> = shapes.iter().filter(|s| s.1.is_convex()).collect();
    let mut n_deep = 0;
    for a in &convex {
        for b in &convex {
            for _ in 0..30 {
                let pose_a = random_pose(&mut random, 0.4);
                let pose_b = random_pose(&mut random, 0.4);
                let Some(near) = contact(&a.1, &pose_a, &b.1, &pose_b, 0.0) else { continue };
                assert!(!near.is_local);
                n_deep += 1;
                let shift = near.contact.normal * (1e-5 - near.contact.distance);
                let away = Pose::new(pose_b.rotation, pose_b.translation + shift);
                assert!(!intersects(&a.1, &pose_a, &b.1, &away), "{} {}: {near:?}", a.0, b.0);
                let too_short = near.contact.normal * (-near.contact.distance - 1e-4);
                if near.contact.distance < -2e-4 {
                    let still = Pose::new(pose_b.rotation, pose_b.translation + too_short);
                    assert!(intersects(&a.1, &pose_a, &b.1, &still), "{} {}: {near:?}", a.0, b.0);
                }
            }
        }
    }
    assert!(1000 < n_deep);
}

/// A power of two in all lengths is the same power of two in the answer, bit for bit.
#[test]
fn scaling_by_a_power_of_two_scales_the_answer() {
    use carom_geom::{Capsule, Cuboid};
    let mut random = Random::new(9);
    for _ in 0..200 {
        let pose_a = random_pose(&mut random, 1.0);
        let pose_b = random_pose(&mut random, 1.5);
        let at = |scale: f32| {
            let a = Shape::Cuboid(Cuboid::new(Vec3::new(0.5, 0.4, 0.3) * scale).unwrap());
            let b = Shape::Capsule(Capsule::new(0.5 * scale, 0.25 * scale).unwrap());
            let scaled = |p: &Pose| Pose::new(p.rotation, p.translation * scale);
            let d = distance(&a, &scaled(&pose_a), &b, &scaled(&pose_b));
            let c = contact(&a, &scaled(&pose_a), &b, &scaled(&pose_b), 1.0 * scale).map(|c| c.contact);
            (d.distance / scale, d.point_a / scale, c.map(|c| (c.distance / scale, c.normal)))
        };
        let one = at(1.0);
        for scale in [2.0_f32.powi(20), 2.0_f32.powi(-20), 2.0_f32.powi(-40)] {
            assert_eq!(one, at(scale));
        }
    }
}

/// A pose with a NaN or an infinity proves nothing: no query says that the shapes are apart.
#[test]
fn no_shapes_are_apart_at_a_pose_that_is_not_finite() {
    let bad = [
        Pose::from_translation(Vec3::new(0.0, f32::NAN, 0.0)),
        Pose::from_translation(Vec3::new(f32::INFINITY, 0.0, 0.0)),
        Pose::from_translation(Vec3::new(0.0, 0.0, f32::NEG_INFINITY)),
        Pose { rotation: Quat::from_xyzw(f32::NAN, 0.0, 0.0, 1.0), translation: Vec3::X * 9.0 },
        Pose { rotation: Quat::from_xyzw(0.0, 0.0, f32::INFINITY, 1.0), translation: Vec3::X * 9.0 },
    ];
    let (all, mut memory, mut violations) = (shapes(), Workspace::default(), Vec::new());
    for ((name_a, a), (name_b, b)) in all.iter().flat_map(|a| all.iter().map(move |b| (a, b))) {
        for pose in &bad {
            for (in_a, in_b) in [(pose, &Pose::IDENTITY), (&Pose::IDENTITY, pose), (pose, pose)] {
                let what = format!("{name_a} at {in_a:?} and {name_b} at {in_b:?}");
                let found = distance(a, in_a, b, in_b);
                assert_eq!((found.outcome, found.at_least()), (Outcome::Undecided, None), "{what}");
                let cached =
                    distance_cached(a, in_a, b, in_b, &mut ManifoldCache::new(), &mut Workspace::default());
                assert_eq!(cached, found, "{what}");
                assert!(intersects(a, in_a, b, in_b), "{what}");
                let near = contact(a, in_a, b, in_b, 0.1).unwrap();
                assert_eq!((near.outcome, near.contact.distance), (Outcome::Undecided, 0.0), "{what}");
                let nearer = nearer_than(a, in_a, b, in_b, 0.1, &mut memory);
                assert_eq!(nearer.map(|near| near.outcome), Some(Outcome::Undecided), "{what}");
                violations.clear();
                clearance_violations(a, in_a, b, in_b, 0.1, &mut |_, _| 0.1, &mut memory, &mut violations);
                assert_eq!(violations.len(), 1, "{what}");
            }
        }
    }
}
