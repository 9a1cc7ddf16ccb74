//! How a shape is made again: the constructor of `carom.Shape` and its arguments, for pickles.

use crate::array::{array_rows, array3};
use crate::pose::to_seven;
use crate::shape::PyShape;
use carom_math::f64::Pose;
use carom_query::f64::{Shape, VoxelBox};
use glam::DVec3;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

/// The name of a constructor, and its arguments.
pub(crate) type Recipe<'py> = (&'static str, Bound<'py, PyTuple>);

/// Returns how a shape is made again. An error for a field, which has no constructor.
pub(crate) fn recipe<'py>(py: Python<'py>, shape: &PyShape) -> PyResult<Recipe<'py>> {
    let axis = axis_of(shape.frame.as_ref());
    let of = |name: &'static str, arguments: PyResult<Bound<'py, PyTuple>>| Ok((name, arguments?));
    match &shape.shape {
        Shape::Sphere(s) => of("sphere", (s.radius(),).into_pyobject(py)),
        Shape::Cuboid(s) => of("box", (array3(py, 2.0 * s.half_extents()),).into_pyobject(py)),
        Shape::Capsule(s) => of("capsule", (s.radius(), 2.0 * s.half_height(), axis).into_pyobject(py)),
        Shape::TaperedCapsule(s) => {
            let sizes = (s.lower_radius(), s.upper_radius(), 2.0 * s.half_height(), axis);
            of("tapered_capsule", sizes.into_pyobject(py))
        }
        Shape::Cylinder(s) => of("cylinder", (s.radius(), 2.0 * s.half_height(), axis).into_pyobject(py)),
        Shape::Cone(s) => of("cone", (s.radius(), 2.0 * s.half_height(), axis).into_pyobject(py)),
        Shape::Ellipsoid(s) => of("ellipsoid", (array3(py, s.radii()),).into_pyobject(py)),
        Shape::Torus(s) => of("torus", (s.major_radius(), s.minor_radius(), axis).into_pyobject(py)),
        Shape::HalfSpace(s) => {
            let offset = shape.frame.map_or(0.0, |frame| frame.translation.dot(s.normal()));
            of("half_space", (array3(py, s.normal()), offset).into_pyobject(py))
        }
        Shape::Hull(s) => {
            let corners = s.vertices().iter().map(|v| v.to_array()).collect();
            of("hull", (array_rows(py, corners)?,).into_pyobject(py))
        }
        Shape::Mesh(s) => {
            let corners = s.mesh().vertices().iter().map(|v| v.to_array()).collect();
            let faces: Vec<[i64; 3]> = s.mesh().indices().iter().map(|t| t.map(i64::from)).collect();
            let keeps_orientation = s.keeps_orientation();
            let arguments = (array_rows(py, corners)?, array_rows(py, faces)?, keeps_orientation);
            of("mesh", arguments.into_pyobject(py))
        }
        Shape::HeightField(s) => {
            let [n_x, n_y] = s.field().n_samples().map(|n| n as usize);
            let heights = s.field().heights();
            // The order of `height_field`, backwards.
            let column = |i: usize| (0..n_y).map(|j| heights[(n_y - 1 - j) * n_x + i]).collect::<Vec<f64>>();
            let columns: Vec<Vec<f64>> = (0..n_x).map(column).collect();
            let [x, y] = s.field().spacing();
            of("height_field", (columns, (x, y)).into_pyobject(py))
        }
        Shape::PointCloud(s) => {
            let points = s.points().iter().map(|v| v.to_array()).collect();
            of("point_cloud", (array_rows(py, points)?, s.radius()).into_pyobject(py))
        }
        Shape::Voxels(s) => {
            let row = |part: &VoxelBox| {
                let ([a, b, c], [d, e, f]) = (part.first, part.last);
                [a, b, c, d, e, f].map(f64::from)
            };
            let boxes = array_rows(py, s.boxes().iter().map(row).collect())?;
            of("voxel_boxes", (boxes, array3(py, s.cell()), array3(py, s.origin())).into_pyobject(py))
        }
        Shape::Rounded(s) => {
            let core = PyShape { shape: s.core().shape().clone(), ..shape.clone() };
            of("rounded", (core.into_bound_py_any(py)?, s.radius()).into_pyobject(py))
        }
        Shape::Compound(s) => {
            let parts = PyList::empty(py);
            for part in s.parts() {
                // Parts have the frames of the crates, in which axes are along y.
                let one = PyShape::plain(part.shape.clone()).into_bound_py_any(py)?;
                parts.append((one, to_seven(&part.pose).to_vec()))?;
            }
            of("compound", (parts,).into_pyobject(py))
        }
        Shape::User(_) | Shape::Field(_) => {
            Err(PyTypeError::new_err(format!("a {} cannot be pickled", shape.shape.name())))
        }
    }
}

/// Returns the axis of a shape with this frame.
fn axis_of(frame: Option<&Pose>) -> &'static str {
    let y = frame.map_or(DVec3::Y, |frame| frame.transform_vector(DVec3::Y));
    if 0.5 < y.x.abs() {
        "x"
    } else if 0.5 < y.z.abs() {
        "z"
    } else {
        "y"
    }
}
