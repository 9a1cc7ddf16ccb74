//! Bodies of several colliders: contacts, events and overlaps are those of pairs of colliders.

use crate::planted::{DT, ball, cuboid, dynamic, ground, kinds, weightless};
use carom_audit::{Audit, AuditSettings, FaultKind};
use carom_math::{Pose, Quat, Vec3};
use carom_response::Response;
use carom_world::{BodyDesc, ColliderDesc, EventKind, Filter, Groups, World};

fn at(collider: impl Into<ColliderDesc>, position: Vec3) -> ColliderDesc {
    collider.into().with_pose(Pose::from_translation(position))
}

/// Two balls of the radius 0.5, two lengths apart along x.
fn dumbbell() -> BodyDesc {
    dynamic(ball(0.5)).with_collider(at(ColliderDesc::new(ball(0.5)).with_density(1.0), Vec3::X * 2.0))
}

/// Steps a world, and returns the audit and the number of contacts that began.
fn audited(world: &mut World, n_steps: u32) -> (Audit, usize) {
    let (mut audit, mut n_began) = (Audit::new(AuditSettings::default()), 0);
    for _ in 0..n_steps {
        audit.begin(world);
        world.step(DT).unwrap();
        audit.end(world, DT);
        n_began += world.events().iter().filter(|event| event.kind == EventKind::Began).count();
    }
    (audit, n_began)
}

#[test]
fn r_a_dumbbell_lands_on_one_ball_after_the_other() {
    for (angle, restitution) in [(0.4, 0.0), (-0.4, 0.6), (0.0, 0.3)] {
        let mut world = World::new();
        world.insert(ground()).unwrap();
        let pose = Pose::new(Quat::from_rotation_z(angle), Vec3::Y * 3.0);
        world.insert(dumbbell().with_pose(pose).with_restitution(restitution)).unwrap();
        let (audit, n_began) = audited(&mut world, 600);
        assert!(audit.faults().is_empty(), "{angle}: {:#?}", audit.faults());
        assert!(2 <= n_began);
    }
}

#[test]
fn r_dumbbells_that_pile_up_between_walls() {
    let mut world = World::new();
    let wall = |x: f32| at(cuboid(0.5, 3.0, 5.0), Vec3::X * x);
    let yard = ground().with_collider(wall(-3.0)).with_collider(wall(3.0));
    world.insert(yard).unwrap();
    for i in 0..8 {
        let pose =
            Pose::new(Quat::from_rotation_z(0.3 * i as f32), Vec3::new(-0.8, 1.5 + 2.2 * i as f32, 0.0));
        world.insert(dumbbell().with_pose(pose)).unwrap();
    }
    let (audit, n_began) = audited(&mut world, 600);
    assert!(audit.faults().is_empty(), "{:#?}", audit.faults());
    assert!(20 <= n_began, "{n_began}");
}

/// One ball sinks and the other stays, in either order.
#[test]
fn r_an_overlap_that_grows_beside_one_that_does_not() {
    for sinks_first in [false, true] {
        let run = |turns: f32| {
            let mut world = weightless();
            world.insert(ground()).unwrap();
            let (first, second) =
                if sinks_first { (Vec3::X * 2.0, Vec3::ZERO) } else { (Vec3::ZERO, Vec3::X * 2.0) };
            let balls = [first, second].map(|p| at(ColliderDesc::new(ball(0.5)).with_density(1.0), p));
            let [first, second] = balls;
            let body = BodyDesc::dynamic(first).with_collider(second).with_can_sleep(false);
            let id = world.insert(body).unwrap();
            let mut audit = Audit::new(AuditSettings::default());
            for step in 0..900 {
                let pose = Pose::new(Quat::from_rotation_z(-turns * step as f32), Vec3::Y * 0.48);
                world.body_mut(id).unwrap().set_pose(pose).unwrap();
                audit.begin(&world);
                world.step(DT).unwrap();
                audit.end(&world, DT);
            }
            kinds(&audit).iter().filter(|(kind, _)| *kind == FaultKind::Depth).count()
        };
        assert!(0 < run(5e-5), "{sinks_first}");
        assert_eq!(run(0.0), 0, "{sinks_first}");
    }
}

#[test]
fn r_a_centre_passes_what_does_not_stop_it() {
    let second = Groups::from_bits_retain(2);
    let through = Filter::new(second, second);
    let run = |body: BodyDesc, wall: BodyDesc| {
        let mut world = weightless();
        world.insert(wall).unwrap();
        world.insert(body.with_linear_velocity(Vec3::NEG_Y * 6.0)).unwrap();
        kinds(&audited(&mut world, 60).0)
    };
    let thin = || cuboid(9.0, 0.001, 9.0);
    let falling = || dynamic(ball(0.1)).with_position(Vec3::Y * 2.0);
    // A sensor, a sensor among other colliders, and another group.
    assert_eq!(run(falling(), BodyDesc::fixed(thin()).with_sensor(true)), []);
    let far = at(cuboid(0.1, 0.1, 0.1), Vec3::X * 30.0);
    let gate = BodyDesc::fixed(far).with_collider(ColliderDesc::new(thin()).with_sensor(true));
    assert_eq!(run(falling(), gate), []);
    assert_eq!(run(falling(), BodyDesc::fixed(thin()).with_filter(through)), []);
    // By their response they pass, by that of one body or by that of the pair.
    let pass = Some(Response::Pass);
    assert_eq!(run(falling(), BodyDesc::fixed(thin()).with_response(Response::Pass)), []);
    for pair_response in [None, pass] {
        let mut world = weightless();
        let wall = world.insert(BodyDesc::fixed(thin())).unwrap();
        let body = world.insert(falling().with_linear_velocity(Vec3::NEG_Y * 6.0)).unwrap();
        world.set_pair_response(body, wall, pair_response).unwrap();
        assert_eq!(kinds(&audited(&mut world, 60).0), []);
        let is_below = world.body(body).unwrap().pose().translation.y < -1.0;
        assert_eq!(is_below, pair_response == pass);
    }
    // A rail between the balls of a dumbbell.
    let around = dumbbell().with_position(Vec3::new(-1.0, 2.0, 0.0));
    assert_eq!(run(around, BodyDesc::fixed(cuboid(0.1, 0.1, 9.0))), []);
}
