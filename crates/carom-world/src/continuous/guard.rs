//! The guard: keeps bodies that are not marked fast on their side of surfaces.
//!
//! A mesh or a height field has no inside, so a contact pushes a body to the side on which its
//! middle is. If the middle has passed the surface, that is the wrong side. Three stages prevent
//! this:
//!
//! 1. **Speculative contacts.** The box of a swift body contains its path. Its contacts with fixed
//!    and kinematic bodies and with surfaces are found along the whole path, so the solver stops it
//!    before it overlaps deeply.
//! 2. **Sweep of the core.** Stage 1 does not predict impacts of other bodies and heavy loads. So
//!    after the solver, the travel of each body is compared with the height of its part above the
//!    surface. If the travel is longer, the core of the body is swept, and the body is moved back
//!    to where the core stops. Each part of a compound has a core.
//! 3. **Deep overlap.** If the body overlaps deeply at the start, the core shrinks (`core_ball`).
//!    Parts of the body may have turned into others, so that no pose on the path is free. Then the
//!    body is moved back to its pose at the start of the step.
//!
//! A body that was not swift may leave its box in the broad phase, and it has no pairs outside of
//! this box. Then its path is tested against the boxes of all surfaces.
//!
//! Reference: E. Catto, Continuous Collision, Game Developers Conference, 2013 (speculative
//! contacts, cores).
//! Differs: the core is moved along with a moving obstacle, and is swept only if the travel is
//! longer than the part above the surface.

use crate::bodies::solids::Part;
use crate::contacts::narrow;
use crate::continuous::ContinuousStep;
use crate::continuous::core_ball::find_cores;
use crate::continuous::flight::{Rotor, between};
use crate::continuous::put_back::keep_momentum;
use crate::continuous::state::{Guard, Travel};
use carom_bounds::Aabb;
use carom_broad::{BroadPhase, Pair};
use carom_math::glam::{DQuat, DVec3};
use carom_math::{Pose, Vec3, WidePose, rotation};
use carom_query::{ImpactSettings, Motion, cast_with};
use carom_response::integrate::rotation_by;
use carom_response::{Body, BodyKind};

/// The core of a body is swept if its travel exceeds this fraction of its thickness, minus its
/// depth.
const MAX_TRAVEL_RATIO: f32 = 0.25;

/// A body that was moved back is swept again at most this many times.
const MAX_PASSES: u32 = 3;

/// The first obstacle that a body met on its path.
struct Met {
    /// The displacement of the body back to where it met the obstacle.
    back: Vec3,
    /// Poses of the obstacle at the start and at the end of the step.
    other: [Pose; 2],
}

impl Met {
    /// Returns the pose of a body that moves along with the other one for the whole step, from
    /// `start`. Locked axes limit the motion.
    fn carried(&self, body: &Body, start: &Pose) -> Pose {
        let [from, to] = self.other;
        if from == to {
            return *start;
        }
        let end = to * from.inverse() * *start;
        let locked = body.locked_axes;
        if locked.is_empty() {
            return end;
        }
        let [old, new] = [start, &end].map(|pose| pose.transform_point(body.center_of_mass));
        let turn = between(start.rotation.as_dquat(), end.rotation.as_dquat()).as_vec3();
        let turn = rotation_by(locked.free_rotation(turn).as_dvec3());
        let rotation = (turn * start.rotation.as_dquat()).normalize().as_quat();
        let center = old + locked.free_translation(new - old);
        Pose::new(rotation, center - rotation::rotate(rotation, body.center_of_mass))
    }
}

impl<B: BroadPhase> ContinuousStep<'_, B> {
    /// Finds which bodies are swift now.
    pub(crate) fn find_swift(&mut self) {
        let mut swift = core::mem::take(&mut self.continuous.swift);
        swift.clear();
        swift.resize(self.bodies.motions.len(), false);
        let bounds = self.bodies.bounds(self.settings, self.dt);
        for &index in self.bodies.active.awake() {
            swift[index as usize] = bounds.is_swift(index as usize);
        }
        self.continuous.swift = swift;
    }

    /// After the solver and the sweeps of fast bodies: moves bodies back that would pass through
    /// something.
    pub(crate) fn guard_bodies(&mut self) {
        let mut guard = core::mem::take(&mut self.continuous.guard);
        let is_needed = self.note_travels(&mut guard);
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

    /// Whether the guard may move this body back. Fast bodies were swept already.
    fn is_guarded(&self, index: usize) -> bool {
        let (body, traits) = (&self.bodies.motions[index], &self.bodies.traits[index]);
        body.kind == BodyKind::Dynamic
            && !traits.is_fast
            && !traits.is_sensor
            && self.bodies.active.moves(index as u32)
    }

    /// Computes the travel of each body. Returns whether a body has travelled so far that its
    /// pairs must be swept.
    fn note_travels(&self, guard: &mut Guard) -> bool {
        let Guard { travels, escaped, .. } = guard;
        travels.clear();
        travels.resize(self.bodies.motions.len(), Travel::default());
        escaped.clear();
        let mut is_needed = false;
        for &number in self.bodies.active.moving() {
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
            travels[index] = Travel { displacement, turned, swept };
            if !is_dynamic {
                is_needed |= displacement != Vec3::ZERO || 0.0 < turned;
            } else if MAX_TRAVEL_RATIO * girth.thickness < displacement.length() + turned
                && self.is_guarded(index)
            {
                is_needed = true;
                let known = self.bodies.proxies[index].and_then(|proxy| self.broad.aabb(proxy).ok());
                if 0 < self.bodies.n_surfaces && !known.is_some_and(|known| known.contains_point(end)) {
                    escaped.push(number);
                }
            }
        }
        is_needed
    }

    /// Adds pairs of the bodies that left their boxes with all surfaces near their paths.
    fn add_escaped(&self, guard: &mut Guard) {
        let Guard { pairs, escaped, surfaces, .. } = guard;
        if escaped.is_empty() {
            return;
        }
        surfaces.clear();
        let may_stop =
            |index: u32| !self.bodies.deforming.is_swapped(index) && self.bodies.is_enabled(index as usize);
        surfaces.extend(
            (0..)
                .zip(&self.bodies.girths)
                .filter(|(index, girth)| girth.is_surface && may_stop(*index))
                .map(|(index, _)| index),
        );
        for &number in &*escaped {
            let index = number as usize;
            let (Some(shape), Some(start)) = (&self.bodies.shapes[index], self.bodies.start_of(index)) else {
                continue;
            };
            let (from, to) = (shape.aabb(&start), shape.aabb(&self.bodies.motions[index].pose));
            let path = Aabb { min: from.min.min(to.min), max: from.max.max(to.max) };
            for &other in surfaces.iter().filter(|&&other| other != number) {
                let pair = Pair { a: number.min(other), b: number.max(other) };
                let traits = &self.bodies.traits[other as usize];
                let meets =
                    |proxy| self.broad.aabb(proxy).is_ok_and(|aabb| aabb.intersection(&path).is_some());
                if !narrow::is_sensor_pair(pair, &self.bodies.traits, &self.contacts.rules)
                    && self.bodies.proxies[other as usize].is_some_and(meets)
                    && self.bodies.traits[index].filter.meets(&traits.filter)
                    && narrow::is_wanted(pair, &self.bodies.traits, &self.bodies.motions, self.joints)
                    && !self.is_torn(index)
                    && !self.is_left_out(pair)
                {
                    pairs.push((number, other));
                }
            }
        }
    }

    /// Whether a hook disabled a pair in this step.
    fn is_left_out(&self, pair: Pair) -> bool {
        let contacts = &self.contacts;
        let is_it = |&&index: &&u32| {
            contacts.pairs[index as usize] == pair && !contacts.states[index as usize].is_gap()
        };
        0 < self.bodies.n_hooked
            && (contacts.active_pairs.iter().find(is_it))
                .is_some_and(|&index| !contacts.states[index as usize].may_push())
    }

    /// Finds the pairs in which a body travelled farther than the height of its part above the
    /// surface.
    fn find_guarded(&self, guard: &mut Guard) {
        let Guard { pairs, travels, .. } = &mut *guard;
        pairs.clear();
        for &slot in &self.contacts.active_pairs {
            let state = &self.contacts.states[slot as usize];
            let (a, b) = (state.a.index as usize, state.b.index as usize);
            let is_swapped = |index: usize| self.bodies.deforming.is_swapped(index as u32);
            if !state.may_push()
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
                let (own, others) = (travels[index], travels[other]);
                let travel = (own.displacement - others.displacement).length() + own.turned + others.turned;
                let mut room = MAX_TRAVEL_RATIO * girth.thickness;
                if self.bodies.girths[other].is_surface {
                    let contacts =
                        self.contacts.manifolds_of(state).iter().flat_map(|manifold| manifold.contacts());
                    room += contacts.fold(0.0, |depth: f32, contact| depth.min(contact.distance));
                }
                if room < travel && self.is_guarded(index) && !self.is_torn(index) {
                    pairs.push((index as u32, other as u32));
                }
            }
        }
        self.add_escaped(guard);
        guard.pairs.sort_unstable();
        guard.pairs.dedup();
    }

    /// Whether a body can pass through this one. A half-space has no far side, and convex dynamic
    /// bodies are pushed away.
    fn has_far_side(&self, index: usize) -> bool {
        let (kind, girth) = (self.bodies.motions[index].kind, self.bodies.girths[index]);
        girth.is_surface || (kind != BodyKind::Dynamic && girth.radius < f32::INFINITY)
    }

    /// Whether the anchors of a joint of this body are farther apart than its thickness. Such a
    /// body is on the wrong side of something, and is not guarded.
    fn is_torn(&self, index: usize) -> bool {
        self.joints.of(index as u32).iter().filter_map(|&(_, id)| self.joints.get(id)).any(|joint| {
            let end = |body: u32, frame: &Pose| {
                self.bodies.motions[body as usize].pose.transform_point(frame.translation)
            };
            let gap = end(joint.body_b, &joint.frame_b) - end(joint.body_a, &joint.frame_a);
            joint.kind.holds_point() && self.bodies.girths[index].thickness < gap.length()
        })
    }

    /// Moves one body back to where its cores first met one of the others. If that pose is not
    /// free, because its parts turned into others, the body is moved to its pose at the start of
    /// the step.
    fn guard_body(&mut self, pairs: &[(u32, u32)], guard: &mut Guard) {
        let index = pairs[0].0 as usize;
        let (Some(start), Some(shape)) = (self.bodies.start_of(index), self.bodies.solid_shape(index)) else {
            return;
        };
        guard.core_cache.find(index, shape, self.bodies.motions[index].center_of_mass, &mut guard.cores);
        self.stats.n_swept += pairs.len();
        let there = self.bodies.motions[index].pose;
        let mut end = there;
        let mut met = self.first_met(pairs, [&start, &end], guard, false);
        for _ in 0..MAX_PASSES {
            let Some(found) = &met else { break };
            end.translation += self.bodies.motions[index].locked_axes.free_translation(found.back);
            met = self.first_met(pairs, [&start, &end], guard, false);
        }
        if met.is_some() {
            // A core may overlap slightly, for instance by rounding, but its middle may not.
            guard.cores.iter_mut().for_each(|core| core.radius = 0.0);
            met = self.first_met(pairs, [&start, &end], guard, true);
        }
        if let Some(met) = &met {
            end = met.carried(&self.bodies.motions[index], &start);
        }
        if end == there || !end.is_finite() {
            return;
        }
        self.stats.n_stopped += 1;
        let body = &mut self.bodies.motions[index];
        let (center, rotor) = (body.world_center(), Rotor::of(body, self.dt));
        body.pose = end;
        if let (Some(_), Some(rotor)) = (met, rotor) {
            let ends = [start, there].map(|pose| pose.rotation.as_dquat().normalize());
            keep_momentum(body, &rotor, ends);
        }
        let shift = body.world_center() - center;
        self.remove_fall_energy(index, shift.as_dvec3());
    }

    /// Returns the first obstacle that the cores of a body, or their middle points, meet on a path
    /// between two poses.
    fn first_met(
        &self,
        pairs: &[(u32, u32)],
        [start, end]: [&Pose; 2],
        guard: &mut Guard,
        are_points: bool,
    ) -> Option<Met> {
        let Guard { cores, part_cores, memory, .. } = guard;
        let (mut first, mut found) = (1.0, None);
        for &(body, other) in pairs {
            let (index, other) = (body as usize, other as usize);
            let Some((motion, end_of_other)) = self.motion_of_other(other) else { continue };
            let start_of_other = single(&motion.pose_at(0.0));
            for [own, part] in self.part_pairs(index, other) {
                let solids = self.solids();
                let Some(barrier) = solids.shape(other, part) else { continue };
                let mut cores = &cores[..];
                if let (Part::Slot(_), Some(shape)) = (own, solids.shape(index, own)) {
                    find_cores(shape, self.bodies.motions[index].center_of_mass, part_cores);
                    let max_radius = if are_points { 0.0 } else { f32::INFINITY };
                    part_cores.iter_mut().for_each(|core| core.radius = core.radius.min(max_radius));
                    cores = part_cores;
                }
                for core in cores {
                    let path = [start, end].map(|pose| pose.transform_point(core.point).as_dvec3());
                    let zero = DVec3::ZERO;
                    let Ok(own) = Motion::new(DQuat::IDENTITY, path[0], zero, path[1] - path[0], zero) else {
                        continue;
                    };
                    let settings = ImpactSettings::default().with_times(0.0, first).with_target_distance(0.0);
                    let until = core.free_until(path[0], (barrier, &start_of_other), first, |ball| {
                        cast_with(ball, &own, barrier, &motion, &settings, memory).safe_until(first)
                    });
                    if until < first {
                        first = until;
                        // From then on the body moves along with the obstacle.
                        let met = motion.pose_at(until).inverse_transform_point(path[0].lerp(path[1], until));
                        let held = end_of_other.wide().transform_point(met);
                        let back = (held - path[1]).as_vec3();
                        found = Some(Met { back, other: [start_of_other, end_of_other] });
                    }
                }
            }
        }
        found
    }

    /// Returns the motion of a body in the step, in a time of 1, and its final pose.
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

/// Returns how far a rotation moves a point at a distance of 1 from the axis: twice the sine of
/// half the angle.
fn chord_of_turn(from: &Pose, to: &Pose) -> f32 {
    let (a, b) = (from.rotation, to.rotation);
    let (u, v) = (Vec3::new(a.x, a.y, a.z), Vec3::new(b.x, b.y, b.z));
    2.0 * (v * a.w - u * b.w - u.cross(v)).length()
}

/// Returns a pose in single precision.
pub(super) fn single(pose: &WidePose) -> Pose {
    let rotation = DQuat::from_mat3(&pose.rotation).normalize().as_quat();
    Pose::new(rotation, pose.translation.as_vec3())
}
