//! Worlds that are saved as text and loaded without the world that was saved.

use crate::scenes::{CheckedStep, DT, ball, cuboid, reread, world_on};
use carom_broad::BruteForce;
use carom_broad_tree::DynamicBvh;
use carom_geom::{Rounded, TaperedCapsule, TriMesh};
use carom_math::{Pose, Quat, Vec3};
use carom_query::{ConvexShape, MeshShape, Shape};
use carom_world::{BodyDesc, BodyId, ColliderDesc, SavedCollider, Snapshot, World, WorldError};
use std::sync::Arc;

/// The numbers of the assets, which are the user data of their colliders.
const TERRAIN: u64 = 1;
const ROCK: u64 = 2;
const CHAIR: u64 = 3;
/// The user data of a body of which all colliders are rocks.
const HEAP: u64 = 9;

/// Makes the asset with a number, as a program does that has just started.
fn asset(number: u64) -> Option<Shape> {
    let rock = || {
        let corners = [Vec3::X, Vec3::Y, Vec3::Z, Vec3::NEG_ONE, Vec3::new(0.5, 0.6, 0.5)];
        Shape::hull(&corners.map(|corner| corner * 0.4)).unwrap()
    };
    let oblique = |angle: f32, x: f32| Pose::new(Quat::from_rotation_z(angle), Vec3::new(x, 0.1, 0.2));
    match number {
        TERRAIN => {
            let at = |i: usize| Vec3::new((i % 9) as f32 - 4.0, 0.1 * (i % 4) as f32, (i / 9) as f32 - 4.0);
            let square = |i: u32| [[i, i + 9, i + 1], [i + 1, i + 9, i + 10]];
            let squares = (0..8).flat_map(|z| (0..8).map(move |x| 9 * z + x));
            let mesh = TriMesh::new((0..81).map(at).collect(), squares.flat_map(square).collect()).unwrap();
            Some(Shape::Mesh(Arc::new(MeshShape::new(mesh).unwrap())))
        }
        ROCK => Some(rock()),
        CHAIR => {
            let parts = vec![
                (rock(), oblique(0.3, 0.0)),
                (ball(0.2), oblique(0.1, 0.5)),
                (rock(), oblique(1.0, -0.4)),
            ];
            Some(Shape::compound(parts).unwrap())
        }
        _ => None,
    }
}

fn collider(number: u64) -> ColliderDesc {
    ColliderDesc::new(asset(number).unwrap()).with_user_data(number)
}

fn at(x: f32, y: f32, z: f32) -> Pose {
    Pose::new(Quat::from_rotation_x(0.3 + x), Vec3::new(x, y, z))
}

/// A world in which bodies have one collider, several, and none; colliders were moved and removed.
fn yard() -> World {
    let mut world = world_on::<DynamicBvh>();
    world.insert(BodyDesc::fixed(collider(TERRAIN))).unwrap();
    let wall = Shape::half_space(Vec3::new(-0.6, 0.9, 0.3)).unwrap();
    world.insert(BodyDesc::fixed(wall).with_position(Vec3::X * 3.0)).unwrap();
    for k in 0..4 {
        let x = k as f32 - 1.5;
        world.insert(BodyDesc::dynamic(collider(ROCK)).with_pose(at(x, 1.5, 0.0))).unwrap();
        world.insert(BodyDesc::dynamic(collider(CHAIR)).with_pose(at(x, 2.7, 0.3))).unwrap();
        let several = BodyDesc::dynamic(ColliderDesc::new(cuboid(Vec3::splat(0.2))).with_user_data(70))
            .with_collider(ColliderDesc::new(ball(0.7)).with_sensor(true))
            .with_collider(collider(CHAIR).with_pose(at(0.3, 0.2, 0.1)))
            .with_collider(collider(ROCK).with_pose(at(-0.4, 0.1, 0.0)).with_sensor(k == 1));
        let several = world.insert(several.with_pose(at(x, 4.2, -0.2))).unwrap();
        // The pose of each part in the body is rounded in each of these.
        let [first, _, chair, _] = [0, 1, 2, 3].map(|n| nth(&world, several, n));
        for step in 0..k {
            let pose = at(0.3 + 0.1 * step as f32, 0.2, 0.1);
            world.collider_mut(chair).unwrap().set_local_pose(pose).unwrap();
        }
        if k == 2 {
            world.remove_collider(first).unwrap();
            world.insert_collider(several, collider(ROCK).with_pose(at(0.0, -0.3, 0.0))).unwrap();
        }
    }
    // Here the number of the asset is that of the body, and its colliders have other user data.
    let rock = |x: f32| ColliderDesc::new(asset(ROCK).unwrap()).with_pose(at(x, 0.0, 0.0)).with_user_data(5);
    let heap = BodyDesc::dynamic(rock(0.0)).with_collider(rock(0.7)).with_user_data(HEAP);
    world.insert(heap.with_pose(at(0.0, 6.0, 0.0))).unwrap();
    let bare = world.insert(BodyDesc::dynamic(ball(0.3)).with_pose(at(-2.0, 3.0, 1.0))).unwrap();
    let only = nth(&world, bare, 0);
    world.remove_collider(only).unwrap();
    world
}

fn nth(world: &World, body: BodyId, n: usize) -> carom_world::ColliderId {
    world.body(body).unwrap().colliders().nth(n).unwrap().id()
}

fn of_assets(saved: &SavedCollider) -> Option<Shape> {
    asset(if saved.body_data == HEAP { ROCK } else { saved.collider_data })
}

/// Both worlds step on with the same bits and events.
fn go_on(world: &mut World, loaded: &mut World<BruteForce>) {
    assert_eq!(loaded.state_hash(), world.state_hash());
    for step in 0..40 {
        world.checked_step(DT).unwrap();
        loaded.checked_step(DT).unwrap();
        assert_eq!(loaded.state_hash(), world.state_hash(), "step {step}");
        assert_eq!(loaded.events(), world.events(), "step {step}");
    }
}

#[test]
fn a_world_is_loaded_from_text_and_assets() {
    let mut world = yard();
    for n_steps in [0, 30, 60] {
        (0..n_steps).for_each(|_| _ = world.checked_step(DT).unwrap());
        let text = serde_json::to_string(&world.snapshot()).unwrap();
        let large: Vec<SavedCollider> = {
            let mut asked = Vec::new();
            let mut loaded = world_on::<BruteForce>();
            let snapshot: Snapshot = serde_json::from_str(&text).unwrap();
            let shape_of = |saved: &SavedCollider| {
                asked.push(*saved);
                of_assets(saved)
            };
            loaded.restore_with(&snapshot, shape_of).unwrap();
            go_on(&mut world, &mut loaded);
            loaded.validate().unwrap();
            asked
        };
        // Once for each collider whose shape has many numbers.
        let is_large = |shape: &Shape| matches!(shape, Shape::Mesh(_) | Shape::Hull(_) | Shape::Compound(_));
        let colliders = world.bodies().flat_map(|body| body.colliders());
        let mut expected: Vec<_> =
            colliders.filter(|one| is_large(&one.shape())).map(|one| one.id()).collect();
        let mut asked: Vec<_> = large.iter().map(|saved| saved.collider).collect();
        expected.sort_unstable();
        asked.sort_unstable();
        assert_eq!(asked, expected);
        for saved in large {
            let found = world.collider(saved.collider).unwrap();
            assert_eq!((saved.body, saved.collider_data), (found.body().id(), found.user_data()));
            assert_eq!(saved.body_data, found.body().user_data());
        }
    }
}

/// A loaded world is saved and loaded once more, and a snapshot that was read needs the shapes at
/// each restore.
#[test]
fn a_loaded_world_is_saved_again() {
    let mut world = yard();
    (0..30).for_each(|_| _ = world.checked_step(DT).unwrap());
    let first = reread(&world.snapshot());
    let mut second = world_on::<DynamicBvh>();
    second.restore_with(&first, of_assets).unwrap();
    let text = |snapshot: &Snapshot| serde_json::to_string(snapshot).unwrap();
    assert_eq!(text(&second.snapshot()), text(&world.snapshot()));
    // The world that was read is written as it was.
    assert_eq!(text(&first), text(&world.snapshot()));
    let mut third = world_on::<BruteForce>();
    third.restore_with(&reread(&second.snapshot()), of_assets).unwrap();
    go_on(&mut world, &mut third);
}

#[test]
fn shapes_of_few_numbers_are_in_the_text() {
    let core = ConvexShape::new(cuboid(Vec3::new(0.3, 0.2, 0.25))).unwrap();
    let shapes = [
        ball(0.3),
        Shape::capsule(0.3, 0.2).unwrap(),
        Shape::TaperedCapsule(TaperedCapsule::new(0.3, 0.1, 0.25).unwrap()),
        cuboid(Vec3::new(0.1, 0.4, 0.3)),
        Shape::cylinder(0.3, 0.2).unwrap(),
        Shape::cone(0.3, 0.2).unwrap(),
        Shape::ellipsoid(Vec3::new(0.3, 0.2, 0.4)).unwrap(),
        Shape::torus(0.3, 0.1).unwrap(),
        Shape::Rounded(Arc::new(Rounded::new(core, 0.05).unwrap())),
        Shape::compound(vec![(ball(0.2), at(0.3, 0.0, 0.0)), (cuboid(Vec3::splat(0.2)), at(-0.3, 0.0, 0.1))])
            .unwrap(),
    ];
    let mut world = world_on::<DynamicBvh>();
    world.insert(BodyDesc::fixed(Shape::half_space(Vec3::new(0.1, 0.9, -0.2)).unwrap())).unwrap();
    for (k, shape) in shapes.iter().enumerate() {
        let x = 1.2 * k as f32 - 5.0;
        world.insert(BodyDesc::dynamic(shape.clone()).with_pose(at(x, 1.5, 0.0))).unwrap();
        let moved = ColliderDesc::new(shape.clone()).with_pose(at(0.1, 0.3, 0.0));
        let several = BodyDesc::dynamic(ball(0.2)).with_collider(moved);
        world.insert(several.with_pose(at(x, 3.0, 0.1))).unwrap();
    }
    let mut loaded = world_on::<BruteForce>();
    loaded.restore(&reread(&world.snapshot())).unwrap();
    for (own, other) in world.bodies().zip(loaded.bodies()) {
        assert_eq!(format!("{:?}", own.shape()), format!("{:?}", other.shape()));
    }
    go_on(&mut world, &mut loaded);
}

/// A snapshot without any shape, as one of which a program took them out, needs all of them.
#[test]
fn all_shapes_may_be_supplied() {
    let mut world = world_on::<DynamicBvh>();
    let stone = BodyDesc::dynamic(ColliderDesc::new(cuboid(Vec3::splat(0.2))).with_user_data(20))
        .with_collider(ColliderDesc::new(ball(0.3)).with_pose(at(0.3, 0.1, 0.0)).with_user_data(30));
    world.insert(stone.with_pose(at(0.0, 1.0, 0.0))).unwrap();
    world.insert(BodyDesc::fixed(Shape::half_space(Vec3::Y).unwrap())).unwrap();
    (0..20).for_each(|_| _ = world.checked_step(DT).unwrap());
    let mut value = serde_json::to_value(world.snapshot()).unwrap();
    value.as_object_mut().unwrap().remove("shapes").unwrap();
    let snapshot: Snapshot = serde_json::from_value(value).unwrap();
    let mut loaded = world_on::<BruteForce>();
    let shape_of = |saved: &SavedCollider| match saved.collider_data {
        20 => Some(cuboid(Vec3::splat(0.2))),
        30 => Some(ball(0.3)),
        _ => Some(Shape::half_space(Vec3::Y).unwrap()),
    };
    loaded.restore_with(&snapshot, shape_of).unwrap();
    go_on(&mut world, &mut loaded);
}

/// The error names the body, and the world is as it was.
#[test]
fn wrong_shapes_are_refused_and_change_nothing() {
    let mut world = world_on::<DynamicBvh>();
    world.insert(BodyDesc::fixed(ball(0.1))).unwrap();
    let several = BodyDesc::dynamic(ball(0.2)).with_collider(collider(CHAIR).with_pose(at(0.4, 0.0, 0.0)));
    world.insert(several).unwrap();
    let snapshot = reread(&world.snapshot());
    let mut other = yard();
    other.checked_step(DT).unwrap();
    let before = other.state_hash();
    let given = [None, Some(ball(0.3)), Some(cuboid(Vec3::ONE)), asset(ROCK)];
    for shape in given {
        let what = match &shape {
            None => "a collider without a shape",
            Some(_) => "a collider whose shape has another number of parts",
        };
        let error = other.restore_with(&snapshot, |_| shape.clone()).unwrap_err();
        assert_eq!(error, WorldError::Inconsistent(carom_world::Inconsistency { what, index: 1 }));
        assert_eq!(other.state_hash(), before);
        other.validate().unwrap();
    }
    assert!(other.restore(&snapshot).is_err());
    other.checked_step(DT).unwrap();
    other.restore_with(&snapshot, of_assets).unwrap();
    assert_eq!(other.state_hash(), world.state_hash());
}

/// Shapes in the text are checked like those of a description.
#[test]
fn bad_numbers_of_a_shape_are_refused() {
    let mut world = world_on::<DynamicBvh>();
    let core = ConvexShape::new(ball(0.3)).unwrap();
    let rounded = Shape::Rounded(Arc::new(Rounded::new(core, 0.25).unwrap()));
    world.insert(BodyDesc::fixed(rounded)).unwrap();
    let good = serde_json::to_string(&world.snapshot()).unwrap();
    for (from, to) in [("0.25]", "-0.25]"), (r#"{"radius":0.3}"#, r#"{"radius":-0.3}"#)] {
        assert_eq!(good.matches(from).count(), 1, "{good}");
        assert!(serde_json::from_str::<Snapshot>(&good.replace(from, to)).is_err());
    }
    let not_convex =
        good.replace(r#"{"Sphere":{"radius":0.3}}"#, r#"{"HalfSpace":{"normal":[0.0,1.0,0.0]}}"#);
    assert!(serde_json::from_str::<Snapshot>(&good).is_ok() && not_convex != good);
    let error = serde_json::from_str::<Snapshot>(&not_convex).unwrap_err().to_string();
    assert!(error.contains("not convex"), "{error}");
}
