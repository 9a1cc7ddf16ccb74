//! Contacts of any convex pair from a known normal: the two supporting features, clipped.
//!
//! GJK and EPA give one pair of points and a normal. The faces, edges or vertices that rest on the two planes with
//! that normal are clipped against each other, the margins are put back on, what is nearer than the prediction stays,
//! and four contacts are kept. The given pair of points joins them when it is deeper than all, as where a round part
//! touches.
//!
//! Reference: G. van den Bergen, D. Gregorius, Physics for Game Programmers: Contacts, GDC 2010; E. Catto, Contact
//! Manifolds, GDC 2007.
//! Differs: features are clipped along the contact normal, so no contact is deeper than the given depth.

use super::super::num::{Contact, FeatureId, Manifold, Real, Vec3, narrow, narrow_real, widen, widen_real};
use crate::clip::{Candidates, Face, clip};
use crate::reduce::{Candidate, MAX_CANDIDATES, reduce};
use carom_geom::{Feature, FeatureId as CoreId, SupportMap};
use carom_math::{WidePose, tol};
use glam::DVec3;

/// What GJK or EPA found, in A's frame: how far apart two convex bodies are, or how deep one is in the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Witness {
    /// Unit vector from A to B.
    pub normal: Vec3,
    /// Negative is penetration.
    pub distance: Real,
    /// On the surface of A, margin included.
    pub point_a: Vec3,
    /// On the surface of B, margin included.
    pub point_b: Vec3,
}

/// The contacts of two convex shapes around the given closest or deepest points; empty when these are farther apart than
/// `prediction` or not numbers.
///
/// In A's frame. Every contact lies on both surfaces, is at most `prediction` apart, and none is deeper than the
/// witness by more than rounding. The witness is a contact of its own unless the features give one as deep.
pub fn manifold_from_normal<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    a: &A,
    b: &B,
    b_in_a: &WidePose,
    witness: &Witness,
    prediction: Real,
) -> Manifold {
    let mut manifold = Manifold::new(witness.normal);
    let (normal, distance) = (widen(witness.normal), widen_real(witness.distance));
    if !(witness.distance <= prediction && normal.is_finite()) {
        return manifold;
    }
    let mut feature_a = Feature::new();
    let mut feature_b = Feature::new();
    a.feature(normal, &mut feature_a);
    b.feature(b_in_a.inverse_transform_vector(-normal), &mut feature_b);
    let mut points_b = [DVec3::ZERO; carom_geom::MAX_FEATURE_POINTS];
    let points_b = &mut points_b[..feature_b.points().len()];
    for (placed, &own) in points_b.iter_mut().zip(feature_b.points()) {
        *placed = b_in_a.transform_point(own);
    }
    let face_a = Face::of(&feature_a, a.margin()).facing(normal);
    let face_b = Face {
        points: points_b,
        ids: feature_b.ids(),
        id: feature_b.id,
        normal: b_in_a.transform_vector(feature_b.normal),
        margin: b.margin(),
    }
    .facing(-normal);

    let mut all = Candidates::<MAX_CANDIDATES>::new();
    clip(&face_a, &face_b, normal, &mut all);
    let limit = widen_real(prediction);
    let mut near = Candidates::<MAX_CANDIDATES>::new();
    let mut deepest = f64::INFINITY;
    for c in all.as_slice() {
        if c.distance <= limit {
            deepest = deepest.min(c.distance);
            near.push(*c);
        }
    }
    let size = a.radius() + b.radius() + a.margin() + b.margin();
    if !(deepest <= distance + tol::WITNESS_KEPT * size) {
        near.push(Candidate {
            a: widen(witness.point_a),
            b: widen(witness.point_b),
            distance,
            feature_a: witness_feature(&face_a).0,
            feature_b: witness_feature(&face_b).0,
        });
    }
    let list = near.as_mut_slice();
    let n = reduce(list, normal);
    for c in &list[..n] {
        manifold.push(
            Contact::new(narrow(c.a), narrow(c.b), witness.normal, narrow_real(c.distance))
                .with_features(FeatureId(c.feature_a), FeatureId(c.feature_b)),
        );
    }
    manifold
}

/// The witness is one per pair: it is known again by the features that it lies in.
fn witness_feature(face: &Face) -> CoreId {
    match face.points.len() {
        1 => face.ids[0],
        _ => face.id,
    }
}
