//! Queries to the world, against a walk over all bodies.

use crate::scenes::{CheckedStep, DT, ball, cuboid, heap, world_on};
use carom_bounds::BoundingVolume;
use carom_broad::{BroadPhase, BruteForce, SpatialIndex};
use carom_broad_tree::DynamicBvh;
use carom_math::{Interval, Pose, Quat, Ray, Vec3};
use carom_query::{
    ImpactCounters, ImpactSettings, Motion, QueryCost, Shape, TimeOfImpact, cast_ray, intersects,
    intersects_counted, motion_of, project_point,
};
use carom_testkit::conform::dice::Dice;
use carom_world::{
    Answers, BodyDesc, BodyId, BodyImpact, ColliderDesc, ColliderId, DebugDraw, DrawFlags, DrawRole,
    QueryFilter, QueryStats, World,
};

fn check<B: BroadPhase + SpatialIndex + Default>() {
    let mut world = world_on::<B>();
    heap(&mut world, 72, 4);
    let mut dice = Dice::new(9);
    let mut n_hits = 0;
    for step in 0..30 {
        world.checked_step(DT).unwrap();
        let bodies: Vec<BodyId> = world.body_ids().collect();
        for _ in 0..10 {
            let origin = Vec3::Y * 4.0 + dice.point(8.0);
            let ray = Ray::new(origin, dice.point(1.0));
            let mut best: Option<(f32, BodyId)> = None;
            for &id in &bodies {
                let hit = cast_ray(
                    world.body(id).unwrap().shape(),
                    &world.body(id).unwrap().pose(),
                    &ray,
                    Interval::FORWARD,
                );
                if let Some(hit) = hit.filter(|hit| best.is_none_or(|b| (hit.t, id) < b)) {
                    best = Some((hit.t, id));
                }
            }
            let found = world.query(&QueryFilter::SOLID).cast_ray(&ray, Interval::FORWARD);
            assert_eq!(found.map(|f| (f.hit.t, f.body)), best, "step {step}, {ray:?}");
            n_hits += usize::from(best.is_some());
            let mut query = world.query(&QueryFilter::SOLID);
            let all = query.cast_ray_all(&ray, Interval::FORWARD);
            assert_eq!(all.first().map(|f| (f.hit.t, f.body)), best);
            assert!(all.is_sorted_by(|a, b| a.hit.t <= b.hit.t));

            let point = Vec3::Y * 3.0 + dice.point(5.0);
            let mut nearest: Option<(f32, BodyId)> = None;
            for &id in &bodies {
                let near =
                    project_point(world.body(id).unwrap().shape(), &world.body(id).unwrap().pose(), point);
                if let Some(near) = near.filter(|p| nearest.is_none_or(|n| (p.distance, id) < n)) {
                    nearest = Some((near.distance, id));
                }
            }
            let found = world.query(&QueryFilter::SOLID).nearest(point, f32::INFINITY);
            assert_eq!(found.map(|f| (f.projection.distance, f.body)), nearest, "step {step}, {point}");

            let (shape, pose) = (cuboid(Vec3::splat(0.7)), Pose::from_translation(point));
            let mut query = world.query(&QueryFilter::SOLID);
            let overlapping: Vec<BodyId> =
                query.overlap_shape(&shape, &pose).iter().map(|collider| collider.body()).collect();
            let expected: Vec<BodyId> = bodies
                .iter()
                .copied()
                .filter(|&id| {
                    intersects(
                        &shape,
                        &pose,
                        world.body(id).unwrap().shape(),
                        &world.body(id).unwrap().pose(),
                    )
                })
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

/// Returns the answer to a cast, found by a loop over all bodies.
fn first_of_all<B: BroadPhase>(
    world: &World<B>,
    shape: &Shape,
    motion: &Motion,
    settings: &ImpactSettings,
) -> Option<(f64, BodyId, TimeOfImpact)> {
    let mut best: Option<(f64, BodyId, TimeOfImpact)> = None;
    for id in world.body_ids() {
        let pose = world.body(id).unwrap().pose();
        let still = Motion::fixed(pose.rotation.as_dquat(), pose.translation.as_dvec3()).unwrap();
        let time = carom_query::cast(shape, motion, world.body(id).unwrap().shape(), &still, settings);
        let until = time.safe_until(f64::INFINITY);
        if until < f64::INFINITY && best.is_none_or(|(t, body, _)| (until, id) < (t, body)) {
            best = Some((until, id, time));
        }
    }
    best
}

fn check_casts<B: BroadPhase + SpatialIndex + Sync + Default>() -> [usize; 3] {
    let mut world = world_on::<B>();
    heap(&mut world, 72, 4);
    let mut dice = Dice::new(11);
    let (small, long) = (cuboid(Vec3::splat(0.2)), cuboid(Vec3::new(0.05, 1.2, 0.3)));
    let (mut n_hits, mut n_clear, mut n_turned) = (0, 0, 0);
    for step in 0..12 {
        world.checked_step(DT).unwrap();
        let mut casts: Vec<(&Shape, Motion)> = Vec::new();
        for k in 0..20 {
            let at = Pose::new(Quat::from_scaled_axis(dice.point(2.0)), Vec3::Y * 4.0 + dice.point(7.0));
            let turn = if k % 2 == 0 { Vec3::ZERO } else { dice.point(3.0) };
            // Now and then far from the origin, and about a point that is not the middle.
            let center = if k % 5 == 0 { dice.point(2.0) } else { Vec3::ZERO };
            let motion =
                motion_of(&at, center, dice.point(if k % 3 == 0 { 12.0 } else { 2.0 }), turn).unwrap();
            casts.push((if k % 4 == 0 { &long } else { &small }, motion));
        }
        let times = if step % 2 == 0 { (0.0, 1.0) } else { (0.25, 0.75) };
        let settings = ImpactSettings::default().with_target_distance(1e-3).with_times(times.0, times.1);
        let mut singles = Vec::new();
        for (shape, motion) in &casts {
            let found = world.query(&QueryFilter::SOLID).cast_motion(shape, motion, &settings);
            let best = first_of_all(&world, shape, motion, &settings);
            assert_eq!(found.map(|f| (f.safe_until(), f.body, f.time)), best, "step {step}, {motion:?}");
            n_hits += usize::from(best.is_some());
            n_clear += usize::from(best.is_none());
            n_turned += usize::from(best.is_some() && motion.angular().length() > 0.0);
            singles.push(found);
        }
        let mut batch = Answers::new();
        world.query(&QueryFilter::SOLID).cast_motion_batch(&casts, &settings, &mut batch);
        assert!(batch.iter().map(|found| found.first().copied()).eq(singles));
    }
    [n_hits, n_clear, n_turned]
}

#[test]
fn casts_are_like_a_walk_over_all() {
    for [n_hits, n_clear, n_turned] in [check_casts::<DynamicBvh>(), check_casts::<BruteForce>()] {
        println!("{n_hits} casts meet a body, {n_turned} of them turning; {n_clear} meet none");
        assert!(50 < n_hits && 30 < n_clear && 25 < n_turned);
    }
}

/// A ball leaves the floor that it touches, and meets a wall or the ceiling later.
#[test]
fn casts_leave_the_contact_they_start_in() {
    let mut world = World::new();
    let mut insert =
        |half: Vec3, at: Vec3| world.insert(BodyDesc::fixed(cuboid(half)).with_position(at)).unwrap();
    let floor = insert(Vec3::new(9.0, 1.0, 9.0), Vec3::ZERO);
    let wall = insert(Vec3::new(0.5, 3.0, 9.0), Vec3::new(4.0, 3.0, 0.0));
    let ceiling = insert(Vec3::new(9.0, 0.5, 9.0), Vec3::Y * 5.0);
    for height in [1.499, 1.5, 1.2] {
        let cast = |by: Vec3, stops: bool| {
            let start = Pose::from_translation(Vec3::Y * height);
            let way = motion_of(&start, Vec3::ZERO, by, Vec3::ZERO).unwrap();
            let settings = ImpactSettings::default().with_stop_at_penetration(stops);
            world.query(&QueryFilter::SOLID).cast_motion(&ball(0.5), &way, &settings)
        };
        for (by, body, time) in [
            (Vec3::X * 6.0, wall, 0.5),
            (Vec3::Y * 8.0, ceiling, (4.0 - f64::from(height)) / 8.0),
            (Vec3::new(6.0, -0.5, 0.0), floor, 0.0),
            (Vec3::NEG_Y, floor, 0.0),
        ] {
            let found = cast(by, false).unwrap();
            assert_eq!(found.body, body, "{height} {by}");
            assert!((found.safe_until() - time).abs() < 1e-3, "{height} {by}: {found:?}");
            if height < 1.5 {
                assert_eq!(cast(by, true).unwrap().body, floor, "{height} {by}");
            }
        }
        assert_eq!(cast(Vec3::X, false), None);
        assert_eq!(cast(Vec3::Y, false), None);
    }
}

/// A shape that starts in a body, one that has no time, one that slides along a floor, and ways to
/// the end of the numbers.
#[test]
fn odd_casts() {
    let mut world = World::new();
    let floor = world.insert(BodyDesc::fixed(cuboid(Vec3::new(9.0, 1.0, 9.0)))).unwrap();
    let far = world.insert(BodyDesc::fixed(ball(1.0)).with_position(Vec3::new(3e9, 5.0, 0.0))).unwrap();
    let body = ball(0.5);
    let near = ImpactSettings::default().with_target_distance(1e-3);
    let cast = |at: Vec3, by: Vec3, settings: &ImpactSettings| -> Option<BodyImpact> {
        let way = motion_of(&Pose::from_translation(at), Vec3::ZERO, by, Vec3::ZERO).unwrap();
        world.query(&QueryFilter::SOLID).cast_motion(&body, &way, settings)
    };
    let inside = cast(Vec3::ZERO, Vec3::Y, &near).unwrap();
    assert_eq!((inside.body, inside.safe_until()), (floor, 0.0));
    assert_eq!(cast(Vec3::Y * 3.0, Vec3::NEG_Y * 9.0, &near.with_times(0.0, 0.0)), None);
    let later = cast(Vec3::Y * 3.0, Vec3::NEG_Y * 3.0, &near.with_times(0.4, 1.0)).unwrap();
    assert!((later.safe_until() - 0.5).abs() < 1e-3, "{later:?}");
    // Along the floor at the height at which it only touches: the path is not reported as free.
    let sliding = cast(Vec3::Y * 1.5, Vec3::X, &ImpactSettings::default());
    assert!(sliding.is_none_or(|found| found.body == floor));
    assert!(cast(Vec3::Y * 1.5005, Vec3::X, &near).is_some());
    assert_eq!(cast(Vec3::Y * 1.6, Vec3::X, &near), None);
    let away = cast(Vec3::Y * 5.0, Vec3::X * 1e9, &near.with_max_time(10.0));
    assert_eq!(away.map(|found| found.body), Some(far));
    assert_eq!(cast(Vec3::Y * 5.0, Vec3::ZERO, &near.with_max_time(1e30)), None);
}

#[test]
fn batches_are_like_questions_one_by_one_on_any_threads() {
    let mut world = World::new();
    heap(&mut world, 90, 6);
    for _ in 0..40 {
        world.checked_step(DT).unwrap();
    }
    let mut dice = Dice::new(12);
    let shape = cuboid(Vec3::splat(0.4));
    let rays: Vec<(Ray, Interval)> = (0..300)
        .map(|_| (Ray::new(Vec3::Y * 4.0 + dice.point(8.0), dice.point(1.0)), Interval::FORWARD))
        .collect();
    let points: Vec<(Vec3, f32)> = (0..300).map(|k| (dice.point(6.0), 0.02 * k as f32)).collect();
    let places: Vec<(&Shape, Pose)> = points
        .iter()
        .map(|(at, _)| (&shape, Pose::new(Quat::from_scaled_axis(dice.point(2.0)), *at)))
        .collect();
    let wanted = |collider: ColliderId| !collider.body().index().is_multiple_of(3);
    let filter = QueryFilter::ALL.with_predicate(&wanted);
    for n_threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
        let (mut hits, mut all, mut near, mut touching) =
            (Answers::new(), Answers::new(), Answers::new(), Answers::new());
        pool.install(|| {
            let query = world.query(&filter);
            query.cast_ray_batch(&rays, &mut hits);
            query.cast_ray_all_batch(&rays, &mut all);
            query.nearest_batch(&points, &mut near);
            query.overlap_shape_batch(&places, &mut touching);
        });
        assert_eq!((hits.len(), all.len(), near.len(), touching.len()), (300, 300, 300, 300));
        let mut query = world.query(&filter);
        for k in 0..300 {
            assert_eq!(hits.of(k).first().copied(), query.cast_ray(&rays[k].0, rays[k].1));
            assert_eq!(all.of(k), query.cast_ray_all(&rays[k].0, rays[k].1));
            assert_eq!(near.of(k).first().copied(), query.nearest(points[k].0, points[k].1));
            assert_eq!(touching.of(k), query.overlap_shape(places[k].0, &places[k].1));
        }
        assert!(100 < hits.all().len() && 100 < near.all().len() && 100 < touching.all().len());
    }
    let mut none: Answers<ColliderId> = Answers::new();
    world.query(&filter).overlap_shape_batch(&[], &mut none);
    assert!(none.is_empty());
}

/// Threads query a world at once, and it goes to another thread.
#[test]
fn threads_query_one_world() {
    let mut world = World::new();
    heap(&mut world, 20, 6);
    world.checked_step(DT).unwrap();
    let ray = Ray::new(Vec3::Y * 20.0, Vec3::NEG_Y);
    let alone = world.query(&QueryFilter::ALL).cast_ray(&ray, Interval::FORWARD);
    assert!(alone.is_some());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let found = world.query(&QueryFilter::ALL).cast_ray(&ray, Interval::FORWARD);
                assert_eq!(found, alone);
            });
        }
    });
    let hash = world.state_hash();
    assert_eq!(std::thread::spawn(move || world.state_hash()).join().unwrap(), hash);
}

#[test]
fn unwanted_bodies_are_left_out() {
    let mut world = World::new();
    let near = world.insert(carom_world::BodyDesc::fixed(ball(0.5))).unwrap();
    let far = world.insert(carom_world::BodyDesc::fixed(ball(0.5)).with_position(Vec3::X * 3.0)).unwrap();
    let ray = Ray::new(Vec3::X * -3.0, Vec3::X);
    let (without, all) = ([near], [near, far]);
    let hit = |filter: QueryFilter<'_>| world.query(&filter).cast_ray(&ray, 100.0).map(|hit| hit.body);
    assert_eq!(hit(QueryFilter::SOLID), Some(near));
    assert_eq!(hit(QueryFilter::SOLID.without(&without)), Some(far));
    assert_eq!(hit(QueryFilter::SOLID.without(&all)), None);
    let filter = QueryFilter::FIXED.without(&without);
    let mut query = world.query(&filter);
    assert_eq!(query.nearest(Vec3::ZERO, 9.0).map(|near| near.body), Some(far));
    assert_eq!(query.nearest(Vec3::ZERO, 1.0).map(|near| near.body), None);
    let nan = Vec3::splat(f32::NAN);
    assert!(query.cast_ray(&Ray::new(nan, Vec3::X), Interval::FORWARD).is_none());
    assert!(world.query(&QueryFilter::SOLID).nearest(nan, 9.0).is_none());
    let mut query = world.query(&QueryFilter::SOLID);
    assert!(query.overlap_shape(&ball(1.0), &Pose::from_translation(nan)).is_empty());
    let settings = ImpactSettings::default();
    assert!(query.cast_shape(&ball(1.0), &Pose::IDENTITY, nan, &settings).is_none());
    let met =
        query.cast_shape(&ball(0.5), &Pose::from_translation(Vec3::Y * 3.0), Vec3::NEG_Y * 4.0, &settings);
    assert!(met.is_some_and(|met| met.body == near && (met.safe_until() - 0.5).abs() < 1e-6));
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
        world.checked_step(DT).unwrap();
    }
    let mut count = Count::default();
    world.debug_draw(&mut count, DrawFlags::all());
    let n = |role: DrawRole| count.0.iter().filter(|&&r| r == role).count();
    assert_eq!(n(DrawRole::StaticBox), 5 * 12);
    assert_eq!(n(DrawRole::AxisX), world.len());
    assert_eq!(n(DrawRole::Joint), 2 * world.joints().count());
    assert!(20 < n(DrawRole::Contact) && 20 < n(DrawRole::Normal));
}

/// The candidates are those whose boxes meet the query, and the cost is that of testing each.
#[test]
fn a_query_counts_its_work() {
    let mut world = world_on::<DynamicBvh>();
    heap(&mut world, 72, 4);
    (0..30).for_each(|_| _ = world.checked_step(DT).unwrap());
    let (shape, pose) = (cuboid(Vec3::new(2.5, 1.5, 2.5)), Pose::from_translation(Vec3::Y * 1.5));
    let (mut n, mut expected) = (0, QueryCost::default());
    for body in world.bodies().filter(|body| body.aabb().overlaps(&shape.aabb(&pose))) {
        n += 1;
        intersects_counted(&shape, &pose, body.shape(), &body.pose(), &mut expected);
    }
    assert!(10 < n && n < world.len() as u64, "{n}");
    let mut query = world.query(&QueryFilter::SOLID);
    assert_eq!(*query.stats(), QueryStats::default());
    let n_found = query.overlap_shape(&shape, &pose).len() as u64;
    let once = *query.stats();
    assert_eq!((once.n_bodies, once.n_shapes, once.cost), (n, n, expected));
    assert!(0 < n_found && n_found <= n && once.cast_cost == ImpactCounters::default());
    // Calls add up.
    query.overlap_shape(&shape, &pose);
    assert_eq!([query.stats().n_bodies, query.stats().cost.pair_tests], [2 * n, 2 * expected.pair_tests]);
    // A filter rejects bodies after the broad phase.
    let mut query = world.query(&QueryFilter::FIXED);
    query.overlap_shape(&shape, &pose);
    assert_eq!([query.stats().n_bodies, query.stats().n_shapes], [n, 1]);

    // The first hit ends the search.
    let mut ray = world.query(&QueryFilter::SOLID);
    assert!(ray.cast_ray(&Ray::new(Vec3::Y * 20.0, Vec3::NEG_Y), Interval::FORWARD).is_some());
    let first = *ray.stats();
    assert!(ray.cast_ray_all(&Ray::new(Vec3::Y * 20.0, Vec3::NEG_Y), Interval::FORWARD).len() > 2);
    let all = *ray.stats();
    assert!(first.n_bodies < all.n_bodies - first.n_bodies, "{first:?}, {all:?}");
    assert!(0 < first.cost.pair_tests && first.cost.pair_tests < all.cost.pair_tests);

    let mut near = world.query(&QueryFilter::SOLID);
    assert!(near.nearest(Vec3::Y * 30.0, 0.01).is_none());
    assert!(near.nearest(Vec3::Y, 9.0).is_some() && 0 < near.stats().cost.pair_tests);

    // Casts have counters of their own.
    let mut cast = world.query(&QueryFilter::SOLID);
    let from = Pose::from_translation(Vec3::Y * 20.0);
    assert!(cast.cast_shape(&ball(0.3), &from, Vec3::Y * -30.0, &ImpactSettings::default()).is_some());
    let stats = *cast.stats();
    assert!(0 < stats.n_shapes && stats.n_shapes <= stats.n_bodies && stats.cost == QueryCost::default());
    assert!(0 < stats.cast_cost.searches);
}

/// A body of several colliders is one shape, unless the filter takes some of them only.
#[test]
fn colliders_are_counted_as_one_shape_or_each() {
    let mut world = world_on::<DynamicBvh>();
    let aside = |x: f32| ColliderDesc::new(ball(0.5)).with_position(Vec3::X * x);
    let three = BodyDesc::fixed(ball(0.5)).with_collider(aside(2.0)).with_collider(aside(4.0));
    let body = world.insert(three).unwrap();
    let last = world.body(body).unwrap().colliders().last().unwrap().id();
    let ray = Ray::new(Vec3::X * -5.0, Vec3::X);
    let count = |filter: &QueryFilter| {
        let mut query = world.query(filter);
        assert!(query.cast_ray(&ray, Interval::FORWARD).is_some());
        [query.stats().n_bodies, query.stats().n_shapes]
    };
    assert_eq!(count(&QueryFilter::SOLID), [1, 1]);
    assert_eq!(count(&QueryFilter::SOLID.without_colliders(&[last])), [1, 2]);
}
