//! How deep two solids overlap: a translation that separates them, and a length below which none does.
//!
//! Along a direction the extents of the two along it give a translation after which a plane lies between them; so the least of
//! many directions is an upper bound. For convex solids the normals of faces and the products of edges are enough, and the bound
//! is exact to rounding. For others, shorter translations are tried, and kept if the moved solids are found not to overlap. A point
//! inside both, as far as `r` from one surface and `s` from the other, proves that no translation shorter than `r + s` separates:
//! the two balls about it still overlap.
//!
//! Reference: S. Cameron, R. K. Culley, Determining the Minimum Translational Distance between Two Convex Polyhedra, IEEE ICRA 1986;
//! C. Ericson, Real-Time Collision Detection, 2005, 5.2.1 (separating axes).

use super::super::num::geom::{ConvexHull, TriMesh};
use super::super::num::{Pose, Real, Vec3, above, below, narrow, widen};
use super::inside::solid_placement_of;
use super::mesh_shape::MeshShape;
use super::point::surface_distance;
use super::solids::{SolidRelation, placed, relation};
use alloc::vec::Vec;
use carom_geom::mesh_topology::EdgeKind;
use carom_geom::ray_mesh::Placement;
use carom_geom::winding::signed_volume;
use carom_math::scaling::unit;
use carom_math::tol;
use glam::DVec3;

/// Most products of edges of two convex solids that are tried; of more, some are left out.
const MAX_EDGE_PAIRS: usize = 1 << 16;

/// Most triangles of solids that are moved to see whether they still overlap.
const MAX_MOVED_TRIANGLES: usize = 1 << 12;

/// Places along each axis of the common box that are tried for a point deep in both.
const N_PLACES: usize = 6;

/// Relative: some roundings of `f64` of an extent.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// How deep two solids overlap. World frame.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SolidOverlap {
    /// No shorter translation separates them.
    pub at_least: Real,
    /// The length of `separation`.
    pub at_most: Real,
    /// Moved by this, B does not overlap A.
    pub separation: Vec3,
    /// A point inside both; a point of both if none was found, and then `at_least` is 0.
    pub point: Vec3,
    /// Both solids are convex: the bounds differ by rounding alone.
    pub is_exact: bool,
}

/// Bounds of how deep two solids overlap; `None` if they do not, or if a mesh does not tell inside from outside.
pub fn solid_overlap(a: &MeshShape, pose_a: &Pose, b: &MeshShape, pose_b: &Pose) -> Option<SolidOverlap> {
    let (a, b) = (placed(a, pose_a)?, placed(b, pose_b)?);
    if relation(&a, &b) != SolidRelation::Overlapping {
        return None;
    }
    let hulls = [&a, &b].map(|shape| ConvexHull::from_points(shape.mesh().vertices()).ok());
    let [Some(hull_a), Some(hull_b)] = &hulls else { return None };
    let is_exact = is_convex(&a, hull_a) && is_convex(&b, hull_b);
    let (point, at_least) = deep_point(&a, &b);
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
        let length = end(hull_a, 1.0) + end(hull_b, -1.0) + slack;
        if length < best.0 {
            best = (length, axis);
        }
    }
    if is_exact {
        let at_least = at_least.max(best.0 - 4.0 * slack);
        return Some(answer(at_least.max(0.0), best, point, true));
    }
    if a.mesh().n_triangles() + b.mesh().n_triangles() <= MAX_MOVED_TRIANGLES {
        shorten(&a, &b, at_least, &mut best);
    }
    Some(answer(at_least, best, point, false))
}

fn answer(at_least: f64, (length, axis): (f64, DVec3), point: DVec3, is_exact: bool) -> SolidOverlap {
    let at_least = at_least.min(length).max(0.0);
    SolidOverlap {
        at_least: below(at_least),
        at_most: above(length * (1.0 + ROUNDING)),
        separation: narrow(axis * length),
        point: narrow(point),
        is_exact,
    }
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

/// The solid is its hull, to rounding.
fn is_convex(shape: &MeshShape, hull: &ConvexHull) -> bool {
    let topology = shape.topology();
    let bends = (0..topology.n_triangles() as u32).flat_map(|t| topology.kinds(t));
    if bends.into_iter().any(|kind| kind == EdgeKind::Concave) {
        return false;
    }
    let of_hull: f64 = signed_volume((0..hull.n_faces() as u32).flat_map(|face| {
        let ring = hull.face_vertices(face);
        let place = |v: u32| widen(hull.vertices()[v as usize]);
        ring[1..].windows(2).map(move |pair| [place(ring[0]), place(pair[0]), place(pair[1])])
    }));
    let own = signed_volume(shape.mesh().iter_corners());
    (of_hull - own).abs() <= tol::CONVEX_VOLUME * of_hull
}

/// A point inside both, far from both surfaces, and the sum of these distances; a common point and 0 if none is found.
fn deep_point(a: &MeshShape, b: &MeshShape) -> (DVec3, f64) {
    let ((low_a, high_a), (low_b, high_b)) = (a.mesh().wide_bounds(), b.mesh().wide_bounds());
    let (low, high) = (low_a.max(low_b), high_a.min(high_b));
    let depth = |p: DVec3| {
        let is_inside = |shape| solid_placement_of(shape, p) == Some(Placement::Inside);
        if !(is_inside(a) && is_inside(b)) {
            return 0.0;
        }
        let sum = surface_distance(a, p) + surface_distance(b, p);
        (sum * (1.0 - ROUNDING) - ROUNDING * p.abs().max_element()).max(0.0)
    };
    let mut best = (low * 0.5 + high * 0.5, 0.0);
    let look = |p: DVec3, best: &mut (DVec3, f64)| {
        let found = depth(p);
        if best.1 < found {
            *best = (p, found);
            return true;
        }
        false
    };
    let n = N_PLACES;
    for i in 0..n * n * n {
        let place = DVec3::new((i % n) as f64, (i / n % n) as f64, (i / n / n) as f64) + 0.5;
        look(low + (high - low) * place / n as f64, &mut best);
    }
    // Behind the corners and the middles of triangles, where thin overlaps are.
    for (one, other) in [(a, b), (b, a)] {
        for t in 0..one.mesh().n_triangles().min(MAX_MOVED_TRIANGLES) as u32 {
            let [p, q, r] = one.mesh().corners(t);
            let middle = (p + q + r) / 3.0;
            for p in [p * 0.99 + middle * 0.01, middle] {
                if (p.cmpge(low) & p.cmple(high)).all()
                    && solid_placement_of(other, p) == Some(Placement::Inside)
                {
                    let way = surface_distance(other, p) * 0.5;
                    look(p - one.topology().normal(t) * way, &mut best);
                }
            }
        }
    }
    let mut step = (high - low).max_element() / n as f64;
    for _ in 0..40 {
        let moves = [DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y, DVec3::Z, DVec3::NEG_Z];
        let has_moved = moves.into_iter().any(|way| look(best.0 + way * step, &mut best));
        if !has_moved {
            step *= 0.5;
        }
    }
    best
}

/// Tries translations between the two bounds.
fn shorten(a: &MeshShape, b: &MeshShape, at_least: f64, best: &mut (f64, DVec3)) {
    let ways = [best.1, DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y, DVec3::Z, DVec3::NEG_Z];
    for way in ways {
        let mut length = at_least * (1.0 + tol::SEPARATING_PART);
        for _ in 0..8 {
            if !(0.0 < length && length < best.0) {
                break;
            }
            // The stored vector counts, and so do the rounded places.
            let by = widen(narrow(way * length));
            if is_free(a, b, by) {
                *best = (by.length(), way);
                break;
            }
            length *= 1.5;
        }
    }
}

/// B does not overlap A once it is moved.
fn is_free(a: &MeshShape, b: &MeshShape, by: DVec3) -> bool {
    let vertices = b.mesh().vertices().iter().map(|v| narrow(widen(*v) + by)).collect();
    let moved = TriMesh::new(vertices, b.mesh().indices().to_vec()).ok();
    let moved = moved.and_then(|mesh| MeshShape::new(mesh).ok());
    moved.is_some_and(|moved| relation(a, &moved) != SolidRelation::Overlapping)
}
