//! `carom check --trajectory`: the time at which each pair of parts first meets along a
//! trajectory, also between its rows. Parts are meshes, octrees and point clouds.
//!
//! Reference: none needed. The crate `carom-robot` follows the pairs.

use crate::progress::Progress;
use crate::remarks::Remarks;
use crate::report::{self, number};
use crate::robots::{self, Attached, PlacedRobot};
use crate::solid::Solid;
use carom_io::{Trajectory, without_controls};
use carom_robot::{FirstContact, JointPath, Workcell};
use serde_json::{Value, json};

/// Returns the named values of the first row.
pub(crate) fn first_row(trajectory: &Trajectory) -> Vec<(String, f64)> {
    trajectory.joints.iter().cloned().zip(trajectory.rows[0].iter().copied()).collect()
}

/// Returns the workcell of all parts. [`crate::robots::set`] has moved them to the first row
/// before, so each column is a joint of a robot.
///
/// Errors: a value of the first row that a robot refuses.
pub(crate) fn cell_of(
    robots: &[PlacedRobot],
    attached: &[Attached],
    solids: &[Solid],
    trajectory: &Trajectory,
) -> Result<Workcell, String> {
    // The robot, the link, and the frame of the world in that of the link, for each part on one.
    let mut held = vec![None; solids.len()];
    for (number, placed) in robots.iter().enumerate() {
        let robot = &placed.robot;
        let values = robots::values_of(robot, &first_row(trajectory)).map_err(|e| format!("row 1: {e}"))?;
        let links = robot.link_placements(&values);
        let mut hold = |part: usize, link: usize| {
            held[part] = Some((number, link, links[link].pose().inverse()));
        };
        placed.part_links().for_each(|(part, link)| hold(part, link));
        attached.iter().filter(|one| one.robot == number).for_each(|one| hold(one.part, one.link));
    }
    let mut cell = Workcell::new(robots.iter().map(|placed| placed.robot.clone()).collect());
    for (solid, held) in solids.iter().zip(held) {
        let shape = solid.shape.clone();
        match held {
            Some((robot, link, in_link)) => cell.push_on_link(robot, link, shape, in_link * solid.pose),
            None => cell.push_fixed(shape, solid.pose),
        };
    }
    Ok(cell)
}

/// Follows pairs of part indices. Returns their first contacts, by ascending time.
pub(crate) fn follow_all(path: &JointPath<'_>, pairs: &[[usize; 2]], clearance: f64) -> Vec<FirstContact> {
    let mut progress = Progress::new("pairs", pairs.len() as u64);
    let mut contacts: Vec<FirstContact> = Vec::new();
    for pair in pairs {
        contacts.extend(path.first_contact(*pair, clearance));
        progress.step();
    }
    contacts.sort_by(|x, y| x.time.total_cmp(&y.time));
    contacts
}

/// Returns the report as JSON, without remarks.
pub(crate) fn document(
    names: &[String],
    times: &[f64],
    contacts: &[FirstContact],
) -> serde_json::Map<String, Value> {
    let pairs = contacts.iter().map(|contact| {
        json!({
            "a": names[contact.parts[0]], "b": names[contact.parts[1]], "time": contact.time, "row": contact.row + 1,
            "distance": contact.distance, "undecided_from": contact.undecided_from,
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
    contacts: &[FirstContact],
    clearance: f64,
    remarks: &Remarks,
) -> Result<(), String> {
    for contact in contacts {
        let [a, b] = contact.parts.map(|part| without_controls(&names[part]));
        let (when, row) = (number(contact.time), contact.row + 1);
        let before = contact
            .undecided_from
            .map_or(String::new(), |from| format!("; not known from {} s on", number(from)));
        report::print(&match contact.distance {
            None => format!("{a} and {b}: not known from {when} s on, after row {row}"),
            Some(_) if clearance == 0.0 => format!("{a} and {b} meet at {when} s, after row {row}{before}"),
            Some(_) => {
                let clearance = number(clearance);
                format!("{a} and {b} come within {clearance} at {when} s, after row {row}{before}")
            }
        })?;
    }
    let n_known = contacts.iter().filter(|contact| contact.distance.is_some()).count();
    let (rows, pairs) =
        (report::counted(times.len(), "row", "rows"), report::counted(n_known, "pair meets", "pairs meet"));
    let open = report::open_questions(contacts.len() - n_known, remarks);
    let [first, last] = [times.first(), times.last()].map(|time| number(time.copied().unwrap_or(0.0)));
    report::print(&format!("{rows} from {first} to {last} s: {pairs}{open}"))
}
