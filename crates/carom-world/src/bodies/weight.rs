//! The source of the mass of a body, stored so that the body may become dynamic later.
//!
//! Reference: B. Mirtich, Fast and Accurate Computation of Polyhedral Mass Properties, Journal of
//! Graphics Tools 1(2), 1996.

use crate::WorldError;
use crate::bodies::checks::{check_finite, check_mass, check_not_negative, check_number};
use carom_geom::MassProperties;
use carom_query::Shape;

/// The source of the mass of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum Weight {
    /// The shape, with this density.
    Density(f32),
    /// Mass properties that the caller set.
    Given(MassProperties),
    /// The colliders, each with its own density.
    Colliders,
    /// The mass that a dynamic body had before its shape changed without its mass, or before it
    /// lost its last collider. The density is that of its collider.
    Kept(MassProperties, f32),
}

impl Weight {
    /// The weight of a number without a body.
    pub(crate) const NONE: Weight = Weight::Density(0.0);

    /// Returns the density of the only collider of a body. It has no effect on a given mass.
    pub(crate) fn density(&self) -> f32 {
        match *self {
            Weight::Density(density) | Weight::Kept(_, density) => density,
            Weight::Given(_) | Weight::Colliders => 1.0,
        }
    }

    /// Returns mass, centre and inertia of a body of this shape.
    ///
    /// Errors: those of [`Weight::checked`].
    pub(crate) fn of(&self, shape: &Shape) -> Result<MassProperties, WorldError> {
        let mass = match *self {
            Weight::Density(density) => shape.mass_properties(density),
            Weight::Given(mass) | Weight::Kept(mass, _) => mass,
            Weight::Colliders => MassProperties::ZERO,
        };
        self.checked(mass)
    }

    /// Returns the mass if a dynamic body can have it.
    ///
    /// Errors: a number that was given and is out of its range, or [`WorldError::NoMass`].
    pub(crate) fn checked(&self, mass: MassProperties) -> Result<MassProperties, WorldError> {
        let checked = check_properties(&mass);
        match self {
            Weight::Given(_) | Weight::Kept(..) => checked?,
            Weight::Density(_) | Weight::Colliders => checked.map_err(|_| WorldError::NoMass)?,
        }
        Ok(mass)
    }

    /// Refuses a number that is out of its range, even if the body is not dynamic.
    pub(crate) fn check(&self) -> Result<(), WorldError> {
        match self {
            Weight::Density(density) => check_not_negative(*density, "density"),
            Weight::Given(mass) => {
                check_number(mass.mass, "mass")?;
                check_center_and_inertia(mass)
            }
            Weight::Kept(mass, density) => {
                check_not_negative(*density, "density")?;
                check_properties(mass)
            }
            Weight::Colliders => Ok(()),
        }
    }

    /// Whether all numbers are valid.
    pub(crate) fn is_sound(&self) -> bool {
        self.check().is_ok()
    }
}

/// Refuses mass properties that a dynamic body cannot have.
fn check_properties(mass: &MassProperties) -> Result<(), WorldError> {
    check_mass(mass.mass)?;
    check_center_and_inertia(mass)
}

fn check_center_and_inertia(mass: &MassProperties) -> Result<(), WorldError> {
    check_finite(mass.center, "center of mass")?;
    mass.inertia.to_cols_array().into_iter().try_for_each(|x| check_number(x, "inertia"))
}
