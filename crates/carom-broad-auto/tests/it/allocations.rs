//! Warm spatial queries and warm frames of every broad phase allocate nothing.

use carom_bounds::Aabb;
use carom_broad::{BoxHit, EventLog, Filter, Pair, ProxyId};
use carom_broad_auto::catalogue::{ALGORITHMS, SpatialBroadPhase, WorldHints};
use carom_math::{Interval, Ray};
use carom_scenes::{Crowd, CrowdKind, Rng};
use core::ops::ControlFlow;
use glam::Vec3;

/// Returns a broad phase with these boxes, and their handles.
fn filled(
    make: impl FnOnce(&WorldHints) -> Box<dyn SpatialBroadPhase>,
    crowd: &Crowd,
) -> (Box<dyn SpatialBroadPhase>, Vec<ProxyId>) {
    let mut broad = make(&WorldHints::of(crowd.boxes()));
    let batch: Vec<_> = crowd.boxes().iter().map(|&aabb| (aabb, Filter::default())).collect();
    let mut ids = Vec::new();
    broad.insert_batch(&batch, &mut ids).unwrap();
    (broad, ids)
}

#[test]
fn queries_allocate_nothing() {
    let crowd = Crowd::new(CrowdKind::Mixed, 3000, 1);
    let all = crowd.boxes().iter().fold(Aabb { min: Vec3::ZERO, max: Vec3::ZERO }, |all, aabb| Aabb {
        min: all.min.min(aabb.min),
        max: all.max.max(aabb.max),
    });
    let mut rng = Rng::new(2);
    let positions: Vec<Vec3> =
        (0..50).map(|_| rng.in_box(all.min.as_dvec3(), all.max.as_dvec3()).as_vec3()).collect();
    for listed in ALGORITHMS {
        let (mut broad, _) = filled(|hints| listed.make(hints), &crowd);
        broad.pairs(&mut Vec::new());
        broad.refresh();
        let mut n_found = 0;
        let mut query_all = || {
            for &position in &positions {
                let query = Aabb { min: position - 2.0, max: position + 2.0 };
                broad.visit_box(&query, &mut |_| {
                    n_found += 1;
                    ControlFlow::Continue(())
                });
                let ray = Ray { origin: position, direction: Vec3::new(0.3, 0.5, -0.8) };
                broad.visit_ray(&ray, Interval::FORWARD, &mut |hit: BoxHit| {
                    n_found += 1;
                    ControlFlow::Continue(hit.at)
                });
                broad.visit_near(position, 10.0, &mut |hit: BoxHit| {
                    n_found += 1;
                    ControlFlow::Continue(hit.at)
                });
                let mut culled = 0;
                broad.visit_culled(
                    &mut |aabb| {
                        use carom_bounds::Culling::{Inside, Intersecting, Outside};
                        if aabb.max.x < position.x {
                            Outside
                        } else if position.x <= aabb.min.x {
                            Inside
                        } else {
                            Intersecting
                        }
                    },
                    &mut |_| {
                        culled += 1;
                        ControlFlow::Continue(())
                    },
                );
                n_found += culled;
            }
        };
        query_all();
        let counted = allocation_counter::measure(&mut query_all);
        assert!(1000 < n_found, "{}: {n_found} found", listed.name);
        assert_eq!(counted.count_total, 0, "{} allocates", listed.name);
    }
}

/// Boxes move to and fro along the same path. Once all frames were run, they allocate nothing. One
/// thread is used, because rayon allocates lists of its own.
#[test]
fn frames_allocate_nothing() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        for kind in [CrowdKind::Uniform, CrowdKind::Jump] {
            for listed in ALGORITHMS {
                let mut crowd = Crowd::new(kind, 1500, 1);
                let (mut broad, ids) = filled(|hints| listed.make(hints), &crowd);
                let frames: Vec<Vec<(ProxyId, Aabb)>> = (0..10)
                    .map(|_| {
                        crowd.step();
                        crowd.moved().iter().map(|&i| (ids[i as usize], crowd.boxes()[i as usize])).collect()
                    })
                    .collect();
                let mut pairs = Vec::with_capacity(10_000);
                let mut run = || {
                    for moves in frames.iter().chain(frames.iter().rev()) {
                        broad.update(moves).unwrap();
                        broad.pairs(&mut pairs);
                    }
                };
                (0..8).for_each(|_| run());
                let counted = allocation_counter::measure(run);
                // If all boxes jump, cells are created and freed, and their tables may grow.
                let keeps_cells =
                    ["spatial-hash", "loose-octree", "loose-quadtree", "kd-octree"].contains(&listed.name);
                let most =
                    if keeps_cells && kind == CrowdKind::Jump { 2 * 2 * frames.len() as u64 } else { 0 };
                assert!(counted.count_total <= most, "{kind:?}, {}: {}", listed.name, counted.count_total);
                assert!(!pairs.is_empty());
            }
        }
    });
}

/// A caller that asks for events once, and then only for pairs.
#[test]
fn r_removals_without_reports_take_no_more_memory() {
    let mut log = EventLog::new();
    let (mut begun, mut ended) = (Vec::new(), Vec::new());
    let report = || vec![Pair::new(0, 1), Pair::new(2, 3)];
    log.report(report(), &mut begun, &mut ended);
    let kept = allocation_counter::measure(|| {
        for i in 0..100_000 {
            log.note_removed(if i == 50_000 { 3 } else { 4 + i % 100 });
        }
    });
    assert!(kept.bytes_current <= 16 * 101, "{} bytes of 101 indices", kept.bytes_current);
    begun.clear();
    log.report(report(), &mut begun, &mut ended);
    assert_eq!((begun, ended), (vec![Pair::new(2, 3)], vec![Pair::new(2, 3)]));
}
