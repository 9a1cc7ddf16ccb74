//! Meshes as solids: relation, depth, and one inside another.

use crate::array::array3;
use crate::pose;
use crate::shape::PyShape;
use carom_geom::ray_mesh::Placement;
use carom_math::f64::Pose;
use carom_query::f64::{self as query, MeshShape, Shape, ShapeKind, SolidRelation};
use glam::DVec3;
use numpy::PyArray1;
use pyo3::prelude::*;

/// Whether two shapes share a point. With `is_solid` a closed mesh is a solid. `None` if it is not
/// known: the surfaces do not meet, and a mesh around a part of the other shape has no inside.
pub(crate) fn intersects(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, is_solid: bool) -> Option<bool> {
    if query::intersects(a, pose_a, b, pose_b) {
        return Some(true);
    }
    if !is_solid {
        return Some(false);
    }
    any([holds(a, pose_a, b, pose_b), holds(b, pose_b, a, pose_a)])
}

/// Returns whether any answer is true; `None` if one is not known and no other is true.
fn any(answers: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
    let mut all = Some(false);
    for answer in answers {
        match answer {
            Some(true) => return answer,
            Some(false) => {}
            None => all = None,
        }
    }
    all
}

/// Whether a part of `inner` is inside a closed mesh of `outer`, for shapes whose surfaces do not
/// meet. `None` if it is not known.
fn holds(outer: &Shape, pose_outer: &Pose, inner: &Shape, pose_inner: &Pose) -> Option<bool> {
    let mesh = match outer.kind() {
        ShapeKind::Mesh(mesh) => mesh,
        ShapeKind::Compound(parts) => {
            let parts = parts.parts().iter();
            return any(parts.map(|part| holds(&part.shape, &(*pose_outer * part.pose), inner, pose_inner)));
        }
        ShapeKind::Convex(_) | ShapeKind::HalfSpace(_) | ShapeKind::Field(_) | ShapeKind::Cluster(_) => {
            return Some(false);
        }
    };
    match inner.kind() {
        ShapeKind::Mesh(inner) => query::holds_component(mesh, pose_outer, inner, pose_inner),
        ShapeKind::Compound(parts) => {
            let parts = parts.parts().iter();
            any(parts.map(|part| holds(outer, pose_outer, &part.shape, &(*pose_inner * part.pose))))
        }
        // Some parts may be inside, and others not.
        ShapeKind::Cluster(cluster) => {
            let middle = |number| pose_inner.wide().transform_point(cluster.part(number).1);
            any((0..cluster.n_parts()).map(|number| contains(mesh, pose_outer, middle(number))))
        }
        ShapeKind::HalfSpace(_) => Some(false),
        // One point of it will do, as its surface does not meet the mesh.
        ShapeKind::Convex(_) | ShapeKind::Field(_) => {
            let point = query::distance(outer, pose_outer, inner, pose_inner).point_b;
            let is_within = || outer.aabb(pose_outer).contains(&inner.aabb(pose_inner));
            contains(mesh, pose_outer, point).or_else(|| (!is_within()).then_some(false))
        }
    }
}

/// Whether a point is in the solid that a mesh bounds; `None` if it is not known. Beside the box of
/// the mesh it is known of any mesh.
fn contains(mesh: &MeshShape, pose: &Pose, point: DVec3) -> Option<bool> {
    let (low, high) = mesh.mesh().wide_bounds();
    let here = pose.inverse_transform_point(point);
    if here.cmplt(low).any() || high.cmplt(here).any() {
        return Some(false);
    }
    query::solid_placement(mesh, pose, point).map(|place| place != Placement::Outside)
}

/// Bounds of the depth of two closed meshes as solids, in the world frame.
#[pyclass(frozen, module = "carom")]
pub(crate) struct Overlap {
    /// Every separating translation is at least this long.
    #[pyo3(get)]
    at_least: f64,
    /// The length of `separation`, rounded up.
    #[pyo3(get)]
    at_most: f64,
    /// Whether both meshes are convex, so that both bounds are one.
    #[pyo3(get)]
    is_exact: bool,
    separation: DVec3,
    point: DVec3,
}

#[pymethods]
impl Overlap {
    /// A translation of B after which the solids do not overlap, (3,).
    #[getter]
    fn separation<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        array3(py, self.separation)
    }

    /// A point inside both, (3,); on both surfaces if the overlap is too thin.
    #[getter]
    fn point<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        array3(py, self.point)
    }

    fn __repr__(&self) -> String {
        format!("Overlap(at_least={:?}, at_most={:?})", self.at_least, self.at_most)
    }
}

type AnyOr<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

/// The relation of two meshes as solids: "clear", "touching" or "overlapping". `None` if a mesh
/// does not define an inside.
#[pyfunction]
#[pyo3(signature = (a, b, pose_a = None, pose_b = None))]
pub(crate) fn relation(
    py: Python<'_>,
    a: &Bound<'_, PyShape>,
    b: &Bound<'_, PyShape>,
    pose_a: AnyOr<'_, '_>,
    pose_b: AnyOr<'_, '_>,
) -> PyResult<Option<&'static str>> {
    let (a, b) = (a.get().mesh_or("a")?, b.get().mesh_or("b")?);
    let (pose_a, pose_b) = (pose::pose(pose_a, "pose_a")?, pose::pose(pose_b, "pose_b")?);
    let relation = py.detach(|| query::solid_relation(a, &pose_a, b, &pose_b));
    Ok(relation.map(|relation| match relation {
        SolidRelation::Clear => "clear",
        SolidRelation::Touching => "touching",
        _ => "overlapping",
    }))
}

/// Bounds of the depth of two meshes as solids. `None` if they do not overlap, or if a mesh does
/// not define an inside.
#[pyfunction]
#[pyo3(signature = (a, b, pose_a = None, pose_b = None))]
pub(crate) fn overlap(
    py: Python<'_>,
    a: &Bound<'_, PyShape>,
    b: &Bound<'_, PyShape>,
    pose_a: AnyOr<'_, '_>,
    pose_b: AnyOr<'_, '_>,
) -> PyResult<Option<Overlap>> {
    let (a, b) = (a.get().mesh_or("a")?, b.get().mesh_or("b")?);
    let (pose_a, pose_b) = (pose::pose(pose_a, "pose_a")?, pose::pose(pose_b, "pose_b")?);
    let found = py.detach(|| query::solid_overlap(a, &pose_a, b, &pose_b));
    Ok(found.map(|found| Overlap {
        at_least: found.at_least,
        at_most: found.at_most,
        is_exact: found.is_exact,
        separation: found.separation,
        point: found.point,
    }))
}

/// Every pair of triangles of two meshes that share a point, exactly: an array of the shape (k, 2),
/// sorted.
#[pyfunction]
#[pyo3(signature = (a, b, pose_a = None, pose_b = None))]
pub(crate) fn triangle_pairs<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyShape>,
    b: &Bound<'py, PyShape>,
    pose_a: AnyOr<'_, 'py>,
    pose_b: AnyOr<'_, 'py>,
) -> PyResult<Bound<'py, numpy::PyArray2<i64>>> {
    let (a, b) = (a.get().mesh_or("a")?, b.get().mesh_or("b")?);
    let (pose_a, pose_b) = (pose::pose(pose_a, "pose_a")?, pose::pose(pose_b, "pose_b")?);
    let mut pairs = Vec::new();
    py.detach(|| query::triangle_pairs(a, &pose_a, b, &pose_b, &mut pairs));
    crate::array::array_rows(py, pairs.iter().map(|(a, b)| [*a, *b].map(i64::from)).collect())
}
