//! Shapes: primitives, support maps, hulls, meshes, exact intersection, contacts.
//!
//! A shape is given in its own frame, and a pose places it. A shape that is given by sizes alone,
//! such as a box, is centred there; its axis is y. Sizes are checked once, in `new` (test:
//! `support::constructors_name_what_is_wrong`). A convex shape that is bounded is a
//! [`SupportMap`]: a core plus a margin, a radius all around.
//!
//! ```
//! use carom_geom::{Capsule, SupportMap};
//! use glam::DVec3;
//!
//! let capsule = Capsule::new(0.5, 0.25)?;
//! // The core of a capsule is a segment, its margin the radius.
//! assert_eq!(capsule.support(DVec3::new(1.0, 2.0, 0.0)).point, DVec3::new(0.0, 0.5, 0.0));
//! assert_eq!(capsule.margin(), 0.25);
//! assert!(Capsule::new(0.5, -1.0).is_err());
//! # Ok::<(), carom_geom::ShapeError>(())
//! ```
//!
//! Four modules have functions of two shapes, each for its own pairs of types: [`ray`] (hits),
//! [`overlap`] (yes or no), [`closest`] (distance) and [`plane`] (side).
//!
//! ```
//! use carom_geom::{Cuboid, Segment, closest::closest_points, overlap::overlaps};
//! use carom_math::{Interval, Pose, Ray, Vec3};
//!
//! // How does a segment meet a box? The pose places the second in the frame of the first.
//! let segment = Segment::new(Vec3::new(2.0, -1.0, 0.0), Vec3::new(2.0, 1.0, 0.0))?;
//! let cuboid = Cuboid::new(Vec3::ONE)?;
//! assert!(!overlaps(&segment, &cuboid, &Pose::IDENTITY));
//! assert_eq!(closest_points(&segment, &cuboid, &Pose::IDENTITY).distance, 1.0);
//! // Touching counts, exactly.
//! assert!(overlaps(&segment, &cuboid, &Pose::from_translation(Vec3::X)));
//! // And where does a ray enter and leave it?
//! let hits = cuboid.ray_hits(&Ray::new(Vec3::X * 3.0, Vec3::NEG_X), Interval::FORWARD);
//! assert_eq!(hits.into_iter().map(|hit| hit.t).collect::<Vec<_>>(), [2.0, 4.0]);
//! # Ok::<(), carom_geom::ShapeError>(())
//! ```
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]
#![allow(clippy::duplicate_mod)] // The two-precision seam: kernel/ is compiled for f32 and again for f64.

extern crate alloc;

#[path = "kernel/mod.rs"]
mod kernel;
mod num;

/// The same shapes for `f64`. A glob import of the crate brings this name into scope too, beside
/// the type `f64`: import items by their names.
#[cfg(feature = "f64")]
#[path = "twin.rs"]
pub mod f64;

mod apex_map;
mod barycentric;
mod bound;
pub mod check;
mod chord;
mod distance_field;
mod facets;
mod feature_id;
mod figure;
mod flat;
mod hull_build;
mod hull_faces;
mod hull_merge;
mod hull_scan;
mod inscribed;
pub mod line_lanes;
mod linear_cut;
mod merge;
pub mod mesh_topology;
mod nearest;
mod normal;
mod orientation;
mod plane_side;
mod point_ellipsoid;
mod point_on;
pub mod ray_mesh;
mod round;
pub mod segment_triangle;
mod separate;
mod shape_error;
mod support;
pub mod sweep_lanes;
mod torus;
pub mod tri_blocks;
pub mod tri_distance;
pub mod tri_intersection;
pub mod tri_tri;
pub mod tri_tri_lanes;
mod weld;
mod wide_hull;
mod wide_mesh;
pub mod winding;
mod within;

pub use apex_map::ApexMap;
pub use barycentric::barycentric;
pub use bound::aabb_from_support;
pub use distance_field::{Crossing, DistanceField, DistanceSample, LinearFloor, SolidMoments};
pub use kernel::*;
pub use linear_cut::{CELL_TETRAHEDRA, LinearCut};
pub use merge::MergeReport;
pub use orientation::{Ambiguity, Orientation, orientation};
pub use plane_side::PlaneSide;
pub use shape_error::ShapeError;
pub use support::{Feature, MAX_FEATURE_POINTS, NO_VERTEX, SupportMap, SupportPoint};
pub use wide_hull::{HalfEdge, WideHull};
pub use wide_mesh::WideMesh;
