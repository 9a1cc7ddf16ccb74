//! The pile of the benches: times of each phase, on a given number of threads.
//!
//! `cargo run --release -p carom-world --features parallel --example pile -- [boxes] [steps]
//! [threads] [repeats]`
//!
//! The whole run is repeated, and for each step the shortest time of each phase is used, because
//! the machine may have other work. The hash of the last state is the same for any number of
//! threads.
#![allow(clippy::expect_used)]

use carom_scenes::bench_pile;
use carom_testkit::scene_world::fill;
use carom_world::{SolverSettings, World, WorldSettings};

const PHASES: [&str; 4] = ["broad", "narrow", "response", "refit"];

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut next = |or: usize| arguments.next().and_then(|word| word.parse().ok()).unwrap_or(or);
    let (n, n_steps, n_threads, repeats) = (next(10_000), next(300), next(1), next(3));
    let scene = bench_pile(n, 7);
    let mut least = vec![[f64::INFINITY; PHASES.len()]; n_steps];
    let mut hash = None;
    let mut run = || {
        for _ in 0..repeats {
            let solver = SolverSettings::default().with_sleep(false);
            let mut world = World::with_settings(WorldSettings::default().with_solver(solver));
            fill(&mut world, &scene);
            for (step, least) in least.iter_mut().enumerate() {
                let times = world.step(1.0 / 60.0).expect("a good step").times;
                let times = [times.broad, times.narrow, times.response, times.refit];
                for (least, time) in least.iter_mut().zip(times) {
                    *least = least.min(time);
                }
                if step % 60 == 59 {
                    print_motion(&world, step + 1);
                }
            }
            let last = world.state_hash();
            assert_eq!(*hash.get_or_insert(last), last, "each run has the same bits");
            assert!(world.bodies().all(|body| -1.0 < body.position().y), "a box fell through the floor");
        }
    };
    #[cfg(feature = "parallel")]
    rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().expect("threads begin").install(&mut run);
    #[cfg(not(feature = "parallel"))]
    run();
    let mut total = 0.0;
    for (phase, name) in PHASES.iter().enumerate() {
        let mean = least.iter().map(|times| times[phase]).sum::<f64>() * 1e3 / n_steps as f64;
        total += mean;
        println!("{name:<10} {mean:>8.3} ms");
    }
    let hash = hash.unwrap_or_default();
    println!(
        "{:<10} {total:>8.3} ms a step of {n} boxes on {n_threads} threads, {n_steps} steps, state {hash:016x}",
        "all"
    );
}

fn print_motion(world: &World, step: usize) {
    let speeds = world.bodies().map(|body| body.linear_velocity().length());
    let (sum, most) = speeds.fold((0.0, 0.0), |(sum, most), speed| (sum + speed, f32::max(most, speed)));
    let overlaps = world.contacts().flat_map(|view| view.manifolds.iter().flat_map(|m| m.contacts()));
    let deepest = overlaps.map(|contact| -contact.distance).fold(0.0, f32::max);
    println!(
        "step {step}: {:.4} m/s in the mean, {most:.3} at most; deepest overlap {deepest:.4}",
        sum / world.len() as f32
    );
}
