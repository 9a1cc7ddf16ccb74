//! Changes of the settings, and which sleeping bodies they wake.
//!
//! Settings are changed between steps. The next step compares them with those of the step before:
//! so no change is lost, however it was made. A body is woken if the change acts on it:
//!
//! 1. gravity: bodies that feel gravity;
//! 2. stiffness and damping of joints: bodies in joints;
//! 3. slop, push-out and internal edges: bodies that touch another one;
//! 4. the unit of length, a stricter rule of sleep, or no sleep at all: all bodies.
//!
//! The others act on motion alone, and a sleeping body has none.
//!
//! Reference: E. Catto, Simulation Islands, box2d.org, 2023 (waking).

use crate::{BodyId, World, WorldError, WorldSettings};
use alloc::vec::Vec;
use carom_broad::BroadPhase;
use carom_response::SolverSettings;

impl<B: BroadPhase> World<B> {
    /// Replaces all settings. The next step wakes what a change concerns, as it does for
    /// [`World::solver_settings_mut`].
    ///
    /// Errors: a setting out of its bounds; nothing is changed.
    pub fn set_settings(&mut self, settings: WorldSettings) -> Result<(), WorldError> {
        settings.check()?;
        self.settings = settings;
        Ok(())
    }

    /// Wakes all bodies; those that were awake have to come to rest anew.
    pub fn wake_all(&mut self) {
        for body in 0..self.bodies.len() {
            self.movers.wake(&mut self.bodies, body);
        }
    }

    /// Checks the settings, and lets act what was changed since the last step.
    pub(crate) fn apply_settings(&mut self) -> Result<(), WorldError> {
        self.settings.check()?;
        let (old, new) = (self.settings_in_force, self.settings);
        if old == new {
            return Ok(());
        }
        self.settings_in_force = new;
        let contact_distances =
            |s: &WorldSettings| [s.prediction, s.solver.slop].map(|x| x * s.solver.length_unit);
        if contact_distances(&old) != contact_distances(&new)
            || old.smooths_internal_edges != new.smooths_internal_edges
        {
            // Boxes reach as far as contacts are known, and all contacts are looked for again.
            let live: Vec<usize> = self.body_ids().map(|id| id.index as usize).collect();
            live.into_iter().for_each(|index| self.refit(index));
        }
        let (is_woken, all) = self.concerned(&old, &new);
        for body in 0..self.bodies.len() {
            if all || is_woken[body] {
                self.movers.wake(&mut self.bodies, body);
            }
        }
        Ok(())
    }

    /// By number, which bodies a change concerns, and whether it concerns all.
    fn concerned(&self, old: &WorldSettings, new: &WorldSettings) -> (Vec<bool>, bool) {
        let smooths = [old, new].map(|s| s.smooths_internal_edges);
        let (old, new) = (&old.solver, &new.solver);
        let of_joints = |s: &SolverSettings| [s.joint_frequency, s.joint_damping];
        let of_contacts = |s: &SolverSettings| [s.slop, s.push_out_rate, s.push_out_speed];
        let is_stricter =
            new.sleep_speed < old.sleep_speed || old.sleep_delay < new.sleep_delay || old.sleep && !new.sleep;
        if old.length_unit != new.length_unit || is_stricter {
            return (Vec::new(), true);
        }
        let feels_gravity = old.gravity != new.gravity;
        let mut concerned: Vec<bool> =
            self.bodies.iter().map(|body| feels_gravity && body.gravity_scale != 0.0).collect();
        if of_joints(old) != of_joints(new) {
            for (_, joint) in self.joints.iter() {
                (concerned[joint.body_a as usize], concerned[joint.body_b as usize]) = (true, true);
            }
        }
        if of_contacts(old) != of_contacts(new) || smooths[0] != smooths[1] {
            let is_pushed = |id: &BodyId| self.generations[id.index as usize] == id.generation;
            let touching = self.records.iter().filter(|record| record.is_touching && !record.is_sensor);
            for id in touching.flat_map(|record| [record.a, record.b]).filter(is_pushed) {
                concerned[id.index as usize] = true;
            }
        }
        (concerned, false)
    }
}
