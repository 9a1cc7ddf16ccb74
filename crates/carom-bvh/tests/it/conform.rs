//! The conformance suite of trees, for every builder and every volume.

use carom_bounds::{Aabb, BoundingVolume, KDop, Lss, Obb, Rss, Sphere};
use carom_bvh::{BuildMethod, BuildSettings, Bvh, BvhError, Collapse, OwnAxes, SplitAt, TreeVolume};
use carom_testkit::conform::bvh::{bvh, triangle_bvh};
use glam::Vec3;

/// Every method, with leaves of several sizes, a third of them with reinsertion.
fn settings() -> Vec<BuildSettings> {
    let of_method = |(i, method): (usize, BuildMethod)| {
        let settings = BuildSettings::default().with_method(method);
        settings.with_max_leaf([1, 4, 8, 2][i % 4]).with_reinsertion_rounds([0, 0, 2][i % 3])
    };
    BuildMethod::ALL.into_iter().enumerate().map(of_method).collect()
}

/// Every third of the settings, from this index on. Different volumes test different settings.
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

/// Trees by several methods, collapsed at the least cost, for callers that test one or many
/// primitives at once.
#[test]
fn cheapest_boxes() {
    for (i, settings) in settings().iter().enumerate().step_by(2) {
        let settings = settings.with_collapse(Collapse::Cheapest { lanes: [8, 1, 4][i % 3] });
        bvh(|boxes| Bvh::<Aabb>::build(boxes, &settings));
    }
}

#[test]
fn cheapest_oriented_boxes() {
    let settings = BuildSettings::default().with_max_leaf(8).with_collapse(Collapse::Cheapest { lanes: 8 });
    bvh(|boxes| Bvh::<Obb>::build(boxes, &settings));
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

/// Volumes fitted to the boxes of their primitives.
#[test]
fn fitted_volumes() {
    let settings = BuildSettings::default().with_max_leaf(3);
    bvh(|boxes| {
        Bvh::<Sphere>::fitted(boxes, &settings, |primitives| {
            let corners: Vec<Vec3> =
                primitives.iter().flat_map(|&i| [boxes[i as usize].min, boxes[i as usize].max]).collect();
            primitives.iter().fold(Sphere::from_points(&corners), |all, &i| {
                all.merged(&Sphere::from_aabb(&boxes[i as usize]))
            })
        })
    });
    bvh(|boxes| {
        Bvh::<Rss>::fitted(boxes, &settings, |primitives| {
            let around = primitives.iter().fold(Aabb::EMPTY, |all, &i| all.merged(&boxes[i as usize]));
            Rss::from_aabb(&around)
        })
    });
}

#[test]
fn every_child_is_fitted_once() {
    let boxes: Vec<Aabb> = (0..500).map(|i| Aabb::from_point(Vec3::splat(i as f32))).collect();
    let mut sizes = Vec::new();
    let tree = Bvh::<Aabb>::fitted(&boxes, &BuildSettings::default(), |primitives| {
        sizes.push(primitives.len());
        primitives.iter().fold(Aabb::EMPTY, |all, &i| all.merged(&boxes[i as usize]))
    })
    .unwrap();
    let children: Vec<usize> =
        (0..tree.n_nodes() as u32).flat_map(|node| tree.children(node).map(|child| child.0)).collect();
    assert_eq!(sizes.len(), 1 + children.len());
    assert_eq!((sizes[0], tree.volume(children[0]).min.is_finite()), (500, true));
    assert_eq!(tree.volume(7 * 8 * tree.n_nodes()), Aabb::EMPTY);
    assert!(Bvh::<Aabb>::fitted(&[], &BuildSettings::default(), |_| Aabb::EMPTY).unwrap().is_empty());
}

#[test]
fn triangles_in_oriented_boxes() {
    triangle_bvh(|triangles| {
        Bvh::<Obb>::from_triangles(triangles.len(), |i| triangles[i as usize], &BuildSettings::default())
    });
}

#[test]
fn triangles_in_oriented_boxes_split_along_their_own_axes() {
    for settings in [
        OwnAxes::default(),
        OwnAxes::default().with_split(SplitAt::Median).with_max_leaf(1),
        OwnAxes::default().with_max_leaf(1).with_max_depth(3),
    ] {
        triangle_bvh(|triangles| {
            Bvh::<Obb>::along_own_axes(triangles.len(), |i| triangles[i as usize], &settings)
        });
    }
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
