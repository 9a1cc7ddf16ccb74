//! Force fields: regions in which bodies and soft things feel another gravity, a wind, a pull, or a
//! drag.
//!
//! A body is in a region if its centre of mass is in it; a vertex or a particle if it is itself in
//! it. The effects of several fields add up, except for gravity. The gravity with the highest
//! priority is used, and among equal ones the last inserted.
//!
//! Reference: Godot 4, `Area3D` (gravity by region, priorities); H. Goldstein, Classical Mechanics,
//! 3rd ed., 1.5 (Rayleigh's dissipation).

use crate::bodies::shift::Shift;
use alloc::vec::Vec;
use carom_broad::Groups;
use carom_math::{Pose, Vec3, ops};
use carom_response::{Body, Inconsistency};

/// A handle of a force field. After the field is removed, each use of the handle is an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ForceFieldId(u64);

impl ForceFieldId {
    /// Returns the number of the field. Fields are numbered in the order of their insertion.
    #[inline]
    pub const fn number(self) -> u64 {
        self.0
    }
}

/// The effect of a force field on a dynamic body, in the world frame and the units of the world.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum ForceKind {
    /// This acceleration replaces the gravity of the settings. It is multiplied by the gravity
    /// scale of a body.
    Gravity(Vec3),
    /// This acceleration is added. It does not depend on the gravity scale.
    Acceleration(Vec3),
    /// An acceleration towards a centre: `strength` times the distance to the power of `exponent`.
    /// A negative strength pushes away. An exponent of -2 gives the gravity of a planet.
    Radial {
        /// The centre, in the world frame.
        center: Vec3,
        /// The acceleration at distance 1, length per time squared.
        strength: f32,
        /// The power of the distance, from -8 to 8.
        exponent: i32,
    },
    /// A resistance against motion relative to a flow, as of water or wind. Each rate is per unit
    /// of time: in a short time `t` a velocity loses the fraction `rate * t`. Not negative.
    Drag {
        /// Rate for the velocity relative to the flow.
        linear: f32,
        /// Rate for the angular velocity.
        angular: f32,
        /// The velocity of the medium, length per time.
        flow: Vec3,
    },
}

/// The region of a force field, in the world frame.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum ForceRegion {
    /// The whole world.
    Everywhere,
    /// A ball.
    Ball {
        /// Its centre.
        center: Vec3,
        /// Its radius; not negative.
        radius: f32,
    },
    /// A box of any orientation.
    Cuboid {
        /// The pose of its middle.
        pose: Pose,
        /// Half of its size along its axes; not negative.
        half_extents: Vec3,
    },
}

impl ForceRegion {
    fn contains(&self, point: Vec3) -> bool {
        match *self {
            ForceRegion::Everywhere => true,
            ForceRegion::Ball { center, radius } => {
                (point.as_dvec3() - center.as_dvec3()).length_squared()
                    <= f64::from(radius) * f64::from(radius)
            }
            ForceRegion::Cuboid { pose, half_extents } => {
                pose.inverse_transform_point(point).abs().cmple(half_extents).all()
            }
        }
    }
}

/// A description of a force field: its region, its effect, and the bodies on which it acts.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct ForceFieldDesc {
    /// The region.
    pub region: ForceRegion,
    /// The effect on a body there.
    pub kind: ForceKind,
    /// The groups of bodies on which it acts.
    pub mask: Groups,
    /// If several gravities act, the one of the highest priority is used.
    pub priority: i32,
}

impl ForceFieldDesc {
    /// Describes a field in the whole world, for all groups, of priority 0.
    pub const fn everywhere(kind: ForceKind) -> ForceFieldDesc {
        ForceFieldDesc::inside(ForceRegion::Everywhere, kind)
    }

    /// Describes a field in a region, for all groups, of priority 0.
    pub const fn inside(region: ForceRegion, kind: ForceKind) -> ForceFieldDesc {
        ForceFieldDesc { region, kind, mask: Groups::all(), priority: 0 }
    }

    /// Sets the groups of the bodies on which it acts.
    pub fn with_mask(self, mask: Groups) -> ForceFieldDesc {
        ForceFieldDesc { mask, ..self }
    }

    /// Sets the priority among gravities.
    pub fn with_priority(self, priority: i32) -> ForceFieldDesc {
        ForceFieldDesc { priority, ..self }
    }

    /// Returns name and value of the first number, besides those of a pose, that is not finite or
    /// out of its range.
    pub(crate) fn fault(&self) -> Option<(&'static str, f32)> {
        let not_finite = |v: Vec3, what| find_bad(&v.to_array(), f32::is_finite, what);
        let no_rate = |x: f32, what| find_bad(&[x], is_rate, what);
        let of_region = match self.region {
            ForceRegion::Everywhere => None,
            ForceRegion::Ball { center, radius } => not_finite(center, "center of a force field")
                .or_else(|| no_rate(radius, "radius of a force field")),
            ForceRegion::Cuboid { half_extents, .. } => {
                find_bad(&half_extents.to_array(), is_rate, "half extent of a force field")
            }
        };
        of_region.or_else(|| match self.kind {
            ForceKind::Gravity(g) => not_finite(g, "gravity of a force field"),
            ForceKind::Acceleration(a) => not_finite(a, "acceleration of a force field"),
            ForceKind::Radial { center, strength, exponent } => not_finite(center, "center of a pull")
                .or_else(|| find_bad(&[strength], f32::is_finite, "strength of a pull"))
                .or_else(|| {
                    let is_beyond = MAX_EXPONENT < exponent.unsigned_abs();
                    is_beyond.then_some(("exponent of a pull", exponent as f32))
                }),
            ForceKind::Drag { linear, angular, flow } => no_rate(linear, "linear drag")
                .or_else(|| no_rate(angular, "angular drag"))
                .or_else(|| not_finite(flow, "flow of a force field")),
        })
    }

    /// Whether it acts on a body of these groups.
    pub(crate) fn acts_on(&self, body: &Body, groups: Groups) -> bool {
        self.mask.intersects(groups) && self.region.contains(body.world_center())
    }
}

/// A body or a particle in force fields.
pub(crate) struct FieldPoint {
    /// The centre of mass.
    pub(crate) point: Vec3,
    pub(crate) velocity: Vec3,
    /// About the centre of mass.
    pub(crate) angular_momentum: Vec3,
    pub(crate) groups: Groups,
    pub(crate) times: FieldTimes,
}

impl FieldPoint {
    fn of(body: &Body, groups: Groups, times: FieldTimes) -> FieldPoint {
        FieldPoint {
            point: body.world_center(),
            velocity: body.linear_velocity,
            angular_momentum: body.angular_momentum().as_vec3(),
            groups,
            times,
        }
    }
}

/// The times of a step for force fields.
#[derive(Clone, Copy)]
pub(crate) struct FieldTimes {
    /// Length of the step.
    dt: f32,
    /// Time by which its motion is predicted for pulls, so that orbits stay closed.
    lead: f32,
}

impl FieldTimes {
    /// Returns the times of a step in which forces are constant, of `n_substeps` substeps.
    ///
    /// With the lead of half a step less half a substep the whole step is one of symplectic Euler,
    /// for the predicted position and the velocity. So the energy of an orbit does not drift.
    pub(crate) fn of(dt: f32, n_substeps: u32) -> FieldTimes {
        FieldTimes { dt, lead: 0.5 * (dt - dt / n_substeps.max(1) as f32) }
    }
}

/// The effect of all force fields at a point.
#[derive(Default)]
pub(crate) struct FieldEffect {
    /// Replaces the gravity of the settings, if it is not `None`.
    pub(crate) gravity: Option<Vec3>,
    pub(crate) acceleration: Vec3,
    pub(crate) torque: Vec3,
}

/// The largest power of a distance, and of its inverse.
const MAX_EXPONENT: u32 = 8;

fn is_rate(x: f32) -> bool {
    0.0 <= x && x < f32::INFINITY
}

/// Returns the first number for which `is_good` does not hold, with its name.
fn find_bad(numbers: &[f32], is_good: fn(f32) -> bool, what: &'static str) -> Option<(&'static str, f32)> {
    numbers.iter().find(|x| !is_good(**x)).map(|x| (what, *x))
}

/// Returns `x` to a power by multiplications only, so the bits are the same on each machine.
fn power(x: f64, exponent: i32) -> f64 {
    let product: f64 = (0..exponent.unsigned_abs()).map(|_| x).product();
    if exponent < 0 { 1.0 / product } else { product }
}

/// The force fields in the order of insertion.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct ForceFields {
    /// Sorted by handle.
    fields: Vec<(ForceFieldId, ForceFieldDesc)>,
    next: u64,
}

impl ForceFields {
    /// Moves regions and centres along with the frame of the world.
    pub(crate) fn shift(&mut self, shift: Shift) {
        for (_, field) in &mut self.fields {
            match &mut field.region {
                ForceRegion::Everywhere => {}
                ForceRegion::Ball { center, .. } => shift.apply(center),
                ForceRegion::Cuboid { pose, .. } => shift.apply(&mut pose.translation),
            }
            if let ForceKind::Radial { center, .. } = &mut field.kind {
                shift.apply(center);
            }
        }
    }

    pub(crate) fn insert(&mut self, desc: ForceFieldDesc) -> ForceFieldId {
        let id = ForceFieldId(self.next);
        self.next += 1;
        self.fields.push((id, desc));
        id
    }

    pub(crate) fn get(&self, id: ForceFieldId) -> Option<&ForceFieldDesc> {
        let index = self.fields.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        Some(&self.fields[index].1)
    }

    /// Replaces a field, or removes it with `None`. Returns the old one.
    pub(crate) fn change(&mut self, id: ForceFieldId, new: Option<ForceFieldDesc>) -> Option<ForceFieldDesc> {
        let index = self.fields.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        let old = self.fields[index].1;
        match new {
            Some(new) => self.fields[index].1 = new,
            None => _ = self.fields.remove(index),
        }
        Some(old)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (ForceFieldId, &ForceFieldDesc)> + '_ {
        self.fields.iter().map(|(id, desc)| (*id, desc))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// Returns the force and the torque of all fields on a body in a step. Also returns whether
    /// they replace the gravity of the settings.
    pub(crate) fn on(&self, body: &Body, groups: Groups, times: FieldTimes) -> ([Vec3; 2], bool) {
        let effect = self.effect_on(body, groups, times);
        let acceleration =
            effect.acceleration + effect.gravity.map_or(Vec3::ZERO, |own| own * body.gravity_scale);
        let force = if 0.0 < body.inverse_mass { acceleration / body.inverse_mass } else { Vec3::ZERO };
        let finite = [force, effect.torque].map(|v| if v.is_finite() { v } else { Vec3::ZERO });
        (finite, effect.gravity.is_some())
    }

    /// Returns the effect of all fields on a body.
    pub(crate) fn effect_on(&self, body: &Body, groups: Groups, times: FieldTimes) -> FieldEffect {
        self.at(&FieldPoint::of(body, groups, times))
    }

    /// Returns the effect of all fields at a point.
    pub(crate) fn at(&self, at: &FieldPoint) -> FieldEffect {
        let FieldPoint { point, velocity, angular_momentum, groups, times: FieldTimes { dt, lead } } = *at;
        let mut effect = FieldEffect::default();
        let mut priority = i32::MIN;
        let acts = |field: &ForceFieldDesc| field.mask.intersects(groups) && field.region.contains(point);
        for (_, field) in self.fields.iter().filter(|(_, field)| acts(field)) {
            match field.kind {
                ForceKind::Gravity(g) => {
                    if priority <= field.priority {
                        (priority, effect.gravity) = (field.priority, Some(g));
                    }
                }
                ForceKind::Acceleration(a) => effect.acceleration += a,
                ForceKind::Radial { center, strength, exponent } => {
                    let ahead = (velocity * lead).as_dvec3();
                    let inwards = center.as_dvec3() - (point.as_dvec3() + ahead);
                    let distance = ops::sqrt(inwards.length_squared());
                    // At the centre the direction is not defined.
                    if 0.0 < distance {
                        let pull = f64::from(strength) * power(distance, exponent);
                        effect.acceleration += (inwards * (pull / distance)).as_vec3();
                    }
                }
                ForceKind::Drag { linear, angular, flow } => {
                    // The loss of an implicit step: at most the whole velocity, for any rate.
                    effect.acceleration -= (velocity - flow) * (linear / (1.0 + linear * dt));
                    effect.torque -= angular_momentum * (angular / (1.0 + angular * dt));
                }
            }
        }
        effect
    }

    /// Checks that handles ascend and all numbers are in their ranges.
    pub(crate) fn check(&self) -> Result<(), Inconsistency> {
        let ascends = |k: usize| k == 0 || self.fields[k - 1].0 < self.fields[k].0;
        for (index, (id, field)) in self.fields.iter().enumerate() {
            if !ascends(index) || self.next <= id.0 {
                return Err(Inconsistency { what: "a force field out of order", index });
            }
            if let Some((what, _)) = field.fault() {
                return Err(Inconsistency { what, index });
            }
            if let ForceRegion::Cuboid { pose, .. } = field.region
                && Pose::try_new(pose.rotation, pose.translation).is_err()
            {
                return Err(Inconsistency { what: "the pose of a force field", index });
            }
        }
        Ok(())
    }
}
