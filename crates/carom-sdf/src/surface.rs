//! The distances of a grid's nodes from a mesh: the `f64` distance to the nearest triangle,
//! rounded once.
//!
//! A tree of the triangles is searched for the centre of a block, then for the centres of its
//! halves, down to the nodes. Parts farther than the band are skipped. The triangle found for a
//! whole block bounds the search for its parts. Plain arithmetic finds the candidates for the
//! nearest triangle, and accurate arithmetic measures them.
//!
//! Reference: N. Roussopoulos, S. Kelley, F. Vincent, Nearest Neighbor Queries, 1995 (branch and
//! bound).

use crate::bake::{Accuracy, Filled, Header, N_BLOCK_NODES, NodeBox, Source, stored};
use crate::error::SdfError;
use crate::grid::Grid;
use crate::sign::{MAX_ROW, Sides};
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_bvh::{BuildQuality, BuildSettings, Bvh, BvhError};
use carom_geom::TriMesh;
use carom_geom::tri_distance::point_triangle;
use carom_math::ops::sqrt;
use glam::{DVec3, UVec3};

/// A mesh as a source of distances.
pub(crate) struct Surface<'a> {
    mesh: &'a TriMesh,
    tree: Bvh,
    pub(crate) sides: Sides,
    grid: Grid,
    band: f32,
    /// A length above the rounding error of a rough distance in this grid.
    slack: f64,
}

impl<'a> Surface<'a> {
    /// Prepares a mesh for the nodes of a grid whose y and z are from `low` to `high`.
    pub(crate) fn new(
        mesh: &'a TriMesh,
        grid: Grid,
        band: f32,
        low: UVec3,
        high: UVec3,
    ) -> Result<Surface<'a>, SdfError> {
        check_within(mesh, &grid)?;
        let boxes: Vec<Aabb> = (0..mesh.n_triangles() as u32).map(|t| mesh.triangle_aabb(t)).collect();
        let settings = BuildSettings::default().with_quality(BuildQuality::Fast).with_max_leaf(2);
        let tree = Bvh::build(&boxes, &settings).map_err(bad_tree)?;
        let sides = Sides::new(mesh, &tree, &grid, low, high)?;
        let (low, high) = grid.wide_bounds();
        Ok(Surface { mesh, tree, sides, grid, band, slack: (high - low).length() * ROUNDING_RATIO })
    }

    /// Prepares a mesh for all nodes of a grid. Also returns the header of its field.
    pub(crate) fn of_grid(
        mesh: &'a TriMesh,
        grid: Grid,
        band: f32,
    ) -> Result<(Header, Surface<'a>), SdfError> {
        let surface = Surface::new(mesh, grid, band, UVec3::ZERO, grid.cells())?;
        Ok((Header { grid, band, sign: surface.sides.method(), accuracy: Accuracy::Exact }, surface))
    }

    /// Returns the distance of a triangle from a point, with an error of at most the slack.
    fn rough_distance(&self, point: DVec3, triangle: u32) -> f64 {
        let corners = self.mesh.corners(triangle);
        rough_distance(point, &corners).unwrap_or_else(|| point_triangle(point, &corners).distance)
    }

    /// Finds the nearest triangle by rough distances, if one is within `limit`. A good `guess`
    /// shortens the search. `near` receives all triangles that may be the nearest one, and
    /// possibly others.
    fn nearest(
        &self,
        point: DVec3,
        limit: f64,
        guess: Option<u32>,
        near: &mut Vec<(u32, f64)>,
    ) -> Option<u32> {
        near.clear();
        // Within the error of two rough distances, another triangle may be the nearest one.
        let slack = 2.0 * self.slack;
        let mut limit = limit + slack;
        if let Some(triangle) = guess {
            limit = limit.min(self.rough_distance(point, triangle) + slack);
        }
        let (found, _) = self.tree.nearest(point, limit, |triangle, bound| {
            let distance = self.rough_distance(point, triangle);
            (distance <= bound).then(|| near.push((triangle, distance)))?;
            Some(distance + slack)
        });
        let least = near.iter().fold(f64::INFINITY, |least, (_, distance)| least.min(*distance));
        near.retain(|(_, distance)| *distance <= least + slack);
        found.map_or(near.first().map(|(triangle, _)| *triangle), |(triangle, _)| Some(triangle))
    }

    /// Writes the unsigned distances of some nodes of a block. Returns whether one is within the
    /// band.
    ///
    /// If the centre of the nodes is far from the surface, all nodes are. Otherwise the box is
    /// halved along each axis, and the triangle nearest to the centre is the guess for its parts.
    fn measure(
        &self,
        block: &NodeBox,
        part: NodeBox,
        guess: Option<u32>,
        near: &mut Vec<(u32, f64)>,
        out: &mut [f32; N_BLOCK_NODES],
    ) -> bool {
        let band = f64::from(self.band);
        let (center, radius) = part.ball(&self.grid);
        let Some(triangle) = self.nearest(center, band + radius, guess, near) else {
            for (first, _) in part.rows() {
                let index = block.index_of_node(first);
                out[index..index + part.size.x as usize].fill(self.band);
            }
            return false;
        };
        if part.size == UVec3::ONE {
            let exact =
                |(triangle, _): &(u32, f64)| point_triangle(center, &self.mesh.corners(*triangle)).distance;
            let distance = near.iter().map(exact).fold(f64::INFINITY, f64::min);
            out[block.index_of_node(part.first)] = stored(distance, false, self.band);
            return distance < band;
        }
        let mut is_near = false;
        for half in part.halves() {
            is_near |= self.measure(block, half, Some(triangle), near, out);
        }
        is_near
    }
}

/// A bound on the rounding of distances, relative to the size of the grid: 2^-30.
///
/// The projected point on a face has an error of about `u size / sine^2` along it, with `u` for
/// 2^-53. The sine is at least 2^-10.
const ROUNDING_RATIO: f64 = f64::from_bits((1023 - 30) << 52);

/// The square of the least sine of a triangle's first angle. For smaller ones plain arithmetic is
/// not accurate enough.
const LEAST_SINE_SQ: f64 = 1.0 / (1 << 20) as f64;

/// Returns the distance of a triangle from a point in plain arithmetic; `None` for a sliver.
fn rough_distance(point: DVec3, [a, b, c]: &[DVec3; 3]) -> Option<f64> {
    let (u, v, w) = (*b - *a, *c - *a, point - *a);
    let (uu, uv, vv) = (u.length_squared(), u.dot(v), v.length_squared());
    let determinant = uu * vv - uv * uv;
    if !(LEAST_SINE_SQ * (uu * vv) < determinant) {
        return None;
    }
    let (uw, vw) = (u.dot(w), v.dot(w));
    let (along_u, along_v) = (vv * uw - uv * vw, uu * vw - uv * uw);
    if 0.0 <= along_u && 0.0 <= along_v && along_u + along_v <= determinant {
        let normal = u.cross(v);
        let height = normal.dot(w);
        return Some(height.abs() / sqrt(normal.length_squared()));
    }
    // Beside the face, the distance is that of the nearest of the three edges.
    let on_edge = |w: DVec3, edge: DVec3, along: f64, edge_sq: f64| {
        (w - edge * (along / edge_sq).clamp(0.0, 1.0)).length_squared()
    };
    let across = v - u;
    let from_b = w - u;
    let third = on_edge(from_b, across, across.dot(from_b), across.length_squared());
    Some(sqrt(on_edge(w, u, uw, uu).min(on_edge(w, v, vw, vv)).min(third)))
}

impl Surface<'_> {
    /// Finds the sides of nodes that are all farther than the band.
    fn fill_far(&self, nodes: NodeBox, out: &mut [f32; N_BLOCK_NODES]) -> Filled {
        let mut inside = [false; MAX_ROW];
        // A surface between two nodes would be within the band of one of them. So one node
        // determines the side of all, unless the closing sheet of a hole passes here.
        if self.sides.method().is_certain() {
            self.sides.are_inside(self.mesh, &self.tree, &self.grid, nodes.first, &mut inside[..1]);
            return Filled::Far { is_inside: inside[0] };
        }
        let mut n_inside = 0;
        for (first, index) in nodes.rows() {
            let inside = &mut inside[..nodes.size.x as usize];
            self.sides.are_inside(self.mesh, &self.tree, &self.grid, first, inside);
            for (value, is_inside) in out[index..].iter_mut().zip(&*inside) {
                *value = stored(f64::INFINITY, *is_inside, self.band);
                n_inside += u32::from(*is_inside);
            }
        }
        match n_inside {
            0 => Filled::Far { is_inside: false },
            n if n == nodes.size.element_product() => Filled::Far { is_inside: true },
            _ => Filled::Values,
        }
    }
}

impl Source for Surface<'_> {
    fn fill(&self, nodes: NodeBox, out: &mut [f32; N_BLOCK_NODES]) -> Result<Filled, SdfError> {
        if !self.measure(&nodes, nodes, None, &mut Vec::new(), out) {
            return Ok(self.fill_far(nodes, out));
        }
        let mut inside = [false; MAX_ROW];
        for (first, index) in nodes.rows() {
            let inside = &mut inside[..nodes.size.x as usize];
            self.sides.are_inside(self.mesh, &self.tree, &self.grid, first, inside);
            for (value, _) in out[index..].iter_mut().zip(&*inside).filter(|(_, is_inside)| **is_inside) {
                // A zero stays positive.
                *value = if *value == 0.0 { 0.0 } else { -*value };
            }
        }
        Ok(Filled::Values)
    }
}

fn check_within(mesh: &TriMesh, grid: &Grid) -> Result<(), SdfError> {
    let (min, max) = grid.wide_bounds();
    let is_out = |p: DVec3| p.cmplt(min).any() || max.cmplt(p).any();
    // A vertex that no triangle uses does not count.
    let outside =
        mesh.indices().iter().flatten().filter(|&&v| is_out(mesh.vertices()[v as usize].as_dvec3()));
    outside.min().map_or(Ok(()), |&vertex| Err(SdfError::OutsideGrid { vertex }))
}

/// Returns the error of the tree. It accepts all boxes of a grid, and almost as many triangles as
/// a mesh can have.
fn bad_tree(_: BvhError) -> SdfError {
    SdfError::Mesh(carom_geom::MeshError::TooLarge)
}
