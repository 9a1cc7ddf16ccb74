//! Bounding volumes in `f32` that surely contain their points: they are rounded outwards (test:
//! `contain::every_volume_holds_what_it_should`).
//!
//! ```
//! use carom_bounds::{Aabb, BoundingVolume, Obb};
//! use carom_math::Pose;
//! use glam::{Quat, Vec3};
//!
//! let a = Aabb::new(Vec3::ZERO, Vec3::ONE)?;
//! let b = Aabb::new(Vec3::new(1.0, 0.0, 0.0), Vec3::new(2.0, 1.0, 1.0))?;
//! assert!(a.overlaps(&b)); // touching counts
//! assert_eq!(a.merged(&b), Aabb::new(Vec3::ZERO, Vec3::new(2.0, 1.0, 1.0))?);
//!
//! // A board that stands at an angle: its oriented box is far smaller than the box along the axes.
//! let turn = Pose::from_rotation(Quat::from_rotation_z(0.6));
//! let bit = |i: u32, k: u32| (i >> k & 1) as f32;
//! let corner = |i: u32| Vec3::new(4.0 * bit(i, 0), bit(i, 1), 0.1 * bit(i, 2));
//! let board: Vec<Vec3> = (0..8).map(|i| turn.transform_point(corner(i))).collect();
//! let fitted = Obb::from_points(&board);
//! assert!((fitted.volume() - 0.4).abs() < 1e-3);
//! assert!(2.5 * fitted.volume() < Aabb::from_points(&board).volume());
//! # Ok::<(), carom_bounds::BoundsError>(())
//! ```
//!
//! # Which one to use
//! - [`Aabb`] for broad phases and trees that are refitted: it is the fastest to test and to fit.
//! - [`Sphere`] for bodies that turn all the time, and as a first test. [`Sphere::about`] is the
//!   fixed sphere of a rigid body. [`Aabb::any_orientation`] is its fixed cube,
//!   [`Aabb::over_motion`] its box while it moves.
//! - [`Obb`] for rigid bodies that come close, above all with parallel faces. [`Obb::from_points`]
//!   is the default, and nearly optimal. If a box is fitted every frame, use
//!   [`Obb::from_surface_covariance`] with the triangles of the convex hull, or of the mesh. The
//!   fits to corners and to region centres give larger boxes, and are not faster.
//! - [`KDop`] for bodies that keep their orientation. It has nearly the area of an oriented box on
//!   most bodies, and an exact test of a few comparisons. Use 14 planes for most bodies, 26 if
//!   fitting is rare.
//! - [`Lss`] for limbs and [`Rss`] for boards, if distances are needed: their lower bounds come
//!   close to the distance.
//!
//! `cargo test -p carom-bounds --test it fits -- --nocapture` compares the volumes and times of
//! all fits on real meshes.
//!
//! # Beyond `f32`
//! Points in `f64` are rounded outwards. A point beyond the range of `f32`, or one that is not
//! finite, gives an infinite volume, up to [`BoundingVolume::EVERYTHING`]. So does a size or a
//! placement that `f32` cannot hold. An infinite volume overlaps all others, at distance 0 (test:
//! `distance::infinite_volumes_meet_all`).
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;

mod aabb;
#[cfg(feature = "serde")]
mod array_serde;
mod frame;
mod frustum;
mod kdop;
mod kdop_turn;
mod kdop_vertices;
mod moments;
mod obb;
mod obb_covariance;
mod obb_fit;
mod outward;
mod packet;
mod rectangle;
mod shaft;
mod sphere;
mod sphere_fit;
mod swept_distance;
mod swept_fit;
mod swept_sphere;
mod volume;

pub use aabb::Aabb;
pub use frustum::{ClipDepth, Culling, Frustum, LastPlane};
pub use kdop::{KDop, Slabs};
pub use kdop_turn::KDopRotation;
pub use moments::Moments;
pub use obb::Obb;
pub use packet::{
    Aabb8, Aabb16, AabbPacket, overlapping_pairs, overlaps_each, overlaps_packets, overlaps_packets_16,
};
pub use shaft::Shaft;
pub use sphere::Sphere;
pub use swept_sphere::{Lss, Rss, SweptSphere};
pub use volume::{BoundingVolume, BoundsError};
