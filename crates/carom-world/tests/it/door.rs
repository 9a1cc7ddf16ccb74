//! Invalid arguments are refused, and the world does not change.

use crate::of_unit_density;
use crate::scenes::{CheckedStep, DT, ball, cuboid, ground, is_bad};
use carom_geom::{Contact, HalfSpace, HeightField, MassProperties};
use carom_math::{Mat3, Pose, Quat, Vec3};
use carom_query::{HeightFieldShape, MeshShape, Shape};
use carom_world::{
    BodyDesc, BodyId, ColliderDesc, JointDesc, JointFault, JointKind, MassFault, Mobility, World, WorldError,
};
use std::sync::Arc;

const BAD: [f32; 3] = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY];

fn refused(desc: BodyDesc) -> WorldError {
    let mut world = World::new();
    let error = world.insert(desc).unwrap_err();
    assert!(world.is_empty() && world.checked_step(DT).is_ok());
    world.insert(of_unit_density(ball(0.5))).unwrap();
    world.checked_step(DT).unwrap();
    error
}

#[test]
fn bad_bodies() {
    let good = || of_unit_density(ball(0.5));
    for bad in BAD {
        let v = Vec3::new(0.0, bad, 0.0);
        assert!(matches!(refused(good().with_position(v)), WorldError::Pose(_)));
        let turned = Pose::new(Quat::from_xyzw(bad, 0.0, 0.0, 1.0), Vec3::ZERO);
        assert!(matches!(refused(good().with_pose(turned)), WorldError::Pose(_)));
        assert!(is_bad(World::new().insert(good().with_linear_velocity(v)), "linear velocity", bad));
        assert!(is_bad(World::new().insert(good().with_angular_velocity(v)), "angular velocity", bad));
        assert!(is_bad(World::new().insert(good().with_friction(bad)), "friction", bad));
        assert!(is_bad(World::new().insert(good().with_restitution(bad)), "restitution", bad));
        assert!(is_bad(World::new().insert(good().with_density(bad)), "density", bad));
        assert!(is_bad(World::new().insert(good().with_gravity_scale(bad)), "gravity scale", bad));
        assert!(is_bad(World::new().insert(good().with_damping(bad, 0.0)), "linear damping", bad));
        let mass = MassProperties::new(bad, Vec3::ZERO, Mat3::IDENTITY);
        assert!(is_bad(World::new().insert(good().with_mass_properties(mass)), "mass", bad));
    }
    let scaled = Pose::new(Quat::from_xyzw(0.0, 0.0, 0.0, 2.0), Vec3::ZERO);
    assert!(matches!(refused(good().with_pose(scaled)), WorldError::Pose(_)));
    assert!(is_bad(World::new().insert(good().with_friction(-0.1)), "friction", -0.1));
    assert_eq!(refused(good().with_density(0.0)), WorldError::NoMass(MassFault::NoDensity));
    let plane = Shape::HalfSpace(HalfSpace::new(Vec3::Y).unwrap());
    assert_eq!(refused(of_unit_density(plane)), WorldError::NoMass(MassFault::Unbounded));
}

/// Poses of colliders are refused or normalised as those of bodies are, in each call that takes
/// one.
#[test]
fn poses_of_colliders_are_rotations() {
    let turn = Quat::from_rotation_z(0.5);
    let at = |scale: f32| {
        let pose = Pose::new(turn * scale, Vec3::X);
        ColliderDesc::new(cuboid(Vec3::new(0.5, 0.2, 0.3))).with_pose(pose)
    };
    for bad in [0.0, 0.98, 2.0, f32::NAN] {
        assert!(matches!(refused(BodyDesc::dynamic(at(bad))), WorldError::Pose(_)), "{bad}");
        let mut world = World::new();
        let id = world.insert(BodyDesc::dynamic(at(1.0))).unwrap();
        assert!(matches!(world.insert_collider(id, at(bad)), Err(WorldError::Pose(_))), "{bad}");
        let first = world.body(id).unwrap().colliders().next().unwrap().id();
        let refused = world.collider_mut(first).unwrap().set_local_pose(at(bad).pose).map(drop);
        assert!(matches!(refused, Err(WorldError::Pose(_))), "{bad}");
    }
    let motion_of = |insert: &dyn Fn(&mut World) -> BodyId| {
        let mut world = World::new();
        world.insert(ground()).unwrap();
        let id = insert(&mut world);
        let lengths = world.body(id).unwrap().colliders().map(|c| c.local_pose().rotation.length());
        assert!(lengths.into_iter().all(|length| (length - 1.0).abs() < 1e-6));
        (0..30).for_each(|_| _ = world.checked_step(DT).unwrap());
        *world.body(id).unwrap().motion()
    };
    let whole = motion_of(&|world| world.insert(BodyDesc::dynamic(at(1.0))).unwrap());
    let nearly = motion_of(&|world| world.insert(BodyDesc::dynamic(at(1.005))).unwrap());
    assert!(whole.inverse_inertia.abs_diff_eq(nearly.inverse_inertia, 1e-6));
    assert!(whole.pose.translation.distance(nearly.pose.translation) < 1e-4);
    // A collider that is moved there later is as one that was inserted there.
    let moved = motion_of(&|world| {
        let id = world.insert(BodyDesc::dynamic(at(1.0).with_pose(Pose::from_translation(Vec3::Y)))).unwrap();
        let only = world.body(id).unwrap().colliders().next().unwrap().id();
        world.collider_mut(only).unwrap().set_local_pose(at(1.0).pose).unwrap();
        id
    });
    assert_eq!(moved, whole);
}

/// The error of a dynamic body without mass names the cause, for one collider and for several, and
/// also if a total mass is to be spread over them.
#[test]
fn a_missing_mass_is_named_by_its_cause() {
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z].to_vec();
    let outward = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    let inward: Vec<[u32; 3]> = outward.iter().map(|&[a, b, c]| [a, c, b]).collect();
    let mesh = |triangles: &[[u32; 3]]| Shape::mesh(corners.clone(), triangles.to_vec()).unwrap();
    let kept = |triangles: &[[u32; 3]]| match mesh(triangles) {
        Shape::Mesh(mesh) => Shape::Mesh(Arc::new(MeshShape::clone(&mesh).with_kept_orientation())),
        _ => panic!(),
    };
    let pair = |shape: Shape| Shape::compound(vec![(shape.clone(), Pose::IDENTITY), (shape, Pose::IDENTITY)]);
    let plane = Shape::HalfSpace(HalfSpace::new(Vec3::Y).unwrap());
    let triangle = mesh(&outward[..1]);
    let field = HeightFieldShape::new(HeightField::new([2, 2], [1.0, 1.0], vec![0.0; 4]).unwrap());
    let field = Shape::HeightField(Arc::new(field.unwrap()));
    let cases = [
        (plane, 1.0, MassFault::Unbounded),
        (ball(0.5), 0.0, MassFault::NoDensity),
        (triangle.clone(), 1.0, MassFault::OpenMesh),
        (pair(triangle).unwrap(), 1.0, MassFault::OpenMesh),
        (mesh(&outward[..3]), 1.0, MassFault::OpenMesh),
        (kept(&inward), 1.0, MassFault::InwardMesh),
        (field, 1.0, MassFault::NoVolume),
        (ball(0.5), 1e-45, MassFault::OutOfRange),
        (ball(1e10), 1e30, MassFault::OutOfRange),
    ];
    let mut world = World::new();
    for (shape, density, fault) in cases {
        let expected = Err(WorldError::NoMass(fault));
        let collider = || ColliderDesc::new(shape.clone()).with_density(density);
        assert_eq!(world.insert(BodyDesc::dynamic(collider())), expected);
        let aside = collider().with_position(Vec3::X);
        assert_eq!(
            world.insert(BodyDesc::dynamic(aside.clone()).with_collider(aside)),
            expected,
            "{fault:?}"
        );
        let sensor = ColliderDesc::new(cuboid(Vec3::ONE)).with_sensor(true);
        assert_eq!(world.insert(BodyDesc::dynamic(collider()).with_collider(sensor)), expected, "{fault:?}");
        if ![MassFault::NoDensity, MassFault::OutOfRange].contains(&fault) {
            assert_eq!(world.insert(BodyDesc::dynamic(collider()).with_mass(2.0)), expected, "{fault:?}");
        }
        let fixed = world.insert(BodyDesc::fixed(collider())).unwrap();
        let refused = world.body_mut(fixed).unwrap().set_mobility(Mobility::Dynamic).map(drop);
        assert_eq!(refused, Err(WorldError::NoMass(fault)));
        assert!(WorldError::NoMass(fault).to_string().starts_with("a dynamic body needs a mass: "));
    }
    let empty = world.insert(BodyDesc::empty(Mobility::Dynamic));
    assert_eq!(empty, Err(WorldError::NoMass(MassFault::NoCollider)));
    // With its triangles outwards the mesh has one.
    world.insert(BodyDesc::dynamic(mesh(&outward))).unwrap();
}

#[test]
fn stale_handles() {
    let mut world = World::new();
    let a = world.insert(of_unit_density(ball(0.5))).unwrap();
    let b = world.insert(of_unit_density(ball(0.5)).with_position(Vec3::X * 2.0)).unwrap();
    let joint = world.insert_joint(JointDesc::weld(a, b).with_anchor(Vec3::X).with_axis(Vec3::X)).unwrap();
    world.remove(a).unwrap();
    let stale = WorldError::StaleBody(a);
    assert_eq!(world.remove(a), Err(stale));
    assert_eq!(world.body(a).map(|body| body.pose()), Err(stale));
    assert_eq!(world.body_mut(a).and_then(|mut body| body.set_pose(Pose::IDENTITY).map(|_| ())), Err(stale));
    assert_eq!(
        world.body_mut(a).and_then(|mut body| body
            .set_linear_velocity(Vec3::ZERO)
            .and_then(|body| body.set_angular_velocity(Vec3::ZERO))
            .map(|_| ())),
        Err(stale)
    );
    assert_eq!(
        world.body_mut(a).map(|mut body| {
            body.wake();
        }),
        Err(stale)
    );
    assert_eq!(world.joint(joint).map(|_| ()), Err(WorldError::StaleJoint(joint)), "it went with its body");
    assert_eq!(world.remove_joint(joint), Err(WorldError::StaleJoint(joint)));
    let c = world.insert(of_unit_density(ball(0.5))).unwrap();
    assert!(c.index() == a.index() && c != a && world.body(a).map(|body| body.pose()).is_err());
    assert_eq!(world.insert_joint(JointDesc::weld(a, b).with_anchor(Vec3::X).with_axis(Vec3::X)), Err(stale));
    let bad = |what, value| Err(WorldError::BadJoint(JointFault::BadValue { what, value }));
    assert_eq!(world.insert_joint(JointDesc::weld(b, b)), Err(WorldError::BadJoint(JointFault::SameBody)));
    assert_eq!(
        world.insert_joint(JointDesc::weld(b, c).with_axis(Vec3::ZERO)),
        bad("length of the axis", 0.0)
    );
    let bounds = JointKind::Distance { min: 2.0, max: 1.0 };
    assert_eq!(
        world.insert_joint(JointDesc::new(b, c, bounds).with_anchor(Vec3::X).with_axis(Vec3::X)),
        bad("largest distance", 1.0)
    );
    world.checked_step(DT).unwrap();
}

#[test]
fn bad_steps_and_changes() {
    let mut world = World::new();
    world.insert(ground()).unwrap();
    let body = world.insert(of_unit_density(cuboid(Vec3::splat(0.5))).with_position(Vec3::Y)).unwrap();
    let hash = world.state_hash();
    for bad in BAD.into_iter().chain([-1.0]) {
        assert!(matches!(world.checked_step(bad), Err(WorldError::Solver(_))));
        assert_eq!(world.state_hash(), hash);
    }
    for bad in BAD {
        let v = Vec3::new(bad, 0.0, 0.0);
        assert!(world.body_mut(body).unwrap().set_pose(Pose::from_translation(v)).is_err());
        assert!(
            world
                .body_mut(body)
                .unwrap()
                .set_linear_velocity(v)
                .and_then(|body| body.set_angular_velocity(Vec3::ZERO))
                .is_err()
        );
        assert!(world.body_mut(body).unwrap().set_constant_force(v, Vec3::ZERO).is_err());
        assert!(world.body_mut(body).unwrap().apply_impulse_at(v, Vec3::ZERO).is_err());
        assert!(world.body_mut(body).unwrap().apply_impulse_at(Vec3::X, v).is_err());
    }
    assert!(
        world.body_mut(body).unwrap().apply_impulse_at(Vec3::splat(f32::MAX), Vec3::splat(f32::MAX)).is_err()
    );
    assert_eq!(world.state_hash(), hash);
    world.checked_step(DT).unwrap();
}

#[test]
fn far_and_large_bodies_do_no_harm() {
    let mut world = World::new();
    world.insert(ground()).unwrap();
    world.insert(BodyDesc::fixed(cuboid(Vec3::splat(1e30)))).unwrap();
    for far in [1e6, 1e12, 1e30, 3e38] {
        let body = of_unit_density(ball(0.5)).with_position(Vec3::new(far, far, -far));
        world
            .insert(
                body.with_linear_velocity(Vec3::new(far, 0.0, 0.0)).with_angular_velocity(Vec3::splat(1e6)),
            )
            .unwrap();
    }
    for _ in 0..20 {
        world.checked_step(DT).unwrap();
    }
    for id in world.body_ids() {
        assert!(world.body(id).unwrap().pose().is_finite());
    }
}

/// Huge, tiny and subnormal numbers: refused with an error that says what, or stepped to a finite
/// place.
#[test]
fn extreme_numbers_are_refused_or_stepped() {
    const EXTREMES: [f32; 10] = [0.0, 1e-45, 1.17e-38, 1e-30, 1e-10, 1e10, 1e20, 1e30, 1e38, f32::MAX];
    let (mut n_refused, mut n_stepped) = (0, 0);
    for x in EXTREMES {
        for what in 0..9 {
            let mut world = World::new();
            world.insert(ground()).unwrap();
            // It has something to touch.
            world.insert(of_unit_density(ball(0.5)).with_position(Vec3::new(0.9, 0.5, 0.0))).unwrap();
            let good = of_unit_density(cuboid(Vec3::splat(0.5))).with_position(Vec3::Y * 0.5);
            let v = Vec3::new(x, -x, x);
            let desc = match what {
                0 => good.with_density(x),
                1 => good.with_linear_velocity(v),
                2 => good.with_angular_velocity(v),
                3 => good.with_friction(x),
                4 => good.with_restitution(x),
                5 => good.with_gravity_scale(x),
                6 => good.with_damping(x, x),
                7 => good.with_mass_properties(MassProperties::new(x, Vec3::ZERO, Mat3::IDENTITY * x)),
                _ => good.with_mass_properties(MassProperties::new(1.0, v, Mat3::IDENTITY)),
            };
            match world.insert(desc) {
                Err(WorldError::NoMass(_) | WorldError::BadValue { .. }) => n_refused += 1,
                Err(error) => panic!("{what} of {x}: {error}"),
                Ok(_) => n_stepped += 1,
            }
            for step in 0..30 {
                if let Err(error) = world.checked_step(DT) {
                    panic!("{what} of {x}, step {step}: {error}");
                }
                for id in world.body_ids() {
                    let body = world.body(id).unwrap().motion();
                    let is_finite = body.pose.is_finite()
                        && body.linear_velocity.is_finite()
                        && body.angular_velocity.is_finite();
                    assert!(is_finite, "{what} of {x}, step {step}: {body:?}");
                }
            }
        }
    }
    println!("{n_refused} refused, {n_stepped} stepped");
    assert!(0 < n_refused && 50 < n_stepped);
}

/// Forces, impulses and velocities of any size, given to bodies that are there.
#[test]
fn extreme_pushes_do_no_harm() {
    for x in [1e-45_f32, 1e20, 1e30, f32::MAX] {
        for what in 0..4 {
            let mut world = World::new();
            world.insert(ground()).unwrap();
            let body =
                world.insert(of_unit_density(cuboid(Vec3::splat(0.5))).with_position(Vec3::Y * 0.5)).unwrap();
            world.checked_step(DT).unwrap();
            let v = Vec3::new(x, -x, 0.5 * x);
            let pushed = match what {
                0 => world.body_mut(body).and_then(|mut body| body.set_constant_force(v, v).map(|_| ())),
                1 => world.body_mut(body).and_then(|mut body| {
                    body.set_linear_velocity(v).and_then(|body| body.set_angular_velocity(v)).map(|_| ())
                }),
                2 => world.body_mut(body).and_then(|mut body| body.apply_impulse_at(v, Vec3::X).map(|_| ())),
                _ => world
                    .body_mut(body)
                    .and_then(|mut body| body.set_pose(Pose::from_translation(v)).map(|_| ())),
            };
            assert!(matches!(pushed, Ok(()) | Err(WorldError::BadValue { .. })), "{what} of {x}: {pushed:?}");
            for _ in 0..10 {
                world.checked_step(DT).unwrap();
                assert!(world.body(body).unwrap().pose().is_finite(), "{what} of {x}");
            }
        }
    }
}

#[test]
fn steps_of_any_length() {
    for dt in [0.0, 1e-45, 1e-30, 1e-6, 1.0, 1e6, 1e20, 1e30, f32::MAX] {
        let mut world = World::new();
        world.insert(ground()).unwrap();
        let a = world.insert(of_unit_density(cuboid(Vec3::splat(0.5))).with_position(Vec3::Y * 0.5)).unwrap();
        let b = world.insert(of_unit_density(ball(0.5)).with_position(Vec3::Y * 1.5).with_ccd(true)).unwrap();
        world
            .insert_joint(
                JointDesc::new(a, b, JointKind::Spherical { cone: 1.0, twist: None })
                    .with_anchor(Vec3::Y)
                    .with_axis(Vec3::Y),
            )
            .unwrap();
        let before = world.state_hash();
        for _ in 0..5 {
            world.checked_step(dt).unwrap();
            for id in world.body_ids() {
                let body = world.body(id).unwrap().motion();
                assert!(body.pose.is_finite() && body.linear_velocity.is_finite(), "dt {dt}: {body:?}");
            }
        }
        assert!(dt != 0.0 || world.state_hash() == before, "no time, no motion");
        // And it goes on.
        world.checked_step(DT).unwrap();
    }
}

/// Masses without bounds: bodies that nothing moves, and bodies that everything does.
#[test]
fn masses_far_apart() {
    for (light, heavy) in [(1e-20, 1e20), (1e-6, 1e6), (1.0, 1e38)] {
        let mut world = World::new();
        world.insert(ground()).unwrap();
        let of = |mass: f32| MassProperties::new(mass, Vec3::ZERO, Mat3::IDENTITY * (mass / 6.0));
        let at = |y: f32, mass: f32| {
            of_unit_density(cuboid(Vec3::splat(0.5)))
                .with_position(Vec3::Y * y)
                .with_mass_properties(of(mass))
        };
        let ids =
            [(0.5, light), (1.5, heavy), (2.5, light)].map(|(y, mass)| world.insert(at(y, mass)).unwrap());
        for _ in 0..60 {
            world.checked_step(DT).unwrap();
        }
        for id in ids {
            assert!(world.body(id).unwrap().pose().is_finite(), "{light} under {heavy}");
        }
    }
}

/// Joints and forces of bodies that are removed, in any order.
#[test]
fn joints_of_bodies_that_go() {
    let mut world = World::new();
    world.insert(ground()).unwrap();
    let mut ids = Vec::new();
    for i in 0..8 {
        ids.push(
            world.insert(of_unit_density(ball(0.4)).with_position(Vec3::new(i as f32, 3.0, 0.0))).unwrap(),
        );
    }
    let mut joints = Vec::new();
    for pair in ids.windows(2) {
        let kind = JointKind::Distance { min: 0.5, max: 1.5 };
        joints.push(
            world
                .insert_joint(
                    JointDesc::new(pair[0], pair[1], kind).with_anchor(Vec3::Y * 3.0).with_axis(Vec3::X),
                )
                .unwrap(),
        );
    }
    for k in [3, 0, 7, 5] {
        world.checked_step(DT).unwrap();
        world.remove(ids[k]).unwrap();
        for (joint, pair) in joints.iter().zip(ids.windows(2)) {
            let is_whole = pair.iter().all(|&id| world.body(id).map(|body| body.pose()).is_ok());
            assert_eq!(world.joint(*joint).is_ok(), is_whole);
            if !is_whole {
                assert_eq!(world.joint_mut(*joint).map(|_| ()), Err(WorldError::StaleJoint(*joint)));
            }
        }
        let stale = WorldError::StaleBody(ids[k]);
        let other = ids[1];
        assert_eq!(
            world.insert_joint(JointDesc::weld(other, ids[k]).with_anchor(Vec3::ZERO).with_axis(Vec3::X)),
            Err(stale)
        );
        assert_eq!(
            world.body_mut(ids[k]).and_then(|mut body| body.set_constant_force(Vec3::X, Vec3::X).map(|_| ())),
            Err(stale)
        );
        assert_eq!(
            world.body_mut(ids[k]).and_then(|mut body| body.set_shape(ball(1.0)).map(|_| ())),
            Err(stale)
        );
        assert_eq!(
            world.body_mut(ids[k]).and_then(|mut body| body
                .set_groups(carom_world::Groups::all(), carom_world::Groups::all())
                .map(|_| ())),
            Err(stale)
        );
    }
    for _ in 0..10 {
        world.checked_step(DT).unwrap();
    }
    assert!(world.body_ids().all(|id| world.body(id).unwrap().pose().is_finite()));
}

/// Every body overlaps every other. Beyond some millions of pairs, those of bodies with many pairs
/// are left out, and the report says so. The example `point` does it with ten thousand.
#[test]
fn many_bodies_at_one_point() {
    for (n, n_steps) in [(150, 8), (2100, 2)] {
        let mut world = World::new();
        world.insert(ground()).unwrap();
        for _ in 0..n {
            world.insert(of_unit_density(ball(0.5)).with_position(Vec3::Y * 2.0)).unwrap();
        }
        let all = n * (n - 1) / 2;
        for _ in 0..n_steps {
            let stats = *world.checked_step(DT).unwrap();
            assert!(stats.n_pairs + stats.n_crowded <= all + n);
            assert!(n < 1000 || (0 < stats.n_crowded && stats.n_pairs <= 33 * n), "{stats:?}");
            assert!(1000 < n || stats.n_crowded == 0, "{stats:?}");
        }
        for id in world.body_ids() {
            let body = world.body(id).unwrap().motion();
            assert!(body.pose.is_finite() && body.linear_velocity.is_finite());
        }
    }
}

/// A ball deeper under a plane than the largest number: found by fuzzing, its contact had NaN in
/// it.
#[test]
fn contacts_are_within_the_numbers() {
    let mut world = World::new();
    let plane = Shape::HalfSpace(HalfSpace::new(Vec3::new(-9e-9, 1.0, -1.3e-7)).unwrap());
    world.insert(BodyDesc::fixed(plane).with_position(Vec3::new(-7.0, 1.46e31, -0.4))).unwrap();
    let ball = world.insert(of_unit_density(ball(3.0)).with_position(Vec3::Y * -f32::MAX)).unwrap();
    for _ in 0..3 {
        world.detect();
        let is_sound = |c: &Contact| c.point_a.is_finite() && c.point_b.is_finite() && c.distance.is_finite();
        let manifolds = || world.contacts().flat_map(|view| view.manifolds);
        assert!(manifolds().all(|manifold| manifold.contacts().iter().all(is_sound)));
        world.checked_step(DT).unwrap();
        assert!(world.body(ball).unwrap().position().is_finite());
    }
}

/// Two boxes on each other rest in steps of a second.
#[test]
fn a_stack_rests_in_steps_of_a_second() {
    let mut world = World::new();
    world.insert(ground()).unwrap();
    let boxes = [0.5, 1.5].map(|y| {
        let cube = of_unit_density(cuboid(Vec3::splat(0.5))).with_position(Vec3::Y * y);
        world.insert(cube.with_can_sleep(false)).unwrap()
    });
    for _ in 0..30 {
        world.checked_step(1.0).unwrap();
    }
    for (body, y) in boxes.into_iter().zip([0.5, 1.5]) {
        let at = world.body(body).unwrap().position();
        assert!((at - Vec3::Y * y).length() < 0.05, "{at}");
    }
}

/// Triangles that face inwards count as turned over, one or all: the mass is that of the inside
/// which all queries know.
#[test]
fn flipped_triangles_change_no_mass() {
    let corners: Vec<Vec3> = (0..8)
        .map(|k| Vec3::new((k & 1) as f32, (k >> 1 & 1) as f32, (k >> 2) as f32) * 2.0 - Vec3::ONE)
        .collect();
    let triangles = carom_testkit::meshes::BOX_TRIANGLES;
    let mass_of = |turned: &[usize]| {
        let mut triangles = triangles.to_vec();
        turned.iter().for_each(|t| triangles[*t].swap(1, 2));
        let shape = Shape::mesh(corners.clone(), triangles).unwrap();
        let mut world = World::new();
        let id = world.insert(BodyDesc::dynamic(shape)).unwrap();
        let body = world.body(id).unwrap();
        (body.mass(), body.center_of_mass())
    };
    let all: Vec<usize> = (0..triangles.len()).collect();
    for turned in [&[][..], &[0], &[3, 7, 8], &all] {
        let (mass, center) = mass_of(turned);
        assert!((mass - 8000.0).abs() < 0.01 && center.length() < 1e-6, "{turned:?}: {mass}, {center}");
    }
}
