//! Rows of the scoreboard: valid scenes, figures that detect faults, and closed forms compared
//! with first principles.

use carom_math::{Pose, Quat, Vec3};
use carom_scenes::scoreboard::{
    Film, Frame, GRAVITY, Inertia, Row, STEP, State, cause, contact, motion, rows, rows_with_cause,
    structures,
};
use carom_scenes::{BodySpec, JointSpec};
use glam::{DMat3, DQuat, DVec3};
use std::collections::BTreeSet;

/// Returns a film of a row. In each frame after the first, `state` computes the bodies from their
/// start and the time. All masses are 1.
fn film(row: &Row, seconds: f64, overlap: f64, state: impl Fn(State, f64) -> State) -> Film {
    let start = |body: &BodySpec| State {
        pose: body.pose,
        linear_velocity: body.linear_velocity,
        angular_velocity: body.angular_velocity,
        is_asleep: false,
    };
    let inertia = |body: &BodySpec| {
        let moves = f64::from(u8::from(!body.is_fixed() && !body.is_kinematic));
        Inertia { mass: moves, center: DVec3::ZERO, tensor: DMat3::IDENTITY * moves }
    };
    let n_steps = (seconds / STEP).round() as usize;
    let frame = |step: usize| {
        let now = |body: &BodySpec| {
            if step == 0 || body.is_fixed() { start(body) } else { state(start(body), STEP * step as f64) }
        };
        Frame { states: row.scene.bodies.iter().map(now).collect(), overlap: Some(overlap) }
    };
    Film {
        scene: row.scene.clone(),
        inertias: row.scene.bodies.iter().map(inertia).collect(),
        frames: (0..=n_steps).map(frame).collect(),
    }
}

/// The names of the figures of a film that fail.
fn failures(row: &Row, film: &Film) -> Vec<&'static str> {
    let fails = |figure: &&carom_scenes::scoreboard::Figure| !figure.limit.allows(figure.of(film));
    row.figures.iter().filter(fails).map(|figure| figure.name).collect()
}

/// Seconds of a film that suffice for each figure: the overlap of a stack counts from 5 s on.
const SECONDS: f64 = 6.0;

#[test]
fn rows_have_names_reasons_and_sound_scenes() {
    let rows = rows();
    let names: BTreeSet<&str> = rows.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names.len(), rows.len());
    for row in &rows {
        assert!(!row.about.is_empty() && !row.figures.is_empty(), "{}", row.name);
        assert!(row.figures.iter().all(|figure| !figure.reason.is_empty()), "{}", row.name);
        let n = row.scene.bodies.len();
        for joint in &row.scene.joints {
            let (JointSpec::Ball { a, b, .. }
            | JointSpec::Hinge { a, b, .. }
            | JointSpec::Axle { a, b, .. }
            | JointSpec::Rope { a, b, .. }) = *joint
            else {
                panic!("{}: {joint:?}", row.name);
            };
            assert!(a < n && b < n && a != b, "{}: {joint:?}", row.name);
        }
        assert!(
            row.scene.drives.iter().all(|drive| row.scene.bodies[drive.body].is_kinematic),
            "{}",
            row.name
        );
        assert!(row.scene.drives.is_sorted_by(|a, b| a.at <= b.at), "{}", row.name);
    }
}

/// The page of the scoreboard has a cause for each row that carom fails, and no other one.
#[test]
fn the_page_has_the_causes_of_failed_rows() {
    let page = include_str!("../../../carom-world/SCOREBOARD.md");
    let mut failed = BTreeSet::new();
    for line in page.lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        if let [_, row, _, _, _, "FAIL", _, _, _] = cells[..] {
            failed.insert(row);
        }
    }
    assert_eq!(failed, rows_with_cause().collect());
    for row in failed {
        let cause = cause(row).unwrap();
        assert!(page.contains(&format!("| {row} | {cause} |")), "{row}: {cause}");
        assert!(carom_scenes::scoreboard::row(row).is_some(), "{row}");
    }
    assert_eq!(cause("pendulum"), None);
}

/// Joints have no gap at the start. Otherwise a figure would measure the fault of the scene.
#[test]
fn joints_begin_without_gaps() {
    for row in rows() {
        let film = film(&row, 0.0, 0.0, |state, _| state);
        // rounding: of poses in f32, some metres from the origin.
        assert!(film.largest_gap(0.0) < 1e-5, "{}: {}", row.name, film.largest_gap(0.0));
    }
}

#[test]
fn no_figure_passes_what_is_no_number() {
    for row in rows() {
        let lost = Pose { rotation: Quat::from_xyzw(f32::NAN, 0.0, 0.0, 1.0), translation: Vec3::NAN };
        let nothing = |_, _| State {
            pose: lost,
            linear_velocity: Vec3::NAN,
            angular_velocity: Vec3::NAN,
            is_asleep: false,
        };
        let film = film(&row, SECONDS, f64::NAN, nothing);
        assert_eq!(
            failures(&row, &film).len(),
            row.figures.len(),
            "{}: {:?}",
            row.name,
            failures(&row, &film)
        );
    }
}

#[test]
fn bodies_that_fly_away_fail_each_row() {
    let velocity = Vec3::new(0.3, 1.0, 0.2);
    for row in rows() {
        let flying = |state: State, time: f64| State {
            pose: Pose::new(state.pose.rotation, state.pose.translation + velocity * time as f32),
            linear_velocity: velocity,
            ..state
        };
        let film = film(&row, SECONDS, 0.0, flying);
        assert!(!failures(&row, &film).is_empty(), "{}", row.name);
    }
}

/// Rows of motion fail if the bodies stand still. Stacks pass.
#[test]
fn frozen_bodies_fail_each_row_of_motion_and_pass_each_stack() {
    let stands = ["stacked-", "table-", "pressed-", "tower-", "pyramid-", "cards", "arch"];
    // Frozen bodies keep all joints and all energy, so these rows pass.
    let holds = ["hung-", "ragdolls", "trampoline", "spin", "gas-"];
    for row in rows() {
        let film = film(&row, SECONDS, 0.0, |state, _| state);
        let is_of = |names: &[&str]| names.iter().any(|name| row.name.starts_with(name));
        if !is_of(&holds) {
            assert_eq!(failures(&row, &film).is_empty(), is_of(&stands), "{}", row.name);
        }
    }
}

/// Figures of joints, energy and momentum fail as soon as one of these is wrong.
#[test]
fn stretched_joints_and_energy_from_nothing_fail() {
    for name in
        ["hung-10", "hung-1000", "ragdolls", "trampoline", "spin", "gas-balls", "gas-boxes", "pendulum"]
    {
        let row = carom_scenes::scoreboard::row(name).unwrap();
        let faster = |state: State, _| State {
            linear_velocity: state.linear_velocity * 1.1 + Vec3::splat(300.0),
            angular_velocity: state.angular_velocity * 1.1,
            ..state
        };
        assert!(!failures(&row, &film(&row, SECONDS, 0.0, faster)).is_empty(), "{name} gains energy");
        if row.scene.joints.is_empty() {
            continue;
        }
        let apart = |state: State, _| State {
            pose: Pose::new(state.pose.rotation, state.pose.translation * 4.0),
            ..state
        };
        assert!(!failures(&row, &film(&row, SECONDS, 0.0, apart)).is_empty(), "{name} comes apart");
    }
}

#[test]
fn deep_overlaps_fail_each_row_that_measures_them() {
    let mut n = 0;
    for row in rows().into_iter().filter(|row| row.figures.iter().any(|figure| figure.needs_overlaps)) {
        let film = film(&row, 40.0, 0.1, |state, _| state);
        assert!(failures(&row, &film).iter().any(|name| name.contains("overlap")), "{}", row.name);
        n += 1;
    }
    assert_eq!(n, 15);
}

/// Returns the torque that turns the angular momentum about the vertical at a rate, for a round
/// body of mass 1 whose axis leans.
fn torque_for(lean: f64, rate: f64, spin: DVec3, across: f64, about: f64) -> DVec3 {
    let momentum = |angle: f64| {
        let turn = DQuat::from_rotation_y(angle);
        let (axis, spin) = (turn * DVec3::new(lean.sin(), lean.cos(), 0.0), turn * spin);
        spin * across + axis * (spin.dot(axis) * (about - across))
    };
    let step = 1e-4; // Not a tolerance: the step of a difference quotient.
    (momentum(step * rate) - momentum(-step * rate)) / (2.0 * step)
}

#[test]
fn a_coin_on_a_circle_has_the_torque_that_turns_it_and_does_not_slip() {
    let (radius, half) = (0.5, 0.05);
    for (lean, circle) in [(60.0_f64, 2.0), (75.0, 3.0), (45.0, 1.0)] {
        let lean = lean.to_radians();
        let [rate, own] = contact::coin_rate(lean, circle);
        let axis = DVec3::new(lean.sin(), lean.cos(), 0.0);
        let up = DVec3::new(-lean.cos(), lean.sin(), 0.0);
        let spin = DVec3::Y * rate + axis * own;
        let to_rim = up * -radius - axis * half;
        let velocity = DVec3::Y.cross(DVec3::X * circle) * rate;
        assert!((velocity + spin.cross(to_rim)).length() < 1e-9, "it slips"); // rounding
        let force = DVec3::new(-rate * rate * circle, GRAVITY, 0.0);
        let wanted =
            torque_for(lean, rate, spin, 0.25 * radius * radius + half * half / 3.0, 0.5 * radius * radius);
        let error = (to_rim.cross(force) - wanted).length();
        assert!(error < 1e-6 * GRAVITY, "{lean}: {error}"); // rounding: of the difference quotient.
    }
}

#[test]
fn a_top_has_the_torque_that_turns_it() {
    for (lean, stem, speed) in [(60.0_f64, 0.2, 30.0), (60.0, 0.5, 60.0), (30.0, 0.3, 50.0)] {
        let lean = lean.to_radians();
        let rate = motion::precession(lean, stem, speed);
        let axis = DVec3::new(lean.sin(), lean.cos(), 0.0);
        let spin = axis * speed + DVec3::new(-lean.cos(), lean.sin(), 0.0) * (rate * lean.sin());
        let across = 0.25 * 0.09 + 0.0025 / 3.0 + stem * stem;
        let wanted = torque_for(lean, rate, spin, across, 0.5 * 0.09);
        let error = ((axis * stem).cross(DVec3::NEG_Y * GRAVITY) - wanted).length();
        assert!(error < 1e-5 * GRAVITY, "{lean}: {error}"); // rounding: of the difference quotient.
    }
}

/// The wave has no length scale but that of the dominoes: for twice the size it is faster by the
/// square root of two. Friction between dominoes slows it down. It has no effect on dominoes so
/// thin and near that they hardly slide.
#[test]
fn the_wave_of_dominoes_scales_and_friction_slows_it() {
    let small = structures::wave_speed([0.5, 0.0895, 0.0605], 0.2);
    let large = structures::wave_speed([1.0, 0.179, 0.121], 0.2);
    assert!((large / small - 2.0_f64.sqrt()).abs() < 1e-4, "{small} {large}");
    let smooth = structures::wave_speed([0.5, 0.0895, 0.0605], 0.0);
    assert!(1.2 * small < smooth && smooth < 2.0 * small, "{small} {smooth}");
}
