//! Batch updates: primitives are added, removed and renumbered in one linear copy of the tree.
//!
//! - A primitive with an origin goes into the leaf of that origin. A new one descends to a leaf by
//!   the least growth. So each leaf gets a list, which may be empty or too long.
//! - The copy omits empty subtrees and nodes with one child. A node that has lost primitives
//!   becomes a leaf if the others fit into one. A list that is too long becomes a subtree.
//! - The copy is in depth-first order, as builders write it. Its volumes come from a refit.
//! - If at least half of the primitives are new, the whole tree is rebuilt.
//!
//! Reference: A. Guttman, R-Trees, 1984 (least growth); S. Yoon, S. Curtis, D. Manocha, Ray
//! Tracing Dynamic Scenes using Selective Restructuring, 2007.
//! Differs: a batch of edits in one copy, not one by one.

use crate::build::{BuildSettings, Builder};
use crate::refit::refit_checked;
use crate::splice::{NEW, append};
use crate::tree::{Bvh, BvhError, LEAF, Node8, check_boxes};
use alloc::vec;
use alloc::vec::Vec;
use carom_bounds::{Aabb, BoundingVolume};

/// The origin of a new primitive.
pub const ADDED: u32 = u32::MAX;

/// The result of [`Bvh::renumber`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Renumbered {
    /// Whether the whole tree was rebuilt, because at least half of the primitives were new.
    pub rebuilt: bool,
    /// The number of primitives in rebuilt parts; all of them if the whole tree was rebuilt.
    pub renewed: usize,
}

impl Bvh<Aabb> {
    /// Changes the set of primitives. `boxes` has the bounds of the new set, and `origins` their
    /// old numbers, or [`ADDED`]. A number that is not in the tree counts as `ADDED`. Old
    /// primitives that no origin names are removed. Several primitives may share an origin: they
    /// begin in its leaf. The settings are for rebuilt parts. Takes time in proportion to the
    /// number of primitives, and allocates. On an error the tree stays as it was.
    pub fn renumber(
        &mut self,
        boxes: &[Aabb],
        origins: &[u32],
        settings: &BuildSettings,
    ) -> Result<Renumbered, BvhError> {
        check_origins(boxes, origins)?;
        let (mut builder, mut copy) = (Builder::default(), Bvh::empty());
        let renewed =
            restructure(self, (boxes, origins), (&mut builder, settings), &mut copy, &mut Vec::new())?;
        let Some(renewed) = renewed else {
            builder.rebuild(self, boxes, settings)?;
            return Ok(Renumbered { rebuilt: true, renewed: boxes.len() });
        };
        *self = copy;
        refit_checked(self, boxes);
        Ok(Renumbered { rebuilt: false, renewed })
    }
}

/// Checks that each box has an origin, and that the boxes are allowed in a tree.
pub(crate) fn check_origins(boxes: &[Aabb], origins: &[u32]) -> Result<(), BvhError> {
    if boxes.len() != origins.len() {
        return Err(BvhError::WrongCount { expected: boxes.len(), given: origins.len() });
    }
    if 1 << 28 <= boxes.len() {
        return Err(BvhError::TooMany);
    }
    check_boxes(boxes)
}

/// Copies `tree` into `out` with other primitives; the volumes are still empty. Returns the number
/// of primitives in rebuilt parts. For each node of the copy, `from` gets the number of its old
/// node, or [`NEW`]. If at least half of the primitives are new, nothing is copied and `None` is
/// returned.
pub(crate) fn restructure(
    tree: &Bvh<Aabb>,
    (boxes, origins): (&[Aabb], &[u32]),
    (builder, settings): (&mut Builder, &BuildSettings),
    out: &mut Bvh<Aabb>,
    from: &mut Vec<u32>,
) -> Result<Option<usize>, BvhError> {
    let Some(homes) = Homes::find(tree, boxes, origins) else { return Ok(None) };
    let max_leaf = settings.max_leaf.clamp(1, 16);
    out.nodes.clear();
    out.leaf_starts.clear();
    out.primitives.clear();
    out.leaf_starts.push(0);
    from.clear();
    let (mut part, mut own, mut renewed) = (Bvh::empty(), Vec::new(), 0);
    // The root is a node, even if all primitives are in one leaf.
    let root = homes.resolved(tree, 0).filter(|child| child & LEAF == 0).unwrap_or(0);
    let mut stack = vec![(root, 0_u32)];
    while let Some((child, index)) = stack.pop() {
        let number = out.nodes.len() as u32;
        if let Some(parent) = out.nodes.get_mut(index as usize / 8) {
            parent.child[index as usize % 8] = number;
        }
        if child & LEAF != 0 {
            let members = homes.members(child & !LEAF);
            own.clear();
            own.extend(members.iter().map(|&i| boxes[i as usize]));
            builder.rebuild(&mut part, &own, settings)?;
            append(&part.nodes, &part, (index, number), |i| members[i as usize], out);
            from.resize(out.nodes.len(), NEW);
            renewed += members.len();
            continue;
        }
        let old = &tree.nodes[child as usize];
        let mut node = Node8 { parent: index, ..Node8::EMPTY };
        let first = stack.len();
        for &below in old.used_children() {
            let Some(below) = homes.resolved(tree, below) else { continue };
            let lane = node.len;
            node.len += 1;
            if homes.is_leaf(below, max_leaf) {
                node.child[lane as usize & 7] = LEAF | (out.leaf_starts.len() as u32 - 1);
                homes.collect(tree, below, &mut out.primitives);
                out.leaf_starts.push(out.primitives.len() as u32);
            } else {
                stack.push((below, number * 8 + lane));
            }
        }
        // The first child is next, for depth-first order.
        stack[first..].reverse();
        out.nodes.push(node);
        from.push(child);
    }
    Ok(Some(renewed))
}

/// The new primitives of each old leaf.
struct Homes {
    /// The start of each leaf's list in `members`, and one end.
    starts: Vec<u32>,
    members: Vec<u32>,
    /// By node: the number of primitives below it, now and before.
    now: Vec<u32>,
    before: Vec<u32>,
}

impl Homes {
    /// Finds a leaf for each primitive; `None` if at least half of them are new.
    fn find(tree: &Bvh<Aabb>, boxes: &[Aabb], origins: &[u32]) -> Option<Homes> {
        let n_numbers = tree.primitives.iter().max().map_or(0, |&most| most as usize + 1);
        let mut leaf_of = vec![ADDED; n_numbers];
        for leaf in tree.leaves() {
            leaf.primitives.iter().for_each(|&primitive| leaf_of[primitive as usize] = leaf.index);
        }
        let leaf_of = |origin: u32| leaf_of.get(origin as usize).copied().unwrap_or(ADDED);
        let n_added = origins.iter().filter(|&&origin| leaf_of(origin) == ADDED).count();
        if boxes.len() <= 2 * n_added {
            return None;
        }
        let mut starts = vec![0; tree.n_leaves() + 2];
        let homes: Vec<u32> = origins
            .iter()
            .zip(boxes)
            .map(|(&origin, aabb)| {
                let home = match leaf_of(origin) {
                    ADDED => least_growth(tree, aabb),
                    leaf => leaf,
                };
                starts[home as usize + 2] += 1;
                home
            })
            .collect();
        // A counting sort: each start moves to the end of its list, which is the start of the
        // next.
        for i in 2..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut members = vec![0; homes.len()];
        for (primitive, &home) in (0..).zip(&homes) {
            let next = &mut starts[home as usize + 1];
            members[*next as usize] = primitive;
            *next += 1;
        }
        let n_nodes = tree.nodes.len();
        let mut found = Homes { starts, members, now: vec![0; n_nodes], before: vec![0; n_nodes] };
        for (i, node) in tree.nodes.iter().enumerate().rev() {
            for &child in node.used_children() {
                found.now[i] += found.count(child);
                found.before[i] += if child & LEAF == 0 {
                    found.before[child as usize]
                } else {
                    tree.leaf(child & !LEAF).primitives.len() as u32
                };
            }
        }
        Some(found)
    }

    fn members(&self, leaf: u32) -> &[u32] {
        &self.members[self.starts[leaf as usize] as usize..self.starts[leaf as usize + 1] as usize]
    }

    /// The number of primitives below a child now.
    fn count(&self, child: u32) -> u32 {
        if child & LEAF == 0 { self.now[child as usize] } else { self.members(child & !LEAF).len() as u32 }
    }

    /// The lowest descendant that contains all primitives below a child, perhaps the child itself.
    /// `None` if there are no primitives.
    fn resolved(&self, tree: &Bvh<Aabb>, mut child: u32) -> Option<u32> {
        let n = self.count(child);
        while 0 < n && child & LEAF == 0 {
            let node = &tree.nodes[child as usize];
            let all = node.used_children().iter().find(|&&below| self.count(below) == n);
            let Some(&below) = all else { break };
            child = below;
        }
        (0 < n).then_some(child)
    }

    /// Whether the subtree of a child becomes one leaf.
    fn is_leaf(&self, child: u32, max_leaf: u32) -> bool {
        self.count(child) <= max_leaf
            && (child & LEAF != 0 || self.now[child as usize] < self.before[child as usize])
    }

    /// Appends all primitives below a child to `out`.
    fn collect(&self, tree: &Bvh<Aabb>, child: u32, out: &mut Vec<u32>) {
        if child & LEAF != 0 {
            out.extend_from_slice(self.members(child & !LEAF));
            return;
        }
        let mut stack = vec![child];
        while let Some(child) = stack.pop() {
            if child & LEAF != 0 {
                out.extend_from_slice(self.members(child & !LEAF));
                continue;
            }
            let node = &tree.nodes[child as usize];
            stack.extend(node.used_children().iter().rev());
        }
    }
}

/// The leaf at the end of a descent by least growth of the box. Ties go to the smallest child.
fn least_growth(tree: &Bvh<Aabb>, aabb: &Aabb) -> u32 {
    let mut child = 0;
    while child & LEAF == 0 {
        let node = &tree.nodes[child as usize];
        let mut best = ([f64::INFINITY; 2], LEAF);
        for lane in 0..node.len as usize & 15 {
            let volume = node.volumes.get(lane);
            let area = half_area(&volume);
            let cost = [half_area(&volume.merged(aabb)) - area, area];
            if cost < best.0 {
                best = (cost, node.child[lane]);
            }
        }
        child = best.1;
    }
    child & !LEAF
}

/// Half of the surface area.
fn half_area(aabb: &Aabb) -> f64 {
    let e = aabb.extents().as_dvec3();
    e.x * e.y + e.y * e.z + e.z * e.x
}
