//! How a world works.
//!
//! Reference: the settings name the source of what they set.

use crate::WorldError;
use carom_response::SolverSettings;
use carom_response::plausible::Scatter;

/// The largest prediction and recycling distance, in units of length.
const MAX_DISTANCE: f32 = 1e3;

/// How a world works.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct WorldSettings {
    /// Of the solver; its gravity is the world's, its unit of length that of the numbers below.
    pub solver: SolverSettings,
    /// Contacts are known from this distance on, in units of length, so that bodies are slowed before they touch.
    pub prediction: f32,
    /// Contacts of boxes and hulls, among each other and with floors, are moved along with their bodies until these have moved by this
    /// against each other, in units of length, or by 1/64 of the radius of the smaller, or for 64 steps; then they are looked for anew. 0: in
    /// every step.
    pub recycling: f32,
    /// Bodies that slide over a floor of many pieces, the triangles of a mesh or bodies side by side, do not catch on the edges
    /// between them ([`carom_query::smooth_internal_edges`]).
    pub smooths_internal_edges: bool,
    /// What bodies do whose shapes nobody has tested for want of time, on a budget: they part in a
    /// direction drawn at random. If there is none, they stop approaching.
    #[cfg_attr(feature = "serde", serde(default))]
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
    /// Refuses settings out of their bounds, with the name of the first of them.
    ///
    /// `prediction` and `recycling` are from 0 to 1000 units of length;
    /// [`SolverSettings::validate`] has the others.
    pub fn check(&self) -> Result<(), WorldError> {
        self.solver.validate()?;
        let distances = [(self.prediction, "prediction"), (self.recycling, "recycling")];
        match distances.iter().find(|(x, _)| !(0.0..=MAX_DISTANCE).contains(x)) {
            Some(&(_, name)) => Err(WorldError::BadSetting(name)),
            None if self.scatter.is_some_and(|scatter| !scatter.is_sound()) => {
                Err(WorldError::BadSetting("scatter"))
            }
            None => Ok(()),
        }
    }

    /// With these settings of the solver.
    pub const fn with_solver(mut self, solver: SolverSettings) -> WorldSettings {
        self.solver = solver;
        self
    }

    /// With this prediction.
    pub const fn with_prediction(mut self, prediction: f32) -> WorldSettings {
        self.prediction = prediction;
        self
    }

    /// With contacts kept so far.
    pub const fn with_recycling(mut self, recycling: f32) -> WorldSettings {
        self.recycling = recycling;
        self
    }

    /// For how far contacts are recycled, a length; less than the prediction, so that none comes unseen.
    pub(crate) fn recycled_for(&self) -> f32 {
        if 0.0 < self.recycling {
            self.recycling.min(0.5 * self.prediction) * self.solver.length_unit
        } else {
            0.0
        }
    }

    /// With a response at random for pairs that a budget leaves untested.
    pub const fn with_scatter(mut self, scatter: Option<Scatter>) -> WorldSettings {
        self.scatter = scatter;
        self
    }

    /// Whether edges inside a floor of many pieces are smoothed away.
    pub const fn with_internal_edges_smoothed(mut self, smooths: bool) -> WorldSettings {
        self.smooths_internal_edges = smooths;
        self
    }
}
