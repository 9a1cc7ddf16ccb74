//! A half-space among the colliders of a body: a ground with walls, each with a surface and a
//! filter of its own.

use crate::scenes::{CheckedStep, DT, ball, cuboid, world_on};
use carom_bounds::Aabb;
use carom_broad::{BroadPhase, BruteForce};
use carom_broad_auto::catalogue::{ALGORITHMS, SpatialBroadPhase, WorldHints};
use carom_broad_tree::DynamicBvh;
use carom_math::{Interval, Pose, Quat, Ray, Vec3};
use carom_query::Shape;
use carom_world::{
    BodyDesc, BodyId, ColliderDesc, CombineRule, EventKind, Filter, Groups, MassFault, Material, Mobility,
    QueryFilter, World, WorldError, WorldSettings,
};

fn at(shape: Shape, position: Vec3) -> ColliderDesc {
    ColliderDesc::new(shape).with_pose(Pose::from_translation(position))
}

fn plane() -> Shape {
    Shape::half_space(Vec3::Y).unwrap()
}

/// The plane y = 0 and two walls, at x = -3 and x = 3, numbered 1 to 3.
fn yard() -> BodyDesc {
    let wall = |x: f32| at(cuboid(Vec3::new(0.5, 2.0, 5.0)), Vec3::X * x);
    BodyDesc::fixed(ColliderDesc::new(plane()).with_user_data(1))
        .with_collider(wall(-3.0).with_user_data(2))
        .with_collider(wall(3.0).with_user_data(3))
}

fn dynamic(shape: Shape, position: Vec3) -> BodyDesc {
    BodyDesc::dynamic(shape).with_position(position)
}

/// Bodies of several kinds, between the walls, over them, and beyond them.
fn fill<B: BroadPhase>(world: &mut World<B>) -> Vec<BodyId> {
    let shape = |i: usize| match i % 3 {
        0 => ball(0.4),
        1 => cuboid(Vec3::new(0.4, 0.3, 0.35)),
        _ => Shape::capsule(0.3, 0.25).unwrap(),
    };
    (0..15)
        .map(|i| {
            let position = Vec3::new((i % 5) as f32 * 1.9 - 3.8, 2.6 + i as f32 * 0.4, 0.1 * i as f32);
            let pose = Pose::new(Quat::from_rotation_x(i as f32), position);
            world.insert(BodyDesc::dynamic(shape(i)).with_pose(pose).with_ccd(i % 4 == 0)).unwrap()
        })
        .collect()
}

#[test]
fn a_yard_carries_bodies_of_all_kinds() {
    let mut world = world_on::<DynamicBvh>();
    world.insert(yard()).unwrap();
    let bodies = fill(&mut world);
    for _ in 0..600 {
        world.checked_step(DT).unwrap();
    }
    let mut n_asleep = 0;
    for &id in &bodies {
        let body = world.body(id).unwrap();
        let lowest = body.shape().aabb(&body.pose()).min.y;
        assert!(-0.01 < lowest && lowest < 3.0, "{lowest}");
        n_asleep += usize::from(body.is_sleeping());
    }
    // Balls and capsules may still roll.
    assert!(5 <= n_asleep, "{n_asleep}");
    for view in world.contacts() {
        for manifold in view.manifolds {
            assert!(manifold.contacts().iter().all(|contact| -0.02 < contact.distance), "{manifold:?}");
        }
    }
}

#[test]
fn rays_and_contacts_name_the_collider() {
    let mut world = world_on::<DynamicBvh>();
    world.insert(yard()).unwrap();
    for x in [0.0, -3.0] {
        world.insert(dynamic(ball(0.5), Vec3::new(x, if x == 0.0 { 0.5 } else { 2.5 }, 0.0))).unwrap();
    }
    world.checked_step(DT).unwrap();
    let data = |id| world.collider(id).unwrap().user_data();
    let mut touched: Vec<u64> =
        world.events().iter().map(|event| data(event.collider_a()).max(data(event.collider_b()))).collect();
    touched.sort_unstable();
    assert_eq!(touched, [1, 2]);
    let mut query = world.query(&QueryFilter::default());
    for (x, data_of, height) in [(1.0, 1, 0.0), (3.0, 3, 2.0), (4e6, 1, 0.0)] {
        let ray = Ray::new(Vec3::new(x, 10.0, 0.0), Vec3::NEG_Y);
        let hit = query.cast_ray(&ray, Interval::FORWARD).unwrap();
        assert_eq!(data(hit.collider), data_of, "{x}");
        assert!((ray.at(hit.hit.t).y - height).abs() < 1e-5, "{x}: {hit:?}");
        assert_eq!(hit.hit.normal, Vec3::Y);
    }
}

/// A box slides farther on the plane, which is ice, than on the slab beside it.
#[test]
fn each_collider_has_its_own_material() {
    let mut world = world_on::<DynamicBvh>();
    let slab = at(cuboid(Vec3::new(50.0, 0.5, 2.0)), Vec3::new(0.0, 0.0, 10.0));
    let ground = BodyDesc::fixed(ColliderDesc::new(plane()).with_material(Material::new(0.1, 0.0)))
        .with_collider(slab.with_material(Material::new(0.4, 0.0)))
        .with_combine_rules(CombineRule::Min, CombineRule::Max);
    world.insert(ground).unwrap();
    let slide = |y: f32, z: f32| {
        dynamic(cuboid(Vec3::splat(0.25)), Vec3::new(0.0, y, z))
            .with_linear_velocity(Vec3::X * 4.0)
            .with_friction(1.0)
            .with_combine_rules(CombineRule::Min, CombineRule::Max)
    };
    let sliders = [(0.25, 0.0, 0.1), (0.75, 10.0, 0.4)];
    let ids = sliders.map(|(y, z, _)| world.insert(slide(y, z)).unwrap());
    for _ in 0..30 {
        world.checked_step(DT).unwrap();
    }
    for (id, (.., friction)) in ids.into_iter().zip(sliders) {
        let lost = 4.0 - world.body(id).unwrap().linear_velocity().x;
        let coulomb = friction * 9.81 * 30.0 * DT;
        assert!((lost / coulomb - 1.0).abs() < 0.03, "{lost} {coulomb}");
    }
}

/// A body that the filter of the plane lets pass falls through it, and lands on the slab that is
/// let into it.
#[test]
fn each_collider_has_its_own_filter() {
    let groups = |bits: u32| Groups::from_bits_retain(bits);
    for ccd in [false, true] {
        let mut world = world_on::<DynamicBvh>();
        let slab = at(cuboid(Vec3::new(5.0, 0.5, 5.0)), Vec3::Y * -3.5);
        let ground =
            BodyDesc::fixed(ColliderDesc::new(plane()).with_filter(Filter::new(groups(1), groups(1))))
                .with_collider(slab.with_filter(Filter::new(groups(2), groups(3))));
        world.insert(ground).unwrap();
        let drop = |x: f32, bits: u32| {
            let filter = Filter::new(groups(bits), groups(bits));
            dynamic(ball(0.5), Vec3::new(x, 2.0, 0.0)).with_filter(filter).with_ccd(ccd)
        };
        let [on_plane, on_slab] = [(-2.0, 1), (2.0, 2)].map(|(x, bits)| world.insert(drop(x, bits)).unwrap());
        for _ in 0..240 {
            world.checked_step(DT).unwrap();
        }
        for (id, height) in [(on_plane, 0.5), (on_slab, -2.5)] {
            let y = world.body(id).unwrap().position().y;
            assert!((y - height).abs() < 0.01, "ccd {ccd}: {y}, not {height}");
        }
    }
}

/// A ball sleeps on the plane. When the plane is removed, it wakes and falls on what is below.
#[test]
fn a_body_on_it_wakes_and_falls_when_it_is_removed() {
    let mut world = world_on::<DynamicBvh>();
    let ground = world.insert(BodyDesc::fixed(ColliderDesc::new(plane()).with_user_data(1))).unwrap();
    let below = world.insert_collider(ground, at(cuboid(Vec3::new(5.0, 0.5, 5.0)), Vec3::Y * -2.5)).unwrap();
    let sleeper = world.insert(dynamic(ball(0.5), Vec3::Y * 0.5)).unwrap();
    for _ in 0..120 {
        world.checked_step(DT).unwrap();
    }
    assert!(world.body(sleeper).unwrap().is_sleeping());
    let first = world.body(ground).unwrap().colliders().next().unwrap().id();
    assert_eq!(world.collider(first).unwrap().user_data(), 1);
    world.remove_collider(first).unwrap();
    assert!(!world.body(sleeper).unwrap().is_sleeping());
    let mut ended = 0;
    for _ in 0..240 {
        world.checked_step(DT).unwrap();
        ended += world.events().iter().filter(|event| event.kind == EventKind::Ended).count();
    }
    assert_eq!(ended, 1);
    let y = world.body(sleeper).unwrap().position().y;
    assert!((y + 1.5).abs() < 0.01, "{y}");
    // The plane comes back at another height, as the only collider, and carries the ball.
    world.remove_collider(below).unwrap();
    world.insert_collider(ground, at(plane(), Vec3::Y * -4.0)).unwrap();
    for _ in 0..240 {
        world.checked_step(DT).unwrap();
    }
    let y = world.body(sleeper).unwrap().position().y;
    assert!((y + 3.5).abs() < 0.01, "{y}");
}

#[test]
fn fast_bodies_stop_at_it() {
    for ccd in [false, true] {
        let mut world = world_on::<DynamicBvh>();
        world.insert(yard()).unwrap();
        let shoot = |position: Vec3, velocity: Vec3| {
            dynamic(ball(0.05), position).with_linear_velocity(velocity).with_ccd(ccd)
        };
        let down = world.insert(shoot(Vec3::new(0.0, 3.0, 0.0), Vec3::NEG_Y * 300.0)).unwrap();
        let across = world.insert(shoot(Vec3::new(0.0, 1.0, 1.0), Vec3::X * 300.0)).unwrap();
        for _ in 0..30 {
            world.checked_step(DT).unwrap();
        }
        let [down, across] = [down, across].map(|id| world.body(id).unwrap().position());
        assert!(-0.05 < down.y, "ccd {ccd}: {down}");
        assert!(across.x < 2.55, "ccd {ccd}: {across}");
    }
}

/// A box slides over the seams of a slab that is let into the plane, and stays on its line.
#[test]
fn a_slab_let_into_the_plane_has_no_seam() {
    let mut world = world_on::<DynamicBvh>();
    let slab = at(cuboid(Vec3::new(1.0, 0.5, 5.0)), Vec3::Y * -0.5);
    world.insert(BodyDesc::fixed(plane()).with_collider(slab).with_friction(0.0)).unwrap();
    let slider = dynamic(cuboid(Vec3::splat(0.25)), Vec3::new(-3.0, 0.25, 0.0))
        .with_linear_velocity(Vec3::X * 3.0)
        .with_friction(0.0);
    let slider = world.insert(slider).unwrap();
    for _ in 0..120 {
        world.checked_step(DT).unwrap();
        let body = world.body(slider).unwrap();
        assert!((body.linear_velocity().x - 3.0).abs() < 0.01, "{}", body.linear_velocity());
        assert!((body.position().y - 0.25).abs() < 0.01, "{}", body.position());
    }
}

/// A kinematic ground with a half-space lifts what lies on it; a dynamic one has no mass.
#[test]
fn it_moves_by_velocity_and_not_by_force() {
    let mut world = world_on::<DynamicBvh>();
    let step = at(cuboid(Vec3::splat(0.5)), Vec3::X * 2.0);
    let lift = BodyDesc::kinematic(plane()).with_collider(step).with_linear_velocity(Vec3::Y * 0.5);
    world.insert(lift).unwrap();
    let riders =
        [0.0, 2.0].map(|x| world.insert(dynamic(ball(0.25), Vec3::new(x, 0.25 + 0.25 * x, 0.0))).unwrap());
    for _ in 0..120 {
        world.checked_step(DT).unwrap();
    }
    for (id, height) in riders.into_iter().zip([1.25, 1.75]) {
        let y = world.body(id).unwrap().position().y;
        assert!((y - height).abs() < 0.03, "{y}, not {height}");
    }
    let body = world.insert(dynamic(ball(0.5), Vec3::Y * 20.0)).unwrap();
    let before = world.state_hash();
    assert_eq!(world.insert_collider(body, plane()).err(), Some(WorldError::NoMass(MassFault::Unbounded)));
    assert_eq!(
        world.insert(BodyDesc::dynamic(plane()).with_collider(ball(1.0))).err(),
        Some(WorldError::NoMass(MassFault::Unbounded))
    );
    assert_eq!(world.state_hash(), before);
    // A sensor has no mass in any case.
    world.insert_collider(body, ColliderDesc::new(plane()).with_sensor(true)).unwrap();
    world.checked_step(DT).unwrap();
}

/// The states and the number of events of each step, with edits on the way.
fn trace<B: BroadPhase>(world: &mut World<B>, restore: impl Fn(&mut World<B>)) -> Vec<(u64, usize)> {
    let mut desc = BodyDesc::empty(Mobility::Fixed);
    for x in 0..20 {
        desc = desc.with_collider(at(cuboid(Vec3::splat(0.3)), Vec3::new(x as f32 - 10.0, 0.0, 0.0)));
    }
    let ground = world.insert(desc.with_collider(at(plane(), Vec3::Y * -0.2))).unwrap();
    let bodies = fill(world);
    let mut trace = Vec::new();
    for step in 0..200 {
        match step {
            60 => world.remove(bodies[4]).unwrap(),
            80 => restore(world),
            100 => {
                let last = world.body(ground).unwrap().colliders().last().unwrap().id();
                let tilted = Pose::new(Quat::from_rotation_z(0.1), Vec3::Y * -0.1);
                world.collider_mut(last).unwrap().set_local_pose(tilted).unwrap();
            }
            _ => {}
        }
        world.checked_step(DT).unwrap();
        trace.push((world.state_hash(), world.events().len()));
    }
    trace
}

#[test]
fn the_same_bits_with_any_broad_phase_and_after_a_snapshot() {
    let expected = trace(&mut world_on::<DynamicBvh>(), |_| {});
    assert!(500 < expected.iter().map(|(_, n)| n).sum::<usize>());
    assert_eq!(expected, trace(&mut world_on::<BruteForce>(), |_| {}));
    let restore = |world: &mut World<DynamicBvh>| world.restore(&world.snapshot()).unwrap();
    assert_eq!(expected, trace(&mut world_on::<DynamicBvh>(), restore), "restored");
    let place = WorldHints::of(&[Aabb { min: Vec3::splat(-30.0), max: Vec3::splat(30.0) }; 100]);
    for listed in ALGORITHMS {
        let mut world: World<Box<dyn SpatialBroadPhase>> =
            World::with_broad_phase(listed.make(&place), WorldSettings::default());
        assert_eq!(expected, trace(&mut world, |_| {}), "{}", listed.name);
    }
}
