//! Wavefront OBJ: the `v` and `f` lines in `f64`, optionally split by groups and objects.
//!
//! The standard library parses the numbers, so they are correctly rounded. Names and comments may
//! have any encoding. Texture indices, normal indices and materials are ignored. Lines and points
//! have no surface; they are left out with a note. Curved surfaces and lines with unknown keywords
//! are listed as unread.
//!
//! Reference: Wavefront Technologies, Object Files (.obj), Advanced Visualizer Manual, app. B1.
//! Differs: parsed here, not by `tobj`. That crate gives no line numbers, splits shared vertices at
//! each group, and overflows on large texture indices.

use crate::error::{Location, ReadError, shortened};
use crate::files::Files;
use crate::limits::{MAX_NAME_CHARS, MAX_NOTES};
use crate::model::Model;
use crate::part::{Part, RawMesh, push_note};
use crate::polygon::{Quirks, triangulate};
use glam::DVec3;
use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// Keywords without influence on geometry.
const NO_GEOMETRY: [&str; 31] = [
    "vt",
    "vn",
    "vp",
    "o",
    "g",
    "s",
    "mg",
    "usemtl",
    "mtllib",
    "usemap",
    "maplib",
    "bevel",
    "c_interp",
    "d_interp",
    "lod",
    "shadow_obj",
    "trace_obj",
    "cstype",
    "deg",
    "bmat",
    "step",
    "parm",
    "trim",
    "hole",
    "scrv",
    "sp",
    "end",
    "con",
    "ctech",
    "stech",
    "curv2",
];

/// The faces of a file.
#[derive(Default)]
struct Faces {
    corners: Vec<u32>,
    /// For each face its line, and the end of its corners in `corners`.
    ends: Vec<(usize, usize)>,
    /// The number of `o` lines so far.
    n_objects: usize,
    /// The current object; empty before the first one, and for one without a name.
    object: Arc<[u8]>,
    /// One for each `o` and `g` line.
    groups: Vec<Group>,
}

/// The object and the group of faces. Names are in the encoding of the file.
struct Group {
    /// The index of the first face.
    first: usize,
    object: Arc<[u8]>,
    /// The number of the `o` line that began the object; 0 before the first one.
    object_line: usize,
    /// Empty for the faces of an object without a group, as after its `o` line.
    name: Vec<u8>,
}

/// The name of an object, and that of a group in it.
type GroupName<'a> = (&'a [u8], &'a [u8]);

impl Faces {
    /// Begins an object or a group at the next face, for the keyword `o` or `g`. Blanks in a name
    /// count as one.
    fn begin(&mut self, keyword: &str, name: &[u8]) {
        let words: Vec<&[u8]> = name.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
        let mut name = words.join(&b' ');
        if keyword == "o" {
            self.object = core::mem::take(&mut name).into();
            self.n_objects += 1;
        }
        let (object, object_line) = (self.object.clone(), self.n_objects);
        self.groups.push(Group { first: self.ends.len(), object, object_line, name });
    }
}

/// Reads the bytes of an OBJ file. `path` appears in messages and names the part.
pub(crate) fn parse(bytes: &[u8], path: &Path, files: &Files<'_>) -> Result<Model, ReadError> {
    let mut mesh = RawMesh::default();
    let mut faces = Faces::default();
    let mut unusual = SkippedLines::default();
    let mut has_keyword = false;
    let mut lines = Lines { rest: bytes, number: 0 };
    while let Some(line) = lines.next() {
        let number = lines.number;
        let at = |reason: String| ReadError::at(path, Location::Line(number), reason);
        if line.contains(&0) && core::str::from_utf8(line).is_err() {
            return Err(at("not text: not an OBJ file".to_owned()));
        }
        let mut line = Cow::Borrowed(line.trim_ascii());
        // A backslash at the end continues the line.
        while line.ends_with(b"\\") && !line.starts_with(b"#") {
            let joined = line.to_mut();
            joined.pop();
            joined.push(b' ');
            joined.extend_from_slice(lines.next().unwrap_or_default().trim_ascii_end());
        }
        has_keyword |= read_line(&line, number, &mut mesh, &mut faces, &mut unusual).map_err(at)?;
    }
    if !has_keyword {
        return Err(ReadError::at(path, Location::File, "no v or f line: not an OBJ file"));
    }
    let mut quirks = Quirks::default();
    let mut ends = Vec::with_capacity(faces.ends.len());
    let mut start = 0;
    for &(line, end) in &faces.ends {
        let corners = &faces.corners[start..end];
        triangulate(&mut mesh, corners, &mut quirks, || format!("line {line}"))
            .and_then(|()| files.check_mesh(&mesh))
            .map_err(|e| ReadError::at(path, Location::Line(line), e))?;
        ends.push(mesh.triangles.len());
        start = end;
    }
    let mesh = mesh.checked(path)?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut notes = quirks.notes();
    let parts = match files.options.split_objects {
        true => split(&mesh, &faces.groups, &ends, &stem, &mut notes),
        false => Vec::new(),
    };
    let mut model = Model::new(if parts.is_empty() { vec![Part::new(stem, mesh)] } else { parts });
    model.notes = notes;
    unusual.report(&mut model);
    Ok(model)
}

/// An iterator over lines that end in CR, LF or CR LF.
struct Lines<'a> {
    rest: &'a [u8],
    /// The number of the last returned line, counted from 1.
    number: usize,
}

impl<'a> Lines<'a> {
    fn next(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        self.number += 1;
        let end = self.rest.iter().position(|b| matches!(*b, b'\n' | b'\r')).unwrap_or(self.rest.len());
        let (line, rest) = self.rest.split_at(end);
        self.rest = rest.strip_prefix(b"\r\n").unwrap_or_else(|| rest.get(1..).unwrap_or(&[]));
        Some(line)
    }
}

/// Lines that are neither vertices nor faces.
#[derive(Default)]
struct SkippedLines {
    /// The number of `l` and `p` lines, and the line of the first.
    n_thin: usize,
    first_thin: usize,
    /// Line and keyword.
    unread: Vec<(usize, String)>,
    n_unread: usize,
}

impl SkippedLines {
    fn report(self, model: &mut Model) {
        if 0 < self.n_thin {
            let (n, line) = (self.n_thin, self.first_thin);
            model
                .notes
                .push(format!("{n} lines or points are left out, the first at line {line}: no surface"));
        }
        for (line, word) in &self.unread {
            model.unread.push(format!("line {line}: {word:?} is not read"));
        }
        let more = self.n_unread - self.unread.len();
        if 0 < more {
            model.unread.push(format!("{more} more lines are not read"));
        }
    }
}

/// Reads one line. Returns whether it was geometry.
fn read_line(
    line: &[u8],
    number: usize,
    mesh: &mut RawMesh,
    faces: &mut Faces,
    unusual: &mut SkippedLines,
) -> Result<bool, String> {
    let text = String::from_utf8_lossy(line);
    let mut words = text.split_whitespace();
    let Some(keyword) = words.next() else { return Ok(false) };
    match keyword {
        "v" | "V" => {
            let mut v = [0.0f64; 3];
            for (axis, x) in v.iter_mut().enumerate() {
                let word = words.next().ok_or_else(|| format!("a vertex with {axis} coordinates"))?;
                *x = word.parse().map_err(|_| format!("{word:?} is not a number"))?;
                if !x.is_finite() {
                    return Err(format!("coordinate {word} is not finite"));
                }
            }
            // A weight or a colour may follow.
            for word in words.take_while(|word| !word.starts_with('#')) {
                word.parse::<f64>().map_err(|_| format!("{word:?} is not a number"))?;
            }
            mesh.vertices.push(DVec3::from_array(v));
            Ok(true)
        }
        // `fo` is an older name.
        "f" | "F" | "fo" => {
            let first = faces.corners.len();
            for word in words.take_while(|word| !word.starts_with('#')) {
                let index = word.split('/').next().unwrap_or(word);
                let number: i64 = index.parse().map_err(|_| format!("{word:?} is not a vertex number"))?;
                let n = mesh.vertices.len();
                // Negative numbers count back from the last vertex so far.
                let vertex = if number < 0 { (n as i64).saturating_add(number) } else { number - 1 };
                match usize::try_from(vertex) {
                    Ok(v) if v < n => faces.corners.push(v as u32),
                    _ => return Err(format!("vertex {number} is out of range: {n} so far")),
                }
            }
            let n_corners = faces.corners.len() - first;
            if n_corners < 3 {
                return Err(format!("a face with {n_corners} corners"));
            }
            faces.ends.push((number, faces.corners.len()));
            Ok(true)
        }
        "l" | "p" => {
            if unusual.n_thin == 0 {
                unusual.first_thin = number;
            }
            unusual.n_thin += 1;
            Ok(false)
        }
        _ if keyword.starts_with('#') => Ok(false),
        _ => {
            if keyword == "o" || keyword == "g" {
                faces.begin(keyword, line.get(1..).unwrap_or_default());
            } else if !NO_GEOMETRY.contains(&keyword) {
                unusual.n_unread += 1;
                if unusual.unread.len() < MAX_NOTES {
                    unusual.unread.push((number, keyword.chars().take(40).collect()));
                }
            }
            Ok(false)
        }
    }
}

/// Splits the mesh into the groups of its objects. Triangles of one group of one object form one
/// part. So do those of an object without a group. Adds a note for objects that have one name.
fn split(mesh: &RawMesh, groups: &[Group], ends: &[usize], stem: &str, notes: &mut Vec<String>) -> Vec<Part> {
    let mut named: Vec<(String, Vec<[u32; 3]>)> = Vec::new();
    // For each name the part, the object that began it, and whether another one follows.
    let mut known: HashMap<Option<GroupName<'_>>, (usize, usize, bool)> = HashMap::new();
    let triangle_at = |face: usize| if face == 0 { 0 } else { ends[face - 1] };
    let named_groups =
        groups.iter().map(|group| (group.first, group.object_line, Some((&*group.object, &*group.name))));
    // The faces before the first object or group.
    let starts: Vec<_> = core::iter::once((0, 0, None)).chain(named_groups).collect();
    for (i, (face, object_line, key)) in starts.iter().enumerate() {
        let end = starts.get(i + 1).map_or(ends.len(), |next| next.0);
        let triangles = &mesh.triangles[triangle_at(*face)..triangle_at(end)];
        if triangles.is_empty() {
            continue;
        }
        let (part, first_line, is_repeated) = known.entry(*key).or_insert_with(|| {
            named.push((key.map_or_else(|| stem.to_owned(), group_name), Vec::new()));
            (named.len() - 1, *object_line, false)
        });
        if *first_line != *object_line && !*is_repeated {
            *is_repeated = true;
            let name = &named[*part].0;
            push_note(notes, format!("more than one object is named {name:?}; they are one part"));
        }
        named[*part].1.extend_from_slice(triangles);
    }
    named.into_iter().map(|(name, triangles)| Part::new(name, mesh.with_used_vertices(triangles))).collect()
}

/// Returns the name of a group of an object. A long name of an object is cut, because each of its
/// groups repeats it.
fn group_name((object, group): GroupName<'_>) -> String {
    let [object, group] = [object, group].map(String::from_utf8_lossy);
    match (&*object, &*group) {
        ("", "") => "default".to_owned(),
        ("", name) | (name, "") => name.to_owned(),
        _ => format!("{}/{group}", shortened(&object, MAX_NAME_CHARS)),
    }
}
