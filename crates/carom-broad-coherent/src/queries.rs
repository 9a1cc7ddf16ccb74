//! Spatial queries on the index and on the boxes that are not in it at the moment.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.1.3.

use crate::{FatIndex, VerletList};
use carom_bounds::{Aabb, Culling};
use carom_broad::{BoxHit, SpatialIndex, scan_box, scan_culled, scan_near, scan_ray};
use carom_math::{Interval, Ray};
use core::ops::ControlFlow;
use glam::Vec3;

impl<I: FatIndex> VerletList<I> {
    /// Returns the slots that the index does not hold.
    fn outside(&self) -> impl Iterator<Item = u32> {
        let (all, listed) =
            if self.are_all_outliers { (self.proxies.n_slots(), 0) } else { (0, self.outliers.len()) };
        self.proxies.live().take(all).chain(self.outliers[..listed].iter().copied())
    }
}

impl<I: FatIndex> SpatialIndex for VerletList<I> {
    fn visit_box(&self, query: &Aabb, visit: &mut dyn FnMut(u32) -> ControlFlow<()>) {
        let boxes = self.proxies.boxes();
        if !self.are_all_outliers && self.index.visit_box(self.residents(), query, visit).is_break() {
            return;
        }
        let _ = scan_box(self.outside(), boxes, query, visit);
    }

    fn visit_culled(
        &self,
        classify: &mut dyn FnMut(&Aabb) -> Culling,
        visit: &mut dyn FnMut(u32) -> ControlFlow<()>,
    ) {
        let boxes = self.proxies.boxes();
        if !self.are_all_outliers && self.index.visit_culled(self.residents(), classify, visit).is_break() {
            return;
        }
        let _ = scan_culled(self.outside(), boxes, classify, visit);
    }

    fn visit_ray(
        &self,
        ray: &Ray,
        mut interval: Interval,
        visit: &mut dyn FnMut(BoxHit) -> ControlFlow<(), f32>,
    ) {
        let boxes = self.proxies.boxes();
        if !self.are_all_outliers {
            match self.index.visit_ray(self.residents(), ray, interval, visit) {
                ControlFlow::Continue(end) => interval.max = end,
                ControlFlow::Break(()) => return,
            }
        }
        let _ = scan_ray(self.outside(), boxes, ray, interval, visit);
    }

    fn visit_near(
        &self,
        point: Vec3,
        mut max_distance: f32,
        visit: &mut dyn FnMut(BoxHit) -> ControlFlow<(), f32>,
    ) {
        let boxes = self.proxies.boxes();
        if !self.are_all_outliers {
            match self.index.visit_near(self.residents(), point, max_distance, visit) {
                ControlFlow::Continue(end) => max_distance = end,
                ControlFlow::Break(()) => return,
            }
        }
        let _ = scan_near(self.outside(), boxes, point, max_distance, visit);
    }
}
