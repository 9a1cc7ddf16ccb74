//! Random walks through all courses: no character escapes or is stuck.

use crate::worlds::{World, figures, start};
use carom_character::{Character, CharacterSettings};
use carom_math::glam::DVec3;
use carom_scenes::{CASTLE_PATH, Rng, castle};
use carom_testkit::walk::{Course, WalkTally, WorldKind, random_walk};
use carom_testkit::walk_world::random_walk_in_world;

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

/// Gate, stairs, wall, ramp, keep: each figure reaches the end of the path, in each kind of world.
#[test]
fn the_path_through_the_castle_is_gone_to_its_end() {
    let level = castle();
    for (kind, world) in World::all(&level) {
        for (name, figure) in figures() {
            let mut world = world.sweep();
            let mut character = start(&level, figure, CharacterSettings::default());
            let [x, z] = CASTLE_PATH[0];
            character.set_position(DVec3::new(x, figure.stature() + 0.02, z));
            let (mut next, mut n_calls, mut highest) = (0, 0, 0.0_f64);
            while next < CASTLE_PATH.len() && n_calls < 4000 {
                let [x, z] = CASTLE_PATH[next];
                let offset = DVec3::new(x, 0.0, z) - character.position().with_y(0.0);
                next += usize::from(offset.length() < 0.4);
                character.walk(&mut *world, offset.normalize_or_zero() * 4.0, 1.0 / 60.0);
                highest = highest.max(character.feet().y);
                n_calls += 1;
            }
            let feet = character.feet();
            println!("{kind}, {name}: {n_calls} calls, {feet} at the end");
            assert_eq!(next, CASTLE_PATH.len(), "{kind}, {name}: {feet}");
            assert!((feet.y - 3.0).abs() < 0.01 && (highest - 5.0).abs() < 0.01, "{kind}, {name}: {feet}");
        }
    }
}

/// The oracle of the walks against the query crate: a figure that is free for one is free for the
/// other.
#[test]
fn the_oracle_sees() {
    let mut rng = Rng::new(3);
    let (mut n_free, mut n_met) = (0, 0);
    for course in [Course::arena(), Course::castle(), Course::terrain()] {
        let mut world = course.world(WorldKind::Mesh).unwrap();
        for (name, figure) in figures() {
            for _ in 0..400 {
                let position =
                    DVec3::new(rng.range(-11.0, 11.0), rng.range(0.9, 3.0), rng.range(-11.0, 11.0));
                let checked = course.depth_at(&figure, position);
                let what = format!("{}, {name} at {position}: {checked:?}", course.name);
                if world.is_free(&figure, position) {
                    n_free += 1;
                    assert!(
                        checked.as_ref().map_or_else(|why| !why.contains("deep"), |d| *d < 1e-9),
                        "{what}"
                    );
                } else if matches!(name, "capsule" | "box") {
                    // For the other figures the oracle tests a smaller shape.
                    n_met += 1;
                    assert!(checked.as_ref().map_or(true, |d| 0.0 < *d), "{what}");
                }
            }
        }
    }
    assert!(1000 < n_free && 300 < n_met, "{n_free} {n_met}");
}

#[test]
fn warm_walks_do_not_allocate() {
    for kind in [WorldKind::Brushes, WorldKind::Mesh] {
        let course = Course::castle();
        for (name, figure) in figures() {
            let mut world = course.world(kind).unwrap();
            let start = castle().starts[0] + DVec3::Y * (figure.stature() + 0.02);
            let mut rng = Rng::new(1);
            let mut character = Character::new(figure, CharacterSettings::default(), start).unwrap();
            let mut walk = |n_moves: usize| {
                let mut wish = DVec3::ZERO;
                for number in 0..n_moves {
                    if number % 30 == 0 {
                        wish = rng.direction() * 4.0;
                    }
                    character.walk(&mut *world, wish, 1.0 / 60.0);
                }
                character.position()
            };
            // Lists grow in the first calls.
            walk(2000);
            let counted = allocation_counter::measure(|| assert!(walk(500).is_finite()));
            assert_eq!(counted.count_total, 0, "{kind:?}, {name}");
        }
    }
}

/// In a `World`, among moving platforms and boxes to push: a character does not escape from the
/// level, and is not stuck, freed from the level or thrown. The same seed gives the same walk.
#[test]
fn random_walks_in_a_world() {
    let is_slow = std::env::var_os("CAROM_SLOW").is_some();
    let (n_moves, n_seeds) = if is_slow { (250_000, 2) } else { (4_000, 1) };
    let course = Course::yard();
    let walk = |figure, n_moves, seed| {
        let mut tally = WalkTally::default();
        random_walk_in_world(&course, figure, n_moves, seed, &mut tally).unwrap();
        tally
    };
    let (mut all, mut wrong) = (WalkTally::default(), Vec::new());
    for seed in 0..n_seeds {
        for (number, (name, figure)) in figures().into_iter().enumerate() {
            let tally = walk(figure, n_moves, 40 * (1 + seed) + number as u64);
            println!("seed {seed}, {name}: {tally:?}");
            wrong.extend(tally.first.clone());
            all.add(&tally);
        }
    }
    assert!(all.is_right(), "{wrong:#?}");
    let (_, figure) = figures()[0];
    assert_eq!(walk(figure, 500, 3), walk(figure, 500, 3));
    assert!(0 < all.by_platforms && 0 < all.pushes && 0 < all.in_air && 0 < all.steps, "{all:?}");
}
