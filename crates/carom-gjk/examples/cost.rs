//! The cost of one query: run it under a counter of instructions, or read the times and the mean
//! numbers of rounds.
//!
//! `cargo run --release -p carom-gjk --example cost -- [near|far|warm|yes|shallow|deep] [vertices]
//! [repetitions]`
#![allow(clippy::unwrap_used, clippy::std_instead_of_core)]

use carom_geom::ConvexHull;
use carom_gjk::wide::{distance, intersects, signed_distance};
use carom_gjk::{Counters, GjkCache, GjkSettings};
use carom_math::WidePose;
use glam::{DQuat, DVec3};
use std::time::Instant;

struct Rng(u64);

impl Rng {
    fn range(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        low + (high - low) * ((z >> 11) as f64 / (1u64 << 53) as f64)
    }

    fn unit(&mut self) -> DVec3 {
        loop {
            let v = DVec3::new(self.range(-1.0, 1.0), self.range(-1.0, 1.0), self.range(-1.0, 1.0));
            if (1e-4..1.0).contains(&v.length_squared()) {
                return v.normalize();
            }
        }
    }

    fn rotation(&mut self) -> DQuat {
        DQuat::from_axis_angle(self.unit(), self.range(0.0, 6.3))
    }
}

/// B moved along `displacement` until it is `gap` away from A: a few steps of the distance itself.
fn placed(a: &ConvexHull, b: &ConvexHull, rotation: DQuat, displacement: DVec3, gap: f64) -> WidePose {
    let mut reach = 3.0;
    for _ in 0..60 {
        let pose = WidePose::from_quat(rotation, displacement * reach);
        reach -= signed_distance(a, b, &pose, &GjkSettings::default(), None).distance - gap.max(0.0);
    }
    WidePose::from_quat(rotation, displacement * (reach + gap.min(0.0)))
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let workload = arguments.next().unwrap_or("near".into());
    let n: usize = arguments.next().map_or(32, |x| x.parse().unwrap());
    let repetitions: usize = arguments.next().map_or(200, |x| x.parse().unwrap());
    let mut rng = Rng(7);
    let hulls: Vec<ConvexHull> = (0..16)
        .map(|_| {
            let points: Vec<_> = (0..n).map(|_| (rng.unit() * DVec3::new(1.0, 0.8, 0.6)).as_vec3()).collect();
            ConvexHull::from_points(&points).unwrap()
        })
        .collect();
    let gap = match workload.as_str() {
        "near" | "yes" => 0.01,
        "far" => 2.0,
        "warm" => 0.45,
        "shallow" => -0.01,
        _ => -0.5,
    };
    let pairs: Vec<(usize, usize, WidePose)> = (0..200)
        .map(|i| {
            let (a, b) = (i % 16, (i / 16 + i + 1) % 16);
            let (rotation, direction) = (rng.rotation(), rng.unit());
            (a, b, placed(&hulls[a], &hulls[b], rotation, direction, gap))
        })
        .collect();
    let settings = GjkSettings::default();
    let mut total = Counters::default();
    let mut sum = 0.0;
    let start = Instant::now();
    for _ in 0..repetitions {
        for (a, b, pose) in &pairs {
            let (a, b) = (&hulls[*a], &hulls[*b]);
            let counters = match workload.as_str() {
                "yes" => intersects(a, b, pose, &settings, None).counters,
                "warm" => {
                    let mut cache = GjkCache::new();
                    let mut all = Counters::default();
                    for step in 0..8 {
                        let turn = DQuat::from_axis_angle(DVec3::Y, 0.0087 * f64::from(step));
                        let pose = WidePose {
                            rotation: pose.rotation * glam::DMat3::from_quat(turn),
                            translation: pose.translation,
                        };
                        let d = distance(a, b, &pose, &settings, Some(&mut cache));
                        all = d.counters;
                        sum += d.distance;
                    }
                    all
                }
                "near" | "far" => {
                    let d = distance(a, b, pose, &settings, None);
                    sum += d.distance;
                    d.counters
                }
                _ => {
                    let d = signed_distance(a, b, pose, &settings, None);
                    sum += d.distance;
                    d.counters
                }
            };
            total.iterations += counters.iterations;
            total.depth_iterations += counters.depth_iterations;
            total.supports += counters.supports;
        }
    }
    let n_queries = (repetitions * pairs.len()) as f64;
    let mean = |x: u32| f64::from(x) / n_queries;
    println!(
        "{workload} {n}: {:.0} ns, rounds {:.2}, depth rounds {:.2}, supports {:.2} (sum {sum:.6})",
        start.elapsed().as_secs_f64() * 1e9 / n_queries,
        mean(total.iterations),
        mean(total.depth_iterations),
        mean(total.supports),
    );
}
