//! Surfaces that move relative to their body: conveyor belts, turntables, meshes that change their
//! shape.
//!
//! - Along the surface, the velocity is a target for friction: it accelerates the other body to the
//!   speed of the surface.
//! - Along the normal, it is a target for the contact: it moves the surface that the other body may
//!   not pass.
//! - Both are written once per step into the `GroupDetails` of groups with such a contact. Other
//!   groups have none.
//! - A motor moves the surface, so such a contact may add energy. Both bodies get opposite
//!   impulses.
//!
//! Reference: E. Catto, Modeling and Solving Constraints, GDC 2009 (velocity bias); Box2D,
//! `b2Contact::SetTangentSpeed`.

use crate::bodies::body::{Body, BodyKind};
use crate::contacts::summary::Summary;
use crate::sleep::rest::Touch;
use alloc::vec::Vec;
use carom_geom::MAX_CONTACTS;
use carom_math::{Real, Vec3};

/// The least fraction of the speed of a surface at which a body that moves with it counts as
/// carried. A carried body is not at rest.
const CARRIED_PART: Real = 1.0 / 16.0;

/// The velocity of the surface of B relative to that of A at one contact, in addition to the motion
/// of the bodies.
///
/// All vectors are in the world frame. The velocity of a surface of A has the opposite sign.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[non_exhaustive]
pub struct SurfaceVelocity {
    /// Index of the contact among those of the step.
    pub contact: u32,
    /// The point at which `slide` is the velocity of the surface.
    pub point: Vec3,
    /// Velocity along the surfaces, in length per time. The component along the normal is ignored.
    pub slide: Vec3,
    /// Angular velocity of the surface about the normal, in radians per time.
    pub spin: Real,
    /// For each contact of the manifold: the speed at which the surfaces separate along the
    /// normal, in length per time.
    pub part: [Real; MAX_CONTACTS],
}

impl SurfaceVelocity {
    /// Returns a surface that does not move, for the contact of this index.
    pub const fn new(contact: u32, point: Vec3) -> SurfaceVelocity {
        SurfaceVelocity { contact, point, slide: Vec3::ZERO, spin: 0.0, part: [0.0; MAX_CONTACTS] }
    }

    /// Whether all numbers are finite.
    pub fn is_finite(&self) -> bool {
        self.point.is_finite()
            && self.slide.is_finite()
            && self.spin.is_finite()
            && self.part.iter().all(|speed| speed.is_finite())
    }

    /// Returns the velocity of the surface of B at the point. `normal` is that of the manifold,
    /// `n_contacts` the number of its contacts.
    pub(crate) fn mean_velocity(&self, normal: Vec3, n_contacts: usize) -> Vec3 {
        let n = n_contacts.clamp(1, MAX_CONTACTS);
        let part = self.part[..n].iter().sum::<Real>() / n as Real;
        self.slide + normal * (part - self.slide.dot(normal))
    }

    /// Whether the surface pushes bodies away, or carries one of them along.
    fn carries(&self, a: &Body, b: &Body) -> bool {
        let velocity = |body: &Body| match body.kind {
            BodyKind::Fixed => Vec3::ZERO,
            _ => body.velocity_at(self.point),
        };
        let along = (velocity(a) - velocity(b)).dot(self.slide);
        let moves = self.slide != Vec3::ZERO || self.spin != 0.0;
        self.part.iter().any(|&speed| speed != 0.0)
            || moves && CARRIED_PART * self.slide.length_squared() <= along
    }
}

/// Appends the indices of bodies that a surface carries. They are not at rest.
pub(crate) fn find_carried(
    surfaces: &[SurfaceVelocity],
    summaries: &[Summary],
    bodies: &[Body],
    out: &mut Vec<u32>,
) {
    for surface in surfaces {
        let Summary { key, touch, .. } = summaries[surface.contact as usize];
        let [a, b] = [key.body_a, key.body_b];
        if touch != Touch::Apart && surface.carries(&bodies[a as usize], &bodies[b as usize]) {
            let is_dynamic = |body: &u32| bodies[*body as usize].kind == BodyKind::Dynamic;
            out.extend([a, b].into_iter().filter(is_dynamic));
        }
    }
}
