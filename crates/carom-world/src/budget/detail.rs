//! Levels of detail for collision: distant and small bodies get simpler shapes, with a bound of
//! the error.
//!
//! A level is a shape and its error. The distance between its surface and that of the exact shape
//! is at most the error, in both directions. So distances and depths of two bodies are wrong by at
//! most the sum of their errors. The allowed error follows from the angle at which a viewer sees
//! it ([`allowed_error`]).
//!
//! Reference: R. Kulpa et al., Imperceptible Relaxation of Collision Avoidance Constraints in
//! Virtual Crowds, ACM TOG 30(6), 2011 (coarser where it is not noticed); D. Luebke et al., Level
//! of Detail for 3D Graphics, 2003, 4.1 (hysteresis).

use crate::WorldError;
use crate::bodies::checks::demand;
use alloc::vec::Vec;
use carom_query::Shape;

/// A coarser level is selected only if its error is below this fraction of the allowed one. So a
/// body at the border does not switch back and forth.
const COARSER_BELOW: f32 = 0.75;

/// Returns the length that is seen at an `angle` from a `distance`, in the unit of the distance.
///
/// The angle is in radians, and small. For a pixel, it is the field of view divided by the number
/// of pixels.
pub fn allowed_error(distance: f32, angle: f32) -> f32 {
    distance.max(0.0) * angle.max(0.0)
}

/// The shapes of a body from exact to coarse, each with a bound of its error.
///
/// ```
/// use carom_geom::{Cuboid, Sphere};
/// use carom_math::Vec3;
/// use carom_query::Shape;
/// use carom_world::{BodyDesc, DetailLevels, World, allowed_error};
///
/// // The corners of a cube of 1 m are 0.366 m outside of a ball of 0.5 m.
/// let cube = Shape::Cuboid(Cuboid::new(Vec3::splat(0.5))?);
/// let ball = Shape::Sphere(Sphere::new(0.5)?);
/// let levels = DetailLevels::new(cube.clone()).with_level(ball, 0.3661)?;
/// let mut world = World::new();
/// let id = world.insert(BodyDesc::dynamic(cube).with_position(Vec3::Z * 900.0))?;
/// // Two pixels of a milliradian, seen from the origin.
/// let level = levels.level(allowed_error(world.body(id)?.position().length(), 0.002), 0);
/// assert_eq!(level, 1);
/// world.body_mut(id)?.set_shape(levels.shape(level).clone())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct DetailLevels {
    /// Errors ascend, from 0.
    levels: Vec<(Shape, f32)>,
}

impl DetailLevels {
    /// Returns the exact shape as the only level.
    pub fn new(exact: Shape) -> DetailLevels {
        DetailLevels { levels: alloc::vec![(exact, 0.0)] }
    }

    /// Adds a coarser shape with its error, a length.
    ///
    /// Errors: `error` is below that of the level before, or is not finite.
    pub fn with_level(mut self, shape: Shape, error: f32) -> Result<DetailLevels, WorldError> {
        let last = self.levels.last().map_or(0.0, |level| level.1);
        demand(last <= error && error < f32::INFINITY, "error of a level", error)?;
        self.levels.push((shape, error));
        Ok(self)
    }

    /// Returns the number of the coarsest level whose error is allowed; 0 is the exact shape.
    ///
    /// `allowed` is the allowed error, a length. `current` is the present level of the body. A
    /// coarser level is selected only if its error is well below the allowed one.
    pub fn level(&self, allowed: f32, current: usize) -> usize {
        let coarsest = |limit: f32| self.levels.iter().rposition(|level| level.1 <= limit).unwrap_or(0);
        let fine_enough = coarsest(allowed);
        if fine_enough <= current { fine_enough } else { coarsest(COARSER_BELOW * allowed).max(current) }
    }

    /// Returns the shape of a level. Beyond the last level it is the coarsest one.
    pub fn shape(&self, level: usize) -> &Shape {
        &self.levels[level.min(self.levels.len() - 1)].0
    }

    /// Returns the error of a level, a length. Beyond the last level it is that of the coarsest
    /// one.
    pub fn error(&self, level: usize) -> f32 {
        self.levels[level.min(self.levels.len() - 1)].1
    }
}
