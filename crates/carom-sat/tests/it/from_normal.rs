//! Manifolds of any convex pair from a known normal.

use carom_geom::{Capsule, Cuboid, Cylinder, Manifold, Sphere, SupportMap};
use carom_math::{Pose, Quat, Vec3};
use carom_sat::{Witness, box_box, manifold_from_normal};

fn manifold(
    a: &impl SupportMap,
    b: &impl SupportMap,
    pose: &Pose,
    points: [Vec3; 2],
    normal: Vec3,
    prediction: f32,
) -> Manifold {
    let [point_a, point_b] = points;
    let witness = Witness { normal, distance: (point_b - point_a).dot(normal), point_a, point_b };
    manifold_from_normal(a, b, &pose.wide(), &witness, prediction)
}

#[test]
fn round_shapes_on_a_box() {
    let slab = Cuboid::new(Vec3::new(2.0, 0.5, 2.0)).unwrap();
    let ball = Sphere::new(0.25).unwrap();
    let above = Pose::from_translation(Vec3::new(0.3, 0.74, 0.1));
    let points = [Vec3::new(0.3, 0.5, 0.1), Vec3::new(0.3, 0.49, 0.1)];
    let m = manifold(&slab, &ball, &above, points, Vec3::Y, 0.02);
    assert_eq!(m.contacts().len(), 1);
    assert!((m.contacts()[0].distance + 0.01).abs() < 1e-6);

    // A capsule that lies: two contacts, at the ends of its axis.
    let capsule = Capsule::new(0.5, 0.25).unwrap();
    let lying = Pose::new(Quat::from_rotation_z(std::f32::consts::FRAC_PI_2), Vec3::new(0.3, 0.74, 0.1));
    let m = manifold(&slab, &capsule, &lying, points, Vec3::Y, 0.02);
    assert_eq!(m.contacts().len(), 2);
    for c in m.contacts() {
        assert!((c.distance + 0.01).abs() < 1e-5);
        assert!((c.point_b.y - 0.49).abs() < 1e-5 && (c.point_a.y - 0.5).abs() < 1e-6);
        assert!(((c.point_b.x - 0.3).abs() - 0.5).abs() < 1e-5);
    }
    // It overhangs: one contact is where the slab ends.
    let over = Pose::new(lying.rotation, Vec3::new(1.8, 0.74, 0.1));
    let points = [Vec3::new(1.8, 0.5, 0.1), Vec3::new(1.8, 0.49, 0.1)];
    let m = manifold(&slab, &capsule, &over, points, Vec3::Y, 0.02);
    let farthest = m.contacts().iter().map(|c| c.point_a.x).fold(0.0, f32::max);
    assert!((farthest - 2.0).abs() < 1e-5);

    // A cylinder that stands: four contacts on its rim.
    let cylinder = Cylinder::new(0.5, 0.3).unwrap();
    let standing = Pose::from_translation(Vec3::new(0.0, 0.995, 0.0));
    let m = manifold(
        &slab,
        &cylinder,
        &standing,
        [Vec3::new(0.0, 0.5, 0.0), Vec3::new(0.0, 0.495, 0.0)],
        Vec3::Y,
        0.02,
    );
    assert_eq!(m.contacts().len(), 4);
    for c in m.contacts() {
        assert!((c.distance + 0.005).abs() < 1e-5);
    }
}

#[test]
fn two_capsules() {
    let capsule = Capsule::new(0.5, 0.25).unwrap();
    let beside = Pose::from_translation(Vec3::new(0.49, 0.4, 0.0));
    let points = [Vec3::new(0.25, 0.2, 0.0), Vec3::new(0.24, 0.2, 0.0)];
    let m = manifold(&capsule, &capsule, &beside, points, Vec3::X, 0.02);
    assert_eq!(m.contacts().len(), 2);
    let mut heights: Vec<f32> = m.contacts().iter().map(|c| c.point_a.y).collect();
    heights.sort_by(f32::total_cmp);
    assert!((heights[0] + 0.1).abs() < 1e-5 && (heights[1] - 0.5).abs() < 1e-5, "{heights:?}");
    let across = Pose::new(Quat::from_rotation_x(1.0), Vec3::new(0.49, 0.0, 0.0));
    let m = manifold(
        &capsule,
        &capsule,
        &across,
        [Vec3::new(0.25, 0.0, 0.0), Vec3::new(0.24, 0.0, 0.0)],
        Vec3::X,
        0.02,
    );
    assert_eq!(m.contacts().len(), 1);
}

/// The general way gives what the special one gives.
#[test]
fn the_general_method_agrees_with_that_of_boxes() {
    let half = Vec3::new(0.5, 0.4, 0.3);
    let cuboid = Cuboid::new(half).unwrap();
    let (mut n_faces, mut n_wide) = (0, 0);
    for k in 0..400 {
        let angle = k as f32 * 0.37;
        let turn = Quat::from_euler(glam::EulerRot::XYZ, angle * 0.0004, angle * 1.7, angle * 0.0002);
        let pose = Pose::new(turn, Vec3::new(angle.sin() * 0.3, 0.79, (angle * 2.0).sin() * 0.2));
        let Some(special) = box_box::manifold(half, half, &pose, 0.01) else { continue };
        let deepest = special.deepest().unwrap();
        let m = manifold(&cuboid, &cuboid, &pose, [deepest.point_a, deepest.point_b], special.normal(), 0.01);
        assert!((m.deepest().unwrap().distance - deepest.distance).abs() < 1e-5);
        for c in m.contacts() {
            assert!(deepest.distance - 1e-5 <= c.distance && c.distance <= 0.01);
        }
        if special.contacts().len() == 4 {
            // A face tilted farther than its edge is an edge here.
            n_faces += 1;
            n_wide += usize::from(2 <= m.contacts().len());
        }
    }
    assert!(50 < n_faces && n_faces == n_wide, "{n_wide} of {n_faces}");
}

#[test]
fn too_far_is_empty() {
    let ball = Sphere::new(0.5).unwrap();
    let pose = Pose::from_translation(Vec3::new(1.2, 0.0, 0.0));
    let points = [Vec3::new(0.5, 0.0, 0.0), Vec3::new(0.7, 0.0, 0.0)];
    assert!(manifold(&ball, &ball, &pose, points, Vec3::X, 0.1).is_empty());
    assert_eq!(manifold(&ball, &ball, &pose, points, Vec3::X, 0.3).contacts().len(), 1);
    assert!(manifold(&ball, &ball, &pose, [Vec3::NAN; 2], Vec3::X, 0.3).is_empty());
}

/// Points of NaN with a finite normal and distance gave a contact, and so did minus infinity.
#[test]
fn r_a_witness_that_is_not_finite_is_empty() {
    let (ball, cuboid) = (Sphere::new(0.5).unwrap(), Cuboid::new(Vec3::splat(0.5)).unwrap());
    let pose = Pose::from_translation(Vec3::X).wide();
    let good = Witness { normal: Vec3::X, distance: 0.0, point_a: Vec3::X * 0.5, point_b: Vec3::X * 0.5 };
    let bad = [
        Witness { point_a: Vec3::NAN, ..good },
        Witness { point_b: Vec3::new(0.5, f32::INFINITY, 0.0), ..good },
        Witness { distance: f32::NEG_INFINITY, ..good },
        Witness { normal: Vec3::NAN, ..good },
    ];
    let shapes: [&dyn SupportMap; 2] = [&ball, &cuboid];
    for shape in shapes {
        for prediction in [0.1, f32::INFINITY] {
            assert!(!manifold_from_normal(shape, shape, &pose, &good, prediction).is_empty());
            for witness in bad {
                let found = manifold_from_normal(shape, shape, &pose, &witness, prediction);
                assert!(found.is_empty(), "{witness:?}: {found:?}");
            }
        }
    }
}
