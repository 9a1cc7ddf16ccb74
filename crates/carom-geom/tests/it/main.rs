//! Integration tests of carom-geom.

mod hull;
mod mesh;
mod mesh_report;
mod ray_mesh;
mod ray_point;
mod support;
mod tri_tri;
mod tri_tri_lanes;
