//! Cliffs: the worst frame of a sudden change beside an ordinary frame, and beside the worst frame
//! of box pruning, which keeps nothing between frames.
//!
//! The typical time is the median of the frames before the change. The worst time is that of the
//! frames from the change on. If the change adds pairs or boxes, every algorithm needs more time,
//! box pruning too.
//!
//! Incremental sweep and prune must slow down if many boxes change places in its lists, and brute
//! force if there are many boxes. The others should stay within a small multiple of box pruning.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc)]

use carom_benches::broad::{Subject, algorithms};
use carom_benches::{Answers, Facts, Row, Runner, Times, Unit, median, thread_ns};
use carom_bounds::{Aabb, BoundingVolume};
use carom_broad_auto::catalogue::{Growth, WorldHints};
use carom_scenes::{Crowd, CrowdKind, Rng};
use glam::{DVec3, Vec3};

/// Frames before the change.
const CALM: usize = 20;
/// The largest number of boxes for brute force.
const MAX_SQUARE: usize = 20_000;
/// The largest number of boxes for algorithms that sort along one axis, except for the yardstick.
const MAX_ONE_AXIS: usize = 200_000;
/// The algorithm that the others are compared with.
const YARDSTICK: &str = "box-pruning";
/// The displacement of a fast box per frame: 1000 metres per second at 60 frames per second.
const FAST: f64 = 1000.0 / 60.0;

/// A run: its name, the number of boxes before the change (`n`) and at it (`most`), and the frames
/// from the change on. `change` takes the subject, the calm crowd and the number of the frame. It
/// prepares the frame untimed and returns its time, or `None` after the last frame.
struct Cliff {
    name: &'static str,
    n: usize,
    most: usize,
    change: fn(&mut Subject, &mut Crowd, usize, &Cliff) -> Option<f64>,
}

/// Returns the runs.
fn cliffs(runner: &Runner) -> Vec<Cliff> {
    let scale = if runner.is_test() {
        1
    } else if runner.is_quick() {
        10
    } else {
        100
    };
    let (n, few, most) = (1000 * scale, 100 * scale, 10_000 * scale);
    vec![
        Cliff { name: "all jump", n, most: n, change: all_jump },
        Cliff { name: "all at one point", n: few, most: few, change: one_point },
        Cliff { name: "one as large as the world", n, most: n, change: giant },
        Cliff { name: "a hundred times as many", n: few, most, change: added },
        Cliff { name: "all removed", n: most, most, change: removed },
        Cliff { name: "1,000 at 1 km/s", n, most: n, change: fast },
    ]
}

fn timed(work: impl FnOnce()) -> Option<f64> {
    let start = thread_ns();
    work();
    Some(thread_ns() - start)
}

fn frame(subject: &mut Subject) -> Option<f64> {
    timed(|| {
        std::hint::black_box(subject.frame());
    })
}

/// Three frames of jumps, then the calm crowd again.
fn all_jump(subject: &mut Subject, crowd: &mut Crowd, number: usize, cliff: &Cliff) -> Option<f64> {
    match number {
        0..3 => {
            let mut wild = Crowd::new(CrowdKind::Jump, cliff.n, 9 + number as u64);
            wild.step();
            subject.take(&wild);
        }
        3..10 => {
            crowd.step();
            subject.take(crowd);
        }
        _ => return None,
    }
    frame(subject)
}

/// Two frames in which all boxes hold one point, then the calm crowd again.
fn one_point(subject: &mut Subject, crowd: &mut Crowd, number: usize, cliff: &Cliff) -> Option<f64> {
    match number {
        0..2 => {
            let mut rng = Rng::new(number as u64);
            let mut at = || {
                let low = rng.in_box(DVec3::splat(-1.0), DVec3::ZERO).as_vec3();
                Aabb { min: low, max: low + Vec3::ONE }
            };
            subject.take_moves((0..cliff.n).map(|i| (i, at())));
        }
        2..6 => {
            crowd.step();
            subject.take(crowd);
        }
        _ => return None,
    }
    frame(subject)
}

/// A giant box is inserted, drifts with the others for five frames, and is removed.
fn giant(subject: &mut Subject, crowd: &mut Crowd, number: usize, cliff: &Cliff) -> Option<f64> {
    let side = crowd.boxes().iter().fold(0.0, |side: f32, aabb| side.max(aabb.max.max_element()));
    crowd.step();
    match number {
        0 => {
            subject.take(crowd);
            let giant = Aabb { min: Vec3::splat(-1.0), max: Vec3::splat(side + 1.0) };
            timed(|| {
                subject.add(&[giant]);
                std::hint::black_box(subject.frame());
            })
        }
        1..6 => {
            let shift = 0.01 * number as f32;
            let giant = Aabb { min: Vec3::splat(-1.0 - shift), max: Vec3::splat(side + 1.0 - shift) };
            let others = crowd.moved().iter().map(|&i| (i as usize, crowd.boxes()[i as usize]));
            subject.take_moves(others.chain([(cliff.n, giant)]));
            frame(subject)
        }
        6 => {
            subject.take(crowd);
            timed(|| {
                subject.truncate(cliff.n);
                std::hint::black_box(subject.frame());
            })
        }
        7..10 => {
            subject.take(crowd);
            frame(subject)
        }
        _ => None,
    }
}

/// Many boxes are inserted in one call and drift among the others for two frames.
fn added(subject: &mut Subject, crowd: &mut Crowd, number: usize, cliff: &Cliff) -> Option<f64> {
    crowd.step();
    subject.take(crowd);
    match number {
        0 => {
            let others = Crowd::new(CrowdKind::Uniform, cliff.most - cliff.n, 11);
            timed(|| {
                subject.add(others.boxes());
                std::hint::black_box(subject.frame());
            })
        }
        1..3 => frame(subject),
        _ => None,
    }
}

/// All are removed in one call; then a few are inserted.
fn removed(subject: &mut Subject, crowd: &mut Crowd, number: usize, _: &Cliff) -> Option<f64> {
    subject.take_moves([].into_iter());
    match number {
        0 => timed(|| {
            subject.truncate(0);
            std::hint::black_box(subject.frame());
        }),
        1 => {
            let few = &crowd.boxes()[..1000];
            timed(|| {
                subject.add(few);
                std::hint::black_box(subject.frame());
            })
        }
        _ => None,
    }
}

/// Every n/1000th box crosses the world; the others drift.
fn fast(subject: &mut Subject, crowd: &mut Crowd, number: usize, cliff: &Cliff) -> Option<f64> {
    if 30 <= number {
        return None;
    }
    let side = crowd.boxes().iter().fold(0.0, |side: f32, aabb| side.max(aabb.max.max_element()));
    crowd.step();
    let (boxes, every) = (crowd.boxes(), cliff.n / 1000);
    let mut rng = Rng::new(3);
    let moved_box = |i: usize| {
        if !i.is_multiple_of(every) {
            return (i, boxes[i]);
        }
        // Forth and back: a triangle wave of the distance travelled.
        let displacement = rng.direction() * (FAST * (number + 1) as f64);
        let at = boxes[i].center().as_dvec3() + displacement;
        let period = 2.0 * f64::from(side);
        let fold = |x: f64| (x - period * (x / period).round()).abs();
        let shift = DVec3::new(fold(at.x), fold(at.y), fold(at.z)).as_vec3() - boxes[i].center();
        (i, Aabb { min: boxes[i].min + shift, max: boxes[i].max + shift })
    };
    subject.take_moves((0..cliff.n).map(moved_box));
    frame(subject)
}

/// Runs one algorithm. Returns the median of the calm frames, the worst from the change on, the
/// pairs found, and the tests for each of them.
fn run(cliff: &Cliff, make: impl Fn(&WorldHints) -> Subject) -> (f64, f64, u64, f64) {
    let mut crowd = Crowd::new(CrowdKind::Uniform, cliff.n, 7);
    let mut subject = make(&WorldHints::of(Crowd::new(CrowdKind::Uniform, cliff.most, 11).boxes()));
    subject.add(crowd.boxes());
    let n_calm = if MAX_ONE_AXIS < cliff.n { 5 } else { CALM };
    let mut calm = Vec::new();
    for number in 0..n_calm {
        crowd.step();
        subject.take(&crowd);
        let time = frame(&mut subject);
        // The first frames find all pairs and allocate memory.
        calm.extend(time.filter(|_| 2 <= number));
    }
    let mut worst: f64 = 0.0;
    for number in 0.. {
        let Some(time) = (cliff.change)(&mut subject, &mut crowd, number, cliff) else { break };
        worst = worst.max(time);
    }
    (median(&mut calm), worst, subject.n_found(), subject.tests_per_pair())
}

fn main() {
    let mut runner = Runner::new("cliffs");
    for cliff in cliffs(&runner) {
        if !runner.wants(cliff.name) {
            continue;
        }
        let (mut times, mut tests) = (Vec::new(), Vec::new());
        let (mut answers, mut found) = (Answers::new(), None);
        for (name, listed) in algorithms() {
            let limit = match listed.growth {
                Growth::EachAgainstEach => MAX_SQUARE,
                Growth::OneAxis if listed.name != YARDSTICK => MAX_ONE_AXIS,
                _ => usize::MAX,
            };
            if limit < cliff.most {
                continue;
            }
            let (typical, worst, n_found, tests_per_pair) =
                run(&cliff, |hints| Subject::new(listed.make(hints)));
            answers.equal(name, found.get_or_insert(n_found), &n_found);
            times.push(Times { name, typical, worst });
            tests.push((name, tests_per_pair));
        }
        let row = Row { workload: cliff.name, size: cliff.most as u64, unit: Unit::Ms, per_call: 1 };
        runner.write(row, &answers, &times, |name| Facts {
            tests_per_pair: tests.iter().find(|(own, _)| *own == name).map(|(_, tests)| *tests),
            ..Facts::default()
        });
    }
}
