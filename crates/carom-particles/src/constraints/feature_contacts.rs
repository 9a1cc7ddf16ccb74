//! Contacts between the surfaces of cloth and soft bodies that keep them from passing through each
//! other.
//!
//! - A search of the caller returns all pairs of a vertex and a triangle, and of two edges, within
//!   a reach. Pairs nearer than the thickness are pushed apart, with friction.
//! - After the search, each particle may move by less than half of the distance of its nearest
//!   pair, or of the reach. No point of a triangle or edge moves farther than its corners. So no
//!   pair can touch, which is proved without continuous tests.
//! - In addition, all particles may move by a common translation, because that changes no
//!   distance.
//! - The next search is needed only if a particle would move farther.
//!
//! Degenerate: pairs that already touch have no direction, so their particles stay where they are.
//!
//! Reference: L. Wu et al., A Safe and Fast Repulsion Method for GPU-based Cloth Self Collisions,
//! 2020, section 4 (the bound on motion); A. Chen et al., Offset Geometric Contact, 2025, section
//! 3.
//! Differs: the common translation; rounding is subtracted from the bound.

use super::{ConstraintError, check_setting, check_step};
use alloc::vec::Vec;
use core::ops::Range;
use glam::Vec3;

/// The fraction of a distance that a particle may move, if the other feature may move as far.
const SHARE: f32 = 0.45;

/// The fraction of a distance to an obstacle, which does not move.
const SHARE_OF_OBSTACLES: f32 = 0.9;

/// rounding: of positions and of sums of three, relative to the largest coordinate.
const ROUNDING: f32 = 4.0 * f32::EPSILON;

/// Two features that are near each other: a vertex and a triangle, or two edges. The second may
/// belong to an obstacle that does not move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearFeatures {
    /// The particles of both, as indices in the arrays of all particles. Unused ones have the
    /// weight 0, and may repeat others.
    pub particles: [u32; 4],
    /// The sum of weight times position, less `point`, is the vector from the nearest point of the
    /// second feature to that of the first.
    pub weights: [f32; 4],
    /// The nearest point of an obstacle; zero if both features have particles.
    pub point: Vec3,
    /// Whether the second feature belongs to an obstacle.
    pub is_obstacle: bool,
    /// The direction of that vector, of unit length; zero if the features touch.
    pub normal: Vec3,
    /// The distance of the features; not negative.
    pub distance: f32,
}

/// Contacts of features, and bounds on the motion of particles until the next search.
#[derive(Clone, Debug)]
pub struct FeatureContacts {
    particles: Range<usize>,
    thickness: f32,
    reach: f32,
    friction: f32,
    near: Vec<NearFeatures>,
    /// The positions at the search, and the largest distance from there of each particle.
    start: Vec<Vec3>,
    limits: Vec<f32>,
    /// Whether some particle may not move at all, so that no drift is allowed.
    is_tight: bool,
}

impl FeatureContacts {
    /// Returns contacts of these particles. Features are kept `thickness` apart, which is not
    /// negative. Searches find all pairs within `reach`, which is greater. Neighbours in a mesh
    /// should be farther from each other than the thickness. `friction` is a coefficient, not
    /// negative.
    ///
    /// # Errors
    /// If a setting is out of its range.
    pub fn new(
        particles: Range<usize>,
        thickness: f32,
        reach: f32,
        friction: f32,
    ) -> Result<FeatureContacts, ConstraintError> {
        check_setting("thickness", thickness, false)?;
        check_setting("friction", friction, false)?;
        if !(thickness < reach && reach < f32::INFINITY) {
            return Err(ConstraintError::BadSetting { name: "reach", value: reach });
        }
        Ok(FeatureContacts {
            particles,
            thickness,
            reach,
            friction,
            near: Vec::new(),
            start: Vec::new(),
            limits: Vec::new(),
            is_tight: false,
        })
    }

    /// Returns the distance within which a search must find all pairs.
    pub fn reach(&self) -> f32 {
        self.reach
    }

    /// Whether another search is needed before a substep from `before` to `positions`: if a
    /// particle would be stopped, and a search at `before` could let it move farther. `drift` is
    /// as in [`FeatureContacts::limit`]. Both are the positions of all particles.
    ///
    /// # Errors
    /// If there are fewer positions than particles.
    pub fn needs_search(
        &self,
        before: &[Vec3],
        positions: &[Vec3],
        drift: Vec3,
    ) -> Result<bool, ConstraintError> {
        check_step(&self.particles, &[before.len(), positions.len()], 1.0)?;
        let (before, positions) = (&before[self.particles.clone()], &positions[self.particles.clone()]);
        if self.start.len() != before.len() {
            return Ok(true);
        }
        let drift = if self.is_tight { Vec3::ZERO } else { drift };
        let mut all = positions.iter().zip(&self.start).zip(&self.limits);
        let is_stopped =
            all.any(|((now, start), limit)| !((*now - *start - drift).length_squared() <= limit * limit));
        Ok(is_stopped && self.start != before)
    }

    /// Takes the result of a search: all pairs of features within the reach at these positions,
    /// which are those of all particles. No pair may cross there.
    ///
    /// # Errors
    /// If there are fewer positions than particles. Names the first pair with a particle that is
    /// not of this body, or with numbers that are not finite. Nothing changes then.
    pub fn set(&mut self, positions: &[Vec3], near: &[NearFeatures]) -> Result<(), ConstraintError> {
        check_step(&self.particles, &[positions.len()], 1.0)?;
        for (element, pair) in near.iter().enumerate() {
            if pair.particles.iter().any(|&particle| !self.particles.contains(&(particle as usize))) {
                return Err(ConstraintError::NoSuchParticle { element });
            }
            let is_finite = pair.weights.iter().all(|weight| weight.is_finite());
            if !(is_finite && pair.point.is_finite() && pair.normal.is_finite() && 0.0 <= pair.distance) {
                return Err(ConstraintError::BadLink { link: element });
            }
        }
        let first = self.particles.start;
        self.start.clear();
        self.start.extend_from_slice(&positions[self.particles.clone()]);
        self.limits.clear();
        self.limits.resize(self.start.len(), SHARE * self.reach);
        self.near.clear();
        self.near.extend_from_slice(near);
        for pair in near {
            let share = if pair.is_obstacle { SHARE_OF_OBSTACLES } else { SHARE };
            let limit = share * pair.distance;
            for particle in pair.particles {
                let own = &mut self.limits[particle as usize - first];
                *own = if limit < *own { limit } else { *own };
            }
        }
        self.is_tight = false;
        for (limit, start) in self.limits.iter_mut().zip(&self.start) {
            let rounding = ROUNDING * (start.abs().max_element() + self.reach);
            *limit = if rounding < *limit { *limit - rounding } else { 0.0 };
            self.is_tight |= *limit == 0.0;
        }
        Ok(())
    }

    /// Returns the pairs of the last search.
    pub fn near(&self) -> &[NearFeatures] {
        &self.near
    }

    /// Pushes apart the pairs that are nearer than the thickness, with friction against their
    /// sliding since `before`. The arrays have the positions and inverse masses of all particles.
    ///
    /// # Errors
    /// If there are fewer positions or inverse masses than particles.
    pub fn project(
        &self,
        before: &[Vec3],
        positions: &mut [Vec3],
        inverse_masses: &[f32],
    ) -> Result<(), ConstraintError> {
        check_step(&self.particles, &[before.len(), positions.len(), inverse_masses.len()], 1.0)?;
        for pair in &self.near {
            let particles = pair.particles.map(|particle| particle as usize);
            let (mut displacement, mut give, mut slid) = (-pair.point, 0.0, Vec3::ZERO);
            for (particle, weight) in particles.into_iter().zip(pair.weights) {
                displacement += positions[particle] * weight;
                slid += (positions[particle] - before[particle]) * weight;
                give += inverse_masses[particle] * weight * weight;
            }
            let missing = self.thickness - displacement.dot(pair.normal);
            if !(0.0 < missing && 0.0 < give) {
                continue;
            }
            let aside = slid - pair.normal * slid.dot(pair.normal);
            let length = aside.length();
            // Friction stops the sliding at most, and is bounded by the push.
            let rub = if 0.0 < length { (self.friction * missing / length).min(1.0) } else { 0.0 };
            let push = (pair.normal * missing - aside * rub) / give;
            if !push.is_finite() {
                continue;
            }
            for (particle, weight) in particles.into_iter().zip(pair.weights) {
                positions[particle] += push * (weight * inverse_masses[particle]);
            }
        }
        Ok(())
    }

    /// Returns the mean motion of the particles since the last search: a drift for
    /// [`FeatureContacts::limit`].
    ///
    /// # Errors
    /// If there are fewer positions than particles.
    pub fn mean_motion(&self, positions: &[Vec3]) -> Result<Vec3, ConstraintError> {
        check_step(&self.particles, &[positions.len()], 1.0)?;
        let moved = positions[self.particles.clone()].iter().zip(&self.start);
        let sum: Vec3 = moved.map(|(now, start)| *now - *start).sum();
        Ok(sum / (self.start.len() as f32).max(1.0))
    }

    /// Limits the motion of particles since the last search, and returns the number of stopped
    /// ones. All may move by `drift` in addition; it must be zero if there are obstacles. Call it
    /// last in a substep. Then no pair crosses that did not cross at the search (test:
    /// `crossings::cloth_never_crosses_itself_or_a_ball`).
    ///
    /// # Errors
    /// If there are fewer positions than particles, or if there was no search.
    pub fn limit(&self, positions: &mut [Vec3], drift: Vec3) -> Result<usize, ConstraintError> {
        check_step(&self.particles, &[positions.len()], 1.0)?;
        let positions = &mut positions[self.particles.clone()];
        if self.start.len() != positions.len() {
            let given = self.start.len();
            return Err(ConstraintError::WrongCount { expected: positions.len(), given });
        }
        let drift = if self.is_tight || !drift.is_finite() { Vec3::ZERO } else { drift };
        let mut n_stopped = 0;
        for ((position, start), &limit) in positions.iter_mut().zip(&self.start).zip(&self.limits) {
            let moved = *position - *start - drift;
            let length_sq = moved.length_squared();
            if !(length_sq <= limit * limit) {
                n_stopped += 1;
                let part = limit / moved.length();
                // A motion that is not finite is undone.
                let kept = moved * if part < 1.0 { part } else { 0.0 };
                *position = *start + drift + if kept.is_finite() { kept } else { Vec3::ZERO };
            }
        }
        Ok(n_stopped)
    }
}
