//! A world of thousands of sleeping ragdolls: the time to insert them, the time of a step with
//! them, and the time to insert and remove others.
//!
//! `cargo run --release -p carom-world --example ragdolls -- [ragdolls] [steps]`
#![allow(clippy::expect_used)]

use carom_geom::{Cuboid, HalfSpace};
use carom_math::{Pose, Vec3};
use carom_query::Shape;
use carom_world::{BodyDesc, BodyId, JointDesc, JointKind, World};
use std::time::Instant;

const STEP: f32 = 1.0 / 60.0;
/// Limbs of a ragdoll: a chain.
const LIMBS: usize = 10;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut next = |or: usize| arguments.next().and_then(|word| word.parse().ok()).unwrap_or(or);
    let (n, n_steps) = (next(10_000), next(100));
    let mut world = World::new();
    world
        .insert(BodyDesc::fixed(Shape::HalfSpace(HalfSpace::new(Vec3::Y).expect("a unit vector"))))
        .expect("a floor");
    let side = (n as f64).sqrt().ceil() as usize;
    let start = Instant::now();
    for i in 0..n {
        insert(&mut world, Vec3::new((i % side) as f32 * 4.0, 0.11, (i / side) as f32 * 4.0));
    }
    let us = |start: Instant, n: usize| start.elapsed().as_secs_f64() * 1e6 / n.max(1) as f64;
    println!("{n} ragdolls of {LIMBS} limbs put in: {:.1} us each", us(start, n));
    let mut step = 0;
    let start = Instant::now();
    while world.step(STEP).expect("a good step").solver.n_awake > 0 && step < 600 {
        step += 1;
    }
    assert!(step < 600, "they sleep");
    println!("asleep after {step} steps, {:.2} ms each", us(start, step + 1) * 1e-3);
    // A body that does not sleep.
    insert(&mut world, Vec3::new(-10.0, 1e6, 0.0));
    world.step(STEP).expect("a good step");
    let start = Instant::now();
    for _ in 0..n_steps {
        world.step(STEP).expect("a good step");
    }
    println!("a step with one that falls beside them: {:.3} ms", us(start, n_steps) * 1e-3);
    let (mut putting, mut taking) = (0.0, 0.0);
    for _ in 0..n_steps {
        let start = Instant::now();
        let limbs = insert(&mut world, Vec3::new(-20.0, 1e6, 0.0));
        putting += us(start, n_steps);
        world.step(STEP).expect("a good step");
        let start = Instant::now();
        for limb in limbs {
            world.remove(limb).expect("a limb");
        }
        taking += us(start, n_steps);
        world.step(STEP).expect("a good step");
    }
    println!("one comes beside them: {putting:.1} us, and goes: {taking:.1} us");
    assert_eq!(world.step(STEP).expect("a good step").solver.n_awake, LIMBS, "the others still sleep");
}

/// A chain along x.
fn insert(world: &mut World, at: Vec3) -> Vec<BodyId> {
    let limb = Shape::Cuboid(Cuboid::new(Vec3::new(0.12, 0.1, 0.1)).expect("a box"));
    let position_of = |k: usize| at + Vec3::X * (0.3 * k as f32);
    let limbs: Vec<BodyId> = (0..LIMBS)
        .map(|k| {
            let body = BodyDesc::dynamic(limb.clone()).with_position(position_of(k)).with_damping(0.0, 4.0);
            world.insert(body).expect("a good body")
        })
        .collect();
    for pair in limbs.windows(2) {
        let frame = |x: f32| Pose::from_translation(Vec3::X * x);
        let kind = JointKind::Spherical { cone: 1.0, twist: None };
        world
            .insert_joint(JointDesc::new(pair[0], pair[1], kind).with_frames(frame(0.15), frame(-0.15)))
            .expect("a good joint");
    }
    limbs
}
