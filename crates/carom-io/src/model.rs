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
    /// The length of the unit in metres, if the format defines it or the file states it.
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
