//! A signed distance field against another shape: the least sum of the distances of both.
//!
//! - Apart: the sum is the distance. It is off by at most the field's error bound, also outside the
//!   field's box.
//! - Overlap: the sum is minus the depth of the deepest point of the other shape, margin included.
//!   Like that of a mesh it is local. Half-spaces and balls have the full depth.
//! - Normal: the field's gradient at that point, or outside the field's box the direction to the
//!   shape; see [`crate::field_normals`].
//!
//! Reference: M. Macklin, K. Erleben, M. Mueller, N. Chentanez, S. Jeschke, Z. Corse, Local
//! Optimization for Robust Signed Distance Field Collision, PACMCGIT 3(1), 2020 (the deepest point
//! as the contact).
//! Differs: branch and bound finds the globally deepest point.

use crate::closest::Closest;
use crate::cost::Count;
use crate::field_gap::least_gap;
use crate::field_normals::normal_at;
use crate::field_search::{
    AxisBox, Convex, Least, Other, Plane, SearchDomain, Target as _, TargetSample, least_sum,
    surface_point_near,
};
use crate::mesh_shape::MeshShape;
use crate::nearest_triangle;
use crate::ray_convex::Point;
use crate::ring_search::{OnRing, RingSample, nearest_on_ring};
use carom_geom::{DistanceField, SupportMap, WideMesh};
use carom_gjk::Outcome;
use carom_math::scaling::{length, unit};
use carom_math::{WidePose, tol};
use core::ops::ControlFlow;
use glam::DVec3;

/// Relative to the radius of the circle of a torus: the accuracy of a search over its arcs, before
/// the nearest point is refined. 2^-20.
const RING_SEARCH: f64 = 1.0 / (1 << 20) as f64;

/// The other shape of a query of a field. Clusters and compounds are split into parts before.
pub(crate) enum FieldOther<'a, M> {
    /// Convex and bounded.
    Convex(&'a dyn SupportMap),
    /// All points below the plane through the origin with this normal.
    HalfSpace(DVec3),
    /// Triangles.
    Mesh(&'a MeshShape<M>),
    /// A solid with a signed distance.
    Field(&'a dyn DistanceField),
}

/// A contact, and a lower bound of its distance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoundedContact {
    pub(crate) closest: Closest,
    /// A lower bound of the distance, from the samples.
    pub(crate) at_least: f64,
}

/// A search from a field to another shape: all that it needs but that shape.
#[derive(Clone, Copy)]
pub(crate) struct FieldQuery<'a, C> {
    /// Answers are in its frame. It counts its samples within [`FieldQuery::counted`].
    pub(crate) field: &'a dyn DistanceField,
    /// The pose of the other shape in the field's frame.
    pub(crate) b_in_a: &'a WidePose,
    /// The distance beyond which contacts do not matter.
    pub(crate) limit: f64,
    /// The accuracy of the search, a length.
    pub(crate) tolerance: f64,
    pub(crate) count: C,
}

impl<'a, C: Count> FieldQuery<'a, C> {
    /// Creates a search with the usual tolerance.
    pub(crate) fn new(field: &'a dyn DistanceField, b_in_a: &'a WidePose, limit: f64, count: C) -> Self {
        FieldQuery { field, b_in_a, limit, tolerance: tol::FIELD_SEARCH * field.resolution(), count }
    }

    /// Whether the field and the other shape share a point.
    pub(crate) fn intersects(&self, b: &FieldOther<'_, impl WideMesh>) -> bool {
        self.contact(b).is_some_and(|closest| closest.distance <= 0.0)
    }

    /// Returns the distance of the field and the other shape; infinite beyond the limit.
    pub(crate) fn distance(&self, b: &FieldOther<'_, impl WideMesh>) -> Closest {
        self.contact(b).unwrap_or(Closest::NOWHERE)
    }

    /// Returns the deepest or nearest contact, in the field's frame; `None` beyond the limit.
    pub(crate) fn contact(&self, b: &FieldOther<'_, impl WideMesh>) -> Option<Closest> {
        self.counted(b, |query, b| query.nearest(b)).map(|found| found.closest)
    }

    /// Passes this search and the other shape to `run`, with the samples of each field counted.
    pub(crate) fn counted<M: WideMesh, R>(
        &self,
        b: &FieldOther<'_, M>,
        run: impl FnOnce(&FieldQuery<'_, C>, &FieldOther<'_, M>) -> R,
    ) -> R {
        let count = self.count;
        count.with_field(self.field, |field| {
            let query = FieldQuery { field, ..*self };
            match b {
                FieldOther::Field(b) => count.with_field(*b, |b| run(&query, &FieldOther::Field(b))),
                _ => run(&query, b),
            }
        })
    }

    /// Returns what [`FieldQuery::contact`] does, with a lower bound. It does not count samples.
    pub(crate) fn nearest(&self, b: &FieldOther<'_, impl WideMesh>) -> Option<BoundedContact> {
        let found = match b {
            FieldOther::Convex(b) => self.nearest_convex(*b),
            FieldOther::HalfSpace(normal) => self.nearest_half_space(*normal),
            FieldOther::Mesh(b) => self.nearest_triangle(b),
            FieldOther::Field(b) => self.nearest_field(*b),
        };
        if found.is_none() && !is_finite(self.b_in_a) {
            // The same result as for convex shapes.
            let nothing = Closest { distance: 0.0, outcome: Outcome::Undecided, ..Closest::NOWHERE };
            return Some(BoundedContact { closest: nothing, at_least: f64::NEG_INFINITY });
        }
        found.filter(|found| found.closest.distance <= self.limit)
    }

    /// Returns the deepest or nearest contact with a convex shape.
    pub(crate) fn nearest_convex(&self, b: &dyn SupportMap) -> Option<BoundedContact> {
        let FieldQuery { field: a, tolerance, count, .. } = *self;
        count.add_pair();
        if let Some(ring) = a.ring() {
            return self.ring_and_convex(ring, b);
        }
        let mut core = Convex::new(b, self.b_in_a);
        let (center, limit) = (core.center, (self.limit + b.margin()).next_up());
        let mut least = if b.radius() == 0.0 {
            a.sample(center).map(|sample| Least::at(center, sample))
        } else {
            least_sum(a, &mut core, SearchDomain::InOther, center, limit, tolerance)
        };
        // The part of the shape outside the samples may be nearer.
        let known = least.map_or(limit, |least| least.at_least.min(limit));
        if a.least_unsampled() < known && !(b.radius() == 0.0 && least.is_some()) {
            let limit = least.map_or(limit, |least| least.sum);
            let beyond = least_sum(a, &mut core, SearchDomain::OnSurface, center, limit, tolerance);
            least = beyond.or(least);
        }
        count.add_search(&core.counters);
        let least = least?;
        let core = least.other.point;
        // The field's gradient is better, if there is a sample.
        let normal = match a.sample(core) {
            Some(sample) => normal_at(a, core, &sample),
            None => unit(-least.other.away).unwrap_or_else(|| normal_at(a, least.position, &least.sample)),
        };
        Some(found(a, &least, b.margin(), normal, core))
    }

    /// Returns the contact of a torus and a convex shape.
    fn ring_and_convex(&self, [major, minor]: [f64; 2], b: &dyn SupportMap) -> Option<BoundedContact> {
        let FieldQuery { b_in_a, limit, count, .. } = *self;
        if !is_finite(b_in_a) {
            return None;
        }
        let mut core = Convex::new(b, b_in_a);
        // The circle lies within its radius of the origin.
        if limit + b.margin() + minor + major + b.radius() < length(core.center) {
            return None;
        }
        let on = nearest_on_ring(major, RING_SEARCH * major, |position| RingSample {
            target: core.sample_at(position),
            axis_distance: f64::INFINITY,
        });
        count.add_search(&core.counters);
        // If the circle passes through the shape, the normal points across the circle to the
        // shape's centre.
        let tangent = DVec3::new(-on.position.z, 0.0, on.position.x);
        let across = |v: DVec3| v - tangent * (v.dot(tangent) / (major * major));
        let normal =
            unit(-on.target.away).or_else(|| unit(across(core.center - on.position))).unwrap_or(DVec3::Y);
        Some(ring_found(&on, minor, b.margin(), normal))
    }

    /// Returns the contact of the field's lowest point with a half-space. The depth is not local.
    fn nearest_half_space(&self, normal: DVec3) -> Option<BoundedContact> {
        let FieldQuery { field: a, b_in_a, limit, tolerance, count } = *self;
        count.add_pair();
        let up = b_in_a.transform_vector(normal);
        let height = up.dot(b_in_a.translation);
        if let Some([major, minor]) = a.ring() {
            // A point of the circle; if the plane is perpendicular to the axis, any.
            let lowest = unit(DVec3::new(-up.x, 0.0, -up.z)).unwrap_or(DVec3::X) * major - up * minor;
            let distance = up.dot(lowest) - height;
            let closest = Closest::new(distance, lowest, lowest - up * distance, -up);
            return Some(BoundedContact { closest, at_least: distance });
        }
        let [low, high] = a.bounds();
        let mut plane = Plane { normal: up, height };
        let start = (low + high) * 0.5;
        let least = least_sum(a, &mut plane, SearchDomain::OnSurface, start, limit.next_up(), tolerance)?;
        // The ball with that radius touches the surface, from inside or outside.
        let lowest = least.position + up * least.sample.distance;
        let mut found = found(a, &least, 0.0, -up, lowest - up * least.sum);
        found.closest.is_local = false;
        Some(found)
    }

    /// Returns the contact of the nearest or deepest triangle.
    fn nearest_triangle(&self, b: &MeshShape<impl WideMesh>) -> Option<BoundedContact> {
        let mut best: Option<BoundedContact> = None;
        let mut test = |triangle: u32, limit: f64| {
            let shape = b.mesh().triangle(triangle);
            let Some(mut found) = (FieldQuery { limit, ..*self }).nearest_convex(&shape) else {
                return limit;
            };
            found.closest.part_b = triangle;
            let at_least = best.map_or(found.at_least, |best| best.at_least.min(found.at_least));
            if best.is_none_or(|best| found.closest.is_before(&best.closest)) {
                best = Some(found);
            }
            best = best.map(|best| BoundedContact { at_least, ..best });
            best.map_or(limit, |best| limit.min(best.closest.distance))
        };
        // A good first candidate prunes most of the others.
        let first = self.first_triangle(b);
        let limit = first.map_or(self.limit, |triangle| test(triangle, self.limit));
        (FieldQuery { limit, ..*self }).visit_triangles(b, |triangle, limit| {
            if first == Some(triangle) { limit } else { test(triangle, limit) }
        });
        // Skipped triangles are nearer by at most the tolerance.
        best.map(|best| BoundedContact {
            at_least: best.at_least.min(best.closest.distance - self.tolerance),
            ..best
        })
    }

    /// Returns a triangle that is about the nearest, by alternating projection between both
    /// surfaces.
    fn first_triangle(&self, b: &MeshShape<impl WideMesh>) -> Option<u32> {
        let FieldQuery { field: a, b_in_a, count, .. } = *self;
        let (low, high) = b.mesh().wide_bounds();
        let (mut position, mut first) = (b_in_a.transform_point((low + high) * 0.5), None);
        for _ in 0..2 {
            let Some((near, _)) = surface_point_near(a, position) else { break };
            let (_, triangle, point) =
                nearest_triangle::nearest(b, b_in_a.inverse_transform_point(near), count)?;
            (position, first) = (b_in_a.transform_point(point), Some(triangle));
        }
        first
    }

    /// Visits the triangles that may be within the limit of the field, near ones first. The visitor
    /// lowers the limit.
    pub(crate) fn visit_triangles(
        &self,
        b: &MeshShape<impl WideMesh>,
        mut triangle: impl FnMut(u32, f64) -> f64,
    ) {
        let FieldQuery { field: a, b_in_a, mut limit, count, .. } = *self;
        let [low, high] = a.bounds();
        let (center, radius) = ((low + high) * 0.5, 0.5 * length(high - low));
        let center = b.point_in_tree(b_in_a.inverse_transform_point(center));
        let bound = |limit: f64| (limit.max(0.0) + radius) * b.scale() * (1.0 + 8.0 * f64::EPSILON);
        let walk = b.tree().visit_near(center, bound(limit), |leaf, _| {
            if 1 < leaf.primitives.len() && (FieldQuery { limit, ..*self }).is_beyond(b, leaf.primitives) {
                return ControlFlow::Continue(bound(limit));
            }
            for &number in leaf.primitives {
                let shape = b.mesh().triangle(number);
                let center = b_in_a.transform_point(shape.center());
                let reach = shape.radius();
                let at_least = match a.sample(center) {
                    Some(sample) => sample.distance - 2.0 * a.error_bound(),
                    None => length((low - center).max(center - high).max(DVec3::ZERO)).next_down(),
                };
                // Inside the field the sample may be clamped, and gives no bound.
                if at_least - reach <= limit {
                    limit = triangle(number, limit);
                }
            }
            ControlFlow::Continue(bound(limit))
        });
        count.add_walk(&walk.counters);
    }

    /// Whether the box around some triangles is farther from the field than the limit.
    fn is_beyond(&self, b: &MeshShape<impl WideMesh>, triangles: &[u32]) -> bool {
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for corner in triangles.iter().flat_map(|triangle| b.mesh().corners(*triangle)) {
            (low, high) = (low.min(corner), high.max(corner));
        }
        // A coarse tolerance suffices: nothing below the limit is skipped.
        let tolerance = self.field.resolution();
        let coarse = FieldQuery { limit: self.limit + tolerance, tolerance, ..*self };
        self.limit < f64::INFINITY && coarse.nearest_convex(&AxisBox { low, high }).is_none()
    }

    /// Returns the contact with another field. The box of the larger field is subdivided.
    fn nearest_field(&self, b: &dyn DistanceField) -> Option<BoundedContact> {
        let FieldQuery { field: a, b_in_a, count, .. } = *self;
        count.add_pair();
        if !is_finite(b_in_a) {
            return None;
        }
        match (a.ring(), b.ring()) {
            (Some(ring), Some(other)) => return Some(two_rings(ring, other, b_in_a)),
            (Some(ring), None) => return self.ring_and_field(ring, b),
            (None, Some(ring)) => {
                let a_in_b = b_in_a.inverse();
                let swapped = FieldQuery { field: b, b_in_a: &a_in_b, ..*self };
                let found = swapped.ring_and_field(ring, a)?;
                return Some(BoundedContact { closest: found.closest.swapped(&a_in_b), ..found });
            }
            (None, None) => {}
        }
        let size = |field: &dyn DistanceField| {
            let [low, high] = field.bounds();
            length(high - low)
        };
        if size(a) < size(b) {
            let a_in_b = b_in_a.inverse();
            let swapped = FieldQuery { field: b, b_in_a: &a_in_b, ..*self };
            let found = swapped.nearest_field_within(a)?;
            return Some(BoundedContact { closest: found.closest.swapped(&a_in_b), ..found });
        }
        self.nearest_field_within(b)
    }

    /// Returns the contact with another field, whose box is subdivided.
    fn nearest_field_within(&self, b: &dyn DistanceField) -> Option<BoundedContact> {
        let FieldQuery { field: a, b_in_a, limit, tolerance, .. } = *self;
        let [low, high] = b.bounds();
        let start = b_in_a.transform_point((low + high) * 0.5);
        let mut other = Other { field: b, pose: b_in_a };
        // If the fields overlap, the point is searched inside both. If they are near, it is
        // searched close to A's surface, in the box of B.
        let both =
            least_sum(a, &mut other, SearchDomain::InOther, start, limit.next_up().min(0.0), tolerance);
        let near = limit.next_up().min(b.least_unsampled());
        let both = both.or_else(|| least_sum(a, &mut other, SearchDomain::OnSurface, start, near, tolerance));
        let mut found = match both {
            Some(least) => {
                let normal = normal_at(a, least.position, &least.sample);
                found(a, &least, 0.0, normal, least.position + normal * least.other.distance)
            }
            None => {
                let gap = least_gap(a, &other, limit.next_up(), tolerance)?;
                let [point_a, point_b] = gap.positions;
                let own = normal_at(a, point_a, &gap.sample);
                // For points within one cell the line between them is less accurate than the
                // gradient.
                let is_far = a.resolution() < length(point_b - point_a);
                let normal = unit(point_b - point_a).filter(|_| is_far).unwrap_or(own);
                let mut least = Least::at(point_a, gap.sample);
                (least.sum, least.at_least) = (gap.sum, gap.at_least);
                found(a, &least, 0.0, normal, point_a + normal * (gap.sum - gap.sample.distance))
            }
        };
        if let Outcome::Within(error) = &mut found.closest.outcome {
            *error += b.error_bound();
        }
        Some(found)
    }

    /// Returns the contact of a torus and a field of another kind. The torus is this field.
    fn ring_and_field(&self, [major, minor]: [f64; 2], b: &dyn DistanceField) -> Option<BoundedContact> {
        let FieldQuery { b_in_a, limit, count, .. } = *self;
        let [low, high] = b.bounds();
        let tolerance = tol::FIELD_SEARCH * b.resolution();
        let mut least = limit + minor;
        let on = nearest_on_ring(major, tolerance, |position| {
            let own = b_in_a.inverse_transform_point(position);
            let beyond = length((low - own).max(own - high).max(DVec3::ZERO));
            let mut target =
                TargetSample { distance: beyond.max(b.least_unsampled()), away: DVec3::ZERO, point: own };
            if let Some(sample) = b.sample(own) {
                let away = normal_at(b, own, &sample);
                target =
                    TargetSample { distance: sample.distance, away, point: own - away * sample.distance };
            } else if target.distance < least {
                let at = WidePose { translation: own, ..WidePose::IDENTITY };
                if let Some(found) = FieldQuery::new(b, &at, f64::INFINITY, count).nearest_convex(&Point) {
                    let closest = found.closest;
                    target = TargetSample {
                        distance: closest.distance,
                        away: closest.normal,
                        point: closest.point_a,
                    };
                }
            }
            least = least.min(target.distance);
            let (away, point) = (b_in_a.transform_vector(target.away), b_in_a.transform_point(target.point));
            RingSample { target: TargetSample { away, point, ..target }, axis_distance: 0.0 }
        });
        if !(on.target.distance - minor <= limit) {
            return None;
        }
        let normal = unit(-on.target.away).unwrap_or(DVec3::Y);
        let mut found = ring_found(&on, minor, 0.0, normal);
        if let Outcome::Within(error) = &mut found.closest.outcome {
            *error += b.error_bound();
        }
        Some(found)
    }
}

fn is_finite(pose: &WidePose) -> bool {
    let axes = pose.rotation;
    pose.translation.is_finite()
        && axes.x_axis.is_finite()
        && axes.y_axis.is_finite()
        && axes.z_axis.is_finite()
}

/// Returns the contact at the point of a least sum. Takes the other shape's margin, the normal from
/// A to B, and a point of B's core.
fn found(a: &dyn DistanceField, least: &Least, margin: f64, normal: DVec3, core: DVec3) -> BoundedContact {
    let distance = least.sum - margin;
    let point_b = core - normal * margin;
    let mut closest = Closest::new(distance, point_b - normal * distance, point_b, normal);
    closest.outcome = Outcome::Within(a.error_bound() + (least.sum - least.at_least));
    closest.is_local = true;
    BoundedContact { closest, at_least: least.at_least - margin }
}

/// Returns the contact of two tori.
fn two_rings([major, minor]: [f64; 2], [major_b, minor_b]: [f64; 2], b_in_a: &WidePose) -> BoundedContact {
    let on = nearest_on_ring(major, RING_SEARCH * major.max(major_b), |position| {
        let own = b_in_a.inverse_transform_point(position);
        let from_axis = DVec3::new(own.x, 0.0, own.z);
        let point = unit(from_axis).unwrap_or(DVec3::X) * major_b;
        let away = unit(own - point).unwrap_or(DVec3::Y);
        let target = TargetSample {
            distance: length(own - point),
            away: b_in_a.transform_vector(away),
            point: b_in_a.transform_point(point),
        };
        RingSample { target, axis_distance: length(from_axis) }
    });
    let normal = unit(-on.target.away).unwrap_or(DVec3::Y);
    ring_found(&on, minor, minor_b, normal)
}

/// Returns the contact at the nearest point of the circle of A. Takes both radii around the cores,
/// and the normal from A to B.
fn ring_found(on: &OnRing, minor: f64, margin: f64, normal: DVec3) -> BoundedContact {
    let distance = on.target.distance - minor - margin;
    let (point_a, point_b) = (on.position + normal * minor, on.target.point - normal * margin);
    let mut closest = Closest::new(distance, point_a, point_b, normal);
    let missed = (on.target.distance - on.at_least).max(0.0);
    closest.outcome = Outcome::Within(missed);
    closest.is_local = true;
    BoundedContact { closest, at_least: distance - missed }
}

/// Reports the nearest points of every triangle that is nearer than its clearance. Clearances are
/// at most `most`.
pub(crate) fn mesh_nearer_than(
    a: &dyn DistanceField,
    b: &MeshShape<impl WideMesh>,
    b_in_a: &WidePose,
    most: f64,
    clearance: &mut dyn FnMut(u32, u32) -> f64,
    report: &mut dyn FnMut(&Closest),
) {
    let query = FieldQuery::new(a, b_in_a, most, ());
    query.visit_triangles(b, |triangle, most| {
        let limit = clearance(0, triangle);
        let found = FieldQuery { limit, ..query }.nearest_convex(&b.mesh().triangle(triangle));
        if let Some(BoundedContact { mut closest, .. }) = found
            && closest.distance.max(0.0) < limit
        {
            closest.part_b = triangle;
            report(&closest);
        }
        most
    });
}

/// Returns a lower bound of the coordinate at which a field begins along a unit direction. Infinite
/// for a field without a surface.
pub(crate) fn lowest(field: &dyn DistanceField, pose: &WidePose, direction: DVec3) -> f64 {
    let normal = pose.inverse_transform_vector(direction);
    let [low, high] = field.bounds();
    let tolerance = tol::FIELD_SEARCH * field.resolution();
    let mut plane = Plane { normal, height: 0.0 };
    let start = (low + high) * 0.5;
    let least = least_sum(field, &mut plane, SearchDomain::OnSurface, start, f64::INFINITY, tolerance);
    direction.dot(pose.translation) + least.map_or(f64::INFINITY, |least| least.at_least)
}
