//! The commands, one file each.

pub mod batch;
pub mod check;
pub mod decompose;
pub mod demo;
pub(crate) mod demo_ants;
pub(crate) mod demo_boxes;
pub(crate) mod demo_clock;
pub(crate) mod demo_deadline;
pub(crate) mod demo_figure;
pub(crate) mod demo_impacts;
pub(crate) mod demo_model;
pub(crate) mod demo_particles;
pub(crate) mod demo_rays;
pub(crate) mod demo_soft;
pub(crate) mod demo_surfaces;
pub(crate) mod demo_tetrahedra;
pub(crate) mod demo_trees;
pub(crate) mod demo_walk;
pub mod distance;
pub mod info;
pub mod pairs;
pub mod ray;
pub mod sdf;
pub mod simplify;
pub mod sweep;
pub mod trace;
