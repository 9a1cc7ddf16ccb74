//! Wavefront OBJ: the `v` and `f` lines, in `f64`.
//!
//! Numbers are read by the standard library and so to the last bit. Texture and normal indices, groups and
//! materials do not matter here and are passed over; a file is one mesh.
//!
//! Reference: Wavefront Technologies, Object Files (.obj), Advanced Visualizer Manual, app. B1.
//! Differs: read here rather than by `tobj`, which gives no line numbers, splits shared vertices at each group, and
//! overflows on large texture indices.

use crate::error::{Place, ReadError};
use crate::part::RawMesh;
use glam::DVec3;
use std::borrow::Cow;
use std::path::Path;

/// Reads the bytes of an OBJ file; `path` is for messages.
pub fn parse(bytes: &[u8], path: &Path) -> Result<RawMesh, ReadError> {
    let mut mesh = RawMesh::default();
    let mut corners: Vec<u32> = Vec::new();
    let mut has_keyword = false;
    let mut lines = bytes.split(|b| *b == b'\n').enumerate();
    while let Some((number, line)) = lines.next() {
        let at = |reason: String| ReadError::at(path, Place::Line(number + 1), reason);
        let Ok(text) = core::str::from_utf8(line) else {
            // Names and comments may be in any encoding, geometry may not.
            match line.trim_ascii_start() {
                [b'v' | b'f', b' ' | b'\t', ..] => return Err(at("not text".to_owned())),
                _ if line.contains(&0) => return Err(at("not text: not an OBJ file".to_owned())),
                _ => continue,
            }
        };
        let mut text = Cow::Borrowed(text.trim_end());
        // A backslash at the end continues the line.
        while text.ends_with('\\') && !text.starts_with('#') {
            let mut joined = text.into_owned();
            joined.pop();
            joined.push(' ');
            if let Some((_, next)) = lines.next() {
                joined.push_str(String::from_utf8_lossy(next).trim_end());
            }
            text = Cow::Owned(joined);
        }
        has_keyword |= read_line(&text, &mut mesh, &mut corners).map_err(at)?;
    }
    if !has_keyword {
        return Err(ReadError::at(path, Place::File, "no v or f line: not an OBJ file"));
    }
    mesh.checked(path)
}

/// One line; says whether it was geometry.
fn read_line(line: &str, mesh: &mut RawMesh, corners: &mut Vec<u32>) -> Result<bool, String> {
    let mut words = line.split_whitespace();
    match words.next() {
        Some("v") => {
            let mut v = [0.0f64; 3];
            for (axis, x) in v.iter_mut().enumerate() {
                let word = words.next().ok_or_else(|| format!("a vertex with {axis} coordinates"))?;
                *x = word.parse().map_err(|_| format!("{word:?} is not a number"))?;
                if !x.is_finite() {
                    return Err(format!("coordinate {word} is not finite"));
                }
            }
            mesh.vertices.push(DVec3::from_array(v));
            Ok(true)
        }
        Some("f") => {
            corners.clear();
            for word in words {
                let index = word.split('/').next().unwrap_or(word);
                let number: i64 = index.parse().map_err(|_| format!("{word:?} is not a vertex number"))?;
                let n = mesh.vertices.len();
                // Negative numbers count back from the last vertex so far.
                let vertex = if number < 0 { n as i64 + number } else { number - 1 };
                match usize::try_from(vertex) {
                    Ok(v) if v < n => corners.push(v as u32),
                    _ => return Err(format!("vertex {number} is out of range: {n} so far")),
                }
            }
            if corners.len() < 3 {
                return Err(format!("a face with {} corners", corners.len()));
            }
            mesh.push_polygon(corners);
            Ok(true)
        }
        _ => Ok(false),
    }
}
