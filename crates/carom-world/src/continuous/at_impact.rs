//! The contacts of fast bodies at the poses of an impact.
//!
//! A speculative contact has the normal of the start of the step. If a fast body meets a round
//! body or an edge later in the step, the normal is another one there. With the first normal it
//! would leave in a wrong direction, or bounce off a body that it only passes. So before the
//! solver, for each pair of a fast body that closes within the step:
//!
//! 1. The time of impact is computed for the velocities and forces at the start of the step.
//! 2. The contacts are found at the poses of that time.
//! 3. Their points are moved back along the paths of the centres of mass. Their distances grow by
//!    the approach until the impact. So the solver pushes each body with the normal and the lever
//!    arm of the impact.
//! 4. If there is no impact within the step, the contacts that would close are dropped. The solver
//!    looks ahead from its end, and would brake the body before the impact, with another normal.
//!    Hooks and reports still get these contacts.
//!
//! Pairs that touch at the start of the step keep the contacts of the start. So do all but the
//! first impact of a body, because its path after that one is not known. A pair that a hook
//! disables is no impact. If a body has several first impacts at one time, as on a seam between
//! two tiles, their internal edges are smoothed together. A tile ahead may have no contacts at the
//! start, because they were smoothed away. Its impact counts as well.
//!
//! A body in a joint does not move along the predicted path, so none of its contacts is dropped.
//! The sweep of other bodies after the solver (`sweep`) does not depend on these contacts.
//!
//! If the step fails, all pairs get the contacts of its start back.
//!
//! Reference: B. Mirtich, Impulse-based Dynamic Simulation of Rigid Body Systems, 1996, chapter 3
//! (a collision acts at the poses of its time); E. Catto, Continuous Collision, Game Developers
//! Conference, 2013 (ghost collisions of speculative contacts).

use crate::bodies::force_fields::FieldTimes;
use crate::bodies::roundness::Roundness;
use crate::bodies::solids::Solids;
use crate::bodies::step_forces::StepForces;
use crate::contacts::internal_edges::{MAX_STEP_RATIO, body_on_surface};
use crate::contacts::pair_state::{NOT_SOLVED, PairState};
use crate::continuous::ContinuousStep;
use crate::continuous::guard::single;
use crate::continuous::state::StartContacts;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use carom_broad::BroadPhase;
use carom_geom::Manifold;
use carom_math::glam::DVec3;
use carom_math::{Pose, Vec3, rotation};
use carom_query::{
    ImpactSettings, ManifoldCache, Motion, Neighbour, TimeOfImpact, Workspace, cast_with, manifolds,
    smooth_internal_edges,
};
use carom_response::integrate::rotation_by;
use carom_response::{BOUNCE_LOOK_AHEAD, BodyKind};

/// The distance at which bodies count as touching, as a fraction of the slop.
const TOUCH_RATIO: f32 = 1.0 / 32.0;

/// Impacts of a body within this fraction of the step count as simultaneous.
const SIMULTANEOUS_RATIO: f64 = 1.0 / 1024.0;

/// Radians per step. The solver does not turn the anchors of a body that turns farther.
const MAX_TURN: f32 = 2.0;

/// How a pair moves at the start of the step.
enum Approach {
    /// It touches, or it does not approach faster than bodies that do not bounce.
    Slow,
    Fast,
    /// It moves fast, and a contact may act within the step.
    Closes,
}

/// Whether and when a pair touches within the step.
enum Passage {
    /// The bodies touch after this time, in seconds.
    Impact(f64),
    /// They do not touch within the step.
    Miss,
    Unknown,
}

/// The contacts of a pair at the poses of its impact.
struct AtImpact {
    slot: u32,
    pair: [usize; 2],
    /// In seconds from the start of the step.
    time: f64,
    motions: [Motion; 2],
    poses: [Pose; 2],
    /// The distance within which contacts were found.
    reach: f32,
    manifolds: Vec<Manifold>,
}

impl<B: BroadPhase> ContinuousStep<'_, B> {
    /// Before the solver: replaces the contacts of fast bodies that will meet another body within
    /// the step by those at the poses of the impact. `n_substeps` is the least number of substeps
    /// of this step.
    pub(crate) fn find_at_impact(&mut self, n_substeps: u32) {
        if self.continuous.fast.is_empty() {
            return;
        }
        // A contact may act within this time from the start of the step.
        let look_ahead = self.dt * (1.0 + BOUNCE_LOOK_AHEAD / n_substeps.max(1) as f32);
        self.continuous.look_ahead = look_ahead;
        let mut memory = core::mem::take(&mut self.continuous.sweeps.memory);
        for number in 0..self.contacts.active_pairs.len() {
            let slot = self.contacts.active_pairs[number];
            let state = self.contacts.states[slot as usize];
            let pair = [state.a.index, state.b.index];
            match self.approach(&state, look_ahead) {
                Approach::Slow => continue,
                Approach::Fast => {}
                Approach::Closes => match self.passage(pair.map(|body| body as usize), &mut memory) {
                    Passage::Unknown => continue,
                    Passage::Miss if pair.iter().any(|&body| !self.joints.of(body).is_empty()) => continue,
                    Passage::Miss => self.continuous.missed.push(slot),
                    Passage::Impact(time) => self.continuous.impacts.push((slot, time)),
                },
            }
            self.continuous.predicted.push(slot);
        }
        if self.settings.smooths_internal_edges {
            self.predict_smoothed(&mut memory);
        }
        self.continuous.sweeps.memory = memory;
        self.replace_contacts_of_first(|_| false);
    }

    /// Predicts the pairs of a fast body with other pieces of a surface that it nears. A piece
    /// that it is not over yet has no contacts at the start of the step, because internal edges
    /// were smoothed.
    fn predict_smoothed(&mut self, memory: &mut Workspace) {
        let mut near: Vec<u32> = Vec::new();
        for &slot in &self.continuous.predicted {
            near.extend(self.body_on_surface(&self.contacts.states[slot as usize]));
        }
        near.sort_unstable();
        if near.is_empty() {
            return;
        }
        for number in 0..self.contacts.active_pairs.len() {
            let slot = self.contacts.active_pairs[number];
            let state = self.contacts.states[slot as usize];
            let body = self.body_on_surface(&state).filter(|body| near.binary_search(body).is_ok());
            if body.is_none() || state.n != 0 || !self.is_predictable(&state) {
                continue;
            }
            match self.passage([state.a.index as usize, state.b.index as usize], memory) {
                Passage::Unknown => continue,
                Passage::Miss => {}
                Passage::Impact(time) => self.continuous.impacts.push((slot, time)),
            }
            self.continuous.predicted.push(slot);
        }
        self.continuous.impacts.sort_unstable_by_key(|&(slot, _)| slot);
        self.continuous.predicted.sort_unstable();
    }

    /// Returns the dynamic body of a pair, if contacts do not move the other one.
    fn body_on_surface(&self, state: &PairState) -> Option<u32> {
        body_on_surface([state.a.index, state.b.index], |body| self.is_dynamic(body))
    }

    /// Whether a pair of a fast body is tested, and its bodies keep their shapes.
    fn is_predictable(&self, state: &PairState) -> bool {
        let pair = [state.a.index as usize, state.b.index as usize];
        state.is_wanted
            && !state.is_sensor
            && !state.is_deferred
            && !state.is_at_rest
            && pair.iter().any(|&index| self.is_swept(index))
            && !pair.iter().any(|&index| 0.0 < self.bodies.deforming.farthest(index))
    }

    /// After the hooks were called: if they disabled the first impact of a body, the next one gets
    /// its contacts. Drops the manifolds that would close, of the pairs that miss each other.
    /// Changes of them by hooks are dropped as well.
    pub(crate) fn update_at_impact(&mut self) {
        if 0 < self.bodies.n_hooked {
            let changes = core::mem::take(&mut self.contacts.hooked.changes);
            self.replace_contacts_of_first(|slot| changes.iter().any(|change| change.index == slot));
            self.contacts.hooked.changes = changes;
        }
        for k in 0..self.continuous.missed.len() {
            self.drop_closing(self.continuous.missed[k]);
        }
    }

    /// Returns the time of the first impact of each dynamic body that has one. Pairs that a hook
    /// disabled do not count.
    fn first_impacts(&self) -> BTreeMap<u32, f64> {
        let mut first: BTreeMap<u32, f64> = BTreeMap::new();
        for &(slot, time) in &self.continuous.impacts {
            let state = &self.contacts.states[slot as usize];
            for body in [state.a.index, state.b.index] {
                if state.may_push() && self.is_dynamic(body) {
                    let first = first.entry(body).or_insert(time);
                    *first = first.min(time);
                }
            }
        }
        first
    }

    /// Replaces the contacts of the pairs that are the first impact of both bodies. Pairs that
    /// have contacts of an impact already, or contacts that a hook changed, keep them.
    fn replace_contacts_of_first(&mut self, is_changed: impl Fn(u32) -> bool) {
        let first = self.first_impacts();
        let tolerance = SIMULTANEOUS_RATIO * f64::from(self.dt);
        let mut found = Vec::new();
        for &(slot, time) in &self.continuous.impacts {
            let state = &self.contacts.states[slot as usize];
            let bodies = [state.a.index, state.b.index];
            let own = bodies.map(|body| first.get(&body).copied().unwrap_or(time));
            let is_first = own.iter().all(|first| time <= first + tolerance);
            let is_replaced = || self.continuous.at_impact.binary_search(&slot).is_ok();
            if is_first && !is_changed(slot) && !is_replaced() {
                // Simultaneous impacts of a body get one pose of it.
                let time = own[0].min(own[1]).min(time);
                found.extend(self.contacts_at_impact(slot, bodies.map(|body| body as usize), time));
            }
        }
        self.smooth(&mut found);
        for at_impact in found {
            self.put_at_impact(at_impact);
        }
        self.continuous.at_impact.sort_unstable();
    }

    /// After the solver's input was collected: appends the contacts that were found at an impact.
    pub(crate) fn list_at_impact(&self, out: &mut Vec<u32>) {
        out.clear();
        let states = self.continuous.at_impact.iter().map(|&slot| &self.contacts.states[slot as usize]);
        for state in states.filter(|state| state.first_solved != NOT_SOLVED) {
            out.extend(state.first_solved..state.first_solved + state.n);
        }
    }

    fn is_dynamic(&self, body: u32) -> bool {
        self.bodies.motions[body as usize].kind == BodyKind::Dynamic
    }

    /// Returns the distance at which bodies count as touching at an impact.
    pub(super) fn touching(&self) -> f32 {
        TOUCH_RATIO * self.settings.solver.slop * self.settings.solver.length_unit
    }

    /// The colliders, without pairs that the filter hook rejected.
    fn unfiltered(&self) -> Solids<'_> {
        self.bodies.solids([&self.contacts.hooked.apart, &[]])
    }

    /// Returns how a pair of a fast body that does not touch yet approaches.
    fn approach(&self, state: &PairState, look_ahead: f32) -> Approach {
        let pair = [state.a.index as usize, state.b.index as usize];
        if state.n == 0 || !self.is_predictable(state) {
            return Approach::Slow;
        }
        let [a, b] = pair.map(|index| &self.bodies.motions[index]);
        let turning = pair.map(|index| {
            let spin = self.bodies.motions[index].angular_velocity.length();
            if 0.0 < spin { spin * self.bodies.girths[index].turn_lever } else { 0.0 }
        });
        let (velocity, turning) = (a.linear_velocity - b.linear_velocity, turning[0] + turning[1]);
        let threshold = self.settings.solver.restitution_threshold * self.settings.solver.length_unit;
        let (mut closes, mut is_fast) = (false, false);
        for manifold in self.contacts.manifolds_of(state) {
            let speed = velocity.dot(manifold.normal()) + turning;
            for contact in manifold.contacts() {
                if contact.distance <= self.touching() {
                    return Approach::Slow;
                }
                closes |= contact.distance < speed * look_ahead;
                let approach = a.velocity_at(contact.point_a) - b.velocity_at(contact.point_b);
                is_fast |= threshold < approach.dot(manifold.normal());
            }
        }
        match is_fast {
            _ if closes && threshold < velocity.length() + turning => Approach::Closes,
            true => Approach::Fast,
            false => Approach::Slow,
        }
    }

    /// Returns the motion of a body by its velocities and forces. Times are in seconds.
    fn predicted(&self, index: usize) -> Option<Motion> {
        let body = &self.bodies.motions[index];
        let (rotation, translation) = (body.pose.rotation.as_dquat(), body.pose.translation.as_dvec3());
        if body.kind == BodyKind::Fixed || !self.bodies.active.moves(index as u32) {
            return Motion::fixed(rotation, translation).ok();
        }
        let mut linear = body.linear_velocity.as_dvec3();
        if body.kind == BodyKind::Dynamic && 0.0 < body.inverse_mass {
            let solver = &self.settings.solver;
            let times = FieldTimes::of(self.dt, self.solver.n_substeps(solver, self.dt));
            let StepForces { gravity, force, .. } =
                self.bodies.step_forces_on(index as u32, solver.gravity, times);
            let acceleration = body.locked_axes.free_translation(gravity + force * body.inverse_mass);
            linear += acceleration.as_dvec3() * f64::from(0.5 * self.dt);
        }
        let (center, angular) = (body.center_of_mass.as_dvec3(), body.angular_velocity.as_dvec3());
        Motion::new(rotation, translation, center, linear, angular).ok()
    }

    /// Returns whether and when two bodies touch.
    fn passage(&self, pair: [usize; 2], memory: &mut Workspace) -> Passage {
        let [Some(motion_a), Some(motion_b)] = pair.map(|index| self.predicted(index)) else {
            return Passage::Unknown;
        };
        // The hooks of this step are called later, and may disable other pairs than the last time.
        let (solids, end) = (self.unfiltered(), f64::from(self.dt));
        let settings = ImpactSettings::default().with_target_distance(f64::from(self.touching()));
        let mut first = end;
        for [part_a, part_b] in solids.part_pairs(pair[0], pair[1]) {
            let (Some(a), Some(b)) = (solids.shape(pair[0], part_a), solids.shape(pair[1], part_b)) else {
                continue;
            };
            match cast_with(a, &motion_a, b, &motion_b, &settings.with_times(0.0, first), memory) {
                TimeOfImpact::Hit(impact) => first = first.min(impact.t_lo),
                TimeOfImpact::Clear(_) => {}
                TimeOfImpact::Undecided(_) => return Passage::Unknown,
            }
        }
        match first {
            _ if !(0.0 < first) => Passage::Unknown,
            _ if first < end => Passage::Impact(first),
            _ => Passage::Miss,
        }
    }

    fn drop_closing(&mut self, slot: u32) {
        let time = self.continuous.look_ahead;
        let contacts = &mut *self.contacts;
        let state = &mut contacts.states[slot as usize];
        let [a, b] = [state.a, state.b].map(|body| &self.bodies.motions[body.index as usize]);
        let closes = |manifold: &Manifold| {
            manifold.contacts().iter().any(|c| {
                let approach = a.velocity_at(c.point_a) - b.velocity_at(c.point_b);
                c.distance < approach.dot(manifold.normal()) * time
            })
        };
        self.continuous.start_contacts.push(StartContacts::of(slot, state));
        let known = &contacts.manifolds[state.range()];
        let (mut kept, mut numbers) = (Vec::new(), Vec::new());
        for (number, manifold) in (0..).zip(known).filter(|(_, manifold)| !closes(manifold)) {
            numbers.push(number);
            kept.push(*manifold);
        }
        contacts.hooked.changes.retain_mut(|change| {
            let kept = numbers.binary_search(&change.number).ok();
            let is_own = change.index == slot;
            if let (true, Some(number)) = (is_own, kept) {
                change.number = number as u32;
            }
            !is_own || kept.is_some()
        });
        self.stats.n_manifolds -= known.len() - kept.len();
        (state.first, state.n) = (contacts.manifolds.len() as u32, kept.len() as u32);
        // The next detection tests the pair again, and does not move these contacts along. A
        // budget tests it before others.
        (state.drift, state.has_lost) = (f32::MAX, true);
        contacts.manifolds.append(&mut kept);
    }

    /// After the step: pairs that have no contact left get those of the start of the step, for
    /// reports.
    pub(crate) fn report_missed(&mut self) {
        for start in self.continuous.start_contacts.drain(..) {
            let state = &mut self.contacts.states[start.slot as usize];
            if state.n == 0 {
                (state.first, state.n, state.first_solved) = (start.first, start.n, NOT_SOLVED);
                self.stats.n_manifolds += start.n as usize;
            }
        }
    }

    /// If the step failed: all pairs get the contacts of its start back, so that the step can be
    /// repeated.
    pub(crate) fn restore_contacts(&mut self) {
        for start in self.continuous.start_contacts.drain(..) {
            let state = &mut self.contacts.states[start.slot as usize];
            self.stats.n_manifolds = self.stats.n_manifolds + start.n as usize - state.n as usize;
            let StartContacts { first, n, drift, has_lost, .. } = start;
            (state.first, state.n, state.drift, state.has_lost) = (first, n, drift, has_lost);
        }
    }

    /// Finds the contacts of a pair at the time of its impact.
    fn contacts_at_impact(&self, slot: u32, pair: [usize; 2], time: f64) -> Option<AtImpact> {
        let [Some(motion_a), Some(motion_b)] = pair.map(|index| self.predicted(index)) else { return None };
        let motions = [motion_a, motion_b];
        let poses = motions.map(|motion| single(&motion.pose_at(time)));
        let unit = self.settings.solver.length_unit;
        let travel = pair.map(|index| self.bodies.motions[index].linear_velocity.length() * self.dt);
        let reach = (self.settings.prediction * unit + travel[0] + travel[1]).min(f32::MAX);
        let solids = self.unfiltered();
        let mut found = Vec::new();
        if solids.is_composite(pair[0], pair[1]) {
            solids.manifolds(pair, [&poses[0], &poses[1]], reach, &mut found);
        } else if let (Some(a), Some(b)) = (solids.whole(pair[0]), solids.whole(pair[1])) {
            manifolds(a, &poses[0], b, &poses[1], reach, &mut ManifoldCache::new(), &mut found);
        }
        Some(AtImpact { slot, pair, time, motions, poses, reach, manifolds: found })
    }

    /// Smooths internal edges of the bodies that contacts do not move, for all first impacts of a
    /// dynamic body together.
    fn smooth(&self, found: &mut [AtImpact]) {
        if !self.settings.smooths_internal_edges {
            return;
        }
        // The dynamic body, the index of its impact, and its side in the pair.
        let mut resting: Vec<(usize, usize, usize)> = Vec::new();
        for (number, AtImpact { slot, pair, .. }) in found.iter().enumerate() {
            if let Some(body) = self.body_on_surface(&self.contacts.states[*slot as usize]) {
                resting.push((body as usize, number, usize::from(pair[1] == body as usize)));
            }
        }
        resting.sort_unstable();
        let (solids, slop) =
            (self.unfiltered(), self.settings.solver.slop * self.settings.solver.length_unit);
        for group in resting.chunk_by(|x, y| x.0 == y.0) {
            let (body, first, own) = group[0];
            let Some(shape) = solids.whole(body) else { continue };
            let (mut all, mut neighbours, mut reach) = (Vec::new(), Vec::new(), 0.0_f32);
            for &(_, number, own) in group {
                let AtImpact { pair, poses, manifolds, reach: own_reach, .. } = &found[number];
                let range = all.len()..all.len() + manifolds.len();
                all.extend_from_slice(manifolds);
                reach = reach.max(*own_reach);
                if let Some(other) = solids.whole(pair[1 - own]) {
                    neighbours.push(Neighbour::new(other, &poses[1 - own], own == 1, range));
                }
            }
            let pose = &found[first].poses[own];
            smooth_internal_edges(shape, pose, &neighbours, &mut all, reach, MAX_STEP_RATIO * slop);
            let mut smoothed = all.into_iter();
            for &(_, number, _) in group {
                found[number].manifolds.iter_mut().zip(&mut smoothed).for_each(|(old, new)| *old = new);
            }
        }
    }

    /// Replaces the contacts of a pair by those at its impact, if there are any.
    fn put_at_impact(&mut self, at_impact: AtImpact) {
        let AtImpact { slot, pair, time, motions, manifolds: mut found, .. } = at_impact;
        for manifold in &mut found {
            self.move_back(pair, &motions, time, manifold);
        }
        found.retain(|manifold| !manifold.is_empty() && manifold.is_sound());
        if found.is_empty() {
            return;
        }
        let contacts = &mut *self.contacts;
        let state = &mut contacts.states[slot as usize];
        self.continuous.start_contacts.push(StartContacts::of(slot, state));
        self.stats.n_manifolds = self.stats.n_manifolds + found.len() - state.n as usize;
        (state.first, state.n) = (contacts.manifolds.len() as u32, found.len() as u32);
        // The next detection tests the pair again, and does not move these contacts along. It
        // takes place even if rounding keeps all bodies where they are, and then drops them.
        state.drift = f32::MAX;
        contacts.is_changed = true;
        contacts.manifolds.append(&mut found);
        self.continuous.at_impact.push(slot);
    }

    /// Moves a manifold from the poses of the impact back to the start of the step.
    fn move_back(&self, pair: [usize; 2], motions: &[Motion; 2], time: f64, manifold: &mut Manifold) {
        let normal = manifold.normal();
        let back =
            motions.each_ref().map(|motion| (motion.center_at(time) - motion.center_at(0.0)).as_vec3());
        let centers = motions.each_ref().map(|motion| motion.center_at(time));
        for contact in manifold.contacts_mut() {
            let lever = |side: usize, point: Vec3| (point.as_dvec3() - centers[side]).as_vec3();
            let turned_a = self.turned(pair[0], lever(0, contact.point_a), normal, time);
            let turned_b = self.turned(pair[1], lever(1, contact.point_b), -normal, time);
            let approach = ((back[0] + turned_a) - (back[1] + turned_b)).dot(normal);
            contact.point_a -= back[0];
            contact.point_b -= back[1];
            contact.distance = (contact.distance + approach).max(0.0);
        }
    }

    /// Returns the displacement by which the solver will have turned an anchor at the time of the
    /// impact. `lever` is the lever arm at the impact, and `outwards` the normal of the body
    /// there.
    ///
    /// The anchors of a rounded surface move with its core, and a wheel turns on the spot.
    fn turned(&self, index: usize, lever: Vec3, outwards: Vec3, time: f64) -> Vec3 {
        let body = &self.bodies.motions[index];
        let mut spin = body.angular_velocity;
        if spin == Vec3::ZERO || MAX_TURN < spin.length() * self.dt {
            return Vec3::ZERO;
        }
        let roundness = self.bodies.roundness[index];
        if roundness == Roundness::Revolved {
            let axis = rotation::rotate(body.pose.rotation, Vec3::Y);
            spin -= axis * spin.dot(axis);
        }
        let core: DVec3 = (lever - outwards * roundness.of_core()).as_dvec3();
        (rotation_by(spin.as_dvec3() * time) * core - core).as_vec3()
    }
}
