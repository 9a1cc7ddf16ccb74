//! Descriptions of soft things for insertion, and their common settings.
//!
//! Reference: M. Macklin, M. Mueller, N. Chentanez, T.-Y. Kim, Unified Particle Physics for
//! Real-Time Applications, 2014 (one solver for all kinds).

use crate::Filter;
use alloc::vec::Vec;
use carom_math::{Pose, Vec3};
use carom_particles::{ClothSettings, Gas, Grains, Liquid, RopeSettings, SoftBodySettings};
use carom_query::Shape;
use carom_response::CombineRule;

/// The rules of friction and of restitution.
pub(crate) type Rules = [CombineRule; 2];

/// How a soft thing meets bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct CollisionRules {
    /// How its friction and restitution are combined with those of bodies.
    pub(crate) rules: Rules,
    /// The bodies that it meets.
    pub(crate) filter: Filter,
}

/// The rules of a soft thing, if nothing else is set.
pub(crate) const DEFAULT_RULES: Rules = [CombineRule::GeometricMean, CombineRule::Max];

/// The number of usual steps in a second.
const STEPS_PER_SECOND: f32 = 60.0;

/// The largest number of substeps of a step.
const MAX_SUBSTEPS: u32 = 256;

/// The part of a substep by which a step may be longer without another one.
const SUBSTEP_SLACK: f32 = 0.05;

/// Settings of the steps of all soft things of a world.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct SoftSettings {
    /// The number of substeps of a step of 1/60 s, from 1 to 256. More make cloth and ropes
    /// stiffer, and keep fast liquids stable. Default: 4.
    ///
    /// Steps of other lengths have as many as make substeps of about the same length, at least 1
    /// and at most 256. If substeps differ much in length, a short one turns what a long one left
    /// uncorrected into high speeds (test: `soft_steps::steps_of_many_lengths_add_no_energy`).
    pub substeps: u32,
    /// The number of constraint projections in a substep, from 1 to 256. Default: 4.
    pub iterations: u32,
    /// A speed, in lengths per second; 0 for none. A grain or a vertex that is slower after a
    /// substep returns to its position before it. The speed must be below gravity times the time
    /// of a substep, or nothing begins to fall. Default: 0.
    pub rest_speed: f32,
}

impl Default for SoftSettings {
    fn default() -> SoftSettings {
        SoftSettings { substeps: 4, iterations: 4, rest_speed: 0.0 }
    }
}

impl SoftSettings {
    /// Returns the number of substeps of a step of `dt` seconds.
    pub(crate) fn substeps_of(&self, dt: f32) -> u32 {
        let n = self.substeps as f32 * (dt * STEPS_PER_SECOND);
        // The conversion saturates.
        let whole = n as u32;
        // Rounding must not add one to a step of the usual length.
        let is_over = SUBSTEP_SLACK < n - whole as f32;
        whole.saturating_add(u32::from(is_over)).clamp(1, MAX_SUBSTEPS)
    }

    /// Returns these settings with another number of substeps, from 1 to 256.
    #[must_use]
    pub fn with_substeps(self, substeps: u32) -> SoftSettings {
        SoftSettings { substeps, ..self }
    }

    /// Returns these settings with another number of iterations in a substep, from 1 to 256.
    #[must_use]
    pub fn with_iterations(self, iterations: u32) -> SoftSettings {
        SoftSettings { iterations, ..self }
    }

    /// Returns these settings with another speed below which grains and vertices stay.
    #[must_use]
    pub fn with_rest_speed(self, rest_speed: f32) -> SoftSettings {
        SoftSettings { rest_speed, ..self }
    }
}

/// The constraints between the vertices of a soft body.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum SoftBodyKind {
    /// Triangles, given by vertex indices. They resist stretching and bending, and may tear.
    Cloth {
        /// Three vertices each.
        triangles: Vec<[u32; 3]>,
        /// Its material.
        settings: ClothSettings,
    },
    /// Vertices in a row.
    Rope(RopeSettings),
    /// Tetrahedra, given by vertex indices.
    Volume {
        /// Four vertices each.
        tetrahedra: Vec<[u32; 4]>,
        /// Its material.
        settings: SoftBodySettings,
    },
}

/// A cloth, a rope or a soft body to be inserted.
///
/// ```
/// use carom_math::Vec3;
/// use carom_particles::ClothSettings;
/// use carom_world::{SoftBodyDesc, World};
///
/// let mut world = World::new();
/// // 1 m by 2 m, in 10 by 20 cells, held at two corners.
/// let sheet = SoftBodyDesc::grid([1.0, 2.0], [10, 20], ClothSettings::default())
///     .with_position(Vec3::Y * 3.0)
///     .with_pinned(&[0, 10]);
/// let sheet = world.insert_soft_body(sheet)?;
/// world.step(1.0 / 60.0)?;
/// assert_eq!(world.soft_body(sheet)?.positions().len(), 11 * 21);
/// # Ok::<(), carom_world::WorldError>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SoftBodyDesc {
    /// Its vertices at rest, relative to `position`. Lengths in the unit of the world.
    pub vertices: Vec<Vec3>,
    /// The constraints between them.
    pub kind: SoftBodyKind,
    /// The position of the origin of the vertices in the world. Default: the origin.
    pub position: Vec3,
    /// The initial velocity of all vertices in the world frame, length per second. Default: zero.
    pub velocity: Vec3,
    /// The mass per area of a cloth, per length of a rope, or per volume of tetrahedra. Above 0.
    /// Default, in kilograms and metres: 0.2 for a cloth, 0.1 for a rope, 1000 for tetrahedra.
    pub density: f32,
    /// The diameter of the ball around each vertex, for contacts with bodies and other particles.
    /// A length. With `None` it is three quarters of the mean length of an edge, so that the balls
    /// of a grid leave no gap for a vertex. Default: `None`.
    ///
    /// All radii of a world are from an eighth to eight times that of its liquids. Without liquids
    /// it is that of the first soft thing.
    pub thickness: Option<f32>,
    /// The coefficient of friction, not negative. Default: 0.5.
    pub friction: f32,
    /// The part of the speed that a bounce of a vertex leaves, from 0 to 1. A cloth and a soft
    /// body bounce by their elasticity too. Default: 0.
    pub restitution: f32,
    /// How its friction and that of a body become one. Default: the geometric mean.
    pub friction_rule: CombineRule,
    /// How its restitution and that of a body become one. Default: the larger one.
    pub restitution_rule: CombineRule,
    /// The bodies that it meets: those of which a collider passes the filter. Soft things meet
    /// each other in any case. Default: all bodies.
    pub filter: Filter,
    /// Vertices that are pinned where they are: see [`SoftBodyMut::pin`](crate::SoftBodyMut::pin).
    /// Default: none.
    pub pinned: Vec<u32>,
}

impl SoftBodyDesc {
    fn new(vertices: Vec<Vec3>, kind: SoftBodyKind, density: f32) -> SoftBodyDesc {
        SoftBodyDesc {
            vertices,
            kind,
            position: Vec3::ZERO,
            velocity: Vec3::ZERO,
            density,
            thickness: None,
            friction: 0.5,
            restitution: 0.0,
            friction_rule: DEFAULT_RULES[0],
            restitution_rule: DEFAULT_RULES[1],
            filter: Filter::default(),
            pinned: Vec::new(),
        }
    }

    /// Returns a cloth of triangles, with 0.2 kg for each square metre.
    pub fn cloth(vertices: &[Vec3], triangles: &[[u32; 3]], settings: ClothSettings) -> SoftBodyDesc {
        let kind = SoftBodyKind::Cloth { triangles: triangles.to_vec(), settings };
        SoftBodyDesc::new(vertices.to_vec(), kind, 0.2)
    }

    /// Returns a flat cloth. `size` is its length along x and z, with the origin in its middle.
    /// Each cell is two triangles. Vertex `i + j * (cells[0] + 1)` is the `i`th along x in row `j`.
    pub fn grid(size: [f32; 2], cells: [u32; 2], settings: ClothSettings) -> SoftBodyDesc {
        let (row, n_rows) = (cells[0].saturating_add(1), cells[1].saturating_add(1));
        let along = |i: u32, axis: usize| size[axis] * (i as f32 / cells[axis] as f32 - 0.5);
        let mut vertices = Vec::new();
        let mut triangles = Vec::new();
        for j in 0..n_rows {
            for i in 0..row {
                vertices.push(Vec3::new(along(i, 0), 0.0, along(j, 1)));
                if i < cells[0] && j < cells[1] {
                    let v = i + j * row;
                    triangles.extend([[v, v + row, v + 1], [v + 1, v + row, v + row + 1]]);
                }
            }
        }
        SoftBodyDesc::new(vertices, SoftBodyKind::Cloth { triangles, settings }, 0.2)
    }

    /// Returns a rope through these points, with 0.1 kg for each metre.
    pub fn rope(points: &[Vec3], settings: RopeSettings) -> SoftBodyDesc {
        SoftBodyDesc::new(points.to_vec(), SoftBodyKind::Rope(settings), 0.1)
    }

    /// Returns a soft body of tetrahedra, with 1000 kg for each cubic metre.
    pub fn volume(vertices: &[Vec3], tetrahedra: &[[u32; 4]], settings: SoftBodySettings) -> SoftBodyDesc {
        let kind = SoftBodyKind::Volume { tetrahedra: tetrahedra.to_vec(), settings };
        SoftBodyDesc::new(vertices.to_vec(), kind, 1000.0)
    }

    /// Returns the same soft body at this position.
    #[must_use]
    pub fn with_position(self, position: Vec3) -> SoftBodyDesc {
        SoftBodyDesc { position, ..self }
    }

    /// Returns the same description with this velocity.
    #[must_use]
    pub fn with_velocity(self, velocity: Vec3) -> SoftBodyDesc {
        SoftBodyDesc { velocity, ..self }
    }

    /// Returns the same soft body with this mass per area of a cloth, per length of a rope, or per
    /// volume of tetrahedra.
    #[must_use]
    pub fn with_density(self, density: f32) -> SoftBodyDesc {
        SoftBodyDesc { density, ..self }
    }

    /// Returns the same soft body with this thickness.
    #[must_use]
    pub fn with_thickness(self, thickness: f32) -> SoftBodyDesc {
        SoftBodyDesc { thickness: Some(thickness), ..self }
    }

    /// Returns the same soft body with this coefficient of friction.
    #[must_use]
    pub fn with_friction(self, friction: f32) -> SoftBodyDesc {
        SoftBodyDesc { friction, ..self }
    }

    /// Returns the same soft body with this restitution, from 0 to 1.
    #[must_use]
    pub fn with_restitution(self, restitution: f32) -> SoftBodyDesc {
        SoftBodyDesc { restitution, ..self }
    }

    /// Returns the same soft body with this filter: it meets the bodies that pass it.
    #[must_use]
    pub fn with_filter(self, filter: Filter) -> SoftBodyDesc {
        SoftBodyDesc { filter, ..self }
    }

    /// Returns the same soft body with these rules for its friction and restitution on bodies.
    #[must_use]
    pub fn with_rules(self, friction_rule: CombineRule, restitution_rule: CombineRule) -> SoftBodyDesc {
        SoftBodyDesc { friction_rule, restitution_rule, ..self }
    }

    /// Returns the same soft body with these vertices pinned where they are.
    #[must_use]
    pub fn with_pinned(self, vertices: &[u32]) -> SoftBodyDesc {
        SoftBodyDesc { pinned: vertices.to_vec(), ..self }
    }
}

/// The kind of particles.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ParticlePhase {
    /// A liquid, which keeps its density.
    ///
    /// A body floats if particles get below it. A box that lies flat on the floor stays there, as
    /// if it were sealed to the floor. No particle fits below, so nothing pushes it up. On feet of
    /// more than a particle's diameter it floats (test:
    /// `soft::a_box_on_the_floor_floats_if_water_gets_below_it`).
    Liquid(Liquid),
    /// A gas, which keeps its density and rises.
    Gas(Gas),
    /// Grains, which touch with friction.
    Grains(Grains),
}

impl ParticlePhase {
    pub(crate) fn is_fluid(&self) -> bool {
        !matches!(self, ParticlePhase::Grains(_))
    }
}

/// Particles to be inserted.
///
/// ```
/// use carom_geom::Cuboid;
/// use carom_math::{Pose, Vec3};
/// use carom_particles::Liquid;
/// use carom_query::Shape;
/// use carom_world::{ParticlePhase, ParticlesDesc, World};
///
/// // Half a cubic metre of water, as balls of 10 cm.
/// let half = Shape::Cuboid(Cuboid::new(Vec3::new(0.5, 0.25, 0.5))?);
/// let desc = ParticlesDesc::new(ParticlePhase::Liquid(Liquid::default()), 0.05);
/// let mut world = World::new();
/// let water = world.insert_particles(desc.with_filling(&half, &Pose::IDENTITY))?;
/// assert_eq!(world.particles(water)?.positions().len(), 10 * 5 * 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ParticlesDesc {
    /// Their kind.
    pub phase: ParticlePhase,
    /// Half of the distance at which they rest beside each other, a length above 0. All liquids
    /// and gases of a world have one radius. Grains and soft bodies have from an eighth to eight
    /// times of it.
    pub radius: f32,
    /// Their positions in the world, in addition to those in `fillings`. Default: none.
    pub positions: Vec<Vec3>,
    /// Shapes to fill, with their poses in the world. Default: none.
    pub fillings: Vec<(Shape, Pose)>,
    /// Their initial velocity in the world frame, length per second. Default: zero.
    pub velocity: Vec3,
    /// How their friction and that of a body become one. Default: the geometric mean.
    pub friction_rule: CombineRule,
    /// How their restitution and that of a body become one. Default: the larger one.
    pub restitution_rule: CombineRule,
    /// The bodies that they meet: those of which a collider passes the filter. Soft things meet
    /// each other in any case. Default: all bodies.
    pub filter: Filter,
}

impl ParticlesDesc {
    /// Returns a description without particles, of this radius.
    pub fn new(phase: ParticlePhase, radius: f32) -> ParticlesDesc {
        ParticlesDesc {
            phase,
            radius,
            positions: Vec::new(),
            fillings: Vec::new(),
            velocity: Vec3::ZERO,
            friction_rule: DEFAULT_RULES[0],
            restitution_rule: DEFAULT_RULES[1],
            filter: Filter::default(),
        }
    }

    /// Returns the same description with a shape filled by a lattice of particles, each of them
    /// entirely inside.
    #[must_use]
    pub fn with_filling(mut self, shape: &Shape, pose: &Pose) -> ParticlesDesc {
        self.fillings.push((shape.clone(), *pose));
        self
    }

    /// Returns the same description with more particles at these positions.
    #[must_use]
    pub fn with_positions(mut self, positions: &[Vec3]) -> ParticlesDesc {
        self.positions.extend_from_slice(positions);
        self
    }

    /// Returns the same description with this velocity.
    #[must_use]
    pub fn with_velocity(self, velocity: Vec3) -> ParticlesDesc {
        ParticlesDesc { velocity, ..self }
    }

    /// Returns the same description with this filter: the particles meet the bodies that pass it.
    #[must_use]
    pub fn with_filter(self, filter: Filter) -> ParticlesDesc {
        ParticlesDesc { filter, ..self }
    }

    /// Returns the same description with these rules for their friction and restitution on bodies.
    #[must_use]
    pub fn with_rules(self, friction_rule: CombineRule, restitution_rule: CombineRule) -> ParticlesDesc {
        ParticlesDesc { friction_rule, restitution_rule, ..self }
    }
}
