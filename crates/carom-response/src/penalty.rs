//! Penalty forces: a spring and a damper push bodies apart that overlap, and never pull.
//!
//! F = n max(0, k d - c v), where d is the depth, v the speed with which B leaves A along n, k the
//! stiffness and c the damping; across the normal, a damper that is no stronger than Coulomb's
//! friction. The depth is whatever one trusts: that of a contact, or the ways of vertices along
//! rays, which are many and shallow. Bodies sink in until the springs carry them, by m g / k in
//! all, and the step has to be short against the swing of the stiffest spring:
//! [`Penalty::longest_step`] says how short.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.4 (forces from the depth that
//! rays find); M. Moore, J. Wilhelms, Collision Detection and Response for Computer Animation,
//! 1988, 4 (springs). Degenerate cases: no way (no depth, no force); a depth or speed that is no
//! number (no force); nobody who gives way.

use crate::body::{Body, BodyKind};
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
    /// Coulomb's coefficient: sliding is braked by `damping`, at most by this part of the force
    /// along the normal. Not negative.
    pub friction: Real,
}

impl Penalty {
    /// A spring of this stiffness, a damper, and no friction.
    pub const fn new(stiffness: Real, damping: Real) -> Penalty {
        Penalty { stiffness, damping, friction: 0.0 }
    }

    /// A spring on which `mass` comes to rest soonest: damping 2 sqrt(k m).
    pub fn critical(stiffness: Real, mass: Real) -> Penalty {
        Penalty::new(stiffness, 2.0 * ops::sqrt(stiffness * mass))
    }

    /// With this coefficient of friction.
    pub const fn with_friction(mut self, friction: Real) -> Penalty {
        self.friction = friction;
        self
    }

    /// Steps that are shorter do not make a swing grow that one such spring gives to `mass`, where
    /// velocities are advanced before places (semi-implicit Euler); of two bodies take m = 1 / (1 /
    /// m_A + 1 / m_B), of `n` springs on one body 1 / n of its mass.
    ///
    /// 2 / (w (z + sqrt(1 + z^2))) with w^2 = k / m and z = c / (2 m w): where the larger
    /// eigenvalue of a step leaves the unit circle.
    pub fn longest_step(&self, mass: Real) -> Real {
        let omega = ops::sqrt(self.stiffness / mass);
        let half_damping = 0.5 * self.damping / mass;
        2.0 / (half_damping + ops::sqrt(omega * omega + half_damping * half_damping))
    }

    /// The force on B, and its opposite on A: `way` is the way that B has to go to come free, a
    /// length along the normal from A to B, and `velocity` that of B against A where they touch.
    /// World frame.
    pub fn force(&self, way: Vec3, velocity: Vec3) -> Vec3 {
        let depth = way.length();
        let normal = way / depth;
        let leaving = velocity.dot(normal);
        let push = self.stiffness * depth - self.damping * leaving;
        // NaN too: no depth, no normal.
        if !(0.0 < push && push < Real::INFINITY) {
            return Vec3::ZERO;
        }
        let sliding = velocity - normal * leaving;
        let brake = (self.damping * sliding.length()).min(self.friction * push);
        normal * push - sliding.normalize_or_zero() * brake
    }

    /// Gives both bodies the impulse of the force over `dt` at `point`, world frame, and returns
    /// that on B. What is not dynamic stays as it is; who gets an impulse wakes.
    pub fn push(&self, a: &mut Body, b: &mut Body, point: Vec3, way: Vec3, dt: Real) -> Vec3 {
        let velocity = |body: &Body| match body.kind {
            BodyKind::Fixed => Vec3::ZERO,
            BodyKind::Kinematic | BodyKind::Dynamic => body.velocity_at(point),
        };
        let impulse = self.force(way, velocity(b) - velocity(a)) * dt;
        if impulse != Vec3::ZERO && impulse.is_finite() {
            a.apply_impulse(-impulse, point);
            b.apply_impulse(impulse, point);
            return impulse;
        }
        Vec3::ZERO
    }
}
