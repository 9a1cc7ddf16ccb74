//! Boxes and hulls by separating axes, in both precisions, against what answers owe each other.

#[cfg(feature = "f64")]
mod double;
mod single;

/// A hundred roundings of `f32` at a distance of 4.
const SINGLE: f64 = 5e-6;

#[test]
fn in_single_precision() {
    single::pairs::every_pair(SINGLE);
}

#[cfg(feature = "f64")]
#[test]
fn in_double_precision() {
    double::pairs::every_pair(1e-12);
}
