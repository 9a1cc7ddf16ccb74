//! Compares the rule of all searches with rationals.

use carom_neighbours::{BruteForce, is_within};
use carom_testkit::conform::neighbour_search;
use carom_testkit::random::Random;
use glam::Vec3;
use num_rational::BigRational;
use num_traits::FromPrimitive;

fn square(x: f64) -> BigRational {
    let x = BigRational::from_f64(x).unwrap();
    &x * &x
}

/// Returns the exact square of the distance: rationals have no rounding.
fn exact_distance_sq(a: Vec3, b: Vec3) -> BigRational {
    (0..3)
        .map(|axis| {
            let d = BigRational::from_f32(a[axis]).unwrap() - BigRational::from_f32(b[axis]).unwrap();
            &d * &d
        })
        .sum()
}

#[test]
fn brute_force_is_a_search() {
    neighbour_search::check("brute force", |radius, max| Ok(BruteForce::new(radius)?.with_max_pairs(max)));
}

/// Pairs are decided as by rationals, unless the squares differ by less than 6 u. The rule is
/// symmetric for all pairs.
#[test]
fn the_rule_is_that_of_fractions() {
    let slack = BigRational::from_f64(6.0 / 9_007_199_254_740_992.0).unwrap();
    let (mut n_within, mut n_ties) = (0, 0);
    for cloud in neighbour_search::clouds(3) {
        let radius_sq = square(f64::from(cloud.radius));
        for (i, a) in cloud.points.iter().enumerate().step_by(7) {
            for b in cloud.points.iter().skip(i % 5).step_by(5) {
                let found = is_within(*a, *b, cloud.radius);
                assert_eq!(found, is_within(*b, *a, cloud.radius), "{a} {b}");
                let exact = exact_distance_sq(*a, *b);
                let difference = &exact - &radius_sq;
                let rounding = &radius_sq * &slack;
                if difference <= -&rounding || difference == BigRational::default() {
                    assert!(found, "{}: {a} {b}", cloud.name);
                    n_within += 1;
                    n_ties += usize::from(exact == radius_sq);
                } else if rounding < difference {
                    assert!(!found, "{}: {a} {b}", cloud.name);
                }
            }
        }
    }
    assert!(4000 < n_within && 100 < n_ties, "{n_within} {n_ties}");
}

#[test]
fn bad_numbers_are_within_nothing() {
    for radius in [-1.0, f32::NAN] {
        assert!(!is_within(Vec3::ZERO, Vec3::ZERO, radius));
    }
    assert!(!is_within(Vec3::NAN, Vec3::ZERO, 1.0) && !is_within(Vec3::INFINITY, Vec3::INFINITY, 1.0));
    assert!(is_within(Vec3::ZERO, -Vec3::ZERO, 0.0) && is_within(Vec3::MAX, Vec3::MAX, 0.0));
}

/// If all lengths are multiplied by a power of two, the pairs stay the same.
#[test]
fn the_rule_scales() {
    let mut random = Random::new(2);
    let mut n_within = 0;
    for _ in 0..4000 {
        let [a, b] = [0; 2].map(|_| (random.cube_point() * 0.5).as_vec3());
        let radius = (random.unit() * 0.6) as f32;
        let found = is_within(a, b, radius);
        n_within += usize::from(found);
        for scale in [2_f32.powi(90), 2_f32.powi(-80)] {
            assert_eq!(found, is_within(a * scale, b * scale, radius * scale));
        }
    }
    assert!((300..3700).contains(&n_within), "{n_within}");
}
