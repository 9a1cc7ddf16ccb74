//! Builds trees: rows of boxes, then a binary tree by one of several methods, then nodes of eight.
//!
//! All methods begin with rows in the order of the Morton curve and end with the same form of
//! binary tree, which may be improved before it is made wide. Top-down methods part the rows in
//! place; methods that join or insert leaves have a form of their own ([`links`]) and write the
//! common one at the end.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.2.1 (eq. 25.2).

mod binned;
mod bottom_up;
mod by_use;
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
mod rows;
mod settings;
mod top_down;
mod treelets;

pub use own_axes::{OwnAxes, SplitAt};
pub use settings::{BuildMethod, BuildQuality, BuildSettings, Collapse};

use crate::tree::{Bvh, BvhError, TreeVolume};
use crate::volumes::Volumes8;
use crate::wide::WideNode;
use alloc::vec::Vec;
use carom_bounds::Aabb;
use links::Links;
use rows::Row;

/// A binary tree, as the builders make it: children adjacent, and after their parent unless said
/// otherwise.
#[derive(Clone, Debug, Default)]
pub(crate) struct Binary {
    /// A box; the tag is the left child, or 0 for a leaf; the count is that of the primitives
    /// below.
    nodes: Vec<Row>,
    /// The primitives' numbers; every node's are contiguous, those of the left child first.
    order: Vec<u32>,
    /// What each node is worth opening when the tree is made wide, not below 0; empty where that is
    /// its area.
    worth: Vec<f32>,
}

impl Binary {
    /// Nodes in the order in which a depth-first walk meets them, so that children stand after
    /// their parent.
    fn lay_out(&mut self) {
        let Some(&root) = self.nodes.first() else { return };
        let mut nodes = Vec::with_capacity(self.nodes.len());
        nodes.push(root);
        let mut stack = alloc::vec![0_usize];
        while let Some(at) = stack.pop() {
            let (left, count) = (nodes[at].tag() as usize, nodes[at].count());
            if left != 0 {
                let child = nodes.len();
                nodes.extend_from_slice(&self.nodes[left..left + 2]);
                nodes[at].set_numbers(child as u32, count);
                stack.extend([child + 1, child]);
            }
        }
        self.nodes = nodes;
    }
}

/// The memory of builds: keep one, and building again allocates only the tree.
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

/// The most primitives in a leaf that may be put together with others. With 1 rays visit as many
/// nodes and leaves, and the build takes a third longer.
const FINE_LEAF: u32 = 2;

/// There are not more than references can name.
fn check_count(boxes: &[Aabb]) -> Result<(), BvhError> {
    if boxes.len() < 1 << 28 { Ok(()) } else { Err(BvhError::TooMany) }
}

impl<V: TreeVolume> Bvh<V> {
    /// A tree over primitives with these bounds, each volume around the boxes below it. No
    /// primitives give the empty tree; a box that is not finite, or inverted, is refused with its
    /// number.
    ///
    /// The same input gives the same tree, with any instruction set.
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
    /// [`Bvh::build`] into a tree that is there, of nodes of any kind, whose memory is used again.
    /// On an error the tree stays as it was.
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

    /// The binary tree over boxes.
    pub(crate) fn binary(&mut self, boxes: &[Aabb], settings: &BuildSettings) -> Result<(), BvhError> {
        check_count(boxes)?;
        // The curve keeps together what is together also for the heuristic: less memory is missed.
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

    /// The binary tree over boxes by a rule of the caller: see [`top_down::split`].
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

    /// Chooses the wide nodes, of so many places.
    pub(crate) fn widen(&mut self, settings: &BuildSettings, width: usize) {
        if let Collapse::Cheapest { lanes } = settings.collapse {
            let max_leaf = settings.max_leaf.clamp(1, 16);
            cheapest::choose(&mut self.binary, max_leaf, lanes, width, &mut self.choices);
        }
    }

    /// Rows of the boxes in their order, and no binary tree yet.
    fn fill(&mut self, boxes: &[Aabb]) -> Result<(), BvhError> {
        check_count(boxes)?;
        rows::fill(&mut self.rows, boxes)?;
        self.clear();
        Ok(())
    }

    /// No binary tree yet.
    fn clear(&mut self) {
        self.binary.nodes.clear();
        self.binary.order.clear();
        self.binary.worth.clear();
    }

    /// A tree of few leaves, of at most `max_leaf` primitives each, which may be many.
    #[cfg(feature = "std")]
    pub(crate) fn rebuild_coarse<V: TreeVolume>(
        &mut self,
        tree: &mut Bvh<V>,
        boxes: &[Aabb],
        max_leaf: u32,
    ) -> Result<(), BvhError> {
        self.fill(boxes)?;
        if !boxes.is_empty() {
            binned::split(&mut self.rows, max_leaf, &mut self.tasks, &mut self.binary.nodes);
            self.binary.order.extend(self.rows.iter().map(Row::tag));
        }
        self.collapse(tree, |aabb, _, _| V::from_aabb(aabb));
        Ok(())
    }

    /// A tree for queries that go to few places: `uses` tells for every primitive how often queries
    /// have reached it, and missing numbers count as 0. What they seldom reach lies deep, what they
    /// often reach is near the root. Of the settings only the size of leaves counts.
    pub fn rebuild_by_use<V: TreeVolume>(
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
            by_use::split(&mut self.rows, uses, max_leaf, nodes, worth);
            order.extend(self.rows.iter().map(Row::tag));
        }
        self.collapse(tree, |aabb, _, _| V::from_aabb(aabb));
        Ok(())
    }

    /// The tree from the binary one, the volume of each subtree from `fit(box, first, count)`,
    /// which are places in the order of [`Builder::order`].
    pub(crate) fn collapse<V: TreeVolume, N: WideNode<V::Volumes8>>(
        &mut self,
        tree: &mut Bvh<V, N>,
        fit: impl FnMut(&Aabb, usize, usize) -> V,
    ) {
        collapse::collapse(&self.binary, &mut self.stack, tree, fit);
    }

    /// From sorted rows to a binary tree.
    fn split(&mut self, settings: &BuildSettings) {
        let max_leaf = match settings.collapse {
            Collapse::Largest => settings.max_leaf.clamp(1, 16),
            // Parted further than asked for, and put together again where that is cheaper.
            Collapse::Cheapest { .. } => settings.max_leaf.clamp(1, FINE_LEAF),
        };
        match settings.method {
            BuildMethod::Morton => {
                morton::split(&self.sorted, &self.keys, max_leaf, &mut self.firsts, &mut self.binary);
            }
            BuildMethod::OnePass => {
                one_pass::build(&self.sorted, &self.keys, max_leaf, &mut self.binary);
                if settings.collapse != Collapse::Largest || settings.is_improved() {
                    self.binary.lay_out();
                }
            }
            BuildMethod::ClusteredSah => {
                morton::clusters(&self.sorted, &self.keys, max_leaf.min(4), &mut self.rows);
                binned::split(&mut self.rows, max_leaf, &mut self.tasks, &mut self.binary.nodes);
                rows::expand(&self.rows, &self.sorted, &mut self.binary.order);
            }
            BuildMethod::Sah => self.part(|rows, nodes, tasks| binned::split(rows, max_leaf, tasks, nodes)),
            BuildMethod::Volume => {
                self.part(|rows, nodes, tasks| binned::split_by_volume(rows, max_leaf, tasks, nodes));
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

    /// Wide nodes open what holds most first, so that they are as balanced as the binary tree.
    pub(crate) fn open_fullest(&mut self) {
        self.binary.worth.extend(self.binary.nodes.iter().map(|row| row.count() as f32));
    }

    /// From the top down: the rows are parted in place.
    fn part(&mut self, split: impl FnOnce(&mut [Row], &mut Vec<Row>, &mut Vec<binned::Task>)) {
        split(&mut self.sorted, &mut self.binary.nodes, &mut self.tasks);
        self.binary.order.extend(self.sorted.iter().map(Row::tag));
    }

    /// From leaves of at most `max_cluster` neighbours on the curve.
    fn join(&mut self, max_leaf: u32, max_cluster: u32, join: impl FnOnce(&mut Links)) {
        morton::clusters(&self.sorted, &self.keys, max_cluster, &mut self.rows);
        self.links.fill(self.rows.iter().copied());
        join(&mut self.links);
        let order: Vec<u32> = self.sorted.iter().map(Row::tag).collect();
        self.links.write(&order, max_leaf, &mut self.binary);
    }
}
