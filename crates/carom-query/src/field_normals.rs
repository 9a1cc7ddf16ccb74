//! The direction from the surface of a field to a position.
//!
//! On a ridge the gradient is undefined. There the gradient of a point beside it is used, if
//! following it ends on the surface.

use crate::field_search::{Convex, SearchDomain, least_sum};
use crate::ray_convex::Point;
use carom_geom::{DistanceField, DistanceSample};
use carom_math::scaling::unit;
use carom_math::{WidePose, tol};
use glam::DVec3;

/// In cells: if following a gradient ends this near to the surface, it leads to the nearest point.
const NEAR_SURFACE: f64 = 0.25;

/// Cosine: directions from a point on a ridge that are closer than this count as one.
const SAME_DIRECTION_COSINE: f64 = 0.9;

/// Returns the unit direction from the nearest point of the surface to a position; reversed if the
/// position is inside.
pub(crate) fn normal_at(field: &dyn DistanceField, position: DVec3, sample: &DistanceSample) -> DVec3 {
    let mut best: Option<(f64, DVec3)> = None;
    visit_normals(field, position, sample, false, |normal, miss| {
        if best.is_none_or(|(least, _)| miss < least) {
            best = Some((miss, normal));
        }
    });
    if let Some((miss, normal)) = best
        && miss <= NEAR_SURFACE * field.resolution()
    {
        return normal;
    }
    // From a search for the nearest point, else the best gradient, else from the centre.
    let at = WidePose { translation: position, ..WidePose::IDENTITY };
    let mut point = Convex::new(&Point, &at);
    let tolerance = tol::FIELD_SEARCH * field.resolution();
    let least = least_sum(field, &mut point, SearchDomain::OnSurface, position, f64::INFINITY, tolerance);
    let away = least.and_then(|least| unit(least.other.away));
    let searched = away.map(|away| if sample.distance < 0.0 { away } else { -away });
    let [low, high] = field.bounds();
    searched
        .or(best.map(|(_, normal)| normal))
        .or_else(|| unit(position - (low + high) * 0.5))
        .unwrap_or(DVec3::Y)
}

/// Returns the directions to the nearest points of the surface: one, or several on a ridge.
pub(crate) fn normals_at(
    field: &dyn DistanceField,
    position: DVec3,
    sample: &DistanceSample,
    mut normal: impl FnMut(DVec3),
) {
    let mut distinct = [DVec3::ZERO; 7];
    let mut n_distinct = 0;
    visit_normals(field, position, sample, true, |found, miss| {
        let is_new = distinct[..n_distinct].iter().all(|other| other.dot(found) < SAME_DIRECTION_COSINE);
        if miss <= NEAR_SURFACE * field.resolution() && is_new && n_distinct < distinct.len() {
            distinct[n_distinct] = found;
            n_distinct += 1;
            normal(found);
        }
    });
    if n_distinct == 0 {
        normal(normal_at(field, position, sample));
    }
}

/// Visits the gradient at a position. Also visits the gradients at adjacent positions if all are
/// wanted, or if the first one misses the surface. Each gradient comes with the distance by which
/// following it misses the surface.
fn visit_normals(
    field: &dyn DistanceField,
    position: DVec3,
    sample: &DistanceSample,
    wants_all: bool,
    mut normal: impl FnMut(DVec3, f64),
) {
    let resolution = field.resolution();
    let mut give = |gradient: DVec3| {
        let Some(out) = unit(gradient) else { return f64::INFINITY };
        let end = field.sample(position - out * sample.distance);
        let miss = end.map_or(f64::INFINITY, |end| end.distance.abs());
        normal(out, miss);
        miss
    };
    if give(sample.gradient) <= NEAR_SURFACE * resolution && !wants_all {
        return;
    }
    for axis in DVec3::AXES {
        for step in [-resolution, resolution] {
            if let Some(beside) = field.sample(position + axis * step) {
                give(beside.gradient);
            }
        }
    }
}
