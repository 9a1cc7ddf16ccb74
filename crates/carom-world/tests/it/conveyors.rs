//! Belts: surfaces that move along themselves.

use crate::scenes::{DT, ball, cuboid, energy, ground, is_bad, world_on};
use carom_broad::{BroadPhase, BruteForce};
use carom_broad_tree::DynamicBvh;
use carom_math::{Pose, Quat, Vec3};
use carom_testkit::random::Random;
use carom_world::{BodyDesc, BodyId, ColliderDesc, Material, PartMaterial, World, WorldError, WorldSettings};

const G: f32 = 9.81;

/// A belt with its top at height 0, and friction 1, so that the friction of a pair is the root of
/// the other's.
fn belt(velocity: Vec3, spin: Vec3) -> BodyDesc {
    BodyDesc::fixed(cuboid(Vec3::new(50.0, 1.0, 50.0)))
        .with_position(Vec3::NEG_Y)
        .with_friction(1.0)
        .with_surface_velocity(velocity, spin)
}

fn parcel(friction: f32) -> BodyDesc {
    BodyDesc::dynamic(cuboid(Vec3::new(0.5, 0.25, 0.5)))
        .with_position(Vec3::Y * 0.25)
        .with_friction(friction * friction)
}

fn velocity<B: BroadPhase>(world: &World<B>, body: BodyId) -> Vec3 {
    world.body(body).unwrap().linear_velocity()
}

fn run(world: &mut World, seconds: f32) {
    for _ in 0..(seconds / DT).round() as usize {
        world.step(DT).unwrap();
    }
}

#[test]
fn a_box_gains_speed_by_friction_until_it_goes_with_the_belt() {
    for (friction, speed) in [(0.2, 3.0), (0.5, 2.0), (0.05, 0.3)] {
        let mut world = World::new();
        world.insert(belt(Vec3::X * speed, Vec3::ZERO)).unwrap();
        let parcel = world.insert(parcel(friction)).unwrap();
        let until = speed / (friction * G);
        for step in 1..=(2.0 * until / DT) as usize {
            world.step(DT).unwrap();
            let time = step as f32 * DT;
            let expected = (friction * G * time).min(speed);
            let found = velocity(&world, parcel);
            // The first step lands it: half a step more or less.
            assert!((found.x - expected).abs() < 0.02 * speed + friction * G * DT, "{time}: {found}");
            assert!(found.y.abs() < 0.02 && found.z.abs() < 1e-3 * speed, "{time}: {found}");
        }
        let found = velocity(&world, parcel);
        assert!((found.x - speed).abs() < 1e-3 * speed, "{found}");
    }
}

/// Slipping friction gives a ball both velocity and spin until it rolls: at 2/7 of the speed of the
/// belt.
#[test]
fn a_ball_rolls_at_two_sevenths_of_the_speed() {
    let mut world = World::new();
    world.insert(belt(Vec3::X * 3.5, Vec3::ZERO)).unwrap();
    let ball =
        world.insert(BodyDesc::dynamic(ball(0.5)).with_position(Vec3::Y * 0.5).with_friction(0.25)).unwrap();
    run(&mut world, 2.0);
    let found = velocity(&world, ball);
    assert!((found.x - 1.0).abs() < 0.02, "{found}");
    let spin = world.body(ball).unwrap().angular_velocity();
    assert!((spin.z - (3.5 - found.x) / 0.5).abs() < 0.02, "{spin}");
}

/// On a turntable, and on a curved belt whose centre is not that of the body.
#[test]
fn a_box_goes_round_on_a_curved_belt() {
    for center in [Vec3::ZERO, Vec3::new(3.0, 0.0, -2.0)] {
        let mut world = World::new();
        let spin = Vec3::Y * 0.8;
        world.insert(belt(-spin.cross(center), spin)).unwrap();
        let start = center + Vec3::new(2.0, 0.25, 0.0);
        let speed = spin.cross(Vec3::X * 2.0);
        let desc = parcel(0.8).with_position(start).with_linear_velocity(speed).with_angular_velocity(spin);
        let parcel = world.insert(desc).unwrap();
        // A whole turn.
        run(&mut world, core::f32::consts::TAU / 0.8);
        let body = world.body(parcel).unwrap().motion();
        let away = body.pose.translation - center;
        let radius = away.with_y(0.0).length();
        assert!((radius - 2.0).abs() < 0.01, "{radius}");
        assert!((body.linear_velocity.length() - 1.6).abs() < 0.03, "{}", body.linear_velocity);
        assert!((body.angular_velocity.y - 0.8).abs() < 0.02, "{}", body.angular_velocity);
        assert!(away.x > 1.8, "{away}");
    }
}

/// A belt has no velocity along the normal: the box before its end is not pushed.
#[test]
fn the_end_of_a_belt_pushes_nothing() {
    let mut world = World::new();
    world.insert(ground()).unwrap();
    let belt = BodyDesc::fixed(cuboid(Vec3::new(2.0, 1.0, 2.0))).with_position(Vec3::Y);
    world.insert(belt.with_surface_velocity(Vec3::X * 5.0, Vec3::ZERO)).unwrap();
    let at = Vec3::new(2.5, 0.5, 0.0);
    let body = world.insert(BodyDesc::dynamic(cuboid(Vec3::splat(0.5))).with_position(at)).unwrap();
    run(&mut world, 2.0);
    let offset = world.body(body).unwrap().position() - at;
    assert!(offset.length() < 0.01, "{offset}");
}

/// The velocity is in the frame of the body, and turns with it.
#[test]
fn a_belt_turns_with_its_body() {
    let turn = Quat::from_rotation_y(1.1);
    let mut world = World::new();
    let pose = Pose::new(turn, Vec3::NEG_Y);
    world.insert(belt(Vec3::X, Vec3::ZERO).with_pose(pose)).unwrap();
    let parcel = world.insert(parcel(0.5)).unwrap();
    run(&mut world, 2.0);
    let found = velocity(&world, parcel);
    assert!((found - turn * Vec3::X).length() < 0.01, "{found}");
}

/// Uphill, while friction holds it.
#[test]
fn a_belt_carries_a_box_up_a_slope() {
    let turn = Quat::from_rotation_z(0.3);
    let mut world = World::new();
    let pose = Pose::new(turn, turn * Vec3::NEG_Y);
    world.insert(belt(Vec3::X * 0.5, Vec3::ZERO).with_pose(pose)).unwrap();
    let desc = parcel(0.6).with_pose(Pose::new(turn, turn * Vec3::Y * 0.25));
    let parcel = world.insert(desc).unwrap();
    run(&mut world, 3.0);
    let found = velocity(&world, parcel);
    assert!((found - turn * Vec3::X * 0.5).length() < 0.01, "{found}");
}

/// A body with a belt drives on what does not move, and pushes away what does: momentum is kept.
#[test]
fn a_tracked_body_drives_and_keeps_momentum() {
    let mut world = World::new();
    world.insert(ground()).unwrap();
    let tank = BodyDesc::dynamic(cuboid(Vec3::new(1.0, 0.3, 0.6))).with_position(Vec3::Y * 0.3);
    let tank = world.insert(tank.with_surface_velocity(Vec3::X * -2.0, Vec3::ZERO)).unwrap();
    run(&mut world, 2.0);
    let found = velocity(&world, tank);
    assert!((found - Vec3::X * 2.0).length() < 0.02, "{found}");

    let mut world = World::new();
    world.insert(ground().with_friction(0.0)).unwrap();
    let plank = BodyDesc::dynamic(cuboid(Vec3::new(6.0, 0.1, 2.0))).with_position(Vec3::Y * 0.1);
    let plank = world.insert(plank).unwrap();
    let tank = BodyDesc::dynamic(cuboid(Vec3::new(1.0, 0.3, 0.6))).with_position(Vec3::Y * 0.5);
    let tank = world.insert(tank.with_surface_velocity(Vec3::X * -2.0, Vec3::ZERO)).unwrap();
    run(&mut world, 1.0);
    let bodies = [tank, plank].map(|id| *world.body(id).unwrap().motion());
    let momentum: Vec3 = bodies.iter().map(|body| body.linear_velocity / body.inverse_mass).sum();
    let size = bodies[0].linear_velocity.length() / bodies[0].inverse_mass;
    assert!(momentum.with_y(0.0).length() < 1e-4 * size, "{momentum} of {size}");
    let apart = bodies[0].linear_velocity.x - bodies[1].linear_velocity.x;
    assert!((apart - 2.0).abs() < 0.02, "{apart}");
}

/// The work of a belt in a step is at most friction times weight times its speed.
#[test]
fn the_power_of_a_belt_is_bounded() {
    let speed = 4.0;
    let mut random = Random::new(5);
    let mut world = World::new();
    world.insert(belt(Vec3::X * speed, Vec3::ZERO)).unwrap();
    let mut bodies = Vec::new();
    for k in 0..12 {
        let half = Vec3::splat(random.range(0.2, 0.4) as f32);
        let at = Vec3::new(2.0 * k as f32 - 12.0, half.y, 0.0);
        let desc = BodyDesc::dynamic(if k % 3 == 0 { ball(half.x) } else { cuboid(half) });
        bodies.push(world.insert(desc.with_position(at).with_friction(0.16)).unwrap());
    }
    let mass = |id: &BodyId| 1.0 / world.body(*id).unwrap().motion().inverse_mass;
    let weight: f32 = bodies.iter().map(mass).sum::<f32>() * G;
    let bound = f64::from(0.4 * weight * speed);
    let first = energy(&world);
    let mut gained = 0.0f64;
    for step in 1..=240 {
        world.step(DT).unwrap();
        gained = energy(&world) - first;
        let time = f64::from(DT) * f64::from(step);
        assert!(gained <= bound * time * 1.02 + 1e-3 * bound, "{step}: {gained}");
    }
    assert!(0.0 < gained);
}

#[test]
fn a_riding_body_stays_awake_and_a_held_one_sleeps() {
    // Also far below the speed of sleep.
    for speed in [1.0, 0.02, 1e-3] {
        let mut world = World::new();
        let belt = world.insert(belt(Vec3::X * speed, Vec3::ZERO)).unwrap();
        let wall = BodyDesc::fixed(cuboid(Vec3::splat(0.5))).with_position(Vec3::new(1.0, 0.5, 10.0));
        let wall = world.insert(wall).unwrap();
        let rides = world.insert(parcel(0.5)).unwrap();
        let held = world.insert(parcel(0.5).with_position(Vec3::new(0.0, 0.25, 10.0))).unwrap();
        for _ in 0..600 {
            world.step(DT).unwrap();
            assert!(!world.body(rides).unwrap().is_sleeping(), "{speed}");
        }
        assert!(world.body(held).unwrap().is_sleeping(), "{speed}");
        let travel = world.body(rides).unwrap().position().x;
        assert!((travel / (10.0 * speed) - 1.0).abs() < 0.05, "{speed}: {travel}");

        world.remove(wall).unwrap();
        run(&mut world, 1.0);
        assert!((velocity(&world, held).x / speed - 1.0).abs() < 0.05, "{speed}");

        // It stops, and so do they; it starts, and they wake.
        world.body_mut(belt).unwrap().set_surface_velocity(Vec3::ZERO, Vec3::ZERO).unwrap();
        run(&mut world, 4.0);
        assert!(world.body(rides).unwrap().is_sleeping() && world.body(held).unwrap().is_sleeping());
        world.body_mut(belt).unwrap().set_surface_velocity(Vec3::Z * speed, Vec3::ZERO).unwrap();
        assert!(!world.body(rides).unwrap().is_sleeping() && !world.body(held).unwrap().is_sleeping());
        run(&mut world, 1.0);
        assert!((velocity(&world, held).z / speed - 1.0).abs() < 0.05, "{speed}");
    }
}

#[test]
fn a_bouncing_ball_is_pulled_along() {
    let mut world = World::new();
    world.insert(belt(Vec3::X * 2.0, Vec3::ZERO)).unwrap();
    let desc = BodyDesc::dynamic(ball(0.5)).with_position(Vec3::Y * 2.0).with_restitution(0.8);
    let ball = world.insert(desc).unwrap();
    let mut highest = 0.0f32;
    for step in 0..120 {
        world.step(DT).unwrap();
        if 40 < step {
            highest = highest.max(world.body(ball).unwrap().position().y - 0.5);
        }
    }
    // 0.64 of 1.5.
    assert!((highest - 0.96).abs() < 0.03, "{highest}");
    assert!(0.2 < velocity(&world, ball).x, "{}", velocity(&world, ball));
}

#[test]
fn wrong_numbers_are_refused_and_change_nothing() {
    let mut world = World::new();
    let belt = world.insert(belt(Vec3::X, Vec3::Y)).unwrap();
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let wrong = Vec3::new(0.0, bad, 0.0);
        let desc = parcel(0.5).with_surface_velocity(wrong, Vec3::ZERO);
        assert!(is_bad(world.insert(desc), "surface velocity", bad));
        let mut view = world.body_mut(belt).unwrap();
        assert!(is_bad(view.set_surface_velocity(Vec3::ZERO, wrong), "surface spin", bad));
        assert_eq!(world.body(belt).map(|body| body.surface_velocity()), Ok([Vec3::X, Vec3::Y]));
    }
    let gone = world.insert(parcel(0.5).with_surface_velocity(Vec3::X, Vec3::ZERO)).unwrap();
    world.remove(gone).unwrap();
    assert_eq!(
        world.body_mut(gone).and_then(|mut body| body.set_surface_velocity(Vec3::X, Vec3::X).map(|_| ())),
        Err(WorldError::StaleBody(gone))
    );
    assert_eq!(world.body(gone).map(|body| body.surface_velocity()), Err(WorldError::StaleBody(gone)));
    // The number passes to another body, which has no belt.
    let new = world.insert(parcel(0.5)).unwrap();
    assert_eq!(new.index(), gone.index());
    assert_eq!(world.body(new).map(|body| body.surface_velocity()), Ok([Vec3::ZERO; 2]));
}

/// Numbers of any size leave bodies where numbers are.
#[test]
fn enormous_belts_do_no_harm() {
    for size in [1e-38, 1e-20, 1e10, 1e20, f32::MAX] {
        for spin in [false, true] {
            let mut world = World::new();
            let v = Vec3::new(size, -size, size);
            let [linear, turning] = if spin { [Vec3::ZERO, v] } else { [v, Vec3::ZERO] };
            world.insert(belt(linear, turning)).unwrap();
            let bodies = [0.0, 3.0].map(|x| {
                let desc = parcel(0.5).with_position(Vec3::new(x, 0.25, 1.0));
                world.insert(desc.with_restitution(0.5)).unwrap()
            });
            for _ in 0..120 {
                world.step(DT).unwrap();
                let is_finite = |id: BodyId| {
                    world.body(id).unwrap().pose().is_finite() && velocity(&world, id).is_finite()
                };
                assert!(bodies.iter().all(|&id| is_finite(id)));
            }
        }
    }
}

/// Belts of all kinds with boxes and balls on them.
fn factory<B: BroadPhase + Default>() -> (World<B>, Vec<BodyId>) {
    let mut world = world_on::<B>();
    world.insert(ground()).unwrap();
    let mut belts = Vec::new();
    for k in 0..4 {
        let along = Quat::from_rotation_y(core::f32::consts::FRAC_PI_2 * k as f32);
        let pose = Pose::new(along, along * Vec3::new(0.0, 0.5, 4.0));
        let desc = BodyDesc::fixed(cuboid(Vec3::new(3.0, 0.5, 1.0))).with_pose(pose);
        let spin = if k == 2 { Vec3::Y * 0.3 } else { Vec3::ZERO };
        belts.push(world.insert(desc.with_surface_velocity(Vec3::X * 1.5, spin)).unwrap());
    }
    for k in 0..40 {
        let turn = Quat::from_rotation_y(core::f32::consts::FRAC_PI_2 * (k % 4) as f32);
        let at = turn * Vec3::new(-2.0 + 0.9 * (k / 4 % 5) as f32, 1.5 + (k / 20) as f32, 4.0);
        let shape = if k % 5 == 0 { ball(0.3) } else { cuboid(Vec3::new(0.3, 0.2, 0.25)) };
        let desc = BodyDesc::dynamic(shape).with_position(at);
        let own = if k % 7 == 0 { Vec3::X } else { Vec3::ZERO };
        world.insert(desc.with_surface_velocity(own, Vec3::ZERO)).unwrap();
    }
    (world, belts)
}

fn trace<B: BroadPhase + Default>(n_steps: usize, restores: bool) -> Vec<u64> {
    let (mut world, belts) = factory::<B>();
    let mut hashes = Vec::new();
    for step in 0..n_steps {
        if step == 60 {
            world.body_mut(belts[0]).unwrap().set_surface_velocity(Vec3::X * -1.0, Vec3::Y).unwrap();
        }
        if restores && step % 25 == 20 {
            world = crate::scenes::restored(&world.snapshot(), &world).unwrap();
        }
        world.step(DT).unwrap();
        hashes.push(world.state_hash());
    }
    hashes
}

#[test]
fn the_same_bits_with_any_broad_phase_and_after_any_snapshot() {
    let expected = trace::<DynamicBvh>(120, false);
    assert_eq!(expected, trace::<BruteForce>(120, false));
    assert_eq!(expected, trace::<DynamicBvh>(120, true));
}

#[cfg(feature = "parallel")]
#[test]
fn the_same_bits_on_one_two_and_four_threads() {
    let with = |n: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
        pool.install(|| trace::<DynamicBvh>(120, false))
    };
    let one = with(1);
    assert!([2, 4].iter().all(|&n| one == with(n)));
}

/// More substeps, and a step that is made of fewer, bring a box to the same speed.
#[test]
fn any_number_of_substeps_reaches_the_speed() {
    for substeps in [1, 2, 6, 20] {
        let mut settings = WorldSettings::default();
        settings.solver = settings.solver.with_substeps(substeps);
        let mut world: World = World::with_settings(settings);
        world.insert(belt(Vec3::Z * 2.0, Vec3::ZERO)).unwrap();
        let parcel = world.insert(parcel(0.5)).unwrap();
        run(&mut world, 2.0);
        let found = velocity(&world, parcel);
        assert!((found - Vec3::Z * 2.0).length() < 0.01, "{substeps}: {found}");
    }
}

/// The velocity of a surface is that of the part, in the world frame, whatever the poses of the
/// body and of the collider are.
#[test]
fn the_surface_velocity_of_a_part_is_in_the_world_frame() {
    let turn = Quat::from_rotation_y(core::f32::consts::FRAC_PI_2);
    let moving = Material::default().with_surface_velocity(Vec3::X, Vec3::Y);
    let [one, other] = [Vec3::X * 3.0, Vec3::X * -3.0]
        .map(|position| ColliderDesc::new(cuboid(Vec3::ONE)).with_position(position));
    let body = BodyDesc::fixed(one).with_collider(other.with_rotation(turn).with_material(moving));
    let mut world = World::new();
    let body = world.insert(body.with_pose(Pose::new(turn, Vec3::Y * 7.0))).unwrap();
    let view = world.body(body).unwrap();
    let parts: Vec<u32> = view.colliders().map(|collider| collider.first_part()).collect();
    assert_eq!(view.surface_velocity_at(parts[0], Vec3::ONE), [Vec3::ZERO; 2]);
    // The second collider is at (0, 7, 3) in the world, turned by half a turn.
    let origin = Vec3::new(0.0, 7.0, 3.0);
    for (point, expected) in [(origin, Vec3::NEG_X), (origin + Vec3::Z, Vec3::ZERO)] {
        let [velocity, spin] = view.surface_velocity_at(parts[1], point);
        assert!((velocity - expected).length() < 1e-5, "{point}: {velocity}");
        assert!((spin - Vec3::Y).length() < 1e-6, "{spin}");
    }
    // A part with a material of its own has its motion.
    let still = PartMaterial::new(Material::default());
    let second = world.body(body).unwrap().colliders().nth(1).unwrap().id();
    world.collider_mut(second).unwrap().set_part_materials(vec![still]).unwrap();
    assert_eq!(world.body(body).unwrap().surface_velocity_at(parts[1], origin), [Vec3::ZERO; 2]);
}

/// A floor of two planks at z = -1 and 1, with its top at height 0. The second plank is turned by
/// half a turn about y.
fn planks() -> BodyDesc {
    let plank = |z: f32, turn: f32| {
        let pose = Pose::new(Quat::from_rotation_y(turn), Vec3::new(0.0, -0.5, z));
        ColliderDesc::new(cuboid(Vec3::new(9.0, 0.5, 1.0))).with_pose(pose)
    };
    let floor = BodyDesc::fixed(plank(-1.0, 0.0)).with_collider(plank(1.0, core::f32::consts::PI));
    floor.with_friction(1.0)
}

/// The belt of a body is in the frame of the body, whatever the poses of its colliders are.
#[test]
fn a_belt_of_a_body_of_several_colliders_is_in_its_frame() {
    let mut world = World::new();
    let floor = world.insert(planks()).unwrap();
    world.body_mut(floor).unwrap().set_surface_velocity(Vec3::X, Vec3::ZERO).unwrap();
    let parcels = [-1.0, 1.0].map(|z| {
        let desc = BodyDesc::dynamic(cuboid(Vec3::new(0.5, 0.25, 0.5))).with_friction(0.25);
        world.insert(desc.with_position(Vec3::new(0.0, 0.25, z))).unwrap()
    });
    run(&mut world, 2.0);
    for id in parcels {
        assert!((velocity(&world, id) - Vec3::X).length() < 0.02, "{}", velocity(&world, id));
    }
    // Zero stops all of them.
    world.body_mut(floor).unwrap().set_surface_velocity(Vec3::ZERO, Vec3::ZERO).unwrap();
    run(&mut world, 2.0);
    assert!(parcels.iter().all(|&id| world.body(id).unwrap().is_sleeping()));
}

/// A turntable of two halves turns about the origin of the body, not about each half.
#[test]
fn a_turntable_of_two_colliders_turns_about_the_body() {
    let mut world = World::new();
    let floor = world.insert(planks()).unwrap();
    let spin = Vec3::Y * 0.8;
    world.body_mut(floor).unwrap().set_surface_velocity(Vec3::ZERO, spin).unwrap();
    for z in [-1.0, 1.0] {
        let start = Vec3::new(0.0, 0.25, z);
        let desc = BodyDesc::dynamic(cuboid(Vec3::new(0.2, 0.25, 0.2))).with_friction(0.64);
        let desc = desc.with_position(start).with_linear_velocity(spin.cross(Vec3::Z * z));
        let parcel = world.insert(desc.with_angular_velocity(spin)).unwrap();
        run(&mut world, 0.25 * core::f32::consts::TAU / 0.8);
        let position = world.body(parcel).unwrap().position();
        assert!((position - Vec3::new(z, 0.25, 0.0)).length() < 0.05, "{z}: {position}");
        world.remove(parcel).unwrap();
    }
}

/// The body returns the belt that was set, with one collider or several, and each collider shows
/// its own in its frame.
#[test]
fn the_belt_that_was_set_is_returned_in_the_same_frame() {
    let set = [Vec3::new(1.0, 0.5, -2.0), Vec3::new(0.0, 0.8, 0.1)];
    let mut world = World::new();
    let turned = ColliderDesc::new(cuboid(Vec3::ONE))
        .with_pose(Pose::new(Quat::from_rotation_x(1.2), Vec3::new(3.0, -1.0, 0.5)));
    for desc in [BodyDesc::fixed(ball(1.0)), planks(), BodyDesc::fixed(turned)] {
        let id = world.insert(desc).unwrap();
        world.body_mut(id).unwrap().set_surface_velocity(set[0], set[1]).unwrap();
        let view = world.body(id).unwrap();
        let found = view.surface_velocity();
        assert!((0..2).all(|k| (found[k] - set[k]).length() < 1e-5), "{found:?}");
        for collider in view.colliders() {
            let point = Vec3::new(0.3, 2.0, -1.0);
            let [own, _] = view.surface_velocity_at(collider.first_part(), point);
            assert!((own - (set[0] + set[1].cross(point))).length() < 1e-5, "{own}");
        }
    }
    // At the far end of the finite range there is no such velocity.
    let far = ColliderDesc::new(ball(1.0)).with_position(Vec3::X * 1e10);
    let far = world.insert(BodyDesc::fixed(far)).unwrap();
    let refused = world.body_mut(far).unwrap().set_surface_velocity(Vec3::ZERO, Vec3::Y * 1e30).map(drop);
    assert!(matches!(refused, Err(WorldError::BadValue { what: "surface velocity", .. })), "{refused:?}");
    assert_eq!(world.body(far).unwrap().surface_velocity(), [Vec3::ZERO; 2]);
    assert_eq!(world.validate(), Ok(()));
}
