//! Poses from Python, and back.
//!
//! One pose is `None` (the identity), three numbers (a translation), seven numbers
//! (x, y, z, qx, qy, qz, qw, as in ROS and scipy), or a 4x4 matrix without scale. Many poses are an
//! array of the shape (n, 3), (n, 7) or (n, 4, 4).

use crate::array::{as_floats, shape_text};
use crate::error::{self, PoseError};
use carom_math::f64::Pose;
use glam::{DMat3, DQuat, DVec3};
use numpy::{PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;

/// How far the columns of a matrix may be from orthogonal unit vectors, as the largest entry of
/// R^T R - 1. Matrices in `float32` are well within it; a scale of a part in a thousand is not.
const MAX_RIGIDITY_ERROR: f64 = 1e-5;

/// Reads a pose.
pub(crate) fn pose(object: Option<&Bound<'_, PyAny>>, name: &str) -> PyResult<Pose> {
    let Some(object) = object else { return Ok(Pose::IDENTITY) };
    with_numbers(object, name, |shape, numbers| match shape {
        [3] => from_numbers(numbers, name),
        [7] => from_numbers(numbers, name),
        [4, 4] => from_numbers(numbers, name),
        _ => Err(bad_shape(name, "(4, 4), (7,) or (3,)", shape)),
    })
}

/// Reads many poses.
pub(crate) fn poses(object: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<Pose>> {
    with_numbers(object, name, |shape, numbers| {
        let width = match shape {
            [_, 3] => 3,
            [_, 7] => 7,
            [_, 4, 4] => 16,
            _ => return Err(bad_shape(name, "(n, 4, 4), (n, 7) or (n, 3)", shape)),
        };
        let one = |(i, numbers): (usize, &[f64])| from_numbers(numbers, &format!("{name}[{i}]"));
        numbers.chunks_exact(width).enumerate().map(one).collect()
    })
}

/// One pose for all of a batch, or one for each.
pub(crate) enum Poses {
    /// For all.
    One(Pose),
    /// One for each.
    Each(Vec<Pose>),
}

impl Poses {
    /// Reads one pose or many.
    pub(crate) fn read(object: Option<&Bound<'_, PyAny>>, name: &str) -> PyResult<Poses> {
        let Some(object) = object else { return Ok(Poses::One(Pose::IDENTITY)) };
        let dimensions: usize = match object.getattr("ndim") {
            Ok(n) => n.extract()?,
            Err(_) => as_floats(object, name)?.getattr("ndim")?.extract()?,
        };
        let shape: Vec<usize> = as_floats(object, name)?.getattr("shape")?.extract()?;
        if dimensions <= 1 || shape == [4, 4] {
            return Ok(Poses::One(pose(Some(object), name)?));
        }
        Ok(Poses::Each(poses(object, name)?))
    }

    /// Returns the number of poses; `None` if there is one for all.
    pub(crate) fn len(&self) -> Option<usize> {
        match self {
            Poses::One(_) => None,
            Poses::Each(poses) => Some(poses.len()),
        }
    }

    /// Returns the pose of an entry of the batch.
    #[inline]
    pub(crate) fn at(&self, index: usize) -> &Pose {
        match self {
            Poses::One(pose) => pose,
            Poses::Each(poses) => &poses[index],
        }
    }
}

/// Returns the common length of two lists of poses.
pub(crate) fn common_len(a: &Poses, b: &Poses) -> PyResult<usize> {
    match (a.len(), b.len()) {
        (Some(a), Some(b)) if a != b => {
            Err(error::value("poses_b", format!("{b} poses, but poses_a has {a}")))
        }
        (Some(n), _) | (None, Some(n)) => Ok(n),
        (None, None) => Ok(1),
    }
}

/// Returns a pose as seven numbers: x, y, z, qx, qy, qz, qw.
pub(crate) fn to_seven(pose: &Pose) -> [f64; 7] {
    let (t, q) = (pose.translation, pose.rotation);
    [t.x, t.y, t.z, q.x, q.y, q.z, q.w]
}

/// Calls a function with the shape and the numbers of an array.
fn with_numbers<T>(
    object: &Bound<'_, PyAny>,
    name: &str,
    then: impl FnOnce(&[usize], &[f64]) -> PyResult<T>,
) -> PyResult<T> {
    if let Ok(array) = object.extract::<PyReadonlyArrayDyn<'_, f64>>()
        && array.is_c_contiguous()
        && let Ok(numbers) = array.as_slice()
    {
        return then(array.shape(), numbers);
    }
    let array = as_floats(object, name)?.extract::<PyReadonlyArrayDyn<'_, f64>>()?;
    then(array.shape(), array.as_slice()?)
}

/// Builds a pose from 3, 7 or 16 numbers.
fn from_numbers(numbers: &[f64], name: &str) -> PyResult<Pose> {
    if let Some(bad) = numbers.iter().find(|x| !x.is_finite()) {
        return Err(PoseError::new_err(format!("{name}: {bad} is not finite")));
    }
    match *numbers {
        [x, y, z] => Ok(Pose::from_translation(DVec3::new(x, y, z))),
        [x, y, z, qx, qy, qz, qw] => Pose::try_new(DQuat::from_xyzw(qx, qy, qz, qw), DVec3::new(x, y, z))
            .map_err(|e| PoseError::new_err(format!("{name}: {e}"))),
        [a, b, c, x, d, e, f, y, g, h, i, z, zero_x, zero_y, zero_z, one] => {
            if [zero_x, zero_y, zero_z, one] != [0.0, 0.0, 0.0, 1.0] {
                return Err(PoseError::new_err(format!("{name}: the last row is not 0 0 0 1")));
            }
            let columns = [DVec3::new(a, d, g), DVec3::new(b, e, h), DVec3::new(c, f, i)];
            let rotation = rotation(columns).map_err(|e| PoseError::new_err(format!("{name}: {e}")))?;
            Ok(Pose::new(rotation, DVec3::new(x, y, z)))
        }
        _ => Err(error::value(name, "not a pose")),
    }
}

/// Returns the rotation with these columns.
fn rotation(columns: [DVec3; 3]) -> Result<DQuat, String> {
    let [x, y, z] = columns;
    let lengths = [x.dot(x) - 1.0, y.dot(y) - 1.0, z.dot(z) - 1.0, x.dot(y), y.dot(z), z.dot(x)];
    let error = lengths.into_iter().fold(0.0, |most: f64, entry| most.max(entry.abs()));
    if !(error <= MAX_RIGIDITY_ERROR) {
        return Err(format!(
            "the 3x3 part is no rotation: R^T R differs from 1 by {error:.3e}; scale the shape with Shape.scaled"
        ));
    }
    if x.cross(y).dot(z) < 0.0 {
        return Err("the 3x3 part is a mirror: mirror the shape with Shape.scaled".to_owned());
    }
    Ok(DQuat::from_mat3(&DMat3::from_cols(x, y, z)).normalize())
}

fn bad_shape(name: &str, wanted: &str, shape: &[usize]) -> PyErr {
    error::value(name, format!("must have the shape {wanted}, not {}", shape_text(shape)))
}
