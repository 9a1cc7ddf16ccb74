//! Soft things in steps of other lengths than 1/60 s, and their momentum with bodies.

use crate::scenes::{CheckedStep, DT, ball, cuboid};
use crate::soft::tetrahedra;
use carom_math::Vec3;
use carom_world::{
    BodyDesc, Budget, ClothSettings, JointDesc, RopeSettings, SoftBodyDesc, SoftBodySettings, World,
    WorldSettings,
};

/// Lengths of steps, in 1/240 s; they are repeated.
const LENGTHS: [&[f32]; 4] = [&[4.0], &[12.0, 1.0], &[1.0, 12.0, 4.0, 8.0, 1.7, 12.0, 2.0], &[8.0, 4.0]];

fn weightless() -> World {
    let mut settings = WorldSettings::default();
    settings.solver.gravity = Vec3::ZERO;
    World::with_settings(settings)
}

/// A rope of 0.1 kg between balls of 5 kg and 0.05 kg, which is `gap` from the centre of each.
/// Returns the largest change of momentum, and the largest energy by the first one.
fn swing(lengths: &[f32], gap: f32) -> (f32, f32) {
    let mut world = weightless();
    let heavy = BodyDesc::dynamic(ball(0.1)).with_mass(5.0).with_position(Vec3::Y * gap);
    let heavy = world.insert(heavy.with_linear_velocity(Vec3::X * 2.0)).unwrap();
    let light = BodyDesc::dynamic(ball(0.1)).with_mass(0.05).with_position(Vec3::NEG_Y * (1.0 + gap));
    let light = world.insert(light.with_linear_velocity(Vec3::new(0.0, -3.0, 1.0))).unwrap();
    let points: Vec<Vec3> = (0..11).map(|k| Vec3::NEG_Y * (0.1 * k as f32)).collect();
    let rope = world.insert_soft_body(SoftBodyDesc::rope(&points, RopeSettings::default())).unwrap();
    world.soft_body_mut(rope).unwrap().attach(0, heavy).unwrap().attach(10, light).unwrap();
    let state = |world: &World| {
        let (mut momentum, mut energy) = (Vec3::ZERO, 0.0);
        let mut add = |mass: f32, velocity: Vec3| {
            momentum += mass * velocity;
            energy += 0.5 * mass * velocity.length_squared();
        };
        for (k, velocity) in world.soft_body(rope).unwrap().velocities().iter().enumerate() {
            add(if k % 10 == 0 { 0.005 } else { 0.01 }, *velocity);
        }
        for body in [heavy, light].map(|id| world.body(id).unwrap()) {
            add(body.mass(), body.linear_velocity());
        }
        (momentum, energy)
    };
    let (first, begin) = state(&world);
    let (mut change, mut energy, mut time) = (0.0_f32, 0.0_f32, 0.0);
    for length in lengths.iter().cycle() {
        world.checked_step(length / 240.0).unwrap();
        let (momentum, now) = state(&world);
        (change, energy) = (change.max(momentum.distance(first)), energy.max(now / begin));
        time += length / 240.0;
        if 10.0 < time {
            break;
        }
    }
    (change, energy)
}

/// Momentum stays, even if the rope is fixed inside of the balls and pulled into them.
#[test]
fn a_rope_and_its_bodies_keep_their_momentum() {
    for lengths in LENGTHS {
        for gap in [0.0, 0.14] {
            let (change, energy) = swing(lengths, gap);
            println!("{lengths:?}, {gap}: momentum by {change}, energy {energy}");
            assert!(change < 0.01, "{lengths:?}, {gap}: {change} of 10");
            assert!(energy < 2.0, "{lengths:?}, {gap}: {energy}");
        }
    }
}

/// A lamp that swings on a rope is at the end of the rope after each step, in however many substeps
/// the bodies move: fewer in a short step after a long one, and under a budget. In a single substep
/// a push acts in one way only, so the lamp is up to a millimetre beside it.
#[test]
fn r_a_lamp_stays_at_the_end_of_its_rope() {
    let unlimited = LENGTHS.map(|lengths| (lengths, Budget::Unlimited));
    let few = [1, 2, 3, 5].map(|n| (LENGTHS[0], Budget::Steps(n)));
    for (lengths, budget) in unlimited.into_iter().chain([(&[4.0, 1.0][..], Budget::Unlimited)]).chain(few) {
        let mut world = World::new();
        let lamp = BodyDesc::dynamic(ball(0.1)).with_mass(1.0).with_position(Vec3::NEG_Y * 1.1);
        let lamp = world.insert(lamp.with_linear_velocity(Vec3::X)).unwrap();
        let points: Vec<Vec3> = (0..11).map(|k| Vec3::NEG_Y * (0.1 * k as f32)).collect();
        let rope = SoftBodyDesc::rope(&points, RopeSettings::default()).with_pinned(&[0]);
        let rope = world.insert_soft_body(rope).unwrap();
        world.soft_body_mut(rope).unwrap().attach(10, lamp).unwrap();
        let mut farthest = 0.0_f32;
        for length in lengths.iter().cycle().take(240) {
            world.checked_step_within(length / 240.0, budget).unwrap();
            let end = world.soft_body(rope).unwrap().positions()[10];
            let held = world.body(lamp).unwrap().pose().transform_point(Vec3::Y * 0.1);
            farthest = farthest.max(end.distance(held));
        }
        println!("{lengths:?}, {budget:?}: {farthest}");
        let limit = if budget == Budget::Steps(1) { 1e-3 } else { 1e-4 };
        assert!(farthest < limit, "{lengths:?}, {budget:?}: {farthest}");
    }
}

/// A sheet that hangs from two corners comes to hang, and stretches little.
#[test]
fn steps_of_many_lengths_add_no_energy() {
    for lengths in LENGTHS {
        let mut world = World::new();
        let sheet = SoftBodyDesc::grid([1.0, 1.0], [10, 10], ClothSettings::default());
        let sheet = world.insert_soft_body(sheet.with_pinned(&[0, 10])).unwrap();
        let (mut time, mut fastest, mut longest) = (0.0, 0.0_f32, 0.0_f32);
        for length in lengths.iter().cycle() {
            world.checked_step(length / 240.0).unwrap();
            time += length / 240.0;
            let view = world.soft_body(sheet).unwrap();
            fastest = view.velocities().iter().map(|v| v.length()).fold(fastest, f32::max);
            let at = view.positions();
            longest = longest.max(at[0].distance(at[11]) / 0.1);
            if 10.0 < time {
                break;
            }
        }
        println!("{lengths:?}: {fastest} m/s, {longest}");
        // Its edge falls by 2 m, and then whips.
        assert!(fastest < 10.0 && longest < 1.2, "{lengths:?}: {fastest} {longest}");
    }
}

/// A crate that a floor or a weld holds bears a soft block of 91 kg, though it is much lighter.
#[test]
fn a_light_crate_bears_a_heavy_block() {
    for (mass, is_welded) in [(2.0, false), (10.0, false), (100.0, false), (0.5, true)] {
        let mut world = World::new();
        let floor = BodyDesc::fixed(cuboid(Vec3::new(10.0, 0.5, 10.0))).with_position(Vec3::NEG_Y * 0.5);
        let floor = world.insert(floor).unwrap();
        let height = if is_welded { 1.0 } else { 0.1 };
        let crate_ = BodyDesc::dynamic(cuboid(Vec3::new(0.3, 0.1, 0.3))).with_mass(mass);
        let crate_ = world.insert(crate_.with_position(Vec3::Y * height)).unwrap();
        if is_welded {
            world.insert_joint(JointDesc::weld(floor, crate_)).unwrap();
        }
        let (vertices, cells) = tetrahedra([3, 3, 3], 0.15);
        let stiff = SoftBodySettings::default().with_youngs_modulus(1e6);
        let block = SoftBodyDesc::volume(&vertices, &cells, stiff).with_thickness(0.13);
        let block = block.with_position(Vec3::new(-0.225, height + 0.17, -0.225));
        let block = world.insert_soft_body(block).unwrap();
        assert!((world.soft_body(block).unwrap().mass() - 91.125).abs() < 0.01);
        for _ in 0..180 {
            world.checked_step(DT).unwrap();
        }
        let at = world.body(crate_).unwrap().position();
        let heights = world.soft_body(block).unwrap().positions().iter().map(|p| p.y);
        let lowest = heights.fold(f32::INFINITY, f32::min);
        println!("{mass} kg: {at}, the block is at {lowest}");
        assert!(at.distance(Vec3::Y * height) < 0.02, "{mass} kg: {at}");
        assert!((lowest - height - 0.165).abs() < 0.012, "{mass} kg: {lowest}");
    }
}
