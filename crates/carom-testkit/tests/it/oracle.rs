//! The oracles at the limits of their integers.

use carom_testkit::oracle::triangle::hulls_meet;
use glam::DVec3;

/// A difference of -2^127 is the one number whose absolute value an `i128` does not have.
#[test]
fn a_difference_may_be_the_least_number_of_128_bits() {
    let far = 2.0_f64.powi(127);
    let a = [DVec3::ZERO, DVec3::X, DVec3::Y];
    assert!(!hulls_meet(&a, &[DVec3::X * far]));
    assert!(hulls_meet(&a, &[DVec3::X * far, DVec3::X]));
}
