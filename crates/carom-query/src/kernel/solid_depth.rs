//! How deep two solids overlap: a translation that separates them, and a length below which none
//! does.
//!
//! - Along a direction the extents of both give a translation after which a plane lies between
//!   them. The least of many directions is an upper bound.
//! - For convex solids the normals of faces and the products of edges are enough: the bound is
//!   exact to rounding.
//! - For other solids shorter translations are tried, see `solid_exit.rs`.
//! - A point inside both, see `solid_point.rs`, at distances `r` and `s` from the surfaces, is a
//!   lower bound of `r + s`: after any shorter translation the two balls about it still overlap.
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

/// Most products of edges of two convex solids that are tried; of more, some are left out.
const MAX_EDGE_PAIRS: usize = 1 << 16;

/// Most pairs of a triangle and a vertex that are compared to find how concave a solid is.
const MAX_DENT_PAIRS: usize = 1 << 24;

/// Relative: some roundings of `f64` of an extent.
pub(super) const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// How deep two solids overlap. World frame.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SolidOverlap {
    /// No shorter translation separates them.
    pub at_least: Real,
    /// The length of `separation`, rounded up.
    pub at_most: Real,
    /// Moved by this, B does not overlap A.
    pub separation: Vec3,
    /// A point inside both. If the overlap is too thin to find one, a point where the surfaces
    /// meet.
    pub point: Vec3,
    /// Both solids are convex: the bounds differ by the rounding of corners and of extents alone.
    pub is_exact: bool,
}

/// A translation that separates.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exit {
    /// A vector that `Vec3` stores.
    pub(super) by: DVec3,
    pub(super) length: f64,
}

impl Exit {
    pub(super) fn new(by: DVec3) -> Exit {
        Exit { by, length: length(by) }
    }
}

/// Bounds of how deep two solids overlap; `None` if they do not, or if a mesh does not tell inside
/// from outside.
///
/// The bounds hold for meshes that do not cross themselves, at identity poses. At others the
/// corners are placed in the world first, each coordinate rounded, and the bounds are those for
/// the placed corners.
pub fn solid_overlap(a: &MeshShape, pose_a: &Pose, b: &MeshShape, pose_b: &Pose) -> Option<SolidOverlap> {
    let (a, b) = (placed(a, pose_a)?, placed(b, pose_b)?);
    if relation(&a, &b) != SolidRelation::Overlapping {
        return None;
    }
    // No vertex is left out, however little it stands out.
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

/// The vertices that triangles use.
fn used_vertices(mesh: &TriMesh) -> Vec<Vec3> {
    let mut is_used = alloc::vec![false; mesh.vertices().len()];
    mesh.indices().iter().flatten().for_each(|v| is_used[*v as usize] = true);
    let used = mesh.vertices().iter().zip(is_used).filter(|(_, is_used)| *is_used);
    used.map(|(vertex, _)| *vertex).collect()
}

/// About `length` along an axis, stored, and not below `least` along it.
fn beyond(axis: DVec3, length: f64, least: f64) -> Exit {
    let mut wanted = length;
    let mut by = widen(narrow(axis * wanted));
    let mut step = least - by.dot(axis);
    // The stored vector may be the shorter one. Steps grow until its rounding is passed.
    while by.dot(axis) < least && step < f64::INFINITY {
        wanted += step;
        step *= 2.0;
        by = widen(narrow(axis * wanted));
    }
    Exit::new(by)
}

/// Directions along which B may leave A.
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

/// How much less deep than its hull a solid can be that is convex but for rounding; `None` for
/// others.
///
/// Let no vertex be higher than `d` above the plane of a triangle, and let a point be `r` below
/// all of these planes. The hull, shrunk about the point by `r / (r + d)`, is below all planes, so
/// it is in the solid. Shrinking moves no vertex farther than `d / r` of its distance from the
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
    // No edge is concave, by exact signs.
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
