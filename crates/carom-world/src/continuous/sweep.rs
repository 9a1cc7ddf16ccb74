//! Fast bodies are swept along the path that the solver computed, and stopped before the first
//! impact.
//!
//! The box of a fast body contains its whole path in a step, including rotation. So it can meet
//! only bodies with which it has a pair.
//!
//! 1. **Sweep.** After the solver, the time of impact of each pair is computed, with both bodies
//!    moving. Each body stops at its earliest one. Up to then its path is proved to be free.
//! 2. **Target distance.** A body stops at a distance of the slop, so that contacts of the next
//!    step act on it. A body that starts nearer must be able to slide and to separate. So its
//!    target is half of its distance. If the impact was predicted (`at_impact`), its contacts act
//!    in this step. Then the target is a small fraction of the slop, so that the path up to the
//!    impact stays straight.
//! 3. **Overlap.** If the bodies overlap at the start, the core of the fast one (`core_ball`) is
//!    swept. If rotation would deepen the overlap, the body does not turn in that step.
//! 4. **Joints.** For a jointed body, only the core is swept. If its surface were stopped, the
//!    error of its joints would throw it back in every step. If the error of a joint exceeds the
//!    width of the body, the body is on the wrong side of something, and is not stopped.
//! 5. **Slide.** The body slides along the obstacle in the remaining time of the step (`slide`).
//! 6. **Velocity.** A body that is moved back keeps its angular momentum, so its angular velocity
//!    changes with its orientation (`put_back`).
//!
//! A body that the solver pushed away within the step is reported as touching. The swept path ends
//! at the pose that the solver computed (`flight`), so every final pose was swept.
//!
//! Reference: E. Catto, Continuous Collision, Game Developers Conference, 2013 (bullets, safe
//! times, cores).
//! Differs: the times are certified, including rotation; a body that leaves its box in the broad
//! phase is stopped at its border.
//! Tried: other target distances and cores alone for neighbours. See
//! `benches/notes/carom-world.md`.

use crate::bodies::body_bounds::clamped;
use crate::contacts::events::FIRST_SLOTS;
use crate::contacts::touches::Touch;
use crate::continuous::ContinuousStep;
use crate::continuous::core_ball::{CORE_DEPTH_RATIO, Core};
use crate::continuous::flight::{Flight, between};
use crate::continuous::state::{Attachment, Sweeps};
use crate::{BodyId, EventKind};
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_broad::BroadPhase;
use carom_geom::Sphere;
use carom_math::glam::DQuat;
use carom_math::{Pose, Vec3, ops};
use carom_query::{ImpactSettings, Shape, Workspace, cast_with, contact_with};
use carom_response::BodyKind;

/// A body that leaves its box is stopped at a multiple of this fraction of its path.
const PATH_STEP: f64 = 1.0 / 1024.0;

/// The number of secant steps to find where the path leaves the box, before bisection.
const MAX_SECANT_STEPS: u32 = 8;

/// The largest gap that a near body keeps, as a fraction of its thickness and as a fraction of the
/// slop.
const GAP_OF_THICKNESS: f64 = 1.0 / 16.0;
const GAP_OF_SLOP: f64 = 0.2;

/// A body that is nearer than the gap may lose this fraction of its distance in a step.
const CLOSING_RATIO: f64 = 0.02;

/// The largest displacement of the points of a stopped body when it turns to the orientation of
/// free rotation. A fraction of its distance from others.
const CLEARANCE_RATIO: f64 = 0.5;

/// If a body is stopped earlier than this fraction of the step, it may be stuck near the slop. The
/// sweep stops it there, but contacts do not act yet. Such a body may approach to a fraction of
/// its distance.
const MIN_FREE_SHARE: f64 = 0.25;
/// A body that starts within this many slops counts as near the slop.
const NEAR_SLOP_RATIO: f64 = 1.25;

/// An overlap gets deeper if it grows by more than this fraction of the thickness, which bounds the
/// rounding of a pose.
const DEEPER_RATIO: f64 = 1e-3;

impl<B: BroadPhase> ContinuousStep<'_, B> {
    /// Whether the body is fast, and the solver moved it in this step, even if it fell asleep at
    /// the end.
    pub(super) fn is_swept(&self, index: usize) -> bool {
        self.bodies.traits[index].is_fast
            && self.bodies.motions[index].kind == BodyKind::Dynamic
            && self.bodies.active.moves(index as u32)
    }

    /// After the solver: moves fast bodies back to the end of the free part of their path.
    pub(crate) fn stop_fast_bodies(&mut self) {
        let fast = core::mem::take(&mut self.continuous.fast);
        if fast.iter().any(|&index| self.is_swept(index as usize)) {
            self.sweep_and_stop(&fast);
        }
        self.continuous.fast = fast;
    }

    fn sweep_and_stop(&mut self, fast: &[u32]) {
        let mut sweeps = core::mem::take(&mut self.continuous.sweeps);
        sweeps.flights.clear();
        sweeps.flights.resize(self.bodies.motions.len(), None);
        sweeps.rotations.clear();
        sweeps.is_turn_locked.clear();
        sweeps.is_turn_locked.resize(self.bodies.motions.len(), false);
        sweeps.put_back.clear();
        sweeps.attachments.clear();
        sweeps.attachments.resize(self.bodies.motions.len(), Attachment::Free);
        // All swept bodies move, so their joints are among these joints.
        for joint in self.contacts.scratch.joints.iter().map(|&slot| self.joints.at(slot)) {
            let ends = [(joint.body_a, &joint.frame_a), (joint.body_b, &joint.frame_b)];
            let [a, b] = ends.map(|(body, frame)| {
                self.bodies.motions[body as usize].pose.transform_point(frame.translation)
            });
            for (body, _) in ends {
                let body = body as usize;
                let is_torn = joint.kind.holds_point()
                    && self.least_side(body).is_some_and(|side| side < (b - a).length());
                sweeps.attachments[body] = if is_torn || sweeps.attachments[body] == Attachment::Torn {
                    Attachment::Torn
                } else {
                    Attachment::Jointed
                };
            }
        }
        // If the rotation of a body gets locked, its path changes, and all stops are computed
        // again.
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
        self.settle_velocities(&mut sweeps);
        self.continuous.sweeps = sweeps;
    }

    /// Computes when each fast body is stopped. Returns whether the rotation of a body was locked.
    fn find_stops(&mut self, sweeps: &mut Sweeps) -> bool {
        sweeps.stops.clear();
        sweeps.stops.resize(self.bodies.motions.len(), 1.0);
        sweeps.clearances.clear();
        sweeps.clearances.resize(self.bodies.motions.len(), f64::INFINITY);
        let (mut n_swept, mut locks_more) = (0, false);
        let states = core::mem::take(&mut self.contacts.states);
        // All pairs of moving bodies are active.
        let active_pairs = core::mem::take(&mut self.contacts.active_pairs);
        let near = active_pairs.iter().map(|&slot| (slot, &states[slot as usize]));
        for (slot, state) in near.filter(|(_, state)| state.may_push()) {
            let pair = [state.a.index as usize, state.b.index as usize];
            if pair.iter().any(|&index| self.bodies.deforming.is_swapped(index as u32)) {
                // The vertices move, so `deformed` handles this pair.
                continue;
            }
            let is_swept =
                pair.map(|index| self.is_swept(index) && sweeps.attachments[index] != Attachment::Torn);
            if is_swept == [false, false] {
                continue;
            }
            n_swept += 1;
            // Impacts after both bodies have stopped do not matter.
            let [stop_a, stop_b] = pair.map(|index| sweeps.stops[index]);
            let end = match is_swept {
                [true, true] => stop_a.max(stop_b),
                [true, false] => stop_a,
                _ => stop_b,
            };
            if !(0.0 < end) {
                continue;
            }
            let is_predicted = self.continuous.predicted.binary_search(&slot).is_ok();
            let swept = self.sweep_pair(pair, is_swept, (end, is_predicted), sweeps);
            for (index, is_swept) in pair.into_iter().zip(is_swept) {
                if is_swept {
                    sweeps.stops[index] = sweeps.stops[index].min(swept.until);
                    sweeps.clearances[index] = sweeps.clearances[index].min(swept.clearance);
                    locks_more |= swept.is_turn_locked && !sweeps.is_turn_locked[index];
                    sweeps.is_turn_locked[index] |= swept.is_turn_locked;
                }
            }
        }
        self.contacts.states = states;
        self.contacts.active_pairs = active_pairs;
        self.stats.n_swept = n_swept;
        if locks_more {
            for index in (0..sweeps.is_turn_locked.len()).filter(|&index| sweeps.is_turn_locked[index]) {
                let flight = sweeps.flights[index].filter(Flight::turns);
                if let Some(flight) = flight {
                    sweeps.flights[index] = Some(flight.without_turning(&mut sweeps.rotations));
                }
            }
        }
        locks_more
    }

    /// After the solver: reports contacts of fast bodies that began and ended within the step,
    /// which no detection finds.
    pub(crate) fn report_impacts(&mut self) {
        if self.continuous.fast.is_empty() && !self.continuous.swift.contains(&true) {
            return;
        }
        let impulses = self.solver.contact_impulses();
        let n_reported = self.contacts.events.len();
        for &slot in &self.contacts.active_pairs {
            let state = &mut self.contacts.states[slot as usize];
            let is_fast = |id: &BodyId| {
                let index = id.index as usize;
                self.bodies.traits[index].is_fast || self.continuous.swift[index]
            };
            let is_fast = [state.a, state.b].iter().any(is_fast);
            let solids = self.bodies.solids([&[], &[]]);
            let pair = [state.a.index as usize, state.b.index as usize];
            let is_composite = solids.is_composite(pair[0], pair[1]);
            if !is_fast || state.is_sensor || (state.is_touching && !is_composite) {
                continue;
            }
            let pushed = impulses.get(state.solved_range()).unwrap_or(&[]);
            if !pushed.iter().any(|impulse| 0.0 < impulse.total_normal()) {
                continue;
            }
            self.stats.n_touching += usize::from(!core::mem::replace(&mut state.is_touching, true));
            let mut struck = Vec::new();
            if is_composite {
                let state = *state;
                let manifolds = self.contacts.manifolds_of(&state).iter().zip(pushed);
                let manifolds = manifolds.filter(|(_, impulse)| 0.0 < impulse.total_normal());
                struck.extend(manifolds.map(|(manifold, _)| solids.slots_of(pair, manifold)));
                struck.dedup();
            }
            let single = (!is_composite).then_some(FIRST_SLOTS);
            let (a, b) = (self.contacts.states[slot as usize].a, self.contacts.states[slot as usize].b);
            for slots in single.into_iter().chain(struck) {
                let touch = Touch { a, b, slots, is_sensor: false };
                if is_composite {
                    match self.contacts.touches.binary_search(&touch) {
                        Ok(_) => continue,
                        Err(slot) => self.contacts.touches.insert(slot, touch),
                    }
                }
                // They touched at the last detection, and this one reported an end.
                let ended = touch.event(EventKind::Ended);
                match self.contacts.events[..n_reported].binary_search(&ended) {
                    Ok(known) => self.contacts.events[known].kind = EventKind::Persisted,
                    Err(_) => self.contacts.events.push(touch.event(EventKind::Began)),
                }
            }
        }
        self.contacts.events.sort_unstable();
    }

    /// Sweeps all pairs of shapes of two bodies that may push each other, until `end` at most.
    fn sweep_pair(
        &self,
        pair: [usize; 2],
        is_swept: [bool; 2],
        (end, is_predicted): (f64, bool),
        sweeps: &mut Sweeps,
    ) -> Swept {
        let mut all = Swept { until: end, clearance: f64::INFINITY, is_turn_locked: false };
        for parts in self.part_pairs(pair[0], pair[1]) {
            let solids = self.solids();
            let (Some(shape_a), Some(shape_b)) =
                (solids.shape(pair[0], parts[0]), solids.shape(pair[1], parts[1]))
            else {
                continue;
            };
            let swept = self.sweep_shapes(pair, [shape_a, shape_b], is_swept, (end, is_predicted), sweeps);
            all.until = all.until.min(swept.until);
            all.clearance = all.clearance.min(swept.clearance);
            all.is_turn_locked |= swept.is_turn_locked;
        }
        all
    }

    /// Sweeps a pair of shapes of two bodies, until `end` at most.
    fn sweep_shapes(
        &self,
        pair: [usize; 2],
        [shape_a, shape_b]: [&Shape; 2],
        is_swept: [bool; 2],
        (end, is_predicted): (f64, bool),
        sweeps: &mut Sweeps,
    ) -> Swept {
        let [a, b] = pair;
        let free = |until: f64, clearance: f64| Swept { until, clearance, is_turn_locked: false };
        let (Some(start_a), Some(start_b)) = (self.bodies.start_of(a), self.bodies.start_of(b)) else {
            return free(end, f64::INFINITY);
        };
        let flights = [self.flight_of(a, &start_a, sweeps), self.flight_of(b, &start_b, sweeps)];
        let is_limb =
            [0, 1].iter().any(|&k: &usize| is_swept[k] && sweeps.attachments[pair[k]] == Attachment::Jointed);
        let slop = f64::from(self.settings.solver.slop * self.settings.solver.length_unit);
        let (memory, rotations) = (&mut sweeps.memory, &sweeps.rotations[..]);
        if !is_limb {
            let target = if is_predicted { f64::from(self.touching()) } else { slop };
            if flights.iter().any(|flight| 1 < flight.n_legs())
                && self.spheres_until(pair, &flights, target, end, memory, rotations) == end
            {
                return free(end, target);
            }
            let until = sweep([shape_a, shape_b], &flights, target, end, memory, rotations);
            if MIN_FREE_SHARE * end < until || is_predicted && 0.0 < until {
                return free(until, target);
            }
            // The bodies are already at this distance, or so near to it that they would get stuck.
            // They keep a fraction of their distance.
            let found = contact_with(shape_a, &start_a, shape_b, &start_b, 2.0 * slop as f32, memory);
            let separation = found.map_or(2.0 * slop, |found| f64::from(found.contact.distance));
            if 0.0 < until && NEAR_SLOP_RATIO * slop < separation {
                return free(until, slop);
            }
            if 0.0 < separation {
                let target = self.least_distance(separation, pair, is_swept);
                let until = sweep([shape_a, shape_b], &flights, target, end, memory, rotations);
                return free(until, target);
            }
            let turns = [0, 1].map(|k| is_swept[k] && flights[k].turns());
            if turns != [false, false] {
                let thickness = self.thickness(pair, is_swept);
                let mut deepest = separation;
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
                if deepest < separation - DEEPER_RATIO * thickness {
                    return Swept { until: end, clearance: 0.0, is_turn_locked: true };
                }
            }
        }
        // They overlap, and contacts separate them. Only the core of the fast one is swept.
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

    /// Sweeps the bounding balls of bodies that turn far. Balls touch no later than their bodies.
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
            let Some(shape) = self.bodies.solid_shape(pair[k]) else { return 0.0 };
            if flights[k].n_legs() == 1 {
                shapes[k] = Some(shape.clone());
                continue;
            }
            let local = shape.aabb(&Pose::IDENTITY);
            let center = self.bodies.motions[pair[k]].center_of_mass;
            let corner = (local.min - center).abs().max((local.max - center).abs()).as_dvec3();
            // The factor is above the rounding to single precision.
            let radius = ops::sqrt(corner.length_squared()) * (1.0 + 1e-6);
            shapes[k] = Sphere::new(radius as f32).ok().map(Shape::Sphere);
            straight[k] = flights[k].straight();
        }
        let [Some(a), Some(b)] = &shapes else { return 0.0 };
        sweep([a, b], &straight, target, end, memory, rotations)
    }

    /// Returns the target distance of a pair that starts nearer than the slop. Without a lower
    /// bound, its distance would be halved in each step.
    pub(crate) fn least_distance(&self, separation: f64, pair: [usize; 2], is_swept: [bool; 2]) -> f64 {
        let slop = f64::from(self.settings.solver.slop * self.settings.solver.length_unit);
        let gap = (GAP_OF_THICKNESS * self.thickness(pair, is_swept)).min(GAP_OF_SLOP * slop);
        (0.5 * separation.min(slop)).max((1.0 - CLOSING_RATIO) * separation.min(gap))
    }

    /// Returns the least side of the boxes of the swept bodies of a pair.
    fn thickness(&self, pair: [usize; 2], is_swept: [bool; 2]) -> f64 {
        let sides = (0..2).filter(|&k| is_swept[k]).filter_map(|k| self.least_side(pair[k]));
        sides.fold(f64::INFINITY, |least, side| least.min(f64::from(side)))
    }

    /// Returns the pose of a body with its rotation at a time, but without its translation.
    fn turned_at(&self, index: usize, flight: &Flight, start: &Pose, time: f64, all: &[DQuat]) -> Pose {
        let center = self.bodies.motions[index].center_of_mass;
        let rotation = flight.rotation_at(time, all);
        let middle = start.transform_point(center).as_dvec3();
        Pose::new(rotation.as_quat(), (middle - rotation * center.as_dvec3()).as_vec3())
    }

    /// Returns the path of a body from `start` to its present pose, computed once in a step.
    fn flight_of(&self, index: usize, start: &Pose, sweeps: &mut Sweeps) -> Flight {
        let is_jointed = sweeps.attachments[index] != Attachment::Free;
        let found = sweeps.flights[index].unwrap_or_else(|| {
            Flight::new(&self.bodies.motions[index], start, is_jointed, self.dt, &mut sweeps.rotations)
        });
        sweeps.flights[index] = Some(found);
        found
    }

    /// Returns the core of a fast body, about its centre of mass.
    pub(crate) fn core_of(&self, index: usize) -> Option<Core> {
        let radius = CORE_DEPTH_RATIO * 0.5 * self.least_side(index)?;
        Some(Core { point: self.bodies.motions[index].center_of_mass, radius })
    }

    /// Returns the least side of the box of a body's shape.
    fn least_side(&self, index: usize) -> Option<f32> {
        let local = self.bodies.solid_shape(index)?.aabb(&Pose::IDENTITY);
        Some((local.max - local.min).min_element())
    }

    /// Moves a fast body to its stop, or to where it leaves its box. Returns whether an impact
    /// stopped it. A body that is stopped at its box does not slide.
    fn stop_at(&mut self, index: usize, sweeps: &mut Sweeps) -> bool {
        let (Some(start), Some(shape), Some(proxy)) =
            (self.bodies.start_of(index), &self.bodies.shapes[index], self.bodies.proxies[index])
        else {
            return false;
        };
        let flight = self.flight_of(index, &start, sweeps);
        let Ok(known) = self.broad.aabb(proxy) else { return false };
        let linear = flight.linear().as_vec3();
        let bounds = self.bodies.bounds(self.settings, self.dt);
        let path_until = |share: f64| {
            let angle = flight.turn_until(share) as f32;
            clamped(&bounds.path_box(index, shape, &start, linear * share as f32, angle))
        };
        let mut share = sweeps.stops[index];
        let path = path_until(share);
        if !known.contains(&path) {
            // It does not slide.
            sweeps.stops[index] = 1.0;
            share *= PATH_STEP
                * parts_inside(&known, path_until(0.0), path, |parts| {
                    path_until(share * (PATH_STEP * parts))
                });
        }
        if 1.0 <= share && !sweeps.is_turn_locked[index] {
            return false;
        }
        sweeps.put_back.push(index as u32);
        self.stats.n_stopped += usize::from(share < 1.0);
        let mut rotation = flight.rotation_at(share, &sweeps.rotations);
        // Free rotation gives an orientation near the path, with the same energy.
        if sweeps.stops[index] < 1.0
            && let Some(own) = flight.free_rotation_at(share, &sweeps.rotations)
        {
            let center = self.bodies.motions[index].center_of_mass;
            let turn = ops::sqrt(between(rotation, own).length_squared());
            if turn * radius_about(shape, center) <= CLEARANCE_RATIO * sweeps.clearances[index] {
                rotation = own;
            }
        }
        let center = self.bodies.motions[index].center_of_mass.as_dvec3();
        let translation = flight.center_at(share) - rotation * center;
        self.bodies.motions[index].pose = Pose::new(rotation.as_quat(), translation.as_vec3());
        sweeps.stops[index] < 1.0
    }
}

/// The result of sweeping a pair.
struct Swept {
    /// The fraction of the step that is free.
    until: f64,
    /// The least distance of the bodies until then.
    clearance: f64,
    /// Whether the bodies overlap and may not turn.
    is_turn_locked: bool,
}

/// Returns the fraction of the step, at most `end`, in which two shapes stay farther apart than
/// `target`.
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

/// Returns an upper bound of the distance of a shape's points from a point of the body.
fn radius_about(shape: &Shape, center: Vec3) -> f64 {
    let local = shape.aabb(&Pose::IDENTITY);
    let corner = (local.min - center).abs().max((local.max - center).abs()).as_dvec3();
    ops::sqrt(corner.length_squared())
}

/// Returns how many multiples of `PATH_STEP` of a path are inside the box `known`, which does not
/// contain the whole path. `first` and `last` are the boxes around its start and around all of it.
///
/// A box grows nearly in proportion to the path, so the secant method is fast.
/// Tried: bisection; it builds 10 boxes, which takes a third of a step of bouncing bullets.
fn parts_inside(known: &Aabb, first: Aabb, last: Aabb, path_until: impl Fn(f64) -> Aabb) -> f64 {
    let (mut low, mut high) = ((0.0, first), (1.0 / PATH_STEP, last));
    let mut n_guesses = 0;
    while low.0 + 1.0 < high.0 {
        let mut share: f64 = 0.5;
        if n_guesses < MAX_SECANT_STEPS {
            n_guesses += 1;
            share = 1.0;
            let outwards = |aabb: &Aabb| [-aabb.min, aabb.max];
            let boxes = outwards(known).into_iter().zip(outwards(&low.1)).zip(outwards(&high.1));
            for ((known, low), high) in boxes {
                let (room, growth) = ((known - low).max(Vec3::ZERO), high - low);
                for k in 0..3 {
                    // The condition is false for NaN.
                    if room[k] < growth[k] {
                        share = share.min(f64::from(room[k]) / f64::from(growth[k]));
                    }
                }
            }
        }
        let guess = ops::floor(low.0 + (high.0 - low.0) * share);
        let guess = guess.max(low.0 + 1.0).min(high.0 - 1.0);
        let found = path_until(guess);
        if known.contains(&found) { low = (guess, found) } else { high = (guess, found) }
    }
    low.0
}
