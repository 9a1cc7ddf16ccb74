//! Coarser meshes, and convex hulls in place of a mesh, with proved errors.

use crate::array::array;
use crate::error;
use crate::shape::{PyShape, mesh_of};
use crate::single;
use carom_query::f64::Shape;
use carom_simplify::{DecomposeSettings, Progress, Side, SimplifySettings, Stop};
use core::ops::ControlFlow;
use glam::DVec3;
use numpy::PyArray1;
use pyo3::prelude::*;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Time between two calls of the signal handlers.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(50);

/// A coarser mesh, with bounds of its error.
#[pyclass(frozen, get_all, module = "carom")]
pub(crate) struct Simplified {
    /// The coarser mesh.
    shape: Py<PyShape>,
    /// No point of the new surface is farther than this from the old one, a length.
    new_to_old: f64,
    /// No point of the old surface is farther than this from the new one, a length.
    old_to_new: f64,
}

#[pymethods]
impl Simplified {
    /// The larger of both bounds: the Hausdorff distance is at most this.
    #[getter]
    fn error(&self) -> f64 {
        self.new_to_old.max(self.old_to_new)
    }
}

/// Convex hulls that cover a mesh.
#[pyclass(frozen, get_all, module = "carom")]
pub(crate) struct Decomposition {
    /// The hulls, at least one.
    hulls: Vec<Py<PyShape>>,
    /// (n,) for each hull: no point of its surface is farther than this from the mesh, or from its
    /// inside.
    concavities: Py<PyArray1<f64>>,
    /// Why there are no more hulls: "concavity", "max_hulls" or "resolution".
    stop: &'static str,
    /// Whether the mesh is closed, so that its inside is covered too.
    is_solid: bool,
}

/// Calls the signal handlers from time to time, and keeps what they raise.
struct Signals {
    last: Instant,
    raised: Option<PyErr>,
}

impl Signals {
    fn new() -> Signals {
        Signals { last: Instant::now(), raised: None }
    }

    fn check(&mut self, _: &Progress) -> ControlFlow<()> {
        if self.last.elapsed() < SIGNAL_INTERVAL {
            return ControlFlow::Continue(());
        }
        self.last = Instant::now();
        match Python::attach(|py| py.check_signals()) {
            Ok(()) => ControlFlow::Continue(()),
            Err(raised) => {
                self.raised = Some(raised);
                ControlFlow::Break(())
            }
        }
    }
}

/// A coarser mesh: at most `max_faces` triangles, or within `max_error` of the old surface, a
/// length. With the side "outside" the new solid contains the old one, with "inside" the reverse.
///
/// It works in single precision, and the bounds are of the rounded mesh.
#[pyfunction]
#[pyo3(signature = (shape, *, max_faces = 0, max_error = f64::INFINITY, side = "either"))]
pub(crate) fn simplify(
    py: Python<'_>,
    shape: &Bound<'_, PyShape>,
    max_faces: usize,
    max_error: f64,
    side: &str,
) -> PyResult<Simplified> {
    let mesh = single::mesh(shape.get().mesh_or("shape")?.mesh())?;
    let side = match side {
        "either" => Side::Either,
        "outside" => Side::Outside,
        "inside" => Side::Inside,
        other => {
            let wanted = format!("must be \"either\", \"outside\" or \"inside\", not {other:?}");
            return Err(error::value("side", wanted));
        }
    };
    let settings =
        SimplifySettings::default().with_max_triangles(max_faces).with_max_error(max_error).with_side(side);
    let mut signals = Signals::new();
    let made = py.detach(|| carom_simplify::simplify_with(&mesh, &settings, &mut |p| signals.check(p)));
    if let Some(raised) = signals.raised {
        return Err(raised);
    }
    let made = made.map_err(|e| error::shape("simplify", e))?;
    let vertices: Vec<DVec3> = made.mesh.vertices().iter().map(|v| v.as_dvec3()).collect();
    let shape = mesh_of(vertices, made.mesh.indices().to_vec(), false)?;
    Ok(Simplified { shape: Py::new(py, shape)?, new_to_old: made.new_to_old, old_to_new: made.old_to_new })
}

/// Convex hulls that cover a mesh: at most `max_hulls` of at most `max_vertices` each. It stops
/// once every hull is within `concavity` of the mesh, a fraction of the diagonal of its box.
#[pyfunction]
#[pyo3(signature = (shape, *, max_hulls = 32, concavity = 0.01, max_vertices = 64))]
pub(crate) fn decompose(
    py: Python<'_>,
    shape: &Bound<'_, PyShape>,
    max_hulls: usize,
    concavity: f64,
    max_vertices: usize,
) -> PyResult<Decomposition> {
    let mesh = single::mesh(shape.get().mesh_or("shape")?.mesh())?;
    let settings = DecomposeSettings::default()
        .with_max_hulls(max_hulls)
        .with_concavity(concavity)
        .with_max_vertices(max_vertices);
    let mut signals = Signals::new();
    let made = py.detach(|| carom_simplify::decompose_with(&mesh, &settings, &mut |p| signals.check(p)));
    if let Some(raised) = signals.raised {
        return Err(raised);
    }
    let made = made.map_err(|e| error::shape("decompose", e))?;
    let hull = |hull: &carom_geom::ConvexHull| {
        let points: Vec<DVec3> = hull.vertices().iter().map(|v| v.as_dvec3()).collect();
        let hull =
            carom_geom::f64::ConvexHull::from_points(&points).map_err(|e| error::shape("decompose", e))?;
        Py::new(py, PyShape::plain(Shape::Hull(Arc::new(hull))))
    };
    let hulls: PyResult<Vec<Py<PyShape>>> = made.hulls.iter().map(hull).collect();
    Ok(Decomposition {
        hulls: hulls?,
        concavities: array(py, made.concavities.clone()).unbind(),
        stop: match made.stop {
            Stop::Concavity => "concavity",
            Stop::MaxHulls => "max_hulls",
            _ => "resolution",
        },
        is_solid: made.is_solid,
    })
}
