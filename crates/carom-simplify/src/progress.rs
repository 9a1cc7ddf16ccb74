//! The progress of a long computation, reported to a callback that may end it.

/// The current stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// Edges are collapsed; `count` is the number of triangles left.
    Collapsing,
    /// The error is measured; `count` is the number of triangles, or of hulls.
    Measuring,
    /// Parts are cut; `count` is the number of parts so far.
    Cutting,
    /// Parts are joined; `count` is the number of parts left.
    Merging,
}

/// The progress so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// The current stage.
    pub stage: Stage,
    /// The count at this stage, see [`Stage`].
    pub count: usize,
}

impl Progress {
    /// Returns the progress with this count at this stage.
    pub const fn new(stage: Stage, count: usize) -> Progress {
        Progress { stage, count }
    }
}
