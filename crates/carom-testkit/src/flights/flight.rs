//! A flight, and the limits that it is judged by.

use super::flyer::Flyer;
use super::obstacle::Obstacle;
use carom_math::WidePose;
use carom_world::{BodyId, World};
use glam::DVec3;

/// The largest allowed gain of energy, relative to the largest energy so far: the kinetic energy
/// at the start plus the change of the potential energy.
pub const MAX_GAIN: f64 = 1e-4;

/// The largest allowed change of the momentum, relative to the sum of all momenta.
pub const MAX_DRIFT: f64 = 2e-3;

/// The largest rounding of a position in a step, relative to its size: positions are `f32`.
pub(super) const POSITION_ROUNDING: f64 = 1.0 / (1 << 21) as f64;

/// The largest rounding of a coordinate that grows or shrinks by a little in a step, relative to
/// its size. If a body falls by a constant multiple of the spacing of `f32` more in each step, all
/// steps round in the same direction.
pub(super) const STEP_ROUNDING: f64 = 1.0 / (1 << 24) as f64;

/// A flight, ready to start.
pub(super) struct Flight {
    pub(super) world: World,
    pub(super) movers: Vec<(BodyId, Flyer)>,
    pub(super) obstacle: Obstacle,
    pub(super) frame: WidePose,
    pub(super) n_steps: u32,
    pub(super) dt: f32,
    pub(super) gravity: DVec3,
    /// Whether the bodies must not pass a surface.
    pub(super) must_not_pass: bool,
    pub(super) is_fast: bool,
    /// Whether the obstacle is a terrain, which no body may pass, fast or not.
    pub(super) is_terrain: bool,
    /// Whether the obstacle is a half-space.
    pub(super) is_endless: bool,
    pub(super) has_friction: bool,
    pub(super) classes: Vec<(u8, String)>,
    pub(super) about: String,
}
