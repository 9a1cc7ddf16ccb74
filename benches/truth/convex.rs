//! Pairs of convex shapes in both precisions against proofs. The distance or the depth lies between
//! proved bounds: from a separating direction, and from points of both shapes.
//!
//! For each query, and separately for polytopes and round shapes, the table has the number of
//! answers, for bodies apart and together. It counts wrong signs, other wrong answers, and answers
//! without a value or with a bound only. It shows the largest errors relative to the size.

use crate::{Options, work};
use carom_testkit::convex_pairs::{Row, Tally};
use carom_testkit::random::Random;
use std::time::Instant;

/// The number of pairs in one chunk of the work, all of one precision.
const CHUNK: u64 = 1 << 11;

/// Runs all pairs. Returns whether no answer was wrong.
pub(crate) fn run(options: &Options) -> bool {
    let n_chunks = options.count.unwrap_or(200_000).div_ceil(CHUNK).max(2);
    let start = Instant::now();
    let tallies = work::in_chunks(n_chunks, options, |chunk, tally: &mut Tally| {
        let mut random = Random::new(options.seed.wrapping_mul(0x5851_f42d_4c95_7f2d) ^ chunk << 20);
        tally.test_pairs(&mut random, CHUNK, chunk % 2 == 0);
    });
    let mut sum = Tally::default();
    tallies.iter().for_each(|tally| sum.add(tally));
    println!(
        "{:24} {:9} {:>9} {:>9} {:>9} {:>6} {:>6} {:>7} {:>8} {:>9} {:>8} {:>8} {:>8} {:>8}",
        "",
        "",
        "answers",
        "apart",
        "together",
        "signs",
        "wrong",
        "loose",
        "within",
        "undecided",
        "worst",
        "normal",
        "touching",
        "widest"
    );
    for ((question, class), row) in &sum.rows {
        line(question, class, row);
    }
    line("all", "", &sum.all());
    for (rule, n) in &sum.n_placed {
        println!("{rule:24} {n:>9} pairs");
    }
    let failures = sum.wrong_samples.iter().map(|sample| ("wrong", sample));
    for (what, sample) in
        failures.chain(sum.undecided_samples.iter().take(5).map(|sample| ("undecided", sample)))
    {
        println!("{what}: {sample}\n");
    }
    let all = sum.all();
    println!(
        "{} pairs in f32, {} in f64, {} answers, {} wrong signs, {} wrong, {} undecided; {} asked again with a power of two, {} with other bits; {:.1} s, seed {}",
        sum.n_pairs[0],
        sum.n_pairs[1],
        all.n,
        all.n_wrong_signs,
        all.n_wrong,
        all.n_undecided,
        sum.n_scaled,
        sum.n_other_bits,
        start.elapsed().as_secs_f64(),
        options.seed
    );
    all.n_wrong == 0 && all.n_wrong_signs == 0 && sum.n_other_bits == 0
}

fn line(question: &str, class: &str, row: &Row) {
    println!(
        "{question:24} {class:9} {:>9} {:>9} {:>9} {:>6} {:>6} {:>7} {:>8} {:>9} {:>8.1e} {:>8.1e} {:>8.1e} {:>8.1e}",
        row.n,
        row.n_apart,
        row.n_together,
        row.n_wrong_signs,
        row.n_wrong,
        row.n_loose,
        row.n_within,
        row.n_undecided,
        row.worst,
        row.worst_normal,
        row.touching,
        row.widest
    );
}
