//! Contacts as the solver takes them, and what it tells about them afterwards.

use carom_geom::{MAX_CONTACTS, Manifold};
use carom_lanes::prefetch;
use carom_math::{Real, Vec3};

/// The contacts of one pair of convex parts of two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct ContactPair {
    /// Number of the body A.
    pub body_a: u32,
    /// Number of the body B.
    pub body_b: u32,
    /// In the world frame, normal from A to B. Contacts that are apart (positive distance) are kept
    /// from closing within the step. Parts and features of the contacts tell which is which from
    /// step to step.
    pub manifold: Manifold,
    /// Coulomb's coefficient of the two surfaces; 0 is ice. Not negative.
    pub friction: Real,
    /// 0 stays, 1 bounces back as fast as it came. Not negative; above 1 makes energy.
    pub restitution: Real,
}

impl ContactPair {
    /// A pair with its manifold in the world frame.
    pub const fn new(
        body_a: u32,
        body_b: u32,
        manifold: Manifold,
        friction: Real,
        restitution: Real,
    ) -> ContactPair {
        ContactPair { body_a, body_b, manifold, friction, restitution }
    }

    fn seen(&self) -> Seen<'_> {
        let &ContactPair { body_a, body_b, ref manifold, friction, restitution } = self;
        Seen { body_a, body_b, manifold, friction, restitution, is_new: false }
    }
}

/// As a [`ContactPair`], but the manifold stands elsewhere and is not copied: a twelfth of the
/// memory.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ContactLink {
    /// Number of the body A.
    pub body_a: u32,
    /// Number of the body B.
    pub body_b: u32,
    /// Number of the manifold: [`Contacts::Links`].
    pub manifold: u32,
    /// As in [`ContactPair`].
    pub friction: Real,
    /// As in [`ContactPair`].
    pub restitution: Real,
    /// It was not given since one of its bodies has this number: what is kept under the numbers is
    /// another one's, and forgotten.
    pub is_new: bool,
}

impl ContactLink {
    /// A pair whose manifold has this number.
    pub const fn new(
        body_a: u32,
        body_b: u32,
        manifold: u32,
        friction: Real,
        restitution: Real,
    ) -> ContactLink {
        ContactLink { body_a, body_b, manifold, friction, restitution, is_new: false }
    }

    /// New, or not.
    #[must_use]
    pub const fn with_new(self, is_new: bool) -> ContactLink {
        ContactLink { is_new, ..self }
    }
}

/// The contacts of a step.
#[derive(Clone, Copy, Debug)]
pub enum Contacts<'a> {
    /// With their manifolds.
    Pairs(&'a [ContactPair]),
    /// Manifolds where their owner keeps them, in two lists; the numbers go on from the first list
    /// to the second.
    Links(&'a [ContactLink], [&'a [Manifold]; 2]),
}

impl<'a> Contacts<'a> {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Contacts::Pairs(pairs) => pairs.len(),
            Contacts::Links(links, _) => links.len(),
        }
    }

    /// There are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The contact has a manifold.
    pub(crate) fn is_whole(&self, k: usize) -> bool {
        match self {
            Contacts::Pairs(_) => true,
            Contacts::Links(links, [first, second]) => {
                (links[k].manifold as usize) < first.len() + second.len()
            }
        }
    }

    /// A contact that is whole.
    #[inline]
    pub(crate) fn get(&self, k: usize) -> Seen<'a> {
        match *self {
            Contacts::Pairs(pairs) => pairs[k].seen(),
            Contacts::Links(links, [first, second]) => {
                let ContactLink { body_a, body_b, manifold: number, friction, restitution, is_new } =
                    links[k];
                let number = number as usize;
                let manifold = first.get(number).unwrap_or_else(|| &second[number - first.len()]);
                Seen { body_a, body_b, manifold, friction, restitution, is_new }
            }
        }
    }

    /// Asks for a contact ahead, if there is one.
    #[inline]
    pub(crate) fn prefetch(&self, k: usize) {
        match *self {
            Contacts::Pairs(pairs) => prefetch(pairs, k),
            Contacts::Links(links, [first, second]) => {
                let Some(link) = links.get(k) else { return };
                let number = link.manifold as usize;
                if number < first.len() {
                    prefetch(first, number);
                } else {
                    prefetch(second, number - first.len());
                }
            }
        }
    }
}

/// A contact, wherever it stands.
#[derive(Clone, Copy)]
pub(crate) struct Seen<'a> {
    pub(crate) body_a: u32,
    pub(crate) body_b: u32,
    pub(crate) manifold: &'a Manifold,
    pub(crate) friction: Real,
    pub(crate) restitution: Real,
    pub(crate) is_new: bool,
}

impl Seen<'_> {
    pub(crate) fn key(&self) -> PairKey {
        let contacts = self.manifold.contacts();
        let (part_a, part_b) = contacts.first().map_or((0, 0), |c| (c.part_a, c.part_b));
        PairKey { body_a: self.body_a, body_b: self.body_b, part_a, part_b }
    }

    /// Of two bodies of so many.
    pub(crate) fn is_between(&self, n_bodies: usize) -> bool {
        let (a, b) = (self.body_a, self.body_b);
        a != b && (a as usize) < n_bodies && (b as usize) < n_bodies
    }

    pub(crate) fn is_valid(&self) -> bool {
        // Zero times a number is zero if it is finite; without a branch for each.
        let mut zero = self.manifold.normal() * 0.0;
        for c in self.manifold.contacts() {
            zero += c.point_a * 0.0 + c.point_b * 0.0 + Vec3::splat(c.distance * 0.0);
        }
        0.0 <= self.friction
            && self.friction.is_finite()
            && 0.0 <= self.restitution
            && self.restitution.is_finite()
            && zero == Vec3::ZERO
    }
}

/// By what a pair is known again in the next step, and the order in which pairs are solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct PairKey {
    pub(crate) body_a: u32,
    pub(crate) body_b: u32,
    pub(crate) part_a: u32,
    pub(crate) part_b: u32,
}

/// What a manifold did in the last step, in units of impulse; divide by the time step for the mean
/// force. What is beyond the numbers is told as 0.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct ContactImpulse {
    /// Along the normal, for each contact of the manifold in its order; on B, and the opposite on
    /// A.
    pub normal: [Real; MAX_CONTACTS],
    /// Friction of the whole manifold, on B, in the world frame.
    pub friction: Vec3,
    /// Friction against turning about the normal, on B.
    pub twist: Real,
}

impl ContactImpulse {
    /// All normal impulses together.
    #[inline]
    pub fn total_normal(&self) -> Real {
        self.normal.iter().sum()
    }
}

/// Impulses are of use for substeps that are at most so many times as long. Some only mend
/// velocities and would be as large in any substep: scaled from a step of a microsecond to one of a
/// sixtieth of a second they threw a stack of ten boxes 500 times as high as it stood; by 8, a
/// fifth higher (November 2026). From six substeps to one they are scaled by 6.
const MOST_LONGER: Real = 7.0;

/// By what impulses of a substep of length `from` are scaled for one of length `h`; 0 where they
/// are of no use.
pub(crate) fn scale_for(h: Real, from: Real) -> Real {
    if 0.0 < from && h <= MOST_LONGER * from { h / from } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use carom_geom::Contact;

    #[test]
    fn every_number_of_a_contact_counts() {
        let valid = |normal: Vec3, a: Vec3, b: Vec3, distance: Real| {
            let mut manifold = Manifold::new(normal);
            manifold.push(Contact::new(Vec3::ONE, Vec3::ONE, Vec3::Y, 0.0));
            manifold.push(Contact::new(a, b, Vec3::Y, distance));
            ContactPair::new(0, 1, manifold, 0.5, 0.0).seen().is_valid()
        };
        let huge = Vec3::splat(Real::MAX);
        assert!(valid(Vec3::Y, huge, -huge, -Real::MAX));
        for bad in [Real::NAN, Real::INFINITY, -Real::INFINITY] {
            for k in 0..3 {
                let mut v = Vec3::ZERO;
                v[k] = bad;
                assert!(
                    !valid(v, huge, huge, 0.0)
                        && !valid(Vec3::Y, v, huge, 0.0)
                        && !valid(Vec3::Y, huge, v, 0.0)
                );
            }
            assert!(!valid(Vec3::Y, huge, huge, bad));
        }
    }
}
