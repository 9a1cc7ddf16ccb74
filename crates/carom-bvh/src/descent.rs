//! The settings of a walk of two trees: the side of a pair that is opened, and the axes of box
//! tests.
//!
//! Opening the larger volume needs a size, and gives the same walk from either side. Alternating,
//! and descending one tree first, need no size, but may test a large volume against many small
//! ones. Each setting reports all pairs of leaves whose contents touch. The settings differ in the
//! volumes tested and in the other pairs that are reported.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.2.2 (the surface order,
//! alternating) and 25.2.4 (leaving the edge axes out).

/// The volume of a pair that is opened, if both belong to nodes. If one belongs to a leaf, the
/// other one is opened. The two roots are opened at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Descent {
    /// The larger one.
    #[default]
    Larger,
    /// Alternates between the trees. The tree with the larger bounds is opened first.
    Alternate,
    /// The first tree's volume, down to its leaves.
    AFirst,
    /// The second tree's volume, down to its leaves.
    BFirst,
}

impl Descent {
    /// Whether the volume of B is opened, for volumes of two nodes with these sizes. If sides
    /// alternate, [`OPENS_B_NEXT`] in the entry decides.
    #[inline(always)]
    pub(crate) fn opens_b(self, entry: u32, size_a: f32, size_b: f32) -> bool {
        match self {
            Descent::Larger => size_a <= size_b,
            Descent::Alternate => entry & OPENS_B_NEXT != 0,
            Descent::AFirst => false,
            Descent::BFirst => true,
        }
    }
}

/// The axes on which two rotated boxes are tested. Other volumes ignore this.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum BoxAxes {
    /// The six face normals (SAT lite): some separated boxes are not rejected.
    #[default]
    Faces,
    /// Also the nine edge axes. All separated boxes are rejected, up to rounding.
    FacesAndEdges,
}

/// How two trees are walked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PairSettings {
    /// The side that is opened. Default: [`Descent::Larger`].
    pub descent: Descent,
    /// The axes on which boxes are tested. Default: [`BoxAxes::Faces`].
    pub axes: BoxAxes,
}

impl PairSettings {
    /// Sets the side that is opened.
    #[must_use]
    pub fn with_descent(self, descent: Descent) -> PairSettings {
        PairSettings { descent, ..self }
    }

    /// Sets the axes on which boxes are tested.
    #[must_use]
    pub fn with_axes(self, axes: BoxAxes) -> PairSettings {
        PairSettings { axes, ..self }
    }
}

/// The source of a walk's settings.
pub(crate) trait SettingsSource: Copy {
    /// The settings.
    fn settings(&self) -> PairSettings;
}

/// The default, known at compile time, so the most common walk is specialized.
#[derive(Clone, Copy)]
pub(crate) struct DefaultSettings;

/// The settings of the caller.
#[derive(Clone, Copy)]
pub(crate) struct CallerSettings(pub(crate) PairSettings);

impl SettingsSource for DefaultSettings {
    #[inline(always)]
    fn settings(&self) -> PairSettings {
        PairSettings { descent: Descent::Larger, axes: BoxAxes::Faces }
    }
}

impl SettingsSource for CallerSettings {
    #[inline(always)]
    fn settings(&self) -> PairSettings {
        self.0
    }
}

/// A bit in the first reference of a pair, if sides alternate: B is opened next. References are
/// below this bit, because there are fewer than 2^28 primitives and nodes.
pub(crate) const OPENS_B_NEXT: u32 = 1 << 31;
