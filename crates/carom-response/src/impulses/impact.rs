//! Restitution: bodies that approach fast, and would touch within a substep, are reflected before
//! contacts are solved.
//!
//! - Each manifold with restitution e is one collision: the normal velocities at its points become
//!   -e times those before (Newton). Gauss-Seidel iterations find impulses that are not negative.
//!   Coulomb friction follows.
//! - The manifolds are swept until none approaches faster than the threshold. So an impulse
//!   travels through a row of balls, ball by ball, as in Newton's cradle.
//! - Slower contacts are left to the contact solver, which stops them.
//! - Semi-implicit Euler stores a velocity that lags half a substep behind the position. The
//!   velocity at the position is reflected: the stored one plus half of the acceleration.
//! - A bounce is applied up to 1.5 substeps before the surfaces meet, or later if the contact was
//!   found late. The speed at which they meet is reflected. The body gets the speed that it will
//!   have when it returns to its present position.
//!
//! The last two corrections keep the energy, so a perfect ball returns to its height.
//!
//! Reference: B. Mirtich, J. Canny, Impulse-based Simulation of Rigid Bodies, I3D 1995; J. J.
//! Moreau, Unilateral Contact and Dry Friction in Finite Freedom Dynamics, 1988 (Newton's law for
//! several contacts at once).
//! Differs: a friction impulse that would raise the energy of the two bodies is left out.

use crate::bodies::free::FreeMotion;
use crate::bodies::mass::{MassData, held_center};
use crate::contacts::contact::{ContactImpulse, ContactInput, Contacts};
use crate::contacts::details::ContactDetails;
use crate::contacts::round::RoundContact;
use crate::contacts::surface::SurfaceVelocity;
use crate::impulses::lane_vec::State;
use crate::settings::SolverSettings;
use alloc::vec::Vec;
use carom_geom::MAX_CONTACTS;
use carom_math::{Mat3, Real, Vec3, ops};

/// The largest number of sweeps over all manifolds.
const MAX_SWEEPS: usize = 32;

/// The number of Gauss-Seidel iterations over the contacts of one manifold.
const GAUSS_SEIDEL_ITERATIONS: usize = 12;

/// The number of substeps within which closing contacts bounce, before the contact solver would
/// stop them.
pub const BOUNCE_LOOK_AHEAD: Real = 1.5;

/// The bodies that bounce, by slot.
pub(crate) struct Bouncers<'a> {
    pub(crate) states: &'a mut [State],
    pub(crate) free: &'a mut [FreeMotion],
    pub(crate) masses: &'a [MassData],
    pub(crate) details: &'a ContactDetails,
    /// The impulses of all bounces of the step, by contact, in the order in which they happened.
    pub(crate) bounces: &'a mut Vec<(u32, ContactImpulse)>,
}

/// The time within a step at which bodies bounce.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    /// Length of a substep.
    pub(crate) h: Real,
    /// Time since the start of the step.
    pub(crate) elapsed: Real,
    /// Whether the velocities include the forces of the substep and its warm start.
    pub(crate) has_begun: bool,
}

/// One body during a collision.
#[derive(Clone, Copy)]
struct ImpactBody {
    v: Vec3,
    w: Vec3,
    /// Sums of the changes of `v` and `w`.
    change_v: Vec3,
    change_w: Vec3,
    /// Changes of the velocity in a substep: by forces, and by contacts.
    by_forces: Vec3,
    by_contacts: Vec3,
    inverse_mass: Real,
    inverse_inertia: Mat3,
    center: Vec3,
    /// Displacement and rotation since the start of the step. The rotation is a unit quaternion.
    shift: Vec3,
    turn: (Vec3, Real),
}

impl ImpactBody {
    fn new(bodies: &Bouncers<'_>, slot: usize, moment: Moment) -> ImpactBody {
        let (state, mass) = (&bodies.states[slot], &bodies.masses[slot]);
        let (m, d) = (&state.front, &state.back);
        let (v, w) = (Vec3::new(m[0], m[1], m[2]), Vec3::new(m[3], m[4], m[5]));
        let [by_forces, free_v, free_w] = bodies.free[slot].substep();
        ImpactBody {
            v: if moment.has_begun { free_v - by_forces } else { v },
            w: if moment.has_begun { free_w } else { w },
            change_v: Vec3::ZERO,
            change_w: Vec3::ZERO,
            by_forces,
            by_contacts: v - free_v,
            inverse_mass: mass.inverse_mass,
            inverse_inertia: mass.inertia_matrix(),
            center: mass.center,
            shift: Vec3::new(d[0], d[1], d[2]),
            turn: (Vec3::new(d[3], d[4], d[5]), d[6]),
        }
    }

    fn apply(&mut self, impulse: Vec3, point: Vec3) {
        let v = impulse * self.inverse_mass;
        let w = self.inverse_inertia * self.lever(point).cross(impulse);
        (self.v, self.w) = (self.v + v, self.w + w);
        (self.change_v, self.change_w) = (self.change_v + v, self.change_w + w);
    }

    fn lever(&self, point: Vec3) -> Vec3 {
        point - self.center
    }

    fn velocity_at(&self, point: Vec3) -> Vec3 {
        self.v + self.w.cross(self.lever(point))
    }

    /// Inverse effective mass for an impulse along `direction` at `point`.
    fn inverse_effective_mass(&self, point: Vec3, direction: Vec3) -> Real {
        let turn = self.lever(point).cross(direction);
        self.inverse_mass + turn.dot(self.inverse_inertia * turn)
    }

    /// Displacement of a point of the body since the start of the step.
    fn shift_at(&self, point: Vec3) -> Vec3 {
        let r = point - self.center;
        let (q, w) = self.turn;
        let across = q.cross(r);
        self.shift + (across * w + q.cross(across)) * 2.0
    }

    /// Returns a direction, rotated by the inverse of the rotation since the start of the step.
    fn turned_back(&self, direction: Vec3) -> Vec3 {
        let (q, w) = self.turn;
        let across = direction.cross(q);
        direction + (across * w - q.cross(across)) * 2.0
    }

    /// Returns the change of the velocity along `direction` in a substep. It is the change by
    /// forces, plus that by contacts as far as it cancels the forces. A larger change by contacts
    /// is a collision of the substep before.
    fn gain_along(&self, direction: Vec3) -> Real {
        let (force, held) = (self.by_forces.dot(direction), self.by_contacts.dot(direction));
        force + held.clamp(Real::min(-force, 0.0), Real::max(-force, 0.0))
    }

    /// Adds the changes to the velocities, and to the velocities before contacts.
    fn store(&self, bodies: &mut Bouncers<'_>, slot: usize) {
        let m = &mut bodies.states[slot].front;
        for k in 0..3 {
            m[k] += self.change_v[k];
            m[3 + k] += self.change_w[k];
        }
        bodies.free[slot].push(self.change_v, self.change_w);
    }
}

/// Applies restitution. `active` has the indices of the contacts, in the order of solving. `slots`
/// returns the slot of a body. One slot of `bodies` stands for bodies that cannot move.
pub(crate) fn bounce_all(
    contacts: &Contacts<'_>,
    active: &[u32],
    slots: impl Fn(u32) -> usize,
    bodies: &mut Bouncers<'_>,
    settings: &SolverSettings,
    moment: Moment,
) {
    for _ in 0..MAX_SWEEPS {
        let mut any = false;
        for &contact in active {
            let pair = contacts.get(contact as usize);
            if 0.0 < pair.restitution {
                let sides = [slots(pair.body_a), slots(pair.body_b)];
                let surface = bodies.details.surface(contact).copied();
                let scales = bodies.details.settings(contact).map_or([1.0; 2], |found| found.mass_scales);
                let round = bodies.details.round(contact);
                let own = (surface, scales, round, bodies.details.is_at_impact(contact));
                let bounce = bounce_one(&pair, own, sides, bodies, settings, moment);
                any |= bounce.is_some();
                bodies.bounces.extend(bounce.map(|impulse| (contact, impulse)));
            }
        }
        if !any {
            return;
        }
    }
}

/// Returns the stored speed along the normal after a bounce.
///
/// `speed` is the stored speed before, and `gain` is its change in a substep of length `h`. At a
/// negative `distance` the bodies have already met. They get the speed that they need to separate
/// correctly.
///
/// Returns `None` if the bodies meet more slowly than the threshold, or do not return to this
/// distance.
fn speed_after(
    speed: Real,
    gain: Real,
    (distance, h): (Real, Real),
    restitution: Real,
    threshold: Real,
) -> Option<Real> {
    let there = speed + 0.5 * gain;
    // Twice the energy per mass that the bodies gain until they meet.
    let fall = -2.0 * gain * distance / h;
    let met_sq = there * there + fall;
    let back_sq = restitution * restitution * met_sq - fall;
    let bounces = there < 0.0 && threshold * threshold < met_sq && 0.0 <= back_sq;
    bounces.then(|| ops::sqrt(back_sq) - 0.5 * gain)
}

/// Returns the impulses of the bounce, if there is one.
fn bounce_one(
    pair: &ContactInput<'_>,
    (surface, mass_scales, round, is_at_impact): (
        Option<SurfaceVelocity>,
        [Real; 2],
        Option<&RoundContact>,
        bool,
    ),
    [slot_a, slot_b]: [usize; 2],
    bodies: &mut Bouncers<'_>,
    settings: &SolverSettings,
    moment: Moment,
) -> Option<ContactImpulse> {
    let threshold = settings.restitution_threshold * settings.length_unit;
    let normal = pair.manifold.normal();
    let mut a = ImpactBody::new(bodies, slot_a, moment);
    let mut b = ImpactBody::new(bodies, slot_b, moment);
    for (body, scale) in [&mut a, &mut b].into_iter().zip(mass_scales) {
        body.inverse_mass *= 1.0 / scale;
        body.inverse_inertia *= 1.0 / scale;
    }
    let gain = b.gain_along(normal) - a.gain_along(normal);
    if let Some(surface) = surface {
        // The whole body B gets the velocity of the surface. This is not stored, because `store`
        // writes only changes.
        let velocity = surface.mean_velocity(normal, pair.manifold.contacts().len());
        b.v += velocity;
        b.shift += normal * (velocity.dot(normal) * moment.elapsed);
    }
    let ahead = BOUNCE_LOOK_AHEAD * moment.h;
    // The points of A and of B. They differ only for a contact at an impact.
    let mut points = [[Vec3::ZERO; 2]; MAX_CONTACTS];
    let mut targets = [0.0; MAX_CONTACTS];
    let mut mass = [0.0; MAX_CONTACTS];
    let mut numbers = [0; MAX_CONTACTS];
    let mut n = 0;
    let mut fast = false;
    let slop = settings.slop * settings.length_unit;
    let masses = [&bodies.masses[slot_a], &bodies.masses[slot_b]];
    let held = held_center(masses, normal, pair.manifold.contacts(), slop).map(|side| masses[side].center);
    let rolled = round.map(|round| {
        let by = |side, body: &ImpactBody| round.rolled(side, normal, body.turned_back(normal));
        (round, [by(0, &a), by(1, &b)])
    });
    for (number, c) in pair.manifold.contacts().iter().enumerate() {
        let point = match held {
            Some(center) => [center; 2],
            None if is_at_impact => [c.point_a, c.point_b],
            None => [(c.point_a + c.point_b) * 0.5; 2],
        };
        let speed = (b.velocity_at(point[1]) - a.velocity_at(point[0])).dot(normal);
        let distance = c.distance
            + (b.shift_at(c.point_b) - a.shift_at(c.point_a)).dot(normal)
            + rolled.map_or(0.0, |(round, [by_a, by_b])| {
                round.radius[0][number] * by_a + round.radius[1][number] * by_b
            });
        // Whether the contact closes within the look-ahead. Rotation closes it by no more than the
        // lever allows.
        let by_turning = |body: &ImpactBody, point: Vec3, outwards: Vec3| {
            let lever = body.lever(point);
            let closing = -body.w.cross(lever).dot(outwards) * ahead;
            closing.min(lever.length() + lever.dot(outwards))
        };
        let closing = ((a.v - b.v).dot(normal) - gain.min(0.0)) * ahead
            + by_turning(&a, point[0], -normal)
            + by_turning(&b, point[1], normal);
        if !(distance <= closing) {
            continue;
        }
        let inverse_effective_mass =
            a.inverse_effective_mass(point[0], normal) + b.inverse_effective_mass(point[1], normal);
        if !(0.0 < inverse_effective_mass) {
            return None;
        }
        let after = speed_after(speed, gain, (distance, moment.h), pair.restitution, threshold);
        fast |= after.is_some();
        numbers[n] = number;
        points[n] = point;
        targets[n] = after.unwrap_or(speed.min(0.0));
        mass[n] = 1.0 / inverse_effective_mass;
        n += 1;
    }
    if !fast {
        return None;
    }
    let before = (a, b);
    let mut impulse = [0.0; MAX_CONTACTS];
    for _ in 0..GAUSS_SEIDEL_ITERATIONS {
        let mut change_all = 0.0;
        for k in 0..n {
            let [on_a, on_b] = points[k];
            let speed = (b.velocity_at(on_b) - a.velocity_at(on_a)).dot(normal);
            let new = Real::max(impulse[k] + (targets[k] - speed) * mass[k], 0.0);
            let change = new - impulse[k];
            impulse[k] = new;
            a.apply(-normal * change, on_a);
            b.apply(normal * change, on_b);
            change_all += change.abs();
        }
        if change_all == 0.0 {
            break;
        }
    }
    // After the last iteration a contact may still separate too fast, which would add energy. The
    // impulses are scaled by the ratio of the target work to the actual work.
    let work = |speeds: &dyn Fn(usize) -> Real| (0..n).map(|k| impulse[k] * speeds(k)).sum::<Real>();
    let speed_of = |(a, b): &(ImpactBody, ImpactBody), k: usize| {
        (b.velocity_at(points[k][1]) - a.velocity_at(points[k][0])).dot(normal)
    };
    let target_work = work(&|k| targets[k] - speed_of(&before, k));
    let actual_work = work(&|k| speed_of(&(a, b), k) - speed_of(&before, k));
    if target_work < actual_work && 0.0 < target_work {
        (a, b) = before;
        impulse.iter_mut().for_each(|impulse| *impulse *= target_work / actual_work);
        for k in 0..n {
            a.apply(-normal * impulse[k], points[k][0]);
            b.apply(normal * impulse[k], points[k][1]);
        }
    }
    let total: Real = impulse.iter().sum();
    if !(0.0 < total) {
        return None;
    }
    let mut bounce = ContactImpulse::default();
    (0..n).for_each(|k| bounce.normal[numbers[k]] = impulse[k]);
    // Friction acts at the centre of pressure.
    let [on_a, on_b] =
        [0, 1].map(|side: usize| (0..n).map(|k| points[k][side] * impulse[k]).sum::<Vec3>() / total);
    let slide = b.velocity_at(on_b) - a.velocity_at(on_a);
    let slide = slide - normal * slide.dot(normal);
    let direction = slide.normalize_or_zero();
    let inverse_effective_mass =
        a.inverse_effective_mass(on_a, direction) + b.inverse_effective_mass(on_b, direction);
    if direction != Vec3::ZERO && 0.0 < inverse_effective_mass {
        let stop = slide.length() / inverse_effective_mass;
        let size = stop.min(pair.friction * total);
        // An impulse along this direction removes energy if it is at most `stop`.
        a.apply(direction * size, on_a);
        b.apply(-direction * size, on_b);
        bounce.friction = -direction * size;
    }
    a.store(bodies, slot_a);
    b.store(bodies, slot_b);
    Some(bounce)
}
