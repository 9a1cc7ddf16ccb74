//! Bodies and joints that are disabled: they keep everything, meet nothing and hold nothing.

use crate::of_unit_density;
use crate::scenes::{CheckedStep, DT, ball, cuboid, ground, heap, world_on};
#[cfg(feature = "serde")]
use crate::scenes::{reread, restored};
use carom_broad::{BroadPhase, BruteForce, Mobility};
use carom_broad_tree::DynamicBvh;
use carom_math::{Budget, Interval, Pose, Ray, Vec3};
use carom_query::Shape;
use carom_world::{
    BodyDesc, BodyId, BodyRef, ColliderDesc, EventKind, JointDesc, JointEnds, JointId, JointKind,
    QueryFilter, World,
};

fn steps<B: BroadPhase>(world: &mut World<B>, n: usize) {
    (0..n).for_each(|_| _ = world.checked_step(DT).unwrap());
}

fn body(world: &World, id: BodyId) -> BodyRef<'_> {
    world.body(id).unwrap()
}

fn enable(world: &mut World, id: BodyId, is_enabled: bool) {
    world.body_mut(id).unwrap().set_enabled(is_enabled).unwrap();
    world.validate().unwrap();
}

fn enable_joint(world: &mut World, id: JointId, is_enabled: bool) {
    world.joint_mut(id).unwrap().set_enabled(is_enabled).unwrap();
    world.validate().unwrap();
}

/// A box, or two colliders that are one.
fn solid(is_composite: bool) -> BodyDesc {
    if !is_composite {
        return of_unit_density(cuboid(Vec3::splat(0.5)));
    }
    let half = || ColliderDesc::new(cuboid(Vec3::new(0.25, 0.5, 0.5))).with_density(1.0);
    let side = half().with_position(Vec3::X * 0.25);
    of_unit_density(half().with_position(Vec3::X * -0.25)).with_collider(side)
}

#[test]
fn a_disabled_body_stays_and_meets_nothing() {
    for is_composite in [false, true] {
        let mut world = World::new();
        let floor = world.insert(ground()).unwrap();
        let lower = world.insert(solid(is_composite).with_position(Vec3::Y * 0.5)).unwrap();
        let upper = world.insert(solid(false).with_position(Vec3::Y * 1.5)).unwrap();
        steps(&mut world, 200);
        assert!(body(&world, upper).is_sleeping());
        let old = body(&world, lower).pose();
        enable(&mut world, lower, false);
        assert!(!body(&world, upper).is_sleeping() && !body(&world, lower).is_sleeping());
        world.checked_step(DT).unwrap();
        let mut ended: Vec<[BodyId; 2]> = Vec::new();
        for event in world.events().iter().filter(|event| event.kind == EventKind::Ended) {
            ended.push([event.a, event.b]);
        }
        // Each collider has its own events.
        ended.dedup();
        assert_eq!(ended, [[floor, lower], [lower, upper]]);
        for _ in 0..120 {
            world.checked_step(DT).unwrap();
            assert!(world.events().iter().all(|event| ![event.a, event.b].contains(&lower)));
            assert_eq!(body(&world, lower).contacts().count(), 0);
        }
        assert_eq!(body(&world, lower).pose(), old);
        // The upper one is where the lower one is.
        assert!((body(&world, upper).position().y - 0.5).abs() < 0.01);
        assert!(!world.active_bodies().any(|id| id == lower));
        enable(&mut world, upper, false);
        let filter = QueryFilter::ALL;
        let mut query = world.query(&filter);
        let down = Ray::new(Vec3::Y * 9.0, Vec3::NEG_Y);
        assert_eq!(query.cast_ray(&down, Interval::new(0.0, 20.0)).map(|hit| hit.body), Some(floor));
        assert!(query.cast_ray_all(&down, Interval::new(0.0, 20.0)).iter().all(|hit| hit.body == floor));
        let collider = body(&world, lower).colliders().next().unwrap();
        assert!(!filter.passes(&collider));
    }
}

/// Without gravity and contacts, the time in which it was disabled is as if it had not been.
#[test]
fn it_goes_on_with_its_velocities() {
    for mobility in [Mobility::Dynamic, Mobility::Kinematic] {
        let run = |pause: usize| {
            let mut world = World::new();
            let desc = solid(false).with_mobility(mobility).with_gravity_scale(0.0);
            let desc = desc.with_linear_velocity(Vec3::new(1.0, 2.0, 3.0)).with_angular_velocity(Vec3::ONE);
            let id = world.insert(desc).unwrap();
            let other = world.insert(solid(false).with_position(Vec3::X * 50.0)).unwrap();
            steps(&mut world, 30);
            if 0 < pause {
                enable(&mut world, id, false);
                let old = body(&world, id).pose();
                steps(&mut world, pause);
                assert_eq!(body(&world, id).pose(), old);
                enable(&mut world, id, true);
            }
            steps(&mut world, 30);
            assert!(body(&world, other).position().y < -1.0);
            (body(&world, id).pose(), body(&world, id).linear_velocity(), body(&world, id).angular_velocity())
        };
        assert_eq!(run(0), run(17), "{mobility:?}");
    }
}

/// Setters reach a disabled body. Forces for a step and targets do not.
#[test]
fn what_is_set_meanwhile_counts_afterwards() {
    let mut world = World::new();
    let id = world.insert(solid(false).with_gravity_scale(0.0).with_enabled(false)).unwrap();
    let lift =
        world.insert(solid(false).with_mobility(Mobility::Kinematic).with_position(Vec3::X * 5.0)).unwrap();
    world.body_mut(lift).unwrap().move_to(Pose::from_translation(Vec3::Y)).unwrap();
    enable(&mut world, lift, false);
    let mut view = world.body_mut(id).unwrap();
    view.apply_force(Vec3::X * 100.0).unwrap().set_position(Vec3::Y * 3.0).unwrap();
    view.set_linear_velocity(Vec3::Z).unwrap().sleep();
    world.body_mut(lift).unwrap().move_to(Pose::from_translation(Vec3::Y)).unwrap();
    steps(&mut world, 20);
    assert_eq!(body(&world, id).position(), Vec3::Y * 3.0);
    enable(&mut world, id, true);
    enable(&mut world, lift, true);
    steps(&mut world, 60);
    assert!((body(&world, id).position() - Vec3::new(0.0, 3.0, 1.0)).length() < 1e-4);
    assert_eq!(body(&world, lift).position(), Vec3::X * 5.0);
}

/// A floor that is disabled lets sleeping boxes fall, and holds others when it is enabled.
#[test]
fn a_floor_opens_and_closes() {
    let mut world = World::new();
    let trap = BodyDesc::fixed(cuboid(Vec3::new(5.0, 0.5, 5.0)));
    let trap = world.insert(trap.with_position(Vec3::Y * -0.5)).unwrap();
    let first = world.insert(solid(false).with_position(Vec3::Y * 0.5)).unwrap();
    steps(&mut world, 200);
    assert!(body(&world, first).is_sleeping());
    enable(&mut world, trap, false);
    steps(&mut world, 60);
    assert!(body(&world, first).position().y < -4.0);
    enable(&mut world, trap, true);
    let second = world.insert(solid(true).with_position(Vec3::Y * 0.7)).unwrap();
    steps(&mut world, 200);
    assert!((body(&world, second).position().y - 0.5).abs() < 0.01);
}

/// A ball hangs from a post. It falls if the post, the ball or the joint is disabled, and is held
/// again afterwards.
#[test]
fn joints_do_not_act() {
    for which in 0..3 {
        let mut world = World::new();
        let post = world.insert(BodyDesc::fixed(ball(0.1))).unwrap();
        let bob = world.insert(of_unit_density(ball(0.1)).with_position(Vec3::NEG_Y)).unwrap();
        let joint = world.insert_joint(JointDesc::spherical(post, bob).with_anchor(Vec3::ZERO)).unwrap();
        steps(&mut world, 30);
        assert!(0.0 < world.joint(joint).unwrap().force().length());
        match which {
            0 => enable(&mut world, post, false),
            1 => enable(&mut world, bob, false),
            _ => enable_joint(&mut world, joint, false),
        }
        let view = world.joint(joint).unwrap();
        assert_eq!((view.is_enabled(), view.force()), (which != 2, Vec3::ZERO));
        assert_eq!(body(&world, bob).joints().map(|view| view.id()).collect::<Vec<_>>(), [joint]);
        assert_eq!(world.joints().count(), 1);
        steps(&mut world, 30);
        let fallen = -1.0 - body(&world, bob).position().y;
        assert!(if which == 1 { fallen.abs() < 1e-3 } else { 1.0 < fallen }, "{which}: {fallen}");
        match which {
            0 => enable(&mut world, post, true),
            1 => enable(&mut world, bob, true),
            _ => enable_joint(&mut world, joint, true),
        }
        steps(&mut world, 120);
        assert!(world.joint(joint).unwrap().error() < 0.01, "{which}");
        // Removal with a disabled joint.
        enable_joint(&mut world, joint, false);
        world.remove(post).unwrap();
        assert!(world.joint(joint).is_err() && world.joints().count() == 0);
        steps(&mut world, 5);
    }
}

/// Joined bodies that overlap do not collide. Without the joint they do.
#[test]
fn bodies_of_a_disabled_joint_collide() {
    let mut world = World::new();
    let lower = world.insert(BodyDesc::fixed(cuboid(Vec3::splat(0.5)))).unwrap();
    let upper = world.insert(solid(false).with_position(Vec3::Y * 0.99)).unwrap();
    let weld = world.insert_joint(JointDesc::weld(lower, upper).with_enabled(false)).unwrap();
    steps(&mut world, 10);
    assert_eq!(body(&world, upper).touching().collect::<Vec<_>>(), [lower]);
    enable_joint(&mut world, weld, true);
    steps(&mut world, 10);
    assert_eq!(body(&world, upper).touching().count(), 0);
    enable_joint(&mut world, weld, false);
    steps(&mut world, 200);
    assert_eq!(body(&world, upper).touching().collect::<Vec<_>>(), [lower]);
    assert!(body(&world, upper).is_sleeping());
    // It is an error for a joint that was removed.
    world.remove_joint(weld).unwrap();
    assert!(world.joint_mut(weld).is_err());
}

/// A clutch: a gear that is disabled turns nothing. Enabled again, it goes on from the angles that
/// its wheels have then.
#[test]
fn a_gear_is_a_clutch() {
    for which in 0..2 {
        let mut world = World::new();
        let post = world.insert(BodyDesc::fixed(ball(0.1))).unwrap();
        let axle = |world: &mut World, x: f32, spin: f32| {
            let wheel = of_unit_density(ball(0.5)).with_position(Vec3::X * x);
            let wheel = world.insert(wheel.with_angular_velocity(Vec3::Z * spin)).unwrap();
            let axle = JointDesc::revolute(post, wheel).with_anchor(Vec3::X * x).with_axis(Vec3::Z);
            (wheel, world.insert_joint(axle).unwrap())
        };
        let (driving, own) = axle(&mut world, 5.0, 2.0);
        let (driven, other) = axle(&mut world, 10.0, 0.0);
        let gear = world.insert_joint(JointDesc::gear(own, other, 1.0).with_enabled(false)).unwrap();
        let spin = |world: &World, id| body(world, id).angular_velocity().z;
        // More than a turn.
        steps(&mut world, 200);
        assert!((spin(&world, driving) - 2.0).abs() < 1e-3 && spin(&world, driven).abs() < 1e-5);
        enable_joint(&mut world, gear, true);
        let mut most = 0.0_f32;
        for _ in 0..120 {
            world.checked_step(DT).unwrap();
            most = most.max(spin(&world, driving).abs()).max(spin(&world, driven).abs());
        }
        // Equal wheels share the spin, and no wheel turns back to an old angle.
        assert!((spin(&world, driving) - 1.0).abs() < 0.02, "{}", spin(&world, driving));
        assert!((spin(&world, driven) + 1.0).abs() < 0.02 && most < 2.01, "{most}");
        // The gear does not act while a joint that it couples, or its mount, does not.
        if which == 0 {
            enable_joint(&mut world, other, false);
            world.body_mut(driven).unwrap().set_gravity_scale(0.0).unwrap();
        } else {
            enable(&mut world, driven, false);
        }
        world.body_mut(driving).unwrap().set_angular_velocity(Vec3::Z * 3.0).unwrap();
        steps(&mut world, 60);
        assert!((spin(&world, driving) - 3.0).abs() < 1e-3, "{}", spin(&world, driving));
    }
}

/// A heap of which bodies and joints are disabled and enabled while it moves.
fn script<B: BroadPhase>(world: &mut World<B>, ids: &[BodyId], joint: JointId, step: usize) {
    let id = ids[step * 7 % ids.len()];
    if step.is_multiple_of(5) {
        let is_enabled = world.body(id).unwrap().is_enabled();
        world.body_mut(id).unwrap().set_enabled(!is_enabled).unwrap();
    }
    if step.is_multiple_of(11) {
        world.joint_mut(joint).unwrap().set_enabled(step.is_multiple_of(2)).unwrap();
    }
    if step % 20 < 6 {
        world.checked_step_within(DT, Budget::Steps(30)).unwrap();
    } else {
        world.checked_step(DT).unwrap();
    }
}

fn heaped<B: BroadPhase + Default>() -> (World<B>, Vec<BodyId>, JointId) {
    let mut world = world_on::<B>();
    let ids = heap(&mut world, 30, 5);
    let joint = world.insert_joint(JointDesc::rope(ids[0], ids[1], 3.0)).unwrap();
    (world, ids, joint)
}

/// Restored from memory or from text, a world with disabled bodies goes on with the same bits, in
/// any broad phase.
#[cfg(feature = "serde")]
#[test]
fn snapshots_have_it() {
    let (mut world, ids, joint) = heaped::<DynamicBvh>();
    (0..63).for_each(|step| script(&mut world, &ids, joint, step));
    assert!(ids.iter().filter(|id| !world.body(**id).unwrap().is_enabled()).count() > 2);
    let snapshot = world.snapshot();
    let mut again = restored::<DynamicBvh>(&snapshot, &world).unwrap();
    let mut other = restored::<BruteForce>(&reread(&snapshot), &world).unwrap();
    for step in 63..160 {
        script(&mut world, &ids, joint, step);
        script(&mut again, &ids, joint, step);
        script(&mut other, &ids, joint, step);
        let hash = world.state_hash();
        assert_eq!([again.state_hash(), other.state_hash()], [hash; 2], "step {step}");
        assert_eq!([again.events(), other.events()], [world.events(); 2]);
    }
}

#[test]
fn the_broad_phase_and_the_start_change_nothing() {
    let (mut world, ids, joint) = heaped::<DynamicBvh>();
    let (mut other, ..) = heaped::<BruteForce>();
    for step in 0..120 {
        script(&mut world, &ids, joint, step);
        script(&mut other, &ids, joint, step);
        assert_eq!(world.state_hash(), other.state_hash(), "step {step}");
    }
}

/// A number is free again after the removal of a disabled body.
#[test]
fn a_new_body_is_enabled() {
    let mut world = World::new();
    let old = world.insert(solid(false).with_enabled(false)).unwrap();
    world.remove(old).unwrap();
    let new = world.insert(solid(false)).unwrap();
    assert_eq!(old.index(), new.index());
    steps(&mut world, 30);
    assert!(body(&world, new).is_enabled() && body(&world, new).position().y < -1.0);
}

/// One description serves for several joints, of several kinds.
#[test]
fn descriptions_of_joints_are_changed() {
    let mut world = World::new();
    let mut ids = Vec::new();
    for x in 0..3 {
        ids.push(world.insert(solid(false).with_position(Vec3::X * (2.0 * x as f32))).unwrap());
    }
    let desc = JointDesc::revolute(ids[0], ids[1]).with_cone(1.0).with_kind(JointKind::Weld);
    let weld = world.insert_joint(desc).unwrap();
    let other = world.insert_joint(desc.with_ends(JointEnds::Bodies(ids[1], ids[2]))).unwrap();
    assert_eq!(world.joint(weld).unwrap().kind(), JointKind::Weld);
    assert_eq!(world.joint(other).unwrap().bodies(), [ids[1], ids[2]]);
}

/// Vertices that are attached to a disabled body are held. It does not collide with the rest.
#[cfg(feature = "soft")]
#[test]
fn attached_vertices_are_held() {
    use carom_world::{RopeSettings, SoftBodyDesc};
    let mut world = World::new();
    let holder = world.insert(of_unit_density(ball(0.1)).with_gravity_scale(0.0)).unwrap();
    let points: Vec<Vec3> = (0..=10).map(|k| Vec3::X * (0.1 + 0.1 * k as f32)).collect();
    let rope = SoftBodyDesc::rope(&points, RopeSettings::default()).with_density(1.0);
    let rope = world.insert_soft_body(rope).unwrap();
    world.soft_body_mut(rope).unwrap().attach(0, holder).unwrap();
    enable(&mut world, holder, false);
    let obstacle = world.insert(BodyDesc::fixed(cuboid(Vec3::splat(0.3))).with_enabled(false)).unwrap();
    world.body_mut(obstacle).unwrap().set_position(Vec3::new(0.1, -0.6, 0.0)).unwrap();
    steps(&mut world, 600);
    let ends = [0, 10].map(|k| world.soft_body(rope).unwrap().positions()[k]);
    assert!((ends[0] - points[0]).length() < 0.01, "{}", ends[0]);
    assert!(ends[1].y < -0.8, "it hangs through the obstacle: {}", ends[1]);
    assert_eq!(body(&world, holder).position(), Vec3::ZERO);
    // Nothing holds the holder.
    enable(&mut world, holder, true);
    steps(&mut world, 60);
    assert!(body(&world, holder).position().y < -1.0);
}

/// A sensor of a disabled body reports nothing, and one that is enabled in a body reports it.
#[test]
fn sensors_are_disabled_too() {
    let mut world = World::new();
    let gate = BodyDesc::fixed(ColliderDesc::new(Shape::cuboid(Vec3::ONE).unwrap()).with_sensor(true));
    let gate = world.insert(gate.with_enabled(false)).unwrap();
    let inside = world.insert(solid(false).with_gravity_scale(0.0)).unwrap();
    steps(&mut world, 100);
    assert_eq!((world.events().len(), body(&world, inside).is_sleeping()), (0, true));
    for (is_enabled, kind) in [(true, EventKind::Began), (false, EventKind::Ended)] {
        enable(&mut world, gate, is_enabled);
        world.checked_step(DT).unwrap();
        assert_eq!(world.events().iter().map(|event| event.kind).collect::<Vec<_>>(), [kind]);
    }
}

/// A lift on its way gets no target any more when it is disabled. It stands where it is, and does
/// not go on for ever with the velocity of its last target.
#[test]
fn r_a_lift_that_is_disabled_on_its_way_stands_still() {
    for n_steps in 0..3 {
        let mut world = World::new();
        let lift = world.insert(solid(false).with_mobility(Mobility::Kinematic)).unwrap();
        let turn = carom_math::Quat::from_rotation_y(0.1);
        let target = Pose::new(turn, Vec3::Y * 0.1);
        world.body_mut(lift).unwrap().move_to(target).unwrap();
        steps(&mut world, n_steps);
        let due = if n_steps == 0 { Pose::IDENTITY } else { target };
        enable(&mut world, lift, false);
        steps(&mut world, 5);
        enable(&mut world, lift, true);
        steps(&mut world, 60);
        assert_eq!(body(&world, lift).pose(), due, "{n_steps}");
        assert_eq!(body(&world, lift).linear_velocity(), Vec3::ZERO);
    }
}

/// A force of one step throws a ball farther than its box reaches. A mesh stops it there, if it is
/// enabled.
#[test]
fn r_a_disabled_surface_stops_no_body() {
    let corners = [[-5.0, -5.0], [5.0, -5.0], [5.0, 5.0], [-5.0, 5.0]].map(|[y, z]| Vec3::new(2.0, y, z));
    let wall = Shape::mesh(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    for is_enabled in [true, false] {
        let mut world = World::new();
        world.solver_settings_mut().gravity = Vec3::ZERO;
        let wall = world.insert(BodyDesc::fixed(wall.clone())).unwrap();
        let id = world.insert(BodyDesc::dynamic(ball(0.1)).with_mass(1.0)).unwrap();
        steps(&mut world, 1);
        enable(&mut world, wall, is_enabled);
        world.body_mut(id).unwrap().apply_force(Vec3::X * 3e4).unwrap();
        steps(&mut world, 1);
        let x = body(&world, id).position().x;
        assert!(if is_enabled { x < 2.0 } else { 4.0 < x }, "{is_enabled}: {x}");
        assert_eq!(world.stats().n_stopped, usize::from(is_enabled));
    }
}

/// Bodies in reserve, all at one place: the search for pairs does not find them.
#[test]
fn r_a_pool_of_disabled_bodies_costs_no_pairs() {
    let most_work = |n_disabled: usize| {
        let mut world = world_on::<DynamicBvh>();
        let mut insert = |desc: BodyDesc| _ = world.insert(desc).unwrap();
        for k in 0..300 {
            let at = Vec3::new((k % 20) as f32, 5.0, (k / 20) as f32) * 3.0;
            insert(solid(false).with_position(at).with_linear_velocity(Vec3::X * (k % 7) as f32));
        }
        (0..n_disabled).for_each(|_| insert(solid(false).with_enabled(false)));
        let mut work = [0; 3];
        for _ in 0..60 {
            world.checked_step(DT).unwrap();
            let counters = world.broad_phase().counters();
            let step = [counters.tests, counters.candidates, counters.rebuilds];
            work = [0, 1, 2].map(|k| work[k].max(step[k]));
        }
        work
    };
    let n = 1000;
    let [with, without] = [n, 0].map(most_work);
    println!("most tests, candidates and rebuilds: {with:?}, without the pool {without:?}");
    // All pairs of the pool are 500 for each of its bodies.
    assert!(with[0] < without[0] + 50 * n as u64 && with[1] < without[1] + n as u64, "{with:?} {without:?}");
}

/// A disabled body reports nothing: no impulse that is applied to it.
#[test]
fn r_a_disabled_body_records_no_impulse() {
    for is_enabled in [true, false] {
        let mut world = World::new();
        let desc = solid(false).with_mobility(Mobility::Kinematic).with_recorded_pushes(true);
        let id = world.insert(desc).unwrap();
        // Dropped when it is disabled, and ignored afterwards.
        world.body_mut(id).unwrap().apply_impulse(Vec3::X).unwrap();
        enable(&mut world, id, is_enabled);
        world.body_mut(id).unwrap().apply_impulse(Vec3::X).unwrap();
        steps(&mut world, 1);
        assert_eq!(body(&world, id).pushes().count(), usize::from(is_enabled));
    }
}

/// A disabled body has no energy: it does not move, whatever its velocity is.
#[test]
fn r_the_energy_is_that_of_enabled_bodies() {
    let mut world = World::new();
    let desc = || solid(false).with_position(Vec3::Y * 3.0).with_linear_velocity(Vec3::X * 5.0);
    world.insert(desc()).unwrap();
    let one = world.energy();
    let other = world.insert(desc().with_enabled(false)).unwrap();
    assert_eq!(world.energy(), one);
    enable(&mut world, other, true);
    assert!((world.energy().kinetic / one.kinetic - 2.0).abs() < 1e-6);
}

/// A disabled body does not sleep, so it is awake when it is enabled.
#[test]
fn a_disabled_body_does_not_sleep() {
    let mut world = World::new();
    let id = world.insert(solid(false).with_enabled(false).with_sleeping(true)).unwrap();
    world.body_mut(id).unwrap().sleep();
    steps(&mut world, 100);
    assert!(!body(&world, id).is_sleeping());
    enable(&mut world, id, true);
    steps(&mut world, 1);
    assert!(!body(&world, id).is_sleeping() && body(&world, id).position().y < 0.0);
}

/// The box of a swift body contains its path in a step. The length of steps may change while the
/// body is disabled.
#[test]
fn r_a_body_that_is_enabled_has_the_box_of_present_steps() {
    let mut world = World::new();
    let desc = solid(false).with_linear_velocity(Vec3::X * 90.0).with_gravity_scale(0.0);
    let id = world.insert(desc).unwrap();
    world.insert(solid(false).with_position(Vec3::Y * 100.0)).unwrap();
    world.checked_step(DT / 8.0).unwrap();
    enable(&mut world, id, false);
    (0..3).for_each(|_| _ = world.checked_step(DT).unwrap());
    enable(&mut world, id, true);
    let reach = body(&world, id).aabb().max.x - body(&world, id).position().x;
    assert!(90.0 * DT < reach, "{reach}");
}

/// Disabled bodies and joints that do not act are drawn by roles of their own.
#[test]
fn r_what_is_disabled_is_drawn_by_its_own_role() {
    use carom_world::{DebugDraw, DrawFlags, DrawRole};
    struct Roles(Vec<DrawRole>);
    impl DebugDraw for Roles {
        fn line(&mut self, _: Vec3, _: Vec3, role: DrawRole) {
            self.0.push(role);
        }
        fn point(&mut self, _: Vec3, role: DrawRole) {
            self.0.push(role);
        }
    }
    let mut world = World::new();
    let ids = [0.0, 2.0, 4.0].map(|x| world.insert(solid(false).with_position(Vec3::X * x)).unwrap());
    world.insert_joint(JointDesc::spherical(ids[0], ids[1])).unwrap();
    world.insert_joint(JointDesc::spherical(ids[1], ids[2])).unwrap();
    enable(&mut world, ids[2], false);
    let mut roles = Roles(Vec::new());
    world.debug_draw(&mut roles, DrawFlags::BOXES | DrawFlags::JOINTS);
    let n = |role: DrawRole| roles.0.iter().filter(|&&other| other == role).count();
    let counts = [DrawRole::AwakeBox, DrawRole::DisabledBox, DrawRole::Joint, DrawRole::IdleJoint].map(n);
    assert_eq!(counts, [24, 12, 2, 2]);
}

/// Pushes on a kinematic body that was removed are not kept for the next body of its number.
#[cfg(feature = "serde")]
#[test]
fn r_pushes_on_a_removed_body_are_dropped() {
    let mut world = World::new();
    let desc = || solid(false).with_mobility(Mobility::Kinematic).with_recorded_pushes(true);
    let id = world.insert(desc()).unwrap();
    world.body_mut(id).unwrap().apply_impulse(Vec3::X).unwrap();
    steps(&mut world, 1);
    let n_stored = |world: &World| {
        let stored = serde_json::to_value(world.snapshot()).unwrap();
        stored["pushes"].as_array().unwrap().len()
    };
    assert_eq!(n_stored(&world), 1);
    world.remove(id).unwrap();
    assert_eq!(world.insert(desc()).unwrap().index(), id.index());
    steps(&mut world, 1);
    assert_eq!(n_stored(&world), 0);
}
