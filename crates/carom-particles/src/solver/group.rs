//! Groups of particles: liquid, gas, grains, or the particles of a solid.
//!
//! - Each particle has a phase word: the number of its group, and flags that the inner loops read.
//! - All other properties are stored once per group.
//!
//! Reference: M. Macklin, M. Mueller, N. Chentanez, T.-Y. Kim, Unified Particle Physics for
//! Real-Time Applications, ACM Transactions on Graphics 33(4), 2014, 3 and 7.

use crate::ParticleError;

/// The most groups: the bits of a phase word below its flags.
pub(crate) const MAX_GROUPS: usize = 1 << 24;

/// A liquid: its particles keep their density, and slide along each other.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Liquid {
    /// Mass per volume at rest, greater than 0. Default: 1000.
    pub density: f32,
    /// Kinematic viscosity, in lengths squared per second, at least 0. Water has 0.000001.
    /// Default: 0.
    pub viscosity: f32,
    /// Attraction between neighbours, in lengths per second squared, at least 0: it makes drops
    /// round. Default: 0.
    pub cohesion: f32,
    /// The strength of vorticity confinement, at least 0; 0.1 is visible. Default: 0.
    pub vorticity: f32,
    /// Coefficient of friction against walls, at least 0. Default: 0.
    pub friction: f32,
}

impl Default for Liquid {
    fn default() -> Liquid {
        Liquid { density: 1000.0, viscosity: 0.0, cohesion: 0.0, vorticity: 0.0, friction: 0.0 }
    }
}

impl Liquid {
    /// Returns this liquid with another density, greater than 0.
    #[must_use]
    pub fn with_density(self, density: f32) -> Liquid {
        Liquid { density, ..self }
    }

    /// Returns this liquid with another kinematic viscosity, in lengths squared per second.
    #[must_use]
    pub fn with_viscosity(self, viscosity: f32) -> Liquid {
        Liquid { viscosity, ..self }
    }

    /// Returns this liquid with another attraction between neighbours, in lengths per second
    /// squared.
    #[must_use]
    pub fn with_cohesion(self, cohesion: f32) -> Liquid {
        Liquid { cohesion, ..self }
    }

    /// Returns this liquid with swirls kept up more or less strongly.
    #[must_use]
    pub fn with_vorticity(self, vorticity: f32) -> Liquid {
        Liquid { vorticity, ..self }
    }
}

/// A gas: as a liquid, but it rises, and is slowed by the air that has no particles.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Gas {
    /// Mass per volume at rest, greater than 0. Default: 100.
    pub density: f32,
    /// Acceleration against gravity, as a fraction of gravity, at least 0. Default: 0.5.
    pub lift: f32,
    /// The fraction of the speed that is lost per second, at least 0. Default: 0.5.
    pub drag: f32,
    /// As in [`Liquid`]. Default: 0.
    pub viscosity: f32,
    /// As in [`Liquid`]. Default: 0.1.
    pub vorticity: f32,
}

impl Default for Gas {
    fn default() -> Gas {
        Gas { density: 100.0, lift: 0.5, drag: 0.5, viscosity: 0.0, vorticity: 0.1 }
    }
}

impl Gas {
    /// Returns this gas with another lift, as a fraction of gravity.
    #[must_use]
    pub fn with_lift(self, lift: f32) -> Gas {
        Gas { lift, ..self }
    }

    /// Returns this gas with another fraction of the speed lost per second.
    #[must_use]
    pub fn with_drag(self, drag: f32) -> Gas {
        Gas { drag, ..self }
    }
}

/// Grains: balls that touch, with friction, and do not roll.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Grains {
    /// Mass per volume of the cube around a grain, greater than 0. Default: 1600.
    pub density: f32,
    /// Coefficient of friction while grains slide, at least 0. Default: 0.5.
    pub friction: f32,
    /// Coefficient of friction while they do not slide, at least `friction`. Default: 0.6.
    pub static_friction: f32,
    /// The coefficient of restitution of grains, from 0 to 1. In a contact of two, the larger one
    /// counts. Default: 0.
    pub restitution: f32,
    /// Their radius, a length, if it is not that of the solver: from an eighth of it to eight
    /// times as much. A liquid has the radius of the solver. It treats each grain as one of its
    /// own particles, so only grains of that radius float correctly. Default: `None`.
    pub radius: Option<f32>,
}

impl Default for Grains {
    fn default() -> Grains {
        Grains { density: 1600.0, friction: 0.5, static_friction: 0.6, restitution: 0.0, radius: None }
    }
}

impl Grains {
    /// Returns these grains with another density, greater than 0.
    #[must_use]
    pub fn with_density(self, density: f32) -> Grains {
        Grains { density, ..self }
    }

    /// Returns these grains with one coefficient of friction, sliding or not.
    #[must_use]
    pub fn with_friction(self, friction: f32) -> Grains {
        Grains { friction, static_friction: friction, ..self }
    }

    /// Returns these grains with another restitution, from 0 to 1.
    #[must_use]
    pub fn with_restitution(self, restitution: f32) -> Grains {
        Grains { restitution, ..self }
    }

    /// Returns these grains with a radius of their own, from an eighth to eight times that of the
    /// solver.
    #[must_use]
    pub fn with_radius(self, radius: f32) -> Grains {
        Grains { radius: Some(radius), ..self }
    }
}

/// The particles of a solid: cloth, rope, soft or rigid bodies. Constraints hold them together.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Solid {
    /// Coefficient of friction while it slides, at least 0. Default: 0.4.
    pub friction: f32,
    /// Coefficient of friction while it does not slide, at least `friction`. Default: 0.5.
    pub static_friction: f32,
    /// Whether its particles also touch each other. Pairs that start nearer than the rest distance
    /// of particles never do. Default: true.
    pub is_self_colliding: bool,
    /// As in [`Grains`]. Default: 0.
    pub restitution: f32,
    /// The radius of its particles, a length, if it is not that of the solver: from an eighth of
    /// it to eight times as much. Default: `None`.
    pub radius: Option<f32>,
}

impl Default for Solid {
    fn default() -> Solid {
        Solid { friction: 0.4, static_friction: 0.5, is_self_colliding: true, restitution: 0.0, radius: None }
    }
}

impl Solid {
    /// Returns this solid with one coefficient of friction, sliding or not.
    #[must_use]
    pub fn with_friction(self, friction: f32) -> Solid {
        Solid { friction, static_friction: friction, ..self }
    }

    /// Returns this solid with particles that touch each other, or not.
    #[must_use]
    pub fn with_self_collision(self, is_self_colliding: bool) -> Solid {
        Solid { is_self_colliding, ..self }
    }

    /// Returns this solid with another restitution, from 0 to 1.
    #[must_use]
    pub fn with_restitution(self, restitution: f32) -> Solid {
        Solid { restitution, ..self }
    }

    /// Returns this solid with particles of another radius, from an eighth to eight times that of
    /// the solver.
    #[must_use]
    pub fn with_radius(self, radius: f32) -> Solid {
        Solid { radius: Some(radius), ..self }
    }
}

/// The phase word of a particle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Phase(pub(crate) u32);

impl Phase {
    /// Its density is kept.
    pub(crate) const FLUID: u32 = 1 << 31;
    /// The particle touches particles of its own group.
    pub(crate) const SELF: u32 = 1 << 30;
    /// The particle has a rest position. It does not touch particles of its group that are near it
    /// at rest.
    pub(crate) const RESTS: u32 = 1 << 29;

    #[inline(always)]
    pub(crate) fn is_fluid(self) -> bool {
        self.0 & Phase::FLUID != 0
    }

    #[inline(always)]
    pub(crate) fn group(self) -> usize {
        self.0 as usize & (MAX_GROUPS - 1)
    }
}

/// The properties that all particles of a group share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Group {
    /// The flags of the phase word.
    pub(crate) flags: u32,
    /// Mass per volume, of solids 0: each particle has its mass.
    pub(crate) density: f32,
    pub(crate) gravity_scale: f32,
    pub(crate) drag: f32,
    pub(crate) viscosity: f32,
    pub(crate) cohesion: f32,
    pub(crate) vorticity: f32,
    pub(crate) friction: f32,
    pub(crate) static_friction: f32,
    pub(crate) restitution: f32,
    /// 0 for that of the solver, until the group is added.
    pub(crate) radius: f32,
}

/// The largest ratio of a radius to that of the solver, and of that to a radius.
const MAX_RADIUS_RATIO: f32 = 8.0;

impl Group {
    /// The number of numeric properties of a group.
    pub(crate) const N_NUMBERS: usize = 10;

    pub(crate) fn numbers(&self) -> [f32; Group::N_NUMBERS] {
        let Group { flags: _, density, gravity_scale, drag, viscosity, cohesion, vorticity, .. } = *self;
        let [friction, at_rest] = [self.friction, self.static_friction];
        let [restitution, radius] = [self.restitution, self.radius];
        [density, gravity_scale, drag, viscosity, cohesion, vorticity, friction, at_rest, restitution, radius]
    }

    pub(crate) fn from_numbers(flags: u32, numbers: [f32; Group::N_NUMBERS]) -> Group {
        let [density, gravity_scale, drag, viscosity, cohesion, vorticity, .., restitution, radius] = numbers;
        let [friction, static_friction] = [numbers[6], numbers[7]];
        Group {
            flags,
            density,
            gravity_scale,
            drag,
            viscosity,
            cohesion,
            vorticity,
            friction,
            static_friction,
            restitution,
            radius,
        }
    }

    pub(crate) fn is_fluid(&self) -> bool {
        self.flags & Phase::FLUID != 0
    }

    /// Checks that all numbers are in their ranges. The error names the first that is not.
    /// `solver_radius` is that of the solver.
    pub(crate) fn check(&self, solver_radius: f32) -> Result<(), ParticleError> {
        const NAMES: [&str; Group::N_NUMBERS] = [
            "density",
            "lift",
            "drag",
            "viscosity",
            "cohesion",
            "vorticity",
            "friction",
            "static_friction",
            "restitution",
            "radius",
        ];
        let ratio = self.radius / solver_radius;
        let is_rigid = self.flags & Phase::RESTS != 0;
        for (name, value) in NAMES.into_iter().zip(self.numbers()) {
            let is_good = match name {
                "density" => (0.0 < value || is_rigid) && value.is_finite(),
                "lift" => value.is_finite(),
                "static_friction" => self.friction <= value && value.is_finite(),
                "restitution" => (0.0..=1.0).contains(&value),
                "radius" if self.is_fluid() => value == solver_radius,
                "radius" => 1.0 / MAX_RADIUS_RATIO <= ratio && ratio <= MAX_RADIUS_RATIO,
                _ => 0.0 <= value && value.is_finite(),
            };
            if !is_good {
                return Err(ParticleError::BadSetting { name, value });
            }
        }
        Ok(())
    }
}

impl From<&Liquid> for Group {
    fn from(liquid: &Liquid) -> Group {
        let Liquid { density, viscosity, cohesion, vorticity, friction } = *liquid;
        Group::from_numbers(
            Phase::FLUID,
            [density, 1.0, 0.0, viscosity, cohesion, vorticity, friction, friction, 0.0, 0.0],
        )
    }
}

impl From<&Gas> for Group {
    fn from(gas: &Gas) -> Group {
        let Gas { density, lift, drag, viscosity, vorticity } = *gas;
        let numbers = [density, -lift, drag, viscosity, 0.0, vorticity, 0.0, 0.0, 0.0, 0.0];
        Group::from_numbers(Phase::FLUID, numbers)
    }
}

impl From<&Grains> for Group {
    fn from(grains: &Grains) -> Group {
        let Grains { density, friction, static_friction, restitution, radius } = *grains;
        let radius = own_radius(radius);
        let numbers = [density, 1.0, 0.0, 0.0, 0.0, 0.0, friction, static_friction, restitution, radius];
        Group::from_numbers(Phase::SELF, numbers)
    }
}

impl From<&Solid> for Group {
    fn from(solid: &Solid) -> Group {
        let flags = Phase::RESTS | if solid.is_self_colliding { Phase::SELF } else { 0 };
        let Solid { friction, static_friction, restitution, radius, .. } = *solid;
        let radius = own_radius(radius);
        let numbers = [0.0, 1.0, 0.0, 0.0, 0.0, 0.0, friction, static_friction, restitution, radius];
        Group::from_numbers(flags, numbers)
    }
}

/// A radius as groups keep it: 0 for that of the solver. One of 0 that was given is refused.
fn own_radius(radius: Option<f32>) -> f32 {
    radius.map_or(0.0, |radius| if radius == 0.0 { f32::NAN } else { radius })
}
