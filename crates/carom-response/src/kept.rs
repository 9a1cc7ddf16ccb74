//! Manifolds into lanes and back, and the impulses that are kept between: what makes stacks stand.
//!
//! A contact finds its impulse of the step before by pair, parts and features. The place where the manifold's friction acts
//! is the mean of its contacts, weighted by these impulses, so that it lies where the body presses.
//!
//! Reference: E. Catto, Contact Manifolds, GDC 2007 (feature ids); E. Catto, Iterative Dynamics with Temporal
//! Coherence, GDC 2005 (warm starting).

use crate::contact::{ContactImpulse, PairKey, Seen};
use crate::impulse::Group;
use crate::lane_vec::{Lanes, V3};
use crate::solver::MassData;
use alloc::vec::Vec;
use carom_geom::{Contact, FeatureId, MAX_CONTACTS};
use carom_lanes::{F32Lanes, Simd, U32Lanes};
use carom_math::{Real, Vec3};

/// The impulses of a pair, kept for the next step.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Kept {
    pub(crate) key: PairKey,
    normal: Vec3,
    features: [(FeatureId, FeatureId); MAX_CONTACTS],
    /// Where, from A's centre of mass.
    anchors: [Vec3; MAX_CONTACTS],
    impulse: [Real; MAX_CONTACTS],
    n: u8,
    friction: Vec3,
    twist: Real,
}

/// Impulses are of use for substeps that are at most so many times as long. Some only mend velocities and would be as large in any substep:
/// scaled from a step of a microsecond to one of a sixtieth of a second they threw a stack of ten boxes 500 times as high as it stood; by 8,
/// a fifth higher (November 2026). From six substeps to one they are scaled by 6.
const MOST_LONGER: Real = 7.0;

/// By what impulses of a substep of length `from` are scaled for one of length `h`; 0 where they are of no use.
pub(crate) fn scale_for(h: Real, from: Real) -> Real {
    if 0.0 < from && h <= MOST_LONGER * from { h / from } else { 0.0 }
}

/// The impulses of pairs at rest, under one of their bodies.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stowed {
    /// Length of the substep that they belong to: an impulse is as large as its substep is long.
    pub(crate) h: Real,
    pub(crate) own: Vec<Kept>,
}

impl Stowed {
    /// Puts away an impulse of a substep of length `h`.
    pub(crate) fn put(&mut self, kept: &Kept, h: Real) {
        if self.own.is_empty() {
            self.h = h;
        }
        // Room for four would be given to one.
        self.own.reserve_exact(1);
        self.own.push(kept.for_substep(self.h, h));
    }

    /// All of them, for a substep of length `h`.
    pub(crate) fn take_all(self, h: Real) -> impl Iterator<Item = Kept> {
        let own_h = self.h;
        self.own.into_iter().map(move |kept| kept.for_substep(h, own_h))
    }

    /// Those of the two bodies of a pair are of no use any more.
    pub(crate) fn forget(&mut self, pair: PairKey) {
        self.own.retain(|kept| (kept.key.body_a, kept.key.body_b) != (pair.body_a, pair.body_b));
    }

    /// Those of a pair, for a substep of length `h`.
    pub(crate) fn take(&mut self, key: PairKey, h: Real) -> Option<Kept> {
        let place = self.own.iter().rposition(|kept| kept.key == key)?;
        Some(self.own.swap_remove(place).for_substep(h, self.h))
    }
}

impl Kept {
    /// For a substep of another length than the one it comes from.
    fn for_substep(mut self, h: Real, from: Real) -> Kept {
        if h != from && 0.0 < h && 0.0 < from {
            let ratio = scale_for(h, from);
            self.impulse = self.impulse.map(|impulse| impulse * ratio);
            (self.friction, self.twist) = (self.friction * ratio, self.twist * ratio);
        }
        self
    }

    /// What a step whose numbers ran out of their range left behind is better forgotten.
    fn is_finite(&self) -> bool {
        self.impulse.iter().all(|impulse| impulse.is_finite())
            && self.friction.is_finite()
            && self.twist.is_finite()
    }

    /// The impulses of these contacts, and how many of them were known by their features. `center` is A's centre of mass.
    ///
    /// What is left over goes to the nearest contact that has none: where a corner slides over an edge its features
    /// change, and the load stays.
    fn hand_over(&self, contacts: &[Contact], center: Vec3, impulses: &mut [Real; MAX_CONTACTS]) -> usize {
        let n = usize::from(self.n).min(MAX_CONTACTS);
        let is_same =
            |(c, features): (&Contact, &(FeatureId, FeatureId))| *features == (c.feature_a, c.feature_b);
        if n == contacts.len() && contacts.iter().zip(&self.features).all(is_same) {
            impulses[..n].copy_from_slice(&self.impulse[..n]);
            return n;
        }
        let mut old_is_free = [true; MAX_CONTACTS];
        let mut new_is_free = [true; MAX_CONTACTS];
        let mut n_known = 0;
        for (k, c) in contacts.iter().enumerate() {
            let same = |&j: &usize| old_is_free[j] && self.features[j] == (c.feature_a, c.feature_b);
            if let Some(j) = (0..n).find(same) {
                impulses[k] = self.impulse[j];
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
            impulses[k] = self.impulse[j];
            new_is_free[k] = false;
            old_is_free[j] = false;
        }
        n_known
    }
}

/// What eight manifolds are made of, eight numbers of each at a time: so they are turned into lanes. A pile of 10,000 boxes is loaded in 1.8
/// milliseconds; number by number it took 3.0.
#[derive(Debug)]
pub(crate) struct Rows {
    /// Inverse mass and inertia; 0.
    mass_a: [Lanes; 8],
    mass_b: [Lanes; 8],
    /// Centres of mass of A and of B; 0; how many contacts there are.
    centers: [Lanes; 8],
    /// The normal, the coefficient of friction; the friction of the step before and its torque about the normal.
    pairs: [Lanes; 8],
    /// Per contact: where on A, where on B, the distance, the impulse of the step before.
    points: [[Lanes; 8]; MAX_CONTACTS],
}

impl Rows {
    /// Of no manifold.
    pub(crate) const NONE: Rows = Rows {
        mass_a: [[0.0; 8]; 8],
        mass_b: [[0.0; 8]; 8],
        centers: [[0.0; 8]; 8],
        pairs: [[0.0; 8]; 8],
        points: [[[0.0; 8]; 8]; MAX_CONTACTS],
    };

    /// Reads a manifold, and says how many of its contacts were known.
    ///
    /// `masses` are those of the two bodies, `ratio` is the length of this substep in units of the one that the kept impulses come from.
    pub(crate) fn read(
        &mut self,
        lane: usize,
        pair: &Seen<'_>,
        kept: Option<&Kept>,
        masses: [&MassData; 2],
        ratio: Real,
    ) -> usize {
        let [a, b] = masses;
        let normal = pair.manifold.normal();
        let contacts = pair.manifold.contacts();
        let mut n_known = 0;
        let mut impulses = [0.0; MAX_CONTACTS];
        let (mut friction, mut twist) = (Vec3::ZERO, 0.0);
        // Another side of the body is another contact.
        if let Some(kept) = kept.filter(|kept| 0.0 < kept.normal.dot(normal) && kept.is_finite()) {
            n_known = kept.hand_over(contacts, a.center, &mut impulses);
            impulses = impulses.map(|impulse| impulse * ratio);
            (friction, twist) = (kept.friction * ratio, kept.twist * ratio);
        }
        self.mass_a[lane] = a.row();
        self.mass_b[lane] = b.row();
        let (center_a, center_b) = (a.center, b.center);
        let n = contacts.len() as Real;
        self.centers[lane] = [center_a.x, center_a.y, center_a.z, center_b.x, center_b.y, center_b.z, 0.0, n];
        self.pairs[lane] =
            [normal.x, normal.y, normal.z, pair.friction, friction.x, friction.y, friction.z, twist];
        for (k, c) in contacts.iter().enumerate() {
            let (p, q) = (c.point_a, c.point_b);
            self.points[k][lane] = [p.x, p.y, p.z, q.x, q.y, q.z, c.distance, impulses[k]];
        }
        n_known
    }

    /// Writes the lanes of a group, which says how many contacts they have at most.
    ///
    /// Contacts within `slop` of the nearest count as touching where no impulse tells.
    #[inline(always)]
    pub(crate) fn write<S: Simd>(&self, simd: S, group: &mut Group, slop: Real) {
        let zero = S::F32x8::splat(simd, 0.0);
        let one = S::F32x8::splat(simd, 1.0);
        let half = S::F32x8::splat(simd, 0.5);
        let mass_a = transposed(simd, &self.mass_a);
        let mass_b = transposed(simd, &self.mass_b);
        mass_a[0].store(&mut group.inverse_mass_a);
        mass_b[0].store(&mut group.inverse_mass_b);
        let mut k = 0;
        while k < 6 {
            mass_a[k + 1].store(&mut group.inverse_inertia_a[k]);
            mass_b[k + 1].store(&mut group.inverse_inertia_b[k]);
            k += 1;
        }
        let c = transposed(simd, &self.centers);
        let (center_a, center_b) = (V3 { x: c[0], y: c[1], z: c[2] }, V3 { x: c[3], y: c[4], z: c[5] });
        let n_contacts = c[7];
        let p = transposed(simd, &self.pairs);
        let (normal, friction) = (V3 { x: p[0], y: p[1], z: p[2] }, V3 { x: p[4], y: p[5], z: p[6] });
        // As `Vec3::any_orthonormal_vector` has it.
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

        // Lanes with fewer points feel no mass at the others.
        let n_points = usize::from(group.n_points).min(MAX_CONTACTS);
        let mut middles = [V3 { x: zero, y: zero, z: zero }; MAX_CONTACTS];
        let mut nearest = S::F32x8::splat(simd, Real::INFINITY);
        let mut most = zero;
        let mut k = 0;
        while k < n_points {
            let point = &mut group.points[k];
            let is_there = S::F32x8::splat(simd, k as Real).lt(n_contacts);
            let c = transposed(simd, &self.points[k]);
            middles[k] = (V3 { x: c[0], y: c[1], z: c[2] } + V3 { x: c[3], y: c[4], z: c[5] }) * half;
            nearest = S::F32x8::select(is_there, c[6].min(nearest), nearest);
            let impulse = S::F32x8::select(is_there, c[7], zero);
            most = most.max(impulse);
            S::F32x8::select(is_there, c[6], zero).store(&mut point.distance);
            impulse.store(&mut point.impulse);
            S::F32x8::select(is_there, one, zero).store(&mut point.normal_mass);
            k += 1;
        }
        // Weights relative to the largest: an impulse that has faded to nothing has no inverse.
        let is_pressed = S::F32x8::splat(simd, Real::MIN_POSITIVE).le(most);
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
            let weight = S::F32x8::select(is_pressed, impulse / most, by_place);
            center = V3::select(is_there, center + middles[k] * weight, center);
            weight_sum = S::F32x8::select(is_there, weight_sum + weight, weight_sum);
            k += 1;
        }
        let is_there = zero.lt(n_contacts);
        center = V3::select(is_there, center * (one / weight_sum), center);
        (center - center_a).store(&mut group.friction_a);
        (center - center_b).store(&mut group.friction_b);
        let nowhere = V3 { x: zero, y: zero, z: zero };
        let mut k = 0;
        while k < n_points {
            let point = &mut group.points[k];
            let is_there = S::F32x8::splat(simd, k as Real).lt(n_contacts);
            V3::select(is_there, middles[k] - center_a, nowhere).store(&mut point.anchor_a);
            V3::select(is_there, middles[k] - center_b, nowhere).store(&mut point.anchor_b);
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

/// Reads a solved lane: what to keep, and what to report.
pub(crate) fn store_lane(group: &Group, lane: usize, pair: &Seen<'_>) -> (Kept, ContactImpulse) {
    let (normal, tangent_1) = (take(&group.normal, lane), take(&group.tangent, lane));
    let tangent_2 = normal.cross(tangent_1);
    let across = |v: &[Lanes; 2]| tangent_1 * v[0][lane] + tangent_2 * v[1][lane];
    let contacts = pair.manifold.contacts();
    let mut kept = Kept {
        key: pair.key(),
        normal,
        features: [(FeatureId::UNKNOWN, FeatureId::UNKNOWN); MAX_CONTACTS],
        anchors: [Vec3::ZERO; MAX_CONTACTS],
        impulse: [0.0; MAX_CONTACTS],
        n: contacts.len() as u8,
        friction: across(&group.tangent_impulse),
        twist: group.twist_impulse[lane],
    };
    let mut report = ContactImpulse {
        normal: [0.0; MAX_CONTACTS],
        friction: across(&group.tangent_total),
        twist: group.twist_total[lane],
    };
    for (k, c) in contacts.iter().enumerate() {
        kept.features[k] = (c.feature_a, c.feature_b);
        kept.anchors[k] = take(&group.points[k].anchor_a, lane);
        kept.impulse[k] = group.points[k].impulse[lane];
        report.normal[k] = group.points[k].total[lane];
    }
    (kept, report)
}

fn take(lanes: &[Lanes; 3], lane: usize) -> Vec3 {
    Vec3::new(lanes[0][lane], lanes[1][lane], lanes[2][lane])
}
