//! Reading of files, and reports on meshes.

use crate::array::{array, array_rows, array3};
use crate::error::ReadError;
use crate::shape::{PyShape, mesh_of};
use carom_geom::f64::MeshReport as Report;
use carom_io::{Options, RawMesh};
use glam::DVec3;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use std::path::PathBuf;

/// A named object of a file, in world coordinates.
#[pyclass(frozen, module = "carom")]
pub(crate) struct Part {
    /// Unique within the file.
    #[pyo3(get)]
    name: String,
    mesh: RawMesh,
}

#[pymethods]
impl Part {
    /// The vertices, a new array of the shape (n, 3).
    #[getter]
    fn vertices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        array_rows(py, self.mesh.vertices.iter().map(|v| v.to_array()).collect())
    }

    /// The triangles, a new array of the shape (m, 3).
    #[getter]
    fn faces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i64>>> {
        array_rows(py, self.mesh.triangles.iter().map(|t| t.map(i64::from)).collect())
    }

    /// The part as a mesh, built by each call.
    #[pyo3(signature = (keep_orientation = false))]
    fn shape(&self, py: Python<'_>, keep_orientation: bool) -> PyResult<PyShape> {
        py.detach(|| mesh_of(self.mesh.vertices.clone(), self.mesh.triangles.clone(), keep_orientation))
    }

    fn __repr__(&self) -> String {
        format!("<carom.Part {:?}, {} faces>", self.name, self.mesh.triangles.len())
    }
}

/// The content of a file.
#[pyclass(frozen, get_all, module = "carom")]
pub(crate) struct Model {
    /// The parts, in the order of the file.
    parts: Vec<Py<Part>>,
    /// Notes on the reading, such as polygons that are not flat.
    notes: Vec<String>,
    /// Things that may have a surface and were not read. If there is any, a check is incomplete.
    unread: Vec<String>,
    /// The unit of length that the format defines; `None` if the author chose it.
    unit: Option<&'static str>,
    /// The axis that points up in the format; `None` if the author chose it.
    up: Option<&'static str>,
}

/// Reads OBJ, STL, PLY, glTF, URDF or a scene in JSON, and all files that it refers to.
///
/// With `keep_going` what cannot be read is listed in `unread` instead of an error. With
/// `split_objects` each object and group of an OBJ file is a part. `time` is that of animations, in
/// seconds. Files outside of the folder of the document are read only with `allow_outside`.
#[pyfunction]
#[pyo3(signature = (path, *, keep_going = false, split_objects = false, allow_outside = false, time = None, max_faces = None))]
pub(crate) fn read(
    py: Python<'_>,
    path: PathBuf,
    keep_going: bool,
    split_objects: bool,
    allow_outside: bool,
    time: Option<f64>,
    max_faces: Option<u64>,
) -> PyResult<Model> {
    let options = Options::default()
        .with_keep_going(keep_going)
        .with_split_objects(split_objects)
        .with_allow_outside(allow_outside)
        .with_time(time)
        .with_max_triangles(max_faces);
    let read = py.detach(|| {
        let model = carom_io::read_with(&path, &options).map_err(|e| e.to_string())?;
        let mesh = |part: &carom_io::Part| {
            let mesh = part.world_mesh().map_err(|e| format!("{}: {}: {e}", path.display(), part.name))?;
            Ok::<_, String>(Part { name: part.name.clone(), mesh })
        };
        let mut parts = Vec::new();
        let mut unread = Vec::new();
        for part in &model.parts {
            match mesh(part) {
                Ok(part) => parts.push(part),
                Err(why) if keep_going => unread.push(why),
                Err(why) => return Err(why),
            }
        }
        Ok::<_, String>((model, parts, unread))
    });
    let (mut model, parts, unread) = read.map_err(ReadError::new_err)?;
    model.unread.extend(unread);
    let parts: PyResult<Vec<Py<Part>>> = parts.into_iter().map(|part| Py::new(py, part)).collect();
    Ok(Model { parts: parts?, notes: model.notes, unread: model.unread, unit: model.unit, up: model.up })
}

/// The counts of a mesh. Corners with equal coordinates are one vertex.
#[pyclass(frozen, module = "carom")]
pub(crate) struct MeshReport {
    report: Report,
}

#[pymethods]
impl MeshReport {
    /// Number of triangles.
    #[getter]
    fn n_faces(&self) -> usize {
        self.report.n_triangles
    }

    /// Number of vertices that triangles use.
    #[getter]
    fn n_vertices(&self) -> usize {
        self.report.n_vertices
    }

    /// Parts that share no vertex.
    #[getter]
    fn n_components(&self) -> usize {
        self.report.n_components
    }

    /// Triangles without area, exactly.
    #[getter]
    fn n_zero_area(&self) -> usize {
        self.report.n_zero_area
    }

    /// Triangles on the vertices of an earlier one.
    #[getter]
    fn n_duplicates(&self) -> usize {
        self.report.n_duplicates
    }

    /// Edges of one triangle.
    #[getter]
    fn n_boundary_edges(&self) -> usize {
        self.report.n_boundary_edges
    }

    /// Edges of more than two triangles.
    #[getter]
    fn n_non_manifold_edges(&self) -> usize {
        self.report.n_non_manifold_edges
    }

    /// Edges whose two triangles have opposite orientations.
    #[getter]
    fn n_flipped_edges(&self) -> usize {
        self.report.n_flipped_edges
    }

    /// The first triangles without area, (k,); at most 16.
    #[getter]
    fn zero_area<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        array(py, self.report.zero_area.iter().map(|t| i64::from(*t)).collect())
    }

    /// The first triangles at open or flipped edges, (k,); at most 16.
    #[getter]
    fn open_or_flipped<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        array(py, self.report.open_or_flipped.iter().map(|t| i64::from(*t)).collect())
    }

    /// The triangles to turn over so that all face outwards, (k,); `None` if inside and outside
    /// cannot be told apart.
    #[getter]
    fn inwards<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<i64>>> {
        let turned = self.report.orientation.turned()?;
        Some(array(py, turned.iter().map(|t| i64::from(*t)).collect()))
    }

    /// Whether every edge has two triangles, and every triangle has area.
    #[getter]
    fn is_watertight(&self) -> bool {
        self.report.is_watertight()
    }

    /// Whether each edge is used equally often in both directions, so that there is an inside.
    #[getter]
    fn is_solid(&self) -> bool {
        self.report.is_solid()
    }

    /// The enclosed volume: negative if the triangles face inwards.
    #[getter]
    fn signed_volume(&self) -> f64 {
        self.report.signed_volume
    }

    /// Least and greatest coordinates, (2, 3).
    #[getter]
    fn bounds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        array_rows(py, vec![self.report.min.to_array(), self.report.max.to_array()])
    }

    /// The middle of the bounds, (3,).
    #[getter]
    fn center<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let middle: DVec3 = 0.5 * (self.report.min + self.report.max);
        array3(py, middle)
    }

    fn __repr__(&self) -> String {
        let (n, open) = (self.report.n_triangles, self.report.n_boundary_edges);
        format!("<carom.MeshReport, {n} faces, {open} open edges, solid: {}>", self.report.is_solid())
    }
}

/// Counts what is wrong with a mesh: holes, flipped and degenerate triangles, and more.
#[pyfunction]
pub(crate) fn mesh_report(py: Python<'_>, shape: &Bound<'_, PyShape>) -> PyResult<MeshReport> {
    let mesh = shape.get().mesh_or("shape")?;
    Ok(MeshReport { report: py.detach(|| Report::new(mesh.mesh())) })
}
