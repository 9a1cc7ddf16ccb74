//! The content of a file: its parts, and what is known of them as a whole.
//!
//! Reference: none needed.

use crate::part::Part;
use crate::robot::{Robot, RobotError};

/// The content of a file.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Model {
    /// The parts, in the order of the file.
    pub parts: Vec<Part>,
    /// The unit of length that the format defines or the file states, such as `"mm"`; `None` if it
    /// is unknown or has no name.
    pub unit: Option<&'static str>,
    /// The length of the unit in metres, if the format defines it or the file states it. For a
    /// scene, that of its parts, if those that state a unit agree.
    pub metres: Option<f64>,
    /// The axis that points up in the format; `None` if the file's author chose it.
    pub up: Option<&'static str>,
    /// Notes on the reading, such as approximated shapes and polygons that are not flat. Each note
    /// is one line, as is each entry of `unread`.
    pub notes: Vec<String>,
    /// Objects that may have a surface and were not read. If there are any, a check of the parts is
    /// incomplete.
    pub unread: Vec<String>,
    /// The joints of a robot, if the file is one.
    pub robot: Option<Robot>,
}

/// A unit of length that a file states.
#[derive(Clone, Debug, PartialEq)]
pub struct StatedUnit {
    /// The file, for messages.
    pub file: String,
    /// The name of the unit, such as `"mm"`, if it has one.
    pub unit: Option<&'static str>,
    /// The length of the unit in metres.
    pub metres: f64,
}

impl StatedUnit {
    /// Whether two lengths in metres are the same, but for rounding.
    pub(crate) fn is_same(&self, other: &StatedUnit) -> bool {
        (self.metres - other.metres).abs() <= UNIT_ROUNDING * self.metres.max(other.metres)
    }
}

impl core::fmt::Display for StatedUnit {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self.unit {
            Some(unit) => f.write_str(unit),
            None => write!(f, "{} m", self.metres),
        }
    }
}

/// The relative difference of two lengths of units that count as one.
const UNIT_ROUNDING: f64 = 1e-9;

/// Returns a note if one of these units differs from the first.
pub fn unit_note(units: impl IntoIterator<Item = StatedUnit>) -> Option<String> {
    let mut units = units.into_iter();
    let first = units.next()?;
    let other = units.find(|other| !first.is_same(other))?;
    Some(format!(
        "lengths are not converted, though the unit of {} is {first} and that of {} is {other}",
        first.file, other.file
    ))
}

/// Returns the factor from the unit of a mesh on a robot to metres, and the notes on its frame.
/// `metres` and `up` are those of the mesh: see [`Model::metres`] and [`Model::up`].
///
/// A robot is in metres. Its tools scale a mesh by the unit that its file states, and leave the
/// axes of the file as they are.
pub fn scale_on_robot(metres: Option<f64>, up: Option<&str>) -> (f64, Vec<String>) {
    let mut notes = Vec::new();
    let metres = metres.unwrap_or(1.0);
    if metres != 1.0 {
        notes.push(format!("scaled by its unit of {metres} metres"));
    }
    if let Some(up @ ("x" | "y")) = up {
        notes.push(format!("its {up} axis is not turned up, as in RViz and MoveIt"));
    }
    (metres, notes)
}

impl Model {
    /// Returns a model of parts in the file's own unit and frame.
    pub(crate) fn new(parts: Vec<Part>) -> Model {
        Model {
            parts,
            unit: None,
            metres: None,
            up: None,
            notes: Vec::new(),
            unread: Vec::new(),
            robot: None,
        }
    }

    /// Moves the parts of a robot for these values of its joints, as [`Robot::values`] returns
    /// them. A model without a robot does not change.
    ///
    /// Errors: the first value that is not finite, or so large that a placement overflows. Then no
    /// part moves.
    pub fn set_joints(&mut self, values: &[f64]) -> Result<(), RobotError> {
        let Some(robot) = &self.robot else { return Ok(()) };
        for (part, placements) in self.parts.iter_mut().zip(robot.part_placements(values)?) {
            for (piece, placement) in part.pieces.iter_mut().zip(placements) {
                piece.placement = placement;
            }
        }
        Ok(())
    }

    /// Returns the parts of a robot in the frames of their links, which do not depend on the
    /// values of the joints. Empty for a model without a robot.
    pub fn parts_on_links(&self) -> Vec<Part> {
        let Some(robot) = &self.robot else { return Vec::new() };
        let mut parts = self.parts.clone();
        for (part, placements) in parts.iter_mut().zip(robot.pieces_on_links()) {
            for (piece, placement) in part.pieces.iter_mut().zip(placements) {
                piece.placement = *placement;
            }
        }
        parts
    }
}
