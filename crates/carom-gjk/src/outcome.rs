//! How a search ended, and what it cost.

/// How an answer relates to the true value.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Outcome {
    /// The search ended on the nearest features. The answer is exact to the rounding of `f64`,
    /// about 1e-15 of the size.
    Exact,
    /// The answer differs from the true value by at most this length. Both bounds are proved. The
    /// difference exceeds the requested tolerance only if an iteration limit was reached. An
    /// example is the depth of concentric balls that are given by support points.
    Within(f64),
    /// An iteration limit was reached before the question was decided, or a coordinate is not
    /// finite.
    Undecided,
}

/// The work of a query, in counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counters {
    /// Iterations of the distance search.
    pub iterations: u32,
    /// Iterations of the depth search.
    pub depth_iterations: u32,
    /// Pairs of support points computed.
    pub supports: u32,
}
