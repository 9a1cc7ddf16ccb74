//! The contract of every spatial index: box, ray, point and view queries and batches, against a
//! scan of all boxes. Degenerate queries are among them.

use super::dice::Dice;
use carom_bounds::{Aabb, BoundingVolume, Culling, Frustum, LastPlane};
use carom_broad::{
    Answers, BoxHit, BroadPhase, BruteForce, Filter, SpatialBatch, SpatialIndex, point_box_distance,
    ray_box_entry,
};
use carom_math::{Interval, Plane, Ray};
use core::ops::ControlFlow;
use glam::Vec3;

/// Runs the whole suite. Panics at the first wrong answer.
pub fn check<B: BroadPhase + SpatialIndex + Sync>(make: impl Fn() -> B) {
    // The number of boxes, the half side of the world, their size, and whether sides are integers.
    let worlds = [
        (0, 1.0, 1.0, false),
        (1, 1.0, 1.0, false),
        (9, 3.0, 2.0, false),
        (100, 5.0, 1.0, false),
        (1000, 10.0, 1.0, false),
        (600, 4.0, 0.0, false),
        (500, 6.0, 3.0, true),
        // Squares of lengths overflow or underflow.
        (200, 1e30, 4e29, false),
        (200, 1e-30, 4e-31, false),
    ];
    for (number, (n, world, size, is_whole)) in worlds.into_iter().enumerate() {
        let random_box = |dice: &mut Dice| {
            let aabb = dice.aabb(world, size);
            if is_whole { Aabb { min: aabb.min.round(), max: aabb.max.round() } } else { aabb }
        };
        let mut dice = Dice::new(0x5ba + number as u64);
        let mut broad = make();
        let mut boxes: Vec<_> = (0..n).map(|_| random_box(&mut dice)).collect();
        if n == 1000 {
            boxes[17] = Aabb { min: Vec3::splat(-1e30), max: Vec3::splat(1e30) };
            boxes[18] = Aabb { min: Vec3::splat(-f32::MAX), max: Vec3::new(f32::MAX, -3.0, f32::MAX) };
        }
        let batch: Vec<_> = boxes.iter().map(|&aabb| (aabb, Filter::default())).collect();
        let mut ids = Vec::new();
        broad.insert_batch(&batch, &mut ids).unwrap();
        let mut live: Vec<Option<Aabb>> = boxes.into_iter().map(Some).collect();
        // Fresh, in order, with some moved, some removed, all moved.
        for stage in 0..6 {
            match stage {
                1 => broad.pairs(&mut Vec::new()),
                2 | 4 => {
                    for (id, slot) in ids.iter().zip(&mut live) {
                        if slot.is_some() && (stage == 4 || dice.one_in(40)) {
                            let aabb = random_box(&mut dice);
                            broad.update(&[(*id, aabb)]).unwrap();
                            *slot = Some(aabb);
                        }
                    }
                }
                3 => {
                    for (id, slot) in ids.iter().zip(&mut live) {
                        if dice.one_in(30) {
                            broad.remove(*id).unwrap();
                            *slot = None;
                        }
                    }
                }
                5 => broad.refresh(),
                _ => {}
            }
            run_queries(&broad, &live, world, &mut dice);
            query_views(&broad, &live, world, &mut dice);
            query_ugly_rays(&broad, &live, &mut dice);
            batches_are_the_same(&broad, world, &mut dice);
            same_as_brute_force(&broad, &live, world, &mut dice);
        }
    }
}

fn all(live: &[Option<Aabb>]) -> impl Iterator<Item = (u32, Aabb)> {
    live.iter().enumerate().filter_map(|(i, slot)| slot.map(|aabb| (i as u32, aabb)))
}

fn random_ray(world: f32, dice: &mut Dice) -> Ray {
    let mut direction = dice.point(1.0);
    for axis in 0..3 {
        if dice.one_in(5) {
            direction[axis] = 0.0;
        }
    }
    let scale = [1.0, 1e-3, 1e6, 1e-38, 1e38][dice.below(5)];
    Ray::new(dice.point(2.0 * world), direction * scale)
}

/// Checks that all hits, and the first one with a shrinking interval, equal those of a scan.
/// Returns the number of hits.
fn check_ray(index: &dyn SpatialIndex, live: &[Option<Aabb>], ray: &Ray, interval: Interval) -> usize {
    let mut hits = Vec::new();
    index.ray_hits(ray, interval, &mut hits);
    let mut expected: Vec<_> = all(live)
        .filter_map(|(index, aabb)| ray_box_entry(ray, &aabb, interval).map(|at| BoxHit { index, at }))
        .collect();
    expected.sort_by(|a, b| a.at.total_cmp(&b.at).then(a.index.cmp(&b.index)));
    assert_eq!(hits, expected, "{ray:?} {interval:?}");
    let first = index.first_hit(ray, interval);
    assert_eq!(first, expected.first().copied(), "first on {ray:?} {interval:?}");
    expected.len()
}

fn run_queries(index: &dyn SpatialIndex, live: &[Option<Aabb>], world: f32, dice: &mut Dice) {
    let mut found = Vec::new();
    for _ in 0..20 {
        let query = dice.aabb(world, world);
        index.overlapping(&query, &mut found);
        let expected: Vec<_> = all(live).filter(|(_, aabb)| aabb.overlaps(&query)).map(|(i, _)| i).collect();
        assert_eq!(found, expected, "box {query:?}");

        let ray = random_ray(world, dice);
        let interval = [Interval::FORWARD, Interval::BOTH, Interval::new(-1.0, 2.0), Interval::new(1.0, 0.0)];
        let interval = interval[dice.below(4)];
        check_ray(index, live, &ray, interval);

        let point = dice.point(2.0 * world);
        let limit = [f32::INFINITY, world, 0.0, f32::NAN][dice.below(4)];
        let nearest = all(live)
            .map(|(index, aabb)| BoxHit { index, at: point_box_distance(point, &aabb) })
            .filter(|hit| hit.at <= limit)
            .min_by(|a, b| a.at.total_cmp(&b.at).then(a.index.cmp(&b.index)));
        assert_eq!(index.nearest(point, limit), nearest, "near {point} within {limit}");
    }
    // After a break there is no further visit.
    let mut n = 0;
    let everything = Aabb { min: Vec3::splat(-f32::MAX), max: Vec3::splat(f32::MAX) };
    index.visit_box(&everything, &mut |_| {
        n += 1;
        if n == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!(n, all(live).count().min(3));
    // A query with NaN finds nothing and does not panic.
    let bad = Vec3::new(f32::NAN, 0.0, 0.0);
    index.overlapping(&Aabb { min: bad, max: Vec3::ONE }, &mut found);
    assert!(found.is_empty());
    for (origin, direction) in [(bad, Vec3::X), (Vec3::ZERO, bad), (Vec3::INFINITY, Vec3::X), (bad, bad)] {
        assert_eq!(check_ray(index, live, &Ray::new(origin, direction), Interval::BOTH), 0);
    }
    assert_eq!(index.nearest(bad, f32::INFINITY), None);
    assert_eq!(index.nearest(Vec3::INFINITY, f32::INFINITY), None);
}

/// Returns the frustum of a random camera, or six random planes.
fn random_frustum(world: f32, dice: &mut Dice) -> Frustum {
    if dice.one_in(3) {
        let mut plane = |_| {
            let normal = [dice.point(1.0), Vec3::X, Vec3::NEG_Y, Vec3::ZERO][dice.below(4)];
            Plane { normal: normal * [1.0, 1e-20, 1e20][dice.below(3)], d: -dice.range(0.0, 2.0 * world) }
        };
        return Frustum::new([0; 6].map(&mut plane)).unwrap();
    }
    let (eye, target) = (dice.point(2.0 * world), dice.point(world));
    let forward = (target - eye).try_normalize().unwrap_or(Vec3::Z);
    let right = forward.any_orthonormal_vector();
    let up = right.cross(forward);
    let (wide, high) = (dice.range(0.1, 2.0), dice.range(0.1, 1.0));
    let through = |normal: Vec3, point: Vec3| Plane { normal, d: -normal.dot(point) };
    let far = match dice.one_in(3) {
        // None.
        true => Plane { normal: Vec3::ZERO, d: 0.0 },
        false => through(forward, eye + forward * dice.range(0.1, 4.0 * world)),
    };
    let planes = [
        through(right - forward * wide, eye),
        through(-right - forward * wide, eye),
        through(up - forward * high, eye),
        through(-up - forward * high, eye),
        through(-forward, eye + forward * 0.1),
        far,
    ];
    Frustum::new(planes).unwrap()
}

/// Checks frusta, and a view of another kind: a ball. It must be tested against few boxes.
fn query_views(index: &dyn SpatialIndex, live: &[Option<Aabb>], world: f32, dice: &mut Dice) {
    let mut found = Vec::new();
    for _ in 0..12 {
        let frustum = random_frustum(world, dice);
        index.in_frustum(&frustum, &mut found);
        let is_in = |aabb: &Aabb| frustum.classify(aabb, &mut LastPlane::default()) != Culling::Outside;
        let expected: Vec<_> = all(live).filter(|(_, aabb)| is_in(aabb)).map(|(i, _)| i).collect();
        assert_eq!(found, expected, "{frustum:?}");

        let (center, radius) = (dice.point(world), dice.range(0.0, world));
        let (mut visited, mut n_queried) = (Vec::new(), 0);
        let culling = |aabb: &Aabb| {
            let far = (aabb.min - center).abs().max((aabb.max - center).abs());
            if radius < point_box_distance(center, aabb) {
                Culling::Outside
            } else if far.max_element() < 0.5 * radius {
                Culling::Inside
            } else {
                Culling::Intersecting
            }
        };
        let mut classify = |aabb: &Aabb| {
            n_queried += 1;
            culling(aabb)
        };
        index.visit_culled(&mut classify, &mut |index| {
            visited.push(index);
            ControlFlow::Continue(())
        });
        visited.sort_unstable();
        let expected: Vec<_> =
            all(live).filter(|(_, aabb)| culling(aabb) != Culling::Outside).map(|(i, _)| i).collect();
        assert_eq!(visited, expected, "ball of radius {radius} around {center}");
        assert!(n_queried <= 8 * live.len() + 64, "asked about {n_queried} boxes");
    }
    // No box is outside, and after a break there is no further visit.
    let mut n = 0;
    index.visit_culled(&mut |_| Culling::Inside, &mut |_| {
        n += 1;
        if n == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!(n, all(live).count().min(3));
}

/// Checks rays along faces and edges and through corners, and from infinity. Directions may be
/// zero, tiny or huge, and intervals empty or ending at a box.
fn query_ugly_rays(index: &dyn SpatialIndex, live: &[Option<Aabb>], dice: &mut Dice) {
    let boxes: Vec<Aabb> = all(live).map(|(_, aabb)| aabb).collect();
    let (least, most) = (f32::from_bits(1), f32::MAX);
    let lengths = [0.0, -0.0, 1.0, -1.0, least, -least, f32::MIN_POSITIVE, most, -most, 1e-30, -1e30, 0.1];
    for i in 0..60 {
        let aabb = boxes.get(dice.below(boxes.len())).copied().unwrap_or(Aabb::from_point(Vec3::ONE));
        let part = [0.0, 1.0, 0.5, -1.0, 2.0];
        let mut origin = aabb.min;
        for axis in 0..3 {
            origin[axis] += (aabb.max[axis] - aabb.min[axis]) * part[dice.below(5)];
        }
        if origin.is_finite() && dice.one_in(4) {
            origin = aabb.max;
        }
        let mut direction = Vec3::ZERO;
        for axis in 0..3 {
            direction[axis] = if i % 4 == 0 { 0.0 } else { lengths[dice.below(lengths.len())] };
        }
        if dice.one_in(10) {
            direction[dice.below(3)] = [f32::INFINITY, f32::NEG_INFINITY, f32::NAN][dice.below(3)];
        }
        let ray = Ray::new(origin, direction);
        let at = ray_box_entry(&ray, &aabb, Interval::BOTH).unwrap_or(1.0);
        let intervals = [
            Interval::FORWARD,
            Interval::BOTH,
            Interval::new(at, at),
            Interval::new(0.0, at),
            Interval::new(at, f32::INFINITY),
            Interval::new(0.0, 0.0),
            Interval::new(f32::NEG_INFINITY, -1.0),
            Interval::new(f32::NAN, 1.0),
            Interval::new(0.0, f32::NAN),
        ];
        let interval = intervals[dice.below(intervals.len())];
        let n_hits = check_ray(index, live, &ray, interval);
        let is_none =
            !direction.is_finite() || !origin.is_finite() || interval.min.is_nan() || interval.max.is_nan();
        assert!(!is_none || n_hits == 0, "{ray:?} {interval:?}");
    }
}

/// Checks that batches of any length equal single queries.
fn batches_are_the_same<I: SpatialIndex + Sync>(index: &I, world: f32, dice: &mut Dice) {
    let n = [0, 1, 5, 200][dice.below(4)];
    let boxes: Vec<_> = (0..n).map(|_| dice.aabb(world, world)).collect();
    let rays: Vec<_> = (0..n).map(|_| (random_ray(world, dice), Interval::FORWARD)).collect();
    let frusta: Vec<_> = (0..n).map(|_| random_frustum(world, dice)).collect();
    let points: Vec<_> = (0..n).map(|_| (dice.point(2.0 * world), dice.range(0.0, world))).collect();
    let (mut indices, mut hits) = (Answers::new(), Answers::new());
    let (mut one, mut one_hit) = (Vec::new(), Vec::new());
    index.overlapping_batch(&boxes, &mut indices);
    assert_eq!(indices.len(), n);
    for (query, answers) in boxes.iter().zip(indices.iter()) {
        index.overlapping(query, &mut one);
        assert_eq!(answers, one);
    }
    index.in_frustum_batch(&frusta, &mut indices);
    for (query, answers) in frusta.iter().zip(indices.iter()) {
        index.in_frustum(query, &mut one);
        assert_eq!(answers, one);
    }
    index.ray_hits_batch(&rays, &mut hits);
    for ((ray, interval), answers) in rays.iter().zip(hits.iter()) {
        index.ray_hits(ray, *interval, &mut one_hit);
        assert_eq!(answers, one_hit);
    }
    index.first_hit_batch(&rays, &mut hits);
    for ((ray, interval), answers) in rays.iter().zip(hits.iter()) {
        assert_eq!(answers, index.first_hit(ray, *interval).as_slice());
    }
    index.nearest_batch(&points, &mut hits);
    for ((point, limit), answers) in points.iter().zip(hits.iter()) {
        assert_eq!(answers, index.nearest(*point, *limit).as_slice());
    }
    assert_eq!((hits.len(), hits.of(n).len()), (n, 0));
    assert_eq!(hits.all().len(), hits.iter().map(<[BoxHit]>::len).sum::<usize>());
}

/// Checks that a structure with hierarchical bounds tests a small view against few of 20,000 boxes,
/// if nothing has changed.
pub fn few_boxes_are_tested<B: BroadPhase + SpatialIndex>(name: &str, make: impl Fn() -> B) {
    const N: usize = 20_000;
    let mut dice = Dice::new(0x5bb);
    let mut broad = make();
    let batch: Vec<_> = (0..N).map(|_| (dice.aabb(24.0, 2.0), Filter::default())).collect();
    broad.insert_batch(&batch, &mut Vec::new()).unwrap();
    broad.refresh();
    let (mut n_queried, mut n_visited) = (0, 0);
    for _ in 0..20 {
        let (eye, mut last) = (dice.point(20.0), LastPlane::default());
        let (forward, size) = (dice.point(1.0).try_normalize().unwrap_or(Vec3::X), 10.0);
        let right = forward.any_orthonormal_vector();
        let through = |normal: Vec3, point: Vec3| Plane { normal, d: -normal.dot(point) };
        let side = |normal: Vec3| through(normal - forward * 0.6, eye);
        let up = right.cross(forward);
        let ends = [through(-forward, eye), through(forward, eye + forward * size)];
        let frustum =
            Frustum::new([side(right), side(-right), side(up), side(-up), ends[0], ends[1]]).unwrap();
        let mut classify = |aabb: &Aabb| {
            n_queried += 1;
            frustum.classify(aabb, &mut last)
        };
        broad.visit_culled(&mut classify, &mut |_| {
            n_visited += 1;
            ControlFlow::Continue(())
        });
    }
    println!("{name}: asked about {n_queried} boxes, or bounds of them, for {n_visited} in {} views", 20);
    assert!(200 < n_visited && n_queried < 4 * N, "{name}: {n_queried} asked, {n_visited} visited");
}

fn same_as_brute_force(index: &dyn SpatialIndex, live: &[Option<Aabb>], world: f32, dice: &mut Dice) {
    let mut brute = BruteForce::new();
    let batch: Vec<_> =
        live.iter().map(|slot| (slot.unwrap_or(Aabb::from_point(Vec3::ZERO)), Filter::default())).collect();
    let mut ids = Vec::new();
    brute.insert_batch(&batch, &mut ids).unwrap();
    for (slot, id) in live.iter().zip(&ids) {
        if slot.is_none() {
            brute.remove(*id).unwrap();
        }
    }
    for _ in 0..10 {
        let point = dice.point(world);
        assert_eq!(index.nearest(point, world), brute.nearest(point, world));
        let (mut a, mut b) = (Vec::new(), Vec::new());
        let ray = random_ray(world, dice);
        index.ray_hits(&ray, Interval::FORWARD, &mut a);
        brute.ray_hits(&ray, Interval::FORWARD, &mut b);
        assert_eq!(a, b);
    }
}
