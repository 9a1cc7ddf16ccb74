//! The scoreboard: ordinary scenes, each with figures that physics predicts or limits.
//!
//! 1. A [`Row`] has a scene of plain data, so every engine simulates the same one: bodies, shapes,
//!    joints, and the velocities of kinematic bodies over time.
//! 2. An engine plays it in steps of [`STEP`] and records a [`Film`]: poses, velocities and sleep
//!    at the end of each step.
//! 3. A [`Figure`] computes a number from the film and compares it with a limit. It does not
//!    depend on the engine.
//!
//! Each family of rows is one file: [`stacks`], [`structures`], [`joints`], [`contact`] (friction,
//! bounces, rolling), [`motion`] (bodies that move freely or about a point, and gas) and [`screw`].
//!
//! `cargo xtask verify physics` plays all rows with carom and with rapier. `carom demo physics
//! --row NAME` shows one.

mod causes;
pub mod contact;
mod film;
pub mod joints;
pub mod motion;
pub mod screw;
pub mod stacks;
pub mod structures;

pub use causes::{cause, rows_with_cause};
pub use film::{Film, Frame, Inertia, State};

use crate::body::{BodySpec, SceneSpec, ShapeSpec};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use carom_math::{Pose, Quat, Vec3};
use libm::{cos, sin};

/// Length of a step of every row, in seconds.
pub const STEP: f64 = 1.0 / 60.0;

/// Gravity of every row that is not weightless, in m/s2 along -y.
pub const GRAVITY: f64 = 9.81;

/// A scene, and the figures that are measured on it.
pub struct Row {
    /// Its name, such as `tower-40`.
    pub name: String,
    /// A description in one sentence.
    pub about: &'static str,
    /// The bodies and joints.
    pub scene: SceneSpec,
    /// The seconds that are measured; infinite for scenes that must stand without end.
    pub seconds: f64,
    /// The figures that are measured.
    pub figures: Vec<Figure>,
}

/// A number that is computed from a film, and its limit.
pub struct Figure {
    /// A description of the number, with its unit.
    pub name: &'static str,
    /// The numbers that pass.
    pub limit: Limit,
    /// The reason for the limit.
    pub reason: &'static str,
    /// Whether overlaps must be recorded for it.
    pub needs_overlaps: bool,
    measure: Measure,
}

type Measure = Box<dyn Fn(&Film) -> f64 + Send + Sync>;

/// The numbers that pass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// All numbers up to this one.
    AtMost(f64),
    /// All numbers from the first to the second.
    Within(f64, f64),
}

impl Limit {
    /// Whether a number passes; NaN does not.
    pub fn allows(self, number: f64) -> bool {
        match self {
            Limit::AtMost(most) => number <= most,
            Limit::Within(least, most) => (least..=most).contains(&number),
        }
    }
}

impl core::fmt::Display for Limit {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Limit::AtMost(most) => write!(f, "at most {most}"),
            Limit::Within(least, most) => write!(f, "{least} to {most}"),
        }
    }
}

impl Figure {
    /// Returns a figure that `measure` computes from a film.
    fn new(
        name: &'static str,
        limit: Limit,
        reason: &'static str,
        measure: impl Fn(&Film) -> f64 + Send + Sync + 'static,
    ) -> Figure {
        Figure { name, limit, reason, needs_overlaps: false, measure: Box::new(measure) }
    }

    /// Returns the number for a film; NaN if the film is too short.
    pub fn of(&self, film: &Film) -> f64 {
        (self.measure)(film)
    }

    /// Returns the figure of the largest overlap after `from` seconds.
    fn overlap(from: f64, most: f64, reason: &'static str) -> Figure {
        let name = "largest overlap at rest, relative to the thickness of the smaller body";
        let measure = move |film: &Film| film.largest_overlap(from, f64::INFINITY);
        Figure { needs_overlaps: true, ..Figure::new(name, Limit::AtMost(most), reason, measure) }
    }

    /// Returns the figure of the number of bodies that still move at the end.
    fn stillness() -> Figure {
        let name = "bodies that move more than 1 mm in the last second";
        Figure::new(name, Limit::AtMost(0.0), "asleep or still at the end", |film| {
            film.n_moving_at_end() as f64
        })
    }
}

/// Returns all rows, family by family.
pub fn rows() -> Vec<Row> {
    let mut rows = stacks::rows();
    rows.extend(structures::rows());
    rows.extend(joints::rows());
    rows.extend(contact::rows());
    rows.extend(motion::rows());
    rows.extend(screw::rows());
    rows
}

/// Returns the row with this name.
pub fn row(name: &str) -> Option<Row> {
    rows().into_iter().find(|row| row.name == name)
}

/// Returns a floor at y = 0.
fn floor() -> BodySpec {
    BodySpec::fixed(ShapeSpec::HalfSpace { normal: Vec3::Y }, Pose::IDENTITY)
}

/// Returns a box.
fn cuboid(half_extents: Vec3) -> ShapeSpec {
    ShapeSpec::Cuboid { half_extents }
}

/// Returns a box that can move, with its centre at `at`.
fn block(half_extents: Vec3, at: Vec3) -> BodySpec {
    BodySpec::new(cuboid(half_extents), Pose::from_translation(at))
}

/// Returns the rotation by an angle in radians about a unit vector.
fn turn(axis: Vec3, angle: f64) -> Quat {
    let v = axis * sin(0.5 * angle) as f32;
    Quat::from_xyzw(v.x, v.y, v.z, cos(0.5 * angle) as f32)
}
