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
//! A facet that rises at a concave edge gets its own normal, see [`super::concave_edges`].
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
use super::super::num::{Pose, Real, widen_real};
use super::concave_edges::{Above, face_concave_edges};
use super::escape_direction::Surroundings;
use super::shape::Shape;
use super::touch::{Neighbour, Touch, Touching, reach};
use alloc::vec::Vec;
use carom_math::{WidePose, tol};
use glam::DVec3;

/// The most passes over the contacts of a body. Flat floors needed up to three.
const ROUNDS: usize = 4;

/// Changes the contacts of a body with pieces of a surface as if the surface were one piece. So a
/// sliding body does not catch on internal edges. Returns the number of changed manifolds. World
/// frame.
///
/// `manifolds` are those that [`manifolds`](fn@super::manifolds) found between the body and its
/// neighbours; other manifolds may lie between them in the list.
/// - A manifold whose normal belongs to an internal edge gets the normal of the surface. Its
///   contacts are computed again within `prediction`; there are none if the body is not over that
///   piece.
/// - A manifold of a facet that rises ahead of the body, at a concave edge, gets the normal of that
///   facet, and the distances of the body's lowest points from its plane (tests: `valleys::*` and
///   `rollers::*`, in carom-world). A facet is a triangle, or a face of a convex piece.
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
    let mut all: Vec<Touching<'_>> = Vec::new();
    for neighbour in neighbours {
        for index in neighbour.manifolds.clone() {
            all.push(Touching::of(neighbour, index, body, manifolds));
        }
    }
    // First, normals that lean only because the body leans: the body's own face gave the least way
    // out of a small piece. The contact gets the normal of the floor.
    for touching in &mut all {
        let Touching { neighbour, index, touch: Some(own), .. } = *touching else { continue };
        let Some(upright) = touching.face_normal() else { continue };
        let made = own.along(neighbour, upright, body, &pose, prediction);
        let deepest = |manifold: &Manifold| manifold.deepest().map(|contact| widen_real(contact.distance));
        if let (Some(now), Some(before)) = (deepest(&made), deepest(&manifolds[index]))
            && before - tolerance <= now
        {
            manifolds[index] = made;
            *touching = Touching::of(neighbour, index, body, manifolds);
            n_changed += 1;
        }
    }
    // Next, directions that lead out of one piece into another that pushes back. A body deep in
    // both would not come out of either.
    let surroundings = Surroundings { body, pose: &pose, neighbours, prediction, tolerance };
    for touching in &mut all {
        let Touching { neighbour, index, .. } = *touching;
        if let Some(made) = surroundings.alternative_exit(neighbour, index, manifolds) {
            manifolds[index] = made;
            *touching = Touching::of(neighbour, index, body, manifolds);
            n_changed += 1;
        }
    }
    let above = Above { body, pose: &pose, prediction, tolerance };
    n_changed += face_concave_edges(&mut all, &above, manifolds);
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
