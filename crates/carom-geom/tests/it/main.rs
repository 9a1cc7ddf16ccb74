//! Integration tests of carom-geom.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod barycentric;
mod far_and_thin;
mod height_field;
mod hull;
mod line_lanes;
mod mass;
mod merge;
mod mesh;
mod mesh_report;
mod mesh_topology;
mod orientation;
mod pairs;
mod plane;
mod ray_mesh;
mod ray_point;
mod ray_table;
#[cfg(feature = "serde")]
mod serde;
mod support;
mod sweep_lanes;
mod torus;
mod tri_blocks;
mod tri_tri;
mod tri_tri_lanes;
