//! Soft things that are attached to bodies which do not yield or which jump, and soft things that
//! are put elsewhere.

use crate::scenes::{CheckedStep, DT, ball, cuboid, ground, restored};
use crate::soft::tetrahedra;
use carom_math::{Pose, Quat, Vec3};
use carom_world::{
    BodyDesc, BodyId, ClothSettings, Grains, Liquid, LockedAxes, ParticleError, ParticlePhase, ParticlesDesc,
    RopeSettings, SoftBodyDesc, SoftBodyId, SoftBodySettings, SoftError, World, WorldError,
};

fn run(world: &mut World, n_steps: u32) {
    for _ in 0..n_steps {
        world.checked_step(DT).unwrap();
    }
}

/// The thing that holds both ends of a hammock.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Posts {
    Pins,
    Fixed,
    Kinematic,
    /// Kinematic ones that rise.
    Rising,
    /// Dynamic ones with all axes locked.
    Locked,
}

/// A box of 40 kg falls into a hammock of 0.8 kg. It holds alike whatever holds its ends, if that
/// does not yield.
#[test]
fn a_hammock_holds_on_any_body_that_does_not_yield() {
    let mut pinned = 0.0;
    for posts in [Posts::Pins, Posts::Fixed, Posts::Kinematic, Posts::Rising, Posts::Locked] {
        let mut world = World::new();
        let n = [20_u32, 8];
        let row = n[0] + 1;
        let desc = SoftBodyDesc::grid([2.0, 0.8], n, ClothSettings::default().with_damping(1.0));
        let mut desc = desc.with_density(0.5).with_position(Vec3::Y * 1.5);
        let ends: Vec<u32> = (0..=n[1]).flat_map(|j| [j * row, j * row + n[0]]).collect();
        if posts == Posts::Pins {
            desc = desc.with_pinned(&ends);
        }
        let hammock = world.insert_soft_body(desc).unwrap();
        let shape = cuboid(Vec3::new(0.05, 1.0, 0.5));
        let post = match posts {
            Posts::Pins | Posts::Fixed => BodyDesc::fixed(shape),
            Posts::Kinematic | Posts::Rising => BodyDesc::kinematic(shape),
            Posts::Locked => BodyDesc::dynamic(shape).with_locked_axes(LockedAxes::all()),
        };
        let places = [-1.1, 1.1].map(|x| Vec3::new(x, 1.0, 0.0));
        let ids = places.map(|at| world.insert(post.clone().with_position(at)).unwrap());
        if posts != Posts::Pins {
            for (k, &end) in ends.iter().enumerate() {
                world.soft_body_mut(hammock).unwrap().attach(end, ids[k % 2]).unwrap();
            }
        }
        let load = BodyDesc::dynamic(cuboid(Vec3::new(0.25, 0.1, 0.2))).with_mass(40.0);
        let load = world.insert(load.with_position(Vec3::Y * 1.65)).unwrap();
        let rise = if posts == Posts::Rising { 0.2 } else { 0.0 };
        for step in 1..=180 {
            if posts == Posts::Rising {
                for (id, place) in ids.iter().zip(places) {
                    let target = Pose::from_translation(place + Vec3::Y * (rise * DT * step as f32));
                    world.body_mut(*id).unwrap().move_to(target).unwrap();
                }
            }
            world.checked_step(DT).unwrap();
        }
        let height = world.body(load).unwrap().position().y - 3.0 * rise;
        println!("{posts:?}: {height} m");
        if posts == Posts::Pins {
            pinned = height;
            assert!(1.1 < height && height < 1.5, "{height}");
        }
        assert!((height - pinned).abs() < 0.05, "{posts:?}: {height} of {pinned}");
    }
}

/// A beam of jelly, a cloth and a rope hang from a wall alike, pinned or attached to it.
#[test]
fn vertices_on_a_wall_are_pins() {
    let (vertices, cells) = tetrahedra([6, 1, 1], 0.1);
    let line: Vec<Vec3> = (0..11).map(|k| Vec3::X * (0.1 * k as f32)).collect();
    let jelly = SoftBodySettings::default().with_youngs_modulus(1e5).with_damping(3.0);
    let rope = RopeSettings::default().with_bend_stiffness(0.5).with_damping(2.0);
    let cloth = ClothSettings::default().with_stretch_stiffness(200.0).with_damping(2.0);
    let all = [
        (SoftBodyDesc::volume(&vertices, &cells, jelly), vec![0, 1, 2, 3]),
        (SoftBodyDesc::rope(&line, rope), vec![0, 1]),
        (SoftBodyDesc::grid([0.8, 0.8], [8, 8], cloth).with_density(0.3), (0..9).collect()),
    ];
    for (k, (desc, held)) in all.into_iter().enumerate() {
        let ends = [false, true].map(|is_attached| {
            let mut world = World::new();
            // A sensor holds, and what it holds does not collide with it.
            let wall = BodyDesc::fixed(cuboid(Vec3::ONE)).with_sensor(true);
            let wall = world.insert(wall.with_position(Vec3::X * -2.0)).unwrap();
            let pins = if is_attached { &[][..] } else { &held[..] };
            // So thin that its vertices do not touch each other.
            let desc = desc.clone().with_thickness(0.04).with_pinned(pins);
            let id = world.insert_soft_body(desc).unwrap();
            for &vertex in held.iter().filter(|_| is_attached) {
                world.soft_body_mut(id).unwrap().attach(vertex, wall).unwrap();
            }
            run(&mut world, 60);
            world.soft_body(id).unwrap().positions().to_vec()
        });
        let off = ends[0].iter().zip(&ends[1]).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
        let sag = ends[0].iter().map(|p| -p.y).fold(0.0, f32::max);
        println!("body {k}: off by {off} m, down to {sag} m");
        assert!(0.02 < sag && off < 1e-3, "body {k}: {off} {sag}");
    }
}

/// The highest speed of a vertex.
fn fastest(world: &World, id: SoftBodyId) -> f32 {
    world.soft_body(id).unwrap().velocities().iter().map(|v| v.length()).fold(0.0, f32::max)
}

/// A body jumps by 20 m, and what is attached to it follows, or a rope pulls it back to a pin. Two
/// radii of a vertex in a substep are less than 10 m/s here. A body that is pulled gets twice as
/// fast, and a rope that cracks like a whip ten times. In one step they would have 1200 m/s.
#[test]
fn a_jump_of_a_body_pulls_its_rope_at_a_limited_speed() {
    let (vertices, cells) = tetrahedra([2, 2, 2], 0.1);
    let line: Vec<Vec3> = (0..=10).map(|i| Vec3::X * (0.1 * i as f32)).collect();
    let jelly = SoftBodySettings::default().with_damping(2.0);
    let cloth = ClothSettings::default().with_damping(2.0);
    let rope = RopeSettings::default().with_damping(2.0);
    let all = [
        ("rope", SoftBodyDesc::rope(&line, rope), vec![0], false),
        ("rope with a pin", SoftBodyDesc::rope(&line, rope).with_pinned(&[10]), vec![0], true),
        ("cloth", SoftBodyDesc::grid([0.6, 0.6], [6, 6], cloth), vec![0, 6], false),
        ("jelly", SoftBodyDesc::volume(&vertices, &cells, jelly), vec![0, 1, 2], false),
    ];
    for (name, desc, held, is_pinned) in all {
        for kinematic in [false, true] {
            if kinematic && is_pinned {
                // No motion brings both ends of the rope to their places.
                continue;
            }
            let mut world = World::new();
            world.insert(ground().with_friction(0.5)).unwrap();
            let box_ = cuboid(Vec3::splat(0.3));
            let body = if kinematic { BodyDesc::kinematic(box_) } else { BodyDesc::dynamic(box_) };
            let body = world.insert(body.with_position(Vec3::new(-0.6, 0.3, 0.0))).unwrap();
            let soft = desc.clone().with_thickness(0.04).with_position(Vec3::Y * 0.4);
            let soft = world.insert_soft_body(soft).unwrap();
            for &vertex in &held {
                world.soft_body_mut(soft).unwrap().attach(vertex, body).unwrap();
            }
            run(&mut world, 30);
            let gap = |world: &World| {
                let at = world.soft_body(soft).unwrap().positions()[held[0] as usize];
                at.distance(world.body(body).unwrap().position())
            };
            let before = gap(&world);
            let at = world.body(body).unwrap().position();
            world.body_mut(body).unwrap().set_position(at - Vec3::X * 20.0).unwrap();
            let (mut top, mut top_body) = (0.0_f32, 0.0_f32);
            for _ in 0..240 {
                world.checked_step(DT).unwrap();
                top = top.max(fastest(&world, soft));
                top_body = top_body.max(world.body(body).unwrap().linear_velocity().length());
            }
            let now = gap(&world);
            println!("{name}, {kinematic}: {top} m/s, body {top_body} m/s, {now} m apart of {before}");
            assert!(top < 100.0 && top_body < 25.0, "{name}: {top} {top_body}");
            assert!((now - before).abs() < 0.1, "{name}: {now} of {before}");
        }
    }
}

/// The kinds of soft bodies for the tests of motions, each with the vertices to hold.
fn kinds() -> Vec<(&'static str, SoftBodyDesc, Vec<u32>)> {
    let (vertices, cells) = tetrahedra([3, 1, 1], 0.2);
    let line: Vec<Vec3> = (0..11).map(|k| Vec3::X * (0.1 * k as f32)).collect();
    let soft_rope = RopeSettings::default().with_stretch_stiffness(500.0).with_bend_stiffness(0.1);
    let jelly = SoftBodySettings::default().with_youngs_modulus(1e5);
    vec![
        ("rope", SoftBodyDesc::rope(&line, RopeSettings::default()), vec![0]),
        ("soft rope", SoftBodyDesc::rope(&line, soft_rope), vec![0]),
        ("cloth", SoftBodyDesc::grid([1.0, 1.0], [8, 8], ClothSettings::default()), vec![0, 8]),
        ("jelly", SoftBodyDesc::volume(&vertices, &cells, jelly), vec![0, 1]),
    ]
}

/// A soft body that moves, and is held by pins or by a body, is put elsewhere in the midst. It goes
/// on there as one that was not moved does here, in gravity that is turned alike.
#[test]
fn a_moved_soft_body_goes_on_as_it_would_have() {
    let turn = Quat::from_rotation_y(2.5) * Quat::from_rotation_x(3.0);
    for motion in
        [Pose::from_translation(Vec3::new(3.0, -8.0, 5.0)), Pose::new(turn, Vec3::new(3.0, 8.0, 5.0))]
    {
        for (name, desc, held) in kinds() {
            for attaches in [false, true] {
                let scenes = [false, true].map(|moves| {
                    let mut world = World::new();
                    let desc = desc.clone().with_velocity(Vec3::new(0.3, -0.5, 1.0));
                    let pins = if attaches { &[][..] } else { &held[..] };
                    let id = world.insert_soft_body(desc.with_pinned(pins)).unwrap();
                    let stone = BodyDesc::dynamic(ball(0.1)).with_mass(2.0).with_position(Vec3::X * -0.5);
                    let stone = world.insert(stone).unwrap();
                    for &vertex in held.iter().filter(|_| attaches) {
                        world.soft_body_mut(id).unwrap().attach(vertex, stone).unwrap();
                    }
                    run(&mut world, 30);
                    if moves {
                        move_all(&mut world, id, stone, &motion);
                    }
                    run(&mut world, 20);
                    let back = if moves { motion.inverse() } else { Pose::IDENTITY };
                    let view = world.soft_body(id).unwrap();
                    let points = view.positions().iter().map(|p| back.transform_point(*p));
                    points.collect::<Vec<Vec3>>()
                });
                let off = scenes[0].iter().zip(&scenes[1]).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
                println!("{name}, {attaches}: off by {off} m");
                assert!(off < 5e-3, "{name}, {attaches}, {motion:?}: {off}");
            }
        }
    }
}

/// Moves a soft body, the body that holds it, and gravity.
fn move_all(world: &mut World, soft: SoftBodyId, body: BodyId, motion: &Pose) {
    world.soft_body_mut(soft).unwrap().transform(motion).unwrap();
    let view = world.body(body).unwrap();
    let (pose, velocities) = (view.pose(), [view.linear_velocity(), view.angular_velocity()]);
    let mut view = world.body_mut(body).unwrap();
    view.set_pose(*motion * pose).unwrap();
    view.set_linear_velocity(motion.transform_vector(velocities[0])).unwrap();
    view.set_angular_velocity(motion.transform_vector(velocities[1])).unwrap();
    let gravity = world.settings().solver.gravity;
    world.solver_settings_mut().gravity = motion.transform_vector(gravity);
}

/// Pins go along, mesh and positions are up to date at once, and a snapshot goes on with the same
/// bits.
#[test]
fn a_moved_soft_body_is_whole() {
    for (name, desc, held) in kinds() {
        let mut world = World::new();
        world.insert(ground()).unwrap();
        let id = world.insert_soft_body(desc.with_position(Vec3::Y).with_pinned(&held)).unwrap();
        run(&mut world, 20);
        let before = world.soft_body(id).unwrap().positions().to_vec();
        let motion = Pose::new(Quat::from_rotation_z(1.0), Vec3::new(4.0, 2.0, 0.0));
        world.soft_body_mut(id).unwrap().transform(&motion).unwrap();
        world.soft_body_mut(id).unwrap().translate(Vec3::Y).unwrap();
        let expected: Vec<Vec3> = before.iter().map(|p| motion.transform_point(*p) + Vec3::Y).collect();
        let view = world.soft_body(id).unwrap();
        assert_eq!(view.positions(), expected, "{name}");
        if let Some(mesh) = view.mesh() {
            assert_eq!(mesh.mesh().vertices(), expected, "{name}");
        }
        let mut other: World = restored(&world.snapshot(), &world).unwrap();
        for _ in 0..30 {
            world.checked_step(DT).unwrap();
            other.checked_step(DT).unwrap();
            assert_eq!(world.state_hash(), other.state_hash(), "{name}");
        }
        let now = world.soft_body(id).unwrap().positions();
        for vertex in held {
            assert_eq!(now[vertex as usize], expected[vertex as usize], "{name}");
        }
    }
}

/// A box sleeps on a cloth, which is taken away: it wakes and falls. A motion that is not rigid or
/// leads out of the range changes nothing.
#[test]
fn the_things_on_a_moved_cloth_fall() {
    let mut world = World::new();
    world.insert(ground()).unwrap();
    let row = 11;
    let rim: Vec<u32> =
        (0..row * row).filter(|v| [v % row, v / row].iter().any(|k| k % (row - 1) == 0)).collect();
    let cloth = SoftBodyDesc::grid([1.0, 1.0], [10, 10], ClothSettings::default().with_damping(5.0));
    let cloth = cloth.with_density(2.0).with_position(Vec3::Y * 2.0).with_pinned(&rim);
    let cloth = world.insert_soft_body(cloth).unwrap();
    let stone = BodyDesc::dynamic(cuboid(Vec3::new(0.3, 0.1, 0.3))).with_mass(1.0);
    let stone = world.insert(stone.with_position(Vec3::Y * 2.2)).unwrap();
    run(&mut world, 240);
    let height = |world: &World| world.body(stone).unwrap().position().y;
    assert!(1.7 < height(&world), "{}", height(&world));

    let state = world.state_hash();
    let skewed = Pose::new(Quat::from_xyzw(0.0, 0.0, 0.0, 2.0), Vec3::ZERO);
    assert!(world.soft_body_mut(cloth).unwrap().transform(&skewed).is_err());
    assert!(world.soft_body_mut(cloth).unwrap().translate(Vec3::NAN).is_err());
    assert_eq!(state, world.state_hash());

    world.soft_body_mut(cloth).unwrap().translate(Vec3::X * 5.0).unwrap();
    run(&mut world, 90);
    assert!(height(&world) < 0.15, "{}", height(&world));
}

/// Particles are put elsewhere, with their velocities. A wrong index or number changes nothing.
#[test]
fn particles_are_put_elsewhere() {
    let mut world = World::new();
    world.solver_settings_mut().gravity = Vec3::ZERO;
    let grains = ParticlesDesc::new(ParticlePhase::Grains(Grains::default()), 0.05);
    let places: Vec<Vec3> = (0..4).map(|k| Vec3::X * k as f32).collect();
    let grains = grains.with_positions(&places).with_velocity(Vec3::Z);
    let id = world.insert_particles(grains).unwrap();
    let state = world.state_hash();
    let mut view = world.particles_mut(id).unwrap();
    let missing = view.set_positions(&[(0, Vec3::Y), (4, Vec3::Y)]).err();
    assert_eq!(missing, Some(WorldError::Soft(SoftError::NoSuchVertex { vertex: 4 })));
    assert!(view.set_positions(&[(1, Vec3::NAN)]).is_err());
    assert_eq!(state, world.state_hash());
    let changes = [(2, Vec3::Y * 3.0), (0, Vec3::Y)];
    world.particles_mut(id).unwrap().set_positions(&changes).unwrap();
    let expected = [Vec3::Y, Vec3::X, Vec3::Y * 3.0, Vec3::X * 3.0];
    assert_eq!(world.particles(id).unwrap().positions(), expected);
    run(&mut world, 60);
    for (at, from) in world.particles(id).unwrap().positions().iter().zip(expected) {
        assert!(at.distance(from + Vec3::Z) < 0.01, "{at} {from}");
    }
}

/// Soft things come and go: a snapshot is as long after a thousand of them as after one. The things
/// that stay go on, also in a restored world.
#[cfg(feature = "serde")]
#[test]
fn removed_soft_things_leave_nothing_in_a_snapshot() {
    let length = |world: &World| serde_json::to_string(&world.snapshot()).unwrap().len();
    let line: Vec<Vec3> = (0..6).map(|k| Vec3::new(0.1 * k as f32, 3.0, 0.0)).collect();
    let rope = || SoftBodyDesc::rope(&line, RopeSettings::default());
    let liquid = |at: f32| {
        let water = ParticlesDesc::new(ParticlePhase::Liquid(Liquid::default()), 0.05);
        water.with_positions(&[Vec3::new(0.0, at, 1.0), Vec3::new(0.1, at, 1.0)])
    };
    for stays in [false, true] {
        let mut world = World::new();
        world.insert(ground()).unwrap();
        let sand = ParticlesDesc::new(ParticlePhase::Grains(Grains::default()), 0.05);
        let sand = sand.with_positions(&[Vec3::Y, Vec3::new(0.3, 1.0, 0.0)]);
        let _first = world.insert_soft_body(rope().with_thickness(0.1)).unwrap();
        let sand = stays.then(|| world.insert_particles(sand).unwrap());
        let mut lengths = Vec::new();
        for cycle in 0..100 {
            let thin = world.insert_soft_body(rope().with_thickness(0.06)).unwrap();
            let other = world.insert_particles(liquid(2.0)).unwrap();
            let thick = world.insert_soft_body(rope().with_position(Vec3::Z * 2.0)).unwrap();
            world.remove_soft_body(thin).unwrap();
            world.remove_particles(other).unwrap();
            world.remove_soft_body(thick).unwrap();
            if 90 <= cycle {
                lengths.push(length(&world));
            }
        }
        println!("{lengths:?}");
        // Generations count up, and have more digits.
        let digits = 3 * 3;
        assert!(lengths[9] <= lengths[0] + digits, "{lengths:?}");
        let mut other: World = restored(&world.snapshot(), &world).unwrap();
        for _ in 0..60 {
            world.checked_step(DT).unwrap();
            other.checked_step(DT).unwrap();
            assert_eq!(world.state_hash(), other.state_hash());
        }
        if let Some(sand) = sand {
            assert!(world.particles(sand).unwrap().positions().iter().all(|p| p.y < 0.06));
        }
    }
}

/// A soft body whose vertices would leave the range is named in the error.
#[test]
fn a_motion_out_of_range_names_the_vertex() {
    let mut world = World::new();
    let rope = SoftBodyDesc::rope(&[Vec3::ZERO, Vec3::X], RopeSettings::default()).with_thickness(0.1);
    let id = world.insert_soft_body(rope.with_position(Vec3::X * 3e38)).unwrap();
    let refused = world.soft_body_mut(id).unwrap().translate(Vec3::X * 3e38).err();
    let bad = ParticleError::BadParticle { particle: 0 };
    assert_eq!(refused, Some(WorldError::Soft(SoftError::Particles(bad))));
}
