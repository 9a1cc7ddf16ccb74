//! Every builder and every volume through the suite of trees.

use carom_bounds::Aabb;
use carom_bvh::{BuildQuality, BuildSettings, Bvh};
use carom_testkit::conform::bvh::bvh;

#[test]
fn fast() {
    let settings = BuildSettings::default().with_quality(BuildQuality::Fast).with_max_leaf(1);
    bvh(|boxes| Bvh::<Aabb>::build(boxes, &settings));
}

#[test]
fn balanced() {
    bvh(|boxes| Bvh::<Aabb>::build(boxes, &BuildSettings::default()));
}

#[test]
fn high() {
    let settings = BuildSettings::default().with_quality(BuildQuality::High).with_max_leaf(8);
    bvh(|boxes| Bvh::<Aabb>::build(boxes, &settings));
}
