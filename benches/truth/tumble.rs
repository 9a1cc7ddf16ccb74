//! Ragdolls that are thrown down stairs of every kind. Nothing may explode, and all but few come to
//! rest.

use crate::Options;
use crate::work::in_chunks;
use carom_testkit::tumble::{TumbleTally, tumble};

/// Runs all falls. Returns whether nothing exploded, and at most one fall of a hundred did not come
/// to rest.
pub(crate) fn run(options: &Options) -> bool {
    let n_falls = options.count.unwrap_or(10_000);
    let tallies = in_chunks(n_falls, options, |chunk, tally: &mut TumbleTally| {
        // Limbs have continuous collision detection in every other fall. A ragdoll falls alone, but
        // in every tenth fall six at once.
        let n_dolls = if matches!(chunk % 20, 9 | 18) { 6 } else { 1 };
        tumble(n_dolls, chunk % 2 == 1, options.seed << 40 ^ chunk, tally);
    });
    let mut all = TumbleTally::default();
    tallies.iter().for_each(|tally| all.add(tally));
    println!(
        "{} falls, {} steps: {} wrong, {} not at rest after 30 s",
        all.falls, all.steps, all.wrong, all.restless
    );
    println!(
        "at most: energy up by {:.2e} of all, above the start by {:.1e}, joints apart by {:.4} m, bent {:.3} rad too far, {:.4} m deep, {:.2} of the speed of a fall",
        all.rise, all.gain, all.gap, all.bend, all.depth, all.speed
    );
    if let Some(first) = &all.first {
        println!("the first: {first}");
    }
    all.is_right()
}
