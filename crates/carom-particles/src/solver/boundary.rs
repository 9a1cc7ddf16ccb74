//! Particles against planes, distance fields and bodies.
//!
//! - In a substep only particles near a boundary count: its candidates.
//! - A contact pushes the particle to its radius from the surface, and never pulls. Friction takes
//!   back the sliding relative to the surface, which may move. It is at most the coefficient times
//!   the push.
//! - A body acts as one more particle with mass and inertia. Its mass is split among its contacts.
//!   Its pose follows their pushes in each iteration, so light bodies on much water are stable.
//! - A fast particle is traced along its path, and does not pass a thin wall.
//!
//! Reference: M. Macklin et al., Unified Particle Physics, 2014, 6; R. Tonge et al., Mass Splitting
//! for Jitter-Free Parallel Rigid Body Simulation, 2012; J. C. Hart, Sphere Tracing, 1996.

use crate::solver::chunks::for_each_chunk;
use crate::solver::contact::Friction;
use crate::solver::smoothing::Smoothing;
use crate::solver::store::{Row, Store, vector};
use crate::solver::surroundings::{
    BodyBoundary, ContactMaterial, DistanceFn, MeetsFn, Support, Surface, SurfaceContact,
};
use crate::solver::trace::trace;
use crate::solver::wall::{Wall, behind_curved, behind_plane};
use alloc::vec::Vec;
use carom_math::ops::sqrt;
use carom_math::{Mat3, Pose, rotation, tol};
use glam::Vec3;

/// Candidates are at most this many radii beyond contact.
const MARGIN: f32 = 3.0;

/// A particle near a boundary, with sums over the iterations.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub(crate) slot: u32,
    /// Sum of pushes along the normal, in mass times length.
    pub(crate) push: f32,
    /// Sum of friction.
    friction: Vec3,
    /// The correction of this iteration, in mass times length.
    change: Vec3,
    /// The direction away from the surface, in the world.
    pub(crate) normal: Vec3,
    /// The gradient of the boundary's contribution to the density of a liquid.
    wall: Vec3,
    /// Sum of all pushes on a body, in mass times length.
    pub(crate) on_body: Vec3,
    /// The material of the contact, once it touches. The velocity is in the world frame.
    pub(crate) material: Option<ContactMaterial>,
}

/// The candidates of a boundary.
pub(crate) type Candidates = Vec<Candidate>;

/// The slots of particles that a surface stops, and where; workspace.
pub(crate) type Stops = Vec<(usize, Vec3)>;

fn candidate(slot: usize) -> Candidate {
    let zero = Vec3::ZERO;
    let slot = slot as u32;
    Candidate {
        slot,
        push: 0.0,
        friction: zero,
        change: zero,
        normal: zero,
        wall: zero,
        on_body: zero,
        material: None,
    }
}

/// Finds the particles near a plane. Distances to it are exact everywhere, so no path is traced.
pub(crate) fn find_near_plane(store: &Store, normal: Vec3, offset: f32, out: &mut Candidates) {
    out.clear();
    for (slot, row) in store.predicted.iter().enumerate() {
        if vector(row).dot(normal) < offset + store.radius(slot) * (1.0 + MARGIN) {
            out.push(candidate(slot));
        }
    }
}

/// A field or a body: its distance function, and the particles that meet it.
pub(crate) struct Obstacle<'a> {
    pub(crate) distance: DistanceFn<'a>,
    /// `None` if all do.
    pub(crate) met_by: Option<MeetsFn<'a>>,
}

impl Obstacle<'_> {
    fn meets(&self, particle: u32) -> bool {
        self.met_by.is_none_or(|meets| meets(particle))
    }
}

/// Finds the particles near a field that meet it, and keeps fast ones from passing its surface:
/// they may only go along it, and a little into it. A body gets the other side of what stops them.
pub(crate) fn find_near_field(
    store: &mut Store,
    obstacle: &Obstacle<'_>,
    body: &mut BodyState,
    out: &mut Candidates,
    stops: &mut Stops,
) {
    out.clear();
    stops.clear();
    let motion = body.motion;
    for slot in 0..store.len() {
        if !obstacle.meets(store.ids[slot]) {
            continue;
        }
        let radius = store.radius(slot);
        let begin = motion.start.inverse_transform_point(vector(&store.positions[slot]));
        let end = motion.end.inverse_transform_point(vector(&store.predicted[slot]));
        let length = begin.distance(end);
        let room = (obstacle.distance)(begin).0 - radius;
        if room.is_nan() || length + MARGIN * radius < room {
            continue;
        }
        out.push(candidate(slot));
        if let Some(stop) = trace(obstacle.distance, begin, end, radius) {
            let depth = -tol::PARTICLE_TRACE * radius - stop.room;
            let inward = stop.left.dot(stop.normal);
            let end = stop.place + stop.left + stop.normal * (depth - inward).max(0.0);
            stops.push((slot, motion.end.transform_point(end)));
        }
    }
    body.stop(store, stops, out);
}

/// Stops particles at the surface of a field that they meet, if corrections took them far, and
/// through it. A body gets the other side of that.
pub(crate) fn stop_at_field(
    store: &mut Store,
    obstacle: &Obstacle<'_>,
    body: &mut BodyState,
    candidates: &mut Candidates,
    stops: &mut Stops,
) {
    stops.clear();
    let motion = body.motion;
    for slot in 0..store.len() {
        if !obstacle.meets(store.ids[slot]) {
            continue;
        }
        let [from, to] = [vector(&store.positions[slot]), vector(&store.predicted[slot])];
        let begin = motion.start.inverse_transform_point(from);
        let end = motion.end.inverse_transform_point(to);
        if let Some(stop) = trace(obstacle.distance, begin, end, store.radius(slot)) {
            stops.push((slot, motion.end.transform_point(stop.place)));
        }
    }
    body.stop(store, stops, candidates);
}

fn set_place(row: &mut Row, place: Vec3) {
    *row = place.extend(row[3]).to_array();
}

/// The poses of a field at the beginning and at the end of a substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Motion {
    pub(crate) start: Pose,
    pub(crate) end: Pose,
}

impl Motion {
    /// A field that does not move.
    pub(crate) const STILL: Motion = Motion { start: Pose::IDENTITY, end: Pose::IDENTITY };

    /// Returns the displacement in the substep of the field's point that ends here.
    fn of_point(&self, point: Vec3) -> Vec3 {
        point - self.start.transform_point(self.end.inverse_transform_point(point))
    }
}

/// The contact of a particle with a surface at a point, in the frame of the surface.
fn contact_at(store: &Store, slot: usize, point: Vec3) -> SurfaceContact {
    let group = store.group(slot);
    let own = Surface {
        friction: group.friction,
        static_friction: group.static_friction,
        restitution: group.restitution,
    };
    SurfaceContact { particle: store.ids[slot], point, own }
}

/// In reaches of the kernel: how far normals are compared for the curvature of a surface.
const CURVATURE_STEP: f32 = 0.25;

/// Returns the mean curvature of a boundary where it is nearest to a place, in one over length. It
/// is positive where the boundary curves away: how fast the normal turns on average along three
/// directions across it.
///
/// Zero if a normal is not finite. That of an edge or a corner is limited by the step.
fn mean_curvature(
    distance: &impl Fn(Vec3) -> (f32, Vec3),
    place: Vec3,
    (d, normal): (f32, Vec3),
    step: f32,
) -> f32 {
    let (across, up) = normal.any_orthonormal_pair();
    let up = up * (0.5 * sqrt(3.0));
    let mut turned = 0.0;
    for way in [across, up - 0.5 * across, -up - 0.5 * across] {
        turned += distance(place + way * step).1.dot(way);
    }
    // The curvature of the surface at this distance through the point. The boundary is nearer to
    // its centers of curvature.
    let here = turned / (3.0 * step);
    let curvature = here / (1.0 - here * d.max(0.0)).max(0.25);
    if curvature.is_finite() { curvature } else { 0.0 }
}

/// Adds a boundary's contribution to the density of the liquids near it. `curvature` takes a point
/// and its distance. It returns the mean curvature of the boundary nearest to the point.
fn add_walls<Y: Yielding>(
    store: &Store,
    distance: impl Fn(Vec3) -> (f32, Vec3),
    curvature: impl Fn(Vec3, (f32, Vec3)) -> f32,
    boundary: &Y,
    smoothing: &Smoothing,
    candidates: &mut [Candidate],
    walls: &mut [Wall],
) {
    for candidate in candidates {
        let slot = candidate.slot as usize;
        if !store.phases[slot].is_fluid() {
            continue;
        }
        let place = vector(&store.predicted[slot]);
        let (d, normal) = distance(place);
        if normal.is_finite() && d < smoothing.reach {
            let softness = boundary.softness(place - normal * d, normal);
            let behind = behind_plane(smoothing, d);
            let behind = behind_curved(smoothing, d, curvature(place, (d, normal)), behind);
            candidate.wall = walls[slot].add(behind, normal, softness);
        }
    }
}

/// Does the same as [`add_walls`], for a plane.
pub(crate) fn add_plane_walls(
    store: &Store,
    distance: impl Fn(Vec3) -> (f32, Vec3),
    smoothing: &Smoothing,
    candidates: &mut [Candidate],
    walls: &mut [Wall],
) {
    add_walls(store, distance, |_, _| 0.0, &Still, smoothing, candidates, walls);
}

/// Does the same as [`add_walls`], for a field that does not move.
pub(crate) fn add_field_walls(
    store: &Store,
    distance: impl Fn(Vec3) -> (f32, Vec3),
    smoothing: &Smoothing,
    candidates: &mut [Candidate],
    walls: &mut [Wall],
) {
    let step = CURVATURE_STEP * smoothing.reach;
    let curvature = |place, found| mean_curvature(&distance, place, found, step);
    add_walls(store, &distance, curvature, &Still, smoothing, candidates, walls);
}

/// The motion of a boundary under a contact, and its compliance.
trait Yielding {
    /// Returns the motion of the boundary in the substep.
    fn motion(&self) -> Motion;

    /// Returns how far a unit push at a point moves the boundary along it, in one over mass.
    fn softness(&self, point: Vec3, direction: Vec3) -> f32;

    /// Returns how far a belt of this velocity moves in the substep.
    fn way_of_belt(&self, velocity: Vec3) -> Vec3;
}

/// Sets the changes of some candidates from their present places. `material` returns the material
/// of a contact, and `share` is among how many contacts the boundary is divided.
fn solve<Y: Yielding>(
    store: &Store,
    distance: impl Fn(Vec3) -> (f32, Vec3),
    material: impl Fn(&SurfaceContact) -> ContactMaterial,
    boundary: &Y,
    share: f32,
    candidates: &mut [Candidate],
) {
    let motion = boundary.motion();
    for candidate in candidates {
        candidate.change = Vec3::ZERO;
        let slot = candidate.slot as usize;
        let row = &store.predicted[slot];
        let (place, w, radius) = (vector(row), row[3], store.radius(slot));
        let (d, normal) = distance(place);
        if !(d < radius || 0.0 < candidate.push) || !(0.0 < w) || !normal.is_finite() {
            continue;
        }
        candidate.normal = normal;
        let point = place - normal * d;
        let softness = w + share * boundary.softness(point, normal);
        let before = candidate.push;
        candidate.push = (before + (radius - d) / softness).max(0.0);
        let mut change = normal * (candidate.push - before);
        let material = candidate.material.get_or_insert_with(|| material(&contact_at(store, slot, point)));
        let friction = Friction { at_rest: material.static_friction, sliding: material.friction };
        if 0.0 < friction.at_rest {
            let surface_way = motion.of_point(point) + boundary.way_of_belt(material.velocity);
            let slid = place + change * w - vector(&store.positions[slot]) - surface_way;
            let along = slid - normal * slid.dot(normal);
            let length = along.length();
            let softness =
                if 0.0 < length { w + share * boundary.softness(point, along / length) } else { w };
            let held = friction.limit(candidate.friction - along / softness, candidate.push);
            change += held - candidate.friction;
            candidate.friction = held;
        }
        candidate.change = change;
    }
}

/// Moves the particles by the changes.
fn apply(predicted: &mut [Row], candidates: &[Candidate]) {
    for candidate in candidates {
        let row = &mut predicted[candidate.slot as usize];
        set_place(row, vector(row) + candidate.change * row[3]);
    }
}

/// A boundary that does not move.
struct Still;

impl Yielding for Still {
    fn motion(&self) -> Motion {
        Motion::STILL
    }

    fn softness(&self, _: Vec3, _: Vec3) -> f32 {
        0.0
    }

    fn way_of_belt(&self, _: Vec3) -> Vec3 {
        Vec3::ZERO
    }
}

/// Pushes particles out of a boundary that does not move.
pub(crate) fn project_still(
    store: &mut Store,
    distance: impl Fn(Vec3) -> (f32, Vec3) + Sync,
    surface: &Surface,
    candidates: &mut [Candidate],
) {
    for_each_chunk(candidates, |candidates| {
        let material = |contact: &SurfaceContact| ContactMaterial::combine(&contact.own, surface);
        solve(store, &distance, material, &Still, 0.0, candidates);
    });
    apply(&mut store.predicted, candidates);
}

/// The largest number of supports of a body that count.
const MAX_SUPPORTS: usize = 12;

/// The largest number of passes over the supports of a body, for each push.
const SUPPORT_PASSES: u32 = 64;

/// The passes end if none changes a push by more than this part of the largest one.
const SUPPORT_TOLERANCE: f32 = 1.0 / 8192.0;

/// A support of a body in a substep.
#[derive(Clone, Copy, Debug, Default)]
struct Rest {
    /// In the body's frame.
    point: Vec3,
    normal: Vec3,
    /// The speed of what supports it along the normal.
    speed: f32,
    /// The least place along the normal in this substep.
    least: f32,
}

/// A body within a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyState {
    supports: [Rest; MAX_SUPPORTS],
    n_supports: usize,
    /// Sums of what supports do in the substep. They change velocities, but are no impulse of
    /// particles.
    borne: [Vec3; 2],
    motion: Motion,
    /// Centre of mass in the body's frame.
    center: Vec3,
    inverse_mass: f32,
    /// By axis of the world: 1 if it is free, 0 if it is held.
    free_axes: Vec3,
    /// In the world frame.
    inverse_inertia: Mat3,
    linear_velocity: Vec3,
    angular_velocity: Vec3,
    /// The acceleration by causes other than particles.
    acceleration: Vec3,
    /// Both velocities at the beginning of the substep.
    before: [Vec3; 2],
    /// The length of the substep.
    dt: f32,
    /// Sums over the substep, in mass times length.
    push: Vec3,
    twist: Vec3,
    pub(crate) impulse: Vec3,
    pub(crate) angular_impulse: Vec3,
    /// Both impulses, each times the time from its substep to the end of the present one.
    pub(crate) travel: [Vec3; 2],
}

impl Yielding for BodyState {
    fn motion(&self) -> Motion {
        self.motion
    }

    /// A supported body is pushed against the direction.
    fn softness(&self, point: Vec3, direction: Vec3) -> f32 {
        let mut softness = self.free_softness(point, direction);
        if 0 < self.n_supports && 0.0 < softness {
            let (moved, _) = self.bear(self.response(point, -direction), |_| 0.0);
            softness = (-self.way_at(&moved, point).dot(direction)).clamp(0.0, softness);
        }
        softness
    }

    fn way_of_belt(&self, velocity: Vec3) -> Vec3 {
        velocity * self.dt
    }
}

impl BodyState {
    pub(crate) fn new(body: &BodyBoundary<'_>) -> BodyState {
        let turn = body.pose.rotation_matrix();
        let mut supports = [Rest::default(); MAX_SUPPORTS];
        for (rest, support) in supports.iter_mut().zip(body.supports) {
            let Support { point, normal, speed } = *support;
            *rest = Rest { point: body.pose.inverse_transform_point(point), normal, speed, least: 0.0 };
        }
        BodyState {
            supports,
            n_supports: body.supports.len().min(MAX_SUPPORTS),
            borne: [Vec3::ZERO; 2],
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
            travel: [Vec3::ZERO; 2],
        }
    }

    /// Returns how far a unit push at a point moves the body along it if nothing supports it.
    fn free_softness(&self, point: Vec3, direction: Vec3) -> f32 {
        let turn = (point - self.motion.end.transform_point(self.center)).cross(direction);
        let held = ((Vec3::ONE - self.free_axes) * direction).length_squared();
        self.inverse_mass * (1.0 - held).max(0.0) + turn.dot(self.inverse_inertia * turn)
    }

    /// Returns how a push at a point moves and turns the body if nothing supports it.
    fn response(&self, point: Vec3, push: Vec3) -> [Vec3; 2] {
        let arm = point - self.motion.end.transform_point(self.center);
        [push * self.free_axes * self.inverse_mass, self.inverse_inertia * arm.cross(push)]
    }

    /// Returns the displacement of a point by a displacement and a rotation of the body.
    fn way_at(&self, [way, turn]: &[Vec3; 2], point: Vec3) -> Vec3 {
        *way + turn.cross(point - self.motion.end.transform_point(self.center))
    }

    /// Returns a displacement and a rotation as supports let them be, and the sum of their pushes
    /// and twists. `room` is how far the point of a support may still go against its normal.
    ///
    /// It is linear: a light body under a heavy particle would move far before it is put back.
    fn bear(&self, mut moved: [Vec3; 2], room: impl Fn(&Rest) -> f32) -> ([Vec3; 2], [Vec3; 2]) {
        let mut held = [0.0; MAX_SUPPORTS];
        let mut borne = [Vec3::ZERO; 2];
        let center = self.motion.end.transform_point(self.center);
        for _ in 0..SUPPORT_PASSES {
            let (mut largest, mut change_of_pass) = (0.0_f32, 0.0_f32);
            for (rest, held) in self.supports[..self.n_supports].iter().zip(&mut held) {
                let at = self.motion.end.transform_point(rest.point);
                let softness = self.free_softness(at, rest.normal);
                if !(0.0 < softness) {
                    continue;
                }
                let before = *held;
                let left = room(rest) + self.way_at(&moved, at).dot(rest.normal);
                *held = (before - left / softness).max(0.0);
                let push = rest.normal * (*held - before);
                let change = self.response(at, push);
                (moved[0], moved[1]) = (moved[0] + change[0], moved[1] + change[1]);
                (borne[0], borne[1]) = (borne[0] + push, borne[1] + (at - center).cross(push));
                largest = largest.max(*held);
                change_of_pass = change_of_pass.max((*held - before).abs());
            }
            if change_of_pass <= SUPPORT_TOLERANCE * largest {
                break;
            }
        }
        (moved, borne)
    }

    /// Moves the body by a displacement and a rotation, as far as its supports let it.
    fn go_on_supports(&mut self, way: Vec3, turn: Vec3) {
        if self.n_supports == 0 {
            return self.go(way, turn);
        }
        let end = self.motion.end;
        let room = |rest: &Rest| end.transform_point(rest.point).dot(rest.normal) - rest.least;
        let ([way, turn], [push, twist]) = self.bear([way, turn], room);
        (self.borne[0], self.borne[1]) = (self.borne[0] + push, self.borne[1] + twist);
        self.go(way, turn);
    }

    /// A field that does not move.
    pub(crate) fn still() -> BodyState {
        let nowhere: DistanceFn<'_> = &|_| (f32::MAX, Vec3::Y);
        BodyState::new(&BodyBoundary::fixed(nowhere, Pose::IDENTITY))
    }

    /// Brings particles to places at the surface, by slot. A body that can move goes a part of the
    /// way, by the inverse masses. Its mass is split among them.
    fn stop(&mut self, store: &mut Store, stops: &[(usize, Vec3)], candidates: &mut Candidates) {
        let this = *self;
        let (mut push, mut twist) = (Vec3::ZERO, Vec3::ZERO);
        for &(slot, target) in stops {
            let (place, w) = (vector(&store.predicted[slot]), store.predicted[slot][3]);
            let (way, length) = (target - place, target.distance(place));
            let yields = if this.is_moved() && 0.0 < length {
                stops.len() as f32 * this.softness(target, way / length)
            } else {
                0.0
            };
            if !(0.0 < yields) {
                set_place(&mut store.predicted[slot], target);
                continue;
            }
            let change = way / (w + yields);
            set_place(&mut store.predicted[slot], place + change * w);
            push -= change;
            twist -= (target - this.motion.end.transform_point(this.center)).cross(change);
            let found = candidates.binary_search_by_key(&(slot as u32), |candidate| candidate.slot);
            let at = found.unwrap_or_else(|at| {
                candidates.insert(at, candidate(slot));
                at
            });
            candidates[at].on_body -= change;
        }
        if push != Vec3::ZERO || twist != Vec3::ZERO {
            self.push(push, twist);
        }
    }

    /// Whether particles move it.
    fn is_moved(&self) -> bool {
        0.0 < self.inverse_mass || self.inverse_inertia != Mat3::ZERO
    }

    /// Begins a substep: the body moves by its velocity.
    pub(crate) fn predict(&mut self, dt: f32) {
        self.motion.start = self.motion.end;
        self.dt = dt;
        self.linear_velocity += self.acceleration * dt;
        self.before = [self.linear_velocity, self.angular_velocity];
        (self.push, self.twist, self.borne) = (Vec3::ZERO, Vec3::ZERO, [Vec3::ZERO; 2]);
        for rest in &mut self.supports[..self.n_supports] {
            let at = self.motion.start.transform_point(rest.point);
            rest.least = at.dot(rest.normal) + rest.speed * dt;
        }
        self.go_on_supports(self.linear_velocity * dt, self.angular_velocity * dt);
    }

    /// Ends a substep: the pushes become a change of velocity.
    pub(crate) fn finish(&mut self, dt: f32) {
        let [borne, borne_twist] = self.borne;
        self.linear_velocity += (self.push + borne) * self.free_axes * (self.inverse_mass / dt);
        self.angular_velocity += self.inverse_inertia * (self.twist + borne_twist) / dt;
        self.impulse += self.push / dt;
        self.angular_impulse += self.twist / dt;
        self.travel[0] += self.impulse * dt;
        self.travel[1] += self.angular_impulse * dt;
    }

    /// The velocities of its point at a place, at the beginning of the substep and now.
    pub(crate) fn velocities_at(&self, point: Vec3) -> [Vec3; 2] {
        let arm = point - self.motion.end.transform_point(self.center);
        [self.before, [self.linear_velocity, self.angular_velocity]].map(|[v, turn]| v + turn.cross(arm))
    }

    /// Returns the same as [`Yielding::softness`].
    pub(crate) fn softness_at(&self, point: Vec3, direction: Vec3) -> f32 {
        self.softness(point, direction)
    }

    /// Changes velocities by an impulse at a point, and sums it.
    pub(crate) fn apply_impulse(&mut self, impulse: Vec3, point: Vec3) {
        let twist = (point - self.motion.end.transform_point(self.center)).cross(impulse);
        self.linear_velocity += impulse * self.free_axes * self.inverse_mass;
        self.angular_velocity += self.inverse_inertia * twist;
        self.impulse += impulse;
        self.angular_impulse += twist;
    }

    /// Whether the numbers that it gives back, and moves on by, are finite.
    pub(crate) fn is_finite(&self) -> bool {
        let all = [self.linear_velocity, self.angular_velocity, self.impulse, self.angular_impulse];
        self.motion.end.is_finite() && all.iter().all(|v| v.is_finite())
    }

    /// Moves the centre of mass and turns the body about it, by a vector of radians.
    fn go(&mut self, way: Vec3, turn: Vec3) {
        let pose = &mut self.motion.end;
        let center = pose.transform_point(self.center) + way;
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
        let curvature = |place, found| mean_curvature(&distance, place, found, step);
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

    /// Brings a particle of this inverse mass and a point of the body, given in its frame, to one
    /// place. Their softness says how far each goes. Returns the place of the point before.
    pub(crate) fn hold(&mut self, place: &mut Vec3, w: f32, point: Vec3) -> Vec3 {
        let at = self.motion.end.transform_point(point);
        let way = at - *place;
        let length = way.length();
        let softness = w + self.softness(at, way / length);
        // They are at one place, or both are held in theirs.
        if 0.0 < length && 0.0 < softness && length < f32::INFINITY {
            let push = way / softness;
            *place += push * w;
            self.push_at(-push, at);
        }
        at
    }

    /// Whether something bears it.
    pub(crate) fn is_supported(&self) -> bool {
        0 < self.n_supports
    }

    /// Moves the body by a push at a point.
    pub(crate) fn push_at(&mut self, push: Vec3, at: Vec3) {
        let center = self.motion.end.transform_point(self.center);
        self.push(push, (at - center).cross(push));
    }

    /// Returns the matrix that maps a push at a point to the displacement of the point.
    pub(crate) fn yields(&self, at: Vec3) -> Mat3 {
        let column = |axis: Vec3| self.way_at(&self.response(at, axis), at);
        Mat3::from_cols(column(Vec3::X), column(Vec3::Y), column(Vec3::Z))
    }

    /// Moves the body by a push and a twist, and sums them.
    fn push(&mut self, push: Vec3, twist: Vec3) {
        self.push += push;
        self.twist += twist;
        self.go_on_supports(push * self.free_axes * self.inverse_mass, self.inverse_inertia * twist);
    }

    /// Pushes particles out of the body, and the body away from them.
    pub(crate) fn project(
        &mut self,
        store: &mut Store,
        body: &BodyBoundary<'_>,
        candidates: &mut [Candidate],
    ) {
        let pose = self.motion.end;
        let distance = self.distance(body);
        let mut share = 0.0;
        if self.is_moved() {
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
