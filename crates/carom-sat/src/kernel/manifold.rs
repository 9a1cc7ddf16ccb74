//! Contacts of any convex pair from a known normal, rounded to the stored precision.

use super::super::num::{
    Contact, Manifold, Real, Vec3, WITNESS_KEPT, narrow, narrow_real, widen, widen_real,
};
use crate::feature_contacts;
use crate::reduce::{Candidate, Chosen, ContactSink, Output};
use carom_geom::SupportMap;
use carom_math::WidePose;
use glam::DVec3;

/// The result of GJK or EPA in A's frame: the distance of two convex bodies, or their depth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Witness {
    /// Unit vector from A to B.
    pub normal: Vec3,
    /// A length. Negative is penetration.
    pub distance: Real,
    /// On the surface of A, margin included.
    pub point_a: Vec3,
    /// On the surface of B, margin included.
    pub point_b: Vec3,
}

impl ContactSink for Manifold {
    const WITNESS_KEPT: f64 = WITNESS_KEPT;

    #[inline(always)]
    fn set_normal(&mut self, normal: DVec3) {
        self.set_normal(narrow(normal));
    }

    #[inline(always)]
    fn add(&mut self, c: &Candidate) {
        let contact = Contact::new(narrow(c.a), narrow(c.b), self.normal(), narrow_real(c.distance));
        self.push(contact.with_features(c.feature_a, c.feature_b));
    }
}

/// Returns the contacts of two convex shapes, given their closest or deepest points. The manifold
/// is empty if these are farther apart than `prediction` or not finite.
///
/// All is in A's frame. The points of a contact lie on both surfaces, at most `prediction` apart.
/// None is deeper than the witness, except for rounding. The witness is a contact unless the
/// features give one as deep.
pub fn manifold_from_normal<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    a: &A,
    b: &B,
    b_in_a: &WidePose,
    witness: &Witness,
    prediction: Real,
) -> Manifold {
    manifold_from_normal_with(a, b, b_in_a, witness, prediction, &mut Chosen::new())
}

/// As [`manifold_from_normal`], for repeated queries of one pair. If there are too many contacts,
/// it prefers those kept the last time, as [`Chosen`] describes. They are kept even if the witness
/// is a little deeper.
pub fn manifold_from_normal_with<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    a: &A,
    b: &B,
    b_in_a: &WidePose,
    witness: &Witness,
    prediction: Real,
    chosen: &mut Chosen,
) -> Manifold {
    let mut manifold = Manifold::new(witness.normal);
    let points = (widen(witness.point_a), widen(witness.point_b), widen_real(witness.distance));
    let mut to = Output { prediction: widen_real(prediction), chosen, sink: &mut manifold };
    feature_contacts::around(a, b, b_in_a, widen(witness.normal), points, &mut to);
    manifold
}

/// Returns the contacts of two convex shapes along a given unit normal from A to B.
///
/// They are the points of the supporting features that overlap along the normal, at most
/// `prediction` apart along it. All is in A's frame. The manifold is empty if the features do not
/// overlap, if one is a point, or if a number is not finite.
///
/// The normal need not be that of the least depth. A caller may know a better way out.
pub fn manifold_along<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    a: &A,
    b: &B,
    b_in_a: &WidePose,
    normal: DVec3,
    prediction: Real,
) -> Manifold {
    let mut manifold = Manifold::new(narrow(normal));
    let (prediction, chosen) = (widen_real(prediction), &mut Chosen::new());
    let mut to = Output { prediction, chosen, sink: &mut manifold };
    feature_contacts::along(a, b, b_in_a, normal, &mut to);
    manifold
}
