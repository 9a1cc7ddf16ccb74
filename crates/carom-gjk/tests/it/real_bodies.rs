//! Bodies of the real data that are made of convex pieces, the pieces side by side: every pair
//! where it is, and moved, against proofs of the distance or the depth.

use carom_geom::f64::ConvexHull;
use carom_gjk::wide::signed_distance;
use carom_gjk::{GjkSettings, Outcome};
use carom_math::WidePose;
use carom_testkit::data;
use carom_testkit::oracle::certificate;
use carom_testkit::oracle::solid::{Core, Difference, Solid};
use glam::DVec3;
use std::path::Path;

/// The points of each `o` or `g` group of an OBJ file.
fn pieces(path: &Path) -> Vec<Vec<DVec3>> {
    let mut pieces: Vec<Vec<DVec3>> = Vec::new();
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("o" | "g") => pieces.push(Vec::new()),
            Some("v") => {
                let numbers: Vec<f64> = words.map(|word| word.parse().unwrap()).collect();
                if pieces.is_empty() {
                    pieces.push(Vec::new());
                }
                pieces.last_mut().unwrap().push(DVec3::from_slice(&numbers[..3]));
            }
            _ => {}
        }
    }
    pieces
}

/// The corners of a binary STL file.
fn corners(path: &Path) -> Vec<DVec3> {
    let bytes = std::fs::read(path).unwrap();
    let number = |at: usize| f32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    let n = u32::from_le_bytes(bytes[80..84].try_into().unwrap()) as usize;
    let corner = |i: usize| {
        let at = 84 + 50 * (i / 3) + 12 + 12 * (i % 3);
        DVec3::new(f64::from(number(at)), f64::from(number(at + 4)), f64::from(number(at + 8)))
    };
    (0..3 * n).map(corner).collect()
}

#[derive(Debug, Default)]
struct Mix {
    n: u32,
    n_apart: u32,
    n_together: u32,
    worst: f64,
    unproved: f64,
}

/// Every pair of the first so many hulls, B moved by each of the poses.
fn check(name: &str, sets: &[Vec<DVec3>], mix: &mut Mix) {
    let hulls: Vec<ConvexHull> =
        sets.iter().filter_map(|points| ConvexHull::from_points(points).ok()).collect();
    let solids: Vec<Solid> = hulls
        .iter()
        .map(|hull| Solid { core: Core::Points(hull.vertices().to_vec()), radius: 0.0 })
        .collect();
    let most = if std::env::var_os("CAROM_SLOW").is_some() { hulls.len() } else { 14 };
    let moves = [
        WidePose::IDENTITY,
        WidePose::from_quat(glam::DQuat::from_xyzw(0.1, -0.2, 0.3, 0.9), DVec3::new(0.01, 0.02, -0.015)),
    ];
    for (i, a) in hulls.iter().enumerate().take(most) {
        for (j, b) in hulls.iter().enumerate().take(most) {
            for pose in &moves {
                let found = signed_distance(a, b, pose, &GjkSettings::default(), None);
                let pair = Difference::new(&solids[i], &solids[j], *pose);
                let truth = certificate::signed_distance(&pair, &[found.normal]);
                let what = || format!("{name} {i} {j}: {found:?} {truth:?} {}", pair.size);
                assert_ne!(found.outcome, Outcome::Undecided, "{}", what());
                let off =
                    (truth.lower - found.distance).max(found.distance - truth.upper).max(0.0) / pair.size;
                assert!(off < 1e-12, "{off:e}: {}", what());
                let sure = 1e-14 * pair.size;
                assert!(0.0 < found.distance || truth.lower <= sure, "wrong sign: {}", what());
                assert!(found.distance <= 0.0 || -sure <= truth.upper, "wrong sign: {}", what());
                mix.n += 1;
                mix.n_apart += u32::from(0.0 < found.distance);
                mix.n_together += u32::from(found.distance < 0.0);
                mix.worst = mix.worst.max(off);
                mix.unproved = mix.unproved.max((truth.upper - truth.lower) / pair.size);
            }
        }
    }
}

#[test]
fn decomposed_bodies_and_a_hand() {
    let (Some(decomposed), Some(hand)) = (data::find("hulls/decomposed"), data::find("hulls/mpl_hand"))
    else {
        return;
    };
    let sorted = |folder: &Path| {
        let mut files: Vec<_> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files
    };
    let mut all = Mix::default();
    for file in sorted(&decomposed) {
        check(&file.display().to_string(), &pieces(&file), &mut all);
    }
    let links: Vec<_> = sorted(&hand).iter().map(|file| corners(file)).collect();
    check("hand", &links, &mut all);
    println!("{all:?}");
    assert!(500 < all.n && 100 < all.n_apart && 100 < all.n_together && all.unproved < 1e-10, "{all:?}");
}
