//! How far the nodes of a grid are from a mesh: the `f64` distance to the nearest triangle, rounded once.
//!
//! The distance to the last node and the length between the two bound the search for the next one.
//!
//! Reference: N. Roussopoulos, S. Kelley, F. Vincent, Nearest Neighbor Queries, 1995 (branch and bound).

use crate::bake::{Filled, N_BLOCK_NODES, NodeBox, Source, stored};
use crate::error::SdfError;
use crate::grid::Grid;
use crate::sign::{MAX_ROW, Sides};
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_bvh::{BuildQuality, BuildSettings, Bvh, BvhError};
use carom_geom::TriMesh;
use carom_geom::tri_distance::point_triangle;
use glam::{DVec3, UVec3};

/// A mesh as a source of distances.
pub(crate) struct Surface<'a> {
    mesh: &'a TriMesh,
    tree: Bvh,
    pub(crate) sides: Sides,
    grid: Grid,
    band: f32,
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
        let settings = BuildSettings::default().with_quality(BuildQuality::Fast);
        let tree = Bvh::build(&boxes, &settings).map_err(bad_tree)?;
        let sides = Sides::new(mesh, &tree, &grid, low, high)?;
        Ok(Surface { mesh, tree, sides, grid, band })
    }

    /// The distance to the nearest triangle, if it is at most `limit`.
    fn distance(&self, point: DVec3, limit: f64) -> Option<f64> {
        let gap = |t: u32, bound: f64| {
            let found = point_triangle(point, &self.mesh.corners(t)).distance;
            (found <= bound).then_some(found)
        };
        self.tree.nearest(point, limit, gap).0.map(|(_, distance)| distance)
    }
}

impl Surface<'_> {
    /// The sides of nodes that are all farther than the band.
    fn fill_far(&self, nodes: NodeBox, out: &mut [f32; N_BLOCK_NODES]) -> Filled {
        let mut inside = [false; MAX_ROW];
        // A surface between two nodes would be within the band of one of them. So one node tells the side of all, unless the sheet over a
        // hole passes here.
        if self.sides.method().is_certain() {
            self.sides.are_inside(self.mesh, &self.tree, &self.grid, nodes.first, &mut inside[..1]);
            return Filled::Far { is_inside: inside[0] };
        }
        let mut n_inside = 0;
        for (first, place) in nodes.rows() {
            let inside = &mut inside[..nodes.size.x as usize];
            self.sides.are_inside(self.mesh, &self.tree, &self.grid, first, inside);
            for (value, is_inside) in out[place..].iter_mut().zip(&*inside) {
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
        let band = f64::from(self.band);
        let (center, radius) = nodes.ball(&self.grid);
        if band.is_finite() && self.distance(center, band + radius).is_none() {
            return Ok(self.fill_far(nodes, out));
        }
        // No farther than a step from the last node; a little more for rounding.
        let step = f64::from(self.grid.cell()) * (1.0 + 64.0 * f64::EPSILON);
        let mut inside = [false; MAX_ROW];
        let mut is_far = true;
        for (first, place) in nodes.rows() {
            let inside = &mut inside[..nodes.size.x as usize];
            self.sides.are_inside(self.mesh, &self.tree, &self.grid, first, inside);
            let mut last = f64::INFINITY;
            for (x, &is_inside) in (0..).zip(&*inside) {
                let limit = (last * (1.0 + 64.0 * f64::EPSILON) + step).min(band);
                let node = self.grid.node(first + UVec3::new(x, 0, 0));
                let found = self.distance(node, limit);
                // Distances to triangles far larger than a cell are rounded by more than that.
                let found = if limit < band { found.or_else(|| self.distance(node, band)) } else { found };
                last = found.unwrap_or(f64::INFINITY);
                is_far &= found.is_none();
                out[place + x as usize] = stored(last, is_inside, self.band);
            }
        }
        Ok(if is_far { self.fill_far(nodes, out) } else { Filled::Values })
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

/// A tree takes all boxes of a grid, and as many triangles as a mesh can have but for the last few.
fn bad_tree(_: BvhError) -> SdfError {
    SdfError::Mesh(carom_geom::MeshError::TooLarge)
}
