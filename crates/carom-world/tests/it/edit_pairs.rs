//! Any two edits of a world, one after the other without a step between them: the world is valid,
//! and its snapshot is restored and goes on with the same bits.

use crate::of_unit_density;
use crate::scenes::{DT, ball, cuboid, ground};
use carom_broad::Mobility;
use carom_broad_tree::DynamicBvh;
use carom_geom::TriMesh;
use carom_math::{Pose, Quat, Vec3};
use carom_query::{MeshShape, Shape};
use carom_world::{
    ActiveHooks, AxisLimit, BodyDesc, BodyId, ColliderDesc, ForceFieldDesc, ForceKind, Groups, JointAxis,
    JointDesc, JointId, LockedAxes, Material, Motor, Response, Spring, World,
};
use core::f32::consts::PI;
use proptest::prelude::*;
use std::sync::Arc;

/// The handles of the world below.
struct Handles {
    bodies: Vec<BodyId>,
    joints: Vec<JointId>,
}

/// A floor, bodies of each mobility on it and beside each other, one of several colliders, a
/// sensor, a mesh, and joints of several kinds.
fn world() -> (World, Handles) {
    let mut world = World::new();
    let mut bodies = vec![world.insert(ground()).unwrap()];
    let corners = [Vec3::new(-1.0, 0.0, -1.0), Vec3::new(1.0, 0.0, -1.0), Vec3::new(0.0, 0.2, 1.5)];
    let mesh = TriMesh::new(corners.to_vec(), vec![[0, 2, 1]]).unwrap();
    let mesh = Shape::Mesh(Arc::new(MeshShape::new(mesh).unwrap()));
    let at = |x: f32, y: f32| Pose::from_translation(Vec3::new(x, y, 0.0));
    let table = of_unit_density(cuboid(Vec3::new(0.6, 0.1, 0.6)))
        .with_collider(ColliderDesc::new(ball(0.2)).with_pose(at(0.4, -0.2)))
        .with_collider(ColliderDesc::new(ball(0.5)).with_sensor(true));
    for desc in [
        of_unit_density(cuboid(Vec3::splat(0.5))).with_pose(at(0.0, 0.5)),
        of_unit_density(ball(0.5)).with_pose(at(0.9, 0.5)),
        of_unit_density(cuboid(Vec3::splat(0.3))).with_pose(at(0.1, 1.3)).with_ccd(true),
        BodyDesc::kinematic(cuboid(Vec3::splat(0.4))).with_pose(at(-0.9, 0.4)),
        BodyDesc::fixed(cuboid(Vec3::splat(0.4))).with_pose(at(1.8, 0.4)).with_hooks(ActiveHooks::all()),
        table.with_pose(at(-2.0, 0.4)),
        BodyDesc::fixed(ball(0.8)).with_sensor(true).with_pose(at(0.5, 0.8)),
        BodyDesc::fixed(mesh).with_pose(at(4.0, 0.1)),
        of_unit_density(ball(0.3)).with_pose(at(4.0, 0.5)).with_linear_velocity(Vec3::Z),
        of_unit_density(ball(0.2)).with_pose(at(4.6, 0.5)),
    ] {
        bodies.push(world.insert(desc).unwrap());
    }
    let joints = [
        JointDesc::spherical(bodies[1], bodies[2]).with_cone(0.5).with_contacts(true),
        JointDesc::revolute(bodies[9], bodies[10]).with_limits(-1.0, 1.0),
        JointDesc::prismatic(bodies[2], bodies[5]).with_limits(-1.0, f32::MAX),
        JointDesc::rope(bodies[3], bodies[6], 3.0),
    ];
    let joints = joints.map(|desc| world.insert_joint(desc).unwrap()).to_vec();
    (world, Handles { bodies, joints })
}

/// The number of different edits.
const N_EDITS: usize = 55;

/// Does the edit of a number on the body of a number. A refused edit changes nothing.
fn edit(world: &mut World, handles: &Handles, (number, place): (usize, usize), x: f32) {
    let id = handles.bodies[place % handles.bodies.len()];
    let other = handles.bodies[(place + 1 + (x.abs() * 7.0) as usize) % handles.bodies.len()];
    let joint = handles.joints[place % handles.joints.len()];
    let v = Vec3::new(x, 0.5 - x, 0.3);
    let pose = Pose::new(Quat::from_scaled_axis(v), Vec3::new(x, 0.6, 0.0));
    let is_set = 0.0 < x;
    let shape = if is_set { ball(0.4) } else { cuboid(Vec3::new(0.3, 0.4, 0.5)) };
    if number < 32 {
        let Ok(mut body) = world.body_mut(id) else { return };
        match number {
            0 => _ = body.set_pose(pose),
            1 => _ = body.set_linear_velocity(v),
            2 => _ = body.set_angular_velocity(v),
            3 => _ = body.set_shape(shape),
            4 => _ = body.set_mobility(Mobility::Fixed),
            5 => _ = body.set_mobility(Mobility::Kinematic),
            6 => _ = body.set_mobility(Mobility::Dynamic),
            7 => _ = body.set_mass(1.0 + x.abs()),
            8 => _ = body.set_friction(x.abs()),
            9 => _ = body.set_sensor(is_set),
            10 => _ = body.set_ccd(is_set),
            11 => _ = body.set_family(1),
            12 => _ = body.set_groups(Groups::from_bits_retain(2), Groups::all()),
            13 => _ = body.set_hooks(if is_set { ActiveHooks::all() } else { ActiveHooks::empty() }),
            14 => _ = body.set_response(Response::Pass),
            15 => _ = body.set_response(Response::Stick),
            16 => _ = body.set_response(Response::Knock { impulse: 1.0 }),
            17 => _ = body.set_surface_velocity(v, Vec3::ZERO),
            18 => _ = body.set_locked_axes(LockedAxes::OUT_OF_XY),
            19 => _ = body.set_max_speeds(1.0, 1.0),
            20 => _ = body.set_can_sleep(is_set),
            21 => _ = body.set_gravity_scale(x),
            22 => _ = body.set_damping(x.abs(), 0.1),
            23 => _ = body.set_impulse_threshold(x.abs()),
            24 => _ = body.set_constant_force(v, Vec3::ZERO),
            25 => _ = body.apply_force_at(v, Vec3::X),
            26 => _ = body.apply_impulse_at(v, Vec3::X),
            27 => _ = body.move_to(pose),
            28 => _ = body.wake(),
            29 => _ = body.set_restitution(x.abs()),
            30 => _ = body.set_user_data(3),
            _ => {
                let corners = [Vec3::NEG_X, Vec3::X, Vec3::new(0.0, 0.3, 1.5)];
                _ = body.deform(&corners);
            }
        }
        return;
    }
    let collider = world.body(id).ok().and_then(|body| body.colliders().next().map(|collider| collider.id()));
    match (number, collider) {
        (32, _) => _ = world.remove(id),
        (33, _) => _ = world.insert_collider(id, ColliderDesc::new(shape).with_pose(pose)),
        (34, Some(collider)) => _ = world.remove_collider(collider),
        (35, Some(collider)) => _ = world.collider_mut(collider).unwrap().set_local_pose(pose),
        (36, Some(collider)) => _ = world.collider_mut(collider).unwrap().set_sensor(is_set),
        (37, Some(collider)) => _ = world.collider_mut(collider).unwrap().set_shape(shape),
        (38, Some(collider)) => _ = world.collider_mut(collider).unwrap().set_material(Material::default()),
        (39, _) => _ = world.remove_joint(joint),
        (40, _) => _ = world.joint_mut(joint).map(|mut joint| _ = joint.set_cone(PI)),
        (41, _) => _ = world.joint_mut(joint).map(|mut joint| _ = joint.set_limits(None)),
        (42, _) => _ = world.joint_mut(joint).map(|mut joint| _ = joint.set_motor(Motor::velocity(x))),
        (43, _) => _ = world.joint_mut(joint).map(|mut joint| _ = joint.set_contacts(is_set)),
        (44, _) => {
            _ = world.joint_mut(joint).map(|mut joint| _ = joint.set_spring(Spring::new(2.0, 0.5)));
        }
        (45, _) => {
            _ = world.joint_mut(joint).map(|mut joint| {
                _ = joint.set_axis_limit(JointAxis::X, AxisLimit::Free);
                _ = joint.set_distance(0.0, f32::INFINITY);
            })
        }
        (46, _) => _ = world.insert_joint(JointDesc::weld(id, other).with_contacts(is_set)),
        (47, _) => _ = world.insert(of_unit_density(shape).with_pose(pose)),
        (48, _) => _ = world.set_pair_response(id, other, Some(Response::Pass).filter(|_| is_set)),
        (49, _) => {
            let kind = ForceKind::Acceleration(v);
            _ = world.insert_force_field(ForceFieldDesc::everywhere(kind));
        }
        (50, _) => _ = world.set_origin(Vec3::new(x, 1.0, 0.0).as_dvec3()),
        (51, _) => _ = world.body_mut(id).map(|mut body| _ = body.set_enabled(false)),
        (52, _) => _ = world.body_mut(id).map(|mut body| _ = body.set_enabled(true)),
        (53, _) => _ = world.joint_mut(joint).map(|mut joint| _ = joint.set_enabled(is_set)),
        _ => _ = world.detect(),
    }
}

proptest! {
    #[test]
    fn any_two_edits_leave_a_world_that_can_be_saved(
        edits in [(0..N_EDITS, 0_usize..11), (0..N_EDITS, 0_usize..11)],
        on_the_same in any::<bool>(),
        x in -1.0_f32..1.0,
        n_steps in prop_oneof![0_usize..40, Just(150)],
    ) {
        let (mut world, handles) = world();
        for _ in 0..n_steps {
            world.step(DT).unwrap();
        }
        let [first, mut second] = edits;
        if on_the_same {
            second.1 = first.1;
        }
        for change in [first, second] {
            edit(&mut world, &handles, change, x);
            prop_assert_eq!(world.validate(), Ok(()));
        }
        let snapshot = world.snapshot();
        let mut restored = World::<DynamicBvh>::with_broad_phase(DynamicBvh::default(), Default::default());
        prop_assert_eq!(restored.restore(&snapshot), Ok(()));
        for step in 0..4 {
            let results = [world.step(DT).is_ok(), restored.step(DT).is_ok()];
            prop_assert_eq!(results[0], results[1]);
            prop_assert_eq!(world.state_hash(), restored.state_hash(), "step {}", step);
            prop_assert_eq!(world.events(), restored.events());
            prop_assert_eq!(world.validate(), Ok(()));
        }
    }
}
