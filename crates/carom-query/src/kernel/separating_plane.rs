//! The proof that two bodies are apart: a plane between them.
//!
//! Two convex bodies that do not touch have a plane between them: across the line between their
//! nearest points. To check it, both bodies are measured along its normal, which costs two supports
//! and needs no search. That is done here, with rounding counted; the normal of a half-space is its
//! own to rounding. Bodies that are not convex may be apart without a plane; then the proof is the
//! lower bound [`Distance::at_least`](super::Distance::at_least).
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 3.8 and 9.2 (separating planes).

use super::super::num::{Pose, widen};
use super::dispatch;
use super::pair::relative;
use super::shape::{Kind, Shape};
use crate::workspace::Workspace;
use carom_math::{WidePose, scaling};
use glam::DVec3;

/// A plane with one body on each side, in the world frame.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SeparatingPlane {
    /// Unit to rounding, from A towards B.
    pub normal: DVec3,
    /// No point of A is farther along the normal than this.
    pub end_of_a: f64,
    /// No point of B is less far along the normal; more than `end_of_a`.
    pub start_of_b: f64,
}

impl SeparatingPlane {
    /// How far the bodies are apart along the normal: a lower bound of their distance.
    pub fn gap(&self) -> f64 {
        self.start_of_b - self.end_of_a
    }
}

/// A plane between two shapes: proof that they do not touch.
///
/// Given for every two convex shapes that are apart by more than rounding. For others it is looked
/// for across their nearest points, between their middles, and along the axes of both frames; where
/// none of these does, there may be another.
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

/// How far a placed shape reaches along a unit direction, at most.
fn end(shape: &Shape, pose: &WidePose, along: DVec3) -> f64 {
    let own = pose.inverse_transform_vector(along);
    let (reach, far) = match shape.kind() {
        Kind::Convex(map) => {
            let near = map.support(own);
            let far = map.support_exact(own, near).point.dot(own) + map.margin();
            (map.center().abs().max_element() + map.radius() + map.margin(), far)
        }
        // All of it lies below its plane, and nothing else bounds it. Its normal comes back from
        // the world rounded.
        Kind::HalfSpace(half_space) => {
            let turned = half_space.normal_wide().cross(own);
            let is_own =
                scaling::length(turned) <= 16.0 * f64::EPSILON && 0.0 < half_space.normal_wide().dot(own);
            (0.0, if is_own { 0.0 } else { f64::INFINITY })
        }
        Kind::Mesh(mesh) => {
            let vertices = || mesh.mesh().vertices().iter().map(|v| widen(*v));
            let reach = vertices().fold(0.0, |most: f64, v| most.max(v.abs().max_element()));
            (reach, vertices().map(|v| v.dot(own)).fold(f64::NEG_INFINITY, f64::max))
        }
        Kind::Field(field) => {
            let [low, high] = field.bounds();
            let reach = low.abs().max(high.abs()).max_element();
            (reach, DVec3::select(own.cmpge(DVec3::ZERO), high, low).dot(own))
        }
        Kind::Compound(compound) => {
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
    // Matrices are within 4 units of rounding of orthonormal; two products and sums of three.
    let slack = 32.0 * f64::EPSILON * (reach + pose.translation.abs().max_element());
    far + pose.translation.dot(along) + slack
}
