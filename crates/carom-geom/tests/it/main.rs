//! Integration tests of carom-geom.

mod hull;
mod mesh;
mod mesh_report;
mod ray_mesh;
mod support;
mod tri_tri;
