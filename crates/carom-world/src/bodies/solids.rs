//! Decides which shapes of two bodies may push each other.
//!
//! Two bodies of one collider each have one pair of shapes. With several colliders:
//!
//! - If all colliders of a body have the same filter, they are tested as one compound. So the
//!   result is the same, bit for bit, as for a body with that compound (test:
//!   `colliders::as_one_compound`).
//! - Otherwise each pair of colliders that the filters allow is tested.
//!
//! Sensors push nothing, and hooks may reject pairs of colliders.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 2.4 (filters of pairs).

use crate::bodies::composites::{Composite, Composites};
use crate::bodies::id::ColliderSlot;
use crate::bodies::part_materials::{PartMaterial, PartMaterials};
use crate::bodies::traits::Traits;
use alloc::vec::Vec;
use carom_geom::{Contact, Manifold};
use carom_math::Pose;
use carom_query::{ManifoldCache, Shape, manifolds};

/// A pair of colliders with their bodies, for the tables of hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct ColliderPair {
    pub(crate) bodies: [u32; 2],
    pub(crate) slots: [ColliderSlot; 2],
}

/// Selects a shape of a body: all solid colliders, or one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Whole,
    Slot(u16),
}

/// The colliders of all bodies.
#[derive(Clone, Copy)]
pub(crate) struct Solids<'a> {
    pub(crate) shapes: &'a [Option<Shape>],
    pub(crate) traits: &'a [Traits],
    pub(crate) composites: &'a Composites,
    pub(crate) part_materials: &'a PartMaterials,
    /// Pairs of colliders, sorted: those that a filter hook rejected, and those disabled in this
    /// step.
    pub(crate) apart: [&'a [ColliderPair]; 2],
}

impl<'a> Solids<'a> {
    /// Whether one of two bodies has its colliders in `composites`.
    #[inline]
    pub(crate) fn is_composite(&self, a: usize, b: usize) -> bool {
        self.traits[a].is_composite | self.traits[b].is_composite
    }

    /// Returns the colliders of a body, if they are in `composites`.
    pub(crate) fn composite(&self, body: usize) -> Option<&'a Composite> {
        self.composites.get(body as u32).filter(|_| self.traits[body].is_composite)
    }

    /// Returns a shape of a body.
    pub(crate) fn shape(&self, body: usize, part: Part) -> Option<&'a Shape> {
        match (self.composite(body), part) {
            (None, _) => self.shapes.get(body)?.as_ref(),
            (Some(composite), Part::Whole) => composite.solid(),
            (Some(composite), Part::Slot(slot)) => composite.placed(slot),
        }
    }

    /// Returns all solid colliders of a body as one shape; `None` if it has none.
    pub(crate) fn whole(&self, body: usize) -> Option<&'a Shape> {
        self.shape(body, Part::Whole)
    }

    /// Appends the manifolds of two bodies of which one has several colliders, at these poses, in
    /// the order of the colliders. Parts are numbered as in the common shape of a body.
    pub(crate) fn manifolds(
        &self,
        [a, b]: [usize; 2],
        [pose_a, pose_b]: [&Pose; 2],
        reach: f32,
        out: &mut Vec<Manifold>,
    ) {
        let start = out.len();
        for [own, other] in self.pairs(a, b) {
            let (Some(shape_a), Some(shape_b)) = (self.shape(a, own), self.shape(b, other)) else {
                continue;
            };
            let first = out.len();
            // Compounds do not use the cache of the pair.
            let cache = &mut ManifoldCache::new();
            manifolds(shape_a, pose_a, shape_b, pose_b, reach, cache, out);
            let (first_a, first_b) = (self.first_number(a, own), self.first_number(b, other));
            for contact in out[first..].iter_mut().flat_map(|manifold| manifold.contacts_mut()) {
                contact.part_a = contact.part_a.saturating_add(first_a);
                contact.part_b = contact.part_b.saturating_add(first_b);
            }
        }
        let slots = |manifold: &Manifold| self.slots_of([a, b], manifold);
        if !out[start..].is_sorted_by_key(slots) {
            // Colliders of several parts. Stable, so the order within each pair stays.
            out[start..].sort_by_key(slots);
        }
    }

    /// Whether manifolds of two bodies may have different materials: they depend on the collider,
    /// or on the part of it.
    #[inline]
    pub(crate) fn has_materials(&self, a: usize, b: usize) -> bool {
        self.is_composite(a, b) | self.has_part_materials(a, b)
    }

    /// Whether one of two bodies has materials by part.
    #[inline]
    pub(crate) fn has_part_materials(&self, a: usize, b: usize) -> bool {
        self.traits[a].has_part_materials | self.traits[b].has_part_materials
    }

    /// Returns the collider of a part, and the number of the part among those of the collider.
    /// `part` is its number in a contact.
    pub(crate) fn locate(&self, body: usize, part: u32) -> (ColliderSlot, u32) {
        match (self.composite(body), &self.shapes[body]) {
            (Some(composite), Some(shape)) => composite.locate(shape, part),
            _ => (ColliderSlot::FIRST, part),
        }
    }

    /// Returns the collider of a part, given by its number in a contact.
    pub(crate) fn slot_of(&self, body: usize, part: u32) -> ColliderSlot {
        self.locate(body, part).0
    }

    /// Returns the material of a part of a collider, if its parts have materials of their own.
    pub(crate) fn part_material(
        &self,
        body: usize,
        (slot, part): (ColliderSlot, u32),
    ) -> Option<&'a PartMaterial> {
        let own =
            self.part_materials.of(body as u32, slot.index).filter(|_| self.traits[body].has_part_materials);
        own?.get(part as usize)
    }

    /// Returns the properties of the collider of a part, given by its number in a contact.
    pub(crate) fn traits_at(&self, body: usize, part: u32) -> Traits {
        let place = self.locate(body, part);
        let traits = *self.traits_of(body, place.0);
        self.part_material(body, place).map_or(traits, |part| traits.with_material(&part.material))
    }

    /// Returns the colliders of a manifold of two bodies.
    pub(crate) fn slots_of(&self, [a, b]: [usize; 2], manifold: &Manifold) -> [ColliderSlot; 2] {
        let first = manifold.contacts().first();
        let (part_a, part_b) = first.map_or((0, 0), |contact| (contact.part_a, contact.part_b));
        [self.slot_of(a, part_a), self.slot_of(b, part_b)]
    }

    /// Returns friction and restitution of a manifold of two bodies, by the combine rules of its
    /// colliders. With materials by part, it is the mean over the points.
    pub(crate) fn mixed(&self, bodies: [usize; 2], manifold: &Manifold) -> [f32; 2] {
        let [a, b] = bodies;
        if self.has_part_materials(a, b) {
            let mixed = |c: &Contact| self.traits_at(a, c.part_a).mixed_with(&self.traits_at(b, c.part_b));
            return mean_over(manifold, mixed);
        }
        let [slot_a, slot_b] = self.slots_of(bodies, manifold);
        self.traits_of(bodies[0], slot_a).mixed_with(self.traits_of(bodies[1], slot_b))
    }

    /// Returns the rolling and the spinning friction of a manifold of two bodies. Each is the
    /// larger one of the two values.
    pub(crate) fn mixed_rotation(&self, [a, b]: [usize; 2], manifold: &Manifold) -> [f32; 2] {
        let larger =
            |c: &Contact| self.traits_at(a, c.part_a).mixed_rotation_with(&self.traits_at(b, c.part_b));
        mean_over(manifold, larger)
    }

    /// Returns the properties of a collider. If the body has one collider, they are those of the
    /// body.
    pub(crate) fn traits_of(&self, body: usize, slot: ColliderSlot) -> &'a Traits {
        let found = self.composite(body).and_then(|composite| composite.at(slot.index));
        found.map_or(&self.traits[body], |collider| &collider.traits)
    }

    /// Returns the number of the first part of a shape among those of the body.
    pub(crate) fn first_number(&self, body: usize, part: Part) -> u32 {
        match (self.composite(body), &self.shapes[body], part) {
            (Some(composite), Some(shape), Part::Slot(slot)) => composite.first_number(shape, slot),
            _ => 0,
        }
    }

    /// Returns all colliders of a body with their properties.
    pub(crate) fn colliders(&self, body: usize) -> Vec<(ColliderSlot, &'a Traits)> {
        match self.composite(body) {
            None => alloc::vec![(ColliderSlot::FIRST, &self.traits[body])],
            Some(composite) => composite.all_traits().collect(),
        }
    }

    /// Returns the pairs of colliders of two bodies that filters and hooks allow, in the order of
    /// their slots.
    pub(crate) fn allowed_pairs(&self, a: usize, b: usize) -> Vec<[(ColliderSlot, &'a Traits); 2]> {
        let others = self.colliders(b);
        let mut found = Vec::new();
        for own in self.colliders(a) {
            let meets = others.iter().filter(|other| own.1.meets(other.1));
            found.extend(meets.map(|&other| [own, other]).filter(|pair| !self.are_apart(a, b, pair)));
        }
        found
    }

    fn are_apart(&self, a: usize, b: usize, pair: &[(ColliderSlot, &Traits); 2]) -> bool {
        let key = ColliderPair { bodies: [a as u32, b as u32], slots: [pair[0].0, pair[1].0] };
        self.apart.iter().any(|list| list.binary_search(&key).is_ok())
    }

    /// Returns the pairs of shapes of a body and another one that may push each other.
    pub(crate) fn part_pairs(&self, own: usize, other: usize) -> impl Iterator<Item = [Part; 2]> + use<> {
        let is_composite = self.is_composite(own, other);
        let mut several = Vec::new();
        if is_composite {
            several = self.pairs(own.min(other), own.max(other));
            if other < own {
                several.iter_mut().for_each(|parts| parts.reverse());
            }
        }
        (!is_composite).then_some([Part::Whole; 2]).into_iter().chain(several)
    }

    /// Returns the pairs of shapes of two bodies that may push each other. One of the bodies has
    /// several colliders.
    pub(crate) fn pairs(&self, a: usize, b: usize) -> Vec<[Part; 2]> {
        let is_split = |list: &&[ColliderPair]| {
            let bodies = [a as u32, b as u32];
            let first = list.partition_point(|pair| pair.bodies < bodies);
            list.get(first).is_some_and(|pair| pair.bodies == bodies)
        };
        let is_uniform = |body: usize| self.composite(body).is_none_or(Composite::is_uniform);
        let solid = |body: usize| {
            let all = self.colliders(body).into_iter();
            all.filter(|(_, traits)| !traits.is_sensor).collect::<Vec<_>>()
        };
        if is_uniform(a) && is_uniform(b) && !self.apart.iter().any(is_split) {
            let [own, other] = [a, b].map(|body| self.first_solid(body));
            let meets = own.zip(other).is_some_and(|(own, other)| own.meets(other));
            return if meets { alloc::vec![[Part::Whole; 2]] } else { Vec::new() };
        }
        let others = solid(b);
        let part = |body: usize, slot: ColliderSlot| {
            if self.traits[body].is_composite { Part::Slot(slot.index) } else { Part::Whole }
        };
        let mut found = Vec::new();
        for own in solid(a) {
            let meets = others.iter().map(|&other| [own, other]);
            let meets = meets.filter(|pair| pair[0].1.meets(pair[1].1) && !self.are_apart(a, b, pair));
            found.extend(meets.map(|[own, other]| [part(a, own.0), part(b, other.0)]));
        }
        found
    }

    fn first_solid(&self, body: usize) -> Option<&'a Traits> {
        match self.composite(body) {
            None => Some(&self.traits[body]).filter(|traits| !traits.is_sensor),
            Some(composite) => {
                let mut all = composite.colliders().map(|(_, collider)| &collider.traits);
                all.find(|traits| !traits.is_sensor)
            }
        }
    }
}

/// Returns the mean over the points of a manifold; 0 without points. If all values are equal, the
/// result is exact.
pub(crate) fn mean_over<const N: usize>(
    manifold: &Manifold,
    value: impl Fn(&Contact) -> [f32; N],
) -> [f32; N] {
    let Some((first, rest)) = manifold.contacts().split_first() else { return [0.0; N] };
    let first = value(first);
    let mut sum = [0.0; N];
    for contact in rest {
        let own = value(contact);
        (0..N).for_each(|k| sum[k] += own[k] - first[k]);
    }
    core::array::from_fn(|k| first[k] + sum[k] / manifold.contacts().len() as f32)
}
