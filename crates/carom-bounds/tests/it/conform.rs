//! Every volume through the suite of volumes.

use carom_bounds::{Aabb, Obb, Sphere};
use carom_testkit::conform::bounding_volume::bounding_volume;

#[test]
fn boxes_along_the_axes() {
    bounding_volume::<Aabb>();
}

#[test]
fn spheres() {
    bounding_volume::<Sphere>();
}

#[test]
fn oriented_boxes() {
    bounding_volume::<Obb>();
}
