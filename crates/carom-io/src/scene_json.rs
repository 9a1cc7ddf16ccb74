//! Scene files: JSON with parts, each a mesh file with a scale and a pose.
//!
//! `{"parts": [{"mesh": "gear.obj", "name": "gear", "scale": 0.01, "pose": [16 numbers]}]}`. The
//! key `file` may stand in place of `mesh`. `scale` is one number or three. `pose` is a row-major
//! 4x4 matrix, flat or as four rows. Name, scale and pose are optional. Other members are noted,
//! and so are parts whose files state different units, after their scales.
//!
//! Reference: none; the format is carom's own. `serde_json` parses it. Differs: parts are read one
//! by one, because a value takes many times the memory of its text.

use crate::error::{Location, ReadError};
use crate::files::{Files, MeshFile};
use crate::limits::{MAX_ITEM_CHARS, TRIANGLES_PER_PART};
use crate::model::{Model, StatedFrames};
use crate::part::{Flattening, Part, Placement, push_note};
use carom_math::tol;
use serde::Deserializer;
use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeSet;
use std::path::Path;

/// The members of a part.
const MEMBERS: [&str; 5] = ["mesh", "file", "name", "scale", "pose"];

/// The maximum number of names of other members that a note lists.
const MAX_OTHERS: usize = 20;

#[derive(serde::Deserialize)]
struct Scene<'a> {
    #[serde(borrow)]
    parts: Vec<&'a RawValue>,
}

/// Reads the bytes of a scene file and the meshes that it names.
pub(crate) fn parse(bytes: &[u8], path: &Path, files: &mut Files<'_>) -> Result<Model, ReadError> {
    let whole = |reason: &str| ReadError::at(path, Location::File, reason);
    let is_object = bytes.trim_ascii_start().starts_with(b"{");
    let in_scene = match is_object {
        true => OtherMembers(&["parts"]).deserialize(&mut serde_json::Deserializer::from_slice(bytes)),
        false => Ok(BTreeSet::new()),
    };
    let in_scene = in_scene.map_err(|e| ReadError::at(path, Location::Line(e.line()), e.to_string()))?;
    let scene: Scene<'_> = match serde_json::from_slice(bytes) {
        Ok(scene) if is_object => scene,
        Err(e) if e.is_syntax() || e.is_eof() => {
            return Err(ReadError::at(path, Location::Line(e.line()), e.to_string()));
        }
        _ => return Err(whole("no list \"parts\": not a scene file")),
    };
    let mut model = Model::new(Vec::new());
    let mut found = Found::default();
    for (i, part) in scene.parts.iter().enumerate() {
        match read_part(part.get(), path, files, &mut model.notes, &mut found) {
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
    for (whose, others) in [("the scene has", in_scene), ("parts have", found.others)] {
        if !others.is_empty() {
            let list: Vec<&str> = others.iter().take(MAX_OTHERS).map(String::as_str).collect();
            let (list, more) = (list.join(", "), if MAX_OTHERS < others.len() { ", ..." } else { "" });
            model.notes.push(format!("{whose} members that are not understood: {list}{more}"));
        }
    }
    model.metres = found.frames.metres();
    model.notes.extend(found.frames.notes());
    Ok(model)
}

/// Notable things about the parts of a scene.
#[derive(Default)]
struct Found {
    /// The names of members that are not understood: see [`add_other`].
    others: BTreeSet<String>,
    /// The frames of the scene, by its parts.
    frames: StatedFrames,
}

impl Found {
    /// Adds the frame of the scene that a file of this name gives: its own unit over the scale,
    /// and its up axis if it is not turned. A scale that is not the same along all axes, and a
    /// pose that scales, give no unit.
    fn add_frame(&mut self, name: &str, mesh: &MeshFile, scale: [f64; 3], placement: &Placement) {
        let factor = scale[0].abs();
        let is_even = scale.iter().all(|s| s.abs() == factor) && 0.0 < factor;
        let is_rigid = placement.rigidity_error() <= tol::MATRIX_RIGIDITY;
        if let Some(metres) = mesh.metres.filter(|_| is_even && is_rigid) {
            self.frames.add_unit(name, mesh.unit.filter(|_| factor == 1.0), metres / factor);
        }
        if let Some(up) = mesh.up.filter(|_| placement.is_translation()) {
            self.frames.add_up(name, up);
        }
    }
}

/// Adds the name of another member. The set has at most one name more than a note lists.
fn add_other(others: &mut BTreeSet<String>, name: String) {
    if others.len() <= MAX_OTHERS {
        others.insert(name);
    }
}

/// The names of the members of an object that are not known: see [`add_other`]. An error if a known
/// member is there twice.
struct OtherMembers<'k>(&'k [&'k str]);

impl<'de> DeserializeSeed<'de> for OtherMembers<'_> {
    type Value = BTreeSet<String>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<BTreeSet<String>, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for OtherMembers<'_> {
    type Value = BTreeSet<String>;

    fn expecting(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<BTreeSet<String>, A::Error> {
        let (mut known, mut others) = (BTreeSet::new(), BTreeSet::new());
        while let Some((name, _)) = members.next_entry::<String, IgnoredAny>()? {
            if !self.0.contains(&name.as_str()) {
                add_other(&mut others, name);
            } else if !known.insert(name.clone()) {
                return Err(A::Error::custom(format!("the member {name:?} is there twice")));
            }
        }
        Ok(others)
    }
}

/// Reads a part. Returns the unread objects of its file too. An error names the member that it is
/// about.
fn read_part(
    text: &str,
    path: &Path,
    files: &mut Files<'_>,
    notes: &mut Vec<String>,
    found: &mut Found,
) -> Result<(Part, Vec<String>), (&'static str, String)> {
    if MAX_ITEM_CHARS < text.len() {
        return Err(("", format!("{} characters: more than the limit of {MAX_ITEM_CHARS}", text.len())));
    }
    let part: Value = serde_json::from_str(text).map_err(|e| ("", e.to_string()))?;
    if part.is_object() {
        let others = OtherMembers(&MEMBERS).deserialize(&mut serde_json::Deserializer::from_str(text));
        let others = others.map_err(|e| ("", e.to_string()))?;
        others.into_iter().for_each(|name| add_other(&mut found.others, name));
    }
    let text_of = |key: &str, place: &'static str| match part.get(key) {
        None => Ok(None),
        Some(value) => {
            value.as_str().map(Some).ok_or_else(|| (place, format!("{} instead of a string", kind(value))))
        }
    };
    let name = match (text_of("mesh", ".mesh")?, text_of("file", ".file")?) {
        (Some(name), None) | (None, Some(name)) => name,
        (None, None) => return Err(("", "no \"mesh\" or \"file\"".to_owned())),
        (Some(_), Some(_)) => return Err(("", "both \"mesh\" and \"file\"".to_owned())),
    };
    let given_name = text_of("name", ".name")?;
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
    found.add_frame(name, &mesh, scale, &placement);
    let name = match given_name {
        Some(name) => name.to_owned(),
        None => file.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
    };
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
    let numbers = read_in_rows::<4>(value)?;
    let matrix = <[f64; 16]>::try_from(numbers.as_slice())
        .map_err(|_| format!("{} numbers; 16 are needed", numbers.len()))?;
    Placement::affine(matrix)
}

/// Returns the numbers of a list.
pub fn read_numbers(value: &Value) -> Result<Vec<f64>, String> {
    let list = value.as_array().ok_or_else(|| format!("{} instead of a list of numbers", kind(value)))?;
    let number = |x: &Value| x.as_f64().ok_or_else(|| format!("{} instead of a number", kind(x)));
    list.iter().map(number).collect()
}

/// Returns the numbers of a list, or of a list of rows of `N` numbers.
pub fn read_in_rows<const N: usize>(value: &Value) -> Result<Vec<f64>, String> {
    let Some(list) = value.as_array().filter(|list| list.iter().any(Value::is_array)) else {
        return read_numbers(value);
    };
    let mut all = Vec::new();
    for (i, row) in list.iter().enumerate() {
        let numbers = read_numbers(row).map_err(|e| format!("row {i}: {e}"))?;
        if numbers.len() != N {
            return Err(format!("row {i}: {} numbers; {N} are needed", numbers.len()));
        }
        all.extend(numbers);
    }
    Ok(all)
}

/// Returns the rows of `N` numbers in a list: one list for each row, or one number after the other.
pub fn read_rows<const N: usize>(value: &Value) -> Result<Vec<[f64; N]>, String> {
    let numbers = read_in_rows::<N>(value)?;
    match numbers.as_chunks::<N>() {
        (rows, []) => Ok(rows.to_vec()),
        _ => Err(format!("{} numbers, not {N} in each row", numbers.len())),
    }
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
