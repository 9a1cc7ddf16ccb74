//! Coarser meshes, and convex hulls in place of a mesh, with proved errors.

use crate::array::array;
use crate::error;
use crate::shape::{PyShape, mesh_of};
use crate::single;
use carom_query::f64::Shape;
use carom_simplify::{DecomposeSettings, Progress, Side, SimplifySettings, Stage, Stop};
use core::ops::ControlFlow;
use glam::DVec3;
use numpy::PyArray1;
use pyo3::prelude::*;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Time between two calls of the signal handlers and of a callback.
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

/// Calls the signal handlers and a callback from time to time, and keeps what they raise.
struct Watch {
    callback: Option<Py<PyAny>>,
    last: Option<(Stage, Instant)>,
    raised: Option<PyErr>,
}

impl Watch {
    fn new(callback: Option<Py<PyAny>>) -> Watch {
        Watch { callback, last: None, raised: None }
    }

    fn check(&mut self, progress: &Progress) -> ControlFlow<()> {
        // A new stage is reported at once.
        let is_new =
            |(stage, time): &(Stage, Instant)| *stage != progress.stage || SIGNAL_INTERVAL <= time.elapsed();
        if !self.last.as_ref().is_none_or(is_new) {
            return ControlFlow::Continue(());
        }
        self.last = Some((progress.stage, Instant::now()));
        let stage = match progress.stage {
            Stage::Collapsing => "collapsing",
            Stage::Measuring => "measuring",
            Stage::Cutting => "cutting",
            _ => "merging",
        };
        let called = Python::attach(|py| {
            py.check_signals()?;
            match &self.callback {
                Some(callback) => callback.call1(py, (stage, progress.count)).map(|_| ()),
                None => Ok(()),
            }
        });
        match called {
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
/// It works in single precision, and the bounds are of the rounded mesh. `progress(stage, count)`
/// is called from time to time: "collapsing" with the number of triangles left, then "measuring".
/// An exception that it raises, or Ctrl-C, ends the work.
#[pyfunction]
#[pyo3(signature = (shape, *, max_faces = 0, max_error = f64::INFINITY, side = "either", progress = None))]
pub(crate) fn simplify(
    py: Python<'_>,
    shape: &Bound<'_, PyShape>,
    max_faces: usize,
    max_error: f64,
    side: &str,
    progress: Option<Py<PyAny>>,
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
    let mut watch = Watch::new(progress);
    let made = py.detach(|| carom_simplify::simplify_with(&mesh, &settings, &mut |p| watch.check(p)));
    if let Some(raised) = watch.raised {
        return Err(raised);
    }
    let made = made.map_err(|e| error::shape("simplify", e))?;
    let vertices: Vec<DVec3> = made.mesh.vertices().iter().map(|v| v.as_dvec3()).collect();
    let shape = mesh_of(vertices, made.mesh.indices().to_vec(), false)?;
    Ok(Simplified { shape: Py::new(py, shape)?, new_to_old: made.new_to_old, old_to_new: made.old_to_new })
}

/// Convex hulls that cover a mesh: at most `max_hulls` of at most `max_vertices` each. It stops
/// once every hull is within `concavity` of the mesh, a fraction of the diagonal of its box.
///
/// `progress(stage, count)` is called from time to time: "cutting" with the number of parts so far,
/// "merging" with the number left, then "measuring". An exception that it raises, or Ctrl-C, ends
/// the work.
#[pyfunction]
#[pyo3(signature = (shape, *, max_hulls = 32, concavity = 0.01, max_vertices = 64, progress = None))]
pub(crate) fn decompose(
    py: Python<'_>,
    shape: &Bound<'_, PyShape>,
    max_hulls: usize,
    concavity: f64,
    max_vertices: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Decomposition> {
    let mesh = single::mesh(shape.get().mesh_or("shape")?.mesh())?;
    let settings = DecomposeSettings::default()
        .with_max_hulls(max_hulls)
        .with_concavity(concavity)
        .with_max_vertices(max_vertices);
    let mut watch = Watch::new(progress);
    let made = py.detach(|| carom_simplify::decompose_with(&mesh, &settings, &mut |p| watch.check(p)));
    if let Some(raised) = watch.raised {
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
