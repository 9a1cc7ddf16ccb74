//! Static boxes in a kd-tree, which is an axis-aligned BSP tree; moving ones in a loose octree.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.4 (the scheme of Frye for a
//! car and its world).

use carom_broad::{FromFinder, StaticDynamic};
use carom_broad_grid::{Loose, SparseGrid};
use carom_broad_tree::PlaneTree;

/// A broad phase for few moving boxes among many static ones, as their
/// [`Filter`](carom_broad::Filter) says. While no static box is added, removed or moved, a frame
/// costs only the work for moving boxes. If these move little per frame,
/// [`DynamicBvh`](carom_broad_tree::DynamicBvh) with its list of candidates is faster (bench:
/// `broad`, static ground).
///
/// Memory: that of a [`KdTree`](carom_broad_tree::KdTree) of the static boxes and a
/// [`LooseOctree`](carom_broad_grid::LooseOctree) of the others.
pub type KdOctree = FromFinder<StaticDynamic<PlaneTree, SparseGrid<Loose>>>;
