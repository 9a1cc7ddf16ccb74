//! Soft things and bodies of unequal masses: light bodies under heavy soft things, and heavy
//! bodies on light cloth.

use crate::scenes::{CheckedStep, DT, ball, cuboid};
use crate::soft::tetrahedra;
use carom_math::{Pose, Vec3};
use carom_world::{
    BodyDesc, BodyId, ClothSettings, Grains, JointDesc, ParticlePhase, ParticlesDesc, RopeSettings,
    SoftBodyDesc, SoftBodyId, SoftBodySettings, World,
};

const GRAVITY: f32 = 9.81;
const BLOCK_MASS: f32 = 91.125;
const CRATE_HALF: Vec3 = Vec3::new(0.3, 0.1, 0.3);

/// A world with a floor of this friction at height 0.
fn on_floor(friction: f32) -> World {
    let mut world = World::new();
    let floor = BodyDesc::fixed(cuboid(Vec3::new(10.0, 0.5, 10.0))).with_position(Vec3::NEG_Y * 0.5);
    world.insert(floor.with_friction(friction)).unwrap();
    world
}

/// Crates of these masses on each other, from below.
fn stack(world: &mut World, masses: &[f32], friction: f32) -> Vec<BodyId> {
    let crate_ = |(k, &mass): (usize, &f32)| {
        let at = Vec3::Y * CRATE_HALF.y * (2 * k + 1) as f32;
        let desc = BodyDesc::dynamic(cuboid(CRATE_HALF)).with_mass(mass).with_friction(friction);
        world.insert(desc.with_position(at)).unwrap()
    };
    masses.iter().enumerate().map(crate_).collect()
}

/// Puts a soft block of 91 kg above this height.
fn block(world: &mut World, height: f32, friction: f32, restitution: f32) -> SoftBodyId {
    let (vertices, cells) = tetrahedra([3, 3, 3], 0.15);
    let stiff = SoftBodySettings::default().with_youngs_modulus(1e6);
    let block = SoftBodyDesc::volume(&vertices, &cells, stiff).with_thickness(0.13).with_friction(friction);
    let block = block.with_restitution(restitution).with_position(Vec3::new(-0.225, height + 0.066, -0.225));
    let block = world.insert_soft_body(block).unwrap();
    assert!((world.soft_body(block).unwrap().mass() - BLOCK_MASS).abs() < 0.01);
    block
}

fn position_of(world: &World, id: BodyId) -> Vec3 {
    world.body(id).unwrap().position()
}

/// The lowest vertex, less the radius of a vertex of the block.
fn bottom(world: &World, block: SoftBodyId) -> f32 {
    let heights = world.soft_body(block).unwrap().positions().iter().map(|p| p.y);
    heights.fold(f32::INFINITY, f32::min) - 0.065
}

/// The energy of motion and height of bodies and the block, whose corners count as its vertices.
fn energy(world: &World, bodies: &[BodyId], block: SoftBodyId) -> f32 {
    let of_body = |id: &BodyId| {
        let body = world.body(*id).unwrap();
        body.motion().kinetic_energy() + body.mass() * GRAVITY * body.position().y
    };
    let view = world.soft_body(block).unwrap();
    let vertex_mass = view.mass() / view.positions().len() as f32;
    let of_vertex = |(at, v): (&Vec3, &Vec3)| vertex_mass * (0.5 * v.length_squared() + GRAVITY * at.y);
    bodies.iter().map(of_body).sum::<f32>()
        + view.positions().iter().zip(view.velocities()).map(of_vertex).sum::<f32>()
}

/// Stacks of light crates bear a block of 91 kg that is laid on them, or dropped and bounces.
/// Nothing is thrown, and the energy is never above that at the start.
#[test]
fn stacks_of_light_crates_bear_a_heavy_block() {
    let stacks: [&[f32]; 8] =
        [&[0.1], &[0.5], &[2.0], &[2.0, 2.0], &[0.5, 0.5, 0.5, 0.5], &[100.0, 2.0], &[2.0, 20.0], &[10.0; 3]];
    for masses in stacks {
        for (gap, restitution) in [(0.0, 0.0), (0.3, 0.0), (0.3, 0.6), (0.3, 0.9)] {
            let mut world = on_floor(0.5);
            let crates = stack(&mut world, masses, 0.5);
            let top = 2.0 * CRATE_HALF.y * masses.len() as f32;
            let block = block(&mut world, top + gap, 0.5, restitution);
            let starts: Vec<Vec3> = crates.iter().map(|id| position_of(&world, *id)).collect();
            let start = energy(&world, &crates, block);
            let (mut far, mut gained) = (0.0_f32, 0.0_f32);
            for _ in 0..180 {
                world.checked_step(DT).unwrap();
                gained = gained.max(energy(&world, &crates, block) - start);
                let ways =
                    crates.iter().zip(&starts).map(|(id, start)| position_of(&world, *id).distance(*start));
                far = ways.fold(far, f32::max);
            }
            let bottom = bottom(&world, block) - top;
            println!(
                "{masses:?}, {gap}, {restitution}: {far} m, bottom {bottom}, gained {gained} J of {start}"
            );
            assert!(far < 0.02, "{masses:?}, {gap}, {restitution}: {far}");
            assert!(bottom.abs() < 0.012, "{masses:?}, {gap}, {restitution}: {bottom}");
            assert!(gained < 1e-3 * start, "{masses:?}, {gap}, {restitution}: {gained}");
        }
    }
}

/// On a slope of 10 degrees friction holds a light crate under a heavy block. Without friction
/// both slide as Galilei says.
#[test]
fn friction_holds_a_loaded_crate_on_a_slope() {
    const SLOPE: f32 = 0.176;
    for (masses, friction) in
        [(&[0.5][..], 0.5), (&[0.5, 0.5], 0.5), (&[100.0], 0.5), (&[2.0], 0.0), (&[100.0], 0.0)]
    {
        let mut world = on_floor(friction);
        world.solver_settings_mut().gravity = Vec3::new(GRAVITY * SLOPE, -GRAVITY, 0.0);
        let crates = stack(&mut world, masses, friction);
        let block = block(&mut world, 0.2 * masses.len() as f32, 0.5, 0.0);
        let n = 60;
        for _ in 0..n {
            world.checked_step(DT).unwrap();
        }
        let time = n as f32 * DT;
        let fall = if friction == 0.0 { 0.5 * GRAVITY * SLOPE * time * time } else { 0.0 };
        let slid = position_of(&world, crates[0]).x;
        let bottom = bottom(&world, block) - 0.2 * masses.len() as f32;
        println!("{masses:?}, {friction}: {slid} m of {fall} m, bottom {bottom}");
        assert!((slid - fall).abs() < 0.02 + 0.05 * fall, "{masses:?}, {friction}: {slid} {fall}");
        assert!(bottom.abs() < 0.02, "{masses:?}, {friction}: {bottom}");
    }
}

/// A platform carries a light crate under a heavy block up, down and aside.
#[test]
fn a_platform_carries_a_loaded_crate() {
    for velocity in [Vec3::Y * 0.5, Vec3::Y * -0.5, Vec3::new(0.6, 0.3, 0.2)] {
        for masses in [&[0.5][..], &[2.0, 2.0]] {
            let mut world = World::new();
            let platform =
                BodyDesc::kinematic(cuboid(Vec3::new(2.0, 0.5, 2.0))).with_position(Vec3::NEG_Y * 0.5);
            let platform = world.insert(platform).unwrap();
            let crates = stack(&mut world, masses, 0.5);
            let top = 0.2 * masses.len() as f32;
            let block = block(&mut world, top, 0.5, 0.0);
            let n = 120;
            for step in 0..n {
                let speed = (step as f32 / 30.0).min(1.0);
                world.body_mut(platform).unwrap().set_linear_velocity(velocity * speed).unwrap();
                world.checked_step(DT).unwrap();
            }
            let displacement = position_of(&world, platform) + Vec3::Y * 0.5;
            let crate_way = position_of(&world, crates[0]) - Vec3::Y * 0.1;
            let bottom = bottom(&world, block) - top - displacement.y;
            println!("{velocity}, {masses:?}: {crate_way} with {displacement}, bottom {bottom}");
            assert!(
                crate_way.distance(displacement) < 0.03,
                "{velocity}, {masses:?}: {crate_way} {displacement}"
            );
            assert!(bottom.abs() < 0.03, "{velocity}, {masses:?}: {bottom}");
        }
    }
}

/// A heavy cloth hangs over a light crate, a heavy rope lies on it, and grains are heaped on it.
/// It stays where it is.
#[test]
fn light_crates_bear_cloth_ropes_and_grains() {
    for (name, masses) in [
        ("cloth", &[0.2][..]),
        ("cloth", &[0.5, 0.5]),
        ("rope", &[0.2]),
        ("grains", &[0.2]),
        ("grains", &[0.5, 0.5]),
    ] {
        let mut world = on_floor(0.5);
        let crates = stack(&mut world, masses, 0.5);
        let top = 0.2 * masses.len() as f32;
        match name {
            "cloth" => {
                let cloth = SoftBodyDesc::grid([1.2, 1.2], [16, 16], ClothSettings::default());
                let cloth = cloth.with_density(20.0).with_position(Vec3::Y * (top + 0.05));
                world.insert_soft_body(cloth).unwrap();
            }
            "rope" => {
                let points: Vec<Vec3> =
                    (0..21).map(|k| Vec3::new(0.04 * (k as f32 - 10.0), top + 0.05, 0.0)).collect();
                let rope = SoftBodyDesc::rope(&points, RopeSettings::default()).with_density(50.0);
                world.insert_soft_body(rope).unwrap();
            }
            _ => {
                let heap = cuboid(Vec3::new(0.2, 0.2, 0.2));
                let grains = ParticlesDesc::new(ParticlePhase::Grains(Grains::default()), 0.035);
                let grains = grains.with_filling(&heap, &Pose::from_translation(Vec3::Y * (top + 0.22)));
                world.insert_particles(grains).unwrap();
            }
        }
        let mut far = 0.0_f32;
        for _ in 0..180 {
            world.checked_step(DT).unwrap();
            for (k, id) in crates.iter().enumerate() {
                far = far.max(position_of(&world, *id).distance(Vec3::Y * (0.1 + 0.2 * k as f32)));
            }
        }
        println!("{name} on {masses:?}: {far} m");
        assert!(far < 0.03, "{name} on {masses:?}: {far}");
    }
}

/// After the block is gone a stack of light crates stays, and can be pushed away.
#[test]
fn crates_stay_when_their_load_is_removed() {
    let mut world = on_floor(0.5);
    let crates = stack(&mut world, &[0.5, 0.5], 0.5);
    let block = block(&mut world, 0.4, 0.5, 0.0);
    (0..60).for_each(|_| _ = world.checked_step(DT).unwrap());
    world.remove_soft_body(block).unwrap();
    (0..60).for_each(|_| _ = world.checked_step(DT).unwrap());
    assert!(
        position_of(&world, crates[1]).distance(Vec3::Y * 0.3) < 0.01,
        "{}",
        position_of(&world, crates[1])
    );
    world.body_mut(crates[1]).unwrap().apply_impulse(Vec3::X * 1.0).unwrap();
    (0..60).for_each(|_| _ = world.checked_step(DT).unwrap());
    assert!(0.1 < position_of(&world, crates[1]).x, "{}", position_of(&world, crates[1]));
}

/// Balls and a box that fall 1.2 m are caught by a cloth of 0.2 kg, and lie in it. It is pinned at
/// its corners or along its edges.
#[test]
fn a_light_cloth_catches_heavy_bodies() {
    for has_edges in [false, true] {
        for n in [10_u32, 16, 24] {
            for (mass, is_box) in [(0.1, false), (1.0, false), (3.0, false), (10.0, false), (3.0, true)] {
                let name = format!("{mass} kg, box {is_box}, {n} cells, edges {has_edges}");
                let row = n + 1;
                let is_end = |k: u32| k == 0 || k == n;
                let is_pinned = |v: &u32| {
                    let [i, j] = [v % row, v / row].map(is_end);
                    if has_edges { i || j } else { i && j }
                };
                let pins: Vec<u32> = (0..row * row).filter(is_pinned).collect();
                let mut world = World::new();
                let sheet = SoftBodyDesc::grid([1.0, 1.0], [n, n], ClothSettings::default());
                let sheet = sheet.with_position(Vec3::Y * 2.0).with_pinned(&pins);
                let sheet = world.insert_soft_body(sheet).unwrap();
                let shape = if is_box { cuboid(Vec3::new(0.15, 0.1, 0.12)) } else { ball(0.15) };
                let load = BodyDesc::dynamic(shape).with_mass(mass).with_position(Vec3::Y * 3.35);
                let load = world.insert(load).unwrap();
                let (mut lowest, mut highest, mut longest) = (f32::INFINITY, 0.0_f32, 0.0_f32);
                for step in 0..240 {
                    world.checked_step(DT).unwrap();
                    let height = position_of(&world, load).y;
                    lowest = lowest.min(height);
                    if 45 < step {
                        highest = highest.max(height);
                    }
                    let at = world.soft_body(sheet).unwrap().positions();
                    // The lines of vertices through the middle, from pin to pin or edge to edge.
                    let vertex = |i: u32, j: u32| at[(i + j * row) as usize];
                    let along: f32 = (0..n).map(|i| vertex(i, n / 2).distance(vertex(i + 1, n / 2))).sum();
                    let across: f32 = (0..n).map(|j| vertex(n / 2, j).distance(vertex(n / 2, j + 1))).sum();
                    longest = longest.max(along).max(across);
                }
                let end = position_of(&world, load);
                let speed = world.body(load).unwrap().linear_velocity().length();
                println!("{name}: down to {lowest}, up to {highest}, at {end}, cloth {longest}, {speed} m/s");
                assert!(1.5 < lowest && highest < 3.0, "{name}: {lowest} {highest}");
                assert!(longest < 1.2, "{name}: {longest}");
                assert!(end.x.abs().max(end.z.abs()) < 0.3 && speed < 1.0, "{name}: {end} {speed}");
            }
        }
    }
}

/// Balls that fall on cloth that stretches, or fly at a curtain, do not get through: with any
/// stiffness, fine and coarse, and many times as heavy as the cloth. The settings are the default
/// ones.
#[test]
fn a_cloth_that_stretches_catches_heavy_bodies() {
    let falls = [(1e4, 5.0), (1e4, 10.0), (1e5, 10.0), (1e6, 10.0), (1e5, 40.0)].map(|(k, m)| (k, m, 0.0));
    let flights = [(5e3, 5.0, 12.0), (1e4, 5.0, 12.0), (1e6, 5.0, 12.0), (1e5, 2.0, 20.0)];
    for (k, (stiffness, mass, speed)) in falls.into_iter().chain(flights).enumerate() {
        for n in if k % 5 == 1 { &[20_u32, 32][..] } else { &[20] } {
            let n = *n;
            let name = format!("{stiffness} N/m, {mass} kg at {speed} m/s, {n} cells");
            let row = n + 1;
            let is_end = |k: u32| k == 0 || k == n;
            let rim: Vec<u32> = (0..row * row).filter(|v| is_end(v % row) || is_end(v / row)).collect();
            let mut world = World::new();
            let settings = ClothSettings::default().with_stretch_stiffness(stiffness);
            let sheet = SoftBodyDesc::grid([2.0, 2.0], [n, n], settings).with_density(0.3);
            world.insert_soft_body(sheet.with_pinned(&rim)).unwrap();
            let (radius, height) = (0.2, if speed == 0.0 { 1.24 } else { 0.6 });
            let load = BodyDesc::dynamic(ball(radius)).with_mass(mass);
            let load = load.with_position(Vec3::new(0.03, height, 0.02));
            let load = load.with_linear_velocity(Vec3::Y * -speed);
            if 0.0 < speed {
                world.solver_settings_mut().gravity = Vec3::ZERO;
            }
            let load = world.insert(load).unwrap();
            let mut lowest = f32::INFINITY;
            for _ in 0..120 {
                world.checked_step(DT).unwrap();
                lowest = lowest.min(position_of(&world, load).y);
            }
            println!("{name}: down to {lowest}, at {}", position_of(&world, load));
            assert!(-1.0 < lowest, "{name}: {lowest}");
        }
    }
}

/// A light plate on a slider at its limit bears a heavy soft block that falls on it, in the middle
/// and beside it, whichever body of the joint it is. The joint bears the weight.
#[test]
fn a_slider_at_its_limit_bears_a_heavy_block() {
    for (mass, n_cells, is_first, aside) in [
        (5.0, 3, false, 0.0),
        (5.0, 4, false, 0.0),
        (5.0, 4, true, 0.0),
        (1.0, 4, false, 0.0),
        (20.0, 4, false, 0.0),
        (5.0, 3, false, 0.5),
    ] {
        let name = format!("{mass} kg, {n_cells} cells, first {is_first}, {aside} m aside");
        let mut world = World::new();
        let base = BodyDesc::fixed(cuboid(Vec3::splat(0.05))).with_position(Vec3::NEG_Y);
        let base = world.insert(base).unwrap();
        let plate = BodyDesc::dynamic(cuboid(Vec3::new(1.0, 0.05, 1.0))).with_mass(mass);
        let plate = world.insert(plate.with_position(Vec3::NEG_Y * 0.05)).unwrap();
        let joint = if is_first {
            JointDesc::prismatic(plate, base).with_axis(Vec3::Y).with_limits(-1.0, 0.0)
        } else {
            JointDesc::prismatic(base, plate).with_axis(Vec3::Y).with_limits(0.0, 1.0)
        };
        let joint = world.insert_joint(joint).unwrap();
        let (vertices, cells) = tetrahedra([n_cells; 3], 0.5 / n_cells as f32);
        let block = SoftBodyDesc::volume(&vertices, &cells, SoftBodySettings::default());
        let block = block.with_position(Vec3::new(aside - 0.25, 0.5, -0.25));
        let block = world.insert_soft_body(block).unwrap();
        let (mut far, mut force, n) = (0.0_f32, 0.0, 60);
        for step in 0..240 {
            world.checked_step(DT).unwrap();
            far = far.max((position_of(&world, plate).y + 0.05).abs());
            if 240 - n <= step {
                force += world.joint(joint).unwrap().force().y.abs() / n as f32;
            }
        }
        let heights = world.soft_body(block).unwrap().positions().iter().map(|p| p.y);
        let bottom = heights.fold(f32::INFINITY, f32::min);
        let weight = GRAVITY * (mass + world.soft_body(block).unwrap().mass());
        println!("{name}: {far} m, bottom {bottom}, {force} N of {weight} N");
        assert!(far < 0.05, "{name}: {far}");
        assert!(0.0 < bottom, "{name}: {bottom}");
        assert!((force / weight - 1.0).abs() < 0.1, "{name}: {force} of {weight}");
    }
}

/// A light plank on four posts, with four contacts on each, bears a heavy block over any of them,
/// in whatever order the posts were inserted.
#[test]
fn r_each_of_many_posts_bears_a_plank() {
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2]] {
        for post in [0, 3] {
            let mut world = World::new();
            let place = |k: usize| 0.75 * k as f32 - 1.125;
            for k in order {
                let desc = BodyDesc::fixed(cuboid(Vec3::new(0.075, 0.5, 0.3)));
                world.insert(desc.with_position(Vec3::new(place(k), -0.5, 0.0))).unwrap();
            }
            let plank = BodyDesc::dynamic(cuboid(Vec3::new(1.2, 0.05, 0.3))).with_mass(1.0);
            let plank = world.insert(plank.with_position(Vec3::Y * 0.05)).unwrap();
            let (vertices, cells) = tetrahedra([3, 3, 3], 0.15);
            let stiff = SoftBodySettings::default().with_youngs_modulus(1e6);
            let block =
                SoftBodyDesc::volume(&vertices, &cells, stiff).with_thickness(0.13).with_friction(0.5);
            let at = Vec3::new(place(post) * 0.87 - 0.225, 0.1 + 0.066, -0.225);
            let block = world.insert_soft_body(block.with_position(at)).unwrap();
            for _ in 0..120 {
                world.checked_step(DT).unwrap();
            }
            let (moved, bottom) = (place_of_plank(&world, plank), bottom(&world, block) - 0.1);
            println!("{order:?}, over {post}: {moved} m, bottom {bottom}");
            assert!(moved < 0.01, "{order:?}, over {post}: {moved}");
            assert!(bottom.abs() < 0.012, "{order:?}, over {post}: {bottom}");
        }
    }
}

/// How far the ends of a plank of length 2.4 are from where they lie on the posts.
fn place_of_plank(world: &World, plank: BodyId) -> f32 {
    let pose = world.body(plank).unwrap().pose();
    let end = |x: f32| pose.transform_point(Vec3::X * x).distance(Vec3::new(x, 0.05, 0.0));
    end(-1.2).max(end(1.2))
}

/// A lid on two hinges lies on a sill at its other edge, which bears what lies on it.
#[test]
fn r_a_lid_on_hinges_and_a_sill_bears_a_heavy_block() {
    let mut world = World::new();
    let frame = world.insert(BodyDesc::fixed(ball(0.01)).with_position(Vec3::Y * -5.0)).unwrap();
    let sill = BodyDesc::fixed(cuboid(Vec3::new(0.1, 0.5, 0.5)));
    world.insert(sill.with_position(Vec3::new(0.45, -0.5, 0.0))).unwrap();
    let lid = BodyDesc::dynamic(cuboid(Vec3::new(0.5, 0.05, 0.5))).with_mass(1.0);
    let lid = world.insert(lid.with_position(Vec3::Y * 0.05)).unwrap();
    for z in [-0.4, 0.4] {
        let hinge = JointDesc::revolute(frame, lid).with_anchor(Vec3::new(-0.5, 0.05, z)).with_axis(Vec3::Z);
        world.insert_joint(hinge).unwrap();
    }
    let block = block(&mut world, 0.1, 0.5, 0.0);
    for _ in 0..120 {
        world.checked_step(DT).unwrap();
    }
    let moved = position_of(&world, lid).distance(Vec3::Y * 0.05);
    let bottom = bottom(&world, block) - 0.1;
    println!("lid {moved} m, bottom {bottom}");
    assert!(moved < 0.01, "{moved}");
    assert!(bottom.abs() < 0.012, "{bottom}");
}
