//! Tests the bounds of coarser meshes and hulls by dense samples, and containment by exact winding
//! numbers.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod cover;
mod decompose;
mod dirty;
mod oracle;
mod real_data;
mod simplify;
