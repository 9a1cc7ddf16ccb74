//! Rest: when a body may fall asleep.
//!
//! A small speed is not rest. A body that has just begun to fall is slow, and so is a pendulum that
//! turns back. A body is at rest when, for the whole delay,
//!
//! 1. it was slow, measured at its radius of gyration;
//! 2. its velocity stayed steady, within a tolerance of what it was when the time began; or, for
//!    three times as long, it stayed near its place: a stack may sway a little for long;
//! 3. something supported it, or it stood still without a force on it;
//! 4. it was not being pushed out of a deep overlap.
//!
//! Reference: E. Catto, Simulation Islands, box2d.org, 2023 (speed and delay).
//! Differs: rules 2 to 4. Tried: a low-passed velocity as the reference; it misses half as small a
//! force.

use carom_math::{Real, Vec3};

/// Rule 2: how far a velocity may stray, as a part of the speed below which a body is slow.
const STEADY_TOLERANCE: Real = 0.2;

/// Rule 2: how far a body may go and still be near its place, as a part of the way at the same
/// speed in a unit of time.
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
    /// Way of the centre of mass and turn over the step, each divided by its length. Undoing an
    /// overlap displaces a body without a velocity, and contacts against each other leave a
    /// velocity without a way.
    pub(crate) linear_way: Vec3,
    pub(crate) angular_way: Vec3,
    /// Squared radius of gyration: brings turning to the unit of a speed.
    pub(crate) gyration_sq: Real,
    /// Gravity, a force or a torque acts.
    pub(crate) has_force: bool,
    pub(crate) touch: Touch,
}

/// For how long a body has been at rest: what the rules of this file need to know from step to
/// step.
///
/// Times are in units of time, speeds are ways over a whole step divided by its length.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Rest {
    /// Rule 1: for how long it has been slow.
    slow_time: Real,
    /// Rule 2: for how long its velocity has been steady and something supported it, and the
    /// velocities of the centre of mass and of turning at the beginning of that time.
    steady_time: Real,
    steady_linear: Vec3,
    steady_angular: Vec3,
    /// Rule 2: for how long it has been near one place and something supported it, and how far its
    /// centre of mass has gone and it has turned from there.
    near_time: Real,
    near_linear: Vec3,
    near_angular: Vec3,
}

impl Rest {
    /// No time yet.
    pub const NONE: Rest = Rest {
        slow_time: 0.0,
        steady_time: 0.0,
        steady_linear: Vec3::ZERO,
        steady_angular: Vec3::ZERO,
        near_time: 0.0,
        near_linear: Vec3::ZERO,
        near_angular: Vec3::ZERO,
    };

    /// For how long the body has been slow.
    pub fn slow_time(&self) -> Real {
        self.slow_time
    }

    /// Counts from now on.
    pub fn begin_anew(&mut self) {
        (self.slow_time, self.steady_time) = (0.0, 0.0);
        self.begin_near_time();
    }

    /// Takes the body for slow since `time` at most: it will not be at rest sooner.
    pub fn put_off(&mut self, time: Real) {
        self.slow_time = self.slow_time.min(time);
    }

    /// For how long the body has been at rest.
    pub(crate) fn rest_time(&self) -> Real {
        self.slow_time.min(self.steady_time.max(self.near_time / NEAR_DELAYS))
    }

    /// For how long the body has shown no sign of going anywhere: sooner than it is at rest.
    pub(crate) fn calm_time(&self) -> Real {
        self.slow_time.min(self.steady_time.max(self.near_time / CALM_DELAYS))
    }

    /// Counts a step of length `dt` in which the body moved so.
    pub(crate) fn note(&mut self, motion: &StepMotion, sleep_speed: Real, dt: Real) {
        let size_sq = |linear: Vec3, angular: Vec3| {
            linear.length_squared() + angular.length_squared() * motion.gyration_sq
        };
        let limit_sq = sleep_speed * sleep_speed;
        let way_sq = size_sq(motion.linear_way, motion.angular_way);
        let speed_sq = size_sq(motion.linear_velocity, motion.angular_velocity).min(way_sq);
        if !(speed_sq <= limit_sq) {
            self.slow_time = 0.0;
            self.begin_steady_time(motion);
            self.begin_near_time();
            return;
        }
        self.slow_time += dt;
        let is_supported = match motion.touch {
            Touch::Apart => !motion.has_force && way_sq <= STILL_SPEED * STILL_SPEED * limit_sq,
            Touch::Touching => true,
            Touch::Deep => way_sq <= PUSHED_OUT_SPEED * PUSHED_OUT_SPEED * limit_sq,
        };
        let strayed_sq =
            size_sq(motion.linear_way - self.steady_linear, motion.angular_way - self.steady_angular);
        if is_supported && strayed_sq <= STEADY_TOLERANCE * STEADY_TOLERANCE * limit_sq {
            self.steady_time += dt;
        } else {
            self.begin_steady_time(motion);
        }
        self.near_linear += motion.linear_way * dt;
        self.near_angular += motion.angular_way * dt;
        let away_sq = size_sq(self.near_linear, self.near_angular);
        if is_supported && away_sq <= NEAR_WAY * NEAR_WAY * limit_sq {
            self.near_time += dt;
        } else {
            self.begin_near_time();
        }
    }

    /// The velocity is steady from here on, if it stays near what it is now.
    fn begin_steady_time(&mut self, motion: &StepMotion) {
        self.steady_time = 0.0;
        // The shortest steps make ways of them that are beyond the largest number.
        let finite = |v: Vec3| if v.is_finite() { v } else { Vec3::ZERO };
        (self.steady_linear, self.steady_angular) = (finite(motion.linear_way), finite(motion.angular_way));
    }

    /// The place where the body is now is the one to stay near.
    fn begin_near_time(&mut self) {
        self.near_time = 0.0;
        (self.near_linear, self.near_angular) = (Vec3::ZERO, Vec3::ZERO);
    }

    /// Every number is finite.
    pub(crate) fn is_finite(&self) -> bool {
        // One by one: the sum of two large ones is infinite.
        let vectors = [self.steady_linear, self.steady_angular, self.near_linear, self.near_angular];
        self.times().iter().all(|time| time.is_finite()) && vectors.iter().all(|v| v.is_finite())
    }

    /// The times, none of which is negative.
    pub(crate) fn times(&self) -> [Real; 3] {
        [self.slow_time, self.steady_time, self.near_time]
    }
}
