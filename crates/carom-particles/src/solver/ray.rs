//! Rays against particles: the first ball that a ray meets.
//!
//! - All particles are tested, in the order of memory.
//! - If the ray meets two at the same distance, the one with the smaller number counts.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 22.6.2.

use crate::ParticleSolver;
use crate::solver::store::vector;
use carom_math::Ray;
use carom_math::ops::sqrt;
use glam::Vec3;

/// The point at which a ray meets a particle.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ParticleHit {
    /// The particle.
    pub particle: u32,
    /// The parameter along the ray: 0 if it begins in the particle.
    pub t: f32,
    /// The point at the parameter.
    pub point: Vec3,
}

impl ParticleSolver {
    /// Returns the first particle whose ball a ray meets, for parameters from 0 to `max_t`. The ray
    /// need not have length 1; one without a direction that is finite meets nothing.
    pub fn cast_ray(&self, ray: &Ray, max_t: f32) -> Option<ParticleHit> {
        let length_sq = ray.direction.length_squared();
        if !(0.0 < length_sq && length_sq < f32::INFINITY) {
            return None;
        }
        let mut best: Option<(f32, u32)> = None;
        for (slot, row) in self.store.positions.iter().enumerate() {
            let (radius, id) = (self.store.radius(slot), self.store.ids[slot]);
            let to_center = vector(row) - ray.origin;
            let middle = to_center.dot(ray.direction) / length_sq;
            let aside_sq = (to_center - ray.direction * middle).length_squared();
            let half_sq = (radius * radius - aside_sq) / length_sq;
            if !(0.0 <= half_sq) {
                continue;
            }
            let half = sqrt(half_sq);
            let t = (middle - half).max(0.0);
            if 0.0 <= middle + half && t <= max_t && best.is_none_or(|(least, of)| (t, id) < (least, of)) {
                best = Some((t, id));
            }
        }
        best.map(|(t, particle)| ParticleHit { particle, t, point: ray.at(t) })
    }
}
