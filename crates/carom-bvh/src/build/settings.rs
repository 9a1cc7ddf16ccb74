//! What kind of tree to build: the method, the leaves, and how long to improve it.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.2.1 (bottom-up, by insertion,
//! top-down, linear).

/// How much time to spend on a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum BuildQuality {
    /// Along a space-filling curve: the fastest; queries cost about a fifth more.
    /// [`BuildMethod::Morton`].
    Fast,
    /// The surface area heuristic over clusters of at most four primitives.
    /// [`BuildMethod::ClusteredSah`].
    #[default]
    Balanced,
    /// The surface area heuristic over primitives. [`BuildMethod::Sah`].
    High,
}

/// How a tree is made. [`BuildQuality`] names the three that suit most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BuildMethod {
    /// Linear: sorted along the Morton curve, split at its bits.
    Morton,
    /// Linear: the hierarchy and the boxes in one pass from the leaves up, on several threads. It
    /// splits as [`BuildMethod::Morton`] does, but for equal codes. Wide nodes open what is largest
    /// by its box.
    OnePass,
    /// Top-down over clusters of at most four neighbours on the curve, split where the surface area
    /// heuristic (eq. 25.2) is least.
    #[default]
    ClusteredSah,
    /// Top-down over primitives, split where the surface area heuristic (eq. 25.2) is least.
    Sah,
    /// As [`BuildMethod::Sah`] with the volume V(n) for the area A(n): for large surfaces that face
    /// each other. Where all volumes are 0, as on a floor, it halves.
    Volume,
    /// Top-down along the longest axis at the mean of the centres, as RAPID does.
    Mean,
    /// Top-down along the longest axis, half of the primitives to either side: a balanced tree,
    /// every leaf as deep as the others to within one binary level, for when the worst query
    /// counts.
    Median,
    /// Bottom-up: of neighbours on the curve, those are joined that fit best.
    BottomUp,
    /// Bottom-up over clusters of at most four neighbours on the curve: a third of the time, little
    /// worse.
    ClusteredBottomUp,
    /// One by one in random order, each to where the tree grows least, with rotations on the way.
    Insertion,
}

impl BuildMethod {
    /// All of them.
    pub const ALL: [BuildMethod; 10] = [
        BuildMethod::Morton,
        BuildMethod::OnePass,
        BuildMethod::ClusteredSah,
        BuildMethod::Sah,
        BuildMethod::Volume,
        BuildMethod::Mean,
        BuildMethod::Median,
        BuildMethod::BottomUp,
        BuildMethod::ClusteredBottomUp,
        BuildMethod::Insertion,
    ];
}

/// How a binary tree is made wide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Collapse {
    /// What is largest is opened first; leaves are as large as allowed.
    #[default]
    Largest,
    /// At the least cost that a random line through the tree is expected to meet, for callers that
    /// test so many primitives of a leaf at once; leaves are as large as pays, up to what is
    /// allowed.
    ///
    /// Closest hits of rays over the knot of the bench, in leaves of at most 8, against
    /// [`Collapse::Largest`]: a node has 7.2 children instead of 4.6, and rays visit 3 % fewer
    /// nodes and 2 % fewer leaves in trees of [`BuildMethod::Sah`], 5 and 5 % in those of
    /// [`BuildMethod::ClusteredSah`]. The build takes 1.6 and 2.1 times as long: 39 and 36 ms for
    /// 100,000 triangles.
    Cheapest {
        /// How many, at least 1.
        lanes: u32,
    },
}

/// What kind of tree to build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BuildSettings {
    /// How the tree is made.
    pub method: BuildMethod,
    /// The most primitives in a leaf, 1 to 16; other numbers are brought into that range. With 1
    /// every primitive has its own box; 8 suits callers that test eight primitives at once.
    pub max_leaf: u32,
    /// Rounds in which the largest subtrees look for a better place once the tree is made; 0 for
    /// none. Three rounds find most of what there is to gain: much in a tree by the curve, a few
    /// percent in one by the heuristic.
    pub reinsertion_rounds: u32,
    /// Rounds in which every few neighbouring nodes are arranged in the best way that there is,
    /// after any reinsertion; 0 for none. Over clouds and real meshes three rounds leave 0.93 of
    /// the cost of a tree by the curve and 0.95 of others; three of reinsertion leave 0.94 and
    /// 0.95, and both together 0.93 and 0.94.
    pub treelet_rounds: u32,
    /// How the tree is made wide.
    pub collapse: Collapse,
}

impl Default for BuildSettings {
    fn default() -> BuildSettings {
        BuildSettings {
            method: BuildMethod::default(),
            max_leaf: 4,
            reinsertion_rounds: 0,
            treelet_rounds: 0,
            collapse: Collapse::Largest,
        }
    }
}

impl BuildSettings {
    /// The tree is improved once it is made.
    pub(super) fn is_improved(&self) -> bool {
        0 < self.reinsertion_rounds.max(self.treelet_rounds)
    }

    /// These settings with the method of another quality.
    #[must_use]
    pub fn with_quality(self, quality: BuildQuality) -> BuildSettings {
        self.with_method(match quality {
            BuildQuality::Fast => BuildMethod::Morton,
            BuildQuality::Balanced => BuildMethod::ClusteredSah,
            BuildQuality::High => BuildMethod::Sah,
        })
    }

    /// These settings with another method.
    #[must_use]
    pub fn with_method(self, method: BuildMethod) -> BuildSettings {
        BuildSettings { method, ..self }
    }

    /// These settings with other leaves.
    #[must_use]
    pub fn with_max_leaf(self, max_leaf: u32) -> BuildSettings {
        BuildSettings { max_leaf, ..self }
    }

    /// These settings with another number of rounds of reinsertion.
    #[must_use]
    pub fn with_reinsertion_rounds(self, reinsertion_rounds: u32) -> BuildSettings {
        BuildSettings { reinsertion_rounds, ..self }
    }

    /// These settings with another number of rounds over treelets.
    #[must_use]
    pub fn with_treelet_rounds(self, treelet_rounds: u32) -> BuildSettings {
        BuildSettings { treelet_rounds, ..self }
    }

    /// These settings with another way of making the tree wide.
    #[must_use]
    pub fn with_collapse(self, collapse: Collapse) -> BuildSettings {
        BuildSettings { collapse, ..self }
    }
}
