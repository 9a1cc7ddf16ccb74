//! Broad phases. A frame takes the list of moved boxes and returns all overlapping pairs.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc)]

use cap::Cap;
use carom_benches::broad::{Recording, Subject, algorithms};
use carom_benches::peers::{parry, rapier};
use carom_benches::{Answers, Comparison, Facts, Row, Runner, Unit};
use carom_bounds::Aabb;
use carom_broad::{BroadPhase, Filter, Mobility};
use carom_broad_auto::catalogue::{CatalogueEntry, Growth, SpatialBroadPhase, WorldHints};
use carom_broad_sap::{SapSettings, SortedAxes, SweepAndPrune};
use carom_math::{Interval, Ray};
use carom_scenes::{Crowd, CrowdKind, Rng};
use std::alloc::System;
use std::cell::RefCell;

/// The allocator, which counts bytes.
#[global_allocator]
static HEAP: Cap<System> = Cap::new(System, usize::MAX);

/// The largest number of boxes for brute force.
const MAX_SQUARE: usize = 10_000;
/// The largest number of boxes for algorithms that sort along one axis.
const MAX_ONE_AXIS: usize = 100_000;
/// The largest number of boxes for trees that are only refitted, if all boxes jump: more take
/// seconds for a frame.
const MAX_REFIT_JUMP: usize = 10_000;
/// The largest number of boxes for rapier: its bodies, which it needs beside boxes, take gigabytes
/// for more.
const MAX_RAPIER: usize = 100_000;
/// Structures with an index of their own for rays.
const RAY_STRUCTURES: [&str; 6] = [
    "carom",
    "carom rebuilt-bvh",
    "carom kd-tree",
    "carom uniform-grid",
    "carom loose-octree",
    "carom loose-quadtree",
];
/// Frames whose answers are compared.
const CHECKED: usize = 3;

fn main() {
    let mut runner = Runner::new("broad");
    let mut sizes = vec![1000, 10_000];
    if !runner.is_quick() {
        sizes.push(100_000);
    }
    if runner.is_full() {
        sizes.push(1_000_000);
    }
    for kind in CrowdKind::ALL {
        for &n in &sizes {
            if runner.wants(kind.name()) {
                crowd(&mut runner, kind, n);
            }
        }
    }
    for &n in &sizes {
        if runner.wants("flat") {
            recorded(&mut runner, "flat", &Recording::flat(n, 7));
        }
        if runner.wants("static ground") {
            recorded(&mut runner, "static ground", &Recording::static_ground(n, 7));
        }
        if n <= MAX_ONE_AXIS && runner.wants("left out") {
            recorded(&mut runner, "floor, an axis left out", &Recording::of_crowd(CrowdKind::Floor, n, 7));
        }
        if runner.wants("batches") {
            batches(&mut runner, n);
        }
        if runner.wants("rays") {
            rays(&mut runner, n);
        }
    }
}

/// Returns the algorithms whose time per box does not grow with the number of boxes, or does not
/// while boxes keep their order.
fn quick(n: usize) -> impl Iterator<Item = (&'static str, &'static CatalogueEntry)> {
    algorithms().into_iter().filter(move |(_, listed)| match listed.growth {
        Growth::Even => true,
        Growth::EvenWhileCalm => n <= MAX_ONE_AXIS,
        _ => false,
    })
}

/// Frames of a recording, played forth and back. The peer has no static boxes, and keeps its tree
/// between frames.
fn recorded(runner: &mut Runner, name: &str, recording: &Recording) {
    let n = recording.first.len();
    let mobility = |i: usize| if recording.moves[i] { Mobility::Dynamic } else { Mobility::Fixed };
    let mut answers = Answers::new();
    let mut boxes = recording.first.clone();
    let mut peer = parry::BroadPhase::new(&recording.first);
    let mut expected = Vec::new();
    for frame in &recording.frames[..CHECKED] {
        frame.iter().for_each(|&(i, aabb)| boxes[i as usize] = aabb);
        let pairs = peer.rebuild(&boxes);
        pairs.sort_unstable();
        let is_wanted = |&(a, b): &(u32, u32)| recording.moves[a as usize] || recording.moves[b as usize];
        expected.push(pairs.iter().copied().filter(is_wanted).collect::<Vec<_>>());
    }
    let mut subjects = Vec::new();
    let hints = WorldHints::of(&recording.first);
    let mut wholes: Vec<(&str, Box<dyn BroadPhase>)> = Vec::new();
    for (name, listed) in quick(n) {
        wholes.push((name, listed.make(&hints)));
    }
    if n <= MAX_ONE_AXIS {
        // Bodies stand on each other along y.
        let finder = SortedAxes::new(SapSettings::default().with_skipped_axis(1));
        wholes.push(("carom sweep-and-prune without y", Box::new(SweepAndPrune::with_finder(finder))));
    }
    for (name, broad) in wholes {
        let mut subject = Subject::new(broad);
        subject.add_filtered(&recording.first, |i| Filter::new(mobility(i)));
        for (frame, expected) in recording.frames.iter().zip(&expected) {
            subject.take_moves(frame.iter().map(|&(i, aabb)| (i as usize, aabb)));
            let ours: Vec<(u32, u32)> = subject.frame().iter().map(|pair| (pair.a, pair.b)).collect();
            answers.pairs(name, &ours, expected);
        }
        subjects.push((name, RefCell::new(subject)));
    }
    let moved: Vec<u32> = (0..n as u32).filter(|&i| recording.moves[i as usize]).collect();
    let (boxes, peer) = (RefCell::new(boxes), RefCell::new(peer));
    let mut comparison = Comparison::new(answers);
    for (name, subject) in &subjects {
        comparison = comparison.entry(name, || {
            std::hint::black_box(subject.borrow_mut().frame());
        });
    }
    comparison = comparison.entry("parry improved", || {
        std::hint::black_box(peer.borrow_mut().refit(&boxes.borrow(), &moved, true));
    });
    let row = Row { workload: name, size: n as u64, unit: Unit::Ms, per_call: 1 };
    let mut frame = CHECKED - 1;
    let between = || {
        frame += 1;
        let moves = &recording.frames[recording.turn(frame)];
        moves.iter().for_each(|&(i, aabb)| boxes.borrow_mut()[i as usize] = aabb);
        for (_, subject) in &subjects {
            subject.borrow_mut().take_moves(moves.iter().map(|&(i, aabb)| (i as usize, aabb)));
        }
    };
    runner.frames_with_facts(row, 40, comparison, between, |name| Facts {
        tests_per_pair: subjects
            .iter()
            .find(|(own, _)| *own == name)
            .map(|(_, subject)| subject.borrow().tests_per_pair()),
        ..Facts::default()
    });
}

/// Returns the number of frames before the measurement, after which a scene is typical of its
/// kind.
fn prelude(kind: CrowdKind) -> usize {
    match kind {
        // By then half of the boxes have landed.
        CrowdKind::FreeFall => 60,
        CrowdKind::Brownian | CrowdKind::Gravity => 30,
        _ => 0,
    }
}

/// Some frames of a crowd.
struct Recorded {
    first: Vec<Aabb>,
    frames: Vec<Crowd>,
    pairs: Vec<Vec<(u32, u32)>>,
}

fn crowd(runner: &mut Runner, kind: CrowdKind, n: usize) {
    let mut crowd = Crowd::new(kind, n, 7);
    for _ in 0..prelude(kind) {
        crowd.step();
    }
    let mut recorded = Recorded { first: crowd.boxes().to_vec(), frames: Vec::new(), pairs: Vec::new() };
    for _ in 0..CHECKED {
        crowd.step();
        recorded.frames.push(crowd.clone());
    }
    let (mut answers, mut bytes) = (Answers::new(), Vec::new());

    // The pairs of carom are compared with those of a peer.
    let jumps = kind == CrowdKind::Jump;
    let before = HEAP.allocated();
    let mut rebuilt = parry::BroadPhase::new(&recorded.first);
    for frame in &recorded.frames {
        let pairs = rebuilt.rebuild(frame.boxes());
        pairs.sort_unstable();
        recorded.pairs.push(pairs.to_vec());
    }
    rebuilt.forget();
    let own = recorded.pairs.iter().map(|pairs| 8 * pairs.capacity()).sum::<usize>();
    bytes.push(("parry rebuilt", HEAP.allocated() - before - own));
    let mut refits = Vec::new();
    if !jumps || n <= MAX_REFIT_JUMP {
        for (name, is_improved) in [("parry", false), ("parry improved", true)] {
            let before = HEAP.allocated();
            let mut peer = parry::BroadPhase::new(&recorded.first);
            for frame in &recorded.frames {
                peer.refit(frame.boxes(), frame.moved(), is_improved);
            }
            peer.forget();
            bytes.push((name, HEAP.allocated() - before));
            refits.push((name, is_improved, RefCell::new(peer)));
        }
    }
    let mut changing = Vec::new();
    if n <= MAX_RAPIER && (!jumps || n <= MAX_REFIT_JUMP) {
        let mut peer = rapier::BroadPhase::new(n);
        let all: Vec<u32> = (0..n as u32).collect();
        let before = HEAP.allocated();
        peer.frame(&recorded.first, &all);
        peer.pairs();
        for (frame, expected) in recorded.frames.iter().zip(&recorded.pairs) {
            peer.frame(frame.boxes(), frame.moved());
            let pairs = peer.pairs();
            // rapier's boxes are larger: it must find all pairs, and may find more.
            let missed = expected.iter().filter(|pair| !pairs.contains(pair)).count();
            answers.equal("pairs that rapier has not", &0, &missed);
        }
        let n_pairs = peer.pairs().len();
        println!(
            "    rapier has {n_pairs} pairs of its larger boxes, of which {} touch",
            recorded.pairs[CHECKED - 1].len()
        );
        peer.forget();
        bytes.push(("rapier (changes)", HEAP.allocated() - before));
        changing.push(("rapier (changes)", RefCell::new(peer)));
    }

    let mut subjects = Vec::new();
    let hints = WorldHints::of(&recorded.first);
    for (name, listed) in algorithms() {
        let most = match listed.growth {
            Growth::OneAxis => MAX_ONE_AXIS,
            Growth::EachAgainstEach => MAX_SQUARE,
            Growth::EvenWhileCalm => MAX_ONE_AXIS,
            _ => usize::MAX,
        };
        if most < n {
            continue;
        }
        let before = HEAP.allocated();
        let mut subject = Subject::new(listed.make(&hints));
        subject.add(&recorded.first);
        for (frame, expected) in recorded.frames.iter().zip(&recorded.pairs) {
            subject.take(frame);
            let ours: Vec<(u32, u32)> = subject.frame().iter().map(|pair| (pair.a, pair.b)).collect();
            answers.pairs(name, &ours, expected);
        }
        let own = subject.forget();
        bytes.push((name, HEAP.allocated() - before - own));
        subjects.push((name, RefCell::new(subject)));
    }
    drop(recorded);

    // The entries run one after the other, and all of them read the scene.
    let crowd = RefCell::new(crowd);
    let mut comparison = Comparison::new(answers);
    for (name, subject) in &subjects {
        comparison = comparison.entry(name, || {
            std::hint::black_box(subject.borrow_mut().frame());
        });
    }
    for (name, is_improved, peer) in &refits {
        let crowd = &crowd;
        comparison = comparison.entry(name, move || {
            let crowd = crowd.borrow();
            std::hint::black_box(peer.borrow_mut().refit(crowd.boxes(), crowd.moved(), *is_improved));
        });
    }
    comparison = comparison.entry("parry rebuilt", || {
        std::hint::black_box(rebuilt.rebuild(crowd.borrow().boxes()));
    });
    for (name, peer) in &changing {
        comparison = comparison.entry(name, || {
            let crowd = crowd.borrow();
            std::hint::black_box(peer.borrow_mut().frame(crowd.boxes(), crowd.moved()));
        });
    }
    let row = Row { workload: kind.name(), size: n as u64, unit: Unit::Ms, per_call: 1 };
    let frames = match n {
        ..100_000 => 60,
        100_000..1_000_000 => 24,
        _ => 9,
    };
    let between = || {
        let mut crowd = crowd.borrow_mut();
        crowd.step();
        subjects.iter().for_each(|(_, subject)| subject.borrow_mut().take(&crowd));
    };
    runner.frames_with_facts(row, frames, comparison, between, |name| Facts {
        tests_per_pair: subjects
            .iter()
            .find(|(own, _)| *own == name)
            .map(|(_, subject)| subject.borrow().tests_per_pair()),
        bytes_per_body: bytes.iter().find(|(own, _)| *own == name).map(|(_, bytes)| *bytes as f64 / n as f64),
        ..Facts::default()
    });
}

/// Nothing moves. In each frame one box of a hundred is removed and as many others are inserted, in
/// one batch each.
fn batches(runner: &mut Runner, n: usize) {
    let boxes = Crowd::new(CrowdKind::Uniform, n, 7).boxes().to_vec();
    let stay = n - n / 100;
    // Two sets of boxes that are inserted alternately.
    let guests = [boxes[stay..].to_vec(), Crowd::new(CrowdKind::Uniform, n, 8).boxes()[stay..].to_vec()];
    let (mut answers, hints) = (Answers::new(), WorldHints::of(&boxes));
    let turn = |subject: &mut Subject, frame: usize| {
        subject.truncate(stay);
        subject.add(&guests[frame % 2]);
        subject.frame().iter().map(|pair| (pair.a, pair.b)).collect::<Vec<(u32, u32)>>()
    };
    let (mut subjects, mut expected) = (Vec::new(), Vec::new());
    for (name, listed) in quick(n) {
        let mut subject = Subject::new(listed.make(&hints));
        subject.add(&boxes);
        for frame in 0..CHECKED {
            let ours = turn(&mut subject, frame);
            if expected.len() <= frame {
                // The peer gets both kinds of box in one list.
                let now: Vec<Aabb> = boxes[..stay].iter().chain(&guests[frame % 2]).copied().collect();
                let mut pairs = parry::BroadPhase::new(&now).rebuild(&now).to_vec();
                pairs.sort_unstable();
                expected.push(pairs);
            }
            answers.pairs(name, &ours, &expected[frame]);
        }
        subjects.push((name, RefCell::new((subject, CHECKED))));
    }
    let mut comparison = Comparison::new(answers);
    for (name, subject) in &subjects {
        comparison = comparison.entry(name, || {
            let (subject, frame) = &mut *subject.borrow_mut();
            *frame += 1;
            subject.truncate(stay);
            subject.add(&guests[*frame % 2]);
            std::hint::black_box(subject.frame());
        });
    }
    let row = Row { workload: "batches", size: n as u64, unit: Unit::Ms, per_call: 1 };
    runner.frames(row, 24, comparison, || {});
}

/// The first hits of a thousand rays in a crowd at rest, by the structures with ray queries of
/// their own.
fn rays(runner: &mut Runner, n: usize) {
    let boxes = Crowd::new(CrowdKind::Uniform, n, 7).boxes().to_vec();
    let (mut rng, world, mut answers) = (Rng::new(3), WorldHints::of(&boxes).bounds, Answers::new());
    let rays: Vec<Ray> = (0..1000)
        .map(|_| {
            let from = rng.in_box(world.min.as_dvec3(), world.max.as_dvec3());
            Ray::new(from.as_vec3(), rng.direction().as_vec3())
        })
        .collect();
    let first = |broad: &dyn SpatialBroadPhase| -> Vec<Option<u32>> {
        rays.iter().map(|ray| broad.first_hit(ray, Interval::FORWARD).map(|hit| hit.index)).collect()
    };
    let (mut wholes, mut expected) = (Vec::new(), None);
    for (name, listed) in quick(n).filter(|(name, _)| RAY_STRUCTURES.contains(name)) {
        let mut broad = listed.make(&WorldHints::of(&boxes));
        let batch: Vec<_> = boxes.iter().map(|&aabb| (aabb, Filter::default())).collect();
        let is_done = broad.insert_batch(&batch, &mut Vec::new());
        debug_assert!(is_done.is_ok(), "boxes of a scene are finite");
        broad.refresh();
        let hits = first(&*broad);
        answers.equal(name, expected.get_or_insert_with(|| hits.clone()), &hits);
        wholes.push((name, broad));
    }
    let mut comparison = Comparison::new(answers);
    for (name, broad) in &wholes {
        comparison = comparison.entry(name, || {
            std::hint::black_box(first(&**broad));
        });
    }
    let row = Row { workload: "rays", size: n as u64, unit: Unit::Ns, per_call: rays.len() as u64 };
    runner.compare(row, comparison);
}
