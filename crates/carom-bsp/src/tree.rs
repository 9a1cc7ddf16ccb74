//! The tree: planes, nodes, and what fills the cells.
//!
//! Reference: H. Fuchs, Z. Kedem, B. Naylor, On Visible Surface Generation by A Priori Tree
//! Structures, 1980; W. Thibault, B. Naylor, Set Operations on Polyhedra Using Binary Space
//! Partitioning Trees, 1987 (solid leaves).

use crate::planes::SplitPlane;
use alloc::vec::Vec;
use glam::DVec3;

bitflags::bitflags! {
    /// What fills a piece of space; nothing where no bit is set. What the bits but the first stand
    /// for is the caller's business.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    pub struct Contents: u32 {
        /// Nothing gets in, and what else is there does not matter.
        const SOLID = 1;
        /// Water and the like.
        const LIQUID = 2;
        /// Every other bit can be used too.
        const _ = !0;
    }
}

/// A child that is a leaf has this bit, and below it the leaf's number.
pub(crate) const LEAF: u32 = 1 << 31;

/// A plane, with what is in front of it and behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Node {
    pub(crate) plane: u32,
    /// In front, behind.
    pub(crate) children: [u32; 2],
}

/// A convex cell that nothing divides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Leaf {
    pub(crate) contents: Contents,
    /// Where its planes begin and end among the bevels: all of the cell is behind each.
    pub(crate) bevels: [u32; 2],
}

/// A level as a tree of planes with convex cells for leaves.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BspTree {
    pub(crate) planes: Vec<SplitPlane>,
    /// Parents before children.
    pub(crate) nodes: Vec<Node>,
    pub(crate) leaves: Vec<Leaf>,
    pub(crate) bevels: Vec<SplitPlane>,
    pub(crate) root: u32,
    /// A length: what rounding may do to a plane.
    pub(crate) thin: f64,
    pub(crate) low: DVec3,
    pub(crate) high: DVec3,
    pub(crate) report: BspReport,
}

/// What a tree is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct BspReport {
    /// Planes that divide space, with repetition.
    pub nodes: u32,
    /// Cells.
    pub leaves: u32,
    /// Cells with something in them.
    pub filled_leaves: u32,
    /// The most planes between the root and a cell.
    pub depth: u32,
    /// How often a piece of a brush was cut in two.
    pub splits: u32,
    /// Different planes.
    pub planes: u32,
    /// Planes that bevel the edges of cells.
    pub bevels: u32,
}

impl BspTree {
    /// What the tree is made of.
    pub fn report(&self) -> BspReport {
        self.report
    }

    /// The least and the greatest coordinates of what is in the tree; of an empty one the least is
    /// above the greatest.
    pub fn bounds(&self) -> (DVec3, DVec3) {
        (self.low, self.high)
    }

    /// A length: surfaces are where they are to within this, and what overlaps by less only
    /// touches.
    pub fn tolerance(&self) -> f64 {
        self.thin
    }

    /// The planes that divide space.
    pub fn planes(&self) -> &[SplitPlane] {
        &self.planes
    }
}
