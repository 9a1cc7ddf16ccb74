//! Contacts of a pair that is put off move with its bodies.
//!
//! Reference: J. Dingliana, C. O'Sullivan, Graceful Degradation of Collision Handling in Physically Based Animation,
//! Eurographics 2000.

use carom_geom::Manifold;
use carom_math::{Pose, Vec3};
use carom_query::Shape;

/// One body of a manifold that is carried over.
#[derive(Clone, Copy)]
pub(crate) struct Carrier<'a> {
    /// Where it was when the manifold was found.
    pub(crate) from: &'a Pose,
    /// Where it is.
    pub(crate) to: &'a Pose,
    /// Radius of what it rolls on; 0 for what has edges.
    pub(crate) round: f32,
}

impl Carrier<'_> {
    /// Where a point goes that is on the surface where it looks along `outwards`: with the core of what is round, not with its skin.
    fn carry(&self, point: Vec3, outwards: Vec3) -> Vec3 {
        let skin = outwards * self.round;
        self.to.transform_point(self.from.inverse_transform_point(point - skin)) + skin
    }
}

/// A manifold whose bodies have moved since it was found.
///
/// Points stay where they are on their bodies; what is farther apart than `reach`, along the normal or across it, is no
/// contact any more. Where a body is round its point goes with its middle instead, and that of the other is opposite: a point that
/// turned with a rolling ball would be behind it, and drive it faster and faster.
pub(crate) fn carry(manifold: &Manifold, a: Carrier<'_>, b: Carrier<'_>, reach: f32) -> Manifold {
    let normal = manifold.normal();
    let across_reach = reach + 0.5 * a.round.max(b.round);
    let mut carried = Manifold::new(normal);
    for contact in manifold.contacts() {
        let (mut point_a, mut point_b) =
            (a.carry(contact.point_a, normal), b.carry(contact.point_b, -normal));
        let distance = (point_b - point_a).dot(normal);
        let was_across = contact.point_b - contact.point_a - normal * contact.distance;
        let across = point_b - point_a - normal * distance - was_across;
        // NaN, of numbers out of range, is dropped too.
        if distance <= reach && across.length_squared() <= across_reach * across_reach {
            if a.round < b.round {
                point_a = point_b - normal * distance;
            } else if 0.0 < a.round {
                point_b = point_a + normal * distance;
            }
            let mut kept = *contact;
            (kept.point_a, kept.point_b, kept.distance) = (point_a, point_b, distance);
            carried.push(kept);
        }
    }
    carried
}

/// The radius of what a shape rolls on, if it is the same everywhere; 0 otherwise.
pub(crate) fn round_of(shape: &Shape) -> f32 {
    match shape {
        Shape::Sphere(sphere) => sphere.radius(),
        Shape::Capsule(capsule) => capsule.radius(),
        Shape::Rounded(rounded) => rounded.radius(),
        _ => 0.0,
    }
}

/// A shape that is round, but not alike everywhere: when it turns, where it was touched says little.
pub(crate) fn is_otherwise_round(shape: &Shape) -> bool {
    matches!(
        shape,
        Shape::Cylinder(_) | Shape::Cone(_) | Shape::Ellipsoid(_) | Shape::TaperedCapsule(_) | Shape::User(_)
    )
}
