//! A row of the scoreboard: a scene, its figures, and their limits.

use super::film::Film;
use crate::body::SceneSpec;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

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
    pub(super) measure: Measure,
}

pub(super) type Measure = Box<dyn Fn(&Film) -> f64 + Send + Sync>;

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
    pub(super) fn new(
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
    pub(super) fn overlap(from: f64, most: f64, reason: &'static str) -> Figure {
        let name = "largest overlap at rest, relative to the thickness of the smaller body";
        let measure = move |film: &Film| film.largest_overlap(from, f64::INFINITY);
        Figure { needs_overlaps: true, ..Figure::new(name, Limit::AtMost(most), reason, measure) }
    }

    /// Returns the figure of the number of bodies that still move at the end.
    pub(super) fn stillness() -> Figure {
        let name = "bodies that move more than 1 mm in the last second";
        Figure::new(name, Limit::AtMost(0.0), "asleep or still at the end", |film| {
            film.n_moving_at_end() as f64
        })
    }
}
