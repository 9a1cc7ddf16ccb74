//! Sleep of soft things, and their pushes on sleeping bodies.
//!
//! - Soft things fall asleep together when all of their particles have stayed in place for a
//!   while, and no body near them moves. They wake when a body near them changes.
//! - A sleeping body gets no push. It wakes when the withheld pushes would give it the sleep
//!   speed. The mean push before it fell asleep does not count, because its support carried that
//!   already.
//!
//! Reference: E. Catto, Simulation Islands, box2d.org, 2023 (speed and delay).

use crate::soft::resting::{Mark, Resting};
use crate::soft::set::SoftSet;
use alloc::vec::Vec;
use carom_math::Vec3;

/// The distance within which resting particles stay, as the time to cover it at the sleep speed, in
/// seconds.
const NEAR_TRAVEL_SECONDS: f32 = 0.05;

/// The time for which they must stay there, in sleep delays of bodies.
const NEAR_DELAYS: f32 = 2.0;

impl SoftSet {
    /// Wakes all soft things. Their time at rest starts from zero.
    pub(crate) fn wake(&mut self) {
        self.resting = Resting::default();
    }

    /// Records after a step how long all particles have been at rest. Returns whether that is long
    /// enough for sleep.
    pub(crate) fn note_rest(&mut self, dt: f32, sleep_speed: f32, sleep_delay: f32) -> bool {
        let limit = NEAR_TRAVEL_SECONDS * sleep_speed;
        let mut positions = core::mem::take(&mut self.resting.positions);
        let all = || self.things().flat_map(|thing| &thing.positions);
        let stays = |(position, now): (&Vec3, &Vec3)| position.distance_squared(*now) <= limit * limit;
        if positions.len() == self.solver.n_particles() && positions.iter().zip(all()).all(stays) {
            self.resting.time += dt;
        } else {
            positions.clear();
            positions.extend(all());
            self.resting.time = 0.0;
        }
        self.resting.positions = positions;
        NEAR_DELAYS * sleep_delay <= self.resting.time
    }

    /// Puts all soft things to sleep, among these bodies.
    pub(crate) fn fall_asleep(&mut self, near: Vec<Mark>) {
        for id in 0..self.solver.n_particles() as u32 {
            if let Some(position) = self.solver.position(id) {
                let stopped = self.solver.set_particle(id, position, Vec3::ZERO);
                debug_assert!(stopped.is_ok(), "a particle is where it was: {stopped:?}");
            }
        }
        self.read_particles();
        self.resting = Resting { is_sleeping: true, near, ..Resting::default() };
        self.are_bodies_changed = false;
    }
}
