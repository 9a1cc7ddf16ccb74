//! Tests of the clock.

use carom_math::clock::{IS_AVAILABLE, Moment, provide};

/// The tests run on targets with a standard clock. So a lent one is rejected, and is not read.
#[test]
fn a_clock_is_lent_only_where_none_is() {
    let before = Moment::now();
    assert!(IS_AVAILABLE && !provide(|| 1e9) && !provide(|| 2e9));
    let passed = Moment::now().seconds_since(before);
    assert!((0.0..1e3).contains(&passed), "{passed}");
}
