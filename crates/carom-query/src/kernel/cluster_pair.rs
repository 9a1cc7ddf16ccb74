//! A cluster against any shape, part by part.
//!
//! - Each query descends the tree to the parts that are near the other shape, and makes each of
//!   them as a convex shape. The axes of a part are those of the cluster.
//! - Boxes are tested against a box around the other shape, without its margin: along the axes of
//!   the cluster, then along those of a convex shape. So a long shape that lies at a slant, such
//!   as a robot's arm, reaches few points.
//! - Against shapes that are not convex, a box of the tree is itself a shape, and its true
//!   distance prunes. So a cloud inside the box of a mesh visits only the points near the
//!   triangles. Fields are the exception, because a box costs more there than a ball.
//! - If several parts are equally near, the one with the lowest number answers, unless parts
//!   overlap the other shape.
//!
//! The caller passes the query of one part, and of a box.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 6.1 and 6.3 (a tree of parts).

use super::super::num::geom::Cuboid;
use super::super::num::{Vec3, above};
use super::cluster::{Cluster, ROUNDING, at};
use super::shape::{Shape, ShapeKind};
use crate::around::Around;
use crate::closest::Closest;
use crate::cost::Count;
use crate::workspace::Workspace;
use carom_bounds::Aabb;
use carom_bvh::Child;
use carom_geom::SupportMap;
use carom_gjk::Outcome;
use carom_math::WidePose;
use core::ops::ControlFlow;
use glam::{DMat3, DVec3};

/// Returns the pose in a part with this centre of a shape that has this pose in the cluster.
///
/// [`WidePose::relative_to`] would also multiply the rotation by that of the part, which is the
/// identity.
fn in_part(pose: &WidePose, center: DVec3) -> WidePose {
    WidePose { translation: pose.translation - center, ..*pose }
}

/// Whether a shape touches B, which has this pose in its frame.
pub(super) type Touches<'f> = dyn Fn(&Shape, &WidePose) -> bool + 'f;

/// Returns the distance of a shape from B, which has this pose in its frame, up to a limit.
pub(super) type DistanceOf<'f> = dyn Fn(&Shape, &WidePose, f64, &mut Workspace) -> Closest + 'f;

/// The other shape of a query, in the frame of the cluster.
struct Other<'s> {
    pose: &'s WidePose,
    /// A box along the axes of the cluster. The shape lies within `margin` of it.
    low: DVec3,
    high: DVec3,
    /// The margin of a convex shape, else 0.
    margin: f64,
    finer: Finer,
}

/// The second test of a box, if it is near along the axes of the cluster.
enum Finer {
    /// No second test.
    No,
    /// The distance from the box of a convex shape along the axes of that shape.
    Axes(OwnBox),
    /// The true distance from the shape, of boxes of the tree alone.
    Exact,
}

/// A box around the core of a convex shape, along the axes of the shape.
///
/// The true distance of the shape from each box of the tree, by GJK for a hull, would need no such
/// formulas. With it queries took up to 1.7 times as long.
struct OwnBox {
    center: DVec3,
    half: DVec3,
    /// From the frame of the cluster to that of the shape, and its absolute values.
    turn: DMat3,
    abs_turn: DMat3,
    /// A length: the rounding of a distance.
    slack: f64,
}

impl OwnBox {
    /// Whether the core is surely farther than `limit` from a box.
    #[inline(always)]
    fn is_beyond(&self, aabb: &Aabb, limit: f64) -> bool {
        let (low, high) = (aabb.min.as_dvec3(), aabb.max.as_dvec3());
        let along = self.turn * ((low + high) * 0.5 - self.center);
        let reach = self.abs_turn * ((high - low) * 0.5);
        is_longer((along.abs() - reach - self.half).max(DVec3::ZERO), limit + self.slack)
    }
}

/// Whether a vector is surely longer than `limit`. A root would be simpler, but slower.
#[inline(always)]
fn is_longer(gap: DVec3, limit: f64) -> bool {
    limit * limit * (1.0 + ROUNDING) < gap.length_squared()
}

impl<'s> Other<'s> {
    fn new(a: &dyn Cluster, shape: &Shape, pose: &'s WidePose) -> Other<'s> {
        if let ShapeKind::Convex(map) = shape.kind()
            && let Some(around) = shape.around()
        {
            return Other::convex(a, map, &around, pose);
        }
        // Boxes are no bounds of a field: one costs more there than a ball.
        let finer = if matches!(shape.kind(), ShapeKind::Field(_)) { Finer::No } else { Finer::Exact };
        let aabb = shape.placed_box(pose);
        Other { pose, low: aabb.min.as_dvec3(), high: aabb.max.as_dvec3(), margin: 0.0, finer }
    }

    /// Creates the data of a convex shape from the box around it along its own axes.
    fn convex(a: &dyn Cluster, map: &dyn SupportMap, around: &Around, pose: &'s WidePose) -> Other<'s> {
        let margin = map.margin();
        let (center, half) = (pose.transform_point(around.center()), around.half() - margin);
        let turn = pose.rotation.transpose();
        let abs_turn = DMat3::from_cols(turn.x_axis.abs(), turn.y_axis.abs(), turn.z_axis.abs());
        let bounds = a.tree().bounds();
        let reach = bounds.min.abs().max(bounds.max.abs()).as_dvec3() + center.abs() + around.half();
        let slack = reach.element_sum() * ROUNDING;
        let extent = abs_turn.transpose() * half + slack;
        // A point, and a box that is not rotated, have no better axes than those of the cluster.
        let is_turned = pose.rotation != DMat3::IDENTITY && 0.0 < map.radius();
        let own = OwnBox { center, half, turn, abs_turn, slack };
        let finer = if is_turned { Finer::Axes(own) } else { Finer::No };
        Other { pose, low: center - extent, high: center + extent, margin, finer }
    }

    /// Returns the gap to a box on each axis of the cluster, 0 if there is none.
    #[inline(always)]
    fn gap(&self, aabb: &Aabb, count: impl Count) -> DVec3 {
        count.add(|cost| cost.volume_tests += 1);
        (self.low - aabb.max.as_dvec3()).max(aabb.min.as_dvec3() - self.high).max(DVec3::ZERO)
    }

    /// Returns a lower bound of the distance of a box, along the axes of the cluster.
    #[inline(always)]
    fn box_distance(&self, aabb: &Aabb, count: impl Count) -> f64 {
        (self.gap(aabb, count).length() * (1.0 - ROUNDING) - self.margin).max(0.0)
    }

    /// Returns a box as a shape, larger by `room`, and its centre. `None` if it exceeds the range
    /// of numbers.
    fn solid(&self, aabb: &Aabb, room: f64) -> Option<(Shape, DVec3)> {
        let (low, high) = (aabb.min.as_dvec3(), aabb.max.as_dvec3());
        let far = low.abs().max(high.abs()).max_element() + self.pose.translation.abs().max_element();
        let half = (high - low) * 0.5 + room + far * ROUNDING;
        let half = Vec3::new(above(half.x), above(half.y), above(half.z));
        Some((Shape::Cuboid(Cuboid::new(half).ok()?), low * 0.5 + high * 0.5))
    }

    /// Whether the shape may be within `limit` of the box of a part.
    #[inline(always)]
    fn may_be_near_part(&self, aabb: &Aabb, limit: f64, count: impl Count) -> bool {
        let limit = limit + self.margin;
        let is_beyond = is_longer(self.gap(aabb, count), limit)
            || matches!(&self.finer, Finer::Axes(own) if own.is_beyond(aabb, limit));
        !is_beyond
    }

    /// Whether the shape may be within `limit` of a box of the tree.
    fn may_be_near(&self, aabb: &Aabb, limit: f64, touches: &Touches<'_>, count: impl Count) -> bool {
        if !self.may_be_near_part(aabb, limit, count) {
            return false;
        }
        match &self.finer {
            Finer::No | Finer::Axes(_) => true,
            Finer::Exact => self
                .solid(aabb, limit)
                .is_none_or(|(solid, center)| touches(&solid, &in_part(self.pose, center))),
        }
    }

    /// Whether the shape is farther than `limit` from a box whose distance along the axes of the
    /// cluster is not.
    fn is_beyond(&self, aabb: &Aabb, limit: f64, distance: &DistanceOf<'_>, memory: &mut Workspace) -> bool {
        match &self.finer {
            Finer::No => false,
            Finer::Axes(own) => own.is_beyond(aabb, limit + self.margin),
            Finer::Exact => self.solid(aabb, 0.0).is_some_and(|(solid, center)| {
                let pose = in_part(self.pose, center);
                let found = distance(&solid, &pose, limit, memory);
                match found.outcome {
                    Outcome::Exact => limit < found.distance,
                    Outcome::Within(error) => limit < found.distance - error,
                    _ => false,
                }
            }),
        }
    }
}

/// Visits the numbers of the parts whose boxes may be within `limit` of B, unsorted.
pub(super) fn visit_near(
    a: &dyn Cluster,
    b: &Shape,
    b_in_a: &WidePose,
    limit: f64,
    touches: &Touches<'_>,
    count: impl Count,
    part: &mut dyn FnMut(u32) -> ControlFlow<()>,
) {
    let other = Other::new(a, b, b_in_a);
    let _ = descend_near(a, 0, &other, limit, touches, count, part);
}

fn descend_near(
    a: &dyn Cluster,
    node: u32,
    other: &Other<'_>,
    limit: f64,
    touches: &Touches<'_>,
    count: impl Count,
    part: &mut dyn FnMut(u32) -> ControlFlow<()>,
) -> ControlFlow<()> {
    count.add(|cost| cost.nodes += 1);
    for (reference, child) in a.tree().children(node) {
        if !other.may_be_near(&a.tree().volume(reference), limit, touches, count) {
            continue;
        }
        match child {
            Child::Node(node) => descend_near(a, node, other, limit, touches, count, part)?,
            Child::Leaf(leaf) => {
                count.add(|cost| {
                    (cost.leaves, cost.primitives) =
                        (cost.leaves + 1, cost.primitives + leaf.primitives.len() as u64);
                });
                for &number in leaf.primitives {
                    if other.may_be_near_part(&a.part_box(number), limit, count) {
                        part(number)?;
                    }
                }
            }
        }
    }
    ControlFlow::Continue(())
}

/// Whether a part touches or overlaps B.
pub(super) fn intersects(
    a: &dyn Cluster,
    b: &Shape,
    b_in_a: &WidePose,
    touches: &Touches<'_>,
    count: impl Count,
) -> bool {
    let mut found = false;
    visit_near(a, b, b_in_a, 0.0, touches, count, &mut |number| {
        let (part, center) = a.part(number);
        found = touches(&part.into(), &in_part(b_in_a, center));
        if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    found
}

/// Returns the least distance of a part from B; stops early above `max_distance`.
pub(super) fn distance(
    a: &dyn Cluster,
    b: &Shape,
    b_in_a: &WidePose,
    max_distance: f64,
    distance: &DistanceOf<'_>,
    memory: &mut Workspace,
    count: impl Count,
) -> Closest {
    nearest(a, b, b_in_a, (max_distance, true), distance, distance, memory, count)
}

/// Returns the deepest or nearest contact of a part with B. `contact` returns that of one part;
/// `distance` is for boxes of the tree.
pub(super) fn contact(
    a: &dyn Cluster,
    b: &Shape,
    b_in_a: &WidePose,
    prediction: f64,
    distance: &DistanceOf<'_>,
    contact: &DistanceOf<'_>,
    memory: &mut Workspace,
    count: impl Count,
) -> Option<Closest> {
    let mut closest = nearest(a, b, b_in_a, (prediction, false), distance, contact, memory, count);
    closest.is_local = true;
    (closest.distance <= prediction).then_some(closest)
}

/// Returns the answer of the part with the least distance up to `max_distance`;
/// [`Closest::NOWHERE`] if there is none. `stops`: whether the search ends at a part that touches.
fn nearest(
    a: &dyn Cluster,
    b: &Shape,
    b_in_a: &WidePose,
    (max_distance, stops): (f64, bool),
    distance: &DistanceOf<'_>,
    answer: &DistanceOf<'_>,
    memory: &mut Workspace,
    count: impl Count,
) -> Closest {
    let mut search =
        Search { a, other: Other::new(a, b, b_in_a), max_distance, stops, best: Closest::NOWHERE };
    search.descend(0, distance, answer, memory, count);
    search.best
}

/// A search for the part with the least answer.
struct Search<'s> {
    a: &'s dyn Cluster,
    other: Other<'s>,
    max_distance: f64,
    /// Whether the search ends at a part that touches.
    stops: bool,
    best: Closest,
}

impl Search<'_> {
    /// Returns the distance beyond which parts do not matter.
    fn limit(&self) -> f64 {
        self.best.distance.min(self.max_distance).max(0.0)
    }

    /// Searches the children of a node, those with near boxes first.
    fn descend(
        &mut self,
        node: u32,
        distance: &DistanceOf<'_>,
        answer: &DistanceOf<'_>,
        memory: &mut Workspace,
        count: impl Count,
    ) {
        let a = self.a;
        count.add(|cost| cost.nodes += 1);
        let (mut children, mut n) = ([const { None }; 8], 0);
        for (reference, child) in a.tree().children(node) {
            let aabb = a.tree().volume(reference);
            let near = self.other.box_distance(&aabb, count);
            if near <= self.limit() {
                children[n] = Some((near, aabb, child));
                n += 1;
            }
        }
        children[..n].sort_by(|x, y| {
            let near = |child: &Option<(f64, Aabb, Child<'_>)>| child.map_or(f64::INFINITY, |child| child.0);
            near(x).total_cmp(&near(y))
        });
        for (near, aabb, child) in children.into_iter().flatten() {
            if self.stops && self.best.distance <= 0.0 || self.limit() < near {
                return;
            }
            if self.other.is_beyond(&aabb, self.limit(), distance, memory) {
                continue;
            }
            match child {
                Child::Node(node) => self.descend(node, distance, answer, memory, count),
                Child::Leaf(leaf) => {
                    count.add(|cost| cost.leaves += 1);
                    leaf.primitives.iter().for_each(|&number| self.test_part(number, answer, memory, count));
                }
            }
        }
    }

    /// Tests one part.
    fn test_part(&mut self, number: u32, answer: &DistanceOf<'_>, memory: &mut Workspace, count: impl Count) {
        count.add(|cost| cost.primitives += 1);
        if !self.other.may_be_near_part(&self.a.part_box(number), self.limit(), count) {
            return;
        }
        let (part, center) = self.a.part(number);
        let mut closest = answer(&part.into(), &in_part(self.other.pose, center), self.limit(), memory);
        closest.part_a = number;
        if closest.is_before(&self.best) {
            self.best = closest.placed(&at(center));
        }
    }
}
