//! Bounces: what approaches fast and would touch within the step is reflected first, pair after pair.
//!
//! Each manifold with restitution is one collision: the normal velocities of its contacts become -e times what they
//! were, by impulses that push only, found by Gauss-Seidel; then Coulomb friction. The manifolds are gone through
//! until none approaches faster than the threshold, so a blow travels through a row of balls one by one, as in Newton's
//! cradle. What still approaches slower than the threshold is stopped by the contact solver.
//!
//! Reference: B. Mirtich, J. Canny, Impulse-based Simulation of Rigid Bodies, I3D 1995; J. J. Moreau, Unilateral
//! Contact and Dry Friction in Finite Freedom Dynamics, 1988 (Newton's law for several contacts at once).
//! Differs: a friction impulse that would raise the energy of the two bodies is left out.

use crate::contact::{Contacts, Seen};
use crate::lane_vec::State;
use crate::settings::SolverSettings;
use crate::solver::MassData;
use carom_geom::MAX_CONTACTS;
use carom_math::{Mat3, Real, Vec3};

/// How often all manifolds are gone through at most.
const MAX_SWEEPS: usize = 32;

/// Gauss-Seidel rounds over the contacts of one manifold.
const ROUNDS: usize = 12;

/// One body during a collision.
#[derive(Clone, Copy)]
struct Half {
    v: Vec3,
    w: Vec3,
    inverse_mass: Real,
    inverse_inertia: Mat3,
    center: Vec3,
    /// Contacts push its centre.
    is_held: bool,
}

impl Half {
    fn new(state: &State, mass: &MassData) -> Half {
        let m = &state.front;
        Half {
            v: Vec3::new(m[0], m[1], m[2]),
            w: Vec3::new(m[3], m[4], m[5]),
            inverse_mass: mass.inverse_mass,
            inverse_inertia: mass.inertia_matrix(),
            center: mass.center,
            is_held: false,
        }
    }

    fn apply(&mut self, impulse: Vec3, point: Vec3) {
        self.v += impulse * self.inverse_mass;
        self.w += self.inverse_inertia * self.lever(point).cross(impulse);
    }

    fn lever(&self, point: Vec3) -> Vec3 {
        if self.is_held { Vec3::ZERO } else { point - self.center }
    }

    fn velocity_at(&self, point: Vec3) -> Vec3 {
        self.v + self.w.cross(self.lever(point))
    }

    /// One over the mass that an impulse along `direction` at `point` feels.
    fn felt(&self, point: Vec3, direction: Vec3) -> Real {
        let turn = self.lever(point).cross(direction);
        self.inverse_mass + turn.dot(self.inverse_inertia * turn)
    }

    /// The energy gained by an impulse is its product with the mean velocity of where it acts.
    fn store(&self, state: &mut State) {
        let m = &mut state.front;
        [m[0], m[1], m[2]] = self.v.to_array();
        [m[3], m[4], m[5]] = self.w.to_array();
    }
}

/// Lets bodies bounce. `active` numbers the contacts that count, in the order in which they are solved; `slots` gives
/// for each body the place of its state, and `masses` has a place for what cannot move.
pub(crate) fn bounce_all(
    contacts: &Contacts<'_>,
    active: &[u32],
    slots: impl Fn(u32) -> usize,
    masses: &[MassData],
    states: &mut [State],
    settings: &SolverSettings,
    ahead: Real,
) {
    for _ in 0..MAX_SWEEPS {
        let mut any = false;
        for &contact in active {
            let pair = contacts.get(contact as usize);
            if 0.0 < pair.restitution {
                let (a, b) = (slots(pair.body_a), slots(pair.body_b));
                any |= bounce_one(&pair, a, b, masses, states, settings, ahead);
            }
        }
        if !any {
            return;
        }
    }
}

fn bounce_one(
    pair: &Seen<'_>,
    slot_a: usize,
    slot_b: usize,
    masses: &[MassData],
    states: &mut [State],
    settings: &SolverSettings,
    ahead: Real,
) -> bool {
    let threshold = settings.restitution_threshold * settings.length_unit;
    let normal = pair.manifold.normal();
    let mut a = Half::new(&states[slot_a], &masses[slot_a]);
    let mut b = Half::new(&states[slot_b], &masses[slot_b]);
    let mut points = [Vec3::ZERO; MAX_CONTACTS];
    let mut targets = [0.0; MAX_CONTACTS];
    let mut mass = [0.0; MAX_CONTACTS];
    let mut n = 0;
    let mut fast = false;
    let slop = settings.slop * settings.length_unit;
    for c in pair.manifold.contacts() {
        let point = (c.point_a + c.point_b) * 0.5;
        for (half, slot, outwards) in [(&mut a, slot_a, -normal), (&mut b, slot_b, normal)] {
            half.is_held |= masses[slot].is_held_at_center(point - half.center, outwards, c.distance, slop);
        }
    }
    for c in pair.manifold.contacts() {
        let point = (c.point_a + c.point_b) * 0.5;
        let speed = (b.velocity_at(point) - a.velocity_at(point)).dot(normal);
        // Touching, or so within the time looked ahead. By turning a body comes nearer by no more than its lever allows.
        let by_turning = |half: &Half, outwards: Vec3| {
            let lever = half.lever(point);
            let closing = -half.w.cross(lever).dot(outwards) * ahead;
            closing.min(lever.length() + lever.dot(outwards))
        };
        let closing = (a.v - b.v).dot(normal) * ahead + by_turning(&a, -normal) + by_turning(&b, normal);
        if !(c.distance <= closing) {
            continue;
        }
        let felt = a.felt(point, normal) + b.felt(point, normal);
        if !(0.0 < felt) {
            return false;
        }
        fast |= speed < -threshold;
        points[n] = point;
        targets[n] = if speed < -threshold { -pair.restitution * speed } else { speed.min(0.0) };
        mass[n] = 1.0 / felt;
        n += 1;
    }
    if !fast {
        return false;
    }
    let mut impulse = [0.0; MAX_CONTACTS];
    for _ in 0..ROUNDS {
        let mut change_all = 0.0;
        for k in 0..n {
            let speed = (b.velocity_at(points[k]) - a.velocity_at(points[k])).dot(normal);
            let new = Real::max(impulse[k] + (targets[k] - speed) * mass[k], 0.0);
            let change = new - impulse[k];
            impulse[k] = new;
            a.apply(-normal * change, points[k]);
            b.apply(normal * change, points[k]);
            change_all += change.abs();
        }
        if change_all == 0.0 {
            break;
        }
    }
    let total: Real = impulse.iter().sum();
    if !(0.0 < total) {
        return false;
    }
    // Friction where the impulses press.
    let center = (0..n).map(|k| points[k] * impulse[k]).sum::<Vec3>() / total;
    let slide = b.velocity_at(center) - a.velocity_at(center);
    let slide = slide - normal * slide.dot(normal);
    let direction = slide.normalize_or_zero();
    let felt = a.felt(center, direction) + b.felt(center, direction);
    if direction != Vec3::ZERO && 0.0 < felt {
        let stop = slide.length() / felt;
        let size = stop.min(pair.friction * total);
        // Along a fixed direction an impulse up to `stop` takes energy; no more is given.
        a.apply(direction * size, center);
        b.apply(-direction * size, center);
    }
    a.store(&mut states[slot_a]);
    b.store(&mut states[slot_b]);
    true
}
