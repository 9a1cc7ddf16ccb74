//! A list of manifolds that rounds, so that searches which find contacts stay in `f64`.

use carom_geom::FeatureId;
use glam::DVec3;

/// A list of manifolds in either precision. It rounds the contacts that are added.
pub(crate) trait ManifoldSink {
    /// Starts a manifold with this unit normal from A to B.
    fn start(&mut self, normal: DVec3);

    /// Adds a contact with a distance along the normal. Takes points, parts and features of both.
    fn add(&mut self, points: [DVec3; 2], distance: f64, parts: [u32; 2], features: [FeatureId; 2]);

    /// Ends the manifold. A manifold without contacts is dropped.
    fn end(&mut self);
}
