//! Integration tests of carom-query.
#![allow(clippy::unwrap_used, clippy::expect_used)]
#![allow(clippy::duplicate_mod)] // invariants/ask.rs is compiled for f32 and again for f64.

mod allocations;
mod cached;
mod cast_queue;
mod casts;
mod casts_leaving;
mod clearance;
mod coincident;
mod compound;
mod convex_matrix;
mod corpus;
mod far_origin;
mod height_field;
mod inside;
mod internal_edges;
mod invariants;
mod mass;
mod matrix;
mod matrix_table;
mod mesh_cases;
mod mesh_convex;
mod mesh_manifolds;
mod mesh_mesh;
mod mesh_timed;
mod ray_batch;
mod ray_cases;
mod ray_depth;
mod rays;
mod round_manifolds;
mod spins;
mod support;
mod tolerances;
mod truth;
mod watertight;
mod zoo;
