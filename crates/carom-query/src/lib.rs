//! Queries of any two shapes: intersection, distance, depth and contacts. Also rays and points
//! against one shape.
//!
//! A query of two shapes takes their poses in the world, and its answer is in the world frame. It
//! accepts every pair of [`Shape`]s (test: `matrix::every_pair_answers_every_question`). A
//! user-defined convex shape is a [`Shape::User`], a user-defined signed distance a
//! [`Shape::Field`].
//!
//! ```
//! use carom_geom::{Cuboid, Sphere};
//! use carom_math::{Pose, Vec3};
//! use carom_query::{Shape, contact, distance, intersects, separating_plane};
//!
//! let ball = Shape::Sphere(Sphere::new(0.5)?);
//! let brick = Shape::Cuboid(Cuboid::new(Vec3::new(1.0, 0.5, 0.5))?);
//! let (here, there) = (Pose::IDENTITY, Pose::from_translation(Vec3::new(0.0, 1.25, 0.0)));
//!
//! assert!(!intersects(&brick, &here, &ball, &there));
//! let gap = distance(&brick, &here, &ball, &there);
//! assert_eq!((gap.distance, gap.point_a, gap.point_b), (0.25, Vec3::Y * 0.5, Vec3::Y * 0.75));
//!
//! // A proof that they are apart: all of the brick is below the plane, all of the ball above.
//! let plane = separating_plane(&brick, &here, &ball, &there).expect("they are apart");
//! assert!((plane.end_of_a - 0.5).abs() < 1e-9 && (plane.start_of_b - 0.75).abs() < 1e-9);
//!
//! // An overlap of 0.3: B must move by that along the normal to be separate.
//! let deep = contact(&brick, &here, &ball, &Pose::from_translation(Vec3::Y * 0.7), 0.0).unwrap();
//! assert!((deep.contact.distance + 0.3).abs() < 1e-6 && deep.contact.normal == Vec3::Y);
//! # Ok::<(), carom_geom::ShapeError>(())
//! ```
//!
//! When do two moving shapes touch? [`cast`] returns a bracket of the time of the first contact,
//! with a proof, also if the shapes rotate (test: `casts::every_pair_of_shapes_is_cast`).
//!
//! ```
//! use carom_geom::{Cuboid, HalfSpace};
//! use carom_math::{Pose, Vec3};
//! use carom_query::{ImpactSettings, Shape, TimeOfImpact, cast, motion_of};
//!
//! // A parcel that tumbles to the ground.
//! let (ground, parcel) =
//!     (Shape::HalfSpace(HalfSpace::new(Vec3::Y)?), Shape::Cuboid(Cuboid::new(Vec3::splat(0.5))?));
//! let still = motion_of(&Pose::IDENTITY, Vec3::ZERO, Vec3::ZERO, Vec3::ZERO)?;
//! let start = Pose::from_translation(Vec3::Y * 3.0);
//! let tumbling = motion_of(&start, Vec3::ZERO, Vec3::new(0.0, -4.0, 0.0), Vec3::X * 2.0)?;
//!
//! let settings = ImpactSettings::default();
//! let TimeOfImpact::Hit(impact) = cast(&ground, &still, &parcel, &tumbling, &settings) else {
//!     panic!("it falls four metres")
//! };
//! // An edge touches first, before the centre is at a height of half a metre.
//! assert!(0.5 < impact.t_lo && impact.t_lo <= impact.t_hi && impact.t_hi < 0.625);
//! assert!(impact.point_b.y.abs() < 1e-3);
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
//!
//! In which order do many bodies meet? [`ImpactQueue`] returns their impacts in order of time
//! (test: `cast_queue::impacts_come_in_their_order`). It searches pairs only as far as the next
//! impact needs (test: `cast_queue::the_first_impact_tests_few_pairs`).
//!
//! ```
//! use carom_geom::Sphere;
//! use carom_math::{Pose, Vec3};
//! use carom_query::{ImpactQueue, ImpactSettings, MovingShape, Shape, Workspace, motion_of};
//!
//! // A ball flies along a row of balls.
//! let ball = Shape::Sphere(Sphere::new(0.5)?);
//! let at = |x: f32, speed: f32| {
//!     let pose = Pose::from_translation(Vec3::X * x);
//!     motion_of(&pose, Vec3::ZERO, Vec3::X * speed, Vec3::ZERO).map(|motion| MovingShape::new(&ball, motion))
//! };
//! let bodies = [at(0.0, 50.0)?, at(31.0, 0.0)?, at(11.0, 0.0)?, at(21.0, 0.0)?];
//! let (pairs, mut memory) = ([[0, 1], [0, 2], [0, 3]], Workspace::default());
//! let mut queue = ImpactQueue::new(&bodies, &pairs, &ImpactSettings::default(), &mut memory)?;
//!
//! let first = queue.next().expect("it meets a ball");
//! let hit = first.time_of_impact.hit().expect("it flies through its middle");
//! assert!(first.pair == 1 && hit.t_lo <= 0.2 && 0.2 <= hit.t_hi);
//! // The other pairs have not been searched yet.
//! assert_eq!(queue.counters().searches, 1);
//! assert_eq!(queue.map(|next| next.pair).collect::<Vec<_>>(), [2, 0]);
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
//!
//! Queries of two meshes can have a time limit. [`AnytimeMeshes`] stops after a number of steps,
//! at a deadline, or at a signal of the caller. It returns the bounds proved so far, and can be
//! resumed (test: `mesh_anytime::bounds_hold_and_end_in_the_distance`). One search can hold
//! thousands of pairs of meshes.
//!
//! ```
//! use carom_geom::TriMesh;
//! use carom_math::{Pose, Vec3};
//! use carom_query::{Certainty, MeshPair, MeshShape, AnytimeMeshes, AnytimeSettings, Until};
//!
//! // A strip of triangles, and another one above it.
//! let vertices = (0..60).map(|i| Vec3::new((i / 2) as f32, 0.0, (i % 2) as f32)).collect();
//! let triangles = (0..58).map(|i| [i, i + 1, i + 2]).collect();
//! let meshes = [MeshShape::new(TriMesh::new(vertices, triangles)?)?];
//! let above = Pose::from_translation(Vec3::Y * 0.5);
//! let pairs = [MeshPair::new(0, Pose::IDENTITY, 0, above)];
//!
//! let mut search = AnytimeMeshes::default();
//! search.start(pairs.len(), &AnytimeSettings::distance());
//! search.run(&meshes, &pairs, Until::done().with_steps(1))?;
//! let early = search.answer(0);
//! assert!(early.bounds.min <= 0.5 && 0.5 <= early.bounds.max && early.nearest.is_none());
//!
//! // A step later may be the next frame, or another thread.
//! let run = search.run(&meshes, &pairs, Until::done())?;
//! let answer = search.answer(0);
//! assert!(run.is_done() && answer.certainty == Certainty::Apart);
//! assert_eq!(answer.nearest.map(|nearest| nearest.distance), Some(0.5));
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
//!
//! Do two bodies keep their clearances? [`clearance_violations`] lists every pair of parts that is
//! nearer than its clearance, with the nearest points. Each pair has its own clearance (test:
//! `clearance::every_pair_of_parts_by_itself`).
//!
//! ```
//! use carom_geom::{Cuboid, Sphere};
//! use carom_math::{Pose, Vec3};
//! use carom_query::{Compound, CompoundPart, Shape, Workspace, clearance_violations};
//!
//! let part = |shape, y| CompoundPart { shape, pose: Pose::from_translation(Vec3::Y * y) };
//! // A passenger, head and trunk, and a seat, a backrest with the bar of the headrest.
//! let passenger = Shape::Compound(std::sync::Arc::new(Compound::new(vec![
//!     part(Shape::Cuboid(Cuboid::new(Vec3::new(0.15, 0.3, 0.2))?), 0.8),
//!     part(Shape::Sphere(Sphere::new(0.11)?), 1.25),
//! ])?));
//! let seat = Shape::Compound(std::sync::Arc::new(Compound::new(vec![
//!     part(Shape::Cuboid(Cuboid::new(Vec3::new(0.05, 0.35, 0.25))?), 0.7),
//!     part(Shape::Cuboid(Cuboid::new(Vec3::new(0.02, 0.1, 0.1))?), 1.2),
//! ])?));
//! // He may lean on the backrest; his head keeps ten centimetres from the bar.
//! let mut keeps =
//!     |of_passenger: u32, of_seat: u32| if (of_passenger, of_seat) == (1, 1) { 0.1 } else { 0.0 };
//! let behind = Pose::from_translation(Vec3::X * -0.2);
//! let (mut memory, mut places) = (Workspace::default(), Vec::new());
//! let here = Pose::IDENTITY;
//! clearance_violations(
//!     &passenger, &here, &seat, &behind, 0.1, &mut keeps, &mut memory, &mut places,
//! );
//! assert_eq!((places.len(), places[0].part_a, places[0].part_b), (1, 1, 1));
//! assert!((places[0].distance - 0.07).abs() < 1e-6 && places[0].normal.x < -0.99);
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
//!
//! Does a mesh cross itself? [`self_intersections`] lists the pairs of its triangles that meet
//! beyond their common corners and edges. [`intersection_curves`] joins their segments to polylines
//! (test: `self_intersections::random_meshes_have_the_pairs_of_all_pairs`).
//!
#![doc = include_str!("../MATRIX.md")]
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]
#![allow(clippy::duplicate_mod)] // The two-precision seam: kernel/ is compiled for f32 and again for f64.

extern crate alloc;

#[path = "kernel/mod.rs"]
mod kernel;
mod num;
mod pair_batch;

/// The same queries for `f64`. A glob import of the crate brings this name into scope too, beside
/// the type `f64`: import items by their names.
#[cfg(feature = "f64")]
#[path = "twin.rs"]
pub mod f64;

mod around;
mod cast_against;
mod cast_distance;
mod cast_leaving;
mod cast_mesh;
mod cast_meshes;
mod cast_planes;
mod cast_straight;
mod closest;
mod cluster_search;
mod contains_point;
mod convex;
mod cost;
mod field_cast;
mod field_gap;
mod field_lows;
mod field_manifolds;
mod field_normals;
mod field_pair;
mod field_search;
mod half_space;
mod hull_pair;
mod impact;
mod lazy;
mod lowest;
mod manifold_cache;
mod manifold_sink;
mod mesh_contacts;
mod mesh_convex;
mod mesh_mesh;
mod mesh_patches;
mod mesh_shape;
mod nearest_triangle;
mod part_boxes;
mod point_cloud;
mod ray_convex;
mod ray_depth;
mod ring_search;
mod round_cores;
mod self_intersection;
mod solid_depth;
mod solid_exit;
mod solid_point;
mod solids;
mod spread;
mod swept_box;
mod voxel_boxes;
mod workspace;

pub use carom_bvh::{
    AnytimeGoal, AnytimeOrder, AnytimeRun, AnytimeSettings, Certainty, Ended, Undecided, Until, WindingNumber,
};
pub use carom_ccd::{Impact, ImpactCounters, ImpactSettings, Motion, MotionError, Proof, TimeOfImpact, Why};
pub use carom_gjk::Outcome;
pub use cost::QueryCost;
pub use kernel::*;
pub use manifold_cache::ManifoldCache;
pub use mesh_shape::MeshShape as MeshShapeOf;
pub use pair_batch::{PairBatch, PlacedPair, intersects_batch};
pub use point_cloud::PointCloudError;
pub use ray_depth::{RayDepthCache, RayDepthCounters, RayDepthSettings};
pub use self_intersection::{SelfIntersection, intersection_curves, self_intersections};
pub use voxel_boxes::{VoxelBox, VoxelsError};
pub use workspace::Workspace;
