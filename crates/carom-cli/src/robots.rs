//! Robots among the files of a command: their joints are set, and pairs of links are ignored.
//!
//! Reference: S. Chitta, I. Sucan, S. Cousins, MoveIt!, IEEE Robotics and Automation Magazine, 2012
//! (allowed collisions: adjacent links, and the pairs of an SRDF file).

use crate::args::RobotArgs;
use crate::load::Loaded;
use carom_io::{Robot, read_srdf};
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// A robot, and the index of the first of its parts among all parts.
pub(crate) struct PlacedRobot {
    pub(crate) robot: Robot,
    pub(crate) first_part: usize,
}

/// Returns the robots among the files.
pub(crate) fn robots(files: &[Loaded]) -> Vec<PlacedRobot> {
    let mut first_part = 0;
    let mut found = Vec::new();
    for file in files {
        let robot = file.model.robot.clone();
        found.extend(robot.map(|robot| PlacedRobot { robot, first_part }));
        first_part += file.model.parts.len();
    }
    found
}

/// Sets the joints of all robots that have them to the values of `--joints` and `--joint`, of which
/// the last counts.
pub(crate) fn pose(files: &mut [Loaded], args: &RobotArgs) -> Result<(), String> {
    let mut named = match &args.joints {
        Some(file) => joint_file(file)?,
        None => Vec::new(),
    };
    named.extend(args.joint.iter().map(|value| (value.name.clone(), value.value)));
    set(files, &named)
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
        let own = named.iter().filter(|(name, _)| has(file, name));
        let own: Vec<(&str, f64)> = own.map(|(name, value)| (name.as_str(), *value)).collect();
        let set = robot.values(&own).and_then(|values| file.model.set_joints(&values));
        set.map_err(|e| format!("{}: {e}", file.path.display()))?;
    }
    Ok(())
}

/// Reads values of joints from a JSON object of numbers.
fn joint_file(path: &Path) -> Result<Vec<(String, f64)>, String> {
    let said = |e: &dyn core::fmt::Display| format!("{}: {e}", path.display());
    let text = std::fs::read_to_string(path).map_err(|e| said(&e))?;
    let values: std::collections::BTreeMap<String, f64> =
        serde_json::from_str(&text).map_err(|e| said(&format!("not an object of numbers: {e}")))?;
    Ok(values.into_iter().collect())
}

/// Returns the pairs of parts that `--ignore-adjacent` and `--srdf` except, low index first.
pub(crate) fn ignored(files: &[Loaded], args: &RobotArgs) -> Result<HashSet<(usize, usize)>, String> {
    let robots = robots(files);
    let mut pairs = HashSet::new();
    if args.ignore_adjacent {
        for PlacedRobot { robot, first_part } in &robots {
            pairs.extend(robot.adjacent_parts().into_iter().map(|[a, b]| (a + first_part, b + first_part)));
        }
    }
    if let Some(file) = &args.srdf {
        if robots.is_empty() {
            return Err("--srdf: no file is a robot".to_owned());
        }
        let disabled = read_srdf(file).map_err(|e| e.to_string())?;
        for PlacedRobot { robot, first_part } in &robots {
            let mut parts: HashMap<usize, usize> = HashMap::new();
            for (part, link) in robot.part_links().enumerate() {
                parts.entry(link).or_insert(part + first_part);
            }
            let part = |link: &str| parts.get(&robot.link(link)?).copied();
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
