//! Fast bodies that were stopped slide along the obstacle in the remaining time of the step.
//!
//! Contacts let a body come close to a wall, and there the sweep would stop it in every step.
//! Without sliding, its motion along the wall would be lost.
//!
//! 1. The remaining motion is projected, so that it does not lead into the walls near the body.
//! 2. It is swept again, against all other bodies at their poses at the end of the step.
//! 3. If the body meets something else, that becomes a wall too, and the procedure is repeated
//!    from 1.
//! 4. The body turns to the final orientation of its path or not at all, because at other
//!    orientations the same angular momentum has another energy.
//!
//! So the body stays on its side of all walls (test:
//! `bullets::sliding_bodies_pass_through_nothing`). Its path is not longer than that of the
//! solver.
//!
//! Reference: P. Fauerby, Improved Collision Detection and Response, 2003 (collide and slide).
//! Differs: any shapes, with rotation; the motion is projected onto the cone of all walls at once;
//! the sweeps are certified.

use crate::bodies::body_bounds::clamped;
use crate::bodies::solids::Part;
use crate::continuous::ContinuousStep;
use crate::continuous::flight::between;
use crate::continuous::state::{Attachment, Sweeps};
use crate::continuous::state::{Near, Slides};
use carom_broad::BroadPhase;
use carom_math::glam::{DQuat, DVec3};
use carom_math::{Pose, Vec3, ops};
use carom_query::{ImpactSettings, Motion, Shape, TimeOfImpact, Workspace, cast_with, contact_with};

/// A path is swept at most this many times.
const MAX_SWEEPS: u32 = 4;

/// A body within this multiple of the stopping distance counts as a wall.
const WALL_DISTANCE_RATIO: f64 = 1.25;

/// A path along a wall leads away from the wall by this fraction of its length, which bounds the
/// rounding of normals in single precision.
const AWAY_RATIO: f64 = 1e-6;

/// A path leads into a wall if its normal part exceeds this fraction of its length. The fraction
/// bounds the rounding of the path in double precision.
const LEVEL_RATIO: f64 = 1e-9;

impl<B: BroadPhase> ContinuousStep<'_, B> {
    /// After all fast bodies were moved to their stops: lets the stopped ones slide.
    pub(crate) fn slide_stopped(&mut self, sweeps: &mut Sweeps) {
        let mut slides = core::mem::take(&mut sweeps.slides);
        slides.pairs.clear();
        for &index in &self.contacts.active_pairs {
            let state = &self.contacts.states[index as usize];
            if !state.may_push() {
                continue;
            }
            let (a, b) = (state.a.index, state.b.index);
            for (body, other) in [(a, b), (b, a)] {
                if sweeps.slides_on(body as usize) {
                    slides.pairs.push((body, other));
                }
            }
        }
        slides.pairs.sort_unstable();
        let pairs = core::mem::take(&mut slides.pairs);
        for pairs in pairs.chunk_by(|(a, _), (b, _)| a == b) {
            self.slide(pairs, &mut slides, sweeps);
        }
        slides.pairs = pairs;
        sweeps.slides = slides;
    }

    /// Lets one body slide among all bodies with which it has pairs.
    fn slide(&mut self, pairs: &[(u32, u32)], slides: &mut Slides, sweeps: &mut Sweeps) {
        let index = pairs[0].0 as usize;
        let rest = 1.0 - sweeps.stops[index];
        let (Some(whole), Some(shape), Some(proxy)) =
            (sweeps.flights[index], &self.bodies.shapes[index], self.bodies.proxies[index])
        else {
            return;
        };
        let Ok(known) = self.broad.aabb(proxy) else { return };
        let Some(is_clear) = self.find_near(pairs, slides, sweeps) else { return };
        let Slides { near, walls, stopped, .. } = slides;
        // 0 along locked axes, 1 along the others.
        let free = self.bodies.motions[index].locked_axes.free_translation(Vec3::ONE).as_dvec3();
        let start = self.bodies.motions[index].pose;
        let center = self.bodies.motions[index].center_of_mass.as_dvec3();
        let bounds = self.bodies.bounds(self.settings, self.dt);
        let (mut linear, mut angular) = (staying(whole.linear() * rest, stopped), DVec3::ZERO);
        let own = start.rotation.as_dquat().normalize();
        let turned = whole.rotations(&sweeps.rotations)[whole.n_legs() as usize];
        // A body with several legs does not turn further, because its present orientation follows
        // from its momentum.
        if is_clear && whole.n_legs() == 1 {
            angular = between(own, turned);
        }
        let mut pose = start;
        for _ in 0..MAX_SWEEPS {
            linear = along(linear, walls) * free;
            if linear == DVec3::ZERO && angular == DVec3::ZERO {
                break;
            }
            let (rotation, translation) = (pose.rotation.as_dquat(), pose.translation.as_dvec3());
            let Ok(motion) = Motion::new(rotation, translation, center, linear, angular) else { break };
            let (until, met) = self.free_until(index, &motion, near, &mut sweeps.memory);
            // The body turns to the end of its path, or not at all.
            if until < 1.0 && angular != DVec3::ZERO {
                angular = DVec3::ZERO;
                continue;
            }
            let angle = ops::sqrt(angular.length_squared()) as f32;
            let displacement = (linear * until).as_vec3();
            let path = bounds.path_box(index, shape, &pose, displacement, angle * until as f32);
            if !known.contains(&clamped(&path)) {
                break;
            }
            let rotation = if angular == DVec3::ZERO { own } else { turned };
            let translation = motion.center_at(until) - rotation * center;
            pose = Pose::new(rotation.as_quat(), translation.as_vec3());
            let Some((slot, normal)) = met else { break };
            // The body is already at the target distance, and would be stopped at once.
            if let Some(target) = &mut near[slot].target {
                *target *= 0.5;
            }
            linear *= 1.0 - until;
            let Some(normal) = normal else { break };
            walls.push(normal);
        }
        self.bodies.motions[index].pose = pose;
    }

    /// Lists the bodies of these pairs, and those among them that are walls beside the body.
    /// Returns whether the body overlaps none of them. `None` if a pose is not finite.
    fn find_near(&self, pairs: &[(u32, u32)], slides: &mut Slides, sweeps: &mut Sweeps) -> Option<bool> {
        let Slides { near, walls, stopped, .. } = slides;
        near.clear();
        walls.clear();
        stopped.clear();
        let slop = f64::from(self.settings.solver.slop * self.settings.solver.length_unit);
        let beside = (WALL_DISTANCE_RATIO * slop) as f32;
        let mut is_clear = true;
        for (index, other) in pairs.iter().map(|&(body, other)| (body as usize, other as usize)) {
            let [start, pose] = [index, other].map(|body| self.bodies.motions[body].pose);
            let motion = Motion::fixed(pose.rotation.as_dquat(), pose.translation.as_dvec3()).ok()?;
            let is_fast = [true, self.bodies.traits[other].is_fast];
            for parts in self.part_pairs(index, other) {
                let Some([own, shape_b]) = self.shapes_of([index, other], parts) else { continue };
                let mut target = Some(slop);
                if let Some(found) = contact_with(own, &start, shape_b, &pose, beside, &mut sweeps.memory) {
                    let separation = f64::from(found.contact.distance);
                    target =
                        (0.0 < separation).then(|| self.least_distance(separation, [index, other], is_fast));
                    is_clear &= 0.0 < separation;
                    let normal = found.contact.normal.as_dvec3();
                    walls.push(normal);
                    if sweeps.stops[other] < 1.0 {
                        stopped.push(normal);
                    }
                }
                near.push(Near { index: other, parts, motion, target });
            }
        }
        Some(is_clear)
    }

    /// Returns the time up to which a motion of a body is free, from 0 to 1. If it ends earlier, it
    /// also returns the slot in `near` that ends it, and the normal there if it is known.
    fn free_until(
        &self,
        index: usize,
        motion: &Motion,
        near: &[Near],
        memory: &mut Workspace,
    ) -> (f64, Option<(usize, Option<DVec3>)>) {
        let (mut until, mut met) = (1.0, None);
        for (slot, near) in near.iter().enumerate() {
            let Some([own, shape_b]) = self.shapes_of([index, near.index], near.parts) else { continue };
            let settings = ImpactSettings::default()
                .with_times(0.0, until)
                .with_target_distance(near.target.unwrap_or(0.0));
            let mut normal = None;
            let mut free_of = |shape: &Shape, motion: &Motion| {
                let found = cast_with(shape, motion, shape_b, &near.motion, &settings, memory);
                normal = if let TimeOfImpact::Hit(impact) = found { Some(impact.normal) } else { None };
                found.safe_until(until)
            };
            let free = if near.target.is_some() {
                free_of(own, motion)
            } else {
                let Some(core) = self.core_of(index) else { continue };
                let (turn, zero) = (DQuat::IDENTITY, DVec3::ZERO);
                let middle = motion.center_at(0.0);
                let Ok(straight) = Motion::new(turn, middle, zero, motion.linear(), zero) else { continue };
                let other = (shape_b, &self.bodies.motions[near.index].pose);
                core.free_until(middle, other, until, |ball| free_of(ball, &straight))
            };
            if free < until {
                until = free;
                met = Some((slot, normal));
            }
        }
        (until, met)
    }

    /// Returns these shapes of two bodies.
    fn shapes_of(&self, bodies: [usize; 2], parts: [Part; 2]) -> Option<[&Shape; 2]> {
        let solids = self.solids();
        Some([solids.shape(bodies[0], parts[0])?, solids.shape(bodies[1], parts[1])?])
    }
}

impl Sweeps {
    /// Whether the body was stopped and slides. A jointed body does not slide.
    fn slides_on(&self, index: usize) -> bool {
        self.stops[index] < 1.0
            && self.attachments[index] == Attachment::Free
            && self.flights[index].is_some()
    }
}

/// Returns a motion without the parts that lead away from other stopped bodies.
///
/// Otherwise, if a stopped body follows another one, both lose their remaining motion in each
/// step, and the follower never reaches the other body.
fn staying(displacement: DVec3, stopped: &[DVec3]) -> DVec3 {
    stopped.iter().fold(displacement, |displacement, normal| {
        displacement - *normal * displacement.dot(*normal).min(0.0)
    })
}

/// Returns the motion nearest to `displacement` that leads into no wall.
fn along(displacement: DVec3, walls: &[DVec3]) -> DVec3 {
    let length = ops::sqrt(displacement.length_squared());
    let leads_into_none =
        |displacement: &DVec3| walls.iter().all(|wall| displacement.dot(*wall) <= LEVEL_RATIO * length);
    if leads_into_none(&displacement) {
        return displacement;
    }
    let mut longest = DVec3::ZERO;
    let mut consider = |found: DVec3| {
        if longest.length_squared() < found.length_squared() && leads_into_none(&found) {
            longest = found;
        }
    };
    for (k, wall) in walls.iter().enumerate() {
        consider(displacement - *wall * displacement.dot(*wall));
        for other in &walls[..k] {
            let edge = wall.cross(*other);
            let square = edge.length_squared();
            if 0.0 < square {
                consider(edge * (displacement.dot(edge) / square));
            }
        }
    }
    let away = AWAY_RATIO * ops::sqrt(longest.length_squared());
    walls.iter().fold(longest, |displacement, wall| displacement - *wall * away)
}
