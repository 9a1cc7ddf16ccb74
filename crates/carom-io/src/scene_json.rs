//! Scene files: JSON with parts, each a mesh file with a scale and a pose.
//!
//! `{"parts": [{"mesh": "gear.obj", "name": "gear", "scale": 0.01, "pose": [16 numbers]}]}`. The
//! key `file` may stand in place of `mesh`. `scale` is one number or three. `pose` is a row-major
//! 4x4 matrix, flat or as four rows. Name, scale and pose are optional. Other members are noted.
//!
//! Reference: none; the format is carom's own. `serde_json` parses it. Differs: parts are read one
//! by one, because a value takes many times the memory of its text.

use crate::error::{Location, ReadError};
use crate::files::Files;
use crate::limits::{MAX_ITEM_CHARS, TRIANGLES_PER_PART};
use crate::model::Model;
use crate::part::{Flattening, Part, Placement, push_note};
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeSet;
use std::path::Path;

/// The members of a part.
const MEMBERS: [&str; 5] = ["mesh", "file", "name", "scale", "pose"];

#[derive(serde::Deserialize)]
struct Scene<'a> {
    #[serde(borrow)]
    parts: Vec<&'a RawValue>,
}

/// Reads the bytes of a scene file and the meshes that it names.
pub(crate) fn parse(bytes: &[u8], path: &Path, files: &mut Files<'_>) -> Result<Model, ReadError> {
    let whole = |reason: &str| ReadError::at(path, Location::File, reason);
    let is_object = bytes.trim_ascii_start().starts_with(b"{");
    let scene: Scene<'_> = match serde_json::from_slice(bytes) {
        Ok(scene) if is_object => scene,
        Err(e) if e.is_syntax() || e.is_eof() => {
            return Err(ReadError::at(path, Location::Line(e.line()), e.to_string()));
        }
        _ => return Err(whole("no list \"parts\": not a scene file")),
    };
    let mut model = Model::new(Vec::new());
    let mut others = BTreeSet::new();
    for (i, part) in scene.parts.iter().enumerate() {
        match read_part(part.get(), path, files, &mut model.notes, &mut others) {
            Ok((part, unread)) => {
                model.parts.push(part);
                for e in unread {
                    push_note(&mut model.unread, format!("parts[{i}]: {e}"));
                }
            }
            Err((member, e)) if files.options.keep_going => {
                push_note(&mut model.unread, format!("parts[{i}]{member}: {e}"));
            }
            Err((member, e)) => {
                return Err(ReadError::at(path, Location::Item(format!("parts[{i}]{member}")), e));
            }
        }
    }
    if model.parts.is_empty() {
        return Err(whole(model.unread.first().map_or("no part", String::as_str)));
    }
    if !others.is_empty() {
        let list: Vec<String> = others.into_iter().collect();
        model.notes.push(format!("parts have members that are not understood: {}", list.join(", ")));
    }
    Ok(model)
}

/// Reads a part. Returns the unread objects of its file too. An error names the member that it is
/// about.
fn read_part(
    text: &str,
    path: &Path,
    files: &mut Files<'_>,
    notes: &mut Vec<String>,
    others: &mut BTreeSet<String>,
) -> Result<(Part, Vec<String>), (&'static str, String)> {
    if MAX_ITEM_CHARS < text.len() {
        return Err(("", format!("{} characters: more than the limit of {MAX_ITEM_CHARS}", text.len())));
    }
    let part: Value = serde_json::from_str(text).map_err(|e| ("", e.to_string()))?;
    let name = ["mesh", "file"].iter().find_map(|key| part.get(key)).and_then(Value::as_str);
    let name = name.ok_or_else(|| ("", "no \"mesh\" or \"file\"".to_owned()))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let file = files.inside(folder.join(name), folder).map_err(|e| ("", e))?;
    let mesh = files.mesh(&file).map_err(|e| ("", e))?;
    let scale = match part.get("scale") {
        None => [1.0; 3],
        Some(scale) => read_scale(scale).map_err(|e| (".scale", e))?,
    };
    let placement = match part.get("pose") {
        None => Placement::IDENTITY,
        Some(pose) => read_affine(pose).map_err(|e| (".pose", e))?,
    };
    let name = match part.get("name").and_then(Value::as_str) {
        Some(name) => name.to_owned(),
        None => file.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
    };
    let members = part.as_object().into_iter().flat_map(|members| members.keys());
    others.extend(members.filter(|key| !MEMBERS.contains(&key.as_str())).take(20).cloned());
    files.count_placed(mesh.n_triangles() + TRIANGLES_PER_PART as usize).map_err(|e| ("", e))?;
    let pieces = mesh.placed(scale, &placement);
    for piece in &pieces {
        match piece.flattening() {
            Flattening::None => {}
            Flattening::Harmless => {
                push_note(notes, format!("{name}: a flat mesh is scaled by 0 across its plane"));
            }
            Flattening::Collapses(t) if scale.contains(&0.0) => {
                return Err((".scale", format!("a scale of 0 takes the area from triangle {t}")));
            }
            Flattening::Collapses(t) => {
                let reason = "the matrix flattens: its determinant is 0";
                return Err((".pose", format!("{reason}, and triangle {t} loses its area")));
            }
        }
    }
    for note in mesh.take_notes() {
        push_note(notes, note);
    }
    Ok((Part { name, pieces }, mesh.unread.clone()))
}

/// Returns a scale from one number for all axes or from three numbers. All must be finite.
pub fn read_scale(value: &Value) -> Result<[f64; 3], String> {
    let scale = match value.as_f64() {
        Some(s) => [s; 3],
        None => {
            let numbers = read_numbers(value)?;
            <[f64; 3]>::try_from(numbers.as_slice())
                .map_err(|_| format!("{} numbers; one or three are needed", numbers.len()))?
        }
    };
    match scale.iter().find(|s| !s.is_finite()) {
        Some(s) => Err(format!("a scale of {s}")),
        None => Ok(scale),
    }
}

/// Returns a matrix from sixteen numbers, row-major, flat or in four rows. The determinant must not
/// be 0.
pub fn read_matrix(value: &Value) -> Result<Placement, String> {
    Placement::checked(read_affine(value)?.0)
}

/// Returns a matrix from sixteen numbers. The determinant may be 0.
fn read_affine(value: &Value) -> Result<Placement, String> {
    let numbers = read_numbers(value)?;
    let matrix = <[f64; 16]>::try_from(numbers.as_slice())
        .map_err(|_| format!("{} numbers; 16 are needed", numbers.len()))?;
    Placement::affine(matrix)
}

/// Returns the numbers of a list, or of a list of such lists.
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

/// Returns the kind of a value, for messages.
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
