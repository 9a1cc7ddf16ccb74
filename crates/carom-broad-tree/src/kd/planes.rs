//! The planes, and the node of each box.
//!
//! Counts decide whether a plane pays: l boxes on its left, r on its right and m across it. With
//! all n boxes in one list there are n (n - 1) / 2 tests. With the plane there are the tests among
//! the m, among the l, among the r, and of the m with the others. The cost is this number on a
//! scale on which two halves are 0 and all tests are 1. The balance is min(l, r) / (m + max(l,
//! r)). A plane is good if its cost is at most its balance.
//!
//! Reference: Y. Serpa, M. Rodrigues, Flexible Use of Temporal and Spatial Reasoning ..., 2019
//! (mean and axis of greatest variance; cost and balance; lifting, splitting, trimming and
//! translating).
//! Differs: see `kd.rs`.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use carom_bounds::{Aabb, BoundingVolume};
use glam::Vec3;

/// No node.
pub(crate) const NONE: u32 = u32::MAX;

/// A leaf with more boxes gets a plane, if there is a good one. Below this, one sweep costs less
/// than the lists of two leaves.
const MAX_LEAF_BOXES: usize = 96;

/// A plane with fewer boxes below it is removed.
const MIN_SUBTREE_BOXES: usize = MAX_LEAF_BOXES / 2;

/// The maximal depth of a plane.
pub(crate) const MAX_DEPTH: u32 = 48;

/// A plane is kept while its cost exceeds its balance by at most this.
const MAX_COST_OVER_BALANCE: f64 = 0.15;

/// Boxes sampled to place a plane.
const SAMPLES: usize = 256;

/// A leaf, or a plane with its children.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) parent: u32,
    pub(crate) depth: u32,
    /// Left and right of the plane; [`NONE`] for a leaf.
    pub(crate) children: [u32; 2],
    pub(crate) axis: usize,
    pub(crate) at: f32,
    /// Contains every box at or below the node strictly; infinite on sides without a plane.
    region: Aabb,
    /// The begin of its own boxes in the order, their number, and the number including those below
    /// it, which follow.
    pub(crate) begin: u32,
    pub(crate) n: u32,
    pub(crate) population: u32,
    /// The axis along which its own boxes are sorted, and their number when it was chosen.
    pub(crate) sort_axis: usize,
    pub(crate) n_when_chosen: u32,
    /// Its blocks: those of moving boxes, then those of static ones.
    pub(crate) first_block: u32,
    pub(crate) n_moving_blocks: u32,
    pub(crate) n_static_blocks: u32,
    /// Whether a moving box is at it or below it.
    pub(crate) has_moving: bool,
    /// The bounds of all boxes at it and below it.
    pub(crate) filled: Aabb,
}

/// The region without bounds.
const EVERYWHERE: Aabb = Aabb { min: Vec3::NEG_INFINITY, max: Vec3::INFINITY };

impl Node {
    fn leaf(parent: u32, depth: u32, region: Aabb) -> Node {
        Node {
            parent,
            depth,
            children: [NONE; 2],
            axis: 0,
            at: 0.0,
            region,
            begin: 0,
            n: 0,
            population: 0,
            sort_axis: 0,
            n_when_chosen: NONE,
            first_block: 0,
            n_moving_blocks: 0,
            n_static_blocks: 0,
            has_moving: false,
            filled: Aabb::EMPTY,
        }
    }

    pub(crate) fn is_leaf(&self) -> bool {
        self.children[0] == NONE
    }

    /// Whether the region contains the box strictly.
    #[inline]
    fn holds(&self, aabb: &Aabb) -> bool {
        (self.region.min.cmplt(aabb.min) & aabb.max.cmplt(self.region.max)).all()
    }

    /// Returns the side of the plane on which the box lies; `None` if the box touches the plane.
    #[inline]
    fn side(&self, aabb: &Aabb) -> Option<usize> {
        if aabb.max[self.axis] < self.at {
            Some(0)
        } else if self.at < aabb.min[self.axis] {
            Some(1)
        } else {
            None
        }
    }

    /// Returns the regions left and right of the plane.
    fn halves(&self) -> [Aabb; 2] {
        let mut halves = [self.region; 2];
        halves[0].max[self.axis] = self.at;
        halves[1].min[self.axis] = self.at;
        halves
    }
}

/// The counts of a split by a plane.
#[derive(Clone, Copy, Debug)]
struct SplitCounts {
    across: usize,
    left: usize,
    right: usize,
}

impl SplitCounts {
    /// Returns by how much its cost exceeds its balance.
    fn loss(self) -> f64 {
        let pairs = |n: f64| 0.5 * n * (n - 1.0);
        let [m, l, r] = [self.across, self.left, self.right].map(|n| n as f64);
        let n = m + l + r;
        let (least, most) = (2.0 * pairs(0.5 * n), pairs(n));
        let cost = (pairs(m) + pairs(l) + pairs(r) + m * (l + r) - least) / (most - least);
        let balance = l.min(r) / (m + l.max(r));
        cost - balance
    }
}

/// The planes and the nodes of boxes.
///
/// Memory: 13 bytes per slot, and some 5 for the nodes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Planes {
    /// The first is the root; nodes that are not in `sequence` are free.
    pub(crate) nodes: Vec<Node>,
    free: Vec<u32>,
    /// The nodes in use in preorder: each before those left of its plane, then those right of it.
    pub(crate) sequence: Vec<u32>,
    /// All slots, by node in the order of `sequence`.
    pub(crate) order: Vec<u32>,
    /// By slot: its node; [`NONE`] for a slot that is not in the order.
    node_of_slot: Vec<u32>,
    is_listed: Vec<bool>,
    scratch: Vec<u32>,
    stack: Vec<u32>,
    pub(crate) n_relocated: u64,
    pub(crate) n_reworked: u64,
}

impl Planes {
    /// Updates planes and nodes for the boxes of these slots.
    pub(crate) fn update(&mut self, boxes: &[Aabb], slots: &[u32], has_new_members: bool) {
        if self.nodes.is_empty() {
            self.nodes.push(Node::leaf(NONE, 0, EVERYWHERE));
            self.sequence.push(0);
        }
        if has_new_members {
            self.take_members(slots, boxes.len());
        }
        self.relocate(boxes);
        self.sort_by_node();
        let before = self.n_reworked;
        self.improve(boxes);
        if before != self.n_reworked {
            self.list_nodes();
        }
    }

    /// Makes the order hold these slots; new slots come last.
    fn take_members(&mut self, slots: &[u32], n_slots: usize) {
        let Planes { order, node_of_slot: home, is_listed, .. } = self;
        home.resize(n_slots, NONE);
        is_listed.clear();
        is_listed.resize(n_slots, false);
        slots.iter().for_each(|&slot| is_listed[slot as usize] = true);
        order.retain(|&slot| {
            let stays = core::mem::replace(&mut is_listed[slot as usize], false);
            if !stays {
                home[slot as usize] = NONE;
            }
            stays
        });
        order.extend(slots.iter().copied().filter(|&slot| is_listed[slot as usize]));
    }

    /// Finds the node of every box that has left its node.
    fn relocate(&mut self, boxes: &[Aabb]) {
        let Planes { nodes, order, node_of_slot: home, n_relocated, .. } = self;
        for &slot in order.iter() {
            let aabb = &boxes[slot as usize];
            let mut number = home[slot as usize];
            if number == NONE {
                number = 0;
            } else {
                let node = &nodes[number as usize];
                if node.holds(aabb) && (node.is_leaf() || node.side(aabb).is_none()) {
                    continue;
                }
            }
            while !nodes[number as usize].holds(aabb) {
                number = nodes[number as usize].parent;
            }
            loop {
                let node = &nodes[number as usize];
                match node.side(aabb) {
                    Some(side) if !node.is_leaf() => number = node.children[side],
                    _ => break,
                }
            }
            home[slot as usize] = number;
            *n_relocated += 1;
        }
    }

    /// Sorts the order by node, with a stable counting sort.
    fn sort_by_node(&mut self) {
        let Planes { nodes, sequence, order, node_of_slot: home, scratch, .. } = self;
        for &number in sequence.iter() {
            (nodes[number as usize].n, nodes[number as usize].population) = (0, 0);
        }
        order.iter().for_each(|&slot| nodes[home[slot as usize] as usize].n += 1);
        for &number in sequence.iter().rev() {
            let node = &mut nodes[number as usize];
            node.population += node.n;
            let (population, parent) = (node.population, node.parent);
            if let Some(parent) = nodes.get_mut(parent as usize) {
                parent.population += population;
            }
        }
        let mut sum = 0;
        for &number in sequence.iter() {
            let node = &mut nodes[number as usize];
            node.begin = sum;
            sum += node.n;
        }
        scratch.clear();
        scratch.resize(order.len(), 0);
        // The begins advance, and are reset afterwards.
        for &slot in order.iter() {
            let entry = &mut nodes[home[slot as usize] as usize].begin;
            scratch[*entry as usize] = slot;
            *entry += 1;
        }
        for &number in sequence.iter() {
            let node = &mut nodes[number as usize];
            node.begin -= node.n;
        }
        core::mem::swap(order, scratch);
    }

    /// Gives full leaves a plane, moves bad planes, and removes planes that are no longer needed.
    fn improve(&mut self, boxes: &[Aabb]) {
        let mut order = core::mem::take(&mut self.order);
        let mut stack = core::mem::take(&mut self.stack);
        stack.push(0);
        while let Some(number) = stack.pop() {
            let node = self.nodes[number as usize];
            let needs_work = if node.is_leaf() {
                MAX_LEAF_BOXES < node.n as usize
            } else {
                let [left, right] = node.children.map(|child| self.nodes[child as usize].population as usize);
                let parted = SplitCounts { across: node.n as usize, left, right };
                (node.population as usize) < MIN_SUBTREE_BOXES || MAX_COST_OVER_BALANCE < parted.loss()
            };
            if needs_work {
                let begin = node.begin as usize;
                let items = &mut order[begin..begin + node.population as usize];
                self.distribute(number, node.begin, items, boxes);
            } else if !node.is_leaf() {
                stack.extend(node.children);
            }
        }
        (self.order, self.stack) = (order, stack);
    }

    /// Distributes these boxes, which begin at this position of the order, to the node and its
    /// descendants. Existing planes are used while they are good.
    fn distribute(&mut self, number: u32, begin: u32, items: &mut [u32], boxes: &[Aabb]) {
        let node = self.nodes[number as usize];
        let mut parted = None;
        if !node.is_leaf() {
            if MIN_SUBTREE_BOXES <= items.len() {
                let kept = self.partition(items, boxes, node.axis, node.at);
                if kept.loss() <= MAX_COST_OVER_BALANCE {
                    parted = Some(kept);
                } else {
                    let at = Sample::new(items, boxes).mean(node.axis);
                    let moved = self.partition(items, boxes, node.axis, at);
                    if moved.loss() <= 0.0 {
                        self.nodes[number as usize].at = at;
                        self.n_reworked += 1;
                        parted = Some(moved);
                    }
                }
            }
            if parted.is_none() {
                self.make_leaf(number);
            }
        }
        if parted.is_none() && MAX_LEAF_BOXES < items.len() && node.depth < MAX_DEPTH {
            parted = self.split(number, items, boxes);
        }
        let n = parted.map_or(items.len(), |parted| parted.across);
        let node = &mut self.nodes[number as usize];
        (node.begin, node.n, node.population) = (begin, n as u32, items.len() as u32);
        let (own, under) = items.split_at_mut(n);
        own.iter().for_each(|&slot| self.node_of_slot[slot as usize] = number);
        let Some(parted) = parted else { return };
        let halves = self.nodes[number as usize].halves();
        let children = self.nodes[number as usize].children;
        for (child, region) in children.into_iter().zip(halves) {
            self.nodes[child as usize].region = region;
        }
        let (left, right) = under.split_at_mut(parted.left);
        let begin = begin + n as u32;
        self.distribute(children[0], begin, left, boxes);
        self.distribute(children[1], begin + parted.left as u32, right, boxes);
    }

    /// Partitions boxes by the plane: first those that touch it, then those left of it, then those
    /// right of it.
    fn partition(&mut self, items: &mut [u32], boxes: &[Aabb], axis: usize, at: f32) -> SplitCounts {
        let n = items.len();
        if self.scratch.len() < 2 * n {
            self.scratch.resize(2 * n, 0);
        }
        let (left, right) = self.scratch.split_at_mut(n);
        let (mut n_across, mut n_left, mut n_right) = (0, 0, 0);
        // Branchless: each is written to all three outputs, and advances one.
        for i in 0..n {
            let slot = items[i];
            let aabb = &boxes[slot as usize];
            let (is_left, is_right) = (aabb.max[axis] < at, at < aabb.min[axis]);
            items[n_across] = slot;
            left[n_left] = slot;
            right[n_right] = slot;
            n_across += usize::from(!(is_left | is_right));
            n_left += usize::from(is_left);
            n_right += usize::from(is_right);
        }
        items[n_across..n_across + n_left].copy_from_slice(&left[..n_left]);
        items[n_across + n_left..].copy_from_slice(&right[..n_right]);
        SplitCounts { across: n_across, left: n_left, right: n_right }
    }

    /// Gives a leaf the first good plane. Planes through the mean are tried first, then planes
    /// through the median; each from the axis of greatest variance on.
    fn split(&mut self, number: u32, items: &mut [u32], boxes: &[Aabb]) -> Option<SplitCounts> {
        let mut sample = Sample::new(items, boxes);
        let axes = sample.axes();
        for is_median in [false, true] {
            for axis in axes {
                let at = if is_median { sample.median(axis) } else { sample.mean(axis) };
                let parted = self.partition(items, boxes, axis, at);
                if 0.0 < parted.loss() {
                    continue;
                }
                let depth = self.nodes[number as usize].depth + 1;
                let children = [0, 1].map(|_| {
                    let child = Node::leaf(number, depth, EVERYWHERE);
                    match self.free.pop() {
                        Some(free) => {
                            self.nodes[free as usize] = child;
                            free
                        }
                        None => {
                            self.nodes.push(child);
                            self.nodes.len() as u32 - 1
                        }
                    }
                });
                let node = &mut self.nodes[number as usize];
                (node.axis, node.at, node.children) = (axis, at, children);
                node.n_when_chosen = NONE;
                self.n_reworked += 1;
                return Some(parted);
            }
        }
        None
    }

    /// Turns the node into a leaf.
    fn make_leaf(&mut self, number: u32) {
        let node = &mut self.nodes[number as usize];
        node.n_when_chosen = NONE;
        let first = self.free.len();
        self.free.extend(core::mem::replace(&mut node.children, [NONE; 2]));
        let mut next = first;
        while let Some(&number) = self.free.get(next) {
            let children = self.nodes[number as usize].children;
            self.free.extend(children.into_iter().filter(|&child| child != NONE));
            next += 1;
        }
        self.n_reworked += 1;
    }

    /// Rebuilds the sequence.
    fn list_nodes(&mut self) {
        let Planes { nodes, sequence, stack, .. } = self;
        sequence.clear();
        stack.push(0);
        while let Some(number) = stack.pop() {
            sequence.push(number);
            let node = &nodes[number as usize];
            if !node.is_leaf() {
                stack.extend([node.children[1], node.children[0]]);
            }
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        let Planes { nodes, free, sequence, order, node_of_slot: home, is_listed, scratch, stack, .. } = self;
        nodes.capacity() * size_of::<Node>()
            + 4 * [free, sequence, order, home, scratch, stack].map(Vec::capacity).iter().sum::<usize>()
            + is_listed.capacity()
    }

    /// Checks the node of every box, and every number of a node.
    pub(crate) fn validate(&self, boxes: &[Aabb]) -> Result<(), String> {
        let mut next = 0;
        for &number in &self.sequence {
            let node = &self.nodes[number as usize];
            if node.begin != next {
                return Err(format!("node {number} begins at {}, not at {next}", node.begin));
            }
            next += node.n;
            let mut population = node.n;
            if !node.is_leaf() {
                for (child, half) in node.children.into_iter().zip(node.halves()) {
                    let child = &self.nodes[child as usize];
                    population += child.population;
                    if child.region != half || child.parent != number || child.depth != node.depth + 1 {
                        return Err(format!("a child of node {number} is not its half"));
                    }
                }
            }
            if population != node.population {
                return Err(format!("{population} boxes under node {number}, counted {}", node.population));
            }
            for &slot in &self.order[node.begin as usize..next as usize] {
                let aabb = &boxes[slot as usize];
                let belongs = node.holds(aabb) && (node.is_leaf() || node.side(aabb).is_none());
                if !belongs || self.node_of_slot[slot as usize] != number {
                    return Err(format!("slot {slot} does not belong to node {number}"));
                }
            }
        }
        if next as usize == self.order.len() && self.sequence.len() + self.free.len() == self.nodes.len() {
            return Ok(());
        }
        Err(format!("{next} boxes at nodes, {} in the order", self.order.len()))
    }
}

/// Centres of a sample of the boxes, doubled, by axis.
struct Sample {
    values: [[f64; SAMPLES]; 3],
    n: usize,
}

impl Sample {
    fn new(items: &[u32], boxes: &[Aabb]) -> Sample {
        let step = items.len().div_ceil(SAMPLES).max(1);
        let mut sample = Sample { values: [[0.0; SAMPLES]; 3], n: items.len().div_ceil(step) };
        for (axis, values) in sample.values.iter_mut().enumerate() {
            for (value, &slot) in values.iter_mut().zip(items.iter().step_by(step)) {
                let aabb = &boxes[slot as usize];
                *value = f64::from(aabb.min[axis]) + f64::from(aabb.max[axis]);
            }
        }
        sample
    }

    fn of_axis(&self, axis: usize) -> &[f64] {
        &self.values[axis][..self.n]
    }

    fn mean_of(values: &[f64]) -> f64 {
        values.iter().sum::<f64>() / values.len().max(1) as f64
    }

    fn mean(&self, axis: usize) -> f32 {
        (0.5 * Sample::mean_of(self.of_axis(axis))) as f32
    }

    fn median(&mut self, axis: usize) -> f32 {
        let values = &mut self.values[axis][..self.n];
        let middle = values.len() / 2;
        if values.is_empty() {
            return 0.0;
        }
        (0.5 * *values.select_nth_unstable_by(middle, f64::total_cmp).1) as f32
    }

    /// Returns the axes, that of greatest variance first.
    fn axes(&self) -> [usize; 3] {
        let variance = [0, 1, 2].map(|axis| {
            let values = self.of_axis(axis);
            let mean = Sample::mean_of(values);
            values.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>()
        });
        let mut axes = [0, 1, 2];
        axes.sort_by(|&a, &b| variance[b].total_cmp(&variance[a]));
        axes
    }
}

/// Returns the axis along which the centres of a sample vary most.
pub(crate) fn widest_axis(items: &[u32], boxes: &[Aabb]) -> usize {
    Sample::new(items, boxes).axes()[0]
}
