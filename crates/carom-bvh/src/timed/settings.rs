//! What a timed search is asked, and in which order it looks.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.6 and fig. 25.19 (the
//! orders).

/// Which pair of volumes comes next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum TimedOrder {
    /// The oldest: every pair of trees gets its turn on each level.
    #[default]
    BreadthFirst,
    /// The newest: one pair of trees after the other.
    DepthFirst,
    /// What the caller calls urgent; every pair of trees gets its first step before any gets its
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
    /// Two primitives within the maximal distance are known, or that there are none.
    Any,
    /// All leaves within the maximal distance of each other were handed out.
    All,
}

/// What is asked, and in which order it is looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct TimedSettings {
    /// When a pair of trees is done.
    pub goal: TimedGoal,
    /// Which pair of volumes comes next.
    pub order: TimedOrder,
    /// What is farther apart does not matter: a length. Negative or NaN: nothing matters.
    pub max_distance: f64,
    /// So many pairs of volumes may wait, of 24 bytes each, 40 with priorities; beyond that the
    /// search goes depth first, with at most 64 more, and 7 for each level of the two trees.
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
    /// The least distance of each pair.
    pub fn distance() -> TimedSettings {
        TimedSettings::default()
    }

    /// Does each pair touch?
    pub fn touching() -> TimedSettings {
        TimedSettings { goal: TimedGoal::Any, max_distance: 0.0, ..TimedSettings::default() }
    }

    /// With another goal.
    pub fn with_goal(self, goal: TimedGoal) -> TimedSettings {
        TimedSettings { goal, ..self }
    }

    /// With another order.
    pub fn with_order(self, order: TimedOrder) -> TimedSettings {
        TimedSettings { order, ..self }
    }

    /// With another maximal distance.
    pub fn with_max_distance(self, max_distance: f64) -> TimedSettings {
        TimedSettings { max_distance, ..self }
    }

    /// With another limit of what may wait.
    pub fn with_max_queue(self, max_queue: usize) -> TimedSettings {
        TimedSettings { max_queue, ..self }
    }
}
