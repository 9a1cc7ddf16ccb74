//! Queries to the world, against a walk over all bodies.

use crate::scenes::{DT, ball, cuboid, heap, world_on};
use carom_broad::{BroadPhase, BruteForce, SpatialIndex};
use carom_broad_tree::DynamicBvh;
use carom_math::{Interval, Pose, Ray, Vec3};
use carom_query::{intersects, project_point, ray_cast};
use carom_testkit::conform::dice::Dice;
use carom_world::{BodyId, DebugDraw, DrawFlags, DrawRole, World};

fn check<B: BroadPhase + SpatialIndex + Default>() {
    let mut world = world_on::<B>();
    heap(&mut world, 72, 4);
    let mut dice = Dice::new(9);
    let mut n_hits = 0;
    for step in 0..30 {
        world.step(DT).unwrap();
        let bodies: Vec<BodyId> = world.body_ids().collect();
        for _ in 0..10 {
            let origin = Vec3::Y * 4.0 + dice.point(8.0);
            let ray = Ray::new(origin, dice.point(1.0));
            let mut best: Option<(f32, BodyId)> = None;
            for &id in &bodies {
                let hit =
                    ray_cast(world.shape(id).unwrap(), &world.pose(id).unwrap(), &ray, Interval::FORWARD);
                if let Some(hit) = hit.filter(|hit| best.is_none_or(|b| (hit.t, id) < b)) {
                    best = Some((hit.t, id));
                }
            }
            let found = world.ray_cast(&ray, Interval::FORWARD, &|_| true);
            assert_eq!(found.map(|f| (f.hit.t, f.body)), best, "step {step}, {ray:?}");
            n_hits += usize::from(best.is_some());
            let mut all = Vec::new();
            world.ray_cast_all(&ray, Interval::FORWARD, &mut all);
            assert_eq!(all.first().map(|f| (f.hit.t, f.body)), best);
            assert!(all.is_sorted_by(|a, b| a.hit.t <= b.hit.t));

            let point = Vec3::Y * 3.0 + dice.point(5.0);
            let mut nearest: Option<(f32, BodyId)> = None;
            for &id in &bodies {
                let near = project_point(world.shape(id).unwrap(), &world.pose(id).unwrap(), point);
                if let Some(near) = near.filter(|p| nearest.is_none_or(|n| (p.distance, id) < n)) {
                    nearest = Some((near.distance, id));
                }
            }
            let found = world.nearest(point, f32::INFINITY, &|_| true);
            assert_eq!(found.map(|f| (f.projection.distance, f.body)), nearest, "step {step}, {point}");

            let (shape, pose) = (cuboid(Vec3::splat(0.7)), Pose::from_translation(point));
            let mut overlapping = Vec::new();
            world.overlapping(&shape, &pose, &mut overlapping);
            let expected: Vec<BodyId> = bodies
                .iter()
                .copied()
                .filter(|&id| intersects(&shape, &pose, world.shape(id).unwrap(), &world.pose(id).unwrap()))
                .collect();
            assert_eq!(overlapping, expected, "step {step}, {point}");
        }
    }
    assert!(200 < n_hits);
}

#[test]
fn like_a_walk_over_all() {
    check::<DynamicBvh>();
    check::<BruteForce>();
}

#[test]
fn unwanted_bodies_are_left_out() {
    let mut world = World::new();
    let near = world.insert(carom_world::BodyDesc::fixed(ball(0.5))).unwrap();
    let far = world.insert(carom_world::BodyDesc::fixed(ball(0.5)).with_position(Vec3::X * 3.0)).unwrap();
    let ray = Ray::new(Vec3::X * -3.0, Vec3::X);
    let hit =
        |wanted: &dyn Fn(BodyId) -> bool| world.ray_cast(&ray, Interval::FORWARD, wanted).map(|h| h.body);
    assert_eq!(hit(&|_| true), Some(near));
    assert_eq!(hit(&|id| id != near), Some(far));
    assert_eq!(hit(&|_| false), None);
    assert_eq!(world.nearest(Vec3::ZERO, 9.0, &|id| id == far).map(|n| n.body), Some(far));
    assert_eq!(world.nearest(Vec3::ZERO, 1.0, &|id| id == far).map(|n| n.body), None);
    let nan = Vec3::splat(f32::NAN);
    assert!(world.ray_cast(&Ray::new(nan, Vec3::X), Interval::FORWARD, &|_| true).is_none());
    assert!(world.nearest(nan, 9.0, &|_| true).is_none());
    let mut out = vec![near];
    world.overlapping(&ball(1.0), &Pose::from_translation(nan), &mut out);
    assert!(out.is_empty());
}

#[test]
fn everything_is_drawn() {
    #[derive(Default)]
    struct Count(Vec<DrawRole>);
    impl DebugDraw for Count {
        fn line(&mut self, from: Vec3, to: Vec3, role: DrawRole) {
            assert!(!from.is_nan() && !to.is_nan());
            self.0.push(role);
        }
        fn point(&mut self, at: Vec3, role: DrawRole) {
            assert!(at.is_finite());
            self.0.push(role);
        }
    }
    let mut world = world_on::<DynamicBvh>();
    heap(&mut world, 36, 2);
    for _ in 0..60 {
        world.step(DT).unwrap();
    }
    let mut count = Count::default();
    world.debug_draw(&mut count, DrawFlags::all());
    let n = |role: DrawRole| count.0.iter().filter(|&&r| r == role).count();
    assert_eq!(n(DrawRole::StaticBox), 5 * 12);
    assert_eq!(n(DrawRole::AxisX), world.len());
    assert_eq!(n(DrawRole::Joint), 2 * world.joint_list().len());
    assert!(20 < n(DrawRole::Contact) && 20 < n(DrawRole::Normal));
}
