//! What a step did and what it cost.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., figure 25.2 (the phases) and eq. 25.2 (the terms of
//! the cost).

use carom_response::StepStats;

/// Counts and times of the last [`World::step`](crate::World::step) or [`World::detect`](crate::World::detect).
///
/// The counts are the same in every run; the times are not.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[non_exhaustive]
pub struct Stats {
    /// Bodies in the world.
    pub n_bodies: usize,
    /// Pairs of boxes that touch.
    pub n_pairs: usize,
    /// Pairs of shapes that were looked at; the others have not moved.
    pub n_tested: usize,
    /// Pairs of shapes that touch.
    pub n_touching: usize,
    /// Manifolds of all pairs.
    pub n_manifolds: usize,
    /// Boxes tested against boxes.
    pub n_box_tests: u64,
    /// What the solver did.
    pub solver: StepStats,
    /// Seconds in each phase.
    pub times: PhaseTimes,
}

/// Seconds in each phase; zero without the standard library.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[non_exhaustive]
pub struct PhaseTimes {
    /// Pairs of boxes.
    pub broad: f64,
    /// Contacts of shapes.
    pub narrow: f64,
    /// Velocities and places.
    pub response: f64,
    /// Boxes of what moved.
    pub refit: f64,
}

/// Measures one phase after the other.
pub(crate) struct Clock {
    #[cfg(feature = "std")]
    last: std::time::Instant,
}

impl Clock {
    pub(crate) fn start() -> Clock {
        Clock {
            #[cfg(feature = "std")]
            last: std::time::Instant::now(),
        }
    }

    /// Seconds since the start or the last lap.
    pub(crate) fn lap(&mut self) -> f64 {
        #[cfg(feature = "std")]
        {
            let now = std::time::Instant::now();
            let lap = now.duration_since(self.last).as_secs_f64();
            self.last = now;
            lap
        }
        #[cfg(not(feature = "std"))]
        0.0
    }
}
