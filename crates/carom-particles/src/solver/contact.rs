//! Particles that touch: grains, and the particles of solids, among each other and with liquids.
//!
//! - A contact pushes two particles apart to the distance at rest, and not together. The sum of
//!   its pushes over the iterations of a substep stays at least 0, so a push may be taken back.
//! - Friction reverses the sliding of the pair in the substep, by at most the coefficient times
//!   the sum of pushes (Coulomb).
//! - All contacts are solved at once from the same positions. The mass of each particle is divided
//!   among its contacts, so that their sum does not overshoot. Both sides of a pair get opposite
//!   pushes.
//!
//! Reference: M. Macklin et al., Unified Particle Physics, 2014, 6.1; R. Tonge, F. Benevolenski,
//! A. Voroshilov, Mass Splitting for Jitter-Free Parallel Rigid Body Simulation, ACM Transactions
//! on Graphics 31(4), 2012.
//! Differs: mass splitting instead of an average, which does not conserve momentum.

use crate::parting::parting;
use crate::solver::group::{Group, Phase};
use crate::solver::rows::Rows;
use crate::solver::store::{Row, Store, vector};
use alloc::vec::Vec;
use carom_math::ops::sqrt;
use carom_math::tol;
use glam::Vec3;

/// Contacts are kept for pairs up to this many distances at rest apart.
const MARGIN: f32 = 1.25;

/// A contact counts as one that pushes up to this many distances at rest.
const TOUCHING: f32 = 1.02;

/// One side of a pair, with sums over the iterations.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contact {
    pub(crate) other: u32,
    /// The distance at which they rest: the sum of the radii.
    spacing: f32,
    /// Sum of pushes along the normal, in mass times length.
    pub(crate) push: f32,
    /// Sum of friction.
    pub(crate) friction: Vec3,
}

/// The contacts of all slots.
#[derive(Clone, Debug, Default)]
pub(crate) struct Contacts {
    /// The start of the contacts of each slot, and the end of the last.
    pub(crate) starts: Vec<u32>,
    pub(crate) all: Vec<Contact>,
    /// Among how many contacts each slot is divided.
    shares: Vec<f32>,
}

impl Contacts {
    /// Finds the pairs that touch, or may soon.
    pub(crate) fn find(&mut self, store: &Store, rows: Rows<'_>) {
        self.starts.clear();
        self.all.clear();
        self.shares.clear();
        self.starts.push(0);
        let largest = store.groups.iter().map(|group| group.radius).fold(0.0, f32::max);
        for slot in 0..store.len() {
            let (own, radius) = (vector(&store.predicted[slot]), store.radius(slot));
            let reach = MARGIN * (radius + largest);
            let mut share = 0;
            for &other in rows.of(slot) {
                let position = vector(&store.predicted[other as usize]);
                let distance_sq = own.distance_squared(position);
                if !(distance_sq < reach * reach && may_touch(store, slot, other as usize)) {
                    continue;
                }
                let spacing = radius + store.radius(other as usize);
                let [near, touching] = [MARGIN * spacing, TOUCHING * spacing];
                if distance_sq < near * near {
                    share += u32::from(distance_sq < touching * touching);
                    self.all.push(Contact { other, spacing, push: 0.0, friction: Vec3::ZERO });
                }
            }
            self.starts.push(self.all.len() as u32);
            self.shares.push(share.max(1) as f32);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns the start of the contacts of a slot.
    pub(crate) fn start(&self, slot: usize) -> usize {
        self.starts[slot] as usize
    }
}

/// The data that a pass over contacts reads.
#[derive(Clone, Copy)]
pub(crate) struct ContactPass<'a> {
    pub(crate) store: &'a Store,
    pub(crate) starts: &'a [u32],
    pub(crate) shares: &'a [f32],
}

impl Contacts {
    /// Returns the parts of a pass: the data that it reads, and the contacts, which it changes.
    pub(crate) fn pass<'a>(&'a mut self, store: &'a Store) -> (ContactPass<'a>, &'a mut [Contact]) {
        (ContactPass { store, starts: &self.starts, shares: &self.shares }, &mut self.all)
    }
}

impl ContactPass<'_> {
    /// Finds the corrections of slots from `first` on. `contacts` are theirs.
    pub(crate) fn run(&self, first: usize, contacts: &mut [Contact], out: &mut [Row]) {
        let offset = self.starts[first];
        for (slot, out) in (first..).zip(out) {
            let [start, end] = [self.starts[slot] - offset, self.starts[slot + 1] - offset];
            let mut sum = Vec3::ZERO;
            if 0.0 < self.store.predicted[slot][3] || start != end {
                for contact in &mut contacts[start as usize..end as usize] {
                    sum += self.push(slot, contact);
                }
            }
            *out = (sum * self.store.predicted[slot][3]).extend(0.0).to_array();
        }
    }

    /// The push of a contact on its slot, in mass times length.
    #[inline]
    fn push(&self, slot: usize, contact: &mut Contact) -> Vec3 {
        let (store, other, spacing) = (self.store, contact.other as usize, contact.spacing);
        let [a, b] = [&store.predicted[slot], &store.predicted[other]];
        let difference = vector(a) - vector(b);
        let distance_sq = difference.length_squared();
        if spacing * spacing <= distance_sq && contact.push == 0.0 {
            return Vec3::ZERO;
        }
        let softness = a[3] * self.shares[slot] + b[3] * self.shares[other];
        if !(0.0 < softness) {
            // Both are held in their places.
            return Vec3::ZERO;
        }
        let distance = sqrt(distance_sq);
        let normal = if spacing * tol::COINCIDENT_PARTICLES < distance {
            difference / distance
        } else {
            parting(slot as u32, contact.other)
        };
        let before = contact.push;
        contact.push = (before + (spacing - distance) / softness).max(0.0);
        let mut push = normal * (contact.push - before);
        let (of_slot, of_other) = (store.group(slot), store.group(other));
        let friction = Friction::of(of_slot, of_other);
        if 0.0 < friction.at_rest {
            let slid =
                (vector(a) - vector(&store.positions[slot])) - (vector(b) - vector(&store.positions[other]));
            let along = slid - normal * slid.dot(normal);
            let wanted = contact.friction - along / softness;
            let held = friction.limit(wanted, contact.push);
            push += held - contact.friction;
            contact.friction = held;
        }
        push
    }
}

/// Coefficients of friction of a pair: the geometric means.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Friction {
    pub(crate) at_rest: f32,
    pub(crate) sliding: f32,
}

impl Friction {
    pub(crate) fn of(a: &Group, b: &Group) -> Friction {
        // Most contacts are within a group, and need no roots.
        if core::ptr::eq(a, b) {
            return Friction { at_rest: a.static_friction, sliding: a.friction };
        }
        Friction {
            at_rest: sqrt(a.static_friction * b.static_friction),
            sliding: sqrt(a.friction * b.friction),
        }
    }

    /// Returns the friction that a push can hold: all that is wanted, up to the static limit.
    /// Above it, the sliding coefficient times the push.
    #[inline]
    pub(crate) fn limit(&self, wanted: Vec3, push: f32) -> Vec3 {
        let wanted_sq = wanted.length_squared();
        let limit = self.at_rest * push;
        if wanted_sq <= limit * limit {
            return wanted;
        }
        wanted * (self.sliding * push / sqrt(wanted_sq))
    }
}

/// Whether two particles may touch, by their phases.
fn may_touch(store: &Store, slot: usize, other: usize) -> bool {
    let (a, b) = (store.phases[slot], store.phases[other]);
    if a.is_fluid() && b.is_fluid() {
        return false;
    }
    if a.group() != b.group() {
        return true;
    }
    if a.0 & Phase::SELF == 0 {
        return false;
    }
    let rest = |slot: usize| store.rest[store.solids[slot] as usize];
    let spacing = 2.0 * store.radius(slot);
    a.0 & Phase::RESTS == 0 || spacing * spacing <= rest(slot).distance_squared(rest(other))
}
