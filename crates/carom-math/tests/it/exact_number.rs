//! Compares exact numbers with rationals.

use carom_math::exact_number::{ExactNumber, ExactVec3};
use carom_testkit::oracle::rational::{exact, sign};
use glam::DVec3;
use proptest::prelude::*;

/// Returns small whole numbers, so that sums cancel, ordinary numbers, and the ends of the range.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        3 => (-4..=4_i32).prop_map(f64::from),
        2 => -1.0..1.0_f64,
        1 => any::<u64>().prop_map(|bits| {
            let x = f64::from_bits(bits);
            if x.is_finite() { x } else { f64::MAX }
        }),
        1 => prop::sample::select(vec![5e-324, -5e-324, f64::MAX, f64::MIN, 1e-160, 2.0_f64.powi(64), -1e30]),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn quotients_are_those_of_fractions(a in number(), b in number(), c in number(), d in number()) {
        let product = |x: f64, y: f64| &ExactNumber::from(x) * &ExactNumber::from(y);
        let (over, under) = (product(a, b), product(c, d));
        let got = over.quotient(&under);
        if under.sign() == 0.0 {
            prop_assert!(!got.is_finite());
        } else if got.is_finite() && f64::MIN_POSITIVE <= got.abs() {
            // |got * c d - a b| <= 1e-15 |a b|
            let off = exact(got) * exact(c) * exact(d) - exact(a) * exact(b);
            let room = exact(1e-15) * exact(a) * exact(b);
            let (off, room) = (&off * &off, &room * &room);
            prop_assert!(sign(&(off - room)) <= 0, "{} {} {} {}: {}", a, b, c, d, got);
        } else if over.sign() == 0.0 {
            prop_assert_eq!(got, 0.0);
        }
    }

    #[test]
    fn sums_of_products_are_those_of_fractions(x in prop::collection::vec(number(), 12), cancel in any::<bool>()) {
        // x0 x1 x2 x3 x4 x5 - (x6 x7 x8 + x9 x10) x11, or a sum that cancels.
        let e = |i: usize| ExactNumber::from(x[i]);
        let r = |i: usize| exact(x[i]);
        let six = (1..6).fold(e(0), |product, i| &product * &e(i));
        let rest = &(&(&(&e(6) * &e(7)) * &e(8)) + &(&e(9) * &e(10))) * &e(11);
        let truth = (1..6).fold(r(0), |product, i| product * r(i)) - (r(6) * r(7) * r(8) + r(9) * r(10)) * r(11);
        let got = &six - &rest;
        prop_assert_eq!(got.sign() as i32, sign(&truth));
        if cancel {
            let back = &(&got + &rest) - &(1..6).rev().fold(e(0), |product, i| &product * &e(i));
            prop_assert_eq!(back.sign(), 0.0);
            let tiny = &back + &ExactNumber::from(-5e-324);
            prop_assert_eq!(tiny.sign(), -1.0);
        }
    }

    #[test]
    fn vectors_obey_lagrange(v in prop::collection::vec(number(), 6)) {
        // |a|^2 |b|^2 = (a . b)^2 + |a x b|^2, exactly.
        let (a, b) = (ExactVec3::from(DVec3::new(v[0], v[1], v[2])), ExactVec3::from(DVec3::new(v[3], v[4], v[5])));
        let left = &a.length_squared() * &b.length_squared();
        let right = &a.dot(&b).squared() + &a.cross(&b).length_squared();
        prop_assert_eq!((&left - &right).sign(), 0.0);
        prop_assert!(a.cross(&a).is_zero());
        prop_assert!((&(&a + &b) - &(&b + &a)).is_zero());
    }
}

#[test]
fn numbers_that_are_none_do_not_stop_it() {
    for x in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
        let number = ExactNumber::from(x);
        assert_ne!((&number + &ExactNumber::from(1.0)).abs().sign(), 0.0);
    }
    assert_eq!(ExactNumber::ZERO.sign(), 0.0);
    assert_eq!(ExactNumber::from(-0.0).sign(), 0.0);
}
