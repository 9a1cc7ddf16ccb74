//! The shapes of a snapshot.
//!
//! - In memory a snapshot shares all shapes with the world.
//! - Serde stores shapes of a few numbers, such as balls and boxes. Other shapes may be large, and
//!   are assets that the caller has anyway: the caller supplies them again, by collider.
//! - Compounds are stored by part: the pose, and the shape if it has a few numbers. Parts of a
//!   supplied shape get the stored poses, because a pose in the body's frame was rounded. So the
//!   restored body has the same bits.
//!
//! Reference: Jolt Physics, `Shape::SaveWithChildren` (shapes are saved apart from bodies).

use crate::bodies::composites::{self, Slot};
use crate::bodies::id::{BodyId, ColliderId, ColliderSlot};
use alloc::vec::Vec;
use carom_math::Pose;
use carom_query::{CompoundPart, Shape};

/// A collider whose shape is not in a snapshot, for the closure of
/// [`World::restore_with`](crate::World::restore_with). User data are 0 unless they were set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SavedCollider {
    /// The body, as it was saved. Its handle is the same after the restore.
    pub body: BodyId,
    /// The collider, as it was saved. Its handle is the same after the restore.
    pub collider: ColliderId,
    /// The user data of the body.
    pub body_data: u64,
    /// The user data of the collider: [`ColliderDesc::user_data`](crate::ColliderDesc::user_data).
    pub collider_data: u64,
}

/// The shape of a body in a snapshot.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(
        try_from = "crate::bodies::stored_shapes::StoredShape",
        into = "crate::bodies::stored_shapes::StoredShape"
    )
)]
pub(crate) enum SavedShape {
    /// There is no body, or the shape was not stored.
    Missing,
    Whole(Shape),
    /// The parts of a compound; a part without a shape was not stored.
    #[cfg_attr(not(feature = "serde"), expect(dead_code, reason = "read from text only"))]
    Parts(Vec<(Pose, Option<Shape>)>),
}

impl SavedShape {
    pub(crate) fn of(shape: &Option<Shape>) -> SavedShape {
        shape.clone().map_or(SavedShape::Missing, SavedShape::Whole)
    }

    /// Returns the shape of a body. `slots` are its colliders if it has a composite. `supply`
    /// returns the shape of a collider that was not stored.
    ///
    /// Errors: a shape is neither stored nor supplied, or it has another number of parts than the
    /// stored collider.
    pub(crate) fn complete(
        &self,
        slots: Option<&[Slot]>,
        mut supply: impl FnMut(ColliderSlot) -> Option<Shape>,
    ) -> Result<Shape, &'static str> {
        let mut supply = |slot| supply(slot).ok_or("a collider without a shape");
        match (self, slots) {
            (SavedShape::Whole(shape), _) => Ok(shape.clone()),
            (SavedShape::Missing, None) => supply(ColliderSlot::FIRST),
            (SavedShape::Parts(saved), None) => match all_stored(saved) {
                Some(parts) => compound(parts),
                None => supply(ColliderSlot::FIRST),
            },
            (SavedShape::Missing, Some(slots)) => assembled(slots, None, supply),
            (SavedShape::Parts(saved), Some(slots)) => assembled(slots, Some(saved), supply),
        }
    }
}

/// Returns the common shape of the colliders of a body: see `BodySet::shapes`.
fn assembled(
    slots: &[Slot],
    saved: Option<&[(Pose, Option<Shape>)]>,
    mut supply: impl FnMut(ColliderSlot) -> Result<Shape, &'static str>,
) -> Result<Shape, &'static str> {
    const OTHER_PARTS: &str = "a collider whose shape has another number of parts";
    let (mut all, mut first) = (Vec::new(), 0_usize);
    for index in composites::in_order(slots) {
        let Some(collider) = &slots[index].collider else { continue };
        let end = first.saturating_add(collider.n_parts as usize);
        let own = saved.map(|saved| saved.get(first..end).ok_or(OTHER_PARTS)).transpose()?;
        first = end;
        if let Some(parts) = own.and_then(all_stored) {
            all.extend(parts);
            continue;
        }
        let shape = supply(ColliderSlot { index: index as u16, generation: slots[index].generation })?;
        let mut parts = composites::parts_of(&shape, &collider.pose);
        if parts.len() != collider.n_parts as usize {
            return Err(OTHER_PARTS);
        }
        for (part, (pose, _)) in parts.iter_mut().zip(own.unwrap_or_default()) {
            part.pose = *pose;
        }
        all.extend(parts);
    }
    if saved.is_some_and(|saved| first < saved.len()) {
        return Err(OTHER_PARTS);
    }
    if all.is_empty() { composites::point().map_err(|_| OTHER_PARTS) } else { compound(all) }
}

/// Returns the parts, if all have a shape.
fn all_stored(saved: &[(Pose, Option<Shape>)]) -> Option<Vec<CompoundPart>> {
    let part =
        |(pose, shape): &(Pose, Option<Shape>)| Some(CompoundPart { shape: shape.clone()?, pose: *pose });
    saved.iter().map(part).collect()
}

fn compound(parts: Vec<CompoundPart>) -> Result<Shape, &'static str> {
    composites::compound(parts).map_err(|_| "a compound with no part, or a pose that is no rotation")
}
