//! Contacts with the facet ahead in a valley: the plane of the facet, not its near edge.
//!
//! In front of a bend upwards, the nearest point of the next facet is on the edge that it shares
//! with the facet below the body. The direction from that edge leans back. For a ball or a wheel
//! it leans by much more than the bend: by the distance along the floor over the radius. A
//! speculative contact along it takes away speed.
//!
//! 1. Near a concave edge, the free space is the intersection of the half-spaces in front of the
//!    two facets. So no contact with the edge is real, and both planes bound the body.
//! 2. A search begins at facets that are touched inside. It goes on to a facet whose contact point
//!    lies on one that was reached, if each is in front of the plane of the other.
//! 3. The contacts of such a facet are those of its plane with the lowest points of the body. They
//!    are kept, so that a fast body still meets the facet within the step. The point of a wheel
//!    that is nearest to the edge would not do, because it goes down as the wheel rolls.
//! 4. A steep bend is a corner, not a valley: its contacts stay. In the corner of a room, a body
//!    that has sunk into one wall is far behind the plane of the other.
//! 5. Only points between the ends of the edge count, or those of a facet behind another one that
//!    was reached. Past the end of a ramp there is no ramp, and its plane bounds nothing.
//! 6. A coplanar triangle continues the search. It keeps only contacts over itself, because its
//!    plane is that of the last one. Convex edges end the search.
//!
//! A facet is a triangle, or a face of a convex piece such as a box. Internal edges of flat floors
//! are left to [`super::internal_edges`].

use super::super::num::geom::{Contact, Manifold};
use super::super::num::{Real, narrow, narrow_real, widen, widen_real};
use super::shape::Shape;
use super::touch::Touching;
use crate::spread::spread;
use alloc::vec::Vec;
use carom_geom::{Feature, FeatureId, MAX_FEATURE_POINTS};
use carom_math::scaling::unit;
use carom_math::{WidePose, tol};
use glam::DVec3;

/// The cosine of the steepest bend of a valley: 45 degrees.
const STEEPEST_COSINE: f64 = core::f64::consts::FRAC_1_SQRT_2;

/// The most corners of a facet. Faces with more belong to curved surfaces.
const MAX_CORNERS: usize = 8;

/// A body and what its contacts are found with.
#[derive(Clone, Copy)]
pub(super) struct Above<'a> {
    pub(super) body: &'a Shape,
    pub(super) pose: &'a WidePose,
    pub(super) prediction: Real,
    /// A length: how far a piece may protrude from the surface.
    pub(super) tolerance: f64,
}

/// Gives contacts with concave edges the planes of their own facets. Returns the number of changed
/// manifolds.
#[inline(never)]
pub(super) fn face_concave_edges(
    all: &mut [Touching<'_>],
    above: &Above<'_>,
    manifolds: &mut [Manifold],
) -> usize {
    // The usual cases: a flat floor, or no edge.
    let may_begin = |touching: &&Touching<'_>| touching.touch.is_some() && touching.is_inside != Some(false);
    let Some(first) = all.iter().find(may_begin) else { return 0 };
    if !all.iter().any(|other| may_bend(first, other)) {
        return 0;
    }
    let distances = all.iter().filter_map(|touching| deepest(manifolds.get(touching.index)?));
    let least = distances.fold(0.0, f64::min) - above.tolerance;
    let mut open: Vec<Reached> = all.iter().filter_map(Reached::inside).collect();
    // A convex piece that is touched inside a face may still be reached by another one.
    let mut is_reached: Vec<bool> = all.iter().map(|touching| touching.is_inside == Some(true)).collect();
    let mut n_changed = 0;
    while let Some(from) = open.pop() {
        for number in 0..all.len() {
            let next = &all[number];
            let (index, Some(touch)) = (next.index, next.touch) else { continue };
            if is_reached[number] || touch.own_part != from.own_part {
                continue;
            }
            let Some(bend) = Bend::between(&from.facet, next, &manifolds[index], above.tolerance) else {
                continue;
            };
            let facet = bend.facet;
            if is_along(facet.normal, touch.normal) {
                // The facet is touched inside, so the search began there too.
                continue;
            }
            if !bend.is_concave {
                // The plane is that of the last facet: only contacts over this one are new. Those
                // of convex pieces are left to the smoothing of flat floors.
                if next.triangle.is_some() {
                    let Above { body, pose, prediction, .. } = *above;
                    manifolds[index] = touch.along(next.neighbour, facet.normal, body, pose, prediction);
                    all[number] = Touching::of(next.neighbour, index, body, manifolds);
                    n_changed += 1;
                }
            } else if let Some(made) = bend.contacts(next, above, from.is_behind) {
                // A body deeper in the plane is beside the facet, not before it.
                if deepest(&made).is_some_and(|distance| least <= distance) {
                    manifolds[index] = made;
                    all[number].turn_to(facet.normal, facet.normal.dot(facet.corners()[0]));
                    n_changed += 1;
                }
            } else {
                continue;
            }
            is_reached[number] = true;
            let is_behind = from.is_behind || bend.is_concave;
            open.push(Reached { facet, own_part: touch.own_part, is_behind });
        }
    }
    n_changed
}

fn deepest(manifold: &Manifold) -> Option<f64> {
    manifold.deepest().map(|contact| widen_real(contact.distance))
}

/// Whether the surface may bend between two touches, of which the first is no edge of a triangle.
fn may_bend(first: &Touching<'_>, other: &Touching<'_>) -> bool {
    let normals = first.touch.zip(other.touch);
    match other.is_inside {
        Some(true) => false,
        Some(false) => !first.face.zip(other.face).is_some_and(|(one, other)| are_parallel(one, other)),
        None => normals.is_some_and(|(one, other)| !is_along(one.normal, other.normal)),
    }
}

fn is_along(one: DVec3, other: DVec3) -> bool {
    (one - other).abs().max_element() <= tol::SAME_NORMAL
}

fn are_parallel(one: DVec3, other: DVec3) -> bool {
    is_along(one, other) || is_along(one, -other)
}

/// A flat face of a piece, in the world.
#[derive(Clone, Copy)]
struct Facet {
    corners: [DVec3; MAX_CORNERS],
    n_corners: usize,
    normal: DVec3,
}

impl Facet {
    /// Returns the triangle of a touch, or the face of a convex piece that leans most toward a
    /// plane with this normal. `None` if it leans too steeply, or has too many corners.
    fn of(touching: &Touching<'_>, normal: DVec3) -> Option<Facet> {
        let mut corners = [DVec3::ZERO; MAX_CORNERS];
        if let Some(triangle) = touching.triangle {
            corners[..3].copy_from_slice(&triangle);
            let normal = touching.face.filter(|face| *face != DVec3::ZERO)?;
            return Some(Facet { corners, n_corners: 3, normal });
        }
        let (neighbour, part) = (touching.neighbour, touching.touch?.part);
        neighbour.shape.with_part(part, &neighbour.pose, |map, pose| {
            let mut side = Feature::new();
            let has_side = map.leaning_side(pose.inverse_transform_vector(normal), &mut side);
            let n_corners = side.points().len();
            if !has_side || !(3..=MAX_CORNERS).contains(&n_corners) {
                return None;
            }
            for (corner, &point) in corners.iter_mut().zip(side.points()) {
                *corner = pose.transform_point(point);
            }
            Some(Facet { corners, n_corners, normal: pose.transform_vector(side.normal) })
        })?
    }

    fn corners(&self) -> &[DVec3] {
        &self.corners[..self.n_corners]
    }

    /// Whether a point lies on the facet, or nearly: within the tolerance of its plane, of its
    /// sides and of its box.
    fn has(&self, position: DVec3, tolerance: f64) -> bool {
        let corners = self.corners();
        if tolerance < self.normal.dot(position - corners[0]).abs() {
            return false;
        }
        let margin = DVec3::splat(tolerance);
        let low = corners.iter().fold(DVec3::INFINITY, |low, corner| low.min(*corner));
        let high = corners.iter().fold(DVec3::NEG_INFINITY, |high, corner| high.max(*corner));
        let center = corners.iter().sum::<DVec3>() / corners.len() as f64;
        let is_inside = |k: usize| {
            let (from, side) = (corners[k], corners[(k + 1) % corners.len()] - corners[k]);
            let across = self.normal.cross(side);
            let (height, inward) = (across.dot(position - from), across.dot(center - from));
            0.0 <= height * inward || height * height <= tolerance * tolerance * side.length_squared()
        };
        position.cmpge(low - margin).all()
            && position.cmple(high + margin).all()
            && (0..corners.len()).all(is_inside)
    }

    /// Whether the facet is in front of a plane through a point of it.
    fn rises(&self, position: DVec3, normal: DVec3, tolerance: f64) -> bool {
        let heights = || self.corners().iter().map(|corner| normal.dot(*corner - position));
        let (low, high) = (heights().fold(f64::INFINITY, f64::min), heights().fold(0.0, f64::max));
        -low <= tolerance && -low < high
    }
}

/// A facet that the search came to, and the part of the body that touches it.
struct Reached {
    facet: Facet,
    own_part: u32,
    /// Whether the facet is behind a bend.
    is_behind: bool,
}

impl Reached {
    /// `None` unless the touch is inside its facet.
    fn inside(touching: &Touching<'_>) -> Option<Reached> {
        let touch = touching.touch.filter(|_| touching.is_inside != Some(false))?;
        let facet = Facet::of(touching, touch.normal)?;
        is_along(facet.normal, touch.normal).then_some(Reached {
            facet,
            own_part: touch.own_part,
            is_behind: false,
        })
    }
}

/// The surface between two facets.
struct Bend {
    /// The second facet. Its normal is on the side of the surface on which the first one's is.
    facet: Facet,
    /// Whether the bend is concave. Otherwise the surface is flat there.
    is_concave: bool,
    /// The direction of the common edge, and where it begins and ends along it.
    along: DVec3,
    ends: [f64; 2],
}

impl Bend {
    /// Returns how the surface bends between two facets that the same part of the body touches, if
    /// the contact point on `next` lies on `from`. `None` if they do not meet there, and for a
    /// convex or a steep bend.
    ///
    /// The direction of the contact does not tell the side of `next`: a box that has sunk in is
    /// behind its edge. The side is the one from which both facets are seen.
    fn between(from: &Facet, next: &Touching<'_>, manifold: &Manifold, tolerance: f64) -> Option<Bend> {
        let contact = manifold.deepest()?;
        let position = widen(if next.neighbour.is_a { contact.point_a } else { contact.point_b });
        // The dearest tests come last: most edges of a terrain are convex.
        let is_piece = next.triangle.is_none();
        if is_piece && !from.has(position, tolerance) {
            return None;
        }
        let mut facet = Facet::of(next, from.normal)?;
        let is_flat = are_parallel(facet.normal, from.normal);
        if is_flat {
            facet.normal = from.normal;
        } else if !is_piece && !from.rises(position, facet.normal, tolerance) {
            // A triangle has two sides.
            facet.normal = -facet.normal;
        }
        let is_bend = || {
            STEEPEST_COSINE <= facet.normal.dot(from.normal)
                && from.rises(position, facet.normal, tolerance)
                && facet.rises(position, from.normal, tolerance)
        };
        let meets = || (is_piece || from.has(position, tolerance)) && facet.has(position, tolerance);
        if !(is_flat || is_bend()) || !meets() {
            return None;
        }
        if is_flat {
            return Some(Bend { facet, is_concave: false, along: DVec3::ZERO, ends: [0.0; 2] });
        }
        let along = unit(from.normal.cross(facet.normal))?;
        let mut ends = [f64::INFINITY, f64::NEG_INFINITY];
        for corner in facet.corners() {
            if from.normal.dot(*corner - position).abs() <= tolerance {
                let at = along.dot(*corner);
                ends = [ends[0].min(at - tolerance), ends[1].max(at + tolerance)];
            }
        }
        Some(Bend { facet, is_concave: true, along, ends })
    }

    /// Returns the contacts of the lowest points of the body with the plane of the second facet,
    /// if there are any between the ends of the edge. Behind another bend, there may be none: then
    /// all count.
    fn contacts(&self, next: &Touching<'_>, above: &Above<'_>, is_behind: bool) -> Option<Manifold> {
        let touch = next.touch?;
        let mut feature = Feature::new();
        let (normal, start) = (self.facet.normal, self.facet.corners()[0]);
        let mut lowest = [(DVec3::ZERO, FeatureId::UNKNOWN); MAX_FEATURE_POINTS];
        above.body.with_part(touch.own_part, above.pose, |map, pose| {
            map.feature(pose.inverse_transform_vector(-normal), &mut feature);
            for ((place, &point), &id) in lowest.iter_mut().zip(feature.points()).zip(feature.ids()) {
                *place = (pose.transform_point(point) - normal * map.margin(), id);
            }
        })?;
        let lowest = &lowest[..feature.points().len()];
        let mut points = between(lowest, self.along, self.ends);
        if is_behind && points.is_empty() {
            points.extend_from_slice(lowest);
        }
        let with_height = |(point, id): (DVec3, FeatureId)| (normal.dot(point - start), point, id);
        let is_near = |&(height, ..): &(f64, _, _)| narrow_real(height) <= above.prediction;
        let near: Vec<_> = points.into_iter().map(with_height).filter(is_near).collect();
        if near.is_empty() {
            return None;
        }
        let is_a = next.neighbour.is_a;
        let mut made = Manifold::new(narrow(if is_a { normal } else { -normal }));
        for (height, on_body, id) in spread(&near).map(|index| near[index]) {
            let on_plane = on_body - normal * height;
            let (point_a, point_b) = if is_a { (on_plane, on_body) } else { (on_body, on_plane) };
            let contact = Contact::new(narrow(point_a), narrow(point_b), made.normal(), narrow_real(height));
            let (id_a, id_b) = if is_a { (FeatureId::UNKNOWN, id) } else { (id, FeatureId::UNKNOWN) };
            made.push(contact.with_features(id_a, id_b));
        }
        Some(touch.with_parts(next.neighbour, made))
    }
}

/// Returns the corners of the part of a polygon, a segment or a point between two ends along an
/// axis.
fn between(points: &[(DVec3, FeatureId)], along: DVec3, [low, high]: [f64; 2]) -> Vec<(DVec3, FeatureId)> {
    let n_sides = if points.len() < 3 { points.len() / 2 } else { points.len() };
    let mut found = Vec::new();
    for (k, &(point, id)) in points.iter().enumerate() {
        let at = along.dot(point);
        if low <= at && at <= high {
            found.push((point, id));
        }
        if n_sides <= k {
            continue;
        }
        let (next, next_id) = points[(k + 1) % points.len()];
        let next_at = along.dot(next);
        for (end, is_out) in [(low, at < low), (high, high < at)] {
            if (at < end) != (next_at < end) && at != end && next_at != end {
                // The end replaces the point beyond it.
                let crossing = point + (next - point) * ((end - at) / (next_at - at));
                found.push((crossing, if is_out { id } else { next_id }));
            }
        }
    }
    found
}
