//! Rest: when a body may fall asleep.
//!
//! A small speed is not rest. A body that has just begun to fall is slow, and so is a pendulum that turns
//! back. A body is at rest when, for the whole delay,
//!
//! 1. it was slow, measured at its radius of gyration;
//! 2. its velocity stayed steady, within a tolerance of what it was when the time began; or, for three times
//!    as long, it stayed near its place: a stack may sway a little for long;
//! 3. something supported it, or it stood still without a force on it;
//! 4. it was not being pushed out of a deep overlap.
//!
//! Reference: E. Catto, Simulation Islands, box2d.org, 2023 (speed and delay).
//! Differs: rules 2 to 4. Tried: a low-passed velocity as the reference; it misses half as small a force.

use crate::body::Body;
use carom_math::{Real, Vec3};

/// Rule 2: how far a velocity may stray, as a part of the speed below which a body is slow.
const STEADY_TOLERANCE: Real = 0.2;

/// Rule 2: how far a body may go and still be near its place, as a part of the way at the same speed in a
/// unit of time.
const NEAR_WAY: Real = 0.2;

/// Rule 2: for how many delays it has to stay there.
const NEAR_DELAYS: Real = 3.0;

/// Rule 3: the speed at which an unsupported body stands still, as a part of the same speed.
const STILL_SPEED: Real = 1.0 / 64.0;

/// Rule 4: how fast a deep overlap is undone at least, as a part of the same speed.
const PUSHED_OUT_SPEED: Real = 0.25;

/// An overlap of so many slops is a deep one.
pub(crate) const DEEP_SLOPS: Real = 4.0;

/// As [`NEAR_DELAYS`], for a body to be calm.
const CALM_DELAYS: Real = 1.5;

/// What supports a body, at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum Touch {
    /// No contact within the slop, and no joint.
    #[default]
    Apart,
    Touching,
    /// An overlap deeper than [`DEEP_SLOPS`].
    Deep,
}

/// How a body moved in a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepMotion {
    pub(crate) linear_velocity: Vec3,
    pub(crate) angular_velocity: Vec3,
    /// Way of the centre of mass and turn over the step, each divided by its length. Undoing an overlap
    /// displaces a body without a velocity, and contacts against each other leave a velocity without a way.
    pub(crate) linear_way: Vec3,
    pub(crate) angular_way: Vec3,
    /// Squared radius of gyration: brings turning to the unit of a speed.
    pub(crate) gyration_sq: Real,
    /// Gravity, a force or a torque acts.
    pub(crate) has_force: bool,
    pub(crate) touch: Touch,
}

/// Counts the step in the times for which the body has been slow and steady.
pub(crate) fn note_motion(body: &mut Body, motion: &StepMotion, sleep_speed: Real, dt: Real) {
    let size_sq =
        |linear: Vec3, angular: Vec3| linear.length_squared() + angular.length_squared() * motion.gyration_sq;
    let limit_sq = sleep_speed * sleep_speed;
    let way_sq = size_sq(motion.linear_way, motion.angular_way);
    let speed_sq = size_sq(motion.linear_velocity, motion.angular_velocity).min(way_sq);
    if !(speed_sq <= limit_sq) {
        body.sleep_time = 0.0;
        begin_steady_time(body, motion);
        begin_near_time(body);
        return;
    }
    body.sleep_time += dt;
    let is_supported = match motion.touch {
        Touch::Apart => !motion.has_force && way_sq <= STILL_SPEED * STILL_SPEED * limit_sq,
        Touch::Touching => true,
        Touch::Deep => way_sq <= PUSHED_OUT_SPEED * PUSHED_OUT_SPEED * limit_sq,
    };
    let strayed_sq =
        size_sq(motion.linear_way - body.steady_linear, motion.angular_way - body.steady_angular);
    if is_supported && strayed_sq <= STEADY_TOLERANCE * STEADY_TOLERANCE * limit_sq {
        body.steady_time += dt;
    } else {
        begin_steady_time(body, motion);
    }
    body.near_linear += motion.linear_way * dt;
    body.near_angular += motion.angular_way * dt;
    let away_sq = size_sq(body.near_linear, body.near_angular);
    if is_supported && away_sq <= NEAR_WAY * NEAR_WAY * limit_sq {
        body.near_time += dt;
    } else {
        begin_near_time(body);
    }
}

/// The velocity is steady from here on, if it stays near what it is now.
fn begin_steady_time(body: &mut Body, motion: &StepMotion) {
    body.steady_time = 0.0;
    // The shortest steps make ways of them that are beyond the largest number.
    let finite = |v: Vec3| if v.is_finite() { v } else { Vec3::ZERO };
    (body.steady_linear, body.steady_angular) = (finite(motion.linear_way), finite(motion.angular_way));
}

/// The place where the body is now is the one to stay near.
fn begin_near_time(body: &mut Body) {
    body.near_time = 0.0;
    (body.near_linear, body.near_angular) = (Vec3::ZERO, Vec3::ZERO);
}

/// For how long the body has been at rest.
pub(crate) fn rest_time(body: &Body) -> Real {
    body.sleep_time.min(body.steady_time.max(body.near_time / NEAR_DELAYS))
}

/// For how long the body has shown no sign of going anywhere: sooner than it is at rest.
pub(crate) fn calm_time(body: &Body) -> Real {
    body.sleep_time.min(body.steady_time.max(body.near_time / CALM_DELAYS))
}
