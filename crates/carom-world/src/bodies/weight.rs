//! The source of the mass of a body, stored so that the body may become dynamic later.
//!
//! Reference: B. Mirtich, Fast and Accurate Computation of Polyhedral Mass Properties, Journal of
//! Graphics Tools 1(2), 1996.

use crate::bodies::checks::{check_finite, check_mass, check_not_negative, check_number};
use crate::bodies::collider::ColliderDesc;
use crate::{MassFault, WorldError};
use alloc::vec::Vec;
use carom_geom::MassProperties;
use carom_query::Shape;

/// The source of the mass of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum Weight {
    /// The shape, with this density.
    Density(f32),
    /// Mass properties that the caller set. The density is that of its only collider; it counts
    /// again when the mass comes from the colliders.
    Given(MassProperties, f32),
    /// The colliders, each with its own density.
    Colliders,
    /// The mass that a dynamic body had before its shape changed without its mass, or before it
    /// lost its last collider. The density is that of its collider.
    Kept(MassProperties, f32),
}

impl Weight {
    /// The weight of a number without a body.
    pub(crate) const NONE: Weight = Weight::Density(0.0);

    /// Returns the density of the only collider of a body. A body of several colliders has none.
    pub(crate) fn density(&self) -> f32 {
        match *self {
            Weight::Density(density) | Weight::Given(_, density) | Weight::Kept(_, density) => density,
            Weight::Colliders => ColliderDesc::DEFAULT_DENSITY,
        }
    }

    /// Returns mass, centre and inertia of a body of this shape.
    ///
    /// Errors: a number that was given and is out of its range, or [`WorldError::NoMass`].
    pub(crate) fn of(&self, shape: &Shape) -> Result<MassProperties, WorldError> {
        match *self {
            Weight::Density(density) => checked(shape.mass_properties(density), &[(shape, density)]),
            Weight::Given(mass, _) | Weight::Kept(mass, _) => {
                check_properties(&mass)?;
                Ok(mass)
            }
            // Only a body of several colliders has it.
            Weight::Colliders => Err(WorldError::NoMass(MassFault::NoCollider)),
        }
    }

    /// Refuses a number that is out of its range, even if the body is not dynamic.
    pub(crate) fn check(&self) -> Result<(), WorldError> {
        match self {
            Weight::Density(density) => check_not_negative(*density, "density"),
            Weight::Given(mass, density) => {
                check_not_negative(*density, "density")?;
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

/// Returns the mass of a body whose colliders have these shapes and densities, if a dynamic body
/// can have it.
///
/// Errors: [`WorldError::NoMass`].
pub(crate) fn checked(
    mass: MassProperties,
    colliders: &[(&Shape, f32)],
) -> Result<MassProperties, WorldError> {
    if colliders
        .iter()
        .any(|(shape, density)| 0.0 < *density && parts_of(shape).iter().any(|part| is_open(part)))
    {
        return Err(WorldError::NoMass(MassFault::OpenMesh));
    }
    check_properties(&mass).map_err(|_| WorldError::NoMass(fault_of(colliders)))?;
    Ok(mass)
}

/// Whether a shape is a mesh whose inside is not known, and so neither is its mass.
fn is_open(shape: &Shape) -> bool {
    matches!(shape, Shape::Mesh(mesh) if mesh.ambiguity().is_some())
}

/// Returns why these shapes and densities give no mass.
fn fault_of(colliders: &[(&Shape, f32)]) -> MassFault {
    let shapes = || colliders.iter().flat_map(|(shape, _)| parts_of(shape));
    let volume_of = |shape: &Shape| shape.mass_properties(1.0).mass;
    if colliders.is_empty() {
        MassFault::NoCollider
    } else if shapes().any(|shape| matches!(shape, Shape::HalfSpace(_))) {
        MassFault::Unbounded
    } else if colliders.iter().all(|(_, density)| *density == 0.0) {
        MassFault::NoDensity
    } else if shapes().any(|shape| volume_of(shape) < 0.0) {
        MassFault::InwardMesh
    } else if shapes().all(|shape| volume_of(shape) == 0.0) {
        MassFault::NoVolume
    } else {
        MassFault::OutOfRange
    }
}

/// Returns the shapes of which a shape consists. A compound has no compounds in it.
fn parts_of(shape: &Shape) -> Vec<&Shape> {
    match shape {
        Shape::Compound(compound) => compound.parts().iter().map(|part| &part.shape).collect(),
        shape => alloc::vec![shape],
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
