//! Real files for carom: OBJ, STL, PLY, glTF, URDF and scene files become named parts with meshes in `f64`;
//! levels of brushes ([`map`]) become entities and planes.
//!
//! Reading does not panic (tests: `random_bytes`). It does not trust the counts of a header
//! (test: `bad_files::counts_of_headers_are_not_believed`). Each refusal is one line that names the
//! file and the place in it (test: `bad_files::refusals_name_file_and_place`).
//!
//! ```
//! use carom_io::Format;
//!
//! let file = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
//! let model = carom_io::parse(file, Format::Obj, "corner.obj".as_ref())?;
//! assert_eq!(model.parts[0].name, "corner");
//! assert_eq!(model.parts[0].n_triangles(), 1);
//!
//! let bad = carom_io::parse(b"v 0 0 0\nf 1 2 3\n", Format::Obj, "bad.obj".as_ref());
//! assert_eq!(bad.unwrap_err().to_string(), "bad.obj: line 2: vertex 2 is out of range: 1 so far");
//! # Ok::<(), carom_io::ReadError>(())
//! ```
#![forbid(unsafe_code)]
#![allow(clippy::std_instead_of_alloc, clippy::std_instead_of_core)] // An application crate, never without std.

pub mod boxes_csv;
mod error;
pub mod gltf;
pub mod map;
pub mod obj;
mod part;
mod plain_xml;
pub mod ply;
pub mod scene_json;
mod shapes;
pub mod stl;
pub mod urdf;

pub use error::{Place, ReadError};
pub use part::{Model, Part, Piece, Placement, RawMesh, make_names_unique};

use std::path::Path;

/// A file format, told by the ending of the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Wavefront OBJ.
    Obj,
    /// STL, text or binary.
    Stl,
    /// PLY, text or binary.
    Ply,
    /// glTF, `.gltf` or `.glb`.
    Gltf,
    /// A URDF robot.
    Urdf,
    /// A list of parts in JSON.
    Scene,
}

impl Format {
    /// By the name's ending, capital or not; `None` for others.
    pub fn of(path: &Path) -> Option<Format> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        Some(match ending.as_str() {
            "obj" => Format::Obj,
            "stl" => Format::Stl,
            "ply" => Format::Ply,
            "gltf" | "glb" => Format::Gltf,
            "urdf" => Format::Urdf,
            "json" => Format::Scene,
            _ => return None,
        })
    }
}

/// Reads a file and everything that it refers to; names of parts are unique.
pub fn read(path: &Path) -> Result<Model, ReadError> {
    let format = Format::of(path);
    let bytes = std::fs::read(path).map_err(|error| ReadError::Open { path: path.to_path_buf(), error })?;
    let format = format.ok_or_else(|| ReadError::UnknownFormat { path: path.to_path_buf() })?;
    parse(&bytes, format, path)
}

/// Reads the bytes of a file; `path` is for messages, the part's name, and where other files are looked for.
pub fn parse(bytes: &[u8], format: Format, path: &Path) -> Result<Model, ReadError> {
    if bytes.is_empty() {
        return Err(ReadError::at(path, Place::File, "the file is empty"));
    }
    let mesh = match format {
        Format::Obj => obj::parse(bytes, path)?,
        Format::Stl => stl::parse(bytes, path)?,
        Format::Ply => ply::parse(bytes, path)?,
        Format::Gltf | Format::Urdf | Format::Scene => {
            let mut model = match format {
                Format::Gltf => gltf::parse(bytes, path)?,
                Format::Urdf => urdf::parse(bytes, path)?,
                _ => scene_json::parse(bytes, path)?,
            };
            make_names_unique(&mut model.parts);
            return Ok(model);
        }
    };
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    Ok(Model::new(vec![Part::new(name, mesh)]))
}

/// Reads a file that holds one mesh: OBJ, STL, PLY, or a glTF scene as one mesh.
pub fn read_mesh(path: &Path) -> Result<RawMesh, ReadError> {
    if matches!(Format::of(path), Some(Format::Urdf | Format::Scene)) {
        return Err(ReadError::at(path, Place::File, "a scene, where one mesh is needed"));
    }
    let model = read(path)?;
    let mut all = RawMesh::default();
    for part in &model.parts {
        let mesh = part.world_mesh().map_err(|e| ReadError::at(path, Place::File, e))?;
        let first = all.vertices.len() as u32;
        all.vertices.extend(mesh.vertices);
        all.triangles.extend(mesh.triangles.iter().map(|t| t.map(|v| v + first)));
    }
    Ok(all)
}
