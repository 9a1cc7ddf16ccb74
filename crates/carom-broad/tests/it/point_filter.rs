//! Counts the tests of oriented boxes that `PointFilter` saves, and checks the trend that its
//! reference reports.

use carom_bounds::{BoundingVolume, Obb};
use carom_broad::{BroadPhase, EveryPair, Filter, FromFinder, PointFilter};
use carom_scenes::Tetrahedra;

/// The work of all steps of a scene, without points and with them.
struct Counts {
    /// Pairs whose oriented boxes are tested.
    tested: [u64; 2],
    /// Pairs whose oriented boxes overlap.
    met: [u64; 2],
    /// Bodies restored to boxes, summed over the steps.
    restored: u64,
}

fn count(n: usize, side: f64) -> Counts {
    let outer = Obb::from_region_centers(&Tetrahedra::triangles(), 4);
    let mut scene = Tetrahedra::new(n, side, 3 + n as u64);
    let mut broad = FromFinder::with_finder(PointFilter::new(EveryPair::default()));
    let mut ids = Vec::new();
    let mut counts = Counts { tested: [0; 2], met: [0; 2], restored: 0 };
    let (mut moves, mut pairs) = (Vec::new(), Vec::new());
    for _ in 0..Tetrahedra::STEPS {
        scene.step();
        let poses: Vec<_> = scene.poses().collect();
        let boxes = poses.iter().map(|pose| outer.placed(&pose.wide()).to_aabb());
        if ids.is_empty() {
            let batch: Vec<_> = boxes.map(|aabb| (aabb, Filter::default())).collect();
            broad.insert_batch(&batch, &mut ids).unwrap();
        } else {
            moves.clear();
            moves.extend(ids.iter().copied().zip(boxes));
            broad.update(&moves).unwrap();
        }
        let meet = |a: usize, b: usize| {
            u64::from(outer.overlaps(&outer.placed(&poses[b].wide().relative_to(&poses[a].wide()))))
        };
        for a in 0..n {
            for b in a + 1..n {
                counts.tested[0] += 1;
                counts.met[0] += meet(a, b);
            }
        }
        broad.pairs(&mut pairs);
        counts.restored += broad.finder().n_restored() as u64;
        for pair in &pairs {
            counts.tested[1] += 1;
            counts.met[1] += meet(pair.a as usize, pair.b as usize);
        }
    }
    counts
}

#[test]
fn points_save_tests_and_the_more_so_in_a_larger_space() {
    let mut before = [[0; 2]; 2];
    for n in Tetrahedra::SIZES {
        let [small, large] = Tetrahedra::SIDES.map(|side| count(n, side));
        let all = (n * (n - 1) / 2 * Tetrahedra::STEPS) as u64;
        for (counts, size) in [(&small, "1,000 m3"), (&large, "8,000 m3")] {
            println!(
                "{n} bodies in {size}: {} tests of oriented boxes, {} with points ({} restored), {} meet",
                counts.tested[0], counts.tested[1], counts.restored, counts.met[0]
            );
            assert_eq!(counts.tested[0], all, "without points the space does not matter");
            assert_eq!(counts.met[0], counts.met[1], "{n} bodies in {size}: points lose no pair");
            assert!(counts.tested[1] * 20 < counts.tested[0], "{n} bodies in {size}");
        }
        // Two bodies may stay far from each other in all steps.
        if 2 < n {
            assert!(large.tested[1] * 3 < small.tested[1], "{n} bodies: fewer tests in a larger space");
            assert!(large.restored < small.restored, "{n} bodies: more stay points in a larger space");
        }
        for (counts, before) in [&small, &large].into_iter().zip(&mut before) {
            assert!(
                before[0] < counts.tested[0] && before[1] <= counts.tested[1],
                "{n} bodies: more of them, more tests"
            );
            *before = counts.tested;
        }
    }
}
