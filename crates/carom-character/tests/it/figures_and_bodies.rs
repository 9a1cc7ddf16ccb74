//! Characters and the bodies of a world that change between two calls: removed, replaced, with a
//! belt on a part, passed by others, deforming. And the events of a character.

use crate::in_world::{box_of, capsule, cuboid, floor, hero};
use carom_character::{Character, CharacterBody, CharacterSettings, OneWay, WorldSweep};
use carom_geom::TriMesh;
use carom_math::glam::{DVec3, Quat, Vec3};
use carom_math::{Pose, ops};
use carom_query::{MeshShape, Shape};
use carom_world::{
    BodyDesc, BodyId, ColliderDesc, ColliderRef, EventKind, Material, PartMaterial, QueryFilter, Response,
    World,
};
use std::sync::Arc;

pub(crate) const DT: f64 = 1.0 / 60.0;

/// Steps the world, and walks with a wish, some times.
pub(crate) fn go(world: &mut World, hero: &mut CharacterBody, wish: DVec3, n: usize) {
    for _ in 0..n {
        world.step(DT as f32).unwrap();
        hero.walk(world, wish, DT).unwrap();
    }
}

/// The ground is removed, and a new body elsewhere gets its number. Its pose carries nothing, and
/// the character falls where it is.
#[test]
fn a_ground_that_is_replaced_carries_nobody() {
    let slab = || cuboid(Vec3::new(2.0, 0.5, 2.0));
    for first in
        [BodyDesc::fixed(slab()), BodyDesc::kinematic(slab()), box_of(900.0, Vec3::new(2.0, 0.5, 2.0))]
    {
        for belt in [Vec3::ZERO, Vec3::X] {
            let mut world = World::new();
            let first = first.clone().with_gravity_scale(0.0).with_surface_velocity(belt, Vec3::ZERO);
            let ground = world.insert(first).unwrap();
            let mut hero = hero(&mut world, capsule(), DVec3::Y * 0.5);
            go(&mut world, &mut hero, DVec3::ZERO, 30);
            assert_eq!(hero.ground(), Some(ground));
            world.remove(ground).unwrap();
            let other = BodyDesc::fixed(slab()).with_position(Vec3::X * 30.0);
            let other = world.insert(other.with_surface_velocity(belt * -9.0, Vec3::ZERO)).unwrap();
            assert_eq!(other.index(), ground.index(), "the number is reused");
            world.step(DT as f32).unwrap();
            let from = hero.character().position();
            let walked = hero.walk(&mut world, DVec3::ZERO, DT).unwrap().clone();
            assert_eq!((walked.carried, walked.freed), (DVec3::ZERO, DVec3::ZERO));
            let position = hero.character().position();
            assert!((position.x - from.x).abs() < 0.02 && position.y < from.y, "{position}");
            assert_eq!((hero.ground(), hero.character().ground()), (None, None));
        }
    }
}

/// The same for a character that walks in a view of the world, without a body.
#[test]
fn a_view_knows_a_replaced_ground() {
    let mut world = World::new();
    let slab = || BodyDesc::fixed(cuboid(Vec3::new(2.0, 0.5, 2.0)));
    let ground = world.insert(slab()).unwrap();
    let position = DVec3::Y * (0.51 + capsule().stature());
    let mut character = Character::new(capsule(), CharacterSettings::default(), position).unwrap();
    for _ in 0..30 {
        character.walk(&mut WorldSweep::new(&world, QueryFilter::SOLID), DVec3::ZERO, DT);
    }
    assert!(character.ground().is_some());
    world.remove(ground).unwrap();
    world.insert(slab().with_position(Vec3::X * 30.0)).unwrap();
    let walked = character.walk(&mut WorldSweep::new(&world, QueryFilter::SOLID), DVec3::ZERO, DT);
    assert_eq!(walked.carried, DVec3::ZERO);
    assert!(character.ground().is_none() && character.position().x == 0.0);
}

/// A ground that is replaced at its position is stood on without an interruption.
#[test]
fn a_ground_that_is_replaced_at_once_is_stood_on() {
    let mut world = World::new();
    let slab = || BodyDesc::fixed(cuboid(Vec3::new(20.0, 0.5, 2.0)));
    let mut ground = world.insert(slab()).unwrap();
    let mut hero = hero(&mut world, capsule(), DVec3::Y * 0.5);
    go(&mut world, &mut hero, DVec3::ZERO, 30);
    let from = hero.character().position();
    for n in 1..=60 {
        world.remove(ground).unwrap();
        ground = world.insert(slab()).unwrap();
        go(&mut world, &mut hero, DVec3::X, 1);
        assert_eq!(hero.ground(), Some(ground), "{n}");
    }
    let displacement = hero.character().position() - from;
    assert!((displacement - DVec3::X).length() < 0.02, "{displacement}");
}

/// A dynamic body with the number of the removed ground yields as other dynamic bodies do.
#[test]
fn a_body_with_the_number_of_the_ground_pushes_nobody_out() {
    let mut world = World::new();
    let ground = world.insert(BodyDesc::fixed(cuboid(Vec3::new(2.0, 0.5, 2.0)))).unwrap();
    let mut hero = hero(&mut world, capsule(), DVec3::Y * 0.5);
    go(&mut world, &mut hero, DVec3::ZERO, 30);
    world.remove(ground).unwrap();
    let at = Vec3::new(0.7, 1.2, 0.0);
    let other = world.insert(box_of(1000.0, Vec3::splat(0.5)).with_position(at)).unwrap();
    assert_eq!(other.index(), ground.index());
    let walked = hero.walk(&mut world, DVec3::ZERO, DT).unwrap();
    assert_eq!((walked.carried, walked.freed), (DVec3::ZERO, DVec3::ZERO));
}

/// Each collider carries by its own belt, in its own frame.
#[test]
fn each_collider_carries_by_its_own_belt() {
    let strip = |z: f32, turn: f32, speed: f32| {
        let material = Material::default().with_surface_velocity(Vec3::X * speed, Vec3::ZERO);
        let at = Pose::new(Quat::from_rotation_y(turn), Vec3::new(0.0, 0.0, z));
        ColliderDesc::new(cuboid(Vec3::new(20.0, 0.5, 1.0))).with_pose(at).with_material(material)
    };
    let half_turn = std::f32::consts::PI;
    let mut world = World::new();
    let strips = BodyDesc::fixed(strip(-3.0, 0.0, 0.0)).with_collider(strip(3.0, 0.0, 1.5));
    world.insert(strips.with_collider(strip(6.0, half_turn, 1.5))).unwrap();
    for (z, speed) in [(-3.0, 0.0), (3.0, 1.5), (6.0, -1.5)] {
        let mut hero = hero(&mut world, capsule(), DVec3::new(0.0, 0.5, z));
        go(&mut world, &mut hero, DVec3::ZERO, 300);
        let position = hero.character().position();
        assert!((position.x - speed * 5.0).abs() < 0.1 && (position.z - z).abs() < 1e-3, "z {z}: {position}");
        world.remove(hero.body()).unwrap();
    }
}

/// A turntable beside the origin of its body turns about its own middle.
#[test]
fn a_turntable_turns_about_its_collider() {
    let material = Material::default().with_surface_velocity(Vec3::ZERO, Vec3::Y);
    let disc = Shape::Cylinder(carom_geom::Cylinder::new(0.25, 3.0).unwrap());
    let disc =
        ColliderDesc::new(disc).with_pose(Pose::from_translation(Vec3::X * 8.0)).with_material(material);
    let mut world = World::new();
    world.insert(BodyDesc::fixed(cuboid(Vec3::splat(0.25))).with_collider(disc)).unwrap();
    let mut hero = hero(&mut world, capsule(), DVec3::new(9.5, 0.25, 0.0));
    go(&mut world, &mut hero, DVec3::ZERO, 180);
    let arm = hero.character().position() - DVec3::X * 8.0;
    let radius = arm.x.hypot(arm.z);
    assert!((radius - 1.5).abs() < 0.03, "{radius}");
    // A turn of 3 radians about y.
    let (sin, cos) = ops::sin_cos(3.0);
    assert!((arm.x - 1.5 * cos).abs() < 0.1 && (arm.z + 1.5 * sin).abs() < 0.1, "{arm}");
}

/// A flat square of two triangles per cell, cells of one metre, and its vertices.
pub(crate) fn sheet(n: u32, height: impl Fn(u32, u32) -> f32) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let middle = 0.5 * n as f32;
    let vertex = |i: u32, j: u32| Vec3::new(i as f32 - middle, height(i, j), j as f32 - middle);
    let vertices = (0..=n).flat_map(|i| (0..=n).map(move |j| (i, j))).map(|(i, j)| vertex(i, j)).collect();
    let at = |i: u32, j: u32| i * (n + 1) + j;
    let cells = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
    let triangles = cells.flat_map(|(i, j)| {
        [[at(i, j), at(i, j + 1), at(i + 1, j + 1)], [at(i, j), at(i + 1, j + 1), at(i + 1, j)]]
    });
    (vertices, triangles.collect())
}

pub(crate) fn mesh((vertices, triangles): (Vec<Vec3>, Vec<[u32; 3]>)) -> Shape {
    Shape::Mesh(Arc::new(MeshShape::new(TriMesh::new(vertices, triangles).unwrap()).unwrap()))
}

/// Triangles of a mesh with a moving surface carry; the others do not.
#[test]
fn each_triangle_carries_by_its_own_belt() {
    let n = 20;
    let still = PartMaterial::new(Material::default());
    let moving = PartMaterial::new(Material::default().with_surface_velocity(Vec3::X, Vec3::ZERO));
    // The cells with z above 0 move.
    let parts: Vec<PartMaterial> =
        (0..2 * n * n).map(|part| if (part / 2) % n < n / 2 { still } else { moving }).collect();
    let floor = ColliderDesc::new(mesh(sheet(n, |_, _| 0.0))).with_part_materials(parts);
    let mut world = World::new();
    world.insert(BodyDesc::fixed(floor)).unwrap();
    for (z, speed) in [(-3.0, 0.0), (3.0, 1.0)] {
        let mut hero = hero(&mut world, capsule(), DVec3::new(-2.0, 0.0, z));
        go(&mut world, &mut hero, DVec3::ZERO, 300);
        let position = hero.character().position();
        assert!((position.x + 2.0 - speed * 5.0).abs() < 0.1, "z {z}: {position}");
        world.remove(hero.body()).unwrap();
    }
}

/// A belt that leads to a wall of the same body stops there.
#[test]
fn a_belt_carries_into_no_wall_of_its_body() {
    let material = Material::default().with_surface_velocity(Vec3::X * 2.0, Vec3::ZERO);
    let belt = ColliderDesc::new(cuboid(Vec3::new(20.0, 0.5, 2.0))).with_material(material);
    let wall = ColliderDesc::new(cuboid(Vec3::new(0.5, 3.0, 2.0)));
    let wall = wall.with_pose(Pose::from_translation(Vec3::X * 3.5));
    let mut world = World::new();
    world.insert(BodyDesc::fixed(belt).with_collider(wall)).unwrap();
    let mut hero = hero(&mut world, capsule(), DVec3::Y * 0.5);
    for frame in 0..240 {
        world.step(DT as f32).unwrap();
        let walked = hero.walk(&mut world, DVec3::ZERO, DT).unwrap();
        assert!(!walked.is_stuck && walked.freed == DVec3::ZERO, "{frame}: {walked:?}");
        assert!(hero.character().position().x < 2.7, "{frame}: {}", hero.character().position());
    }
    assert!(2.6 < hero.character().position().x);
}

/// A character walks through a body that passes others, and through one that passes its own body
/// alone. It stands on what its own body does not pass.
#[test]
fn a_body_that_passes_does_not_stop_a_character() {
    for of_pair in [false, true] {
        for passes in [false, true] {
            let mut world = World::new();
            world.insert(floor()).unwrap();
            let response = if passes && !of_pair { Response::Pass } else { Response::Collide };
            let ghost = BodyDesc::fixed(cuboid(Vec3::ONE)).with_position(Vec3::new(3.0, 1.0, 0.0));
            let ghost = world.insert(ghost.with_response(response)).unwrap();
            let mut hero = hero(&mut world, capsule(), DVec3::ZERO);
            if passes && of_pair {
                world.set_pair_response(hero.body(), ghost, Some(Response::Pass)).unwrap();
            }
            go(&mut world, &mut hero, DVec3::X * 2.0, 180);
            let position = hero.character().position();
            assert_eq!(passes, 5.5 < position.x, "{position}");
            assert!(passes || position.x < 1.75, "{position}");
            assert!(hero.character().ground().is_some() && hero.character().feet().y.abs() < 0.02);
        }
    }
}

/// Whether a collider is solid for a character: those of a platform from above only.
fn walk_one_way(world: &mut World, hero: &mut CharacterBody, platform: BodyId, wish: DVec3) {
    let one_way = OneWay::new(hero, DT);
    let is_solid =
        |collider: &ColliderRef<'_>| collider.body().id() != platform || one_way.is_solid(collider);
    hero.walk_where(world, wish, DT, is_solid).unwrap();
}

/// A character jumps up through a platform, lands on it, rides on it, jumps on it, and walks off.
/// Without the predicate it bumps its head.
#[test]
fn a_one_way_platform_is_jumped_through_from_below() {
    for speed in [0.0, 0.2, -0.2] {
        for is_one_way in [true, false] {
            let mut world = World::new();
            world.insert(floor()).unwrap();
            let platform = BodyDesc::kinematic(cuboid(Vec3::new(2.0, 0.1, 2.0))).with_position(Vec3::Y * 2.4);
            let platform = world.insert(platform).unwrap();
            let mut hero = hero(&mut world, capsule(), DVec3::ZERO);
            go(&mut world, &mut hero, DVec3::ZERO, 5);
            let frame = |world: &mut World, hero: &mut CharacterBody, wish: DVec3| {
                world.body_mut(platform).unwrap().set_linear_velocity(Vec3::Y * speed).unwrap();
                world.step(DT as f32).unwrap();
                if is_one_way {
                    walk_one_way(world, hero, platform, wish);
                } else {
                    hero.walk(world, wish, DT).unwrap();
                }
            };
            assert!(hero.character_mut().jump(8.0));
            (0..120).for_each(|_| frame(&mut world, &mut hero, DVec3::ZERO));
            let above = |world: &World, hero: &CharacterBody| {
                hero.character().feet().y - f64::from(world.body(platform).unwrap().position().y) - 0.1
            };
            if !is_one_way {
                assert!(above(&world, &hero) < -2.0, "it bumps its head: {}", above(&world, &hero));
                continue;
            }
            assert_eq!(hero.ground(), Some(platform), "{speed} m/s");
            assert!(above(&world, &hero).abs() < 0.01, "{speed} m/s: {}", above(&world, &hero));
            assert!(hero.character_mut().jump(3.0));
            (0..60).for_each(|_| frame(&mut world, &mut hero, DVec3::ZERO));
            assert_eq!(hero.ground(), Some(platform), "{speed} m/s, after a jump");
            (0..240).for_each(|_| frame(&mut world, &mut hero, DVec3::X));
            assert_ne!(hero.ground(), Some(platform), "{speed} m/s, beside the platform");
        }
    }
}

/// A character that is moved elsewhere leaves the velocity of its ground behind, with its body.
#[test]
fn a_moved_character_leaves_its_ground_behind() {
    let mut world = World::new();
    let lift = BodyDesc::kinematic(cuboid(Vec3::new(2.0, 0.5, 2.0))).with_linear_velocity(Vec3::X * 5.0);
    world.insert(lift).unwrap();
    let mut hero = hero(&mut world, capsule(), DVec3::Y * 0.5);
    go(&mut world, &mut hero, DVec3::ZERO, 10);
    assert!(4.9 < world.body(hero.body()).unwrap().linear_velocity().x);
    hero.set_position(&mut world, DVec3::Y * 50.0).unwrap();
    assert_eq!(world.body(hero.body()).unwrap().linear_velocity(), Vec3::ZERO);
    world.step(DT as f32).unwrap();
    assert_eq!(world.body(hero.body()).unwrap().position().x, 0.0);
}

/// A fixed body has no velocity, whatever is set.
#[test]
fn a_fixed_ground_gives_no_velocity() {
    let mut world = World::new();
    let ground = world.insert(BodyDesc::fixed(cuboid(Vec3::new(5.0, 0.5, 5.0)))).unwrap();
    world.body_mut(ground).unwrap().set_linear_velocity(Vec3::X * 3.0).unwrap();
    let mut hero = hero(&mut world, capsule(), DVec3::Y * 0.5);
    go(&mut world, &mut hero, DVec3::ZERO, 10);
    assert!(hero.character_mut().jump(3.0));
    assert_eq!(hero.character().velocity(), DVec3::Y * 3.0);
}

/// The vertices of a deforming mesh raise a character, and it follows them down.
#[test]
fn a_deforming_floor_raises_and_lowers() {
    let n = 12;
    let at = |t: f64| {
        let height = (0.5 * ops::sin_cos(2.0 * t).0) as f32;
        move |i: u32, _: u32| height + 0.05 * i as f32
    };
    let mut world = World::new();
    let ground = world.insert(BodyDesc::fixed(mesh(sheet(n, at(0.0))))).unwrap();
    let mut hero = hero(&mut world, capsule(), DVec3::Y * 0.32);
    go(&mut world, &mut hero, DVec3::ZERO, 30);
    for frame in 1..=400 {
        let t = f64::from(frame) * DT;
        world.body_mut(ground).unwrap().deform(&sheet(n, at(t)).0).unwrap();
        world.step(DT as f32).unwrap();
        let walked = hero.walk(&mut world, DVec3::ZERO, DT).unwrap();
        assert!(!walked.is_stuck, "{frame}: {walked:?}");
        let position = hero.character().position();
        let floor = 0.3 + 0.05 * position.x + 0.5 * ops::sin_cos(2.0 * t).0;
        let above = hero.character().feet().y - floor;
        assert!(hero.ground() == Some(ground) && above.abs() < 0.03, "{frame}: {above}");
        // It is raised along the normal, and lowered along the vertical.
        assert!(position.x.abs() < 0.2 && position.z.abs() < 0.05, "{frame}: {position}");
    }
}

/// The events of a world report a character: a gate that it walks through, and a box that slides
/// against it.
#[test]
fn events_report_a_character() {
    let mut world = World::new();
    world.insert(floor()).unwrap();
    let gate = BodyDesc::fixed(cuboid(Vec3::new(0.1, 1.0, 1.0))).with_position(Vec3::new(2.0, 1.0, 0.0));
    let gate = world.insert(gate.with_sensor(true)).unwrap();
    let sliding = box_of(50.0, Vec3::splat(0.5)).with_friction(0.0).with_position(Vec3::new(0.0, 0.5, -4.0));
    let sliding = world.insert(sliding.with_linear_velocity(Vec3::Z * 6.0)).unwrap();
    let mut hero = hero(&mut world, capsule(), DVec3::ZERO);
    let mut events: Vec<(BodyId, EventKind, bool)> = Vec::new();
    for frame in 0..240 {
        world.step(DT as f32).unwrap();
        for event in world.events() {
            if [event.a, event.b].contains(&hero.body()) {
                let other = if event.a == hero.body() { event.b } else { event.a };
                events.push((other, event.kind, event.is_sensor));
            }
        }
        let wish = if frame < 90 { DVec3::ZERO } else { DVec3::X * 2.0 };
        hero.walk(&mut world, wish, DT).unwrap();
    }
    let first = |event: (BodyId, EventKind, bool)| events.iter().position(|&one| one == event);
    let order = [
        first((sliding, EventKind::Began, false)),
        first((gate, EventKind::Began, true)),
        first((gate, EventKind::Ended, true)),
    ];
    assert!(order[0].is_some() && order.is_sorted_by(|a, b| a < b), "{events:?}");
}

/// Two walls of one metre close on a character, until they touch it from both sides. It is stuck
/// between them, and is not pushed out through a wall.
#[test]
fn r_closing_walls_hold_a_character() {
    for thickness in [0.05, 0.5, 1.0] {
        for speed in [0.2, 1.0, 4.0] {
            let mut world = World::new();
            world.insert(floor()).unwrap();
            for side in [-1.0, 1.0] {
                let wall = BodyDesc::kinematic(cuboid(Vec3::new(0.5 * thickness, 2.0, 3.0)));
                let wall = wall.with_position(Vec3::new(side * (1.5 + 0.5 * thickness), 2.0, 0.0));
                world.insert(wall.with_linear_velocity(Vec3::X * (-side * speed))).unwrap();
            }
            let mut hero = hero(&mut world, capsule(), DVec3::ZERO);
            let mut n_stuck = 0;
            // Until the walls are 0.2 m apart.
            for _ in 0..(1.4 / speed * 60.0) as usize {
                go(&mut world, &mut hero, DVec3::ZERO, 1);
                n_stuck += usize::from(hero.character().walked().is_stuck);
                let x = hero.character().position().x;
                assert!(x.abs() < 0.4, "{thickness} m, {speed} m/s: at {x}");
            }
            assert!(0 < n_stuck, "{thickness} m, {speed} m/s");
        }
    }
}

/// A press moves a character against a fixed wall. It is stuck between them, and passes neither,
/// thick or thin, until both are 0.2 m apart.
#[test]
fn a_press_holds_a_character() {
    for thickness in [0.1, 0.5, 1.0, 2.0] {
        for speed in [0.3_f32, 0.6, 3.0] {
            let mut world = World::new();
            world.insert(floor()).unwrap();
            let block = || cuboid(Vec3::new(0.5 * thickness, 2.0, 5.0));
            let at = |face: f32| Vec3::new(face - 0.5 * thickness, 2.0, 0.0);
            let press = world.insert(BodyDesc::kinematic(block()).with_position(at(-1.0))).unwrap();
            world.insert(BodyDesc::fixed(block()).with_position(at(1.0 + thickness))).unwrap();
            let mut hero = hero(&mut world, capsule(), DVec3::ZERO);
            let mut n_stuck = 0;
            for step in 1..=(1.8 / speed * 60.0) as usize {
                let face = -1.0 + speed * step as f32 / 60.0;
                world.body_mut(press).unwrap().move_to(Pose::from_translation(at(face))).unwrap();
                go(&mut world, &mut hero, DVec3::ZERO, 1);
                n_stuck += usize::from(hero.character().walked().is_stuck);
                let x = hero.character().position().x as f32;
                // It stands at the wall, with its radius of 0.3 m, and the press overlaps it.
                let is_between = face - 0.3 < x && x < 0.72;
                assert!(is_between, "{thickness} m, {speed} m/s: {x}, face {face}");
            }
            println!("{thickness} m, {speed} m/s: stuck in {n_stuck} steps");
            assert!(0 < n_stuck, "{thickness} m, {speed} m/s");
        }
    }
}
