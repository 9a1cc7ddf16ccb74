//! Compounds: several shapes with fixed relative poses that move as one.
//!
//! [`PartBoxes`] finds the parts that are near another shape. Parts of parts (the triangles of a
//! mesh) are numbered consecutively over the whole compound.
//! [`Compound::locate`] converts such a number back.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 6.1 (hierarchies of parts).

use super::super::num::{Pose, PoseError, widen};
use super::shape::Shape;
use crate::part_boxes::PartBoxes;
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_math::WidePose;

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
    boxes: PartBoxes,
    first_numbers: Vec<u32>,
}

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
        let offset = |part: &CompoundPart| widen(part.pose.translation).abs().max_element();
        let farthest = parts.iter().map(offset).fold(0.0, f64::max);
        let boxes = PartBoxes::new(boxes, farthest);
        Ok(Compound { parts, poses, boxes, first_numbers })
    }

    /// Returns the boxes of the parts, in the compound's frame.
    pub(super) fn boxes(&self) -> &PartBoxes {
        &self.boxes
    }

    /// Returns the parts, in the order given.
    pub fn parts(&self) -> &[CompoundPart] {
        &self.parts
    }

    /// Converts a part number of an answer to the index of the part and the number within that
    /// part.
    pub fn locate(&self, number: u32) -> (usize, u32) {
        let part = self.first_numbers.partition_point(|&first| first <= number).saturating_sub(1);
        (part, number - self.first_numbers[part].min(number))
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

    /// Returns the pose of a part; the index must be valid.
    pub(super) fn part_pose(&self, part: usize) -> &WidePose {
        &self.poses[part]
    }

    /// Returns the parts and their poses, in order.
    pub(super) fn placed_parts(&self) -> impl Iterator<Item = (&Shape, &WidePose)> {
        self.parts.iter().map(|part| &part.shape).zip(&self.poses)
    }
}
