//! Random walks through every course: nothing escapes, nothing is stuck.

use crate::worlds::figures;
use carom_testkit::walk::{Course, WalkTally, WorldKind, random_walk};

#[test]
fn nobody_escapes_or_is_stuck() {
    let is_slow = std::env::var_os("CAROM_SLOW").is_some();
    let n_moves = if is_slow { 100_000 } else { 600 };
    let mut all = WalkTally::default();
    for course in [Course::arena(), Course::castle(), Course::terrain()] {
        for kind in [WorldKind::Brushes, WorldKind::Mesh] {
            for (i, (name, figure)) in figures().into_iter().enumerate() {
                let mut tally = WalkTally::default();
                for seed in 0..if course.name == "terrain" { 1 } else { 2 } {
                    random_walk(&course, kind, figure, n_moves, 100 * i as u64 + seed, &mut tally);
                }
                let what = format!("{}, {kind:?}, {name}: {tally:?}", course.name);
                println!("{what}");
                assert!(tally.is_right(), "{what}");
                // There is no terrain of brushes.
                assert_eq!(
                    tally.moves == 0,
                    course.name == "terrain" && kind == WorldKind::Brushes,
                    "{what}"
                );
                all.add(&tally);
            }
        }
    }
    let WalkTally { moves, contacts, in_air, halts, .. } = all;
    assert!(moves / 10 < contacts && moves / 20 < in_air && 0 < all.steps && 0 < halts, "{all:?}");
}
