//! Clearances: every pair of parts asked by itself, and the passenger in the seat.

use crate::support::bumpy_sheet;
use crate::zoo::shapes;
use carom_geom::{Capsule, Cuboid, Sphere};
use carom_math::{Pose, Quat, Vec3, tol};
use carom_query::{
    Compound, CompoundPart, MeshShape, Shape, ShapeKind, Workspace, clearance_violations, distance,
    nearer_than,
};
use carom_testkit::random::Random;
use std::sync::Arc;

/// The parts of a shape as shapes of their own, by number, in the frame of the shape.
fn parts(shape: &Shape, pose: &Pose) -> Vec<(Shape, Pose)> {
    let triangles = |mesh: &MeshShape| -> Vec<(Shape, Pose)> {
        let alone = |t: u32| {
            let corners = mesh.mesh().points(t);
            let one = carom_geom::TriMesh::new(corners.to_vec(), vec![[0, 1, 2]]).unwrap();
            (Shape::Mesh(Arc::new(MeshShape::new(one).unwrap())), *pose)
        };
        (0..mesh.mesh().n_triangles() as u32).map(alone).collect()
    };
    if let ShapeKind::Cluster(cluster) = shape.kind() {
        let alone = |number| {
            let (part, center) = cluster.part(number);
            (part.into(), *pose * Pose::from_translation(center.as_vec3()))
        };
        return (0..cluster.n_parts()).map(alone).collect();
    }
    match shape {
        Shape::Mesh(mesh) => triangles(mesh),
        Shape::HeightField(field) => triangles(field.mesh()),
        Shape::Compound(compound) => compound
            .parts()
            .iter()
            .flat_map(|part| {
                let part_pose = Pose::new(
                    (pose.rotation * part.pose.rotation).normalize(),
                    pose.transform_point(part.pose.translation),
                );
                parts(&part.shape, &part_pose)
            })
            .collect(),
        _ => vec![(shape.clone(), *pose)],
    }
}

fn random_pose(random: &mut Random, reach: f32) -> Pose {
    let turn = Quat::from_scaled_axis(random.cube_point().as_vec3() * 2.0);
    Pose::new(turn, random.cube_point().as_vec3() * reach)
}

/// A length: the accuracy of a search in a field.
fn slack_of(shape: &Shape) -> f32 {
    if let Shape::Field(field) = shape { (tol::FIELD_SEARCH * field.resolution()) as f32 } else { 0.0 }
}

/// Clearances that differ from pair to pair, up to 0.3.
fn clearance(part_a: u32, part_b: u32) -> f32 {
    [0.3, 0.05, 0.0, 0.2, 0.1][(part_a * 7 + part_b * 3) as usize % 5]
}

#[test]
fn every_pair_of_parts_by_itself() {
    let shapes = shapes();
    let mut random = Random::new(3);
    let mut memory = Workspace::default();
    let (mut n_violations, mut n_clear) = (0, 0);
    for (name_a, a) in &shapes {
        for (name_b, b) in &shapes {
            for _ in 0..2 {
                let (pose_a, pose_b) = (random_pose(&mut random, 0.2), random_pose(&mut random, 0.9));
                let mut found = Vec::new();
                let mut clearance_of = clearance;
                clearance_violations(a, &pose_a, b, &pose_b, 0.3, &mut clearance_of, &mut memory, &mut found);
                assert!(found.is_sorted_by_key(|violation| (violation.part_a, violation.part_b)));
                let mut violations = found.iter().peekable();
                for (i, (part_a, at_a)) in parts(a, &pose_a).iter().enumerate() {
                    for (j, (part_b, at_b)) in parts(b, &pose_b).iter().enumerate() {
                        let (i, j) = (i as u32, j as u32);
                        let truth = distance(part_a, at_a, part_b, at_b).distance;
                        let limit = clearance(i, j);
                        let violation =
                            violations.next_if(|violation| (violation.part_a, violation.part_b) == (i, j));
                        let what = format!("{name_a} {i} {name_b} {j}: {truth} {limit} {violation:?}");
                        // To the rounding of placing a part by itself, and to what a field is
                        // searched to.
                        let slack = 2e-6 + slack_of(part_a) + slack_of(part_b);
                        assert!(violation.is_some() || limit <= truth + slack, "missing: {what}");
                        if let Some(violation) = violation {
                            assert!(
                                violation.distance < limit && (violation.distance - truth).abs() < slack,
                                "{what}"
                            );
                            let apart = violation.point_a.distance(violation.point_b);
                            assert!((apart - violation.distance).abs() < 2e-6, "{what}");
                            n_violations += 1;
                        } else {
                            n_clear += 1;
                        }
                    }
                }
                assert!(violations.next().is_none(), "{name_a} {name_b}: {found:?}");
                let nearest = distance(a, &pose_a, b, &pose_b);
                let near = nearer_than(a, &pose_a, b, &pose_b, 0.2, &mut memory);
                assert_eq!(near.is_some(), nearest.distance < 0.2, "{name_a} {name_b}");
                assert!(near.is_none_or(|near| (near.distance - nearest.distance).abs() < 1e-6));
            }
        }
    }
    println!("{n_violations} places, {n_clear} clear");
    assert!(1000 < n_violations && 1000 < n_clear);
}

fn part(shape: Shape, x: f32, y: f32) -> CompoundPart {
    CompoundPart { shape, pose: Pose::from_translation(Vec3::new(x, y, 0.0)) }
}

fn cuboid(x: f32, y: f32, z: f32) -> Shape {
    Shape::Cuboid(Cuboid::new(Vec3::new(x, y, z) * 0.5).unwrap())
}

/// A passenger may touch cushion and backrest, but keeps his head five centimetres from the
/// headrest's bar and eight from the roof, as he moves forward and as the seat is raised.
#[test]
fn a_passenger_in_a_seat() {
    let seat = Shape::Compound(Arc::new(
        Compound::new(vec![
            part(cuboid(0.5, 0.1, 0.5), 0.0, 0.4),
            part(cuboid(0.1, 0.6, 0.5), -0.3, 0.7),
            part(cuboid(0.04, 0.2, 0.2), -0.3, 1.15),
        ])
        .unwrap(),
    ));
    let roof = cuboid(2.0, 0.05, 1.5);
    let body = Shape::Capsule(Capsule::new(0.15, 0.16).unwrap());
    let thighs = cuboid(0.45, 0.14, 0.36);
    let head = Shape::Sphere(Sphere::new(0.11).unwrap());
    let passenger = Shape::Compound(Arc::new(
        Compound::new(vec![part(thighs, 0.12, 0.53), part(body, -0.08, 0.78), part(head, -0.1, 1.22)])
            .unwrap(),
    ));
    const HEAD: u32 = 2;
    const BAR: u32 = 2;
    // Parts of the passenger, then of the seat: what they sit on may be touched, and all else keeps
    // two centimetres.
    let keeps = |of_passenger: u32, of_seat: u32| match (of_passenger, of_seat) {
        (HEAD, BAR) => 0.05,
        (HEAD, _) => 0.02,
        _ => 0.0,
    };
    let mut memory = Workspace::default();
    let mut warnings = Vec::new();
    let mut check = |forward: f32, raised: f32| -> (usize, bool) {
        let at = Pose::from_translation(Vec3::new(forward, raised, 0.0));
        let seat_at = Pose::from_translation(Vec3::Y * raised);
        warnings.clear();
        let mut clearance_of = keeps;
        clearance_violations(
            &passenger,
            &at,
            &seat,
            &seat_at,
            0.05,
            &mut clearance_of,
            &mut memory,
            &mut warnings,
        );
        // Where: on the head, and on the bar.
        for warning in &warnings {
            assert_eq!((warning.part_a, warning.part_b), (HEAD, BAR));
            assert!(
                warning.point_a.x < -0.1 + forward && (warning.point_b.x + 0.28).abs() < 1e-5,
                "{warning:?}"
            );
            assert!(warning.distance < 0.05);
        }
        let roof_at = Pose::from_translation(Vec3::Y * 1.5);
        (warnings.len(), nearer_than(&passenger, &at, &roof, &roof_at, 0.08, &mut memory).is_some())
    };
    // The head is 7 cm from the bar, and 14.5 cm from the roof.
    assert_eq!(check(0.0, 0.0), (0, false));
    assert_eq!(check(-0.015, 0.0), (0, false));
    assert_eq!(check(-0.03, 0.0), (1, false));
    assert_eq!(check(0.0, 0.06), (0, false));
    assert_eq!(check(0.0, 0.07), (0, true));
}

/// A clearance that is NaN is the largest: a violation too many is seen, one too few is not.
#[test]
fn r_a_clearance_that_is_not_a_number() {
    let (a, b) = (cuboid(1.0, 1.0, 1.0), cuboid(1.0, 1.0, 1.0));
    let beside = Pose::from_translation(Vec3::X * 1.5);
    for (most, n) in [(0.4, 0), (0.6, 1)] {
        let mut out = Vec::new();
        let mut memory = Workspace::default();
        clearance_violations(
            &a,
            &Pose::IDENTITY,
            &b,
            &beside,
            most,
            &mut |_, _| f32::NAN,
            &mut memory,
            &mut out,
        );
        assert_eq!(out.len(), n, "{most}");
    }
}

#[test]
fn warm_it_allocates_nothing() {
    let sheet = Shape::Mesh(Arc::new(MeshShape::new(bumpy_sheet(30, 0.1)).unwrap()));
    let other = Pose::new(Quat::from_rotation_y(0.3), Vec3::Y * 0.05);
    let (mut memory, mut out) = (Workspace::default(), Vec::new());
    let collect = |memory: &mut Workspace, out: &mut Vec<_>| {
        out.clear();
        let mut keeps = |a: u32, b: u32| 0.01 * (1 + (a + b) % 3) as f32;
        clearance_violations(&sheet, &Pose::IDENTITY, &sheet, &other, 0.03, &mut keeps, memory, out);
        out.len()
    };
    let n = collect(&mut memory, &mut out);
    let measured = allocation_counter::measure(|| assert_eq!(collect(&mut memory, &mut out), n));
    assert!(100 < n && measured.count_total == 0, "{n} {measured:?}");
}
