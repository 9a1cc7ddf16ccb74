//! Manifolds of meshes, in the stored precision: with another mesh, a convex shape, a half-space.

use super::super::num::geom::{HalfSpace, Manifold};
use super::super::num::sat::Chosen;
use super::super::num::{Real, widen_real};
use super::convex_manifold::{Within, around, on_half_space};
use super::mesh_shape::MeshShape;
use crate::cost::Count;
use crate::mesh_patches::write_patches;
use crate::workspace::Workspace;
use crate::{mesh_convex, mesh_mesh};
use alloc::vec::Vec;
use carom_geom::SupportMap;
use carom_math::WidePose;
use core::ops::ControlFlow;

/// Appends the manifolds of two surfaces, sorted by the numbers of their first triangles. There is
/// one for each patch of triangles that face each other in similar directions. Surfaces that share
/// a point get at least one.
pub(super) fn meshes(
    a: &MeshShape,
    b: &MeshShape,
    b_in_a: &WidePose,
    prediction: Real,
    memory: &mut Workspace,
    out: &mut Vec<Manifold>,
    count: impl Count,
) {
    let first = out.len();
    let limit = widen_real(prediction);
    if !(0.0 <= limit) {
        return;
    }
    mesh_mesh::find_contacts(a, b, b_in_a, limit, memory, count);
    write_patches(&mut memory.contacts, &mut Within { prediction, out });
    out[first..].sort_unstable_by_key(|m| {
        m.contacts().first().map(|c| (c.part_a, c.part_b, c.feature_a, c.feature_b))
    });
    if out.len() == first {
        // The surfaces intersect without a corner or edge of one inside the other, or have no area.
        // The contact is that of the deepest pair of triangles.
        out.extend(deepest_pair(a, b, b_in_a, prediction, count));
    }
}

/// Returns the manifold of the two triangles that are deepest in each other.
fn deepest_pair(
    a: &MeshShape,
    b: &MeshShape,
    b_in_a: &WidePose,
    prediction: Real,
    count: impl Count,
) -> Option<Manifold> {
    let closest = mesh_mesh::deepest(a, b, b_in_a, count);
    if closest.distance == f64::INFINITY {
        return None;
    }
    let (triangle_a, triangle_b) = (closest.part_a, closest.part_b);
    let (shape_a, shape_b) = (a.mesh().triangle(triangle_a), b.mesh().triangle(triangle_b));
    let manifold = around(&shape_a, &shape_b, b_in_a, &closest, prediction, &mut Chosen::new())?;
    Some(manifold.with_parts(triangle_a, triangle_b))
}

/// Appends a manifold for every triangle that is apart by at most `prediction`, sorted by triangle.
pub(super) fn convex(
    a: &MeshShape,
    b: &dyn SupportMap,
    b_in_a: &WidePose,
    prediction: Real,
    out: &mut Vec<Manifold>,
    count: impl Count,
) {
    let first = out.len();
    let limit = widen_real(prediction);
    mesh_convex::visit_near(a, b, b_in_a, limit, count, |triangle| {
        let closest = mesh_convex::signed(a, triangle, b, b_in_a, limit, count);
        let shape = a.mesh().triangle(triangle);
        let manifold = around(&shape, b, b_in_a, &closest, prediction, &mut Chosen::new());
        out.extend(manifold.map(|manifold| manifold.with_parts(triangle, 0)));
        ControlFlow::Continue(())
    });
    out[first..].sort_unstable_by_key(|m| m.contacts().first().map_or(0, |c| c.part_a));
}

/// Appends a manifold for every triangle of B that is within `prediction` of the half-space, or in
/// it.
pub(super) fn half_space(
    a: &HalfSpace,
    b: &MeshShape,
    b_in_a: &WidePose,
    prediction: Real,
    out: &mut Vec<Manifold>,
    count: impl Count,
) {
    out.extend((0..b.mesh().n_triangles() as u32).filter_map(|triangle| {
        let shape = b.mesh().triangle(triangle);
        let manifold = on_half_space(a, &shape, b_in_a, prediction, count)?;
        Some(manifold.with_parts(0, triangle))
    }));
}
