//! STL, text and binary: triangles in single precision, corners with equal bits merged.
//!
//! Reference: 3D Systems, Stereolithography Interface Specification, 1989. Parsing by the crate `stl_io`.
//! Differs: a binary file whose free header begins with "solid" is known by its zero bytes, and not taken for text.

use crate::error::{Place, ReadError};
use crate::part::RawMesh;
use glam::DVec3;
use std::io::Cursor;
use std::path::Path;

/// Bytes before the triangles of a binary file: a free header and the count.
const HEADER: usize = 84;

/// Bytes of a triangle of a binary file.
const RECORD: usize = 50;

/// Reads the bytes of an STL file; `path` is for messages.
pub fn parse(bytes: &[u8], path: &Path) -> Result<RawMesh, ReadError> {
    let count = bytes.get(80..HEADER).map_or(0, |c| u32::from_le_bytes([c[0], c[1], c[2], c[3]]) as usize);
    let is_binary_size = HEADER <= bytes.len()
        && count.checked_mul(RECORD).and_then(|n| n.checked_add(HEADER)).is_some_and(|n| n <= bytes.len());
    // A count below 2^24 has a zero byte, and text has none.
    let is_text = bytes.starts_with(b"solid") && !bytes[..HEADER.min(bytes.len())].contains(&0);
    let mesh = if is_text {
        // The name may be missing, which the library does not expect.
        let rest = bytes.iter().position(|b| *b == b'\n').map_or(&[][..], |end| &bytes[end..]);
        let text = [b"solid x", rest].concat();
        stl_io::read_stl(&mut Cursor::new(text))
            .map_err(|e| ReadError::at(path, Place::File, format!("text STL: {e}")))?
    } else {
        if !is_binary_size {
            let reason = if bytes.len() < HEADER {
                format!("{} bytes: too short for an STL file", bytes.len())
            } else {
                let n = (bytes.len() - HEADER) / RECORD;
                format!("truncated, or not an STL file: {count} triangles announced, {n} there")
            };
            return Err(ReadError::at(path, Place::File, reason));
        }
        // The header means nothing; without "solid" in it the library cannot take it for text.
        let binary = [&[0; 80][..], &bytes[80..]].concat();
        stl_io::read_stl(&mut Cursor::new(binary))
            .map_err(|e| ReadError::at(path, Place::File, format!("binary STL: {e}")))?
    };
    let vertices = mesh.vertices.iter().map(|v| DVec3::from_array(v.0.map(f64::from))).collect();
    let triangles = mesh.faces.iter().map(|f| f.vertices.map(|v| v as u32)).collect();
    RawMesh { vertices, triangles }.checked(path)
}
