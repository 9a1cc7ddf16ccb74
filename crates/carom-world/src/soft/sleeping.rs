//! When soft things sleep, and what they do to bodies that sleep.
//!
//! - Soft things fall asleep when all of their particles stayed near one place for a while, and no
//!   body near them moves. They wake when something near them is not as it was then.
//! - A sleeping body gets no push. It wakes when the pushes that it did not get add up to the speed
//!   of sleep. The mean push as it fell asleep does not count, because what carries the body bore
//!   it then.
//!
//! Reference: E. Catto, Simulation Islands, box2d.org, 2023 (speed and delay).

use crate::BodyId;
use crate::soft::set::SoftSet;
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_math::{Pose, Vec3, ops};
use carom_response::Body;

/// Particles are at rest while they stay within this part of the distance at the speed of sleep in
/// a unit of time.
const NEAR_WAY: f32 = 0.05;

/// They stay there for so many times the delay of bodies.
const NEAR_DELAYS: f32 = 2.0;

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

impl SoftSet {
    /// Wakes all soft things. Their time at rest starts from zero.
    pub(crate) fn wake(&mut self) {
        self.resting = Resting::default();
    }

    /// After a step: notes how long all particles have been at rest. Returns whether that is long
    /// enough.
    pub(crate) fn note_rest(&mut self, dt: f32, sleep_speed: f32, sleep_delay: f32) -> bool {
        let limit = NEAR_WAY * sleep_speed;
        let mut places = core::mem::take(&mut self.resting.places);
        let all = || self.things().flat_map(|thing| &thing.positions);
        let stays = |(place, now): (&Vec3, &Vec3)| place.distance_squared(*now) <= limit * limit;
        if places.len() == self.solver.n_particles() && places.iter().zip(all()).all(stays) {
            self.resting.time += dt;
        } else {
            places.clear();
            places.extend(all());
            self.resting.time = 0.0;
        }
        self.resting.places = places;
        NEAR_DELAYS * sleep_delay <= self.resting.time
    }

    /// Puts all soft things to sleep, among these bodies.
    pub(crate) fn fall_asleep(&mut self, near: Vec<(BodyId, Pose, Aabb)>) {
        for id in 0..self.solver.n_particles() as u32 {
            if let Some(position) = self.solver.position(id) {
                let stopped = self.solver.set_particle(id, position, Vec3::ZERO);
                debug_assert!(stopped.is_ok(), "a particle is where it was: {stopped:?}");
            }
        }
        self.read_particles();
        self.resting = Resting { is_sleeping: true, near, ..Resting::default() };
    }
}
