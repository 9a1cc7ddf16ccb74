//! A pile of boxes between walls, until it sleeps: the time of the solver, and the overlaps.
//!
//! `cargo run --release -p carom-response --example pile -- [boxes] [seconds] [sleep]`

use carom_geom::{Contact, Manifold};
use carom_math::{Mat3, Pose, Quat, Vec3};
use carom_response::{Body, ContactPair, Sleepers, Solver, SolverSettings};
use carom_sat::box_box;
use core::time::Duration;
use std::time::Instant;

const DT: f32 = 1.0 / 60.0;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let n: usize = arguments.next().and_then(|a| a.parse().ok()).unwrap_or(10_000);
    let seconds: usize = arguments.next().and_then(|a| a.parse().ok()).unwrap_or(5);
    let sleep = arguments.next().is_some();

    let mut bodies = vec![Body::fixed(Pose::from_translation(Vec3::new(0.0, -1.0, 0.0)))];
    let mut half = vec![Vec3::new(30.0, 1.0, 30.0)];
    let side = if n < 5000 { 10 } else { 22 };
    let wall = side as f32 * 0.5 * 1.15 + 1.35;
    for (x, z) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
        bodies.push(Body::fixed(Pose::from_translation(Vec3::new(x, 0.0, z) * (wall + 1.0))));
        half.push(if x == 0.0 { Vec3::new(30.0, 60.0, 1.0) } else { Vec3::new(1.0, 60.0, 30.0) });
    }
    let mut state = 1_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1_u64 << 24) as f32 * 2.0 - 1.0
    };
    for k in 0..n {
        let (layer, i, j) = (k / (side * side), k / side % side, k % side);
        let center = (side - 1) as f32 * 0.5;
        let position = Vec3::new(
            (i as f32 - center) * 1.15 + random() * 0.1,
            1.0 + 1.3 * layer as f32,
            (j as f32 - center) * 1.15 + random() * 0.1,
        );
        let turn = Quat::from_xyzw(random(), random(), random(), random()).normalize();
        bodies.push(Body::dynamic(Pose::new(turn, position), 1.0, Vec3::ZERO, Mat3::IDENTITY / 6.0));
        half.push(Vec3::splat(0.5));
    }

    let mut solver = Solver::new(SolverSettings::default().with_sleep(sleep));
    let mut sleepers = Sleepers::default();
    let mut contacts = Vec::new();
    for second in 0..seconds {
        let (mut narrow, mut solve) = (Duration::ZERO, Duration::ZERO);
        let mut stats = None;
        for _ in 0..60 {
            let pairs = near_pairs(&bodies, &half);
            let start = Instant::now();
            contacts.clear();
            for (a, b) in pairs {
                contacts.extend(touch(&bodies, &half, a, b));
            }
            narrow += start.elapsed();
            let start = Instant::now();
            sleepers.wake_touched(&mut bodies, &contacts, &[], solver.settings());
            stats = solver.step(&mut bodies, &contacts, &mut [], DT).ok();
            sleepers.fall_asleep(&mut bodies, &solver);
            solve += start.elapsed();
        }
        let speed = bodies.iter().map(|b| b.linear_velocity.length()).fold(0.0, f32::max);
        let mean = bodies.iter().map(|b| b.linear_velocity.length()).sum::<f32>() / n as f32;
        let deepest =
            contacts.iter().flat_map(|c| c.manifold.contacts()).map(|c| c.distance).fold(0.0, f32::min);
        let asleep = bodies.iter().filter(|b| b.is_sleeping).count();
        println!(
            "{second} s: narrow {:.1} ms, solve {:.1} ms, fastest {speed:.3}, mean {mean:.4}, deepest {deepest:.4}, asleep {asleep}, {stats:?}",
            narrow.as_secs_f64() * 1e3 / 60.0,
            solve.as_secs_f64() * 1e3 / 60.0,
        );
    }
}

/// Pairs with boxes that overlap, sorted.
fn near_pairs(bodies: &[Body], half: &[Vec3]) -> Vec<(usize, usize)> {
    let reach: Vec<Vec3> = bodies
        .iter()
        .zip(half)
        .map(|(b, &h)| {
            let r = b.pose.rotation_matrix();
            r.x_axis.abs() * h.x + r.y_axis.abs() * h.y + r.z_axis.abs() * h.z + Vec3::splat(0.01)
        })
        .collect();
    let center = |k: usize| bodies[k].pose.translation;
    let mut order: Vec<usize> = (0..bodies.len()).collect();
    order.sort_by(|&i, &j| (center(i).x - reach[i].x).total_cmp(&(center(j).x - reach[j].x)));
    let mut pairs = Vec::new();
    for (index, &i) in order.iter().enumerate() {
        for &j in &order[index + 1..] {
            if center(i).x + reach[i].x < center(j).x - reach[j].x {
                break;
            }
            let moves = |k: usize| bodies[k].inverse_mass != 0.0 && !bodies[k].is_sleeping;
            if (center(i) - center(j)).abs().cmple(reach[i] + reach[j]).all() && (moves(i) || moves(j)) {
                pairs.push((i.min(j), i.max(j)));
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

fn touch(bodies: &[Body], half: &[Vec3], a: usize, b: usize) -> Option<ContactPair> {
    let (pose_a, pose_b) = (&bodies[a].pose, &bodies[b].pose);
    let own = box_box::manifold_wide(half[a], half[b], &pose_b.wide_relative_to(pose_a), 0.02)?;
    let mut world = Manifold::new(pose_a.transform_vector(own.normal()));
    for c in own.contacts() {
        let [point_a, point_b] = [c.point_a, c.point_b].map(|p| pose_a.transform_point(p));
        world.push(
            Contact::new(point_a, point_b, world.normal(), c.distance)
                .with_features(c.feature_a, c.feature_b),
        );
    }
    Some(ContactPair::new(a as u32, b as u32, world, 0.6, 0.0))
}
