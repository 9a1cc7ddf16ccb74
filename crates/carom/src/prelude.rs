//! The types that most programs name: `use carom::prelude::*;`.
//!
//! It has no traits and no functions: each method is one of its type.
//!
//! Reference: bevy, `bevy::prelude`.

pub use carom_character::{
    Character, CharacterBody, CharacterSettings, Controls, Figure, Vehicle, WheelDesc,
};
pub use carom_geom::ShapeError;
pub use carom_math::glam::DVec3;
pub use carom_math::{Interval, Pose, Quat, Ray, Vec3};
pub use carom_query::Shape;
pub use carom_world::{
    ActiveHooks, BodyDesc, BodyId, ClothSettings, ColliderDesc, ColliderId, CombineRule, ContactMut, Event,
    EventKind, Filter, ForceFieldDesc, ForceKind, ForceRegion, Groups, Hooks, JointDesc, JointId, Liquid,
    LockedAxes, Material, Mobility, Motor, ParticlePhase, ParticlesDesc, QueryFilter, SoftBodyDesc, Spring,
    StepOptions, World, WorldError, WorldSettings,
};
