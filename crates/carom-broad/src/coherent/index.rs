//! What a kept list is found in: an index of fat boxes.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.1.3.

use crate::{BoxHit, Found, ProxyTable};
use alloc::string::String;
use carom_bounds::{Aabb, Culling};
use carom_math::{Interval, Ray};
use core::ops::{ControlFlow, Range};
use glam::Vec3;

/// What an index holds: the live boxes that are within their fat boxes.
#[derive(Clone, Copy, Debug)]
pub struct Residents<'a> {
    pub(super) boxes: &'a [Aabb],
    pub(super) fat: &'a [Aabb],
}

impl<'a> Residents<'a> {
    /// The exact boxes by slot.
    #[inline]
    pub fn boxes(self) -> &'a [Aabb] {
        self.boxes
    }

    /// The index still holds the box of this slot.
    #[inline]
    pub fn has(self, slot: u32) -> bool {
        let fat = &self.fat[slot as usize];
        fat.min.x <= fat.max.x
    }

    /// Their slots, in order.
    pub fn slots(self) -> impl Iterator<Item = u32> {
        (0..self.fat.len() as u32).filter(move |&slot| self.has(slot))
    }
}

/// An index of fat boxes that is made anew now and then and kept in between.
///
/// Boxes that leave their fat boxes are told to [`FatIndex::forget`]; they are no [`Residents`]
/// from then on. In the visits what is visited is decided on the exact boxes, as
/// [`SpatialIndex`](crate::SpatialIndex) says it, and only residents are.
pub trait FatIndex: Default {
    /// Is made anew of these boxes, [`Aabb::EMPTY`](carom_bounds::BoundingVolume::EMPTY) in slots
    /// that are not live. `are_statics_same`: static boxes, and which boxes are static, are what
    /// they were the last time.
    fn rebuild(&mut self, fat: &[Aabb], proxies: &ProxyTable, are_statics_same: bool);

    /// The same, while `current`, which stays in use, goes on answering: for [`FatIndex::succeed`].
    /// Memory to work in may be taken from it, and what both have in common, as static boxes if
    /// `are_statics_same` as when `current` was made, need not be made twice.
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

    /// Does one of the parts in which [`FatIndex::rebuild_beside`] may be done, `part` of them
    /// before; true, if it was the last one. Between parts boxes may become empty, and are not in
    /// the index then; slots may be added, whose boxes are empty; `current` is told what it has to
    /// forget, and not made anew.
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

    /// Takes over from `current`, beside which it was made.
    fn succeed(&mut self, current: &mut Self) {
        let _ = current;
    }

    /// Adds pairs of touching fat boxes to `found`: each once, and none of two static ones, when
    /// all eighths of the search are made in their order. Pairs of what was forgotten do not
    /// matter. `current`: the index beside which this one was made and that it has not yet
    /// succeeded.
    fn find(&mut self, current: Option<&Self>, eighths: Range<usize>, found: &mut Found);

    /// The box of a slot left.
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

    /// Visits the slots whose boxes are not called outside.
    fn visit_culled(
        &self,
        residents: Residents<'_>,
        classify: &mut dyn FnMut(&Aabb) -> Culling,
        visit: &mut dyn FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<()>;

    /// Visits the slots whose boxes the ray meets, and gives back the end of the interval.
    fn visit_ray(
        &self,
        residents: Residents<'_>,
        ray: &Ray,
        interval: Interval,
        visit: &mut dyn FnMut(BoxHit) -> ControlFlow<(), f32>,
    ) -> ControlFlow<(), f32>;

    /// Visits the slots whose boxes are near the finite point, and gives back the largest distance
    /// that still counts.
    fn visit_near(
        &self,
        residents: Residents<'_>,
        point: Vec3,
        max_distance: f32,
        visit: &mut dyn FnMut(BoxHit) -> ControlFlow<(), f32>,
    ) -> ControlFlow<(), f32>;

    /// As [`BroadPhase::visit_volumes`](crate::BroadPhase::visit_volumes).
    fn visit_volumes(&self, visit: &mut dyn FnMut(usize, &Aabb)) {
        let _ = visit;
    }

    /// Bytes of memory in use or kept.
    fn bytes(&self) -> usize;

    /// Checks that it holds the residents, each somewhere in its fat box. Slow; for tests.
    fn validate(&self, residents: Residents<'_>) -> Result<(), String>;
}
