//! Contacts with edges that lie inside a larger surface: of the triangles of a floor, of tiles side
//! by side, of two fields.
//!
//! A body that slides over a floor of many pieces has sunk in a little, so at the seam the next
//! piece is in its way, though the floor is flat: the least way out of that piece is back, not up
//! (a ghost collision). But the contact with the piece that it stands on gives a plane that the
//! body is above and the other piece below, so up is a way out of both, no deeper than the one that
//! the solver has to go anyway. Such a contact is made again along the other's normal. What rises
//! above the plane, a step or a slope or a wall, keeps its normal, and so does an edge that nothing
//! goes on behind. Only supports are asked for: no adjacency, so it does not matter whether the
//! pieces share vertices, a mesh, or a body.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.3; P. Terdiman, Contact
//! generation for meshes, 2003, and E. Coumans, Bullet's internal edge utility, 2010, for the fault
//! and for its cure within one mesh, by adjacency.
//! Differs: by separating planes of all that a body touches, across meshes, parts of compounds, and
//! bodies.

use super::super::num::geom::Manifold;
use super::super::num::sat::manifold_along;
use super::super::num::{Pose, Real, widen, widen_real};
use super::manifolds::place;
use super::shape::{Kind, Shape};
use super::shut_ways::Surroundings;
use alloc::vec::Vec;
use carom_geom::{Feature, SupportMap};
use carom_math::{WidePose, tol};
use core::ops::Range;
use glam::DVec3;

/// So often the contacts of a body are gone through at most; three times were the most seen on flat
/// floors.
const ROUNDS: usize = 4;

/// Something that a body touches, and which manifolds are those of the two.
#[derive(Clone, Debug)]
pub struct Neighbour<'a> {
    pub(super) shape: &'a Shape,
    pub(super) pose: WidePose,
    pub(super) is_a: bool,
    pub(super) manifolds: Range<usize>,
}

impl<'a> Neighbour<'a> {
    /// `manifolds` are places in the list that is given with the neighbours. In them the neighbour
    /// is A, and the body B, if `is_a` says so, else the other way round.
    pub fn new(shape: &'a Shape, pose: &Pose, is_a: bool, manifolds: Range<usize>) -> Neighbour<'a> {
        Neighbour { shape, pose: pose.wide(), is_a, manifolds }
    }

    /// The normal of one of its manifolds, from it to the body.
    pub(super) fn outward(&self, manifold: &Manifold) -> DVec3 {
        let normal = widen(manifold.normal());
        if self.is_a { normal } else { -normal }
    }
}

/// Makes the contacts of a body with pieces of a surface as if the surface were one, so that a body
/// that slides over them catches on no edge between them. Says how many were changed.
///
/// World frame; `manifolds` are those that [`manifolds`](fn@super::manifolds) found between the
/// body and its neighbours, near each other in one list or not. One whose normal belongs to an edge
/// inside the surface gets the surface's, with new contacts within `prediction`, or none where the
/// body is not over that piece. One that leads out of a piece and into the next, which pushes back,
/// gets the least way out that does not, so that who is deep in both comes out. `tolerance`, a
/// length, is how far a piece may stand out of the surface, by rounding or where it is badly
/// fitted: lower steps are none.
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
    // First what leans only because the body does: its own face was the least way out of a small
    // piece. A floor has the floor's normal.
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
    // Then what leads out of one piece and into another, that pushes back: who is deep in both
    // would come out of neither.
    let surroundings = Surroundings { body, pose: &pose, neighbours, prediction, tolerance };
    for neighbour in neighbours {
        for i in neighbour.manifolds.clone() {
            if let Some(made) = surroundings.aside(neighbour, i, manifolds) {
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
    // The nearest of the planes may be that of an edge itself, and give way in its turn.
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

/// A manifold of a neighbour, by its number in the list of all.
#[derive(Clone, Copy)]
struct Touching<'a> {
    neighbour: &'a Neighbour<'a>,
    index: usize,
    /// None if there is no contact any more.
    touch: Option<Touch>,
    /// The corners of the piece if it is a triangle, in the world: to look them up for each pair of
    /// touches took a quarter of a step.
    triangle: Option<[DVec3; 3]>,
    /// How far the piece reaches along the normal of the touch: its plane.
    plane: Option<f64>,
}

impl<'a> Touching<'a> {
    fn of(neighbour: &'a Neighbour<'a>, index: usize, body: &Shape, manifolds: &[Manifold]) -> Touching<'a> {
        let touch = Touch::of(neighbour, body, manifolds, index);
        let triangle = touch.and_then(|touch| neighbour.shape.triangle_corners(touch.part, &neighbour.pose));
        let mut touching = Touching { neighbour, index, touch, triangle, plane: None };
        touching.plane = touch.and_then(|touch| touching.reach(&touch, touch.normal));
        touching
    }

    /// How far the piece of a touch of it reaches along a unit vector.
    fn reach(&self, touch: &Touch, up: DVec3) -> Option<f64> {
        if let Some([a, b, c]) = self.triangle {
            return Some(up.dot(a).max(up.dot(b)).max(up.dot(c)));
        }
        reach(self.neighbour.shape, touch.part, &self.neighbour.pose, up)
    }
}

/// The normal of another manifold whose plane has the piece of touch number `number` behind it; if
/// there are several, the one most like the normal of that touch, which is `own`.
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
            && tol::SAME_NORMAL < (own.normal - touch.normal).abs().max_element()
            && is_behind(&all[number], own, other, touch, body, pose, tolerance)
        {
            (best, normal) = (alike, Some(touch.normal));
        }
    }
    normal
}

/// The other touch's plane has the piece of `this` touch below it, and the body as far above it as
/// there.
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
    // Small pieces whose normals differ little are each behind the other: the plane that less
    // stands out of is the surface's.
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
    /// Of the neighbour.
    pub(super) part: u32,
    /// Of the body.
    pub(super) own_part: u32,
}

impl Touch {
    /// `None` where there is no contact; nor for two meshes, whose contacts are those of whole
    /// faces already.
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

    /// The normal of the face that the piece turns to the body, where the contact's leans a little
    /// from it.
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

    /// The manifold with the numbers of the two parts.
    pub(super) fn with_parts(&self, neighbour: &Neighbour<'_>, mut made: Manifold) -> Manifold {
        let (part_a, part_b) =
            if neighbour.is_a { (self.part, self.own_part) } else { (self.own_part, self.part) };
        for contact in made.contacts_mut() {
            *contact = contact.with_parts(part_a, part_b);
        }
        made
    }

    /// The contacts of the same two parts along another normal, from the neighbour to the body.
    /// World frame.
    fn along(
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
                place(&mut made, pose_a);
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

/// All that a body touches, with the numbers of the manifolds.
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

/// How far a part reaches along a unit vector, in the frame that `pose` places it in. Of a
/// half-space only along its normal.
fn reach(shape: &Shape, part: u32, pose: &WidePose, up: DVec3) -> Option<f64> {
    if let Kind::HalfSpace(plane) = shape.kind() {
        let normal = pose.transform_vector(plane.normal_wide());
        let is_along = (normal - up).abs().max_element() <= tol::SAME_NORMAL;
        return is_along.then(|| up.dot(pose.translation));
    }
    shape.with_part(part, pose, |map, pose| {
        let direction = pose.inverse_transform_vector(up);
        let point = map.support_exact(direction, map.support(direction)).point;
        up.dot(pose.transform_point(point)) + map.margin()
    })
}
