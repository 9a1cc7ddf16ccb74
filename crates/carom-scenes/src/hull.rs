//! Random convex hulls with a chosen number of vertices.
//!
//! Points are spread over an ellipsoid by best candidate: among several random points, the one
//! farthest from all earlier points is taken. Every point on an ellipsoid is a vertex of the hull
//! of all.
//!
//! Reference: D. Mitchell, Spectrally Optimal Sampling for Distribution Ray Tracing, SIGGRAPH 1991.

use crate::rng::Rng;
use alloc::vec::Vec;
use glam::DVec3;

/// The radii of the ellipsoid of the benches.
pub const HULL_RADII: DVec3 = DVec3::new(1.0, 0.8, 0.6);

/// Candidates that are tried for each point. More spread the points no better, and fewer leave
/// clumps.
const N_CANDIDATES: usize = 10;

/// Returns `n` points spread over the ellipsoid with these radii. All are vertices of their hull.
pub fn hull_points(n: usize, radii: DVec3, rng: &mut Rng) -> Vec<DVec3> {
    let mut directions: Vec<DVec3> = Vec::with_capacity(n);
    while directions.len() < n {
        let mut best = (f64::NEG_INFINITY, DVec3::X);
        for _ in 0..N_CANDIDATES {
            let candidate = rng.direction();
            let nearest =
                directions.iter().map(|d| (*d - candidate).length_squared()).fold(f64::INFINITY, f64::min);
            if best.0 < nearest {
                best = (nearest, candidate);
            }
        }
        directions.push(best.1);
    }
    directions.into_iter().map(|d| d * radii).collect()
}
