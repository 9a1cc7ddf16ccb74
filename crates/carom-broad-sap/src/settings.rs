//! What a user of sweep and prune may choose.

/// How sweep and prune goes about it. The pairs do not depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SapSettings {
    /// An axis, 0 to 2, on which nothing is sorted, because the boxes crowd on it, as bodies on a
    /// floor do on the axis that points up; boxes that overlap on the other two are tested on it
    /// when pairs are asked for.
    pub skipped_axis: Option<usize>,
    /// After so many trades per box in one frame everything is sorted anew.
    pub max_trades: u32,
}

impl Default for SapSettings {
    /// All axes. A trade costs some 5 ns, and sorting anew some 300 per box.
    fn default() -> SapSettings {
        SapSettings { skipped_axis: None, max_trades: 64 }
    }
}

impl SapSettings {
    /// Without this axis, 0 to 2; another number skips none.
    pub const fn with_skipped_axis(mut self, axis: usize) -> SapSettings {
        self.skipped_axis = if axis < 3 { Some(axis) } else { None };
        self
    }

    /// With so many trades before everything is sorted anew.
    pub const fn with_max_trades(mut self, max_trades: u32) -> SapSettings {
        self.max_trades = max_trades;
        self
    }
}
