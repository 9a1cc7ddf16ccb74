//! Rest: measures for how long a body has been at rest, which decides whether it may fall asleep.
//!
//! A small speed is not rest: a body that begins to fall is slow, and so is a pendulum at its
//! turning point. A body is at rest if all of this holds for the whole delay:
//!
//! 1. It was slow, measured at its radius of gyration.
//! 2. Its velocity stayed within a tolerance of its first value. Or it stayed near its first
//!    position for three times the delay, because a stack may sway slightly for a long time.
//! 3. Something supported it, or it did not move and no force acted on it.
//! 4. It was not pushed out of a deep overlap.
//!
//! Reference: E. Catto, Simulation Islands, box2d.org, 2023 (speed and delay).
//! Differs: rules 2 to 4. Tried: a low-passed velocity as the reference; it is half as sensitive to
//! a force.

use carom_math::{Real, Vec3};

/// Rule 2: tolerance of the velocity, as a fraction of the sleep speed.
const STEADY_TOLERANCE: Real = 0.2;

/// Rule 2: tolerance of the position, as a fraction of the distance covered at the sleep speed in a
/// unit of time.
const NEAR_TOLERANCE: Real = 0.2;

/// Rule 2: the time for which the body has to stay near its position, in units of the delay.
const NEAR_DELAYS: Real = 3.0;

/// Rule 3: speed below which an unsupported body counts as still, as a fraction of the sleep speed.
const STILL_SPEED: Real = 1.0 / 64.0;

/// Rule 4: speed above which a deeply overlapping body counts as being pushed out, as a fraction of
/// the sleep speed.
const PUSHED_OUT_SPEED: Real = 0.25;

/// Depth of a deep overlap, in units of the slop.
pub(crate) const DEEP_SLOPS: Real = 4.0;

/// Time for which a body has to stay near its position to become calm, in units of the delay.
const CALM_DELAYS: Real = 1.5;

/// The closest contact of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum Touch {
    /// No contact within the slop, and no joint.
    #[default]
    Apart,
    Touching,
    /// An overlap deeper than [`DEEP_SLOPS`].
    Deep,
}

/// The motion of a body in a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepMotion {
    pub(crate) linear_velocity: Vec3,
    pub(crate) angular_velocity: Vec3,
    /// Displacement and rotation over the step, divided by its length. They differ from the
    /// velocities: push-out moves a body without a velocity, and opposing contacts leave a velocity
    /// without a displacement.
    pub(crate) mean_velocity: Vec3,
    pub(crate) mean_angular_velocity: Vec3,
    /// Squared radius of gyration: converts an angular speed to a speed.
    pub(crate) gyration_sq: Real,
    /// Whether gravity, a force or a torque acts.
    pub(crate) has_force: bool,
    pub(crate) touch: Touch,
}

/// The rest times of a body, and the reference velocities and positions for the rules of this
/// file.
///
/// Times are in units of time. Speeds are displacements in a step divided by its length.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RestTimer {
    /// Rule 1: for how long it has been slow.
    slow_time: Real,
    /// Rule 2: for how long its velocity has been steady and something supported it. The two
    /// vectors below are its linear and angular velocity at the beginning of that time.
    steady_time: Real,
    steady_linear: Vec3,
    steady_angular: Vec3,
    /// Rule 2: for how long it has been near one position and something supported it. The two
    /// vectors below are its displacement and rotation since then.
    near_time: Real,
    near_linear: Vec3,
    near_angular: Vec3,
    /// Whether it bounced, and has touched something and not been slow since then.
    is_bouncing: bool,
}

impl RestTimer {
    /// All times zero.
    pub const NONE: RestTimer = RestTimer {
        slow_time: 0.0,
        steady_time: 0.0,
        steady_linear: Vec3::ZERO,
        steady_angular: Vec3::ZERO,
        near_time: 0.0,
        near_linear: Vec3::ZERO,
        near_angular: Vec3::ZERO,
        is_bouncing: false,
    };

    /// Returns for how long the body has been slow.
    pub fn slow_time(&self) -> Real {
        self.slow_time
    }

    /// Resets all times to zero.
    pub fn begin_anew(&mut self) {
        (self.slow_time, self.steady_time) = (0.0, 0.0);
        self.begin_near_time();
    }

    /// Limits the slow time to `time`, which delays sleep.
    pub fn put_off(&mut self, time: Real) {
        self.slow_time = self.slow_time.min(time);
    }

    /// Returns for how long the body has been at rest.
    pub(crate) fn rest_time(&self) -> Real {
        self.slow_time.min(self.steady_time.max(self.near_time / NEAR_DELAYS))
    }

    /// Returns for how long the body has been calm. A body is calm sooner than it is at rest.
    pub(crate) fn calm_time(&self) -> Real {
        self.slow_time.min(self.steady_time.max(self.near_time / CALM_DELAYS))
    }

    /// Updates the times after a step of length `dt` with this motion.
    pub(crate) fn note(&mut self, motion: &StepMotion, sleep_speed: Real, dt: Real) {
        let size_sq = |linear: Vec3, angular: Vec3| {
            linear.length_squared() + angular.length_squared() * motion.gyration_sq
        };
        let limit_sq = sleep_speed * sleep_speed;
        let mean_sq = size_sq(motion.mean_velocity, motion.mean_angular_velocity);
        let speed_sq = size_sq(motion.linear_velocity, motion.angular_velocity).min(mean_sq);
        if !(speed_sq <= limit_sq) {
            self.slow_time = 0.0;
            self.begin_steady_time(motion);
            self.begin_near_time();
            return;
        }
        self.slow_time += dt;
        let is_supported = match motion.touch {
            Touch::Apart => !motion.has_force && mean_sq <= STILL_SPEED * STILL_SPEED * limit_sq,
            Touch::Touching => true,
            Touch::Deep => mean_sq <= PUSHED_OUT_SPEED * PUSHED_OUT_SPEED * limit_sq,
        };
        let strayed_sq = size_sq(
            motion.mean_velocity - self.steady_linear,
            motion.mean_angular_velocity - self.steady_angular,
        );
        if is_supported && strayed_sq <= STEADY_TOLERANCE * STEADY_TOLERANCE * limit_sq {
            self.steady_time += dt;
        } else {
            self.begin_steady_time(motion);
        }
        self.near_linear += motion.mean_velocity * dt;
        self.near_angular += motion.mean_angular_velocity * dt;
        let away_sq = size_sq(self.near_linear, self.near_angular);
        if is_supported && away_sq <= NEAR_TOLERANCE * NEAR_TOLERANCE * limit_sq {
            self.near_time += dt;
        } else {
            self.begin_near_time();
        }
    }

    /// Whether the body bounced and has not left its contacts or come to rest since then.
    pub(crate) fn is_bouncing(&self) -> bool {
        self.is_bouncing
    }

    /// Notes at the end of a step whether the body bounced in it. [`RestTimer::note`] comes first.
    pub(crate) fn note_bounce(&mut self, has_bounced: bool, touch: Touch) {
        let still_leaves = self.is_bouncing && touch != Touch::Apart && self.slow_time == 0.0;
        self.is_bouncing = has_bounced || still_leaves;
    }

    /// Makes the present velocity the reference of the steady time.
    fn begin_steady_time(&mut self, motion: &StepMotion) {
        self.steady_time = 0.0;
        // In extremely short steps the division by the length may overflow.
        let finite = |v: Vec3| if v.is_finite() { v } else { Vec3::ZERO };
        (self.steady_linear, self.steady_angular) =
            (finite(motion.mean_velocity), finite(motion.mean_angular_velocity));
    }

    /// Makes the present position the reference of the near time.
    fn begin_near_time(&mut self) {
        self.near_time = 0.0;
        (self.near_linear, self.near_angular) = (Vec3::ZERO, Vec3::ZERO);
    }

    /// Whether every number is finite.
    pub(crate) fn is_finite(&self) -> bool {
        // Tested one by one, because the sum of two large numbers may overflow.
        let vectors = [self.steady_linear, self.steady_angular, self.near_linear, self.near_angular];
        self.times().iter().all(|time| time.is_finite()) && vectors.iter().all(|v| v.is_finite())
    }

    /// Returns the times, none of which is negative.
    pub(crate) fn times(&self) -> [Real; 3] {
        [self.slow_time, self.steady_time, self.near_time]
    }
}
