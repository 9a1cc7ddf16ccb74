//! The data of one mesh or two that a search reads.

use carom_bounds::Aabb;
use carom_bvh::Bvh;
use glam::{DVec3, Vec3};

/// The data of a mesh that a search reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    pub(crate) before: &'a [Vec3],
    pub(crate) after: &'a [Vec3],
    pub(crate) vertices: &'a [u32],
    pub(crate) edges: &'a [[u32; 2]],
    pub(crate) faces: &'a [[u32; 3]],
    pub(crate) stands_for: &'a [u32],
    pub(crate) trees: [(&'a Bvh, &'a [Aabb]); 3],
}

impl View<'_> {
    /// The vertex that a vertex counts as.
    #[inline]
    pub(crate) fn representative(&self, vertex: u32) -> u32 {
        self.stands_for.get(vertex as usize).copied().unwrap_or(vertex)
    }

    #[inline]
    pub(crate) fn at<const N: usize>(&self, vertices: [u32; N]) -> [DVec3; N] {
        vertices.map(|vertex| self.after[vertex as usize].as_dvec3())
    }

    #[inline]
    pub(crate) fn at_start<const N: usize>(&self, vertices: [u32; N]) -> [DVec3; N] {
        vertices.map(|vertex| self.before[vertex as usize].as_dvec3())
    }
}

/// The one mesh or two meshes that a search reads.
#[derive(Clone, Copy, Debug)]
pub struct Sides<'a> {
    pub(crate) a: View<'a>,
    /// The same as the first if one mesh is searched.
    pub(crate) b: View<'a>,
    pub(crate) is_self: bool,
    pub(crate) updates: u64,
}
