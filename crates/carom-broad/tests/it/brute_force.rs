//! `BruteForce` passes the suites, and makes no test between static boxes.

use carom_bounds::Aabb;
use carom_broad::{BroadPhase, BruteForce, Filter, Mobility};
use carom_testkit::conform;
use glam::Vec3;

#[test]
fn conforms_to_broad_phase() {
    conform::broad_phase::check(BruteForce::new);
}

#[test]
fn conforms_to_spatial_index() {
    conform::spatial_index::check(BruteForce::new);
}

#[test]
fn batches_on_one_two_and_seven_threads() {
    conform::threads::check_batches("brute force", BruteForce::new);
}

#[test]
fn static_boxes_are_never_tested_against_each_other() {
    let everywhere = Aabb::new(Vec3::splat(-1.0), Vec3::splat(1.0)).expect("a sound box");
    for (n, m) in [(0_u64, 0_u64), (0, 1), (0, 40), (1, 0), (1, 40), (2, 1), (30, 0), (30, 70)] {
        let mut broad = BruteForce::new();
        // Both kinds alternate, so neither has contiguous slots.
        for k in 0..n.max(m) {
            for (count, mobility) in [(m, Mobility::Fixed), (n, Mobility::Dynamic)] {
                if k < count {
                    broad.insert(everywhere, Filter::new(mobility)).expect("a sound box");
                }
            }
        }
        let mut pairs = Vec::new();
        broad.pairs(&mut pairs);
        let expected = n * m + n * n.saturating_sub(1) / 2;
        assert_eq!(broad.counters().tests, expected, "{n} that move, {m} static");
        assert_eq!(pairs.len() as u64, expected, "{n} that move, {m} static");
    }
}
