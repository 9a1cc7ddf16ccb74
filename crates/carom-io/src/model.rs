//! The content of a file: its parts, and what is known of them as a whole.
//!
//! Reference: none needed.

use crate::error::{Location, ReadError};
use crate::part::{Part, Placement, RawMesh};
use crate::robot::{Robot, RobotError};
use std::path::Path;

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

/// The units of length and the up axes that files state.
///
/// Nothing is converted and nothing is turned where several files meet, so a difference is noted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StatedFrames {
    /// The first unit, and the first that differs from it.
    units: Vec<StatedUnit>,
    /// The first file that states an up axis, and the first that states another one.
    ups: Vec<(String, &'static str)>,
}

/// A unit of length that a file states.
#[derive(Clone, Debug, PartialEq)]
struct StatedUnit {
    file: String,
    /// Its name, if it has one.
    unit: Option<&'static str>,
    metres: f64,
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

impl StatedFrames {
    /// Adds the unit of a file: its name, if it has one, and its length in metres.
    pub fn add_unit(&mut self, file: &str, unit: Option<&'static str>, metres: f64) {
        let is_same =
            |first: &StatedUnit| (first.metres - metres).abs() <= UNIT_ROUNDING * first.metres.max(metres);
        if self.units.len() < 2 && !self.units.first().is_some_and(is_same) {
            self.units.push(StatedUnit { file: file.to_owned(), unit, metres });
        }
    }

    /// Adds the axis that points up in a file, such as `"y"`.
    pub fn add_up(&mut self, file: &str, up: &'static str) {
        if self.ups.len() < 2 && self.ups.first().is_none_or(|(_, first)| *first != up) {
            self.ups.push((file.to_owned(), up));
        }
    }

    /// Adds the frames of other files.
    pub fn add_all(&mut self, others: &StatedFrames) {
        others.units.iter().for_each(|other| self.add_unit(&other.file, other.unit, other.metres));
        others.ups.iter().for_each(|(file, up)| self.add_up(file, up));
    }

    /// These frames after the user scaled the files and placed them. Files that were turned state
    /// no axis any more.
    #[must_use]
    pub fn placed(mut self, scale: f64, placement: &Placement) -> StatedFrames {
        for unit in &mut self.units {
            unit.metres /= scale;
            unit.unit = unit.unit.filter(|_| scale == 1.0);
        }
        if !placement.is_translation() {
            self.ups.clear();
        }
        self
    }

    /// Returns the length of the unit in metres, if the files that state one agree.
    pub fn metres(&self) -> Option<f64> {
        if let [unit] = self.units.as_slice() { Some(unit.metres) } else { None }
    }

    /// Returns a note on each of the two that differs.
    pub fn notes(&self) -> Vec<String> {
        let units = match self.units.as_slice() {
            [a, b] => Some(format!(
                "lengths are not converted, though the unit of {} is {a} and that of {} is {b}",
                a.file, b.file
            )),
            _ => None,
        };
        let ups = match self.ups.as_slice() {
            [(a, up_a), (b, up_b)] => {
                Some(format!("axes are not turned, though {up_a} is up in {a} and {up_b} in {b}"))
            }
            _ => None,
        };
        units.into_iter().chain(ups).collect()
    }
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

    /// Returns all parts as one mesh in world coordinates, part after part. `path` appears in
    /// messages.
    ///
    /// Errors: a coordinate overflows; the message names the part and the vertex.
    pub fn world_mesh(&self, path: &Path) -> Result<RawMesh, ReadError> {
        let mut all = RawMesh::default();
        for part in &self.parts {
            let at = |e: String| ReadError::at(path, Location::Item(part.name.clone()), e);
            let mesh = part.world_mesh().map_err(at)?;
            let first = all.vertices.len() as u32;
            all.vertices.extend(mesh.vertices);
            all.triangles.extend(mesh.triangles.iter().map(|t| t.map(|v| v + first)));
        }
        Ok(all)
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
