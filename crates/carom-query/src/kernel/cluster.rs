//! Clusters: many boxes or balls as one shape, each made from its number when a query needs it.
//!
//! A compound stores a shape, two poses and a box for each part. A point cloud stores the points
//! and a tree of quantized boxes, about 25 bytes for each point (test:
//! `clusters::a_point_needs_few_bytes`).
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 6.1 (a tree of parts).

use super::super::num::geom::{Cuboid, Sphere};
use super::primitive::Primitive;
use crate::mesh_shape::box_around;
use carom_bounds::Aabb;
use carom_bvh::{BuildSettings, BvhError, Child, QuantizedBvh};
use carom_geom::SupportMap;
use carom_math::{WidePose, rounding};
use glam::{DMat3, DVec3};

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

/// Builds the tree over the boxes of the parts. The error is the number of a part that is out of
/// range, or `None` if there are too many parts.
pub(super) fn build_tree(boxes: &[Aabb], settings: &BuildSettings) -> Result<QuantizedBvh, Option<usize>> {
    QuantizedBvh::packed(boxes, settings).map_err(|error| match error {
        BvhError::NotFinite { primitive }
        | BvhError::Inverted { primitive }
        | BvhError::TooLarge { primitive } => Some(primitive),
        _ => None,
    })
}

/// Returns the pose of a part with this centre.
pub(super) fn at(center: DVec3) -> WidePose {
    WidePose { translation: center, ..WidePose::IDENTITY }
}

/// Returns a box around a part, rounded outwards.
pub(super) fn box_of_part(center: DVec3, half: DVec3) -> Aabb {
    let (low, high) = (center - half, center + half);
    // Bounds the rounding of a few operations, each relative to the largest operand.
    let slack = low.abs().max(high.abs()).max_element() * (32.0 * f64::EPSILON);
    Aabb::around(low - slack, high + slack)
}

/// Bound of the relative rounding of the coordinates of boxes, with a large reserve.
pub(super) const ROUNDING: f64 = 1.0 / (1_u64 << 40) as f64;

/// Returns the largest coordinate of a cluster along a direction, in its frame.
pub(super) fn farthest(a: &dyn Cluster, along: DVec3) -> f64 {
    let mut most = f64::NEG_INFINITY;
    descend_along(a, 0, along, &mut most);
    most
}

fn descend_along(a: &dyn Cluster, node: u32, along: DVec3, most: &mut f64) {
    let end = |aabb: &Aabb| {
        let (low, high) = (aabb.min.as_dvec3(), aabb.max.as_dvec3());
        DVec3::select(along.cmpge(DVec3::ZERO), high, low).dot(along)
    };
    let mut children = [const { None }; 8];
    for (slot, (reference, child)) in children.iter_mut().zip(a.tree().children(node)) {
        *slot = Some((end(&a.tree().volume(reference)), child));
    }
    children.sort_by(|x, y| {
        let far = |child: &Option<(f64, Child<'_>)>| child.map_or(f64::NEG_INFINITY, |child| child.0);
        far(y).total_cmp(&far(x))
    });
    for (far, child) in children.into_iter().flatten() {
        if far <= *most {
            return;
        }
        match child {
            Child::Node(node) => descend_along(a, node, along, most),
            Child::Leaf(leaf) => {
                for &number in leaf.primitives {
                    let (part, center) = a.part(number);
                    let map = part.support_map();
                    let own = map.support(along).point.dot(along) + map.margin() * along.length();
                    *most = most.max(center.dot(along) + own);
                }
            }
        }
    }
}

/// Returns a box around the placed cluster, as tight as rounding allows.
pub(super) fn placed_box(a: &dyn Cluster, pose: &WidePose) -> Aabb {
    let bounds = a.tree().bounds();
    let whole = box_around([bounds.min.as_dvec3(), bounds.max.as_dvec3()], pose);
    if pose.rotation == DMat3::IDENTITY || !pose.translation.is_finite() {
        return whole;
    }
    let rows = pose.rotation.transpose();
    let (mut low, mut high) = (DVec3::ZERO, DVec3::ZERO);
    for (axis, row) in [rows.x_axis, rows.y_axis, rows.z_axis].into_iter().enumerate() {
        low[axis] = pose.translation[axis] - farthest(a, -row);
        high[axis] = pose.translation[axis] + farthest(a, row);
    }
    let reach = bounds.min.abs().max(bounds.max.abs()).as_dvec3().max_element();
    let slack = (reach + pose.translation.abs().max_element()) * ROUNDING;
    let tight = Aabb { min: rounding::down3(low - slack), max: rounding::up3(high + slack) };
    whole.intersection(&tight).unwrap_or(whole)
}
