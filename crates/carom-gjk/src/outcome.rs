//! How a search ended, and what it cost.

/// How far an answer may be trusted.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Outcome {
    /// The search ended on the features themselves: exact to the rounding of `f64`, about 1e-15 of
    /// the size.
    Exact,
    /// The answer and the truth differ by at most this length: both bounds are proved. It exceeds
    /// the tolerance that was asked for only where a limit of rounds was reached, as for the depth
    /// of concentric balls made of support points.
    Within(f64),
    /// A limit was reached, or a coordinate was not a finite number, before what was asked could be
    /// proved either way.
    Undecided,
}

/// What a query did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counters {
    /// Rounds of the distance search.
    pub iterations: u32,
    /// Rounds of the depth search.
    pub depth_iterations: u32,
    /// Pairs of support points computed.
    pub supports: u32,
}
