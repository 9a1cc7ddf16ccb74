//! How far the nodes of a grid are from a mesh: the `f64` distance to the nearest triangle, rounded once.
//!
//! A tree of the triangles is searched for the middle of a block, then for the middles of its halves, down to the nodes. Parts that
//! are farther than the band are left out, and the triangle found for a whole bounds the search for its parts.
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

    /// The nearest triangle and its distance, if that is at most `limit`. A triangle that may be near makes the search short.
    fn nearest(&self, point: DVec3, limit: f64, guess: Option<u32>) -> Option<(u32, f64)> {
        let gap = |t: u32| point_triangle(point, &self.mesh.corners(t)).distance;
        let guessed = guess.map(|t| (t, gap(t))).filter(|(_, distance)| *distance <= limit);
        let limit = guessed.map_or(limit, |(_, distance)| distance);
        let within = |t: u32, bound: f64| Some(gap(t)).filter(|distance| *distance <= bound);
        self.tree.nearest(point, limit, within).0.or(guessed)
    }

    /// Writes the distances of some nodes of a block, without a sign, and says whether one is within the band.
    ///
    /// If the middle of the nodes is far from the surface, all are. Otherwise they are halved along each axis, and the triangle
    /// nearest to the middle is a guess for the parts.
    fn measure(
        &self,
        block: &NodeBox,
        part: NodeBox,
        guess: Option<u32>,
        out: &mut [f32; N_BLOCK_NODES],
    ) -> bool {
        let band = f64::from(self.band);
        let (center, radius) = part.ball(&self.grid);
        let limit = (band + radius) * (1.0 + ROUNDED);
        let found = self.nearest(center, if radius == 0.0 { band } else { limit }, guess);
        let Some((triangle, distance)) = found else {
            for (first, _) in part.rows() {
                let place = block.place(first);
                out[place..place + part.size.x as usize].fill(self.band);
            }
            return false;
        };
        if part.size == UVec3::ONE {
            out[block.place(part.first)] = stored(distance, false, self.band);
            return true;
        }
        let mut is_near = false;
        for half in part.halves() {
            is_near |= self.measure(block, half, Some(triangle), out);
        }
        is_near
    }
}

/// Relative: above the rounding of distances to triangles that are 2^20 times as large, 2^-30.
const ROUNDED: f64 = f64::from_bits((1023 - 30) << 52);

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
        if !self.measure(&nodes, nodes, None, out) {
            return Ok(self.fill_far(nodes, out));
        }
        let mut inside = [false; MAX_ROW];
        for (first, place) in nodes.rows() {
            let inside = &mut inside[..nodes.size.x as usize];
            self.sides.are_inside(self.mesh, &self.tree, &self.grid, first, inside);
            for (value, _) in out[place..].iter_mut().zip(&*inside).filter(|(_, is_inside)| **is_inside) {
                // No zero has a sign.
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

/// A tree takes all boxes of a grid, and as many triangles as a mesh can have but for the last few.
fn bad_tree(_: BvhError) -> SdfError {
    SdfError::Mesh(carom_geom::MeshError::TooLarge)
}
