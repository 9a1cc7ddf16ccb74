//! The goal of an anytime search, and its order.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.6 and fig. 25.19 (the
//! orders).

/// The order in which pairs of volumes are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum AnytimeOrder {
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
pub enum AnytimeGoal {
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
pub struct AnytimeSettings {
    /// When a pair of trees is done. Default: [`AnytimeGoal::Distance`].
    pub goal: AnytimeGoal,
    /// The order in which pairs of volumes are taken. Default: [`AnytimeOrder::BreadthFirst`].
    pub order: AnytimeOrder,
    /// The maximum distance, a length; primitives farther apart do not matter. If it is negative
    /// or NaN, no pair of primitives matters. Default: infinite.
    pub max_distance: f64,
    /// The maximum number of waiting pairs of volumes, of 24 bytes each, 40 with priorities. If
    /// more would wait, the search goes depth first. It then stores at most 64 further pairs, and
    /// 7 for each level of the two trees (test: `anytime::all_orders_end_with_the_same_answers`).
    /// Default: 2^20.
    pub max_queue: usize,
}

impl Default for AnytimeSettings {
    fn default() -> AnytimeSettings {
        AnytimeSettings {
            goal: AnytimeGoal::default(),
            order: AnytimeOrder::default(),
            max_distance: f64::INFINITY,
            max_queue: 1 << 20,
        }
    }
}

impl AnytimeSettings {
    /// Settings for the least distance of each pair.
    pub fn distance() -> AnytimeSettings {
        AnytimeSettings::default()
    }

    /// Settings for whether each pair touches.
    pub fn touching() -> AnytimeSettings {
        AnytimeSettings { goal: AnytimeGoal::Any, max_distance: 0.0, ..AnytimeSettings::default() }
    }

    /// Sets the goal.
    pub fn with_goal(self, goal: AnytimeGoal) -> AnytimeSettings {
        AnytimeSettings { goal, ..self }
    }

    /// Sets the order.
    pub fn with_order(self, order: AnytimeOrder) -> AnytimeSettings {
        AnytimeSettings { order, ..self }
    }

    /// Sets the maximum distance.
    pub fn with_max_distance(self, max_distance: f64) -> AnytimeSettings {
        AnytimeSettings { max_distance, ..self }
    }

    /// Sets the maximum number of waiting entries.
    pub fn with_max_queue(self, max_queue: usize) -> AnytimeSettings {
        AnytimeSettings { max_queue, ..self }
    }
}
