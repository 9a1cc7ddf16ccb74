//! The arguments of hooks for a pair: its sides, its material, and its contact points.
//!
//! Reference: rapier 0.36, `ContactModificationContext`.

use carom_geom::Contact;

/// One of the two sides of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PairSide {
    /// The body with the smaller number. Normals point away from it.
    A,
    /// The body with the larger number.
    B,
}

impl PairSide {
    /// Returns the other side.
    #[must_use]
    pub const fn other(self) -> PairSide {
        match self {
            PairSide::A => PairSide::B,
            PairSide::B => PairSide::A,
        }
    }
}

/// The material of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct MixedMaterial {
    /// Friction, Coulomb's coefficient. A number that is negative or not finite is ignored.
    pub friction: f32,
    /// Restitution: 0 does not bounce, 1 keeps the speed. A number that is negative or not finite
    /// is ignored.
    pub restitution: f32,
}

impl MixedMaterial {
    /// Returns this material, with the numbers of `old` for those out of their range.
    pub(crate) fn or(self, old: MixedMaterial) -> MixedMaterial {
        let pick = |new: f32, old: f32| if is_amount(new) { new } else { old };
        MixedMaterial {
            friction: pick(self.friction, old.friction),
            restitution: pick(self.restitution, old.restitution),
        }
    }
}

/// A contact point of a manifold, before it is solved.
#[derive(Clone, Copy, Debug)]
pub struct ContactPointMut {
    contact: Contact,
    pub(crate) distance: f32,
    pub(crate) max_normal_impulse: f32,
    pub(crate) is_removed: bool,
}

impl ContactPointMut {
    pub(crate) fn new(contact: &Contact) -> ContactPointMut {
        ContactPointMut {
            contact: *contact,
            distance: contact.distance,
            max_normal_impulse: f32::INFINITY,
            is_removed: false,
        }
    }

    /// Returns the contact as it was found.
    pub fn contact(&self) -> &Contact {
        &self.contact
    }

    /// Sets the distance of the surfaces, negative for an overlap. A number that is not finite is
    /// ignored.
    pub fn set_distance(&mut self, distance: f32) {
        if distance.is_finite() {
            self.distance = distance;
        }
    }

    /// Bounds the normal impulse in this step, in mass times speed. A negative number or NaN is
    /// ignored, and infinity is no bound. With a bound the bodies do not bounce.
    ///
    /// The bound is divided equally among the substeps, so the force is at most this impulse
    /// divided by the step.
    pub fn set_max_normal_impulse(&mut self, max_normal_impulse: f32) {
        if 0.0 <= max_normal_impulse {
            self.max_normal_impulse = max_normal_impulse;
        }
    }

    /// Removes the contact from this step.
    pub fn remove(&mut self) {
        self.is_removed = true;
    }
}

/// Whether a number is not negative, and finite.
fn is_amount(x: f32) -> bool {
    0.0 <= x && x < f32::INFINITY
}
