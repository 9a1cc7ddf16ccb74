//! Deadlines of searches in a clock of gears and springs: whether a search stops in time, how much
//! it has found by then, and the cost of counted work.
//!
//! 1. Deadlines of 0.1, 1 and 9 ms on all pairs of the clock: how long after the deadline the
//!    search stops. On a shared machine the thread may wait for the processor for milliseconds.
//!    So searches that waited less than 20 us are counted apart. A loop that only reads the clock
//!    shows the delays of the machine itself.
//! 2. Contacts found, pairs decided, and the bounds of the distances, over CPU time, in the
//!    three orders.
//! 3. The cost function: c_v, c_p and c_u fitted on every other query, and the predicted times of
//!    the others.
//! 4. Steps of a pile on a budget: the share of steps that end within it, and within 50 us more,
//!    beside a loop that only reads the clock for as long; the bodies that are suspended or held;
//!    the phase that made late steps late; and the energy, which must not grow.
//!
//! There is no peer, because none can be stopped. Searches that run to their end are compared with
//! the ordinary queries.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.2.3 and 25.6.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, clippy::expect_used)]

use carom_benches::{Answers, Facts, Row, Runner, Times, Unit, pile, thread_ns};
use carom_bounds::Aabb;
use carom_bvh::{
    AnytimeGoal, AnytimeOrder, AnytimeSettings, BuildSettings, Bvh, Certainty, Cost, Counters, Until,
};
use carom_geom::TriMesh;
use carom_math::Pose;
use carom_query::{AnytimeMeshAnswer, AnytimeMeshes, MeshPair, MeshShape, Shape, distance, intersects};
use carom_scenes::mesh::{Knot, torus_knot};
use carom_scenes::{Clock, ClockSettings, bench_pile};
use carom_world::{BodyId, Budget, PhaseTimes, Shortfall, SolverSettings, World};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The orders of a search, and their names in the report.
const ORDERS: [(&str, AnytimeOrder); 3] = [
    ("carom breadth-first", AnytimeOrder::BreadthFirst),
    ("carom depth-first", AnytimeOrder::DepthFirst),
    ("carom nearest first", AnytimeOrder::Priority),
];

/// CPU times at which the answers are read, in microseconds.
const READ_TIMES: [f64; 12] = [50.0, 100.0, 200.0, 500.0, 1e3, 2e3, 5e3, 9e3, 20e3, 50e3, 100e3, 200e3];

/// A clock of gears and springs at one time.
struct Scene {
    meshes: Vec<Arc<MeshShape>>,
    clock: Clock,
}

impl Scene {
    fn new(settings: &ClockSettings) -> Scene {
        let clock = Clock::new(settings);
        let mesh = |data: &carom_scenes::mesh::MeshData| {
            let mesh = TriMesh::new(data.vertices_f32(), data.triangles.clone())
                .expect("a scene's mesh is in order");
            Arc::new(MeshShape::new(mesh).expect("a scene's mesh has a tree"))
        };
        Scene { meshes: clock.meshes.iter().map(mesh).collect(), clock }
    }

    fn pairs(&self, frame: usize) -> Vec<MeshPair> {
        let mut poses = Vec::new();
        self.clock.poses(frame as f64 * 0.7, &mut poses);
        let posed_mesh = |part: u32| (self.clock.parts[part as usize].mesh, poses[part as usize]);
        let pair = |&(a, b): &(u32, u32)| {
            let ((mesh_a, pose_a), (mesh_b, pose_b)) = (posed_mesh(a), posed_mesh(b));
            MeshPair::new(mesh_a, pose_a, mesh_b, pose_b)
        };
        self.clock.pairs.iter().map(pair).collect()
    }

    fn shapes(&self, pair: &MeshPair) -> [(Shape, Pose); 2] {
        let of = |mesh: u32, pose| (Shape::Mesh(self.meshes[mesh as usize].clone()), pose);
        [of(pair.mesh_a, pair.pose_a), of(pair.mesh_b, pair.pose_b)]
    }
}

fn main() {
    let mut runner = Runner::new("budget");
    let settings =
        if runner.is_quick() { ClockSettings::default().with_size(5, 3) } else { ClockSettings::default() };
    let scene = Scene::new(&settings);
    println!(
        "{} parts, {} pairs, {} triangles, parts that share a mesh counted each",
        scene.clock.parts.len(),
        scene.clock.pairs.len(),
        scene.clock.n_triangles()
    );
    if runner.wants("deadline") {
        deadlines(&mut runner, &scene);
    }
    if runner.wants("contacts") || runner.wants("bounds") {
        progress(&mut runner, &scene);
    }
    if runner.wants("cost") {
        costs(&mut runner, &scene);
    }
    if runner.wants("step") {
        steps(&mut runner);
    }
}

/// Microseconds by which a step may exceed its budget: the usual delay of a wake-up on Linux.
const SLACK: f64 = 50.0;

fn steps(runner: &mut Runner) {
    println!(
        "\nmicroseconds from the end of the budget of a step to its return; 0 for those that come back before"
    );
    println!(
        "{:<11} {:>6} {:>9} {:>8} {:>8} {:>8} {:>8} {:>10} {:>9} {:>9}",
        "", "boxes", "budget", "steps", "50 %", "99 %", "99.9 %", "max", "within", "within 50"
    );
    for (n, us) in [(200, 500), (1000, 2000), (2000, 4000), (10_000, 2000), (10_000, 20_000)] {
        if runner.is_test() && 1000 < n {
            continue;
        }
        // Enough steps to see one late step in a thousand.
        let n_steps = if runner.is_quick() { 200 } else { 4000 };
        let mut world = pile(&bench_pile(n, 7), SolverSettings::default().with_sleep(false)).0;
        let budget = Duration::from_micros(us);
        // The boxes of this scene overlap at first, and are pushed apart.
        let mut free = pile(&bench_pile(n, 7), SolverSettings::default().with_sleep(false)).0;
        let (start, mut pushed) = (energy(&free), f64::MIN);
        for _ in 0..30 {
            free.step(1.0 / 60.0).expect("a good step");
            pushed = f64::max(pushed, energy(&free));
        }
        // All steps, and those during which nothing else ran on this core.
        let mut late = [const { [const { Vec::new() }; 2] }; 2];
        let (mut n_cut, mut n_held, mut greatest) = (0, 0, f64::MIN);
        let (mut n_suspended, mut n_left) = (0, Shortfall::default());
        let (mut n_substeps, mut n_put_off) = (0, 0);
        // The phases of each step, in microseconds, and those of the steps that were late though
        // nothing else ran.
        let (mut phases, mut late_phases): ([Vec<f64>; 4], Vec<[f64; 4]>) = Default::default();
        let mut used = Vec::new();
        let mut times = PhaseTimes::default();
        for step in 0..n_steps + 16 {
            for side in 0..2 {
                let (cpu, begin) = (thread_ns(), Instant::now());
                if side == 0 {
                    while begin.elapsed() < budget {}
                } else {
                    let stats =
                        world.step_with_budget(1.0 / 60.0, Budget::Time(budget)).expect("a good step");
                    n_left = stats.shortfall;
                    times = stats.times;
                }
                let took = begin.elapsed();
                let cpu = (thread_ns() - cpu) * 1e-3;
                let away = took.as_secs_f64() * 1e6 - cpu;
                // The first steps allocate memory and learn the cost model.
                if 16 <= step {
                    let over = (took.as_secs_f64() - budget.as_secs_f64()) * 1e6;
                    late[side][0].push(over.max(0.0));
                    if away < 20.0 {
                        late[side][1].push(over.max(0.0));
                    }
                    if side == 1 {
                        n_cut += usize::from(n_left != Default::default());
                        n_held += usize::from(n_left.is_deferred);
                        n_suspended += n_left.n_suspended;
                        n_substeps += world.settings().solver.substeps - n_left.n_substeps;
                        n_put_off += n_left.n_pairs;
                        let own = [times.broad, times.narrow, times.response, times.refit].map(|t| t * 1e6);
                        phases.iter_mut().zip(own).for_each(|(all, own)| all.push(own));
                        if 0.0 < over && away < 20.0 {
                            late_phases.push(own);
                        }
                        used.push(cpu);
                    }
                }
            }
            if step % 16 == 0 {
                greatest = f64::max(greatest, energy(&world));
            }
        }
        for (side, name) in ["clock alone", "world"].into_iter().enumerate() {
            for (which, late) in ["all", "undisturbed"].into_iter().zip(&mut late[side]) {
                late.sort_by(f64::total_cmp);
                let part = |most: f64| {
                    100.0 * late.iter().filter(|late| **late <= most).count() as f64
                        / late.len().max(1) as f64
                };
                let (strictly, within) = (part(0.0), part(SLACK));
                let [half, most, nearly, max] = [0.5, 0.99, 0.999, 1.0].map(|part| quantile(late, part));
                println!(
                    "{name:<11} {n:>6} {us:>6} us {:>8} {half:>8.1} {most:>8.1} {nearly:>8.1} {max:>10.1} {strictly:>8.2}% {within:>8.2}%  {which}",
                    late.len()
                );
                let workload = format!("steps within {us} us, {name}, {which}");
                let row = Row { workload: &workload, size: n as u64, unit: Unit::Percent, per_call: 1 };
                let times = [Times { name: "carom", typical: within, worst: strictly }];
                if !late.is_empty() {
                    runner.write(row, &Answers::new(), &times, |_| Facts::default());
                }
            }
        }
        used.sort_by(f64::total_cmp);
        println!(
            "            {n_cut} of {n_steps} steps were cut short, {n_held} of them held; {:.0} bodies stood still in the mean, the last left {n_left:?}; \
             {:.0} us of the processor in the median; greatest energy {:.4} of that at the start, now {:.4}; without a budget {:.4}",
            n_suspended as f64 / n_steps as f64,
            quantile(&used, 0.5),
            greatest / start,
            energy(&world) / start,
            pushed / start
        );
        phases.iter_mut().for_each(|all| all.sort_by(f64::total_cmp));
        let usual = [0, 1, 2, 3].map(|phase| quantile(&phases[phase], 0.5));
        let mut causes = [0; 4];
        for own in &late_phases {
            let excess = |phase: &usize| own[*phase] - usual[*phase];
            let cause = (0..4).max_by(|a, b| excess(a).total_cmp(&excess(b)));
            causes[cause.unwrap_or_default()] += 1;
        }
        println!(
            "            {:.2} substeps and {:.0} pairs put off in the mean; broad phase, narrow phase, response and boxes take {usual:.0?} us \
             in the median, and were most above it in so many of the late steps: {causes:?}",
            f64::from(n_substeps) / n_steps as f64,
            n_put_off as f64 / n_steps as f64
        );
    }
}

/// Returns the kinetic plus potential energy of all boxes.
fn energy(world: &World) -> f64 {
    let gravity = -world.settings().solver.gravity;
    let of = |id: BodyId| {
        let body = world.body(id).map(|body| body.motion()).ok().filter(|body| 0.0 < body.inverse_mass)?;
        let height = f64::from(gravity.dot(body.world_center()));
        Some(f64::from(body.kinetic_energy()) + height / f64::from(body.inverse_mass))
    };
    world.body_ids().filter_map(of).sum()
}

/// Returns a quantile of sorted values; `part` is from 0 to 1.
fn quantile(sorted: &[f64], part: f64) -> f64 {
    let last = sorted.len().saturating_sub(1);
    sorted.get((part * last as f64).ceil() as usize).copied().unwrap_or(f64::NAN)
}

fn deadlines(runner: &mut Runner, scene: &Scene) {
    println!(
        "\nmicroseconds from the deadline to the return of the search; it had not come to its end by then"
    );
    println!(
        "{:<11} {:>9} {:>8} {:>8} {:>8} {:>8} {:>10} {:>9}",
        "search", "deadline", "searches", "50 %", "99 %", "99.9 %", "max", "within 50"
    );
    let frames: Vec<Vec<MeshPair>> = (0..8).map(|frame| scene.pairs(frame)).collect();
    for (us, n) in [(100, 6000), (1000, 3000), (9000, 1200)] {
        let n = if runner.is_quick() { n / 20 } else { n };
        lateness(runner, "clock alone", us, n, |_, deadline| {
            while Instant::now() < deadline {}
            false
        });
        for (what, settings) in
            [("touching", AnytimeSettings::touching()), ("distance", AnytimeSettings::distance())]
        {
            let mut search = AnytimeMeshes::default();
            lateness(runner, what, us, n, |i, deadline| {
                let pairs = &frames[i % frames.len()];
                search.start(pairs.len(), &settings);
                let run = search.run(&scene.meshes, pairs, Until::done().with_deadline(deadline));
                run.expect("the meshes of the scene").is_done()
            });
        }
    }
}

/// Measures how long after its deadline of `us` microseconds `run` returns. `run` returns whether
/// it finished before.
fn lateness(runner: &mut Runner, what: &str, us: u64, n: usize, mut run: impl FnMut(usize, Instant) -> bool) {
    let (mut all, mut undisturbed) = (Vec::new(), Vec::new());
    for i in 0..n + 16 {
        let cpu = thread_ns();
        let start = Instant::now();
        let deadline = start + Duration::from_micros(us);
        let is_done = run(i, deadline);
        let end = Instant::now();
        let away = (end - start).as_secs_f64() * 1e6 - (thread_ns() - cpu) * 1e-3;
        // The first runs allocate memory.
        if 16 <= i && !is_done {
            let late = end.saturating_duration_since(deadline).as_secs_f64() * 1e6;
            all.push(late);
            if away < 20.0 {
                undisturbed.push(late);
            }
        }
    }
    for (which, late) in [("all", &mut all), ("undisturbed", &mut undisturbed)] {
        late.sort_by(f64::total_cmp);
        let within = late.iter().filter(|late| **late <= 50.0).count() as f64 / late.len().max(1) as f64;
        let [half, most, nearly, max] = [0.5, 0.99, 0.999, 1.0].map(|part| quantile(late, part));
        println!(
            "{what:<11} {us:>6} us {:>8} {half:>8.2} {most:>8.2} {nearly:>8.2} {max:>10.1} {:>8.2}%  {which}",
            late.len(),
            within * 100.0
        );
        let workload = format!("after the deadline, {what}, {which}");
        let row = Row { workload: &workload, size: us, unit: Unit::Us, per_call: 1 };
        let times = [("carom 50 %", half), ("carom 99 %", most), ("carom 99.9 %", nearly)]
            .map(|(name, late)| Times { name, typical: late * 1e3, worst: max * 1e3 });
        if !late.is_empty() {
            runner.write(row, &Answers::new(), &times, |_| Facts::default());
        }
    }
}

/// The state of a search at one time.
#[derive(Clone, Copy, Default)]
struct Known {
    /// Percent of the touching pairs that were found, and of all pairs that were decided.
    found: f64,
    decided: f64,
    /// The mean width of the bounds of the distance, relative to the size of a gear.
    width: f64,
}

fn progress(runner: &mut Runner, scene: &Scene) {
    let n_frames = if runner.is_quick() { 1 } else { 6 };
    let mut answers = Answers::new();
    let mut table = vec![[Known::default(); READ_TIMES.len()]; ORDERS.len()];
    for frame in 0..n_frames {
        let pairs = scene.pairs(frame);
        let touching: Vec<bool> = pairs
            .iter()
            .map(|pair| {
                let [(a, pose_a), (b, pose_b)] = scene.shapes(pair);
                intersects(&a, &pose_a, &b, &pose_b)
            })
            .collect();
        let n_touching = touching.iter().filter(|is| **is).count().max(1) as f64;
        let part = 100.0 / (pairs.len() as f64 * n_frames as f64);
        for (order, (name, kind)) in ORDERS.into_iter().enumerate() {
            let settings = AnytimeSettings::touching().with_order(kind);
            let last = follow(scene, &pairs, &settings, |checkpoint, known| {
                let is_known = |answer: &&AnytimeMeshAnswer| answer.certainty != Certainty::Unknown;
                let found = known.iter().filter(|answer| answer.certainty == Certainty::Touching).count();
                table[order][checkpoint].found += 100.0 * found as f64 / (n_touching * n_frames as f64);
                table[order][checkpoint].decided += known.iter().filter(is_known).count() as f64 * part;
            });
            for (i, (answer, expected)) in last.iter().zip(&touching).enumerate() {
                let is_touching = answer.certainty == Certainty::Touching;
                answers.equal(&format!("{name}, frame {frame}, pair {i}: touching"), &is_touching, expected);
            }
            let settings = AnytimeSettings::distance().with_order(kind);
            let last = follow(scene, &pairs, &settings, |checkpoint, known| {
                let width =
                    |answer: &AnytimeMeshAnswer| f64::from(answer.bounds.max.min(8.0) - answer.bounds.min);
                table[order][checkpoint].width += known.iter().map(width).sum::<f64>() * part / 100.0;
            });
            for (i, (answer, pair)) in last.iter().zip(&pairs).enumerate().step_by(7) {
                let [(a, pose_a), (b, pose_b)] = scene.shapes(pair);
                let expected = distance(&a, &pose_a, &b, &pose_b).distance;
                let found = answer.nearest.map(|nearest| nearest.distance);
                answers.equal(&format!("{name}, frame {frame}, pair {i}: distance"), &found, &Some(expected));
            }
        }
    }
    println!(
        "\nafter so much time of the processor: contacts found, pairs decided, mean width of the bounds"
    );
    print!("{:>8}", "us");
    ORDERS.iter().for_each(|(name, _)| print!("  {name:>26}"));
    println!();
    for (checkpoint, us) in READ_TIMES.into_iter().enumerate() {
        print!("{us:>8}");
        for order in &table {
            let Known { found, decided, width } = order[checkpoint];
            print!("  {found:>7.1}% {decided:>6.1}% {width:>9.5}");
        }
        println!();
    }
    for (workload, unit, value) in [
        ("contacts found", Unit::Percent, (|known| known.found) as fn(&Known) -> f64),
        ("pairs decided", Unit::Percent, |known| known.decided),
        ("width of the bounds", Unit::Length, |known| known.width),
    ] {
        for (checkpoint, us) in READ_TIMES.into_iter().enumerate() {
            let times: Vec<Times> = ORDERS
                .iter()
                .zip(&table)
                .map(|((name, _), known)| {
                    let value = value(&known[checkpoint]);
                    Times { name, typical: value, worst: value }
                })
                .collect();
            let row = Row { workload, size: us as u64, unit, per_call: 1 };
            runner.write(row, &answers, &times, |_| Facts::default());
        }
    }
}

/// Runs a search to its end, and calls `at_checkpoint` with all answers at each CPU time of
/// [`READ_TIMES`].
fn follow(
    scene: &Scene,
    pairs: &[MeshPair],
    settings: &AnytimeSettings,
    mut at_checkpoint: impl FnMut(usize, &[AnytimeMeshAnswer]),
) -> Vec<AnytimeMeshAnswer> {
    let (mut search, mut answers) = (AnytimeMeshes::default(), Vec::new());
    // The first run allocates memory.
    for is_warm in [false, true] {
        search.start(pairs.len(), settings);
        let (mut spent, mut next) = (0.0, 0);
        loop {
            let before = thread_ns();
            let until = Until::done().with_steps(if is_warm { 100 } else { u64::MAX });
            let is_done = search.run(&scene.meshes, pairs, until).expect("the meshes of the scene").is_done();
            spent += (thread_ns() - before) * 1e-3;
            while is_warm && next < READ_TIMES.len() && (READ_TIMES[next] <= spent || is_done) {
                search.answers(&mut answers);
                at_checkpoint(next, &answers);
                next += 1;
            }
            if is_done {
                break;
            }
        }
        if is_warm {
            let bytes = search.n_waiting();
            assert_eq!(bytes, 0, "nothing waits when all is done");
        }
    }
    search.answers(&mut answers);
    answers
}

fn costs(runner: &mut Runner, scene: &Scene) {
    println!("\nthe cost function, nanoseconds: fitted on every other query, held against the rest");
    let mut search = AnytimeMeshes::default();
    let n_frames = if runner.is_quick() { 2 } else { 8 };
    for (what, settings) in [
        ("touching", AnytimeSettings::touching()),
        ("all that touch", AnytimeSettings::touching().with_goal(AnytimeGoal::All)),
        ("distance", AnytimeSettings::distance()),
    ] {
        // A query is a hundred neighbouring pairs.
        let mut measured: Vec<(Counters, f64)> = Vec::new();
        for frame in 0..n_frames {
            for pairs in scene.pairs(frame).chunks(100) {
                let mut least = f64::INFINITY;
                for _ in 0..4 {
                    search.start(pairs.len(), &settings);
                    let before = thread_ns();
                    search.run(&scene.meshes, pairs, Until::done()).expect("the meshes of the scene");
                    least = least.min(thread_ns() - before);
                }
                measured.push((search.counters(), least));
            }
        }
        report(runner, what, &measured);
    }
    // n_u: trees that are refitted.
    let mut measured = Vec::new();
    for i in 0..40 {
        let data = torus_knot(&Knot::default(), 1000 + 500 * i);
        let corners = data.triangles.iter().map(|t| t.map(|v| data.vertices[v as usize]));
        let boxes: Vec<Aabb> =
            corners.map(|[a, b, c]| Aabb::around(a.min(b).min(c), a.max(b).max(c))).collect();
        let mut tree =
            Bvh::<Aabb>::build(&boxes, &BuildSettings::default()).expect("a scene's mesh has a tree");
        let mut least = f64::INFINITY;
        for _ in 0..6 {
            let before = thread_ns();
            tree.refit(&boxes).expect("the boxes are those of the build");
            least = least.min(thread_ns() - before);
        }
        measured.push((tree.refit_work(), least));
    }
    report(runner, "refit", &measured);
}

fn report(runner: &mut Runner, what: &str, measured: &[(Counters, f64)]) {
    let fitted: Vec<(Counters, f64)> = measured.iter().copied().step_by(2).collect();
    let cost = Cost::fit(&fitted);
    let held: Vec<&(Counters, f64)> = measured.iter().skip(1).step_by(2).collect();
    let mut ratios: Vec<f64> = held.iter().map(|(work, time)| cost.predict(work) / time).collect();
    ratios.sort_by(f64::total_cmp);
    let (predicted, time): (f64, f64) =
        held.iter().fold((0.0, 0.0), |sum, (work, time)| (sum.0 + cost.predict(work), sum.1 + time));
    println!(
        "{what:<16} c_v {:>6.2}  c_p {:>7.2}  c_u {:>6.2}   predicted {:>8.1} us, measured {:>8.1} us for {} queries; \
         predicted/measured 5 % {:.2}, 50 % {:.2}, 95 % {:.2}",
        cost.volume_test,
        cost.primitive,
        cost.volume_update,
        predicted * 1e-3,
        time * 1e-3,
        held.len(),
        quantile(&ratios, 0.05),
        quantile(&ratios, 0.5),
        quantile(&ratios, 0.95)
    );
    let workload = format!("cost, {what}");
    let row = Row { workload: &workload, size: held.len() as u64, unit: Unit::Us, per_call: 1 };
    let times = [("carom measured", time), ("carom predicted", predicted)].map(|(name, total)| Times {
        name,
        typical: total / held.len() as f64,
        worst: total / held.len() as f64,
    });
    runner.write(row, &Answers::new(), &times, |_| Facts::default());
}
