//! A field with a value at each node.
//!
//! Reference: M. Jones, J. Baerentzen, M. Sramek, 3D Distance Fields: A Survey of Techniques and
//! Applications, IEEE TVCG 12(4), 2006.

use crate::bake::{Accuracy, BLOCK, Filled, Header, N_BLOCK_NODES, NodeBox, Source};
use crate::error::SdfError;
use crate::function::Function;
use crate::grid::Grid;
use crate::rebake;
use crate::settings::BakeSettings;
use crate::sign::SignMethod;
use crate::stored::Stored;
use crate::surface::Surface;
use alloc::vec;
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_geom::TriMesh;
use carom_lanes::{Simd, U32Lanes};
use glam::{DVec3, UVec3, Vec3};

/// A signed distance field with a value at each node of its grid: negative inside.
///
/// Values beyond the band are the band, with the sign of their side.
#[derive(Clone, Debug, PartialEq)]
pub struct SdfGrid {
    pub(crate) header: Header,
    pub(crate) values: Vec<f32>,
}

impl SdfGrid {
    /// Returns the field of a mesh, given by its vertices and the three vertex numbers of each
    /// triangle.
    pub fn from_triangles(
        positions: &[Vec3],
        triangles: &[[u32; 3]],
        settings: &BakeSettings,
    ) -> Result<SdfGrid, SdfError> {
        SdfGrid::from_mesh(&TriMesh::new(positions.to_vec(), triangles.to_vec())?, settings)
    }

    /// Returns the field of a mesh. Each value within the band is the `f64` distance to the
    /// nearest triangle, rounded once. It does not depend on the order of the triangles.
    /// [`Field::sign_method`](crate::Field::sign_method) says how inside and outside were found.
    pub fn from_mesh(mesh: &TriMesh, settings: &BakeSettings) -> Result<SdfGrid, SdfError> {
        let (min, max) = mesh.wide_bounds();
        let grid = settings.grid(min, max)?;
        check_size(&grid, settings.max_nodes)?;
        let band = settings.band_length(&grid)?;
        let (header, surface) = Surface::of_grid(mesh, grid, band)?;
        Ok(SdfGrid { header, values: bake(&header, &surface)? })
    }

    /// Returns the field of a function, the signed distance of a point: negative inside. It must
    /// change by no more than the point moves.
    ///
    /// The box holds the surface, and a given grid holds the box. A solid that reaches the border
    /// of the grid ends there, so let the grid of a terrain or a tank reach farther than things
    /// get. `accuracy` tells whether the function returns distances, or bounds on them.
    pub fn from_function(
        min: DVec3,
        max: DVec3,
        settings: &BakeSettings,
        accuracy: Accuracy,
        distance: impl Fn(DVec3) -> f64 + Sync,
    ) -> Result<SdfGrid, SdfError> {
        let grid = settings.grid_around(min, max)?;
        check_size(&grid, settings.max_nodes)?;
        let band = settings.band_length(&grid)?;
        let header = Header { grid, band, sign: SignMethod::Given, accuracy };
        Ok(SdfGrid { header, values: bake(&header, &Function { grid, band, distance })? })
    }

    /// Bakes again after the mesh has changed within a box. `region` holds the old and the new
    /// positions of all triangles that changed. Returns the number of nodes computed.
    ///
    /// The values are those of a full bake of the new mesh with this grid, to the bit. All nodes
    /// are computed if the mesh is open or the rule for its sides changes, and if the field has no
    /// band or was combined or offset. On an error nothing changes.
    pub fn rebake(&mut self, mesh: &TriMesh, region: &Aabb) -> Result<u64, SdfError> {
        let (grid, band) = (self.header.grid, self.header.band);
        let reached = rebake::reached(&self.header, region);
        let [low, high] = reached.unwrap_or([UVec3::ZERO; 2]);
        let surface = Surface::new(mesh, grid, band, low, high)?;
        if !rebake::is_local(&self.header, &surface) {
            let (header, surface) = Surface::of_grid(mesh, grid, band)?;
            *self = SdfGrid { header, values: bake(&header, &surface)? };
            return Ok(grid.n_nodes());
        }
        if reached.is_none() {
            return Ok(0);
        }
        for part in NodeBox::parts(low, high) {
            bake_part(&self.header, &surface, part, 0, &mut self.values)?;
        }
        let size = (high - low + UVec3::ONE).to_array();
        Ok(size.into_iter().map(u64::from).product())
    }

    /// The values of all nodes: x first, then y, then z.
    #[inline]
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// The value of a node. Panics past the last node, as a slice does.
    #[inline]
    pub fn value(&self, node: UVec3) -> f32 {
        self.values[self.header.grid.index(node)]
    }
}

impl Stored for SdfGrid {
    fn header(&self) -> &Header {
        &self.header
    }

    fn combined(&self, other: &SdfGrid, header: Header, value: impl Fn(f32, f32) -> f32) -> SdfGrid {
        let values = self.values.iter().zip(&other.values).map(|(a, b)| value(*a, *b)).collect();
        SdfGrid { header, values }
    }

    #[inline]
    fn table(&self) -> &[f32] {
        &self.values
    }

    #[inline]
    fn strides(&self) -> [u32; 2] {
        let nodes = self.header.grid.nodes();
        [nodes.x, nodes.x * nodes.y]
    }

    #[inline]
    fn lowest_node_index(&self, cell: UVec3) -> usize {
        self.header.grid.index(cell)
    }

    #[inline(always)]
    fn lowest_node_indices<S: Simd>(&self, simd: S, [x, y, z]: [S::U32x8; 3]) -> S::U32x8 {
        let [along_y, along_z] = self.strides().map(|stride| S::U32x8::splat(simd, stride));
        x + y * along_y + z * along_z
    }
}

/// Indices of nodes are lanes of 32 bits, signed on some machines.
const MAX_NODES: u64 = i32::MAX as u64;

pub(crate) fn check_size(grid: &Grid, allowed: u64) -> Result<(), SdfError> {
    let (nodes, allowed) = (grid.n_nodes(), allowed.min(MAX_NODES));
    if allowed < nodes {
        return Err(SdfError::TooManyNodes { nodes, allowed });
    }
    Ok(())
}

/// The values of all nodes.
fn bake(header: &Header, source: &impl Source) -> Result<Vec<f32>, SdfError> {
    let nodes = header.grid.nodes();
    let mut values = vec![0.0; nodes.element_product() as usize];
    let layer = nodes.x as usize * nodes.y as usize;
    // Layers of blocks along z; the last one has the last nodes too.
    let n_layers = header.grid.cells().z.div_ceil(BLOCK);
    let (most, last) = values.split_at_mut((n_layers - 1) as usize * BLOCK as usize * layer);
    let mut parts: Vec<&mut [f32]> = most.chunks_exact_mut(BLOCK as usize * layer).collect();
    parts.push(last);
    let bake_layer = |z: u32, part: &mut [f32]| bake_layer(header, source, z * BLOCK, part);
    #[cfg(feature = "parallel")]
    crate::par::map(parts, bake_layer).into_iter().collect::<Result<(), SdfError>>()?;
    #[cfg(not(feature = "parallel"))]
    for (z, part) in (0..).zip(parts) {
        bake_layer(z, part)?;
    }
    Ok(values)
}

/// The values of a layer of blocks, whose nodes begin at `z`.
fn bake_layer(header: &Header, source: &impl Source, z: u32, values: &mut [f32]) -> Result<(), SdfError> {
    let cells = header.grid.cells();
    let size = |first: u32, cells: u32| if first + BLOCK < cells { BLOCK } else { cells + 1 - first };
    for y in (0..cells.y).step_by(BLOCK as usize) {
        for x in (0..cells.x).step_by(BLOCK as usize) {
            let size = UVec3::new(size(x, cells.x), size(y, cells.y), size(z, cells.z));
            bake_part(header, source, NodeBox { first: UVec3::new(x, y, z), size }, z, values)?;
        }
    }
    Ok(())
}

/// Writes the values of some nodes of a block into those of all nodes from layer `z` on.
fn bake_part(
    header: &Header,
    source: &impl Source,
    part: NodeBox,
    z: u32,
    values: &mut [f32],
) -> Result<(), SdfError> {
    let mut block = [0.0; N_BLOCK_NODES];
    if let Filled::Far { is_inside } = source.fill(part, &mut block)? {
        block.fill(if is_inside { -header.band } else { header.band });
    }
    for (first, index) in part.rows() {
        let to = header.grid.index(UVec3::new(first.x, first.y, first.z - z));
        let n = part.size.x as usize;
        values[to..to + n].copy_from_slice(&block[index..index + n]);
    }
    Ok(())
}
