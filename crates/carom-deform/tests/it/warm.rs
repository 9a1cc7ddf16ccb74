//! A search that is warm does not allocate.

use crate::scenes::{grid, waves};
use carom_deform::{
    AutoTree, ContactSides, DeformableMesh, FollowingTree, HybridTree, LazyTree, OverlapRegion, RayDepths,
    RebuiltTree, RefitTree, VoxelOverlap,
};
use carom_testkit::conform::following_tree;

fn check<T: FollowingTree>(name: &str) {
    let n = 14;
    let mesh = DeformableMesh::from_triangles(&waves(n, 0.4, 0.0), grid(n)).unwrap();
    let frames = [waves(n, 0.4, 0.1), waves(n, 0.4, 0.2)];
    let count = |run: &mut dyn FnMut()| allocation_counter::measure(run).count_total;
    following_tree::check_warm::<T>(name, &mesh, &frames, count);
}

/// On one thread.
#[test]
fn searches_do_not_allocate() {
    let all = || {
        check::<RefitTree>("refit");
        check::<LazyTree>("lazy");
        check::<HybridTree>("hybrid");
        check::<RebuiltTree>("rebuilt");
        check::<AutoTree>("auto");
    };
    #[cfg(feature = "parallel")]
    rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().unwrap().install(all);
    #[cfg(not(feature = "parallel"))]
    all();
}

/// Neither do searches of two objects without a tree, and push-outs.
#[test]
fn searches_of_two_objects_do_not_allocate() {
    let n = 30;
    let sheet = |phase: f64| DeformableMesh::from_triangles(&waves(n, 0.4, phase), grid(n)).unwrap();
    let (mut a, b) = (sheet(0.1).with_thickness(0.25).unwrap(), sheet(0.2));
    let mut collider = sheet(0.25).with_trees::<LazyTree>();
    let frames = [waves(n, 0.4, 0.1), waves(n, 0.4, 0.3)];
    let (mut region, mut voxels) = (OverlapRegion::default(), VoxelOverlap::new(64).unwrap());
    let (mut sides, mut rays) = (ContactSides::new(&collider, 0.25).unwrap(), RayDepths::new(4));
    let mut step = |frame: usize| {
        a.set_positions(&frames[frame]).unwrap();
        assert!(voxels.may_touch(&a, &b));
        let mut n_found = region.crossings(&a, &b).finish().pairs.len();
        n_found += sides.update(&a, &mut collider).unwrap().finish().push_outs.len();
        n_found += rays.update(&a, &mut collider).finish().push_outs.len();
        n_found
    };
    for frame in [0, 1, 0, 1] {
        assert!(0 < step(frame));
    }
    let allocations = allocation_counter::measure(|| {
        step(0);
        step(1);
    });
    assert_eq!(allocations.count_total, 0);
}
