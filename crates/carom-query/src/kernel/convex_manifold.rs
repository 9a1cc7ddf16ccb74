//! Manifolds of a convex shape: around the nearest or deepest points of two, and on a half-space.
//!
//! Reference: E. Catto, Contact Manifolds, GDC 2007.

use super::super::num::geom::{Contact, FeatureId, HalfSpace, Manifold};
use super::super::num::sat::{Chosen, Witness, manifold_from_normal_with};
use super::super::num::{Real, Vec3, narrow, narrow_real, widen_real};
use crate::closest::Closest;
use crate::cost::Count;
use crate::half_space;
use alloc::vec::Vec;
use carom_geom::SupportMap;
use carom_math::WidePose;

/// Appends a manifold without contacts, and returns it to be filled in place.
#[inline(always)]
pub(super) fn push_new(normal: Vec3, out: &mut Vec<Manifold>) -> &mut Manifold {
    let index = out.len();
    out.push(Manifold::new(normal));
    &mut out[index]
}

/// Returns the contacts around the nearest or deepest points of two convex shapes. If there are
/// more than four, those in `chosen` are preferred.
pub(super) fn around<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    a: &A,
    b: &B,
    b_in_a: &WidePose,
    closest: &Closest,
    prediction: Real,
    chosen: &mut Chosen,
) -> Option<Manifold> {
    if !(closest.distance <= widen_real(prediction)) {
        return None;
    }
    let witness = Witness {
        normal: narrow(closest.normal),
        distance: narrow_real(closest.distance),
        point_a: narrow(closest.point_a),
        point_b: narrow(closest.point_b),
    };
    let manifold = manifold_from_normal_with(a, b, b_in_a, &witness, prediction, chosen);
    (!manifold.is_empty()).then_some(manifold)
}

/// Returns the contacts of a convex shape with a half-space; see [`half_space::visit_contacts`].
pub(super) fn on_half_space(
    a: &HalfSpace,
    b: &dyn SupportMap,
    b_in_a: &WidePose,
    prediction: Real,
    count: impl Count,
) -> Option<Manifold> {
    count.add_pair();
    let normal = a.normal_wide();
    let mut manifold = Manifold::new(narrow(normal));
    half_space::visit_contacts(normal, b, b_in_a, widen_real(prediction), |height, point, id| {
        let contact =
            Contact::new(narrow(point - normal * height), narrow(point), narrow(normal), narrow_real(height));
        manifold.push(contact.with_features(FeatureId::UNKNOWN, id));
    });
    (!manifold.is_empty()).then_some(manifold)
}
