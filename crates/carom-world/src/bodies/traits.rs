//! The properties of a body, or of one of several colliders, other than motion and shape.

use crate::bodies::active_hooks::ActiveHooks;
use crate::bodies::material::{self, Material};
use carom_broad::{Filter, Mobility};
use carom_response::CombineRule;

/// The properties of a body other than its motion and its shape.
///
/// If a body has several colliders, each has its own. Those of the body are then a conservative
/// summary: the union of the groups, the lowest threshold, the largest restitution, rolling
/// and spinning friction.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Traits {
    pub(crate) filter: Filter,
    pub(crate) friction: f32,
    pub(crate) restitution: f32,
    pub(crate) rolling_friction: f32,
    pub(crate) spinning_friction: f32,
    pub(crate) friction_rule: CombineRule,
    pub(crate) restitution_rule: CombineRule,
    pub(crate) impulse_threshold: f32,
    pub(crate) family: u32,
    /// Whether all colliders of the body are sensors.
    pub(crate) is_sensor: bool,
    /// Whether a collider of the body is a sensor.
    pub(crate) has_sensor: bool,
    /// Whether its colliders are in `BodySet::composites`.
    pub(crate) is_composite: bool,
    pub(crate) is_fast: bool,
    pub(crate) records_pushes: bool,
    /// Whether a collider of the body has materials by part, in `BodySet::part_materials`.
    pub(crate) has_part_materials: bool,
    pub(crate) hooks: ActiveHooks,
    pub(crate) user_data: u64,
}

impl Traits {
    /// The traits of a number without a body.
    pub(crate) const NONE: Traits = Traits {
        filter: Filter::new(Mobility::Fixed),
        friction: 0.0,
        restitution: 0.0,
        rolling_friction: 0.0,
        spinning_friction: 0.0,
        friction_rule: CombineRule::GeometricMean,
        restitution_rule: CombineRule::Max,
        impulse_threshold: f32::MAX,
        family: 0,
        is_sensor: false,
        has_sensor: false,
        is_composite: false,
        is_fast: false,
        records_pushes: false,
        has_part_materials: false,
        hooks: ActiveHooks::empty(),
        user_data: 0,
    };
}

impl Traits {
    /// Sets the numbers and combine rules of a material.
    pub(crate) fn with_material(self, material: &Material) -> Traits {
        Traits {
            friction: material.friction,
            restitution: material.restitution,
            rolling_friction: material.rolling_friction,
            spinning_friction: material.spinning_friction,
            friction_rule: material.friction_rule,
            restitution_rule: material.restitution_rule,
            ..self
        }
    }

    /// Returns friction and restitution of a pair, by the rules of both.
    pub(crate) fn mixed_with(&self, other: &Traits) -> [f32; 2] {
        let rules = [self.friction_rule, other.friction_rule];
        let friction = CombineRule::combine(rules, [self.friction, other.friction]);
        [friction, self.mixed_restitution(other)]
    }

    /// Returns rolling and spinning friction of a pair: the larger one of the two values.
    pub(crate) fn mixed_rotation_with(&self, other: &Traits) -> [f32; 2] {
        let rolling = self.rolling_friction.max(other.rolling_friction);
        [rolling, self.spinning_friction.max(other.spinning_friction)]
    }

    /// Returns the restitution of a pair.
    fn mixed_restitution(&self, other: &Traits) -> f32 {
        let rules = [self.restitution_rule, other.restitution_rule];
        CombineRule::combine(rules, [self.restitution, other.restitution])
    }

    /// Whether hooks are called for its pairs.
    pub(crate) fn has_hooks(&self) -> bool {
        !self.hooks.is_empty()
    }

    /// Whether it may resist rolling or spinning.
    pub(crate) fn resists_rotation(&self) -> bool {
        0.0 < self.rolling_friction.max(self.spinning_friction) || self.has_part_materials
    }

    /// Whether the impulses of its pairs are recorded.
    pub(crate) fn records_impulses(&self) -> bool {
        self.records_pushes || self.impulse_threshold < f32::MAX
    }
}

impl Traits {
    /// Returns the filter in the form of the public interface.
    pub(crate) fn user_filter(&self) -> material::Filter {
        material::Filter::new(self.filter.membership, self.filter.mask).with_family(self.family)
    }

    /// Whether groups and families allow contacts of two colliders.
    pub(crate) fn meets(&self, other: &Traits) -> bool {
        self.user_filter().meets(&other.user_filter())
    }
}
