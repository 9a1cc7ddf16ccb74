//! Ten thousand bodies at one point: no panic, no infinite number, and acceptable time and memory.
//!
//! `cargo run --release -p carom-world --example point -- [bodies] [steps]`
#![allow(clippy::expect_used)]

use carom_geom::{Cuboid, Sphere};
use carom_math::Vec3;
use carom_query::Shape;
use carom_world::{BodyDesc, World};
use std::time::Instant;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut next = |or: usize| arguments.next().and_then(|word| word.parse().ok()).unwrap_or(or);
    let (n, n_steps) = (next(10_000), next(10));
    let mut world = World::new();
    for i in 0..n {
        let shape = if i % 2 == 0 {
            Shape::Sphere(Sphere::new(0.5).expect("a ball"))
        } else {
            Shape::Cuboid(Cuboid::new(Vec3::splat(0.5)).expect("a box"))
        };
        world.insert(BodyDesc::dynamic(shape)).expect("a good body");
    }
    for step in 0..n_steps {
        let start = Instant::now();
        let stats = *world.step(1.0 / 60.0).expect("a good step");
        let far = world.bodies().map(|body| body.pose());
        let far = far.map(|pose| pose.translation.length()).fold(0.0, f32::max);
        println!(
            "step {step}: {:.2} s, {} pairs and {} left out, {} manifolds, the farthest is {far:.3} away",
            start.elapsed().as_secs_f64(),
            stats.n_pairs,
            stats.n_crowded,
            stats.n_manifolds
        );
    }
    let is_finite = world.bodies().all(|body| body.pose().is_finite());
    assert!(is_finite, "a body is nowhere");
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    println!("{}", status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or("memory unknown"));
}
