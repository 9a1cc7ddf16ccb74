//! Trees whose volumes are fitted to what is in them instead of to the boxes around it.
//!
//! The splits are those of boxes; then every subtree's volume is the caller's. A sphere around a
//! sphere's worth of triangles is smaller than one around their box, and a k-DOP or a swept sphere
//! around a box is hardly better than the box.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.2.1 and 25.2.4 (fit first,
//! then split).
//! Differs: split first, so that one tree serves every kind of volume.

use super::{BuildSettings, Builder, collapse};
use crate::tree::{Bvh, BvhError, TreeVolume};
use carom_bounds::Aabb;

impl<V: TreeVolume> Bvh<V> {
    /// A tree whose volumes come from `fit`, which is given the numbers of the primitives below a
    /// place in the tree and answers with a volume around all of them: it is asked once for
    /// everything, once for every child of every node. [`Bvh::build`] otherwise; the boxes decide
    /// what stands together.
    ///
    /// A volume that leaves something out makes walks miss it.
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
    /// [`Bvh::fitted`] into a tree that is there, whose memory is used again. On an error the tree
    /// stays as it was.
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
