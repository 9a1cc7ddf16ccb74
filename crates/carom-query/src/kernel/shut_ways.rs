//! Ways out of one piece of a floor that lead into the next: who is deep in both is to come out by
//! another.
//!
//! A body is pushed out of each piece by the least way. Deep where two pieces meet, under the
//! surface, these ways lead through the face that the two share: each piece pushes the body into
//! the other, it comes out of neither, and what pulls at it, joints for example, is pumped up by
//! the two pushes, which are not in one line. A way is shut if it begins inside another piece that
//! pushes back. The least of the others is found as the depth in a larger piece: the piece drawn
//! out along the shut way. Of two pieces that shut each other's ways that one is left by another
//! out of which it is shorter.
//!
//! Of 6,000 balls, capsules and boxes put up to 16 cm deep where two, three or four blocks meet,
//! 4,276 stayed there for two seconds, 272 fell through and 169 were thrown up; now 77, 82 and 43,
//! nearly all of them where three blocks meet of which one is higher (November 2026).
//!
//! Reference: G. van den Bergen, Collision Detection in Interactive 3D Environments, 2003, 2.3 and
//! 4.3 (sums of convex sets, depth).

use super::super::num::geom::Manifold;
use super::super::num::sat::Chosen;
use super::super::num::{Real, widen};
use super::convex;
use super::internal_edges::{Neighbour, Touch, touches};
use super::manifolds::{around, place};
use super::shape::{Kind, Shape};
use crate::ray_convex::Point;
use carom_geom::{NO_VERTEX, SupportMap, SupportPoint};
use carom_math::WidePose;
use carom_math::scaling::length;
use glam::DVec3;

/// Minus the cosine of 60 degrees: two normals with less than this push against each other, rather
/// than past each other.
const AGAINST: f64 = -0.5;

/// So many ways out of a piece are shut at most: those to all sides of a tile.
const MOST_SHUT: usize = 4;

/// A body, and all that it touches.
pub(super) struct Surroundings<'a> {
    pub(super) body: &'a Shape,
    pub(super) pose: &'a WidePose,
    pub(super) neighbours: &'a [Neighbour<'a>],
    pub(super) prediction: Real,
    /// A length: so far from a piece is in it.
    pub(super) tolerance: f64,
}

impl Surroundings<'_> {
    /// The contacts instead of those of manifold number `index`, which is one of `piece`, if its
    /// way is shut; none if another one that pushes against it has a shorter way aside.
    pub(super) fn aside(
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

    /// The contacts along the least way out of a piece that is not shut; none if that of the
    /// manifold is not, if all are, and for a triangle.
    fn least_open(&self, piece: &Neighbour<'_>, index: usize, manifolds: &[Manifold]) -> Option<Manifold> {
        let own = Touch::of(piece, self.body, manifolds, index)?;
        // Before the walks over all that is touched, which would be for nothing.
        if piece.shape.is_mesh_part(own.part) {
            return None;
        }
        let mut shut = [DVec3::ZERO; MOST_SHUT];
        shut[0] = -self.shut_by(piece, index, manifolds)?.normal;
        for n in 1..=MOST_SHUT {
            let made = self.out_of_drawn(piece, &own, &shut[..n])?;
            let normal = piece.outward(&made);
            // Beside its own piece, over another one, a way leads past that.
            let is_blocked = |place: DVec3| {
                let is_on_piece = self.has_inside(piece, &own, place);
                let place = place + normal * (2.0 * self.tolerance);
                touches(self.neighbours, self.body, manifolds).any(|(other, k, touch)| {
                    k != index
                        && self.has_inside(other, &touch, place)
                        && (normal.dot(touch.normal) < AGAINST
                            || is_on_piece && self.shut_by(other, k, manifolds).is_some())
                })
            };
            if !places(piece, &made).all(is_blocked) {
                return Some(made);
            }
            *shut.get_mut(n)? = normal;
        }
        None
    }

    /// One of those that push against a manifold of a piece, if it begins everywhere in theirs.
    fn shut_by(&self, piece: &Neighbour<'_>, index: usize, manifolds: &[Manifold]) -> Option<Touch> {
        let manifold = &manifolds[index];
        let step = piece.outward(manifold) * (2.0 * self.tolerance);
        let is_in_one = |place: DVec3| {
            self.against(piece, index, manifolds)
                .any(|(other, _, touch)| self.has_inside(other, &touch, place + step))
        };
        let (.., one) = self.against(piece, index, manifolds).next()?;
        places(piece, manifold).all(is_in_one).then_some(one)
    }

    /// The touches that push against a manifold of a piece, and the numbers of their manifolds.
    fn against<'a>(
        &'a self,
        piece: &Neighbour<'_>,
        index: usize,
        manifolds: &'a [Manifold],
    ) -> impl Iterator<Item = (&'a Neighbour<'a>, usize, Touch)> {
        let normal = piece.outward(&manifolds[index]);
        touches(self.neighbours, self.body, manifolds)
            .filter(move |&(_, k, ref touch)| k != index && normal.dot(touch.normal) < AGAINST)
    }

    /// A place is in the piece of a touch, or nearly; a triangle has no inside.
    fn has_inside(&self, piece: &Neighbour<'_>, touch: &Touch, place: DVec3) -> bool {
        if let Kind::HalfSpace(plane) = piece.shape.kind() {
            let normal = piece.pose.transform_vector(plane.normal_wide());
            return normal.dot(place - piece.pose.translation) <= self.tolerance;
        }
        if piece.shape.is_mesh_part(touch.part) {
            return false;
        }
        let distance = piece.shape.with_part(touch.part, &piece.pose, |map, pose| {
            let at = WidePose { translation: pose.inverse_transform_point(place), ..WidePose::IDENTITY };
            convex::distance(map, &Point, &at, f64::INFINITY, None, ()).distance
        });
        distance.is_some_and(|distance| distance <= self.tolerance)
    }

    /// The contacts along the least way out of a piece that leads along none of these directions.
    /// World frame.
    fn out_of_drawn(&self, piece: &Neighbour<'_>, own: &Touch, shut: &[DVec3]) -> Option<Manifold> {
        let made = piece.shape.with_part(own.part, &piece.pose, |map, pose| {
            self.body.with_part(own.own_part, self.pose, |body, pose_body| {
                let size = map.radius() + map.margin() + body.radius() + body.margin();
                // Longer than any other way out.
                let mut ways = [DVec3::ZERO; MOST_SHUT];
                for (way, shut) in ways.iter_mut().zip(shut) {
                    *way = pose.inverse_transform_vector(*shut) * (2.0 * size);
                }
                let body_in_piece = pose_body.relative_to(pose);
                let closest =
                    convex::signed(&DrawnOut { map, ways }, body, &body_in_piece, f64::INFINITY, None, ());
                // The deepest place is there too where the body is beside the piece, over what it
                // was drawn out to.
                let mut made =
                    around(map, body, &body_in_piece, &closest, self.prediction, &mut Chosen::new())?;
                place(&mut made, pose);
                Some(if piece.is_a { made } else { made.swapped() })
            })
        });
        made.flatten().flatten().map(|made| own.with_parts(piece, made))
    }
}

/// Where the ways out of a piece begin: its contacts on it.
fn places(piece: &Neighbour<'_>, manifold: &Manifold) -> impl Iterator<Item = DVec3> {
    let is_a = piece.is_a;
    manifold.contacts().iter().map(move |contact| widen(if is_a { contact.point_a } else { contact.point_b }))
}

/// A piece and all that it passes when it is moved along each of these ways.
struct DrawnOut<'a> {
    map: &'a dyn SupportMap,
    ways: [DVec3; MOST_SHUT],
}

impl DrawnOut<'_> {
    fn drawn(&self, direction: DVec3, mut found: SupportPoint) -> SupportPoint {
        for way in self.ways {
            if 0.0 < direction.dot(way) {
                found.point += way;
            }
        }
        // No vertex of the piece any more.
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
        self.ways.iter().fold(self.map.center(), |center, way| center + 0.5 * *way)
    }

    fn radius(&self) -> f64 {
        self.ways.iter().fold(self.map.radius(), |radius, way| radius + 0.5 * length(*way))
    }

    fn margin(&self) -> f64 {
        self.map.margin()
    }
}
