//! What every set of boxes must answer: boxes, rays and points, against a walk over all.

use super::dice::Dice;
use carom_bounds::{Aabb, BoundingVolume};
use carom_broad::{BoxHit, BroadPhase, BruteForce, Filter, SpatialIndex, point_box_distance, ray_box_entry};
use carom_math::{Interval, Ray};
use core::ops::ControlFlow;
use glam::Vec3;

/// Runs the whole suite. Panics where the structure is wrong.
pub fn check<B: BroadPhase + SpatialIndex>(make: impl Fn() -> B) {
    for (number, (n, world, size)) in
        [(0, 1.0, 1.0), (1, 1.0, 1.0), (9, 3.0, 2.0), (100, 5.0, 1.0), (1000, 10.0, 1.0), (600, 4.0, 0.0)]
            .into_iter()
            .enumerate()
    {
        let mut dice = Dice::new(0x5ba + number as u64);
        let mut broad = make();
        let mut boxes: Vec<_> = (0..n).map(|_| dice.aabb(world, size)).collect();
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
                            let aabb = dice.aabb(world, size);
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
            ask(&broad, &live, world, &mut dice);
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

fn ask(index: &dyn SpatialIndex, live: &[Option<Aabb>], world: f32, dice: &mut Dice) {
    let mut found = Vec::new();
    let mut hits = Vec::new();
    for _ in 0..20 {
        let query = dice.aabb(world, world);
        index.overlapping(&query, &mut found);
        let expected: Vec<_> = all(live).filter(|(_, aabb)| aabb.overlaps(&query)).map(|(i, _)| i).collect();
        assert_eq!(found, expected, "box {query:?}");

        let ray = random_ray(world, dice);
        let interval = [Interval::FORWARD, Interval::BOTH, Interval::new(-1.0, 2.0), Interval::new(1.0, 0.0)];
        let interval = interval[dice.below(4)];
        index.ray_hits(&ray, interval, &mut hits);
        let mut expected: Vec<_> = all(live)
            .filter_map(|(index, aabb)| ray_box_entry(&ray, &aabb, interval).map(|at| BoxHit { index, at }))
            .collect();
        expected.sort_by(|a, b| a.at.total_cmp(&b.at).then(a.index.cmp(&b.index)));
        assert_eq!(hits, expected, "{ray:?} {interval:?}");

        // The closest, the interval shrinking on the way.
        let mut closest: Option<BoxHit> = None;
        index.visit_ray(&ray, interval, &mut |hit| {
            if closest.is_none_or(|best| (hit.at, hit.index) < (best.at, best.index)) {
                closest = Some(hit);
            }
            ControlFlow::Continue(closest.map_or(interval.max, |best| best.at))
        });
        assert_eq!(closest, expected.first().copied(), "closest on {ray:?} {interval:?}");

        let point = dice.point(2.0 * world);
        let limit = [f32::INFINITY, world, 0.0, f32::NAN][dice.below(4)];
        let nearest = all(live)
            .map(|(index, aabb)| BoxHit { index, at: point_box_distance(point, &aabb) })
            .filter(|hit| hit.at <= limit)
            .min_by(|a, b| a.at.total_cmp(&b.at).then(a.index.cmp(&b.index)));
        assert_eq!(index.nearest(point, limit), nearest, "near {point} within {limit}");
    }
    // Breaking off means no further visit.
    let mut n = 0;
    let everything = Aabb { min: Vec3::splat(-f32::MAX), max: Vec3::splat(f32::MAX) };
    index.visit_box(&everything, &mut |_| {
        n += 1;
        if n == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!(n, all(live).count().min(3));
    // Nothing is found with NaN, and nothing goes wrong.
    let bad = Vec3::new(f32::NAN, 0.0, 0.0);
    index.overlapping(&Aabb { min: bad, max: Vec3::ONE }, &mut found);
    assert!(found.is_empty());
    for (origin, direction) in [(bad, Vec3::X), (Vec3::ZERO, bad), (Vec3::INFINITY, Vec3::X), (bad, bad)] {
        index.ray_hits(&Ray::new(origin, direction), Interval::BOTH, &mut hits);
        assert!(hits.is_empty());
    }
    assert_eq!(index.nearest(bad, f32::INFINITY), None);
    assert_eq!(index.nearest(Vec3::INFINITY, f32::INFINITY), None);
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
