//! Plausible responses of two bodies if there was no time to find their contact.
//!
//! - They stop approaching: [`stop_approach`]. One impulse acts through both centres of mass,
//!   along a direction that the caller estimates from their bounding volumes.
//! - Or they separate in a random direction around that of a bounce: [`Scatter`]. Many such
//!   collisions look natural, and an observer cannot distinguish one from the exact one.
//!
//! Neither adds energy, for any direction. Both keep the momentum and change no rotation.
//!
//! Reference: J. Dingliana, C. O'Sullivan, Graceful Degradation of Collision Handling in Physically
//! Based Animation, Eurographics 2000 (a response from bounding volumes when time is out); C.
//! O'Sullivan, J. Dingliana, Collisions and Perception, ACM TOG 20(3), 2001 (how far a direction
//! may be off unnoticed).
//! Differs: random numbers follow from a seed, so equal input gives equal bits.

use crate::bodies::body::{Body, BodyKind};
use carom_math::splitmix::{GAMMA, mixed};
use carom_math::{Real, Vec3, ops};
use core::f32::consts::{FRAC_PI_2, TAU};

/// Removes the speed at which the centres of mass approach along `normal`, a unit vector from A to
/// B in the world frame. Returns whether they approached.
///
/// Sleeping, fixed and kinematic bodies keep their velocities.
pub fn stop_approach(a: &mut Body, b: &mut Body, normal: Vec3) -> bool {
    let Some(collision) = Collision::of(a, b, normal) else { return false };
    let [inverse_a, inverse_b] = collision.inverse_masses;
    let impulse = -collision.velocity.dot(normal) / (inverse_a + inverse_b);
    if !(impulse < Real::INFINITY) {
        return false;
    }
    a.linear_velocity -= normal * (impulse * inverse_a);
    b.linear_velocity += normal * (impulse * inverse_b);
    true
}

/// A bounce in a random direction around that of the law of reflection.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Scatter {
    /// Coefficient of restitution, from 0 to 1. At 0 the direction is not random: the bodies slide
    /// along each other.
    pub restitution: Real,
    /// The largest angle between the direction and that of the reflection, in radians, from 0 to
    /// pi / 2. It is reduced if such a direction would lead into the other body.
    pub spread: Real,
    /// The seed of the random directions.
    pub seed: u64,
}

impl Scatter {
    /// Returns a scatter with these values.
    pub const fn new(restitution: Real, spread: Real, seed: u64) -> Scatter {
        Scatter { restitution, spread, seed }
    }

    /// Whether all values are in range.
    pub fn is_sound(&self) -> bool {
        (0.0..=1.0).contains(&self.restitution) && (0.0..=FRAC_PI_2).contains(&self.spread)
    }

    /// Separates two bodies whose centres of mass approach along `normal`, a unit vector from A to
    /// B in the world frame. Returns whether they approached. `draw` is the index of the random
    /// number: equal indices give equal directions.
    ///
    /// The relative velocity keeps the length of the reflected one. Its direction is uniform in a
    /// spherical cap around the reflection. So the mean direction and the energy of each result
    /// are those of the reflection. Bodies that do not move are treated as in [`stop_approach`].
    pub fn apply(&self, a: &mut Body, b: &mut Body, normal: Vec3, draw: u64) -> bool {
        let Some(collision) = Collision::of(a, b, normal) else { return false };
        let speed = collision.velocity.dot(normal);
        let reflected = collision.velocity - normal * ((1.0 + self.restitution) * speed);
        let length = reflected.length();
        let axis = reflected / length;
        if !axis.is_finite() {
            return collision.push(a, b, reflected - collision.velocity);
        }
        // The cap ends at the plane between the bodies: it stays round, and its mean is the axis.
        let rise = axis.dot(normal).clamp(0.0, 1.0);
        let to_plane = ops::sqrt((1.0 - rise) * (1.0 + rise));
        let cos_cap = ops::sin_cos(self.spread).1.max(to_plane);
        let [first, second] = units(self.seed, draw);
        let cos = 1.0 - first * (1.0 - cos_cap);
        let sin = ops::sqrt(((1.0 - cos) * (1.0 + cos)).max(0.0));
        let (s, c) = ops::sin_cos(second * TAU);
        let (x, y) = axis.any_orthonormal_pair();
        let after = (axis * cos + (x * c + y * s) * sin) * length;
        // Rounding must not turn it into the other body, nor make it longer.
        let after = after - normal * after.dot(normal).min(0.0);
        let after = after * (length / after.length().max(length));
        collision.push(a, b, after - collision.velocity)
    }
}

/// Two bodies whose centres approach, at least one of them movable.
struct Collision {
    /// Velocity of B relative to A.
    velocity: Vec3,
    inverse_masses: [Real; 2],
    /// Effective mass.
    mass: Real,
}

impl Collision {
    fn of(a: &Body, b: &Body, normal: Vec3) -> Option<Collision> {
        let inverse_mass_of = |body: &Body| if body.is_active() { body.inverse_mass } else { 0.0 };
        let stands = |body: &Body| body.kind == BodyKind::Fixed;
        let moves = |body: &Body| if stands(body) { Vec3::ZERO } else { body.linear_velocity };
        let inverse_masses = [inverse_mass_of(a), inverse_mass_of(b)];
        let velocity = moves(b) - moves(a);
        let mass = 1.0 / (inverse_masses[0] + inverse_masses[1]);
        // If neither is movable, the mass is infinite.
        (velocity.dot(normal) < 0.0 && mass < Real::INFINITY).then_some(Collision {
            velocity,
            inverse_masses,
            mass,
        })
    }

    /// Changes the velocity of B relative to A.
    fn push(&self, a: &mut Body, b: &mut Body, change: Vec3) -> bool {
        let impulse = change * self.mass;
        if !impulse.is_finite() {
            return false;
        }
        a.linear_velocity -= impulse * self.inverse_masses[0];
        b.linear_velocity += impulse * self.inverse_masses[1];
        true
    }
}

/// Returns two pseudorandom numbers from 0 to 1, for a seed and an index.
fn units(seed: u64, draw: u64) -> [Real; 2] {
    let bits = mixed(mixed(seed.wrapping_add(GAMMA)).wrapping_add(draw.wrapping_mul(GAMMA)));
    // 24 bits each: every number is exact.
    [bits >> 40, bits >> 8 & 0xff_ffff].map(|bits| bits as Real / 16_777_216.0)
}
