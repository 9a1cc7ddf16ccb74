//! The choices of a walk of two trees: which side of a pair of volumes is opened, and on which axes
//! boxes are tested.
//!
//! Opening the larger one needs a size, and gives the same walk from either side. Alternating needs
//! none, and neither does going down one tree first; both may compare a large volume with many
//! small ones. Every choice gives all pairs whose leaves may touch; they differ in how many volumes
//! are tested on the way, and in what is given that does not touch.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.2.2 (the surface order,
//! alternating) and 25.2.4 (leaving the edge axes out).

/// Which of two volumes is opened where both are inner ones. A leaf is never opened: then the other
/// one is. The two roots are opened at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Descent {
    /// The larger one.
    #[default]
    Larger,
    /// In turn; of the tree whose bounds are the larger to begin with.
    Alternate,
    /// The first tree's, down to its leaves.
    AFirst,
    /// The second tree's, down to its leaves.
    BFirst,
}

impl Descent {
    /// The volume of B is opened, of two inner ones of these sizes. The entry tells whose turn it
    /// is, where sides alternate.
    #[inline(always)]
    pub(crate) fn opens_b(self, entry: u32, size_a: f32, size_b: f32) -> bool {
        match self {
            Descent::Larger => size_a <= size_b,
            Descent::Alternate => entry & TURN_OF_B != 0,
            Descent::AFirst => false,
            Descent::BFirst => true,
        }
    }
}

/// On which axes two boxes that stand at an angle are tested. Other volumes do not know the
/// difference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum BoxAxes {
    /// The six normals of the faces (SAT lite): some boxes that are apart are not told apart.
    #[default]
    Faces,
    /// Also the nine across an edge of each, which tell all boxes apart that are, to within
    /// rounding.
    FacesAndEdges,
}

/// How two trees are walked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PairSettings {
    /// Which side is opened.
    pub descent: Descent,
    /// On which axes boxes are tested.
    pub axes: BoxAxes,
}

impl PairSettings {
    /// These settings, opening another side.
    #[must_use]
    pub fn with_descent(self, descent: Descent) -> PairSettings {
        PairSettings { descent, ..self }
    }

    /// These settings, testing boxes on other axes.
    #[must_use]
    pub fn with_axes(self, axes: BoxAxes) -> PairSettings {
        PairSettings { axes, ..self }
    }
}

/// Where a walk has its settings from.
pub(crate) trait Choice: Copy {
    /// The settings.
    fn settings(&self) -> PairSettings;
}

/// The default, known to the compiler: the walk that most callers want is made for it alone.
#[derive(Clone, Copy)]
pub(crate) struct Plain;

/// Whatever the caller says.
#[derive(Clone, Copy)]
pub(crate) struct AsTold(pub(crate) PairSettings);

impl Choice for Plain {
    #[inline(always)]
    fn settings(&self) -> PairSettings {
        PairSettings { descent: Descent::Larger, axes: BoxAxes::Faces }
    }
}

impl Choice for AsTold {
    #[inline(always)]
    fn settings(&self) -> PairSettings {
        self.0
    }
}

/// In the first reference of a pair, where sides alternate: B's turn. References are below it, as
/// there are fewer than 2^28 primitives and so nodes.
pub(crate) const TURN_OF_B: u32 = 1 << 31;
