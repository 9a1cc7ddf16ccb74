//! The index of fat boxes in which a kept list is found.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.1.3.

use alloc::string::String;
use carom_bounds::{Aabb, Culling};
use carom_broad::{BoxHit, PairBuffer, ProxyTable};
use carom_math::{Interval, Ray};
use core::ops::{ControlFlow, Range};
use glam::Vec3;

/// The contents of an index: the live boxes that are within their fat boxes.
#[derive(Clone, Copy, Debug)]
pub struct Residents<'a> {
    pub(crate) boxes: &'a [Aabb],
    pub(crate) fat: &'a [Aabb],
}

impl<'a> Residents<'a> {
    /// Returns the exact boxes by slot.
    #[inline]
    pub fn boxes(self) -> &'a [Aabb] {
        self.boxes
    }

    /// Whether the index still holds the box of this slot.
    #[inline]
    pub fn has(self, slot: u32) -> bool {
        let fat = &self.fat[slot as usize];
        fat.min.x <= fat.max.x
    }

    /// Returns the slots of the residents, in order.
    pub fn slots(self) -> impl Iterator<Item = u32> {
        (0..self.fat.len() as u32).filter(move |&slot| self.has(slot))
    }
}

/// An index of fat boxes that is rebuilt now and then and kept in between.
///
/// [`FatIndex::forget`] reports each box that leaves its fat box; it is no longer among the
/// [`Residents`]. The visits cover residents only. The exact boxes decide what is visited, as in
/// [`SpatialIndex`](carom_broad::SpatialIndex).
pub trait FatIndex: Default {
    /// Rebuilds the index from these boxes, [`Aabb::EMPTY`](carom_bounds::BoundingVolume::EMPTY)
    /// in slots that are not live. `are_statics_same`: whether the set of static boxes, and the
    /// boxes themselves, are unchanged since the last rebuild.
    fn rebuild(&mut self, fat: &[Aabb], proxies: &ProxyTable, are_statics_same: bool);

    /// Does the same while `current` stays in use; [`FatIndex::succeed`] follows later. It may
    /// take scratch memory from `current`. If `are_statics_same`, the static boxes are those of
    /// `current` and can be shared.
    fn rebuild_beside(
        &mut self,
        current: &mut Self,
        fat: &[Aabb],
        proxies: &ProxyTable,
        are_statics_same: bool,
    ) {
        let _ = (current, are_statics_same);
        self.rebuild(fat, proxies, false);
    }

    /// Does part number `part` of [`FatIndex::rebuild_beside`], from 0 on. Returns whether it was
    /// the last. Between parts, a box may become empty and is then not in the index, and slots may
    /// be added with empty boxes. `current` may forget boxes, but is not rebuilt.
    fn rebuild_part(
        &mut self,
        part: usize,
        current: &mut Self,
        fat: &[Aabb],
        proxies: &ProxyTable,
        are_statics_same: bool,
    ) -> bool {
        let _ = part;
        self.rebuild_beside(current, fat, proxies, are_statics_same);
        true
    }

    /// Replaces `current`, beside which it was built.
    fn succeed(&mut self, current: &mut Self) {
        let _ = current;
    }

    /// Adds the pairs of touching fat boxes in some eighths of the search to `found`. All eighths
    /// in order give each pair once, and no pair of two static boxes. Pairs of forgotten boxes are
    /// ignored. `current` is the index beside which this one was built, until this one replaces
    /// it.
    fn find(&mut self, current: Option<&Self>, eighths: Range<usize>, found: &mut PairBuffer);

    /// Removes the box of a slot.
    fn forget(&mut self, slot: u32) {
        let _ = slot;
    }

    /// Visits the slots whose boxes touch the query.
    fn visit_box(
        &self,
        residents: Residents<'_>,
        query: &Aabb,
        visit: &mut dyn FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<()>;

    /// Visits the slots with boxes that `classify` does not call outside.
    fn visit_culled(
        &self,
        residents: Residents<'_>,
        classify: &mut dyn FnMut(&Aabb) -> Culling,
        visit: &mut dyn FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<()>;

    /// Visits the slots with boxes that the ray meets, and returns the end of the interval.
    fn visit_ray(
        &self,
        residents: Residents<'_>,
        ray: &Ray,
        interval: Interval,
        visit: &mut dyn FnMut(BoxHit) -> ControlFlow<(), f32>,
    ) -> ControlFlow<(), f32>;

    /// Visits the slots with boxes near the finite point, and returns the largest distance that
    /// still counts.
    fn visit_near(
        &self,
        residents: Residents<'_>,
        point: Vec3,
        max_distance: f32,
        visit: &mut dyn FnMut(BoxHit) -> ControlFlow<(), f32>,
    ) -> ControlFlow<(), f32>;

    /// Like [`BroadPhase::visit_volumes`](carom_broad::BroadPhase::visit_volumes).
    fn visit_volumes(&self, visit: &mut dyn FnMut(usize, &Aabb)) {
        let _ = visit;
    }

    /// Returns the bytes of memory in use or kept.
    fn bytes(&self) -> usize;

    /// Checks that the index holds the residents, each within its fat box. Slow; for tests.
    fn validate(&self, residents: Residents<'_>) -> Result<(), String>;
}
