//! Readers of real files. OBJ, STL, PLY, OFF, 3MF, COLLADA, glTF, URDF and scene files become named
//! parts with meshes in `f64`. Levels made of brushes ([`map`]) become entities and planes. Point
//! clouds ([`read_points`]) and OctoMap octrees ([`read_octree`]) have readers of their own.
//!
//! Reading does not panic (tests: `random_bytes`). The counts in a header are not trusted (test:
//! `bad_files::counts_of_headers_are_not_believed`). Each error is one line that names the file and
//! the place in it (test: `bad_files::refusals_name_file_and_location`).
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

mod accessor;
mod animated;
mod animation;
pub mod boxes_csv;
mod collada;
mod error;
mod files;
mod gltf;
mod limits;
pub mod map;
mod merge;
mod model;
mod obj;
mod octree;
mod off;
mod package;
mod part;
mod ply;
mod points;
mod polygon;
mod robot;
mod ros_package;
pub mod scene_json;
mod shapes;
mod srdf;
mod stl;
mod table;
mod three_mf;
mod trajectory;
mod urdf;
mod xml;
mod xml_tree;

pub use animated::{AnimatedModel, AnimatedPart, MovingMesh, SceneNode, ScenePose, Skin};
pub use animation::{Animation, Channel, Interpolation, Property};
pub use error::{Location, ReadError, without_controls};
pub use limits::Options;
pub use model::{Model, StatedFrames, scale_on_robot};
pub use octree::{Octree, OctreeLeaf, UnknownCells, parse_octree, parse_octree_data, read_octree};
pub use part::{Part, Piece, Placement, RawMesh, make_names_unique};
pub use points::{Points, parse_points, read_points};
pub use robot::{Mimic, Robot, RobotError, RobotJoint, RobotJointKind};
pub use srdf::{DisabledPair, Srdf, read_srdf, read_whole_srdf};
pub use trajectory::{Trajectory, read_trajectory};

use files::Files;
use std::path::Path;

/// A file format, recognized by the extension of the file's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Wavefront OBJ.
    Obj,
    /// STL, text or binary.
    Stl,
    /// PLY, text or binary.
    Ply,
    /// OFF, text.
    Off,
    /// 3MF, a package of a printer's models.
    ThreeMf,
    /// COLLADA, `.dae`.
    Collada,
    /// glTF, `.gltf` or `.glb`.
    Gltf,
    /// A URDF robot.
    Urdf,
    /// A list of parts in JSON.
    Scene,
}

impl Format {
    /// Returns the format for the extension of `path`, in upper or lower case. `None` for other
    /// extensions.
    pub fn of(path: &Path) -> Option<Format> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        Some(match ending.as_str() {
            "obj" => Format::Obj,
            "stl" => Format::Stl,
            "ply" => Format::Ply,
            "off" => Format::Off,
            "3mf" => Format::ThreeMf,
            "dae" => Format::Collada,
            "gltf" | "glb" => Format::Gltf,
            // Unexpanded macros are an error whose message says how to expand them.
            "urdf" | "xacro" => Format::Urdf,
            "json" => Format::Scene,
            _ => return None,
        })
    }
}

/// Reads a file and all files that it refers to. The names of the parts are unique.
pub fn read(path: &Path) -> Result<Model, ReadError> {
    read_with(path, &Options::default())
}

/// Does the same as [`read`], with options.
pub fn read_with(path: &Path, options: &Options) -> Result<Model, ReadError> {
    let mut files = Files::new(options);
    if !path.is_dir()
        && path.exists()
        && let None = Format::of(path)
    {
        return Err(ReadError::UnknownFormat { path: path.to_path_buf() });
    }
    let bytes = files.read(path)?;
    let format = Format::of(path).ok_or_else(|| ReadError::UnknownFormat { path: path.to_path_buf() })?;
    finish(parse_in(&bytes, format, path, &mut files)?, path, &files)
}

/// Reads the bytes of a file. `path` appears in messages, names the part, and locates other files
/// relative to its folder.
pub fn parse(bytes: &[u8], format: Format, path: &Path) -> Result<Model, ReadError> {
    parse_with(bytes, format, path, &Options::default())
}

/// Does the same as [`parse`], with options.
pub fn parse_with(bytes: &[u8], format: Format, path: &Path, options: &Options) -> Result<Model, ReadError> {
    let mut files = Files::new(options);
    files.count_bytes(bytes.len());
    finish(parse_in(bytes, format, path, &mut files)?, path, &files)
}

/// Reads a glTF file as a scene that can be posed. The names of the parts are unique, and
/// [`Options::time`] is ignored.
///
/// Errors: those of [`read_with`], a format other than glTF, and invalid animations.
pub fn read_animated(path: &Path, options: &Options) -> Result<AnimatedModel, ReadError> {
    let mut files = Files::new(options);
    let bytes = files.read(path)?;
    if Format::of(path) != Some(Format::Gltf) {
        return Err(ReadError::at(
            path,
            Location::File,
            "not a glTF file: .gltf and .glb files have animations",
        ));
    }
    animated(&bytes, path, &mut files)
}

/// Does the same as [`read_animated`] for the bytes of a file; `path` as for [`parse`].
pub fn parse_animated(bytes: &[u8], path: &Path, options: &Options) -> Result<AnimatedModel, ReadError> {
    let mut files = Files::new(options);
    files.count_bytes(bytes.len());
    animated(bytes, path, &mut files)
}

fn animated(bytes: &[u8], path: &Path, files: &mut Files<'_>) -> Result<AnimatedModel, ReadError> {
    let text = files::without_mark(bytes).map_err(|e| ReadError::at(path, Location::File, e))?;
    let mut model = gltf::parse_animated(text, path, files, true)?;
    part::make_unique(model.parts.iter_mut().map(|part| &mut part.name));
    shorten(model.notes.iter_mut().chain(&mut model.unread));
    Ok(model)
}

/// Parses the bytes of a file into a model. All files count against the same limits.
fn parse_in(bytes: &[u8], format: Format, path: &Path, files: &mut Files<'_>) -> Result<Model, ReadError> {
    if bytes.is_empty() {
        return Err(ReadError::at(path, Location::File, "the file is empty"));
    }
    // The header of a binary STL file is free text and may begin with a byte order mark.
    let is_text = !matches!(format, Format::Stl | Format::ThreeMf);
    let text = if !is_text { Ok(bytes) } else { files::without_mark(bytes) };
    let text = text.map_err(|e| ReadError::at(path, Location::File, e))?;
    match format {
        Format::Obj => obj::parse(text, path, files),
        Format::Stl => stl::parse(text, path),
        Format::Ply => ply::parse(text, path, files),
        Format::Off => off::parse(text, path, files),
        Format::ThreeMf => three_mf::parse(text, path, files),
        Format::Collada => collada::parse(text, path, files),
        Format::Gltf => gltf::parse(text, path, files),
        Format::Urdf => urdf::parse(text, path, files),
        Format::Scene => scene_json::parse(text, path, files),
    }
}

/// Merges vertices on demand, and makes the names unique.
///
/// Errors: too many triangles for the files, or a merge that is refused.
fn finish(mut model: Model, path: &Path, files: &Files<'_>) -> Result<Model, ReadError> {
    let placed = |part: &Part| part.n_triangles() as u64 + limits::TRIANGLES_PER_PART;
    let n = model.parts.iter().map(placed).fold(0, u64::saturating_add);
    files::check_triangles(n, files.n_bytes(), files.options)
        .map_err(|e| ReadError::at(path, Location::File, e))?;
    if let Some(tolerance) = files.options.merge {
        merge::merge_vertices(&mut model, tolerance, path)?;
    }
    make_names_unique(&mut model.parts);
    shorten(model.notes.iter_mut().chain(&mut model.unread));
    Ok(model)
}

/// Shortens each note and escapes its control characters, because names come from the file
/// unchecked.
fn shorten<'a>(notes: impl Iterator<Item = &'a mut String>) {
    for note in notes {
        *note = error::shortened(&without_controls(note), limits::MAX_NOTE_CHARS);
    }
}

/// Reads all parts of a file as one mesh. The notes are dropped.
///
/// Errors: those of [`read`], and a URDF or scene file.
pub fn read_mesh(path: &Path) -> Result<RawMesh, ReadError> {
    read_mesh_with(path, &Options::default()).map(|whole| whole.mesh)
}

/// The whole content of a file as one mesh.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct WholeMesh {
    /// The parts in the order of the file, in world coordinates.
    pub mesh: RawMesh,
    /// See [`Model::notes`].
    pub notes: Vec<String>,
    /// See [`Model::unread`].
    pub unread: Vec<String>,
    /// See [`Model::unit`].
    pub unit: Option<&'static str>,
    /// See [`Model::metres`].
    pub metres: Option<f64>,
    /// See [`Model::up`].
    pub up: Option<&'static str>,
}

/// Does the same as [`read_mesh`], with options. The result has the notes on the file too.
pub fn read_mesh_with(path: &Path, options: &Options) -> Result<WholeMesh, ReadError> {
    if matches!(Format::of(path), Some(Format::Urdf | Format::Scene)) {
        return Err(ReadError::at(path, Location::File, "a scene, where one mesh is needed"));
    }
    let model = read_with(path, options)?;
    let mesh = model.world_mesh(path)?;
    let Model { notes, unread, unit, metres, up, .. } = model;
    Ok(WholeMesh { mesh, notes, unread, unit, metres, up })
}
