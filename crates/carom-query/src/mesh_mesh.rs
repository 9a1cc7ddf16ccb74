//! Mesh against mesh: which triangles intersect, exactly, and the distance of the surfaces.
//!
//! B's corners are moved to A's frame in `f64`, and the tests are exact for the moved corners. An
//! identity pose moves nothing. The trees only skip pairs that cannot change the result.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.2.2; S. Gottschalk, M. Lin,
//! D. Manocha, OBBTree, 1996 (the walk of two trees).

use crate::closest::Closest;
use crate::convex;
use crate::cost::Count;
use crate::mesh_contacts::Facings;
use crate::mesh_shape::{MAX_LEAF, MeshShape};
use crate::workspace::{NearPair, Workspace};
use alloc::vec::Vec;
use carom_bvh::{Leaf, visit_leaf_pairs};
use carom_geom::tri_blocks::BlockDistances;
use carom_geom::tri_tri_lanes::TriBlock8;
use carom_geom::{WideMesh, tri_distance, tri_tri};
use carom_math::{WidePose, scaling, tol};
use core::ops::ControlFlow;
use glam::DVec3;

/// Pairs of leaves beyond this distance are not searched: 2^990, about 1e298.
const MAX_LENGTH: f64 = f64::from_bits((1023 + 990) << 52);

/// Pairs that are collected before they are computed in `f64`. The limit bounds the memory for
/// surfaces that are equally near everywhere, such as parallel planes.
const MAX_NEAR_PAIRS: usize = 4096;

/// Whether two surfaces share a point; touching counts.
pub(crate) fn intersects(
    a: &MeshShape<impl WideMesh>,
    b: &MeshShape<impl WideMesh>,
    b_in_a: &WidePose,
    count: impl Count,
) -> bool {
    let mut found = false;
    visit(a, b, b_in_a, count, |_, _| {
        found = true;
        ControlFlow::Break(())
    });
    found
}

/// Appends every pair of triangles that share a point, sorted by A's number, then by B's.
pub(crate) fn triangle_pairs(
    a: &MeshShape<impl WideMesh>,
    b: &MeshShape<impl WideMesh>,
    b_in_a: &WidePose,
    out: &mut Vec<(u32, u32)>,
    count: impl Count,
) {
    let first = out.len();
    visit(a, b, b_in_a, count, |triangle_a, triangle_b| {
        out.push((triangle_a, triangle_b));
        ControlFlow::Continue(())
    });
    out[first..].sort_unstable();
}

/// Returns the least distance of two surfaces: 0 exactly if they share a point, infinite above
/// `max_distance`. For ties above 0 the pair with the lowest numbers is returned.
pub(crate) fn distance(
    a: &MeshShape<impl WideMesh>,
    b: &MeshShape<impl WideMesh>,
    b_in_a: &WidePose,
    max_distance: f64,
    memory: &mut Workspace,
    count: impl Count,
) -> Closest {
    if !(0.0 <= max_distance) {
        return Closest::NOWHERE;
    }
    // Intersection is tested first, because that walk goes straight to the overlap. In an overlap
    // the search for the nearest pair would have bounds of 0 on all sides. If the meshes do not
    // intersect, the test costs a twentieth of the search.
    let mut common = Closest::NOWHERE;
    visit(a, b, b_in_a, count, |triangle_a, triangle_b| {
        common = pair_distance(a, triangle_a, b, triangle_b, b_in_a);
        ControlFlow::Break(())
    });
    if common.distance < f64::INFINITY {
        common
    } else {
        separation(a, b, b_in_a, max_distance, memory, count)
    }
}

/// [`distance`] of two surfaces that do not intersect.
fn separation(
    a: &MeshShape<impl WideMesh>,
    b: &MeshShape<impl WideMesh>,
    b_in_a: &WidePose,
    max_distance: f64,
    memory: &mut Workspace,
    count: impl Count,
) -> Closest {
    let scale = scale_of_pair(a, b, b_in_a);
    let (tree_a, tree_b) = (a.surface_at(scale), b.surface_at(scale));
    let placed = WidePose { translation: b_in_a.translation * scale, ..*b_in_a };
    let Workspace { search, near, .. } = memory;
    near.clear();
    let mut best = Closest::NOWHERE;
    // An upper bound of the least distance, once a pair is known.
    let mut limit = max_distance;
    let mut bounds = BlockDistances::default();
    let walk = search.visit_near_leaf_pairs(&tree_a, &tree_b, &placed, limit * scale, |leaf_a, leaf_b, _| {
        let (block_a, block_b) = (a.leaf_block(&tree_a, &leaf_a), b.leaf_block(&tree_b, &leaf_b));
        block_a.distances(&block_b, b_in_a, limit, &mut bounds);
        limit = limit.min(bounds.at_most);
        push_near(&bounds, limit, leaf_a.primitives, leaf_b.primitives, near);
        if MAX_NEAR_PAIRS <= near.len() {
            settle(a, b, b_in_a, near, &mut best, max_distance, count);
            limit = limit.min(best.distance);
        }
        ControlFlow::Continue((limit * scale).min(max_distance * scale))
    });
    count.add_walk(&walk.counters);
    settle(a, b, b_in_a, near, &mut best, limit, count);
    best
}

/// Adds the pairs of triangles of two leaves that may be within `limit`.
pub(crate) fn push_near(
    bounds: &BlockDistances,
    limit: f64,
    triangles_a: &[u32],
    triangles_b: &[u32],
    near: &mut Vec<NearPair>,
) {
    for (index_b, &triangle_b) in triangles_b.iter().enumerate().take(MAX_LEAF as usize) {
        let mut lanes = bounds.lanes[index_b];
        while lanes != 0 {
            let lane = lanes.trailing_zeros() as usize & 7;
            lanes &= lanes - 1;
            let at_least = f64::from(bounds.at_least[index_b][lane]) / bounds.scale;
            let Some(&triangle_a) = triangles_a.get(lane) else { break };
            // False for NaN.
            if !(limit < at_least) {
                near.push(NearPair { at_least, triangle_a, triangle_b });
            }
        }
    }
}

/// Computes the distances of the collected pairs, those with the least bounds first, and clears the
/// list.
pub(crate) fn settle(
    a: &MeshShape<impl WideMesh>,
    b: &MeshShape<impl WideMesh>,
    b_in_a: &WidePose,
    near: &mut Vec<NearPair>,
    best: &mut Closest,
    max_distance: f64,
    count: impl Count,
) {
    near.sort_unstable_by(|x, y| x.at_least.total_cmp(&y.at_least));
    for pair in near.iter() {
        if best.distance.min(max_distance) < pair.at_least {
            break;
        }
        count.add_pair();
        let closest = pair_distance(a, pair.triangle_a, b, pair.triangle_b, b_in_a);
        if closest.is_before(best) && closest.distance <= max_distance {
            *best = closest;
        }
    }
    near.clear();
}

/// Returns the exact distance of two triangles.
fn pair_distance(
    a: &MeshShape<impl WideMesh>,
    triangle_a: u32,
    b: &MeshShape<impl WideMesh>,
    triangle_b: u32,
    b_in_a: &WidePose,
) -> Closest {
    let corners_b = moved(b.mesh().corners(triangle_b), b_in_a);
    let found = tri_distance::closest_points(&a.mesh().corners(triangle_a), &corners_b);
    let normal = scaling::unit(found.point_b - found.point_a).unwrap_or(DVec3::ZERO);
    let closest = Closest::new(found.distance, found.point_a, found.point_b, normal);
    Closest { part_a: triangle_a, part_b: triangle_b, ..closest }
}

/// Returns the contact of the pair of triangles that are deepest in each other, or nearest if the
/// surfaces are apart.
///
/// A surface has no depth. The depth of two triangles is the least translation that separates these
/// two.
pub(crate) fn contact(
    a: &MeshShape<impl WideMesh>,
    b: &MeshShape<impl WideMesh>,
    b_in_a: &WidePose,
    prediction: f64,
    memory: &mut Workspace,
    count: impl Count,
) -> Option<Closest> {
    let mut best = deepest(a, b, b_in_a, count);
    if best.distance == f64::INFINITY {
        best = separation(a, b, b_in_a, prediction, memory, count);
    }
    best.is_local = true;
    (best.distance <= prediction).then_some(best)
}

/// Returns the contact of the deepest pair among the triangles that share a point.
pub(crate) fn deepest(
    a: &MeshShape<impl WideMesh>,
    b: &MeshShape<impl WideMesh>,
    b_in_a: &WidePose,
    count: impl Count,
) -> Closest {
    let mut best = Closest::NOWHERE;
    visit(a, b, b_in_a, count, |triangle_a, triangle_b| {
        let closest = triangles(a, triangle_a, b, triangle_b, b_in_a, 0.0, count);
        if closest.is_before(&best) {
            best = closest;
        }
        ControlFlow::Continue(())
    });
    best
}

/// Collects the contacts of two surfaces up to a distance `limit`, unsorted, in the memory.
pub(crate) fn find_contacts<M: WideMesh>(
    a: &MeshShape<M>,
    b: &MeshShape<M>,
    b_in_a: &WidePose,
    limit: f64,
    memory: &mut Workspace,
    count: impl Count,
) {
    let scale = scale_of_pair(a, b, b_in_a);
    let (tree_a, tree_b) = (a.surface_at(scale), b.surface_at(scale));
    let placed = WidePose { translation: b_in_a.translation * scale, ..*b_in_a };
    let bound = limit * scale;
    let Workspace { search, contacts, .. } = memory;
    contacts.found.clear();
    let mut facings = Facings::new(a, b, b_in_a, limit, &mut contacts.found);
    let walk = search.visit_near_leaf_pairs(&tree_a, &tree_b, &placed, bound, |leaf_a, leaf_b, _| {
        let (block_a, block_b) = (a.leaf_block(&tree_a, &leaf_a), b.leaf_block(&tree_b, &leaf_b));
        let near = block_a.may_be_within(&block_b, b_in_a, limit);
        for (&lanes, &triangle_b) in near.iter().zip(leaf_b.primitives) {
            if lanes == 0 {
                continue;
            }
            let Some(face_b) = facings.face(1, triangle_b) else { continue };
            let mut lanes = lanes;
            while lanes != 0 {
                let lane = lanes.trailing_zeros() as usize;
                lanes &= lanes - 1;
                let Some(&triangle_a) = leaf_a.primitives.get(lane) else { break };
                if let Some(face_a) = facings.face(0, triangle_a) {
                    count.add_pair();
                    facings.test_faces(&face_a, &face_b);
                }
            }
        }
        ControlFlow::Continue(bound)
    });
    count.add_walk(&walk.counters);
    // A corner can be below a face without having entered the body. If the surfaces do not
    // intersect, there is no penetration.
    let deep = -tol::FACET_THICK / scale;
    if contacts.found.iter().any(|contact| contact.distance < deep) && !intersects(a, b, b_in_a, count) {
        contacts.found.retain(|contact| deep <= contact.distance);
    }
}

/// Reports the nearest points of every pair of triangles that are nearer than their clearance.
/// Clearances are at most `most`.
pub(crate) fn nearer_than(
    a: &MeshShape<impl WideMesh>,
    b: &MeshShape<impl WideMesh>,
    b_in_a: &WidePose,
    most: f64,
    clearance: &mut dyn FnMut(u32, u32) -> f64,
    memory: &mut Workspace,
    report: &mut dyn FnMut(&Closest),
) {
    if !(0.0 <= most) {
        return;
    }
    let scale = scale_of_pair(a, b, b_in_a);
    let (tree_a, tree_b) = (a.surface_at(scale), b.surface_at(scale));
    let placed = WidePose { translation: b_in_a.translation * scale, ..*b_in_a };
    let bound = most * scale;
    memory.search.visit_near_leaf_pairs(&tree_a, &tree_b, &placed, bound, |leaf_a, leaf_b, _| {
        for &triangle_a in leaf_a.primitives {
            for &triangle_b in leaf_b.primitives {
                let closest = pair_distance(a, triangle_a, b, triangle_b, b_in_a);
                if closest.distance < clearance(triangle_a, triangle_b) {
                    report(&closest);
                }
            }
        }
        ControlFlow::Continue(bound)
    });
}

/// Returns the scale at which two trees are walked: that of the larger mesh, unless the distance
/// between them would overflow.
pub(crate) fn scale_of_pair(
    a: &MeshShape<impl WideMesh>,
    b: &MeshShape<impl WideMesh>,
    b_in_a: &WidePose,
) -> f64 {
    let (scale, far) = (a.scale().min(b.scale()), b_in_a.translation.abs().max_element());
    if far * scale <= MAX_LENGTH { scale } else { scale.min(scaling::scale_of(far)) }
}

/// Returns the contact of one pair of triangles as convex shapes.
fn triangles(
    a: &MeshShape<impl WideMesh>,
    triangle_a: u32,
    b: &MeshShape<impl WideMesh>,
    triangle_b: u32,
    b_in_a: &WidePose,
    max_distance: f64,
    count: impl Count,
) -> Closest {
    let (shape_a, shape_b) = (a.mesh().triangle(triangle_a), b.mesh().triangle(triangle_b));
    let mut closest = convex::signed(&shape_a, &shape_b, b_in_a, max_distance, None, count);
    (closest.part_a, closest.part_b) = (triangle_a, triangle_b);
    closest
}

/// Visits every pair of triangles that share a point.
fn visit(
    a: &MeshShape<impl WideMesh>,
    b: &MeshShape<impl WideMesh>,
    b_in_a: &WidePose,
    count: impl Count,
    mut pair: impl FnMut(u32, u32) -> ControlFlow<()>,
) {
    let scale = scale_of_pair(a, b, b_in_a);
    let (tree_a, tree_b) = (a.surface_at(scale), b.surface_at(scale));
    let placed = WidePose { translation: b_in_a.translation * scale, ..*b_in_a };
    let walk = visit_leaf_pairs(&tree_a, &tree_b, &placed, |leaf_a, leaf_b| {
        let blocks = (&*a.leaf_block(&tree_a, &leaf_a), &*b.leaf_block(&tree_b, &leaf_b));
        visit_leaves((a, &leaf_a), (b, &leaf_b), blocks, b_in_a, count, &mut pair)
    });
    count.add_walk(&walk.counters);
}

/// Visits every pair of triangles of two leaves that share a point.
pub(crate) fn visit_leaves(
    (a, leaf_a): (&MeshShape<impl WideMesh>, &Leaf<'_>),
    (b, leaf_b): (&MeshShape<impl WideMesh>, &Leaf<'_>),
    (block_a, block_b): (&TriBlock8, &TriBlock8),
    b_in_a: &WidePose,
    count: impl Count,
    mut pair: impl FnMut(u32, u32) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let lanes = block_a.may_meet(block_b, b_in_a);
    for (&lanes, &triangle_b) in lanes.iter().zip(leaf_b.primitives) {
        if lanes == 0 {
            continue;
        }
        let corners_b = moved(b.mesh().corners(triangle_b), b_in_a);
        let mut lanes = lanes;
        while lanes != 0 {
            let lane = lanes.trailing_zeros() as usize;
            lanes &= lanes - 1;
            let Some(&triangle_a) = leaf_a.primitives.get(lane) else { break };
            count.add_pair();
            if tri_tri::intersects(&a.mesh().corners(triangle_a), &corners_b) {
                pair(triangle_a, triangle_b)?;
            }
        }
    }
    ControlFlow::Continue(())
}

/// Returns the corners in A's frame: ((r0 x + r1 y) + r2 z) + t for each coordinate, with one
/// rounding per operation.
fn moved(corners: [DVec3; 3], b_in_a: &WidePose) -> [DVec3; 3] {
    if *b_in_a == WidePose::IDENTITY {
        return corners;
    }
    corners.map(|p| {
        let r = &b_in_a.rotation;
        ((r.x_axis * p.x + r.y_axis * p.y) + r.z_axis * p.z) + b_in_a.translation
    })
}
