//! Points against one shape, in batches: nearest points, signed distances, inside or outside.

use crate::array::{Numbers, Rows, array, array_rows};
use crate::shape::PyShape;
use crate::{error, pose, work};
use carom_geom::ray_mesh::Placement;
use carom_query::f64::{self as query, MeshShape, Shape};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;

/// The nearest points of a surface to n points, one row for each. World frame.
#[pyclass(frozen, get_all, module = "carom")]
pub(crate) struct NearestPoints {
    /// (n,) lengths: negative inside, positive outside and where no inside is known.
    signed_distance: Py<PyArray1<f64>>,
    /// (n, 3) points of the surface.
    point: Py<PyArray2<f64>>,
    /// (n,) triangles of a mesh or parts of a compound; 0 for a single convex shape.
    part: Py<PyArray1<i64>>,
    /// (n,) whether the point is known to lie inside, surface included.
    is_inside: Py<PyArray1<bool>>,
}

/// A range of points, and its part of the columns.
struct Job<'a> {
    first: usize,
    distance: &'a mut [f64],
    point: &'a mut [[f64; 3]],
    part: &'a mut [i64],
    inside: &'a mut [bool],
}

/// The nearest point of the surface to each of n points, (n, 3).
#[pyfunction]
#[pyo3(signature = (shape, points, pose = None, *, threads = None))]
pub(crate) fn nearest_points(
    py: Python<'_>,
    shape: &Bound<'_, PyShape>,
    points: &Bound<'_, PyAny>,
    pose: Option<&Bound<'_, PyAny>>,
    threads: Option<usize>,
) -> PyResult<NearestPoints> {
    let shape = shape.get();
    let pose = shape.placed(&pose::pose(pose, "pose")?);
    let rows = Rows::points(points, "points")?;
    let points = rows.numbers()?;
    let n = points.n_rows(3);
    let (mut distance, mut point) = (vec![f64::INFINITY; n], vec![[f64::NAN; 3]; n]);
    let (mut part, mut inside) = (vec![-1; n], vec![false; n]);
    let len = work::job_len(n, 1024);
    let columns = distance.chunks_mut(len).zip(point.chunks_mut(len));
    let columns = columns.zip(part.chunks_mut(len)).zip(inside.chunks_mut(len));
    let job =
        |(i, (((distance, point), part), inside))| Job { first: i * len, distance, point, part, inside };
    let jobs = columns.enumerate().map(job).collect();
    work::run(py, threads, jobs, |job: Job<'_>| {
        for i in 0..job.distance.len() {
            if let Some(near) = query::project_point(&shape.shape, &pose, points.vector(job.first + i)) {
                job.distance[i] = near.distance;
                job.point[i] = near.point.to_array();
                job.part[i] = i64::from(near.part);
                job.inside[i] = near.is_inside;
            }
        }
    })?;
    Ok(NearestPoints {
        signed_distance: array(py, distance).unbind(),
        point: array_rows(py, point)?.unbind(),
        part: array(py, part).unbind(),
        is_inside: array(py, inside).unbind(),
    })
}

/// Fills one entry for each point, on threads.
fn each_point<T: Clone + Send>(
    py: Python<'_>,
    points: Numbers<'_>,
    threads: Option<usize>,
    empty: T,
    query: impl Fn(glam::DVec3) -> T + Sync,
) -> PyResult<Vec<T>> {
    let n = points.n_rows(3);
    let mut out = vec![empty; n];
    let len = work::job_len(n, 1024);
    let jobs = out.chunks_mut(len).enumerate().map(|(i, part)| (i * len, part)).collect();
    work::run(py, threads, jobs, |(first, part): (usize, &mut [T])| {
        for (i, slot) in part.iter_mut().enumerate() {
            *slot = query(points.vector(first + i));
        }
    })?;
    Ok(out)
}

/// Returns why a shape has no inside.
fn check_inside(shape: &Shape) -> PyResult<()> {
    let why = match shape {
        Shape::Mesh(mesh) => mesh.ambiguity().map(|why| why.to_string()),
        Shape::HeightField(_) => Some("a height field is a surface".to_owned()),
        _ => None,
    };
    why.map_or(Ok(()), |why| {
        Err(error::shape("shape", format!("inside and outside cannot be told apart: {why}")))
    })
}

/// Whether each of n points, (n, 3), lies in the shape, surface included. Exact for meshes.
///
/// Raises ShapeError for a mesh without an inside; `winding_number` takes any mesh.
#[pyfunction]
#[pyo3(signature = (shape, points, pose = None, *, threads = None))]
pub(crate) fn contains<'py>(
    py: Python<'py>,
    shape: &Bound<'py, PyShape>,
    points: &Bound<'py, PyAny>,
    pose: Option<&Bound<'py, PyAny>>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyArray1<bool>>> {
    let shape = shape.get();
    let pose = shape.placed(&pose::pose(pose, "pose")?);
    check_inside(&shape.shape)?;
    let rows = Rows::points(points, "points")?;
    let found = each_point(py, rows.numbers()?, threads, false, |point| match &shape.shape {
        Shape::Mesh(mesh) => {
            let placement = query::solid_placement(mesh, &pose, point);
            placement.unwrap_or_else(|| query::placement(mesh, &pose, point)) != Placement::Outside
        }
        shape => query::project_point(shape, &pose, point).is_some_and(|near| near.is_inside),
    })?;
    Ok(array(py, found))
}

/// The winding number of a mesh around each of n points, (n, 3): an integer for a closed mesh. The
/// error is at most `tolerance`.
#[pyfunction]
#[pyo3(signature = (shape, points, pose = None, *, tolerance = 1e-3, threads = None))]
pub(crate) fn winding_number<'py>(
    py: Python<'py>,
    shape: &Bound<'py, PyShape>,
    points: &Bound<'py, PyAny>,
    pose: Option<&Bound<'py, PyAny>>,
    tolerance: f64,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let mesh: &MeshShape = shape.get().mesh_or("shape")?;
    let pose = pose::pose(pose, "pose")?;
    if !(0.0 <= tolerance) {
        return Err(error::value("tolerance", "must not be negative"));
    }
    let rows = Rows::points(points, "points")?;
    let found = each_point(py, rows.numbers()?, threads, 0.0, |point| {
        query::winding_number(mesh, &pose, point, tolerance).value
    })?;
    Ok(array(py, found))
}
