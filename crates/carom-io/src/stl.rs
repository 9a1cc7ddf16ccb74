//! STL, text and binary: each solid is a mesh. Corners with equal coordinates are merged; normals
//! are ignored.
//!
//! A file is binary if its length fits its count, or if it has a zero byte near its start. It is
//! binary too if it does not begin with "solid". The header of a binary file is free and may begin
//! with "solid".
//!
//! Text is read word by word. Capitals, blank lines, missing or invalid normals, a byte order mark
//! and empty solids are accepted. Bytes after the last solid or after the announced triangles are
//! an error.
//!
//! Reference: 3D Systems, Stereolithography Interface Specification, 1989.
//! Differs: parsed here, not by `stl_io`. That crate stops at the first solid and rejects normals
//! that are not numbers.

use crate::error::{Location, ReadError};
use crate::files;
use crate::model::Model;
use crate::part::{Part, RawMesh, push_note};
use glam::DVec3;
use std::collections::HashMap;
use std::path::Path;

/// The bytes before the triangles of a binary file: a free header and the count.
const HEADER: usize = 84;

/// The bytes of one triangle in a binary file.
const RECORD: usize = 50;

/// The leading bytes that are searched for a zero. Binary files have one there, text has none.
const PROBE: usize = 1024;

/// One solid of a file.
struct Solid {
    /// As in the file; may be empty.
    name: String,
    /// May have no triangles.
    mesh: RawMesh,
    /// The line of its first word.
    line: usize,
}

/// Reads the bytes of an STL file. `path` appears in messages and names a single solid.
pub(crate) fn parse(bytes: &[u8], path: &Path) -> Result<Model, ReadError> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    if is_binary(bytes) {
        let mesh = binary(bytes).map_err(|e| ReadError::at(path, Location::File, e))?;
        return Ok(Model::new(vec![Part::new(stem, mesh.checked(path)?)]));
    }
    let text = files::without_mark(bytes).map_err(|e| ReadError::at(path, Location::File, e))?;
    let mut words = Words { rest: text, line: 1 };
    let solids = solids(&mut words);
    let solids = solids.map_err(|reason| ReadError::at(path, Location::Line(words.line), reason))?;
    let is_single = solids.len() == 1;
    let mut model = Model::new(Vec::new());
    for Solid { name, mesh, line } in solids {
        if mesh.triangles.is_empty() && !is_single {
            push_note(&mut model.unread, format!("line {line}: the solid {name:?} has no triangle"));
            continue;
        }
        let name = if name.is_empty() || is_single { stem.clone().into_owned() } else { name };
        model.parts.push(Part::new(name, mesh.checked(path)?));
    }
    if model.parts.is_empty() {
        return Err(ReadError::at(path, Location::File, "the mesh is empty: no triangle"));
    }
    Ok(model)
}

/// Returns the number of triangles that a binary file announces.
fn announced(bytes: &[u8]) -> Option<usize> {
    let count = bytes.get(80..HEADER)?;
    Some(u32::from_le_bytes([count[0], count[1], count[2], count[3]]) as usize)
}

fn is_binary(bytes: &[u8]) -> bool {
    let whole = |n: usize| n.checked_mul(RECORD).and_then(|n| n.checked_add(HEADER));
    if announced(bytes).and_then(whole) == Some(bytes.len()) {
        return true;
    }
    // UTF-16 text counts as text, so that the error names it.
    let Ok(text) = files::without_mark(bytes) else { return false };
    let start = text.trim_ascii_start();
    let is_solid = start.get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid"));
    !is_solid || bytes[..PROBE.min(bytes.len())].contains(&0)
}

fn binary(bytes: &[u8]) -> Result<RawMesh, String> {
    let n = announced(bytes).ok_or_else(|| format!("{} bytes: too short for an STL file", bytes.len()))?;
    let (records, rest) = bytes[HEADER..].as_chunks::<RECORD>();
    if records.len() < n {
        let there = records.len();
        return Err(format!("truncated, or not an STL file: {n} triangles announced, {there} there"));
    }
    let left = (records.len() - n) * RECORD + rest.len();
    if 0 < left {
        return Err(format!("{left} bytes behind the {n} triangles that are announced"));
    }
    let mut welder = Welder::default();
    for record in records {
        let number = |at: usize| {
            f64::from(f32::from_le_bytes([record[at], record[at + 1], record[at + 2], record[at + 3]]))
        };
        let corner = |at: usize| DVec3::new(number(at), number(at + 4), number(at + 8));
        welder.push([corner(12), corner(24), corner(36)]);
    }
    Ok(welder.mesh)
}

/// An iterator over the words of a text. `line` is that of the last word, counted from 1.
struct Words<'a> {
    rest: &'a [u8],
    line: usize,
}

impl<'a> Words<'a> {
    fn skip_blanks(&mut self) {
        let blank = self.rest.iter().take_while(|b| b.is_ascii_whitespace()).count();
        self.line += self.rest[..blank].iter().filter(|b| **b == b'\n').count();
        self.rest = &self.rest[blank..];
    }

    /// Returns the next word; `None` at the end.
    fn next(&mut self) -> Option<&'a [u8]> {
        self.skip_blanks();
        let length = self.rest.iter().take_while(|b| !b.is_ascii_whitespace()).count();
        let (word, rest) = self.rest.split_at(length);
        self.rest = rest;
        (0 < length).then_some(word)
    }

    /// Returns the rest of the line.
    fn rest_of_line(&mut self) -> String {
        let length = self.rest.iter().take_while(|b| !matches!(**b, b'\n' | b'\r')).count();
        let (line, rest) = self.rest.split_at(length);
        self.rest = rest;
        String::from_utf8_lossy(line.trim_ascii()).into_owned()
    }

    /// Skips the next word. An error if it is not `wanted`.
    fn skip_word(&mut self, wanted: &str) -> Result<(), String> {
        match self.next() {
            Some(word) if is(word, wanted) => Ok(()),
            found => Err(format!("{} instead of \"{wanted}\"", said(found))),
        }
    }

    fn number(&mut self) -> Result<f64, String> {
        let word = self.next();
        let text = word.and_then(|word| core::str::from_utf8(word).ok());
        let number: Option<f64> = text.and_then(|text| text.parse().ok());
        let number = number.ok_or_else(|| format!("{} instead of a number", said(word)))?;
        if !number.is_finite() {
            return Err(format!("coordinate {number} is not finite"));
        }
        Ok(number)
    }
}

fn is(word: &[u8], wanted: &str) -> bool {
    word.eq_ignore_ascii_case(wanted.as_bytes())
}

/// Returns a word in quotes, for messages.
fn said(word: Option<&[u8]>) -> String {
    word.map_or("the end of the file".to_owned(), |word| format!("{:?}", String::from_utf8_lossy(word)))
}

fn solids(words: &mut Words<'_>) -> Result<Vec<Solid>, String> {
    let mut solids = Vec::new();
    while let Some(word) = words.next() {
        if !is(word, "solid") {
            return Err(format!("{} instead of \"solid\"", said(Some(word))));
        }
        let line = words.line;
        let name = words.rest_of_line();
        let mut welder = Welder::default();
        loop {
            match words.next() {
                Some(word) if is(word, "facet") => welder.push(facet(words)?),
                Some(word) if is(word, "endsolid") => break,
                found => return Err(format!("{} instead of \"facet\" or \"endsolid\"", said(found))),
            }
        }
        // A further solid that ends on a later line is found as such: its next word is not "solid".
        let tail = words.rest_of_line();
        let ends_more =
            |word: &str| ["endfacet", "endsolid"].iter().any(|end| word.eq_ignore_ascii_case(end));
        if behind_name(&tail, &name).any(ends_more) {
            return Err("more than a name behind \"endsolid\"".to_owned());
        }
        solids.push(Solid { name, mesh: welder.mesh, line });
    }
    Ok(solids)
}

/// Returns the words of a line behind those with which the name of a solid begins too. The name may
/// have words of the format, and some exporters repeat only its beginning.
fn behind_name<'a>(line: &'a str, name: &str) -> impl Iterator<Item = &'a str> {
    let (words, of_name) = (line.split_whitespace(), name.split_whitespace());
    let n_same = words.clone().zip(of_name).take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count();
    words.skip(n_same)
}

/// Returns the corners of a facet whose first word was read.
fn facet(words: &mut Words<'_>) -> Result<[DVec3; 3], String> {
    // The normal has three numbers, or none, or the words that a division by zero prints.
    const MAX_NORMAL_WORDS: usize = 8;
    let mut n_words = 0;
    while !words.next().is_some_and(|word| is(word, "outer")) {
        n_words += 1;
        if MAX_NORMAL_WORDS < n_words || words.rest.is_empty() {
            return Err("a facet without \"outer loop\"".to_owned());
        }
    }
    words.skip_word("loop")?;
    let mut corners = [DVec3::ZERO; 3];
    for corner in &mut corners {
        words.skip_word("vertex")?;
        *corner = DVec3::new(words.number()?, words.number()?, words.number()?);
    }
    words.skip_word("endloop")?;
    words.skip_word("endfacet")?;
    Ok(corners)
}

/// Builds a mesh whose corners with equal coordinates are merged.
#[derive(Default)]
struct Welder {
    mesh: RawMesh,
    known: HashMap<[u64; 3], u32>,
}

impl Welder {
    fn push(&mut self, corners: [DVec3; 3]) {
        let triangle = corners.map(|corner| {
            let next = self.mesh.vertices.len() as u32;
            // Adding 0 turns -0 into 0.
            let number = *self.known.entry((corner + 0.0).to_array().map(f64::to_bits)).or_insert(next);
            if number == next {
                self.mesh.vertices.push(corner);
            }
            number
        });
        self.mesh.triangles.push(triangle);
    }
}
