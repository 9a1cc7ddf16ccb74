//! A search that is warm does not allocate.

use crate::scenes::{grid, waves};
use carom_deform::{AutoTree, DeformableMesh, FollowingTree, HybridTree, LazyTree, RebuiltTree, RefitTree};
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
