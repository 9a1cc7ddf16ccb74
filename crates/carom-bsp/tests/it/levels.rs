//! Real levels, if they are present.

use carom_bsp::{BspSettings, BspTree, Contents, Point, TraceStack};
use carom_testkit::oracle::brush::{Body, BrushTruth, brush_depth, real_level};
use carom_testkit::random::Random;

#[test]
fn real_levels_agree_with_the_list_of_their_brushes() {
    // A long run tests all five levels and many more points.
    let is_long = std::env::var_os("CAROM_SLOW").is_some();
    let names: &[&str] = if is_long {
        &["start_e0", "slope", "lqdm13", "lq_e0m1", "lq_e1m1"]
    } else {
        &["start_e0", "slope", "lqdm13"]
    };
    let n = if is_long { 1_000_000 } else { 20_000 };
    for name in names {
        let Some(brushes) = real_level(name) else { return };
        let tree = BspTree::from_brushes(&brushes, &BspSettings::default()).unwrap();
        println!("{name}: {} brushes, {:?}", brushes.len(), tree.report());
        let (low, high) = tree.bounds();
        let mut random = Random::new(5);
        let truth = BrushTruth::new(&brushes, Body::Point);
        let mut position_of = || {
            let part = random.cube_point() * 0.55 + 0.5;
            low + (high - low) * part
        };
        let mut stack = TraceStack::new();
        let (mut n_solid, mut n_hits, mut n_near) = (0, 0, 0);
        for _ in 0..n {
            let (point, to) = (position_of(), position_of());
            let most =
                brushes.iter().fold(f64::NEG_INFINITY, |most, brush| most.max(brush_depth(brush, point)));
            if most.abs() < 4.0 * tree.tolerance() {
                n_near += 1;
                continue;
            }
            assert_eq!(
                tree.contents_at(point) == Contents::SOLID,
                most > 0.0,
                "{name}: {point}, depth {most}"
            );
            n_solid += u32::from(most > 0.0);
            let offset = to - point;
            let truth = truth.entry(0.0, point, offset);
            let hit = tree.trace_with(&Point, point, offset, Contents::SOLID, &mut stack);
            if let (Some(t), Some(hit)) = (truth, hit) {
                n_hits += 1;
                let off = (t - hit.t).abs() * offset.length();
                // On a path nearly along a face, rounding of the plane shifts the time a lot.
                let slope = hit.normal.dot(offset).abs() / offset.length();
                let is_inside = hit.starts_inside && t == 0.0;
                assert!(
                    is_inside || off * slope < 8.0 * tree.tolerance(),
                    "{name}: {t} {hit:?} from {point} to {to}"
                );
            } else {
                assert_eq!(truth.is_some(), hit.is_some(), "{name}: {truth:?} {hit:?} from {point} to {to}");
            }
        }
        println!("{n_solid} solid points, {n_near} in surfaces, {n_hits} hits");
        assert!(n_solid > 100 && n_near < n / 100 && n_hits > n / 2);
    }
}
