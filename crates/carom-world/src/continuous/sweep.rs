//! Fast bodies: swept along the way on which the solver moved them, and stopped before what stands in it.
//!
//! The box of a fast body holds all of its way in a step, turning included, so the pairs of a step are all that it can meet. After
//! the solver each of these pairs is asked when it first touches, both bodies moving, no later than where one of them stops for
//! a pair before; up to that time the way is proved to be free, and there the body is left, its velocity kept, for the contacts of the
//! next step. What already touches at the start must go on sliding and parting: then it is half the distance that may not be
//! passed, and of bodies that overlap the core of the fast one (`core_ball`). Of limbs, which hang in joints, it is always the core: a limb that
//! is stopped where it touches tears its joints, and they throw it back in every step. One that was torn off by more than its own width is
//! on the wrong side of something, and is let through. Left so, a body is a hair farther away than what touches, and
//! the next step turns it away: whom the solver pushed is told as touching. The rest of its way in the step leads along what stopped it
//! (`slide`): stopped nearer than at half of what is left, at a sixteenth, an egg that turns still crawled, and where only the cores of those
//! that stand near were swept 7 of 10,000 bullets of millimetres went through.
//!
//! A body that is put back keeps its angular momentum, so its angular velocity becomes that of its orientation (`put_back`). The path that
//! is swept ends where the solver left the body (`flight`): the body is never left at a pose that was not swept. A body that overlaps
//! something does not turn in that step if it would come in deeper.
//!
//! Reference: E. Catto, Continuous Collision, Game Developers Conference, 2013 (bullets, safe times, cores).
//! Differs: the times are certified, rotation included; a body that leaves the box in which its pairs were looked for waits there.

use crate::bodies::body::Traits;
use crate::bodies::placing::clamped;
use crate::continuous::core_ball::{CORE, Core};
use crate::continuous::flight::{Flight, between};
use crate::continuous::state::{Limb, Sweeps};
use crate::world::World;
use crate::{BodyId, Event, EventKind};
use carom_bounds::Aabb;
use carom_broad::BroadPhase;
use carom_geom::Sphere;
use carom_math::glam::DQuat;
use carom_math::{Pose, Vec3, ops};
use carom_query::{ImpactSettings, Shape, Workspace, cast_with, contact_with};
use carom_response::{BodyKind, JointKind};

/// A body that leaves the box where its pairs were looked for is stopped at a multiple of this part of its way.
const PART: f64 = 1.0 / 1024.0;

/// Where the box is left is guessed at most so often, and then halved.
const MOST_GUESSES: u32 = 8;

/// A gap is at most this part of the thickness of the body, and at most this part of the slop.
const GAP_OF_THICKNESS: f64 = 1.0 / 16.0;
const GAP_OF_SLOP: f64 = 0.2;

/// A body that is nearer than the gap may close by this part of its distance in a step.
const CLOSING: f64 = 0.02;

/// A body that is stopped may turn so much, in parts of its distance, to the orientation that its momentum gives.
const CLEARANCE: f64 = 0.5;

/// A stop before this part of the step may be that of a body that hangs in the air: nearly at the slop, where the sweep
/// stops it and contacts do not push it yet. Such a body goes on to a part of its distance.
const HARDLY_FREE: f64 = 0.25;
/// A body that starts nearer than this many slops is nearly at the slop.
const NEARLY_SLOP: f64 = 1.25;

/// An overlap grows if by more than this part of the thickness, which is above the rounding of a pose.
const DEEPER: f64 = 1e-3;

impl<B: BroadPhase> World<B> {
    /// Makes the boxes of fast bodies hold their way in a step of this length, if they do not yet: the last step was another one, or
    /// somebody changed a velocity.
    pub(crate) fn foresee(&mut self, dt: f32) {
        if dt == 0.0 {
            return;
        }
        if core::mem::replace(&mut self.last.dt, dt) != dt {
            for place in 0..self.bodies.movers.awake().len() {
                self.foresee_way(self.bodies.movers.awake()[place] as usize);
            }
        }
        self.find_fast();
        for place in 0..self.continuous.fast.len() {
            let index = self.continuous.fast[place] as usize;
            if self.bodies.motions[index].kind == BodyKind::Dynamic && !self.bodies.motions[index].is_sleeping
            {
                self.foresee_way(index);
            }
        }
    }

    /// Makes the box of a fast or swift body hold the way that it would go in a step like the last one, after its velocity changed.
    pub(crate) fn foresee_way(&mut self, index: usize) {
        let (Some(proxy), Some(shape)) = (self.bodies.proxies[index], &self.bodies.shapes[index]) else {
            return;
        };
        let aabb = self.box_of(index, shape);
        if self.broad.aabb(proxy).is_ok_and(|old| old != aabb) {
            // Every box is sound: `clamped` sees to it.
            let updated = self.broad.update(&[(proxy, aabb)]);
            debug_assert!(updated.is_ok(), "a box of the world was refused: {updated:?}");
            self.contacts.is_changed = true;
        }
    }

    /// Who is fast, by number, if that has changed.
    fn find_fast(&mut self) {
        if !core::mem::replace(&mut self.continuous.are_fast_known, true) {
            self.continuous.fast.clear();
            let is_fast = |(_, traits): &(u32, &Traits)| traits.is_fast;
            self.continuous
                .fast
                .extend((0..).zip(&self.bodies.traits).filter(is_fast).map(|(index, _)| index));
        }
    }

    /// The body is fast, and the solver moved it in this step, even if it fell asleep at the end.
    fn is_swept(&self, index: usize) -> bool {
        self.bodies.traits[index].is_fast
            && self.bodies.motions[index].kind == BodyKind::Dynamic
            && self.bodies.movers.has(index as u32)
    }

    /// After the solver: fast bodies go back to where their way was free.
    pub(crate) fn stop_fast(&mut self) {
        let fast = core::mem::take(&mut self.continuous.fast);
        if fast.iter().any(|&index| self.is_swept(index as usize)) {
            self.stop_these(&fast);
        }
        self.continuous.fast = fast;
    }

    fn stop_these(&mut self, fast: &[u32]) {
        let mut sweeps = core::mem::take(&mut self.continuous.sweeps);
        sweeps.flights.clear();
        sweeps.flights.resize(self.bodies.motions.len(), None);
        sweeps.rotations.clear();
        sweeps.is_held.clear();
        sweeps.is_held.resize(self.bodies.motions.len(), false);
        sweeps.put_back.clear();
        sweeps.limbs.clear();
        sweeps.limbs.resize(self.bodies.motions.len(), Limb::Not);
        // Who is swept moves.
        for joint in self.contacts.work.joints.iter().map(|&place| self.joints.at(place)) {
            let ends = [(joint.body_a, &joint.frame_a), (joint.body_b, &joint.frame_b)];
            let [a, b] = ends.map(|(body, frame)| {
                self.bodies.motions[body as usize].pose.transform_point(frame.translation)
            });
            for (body, _) in ends {
                let body = body as usize;
                let is_torn = !matches!(joint.kind, JointKind::Distance { .. })
                    && self.least_side(body).is_some_and(|side| side < (b - a).length());
                sweeps.limbs[body] =
                    if is_torn || sweeps.limbs[body] == Limb::Torn { Limb::Torn } else { Limb::Held };
            }
        }
        // A body that may not turn has another path, for which all is found anew.
        while self.find_stops(&mut sweeps) {}
        let mut some_slide = false;
        for &index in fast {
            if self.is_swept(index as usize) {
                some_slide |= self.stop_at(index as usize, &mut sweeps);
            }
        }
        if some_slide {
            self.slide_stopped(&mut sweeps);
        }
        self.settle(&mut sweeps);
        self.continuous.sweeps = sweeps;
    }

    /// Finds when each fast body is stopped. True, if a body was found that may not turn.
    fn find_stops(&mut self, sweeps: &mut Sweeps) -> bool {
        sweeps.stops.clear();
        sweeps.stops.resize(self.bodies.motions.len(), 1.0);
        sweeps.clearances.clear();
        sweeps.clearances.resize(self.bodies.motions.len(), f64::INFINITY);
        let (mut n_swept, mut holds_more) = (0, false);
        let records = core::mem::take(&mut self.contacts.records);
        // All pairs of what moves are among the busy.
        let busy = core::mem::take(&mut self.contacts.busy);
        let near = busy.iter().map(|&place| &records[place as usize]);
        for record in near.filter(|record| record.is_wanted && !record.is_sensor) {
            let pair = [record.a.index as usize, record.b.index as usize];
            if pair.iter().any(|&index| self.bodies.deforming.is_swapped(index as u32)) {
                // Its vertices move: `deformed` has a test of its own.
                continue;
            }
            let is_swept = pair.map(|index| self.is_swept(index) && sweeps.limbs[index] != Limb::Torn);
            if is_swept == [false, false] {
                continue;
            }
            n_swept += 1;
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
            let swept = self.sweep_pair(pair, is_swept, end, sweeps);
            for (index, is_swept) in pair.into_iter().zip(is_swept) {
                if is_swept {
                    sweeps.stops[index] = sweeps.stops[index].min(swept.until);
                    sweeps.clearances[index] = sweeps.clearances[index].min(swept.clearance);
                    holds_more |= swept.is_held && !sweeps.is_held[index];
                    sweeps.is_held[index] |= swept.is_held;
                }
            }
        }
        self.contacts.records = records;
        self.contacts.busy = busy;
        self.stats.n_swept = n_swept;
        if holds_more {
            for index in (0..sweeps.is_held.len()).filter(|&index| sweeps.is_held[index]) {
                let flight = sweeps.flights[index].filter(Flight::turns);
                if let Some(flight) = flight {
                    sweeps.flights[index] = Some(flight.held(&mut sweeps.rotations));
                }
            }
        }
        holds_more
    }

    /// After the solver: fast bodies that it turned away from something within the step touched that, though no detection sees them there.
    pub(crate) fn tell_struck(&mut self) {
        if self.continuous.fast.is_empty() && !self.continuous.swift.contains(&true) {
            return;
        }
        let impulses = self.solver.contact_impulses();
        let n_told = self.contacts.events.len();
        for &place in &self.contacts.busy {
            let record = &mut self.contacts.records[place as usize];
            let is_fast = |id: &BodyId| {
                let index = id.index as usize;
                self.bodies.traits[index].is_fast || self.continuous.swift[index]
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
            match self.contacts.events[..n_told].binary_search(&ended) {
                Ok(known) => self.contacts.events[known].kind = EventKind::Persisted,
                Err(_) => self.contacts.events.push(event),
            }
        }
        self.contacts.events.sort_unstable();
    }

    /// Sweeps a pair until `end` at most.
    fn sweep_pair(&self, pair: [usize; 2], is_swept: [bool; 2], end: f64, sweeps: &mut Sweeps) -> Swept {
        let [a, b] = pair;
        let free = |until: f64, clearance: f64| Swept { until, clearance, is_held: false };
        let (Some(shape_a), Some(shape_b)) = (&self.bodies.shapes[a], &self.bodies.shapes[b]) else {
            return free(end, f64::INFINITY);
        };
        let (Some(start_a), Some(start_b)) = (self.bodies.start_of(a), self.bodies.start_of(b)) else {
            return free(end, f64::INFINITY);
        };
        let flights = [self.flight_of(a, &start_a, sweeps), self.flight_of(b, &start_b, sweeps)];
        let is_limb = [0, 1].iter().any(|&k: &usize| is_swept[k] && sweeps.limbs[pair[k]] == Limb::Held);
        let slop = f64::from(self.settings.solver.slop * self.settings.solver.length_unit);
        let (memory, rotations) = (&mut sweeps.memory, &sweeps.rotations[..]);
        if !is_limb {
            if flights.iter().any(|flight| 1 < flight.n_legs())
                && self.spheres_until(pair, &flights, slop, end, memory, rotations) == end
            {
                return free(end, slop);
            }
            let until = sweep([shape_a, shape_b], &flights, slop, end, memory, rotations);
            if HARDLY_FREE * end < until {
                return free(until, slop);
            }
            // As near as that already, or so nearly that it would hang there: a part of the distance is left.
            let found = contact_with(shape_a, &start_a, shape_b, &start_b, 2.0 * slop as f32, memory);
            let apart = found.map_or(2.0 * slop, |found| f64::from(found.contact.distance));
            if 0.0 < until && NEARLY_SLOP * slop < apart {
                return free(until, slop);
            }
            if 0.0 < apart {
                let target = self.least_distance(apart, pair, is_swept);
                let until = sweep([shape_a, shape_b], &flights, target, end, memory, rotations);
                return free(until, target);
            }
            let turns = [0, 1].map(|k| is_swept[k] && flights[k].turns());
            if turns != [false, false] {
                let thickness = self.thickness(pair, is_swept);
                let mut deepest = apart;
                let n_legs = flights[0].n_legs().max(flights[1].n_legs());
                for leg in [1, n_legs / 4, n_legs / 2, n_legs] {
                    let time = f64::from(leg) / f64::from(n_legs);
                    let poses = [(0, &start_a), (1, &start_b)].map(|(k, start)| {
                        if turns[k] {
                            self.turned_at(pair[k], &flights[k], start, time, rotations)
                        } else {
                            *start
                        }
                    });
                    let found = contact_with(shape_a, &poses[0], shape_b, &poses[1], 0.0, memory);
                    deepest = found.map_or(deepest, |found| deepest.min(f64::from(found.contact.distance)));
                }
                if deepest < apart - DEEPER * thickness {
                    return Swept { until: end, clearance: 0.0, is_held: true };
                }
            }
        }
        // They overlap, and contacts part them; the core of the fast one goes through nothing.
        let mut until = end;
        for k in 0..2 {
            let Some(core) = self.core_of(pair[k]).filter(|_| is_swept[k]) else { continue };
            let (shape, start) = if k == 0 { (shape_b, &start_b) } else { (shape_a, &start_a) };
            let flights = [flights[k].straight(), flights[1 - k]];
            let middle = flights[0].center_at(0.0);
            until = core.free_until(middle, (shape, start), until, |ball| {
                sweep([ball, shape], &flights, 0.0, until, memory, rotations)
            });
        }
        free(until, 0.0)
    }

    /// Sweeps the balls around bodies that turn far, which touch no earlier than the bodies.
    fn spheres_until(
        &self,
        pair: [usize; 2],
        flights: &[Flight; 2],
        target: f64,
        end: f64,
        memory: &mut Workspace,
        rotations: &[DQuat],
    ) -> f64 {
        let mut shapes = [None, None];
        let mut straight = *flights;
        for k in 0..2 {
            let Some(shape) = &self.bodies.shapes[pair[k]] else { return 0.0 };
            if flights[k].n_legs() == 1 {
                shapes[k] = Some(shape.clone());
                continue;
            }
            let local = shape.aabb(&Pose::IDENTITY);
            let center = self.bodies.motions[pair[k]].center_of_mass;
            let corner = (local.min - center).abs().max((local.max - center).abs()).as_dvec3();
            // Above the rounding to single precision.
            let radius = ops::sqrt(corner.length_squared()) * (1.0 + 1e-6);
            shapes[k] = Sphere::new(radius as f32).ok().map(Shape::Sphere);
            straight[k] = flights[k].straight();
        }
        let [Some(a), Some(b)] = &shapes else { return 0.0 };
        sweep([a, b], &straight, target, end, memory, rotations)
    }

    /// How near a pair may come that is nearer than the slop. Without a bound it would halve its distance until rounding closes it.
    pub(crate) fn least_distance(&self, apart: f64, pair: [usize; 2], is_swept: [bool; 2]) -> f64 {
        let slop = f64::from(self.settings.solver.slop * self.settings.solver.length_unit);
        let gap = (GAP_OF_THICKNESS * self.thickness(pair, is_swept)).min(GAP_OF_SLOP * slop);
        (0.5 * apart.min(slop)).max((1.0 - CLOSING) * apart.min(gap))
    }

    /// The least side of the boxes of those bodies of a pair that are swept.
    fn thickness(&self, pair: [usize; 2], is_swept: [bool; 2]) -> f64 {
        let sides = (0..2).filter(|&k| is_swept[k]).filter_map(|k| self.least_side(pair[k]));
        sides.fold(f64::INFINITY, |least, side| least.min(f64::from(side)))
    }

    /// The pose of a body that has turned as at a time, and has not moved on.
    fn turned_at(&self, index: usize, flight: &Flight, start: &Pose, time: f64, all: &[DQuat]) -> Pose {
        let center = self.bodies.motions[index].center_of_mass;
        let rotation = flight.rotation_at(time, all);
        let middle = start.transform_point(center).as_dvec3();
        Pose::new(rotation.as_quat(), (middle - rotation * center.as_dvec3()).as_vec3())
    }

    /// From there to where it is, in a time of 1; found once.
    fn flight_of(&self, index: usize, start: &Pose, sweeps: &mut Sweeps) -> Flight {
        let is_jointed = sweeps.limbs[index] != Limb::Not;
        let found = sweeps.flights[index].unwrap_or_else(|| {
            Flight::new(&self.bodies.motions[index], start, is_jointed, self.last.dt, &mut sweeps.rotations)
        });
        sweeps.flights[index] = Some(found);
        found
    }

    /// The core of a fast body is about its centre of mass.
    pub(crate) fn core_of(&self, index: usize) -> Option<Core> {
        let radius = CORE * 0.5 * self.least_side(index)?;
        Some(Core { point: self.bodies.motions[index].center_of_mass, radius })
    }

    /// Of the box of a body's shape.
    fn least_side(&self, index: usize) -> Option<f32> {
        let local = self.bodies.shapes[index].as_ref()?.aabb(&Pose::IDENTITY);
        Some((local.max - local.min).min_element())
    }

    /// Puts a fast body where it stops, or before it leaves the box in which its pairs were found. Whether it was stopped by something: who
    /// waits for its box goes nowhere.
    fn stop_at(&mut self, index: usize, sweeps: &mut Sweeps) -> bool {
        let (Some(start), Some(shape), Some(proxy)) =
            (self.bodies.start_of(index), &self.bodies.shapes[index], self.bodies.proxies[index])
        else {
            return false;
        };
        let flight = self.flight_of(index, &start, sweeps);
        let Ok(known) = self.broad.aabb(proxy) else { return false };
        let linear = flight.linear().as_vec3();
        let placing = self.placing();
        let way_until = |share: f64| {
            let angle = flight.turn_until(share) as f32;
            clamped(&placing.way_of(index, shape, &start, linear * share as f32, angle))
        };
        let mut share = sweeps.stops[index];
        let way = way_until(share);
        if !known.contains(&way) {
            // Its rest is of no interest.
            sweeps.stops[index] = 1.0;
            share *=
                PART * parts_inside(&known, way_until(0.0), way, |parts| way_until(share * (PART * parts)));
        }
        if 1.0 <= share && !sweeps.is_held[index] {
            return false;
        }
        sweeps.put_back.push(index as u32);
        self.stats.n_stopped += usize::from(share < 1.0);
        let mut rotation = flight.rotation_at(share, &sweeps.rotations);
        // The momentum gives it an orientation a little beside the path, of the same energy.
        if sweeps.stops[index] < 1.0
            && let Some(own) = flight.free_rotation_at(share, &sweeps.rotations)
        {
            let center = self.bodies.motions[index].center_of_mass;
            let turn = ops::sqrt(between(rotation, own).length_squared());
            if turn * radius_about(shape, center) <= CLEARANCE * sweeps.clearances[index] {
                rotation = own;
            }
        }
        let center = self.bodies.motions[index].center_of_mass.as_dvec3();
        let translation = flight.center_at(share) - rotation * center;
        self.bodies.motions[index].pose = Pose::new(rotation.as_quat(), translation.as_vec3());
        sweeps.stops[index] < 1.0
    }
}

/// What was found of a pair.
struct Swept {
    /// The share of the step that is free.
    until: f64,
    /// How far apart the bodies are until then, at least.
    clearance: f64,
    /// The bodies overlap, and may not turn.
    is_held: bool,
}

/// The share of the step until `end` in which two shapes stay farther apart than `target`.
fn sweep(
    shapes: [&Shape; 2],
    flights: &[Flight; 2],
    target: f64,
    end: f64,
    memory: &mut Workspace,
    rotations: &[DQuat],
) -> f64 {
    let n_legs = flights[0].n_legs().max(flights[1].n_legs());
    for leg in 0..n_legs {
        let from = f64::from(leg) / f64::from(n_legs);
        if end <= from {
            break;
        }
        let time = (f64::from(leg + 1) / f64::from(n_legs)).min(end) - from;
        let [Some(a), Some(b)] = flights.map(|flight| flight.motion_from(from, rotations)) else {
            return from;
        };
        let settings = ImpactSettings::default().with_times(0.0, time).with_target_distance(target);
        let free = cast_with(shapes[0], &a, shapes[1], &b, &settings, memory).safe_until(time);
        if free < time {
            return from + free;
        }
    }
    end
}

/// The distance of a shape's farthest point from a point of the body, or more.
fn radius_about(shape: &Shape, center: Vec3) -> f64 {
    let local = shape.aabb(&Pose::IDENTITY);
    let corner = (local.min - center).abs().max((local.max - center).abs()).as_dvec3();
    ops::sqrt(corner.length_squared())
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
