//! Real boxes at rest and others that fly among them: compares every algorithm with two nested
//! loops.

use carom_bounds::{Aabb, BoundingVolume};
use carom_broad::{BroadPhase, Filter, Mobility, Pair, ProxyId};
use carom_broad_auto::catalogue::{ALGORITHMS, CatalogueEntry, Growth, WorldHints};
use carom_scenes::Rng;
use carom_testkit::data;
use glam::{DVec3, Vec3};

/// Returns all algorithms; for many boxes, without those that would test half a billion pairs per
/// frame.
fn algorithms(n_boxes: usize) -> impl Iterator<Item = &'static CatalogueEntry> {
    ALGORITHMS.iter().filter(move |listed| n_boxes < 10_000 || listed.growth != Growth::EachAgainstEach)
}

/// The changes of one frame, and the pairs that touch afterwards.
#[derive(Default)]
struct Frame {
    gone: Vec<usize>,
    moved: Vec<(usize, Aabb)>,
    new: Vec<Aabb>,
    pairs: Vec<Pair>,
}

/// The boxes at rest, those that fly at first, and the frames that follow.
struct Run {
    standing: Vec<Aabb>,
    flying: Vec<Aabb>,
    frames: Vec<Frame>,
}

/// `n` boxes with sizes within `sizes` fly among those at rest. A few jump, and some are replaced.
/// Three of the boxes at rest move in each frame, as doors do.
fn run(standing: Vec<Aabb>, n: usize, sizes: [f64; 2], n_frames: usize) -> Run {
    let mut rng = Rng::new(5);
    let world = standing.iter().fold(Aabb::EMPTY, |all, aabb| all.merged(aabb));
    let (low, high) = (world.min.as_dvec3(), world.max.as_dvec3());
    let mut fresh = || {
        let half = DVec3::splat(0.5) * rng.range(sizes[0], sizes[1]);
        let center = rng.in_box(low, high);
        Aabb::around(center - half, center + half)
    };
    let flying: Vec<Aabb> = (0..n).map(|_| fresh()).collect();
    let jumps: Vec<Aabb> = (0..n_frames * n).map(|_| fresh()).collect();
    let (mut jumps, mut rng) = (jumps.into_iter(), Rng::new(6));
    let mut velocity: Vec<DVec3> = (0..n).map(|_| rng.direction() * rng.range(0.0, sizes[1])).collect();
    let n_standing = standing.len();
    let mut boxes: Vec<Aabb> = standing.iter().chain(&flying).copied().collect();
    let mut frames = Vec::new();
    for _ in 0..n_frames {
        let mut frame = Frame::default();
        for i in 0..n {
            let slot = n_standing + i;
            if i % 50 == 0 {
                // The slot that is freed last is reused first.
                frame.gone.push(slot);
            } else if i % 50 == 1 {
                frame.moved.push((slot, jumps.next().unwrap()));
            } else if i % 10 != 2 {
                let old = boxes[slot];
                for k in 0..3 {
                    let speed = &mut velocity[i][k];
                    let is_out =
                        if 0.0 < *speed { world.max[k] < old.max[k] } else { old.min[k] < world.min[k] };
                    *speed = if is_out { -*speed } else { *speed };
                }
                let step = velocity[i].as_vec3();
                frame.moved.push((slot, Aabb { min: old.min + step, max: old.max + step }));
            }
        }
        for _ in 0..3 {
            let (door, step) = (rng.below(n_standing), Vec3::new(0.0, 0.0, sizes[0] as f32));
            frame.moved.push((door, Aabb { min: boxes[door].min + step, max: boxes[door].max + step }));
        }
        frame.moved.iter().for_each(|&(slot, aabb)| boxes[slot] = aabb);
        for &slot in frame.gone.iter().rev() {
            frame.new.extend(jumps.next());
            boxes[slot] = frame.new[frame.new.len() - 1];
        }
        for b in n_standing..boxes.len() {
            for a in (0..b).filter(|&a| boxes[a].overlaps(&boxes[b])) {
                frame.pairs.push(Pair::new(a as u32, b as u32));
            }
        }
        frame.pairs.sort_unstable();
        frames.push(frame);
    }
    Run { standing, flying, frames }
}

fn play(broad: &mut dyn BroadPhase, run: &Run, name: &str) {
    let mut ids: Vec<ProxyId> = Vec::new();
    let batch = |boxes: &[Aabb], mobility: Mobility| -> Vec<_> {
        boxes.iter().map(|&aabb| (aabb, Filter::new(mobility))).collect()
    };
    broad.insert_batch(&batch(&run.standing, Mobility::Fixed), &mut ids).unwrap();
    broad.insert_batch(&batch(&run.flying, Mobility::Dynamic), &mut ids).unwrap();
    let mut pairs = Vec::new();
    for (number, frame) in run.frames.iter().enumerate() {
        let moves: Vec<_> = frame.moved.iter().map(|&(slot, aabb)| (ids[slot], aabb)).collect();
        broad.update(&moves).unwrap();
        let gone: Vec<_> = frame.gone.iter().map(|&slot| ids[slot]).collect();
        broad.remove_batch(&gone).unwrap();
        let mut new = Vec::new();
        broad.insert_batch(&batch(&frame.new, Mobility::Dynamic), &mut new).unwrap();
        new.iter().for_each(|id| ids[id.index() as usize] = *id);
        broad.pairs(&mut pairs);
        assert!(
            pairs == frame.pairs,
            "{name}, frame {number}: {} pairs for {}",
            pairs.len(),
            frame.pairs.len()
        );
    }
    broad.validate().unwrap();
}

fn check(standing: Vec<Aabb>, n: usize, sizes: [f64; 2], n_frames: usize) -> Run {
    let hints = WorldHints::of(&standing);
    let run = run(standing, n, sizes, n_frames);
    for listed in algorithms(run.standing.len()) {
        play(listed.make(&hints).as_mut(), &run, listed.name);
    }
    run
}

/// These boxes are sparse: 12 pairs. Their file has a checksum of the pairs.
#[test]
fn real_boxes_have_the_pairs_that_their_file_says() {
    let Some(boxes) = data::boxes() else { return };
    let Some(about) = data::json("broadphase/aabbs_32006.json") else { return };
    assert_eq!(boxes.len() as u64, about["boxes"].as_u64().unwrap());
    let batch: Vec<_> = boxes.iter().map(|&aabb| (aabb, Filter::default())).collect();
    for listed in algorithms(boxes.len()) {
        let mut broad = listed.make(&WorldHints::of(&boxes));
        broad.insert_batch(&batch, &mut Vec::new()).unwrap();
        let mut pairs = Vec::new();
        broad.pairs(&mut pairs);
        let sum: u64 = pairs.iter().map(|pair| u64::from(pair.a) * 1_000_003 + u64::from(pair.b)).sum();
        assert_eq!(Some(pairs.len() as u64), about["overlapping_pairs_closed"].as_u64(), "{}", listed.name);
        assert_eq!(Some(sum), about["checksum_value"].as_u64(), "{}", listed.name);
    }
}

#[test]
fn boxes_fly_among_real_boxes() {
    let Some(boxes) = data::boxes() else { return };
    let run = check(boxes, 1000, [40.0, 500.0], 3);
    let n_standing = run.standing.len() as u32;
    for frame in &run.frames {
        let among_themselves = frame.pairs.iter().filter(|pair| n_standing <= pair.a).count();
        assert!(500 < among_themselves && 500 < frame.pairs.len() - among_themselves, "the mix is fair");
    }
}

/// Thousands of brushes overlap or touch each other. These pairs must not be reported.
#[test]
fn boxes_fly_through_real_levels() {
    for (level, n_brushes) in
        [("lq_e0m1", 841), ("lq_e1m1", 3258), ("slope", 103), ("start_e0", 88), ("lqdm13", 246)]
    {
        let Some(brushes) = data::brush_boxes(level) else { return };
        assert_eq!(brushes.len(), n_brushes, "{level}");
        let touching = (0..n_brushes)
            .map(|i| brushes[..i].iter().filter(|a| brushes[i].overlaps(a)).count())
            .sum::<usize>();
        assert!(n_brushes < touching, "{level}: {touching} brushes touch");
        let run = check(brushes, 300, [8.0, 64.0], 12);
        let n_pairs: usize = run.frames.iter().map(|frame| frame.pairs.len()).sum();
        println!("{level}: {touching} pairs of brushes, {n_pairs} pairs in 12 frames");
        assert!(100 < n_pairs, "{level}");
    }
}
