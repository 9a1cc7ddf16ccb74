//! A cache that a query of one pair leaves for the next query.

use carom_gjk::GjkCache;
use carom_sat::Chosen;
use carom_sat::feature_walk::FeaturePair;

/// The state that one query leaves for the next query of the same pair. Keep one per pair; the
/// order of the two shapes may change.
///
/// A manifold holds at most four contacts. If there are more candidates, a convex pair keeps those
/// of the last query. They are chosen again if an omitted contact is deeper by more than an eighth
/// of the prediction. With a new cache the deepest contact is included.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ManifoldCache {
    pub(crate) gjk: GjkCache,
    /// For hulls that were apart: the features at which the last walk ended.
    pub(crate) features: Option<FeaturePair>,
    /// The contacts that were chosen among more than four.
    pub(crate) chosen: Chosen,
}

impl ManifoldCache {
    /// Creates an empty cache.
    pub const fn new() -> ManifoldCache {
        ManifoldCache { gjk: GjkCache::new(), features: None, chosen: Chosen::new() }
    }
}
