//! Broad phase: one frame is telling which boxes moved, and getting the complete set of overlapping pairs.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, clippy::expect_used)]

use carom_benches::peers::parry;
use carom_benches::{Answers, Contest, Row, Runner, Unit};
use carom_broad::{BroadPhase, Filter, Pair, ProxyId};
use carom_broad_grid::{HierarchicalGrid, LooseOctree, SpatialHash, UniformGrid};
use carom_broad_tree::DynamicBvh;
use carom_scenes::{Crowd, CrowdKind};
use std::cell::RefCell;

/// Past this many boxes, parry's refitted tree takes seconds for a frame in which everything jumps.
const MAX_REFIT_JUMP: usize = 1000;

fn main() {
    let mut runner = Runner::new("broad");
    let sizes: &[usize] = if runner.is_quick() { &[1000, 10_000] } else { &[1000, 10_000, 100_000] };
    for kind in CrowdKind::ALL {
        for &n in sizes {
            if runner.wants(kind.name()) {
                crowd(&mut runner, kind, n);
            }
        }
    }
}

fn crowd(runner: &mut Runner, kind: CrowdKind, n: usize) {
    let crowd = RefCell::new(Crowd::new(kind, n, 7));
    let all: [(&'static str, Box<dyn BroadPhase>); 5] = [
        ("carom", Box::new(DynamicBvh::new())),
        ("carom grid", Box::new(UniformGrid::new())),
        ("carom hierarchical grid", Box::new(HierarchicalGrid::new())),
        ("carom spatial hash", Box::new(SpatialHash::new())),
        ("carom loose octree", Box::new(LooseOctree::new())),
    ];
    let mut caroms = all.map(|(name, broad)| (name, Carom::new(broad, crowd.borrow().boxes())));
    let mut refit = parry::BroadPhase::new(crowd.borrow().boxes());
    let mut improved = parry::BroadPhase::new(crowd.borrow().boxes());
    let mut rebuilt = parry::BroadPhase::new(crowd.borrow().boxes());
    let has_refit = kind != CrowdKind::Jump || n <= MAX_REFIT_JUMP;

    let mut answers = Answers::new();
    for frame in 0..3 {
        let mut crowd = crowd.borrow_mut();
        crowd.step();
        let theirs = if has_refit {
            refit.refit(crowd.boxes(), crowd.moved(), false)
        } else {
            rebuilt.rebuild(crowd.boxes())
        };
        theirs.sort_unstable();
        for (name, carom) in &mut caroms {
            carom.take(&crowd);
            let ours: Vec<(u32, u32)> = carom.frame().iter().map(|pair| (pair.a, pair.b)).collect();
            answers.pairs(&format!("{name}, frame {frame}"), &ours, theirs);
        }
    }

    let row = Row { workload: kind.name(), size: n as u64, unit: Unit::Ms, per_call: 1 };
    // Contestants run one after the other, but all of them borrow the scene.
    let caroms = caroms.map(|(name, carom)| (name, RefCell::new(carom)));
    let mut contest = Contest::new(answers);
    for (name, carom) in &caroms {
        contest = contest.entry(name, || {
            std::hint::black_box(carom.borrow_mut().frame());
        });
    }
    if has_refit {
        contest = contest
            .entry("parry", || {
                let crowd = crowd.borrow();
                std::hint::black_box(refit.refit(crowd.boxes(), crowd.moved(), false));
            })
            .entry("parry improved", || {
                let crowd = crowd.borrow();
                std::hint::black_box(improved.refit(crowd.boxes(), crowd.moved(), true));
            });
    }
    contest = contest.entry("parry rebuilt", || {
        std::hint::black_box(rebuilt.rebuild(crowd.borrow().boxes()));
    });
    let frames = if n < 100_000 { 60 } else { 24 };
    runner.frames(row, frames, contest, || {
        let mut crowd = crowd.borrow_mut();
        crowd.step();
        caroms.iter().for_each(|(_, carom)| carom.borrow_mut().take(&crowd));
    });
}

/// One of carom's broad phases with the list of moves that a caller hands over.
struct Carom {
    broad_phase: Box<dyn BroadPhase>,
    ids: Vec<ProxyId>,
    moves: Vec<(ProxyId, carom_bounds::Aabb)>,
    pairs: Vec<Pair>,
}

impl Carom {
    fn new(mut broad_phase: Box<dyn BroadPhase>, boxes: &[carom_bounds::Aabb]) -> Self {
        let ids = boxes
            .iter()
            .map(|aabb| broad_phase.insert(*aabb, Filter::default()).expect("boxes of a scene are finite"))
            .collect();
        Self { broad_phase, ids, moves: Vec::new(), pairs: Vec::new() }
    }

    /// Notes what moved, untimed: a caller has this list.
    fn take(&mut self, crowd: &Crowd) {
        self.moves.clear();
        self.moves.extend(crowd.moved().iter().map(|&i| (self.ids[i as usize], crowd.boxes()[i as usize])));
    }

    fn frame(&mut self) -> &[Pair] {
        self.broad_phase.update(&self.moves).expect("all proxies are live");
        self.broad_phase.pairs(&mut self.pairs);
        &self.pairs
    }
}
