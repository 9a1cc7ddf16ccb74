//! A world of a million boxes, 90 % of them asleep: the time of a step, the memory per body, and
//! whether thousands of bodies that are inserted and removed in every step leave memory behind.
//!
//! `cargo run --release -p carom-world --example million -- [boxes] [steps] [boxes that come and
//! go] [steps of that]`
//!
//! The boxes stand in piles of three on a floor and fall asleep, except every tenth pile.
#![allow(clippy::expect_used)]

use carom_geom::{Cuboid, HalfSpace};
use carom_math::Vec3;
use carom_query::Shape;
use carom_world::{BodyDesc, BodyId, World};
use std::time::Instant;

const STEP: f32 = 1.0 / 60.0;
const HEIGHT: usize = 3;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut next = |or: usize| arguments.next().and_then(|word| word.parse().ok()).unwrap_or(or);
    let (n, n_steps, n_change, n_changes) = (next(1_000_000), next(60), next(10_000), next(10_000));
    let empty = resident_bytes();
    let mut world = World::new();
    world
        .insert(BodyDesc::fixed(Shape::HalfSpace(HalfSpace::new(Vec3::Y).expect("a unit vector"))))
        .expect("a floor");
    let side = (n as f64 / HEIGHT as f64).sqrt().ceil() as usize;
    let position_of = |i: usize| {
        let (pile, layer) = (i / HEIGHT, i % HEIGHT);
        Vec3::new((pile % side) as f32 * 1.5, 0.5 + layer as f32, (pile / side) as f32 * 1.5)
    };
    let unit = || Shape::Cuboid(Cuboid::new(Vec3::splat(0.5)).expect("a box"));
    let start = Instant::now();
    for i in 0..n {
        let body = BodyDesc::dynamic(unit())
            .with_position(position_of(i))
            .with_can_sleep(!(i / HEIGHT).is_multiple_of(10));
        world.insert(body).expect("a good body");
    }
    println!("{n} boxes put in: {:.0} ns each", start.elapsed().as_secs_f64() * 1e9 / n as f64);
    let mut slept = false;
    let mut sum = [0.0; 5];
    let mut n_counted = 0;
    for step in 0..40 + n_steps {
        let start = Instant::now();
        let stats = *world.step(STEP).expect("a good step");
        let ms = start.elapsed().as_secs_f64() * 1e3;
        let times = stats.times;
        if stats.solver.n_awake * 5 < n {
            if !slept {
                println!("step {step}: they sleep");
            }
            if slept {
                n_counted += 1;
                let phases = [times.broad, times.narrow, times.response, times.refit, ms * 1e-3];
                sum.iter_mut().zip(phases).for_each(|(sum, time)| *sum += time * 1e3);
            }
            slept = true;
        } else if step % 10 == 1 {
            println!(
                "step {step}: {ms:.1} ms, {} awake, {} pairs, {times:?}",
                stats.solver.n_awake, stats.n_pairs
            );
        }
        if n_steps <= n_counted {
            break;
        }
    }
    let [broad, narrow, response, refit, all] = sum.map(|sum| sum / f64::from(n_counted.max(1) as u32));
    let stats = *world.stats();
    println!(
        "{} of {n} awake: {all:.2} ms a step: broad {broad:.2}, narrow {narrow:.2}, response {response:.2}, refit {refit:.2}",
        stats.solver.n_awake
    );
    println!(
        "{} pairs; {:.0} bytes of memory a body, pairs and all",
        stats.n_pairs,
        resident_bytes().saturating_sub(empty) as f64 / n as f64
    );
    if n_change == 0 {
        return;
    }
    // Bodies that are inserted and removed in each step, beside the piles.
    let mut added: Vec<BodyId> = Vec::new();
    let n_before = world.len();
    let start = Instant::now();
    let mut first = 0;
    for step in 0..n_changes {
        for body in added.drain(..) {
            world.remove(body).expect("an inserted body");
        }
        for i in 0..n_change {
            let at = Vec3::new(-10.0 - (i % 100) as f32 * 1.5, 0.5, (i / 100) as f32 * 1.5);
            added.push(world.insert(BodyDesc::dynamic(unit()).with_position(at)).expect("a good body"));
        }
        let stats = world.step(STEP).expect("a good step");
        assert_eq!(stats.n_bodies, n_before + n_change, "one was lost");
        if step == n_changes / 10 {
            first = resident_bytes();
        }
        if step.is_power_of_two() {
            println!(
                "{step} steps of coming and going: {:.1} ms each, {} MB",
                start.elapsed().as_secs_f64() * 1e3 / (step + 1) as f64,
                resident_bytes() / 1_000_000
            );
        }
    }
    println!(
        "{n_changes} steps with {n_change} that come and go: {:.1} ms each, {} bodies, memory {} bytes more than after a tenth of them",
        start.elapsed().as_secs_f64() * 1e3 / n_changes.max(1) as f64,
        world.len(),
        resident_bytes() as i64 - first as i64
    );
}

/// Memory of this process; 0 on systems without /proc.
fn resident_bytes() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<usize>().ok()).unwrap_or(0) * 1024
}
