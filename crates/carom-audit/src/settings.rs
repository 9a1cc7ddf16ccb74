//! What an audit allows.

/// What an audit allows.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct AuditSettings {
    /// Energy above that put in, as a part of the energy turned over. 1e-4.
    pub max_gain: f64,
    /// Change of the linear momentum of a free group in a step, as a part of the momenta of its bodies. 1e-3.
    pub max_drift: f64,
    /// Change of the angular momentum of a free group in a step, as a part of those of its bodies. 2e-2.
    pub max_spin_drift: f64,
    /// The deepest overlap of a contact, a length. No limit.
    pub max_depth: f64,
    /// Whether the sides of fixed surfaces are checked. Yes.
    pub checks_sides: bool,
    /// The audit stores no more faults than this. 100.
    pub max_faults: usize,
}

impl Default for AuditSettings {
    fn default() -> AuditSettings {
        // Above the rounding of poses and velocities in single precision over some hundred steps.
        AuditSettings {
            max_gain: 1e-4,
            max_drift: 1e-3,
            max_spin_drift: 2e-2,
            max_depth: f64::INFINITY,
            checks_sides: true,
            max_faults: 100,
        }
    }
}

impl AuditSettings {
    /// With this deepest overlap.
    pub const fn with_max_depth(mut self, max_depth: f64) -> AuditSettings {
        self.max_depth = max_depth;
        self
    }

    /// With this gain of energy.
    pub const fn with_max_gain(mut self, max_gain: f64) -> AuditSettings {
        self.max_gain = max_gain;
        self
    }

    /// With this change of the angular momentum of a free group in a step.
    pub const fn with_max_spin_drift(mut self, max_spin_drift: f64) -> AuditSettings {
        self.max_spin_drift = max_spin_drift;
        self
    }

    /// Whether the sides of fixed surfaces are checked.
    pub const fn with_sides(mut self, checks_sides: bool) -> AuditSettings {
        self.checks_sides = checks_sides;
        self
    }
}
