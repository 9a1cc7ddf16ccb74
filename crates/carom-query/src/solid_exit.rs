//! Search for short translations that separate two solids, for solids that are not convex.
//!
//! - The directions are those of the axes and of the faces of both. Along each, a few lengths
//!   between the two bounds are tried, then refined by bisection.
//! - A translation counts only if the moved solid is found not to overlap. If moving rounds a
//!   corner, the solids must be apart by more than that rounding.
//! - Points known to be in one solid reject most translations before a tree is built.
//! - Each trial is decided as `solids.rs` does.

use crate::contains_point::solid_placement_of;
use crate::mesh_mesh;
use crate::mesh_shape::MeshShape;
use crate::solids::{SolidRelation, relation};
use crate::workspace::Workspace;
use alloc::vec::Vec;
use carom_geom::ray_mesh::Placement;
use carom_geom::{WideHull, WideMesh};
use carom_math::scaling::{length, unit};
use carom_math::{WidePose, ops, tol};
use glam::DVec3;

/// The most triangles of a solid that is moved for a trial.
const MAX_MOVED_TRIANGLES: usize = 1 << 12;

/// The approximate number of triangles that are moved in all trials together.
const MAX_MOVED_IN_ALL: usize = 1 << 15;

/// The fewest translations that are tried.
const MIN_TRIALS: usize = 56;

/// The most directions that are tried.
const MAX_DIRECTIONS: usize = 32;

/// Lengths that are tried from the lower bound to the upper one.
const N_LENGTHS: usize = 8;

/// Bisections of the interval before the first length that separates.
const N_HALVINGS: usize = 5;

/// The most corners of each solid that are tested against the other solid.
const MAX_PROBES: usize = 32;

/// Cosine of about half a degree: closer directions count as one.
const SAME_DIRECTION_COSINE: f64 = 0.9999;

/// A separating translation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exit {
    /// A vector that `Vec3` represents exactly.
    pub(crate) by: DVec3,
    pub(crate) length: f64,
}

impl Exit {
    pub(crate) fn new(by: DVec3) -> Exit {
        Exit { by, length: length(by) }
    }
}

/// Replaces a translation by a shorter one between the two bounds, if one is found.
pub(crate) fn shorten<M: WideMesh>(
    a: &MeshShape<M>,
    b: &MeshShape<M>,
    hulls: [&impl WideHull; 2],
    inside: DVec3,
    at_least: f64,
    best: &mut Exit,
) {
    let n_triangles = a.mesh().n_triangles() + b.mesh().n_triangles();
    if MAX_MOVED_TRIANGLES < n_triangles {
        return;
    }
    let mut trial = Trial { a, b, probes: probes(hulls, inside), n_left: 0 };
    trial.n_left = (MAX_MOVED_IN_ALL / n_triangles).max(MIN_TRIALS);
    for direction in candidate_directions(a, b, best.by) {
        let start = at_least * (1.0 + tol::SEPARATING_PART);
        let start = start.max(best.length / (1_u32 << N_LENGTHS) as f64);
        if best.length <= start {
            return;
        }
        // The eighth root, so that the lengths end at the best one.
        let ratio = ops::sqrt(ops::sqrt(ops::sqrt(best.length / start)));
        let (mut low, mut length) = (at_least, start);
        for _ in 0..N_LENGTHS {
            if trial.shortens(direction, length, best) {
                break;
            }
            (low, length) = (length, length * ratio);
        }
        for _ in 0..N_HALVINGS {
            let middle = 0.5 * (low + best.length.min(length));
            if !trial.shortens(direction, middle, best) {
                low = middle;
            } else {
                length = middle;
            }
        }
    }
}

/// Returns unit vectors along which B may leave A: the best known, the axes, then the normals of
/// faces, large ones first.
fn candidate_directions<M: WideMesh>(a: &MeshShape<M>, b: &MeshShape<M>, first: DVec3) -> Vec<DVec3> {
    let mut directions = Vec::with_capacity(MAX_DIRECTIONS);
    let axes = DVec3::AXES.iter().flat_map(|axis| [*axis, -*axis]);
    directions.extend(unit(first).into_iter().chain(axes));
    let mut faces: Vec<(f64, DVec3)> = Vec::new();
    for (shape, sign) in [(a, 1.0), (b, -1.0)] {
        let mut of_facet = alloc::vec![0.0; shape.mesh().n_triangles()];
        let topology = shape.topology();
        for t in 0..topology.n_triangles() as u32 {
            let [p, q, r] = shape.mesh().corners(t);
            if let Some(area) = of_facet.get_mut(topology.facet(t) as usize) {
                *area += length((q - p).cross(r - p));
            }
        }
        let large = of_facet.into_iter().zip(0_u32..).filter(|(area, _)| 0.0 < *area);
        faces.extend(large.map(|(area, t)| (area, topology.normal(t) * sign)));
    }
    faces.sort_by(|p, q| q.0.total_cmp(&p.0));
    for (_, displacement) in faces {
        if MAX_DIRECTIONS <= directions.len() {
            break;
        }
        if !directions.iter().any(|other| SAME_DIRECTION_COSINE < other.dot(displacement)) {
            directions.push(displacement);
        }
    }
    directions
}

/// Returns sample points of A and of B. The first of both is inside.
fn probes([a, b]: [&impl WideHull; 2], inside: DVec3) -> [Vec<DVec3>; 2] {
    [a, b].map(|hull| {
        let every = hull.n_vertices().div_ceil(MAX_PROBES).max(1);
        let corners = (0..hull.n_vertices() as u32).step_by(every).map(|v| hull.position(v));
        core::iter::once(inside).chain(corners).collect()
    })
}

/// The data that all translations share.
struct Trial<'a, M> {
    a: &'a MeshShape<M>,
    b: &'a MeshShape<M>,
    probes: [Vec<DVec3>; 2],
    n_left: usize,
}

impl<M: WideMesh> Trial<'_, M> {
    /// Replaces the best translation if this one is shorter and separates.
    fn shortens(&mut self, displacement: DVec3, length: f64, best: &mut Exit) -> bool {
        let by = M::rounded(displacement * length);
        let exit = Exit::new(by);
        let is_better = exit.length < best.length && !self.is_rejected(by) && self.is_free(by);
        if is_better {
            *best = exit;
        }
        is_better
    }

    /// Whether a point of one solid is inside the other after moving B.
    fn is_rejected(&self, by: DVec3) -> bool {
        let is_inside = |shape, p| solid_placement_of(shape, p, ()) == Some(Placement::Inside);
        self.probes[1].iter().any(|p| is_inside(self.a, *p + by))
            || self.probes[0].iter().any(|p| is_inside(self.b, *p - by))
    }

    /// Whether B does not overlap A after moving.
    fn is_free(&mut self, by: DVec3) -> bool {
        if self.n_left == 0 {
            return false;
        }
        self.n_left -= 1;
        let mut error = 0.0_f64;
        let mesh = self.b.mesh();
        let vertices = (0..mesh.n_vertices() as u32).map(|v| {
            let (position, moved) = (mesh.position(v), M::rounded(mesh.position(v) + by));
            for k in 0..3 {
                error = error.max(rounding_of_sum(position[k], by[k], moved[k]).abs());
            }
            moved
        });
        let moved = M::from_wide(vertices, mesh.indices().to_vec());
        let Some(moved) = moved.and_then(|mesh| MeshShape::new(mesh).ok()) else { return false };
        match relation(self.a, &moved) {
            SolidRelation::Overlapping => false,
            _ if error == 0.0 => true,
            SolidRelation::Touching => false,
            SolidRelation::Clear => {
                // A point moves no farther than its corners, along each of three axes.
                let least = 4.0 * error;
                let here = WidePose::IDENTITY;
                let near = mesh_mesh::distance(self.a, &moved, &here, least, &mut Workspace::default(), ());
                least < near.distance
            }
        }
    }
}

/// Returns the error of a rounded sum of two numbers, up to one rounding of the error.
fn rounding_of_sum(x: f64, y: f64, sum: f64) -> f64 {
    let (large, small) = if x.abs() < y.abs() { (y, x) } else { (x, y) };
    small - (sum - large)
}
