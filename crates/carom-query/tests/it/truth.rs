//! Random pairs of convex shapes against proofs; `cargo xtask truth convex` asks millions of them.

use carom_testkit::convex_pairs::Tally;
use carom_testkit::random::Random;

#[test]
fn no_answer_about_convex_shapes_is_wrong() {
    let n_pairs = if std::env::var_os("CAROM_SLOW").is_some() { 100_000 } else { 4_000 };
    let mut tally = Tally::default();
    tally.test_pairs(&mut Random::new(1), n_pairs, true);
    tally.test_pairs(&mut Random::new(2), n_pairs, false);
    for ((question, class), row) in &tally.rows {
        println!(
            "{question:24} {class:10} {:>6} loose {:>4} within {:>5} undecided {:>3} signs {} wrong {} worst {:.1e} normal {:.1e} touching {:.1e} widest {:.1e}",
            row.n,
            row.n_loose,
            row.n_within,
            row.n_undecided,
            row.n_wrong_signs,
            row.n_wrong,
            row.worst,
            row.worst_normal,
            row.touching,
            row.widest
        );
    }
    println!("{:?} {} scaled, {} other bits", tally.n_placed, tally.n_scaled, tally.n_other_bits);
    tally.undecided_samples.iter().for_each(|sample| println!("undecided: {sample}"));
    let all = tally.all();
    assert!(
        all.n_wrong == 0 && all.n_wrong_signs == 0 && tally.n_other_bits == 0,
        "{:#?}",
        tally.wrong_samples
    );
    // The mix was fair, and nearly everything was proved.
    assert!(all.n < 8 * all.n_apart.min(all.n_together), "{all:?}");
    assert!(20 * all.n_loose < all.n && 1000 * all.n_undecided < all.n, "{all:?}");
    assert!(1000 < tally.n_scaled && tally.n_placed.values().all(|n| 100 < *n));
}
