//! The kind of tree to build: the method, the leaf size, and the rounds of optimization.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.2.1 (bottom-up, by
//! insertion, top-down, linear).

/// How much time to spend on a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum BuildQuality {
    /// Along a space-filling curve: the fastest build; queries cost about a fifth more.
    /// [`BuildMethod::Morton`].
    Fast,
    /// The surface area heuristic over clusters of at most four primitives.
    /// [`BuildMethod::ClusteredSah`].
    #[default]
    Balanced,
    /// The surface area heuristic over primitives. [`BuildMethod::Sah`].
    High,
}

/// The build method. [`BuildQuality`] names the three methods that suit most callers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BuildMethod {
    /// Linear: sorted along the Morton curve, split at its bits.
    Morton,
    /// Linear: the hierarchy and the boxes in one bottom-up pass, on several threads. It splits as
    /// [`BuildMethod::Morton`] does, except at equal codes. Wide nodes open the child with the
    /// largest box.
    OnePass,
    /// Top-down over clusters of at most four neighbours on the curve, split at the least surface
    /// area heuristic (eq. 25.2).
    #[default]
    ClusteredSah,
    /// Top-down over primitives, split at the least surface area heuristic (eq. 25.2).
    Sah,
    /// [`BuildMethod::Sah`] with volumes in place of areas, for large surfaces that face each
    /// other. If all volumes are 0, as on a floor, ranges are halved.
    Volume,
    /// Top-down along the longest axis at the mean of the centres, as RAPID does.
    Mean,
    /// Top-down along the longest axis, half of the primitives on either side. The tree is
    /// balanced: leaf depths differ by at most one binary level. It suits limits on the worst
    /// case.
    Median,
    /// Bottom-up: joins the neighbours on the curve that fit best.
    BottomUp,
    /// [`BuildMethod::BottomUp`] over clusters of at most four neighbours on the curve. It takes a
    /// third of the time, and its trees are little worse.
    ClusteredBottomUp,
    /// Inserts primitives one by one in random order, each at the least growth of the tree, with
    /// rotations on the way back.
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

/// How a binary tree is collapsed into a wide one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Collapse {
    /// The largest child is opened first. Leaves are as large as the limit allows.
    #[default]
    Largest,
    /// The wide tree with the least expected cost for a random line, for callers that test several
    /// primitives at once. Leaves are as large as that cost suggests, up to the limit.
    ///
    /// Rays visit 2 to 5 % fewer nodes and leaves than with [`Collapse::Largest`]. The build takes
    /// 1.6 to 2.1 times as long. See benches/notes.
    Cheapest {
        /// The number of primitives tested at once, at least 1.
        lanes: u32,
    },
}

/// The kind of tree to build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BuildSettings {
    /// The build method. Default: [`BuildMethod::ClusteredSah`].
    pub method: BuildMethod,
    /// The maximum number of primitives in a leaf, clamped to 1..=16. With 1 each primitive has
    /// its own box. 8 suits callers that test eight primitives at once. Default: 4.
    pub max_leaf: u32,
    /// Rounds of reinsertion of the largest subtrees; 0 for none. Three rounds find most of the
    /// gain, which is large for a Morton tree, and a few percent for trees by the heuristic.
    /// Default: 0.
    pub reinsertion_rounds: u32,
    /// Rounds of treelet restructuring, after any reinsertion; 0 for none. Three rounds reduce
    /// [`Quality::sah_cost`](crate::Quality::sah_cost) to 0.93 of its value for Morton trees, and
    /// to 0.95 for others. Three rounds of reinsertion reduce it to 0.94 and 0.95. Both together
    /// reduce it to 0.93 and 0.94. Default: 0.
    pub treelet_rounds: u32,
    /// How the binary tree is collapsed into a wide one. Default: [`Collapse::Largest`].
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
    /// Whether the tree is optimized after the build.
    pub(super) fn is_improved(&self) -> bool {
        0 < self.reinsertion_rounds.max(self.treelet_rounds)
    }

    /// Sets the method of a quality.
    #[must_use]
    pub fn with_quality(self, quality: BuildQuality) -> BuildSettings {
        self.with_method(match quality {
            BuildQuality::Fast => BuildMethod::Morton,
            BuildQuality::Balanced => BuildMethod::ClusteredSah,
            BuildQuality::High => BuildMethod::Sah,
        })
    }

    /// Sets the method.
    #[must_use]
    pub fn with_method(self, method: BuildMethod) -> BuildSettings {
        BuildSettings { method, ..self }
    }

    /// Sets the maximum leaf size.
    #[must_use]
    pub fn with_max_leaf(self, max_leaf: u32) -> BuildSettings {
        BuildSettings { max_leaf, ..self }
    }

    /// Sets the rounds of reinsertion.
    #[must_use]
    pub fn with_reinsertion_rounds(self, reinsertion_rounds: u32) -> BuildSettings {
        BuildSettings { reinsertion_rounds, ..self }
    }

    /// Sets the rounds of treelet restructuring.
    #[must_use]
    pub fn with_treelet_rounds(self, treelet_rounds: u32) -> BuildSettings {
        BuildSettings { treelet_rounds, ..self }
    }

    /// Sets how the binary tree is collapsed into a wide one.
    #[must_use]
    pub fn with_collapse(self, collapse: Collapse) -> BuildSettings {
        BuildSettings { collapse, ..self }
    }
}
