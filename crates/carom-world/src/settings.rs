//! The settings of a world, with their defaults and bounds.

use crate::WorldError;
use crate::bodies::checks::demand;
use carom_response::SolverSettings;
use carom_response::plausible::Scatter;
use core::f32::consts::FRAC_PI_2;

/// The largest prediction and recycling distance, in units of length.
const MAX_DISTANCE: f32 = 1e3;

/// The settings of a world.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct WorldSettings {
    /// The settings of the solver. Its gravity is that of the world, and its unit of length is
    /// that of the lengths below. Default: [`SolverSettings::default`].
    pub solver: SolverSettings,
    /// Contacts are found up to this distance, in units of length, so that the solver stops bodies
    /// before they overlap (speculative contacts). From 0 to 1000. Default: 0.02.
    pub prediction: f32,
    /// The recycling distance, in units of length. If the bodies of a pair hardly move relative to
    /// each other, the pair is not tested: its contacts are moved along with the bodies. The pair
    /// is tested again when this relative motion reaches the recycling distance, or 1/64 of the
    /// radius of the smaller body. It is tested again after at most 64 steps. With 0, each pair is
    /// tested in every step. From 0 to 1000. Default: 1/1024.
    ///
    /// Boxes, hulls, balls, capsules and compounds of boxes and hulls are recycled, among each
    /// other and with floors.
    pub recycling: f32,
    /// Whether contacts with internal edges are smoothed, so that bodies slide over a floor of
    /// many pieces without bumps. Pieces are triangles of a mesh, or bodies side by side
    /// ([`carom_query::smooth_internal_edges`]). Default: true.
    pub smooths_internal_edges: bool,
    /// The response of pairs whose shapes were never tested, because a budget deferred them: a
    /// bounce in a random direction. With `None` their approach is stopped, without a bounce.
    /// Default: `None`.
    pub scatter: Option<Scatter>,
}

impl Default for WorldSettings {
    fn default() -> WorldSettings {
        WorldSettings {
            solver: SolverSettings::default(),
            prediction: 0.02,
            // About a millimetre.
            recycling: 1.0 / 1024.0,
            smooths_internal_edges: true,
            scatter: None,
        }
    }
}

impl WorldSettings {
    /// Checks the settings. The error, [`WorldError::BadValue`] or [`WorldError::Solver`], names
    /// the first one out of its bounds.
    ///
    /// `prediction` and `recycling` are from 0 to 1000 units of length.
    /// [`SolverSettings::validate`] has the bounds of the others.
    pub fn check(&self) -> Result<(), WorldError> {
        self.solver.validate()?;
        for (x, what) in [(self.prediction, "prediction"), (self.recycling, "recycling")] {
            // NaN is in no range.
            demand((0.0..=MAX_DISTANCE).contains(&x), what, x)?;
        }
        let Some(Scatter { restitution, spread, .. }) = self.scatter else { return Ok(()) };
        demand((0.0..=1.0).contains(&restitution), "scatter.restitution", restitution)?;
        demand((0.0..=FRAC_PI_2).contains(&spread), "scatter.spread", spread)
    }

    /// Sets the settings of the solver.
    pub const fn with_solver(mut self, solver: SolverSettings) -> WorldSettings {
        self.solver = solver;
        self
    }

    /// Sets the distance up to which contacts are found, in units of length.
    pub const fn with_prediction(mut self, prediction: f32) -> WorldSettings {
        self.prediction = prediction;
        self
    }

    /// Sets the recycling distance, in units of length.
    pub const fn with_recycling(mut self, recycling: f32) -> WorldSettings {
        self.recycling = recycling;
        self
    }

    /// Returns the recycling distance as a length of the world. It is at most half of the
    /// prediction, so that no contact is missed.
    pub(crate) fn recycled_for(&self) -> f32 {
        if 0.0 < self.recycling {
            self.recycling.min(0.5 * self.prediction) * self.solver.length_unit
        } else {
            0.0
        }
    }

    /// Sets the random response for pairs that a budget leaves untested.
    pub const fn with_scatter(mut self, scatter: Option<Scatter>) -> WorldSettings {
        self.scatter = scatter;
        self
    }

    /// Sets whether contacts at internal edges are smoothed.
    pub const fn with_internal_edges_smoothed(mut self, smooths: bool) -> WorldSettings {
        self.smooths_internal_edges = smooths;
        self
    }
}
