//! Robots among the files of a command: their joints are set, and pairs of links are ignored.
//!
//! Reference: S. Chitta, I. Sucan, S. Cousins, MoveIt!, IEEE Robotics and Automation Magazine, 2012
//! (allowed collisions: adjacent links, and the pairs of an SRDF file).

use crate::args::{JointValue, RobotArgs};
use crate::load::Loaded;
use crate::remarks::Remarks;
use carom_io::{Placement, Robot, Srdf, read_whole_srdf};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

/// The most names that a note lists.
const MAX_LISTED: usize = 20;

/// The largest difference of two values of joints that is not told, in radians or metres: recorded
/// ones are rounded.
const ROUNDED: f64 = 1e-6;

/// A robot, and the indices of its parts among all parts.
pub(crate) struct PlacedRobot {
    pub(crate) robot: Robot,
    /// For each part of the robot; `None` if the part was refused.
    pub(crate) parts: Vec<Option<usize>>,
}

impl PlacedRobot {
    /// Returns the indices of its parts, each with its link.
    pub(crate) fn part_links(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.parts.iter().zip(self.robot.part_links()).filter_map(|(part, link)| Some(((*part)?, link)))
    }
}

/// Returns the robots among the files.
pub(crate) fn robots(files: &[Loaded]) -> Vec<PlacedRobot> {
    let mut first_part = 0;
    let mut found = Vec::new();
    for file in files {
        let robot = file.model.robot.clone();
        let end = first_part + file.model.parts.len();
        found.extend(robot.map(|robot| PlacedRobot { robot, parts: (first_part..end).map(Some).collect() }));
        first_part = end;
    }
    found
}

/// Replaces the indices of parts by those that `numbers` gives them; `None` for a refused part.
pub(crate) fn renumber(robots: &mut [PlacedRobot], numbers: &[Option<usize>]) {
    for part in robots.iter_mut().flat_map(|placed| &mut placed.parts) {
        *part = part.and_then(|part| numbers[part]);
    }
}

/// Returns the values of `--joints` and `--joint` by the names of joints. A value of `--joint`
/// counts instead of one of the file. A name that `--joint` has twice stays twice, which a robot
/// refuses.
pub(crate) fn named_values(
    args: &RobotArgs,
    files: &[Loaded],
    remarks: &mut Remarks,
) -> Result<Vec<(String, f64)>, String> {
    let mut named: Vec<(String, f64)> = Vec::new();
    if let Some(file) = &args.joints {
        let (mut names, values): (Vec<String>, Vec<f64>) = joint_file(file)?.into_iter().unzip();
        let mut rows = vec![values];
        drop_dependent(&mut names, &mut rows, &args.joint, files, remarks);
        let of_file = names.into_iter().zip(rows.remove(0));
        named.extend(of_file.filter(|(name, _)| args.joint.iter().all(|set| set.name != *name)));
    }
    named.extend(args.joint.iter().map(|value| (value.name.clone(), value.value)));
    Ok(named)
}

/// Removes the columns of joints without a value of their own, with a note on each. Recorded states
/// of a robot have them: joints that are fixed, and joints that follow others.
///
/// `set` has the values of `--joint`, which count instead of those of a column.
pub(crate) fn drop_dependent(
    names: &mut Vec<String>,
    rows: &mut [Vec<f64>],
    set: &[JointValue],
    files: &[Loaded],
    remarks: &mut Remarks,
) {
    let robots = || files.iter().filter_map(|file| file.model.robot.as_ref());
    let mut is_kept = vec![true; names.len()];
    for (column, name) in names.iter().enumerate() {
        let owners = || robots().filter_map(|robot| Some((robot, robot.joint(name)?)));
        let Some((robot, joint)) = owners().next() else { continue };
        if owners().any(|(robot, joint)| robot.free_joints().any(|free| free == joint)) {
            continue;
        }
        is_kept[column] = false;
        let why = match robot.joints()[joint].mimic {
            None => "does not move".to_owned(),
            Some(mimic) => {
                let leader = &robot.joints()[mimic.joint].name;
                let sources: Vec<(usize, Source)> = robot
                    .free_joints()
                    .filter_map(|free| Some((free, Source::of(&robot.joints()[free].name, names, set)?)))
                    .collect();
                let differences = rows.iter().map(|row| {
                    let mut values = vec![0.0; robot.joints().len()];
                    sources.iter().for_each(|(free, source)| values[*free] = source.value(row));
                    robot.set_followers(&mut values);
                    (row[column] - values[joint]).abs()
                });
                let most = differences.fold(0.0, f64::max);
                let differs = || format!(", from which it differs by up to {most:.2e}");
                format!("follows joint {leader}{}", if most <= ROUNDED { String::new() } else { differs() })
            }
        };
        remarks.note(format!("the values of joint {name} are not read: it {why}"));
    }
    let kept = |column: usize| is_kept[column];
    keep(names, kept);
    rows.iter_mut().for_each(|row| keep(row, kept));
}

/// The place that the value of a joint comes from.
enum Source {
    /// `--joint`.
    Set(f64),
    /// A column of the rows.
    Column(usize),
}

impl Source {
    /// Returns the place for the joint of this name; `None` if it stays at zero.
    fn of(name: &str, names: &[String], set: &[JointValue]) -> Option<Source> {
        let is_set = set.iter().rfind(|value| value.name == name);
        let column = || names.iter().position(|column| column == name);
        is_set.map(|value| Source::Set(value.value)).or_else(|| column().map(Source::Column))
    }

    fn value(&self, row: &[f64]) -> f64 {
        match *self {
            Source::Set(value) => value,
            Source::Column(column) => row[column],
        }
    }
}

/// Keeps the items of a list whose indices are kept.
fn keep<T>(list: &mut Vec<T>, is_kept: impl Fn(usize) -> bool) {
    let mut index = 0..;
    list.retain(|_| index.next().is_some_and(&is_kept));
}

/// Takes the limits from the joints of all robots.
pub(crate) fn ignore_limits(files: &mut [Loaded]) {
    for file in files {
        file.model.robot = file.model.robot.take().map(Robot::without_limits);
    }
}

/// A file on a link of a robot.
pub(crate) struct Attached {
    /// The index of its part.
    pub(crate) part: usize,
    /// The index of the robot.
    pub(crate) robot: usize,
    /// The index of the link.
    pub(crate) link: usize,
}

/// Returns the robot and the link of this name, and the place of the link for these values of
/// joints.
///
/// Errors: no robot has the link, or its values are refused.
pub(crate) fn link_placement(
    robots: &[PlacedRobot],
    name: &str,
    named: &[(String, f64)],
) -> Result<(usize, usize, Placement), String> {
    let found = robots.iter().enumerate().find_map(|(at, placed)| Some((at, placed.robot.link(name)?)));
    let (at, link) = found.ok_or_else(|| format!("--attach {name}: no robot has this link"))?;
    let values = values_of(&robots[at].robot, named)?;
    Ok((at, link, robots[at].robot.link_placements(&values)[link]))
}

/// Returns the values of all joints of a robot, from named ones that need not be its own.
///
/// Errors: a value that the robot refuses.
pub(crate) fn values_of(robot: &Robot, named: &[(String, f64)]) -> Result<Vec<f64>, String> {
    let own = named.iter().filter(|(name, _)| robot.joint(name).is_some());
    let own: Vec<(&str, f64)> = own.map(|(name, value)| (name.as_str(), *value)).collect();
    robot.values(&own).map_err(|e| e.to_string())
}

/// Adds the pairs of a file on a link and other parts on that link, low index first.
pub(crate) fn ignore_own_link(
    attached: &[Attached],
    robots: &[PlacedRobot],
    ignored: &mut HashSet<(usize, usize)>,
) {
    for (number, one) in attached.iter().enumerate() {
        let links = robots[one.robot].part_links();
        ignored.extend(links.filter(|(_, link)| *link == one.link).map(|(part, _)| (part, one.part)));
        let others =
            attached[..number].iter().filter(|other| (other.robot, other.link) == (one.robot, one.link));
        ignored.extend(others.map(|other| (other.part, one.part)));
    }
}

/// Sets the joints of all robots that have them.
///
/// Errors: no file is a robot, or the first name that no robot has.
pub(crate) fn set(files: &mut [Loaded], named: &[(String, f64)]) -> Result<(), String> {
    if named.is_empty() {
        return Ok(());
    }
    let has = |file: &Loaded, name: &str| {
        file.model.robot.as_ref().is_some_and(|robot| robot.joint(name).is_some())
    };
    for (name, _) in named {
        // The error of the first robot lists the joints that it has.
        if !files.iter().any(|file| has(file, name)) {
            let refused =
                files.iter().find_map(|file| file.model.robot.as_ref()?.values(&[(name, 0.0)]).err());
            return Err(
                refused.map_or_else(|| format!("joint {name}: no file is a robot"), |e| e.to_string())
            );
        }
    }
    for file in files {
        let Some(robot) = &file.model.robot else { continue };
        let named_file = |e: String| format!("{}: {e}", file.path.display());
        let values = values_of(robot, named).map_err(named_file)?;
        let set = file.model.set_joints(&values);
        set.map_err(|e| format!("{}: {e}", file.path.display()))?;
    }
    Ok(())
}

/// Reads values of joints from a JSON object of numbers.
fn joint_file(path: &Path) -> Result<Vec<(String, f64)>, String> {
    let said = |e: &dyn core::fmt::Display| format!("{}: {e}", path.display());
    let text = std::fs::read_to_string(path).map_err(|e| said(&e))?;
    // Editors may put a byte order mark before the text.
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let values: std::collections::BTreeMap<String, f64> =
        serde_json::from_str(text).map_err(|e| said(&format!("not an object of numbers: {e}")))?;
    Ok(values.into_iter().collect())
}

/// Returns the pairs of parts that `--ignore-adjacent` and `--srdf` except, low index first. Adds
/// notes on the SRDF file, and on names in it that no robot has.
pub(crate) fn ignored(
    robots: &[PlacedRobot],
    args: &RobotArgs,
    remarks: &mut Remarks,
) -> Result<HashSet<(usize, usize)>, String> {
    let mut pairs = HashSet::new();
    if args.ignore_adjacent {
        for placed in robots {
            let numbered = |[a, b]: [usize; 2]| Some((placed.parts[a]?, placed.parts[b]?));
            pairs.extend(placed.robot.adjacent_parts().into_iter().filter_map(numbered));
        }
    }
    if let Some(file) = &args.srdf {
        if robots.is_empty() {
            return Err("--srdf: no file is a robot".to_owned());
        }
        let Srdf { pairs: disabled, mut notes, .. } = read_whole_srdf(file).map_err(|e| e.to_string())?;
        let is_unknown = |link: &&String| robots.iter().all(|placed| placed.robot.link(link).is_none());
        let unknown: BTreeSet<&String> =
            disabled.iter().flat_map(|pair| &pair.links).filter(is_unknown).collect();
        if !unknown.is_empty() {
            let more = if MAX_LISTED < unknown.len() { ", ..." } else { "" };
            let names: Vec<&str> = unknown.iter().take(MAX_LISTED).map(|name| name.as_str()).collect();
            notes.push(format!("no robot has the links {}{more}", names.join(", ")));
        }
        remarks.add(&Remarks::of_file(file, notes, Vec::new()));
        for placed in robots {
            let mut parts: HashMap<usize, usize> = HashMap::new();
            for (part, link) in placed.part_links() {
                parts.entry(link).or_insert(part);
            }
            let part = |link: &str| parts.get(&placed.robot.link(link)?).copied();
            for pair in &disabled {
                // A link without geometry is no part.
                if let [Some(a), Some(b)] = [part(&pair.links[0]), part(&pair.links[1])] {
                    pairs.insert((a.min(b), a.max(b)));
                }
            }
        }
    }
    Ok(pairs)
}
