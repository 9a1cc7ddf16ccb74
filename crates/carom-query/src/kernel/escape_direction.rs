//! Blocked escape directions: ways out of one piece of a floor that lead into the next piece.
//!
//! Each piece pushes a body out by the least depth. For a body deep in two adjacent pieces these
//! directions lead through their common face. Each piece pushes it into the other, and it comes out
//! of neither. The two pushes are not collinear, so they add energy, for example to joints.
//!
//! 1. A direction is blocked if it begins inside another piece that pushes back.
//! 2. The least unblocked depth is the depth in a larger shape: the piece swept along the blocked
//!    direction.
//! 3. If two pieces block each other, the one with the smaller alternative depth changes.
//!
//! Measured on 6,000 bodies deep in adjacent blocks: 4,717 stayed in, fell through or were thrown
//! up without this; 202 with it. Details: `benches/notes/carom-query.md`.
//!
//! Reference: G. van den Bergen, Collision Detection in Interactive 3D Environments, 2003, 2.3 and
//! 4.3 (sums of convex sets, depth).

use super::super::num::geom::Manifold;
use super::super::num::sat::Chosen;
use super::super::num::{Real, widen};
use super::convex_manifold::around;
use super::shape::Shape;
use super::touch::{Neighbour, Touch, touches};
use crate::convex;
use crate::ray_convex::Point;
use carom_geom::{NO_VERTEX, SupportMap, SupportPoint};
use carom_math::WidePose;
use carom_math::scaling::length;
use glam::DVec3;

/// Minus the cosine of 60 degrees. Two normals with a smaller dot product push against each other.
const OPPOSING_COSINE: f64 = -0.5;

/// The most directions out of a piece that may be blocked: those to the four sides of a tile.
const MAX_BLOCKED_DIRECTIONS: usize = 4;

/// A body and all shapes that it touches.
pub(super) struct Surroundings<'a> {
    pub(super) body: &'a Shape,
    pub(super) pose: &'a WidePose,
    pub(super) neighbours: &'a [Neighbour<'a>],
    pub(super) prediction: Real,
    /// A length: points this near to a piece count as inside.
    pub(super) tolerance: f64,
}

impl Surroundings<'_> {
    /// Returns new contacts for manifold number `index` of `piece`, if its direction is blocked.
    /// `None` if an opposing piece has a smaller alternative depth.
    pub(super) fn alternative_exit(
        &self,
        piece: &Neighbour<'_>,
        index: usize,
        manifolds: &[Manifold],
    ) -> Option<Manifold> {
        let made = self.least_open(piece, index, manifolds)?;
        let depth = |manifold: &Manifold| manifold.deepest().map(|contact| -contact.distance);
        let is_shorter = |(other, k, _): (&Neighbour<'_>, usize, Touch)| {
            self.least_open(other, k, manifolds).is_some_and(|theirs| depth(&theirs) < depth(&made))
        };
        let some_is_shorter = self.against(piece, index, manifolds).any(is_shorter);
        (!some_is_shorter).then_some(made)
    }

    /// Returns the contacts along the least unblocked direction out of a piece. `None` if the
    /// manifold's own direction is not blocked, if all are, and for a triangle.
    fn least_open(&self, piece: &Neighbour<'_>, index: usize, manifolds: &[Manifold]) -> Option<Manifold> {
        let own = Touch::of(piece, self.body, manifolds, index)?;
        // A triangle has no inside. This is tested first, because the loops over all touches would
        // be useless for it.
        if piece.shape.is_mesh_part(own.part) {
            return None;
        }
        let mut shut = [DVec3::ZERO; MAX_BLOCKED_DIRECTIONS];
        shut[0] = -self.shut_by(piece, index, manifolds)?.normal;
        for n in 1..=MAX_BLOCKED_DIRECTIONS {
            let made = self.out_of_drawn(piece, &own, &shut[..n])?;
            let normal = piece.outward(&made);
            // A blocked direction of the other piece blocks this direction only over this piece.
            // Beside it, over the other piece, there is a direction past the other piece.
            let is_blocked = |position: DVec3| {
                let is_on_piece = self.has_inside(piece, &own, position);
                let position = position + normal * (2.0 * self.tolerance);
                touches(self.neighbours, self.body, manifolds).any(|(other, k, touch)| {
                    k != index
                        && self.has_inside(other, &touch, position)
                        && (normal.dot(touch.normal) < OPPOSING_COSINE
                            || is_on_piece && self.shut_by(other, k, manifolds).is_some())
                })
            };
            if !contact_points(piece, &made).all(is_blocked) {
                return Some(made);
            }
            *shut.get_mut(n)? = normal;
        }
        None
    }

    /// Returns one of the touches that oppose a manifold, if the manifold begins inside opposing
    /// pieces everywhere.
    fn shut_by(&self, piece: &Neighbour<'_>, index: usize, manifolds: &[Manifold]) -> Option<Touch> {
        let manifold = &manifolds[index];
        let step = piece.outward(manifold) * (2.0 * self.tolerance);
        let is_in_one = |position: DVec3| {
            self.against(piece, index, manifolds)
                .any(|(other, _, touch)| self.has_inside(other, &touch, position + step))
        };
        let (.., one) = self.against(piece, index, manifolds).next()?;
        contact_points(piece, manifold).all(is_in_one).then_some(one)
    }

    /// Returns the touches that oppose a manifold of a piece, and the indices of their manifolds.
    fn against<'a>(
        &'a self,
        piece: &Neighbour<'_>,
        index: usize,
        manifolds: &'a [Manifold],
    ) -> impl Iterator<Item = (&'a Neighbour<'a>, usize, Touch)> {
        let normal = piece.outward(&manifolds[index]);
        touches(self.neighbours, self.body, manifolds)
            .filter(move |&(_, k, ref touch)| k != index && normal.dot(touch.normal) < OPPOSING_COSINE)
    }

    /// Whether a position is inside the piece of a touch, or nearly; a triangle has no inside.
    fn has_inside(&self, piece: &Neighbour<'_>, touch: &Touch, position: DVec3) -> bool {
        if let Some((normal, point)) = piece.shape.plane_of_part(touch.part, &piece.pose) {
            return normal.dot(position - point) <= self.tolerance;
        }
        if piece.shape.is_mesh_part(touch.part) {
            return false;
        }
        let distance = piece.shape.with_part(touch.part, &piece.pose, |map, pose| {
            let at = WidePose { translation: pose.inverse_transform_point(position), ..WidePose::IDENTITY };
            convex::distance(map, &Point, &at, f64::INFINITY, None, ()).distance
        });
        distance.is_some_and(|distance| distance <= self.tolerance)
    }

    /// Returns the contacts along the least direction out of a piece that avoids these directions.
    /// World frame.
    fn out_of_drawn(&self, piece: &Neighbour<'_>, own: &Touch, shut: &[DVec3]) -> Option<Manifold> {
        let made = piece.shape.with_part(own.part, &piece.pose, |map, pose| {
            self.body.with_part(own.own_part, self.pose, |body, pose_body| {
                let size = map.radius() + map.margin() + body.radius() + body.margin();
                // The piece is swept farther than any other depth.
                let mut displacements = [DVec3::ZERO; MAX_BLOCKED_DIRECTIONS];
                for (displacement, shut) in displacements.iter_mut().zip(shut) {
                    *displacement = pose.inverse_transform_vector(*shut) * (2.0 * size);
                }
                let body_in_piece = pose_body.relative_to(pose);
                let closest = convex::signed(
                    &DrawnOut { map, displacements },
                    body,
                    &body_in_piece,
                    f64::INFINITY,
                    None,
                    (),
                );
                // The deepest point also exists if the body is beside the piece, over its swept
                // part.
                let mut made =
                    around(map, body, &body_in_piece, &closest, self.prediction, &mut Chosen::new())?;
                made.transform(pose);
                Some(if piece.is_a { made } else { made.swapped() })
            })
        });
        made.flatten().flatten().map(|made| own.with_parts(piece, made))
    }
}

/// Returns the start points of the directions out of a piece: the points of its contacts that lie
/// on it.
fn contact_points(piece: &Neighbour<'_>, manifold: &Manifold) -> impl Iterator<Item = DVec3> {
    let is_a = piece.is_a;
    manifold.contacts().iter().map(move |contact| widen(if is_a { contact.point_a } else { contact.point_b }))
}

/// A piece swept along each of these directions.
struct DrawnOut<'a> {
    map: &'a dyn SupportMap,
    displacements: [DVec3; MAX_BLOCKED_DIRECTIONS],
}

impl DrawnOut<'_> {
    fn drawn(&self, direction: DVec3, mut found: SupportPoint) -> SupportPoint {
        for displacement in self.displacements {
            if 0.0 < direction.dot(displacement) {
                found.point += displacement;
            }
        }
        // The point is not a vertex of the piece any more.
        found.vertex = NO_VERTEX;
        found
    }
}

impl SupportMap for DrawnOut<'_> {
    fn support(&self, direction: DVec3) -> SupportPoint {
        self.drawn(direction, self.map.support(direction))
    }

    fn support_exact(&self, direction: DVec3, _: SupportPoint) -> SupportPoint {
        self.drawn(direction, self.map.support_exact(direction, self.map.support(direction)))
    }

    fn support_slack(&self) -> f64 {
        self.map.support_slack()
    }

    fn center(&self) -> DVec3 {
        self.displacements.iter().fold(self.map.center(), |center, displacement| center + 0.5 * *displacement)
    }

    fn radius(&self) -> f64 {
        self.displacements
            .iter()
            .fold(self.map.radius(), |radius, displacement| radius + 0.5 * length(*displacement))
    }

    fn margin(&self) -> f64 {
        self.map.margin()
    }
}
