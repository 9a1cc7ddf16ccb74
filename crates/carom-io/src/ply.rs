//! PLY, text and binary of either byte order: elements `vertex` (x, y, z) and `face` (a list of vertex numbers).
//!
//! Reference: G. Turk, The PLY Polygon File Format, 1994. Parsing by the crate `ply-rs-bw`.
//! Differs: the counts of the header are held against the size of the file before anything is read.

use crate::error::{Place, ReadError};
use crate::part::RawMesh;
use glam::DVec3;
use ply_rs_bw::parser::{Parser, Reader};
use ply_rs_bw::ply::{ElementDef, Property, PropertyAccess, PropertyAccessResult};
use std::io::Cursor;
use std::path::Path;

/// An element of either kind: what is not asked for is not kept.
#[derive(Default)]
struct Element {
    position: [f64; 3],
    /// -1 where a vertex number was negative.
    corners: Vec<i64>,
}

impl PropertyAccess for Element {
    fn new() -> Element {
        Element::default()
    }

    fn set_property(&mut self, name: &str, property: Property) -> PropertyAccessResult {
        let axis = match name {
            "x" => 0,
            "y" => 1,
            "z" => 2,
            "vertex_indices" | "vertex_index" => {
                self.corners = match property {
                    Property::ListChar(v) => v.into_iter().map(i64::from).collect(),
                    Property::ListUChar(v) => v.into_iter().map(i64::from).collect(),
                    Property::ListShort(v) => v.into_iter().map(i64::from).collect(),
                    Property::ListUShort(v) => v.into_iter().map(i64::from).collect(),
                    Property::ListInt(v) => v.into_iter().map(i64::from).collect(),
                    Property::ListUInt(v) => v.into_iter().map(i64::from).collect(),
                    _ => return PropertyAccessResult::Ignored,
                };
                return PropertyAccessResult::Set;
            }
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

/// Reads the bytes of a PLY file; `path` is for messages.
pub fn parse(bytes: &[u8], path: &Path) -> Result<RawMesh, ReadError> {
    let whole = |reason: String| ReadError::at(path, Place::File, reason);
    if !bytes.starts_with(b"ply") {
        return Err(whole("not a PLY file: it does not begin with \"ply\"".to_owned()));
    }
    let mut reader = Reader::new(Cursor::new(bytes));
    let parser = Parser::<Element>::new();
    let header = parser.read_header(&mut reader).map_err(|e| whole(format!("header: {e}")))?;
    let left = bytes.len() as u64 - reader.get_ref().position().min(bytes.len() as u64);
    for element in header.elements.values() {
        // Every value takes a byte or more, so a header cannot ask for more elements than there are bytes.
        let least = element.count as u64 * u64::from(!element.properties.is_empty());
        if left < least || (element.properties.is_empty() && 0 < element.count) {
            let reason = format!("truncated: {} announced, {left} bytes left", element.count);
            return Err(ReadError::at(path, Place::Item(format!("element {}", element.name)), reason));
        }
    }
    let has =
        |element: &ElementDef, names: &[&str]| names.iter().any(|n| element.properties.contains_key(*n));
    let vertex = header.elements.get("vertex").ok_or_else(|| whole("no element vertex".to_owned()))?;
    let face = header
        .elements
        .get("face")
        .ok_or_else(|| whole("no element face: a point cloud, not a mesh".to_owned()))?;
    if !(has(vertex, &["x"]) && has(vertex, &["y"]) && has(vertex, &["z"])) {
        return Err(whole("element vertex lacks x, y or z".to_owned()));
    }
    if !has(face, &["vertex_indices", "vertex_index"]) {
        return Err(whole("element face lacks vertex_indices".to_owned()));
    }
    let mut payload = parser.read_payload(&mut reader, &header).map_err(|e| whole(e.to_string()))?;
    let mut mesh = RawMesh::default();
    let vertices = payload.shift_remove("vertex").unwrap_or_default();
    mesh.vertices = vertices.iter().map(|v| DVec3::from_array(v.position)).collect();
    let mut corners: Vec<u32> = Vec::new();
    for (number, face) in payload.shift_remove("face").unwrap_or_default().iter().enumerate() {
        let at = |reason: String| ReadError::at(path, Place::Item(format!("face {number}")), reason);
        corners.clear();
        for &v in &face.corners {
            match u32::try_from(v) {
                Ok(vertex) if (vertex as usize) < mesh.vertices.len() => corners.push(vertex),
                _ => return Err(at(format!("vertex {v} is out of range: {}", mesh.vertices.len()))),
            }
        }
        if corners.len() < 3 {
            return Err(at(format!("{} corners", corners.len())));
        }
        mesh.push_polygon(&corners);
    }
    mesh.checked(path)
}
