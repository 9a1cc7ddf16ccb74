//! How exact an answer has to be, and how much work it may cost.

use carom_math::tol;

/// Options of every query of this crate; [`Default`] is as exact as `f64` allows.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct GjkSettings {
    /// A distance is good enough when its bounds differ by this fraction of it. Polytopes end
    /// exactly all the same.
    pub distance_tolerance: f64,
    /// A depth is good enough when its bounds differ by this fraction of it.
    pub depth_tolerance: f64,
    /// Two bodies farther apart than this length need no distance: the search stops at a lower
    /// bound beyond it.
    pub max_distance: f64,
    /// Most rounds of the distance search; polytopes need about 10, curved shapes about 30.
    pub max_iterations: u32,
    /// Most rounds of the depth search.
    pub max_depth_iterations: u32,
}

impl GjkSettings {
    /// Stop as soon as the bodies are known to be farther apart than this length; negative counts
    /// as 0.
    #[must_use]
    pub const fn with_max_distance(mut self, max_distance: f64) -> GjkSettings {
        self.max_distance = max_distance;
        self
    }

    /// Accept bounds on a distance that differ by this fraction of it.
    #[must_use]
    pub const fn with_distance_tolerance(mut self, tolerance: f64) -> GjkSettings {
        self.distance_tolerance = tolerance;
        self
    }

    /// Accept bounds on a depth that differ by this fraction of it.
    #[must_use]
    pub const fn with_depth_tolerance(mut self, tolerance: f64) -> GjkSettings {
        self.depth_tolerance = tolerance;
        self
    }

    /// Most rounds of the distance search and of the depth search.
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
