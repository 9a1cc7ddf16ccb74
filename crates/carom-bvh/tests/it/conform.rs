//! Every builder and every volume through the suite of trees.

use carom_bounds::{Aabb, BoundingVolume, KDop, Lss, Obb, Rss, Sphere};
use carom_bvh::{BuildMethod, BuildSettings, Bvh, BvhError, TreeVolume};
use carom_testkit::conform::bvh::{bvh, triangle_bvh};

/// Every method, with leaves of several sizes, a third of them with reinsertion.
fn settings() -> Vec<BuildSettings> {
    let of_method = |(i, method): (usize, BuildMethod)| {
        let settings = BuildSettings::default().with_method(method);
        settings.with_max_leaf([1, 4, 8, 2][i % 4]).with_reinsertion_rounds([0, 0, 2][i % 3])
    };
    BuildMethod::ALL.into_iter().enumerate().map(of_method).collect()
}

/// Every third of the settings, from one on: the volumes share them.
fn third<V: TreeVolume>(from: usize) {
    for settings in settings().iter().skip(from).step_by(3) {
        bvh(|boxes| Bvh::<V>::build(boxes, settings));
    }
}

#[test]
fn boxes_0() {
    third::<Aabb>(0);
}

#[test]
fn boxes_1() {
    third::<Aabb>(1);
}

#[test]
fn boxes_2() {
    third::<Aabb>(2);
}

#[test]
fn spheres() {
    third::<Sphere>(0);
}

#[test]
fn oriented_boxes() {
    third::<Obb>(1);
}

#[test]
fn discrete_oriented_polytopes() {
    let bottom_up = BuildSettings::default().with_method(BuildMethod::BottomUp);
    bvh(|boxes| Bvh::<KDop<14>>::build(boxes, &bottom_up));
    bvh(|boxes| Bvh::<KDop<26>>::build(boxes, &BuildSettings::default().with_max_leaf(1)));
}

#[test]
fn line_swept_spheres() {
    third::<Lss>(0);
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
