//! Broad phase: one frame is telling which boxes moved, and getting the complete set of overlapping pairs.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, clippy::expect_used)]

use carom_benches::peers::parry;
use carom_benches::{Answers, Contest, Row, Runner, Unit};
use carom_bounds::{Aabb, BoundingVolume};
use carom_broad::{BroadPhase, BruteForce, Filter, Pair, ProxyId};
use carom_broad_auto::Auto;
use carom_broad_grid::{HierarchicalGrid, LooseOctree, SpatialHash, UniformGrid};
use carom_broad_sap::{
    AutoBoxPruning, BoxPruning, MultiBoxPruning, MultiSap, RegionAxes, RegionPruner, Regions, SapSettings,
    SweepAndPrune, SweepSort,
};
use carom_broad_tree::{DynamicBvh, KdTree, RebuiltBvh};
use carom_scenes::{Crowd, CrowdKind};
use std::cell::RefCell;

/// Past this many boxes one axis is not enough.
const MAX_ONE_AXIS: usize = 10_000;

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
    // A few hundred boxes in each region.
    let around = crowd.borrow().boxes().iter().fold(Aabb::EMPTY, |all, aabb| all.merged(aabb));
    let side = ((n as f64 / 200.0).cbrt() as u32).max(1);
    let regions = || Regions::grid(&around, [side; 3]).expect("boxes of a scene are finite");
    let mut all: Vec<(&'static str, Box<dyn BroadPhase>)> = vec![
        ("carom", Box::new(DynamicBvh::new())),
        ("carom rebuilt tree", Box::new(RebuiltBvh::new())),
        ("carom kd-tree", Box::new(KdTree::new())),
        ("carom auto", Box::new(Auto::new())),
        ("carom grid", Box::new(UniformGrid::new())),
        ("carom hierarchical grid", Box::new(HierarchicalGrid::new())),
        ("carom spatial hash", Box::new(SpatialHash::new())),
        ("carom loose octree", Box::new(LooseOctree::new())),
        ("carom auto box pruning", Box::new(AutoBoxPruning::new())),
        ("carom multi box pruning", Box::new(MultiBoxPruning::with_finder(RegionPruner::new(regions())))),
        (
            "carom multi-SAP",
            Box::new(MultiSap::with_finder(RegionAxes::new(regions(), SapSettings::default()))),
        ),
        ("carom sweep and prune", Box::new(SweepAndPrune::new())),
    ];
    if n <= MAX_ONE_AXIS {
        all.push(("carom box pruning", Box::new(BoxPruning::new())));
        all.push(("carom sweep sort", Box::new(SweepSort::new())));
        all.push(("carom brute force", Box::new(BruteForce::new())));
    }
    let mut caroms: Vec<(&'static str, Carom)> =
        all.into_iter().map(|(name, broad)| (name, Carom::new(broad, crowd.borrow().boxes()))).collect();
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
    let caroms: Vec<_> = caroms.into_iter().map(|(name, carom)| (name, RefCell::new(carom))).collect();
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
