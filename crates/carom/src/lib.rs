//! Collision detection: which bodies might touch, which do, where, how deep, when, and what happens
//! next.
//!
//! This crate re-exports the others, and this page contains the guide. Each crate answers one
//! question and can be used alone. The folder `examples` has a program for each common task, such
//! as a character, a car, a bullet, a joint, a snapshot.
//!
//! | question | module | feature |
//! |---|---|---|
//! | any shape against any shape: touch, distance, contact, ray, point | [`query`] | |
//! | shapes, hulls, meshes, exact triangles, mass | [`geom`] | |
//! | trees over boxes | [`bvh`] | |
//! | convex shapes: distance and depth, contact manifolds | [`gjk`], [`sat`] | |
//! | when moving bodies touch, with a proof that includes rotation | [`ccd`] | |
//! | volumes that contain given points; poses, rays, exact signs; SIMD | [`bounds`], [`math`], [`lanes`] | |
//! | a world of bodies that fall, pile up and come to rest | [`world`] | `world` |
//! | cloth, ropes, soft bodies and liquids in a world | [`world`] | `soft` |
//! | impulses, friction, joints, sleep | [`response`] | `response` |
//! | which boxes overlap, as they move: the trait, a tree | [`broad`], [`broad_coherent`], [`broad_tree`] | `broad` |
//! | the same by cells | [`broad_grid`] | `broad-grid` |
//! | the same by sorted axes | [`broad_sap`] | `broad-sap` |
//! | the same, by the algorithm that suits the motion | [`broad_auto`] | `broad-auto` |
//! | characters that walk, and cars on rays | [`character`] | `character` |
//! | levels of brushes, and bodies that are swept through them | [`bsp`] | `bsp` |
//! | meshes that change their shape: cloth, soft bodies | [`deform`] | `deform` |
//! | liquids, grains, rain | [`particles`] | `particles` |
//! | points near each other | [`neighbours`] | `neighbours` |
//! | distance fields of shapes, sampled on a grid | [`sdf`] | `sdf` |
//! | coarser meshes with a proven error bound; convex decomposition | [`simplify`](mod@simplify) | `simplify` |
//!
//! # Features
//!
//! All parts are on by default, as the feature `all`. A program that needs few of them compiles
//! only these and the rows without a feature:
//!
//! ```toml
//! carom = { path = "../carom/crates/carom", default-features = false, features = ["std", "world"] }
//! ```
//!
//! A part enables the parts that it needs: `world` enables `broad` and `response`. Characters meet
//! levels of brushes with `bsp`, and bodies with `world`; cars need `world`. The other features
//! are `std` (default), `libm` for builds without `std`, `parallel`, `serde` and `f64`. They reach
//! the parts that have them. With `f64` all narrow-phase queries are also in double precision, in
//! [`query`]`::f64`. A glob import such as `use carom::query::*` brings this module into scope too,
//! where its name hides the type `f64`: import items by their names.
//!
//! [`Auto`]: broad_auto::Auto
//! [`BodyDesc::with_ccd`]: BodyDesc::with_ccd
//! [`BodyDesc::with_hooks`]: BodyDesc::with_hooks
//! [`BodyDesc`]: BodyDesc
//! [`BodyMut::move_to`]: world::BodyMut::move_to
//! [`BodyMut::set_pose`]: world::BodyMut::set_pose
//! [`BruteForce`]: broad::BruteForce
//! [`Character::set_up`]: character::Character::set_up
//! [`CharacterBody::set_figure`]: character::CharacterBody::set_figure
//! [`CharacterBody`]: character::CharacterBody
//! [`ColliderDesc::part_materials`]: world::ColliderDesc::part_materials
//! [`ColliderRef::part_material`]: world::ColliderRef::part_material
//! [`ContactMut::make_one_way`]: world::ContactMut::make_one_way
//! [`ContactSides`]: deform::ContactSides
//! [`DeformableMesh`]: deform::DeformableMesh
//! [`DepthBuffer`]: particles::DepthBuffer
//! [`DynamicBvh`]: DynamicBvh
//! [`Filter`]: world::Filter
//! [`Groups`]: world::Groups
//! [`HeightField::with_holes`]: geom::HeightField::with_holes
//! [`JointDesc`]: JointDesc
//! [`LockedAxes::OUT_OF_XY`]: LockedAxes::OUT_OF_XY
//! [`Material`]: world::Material
//! [`NeighbourGrid`]: neighbours::NeighbourGrid
//! [`ParticlePhase::Liquid`]: world::ParticlePhase::Liquid
//! [`ParticleSolver`]: particles::ParticleSolver
//! [`Penalty`]: Penalty
//! [`Pose`]: Pose
//! [`QueryFilter`]: QueryFilter
//! [`Response::Pass`]: world::Response::Pass
//! [`SdfGrid`]: sdf::SdfGrid
//! [`Shape::height_field`]: Shape::height_field
//! [`Shape`]: Shape
//! [`SolverSettings::length_unit`]: response::SolverSettings::length_unit
//! [`SolverSettings`]: response::SolverSettings
//! [`SparseSdf`]: sdf::SparseSdf
//! [`Vehicle::drive_each`]: character::Vehicle::drive_each
//! [`Vehicle::drive`]: character::Vehicle::drive
//! [`Vehicle::set_wheel`]: character::Vehicle::set_wheel
//! [`Vehicle`]: character::Vehicle
//! [`World::contact_force`]: World::contact_force
//! [`World::debug_draw`]: World::debug_draw
//! [`World::detect`]: World::detect
//! [`World::impulse_events`]: World::impulse_events
//! [`World::restore_with`]: World::restore_with
//! [`World::restore`]: World::restore
//! [`World::set_origin`]: World::set_origin
//! [`World::state_hash`]: World::state_hash
//! [`World::take_events`]: World::take_events
//! [`WorldError`]: world::WorldError
//! [`World`]: World
//! [`advance_in_field`]: particles::advance_in_field
//! [`broad_grid`]: broad_grid
//! [`broad_sap`]: broad_sap
//! [`cast`]: cast()
//! [`deform`]: deform
//! [`manifolds`]: manifolds
//! [`motion_of`]: motion_of
//! [`reflect`]: response::bounce::reflect
//! [`sdf`]: sdf
// The guide follows. Its links lead to files, as a page of the repository needs them. Those above
// come first, so here they have precedence, and lead to items (test:
// `guide::each_link_leads_to_an_item_too`).
#![cfg_attr(feature = "all", doc = "")]
#![cfg_attr(feature = "all", doc = include_str!("../GUIDE.md"))]
// Without all parts, the table has modules that are not there.
#![cfg_attr(not(feature = "all"), allow(rustdoc::broken_intra_doc_links))]
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

pub use carom_bounds as bounds;
pub use carom_bvh as bvh;
pub use carom_ccd as ccd;
pub use carom_geom as geom;
pub use carom_gjk as gjk;
pub use carom_lanes as lanes;
pub use carom_math as math;
pub use carom_query as query;
pub use carom_sat as sat;

#[cfg(feature = "broad")]
pub use carom_broad as broad;
#[cfg(feature = "broad-auto")]
pub use carom_broad_auto as broad_auto;
#[cfg(feature = "broad")]
pub use carom_broad_coherent as broad_coherent;
#[cfg(feature = "broad-grid")]
pub use carom_broad_grid as broad_grid;
#[cfg(feature = "broad-sap")]
pub use carom_broad_sap as broad_sap;
#[cfg(feature = "broad")]
pub use carom_broad_tree as broad_tree;
#[cfg(feature = "bsp")]
pub use carom_bsp as bsp;
#[cfg(feature = "character")]
pub use carom_character as character;
#[cfg(feature = "deform")]
pub use carom_deform as deform;
#[cfg(feature = "neighbours")]
pub use carom_neighbours as neighbours;
#[cfg(feature = "particles")]
pub use carom_particles as particles;
#[cfg(feature = "response")]
pub use carom_response as response;
#[cfg(feature = "sdf")]
pub use carom_sdf as sdf;
#[cfg(feature = "simplify")]
pub use carom_simplify as simplify;
#[cfg(feature = "world")]
pub use carom_world as world;

pub mod prelude;

pub use carom_bounds::Aabb;
#[cfg(feature = "broad")]
pub use carom_broad::{BroadPhase, SpatialIndex};
#[cfg(feature = "broad")]
pub use carom_broad_tree::DynamicBvh;
pub use carom_math::{Interval, Pose, Quat, Ray, Vec3, glam};
pub use carom_query::{
    Shape, cast, cast_ray, cast_ray_all, contact, distance, intersects, manifolds, motion_of, project_point,
};
#[cfg(feature = "response")]
pub use carom_response::Penalty;
#[cfg(feature = "world")]
pub use carom_world::{BodyDesc, BodyId, JointDesc, LockedAxes, Motor, QueryFilter, World};

/// The example of the README, compiled and run.
#[cfg(all(doctest, feature = "world"))]
#[doc = include_str!("../../../README.md")]
pub struct ReadMe;
