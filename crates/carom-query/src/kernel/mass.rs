//! Mass, centre and inertia of any shape of uniform density.
//!
//! Reference: R. Featherstone, Rigid Body Dynamics Algorithms, 2008, 2.13 (sums and shifts of
//! inertia).

use super::super::num::Real;
use super::super::num::geom::{MassProperties, Rounded};
use super::shape::Shape;
use alloc::vec::Vec;
use carom_geom::SupportMap;

impl Shape {
    /// Returns mass, centre and inertia for a density: mass per volume, finite, not negative.
    ///
    /// The masses of the parts of a compound are summed, so overlaps count twice. The result of a
    /// mesh is only valid if the mesh is closed. A field has the mass of its samples;
    /// `DistanceField::moments` gives the error. Zero for half-spaces, height fields, and
    /// user-defined shapes that are known only by their support maps.
    pub fn mass_properties(&self, density: Real) -> MassProperties {
        match self {
            Shape::Sphere(s) => s.mass_properties(density),
            Shape::Capsule(s) => s.mass_properties(density),
            Shape::TaperedCapsule(s) => s.mass_properties(density),
            Shape::Cuboid(s) => s.mass_properties(density),
            Shape::Cylinder(s) => s.mass_properties(density),
            Shape::Cone(s) => s.mass_properties(density),
            Shape::Ellipsoid(s) => s.mass_properties(density),
            Shape::Hull(s) => s.mass_properties(density),
            Shape::Rounded(s) => rounded(s.core().shape(), s.radius(), density),
            Shape::Mesh(s) => s.mesh().mass_properties(density),
            Shape::Compound(s) => {
                let parts =
                    s.parts().iter().map(|part| part.shape.mass_properties(density).placed(&part.pose));
                let parts: Vec<_> = parts.collect();
                MassProperties::combined(&parts)
            }
            Shape::Field(s) => s
                .moments()
                .map_or(MassProperties::ZERO, |moments| MassProperties::of_moments(&moments, density)),
            Shape::HalfSpace(_) | Shape::HeightField(_) | Shape::User(_) => MassProperties::ZERO,
        }
    }
}

/// Mass properties of a shape with a radius around it.
fn rounded(core: &Shape, radius: Real, density: Real) -> MassProperties {
    match core {
        Shape::Sphere(s) => of(*s, radius, |s| s.mass_properties(density)),
        Shape::Capsule(s) => of(*s, radius, |s| s.mass_properties(density)),
        Shape::TaperedCapsule(s) => of(*s, radius, |s| s.mass_properties(density)),
        Shape::Cuboid(s) => of(*s, radius, |s| s.mass_properties(density)),
        Shape::Cylinder(s) => of(*s, radius, |s| s.mass_properties(density)),
        Shape::Cone(s) => of(*s, radius, |s| s.mass_properties(density)),
        Shape::Ellipsoid(s) => of(*s, radius, |s| s.mass_properties(density)),
        Shape::Hull(s) => of((**s).clone(), radius, |s| s.mass_properties(density)),
        Shape::Rounded(s) => rounded(s.core().shape(), s.radius() + radius, density),
        Shape::HalfSpace(_)
        | Shape::Mesh(_)
        | Shape::HeightField(_)
        | Shape::Compound(_)
        | Shape::User(_)
        | Shape::Field(_) => MassProperties::ZERO,
    }
}

fn of<S: SupportMap>(
    core: S,
    radius: Real,
    mass: impl FnOnce(&Rounded<S>) -> MassProperties,
) -> MassProperties {
    Rounded::new(core, radius).map_or(MassProperties::ZERO, |shape| mass(&shape))
}
