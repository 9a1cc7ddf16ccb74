//! Lower bounds of the time until two bodies can touch.
//!
//! Two bodies have a distance, a bound on their approach speed and a bound on their acceleration.
//! They cannot meet before a point with that speed and acceleration has covered the distance. A
//! priority queue ordered by these times tests each pair only when it is due.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.3.2 (lower bounds from
//! distance, velocity and acceleration) and eq. 25.11 (rotation); M. C. Lin, Efficient Collision
//! Detection for Animation and Robotics, 1993, 5.2.
//! Differs: rounded downwards, and valid for any numbers.

use carom_math::ops::sqrt;
use carom_math::scaling::scale_of;
use glam::DVec3;

/// Returns the fastest rate at which the distance of two bodies can shrink along the direction from
/// A to B: eq. 25.11 of Real-Time Rendering.
///
/// `relative_velocity` is that of B's centre relative to A's. `direction` is the unit vector from A
/// towards B at their nearest points. `spins` is the angular speed times the radius of each body.
///
/// The speed is valid while the velocities stay the same and the direction stays within the gap.
/// For a speed valid in any direction, use the length of the relative velocity, or add the
/// rotation across it.
pub fn approach_speed(relative_velocity: DVec3, direction: DVec3, spins: [f64; 2]) -> f64 {
    -relative_velocity.dot(direction) + spins[0] + spins[1]
}

/// Returns a time before which two bodies cannot touch. They are `distance` apart, the distance
/// shrinks at `speed` at most, and the speed grows by at most `acceleration` per unit of time.
///
/// `speed` may be negative, for bodies that separate. A distance or an acceleration below 0 counts
/// as 0. Infinite if they can never touch. 0 if a number is NaN. Rounded downwards: distance, speed
/// and acceleration are taken as exact.
pub fn contact_time_bound(distance: f64, speed: f64, acceleration: f64) -> f64 {
    if distance.is_nan() || speed.is_nan() || acceleration.is_nan() || distance <= 0.0 {
        return 0.0;
    }
    let acceleration = acceleration.max(0.0);
    if acceleration == 0.0 && speed <= 0.0 {
        return f64::INFINITY;
    }
    if speed == f64::INFINITY || acceleration == f64::INFINITY {
        return 0.0;
    }
    if distance == f64::INFINITY || speed == f64::NEG_INFINITY {
        return f64::INFINITY;
    }
    // distance = speed t + acceleration t^2 / 2, with lengths scaled to about 1.
    let scale = scale_of(distance.max(speed.abs()).max(acceleration));
    let (distance, speed, acceleration) = (distance * scale, speed * scale, acceleration * scale);
    let root = sqrt(speed * speed + 2.0 * acceleration * distance);
    let t = if 0.0 < speed || acceleration == 0.0 {
        2.0 * distance / (speed + root)
    } else {
        (root - speed) / acceleration
    };
    // Roots, sums and quotients: at most 8 u, 2^-53 each.
    let t = t * (1.0 - 8.0 * f64::EPSILON);
    if 0.0 < t { t } else { 0.0 }
}
