//! The code that depends on the precision of shapes. It is compiled for `f32` and for `f64`.

pub(crate) mod shape_parts;
