//! Particles against depth buffers and distance fields, held against rays, planes and balls in
//! closed form.
#![allow(clippy::unwrap_used, clippy::expect_used)]
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc)] // Programs, never without std.

mod attached;
mod blocks;
mod bodies;
mod cloths;
mod connected;
mod corners;
mod crossings;
mod depth;
mod drawing;
mod field;
mod gliding;
mod grains;
mod inflatables;
mod liquid;
mod mixed;
mod near;
mod population;
mod refusals;
mod ropes;
mod scenes;
mod shapes;
mod soft_bodies;
mod surfaces;
mod threads;
mod together;
mod warm;
mod worlds;
