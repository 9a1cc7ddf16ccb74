//! Contacts of any convex pair from a known normal: the two supporting features, clipped.
//!
//! - GJK and EPA give one pair of points, the witness, and a normal.
//! - The supporting faces, edges or vertices along that normal are clipped against each other. Then
//!   the margins are added.
//! - Contacts within the prediction stay, at most four.
//! - The witness is added if it is deeper than all of them, as for round shapes.
//!
//! Reference: G. van den Bergen, D. Gregorius, Physics for Game Programmers: Contacts, GDC 2010; E.
//! Catto, Contact Manifolds, GDC 2007.
//! Differs: features are clipped along the contact normal, so no contact is deeper than the given
//! depth.

use super::super::num::{
    Contact, Manifold, Real, Vec3, WITNESS_KEPT, narrow, narrow_real, widen, widen_real,
};
use crate::clip::{Candidates, Face, clip};
use crate::reduce::{Candidate, Chosen, MAX_CANDIDATES, reduce};
use carom_geom::{Feature, FeatureId, MAX_FEATURE_POINTS, SupportMap};
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

/// Returns the contacts of two convex shapes, given their closest or deepest points. It is empty if
/// these are farther apart than `prediction` or not finite.
///
/// In A's frame. Every contact lies on both surfaces and is at most `prediction` apart. None is
/// deeper than the witness, except for rounding. The witness is a contact unless the features give
/// one as deep.
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
    let (normal, distance) = (widen(witness.normal), widen_real(witness.distance));
    if !(witness.distance <= prediction && normal.is_finite()) {
        return Manifold::new(witness.normal);
    }
    // A ball, whose core is a point: nothing is clipped, and the witness is the contact.
    if a.radius() == 0.0 || b.radius() == 0.0 {
        let feature_a = a.feature_id(normal);
        let feature_b = b.feature_id(-b_in_a.inverse_transform_vector(normal));
        let mut manifold = Manifold::new(witness.normal);
        let contact = Contact::new(witness.point_a, witness.point_b, witness.normal, witness.distance);
        manifold.push(contact.with_features(feature_a, feature_b));
        return manifold;
    }
    let (mut feature_a, mut feature_b) = (Feature::new(), Feature::new());
    let (mut margin_a, mut margin_b) = (a.margin(), b.margin());
    let down = -b_in_a.inverse_transform_vector(normal);
    a.feature(normal, &mut feature_a);
    b.feature(down, &mut feature_b);
    // If only one feature is a face, take the other body's whole side that leans toward it. Its
    // corners are the next to touch.
    match (feature_a.points().len(), feature_b.points().len()) {
        (3.., ..=2) => lean(b, down, &mut feature_b, &mut margin_b),
        (..=2, 3..) => lean(a, normal, &mut feature_a, &mut margin_a),
        _ => {}
    }
    let face_a = Face::of(&feature_a, margin_a);
    // Clear no more memory than needed.
    let (mut few, mut many);
    let points_b: &mut [DVec3] = if feature_b.points().len() <= 4 {
        few = [DVec3::ZERO; 4];
        &mut few
    } else {
        many = [DVec3::ZERO; MAX_FEATURE_POINTS];
        &mut many
    };
    let face_b = placed(&feature_b, b_in_a, margin_b, points_b);
    let size = a.radius() + b.radius() + a.margin() + b.margin();
    let pair = (widen(witness.point_a), widen(witness.point_b), distance);
    let least = distance - WITNESS_KEPT * size;
    assemble(&face_a, &face_b, normal, Some(pair), least, widen_real(prediction), size, chosen)
}

/// Returns the contacts of two convex shapes along a given unit normal from A to B.
///
/// They are the points of the supporting features that overlap along the normal, at most
/// `prediction` apart along it. In A's frame. It is empty if the features do not overlap, if one is
/// a point, or if a number is not finite.
///
/// The normal need not be that of the least depth. The caller may know a better direction of exit.
pub fn manifold_along<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    a: &A,
    b: &B,
    b_in_a: &WidePose,
    normal: DVec3,
    prediction: Real,
) -> Manifold {
    if !normal.is_finite() {
        return Manifold::new(narrow(normal));
    }
    let (mut feature_a, mut feature_b) = (Feature::new(), Feature::new());
    let mut points_b = [DVec3::ZERO; MAX_FEATURE_POINTS];
    let face_a = own_face(a, normal, &mut feature_a);
    let face_b = placed_face(b, b_in_a, -normal, &mut feature_b, &mut points_b);
    let size = a.radius() + b.radius() + a.margin() + b.margin();
    let prediction = widen_real(prediction);
    assemble(&face_a, &face_b, normal, None, f64::NEG_INFINITY, prediction, size, &mut Chosen::new())
}

/// Replaces a feature by the side that leans toward the normal, if there is one. The points of the
/// side include the margin.
#[inline(never)]
fn lean<S: SupportMap + ?Sized>(shape: &S, normal: DVec3, feature: &mut Feature, margin: &mut f64) {
    let mut side = Feature::new();
    if shape.leaning_side(normal, &mut side) {
        (*feature, *margin) = (side, 0.0);
    }
}

/// Returns the supporting feature along this outward normal.
pub(super) fn own_face<'a, A: SupportMap + ?Sized>(
    a: &A,
    outward: DVec3,
    feature: &'a mut Feature,
) -> Face<'a> {
    a.feature(outward, feature);
    Face::of(feature, a.margin())
}

/// As [`own_face`], for a placed shape. `outward` is in the frame that it is placed in.
pub(super) fn placed_face<'a, B: SupportMap + ?Sized>(
    b: &B,
    pose: &WidePose,
    outward: DVec3,
    feature: &'a mut Feature,
    points: &'a mut [DVec3; MAX_FEATURE_POINTS],
) -> Face<'a> {
    b.feature(pose.inverse_transform_vector(outward), feature);
    placed(feature, pose, b.margin(), points)
}

/// Places a feature in the other frame. `points` has room for its points.
fn placed<'a>(feature: &'a Feature, pose: &WidePose, margin: f64, points: &'a mut [DVec3]) -> Face<'a> {
    let points = &mut points[..feature.points().len()];
    for (placed, &own) in points.iter_mut().zip(feature.points()) {
        *placed = pose.transform_point(own);
    }
    let normal = pose.transform_vector(feature.normal);
    Face::new(points, feature.ids(), feature.id, normal, margin)
}

/// Builds the contacts of two features along a normal, with distances from `least` to `prediction`.
/// The witness, a pair of deepest or closest points, is added if it is deeper than all of them.
pub(super) fn assemble(
    face_a: &Face,
    face_b: &Face,
    normal: DVec3,
    witness: Option<(DVec3, DVec3, f64)>,
    least: f64,
    prediction: f64,
    size: f64,
    chosen: &mut Chosen,
) -> Manifold {
    let (n_a, n_b) = (face_a.points.len(), face_b.points.len());
    // Room for the most that these features can make, plus the witness. Clearing the largest buffer
    // takes longer than most clipping.
    if n_a < 3 || n_b < 3 {
        assemble_in::<3>(face_a, face_b, normal, witness, least, prediction, size, chosen)
    } else if n_a + n_b <= 8 {
        assemble_in::<9>(face_a, face_b, normal, witness, least, prediction, size, chosen)
    } else {
        assemble_in::<MAX_CANDIDATES>(face_a, face_b, normal, witness, least, prediction, size, chosen)
    }
}

fn assemble_in<const N: usize>(
    face_a: &Face,
    face_b: &Face,
    normal: DVec3,
    witness: Option<(DVec3, DVec3, f64)>,
    least: f64,
    prediction: f64,
    size: f64,
    chosen: &mut Chosen,
) -> Manifold {
    let mut near = Candidates::<N>::new();
    clip(face_a, face_b, normal, &mut near);
    let deepest = near.keep_within(least, prediction);
    if let Some((point_a, point_b, distance)) = witness
        && distance <= prediction
        && !(deepest <= distance + WITNESS_KEPT * size)
    {
        near.push(Candidate {
            a: point_a,
            b: point_b,
            distance,
            feature_a: witness_feature(face_a),
            feature_b: witness_feature(face_b),
        });
    }
    let list = near.as_mut_slice();
    let n = reduce(list, normal, prediction, chosen);
    let stored = narrow(normal);
    let mut manifold = Manifold::new(stored);
    for c in &list[..n] {
        manifold.push(
            Contact::new(narrow(c.a), narrow(c.b), stored, narrow_real(c.distance))
                .with_features(c.feature_a, c.feature_b),
        );
    }
    manifold
}

/// Returns the id of the witness. A pair has only one, so the features that hold it identify it.
fn witness_feature(face: &Face) -> FeatureId {
    match face.points.len() {
        1 => face.ids[0],
        _ => face.id,
    }
}
