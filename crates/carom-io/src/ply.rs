//! PLY, text and binary of either byte order: elements `vertex` (x, y, z), `face` (a list of vertex
//! numbers) and `tristrips` (the same; -1 starts a new strip).
//!
//! Other elements are ignored with a note, or listed as unread if they have lists of vertices.
//! Left-over words or bytes are an error.
//!
//! Reference: G. Turk, The PLY Polygon File Format, 1994. Parsing by the crate `ply-rs-bw`.
//! Differs: the counts of the header are compared with the size of the file before anything is
//! read. Elements are read one by one.

use crate::error::{Location, ReadError};
use crate::files::Files;
use crate::model::Model;
use crate::part::{Part, RawMesh, push_note};
use crate::polygon::{Quirks, triangulate};
use glam::DVec3;
use ply_rs_bw::parser::{Parser, Reader};
use ply_rs_bw::ply::{ElementDef, Encoding, Header, Property, PropertyAccess, PropertyAccessResult};
use std::io::Cursor;
use std::path::Path;

/// Names of the list of vertex indices.
const LISTS: [&str; 2] = ["vertex_indices", "vertex_index"];

/// An element of any kind; other properties are dropped.
#[derive(Default)]
struct Element {
    position: [f64; 3],
    corners: Vec<i64>,
    /// The number of words that it takes in a text file.
    n_words: usize,
}

impl PropertyAccess for Element {
    fn new() -> Element {
        Element::default()
    }

    fn set_property(&mut self, name: &str, property: Property) -> PropertyAccessResult {
        fn list<T: Into<i64> + Copy>(values: &[T]) -> Vec<i64> {
            values.iter().map(|v| (*v).into()).collect()
        }
        let corners = match &property {
            Property::ListChar(v) => Some(list(v)),
            Property::ListUChar(v) => Some(list(v)),
            Property::ListShort(v) => Some(list(v)),
            Property::ListUShort(v) => Some(list(v)),
            Property::ListInt(v) => Some(list(v)),
            Property::ListUInt(v) => Some(list(v)),
            Property::ListFloat(v) => {
                self.n_words += v.len();
                None
            }
            Property::ListDouble(v) => {
                self.n_words += v.len();
                None
            }
            _ => None,
        };
        self.n_words += 1 + corners.as_ref().map_or(0, Vec::len);
        if let Some(corners) = corners {
            if LISTS.contains(&name) {
                self.corners = corners;
            }
            return PropertyAccessResult::Set;
        }
        let axis = match name {
            "x" => 0,
            "y" => 1,
            "z" => 2,
            _ => return PropertyAccessResult::Ignored,
        };
        self.position[axis] = match property {
            Property::Char(v) => f64::from(v),
            Property::UChar(v) => f64::from(v),
            Property::Short(v) => f64::from(v),
            Property::UShort(v) => f64::from(v),
            Property::Int(v) => f64::from(v),
            Property::UInt(v) => f64::from(v),
            Property::Float(v) => f64::from(v),
            Property::Double(v) => v,
            _ => return PropertyAccessResult::Ignored,
        };
        PropertyAccessResult::Set
    }
}

/// Faces and strips. They are kept until the vertices are known, which may come later in the file.
#[derive(Default)]
struct Lists {
    corners: Vec<i64>,
    /// For each list: whether it is a strip, its index in its element, and the end of its corners.
    ends: Vec<(bool, usize, usize)>,
}

/// Reads the vertices of a PLY file alone, and notes on what is not read.
pub(crate) fn parse_vertices(bytes: &[u8], path: &Path) -> Result<(Vec<DVec3>, Vec<String>), ReadError> {
    let (header, mut payload) = header(bytes, path)?;
    let (mut points, mut notes) = (Vec::new(), Vec::new());
    for element in header.elements.values() {
        check_count(element, &payload, path)?;
        if element.name != "vertex" && 0 < element.count {
            push_note(&mut notes, format!("{} of element {} are not read", element.count, element.name));
        }
        for number in 0..element.count {
            let one =
                payload.read(element, number).map_err(|(location, e)| ReadError::at(path, location, e))?;
            if element.name == "vertex" {
                points.push(DVec3::from_array(one.position));
            }
        }
    }
    payload.check_end(path)?;
    Ok((points, notes))
}

/// Reads the header, which has vertices with positions.
fn header<'a>(bytes: &'a [u8], path: &Path) -> Result<(Header, Payload<'a>), ReadError> {
    let whole = |reason: String| ReadError::at(path, Location::File, reason);
    if !bytes.starts_with(b"ply") {
        return Err(whole("not a PLY file: it does not begin with \"ply\"".to_owned()));
    }
    let mut reader = Reader::new(Cursor::new(bytes));
    let parser = Parser::<Element>::new();
    let header = parser.read_header(&mut reader).map_err(|e| whole(format!("header: {e}")))?;
    let start = (reader.get_ref().position() as usize).min(bytes.len());
    let payload = Payload {
        rest: &bytes[start..],
        line: 1 + bytes[..start].iter().filter(|b| **b == b'\n').count(),
        encoding: header.encoding,
        parser,
    };
    let vertex = header.elements.get("vertex").ok_or_else(|| whole("no element vertex".to_owned()))?;
    if !(has(vertex, &["x"]) && has(vertex, &["y"]) && has(vertex, &["z"])) {
        return Err(whole("element vertex lacks x, y or z".to_owned()));
    }
    Ok((header, payload))
}

/// Whether an element has a property of one of these names.
fn has(element: &ElementDef, names: &[&str]) -> bool {
    names.iter().any(|name| element.properties.contains_key(*name))
}

/// Checks the count of an element against the bytes that are left. Every value takes at least one
/// byte. So a header cannot announce more elements than there are bytes.
fn check_count(element: &ElementDef, payload: &Payload<'_>, path: &Path) -> Result<(), ReadError> {
    let (n, left) = (element.count, payload.rest.len());
    if (left as u64) < n as u64 || (element.properties.is_empty() && 0 < n) {
        let location = Location::Item(format!("element {}", element.name));
        return Err(ReadError::at(path, location, format!("truncated: {n} announced, {left} bytes left")));
    }
    Ok(())
}

/// Reads the bytes of a PLY file. `path` appears in messages and names the part.
pub(crate) fn parse(bytes: &[u8], path: &Path, files: &Files<'_>) -> Result<Model, ReadError> {
    let whole = |reason: String| ReadError::at(path, Location::File, reason);
    let (header, mut payload) = header(bytes, path)?;
    let surfaces = ["face", "tristrips"].map(|name| header.elements.get(name));
    if surfaces.iter().all(Option::is_none) {
        return Err(whole("no element face: a point cloud, not a mesh".to_owned()));
    }
    if let Some(element) = surfaces.iter().flatten().find(|element| !has(element, &LISTS)) {
        return Err(whole(format!("element {} lacks vertex_indices", element.name)));
    }
    let mut mesh = RawMesh::default();
    let mut lists = Lists::default();
    let (mut notes, mut unread) = (Vec::new(), Vec::new());
    for element in header.elements.values() {
        let n = element.count;
        check_count(element, &payload, path)?;
        match element.name.as_str() {
            "vertex" | "face" | "tristrips" => {}
            name if 0 < n => {
                let has_lists = has(element, &LISTS);
                let to = if has_lists { &mut unread } else { &mut notes };
                push_note(to, format!("{n} of element {name} are not read"));
            }
            _ => {}
        }
        for number in 0..n {
            let one =
                payload.read(element, number).map_err(|(location, e)| ReadError::at(path, location, e))?;
            match element.name.as_str() {
                "vertex" => mesh.vertices.push(DVec3::from_array(one.position)),
                "face" | "tristrips" => {
                    lists.corners.extend(one.corners);
                    lists.ends.push((element.name == "tristrips", number, lists.corners.len()));
                }
                _ => {}
            }
        }
    }
    payload.check_end(path)?;
    let mut quirks = Quirks::default();
    lists.triangles(&mut mesh, &mut quirks, path, files)?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let mut model = Model::new(vec![Part::new(name, mesh.checked(path)?)]);
    notes.extend(quirks.notes());
    (model.notes, model.unread) = (notes, unread);
    Ok(model)
}

/// The bytes after the header.
struct Payload<'a> {
    rest: &'a [u8],
    /// The line of the next element in a text file.
    line: usize,
    encoding: Encoding,
    parser: Parser<Element>,
}

impl Payload<'_> {
    /// An error if bytes are left.
    fn check_end(&self, path: &Path) -> Result<(), ReadError> {
        let left = match self.encoding {
            Encoding::Ascii => self.rest.trim_ascii().len(),
            _ => self.rest.len(),
        };
        if 0 < left {
            let reason = format!("{left} bytes behind the elements that are announced");
            return Err(ReadError::at(path, Location::File, reason));
        }
        Ok(())
    }

    /// Reads the next element. An error has its place.
    fn read(&mut self, element: &ElementDef, number: usize) -> Result<Element, (Location, String)> {
        let location = || Location::Item(format!("{} {number}", element.name));
        if self.encoding != Encoding::Ascii {
            let mut cursor = Cursor::new(self.rest);
            let read = match self.encoding {
                Encoding::BinaryBigEndian => self.parser.read_big_endian_element(&mut cursor, element),
                _ => self.parser.read_little_endian_element(&mut cursor, element),
            };
            let is_cut = cursor.position() as usize == self.rest.len();
            let one = read.map_err(|e| {
                (location(), if is_cut { format!("unexpected end of file: {e}") } else { e.to_string() })
            })?;
            self.rest = &self.rest[cursor.position() as usize..];
            return Ok(one);
        }
        loop {
            if self.rest.is_empty() {
                return Err((location(), "unexpected end of file".to_owned()));
            }
            let end = self.rest.iter().position(|b| matches!(*b, b'\n' | b'\r')).unwrap_or(self.rest.len());
            let (line, rest) = self.rest.split_at(end);
            self.rest = rest.strip_prefix(b"\r\n").unwrap_or_else(|| rest.get(1..).unwrap_or(&[]));
            let number = Location::Line(self.line);
            self.line += 1;
            // Blank lines are skipped.
            if line.trim_ascii().is_empty() {
                continue;
            }
            let Ok(text) = core::str::from_utf8(line) else { return Err((number, "not text".to_owned())) };
            let one = self.parser.read_ascii_element(text.trim(), element);
            let one = one.map_err(|e| (Location::Line(self.line - 1), e.to_string()))?;
            let n_words = text.split_whitespace().count();
            if one.n_words != n_words {
                return Err((number, format!("{n_words} words, but a {} has {}", element.name, one.n_words)));
            }
            return Ok(one);
        }
    }
}

impl Lists {
    fn triangles(
        &self,
        mesh: &mut RawMesh,
        quirks: &mut Quirks,
        path: &Path,
        files: &Files<'_>,
    ) -> Result<(), ReadError> {
        let n_vertices = mesh.vertices.len();
        let mut corners: Vec<u32> = Vec::new();
        let mut start = 0;
        for &(is_strip, number, end) in &self.ends {
            let name = if is_strip { "strip" } else { "face" };
            let place = || format!("{name} {number}");
            let at = |reason: String| ReadError::at(path, Location::Item(place()), reason);
            let list = &self.corners[start..end];
            start = end;
            // In a list of strips, -1 ends one and begins the next.
            for run in list.split(|v| is_strip && *v == -1) {
                corners.clear();
                for &v in run {
                    match u32::try_from(v) {
                        Ok(vertex) if (vertex as usize) < n_vertices => corners.push(vertex),
                        _ => return Err(at(format!("vertex {v} is out of range: {n_vertices}"))),
                    }
                }
                if is_strip {
                    mesh.push_strip(&corners);
                    continue;
                }
                if corners.len() < 3 {
                    return Err(at(format!("{} corners", corners.len())));
                }
                triangulate(mesh, &corners, quirks, place).map_err(at)?;
                files.check_mesh(mesh).map_err(at)?;
            }
        }
        Ok(())
    }
}
