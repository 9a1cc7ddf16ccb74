//! Tests of points with radii of their own.

use carom_neighbours::{HierarchicalGrid, NeighbourError, NeighbourLists, NeighbourSearch, Reach};
use carom_testkit::conform::neighbour_search;
use carom_testkit::random::Random;
use glam::Vec3;
use std::ops::ControlFlow;

/// A `HierarchicalGrid` with equal radii, so that the suite of searches applies.
struct OneRadius {
    grid: HierarchicalGrid,
    reach: Reach,
    radius: f32,
    max_pairs: usize,
    points: Vec<Vec3>,
}

impl OneRadius {
    fn new(reach: Reach, radius: f32, max_pairs: usize) -> Result<OneRadius, NeighbourError> {
        if !(0.0 <= radius && radius.is_finite()) {
            return Err(NeighbourError::BadRadius { radius });
        }
        let grid = HierarchicalGrid::new(reach).with_max_pairs(max_pairs);
        Ok(OneRadius { grid, reach, radius, max_pairs, points: Vec::new() })
    }

    /// Returns the radii of a point of the set and of another point.
    fn own(&self) -> [f32; 2] {
        if self.reach == Reach::Sum { [self.radius / 2.0, self.radius / 2.0] } else { [self.radius; 2] }
    }
}

impl NeighbourSearch for OneRadius {
    fn radius(&self) -> f32 {
        self.radius
    }

    fn max_pairs(&self) -> usize {
        self.max_pairs
    }

    fn n_points(&self) -> usize {
        self.grid.n_points()
    }

    fn set_points(&mut self, points: &[Vec3]) -> Result<(), NeighbourError> {
        let radii = vec![self.own()[0]; points.len()];
        self.grid.set_points(points, &radii)?;
        self.points = points.to_vec();
        Ok(())
    }

    fn collect_pairs(&mut self, pairs: &mut Vec<[u32; 2]>) -> Result<(), NeighbourError> {
        self.grid.collect_pairs(pairs)
    }

    fn collect_lists(&mut self, lists: &mut NeighbourLists) -> Result<(), NeighbourError> {
        self.grid.collect_lists(lists)
    }

    fn collect_lists_between(
        &mut self,
        others: &[Vec3],
        lists: &mut NeighbourLists,
    ) -> Result<(), NeighbourError> {
        let radii = vec![self.own()[1]; others.len()];
        self.grid.collect_lists_between(others, &radii, lists)
    }

    fn visit_pairs(&mut self, visit: &mut dyn FnMut(u32, u32) -> ControlFlow<()>) {
        self.grid.visit_pairs(visit);
    }

    fn visit_lists(&mut self, visit: &mut dyn FnMut(u32, &[u32]) -> ControlFlow<()>) {
        let mut lists = NeighbourLists::default();
        self.grid.collect_lists(&mut lists).unwrap();
        let _ = lists.iter().try_for_each(|(point, row)| visit(point, row));
    }

    fn visit_near(&self, position: Vec3, visit: &mut dyn FnMut(u32) -> ControlFlow<()>) {
        self.grid.visit_near(position, self.own()[1], visit);
    }
}

#[test]
fn one_radius_gives_the_answers_of_brute_force() {
    neighbour_search::check("larger", |radius, max_pairs| OneRadius::new(Reach::Larger, radius, max_pairs));
    // Half of the least number is 0, so such radii are tested only with `Reach::Larger`.
    for cloud in neighbour_search::clouds(2).into_iter().filter(|cloud| 1e-44 < cloud.radius) {
        let mut search = OneRadius::new(Reach::Sum, cloud.radius, 1 << 20).unwrap();
        neighbour_search::check_cloud(&mut search, &cloud.points, cloud.name);
    }
}

fn distance_sq(a: Vec3, b: Vec3) -> f64 {
    let d = a.as_dvec3() - b.as_dvec3();
    (d.x * d.x + d.y * d.y) + d.z * d.z
}

/// Returns points with radii of any size, some equal or 0.
fn balls(random: &mut Random, n: usize, octaves: usize) -> (Vec<Vec3>, Vec<f32>) {
    let mut radius = || match random.below(8) {
        0 => 0.0,
        1 => 0.25,
        2 => f32::from_bits(random.below(5) as u32),
        _ => (0.4 * random.range(0.5, 1.0)) as f32 * 0.5_f32.powi(random.below(octaves) as i32),
    };
    let radii: Vec<f32> = (0..n).map(|_| radius()).collect();
    let mut points: Vec<Vec3> = (0..n).map(|_| random.cube_point().as_vec3()).collect();
    for _ in 0..n / 5 {
        points[random.below(n)] = points[random.below(n)];
    }
    (points, radii)
}

#[test]
fn radii_of_all_sizes_give_the_answers_of_brute_force() {
    let mut random = Random::new(4);
    let mut n_pairs = 0;
    for reach in [Reach::Sum, Reach::Larger] {
        let mut grid = HierarchicalGrid::new(reach);
        for (n, octaves) in [(0, 1), (1, 1), (2, 3), (300, 1), (300, 6), (400, 30), (200, 120)] {
            let (points, radii) = balls(&mut random, n, octaves);
            let holds = |a: usize, position: Vec3, radius: f32| {
                let reach = reach.of(radii[a], radius);
                distance_sq(points[a], position) <= reach * reach
            };
            let mut expected = Vec::new();
            for a in 0..n {
                expected.extend(
                    (a + 1..n).filter(|&b| holds(a, points[b], radii[b])).map(|b| [a as u32, b as u32]),
                );
            }
            grid.set_points(&points, &radii).unwrap();
            let mut pairs = Vec::new();
            grid.collect_pairs(&mut pairs).unwrap();
            pairs.sort_unstable();
            assert_eq!(pairs, expected, "{reach:?} {n} {octaves}");
            n_pairs += pairs.len();

            let (others, other_radii) = balls(&mut random, 60, octaves);
            let mut lists = NeighbourLists::default();
            grid.collect_lists_between(&others, &other_radii, &mut lists).unwrap();
            lists.sort();
            for (i, (&position, &radius)) in others.iter().zip(&other_radii).enumerate() {
                let expected: Vec<u32> =
                    (0..n).filter(|&a| holds(a, position, radius)).map(|a| a as u32).collect();
                assert_eq!(lists.of(i as u32), expected, "{reach:?} {n} {octaves} {i}");
            }
        }
    }
    assert!(4000 < n_pairs, "{n_pairs}");
}

/// A large ball among many small ones is a pair with each of them.
#[test]
fn a_large_ball_meets_all_small_ones() {
    let mut random = Random::new(9);
    let mut points: Vec<Vec3> = (0..5000).map(|_| random.cube_point().as_vec3()).collect();
    let mut radii = vec![1e-6; points.len()];
    points.push(Vec3::ZERO);
    radii.push(4.0);
    let mut grid = HierarchicalGrid::new(Reach::Sum);
    grid.set_points(&points, &radii).unwrap();
    let mut pairs = Vec::new();
    grid.collect_pairs(&mut pairs).unwrap();
    assert_eq!(pairs.iter().filter(|pair| pair[1] == 5000).count(), 5000);
    let mut n_near = 0;
    grid.visit_near(Vec3::ZERO, 4.0, &mut |_| {
        n_near += 1;
        ControlFlow::Continue(())
    });
    assert_eq!(n_near, 5001);
}

#[test]
fn the_largest_radii_reach_everything() {
    let x = f32::MAX;
    let points = [Vec3::splat(x), Vec3::splat(-x), Vec3::ZERO, Vec3::X * x, Vec3::X * -x];
    let mut pairs = Vec::new();
    for (reach, expected) in [(Reach::Sum, 7), (Reach::Larger, 2)] {
        let mut grid = HierarchicalGrid::new(reach);
        grid.set_points(&points, &[x; 5]).unwrap();
        grid.collect_pairs(&mut pairs).unwrap();
        assert_eq!(pairs.len(), expected, "{reach:?}: {pairs:?}");
        let mut n_near = 0;
        grid.visit_near(Vec3::ZERO, x, &mut |_| {
            n_near += 1;
            ControlFlow::Continue(())
        });
        assert_eq!(n_near, if reach == Reach::Sum { 5 } else { 3 }, "{reach:?}");
    }
}

#[test]
fn refusals_name_the_first_offender_and_change_nothing() {
    let mut grid = HierarchicalGrid::new(Reach::Sum);
    let points = [Vec3::ZERO, Vec3::X, Vec3::Y];
    grid.set_points(&points[..2], &[0.5, 0.5]).unwrap();
    let mut lists = NeighbourLists::default();
    for (points, radii, error) in [
        (&points[..], &[1.0, 1.0][..], NeighbourError::WrongCount { points: 3, radii: 2 }),
        (&points[..], &[1.0, -1.0, -2.0], NeighbourError::BadPointRadius { point: 1 }),
        (&points[..2], &[1.0, f32::INFINITY], NeighbourError::BadPointRadius { point: 1 }),
        (&[Vec3::ZERO, Vec3::NAN], &[1.0, 1.0], NeighbourError::NotFinite { point: 1 }),
    ] {
        assert_eq!(grid.set_points(points, radii), Err(error));
        assert_eq!(grid.collect_lists_between(points, radii, &mut lists), Err(error));
    }
    let mut pairs = Vec::new();
    grid.collect_pairs(&mut pairs).unwrap();
    assert_eq!((grid.n_points(), pairs), (2, vec![[0, 1]]));
    for (position, radius) in [(Vec3::NAN, 1.0), (Vec3::ZERO, -1.0), (Vec3::ZERO, f32::NAN)] {
        grid.visit_near(position, radius, &mut |_| panic!("nothing is near"));
    }
}
