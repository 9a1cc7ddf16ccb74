//! Mesh against mesh: which triangles meet, exactly, and how far apart the surfaces are.
//!
//! The frame is A's: B's corners are moved there in `f64`, and what is decided is decided exactly for the moved
//! corners. An identity pose moves nothing. The trees only leave out what cannot matter.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.2.2; S. Gottschalk, M. Lin, D. Manocha, OBBTree,
//! 1996 (the walk of two trees).

use super::super::num::geom::Manifold;
use super::super::num::{Real, widen_real};
use super::convex;
use super::manifolds::around;
use super::mesh_shape::{MAX_LEAF, MeshShape};
use crate::closest::Closest;
use alloc::vec::Vec;
use carom_bounds::Obb;
use carom_bvh::{Bvh, Leaf, PairSearch, visit_leaf_pairs};
use carom_geom::{tri_distance, tri_tri};
use carom_math::{WidePose, scaling};
use core::ops::ControlFlow;
use glam::DVec3;

/// Beyond this length pairs of leaves are not looked for: 2^990, about 1e298.
const MOST: f64 = f64::from_bits((1023 + 990) << 52);

/// Two surfaces share a point; touching counts.
pub(super) fn intersects(a: &MeshShape, b: &MeshShape, b_in_a: &WidePose) -> bool {
    let mut found = false;
    visit(a, b, b_in_a, |_, _| {
        found = true;
        ControlFlow::Break(())
    });
    found
}

/// Every pair of triangles that share a point, in the order of A's numbers, then B's.
pub(super) fn triangle_pairs(a: &MeshShape, b: &MeshShape, b_in_a: &WidePose, out: &mut Vec<(u32, u32)>) {
    let first = out.len();
    visit(a, b, b_in_a, |triangle_a, triangle_b| {
        out.push((triangle_a, triangle_b));
        ControlFlow::Continue(())
    });
    out[first..].sort_unstable();
}

/// The least distance of two surfaces, 0 exactly when they share a point; infinite when above `max_distance`.
pub(super) fn distance(a: &MeshShape, b: &MeshShape, b_in_a: &WidePose, max_distance: f64) -> Closest {
    let scale = scale_of_pair(a, b, b_in_a);
    let (tree_a, tree_b) = (a.surface_at(scale), b.surface_at(scale));
    let placed = WidePose { translation: b_in_a.translation * scale, ..*b_in_a };
    let limit = max_distance * scale;
    let mut best = Closest::NOWHERE;
    PairSearch::default().visit_near_leaf_pairs(&tree_a, &tree_b, &placed, limit, |leaf_a, leaf_b, _| {
        let near = NearPairs::new(a, &tree_a, &leaf_a, b, &leaf_b, b_in_a, best.distance.min(max_distance));
        for (triangle_a, triangle_b, corners_b) in near.iter(&leaf_a, &leaf_b) {
            let found = tri_distance::closest_points(&a.mesh().corners(triangle_a), corners_b);
            let is_better = found.distance < best.distance
                || (found.distance == best.distance && (triangle_a, triangle_b) < (best.part_a, best.part_b));
            if is_better && found.distance <= max_distance {
                let normal = scaling::unit(found.point_b - found.point_a).unwrap_or(DVec3::ZERO);
                best = Closest::new(found.distance, found.point_a, found.point_b, normal);
                (best.part_a, best.part_b) = (triangle_a, triangle_b);
            }
        }
        if best.distance == 0.0 {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue((best.distance * scale).min(limit))
    });
    best
}

/// The pair of triangles that are deepest in each other, or, when the surfaces are apart, nearest.
///
/// A surface has no depth: that of two triangles is the least translation that separates these two.
pub(super) fn contact(a: &MeshShape, b: &MeshShape, b_in_a: &WidePose, prediction: f64) -> Option<Closest> {
    let mut best = Closest::NOWHERE;
    visit(a, b, b_in_a, |triangle_a, triangle_b| {
        let closest = triangles(a, triangle_a, b, triangle_b, b_in_a, 0.0);
        if closest.is_before(&best) {
            best = closest;
        }
        ControlFlow::Continue(())
    });
    if best.distance == f64::INFINITY {
        best = distance(a, b, b_in_a, prediction);
    }
    best.is_local = true;
    (best.distance <= prediction).then_some(best)
}

/// A manifold for every pair of triangles that are apart by at most `prediction`, in the order of their numbers.
pub(super) fn manifolds(
    a: &MeshShape,
    b: &MeshShape,
    b_in_a: &WidePose,
    prediction: Real,
    out: &mut Vec<Manifold>,
) {
    let first = out.len();
    let limit = widen_real(prediction);
    let scale = scale_of_pair(a, b, b_in_a);
    let (tree_a, tree_b) = (a.surface_at(scale), b.surface_at(scale));
    let placed = WidePose { translation: b_in_a.translation * scale, ..*b_in_a };
    let bound = limit * scale;
    PairSearch::default().visit_near_leaf_pairs(&tree_a, &tree_b, &placed, bound, |leaf_a, leaf_b, _| {
        for &triangle_a in leaf_a.primitives {
            for &triangle_b in leaf_b.primitives {
                let closest = triangles(a, triangle_a, b, triangle_b, b_in_a, limit);
                let (shape_a, shape_b) = (a.mesh().triangle(triangle_a), b.mesh().triangle(triangle_b));
                let Some(mut manifold) = around(&shape_a, &shape_b, b_in_a, &closest, prediction) else {
                    continue;
                };
                for contact in manifold.contacts_mut() {
                    (contact.part_a, contact.part_b) = (triangle_a, triangle_b);
                }
                out.push(manifold);
            }
        }
        ControlFlow::Continue(bound)
    });
    out[first..].sort_unstable_by_key(|m| m.contacts().first().map_or((0, 0), |c| (c.part_a, c.part_b)));
}

/// The scale at which two trees are walked: that of the larger mesh, unless the way between them would leave the range.
fn scale_of_pair(a: &MeshShape, b: &MeshShape, b_in_a: &WidePose) -> f64 {
    let (scale, far) = (a.scale().min(b.scale()), b_in_a.translation.abs().max_element());
    if far * scale <= MOST { scale } else { scale.min(scaling::scale_of(far)) }
}

/// One pair of triangles as convex shapes.
fn triangles(
    a: &MeshShape,
    triangle_a: u32,
    b: &MeshShape,
    triangle_b: u32,
    b_in_a: &WidePose,
    max_distance: f64,
) -> Closest {
    let (shape_a, shape_b) = (a.mesh().triangle(triangle_a), b.mesh().triangle(triangle_b));
    let mut closest = convex::signed(&shape_a, &shape_b, b_in_a, max_distance, None);
    (closest.part_a, closest.part_b) = (triangle_a, triangle_b);
    closest
}

/// Gives every pair of triangles that share a point.
fn visit(a: &MeshShape, b: &MeshShape, b_in_a: &WidePose, mut pair: impl FnMut(u32, u32) -> ControlFlow<()>) {
    let scale = scale_of_pair(a, b, b_in_a);
    let (tree_a, tree_b) = (a.surface_at(scale), b.surface_at(scale));
    let placed = WidePose { translation: b_in_a.translation * scale, ..*b_in_a };
    visit_leaf_pairs(&tree_a, &tree_b, &placed, |leaf_a, leaf_b| {
        let near = NearPairs::new(a, &tree_a, &leaf_a, b, &leaf_b, b_in_a, 0.0);
        for (triangle_a, triangle_b, corners_b) in near.iter(&leaf_a, &leaf_b) {
            if tri_tri::intersects(&a.mesh().corners(triangle_a), corners_b) {
                pair(triangle_a, triangle_b)?;
            }
        }
        ControlFlow::Continue(())
    });
}

/// The pairs of triangles of two leaves that eight separating axis tests at a time could not refute.
struct NearPairs {
    /// B's triangles in A's frame.
    corners_b: [[DVec3; 3]; MAX_LEAF as usize],
    /// For each of B's triangles those of A, as bits.
    lanes: [u32; MAX_LEAF as usize],
}

impl NearPairs {
    fn new(
        a: &MeshShape,
        tree_a: &Bvh<Obb>,
        leaf_a: &Leaf<'_>,
        b: &MeshShape,
        leaf_b: &Leaf<'_>,
        b_in_a: &WidePose,
        within: f64,
    ) -> NearPairs {
        let mut pairs =
            NearPairs { corners_b: [[DVec3::ZERO; 3]; MAX_LEAF as usize], lanes: [0; MAX_LEAF as usize] };
        let n = leaf_b.primitives.len().min(MAX_LEAF as usize);
        for (corners, &triangle) in pairs.corners_b.iter_mut().zip(leaf_b.primitives) {
            *corners = moved(b.mesh().corners(triangle), b_in_a);
        }
        a.leaf_block(tree_a, leaf_a).may_be_near(&pairs.corners_b[..n], within, &mut pairs.lanes);
        pairs
    }

    /// Number in A, number in B, and the corners of the latter in A's frame.
    fn iter<'a>(
        &'a self,
        leaf_a: &Leaf<'a>,
        leaf_b: &Leaf<'a>,
    ) -> impl Iterator<Item = (u32, u32, &'a [DVec3; 3])> + 'a {
        let (primitives_a, primitives_b) = (leaf_a.primitives, leaf_b.primitives);
        primitives_b.iter().zip(&self.corners_b).zip(&self.lanes).flat_map(
            move |((&triangle_b, corners_b), &lanes)| {
                let is_near = move |lane: &usize| lanes >> lane & 1 == 1;
                let near = (0..primitives_a.len().min(MAX_LEAF as usize)).filter(is_near);
                near.map(move |lane| (primitives_a[lane], triangle_b, corners_b))
            },
        )
    }
}

/// The corners in A's frame: ((r0 x + r1 y) + r2 z) + t for each coordinate, every operation rounded once.
fn moved(corners: [DVec3; 3], b_in_a: &WidePose) -> [DVec3; 3] {
    if *b_in_a == WidePose::IDENTITY {
        return corners;
    }
    corners.map(|p| {
        let r = &b_in_a.rotation;
        ((r.x_axis * p.x + r.y_axis * p.y) + r.z_axis * p.z) + b_in_a.translation
    })
}
