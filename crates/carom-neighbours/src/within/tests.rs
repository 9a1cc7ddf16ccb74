//! Tests of the results of lanes, and of the errors that the band must cover.

use super::{Band, LANE_LENGTHS, distance_sq};
use carom_math::tol;

/// Returns numbers from 0 to 1, by a linear congruence.
fn numbers() -> impl FnMut() -> f32 {
    let mut state = 1_u64;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / 16_777_216.0
    }
}

/// Returns the square of a distance as lanes compute it.
fn of_lanes(a: [f32; 3], b: [f32; 3]) -> f32 {
    let d: [f32; 3] = core::array::from_fn(|axis| a[axis] - b[axis]);
    d[0] * d[0] + d[1] * d[1] + d[2] * d[2]
}

#[test]
fn the_band_covers_the_rounding_of_lanes() {
    let (mut next, mut worst) = (numbers(), 0.0_f64);
    for round in 0..40_000 {
        // Points near each other or of different sizes, near 1 and at the ends of the range of the
        // lanes.
        let size = 2_f32.powi([0, -49, 48][round % 3]);
        let offset = if round % 2 == 0 { 0.0 } else { 64.0 * size };
        let mut point = || [(); 3].map(|()| offset + size * next() * 0.5_f32.powi((round % 7) as i32));
        let (a, b) = (point(), point());
        let exact = distance_sq(a, b);
        // Squares far below those of all radii may underflow. They are below the band too.
        if LANE_LENGTHS[0] * LANE_LENGTHS[0] <= exact {
            worst = worst.max((f64::from(of_lanes(a, b)) / exact - 1.0).abs());
        }
    }
    // There are at most five roundings, and a sixth of the limit.
    assert!(2.0_f64.powi(-24) < worst && worst < 5.0 * 2.0_f64.powi(-24), "{worst:e}");
    assert!(worst + 2.0_f64.powi(-24) < tol::NEIGHBOUR_BAND);
}

#[test]
fn bands_hold_their_radii_and_leave_what_overflows_to_the_rule() {
    for exponent in -149..128 {
        let radius = 2_f64.powi(exponent);
        let band = Band::between(0.75 * radius, 1.5 * radius);
        let is_decided = band.possible < f32::INFINITY;
        assert_eq!(is_decided, (-50..50).contains(&exponent), "{exponent}");
        if is_decided {
            let (least, most) = (f64::from(band.sure).max(0.0), f64::from(band.possible));
            assert!(least < 0.5625 * radius * radius && 2.25 * radius * radius < most && most.is_finite());
            assert!(least == 0.0 || 0.56 * radius * radius < least, "{exponent}");
        } else {
            assert!(band.sure < 0.0, "{exponent}");
        }
    }
    assert!(Band::between(0.0, 1.0).sure < 0.0);
}
