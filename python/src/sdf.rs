//! `carom.Sdf`: a signed distance field of a mesh, sampled on a grid.

use crate::array::{Rows, array, array_rows, array3};
use crate::error;
use crate::shape::PyShape;
use crate::{single, work};
use carom_query::f64::Shape;
use carom_sdf::{BakeSettings, Field, FieldShape, SdfGrid};
use glam::{DVec3, Vec3};
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::prelude::*;
use std::sync::Arc;

/// A signed distance field on a grid of cubic cells: negative inside. Distances between the nodes
/// are interpolated. It is in single precision.
#[pyclass(frozen, module = "carom")]
pub(crate) struct Sdf {
    field: SdfGrid,
}

type Samples<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray2<f64>>);

#[pymethods]
impl Sdf {
    /// The field of a mesh: `resolution` cells along its longest side, or cells of the size `cell`.
    /// `padding` is the number of cells around it. With a `band`, values farther from the surface
    /// than this many cells are the band.
    #[staticmethod]
    #[pyo3(signature = (shape, *, resolution = 64, cell = None, padding = 2, band = f32::INFINITY, threads = None))]
    fn from_mesh(
        py: Python<'_>,
        shape: &Bound<'_, PyShape>,
        resolution: u32,
        cell: Option<f32>,
        padding: u32,
        band: f32,
        threads: Option<usize>,
    ) -> PyResult<Sdf> {
        let mesh = single::mesh(shape.get().mesh_or("shape")?.mesh())?;
        let settings = BakeSettings::default().with_padding(padding).with_band(band);
        let settings = match cell {
            Some(cell) => settings.with_cell(cell),
            None => settings.with_resolution(resolution),
        };
        let field = work::on_pool(py, threads, || SdfGrid::from_mesh(&mesh, &settings))?;
        Ok(Sdf { field: field.map_err(|e| error::value("sdf", e))? })
    }

    /// The size of a cell, a length.
    #[getter]
    fn cell(&self) -> f64 {
        f64::from(self.field.grid().cell())
    }

    /// The position of the first node, (3,).
    #[getter]
    fn origin<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        array3(py, self.field.grid().wide_bounds().0)
    }

    /// The values of all nodes, a new array of the shape (n_x, n_y, n_z).
    #[getter]
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f32>>> {
        // The field has x first; numpy's last axis is the fastest.
        let nodes = self.field.grid().nodes().to_array().map(|n| n as usize);
        let (values, [n_x, n_y, n_z]) = (self.field.values(), nodes);
        let node = |i: usize| values[i / (n_y * n_z) + n_x * (i / n_z % n_y + n_y * (i % n_z))];
        let turned: Vec<f32> = (0..values.len()).map(node).collect();
        PyArray1::from_vec(py, turned).reshape(nodes)
    }

    /// The largest error of a sample in the grid, a length: half the diagonal of a cell.
    #[getter]
    fn error_bound(&self) -> f64 {
        self.field.error_bound()
    }

    /// Whether the sign is certain at each node off the surface: the mesh is closed.
    #[getter]
    fn is_certain(&self) -> bool {
        self.field.sign_method().is_certain()
    }

    /// The distance and its gradient at each of n points, (n, 3): arrays of the shapes (n,) and
    /// (n, 3).
    #[pyo3(signature = (points, *, threads = None))]
    fn sample<'py>(
        &self,
        py: Python<'py>,
        points: &Bound<'py, PyAny>,
        threads: Option<usize>,
    ) -> PyResult<Samples<'py>> {
        let rows = Rows::points(points, "points")?;
        let points = rows.numbers()?;
        let n = points.n_rows(3);
        let (mut distance, mut gradient) = (vec![0.0; n], vec![[0.0; 3]; n]);
        let len = work::job_len(n, 4096);
        let jobs = distance.chunks_mut(len).zip(gradient.chunks_mut(len)).enumerate().collect();
        work::run(
            py,
            threads,
            jobs,
            |(job, (distance, gradient)): (usize, (&mut [f64], &mut [[f64; 3]]))| {
                let mine: Vec<Vec3> =
                    (0..distance.len()).map(|i| points.vector(job * len + i).as_vec3()).collect();
                let mut found = Vec::new();
                self.field.sample_batch(&mine, &mut found);
                for (i, sample) in found.iter().enumerate() {
                    distance[i] = f64::from(sample.distance);
                    gradient[i] = sample.gradient.as_dvec3().to_array();
                }
            },
        )?;
        Ok((array(py, distance), array_rows(py, gradient)?))
    }

    /// Certain bounds of the distance at each of n points, (n, 3): an array of the shape (n, 2).
    fn bounds<'py>(
        &self,
        py: Python<'py>,
        points: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let rows = Rows::points(points, "points")?;
        let points: Vec<DVec3> = rows.numbers()?.vectors();
        let bound = |point: &DVec3| {
            let bounds = self.field.bounds(*point);
            [bounds.least, bounds.greatest]
        };
        array_rows(py, py.detach(|| points.iter().map(bound).collect()))
    }

    /// The field as a shape for queries. The field is copied.
    fn shape(&self, py: Python<'_>) -> PyShape {
        let shape = py.detach(|| FieldShape::new(self.field.clone()));
        PyShape::plain(Shape::Field(Arc::new(shape)))
    }

    fn __repr__(&self) -> String {
        let n = self.field.grid().nodes();
        format!("<carom.Sdf, {} x {} x {} nodes>", n.x, n.y, n.z)
    }
}
