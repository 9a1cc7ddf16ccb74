//! All boxes in each step, and worn parts of the tree built anew.
//!
//! carom-bvh's `AdaptiveBvh` adds up the areas of the boxes after each refit, and rebuilds the
//! subtrees whose areas have grown by half.
//!
//! Reference: C. Lauterbach, S. Yoon, D. Tuft, D. Manocha, RT-DEFORM: Interactive Ray Tracing of
//! Dynamic Scenes using BVHs, 2006.

use super::{FollowingTree, Sealed, build_settings, collect_exact};
use crate::bounds::Bounds;
use crate::counters::TreeWork;
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_bvh::{AdaptiveBvh, Bvh, BvhError, Followed};

/// A tree that is refitted in each step, and built anew where it has worn.
#[derive(Clone, Debug)]
pub struct RebuiltTree {
    watched: Option<AdaptiveBvh>,
    empty: Bvh,
    boxes: Vec<Aabb>,
    work: TreeWork,
}

impl RebuiltTree {
    /// Returns the tree with bounds on the number of steps before a rebuild without visible wear.
    pub(super) fn with_waits(self, fewest: u32, most: u32) -> RebuiltTree {
        let watched = self.watched.map(|watched| watched.with_waits(fewest, most));
        RebuiltTree { watched, ..self }
    }

    /// Brings all boxes up to date, and rebuilds worn parts. Returns whether any part was rebuilt.
    pub(super) fn follow(&mut self, bounds: &Bounds<'_>) -> bool {
        self.work.refits += 1;
        self.with_watched(bounds, |watched, boxes| watched.follow(boxes))
    }

    /// Brings all boxes up to date, and does not check for wear.
    pub(super) fn refit(&mut self, bounds: &Bounds<'_>) {
        bounds.collect(&mut self.boxes);
        self.work.updates += self.boxes.len() as u64;
        self.work.refits += 1;
        let refitted = self.watched.as_mut().map(|watched| watched.refit(&self.boxes));
        debug_assert!(!matches!(refitted, Some(Err(_))), "the mesh checks its positions: {refitted:?}");
    }

    /// Does the same as [`RebuiltTree::follow`], after edits.
    pub(super) fn follow_edits(&mut self, bounds: &Bounds<'_>, origins: &[u32]) {
        self.work.edits += 1;
        self.with_watched(bounds, |watched, boxes| watched.renumber(boxes, origins));
    }

    fn with_watched(
        &mut self,
        bounds: &Bounds<'_>,
        follow: impl Fn(&mut AdaptiveBvh, &[Aabb]) -> Result<Followed, BvhError>,
    ) -> bool {
        bounds.collect(&mut self.boxes);
        self.work.updates += self.boxes.len() as u64;
        let followed = self.watched.as_mut().map(|watched| follow(watched, &self.boxes));
        debug_assert!(!matches!(followed, Some(Err(_))), "the mesh checks its positions: {followed:?}");
        let renewed = if let Some(Ok(followed)) = followed { followed.renewed } else { 0 };
        self.work.rebuilds += u64::from(0 < renewed);
        self.work.renewed += renewed as u64;
        0 < renewed
    }

    /// Collects the features that touch a query.
    pub(super) fn collect(&mut self, query: &Aabb, out: &mut Vec<u32>) {
        let tree = self.watched.as_ref().map_or(&self.empty, AdaptiveBvh::tree);
        collect_exact(tree, &self.boxes, query, out, &mut self.work);
    }
}

impl Sealed for RebuiltTree {}

impl FollowingTree for RebuiltTree {
    fn build(bounds: &Bounds<'_>) -> RebuiltTree {
        let mut boxes = Vec::new();
        bounds.collect(&mut boxes);
        let watched = AdaptiveBvh::build(&boxes, &build_settings());
        debug_assert!(watched.is_ok(), "the mesh checks its positions: {watched:?}");
        let work = TreeWork { updates: boxes.len() as u64, ..TreeWork::default() };
        RebuiltTree { watched: watched.ok(), empty: Bvh::empty(), boxes, work }
    }

    fn advance(&mut self, bounds: &Bounds<'_>, _drift: f32) {
        self.follow(bounds);
    }

    fn renumber(&mut self, bounds: &Bounds<'_>, origins: &[u32]) {
        self.follow_edits(bounds, origins);
    }

    fn collect_touching(&mut self, _bounds: &Bounds<'_>, query: &Aabb, out: &mut Vec<u32>) {
        self.collect(query, out);
    }

    fn complete(&mut self, _bounds: &Bounds<'_>) {}

    fn tree(&self) -> &Bvh {
        self.watched.as_ref().map_or(&self.empty, AdaptiveBvh::tree)
    }

    fn boxes(&self) -> &[Aabb] {
        &self.boxes
    }

    fn work(&self) -> TreeWork {
        self.work
    }
}
