//! Coarser meshes, and convex hulls in place of a mesh, with a proven bound of their difference.
//!
//! [`simplify`] takes a number of triangles or a largest error. The result bounds the distance of
//! the two surfaces, each way, by a separate measurement (test:
//! `simplify::bounds_hold_and_are_near`). With [`Side::Outside`] the new solid contains the old
//! one, by exact arithmetic. So a body that misses the new solid misses the old one (test:
//! `simplify::the_new_solid_contains_the_old_one_or_is_contained`).
//!
//! ```
//! use carom_geom::TriMesh;
//! use carom_scenes::mesh::icosphere;
//! use carom_simplify::{Side, SimplifySettings, simplify};
//!
//! let ball = icosphere(2000);
//! let ball = TriMesh::new(ball.vertices_f32(), ball.triangles)?;
//! let settings = SimplifySettings::default().with_max_triangles(200).with_side(Side::Outside);
//! let coarse = simplify(&ball, &settings)?;
//! assert_eq!(coarse.mesh.n_triangles(), 200);
//! // The unit ball lies within, and nothing stands out by more than the bound.
//! assert!(coarse.mesh.vertices().iter().all(|v| f64::from(v.length()) <= 1.0 + coarse.error()));
//! assert!(coarse.error() < 0.1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`decompose`] covers a mesh with a few hulls. No triangle is left out, nor any point inside a
//! closed mesh (tests: `decompose::any_soup_is_covered`, `cover::generated_solids_are_covered`).
//! The result bounds the distance of each hull's surface from the mesh (test:
//! `decompose::hulls_cover_what_they_are_of`).
//!
//! ```
//! use carom_geom::TriMesh;
//! use carom_scenes::mesh::torus;
//! use carom_simplify::{DecomposeSettings, decompose};
//!
//! let ring = torus(1.0, 0.25, 400);
//! let ring = TriMesh::new(ring.vertices_f32(), ring.triangles)?;
//! let parts = decompose(&ring, &DecomposeSettings::default().with_max_hulls(8).with_max_vertices(32))?;
//! assert!(parts.hulls.len() <= 8 && parts.concavity() < 0.2);
//! assert!(parts.hulls.iter().all(|hull| hull.vertices().len() <= 32));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;

mod cell;
mod cover;
mod decompose;
mod error;
mod full;
mod patch;
mod polygon;
mod progress;
mod quadric;
mod reach;
mod simplify;
mod surface;

pub use decompose::{CoverCell, DecomposeSettings, Decomposition, Stop, decompose, decompose_with};
pub use error::{DecomposeError, SimplifyError};
pub use progress::{Progress, Stage};
pub use simplify::{Side, Simplified, SimplifySettings, simplify, simplify_with};
