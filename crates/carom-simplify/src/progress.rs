//! How far a long computation has come, told to a callback that may end it.

/// What is being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// Edges are collapsed; `count` is the triangles that are left.
    Collapsing,
    /// The error is measured; `count` is the triangles, or the hulls, that there are.
    Measuring,
    /// Parts are cut; `count` is the parts so far.
    Cutting,
    /// Parts are put together; `count` is the parts that are left.
    Merging,
}

/// How far it has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// What is being done.
    pub stage: Stage,
    /// How many there are, see [`Stage`].
    pub count: usize,
}

impl Progress {
    /// So many at this stage.
    pub const fn new(stage: Stage, count: usize) -> Progress {
        Progress { stage, count }
    }
}
