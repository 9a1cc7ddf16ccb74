//! The distance of two convex shapes by GJK whose search direction has momentum.
//!
//! GJK is the Frank-Wolfe method with corrections: each round finds the farthest point along the
//! gradient, and projects the origin on the simplex. With momentum, the direction is a mean of the
//! gradients so far, which turns less. A point along that mean does not prove that the search is
//! done. So as soon as it makes no progress, the search continues without momentum.
//!
//! Measured (2026-11-22), rounds without momentum / Nesterov's / Polyak's, hulls of 8, 32, 128,
//! 512 vertices a hundredth apart: 5.9 / 6.8 / 7.1, 7.8 / 8.4 / 9.7, 9.8 / 9.7 / 11.9, 12.1 / 11.0
//! / 14.2; two apart 3.0 to 4.4 without, and one more with either. It saves a tenth of the rounds
//! for the largest hulls near each other, and costs rounds in all other cases, because the proof
//! at the end is one more round. So carom's GJK has no momentum.
//!
//! Reference: L. Montaut, Q. Le Lidec, V. Petrik, J. Sivic, J. Carpentier, Collision Detection
//! Accelerated: An Optimization Perspective, RSS 2022, sections III and IV (directions are
//! normalised, as for meshes there); Y. Nesterov, 1983; B. Polyak, 1964.

use carom_geom::SupportMap;
use carom_math::WidePose;
use glam::DVec3;

/// The direction of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Momentum {
    /// Along the gradient: plain GJK.
    None,
    /// From a point ahead of the nearest one.
    Nesterov,
    /// Along a mean of gradients, the newer ones weighing less and less.
    Polyak,
}

/// The distance of two shapes, margins left out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoreDistance {
    /// The distance; 0 if they meet.
    pub distance: f64,
    /// Pairs of support points computed.
    pub n_rounds: u32,
}

const MAX_ROUNDS: u32 = 200;
/// The relative difference of both bounds at which the search ends: rounding.
const TOLERANCE: f64 = 1e-12;

/// Returns the distance of the cores of two shapes.
pub fn distance<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    a: &A,
    b: &B,
    b_in_a: &WidePose,
    momentum: Momentum,
) -> CoreDistance {
    let to_b = b_in_a.rotation.transpose();
    // The point of A - B farthest along -u, to rounding.
    let support = |u: DVec3| {
        let (a_far, b_far) = (a.support(-u), b.support(to_b * u));
        let (a_far, b_far) = (a.support_exact(-u, a_far), b.support_exact(to_b * u, b_far));
        a_far.point - b_in_a.transform_point(b_far.point)
    };
    let mut simplex = [DVec3::ZERO; 4];
    let first = a.center() - b_in_a.transform_point(b.center());
    let mut newest = support(if first == DVec3::ZERO { DVec3::X } else { first });
    simplex[0] = newest;
    let (mut n, mut nearest, mut direction, mut momentum) = (1, newest, newest, momentum);
    for round in 1..MAX_ROUNDS {
        let length = nearest.length();
        let k = f64::from(round - 1);
        direction = match momentum {
            Momentum::None => nearest,
            Momentum::Nesterov => {
                let part = (k + 1.0) / (k + 3.0);
                let ahead = unit(nearest) * part + unit(newest) * (1.0 - part);
                unit(direction) * part + unit(ahead) * (1.0 - part)
            }
            Momentum::Polyak => {
                let part = 1.0 / (k + 1.0);
                unit(direction) * part + unit(nearest) * (1.0 - part)
            }
        };
        newest = support(direction);
        let is_known = simplex[..n].contains(&newest);
        if is_known || nearest.dot(nearest - newest) <= TOLERANCE * length * length {
            if momentum == Momentum::None {
                return CoreDistance { distance: length, n_rounds: round + 1 };
            }
            momentum = Momentum::None;
            continue;
        }
        simplex[n] = newest;
        n = reduce(&mut simplex, n + 1, &mut nearest);
        if n == 4 || !(nearest.length() < length) && momentum == Momentum::None {
            let distance = if n == 4 { 0.0 } else { nearest.length() };
            return CoreDistance { distance, n_rounds: round + 1 };
        }
    }
    CoreDistance { distance: nearest.length(), n_rounds: MAX_ROUNDS }
}

fn unit(v: DVec3) -> DVec3 {
    v.normalize_or_zero()
}

/// Keeps the corners of the feature that is nearest to the origin. Returns their number: 4 if the
/// simplex contains the origin. Every feature is tried.
fn reduce(simplex: &mut [DVec3; 4], n: usize, nearest: &mut DVec3) -> usize {
    let points = *simplex;
    if n == 4 {
        let side = |i: usize, j: usize, k: usize, l: usize| {
            let normal = (points[j] - points[i]).cross(points[k] - points[i]);
            normal.dot(points[l] - points[i]) * -normal.dot(points[i])
        };
        if 0.0 < side(0, 1, 2, 3)
            && 0.0 < side(0, 1, 3, 2)
            && 0.0 < side(0, 2, 3, 1)
            && 0.0 < side(1, 2, 3, 0)
        {
            return 4;
        }
    }
    let mut least = f64::INFINITY;
    let mut best = ([0; 3], 0);
    let mut offer = |point: DVec3, corners: [usize; 3], n_corners: usize| {
        if point.length_squared() < least {
            (least, *nearest, best) = (point.length_squared(), point, (corners, n_corners));
        }
    };
    for i in 0..n {
        offer(points[i], [i, 0, 0], 1);
        for j in 0..i {
            let edge = points[j] - points[i];
            let t = -points[i].dot(edge) / edge.length_squared();
            if 0.0 < t && t < 1.0 {
                offer(points[i] + edge * t, [i, j, 0], 2);
            }
            for k in 0..j {
                let (p, q, r) = (points[i], points[j], points[k]);
                let normal = (q - p).cross(r - p);
                let inside = [q.cross(r), r.cross(p), p.cross(q)].iter().all(|part| 0.0 < part.dot(normal));
                if inside {
                    offer(normal * (p.dot(normal) / normal.length_squared()), [i, j, k], 3);
                }
            }
        }
    }
    for (index, corner) in best.0.into_iter().enumerate().take(best.1) {
        simplex[index] = points[corner];
    }
    best.1
}

#[cfg(test)]
mod tests;
