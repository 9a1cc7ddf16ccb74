//! A property of each soft thing, found by the number of a particle.

use crate::soft::set::{SoftSet, Thing};
use alloc::sync::Arc;
use alloc::vec::Vec;

/// A property of each thing.
pub(crate) struct PerThing<T> {
    /// By thing; `None` for a free slot.
    things: Vec<Option<T>>,
    /// The thing of each particle.
    owners: Arc<[u32]>,
}

impl<T> PerThing<T> {
    pub(crate) fn of(set: &SoftSet, property: impl Fn(&Thing) -> T) -> PerThing<T> {
        let things = set.slots.iter().map(|slot| slot.thing.as_ref().map(&property));
        PerThing { things: things.collect(), owners: set.owners.clone() }
    }

    /// Returns the property of the thing of a particle.
    pub(crate) fn at(&self, particle: u32) -> Option<&T> {
        self.things.get(*self.owners.get(particle as usize)? as usize)?.as_ref()
    }
}
