//! A tree that follows moving primitives, monitors its cost, and is rebuilt if that pays.
//!
//! - After each refit the areas of all boxes are summed, absolutely and relative to the area of
//!   the whole. If either sum has grown by half since the last build, the tree is rebuilt at once.
//! - A subtree is worn if its areas, relative to its box, have grown by half since it was built.
//!   If the boxes of its children have hardly grown, the damage is further down. So the lowest
//!   worn subtrees are found. If they hold at most half of the primitives, only they are rebuilt.
//! - The sums can hide growth, for example if primitives change places while the scene shrinks. So
//!   the tree is also rebuilt after a number of refits without growth. The gain of that rebuild
//!   decides how many refits pass before the next one.
//! - No clock is read: the same motion gives the same trees.
//!
//! Reference: C. Lauterbach, S. Yoon, D. Tuft, D. Manocha, RT-DEFORM: Interactive Ray Tracing of
//! Dynamic Scenes using BVHs, 2006 (rebuild when a measure has grown); S. Yoon, S. Curtis, D.
//! Manocha, Ray Tracing Dynamic Scenes using Selective Restructuring, 2007; D. Kopta et al., Fast,
//! Effective BVH Updates for Animated Scenes, 2012.
//! Differs: two sums, and periodic rebuilds that reveal hidden growth.

use crate::build::{BuildSettings, Builder};
use crate::refit::refit_checked;
use crate::renumber::{check_origins, restructure};
use crate::scale::{LARGEST_SCALE, inverse_power_of_two};
use crate::splice::{self, NEW};
use crate::tree::{Bvh, BvhError, LEAF};
use alloc::vec::Vec;
use carom_bounds::Aabb;

/// The growth of a sum of areas at which the tree, or a part of it, is rebuilt.
const GROWTH: f64 = 1.5;

/// The minimum number of primitives of a part that is monitored.
const MIN_SUBTREE_PRIMITIVES: usize = 256;

/// The minimum gain of a periodic rebuild. Below it, twice as many refits pass before the next
/// one; otherwise half as many.
const MIN_PERIODIC_GAIN: f64 = 1.1;

/// The default minimum and maximum number of refits between periodic rebuilds.
const DEFAULT_WAIT_RANGE: (u32, u32) = (4, 64);

/// A tree of boxes that move.
///
/// After each [`AdaptiveBvh::follow`], the sums of areas, which predict the cost of queries, are
/// at most 1.5 times those of the last build. The last full build is at most 64 calls old, or the
/// maximum of [`AdaptiveBvh::with_waits`]. A call costs at most a refit, a build of half of the
/// tree, and a full build.
#[derive(Clone, Debug)]
pub struct AdaptiveBvh {
    tree: Bvh<Aabb>,
    builder: Builder,
    settings: BuildSettings,
    sums: Sums,
    /// The current cost of each node, and its cost when its part was built.
    wear: Vec<Wear>,
    reference_costs: Vec<Wear>,
    /// The memory of building parts.
    ends: Vec<u32>,
    stack: Vec<u32>,
    copy: Bvh<Aabb>,
    origins: Vec<u32>,
    /// Calls of [`AdaptiveBvh::follow`] since the last full build.
    n_refits: u32,
    /// Refits before a periodic rebuild, and the minimum and maximum of that number.
    wait: u32,
    waits: (u32, u32),
}

/// The result of [`AdaptiveBvh::follow`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Followed {
    /// Whether the whole tree was rebuilt, not only refitted.
    pub rebuilt: bool,
    /// The number of primitives in rebuilt parts; all of them if the whole tree was rebuilt.
    pub renewed: usize,
    /// The growth of the expected cost of a query since the last build, before any rebuild of this
    /// call.
    pub growth: f64,
}

/// The sums of the areas of all boxes of a tree.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    /// In the units of the input, squared.
    total: f64,
    /// Relative to the area of the box around everything.
    share: f64,
}

/// The expected cost of a query that meets the box of a node: sums of areas, relative to the area
/// of that box.
#[derive(Clone, Copy, Debug, Default)]
struct Wear {
    /// The expected number of boxes of children that the query meets.
    children: f32,
    /// The expected number of boxes that it meets on all levels below.
    below: f32,
}

impl Sums {
    /// The larger growth of the two sums.
    fn growth_since(&self, before: &Sums) -> f64 {
        let ratio = |now: f64, before: f64| if now <= before { 1.0 } else { now / before };
        // From 0 to more, as from points to boxes, is infinite growth.
        ratio(self.total, before.total).max(ratio(self.share, before.share))
    }
}

impl AdaptiveBvh {
    /// Builds a tree as [`Bvh::build`] does.
    pub fn build(boxes: &[Aabb], settings: &BuildSettings) -> Result<AdaptiveBvh, BvhError> {
        let mut watched = AdaptiveBvh {
            tree: Bvh::empty(),
            builder: Builder::default(),
            settings: *settings,
            sums: Sums::default(),
            wear: Vec::new(),
            reference_costs: Vec::new(),
            ends: Vec::new(),
            stack: Vec::new(),
            copy: Bvh::empty(),
            origins: Vec::new(),
            n_refits: 0,
            wait: DEFAULT_WAIT_RANGE.0,
            waits: DEFAULT_WAIT_RANGE,
        };
        watched.rebuild(boxes)?;
        Ok(watched)
    }

    /// Sets the minimum and maximum number of calls of [`AdaptiveBvh::follow`] before a rebuild
    /// without growth: 4 and 64 by default. A build takes as long as some 25 refits.
    #[must_use]
    pub fn with_waits(mut self, fewest: u32, most: u32) -> AdaptiveBvh {
        self.waits = (fewest.max(1), most.max(fewest).max(1));
        self.wait = self.wait.clamp(self.waits.0, self.waits.1);
        self
    }

    /// The current tree, for all queries.
    pub fn tree(&self) -> &Bvh<Aabb> {
        &self.tree
    }

    /// Sets new boxes for all primitives, by their numbers, and rebuilds nothing. The next
    /// [`AdaptiveBvh::follow`] tests the wear. On an error the tree stays as it was.
    pub fn refit(&mut self, boxes: &[Aabb]) -> Result<(), BvhError> {
        self.tree.refit(boxes)
    }

    /// Sets new boxes for all primitives, by their numbers. Then rebuilds the tree or worn
    /// subtrees if that pays. On an error the tree stays as it was.
    pub fn follow(&mut self, boxes: &[Aabb]) -> Result<Followed, BvhError> {
        self.tree.refit(boxes)?;
        let before = measure(&self.tree, &mut self.wear);
        let growth = before.growth_since(&self.sums);
        self.n_refits += 1;
        let parts = self.worn();
        // A periodic rebuild waits until no subtree is worn, so that its gain is not that of
        // repairing subtrees. The wait has a limit.
        let due = if parts.is_empty() { self.wait } else { self.waits.1 };
        let is_due = due <= self.n_refits;
        let mut renewed = 0;
        let mut rebuilt = is_due;
        if !is_due {
            let n_worn: usize =
                parts.iter().map(|part| splice::below(&self.tree, *part, &self.ends).len()).sum();
            rebuilt = boxes.len() < 2 * n_worn;
            if !rebuilt && !parts.is_empty() {
                self.rebuild_parts(boxes, &parts)?;
                renewed = n_worn;
            }
            let is_enough = 0 < renewed && {
                let after = measure(&self.tree, &mut self.wear);
                self.update_reference_costs();
                after.growth_since(&self.sums) <= GROWTH
            };
            rebuilt |= GROWTH < growth && !is_enough;
        }
        if rebuilt {
            self.rebuild(boxes)?;
            renewed = boxes.len();
            if is_due {
                let gained = before.growth_since(&self.sums);
                let wait =
                    if gained < MIN_PERIODIC_GAIN { self.wait.saturating_mul(2) } else { self.wait / 2 };
                self.wait = wait.clamp(self.waits.0, self.waits.1);
            }
        }
        Ok(Followed { rebuilt, renewed, growth })
    }

    /// Changes the set of primitives as [`Bvh::renumber`] does, and then tests the wear as
    /// [`AdaptiveBvh::follow`] does. The sums of areas are compared per primitive. On an error the
    /// tree stays as it was.
    pub fn renumber(&mut self, boxes: &[Aabb], origins: &[u32]) -> Result<Followed, BvhError> {
        check_origins(boxes, origins)?;
        let before = self.tree.len();
        let (parts, built) = ((boxes, origins), (&mut self.builder, &self.settings));
        let Some(renewed) = restructure(&self.tree, parts, built, &mut self.copy, &mut self.origins)? else {
            self.rebuild(boxes)?;
            return Ok(Followed { rebuilt: true, renewed: boxes.len(), growth: 1.0 });
        };
        core::mem::swap(&mut self.tree, &mut self.copy);
        refit_checked(&mut self.tree, boxes);
        measure(&self.tree, &mut self.wear);
        self.update_reference_costs();
        let ratio = boxes.len() as f64 / before as f64;
        self.sums = Sums { total: self.sums.total * ratio, share: self.sums.share * ratio };
        let followed = self.follow(boxes)?;
        Ok(Followed { renewed: boxes.len().min(followed.renewed + renewed), ..followed })
    }

    fn rebuild(&mut self, boxes: &[Aabb]) -> Result<(), BvhError> {
        self.builder.rebuild(&mut self.tree, boxes, &self.settings)?;
        self.sums = measure(&self.tree, &mut self.wear);
        self.reference_costs.clone_from(&self.wear);
        self.n_refits = 0;
        Ok(())
    }

    /// The lowest worn nodes, in ascending order; none is below another.
    fn worn(&mut self) -> Vec<u32> {
        let has_grown = |now: f32, then: f32| GROWTH * f64::from(then) < f64::from(now);
        let (wear, then) = (&self.wear, &self.reference_costs);
        let is_worn = |node: u32| has_grown(wear[node as usize].below, then[node as usize].below);
        let mut found = Vec::new();
        if !wear.iter().zip(then).any(|(now, then)| has_grown(now.below, then.below)) {
            return found;
        }
        splice::ends(&self.tree.nodes, &mut self.ends);
        let stack = &mut self.stack;
        stack.clear();
        stack.push(0);
        while let Some(node) = stack.pop() {
            let inside = &self.tree.nodes[node as usize];
            let is_part = |child: &u32| {
                child & LEAF == 0
                    && MIN_SUBTREE_PRIMITIVES <= splice::below(&self.tree, *child, &self.ends).len()
            };
            let from = stack.len();
            stack.extend(inside.used_children().iter().copied().filter(is_part));
            let children = has_grown(wear[node as usize].children, then[node as usize].children);
            if is_worn(node) && (children || !stack[from..].iter().any(|&child| is_worn(child))) {
                stack.truncate(from);
                found.push(node);
            }
        }
        found.sort_unstable();
        found
    }

    /// Rebuilds the subtrees of these nodes.
    fn rebuild_parts(&mut self, boxes: &[Aabb], nodes: &[u32]) -> Result<(), BvhError> {
        let mut parts = Vec::new();
        let mut own: Vec<Aabb> = Vec::new();
        for &node in nodes {
            let primitives = &self.tree.primitives[splice::below(&self.tree, node, &self.ends)];
            own.clear();
            own.extend(primitives.iter().filter_map(|&i| boxes.get(i as usize)));
            let mut part = Bvh::empty();
            self.builder.rebuild(&mut part, &own, &self.settings)?;
            for entry in &mut part.primitives {
                *entry = primitives[*entry as usize];
            }
            parts.push((node, part));
        }
        splice::splice(&self.tree, &parts, &self.ends, &mut self.copy, &mut self.origins);
        core::mem::swap(&mut self.tree, &mut self.copy);
        Ok(())
    }

    /// Updates the reference costs after a rebuild of subtrees. New nodes take their current cost;
    /// the others keep their old reference.
    fn update_reference_costs(&mut self) {
        let then = core::mem::take(&mut self.reference_costs);
        let kept = self.origins.iter().zip(&self.wear);
        self.reference_costs
            .extend(kept.map(|(&origin, now)| if origin == NEW { *now } else { then[origin as usize] }));
    }
}

/// Sums the areas of the boxes of all children. Writes for each node the sums of the areas below
/// it, relative to its own area.
fn measure(tree: &Bvh<Aabb>, wear: &mut Vec<Wear>) -> Sums {
    wear.clear();
    wear.resize(tree.nodes.len(), Wear::default());
    if tree.is_empty() {
        return Sums::default();
    }
    // Areas of lengths up to about 1 neither overflow nor underflow.
    let extents = tree.bounds().extents();
    let scale = inverse_power_of_two(f64::from(extents.max_element())).min(LARGEST_SCALE);
    let unit = scale as f32;
    let mut sum = 0.0;
    for (i, node) in tree.nodes.iter().enumerate().rev() {
        let (low, high) = (&node.volumes.min, &node.volumes.max);
        let mut areas = [0.0_f32; 8];
        for lane in 0..8 {
            // Empty lanes have minus infinity.
            let x = ((high[0][lane] - low[0][lane]) * unit).max(0.0);
            let y = ((high[1][lane] - low[1][lane]) * unit).max(0.0);
            let z = ((high[2][lane] - low[2][lane]) * unit).max(0.0);
            areas[lane] = x * y + y * z + z * x;
        }
        sum += areas.iter().map(|&area| f64::from(area)).sum::<f64>();
        // The children were visited before, and their sums are still absolute. They become
        // relative here, where the areas of the children are known.
        let (mut children, mut below) = (0.0, 0.0);
        for lane in 0..node.len as usize & 15 {
            let (area, child) = (areas[lane & 7], node.child[lane & 7]);
            children += area;
            below += area;
            if child & LEAF == 0 {
                let inside = &mut wear[child as usize];
                below += inside.below;
                // A box without area is met with probability 0.
                let over = if area == 0.0 { 0.0 } else { 1.0 / area };
                *inside = Wear { children: inside.children * over, below: inside.below * over };
            }
        }
        wear[i] = Wear { children, below };
    }
    let e = extents * unit;
    let whole = f64::from(e.x * e.y + e.y * e.z + e.z * e.x);
    let over = if whole == 0.0 { 0.0 } else { 1.0 / whole as f32 };
    wear[0] = Wear { children: wear[0].children * over, below: wear[0].below * over };
    Sums { total: sum / (scale * scale), share: if whole == 0.0 { 0.0 } else { sum / whole } }
}
