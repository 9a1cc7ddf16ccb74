//! The name table of the `f32` build: which number is which in `kernel/`.

pub(crate) use carom_math::{Real, Vec3};
