//! A tree that follows its primitives, watches what that does to it, and is made anew where that
//! pays.
//!
//! After every refit the areas of all boxes are added up, by themselves and over the area of the
//! whole, and compared with the sums after the last build. Where either has grown by half, the tree
//! is made anew at once. The same is known of every part: where what is below a node, over the area
//! of its box, has grown by half since the part was built, the part is worn. If the boxes of its
//! children have hardly grown, the damage is further down; so the lowest parts are found that hold
//! it, and while they hold less than half of the primitives they alone are built anew. Growth can
//! hide: primitives that change places while everything shrinks and one flies away raise neither
//! sum. So the tree is also made anew after a number of refits in which nothing was seen, and what
//! that gained decides how long to wait the next time. No clock is read: the same motion gives the
//! same trees.
//!
//! Reference: C. Lauterbach, S. Yoon, D. Tuft, D. Manocha, RT-DEFORM: Interactive Ray Tracing of
//! Dynamic Scenes using BVHs, 2006 (rebuild when a measure has grown); S. Yoon, S. Curtis, D.
//! Manocha, Ray Tracing Dynamic Scenes using Selective Restructuring, 2007; D. Kopta et al., Fast,
//! Effective BVH Updates for Animated Scenes, 2012.
//! Differs: two sums, and looks now and then whether they tell the truth.

use crate::build::{BuildSettings, Builder};
use crate::graft::{self, NEW};
use crate::refit::refit_checked;
use crate::relative::{LARGEST_SCALE, inverse_power_of_two};
use crate::renumber::{check_origins, restructure};
use crate::tree::{Bvh, BvhError, LEAF};
use alloc::vec::Vec;
use carom_bounds::Aabb;

/// The tree is made anew when a sum of areas has become more than this many times what it was, and
/// so is a part of it.
const GROWTH: f64 = 1.5;

/// Parts of fewer primitives are not looked at by themselves.
const PART: usize = 256;

/// A look that gained less than this was for nothing: the next one waits twice as long.
const WORTH: f64 = 1.1;

/// The fewest and the most refits between looks, unless said otherwise.
const WAITS: (u32, u32) = (4, 64);

/// A tree of boxes that move.
///
/// The sums of areas, which are what queries are expected to cost, stay below 1.5 times those of
/// the last build, and the last build of the whole is at most 64 refits old, or what
/// [`WatchedBvh::with_waits`] says; a call costs at most a refit, a build of half of the tree, and
/// a build.
#[derive(Clone, Debug)]
pub struct WatchedBvh {
    tree: Bvh<Aabb>,
    builder: Builder,
    settings: BuildSettings,
    sums: Sums,
    /// What every node costs now, and what it cost when its part was built.
    wear: Vec<Wear>,
    wear_then: Vec<Wear>,
    /// The memory of building parts.
    ends: Vec<u32>,
    stack: Vec<u32>,
    copy: Bvh<Aabb>,
    origins: Vec<u32>,
    /// Refits since the last build of the whole.
    n_refits: u32,
    /// Refits after which it is made anew in any case, and the fewest and the most that this may
    /// be.
    wait: u32,
    waits: (u32, u32),
}

/// What a call of [`WatchedBvh::follow`] did.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Followed {
    /// The whole tree was made anew, and not only refitted.
    pub rebuilt: bool,
    /// How many primitives are in parts that were made anew: all of them where the whole tree was.
    pub renewed: usize,
    /// How many times the expected cost of a query had become what it was after the last build,
    /// before anything was made anew.
    pub growth: f64,
}

/// The areas of all boxes of a tree added up.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    /// In lengths as they are.
    total: f64,
    /// Over the area of the whole.
    share: f64,
}

/// What is expected of a query that meets a node's box: areas over the area of that box.
#[derive(Clone, Copy, Debug, Default)]
struct Wear {
    /// Boxes of children that it meets.
    children: f32,
    /// Boxes that it meets on all levels below.
    below: f32,
}

impl Sums {
    /// How many times the larger of the two has grown.
    fn growth_since(&self, before: &Sums) -> f64 {
        let ratio = |now: f64, before: f64| if now <= before { 1.0 } else { now / before };
        // From nothing to something, as from points to boxes, is infinite growth.
        ratio(self.total, before.total).max(ratio(self.share, before.share))
    }
}

impl WatchedBvh {
    /// A tree as [`Bvh::build`] makes it.
    pub fn build(boxes: &[Aabb], settings: &BuildSettings) -> Result<WatchedBvh, BvhError> {
        let mut watched = WatchedBvh {
            tree: Bvh::empty(),
            builder: Builder::default(),
            settings: *settings,
            sums: Sums::default(),
            wear: Vec::new(),
            wear_then: Vec::new(),
            ends: Vec::new(),
            stack: Vec::new(),
            copy: Bvh::empty(),
            origins: Vec::new(),
            n_refits: 0,
            wait: WAITS.0,
            waits: WAITS,
        };
        watched.rebuild(boxes)?;
        Ok(watched)
    }

    /// The tree with so many refits at least, and at most, before it is made anew with no growth to
    /// be seen: 4 and 64 by default. A build takes as long as some 25 refits.
    #[must_use]
    pub fn with_waits(mut self, fewest: u32, most: u32) -> WatchedBvh {
        self.waits = (fewest.max(1), most.max(fewest).max(1));
        self.wait = self.wait.clamp(self.waits.0, self.waits.1);
        self
    }

    /// The tree as it is now, for all queries.
    pub fn tree(&self) -> &Bvh<Aabb> {
        &self.tree
    }

    /// New boxes for all primitives, and no look at what has worn: the next [`WatchedBvh::follow`]
    /// sees it. On an error the tree stays as it was.
    pub fn refit(&mut self, boxes: &[Aabb]) -> Result<(), BvhError> {
        self.tree.refit(boxes)
    }

    /// New boxes for all primitives, by their numbers. On an error the tree stays as it was.
    pub fn follow(&mut self, boxes: &[Aabb]) -> Result<Followed, BvhError> {
        self.tree.refit(boxes)?;
        let before = measure(&self.tree, &mut self.wear);
        let growth = before.growth_since(&self.sums);
        self.n_refits += 1;
        let parts = self.worn();
        // What a look gains is told apart from what parts do by waiting until none is worn, but not
        // for ever.
        let due = if parts.is_empty() { self.wait } else { self.waits.1 };
        let look = due <= self.n_refits;
        let mut renewed = 0;
        let mut rebuilt = look;
        if !look {
            let n_worn: usize =
                parts.iter().map(|part| graft::below(&self.tree, *part, &self.ends).len()).sum();
            rebuilt = boxes.len() < 2 * n_worn;
            if !rebuilt && !parts.is_empty() {
                self.rebuild_parts(boxes, &parts)?;
                renewed = n_worn;
            }
            let is_enough = 0 < renewed && {
                let after = measure(&self.tree, &mut self.wear);
                self.keep_wear();
                after.growth_since(&self.sums) <= GROWTH
            };
            rebuilt |= GROWTH < growth && !is_enough;
        }
        if rebuilt {
            self.rebuild(boxes)?;
            renewed = boxes.len();
            if look {
                let gained = before.growth_since(&self.sums);
                let wait = if gained < WORTH { self.wait.saturating_mul(2) } else { self.wait / 2 };
                self.wait = wait.clamp(self.waits.0, self.waits.1);
            }
        }
        Ok(Followed { rebuilt, renewed, growth })
    }

    /// The tree over other primitives, as [`Bvh::renumber`] makes it, and then watched as after
    /// each refit. What is expected of a query is compared per primitive. On an error the tree
    /// stays as it was.
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
        self.keep_wear();
        let ratio = boxes.len() as f64 / before as f64;
        self.sums = Sums { total: self.sums.total * ratio, share: self.sums.share * ratio };
        let followed = self.follow(boxes)?;
        Ok(Followed { renewed: boxes.len().min(followed.renewed + renewed), ..followed })
    }

    fn rebuild(&mut self, boxes: &[Aabb]) -> Result<(), BvhError> {
        self.builder.rebuild(&mut self.tree, boxes, &self.settings)?;
        self.sums = measure(&self.tree, &mut self.wear);
        self.wear_then.clone_from(&self.wear);
        self.n_refits = 0;
        Ok(())
    }

    /// The lowest nodes below which the tree has worn, none of them below another, in ascending
    /// order.
    fn worn(&mut self) -> Vec<u32> {
        let has_grown = |now: f32, then: f32| GROWTH * f64::from(then) < f64::from(now);
        let (wear, then) = (&self.wear, &self.wear_then);
        let is_worn = |node: u32| has_grown(wear[node as usize].below, then[node as usize].below);
        let mut found = Vec::new();
        if !wear.iter().zip(then).any(|(now, then)| has_grown(now.below, then.below)) {
            return found;
        }
        graft::ends(&self.tree.nodes, &mut self.ends);
        let stack = &mut self.stack;
        stack.clear();
        stack.push(0);
        while let Some(node) = stack.pop() {
            let inside = &self.tree.nodes[node as usize];
            let is_part =
                |child: &u32| child & LEAF == 0 && PART <= graft::below(&self.tree, *child, &self.ends).len();
            let from = stack.len();
            stack.extend(inside.child[..inside.len as usize & 15].iter().copied().filter(is_part));
            let children = has_grown(wear[node as usize].children, then[node as usize].children);
            if is_worn(node) && (children || !stack[from..].iter().any(|&child| is_worn(child))) {
                stack.truncate(from);
                found.push(node);
            }
        }
        found.sort_unstable();
        found
    }

    /// Builds the parts below these nodes anew.
    fn rebuild_parts(&mut self, boxes: &[Aabb], nodes: &[u32]) -> Result<(), BvhError> {
        let mut parts = Vec::new();
        let mut own: Vec<Aabb> = Vec::new();
        for &node in nodes {
            let primitives = &self.tree.primitives[graft::below(&self.tree, node, &self.ends)];
            own.clear();
            own.extend(primitives.iter().filter_map(|&i| boxes.get(i as usize)));
            let mut part = Bvh::empty();
            self.builder.rebuild(&mut part, &own, &self.settings)?;
            for place in &mut part.primitives {
                *place = primitives[*place as usize];
            }
            parts.push((node, part));
        }
        graft::graft(&self.tree, &parts, &self.ends, &mut self.copy, &mut self.origins);
        core::mem::swap(&mut self.tree, &mut self.copy);
        Ok(())
    }

    /// After a build of parts: what is new costs what it should, the rest is compared with what it
    /// was.
    fn keep_wear(&mut self) {
        let then = core::mem::take(&mut self.wear_then);
        let kept = self.origins.iter().zip(&self.wear);
        self.wear_then
            .extend(kept.map(|(&origin, now)| if origin == NEW { *now } else { then[origin as usize] }));
    }
}

/// Adds up the areas of the boxes of all children, and those below every node over its own area.
fn measure(tree: &Bvh<Aabb>, wear: &mut Vec<Wear>) -> Sums {
    wear.clear();
    wear.resize(tree.nodes.len(), Wear::default());
    if tree.is_empty() {
        return Sums::default();
    }
    // Areas of lengths up to about 1 neither overflow nor vanish.
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
        // Nodes below this one have been here before, and left their shares; now the areas are
        // known that they are shares of.
        let (mut children, mut below) = (0.0, 0.0);
        for lane in 0..node.len as usize & 15 {
            let (area, child) = (areas[lane & 7], node.child[lane & 7]);
            children += area;
            below += area;
            if child & LEAF == 0 {
                let inside = &mut wear[child as usize];
                below += inside.below;
                // What has no area is met by chance only.
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
