//! What gives a body its mass, kept so that it may become dynamic later.
//!
//! Reference: B. Mirtich, Fast and Accurate Computation of Polyhedral Mass Properties, Journal of
//! Graphics Tools 1(2), 1996.

use crate::WorldError;
use carom_geom::MassProperties;
use carom_query::Shape;

/// Where the mass of a body comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum Weight {
    /// From its shape, of this density.
    Density(f32),
    /// Given by the caller.
    Given(MassProperties),
    /// From its colliders, each of its own density.
    Colliders,
}

impl Weight {
    /// Of a number that no body has.
    pub(crate) const NONE: Weight = Weight::Density(0.0);

    /// Mass, centre and inertia of a body of this shape.
    ///
    /// Errors: [`WorldError::NoMass`] if a dynamic body cannot have them.
    pub(crate) fn of(&self, shape: &Shape) -> Result<MassProperties, WorldError> {
        let mass = match *self {
            Weight::Density(density) => shape.mass_properties(density),
            Weight::Given(mass) => mass,
            Weight::Colliders => MassProperties::ZERO,
        };
        self.checked(mass)
    }

    /// Returns the mass if a dynamic body can have it.
    ///
    /// Errors: [`WorldError::NoMass`] if not.
    pub(crate) fn checked(&self, mass: MassProperties) -> Result<MassProperties, WorldError> {
        let is_amount = 0.0 < mass.mass && mass.mass < f32::INFINITY && (1.0 / mass.mass).is_finite();
        let is_mass =
            is_amount && 1.0 / mass.mass != 0.0 && mass.center.is_finite() && mass.inertia.is_finite();
        if is_mass { Ok(mass) } else { Err(WorldError::NoMass) }
    }

    /// No number that a snapshot should not have.
    pub(crate) fn is_sound(&self) -> bool {
        match self {
            Weight::Density(density) => 0.0 <= *density && *density < f32::INFINITY,
            Weight::Given(mass) => {
                mass.mass.is_finite() && mass.center.is_finite() && mass.inertia.is_finite()
            }
            Weight::Colliders => true,
        }
    }
}
