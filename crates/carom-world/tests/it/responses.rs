//! Bodies that stick, knock each other away or pass: what is kept, what is lost, what is reported.

use crate::of_unit_density;
use crate::scenes::{CheckedStep, DT, ball, cuboid, ground, is_bad};
use carom_broad::{BroadPhase, BruteForce};
use carom_broad_tree::DynamicBvh;
use carom_math::glam::DVec3;
use carom_math::{Pose, Quat, Vec3};
use carom_testkit::random::Random;
use carom_world::{
    BodyDesc, BodyId, Budget, ColliderDesc, EventKind, JointDesc, JointKind, Response, ResponseEvent, World,
    WorldError, WorldSettings,
};

fn weightless<B: BroadPhase + Default>() -> World<B> {
    let settings = WorldSettings::default();
    World::with_broad_phase(B::default(), settings.with_solver(settings.solver.with_gravity(Vec3::ZERO)))
}

fn sticky(shape: carom_query::Shape, at: Vec3, velocity: Vec3) -> BodyDesc {
    let desc = of_unit_density(shape).with_position(at).with_linear_velocity(velocity);
    desc.with_response(Response::Stick)
}

/// Momentum, angular momentum about the origin, and kinetic energy.
fn sums<B: BroadPhase>(world: &World<B>) -> (DVec3, DVec3, f64) {
    let mut sums = (DVec3::ZERO, DVec3::ZERO, 0.0);
    for body in world.body_ids().map(|id| *world.body(id).unwrap().motion()) {
        if 0.0 < body.inverse_mass {
            let momentum = body.linear_velocity.as_dvec3() / f64::from(body.inverse_mass);
            sums.0 += momentum;
            sums.1 += body.world_center().as_dvec3().cross(momentum) + body.angular_momentum();
            sums.2 += body.energy(Vec3::ZERO, 0.0).kinetic;
        }
    }
    sums
}

fn run<B: BroadPhase>(world: &mut World<B>, n_steps: usize) -> Vec<ResponseEvent> {
    let mut told = Vec::new();
    for _ in 0..n_steps {
        world.checked_step(DT).unwrap();
        world.validate().unwrap();
        told.extend_from_slice(world.responses());
    }
    told
}

fn velocity(world: &World, id: BodyId) -> Vec3 {
    world.body(id).unwrap().linear_velocity()
}

/// How far two bodies have moved against each other since they had these poses.
fn drift(world: &World, [a, b]: [BodyId; 2], old: [Pose; 2]) -> f32 {
    let new = [world.body(a).unwrap().pose(), world.body(b).unwrap().pose()];
    let [was, is] = [old, new].map(|[a, b]| b.relative_to(&a));
    (was.translation - is.translation).length() + was.rotation.angle_between(is.rotation)
}

#[test]
fn two_balls_that_join() {
    // Whatever the restitution: what sticks does not bounce.
    for restitution in [0.0, 0.9] {
        let mut world = weightless::<DynamicBvh>();
        let desc = |x: f32, speed: f32| {
            sticky(ball(0.5), Vec3::X * x, Vec3::X * speed).with_restitution(restitution)
        };
        let a = world.insert(desc(-2.0, 3.0)).unwrap();
        let b = world.insert(desc(1.0, -1.0).with_response(Response::Collide)).unwrap();
        let before = sums(&world);
        let told = run(&mut world, 60);
        let [stuck] = told[..] else { panic!("{told:?}") };
        assert_eq!((stuck.a, stuck.b, stuck.response), (a, b, Response::Stick));
        let joint = world.joint(stuck.joint.unwrap()).unwrap();
        assert_eq!(joint.kind(), JointKind::Weld);
        // Half the reduced mass times the square of the speed of approach.
        let mass = f64::from(world.body(a).unwrap().motion().inverse_mass).recip();
        assert!((stuck.energy_lost / (0.25 * mass * 16.0) - 1.0).abs() < 1e-5, "{}", stuck.energy_lost);
        for id in [a, b] {
            assert!((velocity(&world, id) - Vec3::X).length() < 1e-5, "{}", velocity(&world, id));
        }
        let after = sums(&world);
        assert!((before.0 - after.0).length() < 1e-5 && (before.1 - after.1).length() < 1e-5);
        assert!((before.2 - after.2 - stuck.energy_lost).abs() < 1e-5 * before.2);
    }
}

/// Off the centre and turning, of all shapes: momentum and angular momentum stay, and the two
/// bodies are one from then on.
#[test]
fn off_centre_hits_keep_the_angular_momentum() {
    let mut random = Random::new(1);
    let mut n_stuck = 0;
    for case in 0..40 {
        let mut world = weightless::<DynamicBvh>();
        let mut point = |scale: f32| random.cube_point().as_vec3() * scale;
        let shape = |k: usize| if k.is_multiple_of(2) { ball(0.4) } else { cuboid(Vec3::new(0.7, 0.3, 0.4)) };
        let a = sticky(shape(case), Vec3::NEG_X * 2.0 + point(0.4), Vec3::X * 4.0 + point(0.5));
        let b = sticky(shape(case / 2), point(0.4), point(0.5));
        let a = world
            .insert(
                a.with_linear_velocity(Vec3::X * 4.0)
                    .with_angular_velocity(point(3.0))
                    .with_ccd(case % 3 == 0),
            )
            .unwrap();
        let b = b.with_linear_velocity(Vec3::ZERO).with_angular_velocity(point(3.0));
        let b = world.insert(b).unwrap();
        let before = sums(&world);
        let mut told = Vec::new();
        for _ in 0..45 {
            if told.is_empty() {
                told = run(&mut world, 1);
            }
        }
        let Some(stuck) = told.first() else { continue };
        n_stuck += 1;
        let poses = [a, b].map(|id| world.body(id).unwrap().pose());
        let at_once = sums(&world);
        run(&mut world, 60);
        let after = sums(&world);
        let size = before.0.length();
        println!(
            "{case}: angular momentum off by {:.1e} at once, by {:.1e} a second later; drift {:.1e}",
            (before.1 - at_once.1).length() / size,
            (before.1 - after.1).length() / size,
            drift(&world, [a, b], poses),
        );
        assert!((before.0 - at_once.0).length() < 1e-5 * size, "{case}");
        // The solver's levers are those of the start of the step, and bodies slide meanwhile: up to
        // a few centimetres here, times the impulse.
        assert!((before.1 - at_once.1).length() < 0.02 * size, "{case}");
        assert!((before.2 - at_once.2 - stuck.energy_lost).abs() < 0.02 * before.2, "{case}");
        // Then the joint holds them.
        assert!((before.0 - after.0).length() < 1e-5 * size, "{case}: {} to {}", before.0, after.0);
        assert!((at_once.1 - after.1).length() < 5e-3 * size, "{case}: {} to {}", before.1, after.1);
        assert!(0.0 < stuck.energy_lost);
        assert!(drift(&world, [a, b], poses) < 5e-3, "{case}: {}", drift(&world, [a, b], poses));
    }
    assert!(20 < n_stuck, "{n_stuck} of 40 met");
}

/// A bullet of 0.05 kg at 200 m/s in a box of 1.95 kg: both slide on at 5 m/s.
fn bullet_and_box(world: &mut World, box_at: Vec3, friction: f32) -> [BodyId; 2] {
    let target = of_unit_density(cuboid(Vec3::splat(0.25))).with_position(box_at).with_density(15.6);
    let target = world.insert(target.with_friction(friction)).unwrap();
    let radius = 0.02_f32;
    let density = 0.05 / (4.0 / 3.0 * std::f32::consts::PI * radius.powi(3));
    let bullet = sticky(ball(radius), box_at - Vec3::X * 6.0, Vec3::X * 200.0).with_density(density);
    [world.insert(bullet.with_ccd(true).with_gravity_scale(0.0)).unwrap(), target]
}

#[test]
fn a_bullet_sticks_in_a_box_that_slides() {
    let mut world = World::new();
    world.insert(ground()).unwrap();
    let [bullet, target] = bullet_and_box(&mut world, Vec3::Y * 0.25, 0.0);
    let told = run(&mut world, 30);
    assert_eq!(told.len(), 1);
    // 1000 J before, 25 J after.
    assert!((told[0].energy_lost / 975.0 - 1.0).abs() < 0.01, "{}", told[0].energy_lost);
    for id in [bullet, target] {
        let v = velocity(&world, id);
        assert!((v - Vec3::X * 5.0).length() < 0.02, "{v}");
    }
    // On a rough floor it comes to rest after v^2 / (2 mu g), and stays upright with its bullet in
    // it.
    let mut world = World::new();
    world.insert(ground().with_friction(0.5)).unwrap();
    let [bullet, target] = bullet_and_box(&mut world, Vec3::Y * 0.25, 0.5);
    run(&mut world, 180);
    let travel = world.body(target).unwrap().position().x;
    assert!((travel / (25.0 / (2.0 * 0.5 * 9.81)) - 1.0).abs() < 0.05, "{travel}");
    let apart = world.body(bullet).unwrap().position().x - travel;
    assert!((apart + 0.27).abs() < 0.01, "{apart}");
}

/// The ballistic pendulum: it rises to v^2 / (2 g).
#[test]
fn a_bullet_sticks_in_a_box_that_hangs() {
    let mut world = World::new();
    let [bullet, target] = bullet_and_box(&mut world, Vec3::ZERO, 0.5);
    let hook = world.insert(BodyDesc::fixed(ball(0.1)).with_position(Vec3::Y * 4.0)).unwrap();
    // Two rods to each end, so that the box does not turn.
    for (x, z) in [(-0.25, -0.25), (-0.25, 0.25), (0.25, -0.25), (0.25, 0.25)] {
        let own = Pose::from_translation(Vec3::new(x, 0.0, z));
        let above = Pose::from_translation(Vec3::new(x, 0.0, z));
        let rod = JointKind::Distance { min: 4.0, max: 4.0 };
        world.insert_joint(JointDesc::new(target, hook, rod).with_frames(own, above)).unwrap();
    }
    let mut told = Vec::new();
    let (mut highest, mut fastest) = (0.0_f32, 0.0_f32);
    for _ in 0..90 {
        told.extend(run(&mut world, 1));
        highest = highest.max(world.body(target).unwrap().position().y);
        fastest = fastest.max(velocity(&world, target).x);
    }
    assert_eq!((told.len(), told[0].a, told[0].b), (1, bullet.min(target), bullet.max(target)));
    println!("a pendulum of 2 kg starts at {fastest:.3} m/s and rises by {highest:.3} m");
    assert!((fastest / 5.0 - 1.0).abs() < 0.02, "{fastest}");
    // The bullet feels no gravity here.
    assert!((highest / (25.0 / (2.0 * 9.81) * (2.0 / 1.95)) - 1.0).abs() < 0.01, "{highest}");
}

/// A sleeping body moves as one that is awake, wherever the other one is when the step begins.
#[test]
fn a_sleeping_body_takes_its_part_of_the_momentum() {
    for k in 0..12 {
        let mut world = weightless::<DynamicBvh>();
        let sleeper = world.insert(sticky(ball(0.5), Vec3::ZERO, Vec3::ZERO)).unwrap();
        run(&mut world, 60);
        assert!(world.body(sleeper).unwrap().is_sleeping());
        let start = Vec3::NEG_X * (1.5 + 0.003 * k as f32);
        let other = of_unit_density(ball(0.5)).with_position(start).with_linear_velocity(Vec3::X * 2.0);
        let other = world.insert(other.with_ccd(k % 2 == 0)).unwrap();
        assert_eq!(run(&mut world, 30).len(), 1);
        for id in [sleeper, other] {
            assert!((velocity(&world, id) - Vec3::X).length() < 1e-4, "{k}: {}", velocity(&world, id));
        }
    }
}

/// Three equal balls in a row: 6, then 3, then 2 m/s, and all three in one motion.
#[test]
fn three_bodies_in_a_chain() {
    let mut world = weightless::<DynamicBvh>();
    let ids: Vec<BodyId> = [(-2.0, 6.0), (0.0, 0.0), (2.0, 0.0)]
        .map(|(x, speed)| world.insert(sticky(ball(0.5), Vec3::X * x, Vec3::X * speed)).unwrap())
        .into();
    let mut told = Vec::new();
    let mut speeds = Vec::new();
    for _ in 0..90 {
        let now = run(&mut world, 1);
        speeds.extend(now.iter().map(|_| ids.iter().map(|&id| velocity(&world, id).x).collect::<Vec<_>>()));
        told.extend(now);
    }
    let pairs: Vec<_> = told.iter().map(|event| (event.a, event.b)).collect();
    assert_eq!(pairs, [(ids[0], ids[1]), (ids[1], ids[2])]);
    let is_near = |speeds: &[f32], expected: [f32; 3]| {
        speeds.iter().zip(expected).all(|(speed, expected)| (speed - expected).abs() < 1e-4)
    };
    assert!(is_near(&speeds[0], [3.0, 3.0, 0.0]) && is_near(&speeds[1], [2.0; 3]), "{speeds:?}");
    // The energies: half of the first impact's, then a third of what was left.
    let mass = f64::from(world.body(ids[0]).unwrap().motion().inverse_mass).recip();
    for (event, lost) in told.iter().zip([9.0, 3.0]) {
        assert!((event.energy_lost / (mass * lost) - 1.0).abs() < 1e-3, "{}", event.energy_lost / mass);
    }
    assert_eq!(world.joints().count(), 2);
}

#[test]
fn a_body_sticks_to_a_wall_under_gravity_and_sleeps_there() {
    let mut world = World::new();
    let wall = BodyDesc::fixed(cuboid(Vec3::new(0.5, 5.0, 5.0))).with_response(Response::Stick);
    let wall = world.insert(wall).unwrap();
    let start = of_unit_density(cuboid(Vec3::splat(0.2))).with_position(Vec3::new(-3.0, 2.0, 0.3));
    let dart = world
        .insert(start.with_linear_velocity(Vec3::X * 8.0).with_angular_velocity(Vec3::new(1.0, 2.0, 3.0)))
        .unwrap();
    let told = run(&mut world, 60);
    assert_eq!((told.len(), told[0].a, told[0].b), (1, wall, dart));
    let stuck_at = world.body(dart).unwrap().pose();
    run(&mut world, 120);
    let moved = (world.body(dart).unwrap().position() - stuck_at.translation).length();
    assert!(moved < 1e-3, "{moved}");
    assert!(world.body(dart).unwrap().is_sleeping());
    // And on what its owner moves it rides along.
    let mut world = World::new();
    let disc = BodyDesc::kinematic(cuboid(Vec3::new(2.0, 0.2, 2.0)));
    let disc = disc.with_angular_velocity(Vec3::Y).with_response(Response::Stick);
    world.insert(disc).unwrap();
    let rider = of_unit_density(ball(0.2)).with_position(Vec3::new(1.5, 0.6, 0.0)).with_friction(0.0);
    let rider = world.insert(rider).unwrap();
    assert_eq!(run(&mut world, 120).len(), 1);
    let motion = world.body(rider).unwrap().motion();
    let spot = motion.world_center();
    assert!((motion.linear_velocity - Vec3::Y.cross(spot)).length() < 0.02, "{}", motion.linear_velocity);
    assert!((Vec3::new(spot.x, 0.0, spot.z).length() - 1.5).abs() < 0.02, "{spot}");
}

#[test]
fn parted_bodies_collide_again() {
    let mut world = weightless::<DynamicBvh>();
    let a = world.insert(sticky(ball(0.5), Vec3::NEG_X, Vec3::X * 2.0)).unwrap();
    let b = world.insert(of_unit_density(ball(0.5)).with_position(Vec3::X * 0.5)).unwrap();
    let told = run(&mut world, 60);
    assert_eq!(told.len(), 1);
    world.body_mut(a).unwrap().set_response(Response::Collide).unwrap();
    world.remove_joint(told[0].joint.unwrap()).unwrap();
    world
        .body_mut(b)
        .unwrap()
        .set_linear_velocity(Vec3::NEG_X)
        .unwrap()
        .set_angular_velocity(Vec3::ZERO)
        .unwrap();
    assert_eq!(run(&mut world, 30), []);
    let apart = world.body(b).unwrap().position().x - world.body(a).unwrap().position().x;
    assert!(0.98 < apart, "{apart}");
}

#[test]
fn a_knocked_body_flies_off_and_momentum_is_kept() {
    for is_fast in [false, true] {
        let mut world = weightless::<DynamicBvh>();
        let club = Response::Knock { impulse: 2.0 };
        let bat = of_unit_density(ball(0.5)).with_position(Vec3::NEG_X * 2.0).with_response(club);
        let bat = world.insert(bat.with_linear_velocity(Vec3::X * 2.0).with_ccd(is_fast)).unwrap();
        let hit = world.insert(of_unit_density(ball(0.25)).with_position(Vec3::X * 0.3)).unwrap();
        let before = sums(&world);
        let told = run(&mut world, 90);
        let [knock] = told[..] else { panic!("{told:?}") };
        assert_eq!((knock.a, knock.b, knock.response, knock.joint), (bat, hit, club, None));
        assert!((knock.impulse - Vec3::X * 2.0).length() < 1e-5, "{}", knock.impulse);
        let after = sums(&world);
        assert!((before.0 - after.0).length() < 1e-5 * before.0.length(), "{} to {}", before.0, after.0);
        // The collision alone leaves both at one speed; then the knock parts them.
        let [mass, other] = [bat, hit].map(|id| world.body(id).unwrap().motion().inverse_mass.recip());
        let common = 2.0 * mass / (mass + other);
        assert!((velocity(&world, bat).x - (common - 2.0 / mass)).abs() < 1e-3);
        assert!((velocity(&world, hit).x - (common + 2.0 / other)).abs() < 1e-3);
        let added = 0.5 * 4.0 * (1.0 / mass + 1.0 / other);
        assert!((knock.energy_lost + f64::from(added)).abs() < 1e-3, "{} for {added}", knock.energy_lost);
    }
}

/// Bodies that a knock parts. Whoever looks before the step, or makes steps without time, does not
/// change the result; a snapshot between these does not either.
#[test]
fn r_a_look_before_the_step_uses_up_no_knock() {
    let place = || {
        let mut world = weightless::<DynamicBvh>();
        let post = BodyDesc::fixed(cuboid(Vec3::splat(0.5))).with_response(Response::Knock { impulse: 5.0 });
        world.insert(post).unwrap();
        let ball = world.insert(of_unit_density(ball(0.5)).with_position(Vec3::X * 9.0)).unwrap();
        world.step(DT).unwrap();
        world.body_mut(ball).unwrap().set_pose(Pose::from_translation(Vec3::X)).unwrap();
        (world, ball)
    };
    let (mut plain, ball) = place();
    plain.checked_step(DT).unwrap();
    assert_eq!(plain.responses().len(), 1);
    for n_looks in 1..4 {
        for looks in [true, false] {
            let (mut world, _) = place();
            for _ in 0..n_looks {
                if looks {
                    world.detect();
                } else {
                    world.checked_step(0.0).unwrap();
                }
                assert!(world.responses().is_empty());
                let snapshot = world.snapshot();
                world.restore(&snapshot).unwrap();
            }
            world.checked_step(DT).unwrap();
            assert_eq!(world.responses().len(), 1, "{n_looks} {looks}");
            assert!((velocity(&world, ball) - velocity(&plain, ball)).length() < 1e-5);
            // It acts once.
            world.checked_step(DT).unwrap();
            assert!(world.responses().is_empty());
        }
    }
    // A contact that ended before time passed knocks nothing, and neither does an old contact.
    let (mut world, ball) = place();
    world.detect();
    world.body_mut(ball).unwrap().set_pose(Pose::from_translation(Vec3::X * 3.0)).unwrap();
    world.detect();
    world.checked_step(DT).unwrap();
    assert!(world.responses().is_empty());
    let (mut world, ball) = place();
    world.detect();
    world.remove(ball).unwrap();
    world.checked_step(DT).unwrap();
    assert!(world.responses().is_empty());
}

/// A deferred call does not use up a knock either: with any budget each contact that begins is
/// knocked once.
#[test]
fn r_a_deferred_call_uses_up_no_knock() {
    for budget in [1, 2, 5, 20] {
        let mut world = weightless::<DynamicBvh>();
        let knock = Response::Knock { impulse: 0.5 };
        for k in 0..20 {
            let at = Vec3::new(0.0, 3.0 * k as f32, 0.0);
            world
                .insert(BodyDesc::fixed(cuboid(Vec3::splat(0.5))).with_position(at).with_response(knock))
                .unwrap();
            let ball = of_unit_density(ball(0.5)).with_position(at + Vec3::X * 1.1).with_restitution(0.0);
            world.insert(ball.with_linear_velocity(Vec3::NEG_X)).unwrap();
        }
        let (mut n_begun, mut n_knocks) = (0, 0);
        for _ in 0..1500 {
            world.checked_step_within(DT, Budget::Steps(budget)).unwrap();
            n_begun += world.events().iter().filter(|event| event.kind == EventKind::Began).count();
            n_knocks += world.responses().len();
        }
        assert!(20 <= n_knocks, "budget {budget}: {n_knocks}");
        assert_eq!(n_knocks, n_begun, "budget {budget}");
    }
}

/// A body of two feet is knocked when the first one comes down, and not when the second one does,
/// whatever the order of the feet is.
#[test]
fn r_a_body_of_several_colliders_is_knocked_at_its_first_touch() {
    for first in [-1.0, 1.0] {
        let mut world = weightless::<DynamicBvh>();
        let floor = BodyDesc::fixed(cuboid(Vec3::new(9.0, 1.0, 9.0))).with_position(Vec3::NEG_Y);
        world.insert(floor.with_response(Response::Knock { impulse: 1e-3 })).unwrap();
        let foot = |x: f32| ColliderDesc::new(ball(0.2)).with_pose(Pose::from_translation(Vec3::X * x));
        let body = of_unit_density(foot(first)).with_collider(foot(-first));
        let tilted = Pose::new(Quat::from_rotation_z(0.2), Vec3::Y * (0.2 + 0.2_f32.sin()));
        let body = world.insert(body.with_pose(tilted)).unwrap();
        world.checked_step(DT).unwrap();
        assert_eq!(world.responses().len(), 1, "{first}");
        let mut on_both = world.body_mut(body).unwrap();
        on_both.set_pose(Pose::from_translation(Vec3::Y * 0.2)).unwrap();
        on_both.set_linear_velocity(Vec3::ZERO).unwrap().set_angular_velocity(Vec3::ZERO).unwrap();
        world.checked_step(DT).unwrap();
        assert_eq!(world.contacts().filter(|contact| contact.is_touching).count(), 2);
        assert_eq!(world.responses().len(), 0, "{first}");
    }
}

/// Under a budget that tests a few pairs in a step, an edit of a body that stands on another
/// neither ends their contact nor lets it begin again, so it is not knocked again.
#[test]
fn r_an_edited_body_is_not_knocked_again_under_a_budget() {
    for budget in [1, 3, 10] {
        for removes in [true, false] {
            let mut world: World = World::new();
            let knock = Response::Knock { impulse: 1e-3 };
            let far = || ColliderDesc::new(ball(0.1)).with_pose(Pose::from_translation(Vec3::Y * 1.5));
            let mut bodies = Vec::new();
            for k in 0..12 {
                let at = Vec3::X * (3.0 * k as f32);
                let post = BodyDesc::fixed(cuboid(Vec3::splat(0.5))).with_position(at);
                world.insert(post.with_response(knock)).unwrap();
                let body = of_unit_density(cuboid(Vec3::splat(0.4))).with_collider(far()).with_mass(10.0);
                let body = body.with_position(at + Vec3::Y * 0.9).with_can_sleep(false);
                bodies.push(world.insert(body).unwrap());
            }
            (0..60).for_each(|_| _ = world.checked_step(DT).unwrap());
            assert_eq!(world.contacts().filter(|contact| contact.is_touching).count(), 12);
            for &body in &bodies {
                if removes {
                    let id = world.body(body).unwrap().colliders().nth(1).unwrap().id();
                    world.remove_collider(id).unwrap();
                } else {
                    world.insert_collider(body, far()).unwrap();
                }
            }
            let mut n_unknown = 0;
            for step in 0..40 {
                let stats = *world.checked_step_within(DT, Budget::Steps(budget)).unwrap();
                n_unknown += stats.shortfall.n_unknown;
                let is_kept = |event: &carom_world::Event| event.kind == EventKind::Persisted;
                assert!(world.events().iter().all(is_kept), "{budget}, {step}: {:?}", world.events());
                assert!(world.responses().is_empty(), "{budget}, {removes}, step {step}");
            }
            assert!(0 < n_unknown, "{budget}, {removes}: the budget defers no pair");
        }
    }
}

/// The energy that sticking removes is that of its own impact, not of an earlier contact of the
/// same bodies under a rule that was removed since.
#[test]
fn r_a_removed_rule_leaves_no_old_energy() {
    for has_other in [false, true] {
        let mut world = weightless::<DynamicBvh>();
        let post = world.insert(BodyDesc::fixed(cuboid(Vec3::splat(0.5)))).unwrap();
        let thrown = of_unit_density(ball(0.5)).with_position(Vec3::X * 1.04).with_restitution(0.0);
        let thrown = world.insert(thrown.with_linear_velocity(Vec3::NEG_X * 2.0)).unwrap();
        if has_other {
            let other = BodyDesc::fixed(ball(1.0)).with_position(Vec3::X * 50.0);
            world.insert(other.with_response(Response::Stick)).unwrap();
        }
        world.body_mut(post).unwrap().set_response(Response::Stick).unwrap();
        // The contact stops it in one step, and it would stick in the next.
        let n_steps = (1..9).find(|_| {
            world.checked_step(DT).unwrap();
            -1.5 < velocity(&world, thrown).x
        });
        assert!(n_steps.is_some() && world.responses().is_empty());
        world.body_mut(post).unwrap().set_response(Response::Collide).unwrap();
        (0..20).for_each(|_| _ = world.checked_step(DT).unwrap());
        world.body_mut(thrown).unwrap().set_linear_velocity(Vec3::NEG_X * 0.01).unwrap();
        world.body_mut(post).unwrap().set_response(Response::Stick).unwrap();
        let told = run(&mut world, 10);
        assert_eq!(told.len(), 1);
        assert!(told[0].energy_lost < 0.01, "{has_other}: {}", told[0].energy_lost);
    }
}

#[test]
fn a_passing_body_is_reported_and_not_pushed() {
    // A ball passes the gate at any speed, and bounces off the wall behind it.
    for (speed, is_fast) in [(2.0, false), (60.0, false), (60.0, true), (400.0, true)] {
        let mut world = weightless::<DynamicBvh>();
        let gate = world.insert(BodyDesc::fixed(cuboid(Vec3::new(0.05, 2.0, 2.0)))).unwrap();
        let behind = BodyDesc::fixed(cuboid(Vec3::new(0.5, 2.0, 2.0))).with_position(Vec3::X * 4.0);
        let wall = world.insert(behind).unwrap();
        let start = of_unit_density(ball(0.25)).with_position(Vec3::NEG_X * 2.0);
        let start = start.with_linear_velocity(Vec3::X * speed).with_ccd(is_fast);
        let id = world.insert(start).unwrap();
        world.set_pair_response(id, gate, Some(Response::Pass)).unwrap();
        let mut kinds = Vec::new();
        for _ in 0..200 {
            run(&mut world, 1);
            let at = world.body(id).unwrap().position().x;
            if at < 2.0 {
                assert_eq!(velocity(&world, id), Vec3::X * speed);
            }
            for event in world.events().iter().filter(|event| event.kind != EventKind::Persisted) {
                if event.a == gate {
                    assert!(event.is_sensor);
                    kinds.push(event.kind);
                }
            }
        }
        assert_eq!(kinds, [EventKind::Began, EventKind::Ended], "at {speed}");
        let at = world.body(id).unwrap().position().x;
        assert!((3.2..3.3).contains(&at), "it stops at the wall: {at}, {wall:?}");
    }
}

#[test]
fn a_rule_that_changes_acts_at_once() {
    let mut world = World::new();
    let floor = world.insert(ground()).unwrap();
    let id = world.insert(of_unit_density(ball(0.5)).with_position(Vec3::Y * 0.5)).unwrap();
    run(&mut world, 90);
    assert!(world.body(id).unwrap().is_sleeping());
    // The floor lets it go, catches it again, and holds it.
    world.set_pair_response(floor, id, Some(Response::Pass)).unwrap();
    run(&mut world, 6);
    let sunk = world.body(id).unwrap().position().y;
    assert!(sunk < 0.48, "{sunk}");
    world.set_pair_response(floor, id, Some(Response::Stick)).unwrap();
    assert_eq!(run(&mut world, 2).len(), 1);
    run(&mut world, 30);
    assert!((world.body(id).unwrap().position().y - sunk).abs() < 0.05);
    assert_eq!(world.body(id).map(|body| body.response()), Ok(Response::Collide));
}

#[test]
fn wrong_input_is_refused_and_rules_go_with_their_bodies() {
    let mut world = World::new();
    let bad = Response::Knock { impulse: f32::NAN };
    let is_refused = |result: Result<(), WorldError>| is_bad(result, "impulse of a knock", f32::NAN);
    assert!(is_refused(world.insert(of_unit_density(ball(1.0)).with_response(bad)).map(|_| ())));
    let a = world.insert(of_unit_density(ball(1.0)).with_response(Response::Pass)).unwrap();
    let b = world.insert(of_unit_density(ball(1.0)).with_position(Vec3::X * 5.0)).unwrap();
    assert!(is_refused(world.body_mut(a).unwrap().set_response(bad).map(|_| ())));
    assert!(is_refused(world.set_pair_response(a, b, Some(bad))));
    assert_eq!(world.set_pair_response(a, a, None), Err(WorldError::SameBody(a)));
    world.set_pair_response(b, a, Some(Response::Stick)).unwrap();
    world.remove(a).unwrap();
    assert_eq!(
        world.body_mut(a).and_then(|mut body| body.set_response(Response::Stick).map(|_| ())),
        Err(WorldError::StaleBody(a))
    );
    assert_eq!(world.set_pair_response(a, b, None), Err(WorldError::StaleBody(a)));
    assert_eq!(world.body(a).map(|body| body.response()), Err(WorldError::StaleBody(a)));
    // The next body with its number collides.
    let next = world.insert(of_unit_density(ball(1.0)).with_position(Vec3::X * 3.5)).unwrap();
    assert_eq!(
        (next.index(), world.body(next).map(|body| body.response())),
        (a.index(), Ok(Response::Collide))
    );
    assert_eq!(run(&mut world, 30), []);
    assert_eq!(world.joints().count(), 0);
}

/// Sixty bodies with all responses between walls, in a heap that sticks, scatters and passes.
fn mixed<B: BroadPhase + Default>() -> World<B> {
    let mut world = World::with_broad_phase(B::default(), WorldSettings::default());
    let mut random = Random::new(5);
    world.insert(ground()).unwrap();
    for k in 0..60 {
        let at = random.cube_point().as_vec3() * 2.0 + Vec3::Y * (3.0 + 0.2 * k as f32);
        let shape = if k % 2 == 0 { ball(0.3) } else { cuboid(Vec3::new(0.3, 0.2, 0.4)) };
        let response = match k % 5 {
            0 => Response::Stick,
            1 => Response::Knock { impulse: 0.3 },
            2 if k % 2 == 0 => Response::Pass,
            _ => Response::Collide,
        };
        let desc = of_unit_density(shape).with_position(at).with_response(response);
        world.insert(desc.with_ccd(k % 7 == 0).with_restitution(0.2)).unwrap();
    }
    // The floor is hard for those that pass, and nothing sticks to it.
    let ids: Vec<BodyId> = world.body_ids().collect();
    for &id in &ids[1..] {
        world.set_pair_response(ids[0], id, Some(Response::Collide)).unwrap();
    }
    world
}

/// The scene of the demo: each dart sticks in its box, many balls on the wall, and energy only
/// falls.
#[test]
fn darts_and_balls_stick() {
    let mut world = World::new();
    let ids = carom_testkit::scene_world::fill(&mut world, &carom_scenes::stick(40, 1));
    let (mut told, mut last) = (Vec::new(), f64::INFINITY);
    for _ in 0..120 {
        world.checked_step(DT).unwrap();
        told.extend_from_slice(world.responses());
        let now = world.energy().total();
        assert!(now <= last * 1.01, "{last} to {now}");
        last = now;
    }
    let n_with = |id: BodyId| told.iter().filter(|event| event.a == id || event.b == id).count();
    let hit: Vec<usize> = (0..6).map(|k| n_with(ids[2 + 3 * k + 1])).collect();
    println!("{} stuck, {} of them on the wall; in the boxes {hit:?}", told.len(), n_with(ids[1]));
    assert!(hit.iter().all(|&n| n == 1) && 8 < n_with(ids[1]));
}

fn trace<B: BroadPhase>(world: &mut World<B>, n_steps: usize) -> Vec<(u64, Vec<ResponseEvent>)> {
    (0..n_steps)
        .map(|_| {
            world.checked_step(DT).unwrap();
            (world.state_hash(), world.responses().to_vec())
        })
        .collect()
}

#[test]
fn the_same_bits_with_any_broad_phase_and_after_a_snapshot() {
    let mut world = mixed::<DynamicBvh>();
    let expected = trace(&mut world, 100);
    let n_told: usize = expected.iter().map(|(_, told)| told.len()).sum();
    assert!(20 < n_told, "{n_told}");
    assert_eq!(trace(&mut mixed::<BruteForce>(), 100), expected);
    let mut world = mixed::<DynamicBvh>();
    trace(&mut world, 45);
    let snapshot = world.snapshot();
    let mut world = crate::scenes::restored::<BruteForce>(&snapshot, &world).unwrap();
    assert_eq!(trace(&mut world, 55), expected[45..]);
}

#[cfg(feature = "parallel")]
#[test]
fn the_same_bits_with_any_number_of_threads() {
    let with = |n: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
        pool.install(|| trace(&mut mixed::<DynamicBvh>(), 100))
    };
    let one = with(1);
    for n in [2, 7] {
        assert_eq!(with(n), one, "{n} threads");
    }
}

/// A weld of bodies that stick can be disabled, and they come apart. It stays the only joint of
/// the two, also while they touch.
#[test]
fn r_a_weld_that_is_disabled_is_not_made_again() {
    let mut world = weightless::<DynamicBvh>();
    let a = world.insert(sticky(ball(0.5), Vec3::NEG_X, Vec3::X)).unwrap();
    let b = world.insert(sticky(ball(0.5), Vec3::X * 0.5, Vec3::ZERO)).unwrap();
    let stuck = run(&mut world, 60);
    let weld = stuck[0].joint.unwrap();
    world.joint_mut(weld).unwrap().set_enabled(false).unwrap();
    assert_eq!(run(&mut world, 60).len(), 0);
    assert_eq!(world.joints().count(), 1);
    // Pushed against each other, they collide.
    world.body_mut(a).unwrap().set_linear_velocity(Vec3::X).unwrap();
    assert_eq!((run(&mut world, 60).len(), world.joints().count()), (0, 1));
    assert!((velocity(&world, b) - Vec3::X * 0.5).length() < 0.6);
    // After its removal they stick again.
    world.remove_joint(weld).unwrap();
    world.body_mut(a).unwrap().set_linear_velocity(Vec3::X * 2.0).unwrap();
    assert_eq!((run(&mut world, 120).len(), world.joints().count()), (1, 1));
}
