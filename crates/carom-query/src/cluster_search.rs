//! A search in a cluster: the parts that are near another shape.
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
//! The caller answers for one part, and for a box of the tree.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 6.1 and 6.3 (a tree of parts).

use crate::around::Around;
use crate::closest::Closest;
use crate::cost::Count;
use crate::mesh_shape::box_around;
use crate::workspace::Workspace;
use carom_bounds::Aabb;
use carom_bvh::{BuildSettings, BvhError, Child, QuantizedBvh};
use carom_geom::SupportMap;
use carom_gjk::Outcome;
use carom_math::{WidePose, rounding};
use core::ops::ControlFlow;
use glam::{DMat3, DVec3};

/// A cluster in `f64`: its tree, and bounds of its parts, by number.
pub(crate) trait PartTree {
    /// Returns the tree over the boxes of the parts.
    fn tree(&self) -> &QuantizedBvh;

    /// Returns a box around a part, in the frame of the cluster.
    fn part_box(&self, number: u32) -> Aabb;

    /// Returns the largest coordinate of a part along a direction, in the frame of the cluster.
    fn part_end(&self, number: u32, along: DVec3) -> f64;
}

/// Whether a box touches the other shape. Takes its centre and its half extents.
pub(crate) type TouchesBox<'f> = dyn Fn([DVec3; 2]) -> bool + 'f;

/// Returns the distance of a box from the other shape, up to a limit. Takes its centre and its half
/// extents. `None` if they exceed the range of numbers.
pub(crate) type DistanceOfBox<'f> = dyn Fn([DVec3; 2], f64, &mut Workspace) -> Option<Closest> + 'f;

/// Returns the answer of the part with this number, in its frame, up to a limit of the distance.
pub(crate) type AnswerOfPart<'f> = dyn Fn(u32, f64, &mut Workspace) -> Closest + 'f;

/// Builds the tree over the boxes of the parts. The error is the number of a part that is out of
/// range, or `None` if there are too many parts.
pub(crate) fn build_tree(boxes: &[Aabb], settings: &BuildSettings) -> Result<QuantizedBvh, Option<usize>> {
    QuantizedBvh::packed(boxes, settings).map_err(|error| match error {
        BvhError::NotFinite { primitive }
        | BvhError::Inverted { primitive }
        | BvhError::TooLarge { primitive } => Some(primitive),
        _ => None,
    })
}

/// Returns the pose of a part with this centre.
pub(crate) fn at(center: DVec3) -> WidePose {
    WidePose { translation: center, ..WidePose::IDENTITY }
}

/// Returns a box around a part, rounded outwards.
pub(crate) fn box_of_part(center: DVec3, half: DVec3) -> Aabb {
    let (low, high) = (center - half, center + half);
    // Bounds the rounding of a few operations, each relative to the largest operand.
    let slack = low.abs().max(high.abs()).max_element() * (32.0 * f64::EPSILON);
    Aabb::around(low - slack, high + slack)
}

/// Bound of the relative rounding of the coordinates of boxes, with a large reserve.
const ROUNDING: f64 = 1.0 / (1_u64 << 40) as f64;

/// The other shape of a query, in the frame of the cluster.
pub(crate) struct Other {
    /// The largest coordinate of its position.
    far: f64,
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

impl Other {
    /// Creates the data of a shape from the box around it. `is_exact`: whether the shape is near a
    /// box of the tree is decided by their distance.
    pub(crate) fn new(aabb: &Aabb, pose: &WidePose, is_exact: bool) -> Other {
        let finer = if is_exact { Finer::Exact } else { Finer::No };
        let far = pose.translation.abs().max_element();
        Other { far, low: aabb.min.as_dvec3(), high: aabb.max.as_dvec3(), margin: 0.0, finer }
    }

    /// Creates the data of a convex shape from the box around it along its own axes.
    /// `bounds` is the box around the tree.
    pub(crate) fn convex(bounds: &Aabb, map: &dyn SupportMap, around: &Around, pose: &WidePose) -> Other {
        let margin = map.margin();
        let (center, half) = (pose.transform_point(around.center()), around.half() - margin);
        let turn = pose.rotation.transpose();
        let abs_turn = DMat3::from_cols(turn.x_axis.abs(), turn.y_axis.abs(), turn.z_axis.abs());
        let reach = bounds.min.abs().max(bounds.max.abs()).as_dvec3() + center.abs() + around.half();
        let slack = reach.element_sum() * ROUNDING;
        let extent = abs_turn.transpose() * half + slack;
        // A point, and a box that is not rotated, have no better axes than those of the cluster.
        let is_turned = pose.rotation != DMat3::IDENTITY && 0.0 < map.radius();
        let own = OwnBox { center, half, turn, abs_turn, slack };
        let finer = if is_turned { Finer::Axes(own) } else { Finer::No };
        let far = pose.translation.abs().max_element();
        Other { far, low: center - extent, high: center + extent, margin, finer }
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

    /// Returns the centre and the half extents of a box, larger by `room`.
    fn solid(&self, aabb: &Aabb, room: f64) -> [DVec3; 2] {
        let (low, high) = (aabb.min.as_dvec3(), aabb.max.as_dvec3());
        let far = low.abs().max(high.abs()).max_element() + self.far;
        [low * 0.5 + high * 0.5, (high - low) * 0.5 + room + far * ROUNDING]
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
    fn may_be_near(&self, aabb: &Aabb, limit: f64, touches: &TouchesBox<'_>, count: impl Count) -> bool {
        if !self.may_be_near_part(aabb, limit, count) {
            return false;
        }
        match &self.finer {
            Finer::No | Finer::Axes(_) => true,
            Finer::Exact => touches(self.solid(aabb, limit)),
        }
    }

    /// Whether the shape is farther than `limit` from a box whose distance along the axes of the
    /// cluster is not.
    fn is_beyond(
        &self,
        aabb: &Aabb,
        limit: f64,
        distance: &DistanceOfBox<'_>,
        memory: &mut Workspace,
    ) -> bool {
        match &self.finer {
            Finer::No => false,
            Finer::Axes(own) => own.is_beyond(aabb, limit + self.margin),
            Finer::Exact => {
                distance(self.solid(aabb, 0.0), limit, memory).is_some_and(|found| match found.outcome {
                    Outcome::Exact => limit < found.distance,
                    Outcome::Within(error) => limit < found.distance - error,
                    _ => false,
                })
            }
        }
    }
}

/// Visits the numbers of the parts whose boxes may be within `limit` of the other shape, unsorted.
pub(crate) fn visit_near<C: PartTree + ?Sized>(
    a: &C,
    other: &Other,
    limit: f64,
    touches: &TouchesBox<'_>,
    count: impl Count,
    part: &mut dyn FnMut(u32) -> ControlFlow<()>,
) {
    let _ = descend_near(a, 0, other, limit, touches, count, part);
}

fn descend_near<C: PartTree + ?Sized>(
    a: &C,
    node: u32,
    other: &Other,
    limit: f64,
    touches: &TouchesBox<'_>,
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

/// Returns the answer of the part with the least distance up to `max_distance`, in the frame of
/// that part; `None` if there is none. `stops`: whether the search ends at a part that touches.
pub(crate) fn nearest<C: PartTree + ?Sized>(
    a: &C,
    other: &Other,
    (max_distance, stops): (f64, bool),
    distance: &DistanceOfBox<'_>,
    answer: &AnswerOfPart<'_>,
    memory: &mut Workspace,
    count: impl Count,
) -> Option<Closest> {
    let mut search = Search { a, other, max_distance, stops, best: Closest::NOWHERE };
    search.descend(0, distance, answer, memory, count);
    (search.best.part_a != u32::MAX).then_some(search.best)
}

/// A search for the part with the least answer.
struct Search<'s, C: ?Sized> {
    a: &'s C,
    other: &'s Other,
    max_distance: f64,
    /// Whether the search ends at a part that touches.
    stops: bool,
    best: Closest,
}

impl<C: PartTree + ?Sized> Search<'_, C> {
    /// Returns the distance beyond which parts do not matter.
    fn limit(&self) -> f64 {
        self.best.distance.min(self.max_distance).max(0.0)
    }

    /// Searches the children of a node, those with near boxes first.
    fn descend(
        &mut self,
        node: u32,
        distance: &DistanceOfBox<'_>,
        answer: &AnswerOfPart<'_>,
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
    fn test_part(
        &mut self,
        number: u32,
        answer: &AnswerOfPart<'_>,
        memory: &mut Workspace,
        count: impl Count,
    ) {
        count.add(|cost| cost.primitives += 1);
        if !self.other.may_be_near_part(&self.a.part_box(number), self.limit(), count) {
            return;
        }
        let mut closest = answer(number, self.limit(), memory);
        closest.part_a = number;
        if closest.is_before(&self.best) {
            self.best = closest;
        }
    }
}

/// Returns the largest coordinate of a cluster along a direction, in its frame.
pub(crate) fn farthest(a: &(impl PartTree + ?Sized), along: DVec3) -> f64 {
    let mut most = f64::NEG_INFINITY;
    descend_along(a, 0, along, &mut most);
    most
}

fn descend_along(a: &(impl PartTree + ?Sized), node: u32, along: DVec3, most: &mut f64) {
    let end = |aabb: &Aabb| {
        let (low, high) = (aabb.min.as_dvec3(), aabb.max.as_dvec3());
        DVec3::select(along.cmpge(DVec3::ZERO), high, low).dot(along)
    };
    let mut children = [const { None }; 8];
    for (slot, (reference, child)) in children.iter_mut().zip(a.tree().children(node)) {
        *slot = Some((end(&a.tree().volume(reference)), child));
    }
    children.sort_by(|x, y| {
        let far = |child: &Option<(f64, Child<'_>)>| child.map_or(f64::NEG_INFINITY, |child| child.0);
        far(y).total_cmp(&far(x))
    });
    for (far, child) in children.into_iter().flatten() {
        if far <= *most {
            return;
        }
        match child {
            Child::Node(node) => descend_along(a, node, along, most),
            Child::Leaf(leaf) => {
                for &number in leaf.primitives {
                    *most = most.max(a.part_end(number, along));
                }
            }
        }
    }
}

/// Returns a box around the placed cluster, as tight as rounding allows.
pub(crate) fn placed_box(a: &(impl PartTree + ?Sized), pose: &WidePose) -> Aabb {
    let bounds = a.tree().bounds();
    let whole = box_around([bounds.min.as_dvec3(), bounds.max.as_dvec3()], pose);
    if pose.rotation == DMat3::IDENTITY || !pose.translation.is_finite() {
        return whole;
    }
    let rows = pose.rotation.transpose();
    let (mut low, mut high) = (DVec3::ZERO, DVec3::ZERO);
    for (axis, row) in [rows.x_axis, rows.y_axis, rows.z_axis].into_iter().enumerate() {
        low[axis] = pose.translation[axis] - farthest(a, -row);
        high[axis] = pose.translation[axis] + farthest(a, row);
    }
    let reach = bounds.min.abs().max(bounds.max.abs()).as_dvec3().max_element();
    let slack = (reach + pose.translation.abs().max_element()) * ROUNDING;
    let tight = Aabb { min: rounding::down3(low - slack), max: rounding::up3(high + slack) };
    whole.intersection(&tight).unwrap_or(whole)
}
