//! Penalty forces: a spring and a damper push overlapping bodies apart, and never pull (test:
//! `penalty::never_pulls_and_keeps_momentum`).
//!
//! F = n max(0, k d - c v). Here d is the depth, v the speed at which B separates along n, k the
//! stiffness, c the damping. A damper acts across the normal, limited by Coulomb friction.
//!
//! The caller chooses the depth: that of a contact, or those of many vertices along rays. Bodies
//! sink in by m g / k until the springs carry them. The step must be short compared with the
//! oscillation of the stiffest spring: see [`Penalty::longest_step`].
//!
//! The force is zero if there is no overlap or a number is NaN.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.4 (forces from the depth that
//! rays find); M. Moore, J. Wilhelms, Collision Detection and Response for Computer Animation,
//! 1988, 4 (springs).

use crate::bodies::body::{Body, BodyKind};
use carom_math::{Real, Vec3, ops};

/// A spring and a damper between two bodies that overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Penalty {
    /// Force per length of overlap. Not negative.
    pub stiffness: Real,
    /// Force per speed. Not negative.
    pub damping: Real,
    /// Coulomb's coefficient of friction. `damping` also brakes sliding, and the coefficient times
    /// the normal force bounds the braking force. Not negative.
    pub friction: Real,
}

impl Penalty {
    /// Returns a spring with this stiffness and damping, without friction.
    pub const fn new(stiffness: Real, damping: Real) -> Penalty {
        Penalty { stiffness, damping, friction: 0.0 }
    }

    /// Returns a critically damped spring for `mass`: damping 2 sqrt(k m).
    pub fn critical(stiffness: Real, mass: Real) -> Penalty {
        Penalty::new(stiffness, 2.0 * ops::sqrt(stiffness * mass))
    }

    /// Sets the coefficient of friction.
    pub const fn with_friction(mut self, friction: Real) -> Penalty {
        self.friction = friction;
        self
    }

    /// Returns the longest stable step of one such spring on `mass`, for semi-implicit Euler
    /// (velocities first, then positions). For two bodies the mass is 1 / (1 / m_A + 1 / m_B). For
    /// `n` springs on one body it is 1 / n of its mass.
    ///
    /// The step is 2 / (w (z + sqrt(1 + z^2))) with w^2 = k / m and z = c / (2 m w). There the
    /// larger eigenvalue of a step leaves the unit circle.
    pub fn longest_step(&self, mass: Real) -> Real {
        let omega = ops::sqrt(self.stiffness / mass);
        let half_damping = 0.5 * self.damping / mass;
        2.0 / (half_damping + ops::sqrt(omega * omega + half_damping * half_damping))
    }

    /// Returns the force on B, in the world frame. The opposite acts on A. `displacement` is the
    /// displacement of B that ends the overlap, along the normal from A to B. `velocity` is that
    /// of B relative to A at the contact.
    pub fn force(&self, displacement: Vec3, velocity: Vec3) -> Vec3 {
        let depth = displacement.length();
        let normal = displacement / depth;
        let leaving = velocity.dot(normal);
        let push = self.stiffness * depth - self.damping * leaving;
        // The condition also holds for NaN. Without a depth there is no normal.
        if !(0.0 < push && push < Real::INFINITY) {
            return Vec3::ZERO;
        }
        let sliding = velocity - normal * leaving;
        let brake = (self.damping * sliding.length()).min(self.friction * push);
        normal * push - sliding.normalize_or_zero() * brake
    }

    /// Applies the impulse of the force over `dt` at `point` in the world frame, and returns the
    /// impulse on B. Bodies that are not dynamic do not change. An impulse wakes its bodies.
    pub fn push(&self, a: &mut Body, b: &mut Body, point: Vec3, displacement: Vec3, dt: Real) -> Vec3 {
        let velocity = |body: &Body| match body.kind {
            BodyKind::Fixed => Vec3::ZERO,
            BodyKind::Kinematic | BodyKind::Dynamic => body.velocity_at(point),
        };
        let impulse = self.force(displacement, velocity(b) - velocity(a)) * dt;
        if impulse != Vec3::ZERO && impulse.is_finite() {
            a.apply_impulse(-impulse, point);
            b.apply_impulse(impulse, point);
            return impulse;
        }
        Vec3::ZERO
    }
}
