//! Why a broad phase refused something.

use crate::ProxyId;
use carom_bounds::BoundsError;

/// Why a broad phase refused something; nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum BroadPhaseError {
    /// A box is NaN, infinite or inverted.
    Box {
        /// Where it stands in the batch; 0 for a single call.
        position: usize,
        /// What is wrong with it.
        error: BoundsError,
    },
    /// The handle is of a proxy that has been removed, or of another structure.
    Stale {
        /// Where it stands in the batch; 0 for a single call.
        position: usize,
        /// The handle.
        id: ProxyId,
    },
    /// There is no index left for another proxy.
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
