//! A mesh in fewer triangles, and in hulls: carom's decomposition and parry's (V-HACD), on the same
//! meshes; and distances by a level of detail.
//!
//! Hulls must contain the mesh: a point of its surface in no hull counts as a difference.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, clippy::expect_used)]

use carom_benches::peers::parry;
use carom_benches::{Answers, Comparison, Row, Runner, Unit};
use carom_geom::{ConvexHull, TriMesh};
use carom_math::Pose;
use carom_query::{MeshShape, Shape, Workspace, distance_with};
use carom_scenes::Rng;
use carom_scenes::mesh::{Gear, Knot, MeshData, bumpy_icosphere, gear, torus, torus_knot};
use carom_simplify::{DecomposeSettings, Side, SimplifySettings, decompose, simplify};
use carom_world::{DetailLevels, allowed_error};
use glam::Vec3;
use parry3d::shape::ConvexPolyhedron;
use parry3d::transformation::vhacd::{VHACD, VHACDParameters};
use std::cell::RefCell;
use std::hint::black_box;
use std::sync::Arc;

fn main() {
    let mut runner = Runner::new("simplify");
    let n = if runner.is_quick() { 1000 } else { 4000 };
    for (name, data) in [
        ("torus", torus(1.0, 0.3, n)),
        ("knot", torus_knot(&Knot::new(2, 3), n)),
        ("gear", gear(&Gear::new(16, 0.1))),
        ("bumpy ball", bumpy_icosphere(n, 0.2, 5)),
    ] {
        let mesh = TriMesh::new(data.vertices_f32(), data.triangles.clone()).expect("scenes are meshes");
        coarser(&mut runner, name, &mesh);
        hulls(&mut runner, name, &mesh, &data);
        levels(&mut runner, name, &mesh);
    }
}

/// A mesh with a tenth of the triangles; there is no peer.
fn coarser(runner: &mut Runner, name: &str, mesh: &TriMesh) {
    for (what, side) in [("simplify", Side::Either), ("simplify, outside", Side::Outside)] {
        let workload = format!("{what}, {name}");
        if !runner.wants(&workload) {
            continue;
        }
        let settings =
            SimplifySettings::default().with_max_triangles(mesh.n_triangles() / 10).with_side(side);
        let work = || simplify(mesh, &settings).expect("a scene can be simplified");
        let coarse = work();
        println!("{workload}: {} triangles, error at most {:.4}", coarse.mesh.n_triangles(), coarse.error());
        let row = Row { workload: &workload, size: mesh.n_triangles() as u64, unit: Unit::Ms, per_call: 1 };
        runner.compare_slow(row, Comparison::new(Answers::new()).entry("carom", || drop(black_box(work()))));
    }
}

fn hulls(runner: &mut Runner, name: &str, mesh: &TriMesh, data: &MeshData) {
    let workload = format!("decompose, {name}");
    if !runner.wants(&workload) {
        return;
    }
    let settings = DecomposeSettings::default().with_max_hulls(32);
    let ours = || decompose(mesh, &settings).expect("a scene can be decomposed").hulls;
    let vertices: Vec<_> = data.vertices_f32().iter().map(|&p| parry::vector(p)).collect();
    let parameters = VHACDParameters { max_convex_hulls: 32, ..VHACDParameters::default() };
    let theirs = || {
        VHACD::decompose(&parameters, &vertices, &data.triangles, true)
            .compute_exact_convex_hulls(&vertices, &data.triangles)
    };
    let (hulls, peers) = (ours(), theirs());
    let n_peers = peers.len();
    let peers: Vec<ConvexPolyhedron> =
        peers.into_iter().filter_map(|(points, _)| ConvexPolyhedron::from_convex_hull(&points)).collect();
    // The centres of triangles, a little inside their hulls. A larger error is outside.
    let slack = 1e-5 * mesh.vertices().iter().fold(0.0_f32, |most, v| most.max(v.length()));
    let mut answers = Answers::new();
    for (i, [a, b, c]) in mesh.iter_corners().enumerate() {
        let middle = ((a + b + c) / 3.0).as_vec3();
        answers.equal(&format!("middle of triangle {i} is held"), &held(&hulls, middle, slack), &{
            use parry3d::query::PointQuery as _;
            let p = parry::vector(middle);
            peers.iter().any(|hull| hull.distance_to_local_point(p, true) <= slack)
        });
    }
    println!("{workload}: {} hulls, parry {n_peers}; parry leaves out {}", hulls.len(), answers.differ);
    let row = Row { workload: &workload, size: mesh.n_triangles() as u64, unit: Unit::Ms, per_call: 1 };
    let comparison = Comparison::new(answers)
        .entry("carom", || drop(black_box(ours())))
        .entry("parry", || drop(black_box(theirs())));
    runner.compare_slow(row, comparison);
}

/// Distances of two such bodies far from a viewer, with an allowed error of 0.05: by the level of
/// detail that fits, and by the exact shapes.
fn levels(runner: &mut Runner, name: &str, mesh: &TriMesh) {
    let workload = format!("distance by level of detail, {name}");
    if !runner.wants(&workload) {
        return;
    }
    let shape = |mesh: &TriMesh| {
        Shape::Mesh(Arc::new(MeshShape::new(mesh.clone()).expect("a scene's mesh has a tree")))
    };
    let mut levels = DetailLevels::new(shape(mesh));
    let mut last = 0.0;
    for part in [4, 16, 64] {
        let settings = SimplifySettings::default().with_max_triangles(mesh.n_triangles() / part);
        let coarse = simplify(mesh, &settings).expect("a scene can be simplified");
        // Errors ascend.
        last = (coarse.error() as f32).next_up().max(last);
        levels = levels.with_level(shape(&coarse.mesh), last).expect("an error");
    }
    // 25 m away, under an angle of two milliradians.
    let level = levels.level(allowed_error(25.0, 0.002), 0);
    let (exact, coarse, error) = (levels.shape(0), levels.shape(level), levels.error(level));
    println!("{workload}: level {level}, error at most {error:.4}");
    let mut rng = Rng::new(9);
    let poses: Vec<Pose> = (0..32)
        .map(|_| {
            let position = rng.direction() * rng.range(2.6, 4.0);
            Pose::new(rng.rotation().as_quat(), position.as_vec3())
        })
        .collect();
    let memory = RefCell::new(Workspace::default());
    let distance = |shape: &Shape, pose: &Pose| {
        distance_with(shape, &Pose::IDENTITY, shape, pose, &mut memory.borrow_mut()).distance
    };
    let mut answers = Answers::new();
    for (i, pose) in poses.iter().enumerate() {
        let (ours, exact) = (distance(coarse, pose), distance(exact, pose));
        answers.number(
            &format!("{workload}, pose {i}"),
            ours.into(),
            exact.into(),
            f64::from(2.0 * error) + 1e-5,
        );
    }
    let row = Row {
        workload: &workload,
        size: mesh.n_triangles() as u64,
        unit: Unit::Us,
        per_call: poses.len() as u64,
    };
    let all = |shape: &Shape| {
        for pose in &poses {
            black_box(distance(shape, pose));
        }
    };
    let comparison = Comparison::new(answers)
        .entry("carom, the level", || all(coarse))
        .entry("carom, exact", || all(exact));
    runner.compare(row, comparison);
}

fn held(hulls: &[ConvexHull], point: Vec3, slack: f32) -> bool {
    let is_held = hulls.iter().any(|hull| hull.project_point(point).distance <= slack);
    assert!(is_held, "carom leaves out {point}");
    is_held
}
