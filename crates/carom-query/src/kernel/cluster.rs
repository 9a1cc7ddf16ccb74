//! Clusters: many boxes or balls as one shape, each made from its number when a query needs it.
//!
//! A compound stores a shape, two poses and a box for each part. A point cloud stores the points
//! and a tree of quantized boxes, about 25 bytes for each point (test:
//! `clusters::a_point_needs_few_bytes`).
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 6.1 (a tree of parts).

use super::super::num::geom::{Cuboid, Sphere};
use super::primitive::Primitive;
use crate::cluster_search::PartTree;
use carom_bounds::Aabb;
use carom_bvh::QuantizedBvh;
use carom_geom::SupportMap;
use glam::DVec3;

/// Many convex parts of one type: a [`PointCloud`](super::PointCloud) or
/// [`Voxels`](super::Voxels).
pub trait Cluster: core::fmt::Debug + Send + Sync {
    /// Returns the number of parts, at least one.
    fn n_parts(&self) -> u32;

    /// Returns the part with this number, and its centre in the frame of the cluster. The axes of
    /// the part are those of the cluster. The number must be below [`Cluster::n_parts`].
    fn part(&self, number: u32) -> (ClusterPart, DVec3);

    /// Returns a box around the part with this number, in the frame of the cluster. The number
    /// must be below [`Cluster::n_parts`].
    fn part_box(&self, number: u32) -> Aabb;

    /// Returns the tree over the boxes of the parts.
    fn tree(&self) -> &QuantizedBvh;
}

/// A part of a cluster. A [`Shape`](super::Shape) can be made from it.
#[derive(Clone, Debug)]
pub enum ClusterPart {
    /// A ball.
    Sphere(Sphere),
    /// A box.
    Cuboid(Cuboid),
}

impl ClusterPart {
    /// Returns the support map of the part.
    #[inline]
    pub fn support_map(&self) -> &dyn SupportMap {
        match self {
            ClusterPart::Sphere(s) => s,
            ClusterPart::Cuboid(s) => s,
        }
    }

    /// Returns the part as a [`Primitive`].
    #[inline]
    pub(super) fn primitive(&self) -> &dyn Primitive {
        match self {
            ClusterPart::Sphere(s) => s,
            ClusterPart::Cuboid(s) => s,
        }
    }
}

impl PartTree for dyn Cluster + '_ {
    fn tree(&self) -> &QuantizedBvh {
        self.tree()
    }

    fn part_box(&self, number: u32) -> Aabb {
        self.part_box(number)
    }

    fn part_end(&self, number: u32, along: DVec3) -> f64 {
        let (part, center) = self.part(number);
        let map = part.support_map();
        let own = map.support(along).point.dot(along) + map.margin() * along.length();
        center.dot(along) + own
    }
}
