//! Options of a search for the time of impact, and limits of its work.

use carom_math::tol;

/// Options of a search for the first contact of two moving bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ImpactSettings {
    /// A length, not negative. Bodies at most this far apart are in contact. Default: 0.
    ///
    /// With 0 a contact is proved by an overlap deeper than rounding. Bodies that only touch, or
    /// slide on each other, are then undecided. Normally use a thousandth of the size of a body,
    /// which gives hits for these cases too.
    ///
    /// Bodies that touch at the start and move into each other are hits of `carom-query` (test:
    /// `casts_touching::shapes_that_touch_and_close_are_hits`). The searches of this crate leave
    /// them undecided at that time. So do meshes whose faces and edges only lie on each other, such
    /// as two equal cubes in line. Default: 0.
    pub target_distance: f64,
    /// A fraction of the radius of the smaller body. It bounds how far apart beyond the target
    /// distance the bodies are at the start of the bracket. It also bounds how far below the
    /// target they are at the end. A smaller tolerance costs little. Default: 1e-4.
    pub tolerance: f64,
    /// The time at which the search begins, finite. Motions are always given from the time 0.
    ///
    /// The times are not checked. With NaN, or with an end before the start, the answer proves
    /// nothing. Default: 0.
    pub start_time: f64,
    /// The time at which the search ends, not before `start_time`. It may be infinite: the search
    /// ends when the bodies have passed each other (test: `endless::an_endless_time_is_searched`).
    /// If they only turn, or a half-space turns, the accuracy falls with the angle. An endless
    /// search then proves nothing. Default: 1.
    pub max_time: f64,
    /// The most axis proposals. Simple motions need about 3, grazing ones up to 20.
    ///
    /// Nearly every proposal makes progress. In 111,093 sweeps of hulls that turn by 3 radians,
    /// two with a shallow contact needed more than 64, and at most 128. Default: 256.
    pub max_steps: u32,
    /// Whether to search for a better lower bound of the distance if the bodies do not meet. It is
    /// then within about 30 % of the least distance, and costs a second search. Without it the
    /// bound is only known to be above the target distance. Default: false.
    pub wants_distance: bool,
    /// Whether a hit names the touched features of both bodies. Default: false.
    pub wants_features: bool,
    /// Whether contact at the start is a hit even if the bodies separate or slide along each other.
    ///
    /// If false, such a contact is ignored while the bodies do not approach along its normal.
    /// Later contacts are hits, and so is a contact at the start that closes. `carom-query`
    /// follows this setting. The searches of this crate behave as if it were true. Default: true.
    pub stop_at_penetration: bool,
}

impl ImpactSettings {
    /// Sets the target distance, a length. Negative and NaN count as 0.
    #[must_use]
    pub const fn with_target_distance(mut self, target_distance: f64) -> ImpactSettings {
        self.target_distance = target_distance;
        self
    }

    /// Sets the width of the bracket, as a distance over the radius of the smaller body.
    #[must_use]
    pub const fn with_tolerance(mut self, tolerance: f64) -> ImpactSettings {
        self.tolerance = tolerance;
        self
    }

    /// Sets the start and the end of the search, in this order; they are not checked.
    #[must_use]
    pub const fn with_times(mut self, start_time: f64, max_time: f64) -> ImpactSettings {
        self.start_time = start_time;
        self.max_time = max_time;
        self
    }

    /// Sets the end of the search.
    #[must_use]
    pub const fn with_max_time(mut self, max_time: f64) -> ImpactSettings {
        self.max_time = max_time;
        self
    }

    /// Sets the most axis proposals.
    #[must_use]
    pub const fn with_max_steps(mut self, max_steps: u32) -> ImpactSettings {
        self.max_steps = max_steps;
        self
    }

    /// Sets whether to search for a better lower bound of the distance if the bodies do not meet.
    #[must_use]
    pub const fn with_distance(mut self, wants_distance: bool) -> ImpactSettings {
        self.wants_distance = wants_distance;
        self
    }

    /// Sets whether the answer names the touched features.
    #[must_use]
    pub const fn with_features(mut self, wants_features: bool) -> ImpactSettings {
        self.wants_features = wants_features;
        self
    }

    /// Sets whether contact at the start is a hit if the bodies do not approach.
    #[must_use]
    pub const fn with_stop_at_penetration(mut self, stop_at_penetration: bool) -> ImpactSettings {
        self.stop_at_penetration = stop_at_penetration;
        self
    }
}

impl Default for ImpactSettings {
    fn default() -> ImpactSettings {
        ImpactSettings {
            target_distance: 0.0,
            tolerance: tol::IMPACT_BRACKET,
            start_time: 0.0,
            max_time: 1.0,
            max_steps: 256,
            wants_distance: false,
            wants_features: false,
            stop_at_penetration: true,
        }
    }
}
