//! Distance fields: a torus baked in a band, near the surface alone, and at all nodes; samples in a
//! batch.
//!
//! - `band N` is a bake within three cells of a grid of N cells along each axis: dense, sparse.
//! - `all nodes` is a bake at all nodes of 64 cells along each axis. The peer is the projection
//!   onto a mesh of parry from each node, which gives the distance without a sign.
//! - `sample N` is distance and gradient of points near the surface: a batch, and one by one.
//! - `drops in a field` is a step of particles that bounce off a field.
//! - The other rows are in `sdf/pairs.rs`: a field against bodies and rays.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, clippy::expect_used)]

#[path = "sdf/pairs.rs"]
mod pairs;

use carom_benches::peers::parry;
use carom_benches::{Answers, Comparison, Row, Runner, Unit};
use carom_geom::TriMesh;
use carom_particles::{Bounce, advance_in_field};
use carom_scenes::Rng;
use carom_scenes::mesh::torus;
use carom_sdf::{BakeSettings, Field, Grid, Sample, SdfGrid, SparseSdf};
use glam::{DVec3, IVec3, UVec3, Vec3};
use parry3d::query::{PointQuery, RayCast as _};
use std::hint::black_box;

/// Tolerance of distances in `f32`, relative to the size of the torus.
const ROUNDED: f64 = 1e-5;

fn main() {
    let mut runner = Runner::new("sdf");
    let ring = torus(1.0, 0.4, 69_696);
    let mesh = TriMesh::new(ring.vertices_f32(), ring.triangles).expect("a torus is a mesh");
    for n in [128, 256] {
        band(&mut runner, &mesh, n);
        sample(&mut runner, &mesh, n);
    }
    all_nodes(&mut runner, &mesh);
    particles(&mut runner, &mesh);
    pairs::pairs(&mut runner, &mesh);
}

/// Cells along each axis around the torus.
fn settings(n: u32) -> BakeSettings {
    let cell = (2.9 / n as f32 * 4096.0).ceil() / 4096.0;
    let grid = Grid::new(cell, IVec3::splat(-(n as i32) / 2), UVec3::splat(n)).expect("the grid is small");
    BakeSettings::default().with_grid(grid)
}

fn band(runner: &mut Runner, mesh: &TriMesh, n: u32) {
    let workload = format!("band {n}");
    if !runner.wants(&workload) {
        return;
    }
    let settings = settings(n).with_band(3.0);
    let dense = || SdfGrid::from_mesh(mesh, &settings).expect("the torus is in the grid");
    let sparse = || SparseSdf::from_mesh(mesh, &settings).expect("the torus is in the grid");
    let (one, two) = (dense(), sparse());
    let nodes = one.grid().nodes();
    let mut answers = Answers::new();
    for node in (0..nodes.element_product()).step_by(97) {
        let node = UVec3::new(node % nodes.x, node / nodes.x % nodes.y, node / (nodes.x * nodes.y));
        answers.number("value", f64::from(one.value(node)), f64::from(two.value(node)), 0.0);
    }
    let row = Row { workload: &workload, size: mesh.n_triangles() as u64, unit: Unit::Ms, per_call: 1 };
    let comparison = Comparison::new(answers)
        .entry("carom", || drop(black_box(dense())))
        .entry("carom sparse", || drop(black_box(sparse())));
    runner.compare_slow(row, comparison);
}

fn sample(runner: &mut Runner, mesh: &TriMesh, n: u32) {
    let workload = format!("sample {n}");
    if !runner.wants(&workload) {
        return;
    }
    let settings = settings(n).with_band(3.0);
    let dense = SdfGrid::from_mesh(mesh, &settings).expect("the torus is in the grid");
    let sparse = SparseSdf::from_mesh(mesh, &settings).expect("the torus is in the grid");
    let mut rng = Rng::new(3);
    // Points near the surface, in the order of the vertices, like sorted particles.
    let points: Vec<Vec3> = (0..200_000)
        .map(|i| mesh.vertices()[i % mesh.vertices().len()] * (1.0 + 0.01 * rng.unit() as f32))
        .collect();
    let (mut one, mut two) = (Vec::new(), Vec::new());
    dense.sample_batch(&points, &mut one);
    sparse.sample_batch(&points, &mut two);
    let mut answers = Answers::new();
    for (i, point) in points.iter().enumerate() {
        answers.equal("sample", &(one[i], two[i]), &(dense.sample(*point), one[i]));
    }
    let row =
        Row { workload: &workload, size: points.len() as u64, unit: Unit::Ns, per_call: points.len() as u64 };
    let mut single: Vec<Sample> = Vec::new();
    let comparison = Comparison::new(answers)
        .entry("carom", || dense.sample_batch(&points, &mut one))
        .entry("carom sparse", || sparse.sample_batch(&points, &mut two))
        .entry("carom one by one", || {
            single.clear();
            single.extend(points.iter().map(|point| dense.sample(*point)));
        });
    runner.compare_slow(row, comparison);
}

fn all_nodes(runner: &mut Runner, mesh: &TriMesh) {
    if !runner.wants("all nodes") {
        return;
    }
    let settings = settings(64);
    let bake = || SdfGrid::from_mesh(mesh, &settings).expect("the torus is in the grid");
    let theirs = parry3d::shape::TriMesh::new(
        mesh.vertices().iter().map(|v| parry::vector(*v)).collect(),
        mesh.indices().to_vec(),
    )
    .expect("a torus is a mesh");
    let field = bake();
    let nodes = field.grid().nodes();
    let positions: Vec<_> = (0..nodes.element_product())
        .map(|node| UVec3::new(node % nodes.x, node / nodes.x % nodes.y, node / (nodes.x * nodes.y)))
        .map(|node| parry::vector(field.grid().node(node).as_vec3()))
        .collect();
    let mut answers = Answers::new();
    for (position, value) in positions.iter().zip(field.values()).step_by(31) {
        let found = (theirs.project_local_point(*position, false).point - *position).length();
        answers.number("distance", f64::from(value.abs()), f64::from(found), ROUNDED);
    }
    let row = Row {
        workload: "all nodes",
        size: positions.len() as u64,
        unit: Unit::Ns,
        per_call: positions.len() as u64,
    };
    let comparison =
        Comparison::new(answers).entry("carom", || drop(black_box(bake()))).entry("parry", || {
            for position in &positions {
                black_box(theirs.project_local_point(*position, false));
            }
        });
    runner.compare_slow(row, comparison);
}

/// A step of drops around a torus that may bounce off its field. parry casts a ray along each
/// path, without a bounce. The drops are put back before each step, which is timed too.
fn particles(runner: &mut Runner, mesh: &TriMesh) {
    let workload = "drops in a field";
    if !runner.wants(workload) {
        return;
    }
    const DT: f32 = 1.0 / 60.0;
    const RADIUS: f32 = 0.002;
    let field = SdfGrid::from_mesh(mesh, &settings(64)).expect("the torus is in the grid");
    let theirs = parry::mesh(mesh.vertices(), mesh.indices()).expect("a torus is a mesh");
    let mut rng = Rng::new(6);
    // Outside, by the field: nearer to the surface than a step, or far from it.
    let starts: Vec<Vec3> =
        core::iter::repeat_with(|| rng.in_box(DVec3::splat(-1.3), DVec3::splat(1.3)).as_vec3())
            .filter(|p| 0.03 < field.sample(*p).distance)
            .take(100_000)
            .collect();
    let falls: Vec<Vec3> = starts.iter().map(|_| (rng.direction() * 9.0).as_vec3()).collect();
    let (mut positions, mut velocities, mut outcomes) = (starts.clone(), falls.clone(), Vec::new());
    let at = |p: Vec3| {
        let Sample { distance, gradient, .. } = field.sample(p);
        (distance, gradient.normalize_or(Vec3::Y))
    };
    let mut step = || {
        positions.copy_from_slice(&starts);
        velocities.copy_from_slice(&falls);
        advance_in_field(at, RADIUS, &mut positions, &mut velocities, DT, &Bounce::default(), &mut outcomes)
            .expect("finite")
            .n_bounced
    };
    let cast = || {
        let is_met = |(start, fall): (&Vec3, &Vec3)| {
            let ray = parry3d::query::Ray::new(parry::vector(*start), parry::vector(*fall));
            theirs.cast_local_ray(&ray, DT, true).is_some()
        };
        starts.iter().zip(&falls).filter(|&path| is_met(path)).count()
    };
    let mut answers = Answers::new();
    let (ours, rays) = (step() as f64, cast() as f64);
    // Drops have a radius and rays have none, so more drops bounce at a grazing angle.
    answers.number("drops that bounce", ours, rays, 0.05 * rays);
    println!("    {ours} drops bounce, {rays} rays meet the mesh");
    let row = Row { workload, size: starts.len() as u64, unit: Unit::Ns, per_call: starts.len() as u64 };
    let comparison = Comparison::new(answers)
        .entry("carom", || _ = black_box(step()))
        .entry("parry rays", || _ = black_box(cast()));
    runner.compare_slow(row, comparison);
}
