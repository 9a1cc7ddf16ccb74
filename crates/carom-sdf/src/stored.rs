//! The storage of a field's values, which all algorithms read.

use crate::bake::Header;
use carom_lanes::Simd;
use glam::UVec3;

/// The storage of a field's values.
pub trait Stored: Sync {
    /// The properties of the field apart from its values.
    fn header(&self) -> &Header;

    /// The numbers that cells are read from.
    fn table(&self) -> &[f32];

    /// The offsets from a node to the next one along y, and along z, within a cell.
    fn strides(&self) -> [u32; 2];

    /// The number of the lowest node of a cell.
    fn lowest_node_index(&self, cell: UVec3) -> usize;

    /// The value that all nodes of a block share, if that is known without reading them.
    fn far_value(&self, block: UVec3) -> Option<f32> {
        let _ = block;
        None
    }

    /// A field of the same grid, whose values come from those of two fields at the same node.
    fn combined(&self, other: &Self, header: Header, value: impl Fn(f32, f32) -> f32) -> Self
    where
        Self: Sized;

    /// [`Stored::lowest_node_index`] of eight cells.
    fn lowest_node_indices<S: Simd>(&self, simd: S, cell: [S::U32x8; 3]) -> S::U32x8;

    /// The values at the eight corners of a cell: x changes first, then y, then z.
    #[inline]
    fn values_of_cell(&self, cell: UVec3) -> [f32; 8] {
        let (first, table) = (self.lowest_node_index(cell), self.table());
        let [y, z] = self.strides().map(|stride| stride as usize);
        [0, 1, y, y + 1, z, z + 1, z + y, z + y + 1].map(|offset| table[first + offset])
    }
}
