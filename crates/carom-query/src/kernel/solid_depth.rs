//! Penetration depth of two solids: a translation that separates them, and a lower bound for all
//! such translations.
//!
//! - Upper bound: the extents of both along a direction give a translation after which a plane
//!   separates them. The least over many directions is used.
//! - For convex solids the face normals and the cross products of edges suffice: the bound is exact
//!   up to rounding.
//! - For other solids shorter translations are tried, see `solid_exit.rs`.
//! - Lower bound: let a point inside both, see `solid_point.rs`, have the distances `r` and `s`
//!   from the surfaces. The bound is `r + s`: after any shorter translation the two balls about the
//!   point still overlap.
//!
//! Reference: S. Cameron, R. K. Culley, Determining the Minimum Translational Distance between Two
//! Convex Polyhedra, IEEE ICRA 1986; C. Ericson, Real-Time Collision Detection, 2005, 5.2.1
//! (separating axes).

use super::super::num::geom::{ConvexHull, HullSettings, TriMesh};
use super::super::num::{Pose, Real, Vec3, above, below, narrow, widen};
use super::mesh_shape::MeshShape;
use super::solid_exit::shorten;
use super::solid_point::deep_point;
use super::solids::{SolidRelation, placed, relation};
use alloc::vec::Vec;
use carom_geom::mesh_topology::{EdgeKind, NO_TRIANGLE};
use carom_geom::winding::signed_volume;
use carom_math::predicates::orient3d;
use carom_math::scaling::{length, unit};
use carom_math::tol;
use glam::DVec3;

/// Pairs of edges of two convex solids that are tried at most; others are skipped.
const MAX_EDGE_PAIRS: usize = 1 << 16;

/// Pairs of a triangle and a vertex that are compared at most to measure the concavity of a solid.
const MAX_DENT_PAIRS: usize = 1 << 24;

/// Relative rounding of an extent in `f64`.
pub(super) const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// Bounds of the penetration depth of two solids. World frame.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SolidOverlap {
    /// Every separating translation is at least this long.
    pub at_least: Real,
    /// The length of `separation`, rounded up.
    pub at_most: Real,
    /// A translation of B after which the solids do not overlap.
    pub separation: Vec3,
    /// A point inside both. If the overlap is too thin to find one, a point on both surfaces.
    pub point: Vec3,
    /// Whether both solids are convex. The bounds then differ only by the rounding of corners and
    /// of extents.
    pub is_exact: bool,
}

/// A separating translation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exit {
    /// A vector that `Vec3` represents exactly.
    pub(super) by: DVec3,
    pub(super) length: f64,
}

impl Exit {
    pub(super) fn new(by: DVec3) -> Exit {
        Exit { by, length: length(by) }
    }
}

/// Returns bounds of the penetration depth of two solids. `None` if they do not overlap, or if a
/// mesh does not define an inside.
///
/// The bounds hold for meshes without self-intersections, at identity poses. At other poses the
/// corners are transformed to the world first, each coordinate rounded. The bounds are then those
/// for the rounded corners.
pub fn solid_overlap(a: &MeshShape, pose_a: &Pose, b: &MeshShape, pose_b: &Pose) -> Option<SolidOverlap> {
    let (a, b) = (placed(a, pose_a)?, placed(b, pose_b)?);
    if relation(&a, &b) != SolidRelation::Overlapping {
        return None;
    }
    // Every vertex is kept, even if it protrudes very little.
    let settings = HullSettings::default().with_coplanar_tolerance(0.0);
    let hulls =
        [&a, &b].map(|shape| ConvexHull::from_points_with(&used_vertices(shape.mesh()), &settings).ok());
    let [Some(hull_a), Some(hull_b)] = &hulls else { return None };
    let (point, mut at_least) = deep_point(&a, &b);
    let reach = [hull_a, hull_b]
        .iter()
        .flat_map(|hull| hull.vertices())
        .fold(0.0_f64, |most, p| most.max(widen(*p).abs().max_element()));
    let slack = ROUNDING * reach;
    let mut best = (f64::INFINITY, DVec3::X);
    for axis in directions(hull_a, hull_b) {
        let end = |hull: &ConvexHull, sign: f64| {
            hull.vertices().iter().map(|v| sign * axis.dot(widen(*v))).fold(f64::NEG_INFINITY, f64::max)
        };
        let length = end(hull_a, 1.0) + end(hull_b, -1.0);
        if length < best.0 {
            best = (length, axis);
        }
    }
    let mut exit = beyond(best.1, best.0 + slack, best.0 + 0.5 * slack);
    let lost = |shape, hull| convexity_loss(shape, hull, slack);
    let losses = lost(&a, hull_a).and_then(|of_a| Some(of_a + lost(&b, hull_b)?));
    if let Some(losses) = losses {
        at_least = at_least.max(best.0 - 4.0 * slack - losses);
    } else {
        shorten(&a, &b, [hull_a, hull_b], point, at_least, &mut exit);
    }
    let at_least = at_least.min(exit.length).max(0.0);
    Some(SolidOverlap {
        at_least: below(at_least),
        at_most: above(exit.length * (1.0 + ROUNDING)),
        separation: narrow(exit.by),
        point: narrow(point),
        is_exact: losses.is_some(),
    })
}

/// Returns the vertices that triangles use.
fn used_vertices(mesh: &TriMesh) -> Vec<Vec3> {
    let mut is_used = alloc::vec![false; mesh.vertices().len()];
    mesh.indices().iter().flatten().for_each(|v| is_used[*v as usize] = true);
    let used = mesh.vertices().iter().zip(is_used).filter(|(_, is_used)| *is_used);
    used.map(|(vertex, _)| *vertex).collect()
}

/// Returns about `length` along an axis, as a stored vector, and at least `least` along it.
fn beyond(axis: DVec3, length: f64, least: f64) -> Exit {
    let mut wanted = length;
    let mut by = widen(narrow(axis * wanted));
    let mut step = least - by.dot(axis);
    // The stored vector may be shorter. Steps grow until they exceed its rounding.
    while by.dot(axis) < least && step < f64::INFINITY {
        wanted += step;
        step *= 2.0;
        by = widen(narrow(axis * wanted));
    }
    Exit::new(by)
}

/// Returns candidate directions for moving B out of A.
fn directions(a: &ConvexHull, b: &ConvexHull) -> Vec<DVec3> {
    let mut all: Vec<DVec3> = Vec3::AXES.iter().flat_map(|axis| [widen(*axis), -widen(*axis)]).collect();
    all.extend((0..a.n_faces() as u32).map(|face| a.face_normal(face)));
    all.extend((0..b.n_faces() as u32).map(|face| -b.face_normal(face)));
    let edges = |hull: &ConvexHull| {
        let mut edges: Vec<DVec3> = Vec::new();
        for (number, edge) in (0_u32..).zip(hull.half_edges()) {
            if number < edge.twin {
                let ends = [edge.origin, hull.half_edges()[edge.twin as usize].origin];
                let [p, q] = ends.map(|v| widen(hull.vertices()[v as usize]));
                edges.extend(unit(q - p));
            }
        }
        edges
    };
    let (edges_a, edges_b) = (edges(a), edges(b));
    let pairs = edges_a.iter().flat_map(|u| edges_b.iter().map(move |v| u.cross(*v)));
    all.extend(pairs.take(MAX_EDGE_PAIRS).filter_map(unit).flat_map(|axis| [axis, -axis]));
    all
}

/// Returns by how much the depth of a nearly convex solid can be below that of its hull. `None` for
/// solids that are concave beyond rounding.
///
/// Let each vertex be at most `d` above the plane of any triangle, and let a point be `r` below all
/// of these planes. The hull, shrunk about the point by `r / (r + d)`, is below all planes, so it
/// is inside the solid. Shrinking moves each vertex by at most `d / r` of its distance from the
/// point.
fn convexity_loss(shape: &MeshShape, hull: &ConvexHull, slack: f64) -> Option<f64> {
    let topology = shape.topology();
    let corners = |t: u32| shape.mesh().corners(t);
    let triangles = 0..topology.n_triangles() as u32;
    let of_hull: f64 = signed_volume((0..hull.n_faces() as u32).flat_map(|face| {
        let ring = hull.face_vertices(face);
        let place = |v: u32| widen(hull.vertices()[v as usize]);
        ring[1..].windows(2).map(move |pair| [place(ring[0]), place(pair[0]), place(pair[1])])
    }));
    let own = signed_volume(shape.mesh().iter_corners());
    if tol::CONVEX_VOLUME * of_hull < (of_hull - own).abs() {
        return None;
    }
    // Whether no edge is concave, by exact signs.
    let is_convex_at = |t: u32, edge: usize| {
        let [a, b, c] = corners(t);
        let other = topology.neighbours(t)[edge];
        let vertices = topology.vertices(t);
        let ends = [vertices[edge], vertices[(edge + 1) % 3]];
        let apex = topology.vertices(other).into_iter().find(|v| !ends.contains(v));
        apex.is_some_and(|apex| 0.0 <= orient3d(a, b, c, topology.place(apex)))
    };
    let is_closed = triangles.clone().all(|t| !topology.neighbours(t).contains(&NO_TRIANGLE));
    if is_closed && triangles.clone().all(|t| (0..3).all(|edge| is_convex_at(t, edge))) {
        return Some(0.0);
    }
    let mut kinds = triangles.clone().flat_map(|t| topology.kinds(t));
    let n_vertices = hull.vertices().len();
    if kinds.any(|kind| kind == EdgeKind::Concave) || MAX_DENT_PAIRS / n_vertices < triangles.len() {
        return None;
    }
    let places = || hull.vertices().iter().map(|v| widen(*v));
    let middle = places().fold(DVec3::ZERO, |sum, p| sum + p) / n_vertices as f64;
    let (mut dent, mut radius) = (0.0_f64, f64::INFINITY);
    for [a, b, c] in triangles.map(corners) {
        // A triangle without area bounds nothing.
        let Some(normal) = unit((b - a).cross(c - a)) else { continue };
        dent = places().fold(dent, |most, p| most.max(normal.dot(p - a)));
        radius = radius.min(normal.dot(a - middle));
    }
    let reach = places().fold(0.0_f64, |most, p| most.max(length(p - middle)));
    let loss = (dent + slack) / radius * reach;
    (0.0 < radius && loss <= tol::CONVEX_VOLUME * reach).then_some(loss)
}
