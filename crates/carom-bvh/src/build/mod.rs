//! Builds trees: rows of boxes, then a binary tree by one of three methods, then nodes of eight.
//!
//! Fast sorts along a space-filling curve and splits at its bits. High splits where the surface area heuristic is
//! best, over bins. Balanced does the latter over small clusters of the former: nearly the quality at half the time.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.1 (eq. 25.2); I. Wald, On fast Construction of
//! SAH-based Bounding Volume Hierarchies, 2007.

mod binned;
mod collapse;
mod morton;
mod rows;

use crate::tree::{Bvh, BvhError, TreeVolume};
use alloc::vec::Vec;
use carom_bounds::Aabb;
use rows::Row;

/// How much time to spend on a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum BuildQuality {
    /// Along a space-filling curve: the fastest; queries cost about a fifth more.
    Fast,
    /// The surface area heuristic over clusters of at most four primitives.
    #[default]
    Balanced,
    /// The surface area heuristic over primitives.
    High,
}

/// What kind of tree to build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BuildSettings {
    /// How much time to spend.
    pub quality: BuildQuality,
    /// The most primitives in a leaf, 1 to 16; other numbers are brought into that range. With 1 every primitive has its
    /// own box; 8 suits callers that test eight primitives at once.
    pub max_leaf: u32,
}

impl Default for BuildSettings {
    fn default() -> BuildSettings {
        BuildSettings { quality: BuildQuality::default(), max_leaf: 4 }
    }
}

impl BuildSettings {
    /// These settings with another quality.
    #[must_use]
    pub fn with_quality(self, quality: BuildQuality) -> BuildSettings {
        BuildSettings { quality, ..self }
    }

    /// These settings with other leaves.
    #[must_use]
    pub fn with_max_leaf(self, max_leaf: u32) -> BuildSettings {
        BuildSettings { max_leaf, ..self }
    }
}

/// A binary tree, as the builders make it: children adjacent and after their parent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Binary {
    /// A box; the tag is the left child, or 0 for a leaf; the count is that of the primitives below.
    nodes: Vec<Row>,
    /// The primitives' numbers; every node's are contiguous, those of the left child first.
    order: Vec<u32>,
}

/// The memory of builds: keep one, and building again allocates only the tree.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    rows: Vec<Row>,
    sorted: Vec<Row>,
    keys: Vec<u64>,
    swap: Vec<u64>,
    binary: Binary,
    tasks: Vec<binned::Task>,
    stack: Vec<collapse::Task>,
}

impl<V: TreeVolume> Bvh<V> {
    /// A tree over primitives with these bounds, each volume around the boxes below it. No primitives give the empty
    /// tree; a box that is not finite, or inverted, is refused with its number.
    ///
    /// The same input gives the same tree, with any instruction set.
    pub fn build(boxes: &[Aabb], settings: &BuildSettings) -> Result<Bvh<V>, BvhError> {
        let mut tree = Bvh::empty();
        Builder::default().rebuild(&mut tree, boxes, settings)?;
        Ok(tree)
    }
}

impl Builder {
    /// [`Bvh::build`] into a tree that is there, whose memory is used again. On an error the tree stays as it was.
    pub fn rebuild<V: TreeVolume>(
        &mut self,
        tree: &mut Bvh<V>,
        boxes: &[Aabb],
        settings: &BuildSettings,
    ) -> Result<(), BvhError> {
        self.binary(boxes, settings)?;
        self.collapse(tree, |aabb, _, _| V::from_aabb(aabb));
        Ok(())
    }

    /// The binary tree over boxes.
    pub(crate) fn binary(&mut self, boxes: &[Aabb], settings: &BuildSettings) -> Result<&[u32], BvhError> {
        if 1 << 28 <= boxes.len() {
            return Err(BvhError::TooMany);
        }
        rows::fill(&mut self.rows, boxes)?;
        self.binary.nodes.clear();
        self.binary.order.clear();
        if !boxes.is_empty() {
            self.split(settings);
        }
        Ok(&self.binary.order)
    }

    /// The tree from the binary one, the volume of each subtree from `fit(box, first, count)`, which are places in the
    /// order that [`Builder::binary`] gave.
    pub(crate) fn collapse<V: TreeVolume>(
        &mut self,
        tree: &mut Bvh<V>,
        fit: impl FnMut(&Aabb, usize, usize) -> V,
    ) {
        collapse::collapse(&self.binary, &mut self.stack, tree, fit);
    }

    /// From rows to a binary tree.
    fn split(&mut self, settings: &BuildSettings) {
        let max_leaf = settings.max_leaf.clamp(1, 16);
        // The curve keeps together what is together also for the heuristic: less memory is missed.
        morton::sort(&self.rows, &mut self.keys, &mut self.swap);
        rows::reorder(&self.rows, &self.keys, &mut self.sorted);
        match settings.quality {
            BuildQuality::Fast => morton::split(&self.sorted, &self.keys, max_leaf, &mut self.binary),
            BuildQuality::Balanced => {
                morton::clusters(&self.sorted, &self.keys, max_leaf.min(4), &mut self.rows);
                binned::split(&mut self.rows, max_leaf, &mut self.tasks, &mut self.binary.nodes);
                rows::expand(&self.rows, &self.sorted, &mut self.binary.order);
            }
            BuildQuality::High => {
                binned::split(&mut self.sorted, max_leaf, &mut self.tasks, &mut self.binary.nodes);
                self.binary.order.extend(self.sorted.iter().map(Row::tag));
            }
        }
    }
}
