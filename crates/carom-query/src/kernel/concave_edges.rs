//! Contacts with the triangle ahead in a valley: the plane of the triangle, not its near edge.
//!
//! In front of a bend upwards, the nearest point of the next triangle is on the edge that it
//! shares with the triangle below the body. The direction from that edge leans back. For a ball it
//! leans by much more than the bend: by the distance along the floor over the radius. A speculative
//! contact along it takes away speed.
//!
//! 1. Near a concave edge, the free space is the intersection of the half-spaces in front of the
//!    two triangles. So no contact with the edge is real, and both planes bound the body.
//! 2. A search begins at triangles that are touched inside. It goes on to a triangle whose contact
//!    point lies on one that was reached, if each is in front of the plane of the other.
//! 3. The contact of such a triangle gets the normal of its face, and the distance of the body
//!    from its plane. It is kept, so that a fast body still meets the triangle within the step.
//! 4. A steep bend is a corner, not a valley: its contacts stay. In the corner of a room, a body
//!    that has sunk into one wall is far behind the plane of the other.
//! 5. A corner at the end of the edge is met from inside the edge only, or from a triangle behind
//!    it that was reached. Past the end of a ramp there is no ramp, and its plane bounds nothing.
//! 6. A coplanar triangle continues the search. It keeps only contacts over itself, because its
//!    plane is that of the last one. Convex edges end the search.
//!
//! Internal edges of flat floors are left to [`super::internal_edges`].

use super::super::num::geom::{Contact, Manifold};
use super::super::num::{Real, narrow, narrow_real, widen, widen_real};
use super::shape::Shape;
use super::touch::Touching;
use crate::lowest::lowest_of_convex;
use alloc::vec;
use alloc::vec::Vec;
use carom_math::scaling::unit;
use carom_math::{WidePose, tol};
use glam::DVec3;

/// The cosine of the steepest bend of a valley: 45 degrees.
const STEEPEST_COSINE: f64 = core::f64::consts::FRAC_1_SQRT_2;

/// The largest cosine of the angle between an edge and a way across it. It is above the rounding of
/// a normal between two near points.
const ACROSS: f64 = 1e-3;

/// Gives contacts with concave edges the planes of their own triangles. Returns the number of
/// changed manifolds. `tolerance` is a length.
#[inline(never)]
pub(super) fn face_concave_edges(
    all: &mut [Touching<'_>],
    body: &Shape,
    pose: &WidePose,
    manifolds: &mut [Manifold],
    prediction: Real,
    tolerance: f64,
) -> usize {
    // The usual cases: a flat floor, or no edge.
    let Some(first) = all.iter().find(|touching| touching.is_inside == Some(true)) else { return 0 };
    let may_bend = |other: &Touching<'_>| other.is_inside == Some(false) && !is_parallel(first, other);
    if !all.iter().any(may_bend) {
        return 0;
    }
    let deepest = |manifold: &Manifold| manifold.deepest().map(|contact| widen_real(contact.distance));
    let distances = all.iter().filter_map(|touching| deepest(manifolds.get(touching.index)?));
    let least = distances.fold(0.0, f64::min) - tolerance;
    // Each with whether it is behind a bend.
    let inside = all.iter().filter(|touching| touching.is_inside == Some(true));
    let mut open: Vec<(Touching<'_>, bool)> = inside.map(|&touching| (touching, false)).collect();
    let mut is_reached = vec![false; all.len()];
    let mut n_changed = 0;
    while let Some((from, is_behind)) = open.pop() {
        for number in 0..all.len() {
            if is_reached[number] || all[number].is_inside != Some(false) {
                continue;
            }
            let next = &all[number];
            let (index, Some(touch)) = (next.index, next.touch) else { continue };
            let Some(bend) = bend(&from, next, &manifolds[index], tolerance) else { continue };
            if !is_behind && !bend.is_met_inside {
                continue;
            }
            is_reached[number] = true;
            let mut reached = *next;
            reached.face = Some(bend.face);
            if !bend.is_concave {
                // The plane is that of the last triangle: only contacts over this one are new.
                manifolds[index] = touch.along(next.neighbour, bend.face, body, pose, prediction);
                all[number] = Touching::of(next.neighbour, index, body, manifolds);
                n_changed += 1;
            } else if let Some(made) =
                on_own_plane(&reached, body, pose, &manifolds[index], (least, tolerance))
            {
                manifolds[index] = made;
                all[number].turn_to_face(bend.face);
                n_changed += 1;
            }
            open.push((reached, is_behind || bend.is_concave));
        }
    }
    n_changed
}

/// The surface between two triangles.
struct Bend {
    /// The normal of the second triangle, on the side of the surface on which the first one's is.
    face: DVec3,
    /// Whether the bend is concave. Otherwise the surface is flat there.
    is_concave: bool,
    /// Whether the contact of the second triangle is not with an end of the edge between the two.
    /// Always so where the surface is flat.
    is_met_inside: bool,
}

/// Whether two triangles are parallel.
fn is_parallel(one: &Touching<'_>, other: &Touching<'_>) -> bool {
    one.face.zip(other.face).is_some_and(|(one, other)| is_along(one, other) || is_along(one, -other))
}

fn is_along(one: DVec3, other: DVec3) -> bool {
    (one - other).abs().max_element() <= tol::SAME_NORMAL
}

/// Returns how the surface bends between two triangles that the same part of the body touches, if
/// the contact point on `next` lies on `from`. `None` if they do not meet there, and for a convex
/// bend.
///
/// The direction of the contact does not tell the side of `next`: a box that has sunk in is behind
/// its edge. The side is the one from which both triangles are seen.
fn bend(from: &Touching<'_>, next: &Touching<'_>, manifold: &Manifold, tolerance: f64) -> Option<Bend> {
    if from.touch?.own_part != next.touch?.own_part {
        return None;
    }
    let (corners, face) = (from.triangle?, from.face?);
    let (next_corners, next_face) = (next.triangle?, next.face?);
    let contact = manifold.deepest()?;
    let position = widen(if next.neighbour.is_a { contact.point_a } else { contact.point_b });
    if !is_on(position, &corners, face, tolerance) {
        return None;
    }
    let rises = |corners: &[DVec3; 3], face: DVec3| {
        let [a, b, c] = corners.map(|corner| face.dot(corner - position));
        let (low, high) = (a.min(b).min(c), a.max(b).max(c));
        -low <= tolerance && -low < high
    };
    if is_parallel(from, next) {
        Some(Bend { face, is_concave: false, is_met_inside: true })
    } else {
        let is_seen = |face: &DVec3| rises(&corners, *face);
        let sides = [next_face, -next_face];
        let next_face = sides.into_iter().find(is_seen).filter(|_| rises(&next_corners, face))?;
        let along = unit(face.cross(next_face))?;
        // From inside an edge, the nearest way leads across it.
        let is_met_inside = along.dot(next.touch?.normal).abs() <= ACROSS;
        let bend = Bend { face: next_face, is_concave: true, is_met_inside };
        (STEEPEST_COSINE <= next_face.dot(face)).then_some(bend)
    }
}

/// Whether a point lies on a triangle, or nearly: within the tolerance of its plane, of its sides
/// and of its box.
fn is_on(position: DVec3, corners: &[DVec3; 3], face: DVec3, tolerance: f64) -> bool {
    let [a, b, c] = *corners;
    let margin = DVec3::splat(tolerance);
    let is_inside = |from: DVec3, to: DVec3, third: DVec3| {
        let side = to - from;
        let across = face.cross(side);
        let (height, inward) = (across.dot(position - from), across.dot(third - from));
        0.0 <= height * inward || height * height <= tolerance * tolerance * side.length_squared()
    };
    face.dot(position - a).abs() <= tolerance
        && position.cmpge(a.min(b).min(c) - margin).all()
        && position.cmple(a.max(b).max(c) + margin).all()
        && is_inside(a, b, c)
        && is_inside(b, c, a)
        && is_inside(c, a, b)
}

/// Returns the contacts of a triangle along the normal of its face. `None` if the body is deeper in
/// its plane than `least`, a distance: it is then beside the triangle, not before it. `tolerance`
/// is a length.
fn on_own_plane(
    of: &Touching<'_>,
    body: &Shape,
    pose: &WidePose,
    manifold: &Manifold,
    (least, tolerance): (f64, f64),
) -> Option<Manifold> {
    let (touch, face) = (of.touch?, of.face?);
    let (margin, lowest) =
        body.with_part(touch.own_part, pose, |map, pose| (map.margin(), lowest_of_convex(map, pose, face)))?;
    let is_a = of.neighbour.is_a;
    let cosine = face.dot(touch.normal);
    // The core of a ball, a capsule or a box is nearest to the edge and to the plane at the same
    // point.
    let at_edge = |distance: f64| (distance + margin) * cosine - margin;
    let deepest = at_edge(widen_real(manifold.deepest()?.distance));
    // A wheel has a point that is nearer to the plane.
    let nearer = deepest - (lowest - face.dot(of.triangle?[0])).max(0.0);
    let nearer = if tolerance < nearer { nearer } else { 0.0 };
    let from_plane = |distance: f64| at_edge(distance) - nearer;
    if deepest - nearer < least {
        return None;
    }
    let mut made = Manifold::new(narrow(if is_a { face } else { -face }));
    for contact in manifold.contacts() {
        let on_body = widen(if is_a { contact.point_b } else { contact.point_a });
        let on_body = on_body + (touch.normal - face) * margin;
        let distance = from_plane(widen_real(contact.distance));
        let on_plane = on_body - face * distance;
        let (point_a, point_b) = if is_a { (on_plane, on_body) } else { (on_body, on_plane) };
        let turned = Contact::new(narrow(point_a), narrow(point_b), made.normal(), narrow_real(distance));
        let turned = turned.with_parts(contact.part_a, contact.part_b);
        made.push(turned.with_features(contact.feature_a, contact.feature_b));
    }
    Some(made)
}
