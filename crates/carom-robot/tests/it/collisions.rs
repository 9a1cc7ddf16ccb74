//! All pairs at once, compared with each pair alone.

use crate::{joint, limits, robot};
use carom_geom::f64::{HalfSpace, Sphere};
use carom_math::f64::Pose;
use carom_query::f64::Shape;
use carom_robot::{AllowedSettings, Workcell, allowed_pairs};
use carom_scenes::Rng;
use glam::DVec3;

/// An arm of three links that can fold into its base, and a ball and a floor beside it.
fn cell() -> Workcell {
    let axis = r#"<axis xyz="0 0 1"/><origin xyz="2 0 0"/>"#.to_owned() + &limits(-3.0, 3.0);
    let joints = [
        joint("shoulder", "revolute", ["base", "upper"], &axis),
        joint("elbow", "revolute", ["upper", "lower"], &axis),
        joint("wrist", "revolute", ["lower", "hand"], &axis),
    ];
    let bar = [1.0, 0.0, 0.0, 1.6, 0.3, 0.3];
    let model = robot(&[("base", &[bar]), ("upper", &[bar]), ("lower", &[bar]), ("hand", &[bar])], &joints);
    let mut cell = Workcell::of_model(&model).unwrap();
    let at = |x: f64, y: f64| Pose::from_translation(DVec3::new(x, y, 0.0));
    cell.push_fixed(Shape::Sphere(Sphere::new(0.5).unwrap()), at(3.0, 2.5));
    cell.push_fixed(Shape::HalfSpace(HalfSpace::new(DVec3::Y).unwrap()), at(0.0, -3.0));
    cell.push_on_link(0, 3, Shape::Sphere(Sphere::new(0.2).unwrap()), at(2.0, 0.0));
    cell
}

fn states(cell: &Workcell, n: usize) -> Vec<Vec<Vec<f64>>> {
    let mut rng = Rng::new(3);
    let mut state = || {
        let values = ["shoulder", "elbow", "wrist"].map(|name| (name, rng.range(-3.0, 3.0)));
        vec![cell.robots()[0].values(&values).unwrap()]
    };
    (0..n).map(|_| state()).collect()
}

#[test]
fn all_pairs_at_once_are_those_one_by_one() {
    let mut cell = cell();
    let rows = states(&cell, 300);
    for allowed in [vec![], vec![[1, 0], [1, 2], [3, 2], [6, 3]]] {
        cell.allow(allowed.iter().copied());
        let is_allowed = |a: usize, b: usize| allowed.contains(&[a, b]) || allowed.contains(&[b, a]);
        let mut expected = Vec::new();
        for (row, values) in rows.iter().enumerate() {
            let poses = cell.part_poses(values);
            for a in 0..7 {
                // The ball and the floor are both fixed.
                for b in (a + 1..7).filter(|b| (a, *b) != (4, 5) && !is_allowed(a, *b)) {
                    if cell.is_touching([a, b], &poses) {
                        expected.push((row, [a, b]));
                    }
                }
            }
        }
        assert_eq!(cell.collisions_rows(&rows), expected);
        let has = |row: usize| expected.iter().any(|(other, _)| *other == row);
        let collides: Vec<bool> = (0..rows.len()).map(has).collect();
        assert_eq!(cell.collides_rows(&rows), collides);
        for (row, values) in rows.iter().enumerate() {
            assert_eq!(cell.collides(values), collides[row]);
            let own = expected.iter().filter(|(other, _)| *other == row).map(|(_, pair)| *pair);
            assert_eq!(cell.collisions(values), own.collect::<Vec<_>>());
        }
        if !allowed.is_empty() {
            let n = collides.iter().filter(|collides| **collides).count();
            assert!(50 < n && n < 250, "a fair mix: {n} of 300");
        }
    }
    cell.clear_allowed();
    assert_eq!((cell.allowed().len(), cell.pairs().len()), (0, 20));
}

#[test]
fn allowed_pairs_follow_their_parts() {
    let mut cell = cell();
    let found = allowed_pairs(&cell, 0, &AllowedSettings::default().with_samples(500)).unwrap();
    cell.allow(found.iter().map(|pair| pair.parts));
    assert_eq!(cell.allowed().collect::<Vec<_>>(), [[0, 1], [1, 2], [2, 3], [2, 6], [3, 6]]);
    cell.allow([[5, 0], [4, 0], [0, 4]]);
    cell.remove(4);
    let expected = [[0, 1], [0, 4], [1, 2], [2, 3], [2, 5], [3, 5]];
    assert_eq!(cell.allowed().collect::<Vec<_>>(), expected);
    let pairs = cell.pairs();
    assert_eq!(pairs.len(), 15 - expected.len());
    assert!(expected.iter().all(|pair| !pairs.contains(pair)));
}

#[test]
fn poses_that_prove_nothing_collide() {
    let cell = cell();
    assert!(cell.collides(&[vec![f64::NAN, 0.0, 0.0]]));
    let mut apart = Workcell::new(Vec::new());
    apart.push_fixed(Shape::Sphere(Sphere::new(1.0).unwrap()), Pose::IDENTITY);
    apart.push_fixed(Shape::Sphere(Sphere::new(1.0).unwrap()), Pose::IDENTITY);
    assert!(!apart.collides(&[]) && apart.pairs().is_empty(), "fixed parts do not count");
}

/// A missing robot or a missing value of a joint counts as 0.
#[test]
fn missing_joint_values_are_zero() {
    let cell = cell();
    let zero = cell.part_poses(&[vec![0.0; 3]]);
    for values in [&[][..], &[vec![]], &[vec![0.0]]] {
        assert_eq!(cell.part_poses(values), zero);
    }
    assert_eq!(cell.part_poses(&[vec![1.0]]), cell.part_poses(&[vec![1.0, 0.0, 0.0]]));
    assert_ne!(cell.part_poses(&[vec![1.0]]), zero);
}

#[test]
#[should_panic(expected = "no link 4 of a robot 0")]
fn a_part_on_a_link_that_does_not_exist_is_refused() {
    cell().push_on_link(0, 4, Shape::sphere(1.0).unwrap(), Pose::IDENTITY);
}

#[test]
#[should_panic(expected = "no part 7")]
fn an_allowed_pair_of_no_part_is_refused() {
    cell().allow([[7, 0]]);
}
