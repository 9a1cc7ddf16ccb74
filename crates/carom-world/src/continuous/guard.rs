//! Bodies that go far for their thickness do not get to the other side of a surface.
//!
//! A mesh or a height field has no inside: a contact pushes a body out on the side of its middle, so a body whose middle has
//! come through is pushed out on the wrong side. Bodies are kept on their side in three stages:
//! - A swift body, which will go farther in the step than a share of its thickness, has a box around its way. Its contacts
//!   with fixed and driven bodies and with surfaces are found all along the way, so the solver stops it before it is deep.
//! - After the solver the way of each body is compared with what was left of the body above the surface. A hit by another
//!   body in the same step was not foreseen, and a heavy load presses deep. If the way is longer, a ball in the middle of the
//!   body is swept, and the body waits where the ball stops. Each part of a compound has its own ball.
//! - If the body is deep already, the ball shrinks (`core_ball`). A body whose parts turned into several others may
//!   have no place on its way; it waits where it began the step.
//!
//! A body that was not swift may leave its box, beyond which it has no pairs. Its way is compared with the boxes of all surfaces.
//!
//! Reference: E. Catto, Continuous Collision, Game Developers Conference, 2013 (speculative contacts, cores).
//! Differs: the ball follows what moves, and it is swept only if its way is longer than what is left of it.

use crate::contacts::narrow;
use crate::continuous::flight::Rotor;
use crate::continuous::put_back::keep_momentum;
use crate::continuous::state::{Guard, Way};
use crate::world::World;
use carom_bounds::Aabb;
use carom_broad::{BroadPhase, Pair};
use carom_math::glam::{DQuat, DVec3};
use carom_math::{Pose, Vec3, WidePose};
use carom_query::{ImpactSettings, Motion, cast_with};
use carom_response::{BodyKind, JointKind};

/// The ball of a body is swept if its way is longer than this share of its thickness, less its depth.
const FAR: f32 = 0.25;

/// A body that was moved back is swept again at most so often.
const MAX_PASSES: u32 = 3;

/// Something that a body met on its way.
struct Met {
    /// Back to where it met it.
    back: Vec3,
    /// Poses of the other at the start of the step and at its end.
    other: [Pose; 2],
}

impl Met {
    /// Where a body is that goes along with the other for the whole step, from this pose.
    fn carried(&self, start: &Pose) -> Pose {
        let [from, to] = self.other;
        if from == to { *start } else { to * from.inverse() * *start }
    }
}

impl<B: BroadPhase> World<B> {
    /// Finds which bodies are swift now.
    pub(crate) fn find_swift(&mut self) {
        let mut swift = core::mem::take(&mut self.continuous.swift);
        swift.clear();
        swift.resize(self.bodies.motions.len(), false);
        let placing = self.placing();
        for &index in self.bodies.movers.awake() {
            swift[index as usize] = placing.is_swift(index as usize);
        }
        self.continuous.swift = swift;
    }

    /// After the solver and the sweeps of fast bodies: moves bodies back that would get to the other side of something.
    pub(crate) fn guard_bodies(&mut self) {
        let mut guard = core::mem::take(&mut self.continuous.guard);
        let is_needed = self.note_ways(&mut guard);
        if is_needed || 0 < self.bodies.n_surfaces {
            self.find_guarded(&mut guard);
            let pairs = core::mem::take(&mut guard.pairs);
            for pairs in pairs.chunk_by(|(a, _), (b, _)| a == b) {
                self.guard_body(pairs, &mut guard);
            }
            guard.pairs = pairs;
        }
        self.continuous.guard = guard;
    }

    /// The guard moves this body back; fast bodies have sweeps of their own.
    fn is_guarded(&self, index: usize) -> bool {
        let (body, traits) = (&self.bodies.motions[index], &self.bodies.traits[index]);
        body.kind == BodyKind::Dynamic
            && !traits.is_fast
            && !traits.is_sensor
            && self.bodies.movers.has(index as u32)
    }

    /// Finds how far each body went, and whether one went so far that its pairs must be swept.
    fn note_ways(&self, guard: &mut Guard) -> bool {
        let Guard { ways, leavers, .. } = guard;
        ways.clear();
        ways.resize(self.bodies.motions.len(), Way::default());
        leavers.clear();
        let mut is_needed = false;
        for &number in self.bodies.movers.list() {
            let index = number as usize;
            let (body, girth) = (&self.bodies.motions[index], self.bodies.girths[index]);
            let Some(start) = self.bodies.start_of(index) else { continue };
            let center = |pose: &Pose| match body.center_of_mass {
                Vec3::ZERO => pose.translation,
                center => pose.transform_point(center),
            };
            let end = center(&body.pose);
            let displacement = end - center(&start);
            let is_dynamic = body.kind == BodyKind::Dynamic;
            let lever = if is_dynamic && !girth.is_surface { girth.lever } else { girth.radius };
            let turn = chord_of_turn(&start, &body.pose);
            let turned = if 0.0 < turn { turn * lever } else { 0.0 };
            let swept = if 0.0 < turn { turn * girth.radius } else { 0.0 };
            ways[index] = Way { displacement, turned, swept };
            if !is_dynamic {
                is_needed |= displacement != Vec3::ZERO || 0.0 < turned;
            } else if FAR * girth.thickness < displacement.length() + turned && self.is_guarded(index) {
                is_needed = true;
                let known = self.bodies.proxies[index].and_then(|proxy| self.broad.aabb(proxy).ok());
                if 0 < self.bodies.n_surfaces && !known.is_some_and(|known| known.contains_point(end)) {
                    leavers.push(number);
                }
            }
        }
        is_needed
    }

    /// Adds the pairs of bodies that left their boxes with all surfaces whose boxes they may have met.
    fn add_leavers(&self, guard: &mut Guard) {
        let Guard { pairs, leavers, surfaces, .. } = guard;
        if leavers.is_empty() {
            return;
        }
        surfaces.clear();
        surfaces.extend(
            (0..)
                .zip(&self.bodies.girths)
                .filter(|(index, girth)| girth.is_surface && !self.bodies.deforming.is_swapped(*index))
                .map(|(index, _)| index),
        );
        for &number in &*leavers {
            let index = number as usize;
            let (Some(shape), Some(start)) = (&self.bodies.shapes[index], self.bodies.start_of(index)) else {
                continue;
            };
            let (from, to) = (shape.aabb(&start), shape.aabb(&self.bodies.motions[index].pose));
            let way = Aabb { min: from.min.min(to.min), max: from.max.max(to.max) };
            for &other in surfaces.iter().filter(|&&other| other != number) {
                let pair = Pair { a: number.min(other), b: number.max(other) };
                let traits = &self.bodies.traits[other as usize];
                let meets =
                    |proxy| self.broad.aabb(proxy).is_ok_and(|aabb| aabb.intersection(&way).is_some());
                if !narrow::is_sensor_pair(pair, &self.bodies.traits, &self.contacts.rules)
                    && self.bodies.proxies[other as usize].is_some_and(meets)
                    && self.bodies.traits[index].filter.meets(&traits.filter)
                    && self.is_wanted(pair)
                    && !self.is_torn(index)
                {
                    pairs.push((number, other));
                }
            }
        }
    }

    /// Finds the pairs in which a body went farther than what was left of it.
    fn find_guarded(&self, guard: &mut Guard) {
        let Guard { pairs, ways, .. } = &mut *guard;
        pairs.clear();
        for &place in &self.contacts.busy {
            let record = &self.contacts.records[place as usize];
            let (a, b) = (record.a.index as usize, record.b.index as usize);
            let is_swapped = |index: usize| self.bodies.deforming.is_swapped(index as u32);
            if !record.is_wanted
                || record.is_sensor
                || !(self.has_far_side(a) || self.has_far_side(b))
                || is_swapped(a)
                || is_swapped(b)
            {
                continue;
            }
            for (index, other) in [(a, b), (b, a)] {
                let (body, girth) = (&self.bodies.motions[index], self.bodies.girths[index]);
                if body.kind != BodyKind::Dynamic || !self.has_far_side(other) {
                    continue;
                }
                let (own, others) = (ways[index], ways[other]);
                let travel = (own.displacement - others.displacement).length() + own.turned + others.turned;
                let mut room = FAR * girth.thickness;
                if self.bodies.girths[other].is_surface {
                    let contacts =
                        self.contacts.manifolds_of(record).iter().flat_map(|manifold| manifold.contacts());
                    room += contacts.fold(0.0, |depth: f32, contact| depth.min(contact.distance));
                }
                if room < travel && self.is_guarded(index) && !self.is_torn(index) {
                    pairs.push((index as u32, other as u32));
                }
            }
        }
        self.add_leavers(guard);
        guard.pairs.sort_unstable();
        guard.pairs.dedup();
    }

    /// A body can come out on the wrong side of this one. A half-space has no far side, and bodies that move freely give way.
    fn has_far_side(&self, index: usize) -> bool {
        let (kind, girth) = (self.bodies.motions[index].kind, self.bodies.girths[index]);
        girth.is_surface || (kind != BodyKind::Dynamic && girth.radius < f32::INFINITY)
    }

    /// A limb that is farther from its joint than it is thick is on the wrong side of something; it is let through.
    fn is_torn(&self, index: usize) -> bool {
        self.joints.of(index as u32).iter().filter_map(|&(_, id)| self.joints.get(id)).any(|joint| {
            let end = |body: u32, frame: &Pose| {
                self.bodies.motions[body as usize].pose.transform_point(frame.translation)
            };
            let gap = end(joint.body_b, &joint.frame_b) - end(joint.body_a, &joint.frame_a);
            !matches!(joint.kind, JointKind::Distance { .. })
                && self.bodies.girths[index].thickness < gap.length()
        })
    }

    /// Moves one body back to where its cores met one of the others first. Where that is no place for it, since its parts
    /// turned into others, it waits where it began.
    fn guard_body(&mut self, pairs: &[(u32, u32)], guard: &mut Guard) {
        let index = pairs[0].0 as usize;
        let (Some(start), Some(shape)) = (self.bodies.start_of(index), &self.bodies.shapes[index]) else {
            return;
        };
        guard.core_cache.find(index, shape, self.bodies.motions[index].center_of_mass, &mut guard.cores);
        self.stats.n_swept += pairs.len();
        let there = self.bodies.motions[index].pose;
        let mut end = there;
        let mut met = self.first_met(pairs, [&start, &end], guard);
        for _ in 0..MAX_PASSES {
            let Some(found) = &met else { break };
            end.translation += found.back;
            met = self.first_met(pairs, [&start, &end], guard);
        }
        if met.is_some() {
            // A core may come in a little, by rounding too; its middle may not.
            guard.cores.iter_mut().for_each(|core| core.radius = 0.0);
            met = self.first_met(pairs, [&start, &end], guard);
        }
        if let Some(met) = &met {
            end = met.carried(&start);
        }
        if end == there || !end.is_finite() {
            return;
        }
        self.stats.n_stopped += 1;
        let body = &mut self.bodies.motions[index];
        let (center, rotor) = (body.world_center(), Rotor::of(body, self.last.dt));
        body.pose = end;
        if let (Some(_), Some(rotor)) = (met, rotor) {
            let ends = [start, there].map(|pose| pose.rotation.as_dquat().normalize());
            keep_momentum(body, &rotor, ends);
        }
        let shift = body.world_center() - center;
        self.pay_for(index, shift.as_dvec3());
    }

    /// What the cores of a body meet first on a way between two poses.
    fn first_met(&self, pairs: &[(u32, u32)], [start, end]: [&Pose; 2], guard: &mut Guard) -> Option<Met> {
        let Guard { cores, memory, .. } = guard;
        let (mut first, mut found) = (1.0, None);
        for other in pairs.iter().map(|pair| pair.1 as usize) {
            let Some((motion, end_of_other)) = self.motion_of_other(other) else { continue };
            let Some(barrier) = &self.bodies.shapes[other] else { continue };
            let start_of_other = single(&motion.pose_at(0.0));
            for core in &*cores {
                let way = [start, end].map(|pose| pose.transform_point(core.point).as_dvec3());
                let still = DVec3::ZERO;
                let Ok(own) = Motion::new(DQuat::IDENTITY, way[0], still, way[1] - way[0], still) else {
                    continue;
                };
                let settings = ImpactSettings::default().with_times(0.0, first).with_target_distance(0.0);
                let until = core.free_until(way[0], (barrier, &start_of_other), first, |ball| {
                    cast_with(ball, &own, barrier, &motion, &settings, memory).safe_until(first)
                });
                if until < first {
                    first = until;
                    // From there on it goes along with the other.
                    let met = motion.pose_at(until).inverse_transform_point(way[0].lerp(way[1], until));
                    let held = end_of_other.wide().transform_point(met);
                    let back = (held - way[1]).as_vec3();
                    found = Some(Met { back, other: [start_of_other, end_of_other] });
                }
            }
        }
        found
    }

    /// How a body moved in the step, in a time of 1, and its end.
    fn motion_of_other(&self, index: usize) -> Option<(Motion, Pose)> {
        let (body, start) = (&self.bodies.motions[index], self.bodies.start_of(index)?);
        let wide = |pose: &Pose| (pose.rotation.as_dquat(), pose.translation.as_dvec3());
        let motion = if body.kind == BodyKind::Fixed || start == body.pose {
            Motion::fixed(wide(&body.pose).0, wide(&body.pose).1)
        } else {
            Motion::between(wide(&start), wide(&body.pose), body.center_of_mass.as_dvec3(), 1.0)
        };
        Some((motion.ok()?, body.pose))
    }
}

/// How far a point at a distance of 1 from the axis goes in a turn: twice the sine of half the angle.
fn chord_of_turn(from: &Pose, to: &Pose) -> f32 {
    let (a, b) = (from.rotation, to.rotation);
    let (u, v) = (Vec3::new(a.x, a.y, a.z), Vec3::new(b.x, b.y, b.z));
    2.0 * (v * a.w - u * b.w - u.cross(v)).length()
}

/// A pose in single precision.
fn single(pose: &WidePose) -> Pose {
    let rotation = DQuat::from_mat3(&pose.rotation).normalize().as_quat();
    Pose::new(rotation, pose.translation.as_vec3())
}
