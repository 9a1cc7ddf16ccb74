//! `carom check --trajectory`: along which part of a trajectory each pair of parts first comes
//! together, between the rows too.
//!
//! Between two rows each joint moves at a constant rate. The speed of a link against another is at
//! most the sum over the joints between them: the rate times the reach from the joint, or the rate
//! alone if it slides. With this bound each distance certifies some time, so contacts between rows
//! are not missed.
//!
//! Reference: F. Schwarzer, M. Saha, J.-C. Latombe, Adaptive Dynamic Collision Checking for Single
//! and Multiple Articulated Robots, IEEE Transactions on Robotics, 2005 (bounds of links).
//! Differs: pairs are followed in time and not bisected, so that the first contact is found.

use crate::progress::Progress;
use crate::report::{self, Contact, number};
use crate::robots::PlacedRobot;
use crate::solid::Solid;
use carom_ccd::{Approach, first_approach};
use carom_io::{Placement, Robot, RobotJointKind, Trajectory, without_controls};
use carom_math::f64::Pose;
use carom_query::f64::distance;
use glam::{DMat3, DQuat, DVec3};
use serde_json::{Value, json};

/// The distance at which parts count as together, relative to the size of all parts.
const TOLERANCE: f64 = 1e-7;

/// A joint between a part and the root of its robot.
struct Lever {
    /// The index of the joint.
    joint: usize,
    /// The largest distance of a point of the part from the joint, without the joints in between
    /// that slide.
    reach: f64,
}

/// A part that hangs on a robot.
struct Hanging {
    robot: usize,
    link: usize,
    /// From the root on.
    levers: Vec<Lever>,
    /// From the world to the link at the first row.
    from_world: Pose,
}

/// The first time at which two parts come together.
pub(crate) struct Meeting {
    pub(crate) a: usize,
    pub(crate) b: usize,
    pub(crate) time: f64,
    /// The index of the last row that is not later.
    pub(crate) row: usize,
    /// `None` if the search gave up: the parts are apart before the time, and very near at it.
    pub(crate) distance: Option<f64>,
}

/// The robots on their way, and their parts.
pub(crate) struct Tour<'a> {
    robots: &'a [PlacedRobot],
    solids: &'a [Solid],
    hanging: Vec<Option<Hanging>>,
    times: &'a [f64],
    /// For each robot and row the values of all joints.
    values: Vec<Vec<Vec<f64>>>,
    tolerance: f64,
}

fn rigid(placement: &Placement) -> Pose {
    let m = placement.0;
    let turn = DMat3::from_cols_array(&[m[0], m[4], m[8], m[1], m[5], m[9], m[2], m[6], m[10]]);
    Pose::new(DQuat::from_mat3(&turn).normalize(), DVec3::new(m[3], m[7], m[11]))
}

/// Returns the values of all joints of a robot for each row. Columns that it lacks are left out.
///
/// Errors: the first value that the robot refuses, with its row.
pub(crate) fn rows_of(robot: &Robot, trajectory: &Trajectory) -> Result<Vec<Vec<f64>>, String> {
    let own: Vec<usize> = (0..trajectory.joints.len())
        .filter(|column| robot.joints().iter().any(|joint| joint.name == trajectory.joints[*column]))
        .collect();
    let rows = trajectory.rows.iter().enumerate().map(|(number, row)| {
        let named: Vec<(&str, f64)> =
            own.iter().map(|column| (trajectory.joints[*column].as_str(), row[*column])).collect();
        robot.values(&named).map_err(|e| format!("row {}: {e}", number + 1))
    });
    rows.collect()
}

impl<'a> Tour<'a> {
    /// Prepares the parts, which [`crate::robots::set`] has put where they are at the first row. So
    /// each column is a joint of a robot.
    ///
    /// Errors: a value that a robot refuses.
    pub(crate) fn new(
        robots: &'a [PlacedRobot],
        solids: &'a [Solid],
        trajectory: &'a Trajectory,
    ) -> Result<Tour<'a>, String> {
        let values = robots.iter().map(|placed| rows_of(&placed.robot, trajectory));
        let values = values.collect::<Result<Vec<_>, String>>()?;
        let mut hanging: Vec<Option<Hanging>> = solids.iter().map(|_| None).collect();
        for (number, placed) in robots.iter().enumerate() {
            let links = placed.robot.link_placements(&values[number][0]);
            let parts =
                (0..).map_while(|part| Some((part + placed.first_part, placed.robot.link_of_part(part)?)));
            for (part, link) in parts {
                let levers = levers(&placed.robot, link, &links[link], &solids[part]);
                let from_world = rigid(&links[link]).inverse();
                hanging[part] = Some(Hanging { robot: number, link, levers, from_world });
            }
        }
        let bounds = solids.iter().filter_map(Solid::mesh).map(|mesh| mesh.mesh().wide_bounds());
        let whole = bounds.fold([DVec3::INFINITY, DVec3::NEG_INFINITY], |[low, high], (min, max)| {
            [low.min(min), high.max(max)]
        });
        let tolerance = TOLERANCE * (whole[1] - whole[0]).length();
        Ok(Tour { robots, solids, hanging, times: &trajectory.times, values, tolerance })
    }

    /// Returns the values of a robot's joints at a time within a row and the next.
    fn values_at(&self, robot: usize, row: usize, time: f64) -> Vec<f64> {
        let rows = &self.values[robot];
        let Some(next) = rows.get(row + 1) else { return rows[row].clone() };
        let part = (time - self.times[row]) / (self.times[row + 1] - self.times[row]);
        rows[row].iter().zip(next).map(|(now, then)| now + (then - now) * part).collect()
    }

    /// Returns the motion of a part since the first row.
    fn pose_at(&self, part: usize, row: usize, time: f64) -> Pose {
        let Some(hanging) = &self.hanging[part] else { return self.solids[part].pose };
        let values = self.values_at(hanging.robot, row, time);
        let links = self.robots[hanging.robot].robot.link_placements(&values);
        rigid(&links[hanging.link]) * hanging.from_world
    }

    /// Returns a bound on the rate at which the distance of two parts changes between a row and the
    /// next, per second.
    fn rate(&self, a: usize, b: usize, row: usize) -> f64 {
        let [x, y] = [&self.hanging[a], &self.hanging[b]];
        let (of_a, of_b) = (levers_of(x), levers_of(y));
        // Joints that move both alike do not matter.
        let is_one = matches!((x, y), (Some(x), Some(y)) if x.robot == y.robot);
        let n_shared = of_a.iter().zip(of_b).take_while(|(p, q)| is_one && p.joint == q.joint).count();
        let speed =
            |part: &Option<Hanging>| part.as_ref().map_or(0.0, |part| self.speed(part, n_shared, row));
        speed(x) + speed(y)
    }

    /// Returns a bound on the speed of a part relative to the link below its first `n_shared`
    /// joints.
    fn speed(&self, part: &Hanging, n_shared: usize, row: usize) -> f64 {
        let rows = &self.values[part.robot];
        let Some(next) = rows.get(row + 1) else { return 0.0 };
        let joints = self.robots[part.robot].robot.joints();
        let duration = self.times[row + 1] - self.times[row];
        let slides = |joint: usize| joints[joint].kind == RobotJointKind::Prismatic;
        let mut slid = 0.0;
        let mut speed = 0.0;
        for lever in part.levers[n_shared..].iter().rev() {
            let (now, then) = (rows[row][lever.joint], next[lever.joint]);
            let rate = (then - now).abs() / duration;
            speed += if slides(lever.joint) { rate } else { rate * (lever.reach + slid) };
            slid += if slides(lever.joint) { now.abs().max(then.abs()) } else { 0.0 };
        }
        speed
    }

    /// Follows a pair of parts. Returns when they first come within `clearance`, if they do.
    pub(crate) fn follow(&self, a: usize, b: usize, clearance: f64) -> Option<Meeting> {
        let [x, y] = [&self.solids[a], &self.solids[b]];
        if is_inside(x, y) {
            return Some(Meeting { a, b, time: self.times[0], row: 0, distance: Some(0.0) });
        }
        let mut known = 0.0;
        for row in 0..self.times.len() {
            let [start, end] = [self.times[row], *self.times.get(row + 1).unwrap_or(&self.times[row])];
            if row > 0 && start == end {
                break;
            }
            let rate = self.rate(a, b, row);
            let at = |time: f64| {
                distance(&x.shape, &self.pose_at(a, row, time), &y.shape, &self.pose_at(b, row, time))
                    .distance
            };
            let meeting = |time: f64, distance: Option<f64>| Some(Meeting { a, b, time, row, distance });
            match first_approach(at, rate, clearance, self.tolerance, [start, end], known) {
                Approach::Clear { at_end } => known = at_end,
                Approach::Within { time, distance } => return meeting(time, Some(distance)),
                Approach::Undecided { time } => return meeting(time, None),
            }
        }
        None
    }
}

/// Whether one of two solids lies in the other without touching its surface.
fn is_inside(x: &Solid, y: &Solid) -> bool {
    let (Some(x), Some(y)) = (x.mesh(), y.mesh()) else { return false };
    let [(low_x, high_x), (low_y, high_y)] = [x, y].map(|mesh| mesh.mesh().wide_bounds());
    let can_be = low_x.cmple(high_y).all() && low_y.cmple(high_x).all();
    can_be && Contact::of(x, y).is_nested(x, y) == Some(true)
}

/// Returns the joints between a part and the root of its robot; none if it hangs on no robot.
fn levers_of(part: &Option<Hanging>) -> &[Lever] {
    part.as_ref().map_or(&[], |part| &part.levers)
}

/// Returns the joints between a link and the root, from the root on, with their reach.
fn levers(robot: &Robot, link: usize, placement: &Placement, solid: &Solid) -> Vec<Lever> {
    let origin = placement.apply(DVec3::ZERO);
    let vertices = solid.mesh().map_or(&[][..], |mesh| mesh.mesh().vertices());
    let mut reach = vertices.iter().map(|v| (*v - origin).length()).fold(0.0, f64::max);
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

/// Returns the report as JSON, without remarks.
pub(crate) fn document(
    names: &[String],
    times: &[f64],
    meetings: &[Meeting],
) -> serde_json::Map<String, Value> {
    let pairs = meetings.iter().map(|meeting| {
        json!({
            "a": names[meeting.a], "b": names[meeting.b], "time": meeting.time, "row": meeting.row + 1,
            "distance": meeting.distance,
        })
    });
    let mut document = serde_json::Map::new();
    document.insert("schema".to_owned(), json!("carom.trajectory.v1"));
    document.insert("parts".to_owned(), json!(names));
    document.insert("rows".to_owned(), json!(times.len()));
    document.insert("times".to_owned(), json!([times.first(), times.last()]));
    document.insert("pairs".to_owned(), pairs.collect());
    document
}

/// Prints the report for people.
pub(crate) fn print_lines(
    names: &[String],
    times: &[f64],
    meetings: &[Meeting],
    clearance: f64,
) -> Result<(), String> {
    for meeting in meetings {
        let [a, b] = [meeting.a, meeting.b].map(|part| without_controls(&names[part]));
        let (when, row) = (number(meeting.time), meeting.row + 1);
        report::print(&match meeting.distance {
            None => format!("{a} and {b}: not known from {when} s on, after row {row}"),
            Some(_) if clearance == 0.0 => format!("{a} and {b} meet at {when} s, after row {row}"),
            Some(_) => format!("{a} and {b} come within {} at {when} s, after row {row}", number(clearance)),
        })?;
    }
    let (rows, pairs) = (
        report::counted(times.len(), "row", "rows"),
        report::counted(meetings.len(), "pair meets", "pairs meet"),
    );
    let [first, last] = [times.first(), times.last()].map(|time| number(time.copied().unwrap_or(0.0)));
    report::print(&format!("{rows} from {first} to {last} s: {pairs}"))
}

/// Follows all pairs of parts of which one moves. `ignored` are pairs of part indices, low first.
pub(crate) fn follow_all(tour: &Tour<'_>, ignored: &[(usize, usize)], clearance: f64) -> Vec<Meeting> {
    let n_parts = tour.solids.len();
    let pairs = (0..n_parts).flat_map(|a| (a + 1..n_parts).map(move |b| (a, b)));
    let moves = |part: usize| tour.hanging[part].is_some();
    let pairs: Vec<(usize, usize)> =
        pairs.filter(|(a, b)| (moves(*a) || moves(*b)) && !ignored.contains(&(*a, *b))).collect();
    let mut progress = Progress::new("pairs", pairs.len() as u64);
    let mut meetings: Vec<Meeting> = Vec::new();
    for (a, b) in pairs {
        meetings.extend(tour.follow(a, b, clearance));
        progress.step();
    }
    meetings.sort_by(|x, y| x.time.total_cmp(&y.time));
    meetings
}
