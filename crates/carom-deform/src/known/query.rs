//! The query volumes of known deformations: boxes, or k-DOPs.
//!
//! Both are pairs of parallel planes with fixed directions. So tests are exact, and a
//! volume that holds another one is found by comparing their planes.
//!
//! Reference: J. Klosowski, M. Held, J. Mitchell, H. Sowizral, K. Zikan, Efficient Collision
//! Detection Using Bounding Volume Hierarchies of k-DOPs, 1998.

use carom_bounds::{Aabb, BoundingVolume, KDop, Slabs};
use glam::Vec3;

pub(super) mod sealed {
    /// Keeps [`QueryVolume`](super::QueryVolume) to volumes whose tests are exact.
    pub trait Sealed {}
}

/// A query volume of a [`KnownTree`](super::KnownTree). The trait is sealed: a box or a k-DOP.
pub trait QueryVolume: BoundingVolume + sealed::Sealed {
    /// Whether each of its pairs of planes has room between them, and no number is NaN.
    fn is_query(&self) -> bool;

    /// Whether another volume, which is not empty, lies in it.
    fn holds(&self, other: &Self) -> bool;

    /// The volume of a triangle.
    fn of_triangle(vertices: [Vec3; 3]) -> Self;
}

impl sealed::Sealed for Aabb {}

impl QueryVolume for Aabb {
    #[inline]
    fn is_query(&self) -> bool {
        self.min.cmple(self.max).all()
    }

    #[inline]
    fn holds(&self, other: &Aabb) -> bool {
        self.contains(other)
    }

    #[inline]
    fn of_triangle([a, b, c]: [Vec3; 3]) -> Aabb {
        Aabb { min: a.min(b).min(c), max: a.max(b).max(c) }
    }
}

impl<const K: usize> sealed::Sealed for KDop<K> {}

impl<const K: usize> QueryVolume for KDop<K>
where
    KDop<K>: Slabs,
{
    #[inline]
    fn is_query(&self) -> bool {
        (0..K / 2).all(|i| -self.offsets[K / 2 + i] <= self.offsets[i])
    }

    #[inline]
    fn holds(&self, other: &KDop<K>) -> bool {
        self.offsets.iter().zip(&other.offsets).all(|(mine, theirs)| theirs <= mine)
    }

    #[inline]
    fn of_triangle(vertices: [Vec3; 3]) -> KDop<K> {
        KDop::from_points(&vertices)
    }
}
