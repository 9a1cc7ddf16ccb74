//! Time of impact of a half-space and a convex shape, a mesh or another half-space. A half-space is
//! given by the normal of its plane, which passes through the origin of its frame.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 5.5.3 (a sphere and a plane).

use crate::cast_leaving::ConvexPair;
use crate::half_space::{closest_convex, closest_half_space};
use crate::impact::CastQuery;
use crate::ray_convex::Point;
use carom_ccd::{Impact, Proof, Tally, TimeOfImpact, half_space_time_of_impact_counted};
use carom_geom::{SupportMap, SupportPoint, WideMesh};
use carom_math::{WidePose, scaling};
use glam::DVec3;

/// Casts a half-space and a convex shape.
pub(crate) fn convex(normal: DVec3, b: &dyn SupportMap, query: &CastQuery<'_, impl Tally>) -> TimeOfImpact {
    let contact = |b_in_a: &WidePose, _| closest_convex(normal, b, b_in_a, ());
    ConvexPair { a: None, b, contact }.answer(query, |query| {
        let CastQuery { motion_a, motion_b, settings, tally } = query;
        half_space_time_of_impact_counted(normal, motion_a, b, motion_b, settings, *tally)
    })
}

/// Casts a half-space and a mesh.
pub(crate) fn mesh(normal: DVec3, b: &impl WideMesh, query: &CastQuery<'_, impl Tally>) -> TimeOfImpact {
    // The lowest point of a mesh is also the lowest point of its convex hull.
    let corners = Corners::new(b);
    let mut answer = convex(normal, &corners, query);
    if let TimeOfImpact::Hit(impact) = &mut answer {
        let down = -query.motion_b.pose_at(impact.t_hi).inverse_transform_vector(impact.normal);
        impact.part_b = corners.support(down).vertex / 3;
    }
    answer
}

/// Casts two half-spaces with these normals. They overlap without bound unless their normals are
/// opposite at all times.
pub(crate) fn half_spaces(a: DVec3, b: DVec3, query: &CastQuery<'_, impl Tally>) -> TimeOfImpact {
    let CastQuery { motion_a, motion_b, settings, .. } = query;
    let (start, end) = (settings.start_time, settings.max_time);
    let overlap_at = |t: f64| {
        let closest = closest_half_space(a, b, &query.b_in_a(t), ());
        (closest.distance == f64::NEG_INFINITY).then_some(closest)
    };
    // Looks for a time at which the planes surely cross: the end, or that of a turn of one radian,
    // because after many turns the angle is unknown. It is halved as long as they cross.
    let mut found = overlap_at(start).map(|closest| (start, closest));
    let turn_rate = scaling::length(motion_b.angular() - motion_a.angular());
    for time in [end - start, 1.0 / turn_rate] {
        let mut time = time.min(end - start);
        if found.is_some() || !(0.0 < time && 0.0 < turn_rate) {
            break;
        }
        let Some(closest) = overlap_at(start + time) else { continue };
        found = Some((start + time, closest));
        while let Some(closest) = overlap_at(start + 0.5 * time) {
            time *= 0.5;
            found = Some((start + time, closest));
        }
    }
    let Some((t, closest)) = found else {
        // The normals are opposite at all times, up to rounding. The origin of B lies on B's plane.
        return convex(a, &Point, query);
    };
    let closest = closest.placed(&motion_a.pose_at(t));
    let points = [closest.point_a, closest.point_b];
    TimeOfImpact::Hit(Impact::new([start, t], points, closest.normal, Proof::Overlap))
}

/// The corners of a mesh as a support map, by linear search. Corner `k` of triangle `n` has the
/// number `3 * n + k`.
struct Corners<'a, M> {
    mesh: &'a M,
    center: DVec3,
    radius: f64,
}

impl<'a, M: WideMesh> Corners<'a, M> {
    fn new(mesh: &'a M) -> Corners<'a, M> {
        let (low, high) = mesh.wide_bounds();
        let center = low * 0.5 + high * 0.5;
        let farthest = (high - center).max(center - low);
        Corners { mesh, center, radius: farthest.length() * (1.0 + 8.0 * f64::EPSILON) }
    }
}

impl<M: WideMesh> SupportMap for Corners<'_, M> {
    fn support(&self, direction: DVec3) -> SupportPoint {
        let mut best = (f64::NEG_INFINITY, SupportPoint { point: self.center, vertex: 0 });
        for (number, corner) in self.mesh.iter_corners().flatten().enumerate() {
            let height = direction.dot(corner);
            if best.0 < height {
                best = (height, SupportPoint { point: corner, vertex: number as u32 });
            }
        }
        best.1
    }

    fn center(&self) -> DVec3 {
        self.center
    }

    fn radius(&self) -> f64 {
        self.radius
    }
}
