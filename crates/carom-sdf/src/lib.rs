//! Signed distance fields: the distance from a point to the surface of a shape, interpolated from
//! samples on a grid.
//!
//! [`SdfGrid`] has a value at each node. [`SparseSdf`] has values only near the surface. Both
//! implement [`Field`], which has the queries.
//!
//! ```
//! use carom_sdf::{BakeSettings, Field, SdfGrid, SignMethod};
//! use glam::{DVec3, Vec3};
//!
//! // A tetrahedron, 32 cells along its longest side.
//! let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
//! let faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
//! let settings = BakeSettings::default().with_resolution(32);
//! let field = SdfGrid::from_triangles(&corners, &faces, &settings)?;
//! assert_eq!(field.sign_method(), SignMethod::WindingExact); // The mesh is closed.
//!
//! // Distance and direction, between the nodes: the error is at most half the diagonal of a cell.
//! let below = field.sample(Vec3::new(0.25, 0.25, -0.05));
//! assert!((below.distance - 0.05).abs() < 0.001 && below.gradient.z < -0.99);
//! // Certain bounds.
//! let bounds = field.bounds(DVec3::new(0.25, 0.25, 0.1));
//! assert!(bounds.is_inside() && bounds.least <= -0.1 && -0.1 <= bounds.greatest);
//! # Ok::<(), carom_sdf::SdfError>(())
//! ```
//!
//! # The values
//! A value at a node is the `f64` distance to the nearest triangle, rounded once, and negative
//! inside. It does not depend on the order of the triangles or on threads. With a band of some
//! cells, values farther from the surface are the band, with the sign of their side.
//! [`SignMethod`] says how sides were found. [`Accuracy`] says what the values mean after fields
//! were combined.
//!
//! Nodes lie at whole multiples of the cell size, exactly. So fields of one [`Grid`] can be
//! combined, and a mesh that is moved by whole cells has the same field.
//!
//! # Rays, and certainty
//! A distance changes by no more than the point moves. [`Field::bounds`] derives certain bounds
//! from the eight nodes around a point. [`Field::cast_ray`] takes steps that are certainly free,
//! and goes cell by cell near the surface. The answer is a hit, a certain miss, or undecided. It
//! is undecided near a surface that the cells do not resolve.
//!
//! ```
//! use carom_math::Ray;
//! use carom_sdf::{Accuracy, BakeSettings, Field, RayOutcome, SparseSdf};
//! use glam::{DVec3, Vec3};
//!
//! // Two balls as functions, on one grid, with values near their surfaces.
//! let settings = BakeSettings::default().with_resolution(64).with_band(3.0);
//! let ball = |x: f64| {
//!     let distance = move |p: DVec3| (p - DVec3::X * x).length() - 1.0;
//!     let (low, high) = (DVec3::new(-2.0, -1.0, -1.0), DVec3::new(2.0, 1.0, 1.0));
//!     SparseSdf::from_function(low, high, &settings, Accuracy::Exact, distance)
//! };
//! let (left, right) = (ball(-0.9)?, ball(0.9)?);
//! let lens = left.intersection(&right)?;
//!
//! let ray = Ray::new(Vec3::new(-3.0, 0.0, 0.0), Vec3::X);
//! let hit = lens.cast_ray(&ray, 10.0).hit().expect("the lens is there");
//! assert!((hit.point.x + 0.1).abs() < lens.error_bound() && hit.normal.x < -0.9);
//! let above = Ray::new(Vec3::new(-3.0, 0.8, 0.0), Vec3::X);
//! assert_eq!(lens.cast_ray(&above, 10.0).outcome, RayOutcome::Miss);
//! # Ok::<(), carom_sdf::SdfError>(())
//! ```
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;

mod bake;
mod bounds;
mod bytes;
mod combine;
mod crossings;
mod dense;
mod error;
mod field;
mod field_shape;
mod function;
mod grid;
mod line;
mod mass;
mod nodes;
#[cfg(feature = "parallel")]
mod par;
mod project;
mod ray;
mod rebake;
mod sample;
mod settings;
mod shape;
mod sign;
mod sparse;
mod stored;
mod surface;

pub use bake::Accuracy;
pub use bounds::DistanceBounds;
pub use dense::SdfGrid;
pub use error::SdfError;
pub use field::Field;
pub use field_shape::FieldShape;
pub use grid::Grid;
pub use project::ClosestSurfacePoint;
pub use ray::{FieldHit, FieldRay, RayOutcome};
pub use sample::Sample;
pub use settings::{BakeSettings, Spacing};
pub use shape::DeepestPoint;
pub use sign::SignMethod;
pub use sparse::SparseSdf;
