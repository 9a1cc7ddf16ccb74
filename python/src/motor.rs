//! `carom.Motor`: what drives an axis of a joint.

use crate::error;
use carom_world::{Drive, Motor, Spring};
use pyo3::prelude::*;

/// A motor along or about an axis of a joint. It does not change.
#[pyclass(frozen, module = "carom", name = "Motor")]
pub(crate) struct PyMotor {
    pub(crate) motor: Motor,
}

impl PyMotor {
    fn of(motor: Motor, max_force: Option<f32>) -> PyResult<PyMotor> {
        let motor = motor.with_max_force(max_force.unwrap_or(f32::MAX));
        motor.validate().map_err(|e| error::value("motor", e))?;
        Ok(PyMotor { motor })
    }
}

#[pymethods]
impl PyMotor {
    /// Holds a speed of B against A: length per time along an axis, radians per time about one.
    /// `max_force` is a force along an axis, a torque about one; without it there is no bound.
    #[staticmethod]
    #[pyo3(signature = (speed, *, max_force = None))]
    fn velocity(speed: f32, max_force: Option<f32>) -> PyResult<PyMotor> {
        PyMotor::of(Motor::velocity(speed), max_force)
    }

    /// Pulls to a place along the axis, or to an angle in radians, as a damped spring does:
    /// oscillations per time, and the damping in parts of the critical one.
    #[staticmethod]
    #[pyo3(signature = (target, frequency, damping_ratio = 1.0, *, max_force = None))]
    fn position(
        target: f32,
        frequency: f32,
        damping_ratio: f32,
        max_force: Option<f32>,
    ) -> PyResult<PyMotor> {
        PyMotor::of(Motor::position(target, Spring::new(frequency, damping_ratio)), max_force)
    }

    fn __repr__(&self) -> String {
        match self.motor.drive {
            Drive::Velocity(speed) => format!("<carom.Motor, speed {speed}>"),
            Drive::Position(target, _) => format!("<carom.Motor, target {target}>"),
        }
    }
}
