//! Pairs with their impulses, and how the contacts of the next step find them.
//!
//! A contact finds its impulse by pair, parts and features.
//!
//! Reference: E. Catto, Contact Manifolds, GDC 2007 (feature ids); E. Catto, Iterative Dynamics
//! with Temporal Coherence, GDC 2005 (warm starting).

use crate::contacts::contact::{ContactImpulse, PairKey, scale_for};
use crate::contacts::summary::{NOT_MATCHED, Summary};
use crate::impulses::damping::Normal;
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
    /// Mean normal impulses of a substep, over the last steps. A new contact has
    /// [`NO_MEAN`](crate::impulses::damping::NO_MEAN).
    pub(crate) means: [Real; MAX_CONTACTS],
    n: u8,
}

/// A pair with its impulses, cached for the next step.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct CachedImpulse {
    pub(crate) manifold_key: ManifoldKey,
    /// Impulse of one substep.
    pub(crate) impulse: ContactImpulse,
}

impl CachedImpulse {
    /// Returns the force on one of its bodies in a substep of length `h`; zero if `h` is 0.
    pub(crate) fn force_on(&self, body: u32, h: Real) -> Vec3 {
        let ManifoldKey { key, normal, .. } = self.manifold_key;
        let impulse = normal * self.impulse.total_normal() + self.impulse.friction;
        match 0.0 < h {
            true => (if key.body_b == body { impulse } else { -impulse }) / h,
            false => Vec3::ZERO,
        }
    }
}

/// The pairs of a step, with their impulses.
///
/// They are in the order of lanes, eight for each group, so impulses are stored as whole lanes.
/// The order of the next step is almost the same, so reads are nearly sequential.
#[derive(Clone, Debug, Default)]
pub(crate) struct ImpulseList {
    /// Key and position of each pair, sorted by key.
    pub(crate) order: Vec<(PairKey, u32)>,
    pub(crate) manifold_keys: Vec<ManifoldKey>,
    pub(crate) impulses: Vec<ContactImpulse>,
}

impl ImpulseList {
    /// Returns a list of these pairs, which may be in any order.
    pub(crate) fn of(pairs: impl IntoIterator<Item = CachedImpulse>) -> ImpulseList {
        let mut list = ImpulseList::default();
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

    /// Returns the pairs of two bodies, A and B, sorted by key.
    pub(crate) fn between(&self, bodies: [u32; 2]) -> impl Iterator<Item = CachedImpulse> {
        let first = self.order.partition_point(|(key, _)| key.bodies() < bodies);
        let own = self.order[first..].iter().take_while(move |(key, _)| key.bodies() == bodies);
        own.filter_map(|&(_, index)| self.get(index))
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

/// Finds the cached pair of each active contact. Both lists are sorted by key, so they are merged
/// in one pass: `order` has the key and position of each cached pair. `left` gets the positions of
/// the cached pairs that match no active contact.
pub(crate) fn match_cached(
    summaries: &[Summary],
    active: &[u32],
    order: &[(PairKey, u32)],
    matched: &mut [u32],
    left: &mut Vec<u32>,
) {
    let mut order = order.iter().copied().peekable();
    for (&contact, matched) in active.iter().zip(matched) {
        let Summary { key, is_new, .. } = summaries[contact as usize];
        while let Some((_, index)) = order.next_if(|(old, _)| *old < key) {
            left.push(index);
        }
        // The entry belongs to a removed body that had the same index.
        while is_new && order.next_if(|(old, _)| *old == key).is_some() {}
        *matched = order.next_if(|(old, _)| *old == key).map_or(NOT_MATCHED, |(_, index)| index);
    }
    left.extend(order.map(|(_, index)| index));
}

/// Writes the key and the lane of each active contact, in their order.
pub(crate) fn write_order(
    summaries: &[Summary],
    active: &[u32],
    lanes: &[u32],
    order: &mut [(PairKey, u32)],
) {
    for ((&contact, &lane), out) in active.iter().zip(lanes).zip(order) {
        *out = (summaries[contact as usize].key, lane);
    }
}

impl CachedImpulse {
    /// Scales the impulses from a substep of length `from` to one of length `h`.
    pub(crate) fn for_substep(mut self, h: Real, from: Real) -> CachedImpulse {
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

    /// Returns the contact points, relative to A's centre of mass.
    pub(crate) fn anchors(&self) -> &[Vec3] {
        &self.anchors[..usize::from(self.n).min(MAX_CONTACTS)]
    }

    /// Whether these contacts have the same features, in the same order.
    pub(crate) fn has_features_of(&self, contacts: &[Contact]) -> bool {
        let is_same =
            |(c, features): (&Contact, &(FeatureId, FeatureId))| *features == (c.feature_a, c.feature_b);
        usize::from(self.n) == contacts.len() && contacts.iter().zip(&self.features).all(is_same)
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
        if self.has_features_of(contacts) {
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
