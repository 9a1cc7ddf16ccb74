//! Particles against planes, distance fields and bodies.
//!
//! - In a substep only the particles near a boundary are tested against it: its candidates.
//! - A contact pushes a particle until its distance from the surface is its radius, and does not
//!   pull. Friction reverses the sliding relative to the surface, which may move. It is at most
//!   the coefficient times the push.
//! - A fast particle is traced along its path, so it does not pass through a thin wall: see
//!   `paths`.
//!
//! Reference: M. Macklin et al., Unified Particle Physics, 2014, 6.

use crate::solver::chunks::for_each_chunk;
use crate::solver::contact::Friction;
use crate::solver::smoothing::Smoothing;
use crate::solver::store::{Row, Store, vector};
use crate::solver::surroundings::{ContactMaterial, Surface, SurfaceContact};
use crate::solver::wall::{Wall, behind_curved, behind_plane};
use alloc::vec::Vec;
use carom_math::Pose;
use carom_math::ops::sqrt;
use glam::Vec3;

/// Candidates are at most this many radii beyond contact.
pub(super) const MARGIN: f32 = 3.0;

/// Pins hold a particle against a push if the sum of the directions away from them has at least
/// this part along it.
const MIN_HOLD_COSINE: f32 = 0.1;

/// A substep corrects this part of the depth that a held particle has in the body at its start.
/// All of it at once would throw the body.
const HELD_PUSH_OUT: f32 = 1.0 / 8.0;

/// A particle near a boundary, with sums over the iterations.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub(crate) slot: u32,
    /// Sum of pushes along the normal, in mass times length.
    pub(crate) push: f32,
    /// Sum of friction.
    friction: Vec3,
    /// The correction of this iteration, in mass times length.
    pub(super) change: Vec3,
    /// The direction away from the surface, in the world.
    pub(crate) normal: Vec3,
    /// The gradient of the boundary's contribution to the density of a liquid.
    pub(super) wall: Vec3,
    /// Sum of all pushes on a body, in mass times length.
    pub(crate) on_body: Vec3,
    /// The sum of the directions away from pins, if it is as far from them as its cloth lets it.
    pub(super) outward: Vec3,
    /// Whether the pins hold it against the push, so that only the body moves.
    is_held: bool,
    /// The material of the contact, once it touches. The velocity is in the world frame.
    pub(crate) material: Option<ContactMaterial>,
}

/// The candidates of a boundary.
pub(crate) type Candidates = Vec<Candidate>;

pub(super) fn candidate(slot: usize) -> Candidate {
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
        outward: zero,
        is_held: false,
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

pub(super) fn set_position(row: &mut Row, position: Vec3) {
    *row = position.extend(row[3]).to_array();
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

    /// Returns the start and the end of a particle's path in the substep, relative to the field.
    pub(super) fn path(&self, store: &Store, slot: usize) -> [Vec3; 2] {
        let [from, to] = [vector(&store.positions[slot]), vector(&store.predicted[slot])];
        [self.start.inverse_transform_point(from), self.end.inverse_transform_point(to)]
    }

    /// Returns the displacement in the substep of the field's point that ends here.
    pub(super) fn of_point(&self, point: Vec3) -> Vec3 {
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
pub(super) const CURVATURE_STEP: f32 = 0.25;

/// Returns the mean curvature of a boundary where it is nearest to a place, in one over length. It
/// is positive where the boundary curves away: how fast the normal turns on average along three
/// directions across it.
///
/// Zero if a normal is not finite. That of an edge or a corner is limited by the step.
pub(super) fn mean_curvature(
    distance: &impl Fn(Vec3) -> (f32, Vec3),
    position: Vec3,
    (d, normal): (f32, Vec3),
    step: f32,
) -> f32 {
    let (across, up) = normal.any_orthonormal_pair();
    let up = up * (0.5 * sqrt(3.0));
    let mut turned = 0.0;
    for direction in [across, up - 0.5 * across, -up - 0.5 * across] {
        turned += distance(position + direction * step).1.dot(direction);
    }
    // The curvature of the surface at this distance through the point. The boundary is nearer to
    // its centers of curvature.
    let here = turned / (3.0 * step);
    let curvature = here / (1.0 - here * d.max(0.0)).max(0.25);
    if curvature.is_finite() { curvature } else { 0.0 }
}

/// Adds a boundary's contribution to the density of the liquids near it. `curvature` takes a point
/// and its distance. It returns the mean curvature of the boundary nearest to the point.
pub(super) fn add_walls<Y: Yielding>(
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
        let position = vector(&store.predicted[slot]);
        let (d, normal) = distance(position);
        if normal.is_finite() && d < smoothing.reach {
            let softness = boundary.softness(position - normal * d, normal);
            let behind = behind_plane(smoothing, d);
            let behind = behind_curved(smoothing, d, curvature(position, (d, normal)), behind);
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
    let curvature = |position, found| mean_curvature(&distance, position, found, step);
    add_walls(store, &distance, curvature, &Still, smoothing, candidates, walls);
}

/// The friction that would stop a particle.
pub(super) struct Slip {
    /// The correction along the normal that goes with it.
    pub(super) change: Vec3,
    /// The unit vector of the sliding.
    pub(super) direction: Vec3,
    /// The friction if the boundary does not yield.
    pub(super) push: f32,
}

/// The motion of a boundary under a contact, and its compliance.
pub(super) trait Yielding {
    /// Returns the motion of the boundary in the substep.
    fn motion(&self) -> Motion;

    /// Returns how far a unit push at a point moves the boundary along it, in one over mass.
    fn softness(&self, point: Vec3, direction: Vec3) -> f32;

    /// Returns the same if nothing supports the boundary.
    fn free_softness(&self, point: Vec3, direction: Vec3) -> f32;

    /// Returns how far the boundary has risen from its supports at a point in this substep.
    /// Negative if it has not.
    fn rise(&self, point: Vec3, direction: Vec3) -> f32;

    /// Returns how far friction at a point moves the boundary along it, over the push. `share`
    /// contacts do the same.
    fn slip_softness(&self, point: Vec3, slip: &Slip, share: f32) -> f32;

    /// Returns how far a belt of this velocity moves in the substep.
    fn belt_displacement(&self, velocity: Vec3) -> Vec3;
}

/// Sets the changes of some candidates from their present places. `material` returns the material
/// of a contact, and `share` is among how many contacts the boundary is divided.
pub(super) fn solve<Y: Yielding>(
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
        let (position, w, radius) = (vector(row), row[3], store.radius(slot));
        let (d, normal) = distance(position);
        if !(d < radius || 0.0 < candidate.push) || !(0.0 < w) || !normal.is_finite() {
            continue;
        }
        candidate.normal = normal;
        let point = position - normal * d;
        candidate.is_held = MIN_HOLD_COSINE < candidate.outward.dot(normal);
        let (w, room) = if candidate.is_held {
            // From where the body was at the start of the substep.
            let start = motion.start.inverse_transform_point(position);
            let before = distance(motion.end.transform_point(start)).0.min(radius);
            (0.0, before + (radius - before) * HELD_PUSH_OUT)
        } else {
            (w, radius)
        };
        let softness = w + share * boundary.softness(point, normal);
        if !(0.0 < softness) {
            continue;
        }
        let before = candidate.push;
        let push = push_for(room - d, softness, boundary.rise(point, normal), || {
            w + share * boundary.free_softness(point, normal)
        });
        candidate.push = (before + push).max(0.0);
        let mut change = normal * (candidate.push - before);
        let material = candidate.material.get_or_insert_with(|| material(&contact_at(store, slot, point)));
        let friction = Friction { at_rest: material.static_friction, sliding: material.friction };
        if 0.0 < friction.at_rest {
            let surface_displacement = motion.of_point(point) + boundary.belt_displacement(material.velocity);
            let slid = position + change * w - vector(&store.positions[slot]) - surface_displacement;
            let along = slid - normal * slid.dot(normal);
            let length = along.length();
            let softness = if 0.0 < length {
                let wanted = Slip { change, direction: along / length, push: length / w };
                w + boundary.slip_softness(point, &wanted, share)
            } else {
                w
            };
            if 0.0 < softness {
                let held = friction.limit(candidate.friction - along / softness, candidate.push);
                change += held - candidate.friction;
                candidate.friction = held;
            }
        }
        candidate.change = change;
    }
}

/// Returns the push that closes this distance. `rise` is how far the boundary yields to it as if
/// nothing supported it, with the softness `free`. A light crate under a heavy block would
/// otherwise lift that wherever it tips.
fn push_for(distance: f32, softness: f32, rise: f32, free: impl Fn() -> f32) -> f32 {
    if !(0.0 < rise && 0.0 < distance) {
        return distance / softness;
    }
    ((distance - rise) / softness).max(distance / free())
}

/// Moves the particles by the changes.
pub(super) fn apply(predicted: &mut [Row], candidates: &[Candidate]) {
    for candidate in candidates.iter().filter(|candidate| !candidate.is_held) {
        let row = &mut predicted[candidate.slot as usize];
        set_position(row, vector(row) + candidate.change * row[3]);
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

    fn free_softness(&self, _: Vec3, _: Vec3) -> f32 {
        0.0
    }

    fn rise(&self, _: Vec3, _: Vec3) -> f32 {
        0.0
    }

    fn slip_softness(&self, _: Vec3, _: &Slip, _: f32) -> f32 {
        0.0
    }

    fn belt_displacement(&self, _: Vec3) -> Vec3 {
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
