//! Contacts as the solver takes them, and what it tells about them afterwards.

use carom_geom::{MAX_CONTACTS, Manifold};
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
    /// In the world frame, normal from A to B. Contacts that are apart (positive distance) are kept from closing
    /// within the step. Parts and features of the contacts tell which is which from step to step.
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

/// What a manifold did in the last step, in units of impulse; divide by the time step for the mean force.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct ContactImpulse {
    /// Along the normal, for each contact of the manifold in its order; on B, and the opposite on A.
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
            ContactPair::new(0, 1, manifold, 0.5, 0.0).is_valid()
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
