//! Trees whose volumes are fitted to the primitives themselves, not to the boxes around them.
//!
//! The splits are those of boxes; the caller computes the volume of each subtree. A sphere around
//! the triangles is smaller than one around their box. A k-DOP or a swept sphere around a box is
//! hardly better than the box.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.2.1 and 25.2.4 (fit first,
//! then split).
//! Differs: split first, so that one tree serves every kind of volume.

use super::{BuildSettings, Builder, collapse};
use crate::tree::{Bvh, BvhError, TreeVolume};
use carom_bounds::Aabb;

impl<V: TreeVolume> Bvh<V> {
    /// Builds a tree with volumes from `fit`; the boxes decide the splits. `fit` gets the numbers
    /// of the primitives in a subtree, and returns a volume around all of them. It is called once
    /// for the whole tree, and once for each child of each node. Errors are those of
    /// [`Bvh::build`].
    ///
    /// If a volume does not contain all of its primitives, walks may miss some.
    pub fn fitted(
        boxes: &[Aabb],
        settings: &BuildSettings,
        fit: impl FnMut(&[u32]) -> V,
    ) -> Result<Bvh<V>, BvhError> {
        let mut tree = Bvh::empty();
        Builder::default().rebuild_fitted(&mut tree, boxes, settings, fit)?;
        Ok(tree)
    }
}

impl Builder {
    /// [`Bvh::fitted`] into an existing tree, whose memory is reused. On an error the tree stays
    /// as it was.
    pub fn rebuild_fitted<V: TreeVolume>(
        &mut self,
        tree: &mut Bvh<V>,
        boxes: &[Aabb],
        settings: &BuildSettings,
        mut fit: impl FnMut(&[u32]) -> V,
    ) -> Result<(), BvhError> {
        self.binary(boxes, settings)?;
        self.widen(settings, 8);
        let binary = &self.binary;
        collapse::collapse(binary, &mut self.stack, tree, |_, first, count| {
            fit(binary.order.get(first..first + count).unwrap_or(&[]))
        });
        Ok(())
    }
}
