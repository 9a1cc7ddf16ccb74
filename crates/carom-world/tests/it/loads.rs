//! Heavy on light: nothing sinks, swings or passes through, at rest or asleep.

use crate::of_unit_density;
use crate::scenes::{CheckedStep, ball, cuboid, ground};
use carom_geom::Cuboid;
use carom_math::Vec3;
use carom_query::Shape;
use carom_world::{BodyDesc, BodyId, World, WorldSettings};

const DT: f32 = 1.0 / 60.0;

/// A world with these substeps and gravity.
fn world(substeps: u32, gravity: f32) -> World {
    let mut settings = WorldSettings::default();
    settings.solver.substeps = substeps;
    settings.solver.gravity = Vec3::NEG_Y * gravity;
    World::with_settings(settings)
}

/// The deepest contact where the bodies are now.
fn deepest(world: &mut World) -> f32 {
    world.detect();
    let contacts = world.contacts().flat_map(|view| view.manifolds).flat_map(|m| m.contacts());
    contacts.fold(0.0, |most: f32, contact| most.max(-contact.distance))
}

/// Results of a run of a minute.
#[derive(Debug)]
struct Minute {
    /// Deepest contact in the last ten seconds, and in the ten before.
    last: f32,
    before: f32,
    /// Deepest at any time.
    most: f32,
    /// All sleep, or the fastest speed in the last second.
    speed: f32,
}

fn run(world: &mut World, ids: &[BodyId], dt: f32) -> Minute {
    let mut minute = Minute { last: 0.0, before: 0.0, most: 0.0, speed: 0.0 };
    let n = (60.0 / dt).round() as usize;
    for step in 0..n {
        world.checked_step(dt).unwrap();
        if step % 30 == 29 {
            let deep = deepest(world);
            minute.most = minute.most.max(deep);
            if n * 5 / 6 <= step {
                minute.last = minute.last.max(deep);
            } else if n * 4 / 6 <= step {
                minute.before = minute.before.max(deep);
            }
        }
        if ids.iter().all(|&id| world.body(id).unwrap().is_sleeping()) {
            let deep = deepest(world);
            return Minute { last: deep, before: deep, most: minute.most.max(deep), speed: 0.0 };
        }
        if n * 59 / 60 <= step {
            for &id in ids {
                minute.speed = minute.speed.max(world.body(id).unwrap().linear_velocity().length());
            }
        }
    }
    minute
}

/// Unit boxes on each other with these densities, from below.
fn stack(world: &mut World, densities: &[f32]) -> Vec<BodyId> {
    world.insert(ground()).unwrap();
    let body = |(i, &density): (usize, &f32)| {
        let at = Vec3::Y * (0.5 + i as f32);
        world
            .insert(of_unit_density(cuboid(Vec3::splat(0.5))).with_position(at).with_density(density))
            .unwrap()
    };
    densities.iter().enumerate().map(body).collect()
}

/// Depth at rest in a minute at most `limit`, no body beyond the next one, asleep or still.
fn assert_holds(name: &str, world: &mut World, ids: &[BodyId], (limit, dt): (f32, f32)) {
    let minute = run(world, ids, dt);
    println!("{name}: {minute:?}");
    let heights: Vec<f32> = ids.iter().map(|&id| world.body(id).unwrap().position().y).collect();
    assert!(heights.is_sorted(), "{name}: {heights:?}");
    assert!(minute.last <= limit, "{name}: {minute:?}");
    assert!(minute.last <= 1.05 * minute.before + 1e-3, "{name} grows: {minute:?}");
    assert!(minute.speed <= 0.02, "{name}: {minute:?}");
}

#[test]
fn stacks_of_heavy_on_light_hold() {
    let cases: [(&[f32], f32); 7] = [
        (&[1.0, 100.0], 0.02),
        (&[1.0, 200.0], 0.02),
        (&[1.0, 1.0, 1.0, 50.0], 0.02),
        (&[1.0, 3.0, 9.0, 27.0, 81.0], 0.02),
        (&[1.0, 4.0, 16.0, 64.0, 256.0], 0.02),
        (&[1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0], 0.06),
        (&[1.0, 1000.0], 0.06),
    ];
    for (densities, limit) in cases {
        let mut world = world(6, 9.81);
        let ids = stack(&mut world, densities);
        assert_holds(&format!("{densities:?}"), &mut world, &ids, (limit, DT));
    }
}

#[test]
fn they_hold_at_other_steps_substeps_and_gravities() {
    for (substeps, gravity, dt) in [
        (6, 9.81, 1.0 / 30.0),
        (6, 9.81, 1.0 / 120.0),
        (4, 9.81, DT),
        (12, 9.81, DT),
        (6, 1.62, DT),
        (6, 25.0, DT),
    ] {
        for densities in [&[1.0, 100.0][..], &[1.0, 1.0, 1.0, 50.0], &[1.0, 200.0]] {
            let mut world = world(substeps, gravity);
            let ids = stack(&mut world, densities);
            let name = format!("{substeps} substeps, gravity {gravity}, dt {dt}: {densities:?}");
            assert_holds(&name, &mut world, &ids, (0.05, dt));
        }
    }
}

#[test]
fn lids_planks_and_balls_hold() {
    // A lid of 288 kg on four legs of 80 g.
    let mut lid_world = world(6, 9.81);
    lid_world.insert(ground()).unwrap();
    let leg = Shape::Cuboid(Cuboid::new(Vec3::new(0.05, 0.5, 0.05)).unwrap());
    let mut ids: Vec<BodyId> = Vec::new();
    for (x, z) in [(0.9, 0.9), (-0.9, 0.9), (0.9, -0.9), (-0.9, -0.9)] {
        let leg = of_unit_density(leg.clone()).with_position(Vec3::new(x, 0.5, z)).with_density(8.0);
        ids.push(lid_world.insert(leg).unwrap());
    }
    let lid = of_unit_density(cuboid(Vec3::new(1.2, 0.25, 1.2))).with_density(100.0);
    let lid = lid_world.insert(lid.with_position(Vec3::Y * 1.25)).unwrap();
    let minute = run(&mut lid_world, &ids, DT);
    let height = lid_world.body(lid).unwrap().position().y;
    println!("lid: {minute:?}, at {height}");
    assert!(1.15 < height && minute.last <= 0.06, "{minute:?}, lid at {height}");

    // 1,000 kg on four crates of 10 kg.
    let mut crates = world(6, 9.81);
    crates.insert(ground()).unwrap();
    let mut ids: Vec<BodyId> = Vec::new();
    for (x, z) in [(0.7, 0.7), (-0.7, 0.7), (0.7, -0.7), (-0.7, -0.7)] {
        let body = of_unit_density(cuboid(Vec3::splat(0.5))).with_density(10.0);
        ids.push(crates.insert(body.with_position(Vec3::new(x, 0.5, z))).unwrap());
    }
    let load = of_unit_density(cuboid(Vec3::new(1.2, 0.5, 1.2))).with_density(1000.0 / 5.76);
    let load = crates.insert(load.with_position(Vec3::Y * 1.5)).unwrap();
    ids.push(load);
    let minute = run(&mut crates, &ids, DT);
    println!("crates: {minute:?}");
    assert!(1.45 < crates.body(load).unwrap().position().y && minute.last <= 0.02, "{minute:?}");

    // 400 kg on a plank of 2 kg over two supports.
    let mut plank = world(6, 9.81);
    for x in [-1.0, 1.0] {
        let support = BodyDesc::fixed(cuboid(Vec3::new(0.2, 0.5, 0.5)));
        plank.insert(support.with_position(Vec3::new(x, 0.5, 0.0))).unwrap();
    }
    let board = of_unit_density(cuboid(Vec3::new(1.2, 0.05, 0.5))).with_density(2.0 / 0.24);
    let board = plank.insert(board.with_position(Vec3::Y * 1.05)).unwrap();
    let load = of_unit_density(cuboid(Vec3::splat(0.4))).with_density(400.0 / 0.512);
    let load = plank.insert(load.with_position(Vec3::Y * 1.5)).unwrap();
    assert_holds("plank", &mut plank, &[board, load], (0.06, DT));

    // A ball of 100 kg on a box of 1 kg.
    let mut balls = world(6, 9.81);
    balls.insert(ground()).unwrap();
    let body = balls.insert(of_unit_density(cuboid(Vec3::splat(0.5))).with_position(Vec3::Y * 0.5)).unwrap();
    let heavy = of_unit_density(ball(0.5))
        .with_density(100.0 / core::f32::consts::FRAC_PI_6)
        .with_position(Vec3::Y * 1.5);
    let heavy = balls.insert(heavy).unwrap();
    assert_holds("ball", &mut balls, &[body, heavy], (0.02, DT));
}

/// Three boxes under a press that leaves 2.7 of their 3: each gives way by its part.
#[test]
fn boxes_under_a_press_share_what_it_takes() {
    for gravity in [9.81, 0.0] {
        let mut world = world(6, gravity);
        world.insert(ground()).unwrap();
        let at = |i: usize| Vec3::Y * (0.5 + i as f32);
        let bodies: Vec<BodyId> = (0..3)
            .map(|i| world.insert(of_unit_density(cuboid(Vec3::splat(0.5))).with_position(at(i))).unwrap())
            .collect();
        let press = BodyDesc::kinematic(cuboid(Vec3::new(2.0, 0.5, 2.0))).with_position(Vec3::Y * 3.6);
        let press = world.insert(press).unwrap();
        world
            .body_mut(press)
            .unwrap()
            .set_linear_velocity(Vec3::NEG_Y * 0.1)
            .unwrap()
            .set_angular_velocity(Vec3::ZERO)
            .unwrap();
        for _ in 0..240 {
            world.checked_step(DT).unwrap();
        }
        world
            .body_mut(press)
            .unwrap()
            .set_linear_velocity(Vec3::ZERO)
            .unwrap()
            .set_angular_velocity(Vec3::ZERO)
            .unwrap();
        for _ in 0..1200 {
            world.checked_step(DT).unwrap();
        }
        let heights: Vec<f32> = bodies.iter().map(|&id| world.body(id).unwrap().position().y).collect();
        let least = heights.windows(2).map(|pair| pair[1] - pair[0]).fold(f32::INFINITY, f32::min);
        assert!(0.8 < least, "gravity {gravity}: {heights:?}");
    }
}

#[test]
fn a_press_closes_on_a_light_box_no_further_than_it_goes() {
    for gravity in [9.81, 0.0] {
        let mut world = world(6, gravity);
        world.insert(ground()).unwrap();
        let body =
            world.insert(of_unit_density(cuboid(Vec3::splat(0.5))).with_position(Vec3::Y * 0.5)).unwrap();
        let press = BodyDesc::kinematic(cuboid(Vec3::new(2.0, 0.5, 2.0))).with_position(Vec3::Y * 1.6);
        let press = world.insert(press).unwrap();
        world
            .body_mut(press)
            .unwrap()
            .set_linear_velocity(Vec3::NEG_Y * 0.1)
            .unwrap()
            .set_angular_velocity(Vec3::ZERO)
            .unwrap();
        for _ in 0..75 {
            world.checked_step(DT).unwrap();
        }
        world
            .body_mut(press)
            .unwrap()
            .set_linear_velocity(Vec3::ZERO)
            .unwrap()
            .set_angular_velocity(Vec3::ZERO)
            .unwrap();
        let gap = world.body(press).unwrap().position().y - 0.5;
        for _ in 0..3600 {
            world.checked_step(DT).unwrap();
            let pose = world.body(body).unwrap().position();
            assert!(0.4 < pose.y && pose.y < gap - 0.3, "gravity {gravity}: {pose}, gap {gap}");
            assert!(world.body(body).unwrap().linear_velocity().length() < 1.5);
        }
    }
}
