//! Compares `sort_pairs` with a comparison sort.

use carom_broad::{Pair, sort_pairs};
use carom_testkit::random::Random;

#[test]
fn pairs_are_sorted_whatever_their_number_and_that_of_the_slots() {
    let mut random = Random::new(3);
    let (mut counts, mut out) = (Vec::new(), Vec::new());
    let mut n_sorted = 0;
    for n_slots in [2, 3, 50, 1000, 9_999, 10_000, 40_000, 100_000, 300_000] {
        for pairs_per_slot in [0.0, 0.05, 0.5, 1.5, 5.0] {
            // With a floor, one box touches a large part of all others.
            for has_floor in [false, true] {
                let n = (pairs_per_slot * n_slots as f64) as usize;
                let mut pairs: Vec<Pair> = (0..n)
                    .map(|i| {
                        let a = if has_floor && i % 3 == 0 { n_slots / 4 } else { random.below(n_slots) };
                        let b = (a + 1 + random.below(n_slots - 1)) % n_slots;
                        Pair::new(a as u32, b as u32)
                    })
                    .collect();
                let low: Vec<u32> = pairs.iter().map(|pair| pair.a).collect();
                let high: Vec<u32> = pairs.iter().map(|pair| pair.b).collect();
                sort_pairs(&low, &high, n_slots, &mut counts, &mut out);
                pairs.sort_unstable();
                assert!(out == pairs, "{n} pairs of {n_slots} slots, floor {has_floor}");
                n_sorted += n;
            }
        }
    }
    assert!(1_000_000 < n_sorted);
}
