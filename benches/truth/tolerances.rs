//! The constants of `carom_math::tol` against the largest errors that they must cover. Each row has
//! the largest error, the constant, and the factor between them. A second table has the largest
//! differences between answers in `f32` and in `f64`.

use crate::{Options, work};
use carom_testkit::random::Random;
use carom_testkit::tolerances::twins::Differences;
use carom_testkit::tolerances::{ROWS, RowResult};
use std::time::Instant;

/// The number of cases in one chunk of the work, for rows that test every case.
const CHUNK: u64 = 1 << 12;

/// One case in this many is given to both twins, in about a hundred queries.
const TWINS: u64 = 16;

struct Tally {
    results: [RowResult; ROWS.len()],
    twins: Differences,
}

impl Default for Tally {
    fn default() -> Tally {
        Tally { results: [RowResult::default(); ROWS.len()], twins: Differences::default() }
    }
}

/// Runs all cases. Returns whether every constant covers its errors, and none is out of proportion
/// without a reason.
pub(crate) fn run(options: &Options) -> bool {
    let n_chunks = options.count.unwrap_or(1_000_000).div_ceil(CHUNK);
    let start = Instant::now();
    let n_rows = ROWS.len() as u64 + 1;
    let tallies = work::in_chunks(n_chunks * n_rows, options, |chunk, tally: &mut Tally| {
        let mut random = Random::new(options.seed.wrapping_mul(0x5851_f42d_4c95_7f2d) ^ chunk << 20);
        let number = (chunk % n_rows) as usize;
        match ROWS.get(number) {
            Some(row) => tally.results[number].test_cases(row, &mut random, CHUNK.div_ceil(row.one_in)),
            None => tally.twins.compare(&mut random, CHUNK.div_ceil(TWINS)),
        }
    });
    let mut is_right = true;
    println!("{:24} {:>9} {:>10} {:>10} {:>9}", "constant", "cases", "needed", "is", "factor");
    for (number, row) in ROWS.iter().enumerate() {
        let mut result = RowResult::default();
        tallies.iter().for_each(|tally| result.add(&tally.results[number]));
        let (is_covered, is_in_proportion) = (result.is_covered(row), result.is_in_proportion(row));
        is_right &= is_covered && is_in_proportion;
        println!(
            "{:24} {:>9} {:>10.2e} {:>10.2e} {:>9.3} {} {}",
            row.constant,
            result.n_cases,
            result.most,
            row.value,
            row.value / result.most,
            if !is_covered {
                "TOO SMALL:"
            } else if !is_in_proportion {
                "TOO LARGE:"
            } else {
                " "
            },
            row.what
        );
    }
    let mut twins = Differences::default();
    tallies.iter().for_each(|tally| twins.add(&tally.twins));
    println!();
    println!("{:32} {:>9} {:>9} {:>16}", "f32 against f64", "cases", "decisions", "in f32::EPSILON");
    for ((what, which), row) in &twins.0 {
        println!(
            "{:32} {:>9} {:>9} {:>16.3}",
            format!("{what}: {which}"),
            row.n_cases,
            row.n_decisions,
            row.most
        );
    }
    println!("{:.1} s, seed {}", start.elapsed().as_secs_f64(), options.seed);
    is_right
}
