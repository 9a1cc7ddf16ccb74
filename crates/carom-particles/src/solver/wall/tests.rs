//! The integrals behind planes and balls, against integrals over shells.

use super::{LATTICE_GAP, behind_curved, behind_plane};
use crate::solver::smoothing::Smoothing;
use core::f64::consts::PI;

/// The part of the kernel behind a sphere at a distance, by shells around the particle. With a
/// positive curvature it is a ball, with a negative one a hollow around the particle. Lengths are
/// in reaches.
fn by_shells(distance: f64, curvature: f64) -> f64 {
    let n = 4000;
    let radius = 1.0 / curvature.abs();
    let to_center = radius + distance * curvature.signum();
    let shell = |i: i32| {
        let q = (f64::from(i) + 0.5) / f64::from(n);
        // The cosine at which the shell meets the sphere, seen from the particle.
        let rise = q * q + to_center * to_center - radius * radius;
        let part = 0.5 * (1.0 - (rise / (2.0 * q * to_center)).clamp(-1.0, 1.0));
        let part = if 0.0 < curvature { part } else { 1.0 - part };
        let kernel = 315.0 / (64.0 * PI) * (1.0 - q * q).powi(3);
        4.0 * PI * q * q * kernel * part / f64::from(n)
    };
    (0..n).map(shell).sum()
}

#[test]
fn what_is_behind_a_ball_is_near_the_integral() {
    let smoothing = Smoothing::new(0.35);
    let reach = f64::from(smoothing.reach);
    let at = |u: f64, bend: f64| {
        let distance = ((u - f64::from(LATTICE_GAP)) * reach) as f32;
        let behind = behind_plane(&smoothing, distance);
        let (part, slope) = behind_curved(&smoothing, distance, (bend / reach) as f32, behind);
        [f64::from(behind.0), f64::from(part), f64::from(slope) * reach]
    };
    // In reaches: the largest error for a curvature. It grows with the square.
    for (bend, limit) in [(0.05, 1e-3), (0.2, 3e-3), (0.5, 0.01), (1.0, 0.03), (-0.05, 1e-3), (-0.5, 0.01)] {
        for u in [0.03, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99] {
            let (exact, [flat, part, slope]) = (by_shells(u, bend), at(u, bend));
            assert!((part - exact).abs() < limit, "{bend} {u}: {part}, by shells {exact}");
            // But for the rounding of what is near 0.
            let [error, as_plane] = [(part - exact).abs(), (flat - exact).abs()];
            assert!(2.0 * error < as_plane + 2e-7, "{bend} {u}: off by {error}, as a plane by {as_plane}");
            let fall = (at(u - 1e-3, bend)[1] - at(u + 1e-3, bend)[1]) / 2e-3;
            assert!((slope - fall).abs() < 2e-3, "{bend} {u}: {slope}, by differences {fall}");
        }
    }
    // Beyond all bounds nothing is behind a point, and a plane stays a plane.
    assert!(at(0.25, 1e6)[1] < 1e-5);
    assert_eq!(at(0.25, 0.0)[0], at(0.25, 0.0)[1]);
    assert_eq!(behind_curved(&smoothing, smoothing.reach, 1.0, (0.0, 0.0)), (0.0, 0.0));
}
