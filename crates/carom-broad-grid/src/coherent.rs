//! Grids of fat boxes and the list of candidates found in them. Both are kept, and rebuilt when it
//! pays.
//!
//! A grid is built and searched faster than a tree, so rebuilds cost less. A box that leaves its
//! fat box stays in its cell until the next rebuild, and is skipped.
//!
//! Reference: L. Verlet, Computer "Experiments" on Classical Fluids, 1967, and M. Allen, D.
//! Tildesley, Computer Simulation of Liquids, 1987, 5.3 (neighbour lists from cells).
//! Differs: see [`VerletList`]; the grids of static boxes are kept until a static box changes.

use crate::dense::{Grids, Work, find_all, regroup};
use crate::level::Level;
use crate::uniform::Uniform;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use carom_bounds::{Aabb, Culling};
use carom_broad::{BoxHit, PairBuffer, ProxyTable};
use carom_broad_coherent::{FatIndex, Residents, VerletList};
use carom_math::{Interval, Ray};
use core::ops::{ControlFlow, Range};
use glam::Vec3;

/// Boxes in grids that are rebuilt when it pays; a [`BroadPhase`](carom_broad::BroadPhase) and a
/// [`SpatialIndex`](carom_broad::SpatialIndex).
///
/// Memory: that of [`VerletList`] and of [`UniformGrid`](crate::UniformGrid). Lists replaced over
/// several frames take 30 to 45 bytes more per moving box, for the next grids. The total is up to
/// 194 per box, and up to 34 per pair.
pub type CoherentGrid = VerletList<FatGrids>;

/// The index of [`CoherentGrid`].
#[derive(Default)]
pub struct FatGrids {
    moving: Grids,
    fixed: Grids,
    /// Whether the static boxes are in the grids of the current index, beside which this one was
    /// built.
    has_fixed_of_other: bool,
    work: Work,
}

impl FatGrids {
    fn levels(&self) -> impl Iterator<Item = &Level> {
        self.moving.levels().iter().chain(self.fixed.levels())
    }
}

impl FatIndex for FatGrids {
    fn rebuild(&mut self, fat: &[Aabb], proxies: &ProxyTable, are_statics_same: bool) {
        let FatGrids { moving, fixed, work, .. } = self;
        let are_others = regroup(proxies.live(), proxies.filters(), moving, fixed, work);
        moving.rebuild::<Uniform>(fat, work);
        if are_others || !are_statics_same {
            fixed.rebuild::<Uniform>(fat, work);
        }
    }

    fn rebuild_beside(
        &mut self,
        current: &mut FatGrids,
        fat: &[Aabb],
        proxies: &ProxyTable,
        are_statics_same: bool,
    ) {
        // One scratch memory is enough.
        core::mem::swap(&mut self.work, &mut current.work);
        self.has_fixed_of_other = are_statics_same;
        let FatGrids { moving, fixed, work, .. } = self;
        regroup(proxies.live(), proxies.filters(), moving, fixed, work);
        moving.rebuild::<Uniform>(fat, work);
        if are_statics_same {
            fixed.clear();
        } else {
            fixed.rebuild::<Uniform>(fat, work);
        }
        core::mem::swap(&mut self.work, &mut current.work);
    }

    fn succeed(&mut self, current: &mut FatGrids) {
        if self.has_fixed_of_other {
            core::mem::swap(&mut self.fixed, &mut current.fixed);
            self.has_fixed_of_other = false;
        }
    }

    fn find(&mut self, current: Option<&FatGrids>, eighths: Range<usize>, found: &mut PairBuffer) {
        let FatGrids { moving, fixed, work, has_fixed_of_other } = self;
        let fixed = match current {
            Some(current) if *has_fixed_of_other => &current.fixed,
            _ => fixed,
        };
        core::mem::swap(found, &mut work.search.found);
        find_all(moving, fixed, eighths, &mut work.search);
        core::mem::swap(found, &mut work.search.found);
    }

    fn visit_box(
        &self,
        residents: Residents<'_>,
        query: &Aabb,
        visit: &mut dyn FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.levels().try_for_each(|level| {
            level.visit_box(residents.boxes(), |slot| residents.has(slot), query, visit)
        })
    }

    fn visit_culled(
        &self,
        residents: Residents<'_>,
        classify: &mut dyn FnMut(&Aabb) -> Culling,
        visit: &mut dyn FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.levels().try_for_each(|level| {
            level.visit_culled(residents.boxes(), |slot| residents.has(slot), classify, visit)
        })
    }

    fn visit_ray(
        &self,
        residents: Residents<'_>,
        ray: &Ray,
        mut interval: Interval,
        visit: &mut dyn FnMut(BoxHit) -> ControlFlow<(), f32>,
    ) -> ControlFlow<(), f32> {
        if ray.origin.is_finite() && ray.direction.is_finite() {
            for level in self.levels() {
                let counts = |slot: u32| residents.has(slot);
                interval.max = level.visit_ray(residents.boxes(), counts, ray, interval, visit)?;
            }
        }
        ControlFlow::Continue(interval.max)
    }

    fn visit_near(
        &self,
        residents: Residents<'_>,
        point: Vec3,
        mut max_distance: f32,
        visit: &mut dyn FnMut(BoxHit) -> ControlFlow<(), f32>,
    ) -> ControlFlow<(), f32> {
        if point.is_finite() {
            for level in self.levels() {
                let counts = |slot: u32| residents.has(slot);
                max_distance = level.visit_near(residents.boxes(), counts, point, max_distance, visit)?;
            }
        }
        ControlFlow::Continue(max_distance)
    }

    fn bytes(&self) -> usize {
        self.moving.bytes() + self.fixed.bytes() + self.work.bytes()
    }

    fn validate(&self, residents: Residents<'_>) -> Result<(), String> {
        let mut held: Vec<u32> = Vec::new();
        for level in self.levels() {
            for index in 0..level.packed.n {
                let slot = level.packed.slots[index];
                if !residents.has(slot) {
                    continue;
                }
                let aabb = level.packed.bounds(index, index + 1);
                if !aabb.contains(&residents.boxes()[slot as usize]) {
                    return Err(format!("slot {slot} is not in {aabb:?}"));
                }
                held.push(slot);
            }
        }
        held.sort_unstable();
        if self.has_fixed_of_other || residents.slots().eq(held.iter().copied()) {
            return Ok(());
        }
        Err(format!("{} residents, {} of them in the grids", residents.slots().count(), held.len()))
    }
}
