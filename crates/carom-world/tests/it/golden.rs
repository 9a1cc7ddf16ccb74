//! The five scenes of carom-golden and the hashes of their states, which may change only when what
//! the world computes is meant to change: the same in debug and release builds, with every
//! instruction set of the machine, any broad phase and number of threads, and with a snapshot in
//! the middle. The other targets run the same scenes: `cargo xtask golden`.

use crate::scenes::CheckedStep;
use carom_bounds::Aabb;
use carom_broad::{BroadPhase, BruteForce};
use carom_broad_auto::catalogue::{ALGORITHMS, SpatialBroadPhase, WorldHints};
use carom_broad_tree::DynamicBvh;
use carom_golden::{DT, HASHES, QUERIES, hash_of_all, query_hash, scenes};
use carom_lanes::{Level, force_level};
use carom_math::Vec3;
use carom_world::World;

fn assert_golden<B: BroadPhase + Default>(how: &str) {
    for scene in scenes::<B>() {
        let state = scene.run(B::default()).unwrap();
        assert_eq!(format!("{state:016x}"), format!("{:016x}", scene.hash), "{}, {how}", scene.name);
    }
}

#[test]
fn the_states_are_what_they_were() {
    let found = scenes::<DynamicBvh>().map(|scene| {
        let state = scene.run(DynamicBvh::new()).unwrap();
        format!("{}: {state:#018x}", scene.name)
    });
    let expected = scenes::<DynamicBvh>().map(|scene| format!("{}: {:#018x}", scene.name, scene.hash));
    assert_eq!(found, expected);
}

#[test]
fn the_answers_of_queries_are_what_they_were() {
    assert_eq!(format!("{:#018x}", query_hash().unwrap()), format!("{QUERIES:#018x}"));
}

/// The table of the README has the hash of all of them in every row.
#[test]
fn the_readme_has_them() {
    let readme = include_str!("../../README.md");
    let (_, rest) = readme.split_once("<!-- golden -->").unwrap();
    let (table, _) = rest.split_once("<!-- /golden -->").unwrap();
    let rows: Vec<&str> = table.lines().filter(|line| line.starts_with("| ")).skip(1).collect();
    assert!(!rows.is_empty());
    let hashes: Vec<u64> = HASHES.into_iter().chain([QUERIES]).collect();
    let expected = format!("{:016x}", hash_of_all(&hashes));
    for row in rows {
        assert!(row.ends_with(&format!("| {expected} |")), "{row}\nis not\n{expected}");
    }
}

#[test]
fn with_any_broad_phase() {
    assert_golden::<BruteForce>("brute force");
    // The space that some of them divide into cells.
    let place = WorldHints::of(&[Aabb { min: Vec3::splat(-30.0), max: Vec3::splat(30.0) }; 100]);
    for listed in ALGORITHMS {
        for scene in scenes::<Box<dyn SpatialBroadPhase>>() {
            let state = scene.run(listed.make(&place)).unwrap();
            assert_eq!(
                format!("{state:016x}"),
                format!("{:016x}", scene.hash),
                "{}, {}",
                scene.name,
                listed.name
            );
        }
    }
    println!("{} broad phases", ALGORITHMS.len());
}

#[test]
fn with_every_instruction_set() {
    for level in [Level::Generic, Level::Sse2, Level::Avx2, Level::Neon] {
        if force_level(Some(level)) {
            println!("{level:?}");
            assert_golden::<DynamicBvh>(&format!("{level:?}"));
        }
    }
    force_level(None);
}

#[cfg(feature = "parallel")]
#[test]
fn with_one_two_and_seven_threads() {
    for n in [1, 2, 7] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
        pool.install(|| assert_golden::<DynamicBvh>(&format!("{n} threads")));
    }
}

#[test]
fn with_a_snapshot_in_the_middle() {
    for scene in scenes::<DynamicBvh>() {
        let mut world = World::new();
        (scene.fill)(&mut world).unwrap();
        (0..scene.n_steps / 2).for_each(|_| {
            world.checked_step(DT).unwrap();
        });
        let snapshot = world.snapshot();
        let mut world = crate::scenes::restored::<DynamicBvh>(&snapshot, &world).unwrap();
        (scene.n_steps / 2..scene.n_steps).for_each(|_| {
            world.checked_step(DT).unwrap();
        });
        assert_eq!(format!("{:016x}", world.state_hash()), format!("{:016x}", scene.hash), "{}", scene.name);
    }
}
