//! Stacks and piles: they stand, and fall asleep.

use crate::scene::Scene;
use carom_math::{Pose, Quat, Vec3};
use carom_response::{BodyKind, SolverSettings};

fn stack(settings: SolverSettings, n: usize, mass: impl Fn(usize) -> f32) -> Scene {
    let mut scene = Scene::with_floor(settings);
    for k in 0..n {
        let place = Vec3::new(0.0, 0.5 + k as f32, 0.0);
        scene.dynamic(Vec3::splat(0.5), mass(k), Pose::from_translation(place));
    }
    scene
}

#[test]
fn twenty_boxes_sleep() {
    let mut scene = stack(SolverSettings::default(), 20, |_| 1.0);
    scene.run(5.0);
    assert!(scene.bodies.iter().skip(1).all(|b| b.is_sleeping));
    assert!((scene.bodies[20].pose.translation - Vec3::new(0.0, 19.45, 0.0)).length() < 0.25);
    assert!(-0.007 < scene.deepest());
}

#[test]
fn twenty_boxes_stand_for_a_minute_without_sleep() {
    for (size, turn) in [(0.5, 0.0), (0.45, 0.0), (0.5, 0.3)] {
        let mut scene = Scene::with_floor(SolverSettings::default().with_sleep(false));
        for k in 0..20 {
            let h = if k % 2 == 0 { 0.5 } else { size };
            let pose = Pose::new(Quat::from_rotation_y(turn * k as f32), Vec3::new(0.0, 0.5 + k as f32, 0.0));
            scene.dynamic(Vec3::new(h, 0.5, h), 1.0, pose);
        }
        scene.run(10.0);
        let after_ten = scene.bodies[20].pose.translation;
        assert!((after_ten - Vec3::new(0.0, 19.45, 0.0)).length() < 0.25, "{after_ten}");
        scene.run(50.0);
        let top = &scene.bodies[20];
        assert!((top.pose.translation - after_ten).length() < 0.1, "{after_ten} {}", top.pose.translation);
        assert!(top.linear_velocity.length() < 0.002, "{}", top.linear_velocity);
        assert!(-0.007 < scene.deepest());
    }
}

#[test]
fn a_heavy_box_on_nine_light_ones() {
    let mut scene =
        stack(SolverSettings::default().with_sleep(false), 10, |k| if k == 9 { 10.0 } else { 1.0 });
    scene.run(20.0);
    assert!((scene.bodies[10].pose.translation - Vec3::new(0.0, 9.45, 0.0)).length() < 0.1);
    assert!(-0.007 < scene.deepest());
}

#[test]
fn a_pile_comes_to_rest() {
    let mut scene = Scene::with_floor(SolverSettings::default());
    let mut state = 1u64;
    let mut random = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 40) as f32 / (1u64 << 24) as f32 * 2.0 - 1.0
    };
    for (x, z) in [(14.0, 0.0), (-14.0, 0.0), (0.0, 14.0), (0.0, -14.0)] {
        let half = if x == 0.0 { Vec3::new(5.5, 40.0, 0.5) } else { Vec3::new(0.5, 40.0, 5.5) };
        scene.fixed(half, Pose::from_translation(Vec3::new(x, 0.0, z) * 0.4));
    }
    for layer in 0..12 {
        for i in 0..8 {
            for j in 0..8 {
                let place = Vec3::new(
                    (i as f32 - 3.5) * 1.15 + random() * 0.1,
                    1.0 + 1.3 * layer as f32,
                    (j as f32 - 3.5) * 1.15 + random() * 0.1,
                );
                let turn = Quat::from_xyzw(random(), random(), random(), random()).normalize();
                scene.dynamic(Vec3::splat(0.5), 1.0, Pose::new(turn, place));
            }
        }
    }
    for _ in 0..10 {
        scene.run(1.0);
        let all = scene.contacts.iter().flat_map(|c| c.manifold.contacts());
        assert!(-0.1 < all.map(|c| c.distance).fold(0.0, f32::min));
        if scene.bodies.iter().skip(5).all(|b| b.is_sleeping) {
            break;
        }
    }
    let slow = scene.bodies.iter().filter(|b| b.linear_velocity.length() < 0.1).count();
    assert!(scene.bodies.len() - 4 <= slow, "{slow}");
    assert!(scene.bodies.iter().all(|b| b.kind == BodyKind::Fixed || -0.1 < b.pose.translation.y));
}
