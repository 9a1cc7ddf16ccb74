//! Fast bodies: swept along the way on which the solver moved them, and stopped before what stands in it.
//!
//! The box of a fast body holds all of its way in a step, turning included, so the pairs of a step are all that it can meet. After
//! the solver each of these pairs is asked when it first touches, both bodies moving, no later than where one of them stops for
//! a pair before; up to that time the way is proved to be free, and there the body is left, its velocity kept, for the contacts of the
//! next step. What already touches at the start must go on sliding and parting: then it is half the distance that may not be
//! passed, and of bodies that overlap the core of the fast one. Of limbs, which hang in joints, it is always the core: a limb that
//! is stopped where it touches tears its joints, and they throw it back in every step. One that was torn off by more than its own width is
//! on the wrong side of something, and is let through. Left so, a body is a hair farther away than what touches, and
//! the next step turns it away: whom the solver pushed is told as touching. The rest of its way in the step leads along what stopped it
//! (`slide`): stopped nearer than at half of what is left, at a sixteenth, an egg that turns still crawled, and where only the cores of those
//! that stand near were swept 7 of 10,000 bullets of millimetres went through.
//!
//! Reference: E. Catto, Continuous Collision, Game Developers Conference, 2013 (bullets, safe times, cores).
//! Differs: the times are certified, rotation included; a body that leaves the box in which its pairs were looked for waits there.

use crate::body::Traits;
use crate::slide::Slides;
use crate::world::{World, clamped};
use crate::{BodyId, Event, EventKind};
use carom_bounds::Aabb;
use carom_broad::BroadPhase;
use carom_geom::Sphere;
use carom_math::glam::{DQuat, DVec3};
use carom_math::{Pose, Vec3, ops};
use carom_query::{ImpactSettings, Motion, Shape, Workspace, cast_with, distance};
use carom_response::{BodyKind, JointKind};

/// Of a fast body that overlaps something already: the radius of the ball in its middle that still goes through nothing, over the least
/// half side of its box.
pub(crate) const CORE: f32 = 0.25;

/// A body that leaves the box where its pairs were looked for is stopped at a multiple of this part of its way.
const PART: f64 = 1.0 / 1024.0;

/// Where the box is left is guessed at most so often, and then halved.
const MOST_GUESSES: u32 = 8;

/// When the fast bodies are stopped, by number, in shares of the step, and how bodies move in it, as far as somebody asked; and memory
/// of the casts.
#[derive(Default)]
pub(crate) struct Sweeps {
    pub(crate) stops: alloc::vec::Vec<f64>,
    pub(crate) motions: alloc::vec::Vec<Option<Motion>>,
    pub(crate) limbs: alloc::vec::Vec<Limb>,
    pub(crate) memory: Workspace,
    pub(crate) slides: Slides,
}

/// Whether a body hangs in joints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Limb {
    Not,
    Held,
    /// From one that is farther away than the body is wide.
    Torn,
}

impl<B: BroadPhase> World<B> {
    /// Makes the boxes of fast bodies hold their way in a step of this length, if they do not yet: the last step was another one, or
    /// somebody changed a velocity.
    pub(crate) fn foresee(&mut self, dt: f32) {
        if dt == 0.0 {
            return;
        }
        if core::mem::replace(&mut self.dt, dt) != dt {
            for place in 0..self.movers.awake().len() {
                self.foresee_way(self.movers.awake()[place] as usize);
            }
        }
        self.find_fast();
        for place in 0..self.fast.len() {
            let index = self.fast[place] as usize;
            if self.is_swept(index) {
                self.foresee_way(index);
            }
        }
    }

    /// Makes the box of a fast or swift body hold the way that it would go in a step like the last one, after its velocity changed.
    pub(crate) fn foresee_way(&mut self, index: usize) {
        let (Some(proxy), Some(shape)) = (self.proxies[index], &self.shapes[index]) else { return };
        let aabb = self.box_of(index, shape);
        if self.broad.aabb(proxy).is_ok_and(|old| old != aabb) {
            // Every box is sound: `clamped` sees to it.
            let updated = self.broad.update(&[(proxy, aabb)]);
            debug_assert!(updated.is_ok(), "a box of the world was refused: {updated:?}");
            self.is_changed = true;
        }
    }

    /// Who is fast, by number, if that has changed.
    fn find_fast(&mut self) {
        if !core::mem::replace(&mut self.are_fast_known, true) {
            self.fast.clear();
            let is_fast = |(_, traits): &(u32, &Traits)| traits.is_fast;
            self.fast.extend((0..).zip(&self.traits).filter(is_fast).map(|(index, _)| index));
        }
    }

    /// The body is fast, and something that moves.
    fn is_swept(&self, index: usize) -> bool {
        let body = &self.bodies[index];
        self.traits[index].is_fast && body.kind == BodyKind::Dynamic && !body.is_sleeping
    }

    /// After the solver: fast bodies go back to where their way was free.
    pub(crate) fn stop_fast(&mut self) {
        let fast = core::mem::take(&mut self.fast);
        if fast.iter().any(|&index| self.is_swept(index as usize) && self.movers.has(index)) {
            self.stop_these(&fast);
        }
        self.fast = fast;
    }

    fn stop_these(&mut self, fast: &[u32]) {
        let mut sweeps = core::mem::take(&mut self.sweeps);
        sweeps.stops.clear();
        sweeps.stops.resize(self.bodies.len(), 1.0);
        sweeps.motions.clear();
        sweeps.motions.resize(self.bodies.len(), None);
        sweeps.limbs.clear();
        sweeps.limbs.resize(self.bodies.len(), Limb::Not);
        // Who is swept moves.
        for joint in self.work.joints.iter().map(|&place| self.joints.at(place)) {
            let ends = [(joint.body_a, &joint.frame_a), (joint.body_b, &joint.frame_b)];
            let [a, b] =
                ends.map(|(body, frame)| self.bodies[body as usize].pose.transform_point(frame.translation));
            for (body, _) in ends {
                let body = body as usize;
                let is_torn = !matches!(joint.kind, JointKind::Distance { .. })
                    && self.least_side(body).is_some_and(|side| side < (b - a).length());
                sweeps.limbs[body] =
                    if is_torn || sweeps.limbs[body] == Limb::Torn { Limb::Torn } else { Limb::Held };
            }
        }
        let records = core::mem::take(&mut self.records);
        // All pairs of what moves are among the busy.
        let busy = core::mem::take(&mut self.busy);
        let near = busy.iter().map(|&place| &records[place as usize]);
        for record in near.filter(|record| record.is_wanted && !record.is_sensor) {
            let pair = [record.a.index as usize, record.b.index as usize];
            let moves = |index: usize| self.is_swept(index) && !self.bodies[index].is_halted;
            let is_swept = pair.map(|index| moves(index) && sweeps.limbs[index] != Limb::Torn);
            if is_swept == [false, false] {
                continue;
            }
            self.stats.n_swept += 1;
            // What would come after both are stopped is of no interest.
            let [stop_a, stop_b] = pair.map(|index| sweeps.stops[index]);
            let end = match is_swept {
                [true, true] => stop_a.max(stop_b),
                [true, false] => stop_a,
                _ => stop_b,
            };
            if !(0.0 < end) {
                continue;
            }
            let until = self.free_until(pair, is_swept, end, &mut sweeps);
            for (index, is_swept) in pair.into_iter().zip(is_swept) {
                if is_swept && until < sweeps.stops[index] {
                    sweeps.stops[index] = until;
                }
            }
        }
        self.records = records;
        self.busy = busy;
        let mut some_slide = false;
        for &index in fast {
            if self.is_swept(index as usize) {
                some_slide |= self.stop_at(index as usize, &mut sweeps);
            }
        }
        if some_slide {
            self.slide_stopped(&mut sweeps);
        }
        self.sweeps = sweeps;
    }

    /// After the solver: fast bodies that it turned away from something within the step touched that, though no detection sees them there.
    pub(crate) fn tell_struck(&mut self) {
        if self.fast.is_empty() && !self.swift.contains(&true) {
            return;
        }
        let impulses = self.solver.contact_impulses();
        let n_told = self.events.len();
        for &place in &self.busy {
            let record = &mut self.records[place as usize];
            let is_fast = |id: &BodyId| {
                let index = id.index as usize;
                self.traits[index].is_fast || self.swift[index]
            };
            let is_fast = [record.a, record.b].iter().any(is_fast);
            if !is_fast || record.is_touching || record.is_sensor {
                continue;
            }
            let first = record.first_solved as usize;
            let pushed = impulses.get(first..first.saturating_add(record.n as usize)).unwrap_or(&[]);
            if !pushed.iter().any(|impulse| 0.0 < impulse.total_normal()) {
                continue;
            }
            record.is_touching = true;
            self.stats.n_touching += 1;
            let event = Event { a: record.a, b: record.b, kind: EventKind::Began, is_sensor: false };
            // Until this step they touched too.
            let ended = Event { kind: EventKind::Ended, ..event };
            match self.events[..n_told].binary_search(&ended) {
                Ok(known) => self.events[known].kind = EventKind::Persisted,
                Err(_) => self.events.push(event),
            }
        }
        self.events.sort_unstable();
    }

    /// Which share of the step is free for a pair, at most `end`.
    fn free_until(&self, pair: [usize; 2], is_swept: [bool; 2], end: f64, sweeps: &mut Sweeps) -> f64 {
        let [a, b] = pair;
        let (Some(shape_a), Some(shape_b)) = (&self.shapes[a], &self.shapes[b]) else { return end };
        let (Some(start_a), Some(start_b)) = (self.start_of(a), self.start_of(b)) else { return end };
        let (Some(motion_a), Some(motion_b)) =
            (self.motion_from(a, &start_a, sweeps), self.motion_from(b, &start_b, sweeps))
        else {
            return 0.0;
        };
        let is_limb = [0, 1].iter().any(|&k: &usize| is_swept[k] && sweeps.limbs[pair[k]] == Limb::Held);
        let memory = &mut sweeps.memory;
        let target = f64::from(self.settings.solver.slop * self.settings.solver.length_unit);
        let settings = ImpactSettings::default().with_times(0.0, end).with_target_distance(target);
        if !is_limb {
            let until = cast_with(shape_a, &motion_a, shape_b, &motion_b, &settings, memory).safe_until(end);
            if 0.0 < until {
                return until;
            }
            // As near as that already: no nearer than half of it.
            let apart = f64::from(distance(shape_a, &start_a, shape_b, &start_b).distance);
            if 0.0 < apart {
                let settings = settings.with_target_distance(0.5 * apart.min(target));
                return cast_with(shape_a, &motion_a, shape_b, &motion_b, &settings, memory).safe_until(end);
            }
        }
        // They overlap, and contacts part them; the core of the fast one goes through nothing.
        let settings = settings.with_target_distance(0.0);
        let mut until = end;
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
            let free = cast_with(&core, &motion, other_shape, other, &settings, memory).safe_until(end);
            // A core that is in the other already is no help; it leaves.
            if 0.0 < free && free < until {
                until = free;
            }
        }
        until
    }

    /// Where the body was when the pairs of this step were looked at.
    pub(crate) fn start_of(&self, index: usize) -> Option<Pose> {
        self.seen.get(index).copied().flatten()
    }

    /// From there to where it is, in a time of 1; found once.
    fn motion_from(&self, index: usize, start: &Pose, sweeps: &mut Sweeps) -> Option<Motion> {
        if sweeps.motions[index].is_none() {
            sweeps.motions[index] = self.find_motion(index, start);
        }
        sweeps.motions[index]
    }

    pub(crate) fn find_motion(&self, index: usize, start: &Pose) -> Option<Motion> {
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
    pub(crate) fn core_of(&self, index: usize) -> Option<Shape> {
        Sphere::new(CORE * 0.5 * self.least_side(index)?).ok().map(Shape::Sphere)
    }

    /// Of the box of a body's shape.
    fn least_side(&self, index: usize) -> Option<f32> {
        let local = self.shapes[index].as_ref()?.aabb(&Pose::IDENTITY);
        Some((local.max - local.min).min_element())
    }

    /// Puts a fast body where it stops, or before it leaves the box in which its pairs were found. Whether it was stopped by something: who
    /// waits for its box goes nowhere.
    fn stop_at(&mut self, index: usize, sweeps: &mut Sweeps) -> bool {
        let (Some(start), Some(shape), Some(proxy)) =
            (self.start_of(index), &self.shapes[index], self.proxies[index])
        else {
            return false;
        };
        let Some(motion) = self.motion_from(index, &start, sweeps) else { return false };
        let Ok(known) = self.broad.aabb(proxy) else { return false };
        let linear = motion.linear().as_vec3();
        let angle = ops::sqrt(motion.angular().length_squared()) as f32;
        let placing = self.placing();
        let way_until = |share: f64| {
            let share = share as f32;
            clamped(&placing.way_of(index, shape, &start, linear * share, angle * share))
        };
        let mut share = sweeps.stops[index];
        let way = way_until(share);
        if !known.contains(&way) {
            // Its rest is of no interest.
            sweeps.stops[index] = 1.0;
            share *=
                PART * parts_inside(&known, way_until(0.0), way, |parts| way_until(share * (PART * parts)));
        }
        if 1.0 <= share {
            return false;
        }
        self.stats.n_stopped += 1;
        let place = motion.pose_at(share);
        let rotation = DQuat::from_mat3(&place.rotation).normalize().as_quat();
        self.bodies[index].pose = Pose::new(rotation, place.translation.as_vec3());
        sweeps.stops[index] < 1.0
    }
}

/// How many parts of a way are inside the box `known`, which does not hold all of it; boxes around none of the way and around all of it are
/// `first` and `last`.
///
/// A box grows nearly in proportion to the way, so it is nearly known where it leaves the other: halving took 10 boxes, a third of a
/// step of bullets that bounce.
fn parts_inside(known: &Aabb, first: Aabb, last: Aabb, way: impl Fn(f64) -> Aabb) -> f64 {
    let (mut low, mut high) = ((0.0, first), (1.0 / PART, last));
    let mut n_guesses = 0;
    while low.0 + 1.0 < high.0 {
        let mut share: f64 = 0.5;
        if n_guesses < MOST_GUESSES {
            n_guesses += 1;
            share = 1.0;
            let outwards = |aabb: &Aabb| [-aabb.min, aabb.max];
            let boxes = outwards(known).into_iter().zip(outwards(&low.1)).zip(outwards(&high.1));
            for ((known, low), high) in boxes {
                let (room, growth) = ((known - low).max(Vec3::ZERO), high - low);
                for k in 0..3 {
                    // Not so for NaN.
                    if room[k] < growth[k] {
                        share = share.min(f64::from(room[k]) / f64::from(growth[k]));
                    }
                }
            }
        }
        let guess = ops::floor(low.0 + (high.0 - low.0) * share);
        let guess = guess.max(low.0 + 1.0).min(high.0 - 1.0);
        let found = way(guess);
        if known.contains(&found) { low = (guess, found) } else { high = (guess, found) }
    }
    low.0
}
