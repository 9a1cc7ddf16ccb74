//! Piles start apart, and their joints fit.

use carom_math::{Pose, Vec3};
use carom_scenes::{JointSpec, SceneSpec, ShapeSpec, bench_pile, pile, torus_compound};

/// Returns the radius of a ball about the body's origin that contains the shape; 0 for walls.
fn radius(shape: &ShapeSpec) -> f32 {
    match shape {
        ShapeSpec::Sphere { radius } => *radius,
        ShapeSpec::Capsule { half_height, radius } => half_height + radius,
        ShapeSpec::Cuboid { half_extents } => half_extents.length(),
        ShapeSpec::Hull { points } => points.iter().map(|p| p.length()).fold(0.0, f32::max),
        ShapeSpec::Compound { parts } => {
            parts.iter().map(|(pose, s)| pose.translation.length() + radius(s)).fold(0.0, f32::max)
        }
        _ => 0.0,
    }
}

fn check(scene: &SceneSpec) {
    let moving: Vec<_> = scene.bodies.iter().filter(|b| !b.is_fixed()).collect();
    for (i, a) in moving.iter().enumerate() {
        assert!(a.pose.is_finite());
        assert!((a.pose.rotation.length() - 1.0).abs() < 1e-6);
        assert!(a.pose.translation.y > 0.3);
        for b in &moving[i + 1..] {
            let is_limb = a.family != 0 || b.family != 0;
            let gap =
                (a.pose.translation - b.pose.translation).length() - radius(&a.shape) - radius(&b.shape);
            assert!(is_limb || gap > -0.2, "bodies start in each other: {gap}");
        }
    }
    for joint in &scene.joints {
        let (a, b, anchor_a, anchor_b) = match joint {
            JointSpec::Ball { a, b, anchor_a, anchor_b, .. } => (a, b, anchor_a, anchor_b),
            JointSpec::Hinge { a, b, anchor_a, anchor_b, .. } => (a, b, anchor_a, anchor_b),
            _ => panic!("an unknown joint"),
        };
        let at = |body: usize, p: &Vec3| scene.bodies[body].pose.transform_point(*p);
        assert!((at(*a, anchor_a) - at(*b, anchor_b)).length() < 1e-4);
        assert_eq!(scene.bodies[*a].family, scene.bodies[*b].family);
    }
}

#[test]
fn pile_has_the_requested_number_of_bodies() {
    for n in [0, 1, 10, 11, 12, 50, 333, 1500] {
        let scene = pile(n, 1);
        assert_eq!(scene.n_moving(), n);
        check(&scene);
        let dolls = scene.joints.len() / 10;
        assert_eq!(dolls, if n < 11 { 0 } else { (n / 500).max(1) });
        assert_eq!(scene, pile(n, 1));
    }
    let tori = pile(1500, 1).bodies.iter().filter(|b| matches!(b.shape, ShapeSpec::Compound { .. })).count();
    assert!((100..140).contains(&tori), "{tori}");
}

#[test]
fn bench_pile_is_as_defined() {
    let scene = bench_pile(1000, 1);
    assert_eq!(scene.n_moving(), 1000);
    let boxes: Vec<_> = scene.bodies.iter().filter(|b| !b.is_fixed()).collect();
    assert!(boxes.iter().all(|b| b.shape == ShapeSpec::Cuboid { half_extents: Vec3::splat(0.5) }));
    assert!(boxes.iter().all(|b| b.pose.translation.x.abs() < 12.2 && b.pose.translation.z.abs() < 12.2));
    assert_eq!(boxes[484].pose.translation.y, 2.3);
}

#[test]
fn torus_pieces_share_their_ends() {
    let ShapeSpec::Compound { parts } = torus_compound(0.5, 0.2, 12) else { panic!("a compound") };
    let world = |i: usize| -> Vec<Vec3> {
        let (pose, ShapeSpec::Hull { points }) = &parts[i] else { panic!("hulls") };
        let pose: Pose = *pose;
        points.iter().map(|p| pose.transform_point(*p)).collect()
    };
    for i in 0..12 {
        let (this, next) = (world(i), world((i + 1) % 12));
        for k in 0..8 {
            assert!((this[8 + k] - next[k]).length() < 1e-6);
        }
    }
}

#[test]
fn piles_are_the_same_bits_everywhere() {
    let bodies = pile(400, 7).bodies.into_iter().chain(bench_pile(100, 7).bodies);
    assert_eq!(pose_hash(bodies), PILES);
    assert_eq!(pose_hash(carom_scenes::ants(150, 7).scene.bodies), ANTS);
    assert_eq!(pose_hash(carom_scenes::stairs(8, 7).bodies), STAIRS);
    assert_eq!(pose_hash(carom_scenes::works(6).bodies), WORKS);
    assert_eq!(pose_hash(carom_scenes::bullets(100, 7).bodies), BULLETS);
}

fn pose_hash(bodies: impl IntoIterator<Item = carom_scenes::BodySpec>) -> u64 {
    let bits = bodies.into_iter().flat_map(|b| {
        let p = b.pose;
        [p.translation.to_array(), [p.rotation.x, p.rotation.y, p.rotation.z]].concat()
    });
    super::hash(bits.map(|x| u64::from(x.to_bits())))
}
const PILES: u64 = 12449375327420899509;
const ANTS: u64 = 9541098592527582880;
const STAIRS: u64 = 14804727650209246892;
const WORKS: u64 = 15796046392151141377;
const BULLETS: u64 = 6468104946551230075;

/// All requested ants and crumbs are above the ground, and clear of each other and of fixed
/// bodies.
#[test]
fn ants_begin_clear() {
    for (n_ants, seed) in [(1, 5), (40, 1), (800, 2), (6000, 3)] {
        let hill = carom_scenes::ants(n_ants, seed);
        assert_eq!(hill, carom_scenes::ants(n_ants, seed));
        assert_eq!((hill.ants.len(), hill.heaps.len()), (n_ants, 4));
        let bodies = &hill.scene.bodies;
        assert_eq!(hill.crumbs, hill.ants.end..bodies.len());
        assert!(bodies[..hill.ball].iter().all(carom_scenes::BodySpec::is_fixed));
        assert!(bodies[hill.ball..].iter().all(|body| !body.is_fixed()));
        assert_eq!(hill.scene.n_moving(), 1 + n_ants + hill.crumbs.len());
        let ShapeSpec::Mesh { vertices, .. } = &bodies[0].shape else { panic!("the ground is a mesh") };
        let low = vertices.iter().fold(f32::INFINITY, |low, v| low.min(v.y));
        let ants: Vec<Vec3> = bodies[hill.ants.clone()].iter().map(|ant| ant.pose.translation).collect();
        for at in &ants {
            assert!(low < at.y && at.x.abs().max(at.z.abs()) < hill.half_size - 0.5, "{at}");
        }
        // Sorted by x, so that only neighbours along x are compared.
        let mut sorted = ants;
        sorted.sort_by(|a, b| a.x.total_cmp(&b.x));
        for (i, at) in sorted.iter().enumerate() {
            let near = sorted[i + 1..].iter().take_while(|other| other.x < at.x + carom_scenes::ANT_LENGTH);
            near.for_each(|other| {
                assert!(carom_scenes::ANT_LENGTH < (*other - *at).length(), "{at} {other}")
            });
        }
        let ball = bodies[hill.ball].pose.translation;
        assert!(sorted.iter().all(|at| 1.6 + 0.3 < (*at - ball).length()));
    }
}

/// Ragdolls begin above the stairs, clear of each other, and are thrown.
#[test]
fn ragdolls_are_thrown_down_the_stairs() {
    let scene = carom_scenes::stairs(8, 3);
    assert_eq!(scene, carom_scenes::stairs(8, 3));
    assert_ne!(scene, carom_scenes::stairs(8, 4));
    assert_eq!(scene.n_moving(), 8 * carom_scenes::RAGDOLL_BODIES);
    assert_eq!(scene.joints.len(), 8 * (carom_scenes::RAGDOLL_BODIES - 1));
    let blocks = scene.bodies.iter().filter(|body| body.is_fixed());
    let top = blocks.map(|body| 2.0 * body.pose.translation.y).fold(0.0, f32::max);
    for limb in scene.bodies.iter().filter(|body| !body.is_fixed()) {
        assert!(top < limb.pose.translation.y && 0.0 < limb.linear_velocity.length(), "{limb:?}");
    }
}
