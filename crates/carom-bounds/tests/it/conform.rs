//! Every volume through the suite of volumes.

use carom_bounds::{Aabb, KDop, Lss, Obb, Rss, Sphere};
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

#[test]
fn discrete_oriented_polytopes() {
    bounding_volume::<KDop<6>>();
    bounding_volume::<KDop<14>>();
    bounding_volume::<KDop<18>>();
    bounding_volume::<KDop<26>>();
}

#[test]
fn line_swept_spheres() {
    bounding_volume::<Lss>();
}

#[test]
fn rectangle_swept_spheres() {
    bounding_volume::<Rss>();
}
