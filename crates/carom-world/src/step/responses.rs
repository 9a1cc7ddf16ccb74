//! Responses other than a collision: bodies that touch stick, are knocked away, or pass.
//!
//! - A rule belongs to a body or to a pair. The rule of a pair has precedence. Otherwise the
//!   response is the later one of those of the two bodies, in the order collide, knock, stick,
//!   pass ([`Response::of_pair`]).
//! - Pairs that pass are treated as sensors: tested and reported, but not pushed apart.
//! - Bodies that stick collide without restitution and friction until a detection finds that they
//!   touch. At the end of that step they get a common motion and a weld joint. The common motion
//!   follows from their momentum, which impulses between them do not change. Angular momentum is
//!   kept as exactly as by the solver, whose lever arms are those at the start of a step.
//! - A sleeping body with a rule wakes as soon as there is a contact, so that it does not act as a
//!   wall.
//! - The energy lost in an impact is computed from the velocities before the first impulse between
//!   the two bodies.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.9 (response).

use crate::contacts::ContactSet;
use crate::contacts::rules::{ResponseEvent, set, touching_pairs};
use crate::{BodyId, World};
use alloc::vec::Vec;
use carom_broad::{BroadPhase, Pair};
use carom_math::Vec3;
use carom_response::response::{self, CommonMotion, Exchange};
use carom_response::{Body, BodyKind, Joint, JointKind, Response};

impl<B: BroadPhase> World<B> {
    /// Before the solver: records the energy that sticking would remove, for pairs that are near.
    pub(crate) fn note_approaching(&mut self) {
        if self.contacts.rules.is_empty() {
            return;
        }
        for number in 0..self.contacts.active_pairs.len() {
            let state = &self.contacts.states[self.contacts.active_pairs[number] as usize];
            let pair = state.pair();
            let is_near = 0 < state.n && state.is_wanted && !state.is_sensor;
            if !is_near || self.contacts.rules.of(pair) != Response::Stick {
                continue;
            }
            let key = [pair.a, pair.b];
            if self.contacts.rules.approaching.binary_search_by_key(&key, |&(pair, _)| pair).is_err() {
                let mut group = self.rigid_group(pair.a);
                group.extend(self.rigid_group(pair.b));
                let lost = self.stick_energy(&group);
                set(&mut self.contacts.rules.approaching, key, Some(lost));
            }
        }
    }

    /// After a step: applies the rules to the bodies that touched in it.
    pub(crate) fn apply_responses(&mut self) {
        let ContactSet { rules, events, .. } = &mut self.contacts;
        let begun = core::mem::take(&mut rules.begun);
        rules.is_unanswered = false;
        if rules.is_empty() {
            rules.approaching.clear();
            return;
        }
        let response_of = |(a, b, has_begun): (BodyId, BodyId, bool)| {
            let response = rules.of(Pair { a: a.index, b: b.index });
            let acts = match response {
                Response::Stick => true,
                Response::Knock { .. } => has_begun,
                _ => false,
            };
            acts.then_some((a, b, response))
        };
        let due: Vec<_> = touching_pairs(events, &begun).filter_map(response_of).collect();
        for (a, b, response) in due {
            match response {
                Response::Stick if self.are_parted(a, b) => {}
                Response::Stick => self.stick(a, b),
                Response::Knock { impulse } => self.knock(a, b, impulse),
                _ => {}
            }
        }
        // Pairs that did not push each other are noted again in the next step.
        let mut approaching = core::mem::take(&mut self.contacts.rules.approaching);
        approaching.retain(|&([a, b], _)| {
            let is_about_to_stick = self.contacts.rules.of(Pair { a, b }) == Response::Stick;
            is_about_to_stick && !self.joints.connects(a, b) && self.has_pushed(a, b)
        });
        self.contacts.rules.approaching = approaching;
    }

    /// Before a detection: if no rule was applied since the last one, notes which contacts began
    /// in it. So a call that only detects, or a step without time, does not use up a knock.
    pub(crate) fn note_begun(&mut self) {
        let ContactSet { rules, events, .. } = &mut self.contacts;
        if core::mem::replace(&mut rules.is_unanswered, true) {
            let begun = core::mem::take(&mut rules.begun);
            // A body may have been removed since.
            let is_live = |id: BodyId| self.bodies.index_of(id).is_ok();
            let is_due =
                |(a, b, has_begun): &(BodyId, BodyId, bool)| *has_begun && is_live(*a) && is_live(*b);
            let pairs = touching_pairs(events, &begun).filter(is_due);
            rules.begun = pairs.map(|(a, b, _)| ([a.index, b.index], ())).collect();
        }
    }

    /// Whether two bodies are joined by a weld that is disabled: the caller parted them.
    fn are_parted(&self, a: BodyId, b: BodyId) -> bool {
        self.joints.idle_of(a.index).iter().any(|&(other, id)| {
            other == b.index && self.joints.get(id).is_some_and(|joint| joint.kind == JointKind::Weld)
        })
    }

    fn stick(&mut self, a: BodyId, b: BodyId) {
        let (point, _) = self.contact_of(a, b);
        let Some(joint) = Joint::at(JointKind::Weld, &self.bodies.motions, a.index, b.index, point, Vec3::X)
        else {
            return;
        };
        let known =
            self.contacts.rules.approaching.binary_search_by_key(&[a.index, b.index], |&(pair, _)| pair);
        let known = known.ok().map(|index| self.contacts.rules.approaching[index].1);
        // It is refused only if the frames are not finite, which happens at the end of the finite
        // range.
        let Ok(joint) = self.admit_joint(a, b, joint) else { return };
        let group = self.rigid_group(a.index);
        let energy_lost = known.unwrap_or_else(|| self.stick_energy(&group));
        let common = CommonMotion::of(group.iter().map(|&body| &self.bodies.motions[body as usize]));
        for body in group {
            self.change_motion(body, |body| common.apply_to(body));
        }
        self.contacts.responses.push(ResponseEvent {
            a,
            b,
            response: Response::Stick,
            joint: Some(joint),
            impulse: Vec3::ZERO,
            energy_lost,
        });
    }

    fn knock(&mut self, a: BodyId, b: BodyId, size: f32) {
        let (point, normal) = self.contact_of(a, b);
        let [mut body_a, mut body_b] = [a, b].map(|id| self.bodies.motions[id.index as usize]);
        let Exchange { impulse, energy_lost, .. } =
            response::knock(&mut body_a, &mut body_b, point, normal, size);
        let is_finite = |body: &Body| body.linear_velocity.is_finite() && body.angular_velocity.is_finite();
        if !(is_finite(&body_a) && is_finite(&body_b)) {
            return;
        }
        for (id, knocked) in [(a, body_a), (b, body_b)] {
            self.change_motion(id.index, |body| {
                body.linear_velocity = knocked.linear_velocity;
                body.angular_velocity = knocked.angular_velocity;
            });
        }
        let response = Response::Knock { impulse: size };
        self.contacts.responses.push(ResponseEvent { a, b, response, joint: None, impulse, energy_lost });
    }

    /// Wakes a dynamic body and changes its velocities.
    fn change_motion(&mut self, number: u32, change: impl FnOnce(&mut Body)) {
        let index = number as usize;
        if self.bodies.motions[index].kind == BodyKind::Dynamic {
            self.bodies.wake(index);
            change(&mut self.bodies.motions[index]);
            self.bodies.is_stale[index] |= self.bodies.is_suspended(index);
            self.expand_bounds_of(index);
        }
    }

    /// Returns the bodies that weld joints connect with this one, ascending.
    fn rigid_group(&self, body: u32) -> Vec<u32> {
        let mut group = alloc::vec![body];
        let mut next = 0;
        while let Some(&body) = group.get(next) {
            next += 1;
            // Bodies welded to the same fixed body are not one rigid body.
            if self.bodies.motions[body as usize].kind != BodyKind::Dynamic {
                continue;
            }
            for &(other, joint) in self.joints.of(body) {
                let is_fixed = self.joints.get(joint).is_some_and(|joint| joint.kind == JointKind::Weld);
                if is_fixed && !group.contains(&other) {
                    group.push(other);
                }
            }
        }
        group.sort_unstable();
        group
    }

    /// Returns the kinetic energy that is lost if these bodies get a common motion.
    fn stick_energy(&self, group: &[u32]) -> f64 {
        let bodies = group.iter().map(|&body| &self.bodies.motions[body as usize]);
        let common = CommonMotion::of(bodies.clone());
        let energy = |body: &Body| body.energy(Vec3::ZERO, 0.0).kinetic;
        let after = |body: &Body| {
            let mut body = *body;
            common.apply_to(&mut body);
            energy(&body)
        };
        bodies.map(|body| energy(body) - after(body)).sum()
    }

    /// Returns a point and the normal, from A to B, of the contact of two bodies; from their
    /// centres if there is no contact.
    fn contact_of(&mut self, a: BodyId, b: BodyId) -> (Vec3, Vec3) {
        let [body_a, body_b] = [a, b].map(|id| self.bodies.motions[id.index as usize]);
        let manifold = self.contacts.index_of_pair(a, b).and_then(|index| {
            let manifolds = self.contacts.manifolds_of(&self.contacts.states[index]);
            manifolds.iter().find(|manifold| !manifold.is_empty()).copied()
        });
        let is_light = body_b.inverse_mass < body_a.inverse_mass;
        let Some(manifold) = manifold else {
            let [center_a, center_b] = [body_a, body_b].map(|body| body.world_center());
            let point = if body_a.kind == BodyKind::Dynamic && is_light { center_a } else { center_b };
            return (point, (center_b - center_a).try_normalize().unwrap_or(Vec3::Y));
        };
        // The heavier body has moved less since the contact was found.
        let contacts = manifold.contacts();
        let points = contacts.iter().map(|contact| if is_light { contact.point_b } else { contact.point_a });
        (points.sum::<Vec3>() / contacts.len() as f32, manifold.normal())
    }

    /// Whether the solver pushed two bodies apart in this step.
    fn has_pushed(&mut self, a: u32, b: u32) -> bool {
        let [a, b] = [a, b].map(|index| self.bodies.id_at(index));
        let Some(slot) = self.contacts.index_of_pair(a, b) else { return false };
        let state = &self.contacts.states[slot];
        let pushed = self.solver.contact_impulses().get(state.solved_range());
        pushed.unwrap_or(&[]).iter().any(|impulse| 0.0 < impulse.total_normal())
    }
}
