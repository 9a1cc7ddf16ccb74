//! Collision detection: which bodies might touch, which do, where, how deep, when, and what happens
//! next.
//!
//! This crate re-exports the others, and this page is the guide. Each crate answers one question
//! and can be used alone. The folder `examples` has a program for each common task, such as a
//! character, a car, a bullet, a joint, a snapshot.
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
//! are `std` (default), `libm` for builds without it, `parallel`, `serde` and `f64`. They reach the
//! parts that have them. With `f64` all narrow-phase queries are also in double precision, in
//! [`query`]`::f64`. A glob import such as `use carom::query::*` brings this module into scope too,
//! where its name hides the type `f64`: import items by their names.
//!
//! # Do these two touch?
//!
//! A [`Shape`] has a frame of its own. A primitive has its centre at the origin, and a round one
//! has its axis along y. A [`Pose`] places it in the world. Shapes that only touch count as
//! intersecting.
//!
//! ```
//! use carom::{Pose, Quat, Shape, Vec3};
//!
//! let brick = Shape::cuboid(Vec3::new(1.0, 0.5, 0.5))?;
//! let ball = Shape::sphere(0.5)?;
//! let there = Pose::from_translation(Vec3::new(0.0, 1.0, 0.0));
//! assert!(carom::intersects(&brick, &Pose::IDENTITY, &ball, &there));
//!
//! // Stood on end, the brick is too high for a ball at 1.75.
//! let upright = Pose::from_rotation(Quat::from_rotation_z(core::f32::consts::FRAC_PI_2));
//! let above = Pose::from_translation(Vec3::new(0.0, 1.75, 0.0));
//! let gap = carom::distance(&brick, &upright, &ball, &above);
//! assert!((gap.distance - 0.25).abs() < 1e-6);
//! assert!((gap.point_a - Vec3::Y).length() < 1e-6, "the nearest point of the brick is in the world frame");
//!
//! // How deep, and which way out: B moved by -distance along the normal is free. The last argument
//! // is the largest distance of a contact. At 0.0, shapes that are apart have none.
//! let deep = carom::contact(&brick, &Pose::IDENTITY, &ball, &Pose::from_translation(Vec3::Y * 0.9), 0.0);
//! let contact = deep.ok_or("no contact: they are apart")?.contact;
//! assert!((contact.distance + 0.1).abs() < 1e-6 && contact.normal == Vec3::Y);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Meshes, hulls and compounds are shapes too. Every pair of shapes has every query (test:
//! `matrix::every_pair_answers_every_question`, carom-query).
//!
//! ```
//! use carom::{Interval, Pose, Ray, Shape, Vec3};
//!
//! let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
//! let hull = Shape::hull(&corners)?;
//! let square = [Vec3::ZERO, Vec3::X, Vec3::X + Vec3::Z, Vec3::Z].map(|p| (p - Vec3::splat(0.25)) * 10.0);
//! let floor = Shape::mesh(square.to_vec(), vec![[0, 2, 1], [0, 3, 2]])?;
//!
//! let down = Ray::new(Vec3::new(1.0, 9.0, 1.0), Vec3::NEG_Y);
//! let hit = carom::cast_ray(&floor, &Pose::IDENTITY, &down, Interval::FORWARD).ok_or("the ray misses")?;
//! assert!((hit.t - 11.5).abs() < 1e-5 && hit.normal == Vec3::Y);
//!
//! let resting = Pose::from_translation(Vec3::Y * -2.5);
//! assert!(carom::intersects(&hull, &resting, &floor, &Pose::IDENTITY));
//!
//! // Twice as long, and mirrored. A ball would refuse that, for it would be none.
//! let long = hull.scaled(Vec3::new(-2.0, 1.0, 1.0))?;
//! assert!(carom::intersects(&long, &Pose::IDENTITY, &Shape::sphere(0.5)?, &Pose::from_translation(Vec3::X * -2.0)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # When do they touch?
//!
//! [`cast`] takes shapes that move and turn, and proves its answer (test:
//! `casts::every_pair_of_shapes_is_cast`, carom-query). If they meet, the answer is a bracket
//! around the first contact. If they do not, it is a lower bound of their distance. If neither can
//! be proved, the answer is a time before which nothing touches, and the reason.
//!
//! [`motion_of`] takes the pose at time 0 and a point of the body, in its own frame. Then follow
//! the velocity of this point and the angular velocity about it.
//!
//! ```
//! use carom::ccd::{ImpactSettings, TimeOfImpact};
//! use carom::{Pose, Shape, Vec3};
//!
//! let wall = Shape::cuboid(Vec3::new(0.05, 2.0, 2.0))?;
//! let plank = Shape::cuboid(Vec3::new(1.0, 0.1, 0.1))?;
//! let still = carom::motion_of(&Pose::IDENTITY, Vec3::ZERO, Vec3::ZERO, Vec3::ZERO)?;
//! // From five metres away, at ten metres and three turns a second.
//! let from = Pose::from_translation(Vec3::X * -5.0);
//! let flight = carom::motion_of(&from, Vec3::ZERO, Vec3::X * 10.0, Vec3::Y * 19.0)?;
//! let answer = carom::cast(&wall, &still, &plank, &flight, &ImpactSettings::default());
//! let TimeOfImpact::Hit(hit) = answer else { return Err("no impact was proved".into()) };
//! // Nothing touches before `t_lo`, and they surely do at `t_hi`.
//! assert!(0.39 < hit.t_lo && hit.t_lo <= hit.t_hi && hit.t_hi < hit.t_lo + 1e-3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
// The guide goes on with examples of all parts.
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
