//! A triangle mesh with the tree that queries walk.
//!
//! The tree's boxes are `f32`. A mesh so large or so small that `f32` would overflow or vanish on the way has its tree in
//! its coordinates times a power of two that brings it to size one: nothing is lost by the scaling.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.2 (a tree per body, built in its own frame).

use super::super::num::Pose;
use super::super::num::geom::TriMesh;
use alloc::borrow::Cow;
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_bvh::{BuildSettings, Bvh, BvhError};
use carom_math::{WidePose, rounding, scaling};
use glam::DVec3;

/// Between these lengths the squares and cubes of coordinates, and their differences, are ordinary `f32` numbers.
const SMALLEST: f64 = 1.0 / LARGEST;
const LARGEST: f64 = (1_u64 << 32) as f64;

/// The surface that triangles cover, ready for queries. It has no inside, except where a query says that it asks for one.
#[derive(Clone, Debug)]
pub struct MeshShape {
    mesh: TriMesh,
    tree: Bvh,
    scale: f64,
    low: DVec3,
    high: DVec3,
}

impl MeshShape {
    /// Builds the tree, about 0.2 microseconds per triangle. Fails only for more than 2^28 triangles.
    pub fn new(mesh: TriMesh) -> Result<MeshShape, BvhError> {
        MeshShape::with_settings(mesh, &BuildSettings::default())
    }

    /// [`MeshShape::new`] with another tree.
    pub fn with_settings(mesh: TriMesh, settings: &BuildSettings) -> Result<MeshShape, BvhError> {
        let (low, high) = mesh.wide_bounds();
        let size = low.abs().max(high.abs()).max_element();
        let fits = size == 0.0 || (SMALLEST <= size && size <= LARGEST);
        let scale = if fits { 1.0 } else { scaling::scale_of(size) };
        let tree = Bvh::build(&boxes(&mesh, scale), settings)?;
        Ok(MeshShape { mesh, tree, scale, low, high })
    }

    /// The triangles.
    pub fn mesh(&self) -> &TriMesh {
        &self.mesh
    }

    /// The tree over the triangles, in the mesh's coordinates times [`MeshShape::scale`].
    pub fn tree(&self) -> &Bvh {
        &self.tree
    }

    /// A power of two: tree coordinate = mesh coordinate * scale.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// A box around the placed mesh: around the placed box of the mesh.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        self.placed_box(&pose.wide())
    }

    /// [`MeshShape::aabb`] for a pose in `f64`.
    pub(super) fn placed_box(&self, pose: &WidePose) -> Aabb {
        let (center, half) = ((self.low + self.high) * 0.5, (self.high - self.low) * 0.5);
        let r = &pose.rotation;
        let center = pose.transform_point(center);
        let extent = r.x_axis.abs() * half.x + r.y_axis.abs() * half.y + r.z_axis.abs() * half.z;
        // The roundings of some twenty operations, each relative to the largest number met.
        let reach = self.low.abs().max(self.high.abs()).max_element() + pose.translation.abs().max_element();
        let slack = reach * (32.0 * f64::EPSILON);
        Aabb::around(center - extent - slack, center + extent + slack)
    }

    /// A box of the mesh's frame in the tree's coordinates, rounded outwards.
    pub(super) fn in_tree(&self, aabb: &Aabb) -> Aabb {
        Aabb {
            min: rounding::down3(aabb.min.as_dvec3() * self.scale),
            max: rounding::up3(aabb.max.as_dvec3() * self.scale),
        }
    }

    /// The tree in the mesh's coordinates times this power of two, not above [`MeshShape::scale`]: the one that is there, or, for one of two meshes whose
    /// sizes are many powers of ten apart, another.
    pub(super) fn tree_at(&self, scale: f64) -> Cow<'_, Bvh> {
        if scale == self.scale {
            return Cow::Borrowed(&self.tree);
        }
        // The scale is never larger than the mesh's own: boxes that fitted a tree shrink, and fit again.
        Cow::Owned(Bvh::build(&boxes(&self.mesh, scale), &BuildSettings::default()).unwrap_or_default())
    }
}

fn boxes(mesh: &TriMesh, scale: f64) -> Vec<Aabb> {
    mesh.iter_corners()
        .map(|[a, b, c]| Aabb::around(a.min(b).min(c) * scale, a.max(b).max(c) * scale))
        .collect()
}
