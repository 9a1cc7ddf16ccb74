//! Joints of sleeping bodies cost nothing and change nothing, and removed ones leave nothing
//! behind.

use crate::of_unit_density;
use crate::scenes::{CheckedStep, DT, cuboid, ground};
use carom_geom::{Cuboid, HalfSpace};
use carom_math::{Pose, Vec3};
use carom_query::Shape;
use carom_world::{
    BodyDesc, BodyId, JointDesc, JointFault, JointId, JointKind, Motor, TorsionSpring, World, WorldError,
    WorldSettings,
};

const STEP: f32 = 1.0 / 60.0;

/// The step in which recycled contacts are tested again depends on the numbers of the bodies, so
/// recycling is off.
fn with_floor() -> World {
    let mut world = World::with_settings(WorldSettings::default().with_recycling(0.0));
    world.insert(BodyDesc::fixed(Shape::HalfSpace(HalfSpace::new(Vec3::Y).unwrap()))).unwrap();
    world
}

/// A chain of boxes along x.
fn chain(world: &mut World, at: Vec3, n: usize) -> (Vec<BodyId>, Vec<JointId>) {
    let limb = Shape::Cuboid(Cuboid::new(Vec3::new(0.12, 0.1, 0.1)).unwrap());
    let position_of = |k: usize| at + Vec3::X * (0.3 * k as f32);
    let limbs: Vec<BodyId> = (0..n)
        .map(|k| world.insert(of_unit_density(limb.clone()).with_position(position_of(k))).unwrap())
        .collect();
    let frame = |x: f32| Pose::from_translation(Vec3::X * x);
    let kind = JointKind::Spherical { cone: 1.0, twist: None };
    let join = |pair: &[BodyId]| {
        world
            .insert_joint(JointDesc::new(pair[0], pair[1], kind).with_frames(frame(0.15), frame(-0.15)))
            .unwrap()
    };
    let joints = limbs.windows(2).map(join).collect();
    (limbs, joints)
}

#[test]
fn a_chain_falls_as_it_would_without_those_that_sleep() {
    let (mut alone, mut beside) = (with_floor(), with_floor());
    for k in 0..40 {
        chain(&mut beside, Vec3::new(0.0, 0.1, 2.0 + k as f32), 10);
    }
    for _ in 0..60 {
        alone.checked_step(STEP).unwrap();
        beside.checked_step(STEP).unwrap();
    }
    assert_eq!(beside.stats().solver.n_awake, 0);
    let at = Vec3::new(-1.0, 1.5, -3.0);
    let own = [chain(&mut alone, at, 10).0, chain(&mut beside, at, 10).0];
    for step in 0..90 {
        let n_awake = alone.checked_step(STEP).unwrap().solver.n_awake;
        assert_eq!(beside.checked_step(STEP).unwrap().solver.n_awake, n_awake);
        assert!(n_awake == 10 || 60 < step);
        for (a, b) in own[0].iter().zip(&own[1]) {
            assert_eq!(
                alone.body(*a).map(|body| body.pose()),
                beside.body(*b).map(|body| body.pose()),
                "step {step}"
            );
        }
    }
}

#[test]
fn a_sleeping_chain_wakes_at_the_pull_of_what_hangs_on_it() {
    let mut world = with_floor();
    let (limbs, _) = chain(&mut world, Vec3::Y * 0.1, 6);
    for _ in 0..60 {
        world.checked_step(STEP).unwrap();
    }
    assert!(limbs.iter().all(|&limb| world.body(limb).unwrap().is_sleeping()));
    // Far from the others, so that only the joint connects them.
    let ball = Shape::Cuboid(Cuboid::new(Vec3::splat(0.1)).unwrap());
    let last = world.insert(of_unit_density(ball).with_position(Vec3::new(1.5, 3.5, 1.5))).unwrap();
    let rope = JointKind::Distance { min: 0.0, max: 4.0 };
    world
        .insert_joint(JointDesc::new(limbs[5], last, rope).with_frames(Pose::IDENTITY, Pose::IDENTITY))
        .unwrap();
    for _ in 0..60 {
        world.checked_step(STEP).unwrap();
    }
    assert!(
        limbs.iter().all(|&limb| !world.body(limb).unwrap().is_sleeping())
            || !world.body(last).unwrap().is_sleeping()
    );
    world
        .body_mut(last)
        .unwrap()
        .set_linear_velocity(Vec3::Y * 20.0)
        .unwrap()
        .set_angular_velocity(Vec3::ZERO)
        .unwrap();
    for _ in 0..30 {
        world.checked_step(STEP).unwrap();
    }
    assert!(0.5 < world.body(limbs[5]).unwrap().position().y, "the rope pulls");
}

#[test]
fn joints_that_come_and_go_leave_nothing_behind() {
    let mut world = with_floor();
    let (limbs, mut joints) = chain(&mut world, Vec3::Y * 0.1, 4);
    // Gaps in the table of joints, but too few for a compaction.
    for round in 0..50 {
        let (others, own) = chain(&mut world, Vec3::new(0.0, 0.1, 2.0 + round as f32), 3);
        world.checked_step(STEP).unwrap();
        if round % 3 == 0 {
            world.remove(others[1]).unwrap();
            assert!(own.iter().all(|&joint| world.joint(joint).is_err()));
        } else {
            world.remove_joint(own[0]).unwrap();
            assert!(world.joint(own[0]).is_err() && world.joint(own[1]).is_ok());
            joints.push(own[1]);
        }
        assert_eq!(world.joints().map(|joint| joint.id()).collect::<Vec<_>>(), joints);
    }
    for body in world.bodies() {
        let all = world.joints().filter(|joint| joint.bodies().contains(&body.id()));
        assert!(body.joints().eq(all));
    }
    let snapshot = world.snapshot();
    let mut other: World = crate::scenes::restored(&snapshot, &world).unwrap();
    for _ in 0..120 {
        world.checked_step(STEP).unwrap();
        other.checked_step(STEP).unwrap();
        assert_eq!(world.state_hash(), other.state_hash());
    }
    // Handles of the restored world are those of the first.
    assert_eq!(other.joints().map(|joint| joint.id()).collect::<Vec<_>>(), joints);
    other.remove_joint(joints[1]).unwrap();
    assert_eq!(other.joint(joints[1]).map(|_| ()), Err(WorldError::StaleJoint(joints[1])));
    assert!(!other.body(limbs[1]).unwrap().is_sleeping() && !other.body(limbs[2]).unwrap().is_sleeping());
}

/// Two overlapping boxes in a joint do not push each other. Without the joint they do, although
/// neither has moved.
#[test]
fn overlapping_bodies_part_when_their_joint_is_removed() {
    let mut world = World::new();
    world.solver_settings_mut().gravity = Vec3::ZERO;
    let shape = Shape::Cuboid(Cuboid::new(Vec3::splat(0.5)).unwrap());
    let at = |x: f32| of_unit_density(shape.clone()).with_position(Vec3::X * x);
    let (a, b) = (world.insert(at(0.0)).unwrap(), world.insert(at(0.9)).unwrap());
    let joint =
        world.insert_joint(JointDesc::weld(a, b).with_anchor(Vec3::X * 0.45).with_axis(Vec3::X)).unwrap();
    for _ in 0..60 {
        world.checked_step(STEP).unwrap();
    }
    let apart = |world: &World| world.body(b).unwrap().position().x - world.body(a).unwrap().position().x;
    assert!((apart(&world) - 0.9).abs() < 1e-3 && world.contacts().count() == 0);
    world.remove_joint(joint).unwrap();
    for _ in 0..60 {
        world.checked_step(STEP).unwrap();
    }
    assert!(0.98 < apart(&world), "{}", apart(&world));
    // And held again where they are now, they are left alone at once.
    world.insert_joint(JointDesc::weld(a, b).with_anchor(Vec3::X * 0.5).with_axis(Vec3::X)).unwrap();
    world.checked_step(STEP).unwrap();
    assert_eq!(world.contacts().count(), 0);
}

/// Limits, cones and lengths that no state satisfies held their bodies in the air without an error.
#[test]
fn bounds_that_allow_nothing_are_refused() {
    const INF: f32 = f32::INFINITY;
    let mut world = World::new();
    let [a, b] = [0.0, 2.0]
        .map(|x| world.insert(of_unit_density(cuboid(Vec3::splat(0.5))).with_position(Vec3::X * x)).unwrap());
    let hinge = |low: f32, high: f32| JointKind::Revolute { limits: Some([low, high]), motor: None };
    for kind in [
        hinge(INF, INF),
        hinge(-INF, -INF),
        hinge(1.0, 0.0),
        JointKind::Spherical { cone: -1.0, twist: None },
        JointKind::Spherical { cone: -INF, twist: None },
        JointKind::Distance { min: INF, max: INF },
    ] {
        let joined = world.insert_joint(JointDesc::new(a, b, kind).with_anchor(Vec3::X).with_axis(Vec3::X));
        assert!(matches!(joined, Err(WorldError::BadJoint(JointFault::BadValue { .. }))), "{kind:?}");
    }
    for kind in [
        hinge(-INF, INF),
        JointKind::Spherical { cone: INF, twist: None },
        JointKind::Distance { min: 0.0, max: INF },
    ] {
        world.insert_joint(JointDesc::new(a, b, kind).with_anchor(Vec3::X).with_axis(Vec3::X)).unwrap();
    }
}

/// At half a turn the angle jumps by a whole one: a hinge locked there, or beyond, threw its bodies
/// about for ever.
#[test]
fn a_hinge_may_be_limited_about_half_a_turn() {
    const PI: f32 = core::f32::consts::PI;
    for limits in [[PI, PI], [4.0, 5.0], [-9.0, -8.0]] {
        let mut world = World::new();
        world.insert(ground()).unwrap();
        let a = world.insert(of_unit_density(cuboid(Vec3::splat(0.5))).with_position(Vec3::Y * 3.0)).unwrap();
        let b = of_unit_density(cuboid(Vec3::new(0.4, 0.2, 0.3))).with_position(Vec3::new(1.0, 3.0, 0.0));
        let b = world.insert(b).unwrap();
        let kind = JointKind::Revolute { limits: Some(limits), motor: None };
        world
            .insert_joint(JointDesc::new(a, b, kind).with_anchor(Vec3::new(0.5, 3.0, 0.0)).with_axis(Vec3::X))
            .unwrap();
        for _ in 0..600 {
            world.checked_step(DT).unwrap();
        }
        let spin = world.body(b).unwrap().angular_velocity().length();
        assert!(spin < 0.1, "{limits:?}: it still turns by {spin}");
        let turned = world.body(a).unwrap().rotation().conjugate() * world.body(b).unwrap().rotation();
        let angle = 2.0 * turned.x.atan2(turned.w);
        let off = (angle - 0.5 * (limits[0] + limits[1]) + PI).rem_euclid(2.0 * PI) - PI;
        assert!(off.abs() < 0.5 * (limits[1] - limits[0]) + 0.05, "{limits:?}: at {angle}");
    }
}

/// A hinge with a spring that a motor has wound up, in the middle of a turn.
fn wound() -> (World, JointId) {
    let mut world = World::new();
    let post = world.insert(BodyDesc::fixed(cuboid(Vec3::splat(0.1)))).unwrap();
    let wheel = world.insert(of_unit_density(cuboid(Vec3::new(0.5, 0.5, 0.1)))).unwrap();
    let motor = Some(Motor::velocity(6.0).with_max_force(50.0));
    let kind = JointKind::Revolute { limits: None, motor };
    let hinge = world
        .insert_joint(JointDesc::new(post, wheel, kind).with_anchor(Vec3::ZERO).with_axis(Vec3::Z))
        .unwrap();
    world.joint_mut(hinge).unwrap().set_torsion_spring(Some(TorsionSpring::new(0.1, 0.0))).unwrap();
    for _ in 0..200 {
        world.checked_step(DT).unwrap();
    }
    world.joint_mut(hinge).unwrap().set_motor(None).unwrap();
    (world, hinge)
}

#[test]
fn springs_are_for_hinges_and_a_bad_setting_is_named() {
    let (mut world, hinge) = wound();
    assert!((19.0..21.0).contains(&world.joint(hinge).unwrap().angle().unwrap()));
    let spring = world.joint(hinge).unwrap().data().torsion_spring;
    for (bad, name) in [
        (TorsionSpring::new(-1.0, 0.0), "stiffness"),
        (TorsionSpring::new(1.0, f32::NAN), "rest_angle"),
        (TorsionSpring::new(1.0, 0.0).with_damping(f32::INFINITY), "damping"),
    ] {
        let refused = world.joint_mut(hinge).unwrap().set_torsion_spring(bad).map(|_| ()).unwrap_err();
        let WorldError::BadJoint(JointFault::BadValue { what, .. }) = refused else { panic!("{refused:?}") };
        assert_eq!(what, name);
        assert!(refused.to_string().contains(name));
        assert_eq!(world.joint(hinge).unwrap().data().torsion_spring, spring);
    }
    let other = world.insert(of_unit_density(cuboid(Vec3::splat(0.2))).with_position(Vec3::X * 3.0)).unwrap();
    let post = world.body_ids().next().unwrap();
    let rod = JointKind::Distance { min: 3.0, max: 3.0 };
    let rod = world
        .insert_joint(JointDesc::new(post, other, rod).with_frames(Pose::IDENTITY, Pose::IDENTITY))
        .unwrap();
    let refused = world.joint_mut(rod).unwrap().set_torsion_spring(spring).map(|_| ());
    assert_eq!(refused, Err(WorldError::BadJoint(JointFault::NotOfKind("torsion spring"))));
    assert_eq!(world.joint(rod).unwrap().angle(), None);
    world.joint_mut(hinge).unwrap().set_torsion_spring(None).unwrap();
    assert_eq!(world.joint(hinge).unwrap().data().torsion_spring, None);
    world.validate().unwrap();
}

/// Turns and impulses are in a snapshot: what is restored goes on with the same bits.
#[test]
fn a_wound_spring_is_restored_with_its_turns() {
    let (mut world, hinge) = wound();
    let snapshot = world.snapshot();
    let mut again = crate::scenes::restored::<carom_broad_tree::DynamicBvh>(&snapshot, &world).unwrap();
    assert_eq!(again.joint(hinge).unwrap().angle(), world.joint(hinge).unwrap().angle());
    for _ in 0..120 {
        world.checked_step(DT).unwrap();
        again.checked_step(DT).unwrap();
        assert_eq!(again.state_hash(), world.state_hash());
    }
    assert_eq!(again.joint(hinge).unwrap().angle(), world.joint(hinge).unwrap().angle());
    assert!(again.joint(hinge).unwrap().angle().unwrap() < 18.0);
}

/// A wheel that spins by more than half a turn: with a spring of stiffness 0 its turns are counted,
/// without one they are not. The spring changes no motion, and lets the wheel sleep.
#[test]
fn a_spring_without_stiffness_counts_turns() {
    let run = |is_counted: bool, speed: f32| {
        let mut world = World::new();
        let post = world.insert(BodyDesc::fixed(cuboid(Vec3::splat(0.1)))).unwrap();
        let wheel = of_unit_density(cuboid(Vec3::new(0.5, 0.1, 0.5))).with_angular_velocity(Vec3::Y * speed);
        let wheel = world.insert(wheel).unwrap();
        let desc = JointDesc::revolute(post, wheel).with_axis(Vec3::Y);
        let counted = desc.with_torsion_spring(TorsionSpring::new(0.0, 0.0));
        let hinge = world.insert_joint(if is_counted { counted } else { desc }).unwrap();
        (0..300).for_each(|_| _ = world.checked_step(DT).unwrap());
        let body = world.body(wheel).unwrap();
        (world.joint(hinge).unwrap().angle().unwrap(), body.angular_velocity(), body.is_sleeping())
    };
    for speed in [5.0_f32, -7.0] {
        let [(plain, speed_plain, _), (counted, speed_counted, _)] = [false, true].map(|c| run(c, speed));
        assert_eq!(speed_plain, speed_counted);
        assert!((counted - 5.0 * f64::from(speed)).abs() < 0.01, "{counted}");
        assert!(plain.abs() <= core::f64::consts::PI && 1.0 < (counted - plain).abs(), "{plain}");
    }
    assert_eq!(run(true, 0.0), (0.0, Vec3::ZERO, true));
}

/// The energy of a world is that of its velocities before the first step. Later it takes the lag of
/// velocities into account, whatever the substeps, also after a restore.
#[test]
fn the_energy_of_a_fall_is_constant() {
    for (dt, substeps) in [(DT, 6), (DT, 1), (0.1, 6), (DT / 8.0, 4)] {
        let settings = WorldSettings::default();
        let mut world: World =
            World::with_settings(settings.with_solver(settings.solver.with_substeps(substeps)));
        let ball = of_unit_density(cuboid(Vec3::splat(0.5))).with_linear_velocity(Vec3::new(3.0, 9.0, 0.0));
        world.insert(ball.with_position(Vec3::Y * 2.0)).unwrap();
        assert!((world.energy().kinetic - 45.0).abs() < 1e-4);
        assert!((world.energy().potential - 2.0 * 9.81).abs() < 1e-4);
        world.checked_step(dt).unwrap();
        let start = world.energy().total();
        for _ in 0..30 {
            world.checked_step(dt).unwrap();
            assert!((world.energy().total() - start).abs() < 1e-3, "{} {start}", world.energy().total());
        }
        let (saved, energy) = (world.snapshot(), world.energy());
        world.checked_step(dt / 3.0).unwrap();
        world.detect();
        assert!((world.energy().total() - start).abs() < 1.0);
        world.restore(&saved).unwrap();
        assert_eq!(world.energy(), energy);
    }
}

/// New frames leave the full turns of a torsion spring. Frames determine an angle up to full turns
/// only, so it is the nearest one to the angle before.
#[test]
fn new_frames_keep_the_turns_of_a_torsion_spring() {
    use carom_math::Quat;
    use core::f32::consts::{PI, TAU};
    let settings = WorldSettings::default();
    let no_gravity = settings.with_solver(settings.solver.with_gravity(Vec3::ZERO));
    for turned in [1.0, 3.0, 4.0, -2.5] {
        let mut world: World = World::with_settings(no_gravity);
        let limb = || Shape::Cuboid(Cuboid::new(Vec3::splat(0.2)).unwrap());
        let post = world.insert(BodyDesc::fixed(limb())).unwrap();
        let body = world.insert(of_unit_density(limb()).with_can_sleep(false)).unwrap();
        let desc = JointDesc::revolute(post, body).with_frames(Pose::IDENTITY, Pose::IDENTITY);
        let hinge = world.insert_joint(desc).unwrap();
        let mut spring = TorsionSpring::new(0.01, 3.3 * TAU);
        spring.damping = 0.005;
        world.joint_mut(hinge).unwrap().set_torsion_spring(Some(spring)).unwrap();
        (0..600).for_each(|_| _ = world.checked_step(STEP).unwrap());
        let before = world.joint(hinge).unwrap().angle().unwrap();
        assert!(f64::from(2.0 * TAU) < before, "it winds itself up: {before}");
        let frame_b = Pose::from_rotation(Quat::from_rotation_x(turned));
        world.joint_mut(hinge).unwrap().set_frames(Pose::IDENTITY, frame_b).unwrap();
        let after = world.joint(hinge).unwrap().angle().unwrap();
        let nearest = if turned.abs() <= PI { turned } else { turned - TAU * turned.signum() };
        assert!((after - before - f64::from(nearest)).abs() < 1e-3, "{turned}: {before} {after}");
        world.checked_step(STEP).unwrap();
        let later = world.joint(hinge).unwrap().angle().unwrap();
        assert!((later - after).abs() < 0.3, "{turned}: {after} {later}");
    }
}
