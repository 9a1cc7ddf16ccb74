//! Random pairs of solids against exact arithmetic: clear, touching or overlapping, and the depth.

use crate::Options;
use crate::work::{in_chunks, print_replay, print_wrong};
use carom_testkit::solids::{Tally, judge_pair, replay};

/// The number of pairs in a chunk of the work.
const CHUNK: u64 = 16;

/// Runs all pairs. Returns whether no answer was wrong.
pub(crate) fn run(options: &Options) -> bool {
    if let Some(seed) = options.only {
        return print_replay(&replay(seed));
    }
    let n_pairs = options.count.unwrap_or(10_000);
    let tallies = in_chunks(n_pairs.div_ceil(CHUNK), options, |chunk, tally: &mut Tally| {
        for n in chunk * CHUNK..n_pairs.min((chunk + 1) * CHUNK) {
            judge_pair(options.seed << 40 ^ n, tally);
        }
    });
    let mut all = Tally::default();
    tallies.iter().for_each(|tally| all.add(tally));
    print!("{}", all.table());
    let total = all.total();
    println!("{} pairs, {} left out: {} wrong", total.pairs(), all.ambiguous, all.wrong.len());
    print_wrong(&all.wrong, options);
    // The count reveals pairs that a panicking thread left out.
    all.wrong.is_empty() && total.pairs() + all.ambiguous == n_pairs
}
