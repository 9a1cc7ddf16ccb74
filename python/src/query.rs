//! Touch, distance and contacts of two shapes, one pair or many poses.

use crate::array::{array, array_rows, array3};
use crate::pose::{self, Poses};
use crate::shape::PyShape;
use crate::{error, solid, work};
use carom_math::f64::Pose;
use carom_query::f64::{self as query, ManifoldCache};
use carom_query::{Outcome, Workspace};
use glam::DVec3;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;

/// The distance of two shapes and their nearest points, in the world frame.
#[pyclass(frozen, module = "carom")]
pub(crate) struct Distance {
    /// A length; 0 if the shapes touch or overlap.
    #[pyo3(get)]
    distance: f64,
    point_a: DVec3,
    point_b: DVec3,
    normal: DVec3,
    /// The triangle of a mesh or the part of a compound; 0 for a single convex shape.
    #[pyo3(get)]
    part_a: u32,
    /// Likewise for B.
    #[pyo3(get)]
    part_b: u32,
    /// The distance differs from the true one by at most this; infinite if that is not known.
    #[pyo3(get)]
    error: f64,
}

#[pymethods]
impl Distance {
    /// The point of A nearest to B, (3,); a common point if they overlap.
    #[getter]
    fn point_a<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        array3(py, self.point_a)
    }

    /// The point of B nearest to A, (3,); a common point if they overlap.
    #[getter]
    fn point_b<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        array3(py, self.point_b)
    }

    /// Unit vector from A to B, (3,); zero if they overlap.
    #[getter]
    fn normal<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        array3(py, self.normal)
    }

    fn __float__(&self) -> f64 {
        self.distance
    }

    fn __repr__(&self) -> String {
        format!(
            "Distance({:?}, point_a={:?}, point_b={:?})",
            self.distance,
            self.point_a.to_array(),
            self.point_b.to_array()
        )
    }
}

impl Distance {
    /// Returns the distance alone.
    pub(crate) fn distance(&self) -> f64 {
        self.distance
    }

    pub(crate) fn new(d: &query::Distance) -> Distance {
        Distance {
            distance: d.distance,
            point_a: d.point_a,
            point_b: d.point_b,
            normal: d.normal,
            part_a: d.part_a,
            part_b: d.part_b,
            error: error_of(d.outcome),
        }
    }
}

/// A point where two shapes touch, overlap, or are near each other. World frame.
#[pyclass(frozen, module = "carom")]
pub(crate) struct Contact {
    /// A length: negative for penetration, positive for a gap.
    #[pyo3(get)]
    distance: f64,
    point_a: DVec3,
    point_b: DVec3,
    normal: DVec3,
    /// The triangle of a mesh or the part of a compound; 0 for a single convex shape.
    #[pyo3(get)]
    part_a: u32,
    /// Likewise for B.
    #[pyo3(get)]
    part_b: u32,
    /// Whether the depth is that of one pair of parts, so that moving by it may not separate the
    /// shapes.
    #[pyo3(get)]
    is_local: bool,
}

#[pymethods]
impl Contact {
    /// The depth, a length; negative if the shapes are apart.
    #[getter]
    fn depth(&self) -> f64 {
        -self.distance
    }

    /// The point on the surface of A, (3,).
    #[getter]
    fn point_a<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        array3(py, self.point_a)
    }

    /// The point on the surface of B, (3,).
    #[getter]
    fn point_b<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        array3(py, self.point_b)
    }

    /// Unit vector from A to B, (3,): B moved along it by the depth is free.
    #[getter]
    fn normal<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        array3(py, self.normal)
    }

    fn __repr__(&self) -> String {
        format!("Contact(distance={:?}, normal={:?})", self.distance, self.normal.to_array())
    }
}

impl Contact {
    pub(crate) fn new(c: &carom_geom::f64::Contact, is_local: bool) -> Contact {
        Contact {
            distance: c.distance,
            point_a: c.point_a,
            point_b: c.point_b,
            normal: c.normal,
            part_a: c.part_a,
            part_b: c.part_b,
            is_local,
        }
    }
}

/// Distances or contacts of many pairs of poses. Every array has one row for each.
#[pyclass(frozen, get_all, module = "carom")]
pub(crate) struct PairBatch {
    /// (n,) lengths. A distance is 0 for an overlap. The length of a contact is negative for an
    /// overlap, and NaN if there is no contact.
    distance: Py<PyArray1<f64>>,
    /// (n, 3) points on A.
    point_a: Py<PyArray2<f64>>,
    /// (n, 3) points on B.
    point_b: Py<PyArray2<f64>>,
    /// (n, 3) unit vectors from A to B; zero where there is none.
    normal: Py<PyArray2<f64>>,
    /// (n, 2) triangles of meshes or parts of compounds; -1 if there is no contact.
    parts: Py<PyArray2<i64>>,
}

/// One row of a batch.
#[derive(Clone, Copy)]
struct Row {
    distance: f64,
    points: [DVec3; 2],
    normal: DVec3,
    parts: [i64; 2],
}

impl Row {
    const NONE: Row =
        Row { distance: f64::NAN, points: [DVec3::NAN; 2], normal: DVec3::ZERO, parts: [-1, -1] };
}

impl PairBatch {
    fn new(py: Python<'_>, rows: &[Row]) -> PyResult<PairBatch> {
        let points = |i: usize| array_rows(py, rows.iter().map(|r| r.points[i].to_array()).collect());
        Ok(PairBatch {
            distance: array(py, rows.iter().map(|r| r.distance).collect()).unbind(),
            point_a: points(0)?.unbind(),
            point_b: points(1)?.unbind(),
            normal: array_rows(py, rows.iter().map(|r| r.normal.to_array()).collect())?.unbind(),
            parts: array_rows(py, rows.iter().map(|r| r.parts).collect())?.unbind(),
        })
    }
}

/// Returns the largest error of an answer.
pub(crate) fn error_of(outcome: Outcome) -> f64 {
    match outcome {
        Outcome::Exact => 0.0,
        Outcome::Within(error) => error,
        _ => f64::INFINITY,
    }
}

/// Two shapes at poses of the crates.
struct Pair<'a> {
    a: &'a PyShape,
    b: &'a PyShape,
}

impl Pair<'_> {
    /// Calls a query, without the interpreter's lock if it may take long.
    fn run<T: Send>(&self, py: Python<'_>, query: impl FnOnce() -> T + Send) -> T {
        if self.a.is_large() || self.b.is_large() { py.detach(query) } else { query() }
    }
}

type AnyOr<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

/// Reads the two poses of a pair, in the frames of the crates.
fn placed(a: &PyShape, b: &PyShape, pose_a: AnyOr<'_, '_>, pose_b: AnyOr<'_, '_>) -> PyResult<[Pose; 2]> {
    Ok([a.placed(&pose::pose(pose_a, "pose_a")?), b.placed(&pose::pose(pose_b, "pose_b")?)])
}

/// Whether two shapes share a point; touching counts.
///
/// A mesh is a surface: what is wholly inside a closed one does not touch it. With `solid` a closed
/// mesh is a solid. A mesh without an inside stays a surface.
#[pyfunction]
#[pyo3(signature = (a, b, pose_a = None, pose_b = None, *, solid = false))]
pub(crate) fn intersects(
    py: Python<'_>,
    a: &Bound<'_, PyShape>,
    b: &Bound<'_, PyShape>,
    pose_a: AnyOr<'_, '_>,
    pose_b: AnyOr<'_, '_>,
    solid: bool,
) -> PyResult<bool> {
    let (a, b) = (a.get(), b.get());
    let [pose_a, pose_b] = placed(a, b, pose_a, pose_b)?;
    Ok(Pair { a, b }.run(py, || solid::intersects(&a.shape, &pose_a, &b.shape, &pose_b, solid) == Some(true)))
}

/// The distance of two shapes, 0 if they share a point, and their nearest points.
#[pyfunction]
#[pyo3(signature = (a, b, pose_a = None, pose_b = None))]
pub(crate) fn distance(
    py: Python<'_>,
    a: &Bound<'_, PyShape>,
    b: &Bound<'_, PyShape>,
    pose_a: AnyOr<'_, '_>,
    pose_b: AnyOr<'_, '_>,
) -> PyResult<Distance> {
    let (a, b) = (a.get(), b.get());
    let [pose_a, pose_b] = placed(a, b, pose_a, pose_b)?;
    let found = Pair { a, b }.run(py, || query::distance(&a.shape, &pose_a, &b.shape, &pose_b));
    Ok(Distance::new(&found))
}

/// Checks a prediction distance.
fn checked_prediction(prediction: f64) -> PyResult<f64> {
    if 0.0 <= prediction { Ok(prediction) } else { Err(error::value("prediction", "must not be negative")) }
}

/// The deepest contact, or the nearest points of shapes that are at most `prediction` apart; `None`
/// if they are farther apart.
///
/// The depth of convex shapes is the length of the shortest translation that separates them. That
/// of a mesh or a compound is local; `overlap` has bounds for closed meshes.
#[pyfunction]
#[pyo3(signature = (a, b, pose_a = None, pose_b = None, *, prediction = 0.0))]
pub(crate) fn contact(
    py: Python<'_>,
    a: &Bound<'_, PyShape>,
    b: &Bound<'_, PyShape>,
    pose_a: AnyOr<'_, '_>,
    pose_b: AnyOr<'_, '_>,
    prediction: f64,
) -> PyResult<Option<Contact>> {
    let prediction = checked_prediction(prediction)?;
    let (a, b) = (a.get(), b.get());
    let [pose_a, pose_b] = placed(a, b, pose_a, pose_b)?;
    let found = Pair { a, b }.run(py, || query::contact(&a.shape, &pose_a, &b.shape, &pose_b, prediction));
    Ok(found.map(|found| Contact::new(&found.contact, found.is_local)))
}

/// The contacts of two shapes that are at most `prediction` apart: up to four for each pair of
/// convex parts.
#[pyfunction]
#[pyo3(signature = (a, b, pose_a = None, pose_b = None, *, prediction = 0.0))]
pub(crate) fn contacts(
    py: Python<'_>,
    a: &Bound<'_, PyShape>,
    b: &Bound<'_, PyShape>,
    pose_a: AnyOr<'_, '_>,
    pose_b: AnyOr<'_, '_>,
    prediction: f64,
) -> PyResult<Vec<Contact>> {
    let prediction = checked_prediction(prediction)?;
    let (a, b) = (a.get(), b.get());
    let [pose_a, pose_b] = placed(a, b, pose_a, pose_b)?;
    let found = Pair { a, b }.run(py, || {
        let (mut cache, mut found) = (ManifoldCache::new(), Vec::new());
        query::manifolds(&a.shape, &pose_a, &b.shape, &pose_b, prediction, &mut cache, &mut found);
        found
    });
    let is_local = !(a.shape.is_convex() && b.shape.is_convex());
    Ok(found.iter().flat_map(|m| m.contacts()).map(|c| Contact::new(c, is_local)).collect())
}

/// Fills one entry for each pair of poses, on threads.
fn each_pose<T: Clone + Send>(
    py: Python<'_>,
    (a, b): (&PyShape, &PyShape),
    (poses_a, poses_b): (AnyOr<'_, '_>, AnyOr<'_, '_>),
    threads: Option<usize>,
    empty: T,
    query_fn: impl Fn(&Pose, &Pose, &mut Workspace) -> T + Sync,
) -> PyResult<Vec<T>> {
    let poses = [Poses::read(poses_a, "poses_a")?, Poses::read(poses_b, "poses_b")?];
    let n = pose::common_len(&poses[0], &poses[1])?;
    let mut out = vec![empty; n];
    let len = work::job_len(n, 256);
    let jobs = out.chunks_mut(len).enumerate().map(|(i, part)| (i * len, part)).collect();
    work::run(py, threads, jobs, |(first, part): (usize, &mut [T])| {
        let mut memory = Workspace::default();
        for (i, slot) in part.iter_mut().enumerate() {
            let (pose_a, pose_b) = (a.placed(poses[0].at(first + i)), b.placed(poses[1].at(first + i)));
            *slot = query_fn(&pose_a, &pose_b, &mut memory);
        }
    })?;
    Ok(out)
}

/// `intersects` for many poses: one pose for all, or arrays of n. Returns (n,) bool.
#[pyfunction]
#[pyo3(signature = (a, b, poses_a = None, poses_b = None, *, solid = false, threads = None))]
pub(crate) fn intersects_batch<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyShape>,
    b: &Bound<'py, PyShape>,
    poses_a: AnyOr<'_, 'py>,
    poses_b: AnyOr<'_, 'py>,
    solid: bool,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyArray1<bool>>> {
    let (a, b) = (a.get(), b.get());
    let found = each_pose(py, (a, b), (poses_a, poses_b), threads, false, |pose_a, pose_b, _| {
        solid::intersects(&a.shape, pose_a, &b.shape, pose_b, solid) == Some(true)
    })?;
    Ok(array(py, found))
}

/// `distance` for many poses: one pose for all, or arrays of n.
#[pyfunction]
#[pyo3(signature = (a, b, poses_a = None, poses_b = None, *, threads = None))]
pub(crate) fn distance_batch(
    py: Python<'_>,
    a: &Bound<'_, PyShape>,
    b: &Bound<'_, PyShape>,
    poses_a: AnyOr<'_, '_>,
    poses_b: AnyOr<'_, '_>,
    threads: Option<usize>,
) -> PyResult<PairBatch> {
    let (a, b) = (a.get(), b.get());
    let rows = each_pose(py, (a, b), (poses_a, poses_b), threads, Row::NONE, |pose_a, pose_b, memory| {
        let d = query::distance_with(&a.shape, pose_a, &b.shape, pose_b, memory);
        let parts = [i64::from(d.part_a), i64::from(d.part_b)];
        Row { distance: d.distance, points: [d.point_a, d.point_b], normal: d.normal, parts }
    })?;
    PairBatch::new(py, &rows)
}

/// `contact` for many poses: one pose for all, or arrays of n.
#[pyfunction]
#[pyo3(signature = (a, b, poses_a = None, poses_b = None, *, prediction = 0.0, threads = None))]
pub(crate) fn contact_batch(
    py: Python<'_>,
    a: &Bound<'_, PyShape>,
    b: &Bound<'_, PyShape>,
    poses_a: AnyOr<'_, '_>,
    poses_b: AnyOr<'_, '_>,
    prediction: f64,
    threads: Option<usize>,
) -> PyResult<PairBatch> {
    let prediction = checked_prediction(prediction)?;
    let (a, b) = (a.get(), b.get());
    let rows = each_pose(py, (a, b), (poses_a, poses_b), threads, Row::NONE, |pose_a, pose_b, memory| {
        let found = query::contact_with(&a.shape, pose_a, &b.shape, pose_b, prediction, memory);
        found.map_or(Row::NONE, |found| {
            let c = found.contact;
            let parts = [i64::from(c.part_a), i64::from(c.part_b)];
            Row { distance: c.distance, points: [c.point_a, c.point_b], normal: c.normal, parts }
        })
    })?;
    PairBatch::new(py, &rows)
}
