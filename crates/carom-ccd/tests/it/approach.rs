//! The first time at which a distance falls to a target, against looking often.

use carom_ccd::{Approach, first_approach};
use carom_testkit::random::Random;

/// Random sums of waves: nothing is missed, and what is found is at the target.
#[test]
fn the_first_fall_to_the_target_is_found() {
    let mut random = Random::new(71);
    let (mut n_within, mut n_clear) = (0, 0);
    for _ in 0..400 {
        let waves: Vec<[f64; 3]> = (0..4)
            .map(|_| [random.range(0.1, 1.0), random.range(0.5, 6.0), random.range(0.0, 6.0)])
            .collect();
        let base = random.range(0.5, 4.0);
        let distance = |t: f64| {
            (base + waves.iter().map(|[size, rate, phase]| size * (rate * t + phase).sin()).sum::<f64>())
                .abs()
        };
        let rate = waves.iter().map(|[size, rate, _]| size * rate).sum::<f64>();
        let (target, tolerance) = (0.2, 1e-6);
        let first = (0..=8000).map(|i| f64::from(i) * 5e-4).find(|t| distance(*t) <= target);
        match (first_approach(distance, rate, target, tolerance, [0.0, 4.0], 0.0), first) {
            (Approach::Within { time, distance: found }, first) => {
                assert!(target - 1e-12 <= found && found <= target + tolerance || time == 0.0, "{found}");
                assert!(first.is_none_or(|first| time <= first), "{time} {first:?}");
                assert!((0..1000).all(|i| target < distance(time * f64::from(i) / 1001.0)) || time == 0.0);
                n_within += 1;
            }
            (Approach::Clear { at_end }, None) => {
                assert!(at_end <= distance(4.0) + 1e-12, "{at_end}");
                n_clear += 1;
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(50 < n_within && 50 < n_clear, "{n_within} {n_clear}");
}

/// A lower bound that reaches to the end needs no value; a distance that rests just above the
/// target ends undecided, not wrong; NaN is no distance.
#[test]
fn degenerate_distances_are_answered() {
    let never = |_: f64| panic!("no value is needed");
    assert_eq!(first_approach(never, 1.0, 0.0, 1e-6, [2.0, 3.0], 1.5), Approach::Clear { at_end: 0.5 });
    let still = first_approach(|_| 1.0, 0.0, 0.5, 1e-6, [0.0, 1e9], 0.0);
    assert_eq!(still, Approach::Clear { at_end: 1.0 });
    let resting = first_approach(|_| 0.5 + 2e-6, 1.0, 0.5, 1e-6, [0.0, 1e3], 0.0);
    assert!(matches!(resting, Approach::Undecided { time } if 0.0 < time), "{resting:?}");
    assert_eq!(
        first_approach(|_| f64::NAN, 1.0, 0.0, 1e-6, [0.5, 1.0], 0.0),
        Approach::Within { time: 0.5, distance: 0.0 }
    );
    let tight = first_approach(|t| 1.0 - t, 1.0, 0.0, 0.0, [1e6, 1e6 + 1.0], 0.0);
    assert!(matches!(tight, Approach::Within { time, .. } if time == 1e6), "{tight:?}");
}

/// The bound grew over a negative time, and an endless one had a distance of NaN.
#[test]
fn r_an_end_before_the_start_and_an_endless_one() {
    let before = first_approach(|_| 1.0, 2.0, 0.5, 1e-6, [3.0, 1.0], 0.0);
    assert_eq!(before, Approach::Clear { at_end: 1.0 });
    let known = first_approach(|_| 1.0, 2.0, 0.5, 1e-6, [3.0, 1.0], 0.75);
    assert_eq!(known, Approach::Clear { at_end: 0.75 });
    let still = first_approach(|t| 1.0 + 0.0 * t, 0.0, 0.5, 1e-6, [0.0, f64::INFINITY], 0.0);
    assert_eq!(still, Approach::Clear { at_end: 1.0 });
    let falls = first_approach(|t| (1.0 - t).max(0.0), 1.0, 0.5, 1e-6, [0.0, f64::INFINITY], 0.0);
    assert!(matches!(falls, Approach::Within { time, .. } if (time - 0.5).abs() < 1e-5), "{falls:?}");
}
