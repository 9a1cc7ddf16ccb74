//! Bodies that the caller puts to sleep, or inserts asleep.

use crate::of_unit_density;
use crate::scenes::{CheckedStep, DT, ball, cuboid, ground, stack};
use carom_math::{Pose, Vec3};
use carom_world::{BodyDesc, BodyId, Budget, ColliderDesc, JointDesc, World, WorldSettings};

fn poses(world: &World) -> Vec<Pose> {
    world.bodies().map(|body| body.pose()).collect()
}

fn all_sleep(world: &World, ids: &[BodyId]) -> bool {
    ids.iter().all(|&id| world.body(id).unwrap().is_sleeping())
}

/// It hangs in the air, and falls when it is woken.
#[test]
fn a_body_hangs_in_the_air_until_it_is_woken() {
    let mut world = World::new();
    world.insert(ground()).unwrap();
    let desc = of_unit_density(ball(0.5)).with_position(Vec3::Y * 5.0).with_linear_velocity(Vec3::X * 3.0);
    let body = world.insert(desc).unwrap();
    (0..6).for_each(|_| _ = world.checked_step(DT).unwrap());
    world.body_mut(body).unwrap().apply_force(Vec3::X * 9.0).unwrap().sleep().sleep();
    assert_eq!(world.validate(), Ok(()));
    assert!(world.body(body).unwrap().is_sleeping());
    assert_eq!(world.body(body).unwrap().linear_velocity(), Vec3::ZERO);
    assert_eq!(world.active_bodies().count(), 0);
    let before = poses(&world);
    (0..60).for_each(|_| _ = world.checked_step(DT).unwrap());
    assert_eq!(poses(&world), before);
    world.body_mut(body).unwrap().wake();
    (0..30).for_each(|_| _ = world.checked_step(DT).unwrap());
    let fallen = before[1].translation.y - world.body(body).unwrap().position().y;
    assert!((fallen - 0.5 * 9.81 * 0.25).abs() < 0.05, "{fallen}");
    assert_eq!(world.body(body).unwrap().linear_velocity().x, 0.0, "the force was dropped");
}

/// Bodies that cannot sleep ignore it.
#[test]
fn bodies_that_may_not_sleep_ignore_it() {
    let awake = of_unit_density(ball(0.5)).with_can_sleep(false);
    let never = |world: &mut World, desc: BodyDesc| {
        let id = world.insert(desc.with_sleeping(true)).unwrap();
        world.body_mut(id).unwrap().sleep();
        assert!(!world.body(id).unwrap().is_sleeping());
        world.checked_step(DT).unwrap();
    };
    never(&mut World::new(), awake);
    never(&mut World::new(), BodyDesc::fixed(ball(0.5)));
    never(&mut World::new(), BodyDesc::kinematic(ball(0.5)));
    let mut settings = WorldSettings::default();
    settings.solver.sleep = false;
    never(&mut World::with_settings(settings), of_unit_density(ball(0.5)));
}

/// Inserts a wall of boxes, some with two colliders, and a pair of joined balls on it.
fn wall(world: &mut World, is_sleeping: bool) -> Vec<BodyId> {
    let mut ids = Vec::new();
    for k in 0..24 {
        let at = Vec3::new((k % 6) as f32 * 1.001, 0.5 + (k / 6) as f32, 0.0);
        let desc = of_unit_density(cuboid(Vec3::splat(0.5))).with_position(at);
        let knob = ColliderDesc::new(ball(0.2)).with_density(1.0).with_position(Vec3::Z * 0.4);
        let desc = if k % 5 == 0 { desc.with_collider(knob) } else { desc };
        ids.push(world.insert(desc.with_sleeping(is_sleeping)).unwrap());
    }
    let balls = [1.0, 2.2].map(|x| {
        let desc = of_unit_density(ball(0.3)).with_position(Vec3::new(x, 4.3, 0.0));
        world.insert(desc.with_sleeping(is_sleeping)).unwrap()
    });
    world.insert_joint(JointDesc::distance(balls[0], balls[1], 1.0, 1.2)).unwrap();
    ids.extend(balls);
    ids
}

/// A level that is inserted asleep does not wake in its first steps, on an old ground or a new one.
/// A ball that hits it wakes what it hits.
#[test]
fn a_level_that_is_inserted_asleep_stays_asleep_until_something_hits_it() {
    for is_old in [true, false] {
        let mut world = World::new();
        world.insert(ground()).unwrap();
        if is_old {
            world.checked_step(DT).unwrap();
        }
        let ids = wall(&mut world, true);
        // The joint wakes the two balls, whose bodies are put to sleep again.
        ids.iter().for_each(|&id| _ = world.body_mut(id).unwrap().sleep());
        assert_eq!((world.validate(), world.active_bodies().count()), (Ok(()), 0));
        let before = poses(&world);
        let snapshot = world.snapshot();
        let mut other = World::new();
        other.restore(&snapshot).unwrap();
        for _ in 0..20 {
            world.checked_step(DT).unwrap();
            other.checked_step(DT).unwrap();
            assert!(all_sleep(&world, &ids) && all_sleep(&other, &ids));
        }
        assert_eq!((poses(&world), poses(&other)), (before.clone(), before));
        assert!(24 < world.contacts().filter(|contact| contact.is_touching).count());
        for world in [&mut world, &mut other] {
            let hit = of_unit_density(ball(0.5)).with_position(Vec3::new(-3.0, 0.6, 0.0)).with_density(20.0);
            world.insert(hit.with_linear_velocity(Vec3::X * 20.0)).unwrap();
            (0..300).for_each(|_| _ = world.checked_step(DT).unwrap());
        }
        assert_eq!(world.state_hash(), other.state_hash());
        let moved = world.body(ids[0]).unwrap().position();
        assert!(0.1 < moved.x, "{moved}");
        assert!(world.bodies().all(|body| -0.1 < body.position().y || body.id().index() == 0));
    }
}

/// A stack that is put to sleep and woken, again and again, stands as one that stayed awake.
#[test]
fn a_stack_that_is_put_to_sleep_stands_when_it_is_woken() {
    let mut world = World::new();
    let ids = stack(&mut world, 5);
    for round in 0..12 {
        (0..10 + round).for_each(|_| _ = world.checked_step(DT).unwrap());
        ids.iter().for_each(|&id| _ = world.body_mut(id).unwrap().sleep());
        let before = poses(&world);
        (0..round).for_each(|_| _ = world.checked_step(DT).unwrap());
        assert!(all_sleep(&world, &ids));
        assert_eq!(poses(&world), before);
        world.body_mut(ids[round % 5]).unwrap().wake();
        world.checked_step(DT).unwrap();
        let speed =
            ids.iter().map(|&id| world.body(id).unwrap().linear_velocity().length()).fold(0.0, f32::max);
        assert!(speed < 0.2, "{speed} in round {round}");
        // The one that was woken wakes the bodies that it touches.
        assert!(ids.iter().all(|&id| !world.body(id).unwrap().is_sleeping()), "round {round}");
    }
    for (k, &id) in ids.iter().enumerate() {
        let at = world.body(id).unwrap().position();
        assert!((at - Vec3::Y * (0.5 + k as f32)).length() < 0.02, "{k}: {at}");
    }
}

/// A door that is put beside it does not wake it, a moving one does, and so does a removal.
#[test]
fn a_moving_body_and_an_edit_wake_it() {
    let mut world = World::new();
    let floor = world.insert(ground()).unwrap();
    let sleeper = of_unit_density(cuboid(Vec3::splat(0.5))).with_position(Vec3::Y * 0.5);
    let sleeper = world.insert(sleeper.with_sleeping(true)).unwrap();
    world.checked_step(DT).unwrap();
    let door = BodyDesc::kinematic(cuboid(Vec3::splat(0.5))).with_position(Vec3::new(1.0, 0.5, 0.0));
    let door = world.insert(door).unwrap();
    world.checked_step(DT).unwrap();
    assert!(world.body(sleeper).unwrap().is_sleeping());
    assert_eq!(world.body(sleeper).unwrap().touching().collect::<Vec<_>>(), [floor, door]);
    world.body_mut(door).unwrap().set_linear_velocity(Vec3::NEG_X).unwrap();
    world.checked_step(DT).unwrap();
    assert!(!world.body(sleeper).unwrap().is_sleeping());
    world.body_mut(door).unwrap().set_linear_velocity(Vec3::ZERO).unwrap();
    world.body_mut(sleeper).unwrap().sleep();
    world.checked_step(DT).unwrap();
    assert!(world.body(sleeper).unwrap().is_sleeping());
    world.remove(floor).unwrap();
    assert!(!world.body(sleeper).unwrap().is_sleeping());
}

/// On a budget that suspends bodies, any of them may be put to sleep.
#[test]
fn suspended_bodies_may_be_put_to_sleep() {
    let mut world = World::new();
    world.insert(ground()).unwrap();
    let ids = wall(&mut world, false);
    let mut n_suspended = 0;
    for step in 0..60 {
        world.checked_step_within(DT, Budget::Steps(60)).unwrap();
        n_suspended += world.stats().shortfall.n_suspended;
        world.body_mut(ids[step * 7 % ids.len()]).unwrap().sleep();
        assert_eq!(world.validate(), Ok(()), "{step}");
        if step % 3 == 0 {
            world.body_mut(ids[step * 5 % ids.len()]).unwrap().wake();
        }
    }
    assert!(100 < n_suspended, "{n_suspended}");
    (0..200).for_each(|_| _ = world.checked_step(DT).unwrap());
}

/// The box of a fast body contains its path. A body that is put to sleep has no path, and a world
/// that is restored afterwards goes on with the same bits.
#[test]
fn r_a_fast_body_that_is_put_to_sleep_has_no_path() {
    for is_inserted_asleep in [false, true] {
        let mut world = World::new();
        let fast = of_unit_density(cuboid(Vec3::splat(0.5))).with_ccd(true).with_position(Vec3::Y * 3.0);
        let fast = fast.with_linear_velocity(Vec3::Y * -20.0).with_sleeping(is_inserted_asleep);
        let fast = world.insert(fast).unwrap();
        let other = of_unit_density(cuboid(Vec3::splat(0.5))).with_position(Vec3::new(1.5, 3.0, 0.0));
        let other = world.insert(other).unwrap();
        let joint = JointDesc::spherical(fast, other).with_anchor(Vec3::new(0.75, 3.0, 0.0));
        world.insert_joint(joint).unwrap();
        if !is_inserted_asleep {
            (0..20).for_each(|_| _ = world.checked_step(DT).unwrap());
        }
        world.body_mut(fast).unwrap().sleep();
        let mut restored = World::new();
        restored.restore(&world.snapshot()).unwrap();
        for step in 0..10 {
            [&mut world, &mut restored].into_iter().for_each(|world| _ = world.checked_step(DT).unwrap());
            assert_eq!(world.state_hash(), restored.state_hash(), "step {step}, {is_inserted_asleep}");
        }
    }
}
