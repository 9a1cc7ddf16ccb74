//! What surely contains it: bounding volumes in `f32`, conservative whatever rounding did.
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
//! let corner = |i: u32| Vec3::new((i & 1) as f32 * 4.0, (i >> 1 & 1) as f32, (i >> 2) as f32 * 0.1);
//! let board: Vec<Vec3> = (0..8).map(|i| turn.transform_point(corner(i))).collect();
//! let fitted = Obb::from_points(&board);
//! assert!((fitted.volume() - 0.4).abs() < 1e-3 && 2.5 * fitted.volume() < Aabb::from_points(&board).volume());
//! # Ok::<(), carom_bounds::BoundsError>(())
//! ```
//!
//! # Which one to use
//! - [`Aabb`] for broad phases and trees that are refitted: nothing is as fast to test or to fit.
//! - [`Sphere`] for what turns all the time, and as a first test; [`Sphere::about`] is the fixed sphere of a rigid body,
//!   [`Aabb::any_orientation`] its fixed cube, [`Aabb::over_motion`] its box while it moves.
//! - [`Obb`] for rigid bodies that come close, above all in parallel. `from_points` is near-optimal and the default; where a
//!   box is fitted every frame, [`Obb::from_surface_covariance`] of the convex hull's triangles, if there is a hull, else of
//!   the mesh's. Of the corners, and about region centres, boxes are larger for nothing.
//! - [`KDop`] where things keep their orientation: nearly the area of an oriented box on most bodies, and an exact test of
//!   a few comparisons. 14 for most, 26 where fitting is rare.
//! - [`Lss`] for limbs, [`Rss`] for boards, where distances are asked: their lower bounds come close to the distance.
//!
//! Volume and area over those of the near-optimal box, on 35 real meshes (geometric mean, and what nine of ten meshes stay
//! below), and time over that of its fit, the times from an earlier run in the test profile;
//! `cargo test -p carom-bounds --test it fits -- --nocapture` repeats it:
//!
//! | fit | volume | nine of ten | area | nine of ten | time |
//! |---|---|---|---|---|---|
//! | `Obb::from_points`, `Obb::from_triangles` | 1 | 1 | 1 | 1 | 1 |
//! | `Obb::from_surface_covariance`, convex hull | 1.18 | 1.70 | 1.12 | 1.50 | 0.005, and the hull |
//! | `Obb::from_surface_covariance`, mesh | 1.25 | 1.96 | 1.15 | 1.59 | 0.14 |
//! | `Obb::from_point_covariance` | 1.31 | 2.04 | 1.19 | 1.66 | 0.07 |
//! | `Obb::from_region_centers`, 64 regions | 1.34 | 2.17 | 1.21 | 1.68 | 0.7 |
//! | `Rss` | 1.33 | 2.15 | 1.09 | 1.48 | 2 |
//! | `KDop<26>` | 1.47 | 5.91 | 1.04 | 1.08 | 0.9 |
//! | `KDop<18>` | 1.56 | 6.58 | 1.08 | 1.14 | 0.4 |
//! | `KDop<14>` | 1.69 | 6.90 | 1.15 | 1.20 | 0.3 |
//! | `Aabb` | 2.18 | 9.67 | 1.45 | 1.57 | 0.01 |
//! | `Lss` | 2.40 | 7.77 | 1.22 | 2.08 | 2 |
//! | `Sphere::smallest` | 6.88 | 97 | 2.11 | 4.66 | 0.3 |
//! | `Sphere::ritter` | 7.36 | 99 | 2.20 | 4.70 | 0.1 |
//!
//! # Beyond `f32`
//! Points in `f64` are rounded outwards. A point beyond the range of `f32`, or one that is not finite, gives a volume that
//! is infinite, up to [`BoundingVolume::EVERYTHING`]; so does a size or a placement that `f32` cannot hold. An infinite
//! volume overlaps, and is at distance 0.
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
pub use kdop_turn::KDopTurn;
pub use moments::Moments;
pub use obb::Obb;
pub use packet::{
    Aabb8, Aabb16, AabbPacket, overlapping_pairs, overlaps_each, overlaps_packets, overlaps_packets_16,
};
pub use shaft::Shaft;
pub use sphere::Sphere;
pub use swept_sphere::{Lss, Rss, SweptSphere};
pub use volume::{BoundingVolume, BoundsError};
