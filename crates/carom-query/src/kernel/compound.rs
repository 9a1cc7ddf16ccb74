//! Compounds: several shapes with fixed relative poses that move as one.
//!
//! A tree over the boxes of the parts finds those that are near another shape. Parts of parts (the triangles of a mesh) are numbered consecutively over the whole compound.
//! [`Compound::locate`] converts such a number back.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 6.1 (hierarchies of parts).

use super::super::num::{Interval, Pose, PoseError, Ray, Real, Vec3, widen, widen_real};
use super::shape::Shape;
use crate::cost::Count;
use alloc::vec::Vec;
use carom_bounds::{Aabb, BoundingVolume};
use carom_bvh::{BuildSettings, Bvh, Counters};
use carom_math::WidePose;
use carom_math::scaling::length;
use core::ops::ControlFlow;
use glam::DVec3;

/// One shape of a compound and its pose in the compound's frame.
#[derive(Clone, Debug)]
pub struct CompoundPart {
    /// Any shape but a compound. A compound with a half-space is unbounded.
    pub shape: Shape,
    /// The part's frame in the compound's frame.
    pub pose: Pose,
}

impl CompoundPart {
    /// Whether the part is a half-space.
    pub fn is_half_space(&self) -> bool {
        matches!(self.shape, Shape::HalfSpace(_))
    }
}

/// Several shapes that move as one.
#[derive(Clone, Debug)]
pub struct Compound {
    parts: Vec<CompoundPart>,
    poses: Vec<WidePose>,
    boxes: Vec<Aabb>,
    first_numbers: Vec<u32>,
    /// A tree over the boxes; `None` for a few parts.
    tree: Option<Bvh>,
    /// The largest coordinate of the frame of a part.
    farthest: f64,
}

/// The relative rounding of a bound in `f32`, and more.
const ROUNDING: f64 = f32::EPSILON as f64;

/// Up to this number of parts a linear search is used.
const MAX_LINEAR_PARTS: usize = 16;

/// Why a compound was refused. Every variant but the first contains the index of the part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CompoundError {
    /// There is no part.
    Empty,
    /// The part's pose is not finite.
    PoseNotFinite(usize),
    /// The length of the part's quaternion differs from 1 by more than 1 %.
    PoseNotUnit(usize),
    /// The part is itself a compound.
    Nested(usize),
}

impl core::fmt::Display for CompoundError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            CompoundError::Empty => write!(f, "a compound needs at least one part"),
            CompoundError::PoseNotFinite(part) => write!(f, "the pose of part {part} is NaN or infinite"),
            CompoundError::PoseNotUnit(part) => {
                write!(f, "the rotation of part {part} is no unit quaternion")
            }
            CompoundError::Nested(part) => write!(f, "part {part} is itself a compound"),
        }
    }
}

impl core::error::Error for CompoundError {}

impl Compound {
    /// Creates a compound of at least one part. Fails if a pose is not finite, if its quaternion is
    /// no rotation, or if a part is itself a compound.
    pub fn new(parts: Vec<CompoundPart>) -> Result<Compound, CompoundError> {
        if parts.is_empty() {
            return Err(CompoundError::Empty);
        }
        let mut first_numbers = Vec::with_capacity(parts.len());
        let mut number = 0_u32;
        for (index, part) in parts.iter().enumerate() {
            let CompoundPart { pose: Pose { rotation, translation }, .. } = *part;
            // The pose is kept as given: queries normalise the rotation in `f64`.
            Pose::try_new(rotation, translation).map_err(|error| match error {
                PoseError::NotUnit(_) => CompoundError::PoseNotUnit(index),
                _ => CompoundError::PoseNotFinite(index),
            })?;
            if matches!(part.shape, Shape::Compound(_)) {
                return Err(CompoundError::Nested(index));
            }
            first_numbers.push(number);
            number = number.saturating_add(part.shape.n_parts());
        }
        let poses = parts.iter().map(|part| part.pose.wide()).collect();
        let boxes: Vec<Aabb> = parts.iter().map(|part| part.shape.aabb(&part.pose)).collect();
        // Without a tree all parts are tested. A tree also fails if a box exceeds the range of
        // `f32`, as that of a half-space does.
        let tree = if MAX_LINEAR_PARTS < boxes.len() {
            Bvh::build(&boxes, &BuildSettings::default()).ok()
        } else {
            None
        };
        let offset = |part: &CompoundPart| widen(part.pose.translation).abs().max_element();
        let farthest = parts.iter().map(offset).fold(0.0, f64::max);
        Ok(Compound { parts, poses, boxes, first_numbers, tree, farthest })
    }

    /// Returns the parts, in the order given.
    pub fn parts(&self) -> &[CompoundPart] {
        &self.parts
    }

    /// Returns the parts that a moving box may touch, as index and box, unsorted, and the cost of
    /// the search. The box has these half extents around `origin + t * direction`, for t from 0 to
    /// `end`. Everything is in the compound's frame.
    pub(super) fn parts_on_path(
        &self,
        origin: DVec3,
        half: DVec3,
        direction: DVec3,
        end: f64,
        mut part: impl FnMut(u32, &Aabb),
    ) -> Counters {
        match &self.tree {
            None => {
                self.boxes.iter().enumerate().for_each(|(number, part_box)| part(number as u32, part_box));
                let mut all = Counters::default();
                (all.volume_tests, all.primitives) = (self.boxes.len() as u64, self.boxes.len() as u64);
                all
            }
            Some(tree) => {
                let walk = tree.visit_moving_box(origin, half, direction, 0.0, end, |leaf, until| {
                    for &number in leaf.primitives {
                        part(number, &self.boxes[number as usize]);
                    }
                    ControlFlow::Continue(until)
                });
                walk.counters
            }
        }
    }

    /// Visits the indices of the parts whose boxes a ray may meet, in the compound's frame,
    /// unsorted. `part` returns the t up to which further parts matter.
    ///
    /// The boxes are widened by the rounding of the ray in the frame of a part.
    pub(super) fn visit_on_ray(
        &self,
        ray: &Ray,
        interval: Interval,
        count: impl Count,
        mut part: impl FnMut(usize) -> Real,
    ) {
        let Some(tree) = &self.tree else { return (0..self.parts.len()).for_each(|index| _ = part(index)) };
        let (origin, direction) = (widen(ray.origin), widen(ray.direction));
        let half = DVec3::splat(self.rounding_from(tree, origin));
        let (min, max) = (widen_real(interval.min), widen_real(interval.max));
        let walk = tree.visit_moving_box(origin, half, direction, min, max, |leaf, mut until| {
            for &number in leaf.primitives {
                until = widen_real(part(number as usize));
            }
            ControlFlow::Continue(until)
        });
        count.add_walk(&walk.counters);
    }

    /// Visits the indices of the parts whose boxes are near a point, in the compound's frame,
    /// unsorted. `part` returns the distance up to which further parts matter.
    ///
    /// The distance is widened by the rounding of the point in the frame of a part.
    pub(super) fn visit_near_point(
        &self,
        point: Vec3,
        count: impl Count,
        mut part: impl FnMut(usize) -> Real,
    ) {
        let Some(tree) = &self.tree else { return (0..self.parts.len()).for_each(|index| _ = part(index)) };
        let point = widen(point);
        let slack = self.rounding_from(tree, point);
        let walk = tree.visit_near(point, f64::INFINITY, |leaf, mut limit| {
            for &number in leaf.primitives {
                limit = widen_real(part(number as usize)) + slack;
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

    /// Converts a part number of an answer to the index of the part and the number within that
    /// part.
    pub fn locate(&self, number: u32) -> (usize, u32) {
        let part = self.first_numbers.partition_point(|&first| first <= number).saturating_sub(1);
        (part, number - self.first_numbers[part].min(number))
    }

    /// Returns a box around the placed compound.
    pub(super) fn placed_box(&self, pose: &WidePose) -> Aabb {
        self.boxes.iter().fold(Aabb::EMPTY, |all, part| all.merged(&part.placed(pose)))
    }

    /// Returns the first number that a part uses, as [`Compound::locate`] takes it. Panics if
    /// there is no part with this index.
    pub fn first_number(&self, part: usize) -> u32 {
        self.first_numbers[part]
    }

    /// Returns how many numbers the parts use.
    pub(super) fn n_parts(&self) -> u32 {
        let last = self.parts.len() - 1;
        self.first_numbers[last].saturating_add(self.parts[last].shape.n_parts())
    }

    /// Returns the box of a part in the compound's frame; the index must be valid.
    pub(super) fn part_box(&self, part: usize) -> &Aabb {
        &self.boxes[part]
    }

    /// Returns the pose of a part; the index must be valid.
    pub(super) fn part_pose(&self, part: usize) -> &WidePose {
        &self.poses[part]
    }

    /// Returns the parts and their poses, in order.
    pub(super) fn placed_parts(&self) -> impl Iterator<Item = (&Shape, &WidePose)> {
        self.parts.iter().map(|part| &part.shape).zip(&self.poses)
    }

    /// Visits the indices of the parts whose boxes touch the given one, in the compound's frame,
    /// unsorted, until `part` stops it.
    pub(super) fn visit_near(
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
            None => _ = (0..self.parts.len()).try_for_each(visit),
            Some(tree) => {
                let walk = tree.visit_box(near, |leaf| {
                    leaf.primitives.iter().try_for_each(|&number| visit(number as usize))
                });
                count.add_walk(&walk.counters);
            }
        }
    }

    /// Appends the indices of the parts whose boxes touch the given one, in order.
    pub(super) fn collect_near(&self, near: &Aabb, out: &mut Vec<(f64, u32)>, count: impl Count) {
        self.visit_near(near, count, |part| {
            out.push((0.0, part as u32));
            ControlFlow::Continue(())
        });
        out.sort_unstable_by_key(|&(_, part)| part);
    }

    /// Returns the index of the part whose box is nearest to the given one; the lowest wins a tie.
    pub(super) fn nearest_box(&self, other: &Aabb, count: impl Count) -> usize {
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
            None => (0..self.parts.len()).for_each(|index| _ = visit(index)),
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
}
