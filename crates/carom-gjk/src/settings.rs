//! The accuracy of an answer, and the limits of the work.

use carom_math::tol;

/// Options of every query of this crate. [`Default`] is as exact as `f64` allows.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct GjkSettings {
    /// A distance is accepted if its bounds differ by at most this fraction of it. For polytopes
    /// the search ends exactly at any value. Default: 1e-12.
    pub distance_tolerance: f64,
    /// A depth is accepted if its bounds differ by at most this fraction of it. Default: 1e-10.
    pub depth_tolerance: f64,
    /// A length. The search stops once a lower bound of the distance exceeds it. The distance of
    /// the answer may then be only an upper bound. Default: infinite.
    pub max_distance: f64,
    /// The most iterations of the distance search. Polytopes need about 10, curved shapes about
    /// 30. Default: 128.
    pub max_iterations: u32,
    /// The most iterations of the depth search. Default: 256.
    pub max_depth_iterations: u32,
}

impl GjkSettings {
    /// Stops the search once the bodies are proved to be farther apart than this length. A negative
    /// length counts as 0.
    #[must_use]
    pub const fn with_max_distance(mut self, max_distance: f64) -> GjkSettings {
        self.max_distance = max_distance;
        self
    }

    /// Accepts bounds on a distance that differ by this fraction of it.
    #[must_use]
    pub const fn with_distance_tolerance(mut self, tolerance: f64) -> GjkSettings {
        self.distance_tolerance = tolerance;
        self
    }

    /// Accepts bounds on a depth that differ by this fraction of it.
    #[must_use]
    pub const fn with_depth_tolerance(mut self, tolerance: f64) -> GjkSettings {
        self.depth_tolerance = tolerance;
        self
    }

    /// Sets the most iterations of the distance search and of the depth search.
    #[must_use]
    pub const fn with_max_iterations(mut self, distance: u32, depth: u32) -> GjkSettings {
        self.max_iterations = distance;
        self.max_depth_iterations = depth;
        self
    }
}

impl Default for GjkSettings {
    fn default() -> GjkSettings {
        GjkSettings {
            distance_tolerance: tol::GJK_DISTANCE,
            depth_tolerance: tol::EPA_DEPTH,
            max_distance: f64::INFINITY,
            max_iterations: 128,
            max_depth_iterations: 256,
        }
    }
}
