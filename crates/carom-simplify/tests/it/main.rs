//! Coarser meshes are what they are said to be: compared with dense samples, and inside or outside
//! by exact counts.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod cover;
mod decompose;
mod dirty;
mod oracle;
mod real_data;
mod simplify;
