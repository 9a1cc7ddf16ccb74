//! Point clouds: points with one radius, such as those of a laser scan, as balls with a tree.
//!
//! Reference: G. van den Bergen, Collision Detection in Interactive 3D Environments, 2003, 5.3
//! (trees of boxes).

use super::super::num::geom::Sphere;
use super::super::num::{Real, Vec3, widen, widen_real};
use super::cluster::{Cluster, ClusterPart};
use crate::cluster_search::{box_of_part, build_tree};
use crate::point_cloud::PointCloudError;
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_bvh::{BuildSettings, QuantizedBvh};
use glam::DVec3;

/// All points within a radius of some points. Its parts are the points, in the order given.
#[derive(Clone, Debug)]
pub struct PointCloud {
    points: Vec<Vec3>,
    ball: Sphere,
    tree: QuantizedBvh,
}

impl PointCloud {
    /// Builds the tree in about a microsecond per point.
    ///
    /// There must be at least one point and fewer than 2^28, all finite; equal points are allowed.
    /// The radius, a length, must be finite and above 0.
    pub fn new(points: Vec<Vec3>, radius: Real) -> Result<PointCloud, PointCloudError> {
        let ball = Sphere::new(radius).ok().filter(|_| 0.0 < radius).ok_or(PointCloudError::BadRadius)?;
        if points.is_empty() {
            return Err(PointCloudError::Empty);
        }
        if let Some(index) = points.iter().position(|point| !point.is_finite()) {
            return Err(PointCloudError::NotFinite(index));
        }
        let boxes: Vec<Aabb> = points.iter().map(|&point| box_of(point, &ball)).collect();
        let tree = build_tree(&boxes, &BuildSettings::default().with_max_leaf(8));
        let tree = tree.map_err(|far| far.map_or(PointCloudError::TooMany, PointCloudError::TooFar))?;
        Ok(PointCloud { points, ball, tree })
    }

    /// Returns the points, in the order given.
    pub fn points(&self) -> &[Vec3] {
        &self.points
    }

    /// Returns the radius around each point.
    pub fn radius(&self) -> Real {
        self.ball.radius()
    }
}

impl Cluster for PointCloud {
    fn n_parts(&self) -> u32 {
        self.points.len() as u32
    }

    fn part(&self, number: u32) -> (ClusterPart, DVec3) {
        (ClusterPart::Sphere(self.ball), widen(self.points[number as usize]))
    }

    fn part_box(&self, number: u32) -> Aabb {
        box_of(self.points[number as usize], &self.ball)
    }

    fn tree(&self) -> &QuantizedBvh {
        &self.tree
    }
}

fn box_of(point: Vec3, ball: &Sphere) -> Aabb {
    box_of_part(widen(point), DVec3::splat(widen_real(ball.radius())))
}
