//! Searches for neighbours: for all points and radii, each answer is that of brute force.

use crate::random::Random;
use carom_neighbours::{BruteForce, NeighbourError, NeighbourLists, NeighbourSearch};
use core::ops::ControlFlow;
use glam::{DVec3, Vec3};

/// Points and a radius.
#[derive(Clone, Debug)]
pub struct Cloud {
    /// The special property of the points.
    pub name: &'static str,
    /// The points.
    pub points: Vec<Vec3>,
    /// The radius.
    pub radius: f32,
}

/// Returns clouds that may break a search. No coordinate is beyond 1e30.
pub fn clouds(seed: u64) -> Vec<Cloud> {
    let mut random = Random::new(seed);
    let mut all = Vec::new();
    let mut add = |name, points: Vec<Vec3>, radius: f32| all.push(Cloud { name, points, radius });
    add("none", Vec::new(), 1.0);
    add("one", vec![Vec3::new(1.0, -2.0, 3.0)], 1.0);
    let (here, step) = (Vec3::new(0.5, 0.5, 0.5), Vec3::new(3.0, 4.0, 0.0));
    add("two at the radius", vec![here, here + step], 5.0);
    add("two beyond the radius", vec![here, here + step], 5.0_f32.next_down());
    let cube = |n: usize, step: f32| -> Vec<Vec3> {
        let at = |i: usize| i as f32 * step;
        (0..n * n * n).map(|i| Vec3::new(at(i % n), at(i / n % n), at(i / n / n))).collect()
    };
    add("a lattice with ties", cube(6, 0.25), 0.25);
    add("a lattice with ties on diagonals", cube(5, 0.25), (0.125_f32).sqrt());
    add("a lattice of two steps with ties", cube(6, 3.0), 6.0);
    add("a rounded lattice", cube(6, 0.1), 0.1);
    add("a rounded lattice around the origin", cube(6, 0.1).iter().map(|p| *p - 0.25).collect(), 0.2);
    add("equal points", vec![Vec3::new(0.1, 0.2, 0.3); 40], 0.5);
    add("equal points, radius 0", vec![Vec3::new(0.1, 0.2, 0.3); 40], 0.0);
    let twice = |points: Vec<Vec3>| -> Vec<Vec3> { points.iter().chain(&points).copied().collect() };
    add("pairs of equal points, radius 0", twice(cube(4, 0.3)), 0.0);
    add("zeros of both signs, radius 0", vec![Vec3::ZERO, -Vec3::ZERO, Vec3::new(0.0, -0.0, 1e-45)], 0.0);
    for axis in 0..3 {
        let line = |i: usize| Vec3::ZERO.with_axis(axis, i as f32 * 0.3 - 20.0);
        add("a line", (0..150).map(line).collect(), 0.9);
    }
    add("a diagonal", (0..150).map(|i| Vec3::splat(i as f32 * 0.5)).collect(), 1.0);
    add("a line of equal steps", (0..150).map(|i| Vec3::X * i as f32).collect(), 1.0);

    let mut near = |n: usize, center: Vec3, size: f64| -> Vec<Vec3> {
        (0..n).map(|_| (center.as_dvec3() + random.cube_point() * size).as_vec3()).collect()
    };
    add("a cube", near(400, Vec3::ZERO, 1.0), 0.3);
    add("a thin cube", near(300, Vec3::ZERO, 1.0), 0.02);
    add("a cube inside the radius", near(60, Vec3::ONE, 1.0), 1e3);
    add("far from the origin", near(300, Vec3::splat(1e5), 1.0), 0.25);
    add("so far that numbers are coarse", near(300, Vec3::new(3e6, -3e6, 1e7), 3.0), 0.5);
    let strays = [1e30, -1e30, 1e20, 1e7].map(|x| Vec3::new(x, 0.0, -x));
    let mut cloud = near(250, Vec3::ZERO, 1.0);
    cloud.extend(strays);
    cloud.extend([strays[0], strays[0], Vec3::splat(1e30), Vec3::splat(1e30)]);
    add("strays", cloud.clone(), 0.3);
    cloud.rotate_left(120);
    add("strays, radius 0", cloud.clone(), 0.0);
    add("strays, tiny radius", cloud, 1e-30);
    add("a cloud of strays", near(120, Vec3::ZERO, 1e30), 1e-3);
    add("a cloud of strays, all near", near(40, Vec3::ZERO, 2e29), 9e29);
    add("a cloud of strays, some near", near(200, Vec3::ZERO, 1e30), 5e29);
    let mut clusters = Vec::new();
    for i in 0..6 {
        clusters.extend(near(40, Vec3::new(0.0, 700.0, -30.0) * (i * i) as f32, 0.3));
    }
    add("clusters", clusters, 0.2);

    // Whole multiples of the least number, and squares that are 0 in `f32`.
    let tiny: Vec<Vec3> = (0..200).map(|_| random.grid_point(9).as_vec3() * 1e-45_f32).collect();
    add("the least numbers", tiny.clone(), 3e-45);
    add("the least numbers, radius 0", tiny, 0.0);
    let small: Vec<Vec3> = (0..300).map(|_| (random.cube_point() * 1e-30).as_vec3()).collect();
    add("squares underflow", small.clone(), 3e-31);
    add("squares underflow, large radius", small, 1e-8);
    let large: Vec<Vec3> = (0..300).map(|_| (random.cube_point() * 1e25).as_vec3()).collect();
    add("squares overflow", large, 3e24);
    // At the border between the arithmetic of lanes and that of single numbers.
    for exponent in [-51, -50, 50, 51] {
        let unit = 2_f32.powi(exponent);
        add("a lattice at a border", cube(5, unit), unit);
    }
    // Distances within a few roundings of the radius.
    let mut shell = vec![Vec3::new(0.3, 0.1, -0.2)];
    for _ in 0..300 {
        let direction = random.cube_point().normalize_or(DVec3::X);
        shell.push((shell[0].as_dvec3() + direction * 0.7).as_vec3());
    }
    add("a sphere around a point", shell, 0.7);
    let whole: Vec<Vec3> = (0..300).map(|_| random.grid_point(8).as_vec3()).collect();
    add("whole numbers", whole, 2.0);
    all
}

/// An axis of a vector.
trait WithAxis {
    /// The vector with another coordinate.
    fn with_axis(self, axis: usize, x: f32) -> Self;
}

impl WithAxis for Vec3 {
    fn with_axis(mut self, axis: usize, x: f32) -> Vec3 {
        self[axis] = x;
        self
    }
}

/// Runs a search over all clouds. `make` builds it from a radius and a limit of pairs. Panics with
/// the cloud if an answer is not that of brute force.
pub fn check<S: NeighbourSearch>(name: &str, make: impl Fn(f32, usize) -> Result<S, NeighbourError>) {
    let mut n_pairs = 0;
    for cloud in clouds(1) {
        let what = format!("{name}, {}", cloud.name);
        let mut search = make(cloud.radius, 1 << 20).expect("the radius is sound");
        assert_eq!((search.radius(), search.n_points()), (cloud.radius, 0), "{what}");
        n_pairs += check_cloud(&mut search, &cloud.points, &what);
        // Runs all points again, then fewer, then all, in the same memory.
        n_pairs += check_cloud(&mut search, &cloud.points, &what);
        n_pairs += check_cloud(&mut search, &cloud.points[cloud.points.len() / 2..], &what);
        let mut turned = cloud.points.clone();
        turned.reverse();
        n_pairs += check_cloud(&mut search, &turned, &what);
        check_limit(&cloud, &what, &make);
    }
    check_refusals(&make);
    assert!(20_000 < n_pairs, "{name}: {n_pairs} pairs");
}

/// Compares the answers to all queries about these points with brute force. Returns the number of
/// pairs.
pub fn check_cloud<S: NeighbourSearch>(search: &mut S, points: &[Vec3], what: &str) -> usize {
    let mut reference = BruteForce::new(search.radius()).expect("the search has a radius");
    reference.set_points(points).expect("points are finite");
    search.set_points(points).expect("points are finite");
    assert_eq!(search.n_points(), points.len(), "{what}");

    // The previous content of the containers must be replaced.
    let (mut pairs, mut expected) = (vec![[7, 7]], Vec::new());
    search.collect_pairs(&mut pairs).expect("below the limit");
    reference.collect_pairs(&mut expected).expect("below the limit");
    pairs.sort_unstable();
    assert_eq!(pairs, expected, "{what}");
    let mut visited = Vec::new();
    search.visit_pairs(&mut |a, b| {
        visited.push([a, b]);
        ControlFlow::Continue(())
    });
    visited.sort_unstable();
    assert_eq!(visited, expected, "{what}");

    let (mut lists, mut all) = (NeighbourLists::default(), NeighbourLists::default());
    search.collect_lists(&mut lists).expect("below the limit");
    reference.collect_lists(&mut all).expect("below the limit");
    assert_eq!((lists.len(), lists.neighbours().len()), (points.len(), 2 * pairs.len()), "{what}");
    check_lists(&mut lists, &all, what);
    let mut n_rows = 0;
    search.visit_lists(&mut |point, row| {
        let mut row = row.to_vec();
        row.sort_unstable();
        assert_eq!(row, lists.of(point), "{what}");
        n_rows += 1;
        ControlFlow::Continue(())
    });
    assert_eq!(n_rows, points.len(), "{what}");
    // The lists are symmetric: each neighbour of a point has the point as its neighbour.
    for (point, row) in lists.iter() {
        assert!(row.iter().all(|&other| lists.of(other).binary_search(&point).is_ok()), "{what}");
    }

    // Another set of points: some of the first set, points beside them, and far points.
    let beside = points.iter().step_by(3).map(|p| *p + Vec3::new(0.7, -0.6, 0.1) * search.radius());
    let beside = beside.filter(|p| p.is_finite());
    let far = [Vec3::splat(-1e30), Vec3::new(1e30, 0.0, 3e29), Vec3::ZERO, Vec3::splat(1e7)];
    let others: Vec<Vec3> = points.iter().step_by(2).copied().chain(beside).chain(far).collect();
    search.collect_lists_between(&others, &mut lists).expect("below the limit");
    reference.collect_lists_between(&others, &mut all).expect("below the limit");
    assert_eq!(lists.len(), others.len(), "{what}");
    check_lists(&mut lists, &all, what);
    let mut near = vec![7];
    for (i, position) in (0..).zip(&others) {
        search.collect_near(*position, &mut near);
        assert_eq!(near, all.of(i), "{what}, near {position}");
    }
    for position in [Vec3::NAN, Vec3::splat(f32::INFINITY), Vec3::new(0.0, f32::NEG_INFINITY, 0.0)] {
        search.collect_near(position, &mut near);
        assert!(near.is_empty(), "{what}, near {position}");
    }
    check_breaks(search, !pairs.is_empty(), points, what);
    pairs.len()
}

fn check_lists(lists: &mut NeighbourLists, expected: &NeighbourLists, what: &str) {
    lists.sort();
    for point in 0..expected.len() as u32 {
        assert_eq!(lists.of(point), expected.of(point), "{what}, point {point}");
    }
    assert!(lists.of(expected.len() as u32).is_empty(), "{what}");
    assert_eq!(lists.offsets().len(), lists.len() + 1, "{what}");
    for ((row, &point), (other, neighbours)) in lists.points().iter().enumerate().zip(lists.iter()) {
        let [from, to] = [0, 1].map(|next| lists.offsets()[row + next]);
        assert_eq!((point, &lists.neighbours()[from..to]), (other, neighbours), "{what}");
    }
}

/// Checks that a visitor that breaks off is not called again.
fn check_breaks<S: NeighbourSearch>(search: &mut S, has_pairs: bool, points: &[Vec3], what: &str) {
    let mut n_calls = [0; 3];
    search.visit_pairs(&mut |_, _| {
        n_calls[0] += 1;
        ControlFlow::Break(())
    });
    search.visit_lists(&mut |_, _| {
        n_calls[1] += 1;
        ControlFlow::Break(())
    });
    if let Some(&first) = points.first() {
        search.visit_near(first, &mut |_| {
            n_calls[2] += 1;
            ControlFlow::Break(())
        });
    }
    let has_points = u32::from(!points.is_empty());
    assert_eq!(n_calls, [u32::from(has_pairs), has_points, has_points], "{what}");
}

/// Checks that an answer of exactly the limit is returned, and a larger one refused.
fn check_limit<S: NeighbourSearch>(
    cloud: &Cloud,
    what: &str,
    make: &impl Fn(f32, usize) -> Result<S, NeighbourError>,
) {
    let (mut pairs, mut lists) = (Vec::new(), NeighbourLists::default());
    let mut search = make(cloud.radius, usize::MAX).expect("the radius is sound");
    search.set_points(&cloud.points).expect("points are finite");
    search.collect_pairs(&mut pairs).expect("there is no limit");
    let n_pairs = pairs.len();
    search.collect_lists_between(&cloud.points, &mut lists).expect("there is no limit");
    let n_between = lists.neighbours().len();
    for (limit, is_enough) in [(n_pairs, true), (n_pairs.wrapping_sub(1), n_pairs == 0)] {
        let mut search = make(cloud.radius, limit).expect("the radius is sound");
        assert_eq!(search.max_pairs(), limit);
        search.set_points(&cloud.points).expect("points are finite");
        let expected = if is_enough { Ok(()) } else { Err(NeighbourError::TooDense { max_pairs: limit }) };
        assert_eq!(search.collect_pairs(&mut pairs), expected, "{what}, limit {limit}");
        assert_eq!(search.collect_lists(&mut lists), expected, "{what}, limit {limit}");
        assert_eq!(pairs.len(), if is_enough { n_pairs } else { 0 }, "{what}");
        assert_eq!(lists.neighbours().len(), 2 * pairs.len(), "{what}");
        assert_eq!(lists.is_empty(), !is_enough || cloud.points.is_empty(), "{what}");
    }
    if 0 < n_between {
        let mut search = make(cloud.radius, n_between - 1).expect("the radius is sound");
        search.set_points(&cloud.points).expect("points are finite");
        let refused = search.collect_lists_between(&cloud.points, &mut lists);
        assert_eq!(refused, Err(NeighbourError::TooDense { max_pairs: n_between - 1 }), "{what}");
        assert!(lists.is_empty(), "{what}");
    }
}

/// Checks that bad radii and points are refused with the first offender, and change nothing.
fn check_refusals<S: NeighbourSearch>(make: &impl Fn(f32, usize) -> Result<S, NeighbourError>) {
    for radius in [-1.0, -1e-45, f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let Err(NeighbourError::BadRadius { radius: named }) = make(radius, 1) else {
            panic!("the radius {radius} was taken")
        };
        assert_eq!(named.to_bits(), radius.to_bits());
    }
    let mut search = make(1.0, 100).expect("the radius is sound");
    search.set_points(&[Vec3::ZERO, Vec3::X]).expect("points are finite");
    let (mut pairs, mut lists) = (Vec::new(), NeighbourLists::default());
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for axis in 0..3 {
            let offender = Vec3::ONE.with_axis(axis, bad);
            let points = [Vec3::ZERO, Vec3::ONE, offender, Vec3::NAN];
            assert_eq!(search.set_points(&points), Err(NeighbourError::NotFinite { point: 2 }));
            let between = search.collect_lists_between(&points, &mut lists);
            assert_eq!(between, Err(NeighbourError::NotFinite { point: 2 }));
            assert!(lists.is_empty());
            search.collect_pairs(&mut pairs).expect("below the limit");
            assert_eq!((search.n_points(), &pairs[..]), (2, &[[0, 1]][..]));
        }
    }
}

/// Checks that answers on two and seven threads equal those on one, bit for bit and in order. The
/// cloud must be large enough for threads.
pub fn check_threads<S: NeighbourSearch>(name: &str, points: &[Vec3], make: impl Fn(usize) -> S + Sync) {
    let with = |n_threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().expect("threads");
        pool.install(|| {
            let mut search = make(usize::MAX);
            search.set_points(points).expect("points are finite");
            let (mut pairs, mut lists, mut between) = Default::default();
            search.collect_pairs(&mut pairs).expect("there is no limit");
            search.collect_lists(&mut lists).expect("there is no limit");
            let others: Vec<Vec3> = points.iter().rev().map(|p| *p * 0.9).collect();
            search.collect_lists_between(&others, &mut between).expect("there is no limit");
            let mut limited = make(pairs.len() - 1);
            limited.set_points(points).expect("points are finite");
            let (mut none, mut no_lists) = (Vec::new(), NeighbourLists::default());
            assert!(limited.collect_pairs(&mut none).is_err() && none.is_empty());
            assert!(limited.collect_lists(&mut no_lists).is_err() && no_lists.is_empty());
            let rows = |lists: &NeighbourLists| -> Vec<(u32, Vec<u32>)> {
                lists.iter().map(|(point, row)| (point, row.to_vec())).collect()
            };
            (pairs.clone(), rows(&lists), rows(&between))
        })
    };
    let one = with(1);
    assert!(10_000 < one.0.len(), "{name}: {} pairs", one.0.len());
    for n_threads in [2, 7] {
        assert!(with(n_threads) == one, "{name}, {n_threads} threads");
    }
}

/// Counts the allocations of all queries about the same points and about others, after warming up.
pub fn check_warm<S: NeighbourSearch>(
    name: &str,
    search: &mut S,
    frames: [&[Vec3]; 2],
    allocations: impl Fn(&mut dyn FnMut()) -> u64,
) {
    let (mut pairs, mut lists, mut near) = (Vec::new(), NeighbourLists::default(), Vec::new());
    let mut step = |frame: usize| {
        search.set_points(frames[frame]).expect("points are finite");
        search.collect_pairs(&mut pairs).expect("below the limit");
        search.collect_lists(&mut lists).expect("below the limit");
        let mut n_found = pairs.len() + lists.neighbours().len();
        search.collect_lists_between(frames[1 - frame], &mut lists).expect("below the limit");
        n_found += lists.neighbours().len();
        search.visit_pairs(&mut |_, _| {
            n_found += 1;
            ControlFlow::Continue(())
        });
        search.visit_lists(&mut |_, row| {
            n_found += row.len();
            ControlFlow::Continue(())
        });
        search.collect_near(frames[frame][0], &mut near);
        assert!(1000 < n_found, "{name}");
    };
    for frame in [0, 1, 0, 1] {
        step(frame);
    }
    for frame in [0, 1, 0] {
        assert_eq!(allocations(&mut || step(frame)), 0, "{name}, frame {frame}");
    }
}
