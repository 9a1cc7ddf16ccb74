//! Manifolds into lanes and back, and the impulses that are kept between: what makes stacks stand.
//!
//! A contact finds its impulse of the step before by pair, parts and features. The place where the manifold's friction acts
//! is the mean of its contacts, weighted by these impulses, so that it lies where the body presses.
//!
//! Reference: E. Catto, Contact Manifolds, GDC 2007 (feature ids); E. Catto, Iterative Dynamics with Temporal
//! Coherence, GDC 2005 (warm starting).

use crate::contact::{ContactImpulse, ContactPair, PairKey};
use crate::impulse::Group;
use crate::lane_vec::Lanes;
use crate::solver::MassData;
use carom_geom::{FeatureId, MAX_CONTACTS};
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

impl Kept {
    /// What a step whose numbers ran out of their range left behind is better forgotten.
    fn is_finite(&self) -> bool {
        self.impulse.iter().all(|impulse| impulse.is_finite())
            && self.friction.is_finite()
            && self.twist.is_finite()
    }

    /// The impulses of these contacts, and how many of them were known by their features.
    ///
    /// What is left over goes to the nearest contact that has none: where a corner slides over an edge its features
    /// change, and the load stays.
    fn hand_over(
        &self,
        contacts: &[carom_geom::Contact],
        anchors: &[Vec3; MAX_CONTACTS],
        impulses: &mut [Real; MAX_CONTACTS],
    ) -> usize {
        let n = usize::from(self.n).min(MAX_CONTACTS);
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
                for j in (0..n).filter(|&j| old_is_free[j]) {
                    let d = (anchors[k] - self.anchors[j]).length_squared();
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

/// Writes a manifold into a lane of a group, which says how many contacts its lanes have at most, and says how many of its contacts were
/// known.
///
/// `slots` are the places of the two bodies' states, `ratio` is the length of this substep in units of the one that
/// the kept impulses come from. Contacts within `slop` of the nearest count as touching where no impulse tells.
pub(crate) fn load_lane(
    group: &mut Group,
    lane: usize,
    pair: &ContactPair,
    kept: Option<&Kept>,
    slots: (usize, usize),
    masses: &[MassData],
    ratio: Real,
    slop: Real,
) -> usize {
    let (mass_a, mass_b) = (&masses[slots.0], &masses[slots.1]);
    let normal = pair.manifold.normal();
    let tangent = normal.any_orthonormal_vector();
    // Another side of the body is another contact.
    let kept = kept.filter(|kept| 0.0 < kept.normal.dot(normal) && kept.is_finite());

    group.body_a[lane] = slots.0 as u32;
    group.body_b[lane] = slots.1 as u32;
    group.inverse_mass_a[lane] = mass_a.inverse_mass;
    group.inverse_mass_b[lane] = mass_b.inverse_mass;
    for k in 0..6 {
        group.inverse_inertia_a[k][lane] = mass_a.inverse_inertia[k];
        group.inverse_inertia_b[k][lane] = mass_b.inverse_inertia[k];
    }
    put(&mut group.normal, lane, normal);
    put(&mut group.tangent, lane, tangent);
    group.friction[lane] = pair.friction;

    let contacts = pair.manifold.contacts();
    let mut n_known = 0;
    let mut impulses = [0.0; MAX_CONTACTS];
    let mut middles = [Vec3::ZERO; MAX_CONTACTS];
    let mut anchors = [Vec3::ZERO; MAX_CONTACTS];
    let mut nearest = Real::INFINITY;
    for (k, c) in contacts.iter().enumerate() {
        middles[k] = (c.point_a + c.point_b) * 0.5;
        nearest = nearest.min(c.distance);
        anchors[k] = middles[k] - mass_a.center;
    }
    if let Some(kept) = kept {
        n_known = kept.hand_over(contacts, &anchors, &mut impulses);
        impulses = impulses.map(|impulse| impulse * ratio);
    }
    // Weights relative to the largest: an impulse that has faded to nothing has no inverse.
    let most = impulses.iter().fold(0.0, |most: Real, &impulse| most.max(impulse));
    let mut center = Vec3::ZERO;
    let mut weight_sum = 0.0;
    for (k, c) in contacts.iter().enumerate() {
        let weight = if Real::MIN_POSITIVE <= most {
            impulses[k] / most
        } else if c.distance <= nearest + slop {
            1.0
        } else {
            0.0
        };
        center += middles[k] * weight;
        weight_sum += weight;
    }
    let center = center * (1.0 / weight_sum);
    put(&mut group.friction_a, lane, center - mass_a.center);
    put(&mut group.friction_b, lane, center - mass_b.center);

    // The lanes with fewer points feel no mass there.
    for k in 0..usize::from(group.n_points) {
        let point = &mut group.points[k];
        let c = contacts.get(k);
        put(&mut point.anchor_a, lane, anchors[k]);
        put(&mut point.anchor_b, lane, c.map_or(Vec3::ZERO, |_| middles[k] - mass_b.center));
        point.distance[lane] = c.map_or(0.0, |c| c.distance);
        point.normal_mass[lane] = c.map_or(0.0, |_| 1.0);
        point.impulse[lane] = impulses[k];
        point.total[lane] = 0.0;
        let lever = middles[k] - center;
        point.lever[lane] = c.map_or(0.0, |_| (lever - normal * lever.dot(normal)).length());
    }

    let friction = kept.map_or(Vec3::ZERO, |kept| kept.friction * ratio);
    group.tangent_impulse[0][lane] = friction.dot(tangent);
    group.tangent_impulse[1][lane] = friction.dot(normal.cross(tangent));
    group.twist_impulse[lane] = kept.map_or(0.0, |kept| kept.twist * ratio);
    group.tangent_total[0][lane] = 0.0;
    group.tangent_total[1][lane] = 0.0;
    group.twist_total[lane] = 0.0;
    n_known
}

/// Reads a solved lane: what to keep, and what to report.
pub(crate) fn store_lane(group: &Group, lane: usize, pair: &ContactPair) -> (Kept, ContactImpulse) {
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

fn put(lanes: &mut [Lanes; 3], lane: usize, v: Vec3) {
    lanes[0][lane] = v.x;
    lanes[1][lane] = v.y;
    lanes[2][lane] = v.z;
}

fn take(lanes: &[Lanes; 3], lane: usize) -> Vec3 {
    Vec3::new(lanes[0][lane], lanes[1][lane], lanes[2][lane])
}
