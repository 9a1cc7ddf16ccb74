//! Mass, centre and inertia of any shape of uniform density.
//!
//! Reference: R. Featherstone, Rigid Body Dynamics Algorithms, 2008, 2.13 (sums and shifts of
//! inertia).

use super::super::num::geom::MassProperties;
use super::super::num::{Pose, Real, narrow};
use super::shape::{Shape, ShapeKind};
use alloc::vec::Vec;

impl Shape {
    /// Returns mass, centre and inertia for a density: mass per volume, finite, not negative.
    ///
    /// The masses of the parts of a compound or a cluster are summed, so overlaps count twice. The
    /// result of a mesh is only valid if its inside is known: `MeshShape::mass_properties`. A
    /// field has the mass of its samples; `DistanceField::moments` gives the error. Zero for
    /// half-spaces, compounds with one, height fields, and user-defined shapes that are known only
    /// by their support maps.
    pub fn mass_properties(&self, density: Real) -> MassProperties {
        if let Some(primitive) = self.primitive() {
            return primitive.mass_properties(density);
        }
        match self {
            Shape::Rounded(s) => rounded(s.core().shape(), s.radius(), density),
            // A height field is a surface.
            Shape::HeightField(_) => MassProperties::ZERO,
            _ => match self.kind() {
                ShapeKind::Mesh(s) => s.mass_properties(density),
                ShapeKind::Field(s) => s
                    .moments()
                    .map_or(MassProperties::ZERO, |moments| MassProperties::of_moments(&moments, density)),
                // A compound with a half-space is unbounded.
                ShapeKind::Compound(s) if s.parts().iter().any(|part| part.is_half_space()) => {
                    MassProperties::ZERO
                }
                ShapeKind::Cluster(s) => {
                    let mass = |number| {
                        let (part, center) = s.part(number);
                        part.primitive()
                            .mass_properties(density)
                            .placed(&Pose::from_translation(narrow(center)))
                    };
                    let parts: Vec<_> = (0..s.n_parts()).map(mass).collect();
                    MassProperties::combined(&parts)
                }
                ShapeKind::Compound(s) => {
                    let parts =
                        s.parts().iter().map(|part| part.shape.mass_properties(density).placed(&part.pose));
                    let parts: Vec<_> = parts.collect();
                    MassProperties::combined(&parts)
                }
                ShapeKind::Convex(_) | ShapeKind::HalfSpace(_) => MassProperties::ZERO,
            },
        }
    }
}

/// Returns the mass properties of a convex shape with a radius around it.
fn rounded(core: &Shape, radius: Real, density: Real) -> MassProperties {
    match core {
        Shape::Rounded(s) => rounded(s.core().shape(), s.radius() + radius, density),
        _ => {
            core.primitive().map_or(MassProperties::ZERO, |primitive| primitive.rounded_mass(radius, density))
        }
    }
}
