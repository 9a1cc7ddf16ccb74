//! Tests of quadratic equations: roots are inserted into the equation with twice the digits.

use carom_math::Roots;
use carom_math::double_double::DoubleDouble;
use carom_testkit::oracle::rational::{discriminant_sign, quadratic_sign};
use proptest::prelude::*;

fn coefficient() -> impl Strategy<Value = f64> {
    prop_oneof![
        2 => (-9..=9_i32).prop_map(f64::from),
        3 => -10.0..10.0_f64,
        1 => -1e-12..1e-12_f64,
        1 => -1e12..1e12_f64,
    ]
}

fn residual(a: f64, b: f64, c: f64, t: f64) -> f64 {
    let dd = DoubleDouble::from;
    ((dd(a) * dd(t) + dd(b)) * dd(t) + dd(c)).to_f64()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn roots_solve_the_equation(a in coefficient(), b in coefficient(), c in coefficient()) {
        for t in carom_math::f64::quadratic(a, b, c).iter() {
            // If a root is off by a share e, the equation is off by e |t| |2 a t + b|. At a double
            // root it is off by e^2 a t^2.
            let e = 4.0 * f64::EPSILON;
            let bound = e * t.abs() * (2.0 * a * t + b).abs() + e * e * (a * t * t).abs() * 4.0 + e * c.abs() * 1e-3;
            prop_assert!(residual(a, b, c, t).abs() <= bound, "{} t^2 + {} t + {}: {}", a, b, c, t);
        }
    }

    #[test]
    fn roots_are_those_of_fractions(a in coefficient(), b in coefficient(), c in coefficient(), ugly in 0..6) {
        // a = 0, a << b, and coefficients for which the discriminant is 0 or nearly so.
        let (a, c) = match ugly {
            0 => (0.0, c),
            1 => (a * 1e-150, c),
            2 => (a * 1e-17, c),
            3 if a != 0.0 => (a, b * b / (4.0 * a)),
            4 => (b * b, 0.25),
            _ => (a, c),
        };
        let roots: Vec<f64> = carom_math::f64::quadratic(a, b, c).iter().collect();
        let expected = match (a == 0.0, b == 0.0) {
            (true, true) => 0,
            (true, false) => 1,
            // A double root counts once.
            _ => match discriminant_sign(a, b, c) { -1 => 0, 0 => 1, _ => 2 },
        };
        prop_assert_eq!(roots.len(), expected, "{} t^2 + {} t + {}", a, b, c);
        for (i, &t) in roots.iter().enumerate() {
            // The true root is within a few units in the last place: the sign changes there, or
            // the root is double.
            let (mut below, mut above) = (t, t);
            for _ in 0..4 {
                (below, above) = (below.next_down(), above.next_up());
            }
            let apart = |x: f64, y: f64| quadratic_sign(a, b, c, x) * quadratic_sign(a, b, c, y) <= 0;
            let is_double = expected == 1 && a != 0.0;
            // Two roots may be a few units apart; then the sign changes between them.
            let other = roots.get(1 - i.min(1)).copied().filter(|&o| o != t && (o - t).abs() < 16.0 * f64::EPSILON * t.abs());
            let is_near = is_double || other.is_some() || t == 0.0;
            prop_assert!(is_near || apart(below, above), "{} t^2 + {} t + {}: {}", a, b, c, t);
        }
    }

    #[test]
    fn given_roots_are_found(r in -100..100_i32, s in -100..100_i32, a in 1..50_i32) {
        let (r, s, a) = (f64::from(r), f64::from(s), f64::from(a));
        let roots = carom_math::f64::quadratic(a, -a * (r + s), a * r * s);
        let single = carom_math::quadratic(a as f32, (-a * (r + s)) as f32, (a * r * s) as f32);
        if r == s {
            prop_assert_eq!(roots, Roots64::One(r));
            prop_assert_eq!(single, Roots::One(r as f32));
        } else {
            let (low, high) = (r.min(s), r.max(s));
            let Roots64::Two(t, u) = roots else { return Err(TestCaseError::fail("two roots")) };
            prop_assert!((t - low).abs() <= 1e-15 * low.abs() && (u - high).abs() <= 1e-15 * high.abs());
            prop_assert_eq!(single, Roots::Two(low as f32, high as f32));
        }
    }

    #[test]
    fn powers_of_two_scale_the_roots(a in coefficient(), b in coefficient(), c in coefficient(), e in -60..60_i32) {
        // t -> s t: a / s^2, b / s, c.
        let s = 2.0_f64.powi(e);
        let plain = carom_math::f64::quadratic(a, b, c);
        let scaled = carom_math::f64::quadratic(a / (s * s), b / s, c);
        prop_assert!(plain.iter().map(|t| t * s).eq(scaled.iter()));
    }
}

type Roots64 = carom_math::f64::Roots;

#[test]
fn neither_root_is_lost() {
    use carom_math::f64::quadratic;
    assert_eq!(quadratic(0.0, 0.0, 0.0), Roots64::All);
    assert_eq!(quadratic(0.0, 0.0, 1.0), Roots64::None);
    assert_eq!(quadratic(0.0, 2.0, -6.0), Roots64::One(3.0));
    assert_eq!(quadratic(1.0, 0.0, -4.0), Roots64::Two(-2.0, 2.0));
    assert_eq!(quadratic(1.0, 0.0, 4.0), Roots64::None);
    assert_eq!(quadratic(1.0, 0.0, 0.0), Roots64::One(0.0));
    // a << b: the textbook formula gives 0 for the small root.
    assert_eq!(quadratic(1.0, -1e9, 1.0), Roots64::Two(1e-9, 1e9));
    let tiny = 2.0_f64.powi(-100);
    assert_eq!(quadratic(tiny, 1.0, -1.0), Roots64::Two(-1.0 / tiny, 1.0));
    // One root is out of range, the other is returned.
    assert_eq!(carom_math::quadratic(1e-45, 1.0, -1.0), Roots::One(1.0));
    assert_eq!(quadratic(1e-320, 1.0, -1.0), Roots64::One(1.0));
    // Huge and tiny coefficients do not overflow or underflow inside.
    assert_eq!(quadratic(1e300, 0.0, -4e300), Roots64::Two(-2.0, 2.0));
    assert_eq!(quadratic(1e-300, 0.0, -4e-300), Roots64::Two(-2.0, 2.0));
    assert_eq!(quadratic(f64::NAN, 1.0, 1.0), Roots64::None);
    assert_eq!(quadratic(1.0, f64::INFINITY, 1.0), Roots64::None);
    assert_eq!(Roots64::All.iter().count(), 0);
}
