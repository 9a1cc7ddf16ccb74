//! The `f64` twin: the kernel with the name table of shapes in `f64`.

#[path = "kernel/mod.rs"]
pub(crate) mod kernel;
#[path = "num_f64.rs"]
mod num;
