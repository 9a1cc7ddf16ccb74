//! How long two bodies may be left alone: lower bounds of the time until they can touch.
//!
//! Bodies that are a distance apart, approach each other at no more than a speed, and gain no more
//! than an acceleration, cannot meet before the time at which a point with that speed and that
//! acceleration has covered the distance. Until then nobody need look at them: a queue ordered by
//! these times looks at each pair when it is due.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.3.2 (lower bounds from
//! distance, velocity and acceleration) and eq. 25.11 (rotation); M. C. Lin, Efficient Collision
//! Detection for Animation and Robotics, 1993, 5.2.
//! Differs: rounded downwards, and right for any numbers.

use carom_math::ops::sqrt;
use carom_math::scaling::scale_of;
use glam::DVec3;

/// How fast the distance of two bodies can shrink at most, along the direction from A to B: eq.
/// 25.11 of Real-Time Rendering.
///
/// `relative_velocity` is that of B's centre as seen from A's, `direction` the unit vector from A
/// towards B where they are nearest, `spins` how far the farthest point of each body may go in a
/// unit of time as it turns: angular speed times radius. Good for as long as the velocities are
/// those, and the direction within the distance: for a speed that holds in any direction, add what
/// turns across it, or use the length of the relative velocity.
pub fn approach_speed(relative_velocity: DVec3, direction: DVec3, spins: [f64; 2]) -> f64 {
    -relative_velocity.dot(direction) + spins[0] + spins[1]
}

/// A time before which bodies cannot touch that are `distance` apart, while the distance shrinks at
/// `speed` at most, and this speed grows by `acceleration` at most in a unit of time.
///
/// `speed` may be negative, of bodies that part; a distance or an acceleration below 0 counts as 0.
/// Infinite where they can never touch; 0 where a number is NaN. Rounded downwards: distance, speed
/// and acceleration are taken as they are.
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
    // distance = speed t + acceleration t^2 / 2, with lengths of about 1.
    let scale = scale_of(distance.max(speed.abs()).max(acceleration));
    let (distance, speed, acceleration) = (distance * scale, speed * scale, acceleration * scale);
    let root = sqrt(speed * speed + 2.0 * acceleration * distance);
    let t = if 0.0 < speed || acceleration == 0.0 {
        2.0 * distance / (speed + root)
    } else {
        (root - speed) / acceleration
    };
    // Roots, sums and quotients: 8 u, 2^-53 each, at most.
    let t = t * (1.0 - 8.0 * f64::EPSILON);
    if 0.0 < t { t } else { 0.0 }
}
