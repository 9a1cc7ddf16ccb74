//! The boxes of the parts of a compound: those near a box, a point, a ray or a path.
//!
//! Up to [`MAX_LINEAR_PARTS`] parts are searched one by one, more with a tree.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 6.1 (hierarchies of parts).

use crate::closest::Closest;
use crate::cost::Count;
use crate::swept_box::SweptBox;
use crate::workspace::Workspace;
use alloc::vec::Vec;
use carom_bounds::{Aabb, BoundingVolume};
use carom_bvh::{BuildSettings, Bvh, Counters};
use carom_math::scaling::length;
use carom_math::{WidePose, rounding};
use core::ops::ControlFlow;
use glam::DVec3;

/// Up to this number of parts a linear search is used.
const MAX_LINEAR_PARTS: usize = 16;

/// The relative rounding of a bound in `f32`, and more.
const ROUNDING: f64 = f32::EPSILON as f64;

/// The boxes of parts, in one frame.
#[derive(Clone, Debug)]
pub(crate) struct PartBoxes {
    boxes: Vec<Aabb>,
    /// A tree over the boxes; `None` for a few parts.
    tree: Option<Bvh>,
    /// The largest coordinate of the frame of a part.
    farthest: f64,
}

impl PartBoxes {
    /// Creates the list from the boxes and the largest coordinate of the frame of a part.
    pub(crate) fn new(boxes: Vec<Aabb>, farthest: f64) -> PartBoxes {
        // Without a tree all parts are tested. A tree also fails if a box exceeds the range of
        // `f32`, as that of a half-space does.
        let tree = if MAX_LINEAR_PARTS < boxes.len() {
            Bvh::build(&boxes, &BuildSettings::default()).ok()
        } else {
            None
        };
        PartBoxes { boxes, tree, farthest }
    }

    /// Visits the parts that a moving box may touch within `time`, as index and box, unsorted. The
    /// moving box is in the frame of the boxes.
    pub(crate) fn parts_on_path(
        &self,
        swept: &SweptBox,
        time: f64,
        mut part: impl FnMut(u32, &Aabb),
    ) -> Counters {
        let Some(tree) = &self.tree else {
            self.boxes.iter().enumerate().for_each(|(number, part_box)| part(number as u32, part_box));
            let mut all = Counters::default();
            (all.volume_tests, all.primitives) = (self.boxes.len() as u64, self.boxes.len() as u64);
            return all;
        };
        swept.visit_tree(tree, time, |number| part(number, &self.boxes[number as usize]))
    }

    /// Visits the indices of the parts whose boxes a ray may meet, in the frame of the boxes,
    /// unsorted. `part` returns the t up to which further parts matter.
    ///
    /// The boxes are widened by the rounding of the ray in the frame of a part.
    pub(crate) fn visit_on_ray(
        &self,
        (origin, direction): (DVec3, DVec3),
        (min, max): (f64, f64),
        count: impl Count,
        mut part: impl FnMut(usize) -> f64,
    ) {
        let Some(tree) = &self.tree else { return (0..self.boxes.len()).for_each(|index| _ = part(index)) };
        let half = DVec3::splat(self.rounding_from(tree, origin));
        let walk = tree.visit_moving_box(origin, half, direction, min, max, |leaf, mut until| {
            for &number in leaf.primitives {
                until = part(number as usize);
            }
            ControlFlow::Continue(until)
        });
        count.add_walk(&walk.counters);
    }

    /// Visits the indices of the parts whose boxes are near a point, in the frame of the boxes,
    /// unsorted. `part` returns the distance up to which further parts matter.
    ///
    /// The distance is widened by the rounding of the point in the frame of a part.
    pub(crate) fn visit_near_point(
        &self,
        point: DVec3,
        count: impl Count,
        mut part: impl FnMut(usize) -> f64,
    ) {
        let Some(tree) = &self.tree else { return (0..self.boxes.len()).for_each(|index| _ = part(index)) };
        let slack = self.rounding_from(tree, point);
        let walk = tree.visit_near(point, f64::INFINITY, |leaf, mut limit| {
            for &number in leaf.primitives {
                limit = part(number as usize) + slack;
            }
            ControlFlow::Continue(limit)
        });
        count.add_walk(&walk.counters);
    }

    /// Returns more than what a point, or a ray from it, is moved by rounding in the frame of a
    /// part, which may be far from the part.
    fn rounding_from(&self, tree: &Bvh, point: DVec3) -> f64 {
        let all = tree.bounds();
        let [low, high] = [all.min, all.max].map(|corner| (corner.as_dvec3() - point).abs().max_element());
        4.0 * ROUNDING * (low.max(high) + self.farthest)
    }

    /// Returns a box around the placed boxes.
    pub(crate) fn placed_box(&self, pose: &WidePose) -> Aabb {
        self.boxes.iter().fold(Aabb::EMPTY, |all, part| all.merged(&part.placed(pose)))
    }

    /// Visits the indices of the parts whose boxes touch the given one, in the frame of the boxes,
    /// unsorted, until `part` stops it.
    pub(crate) fn visit_near(
        &self,
        near: &Aabb,
        count: impl Count,
        mut part: impl FnMut(usize) -> ControlFlow<()>,
    ) {
        let mut visit = |index: usize| {
            count.add(|cost| cost.volume_tests += 1);
            if self.boxes[index].overlaps(near) { part(index) } else { ControlFlow::Continue(()) }
        };
        match &self.tree {
            None => _ = (0..self.boxes.len()).try_for_each(visit),
            Some(tree) => {
                let walk = tree.visit_box(near, |leaf| {
                    leaf.primitives.iter().try_for_each(|&number| visit(number as usize))
                });
                count.add_walk(&walk.counters);
            }
        }
    }

    /// Appends the indices of the parts whose boxes touch the given one, in order.
    pub(crate) fn collect_near(&self, near: &Aabb, out: &mut Vec<(f64, u32)>, count: impl Count) {
        self.visit_near(near, count, |part| {
            out.push((0.0, part as u32));
            ControlFlow::Continue(())
        });
        out.sort_unstable_by_key(|&(_, part)| part);
    }

    /// Returns the index of the part whose box is nearest to the given one; the lowest wins a tie.
    fn nearest_box(&self, other: &Aabb, count: impl Count) -> usize {
        let mut best = (f64::INFINITY, 0);
        let mut visit = |index: usize| {
            count.add(|cost| cost.volume_tests += 1);
            let bound = (f64::from(self.boxes[index].distance_lower_bound(other)), index);
            if bound < best {
                best = bound;
            }
            best.0
        };
        match &self.tree {
            None => (0..self.boxes.len()).for_each(|index| _ = visit(index)),
            Some(tree) => {
                // A part is too far if its distance from the centre exceeds the least distance of
                // boxes plus the radius around the other box.
                let (low, high) = (other.min.as_dvec3(), other.max.as_dvec3());
                let radius = 0.5 * length(high - low);
                let walk = tree.visit_near((low + high) * 0.5, f64::INFINITY, |leaf, _| {
                    let least = leaf.primitives.iter().map(|&number| visit(number as usize)).last();
                    ControlFlow::Continue(
                        least.map_or(f64::INFINITY, |least| (least + radius) * (1.0 + ROUNDING)),
                    )
                });
                count.add_walk(&walk.counters);
            }
        }
        best.1
    }

    /// Returns the answer of the part with the least distance from a box, and its index. `answer`
    /// returns that of one part up to a limit. The part with the nearest box is tested
    /// first. Then the parts whose boxes are no farther away than that answer follow, by their
    /// numbers. `None` if all boxes are farther away than `max_distance`. These parts are listed
    /// first, because a loop over all boxes took 15 times as long for 10,000 parts.
    pub(crate) fn nearest(
        &self,
        other: &Aabb,
        max_distance: f64,
        memory: &mut Workspace,
        count: impl Count,
        mut answer: impl FnMut(usize, f64, &mut Workspace) -> Closest,
    ) -> Option<(Closest, usize)> {
        let (mut best, mut nearest) = (Closest::NOWHERE, None);
        let mut test = |part: usize, memory: &mut Workspace| {
            let limit = best.distance.min(max_distance);
            if limit.max(0.0) < f64::from(self.boxes[part].distance_lower_bound(other)) {
                return limit;
            }
            let closest = answer(part, limit, memory);
            if closest.is_before(&best) {
                (best, nearest) = (closest, Some(part));
            }
            best.distance.min(max_distance)
        };
        let first = self.nearest_box(other, count);
        let limit = test(first, memory).max(0.0);
        // A box that is not finite may be near any part.
        let is_finite = other.min.is_finite() && other.max.is_finite();
        let near = if is_finite { other.inflated(rounding::up(limit)) } else { Aabb::EVERYTHING };
        let mut others = memory.casts.orders.pop().unwrap_or_default();
        others.clear();
        self.collect_near(&near, &mut others, count);
        for &(_, part) in others.iter().filter(|&&(_, part)| part as usize != first) {
            test(part as usize, memory);
        }
        memory.casts.orders.push(others);
        nearest.map(|part| (best, part))
    }
}
