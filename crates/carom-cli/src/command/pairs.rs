//! `carom pairs`: which broad phase is fastest for a recorded run of boxes.
//!
//! Every algorithm gets the same input and must give the same pairs, byte for byte. Only the times
//! differ.

use crate::args::PairsArgs;
use crate::report::{self, Outcome};
use carom_bounds::{Aabb, BoundingVolume};
use carom_broad::{BroadPhase, BruteForce, Filter, Pair, ProxyId};
use carom_broad_auto::catalogue::{ALGORITHMS, CatalogueEntry, Growth, WorldHints};
use carom_io::boxes_csv::{self, BoxFrame};
use glam::Vec3;
use serde_json::json;
use std::collections::HashMap;
use std::time::Instant;

/// The number of boxes above which `all` leaves out the algorithms that test nearly all pairs.
const MAX_ALL_PAIRS_BOXES: usize = 20_000;

/// The changes between two searches, in the handles that every algorithm gives out.
#[derive(Default)]
struct Step {
    gone: Vec<ProxyId>,
    moved: Vec<(ProxyId, Aabb)>,
    new: Vec<(Aabb, Filter)>,
}

/// The times and results of one algorithm.
struct Measured {
    name: &'static str,
    /// Milliseconds of each frame.
    times: Vec<f64>,
    n_tests: u64,
    counts: Vec<usize>,
    hash: u64,
}

impl Measured {
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
pub fn run(args: &PairsArgs) -> Result<Outcome, String> {
    let frames = boxes_csv::read(&args.file).map_err(|e| e.to_string())?;
    let steps = steps_of(&frames)?;
    let most = frames.iter().map(|frame| frame.boxes.len()).max().unwrap_or(0);
    let (chosen, left_out): (Vec<&CatalogueEntry>, Vec<&CatalogueEntry>) =
        ALGORITHMS.iter().partition(|listed| match args.broad_phase.as_str() {
            "all" => {
                most <= MAX_ALL_PAIRS_BOXES
                    || !matches!(listed.growth, Growth::OneAxis | Growth::EachAgainstEach)
            }
            wanted => wanted == listed.name,
        });
    let hints = hints_of(&frames);
    let mut outcomes: Vec<Measured> = Vec::new();
    for listed in chosen {
        let outcome = run_one(listed, &steps, &frames, &hints)?;
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
        report::print(&text(&outcomes, &left_out, &frames, most))?;
    }
    Ok(Outcome::Nothing)
}

fn text(outcomes: &[Measured], left_out: &[&CatalogueEntry], frames: &[BoxFrame], most: usize) -> String {
    let n_pairs: usize = outcomes.first().map_or(0, |outcome| outcome.counts.iter().sum());
    let mut lines = vec![
        format!(
            "{} frames, at most {most} boxes, {:.1} pairs a frame",
            frames.len(),
            n_pairs as f64 / frames.len() as f64
        ),
        format!("{:<20} {:>12} {:>10} {:>15}", "broad phase", "ms a frame", "worst", "tests per pair"),
    ];
    let best = outcomes.iter().map(Measured::mean).fold(f64::INFINITY, f64::min);
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
    if !left_out.is_empty() && 1 < outcomes.len() {
        let names: Vec<_> = left_out.iter().map(|listed| listed.name).collect();
        lines.push(format!(
            "left out, as there are more than {MAX_ALL_PAIRS_BOXES} boxes: {}",
            names.join(", ")
        ));
    }
    lines.join("\n")
}

/// Returns the changes before each search. Their handles are those that every algorithm gives out
/// for the same calls.
fn steps_of(frames: &[BoxFrame]) -> Result<Vec<Step>, String> {
    let mut ids: HashMap<u64, (ProxyId, Aabb)> = HashMap::new();
    // This broad phase only gives out handles; it is never queried for pairs.
    let mut model = BruteForce::new();
    let mut steps = Vec::with_capacity(frames.len());
    for frame in frames {
        let mut step = Step::default();
        let mut names = Vec::new();
        let before = core::mem::take(&mut ids);
        for (id, sides) in &frame.boxes {
            let aabb = aabb_of(sides);
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
        // The order of a hash map is arbitrary.
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

/// Returns the bounds of all boxes, and the most boxes of a frame.
fn hints_of(frames: &[BoxFrame]) -> WorldHints {
    let boxes = frames.iter().flat_map(|frame| &frame.boxes).map(|(_, sides)| aabb_of(sides));
    let bounds = boxes.fold(Aabb::EMPTY, |all, aabb| all.merged(&aabb));
    WorldHints { bounds, n_boxes: frames.iter().map(|frame| frame.boxes.len()).max().unwrap_or(0) }
}

fn aabb_of(&[a, b, c, d, e, f]: &[f32; 6]) -> Aabb {
    Aabb { min: Vec3::new(a, b, c), max: Vec3::new(d, e, f) }
}

fn run_one(
    listed: &CatalogueEntry,
    steps: &[Step],
    frames: &[BoxFrame],
    hints: &WorldHints,
) -> Result<Measured, String> {
    let mut broad = listed.make(hints);
    let mut outcome =
        Measured { name: listed.name, times: Vec::new(), n_tests: 0, counts: Vec::new(), hash: FNV_START };
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

/// Adds the number of a frame and its pairs to an FNV-1a hash.
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
