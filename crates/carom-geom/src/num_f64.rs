//! The name table of the `f64` build: which number is which in `kernel/`.

pub(crate) use carom_math::f64::{Real, Vec3};
