//! Contacts on round surfaces: a ball or a wheel rolls over its contact within a step.
//!
//! Contacts are found once per step, and anchors turn with their bodies. So the anchor of a rolling
//! wheel rises like a mark on its rim, although the lowest point of the wheel stays at the floor.
//! Without a correction, the wheel would sink until the next detection. It would shake, lean, and
//! gain energy.
//!
//! A point of the surface lies on a circle about the axis of its body. The extent of the circle
//! along the normal is its radius times the sine of the angle between normal and axis. The
//! correction is the difference between this extent and that of the rotated anchor. It is zero at
//! the start of a step. A ball has no axis: its extent is its radius in each direction.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 4.2.2 (extent of a disc along an
//! axis).

use crate::impulses::group::{Group, NO_ROUND, Round};
use crate::impulses::lane_vec::V3;
use alloc::vec::Vec;
use carom_geom::MAX_CONTACTS;
use carom_lanes::{F32Lanes, Simd};
use carom_math::{Real, Vec3, ops};

/// The round surfaces of a contact in the next step: [`Solver::round_contacts_mut`].
///
/// [`Solver::round_contacts_mut`]: crate::Solver::round_contacts_mut
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RoundContact {
    /// Index of the contact among those of the step.
    pub contact: u32,
    /// For A and B: the axis about which the surface is round, in the world frame. It is a unit
    /// vector, or zero for a ball.
    pub axis: [Vec3; 2],
    /// For A and B, and for each contact point: the distance from the axis, or from the centre of
    /// the ball. It is 0 for a surface that is not round. Not negative.
    pub radius: [[Real; MAX_CONTACTS]; 2],
}

impl RoundContact {
    /// Returns an entry for the contact of this index, with no round side yet.
    pub const fn new(contact: u32) -> RoundContact {
        RoundContact { contact, axis: [Vec3::ZERO; 2], radius: [[0.0; MAX_CONTACTS]; 2] }
    }

    /// Whether a side is round.
    pub fn is_round(&self) -> bool {
        self.radius.iter().flatten().any(|&radius| 0.0 < radius)
    }

    /// Whether all numbers are in their ranges.
    pub(crate) fn is_sound(&self) -> bool {
        let is_length = |&radius: &Real| (0.0..Real::INFINITY).contains(&radius);
        self.axis.iter().all(|axis| axis.length_squared() <= 1.001)
            && self.radius.iter().flatten().all(is_length)
    }

    /// Returns the correction of the distance for a radius of 1: negative, or 0. `side` is 0 for A
    /// and 1 for B. `turned` is the normal in the orientation that the body had at the start of the
    /// step.
    pub(crate) fn rolled(&self, side: usize, normal: Vec3, turned: Vec3) -> Real {
        let axis = self.axis[side];
        let along = turned.dot(axis);
        turned.dot(inwards(normal, axis)) - ops::sqrt((1.0 - along * along).max(0.0))
    }
}

/// Returns the direction across the axis in which the normal points most; zero if there is none.
fn inwards(normal: Vec3, axis: Vec3) -> Vec3 {
    (normal - axis * normal.dot(axis)).normalize_or_zero()
}

/// Returns the corrections of [`RoundContact::rolled`] for eight lanes.
#[inline(always)]
pub(crate) fn rolled<S: Simd>(simd: S, round: &Round, side: usize, turned: V3<S::F32x8>) -> S::F32x8 {
    let along = turned.dot(V3::load(simd, &round.axis[side]));
    let (zero, one) = (S::F32x8::splat(simd, 0.0), S::F32x8::splat(simd, 1.0));
    turned.dot(V3::load(simd, &round.inwards[side])) - (one - along * along).max(zero).sqrt()
}

/// Writes the round contacts into [`Round`] lanes of loaded groups. `active` are the contacts that
/// are solved, `lanes` their lanes among those of all groups. `list` is sorted by contact.
pub(crate) fn load(
    list: &[RoundContact],
    (active, lanes): (&[u32], &[u32]),
    groups: &mut [Group],
    rounds: &mut Vec<Round>,
) {
    rounds.clear();
    if list.is_empty() {
        return;
    }
    for (&contact, &index) in active.iter().zip(lanes) {
        let Ok(k) = list.binary_search_by_key(&contact, |round| round.contact) else { continue };
        let (group, lane) = (&mut groups[index as usize / 8], index as usize % 8);
        if group.round == NO_ROUND {
            group.round = rounds.len() as u32;
            rounds.push(Round::NONE);
        }
        let round = &mut rounds[group.round as usize];
        let normal = Vec3::from_array(group.normal.map(|lanes| lanes[lane]));
        for side in 0..2 {
            let axis = list[k].axis[side];
            let vectors = [(&mut round.axis[side], axis), (&mut round.inwards[side], inwards(normal, axis))];
            for (lanes, vector) in vectors {
                lanes.iter_mut().zip(vector.to_array()).for_each(|(lanes, x)| lanes[lane] = x);
            }
            let radii = round.radius[side].iter_mut().zip(list[k].radius[side]);
            radii.for_each(|(lanes, radius)| lanes[lane] = radius);
        }
    }
}
