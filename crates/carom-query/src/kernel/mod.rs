//! This module is compiled for `f32` and again for `f64`: it uses only names from `num`, and no
//! casts.

mod answer;
mod cast;
mod cast_leaving;
mod cast_mesh;
mod cast_meshes;
mod cast_parts;
mod cast_queue;
mod cast_straight;
mod cast_turns;
mod clearance;
mod closed_form;
mod closed_form_manifold;
mod cluster;
mod compound;
mod concave_edges;
mod contains_point;
mod dispatch;
mod escape_direction;
mod field;
mod field_cast;
mod field_manifolds;
mod height_field_shape;
mod internal_edges;
mod manifolds;
mod mass;
mod mesh_anytime;
mod mesh_manifolds;
mod mesh_shape;
mod method;
mod pair;
mod point;
mod point_cloud;
mod primitive;
mod ray;
mod ray_batch;
mod ray_depth;
mod rounded;
mod scale;
mod separating_plane;
mod shape;
mod solid_depth;
mod solids;
mod voxels;

pub use answer::{Distance, PairContact};
pub use cast::{cast, cast_counted, cast_with, motion_of};
pub use cast_queue::{ImpactQueue, ImpactQueueError, MovingShape, PairImpact};
pub use clearance::{clearance_violations, nearer_than};
pub use cluster::Cluster;
pub use compound::{Compound, CompoundError, CompoundPart};
pub use contains_point::{placement, solid_placement, solid_placement_counted, winding_number};
pub use height_field_shape::{HeightFieldShape, HeightFieldShapeError};
pub use internal_edges::{Neighbour, smooth_internal_edges};
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
pub use voxels::Voxels;
