//! The time of a step of a scene of the testbed, natively, to compare with a browser:
//! `scene_time boxes 2000 300`. In the live page the console has `testbed.steps(300)` for it.
//!
//! Reference: crates/carom-web/src/testbed.rs.
#![allow(clippy::std_instead_of_alloc, clippy::std_instead_of_core)] // A program, never without std.

use carom_web::Testbed;
use carom_web::scenes::{Error, Request, scene};
use std::time::Instant;

fn main() -> Result<(), Error> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let name = words.first().map_or("boxes", String::as_str);
    let scene = scene(name).ok_or_else(|| format!("no scene {name:?}"))?;
    let count = words.get(1).map_or(Ok(200), |word| word.parse())?;
    let n_steps: usize = words.get(2).map_or(Ok(60), |word| word.parse())?;
    let mut bed = Testbed::start(scene, Request { count, seed: 1 }, "dynamic-bvh")?;
    let mut times = Vec::with_capacity(n_steps);
    for _ in 0..n_steps {
        let start = Instant::now();
        bed.step()?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    let mean = times.iter().sum::<f64>() / times.len().max(1) as f64;
    times.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| times.get((share * times.len() as f64) as usize).copied().unwrap_or_default();
    println!(
        "{name} of {count}: {n_steps} steps, mean {mean:.3} ms, median {:.3}, 95 % {:.3}; hash {:016x}",
        at(0.5),
        at(0.95),
        bed.state_hash()
    );
    Ok(())
}
