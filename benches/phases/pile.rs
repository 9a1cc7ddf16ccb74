//! A pile of boxes dropped into a pen: the whole pipeline, milliseconds a step, without sleeping.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, clippy::expect_used)]

use carom_benches::peers::rapier::Scene;
use carom_benches::{Answers, Comparison, Row, Runner, Unit, pile as fill};
use carom_scenes::bench_pile;
use carom_world::SolverSettings;
use glam::Vec3;
use std::cell::RefCell;

/// The time step, in seconds.
const STEP: f32 = 1.0 / 60.0;
/// Height below which a box of size 1 is lost: it has sunk through the floor, or left the pen.
const LOST_BELOW: f32 = -0.5;

fn main() {
    let mut runner = Runner::new("pile");
    let sizes: &[(usize, usize)] =
        if runner.is_quick() { &[(200, 100), (1000, 60)] } else { &[(1000, 300), (10_000, 300)] };
    for &(n, steps) in sizes {
        if runner.wants("pile") {
            pile(&mut runner, n, steps);
        }
    }
}

/// Steps at the end over which the drift of the boxes is measured.
const LAST: usize = 60;

fn pile(runner: &mut Runner, n: usize, steps: usize) {
    let scene = bench_pile(n, 7);
    let (world, bodies) = fill(&scene, SolverSettings::default().with_sleep(false));
    let world = RefCell::new(world);
    let peer = RefCell::new(Scene::new(&scene, STEP));
    let phases = RefCell::new([0.0; 4]);
    let positions = || -> [Vec<Vec3>; 2] {
        let world = world.borrow();
        let own = bodies
            .iter()
            .map(|&body| world.body(body).map(|body| body.pose()).map_or(Vec3::NAN, |pose| pose.translation));
        [own.collect(), peer.borrow().positions()]
    };

    let row = Row { workload: "pile", size: n as u64, unit: Unit::Ms, per_call: 1 };
    // Two solvers do not give the same heights. The end states are printed after the run.
    let comparison = Comparison::new(Answers::new())
        .entry("carom", || {
            let mut world = world.borrow_mut();
            if let Ok(stats) = world.step(STEP) {
                let times = [stats.times.broad, stats.times.narrow, stats.times.response, stats.times.refit];
                phases.borrow_mut().iter_mut().zip(times).for_each(|(sum, time)| *sum += time);
            }
        })
        .entry("rapier", || peer.borrow_mut().step())
        // The fall takes more time than the rest.
        .all_frames();
    // Three warm-up steps are not timed.
    let n_frames = if runner.is_quick() { steps.div_ceil(4) } else { steps } + 3;
    let (mut frame, mut before) = (0, [Vec::new(), Vec::new()]);
    runner.frames(row, steps, comparison, || {
        frame += 1;
        if frame + LAST == n_frames {
            before = positions();
        }
    });

    let after = positions();
    let deepest_own = (world.borrow().contacts())
        .flat_map(|view| view.manifolds.iter().flat_map(|m| m.contacts().iter().map(|c| c.distance)))
        .fold(0.0, f32::min);
    let deepest = [deepest_own, peer.borrow().deepest()];
    for (k, name) in ["carom", "rapier"].into_iter().enumerate() {
        let n_lost = after[k].iter().filter(|position| !(LOST_BELOW < position.y)).count();
        let mean = after[k].iter().map(|position| position.y).sum::<f32>() / n.max(1) as f32;
        let drifts = after[k].iter().zip(&before[k]).map(|(after, before)| 1e6 * (*after - *before).length());
        let mut drifts: Vec<f32> = drifts.collect();
        drifts.sort_by(f32::total_cmp);
        let at = |hundredths: usize| drifts.get(n * hundredths / 100).copied().unwrap_or(0.0);
        println!(
            "    {name}: mean height {mean:.2}, {n_lost} boxes lost through the floor; deepest overlap {:.4}; in the last {LAST} steps \
             boxes went {:.1} um in the mean, half of them at most {:.1}, 99 of 100 at most {:.0}, all {:.0}",
            -deepest[k],
            drifts.iter().sum::<f32>() / n.max(1) as f32,
            at(50),
            at(99),
            drifts.last().copied().unwrap_or(0.0)
        );
    }
    let [broad, narrow, response, refit] = phases.into_inner().map(|sum| sum * 1e3 / n_frames as f64);
    println!(
        "    carom, ms a step: boxes {refit:.2}, pairs {broad:.2}, contacts {narrow:.2}, response {response:.2}"
    );
    println!("    carom: {:?}", world.borrow().stats());
}
