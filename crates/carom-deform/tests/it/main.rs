//! Tests of meshes that change their shape, against brute force in fractions and published counts.
#![allow(clippy::unwrap_used, clippy::expect_used)]
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc)] // Programs, never without std.

mod barrier;
mod budget;
mod candidates;
mod cones;
mod crossings;
mod deformable;
mod edit;
mod hostile;
mod impacts;
mod known;
mod known_bounds;
mod known_data;
mod known_input;
mod ray_depths;
mod real_data;
mod region;
mod scenes;
mod sides;
mod solids;
mod threads;
mod update;
mod update_costs;
mod voxels;
mod warm;
mod within;
