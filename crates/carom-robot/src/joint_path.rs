//! Finds when parts first meet while the joints of robots follow a trajectory, also between its
//! rows.
//!
//! Between two rows each joint moves at a constant rate. The speed of a link relative to another
//! is at most a sum over the joints between them. The term of a joint is its rate times the reach
//! from the joint, or the rate alone if it slides. With this bound each distance proves that the
//! parts are apart for some time, so contacts between rows are not missed.
//!
//! Reference: F. Schwarzer, M. Saha, J.-C. Latombe, Adaptive Dynamic Collision Checking for Single
//! and Multiple Articulated Robots, IEEE Transactions on Robotics, 2005 (bounds of links).
//! Differs: pairs are followed in time and not bisected, so that the first contact is found.

use crate::workcell::Workcell;
use carom_ccd::{Approach, first_approach};
use carom_io::{Robot, RobotError, RobotJointKind, Trajectory};
use carom_math::f64::Pose;
use carom_query::f64::Shape;
use core::fmt;
use glam::DVec3;

/// The distance at which parts count as touching, relative to the size of all parts.
const TOLERANCE_TO_SIZE: f64 = 1e-7;

/// The relative error of a value of a joint that mimics another one.
const FOLLOWER_SLACK: f64 = 1e-9;

/// A joint between a part and the root of its robot.
struct Lever {
    /// The index of the joint.
    joint: usize,
    /// A bound on the distance from the joint to the points of the part, if sliding joints in
    /// between are at 0.
    reach: f64,
}

/// The first time at which two parts come together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FirstContact {
    /// The parts, low index first.
    pub parts: [usize; 2],
    /// The time, in seconds.
    pub time: f64,
    /// The index of the last row that is not later.
    pub row: usize,
    /// The distance at that time, a length. `None` if it is unknown whether the parts meet then,
    /// and no later contact was found. There are two reasons. The search did not converge for
    /// parts that are very near. Or at a row, a piece of one lies in the box of a mesh without an
    /// inside: see [`Workcell::touches`].
    pub distance: Option<f64>,
    /// The time, in seconds, from which it is not known whether the parts met before `time`;
    /// `None` if they are apart until then.
    pub undecided_from: Option<f64>,
}

/// Why a path of joints is refused.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum JointPathError {
    /// A robot refuses a value of a row; rows count from 1.
    Row(usize, RobotError),
    /// There is no row, a time is not finite or not later than the one before, a row does not have
    /// one value for each joint, a joint does not follow the one that it mimics, or a part on a
    /// link is a half-space.
    Shape(String),
}

impl fmt::Display for JointPathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JointPathError::Row(row, error) => write!(f, "row {row}: {error}"),
            JointPathError::Shape(what) => f.write_str(what),
        }
    }
}

impl core::error::Error for JointPathError {}

/// Checks the values of all joints of a robot in a row, counted from 1.
fn check_row(robot: &Robot, row: &[f64], number: usize) -> Result<(), JointPathError> {
    for joint in robot.free_joints() {
        robot.check_value(joint, row[joint]).map_err(|e| JointPathError::Row(number, e))?;
    }
    let mut followed = row.to_vec();
    robot.set_followers(&mut followed);
    let follows = |(value, expected): (&f64, &f64)| {
        value.is_finite() && (value - expected).abs() <= FOLLOWER_SLACK * value.abs().max(expected.abs())
    };
    let Some(at) = row.iter().zip(&followed).position(|pair| !follows(pair)) else { return Ok(()) };
    let (name, value, expected) = (&robot.joints()[at].name, row[at], followed[at]);
    Err(JointPathError::Shape(format!(
        "row {number}: joint {name} follows another one: {expected} in place of {value}"
    )))
}

/// A path of the joints of all robots in a cell.
pub struct JointPath<'a> {
    cell: &'a Workcell,
    times: Vec<f64>,
    /// For each robot and row the values of all joints.
    values: Vec<Vec<Vec<f64>>>,
    /// For each part the joints above it, from the root on.
    levers: Vec<Vec<Lever>>,
    /// A length.
    tolerance: f64,
}

impl<'a> JointPath<'a> {
    /// Returns the path of a trajectory. Columns of joints that no robot has are left out.
    ///
    /// Errors: the first value that a robot refuses, with its row.
    pub fn of_trajectory(
        cell: &'a Workcell,
        trajectory: &Trajectory,
    ) -> Result<JointPath<'a>, JointPathError> {
        let rows = |robot: &Robot| {
            let columns: Vec<(&str, usize)> = trajectory
                .joints
                .iter()
                .enumerate()
                .filter(|(_, name)| robot.joint(name).is_some())
                .map(|(column, name)| (name.as_str(), column))
                .collect();
            let row = |(number, row): (usize, &Vec<f64>)| {
                let named: Vec<(&str, f64)> =
                    columns.iter().map(|(name, column)| (*name, row[*column])).collect();
                robot.values(&named).map_err(|e| JointPathError::Row(number + 1, e))
            };
            trajectory.rows.iter().enumerate().map(row).collect()
        };
        let values: Result<Vec<_>, JointPathError> = cell.robots().iter().map(rows).collect();
        JointPath::new(cell, trajectory.times.clone(), values?)
    }

    /// Returns the path with these times, in seconds, and for each robot and row the values of all
    /// joints: see [`Robot::values`].
    ///
    /// Errors: no row, times that do not increase, a row without a value for each joint, the first
    /// value that a robot refuses, a joint that does not follow the one that it mimics, or a
    /// half-space on a link.
    pub fn new(
        cell: &'a Workcell,
        times: Vec<f64>,
        values: Vec<Vec<Vec<f64>>>,
    ) -> Result<JointPath<'a>, JointPathError> {
        let refused = |what: String| Err(JointPathError::Shape(what));
        if times.is_empty() {
            return refused("no row".to_owned());
        }
        let is_late = |i: &usize| 0 < *i && !(times[i - 1] < times[*i]);
        if let Some(i) = (0..times.len()).find(|i| !times[*i].is_finite() || is_late(i)) {
            return refused(format!("row {}: times must be finite and increase", i + 1));
        }
        let has_all = |(robot, rows): (&Robot, &Vec<Vec<f64>>)| {
            let n_joints = robot.joints().len();
            rows.len() == times.len() && rows.iter().all(|row| row.len() == n_joints)
        };
        if values.len() != cell.robots().len() || !cell.robots().iter().zip(&values).all(has_all) {
            return refused("a row has not one value for each joint".to_owned());
        }
        for number in 0..times.len() {
            for (robot, rows) in cell.robots().iter().zip(&values) {
                check_row(robot, &rows[number], number + 1)?;
            }
        }
        let levers: Vec<Vec<Lever>> = (0..cell.n_parts()).map(|part| levers(cell, part)).collect();
        let is_endless = |levers: &Vec<Lever>| levers.iter().any(|lever| !lever.reach.is_finite());
        if let Some(part) = levers.iter().position(is_endless) {
            return refused(format!("part {part} on a link has no end"));
        }
        let mut path = JointPath { cell, times, values, levers, tolerance: 0.0 };
        path.tolerance = TOLERANCE_TO_SIZE * path.size();
        Ok(path)
    }

    /// Returns the diagonal of the box around all parts at the first row, half-spaces left out.
    fn size(&self) -> f64 {
        let mut bounds = [DVec3::INFINITY, DVec3::NEG_INFINITY];
        for (part, pose) in self.poses_at_start().iter().enumerate() {
            match self.cell.shape(part) {
                Shape::Mesh(mesh) => {
                    for vertex in mesh.mesh().vertices() {
                        let vertex = pose.transform_point(*vertex);
                        bounds = [bounds[0].min(vertex), bounds[1].max(vertex)];
                    }
                }
                shape => {
                    let aabb = shape.aabb(pose);
                    let (low, high) = (aabb.min.as_dvec3(), aabb.max.as_dvec3());
                    if low.is_finite() && high.is_finite() {
                        bounds = [bounds[0].min(low), bounds[1].max(high)];
                    }
                }
            }
        }
        if bounds[0].x <= bounds[1].x { (bounds[1] - bounds[0]).length() } else { 0.0 }
    }

    fn poses_at_start(&self) -> Vec<Pose> {
        let first: Vec<Vec<f64>> = self.values.iter().map(|rows| rows[0].clone()).collect();
        self.cell.part_poses(&first)
    }

    /// Returns the times of the rows, in seconds.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// Returns the pose of a part at a time from a row to the next.
    fn pose_at(&self, part: usize, row: usize, time: f64) -> Pose {
        let Some((robot, ..)) = self.cell.link_of(part) else { return self.cell.part_pose(part, &[]) };
        let rows = &self.values[robot];
        let Some(next) = rows.get(row + 1) else { return self.cell.part_pose(part, &rows[row]) };
        let share = (time - self.times[row]) / (self.times[row + 1] - self.times[row]);
        let now = rows[row].iter().zip(next).map(|(now, then)| now + (then - now) * share);
        self.cell.part_pose(part, &now.collect::<Vec<f64>>())
    }

    /// Returns a bound on the rate at which the distance of two parts changes between a row and
    /// the next, per second.
    fn rate(&self, [a, b]: [usize; 2], row: usize) -> f64 {
        let robot_of = |part: usize| self.cell.link_of(part).map(|(robot, ..)| robot);
        // Joints that move both parts alike do not count.
        let is_one = robot_of(a).is_some() && robot_of(a) == robot_of(b);
        let both = self.levers[a].iter().zip(&self.levers[b]);
        let n_shared = both.take_while(|(p, q)| is_one && p.joint == q.joint).count();
        let speed = |part: usize| robot_of(part).map_or(0.0, |robot| self.speed(part, robot, n_shared, row));
        speed(a) + speed(b)
    }

    /// Returns a bound on the speed of a part relative to the link after its first `n_shared`
    /// joints, from the root on.
    fn speed(&self, part: usize, robot: usize, n_shared: usize, row: usize) -> f64 {
        let rows = &self.values[robot];
        let Some(next) = rows.get(row + 1) else { return 0.0 };
        let joints = self.cell.robots()[robot].joints();
        let duration = self.times[row + 1] - self.times[row];
        let slides = |joint: usize| joints[joint].kind == RobotJointKind::Prismatic;
        let mut slid = 0.0;
        let mut speed = 0.0;
        for lever in self.levers[part][n_shared..].iter().rev() {
            let (now, then) = (rows[row][lever.joint], next[lever.joint]);
            let rate = (then - now).abs() / duration;
            speed += if slides(lever.joint) { rate } else { rate * (lever.reach + slid) };
            slid += if slides(lever.joint) { now.abs().max(then.abs()) } else { 0.0 };
        }
        speed
    }

    /// Follows a pair of parts. Returns when they first come within `clearance`, a length; `None`
    /// if they do not. A closed mesh is a solid: a part inside it touches it. A part can pass into
    /// a mesh without an inside and meet no surface; that is found at the rows only.
    ///
    /// A time at which it is not known whether they meet does not end the search for a contact
    /// that is certain.
    ///
    /// # Panics
    /// If there is no such part.
    pub fn first_contact(&self, parts: [usize; 2], clearance: f64) -> Option<FirstContact> {
        // The first time at which it is not known whether they meet, with its row.
        let mut undecided: Option<(f64, usize)> = None;
        let has_open_mesh = self.cell.has_open_mesh(parts);
        // A search that did not converge is long. After it the distance is taken at the rows only.
        let mut is_continuous = true;
        let mut known = 0.0;
        for (row, &start) in self.times.iter().enumerate() {
            let contact = |time: f64, distance: f64, undecided: Option<(f64, usize)>| {
                let undecided_from = undecided.map(|(from, _)| from).filter(|from| *from < time);
                Some(FirstContact { parts, time, row, distance: Some(distance), undecided_from })
            };
            let poses_at = |time: f64| parts.map(|part| self.pose_at(part, row, time));
            // Along a continuous search a part comes into a closed mesh through its surface only.
            // If the parts stand still, the next row has the same answer.
            let may_be_nested = row == 0
                || !is_continuous
                || undecided.is_none() && has_open_mesh && 0.0 < self.rate(parts, row - 1);
            if may_be_nested {
                match self.cell.touches_at(parts, poses_at(start).each_ref()) {
                    Some(true) => return contact(start, 0.0, undecided),
                    Some(false) => {}
                    None => undecided = undecided.or(Some((start, row))),
                }
            }
            let end = self.times.get(row + 1).copied().filter(|_| is_continuous).unwrap_or(start);
            let rate = self.rate(parts, row);
            let at = |time: f64| self.cell.distance_at(parts, poses_at(time).each_ref());
            match first_approach(at, rate, clearance, self.tolerance, [start, end], known) {
                Approach::Clear { at_end } => known = if is_continuous { at_end } else { 0.0 },
                Approach::Within { time, distance } => return contact(time, distance, undecided),
                Approach::Undecided { time } => {
                    undecided = undecided.or(Some((time, row)));
                    (is_continuous, known) = (false, 0.0);
                }
            }
        }
        let nothing_certain =
            |(time, row)| FirstContact { parts, time, row, distance: None, undecided_from: None };
        undecided.map(nothing_certain)
    }
}

/// Returns the joints between a part and the root, from the root on, with their reach.
fn levers(cell: &Workcell, part: usize) -> Vec<Lever> {
    let Some((robot, link, in_link)) = cell.link_of(part) else { return Vec::new() };
    let robot = &cell.robots()[robot];
    let mut reach = cell.reach_on_link(part, in_link);
    let mut levers = Vec::new();
    let mut at = link;
    while let Some(joint) = robot.joint_above(at) {
        levers.push(Lever { joint, reach });
        let origin = robot.joints()[joint].origin.0;
        reach += DVec3::new(origin[3], origin[7], origin[11]).length();
        at = robot.joints()[joint].links[0];
    }
    levers.reverse();
    levers
}
