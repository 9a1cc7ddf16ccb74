//! Bodies that go far for their thickness do not get to the other side of a surface.
//!
//! A mesh or a height field has no inside: a contact pushes a body out on the side of its middle, so a body whose middle has
//! come through is pushed out on the wrong side. Bodies are kept on their side in three stages:
//! - A swift body, which will go farther in the step than a share of its thickness, has a box around its way. Its contacts
//!   with fixed and driven bodies and with surfaces are found all along the way, so the solver stops it before it is deep.
//! - After the solver the way of each body is compared with what was left of the body above the surface. A hit by another
//!   body in the same step was not foreseen, and a heavy load presses deep. If the way is longer, a ball in the middle of the
//!   body is swept, and the body waits where the ball stops. Each part of a compound has its own ball.
//! - If the body is deep already, the ball shrinks to half of its distance from the surface, so it never starts in it.
//!
//! A body that was not swift may leave its box, beyond which it has no pairs. Its way is compared with the boxes of all surfaces.
//!
//! Reference: E. Catto, Continuous Collision, Game Developers Conference, 2013 (speculative contacts, cores).
//! Differs: the ball follows what moves, and it is swept only if its way is longer than what is left of it.

use crate::core_cache::CoreCache;
use crate::narrow;
use crate::sweep::CORE;
use crate::world::World;
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_broad::{BroadPhase, Pair};
use carom_geom::Sphere;
use carom_math::glam::{DQuat, DVec3};
use carom_math::{Pose, Vec3};
use carom_query::{ImpactSettings, Motion, Shape, Workspace, cast_with, distance, project_point};
use carom_response::{Body, BodyKind, JointKind};

/// A dynamic body is swift if its way in a step is longer than this share of its thickness, and than `SWIFT_MARGIN`.
const SWIFT: f32 = 0.3;

/// Shorter ways, as a share of the prediction, are within the reach of ordinary contacts.
const SWIFT_MARGIN: f32 = 0.5;

/// The ball of a body is swept if its way is longer than this share of its thickness, less its depth.
const FAR: f32 = 0.25;

/// A middle that is nearer to a surface than this share of the thickness comes no nearer.
const NEAREST: f32 = 1.0 / 64.0;

/// A body that was moved back is swept again at most so often.
const MAX_PASSES: u32 = 3;

/// What decides whether a body needs the guard: it stands apart from the shape, which is large.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Girth {
    /// Twice the depth of the middle of the shape, or of its thinnest part.
    pub(crate) thickness: f32,
    /// The farthest of these middles from the centre of mass.
    pub(crate) lever: f32,
    /// Of the farthest corner of its box from its origin.
    pub(crate) radius: f32,
    /// Has no inside, all or a part of it.
    pub(crate) is_surface: bool,
}

impl Girth {
    /// No body has this number.
    pub(crate) const NONE: Girth =
        Girth { thickness: f32::INFINITY, lever: 0.0, radius: 0.0, is_surface: false };

    pub(crate) fn of(shape: &Shape, center_of_mass: Vec3) -> Girth {
        let local = shape.aabb(&Pose::IDENTITY);
        let mut girth = Girth { radius: local.min.abs().max(local.max.abs()).length(), ..Girth::NONE };
        match shape {
            Shape::HalfSpace(_) => girth.radius = f32::INFINITY,
            // Most do not move, and to find the middle of a large mesh is dear.
            Shape::Mesh(_) | Shape::HeightField(_) | Shape::Field(_) => {
                girth.thickness = (local.max - local.min).min_element();
                girth.is_surface = true;
            }
            Shape::Compound(compound) => {
                for part in compound.parts() {
                    let center = part.pose.inverse_transform_point(center_of_mass);
                    let own = Girth::of(&part.shape, center);
                    girth.thickness = girth.thickness.min(own.thickness);
                    girth.lever = girth.lever.max(own.lever);
                    girth.is_surface |= own.is_surface;
                }
            }
            _ => {
                let core = Core::of(shape, shape.mass_properties(1.0).center);
                girth.thickness = 2.0 / CORE * core.map_or(0.0, |core| core.radius);
                girth.lever = core.map_or(0.0, |core| (core.point - center_of_mass).length());
            }
        }
        girth
    }

    /// Whether a body will go so far in a step of this length that ordinary contacts may come too late.
    pub(crate) fn is_swift(&self, body: &Body, prediction: f32, dt: f32) -> bool {
        let travel = body.linear_velocity.length() * dt;
        match body.kind {
            BodyKind::Fixed => false,
            BodyKind::Dynamic => (SWIFT * self.thickness).max(SWIFT_MARGIN * prediction) < travel,
            BodyKind::Kinematic => {
                let angle = body.angular_velocity.length() * dt;
                // A half-space has no end.
                prediction < travel + if 0.0 < angle { angle * self.radius } else { 0.0 }
            }
        }
    }
}

/// How far a body went in a step.
#[derive(Clone, Copy, Debug, Default)]
struct Way {
    displacement: Vec3,
    /// By turning, the farthest of its middles; of a surface or a driven body, the farthest point.
    turned: f32,
    /// By turning, the farthest point of any body.
    swept: f32,
}

/// A point of a body with a ball around it that lies in the body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Core {
    point: Vec3,
    radius: f32,
}

/// Memory of the guard.
#[derive(Default)]
pub(crate) struct Guard {
    /// By number.
    ways: Vec<Way>,
    /// Bodies to be swept, and the other body of each pair.
    pairs: Vec<(u32, u32)>,
    /// Bodies that left their boxes.
    leavers: Vec<u32>,
    surfaces: Vec<u32>,
    cores: Vec<Core>,
    core_cache: CoreCache,
    pub(crate) memory: Workspace,
}

impl Guard {
    /// How far two bodies moved against each other in the step, at most.
    pub(crate) fn travel_of_pair(&self, a: usize, b: usize) -> f32 {
        let (a, b) = (self.ways[a], self.ways[b]);
        (a.displacement - b.displacement).length() + a.swept + b.swept
    }
}

impl<B: BroadPhase> World<B> {
    /// Finds which bodies are swift now.
    pub(crate) fn find_swift(&mut self) {
        let mut swift = core::mem::take(&mut self.swift);
        swift.clear();
        swift.resize(self.bodies.len(), false);
        let placing = self.placing();
        for &index in self.movers.awake() {
            swift[index as usize] = placing.is_swift(index as usize);
        }
        self.swift = swift;
    }

    /// After the solver and the sweeps of fast bodies: moves bodies back that would get to the other side of something.
    pub(crate) fn guard_bodies(&mut self) {
        let mut guard = core::mem::take(&mut self.guard);
        let is_needed = self.note_ways(&mut guard);
        if is_needed || 0 < self.n_surfaces {
            self.find_guarded(&mut guard);
            let pairs = core::mem::take(&mut guard.pairs);
            for pairs in pairs.chunk_by(|(a, _), (b, _)| a == b) {
                self.guard_body(pairs, &mut guard);
            }
            guard.pairs = pairs;
        }
        self.guard = guard;
    }

    /// The guard moves this body back; fast bodies have sweeps of their own.
    fn is_guarded(&self, index: usize) -> bool {
        let (body, traits) = (&self.bodies[index], &self.traits[index]);
        body.kind == BodyKind::Dynamic
            && !traits.is_fast
            && !traits.is_sensor
            && self.movers.has(index as u32)
    }

    /// Finds how far each body went, and whether one went so far that its pairs must be swept.
    fn note_ways(&self, guard: &mut Guard) -> bool {
        let Guard { ways, leavers, .. } = guard;
        ways.clear();
        ways.resize(self.bodies.len(), Way::default());
        leavers.clear();
        let mut is_needed = false;
        for &number in self.movers.list() {
            let index = number as usize;
            let (body, girth) = (&self.bodies[index], self.girths[index]);
            let Some(start) = self.start_of(index) else { continue };
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
                let known = self.proxies[index].and_then(|proxy| self.broad.aabb(proxy).ok());
                if 0 < self.n_surfaces && !known.is_some_and(|known| known.contains_point(end)) {
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
        surfaces
            .extend((0..).zip(&self.girths).filter(|(_, girth)| girth.is_surface).map(|(index, _)| index));
        for &number in &*leavers {
            let index = number as usize;
            let (Some(shape), Some(start)) = (&self.shapes[index], self.start_of(index)) else { continue };
            let (from, to) = (shape.aabb(&start), shape.aabb(&self.bodies[index].pose));
            let way = Aabb { min: from.min.min(to.min), max: from.max.max(to.max) };
            for &other in surfaces.iter().filter(|&&other| other != number) {
                let pair = Pair { a: number.min(other), b: number.max(other) };
                let traits = &self.traits[other as usize];
                let meets =
                    |proxy| self.broad.aabb(proxy).is_ok_and(|aabb| aabb.intersection(&way).is_some());
                if !narrow::is_sensor_pair(pair, &self.traits, &self.rules)
                    && self.proxies[other as usize].is_some_and(meets)
                    && self.traits[index].filter.meets(&traits.filter)
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
        for &place in &self.busy {
            let record = &self.records[place as usize];
            let (a, b) = (record.a.index as usize, record.b.index as usize);
            if !record.is_wanted || record.is_sensor || !(self.has_far_side(a) || self.has_far_side(b)) {
                continue;
            }
            for (index, other) in [(a, b), (b, a)] {
                let (body, girth) = (&self.bodies[index], self.girths[index]);
                if body.kind != BodyKind::Dynamic || !self.has_far_side(other) {
                    continue;
                }
                let (own, others) = (ways[index], ways[other]);
                let travel = (own.displacement - others.displacement).length() + own.turned + others.turned;
                let mut room = FAR * girth.thickness;
                if self.girths[other].is_surface {
                    let contacts = self.manifolds_of(record).iter().flat_map(|manifold| manifold.contacts());
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
        let (kind, girth) = (self.bodies[index].kind, self.girths[index]);
        girth.is_surface || (kind != BodyKind::Dynamic && girth.radius < f32::INFINITY)
    }

    /// A limb that is farther from its joint than it is thick is on the wrong side of something; it is let through.
    fn is_torn(&self, index: usize) -> bool {
        self.joints.of(index as u32).iter().filter_map(|&(_, id)| self.joints.get(id)).any(|joint| {
            let end =
                |body: u32, frame: &Pose| self.bodies[body as usize].pose.transform_point(frame.translation);
            let gap = end(joint.body_b, &joint.frame_b) - end(joint.body_a, &joint.frame_a);
            !matches!(joint.kind, JointKind::Distance { .. }) && self.girths[index].thickness < gap.length()
        })
    }

    /// Moves one body back to where its cores met one of the others first.
    fn guard_body(&mut self, pairs: &[(u32, u32)], guard: &mut Guard) {
        let index = pairs[0].0 as usize;
        let Guard { cores, core_cache, memory, .. } = guard;
        let (Some(start), Some(shape)) = (self.start_of(index), &self.shapes[index]) else { return };
        core_cache.find(index, shape, self.bodies[index].center_of_mass, cores);
        self.stats.n_swept += pairs.len();
        let mut shift = Vec3::ZERO;
        for _ in 0..MAX_PASSES {
            let mut end = self.bodies[index].pose;
            end.translation += shift;
            let (mut first, mut back) = (1.0, Vec3::ZERO);
            for other in pairs.iter().map(|pair| pair.1 as usize) {
                let Some((motion, end_of_other)) = self.motion_of_other(other) else { continue };
                let Some(barrier) = &self.shapes[other] else { continue };
                for core in &*cores {
                    let way = [&start, &end].map(|pose| pose.transform_point(core.point).as_dvec3());
                    let until = core.free_until(way, first, (barrier, &motion), memory);
                    if until < first {
                        first = until;
                        // From there on it goes along with the other.
                        let met = motion.pose_at(until).inverse_transform_point(way[0].lerp(way[1], until));
                        let held = end_of_other.wide().transform_point(met);
                        back = (held - way[1]).as_vec3();
                    }
                }
            }
            if 1.0 <= first {
                break;
            }
            shift += back;
        }
        if shift != Vec3::ZERO && shift.is_finite() {
            self.stats.n_stopped += 1;
            self.bodies[index].pose.translation += shift;
            self.pay_for(index, shift.as_dvec3());
        }
    }

    /// How a body moved in the step, in a time of 1, and its end.
    fn motion_of_other(&self, index: usize) -> Option<(Motion, Pose)> {
        let (body, start) = (&self.bodies[index], self.start_of(index)?);
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

impl Core {
    /// The core of a single shape around this point of it; a surface has none around a point that it does not enclose.
    fn of(shape: &Shape, center: Vec3) -> Option<Core> {
        if matches!(shape, Shape::HalfSpace(_) | Shape::HeightField(_) | Shape::Field(_)) {
            return None;
        }
        let point = if center.is_finite() { center } else { Vec3::ZERO };
        let nearest = project_point(shape, &Pose::IDENTITY, point)?;
        (nearest.distance < 0.0).then_some(Core { point, radius: -CORE * nearest.distance })
    }

    /// The share of a way that is free of the other body, at most `end`.
    fn free_until(
        &self,
        [from, to]: [DVec3; 2],
        end: f64,
        (barrier, motion): (&Shape, &Motion),
        memory: &mut Workspace,
    ) -> f64 {
        let still = DVec3::ZERO;
        let Ok(way) = Motion::new(DQuat::IDENTITY, from, still, to - from, still) else { return end };
        let settings = ImpactSettings::default().with_times(0.0, end).with_target_distance(0.0);
        let mut cast = |radius: f32| {
            let Ok(ball) = Sphere::new(radius) else { return end };
            cast_with(&Shape::Sphere(ball), &way, barrier, motion, &settings, memory).safe_until(end)
        };
        let until = cast(self.radius);
        if 0.0 < until {
            return until;
        }
        let Ok(point) = Sphere::new(0.0) else { return end };
        let start = motion.pose_at(0.0);
        let rotation = DQuat::from_mat3(&start.rotation).normalize().as_quat();
        let start = Pose::new(rotation, start.translation.as_vec3());
        let at = Pose::from_translation(from.as_vec3());
        let apart = distance(&Shape::Sphere(point), &at, barrier, &start).distance;
        // A middle that is in the other already is no help; it leaves.
        if !(0.0 < apart) {
            return end;
        }
        let until = cast(0.5 * apart);
        let is_nearest = apart < NEAREST * 2.0 / CORE * self.radius;
        if until < end && is_nearest { 0.0 } else { until }
    }
}

/// Makes `cores` those of a shape: one in the middle of each convex part.
pub(crate) fn find_cores(shape: &Shape, center_of_mass: Vec3, cores: &mut Vec<Core>) {
    cores.clear();
    match shape {
        Shape::Compound(compound) => {
            for part in compound.parts() {
                let core = Core::of(&part.shape, part.shape.mass_properties(1.0).center);
                cores.extend(core.map(|core| Core { point: part.pose.transform_point(core.point), ..core }));
            }
        }
        Shape::Mesh(_) => cores.extend(Core::of(shape, center_of_mass)),
        _ => cores.extend(Core::of(shape, shape.mass_properties(1.0).center)),
    }
}
