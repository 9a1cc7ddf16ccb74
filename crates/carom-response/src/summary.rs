//! What is to be known of contacts before they are solved.
//!
//! Reference: E. Catto, Simulation Islands and Solver2D, box2d.org, 2023 and 2024.

use crate::contact::{Contacts, PairKey};
use crate::rest::{DEEP_SLOPS, Touch};
use carom_geom::Contact;
use carom_math::Real;

/// What is to be known of a contact before it is solved: small, because it is read often.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Summary {
    pub(crate) key: PairKey,
    /// By the deepest contact.
    pub(crate) touch: Touch,
    /// No more than [`MAX_CONTACTS`](carom_geom::MAX_CONTACTS).
    pub(crate) n_contacts: u8,
    pub(crate) bounces: bool,
    pub(crate) is_new: bool,
}

/// What is true of all contacts that were looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// They are between two bodies that there are, and have good numbers.
    pub(crate) are_good: bool,
    /// They are in the order of their keys, also of the one before, none is empty, and none
    /// bounces.
    pub(crate) are_plain: bool,
}

impl Verdict {
    /// Of nothing.
    pub(crate) const GOOD: Verdict = Verdict { are_good: true, are_plain: true };
    const BAD: Verdict = Verdict { are_good: false, are_plain: false };

    /// Of these and others.
    #[cfg(feature = "parallel")]
    pub(crate) fn and(self, other: Verdict) -> Verdict {
        Verdict { are_good: self.are_good & other.are_good, are_plain: self.are_plain & other.are_plain }
    }
}

/// Writes what is to be known of the contacts from number `first` on, as many as `out` is long.
/// Bodies are numbered below `n_bodies`.
pub(crate) fn summarize(
    contacts: &Contacts<'_>,
    first: usize,
    n_bodies: usize,
    slop: Real,
    out: &mut [Summary],
) -> Verdict {
    let mut all = Verdict::GOOD;
    let mut last = match first.checked_sub(1) {
        Some(before) if contacts.is_whole(before) => contacts.get(before).key(),
        _ => PairKey::default(),
    };
    for (k, out) in (first..).zip(out) {
        if !contacts.is_whole(k) {
            return Verdict::BAD;
        }
        // Several threads leave gaps between their manifolds, at which a processor stops reading
        // ahead.
        contacts.prefetch(k + AHEAD);
        let contact = contacts.get(k);
        all.are_good &= contact.is_between(n_bodies) && contact.is_valid();
        let points = contact.manifold.contacts();
        let (key, bounces) = (contact.key(), 0.0 < contact.restitution);
        all.are_plain &= last <= key && !points.is_empty() && !bounces;
        last = key;
        *out = Summary {
            key,
            touch: touch_of(points, slop),
            n_contacts: points.len() as u8,
            bounces,
            is_new: contact.is_new,
        };
    }
    all
}

/// Two bodies touch if they are no farther apart than the slop.
fn touch_of(points: &[Contact], slop: Real) -> Touch {
    let distance = points.iter().fold(Real::INFINITY, |least, point| least.min(point.distance));
    if distance <= -DEEP_SLOPS * slop {
        Touch::Deep
    } else if distance <= slop {
        Touch::Touching
    } else {
        Touch::Apart
    }
}

/// Of a contact that is not known from the step before.
pub(crate) const NOT_MATCHED: u32 = u32::MAX;

/// So many manifolds ahead are asked for from memory: their order, by colours, is none that it
/// could foresee, and loading a pile of 10,000 boxes took 6.2 milliseconds where it took 2.7 with
/// this. 3 or 8 ahead are as good, 16 a tenth slower.
pub(crate) const AHEAD: usize = 5;
