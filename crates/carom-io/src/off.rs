//! OFF, text: vertices and polygons, with normals, colours and texture coordinates beside them.
//!
//! 1. The header says which numbers follow the position of a vertex: `ST` texture coordinates, `C`
//!    a colour, `N` a normal. They are checked and dropped.
//! 2. The counts must be those of the file (test: `off::counts_are_those_of_the_file`). No memory
//!    is reserved for them.
//! 3. Faces of one or two corners have no surface; they are left out with a note.
//!
//! Reference: Geomview Manual, OFF Files.
//! Differs: a vertex and a face take one line each, as all exporters write them. The keyword may
//! touch the first count, as in ModelNet40.

use crate::error::{Location, ReadError};
use crate::files::Files;
use crate::model::Model;
use crate::part::{Part, RawMesh};
use crate::polygon::{Quirks, triangulate};
use glam::DVec3;
use std::path::Path;

/// The meaning of the first line.
struct Header {
    /// How many numbers may follow the position of a vertex.
    extra: core::ops::RangeInclusive<usize>,
    /// Whether the header has no prefix, so that further numbers get a note.
    is_plain: bool,
}

/// Reads the bytes of an OFF file. `path` appears in messages and names the part.
pub(crate) fn parse(bytes: &[u8], path: &Path, files: &Files<'_>) -> Result<Model, ReadError> {
    let mut lines = Lines { rest: bytes, number: 0 };
    let whole = |reason: &str| ReadError::at(path, Location::File, reason);
    let first = lines.next().map_err(|e| lines.at(path, e))?;
    let first = first.ok_or_else(|| whole("no line: not an OFF file"))?;
    let (header, rest) = header(first).map_err(|e| lines.at(path, e))?;
    let counts_text = if rest.is_empty() {
        let next = lines.next().map_err(|e| lines.at(path, e))?;
        next.ok_or_else(|| whole("the file ends before the counts"))?
    } else {
        rest
    };
    let [n_vertices, n_faces] = counts(counts_text).map_err(|e| lines.at(path, e))?;
    let mut mesh = RawMesh::default();
    let mut has_extra = false;
    for read in 0..n_vertices {
        let line = lines.next().map_err(|e| lines.at(path, e))?;
        let line = line.ok_or_else(|| whole(&format!("{n_vertices} vertices announced, {read} there")))?;
        let (vertex, n_extra) = vertex(line, &header).map_err(|e| lines.at(path, e))?;
        has_extra |= header.is_plain && 0 < n_extra;
        mesh.vertices.push(vertex);
    }
    // Polygons that cross themselves add vertices, which no face may name.
    let n_read = mesh.vertices.len();
    let mut quirks = Quirks::default();
    let mut corners = Vec::new();
    let (mut n_thin, mut first_thin) = (0_usize, 0);
    for read in 0..n_faces {
        let line = lines.next().map_err(|e| lines.at(path, e))?;
        let line = line.ok_or_else(|| whole(&format!("{n_faces} faces announced, {read} there")))?;
        let number = lines.number;
        face(line, n_read, &mut corners).map_err(|e| lines.at(path, e))?;
        if corners.len() < 3 {
            first_thin = if n_thin == 0 { number } else { first_thin };
            n_thin += 1;
            continue;
        }
        triangulate(&mut mesh, &corners, &mut quirks, || format!("line {number}"))
            .and_then(|()| files.check_mesh(&mesh))
            .map_err(|e| lines.at(path, e))?;
    }
    if lines.next().map_err(|e| lines.at(path, e))?.is_some() {
        return Err(lines.at(path, "a line behind the faces that are announced".to_owned()));
    }
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let mut model = Model::new(vec![Part::new(name, mesh.checked(path)?)]);
    model.notes = quirks.notes();
    if has_extra {
        model.notes.push("vertices have numbers behind their positions that the header lacks".to_owned());
    }
    if 0 < n_thin {
        let note =
            format!("{n_thin} faces of one or two corners are left out, the first at line {first_thin}");
        model.notes.push(format!("{note}: no surface"));
    }
    Ok(model)
}

/// An iterator over lines that are neither blank nor comments.
struct Lines<'a> {
    rest: &'a [u8],
    /// The number of the last returned line, counted from 1.
    number: usize,
}

impl<'a> Lines<'a> {
    /// Returns the next line without its comment. An error if it is not text.
    fn next(&mut self) -> Result<Option<&'a str>, String> {
        while !self.rest.is_empty() {
            self.number += 1;
            let end = self.rest.iter().position(|b| matches!(*b, b'\n' | b'\r')).unwrap_or(self.rest.len());
            let (line, rest) = self.rest.split_at(end);
            self.rest = rest.strip_prefix(b"\r\n").unwrap_or_else(|| rest.get(1..).unwrap_or(&[]));
            // A comment may have any encoding.
            let line = line.split(|b| *b == b'#').next().unwrap_or(line).trim_ascii();
            if !line.is_empty() {
                let text = core::str::from_utf8(line);
                return text.map(Some).map_err(|_| "not text: not a text OFF file".to_owned());
            }
        }
        Ok(None)
    }

    /// Returns an error at the last returned line.
    fn at(&self, path: &Path, reason: String) -> ReadError {
        ReadError::at(path, Location::Line(self.number), reason)
    }
}

/// Parses the first line. Returns the header, and the text after the keyword. The keyword may be
/// missing.
fn header(line: &str) -> Result<(Header, &str), String> {
    let word = line.split_whitespace().next().unwrap_or(line);
    if word.starts_with(|c: char| c.is_ascii_digit()) && !word.contains("OFF") {
        return Ok((Header { extra: 0..=7, is_plain: true }, line));
    }
    let at = line.find("OFF").filter(|at| line[..*at].chars().all(|c| "STCN4n".contains(c)));
    let at = at.ok_or_else(|| "no keyword OFF: not an OFF file".to_owned())?;
    let (prefix, rest) = (&line[..at], line[at + 3..].trim());
    if prefix.contains(['4', 'n']) {
        return Err(format!("{prefix}OFF has vertices of other than three dimensions; OFF is read"));
    }
    if rest.split_whitespace().next() == Some("BINARY") {
        return Err("a binary OFF file is not read: export it as text".to_owned());
    }
    let texture = if prefix.contains("ST") { 2 } else { 0 };
    let normal = if prefix.contains('N') { 3 } else { 0 };
    // A colour has four numbers by the manual; some exporters write three.
    let [least, most] = if prefix.contains('C') { [3, 4] } else { [0, 0] };
    let fixed = texture + normal;
    let is_plain = prefix.is_empty();
    // Even without a prefix, a colour or a normal may follow the position.
    let extra = if is_plain { 0..=7 } else { fixed + least..=fixed + most };
    Ok((Header { extra, is_plain }, rest))
}

/// Returns the counts of vertices and faces. The count of edges may be missing and is not used.
fn counts(line: &str) -> Result<[u64; 2], String> {
    let mut counts = [0; 3];
    let mut n = 0;
    for word in line.split_whitespace() {
        let count = word.parse().map_err(|_| format!("{word:?} is not a count"))?;
        *counts.get_mut(n).ok_or("more than the three counts of vertices, faces and edges")? = count;
        n += 1;
    }
    if n < 2 {
        return Err(format!("{n} counts; those of vertices, faces and edges are needed"));
    }
    Ok([counts[0], counts[1]])
}

/// Returns the position of a vertex, and how many numbers follow it.
fn vertex(line: &str, header: &Header) -> Result<(DVec3, usize), String> {
    let mut position = [0.0; 3];
    let mut n = 0;
    for word in line.split_whitespace() {
        let number: f64 = word.parse().map_err(|_| format!("{word:?} is not a number"))?;
        if let Some(x) = position.get_mut(n) {
            if !number.is_finite() {
                return Err(format!("coordinate {word} is not finite"));
            }
            *x = number;
        }
        n += 1;
    }
    if n < 3 {
        return Err(format!("a vertex with {n} coordinates"));
    }
    if !header.extra.contains(&(n - 3)) {
        let (least, most) = (3 + header.extra.start(), 3 + header.extra.end());
        return Err(format!("{n} numbers; a vertex has {least} to {most} by the header"));
    }
    Ok((DVec3::from_array(position), n - 3))
}

/// Reads the corners of a face. A colour of up to four numbers may follow them.
fn face(line: &str, n_vertices: usize, corners: &mut Vec<u32>) -> Result<(), String> {
    corners.clear();
    let mut words = line.split_whitespace();
    let word = words.next().unwrap_or_default();
    let n: usize = word.parse().map_err(|_| format!("{word:?} is not a number of corners"))?;
    for read in 0..n {
        let word = words.next().ok_or_else(|| format!("{n} corners announced, {read} there"))?;
        match word.parse::<i64>().map(usize::try_from) {
            Ok(Ok(vertex)) if vertex < n_vertices => corners.push(vertex as u32),
            Ok(_) => return Err(format!("vertex {word} is out of range: {n_vertices}, counted from 0")),
            Err(_) => return Err(format!("{word:?} is not a vertex number")),
        }
    }
    let mut n_colour = 0;
    for word in words {
        word.parse::<f64>().map_err(|_| format!("{word:?} is not a number"))?;
        n_colour += 1;
    }
    if 4 < n_colour {
        return Err(format!("{n_colour} numbers behind the {n} corners; a colour has up to four"));
    }
    Ok(())
}
