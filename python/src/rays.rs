//! Rays against one shape, in batches.

use crate::array::{Numbers, Rows, array, array_rows};
use crate::shape::PyShape;
use crate::{error, pose, work};
use carom_geom::f64::RayHit;
use carom_math::f64::{Interval, Ray};
use carom_query::f64 as query;
use glam::DVec3;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;

/// The first hits of n rays, one row for each. World frame.
#[pyclass(frozen, get_all, module = "carom")]
pub(crate) struct RayHits {
    /// (n,) whether the ray hits.
    hit: Py<PyArray1<bool>>,
    /// (n,) parameters in lengths of the direction; infinite if there is no hit.
    t: Py<PyArray1<f64>>,
    /// (n, 3) points; NaN if there is no hit.
    point: Py<PyArray2<f64>>,
    /// (n, 3) outward unit normals; zero if there is no hit.
    normal: Py<PyArray2<f64>>,
    /// (n,) triangles of a mesh or parts of a compound, 0 for a single convex shape; -1 if there is
    /// no hit.
    part: Py<PyArray1<i64>>,
    /// (n,) whether the surface is met from its back.
    is_back_face: Py<PyArray1<bool>>,
}

/// All hits of n rays, k in all, sorted by ray, then by t. World frame.
#[pyclass(frozen, get_all, module = "carom")]
pub(crate) struct AllRayHits {
    /// (k,) the number of the ray.
    ray: Py<PyArray1<i64>>,
    /// (k,) parameters in lengths of the direction.
    t: Py<PyArray1<f64>>,
    /// (k, 3) points.
    point: Py<PyArray2<f64>>,
    /// (k, 3) outward unit normals.
    normal: Py<PyArray2<f64>>,
    /// (k,) triangles of a mesh or parts of a compound; 0 for a single convex shape.
    part: Py<PyArray1<i64>>,
    /// (k,) whether the surface is met from its back.
    is_back_face: Py<PyArray1<bool>>,
}

/// Rays in memory of Python.
#[derive(Clone, Copy)]
struct Rays<'a> {
    origins: Numbers<'a>,
    directions: Numbers<'a>,
}

impl Rays<'_> {
    fn new<'a>(origins: &'a Rows<'_>, directions: &'a Rows<'_>) -> PyResult<Rays<'a>> {
        let rays = Rays { origins: origins.numbers()?, directions: directions.numbers()? };
        let (n, n_directions) = (rays.origins.n_rows(3), rays.directions.n_rows(3));
        if n != n_directions {
            return Err(error::value("directions", format!("{n_directions} rows, but origins has {n}")));
        }
        if let Some(zero) = (0..n).find(|i| rays.directions.vector(*i) == DVec3::ZERO) {
            return Err(error::value(&format!("directions[{zero}]"), "zero"));
        }
        Ok(rays)
    }

    fn len(&self) -> usize {
        self.origins.n_rows(3)
    }

    fn at(&self, index: usize) -> Ray {
        Ray::new(self.origins.vector(index), self.directions.vector(index))
    }
}

/// Checks the ends of the rays.
fn interval(min_t: f64, max_t: f64) -> PyResult<Interval> {
    if min_t.is_nan() || max_t.is_nan() {
        return Err(error::value("max_t", "min_t and max_t must be numbers"));
    }
    Ok(Interval::new(min_t, max_t))
}

/// The first hit of each ray: origins and directions of the shape (n, 3), any length but 0.
///
/// Hits have `min_t <= t <= max_t`, in lengths of the direction.
#[pyfunction]
#[pyo3(signature = (shape, origins, directions, pose = None, *, min_t = 0.0, max_t = f64::INFINITY, threads = None))]
pub(crate) fn cast_ray(
    py: Python<'_>,
    shape: &Bound<'_, PyShape>,
    origins: &Bound<'_, PyAny>,
    directions: &Bound<'_, PyAny>,
    pose: Option<&Bound<'_, PyAny>>,
    min_t: f64,
    max_t: f64,
    threads: Option<usize>,
) -> PyResult<RayHits> {
    let shape = shape.get();
    let pose = shape.placed(&pose::pose(pose, "pose")?);
    let interval = interval(min_t, max_t)?;
    let (origins, directions) = (Rows::points(origins, "origins")?, Rows::points(directions, "directions")?);
    let rays = Rays::new(&origins, &directions)?;

    let n = rays.len();
    let mut first = FirstHits::new(n);
    let jobs = first.jobs(work::job_len(n, 2048));
    work::run(py, threads, jobs, |mut job: HitsJob<'_>| {
        let mine: Vec<Ray> = (0..job.t.len()).map(|i| rays.at(job.first + i)).collect();
        let mut found = Vec::with_capacity(mine.len());
        query::cast_ray_batch(&shape.shape, &pose, &mine, interval, &mut found);
        for (i, (ray, hit)) in mine.iter().zip(&found).enumerate() {
            if let Some(hit) = hit {
                job.put(i, ray, hit);
            }
        }
    })?;
    first.finish(py)
}

/// The columns of [`RayHits`].
struct FirstHits {
    hit: Vec<bool>,
    t: Vec<f64>,
    point: Vec<[f64; 3]>,
    normal: Vec<[f64; 3]>,
    part: Vec<i64>,
    is_back_face: Vec<bool>,
}

/// A range of rays, and its part of the columns.
struct HitsJob<'a> {
    first: usize,
    hit: &'a mut [bool],
    t: &'a mut [f64],
    point: &'a mut [[f64; 3]],
    normal: &'a mut [[f64; 3]],
    part: &'a mut [i64],
    is_back_face: &'a mut [bool],
}

impl FirstHits {
    fn new(n: usize) -> FirstHits {
        FirstHits {
            hit: vec![false; n],
            t: vec![f64::INFINITY; n],
            point: vec![[f64::NAN; 3]; n],
            normal: vec![[0.0; 3]; n],
            part: vec![-1; n],
            is_back_face: vec![false; n],
        }
    }

    fn jobs(&mut self, len: usize) -> Vec<HitsJob<'_>> {
        let columns = self.hit.chunks_mut(len).zip(self.t.chunks_mut(len));
        let columns = columns.zip(self.point.chunks_mut(len)).zip(self.normal.chunks_mut(len));
        let columns = columns.zip(self.part.chunks_mut(len)).zip(self.is_back_face.chunks_mut(len));
        let job = |(i, (((((hit, t), point), normal), part), is_back_face))| HitsJob {
            first: i * len,
            hit,
            t,
            point,
            normal,
            part,
            is_back_face,
        };
        columns.enumerate().map(job).collect()
    }

    fn finish(self, py: Python<'_>) -> PyResult<RayHits> {
        Ok(RayHits {
            hit: array(py, self.hit).unbind(),
            t: array(py, self.t).unbind(),
            point: array_rows(py, self.point)?.unbind(),
            normal: array_rows(py, self.normal)?.unbind(),
            part: array(py, self.part).unbind(),
            is_back_face: array(py, self.is_back_face).unbind(),
        })
    }
}

impl HitsJob<'_> {
    fn put(&mut self, i: usize, ray: &Ray, hit: &RayHit) {
        self.hit[i] = true;
        self.t[i] = hit.t;
        self.point[i] = ray.at(hit.t).to_array();
        self.normal[i] = hit.normal.to_array();
        self.part[i] = i64::from(hit.part);
        self.is_back_face[i] = hit.is_back_face;
    }
}

/// All hits of each ray. A ray through an edge of a mesh hits all triangles of the edge.
///
/// With `crossings`, for meshes alone: each crossing of the surface once. A line through a closed
/// mesh goes in as often as out, and rays that only graze an edge may have no crossing.
#[pyfunction]
#[pyo3(signature = (shape, origins, directions, pose = None, *, min_t = 0.0, max_t = f64::INFINITY, crossings = false, threads = None))]
pub(crate) fn cast_ray_all(
    py: Python<'_>,
    shape: &Bound<'_, PyShape>,
    origins: &Bound<'_, PyAny>,
    directions: &Bound<'_, PyAny>,
    pose: Option<&Bound<'_, PyAny>>,
    min_t: f64,
    max_t: f64,
    crossings: bool,
    threads: Option<usize>,
) -> PyResult<AllRayHits> {
    let shape = shape.get();
    let mesh = if crossings { Some(shape.mesh_or("shape")?) } else { None };
    let pose = shape.placed(&pose::pose(pose, "pose")?);
    let interval = interval(min_t, max_t)?;
    let (origins, directions) = (Rows::points(origins, "origins")?, Rows::points(directions, "directions")?);
    let rays = Rays::new(&origins, &directions)?;

    let n = rays.len();
    let len = work::job_len(n, 1024);
    let mut found: Vec<Vec<(usize, RayHit)>> = vec![Vec::new(); n.div_ceil(len)];
    let jobs = found.iter_mut().enumerate().collect();
    work::run(py, threads, jobs, |(job, out): (usize, &mut Vec<(usize, RayHit)>)| {
        let mut hits = Vec::new();
        for i in job * len..n.min((job + 1) * len) {
            hits.clear();
            match mesh {
                Some(mesh) => query::ray_crossings(mesh, &pose, &rays.at(i), interval, &mut hits),
                None => query::cast_ray_all(&shape.shape, &pose, &rays.at(i), interval, &mut hits),
            }
            out.extend(hits.iter().map(|hit| (i, *hit)));
        }
    })?;
    let found: Vec<(usize, RayHit)> = found.concat();
    Ok(AllRayHits {
        ray: array(py, found.iter().map(|(ray, _)| *ray as i64).collect()).unbind(),
        t: array(py, found.iter().map(|(_, hit)| hit.t).collect()).unbind(),
        point: array_rows(py, found.iter().map(|(ray, hit)| rays.at(*ray).at(hit.t).to_array()).collect())?
            .unbind(),
        normal: array_rows(py, found.iter().map(|(_, hit)| hit.normal.to_array()).collect())?.unbind(),
        part: array(py, found.iter().map(|(_, hit)| i64::from(hit.part)).collect()).unbind(),
        is_back_face: array(py, found.iter().map(|(_, hit)| hit.is_back_face).collect()).unbind(),
    })
}
