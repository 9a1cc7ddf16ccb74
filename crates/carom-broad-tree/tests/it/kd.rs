//! Tests of the kd-tree with planes that are kept.

use carom_bounds::Aabb;
use carom_broad::{BroadPhase, Filter, FromFinder, Mobility, PointFilter, ProxyId};
use carom_broad_tree::{KdTree, PlaneTree};
use carom_testkit::conform::dice::Dice;
use carom_testkit::conform::{broad_phase, memory, spatial_index};
use glam::Vec3;

#[test]
fn conforms_to_broad_phase() {
    broad_phase::check(KdTree::new);
}

#[test]
fn conforms_to_spatial_index() {
    spatial_index::check(KdTree::new);
}

/// Behind a `PointFilter`, the tree gets other boxes in each frame.
#[test]
fn conforms_behind_points() {
    broad_phase::check(|| FromFinder::with_finder(PointFilter::new(PlaneTree::default())));
}

#[test]
fn takes_100_bytes_a_box_and_24_a_pair() {
    memory::check("kd-tree", KdTree::new, KdTree::bytes, 100.0, 24.0);
}

fn filled(boxes: &[Aabb]) -> (KdTree, Vec<ProxyId>) {
    let mut broad = KdTree::new();
    let mut ids = Vec::new();
    let batch: Vec<_> = boxes.iter().map(|&aabb| (aabb, Filter::default())).collect();
    broad.insert_batch(&batch, &mut ids).unwrap();
    (broad, ids)
}

/// In coherent motion the planes last, few boxes change their nodes, and there are hardly more
/// tests than with a new tree.
#[test]
fn planes_last_while_motion_is_coherent() {
    const N: usize = 20_000;
    let mut dice = Dice::new(21);
    let mut boxes: Vec<_> = (0..N).map(|_| dice.aabb(24.0, 2.0)).collect();
    let speeds: Vec<_> = (0..N).map(|_| dice.point(0.02)).collect();
    let (mut broad, ids) = filled(&boxes);
    let mut pairs = Vec::new();
    broad.pairs(&mut pairs);
    let (made, n_planes) = (broad.finder().n_reworked(), broad.finder().n_planes());
    assert!(100 < n_planes && made as usize == n_planes);
    let (mut relocated, mut most) = (broad.finder().n_relocated(), 0);
    for frame in 0..60 {
        for (aabb, &speed) in boxes.iter_mut().zip(&speeds) {
            (aabb.min, aabb.max) = (aabb.min + speed, aabb.max + speed);
        }
        let moves: Vec<_> = ids.iter().copied().zip(boxes.iter().copied()).collect();
        broad.update(&moves).unwrap();
        broad.pairs(&mut pairs);
        most = most.max(broad.finder().n_relocated() - relocated);
        relocated = broad.finder().n_relocated();
        if frame % 20 == 19 {
            let (mut anew, _) = filled(&boxes);
            let mut same = Vec::new();
            anew.pairs(&mut same);
            assert_eq!(pairs, same);
            let per_pair = |broad: &KdTree| broad.counters().tests as f64 / pairs.len() as f64;
            let (kept, fresh) = (per_pair(&broad), per_pair(&anew));
            println!("frame {frame}: {kept:.2} tests per pair with kept planes, {fresh:.2} with new ones");
            assert!(kept < 1.15 * fresh, "frame {frame}: {kept} and {fresh}");
        }
    }
    let reworked = broad.finder().n_reworked() - made;
    println!(
        "{n_planes} planes, {reworked} reworked in 60 frames; at most {most} of {N} boxes change places in a frame"
    );
    assert!(most < N as u64 / 20 && reworked < n_planes as u64);
}

/// With ten thousand boxes at one point there are hardly more tests than pairs, and no plane.
/// After they part there are planes.
#[test]
fn ten_thousand_at_one_point() {
    const N: usize = 10_000;
    let point = Aabb { min: Vec3::ONE, max: Vec3::splat(1.5) };
    let (mut broad, ids) = filled(&[point; N]);
    let mut pairs = Vec::new();
    broad.pairs(&mut pairs);
    let all = N * (N - 1) / 2;
    assert_eq!(pairs.len(), all);
    assert!((broad.counters().tests as f64) < 1.01 * all as f64);
    assert_eq!(broad.finder().n_planes(), 0);
    // The boxes part, and the tree gets planes.
    let moves: Vec<_> = (0..N)
        .map(|i| {
            let at = Vec3::new((i % 22) as f32, (i / 22 % 22) as f32, (i / 484) as f32);
            (ids[i], Aabb { min: at, max: at + 0.5 })
        })
        .collect();
    broad.update(&moves).unwrap();
    broad.pairs(&mut pairs);
    assert!(pairs.is_empty() && 50 < broad.finder().n_planes());
    assert!(broad.counters().tests < 30 * N as u64, "{}", broad.counters().tests);
    broad.validate().unwrap();
}

/// A node with only static boxes is not searched. If one of its boxes begins to move, it is.
#[test]
fn static_boxes_query_no_others() {
    let mut dice = Dice::new(22);
    let mut broad = KdTree::new();
    let boxes: Vec<_> = (0..5000).map(|_| (dice.aabb(8.0, 2.0), Filter::new(Mobility::Fixed))).collect();
    let mut ids = Vec::new();
    broad.insert_batch(&boxes, &mut ids).unwrap();
    let mut pairs = Vec::new();
    broad.pairs(&mut pairs);
    assert_eq!((pairs.len(), broad.counters().tests), (0, 0));
    broad.set_filter(ids[7], Filter::default()).unwrap();
    broad.pairs(&mut pairs);
    assert!(!pairs.is_empty() && broad.counters().tests < 5000, "{}", broad.counters().tests);
}
