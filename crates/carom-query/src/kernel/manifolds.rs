//! Contact manifolds of any pair of shapes, for a solver.
//!
//! | pair | method |
//! |---|---|
//! | balls and capsules | closed forms |
//! | two boxes | separating axes |
//! | other convex pairs | GJK and EPA, then clipping of the two features that face each other |
//! | half-spaces | the feature that faces the plane |
//! | meshes, clusters and compounds | part by part, one manifold for each pair of parts |
//! | fields | samples of the other shape, one manifold for each direction |
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.3; E. Catto, Contact
//! Manifolds, GDC 2007.

use super::super::num::geom::Manifold;
use super::super::num::sat::box_box;
use super::super::num::{Pose, Real, Vec3, widen_real};
use super::convex_manifold::{around, on_half_space, push_new};
use super::method::{ConvexMethod, ConvexShapes, Method, method};
use super::pair::{Frames, wide};
use super::part_list::PartList;
use super::shape::{Shape, ShapeKind};
use super::{closed_form, closed_form_manifold, field_manifolds, mesh_manifolds};
use crate::cost::{Count, Counting, QueryCost};
use crate::manifold_cache::ManifoldCache;
use crate::workspace::Workspace;
use alloc::vec::Vec;
use carom_math::WidePose;

/// Appends the manifolds of two shapes that are apart by at most `prediction`, a length. World
/// frame, normals from A to B. Convex pairs give at most one manifold; meshes and compounds give
/// one for each pair of parts that touch.
///
/// A negative distance of a contact is its penetration depth. Feature ids stay the same while the
/// same features touch.
///
/// Allocates working memory for two meshes. [`manifolds_with`] allocates only to grow its memory
/// and `out`.
pub fn manifolds(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    prediction: Real,
    cache: &mut ManifoldCache,
    out: &mut Vec<Manifold>,
) {
    if !push_convex(a, pose_a, b, pose_b, prediction, cache, out, ()) {
        push_any(a, pose_a, b, pose_b, prediction, cache, &mut Workspace::default(), out, ());
    }
}

/// [`manifolds`] in memory that the caller keeps; all pairs can share it.
pub fn manifolds_with(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    prediction: Real,
    cache: &mut ManifoldCache,
    memory: &mut Workspace,
    out: &mut Vec<Manifold>,
) {
    if !push_convex(a, pose_a, b, pose_b, prediction, cache, out, ()) {
        push_any(a, pose_a, b, pose_b, prediction, cache, memory, out, ());
    }
}

/// [`manifolds_with`], with its cost added to `cost`. Clipping is not counted.
pub fn manifolds_counted(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    prediction: Real,
    cache: &mut ManifoldCache,
    memory: &mut Workspace,
    out: &mut Vec<Manifold>,
    cost: &mut QueryCost,
) {
    let count = Counting::new(cost);
    if !push_convex(a, pose_a, b, pose_b, prediction, cache, out, count) {
        push_any(a, pose_a, b, pose_b, prediction, cache, memory, out, count);
    }
}

/// Appends the manifold of two convex shapes, which needs no memory. Returns whether both are
/// convex.
#[inline]
fn push_convex(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    prediction: Real,
    cache: &mut ManifoldCache,
    out: &mut Vec<Manifold>,
    count: impl Count,
) -> bool {
    if closed_form_manifold::push(a, || wide(pose_a), b, || wide(pose_b), prediction, out) {
        count.add_pair();
        return true;
    }
    let (ShapeKind::Convex(map_a), ShapeKind::Convex(map_b)) = (a.kind(), b.kind()) else { return false };
    let frames = Frames::new(pose_a, pose_b);
    let shapes = ConvexShapes { a, map_a, b, map_b };
    if push_convex_pair(shapes, &frames.b_in_a, prediction, cache, out, count)
        && let Some(manifold) = out.last_mut()
    {
        manifold.transform(&frames.a);
    }
    true
}

/// Appends the manifolds of two shapes of any kind.
fn push_any(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    prediction: Real,
    cache: &mut ManifoldCache,
    memory: &mut Workspace,
    out: &mut Vec<Manifold>,
    count: impl Count,
) {
    let frames = Frames::new(pose_a, pose_b);
    let first = out.len();
    collect(a, b, &frames.b_in_a, prediction, cache, memory, out, count);
    out[first..].iter_mut().for_each(|manifold| manifold.transform(&frames.a));
}

/// [`manifolds`] in A's frame.
fn collect(
    a: &Shape,
    b: &Shape,
    b_in_a: &WidePose,
    prediction: Real,
    cache: &mut ManifoldCache,
    memory: &mut Workspace,
    out: &mut Vec<Manifold>,
    count: impl Count,
) {
    match method(a, b) {
        Method::Convex(shapes) => {
            if closed_form_manifold::push(a, || WidePose::IDENTITY, b, || *b_in_a, prediction, out) {
                count.add_pair();
            } else {
                push_convex_pair(shapes, b_in_a, prediction, cache, out, count);
            }
        }
        Method::PlaneConvex(a, b) => out.extend(on_half_space(a, b, b_in_a, prediction, count)),
        // Two half-spaces are apart or overlap without bound: there is no contact area.
        Method::Planes(..) => {}
        Method::PlaneMesh(a, b) => mesh_manifolds::half_space(a, b, b_in_a, prediction, out, count),
        Method::MeshConvex(a, b) => mesh_manifolds::convex(a, b, b_in_a, prediction, out, count),
        Method::Meshes(a, b) => mesh_manifolds::meshes(a, b, b_in_a, prediction, memory, out, count),
        Method::Field(a, b) => field_manifolds::manifolds(a, &b, b_in_a, prediction, memory, out, count),
        Method::Cluster(a) => parts(&PartList::Cluster(a), b, b_in_a, prediction, memory, out, count),
        Method::Parts(a) => parts(&PartList::Compound(a), b, b_in_a, prediction, memory, out, count),
        Method::Swapped => {
            let first = out.len();
            let a_in_b = b_in_a.inverse();
            collect(b, a, &a_in_b, prediction, cache, memory, out, count);
            out[first..].iter_mut().for_each(|manifold| {
                *manifold = manifold.swapped();
                manifold.transform(b_in_a);
            });
        }
    }
}

/// Appends the manifold of a convex pair that is not in [`closed_form_manifold`], in A's frame.
/// Returns whether there is one.
fn push_convex_pair(
    shapes: ConvexShapes<'_>,
    b_in_a: &WidePose,
    prediction: Real,
    cache: &mut ManifoldCache,
    out: &mut Vec<Manifold>,
    count: impl Count,
) -> bool {
    if let ConvexMethod::Boxes(a, b) = shapes.method() {
        // Written in place, because a manifold is large. A vector load right after scalar stores
        // would stall.
        let manifold = push_new(Vec3::ZERO, out);
        count.add_pair();
        let found = box_box::write_manifold_counted(
            a.half_extents(),
            b.half_extents(),
            b_in_a,
            prediction,
            &mut cache.chosen,
            manifold,
            count,
        );
        if !found {
            out.pop();
        }
        return found;
    }
    let closest = closed_form::signed(shapes, b_in_a, widen_real(prediction), Some(cache), count);
    let manifold = around(shapes.map_a, shapes.map_b, b_in_a, &closest, prediction, &mut cache.chosen);
    let found = manifold.is_some();
    out.extend(manifold);
    found
}

/// Appends the manifolds of each part of A that is near B, sorted by part.
fn parts(
    a: &PartList<'_>,
    b: &Shape,
    b_in_a: &WidePose,
    prediction: Real,
    memory: &mut Workspace,
    out: &mut Vec<Manifold>,
    count: impl Count,
) {
    let mut near = a.near(b, b_in_a, widen_real(prediction), &mut memory.casts, count);
    near.sort_unstable_by_key(|&(_, index)| index);
    for &(_, index) in &near {
        a.with(index, |part, pose, _, first_number| {
            let first = out.len();
            // All pairs of parts share the cache of the bodies, so each starts without one.
            let mut cache = ManifoldCache::new();
            collect(part, b, &b_in_a.relative_to(pose), prediction, &mut cache, memory, out, count);
            for manifold in &mut out[first..] {
                manifold.transform(pose);
                for contact in manifold.contacts_mut() {
                    contact.part_a = contact.part_a.saturating_add(first_number);
                }
            }
        });
    }
    memory.casts.orders.push(near);
}
