//! Materials and filters of colliders.
//!
//! Reference: E. Catto, Box2D 3.1, `b2SurfaceMaterial` and `b2Filter`, 2025; rapier 0.36,
//! `CoefficientCombineRule`.

use crate::WorldError;
use crate::bodies::checks::{check_not_negative, check_surface};
use carom_broad::Groups;
use carom_math::Vec3;
use carom_response::CombineRule;

/// The surface of a collider: friction, restitution, rolling and spinning friction, and a
/// motion along itself.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Material {
    /// Coulomb's coefficient. Not negative. Default: 0.5.
    pub friction: f32,
    /// Restitution: 0 does not bounce, 1 keeps the speed. Not negative. Default: 0.
    pub restitution: f32,
    /// Rolling friction: the largest torque against rolling divided by the normal force. It is a
    /// length: the offset of the supporting force ahead of the contact. Not negative. A pair has
    /// the larger of its two values. It does not resist a spin about the normal: see
    /// [`Material::spinning_friction`]. Default: 0.
    ///
    /// A ball of radius r under gravity g slows down by 5/7 g c/r with this length c (test:
    /// `rolling::a_ball_stops_where_it_should`). It stays on slopes below the tangent c/r (test:
    /// `rolling::a_ball_stays_on_a_slope`).
    pub rolling_friction: f32,
    /// Spinning friction: the largest torque about the normal against spinning divided by the
    /// normal force. It is a length: two thirds of Coulomb's coefficient times the radius of a
    /// round area of contact with equal pressure. Not negative. A pair has the larger of its two
    /// values. Default: 0.
    ///
    /// A contact point alone does not resist a spin about its normal. With this length c, a ball
    /// of mass m and moment of inertia I that spins at w stops after w I/(c m g) (test:
    /// `rolling::a_spinning_ball_stops_when_it_should`).
    pub spinning_friction: f32,
    /// The combine rule for its friction and that of another collider. Default: the geometric
    /// mean.
    pub friction_rule: CombineRule,
    /// The combine rule for its restitution and that of another collider. Default: the maximum.
    pub restitution_rule: CombineRule,
    /// Velocity of the surface relative to the body, as of a conveyor belt. It is the velocity at
    /// the collider's origin, in the collider's frame. Length per time: see
    /// [`BodyMut::set_surface_velocity`](crate::BodyMut::set_surface_velocity). Default: zero.
    pub surface_velocity: Vec3,
    /// Angular velocity of the surface relative to the body, as of a turntable or a curved belt,
    /// in the collider's frame. Radians per time. Default: zero.
    pub surface_spin: Vec3,
}

impl Material {
    /// Returns a material with this friction and restitution. The other settings are the default
    /// ones.
    pub const fn new(friction: f32, restitution: f32) -> Material {
        Material {
            friction,
            restitution,
            rolling_friction: 0.0,
            spinning_friction: 0.0,
            friction_rule: CombineRule::GeometricMean,
            restitution_rule: CombineRule::Max,
            surface_velocity: Vec3::ZERO,
            surface_spin: Vec3::ZERO,
        }
    }

    /// Sets the combine rules for friction and restitution.
    pub const fn with_rules(self, friction_rule: CombineRule, restitution_rule: CombineRule) -> Material {
        Material { friction_rule, restitution_rule, ..self }
    }

    /// Sets the rolling friction, a length.
    pub const fn with_rolling_friction(self, rolling_friction: f32) -> Material {
        Material { rolling_friction, ..self }
    }

    /// Sets the spinning friction, a length.
    pub const fn with_spinning_friction(self, spinning_friction: f32) -> Material {
        Material { spinning_friction, ..self }
    }

    /// Sets the velocity of the surface at the collider's origin, and its spin.
    pub const fn with_surface_velocity(self, surface_velocity: Vec3, surface_spin: Vec3) -> Material {
        Material { surface_velocity, surface_spin, ..self }
    }

    /// Whether its surface moves.
    pub(crate) fn has_motion(&self) -> bool {
        self.surface_velocity != Vec3::ZERO || self.surface_spin != Vec3::ZERO
    }

    /// Refuses numbers out of their range.
    pub(crate) fn check(&self) -> Result<(), WorldError> {
        check_not_negative(self.friction, "friction")?;
        check_not_negative(self.restitution, "restitution")?;
        check_not_negative(self.rolling_friction, "rolling friction")?;
        check_not_negative(self.spinning_friction, "spinning friction")?;
        check_surface(self.surface_velocity, self.surface_spin)
    }
}

impl Default for Material {
    /// Returns friction 0.5, combined by the geometric mean, and restitution 0, combined by the
    /// maximum.
    fn default() -> Material {
        Material::new(0.5, 0.0)
    }
}

/// A collision filter. Two colliders collide if each one is in a group of the other's mask, and
/// they are not in the same family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Filter {
    /// The groups that it is in. Default: [`Groups::DEFAULT`], bit 0.
    pub groups: Groups,
    /// The groups that it collides with. Default: all.
    pub mask: Groups,
    /// The family. Colliders of one family do not collide, such as the limbs of a ragdoll. 0 is no
    /// family. Default: 0.
    pub family: u32,
}

impl Filter {
    /// Returns a filter in the groups `groups`, which collides with the groups `mask`, of no
    /// family.
    pub const fn new(groups: Groups, mask: Groups) -> Filter {
        Filter { groups, mask, family: 0 }
    }

    /// Sets the family.
    pub const fn with_family(self, family: u32) -> Filter {
        Filter { family, ..self }
    }

    /// Whether colliders with these filters collide.
    pub const fn meets(&self, other: &Filter) -> bool {
        self.groups.bits() & other.mask.bits() != 0
            && other.groups.bits() & self.mask.bits() != 0
            && (self.family == 0 || self.family != other.family)
    }
}

impl Default for Filter {
    /// Returns a filter in the default group, which collides with everything.
    fn default() -> Filter {
        Filter::new(Groups::DEFAULT, Groups::all())
    }
}
