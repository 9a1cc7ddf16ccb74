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

use crate::bodies::active::ActiveBodies;
use crate::bodies::free::{delta_rotation, displacement, motion, set_motion};
use crate::bodies::mass::held_center;
use crate::bodies::states::BodyStates;
use crate::contacts::contact::{ContactImpulse, ContactInput};
use crate::contacts::step_contacts::StepContacts;
use crate::impulses::rows::acts_on_surfaces;
use crate::step::context::StepContext;
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

/// The time within a step at which bodies bounce.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    /// Time since the start of the step.
    pub(crate) elapsed: Real,
    /// Whether the velocities include the forces of the substep and its warm start.
    pub(crate) has_forces: bool,
}

/// The bounces of a step: the contacts that may bounce, and their bodies.
pub(crate) struct Bounces<'a> {
    pub(crate) context: &'a StepContext<'a>,
    pub(crate) contacts: &'a StepContacts,
    pub(crate) active: &'a ActiveBodies,
    pub(crate) bodies: &'a mut BodyStates,
    /// The impulses of all bounces of the step, by contact, in the order in which they happened.
    pub(crate) impulses: &'a mut Vec<(u32, ContactImpulse)>,
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
    fn new(bodies: &BodyStates, slot: usize, moment: Moment) -> ImpactBody {
        let (state, mass) = (&bodies.states[slot], &bodies.masses[slot]);
        let (v, w) = motion(state);
        let turn = delta_rotation(state);
        let [by_forces, free_v, free_w] = bodies.free[slot].substep();
        ImpactBody {
            v: if moment.has_forces { free_v - by_forces } else { v },
            w: if moment.has_forces { free_w } else { w },
            change_v: Vec3::ZERO,
            change_w: Vec3::ZERO,
            by_forces,
            by_contacts: v - free_v,
            inverse_mass: mass.inverse_mass,
            inverse_inertia: mass.inertia_matrix(),
            center: mass.center,
            shift: displacement(state),
            turn: (turn.xyz(), turn.w),
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

    /// Returns the length by which rotation closes a contact in the time `ahead`. It is at most
    /// what the lever allows. `outwards` is the unit normal that points to this body.
    fn closing_by_rotation(&self, point: Vec3, outwards: Vec3, ahead: Real) -> Real {
        let lever = self.lever(point);
        let closing = -self.w.cross(lever).dot(outwards) * ahead;
        closing.min(lever.length() + lever.dot(outwards))
    }

    /// Returns the change of the velocity along `direction` in a substep. It is the change by
    /// forces, plus that by contacts as far as it cancels the forces. A larger change by contacts
    /// is a collision of the substep before.
    fn gain_along(&self, direction: Vec3) -> Real {
        let (force, held) = (self.by_forces.dot(direction), self.by_contacts.dot(direction));
        force + held.clamp(Real::min(-force, 0.0), Real::max(-force, 0.0))
    }

    /// Adds the changes to the velocities, and to the velocities before contacts.
    fn store(&self, bodies: &mut BodyStates, slot: usize) {
        let state = &mut bodies.states[slot];
        let (v, w) = motion(state);
        set_motion(state, v + self.change_v, w + self.change_w);
        bodies.free[slot].push(self.change_v, self.change_w);
    }
}

impl Bounces<'_> {
    /// Applies restitution.
    pub(crate) fn apply(&mut self, moment: Moment) {
        for _ in 0..MAX_SWEEPS {
            let mut any = false;
            for &contact in &self.contacts.bouncing {
                let pair = self.context.contacts.get(contact as usize);
                if 0.0 < pair.restitution {
                    let bounce = self.bounce(contact, &pair, moment);
                    any |= bounce.is_some();
                    self.impulses.extend(bounce.map(|impulse| (contact, impulse)));
                }
            }
            if !any {
                return;
            }
        }
    }

    /// Applies the bounce of a contact, if there is one. Returns its impulses.
    fn bounce(&mut self, contact: u32, pair: &ContactInput<'_>, moment: Moment) -> Option<ContactImpulse> {
        let details = &self.contacts.details;
        let slots = [pair.body_a, pair.body_b].map(|body| self.active.slot(body));
        let normal = pair.manifold.normal();
        let [mut a, mut b] = slots.map(|slot| ImpactBody::new(self.bodies, slot, moment));
        let mass_scales = details.settings(contact).map_or([1.0; 2], |found| found.mass_scales);
        for (body, scale) in [&mut a, &mut b].into_iter().zip(mass_scales) {
            body.inverse_mass *= 1.0 / scale;
            body.inverse_inertia *= 1.0 / scale;
        }
        let gain = b.gain_along(normal) - a.gain_along(normal);
        if let Some(surface) = details.surface(contact) {
            // The whole body B gets the velocity of the surface. This is not stored, because
            // `store` writes only changes.
            let velocity = surface.mean_velocity(normal, pair.manifold.contacts().len());
            b.v += velocity;
            b.shift += normal * (velocity.dot(normal) * moment.elapsed);
        }
        let mut impact = Impact { normal, gain, a, b, points: [ImpactPoint::NONE; MAX_CONTACTS], n: 0 };
        if !self.find_points(&mut impact, contact, pair) {
            return None;
        }
        impact.solve_normals();
        let impulse = impact.impulse(pair.friction)?;
        impact.a.store(self.bodies, slots[0]);
        impact.b.store(self.bodies, slots[1]);
        Some(impulse)
    }

    /// Finds the points that close within the look-ahead, and their speeds after the bounce.
    /// Returns whether one of them bounces.
    fn find_points(&self, impact: &mut Impact, contact: u32, pair: &ContactInput<'_>) -> bool {
        let StepContext { settings, h, .. } = self.context;
        let threshold = settings.restitution_threshold * settings.length_unit;
        let slop = settings.slop_length();
        let details = &self.contacts.details;
        let is_at_impact = details.is_at_impact(contact);
        let Impact { normal, gain, a, b, .. } = *impact;
        let slots = [pair.body_a, pair.body_b].map(|body| self.active.slot(body));
        let masses = slots.map(|slot| &self.bodies.masses[slot]);
        let held =
            held_center(masses, normal, pair.manifold.contacts(), slop).map(|side| masses[side].center);
        let rolled = details.round(contact).map(|round| {
            let by = |side, body: &ImpactBody| round.rolled(side, normal, body.turned_back(normal));
            (round, [by(0, &a), by(1, &b)])
        });
        let ahead = BOUNCE_LOOK_AHEAD * h;
        let mut bounces = false;
        for (number, c) in pair.manifold.contacts().iter().enumerate() {
            let ends = match held {
                Some(center) => [center; 2],
                None if is_at_impact || acts_on_surfaces(masses, normal, c, slop) => [c.point_a, c.point_b],
                None => [(c.point_a + c.point_b) * 0.5; 2],
            };
            let speed = (b.velocity_at(ends[1]) - a.velocity_at(ends[0])).dot(normal);
            let distance = c.distance
                + (b.shift_at(c.point_b) - a.shift_at(c.point_a)).dot(normal)
                + rolled.map_or(0.0, |(round, [by_a, by_b])| {
                    round.radius[0][number] * by_a + round.radius[1][number] * by_b
                });
            // Rotation closes the contact by no more than the lever allows.
            let closing = ((a.v - b.v).dot(normal) - gain.min(0.0)) * ahead
                + a.closing_by_rotation(ends[0], -normal, ahead)
                + b.closing_by_rotation(ends[1], normal, ahead);
            if !(distance <= closing) {
                continue;
            }
            let inverse_effective_mass =
                a.inverse_effective_mass(ends[0], normal) + b.inverse_effective_mass(ends[1], normal);
            if !(0.0 < inverse_effective_mass) {
                return false;
            }
            let after = speed_after(speed, gain, (distance, *h), pair.restitution, threshold);
            bounces |= after.is_some();
            impact.points[impact.n] = ImpactPoint {
                number,
                ends,
                target: after.unwrap_or(speed.min(0.0)),
                mass: 1.0 / inverse_effective_mass,
                impulse: 0.0,
            };
            impact.n += 1;
        }
        bounces
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

/// A contact point that closes during a collision.
#[derive(Clone, Copy)]
struct ImpactPoint {
    /// The index of the contact in its manifold.
    number: usize,
    /// The points of A and of B. They differ only for a contact at an impact, and for one far from
    /// a body that cannot be pushed.
    ends: [Vec3; 2],
    /// The speed along the normal after the bounce.
    target: Real,
    /// Effective mass along the normal.
    mass: Real,
    impulse: Real,
}

impl ImpactPoint {
    const NONE: ImpactPoint =
        ImpactPoint { number: 0, ends: [Vec3::ZERO; 2], target: 0.0, mass: 0.0, impulse: 0.0 };

    /// Returns the speed at which the two points separate along the normal.
    fn speed(&self, [a, b]: [&ImpactBody; 2], normal: Vec3) -> Real {
        (b.velocity_at(self.ends[1]) - a.velocity_at(self.ends[0])).dot(normal)
    }
}

/// The collision of two bodies at the points of a manifold.
struct Impact {
    normal: Vec3,
    /// Change of the relative velocity along the normal in a substep.
    gain: Real,
    a: ImpactBody,
    b: ImpactBody,
    points: [ImpactPoint; MAX_CONTACTS],
    n: usize,
}

impl Impact {
    fn apply(&mut self, [on_a, on_b]: [Vec3; 2], impulse: Vec3) {
        self.a.apply(-impulse, on_a);
        self.b.apply(impulse, on_b);
    }

    /// Finds normal impulses that give all points their target speeds, and applies them.
    fn solve_normals(&mut self) {
        let before = (self.a, self.b);
        for _ in 0..GAUSS_SEIDEL_ITERATIONS {
            let mut change_all = 0.0;
            for k in 0..self.n {
                let point = self.points[k];
                let speed = point.speed([&self.a, &self.b], self.normal);
                let new = Real::max(point.impulse + (point.target - speed) * point.mass, 0.0);
                let change = new - point.impulse;
                self.points[k].impulse = new;
                self.apply(point.ends, self.normal * change);
                change_all += change.abs();
            }
            if change_all == 0.0 {
                break;
            }
        }
        // After the last iteration a contact may still separate too fast, which would add energy.
        // The impulses are scaled by the ratio of the target work to the actual work.
        let points = &self.points[..self.n];
        let start = |point: &ImpactPoint| point.speed([&before.0, &before.1], self.normal);
        let end = |point: &ImpactPoint| point.speed([&self.a, &self.b], self.normal);
        let target_work: Real = points.iter().map(|p| p.impulse * (p.target - start(p))).sum();
        let actual_work: Real = points.iter().map(|p| p.impulse * (end(p) - start(p))).sum();
        if target_work < actual_work && 0.0 < target_work {
            (self.a, self.b) = before;
            for k in 0..self.n {
                self.points[k].impulse *= target_work / actual_work;
                let point = self.points[k];
                self.apply(point.ends, self.normal * point.impulse);
            }
        }
    }

    /// Applies friction. Returns all impulses; `None` if there is none along the normal.
    fn impulse(&mut self, friction: Real) -> Option<ContactImpulse> {
        let points = &self.points[..self.n];
        let total: Real = points.iter().map(|point| point.impulse).sum();
        if !(0.0 < total) {
            return None;
        }
        let mut bounce = ContactImpulse::default();
        points.iter().for_each(|point| bounce.normal[point.number] = point.impulse);
        // Friction acts at the centre of pressure.
        let center = |side: usize| points.iter().map(|p| p.ends[side] * p.impulse).sum::<Vec3>() / total;
        let [on_a, on_b] = [center(0), center(1)];
        let slide = self.b.velocity_at(on_b) - self.a.velocity_at(on_a);
        let slide = slide - self.normal * slide.dot(self.normal);
        let direction = slide.normalize_or_zero();
        let inverse_effective_mass =
            self.a.inverse_effective_mass(on_a, direction) + self.b.inverse_effective_mass(on_b, direction);
        if direction != Vec3::ZERO && 0.0 < inverse_effective_mass {
            let stop = slide.length() / inverse_effective_mass;
            // An impulse along this direction removes energy if it is at most `stop`.
            let size = stop.min(friction * total);
            bounce.friction = -direction * size;
            self.apply([on_a, on_b], bounce.friction);
        }
        Some(bounce)
    }
}
