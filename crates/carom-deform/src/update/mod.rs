//! Trees that follow moving features: one trait, five implementations, the same answers.
//!
//! The answers come from the exact boxes of features alone, and are sorted. So they do not depend
//! on the tree (test: `update::all_trees_give_the_same_answers`). The tree decides only the cost:
//! - [`RefitTree`]: all boxes, bottom up, in each step. For searches that visit most of the tree.
//! - [`LazyTree`]: no box until a query comes near it. For a few small queries.
//! - [`HybridTree`]: the upper half bottom up, the lower half where a query comes: the scheme of
//!   the book.
//! - [`RebuiltTree`]: as `RefitTree`, and parts whose boxes have grown are rebuilt. For motion
//!   that mixes features.
//! - [`AutoTree`]: lazy, or all boxes, by the counted cost of the steps before.

mod auto;
mod hybrid;
mod layout;
mod lazy;
mod rebuilt;
mod refit;

pub use auto::AutoTree;
pub use hybrid::HybridTree;
pub use lazy::LazyTree;
pub use rebuilt::RebuiltTree;
pub use refit::RefitTree;

pub(crate) use layout::Layout;

use crate::bounds::Bounds;
use crate::counters::TreeWork;
use alloc::vec::Vec;
use carom_bounds::{Aabb, BoundingVolume};
use carom_bvh::{BuildSettings, Bvh};
use core::ops::ControlFlow;
use sealed::Sealed;

pub(crate) mod sealed {
    /// Searches rely on leaves of at most eight features, so the trait is sealed.
    pub trait Sealed {}
}

/// The most features in a leaf: as many boxes as are tested at once.
pub(crate) const MAX_LEAF: u32 = 8;

/// A tree over features that move. The trait is sealed: choose one of the five of this crate.
pub trait FollowingTree: Sealed + Sized {
    /// Builds a tree over the features as they are.
    fn build(bounds: &Bounds<'_>) -> Self;

    /// Follows features that have moved. No side of a box moved outwards by more than `drift`
    /// since the last call. The drift is a length, not negative.
    fn advance(&mut self, bounds: &Bounds<'_>, drift: f32);

    /// Follows features that were added, removed or renumbered. `origins` has the number that each
    /// had before, or [`carom_bvh::ADDED`]. All boxes are up to date after this. A feature keeps
    /// its place in the tree. If too many features are new, the tree or a part of it is rebuilt,
    /// and that is counted.
    fn renumber(&mut self, bounds: &Bounds<'_>, origins: &[u32]);

    /// Adds the numbers of all features whose exact box touches the query to `out`, in ascending
    /// order. `bounds` are those of the last [`FollowingTree::advance`].
    fn collect_touching(&mut self, bounds: &Bounds<'_>, query: &Aabb, out: &mut Vec<u32>);

    /// Brings all boxes up to date. `bounds` are those of the last [`FollowingTree::advance`].
    fn complete(&mut self, bounds: &Bounds<'_>);

    /// The tree, whose boxes are exact after [`FollowingTree::complete`].
    fn tree(&self) -> &Bvh;

    /// The boxes of all features, by their numbers; exact after [`FollowingTree::complete`].
    fn boxes(&self) -> &[Aabb];

    /// The work since the tree was built.
    fn work(&self) -> TreeWork;

    /// Calls `visit` with the box of each part of the tree that is up to date since the last
    /// [`FollowingTree::advance`]: for drawing and tests.
    fn visit_fresh(&self, visit: &mut dyn FnMut(&Aabb)) {
        let tree = self.tree();
        for node in 0..tree.n_nodes() as u32 {
            tree.children(node).for_each(|(reference, _)| visit(&tree.volume(reference)));
        }
    }
}

/// The build settings of the trees.
pub(crate) fn build_settings() -> BuildSettings {
    BuildSettings::default().with_max_leaf(MAX_LEAF)
}

/// Builds a tree over boxes that are known to be finite and not too large.
pub(crate) fn build_tree(boxes: &[Aabb]) -> Bvh {
    let built = Bvh::build(boxes, &build_settings());
    debug_assert!(built.is_ok(), "the mesh checks its positions: {built:?}");
    built.unwrap_or_default()
}

/// Refits all boxes of a tree from boxes that are known to be finite and not too large.
pub(crate) fn refit_tree(tree: &mut Bvh, boxes: &[Aabb]) {
    let refitted = tree.refit(boxes);
    debug_assert!(refitted.is_ok(), "the mesh checks its positions: {refitted:?}");
}

/// Renumbers the features of a tree. Their boxes are known to be finite and not too large.
pub(crate) fn renumber_tree(tree: &mut Bvh, boxes: &[Aabb], origins: &[u32], work: &mut TreeWork) {
    let renumbered = tree.renumber(boxes, origins, &build_settings());
    debug_assert!(renumbered.is_ok(), "the mesh checks its positions: {renumbered:?}");
    work.updates += boxes.len() as u64;
    work.edits += 1;
    let renewed = renumbered.map_or(0, |done| done.renewed);
    work.rebuilds += u64::from(0 < renewed);
    work.renewed += renewed as u64;
}

/// Collects the features that touch a query, by a tree and boxes that are exact.
pub(crate) fn collect_exact(
    tree: &Bvh,
    boxes: &[Aabb],
    query: &Aabb,
    out: &mut Vec<u32>,
    work: &mut TreeWork,
) {
    let first = out.len();
    let visit = tree.visit_box(query, |leaf| {
        out.extend(leaf.primitives.iter().copied().filter(|&i| boxes[i as usize].overlaps(query)));
        ControlFlow::Continue(())
    });
    out[first..].sort_unstable();
    work.box_tests += visit.counters.volume_tests + visit.counters.primitives;
}
