//! The three queries of two shapes in A's frame: touch, distance, contact.
//!
//! Each calls the algorithm that [`super::method`] names. In the swapped order the answer is
//! mirrored. Methods that answer part by part get the query of one part as a closure.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 4.1 (one test per pair of kinds).

use super::method::{Method, method};
use super::shape::Shape;
use super::{closed_form, cluster_pair, compound_pair};
use crate::closest::Closest;
use crate::cost::Count;
use crate::field_pair::FieldQuery;
use crate::workspace::Workspace;
use crate::{half_space, mesh_convex, mesh_mesh};
use carom_math::WidePose;

/// Whether two shapes touch or overlap.
pub(super) fn intersects(a: &Shape, b: &Shape, b_in_a: &WidePose, count: impl Count) -> bool {
    let touches = |part: &Shape, b_in_part: &WidePose| intersects(part, b, b_in_part, count);
    match method(a, b) {
        Method::Convex(shapes) => closed_form::intersects(shapes, b_in_a, count),
        Method::PlaneConvex(a, b) => {
            half_space::closest_convex(a.normal_wide(), b, b_in_a, count).distance <= 0.0
        }
        Method::Planes(a, b) => {
            half_space::closest_half_space(a.normal_wide(), b.normal_wide(), b_in_a, count).distance <= 0.0
        }
        Method::PlaneMesh(a, b) => {
            mesh_convex::closest_to_half_space(a.normal_wide(), b, b_in_a, count).distance <= 0.0
        }
        Method::MeshConvex(a, b) => mesh_convex::intersects(a, b, b_in_a, count),
        Method::Meshes(a, b) => mesh_mesh::intersects(a, b, b_in_a, count),
        Method::Field(a, b) => FieldQuery::new(a, b_in_a, 0.0, count).intersects(&b),
        Method::Cluster(a) => cluster_pair::intersects(a, b, b_in_a, &touches, count),
        Method::Parts(a) => compound_pair::intersects(a, b, b_in_a, count, touches),
        Method::Swapped => intersects(b, a, &b_in_a.inverse(), count),
    }
}

/// Returns the distance of two shapes in A's frame; 0, with a common point, if they overlap. If
/// they are known to be farther apart than `max_distance`, it may return any larger number.
pub(super) fn distance(
    a: &Shape,
    b: &Shape,
    b_in_a: &WidePose,
    max_distance: f64,
    memory: &mut Workspace,
    count: impl Count,
) -> Closest {
    let of_part = |part: &Shape, b_in_part: &WidePose, limit: f64, memory: &mut Workspace| {
        distance(part, b, b_in_part, limit, memory, count)
    };
    match method(a, b) {
        Method::Convex(shapes) => closed_form::distance(shapes, b_in_a, max_distance, None, count),
        Method::PlaneConvex(a, b) => half_space::closest_convex(a.normal_wide(), b, b_in_a, count),
        Method::Planes(a, b) => {
            half_space::closest_half_space(a.normal_wide(), b.normal_wide(), b_in_a, count)
        }
        Method::PlaneMesh(a, b) => mesh_convex::closest_to_half_space(a.normal_wide(), b, b_in_a, count),
        Method::MeshConvex(a, b) => mesh_convex::distance(a, b, b_in_a, max_distance, count),
        Method::Meshes(a, b) => mesh_mesh::distance(a, b, b_in_a, max_distance, memory, count),
        Method::Field(a, b) => FieldQuery::new(a, b_in_a, max_distance, count).distance(&b),
        Method::Cluster(a) => cluster_pair::distance(a, b, b_in_a, max_distance, &of_part, memory, count),
        Method::Parts(a) => compound_pair::nearest(a, b, b_in_a, max_distance, memory, count, of_part),
        Method::Swapped => {
            let a_in_b = b_in_a.inverse();
            distance(b, a, &a_in_b, max_distance, memory, count).swapped(&a_in_b)
        }
    }
}

/// Returns the deepest contact or the nearest points, in A's frame; `None` beyond `prediction`.
pub(super) fn contact(
    a: &Shape,
    b: &Shape,
    b_in_a: &WidePose,
    prediction: f64,
    memory: &mut Workspace,
    count: impl Count,
) -> Option<Closest> {
    let of_part = |part: &Shape, b_in_part: &WidePose, limit: f64, memory: &mut Workspace| {
        contact(part, b, b_in_part, limit.max(0.0), memory, count).unwrap_or(Closest::NOWHERE)
    };
    let closest = match method(a, b) {
        Method::Convex(shapes) => closed_form::signed(shapes, b_in_a, prediction, None, count),
        Method::PlaneConvex(a, b) => half_space::closest_convex(a.normal_wide(), b, b_in_a, count),
        Method::Planes(a, b) => {
            half_space::closest_half_space(a.normal_wide(), b.normal_wide(), b_in_a, count)
        }
        Method::PlaneMesh(a, b) => mesh_convex::closest_to_half_space(a.normal_wide(), b, b_in_a, count),
        Method::MeshConvex(a, b) => mesh_convex::contact(a, b, b_in_a, prediction, count)?,
        Method::Meshes(a, b) => mesh_mesh::contact(a, b, b_in_a, prediction, memory, count)?,
        Method::Field(a, b) => FieldQuery::new(a, b_in_a, prediction, count).contact(&b)?,
        Method::Cluster(a) => {
            let of_box = |solid: &Shape, b_in_box: &WidePose, limit: f64, memory: &mut Workspace| {
                distance(solid, b, b_in_box, limit, memory, count)
            };
            cluster_pair::contact(a, b, b_in_a, prediction, [&of_box, &of_part], memory, count)?
        }
        Method::Parts(a) => compound_pair::contact(a, b, b_in_a, prediction, memory, count, of_part)?,
        Method::Swapped => {
            let a_in_b = b_in_a.inverse();
            contact(b, a, &a_in_b, prediction, memory, count)?.swapped(&a_in_b)
        }
    };
    (closest.distance <= prediction).then_some(closest)
}
