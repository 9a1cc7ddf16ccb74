//! Points within a radius of each other: lists of all neighbours, and all pairs.
//!
//! - Points are uniform in a cube, about 30 in the sphere of each. A row is one step: new points,
//!   then all lists or all pairs. So builds count.
//! - In the rows `random order` points near in space are anywhere in memory. In the rows `sorted`
//!   they are in the order of the grid's cells, which is not timed.
//! - kiddo is timed with a vector for each point, with a visitor, and for pairs by its join of two
//!   equal trees.
//! - parry and rstar are slower still. At a million points they only run with `--full`.
//!
//! kiddo, rstar and parry decide in `f32`, carom in `f64`. So a pair in ten million may differ.
//!
//! The rows of rain are a step of particles over hills, against the depth image of a camera above.
//! parry casts a ray along each path instead.
//!
//! The rows of cloth are a frame of a second in which a cloth drapes over a ball. They have no
//! peer.
//!
//! The row of liquid is a dam that breaks, in steps of 1/240 s, after its first quarter of a
//! second. salva solves it by DFSPH, with particles in the walls. The compression of the water is
//! printed for both, by carom's density.
//!
//! The row of the surface of a liquid is in `liquid_surface.rs`, those of ropes in `ropes.rs`.
//! They have no peer.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, clippy::expect_used)]

mod cloth;
mod liquid_surface;
mod ropes;

use carom_benches::peers::parry;
use carom_benches::{Answers, Comparison, Row, Runner, Unit};
use carom_bounds::Aabb;
use carom_math::{Pose, Quat};
use carom_neighbours::{
    HierarchicalGrid, NeighbourGrid, NeighbourLists, NeighbourSearch, NeighbourTree, Reach, is_within,
};
use carom_particles::{
    Bounce, Camera, Compression, DepthBuffer, Liquid, ParticleSettings, ParticleSolver, Surface,
};
use carom_scenes::Rng;
use carom_scenes::mesh::terrain;
use glam::Vec3;
use kiddo::leaf_strategies::VecOfArenas;
use kiddo::{Eytzinger, KdTree, SquaredEuclidean};
use parry3d::partitioning::{Bvh, BvhBuildStrategy};
use parry3d::query::RayCast;
use rstar::RTree;
use rstar::primitives::GeomWithData;
use salva3d::LiquidWorld;
use salva3d::kernel::CubicSplineKernel;
use salva3d::object::interaction_groups::InteractionGroups;
use salva3d::object::{Boundary, Fluid};
use salva3d::solver::DFSPHSolver;
use std::cell::RefCell;

/// Points in the sphere around a point.
const NEIGHBOURS: f64 = 30.0;

/// kiddo's tree for points that do not move, in buckets of 64: the fastest here.
type Kiddo = KdTree<f32, u32, Eytzinger, VecOfArenas<f32, u32, 3, 64>, 3, 64>;

/// Rows of a peer.
#[derive(Default)]
struct Lists {
    offsets: Vec<usize>,
    neighbours: Vec<u32>,
}

impl Lists {
    fn clear(&mut self) {
        self.offsets.clear();
        self.offsets.push(0);
        self.neighbours.clear();
    }

    fn end_row(&mut self) {
        self.offsets.push(self.neighbours.len());
    }

    fn row(&self, point: usize) -> Vec<u32> {
        let mut row = self.neighbours[self.offsets[point]..self.offsets[point + 1]].to_vec();
        row.retain(|&other| other != point as u32);
        row.sort_unstable();
        row
    }
}

fn main() {
    let mut runner = Runner::new("particles");
    rain(&mut runner, 100_000);
    cloth::cloth(&mut runner);
    liquid(&mut runner);
    liquid_surface::row(&mut runner);
    ropes::rows(&mut runner);
    for n in [100_000, 1_000_000] {
        if runner.is_quick() && 100_000 < n {
            continue;
        }
        let mut rng = Rng::new(7);
        let points: Vec<Vec3> =
            (0..n).map(|_| Vec3::new(rng.unit() as f32, rng.unit() as f32, rng.unit() as f32)).collect();
        let radius = (NEIGHBOURS / (n as f64 * 4.0 / 3.0 * std::f64::consts::PI)).cbrt() as f32;
        let mut grid = NeighbourGrid::new(radius).expect("a radius");
        grid.set_points(&points).expect("points are finite");
        let sorted: Vec<Vec3> = grid.order().iter().map(|&i| points[i as usize]).collect();
        for (order, points) in [("random order", &points), ("sorted", &sorted)] {
            lists(&mut runner, order, points, radius);
            pairs(&mut runner, order, points, radius);
        }
    }
}

/// A step of rain over hills. The particles are put back before each step, which is timed too.
fn rain(runner: &mut Runner, n: usize) {
    let workload = "rain on a depth buffer";
    if !runner.wants(workload) {
        return;
    }
    const DT: f32 = 1.0 / 60.0;
    const SIDE: u32 = 512;
    let hills = terrain(20.0, 2.0, 180, 3);
    let down = Quat::from_xyzw(-0.5_f32.sqrt(), 0.0, 0.0, 0.5_f32.sqrt());
    let pose = Pose::new(down, Vec3::Y * 20.0);
    let camera = Camera::orthographic(&pose, 16.0, 1.0, 0.1, 40.0).expect("a camera");
    let mut buffer = DepthBuffer::new(camera, SIDE, SIDE).expect("a buffer");
    buffer.draw(&hills.vertices_f32(), &hills.triangles, &Pose::IDENTITY).expect("finite");
    let mut rng = Rng::new(4);
    // From the ground to 8 above it.
    let mut starts = Vec::with_capacity(n);
    for _ in 0..n {
        let [column, row] = [0; 2].map(|_| rng.below(SIDE as usize) as u32);
        let ground = buffer.surface(column, row).expect("the hills fill the picture");
        starts.push(ground + Vec3::Y * (0.01 + 8.0 * rng.unit() as f32));
    }
    let (falls, mut outcomes) = (vec![Vec3::new(0.5, -9.0, 0.2); n], Vec::new());
    let (mut positions, mut velocities) = (starts.clone(), falls.clone());
    let mesh = parry::mesh(&hills.vertices_f32(), &hills.triangles).expect("a mesh");
    let mut n_met = 0;
    let mut cast = || {
        let is_met = |(start, fall): (&Vec3, &Vec3)| {
            let ray = parry3d::query::Ray::new(parry::vector(*start), parry::vector(*fall));
            mesh.cast_local_ray(&ray, DT, true).is_some()
        };
        n_met = starts.iter().zip(&falls).filter(|&path| is_met(path)).count();
        n_met
    };
    let mut step = || {
        positions.copy_from_slice(&starts);
        velocities.copy_from_slice(&falls);
        buffer
            .advance(&mut positions, &mut velocities, DT, &Bounce::default(), &mut outcomes)
            .expect("finite")
    };
    let mut answers = Answers::new();
    // A pixel is flat, so particles that just touch may differ.
    answers.number("particles that bounce", step().n_bounced as f64, cast() as f64, 0.03 * n as f64 / 50.0);
    let row = Row { workload, size: n as u64, unit: Unit::Ms, per_call: 1 };
    let comparison = Comparison::new(answers)
        .entry("carom", || {
            step();
        })
        .entry("parry rays", || {
            cast();
        });
    runner.compare_slow(row, comparison);
}

/// Returns a block of particles at rest beside each other, from a corner on.
fn block(n: [i32; 3], spacing: f32, corner: [i32; 3]) -> Vec<Vec3> {
    let mut positions = Vec::new();
    for y in 0..n[1] {
        for z in 0..n[2] {
            for x in 0..n[0] {
                let at = [corner[0] + x, corner[1] + y, corner[2] + z].map(|i| (i as f32 + 0.5) * spacing);
                positions.push(Vec3::from_array(at));
            }
        }
    }
    positions
}

/// Returns the compression of water with particles at these positions.
fn compression(settings: &ParticleSettings, positions: &[Vec3]) -> Compression {
    let mut solver = ParticleSolver::new(*settings).expect("settings");
    solver.add_liquid(&Liquid::default(), positions).expect("finite");
    solver.compression().expect("not dense")
}

/// A dam that breaks.
fn liquid(runner: &mut Runner) {
    let workload = "liquid, dam break";
    if !runner.wants(workload) {
        return;
    }
    const N: [i32; 3] = [45, 40, 27];
    const LENGTH: i32 = 120;
    const SPACING: f32 = 0.02;
    const DT: f32 = 1.0 / 240.0;
    let n_warm = if runner.is_quick() { 15 } else { 60 };
    let settings = ParticleSettings::new(SPACING / 2.0).with_substeps(1).with_iterations(5);
    let positions = block(N, SPACING, [0; 3]);
    let mut solver = ParticleSolver::new(settings).expect("settings");
    solver.add_liquid(&Liquid::default(), &positions).expect("finite");
    let [length, width] = [LENGTH, N[2]].map(|n| n as f32 * SPACING);
    for (normal, offset) in
        [(Vec3::Y, 0.0), (Vec3::X, 0.0), (Vec3::NEG_X, -length), (Vec3::Z, 0.0), (Vec3::NEG_Z, -width)]
    {
        solver.add_plane(normal, offset, &Surface::default()).expect("a plane");
    }
    let points = |positions: Vec<Vec3>| -> Vec<salva3d::math::Vector<f32>> {
        positions.iter().map(|p| salva3d::math::Vector::new(p.x, p.y, p.z)).collect()
    };
    let mut world =
        LiquidWorld::new(DFSPHSolver::<CubicSplineKernel, CubicSplineKernel>::new(), SPACING / 2.0, 2.0, 1.0);
    let fluid = Fluid::new(points(positions.clone()), SPACING / 2.0, 1000.0, InteractionGroups::all());
    let fluid = world.add_fluid(fluid);
    let mut walls = block([LENGTH + 2, 1, N[2] + 2], SPACING, [-1, -1, -1]);
    for z in [-1, N[2]] {
        walls.extend(block([LENGTH, 60, 1], SPACING, [0, 0, z]));
    }
    for x in [-1, LENGTH] {
        walls.extend(block([1, 60, N[2] + 2], SPACING, [x, 0, -1]));
    }
    world.add_boundary(Boundary::new(points(walls), InteractionGroups::all()));
    let gravity = salva3d::math::Vector::new(0.0, -9.81, 0.0);
    let (ours, theirs) = (RefCell::new(solver), RefCell::new(world));
    let step = || ours.borrow_mut().step(DT).expect("stable");
    let step_salva = || theirs.borrow_mut().step(DT, &gravity);
    for _ in 0..n_warm {
        step();
        step_salva();
    }
    let state = |name: &str| {
        let mut positions = Vec::new();
        if name == "carom" {
            ours.borrow().collect_positions(&mut positions);
        } else {
            let world = theirs.borrow();
            let fluid = world.fluids().get(fluid).expect("it was added");
            positions.extend(fluid.positions.iter().map(|p| Vec3::new(p.x, p.y, p.z)));
        }
        let height = positions.iter().map(|p| p.y).sum::<f32>() / positions.len() as f32;
        (height, compression(&settings, &positions))
    };
    let (height, ours_is) = state("carom");
    let (peer_height, peer_is) = state("salva dfsph");
    let mut answers = Answers::new();
    answers.number("mean height", f64::from(height), f64::from(peer_height), f64::from(2.0 * SPACING));
    answers.number("mean compression is at most 1 %", f64::from(ours_is.mean), 0.0, 0.01);
    let comparison = Comparison::new(answers).entry("carom", step).entry("salva dfsph", step_salva);
    let row =
        Row { workload, size: positions.len() as u64, unit: Unit::Ns, per_call: positions.len() as u64 };
    runner.frames(row, 20, comparison, || {});
    for (name, Compression { mean, worst, .. }) in [("carom", ours_is), ("salva dfsph", peer_is)] {
        println!("    {name}: compression {:.2} % mean, {:.1} % worst", 100.0 * mean, 100.0 * worst);
    }
}

fn kiddo_tree(points: &[Vec3]) -> Kiddo {
    let points: Vec<[f32; 3]> = points.iter().map(|p| p.to_array()).collect();
    Kiddo::new_from_slice(&points).expect("points are finite")
}

fn kiddo_lists(points: &[Vec3], radius: f32, lists: &mut Lists) {
    let tree = kiddo_tree(points);
    lists.clear();
    for p in points {
        let found =
            tree.query(&p.to_array()).within::<SquaredEuclidean<f32>>(radius * radius).unsorted().execute();
        lists.neighbours.extend(found.iter().map(|near| near.item));
        lists.end_row();
    }
}

fn kiddo_visit(points: &[Vec3], radius: f32, lists: &mut Lists) {
    let tree = kiddo_tree(points);
    lists.clear();
    for p in points {
        let (out, position) = (&mut lists.neighbours, p.to_array());
        let query = tree.query(&position).within::<SquaredEuclidean<f32>>(radius * radius);
        query.unsorted().visit(|near| out.push(near.item));
        lists.end_row();
    }
}

fn rstar_lists(points: &[Vec3], radius: f32, lists: &mut Lists) {
    let leaves = (0..).zip(points).map(|(i, p)| GeomWithData::new(p.to_array(), i)).collect();
    let tree: RTree<GeomWithData<[f32; 3], u32>> = RTree::bulk_load(leaves);
    lists.clear();
    for p in points {
        let found = tree.locate_within_distance(p.to_array(), radius * radius);
        lists.neighbours.extend(found.map(|leaf| leaf.data));
        lists.end_row();
    }
}

fn parry_lists(points: &[Vec3], radius: f32, lists: &mut Lists) {
    let boxes: Vec<_> = points.iter().map(|p| parry::aabb(&Aabb::from_point(*p))).collect();
    let tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes);
    lists.clear();
    for p in points {
        let around = parry::aabb(&Aabb { min: *p - radius, max: *p + radius });
        let found = tree.intersect_aabb(&around);
        lists.neighbours.extend(found.filter(|&i| is_within(*p, points[i as usize], radius)));
        lists.end_row();
    }
}

/// Compares some rows, the number of all neighbours, and the number of rows that differ.
fn compare(answers: &mut Answers, what: &str, ours: &NeighbourLists, theirs: &Lists) {
    let n = ours.len();
    let n_theirs = theirs.neighbours.len() - n;
    answers.number(what, ours.neighbours().len() as f64, n_theirs as f64, 1e-6 * n_theirs as f64);
    let mut n_differ = 0;
    for point in (0..n).step_by(97) {
        n_differ += usize::from(ours.of(point as u32) != theirs.row(point));
    }
    answers.number(&format!("{what}, rows"), 0.0, n_differ as f64, 2.0);
}

fn lists(runner: &mut Runner, order: &str, points: &[Vec3], radius: f32) {
    let workload = &format!("lists, {order}");
    if !runner.wants(workload) {
        return;
    }
    let mut grid = NeighbourGrid::new(radius).expect("a radius");
    let mut by_sizes = HierarchicalGrid::new(Reach::Larger);
    let radii = vec![radius; points.len()];
    let mut lists = NeighbourLists::default();
    let mut run_grid = |lists: &mut NeighbourLists| {
        grid.set_points(points).expect("points are finite");
        grid.collect_lists(lists).expect("below the limit");
    };
    let mut run_by_sizes = |lists: &mut NeighbourLists| {
        by_sizes.set_points(points, &radii).expect("points are finite");
        by_sizes.collect_lists(lists).expect("below the limit");
    };
    run_grid(&mut lists);
    lists.sort();
    let has_all = points.len() <= 100_000 || runner.is_full();
    let theirs = RefCell::new(Lists::default());
    let mut answers = Answers::new();
    let mut hierarchical = NeighbourLists::default();
    run_by_sizes(&mut hierarchical);
    hierarchical.sort();
    answers.equal("hierarchical", &lists.of(7), &hierarchical.of(7));
    answers.equal("hierarchical", &lists.neighbours().len(), &hierarchical.neighbours().len());
    kiddo_visit(points, radius, &mut theirs.borrow_mut());
    compare(&mut answers, "kiddo visit", &lists, &theirs.borrow());
    kiddo_lists(points, radius, &mut theirs.borrow_mut());
    compare(&mut answers, "kiddo", &lists, &theirs.borrow());
    if has_all {
        rstar_lists(points, radius, &mut theirs.borrow_mut());
        compare(&mut answers, "rstar", &lists, &theirs.borrow());
        parry_lists(points, radius, &mut theirs.borrow_mut());
        compare(&mut answers, "parry", &lists, &theirs.borrow());
    }
    let mut other_lists = lists.clone();
    let mut comparison = Comparison::new(answers)
        .entry("carom grid", || run_grid(&mut lists))
        .entry("carom hierarchical", || run_by_sizes(&mut other_lists))
        .entry("kiddo", || kiddo_lists(points, radius, &mut theirs.borrow_mut()))
        .entry("kiddo visit", || kiddo_visit(points, radius, &mut theirs.borrow_mut()));
    if has_all {
        comparison = comparison
            .entry("rstar", || rstar_lists(points, radius, &mut theirs.borrow_mut()))
            .entry("parry", || parry_lists(points, radius, &mut theirs.borrow_mut()));
    }
    let row = Row { workload, size: points.len() as u64, unit: Unit::Ms, per_call: 1 };
    runner.compare_slow(row, comparison);
}

fn pairs(runner: &mut Runner, order: &str, points: &[Vec3], radius: f32) {
    let workload = &format!("pairs, {order}");
    if !runner.wants(workload) {
        return;
    }
    let mut grid = NeighbourGrid::new(radius).expect("a radius");
    let mut tree = NeighbourTree::new(radius).expect("a radius");
    let (mut ours, mut of_tree, mut theirs) = (Vec::new(), Vec::new(), Vec::new());
    let mut run_grid = |pairs: &mut Vec<[u32; 2]>| {
        grid.set_points(points).expect("points are finite");
        grid.collect_pairs(pairs).expect("below the limit");
    };
    let mut run_tree = |pairs: &mut Vec<[u32; 2]>| {
        tree.set_points(points).expect("points are finite");
        tree.collect_pairs(pairs).expect("below the limit");
    };
    let join = |pairs: &mut Vec<[u32; 2]>| {
        let (left, right) = (kiddo_tree(points), kiddo_tree(points));
        let query = left.query_tree(&right).within::<SquaredEuclidean<f32>>(radius * radius);
        let found = query.without_distances().execute();
        pairs.clear();
        let once = found.iter().filter(|pair| pair.left_item < pair.right_item);
        pairs.extend(once.map(|pair| [pair.left_item, pair.right_item]));
    };
    run_grid(&mut ours);
    run_tree(&mut of_tree);
    join(&mut theirs);
    let mut answers = Answers::new();
    for (what, pairs, tolerance) in [("tree", &mut of_tree, 0.0), ("kiddo join", &mut theirs, 1e-6)] {
        let n = pairs.len() as f64;
        answers.number(what, ours.len() as f64, n, tolerance * n);
    }
    ours.sort_unstable();
    of_tree.sort_unstable();
    answers.equal("tree", &(ours == of_tree), &true);
    theirs.sort_unstable();
    let n_common = theirs.iter().filter(|pair| ours.binary_search(pair).is_ok()).count();
    answers.number("kiddo join, pairs", theirs.len() as f64, n_common as f64, 1e-6 * n_common as f64);
    let comparison = Comparison::new(answers)
        .entry("carom grid", || run_grid(&mut ours))
        .entry("carom tree", || run_tree(&mut of_tree))
        .entry("kiddo join", || join(&mut theirs));
    let row = Row { workload, size: points.len() as u64, unit: Unit::Ms, per_call: 1 };
    runner.compare_slow(row, comparison);
}
