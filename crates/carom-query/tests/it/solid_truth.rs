//! Random pairs of solids against tetrahedra in whole numbers; `cargo xtask truth solids` asks
//! more.

use carom_testkit::solids::{Tally, judge_pair};

#[test]
fn no_answer_about_solids_is_wrong() {
    let n_pairs = if std::env::var_os("CAROM_SLOW").is_some() { 10_000 } else { 120 };
    let mut tally = Tally::default();
    for n in 0..n_pairs {
        judge_pair(1 << 40 ^ n, &mut tally);
    }
    println!("{}", tally.table());
    assert!(tally.wrong.is_empty(), "{:#?}", tally.wrong);
    // The mix was fair.
    let [clear, touching, overlapping] = tally.total().relations;
    assert!(n_pairs < 10 * clear && n_pairs < 20 * touching && n_pairs < 4 * overlapping, "{tally:?}");
    assert!(10 * tally.ambiguous < n_pairs, "{tally:?}");
}

/// Pairs that once had a wrong answer: seeds of the same sequence.
#[test]
fn pairs_that_went_wrong_once() {
    for (seed, what) in [
        (1_099_511_627_804, "a translation that f32 rounds to a shorter one"),
        (1_099_511_627_820, "a point inside that f32 rounds out of a solid"),
        (1_099_511_627_833, "a vertex that no triangle uses"),
        (1_099_511_628_019, "a translation that is longer than the upper bound"),
        (1_099_511_628_733, "a solid that is convex but for rounded corners"),
        (1_099_511_629_429, "a thin overlap without a point inside"),
        (1_099_511_629_818, "a translation that f32 rounds to a slightly shorter one, at large coordinates"),
    ] {
        let mut tally = Tally::default();
        judge_pair(seed, &mut tally);
        assert!(tally.wrong.is_empty(), "{what}: {:?}", tally.wrong);
    }
}
