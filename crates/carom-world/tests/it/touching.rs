//! The neighbours of one body: `BodyRef::contacts`, `BodyRef::touching`,
//! `ColliderRef::overlapping`.

use crate::of_unit_density;
use crate::scenes::{CheckedStep, DT, ball, cuboid, ground};
use carom_geom::Sphere;
use carom_math::{Pose, Vec3};
use carom_query::Shape;
use carom_testkit::conform::dice::Dice;
use carom_world::{BodyDesc, BodyId, ColliderDesc, World};
use std::time::{Duration, Instant};

/// A table on two legs touches the floor once. A lamp on its board and on both legs is touched
/// once as well.
#[test]
fn a_body_that_touches_with_several_colliders_is_named_once() {
    let mut world = World::new();
    let floor = world.insert(ground()).unwrap();
    let leg = |x: f32| {
        let leg = ColliderDesc::new(cuboid(Vec3::new(0.1, 0.5, 0.5)));
        leg.with_position(Vec3::new(x, 0.5, 0.0)).with_density(1.0)
    };
    let board = ColliderDesc::new(cuboid(Vec3::new(1.0, 0.1, 0.5)));
    let table = BodyDesc::dynamic(board.with_position(Vec3::Y * 1.1).with_density(1.0));
    let table = world.insert(table.with_collider(leg(-0.9)).with_collider(leg(0.9))).unwrap();
    let lamp = of_unit_density(cuboid(Vec3::splat(0.2))).with_position(Vec3::Y * 1.4);
    let lamp = world.insert(lamp).unwrap();
    (0..30).for_each(|_| _ = world.checked_step(DT).unwrap());
    let touching = |id: BodyId| world.body(id).unwrap().touching().collect::<Vec<_>>();
    assert_eq!(touching(table), [floor, lamp]);
    assert_eq!([touching(floor), touching(lamp)], [[table], [table]]);
    let n_legs = world.body(table).unwrap().contacts().filter(|view| view.a == floor).count();
    assert_eq!(n_legs, 2, "the contacts are those of the colliders");
    let foot = world.body(table).unwrap().colliders().nth(1).unwrap();
    assert_eq!(foot.overlapping(), [world.body(floor).unwrap().colliders().next().unwrap().id()]);
}

/// Compares the contacts of each body with those among all contacts of the world.
fn check_all(world: &World) -> usize {
    let all: Vec<_> = world.contacts().collect();
    let mut n = 0;
    let mut of_bodies = vec![Vec::new(); 1 + world.body_ids().map(|id| id.index()).max().unwrap() as usize];
    for view in &all {
        of_bodies[view.a.index() as usize].push(*view);
        of_bodies[view.b.index() as usize].push(*view);
    }
    for body in world.bodies() {
        let id = body.id();
        let wanted: Vec<_> =
            of_bodies[id.index() as usize].iter().filter(|view| view.a == id || view.b == id).collect();
        assert!(body.contacts().eq(wanted.iter().map(|view| **view)), "{id:?}");
        let mut touching: Vec<BodyId> = wanted
            .iter()
            .filter(|view| view.is_touching)
            .map(|view| if view.a == id { view.b } else { view.a })
            .collect();
        touching.sort_unstable();
        touching.dedup();
        assert!(body.touching().eq(touching), "{id:?}");
        n += wanted.len();
    }
    n
}

/// Pairs come and go, in a table with gaps: bodies fall, are inserted, removed and moved. Between
/// the questions there may be many steps or none.
#[test]
fn the_contacts_of_each_body_are_those_of_the_world() {
    let mut world = World::new();
    let mut dice = Dice::new(7);
    let late_floor = |world: &mut World| world.insert(ground().with_position(Vec3::Y * -0.5)).unwrap();
    world.insert(ground()).unwrap();
    let mut ids = Vec::new();
    let at = |dice: &mut Dice| Vec3::new(dice.range(-3.0, 3.0), dice.range(0.5, 6.0), dice.range(-3.0, 3.0));
    let desc = |dice: &mut Dice, k: usize| {
        let mut desc =
            of_unit_density(if k.is_multiple_of(2) { ball(0.3) } else { cuboid(Vec3::splat(0.25)) });
        if k.is_multiple_of(9) {
            let knob = Shape::Sphere(Sphere::new(0.2).unwrap());
            desc =
                desc.with_collider(ColliderDesc::new(knob).with_pose(Pose::from_translation(Vec3::X * 0.3)));
        }
        desc.with_position(at(dice)).with_sensor(k.is_multiple_of(31))
    };
    ids.extend((0..1200).map(|k| world.insert(desc(&mut dice, k)).unwrap()));
    late_floor(&mut world);
    let (mut n, mut n_pairs) = (0, 0);
    for step in 0..160 {
        world.step(DT).unwrap();
        if step % 4 == 0 {
            let k = (step * 37) % ids.len();
            world.remove(ids[k]).unwrap();
            if step % 8 == 0 {
                n += check_all(&world);
            }
            ids[k] = world.insert(desc(&mut dice, step)).unwrap();
            let other = ids[(step * 53 + 1) % ids.len()];
            let to = Pose::from_translation(at(&mut dice));
            world.body_mut(other).unwrap().set_pose(to).unwrap();
        }
        // For a while nobody asks, so that the world forgets its list.
        if !(40..140).contains(&step) && step % 3 == 0 {
            n += check_all(&world);
        }
        n_pairs = n_pairs.max(world.stats().n_pairs);
    }
    // From 4096 pairs on the table has gaps.
    assert!(100_000 < n && 4096 < n_pairs, "{n} contacts, {n_pairs} pairs");
}

/// The time of a question does not depend on bodies that are far away. A scan of all pairs would
/// take a hundred times as long in the larger world.
#[test]
fn the_neighbours_of_a_body_cost_the_same_in_a_larger_world() {
    let time_in = |n_others: usize| -> Duration {
        let mut world = World::new();
        world.insert(ground()).unwrap();
        for k in 0..n_others {
            let [x, z] = [k % 200, k / 200].map(|k| 3.0 + 1.0 * k as f32);
            world.insert(of_unit_density(ball(0.5)).with_position(Vec3::new(x, 0.5, z))).unwrap();
        }
        let visitor = world.insert(of_unit_density(ball(0.5)).with_position(Vec3::Y * 0.5)).unwrap();
        let last = world.insert(of_unit_density(ball(0.5)).with_position(Vec3::new(0.0, 0.5, 1.0))).unwrap();
        let mut best = Duration::MAX;
        for round in 0..8 {
            // A pair begins and ends each time, so what is known about pairs has to be updated.
            let x = if round % 2 == 0 { 1.0 } else { 1.8 };
            world
                .body_mut(visitor)
                .unwrap()
                .set_pose(Pose::from_translation(Vec3::new(x, 0.5, 1.0)))
                .unwrap();
            world.detect();
            // The first question is not timed.
            let n_near = 1 + usize::from(round % 2 == 0);
            assert_eq!(world.body(last).unwrap().touching().count(), n_near, "{round}");
            let start = Instant::now();
            let n: usize = (0..200).map(|_| world.body(last).unwrap().touching().count()).sum();
            best = best.min(start.elapsed());
            assert_eq!(n, 200 * n_near);
        }
        best
    };
    let (few, many) = (time_in(100), time_in(20_000));
    assert!(many < few * 20, "{few:?} among 100 bodies, {many:?} among 20,000");
}
