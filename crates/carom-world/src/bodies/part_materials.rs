//! Materials of the parts of colliders: triangles of a mesh or a height field, parts of a compound.
//!
//! - A collider has a material for each of its parts, or no materials of parts. Few colliders have
//!   them, so they are in a table of their own, with a flag in the traits of the body.
//! - Parts are numbered as in hits and contacts. The material of a manifold is that of the parts
//!   that its points touch, or the mean over its points ([`Solids::mixed`]).
//! - Snapshots share the lists with the world.
//!
//! [`Solids::mixed`]: crate::bodies::solids::Solids::mixed
//!
//! Reference: Jolt Physics, `MeshShapeSettings::mMaterials`; E. Catto, Box2D 3.1,
//! `b2ChainDef::materials`, 2025 (a material for each segment).

use crate::WorldError;
use crate::bodies::material::Material;
use crate::contacts::rules::{check_list, set};
use alloc::sync::Arc;
use alloc::vec::Vec;
use carom_query::Shape;
use carom_response::Inconsistency;

/// The material of a part of a collider, with user data:
/// [`ColliderDesc::part_materials`](crate::ColliderDesc::part_materials).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct PartMaterial {
    /// The material of the part, which replaces that of its collider.
    pub material: Material,
    /// User data, such as the kind of ground; the world does not use it.
    pub user_data: u64,
}

impl PartMaterial {
    /// Returns this material for a part, with user data 0.
    pub const fn new(material: Material) -> PartMaterial {
        PartMaterial { material, user_data: 0 }
    }

    /// Sets the user data.
    pub const fn with_user_data(self, user_data: u64) -> PartMaterial {
        PartMaterial { user_data, ..self }
    }
}

impl From<Material> for PartMaterial {
    fn from(material: Material) -> PartMaterial {
        PartMaterial::new(material)
    }
}

/// Refuses a material with a number out of its range, and a list that is neither empty nor one for
/// each part of the shape.
pub(crate) fn check_parts(shape: &Shape, parts: &[PartMaterial]) -> Result<(), WorldError> {
    check_count(shape, parts.len())?;
    parts.iter().try_for_each(|part| part.material.check())
}

/// Refuses a number of part materials that is neither 0 nor the number of the parts of a shape.
pub(crate) fn check_count(shape: &Shape, given: usize) -> Result<(), WorldError> {
    let parts = shape.n_parts() as usize;
    if given == 0 || given == parts { Ok(()) } else { Err(WorldError::PartMaterials { given, parts }) }
}

/// The number of a body, and of the slot of a collider on it.
type Key = (u32, u16);

/// The materials of the parts of one collider.
#[derive(Clone, Debug, PartialEq)]
struct Entry {
    parts: Arc<[PartMaterial]>,
    /// Whether the surface of a part moves.
    moves: bool,
}

impl Entry {
    fn new(parts: Arc<[PartMaterial]>) -> Entry {
        let moves = parts.iter().any(|part| part.material.has_motion());
        Entry { parts, moves }
    }
}

/// The materials of parts, sorted by collider.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(from = "Vec<Stored>", into = "Vec<Stored>"))]
pub(crate) struct PartMaterials {
    of_colliders: Vec<(Key, Entry)>,
}

/// The materials of the parts of one collider, as they are stored.
#[cfg(feature = "serde")]
type Stored = (Key, Vec<PartMaterial>);

#[cfg(feature = "serde")]
impl From<Vec<Stored>> for PartMaterials {
    fn from(stored: Vec<Stored>) -> PartMaterials {
        let entries = stored.into_iter().map(|(key, parts)| (key, Entry::new(parts.into())));
        PartMaterials { of_colliders: entries.collect() }
    }
}

#[cfg(feature = "serde")]
impl From<PartMaterials> for Vec<Stored> {
    fn from(materials: PartMaterials) -> Vec<Stored> {
        materials.of_colliders.into_iter().map(|(key, entry)| (key, entry.parts.to_vec())).collect()
    }
}

impl PartMaterials {
    pub(crate) fn is_empty(&self) -> bool {
        self.of_colliders.is_empty()
    }

    /// Returns the materials of the parts of a collider, if it has them.
    pub(crate) fn of(&self, body: u32, slot: u16) -> Option<&Arc<[PartMaterial]>> {
        let index = self.of_colliders.binary_search_by_key(&(body, slot), |&(key, _)| key).ok()?;
        Some(&self.of_colliders[index].1.parts)
    }

    /// Sets the materials of the parts of a collider; an empty list removes them.
    pub(crate) fn put(&mut self, body: u32, slot: u16, parts: Option<Arc<[PartMaterial]>>) {
        let entry = parts.filter(|parts| !parts.is_empty()).map(Entry::new);
        set(&mut self.of_colliders, (body, slot), entry);
    }

    /// Refuses a shape for a collider that has another number of parts than its materials.
    pub(crate) fn check_shape(&self, body: u32, slot: u16, shape: &Shape) -> Result<(), WorldError> {
        self.of(body, slot).map_or(Ok(()), |parts| check_count(shape, parts.len()))
    }

    /// Removes those of all colliders of a body.
    pub(crate) fn forget(&mut self, body: u32) {
        self.of_colliders.retain(|&((other, _), _)| other != body);
    }

    fn of_body(&self, body: u32) -> impl Iterator<Item = &Entry> {
        let first = self.of_colliders.partition_point(|&((other, _), _)| other < body);
        self.of_colliders[first..]
            .iter()
            .take_while(move |((other, _), _)| *other == body)
            .map(|(_, entry)| entry)
    }

    /// Whether a collider of the body has them.
    pub(crate) fn are_on(&self, body: u32) -> bool {
        self.of_body(body).next().is_some()
    }

    /// Whether the surface of a part of the body moves.
    pub(crate) fn move_on(&self, body: u32) -> bool {
        self.of_body(body).any(|entry| entry.moves)
    }

    /// The colliders that have them: body, slot, and the number of parts.
    pub(crate) fn counts(&self) -> impl Iterator<Item = (u32, u16, usize)> {
        self.of_colliders.iter().map(|&((body, slot), ref entry)| (body, slot, entry.parts.len()))
    }

    /// Checks that the lists are sorted and not empty, that `is_there` accepts their colliders, and
    /// that their numbers are within their ranges.
    pub(crate) fn check(&self, is_there: impl Fn(u32, u16) -> bool) -> Result<(), Inconsistency> {
        let is_sound = |index: usize| {
            let ((body, slot), entry) = &self.of_colliders[index];
            let mut parts = entry.parts.iter();
            !entry.parts.is_empty()
                && is_there(*body, *slot)
                && parts.all(|part| part.material.check().is_ok())
        };
        check_list(&self.of_colliders, is_sound, "the materials of the parts of a collider")
    }
}
