//! The errors of a broad phase.

use crate::ProxyId;
use carom_bounds::BoundsError;

/// Why a call was rejected; it has changed nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum BroadPhaseError {
    /// A box is NaN, infinite or inverted.
    Box {
        /// The position in the batch; 0 for a single call.
        position: usize,
        /// The defect of the box.
        error: BoundsError,
    },
    /// The handle belongs to a removed proxy or to another structure.
    Stale {
        /// The position in the batch; 0 for a single call.
        position: usize,
        /// The handle.
        id: ProxyId,
    },
    /// No index is left for another proxy.
    Full,
}

impl core::fmt::Display for BroadPhaseError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            BroadPhaseError::Box { position, error } => write!(f, "box {position} of the batch: {error}"),
            BroadPhaseError::Stale { position, id } => {
                write!(
                    f,
                    "handle {position} of the batch: no proxy {} of generation {}",
                    id.index(),
                    id.generation()
                )
            }
            BroadPhaseError::Full => write!(f, "there is no index left for another proxy"),
        }
    }
}

impl core::error::Error for BroadPhaseError {}
