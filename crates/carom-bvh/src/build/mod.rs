//! Builds trees: rows of boxes, then a binary tree by one of several methods, then wide nodes.
//!
//! - Each [`BuildMethod`] starts from rows in Morton order and ends with the same form of binary
//!   tree. It may be improved before it is collapsed.
//! - Top-down methods partition the rows in place. Methods that join or insert leaves use
//!   [`links`] and convert at the end.
//! - Trees of boxes by [`BuildMethod::Morton`] usually need no binary tree: see [`linear`].
//! - Builds by own axes or by query counts, and coarse ones, start from rows in the given order.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.2.1 (eq. 25.2).

mod binary;
mod binned;
mod bottom_up;
mod cheapest;
mod collapse;
mod fitted;
mod insertion;
mod linear;
mod links;
mod median;
mod morton;
mod one_pass;
mod optimize;
pub(crate) mod own_axes;
#[cfg(feature = "parallel")]
mod par;
mod query_driven;
mod rows;
mod sah;
mod settings;
mod top_down;
mod treelets;

pub use own_axes::{OwnAxes, SplitAt};
pub use settings::{BuildMethod, BuildQuality, BuildSettings, Collapse};

use crate::tree::{Bvh, BvhError, TreeVolume};
use crate::volumes::Volumes8;
use crate::wide::WideNode;
use alloc::vec::Vec;
use binary::Binary;
use carom_bounds::Aabb;
use links::Links;
use rows::Row;

/// The memory of builds. If it is kept, a rebuild allocates only the tree.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    rows: Vec<Row>,
    sorted: Vec<Row>,
    keys: Vec<u64>,
    swap: Vec<u64>,
    firsts: Vec<u32>,
    binary: Binary,
    tasks: Vec<binned::Task>,
    stack: Vec<collapse::Task>,
    choices: Vec<cheapest::Choice>,
    ranges: Vec<linear::Task>,
    links: Links,
}

/// The maximum number of primitives in a leaf before leaves are merged by [`cheapest`]. With 1,
/// rays visit as many nodes and leaves, and the build takes a third longer.
const FINE_LEAF: u32 = 2;

/// Checks that there are fewer than 2^28 primitives, so that references can address all.
fn check_count(boxes: &[Aabb]) -> Result<(), BvhError> {
    if boxes.len() < 1 << 28 { Ok(()) } else { Err(BvhError::TooMany) }
}

impl<V: TreeVolume> Bvh<V> {
    /// Builds a tree over primitives with these bounds; each volume is fitted to the boxes below
    /// it. No primitives give the empty tree. The first box that is not finite, inverted or beyond
    /// [`MAX_COORDINATE`](crate::MAX_COORDINATE) is refused with its number.
    ///
    /// The same input gives the same tree, with any instruction set and any number of threads
    /// (tests: `invariance::every_instruction_set_gives_the_same`,
    /// `threads::one_two_and_seven_threads_build_the_same`).
    pub fn build(boxes: &[Aabb], settings: &BuildSettings) -> Result<Bvh<V>, BvhError> {
        Bvh::packed(boxes, settings)
    }
}

impl<V: TreeVolume, N: WideNode<V::Volumes8>> Bvh<V, N> {
    /// [`Bvh::build`] for nodes of any kind.
    pub fn packed(boxes: &[Aabb], settings: &BuildSettings) -> Result<Bvh<V, N>, BvhError> {
        let mut tree = Bvh::default();
        Builder::default().rebuild(&mut tree, boxes, settings)?;
        Ok(tree)
    }
}

impl Builder {
    /// [`Bvh::build`] into an existing tree, of nodes of any kind, whose memory is reused. On an
    /// error the tree stays as it was.
    pub fn rebuild<V: TreeVolume, N: WideNode<V::Volumes8>>(
        &mut self,
        tree: &mut Bvh<V, N>,
        boxes: &[Aabb],
        settings: &BuildSettings,
    ) -> Result<(), BvhError> {
        if settings.method == BuildMethod::Morton
            && !settings.is_improved()
            && settings.collapse == Collapse::Largest
            && V::Volumes8::ARE_BOXES
            && !boxes.is_empty()
            && let Some(tree) = N::as_eight(tree)
        {
            check_count(boxes)?;
            morton::sort(boxes, &mut self.keys, &mut self.swap)?;
            let max_leaf = settings.max_leaf.clamp(1, 16);
            linear::build(boxes, &self.keys, max_leaf, &mut self.ranges, tree);
            return Ok(());
        }
        self.binary(boxes, settings)?;
        self.widen(settings, N::WIDTH);
        self.collapse(tree, |aabb, _, _| V::from_aabb(aabb));
        Ok(())
    }

    /// Builds the binary tree over boxes.
    pub(crate) fn binary(&mut self, boxes: &[Aabb], settings: &BuildSettings) -> Result<(), BvhError> {
        check_count(boxes)?;
        // Morton order keeps neighbours together for the heuristic too, so there are fewer cache
        // misses.
        morton::sort(boxes, &mut self.keys, &mut self.swap)?;
        rows::reorder(boxes, &self.keys, &mut self.sorted);
        self.clear();
        if !boxes.is_empty() {
            self.split(settings);
        }
        Ok(())
    }

    /// The primitives in the order of the binary tree.
    pub(crate) fn order(&self) -> &[u32] {
        &self.binary.order
    }

    /// Builds the binary tree over boxes by a rule of the caller: see [`top_down::split`].
    pub(crate) fn binary_by(
        &mut self,
        boxes: &[Aabb],
        (max_leaf, max_depth): (u32, u32),
        rule: impl FnMut(&mut [Row]) -> Option<usize>,
    ) -> Result<(), BvhError> {
        self.fill(boxes)?;
        if !boxes.is_empty() {
            top_down::split(&mut self.rows, max_leaf, max_depth, &mut self.binary.nodes, rule);
            self.binary.order.extend(self.rows.iter().map(Row::tag));
        }
        Ok(())
    }

    /// Chooses the wide nodes, with this number of slots.
    pub(crate) fn widen(&mut self, settings: &BuildSettings, width: usize) {
        if let Collapse::Cheapest { lanes } = settings.collapse {
            let max_leaf = settings.max_leaf.clamp(1, 16);
            cheapest::choose(&mut self.binary, max_leaf, lanes, width, &mut self.choices);
        }
    }

    /// Writes the rows of the boxes in their order, and clears the binary tree.
    fn fill(&mut self, boxes: &[Aabb]) -> Result<(), BvhError> {
        check_count(boxes)?;
        rows::fill(&mut self.rows, boxes)?;
        self.clear();
        Ok(())
    }

    /// Clears the binary tree.
    fn clear(&mut self) {
        self.binary.nodes.clear();
        self.binary.order.clear();
        self.binary.worth.clear();
    }

    /// Builds a tree of few leaves, with at most `max_leaf` primitives each. The limit may be
    /// large.
    #[cfg(feature = "std")]
    pub(crate) fn rebuild_coarse<V: TreeVolume>(
        &mut self,
        tree: &mut Bvh<V>,
        boxes: &[Aabb],
        max_leaf: u32,
    ) -> Result<(), BvhError> {
        self.fill(boxes)?;
        if !boxes.is_empty() {
            sah::split(&mut self.rows, max_leaf, &mut self.tasks, &mut self.binary.nodes);
            self.binary.order.extend(self.rows.iter().map(Row::tag));
        }
        self.collapse(tree, |aabb, _, _| V::from_aabb(aabb));
        Ok(())
    }

    /// Builds a tree for queries that reach few parts. For each primitive, `uses` has how often
    /// queries reached it; missing entries count as 0. Often reached parts are near the root, and
    /// rarely reached parts may be deep. The leaf size is the only setting that is used.
    pub fn rebuild_query_driven<V: TreeVolume>(
        &mut self,
        tree: &mut Bvh<V>,
        boxes: &[Aabb],
        uses: &[u32],
        settings: &BuildSettings,
    ) -> Result<(), BvhError> {
        self.fill(boxes)?;
        if !boxes.is_empty() {
            let max_leaf = settings.max_leaf.clamp(1, 16);
            let Binary { nodes, order, worth } = &mut self.binary;
            query_driven::split(&mut self.rows, uses, max_leaf, nodes, worth);
            order.extend(self.rows.iter().map(Row::tag));
        }
        self.collapse(tree, |aabb, _, _| V::from_aabb(aabb));
        Ok(())
    }

    /// Collapses the binary tree. `fit(box, first, count)` gives the volume of each subtree, by
    /// indices in [`Builder::order`].
    pub(crate) fn collapse<V: TreeVolume, N: WideNode<V::Volumes8>>(
        &mut self,
        tree: &mut Bvh<V, N>,
        fit: impl FnMut(&Aabb, usize, usize) -> V,
    ) {
        collapse::collapse(&self.binary, &mut self.stack, tree, fit);
    }

    /// Builds a binary tree from sorted rows.
    fn split(&mut self, settings: &BuildSettings) {
        let max_leaf = match settings.collapse {
            Collapse::Largest => settings.max_leaf.clamp(1, 16),
            // Splits further than requested, and merges again if that is cheaper.
            Collapse::Cheapest { .. } => settings.max_leaf.clamp(1, FINE_LEAF),
        };
        match settings.method {
            BuildMethod::Morton => {
                morton::split(&self.sorted, &self.keys, max_leaf, &mut self.firsts, &mut self.binary);
            }
            BuildMethod::OnePass => {
                one_pass::build(&self.sorted, &self.keys, max_leaf, &mut self.binary);
                if settings.collapse != Collapse::Largest || settings.is_improved() {
                    self.binary.reorder_depth_first();
                }
            }
            BuildMethod::ClusteredSah => {
                morton::clusters(&self.sorted, &self.keys, max_leaf.min(4), &mut self.rows);
                sah::split(&mut self.rows, max_leaf, &mut self.tasks, &mut self.binary.nodes);
                rows::expand(&self.rows, &self.sorted, &mut self.binary.order);
            }
            BuildMethod::Sah => self.part(|rows, nodes, tasks| sah::split(rows, max_leaf, tasks, nodes)),
            BuildMethod::Volume => {
                self.part(|rows, nodes, tasks| sah::split_by_volume(rows, max_leaf, tasks, nodes));
            }
            BuildMethod::Mean => {
                self.part(|rows, nodes, _| top_down::split(rows, max_leaf, u32::MAX, nodes, median::mean));
            }
            BuildMethod::Median => {
                self.part(|rows, nodes, _| top_down::split(rows, max_leaf, u32::MAX, nodes, median::median));
            }
            BuildMethod::BottomUp => self.join(max_leaf, 1, bottom_up::join),
            BuildMethod::ClusteredBottomUp => self.join(max_leaf, max_leaf.min(4), bottom_up::join),
            BuildMethod::Insertion => self.join(max_leaf, 1, insertion::insert_all),
        }
        if settings.is_improved() {
            self.links.read(&self.binary);
            optimize::reinsert(&mut self.links, settings.reinsertion_rounds);
            treelets::rearrange(&mut self.links, settings.treelet_rounds, max_leaf);
            let order = core::mem::take(&mut self.binary.order);
            self.links.write(&order, max_leaf, &mut self.binary);
        }
        if settings.method == BuildMethod::Median {
            self.open_fullest();
        }
    }

    /// Makes the collapse open the node with the most primitives first, so that wide trees are as
    /// balanced as the binary tree.
    pub(crate) fn open_fullest(&mut self) {
        self.binary.worth.extend(self.binary.nodes.iter().map(|row| row.count() as f32));
    }

    /// Builds top down: `split` partitions the rows in place.
    fn part(&mut self, split: impl FnOnce(&mut [Row], &mut Vec<Row>, &mut Vec<binned::Task>)) {
        split(&mut self.sorted, &mut self.binary.nodes, &mut self.tasks);
        self.binary.order.extend(self.sorted.iter().map(Row::tag));
    }

    /// Builds bottom up: `join` joins leaves of at most `max_cluster` neighbours on the curve.
    fn join(&mut self, max_leaf: u32, max_cluster: u32, join: impl FnOnce(&mut Links)) {
        morton::clusters(&self.sorted, &self.keys, max_cluster, &mut self.rows);
        self.links.fill(self.rows.iter().copied());
        join(&mut self.links);
        let order: Vec<u32> = self.sorted.iter().map(Row::tag).collect();
        self.links.write(&order, max_leaf, &mut self.binary);
    }
}
