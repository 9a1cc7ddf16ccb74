//! The goal of a timed search, and its order.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.6 and fig. 25.19 (the
//! orders).

/// The order in which pairs of volumes are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum TimedOrder {
    /// The oldest first: all pairs of trees advance level by level.
    #[default]
    BreadthFirst,
    /// The newest first: one pair of trees after the other.
    DepthFirst,
    /// By the caller's priority. All pairs of trees get their first step before any gets its
    /// second.
    Priority,
}

/// When a pair of trees is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum TimedGoal {
    /// The least distance is known.
    #[default]
    Distance,
    /// Two primitives within the maximum distance are found, or there are none.
    Any,
    /// All leaves within the maximum distance of each other were reported.
    All,
}

/// The goal and the order of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct TimedSettings {
    /// When a pair of trees is done.
    pub goal: TimedGoal,
    /// The order in which pairs of volumes are taken.
    pub order: TimedOrder,
    /// The maximum distance, a length. Negative or NaN: nothing matters.
    pub max_distance: f64,
    /// The maximum number of waiting pairs of volumes, of 24 bytes each, 40 with priorities. Beyond
    /// that the search goes depth first. It then stores at most 64 more, and 7 for each level of
    /// the two trees.
    pub max_queue: usize,
}

impl Default for TimedSettings {
    fn default() -> TimedSettings {
        TimedSettings {
            goal: TimedGoal::default(),
            order: TimedOrder::default(),
            max_distance: f64::INFINITY,
            max_queue: 1 << 20,
        }
    }
}

impl TimedSettings {
    /// Settings for the least distance of each pair.
    pub fn distance() -> TimedSettings {
        TimedSettings::default()
    }

    /// Settings for whether each pair touches.
    pub fn touching() -> TimedSettings {
        TimedSettings { goal: TimedGoal::Any, max_distance: 0.0, ..TimedSettings::default() }
    }

    /// Sets the goal.
    pub fn with_goal(self, goal: TimedGoal) -> TimedSettings {
        TimedSettings { goal, ..self }
    }

    /// Sets the order.
    pub fn with_order(self, order: TimedOrder) -> TimedSettings {
        TimedSettings { order, ..self }
    }

    /// Sets the maximum distance.
    pub fn with_max_distance(self, max_distance: f64) -> TimedSettings {
        TimedSettings { max_distance, ..self }
    }

    /// Sets the maximum number of waiting entries.
    pub fn with_max_queue(self, max_queue: usize) -> TimedSettings {
        TimedSettings { max_queue, ..self }
    }
}
