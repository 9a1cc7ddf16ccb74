//! Moves the contacts of a pair that a budget defers along with the bodies of the pair.
//!
//! Unlike in `recycling`, the bodies may have moved far, so contacts may be lost.
//!
//! Reference: J. Dingliana, C. O'Sullivan, Graceful Degradation of Collision Handling in Physically
//! Based Animation, Eurographics 2000.

use carom_geom::Manifold;
use carom_math::{Pose, Vec3};

/// The motion of one body of a manifold since the manifold was found.
#[derive(Clone, Copy)]
pub(crate) struct Carrier<'a> {
    /// Its pose when the manifold was found.
    pub(crate) from: &'a Pose,
    /// Its present pose.
    pub(crate) to: &'a Pose,
    /// Rounding radius; 0 if the shape has sharp edges.
    pub(crate) round: f32,
}

impl Carrier<'_> {
    /// Moves a point of the surface with the normal `outwards`. On a rounded shape the point moves
    /// with the core, not with the rounded surface.
    fn carry(&self, point: Vec3, outwards: Vec3) -> Vec3 {
        let skin = outwards * self.round;
        self.to.transform_point(self.from.inverse_transform_point(point - skin)) + skin
    }
}

/// Returns a manifold moved along with its bodies.
///
/// - Points are fixed to their bodies.
/// - A contact is dropped if its points are farther apart than `reach`, along the normal or across
///   it.
/// - On a rounded body the point moves with the core, and the point of the other body is opposite
///   to it. If the point turned with a rolling ball, it would end up behind the ball and
///   accelerate it.
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
        // NaN, from numbers out of range, is dropped too.
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
