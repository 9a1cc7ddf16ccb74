//! Self-intersections of a mesh: the pairs of its triangles that share more than common corners and
//! edges, and the curves along which they meet.
//!
//! 1. A tree over the triangles gives the pairs whose boxes meet.
//! 2. Corners are common if their positions are equal. Without a common corner, any shared point
//!    counts.
//! 3. Triangles with one common corner meet beyond it if their intersection is a segment or a
//!    polygon. With a common edge they must be folded onto each other in one plane.
//! 4. All decisions are exact; coordinates of the curves are rounded.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.7; the exact cases follow
//! `carom_geom::tri_intersection`.

use crate::mesh_shape::MeshShape;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec;
use alloc::vec::Vec;
use carom_geom::tri_intersection::{Intersection, intersection};
use carom_geom::{WideMesh, tri_tri};
use carom_math::ops;
use carom_math::predicates::{orient2d_along, orient3d};
use core::ops::ControlFlow;
use glam::DVec3;

/// Two triangles of one mesh that share more than their common corners and edges.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SelfIntersection {
    /// Index of the first triangle.
    pub a: u32,
    /// Index of the second triangle, above `a`.
    pub b: u32,
    /// The number of positions that are corners of both: 0 to 3. Neighbours that are listed cross,
    /// or are folded onto each other.
    pub n_shared: u32,
    /// The points of both triangles, in the mesh's frame. For neighbours these include the common
    /// corners.
    pub intersection: Intersection,
}

/// Returns all self-intersections of a mesh, sorted by their triangles (test:
/// `self_intersections::published_answers`).
///
/// Touching counts. Neighbours that share only their common corner or edge are left out, exactly. A
/// triangle without area is a segment or a point.
///
/// ```
/// use carom_geom::TriMesh;
/// use carom_math::Vec3;
/// use carom_query::{MeshShape, intersection_curves, self_intersections};
///
/// // The second triangle stands on an edge of the first; the third pierces the first.
/// let p = Vec3::new;
/// let corners = [
///     p(0.0, 0.0, 0.0), p(4.0, 0.0, 0.0), p(0.0, 4.0, 0.0),
///     p(0.0, 0.0, 4.0), p(1.0, 1.0, -1.0), p(1.0, 1.0, 1.0), p(1.0, 2.0, 1.0),
/// ];
/// let mesh = TriMesh::new(corners.to_vec(), vec![[0, 1, 2], [0, 1, 3], [4, 5, 6]])?;
/// let pairs = self_intersections(&MeshShape::new(mesh)?);
/// assert_eq!(pairs.iter().map(|pair| (pair.a, pair.b)).collect::<Vec<_>>(), [(0, 2)]);
/// let curves = intersection_curves(&pairs);
/// assert_eq!(curves.len(), 1);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
pub fn self_intersections(mesh: &MeshShape<impl WideMesh>) -> Vec<SelfIntersection> {
    let triangles = mesh.mesh();
    let mut found = Vec::new();
    mesh.tree().visit_self_pairs(|a, b| {
        if let Some((n_shared, intersection)) = meet(&triangles.corners(a), &triangles.corners(b)) {
            found.push(SelfIntersection { a, b, n_shared, intersection });
        }
        ControlFlow::Continue(())
    });
    found.sort_unstable_by_key(|pair| (pair.a, pair.b));
    found
}

/// Returns the number of common corners of two triangles, and what else they share; `None` if they
/// share nothing else.
fn meet(a: &[DVec3; 3], b: &[DVec3; 3]) -> Option<(u32, Intersection)> {
    let is_first = |i: usize| !a[..i].contains(&a[i]);
    let shared: u32 = (0..3).map(|i| u32::from(is_first(i) && b.contains(&a[i]))).sum();
    if shared == 0 {
        return tri_tri::intersects(a, b).then(|| (0, intersection(a, b)));
    }
    // Triangles in two planes, or on one side of the other's plane, share no more than the corners.
    if is_clear_of(a, b, shared) || is_clear_of(b, a, shared) {
        return None;
    }
    let common = intersection(a, b);
    let is_more = if is_flat(a) || is_flat(b) {
        // The ends of segments in one line are corners, unchanged.
        common.points().iter().any(|p| !(a.contains(p) && b.contains(p)))
    } else {
        match shared {
            1 => !matches!(common, Intersection::Empty | Intersection::Point(_)),
            _ => matches!(common, Intersection::Polygon { .. }),
        }
    };
    is_more.then_some((shared, common))
}

/// Whether the corners of `b` beside the common ones lie strictly on one side of the plane of `a`.
fn is_clear_of(a: &[DVec3; 3], b: &[DVec3; 3], shared: u32) -> bool {
    let mut sides = b.iter().filter(|p| !a.contains(p)).map(|p| orient3d(a[0], a[1], a[2], *p));
    match (shared, sides.next(), sides.next()) {
        (1, Some(p), Some(q)) => (0.0 < p && 0.0 < q) || (p < 0.0 && q < 0.0),
        (2, Some(p), None) => p != 0.0,
        _ => false,
    }
}

/// Whether a triangle has no area.
fn is_flat(t: &[DVec3; 3]) -> bool {
    (0..3).all(|axis| orient2d_along(axis, t[0], t[1], t[2]) == 0.0)
}

/// Ends of segments that are closer than this fraction of the largest coordinate count as one:
/// 2^-40.
const END_TOLERANCE: f64 = 1.0 / (1_u64 << 40) as f64;

/// The side of a cell of the grid that finds equal ends, in tolerances.
const TOLERANCES_PER_CELL: f64 = 16.0;

/// Returns the curves along which triangles cross, as polylines in the mesh's frame. A closed curve
/// ends with its first point.
///
/// The segments of the pairs are joined at their ends, and a segment that several pairs share
/// appears once (test: `self_intersections::curves_of_two_boxes_are_closed`). Curves end where
/// others begin or more than two segments meet. Pairs that meet in a point, in a segment shorter
/// than 2^-40 of the largest coordinate, or in one plane have no curve.
pub fn intersection_curves(pairs: &[SelfIntersection]) -> Vec<Vec<DVec3>> {
    let segments = || {
        pairs.iter().filter_map(|pair| match pair.intersection {
            Intersection::Segment(ends) => Some(ends),
            _ => None,
        })
    };
    let largest = segments().flatten().fold(0.0, |most: f64, p| most.max(p.abs().max_element()));
    let tolerance = (largest * END_TOLERANCE).max(f64::MIN_POSITIVE);
    let mut graph = Graph { cells: BTreeMap::new(), points: Vec::new(), tolerance };
    let mut edges = BTreeSet::new();
    for [p, q] in segments() {
        let (p, q) = (graph.node(p), graph.node(q));
        if p != q {
            edges.insert((p.min(q), p.max(q)));
        }
    }
    let mut links: Vec<Vec<(usize, usize)>> = vec![Vec::new(); graph.points.len()];
    for (edge, &(p, q)) in edges.iter().enumerate() {
        links[p].push((q, edge));
        links[q].push((p, edge));
    }
    let mut is_used = vec![false; edges.len()];
    let mut curves = Vec::new();
    // Open curves first, from their ends and from branches; closed ones are left.
    let (branches, inner): (Vec<usize>, Vec<usize>) =
        (0..links.len()).partition(|node| links[*node].len() != 2);
    for start in branches.into_iter().chain(inner) {
        for &first in &links[start] {
            if is_used[first.1] {
                continue;
            }
            let mut curve = vec![graph.points[start]];
            let (mut node, mut edge) = first;
            loop {
                is_used[edge] = true;
                curve.push(graph.points[node]);
                let next = links[node].iter().find(|(_, edge)| !is_used[*edge]);
                match next {
                    Some(&link) if links[node].len() == 2 && node != start => (node, edge) = link,
                    _ => break,
                }
            }
            curves.push(curve);
        }
    }
    curves
}

/// The ends of segments, equal ones as one node.
struct Graph {
    /// From a cell of a grid to the node in it.
    cells: BTreeMap<[i64; 3], usize>,
    points: Vec<DVec3>,
    tolerance: f64,
}

impl Graph {
    /// Returns the node at a point, and adds it if it is new.
    fn node(&mut self, p: DVec3) -> usize {
        let cell = |x: f64| ops::floor(x / (TOLERANCES_PER_CELL * self.tolerance)) as i64;
        let [x, y, z] = p.to_array().map(|x| [cell(x - self.tolerance), cell(x + self.tolerance)]);
        // All eight are usually the same cell.
        for i in 0..8 {
            if let Some(&node) = self.cells.get(&[x[i & 1], y[i >> 1 & 1], z[i >> 2]]) {
                return node;
            }
        }
        let node = self.points.len();
        self.cells.insert(p.to_array().map(cell), node);
        self.points.push(p);
        node
    }
}
