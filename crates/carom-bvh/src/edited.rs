//! A tree with insertion, removal and updates of parts, valid for queries at any time.
//!
//! - A new part takes the first free slot on its way down. From a full node it descends into the
//!   child that grows least. If that child is a part, a new node takes its slot and holds both.
//! - On the way back up, a child and a grandchild are exchanged if a box becomes smaller and no
//!   path longer.
//! - Each edit refits the ancestors, so the boxes stay tight.
//! - If a path is too long for its number of parts, the lowest such subtree is rebuilt.
//! - After a number of edits the tree measures its cost, and is rebuilt if that has grown.
//!
//! Reference: A. Guttman, R-Trees, 1984 (least growth); I. Galperin, R. Rivest, Scapegoat Trees,
//! 1993 (what is too deep is rebuilt); A. Kensler, Tree Rotations for Improving Bounding Volume
//! Hierarchies, 2008.
//! Differs: nodes of eight are not split upwards. They grow downwards, so parents stay before
//! children.

use crate::build::{BuildMethod, BuildSettings, Builder};
use crate::tree::{Bvh, BvhError, HOLE, LEAF, Node8, check_box};
use crate::validate::Defect;
use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use carom_bounds::{Aabb, Aabb8, BoundingVolume};

/// The handle of a part of an [`EditedBvh`], valid until the part is removed. Afterwards it is
/// refused, even if its number is used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PartId {
    number: u32,
    /// Incremented when the number is used again and when its part is removed: even while in use.
    generation: u32,
}

impl PartId {
    /// The number of the part in the leaves of the tree.
    pub fn number(self) -> u32 {
        self.number
    }
}

/// Why an edit was refused; the tree stays as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EditError {
    /// The part has been removed.
    Removed {
        /// The part.
        part: PartId,
    },
    /// The box is not allowed in a tree, or there are too many parts. The error's primitive is the
    /// number of the part.
    Refused(BvhError),
}

impl core::fmt::Display for EditError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            EditError::Removed { part } => write!(f, "part {} has been removed", part.number),
            EditError::Refused(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for EditError {}

impl From<BvhError> for EditError {
    fn from(error: BvhError) -> EditError {
        EditError::Refused(error)
    }
}

/// A tree of boxes with one part in each leaf. Queries use [`EditedBvh::tree`].
///
/// An edit takes O(log n) amortized. About one edit in n may rebuild the whole tree.
#[derive(Clone, Debug, Default)]
pub struct EditedBvh {
    tree: Bvh<Aabb>,
    /// By the number of the part.
    boxes: Vec<Aabb>,
    generations: Vec<u32>,
    leaf_of: Vec<u32>,
    free: Vec<u32>,
    /// By the number of the leaf: node * 8 + lane.
    slots: Vec<u32>,
    /// By the number of the node: the parts below it.
    counts: Vec<u32>,
    /// By the number of the node: the nodes on the longest way down from it, itself included.
    heights: Vec<u32>,
    /// Nodes that nothing refers to.
    holes: BinaryHeap<u32>,
    builder: Builder,
    edits: usize,
    /// The number of edits before the tree measures its cost.
    edits_of_build: usize,
    /// The sum of the areas per part after the build.
    cost_of_build: f64,
    rebuilds: u32,
}

/// The maximum excess of a path length over the binary logarithm of its number of parts.
const ROOM: u32 = 4;

/// The maximum growth of the sum of the areas since the last build.
const GROWTH: f64 = 1.25;

/// Edits before the tree is rebuilt in any case, in multiples of the number of parts.
const PATIENCE: usize = 4;

impl EditedBvh {
    /// A tree over nothing.
    pub fn new() -> EditedBvh {
        EditedBvh::default()
    }

    /// A tree over boxes, which become the parts 0, 1, 2 and so on: see [`EditedBvh::part`].
    pub fn build(boxes: &[Aabb]) -> Result<EditedBvh, BvhError> {
        let mut edited = EditedBvh::new();
        for (i, aabb) in boxes.iter().enumerate() {
            check_box(aabb, i)?;
        }
        edited.boxes.extend_from_slice(boxes);
        edited.generations.resize(boxes.len(), 0);
        edited.leaf_of.resize(boxes.len(), 0);
        edited.build_from_boxes(BuildSettings::default())?;
        edited.reset_cost();
        Ok(edited)
    }

    /// The current tree, for all queries. The primitives of its leaves are numbers of parts, which
    /// need not be consecutive. Some nodes may be unused.
    pub fn tree(&self) -> &Bvh<Aabb> {
        &self.tree
    }

    /// The number of parts.
    pub fn len(&self) -> usize {
        self.tree.len()
    }

    /// Whether there is no part.
    pub fn is_empty(&self) -> bool {
        self.tree.is_empty()
    }

    /// The part with this number, if it exists.
    pub fn part(&self, number: u32) -> Option<PartId> {
        let generation = *self.generations.get(number as usize)?;
        (generation % 2 == 0).then_some(PartId { number, generation })
    }

    /// The box of a part.
    pub fn aabb(&self, part: PartId) -> Result<Aabb, EditError> {
        Ok(self.boxes[self.number_of(part)?])
    }

    /// The number of rebuilds of the whole tree by edits.
    pub fn rebuilds(&self) -> u32 {
        self.rebuilds
    }

    /// Adds a part.
    pub fn insert(&mut self, aabb: Aabb) -> Result<PartId, EditError> {
        let number = self.free.last().copied().unwrap_or(self.boxes.len() as u32);
        check_box(&aabb, number as usize)?;
        if 1 << 28 <= number {
            return Err(BvhError::TooMany.into());
        }
        if self.free.pop().is_some() {
            self.boxes[number as usize] = aabb;
            self.generations[number as usize] += 1;
        } else {
            self.boxes.push(aabb);
            self.generations.push(0);
            self.leaf_of.push(0);
        }
        self.attach(number);
        self.after_edit();
        Ok(PartId { number, generation: self.generations[number as usize] })
    }

    /// Removes a part.
    pub fn remove(&mut self, part: PartId) -> Result<(), EditError> {
        let number = self.number_of(part)?;
        self.detach(number as u32);
        // After some 2^31 uses a number is retired.
        if let Some(next) = self.generations[number].checked_add(1) {
            self.generations[number] = next;
            if next != u32::MAX {
                self.free.push(number as u32);
            }
        }
        self.after_edit();
        Ok(())
    }

    /// Gives a part another box.
    pub fn update(&mut self, part: PartId, aabb: Aabb) -> Result<(), EditError> {
        let number = self.number_of(part)?;
        check_box(&aabb, number)?;
        self.boxes[number] = aabb;
        let (node, lane) = self.slot_of_leaf(self.leaf_of[number]);
        if self.around(node).overlaps(&aabb) {
            self.tree.nodes[node].volumes.set(lane, &aabb);
            self.refit_up(node);
        } else {
            self.detach(number as u32);
            self.attach(number as u32);
        }
        self.after_edit();
        Ok(())
    }

    /// Rebuilds the whole tree. Edits do this by themselves if it pays.
    pub fn rebuild(&mut self) {
        // The boxes have been checked, so nothing is refused.
        if self.build_from_boxes(BuildSettings::default()).is_ok() {
            self.rebuilds = self.rebuilds.saturating_add(1);
            self.reset_cost();
        }
    }

    /// Checks the invariants of queries and edits. Returns the first defect.
    pub fn validate(&self) -> Result<(), Defect> {
        let live = |number: u32| self.part(number).and(self.boxes.get(number as usize)).copied();
        self.tree.check(self.boxes.len(), live)?;
        for (leaf, &number) in self.tree.primitives.iter().enumerate() {
            let (node, lane) = self.slot_of_leaf(leaf as u32);
            let found = self.tree.nodes.get(node).map(|n| (n.child[lane], n.volumes.get(lane)));
            if self.leaf_of[number as usize] != leaf as u32
                || found != Some((LEAF | leaf as u32, self.boxes[number as usize]))
            {
                return Err(Defect::Leaf(leaf as u32));
            }
        }
        for (i, node) in self.tree.nodes.iter().enumerate() {
            let count: u32 = (0..node.len as usize).map(|lane| self.count_of(node.child[lane])).sum();
            let alone = node.len == 1 && (i != 0 || node.child[0] & LEAF == 0);
            let is_known = node.parent == HOLE || self.computed_height(i) == self.heights[i];
            if node.parent != HOLE && (count != self.counts[i] || alone) || !is_known {
                return Err(Defect::Node(i as u32));
            }
        }
        Ok(())
    }

    fn number_of(&self, part: PartId) -> Result<usize, EditError> {
        if self.generations.get(part.number as usize) == Some(&part.generation) {
            return Ok(part.number as usize);
        }
        Err(EditError::Removed { part })
    }

    fn slot_of_leaf(&self, leaf: u32) -> (usize, usize) {
        let index = self.slots[leaf as usize] as usize;
        (index / 8, index % 8)
    }

    /// The parts below a child.
    fn count_of(&self, child: u32) -> u32 {
        if child & LEAF != 0 { 1 } else { self.counts[child as usize] }
    }

    /// The nodes on the longest way down from a child.
    fn height_of(&self, child: u32) -> u32 {
        if child & LEAF != 0 { 0 } else { self.heights[child as usize] }
    }

    /// The height of a node from those of its children.
    fn computed_height(&self, node: usize) -> u32 {
        let inside = &self.tree.nodes[node];
        let children = inside.used_children().iter();
        1 + children.map(|&child| self.height_of(child)).max().unwrap_or(0)
    }

    /// Updates the heights of a node and its ancestors after a change below.
    fn update_heights(&mut self, node: usize) {
        let mut up = Some(node);
        while let Some(at) = up {
            self.heights[at] = self.computed_height(at);
            up = self.parent_of(at);
        }
    }

    /// The box around a node.
    fn around(&self, node: usize) -> Aabb {
        around(&self.tree.nodes[node])
    }

    /// Puts a child of any kind in a slot.
    fn set_child(&mut self, node: usize, lane: usize, child: u32, aabb: &Aabb) {
        self.tree.nodes[node].child[lane] = child;
        self.tree.nodes[node].volumes.set(lane, aabb);
        let index = (node * 8 + lane) as u32;
        if child & LEAF != 0 {
            self.slots[(child & !LEAF) as usize] = index;
        } else {
            self.tree.nodes[child as usize].parent = index;
        }
    }

    /// Creates an empty node with a larger number than `parent`.
    fn new_node(&mut self, parent: usize) -> usize {
        if self.holes.peek().is_some_and(|&hole| parent < hole as usize)
            && let Some(hole) = self.holes.pop()
        {
            self.tree.nodes[hole as usize] = Node8::EMPTY;
            self.counts[hole as usize] = 0;
            self.heights[hole as usize] = 0;
            return hole as usize;
        }
        self.tree.nodes.push(Node8::EMPTY);
        self.counts.push(0);
        self.heights.push(0);
        self.tree.nodes.len() - 1
    }

    fn free_node(&mut self, node: usize) {
        self.tree.nodes[node] = Node8 { parent: HOLE, ..Node8::EMPTY };
        self.counts[node] = 0;
        self.holes.push(node as u32);
    }

    /// Inserts a part with a box into the tree.
    fn attach(&mut self, number: u32) {
        let aabb = self.boxes[number as usize];
        let leaf = self.tree.primitives.len() as u32;
        self.tree.primitives.push(number);
        if self.tree.leaf_starts.is_empty() {
            self.tree.leaf_starts.push(0);
        }
        self.tree.leaf_starts.push(leaf + 1);
        self.leaf_of[number as usize] = leaf;
        self.slots.push(0);
        if self.tree.nodes.is_empty() {
            self.new_node(0);
        }
        let (mut node, mut depth) = (0, 0);
        loop {
            self.counts[node] += 1;
            depth += 1;
            let len = self.tree.nodes[node].len as usize;
            if len < 8 {
                self.tree.nodes[node].len += 1;
                self.set_child(node, len, LEAF | leaf, &aabb);
                break;
            }
            let lane = self.least_growth(node, &aabb);
            let child = self.tree.nodes[node].child[lane];
            if child & LEAF == 0 {
                node = child as usize;
                continue;
            }
            let old = self.tree.nodes[node].volumes.get(lane);
            let new = self.new_node(node);
            // With the old box, so that the refit of the ancestors sees the growth.
            self.set_child(node, lane, new as u32, &old);
            self.tree.nodes[new].len = 2;
            self.counts[new] = 2;
            self.set_child(new, 0, child, &old);
            self.set_child(new, 1, LEAF | leaf, &aabb);
            node = new;
            depth += 1;
            break;
        }
        self.refit_up(node);
        let lowest = node;
        self.heights[lowest] = self.computed_height(lowest);
        while let Some(above) = self.parent_of(node) {
            self.rotate(above, node);
            self.heights[node] = self.computed_height(node);
            self.heights[above] = self.computed_height(above);
            node = above;
        }
        if depth > longest(self.len() as u32) {
            self.rebuild_too_deep(lowest);
        }
    }

    /// The parent, or `None` for the root.
    fn parent_of(&self, node: usize) -> Option<usize> {
        (node != 0).then(|| self.tree.nodes[node].parent as usize / 8)
    }

    /// The lane of a full node that grows least by the box.
    fn least_growth(&self, node: usize, aabb: &Aabb) -> usize {
        let full = &self.tree.nodes[node];
        let own = area(aabb);
        let mut best = (f64::INFINITY, u32::MAX, 0);
        for lane in 0..8 {
            let (volume, child) = (full.volumes.get(lane), full.child[lane]);
            let both = area(&volume.merged(aabb));
            let cost = if child & LEAF != 0 {
                both
            } else if self.tree.nodes[child as usize].len < 8 {
                both - area(&volume)
            } else {
                // The descent from a full node may end in a new node, with a box at least as large
                // as this one.
                both - area(&volume) + own
            };
            // Ties go to the child with the fewest parts, so equal boxes make a balanced tree.
            let count = self.count_of(child);
            if cost < best.0 || (cost == best.0 && count < best.1) {
                best = (cost, count, lane);
            }
        }
        best.2
    }

    /// Makes the boxes tight from a node to the root.
    fn refit_up(&mut self, mut node: usize) {
        loop {
            let all = self.around(node);
            let Some(above) = self.parent_of(node) else {
                self.tree.bounds = all;
                return;
            };
            let lane = self.tree.nodes[node].parent as usize % 8;
            if self.tree.nodes[above].volumes.get(lane) == all {
                return;
            }
            self.tree.nodes[above].volumes.set(lane, &all);
            node = above;
        }
    }

    /// Shrinks the box of `inner`, a child of `node`. First moves children of `inner` up while
    /// `node` has room. Then exchanges one child of `inner` with another child of `node`. Each
    /// move is made only if the box becomes smaller.
    fn rotate(&mut self, node: usize, inner: usize) {
        let inner_lane = self.tree.nodes[inner].parent as usize % 8;
        while self.tree.nodes[node].len < 8 && 2 < self.tree.nodes[inner].len {
            let from = &self.tree.nodes[inner];
            let mut best = (area(&around(from)), 8);
            for lane in 0..from.len as usize {
                let rest = area(&without(from, lane));
                if rest < best.0 {
                    best = (rest, lane);
                }
            }
            if best.1 == 8 {
                break;
            }
            let (child, aabb) = (from.child[best.1], from.volumes.get(best.1));
            self.remove_lane(inner, best.1);
            self.counts[inner] -= self.count_of(child);
            let len = self.tree.nodes[node].len as usize;
            self.tree.nodes[node].len += 1;
            self.set_child(node, len, child, &aabb);
            let smaller = self.around(inner);
            self.tree.nodes[node].volumes.set(inner_lane, &smaller);
        }
        let height = self.computed_height(inner);
        let (outer, from) = (&self.tree.nodes[node], &self.tree.nodes[inner]);
        let mut best = (area(&around(from)), 8, 8);
        for lane in 0..from.len as usize {
            let rest = without(from, lane);
            if best.0 <= area(&rest) {
                continue;
            }
            for other in 0..outer.len as usize {
                // Parents stay before children, and no part becomes deeper than before. Otherwise
                // nested boxes would push each other down without end.
                let child = outer.child[other];
                let too_high = height <= self.height_of(child);
                if other == inner_lane || too_high || (child & LEAF == 0 && child as usize <= inner) {
                    continue;
                }
                let new = area(&rest.merged(&outer.volumes.get(other)));
                if new < best.0 {
                    best = (new, lane, other);
                }
            }
        }
        let (_, lane, other) = best;
        if lane == 8 {
            return;
        }
        let (down, down_box) = (outer.child[other], outer.volumes.get(other));
        let (up, up_box) = (from.child[lane], from.volumes.get(lane));
        self.set_child(node, other, up, &up_box);
        self.set_child(inner, lane, down, &down_box);
        self.counts[inner] = self.counts[inner] + self.count_of(down) - self.count_of(up);
        let smaller = self.around(inner);
        self.tree.nodes[node].volumes.set(inner_lane, &smaller);
    }

    /// Removes a lane from a node; the last lane fills the gap.
    fn remove_lane(&mut self, node: usize, lane: usize) {
        let last = self.tree.nodes[node].len as usize - 1;
        let (child, aabb) = (self.tree.nodes[node].child[last], self.tree.nodes[node].volumes.get(last));
        if lane != last {
            self.set_child(node, lane, child, &aabb);
        }
        self.tree.nodes[node].volumes.set(last, &Aabb::EMPTY);
        self.tree.nodes[node].child[last] = LEAF;
        self.tree.nodes[node].len -= 1;
    }

    /// Removes a part from the tree.
    fn detach(&mut self, number: u32) {
        let leaf = self.leaf_of[number as usize];
        let (mut node, lane) = self.slot_of_leaf(leaf);
        self.remove_lane(node, lane);
        // The last leaf fills the gap in the list.
        let last = self.tree.primitives.len() - 1;
        self.tree.primitives.swap_remove(leaf as usize);
        self.tree.leaf_starts.pop();
        let index = self.slots[last];
        self.slots.swap_remove(leaf as usize);
        if leaf as usize != last {
            self.tree.nodes[index as usize / 8].child[index as usize % 8] = LEAF | leaf;
            self.leaf_of[self.tree.primitives[leaf as usize] as usize] = leaf;
        }
        let mut up = Some(node);
        while let Some(at) = up {
            self.counts[at] -= 1;
            up = self.parent_of(at);
        }
        if self.tree.primitives.is_empty() {
            self.clear();
            return;
        }
        if self.tree.nodes[node].len == 1
            && let Some(above) = self.parent_of(node)
        {
            // The only child takes the slot of the node.
            let lane = self.tree.nodes[node].parent as usize % 8;
            let (child, aabb) = (self.tree.nodes[node].child[0], self.tree.nodes[node].volumes.get(0));
            self.set_child(above, lane, child, &aabb);
            self.free_node(node);
            node = above;
        }
        let root = &self.tree.nodes[0];
        if root.len == 1 && root.child[0] & LEAF == 0 {
            let child = root.child[0] as usize;
            let content = self.tree.nodes[child];
            self.tree.nodes[0].len = content.len;
            for lane in 0..8 {
                let aabb = content.volumes.get(lane);
                if lane < content.len as usize {
                    self.set_child(0, lane, content.child[lane], &aabb);
                } else {
                    self.tree.nodes[0].volumes.set(lane, &aabb);
                }
            }
            self.free_node(child);
            node = 0;
        }
        self.refit_up(node);
        self.update_heights(node);
    }

    fn clear(&mut self) {
        self.tree = Bvh::empty();
        self.slots.clear();
        self.counts.clear();
        self.heights.clear();
        self.holes.clear();
    }

    /// Rebuilds the lowest subtree above a node that is too deep for its parts.
    fn rebuild_too_deep(&mut self, lowest: usize) {
        let (mut node, mut height) = (lowest, 1);
        while height <= longest(self.counts[node]) {
            let Some(above) = self.parent_of(node) else { return };
            node = above;
            height += 1;
        }
        let mut leaves = Vec::new();
        let mut stack = alloc::vec![node];
        while let Some(at) = stack.pop() {
            let inside = self.tree.nodes[at];
            for &child in inside.used_children() {
                if child & LEAF != 0 {
                    leaves.push(child & !LEAF);
                } else {
                    stack.push(child as usize);
                }
            }
            if at != node {
                self.free_node(at);
            }
        }
        let number_of = |leaf: u32| self.tree.primitives[leaf as usize] as usize;
        let boxes: Vec<Aabb> = leaves.iter().map(|&leaf| self.boxes[number_of(leaf)]).collect();
        // By the median, so the depth is known.
        let settings = BuildSettings::default().with_method(BuildMethod::Median).with_max_leaf(1);
        let mut part = Bvh::<Aabb>::empty();
        // The boxes have been checked, so nothing is refused.
        let _ = self.builder.rebuild(&mut part, &boxes, &settings);
        let mut numbers = alloc::vec![node; part.nodes.len()];
        for (i, inside) in part.nodes.iter().enumerate() {
            if i != 0 {
                numbers[i] = self.new_node(numbers[inside.parent as usize / 8]);
            }
            let number = numbers[i];
            self.counts[number] = 0;
            self.tree.nodes[number].len = inside.len;
            self.tree.nodes[number].volumes = inside.volumes;
            if i != 0 {
                let index = inside.parent as usize;
                let aabb = part.nodes[index / 8].volumes.get(index % 8);
                self.set_child(numbers[index / 8], index % 8, number as u32, &aabb);
            }
            for lane in 0..inside.len as usize {
                let child = inside.child[lane];
                if child & LEAF != 0 {
                    let leaf = leaves[part.primitives[(child & !LEAF) as usize] as usize];
                    self.set_child(number, lane, LEAF | leaf, &inside.volumes.get(lane));
                }
            }
        }
        for i in (0..numbers.len()).rev() {
            let at = numbers[i];
            let inside = &self.tree.nodes[at];
            self.counts[at] = (0..inside.len as usize).map(|lane| self.count_of(inside.child[lane])).sum();
            self.heights[at] = self.computed_height(at);
        }
        self.update_heights(node);
    }

    /// Counts an edit, and rebuilds the tree if that pays.
    fn after_edit(&mut self) {
        self.edits += 1;
        if self.edits < self.edits_of_build {
            // More than half of the nodes are unused.
            if self.tree.nodes.len() < 2 * self.holes.len() {
                self.rebuild();
            }
            return;
        }
        let too_long = PATIENCE * self.len() <= self.edits;
        if too_long || GROWTH * self.cost_of_build < self.cost() {
            self.rebuild();
        } else {
            self.edits_of_build = self.edits + self.len() / 2;
        }
    }

    /// Records the cost and restarts the count of edits.
    fn reset_cost(&mut self) {
        self.edits = 0;
        self.edits_of_build = 64.max(self.len() / 2);
        self.cost_of_build = self.cost();
    }

    /// The sum of the areas of all nodes, per part.
    fn cost(&self) -> f64 {
        let sum: f64 = self.tree.nodes.iter().map(|node| area(&around(node))).sum();
        sum / self.len().max(1) as f64
    }

    /// Builds the whole tree from the boxes of all parts.
    fn build_from_boxes(&mut self, settings: BuildSettings) -> Result<(), BvhError> {
        let parts: Vec<u32> =
            (0..self.boxes.len() as u32).filter(|&number| self.part(number).is_some()).collect();
        let boxes: Vec<Aabb> = parts.iter().map(|&number| self.boxes[number as usize]).collect();
        self.clear();
        self.builder.rebuild(&mut self.tree, &boxes, &settings.with_max_leaf(1))?;
        self.counts.resize(self.tree.nodes.len(), 0);
        self.heights.resize(self.tree.nodes.len(), 0);
        self.slots.resize(boxes.len(), 0);
        for (leaf, primitive) in self.tree.primitives.iter_mut().enumerate() {
            *primitive = parts[*primitive as usize];
            self.leaf_of[*primitive as usize] = leaf as u32;
        }
        for (i, node) in self.tree.nodes.iter().enumerate().rev() {
            for lane in 0..node.len as usize {
                let child = node.child[lane];
                if child & LEAF != 0 {
                    self.slots[(child & !LEAF) as usize] = (i * 8 + lane) as u32;
                    self.counts[i] += 1;
                } else {
                    self.counts[i] += self.counts[child as usize];
                }
            }
            let below = node.used_children().iter().filter(|&&child| child & LEAF == 0);
            self.heights[i] = 1 + below.map(|&child| self.heights[child as usize]).max().unwrap_or(0);
        }
        Ok(())
    }
}

/// The maximum path length to one of `count` parts, in nodes.
fn longest(count: u32) -> u32 {
    ROOM + count.max(1).ilog2()
}

/// The box around a node.
fn around(node: &Node8<Aabb8>) -> Aabb {
    (0..node.len as usize & 15).fold(Aabb::EMPTY, |all, lane| all.merged(&node.volumes.get(lane)))
}

/// The box around all lanes but one.
fn without(node: &Node8<Aabb8>, out: usize) -> Aabb {
    let lanes = (0..node.len as usize & 15).filter(|&lane| lane != out);
    lanes.fold(Aabb::EMPTY, |all, lane| all.merged(&node.volumes.get(lane)))
}

/// Half the area of a box; 0 for the empty one.
fn area(aabb: &Aabb) -> f64 {
    // In f64, so that areas neither overflow nor underflow.
    let e = (aabb.max.as_dvec3() - aabb.min.as_dvec3()).max(glam::DVec3::ZERO);
    e.x * e.y + e.y * e.z + e.z * e.x
}
