//! Broad phase: one frame is telling which boxes moved, and getting the complete set of overlapping pairs.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc)]

use cap::Cap;
use carom_benches::broad::{Subject, algorithms};
use carom_benches::peers::{parry, rapier};
use carom_benches::{Answers, Contest, Facts, Row, Runner, Unit};
use carom_bounds::Aabb;
use carom_broad_auto::catalogue::{Growth, Place};
use carom_scenes::{Crowd, CrowdKind};
use std::alloc::System;
use std::cell::RefCell;

/// Counts bytes.
#[global_allocator]
static HEAP: Cap<System> = Cap::new(System, usize::MAX);

/// Each box is tested against each up to this many.
const MAX_SQUARE: usize = 10_000;
/// One axis is enough up to this many.
const MAX_ONE_AXIS: usize = 100_000;
/// Past this many, a tree that is only refitted takes seconds for a frame in which everything jumps.
const MAX_REFIT_JUMP: usize = 10_000;
/// Past this many, rapier's bodies, which it needs beside boxes, take gigabytes.
const MAX_RAPIER: usize = 100_000;
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
}

/// Frames until a scene is what it is named after.
fn prelude(kind: CrowdKind) -> usize {
    match kind {
        // Half of them lie by then.
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

    // What a peer says is what carom is compared with.
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
            // Its boxes are larger, so it has to have all, and may have more.
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
    let place = Place::of(&recorded.first);
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
        let mut subject = Subject::new(listed.make(&place));
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

    // Contestants run one after the other, but all of them look at the scene.
    let crowd = RefCell::new(crowd);
    let mut contest = Contest::new(answers);
    for (name, subject) in &subjects {
        contest = contest.entry(name, || {
            std::hint::black_box(subject.borrow_mut().frame());
        });
    }
    for (name, is_improved, peer) in &refits {
        let crowd = &crowd;
        contest = contest.entry(name, move || {
            let crowd = crowd.borrow();
            std::hint::black_box(peer.borrow_mut().refit(crowd.boxes(), crowd.moved(), *is_improved));
        });
    }
    contest = contest.entry("parry rebuilt", || {
        std::hint::black_box(rebuilt.rebuild(crowd.borrow().boxes()));
    });
    for (name, peer) in &changing {
        contest = contest.entry(name, || {
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
    runner.frames_and_facts(row, frames, contest, between, |name| Facts {
        tests_per_pair: subjects
            .iter()
            .find(|(own, _)| *own == name)
            .map(|(_, subject)| subject.borrow().tests_per_pair()),
        bytes_per_body: bytes.iter().find(|(own, _)| *own == name).map(|(_, bytes)| *bytes as f64 / n as f64),
        ..Facts::default()
    });
}
