//! Integration tests of carom-broad-auto.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[cfg(feature = "catalogue")]
mod allocations;
#[cfg(feature = "catalogue")]
mod catalogue;
#[cfg(feature = "catalogue")]
mod kd_octree;
#[cfg(feature = "catalogue")]
mod real;

use carom_broad::{BroadPhase, BruteForce, Filter, Pair};
use carom_broad_auto::{Algorithm, Auto, AutoSettings};
use carom_scenes::{Crowd, CrowdKind};
use carom_testkit::conform::{broad_phase, spatial_index};

#[test]
fn conforms_to_broad_phase() {
    broad_phase::check(Auto::new);
}

/// The worlds of the suite cross these limits, so all four algorithms are used.
#[test]
fn conforms_while_it_switches() {
    for (few, many) in [(100, 300), (0, 1), (10_000, 20_000), (300, 310)] {
        let settings = AutoSettings::default().with_few(few).with_many(many);
        broad_phase::check(|| Auto::with_settings(settings));
    }
}

#[test]
fn conforms_to_spatial_index() {
    spatial_index::check(Auto::new);
    spatial_index::check(|| Auto::with_settings(AutoSettings::default().with_few(0)));
}

/// Motion is calm, then boxes jump, then it is calm again. Events are those of brute force, and
/// the choice follows.
#[test]
fn the_choice_follows_what_goes_on() {
    let mut auto = Auto::with_settings(AutoSettings::default().with_many(1000));
    let mut expected = BruteForce::new();
    let (mut calm, mut wild) =
        (Crowd::new(CrowdKind::Uniform, 1500, 1), Crowd::new(CrowdKind::Jump, 1500, 1));
    let batch: Vec<_> = calm.boxes().iter().map(|&aabb| (aabb, Filter::default())).collect();
    let (mut ids, mut same) = (Vec::new(), Vec::new());
    auto.insert_batch(&batch, &mut ids).unwrap();
    expected.insert_batch(&batch, &mut same).unwrap();
    assert_eq!(ids, same);
    let mut chosen = Vec::new();
    for frame in 0..60 {
        let crowd = if (20..40).contains(&frame) { &mut wild } else { &mut calm };
        crowd.step();
        let moves: Vec<_> = ids.iter().copied().zip(crowd.boxes().iter().copied()).collect();
        auto.update(&moves).unwrap();
        expected.update(&moves).unwrap();
        let (mut begun, mut ended) = (Vec::<Pair>::new(), Vec::new());
        let (mut expected_begun, mut expected_ended) = (Vec::new(), Vec::new());
        auto.events(&mut begun, &mut ended);
        expected.events(&mut expected_begun, &mut expected_ended);
        assert_eq!((begun, ended), (expected_begun, expected_ended), "frame {frame}");
        if chosen.last() != Some(&auto.choice().algorithm) {
            println!("frame {frame}: {}", auto.choice());
            chosen.push(auto.choice().algorithm);
        }
    }
    assert_eq!(chosen, [Algorithm::CoherentGrid, Algorithm::Grid, Algorithm::CoherentGrid]);
    assert_eq!(auto.n_switches(), 3);
}
