//! The motion of a rigid body among particles, within a step.
//!
//! - A body acts as one more particle, with mass and inertia. Its mass is split among its
//!   contacts.
//! - Its pose follows the pushes of particles in each iteration, so light bodies on much water are
//!   stable.
//! - If something bears the body, it takes over pushes at once: see `supports`.
//!
//! Reference: M. Macklin et al., Unified Particle Physics, 2014, 6; R. Tonge et al., Mass
//! Splitting for Jitter-Free Parallel Rigid Body Simulation, 2012.

use crate::solver::boundary::{
    CURVATURE_STEP, Candidate, Candidates, Motion, Slip, Yielding, add_walls, apply, candidate,
    mean_curvature, set_position, solve,
};
use crate::solver::chunks::for_each_chunk;
use crate::solver::smoothing::Smoothing;
use crate::solver::store::{Store, vector};
use crate::solver::supports::{MAX_SUPPORTS, Rest};
use crate::solver::surroundings::{Bearer, BodyBoundary, ContactMaterial, DistanceFn, SurfaceContact};
use crate::solver::trace::Bend;
use crate::solver::wall::Wall;
use carom_math::{Mat3, Pose, rotation};
use glam::Vec3;

/// A body within a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyState {
    pub(super) supports: [Rest; MAX_SUPPORTS],
    pub(super) n_supports: usize,
    /// The number of bodies below it, down to one that rests on none.
    pub(super) level: u32,
    /// Sums of what supports, and bodies that rest on it, do in the substep. They change
    /// velocities, but are no impulse of particles.
    pub(super) borne: [Vec3; 2],
    /// The part of them by which contacts answer pushes.
    pub(super) taken: [Vec3; 2],
    /// How far what bears it lifts it in the substep, such as a platform that rises.
    pub(super) lift: f32,
    /// The push and the twist that bodies above have left for it.
    pub(super) load: [Vec3; 2],
    pub(super) motion: Motion,
    /// Centre of mass in the body's frame.
    pub(super) center: Vec3,
    pub(super) inverse_mass: f32,
    /// By axis of the world: 1 if it is free, 0 if it is held.
    pub(super) free_axes: Vec3,
    /// In the world frame.
    pub(super) inverse_inertia: Mat3,
    pub(super) linear_velocity: Vec3,
    pub(super) angular_velocity: Vec3,
    /// The acceleration by causes other than particles.
    acceleration: Vec3,
    /// Both velocities at the beginning of the substep.
    before: [Vec3; 2],
    /// The length of the substep.
    pub(super) dt: f32,
    /// Sums over the substep, in mass times length.
    push: Vec3,
    twist: Vec3,
    pub(crate) impulse: Vec3,
    pub(crate) angular_impulse: Vec3,
    /// Both sums of what contacts with other bodies answered.
    pub(crate) impulse_taken: [Vec3; 2],
    /// Both impulses, each times the time from its substep to the end of the present one.
    pub(crate) travel: [Vec3; 2],
    /// See [`BodyBoundary::is_moved`].
    pub(crate) is_moved: bool,
}

impl Yielding for BodyState {
    fn motion(&self) -> Motion {
        self.motion
    }

    /// A supported body is pushed against the direction.
    fn softness(&self, point: Vec3, direction: Vec3) -> f32 {
        self.softness_on_supports(point, direction)
    }

    fn free_softness(&self, point: Vec3, direction: Vec3) -> f32 {
        BodyState::free_softness(self, point, direction)
    }

    fn rise(&self, point: Vec3, direction: Vec3) -> f32 {
        self.rise_from_supports(point, direction)
    }

    fn slip_softness(&self, point: Vec3, slip: &Slip, share: f32) -> f32 {
        share * self.slip_softness_on_supports(point, slip, share)
    }

    fn belt_displacement(&self, velocity: Vec3) -> Vec3 {
        velocity * self.dt
    }
}

impl BodyState {
    pub(crate) fn new(body: &BodyBoundary<'_>) -> BodyState {
        let turn = body.pose.rotation_matrix();
        let mut state = BodyState {
            supports: [Rest::NONE; MAX_SUPPORTS],
            n_supports: 0,
            level: 0,
            borne: [Vec3::ZERO; 2],
            taken: [Vec3::ZERO; 2],
            lift: 0.0,
            load: [Vec3::ZERO; 2],
            motion: Motion { start: body.pose, end: body.pose },
            center: body.center_of_mass,
            inverse_mass: body.inverse_mass,
            free_axes: body.free_axes,
            inverse_inertia: turn * body.inverse_inertia * turn.transpose(),
            linear_velocity: body.linear_velocity,
            angular_velocity: body.angular_velocity,
            acceleration: body.acceleration,
            before: [body.linear_velocity, body.angular_velocity],
            dt: 0.0,
            push: Vec3::ZERO,
            twist: Vec3::ZERO,
            impulse: Vec3::ZERO,
            angular_impulse: Vec3::ZERO,
            impulse_taken: [Vec3::ZERO; 2],
            travel: [Vec3::ZERO; 2],
            is_moved: body.is_moved(),
        };
        for support in body.supports.iter().filter(|support| !matches!(support.by, Bearer::Body(_))) {
            state.add_support(support);
        }
        state
    }

    /// Returns how far a unit push at a point moves the body along it if nothing supports it.
    pub(super) fn free_softness(&self, point: Vec3, direction: Vec3) -> f32 {
        let turn = self.arm(point).cross(direction);
        let held = ((Vec3::ONE - self.free_axes) * direction).length_squared();
        self.inverse_mass * (1.0 - held).max(0.0) + turn.dot(self.inverse_inertia * turn)
    }

    /// Returns the vector from the centre of mass to a point.
    pub(super) fn arm(&self, point: Vec3) -> Vec3 {
        point - self.motion.end.transform_point(self.center)
    }

    /// Returns how a push on the centre of mass and a twist move and turn the body if nothing
    /// supports it. If they are impulses, it returns the changes of both velocities.
    pub(super) fn response(&self, push: Vec3, twist: Vec3) -> [Vec3; 2] {
        [push * self.free_axes * self.inverse_mass, self.inverse_inertia * twist]
    }

    /// Returns the same for a push at a point.
    pub(super) fn response_at(&self, point: Vec3, push: Vec3) -> [Vec3; 2] {
        self.response(push, self.arm(point).cross(push))
    }

    /// Returns the displacement of a point by a displacement and a rotation of the body.
    pub(super) fn displacement_at(&self, [displacement, turn]: &[Vec3; 2], point: Vec3) -> Vec3 {
        *displacement + turn.cross(self.arm(point))
    }

    /// A field that does not move.
    pub(crate) fn still() -> BodyState {
        let nowhere: DistanceFn<'_> = &|_| (f32::MAX, Vec3::Y);
        BodyState::new(&BodyBoundary::fixed(nowhere, Pose::IDENTITY))
    }

    /// Brings particles to the ends of bent paths, by slot. A body that can move goes a part of the
    /// way, by the inverse masses. Its mass is split among them.
    pub(super) fn bend(&mut self, store: &mut Store, bends: &[(usize, Bend)], candidates: &mut Candidates) {
        let this = *self;
        let (mut push, mut twist) = (Vec3::ZERO, Vec3::ZERO);
        for &(slot, Bend { end, normal }) in bends {
            let (position, w) = (vector(&store.predicted[slot]), store.predicted[slot][3]);
            let (offset, length) = (end - position, end.distance(position));
            let yields = if this.is_moved && 0.0 < length {
                bends.len() as f32 * this.softness(end, offset / length)
            } else {
                0.0
            };
            let softness = w + yields;
            let change = if 0.0 < softness { offset / softness } else { Vec3::ZERO };
            set_position(&mut store.predicted[slot], if 0.0 < yields { position + change * w } else { end });
            let found = candidates.binary_search_by_key(&(slot as u32), |candidate| candidate.slot);
            let at = found.unwrap_or_else(|at| {
                candidates.insert(at, candidate(slot));
                at
            });
            candidates[at].normal = normal;
            candidates[at].push += change.dot(normal).max(0.0);
            if 0.0 < yields {
                candidates[at].on_body -= change;
                push -= change;
                twist -= this.arm(end).cross(change);
            }
        }
        if push != Vec3::ZERO || twist != Vec3::ZERO {
            self.push(push, twist);
        }
    }

    /// Begins a substep. `lift_of` returns how far a body that bears others is lifted.
    pub(super) fn begin_substep(&mut self, dt: f32, lift_of: impl Fn(u32) -> f32) {
        self.motion.start = self.motion.end;
        self.dt = dt;
        self.linear_velocity += self.acceleration * dt;
        self.before = [self.linear_velocity, self.angular_velocity];
        (self.push, self.twist) = (Vec3::ZERO, Vec3::ZERO);
        (self.borne, self.taken) = ([Vec3::ZERO; 2], [Vec3::ZERO; 2]);
        self.set_anchors(lift_of);
    }

    /// Moves the body by its velocities.
    pub(super) fn go_by_velocity(&mut self) {
        self.go_on_supports([self.linear_velocity * self.dt, self.angular_velocity * self.dt], false);
    }

    /// Ends a substep: the pushes become a change of velocity.
    pub(crate) fn finish(&mut self, dt: f32) {
        let [borne, borne_twist] = self.borne;
        self.linear_velocity += (self.push + borne) * self.free_axes * (self.inverse_mass / dt);
        self.angular_velocity += self.inverse_inertia * (self.twist + borne_twist) / dt;
        self.impulse += self.push / dt;
        self.angular_impulse += self.twist / dt;
        (0..2).for_each(|k| self.impulse_taken[k] += self.taken[k] / dt);
        self.travel[0] += self.impulse * dt;
        self.travel[1] += self.angular_impulse * dt;
    }

    /// The velocities of its point at a place, at the beginning of the substep and now.
    pub(crate) fn velocities_at(&self, point: Vec3) -> [Vec3; 2] {
        let arm = self.arm(point);
        [self.before, [self.linear_velocity, self.angular_velocity]].map(|[v, turn]| v + turn.cross(arm))
    }

    /// Returns the same as [`Yielding::softness`].
    pub(crate) fn softness_at(&self, point: Vec3, direction: Vec3) -> f32 {
        self.softness(point, direction)
    }

    /// Changes velocities by an impulse of a particle at a point, and sums it.
    pub(crate) fn apply_impulse(&mut self, impulse: Vec3, point: Vec3) {
        let twist = self.arm(point).cross(impulse);
        (self.impulse, self.angular_impulse) = (self.impulse + impulse, self.angular_impulse + twist);
        self.kick_on_supports(impulse, twist);
    }

    /// Changes velocities by the impulses of bodies that rest on it.
    pub(crate) fn apply_load(&mut self, load: [Vec3; 2]) {
        (0..2).for_each(|k| self.impulse_taken[k] += load[k]);
        self.kick_on_supports(load[0], load[1]);
    }

    /// Whether the numbers that it gives back, and moves on by, are finite.
    pub(crate) fn is_finite(&self) -> bool {
        let all = [self.linear_velocity, self.angular_velocity, self.impulse, self.angular_impulse];
        self.motion.end.is_finite() && all.iter().all(|v| v.is_finite())
    }

    /// Moves the centre of mass and turns the body about it, by a vector of radians.
    pub(super) fn move_by(&mut self, displacement: Vec3, turn: Vec3) {
        let pose = &mut self.motion.end;
        let center = pose.transform_point(self.center) + displacement;
        if turn != Vec3::ZERO {
            let turned = rotation::mul(rotation::from_scaled_axis(turn), pose.rotation);
            pose.rotation = rotation::normalize(turned);
        }
        pose.translation = center - rotation::rotate(pose.rotation, self.center);
    }

    /// Does the same as [`add_field_walls`], for the body.
    pub(crate) fn add_walls(
        &self,
        store: &Store,
        body: &BodyBoundary<'_>,
        smoothing: &Smoothing,
        candidates: &mut [Candidate],
        walls: &mut [Wall],
    ) {
        let distance = self.distance(body);
        let step = CURVATURE_STEP * smoothing.reach;
        let curvature = |position, found| mean_curvature(&distance, position, found, step);
        add_walls(store, distance, curvature, self, smoothing, candidates, walls);
    }

    /// Returns the distance from the body at its current pose, in the world.
    fn distance<'b>(&self, body: &'b BodyBoundary<'_>) -> impl Fn(Vec3) -> (f32, Vec3) + Copy + 'b {
        let pose = self.motion.end;
        move |point: Vec3| {
            let (d, normal) = (body.distance)(pose.inverse_transform_point(point));
            (d, pose.transform_vector(normal))
        }
    }

    /// Takes the pressure of liquids: the other side of the corrections by these multipliers.
    pub(crate) fn take_pressure(
        &mut self,
        store: &Store,
        candidates: &mut [Candidate],
        multipliers: &[f32],
        part: f32,
    ) {
        let center = self.motion.end.transform_point(self.center);
        let (mut push, mut twist) = (Vec3::ZERO, Vec3::ZERO);
        for candidate in candidates {
            let slot = candidate.slot as usize;
            let change = candidate.wall * (-part * multipliers[slot]);
            candidate.on_body += change;
            push += change;
            twist += (vector(&store.predicted[slot]) - center).cross(change);
        }
        self.push(push, twist);
    }

    /// Returns how far a particle at this place stays from the point that holds it, given in the
    /// body's frame, in a substep that begins now. They approach each other by at most `reach`.
    pub(crate) fn lag(&self, position: Vec3, point: Vec3, reach: f32) -> Vec3 {
        let gap = position - self.motion.start.transform_point(point);
        let length = gap.length();
        if reach < length { gap * (1.0 - reach / length) } else { Vec3::ZERO }
    }

    /// Brings a particle of this inverse mass and a point of the body, given in its frame, to one
    /// place, but for the lag of the particle. Their softness says how far each goes. Returns the
    /// place of the point before.
    pub(crate) fn hold(&mut self, position: &mut Vec3, w: f32, point: Vec3, lag: Vec3) -> Vec3 {
        let at = self.motion.end.transform_point(point);
        let offset = at + lag - *position;
        let length = offset.length();
        let softness = w + self.softness(at, offset / length);
        // They are at one place, or both are held in theirs.
        if 0.0 < length && 0.0 < softness && length < f32::INFINITY {
            let push = offset / softness;
            *position += push * w;
            self.push_at(-push, at);
        }
        at
    }

    /// Moves the body by a push at a point.
    pub(crate) fn push_at(&mut self, push: Vec3, at: Vec3) {
        self.push(push, self.arm(at).cross(push));
    }

    /// Returns the matrix that maps a push at a point to the displacement of the point.
    pub(crate) fn compliance_at(&self, at: Vec3) -> Mat3 {
        let column = |axis: Vec3| self.displacement_at(&self.response_at(at, axis), at);
        Mat3::from_cols(column(Vec3::X), column(Vec3::Y), column(Vec3::Z))
    }

    /// Moves the body by a push and a twist, and sums them.
    fn push(&mut self, push: Vec3, twist: Vec3) {
        self.push += push;
        self.twist += twist;
        self.go_on_supports(self.response(push, twist), true);
    }

    /// Moves the body by the pushes of bodies that rest on it.
    pub(crate) fn take_load(&mut self, load: [Vec3; 2]) {
        for sums in [&mut self.borne, &mut self.taken] {
            (0..2).for_each(|k| sums[k] += load[k]);
        }
        self.go_on_supports(self.response(load[0], load[1]), true);
    }

    /// Pushes particles out of the body, and the body away from them. `taut` are the slots of the
    /// particles that their tethers hold, with the directions away from the pins.
    pub(crate) fn project(
        &mut self,
        store: &mut Store,
        body: &BodyBoundary<'_>,
        taut: &[(u32, Vec3)],
        candidates: &mut [Candidate],
    ) {
        candidates.iter_mut().for_each(|candidate| candidate.outward = Vec3::ZERO);
        for &(slot, outward) in taut {
            if let Ok(index) = candidates.binary_search_by_key(&slot, |candidate| candidate.slot) {
                candidates[index].outward += outward;
            }
        }
        let pose = self.motion.end;
        let distance = self.distance(body);
        let mut share = 0.0;
        if self.is_moved {
            let is_touching = |candidate: &&Candidate| {
                let slot = candidate.slot as usize;
                0.0 < candidate.push || distance(vector(&store.predicted[slot])).0 < store.radius(slot)
            };
            share = candidates.iter().filter(is_touching).count() as f32;
        }
        let this = *self;
        let material = |contact: &SurfaceContact| match body.surface_at {
            Some(surface_at) => {
                let point = pose.inverse_transform_point(contact.point);
                let own = surface_at(&SurfaceContact { point, ..*contact });
                ContactMaterial { velocity: pose.transform_vector(own.velocity), ..own }
            }
            None => ContactMaterial::combine(&contact.own, &body.surface),
        };
        for_each_chunk(candidates, |candidates| {
            solve(store, distance, material, &this, share, candidates);
        });
        let (mut push, mut twist) = (Vec3::ZERO, Vec3::ZERO);
        let center = pose.transform_point(self.center);
        for candidate in candidates.iter_mut().filter(|candidate| candidate.change != Vec3::ZERO) {
            candidate.on_body -= candidate.change;
            let slot = candidate.slot as usize;
            let point = vector(&store.predicted[slot]) - candidate.normal * store.radius(slot);
            push -= candidate.change;
            twist -= (point - center).cross(candidate.change);
        }
        apply(&mut store.predicted, candidates);
        self.push(push, twist);
    }
}
