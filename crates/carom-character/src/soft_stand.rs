//! The state of a character on soft ground.

/// The state of a character on soft ground.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct SoftStand {
    /// Whether the character is a load in the next step.
    pub(crate) is_load: bool,
    /// Whether the last step pulled it down.
    pub(crate) is_pulled: bool,
}
