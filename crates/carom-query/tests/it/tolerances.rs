//! No tolerance may be smaller than what it has to cover; `cargo xtask truth tolerances` looks at
//! many more cases.

use carom_testkit::random::Random;
use carom_testkit::tolerances::twins::Differences;
use carom_testkit::tolerances::{ROWS, RowResult};

/// Cases of the questions that are asked most.
const N_CASES: u64 = 40_000;

#[test]
fn tolerances_cover_what_they_are_about() {
    for (number, row) in ROWS.iter().enumerate() {
        let mut result = RowResult::default();
        result.test_cases(row, &mut Random::new(number as u64), N_CASES.div_ceil(row.one_in).max(50));
        assert!(
            result.is_covered(row),
            "{} is {:e}, needed {:e}: {}",
            row.constant,
            row.value,
            result.most,
            row.what
        );
        assert!(0.0 < result.most, "{}: nothing was asked: {}", row.constant, row.what);
    }
}

/// Decisions in `f64` are equal for both precisions, and the answers differ by a rounding or two.
#[test]
fn twins_agree() {
    let mut all = Differences::default();
    all.compare(&mut Random::new(1), 1_500);
    assert!(60 < all.0.len(), "{} families", all.0.len());
    for (family, row) in &all.0 {
        // A twin has a tolerance of its own for what lies in one plane.
        let may_differ = matches!(*family, ("hull", _) | ("mass", "hull"));
        assert!(may_differ || row.n_decisions == 0, "{family:?}: {row:?}");
        assert!(row.most < 4.0, "{family:?}: {row:?}");
    }
}
