//! Signed distances at the nodes of a grid, block by block.
//!
//! A block is at most 9 nodes along each axis. Blocks do not depend on each other. So dense and
//! sparse fields, regions of a field, and all numbers of threads give the same values.
//!
//! Reference: M. Jones, J. Baerentzen, M. Sramek, 3D Distance Fields: A Survey of Techniques and
//! Applications, IEEE TVCG 12(4), 2006, section 3.

use crate::error::SdfError;
use crate::grid::Grid;
use crate::sign::SignMethod;
use glam::{DVec3, UVec3};

/// Cells of a block along an axis.
pub(crate) const BLOCK: u32 = 8;

/// Nodes of a block along an axis, both ends included.
pub(crate) const BLOCK_NODES: u32 = BLOCK + 1;

/// Nodes of a block.
pub(crate) const N_BLOCK_NODES: usize = (BLOCK_NODES * BLOCK_NODES * BLOCK_NODES) as usize;

/// A box of nodes, at most [`BLOCK_NODES`] along each axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeBox {
    pub(crate) first: UVec3,
    pub(crate) size: UVec3,
}

/// The known state of the nodes of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Filled {
    /// Their values are written, x first, then y.
    Values,
    /// All nodes are farther from the surface than the band, on the same side.
    Far { is_inside: bool },
}

/// A surface that measures the nodes of a block.
pub(crate) trait Source: Sync {
    /// Signed distances of nodes, cut at the band.
    fn fill(&self, nodes: NodeBox, out: &mut [f32; N_BLOCK_NODES]) -> Result<Filled, SdfError>;
}

/// The properties of a field apart from its values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Header {
    /// The positions of the nodes.
    pub grid: Grid,
    /// A length; infinite for none.
    pub band: f32,
    /// The rule that separated inside from outside.
    pub sign: SignMethod,
    /// The meaning of the values within the band.
    pub accuracy: Accuracy,
}

/// The meaning of the values at nodes within the band.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Accuracy {
    /// Distances, rounded once.
    Exact,
    /// Values of the right sign that are not farther from 0 than the distance. Unions,
    /// intersections, differences and offsets have them (test:
    /// `combine::combined_values_are_bounds_of_the_true_distance`).
    Bound,
    /// Values without a proof: fields with an uncertain sign that were combined or offset.
    Estimate,
}

impl NodeBox {
    /// Returns boxes that together have each node from `low` to `high`, both included, once.
    pub(crate) fn parts(low: UVec3, high: UVec3) -> impl Iterator<Item = NodeBox> {
        let starts = move |axis: usize| (low[axis]..=high[axis]).step_by(BLOCK as usize);
        starts(2).flat_map(move |z| {
            starts(1).flat_map(move |y| {
                starts(0).map(move |x| {
                    let first = UVec3::new(x, y, z);
                    NodeBox { first, size: (high - first + UVec3::ONE).min(UVec3::splat(BLOCK)) }
                })
            })
        })
    }

    /// Returns the index of a node of the box in its values.
    pub(crate) fn index_of_node(&self, node: UVec3) -> usize {
        let from = node - self.first;
        ((from.z * self.size.y + from.y) * self.size.x + from.x) as usize
    }

    /// The box halved along each axis that has two nodes or more.
    pub(crate) fn halves(self) -> impl Iterator<Item = NodeBox> {
        let low = (self.size + UVec3::ONE) / 2;
        (0..8_u32)
            .map(move |corner| {
                let is_high = UVec3::new(corner & 1, corner >> 1 & 1, corner >> 2);
                let size = low * (UVec3::ONE - is_high) + (self.size - low) * is_high;
                NodeBox { first: self.first + low * is_high, size }
            })
            .filter(|part| part.size.min_element() != 0)
    }

    /// The center of the box, and the distance of its corners from there, rounded up a little.
    pub(crate) fn ball(&self, grid: &Grid) -> (DVec3, f64) {
        let (low, high) = (grid.node(self.first), grid.node(self.first + self.size - UVec3::ONE));
        // Some roundings of f64.
        (0.5 * (low + high), 0.5 * (high - low).length() * (1.0 + 8.0 * f64::EPSILON))
    }

    /// The rows along x: the first node of each, and its index in the values.
    pub(crate) fn rows(self) -> impl Iterator<Item = (UVec3, usize)> {
        (0..self.size.z).flat_map(move |z| {
            (0..self.size.y).map(move |y| {
                let first = self.first + UVec3::new(0, y, z);
                (first, self.index_of_node(first))
            })
        })
    }
}

/// Returns a distance with its sign as it is stored: rounded once, and cut at the band.
pub(crate) fn stored(distance: f64, is_inside: bool, band: f32) -> f32 {
    let value = (distance as f32).min(band);
    // A zero is stored as +0.
    if is_inside && 0.0 < value { -value } else { value }
}
