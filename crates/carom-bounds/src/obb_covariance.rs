//! Boxes along the eigenvectors of a covariance: of the corners, of the surface, or about region
//! centres.
//!
//! They differ in the weights. Corners: a finely divided part dominates the axes. Surface: each
//! part counts by its area. Surface of the convex hull: the interior does not count. Region
//! centres: corners, but about a centre that fine parts do not shift.
//!
//! Reference: S. Gottschalk, M. C. Lin, D. Manocha, OBBTree, 1996, 4 (corners, surface, hull); X.
//! Shi, L. Qiao, Z. Zhu, collision detection with improved oriented bounding boxes, Journal of
//! Hunan University, 41(5), 2014 (region centres).
//! Differs: regions come from halving the triangles by area along the longest axis, repeatedly.
//! The paper requires only roughly equal areas.

use crate::Obb;
use crate::frame::Frame;
use crate::moments::Moments;
use crate::obb_fit::{point_axes, surface_axes};
use crate::volume::BoundingVolume;
use alloc::vec::Vec;
use carom_math::ops::sqrt;
use glam::{DVec3, Vec3};

/// A triangle's centroid and area.
#[derive(Clone, Copy)]
struct WeightedCentroid {
    center: DVec3,
    area: f64,
}

impl Obb {
    /// Returns the box along the axes of the points' covariance. Clusters of points rotate it; see
    /// the list at the top of the crate.
    pub fn from_point_covariance<P: Copy + Into<DVec3>>(points: &[P]) -> Obb {
        Obb::from_axes(point_axes(points), points)
    }

    /// Returns the box along the axes of a surface's covariance, by area. With the triangles of a
    /// convex hull it is Gottschalk's, which ignores the interior.
    pub fn from_surface_covariance(triangles: &[[Vec3; 3]]) -> Obb {
        Obb::from_axes(surface_axes(triangles), triangles.as_flattened())
    }

    /// Returns the box by the corners' covariance about the mean centre of `n_regions` regions of
    /// about equal area. Triangles are not divided; 0 counts as 1.
    pub fn from_region_centers(triangles: &[[Vec3; 3]], n_regions: usize) -> Obb {
        let points = triangles.as_flattened();
        if !points.iter().all(|p| p.is_finite()) {
            return Obb::EVERYTHING;
        }
        let frame = Frame::of(points);
        let mut centroids: Vec<WeightedCentroid> = triangles
            .iter()
            .map(|corners| {
                let [a, b, c] = corners.map(|p| frame.enter(p));
                let area = sqrt((b - a).cross(c - a).length_squared()) * 0.5;
                WeightedCentroid { center: (a + b + c) / 3.0, area }
            })
            .collect();
        let mut centers = Vec::new();
        region_centers(&mut centroids, n_regions.max(1), &mut centers);
        let mean = centers.iter().sum::<DVec3>() / centers.len().max(1) as f64;
        let mut moments = Moments::default();
        for &p in points {
            moments.add_point(frame.enter(p) - mean);
        }
        // The moments are about the given centre, not about the mean of the corners.
        moments.first = DVec3::ZERO;
        Obb::from_axes(moments.axes(), points)
    }
}

/// Adds the centres of regions, which are divided by area, or by the number of triangles if there
/// is no area.
fn region_centers(centroids: &mut [WeightedCentroid], n_regions: usize, centers: &mut Vec<DVec3>) {
    let area: f64 = centroids.iter().map(|centroid| centroid.area).sum();
    if centroids.is_empty() {
        return;
    }
    if n_regions == 1 || centroids.len() == 1 {
        let weighted = centroids.iter().map(|centroid| centroid.center * centroid.area).sum::<DVec3>();
        let plain = centroids.iter().map(|centroid| centroid.center).sum::<DVec3>() / centroids.len() as f64;
        centers.push(if 0.0 < area { weighted / area } else { plain });
        return;
    }
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for centroid in centroids.iter() {
        low = low.min(centroid.center);
        high = high.max(centroid.center);
    }
    let axis = (high - low).max_position();
    centroids.sort_by(|a, b| a.center[axis].total_cmp(&b.center[axis]));
    // Splits where the first part has its share of the area. Neither part is empty.
    let left = n_regions / 2;
    let wanted = area * left as f64 / n_regions as f64;
    let (mut sum, mut at) = (0.0, 0);
    for centroid in centroids.iter() {
        if wanted <= sum + centroid.area * 0.5 {
            break;
        }
        sum += centroid.area;
        at += 1;
    }
    let (first, second) = centroids.split_at_mut(at.clamp(1, centroids.len() - 1));
    region_centers(first, left, centers);
    region_centers(second, n_regions - left, centers);
}
