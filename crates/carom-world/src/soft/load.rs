//! A load on the surface of a soft body, as its owner describes it. `loads.rs` says how it acts.

use crate::BodyId;
use crate::soft::error::{SoftError, check_finite};
use carom_math::Vec3;

/// A point mass on a triangle of a soft body during the next step:
/// [`SoftBodyMut::load`](crate::SoftBodyMut::load).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct SoftLoad {
    /// The body to which it belongs. Events report that it touches the soft body.
    pub body: BodyId,
    /// The triangle of [`SoftBodyRef::mesh`](crate::SoftBodyRef::mesh) on which it rests.
    pub triangle: u32,
    /// The point of the triangle, in the world. The nearest one counts.
    pub point: Vec3,
    /// The radius within which vertices bear the load too, a length, not negative. Default: 0.
    pub radius: f32,
    /// The mass, in the unit of the world, not negative. The gravity of the world acts on it.
    pub mass: f32,
    /// The velocity before the step, length per second, in the world frame. Default: zero.
    pub velocity: Vec3,
    /// A further force during the step, in the world frame: mass times length per second squared
    /// (newtons). Default: zero.
    pub force: Vec3,
}

impl SoftLoad {
    /// Returns a mass at rest at a point of a triangle.
    pub fn new(body: BodyId, triangle: u32, point: Vec3, mass: f32) -> SoftLoad {
        SoftLoad { body, triangle, point, radius: 0.0, mass, velocity: Vec3::ZERO, force: Vec3::ZERO }
    }

    /// Returns the same load with a radius within which vertices bear it, a length.
    #[must_use]
    pub fn with_radius(self, radius: f32) -> SoftLoad {
        SoftLoad { radius, ..self }
    }

    /// Returns the same load with this velocity before the step.
    #[must_use]
    pub fn with_velocity(self, velocity: Vec3) -> SoftLoad {
        SoftLoad { velocity, ..self }
    }

    /// Returns the same load with a further force.
    #[must_use]
    pub fn with_force(self, force: Vec3) -> SoftLoad {
        SoftLoad { force, ..self }
    }

    /// Checks the numbers.
    pub(crate) fn check(&self) -> Result<(), SoftError> {
        let is_amount = |x: f32| 0.0 <= x && x < f32::INFINITY;
        let numbers = [(self.mass, "mass of a load"), (self.radius, "radius of a load")];
        if let Some(&(value, what)) = numbers.iter().find(|(x, _)| !is_amount(*x)) {
            return Err(SoftError::BadValue { what, value });
        }
        check_finite(self.point, "point of a load")?;
        check_finite(self.velocity, "velocity of a load")?;
        check_finite(self.force, "force of a load")
    }
}
