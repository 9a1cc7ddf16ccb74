//! Paths of joints: first contacts in closed form, and errors.

use crate::cells::boxes;
use crate::{joint, limits, robot, sled};
use carom_io::{Trajectory, read_trajectory};
use carom_math::f64::Pose;
use carom_query::f64::Shape;
use carom_robot::{FirstContact, JointPath, Workcell};

fn trajectory(name: &str, text: &str) -> Trajectory {
    let folder = std::env::temp_dir().join(format!("carom-robot-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join(name);
    std::fs::write(&file, text).unwrap();
    read_trajectory(&file).unwrap()
}

#[test]
fn a_hand_meets_a_post_at_the_time_in_closed_form() {
    let cell = sled(1.1, [-4.0, 4.0]);
    // From 0 to 4 in two seconds, after a second of rest: at 1 the sled meets the wall.
    let path = trajectory("there.csv", "time,slide,other\n0,0,5\n1,0,6\n3,4,7\n");
    let path = JointPath::of_trajectory(&cell, &path).unwrap();
    assert_eq!(cell.pairs(), [[0, 1], [0, 2], [1, 2]]);
    let met = path.first_contact([0, 2], 0.0).unwrap();
    assert!(met.time <= 1.5 && 1.5 - met.time < 1e-5 && met.row == 1, "{met:?}");
    let near = path.first_contact([0, 2], 0.5).unwrap();
    assert!(near.time <= 1.25 && 1.25 - near.time < 1e-5, "{near:?}");
    assert_eq!(path.first_contact([0, 1], 0.0), None);
    // Back and forth between the walls without a contact.
    let back = trajectory("back.csv", "time,slide\n0,-0.5\n1,0.5\n2,-0.9\n");
    assert_eq!(JointPath::of_trajectory(&cell, &back).unwrap().first_contact([0, 2], 0.0), None);
    // In contact from the start.
    let inside = trajectory("inside.csv", "time,slide\n5,3\n6,0\n");
    let met = JointPath::of_trajectory(&cell, &inside).unwrap().first_contact([0, 2], 0.0).unwrap();
    assert_eq!((met.time, met.row, met.distance), (5.0, 0, Some(0.0)));
}

#[test]
fn paths_that_are_none_are_refused() {
    let cell = sled(1.1, [-4.0, 4.0]);
    let far = trajectory("far.csv", "time,slide\n0,0\n1,9\n");
    let refused = JointPath::of_trajectory(&cell, &far).err().unwrap().to_string();
    assert_eq!(refused, "row 2: joint slide: 9 is not between its limits -4 and 4");
    let refused = |times: &[f64], rows: &[Vec<f64>]| {
        JointPath::new(&cell, times.to_vec(), vec![rows.to_vec()]).err().map(|e| e.to_string())
    };
    let row = vec![0.0, 0.0];
    assert_eq!(refused(&[0.0, 1.0], &[row.clone(), row.clone()]), None);
    assert_eq!(refused(&[], &[]).unwrap(), "no row");
    for times in [[0.0, 0.0], [1.0, 0.0], [0.0, f64::NAN]] {
        let why = refused(&times, &[row.clone(), row.clone()]).unwrap();
        assert_eq!(why, "row 2: times must be finite and increase");
    }
    for rows in [vec![row.clone()], vec![row.clone(), vec![0.0]]] {
        assert_eq!(refused(&[0.0, 1.0], &rows).unwrap(), "a row has not one value for each joint");
    }
}

/// Values that a robot refuses, given as rows.
#[test]
fn r_rows_of_values_are_checked_as_named_ones_are() {
    let two = "<mimic joint=\"lead\" multiplier=\"2\" offset=\"0.5\"/>";
    let slide = |x: f64| [x, 0.0, 0.0, 1.0, 1.0, 1.0];
    let model = robot(
        &[("base", &[slide(0.0)]), ("one", &[slide(5.0)]), ("two", &[slide(9.0)])],
        &[
            joint("lead", "prismatic", ["base", "one"], &limits(-1.0, 1.0)),
            joint("follow", "prismatic", ["base", "two"], &(two.to_owned() + &limits(-9.0, 9.0))),
        ],
    );
    let cell = Workcell::of_model(&model).unwrap();
    let refused = |row: [f64; 2]| {
        let rows = vec![vec![vec![0.0, 0.5], row.to_vec()]];
        JointPath::new(&cell, vec![0.0, 1.0], rows).err().map(|e| e.to_string())
    };
    assert_eq!(refused([0.25, 1.0]), None);
    assert_eq!(refused([0.25, 1.0 + 1e-15]), None);
    let far = refused([9.0, 18.5]).unwrap();
    assert_eq!(far, "row 2: joint lead: 9 is not between its limits -1 and 1");
    assert!(refused([f64::NAN, f64::NAN]).unwrap().starts_with("row 2: joint lead: NaN"));
    for loose in [1.01, f64::NAN, f64::INFINITY] {
        let why = refused([0.25, loose]).unwrap();
        assert_eq!(why, format!("row 2: joint follow follows another one: 1 in place of {loose}"));
    }
    let twice = cell.robots()[0].values(&[("lead", 0.1), ("lead", 0.2)]).unwrap_err();
    assert_eq!(twice.to_string(), "joint lead has two values");
}

/// Returns the first contact of a sled of one metre that slides along x with a fixed shape. Its
/// place at 3, 4 and 5 s is given.
fn first_contact_of_a_sled(shape: Shape, rows: [f64; 3], clearance: f64) -> Option<FirstContact> {
    let model = robot(
        &[("base", &[[0.0, 0.0, 9.0, 1.0, 1.0, 1.0]]), ("sled", &[[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]])],
        &[joint("slide", "prismatic", ["base", "sled"], &limits(-9.0, 9.0))],
    );
    let mut cell = Workcell::of_model(&model).unwrap();
    let fixed = cell.push_fixed(shape, Pose::IDENTITY);
    let values = vec![rows.iter().map(|x| vec![*x]).collect()];
    let path = JointPath::new(&cell, vec![3.0, 4.0, 5.0], values).unwrap();
    path.first_contact([1, fixed], clearance)
}

/// The same for a box of 4 m around the origin with `n_faces` of its triangles.
fn first_contact_with_a_box(n_faces: usize, rows: [f64; 3], clearance: f64) -> Option<FirstContact> {
    first_contact_of_a_sled(boxes(&[[0.0, 0.0, 0.0, 4.0, 4.0, 4.0]], n_faces), rows, clearance)
}

/// A sled that slides into a box through its open end meets no surface. At the next row it is not
/// known whether they meet.
#[test]
fn a_way_into_an_open_mesh_is_not_clear() {
    let first = |n_faces: usize, rows: [f64; 3]| {
        let met = first_contact_with_a_box(n_faces, rows, 0.0);
        met.map(|met| (met.time, met.row, met.distance))
    };
    assert_eq!(first(10, [0.0, 0.0, 8.0]), Some((3.0, 0, None)));
    assert_eq!(first(10, [8.0, 0.0, 8.0]), Some((4.0, 1, None)));
    assert_eq!(first(10, [8.0, 7.0, 0.5]), Some((5.0, 2, None)));
    // A sled that stands still in the box is in it at each row, and the first one counts.
    assert_eq!(first(10, [0.0, 0.0, 0.0]), Some((3.0, 0, None)));
    assert_eq!(first(10, [8.0, 0.0, 0.0]), Some((4.0, 1, None)));
    // Only before the open end.
    assert_eq!(first(10, [8.0, 3.0, 2.0]), None);
    // A closed box is met on the way.
    let (time, row, distance) = first(12, [8.0, 7.0, 0.5]).unwrap();
    assert!(4.0 < time && time < 5.0 && row == 1 && distance.is_some());
}

/// A time at which nothing is known hides no contact that comes later, or at the same time.
#[test]
fn a_sure_contact_behind_an_unknown_time_is_found() {
    let near = |met: FirstContact, time: f64| met.time <= time && time - met.time < 1e-5;
    // The sled leaves through the closed end: its side is at the wall when its middle is at -1.5.
    let met = first_contact_with_a_box(10, [0.0, -3.0, -6.0], 0.0).unwrap();
    assert!(near(met, 3.5) && met.row == 0 && met.distance.is_some(), "{met:?}");
    assert_eq!(met.undecided_from, Some(3.0));
    // In through the open end, with a row inside, and on through the wall.
    let met = first_contact_with_a_box(10, [8.0, 0.0, -3.0], 0.0).unwrap();
    assert!(near(met, 4.5) && met.row == 1 && met.distance.is_some(), "{met:?}");
    assert_eq!(met.undecided_from, Some(4.0));
    // Nearer than the clearance all the time, and later.
    let met = first_contact_with_a_box(10, [0.0, -3.0, -6.0], 1.75).unwrap();
    assert_eq!((met.time, met.row, met.undecided_from), (3.0, 0, None));
    assert!((met.distance.unwrap() - 1.5).abs() < 1e-9, "{met:?}");
    let met = first_contact_with_a_box(10, [0.0, -3.0, -6.0], 0.5).unwrap();
    assert!(near(met, 3.0 + 1.0 / 3.0) && met.undecided_from == Some(3.0), "{met:?}");
    // From outside nothing is unknown before.
    let met = first_contact_with_a_box(10, [-8.0, 0.0, 0.0], 0.0).unwrap();
    assert!(near(met, 3.0 + 5.5 / 8.0) && met.undecided_from.is_none(), "{met:?}");
}

/// A search that does not converge hides no contact at a later row. The sled passes along a box at
/// a distance that is hardly more than the tolerance, and ends in another box.
#[test]
fn a_sure_contact_behind_a_slow_search_is_found() {
    let beside = [0.0, 2.5 + 5e-6, 0.0, 4.0, 4.0, 4.0];
    let first = |end: [f64; 6]| {
        let met = first_contact_of_a_sled(boxes(&[beside, end], 12), [-4.0, 4.0, 8.0], 0.0).unwrap();
        assert!(met.undecided_from.is_some_and(|from| 3.0 < from && from < 3.5), "{met:?}");
        (met.time, met.row, met.distance)
    };
    assert_eq!(first([8.0, 0.0, 0.0, 1.5, 0.5, 0.5]), (5.0, 2, Some(0.0)));
    // Wholly inside, so that no surface is near.
    assert_eq!(first([8.0, 0.0, 0.0, 3.0, 3.0, 3.0]), (5.0, 2, Some(0.0)));
    // Nothing on the way back is certain.
    let shape = || boxes(&[beside, [0.0, 9.0, 0.0, 1.0, 1.0, 1.0]], 12);
    let met = first_contact_of_a_sled(shape(), [-4.0, 4.0, -4.0], 0.0).unwrap();
    assert!(met.distance.is_none() && 3.0 < met.time && met.time < 3.5 && met.row == 0, "{met:?}");
}
