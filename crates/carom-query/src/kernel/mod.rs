//! This module is compiled for `f32` and again for `f64`: it uses only names from `num`, and no
//! casts.
//!
//! It has the shapes of the stored precision, selects the algorithm of each query by their kinds,
//! and rounds the answers. The algorithms are outside, once, in `f64`. They read a shape through
//! `SupportMap`, `WideMesh`, `DistanceField` or `PartTree`, or get the query of a part as a
//! closure.
//!
//! Three sorts of loops remain here, because a move would only add conversions. A part of a shape
//! is a [`Shape`], so loops over parts are here. Hits of rays and projections of points are
//! compared after rounding, as they are returned. The files around `internal_edges` read and change
//! manifolds of the stored precision in place.

mod answer;
mod cast;
mod cast_parts;
mod cast_queue;
mod cast_turns;
mod clearance;
mod closed_form;
mod closed_form_manifold;
mod cluster;
mod cluster_pair;
mod compound;
mod compound_pair;
mod concave_edges;
mod contains_point;
mod convex_manifold;
mod dispatch;
mod escape_direction;
mod field;
mod field_manifolds;
mod height_field_shape;
mod internal_edges;
mod line;
mod lowest;
mod manifolds;
mod mass;
mod mesh_anytime;
mod mesh_manifolds;
mod mesh_shape;
mod method;
mod pair;
mod part_list;
mod point;
mod point_cloud;
mod primitive;
mod ray;
mod ray_batch;
mod ray_depth;
mod ray_mesh;
mod rounded;
mod scale;
mod separating_plane;
mod shape;
mod solid_depth;
mod solids;
mod touch;
mod voxels;

pub use answer::{Distance, PairContact};
pub use cast::{cast, cast_counted, cast_with, motion_of};
pub use cast_queue::{ImpactQueue, ImpactQueueError, MovingShape, PairImpact};
pub use clearance::{clearance_violations, nearer_than};
pub use cluster::{Cluster, ClusterPart};
pub use compound::{Compound, CompoundError, CompoundPart};
pub use contains_point::{placement, solid_placement, solid_placement_counted, winding_number};
pub use height_field_shape::{HeightFieldShape, HeightFieldShapeError};
pub use internal_edges::smooth_internal_edges;
pub use manifolds::{manifolds, manifolds_counted, manifolds_with};
pub use mesh_anytime::{AnytimeMeshAnswer, AnytimeMeshContact, AnytimeMeshError, AnytimeMeshes, MeshPair};
pub use mesh_shape::MeshShape;
pub use method::method_name;
pub use pair::{
    contact, contact_counted, contact_with, distance, distance_cached, distance_counted, distance_with,
    intersects, intersects_counted, triangle_pairs, triangle_pairs_counted,
};
pub use point::{project_point, project_point_counted};
pub use point_cloud::PointCloud;
pub use ray::{cast_ray, cast_ray_all, cast_ray_all_counted, cast_ray_counted, ray_crossings};
pub use ray_batch::cast_ray_batch;
pub use ray_depth::{RayContact, RayMesh, ray_depth};
pub use rounded::{ConvexShape, NotConvex, RoundedShape};
pub use scale::ScaleError;
pub use separating_plane::{SeparatingPlane, separating_plane};
pub use shape::{Shape, ShapeKind, UserShape};
pub use solid_depth::{SolidOverlap, solid_overlap};
pub use solids::{SolidRelation, holds_component, solid_relation};
pub use touch::Neighbour;
pub use voxels::Voxels;
