//! What is asked of a search for the time of impact, and how much it may cost.

use carom_math::tol;

/// Options of a search for the first contact of two moving bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ImpactSettings {
    /// A length, not negative: bodies are in contact where they are at most this far apart.
    ///
    /// With 0 a contact is proved by an overlap deeper than rounding, so bodies that only touch, or
    /// slide on each other, are undecided. A thousandth of the size of a body makes clean hits of
    /// them: the normal use.
    pub target_distance: f64,
    /// Fraction of the radius of the smaller body: how far apart, beyond the target distance,
    /// bodies may be at the start of the bracket, and how deep below it at the end. Smaller costs
    /// little.
    pub tolerance: f64,
    /// When the search begins; motions are given from the time 0 on, whatever this is.
    pub start_time: f64,
    /// When the search ends, not before it begins.
    pub max_time: f64,
    /// Most proposals of an axis that are asked for; simple motions need about 3, grazing ones up
    /// to 20.
    ///
    /// Nearly each proves some way, so more of them are no waste: of 111,093 sweeps of hulls by 3
    /// radians two that sink in by little needed between 65 and 128.
    pub max_steps: u32,
    /// Where bodies do not meet: the distance that is proved shall be within about seven tenths of
    /// the least one. It costs a second search. Without it the bound is above the target distance
    /// and says no more.
    pub wants_distance: bool,
    /// The touched features of both bodies are named in the answer.
    pub wants_features: bool,
    /// Contact at the start is a hit, even where the bodies separate or slide along each other.
    ///
    /// Switched off, such a contact is ignored for as long as the bodies do not approach along its
    /// normal. Later contacts are hits, and so is a contact at the start that closes. `carom-query`
    /// follows this setting; the searches of this crate always stop.
    pub stop_at_penetration: bool,
}

impl ImpactSettings {
    /// Contact means at most this far apart; negative and NaN count as 0.
    #[must_use]
    pub const fn with_target_distance(mut self, target_distance: f64) -> ImpactSettings {
        self.target_distance = target_distance;
        self
    }

    /// How wide the bracket may be, as a distance over the radius of the smaller body.
    #[must_use]
    pub const fn with_tolerance(mut self, tolerance: f64) -> ImpactSettings {
        self.tolerance = tolerance;
        self
    }

    /// From when until when.
    #[must_use]
    pub const fn with_times(mut self, start_time: f64, max_time: f64) -> ImpactSettings {
        self.start_time = start_time;
        self.max_time = max_time;
        self
    }

    /// Until when.
    #[must_use]
    pub const fn with_max_time(mut self, max_time: f64) -> ImpactSettings {
        self.max_time = max_time;
        self
    }

    /// Most proposals of an axis.
    #[must_use]
    pub const fn with_max_steps(mut self, max_steps: u32) -> ImpactSettings {
        self.max_steps = max_steps;
        self
    }

    /// A good lower bound of the distance where bodies do not meet.
    #[must_use]
    pub const fn with_distance(mut self, wants_distance: bool) -> ImpactSettings {
        self.wants_distance = wants_distance;
        self
    }

    /// The names of the touched features.
    #[must_use]
    pub const fn with_features(mut self, wants_features: bool) -> ImpactSettings {
        self.wants_features = wants_features;
        self
    }

    /// Whether contact at the start is a hit where the bodies do not approach.
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
