//! The present faces of a mesh: the only input of searches without trees.
//!
//! Reference: A. Smith, Y. Kitamura, H. Takemura, F. Kishino, A Simple and Efficient Method for
//! Accurate Collision Detection Among Deformable Polyhedral Objects in Arbitrary Motion, 1995 (the
//! overlap of two boxes).

use crate::bounds::{around, box_of};
use crate::deformable::DeformableMesh;
use crate::update::FollowingTree;
use carom_bounds::Aabb;
use glam::{DVec3, Vec3};

/// The faces of a mesh, with their present positions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surface<'a> {
    positions: &'a [Vec3],
    faces: &'a [[u32; 3]],
    /// Edges that count as faces without area, numbered after the faces.
    segments: &'a [[u32; 2]],
}

impl<'a> Surface<'a> {
    pub(crate) fn of<T: FollowingTree>(mesh: &'a DeformableMesh<T>) -> Surface<'a> {
        Surface { positions: mesh.positions(), faces: mesh.faces(), segments: &[] }
    }

    /// As [`Surface::of`]. A mesh without faces, such as a rope, has its edges in place of them.
    pub(crate) fn with_segments<T: FollowingTree>(mesh: &'a DeformableMesh<T>) -> Surface<'a> {
        let segments = if mesh.faces().is_empty() { mesh.edges() } else { &[] };
        Surface { segments, ..Surface::of(mesh) }
    }

    pub(crate) fn n_faces(&self) -> u32 {
        (self.faces.len() + self.segments.len()) as u32
    }

    #[inline]
    pub(crate) fn corners(&self, face: u32) -> [Vec3; 3] {
        let segment = || {
            let [a, b] = self.segments[face as usize - self.faces.len()];
            [a, b, b]
        };
        let corners = self.faces.get(face as usize).copied().unwrap_or_else(segment);
        corners.map(|vertex| self.positions[vertex as usize])
    }

    /// [`Surface::corners`] for exact tests.
    #[inline]
    pub(crate) fn wide_corners(&self, face: u32) -> [DVec3; 3] {
        self.corners(face).map(Vec3::as_dvec3)
    }

    #[inline]
    pub(crate) fn aabb(&self, face: u32) -> Aabb {
        box_of(self.corners(face))
    }

    /// The box around all faces; the empty box without faces.
    pub(crate) fn bounds(&self) -> Aabb {
        around((0..self.n_faces()).map(|face| self.aabb(face)))
    }
}

/// The box that the boxes of both surfaces have in common, if they touch: all their common points
/// are in it.
pub(crate) fn overlap(a: &Surface<'_>, b: &Surface<'_>) -> Option<Aabb> {
    a.bounds().intersection(&b.bounds())
}
