//! Random walks of characters. An oracle without trees and sweeps checks each move.
//!
//! Four figures walk the arena and the castle of carom-scenes, as brushes and as a mesh. They walk
//! a noisy terrain of ten thousand triangles too, and real levels if present. The moves are divided
//! equally. `truth walk world` walks in a `World` instead, among moving platforms and boxes to
//! push.

use crate::Options;
use crate::levels::LEVELS;
use crate::work::in_chunks;
use carom_character::Figure;
use carom_testkit::walk::{Course, WalkTally, WorldKind, random_walk};
use carom_testkit::walk_world::random_walk_in_world;
use glam::DVec3;

/// The number of moves of one walk.
const CHUNK: u64 = 2000;

fn figures() -> [(&'static str, Result<Figure, carom_geom::ShapeError>); 4] {
    [
        ("capsule", Figure::capsule(1.8, 0.3)),
        ("cylinder", Figure::cylinder(1.8, 0.3)),
        ("box", Figure::cuboid(DVec3::new(0.6, 1.8, 0.6))),
        ("ellipsoid", Figure::ellipsoid(1.8, 0.3)),
    ]
}

/// Runs all walks. Returns whether nothing escaped, was stuck, or gained speed.
pub(crate) fn run(options: &Options) -> bool {
    let figures = figures();
    let mut courses = vec![Course::arena(), Course::castle(), Course::terrain()];
    courses.extend(LEVELS.iter().filter_map(|name| Course::real(name)));
    let kinds = [(WorldKind::Brushes, "brushes"), (WorldKind::Mesh, "mesh")];
    let n_worlds = courses.iter().flat_map(|course| kinds.map(|kind| course.world(kind.0))).flatten().count();
    let n_walks =
        options.count.unwrap_or(10_000_000).div_ceil((n_worlds * figures.len()) as u64).div_ceil(CHUNK);
    let mut is_right = true;
    println!(
        "{:>8} {:>8} {:>9} {:>10} {:>9} {:>9} {:>8} {:>6} {:>9} {:>7} {:>5} {:>5} {:>8}",
        "course",
        "world",
        "figure",
        "moves",
        "contacts",
        "in air",
        "steps",
        "halts",
        "deepest",
        "escapes",
        "stuck",
        "freed",
        "too fast"
    );
    for course in &courses {
        for (kind, world) in kinds {
            if course.world(kind).is_none() {
                continue;
            }
            for (number, (name, figure)) in figures.iter().enumerate() {
                let Ok(figure) = figure else { return false };
                let tallies = in_chunks(n_walks, options, |chunk, tally: &mut WalkTally| {
                    let seed = options.seed << 40 ^ (number as u64) << 32 ^ chunk;
                    random_walk(course, kind, *figure, CHUNK, seed, tally);
                });
                let mut all = WalkTally::default();
                tallies.iter().for_each(|tally| all.add(tally));
                println!(
                    "{:>8} {world:>8} {name:>9} {:>10} {:>9} {:>9} {:>8} {:>6} {:>9.1e} {:>7} {:>5} {:>5} {:>8}",
                    course.name,
                    all.moves,
                    all.contacts,
                    all.in_air,
                    all.steps,
                    all.halts,
                    all.deepest,
                    all.escapes,
                    all.stuck,
                    all.freed,
                    all.too_fast
                );
                if let Some(first) = &all.first {
                    println!("  the first: {first}");
                }
                is_right &= all.is_right();
            }
        }
    }
    is_right
}

/// Walks among moving platforms and boxes to push, in a `World`. Returns whether nothing went
/// wrong.
pub(crate) fn run_in_world(options: &Options) -> bool {
    let figures = figures();
    let n_walks = options.count.unwrap_or(10_000_000).div_ceil(figures.len() as u64).div_ceil(CHUNK);
    let course = Course::yard();
    let mut is_right = true;
    println!(
        "{:>9} {:>10} {:>9} {:>9} {:>8} {:>9} {:>12} {:>8} {:>9} {:>7} {:>5} {:>5} {:>6} {:>5}",
        "figure",
        "moves",
        "contacts",
        "in air",
        "steps",
        "pushes",
        "by platforms",
        "by boxes",
        "deepest",
        "escapes",
        "stuck",
        "freed",
        "thrown",
        "lost"
    );
    for (number, (name, figure)) in figures.iter().enumerate() {
        let Ok(figure) = figure else { return false };
        let tallies = in_chunks(n_walks, options, |chunk, tally: &mut WalkTally| {
            let seed = options.seed << 40 ^ (number as u64) << 32 ^ chunk;
            if let Err(error) = random_walk_in_world(&course, *figure, CHUNK, seed, tally) {
                tally.escapes += 1;
                tally.first.get_or_insert_with(|| format!("seed {seed}: {error}"));
            }
        });
        let mut all = WalkTally::default();
        tallies.iter().for_each(|tally| all.add(tally));
        println!(
            "{name:>9} {:>10} {:>9} {:>9} {:>8} {:>9} {:>12} {:>8} {:>9.1e} {:>7} {:>5} {:>5} {:>6} {:>5}",
            all.moves,
            all.contacts,
            all.in_air,
            all.steps,
            all.pushes,
            all.by_platforms,
            all.by_boxes,
            all.deepest,
            all.escapes,
            all.stuck,
            all.freed,
            all.thrown,
            all.lost
        );
        if let Some(first) = &all.first {
            println!("  the first: {first}");
        }
        is_right &= all.is_right() && 0 < all.moves;
    }
    is_right
}
