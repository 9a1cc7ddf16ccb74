//! Fast bodies: swept along the way on which the solver moved them, and stopped before what stands in it.
//!
//! The box of a fast body holds all of its way in a step, turning included, so the pairs of a step are all that it can meet. After
//! the solver each of these pairs is asked when it first touches, both bodies moving; up to that time the way is proved to
//! be free, and there the body is left, its velocity kept, for the contacts of the next step. What already touches at
//! the start must go on sliding and parting: then it is half the distance that may not be passed, and of bodies that overlap the
//! core of the fast one.
//!
//! Reference: E. Catto, Continuous Collision, Game Developers Conference, 2013 (bullets, safe times, cores).
//! Differs: the times are certified, rotation included; a body that leaves the box in which its pairs were looked for waits there.

use crate::world::{World, clamped};
use carom_bounds::Aabb;
use carom_broad::BroadPhase;
use carom_geom::Sphere;
use carom_math::glam::{DQuat, DVec3};
use carom_math::{Pose, Vec3, ops};
use carom_query::{ImpactSettings, Motion, Shape, Workspace, cast_with, distance};
use carom_response::BodyKind;

/// Of a fast body that overlaps something already: the radius of the ball in its middle that still goes through nothing, over the least
/// half side of its box.
const CORE: f32 = 0.25;

/// Halvings of a step in which a body leaves the box where its pairs were looked for.
const N_HALVINGS: u32 = 10;

/// When the fast bodies are stopped, by number, in shares of the step; and memory of the casts.
#[derive(Default)]
pub(crate) struct Sweeps {
    stops: alloc::vec::Vec<f64>,
    memory: Workspace,
}

impl<B: BroadPhase> World<B> {
    /// Makes the boxes of fast bodies hold their way in a step of this length, if they do not yet: the last step was another one, or
    /// somebody changed a velocity.
    pub(crate) fn foresee(&mut self, dt: f32) {
        if !(0.0 < dt && dt < f32::INFINITY) {
            return;
        }
        self.dt = dt;
        for index in 0..self.bodies.len() {
            let (true, Some(proxy), Some(shape)) =
                (self.is_swept(index), self.proxies[index], &self.shapes[index])
            else {
                continue;
            };
            let aabb = self.box_of(index, shape);
            if self.broad.aabb(proxy).is_ok_and(|old| old != aabb) {
                // Every box is sound: `clamped` sees to it.
                let updated = self.broad.update(&[(proxy, aabb)]);
                debug_assert!(updated.is_ok(), "a box of the world was refused: {updated:?}");
                self.is_changed = true;
            }
        }
    }

    /// The body is fast, and something that moves.
    fn is_swept(&self, index: usize) -> bool {
        let body = &self.bodies[index];
        self.traits[index].is_fast && body.kind == BodyKind::Dynamic && !body.is_sleeping
    }

    /// A box around all of the way of a body: from a pose, by a displacement of its centre of mass and an angle.
    pub(crate) fn way_of(
        &self,
        index: usize,
        shape: &Shape,
        pose: &Pose,
        displacement: Vec3,
        angle: f32,
    ) -> Aabb {
        let center = self.bodies[index].center_of_mass;
        let around = Pose::new(pose.rotation, pose.transform_point(center));
        shape.aabb(&Pose::from_translation(-center)).over_motion(&around, displacement, angle)
    }

    /// After the solver: fast bodies go back to where their way was free.
    pub(crate) fn stop_fast(&mut self) {
        (self.stats.n_swept, self.stats.n_stopped) = (0, 0);
        if !(0..self.bodies.len()).any(|index| self.is_swept(index)) {
            return;
        }
        let mut sweeps = core::mem::take(&mut self.sweeps);
        sweeps.stops.clear();
        sweeps.stops.resize(self.bodies.len(), 1.0);
        let records = core::mem::take(&mut self.records);
        for record in records.iter().filter(|record| record.is_wanted && !record.is_sensor) {
            let pair = [record.a.index as usize, record.b.index as usize];
            let is_swept = pair.map(|index| self.is_swept(index));
            if is_swept == [false, false] {
                continue;
            }
            self.stats.n_swept += 1;
            let until = self.free_until(pair, is_swept, &mut sweeps.memory);
            for (index, is_swept) in pair.into_iter().zip(is_swept) {
                if is_swept && until < sweeps.stops[index] {
                    sweeps.stops[index] = until;
                }
            }
        }
        self.records = records;
        for index in 0..self.bodies.len() {
            if self.is_swept(index) {
                self.stop_at(index, sweeps.stops[index]);
            }
        }
        self.sweeps = sweeps;
    }

    /// Which share of the step is free for a pair.
    fn free_until(&self, pair: [usize; 2], is_swept: [bool; 2], memory: &mut Workspace) -> f64 {
        let [a, b] = pair;
        let (Some(shape_a), Some(shape_b)) = (&self.shapes[a], &self.shapes[b]) else { return 1.0 };
        let (Some(start_a), Some(start_b)) = (self.start_of(a), self.start_of(b)) else { return 1.0 };
        let (Some(motion_a), Some(motion_b)) = (self.motion_from(a, &start_a), self.motion_from(b, &start_b))
        else {
            return 0.0;
        };
        let target = f64::from(self.settings.solver.slop * self.settings.solver.length_unit);
        let settings = ImpactSettings::default().with_times(0.0, 1.0).with_target_distance(target);
        let until = cast_with(shape_a, &motion_a, shape_b, &motion_b, &settings, memory).safe_until(1.0);
        if 0.0 < until {
            return until;
        }
        // As near as that already: no nearer than half of it.
        let apart = f64::from(distance(shape_a, &start_a, shape_b, &start_b).distance);
        if 0.0 < apart {
            let settings = settings.with_target_distance(0.5 * apart.min(target));
            return cast_with(shape_a, &motion_a, shape_b, &motion_b, &settings, memory).safe_until(1.0);
        }
        // They overlap, and contacts part them; the core of the fast one goes through nothing.
        let settings = settings.with_target_distance(0.0);
        let mut until = 1.0;
        for (k, index) in pair.into_iter().enumerate() {
            let Some(core) = self.core_of(index).filter(|_| is_swept[k]) else { continue };
            let (motion, other_shape, other) =
                if k == 0 { (&motion_a, shape_b, &motion_b) } else { (&motion_b, shape_a, &motion_a) };
            let Ok(motion) = Motion::new(
                DQuat::IDENTITY,
                motion.center_at(0.0),
                DVec3::ZERO,
                motion.linear(),
                DVec3::ZERO,
            ) else {
                continue;
            };
            let free = cast_with(&core, &motion, other_shape, other, &settings, memory).safe_until(1.0);
            // A core that is in the other already is no help; it leaves.
            if 0.0 < free && free < until {
                until = free;
            }
        }
        until
    }

    /// Where the body was when the pairs of this step were looked at.
    fn start_of(&self, index: usize) -> Option<Pose> {
        self.seen.get(index).copied().flatten()
    }

    /// From there to where it is, in a time of 1.
    fn motion_from(&self, index: usize, start: &Pose) -> Option<Motion> {
        let body = &self.bodies[index];
        let wide = |pose: &Pose| (pose.rotation.as_dquat(), pose.translation.as_dvec3());
        if body.kind == BodyKind::Fixed || *start == body.pose {
            return Motion::fixed(wide(start).0, wide(start).1).ok();
        }
        // The short way is the way it went, unless it turned by more than half a turn.
        let mut motion =
            Motion::between(wide(start), wide(&body.pose), body.center_of_mass.as_dvec3(), 1.0).ok()?;
        let turn = body.angular_velocity.as_dvec3() * f64::from(self.dt);
        let turned = ops::sqrt(turn.length_squared());
        if core::f64::consts::PI * 0.9 < turned {
            let (rotation, translation) = wide(start);
            let center = body.center_of_mass.as_dvec3();
            motion = Motion::new(rotation, translation, center, motion.linear(), turn).ok()?;
        }
        Some(motion)
    }

    /// A small ball about the centre of mass.
    fn core_of(&self, index: usize) -> Option<Shape> {
        let shape = self.shapes[index].as_ref()?;
        let local = shape.aabb(&Pose::IDENTITY);
        let radius = CORE * 0.5 * (local.max - local.min).min_element();
        Sphere::new(radius).ok().map(Shape::Sphere)
    }

    /// Puts a fast body where it was at this share of the step, or before it leaves the box in which its pairs were found.
    fn stop_at(&mut self, index: usize, until: f64) {
        let (Some(start), Some(shape), Some(proxy)) =
            (self.start_of(index), &self.shapes[index], self.proxies[index])
        else {
            return;
        };
        let Some(motion) = self.motion_from(index, &start) else { return };
        let linear = motion.linear().as_vec3();
        let angle = ops::sqrt(motion.angular().length_squared()) as f32;
        let is_inside = |share: f64| {
            let share = share as f32;
            let way = self.way_of(index, shape, &start, linear * share, angle * share);
            self.broad.aabb(proxy).is_ok_and(|known| known.contains(&clamped(&way)))
        };
        let mut share = until;
        if !is_inside(share) {
            let (mut low, mut high) = (0.0, share);
            for _ in 0..N_HALVINGS {
                let middle = 0.5 * (low + high);
                if is_inside(middle) { low = middle } else { high = middle }
            }
            share = low;
        }
        if 1.0 <= share {
            return;
        }
        self.stats.n_stopped += 1;
        let place = motion.pose_at(share);
        let rotation = DQuat::from_mat3(&place.rotation).normalize().as_quat();
        self.bodies[index].pose = Pose::new(rotation, place.translation.as_vec3());
    }
}
