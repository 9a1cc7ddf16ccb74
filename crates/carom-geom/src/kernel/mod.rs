//! This module is compiled for `f32` and again for `f64`. It uses only names from `num`, and no
//! casts.

#[macro_use]
mod unchecked;

mod body;
mod capsule;
pub mod closest;
mod cone;
mod contact;
mod cuboid;
mod cylinder;
mod ellipsoid;
mod frustum;
mod half_space;
mod height_field;
mod hit;
mod hull;
mod hull_faces;
mod mass;
mod mass_rounded;
pub mod overlap;
pub mod plane;
mod polygon;
mod project_point;
pub mod ray;
mod rounded;
mod segment;
mod sphere;
mod tapered_capsule;
mod tetrahedron;
mod torus;
mod triangle;

pub use crate::feature_id::{FeatureId, FeatureKind};
pub use body::{Body, ThinBody};
pub use capsule::Capsule;
pub use cone::Cone;
pub use contact::{Contact, MAX_CONTACTS, Manifold};
pub use cuboid::Cuboid;
pub use cylinder::Cylinder;
pub use ellipsoid::Ellipsoid;
pub use frustum::Frustum;
pub use half_space::HalfSpace;
pub use height_field::{HeightField, HeightFieldError};
pub use hit::{PointProjection, RayHit, RayHits};
pub use hull::{ConvexHull, FlatHull, HullError, HullSettings, HullSurface};
pub use mass::MassProperties;
pub use polygon::ConvexPolygon;
pub use rounded::Rounded;
pub use segment::Segment;
pub use sphere::Sphere;
pub use tapered_capsule::TaperedCapsule;
pub use tetrahedron::Tetrahedron;
pub use torus::Torus;
pub use triangle::Triangle;
mod mesh;
mod mesh_report;

pub use mesh::{MeshError, TriMesh};
pub use mesh_report::MeshReport;
