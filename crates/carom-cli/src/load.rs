//! Reads files into parts, for the commands that take meshes.

use crate::remarks::Remarks;
use crate::report::number;
use carom_geom::TriMesh;
use carom_io::{Model, Options, Part, RawMesh, ReadError};
use glam::DVec3;
use std::path::{Path, PathBuf};

/// A file that was read.
pub(crate) struct Loaded {
    /// The file.
    pub(crate) path: PathBuf,
    /// The model in the file.
    pub(crate) model: Model,
}

/// Reads all files. A bad file is an error, or with `keep_going` is listed as unread. If no file
/// can be read, that is an error too.
pub(crate) fn load_all(
    files: &[PathBuf],
    options: &Options,
    remarks: &mut Remarks,
) -> Result<Vec<Loaded>, String> {
    let mut loaded = Vec::new();
    for path in files {
        match load(path, options, remarks) {
            Ok(model) => loaded.push(Loaded { path: path.clone(), model }),
            Err(e) if options.keep_going => remarks.unread.push(e.to_string()),
            Err(e) => return Err(e.to_string()),
        }
    }
    if loaded.is_empty() {
        remarks.print();
        return Err("no file could be read".to_owned());
    }
    Ok(loaded)
}

/// Reads a file, and moves the remarks on it out of the model.
pub(crate) fn load(path: &Path, options: &Options, remarks: &mut Remarks) -> Result<Model, ReadError> {
    let mut model = carom_io::read_with(path, options)?;
    remarks.add(&Remarks::of_model(path, &mut model));
    Ok(model)
}

/// All parts of a file as one mesh in single precision.
pub(crate) struct OneMesh {
    /// The mesh, in a frame whose axes are those of the file.
    pub(crate) mesh: TriMesh,
    /// The origin of that frame in the file: zero, or a point in a mesh that is small against its
    /// distance from zero. Coordinates of surveys have more digits than `f32` holds.
    pub(crate) origin: DVec3,
    /// No vertex was moved farther than this when it was rounded, a length.
    pub(crate) rounding: f64,
}

/// A mesh of less than this share of its largest coordinate gets an origin of its own: with 24 bits
/// for the coordinate, fewer than 14 would be left for the size.
const SMALLEST_SIZE: f64 = 1.0 / 1024.0;

/// Returns the origin for vertices between these corners.
///
/// Its coordinates are multiples of a power of two, which is at most the size. So short numbers
/// stay short, and the rounding is that of the size.
fn origin_of(min: DVec3, max: DVec3) -> DVec3 {
    let size = (max - min).max_element();
    let largest = min.abs().max(max.abs()).max_element();
    // The largest power of two up to the size; zero for a point, and for no vertex.
    let step = f64::from_bits(size.max(0.0).to_bits() & f64::INFINITY.to_bits());
    if 0.0 < step && size < largest * SMALLEST_SIZE {
        ((min + max) * (0.5 / step)).round() * step
    } else {
        DVec3::ZERO
    }
}

/// Reads a file as one mesh of all its parts.
pub(crate) fn one_mesh(path: &Path, options: &Options, remarks: &mut Remarks) -> Result<OneMesh, String> {
    let model = load(path, options, remarks).map_err(|e| e.to_string())?;
    let RawMesh { vertices, triangles } = model.world_mesh(path).map_err(|e| e.to_string())?;
    let (mut min, mut max) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for v in &vertices {
        (min, max) = (min.min(*v), max.max(*v));
    }
    let origin = origin_of(min, max);
    let mut rounding: f64 = 0.0;
    let round = |v: DVec3| {
        let rounded = (v - origin).as_vec3();
        rounding = rounding.max((rounded.as_dvec3() + origin - v).length());
        rounded
    };
    let mesh = TriMesh::new(vertices.into_iter().map(round).collect(), triangles)
        .map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(OneMesh { mesh, origin, rounding })
}

/// Returns the end of a sentence on a mesh that was rounded by at most a length.
pub(crate) fn within_rounding(rounding: f64) -> String {
    if rounding == 0.0 { String::new() } else { format!(", to within the rounding of {}", number(rounding)) }
}

/// Returns the name of a part in notes and errors: its file, and its own name if the file has
/// several parts.
pub(crate) fn full_name(path: &Path, part: &Part, has_parts: bool) -> String {
    let file = path.display();
    if has_parts { format!("{file}: {}", part.name) } else { file.to_string() }
}

/// Returns the unit and the up axis of some files, such as `"m"` and `"z"`; `None` for each of the
/// two on which they do not agree.
pub(crate) fn frame_of<'a>(
    models: impl IntoIterator<Item = &'a Model>,
) -> (Option<&'static str>, Option<&'static str>) {
    let mut frames = models.into_iter().map(|m| (m.unit, m.up));
    let Some(first) = frames.next() else { return (None, None) };
    frames.fold(first, |all, one| (all.0.filter(|u| one.0 == Some(*u)), all.1.filter(|u| one.1 == Some(*u))))
}

/// Returns the unit and the up axis as text for people.
pub(crate) fn frame_text(frame: (Option<&str>, Option<&str>)) -> String {
    let unit = frame.0.map_or("lengths in the unit of the files".to_owned(), |u| format!("lengths in {u}"));
    match frame.1 {
        Some(up) => format!("{unit}, {up} up"),
        None => unit,
    }
}
