//! Setters that change all colliders of a body, on a body with one collider and on one with
//! several: the result is as if the body had been inserted with the change.

use crate::of_unit_density;
use crate::scenes::{CheckedStep, DT, ball, cuboid, ground};
use carom_geom::TriMesh;
use carom_math::{Pose, Quat, Vec3};
use carom_query::{Compound, CompoundPart, MeshShape, Shape};
use carom_world::{
    ActiveHooks, BodyDesc, BodyId, ColliderDesc, ColliderId, CombineRule, EventKind, Filter, Groups, Hooks,
    LockedAxes, Material, Mobility, PairView, Response, StepOptions, World,
};
use std::sync::Arc;

/// The ball is in this group and of this family.
const BALLS: Groups = Groups::from_bits_retain(2);
const FAMILY: u32 = 3;

/// A body that slides and tips, of one collider or of two at poses of their own.
fn crate_of(n_colliders: usize) -> BodyDesc {
    let first = ColliderDesc::new(cuboid(Vec3::new(0.4, 0.5, 0.3)));
    let desc = if n_colliders == 1 {
        BodyDesc::dynamic(first)
    } else {
        let turned = Pose::new(Quat::from_rotation_y(0.7), Vec3::new(-0.3, 0.0, 0.0));
        let other = ColliderDesc::new(cuboid(Vec3::new(0.2, 0.4, 0.3)));
        BodyDesc::dynamic(first.with_pose(turned))
            .with_collider(other.with_position(Vec3::new(0.4, 0.1, 0.0)))
    };
    desc.with_density(1.0)
        .with_pose(Pose::new(Quat::from_rotation_z(0.2), Vec3::new(0.0, 0.8, 0.0)))
        .with_linear_velocity(Vec3::new(2.0, 0.0, 0.5))
        .with_angular_velocity(Vec3::new(0.5, 1.0, -0.3))
}

/// A filter that rejects all pairs for which it is called.
struct NoPairs;

impl Hooks for NoPairs {
    fn filter_pair(&self, _: &PairView<'_>) -> bool {
        false
    }
}

/// The results of a run: states after one second and after six, whether the body sleeps then, and
/// the counts of impulse events and of contacts that began, sensors apart.
type Trace = ([u64; 2], bool, [usize; 3]);

fn run(desc: BodyDesc, change: impl Fn(&mut World, BodyId)) -> Trace {
    let mut world = World::new();
    world.insert(ground()).unwrap();
    let body = world.insert(desc).unwrap();
    let hit = of_unit_density(ball(0.3)).with_position(Vec3::new(2.0, 0.5, 0.0));
    let hit = hit.with_groups(BALLS, Groups::all()).with_family(FAMILY);
    world.insert(hit.with_linear_velocity(Vec3::new(-3.0, 0.0, 0.0))).unwrap();
    change(&mut world, body);
    let mut counts = [0; 3];
    let hashes = [60, 300].map(|n| {
        for _ in 0..n {
            world.step_with(DT, StepOptions::new().with_hooks(&NoPairs)).unwrap();
            world.validate().unwrap();
            counts[0] += world.impulse_events().len();
            for event in world.events().iter().filter(|event| event.kind == EventKind::Began) {
                counts[1 + usize::from(event.is_sensor)] += 1;
            }
        }
        world.state_hash()
    });
    (hashes, world.body(body).unwrap().is_sleeping(), counts)
}

/// The belt of a body in the frame of each collider.
fn with_belt(desc: BodyDesc, velocity: Vec3, spin: Vec3) -> BodyDesc {
    let mut desc = desc;
    for collider in &mut desc.colliders {
        let at_collider = velocity + spin.cross(collider.pose.translation);
        let [own, own_spin] = [at_collider, spin].map(|v| collider.pose.inverse_transform_vector(v));
        collider.material = collider.material.with_surface_velocity(own, own_spin);
    }
    desc
}

/// Changes each collider through its own view.
fn each_collider(world: &mut World, body: BodyId, change: impl Fn(&mut carom_world::ColliderMut<'_>)) {
    let colliders: Vec<_> = world.body(body).unwrap().colliders().map(|collider| collider.id()).collect();
    colliders.into_iter().for_each(|id| change(&mut world.collider_mut(id).unwrap()));
}

#[test]
fn a_body_with_changed_colliders_is_as_one_that_was_inserted_so() {
    type Describe = fn(BodyDesc) -> BodyDesc;
    type Change = fn(&mut World, BodyId);
    let cases: Vec<(&str, Describe, Change)> = vec![
        (
            "groups",
            |d| d.with_groups(Groups::DEFAULT, !BALLS),
            |w, b| {
                w.body_mut(b).unwrap().set_groups(Groups::DEFAULT, !BALLS).unwrap();
            },
        ),
        ("family", |d| d.with_family(FAMILY), |w, b| _ = w.body_mut(b).unwrap().set_family(FAMILY).unwrap()),
        (
            "filter",
            |d| d.with_filter(Filter::default().with_family(FAMILY)),
            |w, b| {
                each_collider(w, b, |collider| {
                    collider.set_filter(Filter::default().with_family(FAMILY)).unwrap();
                });
            },
        ),
        (
            "hooks",
            |d| d.with_hooks(ActiveHooks::FILTER),
            |w, b| {
                w.body_mut(b).unwrap().set_hooks(ActiveHooks::FILTER).unwrap();
            },
        ),
        (
            "impulse threshold",
            |d| d.with_impulse_threshold(0.1),
            |w, b| {
                w.body_mut(b).unwrap().set_impulse_threshold(0.1).unwrap();
            },
        ),
        (
            "surface velocity",
            |d| with_belt(d, Vec3::new(1.5, 0.0, 0.5), Vec3::Y * 0.5),
            |w, b| {
                w.body_mut(b).unwrap().set_surface_velocity(Vec3::new(1.5, 0.0, 0.5), Vec3::Y * 0.5).unwrap();
            },
        ),
        (
            "response",
            |d| d.with_response(Response::Pass),
            |w, b| {
                w.body_mut(b).unwrap().set_response(Response::Pass).unwrap();
            },
        ),
        (
            "rolling friction",
            |mut d| {
                d.colliders.iter_mut().for_each(|c| c.material = c.material.with_rolling_friction(0.2));
                d
            },
            |w, b| {
                let material = w.body(b).unwrap().colliders().next().unwrap().material();
                each_collider(w, b, |collider| {
                    collider.set_material(material.with_rolling_friction(0.2)).unwrap();
                });
            },
        ),
        (
            "spinning friction",
            |mut d| {
                d.colliders.iter_mut().for_each(|c| c.material = c.material.with_spinning_friction(0.2));
                d
            },
            |w, b| {
                let material = w.body(b).unwrap().colliders().next().unwrap().material();
                each_collider(w, b, |collider| {
                    collider.set_material(material.with_spinning_friction(0.2)).unwrap();
                });
            },
        ),
        (
            "may not sleep",
            |d| d.with_can_sleep(false),
            |w, b| {
                w.body_mut(b).unwrap().set_can_sleep(false).unwrap();
            },
        ),
        (
            "friction",
            |d| d.with_friction(0.05),
            |w, b| {
                w.body_mut(b).unwrap().set_friction(0.05).unwrap();
            },
        ),
        (
            "restitution",
            |d| d.with_restitution(0.9),
            |w, b| {
                w.body_mut(b).unwrap().set_restitution(0.9).unwrap();
            },
        ),
        (
            "combine rules",
            |d| d.with_friction(2.0).with_combine_rules(CombineRule::Max, CombineRule::Max),
            |w, b| {
                let mut body = w.body_mut(b).unwrap();
                body.set_friction(2.0).unwrap();
                body.set_combine_rules(CombineRule::Max, CombineRule::Max).unwrap();
            },
        ),
        ("sensor", |d| d.with_sensor(true), |w, b| _ = w.body_mut(b).unwrap().set_sensor(true).unwrap()),
        (
            "locked axes",
            |d| d.with_locked_axes(LockedAxes::OUT_OF_XY),
            |w, b| {
                w.body_mut(b).unwrap().set_locked_axes(LockedAxes::OUT_OF_XY).unwrap();
            },
        ),
        (
            "static, with a velocity",
            |mut d| {
                d.mobility = Mobility::Fixed;
                d
            },
            |w, b| {
                let mut body = w.body_mut(b).unwrap();
                body.set_mobility(Mobility::Fixed).unwrap().set_linear_velocity(Vec3::X * 3.0).unwrap();
                body.set_angular_velocity(Vec3::Y).unwrap();
            },
        ),
    ];
    for n_colliders in [1, 2] {
        let plain = run(crate_of(n_colliders), |_, _| ());
        for (name, describe, change) in &cases {
            let expected = run(describe(crate_of(n_colliders)), |_, _| ());
            assert_eq!(run(crate_of(n_colliders), change), expected, "{name}, {n_colliders} colliders");
            assert_ne!(expected, plain, "{name} changes nothing here");
        }
    }
}

/// A constant force acts as the same force that is applied in each step, and through a change of
/// mobility and back.
#[test]
fn a_constant_force_is_a_force_in_each_step() {
    let (force, torque) = (Vec3::new(0.3, 0.1, -0.2), Vec3::new(0.01, 0.02, 0.0));
    for n_colliders in [1, 2] {
        let run = |is_constant: bool, changes_mobility: bool| {
            let mut world = World::new();
            world.insert(ground()).unwrap();
            let body = world.insert(crate_of(n_colliders).with_can_sleep(false)).unwrap();
            let mut view = world.body_mut(body).unwrap();
            if is_constant {
                view.set_constant_force(force, torque).unwrap();
            }
            if changes_mobility {
                let motion = *world.body(body).unwrap().motion();
                let mut view = world.body_mut(body).unwrap();
                view.set_mobility(Mobility::Fixed).unwrap().set_mobility(Mobility::Dynamic).unwrap();
                view.set_linear_velocity(motion.linear_velocity).unwrap();
                view.set_angular_velocity(motion.angular_velocity).unwrap();
            }
            for _ in 0..120 {
                if !is_constant {
                    let mut view = world.body_mut(body).unwrap();
                    view.apply_force(force).unwrap().apply_torque(torque).unwrap();
                }
                world.checked_step(DT).unwrap();
            }
            let motion = world.body(body).unwrap().motion();
            (motion.pose, motion.linear_velocity, motion.angular_velocity)
        };
        assert_eq!(run(true, false), run(false, false), "{n_colliders}");
        assert_eq!(run(true, true), run(true, false), "{n_colliders}");
    }
}

/// Five legs, of which the middle one is removed: until the next detection its contacts have its
/// stale handle or none, those of the other legs are their own, and the table stands still.
#[test]
fn r_contacts_keep_their_colliders_when_one_is_removed() {
    let mut world = World::new();
    let floor = world.insert(ground()).unwrap();
    let places = [[0.0, 0.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]];
    let leg = |[x, z]: [f32; 2]| ColliderDesc::new(ball(0.2)).with_position(Vec3::new(x, 0.0, z));
    let table = places
        .into_iter()
        .fold(BodyDesc::empty(Mobility::Dynamic), |table, place| table.with_collider(leg(place)));
    let table = world.insert(table.with_density(1.0).with_position(Vec3::Y * 0.2)).unwrap();
    (0..20).for_each(|_| _ = world.checked_step(DT).unwrap());
    let legs: Vec<ColliderId> = world.body(table).unwrap().colliders().map(|leg| leg.id()).collect();
    let names_own_legs = |world: &World| {
        let mut n_named = 0;
        for contact in world.contacts() {
            assert_eq!(contact.a, floor);
            let place = legs.iter().position(|&leg| leg == contact.collider_b).unwrap();
            for contact in contact.manifolds.iter().flat_map(|manifold| manifold.contacts()) {
                let at = contact.point_b;
                let [x, z] = places[place];
                assert!((at - Vec3::new(x, at.y, z)).length() < 0.05, "leg {place}: {at}");
                n_named += 1;
            }
        }
        n_named
    };
    assert_eq!(names_own_legs(&world), 5);
    world.remove_collider(legs[0]).unwrap();
    names_own_legs(&world);
    assert!(world.contacts().all(|contact| contact.is_touching));
    world.checked_step(DT).unwrap();
    assert_eq!(names_own_legs(&world), 4);
    let ended = world.events().iter().filter(|event| event.kind == EventKind::Ended);
    assert_eq!(ended.map(|event| event.collider_b()).collect::<Vec<_>>(), [legs[0]]);
    let motion = world.body(table).unwrap().motion();
    assert!(motion.linear_velocity.length() < 0.01 && motion.angular_velocity.length() < 0.01);
    // A sensor before the solid colliders does not shift them either.
    world.insert_collider(table, ColliderDesc::new(ball(0.5)).with_sensor(true)).unwrap();
    world.checked_step(DT).unwrap();
    assert!(world.contacts().filter(|contact| !contact.manifolds.is_empty()).count() == 4);
}

/// A new material of a collider keeps its contacts; a new filter ends them.
#[test]
fn a_property_of_a_collider_keeps_its_contacts() {
    let mut world = World::new();
    world.insert(ground()).unwrap();
    let body =
        world.insert(crate_of(2).with_linear_velocity(Vec3::ZERO).with_angular_velocity(Vec3::ZERO)).unwrap();
    (0..120).for_each(|_| _ = world.checked_step(DT).unwrap());
    let collider = world.body(body).unwrap().colliders().next().unwrap().id();
    let n_contacts = world.contacts().count();
    world.collider_mut(collider).unwrap().set_impulse_threshold(1.0).unwrap();
    world.collider_mut(collider).unwrap().set_material(Material::new(0.9, 0.0)).unwrap();
    assert_eq!(world.contacts().count(), n_contacts);
    let stats = *world.checked_step(DT).unwrap();
    assert!(0 < stats.solver.n_contacts && stats.solver.n_warm == stats.solver.n_contacts, "{stats:?}");
    assert_eq!(world.collider(collider).unwrap().material().friction, 0.9);
    world.collider_mut(collider).unwrap().set_filter(Filter::new(Groups::DEFAULT, Groups::empty())).unwrap();
    world.checked_step(DT).unwrap();
    assert!(world.events().iter().any(|event| event.kind == EventKind::Ended));
}

/// The box of a body that was just inserted contains its path, its sensors included, as after a
/// restore.
#[test]
fn r_the_first_box_contains_the_path_of_sensors() {
    let mut world = World::new();
    world.insert(ground()).unwrap();
    world.checked_step(DT).unwrap();
    let arm = ColliderDesc::new(cuboid(Vec3::new(4.0, 0.1, 0.1))).with_sensor(true);
    let desc = BodyDesc::dynamic(ball(0.2)).with_collider(arm).with_angular_velocity(Vec3::Z * 7.0);
    let id = world.insert(desc.with_position(Vec3::Y * 10.0)).unwrap();
    let restored: World = crate::scenes::restored(&world.snapshot(), &world).unwrap();
    let boxes = [&world, &restored].map(|world| world.body(id).unwrap().aabb());
    assert_eq!(boxes[0], boxes[1]);
    let turned = Quat::from_rotation_z(7.0 * DT) * (Vec3::X * 4.0);
    assert!(boxes[0].contains_point(Vec3::Y * 10.0 + turned));
}

/// Only a dynamic body needs a mass: a total mass of a half-space that does not move is accepted.
#[test]
fn r_a_static_body_without_volume_may_be_given_a_mass() {
    let mut world = World::new();
    let plane = || ground().colliders[0].shape.clone();
    let id = world.insert(BodyDesc::fixed(plane()).with_mass(5.0)).unwrap();
    assert!(world.insert(BodyDesc::dynamic(plane()).with_mass(5.0)).is_err());
    assert!(world.insert(BodyDesc::fixed(plane()).with_mass(-5.0)).is_err());
    assert!(world.body_mut(id).unwrap().set_mobility(Mobility::Dynamic).is_err());
    assert_eq!(world.validate(), Ok(()));
}

/// A body that has no mass yet gets one of any colliders, whatever their densities are: as with
/// `with_mass`.
#[test]
fn r_a_mass_is_set_on_bodies_without_one() {
    let mut world = World::new();
    let two = || {
        let other = ColliderDesc::new(ball(0.2)).with_position(Vec3::X);
        BodyDesc::kinematic(ball(0.5)).with_collider(other)
    };
    let none = carom_geom::MassProperties::ZERO;
    for desc in [
        BodyDesc::kinematic(ball(0.5)).with_density(0.0),
        two().with_density(0.0),
        BodyDesc::kinematic(ball(0.5)).with_mass_properties(none),
        two().with_mass_properties(none),
    ] {
        let given = world.insert(desc.clone()).unwrap();
        world.body_mut(given).unwrap().set_mass(5.0).unwrap().set_mobility(Mobility::Dynamic).unwrap();
        let like = world.insert(desc.with_density(1.0).with_mass(5.0)).unwrap();
        world.body_mut(like).unwrap().set_mobility(Mobility::Dynamic).unwrap();
        let [given, like] = [given, like].map(|id| *world.body(id).unwrap().motion());
        assert!((given.inverse_mass - 0.2).abs() < 1e-6);
        assert!((given.center_of_mass - like.center_of_mass).length() < 1e-6);
        assert!((given.inverse_inertia.x_axis - like.inverse_inertia.x_axis).length() < 1e-4);
    }
}

/// A turret of several parts whose pose changes in each frame: the rotations of its parts lost
/// their length, until the setter failed.
#[test]
fn r_the_pose_of_a_collider_of_parts_changes_for_ever() {
    let block = |x: f32| CompoundPart {
        shape: cuboid(Vec3::splat(0.2)),
        pose: Pose::new(Quat::from_rotation_y(x), Vec3::X * x),
    };
    let turret = Shape::Compound(Arc::new(Compound::new(vec![block(-0.3), block(0.3)]).unwrap()));
    let mut world = World::new();
    let body = world.insert(BodyDesc::dynamic(ball(0.5)).with_collider(ColliderDesc::new(turret))).unwrap();
    let collider = world.body(body).unwrap().colliders().nth(1).unwrap().id();
    for k in 0..60_000 {
        let turn = Quat::from_rotation_y(0.01 * (k % 100) as f32) * (1.0 + 2e-7);
        world.collider_mut(collider).unwrap().set_local_pose(Pose::new(turn, Vec3::Y)).unwrap();
    }
    let Shape::Compound(parts) = world.collider(collider).unwrap().shape() else { panic!("two parts") };
    for part in parts.parts() {
        assert!((part.pose.rotation.length() - 1.0).abs() < 1e-6, "{:?}", part.pose);
    }
}

/// A kinematic body whose solid colliders have no density takes a mass, whatever its sensors have.
#[test]
fn r_sensors_have_no_part_in_a_mass() {
    let sensor = ColliderDesc::new(ball(2.0)).with_sensor(true);
    for desc in [BodyDesc::kinematic(ball(0.5)), BodyDesc::fixed(ball(0.5))] {
        let mut world = World::new();
        let body = world.insert(desc.with_density(0.0).with_collider(sensor.clone())).unwrap();
        world.body_mut(body).unwrap().set_mass(5.0).unwrap();
        world.body_mut(body).unwrap().set_mobility(Mobility::Dynamic).unwrap();
        assert!((world.body(body).unwrap().mass() - 5.0).abs() < 1e-5);
    }
}

/// A flat mesh of 2 n^2 triangles, 4 m wide.
fn flat_mesh(n: u32) -> Shape {
    let at = |k: u32| 4.0 * k as f32 / n as f32 - 2.0;
    let row = n + 1;
    let vertices = (0..row * row).map(|k| Vec3::new(at(k % row), 0.0, at(k / row))).collect();
    let cells = (0..row * row).filter(|k| k % row < n && k / row < n);
    let triangles = cells.flat_map(|k| [[k, k + row, k + 1], [k + 1, k + row, k + row + 1]]).collect();
    Shape::Mesh(Arc::new(MeshShape::new(TriMesh::new(vertices, triangles).unwrap()).unwrap()))
}

/// A mesh with a house and a ball on it gets another number of triangles, as with a level of
/// detail: contacts of the house stay those of the house, and get no impulses of others.
#[test]
fn r_contacts_keep_their_colliders_when_a_mesh_gets_other_triangles() {
    for [before, after] in [[10, 2], [2, 10], [10, 1], [10, 10]] {
        let mut world = World::new();
        let house = ColliderDesc::new(cuboid(Vec3::splat(0.5))).with_position(Vec3::Y * 0.5);
        let knob = ColliderDesc::new(ball(0.3)).with_position(Vec3::X * 1.5);
        let gate = ColliderDesc::new(ball(0.4)).with_position(Vec3::Z * 9.0).with_sensor(true);
        let terrain = BodyDesc::fixed(flat_mesh(before)).with_collider(house).with_collider(knob);
        let terrain = world.insert(terrain.with_collider(gate)).unwrap();
        let ids: Vec<ColliderId> = world.body(terrain).unwrap().colliders().map(|own| own.id()).collect();
        let on = |place: Vec3| of_unit_density(cuboid(Vec3::splat(0.2))).with_position(place + Vec3::Y * 0.2);
        let guest = world.insert(on(Vec3::Y)).unwrap();
        let parked = world.insert(on(Vec3::new(-1.3, 0.0, 1.1))).unwrap();
        (0..30).for_each(|_| _ = world.checked_step(DT).unwrap());
        let check = |world: &World, name: &str| {
            for contact in world.contacts() {
                let own = if contact.b == guest { ids[1] } else { ids[0] };
                assert_eq!((contact.a, contact.collider_a), (terrain, own), "{before}, {after}: {name}");
                assert!(contact.is_touching, "{before}, {after}: {name}");
            }
            [guest, parked].map(|id| world.contacts().filter(|contact| contact.b == id).count())
        };
        assert_eq!(check(&world, "before"), [1, 1]);
        world.collider_mut(ids[0]).unwrap().set_shape(flat_mesh(after)).unwrap();
        check(&world, "set");
        let stats = *world.checked_step(DT).unwrap();
        assert_eq!(check(&world, "after"), [1, 1]);
        assert_eq!(0 < stats.solver.n_warm, before == after, "{before}, {after}: {stats:?}");
        assert!(world.events().iter().all(|event| event.kind == EventKind::Persisted));
        let motion = world.body(guest).unwrap().motion();
        assert!(motion.linear_velocity.length() < 0.01, "{motion:?}");
    }
}

/// The last solid collider before a sensor gets fewer triangles, too. A new solid collider before
/// the sensor keeps the impulses of the others.
#[test]
fn r_sensors_do_not_get_the_contacts_of_a_mesh() {
    let mut world = World::new();
    let gate = ColliderDesc::new(ball(0.4)).with_position(Vec3::Z * 9.0).with_sensor(true);
    let terrain = world.insert(BodyDesc::fixed(flat_mesh(10)).with_collider(gate)).unwrap();
    let mesh = world.body(terrain).unwrap().colliders().next().unwrap().id();
    let crate_on = of_unit_density(cuboid(Vec3::splat(0.2))).with_position(Vec3::new(1.1, 0.2, 1.3));
    world.insert(crate_on).unwrap();
    (0..30).for_each(|_| _ = world.checked_step(DT).unwrap());
    let is_of_mesh = |world: &World| world.contacts().all(|contact| contact.collider_a == mesh);
    assert!(0 < world.contacts().count() && is_of_mesh(&world));
    world.insert_collider(terrain, ColliderDesc::new(ball(0.3)).with_position(Vec3::Y * 5.0)).unwrap();
    assert!(is_of_mesh(&world));
    let stats = *world.checked_step(DT).unwrap();
    assert!(stats.solver.n_contacts < 2 * stats.solver.n_warm, "{stats:?}");
    let other = world.body(terrain).unwrap().colliders().map(|own| own.id()).find(|&id| id != mesh).unwrap();
    assert!(world.collider(other).unwrap().is_sensor());
    world.collider_mut(mesh).unwrap().set_shape(flat_mesh(1)).unwrap();
    assert!(is_of_mesh(&world));
    world.checked_step(DT).unwrap();
    assert!(0 < world.contacts().count() && is_of_mesh(&world));
}
