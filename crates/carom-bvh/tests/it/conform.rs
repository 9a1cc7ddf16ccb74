//! Every builder and every volume through the suite of trees.

use carom_bounds::{Aabb, BoundingVolume, KDop, Lss, Obb, Rss, Sphere};
use carom_bvh::{BuildQuality, BuildSettings, Bvh, BvhError};
use carom_testkit::conform::bvh::{bvh, triangle_bvh};

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

#[test]
fn spheres() {
    bvh(|boxes| Bvh::<Sphere>::build(boxes, &BuildSettings::default()));
}

#[test]
fn oriented_boxes() {
    bvh(|boxes| Bvh::<Obb>::build(boxes, &BuildSettings::default().with_max_leaf(2)));
}

#[test]
fn discrete_oriented_polytopes() {
    bvh(|boxes| Bvh::<KDop<14>>::build(boxes, &BuildSettings::default()));
    bvh(|boxes| Bvh::<KDop<26>>::build(boxes, &BuildSettings::default().with_max_leaf(1)));
}

#[test]
fn line_swept_spheres() {
    bvh(|boxes| Bvh::<Lss>::build(boxes, &BuildSettings::default()));
}

#[test]
fn rectangle_swept_spheres() {
    bvh(|boxes| Bvh::<Rss>::build(boxes, &BuildSettings::default().with_max_leaf(2)));
}

#[test]
fn triangles_in_oriented_boxes() {
    triangle_bvh(|triangles| {
        Bvh::<Obb>::from_triangles(triangles.len(), |i| triangles[i as usize], &BuildSettings::default())
    });
}

#[test]
fn triangles_in_boxes() {
    let settings = BuildSettings::default().with_max_leaf(8);
    triangle_bvh(|triangles| {
        if let Some(primitive) = triangles.iter().position(|t| t.iter().any(|p| !p.is_finite())) {
            return Err(BvhError::NotFinite { primitive });
        }
        let boxes: Vec<Aabb> = triangles.iter().map(|t| Aabb::from_points(t)).collect();
        Bvh::<Aabb>::build(&boxes, &settings)
    });
}
