//! The numbers of the corpus agree with the oracles, and its judge tells right from wrong.

use carom_testkit::corpus::{
    Answer, Case, Entry, ExactAnswer, PairAnswer, PointAnswer, Precision, RayAnswer, entries, exact_answer,
    judge, size,
};
use glam::DVec3;
use std::collections::BTreeSet;

/// The exact answers in the files agree with a new computation.
#[test]
fn the_numbers_agree_with_the_oracles() {
    let mut wrong = Vec::new();
    for entry in entries() {
        for (i, case) in entry.cases.iter().enumerate() {
            let near = 1e-9 * size(case);
            let is_right = match (case, exact_answer(case, Precision::Double)) {
                (
                    Case::Pair { distance, .. } | Case::Point { distance, .. },
                    ExactAnswer::Distance(exact),
                ) => (distance - exact).abs() <= near,
                (
                    Case::Triangles { meets, distance, .. },
                    ExactAnswer::Triangles { meets: m, distance: d },
                ) => *meets == m && (distance - d).abs() <= near,
                (Case::Ray { t, .. }, ExactAnswer::Ray(exact)) => match (t, exact) {
                    (Some(t), Some(exact)) => (t - exact).abs() <= 1e-9 * exact.abs().max(1.0),
                    (t, exact) => t.is_none() && exact.is_none(),
                },
                (Case::Boxes { n_pairs, .. }, ExactAnswer::Pairs(exact)) => *n_pairs == exact.len(),
                (Case::Hull { .. }, ExactAnswer::Hull) => true,
                _ => false,
            };
            if !is_right {
                wrong.push(format!(
                    "{}: case {i}: {:?}",
                    entry.thread,
                    exact_answer(case, Precision::Double)
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_entry_names_its_thread_once() {
    let all = entries();
    let threads: BTreeSet<&str> = all.iter().map(|entry| entry.thread.as_str()).collect();
    assert!(60 <= all.len(), "{} entries", all.len());
    assert_eq!(threads.len(), all.len(), "a thread has two entries of one name");
    for entry in &all {
        assert!(
            entry.thread.contains('/') && !entry.cases.is_empty() && entry.what.ends_with('.'),
            "{entry:?}"
        );
    }
}

fn case(all: &[Entry], thread: &str) -> Case {
    all.iter().find(|entry| entry.thread == thread).unwrap().cases[0].clone()
}

/// Wrong answers to pairs, rays and points are refused.
#[test]
fn the_judge_sees_wrong_answers() {
    let all = entries();
    let is_right = |case: &Case, answer| judge(case, &Answer::Pair(answer), Precision::Double, 1e-9).is_ok();
    // Unit boxes three apart along y.
    let apart = case(&all, "flexible-collision-library/fcl#508");
    let right = PairAnswer {
        meets: false,
        distance: 3.0,
        contact: None,
        points: Some([DVec3::Y * 3.5, DVec3::Y * 0.5]),
        normal: Some(-DVec3::Y),
    };
    assert!(is_right(&apart, right));
    assert!(!is_right(&apart, PairAnswer { meets: true, ..right }));
    assert!(!is_right(&apart, PairAnswer { distance: 3.16, ..right }));
    assert!(!is_right(&apart, PairAnswer { distance: f64::NAN, ..right }));
    assert!(!is_right(&apart, PairAnswer { contact: Some(-0.1), ..right }));
    assert!(!is_right(&apart, PairAnswer { points: Some([DVec3::Y * 3.4, DVec3::Y * 0.5]), ..right }));
    assert!(!is_right(&apart, PairAnswer { points: Some([DVec3::NAN; 2]), ..right }));
    assert!(!is_right(&apart, PairAnswer { normal: Some(DVec3::Y), ..right }));
    // Cubes, the upper one 0.1 deep.
    let deep = case(&all, "danfis/libccd#25");
    let right = PairAnswer {
        meets: true,
        distance: 0.0,
        contact: Some(-0.1),
        points: Some([DVec3::Z, DVec3::Z * 0.9]),
        normal: Some(DVec3::Z),
    };
    assert!(is_right(&deep, right));
    assert!(!is_right(&deep, PairAnswer { contact: None, ..right }));
    assert!(!is_right(&deep, PairAnswer { contact: Some(0.1), ..right }));
    assert!(!is_right(&deep, PairAnswer { normal: Some(DVec3::ZERO), ..right }));
    // A ray, a point.
    let ray = case(&all, "NVIDIA/warp#288");
    let is_right = |answer| judge(&ray, &Answer::Ray(answer), Precision::Double, 1e-9).is_ok();
    assert!(is_right(Some(RayAnswer { t: 0.5, normal: -DVec3::X })));
    assert!(!is_right(Some(RayAnswer { t: 1.0, normal: DVec3::X })) && !is_right(None));
    let point = case(&all, "bulletphysics/bullet3#889");
    let on = DVec3::new(1.0, 0.25, 0.5);
    let is_right = |distance, nearest| {
        let answer = PointAnswer { distance, is_signed: true, nearest };
        judge(&point, &Answer::Point(answer), Precision::Double, 1e-9).is_ok()
    };
    assert!(is_right(0.1, on) && !is_right(-0.1, on) && !is_right(0.1, on + DVec3::X));
}
