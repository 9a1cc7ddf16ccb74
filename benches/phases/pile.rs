//! A pile of boxes dropped into a pen: the whole pipeline, milliseconds a step, without sleeping.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, clippy::expect_used)]

use carom_benches::peers::rapier::Pile;
use carom_benches::{Answers, Contest, Row, Runner, Unit};
use carom_geom::{Cuboid, HalfSpace};
use carom_query::Shape;
use carom_scenes::{SceneSpec, ShapeSpec, bench_pile};
use carom_world::{BodyDesc, BodyId, SolverSettings, World, WorldSettings};
use std::cell::RefCell;

/// Of a second.
const STEP: f32 = 1.0 / 60.0;
/// Boxes are of size 1: one that has sunk through the floor by more than this, or flown over the walls, is lost.
const LOST_BELOW: f32 = -0.5;

fn main() {
    let mut runner = Runner::new("pile");
    let sizes: &[(usize, usize)] =
        if runner.is_quick() { &[(200, 100), (1000, 60)] } else { &[(1000, 300), (10_000, 300)] };
    for &(n, steps) in sizes {
        pile(&mut runner, n, steps);
    }
}

fn pile(runner: &mut Runner, n: usize, steps: usize) {
    let scene = bench_pile(n, 7);
    let (world, bodies) = fill(&scene);
    let world = RefCell::new(world);
    let peer = RefCell::new(Pile::new(&scene, STEP));

    let row = Row { workload: "pile", size: n as u64, unit: Unit::Ms, per_call: 1 };
    // Two solvers do not give the same heights: what both must do is looked at after the run.
    let contest = Contest::new(Answers::new())
        .entry("carom", || {
            std::hint::black_box(world.borrow_mut().step(STEP).is_ok());
        })
        .entry("rapier", || peer.borrow_mut().step())
        // The fall is harder than the rest.
        .of_whole_runs();
    runner.frames(row, steps, contest, || {});

    let world = world.borrow();
    let own: Vec<f32> =
        bodies.iter().map(|&body| world.pose(body).map_or(f32::NAN, |pose| pose.translation.y)).collect();
    for (who, heights) in [("carom", own), ("rapier", peer.borrow().heights())] {
        let n_lost = heights.iter().filter(|height| !(LOST_BELOW < **height)).count();
        let mean = heights.iter().sum::<f32>() / heights.len().max(1) as f32;
        println!("    {who}: mean height {mean:.2}, {n_lost} boxes lost through the floor");
    }
    println!("    carom: {:?}", world.stats());
}

fn fill(scene: &SceneSpec) -> (World, Vec<BodyId>) {
    let solver = SolverSettings::default().with_sleep(false);
    let mut world = World::with_settings(WorldSettings::default().with_solver(solver));
    let mut bodies = Vec::new();
    for body in &scene.bodies {
        let shape = match &body.shape {
            ShapeSpec::Cuboid { half_extents } => {
                Shape::Cuboid(Cuboid::new(*half_extents).expect("a scene's boxes have a size"))
            }
            ShapeSpec::HalfSpace { normal } => {
                Shape::HalfSpace(HalfSpace::new(*normal).expect("a scene's normals are unit vectors"))
            }
            _ => continue,
        };
        let description = if body.is_fixed() { BodyDesc::fixed(shape) } else { BodyDesc::new(shape) };
        let description = description.with_pose(body.pose).with_friction(body.friction);
        let id = world.insert(description).expect("a scene's bodies are in order");
        if !body.is_fixed() {
            bodies.push(id);
        }
    }
    (world, bodies)
}
