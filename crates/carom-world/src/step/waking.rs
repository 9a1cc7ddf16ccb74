//! Waking: the reasons for which a step wakes a body, and changes of the settings.
//!
//! | reason | function, and when it runs |
//! |---|---|
//! | a contact of the body began | `wake_newly_touched`, after detection |
//! | a moving body touches it, may reach it, or is joined to it | `wake_touched`, before the solver |
//! | a setting that acts on it changed | `apply_settings`, at the start of a step |
//! | it, or a body that it touches, was edited | in the folder `edit` |
//!
//! All of them call `BodySet::wake`, which wakes the whole group that fell asleep together.
//!
//! Each step compares the settings with those of the step before, so it finds any change of them.
//! A change wakes the bodies on which it acts:
//!
//! 1. gravity: bodies that feel gravity;
//! 2. stiffness and damping of joints: bodies in joints;
//! 3. slop, push-out and internal edges: bodies that touch another one;
//! 4. the unit of length, a stricter rule of sleep, or no sleep at all: all bodies.
//!
//! Changes of the fourth kind wake soft things too, and so do gravity and their own settings. The
//! other settings act on moving bodies only.
//!
//! Reference: E. Catto, Simulation Islands, box2d.org, 2023 (waking).

use crate::contacts::pair_state::PairState;
use crate::step::hits::Hits;
use crate::{BodyId, World, WorldError, WorldSettings};
use alloc::vec::Vec;
use carom_broad::{BroadPhase, Pair};
use carom_geom::Manifold;
use carom_response::{BOUNCE_LOOK_AHEAD, Body, BodyKind, Response, SolverSettings};

impl<B: BroadPhase> World<B> {
    /// Wakes the sleeping bodies of contacts that began in this detection, and of those that a hook
    /// filtered out. A body that the caller put to sleep wakes only if the other body moves.
    pub(crate) fn wake_newly_touched(&mut self) {
        let sleeps = |id: &BodyId| self.bodies.motions[id.index as usize].is_sleeping;
        let moves = |body: &Body| match body.kind {
            BodyKind::Dynamic => !body.is_sleeping,
            BodyKind::Fixed | BodyKind::Kinematic => body.is_moving_kinematic(),
        };
        let is_woken = |[own, other]: &[BodyId; 2]| {
            let [own, other] = [own, other].map(|id| &self.bodies.motions[id.index as usize]);
            own.is_sleeping && (0.0 < own.rest.slow_time() || moves(other))
        };
        let began = |state: &&PairState| state.is_touching && !state.was_touching && !state.is_sensor;
        let states = self.contacts.active_pairs.iter().map(|&index| &self.contacts.states[index as usize]);
        let sides = states.filter(began).flat_map(|state| [[state.a, state.b], [state.b, state.a]]);
        let mut sleepers: Vec<BodyId> = sides.filter(is_woken).map(|[own, _]| own).collect();
        sleepers.extend(self.contacts.hooked.parted.drain(..).filter(sleeps));
        if sleepers.is_empty() {
            return;
        }
        for sleeper in sleepers {
            self.bodies.wake(sleeper.index as usize);
        }
        self.bodies.active.apply_changes(&self.bodies.motions);
        self.contacts.collect_active_pairs(&self.bodies);
    }

    /// Wakes each sleeping body that a moving body touches, or may reach in this step, with its
    /// group.
    ///
    /// A sleeping body takes no impulse, so it would act as a wall, and momentum would be lost.
    /// Woken bodies may wake others, so this repeats until no body wakes. A body that is hit may
    /// reach the next one in the same step: see [`Hits`].
    ///
    /// While bodies are suspended, the bodies of an island fall asleep one after the other. Then a
    /// body that is about to fall asleep wakes no other body.
    pub(crate) fn wake_touched(&mut self, dt: f32) {
        let drowsy = if self.bodies.active.has_suspended() { self.drowsy_from(dt) } else { f32::INFINITY };
        // A step has at least one substep, and bounces look ahead from its end.
        let time = (1.0 + BOUNCE_LOOK_AHEAD) * dt;
        let mut hits = Hits::default();
        loop {
            let mut are_hits_known = false;
            self.joints.find_moving(&self.bodies.active, &mut self.contacts.scratch.joints);
            let mut sleepers: Vec<u32> = Vec::new();
            let sleeps = |body: u32| self.bodies.motions[body as usize].is_sleeping;
            let pushes = |number: u32| {
                let body = &self.bodies.motions[number as usize];
                !body.is_sleeping
                    && match body.kind {
                        BodyKind::Fixed => false,
                        BodyKind::Kinematic => body.is_moving_kinematic(),
                        BodyKind::Dynamic => {
                            !self.bodies.is_suspended(number as usize) && body.rest.slow_time() < drowsy
                        }
                    }
            };
            let is_woken = |pair: Pair| sleeps(pair.a) && pushes(pair.b) || sleeps(pair.b) && pushes(pair.a);
            // If all bodies move, none sleeps.
            let stays = |(number, body): (u32, &Body)| {
                !self.bodies.active.moves(number) && body.kind != BodyKind::Fixed
            };
            let some_stay = (0..).zip(&self.bodies.motions).any(stays);
            for &index in if some_stay { &self.contacts.active_pairs[..] } else { &[] } {
                let pair = self.contacts.pairs[index as usize];
                if self.bodies.active.moves(pair.a) == self.bodies.active.moves(pair.b) || !is_woken(pair) {
                    continue;
                }
                let state = &self.contacts.states[index as usize];
                // A response rule may act as soon as there is a contact.
                let always = self.contacts.rules.of(pair) != Response::Collide;
                if !core::mem::replace(&mut are_hits_known, true) {
                    self.follow_hits(&mut hits, time);
                }
                let [asleep, awake] = if sleeps(pair.a) { [pair.a, pair.b] } else { [pair.b, pair.a] };
                let is_met = self.hit_if_met(&mut hits, state, [awake, asleep], time);
                if is_met || always && !state.is_sensor && 0 < state.n {
                    sleepers.push(asleep);
                }
            }
            for joint in self.contacts.scratch.joints.iter().map(|&index| self.joints.at(index)) {
                if is_woken(Pair { a: joint.body_a, b: joint.body_b }) {
                    sleepers.extend([joint.body_a, joint.body_b].into_iter().filter(|&body| sleeps(body)));
                }
            }
            if sleepers.is_empty() {
                return;
            }
            for sleeper in sleepers {
                self.bodies.wake(sleeper as usize);
            }
            self.bodies.active.apply_changes(&self.bodies.motions);
            // The pairs of the woken bodies become active.
            self.contacts.collect_active_pairs(&self.bodies);
        }
    }

    /// Returns the largest speed of approach of two bodies if they touch, or if they may reach each
    /// other within `time`. `hit` is the speed that one of them may get in addition.
    ///
    /// An approach slower than the sleep speed does not count until the bodies touch, and it is no
    /// hit. Otherwise a pile that sways slightly would wake itself forever (test:
    /// `waking::r_a_body_that_sways_slowly_wakes_no_neighbour`). Such a slow body comes within the
    /// slop before the solver stops it.
    pub(crate) fn speed_if_met(&self, pair: Pair, manifold: &Manifold, hit: f32, time: f32) -> Option<f32> {
        let [a, b] = [pair.a, pair.b].map(|body| &self.bodies.motions[body as usize]);
        let settings = &self.settings.solver;
        let [slop, slow] = [settings.slop, settings.sleep_speed].map(|x| x * settings.length_unit);
        let speeds = manifold.contacts().iter().filter_map(|contact| {
            let velocity = a.velocity_at(contact.point_a) - b.velocity_at(contact.point_b);
            let closing = velocity.dot(manifold.normal()) + hit;
            let is_met =
                contact.distance <= slop || slow < closing && contact.distance - closing * time <= slop;
            is_met.then_some(closing.max(0.0))
        });
        speeds.reduce(f32::max)
    }

    /// Returns the slow time from which a body is about to fall asleep: two steps less than the
    /// delay.
    pub(crate) fn drowsy_from(&self, dt: f32) -> f32 {
        (self.settings.solver.sleep_delay - 2.0 * dt).max(0.0)
    }

    /// Keeps a body that touches a suspended one from falling asleep before that one. It is called
    /// while bodies are suspended.
    ///
    /// Its slow time stays just below the delay until the suspended body has been slow for as long.
    pub(crate) fn keep_awake(&mut self, dt: f32) {
        if !self.bodies.active.has_suspended() {
            return;
        }
        let drowsy = self.drowsy_from(dt);
        for &index in &self.contacts.active_pairs {
            let state = &self.contacts.states[index as usize];
            for (own, other) in [(state.a, state.b), (state.b, state.a)] {
                let other = other.index as usize;
                let is_busy = || self.bodies.motions[other].rest.slow_time() < drowsy;
                let own = own.index as usize;
                let stands_by = self.bodies.is_suspended(other) && !self.bodies.is_suspended(own);
                if state.is_touching && !state.is_sensor && stands_by && is_busy() {
                    self.bodies.motions[own].rest.put_off(drowsy);
                }
            }
        }
    }

    /// Checks the settings, and applies changes since the last step.
    pub(crate) fn apply_settings(&mut self) -> Result<(), WorldError> {
        self.settings.check()?;
        let (old, new) = (self.last.settings, self.settings);
        if old == new {
            return Ok(());
        }
        self.last.settings = new;
        let contact_distances =
            |s: &WorldSettings| [s.prediction, s.solver.slop].map(|x| x * s.solver.length_unit);
        if contact_distances(&old) != contact_distances(&new)
            || old.smooths_internal_edges != new.smooths_internal_edges
        {
            // Boxes include the prediction, and all contacts must be found again.
            let live: Vec<usize> = self.body_ids().map(|id| id.index as usize).collect();
            live.into_iter().for_each(|index| self.refit(index));
        }
        let (is_woken, all) = self.concerned(&old, &new);
        #[cfg(feature = "soft")]
        if all {
            self.wake_soft();
        }
        for body in 0..self.bodies.motions.len() {
            if all || is_woken[body] {
                self.bodies.wake(body);
            }
        }
        Ok(())
    }

    /// Returns by number which bodies a change of the settings wakes, and whether it wakes all.
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
            self.bodies.motions.iter().map(|body| feels_gravity && body.gravity_scale != 0.0).collect();
        if of_joints(old) != of_joints(new) {
            for (_, joint) in self.joints.iter() {
                (concerned[joint.body_a as usize], concerned[joint.body_b as usize]) = (true, true);
            }
        }
        if of_contacts(old) != of_contacts(new) || smooths[0] != smooths[1] {
            let is_pushed = |id: &BodyId| self.bodies.generations[id.index as usize] == id.generation;
            let touching = self.contacts.states.iter().filter(|state| state.is_touching && !state.is_sensor);
            for id in touching.flat_map(|state| [state.a, state.b]).filter(is_pushed) {
                concerned[id.index as usize] = true;
            }
        }
        (concerned, false)
    }
}
