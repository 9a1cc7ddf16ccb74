//! Box against box: the contacts.
//!
//! - The axis of least overlap, or of the largest gap, comes first (`box_axes.rs`).
//! - With a face axis, the other box's most opposed face is clipped against the reference face.
//! - With an edge axis, the contact is the crossing of the two edges. If each box has a face nearly
//!   normal to the axis, these two faces are clipped along the axis instead.
//! - If faces or edges do not overlap when seen along the axis, the boxes are side by side. The
//!   closest points are then the only contact.
//! - All points are in A's frame. The normal points from A to B.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 4.4.1; D. Gregorius, Robust Contact
//! Creation for Physics Simulations, GDC 2015.
//! Differs: face axes are not preferred; an edge axis wins if it has less overlap than each of
//! them. For stable contacts, faces are clipped along it too.

use crate::Tally;
use crate::box_axes::{Axis, BoxPair, LeastOverlap};
use crate::box_clip::{MAX_CORNERS, clip_rectangle, clip_slanted};
use crate::clip::{Candidates, clip};
use crate::closest;
use crate::placed_box::{BoxFace, PlacedBox, supporting_edge};
use crate::reduce::{Candidate, ContactSink, Output};
use carom_lanes::dispatch;
use carom_math::{WidePose, scaling::length, scaling::unit, tol};
use glam::DVec3;

/// Writes the contacts of two boxes, and returns whether there are any: those not farther apart
/// than `to.prediction`. See the public function of the same name in `kernel/box_box.rs`.
#[inline(always)]
pub(crate) fn write_manifold<S: ContactSink>(
    half_a: DVec3,
    half_b: DVec3,
    b_in_a: &WidePose,
    to: &mut Output<'_, S>,
    tally: impl Tally,
) -> bool {
    let Some(pair) = BoxPair::new(half_a, half_b, b_in_a) else { return false };
    let prediction = to.prediction;
    let Some(axis) = dispatch(LeastOverlap { pair: &pair, prediction, tally }) else { return false };
    if 6 <= axis.number {
        if write_edge_contacts(&pair, &axis, to) {
            return true;
        }
    } else {
        let mut candidates = Candidates::new();
        if axis.number < 3 {
            let face = (usize::from(axis.number), axis.positive);
            clip_rectangle(&pair, face, prediction, &mut candidates);
        } else {
            let face = (usize::from(axis.number - 3), axis.positive);
            clip_rectangle(&pair.swapped(), face, prediction, &mut candidates);
            for c in candidates.as_mut_slice() {
                *c = Candidate {
                    a: b_in_a.transform_point(c.b),
                    b: b_in_a.transform_point(c.a),
                    distance: c.distance,
                    feature_a: c.feature_b,
                    feature_b: c.feature_a,
                };
            }
        }
        if !candidates.is_empty() {
            to.write(candidates.as_mut_slice(), axis.normal);
            return true;
        }
    }
    let Some((closest, normal)) = closest_contact(&pair, &axis, prediction) else { return false };
    to.write(&mut [closest], normal);
    true
}

/// Returns the contact of the closest points, and its normal. Boxes that are side by side when seen
/// along the axis have no other contact. It also serves flat boxes if clipping has lost their
/// contacts by rounding.
#[inline(never)]
fn closest_contact(pair: &BoxPair, axis: &Axis, prediction: f64) -> Option<(Candidate, DVec3)> {
    let mut normal = axis.normal;
    let (placed_a, placed_b) = (pair.own(), pair.placed_b());
    let supporting = |n: DVec3| (BoxFace::supporting(&placed_a, n), BoxFace::supporting(&placed_b, -n));
    let (mut face_a, mut face_b) = supporting(normal);
    let (mut a, mut b) = closest::closest_points(face_a.face().points, face_b.face().points);
    let mut distance = (b - a).dot(normal);
    if axis.overlap < 0.0 {
        // The closest points of these two faces may not be those of the boxes: search all faces.
        if !pair.is_gap(b - a) {
            (a, b) = closest::closest_polygons(
                (a, b),
                |f| placed_a.for_each_face(f),
                |f| placed_b.for_each_face(f),
            );
        }
        // The direction between the points is the normal, unless the gap is within rounding. It is
        // noise then, and the axis stays the normal.
        distance = (b - a).dot(normal);
        if let Some(between) = unit(b - a)
            && tol::SAT_TIE * pair.size() < length(b - a)
        {
            normal = between;
            distance = length(b - a);
            (face_a, face_b) = supporting(normal);
        }
    }
    let closest = Candidate { a, b, distance, feature_a: face_a.id, feature_b: face_b.id };
    (distance <= prediction).then_some((closest, normal))
}

/// Writes the contacts of an edge axis. Returns false, and writes nothing, if there are none.
fn write_edge_contacts<S: ContactSink>(pair: &BoxPair, axis: &Axis, to: &mut Output<'_, S>) -> bool {
    let Axis { normal, overlap, number, .. } = *axis;
    let (a, b) = (pair.own(), pair.placed_b());
    let facing = a.cosine(normal).min(b.cosine(normal));
    if tol::NEARLY_FACING < facing
        && let Some(is_written) = write_shared_face(pair, (&a, &b), axis, to)
    {
        return is_written;
    }
    let (i, j) = (usize::from(number - 6) / 3, usize::from(number - 6) % 3);
    let (start_a, end_a, id_a) = supporting_edge(&a, i, normal);
    let (start_b, end_b, id_b) = supporting_edge(&b, j, -normal);
    let (point_a, point_b, is_crossing) = closest::crossing(start_a, end_a, start_b, end_b, normal);
    let distance = (point_b - point_a).dot(normal);
    // The edges of boxes that are apart do not cross, so their closest points are elsewhere.
    let is_elsewhere = overlap < 0.0 && !is_crossing;
    let is_contact = !is_elsewhere && distance <= to.prediction;
    // One contact does not support a box that leans on the edge of another.
    if is_contact
        && 0.0 <= overlap
        && tol::SLANTED_FACING < facing
        && facing <= tol::NEARLY_FACING
        && write_slanted_face(pair, axis, to)
    {
        return true;
    }
    if is_contact {
        let crossing = Candidate { a: point_a, b: point_b, distance, feature_a: id_a, feature_b: id_b };
        to.write(&mut [crossing], normal);
    }
    is_contact
}

/// Writes the contacts of overlapping boxes whose faces lean against the axis. Returns false, and
/// writes nothing, if no clipped point is as deep as the boxes overlap. This happens if a box has
/// no width: its faces are lines, and clipping may lose them.
#[inline(always)]
fn write_slanted_face<S: ContactSink>(pair: &BoxPair, axis: &Axis, to: &mut Output<'_, S>) -> bool {
    let mut shared = Candidates::<MAX_CORNERS>::new();
    clip_slanted(pair, axis.normal, to.prediction, &mut shared);
    let tie = tol::SAT_TIE * pair.size();
    let is_as_deep = shared.keep_within(-axis.overlap - tie, to.prediction) <= tie - axis.overlap;
    if is_as_deep {
        to.write(shared.as_mut_slice(), axis.normal);
    }
    is_as_deep
}

/// As [`write_slanted_face`], for boxes with faces nearly normal to the axis. Returns true if it
/// wrote contacts. Returns false if the boxes are apart and side by side, so that the closest
/// points are the contact. `None` if no clipped point is as deep as the boxes overlap: the edges
/// decide.
#[inline(never)]
fn write_shared_face<S: ContactSink>(
    pair: &BoxPair,
    (a, b): (&PlacedBox, &PlacedBox),
    axis: &Axis,
    to: &mut Output<'_, S>,
) -> Option<bool> {
    let Axis { normal, overlap, .. } = *axis;
    let mut shared = Candidates::<MAX_CORNERS>::new();
    let (face_a, face_b) = (BoxFace::supporting(a, normal), BoxFace::supporting(b, -normal));
    clip(&face_a.face(), &face_b.face(), normal, &mut shared);
    let tie = tol::SAT_TIE * pair.size();
    let deepest = shared.keep_within(-overlap - tie, to.prediction);
    // A box without width fails this: its faces are lines, which clipping may lose.
    (deepest <= tie - overlap).then(|| {
        let list = shared.as_mut_slice();
        let mut contacts = list.iter().map(|c| (c.a, c.b, c.distance));
        let is_beside = overlap < -tie && closest::is_nearest_beside(&mut contacts, tie);
        if !is_beside {
            to.write(list, normal);
        }
        !is_beside
    })
}
