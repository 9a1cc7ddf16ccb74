//! `carom pairs`: which broad phase is best for a recorded run of boxes.
//!
//! Every algorithm is told the same and has to give the same pairs, byte for byte; what differs is the time.

use crate::args::PairsArgs;
use crate::report::{self, Found};
use carom_bounds::Aabb;
use carom_broad::{BroadPhase, BruteForce, Filter, Pair, ProxyId};
use carom_broad_grid::{HierarchicalGrid, LooseOctree, SpatialHash, UniformGrid};
use carom_broad_sap::{
    AutoBoxPruning, BoxPruning, MultiBoxPruning, MultiSap, RegionAxes, RegionPruner, Regions, SapSettings,
    SweepAndPrune, SweepSort,
};
use carom_broad_tree::{DynamicBvh, RebuiltBvh};
use carom_io::boxes_csv::{self, BoxFrame};
use glam::Vec3;
use serde_json::json;
use std::collections::HashMap;
use std::time::Instant;

/// The names, and what each is.
pub const BROAD_PHASES: [&str; 13] = [
    "tree",
    "rebuilt-tree",
    "grid",
    "hierarchical-grid",
    "spatial-hash",
    "loose-octree",
    "auto-box-pruning",
    "box-pruning",
    "multi-box-pruning",
    "sweep-and-prune",
    "multi-sap",
    "sweep-sort",
    "brute-force",
];

/// With more boxes than this `all` leaves out the algorithms that test nearly all against all.
const MANY: usize = 20_000;

/// Boxes that a region of the algorithms with regions holds.
const REGION: f64 = 200.0;

/// What happens between two searches, in the handles that every algorithm gives out.
#[derive(Default)]
struct Step {
    gone: Vec<ProxyId>,
    moved: Vec<(ProxyId, Aabb)>,
    new: Vec<(Aabb, Filter)>,
}

/// What one algorithm took.
struct Outcome {
    name: &'static str,
    /// Milliseconds of each frame.
    times: Vec<f64>,
    n_tests: u64,
    counts: Vec<usize>,
    hash: u64,
}

impl Outcome {
    fn mean(&self) -> f64 {
        self.times.iter().sum::<f64>() / self.times.len().max(1) as f64
    }

    fn worst(&self) -> f64 {
        self.times.iter().copied().fold(0.0, f64::max)
    }

    fn tests_per_pair(&self) -> f64 {
        self.n_tests as f64 / self.counts.iter().sum::<usize>().max(1) as f64
    }
}

/// Runs the command.
pub fn run(args: &PairsArgs) -> Result<Found, String> {
    let frames = boxes_csv::read(&args.file).map_err(|e| e.to_string())?;
    let steps = steps_of(&frames)?;
    let most = frames.iter().map(|frame| frame.boxes.len()).max().unwrap_or(0);
    let names: Vec<&'static str> = BROAD_PHASES
        .into_iter()
        .filter(|name| match args.broad_phase.as_str() {
            "all" => most <= MANY || !["brute-force", "sweep-sort", "box-pruning"].contains(name),
            wanted => wanted == *name,
        })
        .collect();
    let regions = regions_of(&frames)?;
    let mut outcomes: Vec<Outcome> = Vec::new();
    for name in names {
        let outcome = run_one(name, &steps, &frames, &regions)?;
        if let Some(first) = outcomes.first().filter(|first| first.hash != outcome.hash) {
            return Err(format!("{} and {} disagree: this is a fault in carom", first.name, outcome.name));
        }
        outcomes.push(outcome);
    }
    let Some(first) = outcomes.first() else { return Err(format!("no broad phase {:?}", args.broad_phase)) };
    if args.json {
        let results: Vec<_> = outcomes
            .iter()
            .map(|outcome| {
                json!({"broad_phase": outcome.name, "ms_per_frame": outcome.mean(), "worst_ms": outcome.worst(),
                    "tests_per_pair": outcome.tests_per_pair()})
            })
            .collect();
        let document = json!({"schema": "carom.pairs.v1", "frames": first.counts,
            "hash": format!("{:016x}", first.hash), "results": results});
        report::print(&document.to_string())?;
    } else {
        report::print(&text(&outcomes, &frames, most))?;
    }
    Ok(Found::Nothing)
}

fn text(outcomes: &[Outcome], frames: &[BoxFrame], most: usize) -> String {
    let n_pairs: usize = outcomes.first().map_or(0, |outcome| outcome.counts.iter().sum());
    let mut lines = vec![
        format!(
            "{} frames, at most {most} boxes, {:.1} pairs a frame",
            frames.len(),
            n_pairs as f64 / frames.len() as f64
        ),
        format!("{:<20} {:>12} {:>10} {:>15}", "broad phase", "ms a frame", "worst", "tests per pair"),
    ];
    let best = outcomes.iter().map(Outcome::mean).fold(f64::INFINITY, f64::min);
    for outcome in outcomes {
        lines.push(format!(
            "{:<20} {:>12.4} {:>10.4} {:>15.1}{}",
            outcome.name,
            outcome.mean(),
            outcome.worst(),
            outcome.tests_per_pair(),
            if 1 < outcomes.len() && outcome.mean() == best { "  fastest" } else { "" }
        ));
    }
    if outcomes.len() < BROAD_PHASES.len() && 1 < outcomes.len() {
        lines.push(format!(
            "left out, as there are more than {MANY} boxes: box-pruning, sweep-sort, brute-force"
        ));
    }
    lines.join("\n")
}

/// What is to be told before each search. The handles are those that every algorithm gives out for the same calls.
fn steps_of(frames: &[BoxFrame]) -> Result<Vec<Step>, String> {
    let mut ids: HashMap<u64, (ProxyId, Aabb)> = HashMap::new();
    // Something that gives out handles: nobody asks it for pairs.
    let mut model = BruteForce::new();
    let mut steps = Vec::with_capacity(frames.len());
    for frame in frames {
        let mut step = Step::default();
        let mut names = Vec::new();
        let before = core::mem::take(&mut ids);
        for (id, sides) in &frame.boxes {
            let [a, b, c, d, e, f] = *sides;
            let aabb = Aabb { min: Vec3::new(a, b, c), max: Vec3::new(d, e, f) };
            match before.get(id) {
                Some(&(proxy, old)) => {
                    if old != aabb {
                        step.moved.push((proxy, aabb));
                    }
                    ids.insert(*id, (proxy, aabb));
                }
                None => {
                    step.new.push((aabb, Filter::default()));
                    names.push(*id);
                }
            }
        }
        step.gone =
            before.iter().filter(|(id, _)| !ids.contains_key(id)).map(|(_, (proxy, _))| *proxy).collect();
        // The order of a map is no order.
        step.gone.sort_unstable();
        model.remove_batch(&step.gone).map_err(|e| e.to_string())?;
        let mut proxies = Vec::new();
        model.insert_batch(&step.new, &mut proxies).map_err(|e| e.to_string())?;
        for ((id, proxy), (aabb, _)) in names.into_iter().zip(proxies).zip(&step.new) {
            ids.insert(id, (proxy, *aabb));
        }
        steps.push(step);
    }
    Ok(steps)
}

/// A grid of regions over everything, with a few hundred boxes in each.
fn regions_of(frames: &[BoxFrame]) -> Result<Regions, String> {
    let (mut min, mut max, mut most) = (Vec3::MAX, Vec3::MIN, 0);
    for frame in frames {
        most = most.max(frame.boxes.len());
        for (_, [a, b, c, d, e, f]) in &frame.boxes {
            (min, max) = (min.min(Vec3::new(*a, *b, *c)), max.max(Vec3::new(*d, *e, *f)));
        }
    }
    let side = ((most as f64 / REGION).cbrt() as u32).clamp(1, 32);
    Regions::grid(&Aabb { min, max }, [side; 3]).map_err(|e| e.to_string())
}

fn run_one(
    name: &'static str,
    steps: &[Step],
    frames: &[BoxFrame],
    regions: &Regions,
) -> Result<Outcome, String> {
    let mut broad: Box<dyn BroadPhase> = match name {
        "tree" => Box::new(DynamicBvh::new()),
        "rebuilt-tree" => Box::new(RebuiltBvh::new()),
        "grid" => Box::new(UniformGrid::new()),
        "hierarchical-grid" => Box::new(HierarchicalGrid::new()),
        "spatial-hash" => Box::new(SpatialHash::new()),
        "loose-octree" => Box::new(LooseOctree::new()),
        "auto-box-pruning" => Box::new(AutoBoxPruning::new()),
        "box-pruning" => Box::new(BoxPruning::new()),
        "multi-box-pruning" => Box::new(MultiBoxPruning::with_finder(RegionPruner::new(regions.clone()))),
        "sweep-and-prune" => Box::new(SweepAndPrune::new()),
        "multi-sap" => {
            Box::new(MultiSap::with_finder(RegionAxes::new(regions.clone(), SapSettings::default())))
        }
        "sweep-sort" => Box::new(SweepSort::new()),
        _ => Box::new(BruteForce::new()),
    };
    let mut outcome = Outcome { name, times: Vec::new(), n_tests: 0, counts: Vec::new(), hash: FNV_START };
    let (mut pairs, mut proxies) = (Vec::<Pair>::new(), Vec::new());
    for (step, frame) in steps.iter().zip(frames) {
        let start = Instant::now();
        proxies.clear();
        broad.remove_batch(&step.gone).map_err(|e| e.to_string())?;
        broad.update(&step.moved).map_err(|e| e.to_string())?;
        broad.insert_batch(&step.new, &mut proxies).map_err(|e| e.to_string())?;
        broad.pairs(&mut pairs);
        outcome.times.push(start.elapsed().as_secs_f64() * 1e3);
        outcome.n_tests += broad.counters().tests;
        outcome.counts.push(pairs.len());
        hash_frame(&mut outcome.hash, frame.number, &pairs);
    }
    Ok(outcome)
}

const FNV_START: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a over the frame's number and its pairs.
fn hash_frame(hash: &mut u64, number: u64, pairs: &[Pair]) {
    let mut take = |bytes: &[u8]| {
        for byte in bytes {
            *hash = (*hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    };
    take(&number.to_le_bytes());
    for pair in pairs {
        take(&pair.a.to_le_bytes());
        take(&pair.b.to_le_bytes());
    }
}
