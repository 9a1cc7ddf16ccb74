//! A signed distance field alone: rays, and the nearest point.

use super::super::num::geom::{PointProjection, RayHit};
use super::super::num::{Interval, Vec3, narrow, narrow_real, widen, widen_real};
use super::line::Line;
use crate::cost::Count;
use crate::field_pair::{BoundedContact, FieldQuery};
use crate::ray_convex::Point;
use carom_geom::{Crossing, DistanceField, FeatureId};
use carom_math::WidePose;
use core::ops::ControlFlow;

/// Visits the crossings of a line with the surface in the interval, in order, until `hit` stops.
pub(super) fn visit_hits(
    field: &dyn DistanceField,
    line: &Line,
    interval: Interval,
    mut hit: impl FnMut(RayHit) -> ControlFlow<()>,
) {
    let (from, to) = (widen_real(interval.min), widen_real(interval.max));
    field.visit_crossings([line.origin, line.direction], from, to, &mut |crossing: Crossing| {
        let t = narrow_real(crossing.t);
        if !(interval.contains(t) && t.is_finite()) {
            return ControlFlow::Continue(());
        }
        hit(RayHit::new(t, narrow(crossing.normal)).with_back_face(crossing.is_leaving))
    });
}

/// Returns the point of the surface nearest to a point, in the field's frame.
pub(super) fn project_point(
    field: &dyn DistanceField,
    point: Vec3,
    count: impl Count,
) -> Option<PointProjection> {
    let pose = WidePose { translation: widen(point), ..WidePose::IDENTITY };
    let BoundedContact { closest, .. } = count.with_field(field, |field| {
        FieldQuery::new(field, &pose, f64::INFINITY, count).nearest_convex(&Point)
    })?;
    let found =
        PointProjection::new(narrow(closest.point_a), narrow_real(closest.distance), FeatureId::UNKNOWN);
    Some(if field.has_inside() { found } else { found.without_inside() })
}
