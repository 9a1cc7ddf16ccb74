//! Every pair of shapes, in both precisions, against what answers owe each other.

mod double;
mod single;

/// A hundred roundings of `f32` at a distance of 4.
const SINGLE: f64 = 5e-6;
/// Depths of round shapes are searched for to a fraction of 1e-10.
const DOUBLE: f64 = 1e-9;

#[test]
fn every_pair_in_single_precision() {
    single::pairs::every_pair(SINGLE);
}

#[test]
fn every_pair_in_double_precision() {
    double::pairs::every_pair(DOUBLE);
}
