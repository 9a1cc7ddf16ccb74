//! Errors of carom as exceptions of Python.
//!
//! All are kinds of `ValueError`, so callers that know no carom catch them. The message is that of
//! the crate, which names the first offender, after the name of the thing that was to be made.

use core::fmt::Display;
use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

create_exception!(
    carom,
    ShapeError,
    PyValueError,
    "A shape that was refused; the message names the first offender."
);
create_exception!(carom, PoseError, PyValueError, "A pose that is not finite or not rigid.");
create_exception!(
    carom,
    ReadError,
    PyValueError,
    "A file that was not read; the message names file and place."
);
create_exception!(carom, WorldError, PyValueError, "A world or an assembly that refused a change.");

/// Returns an error of an argument: `name: what`.
pub(crate) fn value(name: &str, what: impl Display) -> PyErr {
    PyValueError::new_err(format!("{name}: {what}"))
}

/// Returns the error of a shape of this kind.
pub(crate) fn shape(kind: &str, what: impl Display) -> PyErr {
    ShapeError::new_err(format!("{kind}: {what}"))
}

/// Returns the error of a world or an assembly.
pub(crate) fn world(what: impl Display) -> PyErr {
    WorldError::new_err(what.to_string())
}
