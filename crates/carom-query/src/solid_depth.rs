//! Penetration depth of two solids: a translation that separates them, and a lower bound for all
//! such translations.
//!
//! - Upper bound: the extents of both along a direction give a translation after which a plane
//!   separates them. The least over many directions is used.
//! - For convex solids the face normals and the cross products of edges suffice. The bound is
//!   exact up to rounding.
//! - For other solids, and for more pairs of edges than [`MAX_EDGE_PAIRS`], shorter translations
//!   are tried, see `solid_exit.rs`.
//! - Lower bound: let a point inside both, see `solid_point.rs`, have the distances `r` and `s`
//!   from the surfaces. The bound is `r + s`: after any shorter translation the two balls about the
//!   point still overlap.
//!
//! Reference: S. Cameron, R. K. Culley, Determining the Minimum Translational Distance between Two
//! Convex Polyhedra, IEEE ICRA 1986; C. Ericson, Real-Time Collision Detection, 2005, 5.2.1
//! (separating axes).

use crate::mesh_shape::MeshShape;
use crate::solid_exit::{Exit, shorten};
use crate::solid_point::{ROUNDING, deep_point};
use alloc::vec::Vec;
use carom_geom::mesh_topology::{EdgeKind, NO_TRIANGLE};
use carom_geom::winding::signed_volume;
use carom_geom::{WideHull, WideMesh};
use carom_math::predicates::orient3d;
use carom_math::scaling::{length, unit};
use carom_math::tol;
use glam::DVec3;

/// The most pairs of edges of two convex solids that are tried. Further pairs are skipped.
const MAX_EDGE_PAIRS: usize = 1 << 16;

/// The most pairs of a triangle and a vertex that are compared to measure the concavity of a
/// solid.
const MAX_DENT_PAIRS: usize = 1 << 24;

/// The approximate number of vertices of a hull that are tested first along each direction.
const FEW_VERTICES: usize = 16;

/// Bounds of the penetration depth, and how they were found.
pub(crate) struct Bounds {
    pub(crate) at_least: f64,
    pub(crate) exit: Exit,
    /// A point inside both, or on both surfaces.
    pub(crate) point: DVec3,
    /// Whether both solids are convex, and all pairs of edges were tried.
    pub(crate) is_exact: bool,
}

/// Returns bounds of the penetration depth of two solids that overlap, in one frame and facing
/// outwards, with their hulls.
pub(crate) fn bounds<M: WideMesh, H: WideHull>(a: &MeshShape<M>, b: &MeshShape<M>, hulls: [&H; 2]) -> Bounds {
    let [hull_a, hull_b] = hulls;
    let (point, mut at_least) = deep_point(a, b);
    let corners = hulls.map(|hull| positions(hull).collect::<Vec<DVec3>>());
    let reach = corners.iter().flatten().fold(0.0_f64, |most, p| most.max(p.abs().max_element()));
    let slack = ROUNDING * reach;
    let mut best = (f64::INFINITY, DVec3::X);
    let (axes, has_all_edges) = directions(hull_a, hull_b);
    for axis in axes {
        let end = |k: usize, step: usize| {
            let axis = if k == 0 { axis } else { -axis };
            corners[k].iter().step_by(step).map(|p| axis.dot(*p)).fold(f64::NEG_INFINITY, f64::max)
        };
        // For most directions, a few of the vertices show that the direction is not the best one.
        let few = |k: usize| end(k, corners[k].len().div_ceil(FEW_VERTICES).max(1));
        if best.0 <= few(0) + few(1) {
            continue;
        }
        let length = end(0, 1) + end(1, 1);
        if length < best.0 {
            best = (length, axis);
        }
    }
    let mut exit = beyond::<M>(best.1, best.0 + slack, best.0 + 0.5 * slack);
    let lost = |shape, hull| convexity_loss(shape, hull, slack);
    let losses =
        if has_all_edges { lost(a, hull_a).and_then(|of_a| Some(of_a + lost(b, hull_b)?)) } else { None };
    if let Some(losses) = losses {
        at_least = at_least.max(best.0 - 4.0 * slack - losses);
    } else {
        shorten(a, b, hulls, point, at_least, &mut exit);
    }
    Bounds { at_least: at_least.min(exit.length).max(0.0), exit, point, is_exact: losses.is_some() }
}

/// Returns a stored vector of about `length` along an axis. Its coordinate along the axis is at
/// least `least`.
fn beyond<M: WideMesh>(axis: DVec3, length: f64, least: f64) -> Exit {
    let mut wanted = length;
    let mut by = M::rounded(axis * wanted);
    let mut step = least - by.dot(axis);
    // The stored vector may be shorter. Steps grow until they exceed its rounding.
    while by.dot(axis) < least && step < f64::INFINITY {
        wanted += step;
        step *= 2.0;
        by = M::rounded(axis * wanted);
    }
    Exit::new(by)
}

/// Returns candidate directions for moving B out of A, and whether all pairs of edges are among
/// them.
fn directions(a: &impl WideHull, b: &impl WideHull) -> (Vec<DVec3>, bool) {
    let mut all: Vec<DVec3> = DVec3::AXES.iter().flat_map(|axis| [*axis, -*axis]).collect();
    all.extend((0..a.n_faces() as u32).map(|face| a.face_normal(face)));
    all.extend((0..b.n_faces() as u32).map(|face| -b.face_normal(face)));
    let (edges_a, edges_b) = (edges(a), edges(b));
    let pairs = edges_a.iter().flat_map(|u| edges_b.iter().map(move |v| u.cross(*v)));
    all.extend(pairs.take(MAX_EDGE_PAIRS).filter_map(unit).flat_map(|axis| [axis, -axis]));
    (all, edges_a.len().saturating_mul(edges_b.len()) <= MAX_EDGE_PAIRS)
}

/// Returns the unit directions of the edges of a hull.
fn edges(hull: &impl WideHull) -> Vec<DVec3> {
    let halves = (0_u32..).zip(hull.half_edges()).filter(|(number, edge)| *number < edge.twin);
    let along = |(number, _)| {
        let [p, q] = hull.ends(number).map(|v| hull.position(v));
        unit(q - p)
    };
    halves.filter_map(along).collect()
}

/// Returns the vertices of a hull.
fn positions(hull: &impl WideHull) -> impl Iterator<Item = DVec3> {
    (0..hull.n_vertices() as u32).map(|v| hull.position(v))
}

/// Returns by how much the depth of a nearly convex solid can be below that of its hull. `None` for
/// solids that are concave beyond rounding.
///
/// Let each vertex be at most `d` above the plane of any triangle, and let a point be `r` below all
/// of these planes. The hull, shrunk about the point by `r / (r + d)`, is below all planes, so it
/// is inside the solid. Shrinking moves each vertex by at most `d / r` of its distance from the
/// point.
fn convexity_loss(shape: &MeshShape<impl WideMesh>, hull: &impl WideHull, slack: f64) -> Option<f64> {
    let topology = shape.topology();
    let corners = |t: u32| shape.mesh().corners(t);
    let triangles = 0..topology.n_triangles() as u32;
    let of_hull: f64 = signed_volume((0..hull.n_faces() as u32).flat_map(|face| {
        let ring = hull.face_vertices(face);
        let position_of = |v: u32| hull.position(v);
        ring[1..]
            .windows(2)
            .map(move |pair| [position_of(ring[0]), position_of(pair[0]), position_of(pair[1])])
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
        apex.is_some_and(|apex| 0.0 <= orient3d(a, b, c, topology.position(apex)))
    };
    let is_closed = triangles.clone().all(|t| !topology.neighbours(t).contains(&NO_TRIANGLE));
    if is_closed && triangles.clone().all(|t| (0..3).all(|edge| is_convex_at(t, edge))) {
        return Some(0.0);
    }
    let mut kinds = triangles.clone().flat_map(|t| topology.kinds(t));
    let n_vertices = hull.n_vertices();
    if kinds.any(|kind| kind == EdgeKind::Concave) || MAX_DENT_PAIRS / n_vertices < triangles.len() {
        return None;
    }
    let points = || positions(hull);
    let middle = points().fold(DVec3::ZERO, |sum, p| sum + p) / n_vertices as f64;
    let (mut dent, mut radius) = (0.0_f64, f64::INFINITY);
    for [a, b, c] in triangles.map(corners) {
        // A triangle without area bounds nothing.
        let Some(normal) = unit((b - a).cross(c - a)) else { continue };
        dent = points().fold(dent, |most, p| most.max(normal.dot(p - a)));
        radius = radius.min(normal.dot(a - middle));
    }
    let reach = points().fold(0.0_f64, |most, p| most.max(length(p - middle)));
    let loss = (dent + slack) / radius * reach;
    (0.0 < radius && loss <= tol::CONVEX_VOLUME * reach).then_some(loss)
}
