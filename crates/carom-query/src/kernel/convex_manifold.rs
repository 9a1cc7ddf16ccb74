//! Manifolds of a convex shape: around the nearest or deepest points of two, and on a half-space.
//!
//! Reference: E. Catto, Contact Manifolds, GDC 2007.

use super::super::num::geom::{Contact, FeatureId, HalfSpace, Manifold};
use super::super::num::sat::{Chosen, Witness, manifold_from_normal_with};
use super::super::num::{Real, Vec3, narrow, narrow_real, widen_real};
use crate::closest::Closest;
use crate::cost::Count;
use crate::spread::spread;
use alloc::vec::Vec;
use carom_geom::{Feature, SupportMap};
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

/// The most points of a feature and of a side together.
const MAX_NEAR: usize = carom_geom::MAX_FEATURE_POINTS + 2;

/// Returns the points of the feature that faces the plane, and of the side that leans toward it. At
/// most four are kept: the deepest, and those that span the largest area.
pub(super) fn on_half_space(
    a: &HalfSpace,
    b: &dyn SupportMap,
    b_in_a: &WidePose,
    prediction: Real,
    count: impl Count,
) -> Option<Manifold> {
    count.add_pair();
    let normal = a.normal_wide();
    let down = -b_in_a.inverse_transform_vector(normal);
    let mut feature = Feature::new();
    b.feature(down, &mut feature);
    let mut near = [(0.0, DVec3::ZERO, FeatureId::UNKNOWN); MAX_NEAR];
    let mut n = 0;
    let mut collect = |feature: &Feature, margin: f64| {
        for (&point, &id) in feature.points().iter().zip(feature.ids()) {
            let point = b_in_a.transform_point(point) - normal * margin;
            let height = normal.dot(point);
            // A corner of a leaning side may already be in the list.
            if height <= widen_real(prediction) && near[..n].iter().all(|(.., other)| *other != id) {
                near[n] = (height, point, id);
                n += 1;
            }
        }
    };
    collect(&feature, b.margin());
    if feature.points().len() < 3 && b.leaning_side(down, &mut feature) {
        collect(&feature, 0.0);
    }
    if n == 0 {
        return None;
    }
    let mut manifold = Manifold::new(narrow(normal));
    spread(&near[..n]).for_each(|index| {
        let (height, point, id) = near[index];
        let contact =
            Contact::new(narrow(point - normal * height), narrow(point), narrow(normal), narrow_real(height));
        manifold.push(contact.with_features(FeatureId::UNKNOWN, id));
    });
    Some(manifold)
}
