//! Several balls that move as one body: a figure that is not convex, in the same tree.
//!
//! Plane shifting needs a convex body, because each plane moves out by one reach. The group is
//! therefore swept ball by ball.
//! - The foremost ball along the segment goes first. Its impact bounds the sweeps of the others,
//!   which end early.
//! - The first impact of any ball is the impact of the group. At equal times, the ball with the
//!   lowest index counts.
//! - No ball is late, so the group is never late (test:
//!   `groups::groups_are_never_late_and_never_earlier_than_their_hull`).
//! - The hull of the balls would stop at obstacles that pass between them.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.5 (several spheres as one
//! character).

use crate::body::Ball;
use crate::trace::TraceHit;
use crate::tree::{BspTree, Contents};
use crate::walk::TraceStack;
use alloc::vec::Vec;
use carom_math::scaling;
use glam::DVec3;

/// A ball of a group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlacedBall {
    /// Offset from the reference point of the group, along the axes of the level. Finite.
    pub center: DVec3,
    /// A length. Finite, not negative.
    pub radius: f64,
}

/// One or more balls that move as one body. The body does not rotate while it moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BallGroup<'a> {
    balls: &'a [PlacedBall],
}

/// The reason that balls were refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BallGroupError {
    /// There are no balls.
    Empty,
    /// A center or radius is NaN or infinite, or a radius is negative.
    BadBall {
        /// The index of the first such ball.
        ball: usize,
    },
}

impl core::fmt::Display for BallGroupError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            BallGroupError::Empty => write!(f, "a group needs a ball"),
            BallGroupError::BadBall { ball } => {
                write!(f, "ball {ball} has a number that is NaN, infinite or a negative radius")
            }
        }
    }
}

impl core::error::Error for BallGroupError {}

impl<'a> BallGroup<'a> {
    /// Returns a group of these balls, which may overlap and may be apart. An error names the
    /// first ball with an invalid center or radius.
    pub fn new(balls: &'a [PlacedBall]) -> Result<BallGroup<'a>, BallGroupError> {
        if balls.is_empty() {
            return Err(BallGroupError::Empty);
        }
        let is_bad = |ball: &PlacedBall| {
            let is_radius = ball.radius.is_finite() && 0.0 <= ball.radius;
            !(ball.center.is_finite() && is_radius)
        };
        match balls.iter().position(is_bad) {
            Some(ball) => Err(BallGroupError::BadBall { ball }),
            None => Ok(BallGroup { balls }),
        }
    }

    /// The balls.
    pub fn balls(&self) -> &'a [PlacedBall] {
        self.balls
    }

    /// Returns the ball that reaches farthest along a direction.
    fn foremost(&self, direction: DVec3) -> usize {
        let reach = |ball: &PlacedBall| ball.center.dot(direction) + ball.radius;
        let farther = |best: usize, (i, ball): (usize, &PlacedBall)| {
            let is_farther = self.balls.get(best).is_some_and(|best| reach(best) < reach(ball));
            if is_farther { i } else { best }
        };
        self.balls.iter().enumerate().fold(0, farther)
    }
}

/// The first impact of a group of balls.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct GroupHit {
    /// The index of the ball that hit. At equal times, a ball that starts inside comes first, then
    /// the one with the lowest index.
    pub ball: usize,
    /// The impact; its `position` is the reference point of the group.
    pub hit: TraceHit,
}

impl BspTree {
    /// Returns the first impact of a group whose reference point moves from `from` by
    /// `displacement`, with contents that share a bit with `mask`. `None` if there is none, or if
    /// a coordinate of the segment is NaN or infinite.
    pub fn trace_group(
        &self,
        group: &BallGroup<'_>,
        from: DVec3,
        displacement: DVec3,
        mask: Contents,
    ) -> Option<GroupHit> {
        self.trace_group_with(group, from, displacement, mask, &mut TraceStack::new())
    }

    /// Does the same as [`BspTree::trace_group`], without allocating once the stack has room.
    pub fn trace_group_with(
        &self,
        group: &BallGroup<'_>,
        from: DVec3,
        displacement: DVec3,
        mask: Contents,
        stack: &mut TraceStack,
    ) -> Option<GroupHit> {
        let first = scaling::unit(displacement).map_or(0, |direction| group.foremost(direction));
        let others = (0..group.balls.len()).filter(|&number| number != first);
        let mut best: Option<GroupHit> = None;
        let mut limit = 1.0;
        for number in core::iter::once(first).chain(others) {
            let Some(ball) = group.balls.get(number) else { continue };
            let body = Ball { radius: ball.radius };
            let Some(hit) = self.trace_until(&body, [from + ball.center, displacement], mask, limit, stack)
            else {
                continue;
            };
            let order = |hit: &TraceHit, ball: usize| (hit.t, !hit.starts_inside, ball);
            if best.is_none_or(|best| order(&hit, number) < order(&best.hit, best.ball)) {
                limit = hit.t;
                best = Some(GroupHit {
                    ball: number,
                    hit: TraceHit { position: from + displacement * hit.t, ..hit },
                });
            }
        }
        best
    }

    /// Returns the contents that any ball of the group overlaps by more than the tolerance, as
    /// [`BspTree::contents_within`] does for one body.
    pub fn contents_within_group(
        &self,
        group: &BallGroup<'_>,
        position: DVec3,
        stack: &mut TraceStack,
    ) -> Contents {
        group.balls.iter().fold(Contents::empty(), |all, ball| {
            all | self.contents_within_with(&Ball { radius: ball.radius }, position + ball.center, stack)
        })
    }

    /// Returns a nearby position at which every ball of the group is free of contents that share a
    /// bit with `mask`. It is found as by [`BspTree::nearest_free`] for one body. The directions
    /// of all balls are tried with the whole group.
    pub fn nearest_free_of_group(
        &self,
        group: &BallGroup<'_>,
        position: DVec3,
        mask: Contents,
    ) -> Option<DVec3> {
        let bodies: Vec<(Ball, DVec3)> =
            group.balls.iter().map(|ball| (Ball { radius: ball.radius }, ball.center)).collect();
        let bodies: Vec<(&Ball, DVec3)> = bodies.iter().map(|(ball, center)| (ball, *center)).collect();
        self.nearest_free_of(&bodies, position, mask)
    }
}
