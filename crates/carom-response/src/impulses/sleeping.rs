//! The impulses of pairs at rest, each pair stored with one of its bodies until that one moves.
//!
//! Reference: E. Catto, Simulation Islands, box2d.org, 2023 (contacts of sleeping islands keep
//! their impulses).

use crate::contacts::contact::PairKey;
use crate::impulses::damping::NO_MEAN;
use crate::impulses::impulse_list::CachedImpulse;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use carom_geom::MAX_CONTACTS;
use carom_math::Real;

/// Cached impulses of pairs in which no body moves and one sleeps or is suspended. The key is the
/// index of that body, or the larger index if both do.
#[derive(Clone, Debug, Default)]
pub(crate) struct SleepingImpulses(BTreeMap<u32, ImpulsesOfBody>);

/// The impulses that are stored with one body.
#[derive(Clone, Debug, Default)]
struct ImpulsesOfBody {
    /// Length of the substep of these impulses. An impulse is proportional to it.
    h: Real,
    pairs: Vec<CachedImpulse>,
}

impl SleepingImpulses {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// Returns all entries: the body, the length of the substep, and the pair.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, Real, CachedImpulse)> {
        self.0.iter().flat_map(|(&body, own)| own.pairs.iter().map(move |&cached| (body, own.h, cached)))
    }

    /// Returns the entries of a body between it and another one, with the length of the substep.
    pub(crate) fn between(&self, [body, other]: [u32; 2]) -> impl Iterator<Item = (Real, &CachedImpulse)> {
        let own = self.0.get(&body).into_iter();
        let all = own.flat_map(|own| own.pairs.iter().map(move |cached| (own.h, cached)));
        all.filter(move |(_, cached)| cached.manifold_key.key.bodies().contains(&other))
    }

    /// Stores an impulse of a substep of length `h` with a body. Its mean is dropped, because it is
    /// out of date when the pair moves again.
    pub(crate) fn put(&mut self, body: u32, cached: &CachedImpulse, h: Real) {
        let own = self.0.entry(body).or_default();
        if own.pairs.is_empty() {
            own.h = h;
        }
        // The default growth would reserve four entries.
        own.pairs.reserve_exact(1);
        let mut cached = cached.for_substep(own.h, h);
        cached.manifold_key.means = [NO_MEAN; MAX_CONTACTS];
        own.pairs.push(cached);
    }

    /// Drops the impulses of a body.
    pub(crate) fn forget(&mut self, body: u32) {
        self.0.remove(&body);
    }

    /// Removes the impulses of these bodies, and returns them scaled to a substep of length `h`.
    pub(crate) fn take_bodies(&mut self, bodies: &[u32], h: Real) -> Vec<CachedImpulse> {
        let mut taken = Vec::new();
        for body in bodies {
            if self.0.is_empty() {
                break;
            }
            if let Some(own) = self.0.remove(body) {
                taken.extend(own.pairs.into_iter().map(|cached| cached.for_substep(h, own.h)));
            }
        }
        taken
    }

    /// Removes all entries of the two bodies of a pair.
    pub(crate) fn forget_pair(&mut self, pair: PairKey) {
        for body in pair.bodies() {
            if let Some(own) = self.0.get_mut(&body) {
                own.pairs.retain(|cached| cached.manifold_key.key.bodies() != pair.bodies());
            }
        }
    }

    /// Removes the entry of a pair, and returns it scaled to a substep of length `h`.
    pub(crate) fn take_pair(&mut self, key: PairKey, h: Real) -> Option<CachedImpulse> {
        key.bodies().into_iter().find_map(|body| {
            let own = self.0.get_mut(&body)?;
            let index = own.pairs.iter().rposition(|cached| cached.manifold_key.key == key)?;
            Some(own.pairs.swap_remove(index).for_substep(h, own.h))
        })
    }
}
