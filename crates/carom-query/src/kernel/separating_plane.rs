//! A separating plane: the proof that two bodies are apart.
//!
//! Two convex bodies that are apart have a separating plane perpendicular to the line between
//! their nearest points. The proof needs two supports along the normal of the plane, without a
//! search; rounding is included. For a half-space this normal is the half-space's own, up to
//! rounding. Bodies that are not convex may be apart without such a plane. Their proof is the
//! lower bound [`Distance::at_least`](super::Distance::at_least).
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 3.8 and 9.2 (separating planes).

use super::super::num::{Pose, widen};
use super::dispatch;
use super::pair::relative;
use super::shape::{Shape, ShapeKind};
use crate::cluster_search;
use crate::workspace::Workspace;
use carom_math::{WidePose, scaling};
use glam::DVec3;

/// A plane with one body on each side, in the world frame.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SeparatingPlane {
    /// Unit vector up to rounding, from A towards B.
    pub normal: DVec3,
    /// Upper bound of A's coordinates along the normal.
    pub end_of_a: f64,
    /// Lower bound of B's coordinates along the normal; greater than `end_of_a`.
    pub start_of_b: f64,
}

impl SeparatingPlane {
    /// Returns the gap along the normal: a lower bound of the distance.
    pub fn gap(&self) -> f64 {
        self.start_of_b - self.end_of_a
    }
}

/// Returns a separating plane of two shapes: proof that they do not touch. `None` if none is
/// found.
///
/// A plane is found for any two convex shapes that are apart by more than rounding. For other
/// shapes three kinds of normals are tried: between the nearest points, between the centres, and
/// along the axes of both frames. If all fail, a plane may still exist.
pub fn separating_plane(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Option<SeparatingPlane> {
    let b_in_a = relative(pose_a, pose_b);
    let nearest = dispatch::distance(a, b, &b_in_a, f64::INFINITY, &mut Workspace::default(), ());
    if !(0.0 < nearest.distance) {
        return None;
    }
    let (wide_a, wide_b) = (pose_a.wide(), pose_b.wide());
    let of_nearest = wide_a.transform_vector(nearest.normal);
    let between = wide_b.translation - wide_a.translation;
    let (of_a, of_b) = (wide_a.rotation, wide_b.rotation);
    let axes = [of_a.x_axis, of_a.y_axis, of_a.z_axis, of_b.x_axis, of_b.y_axis, of_b.z_axis];
    let all = [of_nearest, between].into_iter().chain(axes.into_iter().flat_map(|axis| [axis, -axis]));
    all.filter_map(scaling::unit).find_map(|normal| {
        let (end_of_a, start_of_b) = (end(a, &wide_a, normal), -end(b, &wide_b, -normal));
        (end_of_a < start_of_b).then_some(SeparatingPlane { normal, end_of_a, start_of_b })
    })
}

/// Returns an upper bound of a placed shape's coordinates along a unit direction.
fn end(shape: &Shape, pose: &WidePose, along: DVec3) -> f64 {
    let own = pose.inverse_transform_vector(along);
    let (reach, far) = match shape.kind() {
        ShapeKind::Convex(map) => {
            let near = map.support(own);
            let far = map.support_exact(own, near).point.dot(own) + map.margin();
            (map.center().abs().max_element() + map.radius() + map.margin(), far)
        }
        // A half-space is bounded only along its normal. That normal was rounded in the world
        // frame.
        ShapeKind::HalfSpace(half_space) => {
            let turned = half_space.normal_wide().cross(own);
            let is_own =
                scaling::length(turned) <= 16.0 * f64::EPSILON && 0.0 < half_space.normal_wide().dot(own);
            (0.0, if is_own { 0.0 } else { f64::INFINITY })
        }
        ShapeKind::Mesh(mesh) => {
            let vertices = || mesh.mesh().vertices().iter().map(|v| widen(*v));
            let reach = vertices().fold(0.0, |most: f64, v| most.max(v.abs().max_element()));
            (reach, vertices().map(|v| v.dot(own)).fold(f64::NEG_INFINITY, f64::max))
        }
        ShapeKind::Field(field) => {
            let [low, high] = field.bounds();
            let reach = low.abs().max(high.abs()).max_element();
            (reach, DVec3::select(own.cmpge(DVec3::ZERO), high, low).dot(own))
        }
        ShapeKind::Cluster(parts) => {
            let bounds = parts.tree().bounds();
            let reach = f64::from(bounds.min.abs().max(bounds.max.abs()).max_element());
            (reach, cluster_search::farthest(parts, own))
        }
        ShapeKind::Compound(compound) => {
            let ends = compound.parts().iter().map(|part| {
                let own = part.pose.wide();
                let placed = WidePose {
                    rotation: pose.rotation * own.rotation,
                    translation: pose.transform_point(own.translation),
                };
                end(&part.shape, &placed, along)
            });
            return ends.fold(f64::NEG_INFINITY, f64::max);
        }
    };
    // Matrices are orthonormal up to 4 units of rounding. Then follow two products and sums of
    // three.
    let slack = 32.0 * f64::EPSILON * (reach + pose.translation.abs().max_element());
    far + pose.translation.dot(along) + slack
}
