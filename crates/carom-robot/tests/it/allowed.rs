//! Allowed collisions: closed forms, and real robots against a plain count.

use crate::cells::boxes;
use crate::{joint, limits, robot, sled};
use carom_math::f64::Pose;
use carom_robot::{
    AllowedError, AllowedPair, AllowedReason, AllowedSearch, AllowedSettings, Workcell, allowed_pairs,
};
use carom_testkit::data;
use glam::{DQuat, DVec3};
use std::time::Instant;

/// The pairs with their reasons as text, such as `0-2 Never`.
fn named(pairs: &[AllowedPair]) -> Vec<String> {
    pairs.iter().map(|p| format!("{}-{} {}", p.parts[0], p.parts[1], p.reason.name())).collect()
}

/// Checks that adjacent links are allowed, and that base and sled are allowed for `reason`, or not
/// if it is `None`.
fn expect(cell: &Workcell, settings: &AllowedSettings, reason: Option<&str>) {
    let mut expected = vec!["0-1 Adjacent".to_owned(), "1-2 Adjacent".to_owned()];
    if let Some(reason) = reason {
        expected.insert(1, format!("0-2 {reason}"));
    }
    assert_eq!(named(&allowed_pairs(cell, 0, settings).unwrap()), expected);
}

#[test]
fn a_hand_that_folds_back_is_not_allowed() {
    // The hand of length 1 at the end of an arm of length 2 meets the base of half extent 0.5 only
    // if the arm is shorter than its reach.
    for (length, reason) in [(1.4, None), (1.7, Some("Never"))] {
        let arm = [0.5 * length, 0.0, 2.0, length, 0.1, 0.1];
        let model = robot(
            &[
                ("base", &[[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]]),
                ("arm", &[arm]),
                ("hand", &[[0.5, 0.0, 0.0, 1.0, 0.1, 0.1]]),
            ],
            &[
                joint("shoulder", "revolute", ["base", "arm"], &limits(0.0, 0.0)),
                joint(
                    "elbow",
                    "continuous",
                    ["arm", "hand"],
                    &format!(r#"<origin xyz="{length} 0 0"/><axis xyz="0 0 1"/>"#),
                ),
            ],
        );
        let cell = Workcell::of_model(&model).unwrap();
        expect(&cell, &AllowedSettings::default().with_samples(1000), reason);
    }
}

#[test]
fn the_share_of_poses_decides_always() {
    let settings = AllowedSettings::default().with_samples(4000);
    // Free in a fiftieth of the range, in half of it, and in all of it.
    let (narrow, half, wide) = (sled(0.12, [-1.0, 1.0]), sled(0.6, [-1.0, 1.0]), sled(1.2, [-1.0, 1.0]));
    expect(&narrow, &settings, Some("Always"));
    expect(&narrow, &settings.with_always_share(0.995), None);
    expect(&half, &settings, None);
    expect(&half, &settings.with_always_share(0.45), Some("Always"));
    expect(&half, &settings.with_always_share(0.55), None);
    expect(&wide, &settings, Some("Never"));
    // Without samples only the default pose is known.
    expect(&wide, &settings.with_samples(0), None);
    expect(&narrow, &settings.with_samples(0), None);
    expect(&sled(0.05, [-1.0, 1.0]), &settings.with_samples(0), Some("Default"));
    // The samples are uniform: within five standard deviations.
    for (cell, share) in [(&narrow, 0.98), (&half, 0.5)] {
        let search = AllowedSearch::new(cell, 0, &settings).unwrap();
        let n = (0..4000).filter(|sample| search.test(*sample)[0]).count() as f64;
        let deviation = (4000.0_f64 * share * (1.0 - share)).sqrt();
        assert!((n - 4000.0 * share).abs() < 5.0 * deviation, "{n} of 4000, expected {share}");
    }
}

#[test]
fn the_default_pose_is_the_middle_without_zero() {
    let settings = AllowedSettings::default().with_samples(0);
    // The walls begin at 1: the middle of 0.2 and 2.2 touches, that of 0.2 and 1.2 does not.
    expect(&sled(1.0, [0.2, 2.2]), &settings, Some("Default"));
    expect(&sled(1.0, [0.2, 1.2]), &settings, None);
    // Zero is within the limits, and counts.
    expect(&sled(1.0, [0.0, 2.4]), &settings, None);
}

#[test]
fn answers_depend_on_the_seed_alone() {
    let cell = sled(0.6, [-1.0, 1.0]);
    let settings = AllowedSettings::default().with_samples(500).with_seed(7);
    let search = AllowedSearch::new(&cell, 0, &settings).unwrap();
    let found = search.run(|search, samples| {
        // In another order, as threads may do it.
        let mut answers: Vec<Vec<bool>> = samples.rev().map(|sample| search.test(sample)).collect();
        answers.rotate_left(1);
        Ok::<_, AllowedError>(answers)
    });
    assert_eq!(found, allowed_pairs(&cell, 0, &settings));
    // An error ends the search.
    let (search, mut n_rounds) = (AllowedSearch::new(&cell, 0, &settings).unwrap(), 0);
    let stopped = search.run(|_, _| {
        n_rounds += 1;
        Err("stop")
    });
    assert_eq!((stopped, n_rounds), (Err("stop"), 1));
    let of_seed = |seed: u64| -> Vec<Vec<bool>> {
        let search = AllowedSearch::new(&cell, 0, &settings.with_seed(seed)).unwrap();
        (0..64).map(|sample| search.test(sample)).collect()
    };
    assert_eq!(of_seed(7), of_seed(7));
    assert_ne!(of_seed(7), of_seed(8));
    // A search that is not complete returns no Always and no Never.
    let half = AllowedSearch::new(&cell, 0, &settings).unwrap();
    assert_eq!(half.progress(), (0, 500));
    assert!(half.finish().iter().all(|pair| pair.reason == AllowedReason::Adjacent));
}

#[test]
fn ranges_that_are_none_are_refused() {
    let of = |kind: &str, inside: &str| {
        let boxes: &[[f64; 6]] = &[[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]];
        let model = robot(&[("a", boxes), ("b", boxes)], &[joint("j", kind, ["a", "b"], inside)]);
        let cell = Workcell::of_model(&model).unwrap();
        allowed_pairs(&cell, 0, &AllowedSettings::default().with_samples(10)).map_err(|e| e.to_string())
    };
    assert_eq!(
        of("prismatic", "").unwrap_err(),
        "joint j slides and has no limits: its values cannot be sampled"
    );
    let huge = of("revolute", &limits(-1.5e308, 1e308)).unwrap_err();
    assert!(huge.starts_with("joint j: the limits -15") && huge.ends_with(" are no range"), "{huge}");
    assert_eq!(named(&of("revolute", "").unwrap()), ["0-1 Adjacent"]);
    let cell = sled(1.0, [0.0, 1.0]);
    for share in [0.0, -1.0, 1.5, f64::NAN] {
        let refused = allowed_pairs(&cell, 0, &AllowedSettings::default().with_always_share(share));
        assert!(matches!(refused, Err(AllowedError::BadShare(_))), "{refused:?}");
    }
}

/// A search without samples has no rounds, but takes an empty one.
#[test]
fn a_search_without_samples_takes_an_empty_round() {
    let cell = sled(0.6, [-1.0, 1.0]);
    for samples in [0, 1] {
        let settings = AllowedSettings::default().with_samples(samples);
        let mut search = AllowedSearch::new(&cell, 0, &settings).unwrap();
        search.add(&[]);
        assert_eq!((search.round().is_some(), search.progress()), (0 < samples, (0, samples)));
    }
}

#[test]
fn a_robot_that_does_not_exist_is_named() {
    let cell = sled(0.6, [-1.0, 1.0]);
    for robot in [1, 7, usize::MAX] {
        let error = allowed_pairs(&cell, robot, &AllowedSettings::default()).unwrap_err();
        assert_eq!(error, AllowedError::NoSuchRobot { robot, n_robots: 1 });
        assert_eq!(error.to_string(), format!("there is no robot {robot}: the workcell has 1"));
    }
}

/// The search drops pairs early. A plain count of all samples gives the same pairs.
#[test]
fn real_robots_agree_with_a_plain_count() {
    const N: u32 = 300;
    let settings = AllowedSettings::default().with_samples(N).with_seed(3);
    for name in ["robots/widowx/widowx.urdf", "robots/fanuc_m10ia/fanuc_m10ia.urdf"] {
        let Some(file) = data::find(name) else { continue };
        let model = carom_io::read(&file).unwrap();
        let cell = Workcell::of_model(&model).unwrap();
        let start = Instant::now();
        let found = allowed_pairs(&cell, 0, &settings).unwrap();
        println!("{name}: {N} samples in {:.2} s", start.elapsed().as_secs_f64());
        // Open pairs at the start are those that the search did not find at once.
        let search = AllowedSearch::new(&cell, 0, &settings).unwrap();
        let mut counts = vec![0; search.test(0).len()];
        for sample in 0..N {
            search.test(sample).iter().zip(&mut counts).for_each(|(is, n)| *n += u32::from(*is));
        }
        let at_once = search.finish();
        let is_known = |pair: &[usize; 2]| at_once.iter().any(|known| known.parts == *pair);
        let n_parts = cell.n_parts();
        // A pair that is not known to touch in the default pose is not sampled.
        let poses = cell.part_poses(&[cell.robots()[0].values(&[]).unwrap()]);
        let is_open = |pair: &[usize; 2]| !is_known(pair) && cell.touches(*pair, &poses).is_some();
        let pairs: Vec<[usize; 2]> =
            (0..n_parts).flat_map(|b| (0..b).map(move |a| [a, b])).filter(is_open).collect();
        let (counts, n_unknown) = counts.split_at(pairs.len());
        assert_eq!(n_unknown.len(), pairs.len());
        let mut expected = at_once.clone();
        let reason = |n: u32| match n {
            0 => Some(AllowedReason::Never),
            n if 0.95 * f64::from(N) <= f64::from(n) => Some(AllowedReason::Always),
            _ => None,
        };
        let sampled =
            pairs.iter().zip(counts.iter().zip(n_unknown)).filter(|(_, (_, unknown))| **unknown == 0);
        expected.extend(
            sampled.filter_map(|(pair, (n, _))| Some(AllowedPair { parts: *pair, reason: reason(*n)? })),
        );
        expected.sort_unstable_by_key(|pair| pair.parts);
        assert_eq!(found, expected, "{name}");
        let n_never = found.iter().filter(|pair| pair.reason == AllowedReason::Never).count();
        assert!(0 < n_never && counts.iter().any(|n| 0 < *n && *n < N), "{name}: {counts:?}");
    }
}

/// No sample moves a floating joint, so its links may meet in poses that none shows.
#[test]
fn links_of_a_floating_joint_are_not_allowed() {
    let cube = |x: f64| [x, 0.0, 0.0, 1.0, 1.0, 1.0];
    for (kind, expected) in [
        ("floating", vec!["1-2 Adjacent"]),
        ("planar", vec!["1-2 Adjacent"]),
        ("fixed", vec!["0-1 Adjacent", "0-2 Never", "1-2 Adjacent"]),
    ] {
        // The object touches the base, and its label is far away.
        let model = robot(
            &[("base", &[cube(0.0)]), ("object", &[cube(0.5)]), ("label", &[cube(9.0)])],
            &[joint("j", kind, ["base", "object"], ""), joint("k", "fixed", ["object", "label"], "")],
        );
        let cell = Workcell::of_model(&model).unwrap();
        let found = allowed_pairs(&cell, 0, &AllowedSettings::default().with_samples(10)).unwrap();
        assert_eq!(named(&found), expected, "{kind}");
    }
}

/// An open mesh leaves it unknown whether the sled in it touches it, so the pair must be checked.
#[test]
fn pairs_that_are_not_known_to_touch_are_not_allowed() {
    let turn = DQuat::from_xyzw(0.0, 0.0, 1.0, 0.0);
    // The sled is in the hood in all samples, in a fifth of them, or never.
    for (size, x, expected) in [(4.0, 0.0, None), (1.0, 1.0, None), (1.0, 1.7, Some("2-3 Never"))] {
        let mut cell = sled(2.5, [-1.0, 1.0]);
        let hood = boxes(&[[0.0, 0.0, 0.0, size, size, size]], 10);
        cell.push_on_link(0, 0, hood, Pose::new(turn, DVec3::X * x));
        let found = named(&allowed_pairs(&cell, 0, &AllowedSettings::default().with_samples(200)).unwrap());
        assert_eq!(found.iter().map(String::as_str).find(|pair| pair.starts_with("2-3")), expected, "{x}");
    }
}
