//! Centres of spheres around points: the smallest, and a quick one.
//!
//! Two to four of the points determine the smallest sphere. The algorithm scans the points in
//! random order. A point outside the sphere of the earlier points is on the surface of the next
//! one. A nested scan finds that one.
//!
//! Reference: E. Welzl, Smallest Enclosing Disks (Balls and Ellipsoids), 1991, as three nested
//! walks (M. de Berg et al., Computational Geometry, 3rd ed., 4.7); J. Ritter, An Efficient
//! Bounding Sphere, Graphics Gems, 1990.
//! Differs: the random order depends only on the number of points. Dependent points are skipped,
//! because the caller measures the radius afterwards.

use crate::frame::Frame;
use alloc::vec::Vec;
use carom_math::tol;
use glam::DVec3;

/// A point outside by this relative amount, in squared distances, counts as inside; it covers
/// rounding.
const ROOM: f64 = tol::BALL_HOLDS;

#[derive(Clone, Copy)]
struct Ball {
    center: DVec3,
    radius_sq: f64,
}

impl Ball {
    fn holds(&self, p: DVec3) -> bool {
        (p - self.center).length_squared() <= self.radius_sq * (1.0 + ROOM)
    }

    /// Returns the smallest ball with these points on its surface: the first one, and the
    /// differences to the others. `None` if they are dependent.
    fn through(first: DVec3, others: &[DVec3]) -> Option<Ball> {
        let offset = match *others {
            [] => DVec3::ZERO,
            [a] => a * 0.5,
            [a, b] => {
                // In the plane of the three: the solution of x.a = a.a/2, x.b = b.b/2, with x in
                // the span of a and b.
                let normal = a.cross(b);
                let size = normal.length_squared();
                if !(size > tol::BALL_DEPENDENT * a.length_squared() * b.length_squared()) {
                    return None;
                }
                (b.cross(normal) * a.length_squared() + normal.cross(a) * b.length_squared()) / (2.0 * size)
            }
            [a, b, c] => {
                let volume = a.dot(b.cross(c));
                let size = a.length_squared() * b.length_squared() * c.length_squared();
                if !(volume * volume > tol::BALL_DEPENDENT * size) {
                    return None;
                }
                (b.cross(c) * a.length_squared()
                    + c.cross(a) * b.length_squared()
                    + a.cross(b) * c.length_squared())
                    / (2.0 * volume)
            }
            _ => return None,
        };
        Some(Ball { center: first + offset, radius_sq: offset.length_squared() })
    }
}

/// Returns the centre of the smallest sphere around points; the origin for none.
pub(crate) fn welzl<P: Copy + Into<DVec3>>(points: &[P]) -> DVec3 {
    let frame = Frame::of(points);
    let mut p: Vec<DVec3> = points.iter().map(|&p| frame.enter(p)).collect();
    shuffle(&mut p);
    let Some(&start) = p.first() else { return DVec3::ZERO };
    let mut ball = Ball { center: start, radius_sq: 0.0 };
    for i in 1..p.len() {
        if ball.holds(p[i]) {
            continue;
        }
        ball = Ball { center: p[i], radius_sq: 0.0 };
        for j in 0..i {
            if ball.holds(p[j]) {
                continue;
            }
            let a = p[j] - p[i];
            if let Some(next) = Ball::through(p[i], &[a]) {
                ball = next;
            }
            for k in 0..j {
                if ball.holds(p[k]) {
                    continue;
                }
                let b = p[k] - p[i];
                // Three points on a line: the outer two decide, and another iteration tests them.
                if let Some(next) = Ball::through(p[i], &[a, b]) {
                    ball = next;
                }
                for l in 0..k {
                    if ball.holds(p[l]) {
                        continue;
                    }
                    if let Some(next) = Ball::through(p[i], &[a, b, p[l] - p[i]]) {
                        ball = next;
                    }
                }
            }
        }
    }
    if ball.center.is_finite() { frame.leave(ball.center) } else { ritter(points) }
}

/// Shuffles points in an order that depends only on their number.
fn shuffle(points: &mut [DVec3]) {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for i in (1..points.len()).rev() {
        // xorshift64* (S. Vigna, 2016).
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        let random = state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32;
        points.swap(i, below(random, i + 1));
    }
}

/// Scales a random number below 2^32 to one below `n`. The product needs more bits than a `usize`
/// has on some targets.
fn below(random: u64, n: usize) -> usize {
    ((u128::from(random) * n as u128) >> 32) as usize
}

/// Returns the centre of Ritter's sphere; the origin for no points.
pub(crate) fn ritter<P: Copy + Into<DVec3>>(points: &[P]) -> DVec3 {
    let frame = Frame::of(points);
    let farthest = |from: DVec3| {
        points.iter().fold(from, |best, &p| {
            let p = frame.enter(p);
            if (best - from).length_squared() < (p - from).length_squared() { p } else { best }
        })
    };
    // The first point is the origin of the frame.
    let a = farthest(DVec3::ZERO);
    let b = farthest(a);
    let mut center = (a + b) * 0.5;
    let mut radius = carom_math::ops::sqrt((b - a).length_squared()) * 0.5;
    for &p in points {
        let away = frame.enter(p) - center;
        let distance = carom_math::ops::sqrt(away.length_squared());
        if radius < distance {
            let grown = (radius + distance) * 0.5;
            center += away * ((grown - radius) / distance);
            radius = grown;
        }
    }
    frame.leave(center)
}
