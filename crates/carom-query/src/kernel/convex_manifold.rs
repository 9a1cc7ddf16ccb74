//! Manifolds of convex shapes: around the nearest or deepest points of two, on a half-space, and
//! those of a search that finds contacts.
//!
//! Reference: E. Catto, Contact Manifolds, GDC 2007.

use super::super::num::geom::{Contact, FeatureId, HalfSpace, Manifold};
use super::super::num::sat::{Chosen, Witness, manifold_from_normal_with};
use super::super::num::{Real, Vec3, narrow, narrow_real, widen_real};
use crate::closest::Closest;
use crate::cost::Count;
use crate::half_space;
use crate::manifold_sink::ManifoldSink;
use alloc::vec::Vec;
use carom_geom::SupportMap;
use carom_math::WidePose;
use glam::DVec3;

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

/// A list of manifolds with contacts up to a distance.
pub(super) struct Within<'a> {
    pub(super) prediction: Real,
    pub(super) out: &'a mut Vec<Manifold>,
}

impl ManifoldSink for Within<'_> {
    fn start(&mut self, normal: DVec3) {
        self.out.push(Manifold::new(narrow(normal)));
    }

    fn add(&mut self, points: [DVec3; 2], distance: f64, parts: [u32; 2], features: [FeatureId; 2]) {
        let distance = narrow_real(distance);
        if let Some(manifold) = self.out.last_mut().filter(|_| distance <= self.prediction) {
            let contact = Contact::new(narrow(points[0]), narrow(points[1]), manifold.normal(), distance);
            manifold.push(contact.with_parts(parts[0], parts[1]).with_features(features[0], features[1]));
        }
    }

    fn end(&mut self) {
        self.out.pop_if(|manifold| manifold.is_empty());
    }
}
