//! Data of sleep: the surroundings of soft things that sleep, and pushes on bodies that sleep.
//!
//! Reference: E. Catto, Simulation Islands, box2d.org, 2023 (speed and delay).

use crate::BodyId;
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_math::{Pose, Vec3, ops};
use carom_response::Body;

/// The part of the last push in the mean.
const MEAN_PART: f32 = 1.0 / 16.0;

/// Whether soft things sleep, and what was around them when they fell asleep.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Resting {
    pub(crate) is_sleeping: bool,
    /// How long all particles stayed near `places`.
    pub(crate) time: f32,
    pub(crate) places: Vec<Vec3>,
    /// The bodies near them: where they are, and their boxes.
    pub(crate) near: Vec<(BodyId, Pose, Aabb)>,
}

/// A push on a dynamic body: impulse and angular impulse of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Push {
    pub(crate) body: BodyId,
    /// The mean over the last steps in which it was awake.
    pub(crate) mean: [Vec3; 2],
    /// The sum of what it did not get while it slept, beyond the mean.
    pub(crate) missed: [Vec3; 2],
}

impl Push {
    pub(crate) fn none(body: BodyId) -> Push {
        Push { body, mean: [Vec3::ZERO; 2], missed: [Vec3::ZERO; 2] }
    }

    /// Notes a push that an awake body gets.
    pub(crate) fn note(&mut self, push: [Vec3; 2]) {
        for (mean, push) in self.mean.iter_mut().zip(push) {
            *mean += (push - *mean) * MEAN_PART;
        }
        self.missed = [Vec3::ZERO; 2];
    }

    /// Notes a push that a sleeping body would get. Returns whether it has to wake.
    pub(crate) fn miss(&mut self, push: [Vec3; 2], body: &Body, sleep_speed: f32) -> bool {
        for k in 0..2 {
            self.missed[k] += push[k] - self.mean[k];
        }
        let [linear, angular] = self.missed;
        // The speed of a body with this energy.
        let turning = angular.dot(body.world_inverse_inertia() * angular).max(0.0) * body.inverse_mass;
        let speed = linear.length() * body.inverse_mass + ops::sqrt(turning);
        !(speed <= sleep_speed)
    }
}
