//! Loads of joints, joints that break, and contacts of bodies in joints.

use crate::jointed::{GRAVITY, energy, insert_box, insert_post, is_near, run, world_with};
use crate::scenes::{CheckedStep, DT, cuboid};
use carom_math::{Pose, Vec3};
use carom_world::{
    AxisLimit, BodyDesc, JointAxis, JointDesc, JointFault, JointKind, Motor, SixDof, World, WorldError,
};

fn kinds() -> [JointKind; 10] {
    [
        JointKind::Weld,
        JointKind::Spherical { cone: 1.0, twist: None },
        JointKind::Revolute { limits: Some([-0.5, 0.5]), motor: None },
        JointKind::FREE_PRISMATIC,
        JointKind::Screw { lead: 0.4, limits: None, motor: None },
        JointKind::Distance { min: 0.0, max: 0.0 },
        JointKind::SixDof(SixDof::LOCKED),
        JointKind::SixDof(SixDof::CYLINDRICAL),
        JointKind::SixDof(SixDof::UNIVERSAL),
        JointKind::SixDof(SixDof::FREE.with_limit(JointAxis::Y, AxisLimit::Between(0.0, 0.1))),
    ]
}

/// A load of this mass that hangs on a post by a joint along x that breaks at 1000 N.
fn hanging(kind: JointKind, mass: f32) -> (World, carom_world::BodyId, carom_world::JointId) {
    let mut world = world_with(GRAVITY);
    let post = insert_post(&mut world, Vec3::ZERO);
    let load = insert_box(&mut world, Vec3::splat(0.3), mass, Pose::from_translation(Vec3::NEG_Y * 0.5));
    let desc = JointDesc::new(post, load, kind).with_anchor(Vec3::ZERO).with_axis(Vec3::X);
    let joint = world.insert_joint(desc.with_break_force(1000.0).with_user_data(77)).unwrap();
    (world, load, joint)
}

#[test]
fn each_kind_bears_what_it_should_and_breaks_beyond() {
    for kind in kinds() {
        let (mut world, load, joint) = hanging(kind, 980.0 / GRAVITY);
        run(&mut world, 60.0);
        let force = world.joint(joint).unwrap().force();
        let is_up = is_near(f64::from(force.y), 980.0, 0.01) && force.x.abs() + force.z.abs() < 5.0;
        assert!(is_up && world.broken_joints().is_empty(), "{kind:?}: {force}");
        assert!(world.body(load).unwrap().position().distance(Vec3::NEG_Y * 0.5) < 0.15);

        let (mut world, load, joint) = hanging(kind, 1020.0 / GRAVITY);
        let mut steps = 0;
        while world.broken_joints().is_empty() {
            world.checked_step(DT).unwrap();
            steps += 1;
            assert!(steps < 60, "{kind:?}");
        }
        let broken = world.broken_joints()[0];
        assert!(broken.joint == joint && broken.b == load && broken.user_data == 77, "{broken:?}");
        assert!(1000.0 < broken.force && broken.force < 1500.0, "{broken:?}");
        assert_eq!(world.joint(joint).map(|_| ()), Err(WorldError::StaleJoint(joint)));
        let before = world.body(load).unwrap().position().y;
        run(&mut world, 1.0);
        assert!(world.broken_joints().is_empty());
        assert!(world.body(load).unwrap().position().y < before - 4.0, "it falls");
    }
}

#[test]
fn a_beam_breaks_at_its_torque() {
    let torque = 2.0 * GRAVITY * 1.5;
    for (kind, share) in
        [JointKind::Weld, JointKind::SixDof(SixDof::LOCKED)].into_iter().flat_map(|k| [(k, 0.97), (k, 1.03)])
    {
        let mut world = world_with(GRAVITY);
        let post = insert_post(&mut world, Vec3::ZERO);
        let at = Pose::from_translation(Vec3::X * 1.5);
        let beam = insert_box(&mut world, Vec3::new(1.5, 0.1, 0.1), 2.0, at);
        let joint = world
            .insert_joint(JointDesc::new(post, beam, kind).with_anchor(Vec3::ZERO).with_axis(Vec3::X))
            .unwrap();
        world.joint_mut(joint).unwrap().set_break_torque(torque / share).unwrap();
        let is_broken = (0..300).any(|_| {
            world.checked_step(DT).unwrap();
            !world.broken_joints().is_empty()
        });
        assert_eq!(is_broken, 1.0 < share, "{kind:?}, {share}");
        if !is_broken {
            let found = world.joint(joint).unwrap().torque();
            assert!(is_near(f64::from(found.length()), f64::from(torque), 0.01), "{found}");
        }
    }
}

/// A rope with 300 kg at its end is jerked: it breaks, or adds no energy.
#[test]
fn a_jerk_breaks_a_rope_and_gives_no_energy() {
    for (strength, breaks) in [(5_000.0, true), (1e7, false)] {
        let mut world = world_with(GRAVITY);
        let post = insert_post(&mut world, Vec3::ZERO);
        let load = insert_box(&mut world, Vec3::splat(0.3), 300.0, Pose::from_translation(Vec3::X * 0.5));
        let rope = JointKind::Distance { min: 0.0, max: 5.0 };
        let joint = world
            .insert_joint(JointDesc::new(post, load, rope).with_frames(Pose::IDENTITY, Pose::IDENTITY))
            .unwrap();
        world.joint_mut(joint).unwrap().set_break_force(strength).unwrap();
        let (start, mut is_broken) = (energy(&world, &[load], GRAVITY), false);
        for _ in 0..3600 {
            world.checked_step(DT).unwrap();
            is_broken |= !world.broken_joints().is_empty();
            assert!(energy(&world, &[load], GRAVITY) <= start + 0.001 * 300.0 * 9.81 * 5.0);
            if is_broken {
                break;
            }
        }
        assert_eq!(is_broken, breaks);
    }
}

#[test]
fn joined_bodies_collide_if_they_are_to() {
    for has_contacts in [false, true] {
        let mut world = world_with(GRAVITY);
        let chest = cuboid(Vec3::new(0.5, 0.5, 0.5));
        let base = world.insert(BodyDesc::fixed(chest)).unwrap();
        let lid =
            BodyDesc::dynamic(cuboid(Vec3::new(0.5, 0.05, 0.5))).with_position(Vec3::new(-0.5, 1.05, 0.0));
        let lid = world.insert(lid.with_pose(Pose::new(
            carom_math::Quat::from_rotation_z(1.3),
            Vec3::new(-0.5 + 0.5 * 1.3f32.cos() - 0.06, 0.56 + 0.5 * 1.3f32.sin(), 0.0),
        )));
        let lid = lid.unwrap();
        let free = JointKind::FREE_REVOLUTE;
        let at = Vec3::new(-0.56, 0.56, 0.0);
        let hinge =
            world.insert_joint(JointDesc::new(base, lid, free).with_anchor(at).with_axis(Vec3::Z)).unwrap();
        world.joint_mut(hinge).unwrap().set_contacts(has_contacts).unwrap();
        let mut lowest = f32::INFINITY;
        for _ in 0..240 {
            world.checked_step(DT).unwrap();
            lowest = lowest.min(world.body(lid).unwrap().position().y);
        }
        // It lies on the chest, or swings into it about the hinge at 0.56.
        assert_eq!(has_contacts, 0.5 < lowest, "{lowest}");
        if has_contacts {
            let height = world.body(lid).unwrap().position().y;
            assert!(height < 0.65, "it lies: {height}");
            world.joint_mut(hinge).unwrap().set_contacts(false).unwrap();
            run(&mut world, 0.5);
            assert!(world.body(lid).unwrap().position().y < 0.5, "it falls again");
        }
    }
}

#[test]
fn a_world_with_broken_joints_is_restored() {
    let (mut world, load, _) = hanging(JointKind::Weld, 1020.0 / GRAVITY);
    while world.broken_joints().is_empty() {
        world.checked_step(DT).unwrap();
    }
    let mut again: World = crate::scenes::restored(&world.snapshot(), &world).unwrap();
    assert_eq!(again.broken_joints(), world.broken_joints());
    run(&mut world, 1.0);
    run(&mut again, 1.0);
    assert_eq!(
        (world.state_hash(), world.body(load).map(|body| body.pose())),
        (again.state_hash(), again.body(load).map(|body| body.pose()))
    );
}

#[test]
fn bad_strength_is_named() {
    let (mut world, _, joint) = hanging(JointKind::Weld, 1.0);
    let name = |refused| match refused {
        Err(WorldError::BadJoint(JointFault::BadValue { what, .. })) => what,
        _ => "none",
    };
    for bad in [-1.0, f32::NAN] {
        let refused = world.joint_mut(joint).unwrap().set_break_force(bad).map(|_| ());
        assert_eq!(name(refused), "break_force");
        let refused = world.joint_mut(joint).unwrap().set_break_torque(bad).map(|_| ());
        assert_eq!(name(refused), "break_torque");
    }
    assert_eq!(world.joint(joint).unwrap().data().break_force, Some(1000.0));
    world.remove_joint(joint).unwrap();
    assert_eq!(world.joint_mut(joint).map(|_| ()), Err(WorldError::StaleJoint(joint)));
    assert_eq!(world.joint(joint).map(|_| ()), Err(WorldError::StaleJoint(joint)));
}

/// Two joints on posts at 0 and 3 m, whose bodies have 1 kg: the first slides along y or turns
/// about z, the second turns about z.
fn on_two_posts(world: &mut World, slides: bool) -> [carom_world::JointId; 2] {
    [0.0, 3.0].map(|x| {
        let post = insert_post(world, Vec3::X * x);
        let body = insert_box(world, Vec3::splat(0.3), 1.0, Pose::from_translation(Vec3::X * x));
        let desc = if slides && x == 0.0 {
            JointDesc::prismatic(post, body).with_axis(Vec3::Y)
        } else {
            JointDesc::revolute(post, body).with_axis(Vec3::Z)
        };
        world.insert_joint(desc).unwrap()
    })
}

/// Gears, racks and pulleys bear 98 % of their strength for a minute, break at 102 %, and are
/// removed alone. The load is held by a motor that is too strong for the joint.
#[test]
fn gears_racks_and_pulleys_break_at_their_strength() {
    for kind in ["gear", "rack", "pulley"] {
        for (share, breaks) in [(0.98, false), (1.02, true)] {
            let mut world = world_with(if kind == "gear" { 0.0 } else { GRAVITY });
            // The load on the joint, in newtons or newton metres.
            let (joint, load) = match kind {
                "gear" => {
                    // The second wheel stands at its limit, and the motor of the first turns on.
                    let [one, other] = on_two_posts(&mut world, false);
                    world.joint_mut(other).unwrap().set_limits([0.0, 0.0]).unwrap();
                    let motor = Motor::velocity(9.0).with_max_force(20.0);
                    world.joint_mut(one).unwrap().set_motor(motor).unwrap();
                    (world.insert_joint(JointDesc::gear(one, other, 1.0).with_user_data(77)).unwrap(), 20.0)
                }
                "rack" => {
                    // The rack hangs on its pinion, which stands at its limit.
                    let [one, other] = on_two_posts(&mut world, true);
                    world.joint_mut(other).unwrap().set_limits([0.0, 0.0]).unwrap();
                    let rack = JointDesc::rack_and_pinion(one, other, 0.5).with_user_data(77);
                    // The load of a rack is the torque on its pinion.
                    (world.insert_joint(rack).unwrap(), 0.5 * GRAVITY)
                }
                _ => {
                    // Two boxes of equal mass hang on the rope.
                    let bodies = [-1.0, 1.0].map(|x| {
                        insert_box(&mut world, Vec3::splat(0.3), 1.0, Pose::from_translation(Vec3::X * x))
                    });
                    let supports = [-1.0, 1.0].map(|x| Vec3::new(x, 2.0, 0.0));
                    let rope = JointDesc::pulley(bodies[0], bodies[1], supports, 1.0, 4.0);
                    (world.insert_joint(rope.with_user_data(77)).unwrap(), GRAVITY)
                }
            };
            let mut view = world.joint_mut(joint).unwrap();
            if kind == "pulley" {
                view.set_break_force(load / share).unwrap();
            } else {
                view.set_break_torque(load / share).unwrap();
            }
            let others = world.joints().count() - 1;
            let broken = (0..3600).find_map(|_| {
                world.checked_step(DT).unwrap();
                world.broken_joints().first().copied()
            });
            assert_eq!(broken.is_some(), breaks, "{kind} at {share}: {broken:?}");
            assert_eq!(world.joints().count(), others + usize::from(!breaks), "{kind}");
            if let Some(broken) = broken {
                assert!(broken.joint == joint && broken.user_data == 77, "{broken:?}");
                let found = if kind == "pulley" { broken.force } else { broken.torque };
                assert!(load / share < found && found < 1.5 * load, "{kind}: {broken:?}");
            }
        }
    }
}
