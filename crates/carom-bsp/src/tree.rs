//! The tree: planes, nodes, and the contents of the cells.
//!
//! Reference: H. Fuchs, Z. Kedem, B. Naylor, On Visible Surface Generation by A Priori Tree
//! Structures, 1980; W. Thibault, B. Naylor, Set Operations on Polyhedra Using Binary Space
//! Partitioning Trees, 1987 (solid leaves).

use crate::planes::SplitPlane;
use alloc::vec::Vec;
use glam::DVec3;

bitflags::bitflags! {
    /// The contents of a region of space; empty if no bit is set. The caller decides the meaning
    /// of every bit but the first.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    pub struct Contents: u32 {
        /// Impenetrable; other bits set with it do not matter.
        const SOLID = 1;
        /// Water and other liquids.
        const LIQUID = 2;
        /// Every other bit can be used too.
        const _ = !0;
    }
}

/// A child that is a leaf has this bit set; the lower bits are the leaf's index.
pub(crate) const LEAF: u32 = 1 << 31;

/// A plane, with its child in front and its child behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Node {
    pub(crate) plane: u32,
    /// The child in front, then the child behind.
    pub(crate) children: [u32; 2],
}

/// A convex cell that no node divides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Leaf {
    pub(crate) contents: Contents,
    /// The range of its planes among the bevels. All of the cell is behind each of them.
    pub(crate) bevels: [u32; 2],
}

/// A level as a tree of planes with convex cells as leaves.
///
/// With the feature `serde` it can be stored. To read a tree with wrong indices or numbers is an
/// error (test: `stored::a_broken_tree_is_refused`).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "crate::stored::Unchecked"))]
pub struct BspTree {
    pub(crate) planes: Vec<SplitPlane>,
    /// Parents before children.
    pub(crate) nodes: Vec<Node>,
    pub(crate) leaves: Vec<Leaf>,
    pub(crate) bevels: Vec<SplitPlane>,
    pub(crate) root: u32,
    /// A length: the bound on the rounding of a plane.
    pub(crate) thin: f64,
    pub(crate) low: DVec3,
    pub(crate) high: DVec3,
    pub(crate) report: BspReport,
}

/// The size of a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct BspReport {
    /// The number of nodes; several may share a plane.
    pub nodes: u32,
    /// The number of cells.
    pub leaves: u32,
    /// The number of cells with contents.
    pub filled_leaves: u32,
    /// The greatest number of nodes on the path from the root to a cell.
    pub depth: u32,
    /// The number of times that a piece of a brush or a triangle was cut in two.
    pub splits: u32,
    /// The number of different planes.
    pub planes: u32,
    /// The number of planes that bevel cells.
    pub bevels: u32,
}

impl BspTree {
    /// The size of the tree.
    pub fn report(&self) -> BspReport {
        self.report
    }

    /// The least and the greatest coordinates of the tree's input. For a tree without input the
    /// least ones are plus infinity and the greatest ones minus infinity.
    pub fn bounds(&self) -> (DVec3, DVec3) {
        (self.low, self.high)
    }

    /// A length: surfaces are exact to within this, and an overlap of less counts as touching.
    pub fn tolerance(&self) -> f64 {
        self.thin
    }

    /// The planes that divide space.
    pub fn planes(&self) -> &[SplitPlane] {
        &self.planes
    }
}
