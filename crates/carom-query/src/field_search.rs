//! The least sum of a field's distance and the distance from another shape, by branch and bound.
//!
//! - Inside a convex shape its own distance counts as 0. So in an overlap the least sum is that of
//!   the deepest point of the shape.
//! - If the bodies are apart, the two distances of a surface point add up to at least the gap. So
//!   the least sum is the distance, also for a shape outside the field's box.
//! - If the field is off by at most some length, the least sum is off by no more.
//!
//! The box of the field is bisected along all axes repeatedly. In each part the field has a linear
//! lower bound, and the shape lies behind planes. Parts are pruned by the sum of both bounds. So a
//! flat surface against a parallel face, equally near everywhere, needs few parts.
//!
//! Reference: R. Moore, R. Kearfott, M. Cloud, Introduction to Interval Analysis, 2009, 11.2
//! (branch and bound); B. Mirtich, V-Clip, 1998 (support planes as certificates).

use crate::ray_convex::Point;
use carom_geom::{DistanceField, DistanceSample, LinearFloor, SupportMap, SupportPoint};
use carom_gjk::{Counters, GjkCache, GjkSettings, wide};
use carom_math::WidePose;
use carom_math::scaling::{length, unit};
use glam::DVec3;

/// The most parts of the box that are visited. For half-spaces and for two fields the limit is a
/// sixteenth of this.
pub(crate) const MAX_PARTS: u32 = 1 << 14;

/// Bound for the slope of the interpolation between eight nodes, if the slope between nodes is at
/// most 1: the root of 3, rounded up.
pub(crate) const MAX_SLOPE: f64 = 1.7321;

/// The most descent steps from the point that the search has found.
pub(crate) const MAX_STEPS: u32 = 12;

/// In cells: the longest descent step inside a shape.
const STEP: f64 = 4.0;

/// In cells: parts with shorter sides are not bisected. 2^-24.
pub(crate) const SMALLEST: f64 = 1.0 / (1 << 24) as f64;

/// The point of the least sum.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Least {
    /// The sum at that point.
    pub(crate) sum: f64,
    /// A lower bound of all sums.
    pub(crate) at_least: f64,
    /// In the field's frame.
    pub(crate) position: DVec3,
    /// The field at that point.
    pub(crate) sample: DistanceSample,
    /// The other shape seen from that point.
    pub(crate) other: TargetSample,
}

impl Least {
    /// Returns the sum for a shape that is a single point.
    pub(crate) fn at(position: DVec3, sample: DistanceSample) -> Least {
        let other = TargetSample { distance: 0.0, away: DVec3::ZERO, point: position };
        Least { sum: sample.distance, at_least: sample.distance, position, sample, other }
    }
}

/// The positions that are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SearchDomain {
    /// Positions inside the other shape; all positions if its distance is defined everywhere.
    InOther,
    /// Positions with a sample of 0, up to the error bound.
    OnSurface,
}

/// The nearest point of a shape, seen from a position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TargetSample {
    /// Distance to the shape.
    pub(crate) distance: f64,
    /// Unit vector along which the distance grows; zero inside the shape.
    pub(crate) away: DVec3,
    /// The nearest point of the shape; inside the shape the position itself.
    pub(crate) point: DVec3,
}

impl TargetSample {
    /// The initial value of a search: an infinite distance.
    pub(crate) const NOWHERE: TargetSample =
        TargetSample { distance: f64::INFINITY, away: DVec3::ZERO, point: DVec3::INFINITY };
}

/// A shape that is searched against a field, in the field's frame.
pub(crate) trait Target {
    /// Whether its distance is signed and used everywhere. Otherwise it is 0 inside the shape.
    const IS_EVERYWHERE: bool;

    /// Returns the distance to the shape and its nearest point.
    fn sample_at(&mut self, position: DVec3) -> TargetSample;

    /// Returns a lower bound of the sums in a box in which the field has this floor, without a
    /// query.
    fn floor(&self, floor: &LinearFloor, center: DVec3, half: DVec3) -> f64;

    /// Returns the same, with the result of a query at the centre of the box.
    fn sample_floor(&self, floor: &LinearFloor, target: &TargetSample, half: DVec3) -> f64;

    /// Reports a new least sum, by the query result at its position.
    fn improved(&mut self, target: &TargetSample);
}

/// Returns the least sum to within the tolerance, a length; `None` if no sum is below the limit.
/// The search begins at `start`.
pub(crate) fn least_sum<T: Target>(
    field: &dyn DistanceField,
    target: &mut T,
    domain: SearchDomain,
    start: DVec3,
    limit: f64,
    tolerance: f64,
) -> Option<Least> {
    let [low, high] = field.search_box();
    let smallest = field.resolution() * SMALLEST;
    let error = field.error_bound();
    let n_left = if T::IS_EVERYWHERE { MAX_PARTS / 16 } else { MAX_PARTS };
    let mut search = Search {
        field,
        target,
        domain,
        best: None,
        limit,
        at_least: limit,
        tolerance,
        smallest,
        error,
        n_left,
    };
    let [min, max] = field.bounds();
    // False for NaN.
    if !start.is_finite() {
        return None;
    }
    search.sample(start.clamp(min, max));
    let (center, half) = ((low + high) * 0.5, (high - low) * 0.5);
    let floor = field.floor(center, half);
    let root = search.target.floor(&floor, center, half);
    let finest = if T::IS_EVERYWHERE { FIRST_PART * half.max_element() } else { smallest };
    let at_least = in_passes(finest, smallest, |finest| {
        (search.smallest, search.at_least) = (finest, search.limit);
        search.visit(center, half, &floor, root);
        (search.at_least, search.n_left == 0 || search.limit - tolerance <= search.at_least)
    });
    search.polish();
    search.best.map(|best| Least { at_least: at_least.min(best.sum), ..best })
}

/// The half extent of the smallest parts in the first pass of a search, as a fraction of that of
/// the whole box.
const FIRST_PART: f64 = 0.25;

/// Runs passes that bisect down to parts of one size, then of half that size, and so on. The
/// passes end when one reports that it is the last. Returns the best of their lower bounds.
///
/// A pass that runs out of parts has bisected some of them often and others not at all. Its bound
/// is that of the coarsest part, so earlier passes may have a better bound.
fn in_passes(mut finest: f64, smallest: f64, mut pass: impl FnMut(f64) -> (f64, bool)) -> f64 {
    let mut at_least = f64::NEG_INFINITY;
    loop {
        let (found, is_last) = pass(finest);
        at_least = at_least.max(found);
        // False for NaN.
        if is_last || !(smallest < finest) {
            return at_least;
        }
        finest *= 0.5;
    }
}

struct Search<'a, T> {
    field: &'a dyn DistanceField,
    target: &'a mut T,
    domain: SearchDomain,
    best: Option<Least>,
    /// The least sum so far.
    limit: f64,
    /// A lower bound of the sums in pruned parts.
    at_least: f64,
    tolerance: f64,
    /// Half extents of parts that are not bisected.
    smallest: f64,
    error: f64,
    n_left: u32,
}

impl<T: Target> Search<'_, T> {
    /// Queries the shape at a position, and offers the sums there and at the nearest point of the
    /// shape.
    fn sample(&mut self, position: DVec3) -> (TargetSample, Option<DistanceSample>) {
        let target = self.target.sample_at(position);
        let sample = self.field.sample(position);
        if let Some(sample) = sample
            && (target.distance == 0.0 || self.domain == SearchDomain::OnSurface || T::IS_EVERYWHERE)
        {
            self.offer(position, sample, &target, &target);
        }
        if target.distance != 0.0
            && !T::IS_EVERYWHERE
            && let Some(sample) = self.field.sample(target.point)
        {
            let there = TargetSample { distance: 0.0, away: DVec3::ZERO, point: target.point };
            self.offer(target.point, sample, &there, &target);
        }
        (target, sample)
    }

    fn offer(&mut self, position: DVec3, sample: DistanceSample, other: &TargetSample, from: &TargetSample) {
        let sum = sample.distance + other.distance;
        if sum < self.limit {
            self.limit = sum;
            self.best = Some(Least { sum, at_least: sum, position, sample, other: *other });
            self.target.improved(from);
        }
    }

    /// Descends from the point that was found. Its sum is already good enough, but not its
    /// directions.
    fn polish(&mut self) {
        let resolution = self.field.resolution();
        for _ in 0..MAX_STEPS {
            let Some(best) = self.best else { return };
            let down = best.sample.gradient + best.other.away;
            let longest = best.other.distance.abs().max(STEP * resolution);
            for part in [1.0, 0.25, 0.0625] {
                self.sample(best.position - down * (longest * part));
                if self.limit < best.sum {
                    break;
                }
            }
            if !(self.limit < best.sum - SMALLEST * resolution) {
                return;
            }
        }
    }

    /// Whether a part contains no relevant position: it is outside the other shape, or on one side
    /// of the surface.
    fn is_excluded(&self, target: &TargetSample, sample: Option<DistanceSample>, half: DVec3) -> bool {
        let reach = length(half);
        match self.domain {
            SearchDomain::InOther => !T::IS_EVERYWHERE && reach < target.distance,
            SearchDomain::OnSurface => {
                sample.is_some_and(|sample| sample.distance + MAX_SLOPE * reach < -self.error)
            }
        }
    }

    /// Whether to prune a part: no sum in it is less by more than the tolerance.
    fn is_left_out(&mut self, floor: f64) -> bool {
        let is_out = self.limit - self.tolerance <= floor;
        if is_out {
            self.at_least = self.at_least.min(floor);
        }
        is_out
    }

    /// Searches a part in which `at_least` is a lower bound of the sums.
    fn visit(&mut self, center: DVec3, half: DVec3, floor: &LinearFloor, at_least: f64) {
        if self.domain == SearchDomain::OnSurface && self.error < floor.least(half) {
            return;
        }
        if self.is_left_out(at_least) {
            return;
        }
        if self.n_left == 0 {
            self.at_least = self.at_least.min(at_least);
            return;
        }
        self.n_left -= 1;
        let (target, sample) = self.sample(center);
        if self.is_excluded(&target, sample, half) {
            return;
        }
        let at_least = at_least.max(self.target.sample_floor(floor, &target, half));
        if self.is_left_out(at_least) {
            return;
        }
        if half.max_element() < self.smallest {
            self.at_least = self.at_least.min(at_least);
            return;
        }
        let half = half * 0.5;
        let (mut parts, mut n_parts) = ([(f64::INFINITY, center, LinearFloor::EMPTY); 8], 0);
        for corner in 0..8 {
            let offset = half * corner_of_box(corner);
            let center = center + offset;
            // The floor of the whole part holds for its eighths, and costs less than their own
            // floors.
            let value = floor.value + floor.gradient.dot(offset);
            let distance = target.distance + target.away.dot(offset);
            let whole = LinearFloor { value, ..*floor };
            let at_least =
                at_least.max(self.target.sample_floor(&whole, &TargetSample { distance, ..target }, half));
            if self.is_left_out(at_least) {
                continue;
            }
            let floor = self.field.floor(center, half);
            parts[n_parts] = (at_least.max(self.target.floor(&floor, center, half)), center, floor);
            n_parts += 1;
        }
        // The part with the least bound first.
        let parts = &mut parts[..n_parts];
        parts.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        for (at_least, center, floor) in parts {
            self.visit(*center, half, floor, *at_least);
        }
    }
}

/// Returns a corner of the box from -1 to 1 along each axis.
pub(crate) fn corner_of_box(corner: u32) -> DVec3 {
    let side = |bit: u32| if corner & bit == 0 { -1.0 } else { 1.0 };
    DVec3::new(side(1), side(2), side(4))
}

/// A convex shape without its margin.
struct Core<'a>(&'a dyn SupportMap);

impl SupportMap for Core<'_> {
    fn support(&self, direction: DVec3) -> SupportPoint {
        self.0.support(direction)
    }

    fn support_exact(&self, direction: DVec3, near: SupportPoint) -> SupportPoint {
        self.0.support_exact(direction, near)
    }

    fn support_slack(&self) -> f64 {
        self.0.support_slack()
    }

    fn vertex(&self, number: u32) -> Option<DVec3> {
        self.0.vertex(number)
    }

    fn center(&self) -> DVec3 {
        self.0.center()
    }

    fn radius(&self) -> f64 {
        self.0.radius()
    }
}

/// The core of a convex shape, placed in the frame of a field.
pub(crate) struct Convex<'a> {
    core: Core<'a>,
    pose: &'a WidePose,
    pub(crate) center: DVec3,
    radius: f64,
    cache: GjkCache,
    /// Cost of the searches for its nearest points.
    pub(crate) counters: Counters,
    /// The shape lies behind this plane, which touches it: normal and height.
    plane: Option<(DVec3, f64)>,
}

impl<'a> Convex<'a> {
    pub(crate) fn new(map: &'a dyn SupportMap, pose: &'a WidePose) -> Convex<'a> {
        let (center, radius) = (pose.transform_point(map.center()), map.radius());
        Convex {
            core: Core(map),
            pose,
            center,
            radius,
            cache: GjkCache::new(),
            counters: Counters::default(),
            plane: None,
        }
    }

    /// Returns the extent of the core along a direction.
    fn height(&self, direction: DVec3) -> f64 {
        let own = self.pose.inverse_transform_vector(direction);
        let farthest = self.core.support_exact(own, self.core.support(own)).point;
        direction.dot(self.pose.transform_point(farthest))
    }

    /// Returns a lower bound of the sums in a box, from a plane that the shape lies behind.
    fn plane_floor(floor: &LinearFloor, center: DVec3, half: DVec3, (normal, height): (DVec3, f64)) -> f64 {
        // Any fraction of the distance from the plane is valid. The best one cancels the field's
        // gradient.
        let part = (-normal.dot(floor.gradient)).clamp(0.0, 1.0);
        let slope = floor.gradient + normal * part;
        floor.value + part * (normal.dot(center) - height) - slope.abs().dot(half)
    }
}

impl Target for Convex<'_> {
    const IS_EVERYWHERE: bool = false;

    fn sample_at(&mut self, position: DVec3) -> TargetSample {
        let from_center = position - self.center;
        if self.radius == 0.0 {
            let distance = length(from_center);
            let away = unit(from_center).unwrap_or(DVec3::ZERO);
            return TargetSample { distance, away, point: self.center };
        }
        let point = self.pose.inverse_transform_point(position);
        let at = WidePose { translation: point, ..WidePose::IDENTITY };
        let settings = GjkSettings::default();
        let found =
            wide::distance(&self.core, &crate::ray_convex::Point, &at, &settings, Some(&mut self.cache));
        self.counters.iterations += found.counters.iterations;
        self.counters.supports += found.counters.supports;
        if found.distance == 0.0 {
            return TargetSample { distance: 0.0, away: DVec3::ZERO, point: position };
        }
        let point = self.pose.transform_point(found.point_a);
        TargetSample { distance: found.distance, away: self.pose.transform_vector(found.normal), point }
    }

    fn floor(&self, floor: &LinearFloor, center: DVec3, half: DVec3) -> f64 {
        let from_center = center - self.center;
        // From the ball around the core to the box.
        let gap = length((from_center.abs() - half).max(DVec3::ZERO)) - self.radius;
        let mut at_least = floor.least(half) + gap.max(0.0);
        if let Some(plane) = self.plane {
            at_least = at_least.max(Self::plane_floor(floor, center, half, plane));
        }
        if self.radius == 0.0 {
            return at_least;
        }
        match unit(-floor.gradient) {
            Some(down) => at_least.max(Self::plane_floor(floor, center, half, (down, self.height(down)))),
            None => at_least,
        }
    }

    fn sample_floor(&self, floor: &LinearFloor, target: &TargetSample, half: DVec3) -> f64 {
        // The distance from a convex shape is convex, so its tangent is a lower bound.
        floor.value + target.distance - (floor.gradient + target.away).abs().dot(half)
    }

    fn improved(&mut self, target: &TargetSample) {
        if target.away != DVec3::ZERO {
            self.plane = Some((target.away, target.away.dot(target.point)));
        }
    }
}

/// A box aligned to the axes of its frame.
pub(crate) struct AxisBox {
    pub(crate) low: DVec3,
    pub(crate) high: DVec3,
}

impl SupportMap for AxisBox {
    fn support(&self, direction: DVec3) -> SupportPoint {
        let is_high = DVec3::ZERO.cmplt(direction);
        SupportPoint { point: DVec3::select(is_high, self.high, self.low), vertex: is_high.bitmask() }
    }

    fn vertex(&self, number: u32) -> Option<DVec3> {
        let side = |axis: usize| if number >> axis & 1 == 0 { self.low[axis] } else { self.high[axis] };
        (number < 8).then(|| DVec3::new(side(0), side(1), side(2)))
    }

    fn center(&self) -> DVec3 {
        (self.low + self.high) * 0.5
    }

    fn radius(&self) -> f64 {
        (0.5 * length(self.high - self.low)).next_up()
    }
}

/// A half-space in the frame of a field: its distance is negative below the plane.
pub(crate) struct Plane {
    pub(crate) normal: DVec3,
    pub(crate) height: f64,
}

impl Target for Plane {
    const IS_EVERYWHERE: bool = true;

    fn sample_at(&mut self, position: DVec3) -> TargetSample {
        let distance = self.normal.dot(position) - self.height;
        TargetSample { distance, away: self.normal, point: position - self.normal * distance }
    }

    fn floor(&self, floor: &LinearFloor, center: DVec3, half: DVec3) -> f64 {
        let distance = self.normal.dot(center) - self.height;
        floor.value + distance - (floor.gradient + self.normal).abs().dot(half)
    }

    fn sample_floor(&self, _: &LinearFloor, _: &TargetSample, _: DVec3) -> f64 {
        f64::NEG_INFINITY
    }

    fn improved(&mut self, _: &TargetSample) {}
}

/// A field in the frame of another field.
pub(crate) struct Other<'a> {
    pub(crate) field: &'a dyn DistanceField,
    pub(crate) pose: &'a WidePose,
}

impl Other<'_> {
    /// Converts a box to the frame of the other field.
    fn box_in_own(&self, center: DVec3, half: DVec3) -> [DVec3; 2] {
        let axes = self.pose.rotation;
        let extent =
            DVec3::new(axes.x_axis.abs().dot(half), axes.y_axis.abs().dot(half), axes.z_axis.abs().dot(half));
        [self.pose.inverse_transform_point(center), extent]
    }
}

/// A position counts if both fields have a sample there.
impl Target for Other<'_> {
    const IS_EVERYWHERE: bool = true;

    fn sample_at(&mut self, position: DVec3) -> TargetSample {
        let Some(sample) = self.field.sample(self.pose.inverse_transform_point(position)) else {
            return TargetSample { distance: f64::INFINITY, away: DVec3::ZERO, point: position };
        };
        let away = self.pose.transform_vector(unit(sample.gradient).unwrap_or(DVec3::ZERO));
        TargetSample { distance: sample.distance, away, point: position - away * sample.distance }
    }

    fn floor(&self, floor: &LinearFloor, center: DVec3, half: DVec3) -> f64 {
        let [own, extent] = self.box_in_own(center, half);
        let other = self.field.floor(own, extent);
        let least = floor.least(half) + other.least(extent);
        let gradient = floor.gradient + self.pose.transform_vector(other.gradient);
        least.max(floor.value + other.value - gradient.abs().dot(half))
    }

    fn sample_floor(&self, _: &LinearFloor, _: &TargetSample, _: DVec3) -> f64 {
        f64::NEG_INFINITY
    }

    fn improved(&mut self, _: &TargetSample) {}
}

/// Returns a position near the surface that is about the nearest to a point, and the field there.
pub(crate) fn surface_point_near(field: &dyn DistanceField, point: DVec3) -> Option<(DVec3, DistanceSample)> {
    let at = WidePose { translation: point, ..WidePose::IDENTITY };
    let mut target = Convex::new(&Point, &at);
    let least =
        least_sum(field, &mut target, SearchDomain::OnSurface, point, f64::INFINITY, field.resolution());
    least.map(|least| (least.position, least.sample))
}
