//! Scene files: JSON with parts, each a mesh file with a scale and a pose.
//!
//! `{"parts": [{"mesh": "gear.obj", "name": "gear", "scale": 0.01, "pose": [16 numbers]}]}`. The file may also be called
//! `file`; `scale` is one number or three; `pose` is a 4x4 matrix, row-major, flat or as four rows; name, scale
//! and pose may be missing. Other members are passed over.
//!
//! Reference: none; a format of carom's own, in the common denominator of assembly lists. Parsing by `serde_json`.

use crate::error::{Place, ReadError};
use crate::part::{Model, Part, Piece, Placement, RawMesh};
use serde_json::Value;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Reads the bytes of a scene file and the meshes that it names.
pub fn parse(bytes: &[u8], path: &Path) -> Result<Model, ReadError> {
    let whole = |reason: String| ReadError::at(path, Place::File, reason);
    let value: Value = serde_json::from_slice(bytes).map_err(|e| {
        if e.line() == 0 {
            whole(e.to_string())
        } else {
            ReadError::at(path, Place::Line(e.line()), e.to_string())
        }
    })?;
    let parts = value
        .get("parts")
        .and_then(Value::as_array)
        .ok_or_else(|| whole("no list \"parts\": not a scene file".to_owned()))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut model = Model::new(Vec::new());
    let mut meshes: HashMap<PathBuf, Arc<RawMesh>> = HashMap::new();
    for (i, part) in parts.iter().enumerate() {
        let at = |member: &str, reason: String| {
            ReadError::at(path, Place::Item(format!("parts[{i}]{member}")), reason)
        };
        let file = ["mesh", "file"].iter().find_map(|key| part.get(key));
        let file =
            file.and_then(Value::as_str).ok_or_else(|| at("", "no \"mesh\" or \"file\"".to_owned()))?;
        let file = folder.join(file);
        let mesh = match meshes.get(&file) {
            Some(mesh) => mesh.clone(),
            None => {
                let mesh = Arc::new(crate::read_mesh(&file)?);
                meshes.insert(file.clone(), mesh.clone());
                mesh
            }
        };
        let scale = match part.get("scale") {
            None => [1.0; 3],
            Some(scale) => read_scale(scale).map_err(|e| at(".scale", e))?,
        };
        let placement = match part.get("pose") {
            None => Placement::IDENTITY,
            Some(pose) => read_matrix(pose).map_err(|e| at(".pose", e))?,
        };
        let name = match part.get("name").and_then(Value::as_str) {
            Some(name) => name.to_owned(),
            None => file.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        };
        model.parts.push(Part { name, pieces: vec![Piece { mesh, scale, placement }] });
    }
    if model.parts.is_empty() {
        return Err(whole("no part".to_owned()));
    }
    Ok(model)
}

/// One number for all axes, or three; not zero.
pub fn read_scale(value: &Value) -> Result<[f64; 3], String> {
    let scale = match value.as_f64() {
        Some(s) => [s; 3],
        None => {
            let numbers = read_numbers(value)?;
            <[f64; 3]>::try_from(numbers.as_slice())
                .map_err(|_| format!("{} numbers; one or three are needed", numbers.len()))?
        }
    };
    match scale.iter().find(|s| **s == 0.0 || !s.is_finite()) {
        Some(s) => Err(format!("a scale of {s}")),
        None => Ok(scale),
    }
}

/// Sixteen numbers, row-major, flat or in four rows.
pub fn read_matrix(value: &Value) -> Result<Placement, String> {
    let numbers = read_numbers(value)?;
    let matrix = <[f64; 16]>::try_from(numbers.as_slice())
        .map_err(|_| format!("{} numbers; 16 are needed", numbers.len()))?;
    Placement::checked(matrix)
}

/// A list of numbers, or a list of such lists.
pub fn read_numbers(value: &Value) -> Result<Vec<f64>, String> {
    let list = value.as_array().ok_or_else(|| format!("{} instead of a list of numbers", kind(value)))?;
    let mut numbers = Vec::new();
    for item in list {
        match (item.as_f64(), item.as_array()) {
            (Some(x), _) => numbers.push(x),
            (None, Some(row)) => {
                for x in row {
                    numbers.push(x.as_f64().ok_or_else(|| format!("{} instead of a number", kind(x)))?);
                }
            }
            _ => return Err(format!("{} instead of a number", kind(item))),
        }
    }
    Ok(numbers)
}

/// What a value is, for messages.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
