//! Voxels: the occupied cells of a grid or of an octree, as boxes of whole cells with a tree.
//!
//! - Cell `k` of an axis is from `origin + k * cell` to `origin + (k + 1) * cell`. Both ends are
//!   computed in `f64`, so that neighbours leave no gap.
//! - Cells of a grid are merged to larger boxes. Leaves of an octree are boxes of their own size.
//! - A mesh becomes voxels top-down: a cube that no triangle touches is inside or outside as a
//!   whole.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 7.1 and 7.3 (grids and octrees).

use super::super::num::geom::Cuboid;
use super::super::num::{Real, Vec3, above, below, widen, widen_real};
use super::cluster::{Cluster, ClusterPart};
use super::mesh_shape::MeshShape;
use crate::cluster_search::{at, box_of_part, build_tree};
use crate::contains_point::solid_placement_of;
use crate::mesh_convex;
use crate::voxel_boxes::{Fill, MAX_BOXES, MAX_CELLS, VoxelBox, VoxelsError, merge, split};
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_bvh::{BuildSettings, QuantizedBvh};
use carom_geom::ray_mesh::Placement;
use glam::DVec3;

/// The occupied cells of a grid, stored as boxes of whole cells. Its parts are the boxes.
#[derive(Clone, Debug)]
pub struct Voxels {
    origin: Vec3,
    cell: Vec3,
    boxes: Vec<VoxelBox>,
    /// A box of one cell.
    unit: Cuboid,
    tree: QuantizedBvh,
}

impl Voxels {
    /// Creates voxels from boxes of cells, such as the leaves of an octree. Cell 0 of each axis
    /// begins at `origin`; `cell` is the size of a cell on each axis.
    ///
    /// Boxes should not overlap: the mass of an overlap counts twice. [`VoxelsError`] lists the
    /// boxes that are refused.
    pub fn new(origin: Vec3, cell: Vec3, boxes: Vec<VoxelBox>) -> Result<Voxels, VoxelsError> {
        if !origin.is_finite() {
            return Err(VoxelsError::BadOrigin);
        }
        let is_size = cell.is_finite() && 0.0 < cell.min_element();
        let unit = half_of(cell, DVec3::ONE).filter(|_| is_size).ok_or(VoxelsError::BadCellSize)?;
        if boxes.is_empty() {
            return Err(VoxelsError::Empty);
        }
        if MAX_BOXES < boxes.len() {
            return Err(VoxelsError::TooMany);
        }
        let is_inverted = |part: &VoxelBox| (0..3).any(|axis| part.last[axis] < part.first[axis]);
        if let Some(index) = boxes.iter().position(is_inverted) {
            return Err(VoxelsError::Inverted(index));
        }
        let aabbs: Vec<Aabb> = boxes.iter().map(|part| box_of(origin, cell, part)).collect();
        let tree = build_tree(&aabbs, &BuildSettings::default());
        let tree = tree.map_err(|far| far.map_or(VoxelsError::TooMany, VoxelsError::TooFar))?;
        Ok(Voxels { origin, cell, boxes, unit, tree })
    }

    /// Creates voxels from a flag for each cell of a grid of `n` cells along x, y and z. The flag
    /// of a cell has the index `(x * n_y + y) * n_z + z`. Occupied cells are merged to larger
    /// boxes.
    pub fn from_grid(
        n: [usize; 3],
        is_occupied: &[bool],
        origin: Vec3,
        cell: Vec3,
    ) -> Result<Voxels, VoxelsError> {
        Voxels::new(origin, cell, merge(n, is_occupied)?)
    }

    /// Creates voxels from the cells that the triangles of a mesh touch, as cubes of the size
    /// `cell`. With `is_solid` the cells inside are occupied too. The grid begins at the minimum
    /// corner of the mesh's box.
    ///
    /// The mesh is contained in the voxels (test: `voxels::a_mesh_is_inside_its_voxels`). Fails if
    /// the cell size is not positive and finite, and for more than 65,536 cells along an axis.
    /// Also fails with `is_solid` if the mesh has no inside.
    ///
    /// About one box is made per cell of the surface: its area over the squared size of a cell.
    /// Memory: 12 bytes per box, twice that while the list grows. It fails after 2^28 boxes, which
    /// take up to 5 GB, so choose the size of the cells by the area.
    pub fn from_mesh(mesh: &MeshShape, cell: Real, is_solid: bool) -> Result<Voxels, VoxelsError> {
        if !(0.0 < cell && cell.is_finite()) {
            return Err(VoxelsError::BadCellSize);
        }
        let (low, high) = mesh.mesh().wide_bounds();
        let origin = Vec3::new(below(low.x), below(low.y), below(low.z));
        let (wide_origin, size) = (widen(origin), Vec3::splat(cell));
        let n = (high - wide_origin) / widen_real(cell);
        let most = (MAX_CELLS - 1) as f64;
        if !(n.max_element() <= most) {
            return Err(VoxelsError::TooMany);
        }
        if is_solid && solid_placement_of(mesh, low - (high - low) - DVec3::ONE, ()).is_none() {
            return Err(VoxelsError::NoInside);
        }
        let last = n.max(DVec3::ZERO).to_array().map(|n| n as u16);
        let boxes = split(last, |cube| {
            let Some(solid) = half_of(size, n_cells(cube)) else { return Fill::Mixed };
            let center = center_of(origin, size, cube);
            if mesh_convex::intersects(mesh, &solid, &at(center), ()) {
                Fill::Mixed
            } else if is_solid && solid_placement_of(mesh, center, ()) == Some(Placement::Inside) {
                Fill::Full
            } else {
                Fill::Empty
            }
        })?;
        Voxels::new(origin, size, boxes)
    }

    /// Returns the boxes, in whole cells.
    pub fn boxes(&self) -> &[VoxelBox] {
        &self.boxes
    }

    /// Returns the minimum corner of the first cell of the grid.
    pub fn origin(&self) -> Vec3 {
        self.origin
    }

    /// Returns the size of a cell on each axis.
    pub fn cell(&self) -> Vec3 {
        self.cell
    }

    /// Returns the same voxels with each coordinate times a factor, none of them 0.
    pub(super) fn scaled(&self, scale: Vec3) -> Result<Voxels, VoxelsError> {
        let mirrored = [scale.x < 0.0, scale.y < 0.0, scale.z < 0.0];
        let end =
            |last: [u16; 3], part: &VoxelBox| core::array::from_fn(|axis| last[axis].max(part.last[axis]));
        let last = self.boxes.iter().fold([0_u16; 3], end);
        let boxes = self.boxes.iter().map(|part| part.mirrored(mirrored, last)).collect();
        // A mirrored axis begins where the last cell ended.
        let cells = Vec3::new(widths(last[0]), widths(last[1]), widths(last[2]));
        let ends = self.origin + self.cell * cells;
        let start = |axis: usize| if mirrored[axis] { ends[axis] } else { self.origin[axis] };
        let origin = Vec3::new(start(0), start(1), start(2)) * scale;
        Voxels::new(origin, self.cell * scale.abs(), boxes)
    }
}

/// Returns the number of cells from cell 0 to this one.
fn widths(last: u16) -> Real {
    Real::from(last) + 1.0
}

impl Cluster for Voxels {
    fn n_parts(&self) -> u32 {
        self.boxes.len() as u32
    }

    fn part(&self, number: u32) -> (ClusterPart, DVec3) {
        let part = &self.boxes[number as usize];
        // The boxes of the tree are finite, so that each half size is.
        let solid = half_of(self.cell, n_cells(part)).unwrap_or(self.unit);
        (ClusterPart::Cuboid(solid), center_of(self.origin, self.cell, part))
    }

    fn part_box(&self, number: u32) -> Aabb {
        box_of(self.origin, self.cell, &self.boxes[number as usize])
    }

    fn tree(&self) -> &QuantizedBvh {
        &self.tree
    }
}

/// Returns the numbers of cells along the axes.
fn n_cells(part: &VoxelBox) -> DVec3 {
    let [x, y, z] = core::array::from_fn(|axis| f64::from(part.last[axis] - part.first[axis]) + 1.0);
    DVec3::new(x, y, z)
}

/// Returns a box of some cells, rounded up so that neighbours meet.
fn half_of(cell: Vec3, n: DVec3) -> Option<Cuboid> {
    let half = widen(cell) * n * 0.5;
    Cuboid::new(Vec3::new(above(half.x), above(half.y), above(half.z))).ok()
}

fn center_of(origin: Vec3, cell: Vec3, part: &VoxelBox) -> DVec3 {
    let [x, y, z] = part.first.map(f64::from);
    widen(origin) + widen(cell) * (DVec3::new(x, y, z) + n_cells(part) * 0.5)
}

fn box_of(origin: Vec3, cell: Vec3, part: &VoxelBox) -> Aabb {
    let center = center_of(origin, cell, part);
    let half = half_of(cell, n_cells(part)).map_or(DVec3::INFINITY, |solid| widen(solid.half_extents()));
    box_of_part(center, half)
}
