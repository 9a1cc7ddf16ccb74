//! Stacks and piles: they stand, and fall asleep.

use crate::scene::{DT, Scene};
use carom_math::{Pose, Quat, Vec3};
use carom_response::{BodyKind, Contacts, SolverSettings};

fn stack(settings: SolverSettings, n: usize, mass: impl Fn(usize) -> f32) -> Scene {
    let mut scene = Scene::with_floor(settings);
    for k in 0..n {
        let position = Vec3::new(0.0, 0.5 + k as f32, 0.0);
        scene.dynamic(Vec3::splat(0.5), mass(k), Pose::from_translation(position));
    }
    scene
}

#[test]
fn twenty_boxes_sleep() {
    let mut scene = stack(SolverSettings::default(), 20, |_| 1.0);
    scene.run(5.0);
    assert!(scene.bodies.iter().skip(1).all(|b| b.is_sleeping));
    let deepest = scene.deepest();
    println!(
        "20 boxes sleep after 5 s, deepest {:.4}, the top at {}",
        -deepest, scene.bodies[20].pose.translation
    );
    assert!((scene.bodies[20].pose.translation - Vec3::new(0.0, 19.45, 0.0)).length() < 0.25);
    assert!(-0.007 < scene.deepest());
}

#[test]
fn bodies_that_fall_asleep_are_counted_once() {
    let mut scene = stack(SolverSettings::default(), 4, |_| 1.0);
    let counts: Vec<usize> = (0..300)
        .map(|_| {
            scene.step();
            scene.n_fallen
        })
        .collect();
    assert_eq!(counts.iter().filter(|&&n| n != 0).collect::<Vec<_>>(), [&4]);
    assert!(scene.bodies.iter().skip(1).all(|b| b.is_sleeping));
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
        let (top, deepest) = (scene.bodies[20], scene.deepest());
        println!(
            "20 boxes awake: from 10 s to 60 s the top goes {:.4}, at {:.1e} a second at the end; deepest {:.4}",
            (top.pose.translation - after_ten).length(),
            top.linear_velocity.length(),
            -deepest
        );
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
    let deepest = scene.deepest();
    println!(
        "10 on nine of 1: after 20 s the top is at {}, deepest {:.4}",
        scene.bodies[10].pose.translation, -deepest
    );
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
                let position = Vec3::new(
                    (i as f32 - 3.5) * 1.15 + random() * 0.1,
                    1.0 + 1.3 * layer as f32,
                    (j as f32 - 3.5) * 1.15 + random() * 0.1,
                );
                let turn = Quat::from_xyzw(random(), random(), random(), random()).normalize();
                scene.dynamic(Vec3::splat(0.5), 1.0, Pose::new(turn, position));
            }
        }
    }
    for second in 1..=10 {
        scene.run(1.0);
        let all = scene.contacts.iter().flat_map(|c| c.manifold.contacts());
        let deepest = all.map(|c| c.distance).fold(0.0, f32::min);
        println!("after {second} s {:.4} deep", -deepest);
        // It lands in the first. A contact under many times the weight of its body leaks, and rests
        // deeper.
        assert!(if second == 1 { -0.12 } else { -0.02 } < deepest);
        if scene.bodies.iter().skip(5).all(|b| b.is_sleeping) {
            break;
        }
    }
    let slow = scene.bodies.iter().filter(|b| b.linear_velocity.length() < 0.1).count();
    assert!(scene.bodies.len() - 4 <= slow, "{slow}");
    assert!(scene.bodies.iter().all(|b| b.kind == BodyKind::Fixed || -0.1 < b.pose.translation.y));
}

/// Five floors of cards, each 1 high and twice `thin` thick: pairs that lean on each other, and
/// cards that lie across the tops.
fn card_house(settings: SolverSettings, thin: f32, friction: f32) -> Scene {
    let (lean, high) = (0.35_f32, 0.5_f32);
    let (sin, cos) = lean.sin_cos();
    let tent_height = 2.0 * (high * cos + thin * sin);
    // From one top to the next: the feet of two pairs just do not meet.
    let spacing = 4.0 * (high * sin + thin * cos) + 0.01;
    let mut scene = Scene::with_floor(settings);
    scene.friction = friction;
    let mut base = 0.0;
    for n in (1..=5).rev() {
        let top = |i: usize| spacing * (i as f32 - 0.5 * (n - 1) as f32);
        for i in 0..n {
            for side in [-1.0_f32, 1.0] {
                let center =
                    Vec3::new(top(i) + side * (high * sin + thin * cos), base + 0.5 * tent_height, 0.0);
                let pose = Pose::new(Quat::from_rotation_z(side * lean), center);
                scene.dynamic(Vec3::new(thin, high, 0.35), 1.0, pose);
            }
        }
        base += tent_height;
        for i in 1..n {
            let center = Vec3::new(0.5 * (top(i - 1) + top(i)), base + thin, 0.0);
            scene.dynamic(Vec3::new(0.5 * spacing - 0.002, thin, 0.35), 1.0, Pose::from_translation(center));
        }
        base += 2.0 * thin;
    }
    scene
}

/// When contacts were relaxed in every substep the house came down in its second second on four, in
/// 5 to 8 s on eight.
#[test]
fn a_card_house_of_five_floors_stands() {
    let settings = SolverSettings::default().with_sleep(false);
    let farthest = |thin: f32, substeps: u32, friction: f32, seconds: f32| {
        let mut scene = card_house(settings.with_substeps(substeps), thin, friction);
        assert_eq!(scene.bodies.len(), 1 + 30 + 10);
        let start: Vec<Pose> = scene.bodies.iter().map(|body| body.pose).collect();
        scene.run(seconds);
        let pairs = scene.bodies.iter().zip(&start);
        pairs.map(|(body, start)| (body.pose.translation - start.translation).length()).fold(0.0, f32::max)
    };
    let default = settings.substeps;
    for (thin, substeps) in
        [(0.01, 4), (0.02, 4), (0.03, 4), (0.01, default), (0.02, default), (0.03, default)]
    {
        let travel = farthest(thin, substeps, 0.7, 20.0);
        println!(
            "cards {} thick, {substeps} substeps: in 20 s none has moved farther than {travel:.4}",
            2.0 * thin
        );
        assert!(travel < 0.04);
    }
    // It stands because of friction, not because nothing can fall.
    assert!(0.3 < farthest(0.01, default, 0.05, 2.0));
}

/// Impulses of suspended bodies are kept, for substeps of any length before and after.
#[test]
fn suspended_bodies_go_on_pressing_after_substeps_of_another_length() {
    for (before, after) in [(6, 1), (3, 6), (6, 6)] {
        // How fast they are when they go on, where some were suspended and where none was.
        let fastest = [true, false].map(|is_suspended| {
            let mut scene = stack(SolverSettings::default().with_sleep(false), 8, |_| 1.0);
            scene.solver.settings_mut().substeps = before;
            scene.run(3.0);
            scene.solver.settings_mut().substeps = after;
            let active = if is_suspended { &[1, 2][..] } else { &[1, 2, 3, 4, 5, 6, 7, 8] };
            for _ in 0..2 {
                scene.find_contacts();
                let Scene { solver, bodies, contacts, .. } = &mut scene;
                let contacts = Contacts::Pairs(contacts);
                solver.step_awake(bodies, active, &contacts, (&mut [], &[]), DT, None).unwrap();
            }
            let mut fastest = 0.0_f32;
            for _ in 0..2 {
                scene.step();
                let speeds = scene.bodies.iter().map(|body| body.linear_velocity.length());
                fastest = speeds.fold(fastest, f32::max);
            }
            fastest
        });
        println!("{before} substeps, then {after}: {fastest:?} m/s");
        assert!(fastest[0] <= fastest[1] + 0.002, "{before}, {after}: {fastest:?}");
    }
}

/// Long and short steps in turn, and in other orders: a stack stands, and falls asleep.
#[test]
fn a_stack_sleeps_under_steps_of_two_lengths() {
    for rates in
        [&[20.0, 240.0][..], &[30.0, 240.0], &[20.0, 60.0], &[20.0, 240.0, 240.0, 240.0], &[60.0, 75.0]]
    {
        for n in [3, 6, 10] {
            let mut scene = Scene::with_floor(SolverSettings::default());
            for i in 0..n {
                let at = Pose::from_translation(Vec3::Y * (0.5 + i as f32));
                scene.dynamic(Vec3::splat(0.5), 1.0, at);
            }
            let (mut time, mut rates_in_turn) = (0.0, rates.iter().cycle());
            while time < 10.0 && !scene.bodies[1..].iter().all(|body| body.is_sleeping) {
                let dt = 1.0 / rates_in_turn.next().unwrap();
                scene.step_by(dt);
                time += dt;
            }
            println!("{n} boxes, steps of 1/{rates:?} s: asleep after {time:.2} s");
            assert!(time < 10.0, "{n} boxes, {rates:?}");
            let top = scene.bodies[n].pose.translation - Vec3::Y * (n as f32 - 0.5);
            assert!(top.length() < 0.1, "{n} boxes, {rates:?}: the top is off by {top}");
        }
    }
}
