//! The cost of a search, in counts that depend only on the input.

/// The cost of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeformCounters {
    /// Boxes of features computed anew before the search.
    pub updates: u64,
    /// Pairs of leaves whose boxes touch.
    pub leaf_pairs: u64,
    /// Pairs of leaves within one part of the mesh that is proved free of crossings: left out.
    pub skipped_by_cones: u64,
    /// Triangles, and pairs of edges, tested to find such parts.
    pub cone_tests: u64,
    /// Boxes of features tested against the boxes of a leaf.
    pub box_tests: u64,
    /// Pairs of features whose boxes touch but that share a vertex: left out.
    pub neighbours: u64,
    /// Other pairs of features whose boxes touch.
    pub candidates: u64,
    /// Candidates that an axis separates at all times.
    pub apart_by_axis: u64,
    /// Candidates that are never in one plane.
    pub apart_by_sign: u64,
    /// Candidates that needed an exact or a certified test.
    pub exact_tests: u64,
}

impl core::ops::AddAssign for DeformCounters {
    fn add_assign(&mut self, other: DeformCounters) {
        self.updates += other.updates;
        self.leaf_pairs += other.leaf_pairs;
        self.skipped_by_cones += other.skipped_by_cones;
        self.cone_tests += other.cone_tests;
        self.box_tests += other.box_tests;
        self.neighbours += other.neighbours;
        self.candidates += other.candidates;
        self.apart_by_axis += other.apart_by_axis;
        self.apart_by_sign += other.apart_by_sign;
        self.exact_tests += other.exact_tests;
    }
}

/// The work of a tree since it was built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TreeWork {
    /// Boxes of features computed.
    pub updates: u64,
    /// Boxes of features or of parts tested against a query.
    pub box_tests: u64,
    /// The number of times that all boxes were brought up to date.
    pub refits: u64,
    /// The number of rebuilds of the tree, or of a part of it.
    pub rebuilds: u64,
    /// Features in the rebuilt parts.
    pub renewed: u64,
    /// The number of times that features came, went or got other numbers.
    pub edits: u64,
}
