//! Hull against hull: depth and contacts of small convex polytopes.
//!
//! The axis comes from the Gauss maps. Then the two supporting features are clipped against each
//! other. The cost is quadratic in the number of edges. For few vertices and slight overlap it is
//! faster than expanding a polytope, and it needs no start.
//!
//! Reference: D. Gregorius, The Separating Axis Test between Convex Polyhedra, Game Developers
//! Conference, 2013.

use super::super::num::{
    ConvexHull, Manifold, Pose, Real, Vec3, WITNESS_KEPT, narrow, narrow_real, widen, widen_real,
};
use super::gauss_map::{HullAxis, Overlap, least_overlap};
use super::manifold::{assemble, own_face, placed_face};
use crate::closest;
use crate::reduce::Chosen;
use crate::{Counters, Tally};
use carom_geom::{Feature, MAX_FEATURE_POINTS, SupportMap};
use carom_math::{WidePose, scaling::length, scaling::unit, tol};
use core::cell::Cell;
use glam::DVec3;

/// The axis of least overlap of two hulls.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct HullSeparation {
    /// Unit vector from A to B, in A's frame.
    pub normal: Vec3,
    /// Negative: minus the penetration depth, exact to rounding. Positive: a lower bound of the
    /// distance of the hulls.
    pub distance: Real,
    /// The kind and numbers of the axis.
    pub axis: HullAxis,
    /// The number of axes that were tested.
    pub n_axes: u32,
}

/// The axis that the last query of a pair found. A gap along it answers the next query fastest.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct HullCache {
    axis: Option<HullAxis>,
}

/// Returns the axis of least overlap, or of the largest gap if the hulls are apart. `None` only for
/// a pose that is not finite.
pub fn separation(a: &ConvexHull, b: &ConvexHull, b_in_a: &WidePose) -> Option<HullSeparation> {
    let counters = Cell::new(Counters::default());
    let found = find(a, b, b_in_a, f64::INFINITY, None, &counters)?;
    Some(HullSeparation {
        normal: narrow(found.normal),
        distance: narrow_real(-found.overlap),
        axis: found.axis,
        n_axes: counters.get().axes,
    })
}

/// Returns the contacts of two hulls that overlap, touch, or are apart by at most `prediction`.
/// `None` if they are farther apart.
///
/// In A's frame, with the normal from A to B. There are one to four contacts, with points on both
/// surfaces. If the hulls overlap, the deepest contact's distance is minus the penetration depth.
/// If they are apart, it may exceed their distance where faces overlap along the normal. The cache
/// may be kept per pair. It changes the time, not the answer.
pub fn manifold(
    a: &ConvexHull,
    b: &ConvexHull,
    b_in_a: &Pose,
    prediction: Real,
    cache: Option<&mut HullCache>,
) -> Option<Manifold> {
    manifold_wide(a, b, &b_in_a.wide(), prediction, cache)
}

/// As [`manifold`], from a pose in `f64`, such as the difference of two poses far from the origin.
pub fn manifold_wide(
    a: &ConvexHull,
    b: &ConvexHull,
    b_in_a: &WidePose,
    prediction: Real,
    cache: Option<&mut HullCache>,
) -> Option<Manifold> {
    manifold_counted(a, b, b_in_a, prediction, cache, ())
}

/// As [`manifold_wide`], and counts its work in `tally`: the axes, not the clipping.
pub fn manifold_counted(
    a: &ConvexHull,
    b: &ConvexHull,
    b_in_a: &WidePose,
    prediction: Real,
    cache: Option<&mut HullCache>,
    tally: impl Tally,
) -> Option<Manifold> {
    let first = cache.as_ref().and_then(|cache| cache.axis);
    let prediction = widen_real(prediction);
    let found = find(a, b, b_in_a, prediction, first, tally)?;
    if let Some(cache) = cache {
        cache.axis = Some(found.axis);
    }
    let Overlap { normal, overlap, .. } = found;
    let (mut feature_a, mut feature_b) = (Feature::new(), Feature::new());
    let mut points_b = [DVec3::ZERO; MAX_FEATURE_POINTS];
    let face_a = own_face(a, normal, &mut feature_a);
    let face_b = placed_face(b, b_in_a, -normal, &mut feature_b, &mut points_b);
    let size = a.radius() + b.radius();
    let (tie, kept) = (tol::SAT_TIE * size, WITNESS_KEPT * size);
    // The axis of needles end to end is mostly rounding. If they hardly overlap, their closest
    // points are more accurate.
    let witness = if tie < overlap { deepest_points(a, b, b_in_a, &found) } else { None };
    let manifold =
        assemble(&face_a, &face_b, normal, witness, -overlap - kept, prediction, size, &mut Chosen::new());
    let contacts = manifold.contacts().iter();
    let mut contacts = contacts.map(|c| (widen(c.point_a), widen(c.point_b), widen_real(c.distance)));
    if !(manifold.is_empty() || overlap < -tie && closest::is_nearest_beside(&mut contacts, kept)) {
        return Some(manifold);
    }
    // Touching or apart, and the features do not overlap along the normal. Take their closest
    // points if a slab of that thickness fits between the hulls. Else take the closest points of
    // all faces.
    let (mut p, mut q) = closest::closest_points(face_a.points, face_b.points);
    if tie < length(q - p) && !is_gap(a, b, b_in_a, q - p) {
        (p, q) = closest::closest_polygons(
            (p, q),
            |f| for_each_triangle(a, &WidePose::IDENTITY, f),
            |f| for_each_triangle(b, b_in_a, f),
        );
    }
    let distance = length(q - p);
    let manifold = match unit(q - p) {
        Some(normal) if tie < distance => {
            let face_a = own_face(a, normal, &mut feature_a);
            let face_b = placed_face(b, b_in_a, -normal, &mut feature_b, &mut points_b);
            let witness = Some((p, q, distance));
            assemble(&face_a, &face_b, normal, witness, distance - kept, prediction, size, &mut Chosen::new())
        }
        // A gap within rounding: the direction between the points is noise, but the axis is
        // accurate.
        _ => {
            let distance = (q - p).dot(normal);
            let witness = Some((p, q, distance));
            assemble(&face_a, &face_b, normal, witness, distance - kept, prediction, size, &mut Chosen::new())
        }
    };
    (!manifold.is_empty()).then_some(manifold)
}

/// Whether a slab fits between the hulls: as thick as the vector `between` from A to B is long, and
/// normal to it.
fn is_gap(a: &ConvexHull, b: &ConvexHull, b_in_a: &WidePose, between: DVec3) -> bool {
    let Some(normal) = unit(between) else { return false };
    let low = b_in_a.transform_point(b.support(b_in_a.inverse_transform_vector(-normal)).point);
    let gap = (low - a.support(normal).point).dot(normal);
    length(between) <= gap + tol::SAT_TIE * (a.radius() + b.radius())
}

/// Calls `f` with triangles that cover the surface of a placed hull.
fn for_each_triangle(hull: &ConvexHull, pose: &WidePose, f: &mut dyn FnMut(&[DVec3])) {
    for face in 0..hull.n_faces() as u32 {
        let vertices = hull.face_vertices(face);
        let at = |k: usize| pose.transform_point(widen(hull.vertices()[vertices[k] as usize]));
        for k in 2..vertices.len() {
            f(&[at(0), at(k - 1), at(k)]);
        }
    }
}

fn find(
    a: &ConvexHull,
    b: &ConvexHull,
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
fn deepest_points(
    a: &ConvexHull,
    b: &ConvexHull,
    b_in_a: &WidePose,
    found: &Overlap,
) -> Option<(DVec3, DVec3, f64)> {
    let Overlap { normal, overlap, axis, extreme_a, extreme_b } = *found;
    let (p, q) = match axis {
        HullAxis::FaceA(_) => (extreme_b + normal * overlap, extreme_b),
        HullAxis::FaceB(_) => (extreme_a, extreme_a - normal * overlap),
        HullAxis::Edges(edge_a, edge_b) => {
            let vertex = |hull: &ConvexHull, half_edge: u32| {
                let edges = hull.half_edges();
                hull.vertex(edges[half_edge as usize].origin)
            };
            let ends = |hull: &ConvexHull, half_edge: u32| {
                Some((vertex(hull, half_edge)?, vertex(hull, hull.half_edges()[half_edge as usize].twin)?))
            };
            let (a0, a1) = ends(a, edge_a)?;
            let (b0, b1) = ends(b, edge_b)?;
            let (b0, b1) = (b_in_a.transform_point(b0), b_in_a.transform_point(b1));
            let (p, q, _) = closest::crossing(a0, a1, b0, b1, normal);
            (p, q)
        }
    };
    Some((p, q, (q - p).dot(normal)))
}
