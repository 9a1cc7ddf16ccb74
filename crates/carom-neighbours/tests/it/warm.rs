//! A warm search does not allocate.

use carom_neighbours::{HierarchicalGrid, NeighbourGrid, NeighbourLists, NeighbourTree, Reach};
use carom_testkit::conform::neighbour_search;
use carom_testkit::random::Random;
use glam::Vec3;

/// Returns two frames of points. With a stray, the second has a far point, so that the grid keeps
/// only occupied cells.
fn frames(has_stray: bool) -> [Vec<Vec3>; 2] {
    let mut random = Random::new(6);
    let mut frame = || -> Vec<Vec3> { (0..4000).map(|_| random.cube_point().as_vec3()).collect() };
    let mut frames = [frame(), frame()];
    if has_stray {
        frames[1][3000] = Vec3::new(1e30, -4.0, 0.0);
    }
    frames
}

/// The searches run on one thread.
#[test]
fn searches_do_not_allocate() {
    let count = |run: &mut dyn FnMut()| allocation_counter::measure(run).count_total;
    let all = || {
        for has_stray in [false, true] {
            let [first, second] = frames(has_stray);
            let frames = [&first[..], &second[..]];
            let mut grid = NeighbourGrid::new(0.14).unwrap();
            neighbour_search::check_warm("grid", &mut grid, frames, count);
            let mut tree = NeighbourTree::new(0.14).unwrap();
            neighbour_search::check_warm("tree", &mut tree, frames, count);
            radii_of_their_own(frames, count);
        }
    };
    #[cfg(feature = "parallel")]
    rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().unwrap().install(all);
    #[cfg(not(feature = "parallel"))]
    all();
}

fn radii_of_their_own(frames: [&[Vec3]; 2], count: impl Fn(&mut dyn FnMut()) -> u64) {
    let radii: Vec<f32> = (0..frames[0].len()).map(|i| 0.001 * (1 + i % 80) as f32).collect();
    let mut grid = HierarchicalGrid::new(Reach::Sum);
    let (mut pairs, mut lists) = (Vec::new(), NeighbourLists::default());
    let mut step = |frame: usize| {
        grid.set_points(frames[frame], &radii).unwrap();
        grid.collect_pairs(&mut pairs).unwrap();
        grid.collect_lists(&mut lists).unwrap();
        assert!(1000 < pairs.len());
        grid.collect_lists_between(frames[1 - frame], &radii, &mut lists).unwrap();
    };
    for frame in [0, 1, 0, 1] {
        step(frame);
    }
    for frame in [0, 1] {
        assert_eq!(count(&mut || step(frame)), 0, "frame {frame}");
    }
}
