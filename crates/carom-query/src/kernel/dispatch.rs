//! One `match` over the kinds of two shapes for each query, so a missing pair does not compile.
//!
//! Each pair of kinds is implemented in one order. The other order swaps the bodies and mirrors the
//! answer.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 4.1 (one test per pair of kinds).

use super::shape::{Kind, Shape};
use super::{compound, field, half_space, mesh_convex, mesh_mesh, special};
use crate::closest::Closest;
use crate::cost::Count;
use crate::workspace::Workspace;
use carom_math::WidePose;

/// Whether two shapes touch or overlap.
pub(super) fn intersects(a: &Shape, b: &Shape, b_in_a: &WidePose, count: impl Count) -> bool {
    match (a.kind(), b.kind()) {
        (Kind::Convex(map_a), Kind::Convex(map_b)) => special::intersects(a, map_a, b, map_b, b_in_a, count),
        (Kind::HalfSpace(a), Kind::Convex(b)) => {
            half_space::closest_convex(a, b, b_in_a, count).distance <= 0.0
        }
        (Kind::HalfSpace(a), Kind::HalfSpace(b)) => {
            half_space::closest_half_space(a, b, b_in_a, count).distance <= 0.0
        }
        (Kind::Mesh(a), Kind::Convex(b)) => mesh_convex::intersects(a, b, b_in_a, count),
        (Kind::Mesh(a), Kind::Mesh(b)) => mesh_mesh::intersects(a, b, b_in_a, count),
        (Kind::HalfSpace(a), Kind::Mesh(b)) => {
            mesh_convex::closest_to_half_space(a, b, b_in_a, count).distance <= 0.0
        }
        (Kind::Field(a), Kind::Convex(_) | Kind::HalfSpace(_) | Kind::Mesh(_) | Kind::Field(_)) => {
            field::intersects(a, &b.kind(), b_in_a, count)
        }
        (Kind::Compound(a), _) => compound::intersects(a, b, b_in_a, count),
        (Kind::Convex(_), Kind::HalfSpace(_) | Kind::Mesh(_) | Kind::Field(_) | Kind::Compound(_))
        | (Kind::HalfSpace(_), Kind::Field(_) | Kind::Compound(_))
        | (Kind::Mesh(_), Kind::HalfSpace(_) | Kind::Field(_) | Kind::Compound(_))
        | (Kind::Field(_), Kind::Compound(_)) => intersects(b, a, &b_in_a.inverse(), count),
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
    match (a.kind(), b.kind()) {
        (Kind::Convex(map_a), Kind::Convex(map_b)) => {
            special::distance(a, map_a, b, map_b, b_in_a, max_distance, None, count)
        }
        (Kind::HalfSpace(a), Kind::Convex(b)) => half_space::closest_convex(a, b, b_in_a, count),
        (Kind::HalfSpace(a), Kind::HalfSpace(b)) => half_space::closest_half_space(a, b, b_in_a, count),
        (Kind::Mesh(a), Kind::Convex(b)) => mesh_convex::distance(a, b, b_in_a, max_distance, count),
        (Kind::Mesh(a), Kind::Mesh(b)) => mesh_mesh::distance(a, b, b_in_a, max_distance, memory, count),
        (Kind::HalfSpace(a), Kind::Mesh(b)) => mesh_convex::closest_to_half_space(a, b, b_in_a, count),
        (Kind::Field(a), Kind::Convex(_) | Kind::HalfSpace(_) | Kind::Mesh(_) | Kind::Field(_)) => {
            field::distance(a, &b.kind(), b_in_a, max_distance, count)
        }
        (Kind::Compound(a), _) => compound::distance(a, b, b_in_a, max_distance, memory, count),
        (Kind::Convex(_), Kind::HalfSpace(_) | Kind::Mesh(_) | Kind::Field(_) | Kind::Compound(_))
        | (Kind::HalfSpace(_), Kind::Field(_) | Kind::Compound(_))
        | (Kind::Mesh(_), Kind::HalfSpace(_) | Kind::Field(_) | Kind::Compound(_))
        | (Kind::Field(_), Kind::Compound(_)) => {
            distance(b, a, &b_in_a.inverse(), max_distance, memory, count).swapped(&b_in_a.inverse())
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
    let closest = match (a.kind(), b.kind()) {
        (Kind::Convex(map_a), Kind::Convex(map_b)) => {
            special::signed(a, map_a, b, map_b, b_in_a, prediction, None, count)
        }
        (Kind::HalfSpace(a), Kind::Convex(b)) => half_space::closest_convex(a, b, b_in_a, count),
        (Kind::HalfSpace(a), Kind::HalfSpace(b)) => half_space::closest_half_space(a, b, b_in_a, count),
        (Kind::Mesh(a), Kind::Convex(b)) => mesh_convex::contact(a, b, b_in_a, prediction, count)?,
        (Kind::Mesh(a), Kind::Mesh(b)) => mesh_mesh::contact(a, b, b_in_a, prediction, memory, count)?,
        (Kind::HalfSpace(a), Kind::Mesh(b)) => mesh_convex::closest_to_half_space(a, b, b_in_a, count),
        (Kind::Field(a), Kind::Convex(_) | Kind::HalfSpace(_) | Kind::Mesh(_) | Kind::Field(_)) => {
            field::contact(a, &b.kind(), b_in_a, prediction, count)?
        }
        (Kind::Compound(a), _) => compound::contact(a, b, b_in_a, prediction, memory, count)?,
        (Kind::Convex(_), Kind::HalfSpace(_) | Kind::Mesh(_) | Kind::Field(_) | Kind::Compound(_))
        | (Kind::HalfSpace(_), Kind::Field(_) | Kind::Compound(_))
        | (Kind::Mesh(_), Kind::HalfSpace(_) | Kind::Field(_) | Kind::Compound(_))
        | (Kind::Field(_), Kind::Compound(_)) => {
            contact(b, a, &b_in_a.inverse(), prediction, memory, count)?.swapped(&b_in_a.inverse())
        }
    };
    (closest.distance <= prediction).then_some(closest)
}
