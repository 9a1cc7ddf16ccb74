//! Arrays of numbers in and out.
//!
//! A contiguous, aligned array of `float64` or `float32` is read where it lies. Anything else that
//! numpy can convert is converted once. Results are vectors whose memory numpy takes over.

use crate::error;
use glam::DVec3;
use numpy::{
    PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2, PyReadonlyArrayDyn, PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;

/// An array of the shape (n, width), in memory of Python.
pub(crate) enum Rows<'py> {
    /// As `float64`.
    Double(PyReadonlyArray2<'py, f64>),
    /// As `float32`.
    Single(PyReadonlyArray2<'py, f32>),
}

/// The numbers of [`Rows`], to be read without the interpreter's lock.
#[derive(Clone, Copy)]
pub(crate) enum Numbers<'a> {
    /// As `float64`.
    Double(&'a [f64]),
    /// As `float32`.
    Single(&'a [f32]),
}

impl<'py> Rows<'py> {
    /// Reads an argument of the shape (n, `width`).
    pub(crate) fn read(object: &Bound<'py, PyAny>, name: &str, width: usize) -> PyResult<Rows<'py>> {
        if let Ok(array) = object.extract::<PyReadonlyArray2<'py, f64>>()
            && array.is_c_contiguous()
            && array.as_slice().is_ok()
        {
            check_width(array.shape(), name, width)?;
            return Ok(Rows::Double(array));
        }
        if let Ok(array) = object.extract::<PyReadonlyArray2<'py, f32>>()
            && array.is_c_contiguous()
            && array.as_slice().is_ok()
        {
            check_width(array.shape(), name, width)?;
            return Ok(Rows::Single(array));
        }
        let array = as_floats(object, name)?;
        let shape: Vec<usize> = array.getattr("shape")?.extract()?;
        check_width(&shape, name, width)?;
        Ok(Rows::Double(array.extract::<PyReadonlyArray2<'py, f64>>()?))
    }

    /// Reads points: [`Rows::read`] of width 3, and every coordinate is finite.
    pub(crate) fn points(object: &Bound<'py, PyAny>, name: &str) -> PyResult<Rows<'py>> {
        let rows = Rows::read(object, name, 3)?;
        rows.numbers()?.check_finite(name, 3)?;
        Ok(rows)
    }

    /// Returns the numbers, row after row.
    pub(crate) fn numbers(&self) -> PyResult<Numbers<'_>> {
        Ok(match self {
            Rows::Double(array) => Numbers::Double(array.as_slice()?),
            Rows::Single(array) => Numbers::Single(array.as_slice()?),
        })
    }
}

impl Numbers<'_> {
    /// Returns how many rows of this width there are.
    pub(crate) fn n_rows(&self, width: usize) -> usize {
        self.len() / width
    }

    fn len(&self) -> usize {
        match self {
            Numbers::Double(numbers) => numbers.len(),
            Numbers::Single(numbers) => numbers.len(),
        }
    }

    /// Returns a number, widened without rounding.
    #[inline]
    pub(crate) fn at(&self, index: usize) -> f64 {
        match self {
            Numbers::Double(numbers) => numbers[index],
            Numbers::Single(numbers) => f64::from(numbers[index]),
        }
    }

    /// Returns row `index` of an array of width 3.
    #[inline]
    pub(crate) fn vector(&self, index: usize) -> DVec3 {
        let first = 3 * index;
        DVec3::new(self.at(first), self.at(first + 1), self.at(first + 2))
    }

    /// Returns all rows of an array of width 3.
    pub(crate) fn vectors(&self) -> Vec<DVec3> {
        (0..self.n_rows(3)).map(|i| self.vector(i)).collect()
    }

    /// Checks every number. The error names the first row with one that is not finite.
    pub(crate) fn check_finite(&self, name: &str, width: usize) -> PyResult<()> {
        let bad = match self {
            Numbers::Double(numbers) => numbers.iter().position(|x| !x.is_finite()),
            Numbers::Single(numbers) => numbers.iter().position(|x| !x.is_finite()),
        };
        match bad {
            None => Ok(()),
            Some(at) => Err(error::value(&format!("{name}[{}]", at / width), "not finite")),
        }
    }
}

/// Checks the shape (n, width).
fn check_width(shape: &[usize], name: &str, width: usize) -> PyResult<()> {
    match shape {
        [_, w] if *w == width => Ok(()),
        _ => Err(error::value(name, format!("must have the shape (n, {width}), not {}", shape_text(shape)))),
    }
}

/// Returns a shape as Python prints it.
pub(crate) fn shape_text(shape: &[usize]) -> String {
    match shape {
        [one] => format!("({one},)"),
        _ => format!("({})", shape.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// Converts anything that numpy takes to a contiguous and aligned array of `float64`. Arrays from
/// the bytes of a message or a file may begin anywhere.
pub(crate) fn as_floats<'py>(object: &Bound<'py, PyAny>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    static CONVERT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = object.py();
    let convert = CONVERT.import(py, "numpy", "ascontiguousarray")?;
    let keywords = PyDict::new(py);
    keywords.set_item("dtype", "float64")?;
    // `ascontiguousarray` makes a number an array of one element, which no argument takes.
    let array = convert.call((object,), Some(&keywords)).map_err(|e| error::value(name, e.value(py)))?;
    let is_aligned =
        array.extract::<PyReadonlyArrayDyn<'_, f64>>().is_ok_and(|array| array.as_slice().is_ok());
    if is_aligned { Ok(array) } else { array.call_method0("copy") }
}

/// Reads three numbers.
pub(crate) fn vector(object: &Bound<'_, PyAny>, name: &str) -> PyResult<DVec3> {
    let array = as_floats(object, name)?;
    let shape: Vec<usize> = array.getattr("shape")?.extract()?;
    if shape != [3] {
        return Err(error::value(
            name,
            format!("must be three numbers, not of the shape {}", shape_text(&shape)),
        ));
    }
    let array = array.extract::<numpy::PyReadonlyArray1<'_, f64>>()?;
    let vector = DVec3::from_slice(array.as_slice()?);
    if vector.is_finite() { Ok(vector) } else { Err(error::value(name, "not finite")) }
}

/// Reads three numbers; zero if there are none.
pub(crate) fn vector_or_zero(object: Option<&Bound<'_, PyAny>>, name: &str) -> PyResult<DVec3> {
    object.map_or(Ok(DVec3::ZERO), |object| vector(object, name))
}

/// Reads triangles of the shape (m, 3) and of any integer type.
pub(crate) fn triangles(object: &Bound<'_, PyAny>, name: &str, n_vertices: usize) -> PyResult<Vec<[u32; 3]>> {
    index_rows(object, name, n_vertices)
}

/// Reads rows of `N` vertex indices, each below the number of vertices.
pub(crate) fn index_rows<const N: usize>(
    object: &Bound<'_, PyAny>,
    name: &str,
    n_vertices: usize,
) -> PyResult<Vec<[u32; N]>> {
    let py = object.py();
    static CONVERT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let array = CONVERT.import(py, "numpy", "ascontiguousarray")?.call1((object,))?;
    let shape: Vec<usize> = array.getattr("shape")?.extract()?;
    check_width(&shape, name, N)?;
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    if kind != "i" && kind != "u" {
        return Err(error::value(name, "must be of an integer type"));
    }
    let array = array.call_method1("astype", ("int64",))?.extract::<PyReadonlyArray2<'_, i64>>()?;
    let (rows, _) = array.as_slice()?.as_chunks::<N>();
    let mut out = Vec::with_capacity(rows.len());
    for (i, row) in rows.iter().enumerate() {
        for &index in row {
            if index < 0 || n_vertices as i64 <= index {
                let range = format!("vertex {index} of {n_vertices} does not exist");
                return Err(error::shape(&format!("{name}[{i}]"), range));
            }
        }
        out.push(row.map(|index| index as u32));
    }
    Ok(out)
}

/// Returns a vector as an array of the shape (3,).
pub(crate) fn array3(py: Python<'_>, vector: DVec3) -> Bound<'_, PyArray1<f64>> {
    PyArray1::from_slice(py, &vector.to_array())
}

/// Returns rows as an array of the shape (n, N). The memory moves.
pub(crate) fn array_rows<T: numpy::Element, const N: usize>(
    py: Python<'_>,
    rows: Vec<[T; N]>,
) -> PyResult<Bound<'_, PyArray2<T>>> {
    let n = rows.len();
    PyArray1::from_vec(py, rows.into_flattened()).reshape([n, N])
}

/// Returns numbers as an array of the shape (n,). The memory moves.
pub(crate) fn array<T: numpy::Element>(py: Python<'_>, numbers: Vec<T>) -> Bound<'_, PyArray1<T>> {
    PyArray1::from_vec(py, numbers)
}
