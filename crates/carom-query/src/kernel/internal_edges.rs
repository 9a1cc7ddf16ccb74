//! Removal of ghost collisions at internal edges: between the triangles of a floor, adjacent tiles,
//! or two fields.
//!
//! A body that slides over a floor of several pieces has sunk in a little. At a seam the least way
//! out of the next piece is then backwards, not up: a ghost collision.
//!
//! 1. The contact with the supporting piece gives a plane with the body above it.
//! 2. If the next piece lies below that plane, up separates the body from both pieces, at no more
//!    depth.
//! 3. The contact is then computed again along the normal of the supporting piece.
//! 4. Steps, slopes and walls rise above the plane, and keep their normals. An outer edge, behind
//!    which there is no other piece, keeps its normal too. A contact inside a triangle keeps its
//!    normal too, even if another part of the body touches an edge.
//!
//! A triangle that rises at a concave edge gets its own normal, see [`super::concave_edges`].
//!
//! Only support points are used, not adjacency. So the pieces need not share vertices, a mesh or a
//! body.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.3; P. Terdiman, Contact
//! generation for meshes, 2003, and E. Coumans, Bullet's internal edge utility, 2010, for the fault
//! and for its cure within one mesh, by adjacency.
//! Differs: by separating planes of all that a body touches, across meshes, parts of compounds, and
//! bodies.

use super::super::num::geom::Manifold;
use super::super::num::sat::manifold_along;
use super::super::num::{Pose, Real, widen, widen_real};
use super::concave_edges::face_concave_edges;
use super::escape_direction::Surroundings;
use super::shape::Shape;
use alloc::vec::Vec;
use carom_geom::{Feature, SupportMap};
use carom_math::scaling::unit;
use carom_math::{WidePose, tol};
use core::ops::Range;
use glam::DVec3;

/// The most passes over the contacts of a body. Flat floors needed up to three.
const ROUNDS: usize = 4;

/// A shape that a body touches, and the range of their manifolds.
#[derive(Clone, Debug)]
pub struct Neighbour<'a> {
    pub(super) shape: &'a Shape,
    pub(super) pose: WidePose,
    pub(super) is_a: bool,
    pub(super) manifolds: Range<usize>,
}

impl<'a> Neighbour<'a> {
    /// Creates a neighbour from its shape and its pose in the world. `manifolds` is the range of
    /// its manifolds in the list that is passed with the neighbours. With `is_a` the neighbour is
    /// A in these manifolds and the body is B, else the other way round.
    pub fn new(shape: &'a Shape, pose: &Pose, is_a: bool, manifolds: Range<usize>) -> Neighbour<'a> {
        Neighbour { shape, pose: pose.wide(), is_a, manifolds }
    }

    /// Returns the normal of one of its manifolds, from the neighbour to the body.
    pub(super) fn outward(&self, manifold: &Manifold) -> DVec3 {
        let normal = widen(manifold.normal());
        if self.is_a { normal } else { -normal }
    }
}

/// Changes the contacts of a body with pieces of a surface as if the surface were one piece. So a
/// sliding body does not catch on internal edges. Returns the number of changed manifolds. World
/// frame.
///
/// `manifolds` are those that [`manifolds`](fn@super::manifolds) found between the body and its
/// neighbours; other manifolds may lie between them in the list.
/// - A manifold whose normal belongs to an internal edge gets the normal of the surface. Its
///   contacts are computed again within `prediction`; there are none if the body is not over that
///   piece.
/// - A manifold of a triangle that rises ahead of the body, at a concave edge, gets the normal of
///   that triangle, and the distance from its plane (test: `valleys::*`, in carom-world).
/// - A manifold may push the body out of one piece into another that pushes back. It then gets the
///   least depth along a direction that is not blocked, so that a body deep in both comes out.
///
/// `tolerance`, a length, is how far a piece may protrude from the surface because of rounding or
/// inaccurate placement. Lower steps are smoothed. Panics if the range of a neighbour exceeds the
/// list.
pub fn smooth_internal_edges(
    body: &Shape,
    pose: &Pose,
    neighbours: &[Neighbour<'_>],
    manifolds: &mut [Manifold],
    prediction: Real,
    tolerance: Real,
) -> usize {
    let pose = pose.wide();
    let tolerance = widen_real(tolerance);
    let mut n_changed = 0;
    // First, normals that lean only because the body leans: the body's own face gave the least way
    // out of a small piece. The contact gets the normal of the floor.
    for neighbour in neighbours {
        for i in neighbour.manifolds.clone() {
            let Some(own) = Touch::of(neighbour, body, manifolds, i) else { continue };
            let Some(upright) = own.face_normal(neighbour) else { continue };
            let made = own.along(neighbour, upright, body, &pose, prediction);
            let deepest =
                |manifold: &Manifold| manifold.deepest().map(|contact| widen_real(contact.distance));
            if let (Some(now), Some(before)) = (deepest(&made), deepest(&manifolds[i]))
                && before - tolerance <= now
            {
                manifolds[i] = made;
                n_changed += 1;
            }
        }
    }
    // Next, directions that lead out of one piece into another that pushes back. A body deep in
    // both would not come out of either.
    let surroundings = Surroundings { body, pose: &pose, neighbours, prediction, tolerance };
    for neighbour in neighbours {
        for i in neighbour.manifolds.clone() {
            if let Some(made) = surroundings.alternative_exit(neighbour, i, manifolds) {
                manifolds[i] = made;
                n_changed += 1;
            }
        }
    }
    let mut all: Vec<Touching<'_>> = Vec::new();
    for neighbour in neighbours {
        for index in neighbour.manifolds.clone() {
            all.push(Touching::of(neighbour, index, body, manifolds));
        }
    }
    n_changed += face_concave_edges(&mut all, body, &pose, manifolds, prediction, tolerance);
    // The nearest plane may itself belong to an internal edge, and change in a later pass.
    for _ in 0..ROUNDS {
        let mut n = 0;
        for number in 0..all.len() {
            let Touching { neighbour, index, touch: Some(own), .. } = all[number] else { continue };
            if let Some(normal) = plane_between(number, &own, &all, body, &pose, tolerance) {
                manifolds[index] = own.along(neighbour, normal, body, &pose, prediction);
                all[number] = Touching::of(neighbour, index, body, manifolds);
                n += 1;
            }
        }
        n_changed += n;
        if n == 0 {
            break;
        }
    }
    n_changed
}

/// A manifold of a neighbour, by its index in the list of all.
#[derive(Clone, Copy)]
pub(super) struct Touching<'a> {
    pub(super) neighbour: &'a Neighbour<'a>,
    pub(super) index: usize,
    /// `None` if there is no contact any more.
    pub(super) touch: Option<Touch>,
    /// The corners of the piece if it is a triangle, in the world. They are cached, because lookups
    /// for each pair of touches took a quarter of a step.
    pub(super) triangle: Option<[DVec3; 3]>,
    /// The normal of the triangle, towards the body; zero without area.
    pub(super) face: Option<DVec3>,
    /// The extent of the piece along the normal of the touch: its plane.
    plane: Option<f64>,
    /// Whether the piece is a triangle whose inside is touched, not an edge or a corner. `None` if
    /// it is not a triangle.
    pub(super) is_inside: Option<bool>,
}

impl<'a> Touching<'a> {
    pub(super) fn of(
        neighbour: &'a Neighbour<'a>,
        index: usize,
        body: &Shape,
        manifolds: &[Manifold],
    ) -> Touching<'a> {
        let touch = Touch::of(neighbour, body, manifolds, index);
        let triangle = touch.and_then(|touch| neighbour.shape.triangle_corners(touch.part, &neighbour.pose));
        let face = touch.zip(triangle).map(|(touch, [a, b, c])| {
            let across = unit((b - a).cross(c - a)).unwrap_or(DVec3::ZERO);
            if across.dot(touch.normal) < 0.0 { -across } else { across }
        });
        let is_inside = touch
            .zip(face)
            .map(|(touch, face)| (face - touch.normal).abs().max_element() <= tol::SAME_NORMAL);
        let mut touching = Touching { neighbour, index, touch, triangle, face, plane: None, is_inside };
        touching.plane = touch.and_then(|touch| touching.reach(&touch, touch.normal));
        touching
    }

    /// Gives the touch the normal of the face. The contact still counts as one with an edge.
    pub(super) fn turn_to_face(&mut self, face: DVec3) {
        if let Some(touch) = &mut self.touch {
            touch.normal = face;
            self.face = Some(face);
            self.plane = self.triangle.map(|[corner, ..]| face.dot(corner));
        }
    }

    /// Returns the extent of the piece of a touch along a unit vector.
    fn reach(&self, touch: &Touch, up: DVec3) -> Option<f64> {
        if let Some([a, b, c]) = self.triangle {
            return Some(up.dot(a).max(up.dot(b)).max(up.dot(c)));
        }
        reach(self.neighbour.shape, touch.part, &self.neighbour.pose, up)
    }
}

/// Returns the normal of another manifold whose plane has the piece of touch number `number` behind
/// it. If there are several, it returns the one nearest to `own`, the normal of that touch.
fn plane_between(
    number: usize,
    own: &Touch,
    all: &[Touching<'_>],
    body: &Shape,
    pose: &WidePose,
    tolerance: f64,
) -> Option<DVec3> {
    let mut best = f64::NEG_INFINITY;
    let mut normal = None;
    for (k, other) in all.iter().enumerate() {
        let Some(touch) = &other.touch else { continue };
        let alike = own.normal.dot(touch.normal);
        if best < alike
            && k != number
            && (all[number].is_inside, other.is_inside) != (Some(true), Some(false))
            && tol::SAME_NORMAL < (own.normal - touch.normal).abs().max_element()
            && is_behind(&all[number], own, other, touch, body, pose, tolerance)
        {
            (best, normal) = (alike, Some(touch.normal));
        }
    }
    normal
}

/// Whether the piece of `this` lies below the plane of the other touch, and the body reaches no
/// lower at `this` than at the other. `own` is the touch of `this`, `touch` the other one.
fn is_behind(
    this: &Touching<'_>,
    own: &Touch,
    other: &Touching<'_>,
    touch: &Touch,
    body: &Shape,
    pose: &WidePose,
    tolerance: f64,
) -> bool {
    let up = touch.normal;
    let (Some(plane), Some(top)) = (other.plane, this.reach(own, up)) else { return false };
    if !(top <= plane + tolerance) {
        return false;
    }
    // Two small pieces with similar normals can each be behind the plane of the other. The plane
    // with the smaller protrusion is that of the surface.
    if let (Some(own_plane), Some(theirs_out)) = (this.plane, other.reach(touch, own.normal))
        && theirs_out - own_plane <= top - plane
    {
        return false;
    }
    if own.own_part == touch.own_part {
        return true;
    }
    let low = |part: u32| reach(body, part, pose, -up);
    matches!((low(own.own_part), low(touch.own_part)), (Some(here), Some(there)) if here <= there + tolerance)
}

/// One manifold, seen from the body.
#[derive(Clone, Copy)]
pub(super) struct Touch {
    /// From the neighbour to the body.
    pub(super) normal: DVec3,
    /// Part of the neighbour.
    pub(super) part: u32,
    /// Part of the body.
    pub(super) own_part: u32,
}

impl Touch {
    /// Returns the touch of a manifold; `None` without contacts. Also `None` for two meshes, whose
    /// contacts are already those of whole faces.
    pub(super) fn of(
        neighbour: &Neighbour<'_>,
        body: &Shape,
        manifolds: &[Manifold],
        index: usize,
    ) -> Option<Touch> {
        let manifold = manifolds.get(index)?;
        let contact = manifold.contacts().first()?;
        let (theirs, own) =
            if neighbour.is_a { (contact.part_a, contact.part_b) } else { (contact.part_b, contact.part_a) };
        if neighbour.shape.is_mesh_part(theirs) && body.is_mesh_part(own) {
            return None;
        }
        Some(Touch { normal: neighbour.outward(manifold), part: theirs, own_part: own })
    }

    /// Returns the normal of the face of the piece towards the body, if the contact's normal
    /// differs from it a little.
    fn face_normal(&self, neighbour: &Neighbour<'_>) -> Option<DVec3> {
        neighbour.shape.with_part(self.part, &neighbour.pose, |map, pose| {
            let mut feature = Feature::new();
            map.feature(pose.inverse_transform_vector(self.normal), &mut feature);
            let normal = pose.transform_vector(feature.normal);
            let lean = (normal - self.normal).abs().max_element();
            (3 <= feature.points().len() && tol::SAME_NORMAL < lean && lean <= tol::FEATURE_SINE)
                .then_some(normal)
        })?
    }

    /// Sets the two part numbers in the manifold.
    pub(super) fn with_parts(&self, neighbour: &Neighbour<'_>, mut made: Manifold) -> Manifold {
        let (part_a, part_b) =
            if neighbour.is_a { (self.part, self.own_part) } else { (self.own_part, self.part) };
        for contact in made.contacts_mut() {
            *contact = contact.with_parts(part_a, part_b);
        }
        made
    }

    /// Returns the contacts of the same two parts along another normal, from the neighbour to the
    /// body. World frame.
    pub(super) fn along(
        &self,
        neighbour: &Neighbour<'_>,
        normal: DVec3,
        body: &Shape,
        pose: &WidePose,
        prediction: Real,
    ) -> Manifold {
        let two =
            |a: &dyn SupportMap, pose_a: &WidePose, b: &dyn SupportMap, pose_b: &WidePose, normal: DVec3| {
                let turned = pose_a.inverse_transform_vector(normal);
                let mut made = manifold_along(a, b, &pose_b.relative_to(pose_a), turned, prediction);
                made.transform(pose_a);
                made
            };
        let made = neighbour.shape.with_part(self.part, &neighbour.pose, |piece, pose_piece| {
            body.with_part(self.own_part, pose, |own, pose_own| {
                if neighbour.is_a {
                    two(piece, pose_piece, own, pose_own, normal)
                } else {
                    two(own, pose_own, piece, pose_piece, -normal)
                }
            })
        });
        self.with_parts(neighbour, made.flatten().unwrap_or(Manifold::new(super::super::num::narrow(normal))))
    }
}

/// Returns all touches of a body, with the indices of their manifolds.
pub(super) fn touches<'a>(
    neighbours: &'a [Neighbour<'a>],
    body: &'a Shape,
    manifolds: &'a [Manifold],
) -> impl Iterator<Item = (&'a Neighbour<'a>, usize, Touch)> {
    let numbered = |other: &'a Neighbour<'a>| other.manifolds.clone().map(move |k| (other, k));
    neighbours
        .iter()
        .flat_map(numbered)
        .filter_map(move |(other, k)| Touch::of(other, body, manifolds, k).map(|touch| (other, k, touch)))
}

/// Returns the extent of a part along a unit vector, in the frame in which `pose` places it. A
/// half-space has one only along its normal.
fn reach(shape: &Shape, part: u32, pose: &WidePose, up: DVec3) -> Option<f64> {
    if let Some((normal, point)) = shape.plane_of_part(part, pose) {
        let is_along = (normal - up).abs().max_element() <= tol::SAME_NORMAL;
        return is_along.then(|| up.dot(point));
    }
    shape.with_part(part, pose, |map, pose| {
        let direction = pose.inverse_transform_vector(up);
        let point = map.support_exact(direction, map.support(direction)).point;
        up.dot(pose.transform_point(point)) + map.margin()
    })
}
