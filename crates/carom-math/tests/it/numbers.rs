//! Tests of powers of two, outward rounding, and the functions that `core` does not have.

use carom_math::{ops, rounding, scaling};
use glam::DVec3;
use proptest::prelude::*;

fn any_number() -> impl Strategy<Value = f64> {
    any::<u64>().prop_map(f64::from_bits)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5000))]

    #[test]
    fn rounding_is_outward_and_tight(x in any_number()) {
        prop_assume!(!x.is_nan());
        let (low, high) = (rounding::down(x), rounding::up(x));
        prop_assert!(f64::from(low) <= x && x <= f64::from(high));
        // There is no `f32` between the two, or they are equal.
        prop_assert!(low == high || low.next_up() == high);
    }

    #[test]
    fn unit_vectors_of_any_length(x in -1.0..1.0_f64, y in -1.0..1.0_f64, z in -1.0..1.0_f64, e in -1000..1000_i32) {
        let v = DVec3::new(x, y, z);
        prop_assume!(1e-3 < v.length());
        let unit = scaling::unit(v).unwrap();
        prop_assert!((unit.length() - 1.0).abs() <= 4.0 * f64::EPSILON);
        let scaled = v * 2.0_f64.powi(e);
        if scaled.abs().min_element() > 1e-280 {
            prop_assert_eq!(scaling::unit(scaled), Some(unit));
        }
        let b = scaling::balanced(scaled).abs().max_element();
        prop_assert!((1.0..2.0).contains(&b));
        let h = scaling::hypot(scaled.x, scaled.y);
        prop_assert!((h - x.hypot(y) * 2.0_f64.powi(e)).abs() <= 4.0 * f64::EPSILON * h);
    }

    #[test]
    fn scales_are_powers_of_two(x in any_number()) {
        let s = scaling::scale_of(x);
        prop_assert!(0.0 < s && s.is_finite());
        prop_assert_eq!(s.to_bits() & ((1 << 52) - 1), 0);
        if x.is_normal() && x.abs() < 2.0_f64.powi(1022) {
            prop_assert!((1.0..2.0).contains(&(x.abs() * s)));
        }
    }

    #[test]
    fn functions_agree_with_the_standard_library(x in 1e-300..1e300_f64, y in -10.0..10.0_f64) {
        prop_assert_eq!(ops::sqrt(x), x.sqrt());
        prop_assert_eq!((ops::floor(y), ops::ceil(y)), (y.floor(), y.ceil()));
        let (s, c) = ops::sin_cos(y);
        prop_assert!((s - y.sin()).abs() < 1e-15 && (c - y.cos()).abs() < 1e-15);
        prop_assert!((ops::acos(c) - c.acos()).abs() < 1e-15);
        prop_assert!((ops::atan2(y, c) - y.atan2(c)).abs() < 1e-15);
    }
}

#[test]
fn no_direction() {
    assert_eq!(scaling::unit(DVec3::ZERO), None);
    assert_eq!(scaling::unit(DVec3::NAN), None);
    assert_eq!(scaling::unit(DVec3::INFINITY), None);
    assert_eq!(scaling::hypot(0.0, 0.0), 0.0);
    assert_eq!(rounding::down(1e300), f32::MAX);
    assert_eq!(rounding::up(1e300), f32::INFINITY);
    assert_eq!(rounding::up(1e-300), f32::from_bits(1));
}
