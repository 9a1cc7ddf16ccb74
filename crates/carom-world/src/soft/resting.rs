//! The data of sleep: the bodies near sleeping soft things, and the pushes on sleeping bodies.
//!
//! Reference: E. Catto, Simulation Islands, box2d.org, 2023 (speed and delay).

use crate::BodyId;
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_math::{Pose, Vec3, ops};
use carom_response::Body;

/// The weight of the last push in the running mean.
const MEAN_PART: f32 = 1.0 / 16.0;

/// The sleep state of soft things, and their surroundings when they fell asleep.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Resting {
    pub(crate) is_sleeping: bool,
    /// The time for which all particles have stayed near `positions`, in seconds.
    pub(crate) time: f32,
    pub(crate) positions: Vec<Vec3>,
    /// The bodies near them.
    pub(crate) near: Vec<Mark>,
}

/// A body near sleeping soft things, with its pose and its box.
pub(crate) type Mark = (BodyId, Pose, Aabb);

/// A push on a dynamic body: impulse and angular impulse of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Push {
    pub(crate) body: BodyId,
    /// The running mean over the last steps in which the body was awake.
    pub(crate) mean: [Vec3; 2],
    /// The sum of the pushes withheld while it slept, each minus the mean.
    pub(crate) missed: [Vec3; 2],
}

impl Push {
    pub(crate) fn none(body: BodyId) -> Push {
        Push { body, mean: [Vec3::ZERO; 2], missed: [Vec3::ZERO; 2] }
    }

    /// Records a push on an awake body.
    pub(crate) fn note(&mut self, push: [Vec3; 2]) {
        for (mean, push) in self.mean.iter_mut().zip(push) {
            *mean += (push - *mean) * MEAN_PART;
        }
        self.missed = [Vec3::ZERO; 2];
    }

    /// Records a withheld push on a sleeping body. Returns whether the body must wake.
    pub(crate) fn miss(&mut self, push: [Vec3; 2], body: &Body, sleep_speed: f32) -> bool {
        for k in 0..2 {
            self.missed[k] += push[k] - self.mean[k];
        }
        let [linear, angular] = self.missed;
        // The speed of a body with the same kinetic energy.
        let turning = angular.dot(body.world_inverse_inertia() * angular).max(0.0) * body.inverse_mass;
        let speed = linear.length() * body.inverse_mass + ops::sqrt(turning);
        !(speed <= sleep_speed)
    }
}
