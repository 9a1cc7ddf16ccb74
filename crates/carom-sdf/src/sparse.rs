//! A field that keeps values only near the surface, in blocks of 8 cells along each axis.
//!
//! A block has the values of its 9 nodes along each axis, so that a sample reads one block. An
//! index of all blocks has the offset of each one's values. Blocks farther from the surface than
//! the band share two sets of values: one outside, one inside.
//!
//! Reference: K. Museth, VDB: High-Resolution Sparse Volumes with Dynamic Topology, ACM TOG 32(3),
//! 2013 (leaves of 8 along each axis); NVIDIA, GVDB and the brick maps of C. Crassin et al.,
//! GigaVoxels, I3D 2009 (blocks with a border of one node).
//! Differs: one level of index.

use crate::bake::{Accuracy, BLOCK, BLOCK_NODES, Filled, Header, N_BLOCK_NODES, NodeBox, Source};
use crate::error::SdfError;
use crate::function::Function;
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
use core::sync::atomic::{AtomicUsize, Ordering};
use glam::{DVec3, UVec3, Vec3};

/// A signed distance field with values near the surface: negative inside.
///
/// Elsewhere a value is the band, with the sign of its side. Choose a finite band in the settings;
/// otherwise all blocks are stored.
#[derive(Clone, Debug, PartialEq)]
pub struct SparseSdf {
    pub(crate) header: Header,
    /// For each block of the grid, along x first, the start of its values.
    pub(crate) blocks: Vec<u32>,
    /// The values of blocks: first one that is outside, one that is inside, then those near the
    /// surface in the order of the index.
    pub(crate) values: Vec<f32>,
}

/// The start of the values that all blocks outside share.
pub(crate) const OUTSIDE: u32 = 0;

/// The start of the values that all blocks inside share.
pub(crate) const INSIDE: u32 = N_BLOCK_NODES as u32;

/// Indices of values are lanes of 32 bits, signed on some machines.
const MAX_VALUES: u64 = i32::MAX as u64;

impl SparseSdf {
    /// Returns the field of a mesh, given by its vertices and the three vertex numbers of each
    /// triangle.
    pub fn from_triangles(
        positions: &[Vec3],
        triangles: &[[u32; 3]],
        settings: &BakeSettings,
    ) -> Result<SparseSdf, SdfError> {
        SparseSdf::from_mesh(&TriMesh::new(positions.to_vec(), triangles.to_vec())?, settings)
    }

    /// Returns the field of a mesh. Near the surface the values are those of
    /// [`SdfGrid::from_mesh`](crate::SdfGrid::from_mesh).
    ///
    /// The limit on nodes applies to the stored nodes, and to the number of blocks.
    pub fn from_mesh(mesh: &TriMesh, settings: &BakeSettings) -> Result<SparseSdf, SdfError> {
        let (min, max) = mesh.wide_bounds();
        let grid = settings.grid(min, max)?;
        let band = settings.band_length(&grid)?;
        check_blocks(&grid.cells(), settings.max_nodes)?;
        let (header, surface) = Surface::of_grid(mesh, grid, band)?;
        SparseSdf::bake(header, &surface, settings.max_nodes)
    }

    /// The field of a function; see [`SdfGrid::from_function`](crate::SdfGrid::from_function).
    pub fn from_function(
        min: DVec3,
        max: DVec3,
        settings: &BakeSettings,
        accuracy: Accuracy,
        distance: impl Fn(DVec3) -> f64 + Sync,
    ) -> Result<SparseSdf, SdfError> {
        let grid = settings.grid_around(min, max)?;
        let band = settings.band_length(&grid)?;
        check_blocks(&grid.cells(), settings.max_nodes)?;
        let header = Header { grid, band, sign: SignMethod::Given, accuracy };
        SparseSdf::bake(header, &Function { grid, band, distance }, settings.max_nodes)
    }

    /// Bakes again after the mesh has changed within a box. `region` holds the old and the new
    /// positions of all triangles that changed. Returns the number of blocks computed.
    ///
    /// The field is that of a full bake of the new mesh with this grid, to the bit. All blocks are
    /// computed if the mesh is open or the rule for its sides changes, and if the field has no
    /// band or was combined or offset. On an error nothing changes.
    pub fn rebake(&mut self, mesh: &TriMesh, region: &Aabb) -> Result<u64, SdfError> {
        let (grid, band) = (self.header.grid, self.header.band);
        let n = n_blocks(grid.cells());
        // A node on the border of two blocks is in both.
        let reached = rebake::reached(&self.header, region);
        let [low, high] = reached.map_or([UVec3::ZERO; 2], |[low, high]| {
            [low.saturating_sub(UVec3::ONE) / BLOCK, (high / BLOCK).min(n - UVec3::ONE)]
        });
        let rows = [low * BLOCK, ((high + UVec3::ONE) * BLOCK).min(grid.cells())];
        let surface = Surface::new(mesh, grid, band, rows[0], rows[1])?;
        if !rebake::is_local(&self.header, &surface) {
            let (header, surface) = Surface::of_grid(mesh, grid, band)?;
            *self = SparseSdf::bake(header, &surface, MAX_VALUES)?;
            return Ok(self.blocks.len() as u64);
        }
        if reached.is_none() {
            return Ok(0);
        }
        let mut values = self.values[..FIRST as usize].to_vec();
        let mut blocks = Vec::with_capacity(self.blocks.len());
        let mut filled = [0.0; N_BLOCK_NODES];
        for (number, &old) in (0..).zip(&self.blocks) {
            let cell = block_at(number, n);
            let is_reached = low.cmple(cell).all() && cell.cmple(high).all();
            let start = values.len() as u32;
            blocks.push(if is_reached {
                let nodes = block_nodes(&self.header, cell);
                match surface.fill(nodes, &mut filled)? {
                    Filled::Far { is_inside: false } => OUTSIDE,
                    Filled::Far { is_inside: true } => INSIDE,
                    Filled::Values => {
                        values.resize(values.len() + N_BLOCK_NODES, 0.0);
                        copy_block(nodes, &filled, &mut values[start as usize..]);
                        start
                    }
                }
            } else if old <= INSIDE {
                old
            } else {
                values.extend_from_slice(&self.values[block(old)]);
                start
            });
        }
        (self.blocks, self.values) = (blocks, values);
        let size = (high - low + UVec3::ONE).to_array();
        Ok(size.into_iter().map(u64::from).product())
    }

    /// The number of blocks of the grid.
    pub fn n_blocks(&self) -> usize {
        self.blocks.len()
    }

    /// The number of blocks that have values of their own.
    pub fn n_stored_blocks(&self) -> usize {
        self.values.len() / N_BLOCK_NODES - 2
    }

    /// The value of a node. Panics past the last node, as a slice does.
    pub fn value(&self, node: UVec3) -> f32 {
        let cell = node.min(self.header.grid.cells() - UVec3::ONE);
        let offset = node - cell;
        let [along_y, along_z] = self.strides();
        self.values
            [self.lowest_node_index(cell) + (offset.x + offset.y * along_y + offset.z * along_z) as usize]
    }

    fn bake(header: Header, source: &impl Source, allowed: u64) -> Result<SparseSdf, SdfError> {
        let n_blocks = n_blocks(header.grid.cells());
        let mut blocks = vec![OUTSIDE; n_blocks.element_product() as usize];
        let mut values = far_values(header.band);
        let per_layer = (n_blocks.x * n_blocks.y) as usize;
        let allowed = allowed.min(MAX_VALUES);
        let layers: Vec<&mut [u32]> = blocks.chunks_exact_mut(per_layer).collect();
        // Each layer gets its own list of values. The lists are joined in order.
        let stored = Limit { count: AtomicUsize::new(values.len()), allowed: allowed as usize };
        let bake_layer = |z: u32, index: &mut [u32]| bake_layer(&header, source, z, index, &stored);
        #[cfg(feature = "parallel")]
        let layers = crate::par::map(layers, bake_layer);
        #[cfg(not(feature = "parallel"))]
        let layers = (0..).zip(layers).map(|(z, index)| bake_layer(z, index));
        let mut starts = Vec::with_capacity(n_blocks.z as usize);
        for layer in layers {
            let layer = layer?;
            starts.push(values.len() as u32);
            values.extend_from_slice(&layer);
        }
        for (index, start) in blocks.chunks_exact_mut(per_layer).zip(starts) {
            for entry in index.iter_mut().filter(|slot| INSIDE < **slot) {
                *entry += start - FIRST;
            }
        }
        Ok(SparseSdf { header, blocks, values })
    }
}

/// The start of the values of the first block near the surface.
pub(crate) const FIRST: u32 = 2 * INSIDE;

/// Writes the index of a layer of blocks, whose stored values begin at [`FIRST`]. Returns the
/// values.
fn bake_layer(
    header: &Header,
    source: &impl Source,
    z: u32,
    index: &mut [u32],
    stored: &Limit,
) -> Result<Vec<f32>, SdfError> {
    let per_row = n_blocks(header.grid.cells()).x;
    let mut values = Vec::new();
    let mut block = [0.0; N_BLOCK_NODES];
    for (entry, number) in index.iter_mut().zip(0..) {
        let nodes = block_nodes(header, UVec3::new(number % per_row, number / per_row, z));
        *entry = match source.fill(nodes, &mut block)? {
            Filled::Far { is_inside: false } => OUTSIDE,
            Filled::Far { is_inside: true } => INSIDE,
            Filled::Values => {
                let start = FIRST as usize + values.len();
                stored.add(N_BLOCK_NODES)?;
                values.resize(values.len() + N_BLOCK_NODES, 0.0);
                copy_block(nodes, &block, &mut values[start - FIRST as usize..]);
                start as u32
            }
        };
    }
    Ok(values)
}

/// The number of nodes stored so far by all threads, and the number allowed.
struct Limit {
    count: AtomicUsize,
    allowed: usize,
}

impl Limit {
    fn add(&self, n: usize) -> Result<(), SdfError> {
        if self.allowed < self.count.fetch_add(n, Ordering::Relaxed).saturating_add(n) {
            // The number does not depend on which thread came first.
            let (nodes, allowed) = ((self.allowed + 1) as u64, self.allowed as u64);
            return Err(SdfError::TooManyNodes { nodes, allowed });
        }
        Ok(())
    }
}

/// Copies the values of nodes, packed, into those of a block. Nodes of the block past the grid are
/// not read by any sample.
pub(crate) fn copy_block(nodes: NodeBox, packed: &[f32; N_BLOCK_NODES], values: &mut [f32]) {
    for (first, index) in nodes.rows() {
        let from = first - nodes.first;
        let to = ((from.z * BLOCK_NODES + from.y) * BLOCK_NODES) as usize;
        let n = nodes.size.x as usize;
        values[to..to + n].copy_from_slice(&packed[index..index + n]);
    }
}

/// Returns the range of a block's values, given their start.
fn block(start: u32) -> core::ops::Range<usize> {
    start as usize..start as usize + N_BLOCK_NODES
}

/// The places in a block of the nodes that are in the grid.
fn block_indices(nodes: NodeBox) -> impl Iterator<Item = usize> {
    let UVec3 { x, y, z } = nodes.size;
    (0..z).flat_map(move |z| {
        (0..y).flat_map(move |y| (0..x).map(move |x| ((z * BLOCK_NODES + y) * BLOCK_NODES + x) as usize))
    })
}

/// Returns the number of blocks along each axis.
pub(crate) fn n_blocks(cells: UVec3) -> UVec3 {
    (cells + UVec3::splat(BLOCK - 1)) / BLOCK
}

/// Returns the position of a block among `n` along each axis, from its index.
fn block_at(number: u32, n: UVec3) -> UVec3 {
    UVec3::new(number % n.x, number / n.x % n.y, number / (n.x * n.y))
}

/// The values that all blocks far from the surface share: outside, then inside.
fn far_values(band: f32) -> Vec<f32> {
    let mut values = vec![band; 2 * N_BLOCK_NODES];
    values[INSIDE as usize..].fill(-band);
    values
}

/// Returns the nodes of a block that are in the grid.
pub(crate) fn block_nodes(header: &Header, block: UVec3) -> NodeBox {
    let first = block * BLOCK;
    NodeBox { first, size: (header.grid.nodes() - first).min(UVec3::splat(BLOCK_NODES)) }
}

pub(crate) fn check_blocks(cells: &UVec3, allowed: u64) -> Result<(), SdfError> {
    let allowed = allowed.min(MAX_VALUES);
    let nodes = n_blocks(*cells).to_array().into_iter().map(u64::from).fold(1, u64::saturating_mul);
    if allowed < nodes { Err(SdfError::TooManyNodes { nodes, allowed }) } else { Ok(()) }
}

impl Stored for SparseSdf {
    fn header(&self) -> &Header {
        &self.header
    }

    fn far_value(&self, block: UVec3) -> Option<f32> {
        let n = n_blocks(self.header.grid.cells());
        match self.blocks[((block.z * n.y + block.y) * n.x + block.x) as usize] {
            OUTSIDE => Some(self.header.band),
            INSIDE => Some(-self.header.band),
            _ => None,
        }
    }

    fn combined(&self, other: &SparseSdf, header: Header, value: impl Fn(f32, f32) -> f32) -> SparseSdf {
        let [outside, inside] = [header.band, -header.band];
        let mut values = far_values(header.band);
        let n = n_blocks(header.grid.cells());
        let mut blocks = Vec::with_capacity(self.blocks.len());
        for (number, (&a, &b)) in (0..).zip(self.blocks.iter().zip(&other.blocks)) {
            let nodes = block_nodes(&header, block_at(number, n));
            let at = |start: u32| self::block(start);
            let (a, b) = (&self.values[at(a)], &other.values[at(b)]);
            let mut own = [0.0; N_BLOCK_NODES];
            let mut is_far = [true; 2];
            for index in block_indices(nodes) {
                own[index] = value(a[index], b[index]);
                is_far[0] &= outside <= own[index];
                is_far[1] &= own[index] <= inside;
            }
            blocks.push(match is_far {
                [true, _] => OUTSIDE,
                [_, true] => INSIDE,
                _ => {
                    values.extend_from_slice(&own);
                    (values.len() - N_BLOCK_NODES) as u32
                }
            });
        }
        SparseSdf { header, blocks, values }
    }

    #[inline]
    fn table(&self) -> &[f32] {
        &self.values
    }

    #[inline]
    fn strides(&self) -> [u32; 2] {
        [BLOCK_NODES, BLOCK_NODES * BLOCK_NODES]
    }

    #[inline]
    fn lowest_node_index(&self, cell: UVec3) -> usize {
        let (block, part, n) = (cell / BLOCK, cell % BLOCK, n_blocks(self.header.grid.cells()));
        let start = self.blocks[((block.z * n.y + block.y) * n.x + block.x) as usize];
        (start + (part.z * BLOCK_NODES + part.y) * BLOCK_NODES + part.x) as usize
    }

    #[inline(always)]
    fn lowest_node_indices<S: Simd>(&self, simd: S, [x, y, z]: [S::U32x8; 3]) -> S::U32x8 {
        let n = n_blocks(self.header.grid.cells());
        let splat = |x: u32| S::U32x8::splat(simd, x);
        let block = (z.shr::<3>() * splat(n.y) + y.shr::<3>()) * splat(n.x) + x.shr::<3>();
        let block = block.to_array();
        let mut starts = [0; 8];
        let mut i = 0;
        while i < 8 {
            starts[i] = self.blocks.get(block[i] as usize).copied().unwrap_or(OUTSIDE);
            i += 1;
        }
        let (part, nodes) = (splat(BLOCK - 1), splat(BLOCK_NODES));
        S::U32x8::load(simd, &starts) + ((z & part) * nodes + (y & part)) * nodes + (x & part)
    }
}
