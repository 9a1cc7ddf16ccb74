//! Hull against hull: depth and contacts of small convex polytopes.
//!
//! The axis comes from the Gauss maps. Then the two supporting features are clipped against each
//! other. The cost is quadratic in the number of edges. For few vertices and slight overlap it is
//! faster than expanding a polytope, and it needs no start.
//!
//! Reference: D. Gregorius, The Separating Axis Test between Convex Polyhedra, Game Developers
//! Conference, 2013.

use crate::Tally;
use crate::closest;
use crate::feature_contacts::{FacingFeatures, Points, own_face, placed_face};
use crate::gauss_map::{HullAxis, Overlap, least_overlap};
use crate::reduce::{Candidate, ContactSink, Output};
use carom_geom::{Feature, MAX_FEATURE_POINTS, WideHull};
use carom_math::{WidePose, scaling::length, scaling::unit, tol};
use glam::DVec3;

/// The axis that the last query of a pair found. A gap along it answers the next query fastest.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct HullCache {
    axis: Option<HullAxis>,
}

/// Writes the contacts of two hulls, and returns whether there are any. See the public function
/// `manifold` in `kernel/hull_hull.rs`.
pub(crate) fn write_manifold<H: WideHull, S: ContactSink>(
    a: &H,
    b: &H,
    b_in_a: &WidePose,
    cache: Option<&mut HullCache>,
    to: &mut Output<'_, S>,
    tally: impl Tally,
) -> bool {
    let first = cache.as_ref().and_then(|cache| cache.axis);
    let Some(found) = find(a, b, b_in_a, to.prediction, first, tally) else { return false };
    if let Some(cache) = cache {
        cache.axis = Some(found.axis);
    }
    let Overlap { normal, overlap, .. } = found;
    let (mut feature_a, mut feature_b) = (Feature::new(), Feature::new());
    let mut points_b = [DVec3::ZERO; MAX_FEATURE_POINTS];
    let face_a = own_face(a, normal, &mut feature_a);
    let face_b = placed_face(b, b_in_a, -normal, &mut feature_b, &mut points_b);
    let size = a.radius() + b.radius();
    let (tie, kept) = (tol::SAT_TIE * size, S::WITNESS_KEPT * size);
    // The axis of needles end to end is mostly rounding. If they hardly overlap, their closest
    // points are more accurate.
    let witness = (tie < overlap).then(|| deepest_points(a, b, b_in_a, &found));
    let is_nearest = |contacts: &[Candidate]| {
        let mut points = contacts.iter().map(|c| (c.a, c.b, c.distance));
        !(contacts.is_empty() || overlap < -tie && closest::is_nearest_beside(&mut points, kept))
    };
    let features = FacingFeatures { a: &face_a, b: &face_b, normal, witness, least: -overlap - kept, kept };
    if features.write(to, is_nearest) {
        return true;
    }
    // Touching or apart, and the features do not overlap along the normal. Take their closest
    // points if those are the closest of the hulls. Else search all faces.
    let (mut p, mut q) = closest::closest_points(face_a.points, face_b.points);
    if tie < length(q - p) && !is_gap(a, b, b_in_a, q - p) {
        (p, q) = closest::closest_polygons(
            (p, q),
            |f| for_each_triangle(a, &WidePose::IDENTITY, f),
            |f| for_each_triangle(b, b_in_a, f),
        );
    }
    let distance = length(q - p);
    let is_any = |contacts: &[Candidate]| !contacts.is_empty();
    match unit(q - p) {
        Some(normal) if tie < distance => {
            let face_a = own_face(a, normal, &mut feature_a);
            let face_b = placed_face(b, b_in_a, -normal, &mut feature_b, &mut points_b);
            let (witness, least) = (Some((p, q, distance)), distance - kept);
            FacingFeatures { a: &face_a, b: &face_b, normal, witness, least, kept }.write(to, is_any)
        }
        // A gap within rounding: the direction between the points is noise, but the axis is
        // accurate.
        _ => {
            let distance = (q - p).dot(normal);
            let (witness, least) = (Some((p, q, distance)), distance - kept);
            FacingFeatures { a: &face_a, b: &face_b, normal, witness, least, kept }.write(to, is_any)
        }
    }
}

/// Whether the hulls are apart by the length of `between` along its direction. The two ends of that
/// vector from A to B are then the closest points.
fn is_gap<H: WideHull>(a: &H, b: &H, b_in_a: &WidePose, between: DVec3) -> bool {
    let Some(normal) = unit(between) else { return false };
    let low = b_in_a.transform_point(b.support(b_in_a.inverse_transform_vector(-normal)).point);
    let gap = (low - a.support(normal).point).dot(normal);
    length(between) <= gap + tol::SAT_TIE * (a.radius() + b.radius())
}

/// Calls `f` with triangles that cover the surface of a placed hull.
fn for_each_triangle<H: WideHull>(hull: &H, pose: &WidePose, f: &mut dyn FnMut(&[DVec3])) {
    for face in 0..hull.n_faces() as u32 {
        let vertices = hull.face_vertices(face);
        let at = |k: usize| pose.transform_point(hull.position(vertices[k]));
        for k in 2..vertices.len() {
            f(&[at(0), at(k - 1), at(k)]);
        }
    }
}

/// Returns the axis of least overlap. `None` for a gap above the prediction, and for a pose that is
/// not finite.
pub(crate) fn find<H: WideHull>(
    a: &H,
    b: &H,
    b_in_a: &WidePose,
    prediction: f64,
    first: Option<HullAxis>,
    tally: impl Tally,
) -> Option<Overlap> {
    if !(b_in_a.translation.is_finite() && b_in_a.rotation.is_finite()) {
        return None;
    }
    least_overlap(a, b, b_in_a, prediction, first, tally)
}

/// Returns the points that touch last if B moves out along the normal.
fn deepest_points<H: WideHull>(a: &H, b: &H, b_in_a: &WidePose, found: &Overlap) -> Points {
    let Overlap { normal, overlap, axis, extreme_a, extreme_b } = *found;
    let (p, q) = match axis {
        HullAxis::FaceA(_) => (extreme_b + normal * overlap, extreme_b),
        HullAxis::FaceB(_) => (extreme_a, extreme_a - normal * overlap),
        HullAxis::Edges(edge_a, edge_b) => {
            let [a0, a1] = a.ends(edge_a).map(|v| a.position(v));
            let [b0, b1] = b.ends(edge_b).map(|v| b_in_a.transform_point(b.position(v)));
            let (p, q, _) = closest::crossing(a0, a1, b0, b1, normal);
            (p, q)
        }
    };
    (p, q, (q - p).dot(normal))
}
