//! Contacts: the input of the solver, and the impulses that it reports.

use carom_geom::{MAX_CONTACTS, Manifold};
use carom_lanes::prefetch;
use carom_math::{Real, Vec3};

/// The contacts of one pair of convex parts of two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct ContactPair {
    /// Index of body A.
    pub body_a: u32,
    /// Index of body B.
    pub body_b: u32,
    /// The manifold in the world frame, with normals from A to B. Contacts at a positive distance
    /// may close within the step, but not overshoot. Parts and features match contacts from step
    /// to step.
    pub manifold: Manifold,
    /// Friction, Coulomb's coefficient of the two surfaces. Not negative; 0 has no friction.
    pub friction: Real,
    /// Restitution: 0 does not bounce, 1 keeps the speed. Not negative; a value above 1 adds
    /// energy.
    pub restitution: Real,
}

impl ContactPair {
    /// Returns a pair with this manifold in the world frame, friction and restitution.
    pub const fn new(
        body_a: u32,
        body_b: u32,
        manifold: Manifold,
        friction: Real,
        restitution: Real,
    ) -> ContactPair {
        ContactPair { body_a, body_b, manifold, friction, restitution }
    }

    fn input(&self) -> ContactInput<'_> {
        let &ContactPair { body_a, body_b, ref manifold, friction, restitution } = self;
        ContactInput { body_a, body_b, manifold, friction, restitution, is_new: false }
    }
}

/// A [`ContactPair`] that refers to its manifold by its index, in a twelfth of the memory.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ContactLink {
    /// Index of body A.
    pub body_a: u32,
    /// Index of body B.
    pub body_b: u32,
    /// Index of the manifold: see [`Contacts::Links`].
    pub manifold: u32,
    /// Friction: see [`ContactPair::friction`].
    pub friction: Real,
    /// Restitution: see [`ContactPair::restitution`].
    pub restitution: Real,
    /// Whether the pair is new: it was in no step since its bodies got their indices. Impulses
    /// cached under these indices belong to removed bodies, and are dropped.
    pub is_new: bool,
}

impl ContactLink {
    /// Returns a pair with the manifold of this index, friction and restitution.
    pub const fn new(
        body_a: u32,
        body_b: u32,
        manifold: u32,
        friction: Real,
        restitution: Real,
    ) -> ContactLink {
        ContactLink { body_a, body_b, manifold, friction, restitution, is_new: false }
    }

    /// Sets [`ContactLink::is_new`].
    #[must_use]
    pub const fn with_new(self, is_new: bool) -> ContactLink {
        ContactLink { is_new, ..self }
    }
}

/// The contacts of a step.
#[derive(Clone, Copy, Debug)]
pub enum Contacts<'a> {
    /// Pairs with their manifolds.
    Pairs(&'a [ContactPair]),
    /// Links to manifolds in two lists. Indices continue from the first list to the second.
    Links(&'a [ContactLink], [&'a [Manifold]; 2]),
}

impl<'a> Contacts<'a> {
    /// Returns the number of contacts.
    pub fn len(&self) -> usize {
        match self {
            Contacts::Pairs(pairs) => pairs.len(),
            Contacts::Links(links, _) => links.len(),
        }
    }

    /// Whether there are no contacts.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the contact has a manifold.
    pub(crate) fn is_whole(&self, k: usize) -> bool {
        match self {
            Contacts::Pairs(_) => true,
            Contacts::Links(links, [first, second]) => {
                (links[k].manifold as usize) < first.len() + second.len()
            }
        }
    }

    /// Returns a contact. Its manifold must exist.
    #[inline]
    pub(crate) fn get(&self, k: usize) -> ContactInput<'a> {
        match *self {
            Contacts::Pairs(pairs) => pairs[k].input(),
            Contacts::Links(links, [first, second]) => {
                let ContactLink { body_a, body_b, manifold: number, friction, restitution, is_new } =
                    links[k];
                let number = number as usize;
                let manifold = first.get(number).unwrap_or_else(|| &second[number - first.len()]);
                ContactInput { body_a, body_b, manifold, friction, restitution, is_new }
            }
        }
    }

    /// Prefetches a contact into the cache, if it exists.
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

/// A view of a contact, for both kinds of input.
#[derive(Clone, Copy)]
pub(crate) struct ContactInput<'a> {
    pub(crate) body_a: u32,
    pub(crate) body_b: u32,
    pub(crate) manifold: &'a Manifold,
    pub(crate) friction: Real,
    pub(crate) restitution: Real,
    pub(crate) is_new: bool,
}

impl ContactInput<'_> {
    pub(crate) fn key(&self) -> PairKey {
        let contacts = self.manifold.contacts();
        let (part_a, part_b) = contacts.first().map_or((0, 0), |c| (c.part_a, c.part_b));
        PairKey { body_a: self.body_a, body_b: self.body_b, part_a, part_b }
    }

    pub(crate) fn is_valid(&self) -> bool {
        // A finite number times zero is zero. This tests all numbers without a branch for each.
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

    /// Returns the first number that makes [`is_valid`](Self::is_valid) false, with its name.
    pub(crate) fn bad_number(&self) -> Option<(&'static str, Real)> {
        for (name, x) in [("friction", self.friction), ("restitution", self.restitution)] {
            if !(0.0..Real::INFINITY).contains(&x) {
                return Some((name, x));
            }
        }
        let vector = |name, v: Vec3| v.to_array().map(|x| (name, x));
        let contacts = self.manifold.contacts().iter().flat_map(|contact| {
            let points = [vector("point_a", contact.point_a), vector("point_b", contact.point_b)];
            points.into_iter().flatten().chain([("distance", contact.distance)])
        });
        vector("normal", self.manifold.normal()).into_iter().chain(contacts).find(|(_, x)| !x.is_finite())
    }
}

/// The key by which a pair is matched in the next step. It also gives the order in which pairs are
/// solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct PairKey {
    pub(crate) body_a: u32,
    pub(crate) body_b: u32,
    pub(crate) part_a: u32,
    pub(crate) part_b: u32,
}

impl PairKey {
    pub(crate) fn bodies(&self) -> [u32; 2] {
        [self.body_a, self.body_b]
    }

    /// Whether the two bodies differ, and both indices are below `n_bodies`.
    pub(crate) fn is_between(&self, n_bodies: usize) -> bool {
        let [a, b] = self.bodies();
        a != b && (a as usize) < n_bodies && (b as usize) < n_bodies
    }
}

/// The impulses of a manifold in the last step, in mass times length per time. Divided by the time
/// step they are the mean forces. After an overflow they are 0.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct ContactImpulse {
    /// The impulse along the normal of each contact of the manifold, in their order. It acts on B,
    /// and its opposite on A.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::null_numbers::impulses"))]
    pub normal: [Real; MAX_CONTACTS],
    /// The impulse of friction of the whole manifold, on B, in the world frame.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::null_numbers::impulse_vector"))]
    pub friction: Vec3,
    /// The angular impulse of friction about the normal, on B.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::null_numbers::impulse"))]
    pub twist: Real,
}

impl ContactImpulse {
    /// Returns the sum of the normal impulses.
    #[inline]
    pub fn total_normal(&self) -> Real {
        self.normal.iter().sum()
    }

    /// Adds the impulses of the same manifold in another part of the step.
    pub(crate) fn add(&mut self, other: &ContactImpulse) {
        self.normal.iter_mut().zip(&other.normal).for_each(|(normal, other)| *normal += other);
        self.friction += other.friction;
        self.twist += other.twist;
    }
}

/// The largest ratio of substep lengths for which cached impulses are used. An impulse is scaled
/// by this ratio, although one that only corrects a velocity should not grow. With a large ratio,
/// scaled impulses would throw bodies away. A change from six substeps to one has a ratio of 6.
const MAX_SUBSTEP_RATIO: Real = 7.0;

/// Returns the factor that scales impulses of a substep of length `from` to length `h`, or 0 if
/// they cannot be used.
pub(crate) fn scale_for(h: Real, from: Real) -> Real {
    if 0.0 < from && h <= MAX_SUBSTEP_RATIO * from { h / from } else { 0.0 }
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
            ContactPair::new(0, 1, manifold, 0.5, 0.0).input().is_valid()
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
