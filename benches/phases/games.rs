//! Scenes of games: bodies of all shapes on a terrain, ragdolls, knots, a pile, a clock; and the
//! time to build the mesh of a terrain. Nothing sleeps.
//!
//! Other rows that matter to games are in other phases: `cliffs/added` (the first update of many
//! bodies), `distance` (hulls by carom-gjk alone), `manifold/box-box`, `trees/rays`.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, clippy::expect_used)]

use carom_benches::peers::parry;
use carom_benches::peers::rapier::Scene;
use carom_benches::{Answers, Comparison, Row, Runner, Times, Unit, pile as fill};
use carom_geom::TriMesh;
use carom_math::{Interval, Ray};
use carom_query::{MeshShape, Shape, cast_ray};
use carom_scenes::mesh::{Knot, MeshData, terrain, torus_knot};
use carom_scenes::{
    BodySpec, MOVEMENT_BODIES, MOVEMENT_GEARS, Rng, SceneSpec, ShapeSpec, bench_pile, clockwork, hull_points,
    push_ragdoll,
};
use carom_world::SolverSettings;
use glam::{DVec3, Quat, Vec3};
use parry3d::query::RayCast;
use std::cell::RefCell;
use std::sync::Arc;

/// The time step, in seconds.
const STEP: f32 = 1.0 / 60.0;

/// The kinds of bodies; the last is all kinds in turn.
const KINDS: [&str; 6] = ["balls", "capsules", "hulls", "boxes", "compounds", "mixed bodies"];

/// The index of the kind that is all kinds in turn.
const MIXED: usize = 5;

/// Distance between two bodies over a terrain at the start.
const SPACING: f64 = 1.6;

fn main() {
    let mut runner = Runner::new("games");
    // A quick run makes a quarter of the steps.
    let (n, cells) = if runner.is_quick() { (200, 32) } else { (2000, 224) };
    let ground = Ground::new(n, cells);
    for kind in [MIXED, 0, 1, 2, 3, 4] {
        let workload = format!("{} on a terrain", KINDS[kind]);
        if runner.wants(&workload) {
            let steps = if kind == MIXED { 600 } else { 200 };
            run(&mut runner, &workload, &ground.with_bodies(n, kind), steps);
        }
    }
    let (n_dolls, n_knots, n_triangles, n_boxes) =
        if runner.is_quick() { (10, 12, 200, 200) } else { (100, 200, 2000, 1000) };
    if runner.wants("ragdolls") {
        run(&mut runner, "ragdolls", &ragdolls(n_dolls), 200);
    }
    if runner.wants("knots in a box") {
        run(&mut runner, "knots in a box", &knots(n_knots, n_triangles), 300);
    }
    if runner.wants("pile") {
        run(&mut runner, "pile", &bench_pile(n_boxes, 7), 300);
    }
    if runner.wants("waves") {
        run_waves(&mut runner, &ground.with_bodies(n / 2, MIXED));
    }
    if runner.wants("mesh built") {
        for cells in if runner.is_quick() { [32, 64] } else { [224, 707] } {
            run_building(&mut runner, &terrain(400.0, 20.0, cells, 3));
        }
    }
    if runner.wants("clock") {
        let n_arbors = if runner.is_quick() { 6 } else { 60 };
        run_clock(&mut runner, n_arbors);
    }
}

/// Movements with mainsprings, gears as meshes and escapements, by carom alone: rapier has no
/// contacts of two meshes that move, and its joints count no turns.
fn run_clock(runner: &mut Runner, n_movements: usize) {
    let (world, bodies) = fill(&clockwork(n_movements), SolverSettings::default().with_sleep(false));
    let mut answers = Answers::new();
    answers.equal("bodies", &bodies.len(), &(n_movements * MOVEMENT_BODIES));
    let joints: Vec<_> = world.joints().map(|joint| joint.id()).collect();
    let world = RefCell::new(world);
    let (narrow, n_steps) = (RefCell::new(0.0), RefCell::new(0u32));
    let row = Row { workload: "clock", size: bodies.len() as u64, unit: Unit::Ms, per_call: 1 };
    let comparison = Comparison::new(answers).entry("carom", || {
        if let Ok(stats) = world.borrow_mut().step(STEP) {
            *narrow.borrow_mut() += stats.times.narrow;
            *n_steps.borrow_mut() += 1;
        }
    });
    runner.frames(row, 300, comparison.all_frames(), || {});
    let (world, n_steps) = (world.into_inner(), n_steps.into_inner().max(1));
    let turned = |id| world.joint(id).ok().and_then(|joint| joint.angle()).map_or(f64::NAN, f64::abs);
    let barrels = joints.iter().step_by(MOVEMENT_BODIES).map(|&id| turned(id));
    println!(
        "    {} gears, {} pairs of boxes, contacts {:.2} ms a step; a barrel turned by {:.3} radians in {n_steps} steps",
        n_movements * MOVEMENT_GEARS,
        world.stats().n_pairs,
        narrow.into_inner() * 1e3 / f64::from(n_steps),
        barrels.sum::<f64>() / n_movements as f64
    );
}

/// Builds the shape of a mesh from its vertices and triangles, for casts and contacts. Rays must
/// hit both meshes at the same places.
fn run_building(runner: &mut Runner, data: &MeshData) {
    let (vertices, triangles) = (data.vertices_f32(), &data.triangles);
    let ours = || {
        let mesh = TriMesh::new(vertices.clone(), triangles.clone()).expect("a terrain is a mesh");
        Shape::Mesh(Arc::new(MeshShape::new(mesh).expect("a terrain has a tree")))
    };
    let theirs = || parry::mesh(&vertices, triangles).expect("parry takes the mesh");
    let (own, other) = (ours(), theirs());
    let mut answers = Answers::new();
    let mut rng = Rng::new(13);
    for i in 0..1000 {
        let (x, z) = (rng.range(-190.0, 190.0) as f32, rng.range(-190.0, 190.0) as f32);
        let ray = Ray::new(Vec3::new(x, 100.0, z), Vec3::NEG_Y);
        let pose = carom_math::Pose::IDENTITY;
        let hit = cast_ray(&own, &pose, &ray, Interval::FORWARD).map_or(f32::NAN, |hit| hit.t);
        let their = parry3d::query::Ray::new(parry::vector(ray.origin), parry::vector(ray.direction));
        let their = other.cast_local_ray(&their, f32::MAX, true).unwrap_or(f32::NAN);
        answers.number(&format!("ray {i}"), f64::from(hit), f64::from(their), 1e-3);
    }
    let row = Row { workload: "mesh built", size: triangles.len() as u64, unit: Unit::Ms, per_call: 1 };
    let comparison = Comparison::new(answers)
        .entry("carom", || _ = std::hint::black_box(ours()))
        .entry("parry", || _ = std::hint::black_box(theirs()));
    runner.compare_slow(row, comparison);
}

/// Bodies on hills whose vertices move in each step, by carom alone: rapier has no deforming
/// meshes. In a further entry the mesh is rebuilt in each step, and has no velocity.
fn run_waves(runner: &mut Runner, scene: &SceneSpec) {
    let settings = SolverSettings::default().with_sleep(false);
    let worlds = [fill(scene, settings), fill(scene, settings)];
    let mut answers = Answers::new();
    answers.equal("bodies", &worlds[0].1.len(), &scene.bodies.len());
    // The ground is the first body of a scene.
    let grounds = [worlds[0].1[0], worlds[1].1[0]];
    let Ok(Shape::Mesh(rest)) = worlds[0].0.body(grounds[0]).map(|body| body.shape()).cloned() else {
        return;
    };
    let vertices = rest.mesh().vertices();
    let wave_at = |step: u32| -> Vec<Vec3> {
        let seconds = STEP * step as f32;
        let height = |p: &Vec3| {
            0.3 * carom_math::ops::sin_cos(f64::from(0.9 * p.x + 0.4 * p.z - 3.0 * seconds)).0 as f32
        };
        vertices.iter().map(|p| *p + Vec3::Y * height(p)).collect()
    };
    let [refitted, rebuilt] = worlds.map(|(world, _)| RefCell::new(world));
    let counts = [RefCell::new(0u32), RefCell::new(0u32)];
    let deforming = RefCell::new(0.0);
    let next = |count: &RefCell<u32>| {
        *count.borrow_mut() += 1;
        wave_at(*count.borrow())
    };
    let row = Row { workload: "waves", size: scene.bodies.len() as u64, unit: Unit::Ms, per_call: 1 };
    let comparison = Comparison::new(answers)
        .entry("carom", || {
            let (positions, mut world) = (next(&counts[0]), refitted.borrow_mut());
            let start = std::time::Instant::now();
            let deformed =
                world.body_mut(grounds[0]).and_then(|mut body| body.deform(&positions).map(|_| ()));
            *deforming.borrow_mut() += start.elapsed().as_secs_f64();
            let _ = (deformed, world.step(STEP).is_ok());
        })
        .entry("carom (mesh built anew)", || {
            let (positions, mut world) = (next(&counts[1]), rebuilt.borrow_mut());
            let mesh = TriMesh::new(positions, rest.mesh().indices().to_vec());
            if let Some(mesh) = mesh.ok().and_then(|mesh| MeshShape::new(mesh).ok()) {
                let _ = (
                    world
                        .body_mut(grounds[1])
                        .and_then(|mut body| body.set_shape(Shape::Mesh(Arc::new(mesh))).map(|_| ())),
                    world.step(STEP).is_ok(),
                );
            }
        });
    runner.frames(row, 200, comparison.all_frames(), || {});
    println!(
        "    {} triangles; to deform them took {:.2} ms a step",
        rest.mesh().n_triangles(),
        deforming.into_inner() * 1e3 / f64::from((*counts[0].borrow()).max(1)),
    );
}

/// Hills that rise at their rim, so that no body leaves them.
struct Ground {
    mesh: MeshData,
    size: f64,
    cells: usize,
}

impl Ground {
    /// Returns hills for `n` bodies, with 2 `cells`^2 triangles.
    fn new(n: usize, cells: usize) -> Ground {
        let size = SPACING * (n as f64).sqrt().ceil() + 28.0;
        let mut mesh = terrain(size, 0.08 * size, cells, 3);
        for vertex in &mut mesh.vertices {
            let outside = vertex.x.abs().max(vertex.z.abs()) - 0.5 * size + 10.0;
            vertex.y += outside.max(0.0);
        }
        Ground { mesh, size, cells }
    }

    /// Returns the greatest height in the cells around a place.
    fn height(&self, x: f64, z: f64) -> f64 {
        let cell = |v: f64| ((v / self.size + 0.5) * self.cells as f64) as usize;
        let reach = 1 + self.cells / 64;
        let around = |v: f64| cell(v).saturating_sub(reach)..=(cell(v) + reach).min(self.cells);
        let heights =
            around(z).flat_map(|k| around(x).map(move |i| self.mesh.vertices[k * (self.cells + 1) + i].y));
        heights.fold(f64::NEG_INFINITY, f64::max)
    }

    /// Returns the hills with `n` bodies of a kind over them.
    fn with_bodies(&self, n: usize, kind: usize) -> SceneSpec {
        let mut rng = Rng::new(5);
        let mut scene = SceneSpec::default();
        scene.bodies.push(BodySpec::fixed(mesh(&self.mesh), carom_math::Pose::IDENTITY));
        let row = (n as f64).sqrt().ceil() as usize;
        let at = |i: usize| (i as f64 - 0.5 * (row as f64 - 1.0)) * SPACING;
        for i in 0..n {
            let (x, z) = (at(i % row), at(i / row));
            let position = DVec3::new(x, self.height(x, z) + rng.range(0.8, 2.5), z);
            let pose = carom_math::Pose::new(rng.rotation().as_quat(), position.as_vec3());
            let kind = if kind == MIXED { i % MIXED } else { kind };
            scene.bodies.push(BodySpec::new(shape(kind, &mut rng), pose));
        }
        scene
    }
}

/// Returns a shape of a kind, about a metre large.
fn shape(kind: usize, rng: &mut Rng) -> ShapeSpec {
    let mut length = |low: f64, high: f64| rng.range(low, high) as f32;
    match kind {
        0 => ShapeSpec::Sphere { radius: length(0.25, 0.5) },
        1 => ShapeSpec::Capsule { half_height: length(0.15, 0.4), radius: length(0.15, 0.25) },
        2 => {
            let radii = rng.in_box(DVec3::splat(0.25), DVec3::splat(0.55));
            let points = hull_points(16, radii, rng);
            ShapeSpec::Hull { points: points.iter().map(|point| point.as_vec3()).collect() }
        }
        3 => ShapeSpec::Cuboid { half_extents: rng.in_box(DVec3::splat(0.2), DVec3::splat(0.45)).as_vec3() },
        // A table of a plate and two legs.
        _ => {
            let part = |at: Vec3, half_extents: Vec3| {
                (carom_math::Pose::from_translation(at), ShapeSpec::Cuboid { half_extents })
            };
            let width = length(0.3, 0.5);
            let leg = Vec3::new(0.08, 0.25, 0.25);
            let parts = vec![
                part(Vec3::ZERO, Vec3::new(width, 0.08, 0.3)),
                part(Vec3::new(0.08 - width, -0.33, 0.0), leg),
                part(Vec3::new(width - 0.08, -0.33, 0.0), leg),
            ];
            ShapeSpec::Compound { parts }
        }
    }
}

fn mesh(mesh: &MeshData) -> ShapeSpec {
    ShapeSpec::Mesh { vertices: mesh.vertices_f32(), triangles: mesh.triangles.clone() }
}

/// Returns ragdolls at random places above a floor, which fall on it and on each other.
fn ragdolls(n: usize) -> SceneSpec {
    let mut rng = Rng::new(9);
    let mut scene = SceneSpec::default();
    let floor = ShapeSpec::HalfSpace { normal: Vec3::Y };
    scene.bodies.push(BodySpec::fixed(floor, carom_math::Pose::IDENTITY));
    let row = (n as f64).sqrt().ceil() as usize;
    for i in 0..n {
        let at = |i: usize| (i as f64 - 0.5 * (row as f64 - 1.0)) * 1.9;
        let position = DVec3::new(at(i % row), rng.range(1.2, 4.0), at(i / row));
        let pose = carom_math::Pose::new(rng.rotation().as_quat(), position.as_vec3());
        push_ragdoll(&mut scene, &pose, 1.0, i as u32 + 1);
    }
    scene
}

/// Returns knots of triangles in layers above a floor between four walls.
fn knots(n: usize, n_triangles: usize) -> SceneSpec {
    let mut rng = Rng::new(11);
    let mut scene = SceneSpec::default();
    let knot = mesh(&torus_knot(&Knot::default(), n_triangles));
    let row = ((n as f64 / 8.0).sqrt().ceil() as usize).max(2);
    let spacing = 2.1;
    let half_width = (0.5 * spacing * row as f64) as f32;
    for normal in [Vec3::Y, Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z] {
        let back = if normal == Vec3::Y { 0.0 } else { half_width };
        let pose = carom_math::Pose::new(Quat::IDENTITY, normal * -back);
        scene.bodies.push(BodySpec::fixed(ShapeSpec::HalfSpace { normal }, pose));
    }
    for i in 0..n {
        let (layer, in_layer) = (i / (row * row), i % (row * row));
        let at = |i: usize| (i as f64 - 0.5 * (row as f64 - 1.0)) * spacing;
        let height = 1.1 + spacing * layer as f64;
        let position = DVec3::new(at(in_layer % row), height, at(in_layer / row));
        let pose = carom_math::Pose::new(rng.rotation().as_quat(), position.as_vec3());
        scene.bodies.push(BodySpec::new(knot.clone(), pose));
    }
    scene
}

/// Relative tolerance of masses: convex hulls may leave out points that are nearly in a plane.
const MASS_TOLERANCE: f64 = 1e-2;

/// Runs a scene in both worlds. Masses are compared before the run, and end states are printed
/// after it.
fn run(runner: &mut Runner, workload: &str, scene: &SceneSpec, steps: usize) {
    let (world, bodies) = fill(scene, SolverSettings::default().with_sleep(false));
    let peer = Scene::new(scene, STEP);
    let mut answers = Answers::new();
    let masses = peer.masses();
    answers.equal("bodies", &bodies.len(), &masses.len());
    for (i, (&id, &theirs)) in bodies.iter().zip(&masses).enumerate() {
        let ours = world
            .body(id)
            .map(|body| body.motion())
            .map_or(f64::NAN, |body| 1.0 / f64::from(body.inverse_mass));
        answers.number(&format!("mass of body {i}"), ours, f64::from(theirs), MASS_TOLERANCE * ours);
    }
    // The same scene without smoothing of internal edges, if there are any.
    let has_mesh = scene.bodies.iter().any(|body| matches!(body.shape, ShapeSpec::Mesh { .. }));
    let (mut rough, _) = fill(scene, SolverSettings::default().with_sleep(false));
    let rough_settings = rough.settings().with_internal_edges_smoothed(false);
    rough.set_settings(rough_settings).expect("settings of which one has changed");
    let (world, peer) = (RefCell::new(world), RefCell::new(peer));
    let phases = RefCell::new([0.0; 4]);
    let n_steps = RefCell::new(0u32);
    let row = Row { workload, size: bodies.len() as u64, unit: Unit::Ms, per_call: 1 };
    let comparison = Comparison::new(answers)
        .entry("carom", || {
            let mut world = world.borrow_mut();
            if let Ok(stats) = world.step(STEP) {
                let times = [stats.times.broad, stats.times.narrow, stats.times.response, stats.times.refit];
                phases.borrow_mut().iter_mut().zip(times).for_each(|(sum, time)| *sum += time);
                *n_steps.borrow_mut() += 1;
            }
        })
        .entry("rapier", || peer.borrow_mut().step());
    let comparison = if has_mesh {
        comparison.entry("carom (edges not smoothed)", || _ = rough.step(STEP).is_ok())
    } else {
        comparison
    };
    let times = runner.frames(row, steps, comparison.all_frames(), || {});
    let [ours, theirs, roughs] = [0, 1, 2].map(|i| times.get(i).map_or([f64::NAN; 2], milliseconds));
    println!(
        "    mean {:.2} of rapier's, {:.2} of that without smoothing; worst step carom {:.1}, rapier {:.1} ms",
        ours[0] / theirs[0],
        ours[0] / roughs[0],
        ours[1],
        theirs[1]
    );

    let (world, peer) = (world.into_inner(), peer.into_inner());
    let positions: Vec<Vec3> = bodies
        .iter()
        .map(|&body| world.body(body).map(|body| body.pose()).map_or(Vec3::NAN, |pose| pose.translation))
        .collect();
    let deepest = (world.contacts())
        .flat_map(|view| view.manifolds.iter().flat_map(|m| m.contacts().iter().map(|c| c.distance)))
        .fold(0.0, f32::min);
    let ends = [("carom", positions, deepest), ("rapier", peer.positions(), peer.deepest())];
    for (name, positions, deepest) in ends {
        // Below the floor, or the lowest valley.
        let n_lost = positions.iter().filter(|position| !(-0.5 < position.y)).count();
        let mean = positions.iter().map(|position| position.y).sum::<f32>() / positions.len().max(1) as f32;
        println!("    {name}: mean height {mean:.2}, {n_lost} lost, deepest overlap {:.4}", -deepest);
    }
    let n_steps = f64::from(n_steps.into_inner().max(1));
    let [broad, narrow, response, refit] = phases.into_inner().map(|sum| sum * 1e3 / n_steps);
    println!(
        "    carom, ms a step: boxes {refit:.2}, pairs {broad:.2}, contacts {narrow:.2}, response {response:.2}"
    );
}

/// Returns the mean and the worst step, in milliseconds.
fn milliseconds(times: &Times) -> [f64; 2] {
    [times.typical, times.worst].map(|ns| ns * 1e-6)
}
