//! Paths of joints: first contacts in closed form, and errors.

use crate::cells::boxes;
use crate::{joint, limits, robot, sled};
use carom_io::{Trajectory, read_trajectory};
use carom_math::f64::Pose;
use carom_robot::{JointPath, Workcell};

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
    assert_eq!(path.pairs(), [[0, 1], [0, 2], [1, 2]]);
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

/// A sled that slides into a box through its open end meets no surface. At the next row it is not
/// known whether they meet.
#[test]
fn a_way_into_an_open_mesh_is_not_clear() {
    let model = robot(
        &[("base", &[[0.0, 0.0, 9.0, 1.0, 1.0, 1.0]]), ("sled", &[[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]])],
        &[joint("slide", "prismatic", ["base", "sled"], &limits(-9.0, 9.0))],
    );
    let first = |n_faces: usize, rows: [f64; 3]| {
        let mut cell = Workcell::of_model(&model).unwrap();
        let open = cell.push_fixed(boxes(&[[0.0, 0.0, 0.0, 4.0, 4.0, 4.0]], n_faces), Pose::IDENTITY);
        let values = vec![rows.iter().map(|x| vec![*x]).collect()];
        let path = JointPath::new(&cell, vec![3.0, 4.0, 5.0], values).unwrap();
        path.first_contact([1, open], 0.0).map(|met| (met.time, met.row, met.distance))
    };
    assert_eq!(first(10, [0.0, 0.0, 8.0]), Some((3.0, 0, None)));
    assert_eq!(first(10, [8.0, 0.0, 8.0]), Some((4.0, 1, None)));
    assert_eq!(first(10, [8.0, 7.0, 0.5]), Some((5.0, 2, None)));
    // Only before the open end.
    assert_eq!(first(10, [8.0, 3.0, 2.0]), None);
    // A closed box is met on the way.
    let (time, row, distance) = first(12, [8.0, 7.0, 0.5]).unwrap();
    assert!(4.0 < time && time < 5.0 && row == 1 && distance.is_some());
}
