//! Static boxes in a kd-tree, which is a BSP tree along the axes; those that may move in a loose
//! octree.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.4 (as Frye had it for a car
//! and its world).

use carom_broad::{FoundBy, StaticDynamic};
use carom_broad_grid::{Loose, SparseGrid};
use carom_broad_tree::PlaneTree;

/// For worlds in which few boxes move among many that are static, as their
/// [`Filter`](carom_broad::Filter) says. As long as no static box comes, goes or moves, a frame
/// costs what the moving boxes cost. If these move little from frame to frame,
/// [`DynamicBvh`](carom_broad_tree::DynamicBvh) with its list of candidates is faster (bench:
/// `broad`, static ground).
///
/// Memory: as a [`KdTree`](carom_broad_tree::KdTree) of the static boxes and a
/// [`LooseOctree`](carom_broad_grid::LooseOctree) of the others.
pub type KdOctree = FoundBy<StaticDynamic<PlaneTree, SparseGrid<Loose>>>;
