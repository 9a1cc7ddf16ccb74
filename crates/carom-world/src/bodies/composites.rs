//! Bodies with several colliders, or with one collider that is not at the body's frame.
//!
//! - All colliders of such a body are one compound, `BodySet::shapes`. So the broad phase,
//!   queries, and continuous detection see one shape. Solid colliders come first, then sensors,
//!   each in the order of their slots. Parts have the same numbers in this compound and in that of
//!   the solid ones.
//! - The part number of a contact determines the collider.
//! - The other properties of a collider are stored here by slot: pose, density, and traits. A body
//!   with a single collider has the traits itself.
//! - A body with one collider at its frame, the usual case, has no composite.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 6.1 (hierarchies of parts); Jolt
//! Physics, `MutableCompoundShape` (parts that come and go, with user data).

use crate::bodies::collider::ColliderDesc;
use crate::bodies::id::ColliderSlot;
use crate::bodies::traits::Traits;
use crate::bodies::weight;
use crate::{MassFault, WorldError};
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use carom_broad::{Groups, Mobility};
use carom_geom::{MassProperties, Sphere};
use carom_math::{Pose, Vec3, rotation};
use carom_query::{Compound, CompoundPart, Shape};
use carom_response::{CombineRule, Inconsistency};

/// The properties of a collider, except its shape.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Collider {
    pub(crate) traits: Traits,
    pub(crate) density: f32,
    pub(crate) pose: Pose,
    /// Velocity of its surface at its origin, and the spin of the surface, both in its frame.
    pub(crate) surface: [Vec3; 2],
    /// The number of parts of the compound that belong to it.
    pub(crate) n_parts: u32,
}

/// A slot for a collider; it may be empty.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Slot {
    /// Odd if the slot has a collider. Each insertion and each removal adds one.
    pub(crate) generation: u16,
    pub(crate) collider: Option<Collider>,
}

/// The colliders of a body.
#[derive(Clone, Debug)]
pub(crate) struct Composite {
    slots: Vec<Slot>,
    /// By slot: the shape of the collider in the frame of the body.
    placed: Vec<Option<Shape>>,
    /// All solid colliders as one shape.
    solid: Option<Shape>,
    /// The slots in the order of their parts, each with its first part.
    starts: Vec<(u32, u16)>,
    /// Whether all solid colliders have the same groups and family.
    is_uniform: bool,
}

/// The parts of each slot, in the frame of the body.
pub(crate) type PartsBySlot = Vec<Vec<CompoundPart>>;

impl Composite {
    /// Returns the colliders of a new body and their common shape. `None` if there is one
    /// collider, at the body's frame.
    ///
    /// Errors: a collider with a number out of its range.
    pub(crate) fn of(
        colliders: &[ColliderDesc],
        mobility: Mobility,
    ) -> Result<Option<(Composite, Shape)>, WorldError> {
        colliders.iter().try_for_each(ColliderDesc::check)?;
        if let [only] = colliders
            && only.pose == Pose::IDENTITY
        {
            return Ok(None);
        }
        let mut slots = Vec::new();
        let mut parts = PartsBySlot::new();
        for desc in colliders {
            let own = parts_of(&desc.shape, &desc.pose);
            slots.push(Slot { generation: 1, collider: Some(Collider::of(desc, mobility, own.len())) });
            parts.push(own);
        }
        Composite::assemble(slots, parts).map(Some)
    }

    /// Returns the composite of a body that had one collider at its frame.
    pub(crate) fn of_single(shape: &Shape, collider: Collider) -> Result<(Composite, Shape), WorldError> {
        let parts = parts_of(shape, &Pose::IDENTITY);
        let collider = Collider { n_parts: parts.len() as u32, ..collider };
        let slots = alloc::vec![Slot { generation: 1, collider: Some(collider) }];
        Composite::assemble(slots, alloc::vec![parts])
    }

    /// Builds a composite from colliders. Also returns their common shape.
    pub(crate) fn assemble(slots: Vec<Slot>, parts: PartsBySlot) -> Result<(Composite, Shape), WorldError> {
        if usize::from(u16::MAX) <= slots.len() {
            return Err(WorldError::Full);
        }
        let all: Vec<CompoundPart> = in_order(&slots).flat_map(|slot| parts[slot].iter().cloned()).collect();
        let shape = if all.is_empty() { point()? } else { compound(all)? };
        let composite = Composite::restored(slots, &shape).map_err(WorldError::Inconsistent)?;
        Ok((composite, shape))
    }

    /// Returns the composite with these slots whose colliders have this common shape.
    ///
    /// Errors: the shape has another number of parts.
    pub(crate) fn restored(slots: Vec<Slot>, shape: &Shape) -> Result<Composite, Inconsistency> {
        let wrong =
            Inconsistency { what: "a body of several colliders whose shape has other parts", index: 0 };
        let parts: &[CompoundPart] = match shape {
            Shape::Compound(compound) => compound.parts(),
            _ => &[],
        };
        let (mut starts, mut placed, mut first) = (Vec::new(), alloc::vec![None; slots.len()], 0_usize);
        let mut n_solid = 0;
        for slot in in_order(&slots) {
            let Some(collider) = &slots[slot].collider else { continue };
            let end = first.saturating_add(collider.n_parts as usize);
            let own = parts.get(first..end).filter(|own| !own.is_empty()).ok_or(wrong)?;
            placed[slot] = Some(compound(own.to_vec()).map_err(|_| wrong)?);
            starts.push((first as u32, slot as u16));
            first = end;
            n_solid = if collider.traits.is_sensor { n_solid } else { end };
        }
        if first != parts.len() {
            return Err(wrong);
        }
        let solid = match n_solid {
            0 => None,
            n if n == parts.len() => Some(shape.clone()),
            n => Some(compound(parts[..n].to_vec()).map_err(|_| wrong)?),
        };
        let mut composite = Composite { slots, placed, solid, starts, is_uniform: true };
        composite.renew();
        Ok(composite)
    }

    /// Updates whether all solid colliders have the same filter.
    pub(crate) fn renew(&mut self) {
        let mut filters = self.solids().map(|(_, collider)| collider.traits.user_filter());
        let first = filters.next();
        let is_uniform = filters.all(|filter| Some(filter) == first);
        drop(filters);
        self.is_uniform = is_uniform;
    }

    /// Changes a collider, which must stay a sensor or a solid one. After a change of the filter,
    /// call [`Composite::renew`].
    pub(crate) fn change(&mut self, slot: ColliderSlot, change: impl FnOnce(&mut Collider)) {
        let found = self.slots.get_mut(usize::from(slot.index));
        found.and_then(|slot| slot.collider.as_mut()).map(change);
    }

    /// Whether contacts of the solid colliders have the numbers that they had in another
    /// composite. Without another one, those with the single shape of the body count. A triangle
    /// of a mesh and a point of a cloud have a number each.
    pub(crate) fn has_numbers_of(&self, other: Option<&Composite>, single: Option<&Shape>) -> bool {
        let mut own = self.solid_counts();
        match other {
            Some(other) => other.solid_counts().all(|count| own.next() == Some(count)),
            None => {
                let count = single.map(|shape| (ColliderSlot::FIRST.index, shape.n_parts()));
                count.is_none() || own.next() == count
            }
        }
    }

    /// Returns the slots of the solid colliders in the order of their numbers, each with how many
    /// numbers it has.
    fn solid_counts(&self) -> impl Iterator<Item = (u16, u32)> + '_ {
        self.solids().map(|(slot, _)| (slot.index, self.placed(slot.index).map_or(0, Shape::n_parts)))
    }

    /// Returns the slots, for a snapshot.
    pub(crate) fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// Returns all colliders with their slots.
    pub(crate) fn colliders(&self) -> impl Iterator<Item = (ColliderSlot, &Collider)> + '_ {
        (0..).zip(&self.slots).filter_map(|(index, slot)| {
            Some((ColliderSlot { index, generation: slot.generation }, slot.collider.as_ref()?))
        })
    }

    /// Returns the properties of all colliders with their slots.
    pub(crate) fn all_traits(&self) -> impl Iterator<Item = (ColliderSlot, &Traits)> + '_ {
        self.colliders().map(|(slot, collider)| (slot, &collider.traits))
    }

    fn solids(&self) -> impl Iterator<Item = (ColliderSlot, &Collider)> + '_ {
        self.colliders().filter(|(_, collider)| !collider.traits.is_sensor)
    }

    pub(crate) fn is_uniform(&self) -> bool {
        self.is_uniform
    }

    /// Returns the solid colliders as one shape; `None` if there is none.
    pub(crate) fn solid(&self) -> Option<&Shape> {
        self.solid.as_ref()
    }

    /// Returns a collider that is on the body now.
    pub(crate) fn get(&self, slot: ColliderSlot) -> Option<&Collider> {
        let found = self.slots.get(usize::from(slot.index))?;
        found.collider.as_ref().filter(|_| found.generation == slot.generation)
    }

    pub(crate) fn at(&self, index: u16) -> Option<&Collider> {
        self.slots.get(usize::from(index))?.collider.as_ref()
    }

    /// Calls `change` for each collider.
    pub(crate) fn change_all(&mut self, change: &mut dyn FnMut(&mut Collider)) {
        self.slots.iter_mut().filter_map(|slot| slot.collider.as_mut()).for_each(change);
    }

    /// Returns the first collider whose surface moves.
    pub(crate) fn first_belt(&self) -> Option<&Collider> {
        self.colliders().map(|(_, collider)| collider).find(|collider| collider.surface != [Vec3::ZERO; 2])
    }

    /// Returns the shape of a collider in the frame of the body.
    pub(crate) fn placed(&self, index: u16) -> Option<&Shape> {
        self.placed.get(usize::from(index))?.as_ref()
    }

    /// Returns the parts of each slot, in the frame of the body.
    pub(crate) fn parts(&self) -> PartsBySlot {
        let own = |shape: &Option<Shape>| match shape {
            Some(Shape::Compound(compound)) => compound.parts().to_vec(),
            _ => Vec::new(),
        };
        self.placed.iter().map(own).collect()
    }

    /// Returns the shape of a collider in its own frame.
    pub(crate) fn own_shape(&self, index: u16) -> Option<Shape> {
        let (collider, placed) = (self.at(index)?, self.placed(index)?);
        let Shape::Compound(whole) = placed else { return None };
        match whole.parts() {
            [only] if only.pose == collider.pose => Some(only.shape.clone()),
            parts => compound(moved(parts, &collider.pose, &Pose::IDENTITY)).ok(),
        }
    }

    /// Returns the slot of a part of the common shape, and the number of the part in its collider.
    /// `number` is that of the part in a contact or a hit.
    pub(crate) fn locate(&self, shape: &Shape, number: u32) -> (ColliderSlot, u32) {
        let Shape::Compound(compound) = shape else { return (ColliderSlot::FIRST, number) };
        let part = compound.locate(number).0 as u32;
        let place = self.starts.partition_point(|&(first, _)| first <= part).saturating_sub(1);
        let (first, index) = self.starts.get(place).copied().unwrap_or_default();
        let generation = self.slots.get(usize::from(index)).map_or(0, |slot| slot.generation);
        (ColliderSlot { index, generation }, number - compound.first_number(first as usize))
    }

    /// Returns the number that the first part of a collider has in the common shape.
    pub(crate) fn first_number(&self, shape: &Shape, index: u16) -> u32 {
        let found = self.starts.iter().find(|&&(_, slot)| slot == index);
        match (shape, found) {
            (Shape::Compound(compound), Some(&(first, _))) => compound.first_number(first as usize),
            _ => 0,
        }
    }

    /// Returns mass, centre and inertia of the solid colliders, each with its own density. If all
    /// are sensors, they all count.
    ///
    /// Errors: [`WorldError::NoMass`].
    pub(crate) fn mass(&self) -> Result<MassProperties, WorldError> {
        self.mass_with(|collider| collider.density)
    }

    /// Returns the same as [`Composite::mass`] up to a common factor: if all densities are 0, those
    /// of density 1.
    pub(crate) fn proportions(&self) -> Result<MassProperties, WorldError> {
        let is_light = self.with_mass().all(|(collider, _)| collider.density == 0.0);
        self.mass_with(|collider| if is_light { 1.0 } else { collider.density })
    }

    /// Returns the colliders that count for the mass, and their shapes: the solid ones, or all if
    /// there are only sensors.
    fn with_mass(&self) -> impl Iterator<Item = (&Collider, &Shape)> {
        let all_sense = self.solid.is_none();
        let placed = self.starts.iter().filter_map(|&(_, slot)| Some((self.at(slot)?, self.placed(slot)?)));
        placed.filter(move |(collider, _)| all_sense || !collider.traits.is_sensor)
    }

    fn mass_with(&self, density_of: impl Fn(&Collider) -> f32) -> Result<MassProperties, WorldError> {
        let counted = self.with_mass().map(|(collider, placed)| (placed, density_of(collider)));
        let counted: Vec<(&Shape, f32)> = counted.collect();
        let mut masses = Vec::new();
        for (placed, density) in &counted {
            let Shape::Compound(placed) = placed else { continue };
            if placed.parts().iter().any(CompoundPart::is_half_space) {
                return weight::checked(MassProperties::ZERO, &counted);
            }
            let mass_of = |part: &CompoundPart| part.shape.mass_properties(*density).placed(&part.pose);
            masses.extend(placed.parts().iter().map(mass_of));
        }
        weight::checked(MassProperties::combined(&masses), &counted)
    }

    /// Returns the traits of the whole body, after a change of its colliders. Flags, mobility and
    /// user data are those of `body`.
    pub(crate) fn summary(&self, body: &Traits) -> Traits {
        let mut all = self.colliders().map(|(_, collider)| &collider.traits);
        let groups = body.filter.with_groups(Groups::empty(), Groups::empty());
        let nothing = Traits { filter: groups, is_sensor: true, ..Traits::NONE };
        let mut sum = all.next().map_or(nothing, |first| Traits { filter: groups, ..*first });
        for traits in self.colliders().map(|(_, collider)| &collider.traits) {
            sum.filter.membership |= traits.filter.membership;
            sum.filter.mask |= traits.filter.mask;
            sum.is_sensor &= traits.is_sensor;
            sum.has_sensor |= traits.is_sensor;
            sum.hooks |= traits.hooks;
            sum.impulse_threshold = sum.impulse_threshold.min(traits.impulse_threshold);
            sum.rolling_friction = sum.rolling_friction.max(traits.rolling_friction);
            sum.spinning_friction = sum.spinning_friction.max(traits.spinning_friction);
            sum.family = if sum.family == traits.family { sum.family } else { 0 };
            if sum.restitution < traits.restitution {
                (sum.restitution, sum.restitution_rule) = (traits.restitution, CombineRule::Max);
            }
        }
        Traits {
            is_composite: true,
            is_fast: body.is_fast,
            records_pushes: body.records_pushes,
            has_part_materials: body.has_part_materials,
            user_data: body.user_data,
            ..sum
        }
    }
}

impl Collider {
    pub(crate) fn of(desc: &ColliderDesc, mobility: Mobility, n_parts: usize) -> Collider {
        Collider {
            traits: desc.traits(mobility),
            density: desc.density,
            pose: desc.pose,
            surface: [desc.material.surface_velocity, desc.material.surface_spin],
            n_parts: n_parts as u32,
        }
    }
}

/// Whether colliders of a snapshot have valid numbers.
pub(crate) fn are_sound(slots: &[Slot]) -> bool {
    let is_amount = |x: f32| 0.0 <= x && x < f32::INFINITY;
    slots.len() < usize::from(u16::MAX)
        && slots.iter().all(|slot| {
            slot.generation < u16::MAX
                && (slot.generation % 2 == 1) == slot.collider.is_some()
                && slot.collider.as_ref().is_none_or(|collider| {
                    let Collider { traits, density, pose, surface, n_parts } = collider;
                    [
                        traits.friction,
                        traits.restitution,
                        traits.rolling_friction,
                        traits.spinning_friction,
                        traits.impulse_threshold,
                        *density,
                    ]
                    .into_iter()
                    .all(is_amount)
                        && Pose::try_new(pose.rotation, pose.translation).is_ok()
                        && surface.iter().all(|v| v.is_finite())
                        && 0 < *n_parts
                })
        })
}

/// Returns the slots with a collider in the order of their parts: solid ones, then sensors.
pub(crate) fn in_order(slots: &[Slot]) -> impl Iterator<Item = usize> + '_ {
    let with = |is_sensor: bool| {
        let is_it = move |slot: &Slot| {
            slot.collider.as_ref().is_some_and(|collider| collider.traits.is_sensor == is_sensor)
        };
        slots.iter().enumerate().filter(move |(_, slot)| is_it(slot)).map(|(index, _)| index)
    };
    with(false).chain(with(true))
}

/// Returns the parts of a collider's shape in the frame of the body.
pub(crate) fn parts_of(shape: &Shape, pose: &Pose) -> Vec<CompoundPart> {
    match shape {
        Shape::Compound(compound) => moved(compound.parts(), &Pose::IDENTITY, pose),
        shape => alloc::vec![CompoundPart { shape: shape.clone(), pose: *pose }],
    }
}

/// Returns parts of a collider after a change of its pose.
pub(crate) fn moved(parts: &[CompoundPart], from: &Pose, to: &Pose) -> Vec<CompoundPart> {
    // A pose that is changed in each frame would lose its length to rounding.
    let unit = |pose: Pose| Pose { rotation: rotation::normalize(pose.rotation), ..pose };
    let pose_at = |pose: &Pose| match pose {
        pose if from == to => *pose,
        pose if pose == from => *to,
        pose if *from == Pose::IDENTITY => unit(*to * *pose),
        pose => unit(*to * (from.inverse() * *pose)),
    };
    parts.iter().map(|part| CompoundPart { shape: part.shape.clone(), pose: pose_at(&part.pose) }).collect()
}

pub(crate) fn compound(parts: Vec<CompoundPart>) -> Result<Shape, WorldError> {
    Ok(Shape::Compound(Arc::new(Compound::new(parts).map_err(WorldError::BadCollider)?)))
}

/// Returns the shape of a body without a collider. It is in no group, so it touches nothing.
pub(crate) fn point() -> Result<Shape, WorldError> {
    Sphere::new(0.0).map(Shape::Sphere).map_err(|_| WorldError::NoMass(MassFault::NoCollider))
}

/// The composites, by number of their body. Most worlds have none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Composites {
    of_bodies: Vec<Option<Box<Composite>>>,
    n: usize,
}

impl Composites {
    pub(crate) fn is_empty(&self) -> bool {
        self.n == 0
    }

    pub(crate) fn get(&self, body: u32) -> Option<&Composite> {
        self.of_bodies.get(body as usize)?.as_deref()
    }

    pub(crate) fn get_mut(&mut self, body: u32) -> Option<&mut Composite> {
        self.of_bodies.get_mut(body as usize)?.as_deref_mut()
    }

    pub(crate) fn set(&mut self, body: u32, composite: Option<Composite>) {
        let index = body as usize;
        if self.of_bodies.len() <= index {
            if composite.is_none() {
                return;
            }
            self.of_bodies.resize(index + 1, None);
        }
        self.n += usize::from(composite.is_some());
        self.n -= usize::from(self.of_bodies[index].is_some());
        self.of_bodies[index] = composite.map(Box::new);
    }

    /// Returns all composites with their bodies, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &Composite)> + '_ {
        (0..).zip(&self.of_bodies).filter_map(|(body, composite)| Some((body, composite.as_deref()?)))
    }
}
