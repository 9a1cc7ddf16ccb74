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

use crate::clip::{Candidates, Face, clip};
use crate::reduce::{Candidate, ContactSink, MAX_CANDIDATES, Output};
use carom_geom::{Feature, FeatureId, MAX_FEATURE_POINTS, SupportMap};
use carom_math::WidePose;
use glam::DVec3;

/// The nearest or deepest points of A and B, and their distance along the normal.
pub(crate) type Points = (DVec3, DVec3, f64);

/// Writes the contacts of two convex shapes around their closest or deepest points.
pub(crate) fn around<A: SupportMap + ?Sized, B: SupportMap + ?Sized, S: ContactSink>(
    a: &A,
    b: &B,
    b_in_a: &WidePose,
    normal: DVec3,
    witness: Points,
    to: &mut Output<'_, S>,
) {
    let (point_a, point_b, distance) = witness;
    let is_finite = distance.is_finite() && normal.is_finite() && point_a.is_finite() && point_b.is_finite();
    if !(is_finite && distance <= to.prediction) {
        return;
    }
    // A ball, whose core is a point: nothing is clipped, and the witness is the contact.
    if a.radius() == 0.0 || b.radius() == 0.0 {
        let feature_a = a.feature_id(normal);
        let feature_b = b.feature_id(-b_in_a.inverse_transform_vector(normal));
        to.sink.set_normal(normal);
        to.sink.add(&Candidate { a: point_a, b: point_b, distance, feature_a, feature_b });
        return;
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
    let kept = S::WITNESS_KEPT * (a.radius() + b.radius() + a.margin() + b.margin());
    let (witness, least) = (Some(witness), distance - kept);
    FacingFeatures { a: &face_a, b: &face_b, normal, witness, least, kept }.write(to, |_| true);
}

/// Writes the contacts of two convex shapes along a unit normal from A to B.
pub(crate) fn along<A: SupportMap + ?Sized, B: SupportMap + ?Sized, S: ContactSink>(
    a: &A,
    b: &B,
    b_in_a: &WidePose,
    normal: DVec3,
    to: &mut Output<'_, S>,
) {
    if !normal.is_finite() {
        return;
    }
    let (mut feature_a, mut feature_b) = (Feature::new(), Feature::new());
    let mut points_b = [DVec3::ZERO; MAX_FEATURE_POINTS];
    let face_a = own_face(a, normal, &mut feature_a);
    let face_b = placed_face(b, b_in_a, -normal, &mut feature_b, &mut points_b);
    let least = f64::NEG_INFINITY;
    FacingFeatures { a: &face_a, b: &face_b, normal, witness: None, least, kept: 0.0 }.write(to, |_| true);
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
pub(crate) fn own_face<'a, A: SupportMap + ?Sized>(
    a: &A,
    outward: DVec3,
    feature: &'a mut Feature,
) -> Face<'a> {
    a.feature(outward, feature);
    Face::of(feature, a.margin())
}

/// As [`own_face`], for a placed shape. `outward` is in the frame that it is placed in.
pub(crate) fn placed_face<'a, B: SupportMap + ?Sized>(
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

/// Two features that face each other, and the contacts that are kept.
pub(crate) struct FacingFeatures<'a> {
    pub(crate) a: &'a Face<'a>,
    pub(crate) b: &'a Face<'a>,
    /// From A to B, of length 1.
    pub(crate) normal: DVec3,
    pub(crate) witness: Option<Points>,
    /// The least distance of a contact.
    pub(crate) least: f64,
    /// The witness is added if it is deeper than all contacts by more than this.
    pub(crate) kept: f64,
}

impl FacingFeatures<'_> {
    /// Writes the contacts with distances from the least to the prediction.
    ///
    /// Returns false, and writes nothing, if the caller does not accept them.
    pub(crate) fn write<S: ContactSink>(
        &self,
        to: &mut Output<'_, S>,
        accept: impl FnOnce(&[Candidate]) -> bool,
    ) -> bool {
        let (n_a, n_b) = (self.a.points.len(), self.b.points.len());
        // Room for the most that these features can make, plus the witness. Clearing the largest
        // buffer takes longer than most clipping.
        if n_a < 3 || n_b < 3 {
            self.write_in::<3, S>(to, accept)
        } else if n_a + n_b <= 8 {
            self.write_in::<9, S>(to, accept)
        } else {
            self.write_in::<MAX_CANDIDATES, S>(to, accept)
        }
    }

    fn write_in<const N: usize, S: ContactSink>(
        &self,
        to: &mut Output<'_, S>,
        accept: impl FnOnce(&[Candidate]) -> bool,
    ) -> bool {
        let mut near = Candidates::<N>::new();
        clip(self.a, self.b, self.normal, &mut near);
        let deepest = near.keep_within(self.least, to.prediction);
        if let Some((point_a, point_b, distance)) = self.witness
            && distance <= to.prediction
            && !(deepest <= distance + self.kept)
        {
            near.push(Candidate {
                a: point_a,
                b: point_b,
                distance,
                feature_a: witness_feature(self.a),
                feature_b: witness_feature(self.b),
            });
        }
        let is_accepted = accept(near.as_mut_slice());
        if is_accepted {
            to.write(near.as_mut_slice(), self.normal);
        }
        is_accepted
    }
}

/// Returns the id of the witness. A pair has only one, so the features that hold it identify it.
fn witness_feature(face: &Face) -> FeatureId {
    match face.points.len() {
        1 => face.ids[0],
        _ => face.id,
    }
}
