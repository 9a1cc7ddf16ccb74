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
    /// Rolling friction, a length: see [`Material::rolling_friction`]. By the rules it is the
    /// larger of the two values. A number that is negative or not finite is ignored.
    ///
    /// [`Material::rolling_friction`]: crate::Material::rolling_friction
    pub rolling_friction: f32,
    /// Spinning friction, a length: see [`Material::spinning_friction`]. By the rules it is the
    /// larger of the two values. A number that is negative or not finite is ignored.
    ///
    /// [`Material::spinning_friction`]: crate::Material::spinning_friction
    pub spinning_friction: f32,
}

impl MixedMaterial {
    /// Returns the material with friction and restitution, and with rolling and spinning friction.
    pub(crate) fn of(
        [friction, restitution]: [f32; 2],
        [rolling_friction, spinning_friction]: [f32; 2],
    ) -> MixedMaterial {
        MixedMaterial { friction, restitution, rolling_friction, spinning_friction }
    }

    /// Returns this material, with the numbers of `old` for those out of their range.
    pub(crate) fn or(self, old: MixedMaterial) -> MixedMaterial {
        let pick = |new: f32, old: f32| if is_amount(new) { new } else { old };
        MixedMaterial {
            friction: pick(self.friction, old.friction),
            restitution: pick(self.restitution, old.restitution),
            rolling_friction: pick(self.rolling_friction, old.rolling_friction),
            spinning_friction: pick(self.spinning_friction, old.spinning_friction),
        }
    }

    /// Returns rolling and spinning friction.
    pub(crate) fn rotation(&self) -> [f32; 2] {
        [self.rolling_friction, self.spinning_friction]
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
