//! What depends on the precision of shapes: compiled for `f32`, and again for `f64`.

pub(crate) mod shape_parts;
