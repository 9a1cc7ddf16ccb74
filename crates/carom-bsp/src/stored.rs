//! Trees that are read, and checked before a walk trusts them: a walk has no limit of its own.

use crate::planes::SplitPlane;
use crate::tree::{BspReport, BspTree, LEAF, Leaf, Node};
use alloc::vec;
use alloc::vec::Vec;
use carom_math::tol;
use glam::DVec3;
use serde::{Deserialize, Deserializer};

/// A tree as it is stored.
#[derive(serde::Deserialize)]
pub(crate) struct Unchecked {
    planes: Vec<SplitPlane>,
    nodes: Vec<Node>,
    leaves: Vec<Leaf>,
    bevels: Vec<SplitPlane>,
    root: u32,
    thin: f64,
    #[serde(deserialize_with = "low")]
    low: DVec3,
    #[serde(deserialize_with = "high")]
    high: DVec3,
    report: BspReport,
}

/// A coordinate of the bounds, which are infinite for a tree without input. JSON has no infinity,
/// and its writers write null instead.
#[derive(serde::Deserialize)]
#[serde(untagged)]
enum Coordinate {
    Number(f64),
    Null,
}

/// Reads the least coordinates.
fn low<'de, D: Deserializer<'de>>(deserializer: D) -> Result<DVec3, D::Error> {
    point(deserializer, f64::INFINITY)
}

/// Reads the greatest coordinates.
fn high<'de, D: Deserializer<'de>>(deserializer: D) -> Result<DVec3, D::Error> {
    point(deserializer, f64::NEG_INFINITY)
}

/// Reads a point. `null` is the coordinate that null stands for.
fn point<'de, D: Deserializer<'de>>(deserializer: D, null: f64) -> Result<DVec3, D::Error> {
    // Other formats write infinity, and do not say of which type the next value is.
    if !deserializer.is_human_readable() {
        return DVec3::deserialize(deserializer);
    }
    let coordinate = |read: Coordinate| match read {
        Coordinate::Number(x) => x,
        Coordinate::Null => null,
    };
    <[Coordinate; 3]>::deserialize(deserializer).map(|all| DVec3::from_array(all.map(coordinate)))
}

impl TryFrom<Unchecked> for BspTree {
    type Error = &'static str;

    fn try_from(read: Unchecked) -> Result<BspTree, &'static str> {
        let Unchecked { planes, nodes, leaves, bevels, root, thin, low, high, report } = read;
        let tree = BspTree { planes, nodes, leaves, bevels, root, thin, low, high, report };
        tree.check()?;
        Ok(tree)
    }
}

impl BspTree {
    /// Checks that each walk ends, and that all indices and numbers are in their ranges. The error
    /// says what is wrong.
    fn check(&self) -> Result<(), &'static str> {
        let is_unit = |plane: &SplitPlane| {
            let off = (plane.normal.length_squared() - 1.0).abs();
            off <= tol::BSP_SAME_NORMAL && plane.offset.is_finite()
        };
        if !self.planes.iter().chain(&self.bevels).all(is_unit) {
            return Err("a plane of the tree has no unit normal or no finite offset");
        }
        if !(0.0 <= self.thin && self.thin.is_finite()) || self.low.is_nan() || self.high.is_nan() {
            return Err("a length of the tree is out of its range");
        }
        let is_range =
            |leaf: &Leaf| leaf.bevels[0] <= leaf.bevels[1] && leaf.bevels[1] as usize <= self.bevels.len();
        if !self.leaves.iter().all(is_range) {
            return Err("a leaf of the tree has bevels that do not exist");
        }
        let exists = |child: u32| match child & LEAF {
            0 => (child as usize) < self.nodes.len(),
            _ => ((child & !LEAF) as usize) < self.leaves.len(),
        };
        if !exists(self.root) {
            return Err("the root of the tree does not exist");
        }
        // Each node has one parent, which is before it. So there is one path to each node.
        let mut has_parent = vec![false; self.nodes.len()];
        for (node, number) in self.nodes.iter().zip(0..) {
            if self.planes.len() <= node.plane as usize {
                return Err("a node of the tree has a plane that does not exist");
            }
            for child in node.children {
                let is_later = child & LEAF != 0 || number < child;
                if !(exists(child) && is_later) {
                    return Err("a node of the tree has a child that is not after it");
                }
                if child & LEAF == 0 && core::mem::replace(&mut has_parent[child as usize], true) {
                    return Err("a node of the tree has two parents");
                }
            }
        }
        Ok(())
    }
}
