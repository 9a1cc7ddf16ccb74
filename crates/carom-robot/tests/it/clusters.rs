//! Point clouds and octrees along trajectories, against dense samples in closed form.

use crate::{joint, limits, robot};
use carom_io::Model;
use carom_math::f64::Pose;
use carom_query::f64::{Shape, VoxelBox, Voxels};
use carom_robot::{JointPath, Workcell};
use carom_scenes::Rng;
use glam::{DMat3, DVec3};
use std::sync::Arc;

/// The middle of the bar of the hand, and its size.
const BAR: [f64; 6] = [0.8, 0.0, 0.0, 1.6, 0.2, 0.3];

/// A mast that turns about z, an arm of length 1 that turns about y at its end, and a hand that
/// slides along x.
fn arm() -> Model {
    let axis = |axis: &str, more: &str| format!(r#"<axis xyz="{axis}"/>{more}"#);
    let joints = [
        joint("yaw", "revolute", ["base", "mast"], &axis("0 0 1", &limits(-9.0, 9.0))),
        joint(
            "pitch",
            "revolute",
            ["mast", "arm"],
            &(axis("0 1 0", &limits(-9.0, 9.0)) + r#"<origin xyz="1 0 0"/>"#),
        ),
        joint("slide", "prismatic", ["arm", "hand"], &axis("1 0 0", &limits(-2.0, 2.0))),
    ];
    let dot = |x: f64| [x, 0.0, 30.0, 0.1, 0.1, 0.1];
    robot(&[("base", &[dot(0.0)]), ("mast", &[dot(1.0)]), ("arm", &[dot(2.0)]), ("hand", &[BAR])], &joints)
}

/// The frame of the hand for yaw, pitch and slide: its rotation and its origin.
fn hand([yaw, pitch, slide]: [f64; 3]) -> (DMat3, DVec3) {
    let turn = DMat3::from_rotation_z(yaw) * DMat3::from_rotation_y(pitch);
    (turn, DMat3::from_rotation_z(yaw) * DVec3::X + turn * DVec3::X * slide)
}

/// The distance of a point from a box with this middle and half size.
fn from_box(point: DVec3, middle: DVec3, half: DVec3) -> f64 {
    ((point - middle).abs() - half).max(DVec3::ZERO).length()
}

/// Follows one pair over rows of random values, and compares with samples of the distance. Returns
/// whether the parts met.
fn check(
    cell: &Workcell,
    pair: [usize; 2],
    rows: &[[f64; 3]],
    clearance: f64,
    gap: &dyn Fn([f64; 3]) -> f64,
) -> bool {
    const SAMPLES: usize = 1500;
    let times: Vec<f64> = (0..rows.len()).map(|row| row as f64).collect();
    let path = JointPath::new(cell, times, vec![rows.iter().map(|row| row.to_vec()).collect()]).unwrap();
    let met = path.first_contact(pair, clearance);
    let at = |time: f64| {
        let row = (time as usize).min(rows.len() - 2);
        let share = time - row as f64;
        gap(core::array::from_fn(|k| rows[row][k] + (rows[row + 1][k] - rows[row][k]) * share))
    };
    let end = (rows.len() - 1) as f64;
    for sample in 0..=SAMPLES {
        let time = end * sample as f64 / SAMPLES as f64;
        if met.is_none_or(|met| time < met.time) {
            assert!(clearance < at(time), "{time}: {met:?}");
        }
    }
    if let Some(met) = met {
        let there = at(met.time);
        let is_first = met.time == 0.0 && there <= clearance;
        assert!(is_first || (there - clearance).abs() < 1e-4, "{met:?}, {there} apart");
        assert!(met.row as f64 <= met.time && met.time <= met.row as f64 + 1.0);
    }
    met.is_some()
}

/// A moving bar against a fixed cloud, a cloud on the hand against a post, and a ball on the hand
/// against fixed voxels.
#[test]
fn first_contacts_of_clusters_agree_with_dense_samples() {
    let mut rng = Rng::new(3);
    let (mut n_met, mut n_clear) = (0, 0);
    for round in 0..24 {
        let clearance = if round % 3 == 0 { 0.15 } else { 0.0 };
        let rows: Vec<[f64; 3]> =
            (0..4).map(|_| [rng.range(-1.5, 1.5), rng.range(-1.0, 1.0), rng.range(-0.5, 0.5)]).collect();
        let mut around = |n: usize, far: f64| -> Vec<DVec3> {
            let mut one = || DVec3::new(rng.range(-far, far), rng.range(-far, far), rng.range(-far, far));
            (0..n).map(|_| one()).collect()
        };
        let radius = 0.02;
        let (middle, half) = (DVec3::X * BAR[0], DVec3::new(0.8, 0.1, 0.15));
        let mut cell = Workcell::of_model(&arm()).unwrap();
        let pose = Pose::new(glam::DQuat::from_rotation_x(0.7), DVec3::new(0.3, -0.2, 0.5));
        let scan = around(25, 3.0);
        let cloud = cell.push_fixed(Shape::point_cloud(scan.clone(), radius).unwrap(), pose);
        let gap = |q: [f64; 3]| {
            let (turn, origin) = hand(q);
            let local = |point: &DVec3| turn.transpose() * (pose.transform_point(*point) - origin);
            scan.iter()
                .map(|point| from_box(local(point), middle, half) - radius)
                .fold(f64::INFINITY, f64::min)
        };
        let is_met = check(&cell, [3, cloud], &rows, clearance, &gap);
        (n_met, n_clear) = (n_met + usize::from(is_met), n_clear + usize::from(!is_met));

        // Points on the hand against a post.
        let (post, post_half) = (DVec3::new(1.2, 1.4, 0.2), DVec3::new(0.1, 0.2, 0.4));
        let carried = around(30, 0.4);
        let in_link = Pose::from_translation(DVec3::X * 1.5);
        let shape = Shape::point_cloud(carried.clone(), radius).unwrap();
        let held = cell.push_on_link(0, 3, shape, in_link);
        let stand = cell.push_fixed(Shape::cuboid(post_half).unwrap(), Pose::from_translation(post));
        let gap = |q: [f64; 3]| {
            let (turn, origin) = hand(q);
            let world = |point: &DVec3| origin + turn * in_link.transform_point(*point);
            carried
                .iter()
                .map(|point| from_box(world(point), post, post_half) - radius)
                .fold(f64::INFINITY, f64::min)
        };
        let is_met = check(&cell, [held, stand], &rows, clearance, &gap);
        (n_met, n_clear) = (n_met + usize::from(is_met), n_clear + usize::from(!is_met));

        // A ball on the hand against the cells of an octree.
        let boxes: Vec<VoxelBox> = around(20, 1.0)
            .iter()
            .map(|at| {
                let first = (*at * 12.0 + 12.0).to_array().map(|k| k as u16);
                VoxelBox { first, last: first.map(|k| k + 1) }
            })
            .collect();
        let (start, size) = (DVec3::splat(-3.0), 0.25);
        let shape = Voxels::new(start, DVec3::splat(size), boxes.clone()).unwrap();
        let octree = cell.push_fixed(Shape::Voxels(Arc::new(shape)), Pose::IDENTITY);
        let ball =
            cell.push_on_link(0, 3, Shape::sphere(0.1).unwrap(), Pose::from_translation(DVec3::X * 0.5));
        let gap = |q: [f64; 3]| {
            let (turn, origin) = hand(q);
            let center = origin + turn * DVec3::X * 0.5;
            let of_box = |one: &VoxelBox| {
                let low = start + DVec3::from_array(one.first.map(f64::from)) * size;
                from_box(center, low + DVec3::splat(size), DVec3::splat(size)) - 0.1
            };
            boxes.iter().map(of_box).fold(f64::INFINITY, f64::min)
        };
        let is_met = check(&cell, [octree, ball], &rows, clearance, &gap);
        (n_met, n_clear) = (n_met + usize::from(is_met), n_clear + usize::from(!is_met));
    }
    assert!(10 < n_met && 10 < n_clear, "{n_met} met, {n_clear} clear");
}

/// A floor is a half-space: it stands still, and a hand reaches it at a time in closed form.
#[test]
fn a_floor_has_no_end_and_does_not_move() {
    let mut cell = Workcell::of_model(&arm()).unwrap();
    let floor =
        cell.push_fixed(Shape::half_space(DVec3::Z).unwrap(), Pose::from_translation(DVec3::Z * -0.5));
    let rows = vec![vec![0.0, 0.0, 0.0], vec![0.0, 1.0, 0.0]];
    let path = JointPath::new(&cell, vec![0.0, 1.0], vec![rows.clone()]).unwrap();
    let met = path.first_contact([3, floor], 0.0).unwrap();
    // The lower end of the bar is at 1.6 along x and -0.15 along z, turned down by the pitch.
    let reach = 1.6_f64.hypot(0.15);
    let angle = (0.5 / reach).asin() - (0.15 / 1.6_f64).atan();
    assert!(met.time <= angle && angle - met.time < 1e-5, "{met:?}, {angle}");
    cell.push_on_link(0, 3, Shape::half_space(DVec3::Z).unwrap(), Pose::IDENTITY);
    let why = JointPath::new(&cell, vec![0.0, 1.0], vec![rows]).err().map(|e| e.to_string());
    assert_eq!(why.as_deref(), Some("part 5 on a link has no end"));
}
