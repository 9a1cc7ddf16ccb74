//! Times of impact against what is slower and obviously right.
#![allow(clippy::unwrap_used)]

mod aabb;
mod approach;
mod ball_triangle;
mod bilateral;
mod capsule;
mod cast;
mod chain;
mod dynamic_sat;
mod element;
mod element_data;
mod endless;
mod hard;
mod motion;
mod moving_sphere;
mod polyhedra;
mod schedule;
mod simple_polygon;
mod sphere_triangle;
mod straight;
mod sweeps;
