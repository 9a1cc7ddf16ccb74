//! The settings of sweep and prune.

/// Settings of sweep and prune. The pairs do not depend on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SapSettings {
    /// An axis, 0 to 2, that is not sorted; another number skips none. It suits the up axis if
    /// bodies lie on a floor, because they crowd on it. Boxes that overlap on the other two axes
    /// are tested on it during the search. Default: `None`.
    pub skipped_axis: Option<usize>,
    /// After this many trades per box in one frame, everything is sorted from scratch. Default:
    /// 64.
    pub max_trades: u32,
}

impl Default for SapSettings {
    /// Returns settings with all axes, and 64 trades per box, which take about as long as a sort
    /// from scratch.
    fn default() -> SapSettings {
        SapSettings { skipped_axis: None, max_trades: 64 }
    }
}

impl SapSettings {
    /// Returns the settings without this axis, 0 to 2; another number skips none.
    pub const fn with_skipped_axis(mut self, axis: usize) -> SapSettings {
        self.skipped_axis = if axis < 3 { Some(axis) } else { None };
        self
    }

    /// Returns the settings with this many trades before a sort from scratch.
    pub const fn with_max_trades(mut self, max_trades: u32) -> SapSettings {
        self.max_trades = max_trades;
        self
    }
}
