//! Events of contacts that began, persisted and ended; sensors; contacts.

use crate::scenes::{CheckedStep, DT, ball, cuboid, ground, stack};
use carom_math::{Pose, Vec3};
use carom_world::{BodyDesc, Budget, EventKind, Groups, JointDesc, JointKind, World};

fn at(x: f32) -> Pose {
    Pose::from_translation(Vec3::new(x, 0.0, 0.0))
}

fn kinds(world: &World) -> Vec<EventKind> {
    world.events().iter().map(|event| event.kind).collect()
}

#[test]
fn begins_persists_and_ends() {
    let mut world = World::new();
    let a = world.insert(BodyDesc::dynamic(ball(0.5))).unwrap();
    let b = world.insert(BodyDesc::dynamic(ball(0.5)).with_pose(at(3.0))).unwrap();
    world.detect();
    assert_eq!(kinds(&world), []);
    world.body_mut(b).unwrap().set_pose(at(0.9)).unwrap();
    world.detect();
    assert_eq!(kinds(&world), [EventKind::Began]);
    assert_eq!((world.events()[0].a, world.events()[0].b), (a, b));
    let contact = world.contacts().next().unwrap();
    assert!(contact.is_touching && contact.manifolds.len() == 1);
    assert!((contact.manifolds[0].contacts()[0].distance + 0.1).abs() < 1e-6);
    world.detect();
    assert_eq!(kinds(&world), [EventKind::Persisted]);
    world.body_mut(b).unwrap().set_pose(at(0.95)).unwrap();
    world.detect();
    assert_eq!(kinds(&world), [EventKind::Persisted]);
    // Within the prediction: near, but not touching.
    world.body_mut(b).unwrap().set_pose(at(1.015)).unwrap();
    world.detect();
    assert_eq!(kinds(&world), [EventKind::Ended]);
    assert!(world.contacts().next().is_some_and(|contact| !contact.is_touching));
    world.body_mut(b).unwrap().set_pose(at(9.0)).unwrap();
    world.detect();
    assert_eq!(kinds(&world), []);
    assert_eq!(world.contacts().count(), 0);
}

#[test]
fn a_removed_body_ends_its_contacts() {
    let mut world = World::new();
    let a = world.insert(BodyDesc::dynamic(ball(0.5))).unwrap();
    let b = world.insert(BodyDesc::dynamic(ball(0.5)).with_pose(at(0.9))).unwrap();
    world.detect();
    world.remove(b).unwrap();
    // Another body takes its number and its place.
    let c = world.insert(BodyDesc::dynamic(ball(0.5)).with_pose(at(0.9))).unwrap();
    assert_eq!(b.index(), c.index());
    world.detect();
    let events: Vec<_> = world.events().iter().map(|e| (e.a, e.b, e.kind)).collect();
    assert_eq!(events, [(a, b, EventKind::Ended), (a, c, EventKind::Began)]);
    world.remove(a).unwrap();
    world.remove(c).unwrap();
    world.detect();
    assert_eq!(kinds(&world), [EventKind::Ended]);
    assert!(world.is_empty());
}

#[test]
fn a_sensor_reports_and_does_not_push() {
    let mut world = World::new();
    let sensor = BodyDesc::fixed(cuboid(Vec3::splat(1.0))).with_sensor(true);
    world.insert(sensor).unwrap();
    let ball_ = world.insert(BodyDesc::dynamic(ball(0.2)).with_position(Vec3::Y * 3.0)).unwrap();
    let mut seen = Vec::new();
    for _ in 0..120 {
        world.checked_step(DT).unwrap();
        seen.extend(world.events().iter().filter(|e| e.kind != EventKind::Persisted).map(|e| e.kind));
        assert!(world.events().iter().all(|e| e.is_sensor));
    }
    assert_eq!(seen, [EventKind::Began, EventKind::Ended]);
    assert!(world.body(ball_).unwrap().position().y < -5.0, "it fell through");
}

#[test]
fn groups_families_and_joints_keep_bodies_apart() {
    let overlap = |change: &dyn Fn(BodyDesc, usize) -> BodyDesc| {
        let mut world = World::new();
        world.insert(change(BodyDesc::dynamic(ball(0.5)), 0)).unwrap();
        world.insert(change(BodyDesc::dynamic(ball(0.5)).with_pose(at(0.5)), 1)).unwrap();
        world.detect();
        world.contacts().count()
    };
    let first = Groups::DEFAULT;
    let second = Groups::from_bits_retain(2);
    assert_eq!(overlap(&|desc, _| desc), 1);
    assert_eq!(overlap(&|desc, _| desc.with_groups(first, second)), 0);
    assert_eq!(overlap(&|desc, i| desc.with_groups([first, second][i], [second, first][i])), 1);
    assert_eq!(overlap(&|desc, _| desc.with_family(4)), 0);
    assert_eq!(overlap(&|desc, i| desc.with_family(i as u32)), 1);

    let mut world = World::new();
    let a = world.insert(BodyDesc::dynamic(ball(0.5))).unwrap();
    let b = world.insert(BodyDesc::dynamic(ball(0.5)).with_pose(at(0.5))).unwrap();
    world.detect();
    assert_eq!(kinds(&world), [EventKind::Began]);
    let ball_joint = JointKind::Spherical { cone: 4.0, twist: None };
    let joint = world
        .insert_joint(
            JointDesc::new(a, b, ball_joint).with_anchor(Vec3::new(0.25, 0.0, 0.0)).with_axis(Vec3::X),
        )
        .unwrap();
    world.detect();
    assert_eq!(kinds(&world), [EventKind::Ended]);
    world.remove_joint(joint).unwrap();
    world.detect();
    assert_eq!(kinds(&world), [EventKind::Began]);
    world.body_mut(b).unwrap().set_groups(second, second).unwrap();
    world.detect();
    assert_eq!(kinds(&world), [EventKind::Ended]);
}

#[test]
fn impulses_hold_the_weight() {
    let mut world = World::new();
    world.insert(ground()).unwrap();
    let desc = BodyDesc::dynamic(cuboid(Vec3::splat(0.5))).with_position(Vec3::Y * 0.5).with_density(2.0);
    let body = world.insert(desc.with_can_sleep(false)).unwrap();
    for _ in 0..60 {
        world.checked_step(DT).unwrap();
    }
    let contact = world.contacts().find(|contact| contact.b == body).unwrap();
    // The impulse is that of all substeps.
    let force: f32 = contact.impulses.iter().map(|i| i.total_normal()).sum::<f32>() / DT;
    let weight = 2.0 * 9.81;
    assert!((force - weight).abs() < 0.01 * weight, "{force} for {weight}");
}

#[test]
fn a_kinematic_lift_carries_a_box() {
    let mut world = World::new();
    let lift = world
        .insert(BodyDesc::kinematic(cuboid(Vec3::new(2.0, 0.1, 2.0))).with_linear_velocity(Vec3::Y))
        .unwrap();
    let load =
        world.insert(BodyDesc::dynamic(cuboid(Vec3::splat(0.5))).with_position(Vec3::Y * 0.6)).unwrap();
    for _ in 0..120 {
        world.checked_step(DT).unwrap();
    }
    let (floor, top) = (world.body(lift).unwrap().position().y, world.body(load).unwrap().position().y);
    assert!((floor - 2.0).abs() < 1e-3, "{floor}");
    assert!((top - floor - 0.6).abs() < 0.05, "{top} on {floor}");
}

/// Counts and times of a step are not reported again by a detection, or by a step that does
/// nothing.
#[test]
fn counts_and_times_are_those_of_the_last_call() {
    let mut world = World::new();
    let mut movers = stack(&mut world, 3);
    let bullet = BodyDesc::dynamic(ball(0.2)).with_position(Vec3::new(5.0, 0.2, 0.0)).with_ccd(true);
    movers.push(world.insert(bullet.with_linear_velocity(Vec3::X * 3.0).with_damping(1.0, 1.0)).unwrap());
    let first = *world.checked_step(DT).unwrap();
    assert!(0 < first.solver.n_awake && 0 < first.n_swept && 0 < first.n_box_tests);
    let detected = *world.detect();
    assert_eq!((detected.solver, detected.n_swept, detected.n_stopped), Default::default());
    assert_eq!((detected.times.response, detected.times.refit), (0.0, 0.0));
    assert_eq!((detected.n_pairs, detected.n_touching), (first.n_pairs, first.n_touching));
    for _ in 0..600 {
        world.checked_step(DT).unwrap();
    }
    let last = *world.stats();
    assert!(movers.iter().all(|&id| world.body(id).unwrap().is_sleeping()));
    assert_eq!((last.solver, last.n_swept, last.n_stopped, last.n_box_tests), Default::default());
    assert_eq!((last.n_pairs, last.n_touching), (first.n_pairs, 4));
}

/// The loop over events that were taken may change the world. They are taken once, and the next
/// ones do not depend on that.
#[test]
fn events_that_are_taken_leave_the_world_free() {
    let run = |takes: bool| {
        let mut world = World::new();
        let player = world.insert(BodyDesc::kinematic(ball(1.0))).unwrap();
        for k in 0..3 {
            let coin = BodyDesc::fixed(ball(0.2)).with_sensor(true);
            world.insert(coin.with_position(Vec3::X * (3.0 + 3.0 * k as f32))).unwrap();
        }
        world.body_mut(player).unwrap().set_linear_velocity(Vec3::X * 6.0).unwrap();
        let (mut events, mut found) = (Vec::new(), Vec::new());
        for _ in 0..100 {
            world.checked_step(DT).unwrap();
            if takes {
                world.take_events(&mut events);
                assert!(world.events().is_empty());
            } else {
                world.events().clone_into(&mut events);
            }
            for event in events.iter().filter(|event| event.kind == EventKind::Began) {
                let coin = event.other(player).unwrap();
                assert_eq!(world.sensor_of(event).map(|sensor| sensor.body()), Some(coin));
                let [own, other] = [event.collider_a(), event.collider_b()];
                assert_eq!(
                    (event.other_collider(own), event.other_collider(other)),
                    (Some(other), Some(own))
                );
                world.remove(coin).unwrap();
                assert_eq!(world.sensor_of(event), None);
                found.push(coin);
            }
            if takes {
                world.take_events(&mut events);
                assert!(events.is_empty());
            }
        }
        assert_eq!((found.len(), world.len()), (3, 1));
        (found, world.state_hash())
    };
    assert_eq!(run(true), run(false));
}

/// Also on a budget that suspends bodies, whose events depend on the last ones.
#[test]
fn events_on_a_budget_are_the_same_if_they_are_taken() {
    let run = |takes: bool| {
        let mut world = World::new();
        stack(&mut world, 20);
        let mut all = Vec::new();
        let mut n_suspended = 0;
        for _ in 0..60 {
            world.checked_step_within(DT, Budget::Steps(40)).unwrap();
            n_suspended += world.stats().shortfall.n_suspended;
            let mut events = Vec::new();
            if takes {
                world.take_events(&mut events);
            } else {
                world.events().clone_into(&mut events);
            }
            all.push(events);
        }
        assert!(100 < n_suspended, "{n_suspended}");
        all
    };
    let all = run(true);
    assert!(100 < all.iter().flatten().filter(|event| event.kind == EventKind::Persisted).count());
    assert_eq!(all, run(false));
}

#[test]
fn an_event_names_the_other_side_of_its_own_two_only() {
    let mut world = World::new();
    let [a, b, c] =
        [0.0, 0.9, 9.0].map(|x| world.insert(BodyDesc::dynamic(ball(0.5)).with_pose(at(x))).unwrap());
    world.detect();
    let event = world.events()[0];
    assert_eq!([a, b, c].map(|id| event.other(id)), [Some(b), Some(a), None]);
    let contact = world.contacts().next().unwrap();
    assert_eq!([a, b, c].map(|id| contact.other(id)), [Some(b), Some(a), None]);
    let of_c = world.body(c).unwrap().colliders().next().unwrap().id();
    assert_eq!((event.other_collider(of_c), world.sensor_of(&event)), (None, None));
}
