//! Loads manifolds into SIMD lanes, stores them, and caches their impulses for the next step (warm
//! starting), without which stacks fall.
//!
//! A contact finds its cached impulse by pair, parts and features. Friction of a manifold acts at
//! the mean of its contacts, weighted by these impulses: at the centre of pressure.
//!
//! With one iteration per substep, each contact acts as an undamped spring. A tower that is put
//! down hops and sways for seconds, and leans more with each hop. So the cache removes a part of
//! the difference between an impulse and its mean over the last steps: see [`Damping`]. A constant
//! load equals its mean and is not changed.
//!
//! Reference: E. Catto, Contact Manifolds, GDC 2007 (feature ids); E. Catto, Iterative Dynamics
//! with Temporal Coherence, GDC 2005 (warm starting); C. Zener, Elasticity and Anelasticity of
//! Metals, 1948 (a spring beside a spring with a damper: the standard linear solid).

use crate::contact::scale_for;
use crate::contact::{ContactImpulse, ContactInput, PairKey};
use crate::group::Group;
use crate::lane_vec::{Lanes, V3};
use crate::load::LoadScale;
use crate::mass::MassData;
use crate::mass::held_center;
use crate::memory;
use crate::rest::DEEP_SLOPS;
use alloc::vec::Vec;
use carom_geom::{Contact, FeatureId, MAX_CONTACTS};
use carom_lanes::{F32Lanes, Simd, U32Lanes, prefetch};
use carom_math::{Real, Vec3};

/// The data that matches the contacts of a pair in the next step.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct ManifoldKey {
    pub(crate) key: PairKey,
    normal: Vec3,
    features: [(FeatureId, FeatureId); MAX_CONTACTS],
    /// Contact points, relative to A's centre of mass.
    anchors: [Vec3; MAX_CONTACTS],
    /// Mean normal impulses of a substep, over the last steps; [`NO_MEAN`] for a new contact.
    means: [Real; MAX_CONTACTS],
    n: u8,
}

/// The mean of a contact whose impulse is not known yet. No impulse is negative.
const NO_MEAN: Real = -1.0;

/// Damping of contacts, which act as springs.
///
/// With the stiffness k, the rates a and b below, and the frequency w, a contact has the complex
/// stiffness k (i w + b) / (i w + a + b). It is k for an impact and k b / (a + b) for a lasting
/// load. Between them it damps, and most at w^2 = b (a + b): at 4 Hz. Deep contacts are not damped,
/// as their impulses push bodies out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Damping {
    /// Part of its difference from the mean that an impulse loses from step to step.
    loss: Real,
    /// Part of this difference by which the mean follows.
    follow: Real,
}

impl Damping {
    /// Per unit of time. Twice as much lets a tower of ten boxes lean 1.6 times as far.
    const LOSS_RATE: Real = 8.0;
    /// The largest loss per substep. With few substeps contacts are soft enough.
    const MAX_LOSS: Real = 1.0 / 45.0;
    /// Per unit of time.
    const FOLLOW_RATE: Real = 20.0;

    /// Returns the damping for steps of length `dt` with substeps of length `h`.
    pub(crate) fn new(dt: Real, h: Real) -> Damping {
        let part = |rate: Real| rate * dt / (1.0 + rate * dt);
        let loss_rate = Damping::LOSS_RATE.min(Damping::MAX_LOSS / h);
        Damping { loss: part(loss_rate), follow: part(Damping::FOLLOW_RATE) }
    }

    /// Returns the impulse for the next step, and its mean.
    fn apply(self, impulse: Real, mean: Real, is_deep: bool) -> Normal {
        let loss = if is_deep { 0.0 } else { self.loss };
        let mean = if mean < 0.0 { impulse } else { mean };
        let difference = impulse - mean;
        let mean = mean + self.follow * difference;
        // After an overflow the impulse is dropped.
        if mean.is_finite() { Normal { impulse: impulse - loss * difference, mean } } else { Normal::NONE }
    }
}

/// The normal impulse of a contact in a substep, and its mean over the last steps.
#[derive(Clone, Copy, Debug)]
struct Normal {
    impulse: Real,
    mean: Real,
}

impl Normal {
    const NONE: Normal = Normal { impulse: 0.0, mean: NO_MEAN };
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
/// They are in the order of lanes, eight for each group, so impulses are stored as whole lanes. The
/// next step has almost the same order, so it reads them nearly in sequence.
#[derive(Clone, Debug, Default)]
pub(crate) struct ImpulseCache {
    /// Key and position of each pair, sorted by key.
    pub(crate) order: Vec<(PairKey, u32)>,
    pub(crate) manifold_keys: Vec<ManifoldKey>,
    pub(crate) impulses: Vec<ContactImpulse>,
}

impl ImpulseCache {
    /// Builds a list from pairs in any order.
    pub(crate) fn of(pairs: impl IntoIterator<Item = CachedImpulse>) -> ImpulseCache {
        let mut list = ImpulseCache::default();
        list.extend(pairs);
        list
    }

    /// Adds pairs, in any order.
    pub(crate) fn extend(&mut self, pairs: impl IntoIterator<Item = CachedImpulse>) {
        let n = self.order.len();
        for cached in pairs {
            let place = self.push(&cached);
            self.order.push((cached.manifold_key.key, place));
        }
        if n < self.order.len() {
            self.order.sort_by_key(|&(key, _)| key);
        }
    }

    /// Appends a pair without an entry in `order`. Returns its position.
    pub(crate) fn push(&mut self, cached: &CachedImpulse) -> u32 {
        let place = self.manifold_keys.len() as u32;
        self.manifold_keys.push(cached.manifold_key);
        self.impulses.push(cached.impulse);
        place
    }

    /// Returns the pair at a position.
    pub(crate) fn get(&self, place: u32) -> Option<CachedImpulse> {
        let place = place as usize;
        Some(CachedImpulse {
            manifold_key: *self.manifold_keys.get(place)?,
            impulse: *self.impulses.get(place)?,
        })
    }

    /// Returns all pairs, sorted by key.
    pub(crate) fn iter(&self) -> impl Iterator<Item = CachedImpulse> {
        self.order.iter().filter_map(|&(_, place)| self.get(place))
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
    pub(crate) fn prefetch(&self, place: u32) {
        prefetch(&self.manifold_keys, place as usize);
        prefetch(&self.impulses, place as usize);
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
        let place = self.own.iter().rposition(|cached| cached.manifold_key.key == key)?;
        Some(self.own.swap_remove(place).for_substep(h, self.h))
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

    fn new(
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
    /// Each remaining impulse goes to the nearest contact without one. If a corner slides over an
    /// edge, its features change but the load stays.
    fn hand_over(
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

/// The input of eight manifolds as rows of eight numbers. A transpose turns eight rows into lanes,
/// which is faster than writing single numbers.
#[derive(Debug)]
pub(crate) struct Rows {
    /// Inverse mass, inverse inertia, and calmness.
    mass_a: [Lanes; 8],
    mass_b: [Lanes; 8],
    /// The centres of mass of A and B; a flag: 1 if contacts act on the centre of A, 2 for B; the
    /// number of contacts.
    centers: [Lanes; 8],
    /// The normal, the coefficient of friction, the cached friction, and its torque about the
    /// normal.
    pairs: [Lanes; 8],
    /// For each contact: the point on A, the point on B, the distance, the cached impulse.
    points: [[Lanes; 8]; MAX_CONTACTS],
}

impl Rows {
    /// Eight empty rows.
    pub(crate) const NONE: Rows = Rows {
        mass_a: [[0.0; 8]; 8],
        mass_b: [[0.0; 8]; 8],
        centers: [[0.0; 8]; 8],
        pairs: [[0.0; 8]; 8],
        points: [[[0.0; 8]; 8]; MAX_CONTACTS],
    };

    /// Reads a manifold and writes its key. Returns how many of its contacts were matched by
    /// features.
    ///
    /// `masses` are those of the two bodies. `ratio` is the length of this substep divided by that
    /// of the cached impulses, which are damped.
    pub(crate) fn read(
        &mut self,
        lane: usize,
        pair: &ContactInput<'_>,
        cached: Option<(&ManifoldKey, &ContactImpulse)>,
        masses: [&MassData; 2],
        (ratio, damping): (Real, Damping),
        slop: Real,
        manifold_key: &mut ManifoldKey,
    ) -> usize {
        let [a, b] = masses;
        let normal = pair.manifold.normal();
        let contacts = pair.manifold.contacts();
        let mut n_known = 0;
        let mut normals = [Normal::NONE; MAX_CONTACTS];
        let (mut friction, mut twist) = (Vec3::ZERO, 0.0);
        // If the normal was reversed, the contact is on another side of the body.
        let is_good = |(old, impulse): &(&ManifoldKey, &ContactImpulse)| {
            0.0 < old.normal.dot(normal) && is_finite(impulse)
        };
        if let Some((old, impulse)) = cached.filter(is_good) {
            let is_deep = contacts.iter().any(|contact| contact.distance < -DEEP_SLOPS * slop);
            let damped = |k: usize| damping.apply(impulse.normal[k] * ratio, old.means[k] * ratio, is_deep);
            let damped = core::array::from_fn(damped);
            n_known = old.hand_over(&damped, contacts, a.center, &mut normals);
            (friction, twist) = (impulse.friction * ratio, impulse.twist * ratio);
        }
        *manifold_key = ManifoldKey::new(pair.key(), normal, contacts, a.center, &normals);
        self.mass_a[lane] = a.row();
        self.mass_b[lane] = b.row();
        let (center_a, center_b) = (a.center, b.center);
        let n = contacts.len() as Real;
        let held = held_center(masses, normal, contacts, slop).map_or(0.0, |side| 1.0 + side as Real);
        self.centers[lane] =
            [center_a.x, center_a.y, center_a.z, center_b.x, center_b.y, center_b.z, held, n];
        self.pairs[lane] =
            [normal.x, normal.y, normal.z, pair.friction, friction.x, friction.y, friction.z, twist];
        for (k, c) in contacts.iter().enumerate() {
            let (p, q) = (c.point_a, c.point_b);
            self.points[k][lane] = [p.x, p.y, p.z, q.x, q.y, q.z, c.distance, normals[k].impulse];
        }
        n_known
    }

    /// Writes the lanes of a group. `group.n_points` is the largest number of contacts of a lane.
    ///
    /// If no impulse is cached, all contacts within `slop` of the nearest one share the load.
    ///
    /// Tried: friction always at the middle of the touching contacts; stacks with irregular
    /// substeps swayed ten times as fast. Figures: `benches/notes/carom-world.md`.
    #[inline(always)]
    pub(crate) fn write<S: Simd>(&self, simd: S, group: &mut Group, slop: Real, load: &LoadScale) {
        let zero = S::F32x8::splat(simd, 0.0);
        let one = S::F32x8::splat(simd, 1.0);
        let half = S::F32x8::splat(simd, 0.5);
        let mass_a = transposed(simd, &self.mass_a);
        let mass_b = transposed(simd, &self.mass_b);
        mass_a[0].store(&mut group.inverse_mass_a);
        mass_b[0].store(&mut group.inverse_mass_b);
        // Calm bodies have up to twice the slop. In a pile, removing the overlap of one resting
        // body moves others, so the pile would keep creeping.
        let calm = mass_a[7].min(mass_b[7]);
        (S::F32x8::splat(simd, slop) * (one + calm)).store(&mut group.slop);
        let mut k = 0;
        while k < 6 {
            mass_a[k + 1].store(&mut group.inverse_inertia_a[k]);
            mass_b[k + 1].store(&mut group.inverse_inertia_b[k]);
            k += 1;
        }
        let c = transposed(simd, &self.centers);
        let (center_a, center_b) = (V3 { x: c[0], y: c[1], z: c[2] }, V3 { x: c[3], y: c[4], z: c[5] });
        let (held, n_contacts) = (c[6], c[7]);
        let one_and_half = S::F32x8::splat(simd, 1.5);
        let (holds_one, holds_b) = (half.lt(held), one_and_half.lt(held));
        let held_center = V3::select(holds_b, center_b, center_a);
        let p = transposed(simd, &self.pairs);
        let (normal, friction) = (V3 { x: p[0], y: p[1], z: p[2] }, V3 { x: p[4], y: p[5], z: p[6] });
        // The same formula as `Vec3::any_orthonormal_vector`.
        let sign_bit = S::U32x8::splat(simd, 1 << 31);
        let sign = ((normal.z.to_bits() & sign_bit) | one.to_bits()).as_f32_bits();
        let a = -one / (sign + normal.z);
        let tangent = V3 { x: normal.x * normal.y * a, y: sign + normal.y * normal.y * a, z: -normal.y };
        normal.store(&mut group.normal);
        tangent.store(&mut group.tangent);
        p[3].store(&mut group.friction);
        friction.dot(tangent).store(&mut group.tangent_impulse[0]);
        friction.dot(normal.cross(tangent)).store(&mut group.tangent_impulse[1]);
        p[7].store(&mut group.twist_impulse);
        (group.tangent_total, group.twist_total) = ([[0.0; 8]; 2], [0.0; 8]);

        // Lanes with fewer contacts have zero mass in the unused ones.
        let n_points = usize::from(group.n_points).min(MAX_CONTACTS);
        let mut middles = [V3 { x: zero, y: zero, z: zero }; MAX_CONTACTS];
        let mut nearest = S::F32x8::splat(simd, Real::INFINITY);
        let mut largest = zero;
        let mut carried = zero;
        let mut k = 0;
        while k < n_points {
            let point = &mut group.points[k];
            let is_there = S::F32x8::splat(simd, k as Real).lt(n_contacts);
            let c = transposed(simd, &self.points[k]);
            middles[k] = (V3 { x: c[0], y: c[1], z: c[2] } + V3 { x: c[3], y: c[4], z: c[5] }) * half;
            nearest = S::F32x8::select(is_there, c[6].min(nearest), nearest);
            let impulse = S::F32x8::select(is_there, c[7], zero);
            largest = largest.max(impulse);
            carried = carried + impulse;
            S::F32x8::select(is_there, c[6], zero).store(&mut point.distance);
            impulse.store(&mut point.impulse);
            S::F32x8::select(is_there, one, zero).store(&mut point.normal_mass);
            k += 1;
        }
        load.write(simd, group, carried);
        // Weights are relative to the largest impulse, because a denormal impulse has no finite
        // inverse.
        let is_pressed = S::F32x8::splat(simd, Real::MIN_POSITIVE).le(largest);
        let touching = nearest + S::F32x8::splat(simd, slop);
        let mut center = V3 { x: zero, y: zero, z: zero };
        let mut weight_sum = zero;
        let mut k = 0;
        while k < n_points {
            let point = &group.points[k];
            let is_there = S::F32x8::splat(simd, k as Real).lt(n_contacts);
            let impulse = S::F32x8::load(simd, &point.impulse);
            let touches = S::F32x8::load(simd, &point.distance).le(touching);
            let by_place = S::F32x8::select(touches, one, zero);
            let weight = S::F32x8::select(is_pressed, impulse / largest, by_place);
            center = V3::select(is_there, center + middles[k] * weight, center);
            weight_sum = S::F32x8::select(is_there, weight_sum + weight, weight_sum);
            k += 1;
        }
        let is_there = zero.lt(n_contacts);
        center = V3::select(is_there, center * (one / weight_sum), center);
        let nowhere = V3 { x: zero, y: zero, z: zero };
        let at = V3::select(holds_one, held_center, center);
        (at - center_a).store(&mut group.friction_a);
        (at - center_b).store(&mut group.friction_b);
        let mut k = 0;
        while k < n_points {
            let point = &mut group.points[k];
            let is_there = S::F32x8::splat(simd, k as Real).lt(n_contacts);
            let at = V3::select(holds_one, held_center, middles[k]);
            V3::select(is_there, at - center_a, nowhere).store(&mut point.anchor_a);
            V3::select(is_there, at - center_b, nowhere).store(&mut point.anchor_b);
            let lever = middles[k] - center;
            let across = lever - normal * lever.dot(normal);
            S::F32x8::select(is_there, across.dot(across).sqrt(), zero).store(&mut point.lever);
            point.total = [0.0; 8];
            k += 1;
        }
    }
}

#[inline(always)]
fn transposed<S: Simd>(simd: S, rows: &[Lanes; 8]) -> [S::F32x8; 8] {
    simd.transpose8([
        S::F32x8::load(simd, &rows[0]),
        S::F32x8::load(simd, &rows[1]),
        S::F32x8::load(simd, &rows[2]),
        S::F32x8::load(simd, &rows[3]),
        S::F32x8::load(simd, &rows[4]),
        S::F32x8::load(simd, &rows[5]),
        S::F32x8::load(simd, &rows[6]),
        S::F32x8::load(simd, &rows[7]),
    ])
}

/// Whether the impulse can be used. An overflow in the step before is dropped.
fn is_finite(impulse: &ContactImpulse) -> bool {
    let ContactImpulse { normal, friction, twist } = impulse;
    normal.iter().all(|impulse| impulse.is_finite()) && friction.is_finite() && twist.is_finite()
}

/// Reads the impulses of eight solved manifolds: those of one substep for the cache, and those of
/// the whole step for the report.
#[inline(always)]
pub(crate) fn store<S: Simd>(
    simd: S,
    group: &Group,
    cached: &mut [ContactImpulse],
    reports: &mut [ContactImpulse],
) {
    let zero = S::F32x8::splat(simd, 0.0);
    let normal = V3::<S::F32x8>::load(simd, &group.normal);
    let tangent_1 = V3::load(simd, &group.tangent);
    let tangent_2 = normal.cross(tangent_1);
    let (mut impulses, mut totals) = ([zero; MAX_CONTACTS], [zero; MAX_CONTACTS]);
    let n_points = usize::from(group.n_points).min(MAX_CONTACTS);
    let mut k = 0;
    while k < n_points {
        impulses[k] = S::F32x8::load(simd, &group.points[k].impulse);
        totals[k] = S::F32x8::load(simd, &group.points[k].total);
        k += 1;
    }
    let tangents = [tangent_1, tangent_2];
    write(rows(simd, impulses, tangents, &group.tangent_impulse, &group.twist_impulse), cached);
    // After an overflow zero is reported. Friction overflows long before the normals do.
    let max_finite = S::F32x8::splat(simd, Real::MAX);
    let mut reported = rows(simd, totals, tangents, &group.tangent_total, &group.twist_total);
    let mut k = 0;
    while k < reported.len() {
        reported[k] = S::F32x8::select(reported[k].abs().le(max_finite), reported[k], zero);
        k += 1;
    }
    write(reported, reports);
}

/// Returns one row per manifold: the normal impulses, the friction in the world frame, the torque.
/// Not a closure: closures would be compiled without the SIMD target features.
#[inline(always)]
fn rows<S: Simd>(
    simd: S,
    n: [S::F32x8; MAX_CONTACTS],
    tangents: [V3<S::F32x8>; 2],
    along: &[Lanes; 2],
    twist: &Lanes,
) -> [S::F32x8; 8] {
    let f = tangents[0] * S::F32x8::load(simd, &along[0]) + tangents[1] * S::F32x8::load(simd, &along[1]);
    simd.transpose8([n[0], n[1], n[2], n[3], f.x, f.y, f.z, S::F32x8::load(simd, twist)])
}

#[inline(always)]
fn write<V: F32Lanes<8>>(rows: [V; 8], out: &mut [ContactImpulse]) {
    for (row, out) in rows.iter().zip(out) {
        let [a, b, c, d, x, y, z, twist] = row.to_array();
        *out = ContactImpulse { normal: [a, b, c, d], friction: Vec3::new(x, y, z), twist };
    }
}
