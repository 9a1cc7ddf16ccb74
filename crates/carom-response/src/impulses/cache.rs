//! The impulses of the last step, for the warm start of the next one. Without them stacks fall.
//!
//! A contact finds its cached impulse by pair, parts and features. If a pair sleeps, its impulses
//! are stored with one of its bodies.
//!
//! Reference: E. Catto, Contact Manifolds, GDC 2007 (feature ids); E. Catto, Iterative Dynamics
//! with Temporal Coherence, GDC 2005 (warm starting).

use crate::contacts::contact::{ContactImpulse, PairKey, scale_for};
use crate::impulses::damping::{NO_MEAN, Normal};
use crate::memory;
use alloc::vec::Vec;
use carom_geom::{Contact, FeatureId, MAX_CONTACTS};
use carom_lanes::prefetch;
use carom_math::{Real, Vec3};

/// The data that matches the contacts of a pair in the next step.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct ManifoldKey {
    pub(crate) key: PairKey,
    pub(crate) normal: Vec3,
    features: [(FeatureId, FeatureId); MAX_CONTACTS],
    /// Contact points, relative to A's centre of mass.
    anchors: [Vec3; MAX_CONTACTS],
    /// Mean normal impulses of a substep, over the last steps; [`NO_MEAN`] for a new contact.
    pub(crate) means: [Real; MAX_CONTACTS],
    n: u8,
}

/// A pair with its impulses, cached for the next step.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct CachedImpulse {
    #[cfg_attr(feature = "serde", serde(rename = "trace"))]
    pub(crate) manifold_key: ManifoldKey,
    /// Impulse of one substep.
    impulse: ContactImpulse,
}

/// The cached pairs of a step.
///
/// They are in the order of lanes, eight for each group, so impulses are stored as whole lanes.
/// The order of the next step is almost the same, so reads are nearly sequential.
#[derive(Clone, Debug, Default)]
pub(crate) struct ImpulseCache {
    /// Key and position of each pair, sorted by key.
    pub(crate) order: Vec<(PairKey, u32)>,
    pub(crate) manifold_keys: Vec<ManifoldKey>,
    pub(crate) impulses: Vec<ContactImpulse>,
}

impl ImpulseCache {
    /// Returns a list of these pairs, which may be in any order.
    pub(crate) fn of(pairs: impl IntoIterator<Item = CachedImpulse>) -> ImpulseCache {
        let mut list = ImpulseCache::default();
        list.extend(pairs);
        list
    }

    /// Adds pairs, in any order.
    pub(crate) fn extend(&mut self, pairs: impl IntoIterator<Item = CachedImpulse>) {
        let n = self.order.len();
        for cached in pairs {
            let index = self.push(&cached);
            self.order.push((cached.manifold_key.key, index));
        }
        if n < self.order.len() {
            self.order.sort_by_key(|&(key, _)| key);
        }
    }

    /// Appends a pair without an entry in `order`. Returns its position.
    pub(crate) fn push(&mut self, cached: &CachedImpulse) -> u32 {
        let index = self.manifold_keys.len() as u32;
        self.manifold_keys.push(cached.manifold_key);
        self.impulses.push(cached.impulse);
        index
    }

    /// Returns the pair at a position.
    pub(crate) fn get(&self, index: u32) -> Option<CachedImpulse> {
        let index = index as usize;
        Some(CachedImpulse {
            manifold_key: *self.manifold_keys.get(index)?,
            impulse: *self.impulses.get(index)?,
        })
    }

    /// Returns all pairs, sorted by key.
    pub(crate) fn iter(&self) -> impl Iterator<Item = CachedImpulse> {
        self.order.iter().filter_map(|&(_, index)| self.get(index))
    }

    /// Shrinks lists that are far larger than their contents.
    pub(crate) fn shrink_unused(&mut self) {
        memory::shrink_unused(&mut self.order);
        memory::shrink_unused(&mut self.manifold_keys);
        memory::shrink_unused(&mut self.impulses);
    }

    pub(crate) fn clear(&mut self) {
        self.order.clear();
        self.manifold_keys.clear();
        self.impulses.clear();
    }

    /// Makes room for `n_groups` groups. The contents are overwritten later.
    pub(crate) fn resize(&mut self, n_groups: usize) {
        memory::renew(&mut self.manifold_keys, 8 * n_groups, ManifoldKey::default());
        memory::renew(&mut self.impulses, 8 * n_groups, ContactImpulse::default());
    }

    /// Prefetches a pair into the cache.
    #[inline]
    pub(crate) fn prefetch(&self, index: u32) {
        prefetch(&self.manifold_keys, index as usize);
        prefetch(&self.impulses, index as usize);
    }
}

/// Cached impulses of pairs at rest, stored under one of their bodies.
#[derive(Clone, Debug, Default)]
pub(crate) struct SleepingImpulses {
    /// Length of the substep of these impulses. An impulse is proportional to it.
    pub(crate) h: Real,
    pub(crate) own: Vec<CachedImpulse>,
}

impl SleepingImpulses {
    /// Stores an impulse of a substep of length `h`. Its mean is dropped, because it is out of date
    /// when the pair moves again.
    pub(crate) fn put(&mut self, cached: &CachedImpulse, h: Real) {
        if self.own.is_empty() {
            self.h = h;
        }
        // The default growth would reserve four entries.
        self.own.reserve_exact(1);
        let mut cached = cached.for_substep(self.h, h);
        cached.manifold_key.means = [NO_MEAN; MAX_CONTACTS];
        self.own.push(cached);
    }

    /// Returns all entries, scaled to a substep of length `h`.
    pub(crate) fn take_all(self, h: Real) -> impl Iterator<Item = CachedImpulse> {
        let own_h = self.h;
        self.own.into_iter().map(move |cached| cached.for_substep(h, own_h))
    }

    /// Removes all entries of the two bodies of a pair.
    pub(crate) fn forget(&mut self, pair: PairKey) {
        let is_of_both = |key: PairKey| (key.body_a, key.body_b) == (pair.body_a, pair.body_b);
        self.own.retain(|cached| !is_of_both(cached.manifold_key.key));
    }

    /// Removes the entry of a pair, and returns it scaled to a substep of length `h`.
    pub(crate) fn take(&mut self, key: PairKey, h: Real) -> Option<CachedImpulse> {
        let index = self.own.iter().rposition(|cached| cached.manifold_key.key == key)?;
        Some(self.own.swap_remove(index).for_substep(h, self.h))
    }
}

impl CachedImpulse {
    /// Scales the impulses from a substep of length `from` to one of length `h`.
    fn for_substep(mut self, h: Real, from: Real) -> CachedImpulse {
        if h != from && 0.0 < h && 0.0 < from {
            let ratio = scale_for(h, from);
            self.manifold_key.means = self.manifold_key.means.map(|mean| mean * ratio);
            let ContactImpulse { normal, friction, twist } = &mut self.impulse;
            *normal = normal.map(|impulse| impulse * ratio);
            (*friction, *twist) = (*friction * ratio, *twist * ratio);
        }
        self
    }
}

impl ManifoldKey {
    /// Whether the count of contacts is in range and all vectors are finite.
    pub(crate) fn is_sound(&self) -> bool {
        let anchors = self.anchors.get(..usize::from(self.n));
        self.normal.is_finite()
            && self.means.iter().all(|mean| mean.is_finite())
            && anchors.is_some_and(|anchors| anchors.iter().all(|anchor| anchor.is_finite()))
    }

    pub(crate) fn new(
        key: PairKey,
        normal: Vec3,
        contacts: &[Contact],
        center: Vec3,
        normals: &[Normal; MAX_CONTACTS],
    ) -> ManifoldKey {
        let means = normals.map(|normal| normal.mean);
        let mut manifold_key =
            ManifoldKey { key, normal, means, n: contacts.len() as u8, ..ManifoldKey::default() };
        for (k, c) in contacts.iter().enumerate() {
            manifold_key.features[k] = (c.feature_a, c.feature_b);
            manifold_key.anchors[k] = c.middle() - center;
        }
        manifold_key
    }

    /// Assigns the impulses `old` of this key to new contacts. Returns how many were matched by
    /// their features. `center` is A's centre of mass.
    ///
    /// Each remaining impulse is assigned to the nearest contact without one. If a corner slides
    /// over an edge, its features change but the load stays.
    pub(crate) fn hand_over(
        &self,
        old: &[Normal; MAX_CONTACTS],
        contacts: &[Contact],
        center: Vec3,
        normals: &mut [Normal; MAX_CONTACTS],
    ) -> usize {
        let n = usize::from(self.n).min(MAX_CONTACTS);
        let is_same =
            |(c, features): (&Contact, &(FeatureId, FeatureId))| *features == (c.feature_a, c.feature_b);
        if n == contacts.len() && contacts.iter().zip(&self.features).all(is_same) {
            normals[..n].copy_from_slice(&old[..n]);
            return n;
        }
        let mut old_is_free = [true; MAX_CONTACTS];
        let mut new_is_free = [true; MAX_CONTACTS];
        let mut n_known = 0;
        for (k, c) in contacts.iter().enumerate() {
            let same = |&j: &usize| old_is_free[j] && self.features[j] == (c.feature_a, c.feature_b);
            if let Some(j) = (0..n).find(same) {
                normals[k] = old[j];
                old_is_free[j] = false;
                new_is_free[k] = false;
                n_known += 1;
            }
        }
        for _ in n_known..n.min(contacts.len()) {
            let mut best = (Real::INFINITY, 0, 0);
            for k in (0..contacts.len()).filter(|&k| new_is_free[k]) {
                let anchor = (contacts[k].point_a + contacts[k].point_b) * 0.5 - center;
                for j in (0..n).filter(|&j| old_is_free[j]) {
                    let d = (anchor - self.anchors[j]).length_squared();
                    if d < best.0 {
                        best = (d, k, j);
                    }
                }
            }
            let (_, k, j) = best;
            normals[k] = old[j];
            new_is_free[k] = false;
            old_is_free[j] = false;
        }
        n_known
    }
}
