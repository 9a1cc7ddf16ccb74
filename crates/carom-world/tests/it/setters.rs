//! Properties of a body that are changed after its insertion: the result is as if it had been
//! inserted with them. Also the bodies that a change wakes.

use crate::of_unit_density;
use crate::scenes::{CheckedStep, DT, ball, cuboid, ground, is_bad};
use carom_broad::Mobility;
use carom_geom::{MassProperties, TriMesh};
use carom_math::{Mat3, Pose, Quat, Vec3};
use carom_query::{MeshShape, Shape};
use carom_response::Body;
use carom_world::{
    ActiveHooks, BodyDesc, BodyId, BodyMass, ColliderDesc, CombineRule, EventKind, JointDesc, JointKind,
    LockedAxes, MassFault, Material, World, WorldError, WorldSettings,
};
use std::sync::Arc;

/// A crate that slides and tips, beside a ball that hits it.
fn crate_desc() -> BodyDesc {
    of_unit_density(cuboid(Vec3::new(0.4, 0.5, 0.3)))
        .with_pose(Pose::new(Quat::from_rotation_z(0.2), Vec3::new(0.0, 0.8, 0.0)))
        .with_linear_velocity(Vec3::new(2.0, 0.0, 0.5))
        .with_angular_velocity(Vec3::new(0.5, 1.0, -0.3))
}

#[test]
fn positions_and_rotations_of_descriptions_do_not_undo_each_other() {
    let pose = Pose::new(Quat::from_rotation_z(0.2), Vec3::new(0.0, 0.8, 0.0));
    let one = crate_desc().with_position(pose.translation).with_rotation(pose.rotation);
    let other = crate_desc().with_rotation(pose.rotation).with_position(pose.translation);
    assert_eq!([one.pose, other.pose], [pose; 2]);
    let collider = || ColliderDesc::new(ball(0.1));
    let one = collider().with_position(pose.translation).with_rotation(pose.rotation);
    let other = collider().with_rotation(pose.rotation).with_position(pose.translation);
    assert_eq!([one.pose, other.pose], [pose; 2]);
}

/// Returns the description of the crate with a change.
fn with(change: fn(&mut BodyDesc)) -> BodyDesc {
    let mut desc = crate_desc();
    change(&mut desc);
    desc
}

/// The state after a second, and after two, of a world with this body.
fn run(desc: BodyDesc, change: impl Fn(&mut World, BodyId)) -> [u64; 2] {
    let mut world = World::new();
    world.insert(ground()).unwrap();
    let body = world.insert(desc).unwrap();
    let hit = of_unit_density(ball(0.3)).with_position(Vec3::new(2.0, 0.5, 0.0));
    world.insert(hit.with_linear_velocity(Vec3::new(-3.0, 0.0, 0.0))).unwrap();
    change(&mut world, body);
    [0, 1].map(|_| {
        (0..60).for_each(|_| _ = world.checked_step(DT).unwrap());
        world.state_hash()
    })
}

/// Each setter does what the description does, with the same bits.
#[test]
fn a_changed_body_is_as_one_that_was_inserted_so() {
    let given =
        MassProperties::new(3.0, Vec3::new(0.1, -0.2, 0.05), Mat3::from_diagonal(Vec3::new(0.3, 0.4, 0.5)));
    let mut around_center = crate_desc().with_mass_properties(given);
    // A velocity is that of the centre of mass; a setter leaves that of the points.
    let arm = around_center.pose.transform_vector(given.center);
    around_center.linear_velocity += around_center.angular_velocity.cross(arm);
    let own = 0.4 * 0.5 * 0.3 * 8.0;
    let double = MassProperties::new(
        2.0 * own,
        Vec3::ZERO,
        carom_world::mass_of(&crate_desc().colliders[0].shape, 1.0).inertia * (2.0 * own / own),
    );
    type Change = Box<dyn Fn(&mut World, BodyId)>;
    let cases: Vec<(&str, BodyDesc, Change)> = vec![
        (
            "friction",
            with(|d| d.colliders[0].material.friction = 0.05),
            Box::new(|w, b| {
                w.body_mut(b).unwrap().set_friction(0.05).unwrap();
            }),
        ),
        (
            "restitution",
            with(|d| d.colliders[0].material.restitution = 0.9),
            Box::new(|w, b| {
                w.body_mut(b).unwrap().set_restitution(0.9).unwrap();
            }),
        ),
        (
            "damping",
            with(|d| (d.linear_damping, d.angular_damping) = (1.0, 2.0)),
            Box::new(|w, b| {
                w.body_mut(b).unwrap().set_damping(1.0, 2.0).unwrap();
            }),
        ),
        (
            "gravity",
            with(|d| d.gravity_scale = -0.1),
            Box::new(|w, b| {
                w.body_mut(b).unwrap().set_gravity_scale(-0.1).unwrap();
            }),
        ),
        (
            "combine rules",
            with(|d| {
                let material = &mut d.colliders[0].material;
                (material.friction, material.friction_rule) = (2.0, CombineRule::Max);
            }),
            Box::new(|w, b| {
                w.body_mut(b).unwrap().set_friction(2.0).unwrap();
                w.body_mut(b).unwrap().set_combine_rules(CombineRule::Max, CombineRule::Max).unwrap();
            }),
        ),
        (
            "locked axes",
            with(|d| d.locked_axes = LockedAxes::OUT_OF_XY),
            Box::new(|w, b| {
                w.body_mut(b).unwrap().set_locked_axes(LockedAxes::OUT_OF_XY).unwrap();
            }),
        ),
        (
            "largest speeds",
            with(|d| (d.max_linear_speed, d.max_angular_speed) = (1.0, 0.5)),
            Box::new(|w, b| {
                w.body_mut(b).unwrap().set_max_speeds(1.0, 0.5).unwrap();
            }),
        ),
        (
            "sensor",
            with(|d| d.colliders[0].is_sensor = true),
            Box::new(|w, b| {
                w.body_mut(b).unwrap().set_sensor(true).unwrap();
            }),
        ),
        (
            "fast",
            with(|d| d.ccd = true),
            Box::new(|w, b| {
                w.body_mut(b).unwrap().set_ccd(true).unwrap();
            }),
        ),
        (
            "mass",
            crate_desc().with_mass_properties(double),
            Box::new(|w, b| {
                let mass = 2.0 * w_mass(w, b);
                w.body_mut(b).unwrap().set_mass(mass).unwrap();
            }),
        ),
        (
            "mass properties",
            around_center,
            Box::new(move |w, b| {
                w.body_mut(b).unwrap().set_mass_properties(given).unwrap();
            }),
        ),
        (
            "static",
            with(|d| d.mobility = Mobility::Fixed),
            Box::new(|w, b| {
                w.body_mut(b).unwrap().set_mobility(Mobility::Fixed).unwrap();
            }),
        ),
        (
            "disabled",
            with(|d| d.is_enabled = false),
            Box::new(|w, b| {
                w.body_mut(b).unwrap().set_enabled(false).unwrap();
            }),
        ),
        (
            "kinematic",
            with(|d| d.mobility = Mobility::Kinematic),
            Box::new(|w, b| {
                w.body_mut(b).unwrap().set_mobility(Mobility::Kinematic).unwrap();
            }),
        ),
    ];
    let plain = run(crate_desc(), |_, _| ());
    for (name, desc, change) in cases {
        let wanted = run(desc, |_, _| ());
        assert_eq!(run(crate_desc(), &change), wanted, "{name}");
        // A body that is marked fast and goes slowly moves as it did.
        assert!(name == "fast" || wanted != plain, "{name} changes nothing here");
    }
}

fn w_mass(world: &World, id: BodyId) -> f32 {
    1.0 / world.body(id).unwrap().motion().inverse_mass
}

/// There and back again is as if nothing was done, whatever comes between.
#[test]
fn a_body_may_change_how_it_moves_and_back() {
    let plain = run(crate_desc(), |_, _| ());
    for between in [Mobility::Fixed, Mobility::Kinematic] {
        let there_and_back = run(crate_desc(), |world, body| {
            let motion = *world.body(body).unwrap().motion();
            world.body_mut(body).unwrap().set_mobility(between).unwrap();
            assert_eq!(world.body(body).map(|body| body.mobility()), Ok(between));
            world.body_mut(body).unwrap().set_mobility(Mobility::Dynamic).unwrap();
            world
                .body_mut(body)
                .unwrap()
                .set_linear_velocity(motion.linear_velocity)
                .unwrap()
                .set_angular_velocity(motion.angular_velocity)
                .unwrap();
        });
        assert_eq!(there_and_back, plain, "{between:?}");
    }
    // A body inserted as fixed has the mass of its density.
    let inserted_static = with(|d| d.mobility = Mobility::Fixed);
    let made_dynamic = run(inserted_static, |world, body| {
        world.body_mut(body).unwrap().set_mobility(Mobility::Dynamic).unwrap();
        let desc = crate_desc();
        world
            .body_mut(body)
            .unwrap()
            .set_linear_velocity(desc.linear_velocity)
            .unwrap()
            .set_angular_velocity(desc.angular_velocity)
            .unwrap();
    });
    assert_eq!(made_dynamic, plain);
}

/// In the middle of a life: a shelf gives way, what stands on it falls, and stays when the shelf is
/// fixed again.
#[test]
fn a_shelf_gives_way_and_holds_again() {
    let mut world = World::new();
    world.insert(ground()).unwrap();
    let shelf =
        world.insert(BodyDesc::fixed(cuboid(Vec3::new(1.0, 0.1, 1.0))).with_position(Vec3::Y * 5.0)).unwrap();
    let vase = world.insert(of_unit_density(cuboid(Vec3::splat(0.2))).with_position(Vec3::Y * 5.3)).unwrap();
    let lamp = world.insert(of_unit_density(ball(0.1)).with_position(Vec3::Y * 4.0)).unwrap();
    let chain = JointKind::Spherical { cone: 3.0, twist: None };
    world
        .insert_joint(JointDesc::new(shelf, lamp, chain).with_anchor(Vec3::Y * 4.9).with_axis(Vec3::Y))
        .unwrap();
    let y = |world: &World, id| world.body(id).unwrap().position().y;
    (0..240).for_each(|_| _ = world.checked_step(DT).unwrap());
    assert!(world.body(vase).unwrap().is_sleeping() && (y(&world, vase) - 5.3).abs() < 0.01);
    assert_eq!(world.body(vase).unwrap().touching().collect::<Vec<_>>(), [shelf]);
    world.body_mut(shelf).unwrap().set_mobility(Mobility::Dynamic).unwrap();
    assert!(!world.body(vase).unwrap().is_sleeping() && !world.body(lamp).unwrap().is_sleeping());
    (0..20).for_each(|_| _ = world.checked_step(DT).unwrap());
    let fallen = 5.0 - y(&world, shelf);
    assert!((0.4..0.7).contains(&fallen), "{fallen}");
    world.body_mut(shelf).unwrap().set_mobility(Mobility::Fixed).unwrap();
    (0..300).for_each(|_| _ = world.checked_step(DT).unwrap());
    assert!((5.0 - y(&world, shelf) - fallen).abs() < 1e-6);
    assert!((y(&world, vase) - y(&world, shelf) - 0.3).abs() < 0.01, "the vase stands on it again");
    let hangs = (world.body(lamp).unwrap().position() - world.body(shelf).unwrap().position()).length();
    assert!((hangs - 1.0).abs() < 0.05, "the lamp hangs on it, {hangs}");
}

/// A wall that becomes a door for ghosts: pairs of a sensor push nothing, and events say so.
#[test]
fn a_wall_becomes_a_sensor_and_a_wall_again() {
    let mut world = World::with_settings(WorldSettings::default());
    world.insert(ground()).unwrap();
    let wall = cuboid(Vec3::new(0.1, 1.0, 1.0));
    let wall = world.insert(BodyDesc::fixed(wall).with_position(Vec3::new(1.0, 1.0, 0.0))).unwrap();
    let ball = world.insert(of_unit_density(ball(0.25)).with_position(Vec3::new(0.6, 0.25, 0.0))).unwrap();
    let push = |world: &mut World| {
        world
            .body_mut(ball)
            .unwrap()
            .set_linear_velocity(Vec3::X * 3.0)
            .unwrap()
            .set_angular_velocity(Vec3::ZERO)
            .unwrap();
    };
    push(&mut world);
    (0..30).for_each(|_| _ = world.checked_step(DT).unwrap());
    let x = |world: &World| world.body(ball).unwrap().position().x;
    assert!(x(&world) < 0.7);
    world.body_mut(wall).unwrap().set_sensor(true).unwrap();
    push(&mut world);
    let mut seen = Vec::new();
    for _ in 0..60 {
        world.checked_step(DT).unwrap();
        let of_wall = world.events().iter().filter(|event| event.a == wall || event.b == wall);
        seen.extend(of_wall.filter(|event| event.is_sensor).map(|event| event.kind));
    }
    assert!(1.5 < x(&world), "{}", x(&world));
    seen.retain(|kind| *kind != EventKind::Persisted);
    assert_eq!(seen, [EventKind::Began, EventKind::Ended]);
    world.body_mut(wall).unwrap().set_sensor(false).unwrap();
    world
        .body_mut(ball)
        .unwrap()
        .set_linear_velocity(Vec3::X * -3.0)
        .unwrap()
        .set_angular_velocity(Vec3::ZERO)
        .unwrap();
    (0..60).for_each(|_| _ = world.checked_step(DT).unwrap());
    assert!(1.3 < x(&world), "{}", x(&world));
}

/// Two of one family lie in each other; when they are none any more they part.
#[test]
fn a_family_that_parts() {
    let settings = WorldSettings::default();
    let mut world = World::with_settings(settings.with_solver(settings.solver.with_gravity(Vec3::ZERO)));
    let [a, b] = [0.0, 0.2].map(|x| {
        let desc = of_unit_density(ball(0.5)).with_position(Vec3::X * x).with_family(7);
        world.insert(desc).unwrap()
    });
    (0..200).for_each(|_| _ = world.checked_step(DT).unwrap());
    let apart =
        |world: &World| (world.body(a).unwrap().position() - world.body(b).unwrap().position()).length();
    assert!(apart(&world) == 0.2 && world.body(a).unwrap().is_sleeping());
    world.body_mut(b).unwrap().set_family(8).unwrap();
    (0..200).for_each(|_| _ = world.checked_step(DT).unwrap());
    assert!(0.98 < apart(&world), "{}", apart(&world));
}

/// A change wakes the body, and the bodies that touch it if it affects them.
#[test]
fn a_change_wakes_the_bodies_that_it_affects() {
    type Change = fn(&mut World, BodyId) -> Result<(), WorldError>;
    let cases: [(&str, Change, [bool; 2]); 12] = [
        (
            "friction",
            |w, b| w.body_mut(b).and_then(|mut body| body.set_friction(0.4).map(|_| ())),
            [true, true],
        ),
        (
            "restitution",
            |w, b| w.body_mut(b).and_then(|mut body| body.set_restitution(0.4).map(|_| ())),
            [true, true],
        ),
        (
            "damping",
            |w, b| w.body_mut(b).and_then(|mut body| body.set_damping(1.0, 1.0).map(|_| ())),
            [true, true],
        ),
        (
            "gravity",
            |w, b| w.body_mut(b).and_then(|mut body| body.set_gravity_scale(0.5).map(|_| ())),
            [true, true],
        ),
        ("sensor", |w, b| w.body_mut(b).and_then(|mut body| body.set_sensor(true).map(|_| ())), [true, true]),
        ("fast", |w, b| w.body_mut(b).and_then(|mut body| body.set_ccd(true).map(|_| ())), [true, true]),
        ("family", |w, b| w.body_mut(b).and_then(|mut body| body.set_family(3).map(|_| ())), [true, true]),
        ("mass", |w, b| w.body_mut(b).and_then(|mut body| body.set_mass(7.0).map(|_| ())), [true, true]),
        (
            "mobility",
            |w, b| w.body_mut(b).and_then(|mut body| body.set_mobility(Mobility::Fixed).map(|_| ())),
            [false, true],
        ),
        (
            "force",
            |w, b| w.body_mut(b).and_then(|mut body| body.apply_force(Vec3::X).map(|_| ())),
            [true, true],
        ),
        (
            "may sleep",
            |w, b| w.body_mut(b).and_then(|mut body| body.set_can_sleep(true).map(|_| ())),
            [false, false],
        ),
        (
            "user data",
            |w, b| {
                w.body_mut(b).map(|mut body| {
                    body.set_user_data(9);
                })
            },
            [false, false],
        ),
    ];
    for (name, change, is_woken) in cases {
        let mut world = World::new();
        world.insert(ground()).unwrap();
        let pair = [0.5, 1.5].map(|y| {
            world.insert(of_unit_density(cuboid(Vec3::splat(0.5))).with_position(Vec3::Y * y)).unwrap()
        });
        let far = of_unit_density(cuboid(Vec3::splat(0.5))).with_position(Vec3::new(9.0, 0.5, 0.0));
        let far = world.insert(far).unwrap();
        (0..120).for_each(|_| _ = world.checked_step(DT).unwrap());
        assert!(pair.iter().all(|&body| world.body(body).unwrap().is_sleeping()));
        change(&mut world, pair[0]).unwrap();
        // They fell asleep together, so they wake together.
        let is_awake = |id| {
            world.body(id).map(|body| body.mobility()) != Ok(Mobility::Fixed)
                && !world.body(id).unwrap().is_sleeping()
        };
        assert_eq!(pair.map(is_awake), is_woken, "{name}");
        assert!(!is_awake(far), "{name}");
        world.checked_step(DT).unwrap();
    }
}

#[test]
fn bad_changes_are_refused_and_change_nothing() {
    let mut world = World::new();
    let floor = world.insert(ground()).unwrap();
    let body = world.insert(crate_desc()).unwrap();
    let gone = world.insert(crate_desc()).unwrap();
    world.remove(gone).unwrap();
    let before = format!("{:?}", world.snapshot());
    assert_eq!(
        world.body_mut(floor).and_then(|mut body| body.set_mobility(Mobility::Dynamic).map(|_| ())),
        Err(WorldError::NoMass(MassFault::Unbounded))
    );
    for bad in [f32::NAN, f32::INFINITY, -1.0] {
        assert!(
            world.body_mut(body).unwrap().set_friction(bad).is_err()
                && world.body_mut(body).unwrap().set_restitution(bad).is_err()
        );
        assert!(
            world.body_mut(body).unwrap().set_damping(bad, 0.0).is_err()
                && world.body_mut(body).unwrap().set_damping(0.0, bad).is_err()
        );
        assert!(is_bad(world.body_mut(body).unwrap().set_mass(bad), "mass", bad));
        assert!(bad == -1.0 || world.body_mut(body).unwrap().set_gravity_scale(bad).is_err());
    }
    assert!(is_bad(world.body_mut(body).unwrap().set_mass(0.0), "mass", 0.0));
    let wild = MassProperties::new(1.0, Vec3::NAN, Mat3::IDENTITY);
    assert!(is_bad(world.body_mut(body).unwrap().set_mass_properties(wild), "center of mass", f32::NAN));
    let stale = Err(WorldError::StaleBody(gone));
    assert_eq!(
        world.body_mut(gone).and_then(|mut body| body.set_mobility(Mobility::Fixed).map(|_| ())),
        stale
    );
    assert_eq!(world.body_mut(gone).and_then(|mut body| body.set_mass(1.0).map(|_| ())), stale);
    assert_eq!(world.body_mut(gone).and_then(|mut body| body.set_sensor(true).map(|_| ())), stale);
    assert_eq!(world.body_mut(gone).and_then(|mut body| body.set_ccd(true).map(|_| ())), stale);
    assert_eq!(world.body_mut(gone).and_then(|mut body| body.set_family(1).map(|_| ())), stale);
    assert_eq!(world.body_mut(gone).map(|_| ()), stale);
    assert_eq!(world.body_mut(gone).and_then(|mut body| body.set_can_sleep(true).map(|_| ())), stale);
    assert!(world.body(gone).is_err() && world.body_mut(gone).is_err());
    assert_eq!(before, format!("{:?}", world.snapshot()));
}

/// The counts of bodies stay right. A surface that was marked fast counted twice before.
#[test]
fn r_a_surface_that_is_marked_fast_counts_once() {
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z].map(|p| p - Vec3::splat(0.25));
    let faces = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    let mesh = MeshShape::new(TriMesh::new(corners.to_vec(), faces).unwrap()).unwrap();
    let mut world = World::new();
    let body =
        world.insert(of_unit_density(Shape::Mesh(Arc::new(mesh))).with_hooks(ActiveHooks::MODIFY)).unwrap();
    world.body_mut(body).unwrap().set_ccd(true).unwrap();
    assert_eq!(world.validate(), Ok(()));
    world.body_mut(body).unwrap().set_mass(3.0).unwrap();
    world.body_mut(body).unwrap().set_sensor(true).unwrap();
    world.body_mut(body).unwrap().set_hooks(ActiveHooks::MODIFY).unwrap();
    assert_eq!(world.validate(), Ok(()));
    world.remove(body).unwrap();
    assert_eq!(world.validate(), Ok(()));
}

/// A collider that is given no density has that of water, whichever way it comes.
#[test]
fn without_a_density_a_collider_is_of_water() {
    let cube = || cuboid(Vec3::splat(0.5));
    let mut world = World::new();
    let id = world.insert(BodyDesc::dynamic(cube())).unwrap();
    assert!((world.body(id).unwrap().mass() - 1000.0).abs() < 1e-3);
    world.insert_collider(id, cube()).unwrap();
    assert!((world.body(id).unwrap().mass() - 2000.0).abs() < 1e-3);
    assert_eq!(ColliderDesc::new(cube()).density, ColliderDesc::DEFAULT_DENSITY);
    let empty = BodyDesc::empty(Mobility::Dynamic).with_collider(cube()).with_position(Vec3::Y * 9.0);
    let id = world.insert(empty).unwrap();
    assert!((world.body(id).unwrap().mass() - 1000.0).abs() < 1e-3);
    // So does a fixed body that becomes dynamic.
    let fixed = world.insert(BodyDesc::fixed(cube()).with_position(Vec3::X * 9.0)).unwrap();
    world.body_mut(fixed).unwrap().set_mobility(Mobility::Dynamic).unwrap();
    assert!((world.body(fixed).unwrap().mass() - 1000.0).abs() < 1e-3);
}

/// A total mass is spread as the colliders are: centre as by their densities, inertia in
/// proportion.
#[test]
fn a_total_mass_is_spread_as_the_colliders_are() {
    let head = ColliderDesc::new(cuboid(Vec3::splat(0.1)))
        .with_pose(Pose::from_translation(Vec3::Y))
        .with_density(7800.0);
    let hammer = of_unit_density(cuboid(Vec3::new(0.05, 1.0, 0.05))).with_density(700.0);
    let hammer = hammer.with_collider(head);
    let mut world = World::new();
    let [own, given] =
        [hammer.clone(), hammer.clone().with_mass(10.0)].map(|desc| world.insert(desc).unwrap());
    let [own, given] = [own, given].map(|id| *world.body(id).unwrap().motion());
    let ratio = 10.0 * own.inverse_mass;
    assert!((given.inverse_mass * 10.0 - 1.0).abs() < 1e-6 && (ratio - 1.0).abs() > 0.1);
    assert!((given.center_of_mass - own.center_of_mass).length() < 1e-6);
    let inertia = given.inverse_inertia * ratio - own.inverse_inertia;
    assert!(inertia.to_cols_array().iter().all(|x| x.abs() < 1e-5 * own.inverse_inertia.x_axis.x));
    // Without densities it is spread evenly.
    let light = of_unit_density(cuboid(Vec3::ONE)).with_density(0.0).with_mass(3.0);
    let light = world.insert(light).unwrap();
    assert!((world.body(light).unwrap().mass() - 3.0).abs() < 1e-6);
    for bad in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        assert!(is_bad(world.insert(hammer.clone().with_mass(bad)), "mass", bad));
    }
    let empty = BodyDesc::empty(Mobility::Dynamic).with_mass(1.0);
    assert_eq!(world.insert(empty), Err(WorldError::NoMass(MassFault::NoCollider)));
}

/// A static body has no velocity, as in a description: not for a query, not for an impulse event,
/// and not when it begins to move.
#[test]
fn a_static_body_ignores_velocities() {
    let mut world = World::new();
    let wall = world.insert(BodyDesc::fixed(cuboid(Vec3::ONE)).with_linear_velocity(Vec3::X)).unwrap();
    let ball = of_unit_density(ball(0.5)).with_position(Vec3::X * 1.4).with_impulse_threshold(0.0);
    let ball = world.insert(ball).unwrap();
    for mobility in [Mobility::Kinematic, Mobility::Dynamic] {
        let mut body = world.body_mut(wall).unwrap();
        body.set_linear_velocity(Vec3::X * 3.0).unwrap().set_angular_velocity(Vec3::Y).unwrap();
        assert!(is_bad(body.set_linear_velocity(Vec3::NAN), "linear velocity", f32::NAN));
        assert_eq!(world.body(wall).unwrap().velocity_at(Vec3::Y), Vec3::ZERO);
        assert_eq!(world.body(wall).unwrap().angular_velocity(), Vec3::ZERO);
        world.checked_step(DT).unwrap();
        for event in world.impulse_events() {
            assert!(event.approach_speed < 0.2, "{}", event.approach_speed);
        }
        world.body_mut(wall).unwrap().set_mobility(mobility).unwrap();
        assert_eq!(world.body(wall).unwrap().linear_velocity(), Vec3::ZERO, "{mobility:?}");
        assert_eq!(world.body(wall).unwrap().angular_velocity(), Vec3::ZERO, "{mobility:?}");
        world.body_mut(wall).unwrap().set_mobility(Mobility::Fixed).unwrap();
        world.body_mut(ball).unwrap().set_pose(Pose::from_translation(Vec3::X * 1.4)).unwrap();
    }
}

/// Pushes of any kind leave a static or kinematic body as it was, also when it becomes dynamic
/// later.
#[test]
fn pushes_leave_no_trace_on_bodies_that_they_do_not_move() {
    for from in [Mobility::Fixed, Mobility::Kinematic] {
        let run = |pushes: bool| {
            let mut world = World::new();
            world.insert(ground()).unwrap();
            let body = world.insert(with(|d| d.linear_velocity = Vec3::ZERO)).unwrap();
            world.body_mut(body).unwrap().set_mobility(from).unwrap();
            if pushes {
                let mut view = world.body_mut(body).unwrap();
                view.apply_impulse(Vec3::X).unwrap().apply_angular_impulse(Vec3::Y).unwrap();
                view.apply_force(Vec3::X * 9.0).unwrap().apply_torque(Vec3::Y * 9.0).unwrap();
                view.apply_impulse_at(Vec3::X, Vec3::Z).unwrap().apply_force_at(Vec3::X, Vec3::Z).unwrap();
            }
            world.body_mut(body).unwrap().set_mobility(Mobility::Dynamic).unwrap();
            (0..60).for_each(|_| _ = world.checked_step(DT).unwrap());
            world.state_hash()
        };
        assert_eq!(run(true), run(false), "{from:?}");
    }
}

/// A tetrahedron beside the origin, and one triangle, which has no volume.
fn aside() -> Shape {
    Shape::hull(&[Vec3::X, Vec3::X * 3.0, Vec3::X + Vec3::Y, Vec3::X + Vec3::Z]).unwrap()
}

fn triangle() -> Shape {
    Shape::mesh(vec![Vec3::ZERO, Vec3::X, Vec3::Z], vec![[0, 2, 1]]).unwrap()
}

/// Whether the second body has twice the mass and the inertia of the first, and the same centre.
fn is_twice(one: &Body, other: &Body) -> bool {
    let [own, twice] = [one, other].map(|body| body.inverse_inertia.to_cols_array());
    let is_near = |x: f32, y: f32| (x - y).abs() < 1e-4 * own[0];
    other.center_of_mass == one.center_of_mass
        && (2.0 * other.inverse_mass / one.inverse_mass - 1.0).abs() < 1e-5
        && own.iter().zip(twice).all(|(own, twice)| is_near(*own, 2.0 * twice))
}

/// A setter of the mass starts from the mass that the body has, whatever became of its shape.
#[test]
fn a_new_mass_scales_the_old_one_after_any_change_of_shape() {
    let deformed = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z].map(|p| p * 2.0 - Vec3::splat(0.25));
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z].map(|p| p - Vec3::splat(0.25));
    let faces = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    let mesh = || Shape::mesh(corners.to_vec(), faces.clone()).unwrap();
    type Change<'a> = Box<dyn Fn(&mut World, BodyId) + 'a>;
    let set_shape = |shape: Shape| -> Change<'_> {
        Box::new(move |w, b| _ = w.body_mut(b).unwrap().set_shape(shape.clone()).unwrap())
    };
    let cases: Vec<(&str, Change<'_>)> = vec![
        ("another shape", set_shape(aside())),
        ("a shape without a volume", set_shape(triangle())),
        ("an unbounded shape", set_shape(ground().colliders[0].shape.clone())),
        (
            "a deformed shape",
            Box::new(|w, b| {
                w.body_mut(b).unwrap().deform(&deformed).unwrap();
                w.checked_step(DT).unwrap();
            }),
        ),
        (
            "no shape",
            Box::new(|w, b| {
                let only = w.body(b).unwrap().colliders().next().unwrap().id();
                w.remove_collider(only).unwrap();
            }),
        ),
    ];
    for (name, change) in cases {
        let mut world = World::new();
        let id = world.insert(BodyDesc::dynamic(mesh())).unwrap();
        let start = *world.body(id).unwrap().motion();
        change(&mut world, id);
        let before = *world.body(id).unwrap().motion();
        assert_eq!(before.inverse_inertia, start.inverse_inertia, "{name}: inertia stays");
        // A restored world has the same mass to begin with.
        let shot = world.snapshot();
        world.restore(&shot).unwrap();
        world.body_mut(id).unwrap().set_mass(2.0 / before.inverse_mass).unwrap();
        assert!(is_twice(&before, world.body(id).unwrap().motion()), "{name}");
        assert_eq!(world.validate(), Ok(()), "{name}");
    }
}

/// A dynamic body that got another shape keeps its mass while it stands still in between. A static
/// one has the mass of the shape with which it begins to move.
#[test]
fn a_mass_belongs_to_the_shape_with_which_a_body_became_dynamic() {
    let mut world = World::new();
    let [one, other] =
        [BodyDesc::dynamic, BodyDesc::fixed].map(|of| world.insert(of(cuboid(Vec3::splat(0.5)))).unwrap());
    let start = *world.body(one).unwrap().motion();
    for id in [one, other] {
        world.body_mut(id).unwrap().set_shape(aside()).unwrap();
        world.body_mut(id).unwrap().set_mobility(Mobility::Fixed).unwrap();
        world.body_mut(id).unwrap().set_mobility(Mobility::Dynamic).unwrap();
    }
    let [one, other] = [one, other].map(|id| *world.body(id).unwrap().motion());
    assert_eq!(
        (one.inverse_mass, one.center_of_mass, one.inverse_inertia),
        (start.inverse_mass, start.center_of_mass, start.inverse_inertia)
    );
    let own = carom_world::mass_of(&aside(), ColliderDesc::DEFAULT_DENSITY);
    assert!((other.inverse_mass * own.mass - 1.0).abs() < 1e-5 && other.center_of_mass == own.center);
}

/// After a change of the shape another density gives the mass of the present shape; another
/// material gives none.
#[test]
fn a_new_density_counts_for_the_present_shape() {
    let mut world = World::new();
    let id = world.insert(of_unit_density(cuboid(Vec3::splat(0.5)))).unwrap();
    world.body_mut(id).unwrap().set_shape(cuboid(Vec3::splat(1.0))).unwrap();
    let only = world.body(id).unwrap().colliders().next().unwrap().id();
    world.collider_mut(only).unwrap().set_material(Material::new(0.1, 0.0)).unwrap();
    assert!((world.body(id).unwrap().mass() - 1.0).abs() < 1e-5);
    world.collider_mut(only).unwrap().set_density(3.0).unwrap();
    assert!((world.body(id).unwrap().mass() - 24.0).abs() < 1e-4);
}

/// A mass that was given stays until the colliders are its source again. Then it is that of a body
/// that never had another one, and follows its colliders.
#[test]
fn a_given_mass_makes_way_for_that_of_the_colliders() {
    let tank = || ColliderDesc::new(cuboid(Vec3::splat(0.25))).with_position(Vec3::X).with_density(500.0);
    let desc = || BodyDesc::dynamic(cuboid(Vec3::new(0.4, 0.5, 0.3))).with_density(70.0);
    let descs = [
        desc(),
        desc().with_mass(5.0),
        desc().with_mass_properties(MassProperties::new(5.0, Vec3::Y, Mat3::IDENTITY)),
    ];
    for desc in descs {
        for has_tank in [false, true] {
            let (mut world, mut plain) = (World::new(), World::new());
            let id = world.insert(desc.clone()).unwrap();
            let mut follows = desc.clone();
            follows.mass = BodyMass::Colliders;
            let own = plain.insert(follows).unwrap();
            world.body_mut(id).unwrap().set_mass(5.0).unwrap();
            assert!(
                matches!(world.body(id).unwrap().mass_source(), BodyMass::Given(mass) if mass.mass == 5.0)
            );
            if has_tank {
                world.insert_collider(id, tank()).unwrap();
                plain.insert_collider(own, tank()).unwrap();
            } else {
                let only = world.body(id).unwrap().colliders().next().unwrap().id();
                world.collider_mut(only).unwrap().set_density(90.0).unwrap();
                plain.body_mut(own).unwrap().set_density(90.0).unwrap();
            }
            assert_eq!(world.body(id).unwrap().mass(), 5.0, "it was given");
            world.restore(&world.snapshot()).unwrap();
            world.body_mut(id).unwrap().set_mass_source(BodyMass::Colliders).unwrap();
            plain.body_mut(own).unwrap().set_mass_source(BodyMass::Colliders).unwrap();
            let masses = [(&world, id), (&plain, own)].map(|(world, id)| {
                let body = world.body(id).unwrap();
                assert_eq!(body.mass_source(), BodyMass::Colliders);
                let motion = body.motion();
                (motion.inverse_mass, motion.center_of_mass, motion.inverse_inertia)
            });
            assert_eq!(masses[0], masses[1], "{has_tank}");
            // It follows the colliders.
            world.body_mut(id).unwrap().set_density(8.0).unwrap();
            plain.body_mut(own).unwrap().set_density(8.0).unwrap();
            let [mass, wanted] = [world.body(id).unwrap().mass(), plain.body(own).unwrap().mass()];
            assert!(mass == wanted && mass != 1.0 / masses[0].0, "{mass} {wanted}");
            assert_eq!(world.validate(), Ok(()));
        }
    }
}

/// A total mass is distributed over the colliders that the body has now, as in a description.
#[test]
fn a_total_mass_is_distributed_over_the_present_colliders() {
    let knob = ColliderDesc::new(ball(0.3)).with_position(Vec3::X).with_density(500.0);
    let desc = BodyDesc::dynamic(cuboid(Vec3::splat(0.5))).with_collider(knob.clone());
    let mut world = World::new();
    let wanted = world.insert(desc.with_mass(7.0)).unwrap();
    let id = world.insert(BodyDesc::dynamic(cuboid(Vec3::splat(0.5))).with_mass(2.0)).unwrap();
    world.insert_collider(id, knob).unwrap();
    world.body_mut(id).unwrap().set_mass_source(BodyMass::Total(7.0)).unwrap();
    let [wanted, found] = [wanted, id].map(|id| world.body(id).unwrap().mass_properties());
    assert!((found.mass - 7.0).abs() < 1e-5 && (found.center - wanted.center).length() < 1e-6);
    let is_near = |(x, y): (f32, f32)| (x - y).abs() < 1e-5;
    assert!(found.inertia.to_cols_array().into_iter().zip(wanted.inertia.to_cols_array()).all(is_near));
}

/// A body that would have no mass keeps the one that it has.
#[test]
fn a_dynamic_body_does_not_lose_its_mass() {
    let mut world = World::new();
    let sheet = world.insert(BodyDesc::dynamic(triangle()).with_mass_properties(MassProperties::new(
        2.0,
        Vec3::ZERO,
        Mat3::IDENTITY,
    )));
    let sheet = sheet.unwrap();
    let before = *world.body(sheet).unwrap().motion();
    let mut body = world.body_mut(sheet).unwrap();
    assert_eq!(
        body.set_mass_source(BodyMass::Colliders).map(drop),
        Err(WorldError::NoMass(MassFault::OpenMesh))
    );
    assert_eq!(
        body.set_mass_source(BodyMass::Total(3.0)).map(drop),
        Err(WorldError::NoMass(MassFault::OpenMesh))
    );
    for bad in [0.0, -1.0, f32::NAN] {
        assert!(is_bad(body.set_mass_source(BodyMass::Total(bad)), "mass", bad));
        assert!(bad == 0.0 || is_bad(body.set_density(bad), "density", bad));
    }
    assert_eq!(world.body(sheet).unwrap().motion(), &before);
    assert!(matches!(world.body(sheet).unwrap().mass_source(), BodyMass::Given(mass) if mass.mass == 2.0));
    // A fixed body needs no mass.
    world.body_mut(sheet).unwrap().set_mobility(Mobility::Fixed).unwrap();
    world.body_mut(sheet).unwrap().set_mass_source(BodyMass::Colliders).unwrap();
    assert_eq!(
        world.body_mut(sheet).unwrap().set_mobility(Mobility::Dynamic).map(drop),
        Err(WorldError::NoMass(MassFault::OpenMesh))
    );
}

/// A body that is not dynamic may have a total mass and no volume, after insertion too. A mass that
/// does not change wakes nothing.
#[test]
fn r_a_total_mass_is_set_as_in_a_description() {
    let mut world = World::new();
    let id = world.insert(BodyDesc::kinematic(Shape::half_space(Vec3::Y).unwrap()).with_mass(5.0)).unwrap();
    let mut body = world.body_mut(id).unwrap();
    assert!(body.set_mass_source(BodyMass::Total(5.0)).is_ok());
    assert!(body.set_mobility(Mobility::Dynamic).is_err(), "it has no mass");
    let ball = world.insert(of_unit_density(ball(0.5)).with_mass(5.0).with_sleeping(true)).unwrap();
    let source = world.body(ball).unwrap().mass_source();
    assert!(matches!(source, BodyMass::Given(mass) if mass.mass == 5.0));
    world.body_mut(ball).unwrap().set_mass_source(source).unwrap();
    assert!(world.body(ball).unwrap().is_sleeping());
    world.body_mut(ball).unwrap().set_mass_source(BodyMass::Total(6.0)).unwrap();
    assert!(!world.body(ball).unwrap().is_sleeping());
}
