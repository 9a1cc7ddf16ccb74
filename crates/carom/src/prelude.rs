//! The types that a program with a world writes by name: `use carom::prelude::*;`.
//!
//! A type is here for one of three reasons:
//!
//! - A program passes it to a world, shape, character or car: descriptions, settings, filters.
//! - A program keeps it, or matches on it: handles, snapshots, kinds, events, answers of casts,
//!   errors.
//! - A program implements it, or is called with it: hooks and the callback of substeps.
//!
//! A type that a method returns and a program only reads is in its module, such as
//! [`world::BodyRef`](crate::world::BodyRef). So are the types of budgets, debug drawing and
//! programs without a world. The prelude has no functions.
//!
//! It has the types of the parts that are enabled: those of a world with the feature `world`, soft
//! bodies and particles with `soft`, characters with `character`, vehicles with both of them.
//!
#![cfg_attr(feature = "soft", doc = "```")]
#![cfg_attr(not(feature = "soft"), doc = "```ignore")]
//! use carom::prelude::*;
//!
//! // Only the first of two groups meets the soft cube, which falls on a shelf of the second.
//! let (first, second) = (Groups::from_bits_retain(1), Groups::from_bits_retain(2));
//! let mut world = World::new();
//! world.insert(BodyDesc::fixed(Shape::half_space(Vec3::Y)?).with_filter(Filter::new(first, Groups::all())))?;
//! let shelf = BodyDesc::fixed(Shape::cuboid(Vec3::new(1.0, 0.1, 1.0))?).with_position(Vec3::Y);
//! let shelf: BodyId = world.insert(shelf.with_filter(Filter::new(second, Groups::all())))?;
//! let corners: Vec<Vec3> = (0..8).map(|k| Vec3::new((k & 1) as f32, (k >> 1 & 1) as f32, (k >> 2) as f32) * 0.2).collect();
//! let tetrahedra = [[0, 1, 2, 4], [1, 3, 2, 7], [1, 4, 5, 7], [2, 4, 6, 7], [1, 2, 4, 7]];
//! let soft = SoftBodyDesc::volume(&corners, &tetrahedra, SoftBodySettings::default());
//! let soft = soft.with_position(Vec3::Y * 1.5).with_filter(Filter::new(first, first));
//! let soft: SoftBodyId = world.insert_soft_body(soft)?;
//! let points = [Vec3::Y * 3.0, Vec3::new(0.5, 3.0, 0.0), Vec3::new(1.0, 3.0, 0.0)];
//! world.insert_soft_body(SoftBodyDesc::rope(&points, RopeSettings::default()).with_pinned(&[0]))?;
//!
//! let saved: Snapshot = world.snapshot();
//! for _ in 0..90 {
//!     world.step(1.0 / 60.0)?;
//! }
//! assert!(world.soft_body(soft)?.positions().iter().all(|p| p.y < 0.5), "it fell through the shelf");
//! world.restore(&saved)?;
//! assert!(world.soft_body(soft)?.positions().iter().all(|p| 1.4 < p.y));
//!
//! // A ball falls on the shelf: a cast has the time.
//! let falls = carom::motion_of(&Pose::from_translation(Vec3::Y * 2.1), Vec3::ZERO, Vec3::NEG_Y, Vec3::ZERO)?;
//! let mut query = world.query(&QueryFilter::SOLID);
//! let met = query.cast_motion(&Shape::sphere(0.5)?, &falls, &ImpactSettings::default()).ok_or("it misses the shelf")?;
//! let TimeOfImpact::Hit(impact) = met.time else { return Err("no impact was proved".into()) };
//! assert!(met.body == shelf && (impact.t_lo - 0.5).abs() < 1e-3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(feature = "character")]
pub use carom_character::{Character, CharacterSettings, Figure};
#[cfg(all(feature = "character", feature = "world"))]
pub use carom_character::{CharacterBody, Controls, OneWay, Vehicle, WheelDesc};
pub use carom_geom::{HeightFieldError, HullError, MeshError, ShapeError};
pub use carom_math::glam::DVec3;
pub use carom_math::{Interval, Pose, Quat, Ray, Vec3};
pub use carom_query::{CompoundError, ImpactSettings, Shape, TimeOfImpact};
#[cfg(feature = "world")]
pub use carom_world::{
    ActiveHooks, Answers, AxisLimit, BodyDesc, BodyId, ColliderDesc, ColliderId, CombineRule, ContactMut,
    Drive, Event, EventKind, Filter, ForceFieldDesc, ForceFieldId, ForceKind, ForceRegion, GearParts, Groups,
    Hooks, JointAxis, JointDesc, JointEnds, JointFault, JointId, JointKind, LockedAxes, MassFault, Material,
    Mobility, Motor, PairView, PartMaterial, QueryFilter, Response, SixDof, Snapshot, SolverSettings, Spring,
    StepOptions, Substep, TorsionSpring, World, WorldError, WorldSettings,
};
#[cfg(feature = "soft")]
pub use carom_world::{
    ClothSettings, Gas, Grains, Liquid, ParticlePhase, ParticlesDesc, ParticlesId, RopeSettings,
    SoftBodyDesc, SoftBodyId, SoftBodyKind, SoftBodySettings, SoftError, SoftSettings, SoftThing,
};
