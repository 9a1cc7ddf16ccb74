//! A tree that follows its primitives, watches what that does to it, and is made anew where that pays.
//!
//! After every refit the areas of all boxes are added up, by themselves and over the area of the whole, and compared with the
//! sums after the last build. Where either has grown by half, the tree is made anew at once. Growth can hide: primitives
//! that change places while everything shrinks and one flies away raise neither sum. So the tree is also made anew after a
//! number of refits in which nothing was seen, and what that gained decides how long to wait the next time. No clock is
//! read: the same motion gives the same trees.
//!
//! Reference: C. Lauterbach, S. Yoon, D. Tuft, D. Manocha, RT-DEFORM: Interactive Ray Tracing of Dynamic Scenes using BVHs,
//! 2006 (rebuild when a measure has grown); D. Kopta et al., Fast, Effective BVH Updates for Animated Scenes, 2012.
//! Differs: two sums, and looks now and then whether they tell the truth.

use crate::build::{BuildSettings, Builder};
use crate::relative::{LARGEST_SCALE, inverse_power_of_two};
use crate::tree::{Bvh, BvhError};
use carom_bounds::Aabb;

/// The tree is made anew when a sum of areas has become more than this many times what it was.
const GROWTH: f64 = 1.5;

/// A look that gained less than this was for nothing: the next one waits twice as long.
const WORTH: f64 = 1.1;

/// The fewest and the most refits between looks.
const WAITS: (u32, u32) = (4, 64);

/// A tree of boxes that move.
///
/// The sums of areas, which are what queries are expected to cost, stay below 1.5 times those of the last build, and the last
/// build is at most 64 refits old; a call costs at most a refit and a build.
#[derive(Clone, Debug)]
pub struct WatchedBvh {
    tree: Bvh<Aabb>,
    builder: Builder,
    settings: BuildSettings,
    sums: Sums,
    /// Refits since the last build.
    n_refits: u32,
    /// Refits after which it is made anew in any case.
    wait: u32,
}

/// What a call of [`WatchedBvh::follow`] did.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Followed {
    /// The tree was made anew, and not only refitted.
    pub rebuilt: bool,
    /// How many times the expected cost of a query had become what it was after the last build, before the tree was made anew.
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
            n_refits: 0,
            wait: WAITS.0,
        };
        watched.rebuild(boxes)?;
        Ok(watched)
    }

    /// The tree as it is now, for all queries.
    pub fn tree(&self) -> &Bvh<Aabb> {
        &self.tree
    }

    /// New boxes for all primitives, by their numbers. On an error the tree stays as it was.
    pub fn follow(&mut self, boxes: &[Aabb]) -> Result<Followed, BvhError> {
        self.tree.refit(boxes)?;
        let before = sums(&self.tree);
        let growth = before.growth_since(&self.sums);
        self.n_refits += 1;
        let look = self.wait <= self.n_refits;
        let rebuilt = GROWTH < growth || look;
        if rebuilt {
            self.rebuild(boxes)?;
            if look {
                let gained = before.growth_since(&self.sums);
                let wait = if gained < WORTH { self.wait.saturating_mul(2) } else { self.wait / 2 };
                self.wait = wait.clamp(WAITS.0, WAITS.1);
            }
        }
        Ok(Followed { rebuilt, growth })
    }

    fn rebuild(&mut self, boxes: &[Aabb]) -> Result<(), BvhError> {
        self.builder.rebuild(&mut self.tree, boxes, &self.settings)?;
        self.sums = sums(&self.tree);
        self.n_refits = 0;
        Ok(())
    }
}

/// Adds up the areas of the boxes of all children.
fn sums(tree: &Bvh<Aabb>) -> Sums {
    if tree.is_empty() {
        return Sums::default();
    }
    // Areas of lengths up to about 1 neither overflow nor vanish.
    let extents = tree.bounds().extents();
    let scale = inverse_power_of_two(f64::from(extents.max_element())).min(LARGEST_SCALE);
    let unit = scale as f32;
    let mut sum = 0.0;
    for node in &tree.nodes {
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
    }
    let e = extents * unit;
    let whole = f64::from(e.x * e.y + e.y * e.z + e.z * e.x);
    Sums { total: sum / (scale * scale), share: if whole == 0.0 { 0.0 } else { sum / whole } }
}
