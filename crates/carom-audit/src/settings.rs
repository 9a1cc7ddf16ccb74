//! The limits of an audit.

/// The limits of an audit.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct AuditSettings {
    /// The largest gain of energy, as a fraction of the energy that changed its form. Default:
    /// 1e-4.
    pub max_gain: f64,
    /// The largest change of the momentum of a free group in a step, as a fraction of the sum of
    /// the lengths of its bodies' momenta. Default: 1e-3.
    pub max_drift: f64,
    /// The largest change of the angular momentum of a free group in a step, as such a fraction.
    /// Default: 2e-2.
    pub max_spin_drift: f64,
    /// The deepest overlap of a contact, a length. Default: no limit.
    pub max_depth: f64,
    /// Whether paths are tested against the surfaces of fixed bodies. A body that a hook lets
    /// through such a surface is a fault then. Default: true.
    pub checks_sides: bool,
    /// The largest number of faults that the audit stores. Default: 100.
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
    /// Sets the deepest overlap.
    pub const fn with_max_depth(mut self, max_depth: f64) -> AuditSettings {
        self.max_depth = max_depth;
        self
    }

    /// Sets the largest gain of energy.
    pub const fn with_max_gain(mut self, max_gain: f64) -> AuditSettings {
        self.max_gain = max_gain;
        self
    }

    /// Sets the largest change of the angular momentum of a free group in a step.
    pub const fn with_max_spin_drift(mut self, max_spin_drift: f64) -> AuditSettings {
        self.max_spin_drift = max_spin_drift;
        self
    }

    /// Sets whether paths are tested against the surfaces of fixed bodies.
    pub const fn with_sides(mut self, checks_sides: bool) -> AuditSettings {
        self.checks_sides = checks_sides;
        self
    }
}
